"""Sentences of notebooks: text with numbers from the records, and what each rests on."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType


class Sentence:
    """One finding, written for the records that ship.

    Args:
        text: Markdown with fields; see `prose.fill`.
        because: what the sentence rests on, at least one thing: verdicts, ``CLAIM.PROTOCOL
            VERDICT`` each, such as ``"order_v3_abstractor_learns.sound holds"``, and comparisons,
            True if they come out as the sentence says.
        values: of the fields: numbers, intervals or tallies.

    Raises:
        TypeError: for a sentence that rests on nothing, or on what is neither.

    Example:
        >>> Sentence("The best trial has {best:.2f}.", 0.93 > 0.5, best=0.93).values
        {'best': 0.93}
    """

    def __init__(self, text: str, *because: str | bool, **values: object):
        import numpy as np  # here, as commands that say nothing start without it

        odd = [one for one in because if not isinstance(one, str | bool | np.bool_)]
        if odd or not because:
            raise TypeError(
                f"a sentence rests on {odd[0] if odd else 'nothing'!r}; expected verdicts, "
                f"CLAIM.PROTOCOL VERDICT each, or comparisons: {text[:60]!r}"
            )
        self.text, self.because, self.values = text, because, values


def listed(words: Sequence[str], nothing: str = "none") -> str:
    """Words as an enumeration; ``nothing`` where there are none.

    Example:
        >>> listed(["a", "b", "c"]), listed(["a"]), listed([], "no task")
        ('a, b and c', 'a', 'no task')
    """
    *first, last = words or [nothing]
    return f"{', '.join(first)} and {last}" if first else last


def sentences(module: ModuleType) -> dict[str, Callable[..., Sentence]]:
    """The sentences of an experiment: the public functions of its module, each with the tables of
    trials by protocol as first argument, and by name what else the notebook has computed."""
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def named(module: ModuleType, name: str) -> Callable[..., Sentence]:
    """A sentence of an experiment.

    Raises:
        ValueError: if there is none of that name.
    """
    known: Mapping = sentences(module)
    if name not in known:
        raise ValueError(f"the sentence is {name!r}; allowed: {', '.join(known) or 'none'}")
    return known[name]

"""Computing one run of SET classification.

Shapes: ``t`` trials, ``n`` rows of three cards, ``d`` features of a card's embedding.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from ...records.spec import Spec
from ...tasks.set_triples import Parts
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import HERE, Context, State
from ..supervised import stacked, supervised
from .build import build
from .data import accuracies, taken, trial
from .grid import own_role
from .inside import inside
from .inspect import Player

RELATIONAL = ("abstractor", "corelnet")  # cores with relations to look into


def data_of(spec: Spec) -> list[Parts]:
    """The rows of the trials of a spec."""
    return [trial(spec.task, number, spec.draw) for number in spec.trials]


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are the embeddings of three cards ``(t, n, 3, d)``, which the context loads; targets are
    labels ``(t, n)``, 1 of what is called a SET.
    """
    data, embeddings = data_of(spec), embedded(spec, context).numpy()

    def of(part: str) -> Examples:
        read = zip(data, embeddings, strict=True)
        rows = (taken(getattr(one, part), cards) for one, cards in read)
        return stacked(rows, context, spec.precision)

    return of


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed.

    The weights of a trial also hold the ``embeddings`` of the cards ``(81, d)`` that it reads.
    """
    read, embeddings = examples(spec, context), embedded(spec, context)

    def weights(fitted: Fitted) -> dict[str, Tensor]:
        return fitted.parameters | {"embeddings": embeddings}

    def scores(fitted: Fitted) -> dict[str, list]:
        answers = fitted.predict(read("test").inputs).argmax(dim=-1).cpu().numpy()  # (t, n)
        each = zip(data_of(spec), answers, strict=True)
        found = by_name([accuracies(one, row) for one, row in each])
        inside = looked_into(spec, weights(fitted)) if spec.model.core in RELATIONAL else {}
        return found | inside

    return supervised(
        spec,
        context,
        read,
        lambda: build(spec.model, embeddings.shape[-1]),
        scores,
        lambda fitted: {"parameters": weights(fitted)},
    )


def embedded(spec: Spec, context: Context) -> Tensor:
    """The embeddings of the cards that each trial reads, ``(t, 81, d)``: those of one network for
    all trials, or those of a network of its own."""
    shared = "cards" in spec.parents
    roles = ["cards"] if shared else [own_role(number) for number in spec.trials]
    found = torch.stack([context.parent(spec, role)[1]["embeddings"].cpu() for role in roles])
    return found.expand(spec.trials.count, -1, -1)


def looked_into(spec: Spec, weights: State) -> dict[str, list]:
    """What the relations of each trial hold; see `inside`."""
    found = []
    for index, number in enumerate(spec.trials):
        state = {name: value[index].cpu() for name, value in weights.items()}
        found.append(inside(Player(spec, state).relations(), number))
    return by_name(found)

"""Sequences of coloured objects: sort them, report their colours, or both.

Objects are those of `sorting`, and each has a colour besides. A colour is drawn for every place of
every sequence, whatever stands there. So neither an object nor its rank tells its colour, and
colours do not tell the order. Each answer is a pair, a position of the sequence and a colour:

================= ====================================================================
task              the answer at each step
================= ====================================================================
sort              the position of the next object in ascending order, and colour 0
sort_and_report   the position of the next object in ascending order, and its colour
report            the next position from left to right, and the colour that is there
================= ====================================================================

`sort` is purely relational: the order of the objects is all that it asks. `report` is not
relational: colours are all that it asks. `sort_and_report` asks both. Its answer names the object
whose colour it tells: from colours alone a model could not know which objects it has reported.

Shapes: ``n`` sequences, ``m`` objects of a sequence, ``k`` colours, ``d`` features, ``c`` of a
colour.
"""

from typing import Literal, get_args

import numpy as np

from .sorting import argsort

Name = Literal["sort", "sort_and_report", "report"]
TASKS: tuple[Name, ...] = get_args(Name)
SORTED, TOLD = ("sort", "sort_and_report"), ("sort_and_report", "report")


def colours(generator: np.random.Generator, count: int, length: int, kinds: int) -> np.ndarray:
    """A colour for every place of every sequence, independent and uniform; ``(count, length)``.

    Of one generator, the first sequences have the same colours whatever ``count`` is.

    Raises:
        ValueError: for fewer than two colours.

    Example:
        >>> colours(np.random.default_rng(0), 2, 3, 4).shape
        (2, 3)
    """
    if kinds < 2:
        raise ValueError(f"kinds is {kinds}; expected at least 2 colours")
    return generator.integers(kinds, size=(count, length))


def painted(vectors: np.ndarray, colours: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Objects with the vector of their colour appended.

    Args:
        vectors: of the objects of each sequence, ``(n, m, d)``.
        colours: ``(n, m)``.
        palette: a vector for each colour, ``(k, c)``.

    Returns:
        ``(n, m, d + c)``.

    Raises:
        ValueError: if there is not one colour for each object.

    Example:
        >>> painted(np.zeros((1, 2, 1)), np.array([[1, 0]]), np.array([[5.0], [7.0]])).tolist()
        [[[0.0, 7.0], [0.0, 5.0]]]
    """
    if colours.shape != vectors.shape[:2]:
        raise ValueError(
            f"colours has shape {colours.shape}; expected {vectors.shape[:2]}, one for each object"
        )
    return np.concatenate([vectors, palette[colours]], axis=-1)  # (n, m, d + c)


def answers(task: Name, sequences: np.ndarray, colours: np.ndarray, kinds: int) -> np.ndarray:
    """The answers to a task, ``(n, m)`` tokens: position times ``kinds``, plus colour.

    Args:
        task: one of `TASKS`.
        sequences: numbers of the objects, which are numbered in their order, ``(n, m)``.
        colours: ``(n, m)``.
        kinds: how many colours there are.

    Raises:
        ValueError: for another task, or a colour beyond ``kinds``.

    Example:
        >>> some, blue = np.array([[30, 2, 17]]), np.array([[3, 0, 1]])
        >>> [answers(task, some, blue, 4).tolist() for task in TASKS]
        [[[4, 8, 0]], [[4, 9, 3]], [[3, 4, 9]]]
    """
    return scripted(task, sequences, colours, kinds, order=True, colour=True)


def scripted(
    task: Name,
    sequences: np.ndarray,
    colours: np.ndarray,
    kinds: int,
    *,
    order: bool,
    colour: bool,
) -> np.ndarray:
    """What a script answers that is told the order, the colours, both or neither, ``(n, m)``.

    Without the order it goes from left to right: all orders are equally likely, so no constant one
    is better. Without colours it always says the first: all are equally likely at every place.

    Raises:
        ValueError: for another task, or a colour beyond ``kinds``.

    Example:
        >>> some, blue = np.array([[30, 2, 17]]), np.array([[3, 0, 1]])
        >>> scripted("sort_and_report", some, blue, 4, order=True, colour=False).tolist()
        [[4, 8, 0]]
    """
    if task not in TASKS:
        raise ValueError(f"task is {task!r}; allowed: {', '.join(TASKS)}")
    if colours.size and not (colours.min() >= 0 and colours.max() < kinds):
        raise ValueError(
            f"colours holds {colours.min()} to {colours.max()}; expected 0 to {kinds - 1}"
        )
    places = np.broadcast_to(np.arange(sequences.shape[1]), sequences.shape)
    places = argsort(sequences) if order and task in SORTED else places  # (n, m)
    named = np.take_along_axis(colours, places, axis=1)  # (n, m)
    return places * kinds + (named if colour and task in TOLD else 0)


def counting(colours: np.ndarray, kinds: int) -> np.ndarray:
    """The colour that is said at each step by a script that knows how many objects of a sequence
    have each colour, but not which: the most frequent of those not yet told, ``(n, m)``.

    All orders of the colours are equally likely, so with these counts alone nothing is better. Of
    equally frequent ones it says the first.

    Args:
        colours: in the order in which they are to be told, ``(n, m)``.
        kinds: how many colours there are.

    Example:
        >>> counting(np.array([[0, 1, 1, 3]]), 4).tolist()
        [[1, 1, 1, 3]]
    """
    told = (colours[:, :, None] == np.arange(kinds)).astype(int)  # (n, m, k)
    left = told[:, ::-1].cumsum(axis=1)[:, ::-1]  # (n, m, k), at each step those still to come
    return left.argmax(axis=-1)

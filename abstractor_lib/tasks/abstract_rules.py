"""Four tasks of abstract rules, of objects that are numbers: only which are equal counts.

Same or different, relational match-to-sample, distribution of three, and identity rules, as Webb,
Sinha, Cohen 2021 and Kerg et al. 2022 have them. An example is a sequence of objects, a context and
perhaps choices, and one answer. No task says anything of what the objects are.

Shapes: ``b`` examples, ``m`` objects of a sequence.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Drawn = tuple[np.ndarray, np.ndarray]  # objects (b, m) and answers (b,), int64
PATTERNS = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 0]])  # ABA, ABB, AAA


@dataclass(frozen=True)
class Game:
    """A task.

    Attributes:
        length: objects ``m`` of a sequence.
        answers: how many there are to choose from.
        least: the fewest objects that examples can be drawn from.
        draw: ``draw(random, count, objects)`` gives sequences ``(b, m)`` and answers ``(b,)``. All
            answers come up equally often, but for a remainder; ``objects`` are numbers.
        blind: the accuracy of the best answer that reads neither source pair nor first row.
        counted: that of the best answer that is told of each place how often its object occurs in
            the sequence, and not where else.
    """

    length: int
    answers: int
    least: int
    draw: Callable[[np.random.Generator, int, np.ndarray], Drawn]
    blind: float
    counted: float


def same_different(random: np.random.Generator, count: int, objects: np.ndarray) -> Drawn:
    """Two objects: 1 if they are the same, 0 if not.

    Example:
        >>> pairs, answers = same_different(np.random.default_rng(0), 100, np.arange(5))
        >>> bool(((pairs[:, 0] == pairs[:, 1]) == answers).all()), int(answers.sum())
        (True, 50)
    """
    drawn = _distinct(random, count, objects, 2)
    answers = _balanced(random, count, 2)
    return np.where(answers[:, None] == 1, drawn[:, [0, 0]], drawn), answers


def match_to_sample(random: np.random.Generator, count: int, objects: np.ndarray) -> Drawn:
    """A source pair and two target pairs: which target, 0 or 1, has the source's relation?

    Of one target the two objects are the same, of the other they differ. No object is in two pairs.

    Example:
        >>> sequences, answers = match_to_sample(np.random.default_rng(0), 100, np.arange(5))
        >>> same = sequences[:, ::2] == sequences[:, 1::2]  # of source, first and second target
        >>> bool((same[np.arange(100), 1 + answers] == same[:, 0]).all())
        True
    """
    drawn = _distinct(random, count, objects, 5)
    both = random.permutation(np.arange(count) % 4)  # answers and relations, balanced together
    answers, same = both % 2, both // 2
    a, b, c, d, e = drawn.T
    source = np.stack([a, np.where(same, a, b)], axis=1)
    equal, unequal = np.stack([c, c], axis=1), np.stack([d, e], axis=1)
    like = np.where(same[:, None], equal, unequal)
    unlike = np.where(same[:, None], unequal, equal)
    first = np.where(answers[:, None] == 0, like, unlike)
    second = np.where(answers[:, None] == 0, unlike, like)
    return np.concatenate([source, first, second], axis=1), answers


def distribution_of_three(random: np.random.Generator, count: int, objects: np.ndarray) -> Drawn:
    """Three objects in a row, two of them in another, and four choices: which is missing?

    The choices are the three and a fourth object, in random order.

    Example:
        >>> sequences, answers = distribution_of_three(np.random.default_rng(0), 50, np.arange(5))
        >>> missing = sequences[np.arange(50), 5 + answers]
        >>> rows = np.concatenate([sequences[:, 3:5], missing[:, None]], axis=1)
        >>> bool((np.sort(rows) == np.sort(sequences[:, :3])).all())
        True
    """
    drawn = _distinct(random, count, objects, 4)
    row = random.permuted(drawn[:, :3], axis=1)
    context = np.concatenate([drawn[:, :3], row[:, :2]], axis=1)
    wrong = np.stack([row[:, 0], row[:, 1], drawn[:, 3]], axis=1)
    return _with_choices(random, context, row[:, 2], wrong)


def identity_rules(random: np.random.Generator, count: int, objects: np.ndarray) -> Drawn:
    """Three objects by a rule, ABA, ABB or AAA, two other ones, and four choices: which makes the
    second row follow the rule of the first?

    No object is in both rows. The choices are the four objects of both rows; by AAA, which has
    two, and two others.

    Example:
        >>> sequences, answers = identity_rules(np.random.default_rng(0), 50, np.arange(5))
        >>> rows = sequences[:, 3:5], sequences[np.arange(50), 5 + answers][:, None]
        >>> second = np.concatenate(rows, axis=1)
        >>> rule = [[len(set(row[[i, j]])) for i, j in ((0, 1), (0, 2))] for row in second]
        >>> rule == [[len(set(row[[i, j]])) for i, j in ((0, 1), (0, 2))] for row in sequences]
        True
    """
    drawn = _distinct(random, count, objects, 4)
    rule = random.permutation(np.arange(count) % len(PATTERNS))
    first = np.take_along_axis(drawn[:, :2], PATTERNS[rule], axis=1)
    second = np.take_along_axis(drawn[:, 2:], PATTERNS[rule], axis=1)
    right = second[:, 2]
    wrong = drawn[drawn != right[:, None]].reshape(count, 3)
    context = np.concatenate([first, second[:, :2]], axis=1)
    return _with_choices(random, context, right, wrong)


GAMES = {
    "same_different": Game(2, 2, 2, same_different, blind=1 / 2, counted=1),
    "match_to_sample": Game(6, 2, 5, match_to_sample, blind=1 / 2, counted=1),
    "distribution_of_three": Game(9, 4, 4, distribution_of_three, blind=1 / 2, counted=1),
    "identity_rules": Game(9, 4, 4, identity_rules, blind=2 / 3, counted=5 / 9),
}


def equalities(sequences: np.ndarray) -> np.ndarray:
    """Which objects of a sequence are equal, ``(b, m) -> (b, m (m - 1) / 2)``: all that matters.

    Example:
        >>> equalities(np.array([[7, 3, 7]])).tolist()
        [[False, True, False]]
    """
    first, second = np.triu_indices(sequences.shape[1], k=1)
    return sequences[:, first] == sequences[:, second]


def nearest(
    train: np.ndarray, answers: np.ndarray, test: np.ndarray, distances: np.ndarray
) -> np.ndarray:
    """The answer of the training sequence that looks most like each test sequence: a baseline.

    Args:
        train, answers: sequences ``(a, m)`` and their answers ``(a,)``.
        test: sequences ``(b, m)``.
        distances: of any two objects, ``(n, n)``; that of two sequences is the sum over places.

    Returns:
        ``(b,)``, the first of equally near ones.

    Example:
        >>> apart = np.abs(np.arange(5)[:, None] - np.arange(5))
        >>> nearest(np.array([[0, 0], [0, 4]]), np.array([1, 0]), np.array([[1, 3]]), apart)
        array([0])
    """
    answered = np.empty(len(test), dtype=answers.dtype)
    for k, sequence in enumerate(test):
        total = sum(distances[one][train[:, place]] for place, one in enumerate(sequence))
        answered[k] = answers[np.argmin(total)]
    return answered


def _distinct(
    random: np.random.Generator, count: int, objects: np.ndarray, many: int
) -> np.ndarray:
    """So many different objects for each of ``count`` examples, in random order."""
    if len(objects) < many:
        raise ValueError(f"objects holds {len(objects)}; expected at least {many}")
    return objects[np.argsort(random.random((count, len(objects))), axis=1)[:, :many]]


def _balanced(random: np.random.Generator, count: int, answers: int) -> np.ndarray:
    """Answers in random order, all equally often but for a remainder."""
    return random.permutation(np.arange(count) % answers)


def _with_choices(
    random: np.random.Generator, context: np.ndarray, right: np.ndarray, wrong: np.ndarray
) -> Drawn:
    """Four choices after a context: the right one at a balanced place, others in random order."""
    count = len(context)
    answers = _balanced(random, count, 4)
    choices = np.concatenate([random.permuted(wrong, axis=1), right[:, None]], axis=1)
    rows = np.arange(count)
    choices[rows, 3] = choices[rows, answers]
    choices[rows, answers] = right
    return np.concatenate([context, choices], axis=1), answers

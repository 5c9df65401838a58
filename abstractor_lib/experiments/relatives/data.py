"""Which sequences a trial trains, validates and tests on.

Objects are numbers in the trial's own order: those below ``100 - withheld`` are for training, the
others are withheld. Shapes: ``b`` sequences, ``m`` objects of a sequence.
"""

from math import perm

import numpy as np

from ...tasks.abstract_rules import GAMES, Drawn, Game
from ...tasks.randomness import generator
from .settings import Task

OBJECTS = 100
HELD_OUT = 10  # where nothing is withheld, a tenth of all first pairs is for testing
CONTEXT = 5  # objects before the choices, in distribution of three


def order(trial: int) -> np.ndarray:
    """All objects in the order in which a trial numbers them, whatever the task, ``(100,)``."""
    return generator(trial, "relatives, objects").permutation(OBJECTS)


def sequences(task: Task, trial: int, part: str) -> Drawn:
    """The sequences of ``train``, ``validation`` or ``test``, ``(b, m)``, and answers, ``(b,)``.

    Every answer comes up equally often, but for a remainder. With few objects sequences repeat,
    and those to validate on are among those to train on: they tell what was learned, not whether it
    carries over. Where distribution of three has fewer problems than there are sequences to train
    on, not counting choices, each is trained on once, with choices drawn once (Webb et al. 2021,
    A.2.3): 360 with five objects. Where no object is withheld, sequences are tested whose first two
    objects training has not seen in this order.

    Example:
        >>> task = Task("same_different", 95, 1000, 100, 100, 10)
        >>> train, test = (sequences(task, 0, part)[0] for part in ("train", "test"))
        >>> int(train.max()), int(test.min())
        (4, 5)
    """
    game, count = GAMES[task.name], getattr(task, part)
    random = generator(trial, f"relatives, {task.name}, {task.withheld}, {part}")
    if task.withheld == 0:
        return _apart(game, random, count, tested=part == "test")
    known = OBJECTS - task.withheld
    objects = np.arange(known, OBJECTS) if part == "test" else np.arange(known)
    drawn, answers = game.draw(random, count, objects)
    if task.name == "distribution_of_three" and part == "train" and 6 * perm(known, 3) <= count:
        _, first = np.unique(drawn[:, :CONTEXT], axis=0, return_index=True)
        first.sort()  # in the order in which they were drawn
        return drawn[first], answers[first]
    return drawn, answers


def held_out(drawn: np.ndarray) -> np.ndarray:
    """Whether sequences are for testing where no object is withheld, ``(b, m) -> (b,)``."""
    return (drawn[:, 0] + 2 * drawn[:, 1]) % HELD_OUT == 0  # a tenth of equal pairs too


def _apart(game: Game, random: np.random.Generator, count: int, tested: bool) -> Drawn:
    """Of all objects, sequences that are for testing, or those that are not, balanced."""
    pool, answers = game.draw(random, 2 * count * (HELD_OUT if tested else 1), np.arange(OBJECTS))
    kept = held_out(pool) == tested
    chosen = []
    for answer in range(game.answers):
        wanted = (count + game.answers - 1 - answer) // game.answers
        chosen.append(np.flatnonzero(kept & (answers == answer))[:wanted])
    rows = random.permutation(np.concatenate(chosen))
    if len(rows) < count:
        raise ValueError(f"count is {count}; {len(rows)} sequences of the pool were left")
    return pool[rows], answers[rows]

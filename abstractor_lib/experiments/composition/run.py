"""Computing one run on relations between relations.

Metrics on test examples: ``test_accuracy``, the share of answers right; ``full_sequence_accuracy``,
of examples with every answer right; ``own_accuracy``, the share right of the best answers from the
relation of the own pair alone; ``script_accuracy``, of a script that computes relations from the
objects and compares them; of the task same ``number_accuracy``, of a script that knows how many
attributes each pair shares, but not which; ``parameters``.

Shapes: ``t`` trials, ``b`` examples, ``m`` objects, ``k`` pairs, ``a`` cosines of a pair, ``f``
features of an object, ``w`` of a state, ``q`` questions about a pair, ``c`` answers to choose from.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import pairs
from ...tasks.randomness import generator
from ...training.examples import Examples, first
from ...training.objectives import correct, not_ignored
from ...training.outcome import Outcome
from ...training.sources import Generated
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import stacked, supervised
from .settings import Model, Task


class Question(NamedTuple):
    """What a task draws and asks: ``draw(random, count)`` gives cosines ``(b, k, a)``; ``answer``
    and ``guess``, from the own pair alone, map them to answers ``(b, k, q)``; ``shape`` is
    ``(q, c)``."""

    draw: Callable[[np.random.Generator, int], np.ndarray]
    answer: Callable[[np.ndarray], np.ndarray]
    guess: Callable[[np.ndarray], np.ndarray]
    shape: tuple[int, int]


def question(task: Task) -> Question:
    """Of a task, with its numbers."""
    count, attributes = task.pairs, task.attributes
    scale = partial(pairs.levels, pairs=count, steps=task.steps)
    kinds = partial(pairs.shared, pairs=count, attributes=attributes, probability=task.probability)
    spread = partial(pairs.uniform, pairs=count, attributes=attributes, least=task.least)
    above = {"threshold": task.threshold}
    return {
        "rises": Question(scale, pairs.rises, pairs.guess_rises, (1, 2)),
        "rank": Question(
            scale, pairs.rank, partial(pairs.guess_rank, steps=task.steps), (1, count)
        ),
        "same": Question(
            kinds,
            pairs.same,
            partial(pairs.guess_same, probability=task.probability),
            (count, 2),
        ),
        "alike": Question(
            spread,
            partial(pairs.alike, **above),
            partial(pairs.guess_alike, least=task.least, **above),
            (count, 2),
        ),
    }[task.name]


class Asked(nn.Module):
    """A network whose states answer questions.

    Args:
        body: ``(b, m, f) -> (b, m, w)``, or ``(b, m q c)`` of a network of all objects.
        readout: to ``m q c`` scores in all; ``nn.Identity`` for a body that gives them.
        shape: ``(m, q, c)``.

    Returns:
        ``forward(objects)``: ``(b, m, f) -> (b, m, q, c)``.
    """

    def __init__(self, body: nn.Module, readout: nn.Module, shape: tuple[int, int, int]):
        super().__init__()
        self.body, self.readout, self.shape = body, readout, shape

    def forward(self, objects: Tensor) -> Tensor:
        scores = self.readout(self.body(objects))
        return scores.reshape(*objects.shape[:-2], *self.shape)


def build(model: Model, task: Task) -> nn.Module:
    """Objects to scores of answers, ``(b, m, f) -> (b, m, q, c)``, freshly initialised."""
    objects = 2 * task.pairs
    features = task.attributes * task.dim + task.pairs + 2
    questions, choices = question(task).shape
    shape = (objects, questions, choices)
    each = questions * choices
    if not model.modules:
        sizes = [objects * features, model.hidden, model.hidden, objects * each]
        flat = nn.Sequential(nn.Flatten(-2), lib.MLP(sizes))
        return lib.initialise(Asked(flat, nn.Identity(), shape))
    width, heads = model.width, lib.Heads(model.heads)

    def encoder() -> nn.Module:
        return lib.Encoder(
            [
                lib.EncoderLayer(width, heads, model.hidden, dropout=0.0)
                for _ in range(model.layers)
            ],
            dropout=0.0,
        )

    def abstractor() -> nn.Module:
        return lib.Abstractor(
            width, heads, model.layers, symbols=objects, hidden=model.hidden, dropout=0.0
        )

    makers = {"encoder": encoder, "abstractor": abstractor}
    parts = [makers[part]() for part in model.modules]
    body = nn.Sequential(nn.Linear(features, width), *parts)
    readout: nn.Module = nn.Linear(width, each)
    if model.network is not None:
        network = lib.MLP([objects * width, model.network, objects * each])
        readout = nn.Sequential(nn.Flatten(-2), network)
    return lib.initialise(Asked(body, readout, shape))


def draw(task: Task, random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects ``(b, m, f)`` in single precision, and answers ``(b, m, q)``: both objects of a pair
    are asked the same."""
    asked = question(task)
    cosines = asked.draw(random, count)
    found = pairs.objects(random, cosines, task.dim).astype(np.float32)
    return found, np.repeat(asked.answer(cosines), 2, axis=1)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples | Generated]:
    """What the trials of a spec read and answer, by part: ``train``, new examples for each batch;
    ``validation`` and ``test``, fixed ones. All models of a seed see the same."""
    task, size = spec.task, spec.training.batch_size

    def part(name: str) -> Examples | Generated:
        if name != "train":
            return fixed(spec, name, context)
        generators = [generator(trial, "composition, train") for trial in spec.trials]
        return Generated(lambda random, _: draw(task, random, size), generators, context.device)

    return part


def fixed(spec: Spec, part: str, context: Context = HERE) -> Examples:
    """Objects ``(t, b, m, f)`` and answers ``(t, b, m, q)`` of ``validation`` or ``test``."""
    count = getattr(spec.task, part)
    generators = [generator(trial, f"composition, {part}") for trial in spec.trials]
    return stacked((draw(spec.task, random, count) for random in generators), context)


def share(given: np.ndarray, truth: np.ndarray) -> float:
    """The share of answers right; `NO_ANSWER` is left out.

    Example:
        >>> share(np.array([[0, 1], [1, 1]]), np.array([[-100, 1], [1, 0]]))
        0.6666666666666666
    """
    asked = truth != pairs.NO_ANSWER
    return float((given == truth)[asked].mean())


def scripts(task: Task, found: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """What scripts reach on the objects of one trial, ``(b, m, f)``, answers ``(b, m, q)``."""
    asked = question(task)
    cosines = pairs.relations(found.astype(float), task.attributes, task.dim)
    if not task.threshold:  # few cosines, exact but for rounding
        cosines = np.rint(cosines * 1e4) / 1e4
    answers = {"own_accuracy": asked.guess(cosines), "script_accuracy": asked.answer(cosines)}
    if task.probability:
        answers["number_accuracy"] = pairs.same_number(cosines)
    return {name: share(np.repeat(one, 2, axis=1), truth) for name, one in answers.items()}


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        test = fixed(spec, "test", context)
        outputs, targets = fitted.predict(test.inputs), first(test.targets)
        right = correct(outputs, targets) | ~not_ignored(targets)  # (t, b, m, q)
        asked = not_ignored(targets).flatten(1).sum(dim=1)
        wrong = (~right).flatten(1).sum(dim=1)
        found: dict[str, list] = {
            "test_accuracy": (1 - wrong / asked).tolist(),
            "full_sequence_accuracy": right.flatten(2).all(dim=2).float().mean(dim=1).tolist(),
            "parameters": [
                sum(one[0].numel() for one in fitted.parameters.values()) for _ in spec.trials
            ],
        }
        whole = zip(first(test.inputs).cpu().numpy(), targets.cpu().numpy(), strict=True)
        rows = [scripts(spec.task, *one) for one in whole]
        return found | {name: [row[name] for row in rows] for name in rows[0]}

    return supervised(spec, context, read, lambda: build(spec.model, spec.task), scores)

"""Computing one run of the experiment on function classes.

Shapes: ``t`` trials, ``n`` relation tensors, ``m`` objects, ``d`` features of a symbol,
``o`` answers.
"""

from collections.abc import Callable

import numpy as np
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import relations as functions
from ...tasks.randomness import generator
from ...theory import message_passing as exact
from ...training import fit as fitting
from ...training.examples import first
from ...training.fit import Examples
from ...training.outcome import FIRST_LOSSES, Outcome
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import stacked, supervised
from .settings import Model, Task


class Reader(nn.Module):
    """Abstractors that read relation tensors, and an answer for each object.

    Returns:
        ``forward(relations)``: ``(b, m, m) -> (b, m, o)``.
    """

    def __init__(self, model: Model, objects: int, outputs: int):
        super().__init__()
        dim, width = model.symbol_dim, model.width
        self.free = model.name == "free"

        def abstractor(relation: nn.Module, relations: int, layers: int = 1) -> lib.AbstractorStack:
            def layer() -> lib.AbstractorLayer:
                messages = lib.SymbolicMessagePassing(dim, relations, combine="mix")
                passing = lib.RelationalMessagePassing(relation, messages)
                return lib.AbstractorLayer(passing, lib.MLP([dim, width, width, dim]))

            symbols = lib.LearnedSymbols(objects, dim)
            return lib.AbstractorStack(symbols, [layer() for _ in range(layers)])

        def learned(dim: int) -> lib.MultiHeadRelation:
            embedder = lib.MLP([dim, width, width])
            return lib.MultiHeadRelation(
                width, model.relations, model.key_dim, embedder=embedder, activation="linear"
            )

        if self.free:
            self.abstractors = nn.ModuleList([abstractor(learned(objects), model.relations)])
        else:
            layers = 2 if model.name == "two_layers" else 1
            self.abstractors = nn.ModuleList([abstractor(lib.GivenRelation(), 1, layers)])
        for _ in range({"chain": 1, "chain_of_three": 2}.get(model.name, 0)):
            self.abstractors.append(abstractor(learned(dim), model.relations))
        self.head = nn.Linear(dim, outputs)

    def forward(self, relations: Tensor) -> Tensor:
        # free encoders see objects that hold their rows; otherwise the relations are given
        states = relations if self.free else relations.unsqueeze(-3)
        for abstractor in self.abstractors:
            states = abstractor(states)  # (b, m, d)
        return self.head(states)


def build(model: Model, task: Task) -> Reader:
    """A freshly initialised model."""
    return Reader(model, task.objects, functions.outputs(task.target, task.objects))


def draw(task: Task, number: int, part: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Relation tensors ``(n, m, m)`` and answers ``(n, m)`` of one trial and part."""
    make = functions.graded if task.target in functions.GRADED else functions.binary
    tensors = make(generator(number, part), count, task.objects)
    return tensors.astype(np.float32), functions.TARGETS[task.target](tensors)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are relation tensors ``(t, n, m, m)``; targets are answers ``(t, n, m)``.
    """

    def of(part: str) -> Examples:
        count = getattr(spec.task, part)
        return stacked((draw(spec.task, number, part, count) for number in spec.trials), context)

    return of


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    task, read = spec.task, examples(spec, context)
    if spec.model.name == "inverse":
        return inverse(spec)

    def scores(fitted: Fitted) -> dict[str, list]:
        test = read("test")
        right = fitting.correct(fitted.predict(test.inputs), first(test.targets)).double()
        known = task.target not in functions.GRADED and task.objects <= 5
        best = functions.best_from_row(task.target, task.objects) if known else None
        return {
            "accuracy": right.flatten(1).mean(dim=1).tolist(),
            "row_accuracy": [best] * spec.trials.count,
        }

    return supervised(spec, context, read, lambda: build(spec.model, task), scores)


def inverse(spec: Spec) -> Outcome:
    """Read relations back from states by least squares, symbols N(0, 1/d) drawn for each trial.

    ``error``: root mean square of the relations' error; ``amplification``: what `theory` predicts
    for these symbols, per unit of noise; ``rank`` of the symbols.
    """
    m, d = spec.task.objects, spec.model.symbol_dim
    metrics: dict[str, list] = {"error": [], "amplification": [], "rank": []}
    for number in spec.trials:
        source = generator(number, "symbols")
        symbols = source.normal(0, d**-0.5, (m, d))
        relations = functions.graded(source, 1, m)[0]
        states = relations @ symbols + spec.task.noise * source.standard_normal((m, d))
        # also where the symbols are dependent: the least-norm answer, which is then not R
        found = states @ np.linalg.pinv(symbols)
        predicted = exact.amplification(symbols)
        metrics["error"].append(float(np.sqrt(((found - relations) ** 2).mean())))
        metrics["amplification"].append(predicted if np.isfinite(predicted) else None)
        metrics["rank"].append(int(np.linalg.matrix_rank(symbols)))
    first = [max(value, 1e-9) for value in metrics["error"][:FIRST_LOSSES]]
    fingerprint = {
        "1 (scale of the relations), errors": [1.0, *metrics["error"][:FIRST_LOSSES]],
        "amplification": metrics["amplification"][:FIRST_LOSSES],
    }
    return Outcome(metrics, first, fingerprint=fingerprint)

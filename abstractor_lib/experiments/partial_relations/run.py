"""Computing one run: a sequence-to-sequence model sorts coloured objects, tells colours, or both.

Metrics on test sequences: ``full_sequence_accuracy``, all answers of a sequence right, decoding
greedily; ``elementwise_accuracy``, the share of answers right, likewise;
``teacher_forcing_accuracy``, the share of answers right after the true ones before them;
``order_accuracy``, all positions of a sequence right, whatever the colours, decoding greedily;
``colour_accuracy``, where colours are told, the share of answers that tell the colour of the
object that they name, right or wrong; ``parameters``. And the share of answers right of scripts on
the same sequences: ``order_alone_accuracy`` of one that knows the order and no colour;
``colours_alone_accuracy``, the colours and no order; ``counts_alone_accuracy``, where colours are
told, the order and how many objects have each colour, after the true answers.

Shapes: ``t`` trials, ``n`` sequences, ``m`` objects of a sequence, ``d`` features of an object.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import coloured
from ...tasks.randomness import generator
from ...training.examples import Examples, first
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..sorting import run as sorting
from ..supervised import stacked, supervised
from .settings import Model, Task


def tokens(task: Task) -> int:
    """How many answers there are; the start token is the next number."""
    return task.sequences.length * task.kinds


def build(model: Model, task: Task) -> lib.SequenceToSequence:
    """A freshly initialised model, ``(b, m, d), (b, m) -> (b, m, tokens)``: scores of each answer.
    It is the same network for every task."""
    relational: dict[str, Any] = {"symbols": task.sequences.length}
    if model.architecture == "transformer":
        relational = {}
    features = sum(task.sequences.dims) + task.colour_dim
    embed: nn.Module = nn.Linear(features, model.dim, bias=not model.strict)
    if model.strict:
        embed = lib.Embedded(embed)  # without positions
    built = lib.sequence_to_sequence(
        model.architecture,
        embed,
        nn.Embedding(tokens(task) + 1, model.dim),
        tokens(task),
        dim=model.dim,
        heads=lib.Heads(model.heads, model.key_dim, strict=model.strict),
        layers=model.layers,
        hidden=model.hidden,
        sensory=model.sensory,
        dropout=model.dropout,
        **relational,
    )
    lib.initialise(built, model.initialisation)
    return built


class Part:
    """Sequences of a trial to train, validate or test on: object numbers and colours, ``(n, m)``.

    Args:
        task, number, part: of the task, of the trial, and ``train``, ``validation`` or ``test``.
    """

    def __init__(self, task: Task, number: int, part: str):
        drawn = sorting.trial(task.sequences, number, None)
        self.task, self.sequences = task, getattr(drawn.split, part)
        random = generator(number, f"partial_relations, colours, {part}")
        self.colours = coloured.colours(random, *self.sequences.shape, task.kinds)
        random = generator(number, "partial_relations, palette")
        palette = random.standard_normal((task.kinds, task.colour_dim)).astype(np.float32)
        vectors = drawn.objects.vectors[self.sequences]
        self.sources = coloured.painted(vectors, self.colours, palette)  # (n, m, d)

    def answers(self, order: bool = True, colour: bool = True) -> np.ndarray:
        """The right ones, ``(n, m)``, or a script's that is not told the order or the colours."""
        given = (self.task.name, self.sequences, self.colours, self.task.kinds)
        return coloured.scripted(*given, order=order, colour=colour)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are objects ``(t, n, m, d)`` and the answers before each, ``(t, n, m)``; targets are
    answers ``(t, n, m)``.
    """

    def of(part: str) -> Examples:
        drawn = [Part(spec.task, number, part) for number in spec.trials]
        found = stacked(((one.sources, one.answers()) for one in drawn), context, spec.precision)
        targets = first(found.targets)
        shown = sorting.prefixes(targets, start=tokens(spec.task))
        return Examples((first(found.inputs), shown), targets)

    return of


def scores(decoded: Tensor, forced: Tensor, part: Part) -> dict[str, float]:
    """The metrics of one trial from its answers to test sequences, ``(n, m)`` each: decoded
    greedily, and after the true answers."""
    kinds, truth = part.task.kinds, part.answers()
    given = decoded.cpu().numpy()  # (n, m)
    places, told = np.divmod(given, kinds)
    found = {
        "full_sequence_accuracy": (given == truth).all(axis=1),
        "elementwise_accuracy": given == truth,
        "teacher_forcing_accuracy": forced.cpu().numpy() == truth,
        "order_accuracy": (places == truth // kinds).all(axis=1),
        "order_alone_accuracy": part.answers(colour=False) == truth,
        "colours_alone_accuracy": part.answers(order=False) == truth,
    }
    if part.task.name in coloured.TOLD:
        found["counts_alone_accuracy"] = coloured.counting(truth % kinds, kinds) == truth % kinds
        found["colour_accuracy"] = told == np.take_along_axis(part.colours, places, axis=1)
    return {name: float(hits.mean()) for name, hits in found.items()}


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def measured(fitted: Fitted) -> dict[str, list]:
        test = read("test")
        (sources, shown), rows = test.inputs, []
        for index, number in enumerate(spec.trials):
            model = build(spec.model, spec.task).to(sources.device, sources.dtype).eval()
            model.load_state_dict({name: one[index] for name, one in fitted.parameters.items()})
            answers = sorting.decoded(model, sources[index], shown[index])
            row = scores(*answers, Part(spec.task, number, "test"))
            rows.append(row | {"parameters": sum(one.numel() for one in model.parameters())})
        return by_name(rows)

    return supervised(spec, context, read, lambda: build(spec.model, spec.task), measured)

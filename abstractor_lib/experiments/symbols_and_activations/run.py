"""Computing one run: an Abstractor of some symbols, activation and depth learns a task.

Metrics: ``test_accuracy``, the share of test pairs (order) or triples (SET) right, in sorting the
share of positions right, decoding greedily; ``chance_accuracy``, of who answers without looking;
``parameters``; and in sorting ``full_sequence_accuracy`` and ``teacher_forcing_accuracy``.

Shapes: ``t`` trials, ``b`` examples, ``n`` rows, ``m`` objects, ``d`` features.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...training.examples import Examples, first
from ...training.fit import correct
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..order import run as order
from ..set import data as triples
from ..set.run import embedded
from ..sorting import run as sorting
from ..supervised import stacked, supervised
from .settings import Model, Task

CARDS = 3
CHUNK = 1000  # test sequences decoded at once


def symbols(model: Model, objects: int) -> nn.Module:
    """What gives the symbols of so many objects, as they are: nothing is added to them."""
    width = model.width
    return {
        "learned": lambda: lib.LearnedSymbols(objects, width),
        "sinusoidal": lambda: lib.SinusoidalSymbols(width),
        "relative": lambda: lib.RelativeSymbols(width, reach=objects - 1),
        "retrieved": lambda: lib.RetrievedSymbols(width, width, model.entries, model.relations),
    }[model.symbols]()


def classifier(model: Model, objects: int, features: int) -> nn.Module:
    """A classifier of so many objects, ``(b, m, d) -> (b, outputs)``: that of the experiments order
    and set, but for symbols, activation and depth."""
    abstractor = lib.PairwiseAbstractor(
        lambda: lib.MultiHeadRelation(
            model.width,
            model.relations,
            model.key_dim,
            symmetric=model.symmetric,
            bias=model.bias,
            activation=model.activation,
        ),
        relations=model.relations,
        symbols=symbols(model, objects),
        symbol_dim=model.width,
        hidden=model.hidden,
        layers=model.depth,
        dropout=model.dropout,
    )
    head = lib.MLP([objects * model.width, *model.head, model.outputs])
    return nn.Sequential(nn.Linear(features, model.width), abstractor, nn.Flatten(-2), head)


def sorter(model: Model, objects: int, features: int) -> lib.SequenceToSequence:
    """A sequence-to-sequence model, ``(b, m, d), (b, m) -> (b, m, m)``: that of the experiment
    sorting, but for symbols, activation and depth."""
    options: dict[str, Any] = {"hidden": model.hidden, "dropout": model.dropout}

    def abstractor(width: int) -> lib.Abstractor:
        return lib.Abstractor(
            width,
            lib.Heads(model.relations, model.key_dim, activation=model.activation),
            model.depth,
            symbols=symbols(model, objects),
            self_attention=True,
            **options,
        )

    return lib.sequence_to_sequence(
        "b",
        nn.Linear(features, model.width),
        nn.Embedding(model.outputs + 1, model.width),  # one token a position, and the start
        model.outputs,
        dim=model.width,
        heads=lib.Heads(model.relations, model.key_dim),
        layers={"encoder": model.around, "decoder": model.around},
        abstractor=abstractor,
        **options,
    )


def build(model: Model, task: Task, features: int) -> nn.Module:
    """The network of a task, freshly initialised.

    Args:
        features: of an object.
    """
    objects = {"order": 2, "set": CARDS, "sorting": model.outputs}[task.name]
    make = sorter if task.name == "sorting" else classifier
    return lib.initialise(make(model, objects, features), model.initialisation)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``;
    as in the experiments order, set and sorting."""
    task, numbers = spec.task, list(spec.trials)
    if task.name == "order":
        pairs = [order.trial(task.data, one, spec.draw) for one in numbers]
        return lambda part: stacked((one.examples(part) for one in pairs), context, spec.precision)
    if task.name == "set":
        rows = [triples.trial(task.data, one, spec.draw) for one in numbers]
        embeddings = embedded(spec, context).numpy()

        def read(part: str) -> Examples:
            both = zip(rows, embeddings, strict=True)
            some = (triples.taken(getattr(one, part), cards) for one, cards in both)
            return stacked(some, context, spec.precision)

        return read
    drawn = [sorting.trial(task.data, one, spec.draw) for one in numbers]

    def sequences(part: str) -> Examples:
        found = stacked((one.examples(part) for one in drawn), context, spec.precision)
        targets = first(found.targets)
        return Examples((first(found.inputs), sorting.prefixes(targets)), targets)

    return sequences


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)
    features = first(read("train").inputs).shape[-1]

    def make() -> nn.Module:
        return build(spec.model, spec.task, features)

    def scores(fitted: Fitted) -> dict[str, list]:
        test, count = read("test"), spec.trials.count
        size = {"parameters": [sum(one.numel() for one in make().parameters())] * count}
        if spec.task.name == "sorting":
            chance = {"chance_accuracy": [1 / spec.model.outputs] * count}
            model = sorter(spec.model, spec.model.outputs, features)
            each = [_sorted(model, index, fitted, test) for index in range(count)]
            return size | chance | {name: [one[name] for one in each] for name in each[0]}
        targets = first(test.targets)  # (t, n)
        right = correct(fitted.predict(test.inputs), targets)
        yes = targets.double().mean(dim=1)
        chance = {"chance_accuracy": torch.maximum(yes, 1 - yes).tolist()}
        return size | chance | {"test_accuracy": right.double().mean(dim=1).tolist()}

    return supervised(spec, context, read, make, scores)


def _sorted(
    model: lib.SequenceToSequence, index: int, fitted: Fitted, test: Examples
) -> dict[str, float]:
    """Accuracies of one trial on its test sequences, as in the experiment sorting."""
    (sources, shown), argsorts = test.inputs, first(test.targets)
    model.to(sources.device, sources.dtype).eval()
    model.load_state_dict({name: value[index] for name, value in fitted.parameters.items()})
    length = argsorts.shape[-1]
    decoded: list[Tensor] = []
    forced: list[Tensor] = []
    with torch.no_grad():
        for start in range(0, argsorts.shape[1], CHUNK):
            part = slice(start, start + CHUNK)
            source = sources[index, part]
            decoded.append(lib.greedy_decode(model, source, length, start=length))
            forced.append(model(source, shown[index, part]).argmax(dim=-1))
    right = torch.cat(decoded) == argsorts[index]  # (n, m)
    after_truth = torch.cat(forced) == argsorts[index]
    return {
        "test_accuracy": right.double().mean().item(),
        "full_sequence_accuracy": right.all(dim=-1).double().mean().item(),
        "teacher_forcing_accuracy": after_truth.double().mean().item(),
    }

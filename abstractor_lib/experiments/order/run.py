"""Computing one run of the order experiment.

Shapes: ``t`` trials, ``n`` pairs, two objects a pair, ``d`` features.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import order
from ...tasks.randomness import generator
from ...training import fit as fitting
from ...training.examples import first
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import stacked, supervised
from .settings import Model, Task


def build(model: Model, dim: int) -> nn.Module:
    """A classifier of pairs, ``(b, 2, dim) -> (b, outputs)``, freshly initialised."""
    core = model.core
    if core == "mlp":
        layers = [nn.Flatten(-2), lib.MLP([2 * dim, model.head, model.head, model.outputs])]
        return lib.initialise(nn.Sequential(*layers), model.initialisation)
    if core == "predinet":
        embed = nn.Identity()
        body = lib.PrediNet(
            2, dim, heads=model.heads, key_dim=model.key_dim, relations=model.relations
        )
        width = model.heads * model.relations
    else:
        embed = nn.Linear(dim, model.embed)
        body, width = _BODIES[core](model)
    head = lib.MLP([width, model.head, model.outputs])
    return lib.initialise(nn.Sequential(embed, body, head), model.initialisation)


def _relation(model: Model) -> nn.Module:
    if not model.project:
        return lib.PlainRelation(model.activation, model.over)
    return lib.MultiHeadRelation(
        model.embed,
        model.relations,
        model.key_dim,
        symmetric=model.symmetric,
        bias=model.bias,
        activation=model.activation,
        over=model.over,
        diagonal=model.diagonal,
    )


def _abstractor(model: Model) -> tuple[nn.Module, int]:
    v1 = model.core == "abstractor_v1"
    abstractor = lib.PairwiseAbstractor(
        lambda: _relation(model),
        relations=model.relations,
        symbols=2,
        symbol_dim=model.symbol_dim,
        hidden=None if v1 else model.hidden,
        combine="mix" if v1 else "concatenate",
        norm=model.norm,
        dropout=model.dropout,
    )
    return _flat(abstractor), 2 * model.symbol_dim


def _corelnet(model: Model) -> tuple[nn.Module, int]:
    return lib.CoRelNet(_relation(model)), 4 * model.relations


def _transformer(model: Model) -> tuple[nn.Module, int]:
    heads = lib.Heads(model.relations, model.key_dim, fused=False)  # trials are vmapped
    layer = lib.EncoderLayer(model.embed, heads, model.hidden, dropout=model.dropout)
    return _flat(lib.Encoder([layer], dropout=model.dropout)), 2 * model.embed


def _flat(body: nn.Module) -> nn.Module:
    return nn.Sequential(body, nn.Flatten(-2))


_BODIES = {
    "abstractor_v1": _abstractor,
    "abstractor_v3": _abstractor,
    "corelnet": _corelnet,
    "transformer": _transformer,
}


@dataclass
class Trial:
    """The data of one trial: objects ``(N, d)``, pairs ``(P, 2)``, labels ``(P,)`` and a split."""

    objects: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray
    split: order.Split

    def examples(self, part: str) -> tuple[np.ndarray, np.ndarray]:
        """Inputs ``(n, 2, d)`` and targets ``(n,)``."""
        chosen = getattr(self.split, part)
        return self.objects[self.pairs[chosen]], self.labels[chosen]


def trial(task: Task, number: int, draw: int | None) -> Trial:
    """The data of trial ``number``; ``draw`` sets the objects and split if trials share them.

    Raises:
        ValueError: if there are fewer than ``task.train`` pairs to train on.
    """
    source = number if draw is None else draw
    objects = order.objects(generator(source, "objects"), task.objects, task.dim)
    pairs = order.pairs(task.objects, diagonal=task.pairs == "all")
    if task.relation == "tournament":
        labels = order.beats(generator(source, "tournament"), pairs, task.objects)
    else:
        labels = order.precedes(pairs)
    split = order.split(generator(source, "split"), len(pairs), task.test, task.validation)
    if not 1 <= task.train <= len(split.train):
        raise ValueError(f"train is {task.train}; allowed: 1 to {len(split.train)} pairs")
    subset = generator(number, "subset").permutation(len(split.train))[: task.train]
    return Trial(objects, pairs, labels, split._replace(train=split.train[subset]))


def data_of(spec: Spec) -> list[Trial]:
    """The data of the trials of a spec."""
    return [trial(spec.task, number, spec.draw) for number in spec.trials]


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are pairs of objects ``(t, n, 2, d)``; targets are labels ``(t, n)``, 1 if the first
    object comes before the second.
    """
    data = data_of(spec)
    return lambda part: stacked((one.examples(part) for one in data), context, spec.precision)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        test = read("test")
        right = (
            fitting.correct(fitted.predict(test.inputs), first(test.targets)).cpu().numpy()
        )  # (t, n)
        each = [by_inference(one, hits) for one, hits in zip(data_of(spec), right, strict=True)]
        return {"test_accuracy": right.mean(axis=1).tolist(), **by_name(each)}

    return supervised(spec, context, read, lambda: build(spec.model, spec.task.dim), scores)


def by_inference(trial: Trial, right: np.ndarray) -> dict[str, float | None]:
    """Accuracy on test pairs apart, by what the training pairs say about them.

    ``reversed``: the reverse was shown; ``transitive``: a chain of shown pairs decides them;
    ``other``: neither. The closure oracle knows the first two and tosses a coin for the rest.
    ``transitive_advantage`` is transitive minus other accuracy among pairs of equal distance in
    rank, weighted by n_t n_o / (n_t + n_o): chains lead to far pairs, which are easier anyway.
    None where there is no such pair.
    """
    test, train = trial.pairs[trial.split.test], trial.split.train
    count = len(trial.objects)
    found = order.inference(test, trial.pairs[train], trial.labels[train], count)
    distinct = found.reversed | found.transitive | found.other
    known = float((found.reversed | found.transitive)[distinct].mean())
    far = np.abs(test[:, 0] - test[:, 1])
    gain, weight = 0.0, 0.0
    for distance in np.unique(far):
        chained, open_ = (part & (far == distance) for part in (found.transitive, found.other))
        if chained.any() and open_.any():
            w = chained.sum() * open_.sum() / (chained.sum() + open_.sum())
            gain += w * (right[chained].mean() - right[open_].mean())
            weight += w
    return {
        "reversed_accuracy": _mean(right[found.reversed]),
        "transitive_accuracy": _mean(right[found.transitive]),
        "other_accuracy": _mean(right[found.other]),
        "transitive_advantage": float(gain / weight) if weight else None,
        "reversed_share": float(found.reversed[distinct].mean()),
        "transitive_share": float(found.transitive[distinct].mean()),
        "closure_oracle_accuracy": known + (1 - known) / 2,
    }


def _mean(hits: np.ndarray) -> float | None:
    return float(hits.mean()) if hits.size else None

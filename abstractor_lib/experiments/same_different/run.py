"""Computing one run of the relations that are learned beforehand.

Four models are trained for each trial, one for each attribute, all of them together.

Shapes: ``t`` trials, ``n`` pairs, ``d`` features of a card, 4 attributes.
"""

import copy
from typing import NamedTuple

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec, weights_name
from ...tasks import set_triples
from ...tasks.randomness import generator
from ...tasks.set_game import ATTRIBUTES, CARDS, attributes
from ...training import fit as fitting
from ...training.examples import first
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import Context, State
from ..supervised import supervised
from .build import RandomSymbols
from .probe import of_embeddings, of_relations, probes
from .settings import Model, Task

MANY = len(ATTRIBUTES)


def build(model: Model, dim: int) -> RandomSymbols:
    """A model of one relation between two cards, freshly initialised."""
    made = RandomSymbols(
        dim,
        model.embed,
        cards=2,
        relations=1,
        key_dim=model.key_dim,
        scale=model.scale,
        symbol_dim=model.symbol_dim,
        head=(model.head,),
    )
    lib.initialise(made, model.initialisation)
    return made


class Builder:
    """Makes models for `fit`, one after the other: the four of a trial share their embedding."""

    def __init__(self, model: Model, dim: int):
        self.model, self.dim, self.made = model, dim, 0
        self.shared: nn.Linear | nn.Identity | None = None

    def __call__(self) -> RandomSymbols:
        found = build(self.model, self.dim)
        if self.shared is None or self.made % MANY == 0:
            self.shared = found.embed
        found.embed = copy.deepcopy(self.shared)
        self.made += 1
        return found


class Pairs(NamedTuple):
    """Cards ``(n, 2)`` of each part and in which attributes they agree, ``(n, 4)``."""

    cards: dict[str, np.ndarray]
    same: dict[str, np.ndarray]


def pairs(task: Task, number: int, draw: int | None) -> Pairs:
    """The pairs of a trial; ``draw`` sets them if trials share them."""
    random = generator(number if draw is None else draw, "pairs")
    counts = np.array([task.train, task.validation, task.test])
    if task.pairs == "drawn":
        cards, same = set_triples.pairs(random, int(counts.sum()))
    else:
        first, second = np.triu_indices(CARDS, k=1)
        chosen = random.permutation(len(first))[: counts.sum()]
        cards = random.permuted(np.stack([first[chosen], second[chosen]], axis=1), axis=1)
        same = (attributes(cards[:, 0]) == attributes(cards[:, 1])).astype(np.int64)
    parts = ("train", "validation", "test")
    ends = np.cumsum(counts)[:-1]
    return Pairs(
        dict(zip(parts, np.split(cards, ends), strict=True)),
        dict(zip(parts, np.split(same, ends), strict=True)),
    )


def compute(spec: Spec, context: Context) -> Outcome:
    """Learn the relations of a spec's trials; torch's default generator is the caller's to seed."""
    embeddings = context.parent(spec, "embedder")[1]["embeddings"]  # (81, d)
    data = [pairs(spec.task, number, spec.draw) for number in spec.trials]

    def examples(part: str) -> Examples:
        cards = [embeddings[one.cards[part]] for one in data for _ in ATTRIBUTES]  # (n, 2, d)
        same = [one.same[part][:, k] for one in data for k in range(MANY)]
        return Examples(torch.stack(cards), torch.from_numpy(np.stack(same))).map(
            lambda given: given.to(context.device)
        )

    def states(fitted: Fitted) -> dict[int, State]:
        """The four relations of each trial."""
        return {n: combined(fitted.parameters, at) for at, n in enumerate(spec.trials)}

    def scores(fitted: Fitted) -> dict[str, list]:
        test = examples("test")
        right = fitting.correct(fitted.predict(test.inputs), first(test.targets))  # (4 t, n)
        accuracy = right.double().mean(dim=1).view(-1, MANY)  # (t, 4)
        told = []
        for number, state in states(fitted).items():
            found = relations(spec.model, state, embeddings)
            told.append(tells(found) | passes(found, embeddings, number))
        fit = fitting.summary(fitted, spec.training)
        return {
            **{f"{name}_accuracy": accuracy[:, k].tolist() for k, name in enumerate(ATTRIBUTES)},
            "test_accuracy": accuracy.mean(dim=1).tolist(),
            **by_name(told),
            **{name: by_trial(name, values) for name, values in fit.items()},
        }

    def leaves(fitted: Fitted) -> dict:
        kept = {weights_name(number): state for number, state in states(fitted).items()}
        return {"artifacts": kept}

    build = Builder(spec.model, embeddings.shape[1])
    return supervised(spec, context, examples, build, scores, leaves)


def by_trial(name: str, values: list) -> list:
    """A metric of the fits for each trial, from those of its four models: a mean of losses and
    accuracies, and the worst of what ends a fit."""
    found = np.array(values).reshape(-1, MANY)
    if name in ("validation_loss", "validation_accuracy"):
        return found.mean(axis=1).tolist()
    return (found.min(axis=1) if name == "converged" else found.max(axis=1)).tolist()


def combined(parameters: dict[str, Tensor], index: int) -> dict[str, Tensor]:
    """Embedding and relations of a trial's four models, as those of one model of four relations."""
    mine = slice(MANY * index, MANY * (index + 1))
    found = {}
    for name, value in parameters.items():
        if name.startswith("embed"):
            found[name] = value[mine][0].cpu().clone()
        elif name.startswith("relation"):
            found[name] = value[mine].flatten(0, 1).cpu().clone()  # (4 k, ...)
    return found


@torch.no_grad()
def relations(model: Model, state: State, embeddings: Tensor) -> Tensor:
    """The four relations between all cards, before the sigmoid, ``(4, 81, 81)``; in double
    precision, so that pictures of them are the same on every processor."""
    embed = nn.Linear(embeddings.shape[1], model.embed)
    relation = lib.MultiHeadRelation(model.embed, MANY, model.key_dim, bias=True, scale=model.scale)
    relation.activation = "linear"
    both = nn.ModuleDict({"embed": embed, "relation": relation}).double()
    both.load_state_dict({name: value.double() for name, value in state.items()})
    return both["relation"](both["embed"](embeddings.double()))


TELLS = r"(?P<relation>\w+)_tells_(?P<attribute>\w+)"  # names of metrics of `tells`


def tells(relations: Tensor) -> dict[str, float]:
    """How well each relation tells, of any two different cards, whether they agree in an attribute:
    the area under the ROC curve, 0.5 for a relation that does not know. A relation may be larger
    for cards that differ, which is as good."""
    values = attributes(np.arange(CARDS))  # (81, 4)
    apart = ~np.eye(CARDS, dtype=bool)
    found = {}
    for k, name in enumerate(ATTRIBUTES):
        scores = relations[k].numpy()[apart]
        for other, attribute in enumerate(ATTRIBUTES):
            same = values[:, None, other] == values[None, :, other]
            area = float(roc_auc_score(same[apart], scores))
            found[f"{name}_tells_{attribute}"] = max(area, 1 - area)
    return found


def passes(relations: Tensor, embeddings: Tensor, number: int) -> dict[str, float]:
    """What linear probes read of attributes: off the relations, and off the embeddings."""
    found = {}
    for name, read in (
        ("relations", of_relations(relations.sigmoid().numpy())),
        ("embedding", of_embeddings(embeddings.double().numpy())),
    ):
        for what, accuracy in probes(read, generator(number, "probes")).items():
            found[f"{name}_{what}_accuracy"] = accuracy
    return found

"""Computing one run of the strict bottleneck: an Abstractor learns a task, then probes read it.

Metrics: ``test_accuracy`` (of sorting, the share of positions right, decoding greedily) and, of
sorting, ``full_sequence_accuracy``. Then accuracies of probes that are asked for an object's own
attributes: ``own_SOURCE_linear`` of logistic regressions and ``own_SOURCE_network`` of networks
that read the ``states`` of the trained model, those of an ``untrained`` one, or the ``inputs``, the
object itself; ``own_answer_linear``, of what the task itself has to know of the object;
``own_shuffled_linear``, of the trained model's states with labels shuffled where it is fitted; and
``own_chance``.

Shapes: ``t`` trials, ``n`` examples, ``m`` objects, ``d`` features, ``s`` features of a state.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...training import fit as fitting
from ...training.examples import Examples, first
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..order import run as order
from ..set import data as triples
from ..sorting import run as sorting
from ..supervised import stacked, supervised
from . import probe
from .build import build, states
from .probe import Questions

CHUNK = 1000  # examples at a time


class Data:
    """What the trials of a spec read and answer, and what their probes are asked.

    Args:
        spec: of the run.
        context: loads the embeddings of the cards.
    """

    def __init__(self, spec: Spec, context: Context = HERE):
        self.spec, self.context = spec, context
        task, self.name = spec.task.data, spec.task.name
        self.cards: np.ndarray | None = None
        if self.name == "set":
            self.cards = context.parent(spec, "cards")[1]["embeddings"].cpu().numpy()
        trial = {"order": order.trial, "set": triples.trial, "sorting": sorting.trial}[self.name]
        self.trials: list[Any] = [trial(task, number, spec.draw) for number in spec.trials]

    def examples(self, part: str) -> Examples:
        """Of ``train``, ``validation`` or ``test``, as the task's own experiment has them."""
        if self.cards is None:
            rows = (one.examples(part) for one in self.trials)
        else:
            rows = (triples.taken(getattr(one, part), self.cards) for one in self.trials)
        found = stacked(rows, self.context, self.spec.precision)
        if self.name != "sorting":
            return found
        targets = first(found.targets)
        return Examples((first(found.inputs), sorting.prefixes(targets)), targets)

    def objects(self, index: int) -> np.ndarray:
        """The features of all objects of a trial, ``(N, d)``."""
        if self.cards is not None:
            return self.cards
        given = self.trials[index].objects
        return given.vectors if self.name == "sorting" else given

    def questions(self) -> list[Questions]:
        """What the probes of each trial are asked."""
        task, probing = self.spec.task.data, self.spec.task.probing
        found = []
        for index, number in enumerate(self.spec.trials):
            random = generator(number, f"strict_bottleneck, {self.name}, probes")
            if self.name == "order":
                found.append(probe.of_order(random, task.objects, probing))
            elif self.name == "set":
                found.append(probe.of_set(random, number, probing))
            else:
                attributes = self.trials[index].objects.attributes
                found.append(probe.of_sorting(random, number, attributes, task.length, probing))
        return found

    def build(self) -> nn.Module:
        """A freshly initialised model."""
        alone = self.spec.trials.count == 1
        dim = self.objects(0).shape[1]
        return build(self.spec.model, self.spec.task, dim, fused=alone)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train, test and probe the trials of a spec; torch's default generator is the caller's to
    seed."""
    data = Data(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        return {**accuracies(data, fitted), **probed(data, trained(data, fitted))}

    return supervised(spec, context, data.examples, data.build, scores)


def trained(data: Data, fitted: Fitted) -> list[nn.Module]:
    """The trained model of each trial."""
    models = []
    for index in range(data.spec.trials.count):
        with torch.random.fork_rng():  # its initial weights are not kept
            model = data.build().to(data.context.device)
        model.load_state_dict({name: value[index] for name, value in fitted.parameters.items()})
        models.append(model.eval())
    return models


def accuracies(data: Data, fitted: Fitted) -> dict[str, list]:
    """On test examples, of each trial."""
    test = data.examples("test")
    if data.name == "order":
        right = fitting.correct(fitted.predict(test.inputs), first(test.targets))  # (t, n)
        return {"test_accuracy": right.double().mean(dim=1).tolist()}
    if data.name == "set":
        answers = fitted.predict(test.inputs, CHUNK).argmax(dim=-1)  # (t, n)
        right = answers.eq(first(test.targets))
        return {"test_accuracy": right.double().mean(dim=1).tolist()}
    length, found = data.spec.task.data.length, []
    for index, model in enumerate(trained(data, fitted)):
        assert isinstance(model, lib.SequenceToSequence)
        sources, wanted = test.inputs[0][index], first(test.targets)[index]
        with torch.no_grad():
            parts = [
                lib.greedy_decode(model, s, length, start=length) for s in sources.split(CHUNK)
            ]
        right = torch.cat(parts) == wanted  # (n, m)
        found.append(
            {
                "test_accuracy": right.double().mean().item(),
                "full_sequence_accuracy": right.all(dim=-1).double().mean().item(),
            }
        )
    return by_name(found)


@torch.no_grad()
def first_states(model: nn.Module, objects: np.ndarray, chosen: np.ndarray, device: str):
    """The abstract state of the first object of each example, ``(n, m) -> (n, s)``."""
    inputs = torch.from_numpy(objects[chosen]).to(device, torch.float32)  # (n, m, d)
    parts: list[Tensor] = [states(model, some)[:, 0] for some in inputs.split(CHUNK)]
    return torch.cat(parts).cpu().double().numpy()


def probed(data: Data, models: list[nn.Module]) -> dict[str, list]:
    """What probes read of an object's own attributes; see the module."""
    questions, device = data.questions(), data.context.device
    untrained = [data.build().to(device).eval() for _ in models]

    def read(some: list[nn.Module]) -> list[np.ndarray]:
        each = zip(some, questions, strict=True)
        return [
            first_states(model, data.objects(index), one.objects, device)
            for index, (model, one) in enumerate(each)
        ]

    sources: dict[str, list[np.ndarray]] = {"states": read(models), "untrained": read(untrained)}
    inputs = [data.objects(i)[one.objects[:, 0]] for i, one in enumerate(questions)]
    sources["inputs"] = [one.astype(np.float64) for one in inputs]
    found: dict[str, list] = {}
    for name, features in sources.items():
        found[f"own_{name}_linear"] = _each(probe.linear, features, questions)
        found[f"own_{name}_network"] = probe.network(features, questions, data.spec.task.probing)
    answers = [one.answer.astype(np.float64) for one in questions]
    found["own_answer_linear"] = _each(probe.linear, answers, questions)
    mixed = [
        shuffled(one, generator(number, "strict_bottleneck, shuffled labels"))
        for number, one in zip(data.spec.trials, questions, strict=True)
    ]
    found["own_shuffled_linear"] = _each(probe.linear, sources["states"], mixed)
    found["own_chance"] = [probe.chance(one) for one in questions]
    return found


def shuffled(questions: Questions, random: np.random.Generator) -> Questions:
    """The same with the labels in random order where probes are fitted."""
    fitted, labels = questions.sizes[0], questions.labels.copy()
    labels[:fitted] = labels[random.permutation(fitted)]
    return questions._replace(labels=labels)


def _each(probe: Callable, features: list[np.ndarray], questions: list[Questions]) -> list[float]:
    return [probe(*one) for one in zip(features, questions, strict=True)]

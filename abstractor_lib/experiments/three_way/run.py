"""Computing one run on relations of three objects.

Shapes: ``t`` trials, ``b`` examples, ``n`` objects, ``d`` features.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import three_way
from ...tasks.randomness import generator
from ...training.examples import Examples
from ...training.outcome import Outcome
from ...training.sources import Generated
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import supervised
from .settings import Model, Task


def build(model: Model, task: Task) -> nn.Module:
    """Objects to the logit of a yes for each, ``(b, n)`` or ``(b, n, dim) -> (b, n, 1)``, freshly
    initialised."""
    simplicial: dict[str, Any] = {}
    if model.logits is not None:
        simplicial = {"simplicial_heads": 1, "simplicial_dim": model.simplicial_dim}
        simplicial["logits"] = model.logits
    embed = {
        "match3": lambda: nn.Embedding(task.modulus, model.dim),
        "coplanar": lambda: nn.Linear(task.dim, model.dim),
    }[task.name]()
    key_dim = model.dim // model.heads
    block = lib.SimplicialBlock(model.dim, model.heads, key_dim, model.hidden, **simplicial)
    layers = lib.SimplicialTransformer(block, model.layers, sharing="none")
    return nn.Sequential(embed, layers, lib.MLP([model.dim, model.dim, 1]))


def draw(task: Task, random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects and labels of so many examples, numbers as int64 and vectors in single precision."""
    if task.name == "match3":
        return three_way.match3(random, count, task.objects, task.modulus)
    vectors, labels = three_way.coplanar(random, count, task.objects, task.dim)
    return vectors.astype(np.float32), labels


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples | Generated]:
    """What the trials of a spec read and answer, by part: ``train``, new examples for each batch;
    ``validation`` and ``test``, fixed ones."""
    task, size = spec.task, spec.training.batch_size

    def part(name: str) -> Examples | Generated:
        if name != "train":
            return Examples(*fixed(spec, name, context))
        generators = [generator(trial, f"three_way, {name}") for trial in spec.trials]
        return Generated(lambda random, _: draw(task, random, size), generators, context.device)

    return part


def fixed(spec: Spec, part: str, context: Context) -> tuple[Tensor, Tensor]:
    """Objects and labels of ``validation`` or ``test``, ``(t, b, ...)``."""
    generators = [generator(trial, f"three_way, {part}") for trial in spec.trials]
    drawn = [draw(spec.task, random, getattr(spec.task, part)) for random in generators]
    inputs, targets = (torch.from_numpy(np.stack(one)) for one in zip(*drawn, strict=True))
    return inputs.to(context.device), targets.to(context.device)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        inputs, targets = fixed(spec, "test", context)
        outputs = fitted.predict(inputs).squeeze(-1).cpu()  # (t, b, n)
        found = {
            "test_auc": [area(*one) for one in zip(targets, outputs, strict=True)],
            "within_auc": [within(*one) for one in zip(targets, outputs, strict=True)],
            "test_accuracy": ((outputs > 0) == targets.cpu()).float().mean((1, 2)).tolist(),
            "constant_accuracy": [max(float(y), 1 - float(y)) for y in _shares(targets)],
        }
        script = {"coplanar": three_way.closest, "match3": three_way.distinct}[spec.task.name]
        guesses = torch.from_numpy(script(inputs.cpu().double().numpy()))
        found["script_auc"] = [area(*one) for one in zip(targets, guesses, strict=True)]
        return found

    return supervised(spec, context, read, lambda: build(spec.model, spec.task), scores)


def area(labels: Tensor, scores: Tensor) -> float:
    """Area under the ROC curve: how often an object of a triple scores higher than one of none."""
    return float(roc_auc_score(labels.cpu().flatten(), scores.flatten()))


def within(labels: Tensor, scores: Tensor) -> float:
    """The mean over examples of the area under the ROC curve of each; examples in which all objects
    have the same label are left out.

    Example:
        >>> labels = torch.tensor([[1, 0, 0], [1, 1, 1]])
        >>> within(labels, torch.tensor([[2.0, 1, 3], [0, 0, 0]]))
        0.5
    """
    yes = labels.cpu().bool()
    ahead = scores.cpu()[:, :, None] - scores.cpu()[:, None, :]  # (b, n, n)
    pairs = yes[:, :, None] & ~yes[:, None, :]
    won = ((ahead > 0).double() + (ahead == 0).double() / 2) * pairs
    counts = pairs.sum(dim=(1, 2))
    return float((won.sum(dim=(1, 2)) / counts)[counts > 0].mean())


def _shares(labels: Tensor) -> Tensor:
    return labels.double().mean(dim=(1, 2))

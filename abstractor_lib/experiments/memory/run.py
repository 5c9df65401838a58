"""Computing one run of the memory experiment.

Shapes: ``n`` keys, ``b`` test examples, ``d`` features, ``o`` values of a label.
"""

import warnings
from typing import NamedTuple

import numpy as np
import torch
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from torch import Tensor

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...training.minimise import minimise
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..context import Context
from .settings import Fit, Task

CERTAIN = 3  # losses of the fingerprint


class Data(NamedTuple):
    """Keys ``(n, d)`` with labels ``(n, o)``, and test examples with theirs."""

    keys: Tensor
    labels: Tensor
    x: Tensor
    answers: Tensor


def load(task: Task, trial: int) -> Data:
    """A random split; numbers to predict are standardised, classes one-hot.

    Raises:
        ValueError: if the data set has too few examples.
    """
    found = getattr(datasets, f"load_{task.dataset}")()
    order = generator(trial, "split").permutation(len(found.data))
    test, rest = np.split(order, [task.test])
    if not 10 <= task.train <= task.keys <= len(rest):
        raise ValueError(
            f"train is {task.train}, keys {task.keys}; expected 10 <= train <= keys <= {len(rest)}"
        )
    used = rest[: task.keys]
    if task.dataset == "digits":
        x, y = found.data / 8.0, np.eye(10)[found.target]  # pixels are 0 to 16
    else:
        first = rest[: task.train]  # what is known when the relation is learned
        x = (found.data - found.data[first].mean(axis=0)) / found.data[first].std(axis=0)
        y = (found.target - found.target[first].mean()) / found.target[first].std()
        y = y[:, None]
    return Data(*(torch.from_numpy(part) for part in (x[used], y[used], x[test], y[test])))


def score(task: Task, prediction: Tensor, answers: Tensor) -> float:
    """Share of the variance explained (R^2), or of the classes that are right."""
    if task.dataset == "digits":
        return (prediction.argmax(dim=1) == answers.argmax(dim=1)).double().mean().item()
    return 1 - ((prediction - answers).square().mean() / answers.var(correction=0)).item()


def loss(task: Task, prediction: Tensor, answers: Tensor) -> Tensor:
    """Square error, or cross-entropy of the shares that classes get."""
    if task.dataset == "digits":
        return -(prediction * answers).sum(dim=1).clamp_min(1e-9).log().mean()
    return (prediction - answers).square().mean()


def compute(spec: Spec, context: Context) -> Outcome:
    """Learn and test the trials of a spec; torch's default generator is the caller's to seed."""
    each = [one_trial(spec, load(spec.task, trial), context) for trial in spec.trials]
    metrics = by_name([found.metrics for found in each])
    first = each[0].losses or [max(abs(value), 1e-9) for value in metrics["score"]]
    fingerprint = {"1 (the best score), scores": [1.0, *metrics["score"][:FIRST_LOSSES]]}
    if each[0].losses:  # later ones may be those of an optimum, where rounding decides when to end
        fingerprint = {"first losses": each[0].losses[:CERTAIN]}
    parameters = {
        name: torch.stack([found.state[name] for found in each]) for name in each[0].state
    }
    return Outcome(metrics, first[:FIRST_LOSSES], {}, parameters, fingerprint)


class Found(NamedTuple):
    """Metrics of a trial, its first losses and the weights of its relation, if any are learned."""

    metrics: dict[str, float]
    losses: list[float]
    state: dict[str, Tensor]


def one_trial(spec: Spec, data: Data, context: Context) -> Found:
    """Learn and test one trial.

    Among its metrics ``parameters`` are numbers learned, ``stored`` numbers held in memory;
    ``difference`` (Gaussian relation) is the largest from kernel regression as scikit-learn's
    kernel gives it.
    """
    task = spec.task
    data = Data(*(part.to(context.device) for part in data))
    stored = data.keys.numel() + data.labels.numel()
    if spec.model.name in ("neighbours", "linear"):
        found, parameters = baseline(spec, data)
        stored = stored if spec.model.name == "neighbours" else 0
        metrics = {
            "score": score(task, found, data.answers),
            "parameters": parameters,
            "stored": stored,
        }
        return Found(_numbers(metrics), [], {})
    memory, seen = learn(spec, data.keys[: task.train], data.labels[: task.train], context.limit)
    with torch.no_grad():
        found = memory(data.x, data.keys, data.labels)
    metrics = {
        "score": score(task, found, data.answers),
        "parameters": sum(part.numel() for part in memory.parameters()),
        "stored": stored,
    }
    if spec.model.name == "gaussian":
        # sum_j K(x, x_j) y_j / sum_j K(x, x_j)   (Nadaraya 1964, Watson 1964)
        width = memory.log_bandwidth.exp().item()
        kernel = rbf_kernel(data.x.cpu(), data.keys.cpu(), gamma=1 / (2 * width**2))
        known = kernel @ data.labels.cpu().numpy() / kernel.sum(axis=1, keepdims=True)
        metrics["difference"] = np.abs(found.cpu().numpy() - known).max()
    return Found(_numbers(metrics), seen, memory.state_dict())


def _numbers(metrics: dict) -> dict[str, float]:
    return {name: float(value) for name, value in metrics.items()}


def learn(
    spec: Spec, keys: Tensor, labels: Tensor, limit: int | None
) -> tuple[lib.RelationalMemory, list[float]]:
    """A memory whose relation has been learned from its keys, and the first losses.

    ``limit`` shortens the last fit alone: the penalty is chosen as ever.
    """
    fit: Fit = spec.training
    state = fresh(spec, keys).state_dict()  # one start for all penalties

    def trained(
        rows: slice, penalty: float, updates: int
    ) -> tuple[lib.RelationalMemory, list[float]]:
        memory = fresh(spec, keys)
        memory.load_state_dict(state)
        x, y = keys[rows], labels[rows]

        def total() -> Tensor:
            weights = [part for part in memory.parameters() if part.dim() > 1]
            squares = sum((part.square().sum() for part in weights), torch.zeros(()).to(x))
            return loss(spec.task, memory(x, x, y, leave_out=True), y) + penalty * squares

        return memory, minimise(memory.parameters(), total, updates)

    penalty = 0.0
    if spec.model.name != "gaussian":
        part = slice(0, len(keys) * 4 // 5)
        rest = slice(part.stop, None)

        def validated(penalty: float) -> float:
            memory, _ = trained(part, penalty, fit.updates)
            with torch.no_grad():
                found = memory(keys[rest], keys[part], labels[part])
                return loss(spec.task, found, labels[rest]).item()

        penalty = min(fit.penalties, key=validated)
    updates = fit.updates if limit is None else min(limit, fit.updates)
    memory, seen = trained(slice(None), penalty, updates)
    return memory, seen[:FIRST_LOSSES]


def fresh(spec: Spec, keys: Tensor) -> lib.RelationalMemory:
    """An untrained memory: unit bandwidth in every feature that a relation has, or nearly."""
    dim, model = keys.shape[1], spec.model
    memory = lib.RelationalMemory(dim, model.key_dim or dim, model.name).to(keys)
    if model.name == "gaussian":
        torch.nn.init.constant_(memory.log_bandwidth, np.log(2.0))
        return memory
    torch.nn.init.orthogonal_(memory.query.weight, gain=0.5)
    if memory.key is not None:  # a symmetric relation to start from
        memory.key.weight.data.copy_(memory.query.weight)
    return memory


def baseline(spec: Spec, data: Data) -> tuple[Tensor, int]:
    """Predictions of scikit-learn's estimators, and how many numbers they learn."""
    keys, labels, x = (part.cpu().numpy() for part in data[:3])
    classes = spec.task.dataset == "digits"
    target = labels.argmax(axis=1) if classes else labels[:, 0]
    if spec.model.name == "neighbours":
        few = {"n_neighbors": [1, 3, 5, 10] if classes else [3, 5, 10, 20]}
        kind = KNeighborsClassifier() if classes else KNeighborsRegressor()
        with warnings.catch_warnings():  # of ten digits on few keys some appear once or twice
            warnings.simplefilter("ignore", UserWarning)
            found = GridSearchCV(kind, few, cv=3).fit(keys, target)
        parameters = 0
    else:
        penalties = np.logspace(-3, 3, 13)
        found = LogisticRegression(max_iter=2000) if classes else RidgeCV(penalties)
        found.fit(keys, target)
        parameters = np.asarray(found.coef_).size + np.size(found.intercept_)
    predicted = found.predict(x)
    if classes:
        return torch.from_numpy(np.eye(10)[predicted]).to(data.x), parameters
    return torch.from_numpy(predicted[:, None]).to(data.x), parameters

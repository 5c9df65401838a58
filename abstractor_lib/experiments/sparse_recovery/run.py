"""Computing one run of the sparse recovery experiment.

Shapes: symbols S ``(d, m)``; ``R`` states ``(R, d)`` and their relations ``(R, m)``.
"""

import warnings
from typing import NamedTuple

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...records.spec import Spec
from ...tasks.randomness import generator
from ...theory.corruption import corrupt
from ...theory.least_absolute import Solution, least_absolute_deviations
from ...theory.recovery import EXACT, SparseRobustRelationRecovery, pivotal_penalty
from ...training.outcome import FIRST_LOSSES, Outcome, mean_over
from .settings import Task

CLIP = 4.0  # median absolute values, at which corrupted states are cut


class Data(NamedTuple):
    """Symbols ``(d, m)``, relations ``(R, m)``, states ``(R, d)`` as they were and corrupted."""

    symbols: np.ndarray
    relations: np.ndarray
    states: np.ndarray
    corrupted: np.ndarray


def draw(task: Task, trial: int) -> Data:
    """The data of a trial. Two tasks that differ in errors or noise alone share the rest.

    Raises:
        ValueError: for more nonzero entries than there are.
    """
    if not 1 <= task.nonzeros <= task.columns:
        raise ValueError(f"nonzeros is {task.nonzeros}; expected 1 to {task.columns}")
    symbols = generator(trial, "symbols").standard_normal((task.rows, task.columns))
    random = generator(trial, "relations")
    where = random.random((task.relations, task.columns)).argsort(axis=1)[:, : task.nonzeros]
    relations = np.zeros((task.relations, task.columns))
    weights = random.dirichlet(np.ones(task.nonzeros), task.relations)
    np.put_along_axis(relations, where, weights, axis=1)
    states = relations @ symbols.T
    random = generator(trial, "errors")
    corrupted = corrupt(task.corruption, symbols, relations, task.errors, random)
    size = np.sqrt((states**2).mean())
    noise = task.noise * size * generator(trial, "noise").standard_normal(states.shape)
    return Data(symbols, relations, states, corrupted + noise)


def compute(spec: Spec, limit: int | None = None, device: str = "cpu") -> Outcome:
    """The trials of a spec. ``limit`` asks for the first of them alone."""
    some = list(spec.trials)[: None if limit is None else 1]
    one = recover if spec.model.name == "recovery" else predict
    found = [one(spec, trial, device) for trial in some]
    return Outcome(mean_over([metrics for metrics, _ in found]), found[0][1])


def recover(spec: Spec, trial: int, device: str) -> tuple[dict, list[float]]:
    """Share of the relations that come back to `EXACT`, median error |r^ - r| and median
    norm |r|, share of the nonzero entries found and of those found that are there, and the penalty
    as a multiple of the pivotal one."""
    data = draw(spec.task, trial)
    found, multiple = solve(spec, data, device)
    wrong = found.coefficients.numpy() - data.relations
    seen, there = np.abs(found.coefficients.numpy()) > EXACT, data.relations > EXACT
    metrics = {
        "recovered": float((np.abs(wrong).max(axis=1) <= EXACT).mean()),
        "error": float(np.median(np.linalg.norm(wrong, axis=1))),
        "norm": float(np.median(np.linalg.norm(data.relations, axis=1))),
        "found": float((seen & there).sum() / there.sum()),
        "right": float((seen & there).sum() / max(seen.sum(), 1)),
        "penalty": multiple,
        "worst_gap": found.relative_gap.max().item(),
    }
    return metrics, found.objective[:FIRST_LOSSES].tolist()


def solve(spec: Spec, data: Data, device: str = "cpu") -> tuple[Solution, float]:
    """r = argmin_u || a - S u ||_1 + lambda || u ||_1 for each state a (v1 eq. 3.16), and lambda as
    a multiple of the pivotal penalty."""
    pivot, multiple = pivotal_penalty(data.symbols), spec.model.multiple
    if not multiple:
        chosen = SparseRobustRelationRecovery("cv").fit(data.symbols, data.corrupted.T)
        multiple = chosen.penalty_ / pivot
    found = least_absolute_deviations(
        torch.from_numpy(data.symbols).to(device),
        torch.from_numpy(data.corrupted).to(device),
        multiple * pivot,
        tolerance=spec.training.tolerance,
        iterations=spec.training.updates,
    )
    return Solution(*(part.cpu() for part in found)), multiple


def predict(spec: Spec, trial: int, device: str) -> tuple[dict, list[float]]:
    """R^2 on a third of the examples, of a linear and a nonlinear property of the relations.

    ``linear``: <w, r> for random w, by ridge regression. ``network``: the same by a network.
    ``nonlinear``: the larger of two such, by a network.
    """
    task = spec.task
    data = draw(task, trial)
    inputs = seen(spec, data, device)
    weights = generator(trial, "property").standard_normal((task.columns, 2))
    properties = data.relations @ weights
    targets = {"linear": properties[:, 0], "nonlinear": properties.max(axis=1)}
    cut = len(inputs) * 2 // 3

    def score(model, target: np.ndarray) -> float:
        scaled = (target - target[:cut].mean()) / target[:cut].std()
        whole = make_pipeline(StandardScaler(), model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            whole.fit(inputs[:cut], scaled[:cut])
        return float(r2_score(scaled[cut:], whole.predict(inputs[cut:])))

    metrics = {
        "linear": score(RidgeCV(np.logspace(-4, 4, 17)), targets["linear"]),
        "network": score(network(trial), targets["linear"]),
        "nonlinear": score(network(trial), targets["nonlinear"]),
    }
    return metrics, np.abs(inputs[:FIRST_LOSSES]).sum(axis=1).tolist()


def seen(spec: Spec, data: Data, device: str) -> np.ndarray:
    """What a predictor is given, ``(R, m)`` or ``(R, d)``.

    Gross errors in states are cut, and what is recovered is put where relations are, in [0, 1]: a
    predictor that trips over outliers would say nothing about what the states hold.
    """
    kind = spec.model.name.removeprefix("predicting_")
    if kind == "corrupted":
        bound = CLIP * np.median(np.abs(data.corrupted))
        return data.corrupted.clip(-bound, bound)
    if kind != "recovered":
        return getattr(data, kind)
    dense = spec.task.columns <= spec.task.rows
    found = least_absolute_deviations(
        torch.from_numpy(data.symbols).to(device),
        torch.from_numpy(data.corrupted).to(device),
        0.0 if dense else spec.model.multiple * pivotal_penalty(data.symbols),
        tolerance=1e-6,
        iterations=spec.training.updates,
    )
    return found.coefficients.cpu().numpy().round(6).clip(0, 1)


def network(trial: int) -> MLPRegressor:
    """One hidden layer, early stopping."""
    return MLPRegressor(
        hidden_layer_sizes=(64,),
        alpha=1e-3,
        early_stopping=True,
        n_iter_no_change=20,
        max_iter=500,
        random_state=trial,
    )

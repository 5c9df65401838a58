"""Computing one run of the sparse recovery experiment.

Shapes: symbols S ``(d, m)``; ``R`` states ``(R, d)`` and their relations ``(R, m)``.
"""

import warnings

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
from ...theory.least_absolute import Solution, least_absolute_deviations
from ...theory.recovery import EXACT, SparseRobustRelationRecovery, pivotal_penalty
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..context import Context
from ..robust_recovery.run import Found, known_by
from .data import Data, draw
from .settings import GIVEN, Model


def compute(spec: Spec, context: Context) -> Outcome:
    """The trials of a spec; for its first numbers the first of them alone."""
    some = list(spec.trials)[: 1 if context.first_numbers else None]
    one = recover if spec.model.name == "recovery" else predict
    found = [one(spec, trial, context) for trial in some]
    metrics = by_name([one.metrics for one in found])
    return Outcome(metrics, found[0].first, fingerprint=found[0].fingerprint)


def recover(spec: Spec, trial: int, context: Context) -> Found:
    """Share of the relations that come back to `EXACT`, median error |r^ - r| and median
    norm |r|, share of the nonzero entries found and of those found that are there, and the penalty
    as a multiple of the pivotal one."""
    data = draw(spec.task, trial)
    found, multiple = solve(spec, data, context.device)
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
    first = found.objective[:FIRST_LOSSES].tolist()
    return Found(metrics, first, known_by(found, data.relations, data.corrupted))


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


def predict(spec: Spec, trial: int, context: Context) -> Found:
    """R^2 on a third of the examples, of a linear and a nonlinear property of the relations.

    ``linear``: <w, r> for random w, by ridge regression. ``network``: the same by a network.
    ``nonlinear``: the larger of two such, by a network.
    """
    task = spec.task
    data = draw(task, trial)
    inputs = seen(spec, data, context.device)
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

    metrics = {"linear": score(RidgeCV(np.logspace(-4, 4, 17)), targets["linear"])}
    first = np.abs(inputs[:FIRST_LOSSES]).sum(axis=1).tolist()
    known = {"inputs": first, "1 (the best R2), linear": [1.0, metrics["linear"]]}
    if not context.first_numbers:
        metrics["network"] = score(network(spec.model, trial), targets["linear"])
        metrics["nonlinear"] = score(network(spec.model, trial), targets["nonlinear"])
    return Found(metrics, first, known)


def seen(spec: Spec, data: Data, device: str) -> np.ndarray:
    """What a predictor is given, ``(R, m)`` or ``(R, d)``.

    Gross errors in states are cut, and what is recovered is put where relations are, in [0, 1]: a
    predictor that trips over outliers would say nothing about what the states hold.
    """
    kind = GIVEN[spec.model.name]
    if kind == "corrupted":
        bound = spec.model.cut * np.median(np.abs(data.corrupted))
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


def network(model: Model, trial: int) -> MLPRegressor:
    """One hidden layer, early stopping."""
    return MLPRegressor(
        hidden_layer_sizes=(model.hidden,),
        alpha=model.decay,
        early_stopping=True,
        n_iter_no_change=model.patience,
        max_iter=model.epochs,
        random_state=trial,
    )

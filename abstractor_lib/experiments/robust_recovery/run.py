"""Computing one run of the robust recovery experiment.

Shapes: symbols S ``(d, m)``; ``R`` states ``(R, d)`` and their relations ``(R, m)``.
"""

from typing import NamedTuple

import numpy as np
import torch

from ...records.spec import Parent, Spec
from ...tasks.randomness import generator
from ...theory.conditions import conditions
from ...theory.corruption import INDEPENDENT, corrupt, resize
from ...theory.least_absolute import Solution, least_absolute_deviations
from ...theory.recovery import EXACT
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..context import Context, State
from ..order import inspect as order
from ..sorting import inspect as sorting
from .settings import Solver, Task


def compute(spec: Spec, context: Context) -> Outcome:
    """The trials of a spec; for its first numbers the first of them alone."""
    some = list(spec.trials)[: 1 if context.first_numbers else None]
    parent = context.parent(spec, "symbols") if spec.parents else None
    found = [one_trial(spec, trial, context, parent) for trial in some]
    metrics = by_name([one.metrics for one in found])
    return Outcome(metrics, found[0].first, fingerprint=found[0].fingerprint)


class Found(NamedTuple):
    """Metrics of a trial, its first numbers, and what an audit on another machine compares."""

    metrics: dict[str, float]
    first: list[float]
    fingerprint: dict[str, list[float]]


def one_trial(
    spec: Spec, trial: int, context: Context, parent: tuple[Parent, State] | None
) -> Found:
    """Compute one trial."""
    blocks = problems(spec.task, trial, parent)
    if spec.model.name == "conditions":
        (symbols, _), *_ = blocks
        found = conditions(symbols, seed=trial)
        metrics = {
            "sigma_fixed": found.sigma_fixed,
            "sigma_low": found.sigma.low,
            "sigma_high": found.sigma.high,
            "kappa_low_low": found.kappa_low.low,
            "kappa_low_high": found.kappa_low.high,
            "kappa_high": found.kappa_high,
        }
        numbers = list(metrics.values())
        return Found(metrics, numbers, {"conditions": numbers})
    random, task = generator(trial, "errors"), spec.task
    if spec.model.name == "invariance":
        return invariance(spec, blocks[0], random, context)
    solved = []
    for symbols, relations in blocks:
        states = corrupt(task.corruption, symbols, relations, task.errors, random)
        if spec.model.name == "certificates":
            states += 0.1 * random.standard_normal(states.shape)
        found = solve(symbols, states, spec.training, context.device)
        solved.append((symbols, relations, states, found))
    symbols, relations, states, found = solved[0]
    first = found.objective[:FIRST_LOSSES].tolist()
    metrics = certificates(*solved[0]) if spec.model.name == "certificates" else recovery(solved)
    clean = np.abs(relations[:FIRST_LOSSES] @ symbols.T).sum(axis=1)
    known = {"states before errors": clean.tolist()}
    if not task.adversary:  # where rounding decides what is tried next
        known |= known_by(found, relations, states)
    return Found(metrics, first, known)


def known_by(
    solution: Solution, relations: np.ndarray, states: np.ndarray
) -> dict[str, list[float]]:
    """What solutions are known by on any machine: weighted sums of the relations, true and found,
    and the states and what is left of them. Each stands beside numbers of its scale: where
    relations are zero, or states are met exactly, nothing but rounding is found."""
    some = slice(FIRST_LOSSES)
    ramp = np.arange(1, relations.shape[1] + 1) / relations.shape[1]
    true, mine = relations[some] @ ramp, solution.coefficients[some].numpy() @ ramp
    sizes, left = np.abs(states[some]).sum(axis=1), solution.objective[some].numpy()
    return {
        "relations, true and found": [*true.tolist(), *mine.tolist()],
        "states and what is left of them": [*sizes.tolist(), *left.tolist()],
    }


def solve(symbols: np.ndarray, states: np.ndarray, solver: Solver, device: str) -> Solution:
    """r = argmin_u || a - S u ||_1 for each state a (v1 eq. 3.10)."""
    found = least_absolute_deviations(
        torch.from_numpy(symbols).to(device),
        torch.from_numpy(states).to(device),
        tolerance=solver.tolerance,
        iterations=solver.updates,
    )
    return Solution(*(part.cpu() for part in found))


def recovery(solved: list[tuple[np.ndarray, np.ndarray, np.ndarray, Solution]]) -> dict:
    """Share of the relations that come back to `EXACT`, and median errors |r^ - r| / |r|, of least
    absolute deviations and (``squares_``) of least squares."""
    missed, squares, gaps = [], [], []
    for symbols, relations, states, found in solved:
        fitted = np.linalg.lstsq(symbols, states.T, rcond=None)[0].T
        missed.append((found.coefficients.numpy() - relations, relations))
        squares.append((fitted - relations, relations))
        gaps.append(found.relative_gap.max().item())

    def scores(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float]:
        wrong, truth = (np.concatenate(part) for part in zip(*parts, strict=True))
        exact = (np.abs(wrong).max(axis=1) <= EXACT).mean()
        relative = np.linalg.norm(wrong, axis=1) / np.linalg.norm(truth, axis=1)
        return float(exact), float(np.median(relative))

    (recovered, error), (squares_recovered, squares_error) = scores(missed), scores(squares)
    return {
        "recovered": recovered,
        "error": error,
        "squares_recovered": squares_recovered,
        "squares_error": squares_error,
        "worst_gap": max(gaps),
    }


def invariance(
    spec: Spec,
    block: tuple[np.ndarray, np.ndarray],
    random: np.random.Generator,
    context: Context,
) -> Found:
    """``changed``: the share of relations for which it depends on the sizes of the errors whether
    they come back, positions and signs being the same; ``recovered``: the share that comes back
    whatever the law of the sizes."""
    symbols, relations = block
    clean = relations @ symbols.T
    errors = corrupt("gaussian", symbols, relations, spec.task.errors, random) - clean
    states = [clean + resize(errors, kind, random) for kind in INDEPENDENT]
    solved = [solve(symbols, some, spec.training, context.device) for some in states]
    right = [np.abs(one.coefficients.numpy() - relations).max(axis=1) <= EXACT for one in solved]
    always, ever = np.all(right, axis=0), np.any(right, axis=0)
    metrics = {
        "recovered": float(always.mean()),
        "changed": float((ever & ~always).mean()),
        "worst_gap": max(one.relative_gap.max().item() for one in solved),
    }
    first = solved[0].objective[:FIRST_LOSSES].tolist()
    known = known_by(solved[0], relations, states[0])
    return Found(
        metrics, first, {"states before errors": np.abs(clean).sum(axis=1).tolist()} | known
    )


def certificates(
    symbols: np.ndarray, relations: np.ndarray, states: np.ndarray, solution: Solution
) -> dict:
    """How far from optimal the answers are at most, from u and v alone; nothing else of the
    solver's is believed."""
    u, v = solution.coefficients.numpy(), solution.dual.numpy()
    objective = np.abs(states - u @ symbols.T).sum(axis=1)
    return {
        "problems": len(u),
        "worst_gap": float(((objective - (v * states).sum(axis=1)) / objective).max()),
        "worst_dual": float(np.abs(v).max()) - 1,  # above zero: v is not feasible
        "worst_balance": float(np.abs(v @ symbols).max()),  # S'v = 0 to rounding
        "exact": solution.exact.double().mean().item(),
        "iterations": solution.iterations.double().mean().item(),
    }


def problems(
    task: Task, trial: int, parent: tuple[Parent, State] | None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of symbols ``(d, m)`` and relations over them ``(R, m)``.

    Raises:
        ValueError: if the trained symbols have another shape than the task says.
    """
    if task.symbols == "gaussian":
        symbols = generator(trial, "symbols").standard_normal((task.rows, task.columns))
        scores = 2 * generator(trial, "relations").standard_normal((task.relations, task.columns))
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return [(symbols, weights / weights.sum(axis=1, keepdims=True))]
    if parent is None:
        raise ValueError(f"symbols is {task.symbols!r} without a parent; expected a trained model")
    found = trained(task, trial, parent)
    if found[0][0].shape != (task.rows, task.columns):
        raise ValueError(
            f"{task.symbols} has symbols of shape {found[0][0].shape}; expected "
            f"{(task.rows, task.columns)}"
        )
    return found


def trained(
    task: Task, trial: int, parent: tuple[Parent, State]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What a trained model mixes, and by which relations on a sequence of its own, that of
    the trial's number."""
    model, state = parent
    given = model.spec, model.trial, state, trial + 1
    seen = order.messages(*given) if task.symbols == "order" else sorting.messages(*given)
    relations = seen.relations[trial]  # (h, m, m), a row for each object
    if task.symbols == "sorting_heads" and isinstance(seen, sorting.Messages):
        symbols = np.concatenate(seen.outputs).T  # (d, h m)
        rows = np.concatenate(list(relations), axis=1)  # (m, h m)
        return [(np.ascontiguousarray(symbols), rows[: task.relations])]
    return [
        (np.ascontiguousarray(values.T), rows[: task.relations])
        for values, rows in zip(seen.values, relations, strict=True)
    ]

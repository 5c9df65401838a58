"""Computing one run of nonlinear recovery. Shapes: A ``(d, m)``, u ``(m,)``, y ``(d,)``."""

from collections.abc import Callable

import numpy as np

from ...records.spec import Spec
from ...theory import nonlinear_measurements as theory
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..context import Context
from ..robust_recovery.run import Found
from . import data, names
from .settings import Model, Task
from .trained import Measured, measured

SIMPLEX = "censored_simplex"
Program = Callable[[np.ndarray, np.ndarray], np.ndarray]


def compute(spec: Spec, context: Context) -> Outcome:
    """The trials of a spec; for its first numbers the first of them alone."""
    some = list(spec.trials)[: 1 if context.first_numbers else None]
    if spec.task.source == "gaussian":
        found = [random_problem(spec, trial) for trial in some]
    else:
        parent, state = context.parent(spec, "abstractor")
        seen = measured(parent.spec, parent.trial, state, max(some) + 1)
        found = [trained_problem(spec, trial, seen) for trial in some]
    metrics = by_name([one.metrics for one in found])
    return Outcome(metrics, found[0].first, fingerprint=found[0].fingerprint)


def program(model: Model, task: Task) -> Program:
    """A, y -> u, by name, with the settings it takes."""
    programs: dict[str, Program] = {
        "least_squares": theory.least_squares,
        "correlation": theory.correlation,
        "convex_correlation": lambda a, y: theory.convex_correlation(a, y, task.nonzeros),
        "lasso": lambda a, y: theory.lasso(a, y, folds=model.folds, penalties=model.penalties),
        "absolute": lambda a, y: theory.absolute(a, y, multiple=model.multiple),
        "one_bit": theory.one_bit,
        "logistic": lambda a, y: theory.logistic(a, y, multiple=model.multiple),
        "inverted": lambda a, y: theory.inverted(
            a, y, gain=task.gain, edge=model.edge, multiple=model.multiple
        ),
        "censored": lambda a, y: theory.censored(a, y, multiple=model.multiple),
    }
    return programs[model.name]


def cosine(found: np.ndarray, u: np.ndarray) -> float:
    """Of the angle between them; zero for an answer of zero, to rounding.

    Example:
        >>> cosine(np.array([3.0, 4.0]), np.array([1.0, 0.0])), cosine(np.zeros(2), np.ones(2))
        (0.6, 0.0)
    """
    length = np.linalg.norm(found) * np.linalg.norm(u)
    return float(found @ u / length) if np.linalg.norm(found) > 1e-9 else 0.0


def random_problem(spec: Spec, trial: int) -> Found:
    """Cosines of the answers with u, from the first so many measurements each."""
    task = spec.task
    drawn, solve = data.draw(task, trial), program(spec.model, task)
    metrics = {
        names.name(rows): cosine(solve(drawn.a[:rows], drawn.y[:rows]), drawn.u)
        for rows in task.rows
    }
    first = np.abs(drawn.y[:FIRST_LOSSES]).tolist()
    known = {"cosines": list(metrics.values()), "measurements": first}
    return Found(metrics, first, known)


def trained_problem(spec: Spec, trial: int, seen: Measured) -> Found:
    """Of the objects of a sequence: median relative error |u^ - u| / |u| and, if all relations of
    a head were equal, ``uniform_error``; mean cosine with u; mean correlation over entries; and the
    share of the measurements that are above zero."""
    task, u = spec.task, seen.relations[trial]  # (m, p)
    clean = seen.message[trial] if task.activation == "linear" else seen.hidden[trial]  # (m, d)
    y = data.corrupted(task, clean, trial)
    found = np.stack([read_back(spec, seen, place, one) for place, one in enumerate(y)])
    uniform = np.full(u.shape, seen.heads / u.shape[1])
    sizes = np.linalg.norm(u, axis=1)
    errors = np.linalg.norm(found - u, axis=1) / sizes
    together = [_correlation(one, other) for one, other in zip(found, u, strict=True)]
    metrics = {
        "error": float(np.median(errors)),
        "uniform_error": float(np.median(np.linalg.norm(uniform - u, axis=1) / sizes)),
        "cosine": float(np.mean([cosine(*pair) for pair in zip(found, u, strict=True)])),
        "correlation": float(np.mean(together)),
        "positive": float((clean > 0).mean()),
    }
    first = np.abs(y).sum(axis=1)[:FIRST_LOSSES].tolist()
    sums_known = seen.heads if spec.model.name == SIMPLEX else 0
    known = {
        "measurements": first,
        "score": [1.0, 1 / (1 + metrics["error"])],
        "unknowns, and sums of them that are known": [float(u.shape[1]), float(sums_known)],
    }
    return Found(metrics, first, known)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 1e-9 else 0.0


def read_back(spec: Spec, seen: Measured, place: int, y: np.ndarray) -> np.ndarray:
    """u from the message, or from the hidden units, of the object at a place, ``(p,)``."""
    message = spec.task.activation == "linear"
    a = seen.mix if message else seen.hidden_mix[place]
    offset = seen.constant if message else seen.hidden_constant
    if spec.model.name == "least_squares":
        answer = np.linalg.lstsq(a, y - offset, rcond=None)[0]
    elif spec.model.name == "absolute":
        answer = theory.least_absolute(a, y - offset)
    else:
        simplex = spec.model.name == SIMPLEX
        zero = sums(seen.heads, len(seen.relations[0])) if simplex else None
        answer = theory.censored(a, y, offset=offset, multiple=0.0, zero=zero)
    if message:
        return answer
    scale = answer[0]  # one over the standard deviation that the layer norm divides by
    return answer[1:] / scale if abs(scale) > 1e-9 else np.zeros(len(answer) - 1)


def sums(heads: int, objects: int) -> np.ndarray:
    """Z with Z (t, t u) = 0 where the relations of each head sum to one, ``(h, 1 + h m)``.

    Example:
        >>> sums(2, 2).tolist()
        [[-1.0, 1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 1.0, 1.0]]
    """
    return np.hstack([-np.ones((heads, 1)), np.kron(np.eye(heads), np.ones(objects))])

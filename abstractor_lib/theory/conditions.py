"""The conditions under which corrupted relations can be recovered (v1 eq. 3.11 to 3.15).

Shapes: symbols S are ``(d, m)``, a column for each object, a row s_i for each feature.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize, stats

DESCENTS = 5  # answers that are improved


class Bounds(NamedTuple):
    """A quantity that is hard to compute, between two numbers that are proved."""

    low: float
    high: float


class Conditions(NamedTuple):
    """What Theorem 3.2 asks of symbols.

    Attributes:
        sigma_fixed: condition A for fixed signs, the 0.95-quantile over random ones.
        sigma: condition A for the worst signs, bounded; what trained symbols need, since signs of
            adversarial errors may depend on them.
        kappa_low: the lower kappa of condition B, bounded.
        kappa_high: the upper kappa of condition B.
    """

    sigma_fixed: float
    sigma: Bounds
    kappa_low: Bounds
    kappa_high: float


def conditions(symbols: np.ndarray, *, draws: int = 2000, seed: int = 0) -> Conditions:
    """Conditions A and B of given symbols.

    Raises:
        ValueError: for dependent columns (so for fewer rows than columns), or values that are not
            finite.

    Source: v1 eq. 3.11 to 3.13.

    Example:
        >>> found = conditions(np.vstack([np.eye(2)] * 8))
        >>> found.kappa_high, found.kappa_low.low <= 0.5 <= found.kappa_low.high
        (0.7071067811865476, True)
    """
    if symbols.ndim != 2 or not np.isfinite(symbols).all():
        raise ValueError("symbols is not a matrix of finite numbers; expected (d, m)")
    if np.linalg.matrix_rank(symbols) < symbols.shape[1]:
        raise ValueError(
            f"symbols has {symbols.shape[1]} columns and rank {np.linalg.matrix_rank(symbols)}; "
            "expected independent columns"
        )
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (draws, len(symbols)))
    return Conditions(
        float(np.quantile(sigma(symbols, signs), 0.95)),
        worst_sigma(symbols, signs[:64]),
        lower_kappa(symbols),
        float(linalg.svdvals(symbols)[0] / np.sqrt(len(symbols))),
    )


def sigma(symbols: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The least sigma of condition A for given c, ``(d, m), (k, d) -> (k,)``.

    Example:
        >>> sigma(np.ones((4, 1)), np.array([[1.0, 1, 1, 1], [1, -1, 1, -1]])).tolist()
        [2.0, 0.0]
    """
    d, m = symbols.shape
    # || (1/d) sum_i c_i s_i ||^2 <= sigma^2 m / d   (v1 eq. 3.11)
    return np.linalg.norm(signs @ symbols / d, axis=1) * np.sqrt(d / m)


def worst_sigma(symbols: np.ndarray, starts: np.ndarray) -> Bounds:
    """Condition A for the worst signs c in {-1, 1}^d.

    From below by ascent from each start: with c fixed the direction S'c is best met by the signs
    of S S'c, which never does worse. From above by the largest singular value, as |c| = sqrt(d).
    """
    signs = starts
    for _ in range(100):
        better = np.where((signs @ symbols) @ symbols.T >= 0, 1.0, -1.0)
        if (better == signs).all():
            break
        signs = better
    high = linalg.svdvals(symbols)[0] / np.sqrt(symbols.shape[1])
    return Bounds(float(sigma(symbols, signs).max()), float(high))


def lower_kappa(symbols: np.ndarray) -> Bounds:
    """inf (1/d) sum_i |s_i' D| over unit vectors D, bounded by linear programs.

    For each object j the least of ||S D||_1 over D with D_j = 1 is a least absolute deviation
    problem. A unit vector has an entry of at least 1 / sqrt(m) in size, so that the least of the m
    optima over sqrt(m) bounds the infimum from below; the dual points of the solver prove these
    optima. From above any unit vector bounds it. The best of the answers, scaled to length one, are
    improved by further programs: with D_k known, the least of ||S D||_1 over D with D_k'D = 1. Its
    answer is no shorter than D_k and costs no more.

    Source: v1 eq. 3.12.
    """
    d, m = symbols.shape
    if m == 1:
        value = float(np.abs(symbols).sum())
        return Bounds(value / d, value / d)
    found = [least_along(symbols, unit) for unit in np.eye(m)]
    low = max(min(proved for _, proved in found), 0.0) / (d * np.sqrt(m))

    def value(unit: np.ndarray) -> float:
        return float(np.abs(symbols @ unit).sum() / d)

    units = sorted((along / np.linalg.norm(along) for along, _ in found), key=value)
    best = value(units[0])
    for unit in units[:DESCENTS]:
        last, reached = np.inf, value(unit)
        while reached < last * (1 - 1e-6):
            along, _ = least_along(symbols, unit)
            unit = along / np.linalg.norm(along)
            last, reached = reached, value(unit)
        best = min(best, last, reached)
    return Bounds(low, best)


def least_along(symbols: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, float]:
    """The D with D'unit = 1 and the least ||S D||_1, ``(m,)``, and a number that this is not below.

    Example:
        >>> along, proved = least_along(np.eye(3), np.array([0.6, 0.8, 0.0]))
        >>> along.round(9).tolist(), round(proved, 9)
        ([0.0, 1.25, 0.0], 1.25)
    """
    import torch  # here, since verdicts are computed without it

    from .least_absolute import least_absolute_deviations

    rest = linalg.null_space(unit[None])  # (m, m - 1)
    # D = unit - rest u: the deviations of S unit from S rest u
    found = least_absolute_deviations(
        torch.from_numpy(symbols @ rest), torch.from_numpy((symbols @ unit)[None])
    )
    along = unit - rest @ found.coefficients[0].numpy()
    return along, float(found.objective[0] - found.gap[0])


def theorem_left_side(
    conditions: Conditions, rows: int, columns: int, errors: float, *, worst: bool = False
) -> float:
    """The quantity that Theorem 3.2 wants to be small, with k = m (the paper mixes the two).

    Args:
        conditions: of the symbols.
        rows, columns: ``d`` and ``m``, at most ``d``.
        errors: share of corrupted entries, from 0 to below 1.
        worst: take what is proved for any signs, not what holds for fixed ones.

    Raises:
        ValueError: for fewer rows than columns, no columns, or another share of errors.

    Source: v1 eq. 3.14.

    Example:
        >>> easy = Conditions(1.0, Bounds(1.0, 1.0), Bounds(0.8, 0.8), 1.0)
        >>> round(theorem_left_side(easy, 400, 4, 0.1), 3)  # 0.1 (sqrt(log(100 e)) + 0.1) / 0.72
        0.343
    """
    if not 1 <= columns <= rows:
        raise ValueError(f"columns is {columns}; expected 1 to rows, {rows}")
    if not 0 <= errors < 1:
        raise ValueError(f"errors is {errors}; expected a number in [0, 1)")
    ratio = np.sqrt(columns / rows)
    spread = conditions.kappa_high * ratio * np.sqrt(np.log(np.e * rows / columns))
    push = errors * (conditions.sigma.high if worst else conditions.sigma_fixed) * ratio
    low = conditions.kappa_low.low if worst else conditions.kappa_low.high
    return float((spread + push) / (low * (1 - errors)))


def gaussian_threshold(ratio: float) -> float:
    """Share of errors up to which least absolute deviations recover, for large Gaussian symbols.

    The errors are any that do not depend on the symbols. Least absolute deviations then is basis
    pursuit of the errors, with d - m equations for d unknowns, and the transition is that of
    Donoho & Tanner: with delta = 1 - m / d and alpha such that

        delta = 2 phi(alpha) / (alpha + 2 (phi(alpha) - alpha Phi(-alpha))),

    errors are recovered up to a share delta (1 - alpha Phi(-alpha) / phi(alpha)).

    Args:
        ratio: m / d, between 0 and 1.

    Raises:
        ValueError: for a ratio that is not between 0 and 1.

    Source: Donoho & Tanner 2009; this form: Donoho, Maleki & Montanari 2009.

    Example:
        >>> round(gaussian_threshold(0.5), 3), gaussian_threshold(0.01) > 0.9
        (0.193, False)
    """
    if not 0 < ratio < 1:
        raise ValueError(f"ratio is {ratio}; expected a number between 0 and 1")

    def delta(alpha: float) -> float:
        density, tail = stats.norm.pdf(alpha), stats.norm.cdf(-alpha)
        return 2 * density / (alpha + 2 * (density - alpha * tail))

    alpha = optimize.brentq(lambda a: delta(a) - (1 - ratio), 1e-12, 40.0)
    sparsity = 1 - alpha * stats.norm.cdf(-alpha) / stats.norm.pdf(alpha)
    return float((1 - ratio) * sparsity)


def chosen_positions_threshold() -> float:
    """Share of errors that defeats least absolute deviations where positions are chosen, m << d.

    The entries where one direction is largest hold half of its sum of absolute values: for normal
    entries E[|z|; |z| > t] = exp(-t^2 / 2) E|z|, so t^2 = 2 log 2.

    Source: Dwork, McSherry & Talwar 2007, where it is 0.239.

    Example:
        >>> round(chosen_positions_threshold(), 3)
        0.239
    """
    return float(2 * stats.norm.cdf(-np.sqrt(2 * np.log(2))))

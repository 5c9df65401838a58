"""Curves of a known family: least squares for lines and for sinusoids.

Least squares is the best linear unbiased estimate for lines. For sinusoids its error is that of
the Cramer-Rao bound of normal noise, up to terms that vanish with the noise. Under uniform noise
neither is a floor: `bayes` is better, since a value that lies far from a curve excludes it.
"""

import numpy as np

from .gaussian import NOISE, Predicted

PERIODS = (5.0, 12.0)  # of the paper's sinusoids
GRID = 141  # periods that are tried
NEWTON = 6  # steps of Gauss-Newton after that


def fit_lines(
    values: np.ndarray, steps: int, intercept: bool = True, noise: float = NOISE
) -> Predicted:
    """Straight lines by least squares, and what they say of the next values.

    Args:
        values: observed at x = 1, ..., N, ``(n, N)``.
        steps: T.
        intercept: whether the intercept is unknown; otherwise it is 0.
        noise: standard deviation.

    Returns:
        Mean ``(n, T)`` and standard deviation ``(T,)``, noise of the new value included.

    Raises:
        ValueError: if there are fewer values than unknowns.

    Example:
        >>> found = fit_lines(0.5 * np.arange(1.0, 21)[None], 2)
        >>> found.mean.round(6).tolist(), found.sd.round(4).tolist()
        ([[10.5, 11.0]], [0.1103, 0.1118])
    """
    values = np.asarray(values, float)
    observed = values.shape[-1]
    x = np.arange(1.0, observed + steps + 1)
    design = np.stack([x, np.ones_like(x)], axis=1) if intercept else x[:, None]  # (N + T, p)
    if observed < design.shape[1]:
        raise ValueError(f"values has {observed} a curve; expected at least {design.shape[1]}")
    seen, new = design[:observed], design[observed:]
    weights = np.linalg.pinv(seen).T @ new.T  # (N, T)
    # var = noise^2 (1 + x^T (X^T X)^-1 x)
    return Predicted(values @ weights, noise * np.sqrt(1 + np.square(weights).sum(axis=0)))


def fit_sinusoids(
    values: np.ndarray,
    steps: int,
    level: bool = False,
    periods: tuple[float, float] = PERIODS,
    noise: float = NOISE,
) -> Predicted:
    """Sinusoids by least squares, and what they say of the next values.

    Given the period, a sinusoid is linear in its cosine and sine parts. So the best of a grid of
    periods is found first, and then improved by Gauss-Newton steps.

    Args:
        values: observed at x = 1, ..., N, ``(n, N)``.
        level: whether the sinusoid has an unknown mean level; otherwise it is 0.
        periods: least and greatest; the fitted period does not leave them.

    Returns:
        Mean and standard deviation, ``(n, T)``; the latter by the delta method.

    Raises:
        ValueError: if ``periods`` are not two increasing numbers, 2 at least, or if there are fewer
            values than unknowns, which are the period, the cosine and sine parts and the level.

    Example:
        >>> x = np.arange(1.0, 24)
        >>> curve = np.sin(2 * np.pi * x / 7.3 + 1)[None]
        >>> bool(np.allclose(fit_sinusoids(curve[:, :20], 3).mean, curve[:, 20:], atol=1e-6))
        True
    """
    if not 2 <= periods[0] < periods[1]:
        raise ValueError(f"periods is {periods}; expected two increasing numbers, 2 at least")
    values = np.asarray(values, float)
    observed, unknowns = values.shape[-1], 3 + level
    if observed < unknowns:
        raise ValueError(f"values has {observed} a curve; expected at least {unknowns}")
    x = np.arange(1.0, observed + steps + 1)
    slowest, fastest = 2 * np.pi / periods[1], 2 * np.pi / periods[0]  # radians a step
    speeds = np.linspace(slowest, fastest, GRID)
    basis = _basis(speeds, x[:observed], level)  # (GRID, N, p)
    across = np.linalg.qr(basis).Q
    explained = np.square(np.einsum("gop,no->gnp", across, values)).sum(axis=-1)  # (GRID, n)
    speed = speeds[explained.argmax(axis=0)]  # (n,)
    for _ in range(NEWTON):
        basis = _basis(speed, x, level)
        parts = _solve(basis[:, :observed], values)
        tangent = _tangent(basis, parts, x)
        residual = values - np.einsum("nop,np->no", basis[:, :observed], parts)
        step = _solve(tangent[:, :observed], residual)[:, -1]
        speed = np.clip(speed + step, slowest, fastest)
    basis = _basis(speed, x, level)
    parts = _solve(basis[:, :observed], values)
    tangent = _tangent(basis, parts, x)
    mean = np.einsum("nop,np->no", basis[:, observed:], parts)
    spread = tangent[:, observed:] @ np.linalg.pinv(tangent[:, :observed])  # (n, T, N)
    return Predicted(mean, noise * np.sqrt(1 + np.square(spread).sum(axis=-1)))


def _basis(speed: np.ndarray, x: np.ndarray, level: bool) -> np.ndarray:
    """Cosine, sine and if wanted a constant, ``(n, len(x), p)``."""
    angle = speed[:, None] * x
    parts = [np.cos(angle), np.sin(angle)] + ([np.ones_like(angle)] if level else [])
    return np.stack(parts, axis=-1)


def _tangent(basis: np.ndarray, parts: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Derivatives of the fitted curve by its parts and, last, by its speed."""
    cosine, sine = basis[..., 0], basis[..., 1]
    turned = x * (parts[:, 1, None] * cosine - parts[:, 0, None] * sine)
    return np.concatenate([basis, turned[..., None]], axis=-1)


def _solve(design: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Least squares of each curve, ``(n, p)``."""
    return np.einsum("npo,no->np", np.linalg.pinv(design), values)

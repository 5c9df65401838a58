"""Lines and sinusoids under uniform noise: the mean of the posterior, which no prediction beats.

The noise of a value lies between -h and h, h = sqrt(3) times its standard deviation. So parameters
are possible or not: the likelihood is the same for all curves that stay within h of every observed
value, and zero for others. The posterior is the prior on this set. A line has one parameter, so the
set is an interval; a sinusoid has three. With ``unknown_level`` a constant of unknown size is added
to the curve; given the other parameters, it lies in an interval too, whose length is their
likelihood. The prediction is then the best of those that follow when a constant is added to all
values (Pitman's estimate), so no model that sees differences alone has a smaller expected error.

Integrals are sums over points: many of them in an interval, or in a box that is narrowed to the
possible ones step by step. Shapes: ``q`` points, ``n``, ``N`` and ``T`` as elsewhere.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import qmc

from .families import PERIODS
from .gaussian import NOISE, Predicted

SLOPES = (0.0, 0.1)  # sizes of the paper's slopes
AMPLITUDES = (0.8, 1.2)  # of its sinusoids
ACROSS = 1024  # slopes of a line that are summed over
SPEEDS = 201  # speeds of which the possible ones are looked for first
SEARCHED, SUMMED = 11, 13  # 2^11 points of a box that is narrowed, 2^13 of the last one
NARROWED = 8  # how often
KEPT = 0.03  # share of points that the next box holds at least
ROOM = 0.1  # share of its width by which it reaches beyond these
CHUNK = 50  # curves at once


def lines(
    values: np.ndarray,
    steps: int,
    slopes: tuple[float, float] = SLOPES,
    intercept: float | None = 0.0,
    noise: float = NOISE,
) -> Predicted:
    """Lines s x + c with a slope of uniform size and random sign.

    Args:
        values: observed at x = 1, ..., N, ``(n, N)``.
        steps: T.
        slopes: the smallest and the largest size.
        intercept: c is uniform from minus to plus this number; anything, if None.
        noise: standard deviation of the uniform noise.

    Returns:
        Mean and standard deviation, ``(n, T)``, noise of the new value included.

    Raises:
        ValueError: naming the first curve that no line is within the noise of.

    Example:
        >>> found = lines(0.05 * np.arange(1.0, 21)[None], 2)  # what fits goes on
        >>> found.mean.round(3).tolist(), found.sd.round(3).tolist()
        ([[1.05, 1.1]], [[0.145, 0.149]])
    """
    values = np.asarray(values, float)
    observed, half = values.shape[1], np.sqrt(3) * noise
    x = np.arange(1.0, observed + steps + 1)
    least, most = _possible_slopes(values, x[:observed], half, intercept)
    least, most = np.maximum(least, -slopes[1]), np.minimum(most, slopes[1])
    _check(most >= least)
    share = (np.arange(ACROSS) + 0.5) / ACROSS  # midpoints of equal parts
    slope = least[:, None] + (most - least)[:, None] * share  # (n, q)
    low, high = np.full(slope.shape, -np.inf), np.full(slope.shape, np.inf)
    for place in range(observed):  # levels that stay within the noise of every value
        rest = values[:, place, None] - slope * x[place]
        low, high = np.maximum(low, rest - half), np.minimum(high, rest + half)
    if intercept is not None:
        low, high = np.maximum(low, -intercept), np.minimum(high, intercept)
    weight = (high - low).clip(min=0) if intercept != 0 else np.ones_like(slope)
    weight = weight * (abs(slope) >= slopes[0])
    _check(weight.sum(axis=1) > 0)
    level = (low + high) / 2 if intercept != 0 else np.zeros_like(slope)
    spread = (high - low) ** 2 / 12 if intercept != 0 else np.zeros_like(slope)
    curves = slope[:, :, None] * x[observed:] + level[:, :, None]
    return _summed(weight, curves, spread, noise)


def sinusoids(
    values: np.ndarray,
    steps: int,
    periods: Sequence[tuple[float, float]] = (PERIODS,),
    amplitudes: tuple[float, float] = AMPLITUDES,
    unknown_level: bool = False,
    noise: float = NOISE,
) -> Predicted:
    """Sinusoids with a uniform period, amplitude and phase.

    Args:
        values: observed at x = 1, ..., N, ``(n, N)``.
        steps: T.
        periods: intervals with their ends, each as likely as it is long.
        amplitudes: the smallest and the largest.
        unknown_level: a constant of unknown size is added.
        noise: standard deviation of the uniform noise.

    Returns:
        Mean and standard deviation, ``(n, T)``, noise of the new value included.

    Raises:
        ValueError: naming the first curve that no sinusoid was found to be within the noise of.

    Example:
        >>> x = np.arange(1.0, 24)
        >>> curve = np.sin(2 * np.pi * x / 7.3 + 1)[None]
        >>> abs(sinusoids(curve[:, :20], 3).mean - curve[:, 20:]).max().round(1).item()
        0.0
    """
    values = np.asarray(values, float)
    parts = [
        _few_sinusoids(values[at : at + CHUNK], steps, periods, amplitudes, unknown_level, noise)
        for at in range(0, len(values), CHUNK)
    ]
    if not parts:
        return Predicted(np.empty((0, steps)), np.empty((0, steps)))
    return Predicted(*(np.concatenate(some) for some in zip(*parts, strict=True)))


def _few_sinusoids(values, steps, periods, amplitudes, unknown_level, noise) -> Predicted:
    """See `sinusoids`. A point is a speed w and the parts a, b of
    a cos(w (x - m)) + b sin(w (x - m)), m the middle of the observed x."""
    observed, half = values.shape[1], np.sqrt(3) * noise
    x = np.arange(1.0, observed + steps + 1) - (observed + 1) / 2
    ends = np.array(periods)
    low, high = _box(values, x[:observed], half, ends, unknown_level)  # (n, 3)
    for _ in range(NARROWED):
        points = _lattice(low, high, SEARCHED)
        least, most = _levels(points, values, x[:observed], half)
        # by how much a curve leaves the noise of a value; with an unknown level, at the best one
        beyond = (least - most) / 2 if unknown_level else np.maximum(least, -most)
        allowed = np.maximum(np.quantile(beyond, KEPT, axis=1), 0)
        inside = np.where((beyond <= allowed[:, None])[:, :, None], points, np.nan)
        room = ROOM * (high - low)
        low = np.maximum(low, np.nanmin(inside, axis=1) - room)
        high = np.minimum(high, np.nanmax(inside, axis=1) + room)
    points = _lattice(low, high, SUMMED)
    least, most = _levels(points, values, x[:observed], half)
    if unknown_level:
        weight, level = (most - least).clip(min=0), (least + most) / 2
    else:
        weight, level = ((least <= 0) & (most >= 0)).astype(float), np.zeros_like(least)
    weight = weight * _prior(points, ends, amplitudes)
    _check(weight.sum(axis=1) > 0)
    curves = _waves(points, x[observed:]) + level[:, :, None]
    return _summed(weight, curves, (most - least) ** 2 / 12 * unknown_level, noise)


def _lattice(low: np.ndarray, high: np.ndarray, power: int) -> np.ndarray:
    """Points spread evenly over boxes, ``(n, 2^power, 3)``."""
    share = qmc.Sobol(3, scramble=False).random_base2(power) + 0.5 / 2**power
    return low[:, None] + (high - low)[:, None] * share


def _waves(points: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The sinusoids of points ``(n, q, 3)``, ``(n, q, len(x))``."""
    speed, cosine, sine = (points[:, :, part, None] for part in range(3))
    return cosine * np.cos(speed * x) + sine * np.sin(speed * x)


def _levels(points, values, x, half) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval of levels with which the sinusoids of points stay within the noise of
    every value, ``(n, q)``; it is empty if the first is above the second."""
    least, most = np.full(points.shape[:2], -np.inf), np.full(points.shape[:2], np.inf)
    for place in range(len(x)):
        rest = values[:, place, None] - _waves(points, x[place : place + 1])[:, :, 0]
        least, most = np.maximum(least, rest - half), np.minimum(most, rest + half)
    return least, most


def _prior(points, periods, amplitudes) -> np.ndarray:
    """Prior density of points up to a factor, ``(n, q)``: uniform in period, amplitude and phase,
    with dp = 2 pi dw / w^2 and dA dphi = da db / A."""
    period = 2 * np.pi / points[:, :, 0]
    size = np.hypot(points[:, :, 1], points[:, :, 2])
    allowed = (size >= amplitudes[0]) & (size <= amplitudes[1])
    apart = period[:, :, None]
    allowed &= ((apart >= periods[:, 0]) & (apart <= periods[:, 1])).any(axis=2)
    return allowed * period**2 / np.maximum(size, amplitudes[0])


def _box(values, x, half, periods, unknown_level) -> tuple[np.ndarray, np.ndarray]:
    """A box that holds all possible points, ``(n, 3)`` its lower and its upper corner.

    A possible curve has a sum of squared residuals of at most N h^2. For each speed, those of all
    cosine and sine parts are that of the best ones and a quadratic form in the distance from them.
    """
    speeds = np.linspace(2 * np.pi / periods.max(), 2 * np.pi / periods.min(), SPEEDS)
    angle = speeds[:, None] * x  # (s, N)
    columns = [np.cos(angle), np.sin(angle)] + [np.ones_like(angle)] * unknown_level
    basis = np.stack(columns, axis=-1)  # (s, N, p)
    inverse = np.linalg.pinv(basis)
    parts = np.einsum("spo,no->nsp", inverse, values)
    residual = values[:, None] - np.einsum("sop,nsp->nso", basis, parts)
    left = len(x) * half**2 - np.square(residual).sum(axis=-1)  # (n, s)
    step = speeds[1] - speeds[0]
    # the form is that of the Gram matrix; its inverse bounds each part on its own
    reach = np.sqrt(np.einsum("spo,spo->sp", inverse, inverse)[:, :2])  # (s, 2)
    some = left >= 0
    some[np.arange(len(values)), left.argmax(axis=1)] = True
    wide = np.sqrt(left.clip(min=0))[:, :, None] * reach  # (n, s, 2)
    centre, chosen = parts[:, :, :2], some[:, :, None]
    lower = np.where(chosen, centre - wide, np.inf).min(axis=1)
    upper = np.where(chosen, centre + wide, -np.inf).max(axis=1)
    among = np.where(some, speeds, np.nan)
    first = np.maximum(np.nanmin(among, axis=1) - step, speeds[0])
    last = np.minimum(np.nanmax(among, axis=1) + step, speeds[-1])
    return np.column_stack([first, lower]), np.column_stack([last, upper])


def _possible_slopes(values, x, half, intercept) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval of slopes for which some level is within the noise of every value."""
    if intercept is not None:
        reach = half + intercept
        return ((values - reach) / x).max(axis=1), ((values + reach) / x).min(axis=1)
    first, last = np.triu_indices(len(x), k=1)
    rise, run = values[:, last] - values[:, first], x[last] - x[first]
    return ((rise - 2 * half) / run).max(axis=1), ((rise + 2 * half) / run).min(axis=1)


def _summed(weight, curves, spread, noise) -> Predicted:
    """Mean and standard deviation of weighted curves ``(n, q, T)`` and their noise."""
    share = weight / weight.sum(axis=1, keepdims=True)
    mean = np.einsum("nq,nqt->nt", share, curves)
    variance = np.einsum("nq,nqt->nt", share, np.square(curves - mean[:, None]))
    return Predicted(mean, np.sqrt(variance + (share * spread).sum(axis=1)[:, None] + noise**2))


def _check(possible: np.ndarray) -> None:
    """Every curve must be possible."""
    if not possible.all():
        index = int(possible.argmin())
        raise ValueError(
            f"values[{index}] is within the noise of no curve of this family; expected values of "
            "the family with uniform noise of this standard deviation"
        )

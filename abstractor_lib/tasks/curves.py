"""Curves to extrapolate: lines, sinusoids and Gaussian processes (Segert & Cohen 2023, Experiment
details).

A curve is y_i at x_i = 1, 2, ..., m. Every value has independent uniform noise.

Shapes: ``n`` curves, ``m`` points of a curve.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

CLASSES = ("line", "rbf", "sine")
JITTER = 1e-8  # on the diagonal of the covariance, whose smallest eigenvalues are below rounding


@dataclass(frozen=True)
class Ranges:
    """What the parameters of a curve are drawn from, uniformly, and its noise.

    Attributes:
        slope: of lines, the smallest and the largest size; the sign is random.
        intercept: of lines, from minus to plus this number at x = 0.
        period: of sinusoids, intervals with their ends, each as likely as it is long; if all are
            single numbers, these are equally likely.
        amplitude: of sinusoids, the smallest and the largest.
        length: sigma of C_ij = exp(-0.5 (i - j)^2 / sigma^2).
        noise: standard deviation of the uniform noise.

    Raises:
        ValueError: for an interval whose ends are in the wrong order, a number below zero or not
            finite, a length or period of zero, or no period.
    """

    slope: tuple[float, float] = (0.0, 0.1)
    intercept: float = 0.0
    period: tuple[tuple[float, float], ...] = ((5.0, 12.0),)
    amplitude: tuple[float, float] = (0.8, 1.2)
    length: float = 3.0
    noise: float = 0.1

    def __post_init__(self):
        intervals = {"slope": self.slope, "amplitude": self.amplitude}
        intervals |= {f"period[{at}]": one for at, one in enumerate(self.period)}
        for name, (low, high) in intervals.items():
            if not 0 <= low <= high < np.inf:
                raise ValueError(
                    f"{name} is {(low, high)}; expected 0 <= smallest <= largest < inf"
                )
        if not self.period or min(high for _, high in self.period) == 0:
            raise ValueError(f"period is {self.period}; expected intervals that reach above 0")
        for name in ("intercept", "noise"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ValueError(
                    f"{name} is {getattr(self, name)}; expected a finite number of at least 0"
                )
        if not 0 < self.length < np.inf:
            raise ValueError(f"length is {self.length}; expected a finite number above 0")


OUTSIDE = Ranges(slope=(0.1, 0.2), period=((3.0, 5.0), (12.0, 20.0)))  # of what models are shown


class Curves(NamedTuple):
    """Curves: values without and with noise, ``(n, m)``, and which of `CLASSES`, ``(n,)``."""

    clean: np.ndarray
    noisy: np.ndarray
    kinds: np.ndarray


def mixed(generator: np.random.Generator, count: int) -> np.ndarray:
    """Classes of curves, each with probability 1/3, ``(n,)``: numbers of `CLASSES`."""
    return generator.integers(0, len(CLASSES), count)


def even(count: int, classes: tuple[str, ...] = CLASSES) -> np.ndarray:
    """Classes of curves in turn, ``(n,)``, so that their counts differ by one at most.

    Raises:
        ValueError: for an unknown class, or none.

    Example:
        >>> even(5).tolist(), even(3, ("line", "sine")).tolist()
        ([0, 1, 2, 0, 1], [0, 2, 0])
    """
    if not classes or not set(classes) <= set(CLASSES):
        raise ValueError(f"classes is {classes}; expected some of {', '.join(CLASSES)}")
    numbers = np.array([CLASSES.index(name) for name in classes])
    return numbers[np.arange(count) % len(numbers)]


def draw(
    generator: np.random.Generator, kinds: np.ndarray, points: int, ranges: Ranges | None = None
) -> Curves:
    """Curves of given classes at x = 1, ..., ``points``.

    Args:
        generator: of all that is drawn.
        kinds: classes, ``(n,)``; see `mixed` and `even`.
        points: of a curve, at least one.
        ranges: of the parameters; None for the paper's.

    Raises:
        ValueError: if there are no points, or a class is unknown.

    Example:
        >>> found = draw(np.random.default_rng(0), even(6), points=30)
        >>> found.noisy.shape, bool(abs(found.noisy - found.clean).max() <= 0.1 * 3**0.5)
        ((6, 30), True)
    """
    ranges = Ranges() if ranges is None else ranges
    kinds = np.asarray(kinds)
    if points < 1:
        raise ValueError(f"points is {points}; expected at least 1")
    unknown = kinds[~np.isin(kinds, range(len(CLASSES)))]
    if len(unknown):
        raise ValueError(f"kinds holds {unknown[0]}; allowed: 0 to {len(CLASSES) - 1}")
    x = np.arange(1.0, points + 1)
    clean = np.empty((len(kinds), points))
    for number, of_class in enumerate((lines, gaussian_processes, sinusoids)):  # as CLASSES
        chosen = kinds == number
        clean[chosen] = of_class(generator, int(chosen.sum()), x, ranges)
    width = np.sqrt(3) * ranges.noise  # uniform on +-width has this standard deviation
    return Curves(clean, clean + generator.uniform(-width, width, clean.shape), kinds)


def lines(generator: np.random.Generator, count: int, x: np.ndarray, ranges: Ranges) -> np.ndarray:
    """Lines, ``(n, m)``."""
    size = generator.uniform(*ranges.slope, (count, 1))
    sign = generator.choice((-1.0, 1.0), (count, 1))
    return sign * size * x + generator.uniform(-1, 1, (count, 1)) * ranges.intercept


def sinusoids(
    generator: np.random.Generator, count: int, x: np.ndarray, ranges: Ranges
) -> np.ndarray:
    """Amplitude sin(2 pi x / period + phase), ``(n, m)``; the phase is uniform."""
    low, high = np.array(ranges.period).T
    lengths = high - low
    weights = lengths if lengths.any() else np.ones(len(lengths))
    interval = generator.choice(len(low), (count, 1), p=weights / weights.sum())
    period = low[interval] + lengths[interval] * generator.random((count, 1))
    amplitude = generator.uniform(*ranges.amplitude, (count, 1))
    phase = generator.uniform(0, 2 * np.pi, (count, 1))
    return amplitude * np.sin(2 * np.pi * x / period + phase)


def covariance(x: np.ndarray, length: float) -> np.ndarray:
    """C_ij = exp(-0.5 (x_i - x_j)^2 / length^2), ``(m, m)``."""
    return np.exp(-0.5 * np.subtract.outer(x, x) ** 2 / length**2)


def gaussian_processes(
    generator: np.random.Generator, count: int, x: np.ndarray, ranges: Ranges
) -> np.ndarray:
    """Draws of the Gaussian process with mean 0 and that covariance, ``(n, m)``."""
    wanted = covariance(x, ranges.length) + JITTER * np.eye(len(x))
    return generator.standard_normal((count, len(x))) @ np.linalg.cholesky(wanted).T

"""Predictions without a network: the best there are, and simpler ones.

``bayes`` knows the class of each curve: the posterior mean under the paper's uniform noise, whose
expected error no prediction undercuts. Two references fit by least squares, or are best among
linear ones; two do not know the class, and take all that is uniform as normal. In each of these
pairs the second one may add a constant to all values, as a model must that sees differences alone.
"""

import numpy as np

from ...tasks.curves import CLASSES, Ranges
from ...theory.curve_prediction import (
    autoregression,
    bayes,
    families,
    gaussian,
    mixture,
    truncated,
)
from ...theory.curve_prediction.gaussian import Predicted
from .settings import BAYES, DIFFERENCES, REFERENCES, UNKNOWN

SAMPLED = ("rbf",)  # classes of which Bayes is sampled: on another processor other draws come


def reference(
    name: str, values: np.ndarray, kinds: np.ndarray, steps: int, ranges: Ranges | None = None
) -> Predicted:
    """What a reference predicts of curves.

    Args:
        name: of `settings.REFERENCES`.
        values: observed, with noise, ``(n, N)``.
        kinds: their classes, numbers of `CLASSES`, ``(n,)``; only references that know them look.
        steps: T, values to predict.
        ranges: what curves are drawn from; None for the paper's. References that know the class
            know them; the mixtures expect the slopes and periods of the paper.

    Returns:
        Mean and standard deviation, ``(n, T)``. Of the last value and the constant the latter is
        NaN.

    Raises:
        ValueError: for an unknown name.

    Example:
        >>> found = reference("last_value", np.arange(20.0)[None], np.zeros(1, int), steps=2)
        >>> found.mean.tolist()
        [[19.0, 19.0]]
    """
    if name not in REFERENCES:
        raise ValueError(f"name is {name!r}; allowed: {', '.join(REFERENCES)}")
    ranges = ranges or Ranges()
    values = np.asarray(values, float)
    if name in ("last_value", "constant"):
        level = values[:, -1:] if name == "last_value" else values.mean(axis=1, keepdims=True)
        mean = np.repeat(level, steps, axis=1)
        return Predicted(mean, np.full_like(mean, np.nan))
    if name == "autoregression":
        most = (values.shape[1] - 1) // 2  # of very short curves
        return autoregression.predict(values, steps, min(autoregression.ORDER, most))
    level, noise = name in DIFFERENCES, ranges.noise
    if name in UNKNOWN:
        points = values.shape[1] + steps
        # standard deviation of a uniform intercept
        every = mixture.curve_kinds(points, ranges.intercept / np.sqrt(3))
        return Predicted(*mixture.predict(values, every, noise, level)[:2])
    of_class = _best if name in BAYES else _fitted
    found = Predicted(*(np.empty((len(values), steps)) for _ in range(2)))
    for number, kind in enumerate(CLASSES):
        some = kinds == number
        found.mean[some], found.sd[some] = of_class(kind, values[some], steps, ranges, level)
    return found


def _fitted(kind: str, values: np.ndarray, steps: int, ranges: Ranges, level: bool) -> Predicted:
    """Least squares, or of Gaussian processes the best linear prediction."""
    if kind == "line":
        return families.fit_lines(values, steps, level or ranges.intercept > 0, ranges.noise)
    if kind == "sine":
        ends = np.array(ranges.period)
        among = (float(ends.min()), float(ends.max()))
        return families.fit_sinusoids(values, steps, level, among, ranges.noise)
    every = gaussian.rbf(values.shape[1] + steps, ranges.length)
    return gaussian.predict(values, every, ranges.noise, level)


def _best(kind: str, values: np.ndarray, steps: int, ranges: Ranges, level: bool) -> Predicted:
    """The posterior mean under uniform noise."""
    if kind == "line":
        intercept = None if level else ranges.intercept
        return bayes.lines(values, steps, ranges.slope, intercept, ranges.noise)
    if kind == "sine":
        among = ranges.period, ranges.amplitude
        return bayes.sinusoids(values, steps, *among, level, ranges.noise)
    every = gaussian.rbf(values.shape[1] + steps, ranges.length)
    return truncated.predict(values, every, ranges.noise, level)

"""Predictions without a network: floors that no model can beat, and simple baselines.

Two floors know the class of each curve, two do not. In either pair the second one may add a
constant to all values: no model that sees differences of values alone can do better than that.
"""

import numpy as np

from ...tasks.curves import CLASSES, Ranges
from ...theory.curve_prediction import autoregression, families, gaussian, mixture
from ...theory.curve_prediction.gaussian import Predicted
from .settings import REFERENCES


def reference(
    name: str, values: np.ndarray, kinds: np.ndarray, steps: int, ranges: Ranges | None = None
) -> Predicted:
    """What a reference predicts of curves.

    Args:
        name: of `settings.REFERENCES`.
        values: observed, with noise, ``(n, N)``.
        kinds: their classes, numbers of `CLASSES`, ``(n,)``; only the first two references look.
        steps: T, values to predict.
        ranges: what curves are drawn from; None for the paper's. References that know the class
            know them; the other two expect the slopes and periods of the paper.

    Returns:
        Mean and standard deviation, ``(n, T)``. Of the last value the latter is NaN.

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
    if name == "last_value":
        mean = np.repeat(values[:, -1:], steps, axis=1)
        return Predicted(mean, np.full_like(mean, np.nan))
    if name == "autoregression":
        most = (values.shape[1] - 1) // 2  # of very short curves
        return autoregression.predict(values, steps, min(autoregression.ORDER, most))
    level, noise = name.endswith("_level"), ranges.noise
    if name.startswith("class_unknown"):
        points = values.shape[1] + steps
        # standard deviation of a uniform intercept
        every = mixture.curve_kinds(points, ranges.intercept / np.sqrt(3))
        return Predicted(*mixture.predict(values, every, noise, level)[:2])
    free = level or ranges.intercept > 0
    ends = np.array(ranges.period)
    found = Predicted(*(np.empty((len(values), steps)) for _ in range(2)))
    for number, kind in enumerate(CLASSES):
        some = kinds == number
        if kind == "line":
            one = families.fit_lines(values[some], steps, free, noise)
        elif kind == "sine":
            among = (float(ends.min()), float(ends.max()))
            one = families.fit_sinusoids(values[some], steps, level, among, noise)
        else:
            every = gaussian.rbf(values.shape[1] + steps, ranges.length)
            one = gaussian.predict(values[some], every, noise, level)
        found.mean[some], found.sd[some] = one
    return found

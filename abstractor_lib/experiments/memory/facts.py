"""What needs no runs: bias and variance of a memory that is read by a Gaussian kernel.

Shapes: ``n`` keys, ``w`` widths of the kernel.
"""

from itertools import pairwise

import numpy as np

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure

KEYS = 40
WIDTHS = (0.02, 0.05, 0.1, 0.2, 0.4)  # of keys and queries between 0 and 1


def bias_and_variance(widths: tuple[float, ...] = WIDTHS) -> tuple[np.ndarray, np.ndarray]:
    """Mean squared bias and mean variance of kernel regression on a sine, ``(w,)`` each: the bias
    of a sine of amplitude 1, the variance in units of that of the noise. Both follow from the
    weights; nothing is drawn. Keys lie evenly between 0 and 1, queries between them.

    Example:
        >>> bias, variance = bias_and_variance((0.02, 0.4))
        >>> bool(bias[0] < bias[1]), bool(variance[0] > variance[1])
        (True, True)
    """
    keys = (np.arange(KEYS) + 0.5) / KEYS
    queries = np.arange(1, KEYS) / KEYS
    values = np.sin(2 * np.pi * keys)
    found = []
    for width in widths:
        apart = (queries[:, None] - keys) / width
        weights = np.exp(-(apart**2) / 2)
        weights /= weights.sum(axis=1, keepdims=True)  # what attention makes of the relations
        bias = weights @ values - np.sin(2 * np.pi * queries)
        found.append(((bias**2).mean(), (weights**2).sum(axis=1).mean()))
    bias, variance = np.array(found).T
    return bias, variance


@measure
def regulated(frames: Frames, protocol: str) -> Measured:
    """By how much each step to a wider kernel raises the squared bias, and lowers the variance."""
    bias, variance = bias_and_variance()
    points = {}
    for k, (narrow, wide) in enumerate(pairwise(WIDTHS)):
        points[f"squared bias, width {narrow:g} to {wide:g}"] = bias[k + 1] - bias[k]
        points[f"variance, width {narrow:g} to {wide:g}"] = variance[k] - variance[k + 1]
    return known(points, KEYS - 1)

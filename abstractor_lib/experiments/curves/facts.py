"""What needs no runs: similarities of single values, and the spread of a Gaussian process."""

import numpy as np

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure
from ...theory.curve_prediction import gaussian

OBSERVED, CURVES = 20, 50
VALUES = (-2.0, -0.5, 0.1, 1.0, 3.0)


@measure
def cosine(frames: Frames, protocol: str, *, same_sign: bool) -> Measured:
    """The least cosine similarity of two non-zero numbers, taken as vectors of one dimension.

    Args:
        same_sign: of pairs of one sign alone.
    """
    pairs = [(v, w) for v in VALUES for w in VALUES if v * w > 0 or not same_sign]
    found = [v * w / (abs(v) * abs(w)) for v, w in pairs]
    return known({f"least of {len(pairs)} pairs of numbers": min(found)}, len(pairs))


def predictive_spreads() -> np.ndarray:
    """Predictive standard deviations of the next value after random observed values, for RBF curves
    of the paper's length, one for each of the sets of values, if the noise were normal.

    Each is an integral over the joint density of observed and next value, so that the formula in
    which no value occurs is not assumed.
    """
    noise = gaussian.NOISE**2 * np.eye(OBSERVED + 1)
    precision = np.linalg.inv(gaussian.rbf(OBSERVED + 1) + noise)
    found = []
    for seen in np.random.default_rng(0).normal(0, 1, (CURVES, OBSERVED)):
        along = precision[-1, :-1] @ seen
        following = -along / precision[-1, -1] + np.linspace(-5, 5, 4001)
        log = -(precision[-1, -1] * following**2 / 2 + along * following)
        weights = np.exp(log - log.max())
        weights /= weights.sum()
        found.append(np.sqrt(weights @ following**2 - (weights @ following) ** 2))
    return np.array(found)


@measure
def posterior_spread(frames: Frames, protocol: str) -> Measured:
    """The largest difference between `predictive_spreads`."""
    gap = round(float(np.ptp(predictive_spreads())), 6)
    return known({f"largest of {CURVES} curves": gap}, CURVES)

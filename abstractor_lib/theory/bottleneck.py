"""The relational bottleneck, measured: what of the objects can be read from what leaves a layer.

Shapes: ``p`` rows of a projection, ``d`` features of an object, ``n`` examples.
"""

import numpy as np
from scipy.linalg import null_space
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score


def unseen_directions(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Directions in which an object can move without changing any of its relations.

    A relation <W_1 x, W_2 y> sees an object through W_1 and W_2 alone; this is the space that both
    map to zero.

    Args:
        left, right: projections W_1 and W_2 of all heads, ``(p, d)``.

    Returns:
        Orthonormal rows ``(d - rank, d)``.

    Source: v1 section 2.3: representations may change as long as the transformed inner products
    are approximately preserved; here they are exactly.

    Example:
        >>> unseen_directions(np.array([[1.0, 0, 0]]), np.array([[0, 1.0, 0]])).round(9).tolist()
        [[0.0, 0.0, 1.0]]
    """
    return null_space(np.concatenate([left, right])).T


def read_out(states: np.ndarray, features: np.ndarray) -> float:
    """How well a linear map recovers features from states: R^2 on rows not used to fit it.

    The map is fitted by least squares on the first half of the rows; R^2 is one minus the squared
    error on the other half over the features' variance there. 1: recovered exactly; 0: no better
    than the mean (slightly negative where there is nothing to find). A feature that is constant on
    the other half does not count.

    Args:
        states: ``(n, p)``, independent rows, n at least 2 (p + 2).
        features: ``(n, q)``.

    Raises:
        ValueError: if the numbers of rows differ or are too small, or if all features are constant
            on the other half, where R^2 has no meaning.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(200, 3))
        >>> round(read_out(x @ np.diag([1.0, 2.0, 3.0]), x), 6)
        1.0
    """
    half, least = len(states) // 2, 2 * (states.shape[1] + 2)
    if len(states) != len(features) or len(states) < least:
        raise ValueError(
            f"states has shape {states.shape} and features {features.shape}; expected as many "
            f"rows in both, at least {least}"
        )
    varying = np.ptp(features[half:], axis=0) > 0  # (q,)
    if not varying.any():
        raise ValueError(
            "features is constant on the last half of its rows; expected some variance"
        )
    features = features[:, varying]
    found = LinearRegression().fit(states[:half], features[:half]).predict(states[half:])
    return float(r2_score(features[half:], found, multioutput="variance_weighted"))

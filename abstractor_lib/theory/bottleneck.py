"""The relational bottleneck, measured: what of the objects can be read from what leaves a layer.

Shapes: ``p`` rows of a projection, ``d`` features of an object, ``n`` examples.
"""

import numpy as np
from scipy.linalg import null_space
from sklearn.linear_model import LinearRegression


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
    than the mean (slightly negative where there is nothing to find).

    Args:
        states: ``(n, p)``, independent rows.
        features: ``(n, q)``.

    Raises:
        ValueError: if the numbers of rows differ, or half of them are not more than p.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(200, 3))
        >>> round(read_out(x @ np.diag([1.0, 2.0, 3.0]), x), 6)
        1.0
    """
    half = len(states) // 2
    if len(states) != len(features) or half <= states.shape[1] + 1:
        raise ValueError(
            f"states has shape {states.shape} and features {features.shape}; expected as many "
            f"rows, more than {2 * (states.shape[1] + 1)}"
        )
    fitted = LinearRegression().fit(states[:half], features[:half])
    residual = features[half:] - fitted.predict(states[half:])
    spread = features[half:] - features[half:].mean(axis=0)
    return float(1 - np.square(residual).sum() / np.square(spread).sum())

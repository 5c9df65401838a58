"""The relational bottleneck, measured: what of the objects can be read from what leaves a layer.

Shapes: ``p`` rows of a projection, ``d`` features of an object, ``n`` examples, ``r`` relations.
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


def self_relations(left: np.ndarray, right: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """What the diagonal of a relation tensor says of each object: one number a relation.

    R_ii = <W_1 x_i, W_2 x_i> is a quadratic form of x_i, which depends on the symmetric part of
    W_1^T W_2 alone. So ``r`` relations tell ``r`` numbers of an object, and none of them tells x
    from -x. With a bias in the projections, or in an embedding before them, that no longer holds.

    Args:
        left, right: projections W_1 and W_2 of each relation, ``(r, p, d)``.
        objects: ``(n, d)``.

    Returns:
        R_ii of each relation, ``(n, r)``.

    Raises:
        ValueError: if the shapes do not fit.

    Source: v3 footnote 2; the quadratic form is ours.

    Example:
        >>> one = np.array([[[1.0, 0.0]]])
        >>> self_relations(one, one, np.array([[3.0, 5.0], [-3.0, 7.0]])).tolist()
        [[9.0], [9.0]]
    """
    if left.shape != right.shape or left.ndim != 3 or objects.shape[1:] != left.shape[2:]:
        raise ValueError(
            f"left has shape {left.shape}, right {right.shape} and objects {objects.shape}; "
            "expected (r, p, d) twice and (n, d)"
        )
    # R_ii = x_i^T W_1^T W_2 x_i = x_i^T M x_i, M = (W_1^T W_2 + W_2^T W_1) / 2
    product = left.transpose(0, 2, 1) @ right  # (r, d, d)
    symmetric = (product + product.transpose(0, 2, 1)) / 2
    return np.einsum("nd,rde,ne->nr", objects, symmetric, objects)  # (n, r)


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

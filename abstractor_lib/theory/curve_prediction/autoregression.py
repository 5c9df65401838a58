"""Linear autoregression: each value is a linear function of the few before it.

Lines and sinusoids without noise are of this kind exactly: y_i = 2 y_{i-1} - y_{i-2} and
y_i = 2 cos(w) y_{i-1} - y_{i-2}. The weights are fitted to each curve alone, so nothing is learned
from other curves.
"""

import numpy as np

from .gaussian import Predicted

ORDER, RIDGE = 3, 0.3


def predict(values: np.ndarray, steps: int, order: int = ORDER, ridge: float = RIDGE) -> Predicted:
    """Fit f(i) = sum_j w_j f(i - j), j = 1, ..., order, to each curve, and extrapolate.

    Args:
        values: observed, ``(n, N)``.
        steps: T.
        order: the window length L.
        ridge: weight of the penalty |w|^2; noise in the values before makes some of it necessary.

    Returns:
        Mean and standard deviation, ``(n, T)``. The latter assumes independent normal innovations
        of the variance of the residuals, and takes the weights as known.

    Raises:
        ValueError: if ``order`` leaves fewer equations than weights plus one, or ``ridge`` is
            negative.

    Source: curves, Background, the equation of linear autoregressive function learning.

    Example:
        >>> line = np.arange(1.0, 21)[None]
        >>> predict(line, 3, order=2, ridge=0.0).mean.round(6).tolist()
        [[21.0, 22.0, 23.0]]
    """
    values = np.asarray(values, float)
    count, observed = values.shape
    equations = observed - order
    if not 1 <= order < equations:
        raise ValueError(
            f"order is {order}; allowed with {observed} values: 1 to {(observed - 1) // 2}"
        )
    if ridge < 0:
        raise ValueError(f"ridge is {ridge}; expected a number of 0 or more")
    lags = [values[:, order - j : observed - j] for j in range(1, order + 1)]
    past, target = np.stack(lags, axis=-1), values[:, order:]  # (n, N - L, L), (n, N - L)
    # w = argmin |y - P w|^2 + ridge |w|^2, as least squares with further rows
    rows = np.broadcast_to(np.sqrt(ridge) * np.eye(order), (count, order, order))
    design = np.concatenate([past, rows], axis=1)
    goal = np.concatenate([target, np.zeros((count, order))], axis=1)
    weights = np.einsum("nlo,no->nl", np.linalg.pinv(design), goal)  # (n, L)
    residual = target - np.einsum("nol,nl->no", past, weights)
    innovation = np.sqrt(np.square(residual).sum(axis=1) / (equations - order))
    means = continued(values[:, -order:], weights, steps)
    impulse = np.zeros((count, order))
    impulse[:, -1] = 1
    answer = np.concatenate([impulse[:, -1:], continued(impulse, weights, steps - 1)], axis=1)
    # sd_t = s sqrt(sum of the squared answers to an innovation up to t - 1 steps ago)
    return Predicted(means, innovation[:, None] * np.sqrt(np.square(answer).cumsum(axis=1)))


def continued(last: np.ndarray, weights: np.ndarray, steps: int) -> np.ndarray:
    """The values that follow ``last`` ``(n, L)``, each the weighted sum of the L before it,
    ``(n, steps)``; the first weight is that of the latest value."""
    window, found = last, np.empty((len(last), steps))
    for step in range(steps):
        found[:, step] = np.einsum("nl,nl->n", window[:, ::-1], weights)
        window = np.concatenate([window[:, 1:], found[:, step : step + 1]], axis=1)
    return found

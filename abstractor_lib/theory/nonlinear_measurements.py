"""Recovering u from nonlinear measurements y = phi(A u) + eta, an open question of v1 section 3.5.

A program that ignores phi treats y as linear in u. For Gaussian A it still finds the direction of
u, up to a factor mu and a noise of size sigma (Plan & Vershynin 2016; see
`activations.linear_part`). Programs that know phi use more of it. Where phi is the sign, only the
direction of u can be told.

Shapes: A is ``(d, m)``: ``d`` measurements, a feature of a state each, of ``m`` unknowns, the
relations u ``(m,)``, of which ``k`` are nonzero; y is ``(d,)``.
"""

import numpy as np
import torch
from scipy import optimize, sparse
from scipy.special import logit
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression
from sklearn.model_selection import KFold

from .least_absolute import least_absolute_deviations
from .recovery import pivotal_penalty

HALF_NORMAL = 1.4826  # a standard deviation, in median absolute values of a centred normal

UNCERTAIN = 4  # scipy's status for numerical difficulties


def _given(a: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In double precision.

    Raises:
        ValueError: for shapes that do not fit, no measurements, or values that are not finite.
    """
    a, y = np.asarray(a, float), np.asarray(y, float)
    if a.ndim != 2 or y.shape != a.shape[:1] or not a.size:
        raise ValueError(f"a is {a.shape} and y {y.shape}; expected (d, m) and (d,), none empty")
    if not (np.isfinite(a).all() and np.isfinite(y).all()):
        raise ValueError("a or y holds values that are not finite; expected finite ones")
    return a, y


# Programs that ignore phi.


def least_squares(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """u = argmin || y - mean(y) - A u ||_2, the shortest one if there are several, ``(m,)``.

    Raises:
        ValueError: for shapes that do not fit or values that are not finite, as all programs here.

    Example:
        >>> least_squares(np.eye(2), np.array([1.0, 3.0])).tolist()
        [-1.0, 1.0]
    """
    a, y = _given(a, y)
    return np.linalg.lstsq(a, y - y.mean(), rcond=None)[0]


def correlation(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A' (y - mean(y)) / d, ``(m,)``: the naive estimate.

    Source: Plan, Vershynin & Yudovina 2017, High-dimensional estimation with geometric constraints
        (without its projection).

    Example:
        >>> correlation(np.eye(2), np.array([1.0, 3.0])).tolist()
        [-0.5, 0.5]
    """
    a, y = _given(a, y)
    return a.T @ (y - y.mean()) / len(y)


def convex_correlation(a: np.ndarray, y: np.ndarray, nonzeros: int) -> np.ndarray:
    """u = argmax sum_i y_i <a_i, u> over |u|_2 <= 1, |u|_1 <= sqrt(k), ``(m,)``.

    The program for one-bit measurements, which needs no other knowledge of phi. Its answer is a
    multiple of the soft-thresholded correlation (`convex_projection`). The mean of y is taken away.

    Raises:
        ValueError: for fewer nonzero entries than one.

    Source: Plan & Vershynin 2013, Robust 1-bit compressed sensing and sparse logistic regression.

    Example:
        >>> convex_correlation(np.eye(2), np.array([-1.0, 1.0]), 1).round(6).tolist()
        [-0.5, 0.5]
    """
    return convex_projection(correlation(a, y), np.sqrt(nonzeros))


def convex_projection(c: np.ndarray, radius: float) -> np.ndarray:
    """u = argmax <c, u> over |u|_2 <= 1 and |u|_1 <= radius, ``(m,)``; zero for c = 0.

    u = S(c) / |S(c)|_2 with S soft thresholding, by the least threshold with |u|_1 <= radius. If
    several entries of c share the largest magnitude, no threshold may reach the radius. Then u has
    weight radius / j on each of these j entries.

    Raises:
        ValueError: for a radius below 1, where the second condition alone would count.

    Example:
        >>> convex_projection(np.array([3.0, 4.0]), 2.0).tolist()
        [0.6, 0.8]
    """
    if not radius >= 1:
        raise ValueError(
            f"radius is {radius}; expected at least 1, the root of a number of entries"
        )
    sizes = np.abs(np.asarray(c, float))
    if not sizes.any():
        return np.zeros_like(sizes)

    def unit(threshold: float) -> np.ndarray:
        kept = np.maximum(sizes - threshold, 0.0)
        return kept / np.linalg.norm(kept)

    top = sizes.max()
    largest = sizes >= top * (1 - 1e-12)
    if unit(0.0).sum() <= radius:
        found = unit(0.0)
    elif np.sqrt(largest.sum()) >= radius:  # thresholds just below the largest miss the radius
        found = np.where(largest, radius / largest.sum(), 0.0)
    else:
        low, high = 0.0, top * (1 - 1e-9)
        threshold = optimize.brentq(lambda t: unit(t).sum() - radius, low, high, xtol=1e-15 * top)
        found = unit(threshold)
    return np.sign(c) * found


def lasso(a: np.ndarray, y: np.ndarray, *, folds: int = 5, penalties: int = 15) -> np.ndarray:
    """u = argmin |y - b - A u|^2 / 2d + lambda |u|_1 with an intercept b, ``(m,)``.

    Lambda is one of 15, down to a hundredth of the largest that counts, by five-fold
    cross-validation with folds that are blocks. Whatever phi is, this is the generalised lasso.

    Raises:
        ValueError: for fewer measurements than two a fold.

    Source: Plan & Vershynin 2016, The generalized lasso with non-linear observations (there with a
        constraint in place of the penalty); scikit-learn's LassoCV.

    Example:
        >>> a = np.random.default_rng(0).standard_normal((60, 100))
        >>> np.flatnonzero(np.abs(lasso(a, a[:, 7])) > 0.1).tolist()
        [7]
    """
    a, y = _given(a, y)
    if len(y) < 2 * folds:
        raise ValueError(f"y holds {len(y)} measurements; expected at least {2 * folds}")
    if np.ptp(y) == 0:  # nothing to fit
        return np.zeros(a.shape[1])
    steps = {"eps": 0.01, "alphas": penalties, "tol": 1e-6, "max_iter": 50_000}
    chosen = LassoCV(cv=KFold(folds), **steps).fit(a, y)
    return Lasso(chosen.alpha_, tol=1e-9, max_iter=500_000).fit(a, y).coef_


def absolute(a: np.ndarray, y: np.ndarray, *, multiple: float = 0.4) -> np.ndarray:
    """u = argmin min_b |y - b - A u|_1 + lambda (|u|_1 + |b|), ``(m,)``: the paper's own program,
    with a column of ones among the symbols, since phi may have a mean.

    Args:
        multiple: lambda in pivotal penalties; zero for none.

    Source: v1 eq. 3.16. Lambda is that of the experiment ``sparse_recovery``.

    Example:
        >>> a = np.random.default_rng(0).standard_normal((60, 100))
        >>> absolute(a, a[:, 7])[7].round(6)
        np.float64(1.0)
    """
    a, y = _given(a, y)
    return _absolute(np.hstack([a, np.ones((len(y), 1))]), y, multiple)[:-1]


def least_absolute(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """u = argmin |y - A u|_1, ``(m,)``: the paper's program without a penalty.

    Source: v1 eq. 3.10.

    Example:
        >>> least_absolute(np.ones((3, 1)), np.array([1.0, 2.0, 100.0])).round(6).tolist()
        [2.0]
    """
    return _absolute(*_given(a, y), 0.0)


def _absolute(a: np.ndarray, y: np.ndarray, multiple: float) -> np.ndarray:
    penalty = multiple * pivotal_penalty(a) if multiple else 0.0
    found = least_absolute_deviations(
        torch.from_numpy(a), torch.from_numpy(y[None]), penalty, alone=True
    )
    return found.coefficients[0].numpy()


# Programs for the sign.


def one_bit(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """u = argmin |u|_1 with y_i <a_i, u> >= 0 for all i and sum_i y_i <a_i, u> = d, ``(m,)``.

    Signs that contradict each other (noise) can leave u = 0 alone; then the answer is zero.

    Source: Plan & Vershynin 2013, One-bit compressed sensing by linear programming; scipy's HiGHS.

    Example:
        >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, -1.0]])
        >>> (one_bit(a, np.ones(3)) * 4).round(9).tolist()
        [3.0, 0.0]
    """
    a, y = _given(a, y)
    signed = np.sign(y)[:, None] * a  # (d, m)
    both = np.hstack([signed, -signed])  # u = p - q
    ones = np.ones(both.shape[1])
    total = both.sum(axis=0)[None]
    for method in ("highs", "highs-ds", "highs-ipm"):  # one may not tell whether there is an answer
        program = (ones, -both, np.zeros(len(y)), total, [float(len(y))])
        found = optimize.linprog(*program, method=method)
        if found.status != UNCERTAIN:
            break
    return _difference(found, a.shape[1])


def _difference(found: optimize.OptimizeResult, m: int) -> np.ndarray:
    """u = p - q of a linear program; zero if nothing is feasible.

    Raises:
        RuntimeError: if the solver stopped for another reason.
    """
    if found.status == 2:  # infeasible
        return np.zeros(m)
    if not found.success:
        raise RuntimeError(f"HiGHS found no answer: {found.message}")
    return found.x[:m] - found.x[m : 2 * m]


def logistic(a: np.ndarray, y: np.ndarray, *, multiple: float = 0.4) -> np.ndarray:
    """u = argmin sum_i log(1 + exp(-sign(y_i) <a_i, u>)) + lambda |u|_1, ``(m,)``.

    Args:
        multiple: lambda in halves of the pivotal penalty, as the slope of the loss at zero is 1/2.

    Returns:
        Zero if all signs are equal.

    Source: maximum likelihood if signs are drawn by a logistic model; scikit-learn's liblinear.

    Example:
        >>> a = np.random.default_rng(0).standard_normal((200, 10))
        >>> int(np.abs(logistic(a, np.sign(a[:, 3]))).argmax())
        3
    """
    a, y = _given(a, y)
    signs = np.where(y >= 0, 1, -1)
    if np.ptp(signs) == 0:
        return np.zeros(a.shape[1])
    penalty = multiple * pivotal_penalty(a) / 2
    model = LogisticRegression(
        C=1 / penalty,
        l1_ratio=1.0,
        solver="liblinear",
        fit_intercept=False,
        tol=1e-8,
        max_iter=10_000,
        random_state=0,
    )
    return model.fit(a, signs).coef_[0]


# Programs that know another phi.


def inverted(
    a: np.ndarray, y: np.ndarray, *, gain: float = 1.0, edge: float = 0.02, multiple: float = 0.4
) -> np.ndarray:
    """The paper's program on z_i = logit(y_i) / gain, where edge < y_i < 1 - edge, ``(m,)``.

    The other measurements are saturated, or cannot be values of a sigmoid, and are left out.

    Returns:
        Zero if nothing is left.

    Raises:
        ValueError: for an edge outside (0, 1/2) or a gain that is not positive.

    Example:
        >>> from scipy.special import expit
        >>> a = np.random.default_rng(0).standard_normal((60, 20))
        >>> inverted(a, expit(3 * a[:, 7]), gain=3.0)[7].round(6)
        np.float64(1.0)
    """
    a, y = _given(a, y)
    if not 0 < edge < 0.5 or not gain > 0:
        raise ValueError(f"edge is {edge} and gain {gain}; expected 0 < edge < 1/2 and gain > 0")
    kept = (y > edge) & (y < 1 - edge)
    if not kept.any():
        return np.zeros(a.shape[1])
    return _absolute(np.ascontiguousarray(a[kept]), logit(y[kept]) / gain, multiple)


def censored(
    a: np.ndarray,
    y: np.ndarray,
    *,
    offset: np.ndarray | float = 0.0,
    multiple: float = 0.4,
    zero: np.ndarray | None = None,
) -> np.ndarray:
    """u from y = relu(A u + b) + eta by a linear program, ``(m,)``.

    u = argmin sum_P |y_i - b_i - <a_i, u>| + sum_N max(0, <a_i, u> + b_i) + lambda |u|_1

    P are the measurements that are clearly positive; for them relu is linear. For N, which are
    zero up to noise, all that is known is that <a_i, u> + b_i is not positive. What is clearly
    negative is no value of relu and is left out.
    *Clearly* is two standard deviations of the noise above zero, and four below; `relu_noise`.

    Args:
        offset: b, ``(d,)`` or a number.
        multiple: lambda in pivotal penalties; zero for none.
        zero: Z, ``(c, m)``, if u is known not to be negative and to have Z u = 0; None if not.

    Source: Powell 1984 (censored least absolute deviations), made convex: only rows that are
        observed to be positive have an absolute value. scipy's HiGHS.

    Example:
        >>> a = np.random.default_rng(0).standard_normal((60, 20))
        >>> censored(a, np.maximum(a[:, 7], 0))[7].round(6)
        np.float64(1.0)
    """
    a, y = _given(a, y)
    noise = relu_noise(y)
    offset = np.broadcast_to(np.asarray(offset, float), y.shape)
    seen = y > 2 * noise  # (d,)
    hidden = ~seen & (y >= -4 * noise)
    count, m = int(seen.sum()), a.shape[1]
    if not count:
        return np.zeros(m)
    penalty = multiple * pivotal_penalty(a[seen]) if multiple else 0.0  # only these carry noise
    # variables p, q with u = p - q, and the parts of the residuals above and below, all >= 0
    cost = np.concatenate([np.full(2 * m, penalty), np.ones(2 * count + int(hidden.sum()))])
    eye = sparse.eye_array(count)
    nothing = sparse.csr_array((count, int(hidden.sum())))
    equal = sparse.hstack([a[seen], -a[seen], eye, -eye, nothing])
    sides = y[seen] - offset[seen]
    if zero is not None:
        more = sparse.csr_array((len(zero), equal.shape[1] - 2 * m))
        equal = sparse.vstack([equal, sparse.hstack([sparse.csr_array(zero), 0 * zero, more])])
        sides = np.concatenate([sides, np.zeros(len(zero))])
    none = sparse.csr_array((int(hidden.sum()), 2 * count))
    below = sparse.hstack([a[hidden], -a[hidden], none, -sparse.eye_array(int(hidden.sum()))])
    found = optimize.linprog(
        cost,
        below.tocsr() if hidden.any() else None,
        -offset[hidden] if hidden.any() else None,
        equal.tocsr(),
        sides,
        [(0, None)] * m
        + [(0, None if zero is None else 0)] * m
        + [(0, None)] * (len(cost) - 2 * m),
    )
    return _difference(found, m)


def relu_noise(y: np.ndarray) -> float:
    """Standard deviation of dense normal noise in relu(z) + eta, from the entries that are not
    positive: those whose z is below zero show the lower half of the noise.

    Gross errors do not move it while they are fewer than half of these entries.

    Example:
        >>> relu_noise(np.array([0.0, 0.0, 0.0, 2.0, -9.0])), relu_noise(np.array([1.0]))
        (0.0, 0.0)
    """
    low = y[y <= 0]
    return HALF_NORMAL * float(np.median(-low)) if low.size else 0.0

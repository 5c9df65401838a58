"""Quantile regression as a scikit-learn estimator, for many targets or bootstrap samples at once.

Shapes: ``n`` samples, ``p`` features, ``R`` targets, ``B`` bootstrap samples.
"""

import warnings
from numbers import Integral, Real

import numpy as np
import torch
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import d2_pinball_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .quantile_programs import Solution, quantile_programs

FORMATS = ("csr", "csc")  # of sparse features; scikit-learn converts others
FEW = 3  # targets up to which one after another is faster than together


class BatchedQuantileRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Linear quantile regression with a proof of optimality, and many targets in one ``fit``.

    The problem is that of scikit-learn's ``QuantileRegressor``,

        min_(u, b) (1 / sum c) sum_i c_i rho(y_i - x_i'u - b) + alpha ||u||_1,

    with rho(e) = max(t e, (t - 1) e) for quantile t; so is what ``fit`` and ``predict`` do. Many
    targets cost much less than as many fits of it; docs/library.md says how much, and when not.

    Sparse features stay sparse where they have at least twice as many rows as columns, with a row
    for each penalty: steps take p x p numbers of memory beside them. Others are made dense.

    Without a penalty, dependent features (an indicator of every category, a constant beside the
    intercept, more features than samples) leave many optimal answers. ``fit`` warns, and gives
    one in which features that depend on later ones, or on the intercept, have the coefficient 0.

    Args:
        quantile: t, between 0 and 1.
        alpha: penalty, at least 0.
        fit_intercept: whether there is a b; it has no penalty.
        tolerance: relative duality gap.
        max_iter: interior point iterations, at most.

    Attributes:
        coef_: u, ``(p,)``, or ``(R, p)`` for several targets.
        intercept_: b, a number or ``(R,)``.
        gap_: relative duality gap, a number or ``(R,)``.
        exact_: whether the answer was proved optimal to rounding, a boolean or ``(R,)``.
        n_iter_: iterations of the slowest problem.

    Warns:
        ConvergenceWarning: where the gap is larger than the tolerance.
        LinAlgWarning: where features were left out. It counts the intercept as the last column.

    Raises:
        ValueError: in ``fit``, for parameters, features, targets or weights that are not allowed.

    Example:
        >>> generator = np.random.default_rng(0)
        >>> x = generator.uniform(size=(400, 1))
        >>> y = 1 + 2 * x + x * generator.uniform(-1, 1, size=(400, 3))
        >>> high = BatchedQuantileRegressor(quantile=0.9, alpha=0).fit(x, y)
        >>> high.coef_.shape, bool(abs(high.coef_ - 2.8).max() < 0.15)
        ((3, 1), True)
    """

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        tolerance: float = 1e-9,
        max_iter: int = 60,
    ):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tolerance = tolerance
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Features ``X``, ``(n, p)``, dense or sparse, targets ``y``, ``(n,)`` or ``(n, R)``,
        weights ``(n,)``."""
        check_number("quantile", self.quantile, Real, 0, 1)
        check_number("tolerance", self.tolerance, Real, 0, 1)
        check_number("max_iter", self.max_iter, Integral, 1, None)
        check_number("alpha", self.alpha, Real, 0, None, least=True)
        X, y = validate_data(
            self, X, y, dtype=np.float64, accept_sparse=FORMATS, y_numeric=True, multi_output=True
        )
        y = np.asarray(y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        found = quantile_programs(
            design(X, constant=self.fit_intercept),
            torch.from_numpy(np.array(np.atleast_2d(y.T), order="C")),  # (R, n)
            self.quantile,
            weights=None if sample_weight is None else torch.from_numpy(weights),
            penalty=torch.from_numpy(_penalties(X, self.alpha * weights.sum(), self.fit_intercept)),
            tolerance=self.tolerance,
            iterations=self.max_iter,
            alone=y.size <= FEW * len(y),
        )
        warn_of_gaps(found, self.tolerance)
        u = found.coefficients.numpy()
        slopes, constants = u[:, : X.shape[1]], u[:, -1] if self.fit_intercept else np.zeros(len(u))
        values = slopes, constants, found.relative_gap.numpy(), found.exact.numpy()
        if y.ndim == 1:
            values = tuple(value[0] for value in values)
        self.coef_, self.intercept_, self.gap_, self.exact_ = values
        self.n_iter_ = int(found.iterations.max())
        return self

    def predict(self, X):
        """Quantiles ``X @ coef_ + intercept_``, ``(n,)`` or ``(n, R)``."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse=FORMATS, reset=False)
        return X @ self.coef_.T + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def score(self, X, y, sample_weight=None):
        """D^2, the share of the pinball loss of the best constant that the prediction removes."""
        given = {"sample_weight": sample_weight, "alpha": self.quantile}
        return float(d2_pinball_score(y, self.predict(X), **given))


def bootstrapped_quantiles(
    X: np.ndarray | sparse.sparray | sparse.spmatrix,
    y: np.ndarray,
    quantiles: np.ndarray,
    *,
    samples: int = 200,
    fit_intercept: bool = True,
    tolerance: float = 1e-9,
    random_state=0,
) -> np.ndarray:
    """Coefficients of quantile regressions on bootstrap samples, all solved at once.

    A bootstrap sample gives each row the number of times that it was drawn as its weight. So all
    samples and quantiles share one design. With sparse features they are solved one after another.

    Args:
        X: features, ``(n, p)``, dense or sparse.
        y: target, ``(n,)``.
        quantiles: between 0 and 1, ``(q,)``.
        samples: B.
        fit_intercept: whether there is a constant; its coefficient comes last.
        tolerance: relative duality gap.
        random_state: of the draws; None draws others at each call.

    Returns:
        Coefficients, ``(B, q, p)`` or ``(B, q, p + 1)``.

    Warns:
        ConvergenceWarning: where the gap is larger than the tolerance.
        LinAlgWarning: where features depend on others. They are left out of all samples.

    Raises:
        ValueError: for features and targets that do not fit together, and if a sample lacks so many
            rows that its coefficients are not determined (a rare category, say).

    Example:
        >>> y = np.arange(11.0)
        >>> found = bootstrapped_quantiles(np.zeros((11, 0)), y, [0.5], samples=100)
        >>> found.shape, bool(abs(found.mean() - 5) < 0.5)
        ((100, 1, 1), True)
    """
    check_number("samples", samples, Integral, 1, None)
    y, quantiles = (np.asarray(given, dtype=float) for given in (y, quantiles))
    X = sparse.csr_array(X, dtype=float) if sparse.issparse(X) else np.asarray(X, dtype=float)
    if len(X.shape) != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X and y have shapes {X.shape} and {y.shape}; expected (n, p) and (n,)")
    if not len(y):
        raise ValueError("y holds no value; expected at least 1")
    quantiles = np.atleast_1d(quantiles)
    counts = check_random_state(random_state).multinomial(
        len(y), np.full(len(y), 1 / len(y)), size=samples
    )
    weights = np.repeat(counts.astype(float), len(quantiles), axis=0)  # (B q, n)
    found = quantile_programs(
        design(X, constant=fit_intercept),
        torch.from_numpy(np.repeat(y[None], len(weights), axis=0)),
        torch.from_numpy(np.tile(quantiles, samples)),
        weights=torch.from_numpy(weights),
        tolerance=tolerance,
    )
    warn_of_gaps(found, tolerance)
    return found.coefficients.numpy().reshape(samples, len(quantiles), -1)


def warn_of_gaps(solution: Solution, tolerance: float) -> None:
    """Warn of answers that were not proved optimal to the tolerance."""
    missed = ~(solution.relative_gap <= tolerance)
    if missed.any():
        warnings.warn(
            f"{int(missed.sum())} of {len(missed)} problems have a relative duality gap above "
            f"{tolerance:g}; the largest is {solution.relative_gap.max().item():.1e}. These "
            "answers may cost that much more than the best; more iterations may bring them nearer.",
            ConvergenceWarning,
            stacklevel=3,
        )


def check_number(
    name: str, value, kind: type, low: float, high: float | None, *, least: bool = False
) -> None:
    """Raise a ValueError that says what is expected: a number above ``low``, or an integer, or
    with ``least`` a number, of at least that."""
    least = least or kind is Integral
    fits = isinstance(value, kind) and not isinstance(value, bool)
    fits = fits and (value > low or (least and value == low)) and value < (high or np.inf)
    if not fits:
        noun = "an integer" if kind is Integral else "a number"
        above = f"{noun} {'of at least' if least else 'above'} {low}"
        raise ValueError(
            f"{name} is {value!r}; expected {above}{f', below {high}' if high else ''}"
        )


def design(
    X: np.ndarray | sparse.sparray | sparse.spmatrix, *, constant: bool = False
) -> torch.Tensor | sparse.csr_array:
    """Features as the solver takes them, with a last column of ones if there is a constant.

    Example:
        >>> design(np.eye(2), constant=True).tolist()
        [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
    """
    if isinstance(X, np.ndarray):
        ones = np.ones((len(X), int(constant)))
        return torch.from_numpy(np.ascontiguousarray(np.hstack([X, ones])))
    x = sparse.csr_array(X)
    return sparse.csr_array(sparse.hstack([x, np.ones((x.shape[0], int(constant)))]))


def _penalties(X, penalty: float, fit_intercept: bool) -> np.ndarray:
    return np.append(np.full(X.shape[1], penalty), np.zeros(int(fit_intercept)))

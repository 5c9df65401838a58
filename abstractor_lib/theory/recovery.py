"""Reading relations back from corrupted states, as scikit-learn estimators.

A state a = S r + xi mixes the symbols, the columns of S, by the relations r of one object; some of
its entries are corrupted. Fitting a on S by least absolute deviations gives r, exactly if S is
redundant enough.

Shapes: ``d`` features of a symbol (rows), ``m`` symbols (columns), ``R`` states.
"""

from numbers import Integral, Real

import numpy as np
import torch
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import d2_absolute_error_score
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .least_absolute import Solution, least_absolute_deviations
from .quantile_regression import FEW, FORMATS, check_number, design, warn_of_gaps

EXACT = 1e-6  # largest difference of an entry of relations that counts as recovered


class _Recovery(MultiOutputMixin, RegressorMixin, BaseEstimator):
    tolerance: float
    max_iter: int

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _given(self, X, y):
        check_number("tolerance", self.tolerance, Real, 0, 1)
        check_number("max_iter", self.max_iter, Integral, 1, None)
        X, y = validate_data(
            self, X, y, dtype=np.float64, accept_sparse=FORMATS, y_numeric=True, multi_output=True
        )
        return X, np.asarray(y, dtype=np.float64)

    def _keep(self, solution: Solution, one: bool) -> None:
        warn_of_gaps(solution, self.tolerance)
        values = [
            part.numpy() for part in (solution.coefficients, solution.dual, solution.relative_gap)
        ]
        self.coef_, self.dual_, self.gap_ = (part[0] if one else part for part in values)
        self.n_iter_ = int(solution.iterations.max())

    def predict(self, X):
        """States ``X @ coef_``: ``(n, m) -> (n,)`` or ``(n, R)``."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse=FORMATS, reset=False)
        return X @ self.coef_.T

    def score(self, X, y, sample_weight=None):
        """D^2, the share of the absolute deviations from the median that ``predict`` removes.

        R^2 would say how well gross errors are predicted. At most 1, which only states without
        errors reach; no intercept is fitted, so that it can be negative.
        """
        return float(d2_absolute_error_score(y, self.predict(X), sample_weight=sample_weight))


class RobustRelationRecovery(_Recovery):
    """Relations by least absolute deviations, r = argmin_u ||a - S u||_1, without a penalty.

    Args:
        tolerance: relative duality gap.
        max_iter: interior point iterations, at most.

    Attributes:
        coef_: the relations, ``(m,)``, or ``(R, m)`` for several states.
        dual_: a certificate, ``(d,)`` or ``(R, d)``: S'v = 0, |v| <= 1.
        gap_: relative duality gap, proved by ``dual_``.
        n_iter_: iterations of the slowest problem.

    Warns:
        ConvergenceWarning: where the gap is larger than the tolerance.
        LinAlgWarning: for dependent symbols, or fewer rows than symbols. Then many relations are
            optimal, and those of symbols that depend on later ones are 0.

    Source: v1 eq. 3.10.

    Example:
        >>> generator = np.random.default_rng(0)
        >>> symbols, relations = generator.standard_normal((40, 3)), np.array([0.2, 0.5, 0.3])
        >>> states = symbols @ relations
        >>> states[:8] += 100.0  # a fifth of the entries corrupted
        >>> RobustRelationRecovery().fit(symbols, states).coef_.round(12).tolist()
        [0.2, 0.5, 0.3]
    """

    def __init__(self, *, tolerance: float = 1e-9, max_iter: int = 60):
        self.tolerance = tolerance
        self.max_iter = max_iter

    def fit(self, X, y):
        """Symbols ``X``, ``(d, m)``, dense or sparse, and states ``y``, ``(d,)`` or ``(d, R)``."""
        X, y = self._given(X, y)
        self._keep(_solve(X, y, 0.0, self.tolerance, self.max_iter), y.ndim == 1)
        return self


class SparseRobustRelationRecovery(_Recovery):
    """Sparse relations over many symbols: r = argmin_u ||a - S u||_1 + lambda ||u||_1, d < m too.

    Args:
        penalty: lambda, or how to choose it. ``pivotal``: a factor 1.1 times the 0.9-quantile of
            max_j |sum_i S_ij e_i| over random signs e_i, simulated; it needs no scale of the
            noise (Belloni & Chernozhukov 2011; Wang 2013). ``cv``: of multiples of that, the one
            with the least absolute error in five-fold cross-validation, common to all states;
            ``pivotal`` for fewer than five rows, which make no five folds.
        tolerance, max_iter: as in `RobustRelationRecovery`.
        random_state: of the simulated signs and the folds.

    Attributes:
        coef_, dual_, gap_, n_iter_: as in `RobustRelationRecovery`; ``dual_`` has an entry for
            each of the ``d`` rows, then one for each of the ``m`` penalties.
        penalty_: lambda as used.

    Warns:
        ConvergenceWarning: where the gap is larger than the tolerance.

    Source: v1 eq. 3.16, which names no lambda.

    Example:
        >>> generator = np.random.default_rng(0)
        >>> symbols = generator.standard_normal((60, 100))
        >>> found = SparseRobustRelationRecovery().fit(symbols, symbols[:, 7])
        >>> np.flatnonzero(found.coef_.round(6)).tolist()
        [7]
    """

    def __init__(
        self,
        penalty: float | str = "pivotal",
        *,
        tolerance: float = 1e-9,
        max_iter: int = 60,
        random_state=0,
    ):
        self.penalty = penalty
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Symbols ``X``, ``(d, m)``, dense or sparse, and states ``y``, ``(d,)`` or ``(d, R)``."""
        if isinstance(self.penalty, str):
            if self.penalty not in ("pivotal", "cv"):
                raise ValueError(
                    f"penalty is {self.penalty!r}; allowed: pivotal, cv, or a positive number"
                )
        else:
            check_number("penalty", self.penalty, Real, 0, None)
        X, y = self._given(X, y)
        self.penalty_ = self._penalty(X, y)
        found = _solve(X, y, self.penalty_, self.tolerance, self.max_iter)
        self._keep(found, y.ndim == 1)
        return self

    def _penalty(self, X: np.ndarray, y: np.ndarray) -> float:
        if not isinstance(self.penalty, str):
            return float(self.penalty)
        pivot = pivotal_penalty(X, random_state=self.random_state)
        if self.penalty == "pivotal" or X.shape[0] < 5:
            return pivot
        errors = {}
        folds = KFold(5, shuffle=True, random_state=self.random_state)
        for share in np.geomspace(1.0, 0.01, 9):
            errors[share] = 0.0
            for some, rest in folds.split(X):
                found = _solve(X[some], y[some], share * pivot, 1e-6, self.max_iter)
                missed = y[rest].T - found.coefficients.numpy() @ X[rest].T
                errors[share] += np.abs(missed).sum()
        return float(min(errors, key=errors.__getitem__) * pivot)


def pivotal_penalty(
    symbols: np.ndarray | sparse.sparray | sparse.spmatrix,
    *,
    factor: float = 1.1,
    level: float = 0.1,
    draws: int = 500,
    random_state=0,
) -> float:
    """A penalty above max_j |sum_i S_ij sign(xi_i)| with probability 1 - level, times a factor.

    For errors of median zero the signs are random whatever their size, so that the penalty depends
    on the symbols alone: it is pivotal.

    Args:
        symbols: ``(d, m)``, dense or sparse.
        factor: above 0.
        level: probability that the maximum is larger, between 0 and 1.
        draws: of signs, to simulate its distribution.
        random_state: of the signs.

    Returns:
        The ``1 - level`` quantile of the maximum over random signs, times the factor.

    Raises:
        ValueError: for a factor or level outside its range, or no draws.

    Source: Belloni & Chernozhukov 2011, section 2.3, for the median; Wang 2013.

    Example:
        >>> pivotal_penalty(np.ones((100, 1)), factor=1.0, draws=2000)  # near 1.64 sqrt(100)
        16.0
    """
    check_number("factor", factor, Real, 0, None)
    check_number("level", level, Real, 0, 1)
    check_number("draws", draws, Integral, 1, None)
    symbols = sparse.csr_array(symbols) if sparse.issparse(symbols) else np.asarray(symbols)
    signs = check_random_state(random_state).choice([-1.0, 1.0], (draws, symbols.shape[0]))
    return float(factor * np.quantile(np.abs(signs @ symbols).max(axis=1), 1 - level))


def _solve(X, y, penalty: float, tolerance: float, iterations: int) -> Solution:
    return least_absolute_deviations(
        design(X),
        torch.from_numpy(np.array(np.atleast_2d(y.T), order="C")),  # (R, d)
        penalty,
        tolerance=tolerance,
        iterations=iterations,
        alone=sparse.issparse(X) and y.size <= FEW * len(y),  # dense: bits that records hold
    )

"""One quantile regression by itself, with a dense or a sparse design.

    min_u sum_i rho_i(y_i - x_i'u),   rho_i(e) = max(t_i e, (t_i - 1) e)

The method is that of `interior_point` and `vertex`, in numpy: a predictor and a corrector along the
central path, and on the way attempts at the optimum itself. One problem shares no work with others.
So steps solve with X' diag(q) X, which needs no basis and no dense copy of X, and which is one call
for a small X. That squares the condition of X. Whoever calls sees in the gap what came of it.

Shapes: ``n`` rows and ``p`` columns of X.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs, qr
from scipy.sparse import csr_array, diags_array
from torch import Tensor

from .interior_point import Loss
from .rank import DependentColumns, check_rank
from .solution import FEW_ROWS, FLOOR, LATE, ROUNDING, SAFETY, Solution, power

CLOSE = 0.9995  # of the way to the boundary that a step goes
EARLY = 0.01  # relative gap from which on a vertex may show itself, by the same rows twice
SURE = 1e-7  # relative gap at which it may without
SIGNS = np.array([[1.0], [-1.0]])  # a and 1 - a change by the same, up and down
CLEAR = 1e-8  # pivot of columns of length one that are clearly independent
SINGULAR = 1e-9  # smallest pivot of rows that give a vertex, as a share of the largest
RIDGES = (0.0, 1e-15, 1e-13, 1e-11, 1e-9)

Array = NDArray[np.float64]
getrf, getrs, potrf, potrs = get_lapack_funcs(("getrf", "getrs", "potrf", "potrs"), dtype="d")


class Answer(NamedTuple):
    """What `quantile_programs.Solution` says of one problem."""

    coefficients: Array  # (p,)
    dual: Array  # (n,)
    objective: float
    gap: float
    sizes: float  # of what cancels in deviations
    exact: bool

    @property
    def relative_gap(self) -> float:
        return self.gap / max(self.objective, FLOOR * self.sizes, np.finfo(float).tiny)


class Design:
    """X and what all problems with it have in common.

    Attributes:
        x: the design, ``(n, p)``.
        clear: whether its columns are clearly independent.

    Example:
        >>> design = Design(np.array([[3.0], [4.0]]))
        >>> design.squares(np.array([6.0, 8.0])).round(12).tolist(), design.clear
        ([2.0], True)
    """

    def __init__(self, x: Array | csr_array):
        self.x = x
        self.across = np.ascontiguousarray(x.T) if isinstance(x, np.ndarray) else x.T.tocsr()
        self.sums = np.asarray(abs(self.across).sum(axis=1)).reshape(-1)  # of sizes, (p,)
        self.counts = np.diff([0] if isinstance(x, np.ndarray) else x.indptr)  # of entries
        whole = self.normal(None)
        lengths = np.sqrt(whole.diagonal())
        self.clear, self.factor = False, None
        if lengths.min() > 0:
            factor, failed = potrf(whole / lengths[:, None] / lengths, lower=1)
            self.clear = not failed and bool(factor.diagonal().min() ** 2 > CLEAR)
            self.factor = factorise(whole)

    def normal(self, q: Array | None) -> Array:
        """X' diag(q) X, ``(p, p)``."""
        if isinstance(self.x, np.ndarray):
            return (self.across if q is None else self.across * q) @ self.x
        x = self.x
        if q is not None:
            data = x.data * np.repeat(q, self.counts)
            x = csr_array((data, x.indices, x.indptr), shape=x.shape)
        return (self.across @ x).toarray()

    def rows(self, some: NDArray[np.intp]) -> Array:
        """Some rows, dense."""
        picked = self.x[some]
        return picked if isinstance(picked, np.ndarray) else picked.toarray()

    def squares(self, y: Array) -> Array:
        """Least squares, refined once since normal equations lose digits."""
        u = solved(self.factor, self.across @ y)
        return u + solved(self.factor, self.across @ (y - self.x @ u))

    def balanced(self, v: Array) -> Array:
        """The nearest v with X'v = 0."""
        for _ in range(2):
            v = v - self.x @ solved(self.factor, self.across @ v)
        return v


def apart(
    rows: Tensor | csr_array,
    y: Tensor,
    loss: Loss,
    units: Tensor,
    tolerance: float,
    iterations: int,
) -> Solution:
    """One problem after another; arguments are those of `together`, but the design may be sparse.

    Raises:
        DependentColumns: for a design whose columns are zero, nearly dependent, or more than rows.
        ValueError: for weights above zero on so few rows that columns become dependent.
    """
    design = Design(rows.numpy() if isinstance(rows, Tensor) else rows)
    if not design.clear:
        check_rank(rows)
    tops = power(y.abs().amax(dim=1, keepdim=True))
    parts = []
    for k, row in enumerate((y / tops).numpy()):
        share = loss.pick(slice(k, k + 1)).share[0].expand(len(row)).numpy()
        weights, heavy, here = 1.0, 1.0, design
        if loss.weights is not None:
            weights = loss.weights[k].numpy()
            heavy = weights.mean()
            weights = weights / heavy
            here = _weighted(rows, weights)
        with np.errstate(all="ignore"):  # what comes of rounding is seen in the gap
            found, steps = solve(here, weights * row, share, tolerance, iterations)
        top = tops[k].item() * heavy
        parts.append(
            (
                found.coefficients * (tops[k] / units).numpy(),
                found.dual * weights * heavy,
                found.objective * top,
                found.gap * top,
                found.relative_gap,
                steps,
                found.exact,
            )
        )
    return Solution(*(torch.from_numpy(np.array(part)) for part in zip(*parts, strict=True)))


def _weighted(rows: Tensor | csr_array, weights: Array) -> "Design":
    """The design of one problem with weights."""
    if isinstance(rows, Tensor):
        x = weights[:, None] * rows.numpy()
    else:
        x = csr_array(diags_array(weights) @ rows)
    design = Design(x)
    if not design.clear:
        try:
            check_rank(torch.from_numpy(x) if isinstance(x, np.ndarray) else x)
        except DependentColumns:
            raise ValueError(FEW_ROWS) from None
    return design


def factorise(normal: Array) -> Array | None:
    """A Cholesky factor, with a little more of the diagonal where rounding asks for it."""
    for ridge in RIDGES:
        given = normal if not ridge else normal + np.diag(ridge * normal.diagonal())
        factor, failed = potrf(given, lower=1, clean=0)
        if not failed:
            return factor
    return None


def solved(factor: Array | None, right: Array) -> Array:
    return np.full_like(right, np.nan) if factor is None else potrs(factor, right, lower=1)[0]


def solve(
    design: Design, y: Array, share: Array, tolerance: float, iterations: int
) -> tuple[Answer, int]:
    """The best answer found, and after how many steps.

    Args:
        design: X, of entries of about 1.
        y: ``(n,)``, of entries of about 1.
        share: t, between 0 and 1, ``(n,)``.
        tolerance: relative duality gap to reach.
        iterations: at most so many.

    Example:
        >>> y = np.array([1.0, 2.0, 3.0, 4.0, 100.0])
        >>> found, _ = solve(Design(np.ones((5, 1))), y, np.full(5, 0.5), 1e-9, 60)
        >>> found.coefficients.tolist(), found.objective, found.exact
        ([3.0], 50.5, True)
    """
    x, across, n = design.x, design.across, len(y)
    u = design.squares(y)
    e = y - x @ u
    best = certified(design, y, share, u, np.zeros(n))
    unit, size = np.abs(e).mean(), np.abs(y).mean()
    if best.exact or not unit > 1e-13 * size:
        return best, 0
    low = share - 1
    least = FLOOR * best.sizes
    inside = np.stack([-low, share])  # v = a - 1 + t = 0
    slack = np.stack([-e, e]).clip(0) + unit / 2
    chosen, step = None, 0
    for step in range(iterations + 1):
        v = inside[0] + low
        whole = float(np.vdot(inside, slack))
        if not np.isfinite(whole):
            break
        gap = whole / max(e @ v + whole, least)
        if gap <= EARLY:
            corner = np.sort(most_met(inside, slack, design.x.shape[1]))
            if gap <= SURE or (chosen is not None and (corner == chosen).all()):
                met = vertex(design, y, share, v, corner, inside, slack)
                best = min(best, met, key=lambda one: one.gap)
                if best.exact and best.relative_gap <= SAFETY * tolerance:
                    return best, step
            chosen = corner
        if step == iterations or gap <= LATE * tolerance:
            break
        over = 1 / inside
        ratios = slack * over
        q = 1 / (ratios[0] + ratios[1])
        factor, drift = factorise(design.normal(q)), across @ v
        signed = over * SIGNS  # da times this are changes of a and 1 - a as shares of themselves
        # predictor: straight to products of zero, (1 + of_inside) (1 + of_slack) = 0 to first order
        change = q * (e - x @ solved(factor, across @ (q * e) + drift))
        of_inside = change * signed
        primal, dual = _length(of_inside.min()), _length(-1 - of_inside.max())
        some = inside * slack * of_inside
        first, second = some.sum(), np.vdot(some, of_inside)
        left = whole + primal * first - dual * (whole + first) - primal * dual * (first + second)
        # corrector: to the central path, and what the straight line left out
        pull = whole * (left / whole) ** 3 / (2 * n) * over
        pull -= slack * (1 - of_inside * (1 + of_inside))
        right = pull[0] - pull[1]
        du = solved(factor, across @ (q * right) + drift)
        de = x @ du
        change = q * (right - de)
        of_inside = change * signed
        of_slack = pull / slack - of_inside
        primal, dual = _length(of_inside.min()), _length(of_slack.min())
        if max(primal, dual) <= 1e-6:
            break
        u, e = u + dual * du, e - dual * de
        inside = inside + (primal * change) * SIGNS
        slack = slack + dual * of_slack * slack
    last = certified(design, y, share, u, design.balanced(inside[0] + low))
    return min(best, last, key=lambda one: one.gap), step


def _length(least: float) -> float:
    """Of a step up to one that keeps positive what changes by that share of itself or more."""
    return CLOSE / max(CLOSE, -least)


def most_met(inside: Array, slack: Array, count: int) -> NDArray[np.intp]:
    """The rows that are met most surely: e = 0, rather than their dual at a bound."""
    lead = np.minimum(*inside) / np.maximum(*slack)
    return np.argpartition(lead, len(lead) - count)[len(lead) - count :]


def vertex(
    design: Design,
    y: Array,
    share: Array,
    v: Array,
    corner: NDArray[np.intp],
    inside: Array,
    slack: Array,
) -> Answer:
    """The answer that meets p rows. Its dual is at a bound on rows that it does not meet, and what
    X'v = 0 asks on those p. On further rows that it meets, it is what it was."""
    factor, order, failed = getrf(design.rows(corner))
    pivots = np.abs(factor.diagonal())
    if failed or pivots.min() <= SINGULAR * pivots.max():
        corner = independent(design, inside, slack)
        factor, order, failed = getrf(design.rows(corner))
    if failed:
        return certified(design, y, share, np.zeros(len(pivots)), np.zeros(len(y)))
    u = getrs(factor, order, y[corner])[0]
    left = y - design.x @ u
    bound = np.where(left > 0, share, share - 1)
    v = np.where(np.abs(left) <= 1e-12 * (np.abs(y) + 1e-3 * np.abs(y).max()), v, bound)
    v[corner] = 0
    v[corner] = -getrs(factor, order, design.across @ v, trans=1)[0]
    return certified(design, y, share, u, v)


def independent(design: Design, inside: Array, slack: Array) -> NDArray[np.intp]:
    """Of the rows that are met most surely those that are independent."""
    p = design.x.shape[1]
    some = most_met(inside, slack, min(4 * p, inside.shape[1]))
    lead = inside[:, some].min(axis=0) / slack[:, some].max(axis=0)
    order = qr(design.rows(some).T * lead, mode="r", pivoting=True)[1]
    return some[order[:p]]


def certified(design: Design, y: Array, share: Array, u: Array, v: Array) -> Answer:
    """An answer and what v, once it is within its bounds, proves of it. What X'v lacks of 0 counts
    as if the coefficients of the best answer were of the size of these."""
    bound = np.where(v > 0, share, share - 1)
    v = v / max((v / bound).max(), 1.0)
    left = y - design.x @ u
    costs = np.maximum(share * left, (share - 1) * left)
    # y'v = (y - X u)'v + (X u)'v, and then no term of the first is negative
    gap = (costs - left * v).sum() + np.abs(u) @ np.abs(design.across @ v)
    sizes = float(np.abs(y).sum() + design.sums @ np.abs(u))
    gap = float(gap) if np.isfinite(gap) else np.inf
    return Answer(u, v, float(costs.sum()), gap, sizes, gap <= ROUNDING * sizes)

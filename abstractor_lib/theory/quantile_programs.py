"""Quantile regression, many problems with one design matrix at once, each with a certificate.

    min_u sum_i c_i rho(y_i - x_i' u) + sum_j l_j |u_j|,   rho(e) = max(t e, (t - 1) e)

for r = 1 .. R: other observations y, weights c and quantiles t, the same X. A penalty is one more
row, 2 l_j times the j-th unit vector, at t = 1/2.

Any v with X'v = 0 and c (t - 1) <= v <= c t proves that no answer costs less than y'v. So every
answer comes with a proof that its caller can check.

Shapes: ``d`` rows and ``p`` columns of X, ``n`` rows with those of penalties, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .column_space import ColumnSpace
from .interior_point import Loss, follow, start
from .vertex import vertex

FLOOR = 1e-6  # share of the sizes that cancel in deviations: sixteen digits leave no less to share
ROUNDING = 1e-14  # of these sizes: what their sums may be wrong by
ROUGH = 1e-3  # relative gap up to which single precision is enough
DEPENDENT = 1e-12  # smallest pivot of rows of an orthonormal basis that may be independent
EARLY = 1e-7  # relative gap at which a vertex may show itself
SAFETY, LATE = 0.1, 1e-5  # of the tolerance: where to stop, and where if no vertex was found
WORKING_SET = 2**18  # numbers: of the problems that are solved together, rows times problems


class Solution(NamedTuple):
    """Answers and what proves them.

    Attributes:
        coefficients: u, ``(R, p)``.
        dual: v, ``(R, n)``, within its bounds, and X'v = 0 to rounding. One entry for each row of
            X, then one for each penalty that is not zero.
        objective: what the answer costs, ``(R,)``.
        gap: objective - y'v, ``(R,)``: how far from optimal the answer is at most.
        relative_gap: the gap as a share of the objective. Deviations y_i - x_i'u are differences of
            numbers of about |y_i| + |x_i|'|u|, of which double precision holds sixteen digits. So
            where the objective is less than a millionth of their (weighted) sum, the gap is a share
            of this millionth. (An answer that meets every row has no objective to be a share of.)
        iterations: ``(R,)``.
        exact: whether the answer was proved optimal to rounding: it meets at least p rows, the dual
            that these rows leave is within its bounds, and the gap is at most 1e-14 of the sum
            above. If the rows are independent, it is a vertex of the program. ``(R,)``
    """

    coefficients: Tensor
    dual: Tensor
    objective: Tensor
    gap: Tensor
    relative_gap: Tensor
    iterations: Tensor
    exact: Tensor


def quantile_programs(
    x: Tensor,
    y: Tensor,
    quantiles: float | Tensor = 0.5,
    *,
    weights: Tensor | None = None,
    penalty: float | Tensor = 0.0,
    tolerance: float = 1e-9,
    iterations: int = 60,
) -> Solution:
    """Solve min_u sum_i c_ri rho(y_ri - x_i'u) + sum_j l_j |u_j| for every row y_r.

    Args:
        x: ``(d, p)``, double precision; of full column rank unless all columns have a penalty.
        y: ``(R, d)``, on the same device.
        quantiles: t, between 0 and 1; one, or one a problem, ``(R,)``.
        weights: c >= 0, ``(R, d)`` or for all problems ``(d,)``, or none: all are 1.
        penalty: l >= 0; one, or one a column, ``(p,)``.
        tolerance: relative duality gap to reach.
        iterations: at most so many.

    Returns:
        `Solution`; a problem that did not reach the tolerance says so by its ``relative_gap``.

    Raises:
        ValueError: for other shapes or types, values that are not finite, no data, a design whose
            columns are (nearly) dependent, on all rows or on those of a problem whose weights are
            above zero, or coefficients that double precision cannot hold.

    Example:
        >>> x = torch.ones(5, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 3.0, 4.0, 100.0]], dtype=torch.float64)
        >>> found = quantile_programs(x, y, 0.7)
        >>> round(found.coefficients.item(), 12), found.exact.item()
        (4.0, True)
    """
    share, penalty = _check(x, y, quantiles, weights, penalty, tolerance)
    if weights is not None and weights.dim() == 1:  # the same for all problems: other rows
        found = quantile_programs(
            weights[:, None] * x,
            weights * y,
            quantiles,
            penalty=penalty,
            tolerance=tolerance,
            iterations=iterations,
        )
        found.dual[:, : len(x)].mul_(weights)
        return found
    # coefficients in units of which no sum overflows; powers of two, so that nothing is rounded
    units = _power(torch.maximum(x.abs().amax(dim=0), 2 * penalty))
    rows = torch.cat([x / units, torch.diag(2 * penalty / units)[penalty > 0]])
    more = len(rows) - len(x)
    if more:
        share = torch.cat([share.expand(-1, len(x)), share.new_full((len(share), more), 0.5)], 1)
        y = torch.cat([y, y.new_zeros(len(y), more)], dim=1)
        if weights is not None:
            weights = torch.cat([weights, weights.new_ones(len(weights), more)], dim=1)
    with torch.inference_mode():  # of one small problem, a fifth of the time is spent on gradients
        space, loss = ColumnSpace(rows, complement=weights is None), Loss(share, weights)
        found = _chunks(space, y, loss, units, tolerance, iterations)
        missed = torch.nonzero(~(found.relative_gap <= tolerance))[:, 0]
        if space.complement and len(missed):  # the larger basis stands residuals of any range
            space = ColumnSpace(rows, complement=False)
            again = _chunks(space, y[missed], loss.pick(missed), units, tolerance, iterations)
            better = again.relative_gap < found.relative_gap[missed]
            for mine, part in zip(found, again, strict=True):
                mine[missed[better]] = part[better]
    found = Solution(*(part.clone() for part in found))
    if not found.coefficients.isfinite().all():
        raise ValueError("y is so much larger than x that coefficients exceed double precision")
    return found


def _chunks(
    space: ColumnSpace, y: Tensor, loss: Loss, units: Tensor, tolerance: float, iterations: int
) -> Solution:
    """All problems, as many at a time as the processor holds."""
    parts = []
    for some in torch.arange(len(y), device=y.device).split(max(WORKING_SET // y.shape[1], 1)):
        parts.append(_solve(space, y[some], loss.pick(some), units, tolerance, iterations))
    return Solution(*(torch.cat(each) for each in zip(*parts, strict=True)))


def _solve(
    space: ColumnSpace, y: Tensor, loss: Loss, units: Tensor, tolerance: float, iterations: int
) -> Solution:
    """One chunk of problems, in units of which no sum overflows."""
    top = _power(y.abs().amax(dim=1, keepdim=True))
    y, heavy = y / top, torch.ones_like(top)
    if loss.weights is not None:
        _check_weights(space, loss.weights)
        heavy = loss.weights.mean(dim=1, keepdim=True)
        loss = Loss(loss.share, loss.weights / heavy)
    best, exact, taken = _search(space, y, loss, tolerance, iterations)
    return Solution(
        best.coefficients * (top / units),
        best.dual * heavy,
        best.objective * (top * heavy)[:, 0],
        best.gap * (top * heavy)[:, 0],
        best.relative_gap,
        taken,
        exact,
    )


def _search(
    space: ColumnSpace, y: Tensor, loss: Loss, tolerance: float, iterations: int
) -> tuple["_Certified", Tensor, Tensor]:
    """The central path, with attempts at a vertex on the way; whether one was optimal, ``(R,)``;
    and how many steps it took, ``(R,)``.

    Gross errors make a small share of the objective large for all else. So the path is followed
    beyond the tolerance where no vertex was found.
    """
    residual = y - space.project(y)
    residual = residual - space.project(residual)
    unit, size = (loss.weigh(of).abs().mean(dim=1, keepdim=True) for of in (residual, y))
    residual = torch.where(unit > 1e-13 * size, residual, 0.0)  # least squares meets the others
    unit = torch.where(unit > 1e-13 * size, unit, 1.0)
    residual, least = residual / unit, FLOOR * (size / unit)[:, 0] * y.shape[1]
    best = _Certified.none(y, space.x.shape[1])
    exact = torch.zeros(len(y), dtype=torch.bool, device=y.device)
    here = torch.arange(len(y), device=y.device)
    # single precision is enough for the first steps
    given = (space.single(), residual.float(), loss.single())
    few = torch.full_like(here, min(iterations, 8))
    path, taken = follow(start(*given), *given, least.float(), ROUGH, few)
    path = path.double(space, residual, loss)
    gap = (loss.of(path.e) - path.e * path.dual(loss)).sum(dim=1)
    astray = ~(gap <= 10 * ROUGH * torch.maximum(loss.of(path.e).sum(dim=1), least))
    if astray.any():
        again = start(space, residual[astray], loss.pick(astray))
        path.e[astray], path.inside[:, astray], path.slack[:, astray] = again
    for stage in (EARLY, SAFETY * tolerance, LATE * tolerance):
        some, left = loss.pick(here), iterations - taken[here]
        path, steps = follow(path, space, residual[here], some, least[here], stage, left)
        taken[here] += steps
        reached = path._replace(e=path.e * unit[here])
        if stage != EARLY:
            u = space.coefficients(y[here] - reached.e)
            better = best.keep(here, _certify(space, y[here], some, u, path.dual(some)))
            exact[here[better]] = False
        for fewest in (True,) if stage == EARLY else (True, False):
            corner = vertex(space, y[here], some, reached, fewest=fewest)
            tried = _certify(space, y[here], some, corner.coefficients, corner.dual)
            tried = tried._replace(gap=torch.where(corner.meets, tried.gap, torch.inf))
            better = best.keep(here, tried)
            exact[here[better]] = (tried.gap <= ROUNDING * tried.sizes)[better]
            open_ = ~(exact[here] & (best.relative_gap[here] <= SAFETY * tolerance))
            here, path, some = here[open_], path.pick(open_), loss.pick(here[open_])
            reached = reached.pick(open_)
            if not len(here):
                return best, exact, taken
    return best, exact, taken


class _Certified(NamedTuple):
    coefficients: Tensor  # (R, p)
    dual: Tensor  # (R, n)
    objective: Tensor  # (R,)
    gap: Tensor  # (R,)
    sizes: Tensor  # (R,), of what cancels in deviations

    @classmethod
    def none(cls, y: Tensor, p: int) -> "_Certified":
        one = y.new_full((len(y),), torch.inf)
        return cls(y.new_zeros(len(y), p), torch.zeros_like(y), one, one.clone(), one.clone())

    @property
    def relative_gap(self) -> Tensor:
        whole = torch.maximum(self.objective, FLOOR * self.sizes)
        return self.gap / whole.clamp_min(torch.finfo(whole.dtype).tiny)

    def keep(self, here: Tensor, other: "_Certified") -> Tensor:
        """Of the problems named, the other answers where their gaps are less; and where that is."""
        better = other.gap < self.gap[here]
        for mine, part in zip(self, other, strict=True):
            mine[here[better]] = part[better]
        return better


def _certify(space: ColumnSpace, y: Tensor, loss: Loss, u: Tensor, v: Tensor) -> _Certified:
    """The dual point moved to X'v = 0, then into its bounds; what this proves."""
    for _ in range(2):
        v = v - space.nearest(v, loss.weights)
    bound = torch.where(v > 0, loss.high(), loss.low())
    beyond = torch.where(bound == 0, 0.0, v / bound).amax(dim=1, keepdim=True)
    v = torch.where(bound == 0, 0.0, v / beyond.clamp_min(1.0))
    left = y - u @ space.x.T
    costs = loss.of(left)
    gap = (costs - left * v).sum(dim=1)  # y'v = (y - X u)'v, and then no term is negative
    sizes = loss.weigh(y.abs() + u.abs() @ space.x.abs().T).sum(dim=1)
    return _Certified(u, v, costs.sum(dim=1), gap, sizes)


def _check_weights(space: ColumnSpace, weights: Tensor) -> None:
    """Raise a ValueError unless the rows that count in a problem determine all coefficients."""
    some = weights[(weights == 0).any(dim=1)]
    if len(some):
        rows = (some > 0).to(weights.dtype)
        if space.columns.pivots(space.columns.products(rows)).min() <= DEPENDENT:
            raise ValueError(
                "weights above zero are on too few rows of a problem to determine all coefficients"
            )


def _power(values: Tensor) -> Tensor:
    """Powers of two of about this size, 1 for 0."""
    return torch.exp2(torch.where(values == 0, 1.0, values).log2().floor())


def _check(
    x: Tensor, y: Tensor, quantiles, weights: Tensor | None, penalty, tolerance: float
) -> tuple[Tensor, Tensor]:
    """Quantiles, ``(1 or R, 1)``, and penalties, ``(p,)``."""
    for name, given, axes in (("x", x, "(d, p)"), ("y", y, "(R, d)")):
        if given.dim() != 2 or 0 in given.shape:
            raise ValueError(
                f"{name} has shape {tuple(given.shape)}; expected {axes}, none of them zero"
            )
        if given.dtype != torch.float64:
            raise ValueError(f"{name} has dtype {given.dtype}; expected torch.float64")
        if not torch.isfinite(given).all():
            raise ValueError(f"{name} holds values that are not finite")
    d, p = x.shape
    if y.shape[1] != d:
        raise ValueError(f"y has shape {tuple(y.shape)}; expected (R, {d}), as x has rows")
    share = torch.as_tensor(quantiles, dtype=x.dtype, device=x.device).reshape(-1, 1)
    if len(share) not in (1, len(y)) or not ((share > 0) & (share < 1)).all():
        raise ValueError(
            f"quantiles is {quantiles}; expected numbers between 0 and 1, one or {len(y)} of them"
        )
    costs = torch.as_tensor(penalty, dtype=x.dtype, device=x.device).reshape(-1)
    if len(costs) not in (1, p) or not ((costs >= 0) & costs.isfinite()).all():
        raise ValueError(f"penalty is {penalty}; expected finite numbers of at least 0")
    if weights is not None:
        right = weights.shape in ((d,), y.shape) and weights.dtype == x.dtype
        if not right or not ((weights >= 0) & weights.isfinite()).all():
            raise ValueError(
                f"weights has shape {tuple(weights.shape)} and dtype {weights.dtype}; expected "
                f"finite numbers of at least 0, ({d},) or {tuple(y.shape)}, torch.float64"
            )
        if (weights.amax(dim=-1) == 0).any():
            raise ValueError("weights are all zero; expected one above zero in every problem")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}; expected a number between 0 and 1")
    if p > d + (costs.expand(p) > 0).sum():
        raise ValueError(
            f"x has {d} rows and {p} columns; without a penalty expected no more columns than rows"
        )
    return share, costs.expand(p)

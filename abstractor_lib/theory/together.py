"""Many quantile regressions with one dense design at once: a path, attempts at a vertex, a proof.

Shapes: ``n`` rows, with those of penalties, ``p`` columns, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .column_space import ColumnSpace
from .interior_point import Loss, follow, start
from .solution import FEW_ROWS, FLOOR, LATE, ROUNDING, SAFETY, Solution, power
from .vertex import vertex

ROUGH = 1e-3  # relative gap up to which single precision is enough
DEPENDENT = 1e-12  # smallest pivot of rows of an orthonormal basis that may be independent
EARLY = 1e-7  # relative gap at which a vertex may show itself
WORKING_SET = 2**18  # numbers: of the problems that are solved together, rows times problems


def together(
    rows: Tensor, y: Tensor, loss: Loss, units: Tensor, tolerance: float, iterations: int
) -> Solution:
    """All problems of a dense design at once."""
    space = ColumnSpace(rows, complement=loss.weights is None)
    found = _chunks(space, y, loss, units, tolerance, iterations)
    missed = torch.nonzero(~(found.relative_gap <= tolerance))[:, 0]
    if space.complement and len(missed):  # the larger basis stands residuals of any range
        space = ColumnSpace(rows, complement=False)
        again = _chunks(space, y[missed], loss.pick(missed), units, tolerance, iterations)
        found.keep(missed, again)
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
    top = power(y.abs().amax(dim=1, keepdim=True))
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
            raise ValueError(FEW_ROWS)

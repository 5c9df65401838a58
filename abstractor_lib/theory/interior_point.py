"""A primal-dual interior point method for many quantile regressions with one design at once.

    min_u sum_i c_i rho_i(y_i - x_i' u),   rho_i(e) = max(t_i e, (t_i - 1) e)

has the dual max_v y'v with X'v = 0 and c_i (t_i - 1) <= v_i <= c_i t_i. The method follows the
central path of both (Frisch-Newton: Portnoy & Koenker 1997; predictor and corrector: Mehrotra 1992;
further correctors towards the path: Gondzio 1996; start: Boyd et al. 2011, section 6.1), written
from these papers.

Deviations e lie in y + the column space of X, and v in its complement. So a step needs no more of X
than an orthonormal basis of one of the two: its equations are as well conditioned as the weights,
however nearly dependent the columns of X are, and the smaller of the two bases serves.

Shapes: ``n`` rows, ``R`` problems, ``k`` columns of the basis.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .column_space import ColumnSpace

CLOSE = 0.9995  # of the way to the boundary that a step goes
REACH, NEAR = 0.3, 10.0  # how much longer correctors make a step; how far from the path it may end
RELAX = 1.6  # how far past its average a splitting goes
TIGHT = 0.1  # steps shorter than that get nowhere
CACHE = 2**19  # numbers: of a step, what the processor may hold, rows or factors


class Loss(NamedTuple):
    """What a deviation costs.

    Attributes:
        share: t, between 0 and 1, ``(1 or R, 1 or n)``.
        weights: c >= 0, ``(R, n)``, or none: 1.
    """

    share: Tensor
    weights: Tensor | None = None

    def pick(self, problems: Tensor | slice) -> "Loss":
        share = self.share[problems] if len(self.share) > 1 else self.share
        return Loss(share, None if self.weights is None else self.weights[problems])

    def weigh(self, rows: Tensor) -> Tensor:
        return rows if self.weights is None else rows * self.weights

    def single(self) -> "Loss":
        return Loss(self.share.float(), None if self.weights is None else self.weights.float())

    def of(self, deviations: Tensor) -> Tensor:
        """What each deviation costs, ``(R, n)``."""
        cost = torch.maximum(self.share * deviations, (self.share - 1) * deviations)
        return self.weigh(cost)

    def low(self) -> Tensor:
        return self.weigh(self.share - 1)

    def high(self) -> Tensor:
        return self.weigh(self.share)


class Path(NamedTuple):
    """Where problems are: v = c (a - 1 + t) with a in (0, 1), and deviations e with w - z = c e.

    On the central path all products z a and w (1 - a) of a problem are equal.
    """

    e: Tensor  # (R, n)
    inside: Tensor  # a and 1 - a, (2, R, n)
    slack: Tensor  # z and w > 0, (2, R, n)

    def pick(self, problems: Tensor | slice) -> "Path":
        return Path(self.e[problems], self.inside[:, problems], self.slack[:, problems])

    def double(self, space: ColumnSpace, y: Tensor, loss: Loss) -> "Path":
        """The same in double precision, with a + (1 - a) = 1 and w - z = c e again."""
        e = y + space.project(self.e.double() - y)
        inside, slack = self.inside.double(), self.slack.double()
        lack = loss.weigh(e) - (slack[1] - slack[0])
        slack = slack + torch.stack([-lack, lack]).clamp_min(0)
        return Path(e, inside / inside.sum(dim=0), slack)

    def dual(self, loss: Loss) -> Tensor:
        """v, ``(R, n)``."""
        return loss.weigh(self.inside[0] - (1 - loss.share))

    def loosened(self, tight: Tensor, loss: Loss) -> "Path":
        """A little away from all bounds: v nearer to 0, and z and w larger by the same."""
        some = 0.01 * tight[:, None].to(self.e.dtype)
        inside = (1 - some) * self.inside + some * torch.stack([1 - loss.share, loss.share])
        return Path(self.e, inside, self.slack + some * self.slack.mean(dim=(0, 2))[:, None])

    def met(self) -> Tensor:
        """How near a row is to being met, e = 0, rather than its dual to a bound, ``(R, n)``."""
        return self.inside.amin(dim=0) / self.slack.amax(dim=0)


def follow(
    path: Path,
    space: ColumnSpace,
    y: Tensor,
    loss: Loss,
    least: Tensor,
    tolerance: float,
    iterations: Tensor,
) -> tuple[Path, Tensor]:
    """Follow the central path until the gap is small; each problem leaves when it is done.

    Args:
        path: where to start.
        space: of the design.
        y: ``(R, n)``, without a part in the column space, of mean size about 1.
        loss: with weights of mean about 1.
        least: what the gap is a share of where the cost is less, ``(R,)``.
        tolerance: relative duality gap at which to stop.
        iterations: at most so many, ``(R,)``.

    Returns:
        The last point of each problem, and how many steps it took, ``(R,)``.
    """
    last = Path(*(torch.empty_like(part) for part in path))
    taken = torch.zeros(len(y), dtype=torch.long, device=y.device)
    here = torch.arange(len(y), device=y.device)
    sound = torch.ones_like(here, dtype=torch.bool)
    for step in range(int(iterations.max()) + 1):
        drift = _drift(path, space, y, loss)
        going = sound & (step < iterations)
        going = going & _open(path, drift, space, loss, least, tolerance)
        if not going.all():
            done = here[~going]
            left = path.pick(~going)
            last.e[done], last.inside[:, done], last.slack[:, done] = left
            taken[done] = step
            if not going.any():
                break
            path, drift = path.pick(going), drift.pick(going)
            y, loss, least, here = y[going], loss.pick(going), least[going], here[going]
            iterations = iterations[going]
        new, lengths = _steps(path, drift, space, loss)
        sound, tight = lengths.isfinite(), lengths < TIGHT
        if tight.any():
            new = new.loosened(tight, loss)
        if not sound.all():  # beyond what double precision resolves, the last iterate stays
            pairs = zip(new, path, strict=True)
            new = Path(*(torch.where(sound[:, None], *pair) for pair in pairs))
        path = new
    return last, taken


def start(space: ColumnSpace, y: Tensor, loss: Loss) -> Path:
    """A point from Douglas-Rachford splitting, whose iterations cost two products each.

    With e the nearest deviations to g that the design allows, and f those that cost little and lie
    near 2 e - g, g moves by f - e.
    """
    scale = y.abs().median(dim=1, keepdim=True).values.clamp_min(1e-3)
    low, high = scale * loss.low(), scale * loss.high()  # of v in units of e
    g = y
    for _ in range(_effort(space)[0]):
        e = y + space.project(g)
        ahead = e - g
        v = torch.minimum(torch.maximum(ahead + e, low), high)
        g = g + RELAX * (ahead - v)  # f = 2 e - g - v
    v = v / scale
    v = v - space.project(v)
    over = (v / loss.high().clamp_min(1e-3)).amax(dim=1, keepdim=True)
    under = (v / loss.low().clamp_max(-1e-3)).amax(dim=1, keepdim=True)
    v = v / torch.maximum(over, under).clamp(1, 2)
    mean = (loss.of(e) - e * v).mean(dim=1, keepdim=True).clamp_min(1e-6) / 2
    costly = loss.weigh(e)
    edge = mean / (costly.abs() + 2 * mean)
    weights = 1.0 if loss.weights is None else loss.weights.clamp_min(1e-6)
    a = v / weights
    inside = torch.stack([a + (1 - loss.share), loss.share - a])
    inside = torch.minimum(torch.maximum(inside, edge), 1 - edge)
    return Path(e, inside, torch.stack([-costly, costly]).clamp_min(0) + mean)


def _effort(space: ColumnSpace) -> tuple[int, int]:
    """Splittings of the start, and Gondzio's correctors of a step. Both cost a few passes over the
    rows, which is worth it where factorisations cost more (Gondzio 1996, section 4)."""
    return (60, 2) if space.basis.columns.shape[1] >= 32 else (20, 0)


class _Drift(NamedTuple):
    """How far the start, or rounding, is from X'v = 0 and e in y + the column space."""

    inside: Tensor  # (R, k): of v, or if the basis is of the complement, of e - y
    dual: Tensor | None  # (R, n): then also what of v lies in the column space

    def pick(self, problems: Tensor | slice) -> "_Drift":
        return _Drift(self.inside[problems], None if self.dual is None else self.dual[problems])


def _drift(path: Path, space: ColumnSpace, y: Tensor, loss: Loss) -> _Drift:
    v, basis = path.dual(loss), space.basis.columns
    if space.complement:
        return _Drift((path.e - y) @ basis, space.project(v))
    return _Drift(v @ basis, None)


def _open(
    path: Path, drift: _Drift, space: ColumnSpace, loss: Loss, least: Tensor, tolerance: float
) -> Tensor:
    """Whether the gap, or what X'v = 0 lacks, is too large. Where next to nothing of the gap is
    left, a step would add more rounding than it takes away."""
    e, v, off = path.e, path.dual(loss), drift.inside
    if space.complement:
        e, off = e - off @ space.basis.columns.T, drift.dual
    costs = loss.of(e)
    gap = (costs - e * v).sum(dim=1)  # no term is negative
    whole = torch.maximum(costs.sum(dim=1), least)
    drifted = torch.linalg.vector_norm(off, dim=1) > max(tolerance, 1e-13)
    return (drifted & (gap > 1e-5 * tolerance * whole)) | (gap > tolerance * whole)


class _Move(NamedTuple):
    """A direction: of e, of a, and of `Path.inside` and `Path.slack` as shares of themselves."""

    e: Tensor  # (R, n)
    a: Tensor  # (R, n)
    inside: Tensor  # (2, R, n)
    slack: Tensor  # (2, R, n)
    lengths: Tensor  # (2, R, 1), of steps up to one that keep the two positive

    def better(self, other: "_Move") -> "_Move":
        """Of every problem's two moves the longer one."""
        longer = self.lengths.sum(dim=0) > other.lengths.sum(dim=0)
        if longer.all():
            return self
        return _Move(*(torch.where(longer, *two) for two in zip(self, other, strict=True)))


def _steps(path: Path, drift: _Drift, space: ColumnSpace, loss: Loss) -> tuple[Path, Tensor]:
    """A step of every problem: normal matrices of all at once, the rest for as many problems as the
    processor's cache holds."""
    ratios = path.slack / path.inside
    curvature = ratios[0] + ratios[1]
    weights = curvature if space.complement else loss.weigh(loss.weigh(curvature.reciprocal()))
    products = space.basis.products(weights)
    n, k = space.basis.columns.shape
    size = max(CACHE // max(4 * n, k * k), 1)
    if len(curvature) <= size:
        return _step(path, curvature, space.basis.factor(products), drift, space, loss)
    parts = []
    for first in range(0, len(curvature), size):
        some = slice(first, first + size)
        factor = space.basis.factor(products[some])
        parts.append(
            _step(
                path.pick(some), curvature[some], factor, drift.pick(some), space, loss.pick(some)
            )
        )
    new, lengths = zip(*parts, strict=True)
    e, inside, slack = zip(*new, strict=True)
    return Path(torch.cat(e), torch.cat(inside, dim=1), torch.cat(slack, dim=1)), torch.cat(lengths)


def _longest(shares: Tensor) -> Tensor:
    worst = -shares.amin(dim=(0, 2))
    return (CLOSE / worst.clamp_min(CLOSE))[:, None]


def _step(
    path: Path, curvature: Tensor, factor: Tensor, drift: _Drift, space: ColumnSpace, loss: Loss
) -> tuple[Path, Tensor]:
    """Predictor and correctors, with one factorisation; and the longer of two lengths, ``(R,)``."""
    e, inside, slack = path
    basis = space.basis.columns
    q, over = curvature.reciprocal(), inside.reciprocal()
    over[1].neg_()

    def solve(right: Tensor) -> Tensor:
        return torch.cholesky_solve(right[..., None], factor)[..., 0] @ basis.T

    def towards(share) -> _Move:
        """The direction in which the products change by these shares of themselves, to first order:
        da / a + dz / z = share[0] and so on, with dw - dz = -c de."""
        pull = slack * share
        right = pull[0] - pull[1]
        if drift.dual is not None:  # da in the complement, so that de is in the column space
            da = solve((right + curvature * drift.dual) @ basis - drift.inside) - drift.dual
            de = right - curvature * da
            more = solve(de @ basis - drift.inside)  # what large curvatures hid from the others
            da, de = da + more, de - curvature * more
        else:
            de = solve(loss.weigh(q * right) @ basis + drift.inside)
            da = q * (right - loss.weigh(de))
        of_inside = da * over
        of_slack = share - of_inside
        lengths = torch.stack([_longest(of_inside), _longest(of_slack)])
        return _Move(de, da, of_inside, of_slack, lengths)

    def ahead(move: _Move, lengths: Tensor) -> Tensor:
        """Products after a step, as shares of themselves."""
        first, second = lengths[0] * move.inside, lengths[1] * move.slack
        return first.add_(1).mul_(second.add_(1))

    # predictor: straight to products of zero
    move = towards(-1.0)
    products = inside * slack
    now = products.sum(dim=(0, 2))[:, None]
    left = (products * ahead(move, move.lengths)).sum(dim=(0, 2))[:, None]
    target = now * (left / now) ** 3 / (2 * e.shape[1]) / products
    # corrector: to the central path, and what the straight line left out
    more = target - 1 - move.inside * move.slack
    move = towards(more)
    plain, low, high = move, target / NEAR, target * NEAR
    for _ in range(_effort(space)[1]):  # of what a longer step would bring far from the path
        reached = ahead(move, (move.lengths + REACH).clamp_max(1))
        aim = torch.minimum(torch.maximum(reached, low), high)
        more = more + torch.maximum(aim - reached, -high)
        move = towards(more)
    move = move.better(plain)
    primal, dual = move.lengths
    da = primal * move.a
    new = Path(
        e - dual * move.e,
        torch.stack([inside[0] + da, inside[1] - da]),
        slack * (1 + dual * move.slack),
    )
    return new, torch.maximum(primal, dual)[:, 0]

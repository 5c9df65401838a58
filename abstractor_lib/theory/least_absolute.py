"""Least absolute deviations, many problems with one design matrix at once.

min_u ||y_r - X u||_1 + lambda ||u||_1 for r = 1 .. R, by a primal-dual interior point method in
double precision (Frisch-Newton: Portnoy & Koenker 1997, with the predictor and corrector of
Lustig, Marsten & Shanno 1992), written from these papers. The penalty is m more rows, lambda I.

The dual is max_v y'v with X'v = 0 and |v| <= 1. Any such v proves a lower bound, so that every
answer comes with a certificate that its caller can check.

All problems share X. Their normal matrices X' diag(q_r) X are therefore one matrix product, of the
weights q, (R, n), with the table of outer products of the rows of X, (n, p (p + 1) / 2).

Shapes: ``n`` rows of X (those of the penalty included), ``p`` columns, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

CLOSE = 0.9995  # of the way to the boundary that a step goes
CONDITION = 1e10  # of X, beyond which normal equations mean little in double precision
RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)
WORKING_SET = 2**21  # numbers: of the problems that are solved together, rows times problems


class Solution(NamedTuple):
    """Answers and what proves them.

    Attributes:
        coefficients: u, ``(R, p)``.
        dual: v, ``(R, n)``, with X'v = 0 and |v| <= 1 to rounding.
        objective: sum of absolute deviations and penalty, ``(R,)``.
        gap: objective - y'v, ``(R,)``: how far from optimal the answer is at most.
        relative_gap: the same as a share of the objective, or of a thousandth of ||y||_1 where that
            is larger (an answer that meets every row has no deviations to be a share of).
        iterations: ``(R,)``.
        exact: whether the final solve on the rows that are met exactly was proved optimal.
    """

    coefficients: Tensor
    dual: Tensor
    objective: Tensor
    gap: Tensor
    relative_gap: Tensor
    iterations: Tensor
    exact: Tensor


def least_absolute_deviations(
    x: Tensor,
    y: Tensor,
    penalty: float = 0.0,
    *,
    tolerance: float = 1e-9,
    iterations: int = 60,
) -> Solution:
    """Solve min_u ||y_r - X u||_1 + penalty ||u||_1 for every row y_r.

    Args:
        x: ``(d, p)``, double precision; of full column rank unless there is a penalty.
        y: ``(R, d)``, on the same device.
        penalty: lambda >= 0.
        tolerance: relative duality gap to reach.
        iterations: at most so many.

    Returns:
        `Solution`; a problem that did not reach the tolerance says so by its ``relative_gap``.

    Raises:
        ValueError: for other shapes or types, values that are not finite, no data, fewer rows than
            columns, or a design whose columns are (nearly) dependent.

    Source: v1 eq. 3.10 and 3.16.

    Example:
        >>> x = torch.ones(5, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 3.0, 4.0, 100.0]], dtype=torch.float64)
        >>> found = least_absolute_deviations(x, y)
        >>> found.coefficients.tolist(), found.objective.tolist()  # the median
        ([[3.0]], [101.0])
    """
    _check(x, y, penalty, tolerance)
    if penalty:
        x = torch.cat([x, penalty * torch.eye(x.shape[1], dtype=x.dtype, device=x.device)])
        y = torch.cat([y, y.new_zeros(len(y), x.shape[1])], dim=1)
    _check_rank(x)
    problem = _Shared(x)
    step = max(WORKING_SET // max(len(x), problem.table.shape[1] // 8), 1)
    parts = [_solve(problem, some, tolerance, iterations) for some in y.split(step)]
    return Solution(*(torch.cat(each) for each in zip(*parts, strict=True)))


def _check(x: Tensor, y: Tensor, penalty: float, tolerance: float) -> None:
    for name, given, axes in (("x", x, "(d, p)"), ("y", y, "(R, d)")):
        if given.dim() != 2 or 0 in given.shape:
            raise ValueError(
                f"{name} has shape {tuple(given.shape)}; expected {axes}, none of them zero"
            )
        if given.dtype != torch.float64:
            raise ValueError(f"{name} has dtype {given.dtype}; expected torch.float64")
        if not torch.isfinite(given).all():
            raise ValueError(f"{name} holds values that are not finite")
    if y.shape[1] != x.shape[0]:
        raise ValueError(f"y has shape {tuple(y.shape)}; expected (R, {x.shape[0]}), as x has rows")
    if not 0 <= penalty < float("inf"):
        raise ValueError(f"penalty is {penalty}; expected a finite number of at least 0")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}; expected a number between 0 and 1")
    if x.shape[1] > x.shape[0] and not penalty:
        raise ValueError(
            f"x has {x.shape[0]} rows and {x.shape[1]} columns; without a penalty expected no more "
            "columns than rows"
        )


def _check_rank(x: Tensor) -> None:
    scales = x.norm(dim=0)
    singular = torch.linalg.svdvals(x / scales.clamp_min(torch.finfo(x.dtype).tiny))
    if scales.min() == 0 or singular[-1] * CONDITION < singular[0]:
        raise ValueError(
            "x has columns that are zero or nearly dependent (condition above 1e10); expected full "
            "column rank"
        )


class _Shared:
    """What all problems have in common."""

    def __init__(self, x: Tensor):
        p = x.shape[1]
        self.x = x
        self.upper = torch.triu_indices(p, p, device=x.device)
        self.table = x[:, self.upper[0]] * x[:, self.upper[1]]  # (n, p (p + 1) / 2)
        self.orthonormal = torch.linalg.qr(x).Q  # (n, p)

    def normal(self, weights: Tensor) -> Tensor:
        """Cholesky factors of X' diag(q_r) X: one product, ``(R, n) -> (R, p, p)``."""
        p = self.x.shape[1]
        packed = weights @ self.table
        full = packed.new_empty(len(weights), p, p)
        full[:, self.upper[0], self.upper[1]] = packed
        full[:, self.upper[1], self.upper[0]] = packed
        factor, failed = torch.linalg.cholesky_ex(full)
        for ridge in RIDGES:  # rounding, near the end: a little more of the diagonal
            bad = failed > 0
            if not bad.any():
                break
            more = torch.diag_embed(ridge * full[bad].diagonal(dim1=1, dim2=2))
            factor[bad], failed[bad] = torch.linalg.cholesky_ex(full[bad] + more)
        return factor

    def feasible(self, dual: Tensor) -> Tensor:
        """The dual point moved to X'v = 0, then into |v| <= 1; rounding apart it is there."""
        dual = dual - (dual @ self.orthonormal) @ self.orthonormal.T
        return dual / dual.abs().amax(dim=1, keepdim=True).clamp_min(1.0)


def _solve(shared: _Shared, y: Tensor, tolerance: float, iterations: int) -> Solution:
    """One chunk of problems, each leaving the batch when it is done."""
    x = shared.x
    least_squares = y @ torch.linalg.pinv(x).T  # (R, p)
    residual = y - least_squares @ x.T
    size = y.abs().sum(dim=1)
    u, dual = least_squares.clone(), torch.zeros_like(y)
    taken = torch.zeros(len(y), dtype=torch.long, device=y.device)
    # what least squares meets to rounding is solved; of the others those still in the batch
    here = torch.nonzero(residual.abs().sum(dim=1) > 1e-13 * size)[:, 0]
    if not len(here):
        return _finish(shared, y, u, dual, taken)
    unit = residual[here].abs().mean(dim=1, keepdim=True)  # each problem in units of its own
    scaled = y[here] / unit
    least = _least(scaled)
    state = _State.start(least_squares[here] / unit, residual[here] / unit)
    for _ in range(iterations):
        new = state.step(shared, scaled)
        sound = torch.stack([part.isfinite().all(dim=1) for part in new]).all(dim=0)
        if not sound.all():  # beyond what double precision resolves: the last iterate stays
            new, scaled, unit = new.pick(sound), scaled[sound], unit[sound]
            here, least = here[sound], least[sound]
        state = new
        v = 2 * state.a - 1
        objective = state.residual(shared, scaled).abs().sum(dim=1)
        gap = objective - (scaled * v).sum(dim=1)
        taken[here] += 1
        u[here], dual[here] = state.u * unit, v
        going = gap > 0.1 * tolerance * torch.maximum(objective, least)
        if not going.any():
            break
        if not going.all():
            state, scaled, unit = state.pick(going), scaled[going], unit[going]
            here, least = here[going], least[going]
    return _finish(shared, y, u, dual, taken)


def _least(y: Tensor) -> Tensor:
    """The least that a gap is a share of."""
    return 1e-3 * y.abs().sum(dim=1)


class _State(NamedTuple):
    """Iterates: coefficients u; a = (v + 1) / 2 in (0, 1) with X'a = X'1/2; and z, w > 0 with
    w - z = y - X u, complementary to a and 1 - a."""

    u: Tensor  # (R, p)
    a: Tensor  # (R, n)
    z: Tensor  # (R, n)
    w: Tensor  # (R, n)

    @classmethod
    def start(cls, u: Tensor, residual: Tensor) -> "_State":
        margin = 0.1  # in units of the mean deviation
        return cls(
            u,
            torch.full_like(residual, 0.5),
            (-residual).clamp_min(0) + margin,
            residual.clamp_min(0) + margin,
        )

    def pick(self, rows: Tensor) -> "_State":
        return _State(*(part[rows] for part in self))

    def residual(self, shared: _Shared, y: Tensor) -> Tensor:
        return torch.addmm(y, self.u, shared.x.T, alpha=-1)

    def step(self, shared: _Shared, y: Tensor) -> "_State":
        """Predictor and corrector, with one factorisation of the normal matrices."""
        x, a, z, w = shared.x, self.a, self.z, self.w
        s = 1 - a
        weights = 1 / (z / a + w / s)  # (R, n)
        factor = shared.normal(weights)

        def direction(right: Tensor) -> tuple[Tensor, Tensor]:
            """du and da from what complementarity lacks."""
            du = torch.cholesky_solve(((weights * right) @ x)[..., None], factor)[..., 0]  # (R, p)
            return du, weights * (right - du @ x.T)

        # predictor: straight to a z = 0 and s w = 0. The dual equation z - w = X u - y holds along
        # the way, so dz - dw = X du; with a dz + z da = -a z and s dw - w da = -s w that is
        # da / q = w - z - X du
        du, da = direction(w - z)
        dz, dw = -z - z * da / a, -w + w * da / s
        primal, dual = _longest(a, da, s, -da), _longest(z, dz, w, dw)
        # corrector: towards a point between, and what the straight line left out
        mu = (a * z + s * w).sum(dim=1)
        ahead = ((a + primal * da) * (z + dual * dz) + (s - primal * da) * (w + dual * dw)).sum(
            dim=1
        )
        centre = (mu * (ahead / mu) ** 3 / (2 * a.shape[1]))[:, None]
        more_z, more_w = (centre - da * dz) / a, (centre + da * dw) / s
        du, da = direction(w - z + more_z - more_w)
        dz, dw = -z - z * da / a + more_z, -w + w * da / s + more_w
        primal, dual = _longest(a, da, s, -da), _longest(z, dz, w, dw)
        return _State(self.u + dual * du, a + primal * da, z + dual * dz, w + dual * dw)


def _longest(first: Tensor, move: Tensor, second: Tensor, other: Tensor) -> Tensor:
    """The longest step up to one that keeps both positive, ``(R, 1)``."""
    worst = torch.minimum((move / first).amin(dim=1), (other / second).amin(dim=1))
    return (CLOSE / (-worst).clamp_min(1e-300)).clamp_max(1.0)[:, None]


def _finish(shared: _Shared, y: Tensor, u: Tensor, dual: Tensor, taken: Tensor) -> Solution:
    """Certify, after one exact solve on the rows that are met, where that is better."""
    x = shared.x

    def certified(u: Tensor, dual: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        objective = (y - u @ x.T).abs().sum(dim=1)
        dual = shared.feasible(dual)
        return objective, dual, objective - (y * dual).sum(dim=1)

    objective, dual, gap = certified(u, dual)
    tried_u, tried_dual, exact = _exact(shared, y, u, dual)
    tried_objective, tried_dual, tried_gap = certified(tried_u, tried_dual)
    better = exact & (tried_gap <= gap)
    u = torch.where(better[:, None], tried_u, u)
    dual = torch.where(better[:, None], tried_dual, dual)
    objective, gap = (
        torch.where(better, new, old)
        for new, old in ((tried_objective, objective), (tried_gap, gap))
    )
    whole = torch.maximum(objective, _least(y)).clamp_min(torch.finfo(y.dtype).tiny)
    relative = gap.clamp_min(0) / whole
    return Solution(u, dual, objective, gap, relative, taken, better)


def _exact(shared: _Shared, y: Tensor, u: Tensor, dual: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Least squares on the rows that are met, and the least-norm dual on them.

    Rows whose dual is inside (-1, 1) are met exactly by an optimal answer. If there are p of them
    or more, their equations give it to rounding; on the others v is the sign of the deviation, and
    X'v = 0 leaves the rest to the rows that are met. Optimal if no entry exceeds one.
    """
    x, p = shared.x, shared.x.shape[1]
    residual = y - u @ x.T
    met = dual.abs() < 1 - 1e-4  # (R, n)
    enough = met.sum(dim=1) >= p
    weights = met.to(y.dtype)
    factor = shared.normal(weights)
    fitted = torch.cholesky_solve(((weights * y) @ x)[..., None], factor)[..., 0]
    again = torch.cholesky_solve(  # once more, on what is left: normal equations lose digits
        ((weights * (y - fitted @ x.T)) @ x)[..., None], factor
    )[..., 0]
    fitted = fitted + again
    signs = torch.where(met, 0.0, residual.sign())
    pull = torch.cholesky_solve((signs @ x)[..., None], factor)[..., 0]
    v = signs - weights * (pull @ x.T)
    found = enough & torch.isfinite(fitted).all(dim=1) & (v.abs().amax(dim=1) <= 1 + 1e-9)
    return torch.where(found[:, None], fitted, u), torch.where(found[:, None], v, dual), found

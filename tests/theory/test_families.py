"""672 hard problems in 28 families, each answer judged by a certificate in extended precision."""

import numpy as np
import pytest
import torch
from families import FAMILIES, problem

from abstractor_lib.theory.least_absolute import least_absolute_deviations

EACH = 24
GAP = 1e-9
Long = np.longdouble


def stacked(x, y, penalty):
    """The penalty as rows."""
    p = x.shape[1]
    extra = penalty * np.eye(p) if penalty else np.zeros((0, p))
    return np.vstack([x, extra]), np.append(y, np.zeros(len(extra)))


def unscaled(x, y):
    """In units of which no product overflows, powers of two: so nothing is rounded."""
    units = np.exp2(np.floor(np.log2(np.abs(x).max(axis=0))))
    top = np.exp2(np.floor(np.log2(np.abs(y).max())))
    return x / units, y / top, units, top


def balanced(x, v, room):
    """v moved to X'v = 0 in extended precision, rows by as much as there is room; then into its
    bounds."""
    order = np.argsort(-np.abs(x * np.sqrt(room)[:, None]).max(axis=1), kind="stable")
    root = np.sqrt(room.astype(Long))[order]
    basis = root[:, None] * x.astype(Long)[order]
    basis = basis / np.sqrt((basis**2).sum(axis=0))
    for j in range(basis.shape[1]):  # each column against those before it
        for _ in range(3):
            basis[:, j] -= basis[:, :j] @ (basis[:, :j].T @ basis[:, j])
            basis[:, j] /= np.sqrt((basis[:, j] ** 2).sum())
    v = v.astype(Long)[order]
    for _ in range(3):
        v = v - root * (basis @ (basis.T @ (v / root)))
    back = np.empty_like(v)
    back[order] = v / max(np.abs(v).max(), 1)
    return back


def proved_gap(x, y, penalty, u, v):
    """How far from optimal u is at most, as a share of what it costs, or of a millionth of the
    sizes that cancel in deviations, by the dual point v. Only u and v are believed."""
    x, y = stacked(x, y, penalty)
    x, y, units, top = unscaled(x, y)
    u = (u * (units / top)).astype(Long)
    room = np.maximum(1 - np.abs(v), 1e-8)
    points = [balanced(x, v, room), balanced(x, v, np.ones_like(v))]
    x, y = x.astype(Long), y.astype(Long)
    assert max(np.abs(point @ x).max() for point in points) < 1e-15
    left = y - x @ u
    objective = np.abs(left).sum()
    size = (np.abs(y) + np.abs(x) @ np.abs(u)).sum()
    bound = max(point @ y for point in points)
    return float((objective - bound) / max(objective, Long(1e-6) * size))


def solve(x, y, penalty):
    found = least_absolute_deviations(
        torch.from_numpy(x), torch.from_numpy(np.ascontiguousarray(y[None])), penalty
    )
    return type(found)(*(part.numpy() for part in found))


@pytest.mark.parametrize("family", FAMILIES)
def test_hard_problems(family):
    for number in range(EACH):
        x, y, penalty = problem(family, number)
        found = solve(x, y, penalty)
        gap = proved_gap(x, y, penalty, found.coefficients[0], found.dual[0])
        assert gap <= GAP, (number, gap)
        assert found.relative_gap[0] <= GAP, number
        if found.exact[0]:
            assert gap <= 1e-7, number

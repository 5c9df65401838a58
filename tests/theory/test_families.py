"""672 hard problems in 28 families, each answer judged by a certificate in extended precision."""

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from abstractor_lib.theory.least_absolute import least_absolute_deviations

from .families import FAMILIES, problem

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


def balanced(x, v):
    """v moved to X'v = 0 in extended precision: each column against those before it, twice."""
    basis = x.astype(Long)
    order = np.argsort(-np.abs(basis).max(axis=1), kind="stable")
    basis, v = basis[order], v.astype(Long)[order]
    basis = basis / np.sqrt((basis**2).sum(axis=0))
    for j in range(basis.shape[1]):
        for _ in range(3):
            basis[:, j] -= basis[:, :j] @ (basis[:, :j].T @ basis[:, j])
        basis[:, j] /= np.sqrt((basis[:, j] ** 2).sum())
    for _ in range(2):
        v = v - basis @ (basis.T @ v)
    back = np.empty_like(v)
    back[order] = v / max(np.abs(v).max(), 1)
    return back


def proved_gap(x, y, penalty, u, v):
    """How far from optimal u is at most, as a share of what it costs, or of a millionth of the
    sizes that cancel in deviations, by the dual point v. Only u and v are believed."""
    x, y = stacked(x, y, penalty)
    x, y, units, top = unscaled(x, y)
    u = (u * (units / top)).astype(Long)
    x, y = x.astype(Long), y.astype(Long)
    v = balanced(x, v)
    assert np.abs(v @ x).max() < 1e-15
    left = y - x @ u
    objective = np.abs(left).sum()
    size = (np.abs(y) + np.abs(x) @ np.abs(u)).sum()
    return float((objective - v @ y) / max(objective, Long(1e-6) * size))


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

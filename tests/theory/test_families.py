"""672 problems that are hard for a solver of least absolute deviations, in 28 families.

Each answer is judged by a certificate in extended precision, of which only u and v are believed.
Sizes are small, so that this is cheap.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from abstractor_lib.theory.interior_point import Loss, Path
from abstractor_lib.theory.least_absolute import least_absolute_deviations

EACH = 24
GAP = 1e-9
Long = np.longdouble


def _errors(random, size, share=0.2):
    return (random.random(size) < share) * 10 * random.standard_cauchy(size)


def _gaussian(random, d=60, p=8):
    return random.standard_normal((d, p))


def _observed(random, x, noise=0.1):
    y = x @ random.standard_normal(x.shape[1])
    return y + noise * random.standard_normal(len(y)) + _errors(random, len(y))


def collinear(condition, noise):
    """Columns with singular values down to 1 / condition."""

    def draw(random):
        left, _, right = np.linalg.svd(_gaussian(random), full_matrices=False)
        x = left * np.geomspace(1, 1 / condition, left.shape[1]) @ right
        return x, _observed(random, x, noise), 0.0

    return draw


def twin_columns(distance):
    """Two columns that are nearly the same."""

    def draw(random):
        x = _gaussian(random)
        x[:, 1] = x[:, 0] + distance * random.standard_normal(len(x))
        return x, _observed(random, x, 0.0), 0.0

    return draw


def wide(penalty, d=30, p=60, noise=0.1):
    """More columns than rows, and a small penalty."""

    def draw(random):
        x = _gaussian(random, d, p)
        return x, _observed(random, x, noise), penalty

    return draw


def penalised(penalty, d=60, p=20):
    def draw(random):
        x = _gaussian(random, d, p)
        return x, _observed(random, x), penalty

    return draw


def scaled(rows=0, columns=0, y=0, x=0, noise=0.1, share=0.2, d=60):
    """Rows, or columns, scaled by up to ten to these powers; y and x by exactly those."""

    def draw(random):
        design = _gaussian(random, d)
        sizes = 10.0 ** random.uniform(-columns, columns, design.shape[1])
        heights = 10.0 ** random.uniform(-rows, rows, (d, 1))
        clean = design @ random.standard_normal(design.shape[1])
        target = clean + noise * random.standard_normal(d) + _errors(random, d, share)
        with np.errstate(over="ignore"):
            return design * heights * sizes * 10.0**x, target * heights[:, 0] * 10.0**y, 0.0

    return draw


def ties(random):
    """Small integers: many answers meet more rows than they have coefficients."""
    x = random.integers(-2, 3, (60, 5)).astype(float)
    return x, random.integers(-3, 4, 60).astype(float), 0.0


def duplicates(random):
    """Every row several times, with other observations."""
    x = np.repeat(_gaussian(random, 12, 5), 5, axis=0)
    return x, np.round(_observed(random, x), 1), 0.0


def medians(random):
    """One constant column and an even number of rows: an interval of answers."""
    return np.ones((40, 1)), random.standard_normal(40), 0.0


def groups(random):
    """Indicators of groups of even size: every combination of medians."""
    x = np.kron(np.eye(6), np.ones((8, 1)))
    return x, random.standard_normal(48), 0.0


def dependent(random):
    """A design of rank 4 in 10 columns; the penalty makes it one problem."""
    x = _gaussian(random, 40, 4) @ random.standard_normal((4, 10))
    return x, _observed(random, x), 0.5


def met(random):
    """No errors: every row is met."""
    x = _gaussian(random)
    return x, x @ random.standard_normal(x.shape[1]), 0.0


def barely(random):
    """Deviations of a billionth of what is fitted."""
    x = _gaussian(random)
    y = x @ random.standard_normal(x.shape[1])
    return x, y + 1e-9 * random.standard_normal(len(y)), 0.0


def sparse_errors(random):
    """Most rows are met, the others grossly wrong."""
    x = _gaussian(random, 80, 10)
    return x, _observed(random, x, 0.0), 0.0


def outlier(random):
    """One row a trillion times as far away as the others, in x too."""
    x = _gaussian(random)
    x[0] *= 1e6
    y = _observed(random, x)
    y[1] += 1e12
    return x, y, 0.0


def polynomial(random):
    """Powers of one variable, up to the ninth."""
    t = np.sort(random.uniform(0, 1, 60))
    x = np.vander(t, 10)
    return x, np.sin(6 * t) + _errors(random, 60), 0.0


FAMILIES = {
    "collinear 1e6": collinear(1e6, 0.0),
    "collinear 1e8": collinear(1e8, 0.0),
    "collinear 1e10": collinear(9e9, 0.0),
    "collinear 1e6, noise": collinear(1e6, 0.1),
    "collinear 1e8, noise": collinear(1e8, 0.1),
    "twin columns 1e-6": twin_columns(1e-6),
    "twin columns 1e-9": twin_columns(1e-9),
    "polynomial": polynomial,
    "wide, penalty 1e-8": wide(1e-8),
    "wide, penalty 1e-6": wide(1e-6),
    "wide, penalty 1e-5": wide(1e-5, noise=0.0),
    "tall, penalty 1e-7": penalised(1e-7),
    "tall, penalty 1e3": penalised(1e3),
    "dependent columns, penalty": dependent,
    "rows 1e-4 to 1e4": scaled(rows=4),
    "rows 1e-8 to 1e8": scaled(rows=8),
    "columns 1e-8 to 1e8": scaled(columns=8),
    "rows and columns 1e-6 to 1e6": scaled(rows=6, columns=6),
    "x and y 1e306": scaled(x=305, y=305, d=30),
    "y 1e-300": scaled(y=-300),
    "ties": ties,
    "duplicates": duplicates,
    "an interval of medians": medians,
    "groups of even size": groups,
    "every row met": met,
    "deviations of a billionth": barely,
    "sparse errors": sparse_errors,
    "one row beyond all": outlier,
}


def problem(family, number):
    """The design, observations and penalty of a family's problem of this number."""
    return FAMILIES[family](np.random.default_rng([number, len(family), *family.encode()]))


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


@pytest.mark.first(14)
@pytest.mark.parametrize("family", FAMILIES)
def test_hard_problems(family):
    for number in range(EACH):
        x, y, penalty = problem(family, number)
        found = solve(x, y, penalty)
        gap = proved_gap(x, y, penalty, found.coefficients[0], found.dual[0])
        assert gap <= GAP, (number, gap)
        assert found.relative_gap[0] <= GAP, number
        if found.exact[0]:
            assert_vertex(x, y, penalty, found)


@pytest.mark.parametrize("form", [torch.from_numpy, csr_array])
@pytest.mark.parametrize("family", FAMILIES)
def test_hard_problems_alone(family, form):
    for number in range(EACH // 4):
        x, y, penalty = problem(family, number)
        given_y = torch.from_numpy(np.ascontiguousarray(y[None]))
        found = least_absolute_deviations(form(x), given_y, penalty, alone=True)
        u, v = found.coefficients[0].numpy(), found.dual[0].numpy()
        assert proved_gap(x, y, penalty, u, v) <= GAP, number
        assert found.relative_gap[0] <= GAP, number


seeds = st.integers(0, 2**32 - 1)
wider = settings(deadline=None, max_examples=25)


def check(drawn):
    x, y, penalty = drawn
    found = solve(x, y, penalty)
    assert proved_gap(x, y, penalty, found.coefficients[0], found.dual[0]) <= GAP
    assert found.relative_gap[0] <= GAP


@wider
@given(seeds, st.floats(0, 9.9), st.sampled_from([0.0, 1e-6, 0.1]))
def test_any_condition(seed, power, noise):
    check(collinear(10**power, noise)(np.random.default_rng(seed)))


@wider
@given(seeds, st.floats(-8, 3), st.sampled_from([(30, 60), (20, 22), (60, 20)]))
def test_any_penalty(seed, power, shape):
    check(wide(10**power, *shape)(np.random.default_rng(seed)))


@wider
@given(seeds, st.floats(0, 8), st.floats(0, 8), st.floats(-300, 280))
def test_any_scale(seed, rows, columns, y):
    check(scaled(rows=rows, columns=columns, y=y)(np.random.default_rng(seed)))


def assert_vertex(x, y, penalty, found):
    """The rows that the answer meets to rounding have full rank."""
    x, y = stacked(x, y, penalty)
    x, y, units, top = unscaled(x, y)
    u = found.coefficients[0] * (units / top)
    sizes = np.abs(y) + np.abs(x).sum(axis=1) * np.abs(u).max()
    met = x[np.abs(y - x @ u) <= 2e-12 * sizes]
    met = met / np.abs(met).max(axis=1, keepdims=True)
    met = met / np.linalg.norm(met, axis=0)
    assert np.linalg.svd(met, compute_uv=False)[-1] > 1e-13
    assert len(met) >= x.shape[1]


@pytest.mark.parametrize(
    "family",
    ["ties", "duplicates", "groups of even size", "sparse errors", "tall, penalty 1e3", "wide, 1"],
)
def test_against_highs_at_its_tightest(family):
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    for number in range(4):
        draw = wide(1.0) if family == "wide, 1" else FAMILIES[family]
        x, y, penalty = draw(np.random.default_rng(number))
        found = solve(x, y, penalty)
        rows, target = stacked(x, y, penalty)
        known = linprog(
            -target,
            A_eq=rows.T,
            b_eq=np.zeros(rows.shape[1]),
            bounds=[(-1, 1)] * len(rows),
            method="highs",
            options=tight,
        )
        assert found.objective[0] == pytest.approx(-known.fun, rel=1e-9)


def test_x_and_y_that_are_too_far_apart():
    x = 1e-300 * np.random.default_rng(0).standard_normal((10, 2))
    with pytest.raises(ValueError, match="coefficients exceed double precision"):
        solve(x, 1e300 * np.arange(10.0), 0.0)


@pytest.mark.first(3)
@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("rows, columns", [(60, 20), (60, 36), (100, 60), (60, 48)])
def test_many_together_with_errors_of_any_size(rows, columns, power):
    """Errors that are powers of Cauchy numbers: the largest are up to a trillion times the median.
    Of few observations more than columns, the solver works in the complement of the design."""
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, columns))
    y = random.random((60, columns)) @ x.T / columns
    errors = random.standard_cauchy(y.shape) ** power
    y += (random.random(y.shape) < 0.3) * errors
    found = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y))
    for observed, u, v in zip(y, found.coefficients.numpy(), found.dual.numpy(), strict=True):
        assert proved_gap(x, observed, 0.0, u, v) <= GAP
    assert found.relative_gap.max() <= GAP


def test_an_answer_depends_on_no_other_problem():
    random = np.random.default_rng(1)
    x = random.standard_normal((60, 36))
    y = random.standard_normal((40, 60)) + 1e3 * random.standard_cauchy((40, 60)) ** 3
    together = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y))
    alone = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y[:1]))
    assert together.iterations[0] <= 60
    assert together.objective[0].item() == pytest.approx(alone.objective[0].item(), rel=2 * GAP)


def test_a_point_moved_from_its_bounds_stays_on_the_line():
    """a and 1 - a still add up to one, in double precision: a share of single precision had not."""
    inside = torch.rand(2, 3, 50, dtype=torch.float64)
    path = Path(torch.zeros(3, 50, dtype=torch.float64), inside / inside.sum(dim=0), inside)
    half = Loss(torch.full((1, 1), 0.5, dtype=torch.float64))
    moved = path.loosened(torch.tensor([True, False, True]), half)
    assert (moved.inside.sum(dim=0) - 1).abs().max() < 1e-15
    assert torch.equal(moved.inside[:, 1], path.inside[:, 1])

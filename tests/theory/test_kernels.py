"""Mercer kernels: closed forms against integrals, quadrature and each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special
from scipy.spatial.distance import cdist

from abstractor_lib.theory import mercer
from abstractor_lib.theory.domains import Box, Circle, Sphere
from abstractor_lib.theory.kernels import INTERVAL, MERCER, OTHERS, components, relation

CLOSED = [one for one in MERCER.values() if one.eigenpairs]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("domain", [Box(0, 1), Box(-1, 2, dim=2), Circle(), Sphere()])
def test_against_closed_moments(domain):
    """Second moments: of a box from its edges, of a unit sphere in d dimensions 1/d."""
    rule = domain.quadrature(200)
    assert rule.weights.sum() == pytest.approx(1)
    moments = (rule.nodes.T * rule.weights) @ rule.nodes
    if isinstance(domain, Box):
        low, high = domain.low, domain.high
        square, mean = (high**3 - low**3) / (3 * (high - low)), (low + high) / 2
        wanted = np.full((domain.dim, domain.dim), mean**2)
        np.fill_diagonal(wanted, square)
    else:
        wanted = np.eye(domain.dim) / domain.dim
    np.testing.assert_allclose(moments, wanted, atol=1e-12)
    drawn = domain.sample(np.random.default_rng(0), 20_000)
    np.testing.assert_allclose(drawn.T @ drawn / len(drawn), wanted, atol=0.03)
    grid = domain.grid(900)
    assert 800 <= len(grid) <= 1000 and grid.shape[1] == domain.dim
    assert cdist(drawn[:200], grid).min(axis=1).max() < 0.2  # no hole


def test_bad_boxes():
    with pytest.raises(ValueError, match="low is 1 and high 0; expected low < high"):
        Box(1, 0)
    with pytest.raises(ValueError, match="dim is 0; expected at least 1"):
        Box(0, 1, dim=0)


@pytest.mark.parametrize("kernel", CLOSED, ids=lambda one: one.name)
def test_closed_eigenfunctions_are_orthonormal(kernel):
    values, functions = kernel.eigenpairs(9)
    rule = kernel.domain.quadrature(900)
    found = functions(rule.nodes)
    products = (found.T * rule.weights) @ found
    used = values > 0
    np.testing.assert_allclose(products[used][:, used], np.eye(used.sum()), atol=1e-9)
    assert (np.diff(values) <= 1e-12).all()


@pytest.mark.parametrize("name", ["polynomial", "laplacian", "brownian"])
def test_against_the_integral_equation(name):
    """int r(x, y) psi(y) dy = lambda psi(x), by adaptive quadrature split at the kink."""
    kernel = relation(name)
    values, functions = kernel.eigenpairs(4)
    for x in (0.13, 0.5, 0.98):
        at = np.array([[x]])
        for j, value in enumerate(values):

            def integrand(y, j=j, at=at):
                point = np.array([[y]])
                return (kernel(at, point) * functions(point)[:, j])[0, 0]

            found = sum(integrate.quad(integrand, a, b)[0] for a, b in [(0, x), (x, 1)])
            assert found == pytest.approx(value * functions(at)[0, j], abs=1e-9)


def test_against_bessel_series_on_the_circle():
    """exp(k cos t) = I_0(k) + 2 sum_m I_m(k) cos(m t) (Abramowitz & Stegun 9.6.34)."""
    points = Circle().grid(7)
    angle = np.arctan2(points[:, 1], points[:, 0])
    t = angle[:, None] - angle
    series = special.iv(0, 2) + 2 * sum(special.iv(m, 2) * np.cos(m * t) for m in range(1, 20))
    np.testing.assert_allclose(relation("circle")(points, points), series * np.exp(-2), atol=1e-12)


@pytest.mark.parametrize("kernel", CLOSED, ids=lambda one: one.name)
def test_against_nystrom(kernel):
    """Closed eigenvalues and truncations; kernels with a kink converge slowly."""
    rule = kernel.domain.quadrature(900)
    kink = kernel.name in ("laplacian", "brownian")
    values, _ = kernel.eigenpairs(9)
    found, _ = mercer.nystrom(kernel, 9, rule)
    np.testing.assert_allclose(found, values, atol=1e-5 if kink else 1e-10)
    points = kernel.domain.grid(200)
    for count in (1, 3, 9):
        closed = mercer.truncation(kernel, kernel.eigenpairs(count), points)
        other = mercer.truncation(kernel, mercer.nystrom(kernel, count, rule), points)
        if kernel.name in ("linear", "circle", "sphere") and count in (1, 3):
            continue  # within a repeated eigenvalue any basis will do, and truncations differ
        assert other == pytest.approx(closed, abs=1e-3 if kink else 1e-9)


def test_truncation_against_the_tail_of_the_series():
    """Of min(x, y) the worst point is (1, 1): what is left is sum_{j > n} 2 / ((j - 1/2) pi)^2."""
    for count in (1, 5, 20):
        left = 2 * special.polygamma(1, count + 0.5) / np.pi**2
        found = mercer.truncation(
            relation("brownian"), relation("brownian").eigenpairs(count), INTERVAL.grid(301)
        )
        assert found == pytest.approx(left, rel=1e-9)


@pytest.mark.parametrize("name", MERCER)
def test_mercer_kernels_are_positive_and_others_are_not(name):
    points = relation(name).domain.grid(100)
    found = mercer.geometry(relation(name)(points, points))
    assert found.smallest_eigenvalue > -1e-12
    assert found.triangle < 1e-9


@pytest.mark.parametrize("name", OTHERS)
def test_other_relations_are_not_mercer_kernels(name):
    found = mercer.spectrum(relation(name).function, relation(name).domain.quadrature(64))
    assert mercer.floor_shared(found, rank=64) > 0.1
    assert mercer.floor_separate(found, rank=64) < 1e-12


@given(seeds, st.integers(0, 6))
def test_floors_are_attained_and_never_undercut(seed, rank):
    """Against explicit constructions, and against random features of that rank."""
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((6, 6))

    def function(x, y):
        return matrix[np.ix_(x[:, 0].astype(int), y[:, 0].astype(int))]

    rule = mercer.Quadrature(np.arange(6.0)[:, None], np.full(6, 1 / 6))
    found = mercer.spectrum(function, rule)
    norm = lambda gap: np.linalg.norm(gap) / 6  # noqa: E731  of L2 for the uniform measure
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = np.maximum(values, 0) * (np.argsort(np.argsort(-values)) < rank)
    assert mercer.floor_shared(found, rank) == pytest.approx(
        norm(matrix - vectors * kept @ vectors.T)
    )
    left, singular, right = np.linalg.svd(matrix)
    best = (left[:, :rank] * singular[:rank]) @ right[:rank]
    assert mercer.floor_separate(found, rank) == pytest.approx(norm(matrix - best))
    phi, psi = random.standard_normal((2, 6, rank))
    assert norm(matrix - phi @ phi.T) >= mercer.floor_shared(found, rank) - 1e-12
    assert norm(matrix - phi @ psi.T) >= mercer.floor_separate(found, rank) - 1e-12


def test_features_in_a_span_that_holds_the_eigenfunctions_are_optimal():
    kernel = relation("brownian")
    rule = kernel.domain.quadrature(128)
    values, functions = kernel.eigenpairs(30)
    mix = np.random.default_rng(0).standard_normal((30, 30))
    phi = mercer.in_span(kernel, lambda x: functions(x) @ mix, 3, rule)
    x = kernel.domain.grid(50)
    series = functions(x)[:, :3] * np.sqrt(values[:3])
    np.testing.assert_allclose(phi(x) @ phi(x).T, series @ series.T, atol=2e-4)
    narrow = mercer.in_span(kernel, lambda x: functions(x)[:, :2], 5, rule)
    assert narrow(x).shape == (50, 5)
    assert (narrow(x)[:, 2:] == 0).all()


def test_random_waves_against_their_mean():
    """E[2 cos(<v, x> + b) cos(<v, y> + b)] = exp(-scale^2 |x - y|^2 / 2) (Rahimi & Recht 2007)."""
    x = np.random.default_rng(0).uniform(-1, 1, (6, 2))
    phi = mercer.random_waves(np.random.default_rng(1), 2, 100_000, 1.5)(x)
    kernel = np.exp(-(1.5**2) * cdist(x, x) ** 2 / 2)
    np.testing.assert_allclose(2 * phi @ phi.T / 100_000, kernel, atol=0.02)


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "brownian", "circle"])
def test_fixed_features_come_near_a_kernel(name):
    """Remark 3.1: both kinds, with a linear map to 16 features, near the sup-norm series of 16."""
    kernel = relation(name)
    rule, x = kernel.domain.quadrature(200), kernel.domain.grid(300)
    series = mercer.truncation(kernel, mercer.nystrom(kernel, 16, rule), x)
    waves = mercer.random_waves(np.random.default_rng(0), kernel.domain.dim, 64, 6.0)
    for basis in (waves, mercer.radial_basis(kernel.domain.grid(64))):
        phi = mercer.in_span(kernel, basis, 16, rule)(x)
        assert np.abs(phi @ phi.T - kernel(x, x)).max() < 1.2 * series + 0.01


def test_radial_features_against_a_loop():
    centres = np.array([[0.0], [0.5], [1.0]])
    found = mercer.radial_basis(centres)(np.array([[0.2]]))[0]
    assert found.tolist() == pytest.approx([np.exp(-((0.2 - c) ** 2) / 2) for c in (0, 0.5, 1)])


@given(seeds)
def test_geometry_against_distances_of_features(seed):
    features = np.random.default_rng(seed).standard_normal((8, 3))
    found = mercer.geometry(features @ features.T)
    np.testing.assert_allclose(found.distances, cdist(features, features), atol=1e-6)
    np.testing.assert_allclose(found.cosines, 1 - cdist(features, features, "cosine"), atol=1e-9)
    assert found.triangle < 1e-6


def test_geometry_of_the_brownian_kernel_is_the_root_of_the_distance():
    x = INTERVAL.grid(40)
    found = mercer.geometry(relation("brownian")(x, x))
    np.testing.assert_allclose(found.distances, np.sqrt(np.abs(x - x.T)), atol=1e-7)
    least, most = np.minimum(x, x.T)[1:, 1:], np.maximum(x, x.T)[1:, 1:]
    np.testing.assert_allclose(found.cosines[1:, 1:], np.sqrt(least / most), atol=1e-12)
    assert np.isnan(found.cosines[0]).all()  # the object 0 has no length


def test_what_is_no_geometry_is_seen():
    """Pairwise 'distances' 1, 1 and 3 break the triangle inequality."""
    squares = np.array([[0.0, 1, 9], [1, 0, 1], [9, 1, 0]])
    found = mercer.geometry(-squares / 2)
    assert found.triangle == pytest.approx((3 - 2) / 3)
    assert found.smallest_eigenvalue < 0
    assert mercer.geometry(-np.eye(3)).smallest_eigenvalue == -1
    assert mercer.geometry(np.zeros((2, 2))).smallest_eigenvalue == 0
    with pytest.raises(ValueError, match="matrix is not symmetric; expected"):
        mercer.geometry(np.array([[1.0, 9.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="relation is not symmetric; expected"):
        mercer.nystrom(relation("before"), 3, INTERVAL.quadrature(20))


@pytest.mark.parametrize("name", [*MERCER, *OTHERS])
def test_points_of_another_dimension_are_refused(name):
    """Before, a kernel of one coordinate took the first of several, or mixed them."""
    kernel = relation(name)
    points = kernel.domain.grid(8)
    np.testing.assert_array_equal(kernel(points.tolist(), points), kernel.function(points, points))
    wider = np.zeros((4, kernel.domain.dim + 1))
    with pytest.raises(ValueError, match=r"x has shape \(4, .\); expected \(points, "):
        kernel(wider, points)
    with pytest.raises(ValueError, match=r"y has shape \(3,\); expected \(points, "):
        kernel(points, np.zeros(3))


@pytest.mark.parametrize("name", [one.name for one in MERCER.values() if one.eigenpairs])
@pytest.mark.parametrize("count", [-2, 0, 2.5])
def test_the_number_of_eigenpairs_is_checked(name, count):
    with pytest.raises(ValueError, match=f"count is {count}; expected an integer of at least 1"):
        MERCER[name].eigenpairs(count)


@pytest.mark.parametrize("floor", [mercer.floor_shared, mercer.floor_separate])
def test_the_rank_of_a_floor_is_checked(floor):
    some = mercer.Spectrum(np.array([3.0, 1.0]), np.array([3.0, 1.0]), 0.0)
    assert floor(some, 0) == pytest.approx(10**0.5)
    with pytest.raises(ValueError, match="rank is -1; expected an integer of at least 0"):
        floor(some, -1)


def test_a_geometry_is_of_a_square_matrix():
    with pytest.raises(ValueError, match=r"matrix has shape \(2, 3\); expected \(points, points\)"):
        mercer.geometry(np.zeros((2, 3)))


def test_names_and_counts_are_checked():
    with pytest.raises(ValueError, match="name is 'cubic'; allowed: linear, polynomial"):
        relation("cubic")
    assert [one.name for one in components("vector")] == ["brownian", "gaussian", "polynomial"]
    assert [one.name for one in components("half")] == ["half"]
    with pytest.raises(ValueError, match="count is 9; allowed: 1 to 4"):
        mercer.nystrom(relation("brownian"), 9, INTERVAL.quadrature(4))

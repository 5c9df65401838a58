"""Networks built by hand against numpy's interpolation, torch, and closed forms."""

import numpy as np
import pytest
import torch

from abstractor_lib.theory import mercer
from abstractor_lib.theory.construction import interpolating, proved_bound
from abstractor_lib.theory.domains import Box, Circle
from abstractor_lib.theory.kernels import INTERVAL, MERCER, OTHERS, brownian_eigenpairs
from abstractor_lib.theory.series_bounds import SMOOTH, curvature, rest

ON_INTERVAL = [name for name, one in MERCER.items() if one.domain is INTERVAL]


def eigenpairs(name, rank):
    kernel = MERCER[name]
    if kernel.eigenpairs:
        return kernel.eigenpairs(rank)
    return mercer.nystrom(kernel, rank, INTERVAL.quadrature(256))


def error(name, rank, width, points=3001):
    """Of the built network, on a grid of its own with the knots, their middles and both ends."""
    kernel = MERCER[name]
    values, functions = eigenpairs(name, rank)
    network = interpolating(lambda x: functions(x) * np.sqrt(values), kernel.domain, width)
    x = np.union1d(np.linspace(0, 1, points), np.linspace(0, 1, 2 * width + 1))[:, None]
    return np.abs(network(x) @ network(x).T - kernel(x, x)).max()


def test_against_numpy_and_torch():
    domain = Box(-1, 3)
    network = interpolating(lambda x: np.c_[np.sin(x), x**2], domain, 7)
    x, knots = np.linspace(-1, 3, 50), np.linspace(-1, 3, 8)
    for column, f in enumerate((np.sin, np.square)):
        np.testing.assert_allclose(
            network(x[:, None])[:, column], np.interp(x, knots, f(knots)), atol=1e-12
        )
    layers = torch.nn.Linear(1, 7).double(), torch.nn.Linear(7, 2).double()
    parts = np.ones((7, 1)), -network.knots, network.changes.T, network.start
    with torch.no_grad():
        for part, value in zip([p for one in layers for p in one.parameters()], parts, strict=True):
            part.copy_(torch.from_numpy(value))
        found = layers[1](torch.relu(layers[0](torch.from_numpy(x[:, None])))).numpy()
    np.testing.assert_allclose(found, network(x[:, None]), atol=1e-12)


@pytest.mark.first(6)
@pytest.mark.parametrize("name", ON_INTERVAL)
@pytest.mark.parametrize("rank", [2, 4, 16])
def test_errors_stay_below_the_bound_and_get_near_it(name, rank):
    for width in (4, 16, 64):
        bound = sum(proved_bound(MERCER[name], eigenpairs(name, rank), width))
        assert error(name, rank, width) <= bound * (1 + 1e-9)
    assert error(name, rank, 64) > bound / 5


@pytest.mark.parametrize("name", ON_INTERVAL)
@pytest.mark.parametrize("rank", [1, 4, 16, 64])
def test_bounds_of_series_against_differences(name, rank):
    """Eigenfunctions go on beyond [0, 1], so differences are central at the ends, too."""
    values, functions = eigenpairs(name, rank)
    x, step = np.linspace(0, 1, 801)[:, None], 1e-4

    def features(at):
        return functions(at) * np.sqrt(values)

    bent = (features(x + step) - 2 * features(x) + features(x - step)) / step**2
    found = np.abs(bent @ features(x).T).max()
    assert found <= curvature(MERCER[name], values) * (1 + 1e-5)
    assert found > curvature(MERCER[name], values) / (2 if rank > 1 else 20)
    found = mercer.truncation(MERCER[name], (values, functions), x)
    assert found <= rest(MERCER[name], (values, functions)) + 1e-12
    if name in ("brownian", "laplacian") and rank > 1:
        assert found > 0.9 * rest(MERCER[name], (values, functions))


def test_eigenfunctions_of_the_laplacian_kernel_as_the_bounds_take_them():
    """psi'' = -w^2 psi with w^2 = 4 / lambda - 4, psi^2 at most 2 / (1 + lambda)."""
    values, functions = MERCER["laplacian"].eigenpairs(9)
    x, step = np.linspace(0, 1, 4001)[:, None], 1e-4
    bent = (functions(x + step) - 2 * functions(x) + functions(x - step)) / step**2
    np.testing.assert_allclose(bent, -(4 / values - 4) * functions(x), atol=1e-2)
    assert (functions(x) ** 2 <= 2 / (1 + values) * (1 + 1e-9)).all()
    at_the_end = 2 * (1 - values) / (1 + values)
    np.testing.assert_allclose(functions(np.ones((1, 1)))[0] ** 2, at_the_end)


def test_largest_derivatives_of_smooth_kernels():
    """D_0, D_1 and D_2 by automatic differentiation."""
    kernels = {
        "gaussian": lambda x, y: torch.exp(-((x - y) ** 2) / (2 * 0.2**2)),
        "polynomial": lambda x, y: (1 + x * y) ** 3,
    }
    for name, kernel in kernels.items():
        x, y = (torch.linspace(0, 1, 21).double().requires_grad_() for _ in range(2))
        each, found = kernel(x, y), []
        for _ in range(3):
            found.append(each.max().item())
            for at in (x, y):
                (each,) = torch.autograd.grad(each.sum(), at, create_graph=True)
        assert found == pytest.approx(SMOOTH[name])


def test_bounds_in_closed_form():
    """min: the sum of 2 lambda_j beyond n at (1, 1), where d^2 r_n / dx^2 is -2 n; (1 + xy)^3: its
    second derivative is 6 y^2 (1 + xy)."""
    for count, width in ((1, 3), (8, 40), (256, 256)):
        values, _ = brownian_eigenpairs(count)
        series, added = proved_bound(MERCER["brownian"], brownian_eigenpairs(count), width)
        assert series == pytest.approx(1 - 2 * values.sum())
        assert added == pytest.approx(count / (2 * width**2))
        assert series + added <= 2 / (np.pi**2 * count) + count / (2 * width**2)
    kernel = MERCER["polynomial"]
    assert proved_bound(kernel, kernel.eigenpairs(4), 4) == (0.0, 0.1875)


@pytest.mark.parametrize("name", ["brownian", "laplacian"])
def test_bounds_in_closed_form_refuse_eigenpairs_by_quadrature(name):
    """From few nodes the formulas give less than the error: no bound."""
    kernel = MERCER[name]
    pairs = mercer.nystrom(kernel, 4, INTERVAL.quadrature(6))
    for bound in (rest, lambda *given: proved_bound(*given, 10)):
        with pytest.raises(ValueError, match=f"pairs holds other eigenvalues than .* of {name}"):
            bound(kernel, pairs)
    with pytest.raises(ValueError, match=r"values holds other .* relation.eigenpairs\(4\)"):
        curvature(kernel, pairs[0])


@pytest.mark.parametrize("name", ["gaussian", "polynomial"])
def test_bounds_of_smooth_kernels_hold_for_eigenpairs_by_quadrature(name):
    kernel, x = MERCER[name], np.linspace(0, 1, 801)[:, None]
    pairs = mercer.nystrom(kernel, 3, INTERVAL.quadrature(6))
    assert mercer.truncation(kernel, pairs, x) <= rest(kernel, pairs)


def test_interpolation_falls_as_the_square_of_the_width():
    """Of a series that is exact: (1 + xy)^3 has four terms."""
    errors = [error("polynomial", 4, width) for width in (8, 16, 32, 64)]
    slopes = np.diff(np.log2(errors))
    np.testing.assert_allclose(slopes, -2, atol=0.15)


def test_with_as_many_features_as_units_the_error_of_min_falls_for_good():
    errors = [error("brownian", width, width) for width in (8, 32, 128)]
    np.testing.assert_allclose(np.diff(np.log2(errors)), -2, atol=0.2)  # a quarter the size, 4 x


def test_bad_input():
    with pytest.raises(ValueError, match="domain is no interval"):
        interpolating(np.sin, Circle(), 4)
    with pytest.raises(ValueError, match="width is 0; expected at least 1"):
        interpolating(np.sin, Box(0, 1), 0)
    for relation, width, said in (
        (MERCER["circle"], 4, "domain is no interval"),
        (MERCER["brownian"], 0, "width is 0; expected at least 1"),
        (OTHERS["distance"], 4, "relation is distance; allowed, of the catalogue"),
    ):
        with pytest.raises(ValueError, match=said):
            proved_bound(relation, brownian_eigenpairs(2), width)

"""Networks built by hand against numpy's interpolation, torch, and closed forms."""

import numpy as np
import pytest
import torch

from abstractor_lib.theory.construction import interpolating, proved_bound
from abstractor_lib.theory.domains import Box, Circle
from abstractor_lib.theory.kernels import INTERVAL, MERCER, brownian_eigenpairs

ON_INTERVAL = [name for name, one in MERCER.items() if one.domain is INTERVAL and one.eigenpairs]


def error(name, rank, width, points=3001):
    """Of the built network, on a grid of its own."""
    kernel = MERCER[name]
    values, functions = kernel.eigenpairs(rank)
    network = interpolating(lambda x: functions(x) * np.sqrt(values), kernel.domain, width)
    x = np.linspace(0, 1, points)[:, None]
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


@pytest.mark.parametrize("name", ON_INTERVAL)
@pytest.mark.parametrize("rank", [4, 16])
def test_errors_stay_below_the_bound_and_get_near_it(name, rank):
    kernel = MERCER[name]
    for width in (4, 16, 64):
        bound = sum(proved_bound(kernel, kernel.eigenpairs(rank), width))
        assert error(name, rank, width) <= bound * (1 + 1e-3)  # suprema on grids
    assert error(name, rank, 64) > bound / 5


def test_the_bound_of_min_in_closed_form():
    """sup of r - r_n is at (1, 1): the sum of 2 lambda_j beyond n; d^2 r_n / dx^2 is -2 n there."""
    kernel = MERCER["brownian"]
    for count, width in ((1, 3), (8, 40)):
        values, _ = brownian_eigenpairs(count)
        series, added = proved_bound(kernel, brownian_eigenpairs(count), width)
        assert series == pytest.approx(1 - 2 * values.sum(), abs=1e-9)
        assert added == pytest.approx(count / (2 * width**2), rel=1e-3)


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

"""Moments of corrupted inner products against simulation, and against scipy's distributions."""

import numpy as np
import pytest
from scipy import stats

from abstractor_lib.tasks.corruption import KINDS, corrupt
from abstractor_lib.theory import random_maps
from abstractor_lib.theory.random_maps import inner_product_moments, relative_spread

DRAWS = 20_000


@pytest.mark.parametrize("level", [0.1, 0.7])
@pytest.mark.parametrize("kind", KINDS)
def test_against_simulation(kind, level):
    generator = np.random.default_rng(0)
    pair = generator.standard_normal((2, 5))
    drawn = np.array([np.prod(corrupt(pair, kind, level, generator), axis=0).sum()
                      for _ in range(DRAWS)])  # fmt: skip
    found = inner_product_moments(kind, *pair, level)
    assert abs(drawn.mean() - found.mean) < 5 * np.sqrt(found.variance / DRAWS)
    assert drawn.var() == pytest.approx(found.variance, rel=0.1)


def test_the_size_of_a_mapped_object_is_a_chi_square():
    """|Phi x|^2 is sigma^2 |x|^2 times a chi-square variable of d degrees of freedom."""
    x = np.array([1.0, 2.0, -1.0, 0.5])
    found = inner_product_moments("linear", x, x, 0.4)
    scale = 0.4**2 * (x @ x)
    assert found.mean == pytest.approx(scale * stats.chi2(4).mean())
    assert found.variance == pytest.approx(scale**2 * stats.chi2(4).var())


def test_relative_spread_is_that_of_the_linear_map_at_any_level_and_falls_with_the_dimension():
    generator = np.random.default_rng(1)
    for dim in (3, 12, 400):
        x, y = generator.standard_normal((2, 7, dim))  # (7, d)
        sizes = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
        cosine = (x * y).sum(axis=1) / sizes
        for level in (0.1, 2.0):
            found = inner_product_moments("linear", x, y, level)
            share = np.sqrt(found.variance) / (dim * level**2 * sizes)
            assert share == pytest.approx(relative_spread(dim, cosine))
    assert relative_spread(48) == pytest.approx(relative_spread(12) / 2)


def test_unknown_corruption():
    assert random_maps.KINDS == KINDS
    with pytest.raises(ValueError, match="kind is 'rotation'; allowed: additive, linear"):
        inner_product_moments("rotation", np.ones(2), np.ones(2), 0.1)

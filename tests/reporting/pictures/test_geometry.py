"""Pictures of simplices show what is computed."""

import numpy as np
import pytest

from abstractor_lib.reporting.pictures import geometry
from abstractor_lib.theory.simplices import triple_product


def test_a_block_stands_on_both_supports_alone():
    both = [geometry.LEFT, geometry.RIGHT]
    assert [geometry.stands(some) for some in (both, both[:1], both[1:])] == [True, False, False]
    figure, corners = geometry.three_way()
    titles = [axis.get_title() for axis in figure.axes]
    assert [title.rpartition(" ")[2] for title in titles] == [
        "stands",
        "falls",
        "falls",
        "simplices",
    ]
    assert corners["y"].min() == 0  # a fallen block ends on the ground
    for _, block in corners[corners["block"] == "i"].groupby("panel"):
        sides = np.linalg.norm(np.diff(block[["x", "y"]], axis=0), axis=1)
        np.testing.assert_allclose(sides, [3, 0.6, 3], atol=1e-3)  # and keeps its shape


def test_volumes_and_products_are_drawn_alike():
    figure, points = geometry.volumes((90, 30))
    np.testing.assert_allclose(points["product"], points["volume"], atol=1e-4)
    last = points[points["turn"].eq(90) & points["panel"].eq("triple product")]
    np.testing.assert_allclose(last["product"], [0, 0.75])  # (a.b)^2
    assert len(figure.axes[3].lines) == 5


def test_the_map_of_the_sphere_keeps_areas():
    """Each cell of the grid has the share of the map's area that it has of the sphere's."""
    directions, places = geometry.sphere_grid(5)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=-1), 1)
    x, y = np.moveaxis(places, -1, 0)

    def corners(values):
        return values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1]

    pairs = list(zip(corners(x), corners(y), strict=True))
    area = sum(
        pairs[k][0] * pairs[(k + 1) % 4][1] - pairs[(k + 1) % 4][0] * pairs[k][1] for k in range(4)
    )
    area = np.abs(area) / 2
    bands = np.diff(directions[:, 0, 2])[:, None] * np.radians(5)
    assert area.sum() == pytest.approx(4 * np.pi, rel=5e-3)
    np.testing.assert_allclose(
        area[2:-2, 2:-2], np.broadcast_to(bands, area.shape)[2:-2, 2:-2], rtol=0.02
    )


def test_projections_keep_lengths_across_the_eye():
    assert geometry.projected(np.eye(3), 0, 0).tolist() == [[0, 0], [1, 0], [0, 1]]
    points = np.random.default_rng(0).standard_normal((20, 3))
    flat = geometry.projected(points)
    assert (np.linalg.norm(flat, axis=-1) <= np.linalg.norm(points, axis=-1) + 1e-3).all()


def test_maps_are_drawn_with_their_marks(tmp_path):
    directions, places = geometry.sphere_grid(15)
    keys = {"key 1": np.array([1.0, 0, 0]), "key 2": np.array([0, 1.0, 0])}
    values = {"one": triple_product(directions, *keys.values()), "other": directions[..., 2]}
    marks = {name: keys for name in values}
    for folder in ("a", "b"):
        figure = geometry.spheres(values, marks, places, limits=(-1, 1))
        figure.savefig(tmp_path / folder, format="png")
        assert [text.get_text() for text in figure.axes[0].texts] == list(keys)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

"""Pictures of extrapolated curves: what is drawn is what the formulas say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from abstractor_lib.reporting import extrapolation
from abstractor_lib.reporting.looks import looks


@pytest.fixture(autouse=True)
def figures_are_closed():
    yield
    plt.close("all")


def test_tokens_are_those_of_the_two_models():
    values = np.random.default_rng(0).normal(size=20)
    figure, points = extrapolation.tokens(values)
    counts = points.groupby(["model", points["value"].isna()]).size()
    assert counts["1d"].tolist() == [20, 1]
    assert counts["relational"].tolist() == [190, 21]
    for row in points[points["model"] == "relational"].dropna().itertuples():
        assert row.i < row.j
        assert row.value == pytest.approx(values[row.i - 1] - values[row.j - 1], abs=1e-6)
    drawn = [part.get_offsets() for axis in figure.axes[:2] for part in axis.collections]
    assert [len(part) for part in drawn] == [20, 1, 190, 21]


def test_gates_against_the_formulas_one_by_one():
    def window(distance):
        return 1 / (1 + distance)

    _, points = extrapolation.gates(window, (4, 6), 8)
    single = points[points["model"] == "1d"].set_index(["i", "j"])["gate"]
    double = points[points["model"] == "relational"].set_index(["i", "j"])["gate"]
    assert len(single) == 64 and len(double) == 28
    for i in range(1, 9):
        for j in range(1, 9):
            wanted = window(i - j) if i > j else 0
            assert single[i, j] == pytest.approx(wanted, abs=1e-6)
            if i < j:
                wanted = window(4 - i) * window(6 - j) if i < 4 and j < 6 else 0
                assert double[i, j] == pytest.approx(wanted, abs=1e-6)


def test_curves_bands_and_forests_show_their_numbers():
    _, axis = plt.subplots()
    extrapolation.curve(axis, np.zeros(20), np.ones(3))
    assert [line.get_xdata()[0] for line in axis.lines[:2]] == [1, 21]
    look = looks(["relational"])["relational"]
    extrapolation.band(axis, 20, np.array([1.0, 2.0]), np.array([0.5, 1.0]), "relational", look)
    (drawn,) = axis.collections
    low, high = drawn.get_paths()[0].vertices[:, 1].min(), drawn.get_paths()[0].vertices[:, 1].max()
    assert (low, high) == (0.0, 4.0)
    extrapolation.band(axis, 20, np.array([1.0, 2.0]), None, "relational", look)
    assert len(axis.collections) == 1
    _, axis = plt.subplots()
    table = pd.DataFrame({"line": [1.0, 2.0], "sine": [3.0, 4.0]}, index=["first", "second"])
    extrapolation.forest(axis, table, ["sine"], [look])
    assert axis.lines[0].get_xdata().tolist() == [3.0, 4.0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["first", "second"]

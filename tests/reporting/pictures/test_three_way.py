"""Pictures of attention layers: rows of models, means over seeds, and panels without records."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.reporting.looks import COLORS
from abstractor_lib.reporting.pictures import three_way as pictures


def made_up():
    rows = [
        (model, task, 4000, seed, 0.9 + seed / 100, 0.78, f"{model}{task}{seed}")
        for model in pictures.NAMES
        for task in pictures.TASKS
        for seed in range(3)
    ]
    columns = ["model", "variant", "size", "trial", "test_auc", "script_auc", "run"]
    return pd.DataFrame(rows, columns=columns)


def looks():
    """Two looks at each run, after 10 and after 20 updates."""
    table = pd.concat([made_up().assign(update=one) for one in (10, 20)])
    return table.assign(validation_accuracy=0.5 + table["update"] / 100 + table["trial"] / 10)


SIZES = pd.DataFrame(
    [(model, task, 7) for model in pictures.NAMES for task in pictures.TASKS],
    columns=["model", "variant", "operations"],
)


def test_a_row_a_model_a_dot_a_seed_and_the_script():
    figure, points = pictures.areas(made_up())
    first = figure.axes[0]
    labels = [text.get_text() for text in first.get_yticklabels()]
    assert labels == list(pictures.NAMES.values())
    assert list(first.lines[0].get_xdata()) == pytest.approx([0.9, 0.91, 0.92])
    assert first.lines[1].get_xdata()[0] == pytest.approx(0.91)  # their mean
    assert first.lines[-1].get_xdata()[0] == pytest.approx(0.78)
    assert len(points) == len(made_up())


def test_layers_that_attend_to_pairs_are_blue_and_standard_ones_orange():
    figure, _ = pictures.areas(made_up())
    axis, names = figure.axes[0], list(pictures.NAMES.values())
    dots = {names[round(np.mean(line.get_ydata()))]: line.get_color() for line in axis.lines[:-1:2]}
    for name, colour in dots.items():
        assert colour == COLORS["orange" if name.startswith("standard") else "blue"]
    assert set(dots) == set(names) and len(set(dots.values())) == 2


def test_lines_are_means_against_what_was_seen_and_spent():
    figure, points = pictures.learning(looks(), SIZES)
    assert [axis.get_title() for axis in figure.axes] == ["Match3"] * 2 + ["coplanarity"] * 2
    assert set(points["model"]) == set(pictures.COLOURS)
    row = points[points["model"].eq("deep") & points["variant"].eq("match3")].iloc[0]
    assert row["examples"] == 2000  # after half of the updates
    assert row["operations"] == 3 * 7 * 2000
    assert row["mean"] == pytest.approx(0.7) and row["n"] == 3
    line = figure.axes[1].lines[0]
    assert line.get_xdata()[-1] * 1e12 == pytest.approx(3 * 7 * 4000)


def test_without_records_panels_say_so():
    figure, points = pictures.areas(None)
    assert points.empty and all(axis.texts for axis in figure.axes)
    figure, points = pictures.learning(None, SIZES)
    assert points.empty and all(axis.texts for axis in figure.axes)

"""The picture of length generalisation, of made-up runs."""

import pandas as pd
import pytest

from abstractor_lib.experiments.length_generalisation.grid import ARMS
from abstractor_lib.reporting.pictures import length_generalisation as pictures


def table(seeds=5):
    rows = []
    for name, (core, *_) in ARMS.items():
        for trial in range(seeds):
            row = {"model": name, "variant": core, "trial": trial}
            for length in (5, 10, 20):
                row[f"full_sequence_accuracy_{length}"] = 1 - length / 25 + trial / 100
                row[f"elementwise_accuracy_{length}"] = 0.0
                row[f"probe_pairs_{length}"] = 0.9
            rows.append(row)
    return pd.DataFrame(rows)


def test_every_arm_is_drawn_once_and_looks_like_no_other_in_its_panel():
    assert set(pictures.ARMS) == set(ARMS)
    figure, points = pictures.by_length(table())
    assert set(points["model"]) == set(ARMS) and set(points["length"]) == {5, 10, 20}
    assert len(points) == 11 * 3 * 2
    one = points[points["metric"].eq("full_sequence_accuracy") & points["length"].eq(20)]
    assert one["mean"].tolist() == pytest.approx([0.22] * 11)
    assert (one["low"] < one["mean"]).all() and (one["n"] == 5).all()
    assert all(axis.get_ylim()[0] < 0 < 1 < axis.get_ylim()[1] for axis in figure.axes[:2])
    for axis, count in zip(figure.axes, (6, 5, 6, 5), strict=True):
        lines = [line for line in axis.get_lines() if len(line.get_xdata()) == 3]
        assert len(lines) == count
        assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == count


def test_lengths_of_the_training_are_shaded():
    figure, _ = pictures.by_length(table(), (5, 10))
    for axis in figure.axes:
        shade = axis.patches[0]
        assert (shade.get_x(), shade.get_width()) == (5, 5)


def test_one_seed_has_no_interval_and_no_runs_are_said_to_be_missing():
    _, points = pictures.by_length(table(seeds=1))
    assert "low" not in points and (points["n"] == 1).all()
    figure, points = pictures.by_length(None)
    assert points.empty
    assert all("not run" in [text.get_text() for text in axis.texts] for axis in figure.axes)

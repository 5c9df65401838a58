"""Pictures of chains: dots of seeds, means, reference lines, and panels without records."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.reporting.pictures import composition as pictures

NAMES = {"two_layers": "one Abstractor", "chain": "chain of two"}


def made_up(seeds=5):
    rows = [
        {"model": model, "variant": task, "test_accuracy": base + k / 100, "own_accuracy": 0.5}
        | {"script_accuracy": 1.0, "number_accuracy": 0.9 if task == "same" else None}
        for model, base in (("two_layers", 0.6), ("chain", 0.8))
        for task in ("rank", "same")
        for k in range(seeds)
    ]
    return pd.DataFrame(rows)


def test_a_panel_a_task_and_a_row_a_model():
    figure, points = pictures.accuracies(made_up(), NAMES, "chain")
    assert [axis.get_title() for axis in figure.axes] == list(pictures.TITLES.values())
    rises, rank, same, alike = figure.axes
    assert [text.get_text() for text in rises.get_yticklabels()] == list(NAMES.values())
    seeds, mean, bar = rank.lines[3:6]  # of the chain
    assert list(seeds.get_xdata()) == pytest.approx([0.8, 0.81, 0.82, 0.83, 0.84])
    assert mean.get_xdata()[0] == pytest.approx(0.82)
    assert bar.get_xdata()[0] < 0.82 < bar.get_xdata()[1]
    assert seeds.get_color() != rank.lines[0].get_color()
    assert [line.get_xdata()[0] for line in rank.lines[6:]] == [0.5, 1.0]
    assert [line.get_xdata()[0] for line in same.lines[6:]] == [0.5, pytest.approx(0.9), 1.0]
    assert rises.texts[0].get_text() == alike.texts[0].get_text() == "not run"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [label for label, _ in pictures.REFERENCES.values()]
    assert len(points) == 4 and set(points["n"]) == {5}


def test_few_seeds_have_no_interval_and_no_records_no_dots():
    _, points = pictures.accuracies(made_up(seeds=3), NAMES, "chain")
    assert np.isnan(points["low"]).all()
    figure, points = pictures.accuracies(None, NAMES, "chain")
    assert points.empty and not any(axis.lines for axis in figure.axes)
    assert [axis.texts[0].get_text() for axis in figure.axes] == ["not run"] * 4

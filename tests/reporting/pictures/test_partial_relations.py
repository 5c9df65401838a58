"""Pictures of architectures: dots of seeds and means, and panels without records."""

import pandas as pd
import pytest

from abstractor_lib.reporting.pictures import partial_relations as pictures

NAMES = {"b": "(b)", "d": "(d)"}


def made_up(seeds=5):
    rows = [
        (model, task, size, trial, base + size / 10_000 + trial / 100)
        for model, base in (("b", 0.1), ("d", 0.5))
        for task, sizes in (("sort", (300, 3000)), ("report", (300,)))
        for size in sizes
        for trial in range(seeds)
    ]
    columns = ["model", "variant", "size", "trial", "full_sequence_accuracy"]
    return pd.DataFrame(rows, columns=columns)


def test_a_panel_a_task_and_a_row_a_model():
    figure, points = pictures.accuracies(made_up(), NAMES)
    assert [axis.get_title() for axis in figure.axes] == list(pictures.TITLES.values())
    sort, both, report = figure.axes
    assert [text.get_text() for text in sort.get_yticklabels()] == ["(b)", "(d)"]
    assert len(sort.lines) == 2 * len(report.lines) == 8  # seeds and mean of each cell
    seeds, mean = report.lines[2:]  # of (d)
    assert list(seeds.get_xdata()) == pytest.approx([0.53, 0.54, 0.55, 0.56, 0.57])
    assert mean.get_xdata()[0] == pytest.approx(0.55)
    assert abs(mean.get_ydata()[0] - 1) < 0.5
    assert not both.lines and both.texts[0].get_text() == "not run"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["300 training sequences", "3,000 training sequences"]
    assert len(points) == 6 and set(points["n"]) == {5}


def test_rows_are_the_same_in_all_panels():
    table = made_up()
    table = table[table["model"].eq("d") | table["variant"].eq("sort")]
    figure, _ = pictures.accuracies(table, NAMES)
    sort, both, report = figure.axes
    assert [text.get_text() for text in sort.get_yticklabels()] == ["(b)", "(d)"]
    assert [(text.get_text(), text.get_position()[1]) for text in report.texts] == [("not run", 0)]
    assert sort.get_ylim() == report.get_ylim() == both.get_ylim() and not sort.texts


def test_no_records_no_dots():
    figure, points = pictures.accuracies(None, NAMES)
    assert points.empty and not any(axis.lines for axis in figure.axes)
    assert [axis.texts[0].get_text() for axis in figure.axes] == ["not run"] * 3

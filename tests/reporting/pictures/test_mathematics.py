"""Pictures of mathematics problems: training curves, answers, attention."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.findings.published import published
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.pictures import mathematics as pictures
from abstractor_lib.tasks.mathematics import alphabet

SERIES = [
    Series("Abstractor", "abstractor", "validation_accuracy"),
    Series("Transformer", "transformer", "validation_accuracy"),
]


def test_every_seed_has_a_line_and_the_paper_stands_at_its_epochs():
    rows = [
        {"model": model, "variant": "expand", "trial": trial, "update": update}
        | {"validation_accuracy": trial / 10 + update / 100}
        for model in ("abstractor", "transformer")
        for trial in (0, 1)
        for update in (10, 20)
    ]
    figure, points = pictures.training(
        pd.DataFrame(rows), ["expand", "add"], SERIES, published("fig_v3_07")
    )
    mine = points[~points["series"].str.endswith("paper")]
    assert len(mine) == 8 and set(mine["panel"]) == {"expand"}
    found = mine.query("series == 'Abstractor' and trial == 1").set_index("update")["accuracy"]
    assert found.to_dict() == pytest.approx({10: 0.2, 20: 0.3})
    told = points[points["series"] == "Abstractor, paper"].groupby("panel")["update"].apply(list)
    assert told.to_dict() == {task: [15_625, 31_250, 46_875, 78_125] for task in ("expand", "add")}
    last = points.query("series == 'Abstractor, paper' and panel == 'expand'")["accuracy"].iloc[-1]
    assert last == 0.7434
    assert figure.axes[0].get_xscale() == "log"


def test_without_records_the_published_values_stand_alone():
    figure, points = pictures.training(None, ["expand"], SERIES, published("fig_v3_07"))
    assert figure.axes[0].texts[0].get_text() == "not run"
    assert points["series"].str.endswith("paper").all()
    _, points = pictures.training(None, ["expand"], SERIES, published("fig_v3_07").iloc[:0])
    assert points.empty


def test_answers_are_text_and_say_if_they_do_not_end():
    tokens = alphabet("code").encode(["2*x;", "2*x2", ";", "7;;;"], 4).reshape(2, 2, 4)
    found = pictures.written(tokens, [5, 10], ["one", "other"], "code")
    assert found.to_dict("list") == {"one": ["2*x", ""], "other": ["2*x2…", "7"]}
    assert found.index.tolist() == [5, 10]


def test_the_accuracy_without_the_question_is_a_dotted_line_and_a_point():
    figure, points = pictures.training(
        None, ["expand", "add"], SERIES, published("fig_v3_07"), floor={"expand": 0.4, "add": 0.2}
    )
    found = points[points["series"] == pictures.FLOOR].set_index("panel")["accuracy"]
    assert found.to_dict() == {"expand": 0.4, "add": 0.2}
    for axis, height in zip(figure.axes, (0.4, 0.2), strict=False):
        (line,) = [one for one in axis.lines if one.get_linestyle() == ":"]
        assert set(line.get_ydata()) == {height}
        assert 0 <= axis.get_ylim()[0] < height < axis.get_ylim()[1] <= 1.02


def test_pairs_of_seeds_are_dots():
    rows = [("add", "B", value) for value in (-0.1, -0.2, -0.2, -0.3)] + [("expand", "C", 0.4)]
    pairs, tasks = pd.DataFrame(rows, columns=["task", "other", "difference"]), ["add", "expand"]
    figure, points = pictures.differences(pairs, tasks, ["B", "C"], "difference")
    assert points is pairs
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == tasks
    dots = [
        line.get_xydata().tolist()
        for axis in figure.axes[:2]
        for line in axis.lines
        if line.get_marker() == "o"
    ]
    assert dots == [[[-0.1, 0], [-0.2, 0], [-0.2, 0], [-0.3, 0]], [[0.4, 1]]]
    figure, points = pictures.differences(None, tasks, ["B"], "difference")
    assert figure.axes[0].texts[0].get_text() == "not run" and points.empty


def test_known_names_are_those_of_the_question():
    question = "What is the derivative of 3*t**2*x - 7 wrt t?"
    answers = pd.DataFrame({question: ["6*t*x", "6*a", "6*x*w", "6", "6*w"]}, index=range(5))
    expected = [1, 0, 0, np.nan, 0]  # "a" and "w" stand in words only
    np.testing.assert_array_equal(pictures.known_names(answers)[question], expected)


def test_attention_has_characters_on_its_axes_and_its_weights_as_points():
    known = alphabet("text")
    weights = np.zeros((2, 3, 5))
    weights[1, 2, 4], weights[1, 0, 0] = 0.756, 0.004
    found = {
        "question": known.encode(["2 + 3"], 5)[0],
        "answer": known.encode(["5.;"], 3)[0],
        "to_encoder": weights,
        "to_abstractor": np.full((2, 3, 5), 0.2),
    }
    figure, points = pictures.attention(found, {"to_encoder": 1})
    crossing, other, _ = figure.axes
    assert "".join(label.get_text() for label in crossing.get_xticklabels()) == "2␣+␣3"
    assert "".join(label.get_text() for label in crossing.get_yticklabels()) == "5.;"
    assert "".join(label.get_text() for label in other.get_yticklabels()) == "5.;"
    shown = points[points["panel"] == "to_encoder"]
    assert shown[["row", "column", "weight"]].to_numpy().tolist() == [[2, 4, 0.76]]
    assert (points["panel"] == "to_abstractor").sum() == 15
    assert {axis.images[0].norm.vmax for axis in figure.axes[:2]} == {1}  # one scale
    table, places = pictures.strongest(found, head=1)
    assert places == weights[1].argmax(axis=1).tolist() == [0, 0, 4]
    assert table["looks at, encoder"].tolist() == ["[2]␣+␣", "[2]␣+␣", "␣+␣[3]"]
    assert table["weight, encoder"].tolist() == [0, 0, 0.76]


def test_runs_shorter_than_an_epoch_stand_above_the_papers_epochs():
    rows = [
        {"model": "abstractor", "variant": "add", "trial": trial, "update": update}
        | {"validation_accuracy": update / 100}
        for trial in (0, 1)
        for update in (10, 20)
    ]
    figure, points = pictures.beside_paper(
        pd.DataFrame(rows), ["add"], SERIES, published("fig_v3_07"), {"add": 0.4}
    )
    upper, lower = figure.axes
    assert upper.get_ylim() == lower.get_ylim()
    assert (upper.get_xscale(), lower.get_xscale()) == ("linear", "log")
    mine = points[points["series"] == "Abstractor"]
    assert mine[["trial", "update", "accuracy"]].to_numpy().tolist() == [
        [0, 10, 0.1], [0, 20, 0.2], [1, 10, 0.1], [1, 20, 0.2],
    ]  # fmt: skip
    told = points[points["series"] == "Abstractor, paper"].set_index("epoch")["accuracy"]
    assert told.index.tolist() == [1, 2, 3, 5, 10, 20, 30, 50] and told[50] == 0.8568
    figure, points = pictures.beside_paper(None, ["add"], SERIES, published("fig_v3_07"))
    assert figure.axes[0].texts[0].get_text() == "not run"
    assert points["series"].str.endswith("paper").all()


def test_attention_that_was_not_watched_is_not_run():
    figure, points = pictures.attention(None, {})
    assert figure.axes[0].texts[0].get_text() == "not run" and points.empty
    looked, places = pictures.strongest(None)
    assert looked["writes"].tolist() == ["not run"] and places == []

"""The picture of the Abstractor beside its relatives, from made-up trials."""

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from abstractor_lib.experiments.relatives.results import NAMES, TITLES
from abstractor_lib.reporting.pictures import relatives as pictures
from abstractor_lib.tasks.abstract_rules import GAMES
from abstractor_lib.tasks.characters import characters


def trials():
    rows = [
        {"variant": task, "model": model, "size": size, "trial": k}
        | {"test_accuracy": 0.5 + k / 10, "known_accuracy": 0.5 if model == "mlp" else 1.0}
        for task in TITLES
        for model in NAMES
        for size in (50, 95)
        for k in range(3)
    ]
    return pd.DataFrame(rows)


def test_lines_are_means_and_marks_are_hollow_where_nothing_was_learned():
    figure, points = pictures.relatives(trials())
    axes = [axis for axis in figure.axes if axis.get_title()]
    assert [axis.get_title() for axis in axes] == list(TITLES.values())
    lines = {line.get_label(): line for line in axes[0].get_lines()}
    assert set(NAMES.values()) <= set(lines)
    assert lines["Abstractor"].get_ydata().tolist() == [0.6, 0.6]
    assert lines["Transformer, Webb et al."].get_ydata().tolist() == [1, 1, 1, 1, 0.723]
    hollow = [one for one in axes[0].get_lines() if one.get_markerfacecolor() == "white"]
    assert [len(one.get_xdata()) for one in hollow] == [2 * (name == "mlp") for name in NAMES]
    assert points.query("model == 'mlp'")["learned"].eq(0).all() and len(points) == 4 * 10 * 2
    chance = [line.get_ydata()[0] for axis in axes for line in axis.get_lines()[-1:]]
    assert chance == [0.5, 0.5, 0.25, 0.25]


def test_rows_are_models_best_on_top_and_dots_are_hollow_where_nothing_was_learned():
    table = trials()
    table.loc[table["model"] == "corelnet", "test_accuracy"] += 0.1
    figure, points = pictures.ranking(table)
    assert points["model"].iloc[0] == "CoRelNet" and len(points) == 3 * 10
    assert round(points["mean"].iloc[0], 9) == 0.7 and points["seeds"].eq(3).all()
    assert points.set_index(["model", "task"])["published"]["ESBN", "identity_rules"] > 0.9
    hollow = [one for one in figure.axes[0].get_lines() if one.get_markerfacecolor() == "white"]
    assert len(hollow) == 3  # the MLP's


def test_the_ranking_without_records_stands_for_what_others_report():
    _, points = pictures.ranking(None)
    assert len(points) == 3 * 4 and points["published"].between(0, 1).all()
    assert points["seeds"].eq(0).all()


def test_without_records_stands_what_others_report():
    figure, points = pictures.relatives(None)
    assert points.empty and len(figure.axes[0].get_lines()) == 3


def test_runs_that_choose_learning_rates_are_not_drawn():
    tried = trials().assign(test_accuracy=0.0)
    tried["variant"] += ", learning rates"
    _, points = pictures.relatives(pd.concat([trials(), tried]))
    assert set(points["task"]) == set(TITLES) and points["mean"].min() > 0.5


def test_equal_objects_have_one_letter_and_a_bright_cell():
    sequence = np.array([7, 3, 7])
    figure, points = pictures.patterns(sequence, {"relation": np.eye(3)})
    axis = figure.axes[0]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["A", "B", "A"]
    assert axis.get_images()[0].get_array().tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert set(points["panel"]) == {"which are equal", "relation"} and len(points) == 6


def test_a_sequence_of_each_task_with_its_answer_in_a_frame():
    figure, shown = pictures.examples(characters(), np.random.default_rng(0))
    (axis,) = figure.axes
    assert list(shown["task"]) == list(GAMES)
    lengths = [GAMES[task].length for task in shown["task"]]
    assert [len(one.split()) for one in shown["objects"]] == lengths
    assert len(axis.get_images()) == sum(lengths)
    frames = [patch for patch in axis.patches if isinstance(patch, Rectangle)]
    lefts = sorted(image.get_extent()[0] for image in axis.get_images()[-9:])
    *_, last = frames  # of identity rules: a frame around one choice
    inside = [x for x in lefts if last.get_x() < x < last.get_x() + last.get_width()]
    assert len(frames) == 3 and inside == [lefts[5 + shown["answer"].iloc[-1]]]

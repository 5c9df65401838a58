"""Pictures of extrapolated curves: what is drawn is what the formulas say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.curves.names import tidy
from abstractor_lib.reporting.looks import looks
from abstractor_lib.reporting.pictures import extrapolation


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


def test_curves_and_bands_show_their_numbers():
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


NOTHING = tidy(None)
LABELS = {"transformer": "1d", "relational": "relational"}
FLOORS = {"class_known": "floor"}


def trials():
    """Two models of two seeds, a variant, and a floor: every number tells where it is from."""
    rows = []
    bases = {"transformer": 1.0, "relational": 2.0, "class_known": 0.5, "last_value": 1.5}
    for model, base in bases.items():
        for trial in range(2 if model in LABELS else 1):
            row = {"model": model, "variant": "as set", "trial": trial}
            for at, name in enumerate(extrapolation.CLASSES):
                row[f"mse_{name}"] = base + at + trial / 10
                row |= {f"mse_{name}_step_{k:02d}": base + at + k for k in (1, 2)}
            rows.append(row)
    rows.append({**rows[0], "variant": "no mask", "mse_line": 7.0})
    return pd.DataFrame(rows)


def test_models_by_class_beside_printed_numbers_and_references():
    printed = pd.DataFrame({"series": ["relational"], "metric": ["mse_rbf"], "mean": [1.1]})
    figure, points = extrapolation.by_class(
        tidy(trials()),
        "mse",
        LABELS,
        FLOORS,
        printed=printed.assign(sem=0.1),
        worse="last_value",
        xlabel="error",
        log=True,
    )
    found = points.set_index(["class", "model", "what"]).sort_index()["value"]
    assert found["rbf", "relational", "trained model"].tolist() == [3.0, 3.1]
    assert found["rbf", "relational", "printed"] == 1.1
    assert found["sine", "class_known", "reference"] == 2.5
    assert len(points) == 3 * 5 + 1
    assert [axis.get_title() for axis in figure.axes] == list(extrapolation.CLASSES.values())
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [*LABELS.values(), *FLOORS.values()]
    for at, axis in enumerate(figure.axes):
        (shade,) = axis.patches  # from the last value's error to the right end
        left, right = shade.get_x(), shade.get_x() + shade.get_width()
        assert left == 1.5 + at and right == pytest.approx(axis.get_xlim()[1])


def test_panels_share_a_range_and_say_where_values_should_be():
    options = {"xlabel": "share", "xlim": (0, 9), "aims": {"the aim": 0.95}}
    figure, _ = extrapolation.by_class(tidy(trials()), "mse", LABELS, FLOORS, **options)
    assert {axis.get_xlim() for axis in figure.axes} == {(0, 9)}
    for axis in figure.axes:
        (aim,) = [line for line in axis.lines if line.get_label() == "the aim"]
        assert aim.get_xdata() == [0.95, 0.95]
    assert "the aim" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_means_by_step():
    figure, points = extrapolation.by_step(
        tidy(trials()), "mse", LABELS, FLOORS, ylabel="error", log=True
    )
    assert len(points) == 3 * 3 * 2
    row = points[(points["class"] == "rbf") & (points["model"] == "relational")]
    assert row["mean"].tolist() == [4.0, 5.0] and row["n"].tolist() == [2, 2]
    assert len(figure.axes) == 3


def test_other_settings_beside_the_range_of_the_usual_ones():
    figure, points = extrapolation.open_points(
        tidy(trials()), "mse", LABELS, FLOORS, xlabel="error", log=True
    )
    assert figure.axes[1].lines[-1].get_xdata()[0] == 1.5
    assert len(points) == 3
    first = points.iloc[0]
    assert (first["variant"], first["value"]) == ("no mask", 7.0)
    assert (first["least"], first["greatest"]) == (1.0, 1.1)


def test_windows_over_training():
    history = pd.DataFrame(
        {"model": "transformer_window", "variant": "as set", "trial": [0, 0, 1, 1],
         "update": [1, 2, 1, 2], "window_length_1": [1.0, 2.0, 3.0, 4.0]}
    )  # fmt: skip
    labels = {"transformer_window": "1d", "relational_window": "relational"}
    figure, points = extrapolation.windows(tidy(history), labels, start=5.0)
    assert figure.axes[0].lines[-1].get_ydata() == [5.0, 5.0]
    assert points["length"].tolist() == [1.0, 2.0, 3.0, 4.0] and set(points["layer"]) == {1}
    assert figure.axes[1].texts[0].get_text() == "not run"
    more = history.assign(**{f"window_length_{layer}": 10.0 * layer for layer in range(2, 13)})
    _, points = extrapolation.windows(tidy(more), labels)
    last = points[points["layer"] > 1]
    assert (last["length"] == 10 * last["layer"]).all() and last["layer"].max() == 12


def test_without_records_panels_say_so():
    made = [
        extrapolation.by_class(NOTHING, "mse", LABELS, FLOORS, xlabel="error", log=True),
        extrapolation.by_step(NOTHING, "mse", LABELS, FLOORS, ylabel="error"),
        extrapolation.open_points(NOTHING, "mse", LABELS, FLOORS, xlabel="error"),
        extrapolation.windows(NOTHING, LABELS),
    ]
    for figure, points in made:
        assert points.empty
        assert all(axis.texts[0].get_text() == "not run" for axis in figure.axes)


def test_printed_numbers_beside_ours_with_both_weightings():
    found = extrapolation.beside_printed(tidy(trials()), "mse", LABELS, FLOORS, "tab_curves_1")
    assert found["whose"].tolist() == ["printed", "ours", "printed", "ours", "reference"]
    first, ours = found.iloc[0], found.iloc[1]
    assert first["all, printed weights"] == "0.545 ± 0.060"
    assert first["all, even split"] == f"{(0.109 + 1.501 + 0.213) / 3:.3f}"
    assert ours["lines"] == "1.050 ± 0.050" and ours["all, even split"] == "2.050 ± 0.050"
    assert 1.05 < float(ours["all, printed weights"].split()[0]) < 2.05
    empty = extrapolation.beside_printed(NOTHING, "sd", LABELS, FLOORS, "tab_curves_2")
    assert empty["whose"].tolist() == ["printed"]


def test_a_gallery_shows_what_models_left():
    random = np.random.default_rng(0)
    one = {"noisy": random.normal(size=(3, 25)), "median": random.normal(size=(3, 5))}
    galleries = {"transformer": one, "relational": {**one, "sd": np.ones((3, 5))}}
    exact = {"mean": np.zeros((3, 2)), "sd": np.ones((3, 2))}
    rows = {"of values": {"transformer": "1d"}, "of pairs": {"relational": "relational"}}
    titles = ["a", "b", "c"]
    figure, points = extrapolation.gallery(galleries, exact, rows, titles, steps=2)
    assert [axis.get_title() for axis in figure.axes] == ["a", "b", "c", "", "", ""]
    assert [axis.get_ylabel() for axis in figure.axes[::3]] == ["of values\n$y$", "of pairs\n$y$"]
    assert figure.axes[1].get_ylim() == figure.axes[4].get_ylim()
    some = points[(points["curve"] == "b") & (points["model"] == "relational")]
    assert some["x"].tolist() == [21, 22]
    np.testing.assert_array_equal(some["mean"], one["median"][1, :2])
    assert points[points["model"] == "1d"]["sd"].isna().all()
    figure, points = extrapolation.gallery({}, exact, rows, titles, steps=2)
    assert points.empty and figure.axes[0].texts[0].get_text() == "not run"


def test_weights_of_long_training_side_by_side():
    usual = trials().assign(size=64)
    long = usual[usual["variant"] == "as set"].iloc[:4].assign(variant="watched")
    for name in extrapolation.CLASSES:
        long[f"averaged_mse_{name}"] = long[f"mse_{name}"] + 10
        long[f"best_loss_mse_{name}"] = long[f"mse_{name}"] + 20
    table = tidy(pd.concat([usual, long, long.assign(size=256, mse_line=99.0)]))
    figure, points = extrapolation.by_weights(table, LABELS, FLOORS, 64, xlabel="error")
    found = points.set_index(["class", "model", "weights"]).sort_index()["value"]
    assert found["line", "transformer", "last"].tolist() == [1.0, 1.1]
    assert found["line", "transformer", "averaged"].tolist() == [11.0, 11.1]
    assert found["sine", "relational", "lowest validation loss"].tolist() == [24.0, 24.1]
    assert len(points) == 3 * 2 * 2 * 3 and len(figure.axes) == 3
    _, points = extrapolation.open_points(table, "mse", LABELS, FLOORS, xlabel="error")
    assert set(points["variant"]) == {"no mask"}


def test_the_error_during_long_training():
    history = pd.DataFrame(
        {"model": "relational", "variant": "watched", "size": 64, "trial": [0, 0, 1],
         "update": [1, 2, 1], "rolled_mse_line": [1.0, 2.0, 3.0]}
    )  # fmt: skip
    both = tidy(pd.concat([history, history.assign(size=256)]))
    figure, points = extrapolation.swings(both, LABELS, 64, ylabel="error")
    assert points["value"].tolist() == [1.0, 2.0, 3.0] and set(points["class"]) == {"line"}
    said = [[text.get_text() for text in axis.texts] for axis in figure.axes]
    assert said == [[], ["not run"], ["not run"]]
    for nothing in (NOTHING, tidy(trials().assign(size=64))):
        assert extrapolation.by_weights(nothing, LABELS, FLOORS, 64, xlabel="error")[1].empty
        assert extrapolation.swings(nothing, LABELS, 64, ylabel="error")[1].empty


def test_shapes_of_windows_fall_to_one_half_at_their_length():
    figure, points = extrapolation.window_shapes([(2.0, 5.0), (6.0, 2.0)])
    assert points.groupby(["a", "b"]).size().tolist() == [81, 81]
    label = figure.axes[0].lines[1].get_label()
    length = float(label.split()[-1])
    own = points[points["a"] == 6.0]
    assert np.interp(length, own["x"], own["F"]) == pytest.approx(0.5, abs=0.01)


def test_tables_of_models_and_references():
    table = tidy(trials())
    rows = extrapolation.tabulated.baselines(table).set_index("prediction")
    assert rows.loc["1d", "RBF curves, first step"] == 3.0
    assert rows.loc["relational", "lines, ten steps"] == pytest.approx(2.05)
    assert rows.loc["the last value", "training"] == "no"
    for make in ("baselines", "floors", "scores", "coverage", "window_lengths"):
        found = getattr(extrapolation.tabulated, make)(NOTHING)
        assert found.select_dtypes("number").isna().all(axis=None)


def test_the_best_weights_give_the_printed_column():
    found = extrapolation.tabulated.printed_weights()
    assert len(found) == 6 and (abs(found["weighted"] - found["all"]) < 0.0005).all()
    assert (abs(found["even split"] - found[["line", "rbf", "sine"]].mean(axis=1)) < 1e-9).all()


def test_only_the_signed_difference_passes_as_a_similarity():
    found = extrapolation.tabulated.similarities().set_index("similarity")
    passed = found["tells all four apart"] & found["least in size for the two nearest"]
    assert passed[passed].index.tolist() == ["signed difference"]


def test_the_posterior_is_as_sure_as_simulated_errors_say():
    _, points = extrapolation.posterior()
    random = np.random.default_rng(0)
    x = np.arange(30)
    covariance = np.exp(-((x[:, None] - x) ** 2) / 18) + 0.01 * np.eye(30)
    values = random.multivariate_normal(np.zeros(30), covariance, 4000)
    weights = np.linalg.solve(covariance[:20, :20], covariance[:20, 20:])
    errors = (values[:, 20:] - values[:, :20] @ weights).std(axis=0)
    np.testing.assert_allclose(points["best linear, level known"], errors, rtol=0.05)
    assert points["step"].tolist() == list(range(1, 11))

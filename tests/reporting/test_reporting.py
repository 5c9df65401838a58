"""Figures and tables."""

import base64
import csv
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from abstractor_lib.findings.measures import Measured, Point
from abstractor_lib.findings.statistics import Interval
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures, files, looks, tables
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Page


@pytest.fixture(autouse=True)
def figures_are_closed():
    """Each test's own; matplotlib warns of more than twenty."""
    yield
    plt.close("all")


def trials(values, size=10):
    return pd.DataFrame(
        {
            "model": "m",
            "variant": "curve",
            "size": size,
            "trial": range(len(values)),
            "draw": None,
            "test_accuracy": values,
        }
    )


def test_a_figure_is_saved_with_its_points_and_the_same_bytes_twice(tmp_path):
    table = pd.concat([trials(np.linspace(0.4, 0.6, 6), 10), trials(np.linspace(0.7, 0.9, 6), 20)])
    for folder in ("a", "b"):
        figure, points = curves.learning_curves({"sound": table}, [Series("M", "m")])
        figures.save(figure, points, tmp_path / folder, "fig_x_topic", "abc123")
    for suffix in ("svg", "png", "csv"):
        first, second = (tmp_path / f / f"fig_x_topic.{suffix}" for f in "ab")
        assert first.read_bytes() == second.read_bytes()
    assert "records sha256:abc123" in (tmp_path / "a" / "fig_x_topic.svg").read_text()
    assert Image.open(tmp_path / "a" / "fig_x_topic.png").info["Description"].endswith("abc123")
    with (tmp_path / "a" / "fig_x_topic.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["x"], row["mean"], row["n"]) for row in rows] == [
        ("10", "0.5", "6"),
        ("20", "0.8", "6"),
    ]


def test_few_trials_are_shown_themselves_and_many_as_a_band():
    _, axes = figures.panels(["few", "many"])
    for axis, count in zip(axes, (3, 8), strict=True):
        curves.draw(axis, trials(np.linspace(0.4, 0.6, count)), [Series("M", "m")], chance=None)
    assert len(axes[0].lines) == 2  # mean and dots
    assert len(axes[1].lines) == 1
    assert len(axes[1].collections[0].get_paths()) == 1
    assert sum(path.vertices.size for path in axes[0].collections[0].get_paths()) == 0


def with_draws():
    """A table with three draws of two trials at two sizes; the first draw is called `curve`."""
    rows = [
        ("m", "curve" if draw == 0 else "draw", size, trial, draw, 0.1 * draw + size / 100 + trial)
        for draw in range(3)
        for size in (10, 20)
        for trial in range(2)
    ]
    return pd.DataFrame(
        rows, columns=["model", "variant", "size", "trial", "draw", "test_accuracy"]
    )


def test_a_curve_over_draws_takes_each_draw_once():
    figure, points = curves.learning_curves(
        {"published": with_draws()}, [Series("M", "m")], over_draws=True, height=0.5
    )
    assert points["mean"].tolist() == pytest.approx([0.7, 0.8])
    assert points["n"].tolist() == [3, 3]
    assert set(points["variant"]) == {"over draws"}
    assert figure.axes[0].get_title() == "published (3 draws)"
    without = with_draws().query("variant == 'curve'")
    _, points = curves.learning_curves({"sound": without}, [Series("M", "m")], over_draws=True)
    assert points["n"].tolist() == [2, 2] and set(points["variant"]) == {"curve"}


def test_the_papers_curves_have_a_panel_of_their_own_where_asked():
    paper = {"M": pd.DataFrame({"x": [10, 20], "mean": [0.5, 0.6], "sem": 0.1, "n": [9, 10]})}
    tables, series = {"sound": trials(np.linspace(0.4, 0.6, 6))}, [Series("M", "m")]
    options = {"chance": None, "xlabel": "pairs"}
    figure, _ = curves.learning_curves(tables, series, paper, apart=True, **options)
    first, own = figure.axes
    assert [first.get_title(), own.get_title()] == [
        "the paper (9 to 10 trials)",
        "sound (6 trials)",
    ]
    assert [line.get_linestyle() for line in first.lines] == ["--"]
    assert first.lines[0].get_ydata().tolist() == [0.5, 0.6]
    assert "--" not in [line.get_linestyle() for line in own.lines]
    together, _ = curves.learning_curves(tables, series, paper, **options)
    assert len(together.axes) == 1
    assert "--" in [line.get_linestyle() for line in together.axes[0].lines]


def test_each_draw_is_a_line_beside_the_published_curve():
    """At the sizes that both have; a tolerance beyond what an accuracy can be is cut off."""
    intervals = Interval(0.7, 0.6, 0.8, 3), Interval(0.8, 0.7, 0.9, 3)
    measured = Measured([Point("", one, 0.5, 0.6) for one in intervals])
    paper = pd.DataFrame({"x": [10, 15, 20], "mean": [0.5, 0.5, 0.5]})
    figure, points = curves.each_draw(
        with_draws(), [Series("M", "m")], {"M": paper}, {"M": measured}
    )
    lines = [line.get_ydata() for line in figure.axes[0].lines if line.get_lw() == 0.6]
    assert np.array(lines) == pytest.approx(np.array([[0.6, 0.7], [0.7, 0.8], [0.8, 0.9]]))
    assert points["x"].tolist() == [10, 20]
    assert points[["least", "most", "estimate"]].iloc[0].tolist() == pytest.approx([0.6, 0.8, 0.7])
    (region,) = figure.axes[0].collections[-1].get_paths()
    assert region.vertices[:, 1].min() == 0 and region.vertices[:, 1].max() == 1
    figure, points = curves.each_draw(None, [Series("M", "m")], {"M": paper}, {})
    assert points.empty and "not run" in [text.get_text() for text in figure.axes[0].texts]


def test_intervals_end_where_the_metric_does():
    table = pd.concat([trials([1.0, 0.7, 1.0, 0.9, 1.0], 10), trials([0.0, 0.1, 0, 0, 0], 20)])
    _, (axis,) = figures.panels(["one"])
    points = curves.draw(axis, table, [Series("M", "m")])
    assert (points["high"].iloc[0], points["low"].iloc[1]) == (1, 0)
    assert 0 < points["low"].iloc[0] < 1 and 0 < points["high"].iloc[1] < 1
    errors = table.rename(columns={"test_accuracy": "error"})
    assert curves.draw(axis, errors, [Series("M", "m", "error")])["low"].iloc[1] < 0


def test_a_bound_of_a_grey_series_is_drawn_in_a_darker_grey():
    table = trials([0.1, 0.2], 2).rename(columns={"test_accuracy": "error"}).assign(least=1e-3)
    series = [Series(label, "m", "error", color="0.5") for label in ("one", "other")]
    floor = dict.fromkeys(("one", "other"), "least")
    figure, _ = curves.errors({"a": table}, series, floor=floor, xlabel="n", ylabel="error")
    dotted = [line for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert [line.get_color() for line in dotted] == [pytest.approx((0.275,) * 3)] * 2


def test_errors_share_their_axis_and_keep_the_look_of_their_label():
    table = trials([0.1, 0.2, 0.3, 0.2, 0.1], 2).rename(columns={"test_accuracy": "error"})
    table = pd.concat([table, table.assign(size=4, error=1e-9)]).assign(least=1e-3)
    series = [Series("trained networks", "m", "error"), Series("another", "none", "error")]
    figure, points = curves.errors(
        {"a": table, "b": table.assign(error=table["error"] / 10), "none": None},
        series,
        floor={"trained networks": "least"},
        xlabel="features",
        ylabel="error",
    )
    line, floor = figure.axes[0].lines
    assert (line.get_marker(), floor.get_linestyle(), floor.get_color()) == ("o", ":", figures.GREY)
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[0].get_ylim()[0] == pytest.approx(1e-5)  # smaller errors are off the panel
    means = points[points["metric"] == "error"].groupby("panel")["estimate"].max()
    assert means.tolist() == pytest.approx([0.18, 0.018])
    assert "not run" in [text.get_text() for text in figure.axes[2].texts]


def test_a_curve_without_values_is_no_error():
    """One trial alone, or a metric that no trial has, give no mean."""
    for table in (trials([0.5]), trials([None] * 6)):
        _, (axis,) = figures.panels(["nothing"])
        assert curves.draw(axis, table, [Series("M", "m")], chance=None).empty


def test_trials_are_shown_one_by_one_against_what_they_took():
    table = trials([0.0, 1.0, 0.9], 10).assign(updates=[5, 7, 9], run=["a", "b", "c"])
    labels = {"xlabel": "updates", "ylabel": "accuracy"}
    series = [Series("M", "m")]
    tables = {"sound": table, "published": None}
    figure, _ = curves.runs_against(tables, series, "updates", **labels)
    assert [line.get_xdata().tolist() for line in figure.axes[0].lines] == [[5], [7], [9]]
    assert "not run" in [text.get_text() for text in figure.axes[1].texts]
    _, (axis,) = figures.panels(["one"])
    drawn = curves.draw(axis, table, [Series("M", "m")], trials=True)
    assert len(drawn) == 1


def test_trials_without_a_band_are_dots_side_by_side():
    """Means are lines; each trial is a dot, hollow on a further draw; all are among the points."""
    one = trials([0.0, 1.0], 10).assign(draw=0)
    table = pd.concat([one, one.assign(draw=1, variant="draw"), one.assign(model="other")])
    series = [Series("M", "m"), Series("O", "other")]
    options = {"trials": True, "band": False, "dodge": 1.21, "log": True}
    figure, points = curves.learning_curves({"sound": table}, series, chance=None, **options)
    (axis,) = figure.axes
    assert not axis.collections and axis.get_xscale() == "log"
    dots = [line for line in axis.lines if line.get_marker() != "None" and len(line.get_xdata())]
    assert [line.get_markerfacecolor() == "none" for line in dots] == [False, True, False]
    assert [line.get_xdata()[0] for line in dots] == pytest.approx([10 / 1.1] * 2 + [11])
    assert all(line.get_ydata().tolist() == [0.0, 1.0] for line in dots)
    assert axis.get_title() == "sound (2 trials)"
    means, single = points[points["trial"].isna()], points[points["trial"].notna()]
    assert means["mean"].tolist() == [0.5, 0.5] and len(single) == 6


def test_shares_of_trials_that_succeed_are_counted():
    table = trials([0.4, 0.5, 1.0], 10).assign(updates=[5, 7, 90])
    tables = {"sound": table, "more": table.assign(test_accuracy=0.0), "published": None}
    labels = {"xlabel": "size", "ylabel": "updates"}
    figure, points = curves.shares(tables, [Series("M", "m")], "updates", 0.5, **labels)
    assert points[["table", "size", "updates", "reached", "n"]].to_numpy().tolist() == [
        ["sound", 10, 7, 2, 3],
        ["more", 10, 7, 0, 3],
    ]
    first, second = figure.axes[0].lines
    assert second.get_markerfacecolor() == "white" != first.get_markerfacecolor()  # none succeeds
    assert [text.get_text() for text in figure.axes[0].texts] == ["2/3"]
    figure, _ = curves.shares(
        tables, [Series("M", "m")], "updates", 0.4, **labels, budgets={"twice": lambda n: 2 * n}
    )
    first, second, line = figure.axes[0].lines
    assert first.get_markerfacecolor() == "black"  # all succeed
    assert line.get_ydata().tolist() == [20]
    figure, points = curves.shares({"sound": None}, [Series("M", "m")], "updates", 0.5, **labels)
    assert points.empty and "not run" in [text.get_text() for text in figure.axes[0].texts]


def test_a_strip_shows_every_trial_and_the_same_bytes_twice(tmp_path):
    table = pd.concat([trials([0.1, 0.1, 0.4]), trials([0.9, 1.0, 0.8]).assign(model="other")])
    for folder in ("a", "b"):
        figure, (axis,) = figures.panels(["one"])
        points = curves.strip(axis, table, {"m": "M", "other": "O"}, "test_accuracy")
        figures.save(figure, points, tmp_path / folder, "fig_x_strip", "abc123")
    dots = [line for line in axis.lines if line.get_marker() != "|"]
    assert [dot.get_marker() for dot in dots] == ["o", "s"]  # to be told apart in grey
    assert [sorted(line.get_xdata()) for line in dots] == [[0.1, 0.1, 0.4], [0.8, 0.9, 1.0]]
    means = [line.get_xdata()[0] for line in axis.lines if line.get_marker() == "|"]
    assert means == pytest.approx([0.2, 0.9])
    assert [label.get_text() for label in axis.get_yticklabels()] == ["M", "O"]
    _, (axis,) = figures.panels(["colours"])
    curves.strip(axis, table, {"m": "M", "other": "O"}, "test_accuracy", {"O": "red"})
    assert [dot.get_color() for dot in axis.lines[::2]] == [figures.GREY, "red"]
    first, second = (tmp_path / folder / "fig_x_strip.svg" for folder in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_a_figure_that_is_not_shown_is_written_and_closed(tmp_path):
    page = Page(Workspace())
    page.folder = tmp_path
    for shown in (True, False):
        figure, _ = figures.panels(["one"])
        page.save_figure(figure, pd.DataFrame({"x": [1]}), "fig_one", shown=shown)
        assert plt.fignum_exists(figure.number) == shown
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".png", ".svg"]
    plt.close("all")


def test_an_incomplete_grid_says_not_run():
    figure, points = curves.learning_curves({"sound": None}, [Series("M", "m")])
    assert "not run" in [text.get_text() for text in figure.axes[0].texts]
    assert points.empty


def test_a_small_png_looks_the_same(tmp_path):
    figure, _ = curves.learning_curves(
        {"sound": trials(np.linspace(0.4, 0.6, 6))}, [Series("M", "m")]
    )
    figure.savefig(tmp_path / "large.png")
    content = (tmp_path / "large.png").read_bytes()
    (tmp_path / "small.png").write_bytes(files.compact_png(content))
    large, small = (
        np.asarray(Image.open(tmp_path / f"{n}.png").convert("RGB"), int)
        for n in ("large", "small")
    )
    assert np.abs(large - small).mean() < 1.0  # of 255
    assert (tmp_path / "small.png").stat().st_size < len(content)


def test_pale_dots_of_a_small_png_keep_their_hue():
    """Also where few pixels have it, and many others are shades of another one."""
    shades = np.stack([np.arange(256)] * 3, axis=-1).repeat(40, axis=0)  # many greys
    pale = np.array([[205, 240, 205], [205, 225, 245], [245, 215, 235]])
    picture = np.concatenate([shades, pale.repeat(4, axis=0)]).astype(np.uint8)[None]
    large = io.BytesIO()
    Image.fromarray(np.tile(picture, (20, 1, 1))).save(large, format="PNG")
    small = Image.open(io.BytesIO(files.compact_png(large.getvalue())))
    assert small.mode == "P"
    found = np.asarray(small.convert("RGB"), int)[0, -len(pale) * 4 :: 4]
    assert np.abs(found - pale).max() <= 8  # of 255


def test_pale_areas_of_a_small_png_keep_their_colours():
    """Bands of intervals are pale: two differ by few levels, beside thousands of colours."""
    bands = np.array([[230, 241, 247], [230, 245, 241], [252, 244, 230], [249, 241, 248]])
    many = np.random.default_rng(0).integers(0, 256, (60, 200, 3))
    areas = bands.repeat(50, axis=0)[None].repeat(300, axis=0)
    large = io.BytesIO()
    picture = Image.fromarray(np.concatenate([many * (many > 250), areas]).astype(np.uint8))
    picture.save(large, format="PNG")
    small = Image.open(io.BytesIO(files.compact_png(large.getvalue())))
    assert small.mode == "P"
    assert (np.asarray(small.convert("RGB"))[-1, ::50] == bands).all()


def test_pictures_in_an_svg_look_the_same_and_take_less(tmp_path):
    """Opaque ones get a palette; one that the page shines through stays as it is."""
    values = np.linspace(0, 1, 90_000).reshape(300, 300).round(2)
    for name, alpha in (("opaque", None), ("shining", np.linspace(0, 1, 300)[None] * values)):
        figure, (axis,) = figures.panels(["a"])
        axis.imshow(values, alpha=alpha, cmap="viridis")
        figures.save(figure, pd.DataFrame({"a": [1]}), tmp_path, name, "0")
        figure.savefig(tmp_path / "plain.svg", bbox_inches="tight")
        plain, small = (
            base64.b64decode(figures.PICTURE.search((tmp_path / f"{file}.svg").read_bytes())[2])
            for file in ("plain", name)
        )
        if alpha is None:
            assert len(small) < len(plain)
        else:
            assert small == plain
        before, after = (
            np.asarray(Image.open(io.BytesIO(one)).convert("RGBA"), int) for one in (plain, small)
        )
        assert np.abs(before - after).mean() < 1.0  # of 255


def test_files_whose_content_has_not_changed_are_left_alone(tmp_path):
    path = tmp_path / "folder" / "file.txt"
    assert files.write(path, "a")
    before = path.stat().st_mtime_ns
    assert not files.write(path, "a")
    assert path.stat().st_mtime_ns == before
    assert files.write(path, "b")
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


def test_tables_in_three_forms(tmp_path):
    tables.save(pd.DataFrame({"a_b": ["x|y"], "n": [0.123456789]}), tmp_path, "tab_x")
    assert (tmp_path / "tab_x.md").read_text() == "| a_b | n |\n| --- | --- |\n| x\\|y | 0.123 |\n"
    assert r"a\_b & n \\" in (tmp_path / "tab_x.tex").read_text()
    assert (tmp_path / "tab_x.csv").read_text() == "a_b,n\nx|y,0.123457\n"


def test_latex_reads_a_table_as_plain_text():
    table = tables.latex(pd.DataFrame({r"a_%&#^": [r"$x$ {~\}"]}))
    header, cell = table.splitlines()[2:5:2]
    assert header == r"a\_\%\&\#\^{} \\"
    assert cell == r"\$x\$ \{\textasciitilde{}\textbackslash{}\} \\"


def test_bars_are_intervals_in_the_look_of_their_label():
    found = {("a", x): Interval(x, x - 0.1, x + 0.2, 9) for x in (1.0, 2.0)}
    points = curves.interval_table(found, ["model", "size"])
    assert points.reset_index().columns.tolist() == [
        "model", "size", "estimate", "low", "high", "n"
    ]  # fmt: skip
    _, (upright, sideways) = figures.panels(["upright", "sideways"], sharey=False)
    curves.bars(upright, points.loc["a"], "dropout", shift=0.5)
    curves.bars(sideways, points.loc["a"], "mine", at=[7, 8], sideways=True, color="k")
    (line,) = upright.lines
    assert line.get_xdata().tolist() == [1.5, 2.5] and line.get_ydata().tolist() == [1.0, 2.0]
    assert (line.get_color(), line.get_marker()) == looks.LOOKS["dropout"]
    ends = [path.vertices.tolist() for path in upright.collections[0].get_paths()]
    np.testing.assert_allclose(ends, [[[1.5, 0.9], [1.5, 1.2]], [[2.5, 1.9], [2.5, 2.2]]])
    (line,) = sideways.lines
    assert line.get_ydata().tolist() == [7, 8] and line.get_color() == "k"
    ends = [path.vertices.tolist() for path in sideways.collections[0].get_paths()]
    np.testing.assert_allclose(ends[0], [[0.9, 7], [1.2, 7]])

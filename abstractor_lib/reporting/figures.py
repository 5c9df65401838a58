"""Figures: one style, panels of learning curves, files that repeat byte for byte."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..records.measures import by_trial
from ..records.statistics import FEW, mean_interval
from .files import compact_png, write

PANEL = (3.1, 2.8)  # inches
GREY = "0.45"
FURTHER = "draws, one SD"  # the variant of points that show the spread over draws


def style() -> None:
    """The house style: small, colour-blind safe, the same bytes on every run."""
    sns.set_theme(context="paper", style="ticks", palette="colorblind")
    mpl.rcParams.update(
        {
            "svg.hashsalt": "abstractor",
            "svg.fonttype": "none",
            "font.family": "DejaVu Sans",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 9,
            "legend.frameon": False,
            "legend.fontsize": 8,
            "figure.dpi": 110,
            "savefig.dpi": 200,
        }
    )


def save(figure: Figure, points: pd.DataFrame, folder: Path, name: str, records: str) -> None:
    """Write ``name.svg``, ``name.png`` and ``name.csv`` (6 significant digits).

    Args:
        points: the plotted numbers.
        name: ``ID_topic``.
        records: hash of the records drawn, kept as the pictures' metadata.
    """
    note = f"records sha256:{records}"
    for suffix, metadata in (
        ("svg", {"Date": None, "Creator": None, "Description": note}),
        ("png", {"Software": None, "Description": note}),
    ):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, metadata=metadata, bbox_inches="tight")
        content = buffer.getvalue()
        write(folder / f"{name}.{suffix}", compact_png(content) if suffix == "png" else content)
    write(folder / f"{name}.csv", points.to_csv(index=False, float_format="%.6g"))


def panels(titles: Sequence[str], columns: int = 3) -> tuple[Figure, list[Axes]]:
    """One panel a title, side by side, sharing the vertical axis."""
    style()
    rows = -(-len(titles) // columns)
    across = min(len(titles), columns)
    figure, axes = plt.subplots(
        rows,
        across,
        figsize=(PANEL[0] * across, PANEL[1] * rows),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    flat = list(axes.flat)
    for axis, title in zip(flat, titles, strict=False):
        axis.set_title(title)
    for axis in flat[len(titles) :]:
        axis.set_visible(False)
    return figure, flat[: len(titles)]


@dataclass(frozen=True)
class Series:
    """One line of a figure: a metric of a model's runs. Lines of one label share their colour."""

    label: str
    model: str
    metric: str = "test_accuracy"
    variant: str = "curve"
    line: str = "-"

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table of trials that belong to the series."""
        return table[(table["model"] == self.model) & (table["variant"] == self.variant)]


def curve(axis: Axes, table: pd.DataFrame, series: Series, color) -> pd.DataFrame:
    """Draw the mean over trials against ``size``, with its 95 % interval as a band.

    Where there are fewer than five values they are shown themselves. A trial without a value (no
    such pair, say) is left out.

    Returns:
        The plotted points: ``series, model, metric, variant, x, mean, low, high, n``.
    """
    wide = by_trial(series.rows(table), series.metric)
    values = {size: wide[size].dropna() for size in wide.columns}
    found = {size: mean_interval(some) for size, some in values.items() if len(some) >= 2}
    points = pd.DataFrame(found.values(), columns=["mean", "low", "high", "n"])
    points.insert(0, "x", list(found))
    for column in ("variant", "metric", "model", "label"):
        points.insert(0, column.replace("label", "series"), getattr(series, column))
    axis.plot(points["x"], points["mean"], series.line, color=color, label=series.label, lw=1.5)
    sure = points[points["n"] >= FEW]
    axis.fill_between(sure["x"], sure["low"], sure["high"], color=color, alpha=0.2, lw=0)
    for size, few in values.items():
        if len(few) < FEW:
            axis.plot([size] * len(few), few, ".", color=color, ms=3, alpha=0.6)
    return points


def draws(axis: Axes, table: pd.DataFrame, series: Series, color) -> pd.DataFrame:
    """Where further draws of the data were made: mean and SD of the draws' means, as bars.

    Returns:
        Points as those of `curve`, with ``low`` and ``high`` one SD away and n draws.
    """
    rows = table[(table["model"] == series.model) & table["variant"].isin(["curve", "draw"])]
    means = rows.groupby(["size", "draw"])[series.metric].mean().groupby("size")
    found = means.agg(["mean", "std", "count"]).query("count > 1").reset_index()
    mean, spread = found["mean"], found["std"]
    axis.errorbar(found["size"], mean, spread, fmt="o", ms=3, lw=1, capsize=2, color=color)
    return pd.DataFrame(
        {
            "series": series.label,
            "model": series.model,
            "metric": series.metric,
            "variant": FURTHER,
            "x": found["size"],
            "mean": mean,
            "low": mean - spread,
            "high": mean + spread,
            "n": found["count"],
        }
    )


def paper_curve(axis: Axes, points: pd.DataFrame, color) -> None:
    """What the paper reports: means, dashed, with its own band of two standard errors either way;
    single runs as crosses."""
    if (points["n"] == 1).all():
        axis.plot(points["x"], points["mean"], "x", color=color, ms=6)
        return
    axis.plot(points["x"], points["mean"], "--", color=color, lw=1)
    low, high = points["mean"] - 2 * points["sem"], points["mean"] + 2 * points["sem"]
    axis.fill_between(points["x"], low, high, color=color, alpha=0.08, lw=0)


def draw(
    axis: Axes,
    table: pd.DataFrame | None,
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    chance: float | None = 0.5,
    xlabel: str = "training pairs",
    further_draws: bool = True,
) -> pd.DataFrame:
    """Draw several series and the paper's points (by label) into one panel.

    Args:
        table: trials; None leaves the panel empty but for "not run".
        chance: level of a dotted line.
        further_draws: show the spread over draws where the table has further draws.

    Returns:
        The plotted points; none, and a panel that says "not run", if there is no table.
    """
    axis.set_xlabel(xlabel)
    if table is None:
        axis.text(0.5, 0.5, "not run", ha="center", color=GREY, transform=axis.transAxes)
        axis.tick_params(bottom=False, labelbottom=False)
        return pd.DataFrame()
    if chance is not None:
        axis.axhline(chance, color=GREY, lw=0.8, ls=":")
    labels = list(dict.fromkeys(one.label for one in series))
    colors = dict(zip(labels, sns.color_palette("colorblind"), strict=False))
    points = []
    for one in series:
        if one.rows(table).empty:
            continue
        points.append(curve(axis, table, one, colors[one.label]))
        if further_draws and one.variant == "curve" and (table["variant"] == "draw").any():
            points.append(draws(axis, table, one, colors[one.label]))
    for label, reported in (paper or {}).items():
        paper_curve(axis, reported, colors[label])
    return pd.concat([some for some in points if len(some)]) if points else pd.DataFrame()


def learning_curves(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    chance: float | None = 0.5,
    ylabel: str = "test accuracy",
) -> tuple[Figure, pd.DataFrame]:
    """The same series in one panel a table; see `draw`.

    Returns:
        The figure, its panels titled with their number of trials, and its points.
    """
    figure, axes = panels(list(tables))
    drawn = [
        draw(axis, table, series, paper, chance).assign(panel=title)
        for axis, (title, table) in zip(axes, tables.items(), strict=True)
    ]
    for axis, points in zip(axes, drawn, strict=True):
        if len(points):
            trials = points.loc[points["variant"] != FURTHER, "n"].max()
            axis.set_title(f"{axis.get_title()} (n = {trials})")
    axes[0].set_ylabel(ylabel)
    legend(figure, axes, PAPER if paper else None)
    return figure, pd.concat(drawn)


PAPER = {"the paper, 2 SEM": {"ls": "--"}}


def legend(
    figure: Figure, axes: Sequence[Axes], extra: Mapping[str, Mapping] | None = None
) -> None:
    """One legend under all panels.

    Args:
        extra: further entries, label -> properties of a grey line.
    """
    handles: dict = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    for label, properties in (extra or {}).items():
        handles[label] = plt.Line2D([], [], **{"ls": "-", "color": GREY, **properties})
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4)


def matrices(
    pictures: Mapping[str, np.ndarray], *, columns: int = 3, limits=(0.0, 1.0), xlabel="", ylabel=""
) -> Figure:
    """Square matrices side by side, on one colour scale."""
    figure, axes = panels(list(pictures), columns)
    for axis, matrix in zip(axes, pictures.values(), strict=True):
        image = axis.imshow(matrix, cmap="viridis", vmin=limits[0], vmax=limits[1])
        axis.set_xlabel(xlabel)
    for axis in axes[::columns]:
        axis.set_ylabel(ylabel)
    figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02)
    return figure


def categories(matrix: np.ndarray, names: Sequence[str], title: str) -> Figure:
    """A matrix of whole numbers as a picture, with a legend of what each means.

    Args:
        names: what 0, 1, ... mean; a number without a name is left white.
    """
    figure, (axis,) = panels([title])
    colors = ["white", *sns.color_palette("viridis_r", len(names) - 1)]
    axis.imshow(matrix, cmap=mpl.colors.ListedColormap(colors), vmin=0, vmax=len(names) - 1)
    axis.set(xlabel="j", ylabel="i")
    handles = [
        plt.Rectangle((0, 0), 1, 1, fc=color, label=name)
        for color, name in zip(colors, names, strict=True)
        if name
    ]
    axis.legend(handles=handles, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.set_size_inches(1.7 * PANEL[0], PANEL[1])
    return figure

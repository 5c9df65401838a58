"""Errors and uncertainties of extrapolation, a panel for each class of curves.

``table`` is that of `curves.names.tidy`: columns ``model``, ``variant``, ``trial``, ``measure``,
``class`` and so on, a row for each number of each trained model or reference.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ....experiments.curves.grid import MAIN, WATCHED
from ....experiments.curves.names import LAST, metric_name, of
from ....experiments.curves.settings import REFERENCES
from ... import figures
from ...curves.axes import not_run
from ...figures import GREY
from ...keywords import Keywords
from ...looks import COLORS, looks

CLASSES = {"line": "lines", "rbf": "RBF curves", "sine": "sinusoids"}
SINGLE = {"transformer": "1d", "transformer_window": "1d, learned window"}
RELATIONAL = {"relational": "relational", "relational_window": "relational, learned window"}
MODELS = SINGLE | RELATIONAL
BASELINES = {name: REFERENCES[name] for name in ("last_value", "autoregression")}
FLOORS = {name: REFERENCES[name] for name in ("bayes", "bayes_level")}
STAR: Keywords = {"marker": "*", "mfc": "none", "ms": 9}
DASHES = ("--", ":", "-.", (0, (1, 4)), (0, (5, 1, 1, 1, 1, 1)))


def by_class(
    table: pd.DataFrame,
    measure: str,
    labels: Mapping[str, str],
    references: Mapping[str, str],
    *,
    printed: pd.DataFrame | None = None,
    worse: str | None = None,
    aims: Mapping[str, float] | None = None,
    xlabel: str,
    xlim: tuple[float, float] | None = None,
    log: bool = False,
    classes: Sequence[str] = tuple(CLASSES),
    **which: str,
) -> tuple[Figure, pd.DataFrame]:
    """Predictions side by side, a row each: of trained models a dot each, with their mean as a
    black dash; below them, of references, which are not trained, a black dash alone.

    Args:
        measure: such as ``mse``.
        labels: model -> what it is called.
        references: likewise.
        printed: columns ``series``, ``metric``, ``mean``, ``sem``: hollow stars, with two
            standard errors either way.
        worse: the reference to the right of which panels are shaded.
        aims: where values should be, label -> a red vertical line in each panel.
        xlim: of all panels; by default each has a range of its own.
        log: a logarithmic horizontal axis.
        which: of the trained models, their ``variant`` and ``weights``, if other than those of the
            main part of the grid.

    Returns:
        The figure, and the points: ``class, model, what, value``.
    """
    rows = {**labels, **references}
    figure, axes = figures.panels(
        [CLASSES[name] for name in classes], height=0.5 + 0.09 * len(rows)
    )
    styles, points = looks(labels.values()), []
    dash: Keywords = {"marker": "|", "ls": "", "color": "black", "ms": 12, "mew": 1.8}
    for axis, name in zip(axes, classes, strict=True):
        if table.empty:
            not_run(axis)
        for at, (model, label) in enumerate(rows.items()):
            trained = model in labels
            part: Keywords = dict(which) if trained else {}
            values = of(table, model, measure, name, **part)
            if trained:
                heights = at + np.linspace(-0.2, 0.2, len(values))
                style: Keywords = {"color": styles[label].color, "marker": styles[label].marker}
                axis.plot(values, heights, ls="", ms=6, mec="white", mew=0.4, **style)
            if len(values) > trained:
                axis.plot(values.mean(), at, **dash)
            what = "trained model" if trained else "reference"
            points += [(name, model, what, value) for value in values]
            points += printed_at(axis, printed, model, measure, name, at)
        axis.axhline(len(labels) - 0.5, color=GREY, lw=0.6)
        for label, value in (aims or {}).items():
            axis.axvline(value, color=COLORS["red"], lw=1, zorder=0, label=label)
        axis.set(xlabel=xlabel, ylim=(len(rows) - 0.4, -0.6))
        if xlim is not None:
            axis.set_xlim(xlim)
            axis.locator_params(axis="x", nbins=3)
        if log and not table.empty:
            logarithmic(axis, "x")
        if worse is not None:
            _shade(axis, of(table, worse, measure, name), f"worse than {REFERENCES[worse]}")
    axes[0].set_yticks(range(len(rows)), list(rows.values()))
    extra = {"one trained model": {"marker": "o", "ls": "", "ms": 6}}
    extra["mean, or value without training"] = dash
    if printed is not None:
        extra["printed in the paper, two standard errors"] = STAR
    figures.legend(figure, axes, extra)
    return figure, pd.DataFrame(points, columns=["class", "model", "what", "value"])


def _shade(axis: Axes, values: pd.Series, label: str) -> None:
    """Shade what lies to the right of a value, if there is one."""
    limits = axis.get_xlim()
    for value in values:
        axis.axvspan(value, limits[1], color="0.93", zorder=0, label=label)
    axis.set_xlim(limits)


def _floors(
    axis: Axes, table: pd.DataFrame, floors: Mapping[str, str], measure: str, kind: str
) -> list[tuple[str, float]]:
    """Draw references as vertical lines; their names and values."""
    drawn = []
    for dash, (reference, label) in zip(DASHES, floors.items(), strict=False):
        for value in of(table, reference, measure, kind):
            axis.axvline(value, color="black", lw=1, ls=dash, label=label)
            drawn.append((reference, value))
    return drawn


def printed_at(
    axis: Axes, printed: pd.DataFrame | None, model: str, measure: str, kind: str, at: float
) -> list[tuple]:
    """Draw a printed number at a height, with two standard errors; its point."""
    if printed is None:
        return []
    metric = metric_name(measure, kind)
    rows = printed[(printed["series"] == model) & (printed["metric"] == metric)]
    for row in rows.itertuples():
        axis.errorbar(row.mean, at, xerr=2 * row.sem, fmt="*", mfc="none", color=GREY, ms=9, lw=1)
    return [(kind, model, "printed", row.mean) for row in rows.itertuples()]


def by_step(
    table: pd.DataFrame,
    measure: str,
    labels: Mapping[str, str],
    floors: Mapping[str, str],
    *,
    ylabel: str,
    log: bool = False,
) -> tuple[Figure, pd.DataFrame]:
    """A measure against the step: a line for the mean over trained models.

    Args:
        measure: such as ``mse``.
        labels, floors: as those of `by_class`; floors are black lines.

    Returns:
        The figure, and the points: ``class, model, step, mean, least, greatest, n``.
    """
    figure, axes = figures.panels(list(CLASSES.values()), sharey=False)
    styles, points, found = looks(labels.values()), [], _steps(table, measure)
    for axis, name in zip(axes, CLASSES, strict=True):
        here = found[found["class"] == name]
        if here.empty:
            not_run(axis)
        for model, label in labels.items():
            style = {"color": styles[label].color, "marker": styles[label].marker, "ms": 4}
            points.append(here[here["model"] == model])
            _line(axis, points[-1], label=label, lw=1.4, **style)
        for dash, (reference, label) in zip(DASHES, floors.items(), strict=False):
            points.append(here[here["model"] == reference])
            _line(axis, points[-1], label=label, lw=1, color="black", ls=dash)
        axis.set_xlabel("step after the observed points")
        if log and len(here):
            logarithmic(axis, "y")
    axes[0].set_ylabel(ylabel)
    figures.legend(figure, axes)
    return figure, pd.concat(points)


def _steps(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Over the trained models of a name, by class and step."""
    chosen = (table["measure"] == measure) & (table["variant"] == MAIN) & (table["weights"] == LAST)
    groups = table[chosen & table["step"].notna()].groupby(["class", "model", "step"])["value"]
    return groups.agg(mean="mean", least="min", greatest="max", n="count").reset_index()


def _line(axis: Axes, curve: pd.DataFrame, **style) -> None:
    """Draw means by step, if there are any."""
    if len(curve):
        axis.plot(curve["step"], curve["mean"], **style)


def windows(
    history: pd.DataFrame, labels: Mapping[str, str], start: float | None = None
) -> tuple[Figure, pd.DataFrame]:
    """The effective length of each layer's window over training, a line for each trained model;
    dotted, the length at which all windows start.

    Args:
        history: what was seen during runs, likewise a row for each number, with the ``update``.
        start: the length before the first update.

    Returns:
        The figure, and the points: ``model, trial, layer, update, length``.
    """
    figure, axes = figures.panels(list(labels.values()), width=1.25)
    rows = history[(history["measure"] == "window_length") & (history["variant"] == MAIN)]
    rows = rows.rename(columns={"value": "length"}).astype({"layer": int})
    shades = sns.color_palette("viridis", rows["layer"].nunique())
    columns, points = ["update", "length", "model", "trial", "layer"], []
    for axis, model in zip(axes, labels, strict=True):
        own = rows[rows["model"] == model]
        if own.empty:
            not_run(axis)
            continue
        for (trial, layer), run in own.groupby(["trial", "layer"]):
            label = f"layer {layer}" if trial == own["trial"].min() else None
            axis.plot(run["update"], run["length"], color=shades[layer - 1], lw=1, label=label)
            points.append(run[columns])
        axis.set_xlabel("updates")
        if start is not None:
            axis.axhline(start, color="black", lw=1, ls=":", label="before training")
    axes[0].set_ylabel("effective length, in points")
    figures.legend(figure, axes, columns=5)
    return figure, pd.concat(points) if points else pd.DataFrame()


def open_points(
    table: pd.DataFrame,
    measure: str,
    labels: Mapping[str, str],
    floors: Mapping[str, str],
    *,
    xlabel: str,
    log: bool = False,
) -> tuple[Figure, pd.DataFrame]:
    """What another value of one setting changes, a row each: the model trained with it as a
    marker, the range of the same model with the settings as they are as a grey bar.

    Args:
        measure: such as ``mse``.
        labels: model -> what it is called; its variants stand together.
        floors: reference -> what it is called, a vertical line each.

    Returns:
        The figure, and the points: ``class, model, variant, value, least, greatest``.
    """
    others = table.loc[~table["variant"].isin([MAIN, WATCHED]), ["model", "variant"]]
    found = [tuple(pair) for pair in others.drop_duplicates().to_numpy()]
    pairs = [pair for model in labels for pair in found if pair[0] == model]
    figure, axes = figures.panels(list(CLASSES.values()), height=0.5 + 0.09 * len(pairs))
    styles, points = looks(labels.values()), []
    for axis, name in zip(axes, CLASSES, strict=True):
        if not pairs:
            not_run(axis)
        for at, (model, variant) in enumerate(pairs):
            look, usual = styles[labels[model]], of(table, model, measure, name)
            if len(usual):
                axis.plot([usual.min(), usual.max()], [at, at], color="0.8", lw=7)
            for value in of(table, model, measure, name, variant=variant):
                axis.plot(value, at, color=look.color, marker=look.marker, ms=6, mec="white")
                points.append((name, model, variant, value, usual.min(), usual.max()))
        _floors(axis, table, floors, measure, name)
        axis.set(xlabel=xlabel, ylim=(max(len(pairs), 1) - 0.5, -0.5))
        if log and pairs:
            logarithmic(axis, "x")
    names = [f"{variant} ({labels[model]})" for model, variant in pairs]
    axes[0].set_yticks(range(len(pairs)), names)
    figures.legend(figure, axes, {"usual settings: range over seeds": {"color": "0.8", "lw": 7}})
    columns = ["class", "model", "variant", "value", "least", "greatest"]
    return figure, pd.DataFrame(points, columns=columns)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """A few plain numbers between two, for a logarithmic axis.

    Example:
        >>> ticks(0.012, 1.4), ticks(0.7, 1.6)
        ([0.03, 0.1, 0.3, 1.0], [0.7, 0.8, 1.0, 1.5])
    """
    for steps in ((1, 1.5, 2, 3, 4, 5, 6, 7, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        places = [step * 10.0**power for power in powers for step in steps]
        places = [float(f"{place:.3g}") for place in places if low <= place <= high]
        if len(places) <= most:
            return places
    return places


def logarithmic(axis: Axes, which: str) -> None:
    """Make the axis ``x`` or ``y`` of a panel logarithmic, with a few plain numbers."""
    axis.set(**{f"{which}scale": "log"})
    chosen = ticks(*getattr(axis, f"get_{which}lim")())
    side = getattr(axis, f"{which}axis")
    side.set_major_locator(FixedLocator(chosen))
    side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    side.set_minor_locator(NullLocator())

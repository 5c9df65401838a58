"""What a model of curves reads, and what it predicts, one curve at a time.

Shapes: ``N`` observed values of a curve, ``T`` values that follow.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ....nn import LearnedWindow
from ... import figures
from ...curves.axes import not_run
from ...figures import GREY
from ...keywords import Keywords
from ...looks import COLORS, Look, looks

DIGITS = 6  # of numbers that are drawn
QUERY = "0.75"
UNSEEN = "0.87"  # of tokens that no attention reaches


def curve(axis: Axes, observed: np.ndarray, following: np.ndarray) -> None:
    """A curve: observed values as dots, those to be predicted as crosses.

    Args:
        observed: ``(N,)``, at x = 1, ..., N.
        following: ``(T,)``.
    """
    split = len(observed)
    style: Keywords = {"color": "0.25", "ls": ""}
    axis.plot(range(1, split + 1), observed, marker="o", ms=2.5, label="observed", **style)
    x = range(split + 1, split + len(following) + 1)
    axis.plot(x, following, marker="x", ms=3.5, mew=0.8, label="to be predicted", **style)
    axis.axvline(split + 0.5, color=GREY, lw=0.8, ls=":")


def band(
    axis: Axes, observed: int, mean: np.ndarray, sd: np.ndarray | None, label: str, look: Look
) -> None:
    """A prediction of the values that follow: a line, and two standard deviations either way.

    Args:
        observed: N.
        mean: ``(T,)``.
        sd: ``(T,)``; None if the model states none.
    """
    x = np.arange(observed + 1, observed + len(mean) + 1)
    axis.plot(x, mean, color=look.color, lw=1.4, label=label)
    if sd is not None:
        axis.fill_between(x, mean - 2 * sd, mean + 2 * sd, color=look.color, alpha=0.2, lw=0)


def examples(noisy: np.ndarray, titles: Sequence[str], observed: int) -> tuple[Figure, list[Axes]]:
    """Curves side by side, each as `curve` draws it.

    Args:
        noisy: values, ``(curves, N + T)``.
        titles: of the panels, a curve each; further curves are not drawn.
        observed: N.
    """
    figure, axes = figures.panels(list(titles), sharey=False)
    for axis, values in zip(axes, noisy, strict=False):
        curve(axis, values[:observed], values[observed:])
        axis.set_xlabel("$x$")
    axes[0].set_ylabel("$y$")
    figures.legend(figure, axes)
    return figure, axes


def gallery(
    galleries: Mapping[str, Mapping[str, np.ndarray]],
    exact: Mapping[str, np.ndarray],
    rows: Mapping[str, Mapping[str, str]],
    titles: Sequence[str],
    steps: int,
    reference: str = "reference",
) -> tuple[Figure, pd.DataFrame]:
    """Predictions of trained models for some curves, a column a curve, a row a group of models.
    The panels of a column have one vertical range.

    Args:
        galleries: model -> ``clean`` and ``noisy``, ``(curves, N + further)``, and ``median`` and,
            if the model states one, ``sd``, ``(curves, further)``. Without any, panels stay empty.
        exact: ``mean`` and ``sd`` of a reference, ``(curves, steps)``, in grey.
        rows: what a row of panels is called -> model -> what it is called.
        titles: of the columns; the first so many curves are drawn.
        steps: how many of the further points are drawn.
        reference: what it is called.

    Returns:
        The figure, and the points: ``curve, model, x, mean, sd``.
    """
    size = {"width": 0.9, "height": 0.55}
    blank = [""] * len(titles) * (len(rows) - 1)
    figure, axes = figures.panels([*titles, *blank], len(titles), sharey="col", **size)
    points = []
    for at, axis in enumerate(axes):
        row, index = list(rows.values())[at // len(titles)], at % len(titles)
        if not galleries:
            not_run(axis)
            continue
        chosen = {model: predicted for model, predicted in galleries.items() if model in row}
        noisy = next(iter(chosen.values()))["noisy"][index]
        observed = len(noisy) - len(next(iter(chosen.values()))["median"][index])
        curve(axis, noisy[:observed], noisy[observed : observed + steps])
        best = {"mean": exact["mean"][index], "sd": exact["sd"][index]}
        drawn: dict[str, tuple[dict, Look]] = {reference: (best, Look((0.45, 0.45, 0.45), "o"))}
        for model, predicted in chosen.items():
            label = row[model]
            sd = predicted["sd"][index][:steps] if "sd" in predicted else None
            drawn[label] = (
                {"mean": predicted["median"][index][:steps], "sd": sd},
                looks([label])[label],
            )
        for label, (predicted, look) in drawn.items():
            band(axis, observed, predicted["mean"], predicted["sd"], label, look)
            part = pd.DataFrame({"mean": predicted["mean"], "sd": predicted["sd"]})
            part.insert(0, "x", range(observed + 1, observed + len(part) + 1))
            points.append(part.assign(curve=titles[index], model=label))
    for at, axis in enumerate(axes, start=1):
        below = at > len(axes) - len(titles)
        axis.set(xlabel="$x$" if below else "")
        axis.tick_params(labelbottom=below)
    for axis, row in zip(axes[:: len(titles)], rows, strict=True):
        axis.set_ylabel(f"{row}\n$y$", fontsize=8)
    figures.legend(figure, axes, {"two standard deviations": {"lw": 7, "alpha": 0.3}})
    return figure, pd.concat(points).drop_duplicates() if points else pd.DataFrame()


def tokens(values: np.ndarray) -> tuple[Figure, pd.DataFrame]:
    """What the two kinds of models read of a curve, one square a token.

    Left the 1d model: (x_i, y_i), and its query. Right the relational model: (x_i, x_j, y_i - y_j)
    for i < j, and its queries, with the place (i, N + 1).

    Args:
        values: observed, ``(N,)``.

    Returns:
        The figure, and a row for each token: ``model, i, j, value``; queries have no value.
    """
    last = len(values) + 1
    rows = [("1d", i, 0, value) for i, value in enumerate(values, start=1)]
    rows.append(("1d", last, 0, None))
    for j in range(2, last):
        rows += [("relational", i, j, values[i - 1] - values[j - 1]) for i in range(1, j)]
    rows += [("relational", i, last, None) for i in range(1, last + 1)]
    points = pd.DataFrame(rows, columns=["model", "i", "j", "value"]).round({"value": DIGITS})
    figure, axes = figures.panels(["1d model", "relational model"], sharey=False, width=1.1)
    for axis, (model, group) in zip(axes, points.groupby("model", sort=False), strict=True):
        pale, shown = group[group["value"].isna()], group.dropna(subset="value")
        single = model == "1d"
        height = [one["value"].fillna(0) if single else one["j"] for one in (shown, pale)]
        options = {"s": 22 if single else 16, "marker": "s"}
        scale: Keywords = {"c": shown["value"], "cmap": "RdBu_r", "vmin": -2.5, "vmax": 2.5}
        image = axis.scatter(shown["i"], height[0], edgecolor="0.6", lw=0.3, **scale, **options)
        query: Keywords = {
            "facecolor": QUERY,
            "edgecolor": "0.3",
            "linewidth": 0.5,
            "label": "query",
        }
        axis.scatter(pale["i"], height[1], **query, **options)
        axis.set(xlabel="$i$", ylabel="$y_i$" if single else "$j$")
    figure.colorbar(image, ax=axes, label="value of the token", shrink=0.8)
    axes[1].invert_yaxis()
    figures.legend(figure, axes)
    return figure, points


def window_shapes(pairs: Sequence[tuple[float, float]]) -> tuple[Figure, pd.DataFrame]:
    """F_{a,b} against the distance, a line for each pair (a, b), with its effective length.

    Returns:
        The figure, and the points: ``a, b, x, F``.
    """
    figure, (axis,) = figures.panels(["the learned window"], height=0.8)
    distance, drawn = torch.linspace(0, 20, 81), []
    for (a, b), color in zip(pairs, COLORS.values(), strict=False):
        window = LearnedWindow(a=a, b=b)
        height, half = window(distance).detach().numpy().round(5), window.length().item()
        axis.plot(distance, height, color=color, label=f"a = {a:g}, b = {b:g}: length {half:.1f}")
        drawn.append(pd.DataFrame({"a": a, "b": b, "x": distance, "F": height}))
    axis.axhline(0.5, color=GREY, lw=0.8, ls=":")
    axis.set(xlabel="distance $x$", ylabel="$F_{a,b}(x)$")
    figures.legend(figure, [axis])
    return figure, pd.concat(drawn)


def gates(
    window: Callable[[np.ndarray], np.ndarray], token: tuple[int, int], count: int
) -> tuple[Figure, pd.DataFrame]:
    """The factors by which a window multiplies attention weights.

    Left: of the 1d model, F(|x_i - x_j|) 1[x_i > x_j]. Right: of one token (i, j) of the relational
    model, F(|x_i - x_i'|) F(|x_j - x_j'|) 1[i > i'] 1[j > j'].

    Args:
        window: F of distances.
        token: (i, j), i < j.
        count: N.

    Returns:
        The figure, and the points: ``model, i, j, gate``; of the 1d model i attends to j, of the
        relational model (i, j) is what the token attends to.
    """
    x = np.arange(1, count + 1)
    apart = x[:, None] - x
    single = np.where(apart > 0, window(np.abs(apart)), 0.0)  # (N, N)
    row, column = token
    first = np.where(row > x, window(np.abs(row - x)), 0.0)
    second = np.where(column > x, window(np.abs(column - x)), 0.0)
    double = np.where(x[:, None] > x, second[:, None] * first, np.nan)  # (j', i'), i' < j'
    titles = ["1d: every token", f"relational: token ({row}, {column})"]
    figure, axes = figures.panels(titles, sharey=False)
    edges: Keywords = {"extent": (0.5, count + 0.5, count + 0.5, 0.5), "vmin": 0, "vmax": 1}
    for axis, matrix in zip(axes, (single, double), strict=True):
        axis.imshow(0 * matrix, cmap=ListedColormap([UNSEEN]), **edges)
        seen = np.where(matrix > 0, matrix.round(DIGITS), np.nan)
        image = axis.imshow(seen, cmap="viridis", **edges)
        axis.set_yticks(axis.get_xticks()[1:-1])
    axes[0].set(xlabel="is attended to: $j$", ylabel="attends: $i$")
    axes[1].set(xlabel="is attended to: $i'$", ylabel="is attended to: $j'$")
    corner = (row - 0.5, column - 0.5)
    axes[1].add_patch(Rectangle(corner, 1, 1, fill=False, ec=COLORS["red"], lw=1.5))
    figure.colorbar(image, ax=axes, label="factor", shrink=0.8)
    square = {"marker": "s", "ls": "", "ms": 8}
    frame = {"mfc": "none", "mec": COLORS["red"], "mew": 1.5}
    names = {"not attended to": {"color": UNSEEN, **square}, "attends": frame | square}
    figures.legend(figure, axes, names)
    parts = [
        pd.DataFrame([(a, b, one[at(a, b)]) for a in x for b in x], columns=["i", "j", "gate"])
        .dropna()
        .assign(model=name)
        for name, one, at in (
            ("1d", single, lambda i, j: (i - 1, j - 1)),
            ("relational", double, lambda i, j: (j - 1, i - 1)),
        )
    ]
    return figure, pd.concat(parts)[["model", "i", "j", "gate"]].round({"gate": DIGITS})

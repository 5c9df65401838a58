"""Axes that several kinds of figures share."""

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from ..figures import GREY


def not_run(axis: Axes) -> None:
    """Say that a panel has no runs to show."""
    axis.text(0.5, 0.5, "not run", ha="center", color=GREY, transform=axis.transAxes)
    axis.tick_params(bottom=False, labelbottom=False)


def logarithmic(axis: Axes, xlabel: str, empty: bool) -> None:
    """A logarithmic horizontal axis with plain numbers, or "not run" if the panel stays empty."""
    axis.set_xlabel(xlabel)
    if empty:
        not_run(axis)
        return
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())

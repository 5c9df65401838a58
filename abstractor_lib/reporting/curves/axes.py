"""Axes that several kinds of figures share."""

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from ..figures import GREY


def not_run(axis: Axes, blank: bool = True) -> None:
    """Say that a panel has no runs to show; ``blank`` if it shows nothing else either."""
    axis.text(
        0.5, 0.5 if blank else 0.1, "not run", ha="center", color=GREY, transform=axis.transAxes
    )
    if blank:
        axis.tick_params(bottom=False, labelbottom=False)


def logarithmic(axis: Axes, xlabel: str, empty: bool) -> None:
    """A logarithmic horizontal axis with plain numbers, or "not run" if the panel stays empty."""
    axis.set_xlabel(xlabel)
    if empty:
        not_run(axis)
        return
    axis.set_xscale("log")
    plain(axis.xaxis)


def plain(axis: Axis, ticks: tuple[int, ...] = (1, 2, 5)) -> None:
    """Plain numbers on a logarithmic axis, at these multiples of powers of ten."""
    axis.set_major_locator(LogLocator(subs=ticks))
    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(NullFormatter())

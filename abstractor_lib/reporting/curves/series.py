"""The lines of a figure: which runs each shows, and its colour."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ..looks import looks


@dataclass(frozen=True)
class Series:
    """One line of a figure: a metric of a model's runs. Lines of one label share their colour.

    ``color``: of a line that is not to have the colour of its label, such as a shade of it.
    """

    label: str
    model: str
    metric: str = "test_accuracy"
    variant: str = "curve"
    line: str = "-"
    color: tuple | str | None = None

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table of trials that belong to the series."""
        return table[(table["model"] == self.model) & (table["variant"] == self.variant)]


def palette(series: Sequence[Series]) -> dict[str, tuple | str]:
    """A colour for each label, the same in all figures; see `looks`."""
    colors = {label: look.color for label, look in looks(line.label for line in series).items()}
    return colors | {line.label: line.color for line in series if line.color is not None}

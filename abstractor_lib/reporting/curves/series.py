"""The lines of a figure: which runs each shows, and its colour."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import seaborn as sns


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


def palette(series: Sequence[Series]) -> dict[str, tuple]:
    """A colour for each label."""
    labels = list(dict.fromkeys(one.label for one in series))
    return dict(zip(labels, sns.color_palette("colorblind"), strict=False))

"""What the trials of robust recovery come to: what its notebook tells and draws."""

from collections.abc import Mapping
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ...findings.groups import groups
from ...findings.statistics import Interval, difference_interval, mean_interval
from ...theory.corruption import DEPENDENT
from . import measures
from .grid import TRAINED
from .settings import OWN_KINDS

SHARE = partial(mean_interval, within=(0, 1))
KAPPAS = ("upper κ / lower κ", "σ / lower κ")  # what eq. 3.14 depends on


class Summary:
    """Of a table of trials; each part is computed once.

    Attributes:
        rows: features ``d`` of a symbol in the grid with all kinds of errors.
        ratios: m / d in that grid.
    """

    def __init__(self, table: pd.DataFrame):
        self.table = table
        grid = table[table.model == "invariance"]
        self.rows = int(grid.rows.iloc[0])
        self.ratios = sorted(grid.ratio.unique())
        self.few, self.many = self.ratios[0], self.ratios[-1]

    @cached_property
    def trials(self) -> pd.DataFrame:
        """Runs with Gaussian symbols."""
        return measures.recoveries(self.table)

    @cached_property
    def main(self) -> pd.DataFrame:
        """Those of the grid."""
        return self.trials[self.trials.rows == self.rows]

    @cached_property
    def fitted_on(self) -> pd.DataFrame:
        """Those of the grid on which levels are fitted: with Gaussian errors."""
        return self.main[self.main.variant == measures.FITTED_ON]

    @cached_property
    def safe(self) -> dict[str, float]:
        """The safe level of eq. 3.14 and of eq. 3.15."""
        return {side: measures.safe_level(self.fitted_on, side) for side in ("theorem", "short")}

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Share recovered and left side of eq. 3.14 in each cell of the grid."""
        return self.main.groupby(["variant", "ratio", "errors"])[["recovered", "theorem"]].mean()

    # Below the safe level of eq. 3.14.

    @cached_property
    def independent(self) -> pd.DataFrame:
        """Cells below the safe level, with errors that do not depend on the symbols."""
        kinds = ["heavy_tailed", "one_sided"]
        return measures.cells_inside(self.table, kinds, rows=self.rows)

    @property
    def sure(self) -> int:
        """In how many of them recovery is safe beyond doubt."""
        return int((self.independent.low > measures.ASKED).sum())

    @property
    def each(self) -> int:
        """How many cells there are of one kind of errors."""
        return len(self.independent) // 2 or 1

    @cached_property
    def lost(self) -> dict[str, int]:
        """In how many cells below the safe level recovery is not safe, by kind of errors that
        depend on the symbols."""
        cells = measures.cells_inside(self.table, DEPENDENT, rows=self.rows)
        lost = cells.groupby("variant").high.agg(lambda highs: int((highs < measures.ASKED).sum()))
        return {kind: int(lost.get(kind, 0)) for kind in DEPENDENT}

    # Where recovery ends.

    @cached_property
    def trial_ends(self) -> pd.DataFrame:
        """The threshold of each trial of the grid."""
        return measures.thresholds(self.main, ("variant", "ratio"))

    @cached_property
    def ends(self) -> dict[tuple, Interval]:
        """Mean thresholds by kind of errors and m / d."""
        groups = self.trial_ends.groupby(["variant", "ratio"]).threshold
        return {key: SHARE(some) for key, some in groups}

    @cached_property
    def signs_apart(self) -> float:
        """The largest difference of a trial's thresholds under dropout and under sign flips."""
        both = self.trial_ends[self.trial_ends.variant.isin(["dropout", "sign_flip"])]
        groups = both.groupby(["ratio", "trial"]).threshold
        return (groups.max() - groups.min()).max()

    @cached_property
    def allowed(self) -> pd.DataFrame:
        """By m / d: where recovery ends under Gaussian errors, and what levels of eq. 3.14 and 3.15
        allow."""
        half = {side: measures.fitted_level(self.fitted_on, side) for side in self.safe}
        ratios = pd.Index(self.ratios, name="ratio")
        kind = measures.FITTED_ON
        found = {"measured": [self.ends[kind, ratio].estimate for ratio in ratios]}
        for name, level in (("safe", self.safe), ("half", half)):
            found[f"eq. 3.14, {name} level"] = [
                measures.granted(self.table, level["theorem"], self.rows, r) for r in ratios
            ]
            found[f"eq. 3.15, {name} level"] = [
                measures.errors_at(level["short"], partial(measures.short_form, r)) for r in ratios
            ]
        return pd.DataFrame(found, index=ratios)

    # Does only m / d count?

    @cached_property
    def _sizes(self) -> pd.DataFrame:
        return measures.thresholds(self.trials[self.trials.variant == measures.FITTED_ON])

    @cached_property
    def sizes(self) -> dict[tuple, Interval]:
        """Mean thresholds by d and m / d, under Gaussian errors."""
        each = groups(self._sizes, ["rows", "ratio"])
        return {key: SHARE(some.threshold) for key, some in each}

    @cached_property
    def other_rows(self) -> list[int]:
        """Other d, with Gaussian errors alone."""
        kinds = self.trials.groupby("rows").variant.agg(set)
        return [int(rows) for rows, some in kinds.items() if some == {measures.FITTED_ON}]

    @cached_property
    def sizes_apart(self) -> dict[tuple, Interval]:
        """Thresholds of other d minus those of the grid, by d and m / d; simultaneous over the
        ratios of a d."""
        wide = self._sizes.pivot_table(index="trial", columns=["rows", "ratio"], values="threshold")
        apart = {}
        for rows in self.other_rows:
            shared = [ratio for ratio in wide[rows] if ratio in wide[self.rows]]
            for ratio in shared:
                both = wide[rows][ratio], wide[self.rows][ratio]
                apart[rows, ratio] = difference_interval(*both, len(shared), (-1, 1))
        return apart

    # Least squares.

    @cached_property
    def quartiles(self) -> dict[str, pd.DataFrame]:
        """Relative errors of both estimators by share of errors, at m / d = 0.1."""
        some = self.fitted_on[self.fitted_on["size"] == round(0.1 * self.rows)].groupby("errors")
        names = {"least absolute deviations": "error", "least squares": "squares_error"}
        return {
            label: some[name].quantile([0.25, 0.5, 0.75]).unstack().clip(1e-16)
            for label, name in names.items()
        }

    # Conditions A and B, and trained symbols.

    @cached_property
    def conditions(self) -> dict[tuple, Interval]:
        """Conditions A and B of Gaussian symbols, by name and m / d."""
        shown = self._measured[self._measured.rows == self.rows]
        shown = shown[shown.symbols == "gaussian"]
        names = ("sigma_fixed", "sigma_high", "sigma_low")
        names += ("kappa_high", "kappa_low_high", "kappa_low_low")
        return {
            (name, ratio): mean_interval(some[name])
            for ratio, some in shown.groupby("ratio")
            for name in names
        }

    @cached_property
    def _measured(self) -> pd.DataFrame:
        return self.table[self.table.model == "conditions"]

    @cached_property
    def _matched(self) -> pd.DataFrame:
        """Conditions of trained symbols, and of Gaussian ones of their size."""
        some = self._measured
        over = dict(zip(KAPPAS, (some.kappa_high, some.sigma_fixed), strict=True))
        sizes = some[some.symbols != "gaussian"][["rows", "size"]].drop_duplicates()
        ratios = {name: upper / some.kappa_low_high for name, upper in over.items()}
        return some.assign(**ratios).merge(sizes, on=["rows", "size"])

    @cached_property
    def trained_conditions(self) -> pd.DataFrame:
        """Conditions A and B of trained symbols and of Gaussian ones of their size: means, and
        ranges of ratios."""
        own = self._matched.groupby(["rows", "size", "symbols"])
        found = own[["kappa_high", "kappa_low_high", "sigma_fixed"]].mean()
        found.columns = ["upper κ", "lower κ, at most", "σ, fixed signs"]
        for name in KAPPAS:
            found[name] = own[name].mean()
            ranges = [f"{some.min():.2f} to {some.max():.2f}" for _, some in own[name]]
            found[f"{name}, range"] = ranges
        return found.reset_index().rename(columns={"rows": "d", "size": "m"})

    @cached_property
    def above_gaussian(self) -> np.ndarray:
        """Of each ratio of trained symbols, whether it is above those of all Gaussian matrices."""
        by_size = {
            gaussian: some.groupby(["rows", "size"])[list(KAPPAS)]
            for gaussian, some in self._matched.groupby(self._matched.symbols == "gaussian")
        }
        return (by_size[False].min() > by_size[True].max()).to_numpy()

    def trained_ends(self, sizes: Mapping[str, tuple[int, int]], trials: int) -> dict:
        """Mean thresholds by trained model, kind of errors and symbols, the model's own and
        Gaussian ones of their size.

        Args:
            sizes: (d, m) of the symbols of each model.
            trials: the first so many alone.
        """
        own = self.table[self.table.model.eq("recovery") & self.table.variant.isin(OWN_KINDS)]
        keys = ("rows", "size", "symbols", "variant")
        ends = measures.thresholds(own[own.trial < trials], keys)
        found = {key: SHARE(some.threshold) for key, some in ends.groupby(list(keys))}
        return {
            (which, kind, symbols): found[*sizes[which], symbols, kind]
            for which in TRAINED
            for kind in OWN_KINDS
            for symbols in (which, "gaussian")
        }

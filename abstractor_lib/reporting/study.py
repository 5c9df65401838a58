"""What a notebook works with: one experiment's records, tables, figures and claims."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from .. import Failure, experiments, paths
from ..execution.plan import Plan, known, plan
from ..experiments.protocol import PROTOCOLS, settings_table
from ..records import claims, store
from ..records.frame import frame, histories
from ..records.measures import by_trial
from ..records.spec import Spec
from ..records.statistics import size_to_reach
from . import figures, tables


class Incomplete(Failure):
    """A grid is incomplete, so there is nothing to show: it ends a notebook, without error."""

    def _render_traceback_(self) -> list[str]:  # what Jupyter shows in place of a traceback
        return [str(self)]


class Page:
    """Where a notebook writes its figures and tables; enough for one without records.

    Args:
        profile: ``smoke``, ``laptop`` or ``paper``.
        fresh: anything but the shipped files; see `paths.output`.
    """

    def __init__(self, profile: str = "laptop", fresh: bool = False):
        self.profile, self.fresh = profile, fresh
        self.folder = paths.output(profile, fresh) / "figures"

    @property
    def records(self) -> dict[str, dict]:
        """The records in use, by run id."""
        return {}

    @property
    def records_hash(self) -> str:
        """Hash of the records in use."""
        return store.records_hash(self.records)

    def save_figure(self, figure: Figure, points: pd.DataFrame, name: str) -> None:
        """Write a figure and its points to the figures folder under ``ID_topic``."""
        figures.save(figure, points, self.folder, name, self.records_hash)

    def save_table(self, table: pd.DataFrame, name: str) -> None:
        """Write a table to the figures folder under ``ID_topic``."""
        tables.save(table, self.folder, name)


class Study(Page):
    """An experiment under one profile. Only complete grids are used; the rest is "not run".

    Args:
        experiment: its name.
        profile: ``smoke``, ``laptop`` or ``paper``.
        fresh: read the records of ``build/PROFILE`` rather than those that ship.

    Attributes:
        frames: protocol -> table of trials, for complete grids.
    """

    def __init__(self, experiment: str, profile: str = "laptop", fresh: bool = False):
        super().__init__(profile, fresh)
        self.experiment = experiment
        self.module = experiments.get(experiment)
        records = known(experiment, profile, fresh)
        self.plans: dict[str, Plan] = {
            name: plan(experiment, profile, name, records) for name in PROTOCOLS
        }
        self.frames: dict[str, pd.DataFrame] = {
            name: frame(one.found.values(), self.module.columns, self.module.derived)
            for name, one in self.plans.items()
            if one.complete and one.specs
        }

    @property
    def records(self) -> dict[str, dict]:
        """The records in use, by run id."""
        return {
            run: record for name in self.frames for run, record in self.plans[name].found.items()
        }

    def table(self, protocol: str) -> pd.DataFrame:
        """The table of trials of a protocol, for notebooks that show nothing else.

        Raises:
            Incomplete: if its grid is incomplete.
        """
        if protocol not in self.frames:
            options = f"--profile {self.profile}" + " --fresh" * self.fresh
            raise Incomplete(
                f"not run: {self.experiment}, {protocol}, {self.profile}: "
                f"{self.plans[protocol].why}; to compute it, "
                f"abstractor run {self.experiment} {options}"
            )
        return self.frames[protocol]

    def panels(self, *protocols: str) -> dict[str, pd.DataFrame | None]:
        """Protocol -> its table, or None where the grid is incomplete."""
        return {name: self.frames.get(name) for name in protocols or PROTOCOLS}

    def histories(self, *protocols: str) -> dict[str, pd.DataFrame | None]:
        """Protocol -> what was seen during its runs, or None where the grid is incomplete."""
        return {
            name: histories(self.plans[name].found.values(), self.module.columns)
            if name in self.frames
            else None
            for name in protocols or PROTOCOLS
        }

    def sizes_to_reach(
        self, levels: Sequence[float], models: Sequence[str], metric: str
    ) -> pd.DataFrame:
        """Training sizes at which models reach levels of a metric, with bootstrap intervals;
        ``inf`` where they do not within the grid. Models that a protocol does not have are left
        out."""
        rows = []
        for protocol, table in self.frames.items():
            for model in models:
                wide = by_trial(table[(table.model == model) & (table.variant == "curve")], metric)
                wide = wide.dropna(axis=1)  # sizes that all trials have
                for level in levels if wide.size else ():
                    found = size_to_reach(level, wide.columns, wide.to_numpy())
                    rows.append(
                        {"protocol": protocol, "model": model, "level": level, **found._asdict()}
                    )
        return pd.DataFrame(rows).rename(columns={"estimate": "size"})

    def state(self) -> pd.DataFrame:
        """Runs wanted and found, and seconds they took, by protocol."""
        rows = [
            {
                "protocol": name,
                "runs": len(one.specs),
                "found": len(one.found),
                "trials": sum(spec.trials.count for spec in one.specs),
                "core minutes": sum(
                    record["provenance"]["seconds"] for record in one.found.values()
                )
                / 60,
                "state": one.why,
            }
            for name, one in self.plans.items()
        ]
        return pd.DataFrame(rows).round(1)

    def settings(self) -> pd.DataFrame:
        """The protocols side by side, each value with its source."""
        return pd.DataFrame(settings_table(self.module.PROTOCOLS))

    def common_settings(self) -> pd.DataFrame:
        """What all protocols share, each value with its source."""
        rows = [(item, one.value, one.source) for item, one in self.module.COMMON]
        return pd.DataFrame(rows, columns=["item", "value", "source"])

    def judged(self) -> list[claims.Judged]:
        """The verdicts on this experiment's claims, failing ones first."""
        found = [
            claims.judge(claim, protocol, self.frames)
            for claim in claims.read()
            if claim.experiment == self.experiment
            for protocol in claim.protocols
        ]
        return sorted(found, key=lambda one: claims.ORDER[one.verdict])

    def claims(self) -> pd.DataFrame:
        """The same as a table."""
        return pd.DataFrame([one.row() for one in self.judged()])

    def spec(self, protocol: str, model: str, size: int, variant: str = "curve", **others) -> Spec:
        """The first wanted spec of one point of the grid; ``others`` are further columns.

        Raises:
            ValueError: if the grid has no such run.
        """
        wanted = {"model": model, "size": size, "variant": variant, **others}
        for spec in self.plans[protocol].specs:
            found = self.module.columns(spec.canonical())
            if all(found.get(name) == value for name, value in wanted.items()):
                return spec
        raise ValueError(f"the {protocol} grid of {self.experiment} has no run {wanted}")

    def weights(self, spec: Spec, trial: int) -> dict:
        """Trained weights of one trial; trained here unless they ship or were built before."""
        from ..execution.compute import weights

        return weights(spec, trial, paths.weights(self.profile, self.fresh))

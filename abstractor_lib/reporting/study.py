"""What a notebook works with: one experiment's records, tables, figures and claims."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property

import pandas as pd
from IPython.display import Markdown
from matplotlib.figure import Figure

from .. import Failure, experiments
from ..execution.estimate import core_seconds
from ..execution.plan import Plan, plan
from ..experiments.protocol import PROTOCOLS, settings_table, shared_settings
from ..findings import claims, prose
from ..findings.measures import Measured, by_trial
from ..findings.sizes import brackets, median_bracket
from ..records import store
from ..records.frame import frame, histories
from ..records.spec import Spec, weights_name
from ..records.workspace import Workspace
from . import figures, tables, verdicts
from .claims_table import ClaimsTable
from .parameters import check_injected


class Incomplete(Failure):
    """A grid is incomplete, so there is nothing to show: it ends a notebook, without error."""


def measure_of(claim: claims.Claim) -> Callable[..., Measured]:
    """The function that measures a claim.

    Raises:
        ValueError: naming the claim, if there is no such experiment or function.
    """
    try:
        return experiments.get(claim.experiment).measure(claim.measure)
    except ValueError as error:
        raise ValueError(f"claims.toml, {claim.id}: {error}") from None


class Page:
    """Where a notebook writes its figures and tables; enough for one without records.

    Args:
        workspace: whose figures folder it is; without one, that of the figures that ship.
    """

    def __init__(self, workspace: Workspace | None = None):
        check_injected()
        self.workspace = workspace or Workspace()
        self.folder = self.workspace.figures

    @property
    def records(self) -> dict[str, dict]:
        """The records in use, by run id."""
        return {}

    @property
    def records_hash(self) -> str:
        """Hash of the records in use."""
        return store.records_hash(self.records)

    def save_figure(
        self, figure: Figure, points: pd.DataFrame, name: str, shown: bool = True
    ) -> None:
        """Write a figure and its points to the figures folder under ``ID_topic``.

        Args:
            shown: below the cell as well; if not, the page names the file, which keeps it small.
        """
        figures.save(figure, points, self.folder, name, self.records_hash)
        if not shown:
            figures.plt.close(figure)

    def save_table(self, table: pd.DataFrame, name: str) -> None:
        """Write a table to the figures folder under ``ID_topic``."""
        tables.save(table, self.folder, name)


class Study(Page):
    """An experiment under one profile. Only complete grids are used; the rest is "not run".

    Args:
        experiment: its name.
        workspace: whose records are shown; without one, those that ship.
        compute: compute first what the grids lack, as ``abstractor run`` does. What is recorded is
            not computed again, so that an interrupted notebook goes on where it was.

    Raises:
        ValueError: for a bad parameter of the running notebook, and an unknown experiment.
        Failure: for runs that diverged.

    Attributes:
        experiment: the experiment itself.
        plans: protocol -> its grid held against the records.
        complete: of those, the complete ones.
    """

    def __init__(self, experiment: str, workspace: Workspace | None = None, compute: bool = False):
        super().__init__(workspace)
        self.experiment = experiments.get(experiment)
        if compute:
            from joblib import cpu_count

            from ..execution.driver import complete  # takes torch

            complete([experiment], self.workspace, jobs=cpu_count())
        records = self.workspace.records(experiment)
        self.plans: dict[str, Plan] = {
            name: plan(experiment, name, self.workspace, records) for name in PROTOCOLS
        }
        self.complete = {
            name: one for name, one in self.plans.items() if one.complete and one.specs
        }

    def ancestors(self) -> dict[str, dict | None]:
        """Records of the runs that those of this experiment start from, directly or not, by id;
        None where there is no record. They may belong to another experiment, and to no grid."""
        read: Callable[[str], dict[str, dict]] = cache(self.workspace.records)
        found: dict[str, dict | None] = {}
        asked = [spec for grid in self.plans.values() for spec in grid.specs]
        while asked:
            for spec in (parent.spec for parent in asked.pop().parents.values()):
                if spec.id not in found:
                    found[spec.id] = read(spec.experiment).get(spec.id)
                    asked.append(spec)
        return found

    @cached_property
    def _frames(self) -> dict[str, pd.DataFrame]:
        return {
            name: frame(one.used.values(), self.experiment.columns, self.experiment.derived)
            for name, one in self.complete.items()
        }

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Protocol -> table of trials, for complete grids; copies, so that a notebook may add
        columns and verdicts rest on the records alone."""
        return {name: table.copy() for name, table in self._frames.items()}

    @property
    def records(self) -> dict[str, dict]:
        """The records in use, by run id."""
        return {run: record for one in self.complete.values() for run, record in one.used.items()}

    def table(self, protocol: str) -> pd.DataFrame:
        """The table of trials of a protocol, for notebooks that show nothing else.

        Raises:
            Incomplete: if its grid is incomplete.
        """
        if protocol not in self.frames:
            raise self._not_run(protocol)
        return self.frames[protocol]

    def _not_run(self, protocol: str) -> Incomplete:
        name = self.experiment.name
        return Incomplete(
            f"not run: {name}, {protocol}, {self.workspace.profile}: {self.plans[protocol].why}; "
            "to compute it, give this notebook the parameter compute=True, or: abstractor run "
            f"{name} {self.workspace.options}"
        )

    def panels(self, *protocols: str) -> dict[str, pd.DataFrame | None]:
        """Protocol -> its table, or None where the grid is incomplete."""
        return {name: self.frames.get(name) for name in protocols or PROTOCOLS}

    def histories(self, *protocols: str) -> dict[str, pd.DataFrame | None]:
        """Protocol -> what was seen during its runs, or None where the grid is incomplete."""
        return {
            name: histories(self.plans[name].used.values(), self.experiment.columns)
            if name in self.complete
            else None
            for name in protocols or PROTOCOLS
        }

    def sizes_to_reach(
        self,
        levels: Sequence[float],
        models: Sequence[str],
        metric: str,
        trials: int | None = None,
    ) -> pd.DataFrame:
        """Between which training sizes (``low``, ``high``) half of the ``n`` trials of a model
        reach a level of a metric; ``low`` is 0 where the smallest size is enough, ``high`` infinite
        where the largest is not. Models that a protocol does not have are left out. ``trials``
        counts the first so many only, where others were not run at all sizes."""
        rows = []
        for protocol, table in self.frames.items():
            for model in models:
                rows_of = table[(table.model == model) & (table.variant == "curve")]
                wide = by_trial(rows_of, metric).iloc[:trials]
                for level in levels if wide.size else ():
                    low, high = median_bracket(brackets(level, wide))
                    rows.append((protocol, model, level, low, high, len(wide)))
        return pd.DataFrame(rows, columns=["protocol", "model", "level", "low", "high", "n"])

    def state(self) -> pd.DataFrame:
        """Runs wanted and found, and the time they took, by protocol; of parts of a grid those that
        are complete, once the main one is."""
        rows = []
        for name, grid in self.plans.items():
            wanted = [s for s in grid.specs if not grid.complete or s.part not in grid.unfinished]
            records = [grid.records[spec.id] for spec in wanted if spec.id in grid.records]
            rows.append(
                {
                    "protocol": name,
                    "runs": len(wanted),
                    "found": len(records),
                    "trials": sum(spec.trials.count for spec in wanted),
                    "core minutes": core_seconds(records) / 60,
                    "state": grid.why if wanted else "none planned",
                }
            )
        return pd.DataFrame(rows).round(1)

    def parts(self, protocol: str) -> pd.DataFrame:
        """Runs of each part of a grid, wanted and found, and the time that those took."""
        grid, rows = self.plans[protocol], []
        for part in dict.fromkeys(spec.part for spec in grid.specs):
            wanted = [spec.id for spec in grid.specs if spec.part == part]
            found = [grid.records[one] for one in wanted if one in grid.records]
            hours = core_seconds(found, grid.records) / 3600
            row = {"part": part or "main", "runs": len(wanted), "found": len(found)}
            rows.append({**row, "core hours": hours})
        columns = ["part", "runs", "found", "core hours"]
        table = pd.DataFrame(rows, columns=columns).set_index("part")
        table.loc["all"] = table.sum()
        return table.astype({"runs": int, "found": int}).round(1)

    def settings(self) -> pd.DataFrame:
        """The protocols side by side, each value with its source."""
        return pd.DataFrame(settings_table(self.experiment.protocols))

    def common_settings(self) -> pd.DataFrame:
        """What all protocols share, each value with its source."""
        rows = shared_settings(self.experiment.protocols)
        return pd.DataFrame(rows, columns=["item", "value", "source"])

    def judged(self) -> list[claims.Judged]:
        """The verdicts on this experiment's claims, failing ones first."""
        return list(self._judged)

    @cached_property
    def _judged(self) -> list[claims.Judged]:
        judged = [
            claims.judge(
                claim,
                protocol,
                self._frames,
                measure_of(claim),
                self.workspace.profile,
            )
            for claim in claims.read()
            if claim.experiment == self.experiment.name
            for protocol in claim.protocols
        ]
        return sorted(judged, key=lambda verdict: claims.ORDER[verdict.verdict])

    def say(self, name: str, **computed) -> Markdown:
        """A sentence of the notebook, with numbers from the records; that nothing was run, if no
        grid of the experiment is complete.

        Args:
            name: of the sentence, a function in the experiment's module ``sentences``.
            computed: what it takes beside the tables of trials, by name.

        Raises:
            ValueError: if there is no such sentence, or the records that ship say otherwise than it
                does; other records, such as those of a short run, may, and it is marked then.
        """
        write = self.experiment.sentence(name)
        if not self.complete:
            about = " ".join((write.__doc__ or "").split("\n\n")[0].split())
            command = f"`abstractor run {self.experiment.name}` computes it"
            return Markdown(f"*Not run: {command}. ({about.removesuffix('.')}.)*")
        sentence = write(self.frames, **computed)
        judged = {(one.id, one.protocol): one for one in self.judged()}
        others = prose.disagreements(sentence.because, judged)
        text = prose.fill(sentence.text, judged, sentence.values)
        if self.workspace.ships:
            if others:
                raise ValueError(f"{self.experiment.name}, {name}: {'; '.join(others)}")
            return Markdown(text)
        note = "*Written for the records that ship; numbers of the profile"
        return Markdown(f"{note} `{self.workspace.profile}`.* {text}")

    def claims(self, *origins: str) -> ClaimsTable:
        """The claims as people read them, a row each.

        Args:
            origins: whose claims, of ``stated``, ``suggested``, ``control``; without any, all.
        """
        wanted = origins or tuple(verdicts.ORIGINS)
        return ClaimsTable(one for one in self.judged() if one.origin in wanted)

    def wanted(self, protocol: str, **columns) -> list[Spec]:
        """The specs of a grid whose columns have those values."""
        return [
            spec
            for spec in self.plans[protocol].specs
            if columns.items() <= self.experiment.columns(spec.canonical()).items()
        ]

    def sizes(self, protocol: str, **columns) -> list[int]:
        """The sizes of those specs, the smallest first."""
        points = (self.experiment.columns(s.canonical()) for s in self.wanted(protocol, **columns))
        return sorted({point["size"] for point in points})

    def spec(self, protocol: str, model: str, size: int, variant: str = "curve", **others) -> Spec:
        """The first wanted spec of one point of the grid; ``others`` are further columns.

        Raises:
            ValueError: if the grid has no such run.
        """
        columns = {"model": model, "size": size, "variant": variant, **others}
        if specs := self.wanted(protocol, **columns):
            return specs[0]
        raise ValueError(f"the {protocol} grid of {self.experiment.name} has no run {columns}")

    def weights(self, spec: Spec, trial: int) -> dict:
        """Trained weights of one trial, which its run has left. Nothing is trained here.

        Raises:
            Incomplete: if the run left none.
            Damaged: if their file is not what the record says.
        """
        return self.artifact(spec, weights_name(trial))

    def artifact(self, spec: Spec, kept: str) -> dict:
        """Tensors that a run has left beside its record, by the name that its grid keeps them by.

        Raises:
            Incomplete: if there is no such run, or it left none.
            Damaged: if their file is not what the record says.
        """
        record = self.plans[spec.protocol].records.get(spec.id)
        if record is None:
            raise self._not_run(spec.protocol)
        name = record.get("artifacts", {}).get(kept)
        if name is None:
            raise Incomplete(
                f"the run {spec.id[:12]} left no {kept}; a run that is to leave it says so in the "
                f"grid of {self.experiment.name} (`keep`)"
            )
        return self.workspace.artifacts.load(name)

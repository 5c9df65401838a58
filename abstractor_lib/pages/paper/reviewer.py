"""A reviewer's column: short runs of ``docs/paper/presets.toml``, computed again where one sits."""

import json
import math
import statistics
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ... import experiments
from ...execution.again import spec_of
from ...execution.bars import bar
from ...execution.compute import outcome
from ...execution.driver import weights_of_parents
from ...execution.machine import machine, same_class
from ...experiments.context import Context
from ...findings.published import published
from ...records.spec import from_plain
from ...records.workspace import Workspace

DIGITS = 4


@dataclass(frozen=True)
class Preset:
    """A run of the grid, and the published number beside it.

    Attributes:
        section, what: where it belongs, and what is measured, in words.
        experiment, protocol, model, variant, size: which run; of several trials, the first.
        also: further columns of the experiment's tables that the run has, where others differ in
            them.
        metric: its mean over the run's trials is shown.
        figure, series: of ``data/published``, at ``size``; empty if nothing was published.
    """

    section: str
    what: str
    experiment: str
    protocol: str
    model: str
    variant: str
    size: int
    metric: str
    figure: str = ""
    series: str = ""
    also: dict[str, float] = field(default_factory=dict)

    def record(self, workspace: Workspace) -> dict:
        """The record of the run.

        Raises:
            ValueError: if there is none, or one of other settings too.
        """
        known = experiments.get(self.experiment)
        wanted = (self.protocol, self.model, self.variant, self.size)
        found, kinds = [], set()
        for record in workspace.records(self.experiment).values():
            spec = record["spec"]
            columns = known.columns(spec)
            place = (spec["protocol"], columns["model"], columns["variant"], columns["size"])
            if place == wanted and self.also.items() <= columns.items():
                kinds.add(str(columns))
                found.append((spec["draw"] or 0, spec["trials"]["first"], record["run"], record))
        if not found:
            raise ValueError(f"the preset {self.section!r} is of a run without a record: {wanted}")
        if len(kinds) > 1:
            raise ValueError(
                f"the preset {self.section!r} fits runs of {len(kinds)} settings; expected `also` "
                "to tell them apart"
            )
        return min(found)[-1]

    @property
    def paper(self) -> float | None:
        """What the paper reports; None if nothing.

        Raises:
            ValueError: if the series has no such point.
        """
        if not self.figure:
            return None
        points = published(self.figure, self.series).set_index("x")["mean"]
        if self.size not in points.index:
            raise ValueError(
                f"the preset {self.section!r} has size {self.size}; {self.figure} has: "
                + ", ".join(map(str, points.index))
            )
        return float(points[self.size])


def presets(file: Path) -> list[Preset]:
    """The presets of a TOML file.

    Raises:
        ValueError: for an unknown, missing or mistyped field.
    """
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["preset"]
    return [from_plain(Preset, entry) for entry in entries]


def review(name: str, file: Path, workspace: Workspace | None = None) -> str:
    """Compute the presets again; what the paper's table shows, as JSON.

    Args:
        name: who computes.
        file: the presets.
        workspace: where the records lie; None for those that ship.

    Raises:
        ValueError: without a name, or if a preset has no record.
    """
    if not name.strip():
        raise ValueError("--reviewer is empty; expected a name")
    workspace = workspace or Workspace()
    some = presets(file)
    known = [(preset.record(workspace), preset.paper) for preset in some]
    load, rows = weights_of_parents(workspace), []
    with bar(total=len(some), desc="presets", unit="run") as shown:
        for preset, (record, paper) in zip(some, known, strict=True):
            again = outcome(spec_of(record), Context(load=load)).metrics[preset.metric]
            rows.append(row(preset, record, paper, again))
            shown.update()
    return json.dumps({"reviewer": name.strip(), "rows": rows}, indent=1) + "\n"


def row(preset: Preset, record: Mapping, paper: float | None, again: list[float]) -> dict:
    """A row of the table: numbers as text, and whether record and run are of one machine class."""
    return {
        **asdict(preset),
        "run": record["run"][:12],
        "trials": record["spec"]["trials"]["count"],
        "paper": _shown(paper),
        "recorded": _shown(statistics.fmean(record["metrics"][preset.metric])),
        "again": _shown(statistics.fmean(again)),
        "same class": same_class(record["provenance"], machine()) is True,
    }


def _shown(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.{DIGITS}f}"

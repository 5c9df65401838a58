"""The audit: all records are looked at for changes, some are computed again."""

import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from .. import experiments
from ..experiments.context import State
from ..experiments.protocol import PROTOCOLS
from ..records.artifacts import Artifacts, Damaged, whose
from ..records.seal import intact
from ..records.spec import Parent, run_id
from ..records.workspace import Workspace
from .again import Check, check, in_part, spec_of
from .bars import bar
from .driver import weights_of_parents
from .estimate import alike, cost
from .machine import machine

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n} of {total} s"
LONG = 3  # times what runs alike took, at most, is believed of a record's own seconds
FEW = 3  # records, at least, that say how long runs alike take
NAMED = 3  # records of an experiment with the same finding that are named


@dataclass(frozen=True)
class Audit:
    """What was found.

    Attributes:
        count: records that were looked at.
        checks: those that were changed, and those that were computed again.
        reach: how many records, drawn or not, no audit like this one holds against their run in
            every metric, by reason: ``device``, ``class``, ``length``.
        absent: artifacts that records name and that are not there.
    """

    count: int
    checks: list[Check] = field(default_factory=list)
    reach: Counter = field(default_factory=Counter)
    absent: int = 0


def audit(
    records: Mapping[str, dict],
    budget: float,
    load: Callable[[Parent], State],
    seed: int | None = None,
    artifacts: Artifacts | None = None,
) -> Audit:
    """Look at every record for changes, then compute records drawn at random again until
    ``budget`` seconds are spent. Nothing is written.

    Args:
        records: by run id.
        budget: seconds.
        load: the weights of a run's parent.
        seed: of the draw; None draws anew each time.
        artifacts: where the files lie that runs left; None looks at none.

    Raises:
        ValueError: if the spec of a record cannot be read.
    """
    checks, absent = [], 0
    for record in records.values():
        problem = unsealed(record)
        if problem is None and artifacts is not None:
            problem, lacking = exchanged(record, artifacts)
            absent += lacking
        if problem is not None:
            checks.append(problem)
    changed = {checked.run for checked in checks}
    order = sorted(set(records) - changed)
    random.Random(seed).shuffle(order)
    likely = lengths(records)
    reach = beyond_reach((records[run] for run in order), budget, likely)
    start = time.monotonic()
    with bar(total=round(budget), desc="audit", bar_format=BAR) as drawn:
        for run in order:
            left = budget - (time.monotonic() - start)
            if left <= 0:
                break
            checks.append(check(records[run], load, left, likely(records[run])))
            drawn.n = min(round(time.monotonic() - start), round(budget))
            drawn.refresh()
    return Audit(len(records), checks, reach, absent)


def unsealed(record: Mapping) -> Check | None:
    """What is wrong with a record that was changed after it was written; None if nothing is."""
    name = record["spec"]["experiment"]
    if run_id(record["spec"]) != record["run"]:
        return Check(record["run"], name, "seal", False, "its id is not that of its spec")
    if not intact(record):
        return Check(record["run"], name, "seal", False, "it was changed after it was written")
    return None


def exchanged(record: Mapping, artifacts: Artifacts) -> tuple[Check | None, int]:
    """What is wrong with the files that a record names, and how many of them are not there.

    Each must have the content that its name says, and say itself that this run left it under this
    name. So no seal is needed to know a file that was exchanged.
    """
    absent = 0
    for name, file in record.get("artifacts", {}).items():
        if artifacts.path(file) is None:
            absent += 1
            continue
        try:
            said = whose(artifacts.read(file))
        except Damaged as error:
            problem = str(error)
        else:
            problem = f"the file that it calls {name} is another run's"
            if (said.get("run"), said.get("artifact")) == (record["run"], name):
                continue
        bad = Check(record["run"], record["spec"]["experiment"], "artifact", False, problem)
        return bad, absent
    return None, absent


def lengths(records: Mapping[str, Mapping]) -> Callable[[Mapping], float]:
    """Seconds of a record's run that are believed: `LONG` times what runs alike took, at most.

    A record cannot say that its run is too long to be computed whole, unless most like it do: the
    rate is the median of at least `FEW` records.
    """

    @cache
    def rates(name: str) -> dict[object, float]:
        known: dict[object, list[float]] = {}
        for record in records.values():
            if record["spec"]["experiment"] == name:
                spec = spec_of(record)
                for like in alike(spec):
                    rate = record["provenance"]["seconds"] / cost(spec)
                    known.setdefault(like, []).append(rate)
        return {like: statistics.median(some) for like, some in known.items() if len(some) >= FEW}

    def seconds(record: Mapping) -> float:
        spec = spec_of(record)
        known = rates(spec.experiment)
        rate = next((known[like] for like in alike(spec) if like in known), math.inf)
        return LONG * rate * cost(spec)

    return seconds


def beyond_reach(
    records: Iterable[Mapping], budget: float, likely: Callable[[Mapping], float]
) -> Counter:
    """How many records are not held against their run in every metric, were they drawn."""
    here, reasons = machine(), Counter()
    for record in records:
        if why := in_part(record, here):
            reasons[why] += 1
        elif record["provenance"]["seconds"] >= budget and likely(record) >= budget:
            reasons["length"] += 1
    return reasons


@dataclass(frozen=True)
class Summary:
    """An audit in words.

    Attributes:
        lines: what did not agree, a line for each record, and what was not checked.
        total: a sentence on all.
        verdict: what a disagreement means and what to do; empty if there is none.
    """

    lines: list[str]
    total: str
    verdict: str


MEANING = (
    "a record that does not come out again was changed, or the code was since it was written. "
    "`abstractor show RUN` prints it, `git -c diff.packed.textconv='gzip -cd' log -p data/records` "
    "says when it changed. To compute it anew, delete its line from data/records/EXPERIMENT.jsonl "
    "(if there is an EXPERIMENT.jsonl.gz: `abstractor pack EXPERIMENT`, then gunzip that file) and "
    "call `abstractor run EXPERIMENT`"
)
REASONS = {
    "device": "were computed on another device",
    "class": "are of another class of machine",
    "length": "take too long",
}


def summary(audit: Audit) -> Summary:
    """What an audit found."""
    bad = [checked for checked in audit.checks if checked.agrees is False]
    lines = [
        f"{checked.run[:12]} {checked.experiment} disagrees: {checked.detail}" for checked in bad
    ]
    agree = [checked for checked in audit.checks if checked.agrees is True]
    open_ = [checked for checked in audit.checks if checked.agrees is None]
    loose = [checked for checked in agree if checked.unchecked]
    groups: dict[tuple[str, str], list[str]] = {}
    for checked in (*loose, *open_):
        why = checked.detail if checked.agrees is None else told(checked)
        groups.setdefault((checked.experiment, why), []).append(checked.run[:12])
    lines += [f"{' '.join(shown(runs))} {name} {why}" for (name, why), runs in groups.items()]
    rest = unchecked(audit)
    again = [checked for checked in audit.checks if checked.how in ("whole", "first numbers")]
    total = (
        f"audit: {audit.count} records looked at, {len(again)} computed again, "
        f"{len(agree) - len(loose)} of them in every metric; {len(bad)} disagree. {rest}"
    )
    return Summary(lines, total, f"{MEANING}. {rest}" if bad else "")


def told(checked: Check) -> str:
    """What of a record that agrees was not checked, in words."""
    if checked.how == "first numbers":
        return "metrics not checked: its first numbers alone were computed"
    return f"metrics {checked.unchecked}"


def shown(runs: list[str]) -> list[str]:
    """Some runs by their ids, and how many more there are."""
    more = len(runs) - NAMED
    return runs[:NAMED] + ([f"and {more} more"] if more > 0 else [])


def unchecked(audit: Audit) -> str:
    """The sentence on what was not checked."""
    drawn = sum(checked.agrees is None or bool(checked.unchecked) for checked in audit.checks)
    parts = [f"{drawn} of those drawn", f"{audit.count - len(audit.checks)} that were not drawn"]
    sentence = f"Not checked, or not in every metric: {', '.join(parts)}"
    if why := [f"{count} {REASONS[name]}" for name, count in sorted(audit.reach.items())]:
        sentence += f". Of all, {sum(audit.reach.values())} cannot be here: {', '.join(why)}"
    if audit.absent:
        sentence += f"; {audit.absent} artifacts are not here"
    return sentence


def audit_shipped(names: Iterable[str], budget: float, seed: int | None = None) -> Summary:
    """What an audit finds of the records that ship, of the experiments of those names.

    Raises:
        ValueError: if an experiment's grid ships and its records do not.
    """
    workspace, records = Workspace(), {}
    for name in names:
        shipped = workspace.records(name)
        if not shipped and (wanted := asked_for(name, workspace)):
            raise ValueError(
                f"{workspace.file(name)} and its packed file hold no record; the grid of {name} "
                f"asks for {wanted}"
            )
        records |= shipped
    load = weights_of_parents(workspace)
    return summary(audit(records, budget, load, seed, workspace.artifacts))


def asked_for(name: str, workspace: Workspace) -> int:
    """How many runs the grids of an experiment ask for."""
    grid = experiments.get(name).grid
    return sum(len(grid(workspace.profile, protocol)) for protocol in PROTOCOLS)

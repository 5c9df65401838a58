"""What a grid has, and what it lacks."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from .. import experiments
from ..records.artifacts import Artifacts
from ..records.spec import Parent, Spec, dumps
from ..records.workspace import Workspace


@dataclass
class Plan:
    """A grid held against the record store.

    Attributes:
        records: those of wanted specs, by run id.
        missing: wanted specs without a record, the stale ones included, or without the artifacts
            that they are to leave.
        stale: of those, the specs that a record answers in everything but ``version``.
        bare: of those, the specs whose record is there, but not its artifacts.
    """

    experiment: str
    protocol: str
    specs: list[Spec]
    records: dict[str, dict] = field(default_factory=dict)
    missing: list[Spec] = field(default_factory=list)
    stale: list[Spec] = field(default_factory=list)
    bare: list[Spec] = field(default_factory=list)

    @property
    def unfinished(self) -> dict[str, int]:
        """The parts that lack runs, and how many; pictures may lack their weights."""
        return Counter(spec.part for spec in self.missing if spec.id not in self.records)

    @property
    def complete(self) -> bool:
        """Whether every run of the main part has its record."""
        return "" not in self.unfinished

    @property
    def used(self) -> dict[str, dict]:
        """The records of the parts that are complete, by run id."""
        complete = [spec.id for spec in self.specs if spec.part not in self.unfinished]
        return {run: self.records[run] for run in complete}

    @property
    def why(self) -> str:
        """One phrase on what is missing."""
        if self.complete:
            words = ["main part done" if self.unfinished else "complete"]
            words += [f"{len(self.bare)} without weights"] * bool(self.bare)
            return ", ".join(words)
        if self.stale:
            return f"{len(self.stale)} of another version of the experiment"
        return "not computed" if not self.records else "partly computed"


def plan(experiment: str, protocol: str, workspace: Workspace, records=None) -> Plan:
    """Hold one grid against its records.

    Args:
        workspace: whose grid and records.
        records: in place of the workspace's, by run id.
    """
    wanted = experiments.get(experiment).grid(workspace.profile, protocol)
    if records is None:
        records = workspace.records(experiment)
    result = Plan(experiment, protocol, wanted)
    artifacts = workspace.artifacts
    for spec in result.specs:
        record = records.get(spec.id)
        if record is not None:
            result.records[spec.id] = record
            if leaves(record, spec.keep, artifacts):
                continue
            result.bare.append(spec)
        result.missing.append(spec)
    unanswered = [spec for spec in result.missing if spec.id not in result.records]
    if unanswered:
        versionless = {_versionless(record["spec"]) for record in records.values()}
        result.stale = [one for one in unanswered if _versionless(one.canonical()) in versionless]
    return result


def with_engine(specs: Iterable[Spec], engine: str | None = None) -> list[Spec]:
    """The runs that an engine drives; None for those that need none."""
    return [spec for spec in specs if experiments.get(spec.experiment).needs(spec).engine == engine]


def leaves(record: Mapping, names: tuple[str, ...], artifacts: Artifacts) -> bool:
    """Whether the artifacts of those names are there."""
    named = record.get("artifacts", {})
    return all(name in named and artifacts.path(named[name]) for name in names)


def parents_of(specs: Iterable[Spec]) -> dict[tuple[str, str], Parent]:
    """The trained models that runs start from, by run and artifact, each once."""
    parents = (parent for spec in specs for parent in spec.parents.values())
    return {(parent.spec.id, parent.artifact): parent for parent in parents}


def locate(specs: Iterable[Spec], workspace: Workspace) -> dict[tuple[str, str], str]:
    """The files that hold the weights that runs start from, by run and artifact; those of runs
    that have yet to be computed are left out."""
    files, records = {}, {}
    for (run, artifact), parent in parents_of(specs).items():
        whose = parent.spec.experiment
        if whose not in records:
            records[whose] = workspace.records(whose)
        record = records[whose].get(run)
        if record is not None and leaves(record, (artifact,), workspace.artifacts):
            files[run, artifact] = record["artifacts"][artifact]
    return files


def lacking(specs: Iterable[Spec], workspace: Workspace) -> dict[str, Spec]:
    """The runs that specs start from and whose weights are not there, by run id, each keeping what
    is started from. What these start from themselves is left out."""
    known, runs = locate(specs := list(specs), workspace), {}
    for (run, artifact), parent in parents_of(specs).items():
        if (run, artifact) not in known:
            keep = {artifact, *parent.spec.keep, *runs.get(run, parent.spec).keep}
            runs[run] = replace(parent.spec, keep=tuple(sorted(keep)))
    return runs


def ancestors(specs: Iterable[Spec], workspace: Workspace) -> dict[str, Spec]:
    """The same with those that these start from, and so on."""
    runs, next_ones = {}, lacking(specs, workspace)
    while next_ones:
        runs |= next_ones
        above = lacking(next_ones.values(), workspace)
        next_ones = {run: spec for run, spec in above.items() if run not in runs}
    return runs


def _versionless(canonical: Mapping) -> str:
    return dumps({name: value for name, value in canonical.items() if name != "version"})


def shard(items: list, part: str) -> list:
    """The ``i``-th of ``k`` shares of ``items``, from ``"i/k"`` with i from 1.

    Raises:
        ValueError: if ``part`` has another form.

    Example:
        >>> shard(list("abcde"), "2/3")
        ['b', 'e']
    """
    try:
        index, count = (int(number) for number in part.split("/"))
    except ValueError:
        index, count = 0, 0
    if not 1 <= index <= count:
        raise ValueError(f"--shard is {part!r}; expected i/k with 1 <= i <= k, such as 1/4")
    return items[index - 1 :: count]

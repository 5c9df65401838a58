"""What a grid has, and what it lacks."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import experiments, paths
from ..records import store
from ..records.spec import Spec, dumps


@dataclass
class Plan:
    """A grid held against the record store.

    Attributes:
        found: records of wanted specs, by run id.
        missing: wanted specs without a record, the stale ones included.
        stale: of those, the specs that a record answers in everything but ``version``.
    """

    experiment: str
    profile: str
    protocol: str
    specs: list[Spec]
    found: dict[str, dict] = field(default_factory=dict)
    missing: list[Spec] = field(default_factory=list)
    stale: list[Spec] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    @property
    def why(self) -> str:
        """One phrase on what is missing."""
        if self.complete:
            return "complete"
        if self.stale:
            return f"{len(self.stale)} of another version of the experiment"
        return "not computed" if not self.found else "partly computed"


def known(experiment: str, profile: str = "laptop", fresh: bool = False) -> dict[str, dict]:
    """Records that answer for a profile: those that ship, unless ``fresh``, and its own."""
    own = store.load(paths.records(experiment, profile, fresh))
    return own if fresh else {**own, **store.load(paths.records(experiment))}


def plan(
    experiment: str,
    profile: str,
    protocol: str,
    records: Mapping[str, dict] | None = None,
    fresh: bool = False,
) -> Plan:
    """Hold one grid against its records (read from disk if not given)."""
    module = experiments.get(experiment)
    if records is None:
        records = known(experiment, profile, fresh)
    result = Plan(experiment, profile, protocol, module.grid(profile, protocol))
    versionless = {_versionless(record["spec"]) for record in records.values()}
    for spec in result.specs:
        run = spec.id
        if run in records:
            result.found[run] = records[run]
            continue
        result.missing.append(spec)
        if _versionless(spec.canonical()) in versionless:
            result.stale.append(spec)
    return result


def _versionless(canonical: Mapping) -> str:
    return dumps({name: value for name, value in canonical.items() if name != "version"})


def cost(spec: Spec) -> int:
    """Updates that the trials of a spec may take together, a measure of its length."""
    training, updates = spec.training, spec.training.updates
    if updates is None:
        updates = training.epochs * -(-spec.task.train // training.batch_size)
    return updates * spec.trials.count


@dataclass(frozen=True)
class Estimate:
    """Computing time of runs on one core, in seconds, and memory of a worker, in MiB."""

    seconds: float
    memory_mib: int
    measured: int  # records it rests on


def estimate(specs: list[Spec], records: Mapping[str, dict]) -> Estimate:
    """Time and memory of ``specs`` from the records of runs of the same model, as seconds for each
    update that they were allowed."""
    rates: dict[str, list[float]] = {}
    memory = [record["provenance"]["peak_memory_mib"] for record in records.values()]
    for record in records.values():
        spec = experiments.get(record["spec"]["experiment"]).spec(record["spec"])
        rate = record["provenance"]["seconds"] / cost(spec)
        rates.setdefault(spec.model.name, []).append(rate)
    every = [rate for some in rates.values() for rate in some]
    fallback = statistics.median(every) if every else 0.005
    seconds = sum(
        cost(spec) * statistics.median(rates.get(spec.model.name, [fallback])) for spec in specs
    )
    return Estimate(seconds, max(memory, default=400), len(every))


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

"""How long runs take and what memory, from the records of runs like them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .. import experiments
from ..records.spec import Spec
from ..records.store import on_gpu

UNKNOWN = 0.005  # seconds for a unit of cost, where there is no record
LEAST = 0.01  # seconds, to which records are rounded


def cost(spec: Spec) -> float:
    """How long a run takes, in its experiment's own unit."""
    return experiments.get(spec.experiment).cost(spec)


class Rates:
    """Seconds for each unit of cost, by what runs have in common.

    A total over many runs is what is asked for. So a rate is that of all runs alike together, not
    their median: where a few of them are long, these are most of the total.

    Args:
        records: by run id, of any experiments; those of a GPU do not tell the time of a core.
    """

    def __init__(self, records: Mapping[str, Mapping]):
        known = [record for record in records.values() if not on_gpu(record)]
        self.count = len(known)
        self._sums: dict[object, list[float]] = {}
        for record in known:
            spec = experiments.get(record["spec"]["experiment"]).spec(record["spec"])
            for like in alike(spec):
                total = self._sums.setdefault(like, [0.0, 0.0])
                total[0] += max(record["provenance"]["seconds"], LEAST)
                total[1] += cost(spec)

    def seconds(self, spec: Spec) -> float:
        """About how long a run takes, by the closest of the runs alike; see `alike`."""
        total = next((self._sums[like] for like in alike(spec) if like in self._sums), None)
        return cost(spec) * (UNKNOWN if total is None else total[0] / total[1])


def alike(spec: Spec) -> tuple:
    """What runs of about the same seconds for each unit have in common, the closest first: all but
    their trials and draws; the model and the training, which ends early or does not; the model."""
    name = spec.experiment
    return (
        (name, spec.model, spec.task, spec.training),
        (name, spec.model, spec.training),
        (name, spec.model.name, spec.training),
        (name, spec.model.name),
        name,
    )


@dataclass(frozen=True)
class Estimate:
    """Computing time of runs on one core, in all and of the longest, in seconds, and memory of a
    worker, in MiB."""

    seconds: float
    longest: float
    memory_mib: int
    measured: int  # records it rests on


def estimate(specs: Iterable[Spec], records: Mapping[str, Mapping]) -> Estimate:
    """Time and memory of runs, from the records of their experiments."""
    rates = Rates(records)
    known = [record["provenance"] for record in records.values() if not on_gpu(record)]
    memory = [one["peak_memory_mib"] for one in known]
    seconds = [rates.seconds(spec) for spec in specs]
    longest = max(seconds, default=0.0)
    return Estimate(sum(seconds), longest, max(memory, default=400), rates.count)


def core_seconds(records: Iterable[Mapping], known: Mapping[str, Mapping] | None = None) -> float:
    """Computing time of records on one core: their own seconds, and in place of those of a GPU an
    estimate from the other records of its experiment, or from those that are ``known``, by run
    id."""
    by_experiment: dict[str, dict[str, Mapping]] = {}
    for record in records:
        by_experiment.setdefault(record["spec"]["experiment"], {})[record["run"]] = record
    total = 0.0
    for name, some in by_experiment.items():
        elsewhere = [record["spec"] for record in some.values() if on_gpu(record)]
        if elsewhere:
            rates = Rates(some if known is None else known)
            spec = experiments.get(name).spec
            total += sum(rates.seconds(spec(one)) for one in elsewhere)
        total += sum(one["provenance"]["seconds"] for one in some.values() if not on_gpu(one))
    return total

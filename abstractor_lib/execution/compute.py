"""Computing a run, the one place where torch is seeded; the record and the artifacts it leaves."""

from dataclasses import replace
from datetime import UTC, datetime

import torch

from .. import experiments
from ..experiments.context import Context, State
from ..records.artifacts import digest, packed, unpacked
from ..records.fingerprint import rounded
from ..records.seal import sealed
from ..records.spec import Parent, Spec, weights_name
from ..training.outcome import Outcome
from . import peak_memory
from .machine import machine


def seed(spec: Spec) -> None:
    """Put torch's generator where it stands when a run begins."""
    torch.manual_seed(spec.seed)


def outcome(spec: Spec, context: Context | None = None) -> Outcome:
    """Compute a spec, seeded from its run id, on as many threads as it needs cores, which is what
    torch is left at; the caller's random state is left as it was."""
    experiment = experiments.get(spec.experiment)
    context = replace(context or Context(), seed=spec.seed)
    torch.set_num_threads(experiment.needs(spec).cores)
    with torch.random.fork_rng(devices=[] if context.device == "cpu" else None):
        seed(spec)
        try:
            return experiment.compute(spec, context)
        except FloatingPointError as error:
            raise FloatingPointError(f"run {spec.id[:12]}: {error}") from None


def record(
    spec: Spec, context: Context | None = None, commit: str = "unknown"
) -> tuple[dict, dict[str, bytes]]:
    """Compute a spec; its record, and by name the contents of the artifacts that it leaves.

    The record's ``seconds`` are those of `Context.clock`. If the run goes on from the state of a
    process that was killed, they hold what went into that state too.
    """
    context = context or Context()
    checkpoint = context.checkpoint(spec)
    peak_memory.forget()
    start = context.clock()
    result = outcome(spec, context)
    seconds = context.clock() - start + (checkpoint.before if checkpoint else 0.0)
    content = artifacts(spec, result)
    made = {
        "run": spec.id,
        "spec": spec.canonical(),
        "metrics": rounded(result.metrics),
        "first_losses": rounded(result.first_losses),
        "curve": rounded(result.curve),
        "provenance": {
            **machine(context.device),
            "commit": commit,
            "date": datetime.now(UTC).date().isoformat(),
            "peak_memory_mib": peak_memory.mib(),
            "seconds": round(seconds, 2),
        },
    }
    if result.data:
        made["provenance"]["data"] = result.data
    if result.fingerprint:
        made["fingerprint"] = rounded(result.fingerprint)
    if content:
        made["artifacts"] = {name: digest(file) for name, file in content.items()}
    return sealed(made), content


def artifacts(spec: Spec, result: Outcome) -> dict[str, bytes]:
    """By name the contents of what a run is to leave.

    Raises:
        ValueError: if it has no such thing.
    """
    made = dict(result.artifacts)
    for index, trial in enumerate(spec.trials if result.parameters else ()):
        made[weights_name(trial)] = {
            name: value[index].clone() for name, value in result.parameters.items()
        }
    unknown = [name for name in spec.keep if name not in made]
    if unknown:
        raise ValueError(
            f"keep is {unknown[0]!r} in a run of {spec.experiment}; allowed: {', '.join(made)}"
        )
    whose = {"experiment": spec.experiment, "run": spec.id}
    return {name: packed(made[name], {**whose, "artifact": name}) for name in spec.keep}


def alone() -> Context:
    """A context without a store: parents are computed when a run asks for them, each once."""
    states: dict[tuple[str, int], State] = {}

    def load(parent: Parent) -> State:
        key = (parent.spec.id, parent.trial)
        if key not in states:
            kept = replace(parent.spec, keep=(parent.artifact,))
            states[key] = unpacked(artifacts(kept, outcome(kept, context))[parent.artifact])
        return states[key]

    context = Context(load=load)
    return context

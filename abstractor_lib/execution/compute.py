"""Computing a run: the one place where torch is seeded, and the record it leaves."""

import importlib
import math
import platform
import resource
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import joblib
import numpy as np
import torch

from .. import __version__, experiments, paths
from ..records.spec import Spec
from ..training.outcome import Outcome, Parent

DIGITS = 9  # significant; enough to tell any two float32 apart


def outcome(spec: Spec, limit: int | None = None, device: str = "cpu") -> Outcome:
    """Compute a spec, seeded from its run id; the caller's random state is left as it was."""
    torch.set_num_threads(1)
    module = importlib.import_module(f"{experiments.get(spec.experiment).__name__}.run")
    given = {"parents": parents(spec)} if spec.parents else {}
    with torch.random.fork_rng(devices=[] if device == "cpu" else None):
        torch.manual_seed(int(spec.id[:15], 16))
        try:
            return module.compute(spec, limit=limit, device=device, **given)
        except FloatingPointError as error:
            raise FloatingPointError(f"run {spec.id[:12]}: {error}") from None


def record(spec: Spec, device: str = "cpu", commit: str = "unknown") -> dict:
    """Compute a spec and return its record.

    Its ``seconds`` are processor time on a CPU, so that neither a pause nor other work on the
    machine counts, and wall time on any other device.
    """
    clock = time.process_time if device == "cpu" else time.perf_counter
    start = clock()
    result = outcome(spec, device=device)
    seconds = clock() - start
    return {
        "run": spec.id,
        "spec": spec.canonical(),
        "metrics": rounded(result.metrics),
        "first_losses": rounded(result.first_losses),
        "curve": rounded(result.curve),
        "provenance": {
            **machine(device),
            "commit": commit,
            "date": datetime.now(UTC).date().isoformat(),
            "peak_memory_mib": _peak_memory_mib(),
            "seconds": round(seconds, 2),
        },
    }


def parents(spec: Spec) -> dict[str, Parent]:
    """The runs whose weights a run starts from, by role, with these weights.

    Raises:
        ValueError: if a parent is in no grid.
    """
    found = {}
    for role, parent in spec.parents.items():
        run, trial = experiments.find(parent["run"]), parent["trial"]
        found[role] = Parent(run, trial, weights(run, trial))
    return found


def weights(spec: Spec, trial: int, folder: Path | None = None) -> dict[str, torch.Tensor]:
    """Trained weights of one trial: shipped, built before, or computed now.

    Args:
        spec: the run.
        trial: number of the trial, one of ``spec.trials``.
        folder: look and write here alone; None for ``data/weights``, then ``build/weights``.

    Returns:
        The model's state dictionary.

    Raises:
        ValueError: if the run has no such trial.
    """
    from safetensors.torch import load_file, save_file

    if trial not in spec.trials:
        raise ValueError(f"trial is {trial}; allowed: {list(spec.trials)}")
    name = f"{spec.id}-{trial}.safetensors"
    shipped, built = paths.data() / "weights" / name, paths.root() / "build" / "weights" / name
    for path in (shipped, built) if folder is None else (folder / name,):
        if path.is_file():
            return load_file(path)
    target = built if folder is None else folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    index = trial - spec.trials.first
    state = {key: value[index].clone() for key, value in outcome(spec).parameters.items()}
    save_file(state, target)
    return state


def ship_weights(spec: Spec, trial: int) -> Path:
    """Put the weights of one trial under ``data/weights``, computing them if need be."""
    folder = paths.data() / "weights"
    weights(spec, trial, folder)
    return folder / f"{spec.id}-{trial}.safetensors"


def machine(device: str = "cpu") -> dict:
    """What may change a result's last bits: versions, device, CPU capability, threads."""
    return {
        "abstractor_lib": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "joblib": joblib.__version__,
        "device": device if device == "cpu" else torch.cuda.get_device_name(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
    }


def same_class(one: Mapping, other: Mapping) -> bool:
    """Whether two provenances promise bitwise equal results."""
    keys = ("torch", "device", "cpu_capability", "threads")
    return all(one.get(key) == other.get(key) for key in keys)


def rounded(value):
    """Numbers to 9 significant digits, in lists and dictionaries too; NaN becomes None.

    Example:
        >>> rounded({"loss": [0.1 + 0.2, float("nan"), 3]})
        {'loss': [0.3, None, 3]}
    """
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value


def _peak_memory_mib() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))

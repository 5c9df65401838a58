"""Computing a run: the one place where torch is seeded, and the record it leaves."""

import contextlib
import importlib
import math
import os
import platform
import re
import resource
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import joblib
import numpy as np
import scipy
import sklearn
import torch

from .. import __version__, experiments, paths
from ..records.spec import Spec
from ..training.outcome import Outcome, Parent

DIGITS = 9  # significant; enough to tell any two float32 apart


def outcome(
    spec: Spec,
    limit: int | None = None,
    device: str = "cpu",
    folder: Path | None = None,
    given: Mapping[str, Parent] | None = None,
) -> Outcome:
    """Compute a spec, seeded from its run id, on one thread, which is what torch is left at; the
    caller's random state is left as it was.

    Args:
        spec: the run.
        limit: compute this many updates alone, for an audit.
        device: ``cpu`` or ``cuda``.
        folder: of the weights it starts from, if it has parents; see `weights`.
        given: the parents themselves, so that no folder is looked into.
    """
    torch.set_num_threads(1)
    module = importlib.import_module(f"{experiments.get(spec.experiment).__name__}.run")
    if given is None:
        given = parents(spec, folder)
    options = {"parents": given} if spec.parents else {}
    with torch.random.fork_rng(devices=[] if device == "cpu" else None):
        torch.manual_seed(int(spec.id[:15], 16))
        try:
            return module.compute(spec, limit=limit, device=device, **options)
        except FloatingPointError as error:
            raise FloatingPointError(f"run {spec.id[:12]}: {error}") from None


def record(
    spec: Spec,
    device: str = "cpu",
    commit: str = "unknown",
    given: Mapping[str, Parent] | None = None,
) -> dict:
    """Compute a spec and return its record. With its parents ``given`` it needs no checkout.

    Its ``seconds`` are processor time on a CPU, so that neither a pause nor other work on the
    machine counts, and wall time on any other device.
    """
    clock = time.process_time if device == "cpu" else time.perf_counter
    _forget_peak_memory()
    start = clock()
    result = outcome(spec, device=device, given=given)
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


def parents(spec: Spec, folder: Path | None = None) -> dict[str, Parent]:
    """The runs whose weights a run starts from, by role, with these weights.

    Raises:
        ValueError: if a parent is in no grid.
    """
    found = {}
    for role, parent in spec.parents.items():
        run, trial = experiments.find(parent["run"]), parent["trial"]
        found[role] = Parent(run, trial, weights(run, trial, folder))
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
    from safetensors.torch import load_file

    path = stored(spec.id, trial, folder)
    if path is None:
        path = save(spec.id, trial, trained(spec, trial, parents(spec, folder)), folder)
    return load_file(path)


def stored(run: str, trial: int, folder: Path | None = None) -> Path | None:
    """The file of a trial's weights, as in `weights`; None if there is none yet."""
    shipped, built = paths.data() / "weights", paths.root() / "build" / "weights"
    candidates = [one / _file(run, trial) for one in ([folder] if folder else [shipped, built])]
    return next((path for path in candidates if path.is_file()), None)


def save(run: str, trial: int, content: bytes, folder: Path | None = None) -> Path:
    """Write a trial's weights, whole or not at all; its file."""
    path = (folder or paths.root() / "build" / "weights") / _file(run, trial)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)
    return path


def trained(spec: Spec, trial: int, given: Mapping[str, Parent]) -> bytes:
    """Train a run for the weights of one trial, in the safetensors format."""
    from safetensors.torch import save as written

    if trial not in spec.trials:
        raise ValueError(f"trial is {trial}; allowed: {list(spec.trials)}")
    index = trial - spec.trials.first
    found = outcome(spec, given=given).parameters
    return written({key: value[index].clone() for key, value in found.items()})


def _file(run: str, trial: int) -> str:
    return f"{run}-{trial}.safetensors"


def ship_weights(spec: Spec, trial: int) -> Path:
    """Put the weights of one trial under ``data/weights``, computing them if need be."""
    folder = paths.data() / "weights"
    weights(spec, trial, folder)
    return stored(spec.id, trial, folder)


def machine(device: str = "cpu") -> dict:
    """What may change a result's last bits: versions, device, CPU capability, threads."""
    return {
        "abstractor_lib": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "joblib": joblib.__version__,
        "device": device if device == "cpu" else torch.cuda.get_device_name(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
    }


def same_class(one: Mapping, other: Mapping) -> bool:
    """Whether two provenances promise bitwise equal results. What one of them, of an earlier
    release, does not name is taken to be the same."""
    keys = ("torch", "numpy", "scipy", "sklearn", "device", "cpu_capability", "threads")
    return all(one[key] == other[key] for key in keys if key in one and key in other)


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


def _forget_peak_memory() -> None:
    """Begin anew to look for the largest memory in use, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_memory_mib() -> int:
    """The largest memory in use since it was last forgotten, else since the process began."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return round(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))

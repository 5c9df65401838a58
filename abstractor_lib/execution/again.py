"""One record held against its run, which is computed again."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import Unavailable, experiments
from ..experiments.context import Context, State
from ..records.fingerprint import Repeats, distance, fingerprint, rounded, scale
from ..records.spec import Parent, Spec
from ..records.store import on_gpu
from ..training.outcome import Outcome
from . import compute
from .executors import out_of_memory
from .machine import machine, same_class

CLOSE = 1e-4  # of a metric's scale; what is compared less closely counts as not checked
DATA = "checksum of its data"
FAILS = (
    *(ArithmeticError, AssertionError, LookupError, MemoryError, RuntimeError, TypeError),
    ValueError,
)


@dataclass(frozen=True)
class Check:
    """One audited record.

    Attributes:
        how: ``seal`` (is it as it was written?), ``artifact`` (are the files that it names its
            own?), ``whole`` (computed again to its end), ``first numbers`` (its fingerprint
            computed again) or ``not auditable``.
        agrees: None if it could not be audited.
        detail: what was found, in words.
        unchecked: which of its metrics were compared loosely or not at all, in words; empty if all
            were compared closely.
    """

    run: str
    experiment: str
    how: str
    agrees: bool | None
    detail: str
    seconds: float = 0.0
    unchecked: str = ""


def spec_of(record: Mapping) -> Spec:
    """The spec of a record.

    Raises:
        ValueError: naming the record, if its spec cannot be read.
    """
    plain = record["spec"]
    try:
        return experiments.get(plain["experiment"]).spec(plain)
    except (ValueError, TypeError, LookupError) as error:
        name = f"the record {record['run'][:12]} of {plain['experiment']}"
        raise ValueError(f"{name} has a spec that cannot be read: {error}") from None


def check(
    record: Mapping,
    load: Callable[[Parent], State],
    left: float = math.inf,
    likely: float = math.inf,
) -> Check:
    """Compute one record again, as its experiment says that its runs repeat, in ``left`` seconds.

    On the machine class that wrote it a run that fits the time is computed whole and must be
    bitwise equal. One whose losses are those recorded, bitwise, took the same path, whatever class
    its record names: its metrics must agree to `CLOSE`. On any other, and where time is short, the
    fingerprint must agree to the experiment's tolerance, and where the whole run fits so must the
    metrics, each as closely as the experiment declares. What is compared less closely than `CLOSE`
    is told.

    Args:
        record: the record.
        load: the weights of a run's parent.
        left: seconds.
        likely: how long runs like it took, by their own records.
    """
    provenance = record["provenance"]
    experiment = experiments.get(record["spec"]["experiment"])
    begun = time.monotonic()

    def result(how: str, agrees: bool | None, detail: str = "", unchecked: str = "") -> Check:
        seconds = time.monotonic() - begun
        return Check(record["run"], experiment.name, how, agrees, detail, seconds, unchecked)

    spec = spec_of(record)
    if on_gpu(record):
        return result("not auditable", None, f"computed on {provenance['device']}", "all")
    repeats = experiment.repeating(spec)
    bitwise = repeats.same_class == "bitwise"
    same = same_class(provenance, machine()) if bitwise else False
    fits = min(provenance["seconds"], likely) < left
    whole = fits and (same is not False or repeats.promises)
    try:
        outcome = compute.outcome(spec, Context(load=load, first_numbers=not whole))
    except Unavailable as error:
        return result("not auditable", None, str(error), "all")
    except FAILS as error:
        if out_of_memory(error):
            return result("not auditable", None, "there is not enough memory", "all")
        return result("whole", False, f"it cannot be computed again ({error})")
    how = "whole" if whole else "first numbers"
    path = whole and bitwise and _same_path(record, outcome)
    if whole and bitwise:
        differing = _differing(record, outcome)
        if not differing:
            return result("whole", True, "bitwise")
        wrong = _beyond(record, outcome, Repeats(close=CLOSE, rounding=repeats.rounding))
        if same or (path and (wrong or differing == DATA)):
            return result("whole", False, f"another {differing} than recorded")
    apart = distance(fingerprint(record), rounded(fingerprint(vars(outcome))))
    if not apart <= repeats.tolerance:
        detail = f"first numbers differ by {apart:.1e} of their scale"
        return result(how, False, f"{detail}, allowed: {repeats.tolerance:g}")
    if not whole:
        return result(how, True, _first(apart), "all")
    if path:
        return result(how, True, "losses bitwise, metrics closely")
    if wrong := _beyond(record, outcome, repeats):
        return result(how, False, wrong)
    return result(how, True, _first(apart), loosely(record, repeats))


def _first(apart: float) -> str:
    return f"first numbers to {apart:.1e} of their scale"


def _differing(record: Mapping, outcome: Outcome) -> str:
    """The first part of a record that is not bitwise what was computed, in words."""
    if record["provenance"].get("data", outcome.data) != outcome.data:
        return DATA
    for name in ("first_losses", "curve", "metrics"):
        mine, theirs = rounded(getattr(outcome, name)), record[name]
        if mine != theirs and isinstance(theirs, dict):
            keys = sorted({*mine, *theirs})
            return next(key for key in keys if mine.get(key) != theirs.get(key))
        if mine != theirs:
            return name.replace("_", " ")
    if "fingerprint" in record and rounded(outcome.fingerprint) != record["fingerprint"]:
        return "fingerprint"
    return ""


def _same_path(record: Mapping, outcome: Outcome) -> bool:
    """Whether the losses of a training run, to its end, are bitwise those recorded."""
    names = ("first_losses", "curve")
    return bool(record["curve"]) and all(
        rounded(getattr(outcome, name)) == record[name] for name in names
    )


def _beyond(record: Mapping, outcome: Outcome, repeats: Repeats) -> str:
    """What of the metrics differs by more than declared, in words; empty if nothing does."""
    mine, theirs = rounded(dict(outcome.metrics)), record["metrics"]
    for name in sorted({*mine, *theirs}):
        if name not in theirs or name not in mine:
            return f"{name} is {'missing' if name in mine else 'no metric of this run'}"
        allowed = repeats.allowed(name, theirs[name])
        if allowed < math.inf and not _near(mine[name], theirs[name], allowed):
            return f"another {name} than recorded, beyond {allowed:.2g}"
    return ""


def _near(mine: list, theirs: list, allowed: float) -> bool:
    """Whether two lists of numbers agree to ``allowed``, and lack the same ones."""
    if len(mine) != len(theirs):
        return False
    pairs = zip(mine, theirs, strict=True)
    return all(a == b if None in (a, b) else abs(a - b) <= allowed for a, b in pairs)


def loosely(record: Mapping, repeats: Repeats) -> str:
    """Which metrics of a record another machine class compares loosely or not at all, in words."""
    no, bound = [], []
    for name, values in sorted(record["metrics"].items()):
        allowed = repeats.allowed(name, values)
        if allowed == math.inf:
            no.append(name)
        elif allowed > CLOSE * scale(values) and any(values):
            bound.append(f"{name} {allowed:.1g}")
    parts = {"not checked": no, "checked to a bound only": bound}
    return "; ".join(f"{word}: {', '.join(some)}" for word, some in parts.items() if some)


def in_part(record: Mapping, here: Mapping) -> str:
    """Why a machine cannot hold every metric of a record against its run, ``device`` or ``class``;
    empty if it can.

    Args:
        record: the record.
        here: the machine.
    """
    if on_gpu(record):
        return "device"
    spec = spec_of(record)
    repeats = experiments.get(spec.experiment).repeating(spec)
    if repeats.same_class == "bitwise" and same_class(record["provenance"], here):
        return ""
    return "class" if loosely(record, repeats) else ""

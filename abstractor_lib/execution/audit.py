"""The audit: all records are looked at for changes, some are computed again."""

import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tqdm import tqdm

from .. import Unavailable, experiments
from ..experiments.context import Context, State
from ..records.fingerprint import distance, fingerprint, rounded, seal
from ..records.spec import Parent, run_id
from ..records.store import on_gpu
from ..records.workspace import Workspace
from . import compute
from .driver import weights_of_parents
from .machine import machine, same_class

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n} of {total} s"


@dataclass(frozen=True)
class Check:
    """One audited record.

    Attributes:
        how: ``seal`` (is it as it was written?), ``whole`` (computed again to its end), ``first
            numbers`` (its fingerprint computed again) or ``not auditable``.
        agrees: None if it could not be audited.
        detail: what was found, in words.
    """

    run: str
    experiment: str
    how: str
    agrees: bool | None
    detail: str
    seconds: float = 0.0


def audit(
    records: Mapping[str, dict],
    budget: float,
    load: Callable[[Parent], State],
    seed: int | None = None,
) -> list[Check]:
    """Look at every record for changes, then compute records drawn at random again until
    ``budget`` seconds are spent. Nothing is written.

    Args:
        records: by run id.
        budget: seconds.
        load: the weights of a run's parent.
        seed: of the draw; None draws anew each time.

    Returns:
        The records that were changed, and those that were computed again.
    """
    checks = [found for one in records.values() if (found := unsealed(one))]
    changed = {one.run for one in checks}
    order = sorted(set(records) - changed)
    random.Random(seed).shuffle(order)
    start = time.monotonic()
    with tqdm(total=round(budget), desc="audit", file=sys.stderr, ncols=79, bar_format=BAR) as bar:
        for run in order:
            left = budget - (time.monotonic() - start)
            if left <= 0:
                break
            checks.append(check(records[run], load, left))
            bar.n = min(round(time.monotonic() - start), round(budget))
            bar.refresh()
    return checks


def unsealed(record: Mapping) -> Check | None:
    """What is wrong with a record that was changed after it was written; None if nothing is."""
    name = record["spec"]["experiment"]
    if run_id(record["spec"]) != record["run"]:
        return Check(record["run"], name, "seal", False, "its id is not that of its spec")
    if record.get("seal") != seal(record):
        return Check(record["run"], name, "seal", False, "it was changed after it was written")
    return None


def check(record: Mapping, load: Callable[[Parent], State], left: float = math.inf) -> Check:
    """Compute one record again, as its experiment says that its runs repeat, in ``left`` seconds.

    On the machine class that wrote it a run that fits the time is computed whole and must be
    bitwise equal; on any other, and where time is short, the fingerprint must agree to the
    experiment's tolerance, and where the whole run fits so must those metrics that it promises.
    """
    plain, provenance = record["spec"], record["provenance"]
    experiment = experiments.get(plain["experiment"])
    begun = time.monotonic()

    def result(how: str, agrees: bool | None, detail: str = "") -> Check:
        return Check(record["run"], experiment.name, how, agrees, detail, time.monotonic() - begun)

    if on_gpu(record):
        return result("not auditable", None, f"computed on {provenance['device']}")
    repeats = experiment.repeats
    same = same_class(provenance, machine()) if repeats.same_class == "bitwise" else False
    fits = provenance["seconds"] < left
    whole = fits and (same is not False or bool(repeats.metrics))
    context = Context(load=load, first_numbers=not whole)
    try:
        found = compute.outcome(experiment.spec(plain), context)
    except Unavailable as error:
        return result("not auditable", None, str(error))
    if whole and same is not False:
        differing = _differing(record, found)
        if not differing:
            return result("whole", True, "bitwise")
        if same:
            return result("whole", False, f"another {differing} than recorded")
    how = "whole" if whole else "first numbers"
    apart = distance(fingerprint(record), rounded(fingerprint(vars(found))))
    if apart > repeats.tolerance:
        detail = f"first numbers differ by {apart:.1e} of their scale"
        return result(how, False, f"{detail}, allowed: {repeats.tolerance:g}")
    for name, allowed in repeats.metrics.items() if whole else ():
        mine, theirs = rounded(found.metrics.get(name, [])), record["metrics"].get(name, [])
        if not _near(mine, theirs, allowed):
            return result(how, False, f"another {name} than recorded, beyond {allowed:g}")
    return result(how, True, f"first numbers to {apart:.1e} of their scale")


def _differing(record: Mapping, found) -> str:
    """The first part of a record that is not bitwise what was computed, in words."""
    if record["provenance"].get("data", found.data) != found.data:
        return "checksum of its data"
    for name in ("first_losses", "curve", "metrics"):
        mine, theirs = rounded(getattr(found, name)), record[name]
        if mine != theirs and isinstance(theirs, dict):
            keys = sorted({*mine, *theirs})
            return next(key for key in keys if mine.get(key) != theirs.get(key))
        if mine != theirs:
            return name.replace("_", " ")
    if "fingerprint" in record and rounded(found.fingerprint) != record["fingerprint"]:
        return "fingerprint"
    return ""


def _near(mine: list, theirs: list, allowed: float) -> bool:
    """Whether two lists of numbers agree to ``allowed``, and lack the same ones."""
    if len(mine) != len(theirs):
        return False
    pairs = zip(mine, theirs, strict=True)
    return all(a == b if None in (a, b) else abs(a - b) <= allowed for a, b in pairs)


@dataclass(frozen=True)
class Summary:
    """An audit in words.

    Attributes:
        lines: a line for each record that did not agree.
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


def summary(checks: list[Check], count: int) -> Summary:
    """What an audit of ``count`` records found."""
    lines = [
        f"{one.run[:12]} {one.experiment} "
        f"{'disagrees' if one.agrees is False else one.how}: {one.detail}"
        for one in checks
        if one.agrees is not True
    ]
    bad = sum(one.agrees is False for one in checks)
    how = {name: sum(one.how == name for one in checks) for name in ("whole", "first numbers")}
    total = (
        f"audit: {count} records looked at, {how['whole']} computed again whole, "
        f"{how['first numbers']} for their first numbers; {bad} disagree"
    )
    return Summary(lines, total, MEANING if bad else "")


def audit_shipped(names: Iterable[str], budget: float, seed: int | None = None) -> Summary:
    """What an audit finds of the records that ship, of the experiments of those names."""
    workspace, records = Workspace(), {}
    for name in names:
        records |= workspace.records(name)
    checks = audit(records, budget, weights_of_parents(workspace), seed)
    return summary(checks, len(records))

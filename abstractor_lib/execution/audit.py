"""The audit: records drawn at random and computed again."""

import math
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from tqdm import tqdm

from .. import experiments
from ..records.store import on_gpu
from . import compute

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n} of {total} s"
TOLERANCE = 1e-4  # relative, on the losses of the first updates


@dataclass(frozen=True)
class Check:
    """One audited record.

    Attributes:
        how: ``whole`` (metrics bitwise), ``first updates`` (losses to 1e-4) or ``not auditable``.
        agrees: None if it could not be audited.
    """

    run: str
    experiment: str
    how: str
    agrees: bool | None
    detail: str
    seconds: float


def audit(records: Mapping[str, dict], budget: float, seed: int | None = None) -> list[Check]:
    """Recompute records drawn at random until ``budget`` seconds are spent.

    On the machine class that wrote a record (torch version, CPU capability, threads) a run that
    still fits the budget is computed whole and must agree bit for bit; of the others the first 10
    updates must agree to 1e-4. Nothing is written.

    Args:
        records: by run id.
        budget: seconds.
        seed: of the draw; None draws anew each time.
    """
    order = sorted(records)
    random.Random(seed).shuffle(order)
    start = time.monotonic()
    checks = []
    with tqdm(total=round(budget), desc="audit", file=sys.stderr, ncols=79, bar_format=BAR) as bar:
        for run in order:
            left = budget - (time.monotonic() - start)
            if left <= 0:
                break
            checks.append(check(records[run], left))
            bar.n = min(round(time.monotonic() - start), round(budget))
            bar.refresh()
    return checks


def check(record: Mapping, left: float = math.inf) -> Check:
    """Audit one record within ``left`` seconds."""
    plain, provenance = record["spec"], record["provenance"]
    name = plain["experiment"]
    begun = time.monotonic()

    def result(how: str, agrees: bool | None, detail: str = "") -> Check:
        return Check(record["run"], name, how, agrees, detail, time.monotonic() - begun)

    if on_gpu(record):
        return result("not auditable", None, f"computed on {provenance['device']}")
    spec = experiments.get(name).spec(plain)
    whole = compute.same_class(provenance, compute.machine()) and provenance["seconds"] < left
    found = compute.outcome(spec, limit=None if whole else len(record["first_losses"]))
    difference = _relative(record["first_losses"], compute.rounded(found.first_losses))
    if whole:
        if difference > 0:
            return result("whole", False, f"first losses differ by {difference:.1e}")
        metrics = compute.rounded(found.metrics)
        names = sorted({*metrics, *record["metrics"]})
        other = [n for n in names if metrics.get(n) != record["metrics"].get(n)]
        return result("whole", not other, f"another {other[0]} than recorded" if other else "")
    agrees = difference <= TOLERANCE
    return result("first updates", agrees, f"largest relative difference {difference:.1e}")


def _relative(expected: list[float], found: list[float]) -> float:
    """Largest relative difference; infinite if the lengths differ."""
    if len(expected) != len(found):
        return math.inf
    pairs = zip(expected, found, strict=True)
    return max((abs(a - b) / max(abs(a), 1e-12) for a, b in pairs), default=0.0)

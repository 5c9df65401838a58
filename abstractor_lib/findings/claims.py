"""Claims: statements of the papers, and whether they hold.

``data/claims.toml`` lists them; verdicts are computed from records and never typed.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from .. import paths
from .measures import Frames, Measured, NotRun, Point, enough
from .statistics import Interval, Region, verdict

KINDS = ("equals", "greater", "less", "ordering", "chance", "near", "exact")
ORDER = {"fails": 0, "undecided": 1, "holds": 2, "not run": 3}
CONVERGED = 0.9  # share of the runs compared that a verdict under `sound` needs


@dataclass(frozen=True)
class Claim:
    """A statement of a paper.

    Attributes:
        item: the inventory id it belongs to.
        kind: ``equals`` published +- tolerance; ``greater`` or ``less`` than ``bound``;
            ``ordering``, all differences above ``bound`` (zero); ``chance`` or ``near``, within
            tolerance of ``bound``, which no paper reports; ``exact``.
        measure: name of the function that measures it, which the experiment hands in; it is called
            with ``arguments``.
        reason: the likely reason if it fails, shown then.
        post_hoc: the claim was added after results had been seen.
    """

    id: str
    item: str
    paper: str
    section: str
    statement: str
    kind: str
    experiment: str
    protocols: tuple[str, ...]
    measure: str
    source: str
    published: float | None = None
    tolerance: float | None = None
    bound: float = 0.0
    arguments: Mapping = field(default_factory=dict)
    reason: str = ""
    post_hoc: bool = False

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r} in {self.id}; allowed: {', '.join(KINDS)}")

    def region(self, point: Point) -> Region:
        """The values of a point for which the claim is true."""
        target = self.published if point.published is None else point.published
        tolerance = self.tolerance if point.tolerance is None else point.tolerance
        if self.kind in ("greater", "ordering"):
            return Region(self.bound, math.inf, strict=True)
        if self.kind == "less":
            return Region(-math.inf, self.bound, strict=True)
        if self.kind in ("chance", "near"):
            target = self.bound
        if self.kind == "exact":
            tolerance = 0.0
        return Region(target - tolerance, target + tolerance)


@dataclass
class Judged:
    """A claim under one protocol, as `abstractor claims` shows it."""

    id: str
    item: str
    paper: str
    statement: str
    protocol: str
    published: float | None
    measured: float | None
    low: float | None
    high: float | None
    n: int
    verdict: str
    note: str

    def row(self) -> dict:
        """As plain values."""
        return asdict(self)


def read() -> list[Claim]:
    """The claims of ``data/claims.toml``.

    Raises:
        ValueError: for an unknown field or kind, or a repeated id.
    """
    with (paths.data() / "claims.toml").open("rb") as file:
        entries = tomllib.load(file)["claim"]
    claims = []
    for entry in entries:
        try:
            claims.append(Claim(**{**entry, "protocols": tuple(entry["protocols"])}))
        except TypeError as error:
            raise ValueError(f"claims.toml, {entry.get('id')}: {error}") from None
    ids = [claim.id for claim in claims]
    repeated = {name for name in ids if ids.count(name) > 1}
    if repeated:
        raise ValueError(f"claims.toml: the id {repeated.pop()!r} is repeated")
    return claims


def judge(claim: Claim, protocol: str, frames: Frames, measure: Callable[..., Measured]) -> Judged:
    """Hold a claim against the records of a protocol, by means of its measure.

    A series holds if all its points hold and fails if one of them fails. The point that decides
    is the one that is reported: of those with the worst verdict, that with the least margin.
    """
    base = (claim.id, claim.item, claim.paper, claim.statement, protocol)
    try:
        if protocol not in frames:
            raise NotRun(f"the {protocol} grid is incomplete")
        measured = measure(frames, protocol, **claim.arguments)
    except NotRun as error:
        return Judged(*base, claim.published, None, None, None, 0, "not run", str(error))
    each = [verdict(point.interval, claim.region(point)) for point in measured.points]
    result, worst = min(
        zip(each, measured.points, strict=True),
        key=lambda pair: (ORDER[pair[0]], _margin(pair[1].interval, claim.region(pair[1]))),
    )
    notes = [worst.label if len(each) == 1 else f"{worst.label} (worst of {len(each)} points)"]
    if protocol == "sound" and measured.converged < CONVERGED:
        result = "undecided"
        notes.append(f"only {measured.converged:.0%} of the runs converged")
    if not enough(measured):
        result = "undecided"
        notes.append("fewer than five trials")
    target = claim.published if worst.published is None else worst.published
    if worst.tolerance is not None:
        notes.append(f"tolerance {worst.tolerance:.3f}")
    if claim.post_hoc:
        notes.append("post hoc")
    if result == "fails" and claim.reason:
        notes.append(f"likely reason: {claim.reason}")
    shown = [float(f"{value:.6g}") for value in worst.interval[:3]]
    return Judged(*base, target, *shown, worst.interval.n, result, "; ".join(notes))


def _margin(interval: Interval, region: Region) -> float:
    """How far inside the region the interval lies, negative if it reaches out of it."""
    below = math.inf if region.high == math.inf else region.high - interval.high
    return min(interval.low - region.low, below)

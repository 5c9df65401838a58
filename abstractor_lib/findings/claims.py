"""Claims: statements of the papers, and whether they hold.

``data/claims.toml`` lists them; verdicts are computed from records and never typed.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from inspect import signature
from typing import Any

from .. import brief, paths
from ..records.spec import from_plain
from . import reasons, rules
from .measures import Frames, Measured, NotRun, Point, enough
from .statistics import Interval, Region, verdict

ORIGINS = {
    "stated": "the paper states it",
    "suggested": "the paper suggests it",
    "control": "a control of ours",
}
WORDS = {  # for a verdict, where people read it
    "stated": {},
    "suggested": {"holds": "supported", "fails": "not supported"},
    "control": {"holds": "yes", "fails": "no"},
}
KINDS = ("equals", "greater", "less", "ordering", "chance", "near", "exact")
POST_HOC = "†"  # beside a verdict, or a number that one rests on
ORDER = {"fails": 0, "undecided": 1, "holds": 2, "not run": 3}


def word(origin: str, verdict: str) -> str:
    """The word for a verdict on a claim of that origin. Only of what a paper states is it said that
    it holds or fails.

    Example:
        >>> word("stated", "fails"), word("suggested", "fails"), word("control", "fails")
        ('fails', 'not supported', 'no')
    """
    return WORDS[origin].get(verdict, verdict)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper.

    Attributes:
        item: the inventory id it belongs to.
        origin: whose claim it is: ``stated`` by the paper, ``suggested`` by it (a figure without
            words, an expectation, an explanation), or a ``control`` of ours.
        place: where the paper states or suggests it; for a control, what it controls.
        figure: ``ID_topic`` of the figure or table that shows it.
        kind: ``equals`` published +- tolerance; ``greater`` or ``less`` than ``bound``;
            ``ordering``, all differences above ``bound`` (zero); ``chance`` or ``near``, within
            tolerance of ``bound``, which no paper reports; ``exact``.
        experiment: whose records test it; empty where there is no experiment yet. Such a claim has
            no measure and is not run.
        measure: name of the function that measures it, which the experiment hands in; it is called
            with ``arguments``.
        margin: how far beyond ``bound`` an interval has to lie on either side to decide, so that
            equality decides nothing. By default `rules.MARGIN` where the bound is 0, as it is of
            differences, and 0 where another bound was chosen.
        reason: the likely reason if it fails, shown then.
        tested: what was varied to support the reason, or ``no``; see `reasons`.
        post_hoc: the claim was added after results had been seen, or its rule, or settings or
            trials of its runs, changed; true, or the protocols of which that is so.
        certain: mathematics or arithmetic decides it, and no run can change that.
        profile: the only profile whose runs test it; by default all do.
    """

    id: str
    item: str
    paper: str
    section: str
    origin: str
    place: str
    figure: str
    statement: str
    kind: str
    experiment: str
    protocols: tuple[str, ...]
    measure: str
    source: str
    published: float | None = None
    tolerance: float | None = None
    bound: float = 0.0
    margin: float | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    tested: str = ""
    post_hoc: bool | list[str] = False
    certain: bool = False
    profile: str = ""

    def __post_init__(self):
        if self.origin not in ORIGINS:
            raise ValueError(
                f"origin is {self.origin!r} in {self.id}; allowed: {', '.join(ORIGINS)}"
            )
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r} in {self.id}; allowed: {', '.join(KINDS)}")
        reasons.check_both(self.id, self.reason, self.tested)
        if bool(self.experiment) != bool(self.measure):
            raise ValueError(
                f"experiment is {self.experiment!r} and measure is {self.measure!r} in {self.id}; "
                "expected both, or neither where there is no experiment yet"
            )

    @property
    def least_margin(self) -> float:
        """``margin``, or what stands in its place."""
        if self.margin is not None:
            return self.margin
        difference = self.kind in ("ordering", "greater", "less") and self.bound == 0
        return rules.MARGIN if difference else 0.0

    def region(self, point: Point) -> Region:
        """The values of a point for which the claim is true.

        Raises:
            ValueError: if neither the claim nor the point has a number that the kind needs.
        """
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
        if target is None or tolerance is None:
            name = "published" if target is None else "tolerance"
            raise ValueError(
                f"{name} is None in {self.id}, at the point {point.label!r}; "
                f"expected a number, as kind is {self.kind!r}"
            )
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
    section: str = ""
    origin: str = "stated"
    place: str = ""
    figure: str = ""
    post_hoc: bool = False
    certain: bool = False
    reason: str = ""  # the likely one, if it fails
    tested: str = ""  # see `Claim.tested`

    @property
    def interval(self) -> Interval | None:
        """What was measured; None if it was not run."""
        if self.low is None or self.high is None:
            return None
        estimate = math.nan if self.measured is None else self.measured
        return Interval(estimate, self.low, self.high, self.n)

    @property
    def word(self) -> str:
        """The verdict as people read it, marked where the claim is post hoc."""
        return word(self.origin, self.verdict) + self.post_hoc * POST_HOC

    def row(self) -> dict:
        """As plain values."""
        return asdict(self)


def read() -> list[Claim]:
    """The claims of ``data/claims.toml``.

    Raises:
        ValueError: for what is no TOML, an unknown, missing or mistyped field, an unknown kind, a
            repeated id, or a reason that does not say what was varied to support it.
    """
    return list(_parse((paths.data() / "claims.toml").read_text(encoding="utf-8")))


@cache
def _parse(text: str) -> tuple[Claim, ...]:
    """The claims of the file's text; as each study asks for them, they are read once."""
    try:
        entries = tomllib.loads(text).get("claim")
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"claims.toml is not TOML: {error}") from None
    except RecursionError:
        raise ValueError("claims.toml is nested too deeply") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("claims.toml has no claims; expected tables [[claim]]")
    claims = [_claim(entry, number) for number, entry in enumerate(entries, start=1)]
    ids = [claim.id for claim in claims]
    repeated = {name for name in ids if ids.count(name) > 1}
    if repeated:
        raise ValueError(brief(f"claims.toml: the id {repeated.pop()!r} is repeated"))
    for claim in claims:
        try:
            reasons.check_named(claim.id, claim.tested, ids)
        except ValueError as error:
            raise ValueError(brief(str(error))) from None
    return tuple(claims)


def _claim(entry: Mapping, number: int) -> Claim:
    """One claim of the file, the ``number``-th."""
    where = f"claims.toml, claim {number} ({entry.get('id', 'without an id')})"
    try:
        claim = from_plain(Claim, entry)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(brief(f"{where}: {error}")) from None
    if not claim.protocols:
        raise ValueError(f"{where}: protocols is empty; expected at least one")
    return claim


def not_yet(claim: Claim) -> list[Judged]:
    """A claim of no experiment, not run under each of its protocols."""
    return [_not_run(claim, name, "no experiment yet") for name in claim.protocols]


def _not_run(claim: Claim, protocol: str, why: str) -> Judged:
    head, about = _head(claim, protocol), _about(claim, protocol)
    return Judged(*head, claim.published, None, None, None, 0, "not run", why, **about)


def _head(claim: Claim, protocol: str) -> tuple[str, str, str, str, str]:
    """The first fields of `Judged`."""
    return claim.id, claim.item, claim.paper, claim.statement, protocol


def _about(claim: Claim, protocol: str) -> dict[str, Any]:
    """Its last ones, but for the reason."""
    names = ("section", "origin", "place", "figure", "certain")
    late = claim.post_hoc is True or protocol in (claim.post_hoc or ())
    return {**{name: getattr(claim, name) for name in names}, "post_hoc": late}


def judge(
    claim: Claim,
    protocol: str,
    frames: Frames,
    measure: Callable[..., Measured],
    profile: str = "",
) -> Judged:
    """Hold a claim against the records of a protocol and profile, by means of its measure. What
    needs records and finds none is not run; a measure of what is printed or proved needs none.

    A series holds if all its points hold and fails if one of them fails. Under `sound` a point is
    undecided whatever its interval is if too few trials converged of a model whose further training
    could have changed the verdict. It does not hold by a tolerance of its own that is so wide that
    hardly anything could fail it.

    The point that decides is the one that is reported: of those with the worst verdict, that with
    the least margin. Where these are equal, as they are where nothing bounds the points, it is that
    with the least estimate beyond the bound.

    Raises:
        ValueError: as `Claim.region` does.
    """
    more = _about(claim, protocol)
    try:
        if claim.profile and profile != claim.profile:
            raise NotRun(f"the profile {claim.profile} alone tests it")
        try:
            signature(measure).bind(frames, protocol, **claim.arguments)
        except TypeError as error:
            raise ValueError(f"claims.toml, {claim.id}: {claim.measure}: {error}") from None
        measured = measure(frames, protocol, **claim.arguments)
        if not measured.points:
            raise NotRun(f"{claim.measure} found no points under {protocol}")
    except NotRun as error:
        return _not_run(claim, protocol, str(error))
    each = [_verdict(claim, protocol, point) for point in measured.points]
    result, worst = min(
        zip(each, measured.points, strict=True),
        key=lambda pair: (ORDER[pair[0]], *_margins(pair[1].interval, claim.region(pair[1]))),
    )
    notes = [worst.label if len(each) == 1 else f"{worst.label} (worst of {len(each)} points)"]
    if why := _open(claim, _says(claim, worst), worst, protocol):
        notes.append(why)
    if not enough(measured):
        result = "undecided"
        notes.append("fewer than five trials")
    target = claim.published if worst.published is None else worst.published
    if worst.tolerance is not None:
        notes.append(f"tolerance {worst.tolerance:.3f}")
    if _ends_on_bound(worst.interval, claim.region(worst)):
        notes.append("the bracket ends on the bound, which is not part of it")
    if more["post_hoc"]:
        notes.append("post hoc")
    if result == "fails" and claim.reason:
        more |= {"reason": claim.reason, "tested": claim.tested}
        notes.append(f"likely reason ({reasons.support(claim.tested)}): {claim.reason}")
    estimate, low, high = (None if math.isnan(v) else float(f"{v:.6g}") for v in worst.interval[:3])
    found = (target, estimate, low, high, worst.interval.n, result, "; ".join(notes))
    return Judged(*_head(claim, protocol), *found, **more)


def _ends_on_bound(interval: Interval, region: Region) -> bool:
    """Whether a bracket, which is open, ends where the region does: the least that can decide."""
    ends = ((interval.low, region.low), (interval.high, region.high))
    near = (math.isclose(end, bound, rel_tol=1e-9) for end, bound in ends if math.isfinite(bound))
    return math.isnan(interval.estimate) and any(near)


def _verdict(claim: Claim, protocol: str, point: Point) -> str:
    """The verdict on one point."""
    said = _says(claim, point)
    if _open(claim, said, point, protocol):
        return "undecided"
    if said == "fails" and point.outer is not None:
        wider = verdict(point.interval, claim.region(point._replace(tolerance=point.outer)))
        return "fails" if wider == "fails" else "undecided"
    return said


def _open(claim: Claim, said: str, point: Point, protocol: str) -> str:
    """Why a point is undecided whatever its interval says; empty if it decides."""
    if protocol == "sound":
        trials = (point.rising, point.falling)
        share = rules.unsettled(said, point.interval, claim.region(point), *trials)
        if share is not None:
            return f"only {share:.0%} of the trials converged"
    return "a tolerance too wide to hold by" if rules.too_loose(said, point.tolerance) else ""


def _says(claim: Claim, point: Point) -> str:
    """What the interval of a point alone says."""
    return rules.by_interval(point.interval, claim.region(point), claim.least_margin)


def _margins(interval: Interval, region: Region) -> tuple[float, float]:
    """How far inside the region the interval lies, and its estimate; negative where they reach out
    of it. What has no estimate comes last."""

    def margin(low: float, high: float) -> float:
        return min(low - region.low, math.inf if region.high == math.inf else region.high - high)

    middle = interval.estimate
    return (
        margin(interval.low, interval.high),
        math.inf if math.isnan(middle) else margin(middle, middle),
    )

"""Claims as data: statements of the papers, and the verdicts on them.

``data/claims.toml`` lists the statements. `claims` computes verdicts; what only reads or tells them
needs this module, which imports neither pandas nor scipy.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from .. import brief, paths
from ..records.spec import from_plain
from . import reasons
from .interval import Interval, Region

if TYPE_CHECKING:  # they import pandas
    from .measures import Point

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
        from . import rules  # takes pandas

        if self.margin is not None:
            return self.margin
        difference = self.kind in ("ordering", "greater", "less") and self.bound == 0
        return rules.MARGIN if difference else 0.0

    def region(self, point: "Point") -> Region:
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
    return [not_run(claim, name, "no experiment yet") for name in claim.protocols]


def not_run(claim: Claim, protocol: str, why: str) -> Judged:
    """A claim that no runs test under a protocol, and why."""
    found = (claim.published, None, None, None, 0, "not run", why)
    return Judged(*head(claim, protocol), *found, **about(claim, protocol))


def head(claim: Claim, protocol: str) -> tuple[str, str, str, str, str]:
    """The first fields of `Judged`."""
    return claim.id, claim.item, claim.paper, claim.statement, protocol


def about(claim: Claim, protocol: str) -> dict[str, Any]:
    """The last fields of `Judged`, but for the reason."""
    names = ("section", "origin", "place", "figure", "certain")
    late = claim.post_hoc is True or protocol in (claim.post_hoc or ())
    return {**{name: getattr(claim, name) for name in names}, "post_hoc": late}

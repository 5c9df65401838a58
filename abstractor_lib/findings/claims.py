"""Whether claims hold: statements of the papers, held against records.

`statements` are data; verdicts are computed from records and never typed.
"""

import math
from collections.abc import Callable
from inspect import signature

from . import reasons, rules
from .interval import Interval, Region, verdict
from .measures import Frames, Measured, NotRun, Point, enough, shared_draw
from .statements import (
    KINDS,
    ORDER,
    ORIGINS,
    POST_HOC,
    WORDS,
    Claim,
    Judged,
    about,
    head,
    not_run,
    not_yet,
    read,
    word,
)

__all__ = [
    "KINDS",
    "ORDER",
    "ORIGINS",
    "POST_HOC",
    "WORDS",
    "Claim",
    "Judged",
    "judge",
    "not_yet",
    "read",
    "word",
]


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
    hardly anything could fail it. That our curve is the published one is undecided where our trials
    share one draw, as the paper's share another.

    The point that decides is the one that is reported: of those with the worst verdict, that with
    the least margin. Where these are equal, as they are where nothing bounds the points, it is that
    with the least estimate beyond the bound.

    Raises:
        ValueError: as `Claim.region` does.
    """
    more = about(claim, protocol)
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
        return not_run(claim, protocol, str(error))
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
    if any(rules.too_loose("holds", point.tolerance) for point in measured.points):
        notes.append("one draw differs so much from another that this can fail, and not hold")
    if _ends_on_bound(worst.interval, claim.region(worst)):
        notes.append("the interval ends at the bound itself, which is not part of it")
    if more["post_hoc"]:
        notes.append("post hoc")
    if result == "fails" and claim.reason:
        more |= {"reason": claim.reason, "tested": claim.tested}
        notes.append(f"likely reason ({reasons.support(claim.tested)}): {claim.reason}")
    estimate, low, high = (None if math.isnan(v) else float(f"{v:.6g}") for v in worst.interval[:3])
    found = (target, estimate, low, high, worst.interval.n, result, "; ".join(notes))
    return Judged(*head(claim, protocol), *found, **more)


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
    if claim.kind == "equals" and point.published is not None and shared_draw(point.rising):
        return "trials of one draw beside a curve of another"
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

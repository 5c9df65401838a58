"""Sentences with numbers that are computed: templates whose fields name claims or values."""

import string
from collections.abc import Iterable, Mapping
from math import isnan

from .claims import POST_HOC, Judged
from .statistics import number

NOT_RUN = "(not run)"


def fill(template: str, judged: Mapping[tuple[str, str], Judged], values: Mapping) -> str:
    """A sentence with its numbers.

    Fields are ``{CLAIM.PROTOCOL}``, the measured value of a claim with its interval and, where the
    claim is post hoc, the mark †, or ``{NAME}``, one of the values, with a format of its own if
    wanted, and "(not run)" in place of a number that is none. ``{CLAIM.PROTOCOL:paper}`` is the
    paper's number, ``{CLAIM.PROTOCOL:trials}`` the count of trials,
    ``{CLAIM.PROTOCOL:minus .2f}`` the negative of the measured value, such as what the second of
    two models is ahead by, ``{CLAIM.PROTOCOL:verdict}`` the verdict, and ``{CLAIM.PROTOCOL:word}``
    the word for it, which depends on whose claim it is; see `Judged.word`.

    Raises:
        ValueError: for a field that is neither.

    Example:
        >>> from abstractor_lib.findings.statistics import Interval
        >>> fill("Accuracy is {a} with {n} pairs.", {}, {"a": Interval(0.5, 0.4, 0.6, 9), "n": 20})
        'Accuracy is 0.50 [0.40, 0.60] with 20 pairs.'
    """
    parts = []
    for text, name, spec, _ in string.Formatter().parse(template):
        parts.append(text)
        if name is None:
            continue
        claim, _, protocol = name.partition(".")
        if name in values:
            parts.append(_number(values[name], spec or ""))
        elif (claim, protocol) in judged:
            parts.append(_said(judged[claim, protocol], spec or ""))
        else:
            raise ValueError(
                f"the sentence names {name!r}; expected CLAIM.PROTOCOL or one of its values: "
                f"{', '.join(values) or 'none'}"
            )
    return "".join(parts)


def _number(value, spec: str) -> str:
    estimate = getattr(value, "estimate", value)
    missing = isinstance(estimate, float) and isnan(estimate)
    return NOT_RUN if missing else format(value, spec)


def disagreements(
    because: Iterable[str | bool], judged: Mapping[tuple[str, str], Judged]
) -> list[str]:
    """What of the verdicts and comparisons that a sentence rests on is otherwise.

    Args:
        because: ``CLAIM.PROTOCOL VERDICT`` each, or a comparison, true or false.
        judged: the verdicts by claim and protocol.

    Raises:
        ValueError: if no claim has that name, or none such a protocol.
    """
    others = []
    for at, reason in enumerate(because, start=1):
        if not isinstance(reason, str):
            if not reason:
                others.append(f"comparison {at} that the sentence rests on is False")
            continue
        name, _, expected = reason.partition(" ")
        claim, _, protocol = name.partition(".")
        if (claim, protocol) not in judged:
            raise ValueError(f"the sentence rests on {name!r}; no claim has that name")
        verdict = judged[claim, protocol].verdict
        if verdict != expected:
            others.append(f"{name} is {verdict!r}; the sentence says {expected!r}")
    return others


def _said(verdict: Judged, spec: str) -> str:
    """What a sentence says of a claim."""
    if spec == "verdict":
        return verdict.verdict
    if spec == "word":
        return verdict.word
    if verdict.interval is None:
        return NOT_RUN
    if spec == "trials":
        return str(verdict.interval.n)
    if spec == "paper":
        return "(none)" if verdict.published is None else number(verdict.published)
    interval, sign, rest = verdict.interval, *spec.rpartition("minus ")[1:]
    return format(-interval if sign else interval, rest) + verdict.post_hoc * POST_HOC

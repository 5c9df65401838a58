"""What the paper cites, computed: ``docs/paper/values.json``.

The Typst source ``docs/paper/paper.typ`` names it. ``#n("FIELD")`` is a number, with FIELD as in
`prose.fill`; ``row("CLAIM", ...)`` is a row of a table with the claim's verdicts; ``rests("CLAIM
VERDICT", ...)`` are verdicts that the text above it rests on, so that it cannot outlive them.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from ... import experiments
from ...execution.estimate import core_seconds
from ...findings import claims, prose
from ...findings.claims import POST_HOC, Judged
from ...reporting import verdicts
from ...reporting.study import Study

NUMBER = re.compile(r'#?\bn\("([^"]+)"\)')
ROW = re.compile(r'\brow\(\s*"([^"]+)"')
GROUNDS = re.compile(r"\brests\(([^)]*)\)")
TEXT = re.compile(r'"([^"]+)"')


def page(source: Path, judged: Sequence[Judged], shown: Mapping[str, Study]) -> str:
    """The values as JSON: ``numbers`` by field, ``rows`` by claim and protocol, and under
    ``outdated`` what the text rests on and the records no longer say.

    Args:
        source: the Typst file that cites them.
        judged: all verdicts.
        shown: all studies.

    Raises:
        ValueError: if the source cites what there is not.
    """
    known = {(one.id, one.protocol): one for one in judged}
    facts = {**settings(), **of_claims(), **of_records(shown), **verdicts.census(judged)}
    text = source.read_text(encoding="utf-8")
    grounds = [ground for group in GROUNDS.findall(text) for ground in TEXT.findall(group)]
    try:
        found = {
            "numbers": {
                field: number(field, known, facts) for field in sorted(set(NUMBER.findall(text)))
            },
            "rows": {name: cells(name, judged) for name in sorted(set(ROW.findall(text)))},
            "outdated": prose.disagreements(grounds, known),
        }
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}") from None
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def number(field: str, known: Mapping[tuple[str, str], Judged], facts: Mapping[str, Any]) -> str:
    """A field of `prose.fill` with its number.

    Raises:
        ValueError: if it names neither a claim and its protocol nor one of the facts.
    """
    name = field.partition(":")[0]
    if name not in facts and tuple(name.split(".")) not in known:
        raise ValueError(
            f"a number is {name!r}; expected CLAIM.PROTOCOL, EXPERIMENT.PROTOCOL.SETTING, "
            "CLAIM.ARGUMENT, or a count of records or claims"
        )
    return prose.fill(f"{{{field}}}", known, facts)


def cells(name: str, judged: Iterable[Judged]) -> dict[str, dict[str, str]]:
    """What a table says of a claim: protocol -> verdict, sign and number.

    Raises:
        ValueError: if there is no such claim.
    """
    found = {
        one.protocol: {
            "verdict": one.verdict,
            "sign": verdicts.SIGNS[one.verdict],
            "number": "" if one.interval is None else verdicts.measured(one.interval),
            "post hoc": POST_HOC * one.post_hoc,
        }
        for one in judged
        if one.id == name
    }
    if not found:
        raise ValueError(f"a row is of {name!r}; no claim has that name")
    return found


def settings() -> dict[str, Any]:
    """``EXPERIMENT.PROTOCOL.FIELD`` -> the value of each setting; of several numbers, such as
    training set sizes, ``.least`` and ``.greatest``.

    Example:
        >>> known = settings()
        >>> known["sorting.described.batch_size"], known["order.sound.sizes.greatest"]
        (512, 495)
    """
    return _with_ends(
        (f"{name}.{protocol}.{field.name}", getattr(known, field.name).value)
        for name, experiment in experiments.by_name().items()
        for protocol, known in experiment.protocols.items()
        for field in dataclasses.fields(known)
    )


def of_claims() -> dict[str, Any]:
    """``CLAIM.ARGUMENT`` -> what a claim names: the arguments of its measure, and ``bound``.

    Example:
        >>> known = of_claims()
        >>> known["sorting_v3_over_transformer.size"], known["set_v3_solves.bound"]
        (1000, 0.9)
    """
    return _with_ends(
        (f"{claim.id}.{name}", value)
        for claim in claims.read()
        for name, value in {"bound": claim.bound, **claim.arguments}.items()
    )


def _with_ends(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in named:
        values[name] = value
        if isinstance(value, Sequence) and value and all(isinstance(v, Real) for v in value):
            values |= {f"{name}.least": min(value), f"{name}.greatest": max(value)}
    return values


def of_records(shown: Mapping[str, Study]) -> dict[str, float]:
    """How much was computed: ``records.number`` with ``records.trials`` in ``records.hours`` of one
    core, of ``records.experiments`` that have some."""
    plans = [plan for study in shown.values() for plan in study.plans.values()]
    found = {run: record for plan in plans for run, record in plan.records.items()}
    ancestors = [study.ancestors() for study in shown.values()]
    found |= {run: record for one in ancestors for run, record in one.items() if record}
    records = list(found.values())
    return {
        "records.number": len(records),
        "records.trials": sum(record["spec"]["trials"]["count"] for record in records),
        "records.hours": core_seconds(records) / 3600,
        "records.experiments": sum(bool(study.records) for study in shown.values()),
    }

"""Seals: the SHA-256 of a record, kept in the record, so that a change by hand shows.

A seal of version 2, which begins with ``2:``, stands for everything in a record. One of version 1,
which has no beginning of its own, leaves out the artifacts. Records that were written with it keep
it; their artifacts are held against what the files themselves say (`artifacts.whose`).
"""

import hashlib
from collections.abc import Mapping

from .spec import dumps

SECOND = "2:"


def seal(record: Mapping, version: int = 2) -> str:
    """The seal of a record.

    Whoever changes a record on purpose can change its seal too, and is found out when the run is
    computed again.

    Example:
        >>> seal({"run": "a"}) == seal({"run": "a", "seal": "of no account"})
        True
        >>> seal({"run": "a"}, 1) == seal({"run": "a", "artifacts": {"weights/0": "b"}}, 1)
        True
    """
    out = ("seal", "artifacts") if version == 1 else ("seal",)
    rest = {name: value for name, value in record.items() if name not in out}
    found = hashlib.sha256(dumps(rest).encode()).hexdigest()
    return found if version == 1 else f"{SECOND}{found}"


def sealed(record: Mapping) -> dict:
    """A record with its seal."""
    return {**record, "seal": seal(record)}


def version(record: Mapping) -> int:
    """Of the seal that a record has."""
    return 2 if str(record.get("seal")).startswith(SECOND) else 1


def intact(record: Mapping) -> bool:
    """Whether a record is as it was when it was sealed."""
    return record.get("seal") == seal(record, version(record))


def merged(counts: Mapping, known: Mapping, added: Mapping) -> dict:
    """The record that counts of two with one id, with the artifacts of both.

    Of two that name an artifact alike the later one's counts, since it was made anew for a reason.
    The seal is mended, in the weaker version of the two, if both records are intact; if one is
    not, there is none, which every audit finds.

    Args:
        counts: whose numbers count, one of the two.
        known, added: the earlier and the later one.
    """
    record = dict(counts)
    artifacts = {**known.get("artifacts", {}), **added.get("artifacts", {})}
    if artifacts:
        record["artifacts"] = artifacts
    both = [part for part in (known, added) if "seal" in part]
    if not both:
        return record
    record.pop("seal", None)
    if len(both) == 2 and all(map(intact, both)):
        record["seal"] = seal(record, min(map(version, both)))
    return record

"""Likely reasons: what was varied to support the explanation that we give where a claim fails.

Each says it in `Claim.tested`: ``no``, or a text that names in backticks the claims that show it.
Where there is no such claim it names the models, ``EXPERIMENT.MODEL``, or a figure or notebook by
its path without ending.
"""

import re
from collections.abc import Collection

NOT_TESTED = "no"


def support(tested: str) -> str:
    """What is said of a likely reason.

    Example:
        >>> support("no"), support("`a_claim`, without dropout")
        ('not tested', 'tested by `a_claim`, without dropout')
    """
    return "not tested" if tested == NOT_TESTED else f"tested by {tested}"


def named(tested: str) -> list[str]:
    """What supports a reason.

    Example:
        >>> named("`a_claim`, and runs of `order.mlp`")
        ['a_claim', 'order.mlp']
    """
    return re.findall(r"`([^`]+)`", tested)


def check_both(claim: str, reason: str, tested: str) -> None:
    """Whether a reason says what was varied to support it.

    Raises:
        ValueError: if one of the two is missing.
    """
    if bool(reason) != bool(tested):
        raise ValueError(
            f"reason is {reason!r} and tested is {tested!r} in {claim}; expected both or neither: "
            f"tested says what was varied to support the reason, or {NOT_TESTED!r}"
        )


def check_named(claim: str, tested: str, ids: Collection[str]) -> None:
    """Whether what supports a reason is named, and is among the claims ``ids``.

    Raises:
        ValueError: if it is not.
    """
    if tested in ("", NOT_TESTED):
        return
    found = named(tested)
    unknown = [name for name in found if name not in ids and not {".", "/"} & {*name}]
    if unknown or not found:
        raise ValueError(
            f"tested is {tested!r} in {claim}; expected {NOT_TESTED!r}, or a text that names in "
            "backticks the claims that show the reason, or EXPERIMENT.MODEL, or a path"
            + (f"; no claim is called {unknown[0]!r}" if unknown else "")
        )

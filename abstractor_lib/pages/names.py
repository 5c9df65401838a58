"""Items of the papers by what people call them: ``fig_v3_05b``, "Figure 5b" or "v3 Figure 5b"."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from .. import experiments
from ..findings.statements import Claim
from ..reporting.verdicts import item_label
from . import index

SHORT = {  # what begins so is written out
    "fig": "figure",
    "tab": "table",
    "thm": "theorem",
    "lem": "lemma",
    "alg": "algorithm",
    "equation": "eq",
    "app": "appendix",
    "rem": "remark",
    "cond": "condition",
}


def normal(words: str) -> str:
    """Words in the form in which they are compared.

    Example:
        >>> normal("V3 Fig. 5(b)"), normal("Theorem 3.2"), normal("Eq. (18)")
        ('v3 figure 5b', 'theorem 3.2', 'eq 18')
    """
    parts = re.sub(r"[()]", "", words.lower()).split()
    plain = [part.rstrip(".,") for part in parts]
    return " ".join(SHORT.get(part, part) for part in plain)


def called(words: str) -> list[str]:
    """The ids of the items that words name; none if no item is called so. A figure's number names
    all its panels.

    Example:
        >>> called("Figure 5b"), called("v3 fig. 5(a)"), called("fig_v3_05b"), called("Figure 99")
        (['fig_v3_05b'], ['fig_v3_05a'], ['fig_v3_05b'], [])
        >>> called("v1 Figure 2")[:2]
        ['fig_v1_02a', 'fig_v1_02b']
    """
    ids, asked = [row["id"] for row in index.inventory()], normal(words)
    if words in ids:
        return [words]

    def names(item: str) -> set[str]:
        full = normal(item_label(item))
        _, _, short = full.partition(" ")
        whole = {re.sub(r"(?<=\d)[a-z]$", "", name) for name in (full, short)}
        return {full, short, *whole} - {""}

    return [item for item in ids if asked in names(item)]


def near(given: str, names: Iterable[str]) -> str:
    """Names that look like what was given, as the end of a sentence on what is allowed; empty if
    there are none.

    Example:
        >>> near("learning_rat", ["learning_rate", "batch_size"])
        '; near: learning_rate'
    """
    found = get_close_matches(given, list(names), n=3, cutoff=0.5)
    return f"; near: {', '.join(found)}" if found else ""


def about(claims: Iterable[Claim], items: Collection[str]) -> list[Claim]:
    """The claims that belong to items, or whose figure or table is one of theirs."""
    starts = tuple(f"{item}_" for item in items)
    return [one for one in claims if one.item in items or one.figure.startswith(starts)]


def claims_called(words: str, claims: Collection[Claim]) -> list[Claim]:
    """The claims whose ids begin so, those of the experiment that is called so, or those about the
    items that words name. Case does not matter, and a space or a hyphen may stand for ``_``.

    Raises:
        ValueError: if there are none, naming what looks like it.
    """
    plain = re.sub(r"[\s-]+", "_", words.strip().lower())
    found = [claim for claim in claims if claim.id.startswith(plain) or claim.experiment == plain]
    items = [] if found else called(words) or called(plain)
    if found := found or about(claims, items):
        return found
    if items:
        raise ValueError(f"NAME is {words!r}; no claim is about {', '.join(items)}")
    if plain in experiments.names():
        raise ValueError(f"NAME is {words!r}; no claim is about that experiment")
    known = [claim.id for claim in claims] + [row["id"] for row in index.inventory()]
    known += list(dict.fromkeys(claim.experiment for claim in claims if claim.experiment))
    raise ValueError(
        f"NAME is {words!r}; no claim begins so, and no experiment, figure, table or theorem is "
        f"called so{near(plain, known)} (`abstractor claims` and `abstractor index` list them)"
    )

"""docs/deviations.md: where the text of a paper, its public code and we differ.

Rows come from the settings of the experiments, each value of which says where it is from.
``data/deviations.toml`` says which differences were measured; its numbers come from the records.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field
from typing import Any

import pandas as pd

from .. import experiments, paths
from ..experiments.experiment import Experiment
from ..experiments.protocol import Sourced, items, shown
from ..findings.claims import Judged
from ..reporting.tables import markdown
from . import front_page, headlines
from .claims_page import fill, link
from .front_page import Known

FILE = "deviations.toml"
THEIRS = re.compile(r"publi|\btext\b|\bcode\b|paper")  # what names something that we do not do
SILENT = re.compile(r"silent|names no")
LEFT_OPEN = re.compile(rf"{SILENT.pattern}|epochs are given")
COLUMN = "what the paper has, or why"
LONG = 5  # rows of a table that is not folded
TOP = """# Deviations

Where a paper's text and its public code differ, and where we differ from both.
`abstractor reproduce` and `abstractor readme` write this page from the settings of the experiments.
[Three protocols](protocols.md) says which repositories the public code is in, and explains the most
important rows. Of 2-simplicial attention and its agents, the last table of [notebook
14](../notebooks/14_simplicial_attention.ipynb) has the rows in which text and code differ.

| column | holds |
| --- | --- |
| text | what the paper says, and where; where it is silent, what we take; `described` |
| public code | what the authors' code and logs show; `published` |
| ours | what we would choose today; `sound` |

An *effect* is what one difference changes, where runs measured it alone. *All settings together*
compares the protocols. Every other row has not been measured alone. Square brackets hold 95 %
intervals; † (*post hoc*): we chose something about the test after we had seen results. Rows in
which text and code agree, or both are silent, are in the settings tables of the
[notebooks](../README.md#where-to-read-on).
"""


def page(judged: Iterable[Judged]) -> str:
    """The whole page."""
    known = front_page.by_protocol(judged)
    effects = list(enumerate(read()["effect"], start=1))
    parts = [TOP]
    for name, experiment in experiments.by_name().items():
        found = [
            _effect(number, effect, experiment, known)
            for number, effect in effects
            if effect["experiment"] == name
        ]
        parts += _section(experiment, found)
    return "\n".join(parts)


def read() -> dict[str, Any]:
    """``data/deviations.toml``: each ``effect``, and what is ``left_out``, fields that say which
    runs there are and not how they are done."""
    with (paths.data() / FILE).open("rb") as file:
        return tomllib.load(file)


def _section(experiment: Experiment, effects: list[str]) -> list[str]:
    differing, other = differences(experiment), departures(experiment)
    if not differing and not other:
        return []
    stem = experiment.notebooks[0]
    shown_in = f"([notebook {stem[:2]}](../notebooks/{stem}.ipynb), `{experiment.name}`)"
    parts = [f"## {experiment.title[0].upper()}{experiment.title[1:]}\n", f"{shown_in}\n"]
    if differing:
        parts.append(f"{markdown(pd.DataFrame(differing))}\n")
    if effects:
        parts += ["Effects:\n", "\n".join(effects) + "\n"]
    if other:
        table, title = f"{markdown(pd.DataFrame(other))}\n", "What we do in another way"
        long = len(other) > LONG  # folded, so that the page can be looked over
        summary = f"<details><summary>{title} ({len(other)} settings)</summary>\n"
        parts += [summary, table, "</details>\n"] if long else [f"{title}:\n", table]
    return parts


def differences(experiment: Experiment) -> list[dict[str, str]]:
    """Rows of settings in which text and public code differ. One that the text leaves open, and
    that the code does not use, is none."""
    return [
        {
            "item": item.metadata["label"],
            "text": _text(both["described"]),
            "public code": _code(both["published"]),
            "ours": _ours(getattr(experiment.protocols["sound"], item.name))
            if "sound" in experiment.protocols
            else "as in the text",
        }
        for item, both in _differing(experiment)
    ]


def departures(experiment: Experiment) -> list[dict[str, str]]:
    """Rows of settings of ours that are neither the text's nor the code's, where one of the two is
    known; our sources say so."""
    done = {item.name for item, _ in _differing(experiment)}
    name, *_ = (name for name in ("described", "sound") if name in experiment.protocols)
    rows = []
    for item in items(experiment.protocols):
        sourced = getattr(experiment.protocols[name], item.name)
        whose, _, why = sourced.source.partition(", ")
        known = whose == "ours" and THEIRS.search(why) and not SILENT.search(why)
        if known and item.name not in done:
            rows.append(
                {
                    "item": item.metadata["label"].removeprefix("note: "),
                    "ours": _value(sourced.value),
                    COLUMN: why,
                }
            )
    return rows + _alone(experiment, done | {row["item"] for row in rows})


def _alone(experiment: Experiment, done: Collection[str]) -> list[dict[str, str]]:
    """Rows of settings in which ``sound`` differs from text and code alike, and from what they say
    or leave open; not those of controls of ours. ``done`` are names and labels of other rows."""
    theirs = [
        experiment.protocols[name]
        for name in ("described", "published")
        if name in experiment.protocols
    ]
    if "sound" not in experiment.protocols or not theirs:
        return []
    rows = []
    for item in items(experiment.protocols):
        sourced = getattr(experiment.protocols["sound"], item.name)
        label = item.metadata["label"].removeprefix("note: ")
        others = [getattr(protocol, item.name) for protocol in theirs]
        unlike = all(other.value != sourced.value for other in others)
        whose, _, why = others[0].source.partition(", ")
        if whose != "ours":
            why = f"{_value(others[0].value)} ({others[0].source})"
        elif not LEFT_OPEN.search(why):
            continue
        told = sourced.value not in (None, ()) or sourced.source != "ours"  # none, with a reason
        if unlike and told and not {item.name, label} & set(done):
            rows.append({"item": label, "ours": _ours(sourced), COLUMN: why})
    return rows


def _differing(experiment: Experiment) -> list[tuple[Field, dict[str, Sourced]]]:
    protocols = {
        name: experiment.protocols[name]
        for name in ("described", "published")
        if name in experiment.protocols
    }
    if len(protocols) < 2:
        return []
    found = []
    left_out = read()["left_out"].get(experiment.name, ())
    for item in items(protocols):
        both = {name: getattr(protocol, item.name) for name, protocol in protocols.items()}
        text, code = both.values()
        unused = text.source.startswith("ours") and code.value in (None, ())
        theirs = not code.source.startswith("ours") and not unused
        if text.value != code.value and theirs and item.name not in left_out:
            found.append((item, both))
    return found


def _effect(number: int, effect: Mapping, experiment: Experiment, known: Known) -> str:
    """An effect as an item of a list.

    Raises:
        ValueError: if it names what is no field of the protocols, or no claim.
        Outdated: if a verdict is another than the one that it rests on.
    """
    where = f"{FILE}, effect {number}"
    labels = {item.name: item.metadata["label"] for item in items(experiment.protocols)}
    named = effect.get("items", [])
    for name in named:
        if name not in labels:
            raise ValueError(
                f"{where}: items has {name!r}; allowed: the settings of {experiment.name}"
            )
    about = "; ".join(labels[name] for name in named) or "all settings together"
    text = headlines.grounded(where, effect["text"], effect["because"], known)
    if missing := headlines.not_run(effect["because"], known):
        text = f"*Not run:* runs are missing under {', '.join(missing)}."
    about = about[0].upper() + about[1:]
    return fill(f"*{about}:* {text} [Figure](../{link(effect['figure'])})", "  ", "- ", width=110)


def _text(sourced: Sourced) -> str:
    whose, _, where = sourced.source.partition(", ")
    if whose == "ours" and SILENT.search(where):
        return f"not said; we take {_value(sourced.value)}"
    if whose == "ours":
        return f"{_value(sourced.value)} (ours{': ' if where else ''}{where})"
    return f"{_value(sourced.value)}{_in_brackets(where if whose == 'text' else sourced.source)}"


def _code(sourced: Sourced) -> str:
    whose, _, where = sourced.source.partition(", ")
    shown_from = where if whose == "public code" else sourced.source
    return f"{_value(sourced.value)}{_in_brackets(shown_from)}"


def _ours(sourced: Sourced) -> str:
    whose, _, why = sourced.source.partition(", ")
    return f"{_value(sourced.value)}{_in_brackets(why if whose == 'ours' else sourced.source)}"


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def _value(value: Any) -> str:
    """A value as people read it.

    Example:
        >>> _value(True), _value(("relu", "tanh")), _value("best_if_stopped")
        ('yes', 'relu; tanh', 'best if stopped')
        >>> _value(20000)
        '20,000'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return shown(value).replace("_", " ")

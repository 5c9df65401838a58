"""docs/open_questions.md: questions that the papers leave open, our answers, and what we would use.

``data/open_questions.toml`` has their words. Numbers and verdicts come from the records; an answer
whose grounds have changed is an error (`headlines.grounded`).
"""

import tomllib
from collections.abc import Iterable

import pandas as pd

from .. import paths
from ..findings.claims import Judged
from ..reporting.tables import markdown
from .claims_page import link
from .front_page import advice, by_protocol
from .headlines import grounded, not_run

FILE = "open_questions.toml"
TOP = """# What we would use today

`abstractor reproduce` and `abstractor readme` write this page from the records. Square brackets
hold 95 % intervals; \u2020 marks what is *post hoc*. The words are in the [glossary](glossary.md).

## By task

"""
QUESTIONS = """
## Questions that the papers leave open

Each has a section in [notebook 17](../notebooks/17_open_questions.ipynb) or, if it asks about the
parts of an Abstractor, in [notebook 18](../notebooks/18_which_abstractor.ipynb); the last one has
[notebook 19](../notebooks/19_relatives.ipynb). There are the task, one run,
what was expected, all runs, what speaks against the answer, and claims. Those without † were
written before the runs, some of their bounds after pilots.

"""


def page(judged: Iterable[Judged]) -> str:
    """The whole page: what to use by task, and the open questions with their answers."""
    known = by_protocol(judged)
    with (paths.data() / FILE).open("rb") as file:
        asked = tomllib.load(file)["question"]
    rows = []
    for number, one in enumerate(asked, start=1):
        where, because = f"{FILE}, question {number}", one.get("because", [])
        answer, cost = (
            grounded(where, one.get(part, ""), because, known) for part in ("answer", "cost")
        )
        if "answer" not in one or not_run(because, known):
            answer = "*Not run.*"
        else:
            answer += f" [Figure](../{link(one['figure'])})"
        row = {"question": one["asks"], "answer": answer, "what we would use": one.get("use", "")}
        rows.append(row | {"what it costs": cost})
    return f"{TOP}{advice(known)}\n{QUESTIONS}{markdown(pd.DataFrame(rows))}\n"

"""What notebook 16 says of its records."""

import numpy as np
import pandas as pd

from ...findings.sentences import Sentence

PROTOCOL = "sound"
LEVEL = 0.90


def _tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """Runs of an agent with tokens, of the shortest budget."""
    rows = table[table["variant"].eq("tokens, scoring") & table["model"].eq(model)]
    return rows[rows["size"].eq(rows["size"].min())]


def _decisions(table: pd.DataFrame, model: str) -> pd.Series:
    """Decisions to the level, by seed; infinite where it is not reached."""
    found = _tokens(table, model).set_index("trial")[f"decisions_to_{LEVEL:.0%}"[:-1]]
    return found.astype(float).fillna(np.inf)


def _minutes(table: pd.DataFrame, looks: pd.DataFrame, model: str) -> float:
    """Minutes of one core to the level, the median over seeds; infinite if half do not reach it."""
    found = []
    for trial, decisions in _decisions(table, model).items():
        run = looks[looks["model"].eq(model) & looks["trial"].eq(trial)]
        found.append(decisions * (run["minutes"] / run["decisions"]).iloc[-1])
    return float(np.median(found))


def fewer_decisions(frames) -> Sentence:
    """The 2-simplicial agent learns from fewer decisions."""
    table = frames[PROTOCOL]
    short, long = (_decisions(table, name).median() for name in ("simplicial", "relational"))
    return Sentence(
        "**With objects given as tokens, the 2-simplicial agent learns from fewer decisions.** It "
        "wins {ours:.2f} of late puzzles in the mean over half a million decisions, the relational "
        "agent {theirs:.2f}. The difference is {agents_tokens_simplicial_over_relational.sound}. "
        "To win nine of ten takes {short:,.0f} decisions with it and {long:,.0f} without (medians "
        "of the seeds).",
        "agents_tokens_simplicial_over_relational.sound holds",
        bool(short < long),
        ours=float(_tokens(table, "simplicial")["late_mean"].mean()),
        theirs=float(_tokens(table, "relational")["late_mean"].mean()),
        short=float(short),
        long=float(long),
    )


def computing_time(frames, looks) -> Sentence:
    """In computing time the relational agent is not behind."""
    table = frames[PROTOCOL]
    ours, theirs = (_minutes(table, looks, name) for name in ("simplicial", "relational"))
    return Sentence(
        "**In computing time that lead is gone.** A decision of the 2-simplicial agent costs more. "
        "It wins nine of ten late puzzles after {ours:.1f} minutes of one core, the relational "
        "agent after {theirs:.1f} (medians of the seeds; both in the same session on the same "
        "machine).",
        ours >= theirs,
        ours=ours,
        theirs=theirs,
    )

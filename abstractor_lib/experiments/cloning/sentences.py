"""What notebook 16 says of agents that copied the oracle."""

import pandas as pd

from ...findings.sentences import Sentence

PROTOCOL = "sound"
MAIN = "tokens, scoring"


def _won(table: pd.DataFrame, model: str, size: int) -> pd.Series:
    """Late puzzles won, by seed, after so many puzzles of training."""
    rows = table[table["variant"].eq(MAIN) & table["model"].eq(model) & table["size"].eq(size)]
    return rows["late_greedy"]


def both_can(frames) -> Sentence:
    """Both agents can represent what the oracle does, and from the same number of puzzles."""
    table = frames[PROTOCOL]
    sizes = sorted(table.loc[table["variant"].eq(MAIN), "size"].unique())
    few, many = int(sizes[0]), int(sizes[-1])
    at = {
        (model, size): float(_won(table, model, size).mean())
        for model in ("simplicial", "relational")
        for size in (few, many)
    }
    return Sentence(
        "**Both agents can represent what the oracle does, and copy it alike.** After {many:,} "
        "puzzles the 2-simplicial agent wins {ours:.2f} of late puzzles and the relational agent "
        "{theirs:.2f}; the difference is {cloning_tokens_tie.sound:.3f}. After {few:,} puzzles "
        "they win {ours_few:.2f} and {theirs_few:.2f}. In the mean over all four sizes, the share "
        "of the 2-simplicial agent minus that of the relational one is "
        "{cloning_tokens_simplicial_over_relational.sound:.3f}. So with tokens, a lead of one of "
        "them in learning by reward would not come from what it can represent.",
        "cloning_tokens_tie.sound holds",
        "cloning_tokens_simplicial_over_relational.sound undecided",
        at["simplicial", few] < at["simplicial", many],
        at["relational", few] < at["relational", many],
        few=few,
        many=many,
        ours=at["simplicial", many],
        theirs=at["relational", many],
        ours_few=at["simplicial", few],
        theirs_few=at["relational", few],
    )

"""What notebook 16 says of agents that copied the oracle."""

import pandas as pd

from ...findings.sentences import Sentence

PROTOCOL = "sound"
MAIN = "tokens, scoring"
GUESS = 0.55  # of late puzzles; who never asks which box is the bridge wins half


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


def one_maximum(frames) -> Sentence:
    """With one maximum over all entities for a read-out, copying does not get beyond a guess."""
    table = frames[PROTOCOL]
    maximum = table[table["variant"].eq("tokens, maximum")]
    pictures = table[table["variant"].eq("picture, maximum")]
    many = int(maximum["size"].max())
    scores = min(_won(table, model, many).mean() for model in ("simplicial", "relational"))
    return Sentence(
        "**With one maximum over all entities for a read-out, as in the paper, neither agent gets "
        "beyond a guess here.** From {many:,} puzzles as tokens, the same with which scores of "
        "objects give {scores:.2f}, runs win {least:.2f} to {most:.2f} of late puzzles. From "
        "pictures and with the maximum, after {updates:,} updates, they win {worst:.2f} to "
        "{best:.2f}. That is {seeds} seeds of each agent, and no claim. Training was short, and "
        "stopped where the validation loss no longer fell; the paper's agents had billions of "
        "steps. In these runs the read-out makes more of a difference than the attention.",
        bool(maximum["late_greedy"].max() < GUESS),
        bool(pictures["late_greedy"].max() < GUESS),
        bool(scores > 0.9),
        many=many,
        scores=scores,
        least=maximum["late_greedy"].min(),
        most=maximum["late_greedy"].max(),
        updates=int(pictures["updates"].max()),
        worst=pictures["late_greedy"].min(),
        best=pictures["late_greedy"].max(),
        seeds=maximum["trial"].nunique(),
    )


def norms(frames) -> Sentence:
    """Neither the further normalisation nor the place of another makes a difference that shows."""
    return Sentence(
        "**Does normalisation matter, as Remarks 2.3 and 4.1 say?** In copying, five seeds show "
        "no difference. The share of late puzzles won with the layer normalisation of the "
        "2-simplicial output (Remark 2.3), minus that without it, is "
        "{cloning_tokens_norm_of_pairs.sound:.3f}; with normalised entities, minus that with "
        "normalised queries, keys and values (Remark 4.1), it is "
        "{cloning_tokens_order_of_norms.sound:.3f}. Both remarks speak of learning by reward.",
        "cloning_tokens_norm_of_pairs.sound undecided",
        "cloning_tokens_order_of_norms.sound undecided",
    )

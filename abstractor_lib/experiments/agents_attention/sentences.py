"""What notebook 16 says of what agents attend to."""

import pandas as pd

from ...findings.sentences import Sentence

PROTOCOL = "sound"


def _of(frames, model: str, metric: str) -> pd.Series:
    """A metric of the trained agent of the first seed, by draw of puzzles, or of untrained agents,
    by agent."""
    table = frames[PROTOCOL]
    rows = table[table["model"].eq(model)]
    if model == "trained":
        rows = rows[rows["variant"].eq("seed 0")]
    return rows[metric].astype(float)


def stand_out(frames) -> Sentence:
    """The pairs that matter do not stand out in the trained agent."""
    others = _of(frames, "untrained", "pairs_over_uniform")
    return Sentence(
        "**In the trained agent the pairs that matter do not stand out.** At the fork, the two "
        "boxes that the held key opens attend to these pairs "
        "{agents_attention_pairs_over_uniform.sound} times as much as uniform attention would. "
        "Untrained agents have {low:.2f} to {high:.2f}. Beside the pairs of the held key and any "
        "two boxes the ratio is {agents_attention_pairs_over_boxes.sound}. Intervals are over "
        "draws of 1,000 puzzles, of this agent alone.",
        "agents_attention_pairs_over_uniform.sound fails",
        "agents_attention_pairs_over_untrained.sound undecided",
        "agents_attention_pairs_over_boxes.sound fails",
        low=float(others.min()),
        high=float(others.max()),
    )


def alike(frames) -> Sentence:
    """All objects of the trained agent attend to one and the same pair."""
    far, most = (_of(frames, "trained", name) for name in ("objects_unlike", "largest_pair"))
    began, spread = (_of(frames, "untrained", name) for name in ("objects_unlike", "largest_pair"))
    return Sentence(
        "**All objects of the trained agent attend to one and the same pair of virtual entities.** "
        "In the second block one of the four pairs has the weight {most:.2f} for every object, and "
        "an object's attention differs from the mean of all objects by {far:.2f} (total "
        "variation). In untrained agents these numbers are {spread:.2f} and {began:.2f}, the "
        "median of {n} agents. Attention that is the same for every object relates none of them "
        "to a pair of others.",
        bool(most.min() > 0.995 and far.max() < 0.005),
        bool(began.min() > far.max()),
        most=float(most.min()),
        far=float(far.max()),
        spread=float(spread.median()),
        began=float(began.median()),
        n=len(began),
    )


def needed(frames) -> Sentence:
    """The agent wins as much if all pairs weigh the same."""
    greedy, uniform = (_of(frames, "trained", name) for name in ("late_greedy", "late_uniform"))
    return Sentence(
        "**The trained agent wins as many puzzles without it.** It wins {greedy:.3f} of late "
        "puzzles, and {uniform:.3f} if all pairs weigh the same in both blocks. In none of {n} "
        "draws of 1,000 puzzles do the two differ by more than {most:.3f}.",
        "agents_attention_is_needed.sound fails",
        bool((greedy - uniform).abs().max() < 0.005),
        greedy=float(greedy.mean()),
        uniform=float(uniform.mean()),
        most=float((greedy - uniform).abs().max()),
        n=len(greedy),
    )

"""What notebook 16 says of what agents attend to."""

import pandas as pd

from ...findings.sentences import Sentence

PROTOCOL = "sound"
BAR = 1.25  # times uniform attention; the claims' bound


def _of(frames, model: str, metric: str) -> pd.Series:
    """A metric of trained agents, the mean over draws of puzzles, by seed; or of untrained agents,
    by agent."""
    table = frames[PROTOCOL]
    rows = table[table["model"].eq(model)]
    by = "variant" if model == "trained" else "trial"
    return rows[metric].astype(float).groupby(rows[by]).mean()


def stand_out(frames) -> Sentence:
    """The pairs that matter do not stand out in trained agents."""
    ours, others = (_of(frames, name, "pairs_over_uniform") for name in ("trained", "untrained"))
    return Sentence(
        "**In the mean of trained agents the pairs that matter are not shown to stand out.** At "
        "the fork, the two boxes that the held key opens attend to these pairs "
        "{agents_attention_pairs_over_seeds.sound} times as much as uniform attention would: the "
        "mean of {n} agents, which have {least:.2f} to {most:.2f}; {above} of them has more than "
        "1.25, the bar that was set before. The upper end of the interval is close to that bar, "
        "and it rests on {n} agents that differ much. Untrained agents have {low:.2f} to "
        "{high:.2f}. The "
        "agent of the first seed has {agents_attention_pairs_over_uniform.sound}, and relative to "
        "the pairs of the held key and any two boxes {agents_attention_pairs_over_boxes.sound}; "
        "these two intervals are over draws of puzzles. Relative to such pairs the {n} agents have "
        "{boxes_least:.2f} to {boxes_most:.2f}.",
        "agents_attention_pairs_over_seeds.sound fails",
        "agents_attention_pairs_over_uniform.sound fails",
        "agents_attention_pairs_over_untrained.sound undecided",
        "agents_attention_pairs_over_boxes.sound fails",
        n=len(ours),
        boxes_least=float(_of(frames, "trained", "pairs_over_boxes").min()),
        boxes_most=float(_of(frames, "trained", "pairs_over_boxes").max()),
        least=float(ours.min()),
        most=float(ours.max()),
        above=int((ours > BAR).sum()),
        low=float(others.min()),
        high=float(others.max()),
    )


def alike(frames) -> Sentence:
    """All objects of a trained agent attend to one and the same pair."""
    far, most = (_of(frames, "trained", name) for name in ("objects_unlike", "largest_pair"))
    began, spread = (_of(frames, "untrained", name) for name in ("objects_unlike", "largest_pair"))
    return Sentence(
        "**Within each of {n} trained agents, all objects attend to nearly one and the same pair "
        "of virtual entities.** In the second block one of the four pairs has a weight of at least "
        "{most:.2f}, the mean over objects, and an object's attention differs from the mean of "
        "all objects by at most {far:.2f} (total variation). In untrained agents these numbers "
        "are {spread:.2f} and {began:.2f}, the median of {others} agents. So all "
        "objects of a state get nearly the same message.",
        bool(most.min() > 0.98 and far.max() < 0.03),
        bool(began.min() > far.max()),
        len(far) >= 5,
        n=len(far),
        most=float(most.min()),
        far=float(far.max()),
        spread=float(spread.median()),
        began=float(began.median()),
        others=len(began),
    )


def needed(frames) -> Sentence:
    """Trained agents win as much if all pairs weigh the same."""
    greedy, uniform = (_of(frames, "trained", name) for name in ("late_greedy", "late_uniform"))
    return Sentence(
        "**Trained agents win as many puzzles if no pair is preferred.** Over {n} agents, they win "
        "{greedy:.3f} of late puzzles, and {uniform:.3f} if all pairs weigh the same in both "
        "blocks: a difference of {agents_attention_needed_over_seeds.sound:.3f}. In no agent do "
        "the two differ by more than {most:.3f}, the mean over draws of 1,000 puzzles.",
        "agents_attention_needed_over_seeds.sound fails",
        "agents_attention_is_needed.sound fails",
        bool((greedy - uniform).abs().max() < 0.005),
        len(greedy) >= 5,
        n=len(greedy),
        greedy=float(greedy.mean()),
        uniform=float(uniform.mean()),
        most=float((greedy - uniform).abs().max()),
    )


def messages(frames, won: pd.Series) -> Sentence:
    """One agent needs nothing of its 2-simplicial messages that depends on the puzzle.

    Args:
        won: the share of puzzles that it wins, by what takes the place of its messages.
    """
    own, objects, states, nothing = won.tolist()
    return Sentence(
        "**The agent of the first seed needs nothing of its 2-simplicial messages that depends on "
        "the puzzle.** It wins {own:.3f} of {count:,} late puzzles. If every object gets the mean "
        "message of all puzzles in place of its own, in both blocks, it wins {states:.3f}; if it "
        "gets none, {nothing:.3f}. So what this agent has learned about bridges passes through "
        "standard attention. Four other agents were not looked at in this way, since their weights "
        "do not ship.",
        bool(abs(own - states) < 0.01 and abs(own - objects) < 0.01),
        bool(nothing > 0.9),
        own=own,
        states=states,
        nothing=nothing,
        count=won.attrs["puzzles"],
    )

"""What notebook 11 says of the relations that are learned on pairs of cards."""

from collections.abc import Mapping
from math import inf, nan

from ...findings.measures import Frames
from ...findings.sentences import Sentence
from ...tasks.set_game import ATTRIBUTES


def not_learned_as_described(frames: Frames, half: Mapping[str, float]) -> Sentence:
    """Under `described` the sigmoid is saturated, and no relation is learned.

    Args:
        half: what half of the scores before the sigmoid exceed, by protocol.
    """
    known = {"described": inf, "published": nan, "sound": nan} | dict(half)
    return Sentence(
        "**Under `described` the four relations are not learned: their test accuracy is "
        "{same_different_learned.described}.** Always saying no is right for about two thirds of "
        "the pairs. The scores inside the sigmoid are too large. Half of them exceed "
        "{described:,.0f} in absolute value, against {published:.0f} under `published` and "
        "{sound:.0f} under `sound` (first trial of each). There the sigmoid is 0 or 1, and its "
        "gradient vanishes.",
        "same_different_learned.described fails",
        "same_different_learned.published holds",
        "same_different_learned.sound holds",
        known["described"] > 100 * max(known["published"], known["sound"]),
        **known,
    )


def each_knows_its_own(frames: Frames) -> Sentence:
    """Under `published` and `sound` each relation tells its own attribute and no other."""
    tables = [table for name, table in frames.items() if name != "described"]
    own, others = [nan], [nan]
    for table in (some[some["variant"] == "curve"] for some in tables):
        for one in ATTRIBUTES:
            own.append(table[f"{one}_tells_{one}"].mean())
            others += [table[f"{one}_tells_{k}"].mean() for k in ATTRIBUTES if k != one]
    low, high = min(own[1:], default=nan), max(others[1:], default=nan)
    return Sentence(
        "**Under `published` and `sound` each relation tells its own attribute, and no other.** "
        "The area under the curve is {low:.2f} or more for its own attribute, and {high:.2f} or "
        "less for others (means of ten trials).",
        low > 0.95,
        high < 0.7,
        low=low,
        high=high,
    )


def passes_the_bottleneck(frames: Frames) -> Sentence:
    """Relations tell a linear probe whether cards agree, embeddings tell it values."""

    def mean(name: str, worst) -> float:
        some = [t[t["variant"] == "curve"] for p, t in frames.items() if p != "described"]
        return worst((table[name].mean() for table in some), default=nan)

    agree = mean("relations_same_accuracy", min), mean("embedding_same_accuracy", max)
    value = mean("relations_value_accuracy", max), mean("embedding_value_accuracy", min)
    return Sentence(
        "**Under `published` and `sound`, relations tell whether cards agree and hardly what they "
        "show.** From the relations a linear probe tells agreement with an accuracy of {same:.3f} "
        "or more, and values with {shown:.2f} or less. From the embeddings it tells values with "
        "{read:.2f}, and agreement with {guessed:.2f} or less.",
        agree[0] > 0.9 > agree[1],
        value[1] > 0.9 > 0.5 > value[0],
        same=agree[0],
        guessed=agree[1],
        shown=value[0],
        read=value[1],
    )

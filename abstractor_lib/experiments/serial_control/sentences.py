"""What notebook 17 says of heads that are evaluated one at a time."""

import math

import pandas as pd

from ...findings.sentences import Sentence
from .measures import share_at_its_loss
from .results import WORLDS

PROTOCOL = "sound"


NOT_RUN = Sentence("*Not run.*", False)


def _of(frames, model: str, variant: str) -> pd.DataFrame:
    table = frames[PROTOCOL]
    return table[table["model"].eq(model) & table["variant"].eq(variant)]


def _mean(frames, world: tuple[str, str], name: str) -> float:
    return float(_of(frames, *world)[name].mean())


def _to_win(frames, variant: str) -> float:
    """Heads that the best ranking needs beyond the best rule: the most that an order that adapts
    can save."""
    world = ("given", variant)
    return _mean(frames, world, "best_static_heads") - _mean(frames, world, "best_adaptive_heads")


def few_heads(frames) -> Sentence:
    """A controller keeps nearly all accuracy with about the fewest heads that suffice."""
    if PROTOCOL not in frames:
        return NOT_RUN
    exact = ("given", "exact")
    return Sentence(
        "**With exact relations, the controller evaluates {used:.2f} of four heads and loses "
        "{serial_control_exact_lost.sound:.3f} of accuracy. To stop early saves heads; to choose "
        "the next one does not, where heads are alike.** The best rule that there is needs "
        "{best:.2f} to lose 0.01; the controller, which was to lose as much in validation, needs "
        "{serial_control_exact_bound.sound:.3f} times as many (of a rule that loses what the "
        "controller loses in the test, {matched:.3f} times). A "
        "random order that learned when to stop needs {random:.2f}, and the same heads for every "
        "triple {subset:.2f}.",
        "serial_control_exact_bound.sound holds",
        "serial_control_exact_lost.sound holds",
        "serial_control_exact_random.sound holds",
        matched=share_at_its_loss(_of(frames, *exact), "controller").mean(),
        random=_mean(frames, exact, "random_learned_heads"),
        used=_mean(frames, exact, "controller_heads"),
        best=_mean(frames, exact, "best_adaptive_heads"),
        subset=_mean(frames, exact, "subset_heads"),
    )


def when_order_matters(frames) -> Sentence:
    """The choice of the next head pays where a head tells which other one to ask."""
    if PROTOCOL not in frames:
        return NOT_RUN
    cued = ("given", "cued")
    return Sentence(
        "**To choose the next head is shown to pay in one world alone, in which one head tells "
        "which other to ask.** There the static ranking that was trained needs "
        "{serial_control_cued_static.sound:.2f} heads more than the controller, which needs "
        "{used:.2f}; the best ranking that there is needs {most:.2f} more than the best rule. With "
        "equal heads, a random order needs "
        "{serial_control_exact_random.sound:.3f} more heads; the order cannot matter there, by "
        "symmetry. With heads of unequal noise, the ranking's heads minus the controller's are "
        "{serial_control_unequal_static.sound:.2f}, but hardly anything could be won: the best "
        "ranking needs {unequal:.4f} heads more than the best rule. Where the cue misleads "
        "one time "
        "in ten, {mostly:.2f} could be won, and the ranking's heads minus the controller's are "
        "{serial_control_mostly_cued_static.sound:.2f}.",
        "serial_control_cued_static.sound holds",
        "serial_control_exact_random.sound holds",
        "serial_control_unequal_static.sound undecided",
        "serial_control_mostly_cued_static.sound undecided",
        used=_mean(frames, cued, "controller_heads"),
        most=_to_win(frames, "cued"),
        unequal=_to_win(frames, "unequal"),
        mostly=_to_win(frames, "mostly_cued"),
    )


def trained_heads(frames) -> Sentence:
    """Heads of an Abstractor that was trained on all of them at once."""
    if PROTOCOL not in frames:
        return NOT_RUN
    trained = ("trained", "exact")
    return Sentence(
        "**Of the four heads that an Abstractor learned at once, one is enough.** With all heads, "
        "answers are right for {all:.3f} of test triples. To stay within 0.01, the static ranking "
        "needs {serial_control_trained_few.sound:.2f} heads and the controller {used:.2f}.",
        "serial_control_trained_few.sound holds",
        all=_mean(frames, trained, "all_accuracy"),
        used=_mean(frames, trained, "controller_heads"),
    )


def practice(frames) -> Sentence:
    """What a practitioner would do."""
    if PROTOCOL not in frames:
        return NOT_RUN
    worlds = [key for key in WORLDS if len(_of(frames, *key))]
    heads = {
        name: [_mean(frames, key, f"{name}_heads") for key in worlds]
        for name in ("static", "subset")
    }
    both = zip(heads["static"], heads["subset"], strict=True)
    saved = [1 - one / alike for one, alike in both if alike > 0] or [math.nan]
    lost = max(_mean(frames, key, "static_lost") for key in worlds)
    return Sentence(
        "**What a practitioner would do.** Train a reader on random sets of heads, rank the heads "
        "in validation, and stop when the reader is confident. Beside the fewest heads that "
        "suffice for all triples alike, stopping saves {least:.0%} to {most:.0%} of head "
        "evaluations here, least where one head is enough; up to {lost:.3f} of accuracy is lost. "
        "Train a controller for the order only if you expect that one relation tells which other "
        "is worth evaluating.",
        min(saved) > 0,
        least=min(saved),
        most=max(saved),
        lost=lost,
    )

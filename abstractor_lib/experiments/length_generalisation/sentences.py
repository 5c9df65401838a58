"""What the notebook says of sorters that were tested on longer sequences."""

from collections.abc import Callable, Iterable
from functools import wraps

import pandas as pd

from ...findings.sentences import Sentence
from ...findings.statistics import mean_interval
from .grid import ARMS
from .measures import ACCURACY

PROTOCOL = "sound"
SPOKEN = {
    "learned": "learned symbols",
    "learned_randomised": "learned symbols, randomised positions",
    "sinusoidal": "sinusoidal symbols",
    "sinusoidal_randomised": "sinusoidal symbols, randomised positions",
    "relative": "relative symbols",
    "relative_randomised": "relative symbols, randomised positions",
    "transformer": "sinusoidal positions",
    "transformer_randomised": "sinusoidal positions, randomised",
    "transformer_bias": "relative bias",
    "transformer_rotary": "rotary positions",
    "transformer_none": "no positions",
}
ABSTRACTORS, TRANSFORMERS = (
    [name for name, (core, *_) in ARMS.items() if core == wanted]
    for wanted in ("abstractor", "transformer")
)


def _if_run(say: Callable[[pd.DataFrame], Sentence]) -> Callable[..., Sentence]:
    """A sentence of the table of runs; without it, that they are not run."""

    @wraps(say)
    def said(frames) -> Sentence:
        if PROTOCOL not in frames:
            return Sentence("(not run)", False)
        return say(frames[PROTOCOL])

    return said


def _mean(table: pd.DataFrame, model: str, length: int, metric: str = ACCURACY) -> float:
    return float(table.loc[table["model"].eq(model), f"{metric}_{length}"].mean())


def _best(table: pd.DataFrame, models: Iterable[str], length: int) -> str:
    """The arm with the highest mean accuracy at a length."""
    return max(models, key=lambda name: _mean(table, name, length))


@_if_run
def answer(table: pd.DataFrame) -> Sentence:
    """How much of their accuracy Abstractors keep, and with which symbols."""
    shown = {name: f"Abstractor, {SPOKEN[name]}" for name in ABSTRACTORS}
    shown["transformer_none"] = "Transformer, no positions"
    values = {f"{name}_{n}": _mean(table, name, n) for name in shown for n in (10, 14, 20)}
    rows = "".join(
        f"| {label} | {{{name}_10:.2f}} | {{{name}_14:.2f}} | {{{name}_20:.2f}} |\n"
        for name, label in shown.items()
    )
    at_20 = table.loc[table["model"].eq("relative"), f"{ACCURACY}_20"]
    others = ("learned", "sinusoidal")
    return Sentence(
        "**Relative symbols carry an Abstractor to lengths that training has not seen; learned "
        "symbols do not, and sinusoidal ones in part. Randomised positions mend learned and "
        "sinusoidal symbols, and a Transformer without positions keeps its accuracy too.** At "
        "length 14, the "
        "full-sequence accuracy with relative symbols (v3 eq. 7; here sinusoids of the offset) "
        "exceeds that with learned symbols "
        "by {length_relative_over_learned.sound:.2f} and that with sinusoidal ones by "
        "{length_relative_over_sinusoidal.sound:.2f}. At length 20 relative symbols have "
        "{relative_20_interval:.2f}. Trained on 5 to 10 objects:\n\n| model "
        "| 10 objects | 14 | 20 |\n| --- | --- | --- | --- |\n" + rows,
        "length_relative_keeps_half.sound holds",
        "length_relative_over_learned.sound holds",
        "length_relative_over_sinusoidal.sound holds",
        all(values[f"{name}_14"] < values["relative_14"] for name in others),
        all(values[f"{name}_randomised_20"] > 0.9 for name in (*others, "relative")),
        values["transformer_none_20"] > 0.9,
        values["learned_14"] < 0.2 < values["sinusoidal_14"],
        relative_20_interval=mean_interval(at_20, 1, (0, 1)) if len(at_20) > 1 else at_20.mean(),
        **values,
    )


@_if_run
def randomised(table: pd.DataFrame) -> Sentence:
    """What randomised positions change for each kind of symbols at length 14."""
    pairs = [(name, f"{name}_randomised") for name in ("learned", "sinusoidal", "relative")]
    gains = {one: _mean(table, other, 14) - _mean(table, one, 14) for one, other in pairs}
    return Sentence(
        "**With randomised positions, accuracy at length 14 changes by {learned:+.2f} with learned "
        "symbols, by {sinusoidal:+.2f} with sinusoidal ones and by {relative:+.2f} with relative "
        "ones.** Without randomised positions the learned symbols beyond the tenth are never "
        "trained.",
        "length_randomised_helps_learned.sound holds",
        "length_randomised_helps_sinusoidal.sound holds",
        **gains,
    )


@_if_run
def transformers(table: pd.DataFrame) -> Sentence:
    """What Transformers keep, whose states hold the objects themselves."""
    others = [name for name in TRANSFORMERS if name != "transformer"]
    least, fails = min(_mean(table, one, 20) for one in others), _mean(table, "transformer", 20)
    return Sentence(
        "**Of five kinds of Transformer, one fails on 20 objects: that with sinusoidal positions, "
        "{fails:.2f}. The other kinds sort at least {least:.2f} of the sequences in the mean, the "
        "one without positions among them.** States of a "
        "Transformer hold the objects. The rank of an object among all 48 is a property of the "
        "object alone, so a Transformer needs no relations to sort. States of an Abstractor hold "
        "relations and symbols.",
        "length_transformer_keeps_half.sound holds",
        fails < 0.1,
        least > 0.95,
        fails=fails,
        least=least,
    )


@_if_run
def probes(table: pd.DataFrame) -> Sentence:
    """How much of the order is in the states, whatever the decoder makes of it."""
    names = ("learned", "sinusoidal", "relative", "relative_randomised")
    values = {name: _mean(table, name, 20, "probe_pairs") for name in names}
    return Sentence(
        "**A linear read-out of states, fitted on lengths 5 to 10, orders this share of all pairs "
        "of 20 objects rightly: {learned:.2f} with learned symbols, {sinusoidal:.2f} with "
        "sinusoidal ones, {relative:.2f} with relative ones and {relative_randomised:.2f} with "
        "relative ones and randomised positions.** Chance is 0.50, and an untrained "
        "Abstractor with "
        "relative symbols has {untrained:.2f}. Sorted by their main attribute alone, "
        "{attribute:.2f} "
        "of the pairs are in order, and by the best linear function of an object's features "
        "{linear:.2f}: the read-out tells no more than that would. The decoder behind "
        "relative symbols writes "
        "{written:.3f} of the pairs in the right order, and {whole:.2f} of the sequences: few "
        "wrong pairs spoil many sequences, and the read-out finds less than the decoder uses.",
        "length_relations_outlast_decoder.sound holds",
        values["relative"] < _mean(table, "relative", 20, "output_pairs"),
        values["relative"] < _mean(table, "relative", 20, "linear_pairs"),
        attribute=_mean(table, "relative", 20, "attribute_pairs"),
        linear=_mean(table, "relative", 20, "linear_pairs"),
        untrained=_mean(table, "relative", 20, "untrained_pairs"),
        written=_mean(table, "relative", 20, "output_pairs"),
        whole=_mean(table, "relative", 20),
        **values,
    )


@_if_run
def practice(table: pd.DataFrame) -> Sentence:
    """What a practitioner would do, from the records."""
    arms = ("sinusoidal_randomised", "relative_randomised")
    drawn = [min(_mean(table, name, length) for name in arms) for length in (10, 20)]
    others = [f"transformer_{name}" for name in ("bias", "rotary", "none")]
    theirs = min(_mean(table, name, 20) for name in others)
    return Sentence(
        "**What a practitioner would do.** Draw the positions of symbols at random in training "
        "and at test, from a span as long as the longest sequence that may come (longer ones than "
        "the span were not tried). With sinusoidal or relative symbols it costs nothing that we "
        "see at the lengths of the training: the lower of the two mean accuracies at length 10 is "
        "{short:.3f}, and {long:.3f} at length 20. Where positions must be fixed, take relative "
        "symbols. A Transformer with relative bias, with rotary positions or with none sorts as "
        "well here: the lowest of their means at length 20 is {theirs:.3f}. Its states hold the "
        "objects; those of an Abstractor need not, though features can pass through relations "
        "(notebook [18](18_which_abstractor.ipynb)).",
        drawn[0] > 0.99,
        drawn[1] > 0.98,
        theirs > 0.98,
        short=drawn[0],
        long=drawn[1],
        theirs=theirs,
    )


@_if_run
def against(table: pd.DataFrame) -> Sentence:
    """What speaks against it: baselines, one task, one budget."""
    return Sentence(
        "**What speaks against it.** One task, {n} seeds, one budget of {updates:,} updates, one "
        "decoder. Sorting is a task of sets: positions say nothing about the order. A script that "
        "sorts by the best linear function of an object's features, and knows all objects, has "
        "{linear:.2f} at length 10 and {linear_20:.2f} at length 20. An accuracy of whole "
        "sequences falls with length even where each comparison is as good as before.",
        float(table["linear_full_sequence_accuracy_10"].mean()) < 0.5,
        n=table["trial"].nunique(),
        updates=int(table["updates"].max()),
        linear=float(table["linear_full_sequence_accuracy_10"].mean()),
        linear_20=float(table["linear_full_sequence_accuracy_20"].mean()),
    )

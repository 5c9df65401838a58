"""What notebook 17 says of nonlinear measurements. Numbers and verdicts are those of the records.

Each rests on the verdicts that were expected before the runs: where records say otherwise, the
sentence is to be written again.
"""

import numpy as np
import pandas as pd

from ...findings.measures import Frames
from ...findings.sentences import Sentence
from ...findings.sizes import brackets, in_words, median_bracket
from ...theory.activations import linear_part
from .measures import LEVEL, cosines
from .results import PHIS, trained

PROTOCOL, NONZEROS = "described", 4
NOTHING = Sentence("(not run)", False)


def _table(frames: Frames) -> pd.DataFrame:
    """The trials, none if the grid is incomplete."""
    return frames.get(PROTOCOL, pd.DataFrame())


def _bracket(table: pd.DataFrame, model: str, activation: str, **noise: float) -> tuple:
    """Between how many measurements half of the problems are recovered; NaN if it was not run."""
    found = cosines(table, model, activation, **noise)
    if NONZEROS not in found:
        return np.nan, np.nan
    return median_bracket(brackets(LEVEL, found[NONZEROS]))


def _needed(table: pd.DataFrame, model: str, activation: str, **noise: float) -> str:
    """`_bracket` in words."""
    found = _bracket(table, model, activation, **noise)
    return "(not run)" if np.isnan(found[0]) else in_words(*found)


def answer(frames: Frames) -> Sentence:
    """Programs that ignore phi recover u from each, and from signs and relu for more
    measurements."""
    table = _table(frames)
    if table.empty:
        return NOTHING
    linear = _bracket(table, "lasso", "linear")[1]
    return Sentence(
        "**Without noise, relations come back from behind each of three nonlinearities. From "
        "signs and relu that takes more measurements; whether a sigmoid takes more is not "
        "shown.** The lasso, which ignores φ, recovers four nonzero relations of 64 (cosine "
        "{level} or more) from {linear} linear Gaussian measurements, {sigmoid} of a sigmoid, "
        "{relu} of relu and {sign} signs (half of 20 problems). Whether one of the three needs "
        "five times as many as linear ones is undecided: the largest of the three ratios is "
        "{nonlinear_lasso_cost.described} by 95 % intervals that hold for the three at once and "
        "count chance in the drawn problems too.",
        "nonlinear_lasso_cost.described undecided",
        all(_bracket(table, "lasso", name)[0] > linear for name in ("sign", "relu")),
        level=LEVEL,
        **{name: _needed(table, "lasso", name) for name in PHIS},
    )


def theory(frames: Frames) -> Sentence:
    """The losses of least squares agree with theory."""
    if _table(frames).empty:
        return NOTHING
    costs = {name: linear_part(name, 3.0 if name == "sigmoid" else 1.0).cost for name in PHIS}
    return Sentence(
        "**Theory explains what least squares loses.** To a program that ignores φ, what is not "
        "linear in φ is noise. Its variance over that of the signal is {sign:.2f} for sign, "
        "{relu:.2f} for relu and {sigmoid:.2f} for the sigmoid of 3z. Least squares follows the "
        "prediction: the mean cosine minus the predicted one is "
        "{nonlinear_squares_theory.described} where it is farthest off, from 128 measurements on.",
        "nonlinear_squares_theory.described holds",
        costs["sign"] > costs["relu"] > costs["sigmoid"],
        **{name: costs[name] for name in ("sign", "relu", "sigmoid")},
    )


def knowing(frames: Frames) -> Sentence:
    """What it brings to know phi."""
    table = _table(frames)
    if table.empty:
        return NOTHING
    programs = ("censored", "absolute", "lasso")
    known, ignored, lasso = (_bracket(table, name, "relu") for name in programs)
    if np.isnan([known, ignored, lasso]).any():
        return NOTHING
    return Sentence(
        "**Against the paper's program it pays to know that φ is relu, and no gain is resolved for "
        "a sigmoid. Against the lasso no gain is shown for either.** "
        "Half of the problems are recovered from {censored} measurements of relu by least "
        "absolute deviations with one-sided rows. The paper's program, which ignores φ, needs "
        "{relu}. The lasso, which ignores it too and whose penalty is cross-validated, needs "
        "{lasso_relu}. Of a sigmoid, "
        "inverted first, {inverted} are needed; if φ is ignored, the paper's program needs "
        "{sigmoid} and the lasso {lasso_sigmoid}. All this is without noise. In the mean over "
        "all numbers of measurements, the cosine from a program that knows φ minus that of the "
        "paper's program is {nonlinear_knowing_pays.described} for the φ that gains less. So the "
        "claim that knowledge helps with both is undecided. From signs, the linear program for "
        "one-bit measurements needs {one_bit}, logistic regression {logistic}, and the lasso "
        "{lasso}.",
        "nonlinear_knowing_pays.described undecided",
        known[1] <= ignored[0],
        known[1] > lasso[0],
        _needed(table, "inverted", "sigmoid") == _needed(table, "absolute", "sigmoid"),
        censored=_needed(table, "censored", "relu"),
        inverted=_needed(table, "inverted", "sigmoid"),
        relu=_needed(table, "absolute", "relu"),
        sigmoid=_needed(table, "absolute", "sigmoid"),
        lasso_relu=_needed(table, "lasso", "relu"),
        lasso_sigmoid=_needed(table, "lasso", "sigmoid"),
        **{name: _needed(table, name, "sign") for name in ("one_bit", "logistic", "lasso")},
    )


def errors(frames: Frames) -> Sentence:
    """Under wrong entries the loss decides."""
    if _table(frames).empty:
        return NOTHING
    return Sentence(
        "**Where entries are wrong, the loss decides more than φ does.** With a fifth of 256 "
        "entries wrong, the paper's program recovers {nonlinear_gross_recovered.described} of the "
        "problems where it recovers fewest, and its cosine exceeds that of the lasso by "
        "{nonlinear_gross_lasso.described}. Signs cannot be wrong by much: a tenth of them "
        "flipped multiplies the lasso's measurements by {nonlinear_flips_lasso.described}. The "
        "linear program for one-bit measurements has no room for a wrong sign; its cosine is "
        "lower than that of logistic regression by {nonlinear_flips_one_bit.described}.",
        "nonlinear_gross_recovered.described holds",
        "nonlinear_gross_lasso.described holds",
        "nonlinear_flips_lasso.described holds",
        "nonlinear_flips_one_bit.described holds",
    )


def of_trained_model(frames: Frames) -> Sentence:
    """Relations come back from the hidden units of a trained model too, to who knows the sums."""
    table = _table(frames)
    if table.empty or not table["source"].eq("sorting").any():
        return NOTHING
    found = trained(table)["error"].groupby("errors").first()
    uniform = trained(table)["uniform_error"].mean()
    return Sentence(
        "**From one trained Abstractor, relations come back behind its relu as well, if it is "
        "known that they are not negative and what they sum to.** With a fifth of the entries of "
        "the message wrong, least absolute deviations read them back with an error of "
        "{nonlinear_trained_message.described}. From 64 hidden units, of which about a third are "
        "active, with a tenth wrong, the error is {nonlinear_trained_hidden_simplex.described} "
        "with both known, and greater without by "
        "{nonlinear_trained_hidden_simplex_pays.described}. To guess equal relations has an error "
        "of {uniform:.2f}. Errors are medians over the objects of a sequence, so some objects may "
        "fail. Intervals are over test sequences of this one model.",
        "nonlinear_trained_message.described holds",
        "nonlinear_trained_hidden_simplex.described holds",
        "nonlinear_trained_hidden_simplex_pays.described holds",
        bool(np.isfinite(found).all()),
        uniform=uniform,
    )


def practice(frames: Frames) -> Sentence:
    """What a practitioner would do."""
    table = _table(frames)
    if table.empty:
        return NOTHING
    return Sentence(
        "**What a practitioner would do.** Take the "
        "paper's program where single entries may be wrong; if φ is relu, give it "
        "one-sided rows for entries at zero. Otherwise, if φ is not known, the lasso will do. "
        "That it is ahead where noise is dense is not shown: with normal noise of half the size of "
        "the measurements it recovers half of the problems from {lasso} measurements of relu, the "
        "paper's program from {absolute}, and with one-sided rows, which know relu, from "
        "{censored}. If φ is a sigmoid, "
        "no gain from inverting it is resolved here. From signs, "
        "take L1 logistic regression, since signs may be wrong: half of the problems "
        "are recovered from {logistic} signs, and from {flipped} if a tenth is flipped. Say that "
        "relations are not negative and sum to one wherever they do.",
        "nonlinear_knowing_pays.described undecided",
        "nonlinear_gross_lasso.described holds",
        "nonlinear_flips_one_bit.described holds",
        "nonlinear_trained_hidden_simplex_pays.described holds",
        **{
            name: _needed(table, name, "relu", dense=0.5)
            for name in ("lasso", "absolute", "censored")
        },
        logistic=_needed(table, "logistic", "sign"),
        flipped=_needed(table, "logistic", "sign", errors=0.1),
    )

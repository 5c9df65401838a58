"""What notebook 08 says of its records."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...findings.measures import Frames
from ...findings.sentences import Sentence
from ...findings.statistics import Interval
from . import measures, results
from .grid import GOOD, PIVOTAL, Profile

ENDS = ["estimate", "low", "high", "n"]


def answer(frames: Frames, *, amount: Profile) -> Sentence:
    """Recovery, the bound and predictions, in numbers."""
    inside = results.inside(frames["described"], amount)
    losses = results.losses(frames["described"])
    most = -losses[losses.given == "recovered"].estimate.min()
    return Sentence(
        """
- **Where very few relations are nonzero, and the penalty suits, nearly all come back exactly.**
  With at most {k} of {columns} (left of the line 0.50 in the picture, a level of our choice), in
  the hardest setting a share of {sparse_v1_recovers.described} comes back. Whether this is more
  than 0.95 is {sparse_v1_recovers.described:word}.
- **The error grows more slowly with the number k of nonzero relations than in the paper's bound,
  and faster with the number m of symbols and the share ε of errors.** The exponent of k is \
{sparse_v1_rate_k.described} (bound: 1/2), that of log(2m) {sparse_v1_rate_m.described} (1/2), that
  of 1/(1 - ε) {sparse_v1_rate_errors.described} (1). The bound has a constant C without a value, so
  this does not show that it is violated.
- **Ordinary predictors do worse from corrupted states than from the relations.** Gross errors
  change the R² of ridge regression by {sparse_v1_predict_corrupted.described} where they change it
  most (shares up to 0.3). If the relations are
  recovered first, it changes by {sparse_v1_predict_recovered.described} (shares up to 0.2). At 0.3
  recovering first costs up to {most:.2f}, over all settings.
""",
        "sparse_v1_recovers.described undecided",
        "sparse_v1_rate_k.described holds",
        "sparse_v1_rate_m.described fails",
        "sparse_v1_rate_errors.described fails",
        "sparse_v1_predict_corrupted.described fails",
        "sparse_v1_predict_recovered.described holds",
        inside.min() > 0.9,
        most=most,
        k=max(inside.index.get_level_values("size"), default=0),
        columns=amount.columns,
    )


def recovery(frames: Frames, *, amount: Profile) -> Sentence:
    """Where relations come back, and with which of two penalties."""
    table = frames["described"]
    cells, inside = results.phase(table, amount), results.inside(table, amount)
    reach = inside.reset_index().groupby("size").errors.max()
    hardest, share = inside.index[inside.argmin()]
    middle = amount.nonzeros[len(amount.nonzeros) // 2 - 1]
    few, many = (cells.loc[multiple, 0.0, middle] for multiple in (PIVOTAL, GOOD))
    return Sentence(
        "**Where the level is at most 0.5, which is our choice, nearly all relations come back "
        "exactly, if the penalty is small enough.** A level of at most 0.5 means here: {reach}. "
        "Without dense noise and with 0.4 times the pivotal penalty, fewest come back for "
        "k = {hardest} with a share of {share:.2f}: {sparse_v1_recovers.described}. Whether it is "
        "more than 0.95 there is {sparse_v1_recovers.described:word}. The pivotal penalty itself "
        "is too large: with {k} nonzero entries and no errors it recovers {few:.0%} of the "
        "relations, and 0.4 times the pivotal penalty recovers {many:.0%}.",
        "sparse_v1_recovers.described undecided",
        len(inside.xs(share, level="errors")) == 1,  # the claim, by shares of errors, is about it
        few < 0.1 < 0.9 < many,
        reach=", and ".join(
            f"k = {k} with shares of errors up to {most:.2f}" for k, most in reach.items()
        ),
        **{"hardest": hardest, "share": share, "k": middle, "few": few, "many": many},
    )


def penalty(frames: Frames, *, amount: Profile) -> Sentence:
    """Which penalties are best, and what cross-validation chooses."""
    found = results.swept(frames["described"], amount)
    best, k, share = found.best, max(found.quiet["size"]), amount.rate_errors[-1]
    hardest = found.quiet[found.quiet.errors.eq(share) & found.quiet["size"].eq(k)]
    most = hardest.estimate.max()
    return Sentence(
        "**The best penalty is smaller than the pivotal one, and cross-validation comes close to "
        "it.** Under dense noise the best of the penalties tried are {low_best:g} to "
        "{high_best:g} times the pivotal one. Where entries are wrong, five-fold cross-validation "
        "(tried with k = 4) chooses {low:.2f} to {high:.2f} times the pivotal penalty. A penalty "
        "that is too large makes the answer zero. A penalty that is too small makes the answer "
        "follow the wrong entries. Between the two lies a window in which recovery is exact. The "
        "window narrows as the share of errors grows. With k = {k} and a share of {share:g}, no "
        "penalty tried recovers more than {most:.0%} of the relations.",
        best.max() < PIVOTAL,
        best.min() / 2 < found.chosen.min() and found.chosen.max() < 2 * best.max(),
        most < 0.95,
        **{"low_best": best.min(), "high_best": best.max()},
        **{"low": found.chosen.min(), "high": found.chosen.max()},
        **{"k": k, "share": share, "most": most},
    )


def rate(frames: Frames) -> Sentence:
    """The exponents of the error, and those of the bound."""
    return Sentence(
        """
**With 0.4 times the pivotal penalty, the error grows more slowly with k than the bound. It grows
faster with log(2m) and with 1/(1 - ε).** Exponents, with simultaneous 95 % intervals:

| factor | bound | measured | no faster than the bound |
| --- | --- | --- | --- |
| k | 1/2 | {sparse_v1_rate_k.described} | {sparse_v1_rate_k.described:word} |
| log(2m) | 1/2 | {sparse_v1_rate_m.described} | {sparse_v1_rate_m.described:word} |
| 1/(1 - ε) | 1 | {sparse_v1_rate_errors.described} | {sparse_v1_rate_errors.described:word} |
| d | -1/2 | {sparse_v1_rate_d.described} | {sparse_v1_rate_d.described:word} |
""",
        "sparse_v1_rate_k.described holds",
        "sparse_v1_rate_m.described fails",
        "sparse_v1_rate_errors.described fails",
        "sparse_v1_rate_d.described undecided",
    )


def against_penalty(frames: Frames, *, amount: Profile) -> Sentence:
    """What depends on the penalty."""
    some = results.rates(frames["described"], amount)
    counts = [
        results.false_positives(rows).groupby(rows["columns"]).mean()
        for rows in (some.small, some.pivotal)
    ]
    large = measures.joint(some.pivotal)
    m, k, errors = (
        large.get(name, Interval(np.nan, np.nan, np.nan, 0))
        for name in ("log(2m)", "k", "1/(1 - eps)")
    )
    return Sentence(
        "**The penalty.** 0.4 times the pivotal penalty is less than theorems about the lasso ask "
        "for. It lets in entries that should be zero: {few:.0f} a state among {fewest} symbols, "
        "{many:.0f} among {most} (levels up to {small:g}). The pivotal penalty lets in {none:.2f} "
        "at most. With the pivotal penalty the exponent of log(2m) is {m}, an interval around "
        "1/2. But then the exponent of k is {k} and that of 1/(1 - ε) is {errors}. So it depends "
        "on the penalty which exponents exceed the bound. The paper names no penalty.",
        counts[1].max() < 1 < counts[0].iloc[0] < counts[0].iloc[-1],
        m.low < measures.FACTORS["log(2m)"] < m.high,
        k.low > measures.FACTORS["k"],
        errors.low > measures.FACTORS["1/(1 - eps)"],
        **{"few": counts[0].iloc[0], "fewest": counts[0].index[0], "small": amount.small},
        **{"many": counts[0].iloc[-1], "most": counts[0].index[-1], "none": counts[1].max()},
        **{"m": m, "k": k, "errors": errors},
    )


def against_level(frames: Frames, *, amount: Profile) -> Sentence:
    """What depends on the level, on constants and on units."""
    some = results.rates(frames["described"], amount)
    near, bare = measures.joint(some.small), measures.joint(some.inside, "error")
    nothing = Interval(np.nan, np.nan, np.nan, 0)
    errors, m = (near.get(name, nothing) for name in ("1/(1 - eps)", "log(2m)"))
    k = bare.get("k", nothing)
    return Sentence(
        "**The level.** The paper's c may be smaller than 0.5. For levels up to {small:g} the "
        "exponent of 1/(1 - ε) is {errors}, and that of log(2m) is {m}. Both intervals lie above "
        "the exponents of the bound there too.\n\n"
        "**The constants.** The bound has a factor C without a value. Exponents within a range "
        "cannot contradict such a bound. Where the level is at most 0.5, the error of each trial "
        "is at most {most:.1f} times the level times the noise.\n\n"
        "**The units.** If errors were not divided by the noise, the exponent of k would be "
        "{bare}. That would look better than it is: the noise shrinks with k.",
        errors.low > measures.FACTORS["1/(1 - eps)"],
        m.low > measures.FACTORS["log(2m)"],
        k.high < measures.joint(some.inside).get("k", nothing).low,
        **{"small": amount.small, "errors": errors, "m": m, "bare": k},
        most=(some.inside.relative_error / some.inside.scale).max(),
    )


def slopes(frames: Frames, *, amount: Profile) -> Sentence:
    """How the error falls with d alone, at all levels and at small ones."""
    some = results.rates(frames["described"], amount)
    everywhere = some.good[some.good.trial < amount.trials]  # further trials have low levels alone
    steep, mild = (
        measures.slopes(rows).groupby(["columns", "size", "errors"]).slope.mean()
        for rows in (everywhere, some.inside)
    )
    return Sentence(
        "**At high levels the error falls faster with d than the bound.** Keep m, k and ε fixed "
        "and vary d alone: the bound is proportional to the level, so its slope against the level "
        "is 1. Over all levels the measured slope exceeds 1 in {some} of {all} settings, and is "
        "at most {worst:.1f}. With levels up to 0.5 alone it is at most {most:.1f}. The slopes "
        "are means over at least 10 trials. Settings in which eq. 3.17 is not small would "
        "therefore distort a fit over all levels.",
        (steep > 1).mean() > 0.5 and mild.max() < steep.max(),
        **{"some": int((steep > 1).sum()), "all": len(steep)},
        **{"worst": steep.max(), "most": mild.max()},
    )


def predictions(frames: Frames) -> Sentence:
    """What ridge regression loses in the dense setting."""
    return Sentence(
        """
**Ordinary predictors do worse from corrupted states than from the relations. If the relations are
recovered first, hardly anything is lost, up to a share of errors of 0.2.** Changes of R² against
the true relations, with 16 relations and ridge regression; the worst of several shares of errors:

| given | shares | change of R² | as good to 0.02 |
| --- | --- | --- | --- |
| states with gross errors | 0.1, 0.2, 0.3 | {sparse_v1_predict_corrupted.described} | \
{sparse_v1_predict_corrupted.described:word} |
| states with dropout | 0.1, 0.2, 0.3 | {sparse_v1_predict_dropout.described} | \
{sparse_v1_predict_dropout.described:word} |
| clean states | | {sparse_v1_predict_states.described} | \
{sparse_v1_predict_states.described:word} |
| recovered relations | 0.1, 0.2 | {sparse_v1_predict_recovered.described} | \
{sparse_v1_predict_recovered.described:word} |
""",
        "sparse_v1_predict_corrupted.described fails",
        "sparse_v1_predict_dropout.described fails",
        "sparse_v1_predict_states.described holds",
        "sparse_v1_predict_recovered.described holds",
    )


def costs(frames: Frames, *, amount: Profile) -> Sentence:
    """What corrupted states cost over all settings, and what more examples change."""
    losses, gains = (of(frames["described"]) for of in (results.losses, results.gains))
    states, read = (losses[losses.given == given] for given in ("corrupted", "recovered"))
    more = states[states.examples == amount.more_examples]
    low, high = -read[read.errors <= 0.2].estimate.min(), -read.estimate.min()
    remains = Interval(*more.loc[more.estimate.idxmax(), ENDS])
    sure = int((states.high < 0).sum())
    return Sentence(
        "Over both settings, tasks and predictors, corrupted states cost {least:.2f} to "
        "{most:.2f} in R². Of these {count} losses, {sure} have a simultaneous 95 % interval that "
        "excludes zero. Recovering first costs at most {low:.2f} at shares up to 0.2, and at most "
        "{high:.2f} at 0.3.\n\n"
        "**Four times as many examples narrow the gap, and do not close it.** At a share of "
        "errors of {share:g} they add {gain_low:.2f} to {gain_high:.2f} to R². The smallest loss "
        "that remains is {remains}.",
        sure == len(states),
        low < 0.02 < high < states.estimate.abs().max(),
        gains.estimate.min() > 0 > remains.high,
        **{"least": -states.estimate.max(), "most": -states.estimate.min()},
        **{"count": len(states), "sure": sure, "low": low, "high": high},
        **{"gain_low": gains.estimate.min(), "gain_high": gains.estimate.max()},
        **{"share": more.errors.max(), "remains": remains},
    )


def clean_states(frames: Frames) -> Sentence:
    """What clean states cost if there are more symbols than features."""
    losses = results.losses(frames["described"])
    known = losses[losses.given == "states"].set_index(["regime", "predictor"])
    ridge, network = (Interval(*known.loc[("sparse", by), ENDS]) for by in ("linear", "network"))
    return Sentence(
        "**With more symbols than features, ridge regression loses even from clean states.** A "
        "linear property of 100 relations is no linear function of 64 features. In the sparse "
        "setting, clean states change the R² of ridge regression by {ridge}, and that of the "
        "network by {network}.",
        ridge.high < network.low < 0,
        ridge=ridge,
        network=network,
    )


def quantiles(frames: Frames, *, fitted: pd.DataFrame, apart: Mapping[str, float]) -> Sentence:
    """What two solvers of quantile regression say of one data set.

    Args:
        fitted: quantiles down; coefficient and loss by solver, and the interval of the coefficient.
        apart: how far its ends lie above those of the lowest quantile: ``low`` and ``high``.
    """
    body, loss = fitted["body mass"], fitted["loss"]
    ours, theirs = loss.columns
    first, last = body.index[0], body.index[-1]
    return Sentence(
        "**Both solvers give the same coefficients and the same losses.** A larger body mass goes "
        "with more progression at each of the three quantiles. The coefficient at the {last} "
        "quantile is larger than that at the {first} quantile by {more:.0f}, with a bootstrap "
        "interval from {low:.0f} to {high:.0f}: whether the two differ is not resolved.",
        body[ours].equals(body[theirs]) and loss[ours].equals(loss[theirs]),
        bool((body["low"] > 0).all()),
        bool(apart["low"] < 0 < apart["high"]),
        more=body.loc[last, ours] - body.loc[first, ours],
        **{"first": first, "last": last},
        **apart,
    )

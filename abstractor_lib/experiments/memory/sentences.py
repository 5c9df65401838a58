"""What notebook 09 says of its records."""

import pandas as pd

from ...findings.measures import Frames
from ...findings.rules import MARGIN
from ...findings.sentences import Sentence
from ...findings.statistics import difference_interval
from . import results


def answer(frames: Frames) -> Sentence:
    """The identity holds; learning costs accuracy on digits; a memory grows without learning."""
    found = _gains(frames)
    sizes = results.sizes(frames["described"])["digits"]
    clearest = min(sizes, key=lambda n: found["digits", "inner", n].high)  # the claim shows it
    return Sentence(
        "**Answer.** **Reading a memory by a Gaussian kernel and by relational cross-attention is "
        "the same: predictions differ by {memory_v1_kernel_regression.described:.0e}, which is "
        "rounding.** On *digits*, a learned inner product is less accurate than the Gaussian "
        "kernel: with {keys} keys, the accuracy differs by {inner:.3f}. There a larger "
        "memory pays without further learning with the Gaussian kernel: from 200 to 800 keys it "
        "gains {memory_v1_grows_gaussian.described:.3f}. With the text's learned inner product no "
        "gain is seen.",
        "memory_v1_kernel_regression.described holds",
        "memory_v1_learned_inner_digits.described fails",
        "memory_v1_grows_gaussian.described holds",
        "memory_v1_grows_inner.described undecided",
        keys=clearest,
        inner=found["digits", "inner", clearest],
    )


def against(frames: Frames) -> Sentence:
    """On diabetes, and for a growing memory with a learned inner product, nothing is resolved."""
    return Sentence(
        "**What speaks against it.** On *diabetes*, whether the Gaussian kernel or the learned "
        "inner product is better is not resolved, if a difference below 0.01 counts as none. With "
        "a learned inner product no gain from a larger memory is seen: "
        "{memory_v1_grows_inner.described:.3f}. Two small data sets and one way of fitting are no "
        "ground for a general conclusion.",
        "memory_v1_learned_inner_diabetes.described undecided",
        "memory_v1_grows_inner.described undecided",
    )


def learned_digits(frames: Frames) -> Sentence:
    """On digits, the learned inner product is less accurate than the Gaussian kernel."""
    sizes = results.sizes(frames["described"])["digits"]
    found = {key[1:]: one for key, one in _gains(frames).items() if key[0] == "digits"}
    learned = [found[model, n].estimate for model in ("inner", "metric") for n in sizes]
    clearest = min(sizes, key=lambda n: found["inner", n].low)
    return Sentence(
        "**On *digits*, the learned inner product is less accurate than the Gaussian kernel, which "
        "has one parameter; for the learned metric this is undecided†.** On average both are less "
        "accurate at every size, by at least {least:.3f}. With {keys} keys the accuracy of the "
        "learned inner product differs by {inner:.3f}. The learned metric comes close: with "
        "{size} keys it differs by {metric:.3f}.",
        "memory_v1_learned_inner_digits.described fails",
        "memory_v1_learned_metric_digits.described undecided",
        max(learned) < 0,
        clearest == min(sizes),
        least=-max(learned),
        keys=clearest,
        inner=found["inner", clearest],
        size=max(sizes),
        metric=found["metric", max(sizes)],
    )


def _gains(frames: Frames) -> results.Intervals:
    return results.gains(frames["described"])


def learned_diabetes(frames: Frames) -> Sentence:
    """On diabetes, the learned metric is better with most keys."""
    table = frames["described"]
    many = max(results.sizes(table)["diabetes"])
    wide = results.wide(table, "diabetes", many)
    below = wide["inner"] < wide["gaussian"]
    alike = difference_interval(wide["metric"], wide["linear"])
    return Sentence(
        "**On *diabetes*, the learned metric is better with {many} keys: its R² is greater by "
        "{memory_v1_learned_metric_diabetes.described:.3f}.** For the learned inner product the "
        "question is not resolved: {memory_v1_learned_inner_diabetes.described:.3f}. It falls "
        "below the Gaussian kernel on {worse} of {count} splits. The learned metric and a linear "
        "model are alike: their difference is {alike:.3f}.",
        "memory_v1_learned_metric_diabetes.described holds",
        "memory_v1_learned_inner_diabetes.described undecided",
        alike.low < 0 < alike.high,
        many=many,
        worse=below.sum(),
        count=len(below),
        alike=alike,
    )


def grows_digits(frames: Frames) -> Sentence:
    """On digits, distances gain from more keys, and the learned inner product does not."""
    return Sentence(
        "**On *digits*, the Gaussian kernel and the learned metric gain from more keys. For the "
        "learned inner product, no gain is seen.** From 200 to 800 keys, accuracy changes by "
        "{memory_v1_grows_gaussian.described:.3f} with the Gaussian kernel, by "
        "{memory_v1_grows_metric.described:.3f} with the learned metric, and by "
        "{memory_v1_grows_inner.described:.3f} with the learned inner product.",
        "memory_v1_grows_gaussian.described holds",
        "memory_v1_grows_metric.described holds",
        "memory_v1_grows_inner.described undecided",
    )


def grows_diabetes(frames: Frames) -> Sentence:
    """On diabetes, no gain from more keys is resolved."""
    table = frames["described"]
    few, many = results.few(table), max(results.sizes(table)["diabetes"])
    found = results.since(table)
    gained = {model: found["diabetes", model, many] for model in results.RELATIONS}
    return Sentence(
        "**On *diabetes*, no gain from more keys is resolved, if a difference below {margin:g} "
        "counts as none.** From {few} to {many} keys, R² changes by {gaussian:.3f} with the "
        "Gaussian kernel, by {metric:.3f} with the learned metric, and by {inner:.3f} with the "
        "learned inner product.",
        *(one.low < MARGIN < one.high for one in gained.values()),
        margin=MARGIN,
        few=few,
        many=many,
        **gained,
    )


def features(frames: Frames, *, weights: pd.Series) -> Sentence:
    """Which features the learned metric of one split weighs most, and least.

    Args:
        weights: of each feature, by name.
    """
    ranked = weights.sort_values(ascending=False, kind="stable")
    return Sentence(
        "**The metric of this split weighs `s5` and `bmi` most ({s5:.2f} and {bmi:.2f}), and `s2` "
        "least ({s2:.2f}).** One split; how the weights vary between splits was not measured.",
        list(ranked.index[:2]) == ["s5", "bmi"],
        ranked.index[-1] == "s2",
        **weights,
    )

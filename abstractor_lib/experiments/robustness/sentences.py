"""What notebook 04 says of its records."""

import numpy as np
import pandas as pd

from ...findings import claims
from ...findings.measures import Frames
from ...findings.published import published
from ...findings.sentences import Sentence
from ...findings.tally import tally
from . import measures
from .settings import ARCHITECTURES

CORRUPTIONS = ("v3_additive", "near_identity", "elementwise")  # that leave something to sort
PAPER = {"additive": "fig_v3_08a", "linear": "fig_v3_08b"}
ALIKE = 0.1  # distance below which curves count as alike


def _rows(frames: Frames, protocol: str = "sound") -> pd.DataFrame:
    return measures.by_level(frames.get(protocol))


def _areas(frames: Frames) -> pd.DataFrame:
    """Areas under `sound`, by corruption and trial, a column each architecture."""
    found = measures.areas(_rows(frames))
    wide = found.pivot(index=["variant", "trial"], columns="model", values="area")
    return wide.reindex(columns=list(ARCHITECTURES))


def _nearer(frames: Frames, corruption: str) -> str:
    """Which of the other two comes nearer to the Abstractor, of models that sort clean objects."""
    kind = corruption.removeprefix("v3_")
    found = measures.areas(_rows(frames))
    sorters = found[(found["variant"] == kind) & (found["clean_accuracy"] >= measures.CLEAN)]
    means = sorters.groupby("model")["area"].mean().reindex(["transformer", "ablation"]).dropna()
    return means.idxmax().title() if len(means) else "(neither)"


def _judged(frames: Frames, name: str, protocol: str) -> claims.Judged:
    """A claim on areas, also under a protocol of which it is no claim."""
    (claim,) = (one for one in claims.read() if one.id == name)
    return claims.judge(claim, protocol, frames, measures.more_robust)


def _ablations(frames: Frames) -> pd.Series:
    """The clean accuracy of each trained Ablation under `sound`."""
    rows = _rows(frames)
    once = rows[(rows["variant"] == "additive") & (rows["model"] == "ablation")]
    return once.groupby("trial")["clean_accuracy"].first()


def answer(frames: Frames) -> Sentence:
    """The Abstractor is more robust to additive noise; under the random linear map none sorts."""
    rows = _rows(frames)
    linear = rows[rows["variant"] == "linear"].groupby(["model", "level"])[measures.METRIC].mean()
    nearer = _nearer(frames, "v3_additive")
    return Sentence(
        "**Answer.** **Of models that sort clean objects, the Abstractor is more robust to "
        "additive noise than the Transformer and the Ablation.** Its area under the accuracy "
        "curve, over levels of noise from 0 on, is larger by "
        "{robustness_v3_additive_learned.sound} (`sound`). This is the difference to the nearer of "
        "the two, the {nearer}. The Simple Abstractor, which has no encoder, is behind the "
        "Transformer.\n\n"
        "**Under the random linear map of the text, no model sorts, at any level.** The highest "
        "mean accuracy of an architecture is {most:.4f} (`sound`). So this map does not give the "
        "paper's Figure 8b, whose curves start with near-perfect sorting.",
        "robustness_v3_additive_learned.sound holds",
        "robustness_v3_linear_curves.sound fails",
        "robustness_simple_below_transformer.sound holds",
        nearer == "Transformer",
        linear.max() < 0.01,
        nearer=nearer,
        most=linear.max(),
    )


def against(frames: Frames) -> Sentence:
    """What speaks against it: models are left out, and the earlier claim is undecided."""
    clean = _ablations(frames)
    failed = int((clean < measures.CLEAN).sum())
    return Sentence(
        "**What speaks against it.** The claim on additive noise was made, and the number of "
        "trials chosen, after looking (†). The claim leaves out models that do not sort clean "
        "objects: under `sound`, {failed} of {all} Ablations. The claim that was fixed before the "
        "runs leaves out no model, and is {robustness_v3_additive.sound:word} (trials were added "
        "since). Under `published` "
        "the later claim {robustness_v3_additive_learned.published:word}, too, by "
        "{robustness_v3_additive_learned.published}, and the earlier one is "
        "{robustness_v3_additive.published:word}. One sorting task and one training set size were "
        "tried. Models train until they sort, so some train longer; whether robustness follows the "
        "length of training is not known.",
        "robustness_v3_additive.sound undecided",
        "robustness_v3_additive.published undecided",
        "robustness_v3_additive_learned.published holds",
        failed > 0,
        failed=failed,
        all=len(clean),
    )


def all_sort_clean_objects(frames: Frames) -> Sentence:
    """v1's statement that all models are able to learn the task."""
    counts = {name: measures.counts(_rows(frames, name), "ablation") for name in frames}
    transformers = measures.counts(_rows(frames, "published"), "transformer")
    return Sentence(
        "**v1 states that all models are able to learn the task: this "
        "{robustness_v1_large_enough.described:word} under `described` and is "
        "{robustness_v1_large_enough.sound:word} under `sound`.** The lowest of the three mean "
        "accuracies is {robustness_v1_large_enough.described} under `described` and "
        "{robustness_v1_large_enough.sound} under `sound`. The accuracy of a sorter is mostly near "
        "zero or near one, so the counts below say more. Under `sound`, {sound} Ablations reach "
        "0.95. Under `described`, {described} do. Under `published`, {published} Ablations and "
        "{transformers} Transformers do.",
        "robustness_v1_large_enough.described fails",
        "robustness_v1_large_enough.sound undecided",
        sound=counts.get("sound", "(not run)"),
        described=counts.get("described", "(not run)"),
        published=counts.get("published", "(not run)"),
        transformers=transformers,
    )


def trained_otherwise(frames: Frames, *, theirs: pd.Series) -> Sentence:
    """Ablations of notebook 02, trained for fewer updates in larger batches, learn where these do
    not.

    Args:
        theirs: trial -> full-sequence accuracy of the Ablations of notebook 02 under `sound`, on as
            many sequences.
    """
    clean = _ablations(frames)
    both = clean.index.intersection(theirs.index)
    here, there = (tally(one.reindex(both), measures.CLEAN) for one in (clean, theirs))
    return Sentence(
        "**Longer training did not make better Ablations.** Notebook 02 trains Ablations of {n} of "
        "these trials under `sound`, too: for 1,500 updates in batches of 512. All of them learn: "
        "they sort {there:range} of the clean sequences. Those of the same trials here, with up to "
        "6,000 updates in batches of 128, sort {here:range}. The two differ in batch size, number "
        "of updates and when training stops; which of these matters we did not test. It matters "
        "here: Ablations that do not sort leave the claim on all models undecided.",
        "robustness_v3_additive.sound undecided",
        here.least < 0.5 < 0.9 < there.least,
        n=len(both),
        here=here,
        there=there,
    )


def verdicts_by_corruption(frames: Frames) -> Sentence:
    """Whether the Abstractor's area is larger, by corruption, before and after looking."""
    clean = _ablations(frames)
    return Sentence(
        "**Is the Abstractor's area larger than the Transformer's and than the Ablation's, under "
        "`sound`?** The paper states the first two rows. The last two are controls of ours.\n\n"
        "| corruption | all models (fixed before the runs) | only models that sort clean objects "
        "(made later) | by |\n| --- | --- | --- | --- |\n"
        "| additive noise | {robustness_v3_additive.sound:word} | "
        "{robustness_v3_additive_learned.sound:word} | {robustness_v3_additive_learned.sound} |\n"
        "| random linear map | {robustness_v3_linear.sound:word} | "
        "{robustness_v3_linear_learned.sound:word}: no model sorts | |\n"
        "| map near the identity | {robustness_near_identity.sound:word} | "
        "{robustness_near_identity_learned.sound:word} | "
        "{robustness_near_identity_learned.sound} |\n"
        "| random factors | {robustness_elementwise.sound:word} | "
        "{robustness_elementwise_learned.sound:word} | {robustness_elementwise_learned.sound} |\n\n"
        "The claims of the second column are undecided because some Ablations do not sort clean "
        "objects, {failed} of the {all} under additive noise. The last column is the difference to "
        "the nearer of the two, the Transformer in each row. All models, additive noise, under the "
        "other protocols: "
        "{robustness_v3_additive.described:word} under `described`, where too few models sort; "
        "{robustness_v3_additive.published:word} under `published`.",
        *(f"robustness_{one}.sound undecided" for one in (*CORRUPTIONS, "v3_linear")),
        *(f"robustness_{one}_learned.sound holds" for one in CORRUPTIONS),
        all(_nearer(frames, one) == "Transformer" for one in CORRUPTIONS),
        failed=int((clean < measures.CLEAN).sum()),
        all=len(clean),
    )


def other_models(frames: Frames) -> Sentence:
    """Symbolic and the Simple Abstractor, which also compute with relations."""
    found = _areas(frames).dropna()  # trials of all five architectures
    means = found[found.index.get_level_values("variant") == "additive"].mean()
    less = (found["simple"] < found["transformer"]).groupby("variant").sum()
    kinds = ("additive", "near_identity", "elementwise")
    return Sentence(
        "**The Simple Abstractor lies below the Abstractor and the Transformer** (`sound`). In the "
        "five trials that all five architectures have (the figure has more of some), mean areas "
        "under additive noise are {abstractor:.2f} (Abstractor), {symbolic:.2f} (Symbolic), "
        "{transformer:.2f} (Transformer) and {simple:.2f} (Simple Abstractor). The Simple "
        "Abstractor has a smaller area than the Transformer in each of five trials under additive "
        "noise, under a map near the identity, and under random factors. Of trained models that "
        "sort clean objects, the Transformer leads under additive noise by "
        "{robustness_simple_below_transformer.sound}. Symbolic lies between the two in these "
        "means; there is no claim on it.",
        "robustness_simple_below_transformer.sound holds",
        means["abstractor"] > means["symbolic"] > means["transformer"] > means["simple"],
        all(less.get(kind, 0) == 5 for kind in kinds),
        **means[["abstractor", "symbolic", "transformer", "simple"]],
    )


def which_corruption(frames: Frames) -> Sentence:
    """Which corruption the published curves look like is open."""
    rows = _rows(frames)
    zero = measures.distances(rows, PAPER["linear"], ["linear"])
    zero = zero["linear"].mean() if "linear" in zero else np.nan
    some = rows[(rows["variant"] == "additive") & rows["model"].isin(measures.PAPER)]
    sorts = some.groupby("trial").agg({"model": "nunique", "clean_accuracy": "min"})
    sorts = (sorts["model"] == 3) & (sorts["clean_accuracy"] >= measures.CLEAN)
    return Sentence(
        "**The random linear map of the text does not give Figure 8b; which corruption did is "
        "open** (`sound`).\n\n| question | verdict | estimate |\n| --- | --- | --- |\n"
        "| Does additive noise give Figure 8a? (distance below 0.1; {trials} trials in which all "
        "three models sort) | "
        "{robustness_v3_additive_curves.sound:word} | {robustness_v3_additive_curves.sound} |\n"
        "| Does the random linear map give Figure 8b? (distance below 0.1) | "
        "{robustness_v3_linear_curves.sound:word} | {zero:.3f} |\n"
        "| Is additive noise the nearest of the four to Figure 8b? (by how much the next one is "
        "farther) | "
        "{robustness_nearest_to_8b.sound:word} | {robustness_nearest_to_8b.sound:.3f} |",
        "robustness_v3_additive_curves.sound undecided",
        "robustness_v3_linear_curves.sound fails",
        "robustness_nearest_to_8b.sound undecided",
        trials=int(sorts.sum()),
        zero=zero,
    )


def how_far_alike_curves_are(frames: Frames) -> Sentence:
    """The limit below which curves count as alike is narrow."""
    own = measures.apart(_rows(frames), "additive", clean=measures.CLEAN)
    papers = measures.published_apart(*PAPER.values())
    wider = int((own > papers).sum())
    return Sentence(
        "**The limit of 0.1, fixed before the runs, is narrow.** Two trials of ours in which all "
        "three models sort, under the same additive noise, are {least:.2f} to {most:.2f} apart. "
        "The paper's own Figures 8a and 8b are only {papers:.2f} apart: each of {wider} pairs of "
        "our trials is further apart than that.",
        own.max() > ALIKE,
        0 < len(own) == wider,
        least=own.min(),
        most=own.max(),
        papers=papers,
        wider=wider,
    )


def published_end(frames: Frames) -> Sentence:
    """The published data of Figure 8b end before ours do."""
    end = published(PAPER["linear"], "Transformer")["x"].max()
    return Sentence(
        "The published data of Figure 8b end near sigma = {end:.2f}; ours go to {ours:.0f}.",
        end < _rows(frames)["level"].max(),
        end=end,
        ours=_rows(frames)["level"].max(),
    )


def inner_products(frames: Frames) -> Sentence:
    """A random linear map keeps inner products in many dimensions, not in the few of the task."""
    return Sentence(
        "**A random linear map keeps inner products in 768 dimensions, but not in the 12 of the "
        "task** (`described`). Up to a common factor, it changes them by "
        "{robustness_v1_high_dimension.described:.3f} of the product of the two lengths with 768 "
        "features, and by {robustness_v1_twelve_dimensions.described:.3f} with 12 (root mean "
        "square). v1 explains the robustness by what is true in high dimensions.",
        "robustness_v1_high_dimension.described holds",
        "robustness_v1_twelve_dimensions.described fails",
    )


def drift_ranks_loss(frames: Frames) -> Sentence:
    """Drift of inner products ranks the loss of accuracy; learned ones, and the objects' own."""
    rows = _rows(frames)
    some = rows[(rows["variant"] == "linear") & (rows["level"] > 0)]
    mean = some.groupby(["model", "level"])["teacher_forcing_accuracy"].mean()
    flat = (mean.groupby("model").max() - mean.groupby("model").min()).max()
    stated = frames.get("described", pd.DataFrame(columns=["model", "clean_accuracy"]))
    baselines = stated["model"].isin(["transformer", "ablation"])
    clean = stated.loc[baselines, "clean_accuracy"].dropna()
    return Sentence(
        "**Under `sound` it is undecided whether the drift of inner products ranks the loss of "
        "accuracy.** Is the rank correlation above 0.9 for each architecture? In parentheses "
        "stands that of the architecture that speaks most against it. Under `described` no "
        "Transformer and no Ablation sorts clean objects. So the *yes* there also rests on the "
        "losses of models that had little to lose.\n\n"
        "| inner products | `described` | `sound` |\n| --- | --- | --- |\n"
        "| learned | {robustness_drift_predicts.described:word} "
        "({robustness_drift_predicts.described}) | {robustness_drift_predicts.sound:word} "
        "({robustness_drift_predicts.sound}) |\n"
        "| the objects' own | {robustness_objects_drift_predicts.described:word} "
        "({robustness_objects_drift_predicts.described}) | "
        "{robustness_objects_drift_predicts.sound:word} "
        "({robustness_objects_drift_predicts.sound}) |\n\n"
        "Whether the difference between the two rows is more than chance was not tested. A "
        "correlation does not say what causes what: under three of the four corruptions, drift and "
        "loss both grow with the level. Under the random linear map the mean teacher-forced "
        "accuracy of an architecture changes by at most {flat:.2f} between levels above zero "
        "(`sound`).",
        "robustness_drift_predicts.described holds",
        not len(clean) or bool(clean.max() < measures.CLEAN),
        "robustness_drift_predicts.sound undecided",
        "robustness_objects_drift_predicts.described fails",
        "robustness_objects_drift_predicts.sound fails",
        flat < 0.1,
        flat=flat,
    )


def ablations_start_lower(frames: Frames) -> Sentence:
    """The Ablations that do not sort clean objects start lower at a drift of zero."""
    rows = _rows(frames)
    start = rows[(rows["variant"] == "additive") & (rows["level"] == 0)]
    start = start[start["clean_accuracy"] < measures.CLEAN]
    return Sentence(
        "Of the {all} Ablations, those that do not sort clean objects start, at a drift of zero, "
        "at a teacher-forced accuracy of {starts}.",
        set(start["model"]) == {"ablation"},
        all=len(_ablations(frames)),
        starts=" and ".join(f"{one:.2f}" for one in sorted(start["teacher_forcing_accuracy"])),
    )

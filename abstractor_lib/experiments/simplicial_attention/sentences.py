"""What notebook 14 says of its records."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...findings.measures import Frames
from ...findings.sentences import Sentence
from . import measures

CLAIM = "simplicial_{}.described holds"
LEMMAS = ("closed_form", "example_c2", "magnitude", "lemma_c4", "example_c5", "greatest")
LEMMAS += ("dependent", "orthogonal", "symmetries", "single_precision")


def logits(frames: Frames, maps: Mapping[int, np.ndarray]) -> Sentence:
    """What the triple product rewards, as a logit of queries for two keys.

    Args:
        maps: degrees between two unit keys -> the products with unit queries in all directions.
    """
    least = {angle: values.min() for angle, values in maps.items()}
    apart = [abs(least[angle] - abs(np.cos(np.radians(angle)))) for angle in maps]
    rows = " | ".join(f"{angle}°" for angle in maps)
    numbers = " | ".join(f"{value:.2f}" for value in least.values())
    return Sentence(
        "**The logit is greatest for queries in the plane of the two keys. If the keys are nearly "
        "parallel, it is nearly greatest for every query.** The smallest logit on the sphere is "
        "the absolute dot product of the keys, reached at the poles:\n\n"
        f"| angle between the keys | {rows} |\n|{' --- |' * (1 + len(maps))}\n"
        f"| smallest logit | {numbers} |\n\n"
        "So among keys of equal length, no pair has a greater logit than a parallel pair, whatever "
        "the query is.",
        bool(max(apart) < 0.01),
        bool(min(values.max() for values in maps.values()) > 0.99),
    )


def cost(frames: Frames) -> Sentence:
    """How counted operations grow."""
    table = frames["described"]
    slopes = {
        name: measures.exponent(rows, "virtual" if name == "virtual" else "entities")
        for name, rows in measures.growth(table).items()
    }
    own = table[table["model"].eq("cost") & table["entities"].eq(40)].iloc[0]
    share = own["pair_values"] / own["operations"]
    grows = {
        "all pairs": "all N entities | N",
        "entities": "M virtual entities | N",
        "virtual": "M virtual entities | M",
        "root": "virtual entities, as many as the root of N | N",
    }
    body = "\n".join(
        f"| {what} | {slopes[name]:.2f} | {measures.TOWARDS[name]:g} |"
        for name, what in grows.items()
    )
    return Sentence(
        "**The operations grow as the paper says.** With virtual entities the exponent in N falls "
        f"from {slopes['all pairs']:.2f} to {slopes['entities']:.2f}:\n\n"
        "| pairs are those of | what grows | exponent, counted | in the paper |\n"
        f"| --- | --- | --- | --- |\n{body}\n\n"
        "Each exponent is the slope between the two largest sizes counted. At the size of the "
        "paper's agent (40 entities, and pairs of 2 virtual ones) the growing term is not the "
        "largest: the values of the pairs, which do not depend on N, are {share:.0%} of the "
        "operations.",
        CLAIM.format("cost_virtual"),
        CLAIM.format("cost_all_pairs"),
        bool(share > 0.5),
        share=share,
    )


def start(frames: Frames) -> Sentence:
    """Attention to pairs before training."""
    table = frames["described"]
    table = table[table["model"].eq("start")]
    four, every = table[table["virtual"].eq(2)], table[table["virtual"].eq(0)]
    scaled = four[four["variant"].eq("unsigned") & four["scale"].ne(1)]["top_2"].mean()
    return Sentence(
        "**Attention to pairs starts almost one-hot: the mean greatest weight among four pairs is "
        "{simplicial_start_one_hot.described}, in the second iteration.** Equal weights would be "
        "0.25. Divided by the root of 48, as later papers do, the same logits give {scaled:.2f}. "
        "Over all {pairs:,} pairs of 40 entities, without a scale, the mean greatest weight is "
        "{every:.2f}; equal weights would be {equal:.4f}. Weights that start so far from equal "
        "pass on small gradients. Whether training suffers is not tested here.",
        CLAIM.format("start_one_hot"),
        bool(scaled < 0.75),
        scaled=scaled,
        pairs=round(1 / every["uniform"].iloc[0]),
        every=every["top_2"].mean(),
        equal=every["uniform"].iloc[0],
    )


def volumes(frames: Frames) -> Sentence:
    """Areas and volumes of random unit vectors."""
    return Sentence(
        "**Both formulas hold for random unit vectors in 3 to 6 dimensions.** The largest "
        "difference is {area:.0e} for areas and {volume:.0e} for volumes, which is rounding. This "
        "is a check of the code: the formulas are known to be true.",
        CLAIM.format("area"),
        CLAIM.format("volume"),
        **frames["described"][["area", "volume"]].max(),
    )


def lemmas(frames: Frames) -> Sentence:
    """The lemmas in the library's algebra."""
    table = frames["described"]
    algebra = table[table["model"].eq("algebra")]
    return Sentence(
        "**All lemmas hold in the library's algebra, up to rounding.** The closed form (eq. 8) "
        "differs from the algebra by at most {closed_form:.0e} of the product of the norms, in "
        "{trials} trials in each of {dims} dimensions. **The subtraction in eq. 8 costs little "
        "precision:** with 32-bit numbers the largest relative error is {single_precision:.1e}.",
        *(CLAIM.format(name) for name in LEMMAS),
        trials=algebra["trial"].nunique(),
        dims=algebra["size"].nunique(),
        **algebra[["closed_form", "single_precision"]].max(),
    )


def random_vectors(frames: Frames) -> Sentence:
    """The triple product of independent directions, by dimension."""
    table = frames["described"]
    share = table[table["model"].eq("triples")].groupby("size")[["low", "median"]].mean()
    few, many = share.index[1], share.index[-1]
    return Sentence(
        "**Unrelated vectors have small logits in many dimensions.** The median share of the "
        "greatest value is {first:.2f} in {few} dimensions and {last:.2f} in {many}. In two "
        "dimensions it is always {two:.0f}. The mean of the squared share is the expected one in "
        "all dimensions tried (check of the code).",
        CLAIM.format("random_triples"),
        bool(share["median"].is_monotonic_decreasing),
        few=few,
        many=many,
        first=share.loc[few, "median"],
        last=share.loc[many, "median"],
        two=share["low"].iloc[0],
    )


def relatives(frames: Frames) -> Sentence:
    """Read head, controller and Hopfield update by layers of the library."""
    table = frames["described"]
    rows = table[table["model"].eq("relatives")]
    return Sentence(
        "**All three agree up to rounding** (largest differences, as shares of the largest result; "
        "{trials} trials in each of {dims} dimensions). This is a check of the code.",
        *(CLAIM.format(name) for name in ("read_head", "controller", "hopfield")),
        trials=rows["trial"].nunique(),
        dims=rows["size"].nunique(),
    )


def patterns(frames: Frames, right: pd.DataFrame, of: int) -> Sentence:
    """What updates of the Hopfield network do to noisy patterns.

    Args:
        right: coordinates with the sign of their pattern: a row a draw, a column an update.
        of: how many coordinates there are.
    """
    mean, fell = right.mean(), int((right[3] < right[0]).sum())
    return Sentence(
        "**Updates clean the patterns, in most draws.** Of {of} coordinates, {start:.0f} have the "
        "sign of their node's pattern at the start, {one:.0f} after one update and {three:.0f} "
        "after three (means of {draws} draws). In {fell} draws there are fewer after three updates "
        "than at the start: one pattern spreads to nodes of the other.",
        bool(mean[1] > mean[0]),
        fell < len(right) / 2,
        of=of,
        start=mean[0],
        one=mean[1],
        three=mean[3],
        draws=len(right),
        fell=fell,
    )

"""What notebook 10 says of SET classification from embeddings of the cards.

A sentence whose numbers are from several protocols says "(not run)" as long as the grid of one of
them is incomplete.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from math import nan

import numpy as np
import pandas as pd

from ...findings.measures import Frames, NotRun, ordering
from ...findings.rules import CONVERGED, MARGIN, settled
from ...findings.sentences import Sentence
from ...findings.statistics import Interval, difference_interval, mean_interval
from ...findings.within_trials import gap
from ...records.frame import unfold
from ...tasks.set_game import ATTRIBUTES
from ...tasks.set_triples import leakage as expected_leakage
from .data import OTHERS
from .settings import PROTOCOLS

BOTH = "published", "sound"  # protocols of the further models
NEAR, CLOSE = 0.03, 0.005  # how far measured shares may be from calculated ones


def _of_all(sentence: Callable[..., Sentence]) -> Callable[..., Sentence]:
    """A sentence that is said once the grids of all protocols are complete."""

    @wraps(sentence)
    def said(frames: Frames, **computed) -> Sentence:
        if set(PROTOCOLS) <= set(frames):
            return sentence(frames, **computed)
        return Sentence("(not run)", False)

    return said


def _sizes(frames: Frames, model: str, protocol: str = "sound", variant: str = "curve") -> list:
    """The training set sizes of a model, the smallest first."""
    table = frames[protocol]
    rows = table[(table["model"] == model) & (table["variant"] == variant)]
    return sorted(rows["size"].unique().tolist())


def _ends(frames: Frames, *which: str, **more: str) -> tuple[int, int]:
    """The smallest and the largest of them."""
    sizes = _sizes(frames, *which, **more)
    return sizes[0], sizes[-1]


def _curve(frames: Frames, protocol: str, model: str, size: int | None = None) -> pd.DataFrame:
    """The trials of a model's learning curve, of all sizes or of one."""
    table = frames[protocol]
    rows = table[(table["model"] == model) & (table["variant"] == "curve")]
    return rows if size is None else rows[rows["size"] == size]


def _leads(
    frames: Frames, protocol: str, models: tuple[str, str], sizes=None, one_draw: bool = False
) -> list[Interval]:
    """By how much the first model is ahead of the second, at each size; the intervals hold at
    once."""
    settings = {"models": list(models), "sizes": sizes, "one_draw": one_draw}
    return [one.interval for one in ordering(frames, protocol, **settings).points]


def _converged(frames: Frames, model: str, sizes: list[int]) -> float:
    """The least share of a model's trials that converged at some sizes, under ``sound``."""
    rows = _curve(frames, "sound", model)
    return settled(rows[rows["size"].isin(sizes)])


def _mean(values) -> Interval:
    return mean_interval(values, 1, (0, 1))


def _table(head: str, *rows: str) -> str:
    """Markdown of a table, from its lines of cells."""
    lines = [head, " | ".join(["---"] * (head.count(" | ") + 1)), *rows]
    return "\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"


@_of_all
def answer(frames: Frames) -> Sentence:
    """The Abstractor learns SET; CoRelNet lacks a hidden layer first, and several relations help
    with many triples."""
    few, many = _ends(frames, "abstractor_one_wide")
    deep = _leads(frames, "sound", ("corelnet_multihead_deep", "corelnet_deep"), [few, many])
    at_few, at_many = _four_over_one(frames, [few, many])
    return Sentence(
        "**Answer.** **Trained on {n:,} triples, the Abstractor classifies {set_v3_solves.sound} "
        "of the test triples correctly, none of whose SETs it was trained on** (`sound`; v3's logs "
        "have {set_v3_solves.sound:paper}). So it does more than remember SETs. Under `described` "
        "and `published` it is ahead of v3's baseline CoRelNet, with softmax and without, at each "
        "of six training set sizes. **What CoRelNet without softmax lacks first is a hidden "
        "layer in its head:** no linear map of relations of two cards solves SET. The hidden layer "
        "alone raises its accuracy by {set_head_matters.published} (`published`, one draw). v3 "
        "attributes the lead to several relations. With {many:,} triples these help too (`sound`): "
        "four in place of one change the Abstractor's accuracy by {at_many:.3f} (thirty trials), "
        "and that of CoRelNet with a hidden layer by {deep_many:.3f} (ten). With {few:,} triples "
        "these are {at_few:.3f}, which is not resolved, and {deep_few:.3f}.",
        "set_v3_solves.sound holds",
        *(f"set_v3_over_corelnet.{one} holds" for one in PROTOCOLS),
        "set_v3_over_no_softmax.described holds",
        "set_v3_over_no_softmax.published holds",
        "set_head_matters.published holds",
        "set_embedders_dimensions.sound undecided",
        at_many.low > MARGIN < deep[-1].low,
        at_few.low < MARGIN < at_few.high,
        deep[0].high < -MARGIN,
        n=max(_sizes(frames, "abstractor")),
        few=few,
        many=many,
        deep_few=deep[0],
        deep_many=deep[-1],
        at_few=at_few,
        at_many=at_many,
    )


def _four_over_one(frames: Frames, sizes: list[int]) -> tuple[Interval, Interval]:
    """What four relations in place of one wide one are worth to the Abstractor with few triples and
    with many, in the trials that have an embedder each; NaN where these are missing. (A tiny grid
    has one size for both.)"""
    models = ["abstractor", "abstractor_one_wide"]
    try:
        points = ordering(frames, "sound", models=models, sizes=sizes, variant="own").points
    except NotRun:
        missing = Interval(nan, nan, nan, 0)
        return missing, missing
    return points[0].interval, points[-1].interval


@_of_all
def against(frames: Frames) -> Sentence:
    """What speaks against the answer."""
    few, many = _ends(frames, "corelnet_multihead_deep")
    return Sentence(
        "**What speaks against it.** Models without a relational bottleneck learn SET too: a wide "
        "multilayer perceptron reaches {set_mlp_learns.sound}, a Transformer "
        "{set_transformer_learns.sound}. Give CoRelNet four relations and a hidden layer, and the "
        "Abstractor's lead is {set_embedders_over_deep_few.sound:.3f} with {few:,} triples, and "
        "{set_embedders_over_deep.sound:.3f} with {many:,}, which is undecided (thirty trials). "
        "Give it one relation and a hidden layer, and it leads the Abstractor with {few:,} triples "
        "by {set_one_relation_over_abstractor.published:.3f} (`published`; under `sound` by "
        "{set_embedders_one_relation_over_abstractor.sound:.3f}, thirty trials, undecided). "
        "Under `sound` too few "
        "trials of CoRelNet without softmax converged for two verdicts: on the Abstractor's lead "
        "over it, and on the hidden layer.",
        "set_mlp_learns.sound holds",
        "set_transformer_learns.sound holds",
        "set_embedders_over_deep.sound undecided",
        "set_embedders_over_deep_few.sound holds",
        "set_one_relation_over_abstractor.published holds",
        "set_embedders_one_relation_over_abstractor.sound undecided",
        "set_v3_over_no_softmax.sound undecided",
        "set_head_matters.sound undecided",
        _converged(frames, "corelnet_no_softmax", [few, many]) < CONVERGED,
        few=few,
        many=many,
    )


@_of_all
def leads(frames: Frames) -> Sentence:
    """The Abstractor's leads over both CoRelNets of v3."""
    least = min(_leads(frames, "sound", ("abstractor", "corelnet_no_softmax")))
    over = [f"{{set_v3_over_{{}}.{one}}}" for one in PROTOCOLS]
    words = [f"{{set_v3_{{}}.{one}:word}}" for one in PROTOCOLS]
    numbers, verdicts = " | ".join(over), " | ".join(words)
    return Sentence(
        "**The Abstractor is ahead of both CoRelNets at each of the six training set sizes, under "
        "`described` and `published`.** Under `sound` it is ahead of the one with softmax. Its "
        "lead over CoRelNet without softmax is as large there, but at some sizes too few of that "
        "model's trials converged for a verdict."
        + _table(
            "of the six sizes | `described` | `published` | `sound`",
            f"smallest lead over CoRelNet | {numbers.replace('{}', 'corelnet')}",
            "smallest lead over CoRelNet without softmax | {set_v3_over_no_softmax.described} | "
            "{set_v3_over_no_softmax.published} | {least}†",
            "v3: CoRelNet with softmax stays within 0.05 of the chance level | "
            + verdicts.replace("{}", "corelnet_chance"),
            "v3: removing the softmax helps, on average over the six | "
            + verdicts.replace("{}", "softmax_hurts"),
        ),
        "set_v3_over_no_softmax.described holds",
        "set_v3_over_no_softmax.published holds",
        "set_v3_over_no_softmax.sound undecided",
        *(f"set_v3_over_corelnet.{one} holds" for one in PROTOCOLS),
        *(f"set_v3_corelnet_chance.{one} holds" for one in PROTOCOLS),
        least=least,
    )


@_of_all
def hidden_layer(frames: Frames) -> Sentence:
    """What a hidden layer in its head is worth to CoRelNet without softmax."""
    sizes = _sizes(frames, "corelnet_deep")
    compared = {
        "gain": ("corelnet_deep", "corelnet_no_softmax"),
        "lead": ("abstractor", "corelnet_multihead_deep"),
    }
    values = {
        f"{what}_{protocol}_{end}": _leads(frames, protocol, models, sizes)[at]
        for what, models in compared.items()
        for protocol in BOTH
        for end, at in (("low", 0), ("high", -1))
    }
    return Sentence(
        "**A hidden layer is what CoRelNet without softmax lacks.** Under `published` it gains at "
        "both training set sizes. Under `sound` the gains are larger still, but at one size only "
        "{settled:.0%} of the trials with a linear head converged: no verdict. Whether the "
        "Abstractor is ahead of CoRelNet with four heads and a hidden layer is undecided. Under "
        "`sound` the sign of its lead changes with the size."
        + _table(
            "test accuracy | `published` | `sound`",
            "gain by a hidden layer, {low:,} triples | {gain_published_low} | {gain_sound_low}†",
            "the same, {high:,} triples | {gain_published_high} | {gain_sound_high}†",
            "a gain at both sizes? | {set_head_matters.published:word} | "
            "{set_head_matters.sound:word}",
            "lead of the Abstractor over CoRelNet with four heads and a hidden layer, {low:,} "
            "triples | {set_abstractor_over_deep_few.published:.3f} | "
            "{set_abstractor_over_deep_few.sound:.3f}",
            "the same, {high:,} triples | {lead_published_high:.3f} | {lead_sound_high:.3f}†",
            "a lead at both sizes? | {set_abstractor_over_deep.published:word} | "
            "{set_abstractor_over_deep.sound:word}",
        ),
        "set_head_matters.published holds",
        "set_head_matters.sound undecided",
        "set_abstractor_over_deep.published undecided",
        "set_abstractor_over_deep.sound undecided",
        values["gain_sound_low"].low > values["gain_published_low"].high,
        values["gain_sound_high"].low > values["gain_published_high"].high,
        values["lead_sound_low"].estimate > 0 > values["lead_sound_high"].high,
        (settled := _converged(frames, "corelnet_no_softmax", sizes)) < CONVERGED,
        settled=settled,
        low=sizes[0],
        high=sizes[-1],
        **values,
    )


@_of_all
def one_relation(frames: Frames) -> Sentence:
    """The Abstractor is ahead of CoRelNet without softmax with one relation too."""
    models = ("abstractor_one_wide", "corelnet_no_softmax")
    return Sentence(
        "**The Abstractor is ahead with one relation too.** Give it one relation of the same "
        "number of parameters. Its lead over CoRelNet without softmax is then "
        "{set_one_relation_over_corelnet.published} under `published`. Under `sound` this claim is "
        "{set_one_relation_over_corelnet.sound:word}: at one size only {settled:.0%} of the trials "
        "of CoRelNet converged.",
        "set_one_relation_over_corelnet.published holds",
        "set_one_relation_over_corelnet.sound undecided",
        (settled := _converged(frames, models[1], _sizes(frames, models[0]))) < CONVERGED,
        settled=settled,
    )


DIMENSIONS = {  # what is compared -> its claim, and the models with four relations and with one
    "CoRelNet, no softmax": ("corelnet", "corelnet_multihead", "corelnet_no_softmax"),
    "the same with a hidden layer": ("deep", "corelnet_multihead_deep", "corelnet_deep"),
    "Abstractor": ("abstractor", "abstractor", "abstractor_one_wide"),
}


@_of_all
def dimensions(frames: Frames) -> Sentence:
    """Whether four relations help where one was enough."""
    sizes, rows, gains = _sizes(frames, "abstractor_one_wide"), [], []
    low, n = sizes[0], sizes[-1]
    for label, (claim, four, one) in DIMENSIONS.items():
        for protocol in BOTH:
            found = _leads(frames, protocol, (four, one), sizes, one_draw=True)
            gains.append((found[0], found[-1]))
            word = f"{{set_dimensions_{claim}.{protocol}:word}}"
            rows.append(f"{label} | `{protocol}` | {found[0]:.3f} | {found[-1]:.3f} | {word}")
    own = _four_over_one(frames, [low, n])
    if own[0].n:
        told = " | ".join(f"{one:.3f}" for one in own)
        word = "{set_embedders_dimensions.sound:word}"
        rows.append(f"Abstractor, thirty trials | `sound` | {told} | {word}")
    four, one = (
        _curve(frames, "published", model, n)
        for model in ("corelnet_multihead", "corelnet_no_softmax")
    )
    wide = _curve(frames, "sound", "abstractor_one_wide", n)
    abstractor = _curve(frames, "sound", "abstractor", n)
    return Sentence(
        "**At {n:,} triples four relations help some models; at {low:,} they cost some. No "
        "claim about both sizes is supported.**"
        + _table("four relations instead of one | protocol | gain at {low:,} | gain at {n:,} | at "
                 "both sizes", *rows)
        + "\nUnder `published`, at {n:,} triples, CoRelNet without softmax reaches {four:.2f} with "
        "four heads and {one:.2f} with one. This gain is memory: without leakage its accuracy with "
        "four heads is {new:.2f}. This is below the chance level, since CoRelNet with four heads "
        "rejects most new SETs: it recognises {sets:.0%} of them. Under `sound`, at {n:,} triples, "
        "the Abstractor reaches {abstractor:.3f} with four relations and {wide:.3f} with one wide "
        "relation. Only {share:.0%} of the trials with one relation had converged.",
        "set_dimensions_deep.published fails",
        "set_dimensions_deep.sound fails",
        *(f"set_dimensions_abstractor.{one} undecided" for one in BOTH),
        *(f"set_dimensions_corelnet.{one} undecided" for one in BOTH),
        max(first.low for first, _ in gains) < 0 < max(last.low for _, last in gains),
        four["unseen_accuracy"].mean() < 0.5 < four["test_accuracy"].mean(),
        n=n,
        low=low,
        four=four["test_accuracy"].mean(),
        one=one["test_accuracy"].mean(),
        new=four["unseen_accuracy"].mean(),
        sets=four["new_accuracy"].mean(),
        abstractor=abstractor["test_accuracy"].mean(),
        wide=wide["test_accuracy"].mean(),
        share=wide["converged"].mean(),
    )  # fmt: skip


def leakage_by_calculation(frames: Frames) -> Sentence:
    """How many test SETs the public code trains on, measured and calculated."""
    if "published" not in frames:
        return Sentence("(not run)", False)
    rows = _curve(frames, "published", "abstractor")
    seen = rows.groupby("size")["seen_share"].mean()
    expected = [expected_leakage(size) for size in seen.index]
    wrong = frames["published"]["mislabelled_share"].mean()
    return Sentence(
        "Under `published` the share of test SETs that are also training SETs rises with the "
        "training set size, from {least:.0%} to {most:.0%}. By calculation, "
        "$1 - (1 - 1/1080)^{{n/2}}$, it is {low:.0%} to {high:.0%}. Of the triples that are called "
        "no SET, {wrong:.1%} are one.",
        bool(np.abs(seen - expected).max() < NEAR),
        bool(abs(wrong - 1.26 / 100) < CLOSE),
        least=seen.iloc[0],
        most=seen.iloc[-1],
        wrong=wrong,
        low=expected[0],
        high=expected[-1],
    )


@_of_all
def draws(frames: Frames) -> Sentence:
    """How many draws of CoRelNet count."""
    table = frames["published"]
    rows = table[table["variant"].isin(["curve", "draw"])]
    count = rows.groupby("model")["draw"].nunique()
    return Sentence(
        "Six draws left open whether CoRelNet stays at the chance level. So two more were added, "
        "of CoRelNet alone: they count once all of their runs are there. {corelnet} draws of "
        "CoRelNet count now, and {abstractor} of the Abstractor. CoRelNet stays at the chance "
        "level: {set_v3_corelnet_chance.published:word}.",
        "set_v3_corelnet_chance.published holds",
        count["corelnet"] == count["abstractor"] + 2,
        corelnet=count["corelnet"],
        abstractor=count["abstractor"],
    )


LEAKS = {  # model -> what it is called, how many means are taken over, and its claim
    "abstractor": ("Abstractor", "six draws", "abstractor"),
    "corelnet": ("CoRelNet", "{draws} draws", "corelnet"),
    "corelnet_no_softmax": ("the same, no softmax", "six draws", "no_softmax"),
    "transformer": ("Transformer", "ten trials", "transformer"),
    "mlp_wide": ("wide MLP", "ten trials", "mlp"),
}


@_of_all
def leakage(frames: Frames) -> Sentence:
    """What SETs that a model was trained on add to its accuracy."""
    low, n = _ends(frames, "mlp_wide", "published")
    metrics, values, rows = ["true_accuracy", "unseen_accuracy"], {}, []
    for model, (label, units, claim) in LEAKS.items():
        points = gap(frames, "published", model=model, metrics=metrics).points
        sizes = _sizes(frames, model, "published")
        added = {size: one.interval for size, one in zip(sizes, points, strict=True)}
        values |= {f"{model}_low": added[low], f"{model}_high": added[n]}
        values.setdefault("first", added[sizes[0]])  # the Abstractor's
        word = f"{{set_leakage_{claim}.published:word}}"
        cells = f"{{{model}_low:.3f}} | {{{model}_high:.3f}} | {units} | {word}"
        rows.append(f"{label} | {cells}")
    table = frames["published"]
    table = table[table["variant"].isin(["curve", "draw"])]
    corelnets = table[table["model"] == "corelnet"]["draw"].nunique()
    means = table[table["model"] == "abstractor"].groupby(["size", "draw"])
    means = means[["seen_accuracy", "new_accuracy"]].mean().groupby("size").mean()
    share = _curve(frames, "published", "abstractor").groupby("size")["seen_share"].mean()
    new = means["new_accuracy"]
    return Sentence(
        "**In the public code up to {share:.0%} of the test SETs are also training SETs. With many "
        "triples the Abstractor gains little from it, CoRelNet without softmax much.** At {n:,} "
        "triples leakage adds {abstractor_high:.3f} to the accuracy of the Abstractor, and "
        "{corelnet_no_softmax_high:.3f} to that of CoRelNet without softmax."
        + _table(
            "leakage adds | at {low:,} triples | at {n:,} triples | means over | more than 0.02 "
            "everywhere?",
            *rows,
        )
        + "\nWrong labels are put right. Intervals are simultaneous over the sizes of a row: six, "
        "or two. At {least:,} triples leakage adds {first:.3f} to the Abstractor's accuracy. The "
        "gain is smaller at {n:,}, since it then recognises most new SETs too: {new_high:.0%} of "
        "them, and {new_low:.0%} at {least:,}. Of the SETs seen in training it recognises "
        "{seen:.0%} or more.",
        "set_leakage_abstractor.published fails",
        "set_leakage_no_softmax.published holds",
        values["first"].low > values["abstractor_high"].high,
        n=n,
        low=low,
        least=new.index[0],
        share=share.max(),
        seen=means["seen_accuracy"].min(),
        new_low=new.iloc[0],
        new_high=new.iloc[-1],
        draws=corelnets,
        **values,
    )


@_of_all
def symmetry(frames: Frames) -> Sentence:
    """Whether symmetric relations help, and relations without softmax."""
    models = ("abstractor", "abstractor_asymmetric")
    low, *_ = sizes = _sizes(frames, models[1])
    sound = _leads(frames, "sound", models, sizes)
    one, other = (
        _curve(frames, "published", model, low).set_index("trial")["test_accuracy"]
        for model in models
    )
    ahead = difference_interval(one, other)
    return Sentence(
        "**Whether symmetric relations help in this symmetric task is undecided; the sign depends "
        "on the protocol. Linear relations are ahead of softmax.**"
        + _table(
            "lead, at the one of two training set sizes that decides | `published` | `sound`",
            *(
                f"{label} | {{set_{claim}.published:.3f}}, {{set_{claim}.published:word}} | "
                f"{{set_{claim}.sound:.3f}}, {{set_{claim}.sound:word}}"
                for label, claim in (
                    ("symmetric over asymmetric relations", "symmetry_helps"),
                    ("linear relations over softmax", "linear_over_softmax"),
                )
            ),
        )
        + "\nThe word says whether a lead at both sizes is supported. Trained on {low:,} triples "
        "under `published`, where each SET has one fixed order of its cards, the Abstractor with "
        "symmetric relations is ahead by {ahead:.3f}†.",
        "set_symmetry_helps.published undecided",
        "set_symmetry_helps.sound undecided",
        "set_linear_over_softmax.published holds",
        "set_linear_over_softmax.sound holds",
        ahead.low > 0 > sound[0].high,
        ahead=ahead,
        low=low,
    )


@_of_all
def baselines(frames: Frames) -> Sentence:
    """What models without a relational bottleneck learn."""
    low, n = _ends(frames, "transformer")
    few = _leads(frames, "sound", ("abstractor", "transformer"), [low, n])[0]
    five = {f"{p}_alone": _leads(frames, p, ("abstractor", "transformer"), [n])[0] for p in BOTH}
    return Sentence(
        "**Baselines without a relational bottleneck learn SET too.** Whether the Abstractor is "
        "ahead of the Transformer under `sound` is open. At {low:,} triples ten trials do not "
        "resolve a lead; at {n:,} too few trials of the Transformer converged."
        + _table(
            " | `published` | `sound`",
            "accuracy at {n:,} triples, Transformer | {set_transformer_learns.published} | "
            "{set_transformer_learns.sound}",
            "accuracy at {n:,} triples, wide MLP | {set_mlp_learns.published} | "
            "{set_mlp_learns.sound}",
            "Abstractor ahead of the Transformer at both sizes? | "
            "{set_over_transformer.published:word}: {set_over_transformer.published} | "
            "{set_over_transformer.sound:word}: {set_over_transformer.sound}",
            "its lead over the Transformer at {n:,} triples alone | {published_alone}† | "
            "{sound_alone}†",
            "Abstractor ahead of the wide MLP at both sizes? | {set_over_mlp.published:word}: "
            "{set_over_mlp.published} | {set_over_mlp.sound:word}: {set_over_mlp.sound}",
        )
        + "\nWhere both sizes are asked for, the number is the smaller of two leads.",
        *(f"set_{one}_learns.{p} holds" for one in ("mlp", "transformer") for p in BOTH),
        "set_over_transformer.sound undecided",
        few.low < 0 < few.high,
        _converged(frames, "transformer", [n]) < CONVERGED,
        low=low,
        n=n,
        **five,
    )  # fmt: skip


@_of_all
def new_cards(frames: Frames) -> Sentence:
    """What models make of cards that no training triple holds."""
    table = frames["sound"]
    rows = table[table["variant"] == "cards"]
    n = rows["size"].max()
    rows = rows[rows["size"] == n].pivot(index="trial", columns="model", values="test_accuracy")
    transformer, mlp = _mean(rows["transformer"]), _mean(rows["mlp_wide"])
    lead, over = (
        difference_interval(rows["abstractor"], rows[name]) for name in ("transformer", "mlp_wide")
    )
    return Sentence(
        "**Not only the Abstractor classifies cards that it has not seen.** Trained on {n:,} "
        "triples of 54 cards, the Abstractor reaches {set_new_cards.sound} on triples of the "
        "other 27 cards. The Transformer reaches {transformer}; ten trials do not resolve a "
        "difference from the Abstractor. The wide MLP reaches {mlp}, far above the chance level "
        "too.",
        "set_new_cards.sound holds",
        lead.low < 0 < lead.high,
        over.low > 0,
        mlp.low > 0.75,
        n=n,
        transformer=transformer,
        mlp=mlp,
    )


def embedders(frames: Frames) -> Sentence:
    """Three embedders show no difference that ten trials could resolve."""
    rows = frames.get("sound", pd.DataFrame({"model": [], "variant": []}))
    rows = rows[(rows["model"] == "abstractor") & rows["variant"].isin(["curve", "embedder"])]
    others = rows[rows["variant"] == "embedder"]
    if others.empty:
        return Sentence("(not run)", False)
    rows = rows[rows["size"] == others["size"].iloc[0]]
    wide = rows.pivot(index="trial", columns="embedder", values="test_accuracy")
    first, second = (difference_interval(wide[k], wide[0], 2) for k in (1, 2))
    return Sentence(
        "**Three embedders show no difference that ten trials could resolve.** The mean test "
        "accuracies are {zero}, {one} and {two}. The other embedders differ from the first by "
        "{first:.3f} and {second:.3f} (trials in pairs; both intervals hold at once and contain "
        "zero).",
        first.low < 0 < first.high,
        second.low < 0 < second.high,
        zero=_mean(wide[0]),
        one=_mean(wide[1]),
        two=_mean(wide[2]),
        first=first,
        second=second,
    )


ASKED = {  # of whom the Abstractor may be ahead -> claims of trials that share an embedder or not
    "CoRelNet, 4 heads, hidden layer": ("abstractor_over_deep", "over_deep"),
    "the same, at 1,000 triples": ("abstractor_over_deep_few", "over_deep_few"),
    "Transformer": ("over_transformer", "over_transformer"),
    "wide MLP": ("over_mlp", "over_mlp"),
    "itself with one wide relation": ("dimensions_abstractor", "dimensions"),
    "itself with asymmetric relations": ("symmetry_helps", "symmetry"),
}


@_of_all
def own_embedders(frames: Frames) -> Sentence:
    """With an embedder each, thirty trials decide two of six leads, and none changes its sign."""
    table = frames["sound"]
    head = _table(
        "the Abstractor ahead of | ten trials, one embedder | thirty, an embedder each",
        *(
            f"{label} | {{set_{one}.sound:word}}: {{set_{one}.sound:.3f}} | "
            f"{{set_embedders_{each}.sound:word}}: {{set_embedders_{each}.sound:.3f}}"
            for label, (one, each) in ASKED.items()
        ),
    )
    decided = ("over_deep_few", "over_mlp")
    spread = table[table["model"] == "abstractor"].groupby(["variant", "size"])["test_accuracy"]
    low, n = _ends(frames, "abstractor", variant="own")
    shared, apart = (spread.std()[variant, low] for variant in ("curve", "own"))
    ends = tuple(sorted({low, n}))  # one in a tiny grid
    before, after = (_mean_leads(table, variant, ends) for variant in ("curve", "own"))
    model, size = moved = (after - before).stack().abs().idxmax()
    return Sentence(
        "**With an embedder each, thirty trials decide two of six leads, and no lead changes its "
        "sign.** The Abstractor is ahead of the wide MLP at both sizes, and of CoRelNet with four "
        "heads and a hidden layer at {low:,} triples. The mean lead that changes most is that over "
        "the wide MLP at {size:,} triples: {before:.3f} with one embedder, {after:.3f} with an "
        "embedder each. Accuracies spread about as much as with one embedder: the Abstractor's "
        "standard deviation at {low:,} triples is {apart:.3f}, against {shared:.3f}. Each number "
        "in the table is the lead under `sound` at the training set size that decides. The word "
        "says whether the Abstractor is ahead there, at both sizes where none is named."
        + head
        + "\nWhether CoRelNet with four heads and a hidden layer is ahead of the Abstractor at "
        "{n:,} triples is {set_embedders_deep_over_abstractor.sound:word}. Its lead is "
        "{set_embedders_deep_over_abstractor.sound:.3f}, and less than 0.01 counts as none. The "
        "same is undecided for CoRelNet with one relation and a hidden layer at {low:,} triples: "
        "its lead is {set_one_relation_over_abstractor.sound:.3f} with one embedder, and "
        "{set_embedders_one_relation_over_abstractor.sound:.3f} with an embedder each.",
        "set_embedders_deep_over_abstractor.sound undecided",
        "set_one_relation_over_abstractor.sound undecided",
        "set_embedders_one_relation_over_abstractor.sound undecided",
        *(f"set_{one}.sound undecided" for one, _ in ASKED.values()),
        *(
            f"set_embedders_{each}.sound {'holds' if each in decided else 'undecided'}"
            for _, each in ASKED.values()
        ),
        abs(apart - shared) < 0.005,
        bool((before * after > 0).all(axis=None)),
        model == "mlp_wide",
        before=before.stack()[moved],
        after=after.stack()[moved],
        size=size,
        low=low,
        n=n,
        shared=shared,
        apart=apart,
    )


def _mean_leads(table: pd.DataFrame, variant: str, sizes: tuple[int, ...]) -> pd.DataFrame:
    """By how much the Abstractor's mean accuracy is above that of each other model that has trials
    with an embedder of their own: models in rows, sizes in columns."""
    asked = table.loc[table["variant"] == "own", "model"].unique()
    rows = table[(table["variant"] == variant) & table["model"].isin(asked)]
    means = rows.pivot_table("test_accuracy", "model", "size")[list(sizes)]
    return means.loc["abstractor"] - means.drop(index="abstractor")


@_of_all
def relations(frames: Frames, *, shares: pd.DataFrame) -> Sentence:
    """What relations of the Abstractor encode, in the first trial and over all.

    Args:
        shares: of the first trial, how much of each relation agreement explains; see
            `inside.agreement`.
    """
    n = max(_sizes(frames, "abstractor"))
    rows = _curve(frames, "sound", "abstractor", n)
    greatest = rows[[f"{name}_share" for name in ATTRIBUTES]].max(axis=1)
    same, value = (_mean(rows[f"relations_{what}_accuracy"]) for what in ("same", "value"))
    best = shares[list(ATTRIBUTES)].to_numpy().max()
    return Sentence(
        "**In the first trial no relation of the Abstractor encodes one attribute alone.** "
        "Agreement in one attribute explains at most {best:.0%} of a relation's variance, "
        "agreement in all four at most {all:.0%}. Trials differ: in one of the ten, one attribute "
        "explains {most:.0%} of a relation; in each, the greatest share is at least {least:.0%}. "
        "**Over ten trials, relations hold attributes and single values.** A linear probe on them "
        "tells with an accuracy of {same:.2f} whether two cards agree in an attribute (always no: "
        "two thirds). It names a value with an accuracy of {value:.2f} (chance level: one third).",
        bool(best < 0.5),
        same.low > 2 / 3,
        value.low > 1 / 3,
        best=best,
        all=shares["all"].max(),
        most=greatest.max(),
        least=greatest.min(),
        same=same.estimate,
        value=value.estimate,
    )


def wrong_answers(frames: Frames, *, chances: np.ndarray, tested: int) -> Sentence:
    """Of the errors of one model, how many call a triple a SET, and how sure they are.

    Args:
        chances: of a SET, by the model, of the test triples that it answers wrongly.
        tested: how many test triples there are.
    """
    called, sure = int((chances >= 0.5).sum()), int((chances > 0.99).sum())
    return Sentence(
        "**Its probabilities are too sure.** The model answers {wrong} of {tested:,} test triples "
        "wrongly. It calls {called} of these a SET, and {sure} of them with a probability above "
        "0.99; had all its answers this probability, {due:.0f} should be wrong.",
        sure > tested / 100,  # of 2,000 answers that are sure to 0.99, 20 may be wrong
        called > len(chances) / 2,
        wrong=len(chances),
        tested=tested,
        due=tested / 100,
        called=called,
        sure=sure,
    )


@_of_all
def by_broken(frames: Frames) -> Sentence:
    """Near misses are the hardest."""
    n = max(_sizes(frames, "abstractor"))
    rows = _curve(frames, "sound", "abstractor", n)
    right = unfold(rows, OTHERS).groupby("broken")["value"]
    near: Mapping[str, Interval] = {f"b{k}": _mean(values) for k, values in right}
    sets = _mean(rows["new_accuracy"])
    return Sentence(
        "**Near misses are hardest.** Over ten trials the Abstractor with {n:,} training triples "
        "is right on {sets} of the new SETs. On triples that break the rule in one attribute it is "
        "right on {b1}; in two {b2}, in three {b3}, in four {b4}.",
        near["b1"].high < min(near["b2"].low, near["b3"].low, near["b4"].low, sets.low),
        n=n,
        sets=sets,
        **near,
    )


@_of_all
def open_verdicts(frames: Frames) -> Sentence:
    """Why some verdicts under `sound` stay open."""
    table = frames["sound"]
    return Sentence(
        "**Under `sound` some verdicts stay open.** A size decides nothing there where fewer than "
        "nine tenths of the trials converged of a model that could change the verdict. After "
        "{updates:,} updates, the same for all, {open:.0%} of the trials had not. Their validation "
        "loss still fell by 1 % or more in the last fifth, and their validation accuracy was below "
        "0.99.",
        "set_head_matters.sound undecided",
        bool(table["converged"].mean() < 1),
        updates=int(table["updates"].max()),
        open=1 - table["converged"].mean(),
    )

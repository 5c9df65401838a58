"""What notebook 03 says of its records."""

import math

import pandas as pd

from ...findings.measures import Frames, NotRun
from ...findings.published import published
from ...findings.sentences import Sentence
from ...findings.tally import Tally, tallies, tally
from . import measures, results
from .results import METRIC, NETWORKS, needed
from .settings import LEARNED


def answer(frames: Frames) -> Sentence:
    """Ratios after the permuted order, by budget of pre-training and protocol."""
    half = tallies(frames, 0.5, METRIC)
    after, none = (half["described", f"transformer{end}", 2000] for end in ("_permuted_stated", ""))
    return Sentence(
        """
**Pre-training on another order of the same objects helps the Simple Abstractor, as v3 states. It
helps the Transformer too, the more so if it goes on until the first task is learned.** How many
times the training sequences does a model need, to reach a full-sequence accuracy of one half, if it
starts from random weights instead? (95 % intervals of the median over trials)

| pre-training | settings | Simple Abstractor | Transformer |
| --- | --- | --- | --- |
| 100 epochs of v3's 3,000 sequences, 600 updates | `described` | \
{pretraining_v3_abstractor.described:.1f} | {pretraining_v3_transformer.described:.1f} |
| until the first task is learned (batches of 128, ours) | `described` | \
{pretraining_ample_abstractor.described} | {pretraining_ample_transformer.described} |
| until the first task is learned | `sound` | {pretraining_v3_abstractor_learned.sound} | \
{pretraining_v3_transformer_learned.sound} |

v3 states that the Transformer does not benefit. With 2,000 sequences, {after} trials reach one half
after 600 updates of pre-training, and {none} without it. We take "does not benefit" as "a ratio
below two". After 600 updates that is \
{pretraining_v3_transformer.described:word}; under `sound`, of trials that have learned, it \
{pretraining_v3_transformer_learned.sound:word}. v3 also states that 3,000 sequences are enough
for the Transformer to learn the first task. It names no number of epochs for it. After the 100
epochs that v3 states for sorting (B.2.1) a share of {pretraining_v3_large_enough.described} of its
trials have; with up to 6,000 updates of the same sequences it is
{pretraining_ample_large_enough.described}.
""",
        "pretraining_v3_abstractor.described holds",
        "pretraining_v3_transformer.described undecided",
        after.all and none.none,
        "pretraining_ample_large_enough.described holds",
        "pretraining_v3_large_enough.described fails",
        "pretraining_ample_abstractor.described holds",
        "pretraining_v3_abstractor_learned.sound holds",
        "pretraining_ample_transformer.described holds",
        "pretraining_v3_transformer_learned.sound fails",
        after=after,
        none=none,
    )


def against(frames: Frames) -> Sentence:
    """What the answer owes to leaving out trials, and to the level that counts."""
    alone, learned = (
        needed(frames, "sound", f"simple{end}", 0.95, trials=5) for end in ("", "_permuted")
    )
    return Sentence(
        "**What speaks against it.** A *parent* is a model after pre-training. Where pre-training "
        "goes on until the first task is learned, trials whose parent has not learned it are left "
        "out. With all trials the Simple Abstractor's ratio under `sound` is "
        "{pretraining_all_trials_abstractor.sound}; whether it is more than two is "
        "{pretraining_all_trials_abstractor.sound:word}. If it has to reach a full-sequence "
        "accuracy of 0.95 in place of one half, no gain is resolved there: it needs {alone} "
        "training sequences without pre-training, and {learned} after it. In the public code both "
        "stages learned the same order. So the published comparison cannot tell whether another "
        "order helps.",
        "pretraining_all_trials_abstractor.sound undecided",
        alone == learned,
        alone=alone,
        learned=learned,
    )


def in_sequences(frames: Frames) -> Sentence:
    """How many sequences pre-training on the permuted order saves."""
    pairs = [(protocol, network) for protocol in ("described", "sound") for network in NETWORKS]
    alone = {
        f"{protocol}_{network}": needed(frames, protocol, network) for protocol, network in pairs
    }
    trained = {
        f"{protocol}_{network}_permuted": needed(frames, protocol, f"{network}_permuted")
        for protocol, network in pairs
    }
    saved = {f"{network}_saved": _saved(frames, network) for network in NETWORKS}
    return Sentence(
        """
**After the permuted order, the median trial of either model needs a fraction of the sequences to
reach one half.** (Level 0.5; parents that were trained until they had learned; all trials.)

| settings | model | no pre-training | permuted order | saved |
| --- | --- | --- | --- | --- |
| `sound` | Simple Abstractor | {sound_simple} | {sound_simple_permuted} | {simple_saved} |
| `sound` | Transformer | {sound_transformer} | {sound_transformer_permuted} | {transformer_saved} |
| `described` | Simple Abstractor | {described_simple} | {described_simple_permuted} | |
| `described` | Transformer | {described_transformer} | {described_transformer_permuted} | |

Under `sound` all have up to 1,500 updates. Under `described` the gaps are wider. But there the
second stage has few updates, 100 with up to 500 sequences. So fewer sequences cannot be told from
fewer updates.
""",
        *(
            after.high <= before.low
            for before, after in zip(alone.values(), trained.values(), strict=True)
        ),
        **alone,
        **trained,
        **saved,
    )


def _saved(frames: Frames, network: str) -> str:
    models = [f"{network}_permuted", network]
    try:
        return measures.in_words(*measures.sequences(frames, "sound", models=models, level=0.5))
    except NotRun:
        return "(not run)"


def nearly_perfect(frames: Frames) -> Sentence:
    """What is needed to reach 0.95."""
    found = {
        f"{network}{end}": needed(frames, "sound", network + end, 0.95, trials=5)
        for network in NETWORKS
        for end in ("", "_permuted")
    }
    one, other = found["transformer_permuted"], found["transformer"]
    return Sentence(
        "**At 0.95 no gain of the Simple Abstractor is resolved under `sound`.** To reach it "
        "there it needs {simple} training sequences without pre-training and {simple_permuted} "
        "after the permuted order. The Transformer needs {transformer} and {transformer_permuted} "
        "(five trials).",
        found["simple"] == found["simple_permuted"],
        one.high <= other.low,
        **found,
    )


def public_comparison(frames: Frames) -> Sentence:
    """What the published comparison can tell, run again."""
    half = tallies(frames, 0.5, METRIC)
    flat = half["published", "transformer_same", 1000]
    none = half["published", "transformer", 1000]
    own = _own_accuracy(frames)
    after, before = (needed(frames, "published", name) for name in ("simple_same", "simple"))
    names = ("Transformer", "Transformer, pre-trained")
    plain, trained = (published("fig_v3_05b", name).set_index("x")["mean"] for name in names)
    left = trained[trained > 0].index[0]  # zero before it
    plain, trained = plain.loc[left:], trained.loc[left:]
    return Sentence(
        "**The published comparison cannot tell whether pre-training on another order helps.** In "
        "all public versions of the code both stages learn the same order. In the logs the "
        "Transformer had learned almost nothing in the first stage, and only part of its weights "
        "were moved. v3 says that the Transformer does not gain; its published curve with "
        "pre-training is the higher one at {higher} of {of} sizes from {first:,} sequences on, "
        "where it leaves zero. We ran this again (`published`, one parent of each model). The "
        "Simple Abstractor gains; of the Transformer it cannot be told, as none learns from "
        "1,000 sequences and all do from 2,000.\n\n"
        "| | Simple Abstractor | Transformer |\n"
        "| --- | --- | --- |\n"
        "| parent's full-sequence accuracy on its own task | {simple:.2f} | {transformer:.2f} |\n"
        "| without pre-training | needs {before} sequences | {none} reach one half with 1,000 |\n"
        "| with it | needs {after} sequences | {flat} reach one half with 1,000 |",
        half["published", "transformer_same", 2000].all,
        half["published", "transformer", 2000].all,
        own["transformer"] < 0.1,
        after.high <= before.low,
        flat.none and none.none,
        **{"after": after, "before": before, "flat": flat, "none": none},
        higher=int((trained > plain).sum()),
        of=len(plain),
        first=int(plain.index[0]),
        **own,
    )


def _own_accuracy(frames: Frames) -> dict[str, float]:
    """How much of its own validation data the one parent of each model has right."""
    table = frames.get("published")
    if table is None or "own_accuracy" not in table:
        return dict.fromkeys(NETWORKS, float("nan"))
    first = table[table["variant"] == "pretraining"].set_index("network")["own_accuracy"]
    return {name: first.get(name, float("nan")) for name in NETWORKS}


def logs(frames: Frames) -> Sentence:
    """How well the published parents had learned, and ours."""
    simple, transformer = (
        published("pretraining_parents", name).set_index("metric")["mean"][METRIC]
        for name in NETWORKS.values()
    )
    epochs, curve = (
        published(name, "Simple Abstractor, pre-trained").set_index("x")["mean"][100]
        for name in ("pretraining_epochs", "fig_v3_05b")
    )
    own = _own_accuracy(frames)["simple"]
    return Sentence(
        "**In the logs, the Simple Abstractor had learned its first task almost perfectly, and "
        "the Transformer not at all.** Their full-sequence accuracies after pre-training were "
        "{simple:.3f} and {transformer:.3f}. With 100 training sequences, the pre-trained Simple "
        "Abstractor then took {epochs:.0f} epochs and reached {curve:.3f}, both on average. In "
        "batches of 512 that is {epochs:.0f} updates: few, unless the task was almost known.\n\n"
        "Our first stage of `published` ends when its training loss no longer falls. Our Simple "
        "Abstractor's parent then had {own:.2f} of its own validation sequences right. There is "
        "one parent of each model, and one draw of objects. So the intervals of `published` cover "
        "the second training only. They do not cover what another parent would give.",
        transformer < 0.01 < 0.99 < simple,
        0.5 < own < LEARNED,
        **{"simple": simple, "transformer": transformer, "epochs": epochs, "curve": curve},
        own=own,
    )


def new_objects(frames: Frames) -> Sentence:
    """What pre-training on other objects is worth."""
    every = [
        one.of_all_trials.word
        for one in results.ratios(frames)
        if (one.network, one.arm, one.protocol) == ("transformer", "new objects", "sound")
    ]
    behind = {f"behind_{p}": _behind(frames, p) for p in ("described", "sound")}
    half = tallies(frames, 0.5, METRIC)
    after, none = (
        half["described", name, 2000] for name in ("transformer_new_objects", "transformer")
    )
    simple = {
        f"{word}_{n}": half["described", name, n]
        for n in (500, 1000)
        for word, name in (("after", "simple_new_objects"), ("none", "simple"))
    }
    return Sentence(
        "**Pre-training on new objects helps the Transformer; whether it more than halves the "
        "sequences is open. For the Simple Abstractor it is open whether it helps.** Under "
        "`described`, with 2,000 training sequences {after} Transformers reach a full-sequence "
        "accuracy of one half after it, {none} without it. Of the Simple Abstractors {after_500} "
        "do with 500 sequences ({none_500} without it) and {after_1000} with 1,000 ({none_1000} "
        "without it). Does a model need more than twice the sequences without it?\n\n| | "
        "`described` | `sound` |\n| --- | --- | --- |\n| Transformer | "
        "{pretraining_v1_transformer_new_objects.described:word} | "
        "{pretraining_v1_transformer_new_objects.sound:word} |\n| Simple Abstractor, as v1 "
        "suggests | {pretraining_v1_new_objects.described:word} | "
        "{pretraining_v1_new_objects.sound:word} |\n\nThe Transformer's answer under `sound` "
        "leaves out trials whose parent had not learned; with all of them it is {every}. The "
        "Simple Abstractor's mean accuracy after new objects is higher with few sequences, and "
        "lower than without pre-training at all sizes from {behind_described:,.0f} (`described`) "
        "and {behind_sound:,.0f} (`sound`) on. We did not test this difference.",
        after.reached > none.reached + 5,
        "pretraining_v1_transformer_new_objects.described undecided",
        "pretraining_v1_transformer_new_objects.sound holds",
        "pretraining_v1_new_objects.described undecided",
        "pretraining_v1_new_objects.sound undecided",
        all(one.startswith("undecided") for one in every) and bool(every),
        all(one < math.inf for one in behind.values()),
        **{"after": after, "none": none, "every": every[0] if every else "(not run)"},
        **simple,
        **behind,
    )


def _behind(frames: Frames, protocol: str) -> float:
    """The size from which on the Simple Abstractor's mean after new objects is below that without
    pre-training, after being above it; infinite if there is none."""
    gains = _means(frames, "simple_new_objects", protocol) - _means(frames, "simple", protocol)
    found = [(float(str(size)), gain) for size, gain in gains.dropna().items()]
    below = [n for n, _ in found if all(gain < 0 for size, gain in found if size >= n)]
    return min(below, default=math.inf) if any(gain > 0 for _, gain in found) else math.inf


def parts(frames: Frames) -> Sentence:
    """What single parts of a parent are worth."""
    alone = most = Tally()
    if "described" in frames:
        table = frames["described"].query("variant == 'part'")
        but_output = table["moved"] == "all_but_output"
        alone, most = (tally(table.loc[some, METRIC], 0.5) for some in (~but_output, but_output))
    return Sentence(
        "**No single part that we moved was enough.** With 300 sequences (Simple Abstractor, 100 "
        "updates) or 1,000 (Transformer, 200 updates) {alone} trials reach a full-sequence "
        "accuracy of one half if one part of a parent is moved. If all but the output layer are, "
        "{most} do. Other combinations were not tried.",
        alone.none and most.all,
        alone=alone,
        most=most,
    )


def enough_sequences(frames: Frames) -> Sentence:
    """Whether a Transformer can learn the first task from 3,000 sequences."""
    return Sentence(
        "**3,000 sequences are enough for the Transformer to learn its first task; 600 updates are "
        "not.** v3 chose 3,000 so that they are, and names no number of epochs here; 600 updates "
        "are the 100 epochs that v3 states for sorting (B.2.1). With 600 updates the "
        "share of trials that learn is {pretraining_v3_large_enough.described}, with up to 6,000 "
        "updates in batches of 128 it is {pretraining_ample_large_enough.described}.",
        "pretraining_v3_large_enough.described fails",
        "pretraining_ample_large_enough.described holds",
    )


def beside_paper(frames: Frames) -> Sentence:
    """Where curves without pre-training are furthest from the published ones."""
    values = {}
    for name, title in NETWORKS.items():
        ours = _means(frames, name)
        paper = published("fig_v3_05b", title).set_index("x")["mean"]
        both = pd.DataFrame({"ours": ours, "paper": paper}).dropna()
        at = (both["ours"] - both["paper"]).abs().idxmax() if len(both) else 0
        here = (
            both.loc[at] if len(both) else pd.Series({"ours": float("nan"), "paper": float("nan")})
        )
        values |= {f"{name}_n": at, f"{name}_ours": here["ours"], f"{name}_paper": here["paper"]}
    return Sentence(
        "**Without pre-training, our Simple Abstractor under `published` has nearly the paper's "
        "curve; our Transformer lies above the paper's at one size.** (Five trials of one draw, no "
        "interval.) The means are furthest apart with "
        "{simple_n:,} sequences for the Simple Abstractor: {simple_ours:.2f}, in the paper "
        "{simple_paper:.2f}. For the Transformer that is with {transformer_n:,} sequences: "
        "{transformer_ours:.2f}, in the paper {transformer_paper:.2f}.",
        abs(values["simple_ours"] - values["simple_paper"]) < 0.1,
        values["transformer_ours"] - values["transformer_paper"] > 0.1,
        **values,
    )


def _means(frames: Frames, model: str, protocol: str = "published") -> pd.Series:
    """The mean full-sequence accuracy of a model, by training set size."""
    table = frames.get(protocol)
    if table is None or METRIC not in table:
        return pd.Series(dtype=float)
    rows = table[table["model"].eq(model) & table["variant"].eq("curve")]
    return rows.groupby("size")[METRIC].mean()


def all_trials(frames: Frames) -> Sentence:
    """Which verdicts rest on leaving out trials whose parent has not learned."""
    ratios = list(results.ratios(frames))
    changed = [one for one in ratios if one.claimed.verdict != one.of_all_trials.verdict]
    shown = [
        f"{one.label}, `{one.protocol}`: {one.claimed.word}, with all trials "
        f"{one.of_all_trials.word} (ratio {one.of_all_trials.interval})"
        for one in changed
    ]
    return Sentence(
        "**With all trials, {count} of {all} verdicts change.** {changed}. These verdicts rest on "
        "leaving out the trials whose parent has not learned.",
        0 < len(changed) < len(ratios) / 2,
        count=len(changed),
        all=len(ratios),
        changed="; ".join(shown),
    )


def not_the_published_curve(frames: Frames) -> Sentence:
    """What claims ask of `published`, where no ratio is taken."""
    ours, own = _means(frames, "simple_same"), _own_accuracy(frames)
    paper = published("fig_v3_05b", "Simple Abstractor, pre-trained").set_index("x")["mean"]
    apart = (ours - paper).abs().dropna()
    return Sentence(
        "**Under `published`, the curve of our pre-trained Simple Abstractor is another than the "
        "published one.** Whether the two are the same to 0.1 (suggested) is "
        "{pretraining_v3_pretrained_curve.published:word}: ours is after one parent, theirs after "
        "another. They are furthest apart with 100 "
        "sequences: {pretraining_v3_pretrained_curve.published}, in the paper {paper:.3f}. Of the "
        "Transformer we ask whether fewer than half of the trials reach one half with 1,000 "
        "sequences (suggested): {pretraining_v3_transformer_flat.published:word}, "
        "{pretraining_v3_transformer_flat.published}. Neither parent has learned its task, so no "
        "ratios are taken here.",
        "pretraining_v3_pretrained_curve.published undecided",
        "pretraining_v3_transformer_flat.published holds",
        max(own.values()) < LEARNED,
        bool(len(apart)) and apart[apart.index >= 100].idxmax() == 100,
        paper=paper[100],
    )


def falls(frames: Frames, *, boundaries: pd.DataFrame) -> Sentence:
    """What size the batches of published curves had, from the answer of `results.boundaries`."""
    rows = boundaries.set_index(["published series", "batches of"])
    falls, elsewhere = rows["falls"], rows["falls elsewhere"]
    simple, trained = "Simple Abstractor", "Simple Abstractor, pre-trained"
    return Sentence(
        "**The published curves of the Simple Abstractor speak for batches of 512, with and "
        "without pre-training.** Without pre-training the curve falls at {a} steps just after a "
        "multiple of 512, and at {b} others; pre-trained at {c} and {d}. The Transformer's curves "
        "do not tell 512 from 256. Batches of 512 are what `published` and `described` have here. "
        "The curve of notebook 02 is another one, of another figure (5a). These are single "
        "published curves, so this is a hint and no test.",
        *(int(falls[name, 512].split()[0]) >= 4 for name in (simple, trained)),
        **{"a": falls[simple, 512], "b": elsewhere[simple, 512]},
        **{"c": falls[trained, 512], "d": elsewhere[trained, 512]},
    )

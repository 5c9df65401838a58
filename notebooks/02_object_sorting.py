# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Sorting objects: is the Abstractor more sample-efficient?
#
# **Question.** Forty-eight random objects carry an order that is nowhere written in them. A model
# sees some sequences of ten objects with their argsort, and is then asked to sort new sequences.
# How many training sequences does it need, and what does the answer depend on?
#
# **Paper.** v1 section 4.2 and Figure 2c; v3 section 4.2, B.2.1 and Figure 5a: "the Abstractor is
# dramatically more sample-efficient than the Transformer and the Ablation model".
#
# Every number below comes from run records that ship with the repository; nothing is trained while
# this notebook runs on them. To train everything again: `abstractor reproduce --fresh --only 02`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
from dataclasses import replace

import numpy as np
import pandas as pd
from IPython.display import display

from abstractor_lib.experiments.sorting import inspect
from abstractor_lib.experiments.sorting.run import build, trial
from abstractor_lib.experiments.sorting.settings import PROTOCOLS, models
from abstractor_lib.findings.published import published
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import sorting

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("sorting", Workspace(profile, fresh))
study.state()

# %% [markdown]
# ## The task
#
# An object is a pair of attributes: one of four vectors of $\mathcal N(0, I_4)$ and one of twelve of
# $\mathcal N(0, I_8)$. Both attributes are ranked; the first decides, the second breaks ties. Below:
# all objects in their order, a row each; one sequence as a model sees it, with each object's place
# in the order; and all that its argsort depends on, the order relation $R_{ij} = [x_i \prec x_j]$.

# %%
spec = study.spec("described", "abstractor", max(study.experiment.profiles[profile].sizes))
data = trial(spec.task, 0, None)
sequence = data.split.test[0]
pictures = {
    "all objects": data.objects.vectors,
    "a sequence": data.objects.vectors[sequence],
    "its order relation": sorting.relations(sequence[None])[0],
}
figure, axes = figures.panels(list(pictures), sharey=False)
for axis, (title, picture) in zip(axes, pictures.items()):
    axis.imshow(picture, aspect="auto", cmap="viridis")
    axis.set_xlabel("object j" if title.startswith("its") else "feature")
axes[0].set_ylabel("objects in their order")
axes[1].set_yticks(range(len(sequence)), [f"place {number}" for number in sequence], fontsize=6)
axes[2].set_ylabel("object i")

# %% [markdown]
# The answer is the argsort: which position holds the smallest object, which the next, and so on.
# The decoder starts from a token of its own and reads what it has answered so far. A sequence counts
# as sorted if all ten positions are right, decoding greedily; a model that only knows which
# positions are used up sorts 1 in 10!, and is right about 29 % of positions after true ones.

# %%
task = spec.task
print("objects  ", sequence.tolist())
print("argsort  ", sorting.argsort(sequence[None])[0].tolist())

# %% [markdown]
# ## The models
#
# - **Abstractor**: Encoder, Abstractor, Decoder, two layers each (v3 architecture (b)). Relations
#   between encoded objects mix learned symbols: queries and keys from the objects, values from the
#   symbols (v1 eq. 2.5, v3 eq. 5).
# - **Ablation**: the same, but the Abstractor attends as a decoder does, queries from the symbols,
#   keys and values from the objects. Parameter counts are equal.
# - **Transformer**: Encoder and Decoder of four layers each, so that its size is comparable;
#   **Transformer 2+2** has the Abstractor's own hyperparameters, as v3 B.2.1 mentions.
# - **Symbolic**: queries from the symbols, keys from the objects, values from the symbols.
# - **Simple Abstractor**: no encoder, one layer of relational cross-attention with four heads.
# - **Relations given**: in place of objects it is told $R$, the picture above, and nothing else.

# %%
counts = {
    name: sum(part.numel() for part in build(model, task).parameters())
    for name, model in models(PROTOCOLS["described"]).items()
}
printed = {"abstractor": 386_954, "ablation": 386_954, "transformer": 469_898}
table = pd.DataFrame({"parameters": counts, "v3 B.2.1": pd.Series(printed, dtype="Int64")})
table = table.loc[list(counts)].rename_axis("model").reset_index()
study.save_table(table, "fig_v3_05a_parameters")
table

# %% [markdown]
# ## v3 Figure 5a: learning curves
#
# Three protocols. `described` is what the text says: 100 epochs, best weights by validation loss.
# `published` is what the public code's logs show: up to 200 epochs for the Abstractor and the
# Transformer, 400 for the Ablation, early stopping on the *training* loss, one draw of objects
# for all trials. `sound` gives every model and every size the same 1,500 updates.
#
# Solid: mean over trials with its 95 % interval. Small dots: single trials, since trials of one size
# differ widely. Large dots with bars, under `published`: mean and standard deviation over draws of
# objects and split. Dashed: the paper's curve with its own band. The upper axis says how many
# updates, at most, runs of a size took, of the model with least and of that with most (under
# `published` the Ablation): with epochs fixed, more sequences also mean more updates.
#
# The curve of the paper does not come out under `described`: 100 epochs of 1,000 sequences are 200
# updates, too few even for the Abstractor. Under `published` the others come out, a little before the
# paper's, and with 1,000 sequences the gap is there in every draw; but the Abstractor is late: with
# 500 sequences it sorts 0.01 to 0.76, where the paper has 0.99 (why: "What size were the batches?").
# With 1,500 updates (`sound`) the headline holds, and more clearly than in the paper: 300 sequences
# are enough for the Abstractor; of the others 1,000 are for neither, 2,000 for both.

# %%
MAIN = [
    Series("Abstractor", "abstractor", "full_sequence_accuracy"),
    Series("Ablation", "ablation", "full_sequence_accuracy"),
    Series("Transformer", "transformer", "full_sequence_accuracy"),
]
paper = {one.label: published("fig_v3_05a", one.label) for one in MAIN}
options = {"chance": None, "xlabel": "training sequences", "trials": True}
options["ylabel"] = "sequences sorted"
figure, points = curves.learning_curves(study.panels(), MAIN, paper, **options)
for axis, table in zip(figure.axes, study.panels().values()):
    curves.updates_axis(axis, table, MAIN, [300, 1000, 2000, 3000])
    axis.set_ylim(-0.03, 1.05)
study.save_figure(figure, points, "fig_v3_05a_object_sorting")

# %% [markdown]
# ## Sequences or updates?
#
# The same runs against the updates they took, one dot a trial, pale for few sequences and dark for
# many. Where dots of several shades stand above one number of updates, it is sequences that make
# the difference.

# %%
figure, points = curves.trials_by_size(
    study.panels(), MAIN, "updates", xlabel="updates taken", ylabel="sequences sorted"
)
study.save_figure(figure, points, "fig_v3_05a_updates")

# %% [markdown]
# Means where several sizes had the same number of updates. After 200 updates the Abstractor sorts
# nothing if it has seen 100 sequences, a quarter of all with 300, and not much more with 500 or 1,000:
# below some 300 it lacks sequences, from there on updates. After 1,500 it sorts everything from 300 on.
# The others sort nothing with 1,000 and nearly everything with 2,000: up to there they lack sequences.

# %%
same = points[points["updates"].isin([200, 1500])] if len(points) else points
if len(same):
    index = ["updates", "series", "protocol"]
    display(same.pivot_table("full_sequence_accuracy", index, "size").round(2))

# %% [markdown]
# How training went on the way, with 1,000 sequences: accuracy on validation sequences (after the true
# positions before each), one line a trial. Dotted: 29 %, as who knows which positions are used up but
# no order. The Abstractor goes past it. The others stay there for all of `described`. With the 1,500
# updates of `sound` they learn their 1,000 sequences by heart: the training loss goes down to about
# 0.2, but the least validation loss comes, in all runs but one, after some 200 updates. Those weights
# are what is tested. Accuracy creeps up after that, to 30 to 60 % of positions in the end, which is
# hardly a sequence whole. Within 1,500 updates it is sequences that they lack; that no number of
# updates would do is not shown (see the Ablation with smaller batches, below). Under `published`
# nothing is validated.

# %%
size = max(study.experiment.profiles[profile].further_sizes)
seen = study.histories("described", "sound")
seen = {
    f"{name}, n = {size}": table if table is None else table[table["size"] == size]
    for name, table in seen.items()
}
series = [Series(one.label, one.model, "validation_accuracy") for one in MAIN]
figure, points = curves.runs_against(
    seen, series, "update", xlabel="updates", ylabel="positions right, validation"
)
for axis in figure.axes:
    axis.axhline(0.2929, color=figures.GREY, lw=0.8, ls=":")
study.save_figure(figure, points, "fig_v3_05a_training")

# %% [markdown]
# ## How many sequences for half, and for 95 %?
#
# Training sizes at which the mean curve (made monotone) reaches a level, with intervals from a
# bootstrap over trials; `inf` where it does not within the grid, the smallest size where it starts
# above (so the Abstractor under `sound`). The intervals say how much trials differ, not what lies
# between two sizes of the grid, where the curve is interpolated. Below it, the same of the paper's
# curves. The ratios of these sizes, with their intervals, are among the claims.
# *abstractor_128* is trained in batches of 128; see the next section.

# %%
LEVELS = [0.5, 0.95]
names = [one.model for one in MAIN] + ["abstractor_128"]
sizes = study.sizes_to_reach(LEVELS, names, "full_sequence_accuracy")
study.save_table(sizes, "fig_v3_05a_sizes")
if len(sizes):
    shown = "{0.size:.0f} [{0.low:.0f}, {0.high:.0f}]".format  # to tens
    sizes["sequences"] = [shown(one) for one in sizes.round(-1).itertuples()]
    display(sizes.pivot(index=["level", "model"], columns="protocol", values="sequences"))

# %%
from abstractor_lib.findings.statistics import reached

rows = [
    {"model": label, **{f"{level:.0%}": reached(level, one["x"], one["mean"]) for level in LEVELS}}
    for label, one in paper.items()
]
pd.DataFrame(rows).round(0)  # the paper

# %% [markdown]
# ## What size were the batches?
#
# The text says 512. The published curve of the Abstractor does not look like it. (1) It reaches 0.99
# with 500 sequences, which are one batch of 512 an epoch, in 176 epochs on average: no more updates
# than `described` gives 1,000 sequences, after which ours sorts 0.09 to 0.75. (2) Its curve does not
# go down where a small batch of 512 begins, but at 900, 1,800 and 2,700, where one of 128 does (table
# below; by 0.026, 0.001 and 0.001, so this says less). Short runs of ours with batches of 64, 128 and
# 256 (not among the records) came nearest to it with 128. So `published` also has runs with batches of
# 128, with 500 and more sequences about four times as many updates an epoch: of the Abstractor at all
# sizes, of the others at two. Left: sequences sorted. Middle: epochs until training stopped, at most
# 200, and those of the logs. Right: all three models with batches of 128.
#
# With them the Abstractor comes near its published curve, in sequences sorted and in epochs. If the
# authors did train it so, their ratio of eight between the sizes for one half compares models with
# different batches; with batches of 512 for both it is near three (tables above). That the Abstractor
# is ahead does not hang on it: with batches of 128 for all, as with 512, the Transformer sorts next
# to nothing after 1,000 sequences. Of the Ablation's five trials one learned, in 2,680 updates.

# %%
SMALL = [
    Series("Abstractor", "abstractor_128", "full_sequence_accuracy"),
    Series("Abstractor", "abstractor", "full_sequence_accuracy", line=":"),
]
EPOCHS = [replace(one, metric="epochs") for one in SMALL]
SAME = [replace(one, model=f"{one.model}_128") for one in MAIN]
logged = published("sorting_epochs", "Abstractor")
table = study.frames.get("published")
if table is not None:
    table["epochs"] = table["updates"] / np.ceil(table["size"] / table["batch"])

# %%
titles = ["Abstractor", "Abstractor: epochs", "all, batches of 128"]
figure, axes = figures.panels(titles, sharey=False)
options = {"chance": None, "xlabel": "training sequences", "trials": True, "further_draws": False}
drawn = [
    curves.draw(axis, table, series, **options) for axis, series in zip(axes, (SMALL, EPOCHS, SAME))
]
for axis, one in zip(axes, (paper["Abstractor"], logged)):
    axis.plot(one["x"], one["mean"], "--", lw=1)
axes[0].set_ylabel("sequences sorted")
for axis in axes[::2]:
    axis.set_ylim(-0.03, 1.05)
styles = {"batches of 128": {}, "batches of 512": {"ls": ":"}, "paper": {"ls": "--"}}
figures.legend(figure, axes, styles)
study.save_figure(figure, pd.concat(drawn), "fig_v3_05a_batches")

# %% [markdown]
# ## Dips where a new batch begins
#
# Where the training size passes a multiple of the batch, each epoch ends with a small one: 1,600
# sequences are three batches of 512 and one of 64. Do the published curves go down at such steps (last
# batch below a fifth of a whole one), and how often do they at all others? Counted from where a curve
# has risen: the Ablation and the Transformer from 1,500, the others from 600. Those of the Ablation,
# the Transformer and the Simple Abstractor mostly go down, with batches of 512. That of the Abstractor
# does not, but it does at every such step of batches of 128, if mostly by very little.

# %%
rows = []
ASKED = [("Ablation", 512, 1500), ("Transformer", 512, 1500), ("Simple Abstractor", 512, 600)]
ASKED += [("Abstractor", batch, 600) for batch in (512, 256, 128, 64)]
for label, batch, least in ASKED:
    change = published("fig_v3_05a", label).set_index("x")["mean"].diff().loc[least:]
    small = [n for n in change.index if 0 < n % batch < batch / 5]
    there, others = change[small], change.drop(small)
    down = [f"{(part < 0).sum()} of {len(part)}" for part in (there, others)]
    rows.append((label, batch, str(small)[1:-1], there.mean(), down[0], others.mean(), down[1]))
columns = ["series", "batches of", "steps to", "change", "down", "elsewhere", "down elsewhere"]
boundaries = pd.DataFrame(rows, columns=columns)
study.save_table(boundaries, "fig_v3_05a_boundaries")

# %%
shown = {name: boundaries[name].map("{:+.4f}".format) for name in ("change", "elsewhere")}
boundaries.assign(**shown)

# %% [markdown]
# Does it happen again? The Transformer with 2,500 and with 2,600 sequences (a sixth batch, of 40)
# under `published`, one row a trial. The paper's loses 0.30 there. Ours do not: all sort more than
# 0.98 at both. (The step is among the claims.)

# %%
table = study.frames.get("published")
if table is not None:
    rows = MAIN[2].rows(table)
    rows = rows[rows["size"].isin(study.experiment.profiles[profile].boundary_sizes)]
    display(rows.pivot(index="trial", columns="size", values="full_sequence_accuracy"))

# %% [markdown]
# ## Which part of the model matters?
#
# All seven models at two sizes under `described`, one dot a trial; bars are means. Given the true
# relations, 1,000 sequences are enough in every trial: the order relation is a sufficient statistic.
# Of the models that have to find it, two have higher means than the Abstractor at this budget (0.79
# and 0.62 against 0.36, with 1,000 sequences), though five trials do not tell them apart: *Symbolic*,
# of equal size, which attends from positions to objects, and the *Simple Abstractor*, which is
# smaller and has no encoder.

# %%
LABELS = {"abstractor": "Abstractor", "simple": "Simple Abstractor", "symbolic": "Symbolic"}
LABELS |= {"ablation": "Ablation", "transformer": "Transformer", "transformer_small": "T. 2+2"}
LABELS |= {"relations": "relations given"}
table = study.frames.get("described")
chosen = study.experiment.profiles[profile].further_sizes
figure, axes = figures.panels([f"n = {size}" for size in chosen], width=1.3)
drawn = [pd.DataFrame()]
for axis, size in zip(axes, chosen if table is not None else []):
    rows = table[(table["size"] == size) & (table["variant"] == "curve")]
    colors = curves.palette(MAIN)
    drawn.append(curves.strip(axis, rows, LABELS, "full_sequence_accuracy", colors))
    axis.set(xlabel="sequences sorted", xlim=(-0.03, 1.05))
study.save_figure(figure, pd.concat(drawn), "txt_v3_4_2_models")

# %% [markdown]
# ## One model, sorting
#
# A trained Abstractor (`described`, trial 0, all training sequences) sorts a sequence it has not
# seen. First row: the relations of its two layers, two heads each, rows and columns put into the
# true order: they relate an object to those next to it in rank, more sharply in the second layer.
# Second row: where the decoder looks at each step, among positions put into the true order, and,
# below, what it answers, step by step: it goes down the diagonal.

# %%
spec = study.spec("described", "abstractor", max(study.experiment.profiles[profile].sizes))
watched = inspect.watch(spec, 0, study.weights(spec, 0))
order = watched.answer

# %%
pictures = {
    f"relation, layer {layer + 1}, head {head + 1}": one[head][order][:, order].numpy()
    for layer, one in enumerate(watched.relations)
    for head in range(len(one))
}
pictures |= {
    f"decoder layer {layer + 1}, head {head + 1}": one[head][:, order].numpy()
    for layer, one in enumerate(watched.attention)
    for head in range(len(one))
}
labels = {"xlabel": "rank", "extent": (0.5, len(order) + 0.5, len(order) + 0.5, 0.5)}
figure = figures.matrices(pictures, columns=4, ylabel="rank, or step", scale=0.7, **labels)
points = pd.DataFrame({name: picture.ravel() for name, picture in pictures.items()})
study.save_figure(figure, points, "txt_v3_4_2_one_model_sorting")

# %%
steps = watched.probability[:, order].numpy()
figure = figures.matrices({"probability of each position": steps}, ylabel="step", **labels)
pd.DataFrame(
    {
        "step": range(1, len(order) + 1),
        "position, truth": order,
        "position, chosen": watched.chosen,
        "probability": watched.probability.max(dim=-1).values.numpy().round(3),
        "place in the order": trial(spec.task, 0, None).split.test[0][watched.chosen],
    }
)

# %% [markdown]
# ## Settings: text, public code, ours
#
# What the text does not say follows the parameter counts, then the public code.

# %%
study.save_table(study.settings(), "fig_v3_05a_settings")
study.settings()

# %%
study.save_table(study.common_settings(), "fig_v3_05a_settings_common")
study.common_settings()

# %% [markdown]
# ## Claims
#
# Whether a curve is the published one can be said only where further draws of objects and split tell
# how much they matter: their spread, from the `published` runs, is the tolerance.
#
# Intervals are simultaneous over the points of a series (Bonferroni), and the worst point is shown.
# Where a model sorts in some trials and not in others, five trials leave an interval wider than most
# claims: such a point is `undecided`, even where no trial contradicts the claim. Under `published`,
# where trials share one draw of objects, differences at one size are taken over draws; statements over
# all sizes or at the largest, on smaller batches, and ratios, speak of the first draw alone. Under
# `sound` a verdict needs 90 % of the runs to have converged: their least validation loss is no longer
# falling, be it because they sort or because they have begun to overfit. Where a model does not reach
# half, or does so at the smallest size already, that end of the grid stands in, and the interval of
# the ratio is open (`inf`). Protocols whose grid is incomplete are `not run`.

# %%
columns = ["statement", "protocol", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - `abstractor run sorting --dry-run`: what a full recomputation costs.
# - Harder objects, longer sequences: `replace(spec, task=replace(spec.task, counts=(8, 12),
#   length=12))`, computed by `abstractor_lib.execution.compute.outcome`.
# - Watch another sequence, or a model that fails: `inspect.watch(spec, 0, study.weights(spec, 0),
#   sequence=7)` with the spec of the Transformer (its weights are then trained here, in minutes).

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
# # Learning an order relation from pairs
#
# **Question.** Thirty-two random vectors carry a strict order. A model sees some ordered pairs and
# is asked about pairs it has never seen. Which relational models can learn this, from how many
# pairs, and what lets them generalise?
#
# **Paper.** v1 section 4.1 and Figure 2a; v3 section 4.1 and Figure 4a.
#
# Every number below comes from run records that ship with the repository; nothing is trained while
# this notebook runs on them. To train everything again: `abstractor reproduce --fresh --only 01`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from IPython.display import display

from abstractor_lib import nn as lib
from abstractor_lib.experiments.order import inspect
from abstractor_lib.experiments.order.run import build, trial
from abstractor_lib.experiments.order.settings import PROTOCOLS, models
from abstractor_lib.findings.published import published
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import order

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("order", Workspace(profile, fresh))
study.state()

# %% [markdown]
# ## The task
#
# Objects are i.i.d. $\mathcal N(0, I_8)$ and their index is their rank. Of all ordered pairs 35 %
# are for testing and 15 % for validation; a trial draws its training pairs from the rest. Below,
# what 100 training pairs say about every pair (i, j).

# %%
size = min(100, max(study.sizes("sound")))
data = trial(study.spec("sound", "abstractor", size).task, 0, None)
shown = data.pairs[data.split.train]
found = order.inference(data.pairs, shown, data.labels[data.split.train], len(data.objects))
state = np.zeros((len(data.objects), len(data.objects)))
for level, part in enumerate([found.other, found.transitive, found.reversed], start=1):
    state[tuple(data.pairs[part].T)] = level
state[tuple(shown.T)] = 4
names = ["", "nothing decides it", "a chain decides it", "its reverse is shown", "shown"]
figure = figures.categories(state, names, f"{len(shown)} training pairs")

# %% [markdown]
# ## The models
#
# Each object is embedded by a dense layer. Then
#
# - the **Abstractor** computes relations
#   $R_{ij} = \sigma(\langle W_1^{(k)} x_i, W_2^{(k)} x_j\rangle)$ in $d_r = 4$ dimensions
#   (v1 eq. 2.4) and passes messages between learned symbols, $s_i \leftarrow \sum_j R_{ij} s_j$
#   (v1 eq. 2.2): what leaves it are symbols, mixed by relations;
# - **CoRelNet** (Kerg et al. 2022) hands on the matrix of relations itself, in one dimension,
#   symmetric in its original form;
# - the **Transformer** (v1 only) mixes the objects themselves.
#
# A dense head then decides. The Abstractor, in the library's words:

# %%
abstractor = lib.AbstractorStack(
    lib.LearnedSymbols(2, 64),
    [
        lib.AbstractorLayer(
            lib.RelationalMessagePassing(
                lib.MultiHeadRelation(64, relations=4, key_dim=16, activation="sigmoid"),
                lib.SymbolicMessagePassing(64, relations=4),
            ),
            lib.FeedForward(64, hidden=64),
        )
    ],
)
pairs = torch.randn(5, 2, 64)  # five pairs of embedded objects
abstractor(pairs).shape

# %% [markdown]
# Parameter counts, by protocol, beside those that the public notebooks print (for d = 8).

# %%
counts = pd.DataFrame(
    {
        protocol: {
            name: sum(weights.numel() for weights in build(model, dim=8).parameters())
            for name, model in models(settings).items()
        }
        for protocol, settings in PROTOCOLS.items()
    }
)
printed = published("order_parameters").query("x == 8").set_index("series")["mean"]
counts["printed by the public code"] = printed.astype("Int64")
study.save_table(counts.rename_axis("model").reset_index(), "fig_v3_04a_parameters")
counts

# %% [markdown]
# ## v3 Figure 4a: the Abstractor and two CoRelNets
#
# Three panels, one for each protocol: `described` is what the text says, `published` what the
# public code did, `sound` what we would do today (distinct pairs, fresh objects and split for every
# trial, the same number of updates at every size, best validation weights). Solid: our mean and its
# 95 % interval over n trials. Dashed: the paper's curve with its own band. Dots with bars, under
# `published`: mean and standard deviation over further draws of objects and split; the solid line
# there is a single draw, and an unlucky one.

# %%
V3 = [
    Series("Abstractor", "abstractor"),
    Series("symmetric CoRelNet", "corelnet_symmetric"),
    Series("asymmetric CoRelNet", "corelnet_asymmetric"),
]
names = ["Abstractor", "CoRelNet", "asymmetric CoRelNet"]  # what the published files call them
paper = {one.label: published("fig_v3_04a", name) for one, name in zip(V3, names)}
figure, points = curves.learning_curves(study.panels(), V3, paper)
study.save_figure(figure, points, "fig_v3_04a_order_relation")

# %% [markdown]
# ## v1 Figure 2a: Abstractor, CoRelNet, Transformer

# %%
V1 = [
    Series("Abstractor (v1)", "abstractor_v1"),
    Series("CoRelNet (v1)", "corelnet_v1"),
    Series("Transformer", "transformer"),
]
names = ["Abstractor", "CoRelNet", "Transformer"]
paper = {one.label: published("fig_v1_02a", name) for one, name in zip(V1, names)}
figure, points = curves.learning_curves(study.panels(), V1, paper)
study.save_figure(figure, points, "fig_v1_02a_order_relation")

# %% [markdown]
# ### One draw carries ten trials
#
# In the public code all trials of a figure share one draw of the objects and of the split, so its
# bands do not show the luck of that draw; under `published` ours do not either, the dots do. The
# table sets the standard deviation *between* the means of draws beside the standard error *within*
# one draw, which is all that the published bands show. At n = 50 the published mean of the
# Abstractor lies above that of every draw of ours; we have no explanation for it.

# %%
table = study.frames.get("published")
if table is not None:
    drawn = table[table["size"].isin(study.sizes("published", variant="draw"))]
    drawn = drawn[drawn["variant"].isin(["curve", "draw"])]
    each = drawn.groupby(["model", "size", "draw"])["test_accuracy"].agg(["mean", "sem"])
    spread = each.groupby(["model", "size"]).agg({"mean": ["mean", "std"], "sem": "mean"}).dropna()
    spread.columns = ["mean", "SD between draws", "SEM within a draw"]
    study.save_table(spread.reset_index(), "fig_v3_04a_draws")
    display(spread)

# %% [markdown]
# ## What the early-stopping baseline does
#
# The public notebooks stop a run after ten epochs without progress, and below a validation loss of
# 0.59 only is there progress (`patience=10, baseline=0.6, min_delta=0.01`). A model that learns
# slowly is stopped before it has begun. Solid: with that rule. Dash-dotted: the same runs trained
# freely for 100 epochs. Crosses: single free runs stored in the public notebooks (n = 400). Once
# it is let, v1's symmetric model clearly learns; v3's comes to about 0.6, which the claim below
# leaves undecided.

# %%
NAMES = ["Abstractor", "CoRelNet", "asymmetric CoRelNet"], ["Abstractor", "CoRelNet", "Transformer"]
figure, axes = figures.panels(["v3, published", "v1, published"], columns=2)
drawn = []
for axis, series, item, names in zip(axes, [V3, V1], ["fig_v3_04a", "fig_v1_02a"], NAMES):
    freely = [replace(one, variant="freely", line="-.") for one in series]
    stored = [published(item, f"{name}, trained freely") for name in names]
    paper = dict(zip([one.label for one in series], stored))
    points = curves.draw(axis, table, [*series, *freely], paper, further_draws=False)
    drawn.append(points.assign(panel=item))
axes[0].set_ylabel("test accuracy")
styles = {"with the baseline": {}, "freely": {"ls": "-."}, "stored run": {"ls": "", "marker": "x"}}
figures.legend(figure, axes, styles)
study.save_figure(figure, pd.concat(drawn), "fig_v3_04a_early_stopping")

# %% [markdown]
# ### Why can a *symmetric* relation order anything?
#
# The diagonal of its matrix holds $\|W x_i\|^2$ (up to softmax): a feature of each object, not a
# relation between two, and one that can be fitted to the ranks. The control: the same model without
# softmax, which hides nothing of the diagonal, with and without it. Without the diagonal both
# orders of a pair look alike and accuracy falls to one half or slightly below it (0.465 to 0.49 with
# all pairs: presumably since the reverse of a shown pair is given that pair's label, the wrong one).
# The statement that symmetric inner products cannot model an order holds for different objects only.

# %%
DIAGONAL = [
    Series("symmetric CoRelNet", "corelnet_symmetric"),
    Series("without softmax", "corelnet_no_softmax"),
    Series("without softmax and diagonal", "corelnet_no_diagonal"),
]
figure, points = curves.learning_curves(study.panels(), DIAGONAL)
study.save_figure(figure, points, "fig_v3_04a_diagonal")

# %% [markdown]
# ## Do several relation dimensions help?
#
# v3 explains the Abstractor's advantage by its several relation dimensions. The Abstractor with
# $d_r \in \{1, 2, 4, 8\}$, and asymmetric CoRelNet with four heads of width 16, which have exactly
# as many projection weights as one head of width 64 (dashed). Whether more dimensions help each
# model is judged under Claims.

# %%
DIMENSIONS = [
    Series("Abstractor, 1 relation", "abstractor_relations_1"),
    Series("2 relations", "abstractor_relations_2"),
    Series("4 relations", "abstractor"),
    Series("8 relations", "abstractor_relations_8"),
    Series("asymmetric CoRelNet", "corelnet_asymmetric", line="--"),
    Series("CoRelNet, 4 heads", "corelnet_multihead", line="--"),
]
figure, points = curves.learning_curves(study.panels(), DIMENSIONS)
study.save_figure(figure, points, "txt_v3_4_1_relation_dimensions")

# %% [markdown]
# ## Further baselines
#
# PrediNet, and a plain multilayer perceptron on the pair, which learns without any relation.

# %%
BASELINES = [
    Series("Abstractor", "abstractor"),
    Series("PrediNet", "predinet"),
    Series("MLP", "mlp"),
]
figure, points = curves.learning_curves(study.panels(), BASELINES)
study.save_figure(figure, points, "fig_v3_04a_baselines")

# %% [markdown]
# ## Does generalisation rest on transitivity?
#
# Both versions say that models must generalise "based on the transitivity" of the order. An unseen
# pair can follow from the training pairs in two ways, by its reverse or by a chain; or not at all.
# Dashed: all of these. Dotted, to be held against it: the closure oracle, which knows what
# follows and tosses a coin otherwise. The Abstractor is right more often where something follows;
# where nothing does it is a little better than a coin (0.5 to 0.6), as pairs far apart in rank can be
# guessed. Single dots: fewer than five trials have such a pair. Right: a check of the data, a random tournament. It is antisymmetric like
# an order, but its chains say nothing; the Abstractor learns nothing there, not even to turn a
# shown pair round.

# %%
figure, axes = figures.panels(["order, described", "order, sound", "tournament, sound"])
kinds = {"reverse shown": "reversed", "chain decides": "transitive", "neither": "other"}
drawn = []
VARIANTS = [("described", "curve"), ("sound", "curve"), ("sound", "tournament")]
for axis, (protocol, variant) in zip(axes, VARIANTS):
    series = [Series(k, "abstractor", f"{v}_accuracy", variant) for k, v in kinds.items()]
    if variant == "curve":
        series.append(Series("all of these", "abstractor", "distinct_accuracy", line="--"))
        series.append(Series("oracle, all", "abstractor", "closure_oracle_accuracy", line=":"))
    points = curves.draw(axis, study.frames.get(protocol), series)
    drawn.append(points.assign(panel=f"{protocol}, {variant}"))
axes[0].set(ylabel="accuracy of the Abstractor", ylim=(0.35, 1.02))
figures.legend(figure, axes)
study.save_figure(figure, pd.concat(drawn), "txt_v1_4_1_transitivity")

# %% [markdown]
# Pairs that a chain decides are also farther apart in rank, and far pairs are easier. Within equal
# distances in rank, the advantage of pairs that a chain decides over those that nothing decides is
# 0.1 to 0.2 under `sound`, for both models. Under `described` it is that for the Transformer, and for
# the Abstractor near zero but at 200 pairs: there most of its accuracy on chains is distance.

# %%
MATCHED = [
    Series("Abstractor", "abstractor", "transitive_advantage"),
    Series("Transformer", "transformer", "transitive_advantage"),
]
figure, points = curves.learning_curves(
    study.panels("described", "sound"), MATCHED, chance=0.0, ylabel="advantage at equal distance"
)
figure.axes[0].set_ylim(-0.3, 0.6)
study.save_figure(figure, points, "txt_v1_4_1_matched_distance")

# %% [markdown]
# ## A learned relation
#
# One trained Abstractor (`sound`, all training pairs, trial 0), applied to all objects in their
# order. Its four relations, the probability it gives to $o_i \prec o_j$, and the truth. No single
# relation looks like the order; together they give it, with doubts along the diagonal, between
# neighbours in rank.

# %%
size = max(study.sizes("sound"))
spec = study.spec("sound", "abstractor", size)
learned = inspect.learned(spec, 0, study.weights(spec, 0))
pictures = {f"relation {k + 1}": relation.numpy() for k, relation in enumerate(learned.relations)}
pictures["probability that i is before j"] = learned.probability.numpy()
pictures["truth"] = np.triu(np.ones_like(learned.probability), k=1)
figure = figures.matrices(pictures, xlabel="j", ylabel="i")
points = pd.DataFrame({k: v.ravel() for k, v in pictures.items()})
study.save_figure(figure, points, "fig_v3_04a_learned_relation")

# %% [markdown]
# ## Settings: text, public code, ours
#
# Where the text is silent, `described` follows the stated parameter counts, then the public code;
# v1 borrows v3's optimiser.

# %%
study.save_table(study.settings(), "fig_v3_04a_settings")
study.settings()

# %%
study.save_table(study.common_settings(), "fig_v3_04a_settings_common")
study.common_settings()

# %% [markdown]
# ## Claims
#
# A series holds if all its points hold and fails if one of them fails; intervals are simultaneous
# (Bonferroni) and the worst point is shown. Under `published`, where the trials share one draw, the
# interval is taken over the means of draws wherever further ones were made: trials of one draw know
# its luck only. Under `sound` a verdict needs 90 % of the runs to have converged. Failing claims
# come first; their note ends with the likely reason. Half of the trials under `described` and
# `sound` were added after the first verdicts, whose intervals were too wide to decide; the
# changelog lists what else was changed then.

# %%
columns = ["statement", "protocol", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - `abstractor run order --dry-run`: what a full recomputation costs.
# - Other objects, from the same code:
#   `spec = study.spec("sound", "mlp", 495)`, then
#   `replace(spec, task=replace(spec.task, objects=64, dim=32, train=2015))`, computed by
#   `abstractor_lib.execution.compute.outcome`.
# - `abstractor show RUNID` prints a record; `abstractor export order` all trials as a table.

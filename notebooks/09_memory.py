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
# # An external memory: kernel regression is relational cross-attention
#
# **Question.** Let symbols be labels. What relational cross-attention retrieves is then a mean of
# labels, weighted by relations: kernel regression, with as many symbols as there are memories. What
# is gained when the relation is learned, and what when the memory grows?
#
# **Paper.** v1 section 5, which names the direction and reports no experiment.
#
# Every number below comes from run records that ship with the repository. To compute them again,
# some two minutes on one core: `abstractor reproduce --fresh --only 09`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import numpy as np
import pandas as pd
import torch
from sklearn.metrics.pairwise import rbf_kernel

from abstractor_lib import nn as lib
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("memory", Workspace(profile, fresh))
amount = study.experiment.profiles[profile]
table = study.frames.get("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## The identity
#
# Kernel regression (Nadaraya 1964, Watson 1964) answers $\sum_j K(x, x_j) y_j / \sum_j K(x, x_j)$. With
# the Gaussian kernel the weights are
# $\mathrm{softmax}_j(-\|x - x_j\|^2 / 2h^2) = \mathrm{softmax}_j(\langle x, x_j\rangle / h^2 - \|x_j\|^2 / 2h^2)$,
# since the square of the query is the same for all keys: inner products of $(x/h, 1)$ and
# $(x_j/h, -\|x_j\|^2/2h^2)$, so relational cross-attention (v1 eq. 2.5) with labels for symbols. The
# two agree to rounding, below 1e-12:

# %%
random = np.random.default_rng(0)
keys, x = random.uniform(0, 10, (40, 1)), np.linspace(0, 10, 200)[:, None]
labels = np.sin(keys) + random.normal(0, 0.2, keys.shape)
memory = lib.RelationalMemory(1, 1, relation="gaussian").double()
torch.nn.init.constant_(memory.log_bandwidth, np.log(0.5))
with torch.no_grad():
    retrieved = memory(*(torch.from_numpy(part) for part in (x, keys, labels))).numpy()
kernel = rbf_kernel(x, keys, gamma=1 / (2 * 0.5**2))
bool(np.allclose(retrieved, kernel @ labels / kernel.sum(axis=1, keepdims=True), 0, 1e-12))

# %%
figure, (axis,) = figures.panels(["retrieved from 40 memories"], width=1.6)
axis.plot(keys[:, 0], labels[:, 0], ".", color=figures.GREY, label="keys and labels")
axis.plot(x[:, 0], retrieved[:, 0], label="retrieved, h = 0.5")
axis.plot(x[:, 0], np.sin(x[:, 0]), "k:", lw=1, label="sin x")
axis.set(xlabel="x", ylabel="label")
axis.legend()
axis.set_ylim(-1.6, 1.6)

# %% [markdown]
# ## Fixed and learned relations
#
# Two data sets that scikit-learn ships: *diabetes* (ten features of a patient, a number to predict;
# score R²) and *digits* (8 x 8 images, ten classes; score: share that is right). The relation is
# learned on all keys in memory by its leave-one-out error. **Gaussian** has one parameter, the
# bandwidth. **Learned metric** is the Gaussian kernel of $Wx$. **Learned inner product** is what the
# paper writes, $\langle W_Q x, W_K x_i\rangle$. Beside them, the nearest neighbours and a linear model.
# Mean and 95 % interval over ten splits; dots are splits.
#
# What is gained depends on the data. On *diabetes* both learned relations are better on average at
# 50 and 200 keys, the metric clearly so at 300, where the inner product collapses on two of ten
# splits; a linear model is as good as any. On *digits* the one-parameter kernel is best at every
# size: distances between images are hard to better.

# %%
NAMES = {"gaussian": "Gaussian", "metric": "learned metric", "inner": "learned inner product"}
NAMES |= {"neighbours": "nearest neighbours", "linear": "linear model"}
figure, axes = figures.panels(list(amount.sizes), columns=2, width=1.2, sharey=False)
drawn = []
for axis, dataset in zip(axes, amount.sizes):
    series = [
        Series(label, name, "score", dataset, "-" if name in ("gaussian", "metric", "inner") else "--")
        for name, label in NAMES.items()
    ]
    options = {"chance": None, "xlabel": "keys in memory", "trials": True}
    points = curves.draw(axis, table, series, **options)
    drawn.append(points.assign(panel=dataset))
axes[0].set_ylabel("score")
figures.legend(figure, axes)
study.save_figure(figure, pd.concat(drawn), "txt_v1_5a_learned_relations")

# %% [markdown]
# ## More memories, nothing learned
#
# The relation is learned once, on the first keys (dotted line); after that the memory grows and no
# parameter changes. The query stays as small as it was. On *digits* the Gaussian kernel gains most, a
# metric learned on few keys less, and the inner product nothing: it was fitted to those few. On
# *diabetes* intervals overlap and nothing is decided.

# %%
figure, axes = figures.panels(list(amount.sizes), columns=2, width=1.2, sharey=False)
drawn = []
for axis, dataset in zip(axes, amount.sizes):
    if table is not None:  # the point where the memory begins to grow is that of the curve
        start = table.variant.eq(dataset) & table["size"].eq(amount.few)
        rows = table[start | table.variant.eq(f"{dataset}, grown")].assign(variant="grown")
    series = [Series(NAMES[name], name, "score", "grown") for name in list(NAMES)[:3]]
    points = curves.draw(
        axis, None if table is None else rows, series, chance=None, xlabel="keys in memory"
    )
    axis.axvline(amount.few, color=figures.GREY, lw=0.8, ls=":")
    drawn.append(points.assign(panel=dataset))
axes[0].set_ylabel("score")
figures.legend(figure, axes)
study.save_figure(figure, pd.concat(drawn), "txt_v1_5a_growing_memory")

# %% [markdown]
# What is learned and what is stored, in numbers: the memory grows with its keys, the relation does
# not.

# %%
if table is not None:
    rows = table[table.variant.isin(list(amount.sizes))]
    numbers = rows.pivot_table(
        index="model", columns=["variant", "size"], values=["parameters", "stored"], aggfunc="max"
    ).astype(int)
    study.save_table(numbers.stack(["variant", "size"], future_stack=True).reset_index(), "txt_v1_5a_numbers")
numbers if table is not None else None

# %% [markdown]
# ## Which features does a learned relation look at?
#
# "The model associates the reward with particular features": the weight of each feature in the
# learned metric, $\sqrt{(W^\top W)_{ff}}$, from the weights that the first trial on *diabetes* left.

# %%
from sklearn.datasets import load_diabetes

size = max(amount.sizes["diabetes"])
spec = study.spec("described", "metric", size, "diabetes")
weights = study.weights(spec, 0)["query.weight"].square().sum(dim=0).sqrt().numpy()
figure, (axis,) = figures.panels(["learned metric, diabetes"], width=1.6, height=0.8)
names = load_diabetes().feature_names
axis.bar(names, weights)
axis.set_ylabel("weight of a feature")
study.save_figure(figure, pd.DataFrame({"feature": names, "weight": weights}), "txt_v1_5a_features")

# %% [markdown]
# ## Settings

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "txt_v1_5a_settings")
study.common_settings()

# %% [markdown]
# ## Claims
#
# Differences are paired by split; intervals are simultaneous over the sizes of a data set
# (Bonferroni), and the worst is shown.

# %%
columns = ["statement", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - `lib.RelationalMemory(dim, key_dim, relation="inner")` on data of your own; `leave_out=True` gives
#   the leave-one-out predictions to train on.
# - `abstractor export memory` gives all trials as a table.

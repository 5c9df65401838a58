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
# # What can messages between symbols compute?
#
# **Question.** An Abstractor knows its objects through their relations alone. Which functions of
# the relations does one step of message-passing give, which a second layer, which a chain of two
# Abstractors?
#
# **Paper.** v1 section 3.2 (Lemma 3.1, eq. 3.8) and section 3.3 (Lemma 3.2).
#
# Every number below comes from run records that ship with the repository. To compute them again,
# some twenty minutes on one core: `abstractor reproduce --fresh --only 06`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import numpy as np
import pandas as pd
import torch

from abstractor_lib import nn as lib
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import relations as functions
from abstractor_lib.theory import message_passing as exact

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("function_classes", Workspace(profile, fresh))
amount = study.experiment.profiles[profile]
table = study.frames.get("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## One step: $a_i = \phi(\sum_j R_{ij} s_j)$
#
# With one-hot symbols the step reproduces the relations; $\phi$ then sees all of the row $R_i$, and
# nothing of any other. (Here symbols are the rows of $S$ and states those of $A = RS$; v1 writes them
# as columns.)

# %%
relations = functions.binary(np.random.default_rng(0), 1, 4)[0]
given = torch.tensor(relations)[None, None].double()
states = lib.symbolic_message_passing(given, torch.eye(4, dtype=torch.float64))
bool((states[0, 0].numpy() == relations).all())

# %% [markdown]
# ## Are the relations still in the states?
#
# With other symbols they are read back by $R = A S^+$, uniquely exactly where the symbols are
# linearly independent: $S$ has rank $m$, which takes symbols of at least $m$ dimensions. Near that
# edge they are there but hard to read: noise on the states grows by $\|S^+\|_F / \sqrt m$. Ten objects;
# symbols with i.i.d. $\mathcal N(0, 1/d)$ entries; a dot is one of fifty draws. Line: what is to be
# expected, noise times $\sqrt{d / (d - m - 1)}$ (the mean of an inverse Wishart matrix).

# %%
m = amount.inverse_objects
titles = ["states as they are", "noise of 0.01 on the states"]
figure, axes = figures.panels(titles, width=1.2, sharey=False)
drawn = [pd.DataFrame()]
for axis, noise in zip(axes, amount.noises if table is not None else []):
    rows = table[table.model.eq("inverse") & table.noise.eq(noise)]
    axis.plot(rows["size"], rows["error"].clip(lower=1e-15), ".", ms=3, alpha=0.3)
    axis.axvline(m, color=figures.GREY, lw=0.8, ls=":")
    axis.set(xscale="log", yscale="log", xlabel="dimensions of a symbol")
    dims = np.array([d for d in sorted(rows["size"].unique()) if d > m + 1])
    expected = np.array([exact.expected_amplification(m, d) for d in dims])
    axis.plot(dims, noise * expected, "k-", lw=1) if noise else None
    drawn.append(rows[["size", "noise", "trial", "error", "amplification"]])
axes[0].set_ylabel("error of the relations, RMS")
study.save_figure(figure, pd.concat(drawn), "lem_v1_3_1_reading_back")

# %% [markdown]
# ## Lemma 3.1: arbitrary functions of a row
#
# Four functions of an object's relations to seven objects, learned with symbols of 1 to 14
# dimensions: the parity and the number of the relations that hold (binary relations), and which
# relation is the strongest, which the median one (graded relations). Mean and 95 % interval over
# trials. There are only 448 different binary rows, which stay apart when they are projected on a
# line: one dimension is enough in principle, though training finds it in some trials only, and two
# in nearly all. (A relation of an object to itself is marked by 2, so rows also tell whose they are:
# $7 \cdot 2^6$.) Graded rows fill a space, and a projection loses some of it. Seven dimensions keep
# all of a row; six would be enough for these two functions, which do not change when a constant is
# added to the row. Training finds that for the strongest (0.98), not for the median (0.59).

# %%
FIRST = {name: name for name in ("parity", "degree", "strongest", "median")}
series = [Series(name, "one_step", "accuracy", name) for name in FIRST]
figure, points = curves.learning_curves(
    {"one step": table}, series, chance=None, xlabel="dimensions of a symbol", ylabel="accuracy"
)
figure.axes[0].set_xticks(sorted(amount.symbol_dims))
figure.axes[0].axvline(amount.objects, color=figures.GREY, lw=0.8, ls=":")
study.save_figure(figure, points, "lem_v1_3_1_functions")

# %% [markdown]
# ## Equation 3.8: a second layer
#
# $a^{(2)}_i = \phi^{(2)}(\sum_j R_{ij}\,\phi^{(1)}(R_j))$ also reads the rows of the objects that i is
# related to. To how many objects is i related that are themselves related to more than half of the
# others? A row alone does not say; the dotted line is the accuracy of the best guess from it,
# counted over all relations of five objects.

# %%
LABELS = {"one_step": "one step", "two_layers": "two layers", "chain": "chain of two"}
LABELS |= {"free": "free encoders"}
figure, axes = figures.panels(["popular"], width=1.5, height=0.7)
drawn = [pd.DataFrame()]
for axis, target in zip(axes, ["popular"] if table is not None else []):
    rows = table[table.target.eq(target)]
    drawn.append(curves.strip(axis, rows, LABELS, "accuracy"))
    axis.axvline(rows["row_accuracy"].iloc[0], color=figures.GREY, ls=":")
    axis.set_xlabel("accuracy")
study.save_figure(figure, pd.concat(drawn), "eq_v1_3_8_popular")

# %% [markdown]
# ## Lemma 3.2: relations between relations
#
# Second-order properties of an object, of three kinds: is another one related to equally many; has
# another one the same row, but for the two themselves; do i → j and j → k always give i → k?
#
# One step over given relations cannot know: below, two relation tensors in which object 0 has the
# same row, so that $a_0$ is the same, and the answers differ. (2: an object and itself.)

# %%
tensors = functions.binary(np.random.default_rng(1), 4000, 5)
answers = {name: function(tensors)[:, 0] for name, function in functions.SECOND_ORDER.items()}
first = tensors[0, 0]
alike = [k for k in range(len(tensors)) if (tensors[k, 0] == first).all()]
other = next(k for k in alike if all(a[k] != a[0] for a in answers.values()))
pictures = {"one tensor": tensors[0], "another": tensors[other]}
figure = figures.matrices(pictures, limits=(0, 2), xlabel="object j", ylabel="object i", scale=0.8)
pd.DataFrame({name: found[[0, other]] for name, found in answers.items()}, index=list(pictures))

# %% [markdown]
# A chain can, and by hand: the first Abstractor hands on the rows ($S = I$); the second relates them,
# $R^{(2)}_k[i, j] = \langle\phi_k(R_i), \psi_k(R_j)\rangle$, and reads its own row of that. For equal numbers
# $\phi$ is the one-hot number of relations. For equal rows, two inner products count where one holds
# and the other does not. For i → j → k one of them says which row is j's (an object's relation to
# itself is marked, or no row could tell whose it is), another how many k are missing.

# %%
pd.DataFrame(
    {
        name: {
            "answers": found.size,
            "wrong": int((exact.second_order(tensors, name) != function(tensors)).sum()),
        }
        for (name, function), found in zip(functions.SECOND_ORDER.items(), [tensors[..., 0]] * 3)
    }
)

# %% [markdown]
# And learned. Dotted: the best that a row alone can do. One step stays there; the chain goes
# beyond, though not in every trial: comparing rows as wholes ends on a plateau in three of five.
#
# *Free encoders* is one Abstractor, with trained encoders, on objects that hold their rows. The
# proof sketch takes the first-order relation as given. Where it is learned, one Abstractor is
# enough: $\langle\phi(x_i), \psi(x_j)\rangle$ already compares two rows. What a chain is needed for are
# relations that are *given*.

# %%
targets = list(functions.SECOND_ORDER)
figure, axes = figures.panels([target.replace("_", " ") for target in targets], height=0.7)
drawn = [pd.DataFrame()]
for axis, target in zip(axes, targets if table is not None else []):
    rows = table[table.target.eq(target)]
    drawn.append(curves.strip(axis, rows, LABELS, "accuracy").assign(target=target))
    axis.axvline(rows["row_accuracy"].iloc[0], color=figures.GREY, ls=":")
    axis.set(xlabel="accuracy", xlim=(0.5, 1.02))
study.save_figure(figure, pd.concat(drawn), "lem_v1_3_2_second_order")

# %% [markdown]
# There is a second way out of the hypothesis, for any objects. A constant query makes
# $R_{ij} = \langle b_k, x_j\rangle$ a feature of $x_j$ alone; with as many relations as features every
# row of the relation tensor holds all objects, exactly:

# %%
queries = [torch.nn.Linear(3, 3).double() for _ in range(3)]
for feature, query in enumerate(queries):  # answers e_k, whatever it is asked
    torch.nn.init.zeros_(query.weight)
    query.bias.data = torch.eye(3, dtype=torch.float64)[feature]
objects = torch.randn(1, 5, 3, dtype=torch.float64)
carried = lib.InnerProductRelation(queries, [torch.nn.Identity()] * 3)(objects).detach()
bool((carried == objects.mT[:, :, None, :]).all())

# %% [markdown]
# ## Settings

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "lem_v1_3_1_settings")
study.common_settings()

# %% [markdown]
# ## Claims
#
# Intervals are simultaneous (Bonferroni); the worst point is shown. The lemmas say that parameters
# exist; what is measured is what training finds, so that a failure would not refute them. Bounds
# marked `post hoc` were set after first runs had been seen.

# %%
columns = ["statement", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - Your own function of relations: add it to `abstractor_lib.tasks.relations.TARGETS` and to the grid.
# - `abstractor show RUNID` prints a record; `abstractor export function_classes` all as a table.

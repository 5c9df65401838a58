# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Which Abstractor? Symbols, activations, layers, and what stands around it
#
# **Question.** An Abstractor has parts to choose: the kind of symbols, the relation activation, the
# number of layers. It may stand in a chain, and relate objects to themselves or not. Which of these
# choices matter, and what would a practitioner choose? Should it stand beside a path for the
# features of the objects?
#
# *Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 18_which_abstractor.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # of the one run that is begun here

# %% jupyter={"source_hidden": true} tags=["hide-input"]
from functools import partial

import numpy as np
import pandas as pd
import torch

from abstractor_lib.experiments.composition import run as composed
from abstractor_lib.experiments.composition.settings import NAMES
from abstractor_lib.experiments.partial_relations.settings import NAMES as ARCHITECTURES
from abstractor_lib.experiments.symbols_and_activations import results
from abstractor_lib.experiments.symbols_and_activations.design import FACTORS, fraction
from abstractor_lib.nn.relations import activate
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exercises, figures, live
from abstractor_lib.reporting.pictures import composition as chain_pictures
from abstractor_lib.reporting.pictures import partial_relations as mixed_pictures
from abstractor_lib.reporting.pictures import strict_bottleneck as strict_pictures
from abstractor_lib.reporting.pictures import symbols_and_activations as pictures
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import coloured, pairs, sorting
from abstractor_lib.theory.bottleneck import self_relations
from abstractor_lib.training.trainer import Trainer

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
torch.manual_seed(0)
pd.set_option("display.max_colwidth", None, "display.precision", 3)
records = Workspace(profile, fresh)
study = Study("symbols_and_activations", records, compute)
chain = Study("composition", records, compute)
strict = Study("strict_bottleneck", records, compute)
mixed = Study("partial_relations", records, compute)

# %% [markdown]
# ## Answers

# %%
means = results.shown(results.levels, study.frames)
figure, points = pictures.marginal_means(means, FACTORS)
study.save_figure(figure, points, "txt_v3_5_choices")

# %% [markdown]
# *To see: which colour has its dots far apart. Each panel is a task. Horizontal: test accuracy (in
# sorting the share of right positions, decoding greedily), the mean over all runs with that level
# of a factor (marginal mean). Bars: 95 % intervals within seeds,
# for comparing levels. Grey line: mean of all runs; dotted: chance level.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
strict.say("cost")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("headline")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("against")

# %% [markdown]
# ## The papers
#
# v3 section 2.2 says of the relation activation that softmax "may mask relevant information" in
# some tasks. Section 5 leaves to future work "the trade-offs between learned symbols, parametric
# symbols, and the use of position-relative symbols". v1 section 3.3 composes Abstractors, so that a
# second one relates what the first has found: relations between relations. v3 draws such a chain as
# architecture (e). Neither paper compares any of these. So there is one protocol for each question,
# ours, and claims were written before the runs, except those marked †.

# %% [markdown]
# ## Symbols, activations and layers
#
# A factorial of four kinds of symbols, four activations and three depths is trained on the order
# relation, on SET and on sorting, at two training sizes where models differ (sorting: at one). Each
# seed computes 16 of the 48 combinations, every pair of symbols and activation once; three blocks
# of seeds compute them all. *Relative* symbols are learned, one for each offset (in notebook 17
# they are sinusoids of it); *retrieved* symbols are looked up in a library with the object as a
# query.
#
# **Expected before the runs:** the activation matters most, since softmax forgets how strong
# relations are. Symbols matter little where there are two or three objects. Relative symbols harm
# sorting, which has to name positions. One layer is enough where relations of two objects at a time
# are. Records of other experiments had shown how activations fare on SET, so claims on that are †.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("came_true")

# %% [markdown]
# Depth of the first block of seeds:

# %%
first = pd.DataFrame(fraction(0))
first.pivot(index="symbols", columns="activation", values="depth").loc[
    list(FACTORS["symbols"]), list(FACTORS["activation"])
]

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("interactions")

# %%
means = results.shown(results.cells, study.frames)
figure, points = pictures.combinations(means, FACTORS)
study.save_figure(figure, points, "txt_v3_2_2_combinations")

# %% [markdown]
# **Figure.** Look for a row that is bright throughout: symbols that any activation would suit.
# Each panel is a task; a number is the mean test accuracy of a combination, over depths, seeds
# and training sizes. Colours go from chance level to 1.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("sizes")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("practice")

# %% [markdown] tags=["detail"]
# ### What an activation does to a row of relations
#
# Four relations of one object, none of them large. Softmax tells how they compare and forgets how
# large they are; the other three keep that:

# %%
row = torch.tensor([0.1, 0.2, 0.3, 2.0])  # of one object with four others
rows = {"as they are": row, "each larger by 1": row + 1}
pd.DataFrame(
    {
        (name, how): activate(one, name).tolist()
        for name in FACTORS["activation"]
        for how, one in rows.items()
    }
).T

# %% [markdown]
# ## Chains of Abstractors
#
# One Abstractor of several layers relates the same objects in each layer. A chain relates states:
# the second Abstractor reads what the first has found. [Notebook 06](06_message_passing.ipynb)
# finds that a chain is needed only if the first relation is given and cannot be learned. Here it is
# learned: four tasks ask of pairs of objects how their relation compares with that of other pairs,
# and models of equal size answer.
#
# **Expected before the runs:** no chain is needed. The second layer of one Abstractor mixes what
# the first has found of all pairs, and a feed-forward network can compare it.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("came_true")

# %%
figure, points = chain_pictures.accuracies(chain.frames.get("sound"), NAMES, "chain")
chain.save_figure(figure, points, "txt_v3_5_chains")

# %% [markdown]
# **Figure.** Look at how far the orange dot, a chain, lies to the right of the dot above it, one
# Abstractor of two layers. Each panel is a task that asks how the relation of a pair compares with
# those of other pairs; each row is a model, and all have as many parameters, except the MLP.
# Hollow dots are seeds, filled ones their means with 95 % intervals (Student-t).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("table_of_means")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("one_step")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("others")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("practice")

# %% [markdown] tags=["detail"]
# ### One run, from its settings to its first updates

# %%
run = chain.wanted("sound", model="chain", variant="rank")[0]
live.settings(run)

# %%
read = composed.examples(run)
train, validation = read("train"), read("validation")
objects, answers = validation.inputs[0], validation.targets[0]
print("objects", tuple(objects.shape), "answers", tuple(answers.shape))

# %%
live.seed(run)
trainer = Trainer(partial(composed.build, run.model, run.task), train, validation, run.training)
loss = trainer.step()  # one update; the loss before it, (t,)
live.beside_record(chain, run, {live.FIRST_LOSS: loss.tolist()})

# %%
live.go_on(trainer, updates)

# %% [markdown] tags=["detail"]
# ### The four tasks
#
# Four pairs with a cosine each. *rises* asks whether it is above that of the pair before, *rank*
# how many pairs have a smaller one; the first pair has none before it. Pairs of *same* share some
# of two attributes, and it asks which others share the same ones:

# %%
random = np.random.default_rng(0)
cosines = pairs.levels(random, 1, pairs=4, steps=12)
table = {"cosine": cosines[0, :, 0].round(2), "rank": pairs.rank(cosines)[0, :, 0]}
pd.DataFrame(table, index=[f"pair {k}" for k in range(1, 5)])

# %%
random = np.random.default_rng(1)
kinds = pairs.shared(random, 1, pairs=4, attributes=2, probability=0.7)
columns = [f"same as pair {k}" for k in range(1, 5)]
answers = pd.DataFrame(pairs.same(kinds)[0], columns=columns).replace(pairs.NO_ANSWER, "")
answers.assign(shared=[str(row.astype(int).tolist()) for row in kinds[0]])

# %% [markdown]
# Objects are made so that the inner product of a pair's objects is four times its cosine (each is
# as long as the root of its four features). Nothing else tells of it: rotated, both objects of a
# pair are others, and have the same cosine.

# %%
both = pairs.objects(random, cosines, 4)[0, :, :4]  # without the features that tell the place
print((both[0::2] * both[1::2]).sum(axis=1).round(2), "inner products")

# %% [markdown] tags=["detail"]
# ### A read-out of all states

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chain.say("read_out")

# %% [markdown]
# ## Relations of objects to themselves
#
# The diagonal of the relation matrix, $R_{ii}$, is a feature of one object. v3's footnote 2 says
# that masking it makes the bottleneck stricter, and that this was "unnecessary". Does masking
# cost accuracy? What does an object's abstract state tell of the object? A draft of v3 (number
# 003) adds that an MLP of two objects' features together leaks more than inner products do.
#
# **Expected before the runs:** masking costs accuracy on the order relation, where records of
# notebook 01 had shown it (†), and nowhere else.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
strict.say("came_true")

# %%
figure, points = strict_pictures.bottleneck(strict.table("sound"))
strict.save_figure(figure, points, "fn_v3_2_strict_bottleneck")

# %% [markdown]
# **Figure.** Above left: does a task need the diagonal? Dots to the right of the grey band say
# yes. They are paired differences of test accuracy with 95 % intervals, for all training sizes of
# a task at once. (Claims that ask of several tasks have wider ones.) The others: what a *probe*,
# a small network of its own, reads of an object's attributes from its abstract state, by kind of
# relations, after training (dots) and before it (squares). Dotted: chance level; dashed: what the
# answer of the task itself tells of them.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
strict.say("leak")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
strict.say("practice")

# %% [markdown] tags=["detail"]
# ### What a mask hides, and what it does not
#
# Without biases, $R_{ii} = \langle W_q x_i, W_k x_i\rangle$ is one number a relation, and the same
# of $x_i$ and of $-x_i$:

# %%
random = np.random.default_rng(0)
left, right = random.standard_normal((2, 4, 16, 8))  # four relations by 16 keys, 8 features
x = random.standard_normal((1, 8))
pd.DataFrame(
    np.concatenate([self_relations(left, right, one) for one in (x, -x)]).round(3),
    index=["x", "-x"],
    columns=[f"relation {k}" for k in range(1, 5)],
)

# %% [markdown]
# Masked relations still hold features of single objects. Below are inner products of one object
# with 1,000 others. Their mean over the others is the inner product with the mean of the others, a
# feature of the one object alone. It is zero only if the others are centred.

# %%
one, other = random.standard_normal(8), random.standard_normal((1000, 8)) + 1
rows = {"others as they are": other, "others centred": other - other.mean(axis=0)}
found = {name: [(some @ one).mean(), some.mean(axis=0) @ one] for name, some in rows.items()}
columns = ["mean relation", "relation to the mean"]
pd.DataFrame.from_dict(found, orient="index", columns=columns).round(6) + 0.0

# %% [markdown]
# ## A task that is only partially relational
#
# v3 section 3 offers four ways to put an Abstractor between input and decoder. Of (a) and (b),
# whose decoder reads abstract states alone, it says that they "would be appropriate for purely
# relational tasks". Of (c) and (d), whose decoder reads encoder states too, it says that they
# "would be more appropriate for more general tasks which are only partially relational". Where does
# the decoder's path to the encoder pay, and where does it cost?
#
# A sequence holds ten of the 48 objects of sorting. Each has a *colour* besides, one of four, drawn
# for every place of every sequence. Each answer is a position and a colour. `sort` asks for
# positions in ascending order of their objects, `report` for colours from left to right,
# `sort_and_report` for both. Token 9, say, is position 2 and colour 1:

# %%
random = np.random.default_rng(0)
some = sorting.sequences(random, 2, 3, 48)
colours = coloured.colours(random, 2, 3, kinds=4)
pd.DataFrame(
    {"objects": some.tolist(), "colours": colours.tolist()}
    | {task: coloured.answers(task, some, colours, 4).tolist() for task in coloured.TASKS}
)

# %% [markdown]
# **Expected before the runs:** the path pays where colours are asked for, and costs where the order
# is enough. (d) is far ahead of a Transformer where both are asked for. Colours pass through the
# relations of (b) all the same, as they did in a pilot.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("came_true")

# %%
figure, points = mixed_pictures.accuracies(mixed.frames.get("sound"), ARCHITECTURES)
mixed.save_figure(figure, points, "fig_v3_02_partial")

# %% [markdown]
# **Figure.** To see: the Transformer sorts nothing (left), and much if it also tells colours
# (middle). Each panel is a task, each row an architecture of v3's Figure 2 or a Transformer with
# about as many parameters as (c) and (d). In (a) and (b) the decoder reads abstract states alone;
# in (d) it reads those of the encoder as well, in (c) beside them in a branch of its own. Hollow
# dots are seeds, filled ones their means. The strict bottleneck is tried where colours are asked
# for, 3,000 sequences where both are.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("pays")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("telling")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("bottleneck")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
mixed.say("practice")

# %% [markdown]
# ## Claims
#
# All but those marked † were written before the runs, some of their bounds after a pilot.

# %%
study.claims()

# %%
chain.claims()

# %%
strict.claims()

# %%
mixed.claims()

# %% [markdown]
# ## Exercises
#
# Change the first cell of each; the cell below checks it.
#
# ### 1. What softmax cannot tell: change the relations
#
# `other` are relations of another object. Change them so that the relations of both objects are the
# same after softmax, and differ by more than 0.1 somewhere after each other activation.

# %% tags=["exercise"]
other = torch.tensor([0.1, 0.2, 0.3, 2.0])

# %% tags=["check"]
row, apart = torch.tensor([0.1, 0.2, 0.3, 2.0]), {}
for name in FACTORS["activation"]:
    apart[name] = (activate(row, name) - activate(other, name)).abs().max().item()
exercises.check(
    {
        "softmax makes them the same": apart["softmax"] < 1e-6,
        **{f"{name} does not": apart[name] > 0.1 for name in ("sigmoid", "tanh", "linear")},
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# other = torch.tensor([0.1, 0.2, 0.3, 2.0]) - 1
# ```
#
# Softmax keeps differences within a row and forgets what all of them have in common.
#
# </details>
#
# ### 2. Rank without a chain: change the read-out
#
# From the cosines of the four pairs of 1,000 examples `ranks` is to hold how many pairs of the same
# example have a smaller one.

# %% tags=["exercise"]
cosines = pairs.levels(np.random.default_rng(0), 1000, pairs=4, steps=12)[..., 0]
ranks = cosines.argsort(axis=1)

# %% tags=["check"]
drawn = pairs.levels(np.random.default_rng(0), 1000, pairs=4, steps=12)
exercises.check({"all ranks are right": bool((ranks == pairs.rank(drawn)[..., 0]).all())})

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# cosines = pairs.levels(np.random.default_rng(0), 1000, pairs=4, steps=12)[..., 0]
# ranks = (cosines[:, :, None] > cosines[:, None, :]).sum(axis=2)
# ```
#
# Each rank is a sum of comparisons of two relations: one step of attention between pairs.
#
# </details>
#
# ### 3. Open: more pairs
#
# With four pairs the states of all fit into one state of 32 features. From how many pairs on is one
# Abstractor of two layers no longer enough? The cell below draws twelve pairs; `abstractor run` has
# the option `--set` for runs of your own. We do not know the answer.

# %% tags=["exercise"]
exercise = pairs.levels(np.random.default_rng(0), 1, pairs=12, steps=36)
print(pairs.rank(exercise)[0, :, 0].tolist(), "ranks of twelve pairs")

# %% [markdown]
# ## Appendices
#
# ### Settings
#
# Of symbols, activations and layers:

# %%
study.settings()

# %% [markdown]
# Of chains:

# %%
chain.settings()

# %% [markdown]
# Of relations of objects to themselves:

# %%
strict.settings()

# %% [markdown]
# Of the partially relational task:

# %%
mixed.settings()

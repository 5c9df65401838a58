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
# # Can relations be learned in one task and used in another?
#
# **Question.** Three cards form a *SET* if, in each of four attributes, they all agree or all
# differ. A model has learned elsewhere whether *two* cards agree in an attribute. How many triples
# of cards must it then see to know what a SET is? Is this near the number that a network needs
# which is *given* these relations as symbols?
#
# *Settings: `described`, as in the paper's text; `published`, as in the public code; `sound`, ours.
# Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 11_set_modularity.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # of the one run that is begun here

# %% jupyter={"source_hidden": true} tags=["hide-input"]
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from torch import nn

from abstractor_lib.experiments.same_different.build import RandomSymbols
from abstractor_lib.experiments.same_different.run import relations
from abstractor_lib.experiments.set_relations.run import build, examples, start, starts
from abstractor_lib.experiments.set_relations.run import triples as triples_of
from abstractor_lib.experiments.set_relations.settings import PROTOCOLS, models
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exercises, figures, live, tables
from abstractor_lib.reporting.pictures import cards
from abstractor_lib.reporting.pictures import set_modularity as pictures
from abstractor_lib.reporting.study import Page, Study
from abstractor_lib.tasks import set_game
from abstractor_lib.training.fit import Examples
from abstractor_lib.training.trainer import Trainer

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
opened = Workspace(profile, fresh)
embedders, pairs = Study("cards", opened, compute), Study("same_different", opened, compute)
study, game = Study("set_relations", opened, compute), Page(opened)

# %%
figure, points = pictures.learning(study)
study.save_figure(figure, points, "fig_v3_04c_set_relations")

# %% [markdown]
# **To see: with learned, frozen relations (blue) an Abstractor learns SET from a few hundred
# triples, earlier than the symbolic MLP (green) under `published`, and later under `sound`.** Our
# version of v3 Figure 4c and v1 Figure 2b. Horizontal: training set size, logarithmic. Vertical:
# mean test accuracy. Solid, with markers: ours, ten trials, with a 95 % interval as a band. Dashed:
# the paper's curves in the colours of the same models, five trials, band of two standard errors.
# Dotted: chance level. *Frozen* relations are not changed on triples, *tuned* ones (orange) are
# trained further. A *symbolic MLP* reads 12 bits: which two cards agree in which attribute. The
# three panels are our three protocols.
#
# **Answer.**

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("solves")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("not_far")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("neither_bound")

# %% [markdown]
# **What speaks against it.** Learned relations have had 4,000 more labels, of pairs of cards; we
# did not test another model with the same labels. All holds in this architecture, with its random
# symbols and its random, frozen dense layer: the Abstractor of notebook `10_set_classification`
# trains all of its layers, and learns SET from triples alone. Under `described` the four relations
# are not learned at all. But no source describes this mixture: the relu of 32 features is ours (v1
# names no activation, v3 a relu of 64), the relation's sigmoid is the public code's. So no claim on
# SET is judged under it. A dagger (†) marks claims that are
# [post hoc](../docs/statistics.md#post-hoc).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("weak_control", others=Study("set", opened).frames)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("under_each_protocol")

# %% [markdown]
# ## The paper
#
# Version 1 (v1): section 4.5, Figures 2b and 3. Version 3 (v3): section 4.1 and appendix
# B.1.2, Figures 3 and 4c. Both say that the sample efficiency is "not far from that obtained with
# purely symbolic" relations. v1 calls the symbolic network "a lower bound on the performance
# achievable by the Abstractor", v3 "an upper bound on the performance achievable by any model".
#
# All measured numbers come from records that
# ship. To train again: `abstractor reproduce --fresh --only 11`. With papermill alone, in a tiny
# version: `papermill 11_set_modularity.ipynb out.ipynb -p profile smoke -p compute True`.
#
# ## The task
#
# A card shows one, two or three symbols. They share a shape, a colour and a filling. There is one
# card for each combination of values, 81 in all. This repository draws them itself, from outlines
# in whole numbers, so that every machine gets the same pictures.

# %%
figure, points = pictures.game()
game.save_figure(figure, points, "fig_v3_03_set_game")

# %% [markdown]
# **To see: two triples that are a SET, and one that is none.** Left: all cards. In each row
# fillings and shapes vary; colours change from row to row, and numbers every three rows.
#
# Write each value as 0, 1 or 2. Three values all agree or all differ exactly if their sum is
# divisible by 3. So any two cards are completed to a SET by exactly one third card. The counts
# follow, and a program confirms them:

# %%
triples, sets = set_game.every_triple(), set_game.every_set()
share = f"one in {len(triples) // len(sets)}"
print(f"{len(triples):,} triples without order, {len(sets):,} of them SETs: {share}")

# %% [markdown]
# Models are trained on triples of which half are SETs. So the chance level is one half.
#
# ## The models
#
# The models are made in three steps. Each step keeps what the one before has learned.
#
# **Step 1: embed the cards.** A convolutional network is trained to read the four attributes off a
# card's picture, as 12 bits. The layer before the bits, of 32 features, is the card's *embedding*.
# Then the embeddings are fixed.
# (An appendix shows how well the networks read the cards.)
#
# **Step 2: learn four relations on pairs of cards.** For each attribute an Abstractor with one
# relation is trained on 1,000 pairs of cards to say whether they agree in it. A random, frozen
# dense layer maps the embeddings $e_i$ to $x_i$. The relation is
#
# $$R_{ij} = \sigma\bigl(\tfrac{50}{64} \langle W_1 x_i + b_1, W_2 x_j + b_2 \rangle\bigr)$$
#
# with a sigmoid $\sigma$. It mixes two random, frozen symbols (v3 eq. 5), and a dense network
# answers. After training, $W_1$, $b_1$, $W_2$ and $b_2$ are kept. They are all that step 3 takes.
#
# **Step 3: SET from these relations.** An Abstractor with four relations reads three embedded
# cards. Its relations start from step 2. They mix three random, frozen symbols, and a dense network
# with two hidden layers answers. The text says that the learned relations "initialize" this model.
# The public code freezes them. We do both.
#
# | model | what it reads | its relations | whose |
# | --- | --- | --- | --- |
# | **Abstractor, frozen** | embedded cards | learned on pairs, frozen | public code |
# | **Abstractor, tuned** | embedded cards | learned on pairs, trained further | text |
# | **symbolic MLP** | 12 bits | given | text and public code |
# | **wide symbolic MLP** | 12 bits | given | ours: parameters of the first, about |
# | **symbolic Abstractor** | true $R_{ij}$, 0 or 1 | given | ours: parameters of the first |
# | **random relations** | embedded cards | random, frozen | ours |
# | **from scratch** | embedded cards | random, trained on the triples | ours |
# | **MLP on embeddings** | embedded cards | none | ours |

# %%
made = {name: build(model, 32) for name, model in models(PROTOCOLS["sound"]).items()}
trained = [live.parameters(model) for model in made.values()]
sizes = [sum(part.numel() for part in model.parameters()) for model in made.values()]
counts = pd.DataFrame({"model": [pictures.LABELS[name] for name in made]})
counts["trained parameters"], counts["frozen parameters"] = trained, np.subtract(sizes, trained)
study.save_table(counts, "fig_v3_04c_parameters")
Markdown(tables.markdown(counts))

# %% [markdown]
# *Parameters of each model. To see: the paper compares a head of some thirty thousand parameters
# with a symbolic network of some five hundred. The counts of the frozen Abstractor and of the
# symbolic MLP are those that the public notebook prints; a test holds this.*
#
# ## One run, from its settings to its first updates
#
# The smallest run of the frozen Abstractor under `sound` is begun here by hand. It starts from the
# card embeddings of step 1 and from the relations of step 2, which ship. Its settings:

# %%
smallest = min(study.sizes("sound", model="abstractor_frozen", variant="curve"))
run = study.spec("sound", "abstractor_frozen", smallest)
live.settings(run)

# %% [markdown]
# A run trains its trials together. Here are the first training triples of its first trial:

# %%
context = live.context(study)  # loads what the run starts from
part = examples(run, context)
train, validation = part("train"), part("validation")
print("reads:", tuple(train.inputs.shape), "trials, triples, cards, features of a card")
picked = triples_of(run.task, run.trials.first, run.draw).train.cards[:3]
figure, axes = figures.panels(["a SET" if one else "not a SET" for one in train.targets[0, :3]])
for axis, triple in zip(axes, picked):
    cards.lay(axis, triple[None], axis.get_title())

# %% [markdown]
# **To see: three training triples with their labels, as we draw the cards.** A model reads the
# embeddings of the three cards in place of the pictures. One class makes the model from the
# library's blocks:

# %%
print(f"{live.parameters(build(run.model, train.inputs.shape[-1])):,} parameters are trained")
live.source(RandomSymbols)

# %% [markdown]
# `build` draws a model and freezes its relations. `start` then puts the learned relations of each
# trial in their place:

# %%
live.source(start)

# %% [markdown]
# Symbols, dense layers and the order of batches are random. The run's seed gives the same again. So
# the loss before the first update is the recorded one:

# %%
live.seed(run)
trainer = Trainer(starts(run, context), train, validation, run.training)
losses = trainer.step()  # one update of each trial; the loss before it, (t,)
live.beside_record(study, run, {live.FIRST_LOSS: [losses.mean().item()]})

# %%
live.go_on(trainer, updates)

# %% [markdown]
# ## All runs
#
# Such runs, for all models, training set sizes and protocols, make the first figure. What was
# computed:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
states = [one.state().assign(experiment=one.experiment.name) for one in (embedders, pairs, study)]
pd.concat(states)[["experiment", "protocol", "runs", "found", "core minutes", "state"]]

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("frozen_or_tuned")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("nearer_to_tuned")

# %% [markdown]
# ## What the relations have learned
#
# An Abstractor can solve SET only if its relations know about agreement. Do they?

# %%
learned = pictures.relations_learned(pairs.frames)
study.save_table(learned, "fig_v3_04c_relations")
Markdown(tables.markdown(learned))

# %% [markdown]
# *To see: under `described` no relation is learned, under the other protocols all four are. Test
# accuracy on pairs, ten trials with 95 % intervals. The public notebook's number is one trial. Last
# column: how well $R_{ij}$ alone tells, of all pairs of different cards, whether they agree in the
# attribute: area $a$ under the ROC curve, or $1 - a$ if that is more, as the sign of a relation is
# arbitrary. So a relation that tells nothing lies slightly above one half. The dense network also
# reads $R_{ji}$, $R_{ii}$ and $R_{jj}$.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
scores, half = {}, {}  # before the sigmoid, first trial; half of them are larger
for protocol in pairs.complete:
    spec = pairs.wanted(protocol, variant="curve")[0]
    parent = spec.parents["embedder"]
    features = embedders.weights(parent.spec, parent.trial)["embeddings"]
    scores[protocol] = relations(spec.model, pairs.weights(spec, 0), features)  # (4, 81, 81)
    half[protocol] = scores[protocol].abs().median().item()
pairs.say("not_learned_as_described", half=half)

# %% [markdown]
# Embeddings from a relu have no upper bound; those of the public code come from a tanh. v1 has 32
# features and names no activation, v3 a relu of 64 features. The factor 50/64 is the public code's;
# the text gives none. Our first runs under `sound` had relu embeddings too, and failed in the same
# way. So the network with 32 features ends in a tanh under `sound`.

# %%
if pairs.frames:
    figure, points = pictures.what_relations_tell(pairs.frames)
    study.save_figure(figure, points, "fig_v3_04c_what_relations_tell")

# %% [markdown]
# **To see: under `published` and `sound` bright squares on the diagonal alone, where each relation
# knows its own attribute and no other; under `described` relations know nothing.** Rows: the
# attribute that a relation was taught. Columns: the attribute that it is asked about. Colour: the
# area under the ROC curve, mean of ten trials.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
pairs.say("each_knows_its_own")

# %%
if "sound" in scores:
    figure, points = pictures.relation_matrices(scores["sound"].sigmoid().numpy().round(3))
    study.save_figure(figure, points, "fig_v3_04c_relation_matrices")

# %% [markdown]
# **To see: dark blocks where two cards agree.** $R_{ij}$ for all pairs of cards, first trial
# under `sound`. Cards are in the order of number, then colour, then filling, then shape. So coarse
# blocks speak of the number, fine ones of the shape. Whether agreement is dark or bright is
# arbitrary.
#
# ## "Not far from symbolic", as a ratio of sample sizes
#
# How many triples does a model need for an accuracy of 0.9? The sizes of the grid give a
# [bracket](../docs/statistics.md#how-many-examples-are-needed-brackets): the level is not yet
# reached at its lower end, and reached from its upper end on. For each trial we divide the brackets
# of the two models, and print a 95 % interval of the median over ten trials (sign test; neither end
# is reached). For example, if a model needs between 200 and 300 triples and the symbolic MLP
# between 50 and 100, the ratio is more than 2 and less than 6. An interval is wider than the ratio
# of the medians in the table. The ratio from the paper's curves is interpolated on their means. We
# call the ratio "not far" if it is less than 2. This was fixed before the runs. Which runs count as
# converged for these claims was changed afterwards (†).

# %%
by_size, wide = pictures.sizes(study)
study.save_table(by_size, "fig_v3_04c_sizes")
Markdown(tables.markdown(wide))

# %% [markdown]
# *Training triples that half of the ten trials need for a test accuracy of at least the column's
# level. A bracket is wide where an accuracy falls again at a larger size. Under `published` an
# accuracy near one is out of reach: some test labels are wrong.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("ratio_of_the_paper")

# %% [markdown] tags=["detail"]
# ## A lower bound, an upper bound, or neither?
#
# v1 and v3 call the same symbolic network a lower and an upper bound. These are two claims. No
# bound follows from the bits: they determine the answer, but a small network may need many examples
# to use them.

# %%
figure, points = pictures.bounds(study.frames)
study.save_figure(figure, points, "fig_v3_04c_bounds")

# %% [markdown]
# **To see: curves above the green line contradict v3's upper bound; an Abstractor below it
# contradicts v1's lower bound.** Vertical: test accuracy minus that of the symbolic MLP, paired by
# trial, with 95 % intervals over all trials (ten, and those that were added) at each size alone.
# The claims take wider ones, for all sizes together. Dotted: the margin of 0.02 that claims leave.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("bounds_under_sound")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("size_of_the_bound")

# %% [markdown] tags=["detail"]
# ## What are the learned relations good for?
#
# Controls: the same model with random relations; the same model whose relations are trained on the
# triples, with no preparation; and a dense network on the embedded cards.

# %%
figure, points = pictures.controls(study)
study.save_figure(figure, points, "fig_v3_04c_controls")

# %% [markdown]
# **To see: the first row of each panel, learned relations, is far ahead of the other three.** Each
# dot is the test accuracy of one trial, each dash a mean; ten trials a row. Dotted: chance level.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("learned_matters")

# %% [markdown]
# **What else speaks against.**
#
# - The paper's own curves rest on five trials with one set of relations, one draw of triples and
#   one embedder, on other pictures of the cards. Under `published` and `described` our ten
#   trials share them likewise, under `sound` they share the embedder; their intervals do not speak
#   for other draws and embedders.
# - The embeddings of `sound` were changed twice after runs had been seen: from relu to tanh, and
#   from the network of `published` to one that reads every card. Its updates were raised from 1,500
#   to 5,000.
# - "Not far" has no number in the papers. The factor of 2 is ours.
# - Relations are learned on labels of attributes, and so is the embedder. What is transferred was
#   taught, not found.
# - Under `sound` every model has 500 validation triples beside its training triples, also the
#   smallest.
#
# **What a practitioner should do.** Compare with a baseline of the same number of parameters: a
# bound that a small network sets is a bound on small networks. State "near" as a ratio of sample
# sizes, with the bracket that the grid allows. When parts are reused, run the same parts with
# random weights, and without reuse. Keep objects apart, not rows: by SET, and by card.
#
# ## Claims
#
# [Statistics](../docs/statistics.md) has the rules of verdicts; † is
# [post hoc](../docs/statistics.md#post-hoc). The number shown is of the size that decides, with an
# interval that is simultaneous over the sizes. What the papers state or suggest:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
pairs.claims() + study.claims("stated", "suggested")

# %% [markdown]
# Controls, statements of ours:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.claims("control")

# %% [markdown]
# ## Exercises
#
# Run the cells above the first figure, then start with any exercise. Each takes less than a minute.
#
# ### 1. Close the leak: change the settings of a task
#
# The public code draws its triples as the cell below says: some test SETs are training SETs, some
# labels are wrong, and each SET always comes in the same order. Change the settings, and keep the
# number of training triples. The check draws the triples and looks at them: a test accuracy does
# not tell that its test set leaks.

# %% tags=["exercise"]
most = max(study.sizes("published", model="abstractor_frozen", variant="curve"))
task = study.spec("published", "abstractor_frozen", most).task
task = replace(task, positives="alternate")
task

# %% tags=["check"]
rows = triples_of(task, 0, 0)
ordered = {part: [tuple(one) for one in getattr(rows, part).cards] for part in ("train", "test")}
sets = {
    part: {one for one, label in zip(triples, getattr(rows, part).labels) if label}
    for part, triples in ordered.items()
}
named = {part: {tuple(sorted(one)) for one in some} for part, some in sets.items()}
right = [set_game.is_set(some.cards) == some.labels for some in rows]
parts = {"no test SET is a training SET": not named["train"] & named["test"]}
parts["all labels are right"] = bool(np.concatenate(right).all())
parts["a SET comes in several orders"] = len(sets["train"]) > len(named["train"])
parts["as many training triples"] = len(ordered["train"]) == most
exercises.check(parts)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# most = max(study.sizes("published", model="abstractor_frozen", variant="curve"))
# task = study.spec("published", "abstractor_frozen", most).task
# task = replace(task, split="sets", negatives="verified", order="shuffled")
# ```
#
# Shuffling the cards hides the leak from a comparison of rows, and does not close it: the same SET
# comes again in another order. Only a split by SETs keeps the objects apart that a model could
# remember.
#
# </details>
#
# ### 2. Eight hidden units: change the model, and train nothing
#
# How small can a symbolic network be? Set the weights of this one by hand, so that it decides SET
# from the 12 bits without any training. The bits are, attribute by attribute, whether cards 1 and
# 2, 1 and 3, 2 and 3 agree. The check asks about all triples.

# %% tags=["exercise"]
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))  # above zero: a SET
with torch.no_grad():
    model[2].bias.fill_(0.5)

# %% tags=["check"]
triples = np.random.default_rng(0).permuted(set_game.every_triple(), axis=1)
truth = torch.from_numpy(set_game.is_set(triples))
with torch.no_grad():
    answers = model(torch.from_numpy(set_game.same(triples)).float()).squeeze(-1) > 0
exercises.check(
    {
        "every SET is called one": bool(answers[truth].all()),
        "no other triple is": not answers[~truth].any(),
        "eight hidden units": live.parameters(model) == 12 * 8 + 8 + 8 + 1,
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))  # above zero: a SET
# count = torch.kron(torch.eye(4), torch.ones(1, 3))  # agreements in each attribute
# with torch.no_grad():
#     model[0].weight.copy_(torch.cat([count, count]))
#     model[0].bias.copy_(torch.tensor([0.0] * 4 + [-1.0] * 4))
#     model[2].weight.copy_(torch.tensor([[-1.0] * 4 + [1.5] * 4]))
#     model[2].bias.fill_(0.5)
# ```
#
# Of three values 0, 1 or 3 pairs agree, and 1 is what no SET has. With $c$ pairs that agree,
# $\mathrm{relu}(c) - 1.5\,\mathrm{relu}(c - 1)$ is 1 for $c = 1$, and 0 for the others. So the
# symbolic MLP, with four times the units, is not too small to know SET; it needs many triples to
# find out.
#
# </details>
#
# ### 3. Open: does the order of the cards cost triples?
#
# A SET has no order, but the models' symbols belong to places. Nobody has tried whether the models
# need fewer triples if each is shown in all six orders. The cell below does it for the symbolic
# Abstractor, whose rows and columns of relations are permuted together. Set `steps` to those of
# the run, compare the validation loss with that of the run as recorded, then go on to the frozen
# Abstractor and to all sizes. An answer is the ratio of triples needed for an accuracy of 0.9, with
# its bracket over ten trials, for the models of the first figure.

# %% tags=["exercise"]
steps = 0  # updates
smallest = min(study.sizes("sound", model="symbolic_abstractor", variant="curve"))
spec = study.spec("sound", "symbolic_abstractor", smallest)
part, orders = examples(spec), [list(one) for one in permutations(range(3))]
relations, labels = part("train").inputs, part("train").targets
shown = torch.cat([relations[..., order, :][..., order] for order in orders], dim=1)
print("as recorded:", tuple(relations.shape), "in all orders:", tuple(shown.shape))
live.seed(spec)
in_all_orders = Examples(shown, labels.repeat(1, len(orders)))
live.go_on(Trainer(starts(spec), in_all_orders, part("validation"), spec.training), steps)

# %% [markdown]
# ## Appendices
#
# ### The networks that embed the cards
#
# The embeddings have 64 features in v3's classification, and 32 in v1's and in the notebook behind
# v3's Figure 4c. The text trains "until it reaches perfect accuracy and near-zero loss".

# %% jupyter={"source_hidden": true} tags=["hide-input"]
accuracies = pictures.embedders(embedders.frames)
study.save_table(accuracies, "fig_v3_03_embedders")
Markdown(tables.markdown(accuracies))

# %% [markdown]
# *One row for each network, over all 81 cards. `card_accuracy` is the share of cards all of whose
# bits are right. `deck_loss` is the cross-entropy of the bits. `closest_pair` is the distance of
# the two closest embeddings, as a share of the mean distance. The network of seed 0 is the one that
# all other runs of its protocol use.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
embedders.say("misread")

# %% [markdown]
# ### What information passes the bottleneck?
#
# A model behind the relations sees numbers between cards, not the cards. Linear probes (logistic
# regressions) ask what is left. One probe names the value of an attribute of the first of three
# cards; the chance level is one third. Another says whether the first two cards agree in an
# attribute; always saying no is right for about two thirds. Probes are fitted on triples of 54
# cards and asked about triples of the other 27.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
probed = pictures.probes(pairs.frames)
study.save_table(probed, "fig_v3_04c_probes")
Markdown(tables.markdown(probed))

# %% jupyter={"source_hidden": true} tags=["hide-input"]
pairs.say("passes_the_bottleneck")

# %% [markdown]
# *Mean accuracy over the four attributes; ten trials with 95 % intervals. A linear probe cannot
# compute agreement from embeddings. (The diagonal $R_{ii}$ and biases let some information on
# single cards through.) An accuracy below chance is possible: probes are asked about cards that
# they were not fitted on.*
#
# ### Cards that no training triple holds, and other embedders
#
# Under `sound` we also set 27 cards aside. Test triples hold only these, training triples only the
# other 54. (The embedder and the four relations have seen all 81 cards.) The rows `embedder_1` and
# `embedder_2` repeat the frozen Abstractor of `published` with two other embedders, and with
# relations learned on them.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
variants, wide = pictures.variants(study.frames)
study.save_table(variants, "fig_v3_04c_variants")
Markdown(tables.markdown(wide))

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("unseen_cards")

# %% [markdown]
# ### Leakage and wrong labels in the public data set
#
# The public code draws SETs with replacement and gives each SET one fixed order, then divides rows
# at random. So some test SETs are training SETs, card by card: with 5,000 rows and 1,080 SETs, with
# probability $1 - (1 - 1/1080)^{n/2}$. The code labels three random cards as no SET. Where they
# form one by chance, that label is wrong. Under `sound` no test SET is a training SET, and labels
# are right.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
leaks = pictures.leaks(study.frames)
study.save_table(leaks, "fig_v3_04c_leakage")
Markdown(tables.markdown(leaks))

# %% [markdown]
# *The frozen Abstractor under `published`, means of ten trials. "Seen" SETs are training SETs,
# "new" ones are not. With few training triples there are few seen SETs. What leakage adds to the
# test accuracy is the measured share of seen SETs, times one half, times the gap between seen and
# new.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("leaks")

# %% [markdown]
# ### Further trials, and which had converged
#
# Under `sound` ten trials left both claims on the frozen Abstractor undecided. So ten more were
# added for the two models, with relations and triples of their own. They count once all of their
# runs are there (†).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("trials_that_decide")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
wanted = study.plans["sound"].unfinished["further trials"]  # runs that are not there yet
how = 'abstractor run set_relations --part "further trials" computes them'
print(f"not run: {wanted} runs; {how}") if wanted else None

# %% [markdown]
# Under `sound` a size decides nothing where fewer than nine tenths of the trials converged of a
# model whose further training could have changed the verdict. A model that has converged need not
# have learned. The share that has converged, by model:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
if "sound" in study.frames:
    shares = pictures.converged(study.frames["sound"])
    study.save_table(shares, "fig_v3_04c_converged")
Markdown(tables.markdown(shares)) if "sound" in study.frames else None

# %% [markdown]
# ### Colours, and cards without a SET
#
# Two of the three colours look alike to colour-blind readers. A second palette differs in lightness
# too. All pictures on these pages can be drawn in it.

# %%
figure, points = pictures.palettes()
game.save_figure(figure, points, "fig_v3_03_palettes")

# %% [markdown]
# **To see: the same SET in both palettes.**
#
# How many cards can lie on the table without a SET? More than 20 are not possible (Pellegrino
# 1971): among 21 cards there always is a SET. Our own search finds 20:

# %%
most = set_game.without_set()
print(f"{len(most)} cards, with {len(set_game.find_sets(most))} SETs among them")
figure, points = pictures.without_set()
game.save_figure(figure, points, "fig_v3_03_without_set")

# %% [markdown]
# **To see: no three of these 20 cards form a SET.**
#
# ### Settings: what the protocols differ in
#
# Step 1, the networks that embed the cards:

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.save_table(embedders.settings(), "fig_v3_03_settings")
Markdown(tables.markdown(embedders.settings()))

# %% [markdown]
# Step 2, relations of pairs:

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.save_table(pairs.settings(), "fig_v3_04c_settings_pairs")
Markdown(tables.markdown(pairs.settings()))

# %% [markdown]
# Step 3, SET:

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.save_table(study.settings(), "fig_v3_04c_settings")
Markdown(tables.markdown(study.settings()))

# %% [markdown]
# ### Settings: what all protocols share

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
shared = [one.common_settings().assign(experiment=one.experiment.name) for one in (pairs, study)]
study.save_table(pd.concat(shared), "fig_v3_04c_settings_common")
Markdown(tables.markdown(pd.concat(shared)))

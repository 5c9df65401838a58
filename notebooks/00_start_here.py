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
# # Start here: relational cross-attention and the Abstractor
#
# **What this is.** The *Abstractor* is a Transformer module for reasoning about relations. It
# computes relations between objects and passes on nothing else about them. These notebooks take the
# papers on it apart: models, experiments and theorems, run again and measured. This page explains
# the module in 15 minutes to those who know Transformers (queries, keys, values, encoder, decoder).
#
# **Where to go.**
#
# - *What does it do?* Read on here: sections 1 to 5.
# - *Does it help?* [02](02_object_sorting.ipynb) on sorting, then
#   [10](10_set_classification.ipynb) on the game of SET. [Findings](../docs/findings.md) has all
#   answers, the [README](../README.md) the main ones.
# - *What is proved?* The theory, in order: [05](05_mercer_kernels.ipynb) to
#   [08](08_sparse_recovery.ipynb).
# - *How do I use it?* Section 6, then [90](90_your_own_task.ipynb) on a task of your own.
# - *Something else?* Section 7 lists all notebooks with the question that each answers.
#
# **Which file?** Open `NN_topic.ipynb`: it holds text, code and results. Its twin `NN_topic.py` is
# the source of the same notebook, for version control. The two are paired, so saving one in
# JupyterLab writes the other. You never need to open the `.py`.
#
# **Paper.** All notebooks call two versions of one paper v1 and v3.
#
# - **v1** (May 2023): *Abstractors: Transformer Modules for Symbolic Message Passing and Relational
#   Reasoning*. It has the theory. Here: section 2 and Figure 1.
# - **v3** (October 2023): *Abstractors and relational cross-attention: An inductive bias for
#   explicit relational reasoning in Transformers*. It has more experiments and the architectures.
#   Here: sections 2 and 3, Figures 1 and 2.
#
# Words are in the [glossary](../docs/glossary.md). No model is trained on this page; every number
# is computed while it runs. With papermill: `papermill 00_start_here.ipynb out.ipynb`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # write to build/PROFILE instead of the shipped files

# %% jupyter={"source_hidden": true} tags=["hide-input"]
import pandas as pd
import torch
from IPython.display import HTML, Markdown
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib import paths
from abstractor_lib.nn import tracing
from abstractor_lib.pages.index import catalogue, inventory
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exhibits, figures, live
from abstractor_lib.reporting.pictures import attention as pictures
from abstractor_lib.reporting.pictures import diagrams
from abstractor_lib.reporting.study import Page
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.theory.bottleneck import read_out

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 2)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
page = Page(Workspace(profile, fresh))
double = {"dtype": torch.float64}  # so that every processor prints the same digits
_ = torch.manual_seed(0)

# %%
example = pictures.example()  # ten objects of 16 features, and two layers
figure, points = pictures.both(example)
page.save_figure(figure, points, "fig_v3_01_attention")

# %% [markdown]
# **Figure.** *To see: the last square of the lower row is empty: nothing of a moved object passes.*
# v3 Figure 1, computed. Upper row: self-attention. Lower row: relational cross-attention. Each
# square is a matrix with a row for each object $i$; the bar below it is its colour scale. Red:
# features of objects. Blue: relations. Purple: both, mixed. Grey: symbols. Last column: Euclidean
# norm of the change of output $i$ (row) when object $j$ (column) moves in directions that leave all
# relations as they are. One draw of the objects. (A move that changes relations does reach the
# output.)
#
# **Answer.** Attention computes relations between objects, then mixes *values* by these relations.
# Self-attention mixes the objects themselves. Relational cross-attention mixes *symbols*: vectors
# that say which object is meant, and nothing about its features. So only relations pass. **What
# speaks against it.** Single objects leak through in three ways, and only two can be closed
# (section 3). A relation that is learned can be a function of one object. Which tasks gain from
# such a bottleneck is a question for experiments.
#
# ## 1. Relational cross-attention changes one argument of attention
#
# Many tasks depend only on how objects *relate*. To sort cards, it is enough to know for every two
# cards which one comes first. The picture on a card does not matter otherwise. The papers ask for a
# layer that passes on such relations and nothing else.
#
# Let $x_1, \dots, x_m$ be the objects, vectors of $d$ features. Attention first computes
# **relations** between them, then mixes **values** by these relations:
#
# $$R_{ij} = \sigma(\langle W_q x_i, W_k x_j\rangle)$$
#
# Here $R_{ij}$ is the relation of object $i$ to object $j$. Self-attention mixes the objects (v3
# eq. 3):
#
# $$x_i' = \sum_j R_{ij}\, W_v x_j$$
#
# Relational cross-attention mixes **symbols** $s_1, \dots, s_m$ (v1 eq. 2.5, v3 eq. 4 to 6):
#
# $$a_i = \sum_j R_{ij}\, W_v s_j$$
#
# For example, $s_j$ is a trained vector for position $j$, the same for every input. The results
# $a_i$ are called **abstract states**. As in a Transformer, several heads compute several relations
# side by side. The activation $\sigma$ is softmax over $j$, or an elementwise function such as
# sigmoid. Inner products are scaled by one over the square root of the key width, as usual.
#
# In torch, only the third argument of attention changes: `value=symbols` instead of
# `value=objects`. Below, torch's own attention and the library's module get the same weights. Their
# outputs are equal.

# %%
objects, symbols = example.objects, example.symbols
torch_attention = nn.MultiheadAttention(16, num_heads=1, bias=False, batch_first=True, **double)
ours = lib.RelationalCrossAttention(16, lib.Heads(1, bias=False), **double)
parts = (ours.query, ours.key, ours.value)
for part, weight in zip(parts, torch_attention.in_proj_weight.chunk(3), strict=True):
    part.weight.data = weight.data
ours.output.weight.data = torch_attention.out_proj.weight.data

expected, _ = torch_attention(query=objects, key=objects, value=symbols)
print("equal:", torch.allclose(ours(objects, symbols), expected))

# %% [markdown]
# ### Move an object
#
# In this exhibit relations are inner products. Drag an object, or move it with the arrow keys, and
# see what changes. A button moves it where no relation looks: then the output of self-attention
# changes, and that of relational cross-attention does not.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
HTML(exhibits.drag_an_object())

# %% [markdown]
# Relations of a trained model can be dragged, too:
# <a href="#drag-an-object:preset=1&relation=4&activation=sigmoid&chosen=3">a relation that an
# Abstractor has learned on pairs in an order</a>.

# %% [markdown]
# ## 2. Symbols are a bottleneck: only relations pass
#
# v1 speaks of a **relational bottleneck**, which "only allows information about relations (that is,
# inner-products)" to reach the abstract states (v1 section 2.4). The reason is in the last
# equation. The objects enter it through $R_{ij}$ alone, and the symbols are the same for every
# input. The experiment of the first picture shows what that means.
#
# One head compares ten objects of 16 features. Its maps $W_q$ and $W_k$ have four rows each. They
# see eight directions of the objects; the other eight directions are unseen. We move every object
# in unseen directions. All relations stay exactly as they were. What leaves the layer?
#
# Self-attention and relational cross-attention get the same $W_q$ and $W_k$. All other maps are the
# identity, so the outputs are the products $R X$ and $R S$. The rows of $X$ are the objects, the
# rows of $S$ the symbols.

# %%
live.source(pictures.example)

# %%
others, attention, relational = example.others, example.attention, example.relational
with torch.no_grad():
    mixed, relations = attention(objects, objects, objects, need_weights=True)
    mixed_others, relations_others = attention(others, others, others, need_weights=True)
    states, states_others = relational(objects, symbols), relational(others, symbols)
changed = {
    "relations": (relations_others - relations).abs().max().item(),
    "self-attention": (mixed_others - mixed).abs().max().item(),
    "relational cross-attention": (states_others - states).abs().max().item(),
}
assert max(changed["relations"], changed["relational cross-attention"]) < 1e-12

# %% jupyter={"source_hidden": true} tags=["hide-input"]
Markdown(
    "**The moved features pass through self-attention. They do not pass through relational "
    "cross-attention.** Entries of self-attention's output change by up to "
    f"{changed['self-attention']:.2f}; the largest entry was {mixed.abs().max():.2f}. Entries of "
    "relational cross-attention's output change by less than $10^{-12}$, which is rounding error."
)

# %% [markdown]
# v1 section 2.3 draws a conclusion: this "enables greater out-of-distribution generalization
# ability". Objects may change "as long as the transformed inner products are approximately
# preserved".
#
# The bottleneck limits the *kind* of information, not its amount. All inner products of some
# vectors, for example, determine these vectors up to a rotation or reflection.

# %% [markdown]
# ## 3. Two leaks that can be closed, and one that cannot
#
# What can a linear map read from an output? Take 4,000 random sequences of five objects with six
# features each. Fit a linear map from output 0 to a quantity of interest on one half of the
# sequences. Then compute $R^2$ on the other half: 1 means that the quantity is read exactly, 0 (or
# slightly less) that nothing is read.
#
# Relations are linear here, $R_{ij} = \langle x_i, x_j\rangle$ up to scale. The symbols are five
# different unit vectors. They keep the relations apart (v1 section 3.2), so output 0 holds every
# relation of object 0.

# %%
m, d = 5, 6
linear = {"activation": "linear", "bias": False}
heads, strict = lib.Heads(1, **linear), lib.Heads(1, **linear, strict=True)
no_diagonal = lib.Heads(1, **linear, relation_bias=True, diagonal=False)  # no R_ii
leaky = lib.RelationalCrossAttention(d, no_diagonal, **double)
layers = {
    "self-attention": lib.MultiHeadAttention(d, heads, **double),
    "relational": lib.RelationalCrossAttention(d, heads, **double),
    "relational, no diagonal, biases": leaky,
    "relational, strict": lib.RelationalCrossAttention(d, strict, **double),
}
for layer in layers.values():
    layer.query.weight.data = layer.key.weight.data = torch.eye(d, **double)
leaky.query.bias.data = torch.ones(d, **double)

# %%
sequences = torch.from_numpy(generator(0, "sequences").normal(size=(4000, m, d)))
wanted = {
    "features of object 0": sequences[:, 0],
    "squared norm of object 0": sequences[:, 0].square().sum(dim=-1, keepdim=True),
    "sum of features of object 1": sequences[:, 1].sum(dim=-1, keepdim=True),
    "relations of object 0": torch.einsum("nd,njd->nj", sequences[:, 0], sequences[:, 1:]),
}
rows = []
for name, layer in layers.items():
    values = (sequences, sequences) if name == "self-attention" else (torch.eye(m, d, **double),)
    output = layer(sequences, *values)[:, 0].detach().numpy()
    rows.append((name, *(read_out(output, one.numpy()) for one in wanted.values())))
leaks = pd.DataFrame(rows, columns=["layer", *wanted])
page.save_table(leaks, "fn_v3_2_read_out")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
own, plain, leak, strict = leaks.set_index("layer").to_numpy()
assert max(own[3], plain[0], *strict[:3]) < 0.01 and min(plain[1], plain[3], strict[3]) > 0.99
Markdown(
    f"**Self-attention hands on features ($R^2$ = {own[0]:.2f}). Relational cross-attention hands "
    f"on all relations ($R^2$ = {plain[3]:.2f}), and single objects leak through it.** "
    f"The squared norm of object 0 passes ($R^2$ = {plain[1]:.2f}). Without the diagonal, but with "
    f"biases (here all are one), the sum of the features of object 1 passes ($R^2$ = "
    f"{leak[2]:.2f}). With `strict=True` neither passes."
)

# %%
leaks.set_index("layer").round(2) + 0.0

# %% [markdown]
# *Table: $R^2$ of the linear map from output 0, on 2,000 sequences that were not used to fit it.
# Rows: layers. Columns: what is read.*
#
# A linear map reads no relation from self-attention, where each relation is multiplied by an
# object. v3 section 2.2 calls relations and features "entangled" there. The leaks of relational
# cross-attention are:
#
# - **The diagonal.** $R_{ii} = \langle W_q x_i, W_k x_i\rangle$ depends on one object alone. v3
#   footnote 2 calls this "a leakage of non-relational information". It names masking the diagonal
#   as a remedy, and finds it "unnecessary in our experiments".
# - **The biases.** With a bias $b$ in the query, $R_{ij}$ contains $\langle b, W_k x_j\rangle$, a
#   feature of object $j$ alone. v3 equation 6 has no bias; below equation 2 v3 calls such maps
#   "linear or affine", and some models of the public code have biases. Masking the diagonal does
#   not close this leak.
#
# `strict=True` masks the diagonal and drops the biases of query and key.
#
# **A third leak stays open.** Let objects be drawn from finitely many, here six, that are linearly
# independent. Then some direction $v$ has $\langle v, x\rangle = 1$ for each of them. If each row
# of $W_q$ is $v$, every object has the same query $(1, \dots, 1)$. So
# $R_{ij} = \langle (1, \dots, 1), W_k x_j\rangle$ is a function of object $j$ alone.

# %%
possible = torch.from_numpy(generator(1, "objects").normal(size=(6, d)))  # each object is one
v = torch.linalg.solve(possible, torch.ones(6, **double))  # <v, x> = 1 for all six
third = lib.RelationalCrossAttention(d, lib.Heads(1, **linear, strict=True), **double)
third.query.weight.data, third.key.weight.data = v.repeat(d, 1), torch.eye(d, **double)
some = possible[torch.from_numpy(generator(0, "draws").integers(6, size=(4000, m)))]  # (n, m, d)
output = third(some, torch.eye(m, d, **double))[:, 0].detach().numpy()
read = read_out(output, some[:, 1].sum(dim=-1, keepdim=True).numpy())
print(f"strict, sum of features of object 1: R^2 = {read:.2f}")

# %% [markdown]
# A projection that is trained can become such a $W_q$, so a bottleneck alone does not ensure that
# only relations are used. Notebook [18](18_which_abstractor.ipynb) asks a strict Abstractor for the
# colours of ten objects, and it learns to tell them.

# %% [markdown]
# ## 4. The Abstractor: layers of relational cross-attention
#
# An **Abstractor** is to relational cross-attention what an encoder is to self-attention. Each
# layer is relational cross-attention and a feed-forward network, with residual connections and
# layer norms if wanted (v3 Algorithm 1). States start as the symbols, $A = S$. Each layer then
# mixes the states of the layer before. The relations are always relations of the objects $X$.
#
# The loop below is v3 Algorithm 1, written out, with a second residual connection and norm around
# the feed-forward network, which the public code has and the algorithm does not print. It gives
# what the module gives.

# %%
abstractor = lib.Abstractor(16, heads=4, layers=2, symbols=10, **double).eval()
A = abstractor.symbols(objects)  # A = S
for layer in abstractor.layers:
    A = layer.norm(A + layer.relational(objects, A))  # relations of X mix the states A
    A = layer.feedforward(A)  # with its own residual connection and norm
print("equal:", torch.allclose(abstractor(objects), A))

# %% [markdown]
# Five choices make an Abstractor:
#
# | choice | argument | what it decides |
# | --- | --- | --- |
# | symbols | `symbols=` | a number of trained vectors, or a module of the list below |
# | relation activation | `heads=Heads(4, activation=...)` | what $R_{ij}$ depends on |
# | symmetry | `Heads(4, symmetric=True)` | $W_q = W_k$: $R_{ij} = R_{ji}$ before softmax |
# | strict bottleneck | `Heads(4, strict=True)` | closes the first two leaks of section 3 |
# | self-attention | `self_attention=True` | states attend to themselves, too (v1 Algorithm 4) |
#
# - *Symbols* are trained vectors by position (`LearnedSymbols`), sinusoids (`SinusoidalSymbols`),
#   vectors by distance $j - i$ (`RelativeSymbols`, v3 eq. 7), or vectors retrieved from a library
#   (`RetrievedSymbols`). Retrieved symbols depend on the objects: with them features can pass.
# - *Activation.* With softmax, $R_{ij}$ depends on all objects of the sequence. With `sigmoid`,
#   `tanh`, `relu` or `linear`, it depends on objects $i$ and $j$ alone.
# - *Symmetry* suits relations such as "same colour".
#
# In a whole model an encoder usually reads the objects first, and a decoder reads the abstract
# states. v1 Figure 1 shows this framework. Below it is drawn from an untrained model with 16
# features.

# %%
small = {"dim": 16, "heads": lib.Heads(2, key_dim=16), "hidden": 16, "layers": 1, **double}
source, target = nn.Linear(12, 16, **double), nn.Embedding(11, 16, **double)
model = lib.sequence_to_sequence("b", source, target, 10, symbols=10, **small)
lib.initialise(model, "torch")
inputs, tokens = torch.randn(1, 10, 12, **double), torch.randint(10, (1, 10))
shown = tracing.states(model, inputs, tokens)
figure = diagrams.framework(shown, tracing.arrows(model, inputs, tokens))
shapes = pd.DataFrame({name: value.shape for name, value in shown.items()}).T
shapes = shapes.set_axis(["rows", "columns"], axis=1).rename_axis("state").reset_index()
page.save_figure(figure, shapes, "fig_v1_01_framework")

# %% [markdown]
# **Figure.** *To see: right of the vertical line, nothing is red or purple but the arrow that ends
# in $R$.* v1 Figure 1, with the states of a real model. Each rectangle is a matrix with a row for
# each object (or target token); the bar below it is its colour scale. $R$ is the first head of the
# Abstractor. Arrows say what they carry: red and solid, features of objects; purple and
# dash-dotted, features and relations mixed; blue and dashed, relations; grey and dotted, symbols.

# %% [markdown] tags=["detail"]
# ## 5. The architectures
#
# v3 section 3 distinguishes two kinds of tasks. A task is **purely relational** if relations
# contain all that is needed to predict the target; sorting is one. A task is **partially
# relational** if relations matter but do not suffice; one of v3's examples is mathematics
# questions. The architecture should fit the task:
#
# | v3 Figure 2 | for | the decoder attends to | used in |
# | --- | --- | --- | --- |
# | (a) | purely relational tasks | abstract states | v3 4.2, pre-training |
# | (b) | purely relational, after an encoder | abstract states | v3 4.2, sorting |
# | (c) | partially relational; both read the input | encoder and abstract states | |
# | (d) | partially relational; one after the other | encoder and abstract states | v3 4.3 |
# | (e) | relations between relations | states of the second Abstractor | none |
#
# Section 4.2 of v3 is on sorting, section 4.3 on mathematics; (e) is left to future work. **Only
# relations reach the decoder in (a), (b) and (e). In (c) and (d) features reach it beside them.**

# %%
small, drawn = {"dim": 8, "heads": lib.Heads(2, key_dim=8), "hidden": 8, "layers": 1, **double}, {}
for name, title in diagrams.ARCHITECTURES.items():
    source, target = nn.Linear(12, 8, **double), nn.Embedding(11, 8, **double)
    symbols = {} if name == "transformer" else {"symbols": 10}
    model = lib.sequence_to_sequence(name, source, target, 10, **symbols, **small)
    drawn[title] = tracing.arrows(model, inputs, tokens)
page.save_figure(diagrams.architectures(drawn), diagrams.table(drawn), "fig_v3_02_architectures")

# %% [markdown]
# **Figure.** *To see: in (c) and (d) a purple arrow ends at the decoder; in (a), (b) and (e) none
# does.* v3 Figure 2, drawn from the modules. An arrow means that one block receives what another
# block returns. Colour and line style say what the arrow carries. They come from derivatives: does
# what is returned change with the objects, and does it still change when all relations of the
# Abstractors are held fixed?

# %% [markdown]
# ## 6. Use it in a model of your own
#
# The modules are plain torch modules: batch first, and `True` in a mask means ignore.
#
# **One layer.** Below, a Transformer encoder of yours gets a relational readout. The readout sees
# the encoded objects only through their relations.

# %% tags=["tutorial"]
import torch
from torch import nn

from abstractor_lib.nn import Heads, LearnedSymbols, RelationalCrossAttention

layer = nn.TransformerEncoderLayer(32, 4, dropout=0.0, batch_first=True)
encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
symbols = LearnedSymbols(count=50, dim=32)  # for up to 50 objects
attention = RelationalCrossAttention(32, Heads(4, activation="sigmoid"))
head = nn.Linear(32, 2)

objects = torch.randn(8, 20, 32)  # your batch: 8 sequences of 20 objects
padding = torch.arange(20) >= torch.tensor([[20]] * 4 + [[15]] * 4)  # True: not an object
encoded = encoder(objects, src_key_padding_mask=padding)
states, relations = attention(
    encoded, symbols(encoded), key_padding_mask=padding, need_weights=True
)
kept = (~padding).unsqueeze(-1)
scores = head((states * kept).sum(dim=1) / kept.sum(dim=1))  # the mean of the objects' states

# %% [markdown]
# The relations can be looked at. Padding has none, so it does not change the scores.

# %% tags=["tutorial"]
assert scores.shape == (8, 2)
assert relations.shape == (8, 4, 20, 20)  # for each sequence and head, object i to object j
assert not relations[4:, :, :, 15:].any()  # no relation to padding
short = encoder(objects[4:, :15])
alone = head(attention(short, symbols(short)).mean(dim=1))
assert torch.allclose(scores[4:], alone, atol=1e-5)  # the same scores without padding
scores.sum().backward()

# %% [markdown]
# **A module.** `Abstractor` takes an encoder's place where you want relations alone. **A
# classifier.** `AbstractorClassifier` adds input map, optional encoder, pooling and output map.

# %%
abstractor = lib.Abstractor(64, heads=4, layers=2, symbols=10)  # 10 learned symbols
classifier = lib.AbstractorClassifier(12, 3, dim=64, heads=4, layers=2, symbols=10)
print(tuple(abstractor(torch.randn(8, 10, 64)).shape), "abstract states")
print(tuple(classifier(torch.randn(8, 10, 12)).shape), "scores of three classes")

# %% [markdown]
# **A sequence-to-sequence model.** `sequence_to_sequence` builds the architectures of section 5 by
# name, `initialise` sets the papers' initial weights, `greedy_decode` decodes with cached keys and
# values. The sizes below are those of v3's sorting experiment.

# %%
sizes = {"dim": 64, "heads": lib.Heads(2, key_dim=64), "hidden": 64, "layers": 2, "symbols": 10}
sorter = lib.sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)
lib.initialise(sorter).eval()
tokens = lib.greedy_decode(sorter, torch.randn(3, 10, 12), length=10, start=10)
parameters = sum(part.numel() for part in sorter.parameters())
assert parameters == 386_954  # what v3 B.2.1 states
print(f"{tuple(tokens.shape)} decoded tokens, {parameters:,} parameters, as v3 B.2.1 states")

# %% [markdown]
# Before you use them:
#
# - **Does your task need features of single objects?** Then do not use an Abstractor alone. Give
#   the features a path of their own, as (c) and (d) do, or concatenate them with the abstract
#   states.
# - **How long are your sequences?** `LearnedSymbols(count=50)` allows at most 50 objects.
#   `SinusoidalSymbols` and `RelativeSymbols` allow any number.
# - **Do you compare sequences of two objects?** `strict=True` removes $R_{ii}$, so each object has
#   one relation left. Softmax of a single number is always 1, so nothing passes. Use a sigmoid.
# - The modules work under `torch.compile(fullgraph=True)`, `torch.export`, autocast and
#   `torch.func.vmap`. Each docstring has shapes, equation, source and an example that runs.
#
# [90_your_own_task](90_your_own_task.ipynb) trains such models on a task that is in no paper.

# %% [markdown]
# ## 7. Where to read on
#
# The other notebooks test what the papers state, under up to three sets of settings
# ([protocols](../docs/protocols.md)). Notebooks 01 to 19 read records: results of training that
# ship with the repository. In each you can begin one run yourself.
#
# | notebook | which question it answers |
# | --- | --- |
# | [01_order_relations](01_order_relations.ipynb) | Which models learn an order relation from pairs of objects, and from how many pairs? |
# | [02_object_sorting](02_object_sorting.ipynb) | How many training sequences do an Abstractor, a Transformer and an ablation need to sort ten objects? |
# | [03_pretraining](03_pretraining.ipynb) | Does a learned order help to learn another one, and which part carries it? |
# | [04_robustness](04_robustness.ipynb) | Which corruptions of its objects does a trained sorter survive, and do kept inner products explain it? |
# | [05_mercer_kernels](05_mercer_kernels.ipynb) | Which relations are inner products of networks, and what do symmetric ones miss? |
# | [06_message_passing](06_message_passing.ipynb) | Which functions of the relations can one layer, two layers and a chain of two Abstractors compute? |
# | [07_robust_recovery](07_robust_recovery.ipynb) | Can relations be read back exactly from abstract states with errors? |
# | [08_sparse_recovery](08_sparse_recovery.ipynb) | Can sparse relations be read back when there are more symbols than features? |
# | [09_memory](09_memory.ipynb) | Is kernel regression relational cross-attention, and does a larger memory help? |
# | [10_set_classification](10_set_classification.ipynb) | Which models learn whether three cards form a SET, by the rule or by heart? |
# | [11_set_modularity](11_set_modularity.ipynb) | Do relations that were learned on pairs of cards help to learn SET, and how far is that from symbols? |
# | [12_mathematics](12_mathematics.ipynb) | Which sequence-to-sequence models learn to answer mathematics questions, and how fast? |
# | [13_function_learning](13_function_learning.ipynb) | In function learning, do differences and a learned window help a Transformer to extrapolate? |
# | [14_simplicial_attention](14_simplicial_attention.ipynb) | How can an entity attend to pairs of entities, and what does such attention cost? |
# | [15_box_world](15_box_world.ipynb) | In the world that its agents play in, what does a win rate say about reasoning? |
# | [16_simplicial_agents](16_simplicial_agents.ipynb) | Does attention to pairs help agents to learn that world by reward? |
# | [17_open_questions](17_open_questions.ipynb) | Which of the questions that the papers leave open have an answer? |
# | [18_which_abstractor](18_which_abstractor.ipynb) | Which symbols, activation and number of layers, and when a chain? |
# | [19_relatives](19_relatives.ipynb) | Do rules that an Abstractor learned hold for objects it was never shown? |
# | [90_your_own_task](90_your_own_task.ipynb) | How do I compare an Abstractor with baselines on a task of my own? |
#
# For experiments, read 01 and then 02. For theory, read 05 to 08 in order; 09 and 90 stand alone.
# 14, 15 and 16 are about another paper, *Logic and the 2-Simplicial Transformer*, 13 about
# *Beyond Transformers for Function Learning*; 17 to 19 ask questions that the papers leave open.
# [Findings](../docs/findings.md) has what was found, the [README](../README.md) the main lines.

# %% [markdown]
# ## Appendices
#
# For readers of the papers. Nothing above needs what follows.
#
# ### The papers' algorithms as settings of one module
#
# All are settings of `AbstractorStack`. A test holds each against the algorithm written out in
# loops.

# %%
relation = lib.MultiHeadRelation(64, relations=4, key_dim=16, activation="tanh")  # v1 Algorithm 2
passing = lib.SymbolicMessagePassing(64, relations=4, combine="mix")  # v1 eq. 2.2
messages = lib.RelationalMessagePassing(relation, passing)
passed = lib.RelationalMessagePassing(lib.GivenRelation(), passing)  # relations in place of objects
cross = lib.RelationalCrossAttention(64, heads=4)  # v3 eq. 6
own = lib.MultiHeadAttention(64, heads=4)
phi, network = lib.MLP([64, 64, 64]), lib.FeedForward(64, hidden=64)
S, relative = lib.LearnedSymbols(10, 64), lib.RelativeSymbols(64)

# %%
layers = {
    "v1 Algorithm 1": (S, lib.AbstractorLayer(passed, phi), "states"),
    "v1 Algorithm 3": (S, lib.AbstractorLayer(messages, phi), "states"),
    "v1 Algorithm 4": (S, lib.AbstractorLayer(cross, phi, self_attention=own), "symbols"),
    "v3 Algorithm 1": (S, lib.AbstractorLayer(cross, network, residual=True, norm=64), "states"),
    "v3 eq. 7": (relative, lib.AbstractorLayer(cross, network), "states"),
}
shapes = {}
for name, (symbols, layer, values) in layers.items():
    abstractor = lib.AbstractorStack(symbols, [layer], values=values)
    inputs = (8, 4, 10, 10) if name == "v1 Algorithm 1" else (8, 10, 64)
    shapes[name] = {"from": inputs, "to": tuple(abstractor(torch.randn(inputs)).shape)}
pd.DataFrame(shapes).T

# %% [markdown]
# ### General updates (v1 eq. 2.1) and shared embedders (v1 eq. 2.4)
#
# v1 eq. 2.1 lets a symbol be updated by *any* function of the set $\{(R_{ij}, s_j)\}_j$; eq. 2.2 is
# the linear case, $\sum_j R_{ij} s_j$. `SetMessagePassing` is the general one. An example of the
# difference: the symbols are equal, one object has the relations 2 and 0, another has 1 and 1. Only
# the general update can tell the two objects apart.

# %%
one_two = torch.tensor([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])[None, None]
same = torch.ones(3, 4)  # equal symbols: only the relations differ
linear = lib.symbolic_message_passing(one_two, same)[0, 0]
general = lib.SetMessagePassing(4, relations=1, hidden=16)(one_two, same)[0]
print("eq. 2.2 tells 2 + 0 from 1 + 1:", not torch.allclose(linear[0], linear[1]))
print("eq. 2.1 tells 2 + 0 from 1 + 1:", not torch.allclose(general[0], general[1]))

# %% [markdown]
# Relations can come from separate encoders (v1 eq. 2.3), or from one shared embedder followed by
# projections (v1 eq. 2.4). v1 section 2.2 states that eq. 2.4 loses nothing: a shared embedder can
# list the outputs of all separate encoders, and each projection can pick one. The cell does this.

# %%
left, right = (nn.ModuleList(nn.Linear(6, 3) for _ in range(2)) for _ in range(2))
separate = lib.InnerProductRelation(left, right)  # eq. 2.3
embedder = nn.Linear(6, 12)  # all four encoders, one after the other
embedder.weight.data = torch.cat([phi.weight.data for phi in (*left, *right)])
embedder.bias.data = torch.cat([phi.bias.data for phi in (*left, *right)])
shared = lib.MultiHeadRelation(12, 2, 3, embedder=embedder, activation="linear")  # eq. 2.4
shared.left.weight.data, shared.right.weight.data = torch.eye(12).split(6)  # pick the halves
x = torch.randn(8, 5, 6)
print("eq. 2.4 gives eq. 2.3:", torch.allclose(shared(x), separate(x), atol=1e-6))

# %% [markdown]
# ### Where the papers leave a choice
#
# Each entry names the place, what is open there, and what we do.
#
# - *v3 eq. 2, 5, 6 against eq. 3, 4.* As printed, with objects as columns, one is the transpose of
#   the other. We follow eq. 3 and 4: output $i$ sums over $j$, softmax runs over $j$. The public
#   code does the same.
# - *v1 Algorithm 4.* As printed, each layer mixes the symbols $S$ and drops the states before.
#   `values="symbols"` is the algorithm as printed, `values="states"` that of v3.
# - *v3 eq. 7.* Relative symbols are defined for the first layer only. Deeper layers mix
#   $a_j + s_{j-i}$, starting from $a_j = 0$.
# - *v3 footnote 2.* Masking the diagonal leaves the leak through biases. `strict=True` closes both
#   of these; `diagonal=False` masks alone.
# - *v3 Figure 2 (e).* Is there an encoder? Yes, as v1 section 2.5 writes.
# - *v3 Figure 2 (c), (d).* In which order does the decoder read its two contexts? Encoder states
#   first, then abstract states.
# - *v3 Algorithm 2.* The public code has a whole decoder layer for each context; v1 section 2.5
#   also names concatenation. `sensory="alternate"` is Algorithm 2, `"layers"` the public code,
#   `"concatenate"` the concatenation.
#
# ### Notation of the four papers
#
# They are v1, v3, and those of notebooks 13 (function learning) and 14 (2-simplicial attention).
# A row for each quantity. First column: our letter, with the name that code has for it in brackets.

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
notation = pd.read_csv(paths.data() / "notation.csv", index_col="here").fillna("")
notation.rename_axis("here (in code)")

# %% [markdown]
# ### Where each figure, theorem and statement is treated
#
# `abstractor index` prints the same list with files and tests, and the items that are still open.

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
titles = {item["id"]: item["title"] for item in inventory()}
where = [(name, titles[name], one["notebook"]) for name, one in catalogue()["item"].items()]
pd.DataFrame(where, columns=["item", "title", "notebook"]).set_index("item")

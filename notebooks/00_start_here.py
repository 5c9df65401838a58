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
# # Start here: what relational cross-attention is
#
# **Question.** What do the papers on Abstractors ask, what is relational cross-attention, and where
# in this repository is the rest?
#
# **Paper.** v1 section 2 and Figure 1; v3 sections 2 and 3, Figures 1 and 2. (v1 is the version of
# May 2023, with the theory; v3 the one that compares architectures.)
#
# A Transformer layer mixes what objects *are* with how they *relate*. Many problems need the second
# alone: sorting does not depend on what the things are, only on which of two comes first. v1 and v3
# propose a layer that can pass on nothing but relations, and ask
#
# 1. what such a layer can and cannot compute (v1 sections 3 and 5);
# 2. whether relations survive noise in it (v1 sections 3.4, 3.5);
# 3. whether it learns relational tasks from fewer examples, generalises, and stays robust (both);
# 4. whether it helps where relations are only part of the problem (v3 section 4.3).
#
# Two more papers share the idea: relations of *three* objects in a Transformer (the 2-simplicial
# Transformer), and curves extrapolated from differences of values (function learning).

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # write to build/PROFILE instead of the shipped files

# %%
import numpy as np
import pandas as pd
import torch
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib import paths
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import diagrams, figures, tracing
from abstractor_lib.reporting.index import catalogue, inventory
from abstractor_lib.reporting.study import Page
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.theory.bottleneck import read_out, unseen_directions

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
page = Page(Workspace(profile, fresh))
_ = torch.manual_seed(0)

# %% [markdown]
# ## Self-attention beside relational cross-attention
#
# Both compute relations $R_{ij} = \sigma(\langle W_q x_i, W_k x_j\rangle)$ between objects, then mix
# *values* by them. Self-attention mixes the objects, $\sum_j R_{ij} W_v x_j$ (v3 eq. 3); relational
# cross-attention mixes **symbols**, $\sum_j R_{ij} W_v s_j$ (v1 eq. 2.5, v3 eq. 4 to 6): vectors that
# say *which* object is meant but nothing about it.
#
# Ten objects with 16 features, one head that sees 8 directions of them (in double precision, so that
# other processors give the same digits):

# %%
double = torch.float64
attention = lib.MultiHeadAttention(16, heads=1, key_dim=4, dtype=double)
relational = lib.RelationalCrossAttention(16, heads=1, key_dim=4, dtype=double)
for part in (attention, relational):
    lib.initialise(part, "torch")
    part.query.weight.data *= 2.0  # clearer relations
relational.query, relational.key = attention.query, attention.key  # the same relations

x = torch.from_numpy(generator(0, "objects").normal(size=(10, 16)))
symbols = lib.LearnedSymbols(10, 16, dtype=double)(x).detach()

# %% [markdown]
# Now replace every object by another one with the *same inner products*: it moves in the directions
# that neither $W_q$ nor $W_k$ sees. Relations stay exactly as they are. What leaves self-attention
# changes; what leaves relational cross-attention cannot.

# %%
weights = (attention.query.weight.detach().numpy(), attention.key.weight.detach().numpy())
unseen = torch.from_numpy(unseen_directions(*weights))  # (8, 16)
moves = torch.from_numpy(generator(0, "moves").normal(size=(10, 16))) @ unseen.T  # as it looks there
other = x + 2 * moves @ unseen

with torch.no_grad():
    mixed, relations = attention(x, x, x, need_weights=True)
    mixed_other = attention(other, other, other)
    states, states_other = relational(x, symbols), relational(other, symbols)

# %%
pairs = {
    "relations": (relational(other, symbols, need_weights=True)[1], relations),
    "output of self-attention": (mixed_other, mixed),
    "output of relational cross-attention": (states_other, states),
}
largest = {name: (new - old).abs().max().item() for name, (new, old) in pairs.items()}
pd.Series({name: f"{value:.3f}" for name, value in largest.items()}, name="largest change")

# %% [markdown]
# Object by object: move one object j in the same way, and see how much output i changes.

# %%
changes = {"self": np.zeros((10, 10)), "relational": np.zeros((10, 10))}
with torch.no_grad():
    for j in range(10):
        moved = x.clone()
        moved[j] = other[j]
        changes["self"][:, j] = (attention(moved, moved, moved) - mixed).norm(dim=-1)
        changes["relational"][:, j] = (relational(moved, symbols) - states).norm(dim=-1)

# %%
both = [("objects X", x.numpy(), "Reds"), ("relations R", relations[0].numpy(), "Blues")]
last = "change of i\nwhen j moves unseen"
own = [("values: X", x.numpy(), "Reds"), ("output", mixed.numpy(), "Purples")]
given = [("values: symbols S", symbols.numpy(), "Greys"), ("output", states.numpy(), "Blues")]
rows = {
    "self-attention": [*both, *own, (last, changes["self"], "Oranges")],
    "relational cross-attention": [*both, *given, (last, changes["relational"], "Oranges")],
}
figure = diagrams.computation(rows)

# %%
points = [
    pd.DataFrame(matrix.T).melt(ignore_index=False).assign(layer=layer)
    for layer, matrix in changes.items()
]
points = pd.concat(points).rename_axis("j").reset_index()
points = points.rename(columns={"variable": "i", "value": "change"}).round(6)
page.save_figure(figure, points[["layer", "i", "j", "change"]], "fig_v3_01_attention")

# %% [markdown]
# *v3 Figure 1. Red: features of objects, blue: relations, purple: both mixed. What relational
# cross-attention mixes holds no feature of any object; these reach its output through relations
# only.* The largest entry of its last panel is rounding error.
#
# ### What a linear map can read from the output
#
# Over 4,000 random sequences of five objects: how much of object 0's features does output 0 hold,
# and how much of its relations (share of variance explained on unseen sequences; 1 is all, 0 is
# nothing)? The relations are linear here, and the symbols wide enough to carry all of them (v1
# Lemma 3.1). Two leaks remain: the diagonal $R_{ii}$, here the square norm of $x_i$, is a feature
# of one object, and with a bias $b$ in the query, $R_{ij}$ contains $\langle b, W_k x_j\rangle$, a
# feature again. Masking the diagonal as v3 footnote 2 suggests is therefore not enough;
# `strict=True` also drops the biases.

# %%
m, d = 5, 6
linear = {"dim": d, "heads": 1, "key_dim": d, "activation": "linear", "dtype": double}
layers = {
    "self-attention": lib.MultiHeadAttention(**linear, relation_bias=False),
    "relational": lib.RelationalCrossAttention(**linear, relation_bias=False),
    "relational, diagonal masked, biases": lib.RelationalCrossAttention(**linear, diagonal=False),
    "relational, strict": lib.RelationalCrossAttention(**linear, strict=True),
}
for layer in layers.values():
    layer.query.weight.data = layer.key.weight.data = torch.eye(d, dtype=double)
    if layer.query.bias is not None:
        layer.query.bias.data = torch.ones(d, dtype=double)

# %%
sequences = torch.from_numpy(generator(0, "sequences").normal(size=(4000, m, d)))
wanted = {  # of output 0
    "features of object 0": sequences[:, 0],
    "square norm of object 0": sequences[:, 0].square().sum(dim=-1, keepdim=True),
    "a feature of object 1": sequences[:, 1].sum(dim=-1, keepdim=True),
    "relations of object 0": torch.einsum("nd,njd->nj", sequences[:, 0], sequences[:, 1:]),
}
rows = []
for name, layer in layers.items():
    values = (sequences, sequences) if name == "self-attention" else (torch.eye(m, d, dtype=double),)
    output = layer(sequences, *values)[:, 0].detach().numpy()
    rows.append((name, *(read_out(output, one.numpy()) for one in wanted.values())))
found = pd.DataFrame(rows, columns=["layer", *wanted])
page.save_table(found, "fn_v3_2_read_out")
found

# %% [markdown]
# ## The framework of v1
#
# Three kinds of states: encoder states E, abstract states A, decoder states D; a relational
# bottleneck between E and A. Below, an untrained model of the size used for sorting (386,954
# parameters), its states on ten random objects, one object or token a row.

# %%
sizes = {"dim": 64, "heads": 2, "key_dim": 64, "hidden": 64, "layers": 2, "length": 10}
model = lib.sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)
lib.initialise(model)
objects, tokens = torch.randn(1, 10, 12), torch.randint(10, (1, 10))
shown = tracing.states(model, objects, tokens)
figure = diagrams.framework(shown, tracing.arrows(model, objects, tokens))
shapes = pd.DataFrame({name: value.shape for name, value in shown.items()}).T
shapes = shapes.set_axis(["rows", "columns"], axis=1).rename_axis("state").reset_index()
page.save_figure(figure, shapes, "fig_v1_01_framework")
print(f"{sum(part.numel() for part in model.parameters()):,} parameters")

# %% [markdown]
# The algorithms of the two versions are settings of one `AbstractorStack`; its documentation has them
# as a table, and a test holds each against the algorithm written out in loops.

# %%
relation = lib.MultiHeadRelation(64, relations=4, key_dim=16, activation="tanh")  # v1 Algorithm 2
passing = lib.SymbolicMessagePassing(64, relations=4, combine="mix")  # v1 eq. 2.2
messages = lib.RelationalMessagePassing(relation, passing)
cross = lib.RelationalCrossAttention(64, heads=4, key_dim=16)  # v3 eq. 6
own = lib.MultiHeadAttention(64, heads=4, key_dim=16)
phi, network = lib.MLP([64, 64, 64]), lib.FeedForward(64, hidden=64)
S, relative = lib.LearnedSymbols(10, 64), lib.RelativeSymbols(64)

# %%
given = lib.RelationalMessagePassing(lib.GivenRelation(), passing)  # relations in place of objects
layers = {
    "v1 Algorithm 1": (S, lib.AbstractorLayer(given, phi), "states"),
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
# Two more forms. v1 eq. 2.1 lets a symbol be updated by *any* function of the set
# $\{(R_{ij}, s_j)\}_j$; `SetMessagePassing` is that, for instance with what no linear message
# passing has, a different answer to one relation of 2 and to two relations of 1. And relations can
# come from separate encoders (v1 eq. 2.3) or from one shared embedder with projections (eq. 2.4);
# a shared embedder that lists the separate encoders one after the other gives the same relations.

# %%
one_two = torch.tensor([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])[None, None]
same = torch.ones(3, 4)  # equal symbols: only the relations differ
linear = lib.symbolic_message_passing(one_two, same)[0, 0]
general = lib.SetMessagePassing(4, relations=1, hidden=16)(one_two, same)[0]
print("eq. 2.2 tells 2 + 0 from 1 + 1:", not torch.allclose(linear[0], linear[1]))
print("eq. 2.1 tells 2 + 0 from 1 + 1:", not torch.allclose(general[0], general[1]))

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
# ## The architectures of v3
#
# (a) and (b) are for purely relational tasks: the decoder sees abstract states alone. In (c) and (d)
# it also sees what an encoder made of the objects. (e) computes relations of relations. The diagrams
# are drawn from the modules: an arrow is there because one block received what another returned.

# %%
titles = {"transformer": "Transformer", **{name: f"({name})" for name in "abcde"}}
small = {"dim": 8, "heads": 2, "key_dim": 8, "hidden": 8, "layers": 1, "length": 10}
drawn = {}
for name, title in titles.items():
    model = lib.sequence_to_sequence(name, nn.Linear(12, 8), nn.Embedding(11, 8), 10, **small)
    drawn[title] = tracing.arrows(model, objects, tokens)
page.save_figure(diagrams.architectures(drawn), diagrams.table(drawn), "fig_v3_02_architectures")

# %% [markdown]
# A decoder with two contexts attends to them in turn in each layer (v3 Algorithm 2,
# `sensory="alternate"`), through a whole decoder layer for each (the public code, `"layers"`), or to
# both as one sequence (v1 section 2.5, `"concatenate"`).

# %% [markdown]
# ## Symbols across the four papers

# %%
pd.read_csv(paths.data() / "notation.csv", index_col="here").fillna("")

# %% [markdown]
# ## Use it in your own model
#
# The modules are plain torch: batch first, `True` in a mask means ignore, relations on request. An
# encoder layer of yours becomes relational by giving its attention symbols for values:

# %% tags=["tutorial"]
import torch
from torch import nn

from abstractor_lib.nn import LearnedSymbols, RelationalCrossAttention

layer = nn.TransformerEncoderLayer(32, 4, dropout=0.0, batch_first=True)
encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
symbols = LearnedSymbols(count=50, dim=32)
attention = RelationalCrossAttention(32, heads=4, key_dim=8, activation="sigmoid")
head = nn.Linear(32, 2)

objects = torch.randn(8, 20, 32)  # your batch: 8 sequences of 20 objects
padding = torch.arange(20) >= torch.tensor([[20]] * 4 + [[15]] * 4)  # True: not an object
encoded = encoder(objects, src_key_padding_mask=padding)
states, relations = attention(
    encoded, symbols(encoded), key_padding_mask=padding, need_weights=True
)
kept = (~padding).unsqueeze(-1)
scores = head((states * kept).sum(dim=1) / kept.sum(dim=1))  # the mean of the objects' states

# %% tags=["tutorial"]
assert scores.shape == (8, 2)
assert relations.shape == (8, 4, 20, 20)  # a relation tensor for each head, to look at
assert not relations[4:, :, :, 15:].any()  # padding has no relations,
short = encoder(objects[4:, :15])  # so the scores are those without it
alone = head(attention(short, symbols(short)).mean(dim=1))
assert torch.allclose(scores[4:], alone, atol=1e-5)
scores.sum().backward()

# %% [markdown]
# Whole models: `Abstractor(dim, heads, layers, symbols=...)`, `AbstractorClassifier`,
# `sequence_to_sequence` (the architectures above), `greedy_decode`. They work under
# `torch.compile(fullgraph=True)`, `torch.export`, autocast and `torch.func.vmap`; `initialise` gives
# the papers' initial weights. The notebook `90_your_own_task` trains such models on a task that is in
# no paper, and makes the task a section of this repository.

# %% [markdown]
# ## Where everything is
#
# | question | look at |
# | --- | --- |
# | does a statement of the papers hold? | the table in `README.md`, or `abstractor claims` |
# | where is Figure 4a, Theorem 3.1, ...? | `abstractor index`; the list below |
# | how was a number computed? | the settings table of its notebook; `abstractor show RUNID` |
# | can I trust it? | `abstractor audit --budget 60` computes records again |
# | how do I run it? | `make reproduce` redraws everything, `make test` tests it, `make lab` opens it |
# | how do I compute it myself? | `abstractor reproduce --fresh --only 01`; on a GPU `abstractor run order --device cuda` |
# | how does a module work? | its documentation: shapes, equation, source, an example that runs |
# | how do I add a task of mine? | `90_your_own_task` |
# | how do I cite this? | `CITATION.cff`: this software, and the papers it accompanies |

# %%
titles = {item["id"]: item["title"] for item in inventory()}
where = [(name, titles[name], one["notebook"]) for name, one in catalogue()["item"].items()]
pd.DataFrame(where, columns=["item", "title", "notebook"]).set_index("item")

# %% [markdown]
# **What to try next.** Another `activation` in the first figure; `strict=True` in it, moving objects
# along directions that change only the diagonal; `sensory="concatenate"` in the diagrams. Then
# `01_order_relations`.

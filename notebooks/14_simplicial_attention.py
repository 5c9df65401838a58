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
# # How can an entity attend to a pair of entities?
#
# **Question.** In a Transformer, an entity $i$ attends to another entity $j$. The weight comes from
# a dot product. In a *2-simplicial Transformer*, an entity $i$ attends to a *pair* $(j, k)$. The
# weight comes from a product of three vectors. What does this product measure? What does attention
# to pairs cost? Which attention does it give before any training? And what does one layer of it
# learn?
#
# *Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 14_simplicial_attention.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # of the one training run that is begun here

# %% jupyter={"source_hidden": true} tags=["hide-input"]
from functools import partial

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from abstractor_lib import nn as lib
from abstractor_lib.experiments.simplicial_attention import appendix_c
from abstractor_lib.experiments.three_way.run import build, examples
from abstractor_lib.experiments.three_way.sizes import sizes
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exercises, figures, live
from abstractor_lib.reporting.pictures import geometry, simplicial
from abstractor_lib.reporting.pictures import three_way as three_way_pictures
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import three_way
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.theory import clifford, simplices
from abstractor_lib.training.trainer import Trainer

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("simplicial_attention", Workspace(profile, fresh), compute)
table = study.table("described")
three = Study("three_way", Workspace(profile, fresh), compute)

# %% [markdown]
# ## The answer
#
# The logit is the number that softmax turns into an attention weight. Fix two unit keys $l^1$ and
# $l^2$ in three dimensions, and let the query $p$ run over the unit sphere. The maps show the
# paper's logit, the *unsigned scalar triple product* $\langle p, l^1, l^2\rangle$.

# %%
directions, _ = geometry.sphere_grid()
keys = {angle: geometry.keys_apart(angle) for angle in (90, 45, 10)}
maps = {angle: simplices.triple_product(directions, *pair) for angle, pair in keys.items()}
titled = {f"keys {angle}° apart": values for angle, values in maps.items()}
figure, points = geometry.around_keys(
    titled, dict(zip(titled, keys.values())), label="triple product"
)
study.save_figure(figure, points, "eq_simplicial_7_sphere")

# %% [markdown]
# *To see: left, a bright band along the plane of the keys; right, no contrast at all. Each map is
# the sphere of all query directions, with equal areas. Colour: the triple product with the two
# marked keys. The plane of the keys is the horizontal line. The poles are the directions at right
# angles to both keys.*
#
# **Answer.**

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("logits", maps=maps)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("cost")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("start")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
three.say("in_short")

# %% [markdown]
# **What speaks against it.** Counts are not times, and the entities at the start are random: those
# that come from a board of Box World may be more alike. The relationship of the paper's Figure 1 is
# a conjunction of relations of two entities, which ordinary attention can compute, too: see the
# task. (For † see [post hoc](../docs/statistics.md#post-hoc).)
#
# ## The paper
#
# *Logic and the 2-Simplicial Transformer* (called *simplicial* here), section 2, Remark 4.1 and
# appendices A, B and C. It defines the product, states the costs $O(N^3)$ and, with $M$ virtual
# entities, $O(NM^2)$, which is $O(N^2)$ if $M$ is "of order" $\sqrt N$, and proves lemmas on the
# product. The agents that the paper trains are not part of this notebook. One section trains single
# layers on two tasks of ours; elsewhere nothing is trained, and a trial is one random draw: of
# vectors, or of initial weights and entities. The records ship with the repository. To compute them
# again: `abstractor reproduce --fresh --only 14`. With papermill alone, in a tiny version that
# takes seconds or minutes: `papermill 14_simplicial_attention.ipynb out.ipynb -p profile smoke -p
# compute True`.
#
# ## The task: a three-way relationship
#
# The paper's Figure 1 shows a block on two others. The block on top stands only if both others are
# there: "a simple 3-way relationship between entities i, j, k that is complex to represent as a
# system of 2-way relationships" (section 1). A block stands if its middle lies over the span of its
# supports. The next cell draws what this rule gives.

# %%
figure, points = geometry.three_way()
study.save_figure(figure, points, "fig_simplicial_01_three_way")

# %% [markdown]
# *To see: i stands in the first panel alone. First three panels: block i on its supports j and k,
# and without one of them. Hatched: the block has fallen. Last panel: a 1-simplex is an arrow from
# one entity j to an entity i. A 2-simplex is a triangle: a message from a pair of entities j and k
# to an entity i.*
#
# *What speaks against it.* A conjunction of two pairwise relations ("j supports i left of its
# middle" and "k supports i right of it") says the same. Two layers of ordinary attention can
# compute that. The abstract calls the architecture "a useful inductive bias for logical reasoning
# in the context of deep reinforcement learning". The paper's hypothesis is more: relationships of
# higher order are "essential to extracting the full predictive power of data" (section 1).
#
# ### The unsigned scalar triple product
#
# > **Definition 2.2.** For $a, b, c \in \mathbb R^d$ the unsigned scalar triple product is
# >
# > $$\langle a, b, c\rangle = \|(a\cdot b)\,c - (a\cdot c)\,b + (b\cdot c)\,a\|. \tag{7}$$
# >
# > Its square is a polynomial in the pairwise dot products:
# >
# > $$\langle a, b, c\rangle^2 = (a\cdot b)^2(c\cdot c) + (b\cdot c)^2(a\cdot a)
# > + (a\cdot c)^2(b\cdot b) - 2(a\cdot b)(a\cdot c)(b\cdot c). \tag{8}$$
#
# It is called unsigned because it is a norm, so it is never negative. The next cell computes it for
# $a = (1, 2, 3)$, $b = (0, 1, 4)$ and $c = (5, 6, 0)$, in three ways: by eq. 7, by eq. 8, and in
# the *Clifford algebra*, from which the definition comes (see the appendices). The squares must be
# equal.

# %%
a, b, c = np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]])
product = clifford.product(a, b, c)  # multiplied in the algebra
squares = {
    "eq. 7": simplices.triple_product(a, b, c) ** 2,
    "eq. 8": lib.unsigned_triple_product(*map(torch.tensor, (a, b, c))).item() ** 2,
    "Clifford algebra, grade 1": product.grade(1).magnitude() ** 2,
}
pd.Series(squares, name="square of the triple product").round(6).to_frame()

# %% [markdown]
# ## The models
#
# ### Attention over pairs
#
# Each entity $e_i$ gives a query, two keys and a value, $(p_i, l^1_i, l^2_i, u_i) = E(e_i)$ (eq.
# 6). The pure 2-simplicial update is
#
# $$v'_i = \sum_{j,k} \frac{\exp\langle p_i, l^1_j, l^2_k\rangle}
# {\sum_{s,t} \exp\langle p_i, l^1_s, l^2_t\rangle}\; B(u_j \otimes u_k). \tag{10}$$
#
# The softmax runs over all pairs together. $B$ is one learned linear map, a tensor of three
# indices. The logit is the norm itself. It is neither squared nor divided by a root of the
# dimension.
#
# An example by hand: six entities in three dimensions. Their keys are three axes and the three
# directions half-way between two axes.

# %%
names = ["x", "y", "z", "xy", "yz", "xz"]
axes = torch.eye(3, dtype=torch.float64)
own = torch.cat([axes, (axes + axes.roll(-1, 0)) / 2**0.5])
turned = own[:, [1, 2, 0]]  # second keys of their own: x, y, z become z, x, y
cases = {  # query, first keys, second keys
    "query z, both keys alike": (axes[2:], own, own),
    "query x, both keys alike": (axes[:1], own, own),
    "query z, second keys turned": (axes[2:], own, turned),
}
logits = {name: lib.simplicial_logits(*one)[0].numpy().round(3) for name, one in cases.items()}
alike = {name: simplicial.alike(*one) for name, one in cases.items()}
figure, points = simplicial.pairs(logits, names, alike)
study.save_figure(figure, points, "eq_simplicial_10_pairs")

# %% [markdown]
# *To see, left, framed: the pairs (x, xz) and (y, yz) have the greatest logit, because they lie in
# one plane with the query z. Hatched: two of the three vectors are alike, so that the logit is the
# greatest whatever the third one is. One panel for each query. Row: the entity that gives the first
# key. Column: the entity that gives the second key; in the last panel, the direction of its second
# key has the coordinates in another order. Colour: the logit. The pair (x, y) has the logit zero,
# because x, y and z are pairwise orthogonal. While both keys of an entity are alike, the whole
# diagonal is hatched. In the last panel they differ, and the diagonal has smaller logits too.*
#
# `TwoSimplicialAttention` computes eq. 10 from dot products (eq. 8). It computes
# $B(u_j \otimes u_k)$ once for each pair, and not once for each query. The next cell compares it
# with eq. 7 and eq. 10 written by `einsum`.

# %%
layer = lib.TwoSimplicialAttention(16, heads=1, key_dim=6, dtype=torch.float64)
entities = torch.randn(5, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
p, l1, l2, u = (part[0] for part in layer.vectors(entities))
vectors = torch.einsum("ij,kd->ijkd", p @ l1.T, l2) - torch.einsum("ik,jd->ijkd", p @ l2.T, l1)
logits = (vectors + torch.einsum("jk,id->ijkd", l1 @ l2.T, p)).norm(dim=-1)  # eq. 7
weights = logits.flatten(1).softmax(-1).view(5, 5, 5)
values = torch.einsum("qrs,jr,ks->jkq", layer.values.weight[0], u, u)
expected = torch.einsum("ijk,jkq->iq", weights, values)  # eq. 10
bool(torch.allclose(layer(entities), expected))

# %% [markdown]
# ### The blocks
#
# A standard block attends to entities one by one:
#
# $$v'_i = \sum_j \mathrm{softmax}(q_i\cdot k_1, \ldots, q_i\cdot k_N)_j\, v_j, \qquad
# e'_i = \mathrm{LayerNorm}(g(v'_i) + e_i). \tag{2, 3}$$
#
# A simplicial block has more to put into the feedforward network $g$:
#
# $$v'_i = \Big\{\text{1-simplicial}\Big\} \oplus \mathrm{LayerNorm}\Big\{\text{2-simplicial}\Big\},
# \qquad e'_i = \mathrm{LayerNorm}(g(v'_i) + e_i). \tag{11, 12}$$
#
# *Standard entities* are the $N$ entities of the input. *Virtual entities* are $M$ further ones,
# which are learned and dropped at the end. Over all pairs of $N$ entities, eq. 10 costs of the
# order of $N^3$ operations. So the paper takes pairs from virtual entities alone: pairs are
# "predicted by the ordinary attention, which we view as the primary locus of computation". Virtual
# entities are "a 'scratch pad' onto which the iterated ordinary attention can write
# representations". The paper compares them with memory nodes, with the master node of message
# passing, and with the slots of a Neural Turing Machine.
#
# - A standard entity, $i \le N$, attends to standard entities, and to *pairs of virtual entities*:
#
# $$v'_i = \Big\{\sum_{j=1}^{N} \frac{\exp(q_i\cdot k_j)}{\sum_{s=1}^{N} \exp(q_i\cdot k_s)} v_j
# \Big\} \oplus \mathrm{LayerNorm}\Big\{\sum_{j,k=N+1}^{N+M}
# \frac{\exp\langle p_i, l^1_j, l^2_k\rangle}{\sum_{s,t} \exp\langle p_i, l^1_s, l^2_t\rangle}
# B(u_j \otimes u_k)\Big\}. \tag{13}$$
#
# - A virtual entity, $i > N$, attends to all entities. It attends to no pairs. In their place it
#   has its own value, "which adds recurrence":
#
# $$v'_i = \Big\{\sum_{j=1}^{N+M} \frac{\exp(q_i\cdot k_j)}{\sum_{s=1}^{N+M} \exp(q_i\cdot k_s)}
# v_j\Big\} \oplus \mathrm{LayerNorm}(u_i). \tag{14}$$
#
# In eq. 13 the printed denominator sums over $s, t = 1, \ldots, N + M$, and its keys have the
# indices $l$ and $m$. The numerator holds pairs of virtual entities. We take the sum over these
# pairs, so that the weights sum to 1.

# %%
block = lib.SimplicialBlock(8, 1, 4, simplicial_heads=1, simplicial_dim=3)
_, seen = block(torch.randn(7, 8), virtual=2, need_weights=True)  # 5 standard, 2 virtual
pair_reads, triple_reads = np.zeros((2, 7, 7), int)  # numbers of `simplicial.READS`
pair_reads[:5, :5], pair_reads[5:] = seen.standard[0].detach() > 0, seen.virtual[0].detach() > 0
triple_reads[:5, 5:] = 2 * (seen.pairs[0].sum(-1).detach() > 0)
triple_reads[[5, 6], [5, 6]] = 3  # u_i
figure, points = simplicial.who_reads_whom(pair_reads, triple_reads, virtual=2)
study.save_figure(figure, points, "eq_simplicial_10_who_reads_whom")

# %% [markdown]
# *To see: standard entities do not read virtual ones alone (left), but in pairs (right). Row: the
# entity that is updated; V1 and V2 are virtual. Column: the entity that it reads. Colours: see the
# legend. The cells are read off the attention weights of a block with random weights.*
#
# A consequence, which the paper draws in appendix F: before the first block, virtual entities are
# "learned embedding vectors, containing no information about the current episode". So in the first
# block all samples share the keys and values of the pairs. Only from the second block on can pairs
# carry what the input holds.

# %% [markdown] tags=["detail"]
# ## One recorded run, by hand
#
# A run of this notebook draws random triples of vectors and computes their products. The run in
# three dimensions is done again here. Its settings (`dim` is the dimension, `count` the number of
# triples of a trial):

# %%
run = study.spec("described", "triples", 3, "unsigned")
live.settings(run)

# %% [markdown]
# The first triple of the first trial, scaled to unit vectors $\hat a, \hat b, \hat c$:

# %%
drawn = simplices.random_triples(generator(run.trials.first, "triples"), run.task.count, 3)
unit = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)  # (3, count, 3)
of_one = unit[:, 0]
pd.DataFrame(of_one, index=["a", "b", "c"], columns=["x", "y", "z"]).round(4)

# %% [markdown]
# Its product from the three dot products, by eq. 8, and from the library:

# %%
ab, bc, ac = of_one[0] @ of_one[1], of_one[1] @ of_one[2], of_one[0] @ of_one[2]
print(f"a.b = {ab:.4f}, b.c = {bc:.4f}, a.c = {ac:.4f}")
by_hand = (ab**2 + bc**2 + ac**2 - 2 * ab * ac * bc) ** 0.5
shares = lib.unsigned_triple_product(*torch.from_numpy(unit))  # of the greatest value, (count,)
print(f"<a, b, c> by hand: {by_hand:.6f}, by the library: {shares[0].item():.6f}")

# %% [markdown]
# The record holds the mean square over all triples of the trial, and then the products of the first
# four. The mean square in expectation is known in closed form:

# %%
now = [shares.square().mean().item(), *shares[:4].tolist()]
print(f"mean square: {now[0]:.4f}, expected: {simplices.mean_square(3):.4f}")
live.beside_record(study, run, {"first numbers": now})

# %% [markdown]
# ## All runs
#
# The lemmas and the growth of operations are true by mathematics. Their claims are *checks of our
# code*: they say that the library computes what the paper defines. A run computes several trials.

# %%
states = [one.state().assign(experiment=one.experiment.name) for one in (study, three)]
pd.concat(states).query("runs > 0").set_index(["experiment", "protocol"])

# %% [markdown]
# ## What the product measures
#
# ### Areas and volumes
#
# The paper's Figure 2 says what the products measure. Let $a$, $b$ and $c$ be unit vectors. Let $A$
# be the area of the triangle with the vertices $0, a, b$. Let $V$ be the volume of the tetrahedron
# with the vertices $0, a, b, c$. Then
#
# $$(a\cdot b)^2 = 1 - 4A^2, \qquad \langle a, b, c\rangle^2 = 1 - 36V^2 .$$
#
# So the triple product is large where the tetrahedron is flat.

# %%
figure, points = geometry.volumes()
study.save_figure(figure, points, "fig_simplicial_02_geometry")

# %% [markdown]
# *To see: markers lie on lines. Top left: two unit vectors and their triangle. Top right: three
# unit vectors and their tetrahedron. Bottom left: the squared dot product (line) and the number
# that the area gives (circles), by the angle between a and b. Bottom right: the squared triple
# product (lines) and the number that the volume gives (markers). There, c rises from the plane of a
# and b, above the line half-way between them. Areas and volumes are computed from edge lengths
# alone. The triple product is greatest where the three vectors lie in one plane. It falls to zero
# only if a and b are at a right angle.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("volumes")

# %% [markdown] tags=["detail"]
# ### The lemmas
#
# Let $a, b, c, v_1, \ldots, v_k$ be vectors of a Euclidean space $H$, and let $A$ be any element of
# its Clifford algebra. $[A]_k$ is the part of $A$ made of products with $k$ factors; the appendices
# show the algebra. Let $m = \|a\|\|b\|\|c\|$ be the product of the norms.
#
# | place | statement |
# | --- | --- |
# | eq. 20 | $[ab]_0 = a\cdot b$, $[ab]_2 = a\wedge b$ |
# | eq. 20 | $[abc]_1 = (a\cdot b)c - (a\cdot c)b + (b\cdot c)a$, $[abc]_3 = a\wedge b\wedge c$ |
# | eq. 21 | $\lvert v_1\cdots v_k\rvert^2 = \|v_1\|^2\cdots\|v_k\|^2$ |
# | Lemma C.4 | $\lvert A\rvert^2 = \sum_i \lvert[A]_i\rvert^2$ |
# | Example C.5 | $\langle a,b,c\rangle^2 = m^2 - \lvert a\wedge b\wedge c\rvert^2$ |
# | Lemma C.10 | $0 \le \langle a,b,c\rangle \le m$ |
# | Lemma C.10 | the greatest value exactly for linearly dependent vectors |
# | Lemma C.10 | zero for pairwise orthogonal ones |
# | Lemma C.10 (iv), (v) | unchanged by permutations and signs |
# | Lemma C.10 (v), eq. 9 | $\langle a,b,c\rangle = m\,\langle\hat a,\hat b,\hat c\rangle$ |

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("lemmas")

# %%
residuals = simplicial.residuals(table)
study.save_table(residuals.reset_index(), "app_simplicial_C_lemmas")
residuals

# %% [markdown]
# *To see: all are rounding. One row for each statement. Numbers: the largest residual over all
# triples and trials, as a share of the product of the norms. Each trial draws 200 triples of each
# kind: independent, nearly dependent and orthogonal (20 under `smoke`). Last row: relative error of
# 32-bit numbers, without the orthogonal triples, whose product is zero.*
#
# The paper's product has any number of vectors (Definition C.8). It is the magnitude of all parts
# of $v_1\cdots v_k$ but the one of degree $k$; for two vectors it is $|a\cdot b|$ (Example C.9).
# That part has the volume of the simplex with the vertices $0, v_1, \ldots, v_k$ (Remark C.6,
# Definition C.7):
#
# $$|[v_1\cdots v_k]_k|^2 = \sum_{j_1 < \ldots < j_k} \Big(\sum_\sigma (-1)^{|\sigma|}
# \lambda_{1j_{\sigma(1)}} \cdots \lambda_{kj_{\sigma(k)}}\Big)^2, \tag{22}$$
# $$\langle v_1, \ldots, v_k\rangle^2 = \sum_{i<k} |[v_1\cdots v_k]_i|^2
# = \|v_1\|^2\cdots\|v_k\|^2 - (k!)^2\, \mathrm{Vol}_k^2 . \tag{24, 25}$$

# %%
factors = appendix_c.table()
study.save_table(factors, "app_simplicial_C_factors")
factors

# %% [markdown]
# *Random unit vectors in six dimensions; dependent and orthogonal ones where the lemma speaks of
# them. Volumes are computed from edge lengths.*
#
# **Misprints.** Eq. 22 lacks the signs $(-1)^{|\sigma|}$, although "the term in the innermost
# bracket is the determinant". Eq. 27 is, for three dimensions and with $\varphi$ the angle between
# $a$ and $b\times c$,
#
# $$\langle a, b, c\rangle = \|a\|\|b\|\|c\|\sqrt{1 - \sin^2\theta_{bc}\cos^2\varphi}, \tag{27}$$
#
# as the sentence before it says; printed is $\theta_{ab}$. That of eq. 13 is named above. The table
# has the greatest difference between both sides, for three random unit vectors.

# %%
appendix_c.misprints()

# %% [markdown] tags=["detail"]
# ### How large are the logits of unrelated vectors?
#
# For independent random directions in $n$ dimensions, the mean of $\langle a, b, c\rangle^2$ is
# $3/n - 2/n^2$. (In eq. 8, each squared dot product has the mean $1/n$. The last term has the mean
# $1/n^2$.) In two dimensions three vectors are always dependent. So the product holds norms alone
# there, and heads need at least three dimensions.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("random_vectors")

# %%
figure, points = simplicial.dimensions(table)
study.save_figure(figure, points, "eq_simplicial_7_dimensions")

# %% [markdown]
# *To see: the share falls with the dimension, so the logits tell a dependent triple from an
# unrelated one. Horizontal axis: dimensions, on a logarithmic scale. Vertical axis: the triple
# product as a share of the product of the norms. Circles: median over 10,000 triples, mean of 20
# trials. Band: from the share that 5 of 100 triples fall below to the one that 95 fall below.
# Dotted: root of the mean square.*

# %% [markdown] tags=["detail"]
# ## What does it cost?
#
# The paper states three complexities: $O(N^3)$ over all pairs, $O(NM^2)$ with $M$ virtual entities,
# and $O(N^2)$ if $M$ grows as the root of $N$. We count the operations of the library's layer. Each
# multiplication with its addition is one operation; each number that a square, a root, an
# exponential or a division produces is one more. Counts have no error, and they do not depend on
# the machine.

# %%
figure, points = simplicial.operations(table)
study.save_figure(figure, points, "eq_simplicial_10_operations")

# %% [markdown]
# *To see: attention over all pairs grows fastest; with the root of N virtual entities the cost
# grows as the square of N. Left: operations against the number of standard entities. Right: against
# the number of virtual entities. Both axes are logarithmic, so a power is a straight line. One
# marker is one count, of one head with 48 dimensions. The exponents belong to the two markers on
# the right of each line.*
#
# Time and memory depend on the machine. The script `tests/benchmarks/simplicial_attention.py`
# measures both, beside eq. 7 and beside eq. 8, each written by plain `einsum`; see
# [the result](../tests/benchmarks/simplicial_attention.txt). The layer takes about the time and
# memory of eq. 8 in plain `einsum`. It is faster than eq. 7 because it uses eq. 8, not for another
# reason. Its own option `block=` takes less memory and more time: set `block=8` where all
# pairs of many entities do not fit into memory.
#
# ## Attention before training
#
# The logits of eq. 10 have no scale. We drew the initial weights of the paper's agent (as the
# public code does) and random entities, and looked at the attention of standard entities to the
# four pairs of two virtual ones. Equal weights would be 1/4.

# %%
figure, points = simplicial.start(table)
study.save_figure(figure, points, "eq_simplicial_10_start")

# %% [markdown]
# *To see: the paper's logits (unsigned, no scale) lie far to the right. One marker is one of 20
# trials: new initial weights, and 16 examples of 40 entities with standard normal features. Black
# dash: mean. Horizontal axis: the greatest of the four weights, averaged over entities and
# examples. Dotted: equal weights. The other logits are those of later papers (appendices).*
#
# The paper found training unstable without a layer norm on the output of attention to pairs (Remark
# 2.3): "The natural explanation is that these outputs are constructed from polynomials of higher
# degree [...], and thus computational paths that go through the 2-simplicial attention will be more
# vulnerable to exploding or vanishing gradients." Its norm acts on the output. The logits, which
# are of degree three, have none. [Notebook 16](16_simplicial_agents.ipynb) trains with and without
# that norm, agents that copy a script.

# %% [markdown]
# ## What does one layer learn?
#
# The paper trains agents by reward ([notebook 16](16_simplicial_agents.ipynb)). Here we ask
# something smaller, of the layer alone: from examples with answers, does it learn a relation of
# three objects? The tasks are ours, not the paper's.
#
# - *Match3*: eight numbers from 0 to 31. For each number: are there two others that sum with it to
#   a multiple of 32? (The task is that of Sanford et al. 2023, there a number may count twice.)
# - *Coplanarity*: eight unit vectors in six dimensions. Three of them lie in a plane with the
#   origin. For each vector: is it one of the three?
#
# A model embeds the objects, applies its layers, and gives an answer for each object. One layer of
# ours attends to all pairs of objects, beside its standard attention. It has one of four logits:
# the paper's unsigned product, the trilinear product $\sum_d p_d\, l^1_d\, l^2_d$, the sum of the
# three dot products, or none, so that all pairs weigh the same. Attention to pairs costs parameters
# and operations. So standard layers with as many of one or the other stand beside it.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figure, points = three_way_pictures.areas(three.panels("sound")["sound"])
three.save_figure(figure, points, "eq_simplicial_10_three_way")

# %% [markdown]
# *To see: on coplanarity only the model of five standard layers is ahead of the paper's product; on
# Match3 the product is the last of the four blue ones. One dot is a seed: new weights and new
# examples. Blue: layers that attend to pairs. Orange: standard layers. Black dash: mean. Horizontal
# axis: how often an object that is part of such a triple is scored above one that is not (the area
# under the ROC curve; one half is chance). Dotted: a script that needs no training, see below.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
three.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
three.say("which_product")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
three.say("floor")

# %% [markdown]
# *What speaks against it.* Most runs had not converged, so another budget may give another order.
# One learning rate served all models and was not searched. An agent of the paper meets other
# relations, and learns from reward. The widths of layers are those of this comparison, and five
# layers of attention are slower to run one after the other than one is.

# %% [markdown] tags=["detail"]
# ### An example of each task
#
# One example of Match3. The answer is 1 for yes:

# %%
numbers, answers = three_way.match3(np.random.default_rng(3), 1)
pd.DataFrame([numbers[0], answers[0]], index=["number", "answer"])

# %% [markdown]
# And one of coplanarity. The three vectors of the answer have a determinant of nothing but
# rounding: their *Gram matrix*, which holds their dot products, is singular. That of the first
# three of the others is not.

# %%
vectors, answers = three_way.coplanar(np.random.default_rng(0), 1)
three_of, others = vectors[answers == 1], vectors[answers == 0][:3]
print("answers:", *answers[0])
print(f"of the three: {abs(np.linalg.det(three_of @ three_of.T)):.6f}")
print(f"of three others: {np.linalg.det(others @ others.T):.6f}")

# %% [markdown] tags=["detail"]
# ### The models, and one run
#
# What each model has and costs:

# %%
specs = three.wanted("sound", variant="match3")
costs = sizes(specs).drop(columns="variant").replace({"model": three_way_pictures.NAMES})
costs.set_index("model")

# %% [markdown]
# *Operations: multiplications with their additions in the matrix products of one example of
# Match3.* One run is begun here by hand, the layer with the paper's product on Match3. Each of its
# 16,000 updates sees 256 new examples.

# %%
begun = specs[0]
live.seed(begun)
read = examples(begun)
parts = partial(build, begun.model, begun.task), read("train"), read("validation")
trainer = Trainer(*parts, begun.training)
losses = trainer.step()  # one update; the loss before it, (t,)
live.beside_record(three, begun, {live.FIRST_LOSS: [losses.mean().item()]})

# %%
live.go_on(trainer, updates)

# %% [markdown] tags=["detail"]
# ### While it learns

# %%
seen = three.histories("sound")["sound"]
figure, points = three_way_pictures.learning(seen, sizes(three.wanted("sound")))
three.save_figure(figure, points, "eq_simplicial_10_learning")

# %% [markdown]
# *How fast each model learns. Left: against examples seen.
# Right: against operations spent on them, three times those of the forward pass, as the backward
# pass takes about twice as many. A line is the mean over seeds of the accuracy on 1,024 examples
# that were not trained on. Four models of the figure above are left out.*

# %% [markdown]
# ## Claims
#
# The last line of each says whose a claim is, and [Statistics](../docs/statistics.md) how a verdict
# is reached.
# The mark † is explained [there](../docs/statistics.md#post-hoc). Claims that are true by
# mathematics are marked as checks of the code. A claim about several points shows the point that
# decides. One claim is of another paper, on learning functions ([notebook
# 13](13_function_learning.ipynb)): without positions a Transformer does not see the order of
# entities. It stands here because it speaks of the standard block (eq. 2 and 3), and is measured
# with it.

# %%
study.claims()

# %% [markdown]
# Those on what one layer learns are in the appendices.

# %% [markdown]
# ## Exercises
#
# Run the cells above the first figure, then start with any exercise. Each takes less than a minute.
#
# ### 1. A softer start: change the scale
#
# With the initial weights of the paper's agent, attention to four pairs is almost one-hot. Find a
# scale of the logits with which the mean greatest weight, in the second iteration, lies between
# 0.32 and 0.42: some preference, and gradients for all pairs. Is the root of the head's 48
# dimensions, the usual choice for dot products, enough?

# %% tags=["exercise"]
scale = 1.0  # the paper's

# %% tags=["check"]
torch.manual_seed(0)
sizes = {"simplicial_heads": 1, "simplicial_dim": 48, "logit_scale": scale}
softer = lib.SimplicialTransformer(lib.SimplicialBlock(64, 2, 32, 64, **sizes), 2, virtual=2)
with torch.no_grad():
    _, weights = lib.initialise(softer)(torch.randn(16, 40, 64), need_weights=True)
top = weights[1].pairs.flatten(-2).amax(-1).mean().item()
exercises.check({"not one-hot: at most 0.42": top <= 0.42, "not equal: at least 0.32": top >= 0.32})

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# scale = 0.06  # between 1 / 48 and the root of it
# ```
#
# The product has three factors, so that it grows with the vectors' lengths to the power of three,
# and a dot product to the power of two. The root of the dimension is too little for it.
#
# </details>
#
# ### 2. Logits that do not reward a parallel pair: change the product
#
# Under the triple product no pair has a greater logit than two parallel keys, whatever the query
# is. Write logits of queries `(n, 3)` and two sets of keys `(m, 3)`, with the result `(n, m, m)`,
# for which a parallel pair has the logit zero, also if it comes from two entities. As with the
# triple product, nothing may change if all vectors are rotated together.

# %% tags=["exercise"]
answer = partial(lib.simplicial_logits, logits="unsigned")

# %% tags=["check"]
torch.manual_seed(0)
asking, keys = torch.randn(4, 3).double(), torch.randn(5, 3).double()
keys[1] = -2 * keys[0]  # parallel, of another length
turn, _ = torch.linalg.qr(torch.randn(3, 3).double())
turn = turn * turn.det().sign()  # no reflection
before, after = (answer(q, k, k) for q, k in ((asking, keys), (asking @ turn, keys @ turn)))
parallel = torch.cat([before.diagonal(dim1=1, dim2=2), before[:, [0], [1]], before[:, [1], [0]]], 1)
exercises.check(
    {
        "a parallel pair has the logit zero": bool(parallel.abs().max() < 1e-6),
        "no other pair has": bool(before[:, 2, 3].abs().min() > 1e-3),
        "rotations change nothing": bool(torch.allclose(before, after, atol=1e-6)),
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# answer = partial(lib.simplicial_logits, logits="determinant")
# ```
#
# The determinant is the volume of the three vectors, with a sign; by Example C.5 its square is what
# the squared triple product lacks to its greatest value. The root of that difference is an answer
# too, without a sign.
#
# </details>
#
# ### 3. Does a start near one-hot slow down learning? No known answer
#
# The toy task: four numbers below 12. For each, are there two of the numbers that add up with it to
# a multiple of 12? Set `steps` to 500, try other scales and seeds, and compare the losses of the
# last updates. An answer would be a curve of loss against scale with intervals over seeds, on this
# task and on the paper's Box World.

# %% tags=["exercise"]
steps = 0  # 500 take less than a minute
for scale in (1.0, 48**-0.5, 0.06):
    torch.manual_seed(0)
    sizes = {"simplicial_heads": 1, "simplicial_dim": 48, "logit_scale": scale}
    parts = nn.Embedding(12, 48), lib.SimplicialBlock(48, 1, 16, **sizes), nn.Linear(48, 1)
    model, losses = nn.Sequential(*parts, nn.Flatten(1)), []
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(steps):
        x = torch.randint(12, (64, 4))
        sums = x[:, :, None, None] + x[:, None, :, None] + x[:, None, None, :]
        right = (sums % 12 == 0).flatten(2).any(-1).float()
        losses.append(F.binary_cross_entropy_with_logits(model(x), right))
        losses[-1].backward(), optimiser.step(), optimiser.zero_grad()
    print(f"scale {scale:.2f}, {steps} updates:", [f"{one:.2f}" for one in losses[-3:]])

# %% [markdown]
# ## Appendices
#
# ### The Clifford algebra
#
# The *Clifford algebra* $\mathrm{Cl}(H)$ of a space $H$ contains the vectors of $H$ and their
# products. Its product is associative, and $vw + wv = 2(v\cdot w)$ for vectors. So $v^2 = \|v\|^2$,
# and orthogonal vectors anticommute. Let $e_1, \ldots, e_n$ be an orthonormal basis. The products
# $e_{i_1}\cdots e_{i_m}$ with $i_1 < \ldots < i_m$ are a basis of the algebra. It has $2^n$
# elements.
#
# - *Grading* (Definition C.1): $[A]_k$ is the part of $A$ made of basis products with $k$ factors.
# - *Reversion*: $A^\dagger$ has all products written backwards.
# - *Magnitude* (Definition C.3): $|A| = \sqrt{[A^\dagger A]_0}$.
#
# `abstractor_lib.theory.clifford` holds the algebra as arrays of $2^n$ numbers. It multiplies by
# the relations above and knows none of the formulas to be checked. The cell shows $ab$ and $abc$
# for the vectors from before.

# %%
elements = ["1", "e1", "e2", "e1 e2", "e3", "e1 e3", "e2 e3", "e1 e2 e3"]
shown = {"ab": clifford.product(a, b), "abc": product, "abc, reversed": product.reverse()}
shown |= {f"abc, grade {k}": product.grade(k) for k in (1, 3)}
pd.DataFrame({name: one.coordinates for name, one in shown.items()}, index=elements).astype(int).T

# %% [markdown]
# The row *ab* holds the dot product (column 1) and the coordinates of $a \wedge b$. The row *abc,
# grade 1* is the vector of eq. 7. The row *abc, grade 3* is the determinant of the three vectors.
#
# ### Other logits
#
# Later papers use other functions of three vectors. The library offers them all. Here they are for
# keys 60° apart, as shares of what they can at most be for unit vectors.
#
# | `logits=` | formula | source |
# | --- | --- | --- |
# | `"unsigned"` | $\langle p, l^1, l^2\rangle$ | *simplicial*, eq. 7 |
# | `"trilinear"` | $\sum_d p_d\, l^1_d\, l^2_d$ | Roy et al. 2025 (Fast and Simplex) |
# | `"determinant"` | $\sum_t \det(p_t, l^1_t, l^2_t)$, over $d/3$ groups of three coordinates | Roy et al. 2025 |
# | `"pairs"` | $p\cdot l^1 + p\cdot l^2 + l^1\cdot l^2$ | Kozachinskiy et al. 2025 (Strassen) |

# %%
pair = geometry.keys_apart(60)
first, second = (torch.tensor(key)[None] for key in pair)
queries, shape = torch.tensor(directions).flatten(0, 1), directions.shape[:2]
greatest = {"unsigned": 1, "trilinear": 1, "determinant": 1, "pairs": 3}
others = {
    name: lib.simplicial_logits(queries, first, second, name).view(shape).numpy() / most
    for name, most in greatest.items()
}
options = {"columns": 2, "limits": (-1, 1), "cmap": "RdBu_r", "label": "share", "scale": 0.7}
figure, points = geometry.around_keys(others, dict.fromkeys(others, pair), **options)
study.save_figure(figure, points, "eq_simplicial_7_others")

# %% [markdown]
# *To see: the unsigned product is never negative and rewards queries in the plane of the keys, on
# both sides. Maps as above. Colour: the logit as a share of its greatest possible value for unit
# vectors; white is zero. Contours: full for zero and above, dashed below. The determinant does the
# opposite: it is zero in that plane and largest at one pole. The sum of dot products rewards
# queries near the keys. The trilinear form depends on the axes: it changes if query and keys are
# rotated together, and the other three do not.*
#
# ### Where the product is zero
#
# The square root of eq. 8 has no gradient at zero. It is zero for pairwise orthogonal query and
# keys, and if one of them is the zero vector. A plain root gives a gradient that is not a number.
# The library's product has value and gradient zero there.

# %%
frame = torch.eye(3, requires_grad=True)
plain = (frame @ frame.T - torch.eye(3)).square().sum().sqrt()  # a root of zero
(bad,) = torch.autograd.grad(plain, frame)
(good,) = torch.autograd.grad(lib.unsigned_triple_product(*frame), frame)
{"plain root": bool(bad.isfinite().all()), "library": bool(good.isfinite().all())}

# %% [markdown]
# ### Layer normalisation is a setting
#
# Remark 4.1 says that the placement of layer norms varies between papers. `SimplicialBlock(norm=)`
# offers three placements of the first one. The norms of the 2-simplicial output and of the result
# stay. Remark 2.3 says that training is unstable without the former. The paper's own order, the
# first row, "gave the best performant relational model in our experiments, with our results
# diverging even further if a direct comparison to the (Zambaldi et al., 2019) architecture was
# used" (Remark 4.1). [Notebook 16](16_simplicial_agents.ipynb) compares the first two rows, and
# leaves out the norm of Remark 2.3, in agents that copy a script.
#
# | `norm=` | what is normalised on the way in | where |
# | --- | --- | --- |
# | `"entities"` | the entities, before queries and keys are computed | section 4, public code |
# | `"projections"` | queries, keys and values, concatenated | Zambaldi et al. 2019 (Remark 4.1) |
# | `"none"` | nothing | eq. 3, as printed |
#
# The paper's agents iterate one block twice. The text says that weights are shared between
# iterations. In the public code, iterations share all weights but the layer norms:
# `sharing="weights"`.

# %%
agent = {"heads": 2, "key_dim": 32, "hidden": 64}
pairs = {"simplicial_heads": 1, "simplicial_dim": 48}
counts = {}
for norm in ("entities", "projections", "none"):
    for sharing in ("weights", "all", "none"):
        for name, extra, virtual in (("relational", {}, 0), ("simplicial", pairs, 2)):
            block = lib.SimplicialBlock(64, **agent, **extra, norm=norm)
            model = lib.SimplicialTransformer(block, 2, virtual=virtual, sharing=sharing)
            counts[norm, sharing, name] = f"{live.parameters(model):,}"
counts = pd.Series(counts).rename_axis(["norm", "sharing", "agent"]).unstack("agent").reset_index()
study.save_table(counts, "eq_simplicial_10_parameters")
counts

# %% [markdown]
# *Parameters of two iterations at the sizes of the paper's agents, with virtual entities. The row
# `entities`, `weights` is the public code. Most parameters of the simplicial agent are those of
# $B$: it holds 48 x 48 x 48 numbers. The paper has no baseline with as many parameters.*
#
# ### Relatives: the Neural Turing Machine and the Hopfield network
#
# **Appendix A.** A Neural Turing Machine has a controller with state $h$, input $x$ and memory
# slots $M_1, \ldots, M_N$:
#
# $$h' = \mathrm{ReLU}(M + Wh + Ux + b), \tag{15}$$
# $$M = \sum_j \mathrm{softmax}(K[q, M_1], \ldots, K[q, M_N])_j\, M_j, \qquad q = Zh, \tag{16}$$
#
# where $K[u, v]$ is the cosine of $u$ and $v$. In the Transformer with shared weights "there is no
# longer a separate recurrent controller", and a feed-forward network updates every slot:
# $e'_i = \mathrm{LayerNorm}(g(A) + e_i)$ (eq. 17), where $A$ is the attention term (eq. 18).
#
# **Appendix B.** The continuous Hopfield network updates its nodes by
#
# $$e'_i = \tanh\Big(\eta \sum_j (e_i\cdot e_j)\, e_j\Big). \tag{19}$$
#
# The paper calls the Transformer block a refinement of this network: the three occurrences of
# entities become query, key and value vectors, $\tanh$ becomes a feedforward network with multiple
# layers, and layer normalisation stabilises the dynamics. A fourth difference is the softmax, which
# the paper does not list.
#
# The read head and the controller of a Neural Turing Machine are special cases of the library's
# layers, with weights chosen by hand: addressed by content, not sharpened, writing left out, as in
# the paper. For the read head, query and keys are made unit vectors first, outside the layer. So is
# the Hopfield update. The table compares them with the formulas written as loops.

# %%
relatives = simplicial.relatives(table)
study.save_table(relatives, "app_simplicial_A_relatives")
relatives

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("relatives")

# %% [markdown]
# **Second-order networks** (appendix A). The second-order RNN and the multiplicative RNN have a
# "term $V(x\otimes h)$ which is a linear function of the tensor product of the current input symbol
# $x$ and the current hidden state $h$". In the Neural Tensor Network, $V(e_1 \otimes e_2)$ takes
# two entities, which is "directly analogous to our construction", $B(u_j \otimes u_k)$. The next
# cell holds `PairValues`, which computes it, against a loop.

# %%
second_order = lib.PairValues(heads=1, width=4).double()
x, h = torch.randn(2, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
found = second_order(x[None, None], h[None, None])[0, 0, 0]
V = second_order.weight[0]  # (out, x, h)
loop = [sum(V[q, r, s] * x[r] * h[s] for r in range(4) for s in range(4)) for q in range(4)]
bool(torch.allclose(found, torch.stack(loop)))

# %% [markdown]
# What does the Hopfield update do? Twelve nodes start near one of two patterns of signs, with
# noise. Each update multiplies the nodes by their own dot products and squashes the result. We
# count the coordinates that have the sign of their node's pattern, in fifty draws of the noise.

# %%
patterns = [[1, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
patterns = np.array(patterns)[np.arange(12) % 2]
draws, right = simplicial.cleaned(patterns, 50)
figure, points = simplicial.hopfield(draws[0])
study.save_figure(figure, points, "app_simplicial_B_hopfield")

# %% [markdown]
# *To see: after three updates the nodes of each pattern are alike, and the two patterns alternate.
# The first draw. Row: one of twelve nodes; even and odd ones start near different patterns. Column:
# one of eight coordinates. Colour: its value.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("patterns", right=right, of=patterns.size)

# %% [markdown]
# ### Claims on what one layer learns
#
# They are ours. They were written before the runs, but for those marked:

# %%
three.claims()

# %% [markdown]
# ### Settings
#
# What the text says, and what we chose where the text says nothing.

# %% tags=["hide-output"]
study.settings()

# %% tags=["hide-output"]
study.save_table(study.common_settings(), "eq_simplicial_10_settings")
study.common_settings()

# %% [markdown]
# The next table compares three places. It lists where the text and the public code differ, also of
# the agents of notebook [16](16_simplicial_agents.ipynb).
#
# | item | text | public code | here |
# | --- | --- | --- | --- |
# | scale of 1-simplicial logits | none (eq. 2) | root of the head's dimension | that of the code |
# | scale of 2-simplicial logits | none (eq. 10) | none | `logit_scale=`, by default none |
# | 2-simplicial heads | any number | one | any number, each with its own $B$ |
# | softmax with virtual entities | $s, t = 1, \ldots, N + M$ (eq. 13) | their pairs | their pairs |
# | shared between iterations | weights | all but the layer norms | that of the code |
# | policy and value, in agents | weight matrices | with biases | that of the code |
# | losses, in agents | not mentioned | sums over a batch, value half, norm at most 40 | see 16 |
# | last step of an unroll, in agents | not mentioned | bootstrap alone | see 16 |
# | gradient at zero | not mentioned | of a plain square root | zero |

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
# **Question.** In a Transformer, an entity $i$ attends to another entity $j$. The weight comes from a
# dot product. In a *2-simplicial Transformer*, an entity $i$ attends to a *pair* $(j, k)$. The weight
# comes from a product of three vectors. What does this product measure? What does attention to pairs
# cost? Which attention does it give before any training?
#
# **Paper.** *Logic and the 2-Simplicial Transformer* (called *simplicial* here), section 2, Remark 4.1
# and appendices A, B and C. The agents that the paper trains are not part of this notebook.
#
# **Words.**
#
# - *Standard entities* are the $N$ entities of the input. *Virtual entities* are $M$ further ones, which
#   are learned and dropped at the end.
# - The *logit* is the number that softmax turns into an attention weight.
# - A *trial* is one random draw: of vectors, or of initial weights and entities.
# - A *record* holds the settings and the results of a run. A run computes several trials.
# - A *claim* is a statement that can be true or false. A program computes its verdict from records.
# - `described` names the settings that the paper's text gives. Nothing is trained here, so this notebook
#   has no other settings. (In other notebooks `published` names the settings of the authors' public code,
#   and `sound` names what we would do today.)
#
# **What is tested.** The lemmas and the growth of operations are true by mathematics. Their claims are *checks of our code*: they say
# that the library computes what the paper defines. The records ship with the repository. To compute them
# again, run `abstractor reproduce --fresh --only 14`. The next table says how long that takes.
# With papermill alone, in a tiny version that takes seconds or minutes:
# `papermill 14_simplicial_attention.ipynb out.ipynb -p profile smoke -p compute True`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack

# %%
import numpy as np
import pandas as pd
import torch

from abstractor_lib import nn as lib
from abstractor_lib.experiments.simplicial_attention import measures
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures, live
from abstractor_lib.reporting.pictures import geometry
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.theory import clifford, recurrent, simplices

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("simplicial_attention", Workspace(profile, fresh), compute)
amount = study.experiment.profiles[profile]
ships = study.workspace.ships  # then the captions are checked
table = study.table("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## A three-way relationship
#
# The paper's Figure 1 shows a block on two others. The block on top stands only if both others are there.
# This fact about three blocks is not a fact about two of them. A block stands if its middle lies over the
# span of its supports. The next cell draws what this rule gives.

# %%
figure, points = geometry.three_way()
study.save_figure(figure, points, "fig_simplicial_01_three_way")

# %% [markdown]
# *First three panels: block i on its supports j and k, and without one of them. Hatched: the block has
# fallen. Last panel: a 1-simplex is an arrow from one entity j to an entity i. A 2-simplex is a triangle:
# a message from a pair of entities j and k to an entity i. What to see: i stands in the first panel
# alone.*
#
# *What speaks against it.* A conjunction of two pairwise relations ("j supports i" and "k supports i") says
# the same. Two layers of ordinary attention can compute that. The paper's hypothesis is that attention to
# pairs is a useful *bias*. It does not say that nothing else could do it.
#
# ## The unsigned scalar triple product
#
# > **Definition 2.2.** For $a, b, c \in \mathbb R^d$ the unsigned scalar triple product is
# >
# > $$\langle a, b, c\rangle = \|(a\cdot b)\,c - (a\cdot c)\,b + (b\cdot c)\,a\|. \tag{7}$$
# >
# > Its square is a polynomial in the pairwise dot products:
# >
# > $$\langle a, b, c\rangle^2 = (a\cdot b)^2(c\cdot c) + (b\cdot c)^2(a\cdot a) + (a\cdot c)^2(b\cdot b)
# > - 2(a\cdot b)(a\cdot c)(b\cdot c). \tag{8}$$
#
# It is called unsigned because it is a norm, so it is never negative. The next cell computes it for
# $a = (1, 2, 3)$, $b = (0, 1, 4)$ and $c = (5, 6, 0)$, in three ways: by eq. 7, by eq. 8, and in the
# *Clifford algebra*, from which the definition comes. The squares must be equal.

# %%
a, b, c = np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]])
product = clifford.product(a, b, c)  # multiplied in the algebra, explained below
squares = {
    "eq. 7": simplices.triple_product(a, b, c) ** 2,
    "eq. 8": lib.unsigned_triple_product(*map(torch.tensor, (a, b, c))).item() ** 2,
    "Clifford algebra, grade 1": product.grade(1).magnitude() ** 2,
}
pd.Series(squares, name="square of the triple product").round(6).to_frame()

# %% [markdown]
# ## One recorded run, by hand
#
# A run of this notebook draws random triples of vectors and computes their products. The run in three dimensions is done
# again here. Its settings (`dim` is the dimension, `count` the number of triples of a trial):

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
# The record holds the mean square over all triples of the trial, and then the products of the first four. The mean square
# in expectation is known in closed form:

# %%
now = [shares.square().mean().item(), *shares[:4].tolist()]
print(f"mean square: {now[0]:.4f}, expected: {simplices.mean_square(3):.4f}")
live.beside_record(study, run, {"first numbers": now})

# %% [markdown]
# ## Areas and volumes
#
# The paper's Figure 2 says what the products measure. Let $a$, $b$ and $c$ be unit vectors. Let $A$ be the
# area of the triangle with the vertices $0, a, b$. Let $V$ be the volume of the tetrahedron with the
# vertices $0, a, b, c$. Then
#
# $$(a\cdot b)^2 = 1 - 4A^2, \qquad \langle a, b, c\rangle^2 = 1 - 36V^2 .$$
#
# So the triple product is large where the tetrahedron is flat.

# %%
figure, points = geometry.volumes()
study.save_figure(figure, points, "fig_simplicial_02_geometry")

# %% [markdown]
# *Top left: two unit vectors and their triangle. Top right: three unit vectors and their tetrahedron.
# Bottom left: the squared dot product (line) and the number that the area gives (circles), by the angle
# between a and b. Bottom right: the squared triple product (lines) and the number that the volume gives
# (markers). There, c rises from the plane of a and b, above the line half-way between them. Areas and
# volumes are computed from edge lengths alone. What to see: markers lie on lines. The triple product is
# greatest where the three vectors lie in one plane. It falls to zero only if a and b are at a right angle.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**Both formulas hold for random unit vectors in 3 to 6 dimensions.** The largest difference is "
    "{area:.0e} for areas and {volume:.0e} for volumes, which is rounding. This is a check of the code: "
    "the formulas are known to be true.",
    "simplicial_area.described holds",
    "simplicial_volume.described holds",
    **table[["area", "volume"]].max(),
)

# %% [markdown]
# ## The Clifford algebra
#
# The *Clifford algebra* $\mathrm{Cl}(H)$ of a space $H$ contains the vectors of $H$ and their products.
# Its product is associative, and $vw + wv = 2(v\cdot w)$ for vectors. So $v^2 = \|v\|^2$, and orthogonal
# vectors anticommute. Let $e_1, \ldots, e_n$ be an orthonormal basis. The products
# $e_{i_1}\cdots e_{i_m}$ with $i_1 < \ldots < i_m$ are a basis of the algebra. It has $2^n$ elements.
#
# - *Grading* (Definition C.1): $[A]_k$ is the part of $A$ made of basis products with $k$ factors.
# - *Reversion*: $\tilde A$ has all products written backwards.
# - *Magnitude* (Definition C.3): $|A| = \sqrt{[\tilde A A]_0}$.
#
# `abstractor_lib.theory.clifford` holds the algebra as arrays of $2^n$ numbers. It multiplies by the
# relations above and knows none of the formulas to be checked. The cell shows $ab$ and $abc$ for the
# vectors from before.

# %%
names = ["1", "e1", "e2", "e1 e2", "e3", "e1 e3", "e2 e3", "e1 e2 e3"]
shown = {"ab": clifford.product(a, b), "abc": product, "abc, reversed": product.reverse()}
shown |= {f"abc, grade {k}": product.grade(k) for k in (1, 3)}
pd.DataFrame({name: one.coordinates for name, one in shown.items()}, index=names).astype(int).T

# %% [markdown]
# The row *ab* holds the dot product (column 1) and the coordinates of $a \wedge b$. The row *abc, grade 1*
# is the vector of eq. 7. The row *abc, grade 3* is the determinant of the three vectors.
#
# ## The lemmas
#
# Let $a, b, c, v_1, \ldots, v_k$ be vectors of a Euclidean space $H$, and let $A$ be any element of its
# Clifford algebra.
#
# | place | statement |
# | --- | --- |
# | eq. 20 | $[ab]_0 = a\cdot b$, $[ab]_2 = a\wedge b$, $[abc]_1 = (a\cdot b)c - (a\cdot c)b + (b\cdot c)a$, $[abc]_3 = a\wedge b\wedge c$ |
# | eq. 21 | $\lvert v_1\cdots v_k\rvert^2 = \|v_1\|^2\cdots\|v_k\|^2$ |
# | Lemma C.4 | $\lvert A\rvert^2 = \sum_i \lvert[A]_i\rvert^2$ |
# | Example C.5 | $\langle a,b,c\rangle^2 = \|a\|^2\|b\|^2\|c\|^2 - \lvert a\wedge b\wedge c\rvert^2$ |
# | Lemma C.10 | $0 \le \langle a,b,c\rangle \le \|a\|\|b\|\|c\|$; the greatest value exactly for linearly dependent vectors; zero for pairwise orthogonal ones; unchanged by permutations and signs |
# | Lemma C.10 (v), eq. 9 | $\langle a,b,c\rangle = \|a\|\|b\|\|c\|\,\langle\hat a,\hat b,\hat c\rangle$ with unit vectors $\hat a, \hat b, \hat c$ |
#
# The statement of Lemma C.10 is taken from section 2, which cites it.

# %%
rows = {
    "eq. 8 against the algebra": "closed_form",
    "eq. 20": "example_c2",
    "eq. 21, three factors": "magnitude",
    "Lemma C.4": "lemma_c4",
    "Example C.5": "example_c5",
    "Lemma C.10: above the greatest value": "above_greatest",
    "Lemma C.10: dependent vectors": "dependent",
    "Lemma C.10: orthogonal vectors": "orthogonal",
    "Lemma C.10: symmetries, and eq. 9": "symmetries",
    "eq. 8 in single precision": "single_precision",
}
algebra = table[table["model"].eq("algebra")].groupby("size")[list(rows.values())].max()
names = ["closed_form", "example_c2", "magnitude", "lemma_c4", "example_c5", "greatest"]
names += ["dependent", "orthogonal", "symmetries", "single_precision"]

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**All lemmas hold in the library's algebra, up to rounding.** The closed form (eq. 8) differs from "
    "the algebra by at most {closed_form:.0e} of the product of the norms. Each "
    "trial draws {count} triples of each kind: independent, nearly dependent and orthogonal. There are "
    "{trials} trials in each of {dims} dimensions. **The subtraction in eq. 8 costs little "
    "precision:** with 32-bit numbers the largest relative error is {single_precision:.1e}.",
    *(f"simplicial_{name}.described holds" for name in names),
    count=amount.count,
    trials=amount.trials,
    dims=len(amount.algebra),
    **algebra.max(),
)

# %%
residuals = algebra.T.map("{:.0e}".format)
residuals.index = pd.Index(rows, name="largest residual")
residuals.columns = [f"{size} dimensions" for size in residuals.columns]
study.save_table(residuals.reset_index(), "app_simplicial_C_lemmas")
residuals

# %% [markdown]
# *One row for each statement. Numbers: the largest residual over all triples and trials, as a share of the
# product of the norms. Last row: relative error of 32-bit numbers, without the orthogonal triples, whose
# product is zero.*
#
# ## What do the logits reward?
#
# Fix two unit keys $l^1$ and $l^2$ in three dimensions, and let the query $p$ run over the unit sphere. The
# maps show $\langle p, l^1, l^2\rangle$.

# %%
directions, places = geometry.sphere_grid()
maps, marks, smallest = {}, {}, {}
for angle in (90, 45, 10):
    turn = np.radians(angle / 2)
    keys = [np.array([np.cos(turn), side * np.sin(turn), 0.0]) for side in (-1, 1)]
    title = f"keys {angle}° apart"
    maps[title] = simplices.triple_product(directions, *keys)
    marks[title] = {"key 1": keys[0], "key 2": keys[1]}
    smallest[f"at_{angle}"] = maps[title].min()

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**The logit is greatest for queries in the plane of the two keys. If the keys are nearly parallel, it "
    "is nearly greatest for every query.** The smallest logit on the sphere is {at_90:.2f} for keys 90° "
    "apart, {at_45:.2f} for 45° and {at_10:.2f} for 10°. It is the absolute dot product of the keys, "
    "reached at the poles. So among keys of equal length, no pair has a greater logit than a parallel "
    "pair, whatever the query is.",
    **smallest,
)

# %%
figure = geometry.spheres(maps, marks, places, label="triple product")
heights = np.arange(0, 91, 15)
rise = {title: values[30 + heights // 3, 60].round(4) for title, values in maps.items()}
points = pd.DataFrame(rise, index=pd.Index(heights, name="latitude")).reset_index()
study.save_figure(figure, points, "eq_simplicial_7_sphere")

# %% [markdown]
# *Each map is the sphere of all query directions, with equal areas. Colour: the triple product with the two
# marked keys. The plane of the keys is the horizontal line. The poles are the directions at right angles
# to both keys. What to see: left, a bright band along the plane of the keys; right, no contrast at all.*
#
# ### Other logits
#
# Later papers use other functions of three vectors. The library offers them all. Here they are for keys
# 60° apart, as shares of what they can at most be for unit vectors.
#
# | `logits=` | formula | source |
# | --- | --- | --- |
# | `"unsigned"` | $\langle p, l^1, l^2\rangle$ | *simplicial*, eq. 7 |
# | `"trilinear"` | $\sum_d p_d\, l^1_d\, l^2_d$ | Roy et al. 2025 (Fast and Simplex) |
# | `"determinant"` | $\sum_t \det(p_t, l^1_t, l^2_t)$ over successive thirds of coordinates | Roy et al. 2025 |
# | `"pairs"` | $p\cdot l^1 + p\cdot l^2 + l^1\cdot l^2$ | Kozachinskiy et al. 2025 (Strassen attention) |

# %%
turn = np.radians(30)
keys = [np.array([np.cos(turn), side * np.sin(turn), 0.0]) for side in (-1, 1)]
first, second = (torch.tensor(key)[None] for key in keys)
queries, shape = torch.tensor(directions).flatten(0, 1), directions.shape[:2]
greatest = {"unsigned": 1, "trilinear": 1, "determinant": 1, "pairs": 3}
maps = {
    name: lib.simplicial_logits(queries, first, second, name).view(shape).numpy() / most
    for name, most in greatest.items()
}
both = {name: dict(zip(("key 1", "key 2"), keys)) for name in maps}
options = {"limits": (-1, 1), "cmap": "RdBu_r", "label": "share"}
figure = geometry.spheres(maps, both, places, columns=2, **options)
rise = {name: values[30 + heights // 3, 60].round(4) for name, values in maps.items()}
points = pd.DataFrame(rise, index=pd.Index(heights, name="latitude")).reset_index()
study.save_figure(figure, points, "eq_simplicial_7_others")

# %% [markdown]
# *Maps as above. Colour: the logit as a share of its greatest possible value for unit vectors; white is
# zero. Contours: full for zero and above, dashed below. What to see: the unsigned product is never negative and rewards queries in the plane of the keys,
# on both sides. The determinant does the opposite: it is zero in that plane and largest at one pole. The
# sum of pairs rewards queries near the keys. The trilinear form depends on the axes: it changes if query
# and keys are rotated together, and the other three do not.*
#
# ### How large are the logits of unrelated vectors?
#
# For independent random directions in $n$ dimensions, the mean of $\langle a, b, c\rangle^2$ is
# $3/n - 2/n^2$. (In eq. 8, each squared dot product has the mean $1/n$. The last term has the mean
# $1/n^2$.) In two dimensions three vectors are always dependent. So the product holds norms alone there,
# and heads need at least three dimensions.

# %%
triples = table[table["model"].eq("triples")]
share = triples.groupby("size")[["low", "median", "high", "expected"]].mean()
share["root"] = share["expected"] ** 0.5
said = {"two": share["low"].iloc[0], "few": share.index[1], "median": share["median"].iloc[1]}
said |= {"many": share.index[-1], "last": share["median"].iloc[-1]}

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**Unrelated vectors have small logits in many dimensions.** The median share of the greatest value is "
    "{median:.2f} in {few} dimensions and {last:.2f} in {many}. In two dimensions it is always "
    "{two:.0f}. The mean of the squared share is the expected one in all dimensions tried (check of the "
    "code).",
    "simplicial_random_triples.described holds",
    **said,
)

# %%
figure, (axis,) = figures.panels(["independent random vectors"], width=1.7)
axis.fill_between(
    share.index, share["low"], share["high"], alpha=0.2, label="5 to 95 of 100 triples"
)
axis.plot(share.index, share["median"], "o-", mec="white", label="median")
axis.plot(share.index, share["root"], "k:", lw=1.2, label="root of 3/n - 2/n²")
axis.set(xscale="log", xlabel="dimensions n", ylabel="share of the greatest value", ylim=(0, 1.05))
axis.set_xticks(share.index, [str(size) for size in share.index])
axis.minorticks_off()
axis.legend(loc="upper right")
study.save_figure(figure, share.reset_index(), "eq_simplicial_7_dimensions")

# %% [markdown]
# *Horizontal axis: dimensions, on a logarithmic scale. Vertical axis: the triple product as a share of the
# product of the norms. Circles: median over 10,000 triples, mean of 20 trials. Band: from the share that 5
# of 100 triples fall below to the one that 95 fall below. Dotted: root of the mean square. What to see: the
# share falls with the dimension, so the logits tell a dependent triple from an unrelated one.*
#
# ## Attention over pairs
#
# Each entity $e_i$ gives a query, two keys and a value, $(p_i, l^1_i, l^2_i, u_i) = E(e_i)$ (eq. 6). The
# pure 2-simplicial update is
#
# $$v'_i = \sum_{j,k} \frac{\exp\langle p_i, l^1_j, l^2_k\rangle}
# {\sum_{s,t} \exp\langle p_i, l^1_s, l^2_t\rangle}\; B(u_j \otimes u_k). \tag{10}$$
#
# The softmax runs over all pairs together. $B$ is one learned linear map, a tensor of three indices. The
# logit is the norm itself. It is neither squared nor divided by a root of the dimension.
#
# An example by hand: six entities in three dimensions. Their keys are three axes and the three directions
# half-way between two axes.

# %%
names = ["x", "y", "z", "xy", "yz", "xz"]
keys = torch.eye(3, dtype=torch.float64)
keys = torch.cat([keys, (keys + keys.roll(-1, 0)) / 2**0.5])[[0, 1, 2, 3, 4, 5]]
query = torch.tensor([[0.0, 0.0, 1.0]], dtype=torch.float64)  # the direction z
turned = keys[:, [1, 2, 0]]  # second keys of their own: x, y, z become z, x, y
pictures = {
    "query z, both keys alike": lib.simplicial_logits(query, keys, keys)[0],
    "query x, both keys alike": lib.simplicial_logits(query.roll(1, 1), keys, keys)[0],
    "query z, second keys turned": lib.simplicial_logits(query, keys, turned)[0],
}
pictures = {name: one.numpy().round(3) for name, one in pictures.items()}

# %%
figure = figures.matrices(pictures, xlabel="k (second key)", ylabel="j (first key)", label="logit")
for axis in figure.axes[:3]:
    axis.set_xticks(range(6), names)
    axis.set_yticks(range(6), names)
points = pd.concat({name: pd.DataFrame(one, names, names) for name, one in pictures.items()})
points = points.rename_axis(["panel", "first key"]).reset_index()
study.save_figure(figure, points, "eq_simplicial_10_pairs")

# %% [markdown]
# *One panel for each query. Row: the entity that gives the first key. Column: the entity that gives the
# second key; in the last panel, the direction of its second key has the coordinates in another order.
# Colour: the logit. What to see, left: the pairs (x, xz) and (y, yz) have the greatest logit, because they
# lie in one plane with the query z. The pair (x, y) has the logit zero, because x, y and z are pairwise
# orthogonal. Pairs that hold z itself have the greatest logit too. So has the whole diagonal, for every
# query, because both keys of an entity are alike. In the last panel the keys of an entity differ, and the
# diagonal has smaller logits too.*
#
# ### The library's layer against a loop
#
# `TwoSimplicialAttention` computes eq. 10 from dot products (eq. 8). It computes $B(u_j \otimes u_k)$ once
# for each pair, and not once for each query. The next cell compares it with eq. 7 and eq. 10 written by
# `einsum`.

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
# ### Where the product is zero
#
# The square root of eq. 8 has no gradient at zero, that is for pairwise orthogonal keys. A plain root gives
# a gradient that is not a number. The library's product has value and gradient zero there.

# %%
frame = torch.eye(3, requires_grad=True)
plain = (frame @ frame.T - torch.eye(3)).square().sum().sqrt()  # a root of zero
(bad,) = torch.autograd.grad(plain, frame)
(good,) = torch.autograd.grad(lib.unsigned_triple_product(*frame), frame)
{"plain root": bool(bad.isfinite().all()), "library": bool(good.isfinite().all())}

# %% [markdown]
# ## The blocks
#
# A standard block (eq. 3) and a simplicial block (eq. 11 and 12) differ in what goes into the feedforward
# network $g$:
#
# $$v'_i = \Big\{\text{1-simplicial}\Big\} \oplus \mathrm{LayerNorm}\Big\{\text{2-simplicial}\Big\},
# \qquad e'_i = \mathrm{LayerNorm}(g(v'_i) + e_i). \tag{11, 12}$$
#
# **Virtual entities** (eq. 13 and 14). Over all pairs of $N$ entities, eq. 10 costs of the order of $N^3$
# operations. So the paper takes pairs from $M$ virtual entities alone.
#
# - A standard entity attends to standard entities, and to *pairs of virtual entities*.
# - A virtual entity attends to all entities. It attends to no pairs. In their place it has its own value
#   $\mathrm{LayerNorm}(u_i)$.
#
# In eq. 13 the printed denominator sums over $s, t = 1, \ldots, N + M$. The numerator holds pairs of virtual
# entities. We take the sum over these pairs, so that the weights sum to 1.

# %%
block = lib.SimplicialBlock(8, 1, 4, simplicial_heads=1, simplicial_dim=3)
_, seen = block(torch.randn(7, 8), virtual=2, need_weights=True)  # 5 standard, 2 virtual
one, two = np.zeros((7, 7), int), np.zeros((7, 7), int)
one[:5, :5], one[5:] = seen.standard[0].detach() > 0, seen.virtual[0].detach() > 0
two[:5, 5:] = 2 * (seen.pairs[0].sum(-1).detach() > 0)
two[[5, 6], [5, 6]] = 3  # u_i
kinds = ["attends not", "attends", "attends, in pairs", "has its own value"]
labels = ["1", "2", "3", "4", "5", "V1", "V2"]
colors = figures.mpl.colors.ListedColormap(["white", *figures.sns.color_palette("viridis_r", 3)])

# %%
figure, axes = figures.panels(["1-simplicial", "2-simplicial"], width=0.9)
for axis, matrix in zip(axes, (one, two)):
    axis.imshow(matrix, cmap=colors, vmin=0, vmax=3)
    axis.set_xticks(range(7), labels)
    axis.set_yticks(range(7), labels)
    axis.set_xlabel("entity that is read")
axes[0].set_ylabel("entity that reads")
patch = figures.plt.Rectangle
handles = [patch((0, 0), 1, 1, fc=colors(k), ec="0.5", label=kind) for k, kind in enumerate(kinds)]
figure.legend(handles=handles, loc="outside lower center", ncols=4)
points = pd.DataFrame(np.concatenate([one, two]), columns=labels)
points.insert(0, "reads", 2 * labels)
study.save_figure(figure, points, "eq_simplicial_10_who_reads_whom")

# %% [markdown]
# *Row: the entity that is updated; V1 and V2 are virtual. Column: the entity that it reads. Colours: see the
# legend. Left: virtual entities read all, standard ones do not read virtual ones. Right: standard entities
# read pairs of virtual ones. The cells are read off the attention weights of a block with random weights.*
#
# A consequence: before the first block, virtual entities are learned constants. They know nothing of the
# input. So in the first block all samples share the keys and values of the pairs. Only from the second
# block on can pairs carry what the input holds.
#
# ### Layer normalisation is a setting
#
# Remark 4.1 says that the placement of layer norms varies between papers. `SimplicialBlock(norm=...)`
# offers three placements of the first one. The norms of the 2-simplicial output and of the result stay.
# Remark 2.3 says that training is unstable without the former. Nothing is trained here, so this is not
# tested.
#
# | `norm=` | what is normalised on the way in | where |
# | --- | --- | --- |
# | `"entities"` | the entities, before queries and keys are computed | section 4 and the public code |
# | `"projections"` | queries, keys and values, concatenated | Zambaldi et al. 2019, as Remark 4.1 says |
# | `"none"` | nothing | eq. 3, as printed |
#
# The paper's agents iterate one block twice. The text says that weights are shared between iterations. In
# the public code, iterations share all weights but the layer norms: `sharing="weights"`.

# %%
agent = {"heads": 2, "key_dim": 32, "hidden": 64}
pairs = {"simplicial_heads": 1, "simplicial_dim": 48}
counts = {}
for norm in ("entities", "projections", "none"):
    for sharing in ("weights", "all", "none"):
        for name, extra, virtual in (("relational", {}, 0), ("simplicial", pairs, 2)):
            one = lib.SimplicialBlock(64, **agent, **extra, norm=norm)
            model = lib.SimplicialTransformer(one, 2, virtual=virtual, sharing=sharing)
            size = sum(part.numel() for part in model.parameters())
            counts[norm, sharing, name] = f"{size:,}"
counts = pd.Series(counts).rename_axis(["norm", "sharing", "agent"]).unstack("agent").reset_index()
study.save_table(counts, "eq_simplicial_10_parameters")
counts

# %% [markdown]
# *Parameters of two iterations at the sizes of the paper's agents, with virtual entities. The row
# `entities`, `weights` is the public code. Most parameters of the simplicial agent are those of $B$: it
# holds 48 x 48 x 48 numbers. The paper has no baseline with as many parameters.*
#
# ## What does it cost?
#
# The paper states three complexities: $O(N^3)$ over all pairs, $O(NM^2)$ with $M$ virtual entities, and
# $O(N^2)$ if $M$ grows as the root of $N$. We count the operations of the library's layer. Each
# multiplication with its addition is one operation, and so is each number that anything elementwise
# makes. Counts have no error, and they do not depend on the machine.

# %%
grown = measures.growth(table)
along = {name: "virtual" if name == "virtual" else "entities" for name in grown}
slopes = {name: measures.exponent(rows, along[name]) for name, rows in grown.items()}
own = table[table["model"].eq("cost") & table["entities"].eq(40)].iloc[0]
said = {name.replace(" ", "_"): slope for name, slope in slopes.items()}
said["share"] = own["pair_values"] / own["operations"]

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**The counts grow as the paper says.** The exponent is {entities:.2f} in N and {virtual:.2f} in M "
    "with virtual entities, {all_pairs:.2f} in N over all pairs, and {root:.2f} in N if M is the root of "
    "N. Each is the slope between the two largest sizes counted.\n\n"
    "*What speaks against it.* At the size of the paper's agent (40 entities, 2 of them in pairs) the "
    "growing term is not the largest. The values of the pairs, which do not depend on N, are {share:.0%} "
    "of all operations.",
    "simplicial_cost_virtual.described holds",
    "simplicial_cost_all_pairs.described holds",
    said["share"] > 0.5,
    **said,
)

# %%
titles = {"entities": "64 virtual entities", "root": "root of N virtual entities"}
titles |= {"all pairs": "all pairs of N entities"}
looks = {"entities": ("C0", "o", "-"), "root": ("C1", "s", "--"), "all pairs": ("C2", "^", "-.")}

# %%
figure, axes = figures.panels(["N grows", "M grows, 16,384 entities"], width=1.3, sharey=False)
for name, title in titles.items():
    color, marker, line = looks[name]
    rows, label = grown[name], f"{title}: exponent {slopes[name]:.2f}"
    style = {"color": color, "marker": marker, "ls": line, "mec": "white"}
    axes[0].loglog(rows["entities"], rows["operations"], **style, label=label)
rows, label = grown["virtual"], f"exponent {slopes['virtual']:.2f}"
axes[1].loglog(rows["virtual"], rows["operations"], "C3D-", mec="white", label=label)
axes[0].set(xlabel="N, standard entities", ylabel="operations")
axes[1].set(xlabel="M, virtual entities")
[axis.legend(loc="upper left", fontsize=7) for axis in axes]
points = pd.concat(grown)[["entities", "virtual", "operations", "pair_values"]]
study.save_figure(
    figure, points.rename_axis(["grows", None]).reset_index(0), "eq_simplicial_10_operations"
)

# %% [markdown]
# *Left: operations against the number of standard entities. Right: against the number of virtual entities.
# Both axes are logarithmic, so a power is a straight line. One marker is one count, of one head with 48
# dimensions. The exponents belong to the two markers on the right of each line. What to see: attention
# over all pairs grows fastest; with the root of N virtual entities the cost grows as the square of N.*
#
# Time and memory depend on the machine. The script `tests/benchmarks/simplicial_attention.py` measures both, beside
# eq. 7 and beside eq. 8, each written by plain `einsum`; see
# [the result](../tests/benchmarks/simplicial_attention.txt). The layer takes about the time and memory of eq. 8 in
# plain `einsum`. So what it gains on eq. 7, which is much with many pairs, is what eq. 8 gains. Its own option
# `block=` takes less memory and more time.
#
# ## Attention before training
#
# The logits of eq. 10 have no scale. We drew the initial weights of the paper's agent (as the public code
# does) and random entities, and looked at the attention of standard entities to the four pairs of two
# virtual ones. Equal weights would be 1/4.

# %%
start = table[table["model"].eq("start")].copy()
scaled = np.where(start["scale"].eq(1), "no scale", "scaled")
start["attention"] = start["variant"].replace("pairs", "sum of pairs") + ", " + scaled
four, all_pairs = start[start["virtual"].eq(2)], start[start["virtual"].eq(0)]
order = {name: name for name in four["attention"].unique()}
trap = all_pairs["top_2"].mean()
said = {"trap": trap, "equal": all_pairs["uniform"].iloc[0], "pairs": 40**2}
said["scaled"] = four.loc[four["attention"].eq("unsigned, scaled"), "top_2"].mean()
four = four.assign(model=four["attention"])

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**Attention to pairs starts almost one-hot.** In the second iteration, the mean greatest weight among "
    "the four pairs is {simplicial_start_one_hot.described}. Divided by the root of 48, as later papers "
    "do, the same logits give {scaled:.2f}. Over all {pairs} pairs of 40 entities, without a scale, the "
    "mean greatest weight is {trap:.2f}; equal weights would be {equal:.4f}. Weights that start so far from "
    "equal pass on small gradients. Whether training suffers is not tested here. The bound of "
    "the claim was set after a first measurement had been seen.",
    "simplicial_start_one_hot.described holds",
    **said,
)

# %%
figure, axes = figures.panels(["first iteration", "second iteration"], width=1.4, height=0.8)
points = [
    curves.strip(axis, four, order, metric).assign(iteration=k)
    for k, (axis, metric) in enumerate(zip(axes, ("top_1", "top_2")), start=1)
]
for axis in axes:
    axis.axvline(1 / 4, color=figures.GREY, ls=":", label="equal weights")
    axis.set(xlabel="mean greatest weight", xlim=(0.2, 1.02))
figures.legend(figure, axes[:1])
study.save_figure(figure, pd.concat(points), "eq_simplicial_10_start")

# %% [markdown]
# *One marker is one of 20 trials: new initial weights, and 16 examples of 40 entities with standard normal
# features. Black dash: mean. Horizontal axis: the greatest of the four weights, averaged over entities and
# examples. Dotted: equal weights. What to see: the paper's logits lie far to the right.*
#
# *What speaks against it.* The entities are random. Those that come from a board of Box World may be more
# alike.
#
# ## Relatives: the Neural Turing Machine and the Hopfield network
#
# **Appendix A.** A Neural Turing Machine has a controller with state $h$, input $x$ and memory slots
# $M_1, \ldots, M_N$:
#
# $$h' = \mathrm{ReLU}(M + Wh + Ux + b), \tag{15}$$
# $$M = \sum_j \mathrm{softmax}(K[q, M_1], \ldots, K[q, M_N])_j\, M_j, \qquad q = Zh, \tag{16}$$
#
# where $K[u, v]$ is the cosine of $u$ and $v$. In the Transformer with shared weights every slot has such a
# controller: $e'_i = \mathrm{LayerNorm}(g(A) + e_i)$ (eq. 17), where $A$ is the attention term (eq. 18).
#
# **Appendix B.** The continuous Hopfield network updates its nodes by
#
# $$e'_i = \tanh\Big(\eta \sum_j (e_i\cdot e_j)\, e_j\Big). \tag{19}$$
#
# The paper calls the Transformer block a refinement of this network. Both are special cases of the
# library's layers, with weights chosen by hand. The table compares them with the formulas written as loops.

# %%
kinds = {"read_head": "read head (eq. 16)", "controller": "controller (eq. 15)"}
kinds |= {"hopfield": "Hopfield update (eq. 19)"}
how = ["1-simplicial attention: unit query, unit keys, slots as values"]
how += ["one linear layer with relu on what is read, state and symbol"]
how += ["attention without softmax; nodes as queries, keys and values; tanh"]
gaps = table[table["model"].eq("relatives")][list(kinds)].max()
relatives = pd.DataFrame({"formula": kinds.values(), "by layers of the library": how})
relatives["largest difference"] = [f"{gap:.0e}" for gap in gaps]
study.save_table(relatives, "app_simplicial_A_relatives")
relatives

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**All three agree up to rounding** (largest differences, as shares of the largest result; 20 trials "
    "in 3 and in 8 dimensions). This is a check of the code.",
    "simplicial_read_head.described holds",
    "simplicial_controller.described holds",
    "simplicial_hopfield.described holds",
)

# %% [markdown]
# What does the Hopfield update do? Twelve nodes start near one of two patterns of signs, with noise. Each
# update multiplies the nodes by their own dot products and squashes the result. We count the coordinates
# that have the sign of their node's pattern, in fifty draws of the noise.

# %%
patterns = np.array([[1, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]])[np.arange(12) % 2]
draws = []
for draw in range(50):
    nodes = [patterns / 2 + np.random.default_rng(draw).normal(0, 0.4, patterns.shape)]
    for _ in range(3):
        nodes.append(recurrent.hopfield_step(nodes[-1], eta=0.5))
    draws.append(nodes)
right = np.array([[(np.sign(one) == patterns).sum() for one in nodes] for nodes in draws])
titles = {0: "start", 1: "after one update", 3: "after three updates"}
pictures = {title: draws[0][k].round(2) for k, title in titles.items()}
said = {"of": patterns.size, "fell": int((right[:, 3] < right[:, 0]).sum()), "draws": len(draws)}
said |= {f"after_{k}": right[:, k].mean() for k in (0, 1, 3)}

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say(
    "**Updates clean the patterns, in most draws.** Of {of} coordinates, {after_0:.0f} have the sign of "
    "their node's pattern at the start, {after_1:.0f} after one update and {after_3:.0f} after three "
    "(means of {draws} draws). In {fell} draws there are fewer after three updates than at the start: one "
    "pattern spreads to nodes of the other.",
    said["after_1"] > said["after_0"],
    said["fell"] < said["draws"] / 2,
    **said,
)

# %%
figure = figures.matrices(pictures, limits=(-1, 1), xlabel="coordinate", ylabel="node", scale=0.85)
points = pd.concat({name: pd.DataFrame(one) for name, one in pictures.items()})
points = points.rename_axis(["panel", "node"]).reset_index()
study.save_figure(figure, points, "app_simplicial_B_hopfield")

# %% [markdown]
# *The first draw. Row: one of twelve nodes; even and odd ones start near different patterns. Column: one of
# eight coordinates. Colour: its value. What to see: after three updates the nodes of each pattern are
# alike, and the two patterns alternate.*
#
# ## Settings
#
# What the text says, and what we chose where the text says nothing.

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "eq_simplicial_10_settings")
study.common_settings()

# %% [markdown]
# The next table compares three places. It lists where the text and the public code differ.
#
# | item | text | public code | here |
# | --- | --- | --- | --- |
# | scale of 1-simplicial logits | none (eq. 2) | root of the head's dimension | `scale=`, by default that of the code |
# | scale of 2-simplicial logits | none (eq. 10) | none | `logit_scale=`, by default none |
# | 2-simplicial heads | any number | one | any number, each with its own $B$ |
# | softmax with virtual entities | $s, t = 1, \ldots, N + M$ (eq. 13) | pairs of virtual entities | pairs of virtual entities |
# | shared between iterations | weights | all but the layer norms | `sharing=`, by default as the code |
# | gradient at zero | not mentioned | of a plain square root | zero |
#
# ## Claims
#
# Each row is one claim. `whose` says whose it is: *stated* by the paper, *suggested* by it, or a
# *control* of ours. The verdict is "holds" if all that was measured lies where the claim is true, "fails"
# if none of it does, and "undecided" otherwise. A control has the answer "yes" or "no". Claims that are
# true by mathematics are marked as checks of the code. *Post hoc* marks a claim whose bound was set after a
# result had been seen. A claim about several points shows the point that decides.

# %%
study.claims()

# %% [markdown]
# ## What to try next
#
# - Use the layer in a model of your own: `TwoSimplicialAttention(64, heads=4, key_dim=12)`. Try
#   `logits="pairs"`, and a `scale`.
# - Look at attention over pairs: `layer(x, need_weights=True)` returns weights for each query and pair.
# - Set `block=8` where all pairs of many entities do not fit into memory.

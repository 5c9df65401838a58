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
# # Which relations are inner products of networks?
#
# **Question.** An Abstractor models a relation between two objects as an inner product,
# $r(x, y) = \langle\phi(x), \psi(y)\rangle$. The *encoders* $\phi$ and $\psi$ are networks; their
# outputs are called *features*. Which relations can such a module compute? How many features does
# it need? What is lost if there is only one encoder, $\phi = \psi$?
#
# *Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 05_mercer_kernels.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # of the one run that is begun here

# %% jupyter={"source_hidden": true} tags=["hide-input"]
import numpy as np
import pandas as pd
import torch

from abstractor_lib import nn as lib
from abstractor_lib.experiments import kernels
from abstractor_lib.experiments.kernels import inspect, results
from abstractor_lib.experiments.kernels.run import Pair
from abstractor_lib.experiments.kernels.run import errors as error_of
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, exercises, figures, live
from abstractor_lib.reporting.pictures import kernels as pictures
from abstractor_lib.reporting.study import Study
from abstractor_lib.theory import mercer
from abstractor_lib.theory.kernels import MERCER, OTHERS, components
from abstractor_lib.training.minimise import minimise
from abstractor_lib.training.outcome import FIRST_LOSSES

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("kernels", Workspace(profile, fresh), compute)
table = study.table("described")
rank, width = results.sizes(table).ranks[-1], results.sizes(table).widths[-1]

# %%
networks = {}
for name, relation in [("mlp", "brownian"), ("mlp", "before"), ("separate", "before")]:
    spec = study.spec("described", name, rank, relation, width=width)
    networks[name, relation] = inspect.learned(spec, study.weights(spec, 0))
figure, points = pictures.true_and_learned(networks)
study.save_figure(figure, points, "txt_v3_003_soft_order")

# %% [markdown]
# **Figure.** *To see: one encoder learns the first relation and answers 0 (white) to the second.
# Two encoders learn the second one, too.* Vertical: x. Horizontal: y. Colour: the value of the
# relation. First and third square: the relations. The others: what a network has learned of the
# relation to their left, with 16 features. A *soft order* says how clearly x comes before y. One
# trial each, without interval.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("against")

# %% [markdown]
# ## The paper
#
# v1 (*Abstractors: Transformer Modules for Symbolic Message Passing and Relational
# Reasoning*), section 3.1, states that networks with one encoder approximate every Mercer kernel
# "arbitrarily closely" (Theorem 3.1), and other approximators too (Remark 3.1). v3 (*Abstractors
# and relational cross-attention*), section 2.1, states that one encoder "induces well-defined
# notions of distance, angles, and orthogonality". 003, an earlier draft of that section, states
# that two encoders "capture arbitrary continuous functions".
#
# All numbers come from records that ship.
#
# To train everything again: `abstractor reproduce --fresh --only 05`. With papermill alone, in a
# tiny version that takes seconds or minutes:
# `papermill 05_mercer_kernels.ipynb out.ipynb -p profile smoke -p compute True`.
#
# ## The task
#
# ### Mercer's theorem, by hand
#
# A **Mercer kernel** is a function $r(x, y)$ that is continuous, symmetric and positive
# semi-definite. Positive semi-definite means: $\sum_{i,j} c_i c_j\,r(x_i, x_j) \ge 0$ for all
# points $x_i$ and numbers $c_i$.
#
# **Mercer's theorem.** Let $\mathcal X$ be compact, with a finite measure that is positive on every
# non-empty open set. Let $r$ be a Mercer kernel on $\mathcal X$. Then
#
# $$r(x, y) = \sum_{j=1}^\infty \lambda_j\,\psi_j(x)\,\psi_j(y),$$
#
# uniformly on $\mathcal X \times \mathcal X$. Here $\lambda_1 \ge \lambda_2 \ge \dots \ge 0$ are
# the eigenvalues of the operator $f \mapsto \int r(\cdot, x) f(x)\,dx$, and the $\psi_j$ are its
# orthonormal eigenfunctions.
#
# The first $n$ terms are an inner product of $n$ features:
# $\phi(x) = (\sqrt{\lambda_1}\,\psi_1(x), \ldots, \sqrt{\lambda_n}\,\psi_n(x))$. This is the
# *truncated series*. The example is $r(x, y) = \min(x, y)$ on $[0, 1]$. Its eigenpairs are known:
# $\lambda_j = ((j - \frac12)\pi)^{-2}$ and $\psi_j(x) = \sqrt2 \sin((j - \frac12)\pi x)$.

# %%
kernel = MERCER["brownian"]
x = kernel.domain.grid(80)
series, errors = {"min(x, y)": kernel(x, x)}, {}
for count in (1, 4, 16):
    values, functions = kernel.eigenpairs(count)
    features = functions(x) * np.sqrt(values)
    series[f"{count} feature{'s' * (count > 1)}"] = features @ features.T
    errors[count] = mercer.truncation(kernel, (values, functions), x)
shown = {"columns": 4, "xlabel": "y", "ylabel": "x", "scale": 0.7, "extent": pictures.UNIT}
figure = figures.matrices(series, **shown)

# %% [markdown]
# **Figure.** *To see: more features make the ridge along the diagonal sharper.* The kernel
# min(x, y), then its truncated series with 1, 4 and 16 features. Vertical: x. Horizontal: y.
# Colour: the value.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("series_by_hand", errors=errors)

# %% [markdown]
# ### Theorem 3.1: networks approximate every Mercer kernel
#
# The theorem in our words, with the notation of v1:
#
# > **Theorem 3.1** (v1, section 3.1). Let $\mathcal X$ be a compact Hausdorff space with a finite
# > countably additive measure, for example a compact subset of $\mathbb R^d$. For networks with
# > parameters $\theta_1, \ldots, \theta_{d_r}$ define the relation
# > $\langle x, y\rangle_{\mathrm{MLP}} \in \mathbb R^{d_r}$ with the components
# > $\langle \mathrm{MLP}_{\theta_i}(x), \mathrm{MLP}_{\theta_i}(y)\rangle$.
# >
# > 1. Each component of $\langle\cdot, \cdot\rangle_{\mathrm{MLP}}$ is a Mercer kernel.
# > 2. Let each component of $r : \mathcal X \times \mathcal X \to \mathbb R^{d_r}$ be a Mercer
# >    kernel. Then for every $\epsilon > 0$ there are parameters
# >    $\theta_1, \ldots, \theta_{d_r}$ with
# >    $\sup_{x, y \in \mathcal X} \|r(x, y) - \langle x, y\rangle_{\mathrm{MLP}}\|_\infty <
# >    \epsilon$.
#
# The theorem as printed leaves out hypotheses. A network takes vectors, so $\mathcal X$ must lie in
# some $\mathbb R^d$. Part 1 needs continuous networks. Part 2 needs an activation that is no
# polynomial. The series that the proof quotes needs a measure that is positive on every non-empty
# open set. The conclusion of the theorem does not depend on a measure. Our tests meet all of these
# hypotheses.
#
# The proof of part 2 has three steps for each component.
#
# 1. The truncated series converges uniformly (eq. 3.3). Some $n$ terms leave an error below
#    $\epsilon / 2$ (eq. 3.4).
# 2. Networks are universal approximators. So some network has
#    $\sup_x |\mathrm{MLP}(x)_j - \sqrt{\lambda_j}\,\psi_j(x)| < \epsilon_1$ for every $j \le n$
#    (eq. 3.5).
# 3. If $\epsilon_1$ is small enough, the inner products of this network change the sum by less than
#    $\epsilon / 2$ (eq. 3.6).
#
# **What can be tested.** Part 1 holds for every network, so it can be checked on trained ones (see
# *Geometry* below). Part 2 says that networks *exist*. It gives no number of features, no width and
# no way to find the parameters. So a trained network with a small error is an example of what part
# 2 promises. A large error refutes nothing, because training may have missed a better network. The
# section *A network built by hand* gives examples without training, on four kernels and at finite
# sizes.
#
# **Relations.** The table lists seven Mercer kernels. An eighth relation, `vector`, has three
# dimensions: `brownian`, `gaussian` and `polynomial`, each with its own network. All domains are
# compact and carry the uniform measure, so the hypotheses hold. The last column says how the
# eigenpairs are computed: in closed form, or by the *Nyström method*, which replaces the integral
# by a sum over nodes (see the appendix).

# %%
results.relations()

# %% [markdown]
# ## The models
#
# Three kinds of features take the place of $\phi$ and $\psi$.
#
# - *Trained networks* have two hidden layers of up to 64 units with tanh.
# - *Networks with one hidden layer of ReLU units* are built by hand, or trained.
# - *Fixed features* need no training: the truncated series, random waves, radial basis functions.
#
# The inner product is the library's module. With one list of encoders it has one encoder for both
# objects, with two lists it has two:

# %%
phi, psi = lib.MLP([1, 64, 64, 16]), lib.MLP([1, 64, 64, 16])
objects = torch.linspace(0, 1, 5)[None, :, None]  # one sequence of five numbers
for name, module in [
    ("one encoder", lib.InnerProductRelation([phi])),
    ("two encoders", lib.InnerProductRelation([phi], [psi])),
]:
    relation = module(objects)[0, 0]  # (5, 5)
    symmetric = torch.allclose(relation, relation.T, atol=1e-6)
    print(f"{name}: {live.parameters(module):,} parameters, symmetric: {symmetric}")

# %% [markdown]
# ## One run, from its settings to its first updates
#
# One run is begun here by hand: a network that learns $\min(x, y)$ on $[0, 1]$. Its settings:

# %%
run = study.wanted("described", model="mlp", relation="brownian", size=rank, width=width)[0]
live.settings(run)

# %% [markdown]
# The network is trained on all pairs of the nodes of a quadrature rule. A pair's error counts with
# the product of the weights of its nodes. The table shows what the network is to compute, for a few
# of the nodes:

# %%
target = components(run.task.relation)  # one relation, of one dimension
nodes, weights = target[0].domain.quadrature(run.training.nodes)
print(f"{len(nodes)} nodes, {len(nodes) ** 2:,} pairs; the weights sum to {weights.sum():.3f}")
few = nodes[:: len(nodes) // 5]
names = [f"{x:.3f}" for x in few[:, 0]]
shown = pd.DataFrame(target[0](few, few), names, names).rename_axis(index="x", columns="y")
shown.map("{:.3f}".format)

# %% [markdown]
# The model is an inner product of the library's networks:

# %%
live.seed(run)
pair = Pair(target[0].domain.dim, len(target), run.model)
print(f"{live.parameters(pair):,} parameters")
live.source(Pair)

# %% [markdown]
# The weights are random. The run's seed gives the same again. L-BFGS draws nothing. So the
# relations before any update are the recorded ones, between four points, and so are the first
# losses. The loss is the mean of a power of the error over all pairs of nodes:

# %%
points = torch.from_numpy(target[0].domain.grid(4))
start = pair(points, points).flatten()[:FIRST_LOSSES].tolist()
at, weight = torch.from_numpy(nodes), torch.from_numpy(weights)
goal = torch.from_numpy(target[0](nodes, nodes))  # r(x, y) at all pairs of nodes
error = lambda power: (weight[:, None] * weight * (pair(at, at) - goal).abs() ** power).sum()
losses = minimise(pair.parameters(), lambda: error(2), FIRST_LOSSES)  # of all evaluations
computed = {"relations at the start": start, "first losses": losses[:FIRST_LOSSES]}
live.beside_record(study, run, computed)

# %% [markdown]
# From here on L-BFGS starts afresh from the present weights.

# %%
live.minimise_on(pair.parameters(), lambda: error(2), updates)

# %% [markdown]
# ## All runs: how small do the errors become?
#
# Each network was trained by L-BFGS: up to 500 iterations on the mean square error, then up to 500
# on the mean eighth power of the error, which weighs the largest errors most. It was trained on all
# pairs of about 128 points. The error was measured on all pairs of about 1,000 points.

# %%
study.state().query("protocol == 'described'")

# %% [markdown]
# From here on, an error is a share of the kernel's largest value. The *lower bound* is
# $(\sum_{j > n} \lambda_j^2)^{1/2}$. It holds for any $n$ features, trained or not: no inner
# product of $n$ features has a smaller L2 error, and the largest error is never below the L2 error.
# For `vector` it is the bound of the worst dimension.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("networks_approximate")

# %%
by_features = results.panels(results.by_features(table))
figure, points = curves.errors(
    by_features, pictures.BY_FEATURES, xlabel="features", **pictures.BOUND
)
study.save_figure(figure, points, "thm_v1_3_1_rank")

# %% [markdown]
# **Figure.** *To see: with few features most circles lie below the triangles; with 16 features all
# circles lie above them.* One panel for each relation. Horizontal: number of features. Vertical:
# largest error over all pairs of grid points, as a share of the kernel's largest value. Circles:
# trained networks, mean of five trials; band: 95 % interval. Triangles: the truncated series, which
# needs no training. Dotted: the lower bound for any features of that number. A line that leaves a
# panel at the bottom has errors below $10^{-5}$.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("better_features")

# %% [markdown]
# ## How wide must the networks be?
#
# There are two ways to train a network with $n$ features.
#
# - *Trained networks* see the relation. Their inner products are fitted to $r(x, y)$.
# - *Networks of the proof* see the eigenfunctions. Their outputs are fitted to
#   $\sqrt{\lambda_j}\,\psi_j(x)$, as eq. 3.5 asks. They never see the relation.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("widths")

# %%
by_width = results.panels(results.by_width(table))
figure, points = curves.errors(by_width, pictures.BY_WIDTH, xlabel="width", **pictures.BOUND)
study.save_figure(figure, points, "thm_v1_3_1_width")

# %% [markdown]
# **Figure.** *To see: circles (trained on the relation) lie below squares (trained on the
# eigenfunctions), except for `circle` and `sphere`.* One panel for each relation, all with 16
# features. Horizontal: units in each hidden layer. Vertical: largest error, as a share of the
# kernel's largest value. Markers: means of five trials (of twenty for the networks of the proof at
# width 64); bands: 95 % intervals. Dotted: the lower bound for any 16 features; where it is not
# seen, it lies below the panel. An appendix says where all trials agree.

# %% [markdown] tags=["detail"]
# ## A network built by hand
#
# Theorem 3.1 says that the error can be as small as one likes. The error of the trained tanh
# networks above hardly falls beyond 16 units. Is training the reason? The question arose from those
# results. The claims of this section were written before its runs; the form of the proved bound
# came later (†).
#
# First, networks whose error does fall. We carry out the three steps of the proof numerically, for
# a kernel on $[0, 1]$; step 3 uses a bound of ours in place of eq. 3.6.
#
# 1. Take $n$ terms of the series. Let $r_n$ be their sum.
# 2. Replace each $\sqrt{\lambda_j}\,\psi_j$ by the piecewise linear function that agrees with it at
#    $w + 1$ evenly spaced knots. This function *is* a network with one hidden layer of $w$ ReLU
#    units, $f_j(x) = f_j(0) + \sum_i c_{ij}\,\mathrm{relu}(x - t_i)$: one unit for each knot $t_i$
#    but the last, and $c_{ij}$ the change of slope there.
# 3. Bound the error. Linear interpolation at knots $1/w$ apart is off by at most
#    $\frac{1}{8 w^2} \sup |g''|$ for any twice differentiable $g$. The interpolant's maximum never
#    exceeds that of $|g|$. Interpolating $r_n$ in $x$ and then in $y$ gives
#
# $$\sup_{x, y} |r(x, y) - \langle f(x), f(y)\rangle| \;\le\; \sup_{x, y} |r - r_n|
# \;+\; \frac{1}{4 w^2}\, \sup_{x, y} \Big|\frac{\partial^2 r_n}{\partial x^2}\Big| .$$
#
# Both suprema are bounded over the whole interval, and not on a grid; the module
# `abstractor_lib.theory.series_bounds` says how. For a fixed $n$ the second term falls as $w^{-2}$,
# until the first one is left. With more terms the first one falls, too. For $\min(x, y)$ the bound
# is at most $\frac{2}{\pi^2 n} + \frac{n}{2 w^2}$. With $n = w$ this is less than $0.71 / w$, so it
# tends to 0.
#
# Here is that network for $\min(x, y)$, with as many features as units, in numpy. Nothing is
# trained.

# %%
kernel = MERCER["brownian"]
values, functions = kernel.eigenpairs(width)
f = lambda x: functions(x) * np.sqrt(values)  # (N, 1) -> (N, w): the features to be approximated
knots = np.linspace(0, 1, width + 1)[:, None]
slopes = np.diff(f(knots), axis=0) * width  # of the linear pieces, (w, w)
changes = np.diff(slopes, axis=0, prepend=0)  # c_ij
network = lambda x: f(knots[:1]) + np.maximum(x - knots[:-1].T, 0) @ changes  # one hidden layer
x = kernel.domain.grid(1000)
largest = np.abs(kernel(x, x) - network(x) @ network(x).T).max()
recorded = results.by_hand(table).query("model == 'grown' and relation == 'brownian'")
recorded = recorded.loc[recorded["width"].eq(width), "relative_error"]
print(f"{width} units, {width} features: largest error {largest:.5f}")
print("recorded:", *(f"{one:.5f}" for one in recorded))

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("built_by_hand")

# %%
by_hand = results.panels(results.by_hand(table), kernels.grid.ON_INTERVAL)
figure, points = pictures.built(by_hand)
study.save_figure(figure, points, "thm_v1_3_1_built")

# %% [markdown]
# **Figure.** *To see: with as many features as units, the error of the network built by hand goes
# on falling in every panel. The same architecture with 16 features, trained from random weights,
# stays above the built one with 16 features.* One panel for each kernel on $[0, 1]$. Horizontal:
# units in a hidden layer; series are set apart a little, because some coincide. Vertical: largest
# error, as a share of the kernel's largest value. Nothing is random in the two series "built by
# hand". The other two: mean of five trials, with its 95 % interval. Dotted: the proved bound of the
# network with as many features as units.
#
# With 16 features, the error of the network built by hand ends at that of the truncated series in
# `laplacian` and `brownian`. In `gaussian` and `polynomial` it still falls at 256 units. (All but
# four features of `polynomial` are 0.) The means of "trained from random weights" lie above "built
# by hand, 16 features". With 4 or 16 units some intervals reach below it, so there the order is not
# resolved. The claim is about 64 units alone. Does the loss have smaller values than those that
# training reaches? An appendix shows that it has.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("tanh_networks")

# %% [markdown]
# ## Remark 3.1: other approximators
#
# > **Remark 3.1** (v1, section 3.1). The result also holds for universal approximators other than
# > feedforward neural networks, with a nearly identical proof.
#
# Two other universal approximators take the place of the networks: random Fourier features (*random
# waves*, $\cos(\langle v, x\rangle + b)$ with random $v$ and $b$) and Gaussian bumps at fixed
# centres (*radial basis*). Both have 64 fixed features. A linear map turns these into $n$ features.
# The map is computed in closed form, so no training is involved.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("other_approximators")

# %%
drawn = {"xlabel": "features", "dodge": 1.12, **pictures.BOUND}
figure, points = curves.errors(by_features, pictures.OTHER_FEATURES, **drawn)
study.save_figure(figure, points, "rem_v1_3_1_approximators")

# %% [markdown]
# **Figure.** *To see: at 16 features the downward triangles (random waves) lie below the circles,
# or below the panel, everywhere but in `linear`.* One panel for each relation; axes, circles and
# dotted line as in the figure of all runs. Series are set apart a little, because some coincide.
# Downward triangles: 64 random waves, mean of five draws with its 95 % interval. Crosses, dashed:
# 64 radial basis functions, without interval. A band that reaches the bottom contains 0.
#
# ## Geometry: distances and angles of a learned relation
#
# v3, section 2.1, says: the inner product $\langle\phi(x), \phi(y)\rangle$ "induces well-defined
# notions of distance, angles, and orthogonality". This needs one encoder, $\phi = \psi$. Then
#
# $$d(x, y)^2 = r(x, x) + r(y, y) - 2\,r(x, y), \qquad
# \cos\angle(x, y) = \frac{r(x, y)}{\sqrt{r(x, x)\,r(y, y)}}.$$
#
# For $\min(x, y)$ the distance is $\sqrt{|x - y|}$ and the cosine is
# $\sqrt{\min(x, y) / \max(x, y)}$. Two objects are orthogonal if $r(x, y) = 0$.
#
# Two different objects have distance 0 if $\phi$ does not separate them. An example is the relation
# $x^2 y^2$, for which $d(x, -x) = 0$. All else that a distance must fulfil holds for every $\phi$.
#
# **How errors carry over.** If every value of $r$ is off by at most $\epsilon$, then $d^2$ is off
# by at most $4\epsilon$, and $d$ by at most $2\sqrt\epsilon$. Small distances are the ones at risk.
#
# Part 1 of Theorem 3.1 says that each learned relation is a Mercer kernel. On any points its matrix
# then has no negative eigenvalue. The table shows the worst of five trials for each relation, with
# the largest number of features and the largest width, on about 120 points. All three columns are
# shares: of the largest eigenvalue, and of the largest distance.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("geometry")

# %%
names = ["smallest eigenvalue", "excess over the triangle inequality", "error of a distance"]
worst = results.geometry(table).set_axis(names, axis=1)
study.save_table(worst.reset_index(), "txt_v3_2_1_distances")
worst

# %% [markdown]
# The next figure shows one of these networks, trained on $\min(x, y)$.

# %%
network = networks["mlp", "brownian"]
gap, by_value = network.learned - network.truth, inspect.by_true_value(network)
figure = pictures.geometry(gap, by_value)
points = pd.concat(by_value, names=["panel"]).reset_index()
study.save_figure(figure, points, "txt_v3_2_1_geometry")

# %% [markdown]
# **Figure.** *To see: the dots of small distances lie below the dashed line.* Left: error of the
# learned relation, over x (vertical) and y (horizontal). Middle and right: learned against true
# distances and cosines, for all pairs of 60 points. True values are grouped in steps of $0.05$.
# Dots: means; band: smallest to largest; dashed: no error. One trial.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("one_network", gap=gap, distances=by_value["distances"])

# %% [markdown] tags=["detail"]
# ## One encoder or two
#
# v1, section 3.1, says that relations with two encoders (eq. 2.3) are a "strictly larger" class
# than those with one. Draft 003, section 2.1, says more: inner products "capture arbitrary
# continuous functions on $\mathcal X \times \mathcal X$". v3 leaves this sentence out. The draft
# refers to a proof that is not in the file. In formulas:
#
# > Let $\mathcal X$ be compact and $r : \mathcal X \times \mathcal X \to \mathbb R$ continuous.
# > Then for every $\epsilon > 0$ there are networks $\phi$ and $\psi$ with
# > $\sup_{x, y} |r(x, y) - \langle\phi(x), \psi(y)\rangle| < \epsilon$.
#
# Like part 2 of Theorem 3.1, this is about existence. What *cannot* be represented is known
# exactly. Let $\sigma_j$ be the singular values of $r$, $\lambda_j$ the eigenvalues of its
# symmetric part, and $r_-$ its antisymmetric part. With $n$ features, the least possible square L2
# error is
#
# - one encoder:
#   $\|r_-\|^2 + \sum_{\lambda_j < 0} \lambda_j^2 + \sum_{j > n,\,\lambda_j > 0} \lambda_j^2$;
# - two encoders: $\sum_{j > n} \sigma_j^2$.
#
# With one encoder, more features do not make the first two terms smaller. The figure has a panel
# for each of four relations that are no Mercer kernels. The second one lives on the circle, the
# others on $[0, 1]$. The second and the third are antisymmetric, $r(x, y) = -r(y, x)$. The best
# answer of one encoder to an antisymmetric relation is 0.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("two_encoders")

# %%
others = results.panels(table[table["width"].eq(width)], kernels.OTHERS)
others = {OTHERS[name].formula: rows for name, rows in others.items()}
figure, points = curves.errors(others, pictures.ENCODERS, xlabel="features", **pictures.LEAST)
study.save_figure(figure, points, "txt_v3_003_separate_encoders")

# %% [markdown]
# **Figure.** *To see: circles (one encoder) lie on their dotted line, which hardly falls. Diamonds
# (two encoders) fall with their dotted line at first; from 4 features on they stay.* One panel for
# each relation. Horizontal: number of features. Vertical: L2 error for the uniform measure.
# Markers: mean of five trials; bands: 95 % intervals. Dotted, in a darker shade of the markers'
# colour: the least possible error.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("two_encoders_against")

# %% [markdown]
# The first figure of this notebook shows the soft order $\tanh(5(y - x))$.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("soft_order", learned=networks["mlp", "before"].learned)

# %% [markdown]
# ## Claims
#
# Each row is one claim with its [verdict](../docs/glossary.md#claims); † marks what is
# [post hoc](../docs/statistics.md#post-hoc). The paper says that networks *exist*. That training
# finds one with an error below a bound of ours is therefore a suggested claim. Means and intervals
# are of the worst relation. The intervals hold for all relations of a claim together
# ([Bonferroni](../docs/statistics.md#many-points-simultaneous-intervals)). Claims that are true by
# mathematics show the worst value of all trials instead.

# %%
study.claims()

# %% [markdown]
# ## Exercises
#
# Run the cells above the first figure, then start with any exercise. Each takes less than a minute.
#
# ### 1. How many features does a ridge need? Change their number
#
# Take the truncated series of $\min(x, y)$ with `features` terms. Find the least number of features
# whose largest error is below $0.01$. The check asks for the error at $(1, 1)$, where it is
# largest, with that number and with one less. A smooth kernel needs few features; here you see what
# a sharp ridge costs.

# %% tags=["exercise"]
features = 4
kernel, corner = MERCER["brownian"], np.ones((1, 1))
print(f"{mercer.truncation(kernel, kernel.eigenpairs(features), corner):.4f}")

# %% tags=["check"]
terms = 2 / ((np.arange(1, 10_001) - 0.5) * np.pi) ** 2  # lambda_j psi_j(1)^2; they sum to 1
exercises.check(
    {
        "the largest error is below 0.01": bool(1 - terms[:features].sum() < 0.01),
        "with one feature less it is not": bool(1 - terms[: features - 1].sum() >= 0.01),
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# features = 21
# kernel, corner = MERCER["brownian"], np.ones((1, 1))
# print(f"{mercer.truncation(kernel, kernel.eigenpairs(features), corner):.4f}")
# ```
#
# The error at $(1, 1)$ is $\sum_{j > n} 2 / ((j - \frac12)\pi)^2$, which is close to
# $2 / (\pi^2 n)$. It falls as $1/n$ only, because $\min(x, y)$ has a kink along the diagonal.
#
# </details>
#
# ### 2. An antisymmetric relation: change the encoders
#
# A point of the circle is $x = (\cos s, \sin s)$. The module below has linear encoders,
# $\phi(x) = W_1 x$ and $\psi(y) = W_2 y$. With $W_1 = W_2$ it computes $\cos(t - s)$. Choose the
# two maps such that it computes $\sin(t - s)$, for every pair of points. The best that one encoder
# can do is to answer 0; two encoders with two features compute this relation exactly.

# %% tags=["exercise"]
module = lib.MultiHeadRelation(2, relations=1, key_dim=2, activation="linear").double()
module.left.weight.data = torch.eye(2, dtype=torch.float64)  # W_1
module.right.weight.data = torch.eye(2, dtype=torch.float64)  # W_2

# %% tags=["check"]
angles = np.linspace(0, 2 * np.pi, 25)
circle = torch.from_numpy(np.stack([np.cos(angles), np.sin(angles)], axis=-1))
relation = module(circle[None]).detach().numpy()[0, 0]
exercises.check(
    {
        "r(x, y) = -r(y, x)": np.allclose(relation, -relation.T),
        "the relation is sin(t - s)": np.allclose(relation, np.sin(angles - angles[:, None])),
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# module = lib.MultiHeadRelation(2, relations=1, key_dim=2, activation="linear").double()
# module.left.weight.data = torch.eye(2, dtype=torch.float64)
# module.right.weight.data = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
# ```
#
# $\psi$ turns $y$ back by a quarter of the circle, so the inner product is
# $\cos(t - s - \frac{\pi}{2}) = \sin(t - s)$. With one encoder the matrix $W_1^\top W_2$ is
# symmetric; here it is antisymmetric.
#
# </details>
#
# ### 3. Which initial weights let training find a good network?
#
# Networks built by hand have smaller errors than trained ones of the same architecture. We do not
# know whether other initial weights would close the gap. The cell makes the first run of one hidden
# layer with 64 ReLU units on $\min(x, y)$, and spreads the kinks of its units evenly over $[0, 1]$.
# Set `steps` to 500 and compare the last loss with that from torch's own initial weights. An answer
# would be a rule for initial weights, and errors on all four kernels, over five seeds each, that
# reach those of the network built by hand.

# %% tags=["exercise"]
steps = 0
begun = study.wanted("described", model="relu", relation="brownian", size=rank, width=width)[0]
live.seed(begun)
pair = Pair(1, 1, begun.model)
hidden = pair.relation.left[0][0]
hidden.weight.data.fill_(1.0)  # a unit computes relu(x - t): its kink is at t
hidden.bias.data = -torch.linspace(0, 1, width + 1, dtype=torch.float64)[:-1]
error = error_of(pair, components("brownian"), begun)
losses = minimise(pair.parameters(), lambda: error(2), steps)
print("last losses:", [f"{x:.1e}" for x in losses[-3:]])

# %% [markdown]
# ## Appendices
#
# ### The Nyström method
#
# Most kernels have no eigenpairs in closed form. The Nyström method finds them numerically. It
# replaces the integral by a weighted sum over nodes, so that the operator becomes a matrix.

# %%
closed, _ = kernel.eigenpairs(5)
nystrom, _ = mercer.nystrom(kernel, 5, kernel.domain.quadrature(128))
eigenvalues = pd.DataFrame({"exact": closed, "Nyström, 128 nodes": nystrom})
eigenvalues.index = [f"eigenvalue {j}" for j in range(1, 6)]
eigenvalues.map("{:.6f}".format)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("nystrom", eigenvalues=eigenvalues)

# %% [markdown]
# ### Two ways to train: where all trials agree
#
# The table names the way all of whose trials have smaller errors than all trials of the other way.

# %%
results.apart(table)

# %% [markdown]
# ### The loss that training misses
#
# Does the loss have smaller values than those that training reaches? The training minimises the
# mean square error first, and then the eighth root of the mean eighth power of the error. The table
# shows the last value of this root, from the records, for networks with one hidden layer of ReLU
# units: trained from the weights built by hand, and trained from random weights.

# %%
last = results.last_losses(table, study.histories("described")["described"])
loss = results.means(last, "relation", metric="loss")[["relu_built", "relu"]]
loss = loss.set_axis(["from the weights built by hand", "from random weights"], axis=1)
loss.sort_index().map("{:.5f}".format)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("training_misses", last=last)

# %% [markdown]
# ### Equation 2.4 contains equation 2.3
#
# v1 has two forms of a relation with $d_r$ dimensions. Eq. 2.3 has a pair of encoders for each
# dimension, $r_k(x, y) = \langle\phi_k(x), \psi_k(y)\rangle$. Eq. 2.4 has one shared *embedder*
# $\phi$ and projections, $r_k(x, y) = \langle W_1^{(k)}\phi(x), W_2^{(k)}\phi(y)\rangle$. v1,
# sections 2.2 and 3.1, says that both give the same class of functions, if $\phi$ may be any
# function.
#
# - Eq. 2.3 contains eq. 2.4: take $\phi_k = W_1^{(k)}\phi$ and $\psi_k = W_2^{(k)}\phi$.
# - Eq. 2.4 contains eq. 2.3: let $\phi$ list the outputs of all encoders, and let the projections
#   pick.
#
# The next cell builds the second case with modules of the library. It has two dimensions and
# encoders with two features each. Both modules give the same relations, up to rounding:

# %%
torch.manual_seed(0)
left, right = ([lib.MLP([3, 8, 2]).double() for _ in range(2)] for _ in range(2))
objects = torch.randn(1, 5, 3, dtype=torch.float64)
separate = lib.InnerProductRelation(left, right)(objects).detach()
embedded = torch.cat([encoder(objects) for encoder in [*left, *right]], dim=-1)  # (1, 5, 8)
shared = lib.MultiHeadRelation(8, relations=2, key_dim=2, activation="linear").double()
pick = torch.eye(8, dtype=torch.float64)  # a row for each output of each encoder
with torch.no_grad():
    shared.left.weight.copy_(pick[:4])  # W_1 of both dimensions
    shared.right.weight.copy_(pick[4:])  # W_2
bool((shared(embedded).detach() - separate).abs().max() < 1e-12)

# %% [markdown]
# ### Settings
#
# The first table lists what the text says. There is no public code for these statements. The second
# table lists what we chose.

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.settings()

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.save_table(study.common_settings(), "thm_v1_3_1_settings")
study.common_settings()

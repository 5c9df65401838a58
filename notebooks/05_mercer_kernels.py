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
# **Question.** A relation module computes $r(x, y) = \langle\phi(x), \psi(y)\rangle$. Which functions of
# two objects can that be, how many features do they take, and what is lost when $\phi = \psi$?
#
# **Paper.** v1 section 3.1: Theorem 3.1 (inner products of networks are Mercer kernels, and
# approximate every Mercer kernel in the sup norm), Remark 3.1 (so do other approximators); v3
# section 2.1 (they induce a geometry); the LaTeX draft 003 (with two encoders they capture any
# continuous function on $\mathcal X \times \mathcal X$).
#
# Every number below comes from run records that ship with the repository. To compute them again,
# some twenty minutes on one core: `abstractor reproduce --fresh --only 05`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import numpy as np
import pandas as pd
import torch

from abstractor_lib import nn as lib
from abstractor_lib.experiments import kernels
from abstractor_lib.experiments.kernels import inspect
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, figures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study
from abstractor_lib.theory import mercer
from abstractor_lib.theory.kernels import MERCER, OTHERS

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("kernels", Workspace(profile, fresh))
amount = study.experiment.profiles[profile]
rank, width = amount.ranks[-1], amount.widths[-1]
table = study.frames.get("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## Mercer's theorem, by hand
#
# A symmetric positive semi-definite continuous $r$ on a compact set is
# $r(x, y) = \sum_j \lambda_j \psi_j(x) \psi_j(y)$, uniformly. So $\phi(x) = (\sqrt{\lambda_1}\psi_1(x),
# \ldots, \sqrt{\lambda_n}\psi_n(x))$ are $n$ features whose inner product is nearly $r$, and a network
# that computes them nearly is all that the theorem asks for. The eigenpairs of $\min(x, y)$ are known:
# $\lambda_j = ((j - \frac12)\pi)^{-2}$, $\psi_j(x) = \sqrt2 \sin((j - \frac12)\pi x)$. What 1, 4 and 16
# of them leave of it:

# %%
kernel = MERCER["brownian"]
x = kernel.domain.grid(80)
pictures = {"min(x, y)": kernel(x, x)}
for count in (1, 4, 16):
    values, functions = kernel.eigenpairs(count)
    features = functions(x) * np.sqrt(values)
    pictures[f"{count} feature{'s' * (count > 1)}"] = features @ features.T
unit = (0, 1, 1, 0)
figure = figures.matrices(
    pictures, columns=4, xlabel="y", ylabel="x", scale=0.7, extent=unit
)

# %% [markdown]
# The same from a quadrature rule (Nyström), which works where no closed form is known:

# %%
closed, _ = kernel.eigenpairs(5)
nystrom, _ = mercer.nystrom(kernel, 5, kernel.domain.quadrature(128))
pd.DataFrame({"eigenvalue": closed, "Nyström, 128 nodes": nystrom})

# %% [markdown]
# ## Theorem 3.1: the error in the sup norm
#
# Seven kernels and a relation of three dimensions (*vector*: brownian, gaussian and polynomial, a
# network each); formulas below. Error over a dense grid against the number of features. Blue: the truncated series, which is what the proof starts from (eq. 3.3), where a closed form
# is known; crosses: the same from Nyström. Green: inner products of networks trained on the relation, mean
# and 95 % interval over five trials. Dotted: a lower bound for *any* features of that number, the L2
# norm of the eigenvalues beyond them (of the worst dimension). Where the rank is the limit networks
# often do better than the series, which is the best in L2 and not in the sup norm; with many
# features, how well they were fitted is the limit. Errors below $10^{-5}$ are off the panels.

# %%
pd.DataFrame({name: [one.formula] for name, one in MERCER.items()}, index=["r(x, y)"]).T

# %%
MAIN = [
    Series("series, closed form", "series", "sup_error"),
    Series("series, Nyström", "nystrom", "sup_error", line="x"),
    Series("networks", "mlp", "sup_error"),
]
relations = list(kernels.MERCER)
narrow = None if table is None else table[table.width.isin([0, width])]
shown = {name: narrow if narrow is None else narrow[narrow.relation == name] for name in relations}
options = {"floor": {"networks": "sup_floor"}, "xlabel": "features", "ylabel": "sup error"}
figure, points = curves.errors(shown, MAIN, **options)
study.save_figure(figure, points, "thm_v1_3_1_rank")

# %% [markdown]
# ## How wide must the networks be?
#
# At the largest number of features, against the width of the two hidden layers. `trained`: on the
# relation. `as in the proof`: fitted to the scaled eigenfunctions (eq. 3.5), without ever seeing the
# relation. From width 16 (circle) or 64 (sphere) on it is the better way there, where eigenfunctions
# are smooth and nearly of one size, and the worse on the other kernels: it pays for features that
# hardly matter. Beyond width 16 the trained networks gain little; what is drawn is what 1,000
# iterations of L-BFGS find, while the theorem is about existence. Dotted: the lower bound for any
# features of this number.

# %%
WIDTHS = [
    Series("trained", "mlp", "sup_error"),
    Series("as in the proof", "proof", "sup_error"),
]
by_width = dict.fromkeys(relations)
if table is not None:
    rows = table[table["size"].eq(rank)].assign(size=lambda rows: rows.width)
    by_width = {name: rows[rows.relation.eq(name) & rows.width.gt(0)] for name in relations}
options = {"floor": {"trained": "sup_floor"}, "xlabel": "width", "ylabel": "sup error"}
figure, points = curves.errors(by_width, WIDTHS, **options)
study.save_figure(figure, points, "thm_v1_3_1_width")

# %% [markdown]
# ## Remark 3.1: other approximators
#
# Random Fourier features and a radial basis network, each with a linear map fitted in closed form:
# as many fixed features as the networks are wide.

# %%
REMARK = [
    Series("networks", "mlp", "sup_error"),
    Series("random waves", "waves", "sup_error"),
    Series("radial basis", "radial", "sup_error"),
]
options["xlabel"] = "features"
figure, points = curves.errors(shown, REMARK, **options | {"floor": {"networks": "sup_floor"}})
study.save_figure(figure, points, "rem_v1_3_1_approximators")

# %% [markdown]
# ## The geometry of a learned relation
#
# v3 section 2.1: inner products induce distances, $d(x, y)^2 = r(x, x) + r(y, y) - 2 r(x, y)$. For
# $\min(x, y)$ that is $\sqrt{|x - y|}$; and angles, whose cosines are $\sqrt{\min(x, y) / \max(x, y)}$,
# so that only 0 is orthogonal to anything. Left: what a network has learned of the kernel. Then
# learned distances and cosines against the true ones. Since $d$ has infinite slope at zero, small
# distances are approximated less well than the relation.

# %%
spec = study.spec("described", "mlp", rank, "brownian", width=width)
found = inspect.learned(spec, study.weights(spec, 0))
mine, true = (mercer.geometry(one) for one in (found.learned, found.truth))
figure, axes = figures.panels(["learned min(x, y)", "distances", "cosines"], sharey=False)
axes[0].imshow(found.learned, extent=(0, 1, 1, 0), cmap="viridis", vmin=0, vmax=1)
axes[0].set(xlabel="y", ylabel="x")
points = {}
for axis, name in zip(axes[1:], ["distances", "cosines"]):
    points[name], points[f"learned {name}"] = (getattr(one, name).ravel() for one in (true, mine))
    axis.plot(points[name], points[f"learned {name}"], ".", ms=2, alpha=0.3)
    axis.plot([0, 1], [0, 1], "k-", lw=0.8)
    axis.set(xlabel="of the kernel", ylabel="learned")
points = pd.DataFrame(points)
study.save_figure(figure, points, "txt_v3_2_1_geometry")

# %% [markdown]
# For all kernels, worst of the trials: the smallest eigenvalue of the learned relation on a grid (as
# a share of the largest: not negative for a Mercer kernel), by how much a distance exceeds the best
# way round (a share of the largest distance: not positive for a metric), and the largest error of a
# distance. A metric it is only where $\phi$ separates points: for $r(x, y) = x^2y^2$ all $d(x, -x) = 0$.

# %%
geometry = pd.DataFrame()
if table is not None:
    rows = table[table.model.eq("mlp") & table["size"].eq(rank) & table.width.eq(width)]
    rows = rows[rows.relation.isin(relations)].groupby("relation", sort=False)
    geometry = rows.agg({"smallest_eigenvalue": "min", "triangle": "max", "distance_error": "max"})
study.save_table(geometry.reset_index(), "txt_v3_2_1_distances")
geometry

# %% [markdown]
# ## Beyond symmetric
#
# With one encoder, $\langle\phi(x), \phi(y)\rangle$ is symmetric and positive semi-definite, and what is
# not is lost: the least L2 error is known, from the antisymmetric part and the negative eigenvalues.
# With two, $\langle\phi(x), \psi(y)\rangle$ is any continuous function, up to the singular values beyond
# the number of features. Four relations, five trials each; dotted in the same colour, the floors.
# One encoder ends on its floor. Two come down to errors of a few per cent (much less on the circle)
# with four features and stay there, far above their floors: from then on the fit is the limit (its
# last stage minimises the eighth power of the error, not its square).

# %%
BOTH = [
    Series("one encoder", "mlp", "l2_error"),
    Series("two encoders", "separate", "l2_error"),
]
others = list(kernels.OTHERS)
shown = {
    OTHERS[name].formula: table if table is None else table[table.relation == name]
    for name in others
}
options = {"floor": {one.label: "floor" for one in BOTH}, "xlabel": "features"}
figure, points = curves.errors(shown, BOTH, ylabel="L2 error", **options)
study.save_figure(figure, points, "txt_v3_003_separate_encoders")

# %%
pictures = {}
for model, name in [("mlp", "one encoder"), ("separate", "two encoders")]:
    spec = study.spec("described", model, rank, "before", width=width)
    found = inspect.learned(spec, study.weights(spec, 0))
    pictures |= {"tanh(5(y - x))": found.truth, name: found.learned}
figure = figures.matrices(pictures, limits=(-1, 1), xlabel="y", ylabel="x", extent=unit)
points = pd.DataFrame({name: picture.ravel() for name, picture in pictures.items()})
study.save_figure(figure, points, "txt_v3_003_soft_order")

# %% [markdown]
# ## Equation 2.4 contains equation 2.3
#
# One embedder $\phi$ and projections, $r_k = \langle W_1^{(k)}\phi(x), W_2^{(k)}\phi(y)\rangle$, are as
# general as a pair of encoders for each dimension: let $\phi$ list the outputs of all encoders, and let
# the projections pick. Exactly, to rounding:

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
float((shared(embedded).detach() - separate).abs().max())

# %% [markdown]
# ## Settings

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "thm_v1_3_1_settings")
study.common_settings()

# %% [markdown]
# ## Claims
#
# Intervals are simultaneous over kernels (Bonferroni); the worst is shown. Bounds were set after first
# runs had been seen (`post hoc`): a theorem on existence has none.

# %%
columns = ["statement", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - Your own kernel: a `Relation` of `abstractor_lib.theory.kernels` and
#   `mercer.truncation(relation, mercer.nystrom(relation, 16, rule), points)`.
# - `abstractor show RUNID` prints a record; `abstractor export kernels` all of them as a table.

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
# # Sparse relations: more symbols than features
#
# **Question.** With more symbols than features, $m > d$, relations are not determined by states. If they
# are sparse, at most $k$ of $m$, can they be read back all the same, from corrupted states? And does one
# predict as well from corrupted states as from the relations?
#
# **Paper.** v1 section 3.5: eq. 3.16 to 3.18. It reports no experiment and names no penalty.
#
# Every number below comes from run records that ship with the repository, but for the small example.
# To compute them again, some half an hour on one core: `abstractor reproduce --fresh --only 08`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import numpy as np
import pandas as pd

from abstractor_lib.experiments.sparse_recovery import rates
from abstractor_lib.experiments.sparse_recovery.grid import CROSS_VALIDATED, GOOD, INPUTS
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import figures
from abstractor_lib.reporting.study import Study
from abstractor_lib.theory.corruption import corrupt
from abstractor_lib.theory.recovery import SparseRobustRelationRecovery, pivotal_penalty

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("sparse_recovery", Workspace(profile, fresh))
amount = study.experiment.profiles[profile]
table = study.table("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## A small example, live
#
# One object related to three of 100 symbols of 60 features, a tenth of the entries grossly wrong. The
# robust lasso, $\hat r = \mathrm{argmin}_u \|a - Su\|_1 + \lambda\|u\|_1$ (eq. 3.16). The paper names no
# $\lambda$. *Pivotal* (Belloni & Chernozhukov 2011, Wang 2013): above $\max_j|\sum_i S_{ij}e_i|$ for random
# signs $e$, so that it depends on the symbols alone. It is safe, and too large here; 0.4 times it
# gives the relations back to rounding. Circles: the relations; lines: what is read back.

# %%
random = np.random.default_rng(0)
symbols, relations = random.standard_normal((60, 100)), np.zeros((1, 100))
relations[0, [10, 40, 80]] = 0.5, 0.3, 0.2
state = corrupt("gaussian", symbols, relations, 0.1, random)[0]
pivot = pivotal_penalty(symbols)
figure, axes = figures.panels(["0.4 x pivotal", "pivotal", "twice pivotal"])
axes[0].set_ylabel("relation")
for axis, multiple in zip(axes, (GOOD, 1.0, 2.0)):
    found = SparseRobustRelationRecovery(multiple * pivot).fit(symbols, state).coef_
    axis.stem(found, markerfmt=" ", basefmt=" ")
    axis.plot(np.flatnonzero(relations[0]), relations[0, relations[0] > 0], "o", mfc="none")
    axis.set_xlabel("symbol")

# %% [markdown]
# **Condition B cannot hold as it stands.** With $m > d$ some unit vector $\Delta$ has $S\Delta = 0$, so
# that $\underline\kappa$ of eq. 3.12 is zero; eq. 3.17 and 3.18 divide by it. What is meant must be the
# infimum over nearly sparse directions, as in the literature on the lasso. Numbers below therefore leave the
# constants out: $\sqrt{k\log(2m)/d}\,/\,(1-\epsilon)$.
#
# ## Where recovery ends
#
# Share of relations that come back exactly, without dense noise. White: levels of eq. 3.17. With a
# smaller penalty more comes back.

# %%
exact = table[table.model.eq("recovery") & table.noise.eq(0) & table.rows.eq(amount.rows)]
exact = exact[exact["size"].isin(amount.nonzeros) & exact.errors.isin(amount.errors)]
cells = exact.groupby(["multiple", "errors", "size"]).recovered.mean()
at = np.meshgrid(amount.nonzeros, amount.errors)
level = rates.scale(at[0], amount.rows, amount.columns, at[1])

# %%
figure, axes = figures.panels(["0.4 x pivotal", "pivotal"], width=1.2)
for axis, multiple in zip(axes, (GOOD, 1.0)):
    shown = cells.loc[multiple].unstack("size")
    image = axis.pcolormesh(*at, shown, vmin=0, vmax=1, cmap="viridis")
    axis.clabel(axis.contour(*at, level, levels=[0.25, 0.5, 0.75, 1.0], colors="w"))
    axis.set(xlabel="nonzero relations k")
axes[0].set_ylabel("share of errors")
figure.colorbar(image, ax=axes, label="relations recovered")
study.save_figure(figure, cells.reset_index(), "eq_v1_3_18_phase_diagram")

# %% [markdown]
# ## The penalty
#
# Median error by $\lambda$, in units of the pivotal penalty, for three sparsities (colour) and three shares
# of errors (style). Too large a penalty says zero; where there are errors too small a one follows them.
# Between lies a window in which recovery is exact without noise (left), and in which noise costs little
# (right). It narrows as errors grow, and with $k = 8$ and a fifth of errors it is gone. Five-fold cross-validation (circles, $k = 4$) lands inside it.

# %%
swept = table[table.model.eq("recovery") & table.rows.eq(amount.rows)]
swept = swept[swept["size"].isin(amount.penalty_nonzeros) & swept.errors.isin(amount.rate_errors)]
lines = swept[swept.multiple != CROSS_VALIDATED].groupby(["noise", "size", "errors", "multiple"])
lines = lines.error.median().clip(1e-16)
chosen = swept[swept.multiple == CROSS_VALIDATED].groupby(["noise", "size", "errors"])
chosen = chosen[["penalty", "error"]].median().clip(1e-16)
dashes = list(zip(amount.rate_errors, ("-", "--", ":")))
chosen

# %%
figure, axes = figures.panels(["no noise", f"noise {amount.noise}"], width=1.3, sharey=False)
for axis, noise in zip(axes, (0.0, amount.noise)):
    for color, nonzeros in enumerate(amount.penalty_nonzeros):
        for errors, dash in dashes:
            label = f"k = {nonzeros}" if dash == "-" else None
            axis.loglog(lines.loc[noise, nonzeros, errors], dash, color=f"C{color}", label=label)
    axis.plot(chosen.loc[noise].penalty, chosen.loc[noise].error, "ko", mfc="none", ms=5)
    axis.set(xlabel="penalty / pivotal penalty")
axes[0].set_ylabel("median error")
styles = {f"share of errors {errors:g}": {"ls": dash} for errors, dash in dashes}
figures.legend(figure, axes, styles)
study.save_figure(figure, lines.reset_index(), "eq_v1_3_18_penalty")

# %% [markdown]
# ## How the error grows
#
# Without dense noise the error is zero or the problem is lost: eq. 3.18 is a bound, and far from tight. Under
# noise (normal, a twentieth of the states' size, in every entry) there is a rate to see. Each point is the
# median error of one $(d, m, k)$; the dotted line has the slope of the bound, one. Over all sizes
# the slope is below one, as a bound allows. Taken apart (table), errors grow more slowly with $k$ than the
# bound and fall faster with $d$, but they grow faster with $\log(2m)$ and with $1/(1-\epsilon)$: the
# largest points are near the end of recovery, where eq. 3.17 no longer holds.

# %%
noisy = rates.noisy(table)
names = [f"share of errors {errors:g}" for errors in amount.rate_errors]
figure, axes = figures.panels(names)
points = noisy.groupby(["errors", "columns", "size", "rows", "bare"]).error.median().reset_index()
for axis, errors in zip(axes, amount.rate_errors):
    for (columns, nonzeros), some in points[points.errors == errors].groupby(["columns", "size"]):
        axis.loglog(some.bare, some.error, "o-", ms=3, label=f"m = {columns}, k = {nonzeros}")
    x = np.array([points.bare.min(), points.bare.max()])
    axis.plot(x, x * (points.error / points.bare).median(), ":", color=figures.GREY)
    axis.set(xlabel="sqrt(k log(2m) / d)", xticks=[0.2, 0.4, 0.8], xticklabels=["0.2", "0.4", "0.8"])
    axis.minorticks_off()
axes[0].set_ylabel("median error")
figures.legend(figure, axes, {"slope 1": {"ls": ":"}})
study.save_figure(figure, points, "eq_v1_3_18_rate")

# %%
slopes = {errors: rates.slopes(some) for errors, some in noisy.groupby("errors")}
fits = {f"slope, share {errors:g}": found for errors, found in slopes.items()}
fits |= {f"exponent of {name}": found for name, found in rates.exponents(noisy).items()}
fits = pd.DataFrame(fits).agg(["mean", "std"]).T.rename_axis("fit")
fits["in the bound"] = [1.0] * len(slopes) + [0.5, -0.5, 0.5, 1.0]
study.save_table(fits.reset_index(), "eq_v1_3_18_exponents")
fits

# %% [markdown]
# ## Predicting from corrupted states
#
# "It is possible to predict as well from the transformed symbols as from the relations, without explicitly
# recovering the relations." Here a random linear property of the relations, and the larger of two, by
# ridge regression and by a network, on 1,000 examples (R² on 500 others). *Dense*: 16 relations, 64
# features. *Sparse*: 3 of 100 relations, 64 features. Gross errors of states are cut at four times the median
# absolute value before predictors see them. Stars: four times as many examples.
#
# From clean states it is so where $m \le d$. From corrupted states it is not: recovering relations first,
# which needs no examples, predicts as well as they do up to a fifth of errors (at 0.3 it loses up to
# 0.18 in R²); predictors that see corrupted states do not find out by themselves, with four times the
# examples neither. *Linear*: the linear property by ridge regression; *network*: the same by a network;
# *nonlinear*: the larger of two, by a network.

# %%
predicted = table[table.model.str.startswith("predicting")]
keys = ["regime", "variant", "model", "examples", "errors"]
scores = predicted.groupby(keys)[["linear", "network", "nonlinear"]].mean()
study.save_table(scores.reset_index(), "txt_v1_3_5_predictions")
few, many = amount.examples, amount.more_examples
settings = [(r, v, m) for r in ("dense", "sparse") for v in ("gaussian", "dropout") for m in scores]
titles = [f"{regime}, {kind} errors: {metric}" for regime, kind, metric in settings]

# %%
figure, axes = figures.panels(titles, height=0.8)
for axis, (regime, kind, metric) in zip(axes, settings):
    part = scores[metric].loc[regime, kind]
    for color, given in enumerate(INPUTS):
        line = part.loc[f"predicting_{given}", few]
        axis.plot(line, "o-", ms=3, color=f"C{color}", label=f"from {given}")
    axis.plot(part.loc["predicting_corrupted", many], "*", color="C2")
    axis.set(ylim=(-0.25, 1.05))
    axis.set_ylabel("R²" if axis in axes[::3] else None)
for axis in axes[-3:]:
    axis.set_xlabel("share of errors")
figures.legend(figure, axes)
study.save_figure(figure, scores.reset_index(), "txt_v1_3_5_prediction")

# %% [markdown]
# ## Settings

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "eq_v1_3_18_settings")
study.common_settings()

# %% [markdown]
# ## Claims

# %%
columns = ["statement", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - `SparseRobustRelationRecovery(penalty="cv").fit(S, A)` on symbols and states of your own.
# - `abstractor export sparse_recovery` gives all trials as a table.

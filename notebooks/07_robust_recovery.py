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
# # Robust recovery: reading relations back from corrupted states
#
# **Question.** An abstract state $a = S r$ mixes symbols, the columns of $S$, by relations $r$. Some of
# its entries are corrupted. Can the relations be read back exactly, and up to how many errors?
#
# **Paper.** v1 section 3.4: eq. 3.9 to 3.15, conditions A and B, Theorem 3.2. It reports no experiment.
#
# Every number below comes from run records that ship with the repository, but for the small example.
# To compute them again, some half an hour on one core: `abstractor reproduce --fresh --only 07`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import numpy as np
import pandas as pd

from abstractor_lib.experiments.robust_recovery import levels
from abstractor_lib.experiments.robust_recovery.grid import OWN_KINDS, TRAINED
from abstractor_lib.experiments.robust_recovery.grid import symbols as trained_symbols
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import figures
from abstractor_lib.reporting.study import Study
from abstractor_lib.theory.conditions import chosen_positions_threshold, gaussian_threshold
from abstractor_lib.theory.corruption import DEPENDENT, INDEPENDENT, KINDS, corrupt
from abstractor_lib.theory.recovery import RobustRelationRecovery

figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("robust_recovery", Workspace(profile, fresh))
amount = study.experiment.profiles[profile]
table = study.table("described")
study.state().query("protocol == 'described'")

# %% [markdown]
# ## A small example, live
#
# Twelve relations over 10 symbols of 100 features; three entries in ten of each state are replaced by
# gross errors. Least absolute deviations, $\hat r = \mathrm{argmin}_u \|a - S u\|_1$ (eq. 3.10), gives
# the relations back to rounding. Least squares gives none.

# %%
random = np.random.default_rng(0)
symbols, relations = random.standard_normal((100, 10)), random.dirichlet(np.ones(10), 12)
states = corrupt("gaussian", symbols, relations, 0.3, random)
robust = RobustRelationRecovery().fit(symbols, states.T).coef_
squares = np.linalg.lstsq(symbols, states.T, rcond=None)[0].T
bool(np.abs(robust - relations).max() < 1e-9)

# %%
titles = ["one state", "least absolute deviations", "least squares"]
figure, axes = figures.panels(titles, sharey=False)
axes[0].plot(symbols @ relations[0], states[0], ".")
axes[0].set(xlabel="entry of S r", ylabel="entry as received")
for axis, found in zip(axes[1:], (robust, squares)):
    axis.plot(relations.ravel(), found.ravel(), ".")
    axis.plot([0, 1], [0, 1], ":", color=figures.GREY)
    axis.set(xlabel="relation", ylabel="read back")

# %% [markdown]
# ## Conditions A and B
#
# **A** (eq. 3.11): $\|\frac1d\sum_i c_i s_i\|^2 \le \sigma^2 m/d$ for fixed $c$ with $|c_i| \le 1$. For
# random symbols $\sigma$ is 1.1 to 1.7 (0.95 quantile over signs) and falls towards one as $m$ grows,
# whatever $d$. For symbols that were trained, errors may depend on them, and the worst $c$ counts: we bound it from below by ascent over
# signs and from above by the largest singular value. It grows like $\sqrt{d/m}$.
#
# **B** (eq. 3.12, 3.13): $\underline\kappa \le \frac1d\sum_i|s_i^\top\Delta|$ and
# $\frac1d\sum_i|s_i^\top\Delta|^2 \le \overline\kappa^2$ for unit $\Delta$. The upper one is a singular
# value. The lower one is bounded from both sides by $m$ linear programs: from above by the best direction
# they find, from below by their optima over $\sqrt m$, which dual points prove. Dotted: what Gaussian
# matrices tend to, $1 + \sqrt{m/d}$ and at least $\sqrt{2/\pi} - \sqrt{m/d}$ (Gordon).

# %%
titles = ["condition A: sigma", "condition B: upper kappa", "condition B: lower kappa"]
LINES = [
    ["sigma_fixed", "sigma_low", "sigma_high"],
    ["kappa_high"],
    ["kappa_low_high", "kappa_low_low"],
]
NAMES = {"sigma_fixed": "fixed signs", "sigma_low": "worst signs, at least"}
NAMES |= {"sigma_high": "worst signs, at most", "kappa_high": "largest singular value"}
NAMES |= {"kappa_low_high": "lower kappa, at most", "kappa_low_low": "lower kappa, at least"}
points = table[table.model == "conditions"].groupby(["symbols", "rows", "size", "ratio"])
points = points[list(NAMES)].mean().reset_index()
shown = points[(points.symbols == "gaussian") & (points.rows == amount.rows)]

# %%
figure, axes = figures.panels(titles, sharey=False)
for axis, names in zip(axes, LINES):
    for name in names:
        axis.plot(shown.ratio, shown[name], "o-", ms=3, label=NAMES[name])
    axis.set(xlabel="m / d")
    axis.legend(fontsize=7)
x = np.linspace(0.02, 0.8, 50)
axes[1].plot(x, 1 + np.sqrt(x), ":", color=figures.GREY)
axes[2].plot(x, np.clip(np.sqrt(2 / np.pi) - np.sqrt(x), 0, None), ":", color=figures.GREY)
for axis in axes:
    axis.set_ylim(0, None)
study.save_figure(figure, points, "cond_v1_A_and_B")

# %% [markdown]
# The same for the symbols of trained models, beside Gaussian ones of the same size: of an order model
# (one of its relations: two positions, 16 features), of a sorting model (one of its heads: ten
# positions, 64 features), and of both its heads (`sorting_heads`, 20 columns). Ratios do not depend on the scale
# of the symbols: $\overline\kappa/\underline\kappa$ and $\sigma/\underline\kappa$ are what eq. 3.14 asks.
# By them trained symbols are no better than random ones, and those of the sorting model are worse.

# %%
sizes = points[points.symbols != "gaussian"][["rows", "size"]].drop_duplicates()
trained = points.merge(sizes, on=["rows", "size"]).sort_values(["rows", "size", "symbols"])
trained["upper / lower kappa"] = trained.kappa_high / trained.kappa_low_high
trained["sigma / lower kappa"] = trained.sigma_fixed / trained.kappa_low_high
study.save_table(trained, "cond_v1_B_trained_symbols")
trained

# %% [markdown]
# ## Where recovery ends
#
# Share of relations that come back exactly (every entry to $10^{-6}$), by $m/d$ and the share
# $\epsilon$ of corrupted entries, $d = 200$. First row: errors that do not know the symbols. Second row:
# errors that do. *Dropout* sets entries to zero, *sign flip* negates them: both are what other relations, $0$
# and $-r$, would have put there. *Adversarial values* sit at random positions, but are those of other
# relations in the direction that these entries speak for most. Apart, since the theorem does not speak of
# it: *adversarial positions*.
#
# White: levels of eq. 3.14 (solid) and 3.15 (dashed) at which half of the relations come back, fitted on
# Gaussian errors alone; the theorem names no constant. Red dots: the transition that is known for
# Gaussian symbols and independent errors (Donoho & Tanner 2009), with nothing fitted.

# %%
every = levels.recoveries(table)
main = every[every.rows == amount.rows]
fitted_on = main[main.variant == "gaussian"]
fits = {side: levels.fitted_level(fitted_on, side) for side in ("theorem", "short")}
ratios = np.linspace(min(amount.ratios), max(amount.ratios), 40)
halves = [levels.errors_at(fits["short"], lambda e: levels.short_form(r, e)) for r in ratios]
known = [gaussian_threshold(ratio) for ratio in ratios]
cells = main.groupby(["variant", "ratio", "errors"])[["recovered", "theorem"]].mean()
pd.Series(fits, name="level").round(3)

# %%
figure, axes = figures.panels([kind.replace("_", " ") for kind in KINDS], columns=3)
for axis, kind in zip(axes, KINDS):
    grid_of = {name: cells.loc[kind][name].unstack("ratio") for name in cells}
    at = grid_of["recovered"].columns, grid_of["recovered"].index
    image = axis.pcolormesh(*at, grid_of["recovered"], vmin=0, vmax=1, cmap="viridis")
    axis.contour(*at, grid_of["theorem"], levels=[fits["theorem"]], colors="w")
    axis.plot(ratios, halves, "w--")
    axis.plot(ratios, known, "r:")
    axis.set(xlabel="m / d", ylim=(min(amount.errors), max(amount.errors)))
axes[0].set_ylabel("share of errors")
figure.colorbar(image, ax=axes, shrink=0.5, label="relations recovered")
study.save_figure(figure, cells.reset_index(), "thm_v1_3_2_phase_diagrams")

# %% [markdown]
# Three things to see. **Values do not matter** as long as they do not know the symbols: normal, Cauchy
# and one-sided errors end at the same place, and the known transition is met without a fit. **The short
# form is nearly right**: one level of eq. 3.15 follows the transition for independent errors, while one of
# eq. 3.14 promises too much at small $m/d$ and nothing from $m/d = 0.5$ on. **Errors that know the
# symbols end recovery below one half**, however redundant the symbols: entries that agree on other
# relations win when they are the majority. The left side of eq. 3.14 is finite for every
# $\epsilon < 1$ and cannot say so.

# %%
ends = levels.thresholds(main, ("variant", "ratio"))
wide = ends.groupby(["ratio", "variant"]).threshold.mean().unstack()
figure, (axis,) = figures.panels(["up to which share of errors"], width=1.7, height=1.2)
for kind in KINDS:
    dash = "-" if kind in INDEPENDENT else "--" if kind in DEPENDENT else ":"
    axis.plot(wide.index, wide[kind], dash, marker="o", ms=3, label=kind.replace("_", " "))
axis.plot(ratios, known, "k:", label="known, independent")
axis.axhline(0.5, color=figures.GREY, lw=0.8)
axis.axhline(chosen_positions_threshold(), color=figures.GREY, lw=0.8, ls="-.")
axis.set(xlabel="m / d", ylabel="share of errors", ylim=(0, 0.9))
axis.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
study.save_figure(figure, wide.reset_index(), "thm_v1_3_2_where_recovery_ends")

# %%
wide.assign(known=[gaussian_threshold(ratio) for ratio in wide.index])

# %% [markdown]
# Dropout and sign flips end at the same shares, so that one line hides the other. Grey lines: one half,
# and 0.239, what chosen positions need if $m \ll d$ (Dwork, McSherry & Talwar
# 2007). Our adversary climbs to a local optimum: the worst case is at least as bad.
#
# ## How loose is the condition?
#
# A level of eq. 3.14 below which *every* cell of Gaussian errors is safe (95 % come back) grants, at each
# $m/d$, some share of errors. Beside it, what is measured. A condition with one constant has to be safe
# where it is tightest, and gives away the rest.

# %%
safe = {side: levels.safe_level(fitted_on, side) for side in ("theorem", "short")}
loose = wide[["gaussian"]].rename(columns={"gaussian": "measured"})
loose["eq. 3.14"] = [levels.granted(table, safe["theorem"], amount.rows, r) for r in loose.index]
loose["eq. 3.15"] = [
    levels.errors_at(safe["short"], lambda e: levels.short_form(ratio, e)) for ratio in loose.index
]
study.save_table(loose.reset_index(), "thm_v1_3_2_how_loose")
loose

# %% [markdown]
# ## What depends on m / d alone
#
# Gaussian errors, four sizes of symbols. Right: median error of both estimators.

# %%
ends = levels.thresholds(every[every.variant == "gaussian"])
ends = ends.groupby(["rows", "ratio"]).threshold.mean().reset_index()
titles = ["where recovery ends", "median relative error, m / d = 0.1"]
figure, axes = figures.panels(titles, sharey=False, width=1.3)
for rows in sorted({amount.rows, *amount.other_rows}):
    some = ends[ends.rows == rows]
    axes[0].plot(some.ratio, some.threshold, "o-", ms=3, label=f"d = {rows}")
chosen = fitted_on[fitted_on["size"] == round(0.1 * amount.rows)].groupby("errors")
for name, label in (("error", "least absolute deviations"), ("squares_error", "least squares")):
    axes[1].semilogy(chosen[name].median().clip(1e-16), "o--", ms=3, label=label)
axes[0].set(xlabel="m / d", ylabel="share of errors")
axes[1].set(xlabel="share of errors")
figures.legend(figure, axes)
study.save_figure(figure, ends, "thm_v1_3_2_sizes_and_least_squares")

# %% [markdown]
# ## Symbols of trained models
#
# Can relations be read back from the states of a *trained* Abstractor? The order model mixes two positions
# in each relation dimension ($d = 16$), the sorting model ten in each head ($d = 64$), and after its
# output projection the two heads add up: twenty unknown relations in 64 features. Relations are its own, on
# test sequences. Dashed: Gaussian symbols of the same size. They can, as well as from random symbols
# (from both heads under one-sided errors better), although no training objective asked for it, and
# although condition B is worse: presumably the directions in which trained symbols are weak are not
# those that these errors push.

# %%
own = table[table.model.eq("recovery") & table.variant.isin(OWN_KINDS)]
own = own.groupby(["rows", "size", "symbols", "variant", "errors"]).recovered.mean()
sizes = {which: trained_symbols(which, amount.parents)[:2] for which in TRAINED}
figure, axes = figures.panels(list(TRAINED), columns=3)
for axis, which in zip(axes, TRAINED):
    for color, kind in enumerate(OWN_KINDS):
        drawn = own.loc[(*sizes[which], which, kind)], own.loc[(*sizes[which], "gaussian", kind)]
        axis.plot(drawn[0], color=f"C{color}", label=kind.replace("_", " "))
        axis.plot(drawn[1], "--", color=f"C{color}")
    axis.set(xlabel="share of errors")
axes[0].set_ylabel("relations recovered")
figures.legend(figure, axes, {"Gaussian symbols": {"ls": "--"}})
study.save_figure(figure, own.reset_index(), "thm_v1_3_2_trained_symbols")

# %% [markdown]
# ## Certificates
#
# Every answer comes with a dual point, $|v| \le 1$ and $S^\top v = 0$, that proves how far from optimal it
# is at most. Here for five times 2,000 problems of size 200 x 20; `python
# tests/benchmarks/least_absolute.py --problems 10000` does it in one go and prints the time.

# %%
names = ["trial", "worst_gap", "worst_dual", "worst_balance", "exact", "iterations"]
proofs = table[table.model == "certificates"][names].set_index("trial")
study.save_table(proofs.reset_index(), "thm_v1_3_2_certificates")
proofs.map("{:.3g}".format)

# %% [markdown]
# ## Settings

# %%
study.settings()

# %%
study.save_table(study.common_settings(), "thm_v1_3_2_settings")
study.common_settings()

# %% [markdown]
# ## Claims

# %%
columns = ["statement", "published", "measured", "low", "high", "n", "verdict", "note"]
study.claims()[columns]

# %% [markdown]
# ## What to try next
#
# - `RobustRelationRecovery().fit(S, A)` on symbols and states of your own; `gap_` says how well it is solved.
# - `conditions(S)` of `abstractor_lib.theory.conditions` on them.
# - `abstractor export robust_recovery` gives all trials as a table.

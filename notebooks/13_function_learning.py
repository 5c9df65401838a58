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
# # Function learning: what do differences and a learned window add?
#
# **Question.** A Transformer sees 20 noisy points of a curve. It predicts the next ten, one after
# the other. Does it extrapolate better if it sees *differences* of values in place of values? Does
# it help if a *learned window* makes it attend to near points more than to far ones?
#
# *Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 13_function_learning.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # of the one run that is begun here

# %% jupyter={"source_hidden": true} tags=["hide-input"]
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import torch

from abstractor_lib.experiments.curves.names import tidy
from abstractor_lib.experiments.curves.references import reference
from abstractor_lib.experiments.curves.run import batches, build
from abstractor_lib.experiments.curves.settings import REFERENCES
from abstractor_lib.findings.published import published
from abstractor_lib.nn import CurveTransformer, LearnedWindow, RelationalCurveTransformer
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exercises, figures, live, tables
from abstractor_lib.reporting.pictures import extrapolation
from abstractor_lib.reporting.pictures.extrapolation import BASELINES, CLASSES, FLOORS, MODELS
from abstractor_lib.reporting.pictures.extrapolation import tabulated
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import curves
from abstractor_lib.training.trainer import Trainer

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("curves", Workspace(profile, fresh), compute)
table = tidy(study.panels("described")["described"])  # a row a number; none: not run
history = tidy(study.histories("described")["described"])  # what was seen during the runs

# %%
wide = study.experiment.protocols["described"].dim.value  # of the paper's models
smaller = table[table["size"] < wide]
options = {"printed": published("tab_curves_1"), "worse": "last_value", "log": True}
options |= {"xlabel": "extrapolation error", "variant": "watched", "weights": "averaged"}
figure, points = extrapolation.by_class(smaller, "mse", MODELS, BASELINES | FLOORS, **options)
study.save_figure(figure, points, "tab_curves_1_answer")

# %% [markdown]
# **Figure.** On lines, relational models lie left of 1d models; on RBF curves they lie right of
# them. On sinusoids, models with learned windows lie right of the same models without. These are
# small models after the paper's 10,000 updates, averaged weights. The *extrapolation error* is the
# mean square error of ten predicted points against values with noise, on a logarithmic axis; a
# panel is a class of curves. *1d* models see values, *relational* models see differences. A filled
# marker is one trained model, five of each kind. A black dash is their mean. Below the grey line
# stand predictions without training, a dash each. Shaded: worse than *the last value*, which
# repeats the last observed one. *Linear autoregression* predicts a value as a weighted sum of the
# three before it. *Bayes* has the smallest expected error that is possible, with values or with
# differences only. Stars are the numbers of the paper, whose models are larger. Each panel has a
# range of its own.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("answer")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("last_value")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("near_the_printed")

# %% [markdown]
# Square brackets hold 95 % intervals over five seeds. The mark † says that a statement was written
# after its runs had been seen.
#
# **What speaks against it.** The models behind these numbers have a quarter of the paper's width, a
# third of its layers and ten times its learning rate. Their weights are averaged, which the text
# does not say of its own. So they do not say that the paper's numbers are wrong. What the paper
# states is judged on models of its own size, below "Claims".
#
# ## The paper
#
# *Beyond Transformers for Function Learning* (Segert and Cohen, CogSci 2023), here *curves*: Tables
# 1 and 2. In its Table 1, the Transformer with both has the smallest error over all curves. The
# paper has no public code. Settings come from its text where it has them. What the text leaves open
# is set to one value, and other values of much of it are tried one at a time; not tried are the
# start of the windows, the activation, initial weights and the feed-forward width. The text names
# GPT-2 for its architecture; our blocks are torch's, with the layer norm after each part and ReLU.
#
# To compute a tiny version in seconds or minutes, with papermill alone:
# `papermill 13_function_learning.ipynb out.ipynb -p profile smoke -p compute True`.
#
# ## The task
#
# A curve is $y_1, \dots, y_{20}$ at $x_i = i$, and ten more values. There are three classes, each
# with the same probability:
#
# - **lines** through the origin, with a slope from $[-0.1, 0.1]$;
# - **RBF curves** (radial basis functions), drawn from a Gaussian process with mean 0 and
#   covariance $C_{ij} = \exp(-(i-j)^2 / (2 \cdot 3^2))$;
# - **sinusoids** with a period from $[5, 12]$, an amplitude from $[0.8, 1.2]$ and any phase.
#
# Every value has independent uniform noise with standard deviation $0.1$. The paper does not give
# the intercept of lines. We take 0; another choice is tried in the appendix.

# %%
shown = curves.draw(np.random.default_rng(4), curves.even(3), 30)
figure, axes = extrapolation.examples(shown.noisy, list(CLASSES.values()), 20)
points = pd.DataFrame(shown.noisy.T, columns=list(CLASSES)).rename_axis("x").reset_index()
study.save_figure(figure, points.round(6), "tab_curves_1_question")

# %% [markdown]
# **Figure.** One curve of each class: dots are observed, crosses are to be predicted. A prediction
# is taken as an observation when the next point is predicted.
#
# ## The models
#
# The **1d model** reads 20 tokens $(x_i, y_i)$ and a query $(x_{21}, 0)$. It answers with $y_{21}$.
#
# The **relational model** reads 190 tokens $(x_i, x_j, S(y_i, y_j))$ with $i < j$, and 21 queries
# $(x_i, x_{21}, 0)$. It answers each query with $S(y_i, y_{21})$, where $S(x, y) = x - y$. From
# each of the first 20 answers follows an estimate of $y_{21}$. The prediction is the *median* of
# the 20 estimates. The stated uncertainty is their *standard deviation*.

# %%
figure, points = extrapolation.tokens(shown.noisy[2, :20].round(6))
study.save_figure(figure, points, "txt_curves_perm_tokens")

# %% [markdown]
# **Figure.** The 1d model reads the sinusoid as 20 values, the relational model as 190 differences.
# A square is a token, its colour the token's value. Grey squares are queries. The relational model
# sees no value, only differences. So it cannot know the *level* of the curve: if a constant is
# added to all values, all its predictions move by that constant.
#
# A Transformer without positions takes its tokens as a set. Their order does not matter, since each
# token says where it stands (the paper calls this permutation equivariance). Both facts can be seen
# in untrained models, the second in the 1d model:

# %%
order = np.random.default_rng(0).permutation(20)
x, y = torch.arange(1.0, 22), torch.from_numpy(shown.noisy[:, :20]).float()
shuffled = torch.cat([x[:20][order], x[20:]])
for kind in (CurveTransformer, RelationalCurveTransformer):
    untrained = kind(16, heads=2, layers=2, window=True).eval()
    with torch.no_grad():
        first, moved = (untrained.predict(untrained(values)).value for values in (y, y + 5))
    print(f"{kind.__name__} follows a constant: {bool((abs(moved - first - 5) < 1e-4).all())}")
    if kind is CurveTransformer:
        with torch.no_grad():
            other = untrained(y[:, order], shuffled).squeeze(-1)
        print("any order of its points, same prediction:", bool((abs(other - first) < 1e-4).all()))

# %% [markdown] tags=["detail"]
# ### The learned window
#
# The window multiplies attention weights by a factor that falls with distance. The factor has two
# learned numbers $a, b > 0$ in each layer:
#
# $$F_{a,b}(x) = \frac{1 - \sigma(x/b - a)}{1 - \sigma(-a)}, \qquad F_{a,b}(0) = 1.$$
#
# In the 1d model the weight from $i$ to $j$ gets the factor $F(|x_i - x_j|)\,1[x_i > x_j]$. In the
# relational model the weight from $(i, j)$ to $(i', j')$ gets
# $F(|x_i - x_{i'}|)\,F(|x_j - x_{j'}|)\,1[i > i']\,1[j > j']$.

# %%
figure, points = extrapolation.window_shapes([(2.0, 5.0), (6.0, 2.0), (0.5, 3.0), (2.0, 50.0)])
study.save_figure(figure, points, "eq_curves_F_shapes")

# %% [markdown]
# **Figure.** A window falls to one half (dotted) at its *effective length*. Lines are $F_{a,b}$ for
# four pairs $(a, b)$. A large $b$ is no window at all.

# %%
window = LearnedWindow(a=2.0, b=5.0)
factor = lambda x: window(torch.from_numpy(x.astype(np.float32))).detach().numpy().astype(float)
figure, points = extrapolation.gates(factor, (9, 14), 20)
study.save_figure(figure, points, "eq_curves_F_gates")

# %% [markdown]
# **Figure.** The factor of a token is largest for the nearest tokens before it, and there is none
# after it (grey). Colours are the factors with $a = 2$, $b = 5$, the values at which our training
# starts. Left: the 1d model; a row is a token that attends, a column one that is attended to.
# Right: one token of the relational model, (9, 14), framed; every other square is a token $(i',
# j')$ that it may attend to.
#
# As printed, the indicators let a token attend to what lies before it in *both* coordinates, and
# not to itself. Then the first tokens attend to nothing, and pass on what they hold. Our queries
# attend to all observed tokens: the query $(1, 21)$ would see nothing otherwise.

# %% [markdown]
# ## One run, from its settings to its first updates
#
# One run of the relational model with learned windows, which has both of the paper's ideas, is
# begun here by hand. Its settings:

# %%
run = study.wanted("described", model="relational_window")[0]
live.settings(run)

# %% [markdown]
# Every update sees new curves. The first three of the first batch, each with the next value:

# %%
batch = next(batches(run, "cpu"))  # observed values (1, b, 20), and what is right (1, b, 21)
noisy = torch.cat([batch.inputs[0], batch.targets[0, :, :1]], dim=1)  # (b, 21)
extrapolation.examples(noisy[:3].numpy(), ["curve 1", "curve 2", "curve 3"], 20)
print("right for curve 1:", " ".join(f"{one:.2f}" for one in batch.targets[0, 0].tolist()))

# %% [markdown]
# **Figure.** What a model is trained for: from the 20 dots, the cross. All 20 estimates of $y_{21}$
# should give it. (The last query asks for $S(y_{21}, y_{21})$, which is 0.) One function makes the
# model:

# %%
print(f"{live.parameters(build(run.model)):,} parameters")
live.source(build)

# %% [markdown]
# Weights are random. The run's seed gives the same again. So the loss before the first update is
# the recorded one:

# %%
live.seed(run)
rules = replace(run.training, monitor="training")  # no validation for this once
trainer = Trainer(partial(build, run.model), batches(run, "cpu"), None, rules)
first = trainer.step()  # one update; the loss before it, (1,)
live.beside_record(study, run, {live.FIRST_LOSS: [first.mean().item()]})

# %%
live.go_on(trainer, updates)

# %% [markdown] tags=["detail"]
# ## Small models after the paper's 10,000 updates
#
# The text has 10,000 updates, if each of its 320,000 curves is used once, as we read it. Four small
# models were trained for as many, five seeds each. The last weights swing: the error over ten steps
# can change twofold within 1,000 updates. So a run also keeps a *moving average* of the weights,
# and the weights of the *lowest validation loss* (of one step, as in training). Claims without the
# mark † were written before any of these runs was seen.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("long_training")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
small = study.experiment.protocols["described"].small.value[0]  # width
figure, points = extrapolation.by_weights(
    table, MODELS, BASELINES | FLOORS, small, xlabel="extrapolation error"
)
study.save_figure(figure, points, "tab_curves_1_long_training", shown=False)
figure, points = extrapolation.swings(history, MODELS, small, ylabel="mean square error")
study.save_figure(figure, points, "tab_curves_1_long_learning", shown=False)

# %% [markdown]
# ![Extrapolation error by weights](../figures/tab_curves_1_long_training.png)
#
# **Figure.** In each group of three, averaged weights (squares) have a smaller mean error than last
# weights (circles): their dash lies further left. Horizontal: extrapolation error, logarithmic, a
# range for each panel. A marker is one trained model, a black dash the mean of five. Vertical lines
# are predictions without training. A [file](../figures/tab_curves_1_long_learning.png) shows how
# the error over ten steps goes up and down during training.

# %% [markdown] tags=["detail"]
# ## Models of the paper's size
#
# All four models were trained at the paper's size, 256 wide with 12 layers, for its 10,000 updates,
# on a GPU: the 1d models from five seeds each, the relational ones, which take longer, from one
# each.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
some = BASELINES | {"bayes": REFERENCES["bayes"]}
options = {"xlabel": "extrapolation error", "printed": published("tab_curves_1")}
figure, points = extrapolation.by_weights(table, MODELS, some, wide, **options)
study.save_figure(figure, points, "tab_curves_1_paper_size")

# %% [markdown]
# **Figure.** At the paper's size, learned windows cost on sinusoids; no gain from them is resolved
# but that of averaged weights of 1d models on lines. Horizontal: extrapolation error, logarithmic,
# a range for each panel. A marker is one trained model; its shape and colour say which weights are
# tested. Black dashes are means. Stars: the paper's Table 1, with two standard errors. Vertical
# lines are predictions without training.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("paper_size")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("paper_size_relational")

# %% [markdown]
# ## Table 1, after 2,000 updates
#
# All that follows is of small models after 2,000 updates, five seeds each, with the last weights.

# %%
options = {"printed": published("tab_curves_1"), "worse": "last_value", "log": True}
options |= {"xlabel": "extrapolation error"}
figure, points = extrapolation.by_class(table, "mse", MODELS, BASELINES | FLOORS, **options)
study.save_figure(figure, points, "tab_curves_1_extrapolation", shown=False)

# %% [markdown]
# ![Extrapolation error by class](../figures/tab_curves_1_extrapolation.png)
#
# **Figure.** After 2,000 updates, every model lies in the shaded part on lines: it is worse than
# repeating the last value. Otherwise as the first figure.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("differences")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("windows")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("last_value_on_lines")

# %% [markdown]
# Are these errors small? The table begins with predictions that need no training.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
baselines = tabulated.baselines(table)
study.save_table(baselines, "tab_curves_1_baselines")
baselines

# %% [markdown]
# *Mean square error at the first step, which is what models are trained for, and over ten steps, by
# class. Models: means over five seeds. Least squares and Bayes know the class of each curve; the
# noise alone makes $0.01$.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("autoregression")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("constant_on_sinusoids")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("first_step")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("weights_of_classes")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("both_together")

# %% [markdown]
# The *even split* is the plain mean of the three classes of curves.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
printed_1 = extrapolation.beside_printed(table, "mse", MODELS, REFERENCES, "tab_curves_1")
study.save_table(printed_1, "tab_curves_1_beside")
printed_1

# %% [markdown]
# *Extrapolation error beside Table 1 of the paper: mean and standard error over seeds, as the paper
# prints them. "All" has two weightings: the plain mean of the classes, and the weights that the
# printed column implies.* What else Table 1 says, asked of our small models:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("table_1")

# %% [markdown]
# What can so few seeds decide? Differences between models are tested by permutation of the seeds.
# Three seeds each (as in the paper) never give a 95 % interval that excludes zero. Five each do so
# if the two groups hardly overlap. See [the page on statistics](../docs/statistics.md).

# %% [markdown] tags=["detail"]
# ### Step by step

# %%
options = {"ylabel": "mean square error", "log": True}
figure, points = extrapolation.by_step(table, "mse", MODELS | BASELINES, FLOORS, **options)
study.save_figure(figure, points, "tab_curves_1_steps", shown=False)

# %% [markdown]
# ![Error of each of the ten steps](../figures/tab_curves_1_steps.png)
#
# **Figure.** On lines and sinusoids errors mostly grow from step to step, most on lines.
# Horizontal: steps after the 20 observed points. Vertical: mean square error, logarithmic, a range
# for each panel. Coloured lines are means over five seeds. Black: Bayes, who knows the class of the
# curve; dashed: values known, dotted: differences only. The first step is what models are trained
# for. Later steps take predictions as observations, and they lie at positions and lengths that
# training never showed. These runs do not tell the two apart. The error of Bayes rises too.

# %% [markdown] tags=["detail"]
# ## How well can it be done without training?
#
# - *The last value* repeats $y_{20}$. *A constant* repeats the mean of the 20 observed values.
# - *Linear autoregression*: each value is a weighted sum of the three before it. The three weights
#   are fitted to the 20 observed values of each curve alone, by ridge regression. Nothing is
#   learned from other curves. The paper's Background builds on such models.
# - *Least squares, class known*: a line or a sinusoid is fitted. For RBF curves, the best linear
#   prediction is known in closed form. Let $y$ be the observed values and $A = C + \sigma^2 I$.
#   Then the mean of a next value is $c^\top A^{-1} y$. Its standard deviation is
#   $\sqrt{1 + \sigma^2 - c^\top A^{-1} c}$, with the noise of the new value. So **this standard
#   deviation does not depend on the observed values.** It would be exact for normal noise.
# - *Normal mixture, class not told*: which class a curve is from is inferred too. Uniform
#   parameters and noise are replaced by normal ones of the same variance.
# - *Bayes, class known*: the posterior mean under the paper's *uniform* noise. **No prediction has
#   a smaller expected error.** Uniform noise has an end: a curve that is too far from one value is
#   impossible. Least squares does not use that, so it is no floor. Lines and sinusoids are
#   integrated numerically over their one and three parameters. RBF curves are sampled. Here the
#   standard deviation depends on the observed values, if only a little.
# - *Differences only*: the same for a model that does not know the level of the curve. Such a row
#   is a floor of the relational models.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
floors = tabulated.floors(table)
study.save_table(floors, "tab_curves_1_floors")
tables.Plain(floors)

# %% [markdown]
# *Extrapolation error and mean standard deviation of predictions without training, on the test
# curves of the models. The last value and the constant state no standard deviation. On the same
# test curves another prediction can be better than Bayes by chance; in expectation none is.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("least_squares")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("optimum")

# %%
figure, points = extrapolation.posterior()
study.save_figure(figure, points, "txt_curves_gp_posterior")

# %% [markdown]
# **Figure.** At each step the three bars have the same length: what was observed changes the
# prediction, not how sure it is. Horizontal: steps after the 20 observed points. Left: the best
# linear prediction of three RBF curves, a colour each; a dot is its mean, a bar one standard
# deviation either way. They stand side by side, and the means go to zero, the mean of all curves.
# Right: three standard deviations. The lowest line is that of a model that is exactly as sure as it
# should be of *one* step, and takes its predictions as observations. Such a model stays far below
# the optimum of ten steps.
#
# ## Uncertainty (Table 2)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
stating = {name: REFERENCES[name] for name in tabulated.STATING}
printed_2 = extrapolation.beside_printed(
    table, "sd", extrapolation.RELATIONAL, stating, "tab_curves_2"
)
study.save_table(printed_2, "tab_curves_2_beside")
printed_2

# %%
options = {"printed": published("tab_curves_2"), "xlabel": "stated standard deviation"}
options |= {"xlim": (0.03, 1), "log": True}
figure, points = extrapolation.by_class(table, "sd", extrapolation.RELATIONAL, FLOORS, **options)
study.save_figure(figure, points, "tab_curves_2_uncertainty")

# %% [markdown]
# **Figure.** On RBF curves, both models state less uncertainty than Bayes; on sinusoids they state
# more. Horizontal, logarithmic, the same range in each panel: the stated standard deviation, as a
# mean over the ten steps. Markers, dashes and stars as in the first figure. The table has the same
# numbers beside Table 2 of the paper. What that table says, asked of our small models:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("table_2")

# %% [markdown] tags=["detail"]
# ### Calibration
#
# *Coverage*: how many of the true values lie in the central 95 % interval of a normal distribution
# with the predicted mean and the stated standard deviation? *CRPS* (continuous ranked probability
# score): how far is this distribution from what happened, in units of $y$? Less is better, and in
# expectation no prediction beats the true distribution. A 1d model states no uncertainty. Its CRPS
# is its mean absolute error.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("spread")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
scored = {"autoregression": REFERENCES["autoregression"]} | FLOORS
options = {"xlabel": "coverage of 95 % intervals", "xlim": (0, 1.03)}
options["aims"] = {"where coverage should be: 0.95": 0.95}
relational = extrapolation.RELATIONAL
figure, points = extrapolation.by_class(table, "coverage_95", relational, scored, **options)
study.save_figure(figure, points, "tab_curves_2_calibration", shown=False)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
scores, coverage = tabulated.scores(table), tabulated.coverage(table)
study.save_table(scores, "tab_curves_2_crps_steps")
study.save_table(coverage, "tab_curves_2_coverage")
scores.pivot(index="prediction", columns="class").loc[[*dict.fromkeys(scores["prediction"])]]

# %% [markdown]
# ![Coverage by class](../figures/tab_curves_2_calibration.png)
#
# **Figure and table.** All trained models lie far to the left of the vertical line, where coverage
# should be. Figure: the share of true values that lie in the stated 95 % intervals; a
# panel is a class of curves. A filled marker is one trained model, five of each kind, a black dash
# their mean, or a prediction without training. Table: CRPS at the first and the last step and over
# all ten, means over seeds. Bayes knows that the noise is uniform, but
# the interval assumes a normal distribution; so its own coverage on lines and sinusoids is not
# exactly 95 %. Narrower intervals are in `figures/tab_curves_2_coverage.csv`.

# %% [markdown] tags=["detail"]
# ## A gallery

# %% jupyter={"source_hidden": true} tags=["hide-input"]
chosen = {name: study.wanted("described", model=name)[0] for name in MODELS}
kept = {
    name: {part: value.numpy().round(5) for part, value in study.artifact(one, "gallery").items()}
    for name, one in (chosen.items() if len(table) else ())
}
task = chosen["transformer"].task
noisy = kept["transformer"]["noisy"] if kept else np.zeros((3, task.observed))
kinds = curves.even(len(noisy))
exact = reference("class_unknown", noisy[:, : task.observed], kinds, task.steps)
exact = {"mean": exact.mean.round(4), "sd": exact.sd.round(4)}

# %%
rows, titles = {"1d": extrapolation.SINGLE}, list(CLASSES.values())
for name, label in extrapolation.RELATIONAL.items():
    rows[label.replace(", ", ",\n")] = {name: label}
label = REFERENCES["class_unknown"]
figure, points = extrapolation.gallery(kept, exact, rows, titles, task.steps, label)
study.save_figure(figure, points, "tab_curves_2_gallery")

# %% [markdown]
# **Figure.** 1d models leave the line; all models lose the amplitude of the sinusoid; on the RBF
# curve the relational bands are far narrower than the grey one. Horizontal: the place $x$ of a
# point. Vertical: its value $y$, with the same range in all panels of a column. A column is the
# first test curve of its class, a row a kind of model (seed 0). Dots are observed, crosses are to
# be predicted; the dotted line stands between them. A line is a prediction, a band two stated
# standard deviations either way; 1d models state none. Grey: the normal mixture, which is near
# Bayes.

# %% [markdown]
# ## What a practitioner should do
#
# - Begin with baselines: the last value, a constant, linear autoregression with three weights a
#   curve.
# - Train for long enough. Last weights swing, so do not trust one look at them.
# - See what the input can tell before choosing it. Differences remove the level. What that must
#   cost on RBF curves can be computed in advance, as above. It explains almost nothing of the loss
#   on sinusoids. Whether differences help where the level is arbitrary was not tested.
# - Compare with a simple prediction at every horizon. The appendix shows 30 steps.
# - Do not take the spread of estimates that share a target for a predictive uncertainty. If an
#   interval is needed, train for it: predict a variance with a normal likelihood, or quantiles, and
#   check the coverage.
# - Report each class. A mean over classes depends on their weights, and the weights should be
#   stated.
#
# ## Claims
#
# What the paper states of its models is judged on models of its size, 256 wide, after its 10,000
# updates. Of relational models of this size one seed each was run, which decides nothing; more
# seeds are meant for a GPU: `abstractor run curves --profile paper`. The same comparisons in small
# models are controls of ours, after 2,000 updates and after 10,000. The first table holds what has
# been run of the claims of the paper, and lists below it what was not. Under a verdict stand the
# estimate with its 95 % interval and the printed number where there is one; in small type the point
# that decides, and the count of models.
# [Statistics](../docs/statistics.md#margins-equality-decides-nothing) has the rules of verdicts,
# and says what the mark † means: [*post hoc*](../docs/statistics.md#post-hoc).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.claims("stated", "suggested")

# %% [markdown]
# Controls of ours are questions with the answers yes and no. An answer *no* does not say that the
# printed numbers are wrong.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.claims("control")

# %% [markdown]
# **What speaks against these verdicts.**
#
# - The paper's code is not public. Where ours differs from the printed numbers, an open point may
#   be the reason.
# - Intervals are over seeds, for one set of test curves. They do not speak of other test curves.
#
# ## Exercises
#
# Run the cells above the first figure, then start with any exercise. Each takes less than a minute.
#
# ### 1. A window with a sharp edge: change $a$ and $b$
#
# Our windows start with $a = 2$, $b = 5$ and fall slowly. Choose $a$ and $b$ so that a token sees
# the nearest points fully and far points not at all. The check asks for $F(2) > 0.99$, for an
# effective length of 5, that is $F(5) = 0.5$, and for $F(10) < 0.01$. It shows which of the two
# numbers moves the edge of a window and which makes the edge sharp.

# %% tags=["exercise"]
a, b = 2.0, 5.0
window = LearnedWindow(a=a, b=b)

# %% tags=["check"]
near, edge, far = window(torch.tensor([2.0, 5.0, 10.0])).tolist()
exercises.check(
    {
        "F(2) is above 0.99": near > 0.99,
        "F(5) is one half, to 0.005": abs(edge - 0.5) < 0.005,
        "F(10) is below 0.01": far < 0.01,
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# a = 12.0
# b = 5 / np.log(np.exp(a) + 2)
# window = LearnedWindow(a=a, b=b)
# ```
#
# $F_{a,b}(x)$ is one half where $e^{x/b} = e^a + 2$, so the effective length is $b \ln(e^a + 2)$,
# about $a b$ for a large $a$. With that product fixed, a larger $a$ makes the edge sharper.
#
# </details>
#
# ### 2. A 1d model that follows a constant: change what it reads
#
# The relational model cannot know the level of a curve. Give the 1d model the same property, with
# 20 tokens in place of 190: change `predict`. The check adds another constant to each curve and
# asks that its prediction moves by that constant. The prediction must still come from the whole
# curve. This takes apart two things that the relational model does at once: it forgets the level,
# and it compares pairs.

# %% tags=["exercise"]
torch.manual_seed(0)
model = CurveTransformer(16, heads=2, layers=2).eval()
predict = lambda y: model(y)  # observed values (b, 20) -> the next ones (b, 1)

# %% tags=["check"]
y = torch.from_numpy(curves.draw(np.random.default_rng(0), curves.even(30), 20).noisy).float()
constant = torch.linspace(-5, 5, 30)[:, None]
with torch.no_grad():
    plain, moved, alone = predict(y), predict(y + constant), predict(y[:1])
    simple = torch.stack([y[:, :1], y[:, -1:], y.mean(dim=1, keepdim=True)])
exercises.check(
    {
        "a prediction follows a constant": bool((moved - plain - constant).abs().max() < 1e-4),
        "it depends on its own curve alone": bool((alone - plain[:1]).abs().max() < 1e-4),
        "it is no first, last or mean value, up to a constant": bool(
            (plain - simple).std(dim=1).min() > 1e-3
        ),
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# torch.manual_seed(0)
# model = CurveTransformer(16, heads=2, layers=2).eval()
# predict = lambda y: model(y - y[:, -1:]) + y[:, -1:]
# ```
#
# The model reads differences from the last value, which a constant does not change, and the last
# value is added to its answer. The first value or the mean of a curve, in place of the last, does
# as well.
#
# </details>
#
# ### 3. Is the level all that matters? No known answer
#
# Do relational models gain on lines because they forget the level, or because they compare pairs?
# The cell begins to train the 1d model of exercise 2, of the size of the models above. Give it
# their 2,000 updates, extrapolate ten steps, and repeat with five seeds. An answer is its error on
# lines less that of the relational model, with an interval that excludes zero or is narrow. We have
# not computed it.

# %% tags=["exercise"]
torch.manual_seed(0)
random, follower = np.random.default_rng(0), CurveTransformer(64, heads=4, layers=4)
optimiser, steps = torch.optim.Adam(follower.parameters(), 1e-3), 2  # of 2,000
for _ in range(steps):
    y = torch.from_numpy(curves.draw(random, curves.mixed(random, 32), 21).noisy).float()
    last = y[:, 19:20]
    loss = (follower(y[:, :20] - last) + last - y[:, 20:]).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"{live.parameters(follower):,} parameters, {steps} updates")

# %% [markdown]
# ## Appendices
#
# ### Why the signed difference?
#
# A similarity must let the value be read back: given $x$ and $S(x, y)$, there must be one $y$. It
# should also tell near values from far ones. The table checks the candidates that the paper names,
# on $x = 0.5$ and four values of $y$.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
similarities = tabulated.similarities()
study.save_table(similarities, "txt_curves_sim_candidates")
similarities

# %% [markdown]
# The cosine of two numbers is their sign. A dot product depends on the size of the values: a small
# one does not mean that they are near. An unsigned distance leaves two answers. The signed
# difference passes both tests. The paper leaves a *learned* similarity open. We try one that can be
# undone exactly: $S(x, y) = g(x) - g(y)$ with
# $g(y) = \sinh(\delta\,\mathrm{arsinh}\,y - \varepsilon)$.
#
# ### What the spread of the ensemble can be
#
# Let $z_i = y_i - y_{21}$ be what query $i$ has to answer, and $\mathcal D$ all differences of
# observed values. If every query reads all of them, as ours do, the mean square error is least if
# the answer is $E[z_i \mid \mathcal D]$. Then the estimates of queries $i$ and $k$ differ by
#
# $$(y_i - E[z_i \mid \mathcal D]) - (y_k - E[z_k \mid \mathcal D])
# = (y_i - y_k) - E[y_i - y_k \mid \mathcal D] = 0,$$
#
# since $y_i - y_k$ is itself in $\mathcal D$. **So at the optimum of the training loss all
# estimates agree, and their spread is zero, on every class.** (With the mask as printed, each query
# reads other tokens, and the spread need not be zero.) Here a spread above zero shows that training
# is not at that optimum; a small one does not show that it is near. The loss does not reward a
# spread that fits the errors. Table 2 of the paper compares it with a predictive standard
# deviation.
#
# ### Which weights has the printed column "all"?

# %% jupyter={"source_hidden": true} tags=["hide-input"]
weights = tabulated.printed_weights()
study.save_table(weights, "tab_curves_1_weights")
tables.Plain(weights, MODELS | CLASSES)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("printed_column")

# %% [markdown]
# ### The window over training

# %% jupyter={"source_hidden": true} tags=["hide-input"]
windowed = {name: MODELS[name] for name in ("transformer_window", "relational_window")}
start = LearnedWindow(*chosen["transformer_window"].model.start).length().item()
figure, points = extrapolation.windows(history, windowed, start)
study.save_figure(figure, points, "eq_curves_F_lengths", shown=False)
lengths = tabulated.window_lengths(table)
study.save_table(lengths, "eq_curves_F_trained")
lengths

# %% [markdown]
# ![Effective length of windows during training](../figures/eq_curves_F_lengths.png)
#
# **Figure and table.** Windows of the 1d model (left) have hardly moved after training; those of
# the relational one (right) have, to both sides. Effective length of the window of each layer,
# during training and at its end. A line is a layer of one seed, five seeds each. All windows start
# at the same length (dotted). These are 2,000 updates: such runs of the 1d model mostly compare no
# window with a wide one that is nearly fixed.
#
# ### What the text leaves open, one at a time

# %% jupyter={"source_hidden": true} tags=["hide-input"]
options = {"xlabel": "extrapolation error", "log": True}
figure, points = extrapolation.open_points(table, "mse", MODELS, FLOORS, **options)
study.save_figure(figure, points, "tab_curves_1_open_points", shown=False)

# %% [markdown]
# ![Extrapolation error when one setting differs](../figures/tab_curves_1_open_points.png)
#
# **Figure.** About half of the markers lie outside the grey range over seeds. The largest losses
# are of lengths that vary (RBF curves), of the layer norm first (lines and sinusoids) and of
# attention to itself; the largest gain is that of masked queries on sinusoids, where the error is
# less than half as large. Horizontal: extrapolation error, logarithmic, a range for each panel.
# Each row changes one setting of one model, which stands in parentheses, with one seed. A marker is
# one trained model. Grey: the range over five seeds of the same model with the usual settings.
# Black lines: Bayes. With no effect at all, one marker in three would lie outside the range of five
# seeds, or fewer, as most share the curves of one of these. So markers far outside deserve a second
# look. Masked queries, and the layer norm first with attention to itself, as in GPT-2, are the
# first to be trained from more seeds. With *random intercepts* the test lines have them too, so
# there neither the grey bar nor the lines of Bayes on lines can be compared. Numbers are in
# `figures/tab_curves_1_open_points.csv`.
#
# *Lengths vary*: training curves have different numbers of observed points. *Clean targets* are
# without noise. *Gate renormalised*: the weights are divided by their sum after the window.
# *Softmax over all*: the softmax includes the tokens that the mask then removes. *One window*
# serves all layers. *Queries masked*: a query attends only to what lies before it in both
# coordinates, as observed tokens do. *Learned similarity*: the function $g$ above.
#
# ### Further than ten steps, and outside the training ranges

# %% jupyter={"source_hidden": true} tags=["hide-input"]
options = {"ylabel": "mean square error", "log": True}
figure, points = extrapolation.by_step(table, "mse_long", MODELS | BASELINES, FLOORS, **options)
study.save_figure(figure, points, "tab_curves_1_long", shown=False)
others = BASELINES | {"class_unknown": "normal mixture, expects the training ranges"}
others |= {"bayes": "Bayes, told class and ranges"}
options = {"classes": ("line", "sine"), "xlabel": "extrapolation error", "log": True}
figure, points = extrapolation.by_class(
    table, "mse_outside", MODELS, others, worse="last_value", **options
)
study.save_figure(figure, points, "tab_curves_1_outside", shown=False)

# %% [markdown]
# ![Error of extrapolation to 30 points](../figures/tab_curves_1_long.png)
#
# **Figure.** On lines all models fall behind the last value, and errors keep growing. Horizontal:
# steps after the 20 observed points, up to 30. Vertical: mean square error on some of the test
# curves, logarithmic, a range for each panel. A marker is a mean over the five steps that end
# there, and over five seeds. Black: Bayes.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("long_horizons")

# %% [markdown]
# At long horizons linear autoregression diverges on lines and RBF curves. On lines, fit a line:
# twenty points tell the class. On RBF curves the 1d models are near Bayes there.
#
# ![Error outside the training ranges](../figures/tab_curves_1_outside.png)
#
# **Figure.** On lines steeper than those of training, every model is worse than the last value
# (shaded); on sinusoids none is. Lines have slopes from $0.1$ to $0.2$ in size, sinusoids periods
# from 3 to 5 or from 12 to 20. Dots and dashes as in the first figure. The *normal mixture* expects
# the training ranges, as a trained model does. *Bayes* is told the class and the new ranges: no
# expected error is smaller.
#
# ### Settings
#
# The paper has no public code. So there is one protocol, `described`, and every value comes from
# the text or is ours.

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.save_table(study.settings(), "tab_curves_1_settings")
study.settings()

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
shared = study.common_settings().astype(str)
study.save_table(shared, "tab_curves_1_settings_common")
shared

# %% jupyter={"source_hidden": true} tags=["hide-input", "hide-output"]
study.state().query("protocol == 'described'")

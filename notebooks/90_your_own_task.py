# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Add a task, or an experiment, of your own
#
# **Question.** How do I compare an Abstractor with a baseline on my own task? How does the
# comparison become an experiment of this repository?
#
# **Where to go.**
#
# | you want | read | you need | time |
# | --- | --- | --- | --- |
# | a table that compares models on your task | part 1 | one page of code | ten minutes |
# | records, figure, claim and tests beside it | part 2 | six files, seven commands | half an hour |
#
# Most comparisons need part 1 alone. It trains in less than a minute on one core. After part 2, the
# comparison is an experiment like all others: anyone can compute its records again, and the test
# suite guards them. If you want to know the modules first, read
# [00_start_here](00_start_here.ipynb).
#
# **Paper.** The example task is ours. v3 (*Abstractors and relational cross-attention*), section
# 4.1, says what to expect of it: if a symmetric relation suffices for a task, symmetric relations
# make learning "even more sample efficient".
#
# Words are in the [glossary](../docs/glossary.md). With papermill, in a tiny version:
# `papermill 90_your_own_task.ipynb out.ipynb -p profile smoke`.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke trains for 20 updates only
fresh: bool = False  # every notebook has this parameter; this one reads no records

# %% jupyter={"source_hidden": true} tags=["hide-input"]
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib.findings.counts import rate_interval
from abstractor_lib.findings.statistics import mean_interval
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.training.fit import Examples, correct, fit
from abstractor_lib.training.settings import Training

pd.set_option("display.precision", 2, "display.max_colwidth", None)
updates = 20 if profile == "smoke" else 200
_ = torch.manual_seed(0)

# %% [markdown]
# ## Part 1. Compare models on your task
#
# ### The data
#
# The example task is called **odd one out**. An example is five random vectors. Two pairs of
# vectors are equal, and one vector is alone. The target is the place of the vector that is alone.
# No two examples share a vector. A model can therefore not learn *what* the vectors are; it has to
# learn the relation "equal".
#
# A *trial* is one repetition, with its own data and its own initial weights. Data have one axis
# more than usual, for the trial. Here that axis has length eight: there are eight data sets, and
# eight copies of each model are trained side by side. (All numbers are in double precision, so that
# every processor prints the same digits.)

# %% tags=["tutorial"]
draws = generator(0, "odd one out")
order = draws.permuted(np.tile([0, 0, 1, 1, 2], (8, 600, 1)), axis=2)  # (trials, examples, 5)
vectors = draws.normal(size=(8, 600, 3, 16))  # three vectors of 16 features for each example
inputs = torch.from_numpy(np.take_along_axis(vectors, order[..., None], axis=2))
targets = torch.from_numpy((order == 2).argmax(axis=2))  # (trials, examples)
parts = {"train": slice(0, 300), "validation": slice(300, 400), "test": slice(400, 600)}
data = {name: Examples(inputs[:, rows], targets[:, rows]) for name, rows in parts.items()}

# %% [markdown]
# The table shows the first three examples. Equal letters stand for equal vectors. The target is the
# place of C.

# %%
letters = np.array(["A", "B", "C"])[order[0, :3]]
places = [f"vector {place}" for place in range(5)]
pd.DataFrame(letters, columns=places).assign(target=targets[0, :3].numpy())

# %% [markdown]
# ### The models
#
# - The *symmetric Abstractor* has relations $\langle W x_i, W x_j\rangle$, with one map.
# - The *asymmetric Abstractor* has relations $\langle W_q x_i, W_k x_j\rangle$, with two maps.
# - The *MLP* (multi-layer perceptron) reads the five vectors as one long vector. It is the
#   baseline.
#
# `fused=False` computes attention without torch's fused kernel, which is faster when trials are
# trained side by side.

# %% tags=["tutorial"]
sizes = {"dim": 32, "layers": 1, "symbols": 5, "pool": "flatten", "dropout": 0.0}
sizes |= {"dtype": torch.float64}
asymmetric, symmetric = (lib.Heads(2, symmetric=one, fused=False) for one in (False, True))
models = {
    "symmetric Abstractor": lambda: lib.AbstractorClassifier(16, 5, heads=symmetric, **sizes),
    "asymmetric Abstractor": lambda: lib.AbstractorClassifier(16, 5, heads=asymmetric, **sizes),
    "MLP": lambda: nn.Sequential(nn.Flatten(-2), lib.MLP([80, 128, 64, 5])).double(),
}

# %% [markdown]
# ### Training
#
# One object, `Training`, holds all training settings. The budget is given in `updates` or in
# `epochs`. `restore="best"` returns the best validation checkpoint, the weights with the lowest
# validation loss. `patience=None` means no early stopping.
#
# `fit` trains all trials of a model. It takes a function that makes a freshly initialised model.

# %% tags=["tutorial"]
rules = Training(
    loss="cross_entropy", learning_rate=5e-3, batch_size=50, epochs=None, updates=updates,
    validate_every=10, patience=None, min_delta=0.0, baseline=None, restore="best",
    schedule="cosine",
)  # fmt: skip
shares, accuracy = {}, {}
for name, model in models.items():
    build = lambda model=model: lib.initialise(model())
    fitted = fit(build, data["train"], data["validation"], rules)
    right = correct(fitted.predict(data["test"].inputs), data["test"].targets)
    shares[name] = right.double().mean(dim=1).tolist()  # test accuracy of each trial
    accuracy[name] = mean_interval(shares[name], within=(0, 1))

# %% [markdown]
# ### The result

# %% jupyter={"source_hidden": true} tags=["hide-input"]
learned = {name: sum(share > 0.6 for share in some) for name, some in shares.items()}
Markdown(
    "**Of eight trials each, {symmetric Abstractor} symmetric Abstractors, {asymmetric Abstractor} "
    "asymmetric Abstractors and {MLP} MLPs reach a test accuracy above 0.60.** This level lies "
    "half-way between chance level (0.20) and 1.".format(**learned)
)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
rows = {
    name: {
        "mean accuracy": f"{accuracy[name]:.2f}",
        "share of trials above 0.60": f"{rate_interval(learned[name], len(some)):.2f}",
        "accuracy of each trial, sorted": ", ".join(f"{share:.2f}" for share in sorted(some)),
    }
    for name, some in shares.items()
}
pd.DataFrame(rows).T

# %% [markdown]
# **Table.** *To see: all trials of the symmetric Abstractor learn, most of the asymmetric one do,
# and none of the MLP.* Test accuracy on 200 examples a trial, after training on 300 examples.
# Chance level is 0.20. Brackets are 95 % intervals over eight trials: Student-t for the mean, exact
# (binomial) for the share of trials.
#
# Both Abstractors can learn the relation "equal" from 300 examples; the MLP stays at chance level.
# The asymmetric Abstractor does not learn in every trial. Its mean therefore describes no single
# trial: look at the trials. A likely reason is that "equal" works both ways, which is built into
# the symmetric Abstractor. *What speaks against it.* One training set size and eight trials do not
# show that the reason is right.
#
# ### Your task
#
# Change the cell of the data: inputs `(trials, examples, ...)` and targets `(trials, examples)`.
# Then change the sizes of the models. To try the cells first, train on 50 examples,
# `parts["train"] = slice(0, 50)`, or give the `Heads` of both Abstractors `activation="sigmoid"`.
#
# - Other losses are `masked_cross_entropy`, `sequence_cross_entropy`, `binary_cross_entropy` and
#   `mse`. A loss of your own is `Training(loss="custom", ...)` and `fit(..., objective=...)`.
# - Models are trained on the device that their data are on.

# %% [markdown]
# ## Part 2. Make it an experiment
#
# A *spec* is everything that determines one run, written out as data. A run leaves a *record*: one
# line of a file in `data/records`. A *claim* is a statement whose verdict is computed from records.
# (The [glossary](../docs/glossary.md) has the other words.) A task of your own has one protocol,
# `sound`.
#
# **An experiment is six files.** No list names them: each package in `abstractor_lib/experiments`
# is an experiment, and each file `notebooks/NN_topic.py` is a notebook. The steps below are tested:
# a test writes the files of this page into a copy of the repository, runs the commands of steps 7
# and 8, and then the tests.
#
# ### 1. The task
#
# The task turns a numpy generator and sizes into arrays. The example in its docstring is a test.
#
# ```python
# # abstractor_lib/tasks/odd_one_out.py
# """Odd one out: of five vectors two pairs are equal, and one vector is alone."""
#
# import numpy as np
#
#
# def examples(generator: np.random.Generator, count: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
#     """Vectors ``(count, 5, dim)``, and the place of the one that is alone ``(count,)``.
#
#     Example:
#         >>> inputs, targets = examples(np.random.default_rng(0), 1, 16)
#         >>> odd = targets[0]
#         >>> [int((inputs[0] == one).all(axis=1).sum()) for one in inputs[0]][odd]
#         1
#     """
#     order = generator.permuted(np.tile([0, 0, 1, 1, 2], (count, 1)), axis=1)
#     vectors = generator.normal(size=(count, 3, dim)).astype(np.float32)
#     inputs = np.take_along_axis(vectors, order[..., None], axis=1)
#     return inputs, (order == 2).argmax(axis=1)
# ```
#
# ### 2. The settings
#
# Dataclasses hold what a run depends on. `Task` and `Model` become part of the spec, so they hold
# every number that can change a result. The protocol gives each value with a label and a source.
# The source is `ours` here; for a paper it is `text`, `code` or `counted` (from a parameter count).
# The notebook shows labels, values and sources as a table.
#
# ```python
# # abstractor_lib/experiments/odd_one_out/settings.py
# """Settings of odd one out: what determines a run, and where each value comes from."""
#
# from dataclasses import dataclass
# from typing import Literal
#
# from ..protocol import Sourced, ours, setting
#
#
# @dataclass(frozen=True)
# class Task:
#     """``train`` examples of vectors in R^dim, and examples held out."""
#
#     train: int
#     dim: int
#     validation: int
#     test: int
#
#
# @dataclass(frozen=True)
# class Model:
#     """An Abstractor with symmetric or asymmetric relations, or an MLP."""
#
#     name: Literal["symmetric", "asymmetric", "mlp"]
#     width: int
#     heads: int
#
#
# @dataclass(frozen=True)
# class OddProtocol:
#     """The values of a protocol, each with its label in tables and its source."""
#
#     dim: Sourced[int] = setting("features of a vector", ours(16))
#     validation: Sourced[int] = setting("validation examples", ours(100))
#     test: Sourced[int] = setting("test examples", ours(200))
#     width: Sourced[int] = setting("features of a state", ours(32))
#     heads: Sourced[int] = setting("relations", ours(2))
#     learning_rate: Sourced[float] = setting("learning rate (Adam, cosine)", ours(5e-3))
#     batch_size: Sourced[int] = setting("batch size", ours(50))
#
#
# PROTOCOLS = {"sound": OddProtocol()}
# ```
#
# ### 3. The grid, and the experiment
#
# - `runs` says which runs a profile asks for.
# - `columns` says what tables call a run.
# - `EXPERIMENT` is what the rest of the repository looks for.
# - `version` is raised when a change is meant to change results.
#
# This file must not import torch, so that `abstractor status` starts fast.
#
# ```python
# # abstractor_lib/experiments/odd_one_out/__init__.py
# """Odd one out: which of five vectors has no twin?"""
#
# from collections.abc import Callable, Iterator, Mapping
# from dataclasses import dataclass
#
# from ...records.spec import Spec, Trials
# from ...training.settings import Training
# from ..experiment import Experiment
# from .settings import PROTOCOLS, Model, OddProtocol, Task
#
#
# @dataclass(frozen=True)
# class Profile:
#     """How much to compute."""
#
#     sizes: tuple[int, ...]
#     trials: int
#     updates: int
#
#
# FULL = Profile(sizes=(50, 100, 300), trials=8, updates=200)
# PROFILES = {"smoke": Profile(sizes=(50,), trials=2, updates=20), "laptop": FULL, "paper": FULL}
#
#
# def runs(new: Callable[..., Spec], amount: Profile, settings: OddProtocol) -> Iterator[Spec]:
#     """The grid; see `Experiment.runs`."""
#     rules = Training(
#         loss="cross_entropy",
#         learning_rate=settings.learning_rate.value,
#         batch_size=settings.batch_size.value,
#         epochs=None,
#         updates=amount.updates,
#         validate_every=10,
#         patience=None,
#         min_delta=0.0,
#         baseline=None,
#         restore="best",
#         schedule="cosine",
#     )
#     held_out = (settings.validation.value, settings.test.value)
#     for name in ("symmetric", "asymmetric", "mlp"):
#         model = Model(name, settings.width.value, settings.heads.value)
#         for train in amount.sizes:
#             task = Task(train, settings.dim.value, *held_out)
#             yield new(model, task, rules, Trials(0, amount.trials))
#
#
# def columns(plain: Mapping) -> dict:
#     """What tables call a run."""
#     size = plain["task"]["train"]
#     return {"model": plain["model"]["name"], "size": size, "variant": "curve"}
#
#
# EXPERIMENT = Experiment(
#     name="odd_one_out",
#     version=1,
#     title="Odd one out",
#     notebooks=("91_odd_one_out",),
#     model=Model,
#     task=Task,
#     training=Training,
#     protocols=PROTOCOLS,
#     profiles=PROFILES,
#     runs=runs,
#     columns=columns,
# )
# ```
#
# ### 4. One run
#
# `compute` takes a spec and a context (device, checkpoints, where to stop in an audit). It returns
# one number per trial for each metric. It seeds nothing: torch is already seeded from the run id,
# and data come from the generator of a trial and a purpose.
#
# ```python
# # abstractor_lib/experiments/odd_one_out/run.py
# """Computing one run of odd one out. Shapes: ``t`` trials, ``n`` examples."""
#
# import numpy as np
# import torch
# from torch import nn
#
# from ... import nn as lib
# from ...records.spec import Spec
# from ...tasks.odd_one_out import examples
# from ...tasks.randomness import generator
# from ...training.examples import Examples, first
# from ...training.fit import correct, fit, summary
# from ...training.outcome import Outcome, curve
# from ..context import Context
# from .settings import Model
#
#
# def build(model: Model, dim: int) -> nn.Module:
#     """A classifier, ``(b, 5, dim) -> (b, 5)``, freshly initialised."""
#     width = model.width
#     if model.name == "mlp":
#         made = nn.Sequential(nn.Flatten(-2), lib.MLP([5 * dim, 4 * width, 2 * width, 5]))
#     else:
#         heads = lib.Heads(model.heads, symmetric=model.name == "symmetric", fused=False)
#         made = lib.AbstractorClassifier(
#             dim, 5, dim=width, heads=heads, layers=1, symbols=5, dropout=0.0, pool="flatten"
#         )
#     return lib.initialise(made)
#
#
# def compute(spec: Spec, context: Context) -> Outcome:
#     """Train and test the trials of a spec together; torch has been seeded from the run id."""
#     task = spec.task
#
#     def part(purpose: str, count: int) -> Examples:
#         drawn = [examples(generator(trial, purpose), count, task.dim) for trial in spec.trials]
#         inputs, targets = (np.stack(some) for some in zip(*drawn, strict=True))  # (t, n, ...)
#         return Examples(torch.from_numpy(inputs), torch.from_numpy(targets)).map(
#             lambda given: given.to(context.device)
#         )
#
#     fitted = fit(
#         lambda: build(spec.model, task.dim),
#         part("train", task.train),
#         part("validation", task.validation),
#         spec.training,
#         **context.fitting(spec),
#     )
#     test = part("test", task.test)
#     right = correct(fitted.predict(test.inputs), first(test.targets)).double()  # (t, n)
#     metrics = {"test_accuracy": right.mean(dim=1).tolist(), **summary(fitted, spec.training)}
#     return Outcome(metrics, fitted.first_losses, curve(fitted.history), fitted.parameters)
# ```
#
# ### 5. A claim, if you have one
#
# A claim is written before its results are seen. The fields:
#
# - `measure` names the function that measures it, from `abstractor_lib.findings.measures` or from a
#   module of the experiment. `ordering` compares models, listed from better to worse.
# - `origin` says whose claim it is: `stated` by the paper, `suggested` by it, or a `control` of
#   yours. `place` says where.
# - `item` is an id of `data/inventory.csv`, what of the papers the claim speaks about.
# - `figure` is the name of the figure that shows it.
# - `kind` says what is compared: `greater` or `less` than `bound`, `ordering` (all differences
#   above zero), `equals` (`published`, give or take `tolerance`), `near` (`bound`, give or take
#   `tolerance`), and others.
# - `source` says where the paper's number comes from. A claim that is written after its results are
#   seen has `post_hoc = true`. `Claim` in `abstractor_lib/findings/claims.py` documents all fields.
#
# ```toml
# # data/claims.toml
# [[claim]]
# id = "odd_one_out_symmetry"
# item = "txt_v3_4_1"
# paper = "v3"
# section = "4.1"
# origin = "suggested"
# place = "v3 4.1, paragraph 3: 'making learning a good representation even more sample efficient'"
# figure = "odd_one_out_accuracy"
# statement = "Trained on 300 examples of odd one out, the symmetric Abstractor is more accurate than the asymmetric Abstractor."
# kind = "ordering"
# source = "no number"
# experiment = "odd_one_out"
# protocols = ["sound"]
# measure = "ordering"
# arguments = { models = ["symmetric", "asymmetric"], least = 300 }
# ```
#
# ### 6. The notebook, and what it says
#
# The notebook shows records and trains nothing. `Study` reads the complete grids of an experiment;
# where a grid is incomplete, a figure says "not run". What the notebook says of its records stands
# in functions of the module `sentences`, which `study.say` calls by name. A sentence names what it
# rests on: verdicts, or comparisons. If the records say otherwise, the notebook fails, so that no
# sentence goes stale. Write it once you know the verdict.
#
# ```python
# # abstractor_lib/experiments/odd_one_out/sentences.py
# """What the notebook on odd one out says of its records."""
#
# from ...findings.sentences import Sentence
#
#
# def symmetry(frames) -> Sentence:
#     """Symmetric relations help on a symmetric task."""
#     return Sentence(
#         "**With 300 examples, the accuracy of the symmetric Abstractor minus that of the "
#         "asymmetric one is {odd_one_out_symmetry.sound}.** The claim that it is above zero: "
#         "{odd_one_out_symmetry.sound:word}.",
#         "odd_one_out_symmetry.sound holds",
#     )
# ```
#
# The notebook begins with its question, one picture and the answer. Cells whose code nobody should
# read carry the tag `hide-input` and `source_hidden`, as the first and third below.
#
# ```python
# # notebooks/91_odd_one_out.py
# # %% [markdown]
# # # Odd one out: do symmetric relations help on a symmetric task?
# #
# # **Question.** Of five vectors two pairs are equal, and one vector is alone. Which models learn
# # to find it, and from how many examples?
# #
# # **Paper.** The task is ours. v3 section 4.1 suggests, without an experiment, that symmetric
# # relations make learning more sample-efficient where a symmetric relation suffices.
#
# # %% tags=["parameters"]
# # A tiny version: papermill 91_odd_one_out.ipynb out.ipynb -p profile smoke -p compute True
# profile: str = "laptop"  # smoke, laptop or paper
# fresh: bool = False  # read the records of build/PROFILE instead of those that ship
# compute: bool = False  # compute first what those records lack
#
# # %% jupyter={"source_hidden": true} tags=["hide-input"]
# from abstractor_lib.records.workspace import Workspace
# from abstractor_lib.reporting import curves
# from abstractor_lib.reporting.curves import Series
# from abstractor_lib.reporting.study import Study
#
# study = Study("odd_one_out", Workspace(profile, fresh), compute)
#
# # %%
# series = [Series(f"{name} Abstractor", name) for name in ("symmetric", "asymmetric")]
# series += [Series("MLP", "mlp")]
# labels = {"chance": 0.2, "xlabel": "training set size"}
# figure, points = curves.learning_curves(study.panels("sound"), series, **labels)
# study.save_figure(figure, points, "odd_one_out_accuracy")
#
# # %% [markdown]
# # **Figure.** *To see: the symmetric Abstractor rises first.* Horizontal: training set size.
# # Vertical: test accuracy. Lines: mean over eight trials. Bands: 95 % interval. Dotted line:
# # chance level, 0.20.
#
# # %% jupyter={"source_hidden": true} tags=["hide-input"]
# study.say("symmetry")
#
# # %% [markdown]
# # ## Runs, settings and claims
#
# # %%
# study.state().query("protocol == 'sound'")
#
# # %%
# study.common_settings()
#
# # %%
# study.claims()
# ```
#
# ### 7. Compute
#
# The commands are in `.venv/bin`, or anywhere once `.venv` is activated.
#
# ```console
# abstractor run odd_one_out
# python tests/golden/update.py odd_one_out
# abstractor reproduce --audit 2 --only 91
# abstractor readme
# ```
#
# - `run` computes the grid on all cores. It can be stopped and resumed. With `--device cuda` it
#   computes the same runs on a GPU: data and settings are the same, dropout masks are others.
# - `update.py` writes the losses of tiny runs. The test suite computes these runs again, so a
#   change of the library that changes your results is noticed.
# - `reproduce` computes some of the records again and executes the notebook.
# - `readme` brings the generated lists up to date: notebooks, claims, verdicts.
#
# ### 8. Check, and commit
#
# ```console
# abstractor status
# abstractor claims
# make test
# ```
#
# Commit the six files, the claim, and what the commands wrote: records, golden losses, executed
# notebook, figure, generated lists. From now on `abstractor audit`, `show` and `export` know the
# experiment too. If it answers an item of `data/inventory.csv`, name its notebook and test in
# `data/index.toml`.
#
# A run may start from trained networks of another experiment: see `parents` in
# `abstractor_lib/experiments/robust_recovery`. It may keep the weights that a notebook draws: see
# `keep` in `abstractor_lib/experiments/order/grid.py`. Exercises at the end of a notebook are
# optional; [01_order_relations](01_order_relations.ipynb) shows their form.

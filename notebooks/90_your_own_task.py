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
# # Add a task of your own
#
# **Question.** How do I compare an Abstractor with a baseline on my own task, and how does the
# comparison become a section of this repository, with records, figures and verdicts?
#
# **Paper.** The example task is ours. v3 section 4.1 states what to expect: where a symmetric relation
# suffices, models of symmetric relations learn from fewer examples.
#
# The first half is one page of code that trains three models. Most comparisons need no more. The second
# half makes the same comparison reproducible: every number gets a record from which it can be checked,
# and the test suite guards it.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke trains for 20 updates only
fresh: bool = False  # every notebook has this parameter; this one reads no records

# %%
import numpy as np
import pandas as pd
import torch
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib.findings.statistics import mean_interval
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.training.fit import Examples, correct, fit
from abstractor_lib.training.settings import Training

pd.set_option("display.precision", 2)
updates = 20 if profile == "smoke" else 200
_ = torch.manual_seed(0)

# %% [markdown]
# ## Try it
#
# **Odd one out.** An example is five random vectors. Two pairs of vectors are equal, and one vector is
# alone. Which one? Training, validation and test examples share no vector. A model can therefore not
# learn *what* the vectors are, only the relation "equal".
#
# Data carry one axis more than usual, the *trial*: eight data sets, on which eight copies of a model are
# trained together. (Double precision, so that every processor prints the same digits.)

# %% tags=["tutorial"]
draws = generator(0, "odd one out")
order = draws.permuted(np.tile([0, 0, 1, 1, 2], (8, 600, 1)), axis=2)  # (trials, examples, 5)
vectors = draws.normal(size=(8, 600, 3, 16))  # three vectors of 16 features an example
inputs = torch.from_numpy(np.take_along_axis(vectors, order[..., None], axis=2))
targets = torch.from_numpy((order == 2).argmax(axis=2))  # (trials, examples)
parts = {"train": slice(0, 300), "validation": slice(300, 400), "test": slice(400, 600)}
data = {name: Examples(inputs[:, rows], targets[:, rows]) for name, rows in parts.items()}

# %% [markdown]
# The first three examples. Equal letters are equal vectors; the target is the place of C.

# %%
letters = np.array(["A", "B", "C"])[order[0, :3]]
places = [f"vector {place}" for place in range(5)]
pd.DataFrame(letters, columns=places).assign(target=targets[0, :3].numpy())

# %% [markdown]
# Three models: an Abstractor whose relations are symmetric, $\langle W x_i, W x_j\rangle$; an
# Abstractor with two maps, $\langle W_q x_i, W_k x_j\rangle$; and a multi-layer perceptron (MLP) of
# the five vectors. `fused=False` computes attention outright, which is faster where trials are trained
# together.

# %% tags=["tutorial"]
sizes = {"dim": 32, "heads": 2, "layers": 1, "symbols": 5, "pool": "flatten", "dropout": 0.0}
sizes |= {"fused": False, "dtype": torch.float64}
models = {
    "symmetric Abstractor": lambda: lib.AbstractorClassifier(16, 5, symmetric=True, **sizes),
    "asymmetric Abstractor": lambda: lib.AbstractorClassifier(16, 5, **sizes),
    "MLP": lambda: nn.Sequential(nn.Flatten(-2), lib.MLP([80, 128, 64, 5])).double(),
}

# %% [markdown]
# The training settings are one object. A budget is given in `epochs` or in `updates`; `patience` would
# stop early; `restore="best"` keeps the weights with the lowest validation loss.

# %% tags=["tutorial"]
rules = Training(
    loss="cross_entropy", learning_rate=5e-3, batch_size=50, epochs=None, updates=updates,
    validate_every=10, patience=None, min_delta=0.0, baseline=None, restore="best",
    schedule="cosine",
)  # fmt: skip
accuracy = {}
for name, model in models.items():
    build = lambda model=model: lib.initialise(model())
    fitted = fit(build, data["train"], data["validation"], rules)
    right = correct(fitted.predict(data["test"].inputs), data["test"].targets)
    accuracy[name] = mean_interval(right.double().mean(dim=1).tolist())

# %%
table = pd.DataFrame(accuracy, index=["mean", "low", "high", "n"]).T.astype({"n": int})
print("Test accuracy over the trials, with its 95 % interval; chance level 0.20")
table

# %% [markdown]
# **Both Abstractors learn the relation, the MLP stays at chance level.** The asymmetric Abstractor has a
# wide interval: some of its trials learn the task and some hardly do. Symmetric relations need not learn
# that "equal" works both ways.
#
# For another task, change the first code cell: inputs `(trials, examples, ...)` and targets
# `(trials, examples)`. Other losses are `masked_cross_entropy`, `binary_cross_entropy` and `mse`; a loss
# of yours is `fit(..., objective=...)`. Models are trained on the device that their data are on.

# %% [markdown]
# ## Make it a section
#
# Words of this repository: an *experiment* is one section, here "odd one out". A *spec* is everything
# that determines one *run*, written out as data. A run leaves a *record*, one line of a file. A
# *protocol* is a set of settings: `described` (what a paper's text says), `published` (what its public
# code does), `sound` (what we would do today). A task of your own has `sound` alone. A *profile* says how
# much to compute: `smoke` (seconds, for tests), `laptop` (what ships) or `paper`.
#
# **A section is five files.** Nothing lists them: a package in `abstractor_lib/experiments` is an
# experiment, a file `notebooks/NN_topic.py` is a notebook. A test of this repository copies the files
# from this page into a copy of the repository, runs the commands of steps 7 and 8 there, and then the
# tests.
#
# ### 1. The task
#
# From a numpy generator and sizes to arrays. The example in its documentation is a test.
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
# Dataclasses for what a run depends on. `Task` and `Model` go into the spec, so they hold every number
# that can change a result. The protocol says where each value comes from: `ours`, or `text`, `code` and
# `counted` (a parameter count) for a paper's. Its labels and sources become a table in the notebook.
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
# `runs` says which runs a profile asks for; `columns` says what tables call a run. `EXPERIMENT` is what
# the rest of the repository looks for. Importing this file must not import torch, so that `abstractor
# status` starts fast. `version` is raised when a change is meant to change results.
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
# `compute` takes a spec and a context (device, checkpoints, where to stop in an audit), and returns one
# number per trial for each metric. It seeds nothing: torch has been seeded from the run id, and data
# come from the generator of a trial and a purpose.
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
# from ...training.fit import Examples, correct, fit, summary
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
#         sizes = {"dim": width, "heads": model.heads, "layers": 1, "symbols": 5, "dropout": 0.0}
#         symmetric = model.name == "symmetric"
#         made = lib.AbstractorClassifier(
#             dim, 5, **sizes, pool="flatten", symmetric=symmetric, fused=False
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
#     right = correct(fitted.predict(test.inputs), test.targets).double()  # (t, n)
#     metrics = {"test_accuracy": right.mean(dim=1).tolist(), **summary(fitted, spec.training)}
#     return Outcome(metrics, fitted.first_losses, curve(fitted.history), fitted.parameters)
# ```
#
# ### 5. The notebook
#
# It only shows records. `Study` holds the complete grids of an experiment; where a grid is incomplete,
# a figure says "not run".
#
# ```python
# # notebooks/91_odd_one_out.py
# # %% [markdown]
# # # Odd one out: does symmetry help on a symmetric task?
# #
# # **Question.** Of five vectors two pairs are equal, and one is alone. Which models learn to find it,
# # and from how many examples?
# #
# # **Paper.** v3 section 4.1 states, without an experiment, that models of symmetric relations learn from
# # fewer examples where a symmetric relation suffices.
#
# # %% tags=["parameters"]
# profile: str = "laptop"  # smoke, laptop or paper
# fresh: bool = False  # read the records of build/PROFILE instead of those that ship
#
# # %%
# from abstractor_lib.records.workspace import Workspace
# from abstractor_lib.reporting import curves
# from abstractor_lib.reporting.curves import Series
# from abstractor_lib.reporting.study import Study
#
# study = Study("odd_one_out", Workspace(profile, fresh))
# study.state().query("protocol == 'sound'")
#
# # %% [markdown]
# # ## Accuracy against training examples
#
# # %%
# series = [Series(f"{name} Abstractor", name) for name in ("symmetric", "asymmetric")]
# series += [Series("MLP", "mlp")]
# labels = {"chance": 0.2, "xlabel": "training examples"}
# figure, points = curves.learning_curves(study.panels("sound"), series, **labels)
# study.save_figure(figure, points, "odd_one_out_accuracy")
#
# # %% [markdown]
# # *Lines: mean test accuracy over the trials. Bands: 95 % interval. Dotted: chance level.*
#
# # %%
# study.common_settings()
#
# # %%
# study.claims()[["statement", "measured", "low", "high", "n", "verdict"]]
#
# # %% [markdown]
# # **What to try next.** More features of a vector; vectors that are nearly equal.
# ```
#
# ### 6. A claim, if you have one
#
# A claim is a statement that can be true or false, with the function that measures it
# (`abstractor_lib.findings.measures`, or a module of the experiment named by its `measures`). The verdict
# is computed from the records. `item` is an id of `data/inventory.csv`: what of the papers it speaks
# about. Append it before you see the results.
#
# ```toml
# # data/claims.toml
# [[claim]]
# id = "odd_one_out_symmetry"
# item = "txt_v3_4_1"
# paper = "v3"
# section = "4.1"
# statement = "Where a symmetric relation suffices, symmetric relations help: trained on 300 examples the symmetric Abstractor finds the odd one out more often than the asymmetric one, and this one more often than an MLP."
# kind = "ordering"
# source = "no number"
# experiment = "odd_one_out"
# protocols = ["sound"]
# measure = "ordering"
# arguments = { models = ["symmetric", "asymmetric", "mlp"], least = 300 }
# ```
#
# ### 7. Compute
#
# `run` computes the grid on all cores; it can be stopped and resumed, and `--device cuda` computes the
# same runs on a GPU. `update.py` writes tiny runs whose losses the test suite computes again: a change of
# the library that changes your results cannot pass unseen. `reproduce` recomputes some of the records
# and executes the notebook. `readme` adds the notebook and the verdicts to `README.md`. (The commands are
# in `.venv/bin`, or anywhere once `.venv` is activated.)
#
# ```console
# abstractor run odd_one_out
# python tests/golden/update.py odd_one_out
# abstractor reproduce --audit 2 --only 91
# abstractor readme
# ```
#
# ### 8. Check, and commit
#
# ```console
# abstractor status
# abstractor claims
# make test
# ```
#
# Commit the five files and the claim, and what the commands wrote: records, golden losses, executed
# notebook, figures, `README.md`. From now on `abstractor audit`, `show` and `export` know the section
# too. If it answers an item of `data/inventory.csv`, name its notebook and test in `data/index.toml`.

# %% [markdown]
# ## What to try next
#
# - Train on 50 examples: `parts["train"] = slice(0, 50)`. The MLP stays where it is; how much do both
#   Abstractors lose?
# - `activation="sigmoid"` among the `sizes` of both Abstractors.
# - Runs that start from trained networks of another experiment: `parents` in
#   `abstractor_lib/experiments/robust_recovery`. Weights that a notebook draws: `keep` in
#   `abstractor_lib/experiments/order/grid.py`.

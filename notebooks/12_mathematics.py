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
# # Mathematics problems: does a relational branch help beside a Transformer?
#
# **Question.** A model reads a mathematics question, character by character, and writes the answer. Numbers,
# names and signs matter, and so do relations between them. Does it help to add an Abstractor, which sees
# relations alone, to a Transformer, which sees everything?
#
# **Paper.** v3 section 4.3 (Figures 6 and 7) and appendix B.3. The text calls the task *partially relational*.
#
# | word | what it means here |
# | --- | --- |
# | Abstractor | architecture (d) of the paper: encoder, then Abstractor; the decoder attends to both |
# | Transformer+ | a Transformer of greater width |
# | teacher-forced accuracy | share of characters that are right after the true characters before them |
# | exact match | the whole answer is right, written greedily from the first character to the last |
# | update | one step of the optimiser, on a batch of 128 questions |
# | epoch | one pass over the paper's two million questions: 15,625 updates |
# | seed | one training of one model |
# | `described` | the settings that the paper's text gives |
# | `published` | the settings of the authors' public code: larger models, which also read padding |
# | record | what a run leaves: its settings, its losses, its test results |
# | claim | a statement that can be true or false, with a verdict computed from records |
#
# Every measured number below comes from records. Nothing is trained while this notebook runs on them.

# %% tags=["parameters"]
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship

# %%
import pandas as pd
import torch

from abstractor_lib.experiments.mathematics import data
from abstractor_lib.experiments.mathematics.grid import ANSWERS, SHOWN, WATCHED
from abstractor_lib.experiments.mathematics.run import build
from abstractor_lib.experiments.mathematics.settings import MODELS, PAPER, PROTOCOLS, TASKS, models
from abstractor_lib.findings.published import published
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import curves, diagrams, figures, tracing
from abstractor_lib.reporting import mathematics as pictures
from abstractor_lib.reporting.curves import Series
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks import mathematics

# %%
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("mathematics", Workspace(profile, fresh))
table = study.frames.get("described")  # None: not run
NAMES = {"abstractor": "Abstractor", "transformer": "Transformer"}
NAMES |= {"transformer_plus": "Transformer+", "transformer_deep": "Transformer, two decoder layers"}
NAMES |= {"retrieving": "Abstractor, retrieved symbols"}
NAMES |= {"abstractor_only": "Abstractor alone, no encoder context"}
METRIC = "teacher_forcing_accuracy"
wanted = {name: study.wanted("described", variant=name) for name in TASKS.values()}
budget = {name: max((s.training.updates or 0 for s in some), default=0) for name, some in wanted.items()}
study.state().query("protocol == 'described'")

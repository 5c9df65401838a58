"""Training speed on mathematics questions: characters a second, and how near to the limit.

    python tests/benchmarks/mathematics.py > tests/benchmarks/mathematics.txt

One thread, processor time, batches of 128 questions, the models of the text's sizes; medians over
batches. It needs the first 12,800 training questions of each task (`abstractor data mathematics`).
*characters/s* counts characters of questions and answers without padding. The roofline is the time
that products of weights and states take, forward and twice as long backward, at the rate of single-
precision matrix products of the model's width that was measured in the same run. Encoder,
Abstractor and the decoder's keys and values count characters of questions, the rest counts labels.
*padded* is the same model on 160 characters and 31 labels, as the public code trains it: what
skipping padding saves.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import platform
import statistics
import time
from dataclasses import replace

import pandas as pd
import torch
from torch import nn

from abstractor_lib.experiments.mathematics import EXPERIMENT as mathematics
from abstractor_lib.experiments.mathematics import data
from abstractor_lib.experiments.mathematics.run import build, objective
from abstractor_lib.experiments.mathematics.settings import PROTOCOLS, TASKS, training
from abstractor_lib.nn import PaddedTokens
from abstractor_lib.records.spec import Spec
from abstractor_lib.training.sources import Resident
from abstractor_lib.training.trainer import Trainer

MODELS = ("abstractor", "transformer", "transformer_plus", "transformer_deep")
UPDATES, QUESTIONS, BATCH = 10, 12_800, 128


def products(dim: int, rows: int = 8000) -> float:
    """Operations a second of matrix products (rows, dim) by (dim, dim)."""
    left, right = torch.randn(rows, dim), torch.randn(dim, dim)
    begun = time.process_time()
    for _ in range(50):
        left @ right
    return 50 * 2 * rows * dim * dim / (time.process_time() - begun)


def operations(model: PaddedTokens, questions: int, labels: int) -> float:
    """Operations of an update on so many characters in all, without those between characters."""
    body = model.model
    source = [body.encoder, *body.abstractors]
    crossing = [one for layer in body.decoder.layers for one in layer.cross_attention]
    keys = [part for one in crossing for part in (one.key, one.value)]
    decoder = size([body.decoder, body.output]) - size(keys)
    return 6.0 * (size(source + keys) * questions + decoder * labels)


def size(modules: list[nn.Module]) -> int:
    """Parameters of some modules."""
    return sum(part.numel() for one in modules for part in one.parameters())


def measured(spec: Spec, source: Resident) -> float:
    """Median seconds an update."""
    fit = replace(training(PROTOCOLS["described"], UPDATES + 2, 1), monitor="training")
    trainer = Trainer(
        lambda: build(spec.model, spec.task), source, None, fit, objective=objective(spec.task)
    )
    spent = []
    while not trainer.finished:
        begun = time.process_time()
        trainer.step()
        spent.append(time.process_time() - begun)
    return statistics.median(spent[2:])  # the first two warm up


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    for spec in mathematics.grid("laptop", "described"):
        if spec.model.name not in MODELS or spec.trials.first or spec.task.blank or spec.part:
            continue
        found = data.problems(spec.task, "train", QUESTIONS)
        cut = measured(spec, data.source(found, spec, "cpu"))
        row = {"task": TASKS[spec.task.name], "model": spec.model.name, "ms": 1e3 * cut}
        share = BATCH / QUESTIONS
        question, label = (share * int(one.sum()) for one in data.lengths(found))
        ideal = operations(build(spec.model, spec.task), question, label) / products(spec.model.dim)
        row |= {"characters/s": share * data.characters(found) / cut, "of roofline": ideal / cut}
        if spec.model.name == "abstractor":
            padded = measured(spec, Resident(data.examples(found), BATCH))
            row["padded, ms"] = 1e3 * padded
        rows.append(row)
    print(f"torch {torch.__version__}, one thread, {platform.machine()}\n")
    print(pd.DataFrame(rows).round(2).to_string(index=False, na_rep=""))


if __name__ == "__main__":
    main()

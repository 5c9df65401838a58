"""Write golden losses: ``python tests/golden/update.py [EXPERIMENT ...]``, by default all.

Of a new experiment; of one that is there, only after a change that is meant to change results, with
another ``version``.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.execution.machine import machine
from abstractor_lib.execution.plan import with_engine
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.records.fingerprint import rounded

FOLDER = Path(__file__).parent


def specs(name: str) -> list:
    """Of an experiment's smoke grid each model under each protocol and variant once; and a run of
    several batches an epoch in which early stopping ends trials at different updates."""
    experiment = experiments.get(name)
    chosen = {}
    for protocol in PROTOCOLS:
        for spec in with_engine(experiment.grid("smoke", protocol)):
            column = experiment.columns(spec.canonical())
            chosen[protocol, column["variant"], column["model"]] = spec
    return [*chosen.values(), *STOPPED.get(name, list)()]


def stopped_order() -> list:
    """66 pairs make two batches; the learning rate makes validation losses rise and fall."""
    (spec,) = [
        spec
        for spec in experiments.get("order").grid("smoke", "published")
        if spec.model.name == "transformer" and spec.task.train == 40 and spec.draw == 1
    ]
    rules = replace(spec.training, epochs=10, patience=1, baseline=None, learning_rate=0.02)
    task = replace(spec.task, train=65)
    return [replace(spec, training=rules, task=task, trials=replace(spec.trials, count=4))]


STOPPED = {"order": stopped_order}


def losses(spec, context) -> dict:
    """The fingerprint and the losses of the first updates, those watched during the short run, its
    updates; where nothing is trained, all metrics."""
    found = outcome(spec, context)
    first = {"first_losses": rounded(found.first_losses)}
    if found.fingerprint:
        first["fingerprint"] = rounded(found.fingerprint)
    if not found.curve:
        return {**first, "metrics": rounded(found.metrics)}
    watched = "validation_loss" if "validation_loss" in found.curve else "loss"
    return {
        **first,
        watched: rounded(found.curve[watched]),
        "updates": found.metrics.get("updates", []),
    }


def main(names: Sequence[str]) -> None:
    """Write the file of each experiment: the machine, and its runs, one a line."""
    context = alone()
    for name in names or experiments.by_name():
        runs = [{"spec": spec.canonical(), **losses(spec, context)} for spec in specs(name)]
        lines = ",\n".join(json.dumps(run, sort_keys=True) for run in runs)
        here = json.dumps(machine(), sort_keys=True)
        content = f'{{"machine": {here},\n"runs": [\n{lines}\n]}}\n'
        (FOLDER / f"{name}.json").write_text(content)


if __name__ == "__main__":
    main(sys.argv[1:])

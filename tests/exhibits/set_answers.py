"""Writes what networks say of all triples of SET: ``python tests/exhibits/set_answers.py``.

The weights of the Abstractor ship. The other networks are trained again, some minutes each; their
accuracies then differ from the records' by as much as two processors make them differ.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from abstractor_lib.execution.compute import artifacts, outcome
from abstractor_lib.experiments.set import inspect
from abstractor_lib.records.artifacts import unpacked
from abstractor_lib.records.spec import weights_name
from abstractor_lib.reporting import exhibits, live
from abstractor_lib.reporting.exhibits.set_game import answers
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks.set_game import every_triple, is_set

NETWORKS = {
    "Abstractor": "abstractor",
    "deep CoRelNet": "corelnet_multihead_deep",
    "MLP": "mlp",
}
SIZE = 5000  # training triples
FILE = Path(exhibits.__file__).parent / "set_game.json"


def main() -> None:
    """Train what has to be trained, ask, write."""
    study, found = Study("set"), []
    triples = every_triple()
    for name, model in NETWORKS.items():
        (spec,) = study.wanted("sound", model=model, size=SIZE, variant="curve")
        if spec.keep:
            state = study.weights(spec, 0)
        else:
            kept = replace(spec, keep=(weights_name(0),))
            trained = outcome(kept, live.context(study))
            state = unpacked(artifacts(kept, trained)[weights_name(0)])
        player = inspect.Player(spec, state)
        parts = np.array_split(triples, 20)
        chances = np.concatenate([player.mean_chance(part) for part in parts])
        errors = answers(chances, is_set(triples))
        found.append({"name": name, "model": model, "run": spec.id, "errors": errors})
    (plain,) = study.wanted("sound", model="corelnet", size=SIZE, variant="curve")
    accuracy = study.records[plain.id]["metrics"]["true_accuracy"][0]
    written = {"train": SIZE, "plain": accuracy, "networks": found}
    FILE.write_text(json.dumps(written) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Write golden losses anew: ``python tests/golden/update.py``.

Only after a change that is meant to change results; bump the experiment's ``VERSION`` with it.
"""

import json
from pathlib import Path

from abstractor_lib import experiments
from abstractor_lib.execution.compute import outcome, rounded
from abstractor_lib.experiments.protocol import PROTOCOLS

FOLDER = Path(__file__).parent


def specs(name: str) -> list:
    """Of an experiment's smoke grid each model once under ``sound``, and one run of each other
    protocol and variant."""
    module = experiments.get(name)
    chosen = {}
    for protocol in reversed(PROTOCOLS):
        for spec in module.grid("smoke", protocol):
            column = module.columns(spec.canonical())
            model = column["model"] if protocol == "sound" else None
            chosen[protocol, column["variant"], model] = spec
    return list(chosen.values())


def losses(spec) -> dict:
    """The losses of the first updates and the validation losses of the short run."""
    found = outcome(spec)
    return {
        "first_losses": rounded(found.first_losses),
        "validation_loss": rounded(found.curve["validation_loss"]),
    }


def main() -> None:
    for name in experiments.EXPERIMENTS:
        entries = [{"spec": spec.canonical(), **losses(spec)} for spec in specs(name)]
        lines = ",\n".join(json.dumps(entry, sort_keys=True) for entry in entries)
        (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()

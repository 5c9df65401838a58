"""Writes what trained agents play in the exhibit: ``python tests/exhibits/agents_moves.py``.

The agents are those whose weights ship, the first seed of each.
"""

import json
from pathlib import Path

from abstractor_lib.experiments.agents.decisions import Greedy
from abstractor_lib.experiments.agents.play import with_weights
from abstractor_lib.reporting import exhibits
from abstractor_lib.reporting.exhibits.box_world import recorded
from abstractor_lib.reporting.study import Study

AGENTS = {"2-simplicial agent": "simplicial", "relational agent": "relational"}
FILE = Path(exhibits.__file__).parent / "box_world.json"


def moves() -> dict[str, dict]:
    """By agent, its run and what it plays."""
    study, found = Study("agents"), {}
    for name, model in AGENTS.items():
        spec = study.spec("sound", model, 500_000, "tokens, scoring")
        agent = with_weights(spec.model, spec.task, study.weights(spec, 0)).double()
        found[name] = {"run": spec.id, "plays": recorded(Greedy(agent))}
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(moves(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

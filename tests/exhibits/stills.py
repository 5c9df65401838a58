"""Writes the files that exhibits ship: ``python -m pytest tests/exhibits/stills.py``.

Each still picture is the first drawing of its exhibit, as Chromium shows it. The learned relations
come from shipped weights. Tests hold the files against both.
"""

import json
from pathlib import Path

import pytest

from abstractor_lib.reporting import exhibits
from abstractor_lib.reporting.exhibits import drag

FOLDER = Path(exhibits.__file__).parent
STILLS = {
    "box_world": exhibits.bridge_box_world,
    "drag": exhibits.drag_an_object,
    "sample": exhibits.sample_efficiency,
    "set_game": exhibits.set_against_networks,
}


def test_learned_relations(order_weights):
    found = json.dumps(drag.learned_forms(order_weights, 4))
    (FOLDER / "drag.json").write_text(f"{found}\n", encoding="utf-8")


@pytest.mark.parametrize("name", STILLS)
def test_draw(still, name):
    file = FOLDER / f"{name}.svg"
    file.write_text("")  # so that the old one does not count in the size
    file.write_text(still(STILLS[name]()), encoding="utf-8")

"""Draws the still pictures anew: ``python -m pytest tests/reporting/exhibits/stills.py``.

Each is the first drawing of its exhibit, as Chromium shows it; tests hold them against each other.
"""

from pathlib import Path

import pytest

from abstractor_lib.reporting import exhibits

FOLDER = Path(exhibits.__file__).parent
STILLS = {"box_world": exhibits.bridge_box_world}


@pytest.mark.parametrize("name", STILLS)
def test_draw(still, name):
    (FOLDER / f"{name}.svg").write_text(still(STILLS[name]()), encoding="utf-8")

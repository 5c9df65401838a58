"""Exercises: the check of each passes its answer, and neither its first cell nor wrong answers.

A notebook's last part has three. A cell tagged ``exercise`` is where a reader starts; it takes the
cells above the first figure alone. A cell tagged ``check`` follows the first two, and a folded
answer each. ``wrong_answers/NN.toml`` has three for each that someone might give.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from abstractor_lib.pages import notebooks
from abstractor_lib.reporting.exercises import check

WRONG = Path(__file__).parent / "wrong_answers"
ANSWER = re.compile(r"<details>.*?```python\n(.*?)```.*?</details>", re.S)
NOTEBOOKS = [path.stem for path in notebooks.sources() if path.stem[:2] not in ("00", "90")]


@cache
def exercises(stem: str) -> tuple[list[str], list[str], list[str]]:
    """The starting cells of a notebook, its checks and its answers."""
    cells = notebooks.read(notebooks.find(stem[:2])).cells
    start = next(
        n for n, cell in enumerate(cells) if re.search(r"^## Exercises$", cell.source, re.M)
    )
    tagged = {
        tag: [cell.source for cell in cells if tag in cell.metadata.get("tags", [])]
        for tag in ("exercise", "check")
    }
    prose = "\n\n".join(cell.source for cell in cells[start:] if cell.cell_type == "markdown")
    return tagged["exercise"], tagged["check"], ANSWER.findall(prose)


@cache
def above(stem: str) -> dict:
    """What the cells of a notebook define down to the one that opens its records."""
    names = {}
    for cell in notebooks.read(notebooks.find(stem[:2])).cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
            if re.search(r"\b(Study|Page)\(", cell.source):
                return names
    raise ValueError(f"{stem} opens no records")


def solved(stem: str, code: str, checked: str) -> bool:
    """Whether a check passes what a cell has left."""
    names = dict(above(stem))
    exec(code, names)
    *before, last = ast.parse(checked).body
    exec(compile(ast.Module(before, []), "check", "exec"), names)
    found = eval(compile(ast.Expression(last.value), "check", "eval"), names)
    plt.close("all")
    return found.solved


def wrong(stem: str) -> list[dict]:
    """Wrong answers: ``exercise``, 1 or 2, and ``code``."""
    return tomllib.loads((WRONG / f"{stem[:2]}.toml").read_text())["wrong"]


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_a_notebook_ends_with_three_exercises(stem):
    starts, checks, answers = exercises(stem)
    assert (len(starts), len(checks), len(answers)) == (3, 2, 2)
    exec(starts[2], dict(above(stem)))
    plt.close("all")


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_a_check_passes_the_answer_and_no_other(stem, number):
    start, checked, answer = (part[number - 1] for part in exercises(stem))
    assert not solved(stem, start, checked)
    assert solved(stem, answer, checked)
    others = [one["code"] for one in wrong(stem) if one["exercise"] == number]
    assert len(others) >= 3
    for other in others:
        assert other.strip() not in (start.strip(), answer.strip())
        assert not solved(stem, other, checked), other


def test_a_check_says_what_is_missing():
    assert check({"a": True, "b": True}).data == "**Solved.**\n\n- ✓ a\n- ✓ b"
    assert check({"a": True, "b": False}).data == "**Not yet.**\n\n- ✓ a\n- ✗ b"
    with pytest.raises(ValueError, match="expected what an answer has to do"):
        check({})

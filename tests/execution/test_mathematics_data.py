"""Making mathematics problems: with a stand-in for the generator, and with the generator itself."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from abstractor_lib import Failure
from abstractor_lib.cli.data import check_there, needs
from abstractor_lib.cli.data import mathematics as command
from abstractor_lib.execution.mathematics import environment
from abstractor_lib.execution.mathematics.make import Processes, Source, make
from abstractor_lib.experiments.mathematics import EXPERIMENT as mathematics
from abstractor_lib.records.store import Busy
from abstractor_lib.tasks.mathematics import TASKS, NotGenerated, files, load

TASK = TASKS[2]
ENVIRONMENT = files.folder() / "environment"
needs_generator = pytest.mark.skipif(
    not environment.is_ready(ENVIRONMENT),
    reason="the generator is not installed; abstractor data mathematics installs it",
)
STAND_IN = """
import random, sys
random.seed(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    print("Solve", random.randrange(int(sys.argv[3])), sep=" ", end="\\t1\\n")
"""


@dataclass(frozen=True)
class StandIn(Source):
    """Questions with numbers below ``numbers``, many of them doubled."""

    numbers: int = 1000

    def command(self, task, split, number):
        seed = str(self.seed(task, split, number))
        return [sys.executable, "-c", STAND_IN, seed, str(self.drawn), str(self.numbers)]


SOURCE = StandIn(Path(sys.executable), drawn=60)


def texts(where, split="train", count=None):
    return load(TASK, split, count, folder=where).question_texts()


def test_questions_that_are_not_there_are_told_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "folder", lambda: tmp_path)
    check_there("smoke")  # needs none
    with pytest.raises(NotGenerated, match="this machine has 0; abstractor data mathematics --pro"):
        check_there("laptop")
    grids = (mathematics.grid("laptop", name) for name in mathematics.protocols)
    check_there("laptop", {spec.id for grid in grids for spec in grid})  # all are recorded


def test_no_question_twice_and_none_of_the_validation_set(tmp_path):
    made = make(SOURCE, tmp_path, TASK, 500, validation=100)
    train, validation = texts(tmp_path), texts(tmp_path, "validation")
    assert made == {"train": len(train), "validation": 100}
    assert len(validation) == 100
    assert len(train) >= 500
    assert len(set(train)) == len(train)
    assert not set(train) & set(validation)


def naive(numbers, drawn, wanted, validation):
    """The same by hand: one list, a question at a time."""
    import random

    def drawn_by(split, number):
        random.seed(SOURCE.seed(TASK, split, number))
        return [f"Solve {random.randrange(numbers)}" for _ in range(drawn)]

    found = {"validation": [], "train": []}
    for split, enough in (("validation", validation), ("train", wanted)):
        number = 0
        while len(found[split]) < enough:
            for question in drawn_by(split, number):
                if question not in found["validation"] + found["train"]:
                    found[split].append(question)
            number += 1
        if split == "validation":
            del found[split][validation:]
    return found


def test_the_same_as_one_list_by_hand(tmp_path):
    make(SOURCE, tmp_path, TASK, 300, validation=100)
    expected = naive(1000, 60, 300, 100)
    assert texts(tmp_path, "validation") == expected["validation"]
    assert texts(tmp_path) == expected["train"]


def test_more_processes_and_stages_change_nothing(tmp_path):
    make(SOURCE, tmp_path / "one", TASK, 400, validation=100)
    make(SOURCE, tmp_path / "two", TASK, 150, jobs=1, validation=100)
    before = texts(tmp_path / "two")
    make(SOURCE, tmp_path / "two", TASK, 400, jobs=3, validation=100)
    assert texts(tmp_path / "one") == texts(tmp_path / "two")
    assert texts(tmp_path / "one")[: len(before)] == before
    times = [path.stat().st_mtime_ns for path in sorted((tmp_path / "two").rglob("*.npz"))]
    make(SOURCE, tmp_path / "two", TASK, 300, validation=100)
    assert times == [path.stat().st_mtime_ns for path in sorted((tmp_path / "two").rglob("*.npz"))]


def test_the_validation_set_does_not_grow_into_training_questions(tmp_path):
    make(SOURCE, tmp_path, TASK, 300, validation=50)
    before = texts(tmp_path), texts(tmp_path, "validation")
    with pytest.raises(ValueError, match="training questions that its validation set would get"):
        make(SOURCE, tmp_path, TASK, 300, validation=100)
    make(SOURCE, tmp_path, TASK, 300, validation=20)
    for file in (tmp_path / TASK).glob("validation-*"):  # damaged, say
        file.unlink()
    make(SOURCE, tmp_path, TASK, 300, validation=50)
    assert (texts(tmp_path), texts(tmp_path, "validation")) == before


def test_a_part_without_its_line_is_made_again(tmp_path):
    make(SOURCE, tmp_path, TASK, 300, validation=50)
    before = texts(tmp_path)
    last = sorted((tmp_path / TASK).glob("train-*.json"))[-1]
    last.unlink()
    make(SOURCE, tmp_path, TASK, 300, validation=50)
    assert texts(tmp_path) == before


def test_a_task_that_has_no_more_questions_ends(tmp_path):
    few = StandIn(Path(sys.executable), drawn=600, numbers=100)
    with pytest.raises(Failure, match="hardly any further train questions"):
        make(few, tmp_path, TASK, 1000, validation=10)


def test_another_recipe_is_not_mixed_in(tmp_path):
    make(SOURCE, tmp_path, TASK, 50, validation=10)
    with pytest.raises(ValueError, match="was made by another version; delete"):
        make(StandIn(Path(sys.executable), drawn=61), tmp_path, TASK, 500, validation=10)


def test_a_generator_that_fails_is_told():
    with Processes(1) as processes:
        found = processes.start([sys.executable, "-c", "raise ValueError('no such level')", "x"])
        with pytest.raises(Failure, match="stopped: ValueError: no such level"):
            found.result()


def test_only_one_makes_a_task(tmp_path):
    from filelock import FileLock

    (tmp_path / TASK).mkdir()
    with FileLock(tmp_path / TASK / ".lock"), pytest.raises(Busy, match="another process"):
        make(SOURCE, tmp_path, TASK, 10)


INTERRUPTED = """
import sys
from pathlib import Path
from abstractor_lib.execution.mathematics.make import Source, make
class Slow(Source):
    def command(self, task, split, number):
        code = f"import time; print('Solve {split} {number}', 1, sep=chr(9));"
        code += f"time.sleep({number} * 60)"
        return [sys.executable, "-c", code, task]
from abstractor_lib.interrupts import orderly_end
with orderly_end():
    make(Slow(Path(sys.executable), drawn=1), Path(sys.argv[1]), sys.argv[2], 9, validation=1)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_keeps_whole_parts_and_leaves_no_process(tmp_path, number):
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), TASK]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a shell's background ignores it
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / TASK / "train-00000.json").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert "Interrupted" in errors
    names = {path.name for path in (tmp_path / TASK).iterdir()} - {".lock"}
    assert names == {f"{s}-00000.{e}" for s in ("train", "validation") for e in ("npz", "json")}
    with pytest.raises(ProcessLookupError):  # of the whole session
        os.killpg(process.pid, 0)


def test_a_profile_needs_what_its_runs_and_the_page_of_commands_say():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    begins = "| `abstractor data mathematics --profile laptop`"
    (row,) = (line for line in page.splitlines() if line.startswith(begins))
    found = needs("laptop")
    grid = mathematics.grid("laptop", "described")
    trained = {spec.task.name: spec.task.train for spec in sorted(grid, key=lambda s: s.task.train)}
    assert found == trained and set(found) == set(TASKS)
    first, *others = (name for name in TASKS if name in row)
    assert f"{found[first]:,} training questions of `{first}`" in row
    for task in others:
        assert f"{found[task]:,} of `{task}`" in row
    (rest,) = {found[task] for task in TASKS if task not in row}
    assert f"{rest:,}" in row


def test_the_sample_is_enough_for_the_smoke_profile(capsys):
    assert needs("smoke") == {}
    command.callback((), None, "smoke", 1)
    assert capsys.readouterr().out.endswith("needs no more questions than those that ship\n")
    with pytest.raises(ValueError, match="of which --profile smoke needs no more than what ships"):
        command.callback((TASK,), None, "smoke", 1)


def test_questions_and_a_profile_exclude_each_other():
    with pytest.raises(ValueError, match="--questions is 4 and --profile laptop; expected one"):
        command.callback((), 4, "laptop", 1)


def test_environment_variables_are_the_generators_own(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "17")
    monkeypatch.setenv("SYMPY_CACHE_SIZE", "17")
    found = environment.variables()
    assert found["PYTHONHASHSEED"] == "0"
    assert "SYMPY_CACHE_SIZE" not in found


def test_an_unfinished_environment_is_not_ready(tmp_path):
    assert not environment.is_ready(tmp_path)
    (tmp_path / environment.STAMP).write_text("\n".join(environment.PACKAGES))
    assert environment.is_ready(tmp_path)
    assert environment.prepare(tmp_path) == environment.interpreter(tmp_path)
    (tmp_path / environment.STAMP).write_text("sympy==1.14")
    assert not environment.is_ready(tmp_path)


@needs_generator
@pytest.mark.parametrize("task", TASKS)
def test_the_generator_writes_the_sample_again(tmp_path, task):
    """Of ``polynomials__add`` too, whose questions name several entities in a shuffled order."""
    source = Source(environment.interpreter(ENVIRONMENT), drawn=30)
    make(source, tmp_path, task, 30, validation=30)
    for split in files.SPLITS:
        # The sample holds fewer than the folder: read the files themselves.
        (part,) = files.parts(tmp_path, task, split)
        questions, _ = files.read(tmp_path, part)
        sample = load(task, split, 30).question_texts()
        assert [bytes(row).rstrip(b"\0").decode() for row in questions] == sample


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("split", files.SPLITS)
def test_the_sample_is_the_beginning_of_what_was_made(task, split):
    made = next(files.parts(files.folder(), task, split), None)
    if made is None:
        pytest.skip("nothing was made; abstractor data mathematics makes it")
    questions, _ = files.read(files.folder(), made)
    sample = load(task, split, 64).question_texts()
    assert [bytes(row).rstrip(b"\0").decode() for row in questions[:64]] == sample

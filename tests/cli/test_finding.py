"""Finding a claim, a figure or a record by what people call it."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from abstractor_lib import cli, experiments, paths
from abstractor_lib.cli import printing
from abstractor_lib.findings import statements
from abstractor_lib.pages import answers, index, names, places
from abstractor_lib.pages.reproduce import judged
from abstractor_lib.records import remembered, store
from abstractor_lib.records.workspace import Workspace

CLAIM = "pretraining_v3_large_enough"


@cache
def told(*arguments):
    """What a command prints, called in this process."""
    found = CliRunner().invoke(cli.main, list(arguments), prog_name="abstractor")
    assert found.exit_code == 0, found.output
    return found.stdout


def rows(*arguments):
    return json.loads(told(*arguments, "--json"))


def refused(*arguments):
    """The sentence with which a command ends with exit status 2."""
    found = CliRunner().invoke(cli.main, list(arguments), prog_name="abstractor")
    assert (found.exit_code, found.stdout) == (2, "")
    (line,) = found.stderr.splitlines()
    return line.removeprefix("abstractor: ")


def test_claims_by_verdict_and_paper_are_those_of_all_that_are_so():
    every = rows("claims")
    some = rows("claims", "--verdict", "fails", "--paper", "v3")
    assert some
    assert some == [one for one in every if (one["verdict"], one["paper"]) == ("fails", "v3")]
    plain = told("claims", "--verdict", "fails", "--paper", "v3")
    assert all(one["id"] in plain.split() for one in some)
    assert not re.search("✓|○|·", plain)
    assert max(map(len, plain.splitlines())) <= 80


def test_the_words_of_json_are_those_of_the_text():
    every = rows("claims")
    for one in every:
        assert one["word"] == statements.word(one["origin"], one["verdict"])
    words = {one["word"] for one in every if one["verdict"] == "fails"}
    assert words == {"fails", "not supported", "no"}
    printed = set(re.findall(r"[✓✗○·] (not \w+|\w+)", told("claims")))
    assert printed == {one["word"] for one in every}
    some = rows("claims", "--verdict", "not supported")
    assert some == [one for one in every if one["word"] == "not supported"]


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "words", ["fig_v3_05b", "Figure 5b", "figure 5(b)", "Fig. 5b", "v3 Figure 5b"]
)
def test_a_figure_is_found_by_what_it_is_called(words):
    """The claims are those whose item or figure is v3's Figure 5b, read without our code."""
    wanted = {
        one.id
        for one in statements.read()
        if one.item == "fig_v3_05b" or one.figure.startswith("fig_v3_05b_")
    }
    assert {one["id"] for one in rows("claims", words)} == wanted
    assert CLAIM in wanted and CLAIM in told("claims", words)
    (row,) = rows("index", words)
    assert row["id"] == "fig_v3_05b"


def test_a_number_names_all_panels_and_all_papers():
    labels = {"fig_v1_02a", "fig_v1_02f", "fig_v3_02", "fig_simplicial_02"}
    assert labels <= set(names.called("Figure 2"))
    assert set(names.called("v1 Figure 2")) == {f"fig_v1_02{letter}" for letter in "abcdef"}
    assert names.called("Theorem 3.2") == ["thm_v1_3_2"]
    assert names.called("Table 1") == ["tab_simplicial_1", "tab_curves_1"]


@pytest.mark.parametrize("row", index.inventory(), ids=lambda row: row["id"])
def test_every_item_is_called_by_its_label(row):
    from abstractor_lib.reporting.verdicts import item_label

    assert names.called(row["id"]) == [row["id"]]
    if label := item_label(row["id"]):
        assert row["id"] in names.called(label)
        assert row["id"] in names.called(label.partition(" ")[2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["claims", "set_pixels"], "NAME is 'set_pixels'; no claim is about that experiment"),
        (["claims", "Figure 99"], "NAME is 'Figure 99'; no claim begins so, and no experiment"),
        (["claims", "pretraining_v3_large_enouh"], f"; near: {CLAIM}"),
        (["claims", "fig_v3_01"], "NAME is 'fig_v3_01'; no claim is about fig_v3_01"),
        (["claims", "--verdict", "wrong"], "--verdict is 'wrong'; allowed: holds, fails"),
        (["claims", "--paper", "v2"], "--paper is 'v2'; allowed: v3, v1, 003, simplicial, curves"),
        (["index", "fig_v3_5b"], "NAME is 'fig_v3_5b'; no figure, table or theorem is called so"),
        (["index", "fig_v3_5b"], "; near: fig_v3_05b"),
    ],
)
def test_what_is_not_there_is_one_sentence(arguments, message):
    assert message in refused(*arguments)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Set One Relation", "set_one_relation"),
        ("set-one-relation", "set_one_relation"),
        ("ORDER_V3", "order_v3"),
        ("FIG_V3_05B", "fig_v3_05b"),
    ],
)
def test_claims_are_found_however_their_name_is_written(given, meant):
    assert rows("claims", given) == rows("claims", meant) != []


def test_the_name_of_an_experiment_finds_all_its_claims():
    every = {one.id for one in statements.read() if one.experiment == "strict_bottleneck"}
    assert {row["id"] for row in rows("claims", "strict_bottleneck")} == every != set()
    # Names of claims that begin as an experiment is called are found with it.
    assert {one.id for one in statements.read() if one.experiment == "set"} <= {
        row["id"] for row in rows("claims", "set")
    }


def test_reasons_without_a_name():
    asked = ("claims", "--verdict", "fails", "--paper", "v3")
    short, full = told(*asked), told(*asked, "--full")
    reasons = {row["id"]: row["reason"] for row in rows(*asked)}
    assert sum(map(bool, reasons.values())) > 5
    assert "Likely reason" not in short
    assert full.count("Likely reason") == sum(map(bool, reasons.values()))
    assert all(name in full for name in reasons)


def test_no_claim_is_so():
    assert rows("claims", CLAIM, "--verdict", "undecided") == []
    assert told("claims", CLAIM, "--verdict", "undecided") == "No claim is so.\n"


def test_an_item_with_notebook_cell_code_records_verdicts_and_files():
    (row,) = rows("index", "fig_v3_05b")
    plain = told("index", "fig_v3_05b")
    assert max(map(len, plain.splitlines())) <= 80
    words = plain.split()
    assert "notebooks/03_pretraining.ipynb" in words
    for cell in row["cells"]:
        assert f"cell {cell['number']} (line {cell['line']}" in plain
        assert all(stem in plain for stem in cell["writes"])
    for name in (*row["code"], *row["records"]):
        assert name in plain
        assert (paths.root() / name.partition(":")[0]).is_file()
    for one in row["verdicts"]:
        assert one["claim"] in words
        assert f"{one['protocol']} " in plain and one["word"] in plain
    assert {stem for stem in words if stem.startswith("figures/")} == {
        f"{stem}.{{{','.join(kinds)}}}" for stem, kinds in kinds_of(row["files"]).items()
    }
    every = {(one["id"], one["protocol"]): one["verdict"] for one in rows("claims", "fig_v3_05b")}
    found = {(one["claim"], one["protocol"]): one["verdict"] for one in row["verdicts"]}
    assert every.items() <= found.items()


def kinds_of(files):
    stems = dict.fromkeys(name.rpartition(".")[0] for name in files)
    return {
        stem: [one.rpartition(".")[2] for one in files if one.startswith(f"{stem}.")]
        for stem in stems
    }


def test_cells_are_those_of_the_executed_notebooks():
    """The number counts the cells of the .ipynb file too, and the cell draws the item."""
    drawn = 0
    for entry in answers.entries():
        if not entry.notebook or (cell := places.cell_of(entry)) is None:
            assert entry.status == "open"
            continue
        path = paths.root() / "notebooks" / f"{entry.notebook}.ipynb"
        executed = nbformat.read(path, as_version=4).cells
        assert len(executed) == len(places.cells(path.with_suffix(".py")))
        source = executed[cell.number - 1].source
        shown = index.catalogue()["item"][entry.id].get("figure", entry.id)
        drawn += f'"{entry.id}_' in source or f'"{shown}_' in source
        lines = path.with_suffix(".py").read_text().splitlines()
        assert lines[cell.line - 1].startswith("# %%")
    assert drawn > 60


def test_index_names_every_cell_that_writes_a_file_of_an_item():
    """Figure 5b: bars, both curves and tables, each with the cell that calls for it."""
    (entry,) = (one for one in answers.entries() if one.id == "fig_v3_05b")
    found = {stem: number for number, stems in places.drawing(entry).items() for stem in stems}
    assert found.keys() == {Path(name).stem for name in entry.files}
    assert found["fig_v3_05b_curves"] == found["fig_v3_05b_transformer"]
    cells = places.cells(paths.root() / "notebooks" / f"{entry.notebook}.py")
    for stem, number in found.items():
        text = cells[number - 1].text
        assert f'"{stem}"' in text or "fig_v3_05b_{name}" in text


def test_code_names_functions_that_are_there():
    named = {name for entry in answers.entries() for name in places.code_of(entry)}
    assert len(named) > 50
    for name in named:
        file, function = name.split(": ")
        text = (paths.root() / file).read_text()
        assert re.search(rf"^(def|class) {function}\b|^{function}\b", text, re.M), name


@pytest.mark.slow
def test_answers_are_those_that_pages_are_made_from(shipped):
    assert shipped.verdicts == judged(shipped.studies)
    assert answers.entries() == [*shipped.items.values()]


def test_an_answer_is_kept_until_a_file_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    (tmp_path / "a").write_text("1")
    asked = []

    def make():
        asked.append(len(asked))
        return {"answer": asked[-1], "end": float("inf")}

    def answer():
        return remembered.remembered("x", remembered.state([tmp_path / "data"]), make)

    (tmp_path / "data").mkdir()
    assert answer() == answer() == {"answer": 0, "end": float("inf")}
    (tmp_path / "data" / "records").write_text("a record")
    assert answer()["answer"] == answer()["answer"] == 1
    (tmp_path / "data" / ".#records").symlink_to("somebody@host.1:2")  # an editor's, to nowhere
    assert answer()["answer"] == answer()["answer"] == 2
    (tmp_path / "data" / ".#records").unlink()
    (tmp_path / "elsewhere").write_text("1")
    (tmp_path / "data" / "linked").symlink_to(tmp_path / "elsewhere")
    assert answer()["answer"] == answer()["answer"] == 3
    (tmp_path / "elsewhere").write_text("another")
    assert answer()["answer"] == 4
    (tmp_path / "data" / "linked").unlink()
    os.utime(tmp_path / "data" / "records", ns=(1, 1))
    assert answer()["answer"] == 5
    (tmp_path / "build" / "answers" / "x.json").write_text('{"made_from":')
    assert answer()["answer"] == 6


def test_a_record_is_told_in_80_columns():
    records = Workspace().records("order")
    run, record = next(iter(records.items()))
    plain, as_json = told("show", run[:16]), json.loads(told("show", run[:16], "--json"))
    assert as_json == record
    lines = plain.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == f"Run {run[:12]}: order, {record['spec']['protocol']}"
    values = record["metrics"]["test_accuracy"]
    (line,) = [line for line in lines if line.strip().startswith("test_accuracy ")]
    assert line.split()[1] == f"{sum(values) / len(values):.4g}"
    for setting in ("learning_rate", "batch_size", "embed"):
        assert setting in plain


@pytest.mark.first(5)
@pytest.mark.parametrize("name", [one for one in experiments.names() if Workspace().records(one)])
def test_a_record_of_every_experiment_is_told(name):
    run = next(iter(Workspace().records(name)))
    assert max(map(len, told("show", run).splitlines())) <= 80


def test_records_that_begin_so_are_the_same_as_of_all():
    path = Workspace().file("robustness")  # its runs name their parents, which have ids too
    every = store.load(path)
    parent = next(one["run"] for r in every.values() for one in r["spec"]["parents"].values())
    assert store.load(path, begins=parent) == {}
    for begins in ("0", "abc", next(iter(every))):
        wanted = {run: one for run, one in every.items() if run.startswith(begins)}
        assert store.load(path, begins=begins) == wanted


def command(*arguments):
    return [sys.executable, "-m", "abstractor_lib.cli", *arguments]


def in_a_terminal(*arguments, **environment):
    """What a command prints in a terminal."""
    ours, its = pty.openpty()
    done = subprocess.Popen(
        command(*arguments), stdout=its, stderr=its, env={**os.environ, **environment}
    )
    os.close(its)
    found = b""
    try:
        while part := os.read(ours, 4096):
            found += part
    except OSError:  # a terminal whose other end is closed
        pass
    os.close(ours)
    assert done.wait() == 0
    return found.decode()


def test_verdicts_have_colours_in_a_terminal_and_nowhere_else(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = in_a_terminal("claims", CLAIM, TERM="xterm")
    assert "\x1b[31m✗ fails\x1b[0m" in shown
    assert "\x1b" not in in_a_terminal("claims", CLAIM, TERM="xterm", NO_COLOR="1")
    plain = subprocess.run(command("claims", CLAIM), capture_output=True, text=True, check=True)
    assert "\x1b" not in plain.stdout
    assert re.sub(r"\x1b\[\d+m", "", shown).replace("\r", "") == plain.stdout


def test_every_word_for_a_verdict_has_a_colour():
    words = {statements.word(o, v) for o in statements.ORIGINS for v in statements.ORDER}
    for word in words:
        assert printing.coloured(f"○ {word}") != f"○ {word}"
    assert printing.coloured("no claim holds: not run") == "no claim holds: not run"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cla"], ["claims"]),
        (["run", "set"], ["set", "set_pixels", "set_relations"]),
        (["run", "order", "--model", "core"], None),
        (["index", "fig_v3_05"], ["fig_v3_05a", "fig_v3_05b"]),
        (["claims", "pretraining_v3_large"], [CLAIM]),
        (["claims", "--verdict", "un"], ["undecided"]),
    ],
)
def test_a_shell_completes_names(words, expected):
    """As bash asks, by the name under which the command is installed."""
    code = "import sys; sys.argv[0] = 'abstractor'; from abstractor_lib.cli import main; main()"
    asked = {
        "_ABSTRACTOR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["abstractor", *words]),
        "COMP_CWORD": str(len(words)),
    }
    found = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True
    )
    completed = [line.partition(",")[2] for line in found.stdout.splitlines()]
    if expected is None:
        order = experiments.get("order")
        specs = [spec for name in order.protocols for spec in order.grid("laptop", name)]
        known = {spec.model.name for spec in specs}
        expected = [name for name in known if name.startswith(words[-1])]
        assert len(expected) > 3
    assert sorted(completed) == sorted(expected)


QUICK = (
    ["--help"],
    ["status"],
    ["claims", "--verdict", "fails", "--paper", "v3"],
    ["claims", "Figure 5b"],
    ["index"],
    ["index", "fig_v3_05b"],
    ["show", "RUN"],
    ["export", "order"],
)


HEAVY = ("torch", "pandas", "scipy", "matplotlib", "IPython")  # half a second or more, each


@pytest.mark.parametrize("arguments", QUICK, ids=" ".join)
def test_what_needs_no_torch_imports_none_and_nothing_else_that_is_slow(arguments):
    """Of a later call: the first may compute. `tests/benchmarks/starting.py` takes the times."""
    run = next(iter(Workspace().records("order")))
    arguments = [run if one == "RUN" else one for one in arguments]
    told(*arguments)
    code = (
        "import sys\n"
        "from abstractor_lib.cli import main\n"
        "try:\n"
        f"    main({arguments!r}, prog_name='abstractor')\n"
        "finally:\n"
        f"    print(*({set(HEAVY)!r} & set(sys.modules)), file=sys.stderr)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0
    assert found.stderr.split() == []


def test_showing_a_record_reads_no_other_one(monkeypatch):
    run = next(iter(Workspace().records("memory")))  # no other run starts from it
    real, parsed = store.parse, []

    def parse(line):
        parsed.append(line)
        return real(line)

    monkeypatch.setattr(store, "parse", parse)
    assert CliRunner().invoke(cli.main, ["show", run]).exit_code == 0
    assert len(parsed) == 1


def test_a_reader_that_has_seen_enough_is_no_error():
    shell = f"{shlex.quote(sys.executable)} -m abstractor_lib.cli claims | head -n 1"
    found = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert len(found.stdout.splitlines()) == 1
    assert found.stderr == ""

"""Notebooks: the driver against papermill's traps, with a real kernel; the sources' rules."""

import ast
import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from abstractor_lib import paths
from abstractor_lib.pages import index, notebooks, reproduce
from abstractor_lib.pages.notebooks import NotebookFailed
from abstractor_lib.pages.reproduce import hash_of
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import live

HEADER = """# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% tags=["parameters"]
profile: str = "laptop"  # which records
count: int = 2  # how many

# %%
"""


@pytest.fixture
def source(tmp_path):
    def write(body):
        path = tmp_path / "00_test.py"
        path.write_text(HEADER + body)
        return path

    return write


@pytest.mark.slow
def test_a_notebook_runs_with_parameters_and_leaves_no_traces(source):
    body = "import time\nprint(profile, count + 1)\ntime.sleep(0.01)\n"
    first = notebooks.execute(source(body), {"count": 5})
    second = notebooks.execute(source(body), {"count": 5})
    assert first == second  # no timings, no random ids
    assert first.cells[-1].outputs[0]["text"] == "laptop 6\n"
    assert "touch" not in json.dumps(first)
    assert "papermill" not in first.metadata


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise KeyError('lost')\n", "00_test, cell .*: KeyError: 'lost'"),
        ("import os\nos._exit(1)\n", "00_test"),
        ("import time\ntime.sleep(60)\n", "00_test"),
    ],
    ids=["error", "dead kernel", "too long"],
)
def test_failures_are_seen(source, body, message):
    with pytest.raises(NotebookFailed, match=message):
        notebooks.execute(source(body), {}, timeout=3)


@pytest.mark.slow
def test_a_notebook_whose_grid_is_incomplete_says_so_and_ends(source):
    body = (
        "from abstractor_lib.reporting.study import Study\n"
        "from abstractor_lib.records.workspace import Workspace\n"
        "study = Study('robust_recovery', Workspace('paper', fresh=True))\nprint('first')\n\n"
        "# %%\nstudy.table('described')\n\n# %%\nprint('never')\n"
    )
    *_, first, ended, never = notebooks.execute(source(body), {}).cells
    assert first.outputs[0]["text"] == "first\n"
    assert ended.outputs[0]["output_type"] == "stream"
    assert ended.outputs[0]["text"] == (
        "not run: robust_recovery, described, paper: not computed; to compute it, "
        "give this notebook the parameter compute=True, or: "
        "abstractor run robust_recovery --profile paper --fresh\n"
    )
    assert not never.outputs
    assert len(notebooks.execute(source(body), {}).cells) == 4  # papermill's marks are gone


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cuont": 3}, "parameter 'cuont' is unknown; allowed: profile, count"),
        ({"count": "3"}, "parameter count is '3'; expected int"),
        ({"count": 3.0}, "parameter count is 3.0; expected int"),
    ],
)
def test_bad_parameters_run_nothing(source, given, message):
    with pytest.raises(ValueError, match=message):
        notebooks.execute(source("raise SystemExit\n"), given)


@pytest.mark.parametrize(
    "line",
    [
        "size = 3  # untyped",
        "size: int = 3",
        "size: int = 2 * 3  # derived",
        'k: str = "a=b"  # sign',
    ],
)
def test_the_parameters_cell_holds_typed_literals(source, line):
    path = source("")
    path.write_text(path.read_text().replace("count: int = 2  # how many", line))
    with pytest.raises(ValueError, match="is not `name: type = literal  # help`"):
        notebooks.parameters(notebooks.read(path))


def test_a_comment_in_the_parameters_cell_is_for_its_reader(source):
    path = source("")
    declared = notebooks.parameters(notebooks.read(path))
    text = path.read_text().replace("count: int", "# how one calls it\ncount: int")
    path.write_text(text)
    assert notebooks.parameters(notebooks.read(path)) == declared


SOURCES = notebooks.sources()


def long_lines(code):
    """Lines beyond 100 columns but for those that a sentence, a string, makes so long."""
    strings = [
        range(node.lineno, node.end_lineno + 1)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.JoinedStr | ast.Constant)
        and isinstance(getattr(node, "value", ""), str)
    ]
    lines = enumerate(code.splitlines(), start=1)
    return [line for n, line in lines if len(line) > 100 and not any(n in text for text in strings)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_sources_keep_the_house_rules(path):
    notebook = notebooks.read(path)
    wanted = {"profile", "fresh"} | (
        {"compute"} if index.notebook_experiments(path.stem) else set()
    )
    assert wanted <= {one.name for one in notebooks.parameters(notebook)}
    if "compute" in wanted:  # its first lines say how it is run, and the question comes first
        first, call, *_ = notebook.cells
        assert f"papermill {path.stem}.ipynb out.ipynb -p profile smoke" in call.source
        assert first.source.split("\n\n")[1].startswith("**Question.**")
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        assert ("hide-input" in tags) == cell.metadata.get("jupyter", {}).get(
            "source_hidden", False
        )
        if cell.cell_type != "code":
            fenced = re.sub("```.*?```", "", cell.source, flags=re.DOTALL)
            lines = [line for line in fenced.splitlines() if not line.startswith("|")]
            assert [line for line in lines if len(line) > 98] == []  # with "# " before them 100
            continue
        assert len(cell.source.splitlines()) <= 15 or cell.source.startswith(("import", "from")), (
            cell.source
        )
        assert "def " not in cell.source
        assert "sys.path" not in cell.source
        assert not long_lines(cell.source)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_executed_notebooks_are_up_to_date(path):
    """If this fails: ``abstractor reproduce``, and commit what it writes."""
    executed = path.with_suffix(".ipynb")
    records = hash_of(path.stem, Workspace())
    assert notebooks.read_stamp(executed) == notebooks.stamp(path, records)
    assert notebooks.faults(path) == []


def test_a_folder_that_html_names_too_is_no_path_of_this_machine(monkeypatch):
    monkeypatch.setattr(paths, "root", lambda: Path("/code"))
    shown = "<code>x</code> </code> /codebook", "in /code/x.py", "'/code'", "executed in /code."
    assert [bool(notebooks._here().search(one)) for one in shown] == [False, True, True, True]


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def table(html):
    return {"output_type": "display_data", "data": {"text/html": [html]}, "metadata": {}}


def shown(function, old, new):
    """A function's source as a notebook shows it, of a time when it read otherwise."""
    text = live.source(function).data
    assert old in text or old == new
    return {"output_type": "display_data", "data": {"text/markdown": text.replace(old, new, 1)}}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda cell: cell.update(source="print(4)"), "its cells are not those of 00_test.py"),
        (lambda cell: cell.update(id="3f9a1c2b"), "its cells have random ids"),
        (lambda cell: cell["metadata"].update(execution={}), "its metadata say more than tags"),
        (lambda cell: cell["outputs"].append(stream("Wall time: 3 s")), "a time, 'Wall time'"),
        (lambda cell: cell["outputs"].append(stream("9/9, 3.21it/s")), "a time, '1it/s'"),
        (lambda cell: cell["outputs"].append(table("in /home/me/x.py")), "a path of a machine"),
        (lambda cell: cell["outputs"].append(table("in C:\\x.py")), "a path of a machine"),
        (lambda cell: cell["outputs"].append(table(str(paths.root()))), "the folder that it was"),
        (lambda cell: cell["outputs"].append(stream("old", "stderr")), "cell 1 shows a warning"),
        (lambda cell: cell["outputs"].append({"output_type": "error"}), "cell 1 shows an error"),
        (lambda cell: cell["outputs"].append(stream("long" * 200_000)), "bytes; allowed: 500000"),
        (lambda cell: cell["outputs"].append(shown(live.seed, "(spec)", "(1)")), "reporting.live"),
        (lambda cell: cell["outputs"].append(shown(live.seed, "live.", "gone.")), "reporting.gone"),
    ],
)
def test_faults_of_executed_notebooks_are_named(source, change, fault):
    path = source("print(3)\n")
    executed = notebooks.tidy(notebooks.read(path))
    for cell in executed.cells:
        cell.outputs = [stream("3\n"), {**table(""), "data": {"image/png": "aa/tmp/aa"}}]
        cell.outputs.append(shown(live.seed, "", ""))
    target = path.with_suffix(".ipynb")
    target.write_text(json.dumps(executed))
    assert notebooks.faults(path) == []
    change(executed.cells[1])
    target.write_text(json.dumps(executed))
    (found,) = notebooks.faults(path)
    assert found.startswith("00_test.ipynb: ") and fault in found
    target.unlink()
    assert "abstractor reproduce --only 00" in notebooks.faults(path)[0]


def test_what_a_cell_printed_is_one_output_however_the_kernel_sent_it(source):
    executed = notebooks.read(source("print(3)\n"))
    pieces = [stream("3\n"), stream("4\n"), stream("a warning\n", "stderr"), stream("5\n")]
    executed.cells[1].outputs = pieces
    joined = notebooks.tidy(executed).cells[1].outputs
    assert [output["text"] for output in joined] == ["3\n4\n", "a warning\n", "5\n"]


def test_a_long_table_is_kept_once(source):
    executed = notebooks.read(source("print(3)\n"))
    short, long = "a  b\n1  2", "a  b\n" + "1  2\n" * 1000
    for plain, kept in ((short, short), (long, notebooks.ELSEWHERE)):
        both = nbformat.v4.new_output(
            "execute_result", {"text/plain": plain, "text/html": "<table>"}
        )
        executed.cells[1].outputs = [both]
        assert notebooks.tidy(executed).cells[1].outputs[0].data["text/plain"] == kept
    executed.cells[1].outputs = [nbformat.v4.new_output("execute_result", {"text/plain": long})]
    assert notebooks.tidy(executed).cells[1].outputs[0].data["text/plain"] == long


CLAIM = """
[[claim]]
id = "one_more"
item = "txt_v1_5a"
paper = "v1"
section = "5"
origin = "control"
place = "of this test"
figure = "txt_v1_5a_one_more"
statement = "One more."
kind = "greater"
source = "no number"
experiment = "memory"
protocols = ["described"]
measure = "largest"
"""


@pytest.mark.parametrize(
    ("name", "content", "changed"),
    [
        ("claims.toml", CLAIM, {"09_memory"}),
        ("published/sorting_epochs.csv", "one more\n", {"02_object_sorting"}),
        ("published/of_another_section.csv", "one more\n", set()),
        ("index.toml", "# one more\n", {"00_start_here", "90_your_own_task"}),
    ],
)
def test_what_a_section_adds_leaves_other_notebooks_up_to_date(
    tmp_path, monkeypatch, name, content, changed
):
    shutil.copytree(paths.data(), tmp_path, dirs_exist_ok=True, ignore=lambda *_: ["records"])
    monkeypatch.setattr(paths, "data", lambda: tmp_path)
    before = {path.stem: notebooks.stamp(path, "records") for path in SOURCES}
    with (tmp_path / name).open("a") as file:
        file.write(content)
    after = {path.stem: notebooks.stamp(path, "records") for path in SOURCES}
    assert {stem for stem in after if after[stem] != before[stem]} == changed


def test_a_notebook_has_a_title(source):
    with pytest.raises(ValueError, match=r"00_test\.py has no line `# # Title`"):
        notebooks.title(source(""))
    assert notebooks.title(source("# %% [markdown]\n# # A title\n")) == "A title"


def test_an_unknown_notebook_is_bad_input():
    with pytest.raises(ValueError, match="--only is '99'; allowed: 00_start_here, 01"):
        notebooks.find("99")
    assert notebooks.find("01") == paths.root() / "notebooks" / "01_order_relations.py"


@pytest.mark.slow
def test_one_notebook_reads_its_own_records_and_leaves_pages_alone(monkeypatch):
    """README.md and CLAIMS.md tell of all records: they are written with all notebooks."""
    read, said, real = [], [], Workspace.records

    def records(self, name):
        read.append(name)
        return real(self, name)

    monkeypatch.setattr(Workspace, "records", records)
    monkeypatch.setattr(
        notebooks, "side_by_side", lambda tasks, count, jobs: [task.source.stem for task in tasks]
    )
    monkeypatch.setattr(reproduce, "update_pages", lambda: {"CLAIMS.md": True, "README.md": False})
    reproduce.reproduce([notebooks.find("06")], Workspace(), False, said.append)
    assert said == ["06_message_passing"]
    assert set(read) == set(index.notebook_experiments("06_message_passing")) != set()
    said.clear()
    reproduce.reproduce(notebooks.sources(), Workspace(), False, said.append)
    assert len(said) == len(SOURCES) + 2
    assert said[-2:] == ["CLAIMS.md: rewritten", "README.md: unchanged"]
    said.clear()
    reproduce.reproduce(notebooks.sources(), Workspace("smoke"), False, said.append)
    assert len(said) == len(SOURCES)

"""The command line as a person uses it: in a process of its own."""

import functools
import gzip
import json
import math
import os
import subprocess
import sys
from collections import Counter

import pytest
from click.testing import CliRunner

from abstractor_lib import cli, experiments, paths
from abstractor_lib.cli import printing
from abstractor_lib.cli.extras import lacking
from abstractor_lib.execution import compute, driver
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.records import store
from abstractor_lib.records.files import contents
from abstractor_lib.records.packing import pack
from abstractor_lib.records.workspace import Workspace


def abstractor(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "abstractor_lib.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


@functools.cache
def told(*arguments, encoding="utf-8"):
    """What a command prints that only reads what ships; it is asked once."""
    found = abstractor(*arguments, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_json_has_null_for_an_end_without_a_bound(capsys):
    printing.rows([{"low": -math.inf, "high": math.inf, "n": 3}], True, [])
    assert json.loads(capsys.readouterr().out) == [{"low": None, "high": None, "n": 3}]


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (
            "status",
            {"experiment", "profile", "protocol", "runs", "found", "stale", "missing", "why"},
        ),
        (
            "claims",
            {
                *("id", "item", "paper", "statement", "protocol", "published"),
                *("measured", "low", "high", "n", "verdict", "note"),
            },
        ),
        (
            "index",
            {
                *("id", "paper", "title", "status", "reason", "notebook"),
                *("files", "test", "aliases", "experiment", "runs", "seconds"),
            },
        ),
    ],
)
def test_json_and_nothing_else(command, fields):
    rows = json.loads(told(command, "--json"))
    assert rows
    assert all(set(row) >= fields for row in rows)
    plain = told(command)
    assert all(row.get("id", "") in plain for row in rows)
    assert max(map(len, plain.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "chess"], "EXPERIMENT is 'chess'; allowed:\norder"),
        (["run", "order", "--profile", "huge"], "'huge' is not one of 'smoke', 'laptop', 'paper'"),
        (["run", "order", "--protocol", "ideal"], "'ideal' is not one of"),
        (["run", "order", "--shard", "5/4"], "--shard is '5/4'; expected i/k"),
        (["run", "order", "--jobs", "0"], "0 is not in the range"),
        (["run", "order", "--backend", "dask"], "'dask' is not one of 'loky', 'ray'"),
        (["run", "order", "--address", "a:1"], "--address is 'a:1'; it is of a Ray cluster"),
        (["reproduce", "--only", "42"], "--only is '42'; allowed: 00_start_here, 01"),
        (["audit", "--budget", "-1"], "--budget is -1.0; expected seconds above zero"),
        (["reproduce", "--audit", "nan"], "--audit is nan; expected seconds, 0 for none"),
        (["audit", "--budget", "nan"], "--budget is nan"),
        (["run", "order", "--out", "/proc/none/x.jsonl"], "is in a directory that does not exist"),
        (["audit", "--experiment", "chess"], "EXPERIMENT is 'chess'"),
        (["show", "zzz"], "RUN is 'zzz'; no record has it"),
        (["claims", "zzz"], "NAME is 'zzz'; no claim begins so"),
        (["show", ""], "records begin so"),
        (["export", "chess"], "EXPERIMENT is 'chess'"),
        (["pack", "chess"], "EXPERIMENT is 'chess'; allowed:\norder"),
        (["pack"], "Missing argument 'EXPERIMENT...'"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments, message):
    before = sorted(paths.data().rglob("*"))
    found = CliRunner().invoke(cli.main, arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr
    assert sorted(paths.data().rglob("*")) == before


def test_a_gpu_that_is_not_there_is_one_sentence_and_status_2():
    """In a process of its own, which is given none."""
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    found = abstractor("run", "order", "--device", "cuda", env=hidden)
    assert found.returncode == 2
    assert "this torch finds no CUDA device" in found.stderr
    assert "Traceback" not in found.stderr


def test_claims_are_told_in_words_that_fit_whose_they_are():
    plain, rows = told("claims"), json.loads(told("claims", "--json"))
    lines = plain.splitlines()
    for row in rows:
        (line,) = [k for k, text in enumerate(lines) if row["id"] in text.split()]
        late = any(one["post_hoc"] for one in rows if one["id"] == row["id"])
        marks = f"{'*' if late else ' '}{'=' if row['certain'] else ' '} "
        assert lines[line].startswith(marks)
    ours = [row["id"] for row in rows if row["origin"] == "control"]
    about = [line for line in lines if any(name in line.split() for name in ours)]
    assert not any(word in line for line in about for word in ("holds", "fails", "supported"))
    assert "The paper states" in plain
    assert "Controls of ours" in plain
    assert "+ holds" in told("claims", encoding="ascii")


def test_faults_of_notebooks_are_told_with_status_1(monkeypatch):
    from abstractor_lib.pages import notebooks

    monkeypatch.setattr(notebooks, "faults", lambda source: [f"{source.stem}.ipynb: a fault"])
    found = CliRunner().invoke(cli.main, ["check"])
    assert found.exit_code == 1
    assert "01_order_relations.ipynb: a fault" in found.output


def test_the_index_says_why_an_item_is_open():
    plain = told("index")
    for row in json.loads(told("index", "--json")):
        assert row["status"] == "done" or row["reason"][:70] in plain


def test_the_help_says_what_each_command_does_in_whole_sentences():
    plain = told("--help")
    assert "..." not in plain.partition("Commands:")[2]
    assert max(map(len, plain.splitlines())) <= 80


@pytest.mark.slow
def test_claims_of_runs_that_were_not_trained_anew_are_not_run():
    rows = json.loads(abstractor("claims", "--fresh", "--profile", "paper", "--json").stdout)
    decided = {row["id"] for row in rows if row["verdict"] != "not run" and not row["certain"]}
    assert decided == {"mathematics_v3_sample_efficiency"}  # of the authors' logs, which ship


def test_a_claim_in_full():
    """What `--json` tells of it, in words: of each protocol its interval and trials."""
    name = "order_v3_abstractor_learns"
    plain = told("claims", name)
    words = " ".join(plain.split())
    rows = [one for one in json.loads(told("claims", "--json")) if one["id"] == name]
    for one in (one for one in rows if one["verdict"] != "not run"):
        low, high = one["low"], one["high"]
        shown = f"✓ holds, post hoc: {one['measured']:.3f} [{low:.3f}, {high:.3f}]"
        assert f"- {one['protocol']}: {shown}" in words
        assert f"; the paper has 0.936; {one['note'].removesuffix('; post hoc')}." in words
    lacking = [one for one in rows if one["verdict"] == "not run"]
    assert words.count(": · not run") == len(lacking)
    assert {one["protocol"] for one in rows} == set(PROTOCOLS)
    assert max(map(len, plain.splitlines())) <= 80


def test_a_malformed_record_is_named(tmp_path):
    path = tmp_path / "order.jsonl"
    path.write_text("{}\n")
    found = abstractor("run", "order", "--profile", "smoke", "--out", str(path))
    assert found.returncode == 2
    assert "order.jsonl, line 1, lacks the field 'run'" in found.stderr
    assert path.read_text() == "{}\n"


@pytest.mark.slow
def test_run_computes_what_is_missing_and_then_nothing(tmp_path):
    path = tmp_path / "order.jsonl"
    arguments = [
        "run",
        "order",
        "--profile",
        "smoke",
        "--protocol",
        "described",
        "--out",
        str(path),
    ]
    planned = abstractor(*arguments, "--dry-run")
    runs = len(experiments.get("order").grid("smoke", "described"))
    first, second = (runs + 1) // 2, runs // 2
    assert f"{runs} missing" in planned.stdout
    assert max(map(len, planned.stdout.splitlines())) <= 80
    assert "core hours" in planned.stdout
    assert not path.exists()
    share = abstractor(*arguments, "--shard", "1/2", "--jobs", "1")
    assert (share.returncode, f"{first} runs computed" in share.stdout) == (0, True)
    assert f"{second} missing" in abstractor(*arguments, "--dry-run").stdout
    resumed = abstractor(*arguments, "--shard", "1/2", "--jobs", "1")
    assert "0 runs computed" in resumed.stdout  # a share is a share of the grid, not of the rest
    rest = abstractor(*arguments, "--jobs", "2")
    assert f"{second} runs computed" in rest.stdout, rest.stderr
    assert "0 runs computed" in abstractor(*arguments).stdout
    assert "Nothing is missing." in abstractor(*arguments, "--dry-run").stdout
    assert len(store.load(path)) == runs
    pack(path)
    for name in (path, f"{path}.gz"):  # packed records are found, whichever file is named
        planned = abstractor(*arguments[:-1], str(name), "--dry-run").stdout
        assert "Nothing is missing." in planned


@pytest.fixture
def computed(monkeypatch):
    """Counts the runs of each experiment that are computed in this process."""
    real, counts = compute.record, Counter()

    def record(spec, *given):
        counts[spec.experiment] += 1
        return real(spec, *given)

    monkeypatch.setattr(compute, "record", record)
    return counts


@pytest.mark.slow
def test_fresh_computes_what_is_asked_for_anew_and_that_alone(workspace_in, tmp_path, computed):
    """Models that its runs start from, computed before, are used as they are."""
    workspace = workspace_in(tmp_path)
    driver.complete(["robust_recovery"], workspace, jobs=1)
    size = len(workspace.records("robust_recovery"))
    specs = experiments.get("robust_recovery").grid("smoke", "described")
    start = {two.spec.id: two.spec for one in specs for two in one.parents.values()}
    parents = Counter(one.experiment for one in start.values())
    assert size == len(specs) and set(parents) == {"order", "sorting"}
    assert computed == parents + Counter(robust_recovery=size)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    computed.clear()
    driver.complete(["robust_recovery"], workspace, jobs=1)
    assert not computed  # what is recorded is not computed again
    workspace.forget("robust_recovery")
    driver.complete(["robust_recovery"], workspace, jobs=1)
    assert computed == {"robust_recovery": size}
    for path, content in before.items():
        assert (path.read_bytes() == content) or path == workspace.file("robust_recovery")
    assert len(workspace.records("robust_recovery")) == size
    computed.clear()
    driver.complete(["robust_recovery"], workspace_in(tmp_path, fresh=False), jobs=1)
    assert computed == {}


def test_a_second_driver_is_told_the_first_ones_pid(tmp_path):
    path = tmp_path / "order.jsonl"
    with store.writer(path):
        found = abstractor("run", "order", "--profile", "smoke", "--out", str(path))
    assert found.returncode == 2
    assert f"is being written by process {os.getpid()}" in found.stderr


def test_show_and_export():
    listing = abstractor("export", "order").stdout.splitlines()
    assert listing[0].startswith("run,protocol,draw,model,size,variant,trial")
    run = listing[1].split(",")[0]
    record = json.loads(abstractor("show", run[:16], "--json").stdout)
    assert record["run"] == run


def elsewhere(*arguments):
    """The command with a folder of data of its own, in a process that must not import torch."""
    return (
        "import sys\n"
        "from pathlib import Path\n"
        "from abstractor_lib import cli, paths\n"
        "paths.data = lambda: Path.cwd()\n"
        f"status = cli.main({list(arguments)!r}, standalone_mode=False)\n"
        "assert 'torch' not in sys.modules\n"
        "sys.exit(status)\n"
    )


def test_pack_says_what_it_did_and_what_it_cannot_do(tmp_path):
    shipped, path = Workspace(), tmp_path / "records" / "order.jsonl"
    path.parent.mkdir()
    before = b"".join(contents(shipped.file("order")).values())
    path.write_bytes(before)
    (path.parent / "kernels.jsonl.gz").write_bytes(b"no gzip file")

    def call(*names):
        command = [sys.executable, "-c", elsewhere("pack", *names)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    for names, message in (
        (["order", "sorting"], "EXPERIMENT is 'sorting'; it has no records to pack"),
        (["kernels"], "kernels.jsonl.gz is not a whole gzip file"),
    ):
        found = call(*names)
        assert (found.returncode, found.stdout) == (2, "")
        (sentence,) = found.stderr.splitlines()
        assert message in sentence
        assert path.read_bytes() == before
    found = call("order")
    (file,) = path.parent.glob("order.*")
    after = file.stat().st_size
    assert (file.name, after < len(before) / 4) == ("order.jsonl.gz", True)
    assert found.stdout == f"order: {len(before):,} bytes before, {after:,} bytes after\n"
    assert gzip.decompress(file.read_bytes()) == before
    again = call("order")
    assert again.stdout == f"order: {after:,} bytes before, {after:,} bytes after\n"


def test_commands_that_do_not_compute_do_not_import_torch():
    code = (
        "import sys\n"
        "from abstractor_lib import cli, experiments\n"
        "experiments.by_name()\n"  # remembered answers need none of them
        "for command in (['status'], ['claims'], ['run', 'order', '--dry-run']):\n"
        "    cli.main(command, standalone_mode=False)\n"
        "assert 'abstractor_lib.tasks.box_world' in sys.modules\n"
        "assert not {'torch', 'gymnasium'} & set(sys.modules)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


@pytest.mark.slow
def test_what_computes_imports_without_jupyter():
    """A machine with torch, the scientific packages, joblib, tqdm and click alone can compute."""
    code = """
import sys
class Absent:
    names = {"papermill", "jupytext", "nbformat", "nbclient", "jupyterlab", "ipykernel", "IPython",
             "safetensors", "seaborn", "traitlets", "statsmodels"}
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from abstractor_lib import cli, experiments
from abstractor_lib.execution import audit, compute, driver, plan
for spec in experiments.get("order").grid("smoke", "sound")[:1]:
    record, files = compute.record(spec)
    assert record["first_losses"] and not files
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


ABSENT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from abstractor_lib import cli
sys.argv = ["abstractor", *{arguments!r}]
cli.main()
"""


@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("click", ["--help"]),
        ("filelock", ["status"]),
        ("pandas", ["readme"]),
        ("matplotlib", ["readme"]),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_the_command_that_installs_it(
    package, arguments
):
    """Before the command can start, or when a subcommand needs it."""
    code = ABSENT.format(package=package, arguments=arguments)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout) == (2, "")
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"abstractor: the package {package} is not installed; pip install ")
    assert "'abstractor-companion[compute]'" in line


def test_a_module_of_ours_that_is_missing_is_an_error_of_ours():
    error = ModuleNotFoundError("No module named 'abstractor_lib.x'", name="abstractor_lib.x")
    with pytest.raises(ModuleNotFoundError, match=r"abstractor_lib\.x"):
        lacking(error)


def test_a_dry_run_counts_the_models_that_runs_start_from():
    """Networks embed the cards of `same_different`, none of them is there."""
    planned = told("run", "same_different", "--fresh", "--dry-run")
    lines = planned.splitlines()[-3:]
    wanted = [
        spec
        for name in PROTOCOLS
        for spec in experiments.get("same_different").grid("laptop", name)
    ]
    start = {one.spec.id for spec in wanted for one in spec.parents.values()}
    runs = f"{len(wanted) + len(start)} runs to compute"
    assert lines[0] == f"{runs}, {len(start)} of them models that others start from:"
    assert max(map(len, lines)) <= 80 and "core hours" in lines[1]
    seconds = [
        one["provenance"]["seconds"]
        for name in ("same_different", "cards")
        for one in Workspace().records(name).values()
    ]
    assert lines[2] == f"estimated from {len(seconds)} records"


def test_training_anew_says_that_it_goes_on_where_it_was(tmp_path, monkeypatch):
    from abstractor_lib.pages import reproduce

    for name in ("data", "notebooks"):
        (tmp_path / name).symlink_to(paths.root() / name)
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    asked = []
    monkeypatch.setattr(driver, "complete", lambda *_, anew: asked.append(anew))
    monkeypatch.setattr(reproduce, "reproduce", lambda *_: asked.append("shown"))
    command = ["reproduce", "--profile", "smoke", "--fresh", "--only", "08"]
    Workspace("smoke", fresh=True).begin(["sparse_recovery"])
    found = CliRunner().invoke(cli.main, command)
    assert "sparse_recovery: goes on after 0 runs of a call that did not come" in found.output
    assert asked == [True, "shown"]
    assert "goes on" not in CliRunner().invoke(cli.main, command).output  # it came to its end

"""A run of one's own, computed at smoke size, and that nothing which ships sees it."""

import hashlib
import json

import pytest
from click.testing import CliRunner

from abstractor_lib import cli, experiments, paths
from abstractor_lib.execution import compute
from abstractor_lib.experiments.own import changed, chosen
from abstractor_lib.pages import answers
from abstractor_lib.records import store
from abstractor_lib.records.workspace import Workspace

MINE = ["run", "order", "--profile", "smoke", "--model", "abstractor", "--size", "40"]
FASTER = ["--updates", "10", "--set", "learning_rate=3e-4"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder of runs of one's own, in place of ``build/own``."""
    real = Workspace.folder.fget
    folder = property(lambda self: tmp_path if self.own else real(self))
    monkeypatch.setattr(Workspace, "folder", folder)
    monkeypatch.setattr(Workspace, "scratch", property(lambda self: self.folder / "scratch"))
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(cli.main, list(arguments), prog_name="abstractor")


def shipped():
    """What every file is that ships with records, figures and pages."""
    folders = [paths.data(), paths.root() / "figures", paths.root() / "notebooks"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [paths.root() / "CLAIMS.md", paths.root() / "README.md"]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_run_of_ones_own_is_computed_and_told_beside_the_nearest_that_ships(own):
    before, grids = shipped(), answers.grids(Workspace())
    done = call(*MINE, *FASTER)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(len(line) for line in lines if str(own) not in line) <= 80
    assert lines[0] == "order, described: abstractor, size 40, learning_rate=3e-4, updates=10"

    order = experiments.get("order")
    base = chosen(order, "smoke", ["described"], "abstractor", 40)
    spec = changed(base, ["learning_rate=3e-4", "updates=10"])
    assert (spec.training.learning_rate, spec.training.updates) == (3e-4, 10)
    (record,) = store.load(own / "records" / "order.jsonl").values()
    assert record["run"] == spec.id
    expected, _ = compute.record(spec)
    assert record["metrics"] == expected["metrics"]  # the run that the settings say
    assert record["metrics"]["updates"] == [10, 10]

    others = Workspace().records("order")
    (heads,) = [line for line in lines if "which ships" in line]
    (nearest,) = [one for run, one in others.items() if run[:12] in heads.split()[1]]
    assert nearest["spec"]["model"]["name"] == "abstractor"
    (line,) = [line.split() for line in lines if line.startswith("test_accuracy ")]
    for cell, metrics in zip(line[1:], (record["metrics"], nearest["metrics"]), strict=True):
        values = metrics["test_accuracy"]
        assert float(cell) == pytest.approx(sum(values) / len(values), abs=1e-3)
    assert f"abstractor show {spec.id[:12]} prints it." in lines[-1]
    assert "records/order.jsonl, which no figure or verdict reads." in lines[-2]

    told = call("show", spec.id[:12])
    assert f"Run {spec.id[:12]}: order, described" in told.stdout
    assert json.loads(call("show", spec.id[:12], "--json").stdout) == record
    assert spec.id not in Workspace().records("order")
    assert spec.id not in Workspace("smoke").records("order")
    assert answers.grids(Workspace()) == grids
    assert shipped() == before

    again = call(*MINE, *FASTER)  # is not computed again
    assert again.stdout == done.stdout
    assert len(store.load(own / "records" / "order.jsonl")) == 1


@pytest.mark.parametrize(
    ("experiment", "model", "setting"),
    [
        ("sorting", "abstractor", "batch_size=16"),
        ("pretraining", "simple", "learning_rate=0.01"),  # starts from another run
        ("memory", "linear", "training.updates=3"),
    ],
)
def test_other_experiments_compute_runs_of_ones_own(own, experiment, model, setting):
    one = experiments.get(experiment)
    points = [
        one.columns(spec.canonical())
        for protocol in one.protocols
        for spec in one.grid("smoke", protocol)
    ]
    sizes = [point["size"] for point in points if point["model"] == model]
    given = ["--profile", "smoke", "--model", model, "--size", str(min(sizes)), "--set", setting]
    done = call("run", experiment, *given)
    assert done.exit_code == 0, done.output
    name, _, value = setting.removeprefix("training.").partition("=")
    records = store.load(own / "records" / f"{experiment}.jsonl")
    mine = [one for one in records.values() if one["spec"]["training"].get(name) == float(value)]
    assert len(mine) == 1
    assert mine[0]["run"] not in Workspace().records(experiment)


def test_a_dry_run_computes_nothing(own):
    done = call(*MINE, *FASTER, "--dry-run")
    assert done.exit_code == 0
    assert "1 runs to compute" in done.stdout
    assert "core hours" in done.stdout
    assert not list(own.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "abstractr"], "--model is 'abstractr'; allowed in order, smoke, "),
        (["--size", "41"], "--size is 41; allowed for abstractor in order, smoke, "),
        (["--set", "learning_rat=1"], "--set 'learning_rat' is no setting of order; near: "),
        (["--set", "learning_rate=fast"], "--set learning_rate is 'fast'; expected float"),
        (["--set", "dropout=-3"], "dropout"),
        (["--set", "embed=3", "--set", "heads=0", "--set", "key_dim=0"], "key_dim"),
        (["--fresh"], "--fresh is given with a run of your own"),
        (["--shard", "1/2"], "--shard is given with a run of your own"),
        (["--updates", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_input_is_one_sentence(own, arguments, message):
    done = call(*MINE, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(own.rglob("*.jsonl"))


def test_a_setting_alone_asks_which_model():
    done = call("run", "order", "--profile", "smoke", "--set", "learning_rate=1e-3")
    assert done.exit_code == 2
    assert "--model is missing; allowed in order, smoke, " in done.stderr

"""Workspaces: what ships, what does not, and what is forgotten."""

import dataclasses
import subprocess
import sys

import pytest
import torch

from abstractor_lib import experiments, paths
from abstractor_lib.records import store
from abstractor_lib.records.artifacts import packed
from abstractor_lib.records.packing import pack
from abstractor_lib.records.workspace import Workspace, named

OTHERS = [("smoke", False), ("smoke", True), ("laptop", True), ("paper", False), ("paper", True)]


def test_the_laptop_profile_ships():
    found, root = Workspace(), paths.root()
    assert found == Workspace("laptop", fresh=False) and found.ships
    assert found.file("order") == root / "data" / "records" / "order.jsonl"
    assert found.artifacts.folder == root / "data" / "artifacts"
    assert (found.figures, found.notebooks) == (root / "figures", root / "notebooks")
    assert found.scratch.is_relative_to(root / "build")


@pytest.mark.parametrize(("profile", "fresh"), OTHERS)
def test_all_others_stay_out_of_the_tree(profile, fresh):
    found, build = Workspace(profile, fresh), paths.root() / "build" / profile
    assert not found.ships
    written = (found.file("order"), found.artifacts.folder, found.figures, found.notebooks)
    assert all(path.is_relative_to(build) for path in (*written, found.scratch))
    assert found.artifacts.cache is None
    shipped = (paths.data() / "artifacts",)
    assert found.artifacts.others == (() if fresh else shipped)
    assert found.options == f"--profile {profile}{' --fresh' if fresh else ''}"


def test_nothing_is_written_by_looking(workspace):
    assert workspace.records("order") == {}
    assert not list(workspace.top.iterdir())
    with pytest.raises(dataclasses.FrozenInstanceError):
        workspace.profile = "paper"


def write(workspace, name, tensors, count=2):
    """Records of an experiment that leave an artifact each."""
    specs = experiments.get(name).grid("smoke", "described")[:count]
    with store.writer(workspace.file(name)) as writer:
        for spec, value in zip(specs, tensors, strict=True):
            file = workspace.artifacts.save(packed({"x": torch.tensor(value)}, {}))
            record = {
                "run": spec.id,
                "spec": spec.canonical(),
                "metrics": {},
                "first_losses": [],
                "curve": {},
                "provenance": {"device": "cpu", "seconds": 1.0, "peak_memory_mib": 1},
                "artifacts": {"weights/0": file},
            }
            writer.append(record)
    return {record["artifacts"]["weights/0"] for record in workspace.records(name).values()}


def test_the_profiles_own_records_count_beside_those_that_ship(workspace_in, tmp_path):
    own = write(workspace_in(tmp_path), "order", [1.0, 2.0])
    shipped = Workspace().records("order")
    beside = workspace_in(tmp_path, fresh=False).records("order")
    assert set(beside) > set(shipped) and len(beside) == len(shipped) + 2
    assert len(workspace_in(tmp_path).records("order")) == len(own) == 2


def test_weights_that_do_not_ship_are_those_computed_here(workspace_in, tmp_path):
    """A record that ships names weights that are not there; the own run has left others."""
    name, own = "pretraining", workspace_in(tmp_path, "paper", fresh=False)
    run, shipped = next(
        (run, one) for run, one in Workspace().records(name).items() if one.get("artifacts")
    )
    mine = {**shipped, "artifacts": dict.fromkeys(shipped["artifacts"], "0" * 64), "metrics": {}}
    with store.writer(own.file(name)) as writer:
        writer.append(mine)
    found = own.records(name)[run]
    assert found["metrics"] == shipped["metrics"] and found["artifacts"] == mine["artifacts"]


def test_what_was_begun_anew_goes_on_after_an_interruption(workspace):
    write(workspace, "order", [1.0, 2.0])
    workspace.begin(["order"])
    assert workspace.records("order") == {}
    write(workspace, "order", [1.0, 2.0])  # and an interruption
    write(workspace, "sorting", [1.0, 2.0])
    workspace.begin(["order", "sorting"])
    assert len(workspace.records("order")) == 2 and workspace.records("sorting") == {}
    workspace.end(["order", "sorting"])
    workspace.begin(["order"])
    assert workspace.records("order") == {}


def test_who_computes_may_ask_again(workspace):
    with workspace.one_at_a_time(), workspace.one_at_a_time():
        pass


@pytest.mark.parametrize("packed_ones", [(), ("order",), ("sorting",)])
def test_forgetting_an_experiment_forgets_that_experiment_alone(workspace, packed_ones):
    """Its records, packed or not, and the artifacts that no other record names."""
    mine = write(workspace, "order", [1.0, 2.0])
    theirs = write(workspace, "sorting", [2.0, 3.0])
    for name in packed_ones:
        pack(workspace.file(name))
    assert len(mine & theirs) == 1
    assert named(workspace.records("order")) == mine
    workspace.forget("order")
    assert workspace.records("order") == {}
    assert len(workspace.records("sorting")) == 2
    assert all(workspace.artifacts.load(name) for name in theirs)
    assert [workspace.artifacts.path(name) for name in mine - theirs] == [None]
    workspace.forget("order")  # nothing is there
    workspace.forget("sorting")
    assert not list(workspace.artifacts.folder.glob("*.safetensors"))


def test_what_another_process_writes_to_is_not_forgotten(workspace):
    mine = write(workspace, "order", [1.0, 2.0])
    with store.writer(workspace.file("order")), pytest.raises(store.Busy, match="is being written"):
        workspace.forget("order")
    assert all(workspace.artifacts.load(name) for name in mine)
    assert len(workspace.records("order")) == 2


def test_a_record_cannot_have_a_file_elsewhere_deleted(workspace):
    """It names, in place of a hash, a way out of the folder."""
    write(workspace, "order", [1.0, 2.0])
    victim = workspace.top / "victim.safetensors"
    victim.write_bytes(b"of somebody else")
    path = workspace.file("order")
    first, *others = path.read_text().splitlines()
    name = store.parse(first)["artifacts"]["weights/0"]
    path.write_text("\n".join([first.replace(name, "../../../../victim"), *others]) + "\n")
    before = path.read_bytes()
    with pytest.raises(store.BadRecord, match=r"order.jsonl, line 1, has artifacts that are not"):
        workspace.forget("order")
    assert victim.exists() and path.read_bytes() == before


def test_weights_that_ship_are_not_hidden_by_those_computed_here(workspace_in, tmp_path):
    name, own = "sorting", workspace_in(tmp_path, "paper", fresh=False)
    run, shipped = next(
        (run, one)
        for run, one in Workspace().records(name).items()
        if one.get("artifacts") and all(map(own.artifacts.path, one["artifacts"].values()))
    )
    with store.writer(own.file(name)) as writer:
        writer.append({**shipped, "artifacts": dict.fromkeys(shipped["artifacts"], "0" * 64)})
    assert own.records(name)[run] == shipped


def test_what_was_begun_is_named(workspace):
    assert workspace.begun(["order", "sorting"]) == []
    workspace.begin(["sorting"])
    assert workspace.begun(["order", "sorting"]) == ["sorting"]


def test_who_waits_says_so(workspace, capfd):
    code = (
        "import sys, time; from filelock import FileLock\n"
        "with FileLock(sys.argv[1]): print('held', flush=True); time.sleep(1)"
    )
    workspace.scratch.parent.mkdir(parents=True, exist_ok=True)
    path = workspace.scratch.parent / ".computing.lock"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with workspace.one_at_a_time():
            pass
    assert "waiting for another process that computes runs" in capfd.readouterr().err

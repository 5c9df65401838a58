"""The record store: what a killed writer, a merge or a typing error leaves."""

import json
import os
import subprocess
import sys
import time

import pytest

from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records import store
from abstractor_lib.records.spec import run_id


def make(index=0, device="cpu", value=0.5):
    spec = order.grid("smoke", "published")[index]
    return {
        "run": spec.id,
        "spec": spec.canonical(),
        "metrics": {"test_accuracy": [value, value]},
        "first_losses": [0.7],
        "curve": {},
        "provenance": {"device": device, "seconds": 1.0, "peak_memory_mib": 300},
    }


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "order.jsonl"
    with store.writer(file) as writer:
        for index in range(3):
            writer.append(make(index))
    return file


def test_round_trip(path):
    assert store.load(path) == {make(index)["run"]: make(index) for index in range(3)}
    assert store.load(path.with_name("absent.jsonl")) == {}


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_truncated_last_line_is_dropped_and_cut_before_the_next(path, cut, capsys):
    content = path.read_bytes()
    path.write_bytes(content[: -1 - cut])
    assert len(store.load(path)) == 2
    assert "dropped a truncated last line" in capsys.readouterr().err
    with store.writer(path) as writer:
        writer.append(make(3))
    assert set(store.load(path)) == {make(index)["run"] for index in (0, 1, 3)}


def test_a_last_line_that_lacks_only_its_end_counts(path):
    path.write_bytes(path.read_bytes()[:-1])
    assert len(store.load(path)) == 3
    with store.writer(path) as writer:
        writer.append(make(3))
    assert len(store.load(path)) == 4


def without(name):
    """A record whose spec lacks a part, under the id of that spec."""
    record = make()
    spec = {key: value for key, value in record["spec"].items() if key != name}
    return {**record, "spec": spec, "run": run_id(spec)}


def with_count(count):
    """A record whose spec has another number of trials."""
    spec = {**make()["spec"], "trials": {"first": 0, "count": count}}
    return {**make(), "spec": spec, "run": run_id(spec)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not a JSON object"),
        ("[1]", "is not a JSON object"),
        ('{"run": "a"}', "lacks the field 'spec'"),
        (
            json.dumps({**make(), "run": "0" * 64}),
            "has an id, 000000000000, that is not its spec's",
        ),
        (json.dumps(without("model")), "lacks model in its spec"),
        (json.dumps(make(value=float("nan"))), "NaN is not allowed"),
        (json.dumps(make(value=7e77)).replace("7e+77", "1e400"), "holds 1e400, which is too large"),
        (json.dumps(make(value=10**400)), "test_accuracy that is not a list of one number"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"a":' * 100_000, "is nested too deeply"),
        (json.dumps({**make(), "more": 1}), "has the field 'more'; allowed: artifacts, curve"),
        (json.dumps(without("protocol")), "lacks protocol in its spec"),
        (json.dumps(with_count("2")), "lacks count of its trials, 1 or more, in its spec"),
        (json.dumps(without("draw")), "lacks draw in its spec"),
        (json.dumps(without("parents")), "lacks parents in its spec"),
        (json.dumps({**make(), "artifacts": {"weights/0": "../../victim"}}), "has artifacts that"),
        (
            json.dumps({**make(), "provenance": {**make()["provenance"], "commit": [[]]}}),
            "has commit in its provenance that is neither text nor a number",
        ),
        (json.dumps(make(value="a")), "test_accuracy that is not a list of one number for each"),
        (json.dumps({**make(), "metrics": {"mse": [1.0]}}), "has mse that is not a list of one"),
        (json.dumps({**make(), "metrics": 0.5}), "has metrics that are not a JSON object"),
        (json.dumps({**make(), "provenance": {}}), "lacks device in its provenance"),
        (json.dumps({**make(), "first_losses": [[1]]}), "first_losses that are not a list of num"),
        (json.dumps({**make(), "fingerprint": [1]}), "has a fingerprint that is not lists of num"),
        (
            json.dumps({**make(), "artifacts": {"a": 1}}),
            "has artifacts that are not hashes of 64 hexadecimal digits by name",
        ),
    ],
)
def test_a_malformed_line_names_file_and_number(path, line, message):
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], line, *lines[1:]]) + "\n")
    with pytest.raises(store.BadRecord, match=rf"order.jsonl, line 2, .*{message}"):
        store.load(path)


def test_of_two_records_the_first_from_a_cpu_counts(tmp_path):
    path = tmp_path / "order.jsonl"
    with store.writer(path) as writer:
        for record in (make(device="GPU", value=0.1), make(value=0.2), make(value=0.3)):
            writer.append(record)
    (found,) = store.load(path).values()
    assert found["metrics"]["test_accuracy"] == [0.2, 0.2]


def test_the_artifacts_of_two_records_are_those_of_both(tmp_path):
    path = tmp_path / "order.jsonl"
    a, b, c, d = (letter * 64 for letter in "abcd")
    first, second = {"weights/0": a, "weights/1": b}, {"weights/1": c, "weights/2": d}
    with store.writer(path) as writer:
        writer.append({**make(), "artifacts": first})
        writer.append({**make(value=0.2), "artifacts": second})
    (found,) = store.load(path).values()
    assert found == {**make(), "artifacts": {**first, **second}}


def test_a_record_that_cannot_be_read_back_is_not_written(path):
    before = path.read_bytes()
    with store.writer(path) as writer, pytest.raises(ValueError, match="not JSON compliant"):
        writer.append(make(3, value=float("nan")))
    assert path.read_bytes() == before


def test_a_second_writer_is_told_who_holds_the_file(path):
    with store.writer(path), pytest.raises(store.Busy, match=f"process {os.getpid()}"):
        store.writer(path).__enter__()


def test_killing_the_writer_loses_nothing_that_was_written(path):
    """A process is killed while it appends; every line before is whole and the lock is free."""
    code = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
from test_store import make, store
from pathlib import Path
with store.writer(Path({str(path)!r})) as writer:
    for index in range(3, 40):
        writer.append(make(index))
        print(index, flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for _ in range(5):
        process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    process.stdin.close()
    assert len(store.load(path)) >= 8
    deadline = time.monotonic() + 5
    while True:
        try:
            with store.writer(path) as writer:
                writer.append(make(43))
            break
        except store.Busy:
            assert time.monotonic() < deadline
    assert make(43)["run"] in store.load(path)

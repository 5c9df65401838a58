"""Packed records: read by other tools, alike however lines are split, and never lost by a crash."""

import gzip
import os
import subprocess

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records import files, packing, store
from abstractor_lib.records.spec import dumps

SPECS = order.grid("smoke", "published")[:6]


def line(index=0, device="cpu", value=0.5, artifacts=None):
    """One line of a record file, without its end."""
    record = {
        "run": SPECS[index].id,
        "spec": SPECS[index].canonical(),
        "metrics": {"test_accuracy": [value, value]},
        "first_losses": [0.7],
        "curve": {},
        "provenance": {"device": device, "seconds": 1.0, "peak_memory_mib": 300},
    }
    return dumps(record | ({"artifacts": artifacts} if artifacts else {})).encode()


def text(lines):
    return b"".join(one + b"\n" for one in lines)


def zcat(path):
    """The lines that gzip itself finds in the packed file."""
    command = ["gzip", "-cd", files.packed(path)]
    return subprocess.run(command, capture_output=True, check=True).stdout.split(b"\n")[:-1]


LINES = [line(index, value=index / 10) for index in range(5)]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "order.jsonl"
    file.write_bytes(text(LINES))
    return file


def write(path, packed, plain):
    """Record files that hold these lines, written without the library."""
    files.packed(path).write_bytes(gzip.compress(text(packed)))
    path.write_bytes(text(plain))


def both(path):
    """What lies on disk."""
    return {file.name: file.read_bytes() for file in path.parent.glob("order.*")}


def test_other_tools_read_what_was_packed(path):
    before = store.load(path)
    packing.pack(path)
    assert zcat(path) == LINES
    assert list(both(path)) == ["order.jsonl.gz"]
    table = pandas.read_json(files.packed(path), lines=True)
    assert list(table["run"]) == [spec.id for spec in SPECS[:5]]
    assert store.load(path) == store.load(files.packed(path)) == before
    assert files.size(path) == files.packed(path).stat().st_size < len(text(LINES)) / 2


def test_the_same_lines_are_the_same_bytes(path, tmp_path):
    other = tmp_path / "elsewhere.jsonl"
    other.write_bytes(path.read_bytes())
    os.utime(other, (0, 0))
    for file in (path, other):
        packing.pack(file)
    assert files.packed(path).read_bytes() == files.packed(other).read_bytes()
    flags, *time = files.packed(path).read_bytes()[3:8]  # RFC 1952: no name, no time
    assert flags == 0 and time == [0, 0, 0, 0]


def test_runs_are_appended_to_the_plain_file_and_packed_behind_the_others(path):
    packing.pack(path)
    new = store.parse(line(5).decode())
    with store.writer(files.packed(path)) as writer:  # either name will do
        writer.append(new)
    assert path.read_bytes() == text([line(5)])
    assert zcat(path) == LINES
    assert len(store.load(path)) == 6
    packing.pack(files.packed(path))
    assert zcat(path) == [*LINES, line(5)]
    packing.pack(path)  # nothing is left to pack
    assert zcat(path) == [*LINES, line(5)]


def test_packed_files_merge_by_concatenation(path, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(text([LINES[4], line(5)]))
    for file in (path, other):
        packing.pack(file)
    merged = files.packed(tmp_path / "merged.jsonl")
    merged.write_bytes(files.packed(path).read_bytes() + files.packed(other).read_bytes())
    assert store.load(merged) == store.load(path) | store.load(other)
    assert len(store.load(merged)) == 6


HASHES = tuple(letter * 64 for letter in "abc")
any_line = st.builds(
    line,
    index=st.integers(0, 3),
    device=st.sampled_from(["cpu", "GPU"]),
    value=st.sampled_from([0.1, 0.2]),
    artifacts=st.dictionaries(st.sampled_from("ab"), st.sampled_from(HASHES), max_size=2),
)


@given(st.lists(any_line, max_size=8), st.data())
def test_any_split_loads_the_same_records(tmp_path_factory, lines, data):
    """Also where some lines are in both files, as a crash or a merge may leave them."""
    path = tmp_path_factory.mktemp("split") / "order.jsonl"
    path.write_bytes(text(lines))
    expected = store.load(path)
    end = data.draw(st.integers(0, len(lines)), label="packed lines end before")
    start = data.draw(st.integers(0, end), label="plain lines start at")
    write(path, lines[:end], lines[start:])
    assert store.load(path) == expected
    packing.pack(path)
    assert store.load(path) == expected
    assert not path.exists()
    found = zcat(path)
    assert set(found) == set(lines)
    assert found == lines or len(set(lines)) < len(lines)


@pytest.mark.parametrize("whole", [False, True])
def test_a_crash_loses_and_doubles_nothing(path, monkeypatch, whole):
    """It comes before or after the packed file is in place; the plain one is still there."""
    write(path, LINES[:2], LINES[2:])
    expected, real = store.load(path), os.replace

    def crash(*names):
        if whole:
            real(*names)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "replace", crash)
        packing.pack(path)
    assert zcat(path) == (LINES if whole else LINES[:2])
    assert path.read_bytes() == text(LINES[2:])
    assert store.load(path) == expected
    packing.pack(path)
    assert zcat(path) == LINES
    assert not path.exists()
    assert not list(path.parent.glob("*.part"))


def test_whoever_reads_while_lines_move_finds_all(path, monkeypatch):
    """The first of the two files is read, then all is packed, then the second is read."""
    write(path, LINES[:2], LINES[2:])
    real = files._read

    def read(file):
        content = real(file)
        monkeypatch.undo()
        packing.pack(path)
        return content

    monkeypatch.setattr(files, "_read", read)
    assert len(store.load(path)) == len(LINES)


def test_nothing_is_packed_while_another_process_writes(path):
    before = both(path)
    with (
        store.writer(path),
        pytest.raises(store.Busy, match=rf"order.jsonl is being .* {os.getpid()};"),
    ):
        packing.pack(path)
    assert both(path) == before


def test_a_truncated_last_line_is_not_packed(path, capsys):
    path.write_bytes(path.read_bytes()[:-9])
    packing.pack(path)
    assert zcat(path) == LINES[:4]
    assert "dropped a truncated last line" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["order.jsonl", "order.jsonl.gz"])
def test_a_malformed_line_is_named_and_nothing_is_packed(path, name):
    lines = ([LINES[0]], [LINES[1], b"{}", LINES[2]])
    write(path, *(lines if name == "order.jsonl" else reversed(lines)))
    before = both(path)
    for look in (store.load, packing.pack):
        with pytest.raises(store.BadRecord, match=rf"/{name}, line 2, lacks the field 'run'"):
            look(path)
    assert both(path) == before


def test_packed_lines_do_not_end_early(path):
    """Only a writer that appends leaves half a line."""
    files.packed(path).write_bytes(gzip.compress(text(LINES)[:-9]))
    with pytest.raises(store.BadRecord, match=r"order.jsonl.gz, line 5, is not a JSON object"):
        store.load(path)
    files.packed(path).write_bytes(gzip.compress(text(LINES)[:-1]))
    path.write_bytes(text([line(5)]))
    packing.pack(path)
    assert zcat(path) == [*LINES, line(5)]


@given(st.data())
def test_a_broken_packed_file_is_one_sentence(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("broken") / "order.jsonl"
    whole = gzip.compress(text(LINES))
    cut = data.draw(st.integers(0, len(whole) - 1))
    broken = data.draw(st.sampled_from([whole[:cut], text(LINES), whole + b"?"]))
    files.packed(path).write_bytes(broken)
    path.write_bytes(text(LINES))
    before = both(path)
    for look in (store.load, packing.pack):
        with pytest.raises(store.BadRecord, match=r"order.jsonl.gz is not a whole gzip file \(.+"):
            look(path)
    assert both(path) == before


def test_one_changed_byte_is_found_or_changes_nothing(path):
    """The checksum of gzip; beyond it stands the seal of each record."""
    packing.pack(path)
    whole, expected = files.packed(path).read_bytes(), store.load(path)
    for place in range(10, len(whole), 37):
        changed = bytearray(whole)
        changed[place] ^= 1
        files.packed(path).write_bytes(changed)
        with pytest.raises(store.BadRecord, match="is not a whole gzip file"):
            store.load(path)
    files.packed(path).write_bytes(whole)
    assert store.load(path) == expected


def test_a_file_that_unpacks_to_too_much_is_one_sentence(path, monkeypatch):
    """Packed or plain; no more of it is unpacked than the limit."""
    monkeypatch.setattr(files, "MOST", 1 << 20)
    before = store.load(path)
    bomb = gzip.compress(b"\n" * (1 << 24))
    assert len(bomb) < 1 << 15
    files.packed(path).write_bytes(bomb)
    for look in (store.load, packing.pack):
        with pytest.raises(store.BadRecord, match=r"order.jsonl.gz holds more than 1 MiB"):
            look(path)
    files.packed(path).unlink()
    assert store.load(path) == before
    path.write_bytes(b"\n" * ((1 << 20) + 1))
    with pytest.raises(store.BadRecord, match=r"order.jsonl holds more than 1 MiB"):
        store.load(path)

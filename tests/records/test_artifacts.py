"""Artifacts: files named by their content, written whole, by one process or by many."""

import json
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from abstractor_lib.records import artifacts
from abstractor_lib.records.artifacts import Artifacts, Damaged, digest, packed, unpacked

TENSORS = {"b.weight": torch.arange(6.0).view(2, 3), "a": torch.tensor([1, 2])}
WHOSE = {"experiment": "order", "run": "abc", "artifact": "weights/0"}


@pytest.fixture
def files(tmp_path):
    return Artifacts(tmp_path / "artifacts")


def test_tensors_come_back_and_bytes_repeat(files):
    content = packed(TENSORS, WHOSE)
    reversed_ = packed(dict(reversed(TENSORS.items())), dict(reversed(WHOSE.items())))
    assert content == packed(TENSORS, WHOSE) == reversed_
    name = files.save(content)
    assert name == digest(content)
    found = files.load(name)
    assert set(found) == set(TENSORS)
    assert all(torch.equal(found[key], value) for key, value in TENSORS.items())
    assert files.read(name) == content


def test_a_file_says_whose_it_is():
    """In the header that every reader of the format shows."""
    content = packed(TENSORS, WHOSE)
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    assert json.loads(header["__metadata__"]["provenance"]) == WHOSE


def test_a_view_is_packed_as_what_it_shows():
    wide = torch.arange(12.0).view(3, 4)
    assert torch.equal(unpacked(packed({"x": wide.T}, {}))["x"], wide.T)
    assert torch.equal(unpacked(packed({"x": wide[:, 1].requires_grad_()}, {}))["x"], wide[:, 1])


def test_a_file_that_is_there_is_left_alone_and_nothing_else_is_left(files):
    name = files.save(packed(TENSORS, WHOSE))
    before = files.path(name).stat().st_mtime_ns
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(files.save, [packed(TENSORS, WHOSE)] * 32))
    assert names == {name}
    assert files.path(name).stat().st_mtime_ns == before
    assert {path.name for path in files.folder.iterdir()} == {files.path(name).name, ".lock"}


def test_what_does_not_ship_is_written_aside(tmp_path):
    """And found there; where there is no other place, it lies with the rest."""
    both = Artifacts(tmp_path / "artifacts", tmp_path / "cache")
    content = packed(TENSORS, WHOSE)
    name = both.save(content, ships=False)
    assert both.path(name).parent == both.cache and not both.folder.exists()
    assert both.read(name) == content
    alone = Artifacts(tmp_path / "artifacts")
    assert alone.path(alone.save(content, ships=False)).parent == alone.folder


def test_a_writer_that_dies_leaves_no_half_a_file(files, monkeypatch):
    def dies(*given):
        raise OSError(28, "No space left on device")

    content = packed(TENSORS, WHOSE)
    monkeypatch.setattr("abstractor_lib.replacing.os.fsync", dies)
    with pytest.raises(OSError, match="No space left"):
        files.save(content)
    assert files.path(digest(content)) is None
    assert {path.name for path in files.folder.iterdir()} == {".lock"}
    with pytest.raises(Damaged, match=rf"the artifact {digest(content)[:12]} is not in artifacts/"):
        files.load(digest(content))
    monkeypatch.undo()
    assert files.load(files.save(content))


@pytest.mark.parametrize("damage", ["cut", "changed", "emptied"])
def test_a_damaged_file_is_named_and_nothing_is_made_of_it(files, damage):
    name = files.save(packed(TENSORS, WHOSE))
    path = files.path(name)
    content = path.read_bytes()
    changed = bytes([content[-1] ^ 1])
    path.write_bytes(
        {"cut": content[:-5], "changed": content[:-1] + changed, "emptied": b""}[damage]
    )
    with pytest.raises(
        Damaged, match=rf"^artifacts/{name}.safetensors is damaged: .*; delete"
    ) as it:
        files.load(name)
    assert "\n" not in str(it.value)


def test_what_does_not_ship_is_set_aside_in_the_cache(tmp_path):
    shipped = Artifacts(tmp_path / "shipped", tmp_path / "cache")
    one, other = packed({"x": torch.zeros(1)}, {}), packed({"x": torch.ones(1)}, {})
    names = [shipped.save(one), shipped.aside().save(other)]
    assert [shipped.path(name).parent.name for name in names] == ["shipped", "cache"]
    assert shipped.aside().path(names[0]) == shipped.path(names[0])
    own = Artifacts(tmp_path / "own")  # of a workspace that does not ship
    assert own.aside() == own


def test_large_files_go_to_the_cache_and_others_are_only_read(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "LARGE", 400)
    shipped = Artifacts(tmp_path / "shipped", tmp_path / "cache")
    small, large = packed({"x": torch.zeros(1)}, {}), packed({"x": torch.zeros(999)}, {})
    assert len(small) <= 400 < len(large)
    names = [shipped.save(one) for one in (small, large)]
    assert [shipped.path(name).parent.name for name in names] == ["shipped", "cache"]
    own = Artifacts(tmp_path / "own", others=(tmp_path / "shipped",))
    assert own.load(names[0])
    with pytest.raises(Damaged):
        own.load(names[1])
    own.forget(set(names))  # what it only reads stays
    assert shipped.load(names[0])
    shipped.forget({*names, "0" * 64})
    assert [shipped.path(name) for name in names] == [None, None]


@pytest.mark.parametrize(
    "name", ["../../victim", "0" * 63, "A" * 64, f"{'0' * 64}\n", "/etc/x", ""]
)
def test_a_name_that_is_no_hash_is_an_error_and_deletes_nothing(tmp_path, name):
    files = Artifacts(tmp_path / "build" / "artifacts")
    kept = files.save(packed(TENSORS, WHOSE))
    victim = tmp_path / "victim.safetensors"
    victim.write_bytes(b"of somebody else")
    for use in (files.path, files.read, files.load, lambda one: files.forget({kept, one})):
        with pytest.raises(ValueError, match="expected 64 hexadecimal digits"):
            use(name)
    assert victim.exists() and files.path(kept)


def file(header: bytes, length: int | None = None, content: bytes = b"\0" * 64) -> bytes:
    """A safetensors file with that header."""
    return struct.pack("<Q", len(header) if length is None else length) + header + content


HEADERS = {
    "a huge length": file(b"{}", 2**63),
    "no length": b"{}",
    "an empty one": file(b""),
    "no JSON": file(b'{"x": '),
    "deep JSON": file(b"[" * 100_000),
    "a list": file(b"[1, 2]"),
    "another type": file(b'{"x":{"dtype":"F99","shape":[1],"data_offsets":[0,64]}}'),
    "a huge shape": file(b'{"x":{"dtype":"F32","shape":[99999999999],"data_offsets":[0,64]}}'),
    "a tensor beyond its end": file(b'{"x":{"dtype":"F32","shape":[4],"data_offsets":[0,999]}}'),
}


@pytest.mark.parametrize("content", HEADERS.values(), ids=HEADERS)
def test_a_hostile_header_is_one_sentence(files, content):
    name = files.save(content)
    with pytest.raises(Damaged, match=rf"^the artifact {name[:12]} ") as it:
        files.load(name)
    assert len(str(it.value)) < 400


def test_a_file_says_which_run_left_it_or_nothing_that_can_be_read():
    assert artifacts.whose(packed(TENSORS, WHOSE)) == WHOSE
    for more in (b"{}", b'{"__metadata__":{}}', b'{"__metadata__":{"provenance":"["}}'):
        assert artifacts.whose(file(more)) == {}

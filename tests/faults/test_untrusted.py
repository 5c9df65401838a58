"""Files that nobody should trust, altered ten thousand times: each is accepted or told in a
sentence, and nothing outside the folder they lie in is touched."""

import json
import random
import struct
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from abstractor_lib import paths
from abstractor_lib.execution.audit import exchanged, unsealed
from abstractor_lib.findings import statements
from abstractor_lib.records import store
from abstractor_lib.records.artifacts import Artifacts, Damaged, packed, unpacked, whose
from abstractor_lib.records.seal import sealed

N = 10_000
MANY = settings(max_examples=N, deadline=None, derandomize=True)
ODD = [
    *(None, True, 0, -1, 1e308, 10**400, 0.5, "", "a", "../../../victim", "/etc/passwd", "\0"),
    *("\ud800", "x" * 5000, [], [[]], {}, {"": {}}, [None], {"dtype": "F64"}, "F64", 2**63),
]
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate")
STARTS = ("subprocess.Popen", "os.system", "os.exec", "socket.connect", "pickle.find_class")
SENTENCE = 1500  # letters at most


def places(value, path=()):
    """Where a JSON value has parts."""
    yield path
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from places(value[key], (*path, key))


def altered(value, chance):
    """A JSON value with one part replaced, left out or doubled."""
    value = json.loads(json.dumps(value))
    *path, last = chance.choice([one for one in places(value) if one])
    parent = value
    for key in path:
        parent = parent[key]
    how = chance.randrange(3)
    if how == 0:
        parent[last] = chance.choice(ODD)
    elif how == 1:
        del parent[last]
    elif isinstance(parent, dict):
        parent[chance.choice(["", "run", "seal", "../x", f"{last} "])] = parent[last]
    else:
        parent.insert(last, parent[last])
    return value


def damaged(content, chance):
    """Bytes with a few replaced, cut out or put in."""
    content = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        some = chance.randbytes(chance.choice([1, 1, 2, 9]))
        match chance.randrange(4):
            case 0:
                content[at : at + len(some)] = some
            case 1:
                del content[at : at + chance.choice([1, 8, 100])]
            case 2:
                content[at:at] = chance.choice([b"[" * 3000, b"{", b'"', b"1e999", b"NaN", some])
            case 3:
                content[at:at] = content[at : at + 40]
    return bytes(content)


@pytest.fixture(scope="module")
def touched():
    """Files that Python was asked to write or to delete since it was last asked, by any name."""
    found, hearing = [], [True]

    def hook(event, arguments):
        if not hearing:
            return
        written = (
            event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
        )
        if written or event in CHANGES:
            found.append(arguments[0])
        elif event in STARTS:
            found.append(event)

    sys.addaudithook(hook)  # for good: Python cannot take one away
    yield found
    hearing.clear()


def is_sentence(error):
    text = str(error)
    return text and "\n" not in text and len(text) < SENTENCE


@pytest.fixture(scope="module")
def line():
    records = store.load(paths.data() / "records" / "order.jsonl.gz").values()
    return min((one for one in records if "artifacts" in one), key=lambda one: len(str(one)))


def test_record_lines(line, tmp_path_factory, touched):
    top = tmp_path_factory.mktemp("records")
    artifacts, path = Artifacts(top / "artifacts"), top / "order.jsonl"
    text = json.dumps(line).encode()
    counts = {"accepted": 0, "refused": 0}

    @MANY
    @given(st.integers(0, 2**62), st.booleans())
    def check(seed, whole):
        chance = random.Random(seed)
        content = json.dumps(altered(line, chance)).encode() if whole else damaged(text, chance)
        if whole and chance.random() < 0.3:  # by somebody who knows how records are sealed
            content = json.dumps(sealed(json.loads(content))).encode()
        path.write_bytes(content + b"\n")
        touched.clear()
        try:
            records = store.load(path)
            for one in records.values():
                unsealed(one)
                exchanged(one, artifacts)
        except ValueError as error:
            assert is_sentence(error), error
            counts["refused"] += 1
        else:
            counts["accepted"] += 1
        assert not touched

    check()
    assert counts["accepted"] + counts["refused"] >= 10_000 and min(counts.values()) > 100


def test_headers_of_artifacts(touched):
    content = packed({"a": torch.arange(6.0).view(2, 3), "b": torch.ones(1)}, {"run": "x"})
    (length,) = struct.unpack("<Q", content[:8])
    header, rest = json.loads(content[8 : 8 + length]), content[8 + length :]
    counts = {"accepted": 0, "refused": 0}

    @MANY
    @given(st.integers(0, 2**62), st.booleans())
    def check(seed, whole):
        chance = random.Random(seed)
        if whole:
            text = json.dumps(altered(header, chance)).encode()
            file = struct.pack("<Q", len(text)) + text + rest
        else:
            file = damaged(content, chance)
        touched.clear()
        try:
            assert isinstance(whose(file), dict)
            tensors = unpacked(file)
        except Damaged as error:
            assert is_sentence(error), error
            counts["refused"] += 1
        else:
            assert all(isinstance(one, torch.Tensor) for one in tensors.values())
            counts["accepted"] += 1
        assert not touched

    check()
    assert sum(counts.values()) >= 10_000 and min(counts.values()) > 100


def test_claims_files(touched):
    blocks = (paths.data() / "claims.toml").read_text(encoding="utf-8").split("[[claim]]\n")
    pair = ("order_v3_abstractor_curve", "order_reason_abstractor_curve")  # one names the other
    chosen = [block for block in blocks if block.startswith(tuple(f'id = "{id}"' for id in pair))]
    text = "".join(f"[[claim]]\n{block}" for block in chosen)
    parse = statements._parse.__wrapped__
    assert len(parse(text)) == 2
    counts = {"accepted": 0, "refused": 0}

    @MANY
    @given(st.integers(0, 2**62))
    def check(seed):
        file = damaged(text.encode(), random.Random(seed)).decode(errors="replace")
        touched.clear()
        try:
            parse(file)
        except ValueError as error:
            assert is_sentence(error), error
            counts["refused"] += 1
        else:
            counts["accepted"] += 1
        assert not touched

    check()
    assert sum(counts.values()) >= 10_000 and min(counts.values()) > 100


def test_nothing_outside_is_deleted(workspace, line, tmp_path):
    """Forgetting an experiment deletes artifacts by names that its records give."""
    victim = tmp_path.parent / f"victim-{tmp_path.name}.safetensors"
    victim.touch()
    path = workspace.file("order")
    path.parent.mkdir(parents=True)
    name = f"../../{victim.stem}"
    path.write_text(json.dumps(sealed({**line, "artifacts": {"weights/0": name}})) + "\n")
    with pytest.raises(store.BadRecord):
        workspace.forget("order")
    assert victim.exists() and path.exists()

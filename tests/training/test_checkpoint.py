"""Checkpoints: what is saved comes back exactly, and what is damaged does not come back at all."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.training.checkpoint import Checkpoint

STATE = {
    "update": 3,
    "finished": False,
    "kept": {"0.weight": torch.tensor([[0.1, float("nan")], [float("-inf"), 1e-40]])},
    "moments": [{"step": torch.tensor(3.0), "buffer": None}],
    "order": torch.arange(6).view(2, 3).T,  # not contiguous
    "mask": torch.tensor([True, False]),
    "empty": torch.zeros(0, 4),
    "half": torch.tensor([1.5], dtype=torch.bfloat16),
    "losses": [0.1 + 0.2, float("nan"), 10**40],
}


def assert_equal(found, expected):
    """Equal to the last bit, NaN included, in type, shape and content."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name, value in expected.items():
            assert_equal(found[name], value)
    elif isinstance(expected, list):
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
    elif isinstance(expected, torch.Tensor):
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    else:
        assert found == expected or (found != found and expected != expected)


def test_what_is_saved_comes_back(tmp_path):
    Checkpoint(tmp_path / "run", "one").save(STATE)
    assert_equal(Checkpoint(tmp_path / "run", "one").load(), STATE)
    Checkpoint(tmp_path / "run", "one").save({"update": 4})
    assert Checkpoint(tmp_path / "run", "one").load() == {"update": 4}
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["checkpoint"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
        | st.text(alphabet=st.characters(exclude_categories=["Cs"]))
        | st.lists(st.floats(width=32, allow_nan=False)).map(torch.tensor),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("ab/0.:"), inner),
        max_leaves=8,
    )
)  # fmt: skip
def test_any_state_comes_back(tmp_path_factory, state):
    checkpoint = Checkpoint(tmp_path_factory.mktemp("run"))
    checkpoint.save({"state": state})
    assert_equal(checkpoint.load(), {"state": state})


def test_no_checkpoint_is_none_without_a_word(tmp_path, capsys):
    assert Checkpoint(tmp_path / "absent").load() is None
    assert capsys.readouterr().err == ""


def test_another_runs_checkpoint_is_refused(tmp_path, capsys):
    Checkpoint(tmp_path, "one").save(STATE)
    assert Checkpoint(tmp_path, "two").load() is None
    assert "the checkpoint belongs to another run; the run starts over" in capsys.readouterr().err


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    Checkpoint(folder, "one").save(STATE)
    return (folder / "checkpoint").read_bytes()


@given(place=st.integers(0, 10**6), flip=st.integers(1, 255) | st.none())
def test_a_damaged_file_is_refused(whole, tmp_path_factory, place, flip):
    """Cut off anywhere, or with one byte changed anywhere."""
    folder = tmp_path_factory.mktemp("damaged")
    place %= len(whole)
    changed = whole[:place]
    if flip is not None:
        changed += bytes([whole[place] ^ flip]) + whole[place + 1 :]
    (folder / "checkpoint").write_bytes(changed)
    assert Checkpoint(folder, "one").load() is None


def test_a_write_that_fails_leaves_the_last_state(tmp_path, monkeypatch, capsys):
    checkpoint = Checkpoint(tmp_path, "one")
    checkpoint.save({"update": 1})

    def fail(_):
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("abstractor_lib.replacing.os.fsync", fail)
        with pytest.raises(OSError, match="no space left"):
            checkpoint.save({"update": 2})
    assert checkpoint.load() == {"update": 1}
    assert len(list(tmp_path.iterdir())) == 1  # and no draft


def test_a_state_is_due_after_a_while(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("abstractor_lib.training.checkpoint.time.monotonic", lambda: now[0])
    checkpoint = Checkpoint(tmp_path, every_seconds=60)
    assert not checkpoint.due()
    now[0] += 60
    assert checkpoint.due()
    checkpoint.save({})
    assert not checkpoint.due()


def test_the_seconds_of_killed_processes_count(tmp_path):
    now = [100.0]

    def begin(identity="one"):
        return Checkpoint(tmp_path, identity, clock=lambda: now[0])

    def loaded(identity="one"):
        found = begin(identity)
        found.load()
        return found.before

    first = begin()
    assert first.load() is None and first.before == 0
    now[0] += 7
    first.save(STATE)
    now[0] += 5  # lost with the process
    second = begin()
    second.load()
    assert second.before == 7
    now[0] += 2
    second.save(STATE)
    assert loaded() == 9
    assert loaded("two") == 0
    file = tmp_path / "checkpoint"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert loaded() == 0

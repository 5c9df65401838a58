"""Seals: what a record is signed with, and what becomes of it where two records are one."""

import pytest

from abstractor_lib import experiments
from abstractor_lib.records.seal import intact, merged, seal, sealed, version
from abstractor_lib.records.workspace import Workspace

ONE, OTHER = "1" * 64, "2" * 64
RECORD = {"run": "a", "metrics": {"x": [1.0]}, "artifacts": {"weights/0": ONE}}


def first(record):
    """A record as earlier releases sealed it."""
    return {**record, "seal": seal(record, 1)}


def test_a_new_seal_stands_for_everything():
    record = sealed(RECORD)
    assert (version(record), intact(record)) == (2, True)
    for change in (
        {"artifacts": {"weights/0": OTHER}},
        {"artifacts": {}},
        {"metrics": {"x": [1.1]}},
        {"more": 1},
        {"seal": record["seal"][2:]},
    ):
        assert not intact({**record, **change}), change
    assert not intact(RECORD)


def test_an_earlier_seal_stays_valid_and_leaves_out_the_artifacts():
    record = first(RECORD)
    assert (version(record), intact(record)) == (1, True)
    assert intact({**record, "artifacts": {"weights/0": OTHER}})
    assert not intact({**record, "metrics": {"x": [1.1]}})


@pytest.mark.parametrize("kinds", [(sealed, sealed), (first, sealed), (sealed, first)])
def test_two_intact_records_are_one_intact_record_with_the_artifacts_of_both(kinds):
    more = {**RECORD, "artifacts": {"weights/0": OTHER, "weights/1": ONE}}
    known, added = (make(one) for make, one in zip(kinds, (RECORD, more), strict=True))
    found = merged(known, known, added)
    assert intact(found) and found["artifacts"] == more["artifacts"]
    assert version(found) == min(version(known), version(added))
    assert merged(known, known, known) == known


@pytest.mark.parametrize("broken", [0, 1])
def test_a_changed_record_is_not_mended_by_another_of_its_run(broken):
    pair = [sealed(RECORD), sealed(RECORD)]
    pair[broken] = {**pair[broken], "metrics": {"x": [2.0]}}
    assert not intact(merged(pair[0], *pair))
    del pair[broken]["seal"]
    assert not intact(merged(pair[0], *pair))


@pytest.mark.slow
def test_every_seal_that_ships_is_valid():
    for name in experiments.by_name():
        assert all(map(intact, Workspace().records(name).values())), name

"""Specs, run ids and their rules."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib import experiments
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.records.spec import (
    Spec,
    Trials,
    added,
    dumps,
    from_plain,
    read_spec,
    run_id,
    to_plain,
)


def first(protocol="published"):
    return order.grid("smoke", protocol)[0]


def test_against_hashlib():
    canonical = first().canonical()
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
    assert first().id == hashlib.sha256(text.encode()).hexdigest()
    assert canonical["schema"] == 1


def test_numbers_are_coerced_to_their_field():
    spec = first()
    same = replace(spec, training=replace(spec.training, min_delta=0, learning_rate=1e-3))
    other = replace(spec, training=replace(spec.training, min_delta=0.0))
    assert same.id == other.id
    assert replace(spec, task=replace(spec.task, train=5.0)).id == spec.id
    with pytest.raises(ValueError, match=r"train is 5.5; expected int"):
        _ = replace(spec, task=replace(spec.task, train=5.5)).id
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=rf"train is {value}; expected a finite number"):
            _ = replace(spec, task=replace(spec.task, train=value)).id
        with pytest.raises(ValueError, match=rf"min_delta is {value}; expected a finite number"):
            _ = replace(spec, training=replace(spec.training, min_delta=value)).id
    with pytest.raises(ValueError, match="pairs is 'some'; allowed: all, distinct"):
        _ = replace(spec, task=replace(spec.task, pairs="some")).id


def test_a_field_added_later_renames_nothing_at_its_default():
    @dataclass(frozen=True)
    class Before:
        size: int = 3

    @dataclass(frozen=True)
    class After:
        size: int = 3
        masked: bool = added(False)

    assert to_plain(Before()) == to_plain(After())
    assert to_plain(After(masked=True)) == {"size": 3, "masked": True}
    assert from_plain(After, {"size": 3}) == After()


@pytest.mark.parametrize("name", experiments.by_name())
def test_specs_round_trip_and_differ(name):
    experiment = experiments.get(name)
    for protocol in experiment.protocols:
        specs = experiment.grid("laptop", protocol)
        assert len({spec.id for spec in specs}) == len(specs)
        for spec in specs[:: max(1, len(specs) // 20)]:
            assert experiment.spec(json.loads(dumps(spec.canonical()))) == spec


@pytest.mark.parametrize("name", experiments.by_name())
def test_grids_ask_only_for_what_they_have(name):
    """One error for an unknown profile or protocol, whichever the experiment."""
    experiment = experiments.get(name)
    with pytest.raises(ValueError, match="profile is 'big'; allowed: smoke, laptop, paper"):
        experiment.grid("big", "described")
    with pytest.raises(ValueError, match="protocol is 'id'; allowed: described, published, sound"):
        experiment.grid("smoke", "id")
    assert not any(experiment.grid("smoke", one) for one in {*PROTOCOLS} - {*experiment.protocols})


def test_what_a_run_keeps_and_a_field_left_at_its_default_rename_nothing():
    spec = first()
    kept = replace(spec, keep=("weights/0",))
    assert (kept.id, kept) == (spec.id, spec)
    assert "keep" not in spec.canonical() and "test" not in spec.canonical()["task"]
    assert replace(spec, task=replace(spec.task, test=0.3)).id != spec.id


@dataclass(frozen=True)
class Block:
    width: int
    rate: float = 0.5


@dataclass(frozen=True)
class Tower:
    name: Literal["tall", "wide"]
    first: Block
    blocks: tuple[Block, ...] = ()
    last: Block | None = None
    masked: bool = added(False)
    extra: Block | None = added(None)


BLOCKS = st.builds(Block, st.integers(-9, 9), st.floats(-1, 1) | st.integers(-2, 2))
TOWERS = st.builds(
    Tower,
    st.sampled_from(["tall", "wide"]),
    BLOCKS,
    st.lists(BLOCKS, max_size=3).map(tuple),
    st.none() | BLOCKS,
    st.booleans(),
    st.none() | BLOCKS,
)


@given(TOWERS)
def test_nested_settings_are_written_and_read_back(tower):
    plain = json.loads(dumps(to_plain(tower)))
    assert from_plain(Tower, plain) == tower
    assert ("masked" in plain, "extra" in plain) == (tower.masked, tower.extra is not None)
    spec = Spec("test", 1, "sound", tower, tower.first, tower.first, Trials(0, 1))
    again = read_spec(json.loads(dumps(spec.canonical())), Tower, Block, Block, {})
    assert (again, again.id) == (spec, spec.id)


def test_what_is_wrong_in_a_nested_part_is_named():
    plain = to_plain(Tower("tall", Block(1), (Block(2),)))
    with pytest.raises(ValueError, match="Block has no field 'height'; allowed: width, rate"):
        from_plain(Tower, {**plain, "blocks": [{"width": 1, "height": 2}]})
    with pytest.raises(ValueError, match="width is 'a'; expected int"):
        from_plain(Tower, {**plain, "last": {"width": "a"}})
    with pytest.raises(ValueError, match="name is 'low'; allowed: tall, wide"):
        from_plain(Tower, {**plain, "name": "low"})


def test_a_spec_that_lacks_a_part_is_named():
    plain = {key: value for key, value in first().canonical().items() if key != "task"}
    with pytest.raises(ValueError, match="the spec lacks 'task'"):
        order.spec(plain)


def test_unknown_and_missing_fields():
    plain = first().canonical()
    plain["task"]["colour"] = "red"
    with pytest.raises(ValueError, match="Task has no field 'colour'; allowed: train, objects"):
        order.spec(plain)
    plain = first().canonical()
    del plain["task"]["train"]
    with pytest.raises(ValueError, match="Task lacks the field 'train'"):
        order.spec(plain)


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.booleans() | st.none()))
def test_ids_do_not_depend_on_the_order_of_fields(plain):
    shuffled = dict(reversed(list(plain.items())))
    assert run_id(plain) == run_id(shuffled)

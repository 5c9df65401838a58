"""Specs, run ids and their rules."""

import hashlib
import json
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib import experiments
from abstractor_lib.experiments import order
from abstractor_lib.records.spec import dumps, from_plain, run_id, to_plain


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
        masked: bool = field(default=False, metadata={"since": 2})

    assert to_plain(Before()) == to_plain(After())
    assert to_plain(After(masked=True)) == {"size": 3, "masked": True}
    assert from_plain(After, {"size": 3}) == After()


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
def test_specs_round_trip_and_differ(name):
    module = experiments.get(name)
    for protocol in module.PROTOCOLS:
        specs = module.grid("laptop", protocol)
        assert len({spec.id for spec in specs}) == len(specs)
        for spec in specs[:: max(1, len(specs) // 20)]:
            assert module.spec(json.loads(dumps(spec.canonical()))) == spec


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

"""Runs of one's own: which run of a grid is changed, what may be set, which record is nearest."""

import json
from dataclasses import fields, replace

import pytest

from abstractor_lib import experiments
from abstractor_lib.cli.record import told
from abstractor_lib.experiments.own import changed, chosen, nearest
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.training.settings import Training

ORDER = experiments.get("order")


@pytest.fixture
def base():
    return chosen(ORDER, "smoke", ["sound"], "abstractor", 40)


def test_the_first_run_of_the_grid_with_that_model_and_size_is_taken():
    for protocol in PROTOCOLS:
        found = chosen(ORDER, "smoke", [protocol], "transformer", 5)
        wanted = [
            spec
            for spec in ORDER.grid("smoke", protocol)
            if (spec.model.name, spec.task.train) == ("transformer", 5)
        ]
        assert found == wanted[0]


def test_only_what_is_set_changes(base):
    new = changed(base, ["learning_rate=3e-4", "model.embed=8", "diagonal=false", "train=7"])
    assert new.training == replace(base.training, learning_rate=3e-4)
    assert new.model == replace(base.model, embed=8, diagonal=False)
    assert new.task == replace(base.task, train=7)
    assert (new.trials, new.draw, new.protocol) == (base.trials, base.draw, base.protocol)
    assert new.id != base.id
    assert changed(base, []).id == base.id


def test_one_budget_takes_the_place_of_the_other(base):
    by_epochs = changed(base, ["epochs=2"]).training
    assert (by_epochs.epochs, by_epochs.updates) == (2, None)
    by_updates = changed(changed(base, ["epochs=2", "validate_every=9"]), ["updates=7"]).training
    assert (by_updates.epochs, by_updates.updates, by_updates.validate_every) == (None, 7, 7)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("learning_rat=1", "--set 'learning_rat' is no setting of order; near: learning_rate"),
        ("name=x", "--set 'name' is no setting of order"),
        ("learning_rate=fast", "--set learning_rate is 'fast'; expected float"),
        ("batch_size=1.5", "--set batch_size is 1.5; expected int"),
        ("batch_size=0", "batch_size is 0; expected more than 0"),
        ("learning_rate=NaN", "--set learning_rate is nan; expected a finite number"),
        ("batch_size=1e400", "--set batch_size is inf; expected a finite number"),
        ("optimiser=lion", "--set optimiser is 'lion'; allowed: adam, adamw, rmsprop, sgd"),
        ("norm=1", "--set norm is 1; expected bool"),
        ("first=-3", "--set first is -3; expected 0 or more"),
        ("count=0", "--set count is 0; expected 1 or more"),
        ("learning_rate", "--set is 'learning_rate'; expected NAME=VALUE"),
    ],
)
def test_a_setting_that_cannot_be_is_one_sentence(base, setting, message):
    with pytest.raises(ValueError, match=r"--set|more than 0") as error:
        changed(base, [setting])
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_name_of_two_parts_is_said_with_its_part():
    spec = experiments.get("three_way").grid("smoke", "sound")[0]
    with pytest.raises(ValueError, match=r"--set dim is in 2 parts; expected model\.dim or task"):
        changed(spec, ["dim=8"])
    with pytest.raises(ValueError, match=r"--set 'modal\.dim' is no setting of .*near: model\.dim"):
        changed(spec, ["modal.dim=8"])
    new = changed(spec, ["task.dim=8"])
    assert new.task == replace(spec.task, dim=8) and new.model == spec.model


@pytest.mark.parametrize(
    ("model", "size", "message"),
    [
        ("chess", 40, "--model is 'chess'; allowed in order, smoke, sound: "),
        (None, 40, "--model is missing; allowed in order, smoke, sound: "),
        ("abstractor", 41, "--size is 41; allowed for abstractor in order, smoke, sound: 5, 40"),
        ("abstractor", None, "--size is missing; allowed for abstractor in order, smoke, sound"),
    ],
)
def test_a_model_or_size_that_the_grid_lacks_is_one_sentence(model, size, message):
    with pytest.raises(ValueError, match=r"--model|--size") as error:
        chosen(ORDER, "smoke", ["sound"], model, size)
    assert str(error.value).startswith(message)


def test_the_nearest_record_differs_in_what_was_set_alone():
    records = Workspace().records("order")
    shipped = chosen(ORDER, "laptop", ["sound"], "abstractor", 100)
    point = ORDER.columns(shipped.canonical())
    found = nearest(ORDER, changed(shipped, ["learning_rate=0.5"]), point, records.values())
    assert found.record["run"] == shipped.id
    assert found.differs == {"learning_rate": shipped.training.learning_rate}
    assert nearest(ORDER, shipped, {**point, "model": "chess"}, records.values()) is None


@pytest.mark.parametrize("name", experiments.names())
def test_runs_of_every_experiment_can_be_changed_and_told(name):
    """A setting of each, of the shortest run; what tables, plans and `show` ask of it has an
    answer."""
    one = experiments.get(name)
    base = min(
        (spec for protocol in one.protocols for spec in one.grid("smoke", protocol)), key=one.cost
    )
    setting = "batch_size=3" if isinstance(base.training, Training) else None
    for item in fields(base.training):
        value = getattr(base.training, item.name)
        if setting is None and type(value) in (int, float):
            setting = f"training.{item.name}={value + 1}"
        elif setting is None and type(value) is bool:
            setting = f"training.{item.name}={json.dumps(not value)}"
    new = changed(base, [setting])
    assert new.id != base.id and new.training != base.training
    assert one.columns(new.canonical())["model"] == one.columns(base.canonical())["model"]
    assert one.needs(new).cores >= 1 and one.cost(new) >= 0
    record = {
        "run": new.id,
        "spec": new.canonical(),
        "metrics": {"accuracy": [0.5] * new.trials.count},
        "first_losses": [0.5],
        "curve": {"loss": [0.5]},
        "provenance": {"device": "cpu", "seconds": 1.0, "peak_memory_mib": 1},
    }
    lines = list(told(record, "build/own/records/x.jsonl"))
    assert max(map(len, lines)) <= 80
    assert any(new.id in line for line in lines)

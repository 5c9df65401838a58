"""Training settings: what is refused, and what names a run."""

import typing
from dataclasses import fields, replace

import pytest

from abstractor_lib.records.spec import from_plain, to_plain
from abstractor_lib.training.objectives import OBJECTIVES
from abstractor_lib.training.settings import Training, check


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"loss": "hinge"}, "loss is 'hinge'; allowed: cross_entropy"),
        ({"optimiser": "adagrad"}, "optimiser is 'adagrad'; allowed: adam, adamw, rmsprop, sgd"),
        ({"schedule": "step"}, "schedule is 'step'; allowed: constant, linear, cosine"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; expected more than 0"),
        ({"learning_rate": float("nan")}, "learning_rate is nan; expected a finite number"),
        ({"batch_size": 0}, "batch_size is 0; expected more than 0"),
        ({"epochs": -1}, "epochs is -1; expected more than 0"),
        ({"epochs": None}, "epochs is None and updates None; expected one of them"),
        (
            {"updates": 9},
            "epochs is .* and updates 9; expected one of them, and None for the other",
        ),
        ({"clip": 0.0}, "clip is 0.0; expected more than 0"),
        ({"validation_chunk": 0}, "validation_chunk is 0; expected more than 0"),
        ({"ignored": -1}, "ignored is -1; expected at least 0"),
        ({"warmup": -1}, "warmup is -1; expected at least 0"),
        ({"weight_decay": -0.1}, "weight_decay is -0.1; expected at least 0"),
        ({"beta_2": 1.0}, "beta_2 is 1.0; expected a number from 0 to below 1"),
        ({"goal": 0.0}, "goal is 0.0; expected an accuracy above 0, 1 at most"),
        ({"goal": 1.01}, "goal is 1.01; expected an accuracy above 0"),
        ({"goal": 0.9, "monitor": "training"}, "goal is 0.9 with monitor 'training'; allowed: 'va"),
        ({"average": 1.0, "also": ("averaged",)}, "average is 1.0; expected a number between 0"),
        ({"average": 0.9}, "average is 0.9 with also"),
        ({"also": ("averaged",)}, "average is None with also"),
        ({"momentum": 0.9}, "momentum is 0.9 with adam; allowed: 0.0"),
    ],
)
def test_bad_settings_are_named(rules, changed, message):
    check(rules)
    with pytest.raises(ValueError, match=message):
        check(replace(rules, **changed))


def test_settings_added_later_name_a_run_only_where_they_differ(rules):
    plain = to_plain(rules)
    added = [item for item in fields(Training) if item.metadata.get("since") == 2]
    assert len(added) == 13
    assert not {item.name for item in added} & set(plain)
    changed = replace(rules, clip=1, schedule="cosine", together=False)
    assert to_plain(changed) == plain | {"clip": 1.0, "schedule": "cosine", "together": False}
    assert from_plain(Training, to_plain(changed)) == changed


def test_all_objectives_with_a_name_are_settings():
    allowed = typing.get_args(typing.get_type_hints(Training)["loss"])
    assert set(allowed) == {*OBJECTIVES, "custom"}

"""A field of a protocol is a value that the grid reads, or a note that is printed as one."""

import dataclasses
from contextlib import suppress
from itertools import zip_longest

import pytest

from abstractor_lib.experiments import by_name
from abstractor_lib.experiments.experiment import Experiment, NewSpec
from abstractor_lib.experiments.protocol import (
    PROTOCOLS,
    is_note,
    settings_table,
    shared_settings,
    training_of,
)

EVERY = by_name()


class Recording:
    """A protocol that remembers which of its fields are read."""

    def __init__(self, protocol):
        self._protocol, self._read = protocol, set()

    def __getattr__(self, name):
        if not name.startswith("__"):
            self._read.add(name)
        return getattr(self._protocol, name)


def grid(experiment: Experiment, protocol: str, profile: str, settings):
    new = NewSpec(experiment.name, experiment.version, protocol)
    specs = experiment.runs(new, experiment.profiles[profile], settings)
    return ((spec, spec.keep, spec.part) for spec in specs)


def others(value):
    """Other values of the same type."""
    if value is None:
        return [3, "other"]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, 2 * value + 2, value - 1]
    if isinstance(value, float):
        return [1.5 * value + 0.01]
    if isinstance(value, str):
        return [f"{value}?", *(name for name in PROTOCOLS if name != value)]
    if hasattr(value, "_fields"):  # a named tuple
        first = value._fields[0]
        return [value._replace(**{first: other}) for other in others(getattr(value, first))]
    assert type(value) is tuple, f"no other value for {value!r}"
    return [value[:-1] if value else (3,), tuple(others(part)[0] for part in value)]


def changed_values(experiment: Experiment, name: str):
    """By protocol, its settings with another value of a field: one of the same type, or the value
    of another protocol."""
    values = [getattr(settings, name).value for settings in experiment.protocols.values()]
    for protocol, settings in experiment.protocols.items():
        sourced = getattr(settings, name)
        for value in [*others(sourced.value), *(one for one in values if one != sourced.value)]:
            other = dataclasses.replace(sourced, value=value)
            yield protocol, dataclasses.replace(settings, **{name: other})


def changes(experiment: Experiment, protocol: str, changed, profiles) -> bool:
    """Whether a grid is another one with the changed settings. A grid that refuses them shows
    nothing: it may check a value that it does not use."""
    settings = experiment.protocols[protocol]
    for profile in profiles:
        pairs = zip_longest(
            grid(experiment, protocol, profile, settings),
            grid(experiment, protocol, profile, changed),
        )
        with suppress(ValueError, TypeError, KeyError, IndexError):
            if any(one != other for one, other in pairs):
                return True
    return False


@pytest.mark.parametrize("name", EVERY)
def test_grids_read_every_value_and_no_note(name):
    experiment = EVERY[name]
    read = set()
    for protocol, settings in experiment.protocols.items():
        recording = Recording(settings)
        for profile in experiment.profiles:
            for _ in grid(experiment, protocol, profile, recording):
                pass
        read |= recording._read
    fields = dataclasses.fields(settings)
    values = {item.name for item in fields if not is_note(item)}
    assert read == values, f"never read: {values - read}; notes that are: {read - values}"


@pytest.mark.parametrize("name", EVERY)
def test_another_value_makes_another_grid(name):
    experiment = EVERY[name]
    profiles = ("smoke", "laptop", "paper")  # the cheap one first
    fields = dataclasses.fields(next(iter(experiment.protocols.values())))
    idle = [
        name
        for name in (item.name for item in fields if not is_note(item))
        if not any(
            changes(experiment, protocol, changed, profiles)
            for protocol, changed in changed_values(experiment, name)
        )
    ]
    assert not idle


@pytest.mark.parametrize("name", EVERY)
def test_tables_print_every_field_once_and_say_which_are_notes(name):
    protocols = EVERY[name].protocols
    shown = [row["item"] for row in settings_table(protocols)]
    shown += [row[0] for row in shared_settings(protocols)]
    fields = dataclasses.fields(next(iter(protocols.values())))
    assert sorted(shown) == sorted(item.metadata["label"] for item in fields)
    notes = [label for label in shown if label.startswith("note: ")]
    assert len(notes) == sum(map(is_note, fields))


def test_protocols_are_of_one_class_and_in_one_order():
    for experiment in EVERY.values():
        assert len({type(settings) for settings in experiment.protocols.values()}) == 1
        assert list(experiment.protocols) == [p for p in PROTOCOLS if p in experiment.protocols]


def test_training_settings_against_fields_copied_by_hand():
    settings = EVERY["order"].protocols["published"]
    found = training_of(settings, batch_size=7)
    names = ("loss", "learning_rate", "epochs", "updates", "validate_every", "patience")
    names += ("min_delta", "baseline", "restore", "epsilon")
    assert {name: getattr(found, name) for name in names} == {
        name: getattr(settings, name).value for name in names
    }
    assert (found.batch_size, found.beta_1, found.beta_2) == (7, *settings.betas.value)
    with pytest.raises(ValueError, match="restore is neither in CardsProtocol nor given"):
        training_of(EVERY["cards"].protocols["sound"], loss="custom", epochs=3)

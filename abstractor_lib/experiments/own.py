"""A run of one's own: one of a grid with other settings, and the shipped run that is nearest to it.

Its record goes where no figure, table or verdict reads it; see `Workspace.own`.
"""

import dataclasses
import json
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from ..records.spec import Spec, revive
from ..training.settings import Training
from ..training.settings import check as check_training
from .experiment import Experiment

PARTS = ("training", "model", "task")  # of a spec, in the order in which settings are looked up
SEEDS = "trials"  # the part that holds the first seed and how many there are


def chosen(
    experiment: Experiment,
    profile: str,
    protocols: Sequence[str],
    model: str | None,
    size: int | None,
) -> Spec:
    """The first run of a grid with that model and size.

    Args:
        experiment, profile: whose grid.
        protocols: whose grid, the first that has such a run.
        model: as tables call it.
        size: as tables call it; None if the model has one size only.

    Raises:
        ValueError: if there is none, saying which models or sizes there are.
    """
    points = [
        (spec, experiment.columns(spec.canonical()))
        for protocol in protocols
        for spec in experiment.grid(profile, protocol)
    ]
    where = f"{experiment.name}, {profile}, {' or '.join(protocols)}"
    models = dict.fromkeys(point["model"] for _, point in points)
    if model not in models:
        given = "missing" if model is None else f"{model!r}"
        raise ValueError(f"--model is {given}; allowed in {where}: {', '.join(models) or 'none'}")
    points = [(spec, point) for spec, point in points if point["model"] == model]
    sizes = sorted({point["size"] for _, point in points})
    if size is None and len(sizes) == 1:
        size = sizes[0]
    if size not in sizes:
        given = "missing" if size is None else size
        allowed = ", ".join(map(str, sizes))
        raise ValueError(f"--size is {given}; allowed for {model} in {where}: {allowed}")
    return next(spec for spec, point in points if point["size"] == size)


def changed(spec: Spec, settings: Sequence[str]) -> Spec:
    """A run with other settings.

    Args:
        spec: the run of a grid.
        settings: ``NAME=VALUE`` each, the value as JSON or a word. A name that two of training,
            model, task and trials have is written with its part, ``model.NAME``.

    Raises:
        ValueError: for a name that is unknown or not unique, and for a value of another type.

    Example:
        >>> from abstractor_lib import experiments
        >>> from abstractor_lib.experiments.protocol import PROTOCOLS
        >>> spec = chosen(experiments.get("order"), "smoke", PROTOCOLS, "abstractor", 40)
        >>> changed(spec, ["learning_rate=3e-4", "model.embed=8"]).training.learning_rate
        0.0003
        >>> changed(spec, ["first=100", "count=2"]).trials  # seeds outside the grid
        Trials(first=100, count=2)
    """
    given: dict[str, dict[str, Any]] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set is {setting!r}; expected NAME=VALUE")
        part, field = _found(spec, name.strip())
        hint = typing.get_type_hints(type(getattr(spec, part)))[field]
        try:
            given.setdefault(part, {})[field] = revive(_value(text.strip()), hint, field)
        except (ValueError, OverflowError) as error:
            raise ValueError(f"--set {error}") from None
    training = given.get("training", {})
    for one, other in (("updates", "epochs"), ("epochs", "updates")):  # one of them is the budget
        if training.get(one) is not None and hasattr(spec.training, other):
            training.setdefault(other, None)
    new = replace(
        spec,
        keep=(),
        part="",
        **{part: replace(getattr(spec, part), **values) for part, values in given.items()},
    )
    return _validated(new)


def _validated(spec: Spec) -> Spec:
    """A run whose settings fit together: one that is shorter than the time to its first look is
    looked at in the end."""
    for name, least in (("first", 0), ("count", 1)):
        if (given := getattr(spec.trials, name)) < least:
            raise ValueError(f"--set {name} is {given}; expected {least} or more")
    fit = spec.training
    if not isinstance(fit, Training):
        return spec
    if fit.updates is not None and fit.validate_every is not None:
        fit = replace(fit, validate_every=min(fit.validate_every, fit.updates))
    check_training(fit)
    return replace(spec, training=fit)


def _value(text: str) -> Any:
    """A value as it is typed.

    Example:
        >>> _value("3e-4"), _value("true"), _value("none"), _value("cosine")
        (0.0003, True, None, 'cosine')
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"none": None, "True": True, "False": False}.get(text, text)


def _found(spec: Spec, name: str) -> tuple[str, str]:
    """The part of a spec that has a setting of that name, and the setting."""
    every = [
        (part, item.name)
        for part in (*PARTS, SEEDS)
        for item in dataclasses.fields(getattr(spec, part))
        if (part, item.name) != ("model", "name")  # which --model chooses
    ]
    known = [(part, field) for part, field in every if name in (field, f"{part}.{field}")]
    if len(known) == 1:
        return known[0]
    if known:
        allowed = " or ".join(f"{part}.{field}" for part, field in known)
        raise ValueError(f"--set {name} is in {len(known)} parts; expected {allowed}")
    names = [f"{part}.{field}" if "." in name else field for part, field in every]
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    allowed = f"near: {', '.join(near)}" if near else f"allowed: {', '.join(dict.fromkeys(names))}"
    raise ValueError(f"--set {name!r} is no setting of {spec.experiment}; {allowed}")


@dataclass(frozen=True)
class Nearest:
    """The record that is nearest to a run.

    Attributes:
        record: of the same model.
        differs: settings in which its run differs, each with the value that it has there.
    """

    record: Mapping
    differs: Mapping[str, Any]


def nearest(
    experiment: Experiment, spec: Spec, point: Mapping, records: Iterable[Mapping]
) -> Nearest | None:
    """The record whose run differs in the fewest settings, of the same protocol if there is one;
    of several the one with the nearest size. None if no record is of that model.

    Args:
        spec: the run.
        point: its model and size, as tables call them.
        records: of the experiment.
    """
    own, found = spec.canonical(), None
    leaves, least = dict(_leaves(own)), None
    for record in records:
        other = record["spec"]
        columns = experiment.columns(other)
        if columns["model"] != point["model"]:
            continue
        theirs = dict(_leaves(other))
        differs = {
            name: theirs.get(name)
            for name in {**leaves, **theirs}
            if leaves.get(name) != theirs.get(name)
        }
        same = [other[name] == own[name] for name in ("protocol", "trials", "draw", "parents")]
        away = abs(columns["size"] - point["size"])
        distance = (not same[0], len(differs), away, *(not one for one in same[1:]))
        if least is None or distance < least:
            least, found = distance, Nearest(record, differs)
    return found


def _leaves(spec: Mapping) -> Iterator[tuple[str, Any]]:
    """The settings of a canonical spec, without the names of parts, which follow from the rest."""
    for part in PARTS:
        for name, value in spec[part].items():
            yield (name if part == "training" else f"{part}.{name}"), value

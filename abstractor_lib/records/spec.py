"""Specs: everything that determines one run, and the run id made from it.

A spec's settings (model, task, training) are frozen dataclasses of the experiment; they may hold
dataclasses, optional ones and tuples of them. The canonical form writes out every field with its
number coerced to the field's type, so that ``1`` and ``1.0`` name the same run. A field that came
after schema 1 is declared with `added` and is left out while at its default: it renames nothing.
"""

import dataclasses
import hashlib
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

SCHEMA = 1


@dataclass(frozen=True)
class Trials:
    """The trials of a run: numbers ``first`` to ``first + count - 1``, trained together."""

    first: int
    count: int

    def __iter__(self):
        return iter(range(self.first, self.first + self.count))


@dataclass(frozen=True)
class Parent:
    """A trained model that a run starts from: the spec of its run, written out, and which trial.

    A child's canonical form names it by ``{"run": id, "trial": number}``.
    """

    spec: "Spec"
    trial: int

    @property
    def artifact(self) -> str:
        """What the parent's run calls the weights."""
        return weights_name(self.trial)

    def canonical(self) -> dict:
        """What the child's canonical form says of it."""
        return {"run": self.spec.id, "trial": self.trial}


def weights_name(trial: int) -> str:
    """What a run calls the weights of one of its trials, among its artifacts."""
    return f"weights/{trial}"


@dataclass(frozen=True)
class Spec:
    """What determines a run.

    Attributes:
        experiment, version, protocol: whose run it is.
        model, task, training: settings, dataclasses of the experiment.
        trials: which trials.
        draw: which draw of data all trials share; None for one draw per trial.
        precision: floating-point type of the training.
        parents: role -> `Parent` whose weights the run starts from.
        keep: names of the artifacts that the run leaves. What is kept changes no result: it is not
            part of the canonical form, and specs that differ in it alone are equal.
        part: of its grid that the run belongs to, empty for the main one; likewise not part of the
            canonical form. Each part of a grid is used as soon as it is complete.
    """

    experiment: str
    version: int
    protocol: str
    model: Any
    task: Any
    training: Any
    trials: Trials
    draw: int | None = None
    precision: str = "float32"
    parents: Mapping[str, Parent] = field(default_factory=dict)
    keep: tuple[str, ...] = field(default=(), compare=False)
    part: str = field(default="", compare=False)

    def canonical(self) -> dict:
        """The spec as plain JSON values, every field written out."""
        plain = to_plain(replace(self, parents={}, keep=(), part=""))
        del plain["keep"], plain["part"]
        plain["parents"] = {role: one.canonical() for role, one in self.parents.items()}
        return {"schema": SCHEMA, **plain}

    @cached_property
    def id(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal."""
        return run_id(self.canonical())

    @property
    def seed(self) -> int:
        """What torch's generator is seeded with when the run begins: the id's first 15 digits."""
        return int(self.id[:15], 16)


def run_id(canonical: Mapping) -> str:
    """SHA-256 of a canonical spec.

    Example:
        >>> run_id({"schema": 1, "experiment": "order"})[:12]
        '3d09394e427b'
    """
    return hashlib.sha256(dumps(canonical).encode()).hexdigest()


def dumps(value: Any) -> str:
    """JSON with sorted keys and no spaces; refuses NaN.

    Example:
        >>> dumps({"b": 1, "a": [0.5, None]})
        '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def added(default: Any) -> Any:
    """A settings field that came after schema 1, with the value that runs before it had."""
    return field(default=default, metadata={"since": SCHEMA + 1})


def to_plain(settings: Any) -> dict:
    """A dataclass as a dictionary of JSON values, each coerced to its field's type.

    Example:
        >>> to_plain(Trials(0, 5.0))
        {'first': 0, 'count': 5}
    """
    hints = _hints(type(settings))
    plain = {}
    for item in dataclasses.fields(settings):
        value = getattr(settings, item.name)
        if item.metadata.get("since", 1) > SCHEMA and value == item.default:
            continue
        plain[item.name] = coerce(value, hints[item.name], item.name)
    return plain


def from_plain(cls: type[Any], plain: Mapping) -> Any:
    """The inverse of `to_plain`.

    Raises:
        ValueError: for an unknown or missing field, or a value of another type.

    Example:
        >>> from_plain(Trials, {"first": 0, "count": 5})
        Trials(first=0, count=5)
    """
    fields = {item.name: item for item in dataclasses.fields(cls)}
    unknown = sorted(set(plain) - set(fields))
    if unknown:
        raise ValueError(
            f"{cls.__name__} has no field {unknown[0]!r}; allowed: {', '.join(fields)}"
        )
    hints = _hints(cls)
    values = {}
    for name, item in fields.items():
        if name in plain:
            values[name] = revive(plain[name], hints[name], name)
        elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            raise ValueError(f"{cls.__name__} lacks the field {name!r}")
    return cls(**values)


def read_spec(
    plain: Mapping, model: type, task: type, training: type, parents: Mapping[str, Spec]
) -> Spec:
    """The spec that a record holds.

    Args:
        plain: its canonical form.
        model, task, training: the dataclasses of its settings.
        parents: by run id, the runs that it may start from.

    Raises:
        ValueError: for unknown fields, values of another type, or a parent that is not known.
    """
    plain = {name: value for name, value in plain.items() if name != "schema"}
    for name, cls in (("model", model), ("task", task), ("training", training)):
        if not isinstance(plain.get(name), Mapping):
            raise ValueError(f"the spec lacks {name!r}, or it is not an object")
        plain[name] = from_plain(cls, plain[name])
    named = plain.pop("parents", {})
    spec = from_plain(Spec, plain)
    starts = {}
    for role, parent in named.items():
        if parent["run"] not in parents:
            raise ValueError(
                f"parents.{role} is the run {parent['run'][:12]!r}; expected one of those that "
                f"{spec.experiment} says it starts from"
            )
        starts[role] = Parent(parents[parent["run"]], parent["trial"])
    return replace(spec, parents=starts)


@cache
def _hints(cls: type) -> dict:
    return typing.get_type_hints(cls)


def coerce(value: Any, hint: Any, name: str) -> Any:
    """``value`` as the JSON value that a field of type ``hint`` holds.

    Raises:
        ValueError: naming the field, what was given and what is allowed.

    Example:
        >>> coerce(1, float, "learning_rate")
        1.0
        >>> coerce("fast", float, "learning_rate")
        Traceback (most recent call last):
            ...
        ValueError: learning_rate is 'fast'; expected float
    """
    return _convert(value, hint, name, plain=True)


def revive(value: Any, hint: Any, name: str) -> Any:
    """The inverse of `coerce`: a JSON value as the value that a field of type ``hint`` holds.

    Raises:
        ValueError: as `coerce` does.

    Example:
        >>> revive([{"first": 0, "count": 2}], tuple[Trials, ...] | None, "blocks")
        (Trials(first=0, count=2),)
    """
    return _convert(value, hint, name, plain=False)


@cache
def _parts(hint: Any) -> tuple[Any, tuple, bool]:
    """The origin of a type, its arguments, and whether it is a dataclass."""
    return typing.get_origin(hint), typing.get_args(hint), dataclasses.is_dataclass(hint)


def _convert(value: Any, hint: Any, name: str, plain: bool) -> Any:
    if type(value) is hint and hint in (int, str, bool):
        return value  # as most fields are
    origin, options, structured = _parts(hint)
    if origin in (typing.Union, types.UnionType):
        return _one_of(value, options, name, plain)
    if structured:
        if isinstance(value, hint):
            return to_plain(value) if plain else value
        if isinstance(value, Mapping) and not plain:
            return from_plain(hint, value)
    elif dataclasses.is_dataclass(value) and plain and hint is Any:
        return to_plain(value)
    elif hint is Any:
        return value
    elif origin is typing.Literal:
        if value in options:
            return value
        raise ValueError(f"{name} is {value!r}; allowed: {', '.join(map(str, options))}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}; expected a finite number")
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif hint is int and isinstance(value, int | float) and not isinstance(value, bool):
        if value == int(value):
            return int(value)
    elif hint in (str, bool) and isinstance(value, hint):
        return value
    elif origin is not None and issubclass(origin, Mapping) and isinstance(value, Mapping):
        parts = {key: _convert(part, options[1], name, plain) for key, part in value.items()}
        return json.loads(dumps(parts)) if plain else parts
    elif origin in (tuple, list) and isinstance(value, tuple | list):
        kind = list if plain or origin is list else tuple
        return kind(_convert(part, options[0], name, plain) for part in value)
    raise ValueError(f"{name} is {value!r}; expected {getattr(hint, '__name__', hint)}")


def _one_of(value: Any, options: tuple, name: str, plain: bool) -> Any:
    """``value`` as the first of several types that takes it."""
    if value is None and type(None) in options:
        return None
    others = [option for option in options if option is not type(None)]
    for option in others[:-1]:
        try:
            return _convert(value, option, name, plain)
        except ValueError:
            continue
    return _convert(value, others[-1], name, plain)

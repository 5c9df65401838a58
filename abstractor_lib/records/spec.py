"""Specs: everything that determines one run, and the run id made from it.

A spec's settings (model, task, training) are frozen dataclasses of the experiment. Its canonical
form writes out every field with its number coerced to the field's type, so that ``1`` and ``1.0``
name the same run. A field added after schema 1 says so with ``field(metadata={"since": 2})`` and
is left out while at its default: adding it renames nothing.
"""

import dataclasses
import hashlib
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
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
class Spec:
    """What determines a run.

    Attributes:
        experiment, version, protocol: whose run it is.
        model, task, training: settings, dataclasses of the experiment.
        trials: which trials.
        draw: which draw of data all trials share; None for one draw per trial.
        precision: floating-point type of the training.
        parents: role -> ``{"run": id, "trial": number}`` whose weights the run starts from.
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
    parents: Mapping[str, Mapping] = field(default_factory=dict)

    def canonical(self) -> dict:
        """The spec as plain JSON values, every field written out."""
        return {"schema": SCHEMA, **to_plain(self)}

    @property
    def id(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal."""
        return run_id(self.canonical())


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


def to_plain(settings: Any) -> dict:
    """A dataclass as a dictionary of JSON values, each coerced to its field's type."""
    hints = _hints(type(settings))
    plain = {}
    for item in dataclasses.fields(settings):
        value = coerce(getattr(settings, item.name), hints[item.name], item.name)
        if item.metadata.get("since", 1) > SCHEMA and value == item.default:
            continue
        plain[item.name] = value
    return plain


def from_plain(cls: type, plain: Mapping) -> Any:
    """The inverse of `to_plain`.

    Raises:
        ValueError: for an unknown or missing field, or a value of another type.
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
            hint = hints[name]
            value = plain[name]
            if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
                value = from_plain(hint, value)
            ready = dataclasses.is_dataclass(value)
            value = value if ready else coerce(value, hint, name)
            values[name] = tuple(value) if isinstance(value, list) else value
        elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            raise ValueError(f"{cls.__name__} lacks the field {name!r}")
    return cls(**values)


def read_spec(plain: Mapping, **parts: type) -> Spec:
    """The spec that a record holds.

    Args:
        plain: its canonical form.
        parts: the dataclasses of ``model``, ``task`` and ``training``.

    Raises:
        ValueError: for unknown fields or values of another type.
    """
    plain = {name: value for name, value in plain.items() if name != "schema"}
    for name, cls in parts.items():
        if not isinstance(plain.get(name), Mapping):
            raise ValueError(f"the spec lacks {name!r}, or it is not an object")
        plain[name] = from_plain(cls, plain[name])
    return from_plain(Spec, plain)


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
    origin = typing.get_origin(hint)
    if dataclasses.is_dataclass(value):
        return to_plain(value)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        options = typing.get_args(hint)
        if value is None and type(None) in options:
            return None
        inner = [option for option in options if option is not type(None)]
        if len(inner) == 1:
            return coerce(value, inner[0], name)
    elif origin is typing.Literal:
        if value in typing.get_args(hint):
            return value
        allowed = ", ".join(map(str, typing.get_args(hint)))
        raise ValueError(f"{name} is {value!r}; allowed: {allowed}")
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
        return json.loads(dumps(dict(value)))
    elif origin in (tuple, list) and isinstance(value, tuple | list):
        return [coerce(part, typing.get_args(hint)[0], name) for part in value]
    raise ValueError(f"{name} is {value!r}; expected {getattr(hint, '__name__', hint)}")

"""Protocols as data: settings whose every value says where it comes from.

``described`` is what the text says, ``published`` what the public code and its logs did, ``sound``
what we would do today. Where the text is silent, ``described`` follows the stated parameter
counts, then the public code.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..training.settings import Training

T = TypeVar("T")
PROTOCOLS = ("described", "published", "sound")


@dataclass(frozen=True)
class Sourced(Generic[T]):
    """A value and where it comes from: the text, a parameter count, the public code, or us."""

    value: T
    source: str


def text(value: T, where: str) -> Sourced[T]:
    """A value that the paper's text states, and where."""
    return Sourced(value, f"text, {where}")


def counted(value: T, where: str) -> Sourced[T]:
    """A value that a parameter count implies, and which: one of the text's, or one that the public
    code prints."""
    return Sourced(value, f"parameter count, {where}")


def code(value: T, where: str = "") -> Sourced[T]:
    """A value that the public code or its logs have."""
    return Sourced(value, f"public code{', ' if where else ''}{where}")


def ours(value: T, why: str = "") -> Sourced[T]:
    """A value that we chose, and why."""
    return Sourced(value, f"ours{', ' if why else ''}{why}")


def setting(label: str, shared: Sourced | None = None) -> Any:
    """A field of a protocol that the grid reads: another value makes other specs.

    Args:
        label: what tables call it.
        shared: its value where every protocol has the same; it stands here and nowhere else.
    """
    return _field(label, shared)


def note(label: str, shared: Sourced | None = None) -> Any:
    """A field of a protocol that tables print, as a note, and that sets nothing: what the code does
    whatever the settings are, such as how noise is drawn. Arguments as for `setting`."""
    return _field(label, shared, note=True)


def _field(label: str, shared: Sourced | None, note: bool = False) -> Any:
    metadata = {"label": f"note: {label}" if note else label, "note": note}
    if shared is None:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=shared, metadata=metadata, kw_only=True)


def is_note(item: dataclasses.Field) -> bool:
    """Whether a field of a protocol is a `note`."""
    return item.metadata["note"]


def check(name: str, given: str, allowed: Iterable[str]) -> str:
    """``given``, if it is one of the names allowed.

    Raises:
        ValueError: if it is not.

    Example:
        >>> check("profile", "big", ["smoke", "laptop"])
        Traceback (most recent call last):
            ...
        ValueError: profile is 'big'; allowed: smoke, laptop
    """
    if given not in allowed:
        raise ValueError(f"{name} is {given!r}; allowed: {', '.join(allowed)}")
    return given


USUAL: dict[str, Any] = {  # training settings that a protocol need not name
    "epochs": None,
    "updates": None,
    "validate_every": None,
    "patience": None,
    "min_delta": 0.0,
    "baseline": None,
}


def training_of(protocol: Any, **differing: Any) -> Training:
    """The training settings of a protocol: each is its value of the same name (``beta_1`` and
    ``beta_2`` are its ``betas``), unless it is one that differs.

    Args:
        protocol: of an experiment.
        differing: settings by name, in place of the protocol's.

    Raises:
        ValueError: if a setting that has no default is in neither.

    Example:
        >>> from abstractor_lib.experiments.order.settings import PROTOCOLS
        >>> training_of(PROTOCOLS["sound"], batch_size=16).batch_size
        16
    """
    named = {item.name: item for item in dataclasses.fields(Training)}
    values = dict(USUAL)
    for item in dataclasses.fields(protocol):
        if item.name in named and item.name not in differing and not is_note(item):
            values[item.name] = getattr(protocol, item.name).value
        elif item.name == "betas":
            values["beta_1"], values["beta_2"] = protocol.betas.value
    values |= differing
    for name, item in named.items():
        if name not in values and item.default is dataclasses.MISSING:
            raise ValueError(f"{name} is neither in {type(protocol).__name__} nor given")
    return Training(**values)


def cut(fit: Training, epochs: int | None, updates: int | None, every: int) -> Training:
    """Training settings with a smaller budget: that many epochs, or updates and ``every`` so many
    a validation, whichever the settings have; None leaves them."""
    if fit.epochs is not None and epochs is not None:
        fit = dataclasses.replace(fit, epochs=epochs)
    if fit.updates is not None and updates is not None:
        fit = dataclasses.replace(fit, updates=updates, validate_every=every)
    return fit


def shown(value: Any) -> str:
    """A value as tables show it; the parts of a tuple one after the other.

    Example:
        >>> shown((None, 3)), shown("relu"), shown(((0.0, 0.1), (0.5, 0.0)))
        ('none; 3', 'relu', '(0.0, 0.1); (0.5, 0.0)')
    """
    if type(value) is tuple:
        parts = [
            f"({', '.join(map(shown, part))})" if type(part) is tuple else shown(part)
            for part in value
        ]
        return "; ".join(parts)
    return "none" if value is None else str(value)


def settings_table(protocols: Mapping[str, Any]) -> list[dict[str, str]]:
    """Rows ``item, described, published, sound``: what protocols may differ in, each value with its
    source."""
    rows = []
    for item in items(protocols):
        if item.default is not dataclasses.MISSING:
            continue
        row = {"item": item.metadata["label"]}
        for name, protocol in protocols.items():
            sourced = getattr(protocol, item.name)
            row[name] = f"{shown(sourced.value)} ({sourced.source})"
        rows.append(row)
    return rows


def shared_settings(protocols: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """What every protocol has the same: item, value and source."""
    return [
        (item.metadata["label"], item.default.value, item.default.source)
        for item in items(protocols)
        if item.default is not dataclasses.MISSING
    ]


def items(protocols: Mapping[str, Any]) -> list[dataclasses.Field]:
    """The fields of protocols, which are of one class; notes last."""
    return sorted(dataclasses.fields(next(iter(protocols.values()))), key=is_note)

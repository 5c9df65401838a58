"""Protocols as data: settings whose every value says where it comes from.

``described`` is what the text says, ``published`` what the public code and its logs did, ``sound``
what we would do today. Where the text is silent, ``described`` follows the stated parameter
counts, then the public code.
"""

import dataclasses
from collections.abc import Mapping
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
    """A value that a stated parameter count implies, and which count."""
    return Sourced(value, f"parameter count, {where}")


def code(value: T, where: str = "") -> Sourced[T]:
    """A value that the public code or its logs have."""
    return Sourced(value, f"public code{', ' if where else ''}{where}")


def ours(value: T, why: str = "") -> Sourced[T]:
    """A value that we chose, and why."""
    return Sourced(value, f"ours{', ' if why else ''}{why}")


def setting(label: str) -> Any:
    """A protocol's field, with the label it carries in tables."""
    return dataclasses.field(metadata={"label": label})


def values(protocol: Any) -> dict[str, Any]:
    """The bare values of a protocol's fields."""
    return {item.name: getattr(protocol, item.name).value for item in dataclasses.fields(protocol)}


def pick(name: str, given: str, allowed: Mapping[str, T]) -> T:
    """What a profile or protocol of that name stands for.

    Raises:
        ValueError: if there is none.

    Example:
        >>> pick("profile", "big", {"smoke": 1, "laptop": 2})
        Traceback (most recent call last):
            ...
        ValueError: profile is 'big'; allowed: smoke, laptop
    """
    if given not in allowed:
        raise ValueError(f"{name} is {given!r}; allowed: {', '.join(allowed)}")
    return allowed[given]


def cut(fit: Training, epochs: int | None, updates: int | None, every: int) -> Training:
    """Training settings with a smaller budget: that many epochs, or updates and ``every`` so many
    a validation, whichever the settings have; None leaves them."""
    if fit.epochs is not None and epochs is not None:
        fit = dataclasses.replace(fit, epochs=epochs)
    if fit.updates is not None and updates is not None:
        fit = dataclasses.replace(fit, updates=updates, validate_every=every)
    return fit


def settings_table(protocols: Mapping[str, Any]) -> list[dict[str, str]]:
    """Rows ``item, described, published, sound``, each value with its source."""
    first = next(iter(protocols.values()))
    rows = []
    for item in dataclasses.fields(first):
        row = {"item": item.metadata["label"]}
        for name, protocol in protocols.items():
            sourced = getattr(protocol, item.name)
            shown = "none" if sourced.value is None else str(sourced.value)
            row[name] = f"{shown} ({sourced.source})"
        rows.append(row)
    return rows

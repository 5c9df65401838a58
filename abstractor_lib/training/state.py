"""States: tensors and JSON values in dictionaries and lists."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor


def copied(state: Any) -> Any:
    """A copy that shares no memory with the original."""
    if isinstance(state, Mapping):
        return {name: copied(value) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return [copied(value) for value in state]
    return state.detach().clone() if isinstance(state, Tensor) else state


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows of the same fields as one column per field: tensors stacked, others listed.

    Example:
        >>> columns([{"update": 1, "loss": torch.zeros(2)}, {"update": 2, "loss": torch.ones(2)}])
        {'update': [1, 2], 'loss': tensor([[0., 0.],
                [1., 1.]])}
    """
    if not rows:
        return {}
    gathered = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        name: torch.stack(values) if isinstance(values[0], Tensor) else values
        for name, values in gathered.items()
    }


def rows(columns: Mapping[str, Any], device: torch.device) -> list[dict[str, Any]]:
    """The inverse of `columns`, with tensors on a device."""
    moved = {
        name: value.to(device).unbind() if isinstance(value, Tensor) else value
        for name, value in columns.items()
    }
    return [dict(zip(moved, values, strict=True)) for values in zip(*moved.values(), strict=True)]


def random_state(device: torch.device) -> dict[str, Tensor]:
    """The state of torch's default generators that a training on a device draws from."""
    found = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        found["cuda"] = torch.cuda.get_rng_state(device)
    return found


def set_random_state(state: Mapping[str, Tensor], device: torch.device) -> None:
    """Go back to a state that `random_state` took."""
    torch.set_rng_state(state["cpu"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)

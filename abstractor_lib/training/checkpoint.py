"""Checkpoints on disk, from which a run that was killed goes on.

A checkpoint is one file: a line with the SHA-256 of what follows, a line of JSON, and the tensors
as safetensors. It is replaced at once or not at all. Nothing is ever unpickled.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from ..replacing import replace_file

TENSOR = "tensor:"  # what a string of the JSON begins with if it names a tensor


class Checkpoint:
    """The last saved state of one run.

    Args:
        folder: where the file lies; made when something is saved.
        identity: whose state it is, a run id say. A checkpoint of another identity is not loaded.
        every_seconds: time after a save until the next one is `due`.
        clock: what the seconds spent on a run are counted by.

    Attributes:
        before: seconds that went into the state that was loaded; 0 if none was.

    Example:
        >>> import tempfile, torch
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = Checkpoint(Path(folder), "run 1")
        ...     checkpoint.save({"update": 3, "weights": [torch.ones(2)]})
        ...     print(Checkpoint(Path(folder), "run 1").load())
        {'update': 3, 'weights': [tensor([1., 1.])]}
    """

    def __init__(
        self,
        folder: Path,
        identity: str = "",
        every_seconds: float = 60.0,
        clock: Callable[[], float] = time.process_time,
    ):
        self.path = Path(folder) / "checkpoint"
        self.identity, self.every_seconds, self.clock = identity, every_seconds, clock
        self.before = 0.0  # seconds that went into the state that was loaded
        self._saved, self._begun = time.monotonic(), clock()

    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved >= self.every_seconds

    def save(self, state: Mapping[str, Any]) -> None:
        """Replace the saved state: tensors, and values that JSON can hold, in dictionaries with
        names for keys and in lists."""
        from safetensors.torch import save

        tensors: dict[str, Tensor] = {}
        spent = self.before + self.clock() - self._begun
        whole = {"identity": self.identity, "spent": spent, "state": state}
        plain = _split(whole, "", tensors)
        body = json.dumps(plain).encode() + b"\n" + save(tensors)
        replace_file(self.path, hashlib.sha256(body).hexdigest().encode() + b"\n", body)
        self._saved = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """The saved state; None if there is none, or, with a message on standard error, if it is
        damaged or another run's."""
        from safetensors.torch import load

        try:
            checksum, body = self.path.read_bytes().split(b"\n", 1)
        except FileNotFoundError:
            return None
        except ValueError:
            return self._refuse("is damaged")
        if checksum != hashlib.sha256(body).hexdigest().encode():
            return self._refuse("is damaged")
        text, tensors = body.split(b"\n", 1)
        plain = json.loads(text)
        if plain["identity"] != self.identity:
            return self._refuse("belongs to another run")
        self.before = plain.get("spent", 0.0)
        return _joined(plain["state"], load(tensors))

    def _refuse(self, why: str) -> None:
        print(f"{self.path}: the checkpoint {why}; the run starts over", file=sys.stderr)


def _split(state: Any, name: str, tensors: dict[str, Tensor]) -> Any:
    """A state as JSON values; its tensors go into ``tensors``, under their places."""
    if isinstance(state, Tensor):
        tensors[name] = state.detach().cpu().contiguous()
        return TENSOR + name
    if isinstance(state, Mapping):
        return {key: _split(value, f"{name}/{key}", tensors) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [_split(value, f"{name}/{index}", tensors) for index, value in enumerate(state)]
    return state


def _joined(plain: Any, tensors: Mapping[str, Tensor]) -> Any:
    """The inverse of `_split`."""
    if isinstance(plain, str) and plain.startswith(TENSOR):
        return tensors[plain.removeprefix(TENSOR)]
    if isinstance(plain, dict):
        return {key: _joined(value, tensors) for key, value in plain.items()}
    return [_joined(value, tensors) for value in plain] if isinstance(plain, list) else plain

"""What runs leave beside their records: tensors, in files that are named by their content.

A record names its artifacts by the SHA-256 of their files, so a file that was damaged or exchanged
is noticed when it is loaded. Each file says in its header which run left it, and what that run
calls it.
"""

import contextlib
import hashlib
import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from .. import Unavailable, brief
from ..replacing import replace_file
from .spec import dumps

if TYPE_CHECKING:
    from torch import Tensor

SUFFIX = ".safetensors"
LARGE = 2 << 20  # bytes; larger files do not ship
NAME = re.compile(r"[0-9a-f]{64}")
HEADER = 1 << 20  # bytes at most; ours have a few KiB


class Damaged(Unavailable):
    """An artifact that is not there, or not what its name says."""


def packed(tensors: Mapping[str, "Tensor"], provenance: Mapping[str, str]) -> bytes:
    """Tensors as the bytes of a safetensors file, the same each time.

    Args:
        tensors: by name.
        provenance: whose they are; kept in the file.
    """
    from safetensors.torch import save

    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return save(plain, metadata={"provenance": dumps(dict(provenance))})


def unpacked(content: bytes) -> dict[str, "Tensor"]:
    """The tensors of a safetensors file.

    Raises:
        Damaged: if it is not such a file.
    """
    from safetensors.torch import load

    header(content)
    try:
        return load(content)
    except Exception as error:  # the library's own, and what Python says of its odd headers
        said = brief(str(error))
        raise Damaged(f"the artifact {digest(content)[:12]} holds no tensors ({said})") from None


def header(content: bytes) -> dict:
    """The header of a safetensors file: by name what its tensors are, and whose they are.

    Raises:
        Damaged: if there is none.
    """
    name = digest(content)[:12]
    (length,) = struct.unpack("<Q", content[:8]) if len(content) >= 8 else (0,)
    if not 0 < length <= min(len(content) - 8, HEADER):
        raise Damaged(f"the artifact {name} is no safetensors file: its header has another length")
    try:
        found = json.loads(content[8 : 8 + length])
    except (ValueError, RecursionError) as error:
        raise Damaged(f"the artifact {name} has a header that is not JSON ({error})") from None
    if not isinstance(found, dict):
        raise Damaged(f"the artifact {name} has a header that is not a JSON object")
    return found


def whose(content: bytes) -> dict:
    """Which run left a file, as it says itself; nothing if it says nothing that can be read.

    Raises:
        Damaged: if it is not a safetensors file.
    """
    more = header(content).get("__metadata__", {})
    try:
        provenance = json.loads(more["provenance"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
    return provenance if isinstance(provenance, dict) else {}


def checked(name: str) -> str:
    """The name of a file, if it is one.

    Raises:
        ValueError: if it is not 64 hexadecimal digits. It would name a file somewhere else.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"an artifact's name is {name[:80]!r}; expected 64 hexadecimal digits")
    return name


def digest(content: bytes) -> str:
    """SHA-256, in hexadecimal: the name of a file."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Artifacts:
    """Folders of artifacts.

    Attributes:
        folder: where new ones are written.
        cache: where large ones, and those that do not ship, are written in its place, if anywhere
            else.
        others: further folders that are only read.
    """

    folder: Path
    cache: Path | None = None
    others: tuple[Path, ...] = ()

    def aside(self) -> "Artifacts":
        """The same files, with new ones written to the cache, which does not ship."""
        if self.cache is None:
            return self
        return replace(self, folder=self.cache, others=(self.folder, *self.others))

    def path(self, name: str) -> Path | None:
        """The file of that name, if there is one.

        Raises:
            ValueError: if it is no name of a file.
        """
        for folder in (self.folder, self.cache, *self.others):
            if folder is not None and (found := folder / f"{checked(name)}{SUFFIX}").is_file():
                return found
        return None

    def save(self, content: bytes, ships: bool = True) -> str:
        """Write a file, whole or not at all, and return its name.

        Args:
            content: of the file.
            ships: False for what anyone can compute again and nobody reads but other runs.
        """
        name = digest(content)
        aside = self.cache is not None and (len(content) > LARGE or not ships)
        target = (self.cache if aside else self.folder) / f"{name}{SUFFIX}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(target.parent / ".lock"):
            if not target.is_file():
                replace_file(target, content)
        return name

    def read(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            Damaged: if it is not there, or its content is not what its name says.
        """
        path = self.path(name)
        if path is None:
            raise Damaged(f"the artifact {name[:12]} is not in {self.folder.name}/")
        content = path.read_bytes()
        if digest(content) != name:
            raise Damaged(
                f"{path.parent.name}/{path.name} is damaged: its content has the SHA-256 "
                f"{digest(content)[:12]}; delete it, and the run that left it is computed again"
            )
        return content

    def load(self, name: str) -> dict[str, "Tensor"]:
        """The tensors of a file.

        Raises:
            Damaged: if it is not there, or its content is not what its name says.
        """
        return unpacked(self.read(name))

    def forget(self, names: set[str]) -> None:
        """Delete files of the folders that are written to.

        Raises:
            ValueError: if one is no name of a file; then none is deleted.
        """
        names = set(map(checked, names))
        for folder in filter(None, (self.folder, self.cache)):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    (folder / f"{name}{SUFFIX}").unlink()

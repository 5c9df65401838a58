"""What runs leave beside their records: tensors, in files that are named by their content.

A record names its artifacts by the SHA-256 of their files, so a file that was damaged or exchanged
is noticed when it is loaded, and two runs that leave the same share one file.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from .. import Unavailable
from ..replacing import replace_file
from .spec import dumps

if TYPE_CHECKING:
    from torch import Tensor

SUFFIX = ".safetensors"
LARGE = 2 << 20  # bytes; larger files do not ship


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
    """The tensors of a safetensors file."""
    from safetensors.torch import load

    return load(content)


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
        """The file of that name, if there is one."""
        for folder in (self.folder, self.cache, *self.others):
            if folder is not None and (found := folder / f"{name}{SUFFIX}").is_file():
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
        """Delete files of the folders that are written to."""
        for folder in (self.folder, self.cache):
            for name in names if folder is not None else ():
                with contextlib.suppress(FileNotFoundError):
                    (folder / f"{name}{SUFFIX}").unlink()

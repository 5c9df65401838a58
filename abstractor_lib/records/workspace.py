"""Where the records, artifacts and pictures of a profile lie."""

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from .. import InOneSentence, paths
from ..replacing import replace_file
from . import files, store
from .artifacts import Artifacts
from .seal import merged

PROFILES = ("smoke", "laptop", "paper")


class UnknownProfile(InOneSentence, ValueError):
    """There is no profile of that name."""


@dataclass(frozen=True)
class Workspace:
    """The files of one profile.

    Attributes:
        profile: ``smoke``, ``laptop`` or ``paper``.
        fresh: nothing of what ships is used. Only the ``laptop`` profile's own files ship; those of
            any other profile, and fresh ones, lie in ``build/PROFILE``.
        own: of runs with settings of somebody's own, in ``build/own``; no figure, table or verdict
            reads them. They may start from models that ship.
    """

    profile: str = "laptop"
    fresh: bool = False
    own: bool = False

    def __post_init__(self):
        if self.profile not in PROFILES:
            raise UnknownProfile(f"profile is {self.profile!r}; allowed: {', '.join(PROFILES)}")

    @property
    def ships(self) -> bool:
        """Whether these are the files that ship."""
        return self.profile == "laptop" and not self.fresh and not self.own

    @property
    def folder(self) -> Path:
        """The top of the tree that is written to."""
        if self.ships:
            return paths.root()
        return paths.root() / "build" / ("own" if self.own else self.profile)

    @property
    def figures(self) -> Path:
        """Where figures and tables go."""
        return self.folder / "figures"

    @property
    def notebooks(self) -> Path:
        """Where executed notebooks go."""
        return self.folder / "notebooks"

    @property
    def scratch(self) -> Path:
        """Where runs in progress keep their checkpoints, each in a folder of its own."""
        return paths.root() / "build" / ("own" if self.own else self.profile) / "scratch"

    @property
    def options(self) -> str:
        """The same in words of the command line."""
        return f"--profile {self.profile}" + " --fresh" * self.fresh

    def file(self, experiment: str) -> Path:
        """The record file that an experiment's runs are written to; packed ones lie beside it."""
        return (paths.data() if self.ships else self.folder) / "records" / f"{experiment}.jsonl"

    def records(self, experiment: str) -> dict[str, dict]:
        """Records that answer: those that ship, unless ``fresh``, and the profile's own."""
        own = store.load(self.file(experiment))
        if self.ships or self.fresh:
            return own
        shipped = store.load(Workspace().file(experiment))
        # numbers are those that ship; weights that do not ship are those computed here
        both = {
            run: merged(shipped[run], shipped[run], own[run])
            for run in {*own} & {*shipped}
            if not self._whole(shipped[run], own[run])
        }
        return own | shipped | both

    def _whole(self, shipped: Mapping, own: Mapping) -> bool:
        """Whether all weights that a record names are there, and its own names no further ones."""
        names = shipped.get("artifacts", {})
        further = own.get("artifacts", {}).keys() - names.keys()
        return not further and all(map(self.artifacts.path, names.values()))

    @property
    def artifacts(self) -> Artifacts:
        """What the runs of those records left."""
        if self.ships:
            return Artifacts(paths.data() / "artifacts", paths.root() / "build" / "artifacts")
        shipped = () if self.fresh else (paths.data() / "artifacts",)
        return Artifacts(self.folder / "artifacts", others=shipped)

    @contextlib.contextmanager
    def one_at_a_time(self) -> Iterator[None]:
        """Wait until no other process that asks for this computes runs of the profile, so that none
        computes what another one is about to record. The process that has it may ask again."""
        top = self.scratch.parent
        top.mkdir(parents=True, exist_ok=True)
        path = top / ".computing.lock"
        lock = FileLock(path, is_singleton=True)
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            print(f"waiting for another process that computes runs ({path})", file=sys.stderr)
            held = lock.acquire()
        with held:
            yield

    @property
    def _begun(self) -> Path:
        """A file that names experiments that are computed anew and have not come to their end."""
        return self.scratch.parent / ".begun"

    def begun(self, experiments: Iterable[str]) -> list[str]:
        """Which of these experiments were begun before and have not come to their end."""
        names = self._names()
        return [name for name in experiments if name in names]

    def begin(self, experiments: Iterable[str]) -> None:
        """Forget what is recorded of experiments, but for those that were `begun` before."""
        begun = self._names()
        for name in experiments:
            if name not in begun:
                self.forget(name)
                begun.append(name)
                replace_file(self._begun, "\n".join(begun).encode())

    def end(self, experiments: Iterable[str]) -> None:
        """What was begun of experiments has come to its end."""
        ended = set(experiments)
        left = [name for name in self._names() if name not in ended]
        replace_file(self._begun, "\n".join(left).encode())

    def _names(self) -> list[str]:
        return self._begun.read_text(encoding="utf-8").split() if self._begun.is_file() else []

    def forget(self, experiment: str) -> None:
        """Delete the records of one experiment and the artifacts that they alone name.

        Raises:
            Busy: if another process writes to them.
        """
        path = self.file(experiment)
        with store.writer(path):
            mine = named(store.load(path))
            for other in files.listed(path.parent) - {path}:
                mine -= named(store.load(other))
            for file in (files.packed(path), path):
                file.unlink(missing_ok=True)
            self.artifacts.forget(mine)


def named(records: Mapping[str, Mapping]) -> set[str]:
    """The artifacts that records name."""
    return {name for one in records.values() for name in one.get("artifacts", {}).values()}

"""What computing a run takes of a machine."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

DEVICES = ("cpu", "cuda")


class Room(NamedTuple):
    """What a machine has for runs."""

    cores: int
    memory_mib: int


@dataclass(frozen=True)
class Needs:
    """What computing one item takes.

    Attributes:
        cores: processor cores; the item's BLAS and OpenMP threads are as many.
        memory_mib: memory of its process at most.
        device: ``cpu`` or ``cuda``. On Ray a ``cuda`` item has a GPU of its own; the processes of
            one machine share its GPU.
        engine: what drives the item and is not part of this package: ``rllib``, which has
            processes of its own. None for most.

    Raises:
        ValueError: for a number below one or an unknown device.
    """

    cores: int = 1
    memory_mib: int = 500
    device: str = "cpu"
    engine: str | None = None

    def __post_init__(self):
        for name in ("cores", "memory_mib"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is {value!r}; expected a whole number above zero")
        if self.device not in DEVICES:
            raise ValueError(f"device is {self.device!r}; allowed: {', '.join(DEVICES)}")

    def within(self, rooms: Iterable[Room]) -> "Needs":
        """The same needs, cut down to the largest of ``rooms`` if none has what they ask for: such
        an item has that machine to itself.

        Example:
            >>> Needs(cores=4, memory_mib=900).within([Room(2, 8000), Room(3, 500)])
            Needs(cores=3, memory_mib=500, device='cpu', engine=None)
        """

        def had(room: Room) -> tuple[int, int]:
            return min(self.cores, room.cores), min(self.memory_mib, room.memory_mib)

        cores, memory_mib = max(had(room) for room in rooms)
        return replace(self, cores=cores, memory_mib=memory_mib)

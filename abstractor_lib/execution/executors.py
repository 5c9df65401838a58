"""One interface to what computes runs, and what all workers have in common.

An executor starts an item only where what it needs is free, and gives each item's result exactly
once, as it comes. `backends` knows the executors by name.
"""

import contextlib
import errno
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from .. import Failure
from ..experiments.needs import Needs

# glibc gives freed memory of a few MiB back to the system and asks for it again at every update;
# keeping it saved 5 % of the sorting models' training. Read by workers when they start.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(16 << 30)}
THREADS = (
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
)

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerLost(Failure):
    """A worker was killed, or has no memory left, and its item has no result."""


def one_core(item) -> Needs:
    """What an item needs if nothing else is said."""
    return Needs()


class Executor(ABC):
    """Computes a function over items. Leaving its ``with`` block ends every worker.

    Attributes:
        shares_files: whether workers read and write the files of this process.
        here: whether this process itself computes.
    """

    shares_files = True
    here = False

    @abstractmethod
    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        needs: Callable[[Item], Needs] = one_core,
    ) -> Iterator[Result]:
        """Results of ``function`` on each of ``items`` as they come, in any order.

        Args:
            function: called in another process; must be importable there.
            items: started in this order; read when there is room for them.
            needs: what an item needs, asked in this process.

        Raises:
            WorkerLost: if a worker was killed, after all results that were there.
            Exception: the first that ``function`` raises, likewise.
        """

    @abstractmethod
    def close(self) -> None:
        """End all workers, whatever they are doing."""

    def __enter__(self) -> "Executor":
        return self

    def __exit__(self, *error) -> None:
        self.close()


def environment() -> dict[str, str]:
    """What every worker finds in its environment when it starts."""
    kept = {name: os.environ.get(name, value) for name, value in KEEP_MEMORY.items()}
    return {**kept, **dict.fromkeys(THREADS, "1")}


def call(function: Callable[[Item], Result], item: Item, cores: int) -> Result:
    """What a worker does with an item.

    Raises:
        WorkerLost: if there is not enough memory for it.
    """
    try:
        with threads(cores):
            return function(item)
    except (MemoryError, RuntimeError, OSError) as error:
        if not out_of_memory(error):
            raise
        raise WorkerLost("a worker ran out of memory; fewer --jobs leave more for each") from None


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory is lacking; torch has a class for that on a GPU alone.

    Example:
        >>> out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"))
        True
        >>> out_of_memory(RuntimeError("shapes differ"))
        False
    """
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    names = {one.__name__ for one in type(error).__mro__}
    return bool(names & {"MemoryError", "OutOfMemoryError"}) or "allocate memory" in str(error)


@contextlib.contextmanager
def threads(cores: int) -> Iterator[None]:
    """BLAS and OpenMP of this process, which start with one thread, use ``cores`` of them here.
    Processes started meanwhile still begin with one."""
    if cores == 1:
        yield
        return
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    with threadpool_limits(cores):
        torch.set_num_threads(cores)
        try:
            yield
        finally:
            torch.set_num_threads(before)

"""The one fan-out: a function over items, in worker processes of one thread each."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import joblib

# glibc gives freed memory of a few MiB back to the system and asks for it again at every update;
# keeping it saved 5 % of the sorting models' training. Read by workers when they start.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(16 << 30)}

Item = TypeVar("Item")
Result = TypeVar("Result")


def fan_out(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[Result]:
    """Results of ``function`` on each of ``items`` as they come, in any order.

    Args:
        function: called in another process if ``jobs`` is above one; must be importable there.
        items: sent one at a time.
        jobs: worker processes, each with one BLAS and OpenMP thread.

    Raises:
        joblib.externals.loky.process_executor.TerminatedWorkerError: if a worker was killed.
    """
    for name, value in KEEP_MEMORY.items():
        os.environ.setdefault(name, value)
    with joblib.parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from parallel(joblib.delayed(function)(item) for item in items)

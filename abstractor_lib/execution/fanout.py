"""The one fan-out: a function over items, in worker processes of one thread each."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import joblib

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
    with joblib.parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from parallel(joblib.delayed(function)(item) for item in items)

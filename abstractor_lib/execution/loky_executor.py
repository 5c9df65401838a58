"""Runs in processes of this machine, by joblib's loky; none outlives the process that asked."""

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any

from joblib.externals.loky.process_executor import BrokenProcessPool, ProcessPoolExecutor

from ..experiments.needs import Needs, Room
from ..interrupts import whole_step
from .executors import (
    Executor,
    Item,
    Result,
    WorkerLost,
    call,
    environment,
    one_core,
)

POLL = 0.5  # seconds between two looks for the driver
END: Any = object()
GROUPS = Path("/sys/fs/cgroup")


class Loky(Executor):
    """Worker processes on this machine; with one job, this process itself.

    An item starts when the cores and the memory that it needs are free, in the order of the items:
    a large one is not overtaken while it waits. One that needs more than there is runs alone.

    Args:
        jobs: cores to use.
        memory_mib: memory to use; None for what is free when the first item starts.
    """

    def __init__(self, jobs: int = 1, memory_mib: int | None = None):
        self.jobs, self.memory_mib, self.here = jobs, memory_mib, jobs == 1
        self._pool: ProcessPoolExecutor | None = None
        self._running: dict[Future, Needs] = {}
        self._busy = False

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        needs: Callable[[Item], Needs] = one_core,
    ) -> Iterator[Result]:
        room = Room(self.jobs, self.memory_mib or free_memory_mib())
        if self.jobs == 1:
            for item in items:
                yield call(function, item, needs(item).within([room]).cores)
            return
        waiting, cores, memory = iter(items), *room
        self._busy, done = True, []
        try:
            item = next(waiting, END)
            while True:
                while item is not END:
                    take = needs(item).within([room])
                    if take.cores > cores or take.memory_mib > memory:
                        break
                    with whole_step():  # processes start; none is to be forgotten half started
                        future = self._workers().submit(call, function, item, take.cores)
                        self._running[future] = take
                    cores, memory = cores - take.cores, memory - take.memory_mib
                    item = next(waiting, END)
                yield from _results(done)  # while the workers are at the next items
                if not self._running:
                    self._busy = False
                    return
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in done:
                    take = self._running.pop(future)
                    cores, memory = cores + take.cores, memory + take.memory_mib
        except BrokenProcessPool:
            raise WorkerLost("a worker process was killed (out of memory?)") from None
        finally:
            if self._busy:  # an error, or nobody wants the other results
                self.close()

    def close(self) -> None:
        """End the workers; those that are computing are killed."""
        pool, busy, running = self._pool, self._busy, self._running
        self._pool, self._busy, self._running = None, False, {}
        if pool is None:
            return
        while not all(future.running() or future.done() for future in running):
            time.sleep(0.001)  # loky stumbles over an item that it has not yet handed on
        pool.shutdown(wait=True, kill_workers=busy)

    def _workers(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.jobs, env=environment(), initializer=watch, initargs=(os.getpid(),)
            )
        return self._pool


def _results(done: Iterable[Future]) -> Iterator:
    """Results of finished items, then the first error among them."""
    failed = []
    for future in done:
        error = future.exception()
        if error is None:
            yield future.result()
        else:
            failed.append(error)
    if failed:
        raise failed[0]


def watch(driver: int) -> None:
    """In a worker: end it, and every process that it starts, as soon as the driver is gone.

    The worker leads a process group of its own, so that Ctrl-C reaches the driver alone.

    Args:
        driver: process id of the worker's parent.
    """
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(POLL)
    with contextlib.suppress(OSError):
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def free_memory_mib() -> int:
    """Memory that runs may take: what the system calls available, within the limits of the control
    groups (container, batch job) that this process is in."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with contextlib.suppress(OSError):
        available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        limits += [int(available[1]) * 1024] if available else []
    with contextlib.suppress(OSError):
        own = re.search(r"^0::/(.*)$", Path("/proc/self/cgroup").read_text(), re.M)
        group = GROUPS / own[1] if own else GROUPS
        for folder in (group, *group.parents):
            with contextlib.suppress(OSError, ValueError):  # no file, or "max": no limit
                limits.append(int((folder / "memory.max").read_text()))
    return max(1, min(limits) >> 20)

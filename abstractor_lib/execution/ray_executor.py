"""Runs on a Ray cluster; those of a machine that goes away are computed again on another."""

import atexit
import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from queue import Empty, Queue

from joblib import cpu_count

from .. import Failure, __version__
from ..experiments.needs import Needs, Room
from . import local_ray
from .executors import (
    Executor,
    Item,
    Result,
    WorkerLost,
    call,
    environment,
    one_core,
)

RETRIES = 3  # of an item whose worker or machine died
PATIENCE = 20  # seconds for a cluster to answer, or to end
LOOK = 2.0  # seconds without a result until the head of the cluster is looked for
LOOKS = 3  # in vain, until it counts as lost; Ray waits a minute, and then ends this process


class Ray(Executor):
    """Workers of a Ray cluster, on whose nodes this package is installed.

    What an item needs is declared to Ray, which places it. One that needs more than any node has
    when it is sent takes the largest node for itself. An item is sent again, three times at most,
    if its worker or node dies; it then waits for a node that has what it was first given.

    Args:
        address: ``HOST:PORT`` of a cluster, or ``auto``; None starts one on this machine.
        cores: of the one started here; None for all.

    Raises:
        ValueError: if Ray is not installed, no cluster answers at ``address``, or one of its nodes
            has not this version of the package.
        Failure: if the one on this machine does not start.
    """

    shares_files = False

    def __init__(self, address: str | None = None, cores: int | None = None):
        self._local: subprocess.Popen | None = None
        self._head, self._lost = "", False
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is reported to anybody
        if address is None:  # only who knows the token can send work to the cluster
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        elif address != "auto":
            _check_address(address)
        with _own_signal_handlers():
            self._ray = self._import()
            try:
                self._ray.init(
                    address=address or self._start(cores or cpu_count()),
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    runtime_env={"env_vars": environment()},
                )
                self._head = self._ray.get_runtime_context().gcs_address
                self._check_nodes()
            except ConnectionError as error:
                self.close()
                raise ValueError(f"--address is {address!r}; {error}") from None
            except BaseException:
                self.close()
                raise

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        needs: Callable[[Item], Needs] = one_core,
    ) -> Iterator[Result]:
        ray = self._ray
        remote = ray.remote(call)
        waiting, running, done = iter(items), [], []
        try:
            while True:
                nodes = self._nodes()
                for item in islice(waiting, max(0, _ahead(nodes) - len(running))):
                    take = _within(needs(item), nodes)
                    options = remote.options(
                        num_cpus=take.cores,
                        memory=take.memory_mib << 20,
                        num_gpus=int(take.device == "cuda"),
                        max_retries=RETRIES,
                    )
                    running.append(options.remote(function, item, take.cores))
                yield from map(self._result, done)  # while the workers are at the next items
                if not running:
                    return
                done, running = self._wait(running)
        finally:
            for reference in [] if self._lost else running:  # an error, or nobody wants the others
                with contextlib.suppress(Exception):
                    ray.cancel(reference, force=True)

    def _wait(self, running):
        """Which items are finished, one at least, and which are not."""
        while True:
            done, others = self._ray.wait(running, timeout=LOOK)
            if done:
                return done, others
            self._look_for_head()

    def _look_for_head(self) -> None:
        """Raise WorkerLost if the head of the cluster is gone."""
        for _ in range(LOOKS):
            if _answers(self._head):
                return
            time.sleep(LOOK)
        self._lost = True
        raise WorkerLost(f"the head of the Ray cluster at {self._head} does not answer any more")

    def _import(self):
        """Ray, which reads its token from the environment now."""
        try:
            import ray
        except ImportError:
            raise ValueError(
                "--backend is 'ray'; Ray is not installed: pip install 'abstractor-companion[ray]'"
            ) from None
        return ray

    def _result(self, reference):
        """The result of a finished item, or the error that it raised, or that it has none."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise error.cause or error from None
        except errors.RayError as error:
            raise WorkerLost(
                f"a worker was killed at each of {1 + RETRIES} attempts ({type(error).__name__})"
            ) from None

    def _nodes(self) -> list[dict]:
        """What each node that is alive has. The head is asked in a thread of its own: it may go
        meanwhile, and Ray would wait for it.

        Raises:
            WorkerLost: if the head of the cluster is gone.
        """
        answer: Queue = Queue()

        def ask() -> None:
            with contextlib.suppress(Exception):
                answer.put([one["Resources"] for one in self._ray.nodes() if one["Alive"]])

        threading.Thread(target=ask, daemon=True).start()
        while True:
            with contextlib.suppress(Empty):
                return answer.get(timeout=LOOK)
            self._look_for_head()

    def _check_nodes(self) -> None:
        """Raise ValueError unless every node that computes has this version of the package."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

        def version() -> str:  # sent as it is: it must not need what it looks for
            try:
                return __import__("abstractor_lib").__version__
            except ImportError:
                return "not installed"

        nodes = [one for one in self._ray.nodes() if one["Alive"] and "CPU" in one["Resources"]]
        remote = self._ray.remote(num_cpus=0)(version)
        asked = [
            remote.options(scheduling_strategy=On(node["NodeID"], soft=False)).remote()
            for node in nodes
        ]
        for node, installed in zip(nodes, self._ray.get(asked), strict=True):
            if installed != __version__:
                raise ValueError(
                    f"the Ray node {node['NodeManagerHostname']} has abstractor_lib {installed}; "
                    f"expected {__version__}"
                )

    def _start(self, cores: int) -> str:
        """Start a cluster on this machine that ends with this process; its address."""
        process = self._local = subprocess.Popen(
            [sys.executable, "-P", local_ray.__file__, str(cores)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the driver
        )
        address = process.stdout.readline().strip() if process.stdout else ""
        if not address:
            raise Failure("Ray did not start on this machine; what it said is above")
        return address

    def close(self) -> None:
        """Leave the cluster, which ends this driver's workers there; end it if started here."""
        if not self._lost:
            self._ray.shutdown()
        else:
            _give_up(self._ray)
        if self._local is not None:
            with self._local as process:  # closes its standard input, which it waits for
                if process.stdin:
                    process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
                process.kill()
            self._local = None


class RLlib(Ray):
    """Runs that RLlib drives: in this process one after another, their actors on a Ray cluster.

    Args:
        address, cores: as for `Ray`.

    Raises:
        Unavailable: if RLlib is not installed.
    """

    shares_files = True
    here = True

    def _import(self):
        from ..training.rllib import need_rllib  # imports Ray

        need_rllib()
        return super()._import()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        needs: Callable[[Item], Needs] = one_core,
    ) -> Iterator[Result]:
        return map(function, items)


def _ahead(nodes: list[dict]) -> int:
    """How many items Ray may hold: twice those that can run, so that no core idles."""
    return 8 + 2 * int(sum(one.get("CPU", 0) for one in nodes))


def _within(needs: Needs, nodes: list[dict]) -> Needs:
    """``needs``, or what the largest node can give.

    Raises:
        ValueError: if no node has the device.
    """
    rooms = [
        Room(int(one["CPU"]), int(one.get("memory", 0)) >> 20)
        for one in nodes
        if one.get("CPU", 0) >= 1 and (needs.device == "cpu" or one.get("GPU", 0) >= 1)
    ]
    if not rooms:
        raise ValueError(f"device is {needs.device!r}; no node of the Ray cluster offers it")
    return needs.within(rooms)


def _give_up(ray) -> None:
    """Leave a cluster whose head is lost: Ray waits for it, here and once more at the end."""
    thread = threading.Thread(target=ray.shutdown, daemon=True)
    thread.start()
    thread.join(LOOK)
    if thread.is_alive():
        atexit.unregister(ray._private.worker.shutdown)


def _answers(address: str) -> bool:
    """Whether something listens at ``HOST:PORT``."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK).close()
    except OSError:
        return False
    return True


def _check_address(address: str) -> None:
    """Raise ValueError unless something listens at ``HOST:PORT``: Ray itself takes a minute."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise ValueError(f"--address is {address!r}; expected HOST:PORT, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"--address is {address!r}; no cluster answers there ({error})") from None


@contextlib.contextmanager
def _own_signal_handlers() -> Iterator[None]:
    """Keep the handlers of SIGINT and SIGTERM, which Ray replaces when it starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

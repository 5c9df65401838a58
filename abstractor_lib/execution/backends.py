"""Where runs are computed: `Loky` in processes of this machine, `Ray` on a cluster, `RLlib` in this
process with actors on a cluster."""

from .executors import Executor
from .loky_executor import Loky
from .ray_executor import Ray, RLlib

BACKENDS = ("loky", "ray")
ENGINES = {"rllib": RLlib}  # what drives some runs, and needs an executor of its own


def executor(
    backend: str = "loky", jobs: int = 1, address: str | None = None, engine: str | None = None
) -> Executor:
    """The executor of that name.

    Args:
        backend: ``loky`` or ``ray``.
        jobs: cores of this machine to use.
        address: of a Ray cluster, which then says itself how many cores there are; None starts one
            on this machine.
        engine: of the runs, of `ENGINES`; it says itself where they are computed. None for those
            that need none.

    Raises:
        ValueError: for an unknown backend, or an address without Ray.
    """
    if engine is not None:
        return ENGINES[engine](address, jobs)
    if backend == "ray":
        return Ray(address, jobs)
    if backend != "loky":
        raise ValueError(f"--backend is {backend!r}; allowed: {', '.join(BACKENDS)}")
    if address is not None:
        raise ValueError(f"--address is {address!r}; it is of a Ray cluster, add --backend ray")
    return Loky(jobs)

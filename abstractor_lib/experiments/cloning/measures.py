"""What claims on cloning measure. The numbers of puzzles and of updates are part of each statement,
so convergence is not asked for."""

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import mean_interval

SHARE = (0.0, 1.0)


@measure
def lead(frames: Frames, protocol: str, *, agents: list[str], size: int | None = None) -> Measured:
    """By how much the first of two agents, each as ``attention: observation, read-out``, wins more
    late puzzles than the second: the difference of the means over seeds. Without a ``size``, of the
    mean over all numbers of puzzles in training."""
    first, second = (_won(frames, protocol, agent, size) for agent in agents)
    interval = shift_interval(first, second, within=(-1.0, 1.0))
    words = f"{agents[0]} over {agents[1]}, {len(first)} against {len(second)} seeds"
    return Measured([Point(words, interval)])


@measure
def level(frames: Frames, protocol: str, *, agent: str, size: int) -> Measured:
    """The share of late puzzles that an agent wins, the mean over seeds."""
    values = _won(frames, protocol, agent, size)
    if len(values) < 2:
        raise NotRun(f"one run of {agent} alone")
    interval = mean_interval(values, within=SHARE)
    return Measured([Point(f"{agent}, {interval.n} seeds", interval)])


def _won(frames: Frames, protocol: str, agent: str, size: int | None) -> list[float]:
    """Late puzzles won, by seed."""
    name, variant = agent.split(": ")
    rows = select(frames, protocol)
    rows = rows[rows["model"].eq(name) & rows["variant"].eq(variant)]
    if size is not None:
        rows = rows[rows["size"].eq(size)]
    if rows.empty:
        trained = "" if size is None else f" trained on {size:,} puzzles"
        raise NotRun(f"no run of {agent}{trained}")
    return rows.groupby("trial")["late_greedy"].mean().tolist()

"""What claims on agents measure."""

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import mean_interval

SHARE = (0.0, 1.0)


@measure
def lead(
    frames: Frames, protocol: str, *, agents: list[str], metric: str = "late_mean"
) -> Measured:
    """By how much the first of two agents, each as ``attention: observation, read-out``, leads the
    second: the difference of the means over seeds. The budget is part of the statement."""
    first, second = (_values(frames, protocol, agent, metric) for agent in agents)
    interval = shift_interval(first, second, within=(-1.0, 1.0))
    words = f"{agents[0]} over {agents[1]}, {len(first)} against {len(second)} seeds"
    return Measured([Point(words, interval)])


@measure
def level(frames: Frames, protocol: str, *, agent: str, metric: str = "late_greedy") -> Measured:
    """The mean of a metric of an agent over seeds."""
    values = _values(frames, protocol, agent, metric)
    interval = mean_interval(values, within=SHARE)
    return Measured([Point(f"{agent}, {interval.n} seeds", interval)])


def _values(frames: Frames, protocol: str, agent: str, metric: str) -> list[float]:
    """A metric of an agent, one value a seed."""
    name, variant = agent.split(": ")
    rows = select(frames, protocol)
    rows = rows[(rows["model"] == name) & (rows["variant"] == variant)]
    if rows.empty:
        raise NotRun(f"no run of {agent}")
    return rows[metric].astype(float).tolist()

"""What claims on agents measure."""

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import mean_interval

LOOKS = 2  # claims on the main runs were judged with the first seeds, and again with all
SHARE = (0.0, 1.0)


@measure
def lead(
    frames: Frames,
    protocol: str,
    *,
    agents: list[str],
    metric: str = "late_mean",
    sizes: list[int] | None = None,
    looks: int = LOOKS,
) -> Measured:
    """By how much the first of two agents, each as ``attention: observation, read-out``, leads the
    second: the difference of the means over seeds. The budget is part of the statement; ``sizes``
    are the decisions of each agent's runs where there are several; ``looks`` says how often the
    claim is judged, each time with more seeds."""
    pairs = zip(agents, sizes or (None, None), strict=True)
    first, second = (_values(frames, protocol, agent, metric, size) for agent, size in pairs)
    interval = shift_interval(first, second, looks, within=(-1.0, 1.0))
    words = f"{agents[0]} over {agents[1]}, {len(first)} against {len(second)} seeds"
    return Measured([Point(words, interval)])


@measure
def level(
    frames: Frames,
    protocol: str,
    *,
    agent: str,
    metric: str = "late_greedy",
    size: int | None = None,
    looks: int = LOOKS,
) -> Measured:
    """The mean of a metric of an agent over seeds; see `lead`."""
    values = _values(frames, protocol, agent, metric, size)
    if len(values) < 2:
        raise NotRun(f"one run of {agent} alone")
    interval = mean_interval(values, looks, within=SHARE)
    return Measured([Point(f"{agent}, {interval.n} seeds", interval)])


def _values(
    frames: Frames, protocol: str, agent: str, metric: str, size: int | None
) -> list[float]:
    """A metric of an agent, one value a seed."""
    name, variant = agent.split(": ")
    rows = select(frames, protocol)
    rows = rows[(rows["model"] == name) & (rows["variant"] == variant)]
    if size is not None:
        rows = rows[rows["size"] == size]
    if rows.empty:
        budget = "" if size is None else f" with {size:,} decisions"
        raise NotRun(f"no run of {agent}{budget}")
    return rows[metric].astype(float).tolist()

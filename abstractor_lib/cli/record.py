"""A record as people read it, in lines of 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

from .. import experiments
from .printing import field

WIDE = 12  # columns of names
SHOWN = 5  # of the first losses


def told(record: Mapping, file: str) -> Iterator[str]:
    """What a record holds: whose run it is, its settings, metrics over trials, where it ran.

    Args:
        file: the record file.
    """
    spec, trials = record["spec"], record["spec"]["trials"]
    yield f"Run {record['run'][:12]}: {spec['experiment']}, {spec['protocol']}"
    yield ""
    columns = experiments.get(spec["experiment"]).columns(spec)
    for name in ("model", "size", "variant"):
        yield from field(name, [plain(columns[name])] if name in columns else [], WIDE)
    last = trials["first"] + trials["count"] - 1
    which = f"{trials['first']}" + f" to {last}" * (trials["count"] > 1)
    draw = "each its own draw of data" if spec["draw"] is None else f"draw {spec['draw']} of data"
    yield from field("trials", [f"{which}; {draw}"], WIDE)
    yield from field("file", [file], WIDE)
    yield from field("id", [record["run"]], WIDE)
    yield from ("", "Settings")
    for part in ("model", "task", "training"):
        pairs = (f"{name} {plain(value)}" for name, value in spec[part].items())
        yield from field(f"  {part}", [", ".join(pairs)], WIDE)
    for role, parent in spec["parents"].items():
        yield from field("  starts", [f"{role}: {parent['run'][:12]}, {parent['trial']}"], WIDE)
    many = trials["count"] > 1
    yield from (
        "",
        f"Metrics, mean of {trials['count']} trials (least to greatest)" * many or "Metrics",
    )
    wide = max(map(len, record["metrics"]), default=0)
    for name, values in record["metrics"].items():
        yield f"  {name:{wide}}  {spread(values)}"
    yield ""
    losses = [plain(one) for one in record["first_losses"][:SHOWN]]
    yield from field("losses", [f"{', '.join(losses)}, ... (first ones)"] * bool(losses), WIDE)
    points = max(map(len, record["curve"].values()), default=0)
    names = ", ".join(record["curve"])
    yield from field("curve", [f"{points} points of {names} (--json)"] * bool(points), WIDE)
    where = record["provenance"]
    told = (f"{name} {plain(value)}" for name, value in where.items())
    yield from field("computed", [", ".join(told)], WIDE)


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the trials that have the metric; None if none has.

    Example:
        >>> mean([1.0, None, 2.0]), mean([None])
        (1.5, None)
    """
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


def spread(values: Sequence[float | None]) -> str:
    """A metric over trials: its mean, the least and the greatest.

    Example:
        >>> spread([0.5, 0.7]), spread([0.25]), spread([None])
        ('0.6 (0.5 to 0.7)', '0.25', 'none')
    """
    known = [one for one in values if one is not None]
    middle = plain(mean(values))
    if len(known) < 2 or min(known) == max(known):
        return middle
    return f"{middle} ({plain(min(known))} to {plain(max(known))})"


def plain(value: object) -> str:
    """A value as people read it, numbers with four digits.

    Example:
        >>> plain(0.123456), plain(None), plain([1, 2.5]), plain({"a": 1}), plain(2000000)
        ('0.1235', 'none', '1 2.5', 'a 1', '2000000')
    """
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return " ".join(f"{name} {plain(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return " ".join(map(plain, value)) or "none"
    return str(value)

"""What needs no runs: how many parameters the sorters have."""

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.published import published
from ...findings.registry import measure

# of the models that `run.build` makes, under every protocol; a test builds them
PARAMETERS = {"abstractor": 386_954, "ablation": 386_954, "transformer": 469_898}


@measure
def parameters(frames: Frames, protocol: str, *, model: str, over: str) -> Measured:
    """Parameters of a model divided by those of another, beside the ratio of the printed ones."""
    printed = [int(published("sorting_parameters", name)["mean"].iloc[0]) for name in (model, over)]
    count, other = PARAMETERS[model], PARAMETERS[over]
    (point,) = known({f"{count:,} by {other:,} parameters": count / other}, 2).points
    return Measured([point._replace(published=round(printed[0] / printed[1], 3))])

"""What needs no runs: how many parameters the paper says that its sorters have."""

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.published import published
from ...findings.registry import measure


@measure
def printed_parameters(frames: Frames, protocol: str, *, model: str, over: str) -> Measured:
    """Printed parameters of a model divided by those of another."""
    counts = [int(published("sorting_parameters", name)["mean"].iloc[0]) for name in (model, over)]
    label = f"{counts[0]:,} by {counts[1]:,} parameters, as printed"
    return known({label: counts[0] / counts[1]}, 2)

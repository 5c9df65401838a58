"""What claims on the embedders of cards measure: the whole deck, so nothing is random."""

from ...findings.known import known
from ...findings.measures import Frames, Measured, select
from ...findings.registry import measure
from ...tasks.set_game import CARDS


@measure
def over_the_deck(frames: Frames, protocol: str, *, model: str, metric: str, end: str) -> Measured:
    """The worst value of a metric of the whole deck, over the trained networks of a protocol.

    Args:
        end: ``least`` or ``greatest``, whichever speaks most against the claim.
    """
    values = select(frames, protocol, model=model)[metric]
    worst = {"least": values.min, "greatest": values.max}[end]()
    count = f"{len(values)} network{'s' * (len(values) > 1)}"
    return known({f"{end} of {count}, {CARDS} cards": worst}, CARDS)

"""The grid of SET classification from pixels: two models, two training sizes, a run a trial."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ..cards.settings import PROTOCOLS as CARDS
from ..cards.settings import Task as Cards
from ..experiment import NewSpec
from ..protocol import cut
from ..set.settings import PROTOCOLS as ROWS
from ..set.settings import Task as Rows
from .settings import PixelsProtocol, Task, models, training


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    sizes: tuple[int, ...] | None = None
    trials: int | None = None
    rows: tuple[int, int, int] | None = None  # to train, validate and test on
    updates: int | None = None


PROFILES = {
    "smoke": Profile((40,), 1, (60, 30, 40), updates=4),
    "laptop": Profile(),
    "paper": Profile(trials=10),
}


def runs(new: NewSpec, amount: Profile, settings: PixelsProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    looks, rows = CARDS[settings.of.value], ROWS[settings.of.value]
    fit = cut(training(settings), None, amount.updates, every=2)
    counts = amount.rows or (rows.pool.value, rows.validation.value, rows.test.value)
    how = [getattr(rows, one).value for one in ("split", "order", "positives", "negatives")]
    cards = Cards(drawn=None, validation=0.0, channels=looks.channels.value)
    for train in amount.sizes or settings.sizes.value:
        task = Task(Rows(train, *counts, *how), cards)
        for model in models(looks, rows).values():
            for number in range(amount.trials or settings.trials.value):
                yield new(model, task, fit, Trials(number, 1), None)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant``, always ``curve``."""
    size = plain["task"]["rows"]["train"]
    return {"model": plain["model"]["name"], "size": size, "variant": "curve"}

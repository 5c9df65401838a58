"""The grid: five kinds of relations on three tasks, at one to three training sizes each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ..cards import embedder
from ..experiment import NewSpec
from ..order import settings as order
from ..protocol import cut
from ..set import settings as triples
from ..set.grid import EMBEDDER
from ..sorting import settings as sorting
from .settings import TASKS, BottleneckProtocol, Name, Probing, Task, models, training

# Milliseconds of an update of all trials of a run, about.
UPDATE = {"order": 8.0, "set": 14.0, "sorting": 40.0}
SLOWER = {"inner": 1.0, "mlp": 1.3}
PROBED = 20_000.0  # of the probes of ten trials


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    cards: str = "laptop"  # the profile whose card embeddings are read
    sizes: tuple[int, int, int] | None = None  # training examples of order, SET and sorting
    trials: int | None = None
    sorting_trials: int | None = None
    held: tuple[int, int] | None = None  # to validate and to test on
    probe: tuple[int, int, int] | None = None
    updates: int | None = None
    probe_updates: int | None = None


PROFILES = {
    "smoke": Profile("smoke", (40, 40, 40), 2, 1, (30, 40), (60, 30, 60), 4, 4),
    "laptop": Profile(),
    "paper": Profile(trials=20, sorting_trials=10),
}


def runs(new: NewSpec, amount: Profile, settings: BottleneckProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    of = settings.of.value
    for index, name in enumerate(TASKS):
        fit = cut(training(name, settings), None, amount.updates, every=2)
        sizes = amount.sizes[index : index + 1] if amount.sizes else None
        together = amount.trials or settings.trials.value
        blocks = [Trials(0, together)]
        if name == "sorting":
            count = amount.sorting_trials or settings.sorting_trials.value
            blocks = [Trials(number, 1) for number in range(count)]
        parents = {}
        if name == "set":
            cards = triples.PROTOCOLS[of].cards.value
            parents = {"cards": embedder(amount.cards, cards, EMBEDDER)}
        for train in sizes or getattr(settings, f"{name}_sizes").value:
            task = Task(name, _data(name, train, amount, of), _probing(name, amount, settings))
            for model in models(name, settings).values():
                pairs = sizes or settings.sorting_pairs.value
                if name == "sorting" and model.relation == "mlp" and train not in pairs:
                    continue
                for trials in blocks:
                    yield new(model, task, fit, trials, None, parents=parents)


def _data(name: Name, train: int, amount: Profile, of: str):
    """The data of a task, as its experiment takes them."""
    if name == "order":
        rows = order.PROTOCOLS[of]
        names = ("objects", "dim", "pairs", "test", "validation")
        return order.Task(train, **{one: getattr(rows, one).value for one in names})
    if name == "set":
        rows = triples.PROTOCOLS[of]
        names = ("pool", "validation", "test", "split", "order", "positives", "negatives")
        cls = triples.Task
    else:
        rows = sorting.PROTOCOLS[of]
        names = ("validation", "test", "pool", "length", "counts", "dims")
        cls = sorting.Task
    values = {one: getattr(rows, one).value for one in names}
    if amount.held:
        validation, test = amount.held
        values |= {"pool": 2 * train, "validation": validation, "test": test}
    return cls(train, **values)


def _probing(name: Name, amount: Profile, settings: BottleneckProtocol) -> Probing:
    counts = settings.order_probe.value if name == "order" else settings.probe.value
    counts = amount.probe or counts
    updates = amount.probe_updates or settings.probe_updates.value
    return Probing(*counts, settings.probe_hidden.value, updates)


def columns(plain: Mapping) -> dict:
    """What tables call a run: the kind of relations as ``model``; the task as ``variant``; training
    examples as ``size``."""
    task = plain["task"]
    return {
        "model": plain["model"]["name"],
        "size": task["data"]["train"],
        "variant": task["name"],
    }


def cost(spec: Spec) -> float:
    """Milliseconds of a run, about."""
    fits = UPDATE[spec.task.name] * spec.training.updates * SLOWER[spec.model.relation]
    return fits + PROBED * spec.task.probing.updates / 500 * (1 + spec.trials.count) / 11

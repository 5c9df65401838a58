"""Settings of the comparison of one Abstractor with a chain of two on relations between relations.

The papers have no such experiment; so there is one protocol, ours.
"""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, note, ours, setting, text, training_of

TaskName = Literal["rises", "rank", "same", "alike"]
Part = Literal["encoder", "abstractor"]
Arm = tuple[str, tuple[Part, ...], int, int]  # name, modules, layers of each, hidden width


@dataclass(frozen=True)
class Task:
    """A question of `tasks.pairs`. Pairs have ``attributes`` cosines, each of parts of ``dim``
    features. ``steps`` are those of `levels`, ``probability`` that of `shared`, ``least`` and
    ``threshold`` those of `uniform` and `alike`; 0 where the task has none."""

    name: TaskName
    pairs: int
    attributes: int
    dim: int
    steps: int
    probability: float
    least: float
    threshold: float
    validation: int
    test: int


@dataclass(frozen=True)
class Model:
    """Embedding -> modules, each reading the states of the one before -> answers.

    ``modules`` is empty for an MLP that reads all objects at once. The read-out is one linear map
    of each object's state by itself; or a network of the states of all objects, and ``network`` is
    its hidden width.
    """

    name: str
    modules: tuple[Part, ...]
    layers: int
    width: int
    heads: int
    hidden: int
    network: int | None


@dataclass(frozen=True)
class CompositionProtocol:
    """What we chose."""

    pairs: Sourced[int] = setting("pairs of an example")
    dim: Sourced[int] = setting("features of an object for each cosine")
    steps: Sourced[int] = setting("rises, rank: levels of the cosine")
    kinds: Sourced[int] = setting("same: attributes")
    probability: Sourced[float] = setting("same: probability that an attribute is shared")
    parts: Sourced[int] = setting("alike: cosines of a pair")
    least: Sourced[float] = setting("alike: cosines are uniform from")
    threshold: Sourced[float] = setting("alike: inner product of relations that counts as similar")
    validation: Sourced[int] = setting("validation examples")
    test: Sourced[int] = setting("test examples")
    seeds: Sourced[int] = setting("seeds")
    few_seeds: Sourced[int] = setting("seeds, read-out by a network")
    width: Sourced[int] = setting("features of a state")
    heads: Sourced[int] = setting("heads")
    arms: Sourced[tuple[Arm, ...]] = setting("modules, layers of each, hidden width")
    network: Sourced[int] = setting("hidden width of a read-out by a network")
    mlp: Sourced[int] = setting("MLP, hidden widths")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    schedule: Sourced[Literal["constant", "linear", "cosine"]] = setting("learning rate falls")
    warmup: Sourced[int] = setting("updates in which it rises")
    batch_size: Sourced[int] = setting("batch size, each of new examples")
    updates: Sourced[int] = setting("updates")
    validate_every: Sourced[int] = setting("updates between validations")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    read: Sourced[str] = note("read-out")
    answers: Sourced[str] = note("who answers")
    symbols: Sourced[str] = note("symbols of an Abstractor")
    relations: Sourced[str] = note("relations of an Abstractor's layers")
    positions: Sourced[str] = note("positions")
    initial: Sourced[str] = note("initial weights")
    dropout: Sourced[str] = note("dropout")


NAMES: dict[str, str] = {
    "one_layer": "one Abstractor, one layer",
    "two_layers": "one Abstractor, two layers",
    "chain": "chain of two Abstractors (e)",
    "self_attention": "Abstractor, then self-attention",
    "encoder": "encoder, then Abstractor (b)",
    "transformer": "Transformer encoder",
    "mlp": "MLP of all objects",
}

PROTOCOLS = {
    "sound": CompositionProtocol(
        pairs=ours(4, "eight objects; six pairs take twice as long"),
        dim=ours(4),
        steps=ours(12, "neighbours are 0.18 apart"),
        kinds=ours(2, "four relations"),
        probability=ours(
            0.7, "with 0.5 the own pair tells less, and nothing is learned step by step"
        ),
        parts=ours(3),
        least=ours(-0.4, "likewise; with -1 it tells less"),
        threshold=ours(0.23, "about half of all answers are yes"),
        validation=ours(512),
        test=ours(2048),
        seeds=ours(8),
        few_seeds=ours(5, "a control"),
        width=ours(32),
        heads=ours(4),
        arms=ours(
            (
                ("one_layer", ("abstractor",), 1, 195),
                ("two_layers", ("abstractor",), 2, 64),
                ("chain", ("abstractor", "abstractor"), 1, 62),
                ("self_attention", ("abstractor", "encoder"), 1, 64),
                ("encoder", ("encoder", "abstractor"), 1, 64),
                ("transformer", ("encoder",), 2, 66),
            ),
            "two layers of attention but for one_layer; as many parameters, within 1 %",
        ),
        network=ours(64),
        mlp=ours(128, "more parameters than the others have"),
        learning_rate=ours(3e-3, "not searched, the same for all models"),
        schedule=ours("cosine"),
        warmup=ours(100),
        batch_size=ours(64),
        updates=ours(2500, "160,000 examples"),
        validate_every=ours(125),
        restore=ours("best", "the lowest validation loss"),
        read=ours(
            "one linear map of each state", "a network of all states could compare relations itself"
        ),
        answers=ours("both objects of a pair, each from its own state"),
        symbols=text("learned; each Abstractor of a chain has its own", "v1 3.3"),
        relations=text("between what the Abstractor reads, in every layer", "v3 Algorithm 1"),
        positions=ours("pair and side, one-hot features of the objects"),
        initial=ours("keras"),
        dropout=ours("none", "examples are new in every batch"),
    )
}


def training(settings: CompositionProtocol) -> Training:
    """Of every model."""
    # a run is one seed, which one plain pass computes faster than a vectorised one
    return training_of(settings, loss="masked_cross_entropy", together=False)


def tasks(settings: CompositionProtocol) -> dict[str, Task]:
    """The tasks, by name, in the order in which tables list them."""
    steps, threshold = settings.steps.value, settings.threshold.value
    likely, least = settings.probability.value, settings.least.value

    def task(
        name: TaskName,
        attributes: int = 1,
        steps: int = 0,
        likely: float = 0.0,
        least: float = 0.0,
        threshold: float = 0.0,
    ) -> Task:
        of_all = (settings.pairs.value, attributes, settings.dim.value)
        held_out = (settings.validation.value, settings.test.value)
        return Task(name, *of_all, steps, likely, least, threshold, *held_out)

    every = (
        task("rises", steps=steps),
        task("rank", steps=steps),
        task("same", settings.kinds.value, likely=likely),
        task("alike", settings.parts.value, least=least, threshold=threshold),
    )
    return {one.name: one for one in every}


def models(settings: CompositionProtocol) -> dict[str, Model]:
    """The models with a linear read-out, by name, and the MLP."""
    sizes = (settings.width.value, settings.heads.value)
    every = [
        Model(name, modules, layers, *sizes, hidden, None)
        for name, modules, layers, hidden in settings.arms.value
    ]
    every.append(Model("mlp", (), 0, *sizes, settings.mlp.value, None))
    return {one.name: one for one in every}

"""Settings of the comparison of architectures on a partially relational task.

The papers have no such experiment; so there is one protocol, ours. Objects, sizes of the networks
and optimiser are those of the experiment sorting under ``sound``.
"""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of
from ..sorting.settings import Task as Sequences

Name = Literal["sort", "sort_and_report", "report"]
Sensory = Literal["alternate", "concatenate"]


@dataclass(frozen=True)
class Task:
    """Which task of `tasks.coloured`, and its sequences: colours are one of ``kinds``, each a
    vector of ``colour_dim`` features."""

    name: Name
    sequences: Sequences
    kinds: int
    colour_dim: int


@dataclass(frozen=True)
class Model:
    """An architecture of v3 Figure 2, how its decoder reads two contexts, if it has two, and
    whether its relations are ``strict``: of other objects alone, without biases, and of objects
    without positions."""

    name: str
    architecture: Literal["transformer", "a", "b", "c", "d"]
    sensory: Sensory | None
    layers: int
    heads: int
    key_dim: int
    dim: int
    hidden: int
    dropout: float
    initialisation: Literal["keras", "torch"]
    strict: bool = False


@dataclass(frozen=True)
class PartialProtocol:
    """What we chose."""

    tasks: Sourced[tuple[Name, ...]] = setting("tasks")
    sizes: Sourced[tuple[int, ...]] = setting("training sequences, sort and report")
    pure_sizes: Sourced[tuple[int, ...]] = setting("training sequences, sort or report alone")
    trials: Sourced[int] = setting("seeds")
    many_trials: Sourced[int] = setting("seeds of models, tasks and sizes that claims are of")
    counts: Sourced[tuple[int, int]] = setting("values of the two attributes that make the order")
    dims: Sourced[tuple[int, int]] = setting("features of these attributes, i.i.d. N(0, 1)")
    kinds: Sourced[int] = setting("colours, independent of objects and order")
    colour_dim: Sourced[int] = setting("features of a colour, i.i.d. N(0, 1)")
    length: Sourced[int] = setting("distinct objects of a sequence, uniform")
    pool: Sourced[int] = setting("training pool, of which a seed draws n sequences")
    validation: Sourced[int] = setting("validation sequences")
    test: Sourced[int] = setting("test sequences")
    dim: Sourced[int] = setting("model width")
    heads: Sourced[int] = setting("heads")
    key_dim: Sourced[int] = setting("key width of a head")
    hidden: Sourced[int] = setting("feed-forward width")
    layers: Sourced[int] = setting("layers of a module")
    transformer_layers: Sourced[int] = setting("layers of a module, Transformer")
    dropout: Sourced[float] = setting("dropout")
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    betas: Sourced[tuple[float, float]] = setting("Adam, betas")
    epsilon: Sourced[float] = setting("Adam, epsilon")
    loss: Sourced[str] = setting("loss")
    batch_size: Sourced[int] = setting("batch size")
    strict: Sourced[str] = note("a control, (a) strict")
    updates: Sourced[int] = setting("most updates")
    validate_every: Sourced[int] = setting("updates between validations")
    goal: Sourced[float] = setting("teacher-forced validation accuracy that ends a run")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    told: Sourced[str] = note("an answer")
    drawn: Sourced[str] = note("objects, colours, split")
    symbols: Sourced[str] = note("symbols of the Abstractor")
    attention: Sourced[str] = note("self-attention of the abstract states")
    contexts: Sourced[str] = note("two contexts")
    positions: Sourced[str] = note("positions")


PROTOCOLS = {
    "sound": PartialProtocol(
        tasks=ours(
            ("sort", "sort_and_report", "report"), "purely relational; partially; not at all"
        ),
        sizes=ours((1000, 3000), "in `sorting` an Abstractor sorts; a Transformer does, too"),
        pure_sizes=ours((1000,), "the two ends of the scale; computing time"),
        trials=ours(5),
        many_trials=ours(10, "the further five are computed whatever the first give"),
        counts=text((4, 12), "v3 4.2"),
        dims=text((4, 8), "v3 4.2"),
        kinds=ours(4),
        colour_dim=ours(4, "as many as the first attribute has"),
        length=text(10, "v3 4.2"),
        pool=ours(3000, "the largest training set"),
        validation=ours(500),
        test=ours(2000),
        dim=text(64, "v3 B.2.1"),
        heads=text(2, "v3 B.2.1"),
        key_dim=counted(64, "386,954, of v3's sorter"),
        hidden=text(64, "v3 B.2.1"),
        layers=text(2, "v3 B.2.1; in (a) too, where B.2.2 has 1"),
        transformer_layers=text(4, "v3 B.2.1; within 4 % of the parameters of (c) and (d)"),
        dropout=code(0.1),
        initialisation=code("keras"),
        learning_rate=text(1e-3, "v3 B.2.1; not searched, the same for all"),
        betas=text((0.9, 0.999), "v3 B.2.1"),
        epsilon=text(1e-7, "v3 B.2.1"),
        loss=text("cross_entropy", "v3 B.2.1"),
        batch_size=ours(64, "the text has 512, which takes six times as long"),
        strict=ours(
            "relations of others, no biases, objects without positions; tells colours alone or too",
            "of (a), whose relations may tell of a colour",
        ),
        updates=ours(3000, "the same for every model, task and size; `goal` ends most runs before"),
        validate_every=ours(50),
        goal=ours(
            0.995,
            "a run that has learned its task saves the rest of its updates; two that "
            "reach it have nearly the same accuracy",
        ),
        restore=text("best", "v3 B.2.1"),
        told=ours("a position and a colour in one token", "so it says whose colour it tells"),
        drawn=ours("a draw of each seed; the same for every model and task"),
        symbols=text("learned", "v3 B.2.1"),
        attention=counted("yes", "386,954, of v3's sorter"),
        contexts=text("attended to in turn (v3 Algorithm 2); joined (v1 2.5)", "v3 3, v1 2.5"),
        positions=code("sinusoids, added to objects, symbols and answers"),
    )
}

NAMES: dict[str, str] = {
    "a": "(a) Abstractor, decoder",
    "a_strict": "(a) with a strict bottleneck",
    "b": "(b) encoder, Abstractor, decoder",
    "c": "(c) two streams",
    "d": "(d) sensory-connected, in turn",
    "d_joined": "(d) sensory-connected, joined",
    "transformer": "Transformer",
}
SHORT = {name: "Transformer" if name == "transformer" else f"({name[0]})" for name in NAMES}
SHORT |= {"a_strict": "(a) strict", "d": "(d) in turn", "d_joined": "(d) joined"}


def training(settings: PartialProtocol) -> Training:
    """Of every model."""
    return training_of(settings)


def models(settings: PartialProtocol) -> dict[str, Model]:
    """The models, by name."""

    same = ("heads", "key_dim", "dim", "hidden", "dropout", "initialisation")
    sizes = {one: getattr(settings, one).value for one in same}
    layers, more = settings.layers.value, settings.transformer_layers.value
    every = [
        Model("a", "a", None, layers, **sizes),
        Model("a_strict", "a", None, layers, **sizes, strict=True),
        Model("b", "b", None, layers, **sizes),
        Model("c", "c", "alternate", layers, **sizes),
        Model("d", "d", "alternate", layers, **sizes),
        Model("d_joined", "d", "concatenate", layers, **sizes),
        Model("transformer", "transformer", None, more, **sizes),
    ]
    return {one.name: one for one in every}

"""Settings of the comparison of attention layers on relations of three objects.

The paper has no such experiment; so there is one protocol, ours.
"""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, note, ours, setting, training_of

TASKS = ("match3", "coplanar")


@dataclass(frozen=True)
class Task:
    """Which task of `tasks.three_way`; numbers modulo ``modulus``, or vectors of ``dim``."""

    name: Literal["match3", "coplanar"]
    objects: int
    modulus: int
    dim: int
    validation: int
    test: int


@dataclass(frozen=True)
class Model:
    """Embedding -> layers -> an answer for each object. ``logits`` is that of 2-simplicial
    attention over all pairs, beside standard attention; None for standard attention alone."""

    name: str
    dim: int
    heads: int
    hidden: int
    layers: int
    logits: Literal["unsigned", "trilinear", "pairs", "uniform"] | None
    simplicial_dim: int


Sizes = tuple[int, int, int]  # width, hidden width of the feed-forward network, layers


@dataclass(frozen=True)
class ThreeWayProtocol:
    """What we chose."""

    objects: Sourced[tuple[int, int]] = setting("objects: numbers; vectors")
    modulus: Sourced[int] = setting("numbers are added modulo")
    dim: Sourced[int] = setting("dimensions of vectors")
    validation: Sourced[int] = setting("examples to validate on")
    test: Sourced[int] = setting("examples to test on")
    seeds: Sourced[int] = setting("seeds")
    first_seeds: Sourced[int] = setting("of them computed first")
    layer: Sourced[Sizes] = setting("width, feed-forward width, layers")
    heads: Sourced[int] = setting("heads of standard attention")
    simplicial_dim: Sourced[int] = setting("2-simplicial head, one")
    wide: Sourced[Sizes] = setting("one layer, as many parameters")
    two: Sourced[Sizes] = setting("two layers of that width")
    two_matched: Sourced[Sizes] = setting("two layers, as many parameters")
    deep: Sourced[Sizes] = setting("as many operations")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    batch_size: Sourced[int] = setting("batch size, each of new examples")
    updates: Sourced[int] = setting("updates")
    validate_every: Sourced[int] = setting("updates between validations")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    pairs: Sourced[str] = note("pairs of the 2-simplicial attention")
    norm: Sourced[str] = note("layer normalisation")
    weights: Sourced[str] = note("weights of several layers")
    scale: Sourced[str] = note("scale of logits")
    initial: Sourced[str] = note("initial weights")
    read: Sourced[str] = note("embedding and answer")
    epsilon: Sourced[str] = note("epsilon of Adam")


PROTOCOLS = {
    "sound": ThreeWayProtocol(
        objects=ours((8, 8)),
        modulus=ours(32, "an object is part of a triple in about half of all cases"),
        dim=ours(6),
        validation=ours(1024),
        test=ours(4096, "Match3: about 9 % also trained on, in another order"),
        seeds=ours(8),
        first_seeds=ours(5, "the other three are computed whatever these give"),
        layer=ours((32, 32, 1)),
        heads=ours(2, "as the paper's agents"),
        simplicial_dim=ours(24),
        wide=ours((32, 304, 1)),
        two=ours((32, 32, 2)),
        two_matched=ours((46, 46, 2)),
        deep=ours((32, 32, 5)),
        learning_rate=ours(1e-3, "not searched, the same for all models"),
        batch_size=ours(256),
        updates=ours(16_000, "4.1 million examples"),
        validate_every=ours(500),
        restore=ours("best", "the lowest validation loss"),
        pairs=ours("of all objects, no virtual entities"),
        norm=ours("as the paper's agents"),
        weights=ours("of their own"),
        scale=ours("1 for unsigned, 24^-1/2 for others", "each as in its own paper"),
        initial=ours("torch's defaults", "the public code's are those of Glorot"),
        read=ours("one linear map or table; a network of one hidden layer"),
        epsilon=ours("1e-7", "as elsewhere here"),
    )
}


def training(settings: ThreeWayProtocol) -> Training:
    """Of every model."""
    # a run is one seed, which one plain pass computes faster than a vectorised one
    return training_of(settings, loss="binary_cross_entropy", together=False)

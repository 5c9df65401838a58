"""Settings of the mathematics of 2-simplicial attention, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ..protocol import Sourced, code, note, ours, setting, text

Logits = Literal["unsigned", "trilinear", "determinant", "pairs"]


@dataclass(frozen=True)
class Task:
    """``dim``: of the space H of queries and keys. ``count``: triples of vectors, or examples.
    ``entities`` and ``virtual``: N and M; without virtual ones all entities make pairs."""

    dim: int
    count: int = 1
    entities: int = 0
    virtual: int = 0


@dataclass(frozen=True)
class Model:
    """``algebra``: the lemmas in the executable Clifford algebra. ``triples``: the triple product
    of random vectors. ``start``: attention with the initial weights of the paper's agent. ``cost``:
    operations of 2-simplicial attention, counted. ``relatives``: the read head and the
    Hopfield update, as printed and by attention. ``permuted``: 1-simplicial attention as a function
    of sets, the encoder of a Transformer with entities in another order; ``permuted_1d`` and
    ``permuted_relational``: the Transformers of function learning with tokens in another order."""

    name: Literal[
        "algebra",
        "triples",
        "start",
        "cost",
        "relatives",
        "permuted",
        "permuted_1d",
        "permuted_relational",
    ]
    logits: Logits = "unsigned"
    scale: float = 1.0


@dataclass(frozen=True)
class Nothing:
    """Nothing is trained."""

    updates: int = 0


@dataclass(frozen=True)
class SimplicialProtocol:
    """What the text says."""

    head: Sourced[int] = setting("dimension of the 2-simplicial head")
    virtual: Sourced[int] = setting("virtual entities")
    entities: Sourced[int] = setting("entities at the start")
    scales: Sourced[tuple[float, ...]] = setting("scale of the triple product's logits")
    product: Sourced[str] = note("logits")
    values: Sourced[str] = note("values of pairs")
    heads: Sourced[str] = note("heads")
    pairs: Sourced[str] = note("softmax with virtual entities")
    norm: Sourced[str] = note("layer normalisation")

    triples: Sourced[str] = note("vectors", ours("independent, standard normal entries"))
    start: Sourced[str] = note(
        "entities at the start", ours("in 64 dimensions, standard normal entries")
    )
    weights: Sourced[str] = note("initial weights", code("Glorot uniform"))


PROTOCOLS = {
    "described": SimplicialProtocol(
        head=text(48, "section 4: dim(H2) = 48"),
        virtual=text(2, "section 4: M = 2 for the simplicial agent"),
        entities=text(40, "section 6; section 4 has the formula"),
        scales=text((1.0, 48**-0.5), "eq. 10 has none; ours: the usual one beside it"),
        product=text("unsigned scalar triple product", "eq. 7"),
        values=text("one learned tensor B, linear, unconstrained", "eq. 10"),
        heads=text("direct sum of heads, concatenated", "eq. 4, and below eq. 12"),
        pairs=code("over the pairs of virtual entities", "eq. 13 prints s, t = 1, ..., N + M"),
        norm=text("of the entities, the 2-simplicial output and the result", "section 4"),
    )
}

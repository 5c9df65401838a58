"""Settings of the experiment on function classes: mathematics, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ..protocol import Sourced, ours, setting, text


@dataclass(frozen=True)
class Task:
    """A target of `tasks.relations` on random relation tensors, or ``relations`` themselves:
    reading them back from states with noise of standard deviation ``noise``."""

    target: str
    objects: int
    train: int = 4096
    validation: int = 1024
    test: int = 4096
    noise: float = 0.0


@dataclass(frozen=True)
class Model:
    """What reads the relations.

    ``one_step``: a_i = phi(S R_i) (v1 Lemma 3.1). ``two_layers``: messages once more, over the same
    relations (eq. 3.8). ``chain``: a second Abstractor with relations between the first one's
    states (Lemma 3.2). ``free``: one Abstractor whose encoders are trained, on objects that hold
    their rows. ``inverse``: no training, R = A S^+ with symbols drawn at random.
    """

    name: Literal["one_step", "two_layers", "chain", "free", "inverse"]
    symbol_dim: int
    width: int = 64  # of hidden layers
    relations: int = 4  # dimensions of relations that are learned
    key_dim: int = 16


@dataclass(frozen=True)
class FunctionProtocol:
    """What the text says."""

    network: Sourced[str] = setting("phi")
    relations: Sourced[str] = setting("relations of one step")


PROTOCOLS = {
    "described": FunctionProtocol(
        network=text("a feed-forward network, shared by all objects", "v1 3.2"),
        relations=text("fixed, given", "v1 3.2, Algorithm 1"),
    )
}

COMMON: tuple[tuple[str, Sourced], ...] = (
    ("relations", ours("binary, each with probability 1/2, or uniform in [-1, 1]")),
    ("an object's relation to itself", ours("2 in binary tensors: a row tells whose it is")),
    ("phi", ours("two hidden layers, relu")),
    ("learned relations", ours("linear activation, an embedder of one hidden layer")),
    ("training", ours("Adam, 3e-3, batches of 256 tensors, best validation weights")),
)

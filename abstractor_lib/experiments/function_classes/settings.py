"""Settings of the experiment on function classes: mathematics, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, note, ours, setting, text, training_of


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
    states (Lemma 3.2). ``chain_of_three``: a third one with relations between the second one's.
    ``free``: one Abstractor whose encoders are trained, on objects that hold
    their rows. ``inverse``: no training, R = A S^+ with symbols drawn at random.
    """

    name: Literal["one_step", "two_layers", "chain", "chain_of_three", "free", "inverse"]
    symbol_dim: int
    width: int = 64  # of hidden layers
    relations: int = 4  # dimensions of relations that are learned
    key_dim: int = 16


@dataclass(frozen=True)
class FunctionProtocol:
    """What the text says."""

    network: Sourced[str] = note("network phi")
    relations: Sourced[str] = note("relations of one step, of two layers")

    tensors: Sourced[str] = note(
        "relation tensors",
        ours("binary: each holds with probability 1/2; graded: uniform in [-1, 1]"),
    )
    diagonal: Sourced[str] = note(
        "an object's relation to itself",
        ours("2 in binary tensors, so that a row tells whose it is"),
    )
    layers: Sourced[str] = note("layers of phi", ours("two hidden layers of 64, ReLU"))
    learned: Sourced[str] = note(
        "learned relations",
        ours("four dimensions, linear activation, an embedder with one hidden layer of 64"),
    )
    learning_rate: Sourced[float] = setting("learning rate (Adam)", ours(3e-3))
    batch_size: Sourced[int] = setting("batch size (relation tensors)", ours(256))
    validations: Sourced[int] = setting("validations in a run", ours(30))
    restore: Sourced[str] = setting("validation checkpoint used", ours("best"))


PROTOCOLS = {
    "described": FunctionProtocol(
        network=text("a feed-forward network, shared by all objects", "v1 3.2"),
        relations=text("fixed, given", "v1 3.2, Algorithm 1"),
    )
}


def training(protocol: FunctionProtocol, updates: int) -> Training:
    """The training settings, with a budget of so many updates."""
    every = max(updates // protocol.validations.value, 1)
    return training_of(protocol, loss="cross_entropy", updates=updates, validate_every=every)

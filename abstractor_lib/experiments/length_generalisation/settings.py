"""Settings of length generalisation: sorters that are tested on longer sequences.

No paper has such an experiment: v3 leaves it to future work. So there is one protocol, ours.
"""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, note, ours, setting, text, training_of

Core = Literal["abstractor", "transformer"]
Positions = Literal["learned", "sinusoidal", "relative", "bias", "rotary", "none"]


@dataclass(frozen=True)
class Task:
    """Sequences of ``shortest`` to ``longest`` objects to train on, of ``lengths`` to test on.
    Randomised positions are drawn from ``span``. Of each length there are ``validation``, ``test``
    and ``probe`` sequences; the probe is fitted on the latter."""

    counts: tuple[int, int]
    dims: tuple[int, int]
    shortest: int
    longest: int
    lengths: tuple[int, ...]
    span: int
    validation: int
    test: int
    probe: int

    @property
    def trained(self) -> tuple[int, ...]:
        """The lengths of the training."""
        return tuple(range(self.shortest, self.longest + 1))


@dataclass(frozen=True)
class Model:
    """A core that turns objects into states, and a decoder that points at them. ``positions`` are
    an Abstractor's symbols, or how a Transformer knows positions."""

    name: str
    core: Core
    positions: Positions
    randomised: bool
    dim: int
    heads: int
    key_dim: int
    hidden: int
    layers: int
    decoder_layers: int
    buckets: int
    farthest: int


@dataclass(frozen=True)
class LengthProtocol:
    """What the text says of sorters, and what we chose."""

    counts: Sourced[tuple[int, int]] = setting("values of the two attributes")
    dims: Sourced[tuple[int, int]] = setting("features of the attributes")
    trained: Sourced[tuple[int, int]] = setting("lengths in training, from and to")
    lengths: Sourced[tuple[int, ...]] = setting("lengths in the test")
    span: Sourced[int] = setting("randomised positions are drawn from")
    validation: Sourced[int] = setting("validation sequences of each length in training")
    test: Sourced[int] = setting("test sequences of each length")
    probe: Sourced[int] = setting("sequences of each length in training, for the probe")
    seeds: Sourced[int] = setting("seeds")
    dim: Sourced[int] = setting("width")
    heads: Sourced[int] = setting("heads")
    key_dim: Sourced[int] = setting("key width of a head")
    hidden: Sourced[int] = setting("feed-forward width")
    layers: Sourced[int] = setting("layers of the core")
    decoder_layers: Sourced[int] = setting("layers of the decoder")
    buckets: Sourced[int] = setting("relative bias: buckets")
    farthest: Sourced[int] = setting("relative bias: distance from which all share a bucket")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    schedule: Sourced[Literal["constant", "linear", "cosine"]] = setting("learning rate, schedule")
    warmup: Sourced[int] = setting("updates of warm-up")
    batch_size: Sourced[int] = setting("batch size, new sequences of one length")
    updates: Sourced[int] = setting("updates")
    validate_every: Sourced[int] = setting("updates between validations")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    embedding: Sourced[str] = note("embedding of an object")
    abstractor: Sourced[str] = note("Abstractor")
    relative: Sourced[str] = note("relative symbols")
    pointer: Sourced[str] = note("decoder")
    randomised: Sourced[str] = note("randomised positions")
    fresh: Sourced[str] = note("sequences")
    dropout: Sourced[str] = note("dropout")
    read: Sourced[str] = note("probe")
    initial: Sourced[str] = note("initial weights")


PROTOCOLS = {
    "sound": LengthProtocol(
        counts=text((4, 12), "v3 4.2"),
        dims=text((4, 8), "v3 4.2"),
        trained=ours((5, 10), "the text has 10"),
        lengths=ours((5, 8, 10, 11, 12, 14, 16, 20), "up to twice the longest in training"),
        span=ours(20, "the longest length in the test"),
        validation=ours(128),
        test=ours(500),
        probe=ours(200),
        seeds=ours(5),
        dim=text(64, "v3 B.2.1"),
        heads=text(2, "v3 B.2.1"),
        key_dim=ours(32, "width over heads; v3's counts imply 64"),
        hidden=text(64, "v3 B.2.1"),
        layers=text(2, "v3 B.2.1"),
        decoder_layers=text(2, "v3 B.2.1"),
        buckets=ours(16, "T5 has 32"),
        farthest=ours(8, "T5 has 128; so no bucket is left untrained by lengths up to 10"),
        learning_rate=text(1e-3, "v3 B.2.1"),
        schedule=ours("cosine"),
        warmup=ours(200),
        batch_size=ours(128),
        updates=ours(2000, "256,000 sequences; enough for the lengths in training, by a pilot"),
        validate_every=ours(200),
        restore=ours("best", "the lowest validation loss, on lengths in training"),
        embedding=ours("a network of one hidden layer", "v3 has a linear map"),
        abstractor=ours("on embedded objects, without encoder and self-attention", "equal sizes"),
        relative=ours("sinusoids of the offset", "no symbol is left untrained"),
        pointer=ours("points at states, each once; no positions", "any length has an output"),
        randomised=ours("one draw a batch, at test too", "Ruoss et al. 2023"),
        fresh=ours("new ones at each update; objects of a seed are fixed"),
        dropout=ours("none", "no sequence is seen twice"),
        read=ours("ridge regression of an object's rank over length, from states"),
        initial=ours("Glorot, as v3's code"),
    )
}


def training(settings: LengthProtocol) -> Training:
    """Of every model."""
    # a run is one seed, which one plain pass computes faster than a vectorised one
    return training_of(settings, loss="sequence_cross_entropy", together=False)

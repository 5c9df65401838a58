"""Settings of serial control: worlds of triples, heads, reader and controllers.

v1 section 5 proposes a controller of attention heads and builds none; so there is one protocol,
ours. The Abstractor whose heads are trained has the sizes of v3's for SET.
"""

from dataclasses import dataclass
from typing import Literal

from ...tasks.set_heads import Others, World
from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of

WorldName = Literal["exact", "unequal", "cued", "mostly_cued"]
Flips = tuple[float, ...]
Cued = tuple[float, ...]
PRICES = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)  # of a head, in wrong answers


@dataclass(frozen=True)
class Task:
    """A world of triples, see `tasks.set_heads.World`. ``train`` triples train the reader, as many
    others the controllers; others yet are to validate and to test on. SETs, and other triples, are
    divided between the four parts in proportion to ``shares``."""

    world: WorldName
    others: Others
    cue: float
    flips: tuple[float, ...]
    shares: tuple[int, ...]
    train: int
    validation: int
    test: int

    @property
    def drawn(self) -> World:
        """As the task takes it."""
        return World(self.others, self.cue, self.flips)


@dataclass(frozen=True)
class Model:
    """``given`` heads read the relations of the four attributes. ``trained`` ones are those of an
    Abstractor that is trained first, on all of its heads; its sizes are 0 for given heads.

    ``hidden``: widths of the two hidden layers of the reader and of each controller.
    """

    name: Literal["given", "trained"]
    hidden: int
    embed: int = 0
    key_dim: int = 0
    symbol_dim: int = 0
    feedforward: int = 0
    head_updates: int = 0
    head_batch: int = 0
    head_rate: float = 0.0


@dataclass(frozen=True)
class SerialProtocol:
    """What we chose, and the sizes of v3's Abstractor for SET."""

    flips: Sourced[Flips] = setting("unequal heads: probability that a bit is wrong")
    cues: Sourced[Cued] = setting("cued, mostly cued: how often the number tells the broken head")
    shares: Sourced[tuple[int, ...]] = setting("SETs of reader, controllers, validation, test")
    train: Sourced[int] = setting("triples to train the reader on, and the controllers")
    validation: Sourced[int] = setting("triples to validate on, and to choose all settings by")
    test: Sourced[int] = setting("triples to test on")
    seeds: Sourced[int] = setting("seeds")
    hidden: Sourced[int] = setting("reader and controllers: units of two hidden layers")
    learning_rate: Sourced[float] = setting("learning rate (Adam, cosine)")
    batch_size: Sourced[int] = setting("batch size")
    updates: Sourced[int] = setting("updates of the reader, and of each controller")
    validate_every: Sourced[int] = setting("updates between validations")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    embed: Sourced[int] = setting("Abstractor: embedding of a card's attributes")
    key_dim: Sourced[int] = setting("Abstractor: keys of a relation")
    symbol_dim: Sourced[int] = setting("Abstractor: features of a symbol")
    feedforward: Sourced[int] = setting("Abstractor: feed-forward units")
    head_updates: Sourced[int] = setting("Abstractor: updates")
    head_batch: Sourced[int] = setting("Abstractor: batch size")
    head_rate: Sourced[float] = setting("Abstractor: learning rate (Adam, cosine)")
    prices: Sourced[str] = note("prices of a head")
    answers: Sourced[str] = note("share of SETs")
    reads: Sourced[str] = note("reader is trained on")
    learns: Sourced[str] = note("controller minimises")
    thresholds: Sourced[str] = note("stopping by confidence")
    ranking: Sourced[str] = note("static ranking")
    cards: Sourced[str] = note("Abstractor: what it sees of a card")
    relation: Sourced[str] = note("Abstractor: relations")
    dropout: Sourced[str] = note("dropout")
    epsilon: Sourced[str] = note("epsilon of Adam")


PROTOCOLS = {
    "sound": SerialProtocol(
        flips=ours((0.0, 0.05, 0.1, 0.2), "heads from exact to poor"),
        cues=ours((1.0, 0.9), "always; nine times in ten"),
        shares=ours((5, 2, 1, 2), "in proportion; no SET is in two parts"),
        train=ours(20_000),
        validation=ours(4000),
        test=ours(8000),
        seeds=ours(10),
        hidden=ours(32),
        learning_rate=ours(3e-3, "not searched"),
        batch_size=ours(128),
        updates=ours(1000, "pilots with 1,200 and 1,500 were close to the best rule"),
        validate_every=ours(100),
        restore=ours("best", "the lowest validation loss"),
        embed=counted(64, "29,762"),
        key_dim=text(16, "v3 B.1.2"),
        symbol_dim=text(64, "v3 B.1.2"),
        feedforward=text(128, "v3 B.1.2"),
        head_updates=ours(1500),
        head_batch=ours(64, "as in experiment set"),
        head_rate=text(1e-3, "v3 B.1.2"),
        prices=ours("0.0025 to 0.32, doubled seven times", "in wrong answers"),
        answers=text("half", "v1 4.5"),
        reads=ours("all sets of heads at once, each size alike"),
        learns=ours("expected error over price plus heads, from each set of heads"),
        thresholds=ours("30, from 0.5 to 0.9995; the best for each price in validation"),
        ranking=ours("the best of all 24 in validation", "for each price, if confidence stops"),
        cards=ours("its attributes, 12 bits", "embeddings of pictures in the papers"),
        relation=code("symmetric, linear", "as in experiment set"),
        dropout=ours("none", "0.1 in experiment set"),
        epsilon=ours("1e-7", "as elsewhere here"),
    )
}


def training(settings: SerialProtocol) -> Training:
    """Of the reader, and of each controller."""
    # a run is one seed, which one plain pass computes faster than a vectorised one
    return training_of(settings, loss="custom", schedule="cosine", together=False)

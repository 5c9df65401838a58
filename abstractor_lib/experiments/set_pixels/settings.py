"""Settings of SET classification from pixels: convolutions and classifier trained together."""

from dataclasses import dataclass

from ...training.settings import Training
from ..cards.settings import CardsProtocol
from ..cards.settings import Model as Embedder
from ..cards.settings import Task as Cards
from ..cards.settings import models as embedders
from ..protocol import Sourced, note, ours, setting, text, training_of
from ..set.settings import Model as Classifier
from ..set.settings import SetProtocol
from ..set.settings import Task as Rows
from ..set.settings import models as classifiers


@dataclass(frozen=True)
class Task:
    """Rows of three cards, and how the cards look."""

    rows: Rows
    cards: Cards


@dataclass(frozen=True)
class Model:
    """A classifier of triples that reads a convolutional embedding of each card."""

    name: str
    embedder: Embedder
    classifier: Classifier


@dataclass(frozen=True)
class PixelsProtocol:
    """Settings of the runs from pixels; all others are those of the experiments cards and set."""

    start: Sourced[str] = note("embedding of a card")
    of: Sourced[str] = setting("networks and rows are those of cards and set under")
    sizes: Sourced[tuple[int, ...]] = setting("training sizes")
    trials: Sourced[int] = setting("trials a size, a run each")
    updates: Sourced[int] = setting("updates")
    validate_every: Sourced[int] = setting("updates between validations")
    batch_size: Sourced[int] = setting("batch size")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    loss: Sourced[str] = setting("loss")
    restore: Sourced[str] = setting("weights kept: best by validation accuracy")


PROTOCOLS = {
    "sound": PixelsProtocol(
        start=ours(
            "trained together with the rest, from random weights, on SET labels alone",
            "in the text the CNN is trained on the attributes beforehand, and frozen",
        ),
        of=ours("sound"),
        sizes=ours((1000, 5000)),
        trials=ours(3, "a run takes minutes; the text, v3 4.1, has 10"),
        updates=ours(2000, "the text, v3 B.1.2, has 200 epochs"),
        validate_every=ours(50),
        batch_size=ours(
            256,
            "each of the 81 cards is embedded once a batch, whatever its size; the text, v3 B.1.2, "
            "has 64",
        ),
        learning_rate=text(1e-3, "v3 B.1.2"),
        loss=text("cross_entropy", "v3 B.1.2"),
        restore=ours("best", "the text, v3 B.1.2, has the best by validation loss"),
    )
}
MODELS = ("abstractor", "mlp_wide")


def training(protocol: PixelsProtocol) -> Training:
    """The training settings of a protocol."""
    return training_of(protocol, monitor="accuracy")


def models(cards: CardsProtocol, rows: SetProtocol) -> dict[str, Model]:
    """The models that are trained from pixels, by name.

    Args:
        cards, rows: protocols of the experiments cards and set, whose networks they are made of.
    """
    embedder = embedders(cards)["cnn_64"]
    every = classifiers(rows)
    return {name: Model(name, embedder, every[name]) for name in MODELS}

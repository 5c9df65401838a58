"""Settings of the card embedders: what each protocol takes, and from where."""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of

Activation = Literal["relu", "tanh"]


@dataclass(frozen=True)
class Task:
    """Which cards the network is trained on.

    ``drawn`` cards with replacement, of which the shares ``validation`` are held out; or, where
    ``drawn`` is None, every card once an epoch.
    """

    drawn: int | None
    validation: float
    channels: Literal[3, 4]
    palette: Literal["classic", "colour_blind"] = "classic"


@dataclass(frozen=True)
class Model:
    """Convolutions, an embedding of ``dim`` features, and 12 outputs, one for each value."""

    name: str
    dim: int
    activation: Activation
    filters: int
    hidden: int
    initialisation: Literal["keras", "torch"]


@dataclass(frozen=True)
class CardsProtocol:
    """What the protocols differ in, and what they share."""

    channels: Sourced[Literal[3, 4]] = setting("channels of an image")
    activation_64: Sourced[Activation] = setting("activation of the embedding of 64 features")
    activation_32: Sourced[Activation] = setting("activation of the embedding of 32 features")
    drawn: Sourced[int | None] = setting("cards drawn with replacement (none: each once an epoch)")
    validation: Sourced[float] = setting("share of them held out")
    batch_size: Sourced[int] = setting("batch size")
    epochs: Sourced[tuple[int, int]] = setting("epochs, for 64 and for 32 features")
    seeds: Sourced[int] = setting("networks trained, of which the first is shared by all trials")
    own: Sourced[tuple[int, int] | None] = setting(
        "further networks of 64 features, one for each trial that has its own (the first, how many)"
    )

    image: Sourced[str] = note("image", text("70 x 50 pixels", "v3 B.1.2"))
    pictures: Sourced[str] = note(
        "pictures of the cards",
        ours("drawn by this repository", "the public code cuts them out of a picture of all cards"),
    )
    dims: Sourced[tuple[int, int]] = setting(
        "features of an embedding", text((64, 32), "v3 B.1.2; v1 4.5")
    )
    outputs: Sourced[int] = note("outputs", code(12, "the text's Dense(2) is a misprint"))
    filters: Sourced[int] = setting("filters of a convolution", counted(32, "40,012"))
    hidden: Sourced[int] = setting("first dense layer", text(64, "v3 B.1.2"))
    learning_rate: Sourced[float] = setting("learning rate (Adam)", code(1e-3))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))


PROTOCOLS = {
    "described": CardsProtocol(
        channels=text(3, "v3 B.1.2"),
        activation_64=text("relu", "v3 B.1.2"),
        activation_32=ours("relu", "v1 4.5 is silent; so v3's of 64 features"),
        drawn=code(1000, "the text is silent"),
        validation=code(0.25, "the text is silent"),
        batch_size=code(32, "the text is silent"),
        epochs=ours(
            (50, 50),
            'those of the code for 64 features; the text: "until it reaches perfect accuracy and '
            'near-zero loss"',
        ),
        seeds=ours(1),
        own=ours(None),
    ),
    "published": CardsProtocol(
        channels=code(4),
        activation_64=code("tanh"),
        activation_32=code("tanh"),
        drawn=code(1000),
        validation=code(0.25),
        batch_size=code(32),
        epochs=code((50, 20)),
        seeds=ours(3, "the code trained one"),
        own=ours(None),
    ),
    "sound": CardsProtocol(
        channels=text(3, "v3 B.1.2"),
        activation_64=text("relu", "v3 B.1.2"),
        activation_32=ours("tanh", "relations are learned from it, which needs bounds"),
        drawn=ours(None, "there are only 81 images: nothing to hold out"),
        validation=ours(0.0),
        batch_size=ours(27),
        epochs=ours((200, 200), "600 updates"),
        seeds=ours(3),
        own=ours((10, 30), "trials of SET classification whose data were not seen before"),
    ),
}


def models(protocol: CardsProtocol) -> dict[str, Model]:
    """The two embedders under a protocol, by name."""
    activations = protocol.activation_64.value, protocol.activation_32.value
    return {
        f"cnn_{dim}": Model(
            name=f"cnn_{dim}",
            dim=dim,
            activation=activation,
            filters=protocol.filters.value,
            hidden=protocol.hidden.value,
            initialisation=protocol.initialisation.value,
        )
        for dim, activation in zip(protocol.dims.value, activations, strict=True)
    }


def training(protocol: CardsProtocol, dim: int) -> Training:
    """The training settings of a protocol, for an embedding of ``dim`` features; the last weights
    are kept."""
    held_out = protocol.validation.value > 0
    return training_of(
        protocol,
        loss="custom",  # binary cross-entropy of twelve outputs
        epochs=protocol.epochs.value[protocol.dims.value.index(dim)],
        restore="best_if_stopped",
        monitor="validation" if held_out else "training",
    )

"""Settings of the robustness experiment: how its models are trained, and how they are disturbed.

The trained models are runs of the sorting experiment. What is not said here, such as the sizes of
the models, is what that experiment has in every protocol.
"""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from ...tasks.corruption import KINDS
from ..protocol import Sourced, code, note, ours, setting, text
from ..sorting.settings import PROTOCOLS as SORTING
from ..sorting.settings import SortingProtocol

Corruption = Literal["additive", "linear", "near_identity", "elementwise"]
Architecture = Literal["abstractor", "ablation", "transformer", "symbolic", "simple"]
ARCHITECTURES: tuple[str, ...] = get_args(Architecture)
FIGURES = ("abstractor", "ablation", "transformer")  # those of v3 Figure 8
ADDITIVE: Corruption = "additive"  # the corruption of its first panel
INNER_PRODUCTS = "inner_products"


@dataclass(frozen=True)
class Task:
    """What is corrupted, how, and how much: ``levels`` of sigma.

    ``objects`` in ``features`` dimensions are the 48 of the trained model's own task; those of
    ``inner_products`` are i.i.d. N(0, I).
    """

    corruption: Corruption
    levels: tuple[float, ...]
    objects: int
    features: int


@dataclass(frozen=True)
class Model:
    """The architecture of the trained model, or ``inner_products``: the objects' own inner
    products, and no model."""

    name: Literal[
        "abstractor", "ablation", "transformer", "symbolic", "simple", "inner_products"
    ]  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """How much is looked at: at each level so many ``draws`` of the corruption, and for each draw
    so many test ``sequences`` of its own (none without a model). Nothing is trained."""

    draws: int
    sequences: int


@dataclass(frozen=True)
class RobustnessProtocol:
    """What the protocols differ in, and what they share."""

    models: Sourced[int] = setting("trained models of each architecture")
    ablations: Sourced[int] = setting("trained models of the Ablation")
    further: Sourced[int] = setting(
        "trained models of Abstractor, Ablation and Transformer with further draws, additive noise"
    )
    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    epochs: Sourced[int | None] = setting("epochs")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    batch_size: Sourced[int] = setting("batch size")
    loss: Sourced[str] = setting("loss")
    goal: Sourced[float | None] = setting(
        "training ends at this full-sequence accuracy on validation sequences"
    )
    monitor: Sourced[Literal["validation", "training"]] = setting("loss that is watched")
    patience: Sourced[int | None] = setting("early stopping: patience")
    restore: Sourced[str] = setting("weights kept")
    theory: Sourced[bool] = setting("inner products against dimension, without a model")

    train: Sourced[int] = setting("training sequences", text(3000, "v3 C.1"))
    corruptions: Sourced[tuple[Corruption, ...]] = setting(
        "corruptions", ours(KINDS, "the text has the first two")
    )
    noise_draws: Sourced[int] = setting("draws of a corruption at a level", text(5, "v3 C.1"))
    sequences: Sourced[int] = setting(
        "test sequences of a draw", ours(400, "other ones for each draw; published: 20,000")
    )
    corrupted: Sourced[str] = note(
        "what is corrupted", text("the 48 objects, once for each draw", "v3 C.1")
    )
    levels: Sourced[tuple[int, ...]] = setting(
        "levels of sigma, in 49ths",
        ours(
            (0, 2, 4, 5, 7, 8, 10, 12, 15, 17, 20, 25, 30, 40, 49),
            "of the 50 published levels; more where accuracy falls",
        ),
    )
    simple: Sourced[str] = note(
        "Simple Abstractor",
        ours("of the pre-training section, 4 heads", "published: 8 heads, no feed-forward network"),
    )


PROTOCOLS = {
    "described": RobustnessProtocol(
        models=ours(5, "the text says several trials over the noise"),
        ablations=ours(5),
        further=ours(0, "600 updates do not teach all of them, on whatever draw"),
        draws=ours("fresh"),
        epochs=text(100, "v3 B.2.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        batch_size=text(512, "v3 B.2.1"),
        loss=text("cross_entropy", "v3 B.2.1"),
        goal=ours(None, "the text is silent"),
        monitor=text("validation", "v3 B.2.1: best model according to validation loss"),
        patience=ours(None, "v1 4.2 mentions early stopping, v3 B.2.1 does not"),
        restore=text("best", "v3 B.2.1"),
        theory=ours(True),
    ),
    "published": RobustnessProtocol(
        models=code(1, "five draws of the noise, one trained model"),
        ablations=code(1),
        further=ours(7, "each on its own draw; five or more decide, and some may not sort"),
        draws=code("shared"),
        epochs=code(400),
        updates=code(None),
        validate_every=code(None),
        batch_size=code(512),
        loss=code("cross_entropy"),
        goal=code(None),
        monitor=code("training"),
        patience=code(10, "the option that switches it off is read as True"),
        restore=code("best_if_stopped", "Keras 2"),
        theory=ours(False),
    ),
    "sound": RobustnessProtocol(
        models=ours(5),
        ablations=ours(8, "two of the first five did not learn to sort; three were added"),
        further=ours(10, "so that three models sort in seven trials"),
        draws=ours("fresh"),
        epochs=ours(None),
        updates=ours(6000, "at most, for every model"),
        validate_every=ours(50),
        batch_size=ours(128, "more updates in the same time"),
        loss=ours("sequence_cross_entropy", "the same loss; accuracy is that of whole sequences"),
        goal=ours(0.995, "so that every model sorts before it is disturbed"),
        monitor=ours("validation"),
        patience=ours(None),
        restore=ours("best", "of those that do not get there"),
        theory=ours(False),
    ),
}


def sorting_protocol(protocol: RobustnessProtocol) -> SortingProtocol:
    """The settings of the sorting experiment that models are trained with."""
    shared: dict[str, Any] = {
        item.name: getattr(SORTING["described"], item.name) for item in fields(SortingProtocol)
    }
    own = ("draws", "epochs", "updates", "validate_every", "batch_size", "loss")
    own += ("monitor", "patience", "restore")
    given = {name: getattr(protocol, name) for name in own}
    given["epochs_others"] = protocol.epochs
    return SortingProtocol(**shared | given)

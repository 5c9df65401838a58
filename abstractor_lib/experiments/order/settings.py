"""Settings of the order experiment: what each protocol takes, and from where."""

from dataclasses import dataclass, field
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, code, counted, ours, setting, text


@dataclass(frozen=True)
class Task:
    """``train`` pairs of N objects in R^d with an order or, as a control, a random tournament."""

    train: int
    objects: int = 32
    dim: int = 8
    pairs: Literal["all", "distinct"] = "distinct"
    relation: Literal["order", "tournament"] = "order"


@dataclass(frozen=True)
class Model:
    """A classifier of pairs: embed each object, core, flatten, dense head."""

    name: str
    core: Literal["abstractor_v1", "abstractor_v3", "corelnet", "predinet", "mlp", "transformer"]
    relations: int = 1
    key_dim: int = 64
    project: bool = True
    symmetric: bool = False
    bias: bool = False
    activation: Literal["softmax", "sigmoid", "tanh", "relu", "linear"] = "softmax"
    over: Literal["left", "right"] = "right"
    norm: bool = True
    dropout: float = 0.1
    embed: int = 64
    symbol_dim: int = 64
    hidden: int = 64
    head: int = 32
    outputs: int = 1
    initialisation: Literal["keras", "torch"] = "keras"
    diagonal: bool = field(default=True, metadata={"since": 2})


@dataclass(frozen=True)
class OrderProtocol:
    """What the protocols differ in."""

    pairs: Sourced[Literal["all", "distinct"]] = setting("pairs of objects")
    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    loss: Sourced[str] = setting("loss")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    batch_size: Sourced[int] = setting("batch size")
    epochs: Sourced[int | None] = setting("epochs")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    patience: Sourced[int | None] = setting("early stopping: patience")
    min_delta: Sourced[float] = setting("early stopping: least improvement")
    baseline: Sourced[float | None] = setting("early stopping: baseline")
    restore: Sourced[str] = setting("weights kept")
    v3_norm: Sourced[bool] = setting("v3 Abstractor: residual and layer norm")
    v3_over: Sourced[Literal["left", "right"]] = setting("v3 CoRelNet: softmax over argument")
    v1_activation: Sourced[str] = setting("v1 CoRelNet: activation")
    dropout: Sourced[float] = setting("dropout")
    initialisation: Sourced[str] = setting("initial weights")
    control: Sourced[bool] = setting("control on random tournaments")


PROTOCOLS = {
    "described": OrderProtocol(
        pairs=text("all", "4.1: N^2 = 1024"),
        draws=ours("fresh", "the text is silent"),
        loss=text("cross_entropy", "v3 B.1.1"),
        learning_rate=text(1e-2, "v3 B.1.1"),
        batch_size=text(64, "v3 B.1.1"),
        epochs=text(100, "v3 B.1.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        patience=ours(None, "4.1 speaks of early stopping, no rule is given"),
        min_delta=ours(0.0, "no rule is given"),
        baseline=ours(None, "no rule is given"),
        restore=text("best", "v3 B.1.1"),
        v3_norm=text(False, "v3 B.1.1"),
        v3_over=text("right", "v3 B.1.1: R = Softmax(A)"),
        v1_activation=text("softmax", "v1 4.1"),
        dropout=code(0.1),
        initialisation=code("keras"),
        control=ours(False),
    ),
    "published": OrderProtocol(
        pairs=code("distinct", "992 pairs"),
        draws=code("shared"),
        loss=code("binary_cross_entropy"),
        learning_rate=code(1e-3),
        batch_size=code(64),
        epochs=code(100),
        updates=code(None),
        validate_every=code(None),
        patience=code(10),
        min_delta=code(0.01),
        baseline=code(0.6),
        restore=code("best_if_stopped", "Keras 2"),
        v3_norm=counted(True, "25,665"),
        v3_over=code("left"),
        v1_activation=code("linear"),
        dropout=code(0.1),
        initialisation=code("keras"),
        control=ours(False),
    ),
    "sound": OrderProtocol(
        pairs=ours("distinct", "a pair of equals has no order"),
        draws=ours("fresh"),
        loss=ours("binary_cross_entropy", "two classes"),
        learning_rate=ours(1e-3),
        batch_size=ours(64),
        epochs=ours(None),
        updates=ours(2000, "the same at every size"),
        validate_every=ours(25),
        patience=ours(None),
        min_delta=ours(0.0),
        baseline=ours(None),
        restore=ours("best"),
        v3_norm=counted(True, "25,665"),
        v3_over=text("right", "v3 B.1.1"),
        v1_activation=text("softmax", "v1 4.1"),
        dropout=code(0.1),
        initialisation=code("keras"),
        control=ours(True),
    ),
}


COMMON: tuple[tuple[str, Sourced], ...] = (  # what no protocol changes
    ("objects", text("N = 32, i.i.d. N(0, I_d)", "4.1")),
    ("features of an object", code("d = 8")),
    ("test, validation share", text("35 %, 15 %", "4.1")),
    ("training sizes", code("5, 25, 50, 100, ..., 400, 495", "250 is missing in v1's")),
    ("trials", text("10 a size", "4.1")),
    ("further trials, draws", ours("20 trials where each has its own draw; 10 further draws")),
    ("embedding of an object", code("dense, 64")),
    ("v3 Abstractor", text("L = 1, d_r = 4, d_s = 64, d_p = 16, d_ff = 64, sigmoid", "v3 B.1.1")),
    ("v3 Abstractor, projections", counted("without bias", "25,665")),
    ("v1 Abstractor", counted("d_r = 4, d_p = 16, with bias; dense 256 to 64", "29,633")),
    ("v1 Abstractor, activation", code("softmax")),
    ("v3 CoRelNet", counted("W of 64 x 64, without bias", "4,865")),
    ("Transformer", counted("one layer, one head, key 64, feed-forward 64", "29,953")),
    ("head", counted("dense 32, relu; dense 1 or 2", "25,665")),
    ("Adam", text("betas 0.9, 0.999; epsilon 1e-7", "v3 B.1.1")),
    ("symbols", code("N(0, 1), learned")),
)


def training(protocol: OrderProtocol) -> Training:
    """The training settings of a protocol."""
    return Training(
        loss=protocol.loss.value,
        learning_rate=protocol.learning_rate.value,
        batch_size=protocol.batch_size.value,
        epochs=protocol.epochs.value,
        updates=protocol.updates.value,
        validate_every=protocol.validate_every.value,
        patience=protocol.patience.value,
        min_delta=protocol.min_delta.value,
        baseline=protocol.baseline.value,
        restore=protocol.restore.value,
    )


RELATION_DIMENSIONS = (1, 2, 4, 8)


def models(protocol: OrderProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name."""
    shared = {
        "outputs": 2 if protocol.loss.value == "cross_entropy" else 1,
        "dropout": protocol.dropout.value,
        "initialisation": protocol.initialisation.value,
    }
    softmax = {"key_dim": 64, "over": protocol.v3_over.value, **shared}
    sigmoid = {"key_dim": 16, "activation": "sigmoid", "norm": protocol.v3_norm.value, **shared}
    v1_softmax = {"activation": protocol.v1_activation.value, "project": False, **shared}
    every = [
        # v1 Figure 2a
        Model("abstractor_v1", "abstractor_v1", relations=4, key_dim=16, bias=True, **shared),
        Model("corelnet_v1", "corelnet", symmetric=True, **v1_softmax),
        Model("transformer", "transformer", **shared),
        # v3 Figure 4a
        Model("abstractor", "abstractor_v3", relations=4, **sigmoid),
        Model("corelnet_symmetric", "corelnet", symmetric=True, **softmax),
        Model("corelnet_asymmetric", "corelnet", **softmax),
        # further baselines
        Model("corelnet_no_softmax", "corelnet", symmetric=True, activation="linear", **softmax),
        # the control: without its diagonal the relation matrix holds no feature of one object
        Model(
            "corelnet_no_diagonal",
            "corelnet",
            symmetric=True,
            activation="linear",
            diagonal=False,
            **softmax,
        ),
        Model("predinet", "predinet", relations=16, key_dim=4, **shared),
        Model("mlp", "mlp", **shared),
        # v3's explanation: several relation dimensions help. Four heads of width 16 have exactly
        # the projections of one head of width 64.
        Model("corelnet_multihead", "corelnet", relations=4, **{**softmax, "key_dim": 16}),
        *(
            Model(f"abstractor_relations_{r}", "abstractor_v3", relations=r, **sigmoid)
            for r in RELATION_DIMENSIONS
            if r != 4
        ),
    ]
    return {model.name: model for model in every}

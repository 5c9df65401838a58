"""Settings of the order experiment: what each protocol takes, and from where."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ...records.spec import added
from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of


@dataclass(frozen=True)
class Task:
    """``train`` pairs of N objects in R^d with an order or, as a control, a random tournament."""

    train: int
    objects: int
    dim: int
    pairs: Literal["all", "distinct"]
    relation: Literal["order", "tournament"] = "order"
    test: float = added(0.35)  # shares of all pairs
    validation: float = added(0.15)


@dataclass(frozen=True)
class Model:
    """A classifier of pairs: embed each object, core, flatten, dense head."""

    name: str
    core: Literal["abstractor_v1", "abstractor_v3", "corelnet", "predinet", "mlp", "transformer"]
    relations: int
    key_dim: int
    project: bool
    symmetric: bool
    bias: bool
    activation: Literal["softmax", "sigmoid", "tanh", "relu", "linear"]
    over: Literal["left", "right"]
    norm: bool
    dropout: float
    embed: int
    symbol_dim: int
    hidden: int
    head: int
    outputs: int
    initialisation: Literal["keras", "torch"]
    diagonal: bool = added(True)
    heads: int = added(4)  # of PrediNet


@dataclass(frozen=True)
class OrderProtocol:
    """What the protocols differ in, and what they share."""

    pairs: Sourced[Literal["all", "distinct"]] = setting("pairs of objects")
    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    loss: Sourced[str] = setting("loss")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
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
    control: Sourced[bool] = setting("control on random tournaments")

    objects: Sourced[int] = setting("objects, i.i.d. N(0, I_d)", text(32, "4.1"))
    dim: Sourced[int] = setting("features d of an object", code(8))
    test: Sourced[float] = setting("test share of the pairs", text(0.35, "4.1"))
    validation: Sourced[float] = setting("validation share of the pairs", text(0.15, "4.1"))
    sizes: Sourced[tuple[int, ...]] = setting(
        "training sizes",
        code(
            (5, 25, 50, 100, 150, 200, 250, 300, 350, 400, 495),
            "250 is missing in v1's",
        ),
    )
    trials: Sourced[int] = setting("trials a size", text(10, "4.1"))
    blocks: Sourced[int] = setting(
        "times so many trials, where each has its own draw",
        ours(2, "draws differ more than trials of one draw"),
    )
    further_draws: Sourced[int] = setting("further draws, where trials share one", ours(10))
    batch_size: Sourced[int] = setting("batch size", text(64, "v3 B.1.1"))
    betas: Sourced[tuple[float, ...]] = setting("Adam, betas", text((0.9, 0.999), "v3 B.1.1"))
    epsilon: Sourced[float] = setting("Adam, epsilon", text(1e-7, "v3 B.1.1"))
    dropout: Sourced[float] = setting("dropout", code(0.1))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))
    embed: Sourced[int] = setting("dense embedding of an object, and keys of one head", code(64))
    v1_embedder: Sourced[str] = note(
        "v1 CoRelNet: embedder of an object",
        code("a dense layer", "v1 4.1 has an MLP, of no size or depth"),
    )
    relations: Sourced[int] = setting("relations d_r of an Abstractor", text(4, "v3 B.1.1"))
    key_dim: Sourced[int] = setting("keys d_p of a relation dimension", text(16, "v3 B.1.1"))
    symbol_dim: Sourced[int] = setting("symbols d_s, N(0, 1), learned", text(64, "v3 B.1.1"))
    hidden: Sourced[int] = setting(
        "feed-forward d_ff, also the Transformer's", text(64, "v3 B.1.1")
    )
    v3_activation: Sourced[str] = setting("v3 Abstractor: activation", text("sigmoid", "v3 B.1.1"))
    v3_bias: Sourced[bool] = setting("v3 Abstractor: bias of projections", counted(False, "25,665"))
    v1_bias: Sourced[bool] = setting("v1 Abstractor: bias of projections", counted(True, "29,633"))
    v1_abstractor_activation: Sourced[str] = setting(
        "v1 Abstractor: activation", code("softmax", "dense 256 to 64 counted, 29,633")
    )
    head: Sourced[int] = setting("head: dense layer, relu", counted(32, "25,665"))
    predinet_relations: Sourced[int] = setting("PrediNet: relations a head", ours(16))
    predinet_key_dim: Sourced[int] = setting("PrediNet: keys", ours(4))
    predinet_heads: Sourced[int] = setting("PrediNet: heads", ours(4))


PROTOCOLS = {
    "described": OrderProtocol(
        pairs=text("all", "4.1: N^2 = 1024"),
        draws=ours("fresh", "the text is silent"),
        loss=text("cross_entropy", "v3 B.1.1"),
        learning_rate=text(1e-2, "v3 B.1.1"),
        epochs=text(100, "v3 B.1.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        patience=ours(None, "4.1 speaks of early stopping, no rule is given"),
        min_delta=ours(0.0, "no rule is given"),
        baseline=ours(None, "no rule is given"),
        restore=text("best", "v3 B.1.1"),
        v3_norm=text(False, "v3 B.1.1"),
        v3_over=text("right", "v3 2.2 normalises over the objects that are read"),
        v1_activation=text("softmax", "v1 4.1"),
        control=ours(False),
    ),
    "published": OrderProtocol(
        pairs=code("distinct", "992 pairs"),
        draws=code("shared"),
        loss=code("binary_cross_entropy"),
        learning_rate=code(1e-3),
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
        control=ours(False),
    ),
    "sound": OrderProtocol(
        pairs=ours("distinct", "a pair of equals has no order"),
        draws=ours("fresh"),
        loss=ours("binary_cross_entropy", "two classes"),
        learning_rate=ours(1e-3),
        epochs=ours(None),
        updates=ours(2000, "the same at every size"),
        validate_every=ours(25),
        patience=ours(None),
        min_delta=ours(0.0),
        baseline=ours(None),
        restore=ours("best"),
        v3_norm=counted(True, "25,665"),
        v3_over=text("right", "v3 2.2"),
        v1_activation=text("softmax", "v1 4.1"),
        control=ours(True),
    ),
}
SHOWN = ("sound", "abstractor")  # the protocol and the model whose weights the notebook draws


def training(protocol: OrderProtocol) -> Training:
    """The training settings of a protocol."""
    return training_of(protocol)


RELATION_DIMENSIONS = (1, 2, 4, 8)


def models(protocol: OrderProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name."""
    width, many, key_dim = protocol.embed.value, protocol.relations.value, protocol.key_dim.value
    plain = Model(  # one relation by keys as wide as an object's embedding
        name="",
        core="corelnet",
        relations=1,
        key_dim=width,
        project=True,
        symmetric=False,
        bias=False,
        activation="softmax",
        over="right",
        norm=True,
        dropout=protocol.dropout.value,
        embed=width,
        symbol_dim=protocol.symbol_dim.value,
        hidden=protocol.hidden.value,
        head=protocol.head.value,
        outputs=2 if protocol.loss.value == "cross_entropy" else 1,
        initialisation=protocol.initialisation.value,
        heads=protocol.predinet_heads.value,
    )
    v1_abstractor = replace(
        plain,
        name="abstractor_v1",
        core="abstractor_v1",
        relations=many,
        key_dim=key_dim,
        bias=protocol.v1_bias.value,
        activation=protocol.v1_abstractor_activation.value,
    )
    v1_corelnet = replace(
        plain,
        name="corelnet_v1",
        project=False,
        symmetric=True,
        activation=protocol.v1_activation.value,
    )
    abstractor = replace(
        plain,
        name="abstractor",
        core="abstractor_v3",
        relations=many,
        key_dim=key_dim,
        bias=protocol.v3_bias.value,
        activation=protocol.v3_activation.value,
        norm=protocol.v3_norm.value,
    )
    asymmetric = replace(plain, name="corelnet_asymmetric", over=protocol.v3_over.value)
    symmetric = replace(asymmetric, name="corelnet_symmetric", symmetric=True)
    linear = replace(symmetric, name="corelnet_no_softmax", activation="linear")
    predinet = replace(
        plain,
        name="predinet",
        core="predinet",
        relations=protocol.predinet_relations.value,
        key_dim=protocol.predinet_key_dim.value,
    )
    every = [
        # v1 Figure 2a
        v1_abstractor,
        v1_corelnet,
        replace(plain, name="transformer", core="transformer"),
        # v3 Figure 4a
        abstractor,
        symmetric,
        asymmetric,
        # further baselines
        linear,
        # the control: without its diagonal the relation matrix holds no feature of one object
        replace(linear, name="corelnet_no_diagonal", diagonal=False),
        predinet,
        replace(plain, name="mlp", core="mlp"),
        # v3's explanation: several relation dimensions help. Four heads of width 16 have exactly
        # the projections of one head of width 64.
        replace(asymmetric, name="corelnet_multihead", relations=many, key_dim=width // many),
        *(
            replace(abstractor, name=f"abstractor_relations_{r}", relations=r)
            for r in RELATION_DIMENSIONS
            if r != many
        ),
    ]
    return {model.name: model for model in every}


def as_coded(protocol: OrderProtocol, fit: Training) -> Iterator[tuple[Model, Training]]:
    """Models, and how they are trained, of a protocol that differs from the public code in what the
    likely reasons of claims name; with that as in the code.

    Args:
        fit: how models of the protocol are trained.
    """
    every, code = models(protocol), PROTOCOLS["published"]
    if protocol.learning_rate.value == code.learning_rate.value:
        return
    slower = replace(fit, learning_rate=code.learning_rate.value)
    yield replace(every["abstractor"], norm=code.v3_norm.value), slower
    yield every["corelnet_asymmetric"], slower
    names = ("patience", "baseline", "min_delta", "restore")
    early = replace(fit, **{name: getattr(code, name).value for name in names})
    yield every["corelnet_symmetric"], early

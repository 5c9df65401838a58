"""Settings of SET classification: what each protocol takes, and from where."""

from dataclasses import dataclass, replace
from typing import Literal

from ...tasks.set_triples import Negatives, Order, Positives, SplitBy
from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of


@dataclass(frozen=True)
class Task:
    """``train`` of the ``pool`` rows that are not for validation or test, each three cards that
    form a SET or not; see `tasks.set_triples.parts`."""

    train: int
    pool: int
    validation: int
    test: int
    split: SplitBy
    order: Order
    positives: Positives
    negatives: Negatives


@dataclass(frozen=True)
class Model:
    """A classifier of three embedded cards: embed each again, core, flatten, dense head.

    ``hidden`` is the width of the feed-forward network, ``head`` the hidden widths of the head.
    """

    name: str
    core: Literal["abstractor", "corelnet", "predinet", "mlp", "transformer"]
    relations: int
    key_dim: int
    symmetric: bool
    bias: bool
    activation: Literal["softmax", "linear"]
    over: Literal["left", "right"]
    norm: bool
    dropout: float
    embed: int
    symbol_dim: int
    hidden: int
    head: tuple[int, ...]
    layers: int
    heads: int
    initialisation: Literal["keras", "torch"]


@dataclass(frozen=True)
class SetProtocol:
    """What the protocols differ in, and what they share."""

    cards: Sourced[str] = setting("pictures and embedding of a card (experiment cards)")
    draws: Sourced[Literal["shared", "fresh"]] = setting("triples and split")
    split: Sourced[SplitBy] = setting("test examples differ from training examples in their")
    order: Sourced[Order] = setting("order of the three cards of a SET")
    positives: Sourced[Positives] = setting("which rows are SETs")
    negatives: Sourced[Negatives] = setting("are non-SETs verified")
    epochs: Sourced[int | None] = setting("epochs")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    monitor: Sourced[Literal["validation", "accuracy"]] = setting("best by validation")
    patience: Sourced[int | None] = setting("early stopping: patience")
    ignored: Sourced[int] = setting("early stopping: epochs that do not count")
    restore: Sourced[str] = setting("weights kept")
    norm: Sourced[bool] = setting("Abstractor: residual and layer norm")
    over: Sourced[Literal["left", "right"]] = setting("CoRelNet: softmax over argument")
    further_sizes: Sourced[tuple[int, ...] | None] = setting("training sizes of further models")
    further_draws: Sourced[int] = setting("further draws")
    deciding_draws: Sourced[int] = setting("more of them, of CoRelNet alone")
    by_cards: Sourced[bool] = setting("also tested on cards that no training example holds")
    other_seeds: Sourced[bool] = setting("also with embeddings of other seeds")
    own: Sourced[tuple[int, int] | None] = setting(
        "trials with an embedder of their own (the first, how many)"
    )

    sizes: Sourced[tuple[int, ...]] = setting(
        "training sizes", code((500, 1000, 2000, 3000, 4000, 5000))
    )
    pool: Sourced[int] = setting("rows to train on", code(7000))
    validation: Sourced[int] = setting("validation rows", code(1000))
    test: Sourced[int] = setting("test rows", code(2000))
    trials: Sourced[int] = setting("trials a size", text(10, "v3 4.1"))
    loss: Sourced[str] = setting("loss", text("cross_entropy", "v3 B.1.2"))
    learning_rate: Sourced[float] = setting("learning rate (Adam)", text(1e-3, "v3 B.1.2"))
    betas: Sourced[tuple[float, ...]] = setting("Adam, betas", text((0.9, 0.999), "v3 B.1.2"))
    epsilon: Sourced[float] = setting("Adam, epsilon", text(1e-7, "v3 B.1.2"))
    batch_size: Sourced[int] = setting("batch size", text(64, "v3 B.1.2"))
    dropout: Sourced[float] = setting("dropout", code(0.1))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))
    embed: Sourced[int] = setting("dense embedding of a card's embedding", counted(64, "29,762"))
    dense: Sourced[str] = note(
        "layer between the embedder and the model",
        ours(
            "dense, as in the public code, under every protocol",
            "the text, v3 B.1.2, has none: CNN Embedder → {Abstractor or CoRelNet} → Flatten → "
            "Dense(2)",
        ),
    )
    relations: Sourced[int] = setting("Abstractor: relations d_r", text(4, "v3 B.1.2"))
    key_dim: Sourced[int] = setting("Abstractor: keys d_p of a relation", text(16, "v3 B.1.2"))
    symmetric: Sourced[bool] = setting("Abstractor: symmetric relations", text(True, "v3 B.1.2"))
    activation: Sourced[str] = setting("Abstractor: activation", text("linear", "v3 B.1.2"))
    bias: Sourced[bool] = setting("Abstractor: bias of projections", counted(True, "29,762"))
    linear: Sourced[str] = note(
        "Abstractor: maps of the relations",
        ours(
            "linear with a bias, as in the public code, under every protocol",
            'the text, v3 2.2: "linear maps W_1, W_2"',
        ),
    )
    symbol_dim: Sourced[int] = setting(
        "Abstractor: symbols d_s, N(0, 1), learned", text(64, "v3 B.1.2")
    )
    hidden: Sourced[int] = setting("Abstractor: feed-forward d_ff", text(128, "v3 B.1.2"))
    transformer_layers: Sourced[int] = setting("Transformer: layers", counted(2, "154,434"))
    transformer_heads: Sourced[int] = setting("Transformer: heads", counted(4, "154,434"))
    transformer_hidden: Sourced[int] = setting("Transformer: feed-forward", counted(64, "154,434"))
    predinet_heads: Sourced[int] = setting("PrediNet: heads", counted(4, "7,554"))
    predinet_key_dim: Sourced[int] = setting("PrediNet: keys", counted(4, "7,554"))
    predinet_relations: Sourced[int] = setting("PrediNet: relations a head", counted(16, "7,554"))
    mlp: Sourced[tuple[int, ...]] = setting("MLP: hidden layers", code((32, 32)))
    wide: Sourced[tuple[int, ...]] = setting(
        "wide MLP, about the Abstractor's parameters: hidden layers", ours((128, 32))
    )
    head: Sourced[tuple[int, ...]] = setting(
        "hidden layer of a head, where a model's name says so", ours((128,))
    )


PROTOCOLS = {
    "described": SetProtocol(
        cards=text("described", "v3 B.1.2: RGB, relu"),
        draws=ours("fresh", "the text is silent"),
        split=ours("rows", "the text is silent"),
        order=text("shuffled", "v3 B.1.2"),
        positives=text("coin", "v3 B.1.2: with probability 1/2"),
        negatives=text("verified", "v3 B.1.2: a non-SET"),
        epochs=text(200, "v3 B.1.2"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        monitor=text("validation", "v3 B.1.2: validation loss"),
        patience=ours(None, "the text is silent"),
        ignored=ours(0),
        restore=text("best", "v3 B.1.2"),
        norm=text(False, "v3 B.1.2"),
        over=text("right", "v3 B.1.2"),
        further_sizes=ours(None, "only under the other two"),
        further_draws=ours(0, "every trial has its own"),
        deciding_draws=ours(0),
        by_cards=ours(False),
        other_seeds=ours(False),
        own=ours(None),
    ),
    "published": SetProtocol(
        cards=code("published", "RGBA, tanh"),
        draws=code("shared"),
        split=code("rows", "SETs are drawn with replacement"),
        order=code("fixed", "one a SET and data set"),
        positives=code("alternate"),
        negatives=code("unverified", "three cards that are not in the row before"),
        epochs=code(200),
        updates=code(None),
        validate_every=code(None),
        monitor=code("accuracy", "validation accuracy"),
        patience=code(50),
        ignored=code(30),
        restore=code("best_if_stopped", "Keras 2"),
        norm=counted(True, "29,762"),
        over=code("left"),
        further_sizes=ours((1000, 5000)),
        further_draws=ours(5, "one draw may be lucky"),
        deciding_draws=ours(2, "added after six draws; eight decide if these are no exception"),
        by_cards=ours(False),
        other_seeds=ours(False),
        own=ours(None),
    ),
    "sound": SetProtocol(
        cards=ours("sound", "trained on all cards"),
        draws=ours("fresh"),
        split=ours("sets", "no leakage; also by cards"),
        order=ours("shuffled"),
        positives=ours("alternate", "chance level 0.5"),
        negatives=ours("verified"),
        epochs=ours(None),
        updates=ours(20_000, "the same at every size"),
        validate_every=ours(100),
        monitor=ours("accuracy", "validation accuracy, which is what is reported"),
        patience=ours(None),
        ignored=ours(0),
        restore=ours("best"),
        norm=counted(True, "29,762"),
        over=text("right", "v3 B.1.2"),
        further_sizes=ours((1000, 5000)),
        further_draws=ours(0, "every trial has its own"),
        deciding_draws=ours(0),
        by_cards=ours(True, "so that nothing but attributes carries over"),
        other_seeds=ours(True),
        own=ours((10, 30), "new triples and a new network each; leads below 0.03 are tested again"),
    ),
}
FIGURE = ("abstractor", "corelnet", "corelnet_no_softmax")  # the models of v3 Figure 4b
SHOWN = ("sound", "abstractor")  # the protocol and the model whose weights the notebook uses
RELATION_DIMENSIONS = (1, 2, 4, 8)


def training(protocol: SetProtocol) -> Training:
    """The training settings of a protocol."""
    return training_of(protocol)


def models(protocol: SetProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name."""
    width, many, key_dim = protocol.embed.value, protocol.relations.value, protocol.key_dim.value
    corelnet = Model(  # one relation by keys as wide as a card's embedding
        name="corelnet",
        core="corelnet",
        relations=1,
        key_dim=width,
        symmetric=True,
        bias=False,
        activation="softmax",
        over=protocol.over.value,
        norm=True,
        dropout=protocol.dropout.value,
        embed=width,
        symbol_dim=protocol.symbol_dim.value,
        hidden=protocol.hidden.value,
        head=(),
        layers=1,
        heads=protocol.predinet_heads.value,
        initialisation=protocol.initialisation.value,
    )
    abstractor = replace(
        corelnet,
        name="abstractor",
        core="abstractor",
        relations=many,
        key_dim=key_dim,
        symmetric=protocol.symmetric.value,
        bias=protocol.bias.value,
        activation=protocol.activation.value,
        over="right",
        norm=protocol.norm.value,
    )
    linear = replace(corelnet, name="corelnet_no_softmax", activation="linear")
    # Four heads of width 16 have exactly the projections of one head of width 64.
    several = replace(linear, name="corelnet_multihead", relations=many, key_dim=width // many)
    mlp = replace(corelnet, name="mlp", core="mlp", head=protocol.mlp.value)
    every = [
        abstractor,
        corelnet,
        linear,
        # what explains the difference: several relations, or what reads them?
        several,
        replace(linear, name="corelnet_deep", head=protocol.head.value),
        replace(several, name="corelnet_multihead_deep", head=protocol.head.value),
        *(
            replace(abstractor, name=f"abstractor_relations_{r}", relations=r)
            for r in RELATION_DIMENSIONS
            if r != many
        ),
        # one relation whose projection has as many numbers as those of all four
        replace(abstractor, name="abstractor_one_wide", relations=1, key_dim=many * key_dim),
        replace(abstractor, name="abstractor_asymmetric", symmetric=False),
        replace(abstractor, name="abstractor_softmax", activation="softmax"),
        # further baselines
        mlp,
        replace(mlp, name="mlp_wide", head=protocol.wide.value),
        replace(
            corelnet,
            name="transformer",
            core="transformer",
            relations=protocol.transformer_heads.value,
            hidden=protocol.transformer_hidden.value,
            layers=protocol.transformer_layers.value,
        ),
        replace(
            corelnet,
            name="predinet",
            core="predinet",
            relations=protocol.predinet_relations.value,
            key_dim=protocol.predinet_key_dim.value,
        ),
    ]
    return {model.name: model for model in every}

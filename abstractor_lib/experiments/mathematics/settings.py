"""Settings of the mathematics experiment: what each protocol takes, and from where.

There are two protocols. There is no ``sound``: it asks for budgets after which models have
converged, and best validation weights. In all else ``described`` is what we would choose: each run
has its own seed, no validation question is in the training set, and budgets are equal.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ...records.spec import added
from ...training.settings import Training
from ..protocol import Sourced, code, note, ours, setting, text, training_of

Name = Literal[
    "calculus__differentiate",
    "algebra__sequence_next_term",
    "algebra__linear_1d",
    "polynomials__expand",
    "polynomials__add",
]
TASKS: dict[Name, str] = {
    "calculus__differentiate": "differentiate",
    "algebra__sequence_next_term": "next term",
    "algebra__linear_1d": "linear equation",
    "polynomials__expand": "expand",
    "polynomials__add": "add",
}
PAPER = ("abstractor", "transformer", "transformer_plus")  # the models of Figure 7
FURTHER = ("retrieving", "transformer_deep", "abstractor_only")
BLIND = "transformer_blind"  # a Transformer whose questions are blank
MODELS = PAPER + FURTHER
NAMES = {  # what people read
    "abstractor": "Abstractor",
    "transformer": "Transformer",
    "transformer_plus": "Transformer+",
    "transformer_deep": "deeper Transformer",
    "retrieving": "Abstractor, retrieved symbols",
    "abstractor_only": "Abstractor alone",
}
SHOWN = ("described", "calculus__differentiate", "abstractor")  # whose attention the notebook shows
FAIR = (*PAPER, "transformer_deep")  # the last has exactly as many parameters as the Abstractor
LOGGED = (1, 2, 3, 5, 10, 20, 30, 50)  # the epochs of `data/published/fig_v3_07.csv`
AFTER_EPOCH = r"epoch_(?P<epoch>\d+)_accuracy"  # names that `after_epoch` makes


def after_epoch(epoch: int) -> str:
    """The name of the accuracy after an epoch."""
    return f"epoch_{epoch}_accuracy"


@dataclass(frozen=True)
class Task:
    """Questions of one kind: the first ``train`` of the training set, the first ``validation`` of
    the validation set, of which the first ``decoded`` are answered in full at the end, and the
    first ``shown`` at every look. If ``blank``, a model sees one character in place of each
    question, the same for all."""

    name: Name
    train: int
    validation: int
    decoded: int
    shown: int
    alphabet: Literal["text", "code"]
    padding: Literal["ignored", "read"]  # does padding count in attention and loss?
    blank: bool = added(False)


@dataclass(frozen=True)
class Model:
    """A sequence-to-sequence model of characters.

    ``architecture`` and ``sensory`` are those of `nn.sequence_to_sequence`; ``entries`` is the
    size of the library that symbols are retrieved from, 0 for sinusoidal symbols.
    """

    name: str
    architecture: Literal["transformer", "b", "d"]
    sensory: Literal["alternate", "layers"]
    dim: int
    heads: int
    key_dim: int
    hidden: int
    layers: int
    decoder_layers: int
    self_attention: bool
    entries: int
    dropout: float
    initialisation: Literal["keras", "torch"]


@dataclass(frozen=True)
class MathematicsProtocol:
    """What the protocols differ in, and what they share."""

    alphabet: Sourced[Literal["text", "code"]] = setting("alphabet")
    padding: Sourced[Literal["ignored", "read"]] = setting("null characters in attention and loss")
    key_dim: Sourced[int] = setting("key width of a head")
    key_dim_plus: Sourced[int] = setting("key width of a head, Transformer+")
    sensory: Sourced[Literal["alternate", "layers"]] = setting("how a decoder reads two contexts")
    self_attention: Sourced[bool] = setting("self-attention of the abstract states")
    batches: Sourced[str] = note("batches")
    seeds: Sourced[str] = note("seeds of the repetitions")
    costly: Sourced[bool] = setting("too large for a laptop, so left to the profile `paper`")
    linear_epochs: Sourced[int] = setting("whole epochs of linear equations, a part of the grid")

    training_questions: Sourced[int] = setting(
        "training questions of a task",
        text(2_000_000, "v3 4.3"),
    )
    validation: Sourced[int] = setting(
        "validation questions",
        text(10_000, "v3 4.3"),
    )
    question: Sourced[int] = note("longest question", text(160, "v3 4.3"))
    answer: Sourced[int] = note("longest answer", text(30, "v3 4.3"))
    dim: Sourced[int] = setting("model width", text(128, "v3 B.3"))
    dim_plus: Sourced[int] = setting("model width, Transformer+", text(200, "v3 B.3"))
    hidden: Sourced[int] = setting("feed-forward width", text(256, "v3 B.3"))
    hidden_plus: Sourced[int] = setting("feed-forward width, Transformer+", text(400, "v3 B.3"))
    heads: Sourced[int] = setting("heads", text(4, "v3 B.3"))
    layers: Sourced[int] = setting("layers of a module", text(1, "v3 B.3"))
    deep_layers: Sourced[int] = setting(
        "decoder layers of the deeper Transformer", ours(2, "as many as the code's Abstractor has")
    )
    symbols: Sourced[str] = note("symbols", text("sinusoidal, nothing to learn", "v3 B.3"))
    entries: Sourced[int] = setting(
        "library of retrieved symbols", code(256, "a variant that v3 does not have")
    )
    dropout: Sourced[float] = setting("dropout", code(0.1))
    loss: Sourced[str] = note("loss", text("cross-entropy of the next character", "v3 B.3"))
    learning_rate: Sourced[float] = setting("learning rate (Adam)", text(6e-4, "v3 B.3"))
    betas: Sourced[tuple[float, ...]] = setting("Adam, betas", text((0.9, 0.995), "v3 B.3"))
    epsilon: Sourced[float] = setting("Adam, epsilon", text(1e-9, "v3 B.3"))
    batch_size: Sourced[int] = setting("batch size", text(128, "v3 B.3"))
    epochs: Sourced[int] = setting("epochs", text(50, "v3 B.3"))
    laptop_updates: Sourced[str] = note(
        "laptop runs: updates",
        ours("400 to 3,500; 46,875 in the part of whole epochs", "the text has 50 epochs: 781,250"),
    )
    laptop_questions: Sourced[str] = note(
        "laptop runs: training questions of a task",
        ours("51,200 to 320,000; all in the part of whole epochs", "the text has 2,000,000"),
    )
    laptop_validation: Sourced[str] = note(
        "laptop runs: validation questions, and those of them with whole answers",
        ours("2,000, 500; 10,000, 2,000 in the part of whole epochs", "the text has 10,000"),
    )
    laptop_seeds: Sourced[str] = note(
        "laptop runs: seeds of a task and model", ours("2", "the text, v3 4.3, has 5")
    )
    weights: Sourced[str] = note("weights that are tested", code("the last ones"))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))


PROTOCOLS = {
    "described": MathematicsProtocol(
        alphabet=text("text", "v3 4.3: 95 characters; and the null character"),
        padding=ours("ignored", "the text leaves null characters out of the accuracy"),
        key_dim=text(32, "v3 B.3"),
        key_dim_plus=text(32, 'v3 B.3: "the remaining hyperparameters are the same"'),
        sensory=text("alternate", "v3 Algorithm 2: one self-attention, one network a layer"),
        self_attention=text(False, "v3 Algorithm 1"),
        batches=ours(
            "questions of similar length, cut to the longest",
            'pools of 50 batches; the text, v3 4.3: "padded with the null character"',
        ),
        seeds=ours("one each", "the public code gives all five repetitions the same seed"),
        costly=ours(False),
        linear_epochs=ours(
            3,
            "the text, v3 B.3, has 50; after the third the logged Abstractor first leads both by "
            "over 0.01",
        ),
    ),
    "published": MathematicsProtocol(
        alphabet=code("code", "86 entries, with the null character and one for the unknown"),
        padding=code("read"),
        key_dim=code(128, "the model width"),
        key_dim_plus=code(200, "the model width"),
        sensory=code("layers", "a whole decoder layer for each context"),
        self_attention=code(True),
        batches=ours("any questions, in a new order at each epoch", "the code's order is fixed"),
        seeds=ours("one each", "the public code gives all five repetitions the same seed"),
        costly=ours(True, "larger models, and work on padding"),
        linear_epochs=ours(0, "left to the profile `paper`, whose runs have all 50"),
    ),
}


def models(protocol: MathematicsProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name.

    ``transformer_deep`` has a second decoder layer. Under ``described`` it has as many parameters
    as the Abstractor. ``abstractor_only`` is the Abstractor whose decoder does not attend to the
    encoder. (Without the other context the Abstractor is read by nobody: that is the Transformer.)
    """
    main = Model(
        name="abstractor",
        architecture="d",
        sensory=protocol.sensory.value,
        dim=protocol.dim.value,
        heads=protocol.heads.value,
        key_dim=protocol.key_dim.value,
        hidden=protocol.hidden.value,
        layers=protocol.layers.value,
        decoder_layers=protocol.layers.value,
        self_attention=protocol.self_attention.value,
        entries=0,
        dropout=protocol.dropout.value,
        initialisation=protocol.initialisation.value,
    )
    plain = replace(main, name="transformer", architecture="transformer", self_attention=False)
    # as many decoder layers as `main`, which has one a context where contexts have their own
    decoder_layers = {"alternate": 1, "layers": 2}[main.sensory] * main.decoder_layers
    every = [
        main,
        plain,
        replace(
            plain,
            name="transformer_plus",
            dim=protocol.dim_plus.value,
            hidden=protocol.hidden_plus.value,
            key_dim=protocol.key_dim_plus.value,
        ),
        replace(main, name="retrieving", entries=protocol.entries.value),
        replace(plain, name="transformer_deep", decoder_layers=protocol.deep_layers.value),
        replace(main, name="abstractor_only", architecture="b", decoder_layers=decoder_layers),
    ]
    return {model.name: model for model in every}


def of_epochs(title: str, epochs: int | None) -> str:
    """What a task is called where models are trained on it for fewer whole epochs than the paper's;
    also the name of that part of the grid.

    Args:
        title: of the task.
        epochs: of the training; None if its budget is one of updates.

    Example:
        >>> of_epochs("add", 3), of_epochs("add", 50), of_epochs("add", None)
        ('add, 3 epochs', 'add', 'add')
    """
    fewer = epochs is not None and epochs < MathematicsProtocol.epochs.value
    return f"{title}, {epochs} epochs" if fewer else title


def training(
    protocol: MathematicsProtocol, updates: int | None, looks: int, batch_size: int | None = None
) -> Training:
    """The training settings under a protocol.

    Args:
        updates: the budget; None for the paper's epochs, with a look after each.
        looks: at the validation questions, evenly spaced, of a budget in updates.
        batch_size: in place of the protocol's.
    """
    return training_of(
        protocol,
        loss="custom",
        batch_size=batch_size or protocol.batch_size.value,
        epochs=None if updates else protocol.epochs.value,
        updates=updates,
        validate_every=updates // looks if updates else None,
        restore="best_if_stopped",  # nothing stops, so the last
        validation_chunk=250,
    )

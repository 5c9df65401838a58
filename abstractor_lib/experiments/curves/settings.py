"""Settings of the function learning experiment.

The paper has no public code, so there is one protocol, ``described``. What its text leaves open is
set to one value here, with the reason; the grid tries the other values one at a time (`OPEN`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...records.spec import added
from ...training.settings import Training
from ..protocol import Sourced, note, ours, setting, text, training_of

Name = Literal[
    "transformer",
    "transformer_window",
    "relational",
    "relational_window",
    "class_known",
    "class_known_level",
    "class_unknown",
    "class_unknown_level",
    "autoregression",
    "last_value",
    "constant",
    "bayes",
    "bayes_level",
]
MODELS: tuple[Name, ...] = ("transformer", "transformer_window", "relational", "relational_window")
SINGLE: tuple[Name, ...] = ("transformer", "transformer_window")  # the 1d models
RELATIONAL: tuple[Name, ...] = ("relational", "relational_window")
WINDOWED = ("transformer_window", "relational_window")
VALIDATION_CHUNK = 250  # curves
REFERENCES = {
    "class_known": "least squares, class known",
    "class_known_level": "least squares, class known, differences only",
    "class_unknown": "normal mixture, class not told",
    "class_unknown_level": "normal mixture, class not told, differences only",
    "autoregression": "linear autoregression",
    "last_value": "the last value",
    "constant": "a constant: the mean of the observed values",
    "bayes": "Bayes, class known",
    "bayes_level": "Bayes, class known, differences only",
}
BAYES = ("bayes", "bayes_level")  # no prediction has a smaller expected error
UNKNOWN = ("class_unknown", "class_unknown_level")  # the class is not told
DIFFERENCES = ("class_known_level", "class_unknown_level", "bayes_level")  # the level is not seen
FURTHER = ("constant", *BAYES)  # references that came later: a part of the grid of their own


@dataclass(frozen=True)
class Task:
    """Curves, and how extrapolation is tested.

    ``test`` curves are extrapolated for ``steps`` points, the first ``long`` of them for
    ``long_steps``, and ``outside`` curves whose parameters lie outside the training ranges for
    ``steps``. ``lengths`` says how many points are observed in training: always ``observed``, or
    in each batch another number, uniform from half of it to as many as there are at the last step.

    Where training is watched, ``validation`` further curves are predicted by one point now and
    then, and the first ``rolled`` of them by ``steps``.
    """

    observed: int
    steps: int
    test: int
    long: int
    long_steps: int
    outside: int
    gallery: int  # of the first test curves, whose predictions are kept
    intercept: float  # of lines, from minus to plus this number
    target: Literal["noisy", "clean"]
    lengths: Literal["fixed", "varied"]
    validation: int = added(0)
    rolled: int = added(0)


@dataclass(frozen=True)
class Model:
    """See `nn.CurveTransformer` and `nn.RelationalCurveTransformer`; or one of `references`, which
    has no weights, and for which nothing but the name matters."""

    name: Name
    dim: int
    heads: int
    layers: int
    hidden: int
    mask: Literal["strict", "itself", "none"]
    queries: Literal["observed", "mask"]
    gating: Literal["weights", "renormalised", "all"]
    shared: bool  # one window for all layers
    start: tuple[float, ...]  # a and b of the window
    norm_first: bool
    similarity: Literal["difference", "learned"]

    @property
    def relational(self) -> bool:
        """Whether it sees similarities alone."""
        return self.name in RELATIONAL

    @property
    def window(self) -> bool:
        """Whether it has learned windows."""
        return self.name in WINDOWED


class Open(NamedTuple):
    """Another value of a setting that the text leaves open: of which model, and what changes."""

    label: str
    model: Name
    change: Mapping[str, object]

    def __str__(self) -> str:
        return f"{self.label} ({self.model})"


OPEN = (
    Open("attends to itself", "transformer", {"mask": "itself"}),
    Open("no mask", "transformer", {"mask": "none"}),
    Open("pre-norm", "transformer", {"norm_first": True}),
    Open("lengths vary", "transformer", {"lengths": "varied"}),
    Open("clean targets", "transformer", {"target": "clean"}),
    Open("random intercepts", "transformer", {"intercept": 1.0}),
    Open("gate renormalised", "transformer_window", {"gating": "renormalised"}),
    Open("softmax over all", "transformer_window", {"gating": "all"}),
    Open("one window", "transformer_window", {"shared": True}),
    Open("no mask", "relational", {"mask": "none"}),
    Open("queries masked", "relational_window", {"queries": "mask"}),
    Open("learned similarity", "relational_window", {"similarity": "learned"}),
)


@dataclass(frozen=True)
class CurvesProtocol:
    """What the text says, and what it leaves open."""

    intercept: Sourced[float] = setting("intercepts of lines, at most")
    target: Sourced[str] = setting("values to predict, in training")
    lengths: Sourced[str] = setting("observed points, in training")
    mask: Sourced[str] = setting("attention of observed tokens, with and without a window")
    queries: Sourced[str] = setting("attention of queries")
    gating: Sourced[str] = setting("where the gate acts")
    shared: Sourced[bool] = setting("one window for all layers")
    start: Sourced[tuple] = setting("a and b of the window, at the start")
    norm_first: Sourced[bool] = setting("layer norm before the sublayers")
    hidden: Sourced[int] = setting("feed-forward width, times the model's")
    open: Sourced[tuple[Open, ...]] = setting("other values of these, one at a time")

    observed: Sourced[int] = setting("observed points", text(20, "curves, Experiment details"))
    steps: Sourced[int] = setting("points to extrapolate", text(10, "curves, Results"))
    slopes: Sourced[str] = note(
        "lines",
        text("slopes in [-0.1, 0.1]", "curves, Experiment details; that they are uniform is ours"),
    )
    sinusoids: Sourced[str] = note(
        "sinusoids",
        text(
            "periods in [5, 12], amplitudes in [0.8, 1.2], phases in [0, 2 pi]",
            "Experiment details; that they are uniform is ours",
        ),
    )
    rbf: Sourced[str] = note(
        "RBF curves", text("C_ij = exp(-0.5 (i - j)^2 / 3^2)", "curves, Experiment details")
    )
    noise: Sourced[str] = note(
        "noise", text("uniform, standard deviation 0.1", "curves, Experiment details")
    )
    errors: Sourced[str] = note(
        "values that the test error is taken from",
        ours("noisy", 'the text has "the true value of the function", which may have no noise'),
    )
    test: Sourced[int] = setting("test curves, evenly split", text(2500, "curves, Results"))
    long: Sourced[int] = setting("of these extrapolated for long", ours(300))
    long_steps: Sourced[int] = setting("points, then", ours(30))
    outside: Sourced[int] = setting(
        "further curves outside the training ranges",
        ours(600, "slopes 0.1 to 0.2; periods 3 to 5 and 12 to 20"),
    )
    dim: Sourced[int] = setting("model width", text(256, "curves, Experiment details"))
    heads: Sourced[int] = setting("heads", text(8, "curves, Experiment details"))
    layers: Sourced[int] = setting("layers", text(12, "curves, Experiment details"))
    small: Sourced[tuple[int, ...]] = setting(
        "width, heads and layers of the laptop profile",
        ours((64, 4, 4), "0.2 million weights; the text has 256, 8 and 12"),
    )
    activation: Sourced[str] = note(
        "activation",
        ours("relu", "torch's default; the text names GPT-2 (Radford et al. 2019), which has GELU"),
    )
    initialisation: Sourced[str] = note(
        "initial weights", ours("torch", "simulations were done in PyTorch")
    )
    dropout: Sourced[float] = note("dropout", text(0.0, "curves, Experiment details"))
    positions: Sourced[str] = note("x of a token", text("1, 2, ..., as it is", "curves, Methods"))
    loss: Sourced[str] = setting("loss", text("mse", "curves, Experiment details"))
    learning_rate: Sourced[float] = setting(
        "learning rate (Adam)", text(1e-4, "curves, Experiment details")
    )
    small_learning_rate: Sourced[float] = setting(
        "learning rate of the laptop profile",
        ours(1e-3, "ten times the paper's: a fifth of its updates, a quarter of its width"),
    )
    betas: Sourced[tuple[float, ...]] = setting(
        "Adam, betas", text((0.9, 0.999), "default parameters")
    )
    epsilon: Sourced[float] = setting("Adam, epsilon", text(1e-8, "default parameters"))
    batch_size: Sourced[int] = setting("batch size", text(32, "curves, Experiment details"))
    updates: Sourced[int] = setting(
        "updates, each on new curves",
        text(10_000, "320,000 curves, Experiment details; if each is used once"),
    )
    selection: Sourced[str] = note(
        "weights that are tested",
        ours("the last", "the text is silent; where all updates are made, two others beside them"),
    )
    validation: Sourced[int] = setting(
        "validation curves, where all updates are made", ours(1500, "for the best weights")
    )
    rolled: Sourced[int] = setting("of these extrapolated while training", ours(300))
    average: Sourced[float] = setting(
        "moving average of the weights, where all updates are made",
        ours(0.999, "about the last 1,000 updates, within which the last weights swing"),
    )


PROTOCOLS = {
    "described": CurvesProtocol(
        intercept=ours(0.0, "the text draws slopes and nothing else"),
        target=ours("noisy", "all curves had noise added"),
        lengths=ours("fixed", "functions of length 20"),
        mask=ours(
            "strict",
            "the indicators as the text prints them; in GPT-2, which it names, a token "
            "attends to itself too",
        ),
        queries=ours(
            "observed",
            "as the text prints the indicators, the first query would see nothing of the curve",
        ),
        gating=ours(
            "weights",
            'the text: "a multiplicative gating on the corresponding attention self-attention '
            'weight"',
        ),
        shared=ours(False, "the text names no layers"),
        start=ours((2.0, 5.0), "half weight at distance 11, half of what is observed"),
        norm_first=ours(False, "torch's default; in GPT-2, which the text names, it stands before"),
        hidden=ours(4, "Vaswani et al. 2017"),
        open=ours(OPEN),
    )
}


def training(
    protocol: CurvesProtocol, updates: int, looks: int, rate: float, watched: bool = False
) -> Training:
    """The training settings. The last weights are kept; where training is ``watched``, by
    validation curves, those of the lowest validation loss and averaged ones are kept too."""
    return training_of(
        protocol,
        learning_rate=rate,
        updates=updates,
        validate_every=max(updates // looks, 1),
        restore="best_if_stopped",
        monitor="validation" if watched else "training",
        validation_chunk=VALIDATION_CHUNK if watched else None,
        also=("best_loss", "averaged") if watched else (),
        average=protocol.average.value if watched else None,
    )

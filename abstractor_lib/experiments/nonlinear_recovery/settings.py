"""Settings of nonlinear recovery: an open question of v1 section 3.5, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ..protocol import Sourced, note, ours, setting, text
from ..robust_recovery.settings import Solver

__all__ = ["PROTOCOLS", "Model", "Solver", "Task"]

Name = Literal[
    "least_squares",
    "correlation",
    "convex_correlation",
    "lasso",
    "absolute",
    "one_bit",
    "logistic",
    "inverted",
    "censored",
    "censored_simplex",
]
IGNORING: tuple[Name, ...] = (  # programs that can be given any y
    "least_squares",
    "correlation",
    "convex_correlation",
    "lasso",
    "absolute",
)
KNOWING: dict[str, tuple[Name, ...]] = {  # phi -> programs made for it
    "linear": (),
    "sign": ("one_bit", "logistic"),
    "sigmoid": ("inverted",),
    "relu": ("censored",),
}
TRAINED: dict[str, tuple[Name, ...]] = {  # the same for what a trained Abstractor measures
    "linear": ("least_squares", "absolute"),
    "relu": ("least_squares", "absolute", "censored", "censored_simplex"),
}


@dataclass(frozen=True)
class Task:
    """Measurements y = phi(gain A u) + eta of k-sparse relations u of length one.

    ``source``: A is ``gaussian``, or what the first layer of a trained model does (``sorting``):
    the message for a linear phi, the hidden units of the feed-forward network for relu. ``rows``:
    numbers of measurements; fewer ones are the first of more. ``dense``: standard deviation of
    normal noise, in those of phi(A u). ``errors``: probability that an entry is wrong; its sign is
    flipped where phi is the sign, else a normal error ten times as large as phi(A u) varies.
    """

    source: Literal["gaussian", "sorting"]
    activation: str  # phi
    columns: int  # m
    nonzeros: int  # k
    rows: tuple[int, ...]  # d
    gain: float
    dense: float
    errors: float  # epsilon


@dataclass(frozen=True)
class Model:
    """A program of `abstractor_lib.theory.nonlinear_measurements`. ``multiple``: its penalty in
    pivotal ones, where it has one (with what a trained model measures it has none);
    ``censored_simplex`` is told that the relations of each head are not negative and sum to one;
    ``folds``, ``penalties``: of the lasso's cross-validation;
    ``edge``: measurements of a sigmoid that are closer to 0 or 1 count as saturated."""

    name: Name
    multiple: float
    folds: int
    penalties: int
    edge: float


@dataclass(frozen=True)
class NonlinearProtocol:
    """What the text says, and what we chose."""

    columns: Sourced[int] = setting("unknowns m")
    nonzeros: Sourced[tuple[int, ...]] = setting("nonzero unknowns k")
    rows: Sourced[tuple[int, ...]] = setting("measurements d")
    gain: Sourced[float] = setting("slope of the sigmoid's argument, |u| being 1")
    noise: Sourced[tuple[tuple[float, float], ...]] = setting(
        "dense noise (standard deviations of phi(A u)); share of wrong entries"
    )
    shares: Sourced[tuple[float, ...]] = setting("trained model: share of wrong entries")
    problems: Sourced[int] = setting("problems a cell")
    sequences: Sourced[int] = setting("trained model: test sequences")
    multiple: Sourced[float] = setting("penalty, in pivotal penalties")
    folds: Sourced[int] = setting("folds of the lasso's cross-validation")
    penalties: Sourced[int] = setting("penalties that the lasso tries")
    edge: Sourced[float] = setting("saturated: closer to 0 or 1 than")
    model: Sourced[str] = note("measurements")
    activations: Sourced[str] = note("phi")
    matrix: Sourced[str] = note("A")
    relations: Sourced[str] = note("u")
    gross: Sourced[str] = note("wrong entries")
    recovered: Sourced[str] = note("recovered")
    known: Sourced[str] = note("what programs are told")
    trained: Sourced[str] = note("trained model")


PROTOCOLS = {
    "described": NonlinearProtocol(
        columns=ours(64, "as many as features of a state in notebook 08"),
        nonzeros=ours((2, 4, 8), "as in notebook 08"),
        rows=ours(
            (11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512),
            "m / 6 to 8 m in steps of the square root of 2",
        ),
        gain=ours(3.0, "a fifth of the measurements lies within 0.02 of 0 or 1"),
        noise=ours(
            ((0.0, 0.0), (0.1, 0.0), (0.5, 0.0), (0.0, 0.1), (0.0, 0.2)),
            "the text names eta without saying what it is",
        ),
        shares=ours((0.0, 0.05, 0.1, 0.15, 0.2, 0.3)),
        problems=ours(20),
        sequences=ours(20, "a trial each, of one trained model"),
        multiple=ours(0.4, "as in notebook 08"),
        folds=ours(5),
        penalties=ours(15, "down to a hundredth of the largest that counts"),
        edge=ours(0.02),
        model=text("y = phi(A u) + eta, phi an activation function", "v1 3.5"),
        activations=ours("sign, sigmoid, relu; linear for comparison", "the text names none"),
        matrix=ours("standard normal entries, a matrix for each problem"),
        relations=text("k nonzero entries in the simplex", "v1 3.5; here divided by their length"),
        gross=ours("flipped signs; normal, 10 standard deviations of phi(A u)"),
        recovered=ours("a cosine of at least 0.9 with u", "where phi is the sign no more is known"),
        known=ours("k to the convex correlation; phi and gain to programs made for it"),
        trained=ours("the sorting Abstractor of notebook 07: message; hidden units behind it"),
    )
}

"""Settings of the sparse recovery experiment: v1 section 3.5, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ...records.spec import added
from ..protocol import Sourced, note, ours, setting, text
from ..robust_recovery.settings import Solver

__all__ = ["PROTOCOLS", "Model", "Solver", "Task"]


@dataclass(frozen=True)
class Task:
    """States of k-sparse relations over Gaussian symbols, corrupted.

    ``relations`` states are read back for each matrix of symbols; for predictions they are the
    examples, of which a third are kept for the test. ``noise``: standard deviation of dense normal
    noise, in root mean squares of the states, on top of the gross errors.
    """

    rows: int  # d
    columns: int  # m
    nonzeros: int  # k
    corruption: str
    errors: float  # epsilon
    noise: float = 0.0
    relations: int = 8


Name = Literal[
    "recovery",
    "predicting_relations",
    "predicting_states",
    "predicting_corrupted",
    "predicting_recovered",
]
GIVEN: dict[Name, str] = {  # model -> what it predicts from
    "predicting_relations": "relations",
    "predicting_states": "states",
    "predicting_corrupted": "corrupted",
    "predicting_recovered": "recovered",
}


@dataclass(frozen=True)
class Model:
    """``recovery``: the robust lasso (eq. 3.16) with a penalty of ``multiple`` times the pivotal
    one, or by cross-validation (``multiple`` zero). ``predicting_*``: a property of the relations
    predicted from the relations themselves, from the states, from the corrupted states, or from
    what is recovered of these."""

    name: Name
    multiple: float = 1.0
    cut: float = added(4.0)  # median absolute values, at which corrupted states are cut
    hidden: int = added(64)  # width of the network's one hidden layer
    decay: float = added(1e-3)  # its penalty on weights
    patience: int = added(20)  # epochs without progress after which it stops
    epochs: int = added(500)  # at most


@dataclass(frozen=True)
class SparseProtocol:
    """What the text says."""

    estimator: Sourced[str] = note("estimator")
    penalty: Sourced[str] = note("penalty")
    relations: Sourced[str] = note("relations")
    errors: Sourced[str] = note("errors")
    prediction: Sourced[str] = note("predicting")

    random_symbols: Sourced[str] = note("random symbols", ours("standard normal entries"))
    sparse_relations: Sourced[str] = note(
        "relations, entries", ours("k positions at random, weights uniform on the simplex")
    )
    pivotal: Sourced[str] = note("pivotal penalty", ours("Belloni & Chernozhukov 2011, Wang 2013"))
    gross: Sourced[str] = note(
        "gross errors", ours("normal, 10 x root mean square of the state, whatever the symbols")
    )
    dense: Sourced[float] = setting(
        "dense noise, normal, for rates: standard deviation in root mean squares of the state",
        ours(0.05, 'the text, v1 eq. 3.9, has none: "the other entries are zero"'),
    )
    exact: Sourced[str] = note("recovered, tolerance", ours("every entry to 1e-6"))
    predictors: Sourced[str] = note(
        "predictors", ours("ridge; a network with one hidden layer; gross errors cut")
    )


PROTOCOLS = {
    "described": SparseProtocol(
        estimator=text("least absolute deviations with an L1 penalty", "v1 eq. 3.16"),
        penalty=ours("multiples of the pivotal one; cross-validation", "the text names none"),
        relations=text("columns in the simplex, at most k nonzero entries", "v1 3.5"),
        errors=ours(
            "a fraction of the entries: normal, whatever the symbols, or dropped",
            "the text, v1 3.4, has values of an adversarial distribution too",
        ),
        prediction=ours("linear and network, on 1,000 examples", "the text names none"),
    )
}

"""Settings of the robust recovery experiment: v1 section 3.4, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ...theory.corruption import ADVERSARIAL, KINDS
from ..protocol import Sourced, note, ours, setting, text

Symbols = Literal["gaussian", "order", "sorting", "sorting_heads"]
Name = Literal["recovery", "conditions", "certificates", "invariance"]


@dataclass(frozen=True)
class Task:
    """States of some relations over given symbols, corrupted.

    ``symbols``: ``gaussian`` (a matrix for each trial), or those of a trained model: ``order`` (2
    positions, values of one relation dimension), ``sorting`` (10 positions, values of one of two
    heads), ``sorting_heads`` (both heads, added up by the output projection). ``relations`` states
    are read back for each matrix of symbols. Of ``rows`` entries the share ``errors`` is wrong.
    """

    symbols: Symbols
    rows: int  # d
    columns: int  # m
    corruption: str = "none"
    errors: float = 0.0  # epsilon
    relations: int = 10

    @property
    def adversary(self) -> bool:
        """Whether errors are chosen by what the last ones did."""
        return self.corruption in ADVERSARIAL


@dataclass(frozen=True)
class Model:
    """``recovery``: least absolute deviations (eq. 3.10), and least squares beside it;
    ``conditions``: A and B of the symbols; ``certificates``: many problems, and how far from
    optimal the answers are at most; ``invariance``: errors of other sizes at the same positions and
    with the same signs, and for how many relations that changes whether they come back."""

    name: Name


@dataclass(frozen=True)
class Solver:
    """Interior point iterations, at most, and the relative duality gap to reach (where relations
    are recovered to predict from them, 1e-6 is enough and ``tolerance`` is not read)."""

    updates: int = 60
    tolerance: float = 1e-9


OWN_KINDS = ("gaussian", "one_sided", "dropout", "adversarial_values")


@dataclass(frozen=True)
class RecoveryProtocol:
    """What the text says."""

    kinds: Sourced[tuple[str, ...]] = setting("kinds of errors")
    trained_kinds: Sourced[tuple[str, ...]] = setting(
        "kinds of errors, symbols of trained models", ours(OWN_KINDS, "four of them")
    )
    estimator: Sourced[str] = note("estimator")
    symbols: Sourced[str] = note("symbols")
    errors: Sourced[str] = note("errors")
    positions: Sourced[str] = note("positions of errors")
    recovered: Sourced[str] = note("recovered")

    random_symbols: Sourced[str] = note("random symbols", ours("standard normal entries"))
    relations: Sourced[str] = note(
        "relations", ours("softmax of 2 x standard normal; of trained models their own")
    )
    size: Sourced[str] = note("size of an error", ours("10 x root mean square of the state"))
    exact: Sourced[str] = note("recovered, tolerance", ours("every entry to 1e-6"))
    letters: Sourced[str] = note("m and k in eq. 3.14", ours("k = m; the text mixes them"))
    adversary: Sourced[str] = note("adversary", ours("local search for the worst direction"))


PROTOCOLS = {
    "described": RecoveryProtocol(
        kinds=ours(KINDS, "the text: an adversarial noise distribution; dropout"),
        estimator=text("least absolute deviations", "v1 eq. 3.10"),
        symbols=text("any that satisfy conditions A and B", "v1 3.4"),
        errors=text("adversarial values, a fraction of the entries; dropout", "v1 3.4"),
        positions=ours("random", "the text has a fraction of the entries, and does not say which"),
        recovered=text("exactly", "v1 Theorem 3.2"),
    )
}

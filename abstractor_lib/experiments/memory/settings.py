"""Settings of the memory experiment: a remark of the discussion, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ...records.spec import added
from ..protocol import Sourced, note, ours, setting, text

Dataset = Literal["diabetes", "digits"]
Name = Literal["gaussian", "metric", "inner", "neighbours", "linear"]


@dataclass(frozen=True)
class Task:
    """A data set that scikit-learn ships: diabetes (442 patients, 10 features, a number to predict)
    or digits (1,797 images, 64 features, ten classes).

    The relation is learned on ``train`` keys; at test time the memory holds ``keys``, the same and
    more.
    """

    dataset: Dataset
    train: int
    keys: int
    diabetes_test: int = added(142)  # examples held out for the test
    digits_test: int = added(900)

    @property
    def test(self) -> int:
        """Examples held out for the test."""
        return self.diabetes_test if self.dataset == "diabetes" else self.digits_test


@dataclass(frozen=True)
class Model:
    """``gaussian``, ``metric`` and ``inner`` are the relations of `nn.RelationalMemory`;
    ``neighbours`` (k nearest, k by cross-validation) and ``linear`` (ridge or logistic regression)
    stand beside them, fitted on all keys."""

    name: Name
    key_dim: int = 0  # features of a learned relation


@dataclass(frozen=True)
class Fit:
    """L-BFGS on the leave-one-out error, with a penalty on the squares of the weights; the penalty
    is chosen on a fifth of the training keys."""

    updates: int
    penalties: tuple[float, ...]


@dataclass(frozen=True)
class MemoryProtocol:
    """What the text says."""

    fixed: Sourced[str] = note("kernel regression")
    learned: Sourced[str] = note("learned relation")
    memory: Sourced[str] = note("memory")

    data: Sourced[str] = note(
        "data", ours("diabetes and digits, as scikit-learn ships them; random splits")
    )
    bandwidth: Sourced[str] = note("bandwidth", ours("leave-one-out error"))
    fitting: Sourced[str] = note(
        "learned relations", ours("leave-one-out error, penalty by validation, L-BFGS")
    )
    diabetes_features: Sourced[int] = setting("features of a relation, diabetes", ours(4))
    digits_features: Sourced[int] = setting("features of a relation, digits", ours(16))
    diabetes_test: Sourced[int] = setting("test examples, diabetes", ours(142))
    digits_test: Sourced[int] = setting("test examples, digits", ours(900))


PROTOCOLS = {
    "described": MemoryProtocol(
        fixed=text("Gaussian kernel", "v1 5"),
        learned=text("inner products of W_Q x and W_K x_i", "v1 5"),
        memory=text("keys bound to labels; grows with the episodes", "v1 5"),
    )
}

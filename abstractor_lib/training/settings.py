"""Training settings as data; importing them does not import torch."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Training:
    """Everything that determines how a model is fitted.

    The budget is ``epochs`` or ``updates``, whichever is not None. Validation takes place every
    ``validate_every`` updates, or after each epoch if that is None.

    ``patience`` stops a trial after that many validations without progress (None: never), as
    Keras 2's EarlyStopping does: the loss must fall by more than ``min_delta`` below its best, and
    the count only starts again once it is also below ``baseline``.

    ``restore``: ``best`` takes the weights of the lowest validation loss; ``best_if_stopped`` does
    so only for trials that were stopped, and leaves the others their last weights (Keras 2).

    ``monitor`` says whose loss all this watches; with ``training``, the mean over the examples
    since the last look, nothing is validated.
    """

    loss: Literal["cross_entropy", "binary_cross_entropy"]
    learning_rate: float
    batch_size: int
    epochs: int | None
    updates: int | None
    validate_every: int | None
    patience: int | None
    min_delta: float
    baseline: float | None
    restore: Literal["best", "best_if_stopped"]
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7
    monitor: Literal["validation", "training"] = field(default="validation", metadata={"since": 2})

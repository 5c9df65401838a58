"""Training settings as data; importing them does not import torch."""

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

from ..records.spec import added, to_plain


@dataclass(frozen=True)
class Training:
    """Everything that determines how a model is fitted.

    The budget is ``epochs`` or ``updates``, whichever is not None. Validation takes place every
    ``validate_every`` updates, or after each epoch if that is None.

    ``loss`` names an objective of `objectives`; ``custom`` says that `fit` is given one.

    ``patience`` stops a trial after that many validations without progress (None: never), as
    Keras 2's EarlyStopping does: the loss must fall by more than ``min_delta`` below its best, and
    the count only starts again once it is also below ``baseline``.

    ``restore``: ``best`` takes the weights of the lowest validation loss; ``best_if_stopped`` does
    so only for trials that were stopped, and leaves the others their last weights (Keras 2).

    ``monitor`` says what all this watches: the loss on the ``validation`` examples; their
    ``accuracy``, which has to rise; or with ``training`` the mean loss over the examples since the
    last look, and then nothing is validated. The first ``ignored`` validations count for none of
    it, as Keras' ``start_from_epoch`` has it.

    ``optimiser`` is torch's of that name. ``beta_2`` also smooths RMSprop's squares. ``momentum``
    is for ``rmsprop`` and ``sgd``. ``weight_decay`` is decoupled in ``adamw`` and added to the
    gradient in the others. ``clip`` is the largest norm that the gradient of one trial may have.

    The learning rate rises linearly over the first ``warmup`` updates. Then it stays
    ``constant``, or falls towards 0 at the end of the budget, ``linear`` or as a ``cosine``.

    ``validation_chunk`` examples are validated at once (None: all), which bounds memory and changes
    validation losses by rounding only. ``together`` trains all trials in one vectorised pass;
    otherwise the passes take turns, for models that cannot be vectorised.

    ``goal`` stops a trial as soon as its validation accuracy is at least that, and it keeps the
    weights that it has then; ``restore`` is for the trials that never get there.

    ``also`` names weights that are handed out beside those that ``restore`` chooses: the ``final``
    ones; those of the ``best_loss`` that was watched; those of the ``best_accuracy`` on the
    validation examples (the first of equals); and the ``averaged`` ones, an exponential moving
    average over updates (Polyak averaging): after each, a share ``1 - average`` of the new weights
    takes the place of as much of the average.

    Example:
        >>> rules = Training(
        ...     loss="cross_entropy", learning_rate=1e-3, batch_size=64, epochs=10, updates=None,
        ...     validate_every=None, patience=3, min_delta=0.0, baseline=None, restore="best")
        >>> rules.optimiser, rules.schedule
        ('adam', 'constant')
    """

    loss: Literal[
        "cross_entropy",
        "masked_cross_entropy",
        "sequence_cross_entropy",
        "binary_cross_entropy",
        "mse",
        "custom",
    ]
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
    monitor: Literal["validation", "accuracy", "training"] = added("validation")
    optimiser: Literal["adam", "adamw", "rmsprop", "sgd"] = added("adam")
    momentum: float = added(0.0)
    weight_decay: float = added(0.0)
    clip: float | None = added(None)
    schedule: Literal["constant", "linear", "cosine"] = added("constant")
    warmup: int = added(0)
    validation_chunk: int | None = added(None)
    together: bool = added(True)
    also: tuple[Literal["final", "best_loss", "best_accuracy", "averaged"], ...] = added(())
    goal: float | None = added(None)
    ignored: int = added(0)
    average: float | None = added(None)


POSITIVE = ("learning_rate", "batch_size", "epochs", "updates", "validate_every", "patience")
POSITIVE += ("epsilon", "clip", "validation_chunk")


def within(planned: int, limit: int | None) -> int:
    """Updates to do: those planned, or the first ``limit`` of them.

    Raises:
        ValueError: for a limit that is no number of updates.

    Example:
        >>> within(100, None), within(100, 3)
        (100, 3)
    """
    if limit is None:
        return planned
    if not isinstance(limit, Integral) or isinstance(limit, bool) or limit < 0:
        raise ValueError(f"limit is {limit!r}; expected a number of updates, or None for all")
    return min(planned, limit)


def check(training: Training) -> None:
    """Raise ValueError, naming the field, for settings that make no sense.

    Example:
        >>> check(Training(
        ...     loss="mean_squares", learning_rate=1e-3, batch_size=8, epochs=1, updates=None,
        ...     validate_every=None, patience=None, min_delta=0.0, baseline=None, restore="best"))
        Traceback (most recent call last):
            ...
        ValueError: loss is 'mean_squares'; allowed: cross_entropy, masked_cross_entropy, \
sequence_cross_entropy, binary_cross_entropy, mse, custom
    """
    given = vars(training) | to_plain(training)  # which checks types and names
    for name in POSITIVE:
        if given[name] is not None and given[name] <= 0:
            raise ValueError(f"{name} is {given[name]}; expected more than 0")
    for name in ("min_delta", "weight_decay", "warmup", "ignored"):
        if given[name] < 0:
            raise ValueError(f"{name} is {given[name]}; expected at least 0")
    for name in ("beta_1", "beta_2", "momentum"):
        if not 0 <= given[name] < 1:
            raise ValueError(f"{name} is {given[name]}; expected a number from 0 to below 1")
    if (training.epochs is None) == (training.updates is None):
        raise ValueError(
            f"epochs is {training.epochs} and updates {training.updates}; expected one of them, "
            "and None for the other"
        )
    if training.goal is not None:
        if not 0 < training.goal <= 1:
            raise ValueError(f"goal is {training.goal}; expected an accuracy above 0, 1 at most")
        if training.monitor != "validation":
            raise ValueError(
                f"goal is {training.goal} with monitor {training.monitor!r}; allowed: 'validation'"
            )
    if training.average is not None and not 0 < training.average < 1:
        raise ValueError(f"average is {training.average}; expected a number between 0 and 1")
    if ("averaged" in training.also) != (training.average is not None):
        raise ValueError(
            f"average is {training.average} with also {training.also}; "
            "expected a number if 'averaged' is among them, and None otherwise"
        )
    if training.momentum and training.optimiser in ("adam", "adamw"):
        raise ValueError(
            f"momentum is {training.momentum} with {training.optimiser}; "
            "allowed: 0.0, or the optimisers rmsprop and sgd"
        )

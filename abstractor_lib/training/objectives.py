"""What a fit minimises: losses of each trial, and which answers are right where that has a meaning.

Shapes: ``t`` trials, ``n`` examples, ``o`` outputs. Targets may have further axes (one a position).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from .examples import Tensors, first

IGNORED = -100  # the class of a padded position; torch's own choice

Measure = Callable[[Tensor, Any], Tensor]  # of outputs, and targets as its examples hold them


@dataclass(frozen=True)
class Objective:
    """A loss, and what can be said about the answers.

    Attributes:
        losses: outputs ``(t, n, o)`` and targets ``(t, n)`` to the mean loss of each trial,
            ``(t,)``.
        right: which answers are right, bool ``(t, n)``, or one for each target; None where that
            has no meaning.
        counted: which targets count, bool ``(t, n)``; None if all do. The loss is a mean over
            these.
    """

    losses: Measure
    right: Measure | None = None
    counted: Callable[[Any], Tensor] | None = None

    def __call__(self, outputs: Tensor, targets: Tensors) -> Tensor:
        """The mean loss of each trial, ``(t,)``.

        Raises:
            ValueError: if the objective does not return one loss per trial.
        """
        found = self.losses(outputs, targets)
        if found.shape != outputs.shape[:1]:
            raise ValueError(
                f"the objective returned the shape {tuple(found.shape)}; "
                f"expected one loss per trial, {tuple(outputs.shape[:1])}"
            )
        return found

    def scores(self, outputs: Tensor, targets: Tensors) -> dict[str, Tensor]:
        """``loss`` and, where it has a meaning, ``accuracy`` of each trial, ``(t,)``."""
        found = {"loss": self(outputs, targets)}
        if self.right is not None:
            right = self.right(outputs, targets).flatten(1).float()
            if self.counted is None:
                found["accuracy"] = right.mean(dim=1)
            else:
                counted = self.counted(targets).flatten(1)
                found["accuracy"] = (right * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)
        return found

    def weight(self, targets: Tensors) -> Tensor:
        """Over how many targets of each trial the scores are means, ``(t,)``."""
        if self.counted is not None:
            return self.counted(targets).flatten(1).sum(dim=1)
        whole = first(targets)
        return torch.full(whole.shape[:1], whole[0].numel(), device=whole.device)


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """Outputs ``(t, n, o)``, integer targets ``(t, n)``; mean over all targets, ``(t,)``."""
    return _cross_entropies(outputs, targets).flatten(1).mean(dim=1)


def masked_cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """As `cross_entropy`, over the targets that are not `IGNORED`.

    Example:
        >>> outputs = torch.tensor([[[0.0, 0.0], [5.0, 0.0]]])
        >>> masked_cross_entropy(outputs, torch.tensor([[1, IGNORED]]))  # log 2
        tensor([0.6931])
    """
    whole = _cross_entropies(outputs, targets).flatten(1).sum(dim=1)  # 0 at ignored ones
    return whole / not_ignored(targets).flatten(1).sum(dim=1).clamp(min=1)


def _cross_entropies(outputs: Tensor, targets: Tensor) -> Tensor:
    """Of each target by itself, in their shape."""
    _expect(outputs.shape[:-1], targets)
    if targets.dtype not in (torch.int64, torch.uint8):
        raise ValueError(f"targets have the dtype {targets.dtype}; expected torch.int64, classes")
    try:
        each = F.cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
    except IndexError:
        last = outputs.shape[-1] - 1
        raise ValueError(f"targets hold a class without an output; expected 0 to {last}") from None
    return each.view_as(targets)


def binary_cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """Outputs ``(t, n, 1)``, the logits of a yes; targets 0 or 1, ``(t, n)`` -> ``(t,)``."""
    outputs = outputs.squeeze(-1)
    _expect(outputs.shape, targets)
    each = F.binary_cross_entropy_with_logits(outputs, targets.to(outputs.dtype), reduction="none")
    return each.flatten(1).mean(dim=1)


def mse(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of squared differences; targets ``(t, n, o)``, or ``(t, n)`` for one output -> ``(t,)``.

    Example:
        >>> mse(torch.tensor([[[1.0], [3.0]]]), torch.tensor([[1.0, 1.0]]))
        tensor([2.])
    """
    if outputs.shape[-1] == 1 and targets.dim() == outputs.dim() - 1:
        outputs = outputs.squeeze(-1)
    _expect(outputs.shape, targets)
    return (outputs - targets).square().flatten(1).mean(dim=1)


def correct(outputs: Tensor, targets: Tensor) -> Tensor:
    """Which predictions are right: outputs ``(t, n, o)``, targets ``(t, n)`` -> bool ``(t, n)``."""
    predicted = outputs.argmax(-1) if outputs.shape[-1] > 1 else outputs.squeeze(-1) > 0
    return predicted == targets


def all_correct(outputs: Tensor, targets: Tensor) -> Tensor:
    """Which examples are right in all of their targets: bool ``(t, n)``.

    Example:
        >>> outputs = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
        >>> [all_correct(outputs, torch.tensor([[one]])).item() for one in ([0, 1], [0, 0])]
        [True, False]
    """
    return correct(outputs, targets).reshape(*targets.shape[:2], -1).all(dim=-1)


def not_ignored(targets: Tensor) -> Tensor:
    """Which targets count under `masked_cross_entropy`, bool ``(t, n)``."""
    return targets != IGNORED


def token_cross_entropy(padding: int, in_loss: bool = False) -> Objective:
    """Of target sequences that end in padding: which labels count.

    Args:
        padding: the label of a padded position. The accuracy leaves it out, and so does the loss,
            a mean over all other labels of a batch.
        in_loss: let padded positions count in the loss, as in the public code of v3 section 4.3.
            The accuracy leaves them out all the same. (Where validation examples come in several
            parts, their losses are averaged with the numbers of other labels as weights.)

    Returns:
        For ``Training.loss`` ``custom``: outputs ``(t, n, m, o)``, integer targets ``(t, n, m)``.

    Example:
        >>> outputs = torch.tensor([[[[0.0, 0.0], [5.0, 0.0]]]])
        >>> token_cross_entropy(padding=0)(outputs, torch.tensor([[[1, 0]]]))  # log 2
        tensor([0.6931])
        >>> token_cross_entropy(padding=0, in_loss=True)(outputs, torch.tensor([[[1, 0]]]))
        tensor([0.3499])
    """

    def losses(outputs: Tensor, targets: Tensor) -> Tensor:
        targets = targets.long()  # (t, n, m)
        if in_loss:
            return cross_entropy(outputs, targets)
        return masked_cross_entropy(outputs, targets.masked_fill(targets == padding, IGNORED))

    return Objective(losses, correct, lambda targets: targets != padding)


OBJECTIVES = {
    "cross_entropy": Objective(cross_entropy, correct),
    "masked_cross_entropy": Objective(masked_cross_entropy, correct, not_ignored),
    "sequence_cross_entropy": Objective(cross_entropy, all_correct),
    "binary_cross_entropy": Objective(binary_cross_entropy, correct),
    "mse": Objective(mse),
}


def objective(name: str, given: Objective | Measure | None = None) -> Objective:
    """The objective of a name, or for ``custom`` the one given.

    Args:
        name: a key of `OBJECTIVES`, or ``custom``.
        given: for ``custom`` alone: an `Objective`, or a function from outputs and targets to
            the losses of the trials.

    Raises:
        ValueError: for an unknown name, or if an objective is missing or not asked for.

    Example:
        >>> objective("hinge")
        Traceback (most recent call last):
            ...
        ValueError: loss is 'hinge'; allowed: cross_entropy, masked_cross_entropy, \
sequence_cross_entropy, binary_cross_entropy, mse, custom
    """
    if name != "custom" and name not in OBJECTIVES:
        raise ValueError(f"loss is {name!r}; allowed: {', '.join([*OBJECTIVES, 'custom'])}")
    if (name == "custom") != (given is not None):
        has = "is given" if given is not None else "is None"
        raise ValueError(f"objective {has} with loss {name!r}; expected one with 'custom' alone")
    if given is None:
        return OBJECTIVES[name]
    return given if isinstance(given, Objective) else Objective(given)


def _expect(shape: tuple[int, ...], targets: Tensor) -> None:
    if targets.shape != shape:
        raise ValueError(f"targets have the shape {tuple(targets.shape)}; expected {tuple(shape)}")

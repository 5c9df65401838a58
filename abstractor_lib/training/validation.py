"""Scores on validation examples, some at a time where all at once need too much memory.

Shapes: ``t`` trials.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .examples import Examples, Tensors
from .objectives import Objective

Scores = dict[str, Tensor]


def validate(
    predict: Callable[[Tensors], Tensor],
    validation: Sequence[Examples],
    objective: Objective,
    chunk: int | None = None,
) -> Scores:
    """Scores of each trial.

    Args:
        predict: inputs to outputs, without dropout and gradients.
        validation: examples; several where their shapes differ, as sequences of several lengths.
        objective: gives the scores, means over the targets that count.
        chunk: so many examples at a time; None: all at once.

    Returns:
        ``loss`` and, where it has a meaning, ``accuracy``, each ``(t,)``.
    """
    parts = []
    for examples in validation:
        for part in examples.chunks(chunk):
            scores = objective.scores(predict(part.inputs), part.targets)
            parts.append((scores, objective.weight(part.targets)))
    return pooled(parts)


def pooled(parts: Sequence[tuple[Scores, Tensor]]) -> Scores:
    """Scores of a whole from those of its parts, each with its weight ``(t,)``.

    Example:
        >>> one, two = {"loss": torch.tensor([1.0])}, {"loss": torch.tensor([4.0])}
        >>> pooled([(one, torch.tensor([2])), (two, torch.tensor([1]))])
        {'loss': tensor([2.])}
    """
    if len(parts) == 1:
        return parts[0][0]
    weights = torch.stack([weight for _, weight in parts])  # (parts, t)
    return {
        name: (torch.stack([scores[name] for scores, _ in parts]) * weights).sum(dim=0)
        / weights.sum(dim=0).clamp(min=1)
        for name in parts[0][0]
    }

"""Extrapolation of curves, one point after the other, of many curves at once.

Shapes: ``b`` curves, ``N`` observed points, ``s`` further ones.
"""

import torch
from torch import Tensor

from .arguments import check_sizes
from .function_learning import CurveModel, Prediction, at_least_single


@torch.no_grad()
def extrapolate(model: CurveModel, y: Tensor, steps: int, *, keep: bool = True) -> Prediction:
    """Append the predicted value of the next point to the curve, and go on.

    Args:
        model: predicts one point.
        y: observed values at x = 1, ..., N, ``(b, N)``.
        steps: points to predict.
        keep: compute each observed token once, where the model is causal. Otherwise all tokens are
            computed anew for each point; the predictions are the same.

    Returns:
        Values ``(b, s)``, and their standard deviations, None if the model estimates none.

    Raises:
        ValueError: for a number of steps below one, or as ``model`` for ``y``.

    Example:
        >>> from abstractor_lib.nn import CurveTransformer
        >>> extrapolate(CurveTransformer(16, heads=2, layers=2), torch.zeros(3, 20), 10).value.shape
        torch.Size([3, 10])
    """
    check_sizes(steps=steps)
    model.check_curves(y)
    keep = keep and model.causal
    observed = y.shape[1]
    places = torch.arange(1, observed + steps + 1, device=y.device)
    places = places.to(at_least_single(y))
    found, kept, first = [], None, 0
    for step in range(steps):
        x = places[: observed + step]
        kept = model.observe(x, y, kept if keep else None, first if keep else 0)
        first = y.shape[1]
        one = model.predict(model.ask(x, y, places[observed + step], kept))
        found.append(one)
        y = torch.cat([y, one.value.unsqueeze(-1)], dim=1)
    values, deviations = zip(*found, strict=True)
    missing = deviations[0] is None
    return Prediction(
        torch.stack(values, dim=1), None if missing else torch.stack(deviations, dim=1)
    )

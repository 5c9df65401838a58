"""Temporal context normalisation (Webb et al. 2020): each feature over the objects of a sequence.

Shapes: ``b`` batch, ``m`` objects, ``d`` features.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_eps, check_features, check_sizes, shown


class TemporalContextNorm(nn.Module):
    """Each feature's mean over a sequence becomes 0 and its variance 1; then gain and shift.

    Statistics are of one sequence, not of a batch: what is left of an object is how it differs from
    the others of its sequence. If all objects of a sequence are equal, only the shift is left.

    Args:
        dim: features ``d``.
        parts: of how many objects each part of a sequence is, ``m`` in all; each is normalised by
            itself. None for one part, of any length.
        eps: added to the variance.
        device, dtype: of gain and shift.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, d)``.

    Raises:
        ValueError: for a ``dim`` or part below one, or objects of another width, dtype or number.

    Source: Webb, Dulberg, Frankland, Petrov, O'Reilly, Cohen 2020, Learning Representations that
    Support Extrapolation; parts as in Webb, Sinha, Cohen 2021, section 3.1; ``eps`` is ours.

    Example:
        >>> norm = TemporalContextNorm(1)
        >>> norm(torch.tensor([[[1.0], [3.0]]])).flatten().tolist()
        [-0.9999949932098389, 0.9999949932098389]
        >>> norm(torch.tensor([[[3.0], [3.0]]])).flatten().tolist()
        [0.0, 0.0]
        >>> pairs = TemporalContextNorm(1, parts=(2, 2))
        >>> pairs(torch.tensor([[[1.0], [3.0], [7.0], [7.0]]])).flatten().round().tolist()
        [-1.0, 1.0, 0.0, 0.0]
    """

    def __init__(
        self,
        dim: int,
        *,
        parts: Sequence[int] | None = None,
        eps: float = 1e-5,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim)
        check_eps("eps", eps)
        for number, size in enumerate(parts or ()):
            check_sizes(**{f"parts[{number}]": size})
        self.dim, self.eps = dim, eps
        self.parts = None if parts is None else tuple(parts)
        self.gain = nn.Parameter(torch.empty(dim, device=device, dtype=dtype))
        self.shift = nn.Parameter(torch.empty(dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gain 1, shift 0."""
        nn.init.ones_(self.gain)
        nn.init.zeros_(self.shift)

    def forward(self, objects: Tensor) -> Tensor:
        check_features("objects", objects, self.dim, self.gain)
        if self.parts is None:
            return self._normalised(objects)
        if objects.shape[-2] != sum(self.parts):
            raise ValueError(
                f"objects has {objects.shape[-2]} objects; parts has {sum(self.parts)} in all"
            )
        parts = objects.split(self.parts, dim=-2)
        return torch.cat([self._normalised(part) for part in parts], dim=-2)

    def _normalised(self, objects: Tensor) -> Tensor:
        centred = objects - objects.mean(dim=-2, keepdim=True)  # (b, m, d)
        variance = centred.square().mean(dim=-2, keepdim=True)  # (b, 1, d)
        # gamma (z_t - mean_t z) / sqrt(var_t z + eps) + beta   (Webb et al. 2020, TCN)
        return self.gain * centred * torch.rsqrt(variance + self.eps) + self.shift

    def extra_repr(self) -> str:
        return shown(self, "dim", "parts", "eps")

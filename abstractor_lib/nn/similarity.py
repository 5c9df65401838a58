"""Similarities of two numbers that can be undone: given x and S(x, y), y is known.

A relational model of curves sees nothing but S(y_i, y_j), predicts S(y_i, y) and reads y out of
it (Segert & Cohen 2023). Cosine similarity of two numbers is their sign, a dot product says nothing
of their distance, and an unsigned distance leaves two answers.
"""

import torch
from torch import Tensor, nn

from .arguments import Device, DType


class SignedDifference(nn.Module):
    """S(x, y) = x - y.

    Returns:
        ``forward(x, y)``: of the shape that x and y broadcast to.

    Example:
        >>> similarity = SignedDifference()
        >>> x, y = torch.tensor(3.0), torch.tensor(5.0)
        >>> similarity(x, y).item(), similarity.invert(x, similarity(x, y)).item()
        (-2.0, 5.0)
    """

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x - y

    def invert(self, x: Tensor, s: Tensor) -> Tensor:
        """The y with S(x, y) = s."""
        return x - s


class LearnedDifference(nn.Module):
    """S(x, y) = g(x) - g(y), g(y) = sinh(delta arsinh(y) - epsilon) learned.

    The paper leaves a learned similarity to future work. This one can be undone exactly: g rises
    everywhere, and its inverse is known (the sinh-arcsinh transformation of Jones & Pewsey 2009).
    It starts at delta = 1, epsilon = 0, the signed difference.

    Args:
        device, dtype: of the two parameters, log delta and epsilon.

    Returns:
        ``forward(x, y)``: of the shape that x and y broadcast to.

    Example:
        >>> similarity = LearnedDifference()
        >>> x, y = torch.tensor(3.0), torch.tensor(5.0)
        >>> round(similarity(x, y).item(), 4)
        -2.0
    """

    def __init__(self, *, device: Device = None, dtype: DType = None):
        super().__init__()
        self.log_delta = nn.Parameter(torch.zeros((), device=device, dtype=dtype))
        self.epsilon = nn.Parameter(torch.zeros((), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Go back to the signed difference."""
        with torch.no_grad():
            self.log_delta.zero_()
            self.epsilon.zero_()

    def scale(self, y: Tensor) -> Tensor:
        """g(y)."""
        return torch.sinh(self.log_delta.exp() * torch.asinh(y) - self.epsilon)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.scale(x) - self.scale(y)

    def invert(self, x: Tensor, s: Tensor) -> Tensor:
        """The y with S(x, y) = s."""
        g = self.scale(x) - s
        return torch.sinh((torch.asinh(g) + self.epsilon) / self.log_delta.exp())


SIMILARITIES = {"difference": SignedDifference, "learned": LearnedDifference}

"""Feed-forward networks: the multilayer perceptron and the Transformer's position-wise block."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import Tensor, nn

from .linear import check_dropout, check_sizes

LAYER_NORM_EPS = 1e-3  # Keras' default, which the published parameter counts come with


class MLP(nn.Sequential):
    """Dense layers with relu, or another activation, between them.

    Args:
        sizes: input width, hidden widths, output width.
        activate_last: apply the activation after the last layer too.
        activation: makes it.

    Returns:
        ``forward(x)``: ``(b, sizes[0]) -> (b, sizes[-1])``.

    Example:
        >>> sum(p.numel() for p in MLP([64, 32, 32, 1]).parameters())  # v3's pairwise MLP
        3169
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activate_last: bool = False,
        activation: Callable[[], nn.Module] = nn.ReLU,
    ):
        if len(sizes) < 2:
            raise ValueError(f"sizes is {list(sizes)}; expected an input and an output width")
        for size in sizes:
            check_sizes(sizes=size)
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after), activation()]
        super().__init__(*(layers if activate_last else layers[:-1]))


class FeedForward(nn.Module):
    """Position-wise feed-forward block, x <- Norm(x + Dropout(W2 relu(W1 x))).

    Args:
        dim: features in and out.
        hidden: width of the hidden layer.
        residual, norm: add the input; normalise the result. Both are off in the text of v3 B.1.1
            and on in the networks whose parameter counts are published.
        dropout: probability, on the output of W2.

    Returns:
        ``forward(x)``: ``(b, m, dim) -> (b, m, dim)``.

    Example:
        >>> sum(p.numel() for p in FeedForward(64, 64).parameters())
        8448
    """

    def __init__(
        self,
        dim: int,
        hidden: int,
        *,
        residual: bool = True,
        norm: bool = True,
        dropout: float = 0.1,
    ):
        super().__init__()
        check_sizes(dim=dim, hidden=hidden)
        check_dropout(dropout)
        self.network = MLP([dim, hidden, dim])
        self.dropout = nn.Dropout(dropout)
        self.residual = residual
        self.norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = self.dropout(self.network(x))
        return self.norm(x + y if self.residual else y)

"""Feed-forward networks: the multilayer perceptron and the Transformer's position-wise block."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_batches,
    check_dropout,
    check_eps,
    check_sizes,
    check_width,
    shown,
)

KERAS_EPS = 1e-3  # of layer norms: Keras' default, which the published parameter counts come with
TORCH_EPS = 1e-5  # of layer norms: torch's default, and that of the 2-simplicial public code


class MLP(nn.Sequential):
    """Dense layers with relu, or another activation, between them.

    Args:
        sizes: input width, hidden widths, output width.
        activate_last: apply the activation after the last layer too.
        activation: makes it.
        device, dtype: of the parameters.

    Returns:
        ``forward(x)``: ``(b, sizes[0]) -> (b, sizes[-1])``.

    Raises:
        ValueError: for fewer than two sizes, a size below one, or input of another width.

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
        device: Device = None,
        dtype: DType = None,
    ):
        if len(sizes) < 2:
            raise ValueError(f"sizes is {list(sizes)}; expected an input and an output width")
        for size in sizes:
            check_sizes(sizes=size)
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after, device=device, dtype=dtype), activation()]
        super().__init__(*(layers if activate_last else layers[:-1]))

    def forward(self, x: Tensor) -> Tensor:
        check_width("x", x, self[0].in_features, self[0].weight)
        return super().forward(x)


def sublayer(
    x: Tensor,
    block: Callable[[Tensor], Tensor],
    norm: nn.Module,
    *,
    norm_first: bool = False,
    residual: bool = True,
    name: str = "block",
) -> Tensor:
    """A block with residual connection and norm, x <- Norm(x + block(x)).

    Args:
        x: ``(b, m, d)``.
        block: maps it to the same shape.
        norm: a layer norm, or ``nn.Identity``.
        norm_first: normalise what the block reads instead (pre-norm), x <- x + block(Norm(x)).
        residual: add what came in.
        name: of the block, in an error.

    Returns:
        ``(b, m, d)``.

    Raises:
        ValueError: if the block returns something else than one tensor, a tensor of another width
            than the norm after it, or with a residual connection a tensor of another shape.

    Example:
        >>> import torch
        >>> sublayer(torch.ones(1, 1, 2), lambda x: 2 * x, nn.Identity()).tolist()
        [[[3.0, 3.0]]]
    """
    y = block(norm(x) if norm_first else x)
    if not isinstance(y, Tensor):
        raise ValueError(f"{name} returns a {type(y).__name__}; expected one tensor, the result")
    if residual and y.shape[-2:] != x.shape[-2:]:  # a width of 1 would be added to each feature
        raise ValueError(
            f"{name} returns shape {tuple(y.shape)}; expected (..., {x.shape[-2]}, "
            f"{x.shape[-1]}), as what it is added to"
        )
    if isinstance(norm, nn.LayerNorm) and not norm_first and y.shape[-1:] != norm.normalized_shape:
        raise ValueError(
            f"{name} returns shape {tuple(y.shape)}; expected (..., {y.shape[-2]}, "
            f"{norm.normalized_shape[0]}), the features of the norm after it"
        )
    if residual:
        check_batches(**{"x": x.shape[:-2], name: y.shape[:-2]})
    y = x + y if residual else y
    return y if norm_first else norm(y)


class FeedForward(nn.Module):
    """Position-wise feed-forward block, x <- Norm(x + Dropout(W2 relu(W1 x))).

    Args:
        dim: features in and out.
        hidden: width of the hidden layer.
        residual, norm: add the input; normalise the result. Both are off in the text of v3 B.1.1
            and on in the networks whose parameter counts are published.
        norm_first: normalise what the network reads instead (pre-norm),
            x <- x + Dropout(W2 relu(W1 Norm(x))).
        layer_norm_eps: added to the variance in the norm.
        dropout: probability, on the output of W2.
        device, dtype: of the parameters.

    Returns:
        ``forward(x)``: ``(b, m, dim) -> (b, m, dim)``.

    Raises:
        ValueError: for sizes below one, or ``norm_first`` without a norm.

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
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, hidden=hidden)
        check_dropout(dropout)
        check_eps("layer_norm_eps", layer_norm_eps)
        if norm_first and not norm:
            raise ValueError("norm_first is True and norm False; expected a norm to put first")
        self.network = MLP([dim, hidden, dim], device=device, dtype=dtype)
        self.dropout = nn.Dropout(dropout)
        self.residual, self.norm_first = residual, norm_first
        self.norm = nn.Identity()
        if norm:
            self.norm = nn.LayerNorm(dim, eps=layer_norm_eps, device=device, dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        first = self.network[0]
        check_width("x", x, first.in_features, first.weight)

        def block(x: Tensor) -> Tensor:
            return self.dropout(self.network(x))

        how = {"norm_first": self.norm_first, "residual": self.residual}
        return sublayer(x, block, self.norm, **how)

    def extra_repr(self) -> str:
        return shown(self, "residual", "norm_first")

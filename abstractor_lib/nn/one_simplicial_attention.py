"""1-simplicial attention: messages from entities, and what 2-simplicial attention shares with it.

There are no biases and no output map: heads are concatenated.

Shapes: ``b`` any batch dimensions, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k``
width of a key, ``v`` of a value.
"""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import (
    Device,
    DType,
    check_batches,
    check_features,
    check_mask,
    check_sizes,
    shown,
)
from .excluded import finite_padding, without_padding
from .relations import activate, inner_product_relations


class JointProjection(nn.Linear):
    """Several vectors of each entity, for each head, by one linear map: (q, k, v) = E(e) (eq. 1) or
    (p, l1, l2, u) = E(e) (eq. 6).

    Args:
        dim: features ``d``.
        heads: number of heads ``h``.
        widths: of the vectors, for one head.
        device, dtype: of the parameters.

    Returns:
        ``forward(x)``: ``(b, n, d) ->`` one ``(b, h, n, width)`` for each width. With ``first`` and
        ``last``, of those vectors alone, which saves the work of the others. With a ``norm``, of
        the normalised concatenation of all.

    Raises:
        ValueError: for sizes below one.

    Example:
        >>> import torch
        >>> project = JointProjection(8, heads=2, widths=(3, 3, 4))
        >>> [tuple(part.shape) for part in project(torch.zeros(5, 8), first=1)]
        [(2, 5, 3), (2, 5, 4)]
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        widths: Sequence[int],
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(dim=dim, heads=heads)
        for width in widths:
            check_sizes(widths=width)
        super().__init__(dim, heads * sum(widths), bias=False, device=device, dtype=dtype)
        self.heads, self.widths = heads, tuple(widths)

    def forward(
        self,
        x: Tensor,
        *,
        first: int = 0,
        last: int | None = None,
        norm: nn.Module | None = None,
    ) -> list[Tensor]:
        sizes = [self.heads * width for width in self.widths]
        if norm is not None:
            parts = norm(F.linear(x, self.weight)).split(sizes, dim=-1)[first:last]
        else:
            start, stop = sum(sizes[:first]), sum(sizes[:last])
            parts = F.linear(x, self.weight[start:stop]).split(sizes[first:last], dim=-1)
        return [part.unflatten(-1, (self.heads, -1)).transpose(-3, -2) for part in parts]

    def extra_repr(self) -> str:
        return shown(self, "in_features", "heads", "widths")


class OneSimplicialAttention(nn.Module):
    """Dot-product attention: v'_i = sum_j softmax_j(q_i.k_j) v_j (eq. 2), heads concatenated.

    Args:
        dim: features ``d``.
        heads: number of heads ``h``.
        key_dim: width ``k`` of a head.
        value_dim: width ``v`` of a head's values; None for ``key_dim``.
        scale: factor on the dot products; None for ``key_dim ** -0.5``, which the public code has
            and eq. 2 has not (there 1).
        device, dtype: of the parameters.

    Returns:
        ``forward(query)`` or ``forward(query, key)``: ``(b, n, d), (b, m, d) -> (b, n, h * v)``;
        with ``need_weights`` also the attention ``(b, h, n, m)``. ``key_padding_mask`` is boolean
        ``(b, m)``, True for a key to ignore. ``norm``: see `JointProjection`.

    Raises:
        ValueError: for sizes below one, or inputs of another width or dtype.

    Source: Logic and the 2-Simplicial Transformer, eq. 1, 2, 4.

    Example:
        >>> attention = OneSimplicialAttention(64, heads=2, key_dim=32)
        >>> sum(p.numel() for p in attention.parameters())
        12288
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        scale: float | None = None,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        check_sizes(dim=dim, heads=heads, key_dim=key_dim, value_dim=value_dim)
        self.dim, self.heads, self.key_dim, self.value_dim = dim, heads, key_dim, value_dim
        self.scale = key_dim**-0.5 if scale is None else scale
        widths = (key_dim, key_dim, value_dim)
        self.project = JointProjection(dim, heads, widths, device=device, dtype=dtype)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        *,
        key_padding_mask: Tensor | None = None,
        norm: nn.Module | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        check_features("query", query, self.dim, self.project.weight)
        if key is None:
            query = finite_padding(query, key_padding_mask)
            queries, keys, values = self.project(query, norm=norm)
        else:
            check_features("key", key, self.dim, self.project.weight)
            (queries,) = self.project(query, last=1, norm=norm)
            key = finite_padding(key, key_padding_mask)
            keys, values = self.project(key, first=1, norm=norm)
        return self.attend(queries, keys, values, key_padding_mask, need_weights)

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As ``forward``, of projected queries ``(b, h, n, k)``, keys and values."""
        check_batches(query=queries.shape[:-3], key=keys.shape[:-3])
        ignore = None
        if key_padding_mask is not None:
            check_mask("key_padding_mask", key_padding_mask, (*keys.shape[:-3], keys.shape[-2]))
            ignore = key_padding_mask[..., None, None, :]  # (b, 1, 1, m)
            values = without_padding(values, key_padding_mask)
        scores = inner_product_relations(queries, keys, self.scale)
        weights = activate(scores, "softmax", ignore=ignore)  # (b, h, n, m)
        # v'_i = sum_j softmax(q_i.k_1, ..., q_i.k_N)_j v_j   (eq. 2)
        mixed = concatenated(weights.to(values.dtype) @ values)  # (b, n, h * v)
        return (mixed, weights) if need_weights else mixed

    def extra_repr(self) -> str:
        return shown(self, "dim", "heads", "key_dim", "value_dim", "scale")


def concatenated(mixed: Tensor) -> Tensor:
    """Heads side by side, ``(b, h, n, v) -> (b, n, h * v)``.

    Example:
        >>> import torch
        >>> concatenated(torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])).tolist()
        [[1.0, 2.0, 3.0, 4.0]]
    """
    return mixed.transpose(-3, -2).flatten(-2)

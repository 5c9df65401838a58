"""Attention as relations that mix values: self-attention and relational cross-attention.

Self-attention takes query, key and value from the same objects; relational cross-attention
(v1 eq. 2.5, v3 eq. 5) takes the values from symbols instead, so that what is mixed carries no
feature of the objects.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k`` key width,
``v`` value width.
"""

import torch
from torch import Tensor, nn

from .linear import HeadLinear, HeadsToOutput, check_dropout, check_sizes
from .relations import Activation, Side, activate, check_activation, inner_product_relations


class MultiHeadAttention(nn.Module):
    """Attention(Q, K, V) with any relation activation.

    Head k computes ``sigma_rel(<W_q x_i, W_k y_j> / sqrt(key_dim))`` and mixes ``W_v z_j`` by it.

    Args:
        dim: features of query, key, value and output.
        heads: number of heads ``h``.
        key_dim: width ``k`` of a head. torch.nn.MultiheadAttention fixes it at dim / heads; the
            Abstractor papers' networks take key_dim = dim for each head.
        value_dim: width ``v`` of a head's values; None for ``key_dim``.
        symmetric: share the query and the key projection.
        bias: add biases to all projections.
        activation, over: see `relations.activate`.
        scale: factor on the inner products; None for ``key_dim ** -0.5``.
        dropout: probability, on the activated relations.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) or (m, d) -> (b, n, d)``;
        with ``need_weights=True`` also the relations ``(b, h, n, m)``.

    Raises:
        ValueError: for sizes below one, an unknown activation, inputs of another width, or a mask
            with softmax over ``left``, which does not normalise over keys.

    Example:
        >>> attention = MultiHeadAttention(64, heads=2, key_dim=64)
        >>> sum(p.numel() for p in attention.parameters())
        33216
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        symmetric: bool = False,
        bias: bool = True,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        dropout: float = 0.0,
    ):
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        check_sizes(dim=dim, heads=heads, key_dim=key_dim, value_dim=value_dim)
        check_activation(activation, over)
        check_dropout(dropout)
        self.dim, self.activation, self.over = dim, activation, over
        self.scale = key_dim**-0.5 if scale is None else scale
        self.query = HeadLinear(dim, heads, key_dim, bias=bias, fans="einsum")
        self.key = (
            self.query if symmetric else HeadLinear(dim, heads, key_dim, bias=bias, fans="einsum")
        )
        self.value = HeadLinear(dim, heads, value_dim, bias=bias, fans="einsum")
        self.output = HeadsToOutput(heads, value_dim, dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Masks are boolean, True meaning "ignore": ``(b, m)`` and ``(n, m)`` or ``(b, h, n, m)``.

        With softmax an ignored key gets no weight; with an elementwise activation its relation
        is set to zero.
        """
        for name, given in (("query", query), ("key", key), ("value", value)):
            if given.dim() < 2 or given.shape[-1] != self.dim:
                raise ValueError(
                    f"{name} has shape {tuple(given.shape)}; expected (..., objects, {self.dim})"
                )
        ignore = _join_masks(key_padding_mask, attn_mask)
        if ignore is not None and self.activation == "softmax" and self.over == "left":
            raise ValueError(
                "a mask of keys has no meaning with softmax over='left'; allowed: right"
            )
        # R_ij = sigma_rel(<W_q x_i, W_k y_j> / sqrt(k))   (v3 eq. 5)
        scores = inner_product_relations(self.query(query), self.key(key), self.scale)
        if ignore is not None and self.activation == "softmax":
            scores = scores.masked_fill(ignore, float("-inf"))
        relations = activate(scores, self.activation, self.over)  # (b, h, n, m)
        if ignore is not None:
            relations = relations.masked_fill(ignore, 0.0)
        # A_i = sum_j R_ij W_v z_j
        mixed = self.dropout(relations) @ self.value(value)  # (b, h, n, v)
        output = self.output(mixed)  # (b, n, d)
        return (output, relations) if need_weights else output


def _join_masks(key_padding_mask: Tensor | None, attn_mask: Tensor | None) -> Tensor | None:
    for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
        if mask is not None and mask.dtype != torch.bool:
            raise ValueError(f"{name} has dtype {mask.dtype}; expected torch.bool, True = ignore")
    if attn_mask is not None and attn_mask.dim() not in (2, 4):
        raise ValueError(
            f"attn_mask has shape {tuple(attn_mask.shape)}; expected (queries, keys) or "
            "(batch, heads, queries, keys)"
        )
    if key_padding_mask is None:
        return attn_mask
    padding = key_padding_mask[..., None, None, :]  # (b, 1, 1, m)
    return padding if attn_mask is None else padding | attn_mask


class RelationalCrossAttention(MultiHeadAttention):
    """Attention(Q <- X, K <- X, V <- S): symbols mixed by the relations between objects.

    Arguments are those of `MultiHeadAttention`.

    Returns:
        ``forward(x, symbols)``: objects ``(b, m, d)`` and symbols ``(m, d)`` or ``(b, m, d)`` give
        abstract states ``(b, m, d)``; with ``need_weights=True`` also the relations
        ``(b, h, m, m)``.

    Source: v1 eq. 2.5; v3 eq. 5.

    Example:
        >>> attention = RelationalCrossAttention(16, heads=2, key_dim=8, activation="sigmoid")
        >>> x, symbols = torch.randn(3, 10, 16), torch.randn(10, 16)
        >>> states, relations = attention(x, symbols, need_weights=True)
        >>> states.shape, relations.shape
        (torch.Size([3, 10, 16]), torch.Size([3, 2, 10, 10]))
    """

    def forward(self, x: Tensor, symbols: Tensor, **masks) -> Tensor | tuple[Tensor, Tensor]:
        if symbols.dim() < 2 or symbols.shape[-2] != x.shape[-2]:
            raise ValueError(
                f"symbols has shape {tuple(symbols.shape)}; expected one symbol for each of the "
                f"{x.shape[-2]} objects, (..., {x.shape[-2]}, {self.dim})"
            )
        return super().forward(x, x, symbols, **masks)

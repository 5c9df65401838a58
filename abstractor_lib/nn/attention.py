"""Attention as relations that mix values: self-attention and relational cross-attention.

Self-attention takes query, key and value from the same objects; relational cross-attention
(v1 eq. 2.5, v3 eq. 5) takes the values from symbols instead, so that what is mixed carries no
feature of the objects.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k`` key width,
``v`` value width.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .linear import HeadLinear, HeadsToOutput, check_dropout, check_features, check_sizes
from .message_passing import relative_message_passing
from .relations import (
    Activation,
    Side,
    activate,
    check_activation,
    check_mask,
    inner_product_relations,
)

SHORT = 32  # keys; softmax over the last dimension is slow on a CPU for so few


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
        relation_bias: add biases to the query and key projections; None for ``bias``.
        diagonal: keep the relations of objects to themselves (as many queries as keys).
        activation, over: see `relations.activate`.
        scale: factor on the inner products; None for ``key_dim ** -0.5``.
        dropout: probability, on the activated relations.
        fused: send softmax attention through torch's ``scaled_dot_product_attention`` when the
            relations are not asked for (on a CPU with dropout, where that has no fast path,
            through ours). It has no batching rule for ``torch.func.vmap``: correct there,
            but slow.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) -> (b, n, d)``, any of
        them without batch dimension if they are the same for all examples; with
        ``need_weights=True`` also the relations ``(b, h, n, m)``.

    Raises:
        ValueError: for sizes below one, an unknown activation, inputs of another width or dtype,
            or a mask with softmax over ``left``, which does not normalise over keys.

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
        relation_bias: bool | None = None,
        diagonal: bool = True,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        dropout: float = 0.0,
        fused: bool = True,
    ):
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        relation_bias = bias if relation_bias is None else relation_bias
        check_sizes(dim=dim, heads=heads, key_dim=key_dim, value_dim=value_dim)
        check_activation(activation, over)
        check_dropout(dropout)
        self.dim, self.activation, self.over, self.diagonal = dim, activation, over, diagonal
        self.scale = key_dim**-0.5 if scale is None else scale
        self.query = HeadLinear(dim, heads, key_dim, bias=relation_bias, fans="einsum")
        self.key = None
        if not symmetric:
            self.key = HeadLinear(dim, heads, key_dim, bias=relation_bias, fans="einsum")
        self.value = HeadLinear(dim, heads, value_dim, bias=bias, fans="einsum")
        self.output = HeadsToOutput(heads, value_dim, dim, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.fused = fused

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        relative: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Masks are boolean, True meaning "ignore": ``(b, m)`` and ``(n, m)`` or ``(b, h, n, m)``
        (of which b and h may be 1).

        With softmax an ignored key gets no weight; with an elementwise activation its relation
        is set to zero. ``relative`` holds symbols of the offsets ``-(m - 1) .. m - 1``,
        ``(2m - 1, d)``: that of j - i is added to the value z_j where the query is i (v3 eq. 7).
        """
        check_features("query", query, self.dim, self.query.weight)
        # Queries first: records repeat bit for bit only if gradients add up in one order.
        queries = self.query(query)  # (b, h, n, k)
        keys, values = self.keys_values(key, value)
        return self.attend(
            queries,
            keys,
            values,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
        )

    def keys_values(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Projected keys ``(b, h, m, k)`` and values ``(b, h, m, v)``: what a decoder keeps."""
        project = self.query if self.key is None else self.key
        check_features("key", key, self.dim, project.weight)
        check_features("value", value, self.dim, self.value.weight)
        if key.shape[-2] != value.shape[-2]:
            raise ValueError(
                f"value holds {value.shape[-2]} objects; expected one for each of the "
                f"{key.shape[-2]} keys"
            )
        return project(key), self.value(value)

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        relative: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As ``forward``, with queries ``(b, h, n, k)``, keys and values projected."""
        ignore = self._ignore(queries, keys, key_padding_mask, attn_mask)
        softmax = self.activation == "softmax" and self.over == "right"
        if self.fused and softmax and relative is None and not need_weights:
            no_fast_path = self.training and self.dropout.p and queries.device.type == "cpu"
            if not no_fast_path:
                return self.output(self._fused(queries, keys, values, ignore))  # (b, n, d)
            if keys.shape[-2] <= SHORT:
                return self.output(self._short(queries, keys, values, ignore))  # (b, n, d)
        # R_ij = sigma_rel(<W_q x_i, W_k y_j> / sqrt(k))   (v3 eq. 6; the scale and the biases of
        # the projections are those of the public code)
        scores = inner_product_relations(queries, keys, self.scale)
        relations = activate(scores, self.activation, self.over, ignore)  # (b, h, n, m)
        weights = self.dropout(relations)
        # A_i = sum_j R_ij W_v z_j
        mixed = weights @ values  # (b, h, n, v)
        if relative is not None:
            check_features("relative", relative, self.dim, self.value.weight)
            offsets = self.value(relative, with_bias=False)  # (h, 2m - 1, v)
            mixed = mixed + relative_message_passing(weights, offsets)
        output = self.output(mixed)  # (b, n, d)
        return (output, relations) if need_weights else output

    def _fused(
        self, queries: Tensor, keys: Tensor, values: Tensor, ignore: Tensor | None
    ) -> Tensor:
        parts = (queries, keys, values)
        masks = () if ignore is None else (ignore,)
        batch = torch.broadcast_shapes(*(part.shape[:-2] for part in (*parts, *masks)))
        queries, keys, values = (part.expand(*batch, *part.shape[-2:]) for part in parts)
        return F.scaled_dot_product_attention(
            queries,
            keys,
            values,
            attn_mask=None if ignore is None else ~ignore,
            dropout_p=self.dropout.p if self.training else 0.0,
            scale=self.scale,
        )  # (b, h, n, v)

    def _short(
        self, queries: Tensor, keys: Tensor, values: Tensor, ignore: Tensor | None
    ) -> Tensor:
        scores = keys @ (self.scale * queries).transpose(-2, -1)  # (b, h, m, n)
        ignore = None if ignore is None else ignore.transpose(-2, -1)
        relations = activate(scores, "softmax", "left", ignore)
        return self.dropout(relations).transpose(-2, -1) @ values  # (b, h, n, v)

    def _ignore(
        self,
        queries: Tensor,
        keys: Tensor,
        key_padding_mask: Tensor | None,
        attn_mask: Tensor | None,
    ) -> Tensor | None:
        n, m = queries.shape[-2], keys.shape[-2]
        given = {"key_padding_mask": key_padding_mask, "attn_mask": attn_mask}
        for name, mask in given.items():
            if mask is not None and self.activation == "softmax" and self.over == "left":
                raise ValueError(
                    f"{name} has no meaning with softmax over='left', which normalises over "
                    "queries; allowed: right"
                )
        batch = torch.broadcast_shapes(queries.shape[:-3], keys.shape[:-3])
        ignore = attn_mask
        if attn_mask is not None:
            full = () if attn_mask.dim() == 2 else (*batch, queries.shape[-3])
            either = zip(attn_mask.shape[:-2], full, strict=False)  # one for all, or each its own
            first = [1 if given == 1 else size for given, size in either]
            check_mask(
                "attn_mask", attn_mask, (*(first if len(first) == len(full) else full), n, m)
            )
        if key_padding_mask is not None:
            shape = (*(batch or key_padding_mask.shape[:-1]), m)
            check_mask("key_padding_mask", key_padding_mask, shape)
            padding = key_padding_mask[..., None, None, :]  # (b, 1, 1, m)
            ignore = padding if ignore is None else padding | ignore
        if not self.diagonal:
            if n != m:
                raise ValueError(
                    f"query holds {n} objects and key {m}; expected as many where the diagonal "
                    "is left out"
                )
            itself = torch.eye(n, dtype=torch.bool, device=queries.device)
            ignore = itself if ignore is None else ignore | itself
        return ignore


class RelationalCrossAttention(MultiHeadAttention):
    """Attention(Q <- X, K <- X, V <- S): symbols mixed by the relations between objects.

    Args:
        strict: the strict relational bottleneck (v3 footnote 2): no relation of an object to
            itself, and no biases in the query and key projections. Without the latter, a query
            bias b gives R_ij the term <b, W_k x_j>, a feature of object j alone. Positions added
            to the objects act as such a bias.
        others: those of `MultiHeadAttention`.

    Returns:
        ``forward(x, symbols)``: objects ``(b, m, d)`` and symbols ``(m, d)`` or ``(b, m, d)`` give
        abstract states ``(b, m, d)``; with ``need_weights=True`` also the relations
        ``(b, h, m, m)``. Masks and ``relative`` as in `MultiHeadAttention`.

    Source: v1 eq. 2.5; v3 eq. 5 to 7.

    Example:
        >>> attention = RelationalCrossAttention(16, heads=2, key_dim=8, activation="sigmoid")
        >>> x, symbols = torch.randn(3, 10, 16), torch.randn(10, 16)
        >>> states, relations = attention(x, symbols, need_weights=True)
        >>> states.shape, relations.shape
        (torch.Size([3, 10, 16]), torch.Size([3, 2, 10, 10]))
    """

    def __init__(self, dim: int, heads: int, key_dim: int, *, strict: bool = False, **others):
        if strict:
            others = {**others, "diagonal": False, "relation_bias": False}
        super().__init__(dim, heads, key_dim, **others)

    def forward(self, x: Tensor, symbols: Tensor, **masks) -> Tensor | tuple[Tensor, Tensor]:
        check_features("x", x, self.dim, self.query.weight)
        check_features("symbols", symbols, self.dim, self.value.weight)
        if symbols.dim() < 2 or symbols.shape[-2] != x.shape[-2]:
            raise ValueError(
                f"symbols has shape {tuple(symbols.shape)}; expected one symbol for each of the "
                f"{x.shape[-2]} objects, (..., {x.shape[-2]}, {self.dim})"
            )
        return super().forward(x, x, symbols, **masks)


class AblationCrossAttention(MultiHeadAttention):
    """Attention(Q <- A, K <- X, V <- X): the papers' ablation, ordinary cross-attention.

    The same parameters as `RelationalCrossAttention`, but what is mixed are the objects.

    Returns:
        ``forward(x, states)``: ``(b, m, d), (m, d) or (b, m, d) -> (b, m, d)``.

    Source: v3 B.2.1.

    Example:
        >>> AblationCrossAttention(16, 2, 8)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    def forward(self, x: Tensor, states: Tensor, **masks) -> Tensor | tuple[Tensor, Tensor]:
        check_features("states", states, self.dim, self.query.weight)
        return super().forward(states, x, x, **masks)


class SymbolicCrossAttention(MultiHeadAttention):
    """Attention(Q <- S, K <- X, V <- S): symbols that query the objects (a variant of the logs).

    Returns:
        ``forward(x, symbols)``: ``(b, m, d), (m, d) or (b, m, d) -> (b, m, d)``.

    Example:
        >>> SymbolicCrossAttention(16, 2, 8)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    def forward(self, x: Tensor, symbols: Tensor, **masks) -> Tensor | tuple[Tensor, Tensor]:
        check_features("symbols", symbols, self.dim, self.query.weight)
        return super().forward(symbols, x, symbols, **masks)

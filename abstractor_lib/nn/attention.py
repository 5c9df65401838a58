"""Multi-head attention as relations that mix values.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k`` key width,
``v`` value width.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import (
    Device,
    DType,
    check_attn_mask,
    check_dropout,
    check_features,
    check_mask,
    check_sizes,
    shown,
)
from .linear import HeadLinear, HeadsToOutput
from .message_passing import relative_message_passing
from .relations import Activation, Side, activate, check_activation, inner_product_relations

SHORT = 32  # keys; softmax over the last dimension is slow on a CPU for so few


class MultiHeadAttention(nn.Module):
    """Attention(Q, K, V) with any relation activation.

    Head k computes ``sigma_rel(<W_q x_i, W_k y_j> / sqrt(key_dim))`` and mixes ``W_v z_j`` by it.

    Args:
        dim: features ``d`` of the query.
        heads: number of heads ``h``.
        key_dim: width ``k`` of a head. torch.nn.MultiheadAttention fixes it at dim / heads; the
            Abstractor papers' networks take key_dim = dim for each head.
        value_dim: width ``v`` of a head's values; None for ``key_dim``.
        key_features, value_features, out_features: features of key, value and output; None for
            ``dim``.
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
        device, dtype: of the parameters.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) -> (b, n, d)``, any of
        them without batch dimension if they are the same for all examples; with
        ``need_weights=True`` also the relations ``(b, h, n, m)``.

    Raises:
        ValueError: for sizes below one, an unknown activation, a symmetric relation of inputs of
            two widths, inputs of another width or dtype, or a mask with softmax over ``left``,
            which does not normalise over keys.

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
        key_features: int | None = None,
        value_features: int | None = None,
        out_features: int | None = None,
        symmetric: bool = False,
        bias: bool = True,
        relation_bias: bool | None = None,
        diagonal: bool = True,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        dropout: float = 0.0,
        fused: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        relation_bias = bias if relation_bias is None else relation_bias
        key_features, value_features, out_features = (
            dim if given is None else given
            for given in (key_features, value_features, out_features)
        )
        check_sizes(dim=dim, heads=heads, key_dim=key_dim, value_dim=value_dim)
        check_sizes(
            key_features=key_features, value_features=value_features, out_features=out_features
        )
        check_activation(activation, over)
        check_dropout(dropout)
        if symmetric and key_features != dim:
            raise ValueError(
                f"key_features is {key_features}; with symmetric expected those of the query, {dim}"
            )
        self.dim, self.heads, self.key_dim, self.symmetric = dim, heads, key_dim, symmetric
        self.activation, self.over, self.diagonal, self.fused = activation, over, diagonal, fused
        self.scale = key_dim**-0.5 if scale is None else scale
        where = {"device": device, "dtype": dtype}
        relation = {"bias": relation_bias, "fans": "einsum", **where}
        self.query = HeadLinear(dim, heads, key_dim, **relation)
        self.key = None if symmetric else HeadLinear(key_features, heads, key_dim, **relation)
        self.value = HeadLinear(value_features, heads, value_dim, bias=bias, fans="einsum", **where)
        self.output = HeadsToOutput(heads, value_dim, out_features, bias=bias, **where)
        self.dropout = nn.Dropout(dropout)

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
        check_features("key", key, project.in_features, project.weight)
        check_features("value", value, self.value.in_features, self.value.weight)
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
            check_features("relative", relative, self.value.in_features, self.value.weight)
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
            check_attn_mask(attn_mask, (*batch, queries.shape[-3], n, m))
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

    def extra_repr(self) -> str:
        names = ("dim", "heads", "key_dim", "symmetric", "activation", "over", "diagonal", "scale")
        return shown(self, *names, "fused")

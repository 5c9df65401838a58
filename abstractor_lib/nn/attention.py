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
    check_batches,
    check_dropout,
    check_features,
    check_sizes,
    shown,
)
from .excluded import excluded, inputs_without_padding, inputs_without_unread, marked
from .heads import Heads, as_heads
from .linear import HeadLinear, HeadsToOutput
from .message_passing import by_pair, relative_message_passing
from .relations import activate, inner_product_relations

SHORT = 32  # keys; softmax over the last dimension is slow on a CPU for so few


def fused_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    ignore: Tensor | None = None,
    *,
    dropout: float = 0.0,
    scale: float | None = None,
) -> Tensor:
    """Softmax attention by torch's ``scaled_dot_product_attention``.

    Args:
        queries, keys, values: ``(b, h, n, k)``, ``(b, h, m, k)``, ``(b, h, m, v)``.
        ignore: boolean, broadcast to ``(b, h, n, m)``, True where a query ignores a key.
        dropout: probability, on the weights.
        scale: factor on the inner products; None for ``k ** -0.5``.

    Returns:
        ``(b, h, n, v)``; NaN for a query that is NaN, where torch's kernel on a CPU may give 0.

    Example:
        >>> queries, ones = torch.tensor([[0.0], [torch.nan]]), torch.ones(1, 1, 3, 1)
        >>> fused_attention(queries.view(1, 1, 2, 1), ones, ones).flatten().tolist()
        [1.0, nan]
    """
    parts = (queries, keys, values)
    masks = () if ignore is None else (ignore,)
    batch = torch.broadcast_shapes(*(part.shape[:-2] for part in (*parts, *masks)))
    mixed = F.scaled_dot_product_attention(
        *(part.expand(*batch, *part.shape[-2:]) for part in parts),
        attn_mask=None if ignore is None else ~ignore,
        dropout_p=dropout,
        scale=scale,
    )
    queries = queries.detach()
    return mixed + (queries - queries).sum(dim=-1, keepdim=True)


class MultiHeadAttention(nn.Module):
    """Attention(Q, K, V) with any relation activation.

    Head k computes ``sigma_rel(<W_q x_i, W_k y_j> / sqrt(key_dim))`` and mixes ``W_v z_j`` by it.
    By itself an attention has no ``dropout``, as in torch; a layer sets its own.

    Args:
        dim: features ``d`` of the query.
        heads: their number, each ``dim / heads`` wide, or `Heads`, which hold all options.
        key_features, value_features, out_features: features of key, value and output; None for
            ``dim``.
        dropout: probability, on the activated relations.
        device, dtype: of the parameters.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) -> (b, n, d)``, any of
        them without batch dimension if they are the same for all examples; with
        ``need_weights=True`` also the relations ``(b, h, n, m)``.

    Raises:
        ValueError: for sizes below one, heads that do not divide ``dim`` and have no ``key_dim``, a
            symmetric relation of inputs of two widths, inputs of another width or dtype, batches of
            different sizes, or a mask with softmax over ``left``, which does not normalise over
            keys.

    Example:
        >>> attention = MultiHeadAttention(64, Heads(2, key_dim=64))
        >>> sum(p.numel() for p in attention.parameters())
        33216
    """

    def __init__(
        self,
        dim: int,
        heads: Heads | int,
        *,
        key_features: int | None = None,
        value_features: int | None = None,
        out_features: int | None = None,
        dropout: float = 0.0,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        heads = as_heads(heads, dim)
        key_features, value_features, out_features = (
            dim if given is None else given
            for given in (key_features, value_features, out_features)
        )
        check_sizes(
            key_features=key_features, value_features=value_features, out_features=out_features
        )
        check_dropout(dropout)
        if heads.symmetric and key_features != dim:
            raise ValueError(
                f"key_features is {key_features}; with symmetric expected those of the query, {dim}"
            )
        self.dim, self.heads, self.key_dim = dim, heads.count, heads.key_dim
        self.activation, self.over, self.symmetric = heads.activation, heads.over, heads.symmetric
        self.diagonal, self.scale = heads.diagonal, heads.scale
        # torch's kernel knows nothing of another method `scores`.
        self.fused = heads.fused and type(self).scores is MultiHeadAttention.scores
        where = {"device": device, "dtype": dtype}
        relation = (heads.count, heads.key_dim)
        biased = {"bias": heads.relation_bias, "fans": "einsum", **where}
        self.query = HeadLinear(dim, *relation, **biased)
        self.key = None if heads.symmetric else HeadLinear(key_features, *relation, **biased)
        value, biased = (heads.count, heads.value_dim), {"bias": heads.bias, **where}
        self.value = HeadLinear(value_features, *value, fans="einsum", **biased)
        self.output = HeadsToOutput(*value, out_features, **biased)
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
        is set to zero. An ignored key may hold anything, NaN too: it does not reach the query
        (unless keys have no batch dimension: then all examples share it). What
        ``key_padding_mask`` excludes reaches no gradient either; in self-attention, where the query
        is the same tensor, NaN and infinity of padded queries count as zeros.

        ``relative`` holds symbols of the offsets ``-(m - 1) .. m - 1``, ``(2m - 1, d)``: that of
        j - i is added to the value z_j where the query is i (v3 eq. 7). Symbols of two objects or
        more may be given by pair, ``(m, m, d)``, with that of i and j at [i, j].
        """
        check_features("query", query, self.dim, self.query.weight)
        self._check(key, value)
        check_batches(query=query.shape[:-2], key=key.shape[:-2], value=value.shape[:-2])
        query, key, value = inputs_without_padding(query, key, value, key_padding_mask)
        hidden, wrong = self._hidden(query, key, attn_mask), None
        # Queries first: records repeat bit for bit only if gradients add up in one order.
        queries = self.query(query)  # (b, h, n, k)
        if hidden is not None:
            wrong, readable, value = inputs_without_unread(hidden, key, value)
            key = key if need_weights else readable  # those who read NaN have relations of NaN
        keys, values = self.keys_values(key, value)
        found = self.attend(
            queries,
            keys,
            values,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
        )
        return (marked(found[0], wrong), found[1]) if need_weights else marked(found, wrong)

    def keys_values(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Projected keys ``(b, h, m, k)`` and values ``(b, h, m, v)``: what a decoder keeps."""
        self._check(key, value)
        return (self.query if self.key is None else self.key)(key), self.value(value)

    def _check(self, key: Tensor, value: Tensor) -> None:
        project = self.query if self.key is None else self.key
        check_features("key", key, project.in_features, project.weight)
        check_features("value", value, self.value.in_features, self.value.weight)
        if key.shape[-2] != value.shape[-2]:
            raise ValueError(
                f"value holds {value.shape[-2]} objects; expected one for each of the "
                f"{key.shape[-2]} keys"
            )

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
        first: int | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As ``forward``, with queries ``(b, h, n, k)``, keys and values projected. Keys stand at
        0, 1, ...; queries from ``first`` on, in a decoder's cache the number of positions before
        them, and from 0 if it is None. What masks exclude has to be finite here, see `excluded`."""
        batches = {"query": queries, "key": keys, "value": values}
        check_batches(**{name: part.shape[:-3] for name, part in batches.items()})
        ignore = self._ignore(queries, keys, key_padding_mask, attn_mask, first)
        softmax = self.activation == "softmax" and self.over == "right"
        if self.fused and softmax and relative is None and not need_weights:
            no_fast_path = self.training and self.dropout.p and queries.device.type == "cpu"
            if not no_fast_path:
                probability = self.dropout.p if self.training else 0.0
                options = {"dropout": probability, "scale": self.scale}
                return self.output(fused_attention(queries, keys, values, ignore, **options))
            if keys.shape[-2] <= SHORT:
                return self.output(self._short(queries, keys, values, ignore))  # (b, n, d)
        # R_ij = sigma_rel(<W_q x_i, W_k y_j> / sqrt(k))   (v3 eq. 6; the scale and the biases of
        # the projections are those of the public code)
        scores = self.scores(queries, keys, first)
        relations = activate(scores, self.activation, self.over, ignore)  # (b, h, n, m)
        weights = self.dropout(relations)
        # A_i = sum_j R_ij W_v z_j
        mixed = weights @ values  # (b, h, n, v)
        if relative is not None:
            check_features("relative", relative, self.value.in_features, self.value.weight)
            offsets = self.value(relative, with_bias=False)  # (h, 2m - 1, v)
            if by_pair(relative, keys.shape[-2]):
                offsets = offsets.transpose(-4, -3)  # (m, h, m, v) -> (h, m, m, v)
            mixed = mixed + relative_message_passing(weights, offsets)
        output = self.output(mixed)  # (b, n, d)
        return (output, relations) if need_weights else output

    def scores(self, queries: Tensor, keys: Tensor, first: int | None = None) -> Tensor:
        """What is activated: projected queries ``(b, h, n, k)`` and keys ``(b, h, m, k)`` to
        ``(b, h, n, m)``; ``first`` as in ``attend``. A class of yours may add biases here;
        it is not fused then."""
        return inner_product_relations(queries, keys, self.scale)

    def _short(
        self, queries: Tensor, keys: Tensor, values: Tensor, ignore: Tensor | None
    ) -> Tensor:
        scores = keys @ (self.scale * queries).transpose(-2, -1)  # (b, h, m, n)
        ignore = None if ignore is None else ignore.transpose(-2, -1)
        relations = activate(scores, "softmax", "left", ignore)
        return self.dropout(relations).transpose(-2, -1) @ values  # (b, h, n, v)

    def _hidden(self, query: Tensor, key: Tensor, attn_mask: Tensor | None) -> Tensor | None:
        """What a query may not read, though it is no padding, or None."""
        n, m = query.shape[-2], key.shape[-2]
        if attn_mask is not None:
            batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
            check_attn_mask(attn_mask, (*batch, self.heads, n, m))
        if self.diagonal:
            return attn_mask
        itself = torch.eye(n, m, dtype=torch.bool, device=query.device)
        return itself if attn_mask is None else itself | attn_mask

    def _ignore(
        self,
        queries: Tensor,
        keys: Tensor,
        key_padding_mask: Tensor | None,
        attn_mask: Tensor | None,
        first: int | None,
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
        if not batch and key_padding_mask is not None:
            batch = key_padding_mask.shape[:-1]
        ignore = excluded((*batch, queries.shape[-3], n, m), key_padding_mask, attn_mask)
        if not self.diagonal:
            at = first or 0
            if at + n > m or (n < m and first is None):
                raise ValueError(
                    f"query holds {n} objects and key {m}; expected as many where the diagonal "
                    "is left out"
                )
            itself = torch.eye(m, dtype=torch.bool, device=queries.device)[at : at + n]  # (n, m)
            ignore = itself if ignore is None else ignore | itself
        return ignore

    def extra_repr(self) -> str:
        names = ("dim", "heads", "key_dim", "symmetric", "activation", "over", "diagonal", "scale")
        return shown(self, *names, "fused")


def as_attention(
    attention: Heads | int | nn.Module, dim: int, context: int, **options
) -> nn.Module:
    """An attention of ``dim`` features to those of a context, from an argument that may be its
    heads or itself; ``options`` are for the first case.

    Example:
        >>> as_attention(2, 8, 5).key.in_features
        5
    """
    if isinstance(attention, nn.Module):
        return attention
    return MultiHeadAttention(
        dim, attention, key_features=context, value_features=context, **options
    )

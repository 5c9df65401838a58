"""Transformer decoders: causal self-attention, then attention to any number of contexts.

Shapes: ``b`` batch, ``m`` objects or tokens of a context, ``n`` of the target, ``d`` features,
``h`` heads, ``k`` key width.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral

import torch
from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_attn_mask,
    check_dropout,
    check_features,
    check_mask,
    check_sizes,
    listed,
    parts,
    passed,
    shown,
    warn_if_shared,
)
from .attention import MultiHeadAttention, as_attention
from .cache import Kept, LayerCache, keep
from .excluded import finite_padding, marked, without_padding, without_unread
from .feedforward import KERAS_EPS, FeedForward, sublayer
from .heads import Heads


def _attend(
    attention: nn.Module, y: Tensor, states: Tensor, kept: Kept | None, **masks: Tensor | int
) -> Tensor:
    """Attention of y to states, or to what a cache has kept of them."""
    if kept is None:
        return attention(y, states, states, **masks)  # (b, n, d)
    if not hasattr(attention, "keys_values"):
        return attention(y, *kept, **masks)
    keys, values = (without_padding(part, masks.get("key_padding_mask")) for part in kept)
    hidden = masks.get("attn_mask")
    if hidden is None:
        return attention.attend(attention.query(y), keys, values, **masks)
    check_attn_mask(hidden, (*y.shape[:-2], keys.shape[-3], y.shape[-2], keys.shape[-2]))
    wrong, keys, values = without_unread(hidden, keys, values)
    found = attention.attend(attention.query(y), keys, values, **masks)
    return marked(found, wrong.sum(dim=-3))


def _hidden(y: Tensor, seen: int, attn_mask: Tensor | None) -> Tensor:
    """What the n positions of y may not attend to of the ``seen`` that end with them."""
    n = y.shape[-2]
    later = torch.ones(n, seen, dtype=torch.bool, device=y.device).triu(seen - n + 1)
    if attn_mask is None:
        return later  # (n, seen)
    check_mask("attn_mask", attn_mask, (*getattr(attn_mask, "shape", ())[:-2], n, seen))
    return later | attn_mask


def _seen(y: Tensor, mask: Tensor) -> tuple[int, ...]:
    """The shape of a mask of all positions up to the last of y, of which y may be the end."""
    count = getattr(mask, "shape", (0,))[-1]
    return (*y.shape[:-2], max(count, y.shape[-2]))


def _context_features(contexts: int | Sequence[int], dim: int) -> list[int]:
    """Features of each context of a layer."""
    number = isinstance(contexts, Integral) and not isinstance(contexts, bool) and contexts >= 0
    if not number and not isinstance(contexts, Sequence):
        raise ValueError(f"contexts is {contexts!r}; expected an integer of at least 0, or a list")
    features = [dim] * contexts if number else list(contexts)
    check_sizes(**{f"contexts[{index}]": width for index, width in enumerate(features)})
    return features


def _one_for_each(
    contexts: int,
    cross_attention: Heads | int | Sequence[nn.Module] | None,
    self_attention: Heads | int | nn.Module,
) -> list[Heads | int | nn.Module]:
    """What attends to each context of a layer: a module, or the heads of one."""
    heads = self_attention if cross_attention is None else cross_attention
    if isinstance(heads, Heads | int):
        return [heads] * contexts
    modules = [] if cross_attention is None else list(cross_attention)
    if len(modules) != contexts:
        raise ValueError(
            f"cross_attention holds {len(modules)} modules; expected heads, or a module for each "
            f"of the {contexts} contexts"
        )
    return modules


def _check_contexts(
    contexts: Sequence[Tensor], context_key_padding_masks: Sequence[Tensor | None] | None
) -> None:
    """A tensor has a length too, that of its batch: an error, not as many contexts."""
    masks = context_key_padding_masks
    for name, some in (("contexts", contexts), ("context_key_padding_masks", masks)):
        if isinstance(some, Tensor) or (some is None and name == "contexts"):
            given = "None" if some is None else "a tensor"
            raise ValueError(f"{name} is {given}; expected a list, of one for each context")
    if masks is not None and len(masks) != len(contexts):
        raise ValueError(
            f"context_key_padding_masks holds {len(masks)}; expected one for each of the "
            f"{len(contexts)} contexts, a mask or None"
        )


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to each context in turn, feed-forward.

    Each with residual connection and layer norm. Without a context this is the layer of a decoder
    that continues a sequence, with one the Transformer's, with several the body of v3 Algorithm 2.

    Args:
        dim: features ``d``.
        self_attention: the attention of the target to itself: its heads, or a module, as in
            `EncoderLayer`. A module is always called with an ``attn_mask`` ``(n, m)`` that hides
            later positions. The m keys end with the n queries: with a cache n is smaller.
        hidden: width of the feed-forward network; None for ``4 * dim``.
        contexts: number ``K`` of contexts, or a list of the features of each where they are not
            ``dim``.
        cross_attention: the attentions to the contexts: the heads of each, or a list of modules,
            one for each context; None for the heads of the ``self_attention``.
        norm_first, layer_norm_eps, dropout, device, dtype: see `EncoderLayer`. A module of yours
            has a dropout of its own.

    Returns:
        ``forward(y, contexts)``: ``(b, n, d), K times (b, m, d) -> (b, n, d)``. ``attn_mask``
        ``(n, n)`` or ``(b, h, n, n)`` hides more than the later positions. With a ``cache`` y holds
        only the positions that follow those in the cache, which is extended by them; masks cover
        both. Of each context the cache keeps what was projected while the same tensor is passed;
        another tensor, or one that was changed in place, is projected anew. Of changes in place
        torch keeps no count in ``inference_mode`` and under ``torch.compile``: pass a copy there.

    Raises:
        ValueError: for another number of contexts or of modules that attend to them, one that
            attends to a context and leaves out the diagonal, a tensor in place of a list of
            contexts, or another batch than that of the ``cache``.

    Source: v3 Algorithm 2.

    Example:
        >>> layer = DecoderLayer(64, Heads(2, key_dim=64), hidden=64)
        >>> sum(p.numel() for p in layer.parameters())
        75136
        >>> DecoderLayer(64, 4, contexts=0)(torch.randn(2, 5, 64)).shape
        torch.Size([2, 5, 64])
    """

    def __init__(
        self,
        dim: int,
        self_attention: Heads | int | nn.Module,
        hidden: int | None = None,
        *,
        contexts: int | Sequence[int] = 1,
        cross_attention: Heads | int | Sequence[nn.Module] | None = None,
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        features = _context_features(contexts, dim)
        crossing = _one_for_each(len(features), cross_attention, self_attention)

        def norm() -> nn.LayerNorm:
            return nn.LayerNorm(dim, eps=layer_norm_eps, **where)

        self.dim, self.norm_first = dim, norm_first
        own, *crossing = (
            as_attention(attention, dim, width, dropout=dropout, **where)
            for attention, width in zip((self_attention, *crossing), (dim, *features), strict=True)
        )
        if any(not getattr(attention, "diagonal", True) for attention in crossing):
            raise ValueError(
                "cross_attention leaves out the diagonal; expected diagonal=True, as positions of "
                "y are not objects of a context"
            )
        self.self_attention, self.self_norm = own, norm()
        self.cross_attention = nn.ModuleList(crossing)
        warn_if_shared("the list of self_attention and cross_attention", (own, *crossing))
        self.cross_norm = nn.ModuleList(norm() for _ in crossing)
        self.feedforward = FeedForward(
            dim,
            4 * dim if hidden is None else hidden,
            norm_first=norm_first,
            layer_norm_eps=layer_norm_eps,
            dropout=dropout,
            **where,
        )

    def forward(
        self,
        y: Tensor,
        contexts: Sequence[Tensor] = (),
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        context_key_padding_masks: Sequence[Tensor | None] | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        check_features("y", y, self.dim, self.self_norm.weight)
        _check_contexts(contexts, context_key_padding_masks)
        count = len(self.cross_attention)
        if len(contexts) != count:
            raise ValueError(f"contexts holds {len(contexts)} sequences; expected {count}")

        if key_padding_mask is not None:
            check_mask("key_padding_mask", key_padding_mask, _seen(y, key_padding_mask))
            y = finite_padding(y, key_padding_mask[..., key_padding_mask.shape[-1] - y.shape[-2] :])

        def attend_own(y: Tensor) -> Tensor:
            kept = None
            if cache is not None:
                kept = cache.extended(keep(self.self_attention, y), tuple(y.shape[:-2]))
            seen = y.shape[-2] if kept is None else kept[0].shape[-2]
            masks = passed(key_padding_mask=key_padding_mask)
            masks["attn_mask"] = _hidden(y, seen, attn_mask)
            if kept is not None and isinstance(self.self_attention, MultiHeadAttention):
                masks["first"] = seen - y.shape[-2]
            return _attend(self.self_attention, y, y, kept, **masks)

        how = {"norm_first": self.norm_first, "name": "self_attention"}
        y = sublayer(y, attend_own, self.self_norm, **how)  # (b, n, d)
        masks = context_key_padding_masks or [None] * count
        for index, (context, mask) in enumerate(zip(contexts, masks, strict=True)):
            y = self._cross(y, index, context, mask, cache)
        return self.feedforward(y)  # (b, n, d)

    def _cross(
        self, y: Tensor, index: int, context: Tensor, mask: Tensor | None, cache: LayerCache | None
    ) -> Tensor:
        attention, kept = self.cross_attention[index], None
        if cache is not None:
            kept = cache.of_context(index, context, attention)

        def attend(y: Tensor) -> Tensor:
            options = passed(key_padding_mask=mask)
            if cache is not None and isinstance(attention, MultiHeadAttention):
                options["first"] = cache.count - y.shape[-2]
            return _attend(attention, y, context, kept, **options)

        how = {"norm_first": self.norm_first, "name": f"cross_attention[{index}]"}
        return sublayer(y, attend, self.cross_norm[index], **how)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "norm_first")


class Decoder(nn.Module):
    """Dropout, then decoder layers, each attending to some of the contexts.

    Args:
        layers: `DecoderLayer` modules, applied in turn.
        reads: for each layer the indices of the contexts it attends to; None for all.
        dropout: probability, on the input.
        norm: after the last layer, ``nn.LayerNorm(dim)`` where layers have ``norm_first``; None for
            none.

    Returns:
        ``forward(y, contexts)``: ``(b, n, d), K times (b, m, d) -> (b, n, d)``; ``cache`` as
        `new_cache` gives it. ``key_padding_mask`` and ``attn_mask`` cover all positions up to the
        last of y, those in the cache included.

    Raises:
        ValueError: if ``reads`` does not fit the layers, or for a tensor in place of a list of
            contexts; for a ``cache`` of another number of layers.

    Source: with ``reads`` None v3 Algorithm 2; with one context a layer, a whole decoder layer for
    each context in turn, as in the public code.

    Example:
        >>> decoder = Decoder(DecoderLayer(64, Heads(4, key_dim=64), 32) for _ in range(2))
        >>> sum(p.numel() for p in decoder.parameters())
        274624
    """

    def __init__(
        self,
        layers: Iterable[DecoderLayer],
        reads: Sequence[Sequence[int]] | None = None,
        *,
        dropout: float = 0.1,
        norm: nn.Module | None = None,
    ):
        super().__init__()
        check_dropout(dropout)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(listed("layers", layers))
        self.reads = None if reads is None else tuple(tuple(one) for one in reads)
        self.norm = nn.Identity() if norm is None else norm
        if not self.layers:
            raise ValueError("layers is empty; expected at least one DecoderLayer")
        warn_if_shared("layers", parts(self.layers))
        self._wanted = max((one + 1 for some in self.reads or () for one in some), default=0)
        counts = [len(layer.cross_attention) for layer in self.layers]
        if any(one < 0 for some in self.reads or () for one in some):
            raise ValueError(f"reads is {self.reads}; expected indices of contexts, from 0 on")
        if self.reads is not None and [len(one) for one in self.reads] != counts:
            raise ValueError(
                f"reads is {self.reads}; expected for each layer as many contexts as it has, "
                f"{counts}"
            )

    def new_cache(self) -> list[LayerCache]:
        """An empty cache, to be passed to successive calls."""
        return [LayerCache() for _ in self.layers]

    def forward(
        self,
        y: Tensor,
        contexts: Sequence[Tensor] = (),
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        context_key_padding_masks: Sequence[Tensor | None] | None = None,
        cache: list[LayerCache] | None = None,
    ) -> Tensor:
        _check_contexts(contexts, context_key_padding_masks)
        if len(contexts) < self._wanted:
            raise ValueError(
                f"contexts holds {len(contexts)} sequences; expected {self._wanted}, those in reads"
            )
        if cache is not None and len(cache) != len(self.layers):
            raise ValueError(
                f"cache holds {len(cache)} layers; expected {len(self.layers)}, as "
                "`new_cache` gives"
            )
        masks = context_key_padding_masks
        y = self.dropout(y)
        for index, layer in enumerate(self.layers):
            chosen = range(len(contexts)) if self.reads is None else self.reads[index]
            y = layer(
                y,
                [contexts[one] for one in chosen],
                key_padding_mask=key_padding_mask,
                attn_mask=attn_mask,
                context_key_padding_masks=masks and [masks[one] for one in chosen],
                cache=None if cache is None else cache[index],
            )
        return self.norm(y)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "reads")

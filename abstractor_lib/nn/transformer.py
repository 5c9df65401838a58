"""Transformer encoder and decoders (post-norm, Vaswani et al. 2017), as the papers' baselines.

Shapes: ``b`` batch, ``m`` objects or tokens of a context, ``n`` of the target, ``d`` features.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .feedforward import LAYER_NORM_EPS, FeedForward
from .linear import check_dropout, check_features, check_sizes


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each with residual connection and layer norm after it.

    Args:
        dim: features ``d``.
        heads, key_dim: of the attention.
        hidden: width of the feed-forward network.
        dropout: probability, on the attention weights and the feed-forward output.
        attention: further arguments of `MultiHeadAttention`.

    Returns:
        ``forward(x, key_padding_mask=None)``: ``(b, m, d), (b, m) -> (b, m, d)``.

    Example:
        >>> layer = EncoderLayer(64, heads=1, key_dim=64, hidden=64)
        >>> sum(p.numel() for p in layer.parameters())  # v1's pairwise Transformer
        25216
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        hidden: int,
        *,
        dropout: float = 0.1,
        **attention,
    ):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads, key_dim, dropout=dropout, **attention)
        self.norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS)
        self.feedforward = FeedForward(dim, hidden, dropout=dropout)

    def forward(self, x: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        x = self.norm(x + self.attention(x, x, x, key_padding_mask=key_padding_mask))
        return self.feedforward(x)


class Encoder(nn.Module):
    """Dropout, then encoder layers; no norm after the last.

    Args:
        layers: `EncoderLayer` modules, applied in turn.
        dropout: probability, on the input.

    Returns:
        ``forward(x, key_padding_mask=None)``: ``(b, m, d), (b, m) -> (b, m, d)``.

    Example:
        >>> encoder = Encoder(EncoderLayer(64, 4, 64, 64) for _ in range(2))
        >>> sum(p.numel() for p in encoder.parameters())  # the Transformer of the SET notebooks
        149888
    """

    def __init__(self, layers: Iterable[EncoderLayer], *, dropout: float = 0.1):
        super().__init__()
        check_dropout(dropout)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(layers)
        if not self.layers:
            raise ValueError("layers is empty; expected at least one EncoderLayer")

    def forward(self, x: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, key_padding_mask)
        return x


@dataclass
class LayerCache:
    """Projected keys and values that a decoder layer has seen: its own, and each context's."""

    own: tuple[Tensor, Tensor] | None = None
    contexts: list[tuple[Tensor, Tensor]] = field(default_factory=list)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to each context in turn, feed-forward.

    Each with residual connection and layer norm after it. With one context this is the
    Transformer's layer, with several the body of v3 Algorithm 2.

    Args:
        dim: features ``d``.
        heads, key_dim: of all attentions.
        hidden: width of the feed-forward network.
        contexts: number ``K`` of contexts.
        dropout: probability, on the attention weights and the feed-forward output.
        attention: further arguments of `MultiHeadAttention`.

    Returns:
        ``forward(y, contexts)``: ``(b, n, d), K times (b, m, d) -> (b, n, d)``. With a ``cache``
        y holds only the positions that follow those in the cache, which is extended by them.

    Raises:
        ValueError: for another number of contexts.

    Source: v3 Algorithm 2.

    Example:
        >>> layer = DecoderLayer(64, heads=2, key_dim=64, hidden=64)
        >>> sum(p.numel() for p in layer.parameters())
        75136
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        hidden: int,
        *,
        contexts: int = 1,
        dropout: float = 0.1,
        **attention,
    ):
        super().__init__()
        check_sizes(contexts=contexts)

        def block() -> MultiHeadAttention:
            return MultiHeadAttention(dim, heads, key_dim, dropout=dropout, **attention)

        def norm() -> nn.LayerNorm:
            return nn.LayerNorm(dim, eps=LAYER_NORM_EPS)

        self.self_attention, self.self_norm = block(), norm()
        self.cross_attention = nn.ModuleList(block() for _ in range(contexts))
        self.cross_norm = nn.ModuleList(norm() for _ in range(contexts))
        self.feedforward = FeedForward(dim, hidden, dropout=dropout)

    def forward(
        self,
        y: Tensor,
        contexts: Sequence[Tensor],
        *,
        key_padding_mask: Tensor | None = None,
        context_masks: Sequence[Tensor | None] | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        check_features("y", y, self.self_attention.dim, self.self_attention.query.weight)
        count = len(self.cross_attention)
        if len(contexts) != count:
            raise ValueError(f"contexts holds {len(contexts)} sequences; expected {count}")
        queries = self.self_attention.query(y)  # (b, h, n, k)
        keys, values = self.self_attention.keys_values(y, y)  # (b, h, n, k)
        if cache is not None:
            if cache.own is not None:
                keys = torch.cat([cache.own[0], keys], dim=-2)
                values = torch.cat([cache.own[1], values], dim=-2)
            cache.own = keys, values
        n, seen = y.shape[-2], keys.shape[-2]
        later = torch.ones(n, seen, dtype=torch.bool, device=y.device).triu(seen - n + 1)
        own = self.self_attention.attend(
            queries, keys, values, attn_mask=later, key_padding_mask=key_padding_mask
        )
        y = self.self_norm(y + own)  # (b, n, d)
        blocks = zip(self.cross_attention, self.cross_norm, contexts, strict=True)
        for index, (attention, norm, context) in enumerate(blocks):
            queries = attention.query(y)  # (b, h, n, k)
            if cache is not None and index < len(cache.contexts):
                keys, values = cache.contexts[index]
            else:
                keys, values = attention.keys_values(context, context)
                if cache is not None:
                    cache.contexts.append((keys, values))
            mask = None if context_masks is None else context_masks[index]
            y = norm(y + attention.attend(queries, keys, values, key_padding_mask=mask))
        return self.feedforward(y)


class Decoder(nn.Module):
    """Dropout, then decoder layers, each attending to some of the contexts.

    Args:
        layers: `DecoderLayer` modules, applied in turn.
        reads: for each layer the indices of the contexts it attends to; None for all.
        dropout: probability, on the input.

    Returns:
        ``forward(y, contexts)``: ``(b, n, d), K times (b, m, d) -> (b, n, d)``; ``cache`` as
        `new_cache` gives it. ``key_padding_mask`` covers all positions up to the last of y, those
        in the cache included.

    Raises:
        ValueError: if ``reads`` does not fit the layers.

    Source: with ``reads`` None v3 Algorithm 2; with one context a layer, a whole decoder layer for
    each context in turn, as in the public code.

    Example:
        >>> decoder = Decoder(DecoderLayer(64, 4, 64, 32) for _ in range(2))
        >>> sum(p.numel() for p in decoder.parameters())
        274624
    """

    def __init__(
        self,
        layers: Iterable[DecoderLayer],
        reads: Sequence[Sequence[int]] | None = None,
        *,
        dropout: float = 0.1,
    ):
        super().__init__()
        check_dropout(dropout)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(layers)
        self.reads = None if reads is None else tuple(tuple(one) for one in reads)
        if not self.layers:
            raise ValueError("layers is empty; expected at least one DecoderLayer")
        self._wanted = 1 + max((one for some in self.reads or () for one in some), default=0)
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
        contexts: Sequence[Tensor],
        *,
        key_padding_mask: Tensor | None = None,
        context_masks: Sequence[Tensor | None] | None = None,
        cache: list[LayerCache] | None = None,
    ) -> Tensor:
        if len(contexts) < self._wanted:
            raise ValueError(
                f"contexts holds {len(contexts)} sequences; expected {self._wanted}, those in reads"
            )
        y = self.dropout(y)
        for index, layer in enumerate(self.layers):
            chosen = range(len(contexts)) if self.reads is None else self.reads[index]
            y = layer(
                y,
                [contexts[one] for one in chosen],
                key_padding_mask=key_padding_mask,
                context_masks=context_masks and [context_masks[one] for one in chosen],
                cache=None if cache is None else cache[index],
            )
        return y

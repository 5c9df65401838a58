"""Transformer encoder (Vaswani et al. 2017), one of the papers' baselines.

Shapes: ``b`` batch, ``m`` objects, ``d`` features.
"""

from collections.abc import Iterable

from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_dropout,
    check_features,
    listed,
    parts,
    passed,
    shown,
    warn_if_shared,
)
from .attention import as_attention
from .excluded import finite_padding
from .feedforward import KERAS_EPS, FeedForward, sublayer
from .heads import Heads


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each with residual connection and layer norm.

    Args:
        dim: features ``d``.
        attention: the number of its heads, each ``dim / attention`` wide; or `Heads`; or an
            attention of yours: any module that is called ``attention(query, key, value)``, with
            those of the masks that are given, and returns ``(b, n, d)`` alone. `TorchAttention`
            and `SimplicialAttention` make one of torch's and of attention to pairs.
        hidden: width of the feed-forward network; None for ``4 * dim``.
        norm_first: normalise what attention and feed-forward read (pre-norm) instead of their
            result (post-norm, as in the papers).
        layer_norm_eps: added to the variance in the norms; Keras' default.
        dropout: probability, on the attention weights and the feed-forward output; an ``attention``
            of yours has its own, which this does not change.
        device, dtype: of the parameters made here.

    Returns:
        ``forward(x)``: ``(b, m, d) -> (b, m, d)``; masks as in `MultiHeadAttention`.

    Raises:
        ValueError: for sizes below one, or heads that do not divide ``dim`` and have no
            ``key_dim``.

    Example:
        >>> from abstractor_lib.nn import Heads
        >>> layer = EncoderLayer(64, Heads(1, key_dim=64), hidden=64)
        >>> sum(p.numel() for p in layer.parameters())  # v1's pairwise Transformer
        25216
        >>> layer = EncoderLayer(64, Heads(4, activation="relu"), norm_first=True)
    """

    def __init__(
        self,
        dim: int,
        attention: Heads | int | nn.Module,
        hidden: int | None = None,
        *,
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.attention = as_attention(attention, dim, dim, dropout=dropout, **where)
        self.norm = nn.LayerNorm(dim, eps=layer_norm_eps, **where)
        self.norm_first = norm_first
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
        x: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        check_features("x", x, self.norm.normalized_shape[0], self.norm.weight)
        x = finite_padding(x, key_padding_mask)
        masks = passed(key_padding_mask=key_padding_mask, attn_mask=attn_mask)

        def attend(x: Tensor) -> Tensor:
            return self.attention(x, x, x, **masks)

        x = sublayer(x, attend, self.norm, norm_first=self.norm_first, name="attention")
        return self.feedforward(x)  # (b, m, d)

    def extra_repr(self) -> str:
        return shown(self, "norm_first")


class Encoder(nn.Module):
    """Dropout, then encoder layers.

    Args:
        layers: `EncoderLayer` modules, or others called like them, applied in turn. A warning tells
            of one that stands there twice, or has an attention in common with another.
        dropout: probability, on the input.
        norm: after the last layer, ``nn.LayerNorm(dim)`` where layers have ``norm_first``; None for
            none.

    Returns:
        ``forward(x)``: ``(b, m, d) -> (b, m, d)``; masks as in `MultiHeadAttention`.

    Raises:
        ValueError: if there is no layer.

    Example:
        >>> from abstractor_lib.nn import Heads
        >>> encoder = Encoder(EncoderLayer(64, Heads(4, key_dim=64), 64) for _ in range(2))
        >>> sum(p.numel() for p in encoder.parameters())  # the Transformer of the SET notebooks
        149888
    """

    def __init__(
        self,
        layers: Iterable[nn.Module],
        *,
        dropout: float = 0.1,
        norm: nn.Module | None = None,
    ):
        super().__init__()
        check_dropout(dropout)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(listed("layers", layers))
        if not self.layers:
            raise ValueError("layers is empty; expected at least one EncoderLayer")
        warn_if_shared("layers", parts(self.layers))
        self.norm = nn.Identity() if norm is None else norm

    def forward(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        masks = passed(key_padding_mask=key_padding_mask, attn_mask=attn_mask)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, **masks)
        return self.norm(x)  # (b, m, d)

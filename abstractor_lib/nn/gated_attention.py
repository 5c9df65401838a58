"""Attention whose weights are multiplied by a gate, for tokens that may have nothing to look at.

Shapes: ``b`` batch, ``h`` heads, ``n`` queries, ``m`` keys, ``k`` width of a head, ``d`` features,
``c`` coordinates of a token.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_word, shown
from .attention import MultiHeadAttention, fused_attention
from .feedforward import TORCH_EPS, FeedForward, sublayer
from .learned_window import LearnedWindow

Gating = Literal["weights", "renormalised", "all"]
GATINGS = ("weights", "renormalised", "all")


def gated_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    ignore: Tensor | None = None,
    log_gate: Tensor | None = None,
    gating: Gating = "weights",
    scale: float | None = None,
) -> Tensor:
    """Softmax attention, gated. A query that may attend to nothing gets zeros.

    Args:
        queries, keys, values: ``(b, h, n, k)``, ``(b, h, m, k)``, ``(b, h, m, k)``.
        ignore: ``(n, m)``, True where a query does not attend to a key.
        log_gate: logarithm of the gate, ``(n, m)``; None for a gate of 1.
        gating: ``weights``: softmax over the keys that are not ignored, then times the gate;
            ``renormalised``: likewise, then divided by the sum; ``all``: softmax over all keys,
            then times the gate, which is 0 for those that are ignored.
        scale: factor on the inner products; None for ``k ** -0.5``.

    Returns:
        ``(b, h, n, k)``.

    Raises:
        ValueError: for an unknown ``gating``.

    Example:
        >>> x = torch.ones(1, 1, 2, 4)
        >>> first = torch.tensor([[True, True], [False, True]])  # the second attends to the first
        >>> gated_attention(x, x, x, ignore=first)[0, 0, :, 0].tolist()
        [0.0, 1.0]
    """
    check_word("gating", gating, GATINGS)
    if log_gate is None and (gating != "all" or ignore is None):
        empty = None
        if ignore is not None:
            empty = ignore.all(dim=-1, keepdim=True)  # (n, 1)
            ignore = ignore & ~empty  # lest a row of softmax has nothing to divide by
        mixed = fused_attention(queries, keys, values, ignore, scale=scale)
        return mixed if empty is None else mixed.masked_fill(empty, 0.0)
    scale = queries.shape[-1] ** -0.5 if scale is None else scale
    scores = (scale * queries) @ keys.transpose(-2, -1)  # (b, h, n, m)
    if gating == "renormalised" and log_gate is not None:
        scores = scores + log_gate
    if ignore is not None and gating != "all":
        scores = scores.masked_fill(ignore, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if gating == "renormalised":  # exp(s + log F) / sum exp(s + log F)
        gate = scores.new_ones(scores.shape[-2:])
    else:  # softmax(s) F
        gate = scores.new_ones(scores.shape[-2:]) if log_gate is None else log_gate.exp()
    if ignore is not None:
        gate = gate.masked_fill(ignore, 0.0)  # a row of zeros where there is nothing to attend to
    return (weights * gate) @ values


class GatedLayer(nn.Module):
    """A Transformer layer whose attention weights are gated by a window: attention, feed-forward.

    Keys and values are computed apart, so that they can be kept while tokens are added. The paper
    used torch and no dropout: ``layer_norm_eps`` is torch's, and there is no ``dropout``.

    Args:
        dim: features ``d``.
        heads: of the attention, each ``dim / heads`` wide.
        hidden: width of the feed-forward network; None for ``4 * dim``.
        window: the gate's; None for none.
        gating: see `gated_attention`.
        norm_first: pre-norm instead of post-norm.
        device, dtype: of the parameters.

    Returns:
        ``forward(x, keys, values)``: ``(b, n, d) -> (b, n, d)``.

    Raises:
        ValueError: for sizes below one, heads that do not divide ``dim``, or an unknown ``gating``.

    Example:
        >>> layer = GatedLayer(16, heads=2, window=LearnedWindow())
        >>> x, x_i = torch.randn(5, 3, 16), torch.arange(3.0)
        >>> ignore = x_i[:, None] <= x_i  # each attends to those before it
        >>> distances = (x_i[:, None] - x_i).abs()[None]
        >>> layer(x, *layer.keys_values(x), ignore, distances).shape
        torch.Size([5, 3, 16])
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        hidden: int | None = None,
        *,
        window: LearnedWindow | None = None,
        gating: Gating = "weights",
        norm_first: bool = False,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_word("gating", gating, GATINGS)
        where = {"device": device, "dtype": dtype}
        self.attention = MultiHeadAttention(dim, heads, **where)
        self.norm = nn.LayerNorm(dim, **where)
        rest = {"norm_first": norm_first, "layer_norm_eps": TORCH_EPS, "dropout": 0.0, **where}
        self.feedforward = FeedForward(dim, 4 * dim if hidden is None else hidden, **rest)
        self.window, self.gating, self.norm_first = window, gating, norm_first

    def keys_values(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Of tokens, ``(b, h, m, k)`` each."""
        x = self.norm(x) if self.norm_first else x
        return self.attention.keys_values(x, x)

    def forward(
        self,
        x: Tensor,
        keys: Tensor,
        values: Tensor,
        ignore: Tensor | None = None,
        distances: Tensor | None = None,
        stretch: int | None = None,
    ) -> Tensor:
        """``ignore`` is as in `gated_attention`, ``distances`` of queries and keys by coordinate
        ``(c, n, m)``: the gate is the product over coordinates. ``stretch``: the queries are the
        last keys, and none attends to a later key; so that many of them at a time are compared
        with the keys up to the last of them, which saves up to half of the work."""
        log_gate = None
        if self.window is not None and distances is not None:
            # F(|x_i - x_i'|) F(|x_j - x_j'|)
            log_gate = self.window.log(distances).sum(dim=0).to(self.window.log_a.dtype)  # (n, m)

        def attend(x: Tensor) -> Tensor:
            queries = self.attention.query(x)  # (b, h, n, k)
            count = queries.shape[-2]
            parts = []
            for start in range(0, count, stretch or count):
                stop = min(count, start + (stretch or count))
                last = keys.shape[-2] - (count - stop if stretch else 0)
                some = (slice(start, stop), slice(0, last))
                part = gated_attention(
                    queries[..., some[0], :],
                    keys[..., some[1], :],
                    values[..., some[1], :],
                    ignore=None if ignore is None else ignore[some],
                    log_gate=None if log_gate is None else log_gate[some],
                    gating=self.gating,
                    scale=self.attention.scale,
                )
                parts.append(part)
            return self.attention.output(torch.cat(parts, dim=-2))

        x = sublayer(x, attend, self.norm, norm_first=self.norm_first)
        return self.feedforward(x)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "gating", "norm_first")

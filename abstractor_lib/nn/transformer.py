"""The Transformer encoder of the papers' baselines (post-norm, Vaswani et al. 2017)."""

from torch import Tensor, nn

from .attention import MultiHeadAttention
from .feedforward import LAYER_NORM_EPS, FeedForward


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each with residual connection and layer norm after it.

    Args:
        dim: features ``d``.
        heads, key_dim: of the attention.
        hidden: width of the feed-forward network.
        dropout: probability, on the attention weights and the feed-forward output.

    Returns:
        ``forward(x)``: ``(b, m, d) -> (b, m, d)``.

    Example:
        >>> layer = EncoderLayer(64, heads=1, key_dim=64, hidden=64)
        >>> sum(p.numel() for p in layer.parameters())  # v1's pairwise Transformer
        25216
    """

    def __init__(self, dim: int, heads: int, key_dim: int, hidden: int, *, dropout: float = 0.1):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads, key_dim, dropout=dropout)
        self.norm = nn.LayerNorm(dim, eps=LAYER_NORM_EPS)
        self.feedforward = FeedForward(dim, hidden, dropout=dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x + self.attention(x, x, x))
        return self.feedforward(x)

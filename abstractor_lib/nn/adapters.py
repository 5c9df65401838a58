"""Other attentions in the place of a `MultiHeadAttention`: torch's, and attention to pairs.

`EncoderLayer`, `DecoderLayer` and `AbstractorLayer` call an attention of yours as
``attention(query, key, value)``, with those of the masks that are given.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads.
"""

from torch import Tensor, nn

from .arguments import check_attn_mask, check_mask
from .excluded import inputs_without_padding, inputs_without_unread, marked
from .one_simplicial_attention import OneSimplicialAttention
from .simplicial_attention import TwoSimplicialAttention


class TorchAttention(nn.Module):
    """torch's ``nn.MultiheadAttention`` as an attention of the layers here.

    Args:
        attention: made with ``batch_first=True``. Its ``dropout`` is its own: that of a layer does
            not reach it.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) -> (b, n, d)``. Masks as
        in `MultiHeadAttention`; what a query gets whose keys are all masked is torch's.

    Raises:
        ValueError: unless it is batch first; for a mask of another dtype or shape.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import EncoderLayer
        >>> attention = nn.MultiheadAttention(64, 4, dropout=0.1, batch_first=True)
        >>> EncoderLayer(64, TorchAttention(attention))(torch.randn(5, 10, 64)).shape
        torch.Size([5, 10, 64])
    """

    def __init__(self, attention: nn.MultiheadAttention):
        super().__init__()
        if not attention.batch_first:
            raise ValueError("attention has batch_first=False; expected True")
        self.attention = attention

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        if key_padding_mask is not None:
            check_mask("key_padding_mask", key_padding_mask, key.shape[:-1])
        query, key, value = inputs_without_padding(query, key, value, key_padding_mask)
        wrong = None
        if attn_mask is not None:
            heads = self.attention.num_heads
            scores = (*query.shape[:-2], heads, query.shape[-2], key.shape[-2])
            check_attn_mask(attn_mask, scores)
            wrong, key, value = inputs_without_unread(attn_mask, key, value)
            if attn_mask.dim() == 4:
                attn_mask = attn_mask.expand(scores).flatten(0, 1)  # (b * h, n, m)
        masks = {"key_padding_mask": key_padding_mask, "attn_mask": attn_mask}
        output, _ = self.attention(query, key, value, **masks, need_weights=False)
        return marked(output, wrong)  # (b, n, d)


class SimplicialAttention(nn.Module):
    """`TwoSimplicialAttention`, or `OneSimplicialAttention`, as an attention of the layers here.

    They project keys and values at once, and have no output map: for a layer of ``d`` features
    heads times value width is ``d``. They have no ``dropout`` either; that of a layer does not
    reach them.

    Args:
        attention: either of them.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d) -> (b, n, d)``; the value is the key
        itself. ``key_padding_mask`` is boolean ``(b, m)``.

    Raises:
        ValueError: for a value that is not the key, or for an ``attn_mask``, which says nothing of
            pairs of keys. So a decoder can attend to its contexts in this way, not to itself.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import EncoderLayer
        >>> pairs = TwoSimplicialAttention(64, heads=2, key_dim=32)
        >>> EncoderLayer(64, SimplicialAttention(pairs))(torch.randn(5, 10, 64)).shape
        torch.Size([5, 10, 64])
    """

    def __init__(self, attention: TwoSimplicialAttention | OneSimplicialAttention):
        super().__init__()
        self.attention = attention

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        if attn_mask is not None:
            raise ValueError(
                f"attn_mask has shape {tuple(attn_mask.shape)}; expected None, since simplicial "
                "attention has a key_padding_mask alone"
            )
        if value is not key:
            raise ValueError(
                f"value, of shape {tuple(value.shape)}, is not the key; expected the same tensor, "
                "since simplicial attention projects both at once"
            )
        others = None if key is query else key
        return self.attention(query, others, key_padding_mask=key_padding_mask)  # (b, n, d)

"""Dual attention (Altabaa & Lafferty 2024): heads that mix features beside heads that mix
relations, a successor of the Abstractor.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k`` width of a head,
``r`` relations.
"""

import torch
from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_batches,
    check_features,
    check_modules,
    check_sizes,
    head_width,
    shown,
)
from .excluded import excluded, inputs_without_padding, inputs_without_unread, marked
from .linear import HeadLinear, HeadsToOutput
from .relations import activate
from .symbols import RelativeSymbols


class DualAttention(nn.Module):
    """Sensory heads mix what objects are; relational heads mix how they relate to the query.

    Every head chooses by softmax attention whom to look at. A sensory head mixes ``W_v x_j``. A
    relational head mixes ``W_r r(x_i, x_j) + W_s s_j``: relations of the two, and a symbol that
    says whose they are. All heads together have one output map.

    Args:
        dim: features ``d``.
        sensory, relational: numbers of heads of either kind.
        symbols: gives the symbols, ``forward(objects) -> (m, d) or (b, m, d)``.
        relations: relations ``r``, which all relational heads share.
        key_dim: width ``k`` of a head and of the projections of a relation; None for
            ``dim / (sensory + relational)``.
        device, dtype: of the parameters; ``symbols`` of yours keep their own.

    Returns:
        ``forward(query, key, value)``: ``(b, n, d), (b, m, d), (b, m, d) -> (b, n, d)``, to be an
        attention of `EncoderLayer` or `DecoderLayer`. Masks as in `MultiHeadAttention`.

    Raises:
        ValueError: for sizes below one, heads that do not divide ``dim`` and have no ``key_dim``,
            inputs or masks of another shape or dtype, or symbols that are no module, of another
            width, or not one for each object.

    Source: Altabaa & Lafferty 2024, Disentangling and integrating relational and sensory
    information in Transformer architectures: its relational attention and dual attention. The
    factor ``k ** -0.5`` on inner products and projections without biases are ours.

    Example:
        >>> from abstractor_lib.nn import EncoderLayer, LearnedSymbols
        >>> attention = DualAttention(16, 2, 2, symbols=LearnedSymbols(5, 16), relations=4)
        >>> EncoderLayer(16, attention)(torch.zeros(3, 5, 16)).shape
        torch.Size([3, 5, 16])
    """

    def __init__(
        self,
        dim: int,
        sensory: int,
        relational: int,
        *,
        symbols: nn.Module,
        relations: int,
        key_dim: int | None = None,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_modules(symbols=symbols)
        if isinstance(symbols, RelativeSymbols):
            raise ValueError("symbols is a RelativeSymbols; expected a symbol for each object")
        check_sizes(sensory=sensory, relational=relational, relations=relations)
        width = head_width(dim, sensory + relational, key_dim)
        options = {"bias": False, "device": device, "dtype": dtype}
        heads = sensory + relational
        self.dim, self.sensory, self.relational, self.width = dim, sensory, relational, width
        self.query = HeadLinear(dim, heads, width, **options)
        self.key = HeadLinear(dim, heads, width, **options)
        self.value = HeadLinear(dim, sensory, width, **options)
        self.left = HeadLinear(dim, relations, width, **options)
        self.right = HeadLinear(dim, relations, width, **options)
        self.relate = HeadLinear(relations, relational, width, **options)
        self.symbolise = HeadLinear(dim, relational, width, **options)
        self.output = HeadsToOutput(heads, width, dim, **options)
        self.symbols = symbols

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        for name, given in {"query": query, "key": key, "value": value}.items():
            check_features(name, given, self.dim, self.query.weight)
        count = key.shape[-2]
        if value.shape[-2] != count:
            raise ValueError(
                f"value holds {value.shape[-2]} objects; expected one for each of the {count} keys"
            )
        check_batches(query=query.shape[:-2], key=key.shape[:-2], value=value.shape[:-2])
        query, key, value = inputs_without_padding(query, key, value, key_padding_mask)
        batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        shape = (*batch, self.sensory + self.relational, query.shape[-2], key.shape[-2])
        ignore, wrong = excluded(shape, key_padding_mask, attn_mask), None
        if attn_mask is not None:
            wrong, key, value = inputs_without_unread(attn_mask, key, value)
        scale = self.width**-0.5
        scores = self.query(query) @ self.key(key).transpose(-2, -1)  # (b, h, n, m)
        # alpha^h_ij = softmax_j <W_q^h x_i, W_k^h x_j>
        weights = activate(scale * scores, "softmax", ignore=ignore)
        chosen, related = weights.split([self.sensory, self.relational], dim=-3)
        # sensory: e^h_i = sum_j alpha^h_ij W_v^h x_j
        felt = chosen @ self.value(value)  # (b, h, n, k)
        # r(x_i, x_j) = (<W_q,l x_i, W_k,l x_j>)_l
        relations = scale * self.left(query) @ self.right(key).transpose(-2, -1)  # (b, r, n, m)
        # relational: a^h_i = sum_j alpha^h_ij (W_r^h r(x_i, x_j) + W_s^h s_j)
        mixed = torch.einsum("...hnm,...rnm->...hnr", related, relations)  # sum_j alpha_ij r_ij
        maps = self.relate.weight.unflatten(0, (self.relational, self.width))  # (h, k, r)
        own = mixed @ maps.transpose(-2, -1)  # (b, h, n, k)
        symbols = self.symbols(key)
        if symbols.shape[-2:] != (count, self.dim):
            raise ValueError(
                f"symbols returns shape {tuple(symbols.shape)}; expected (..., {count}, "
                f"{self.dim}), a symbol of dim features for each key"
            )
        told = own + related @ self.symbolise(symbols)  # (b, h, n, k)
        output = self.output(torch.cat([felt, told], dim=-3))
        return marked(output, wrong)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "dim", "sensory", "relational")

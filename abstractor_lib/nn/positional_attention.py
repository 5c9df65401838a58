"""Attentions that know the offset of two positions: a bias of the logits, or a rotation.

Both take the place of a `MultiHeadAttention` in an `EncoderLayer` or a `DecoderLayer`. Positions
are 0, 1, ..., of queries and of keys alike; a decoder's cache counts on.

Shapes: ``b`` batch, ``n`` queries, ``m`` keys, ``h`` heads, ``k`` key width.
"""

import math
from dataclasses import replace
from numbers import Real

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_sizes, shown
from .attention import MultiHeadAttention
from .heads import Heads, as_heads
from .positions import check_positions, real


class RelativeBiasAttention(MultiHeadAttention):
    """Attention whose logits get a learned bias of the offset j - i, one for each head.

    Offsets share biases as in T5: of each sign, half of the buckets are for one distance each, the
    others for distances that grow as a logarithm up to ``farthest``; all further ones share the
    last. As elsewhere here the inner products are scaled, which T5's are not. Biases begin at zero:
    the attention starts as one that knows no positions. As in `MultiHeadAttention`, there is no
    ``dropout`` unless it is asked for.

    Args:
        dim: features ``d``.
        heads: their number, or `Heads`. The fused kernel is not used.
        buckets: biases of a head, a multiple of 4.
        farthest: the least distance that is sure to be in the last bucket; more than a quarter of
            the buckets.
        dropout, device, dtype: see `MultiHeadAttention`.

    Returns:
        As `MultiHeadAttention`.

    Raises:
        ValueError: as `MultiHeadAttention`; for ``buckets`` or a ``farthest`` that do not fit.

    Source: Raffel et al. (2020), section 2.1.

    Example:
        >>> from abstractor_lib.nn import EncoderLayer
        >>> attention = RelativeBiasAttention(16, 2, buckets=8, farthest=6)
        >>> EncoderLayer(16, attention)(torch.randn(3, 10, 16)).shape
        torch.Size([3, 10, 16])
    """

    def __init__(
        self,
        dim: int,
        heads: Heads | int,
        *,
        buckets: int = 32,
        farthest: int = 128,
        dropout: float = 0.0,
        device: Device = None,
        dtype: DType = None,
    ):
        heads = replace(as_heads(heads, dim), fused=False)
        super().__init__(dim, heads, dropout=dropout, device=device, dtype=dtype)
        check_buckets(buckets, farthest)
        self.buckets, self.farthest = buckets, farthest
        self.biases = nn.Parameter(torch.empty(heads.count, buckets, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.biases)

    def scores(self, queries: Tensor, keys: Tensor, first: int | None = None) -> Tensor:
        there = torch.arange(keys.shape[-2], device=keys.device)
        here = _places(queries, first)
        which = relative_buckets(there - here[:, None], self.buckets, self.farthest)  # (n, m)
        # <W_q x_i, W_k x_j> / sqrt(k) + b[bucket(j - i)]   (Raffel et al. 2020, section 2.1)
        return super().scores(queries, keys) + self.biases[:, which]  # (b, h, n, m)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, {shown(self, 'buckets', 'farthest')}"


def check_buckets(buckets: int, farthest: int) -> None:
    """Raise ValueError unless offsets up to ``farthest`` can be sorted into so many buckets.

    Example:
        >>> check_buckets(6, 3)
        Traceback (most recent call last):
            ...
        ValueError: buckets is 6; expected a multiple of 4
    """
    check_sizes(buckets=buckets, farthest=farthest)
    if buckets % 4:
        raise ValueError(f"buckets is {buckets}; expected a multiple of 4")
    if farthest <= buckets // 4:
        raise ValueError(
            f"farthest is {farthest}; expected more than a quarter of the {buckets} buckets"
        )


def relative_buckets(offsets: Tensor, buckets: int, farthest: int) -> Tensor:
    """Which bias an offset has, 0 to below ``buckets``; see `RelativeBiasAttention`.

    Args:
        offsets: integers of any shape; the upper half of the buckets is for those above zero.
        buckets: a multiple of 4.
        farthest: more than a quarter of the buckets.

    Returns:
        Integers, of the same shape.

    Raises:
        ValueError: for ``buckets`` or a ``farthest`` that do not fit, and offsets that are no
            integers.

    Example:
        >>> relative_buckets(torch.tensor([-9, -2, 0, 1, 2, 3, 5, 9]), buckets=8, farthest=6)
        tensor([3, 2, 0, 5, 6, 6, 7, 7])
    """
    check_buckets(buckets, farthest)
    if offsets.is_floating_point():
        raise ValueError(f"offsets has dtype {offsets.dtype}; expected integers")
    half, exact = buckets // 2, buckets // 4
    distance = offsets.abs()
    grown = torch.log(distance.clamp(min=1).double() / exact) / math.log(farthest / exact)
    coarse = exact + (grown * (half - exact)).long()
    within = torch.where(distance < exact, distance, coarse.clamp(max=half - 1))
    return within + half * (offsets > 0)


class RotaryAttention(MultiHeadAttention):
    """Attention whose queries and keys are rotated by angles in proportion to their positions.

    Features l and l + k / 2 of a query or key at position p turn by ``p / base ** (2 l / k)``. So
    the inner product of a query at i and a key at j depends on positions by j - i alone. As in
    `MultiHeadAttention`, there is no ``dropout`` unless it is asked for.

    Args:
        dim: features ``d``.
        heads: their number, or `Heads` with an even ``key_dim``.
        base: of the angles.
        dropout, device, dtype: see `MultiHeadAttention`.

    Returns:
        As `MultiHeadAttention`.

    Raises:
        ValueError: as `MultiHeadAttention`; for an odd ``key_dim``, or a ``base`` that is no number
            above 0.

    Source: Su et al. (2021), eq. 13 to 16.

    Example:
        >>> from abstractor_lib.nn import EncoderLayer
        >>> EncoderLayer(16, RotaryAttention(16, 2))(torch.randn(3, 10, 16)).shape
        torch.Size([3, 10, 16])
    """

    def __init__(
        self,
        dim: int,
        heads: Heads | int,
        *,
        base: float = 10000.0,
        dropout: float = 0.0,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__(dim, heads, dropout=dropout, device=device, dtype=dtype)
        if self.key_dim % 2:
            raise ValueError(f"key_dim is {self.key_dim}; expected an even number")
        if not isinstance(base, Real) or not 0 < base < float("inf"):
            raise ValueError(f"base is {base!r}; expected a number above 0")
        self.base = base

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
        """As that of `MultiHeadAttention`; queries and keys are projected, not yet rotated."""
        there = torch.arange(keys.shape[-2], device=keys.device)
        here = _places(queries, first)
        turned = rotated(queries, here, self.base), rotated(keys, there, self.base)
        return super().attend(
            *turned,
            values,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
            first=first,
        )

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, {shown(self, 'base')}"


def rotated(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Vectors turned by angles in proportion to their positions; see `RotaryAttention`.

    Args:
        x: ``(..., m, k)``, k an even number.
        positions: ``(m,)``.
        base: of the angles.

    Returns:
        ``(..., m, k)``.

    Raises:
        ValueError: for an odd k, or another number of positions.

    Example:
        >>> rotated(torch.tensor([[1.0, 0.0]]), torch.tensor([torch.pi / 6])).round(decimals=3)
        tensor([[0.8660, 0.5000]])
    """
    if x.shape[-1] % 2:
        raise ValueError(f"x has {x.shape[-1]} features; expected an even number")
    check_positions(positions, x.shape[-2])
    half = x.shape[-1] // 2
    x = x.to(real(x))
    exact = torch.promote_types(x.dtype, torch.float32)
    rates = base ** (-torch.arange(half, device=x.device, dtype=exact) / half)
    angles = positions.to(exact)[:, None] * rates  # (m, k / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    # (x, y) -> (x cos - y sin, x sin + y cos)   (Su et al. 2021, eq. 13)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def _places(queries: Tensor, first: int | None) -> Tensor:
    """Positions of the queries, ``(n,)``: ``first``, or 0, and those that follow."""
    return torch.arange(queries.shape[-2], device=queries.device) + (first or 0)

"""Logits of 2-simplicial attention: one number for a query and two keys.

The first is that of "Logic and the 2-Simplicial Transformer", the unsigned scalar triple product;
the others are what later papers put in its place.

Shapes: ``b`` any batch dimensions, ``h`` heads, ``n`` queries, ``m`` keys, ``k`` key width. Letters
of the equations: a query p_i, a first key l1_j and a second key l2_k.
"""

from typing import Literal

import torch
from torch import Tensor

from .arguments import check_word
from .positions import real

Logits = Literal["unsigned", "trilinear", "determinant", "pairs", "uniform"]
LOGITS = ("unsigned", "trilinear", "determinant", "pairs", "uniform")


def unsigned_triple_product(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """The unsigned scalar triple product ``|| (a.b) c - (a.c) b + (b.c) a ||``.

    It is computed from dot products alone (eq. 8). That loses no precision: the four terms never
    cancel to less than a third of the largest of the first three. Each vector is divided by a power
    of two first, which changes no digit, so that squares of large and of small ones are numbers of
    the dtype too; they are computed in float32 at least.

    Args:
        a, b, c: ``(..., k)``, broadcast against each other.

    Returns:
        ``(...)``, of a floating dtype: between 0 (pairwise orthogonal vectors) and ``|a| |b| |c|``
        (linearly dependent ones). Where it is zero its gradient is zero. NaN where a vector holds
        NaN or infinity.

    Raises:
        ValueError: for vectors of different widths, or of none.

    Source: Logic and the 2-Simplicial Transformer, Definition 2.2 (eq. 7, 8).

    Example:
        >>> a, b, c = torch.tensor([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]]).double()
        >>> round(unsigned_triple_product(a, b, c).item() ** 2)
        14517
        >>> unsigned_triple_product(*torch.eye(3)).item()
        0.0
        >>> unsigned_triple_product(*torch.full((3, 64), 2.0**20)).item() == (8 * 2.0**20) ** 3
        True
    """
    if not a.shape[-1] == b.shape[-1] == c.shape[-1] or not a.shape[-1]:
        widths = ", ".join(str(vector.shape[-1]) for vector in (a, b, c))
        raise ValueError(f"a, b, c have widths {widths}; expected one width of at least 1")

    def dot(left: Tensor, right: Tensor) -> Tensor:
        return (left * right).sum(dim=-1)

    dtype = torch.promote_types(torch.promote_types(real(a), real(b)), real(c))
    exact = torch.promote_types(dtype, torch.float32)
    (a, one), (b, other), (c, third) = (_powers_apart(vector.to(exact)) for vector in (a, b, c))
    x, y, z = dot(a, b), dot(a, c), dot(b, c)
    # <a,b,c>^2 = (a.b)^2 (c.c) + (b.c)^2 (a.a) + (a.c)^2 (b.b) - 2 (a.b) (a.c) (b.c)   (eq. 8)
    square = x**2 * dot(c, c) + z**2 * dot(a, a) + y**2 * dot(b, b) - 2 * x * y * z
    small, middle, large = torch.stack(torch.broadcast_tensors(one, other, third)).sort(dim=0)[0]
    return (root(square) * small * large * middle).to(dtype)


def _powers_apart(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Vectors ``(..., k)`` whose largest number is from 1 to 2, and the powers of two ``(...)``
    that they were divided by, without a gradient; 1 for zero, infinity and NaN."""
    largest = vectors.detach().abs().amax(dim=-1)
    mantissa, _ = torch.frexp(largest)  # from a half to 1
    there = largest.isfinite() & (largest > 0)
    powers = torch.where(there, largest / torch.where(there, 2 * mantissa, 1.0), 1.0)
    return vectors / powers.unsqueeze(-1), powers


def root(square: Tensor) -> Tensor:
    """Square root, with value and gradient zero where ``square`` is at most the least normal
    number of its dtype. NaN stays NaN.

    Example:
        >>> square = torch.tensor([0.0, 4.0], requires_grad=True)
        >>> root(square).sum().backward()
        >>> square.grad.tolist()
        [0.0, 0.25]
    """
    zero = square <= torch.finfo(square.dtype).tiny
    # Inside and outside: a gradient of inf at zero would turn to NaN behind the outer choice.
    return torch.where(zero, 0.0, torch.where(zero, 1.0, square).sqrt())


def simplicial_logits(
    queries: Tensor, left: Tensor, right: Tensor, logits: Logits = "unsigned"
) -> Tensor:
    """The logits of every query with every pair of keys.

    No tensor of ``n m m k`` numbers is made. ``unsigned`` and ``pairs`` need the dot products of
    pairs, ``n m`` and ``m m`` of them; the others one vector for each pair of keys, ``m m k``.
    Squares of ``unsigned`` logits are numbers of the dtype: from about 1e19 in float32 on and 256
    in float16 the logits are infinite or NaN, which `unsigned_triple_product` avoids.

    Args:
        queries: p, ``(b, h, n, k)``.
        left, right: first keys l1 and second keys l2, ``(b, h, m, k)``.
        logits: ``unsigned``, the unsigned scalar triple product <p, l1, l2>; ``trilinear``,
            sum_d p_d l1_d l2_d; ``determinant``, the sum of the determinants of successive
            coordinates, three at a time (that of p, l1 and l2 if k = 3); ``pairs``, the sum of
            pairs p.l1 + p.l2 + l1.l2; ``uniform``, 0, a control: each pair weighs the same,
            whatever the vectors are.

    Returns:
        ``(b, h, n, m, m)``, the first key's index before the second's.

    Raises:
        ValueError: for an unknown word, or a width that is no multiple of 3 with ``determinant``.

    Source: ``unsigned``: Logic and the 2-Simplicial Transformer, eq. 8; ``trilinear`` and
    ``determinant``: Roy et al. 2025 (Fast and Simplex); ``pairs``: Kozachinskiy et al. 2025
    (Strassen attention).

    Example:
        >>> p, keys = torch.tensor([[1.0, 0, 0]]), torch.eye(3)
        >>> simplicial_logits(p, keys, keys)[0].tolist()  # 1 where the three are dependent
        [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
        >>> simplicial_logits(p, keys, keys, "determinant")[0].tolist()  # 0 there
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    """
    check_word("logits", logits, LOGITS)
    queries, left, right = (x.to(real(x)) for x in (queries, left, right))
    if logits == "uniform":
        batch = torch.broadcast_shapes(queries.shape[:-2], left.shape[:-2], right.shape[:-2])
        counts = (x.shape[-2] for x in (queries, left, right))
        return queries.new_zeros(*batch, *counts)
    if logits in ("trilinear", "determinant"):
        # Each is a dot product of the query with one vector of the two keys.
        both = _products(left, right) if logits == "trilinear" else _cross_products(left, right)
        flat = queries @ both.flatten(-3, -2).transpose(-2, -1)  # (b, h, n, m * m)
        return flat.unflatten(-1, (left.shape[-2], right.shape[-2]))
    x = (queries @ left.transpose(-2, -1)).unsqueeze(-1)  # p.l1, (b, h, n, m, 1)
    y = (queries @ right.transpose(-2, -1)).unsqueeze(-2)  # p.l2, (b, h, n, 1, m)
    z = (left @ right.transpose(-2, -1)).unsqueeze(-3)  # l1.l2, (b, h, 1, m, m)
    if logits == "pairs":
        return x + y + z
    a = queries.square().sum(dim=-1)[..., None, None]  # p.p, (b, h, n, 1, 1)
    b = left.square().sum(dim=-1)[..., None, :, None]  # l1.l1, (b, h, 1, m, 1)
    c = right.square().sum(dim=-1)[..., None, None, :]  # l2.l2, (b, h, 1, 1, m)
    # <p,l1,l2>^2 = (p.l1)^2 (l2.l2) + (p.l2)^2 (l1.l1) + (l1.l2) ((l1.l2) (p.p) - 2 (p.l1) (p.l2))
    square = torch.addcmul(y.square() * b, x.square(), c)  # (b, h, n, m, m)
    square = torch.addcmul(square, z, torch.addcmul(z * a, x, y, value=-2))
    return root(square)


def _products(left: Tensor, right: Tensor) -> Tensor:
    """Products of coordinates, ``(b, h, m, k), (b, h, m, k) -> (b, h, m, m, k)``."""
    return left.unsqueeze(-2) * right.unsqueeze(-3)


def _cross_products(left: Tensor, right: Tensor) -> Tensor:
    """Cross products of successive coordinates, three at a time."""
    width = left.shape[-1]
    if width % 3:
        raise ValueError(f"left has width {width}; expected a multiple of 3 with determinant")
    thirds = (part.unflatten(-1, (width // 3, 3)) for part in (left, right))
    one, other = thirds
    return torch.linalg.cross(one.unsqueeze(-3), other.unsqueeze(-4)).flatten(-2)

"""Inner-product relations between objects: v1 eq. 2.3 and 2.4, v1 Algorithm 2.

Shapes: ``b`` any batch dimensions, ``m`` objects, ``d`` features, ``r`` relation dimensions,
``p`` projection width. A relation tensor is ``(b, r, m, m)``: relation first, as attention
heads are in torch; entry ``[k, i, j]`` is the paper's ``R[i, j, k]``.
"""

from collections.abc import Iterable
from typing import Literal

import torch
from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_attn_mask,
    check_features,
    check_mask,
    check_sizes,
    check_word,
    shown,
    warn_if_shared,
)
from .excluded import finite_source
from .linear import HeadLinear

Activation = Literal["softmax", "sigmoid", "tanh", "relu", "linear"]
Side = Literal["left", "right"]

_ELEMENTWISE = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "linear": lambda scores: scores,
}


def activate(
    scores: Tensor,
    activation: Activation = "softmax",
    over: Side = "right",
    ignore: Tensor | None = None,
) -> Tensor:
    """Apply the relation activation sigma_rel (v1 Algorithm 3).

    Args:
        scores: inner products ``(b, r, m, n)``.
        activation: ``softmax`` normalises over one argument of the relation; the others act on
            each entry.
        over: the argument that softmax normalises over: ``right`` (over j, so that each row sums
            to one) or ``left`` (over i, each column).
        ignore: boolean, broadcast to the scores: entries that take no part in the softmax and
            whose relation is zero.

    Returns:
        Relations ``(b, r, m, n)``.

    Raises:
        ValueError: for an unknown activation or argument.

    Example:
        >>> activate(torch.zeros(1, 1, 2, 2))[0, 0].tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """
    check_activation(activation, over)
    if activation == "softmax":
        if ignore is not None:  # the least number, not -inf: a row without keys has no NaN
            scores = scores.masked_fill(ignore, torch.finfo(scores.dtype).min)
        relations = torch.softmax(scores, dim=-1 if over == "right" else -2)
    else:
        relations = _ELEMENTWISE[activation](scores)
    return relations if ignore is None else relations.masked_fill(ignore, 0.0)


def check_activation(activation: str, over: str = "right") -> None:
    """Raise ValueError unless ``activation`` and ``over`` are known.

    Example:
        >>> check_activation("tanh", over="up")
        Traceback (most recent call last):
            ...
        ValueError: over is 'up'; allowed: left, right
    """
    check_word("activation", activation, ("softmax", *_ELEMENTWISE))
    check_word("over", over, ("left", "right"))


def inner_product_relations(left: Tensor, right: Tensor, scale: float | None = None) -> Tensor:
    """Inner products of encoded objects, R[k, i, j] = scale <left_k(x_i), right_k(x_j)>.

    Args:
        left, right: ``(b, r, m, p)`` and ``(b, r, n, p)``.
        scale: a factor on every inner product; None for 1.

    Returns:
        ``(b, r, m, n)``.

    Example:
        >>> x = torch.eye(2).view(1, 1, 2, 2)
        >>> inner_product_relations(x, 3 * x)[0, 0].tolist()
        [[3.0, 0.0], [0.0, 3.0]]
    """
    # r(x, y)_k = <phi_k(x), psi_k(y)>   (v1 eq. 2.3)
    if scale is not None:
        left = left * scale
    return left @ right.transpose(-2, -1)  # (b, r, m, n)


def ignored(
    scores: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None = None,
    diagonal: bool = True,
) -> Tensor | None:
    """The relations that masks and a missing diagonal exclude, or None.

    A padded object has no relations, neither as the left nor as the right argument.

    Args:
        scores: ``(b, r, m, m)``.
        key_padding_mask: boolean ``(b, m)``, True for an object that is none.
        attn_mask: boolean ``(m, m)`` or ``(b, r, m, m)`` (of which b and r may be 1), True for a
            relation to leave out.
        diagonal: keep the relations of objects to themselves.

    Returns:
        Boolean and broadcast to the scores, or None.

    Raises:
        ValueError: for a mask of another dtype or shape than the scores want.

    Example:
        >>> ignored(torch.zeros(1, 1, 2, 2), None, diagonal=False).tolist()
        [[True, False], [False, True]]
    """
    count = scores.shape[-1]
    ignore = None if diagonal else torch.eye(count, dtype=torch.bool, device=scores.device)
    if key_padding_mask is not None:
        check_mask("key_padding_mask", key_padding_mask, (*scores.shape[:-3], count))
        padding = key_padding_mask[..., None, None, :] | key_padding_mask[..., None, :, None]
        ignore = padding if ignore is None else padding | ignore  # (b, 1, m, m)
    if attn_mask is not None:
        check_attn_mask(attn_mask, scores.shape)
        ignore = attn_mask if ignore is None else attn_mask | ignore
    return ignore


class GivenRelation(nn.Module):
    """Relations that are given in place of the objects (v1 Algorithm 1).

    Returns:
        ``forward(relations)``: ``(b, r, m, m) -> (b, r, m, m)``; those that a mask excludes
        (`ignored`) are set to zero.

    Example:
        >>> padding = torch.tensor([[False, True]])
        >>> GivenRelation()(torch.ones(1, 1, 2, 2), padding)[0, 0].tolist()
        [[1.0, 0.0], [0.0, 0.0]]
    """

    def forward(
        self,
        relations: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        ignore = ignored(relations, key_padding_mask, attn_mask)
        return relations if ignore is None else relations.masked_fill(ignore, 0.0)


class InnerProductRelation(nn.Module):
    """Relations between separately encoded objects (v1 eq. 2.3).

    ``r(x, y)_k = <phi_k(x), psi_k(y)>`` with any maps phi_k, psi_k. The equation has no activation:
    the default ``activation`` is linear, not softmax as in the modules that models are made of.

    Args:
        left: one encoder ``(b, m, d) -> (b, m, p)`` per relation dimension.
        right: the same for the second argument; None for a symmetric relation (v1 eq. 3.1).
        activation, over: see `activate`.
        scale: a factor on every inner product.
        diagonal: keep the relations of objects to themselves. Without it and with encoders that
            map zero to zero the bottleneck is strict; see `MultiHeadRelation`.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, r, m, m)``; masks as in `ignored`.

    Raises:
        ValueError: if there is no encoder, or the numbers of encoders differ.

    Example:
        >>> encoders = [nn.Sequential(nn.Linear(8, 4), nn.Tanh()) for _ in range(3)]
        >>> InnerProductRelation(encoders)(torch.randn(2, 5, 8)).shape
        torch.Size([2, 3, 5, 5])
    """

    def __init__(
        self,
        left: Iterable[nn.Module],
        right: Iterable[nn.Module] | None = None,
        *,
        activation: Activation = "linear",
        over: Side = "right",
        scale: float | None = None,
        diagonal: bool = True,
    ):
        super().__init__()
        check_activation(activation, over)
        self.left = nn.ModuleList(left)
        self.right = None if right is None else nn.ModuleList(right)
        warn_if_shared("left", self.left)
        warn_if_shared("right", self.right or ())
        if not self.left:
            raise ValueError("left is empty; expected at least one encoder")
        if self.right is not None and len(self.left) != len(self.right):
            raise ValueError(
                f"right holds {len(self.right)} encoders; left holds {len(self.left)}, "
                "expected as many"
            )
        self.activation, self.over, self.scale = activation, over, scale
        self.diagonal = diagonal

    def forward(
        self,
        objects: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        objects = finite_source(objects, key_padding_mask)
        left = torch.stack([phi(objects) for phi in self.left], dim=-3)  # (b, r, m, p)
        right = left
        if self.right is not None:
            right = torch.stack([psi(objects) for psi in self.right], dim=-3)  # (b, r, m, p)
        scores = inner_product_relations(left, right, self.scale)
        ignore = ignored(scores, key_padding_mask, attn_mask, self.diagonal)
        return activate(scores, self.activation, self.over, ignore)  # (b, r, m, m)

    def extra_repr(self) -> str:
        return shown(self, "activation", "over", "scale", "diagonal")


class MultiHeadRelation(nn.Module):
    """Relations through a shared embedder and one pair of projections per dimension.

    ``r(x, y)_k = <W1_k phi(x), W2_k phi(y)>`` (v1 eq. 2.4, Algorithm 2). As in the equation, there
    is no ``bias`` unless it is asked for, and no scale, which attention has.

    Args:
        dim: features ``d`` of ``phi(x)``.
        relations: relation dimensions ``r``.
        key_dim: projection width ``p`` of each dimension.
        embedder: the common map phi; None if the objects come embedded.
        symmetric: share the two projections, W1_k = W2_k.
        bias: add a bias to each projection.
        activation, over: see `activate`.
        scale: a factor on every inner product, often ``key_dim ** -0.5``.
        diagonal: keep the relations of objects to themselves, which are features of single
            objects. The strict relational bottleneck (v3 footnote 2) is ``diagonal=False`` with
            ``bias=False``: with a bias b, R[i, j] contains <b, W2 phi(x_j)>, again a feature. It
            is strict about what reaches the projections: a bias in the embedder, or positions
            added to the objects, act as such a bias. Softmax over the one other object of a pair
            is 1 whatever the objects are: with two objects and ``diagonal=False`` take another
            activation.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, r, m, m)``; masks as in `ignored`.

    Raises:
        ValueError: for sizes below one, an unknown activation, or objects of another width.

    Source: v1 section 2.2, where inner products are not scaled; Algorithm 2 itself is
    ``activation="linear"``, the others are the step R <- sigma_rel(R) of Algorithm 3.

    Example:
        >>> relation = MultiHeadRelation(8, relations=4, key_dim=16)
        >>> relation(torch.randn(2, 5, 8)).shape
        torch.Size([2, 4, 5, 5])
    """

    def __init__(
        self,
        dim: int,
        relations: int,
        key_dim: int,
        *,
        embedder: nn.Module | None = None,
        symmetric: bool = False,
        bias: bool = False,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        diagonal: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, relations=relations, key_dim=key_dim)
        check_activation(activation, over)
        self.dim, self.relations, self.diagonal = dim, relations, diagonal
        self.activation, self.over, self.scale = activation, over, scale
        self.embedder = nn.Identity() if embedder is None else embedder
        options = {"bias": bias, "device": device, "dtype": dtype}
        self.left = HeadLinear(dim, relations, key_dim, **options)
        self.right = None if symmetric else HeadLinear(dim, relations, key_dim, **options)

    def forward(
        self,
        objects: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        embedded = self.embedder(finite_source(objects, key_padding_mask))  # (b, m, d)
        check_features("objects", embedded, self.dim, self.left.weight)
        left = self.left(embedded)  # (b, r, m, p)
        right = left if self.right is None else self.right(embedded)
        # r(x, y)_k = <W1_k phi(x), W2_k phi(y)>   (v1 eq. 2.4)
        scores = inner_product_relations(left, right, self.scale)
        ignore = ignored(scores, key_padding_mask, attn_mask, self.diagonal)
        return activate(scores, self.activation, self.over, ignore)  # (b, r, m, m)

    def extra_repr(self) -> str:
        return shown(self, "activation", "over", "scale", "diagonal")

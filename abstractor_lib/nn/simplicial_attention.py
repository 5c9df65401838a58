"""2-simplicial attention: messages from pairs of entities.

There are no biases and no output map: heads are concatenated.

Shapes: ``b`` any batch dimensions, ``n`` queries, ``m`` keys, ``d`` features, ``h`` heads, ``k``
width of a key, ``v`` of a value.
"""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .arguments import (
    Device,
    DType,
    check_batches,
    check_features,
    check_mask,
    check_sizes,
    check_word,
    shown,
)
from .excluded import finite_padding
from .one_simplicial_attention import JointProjection, concatenated
from .relations import activate
from .simplicial_logits import LOGITS, Logits, simplicial_logits


class PairValues(nn.Module):
    """B(u_j (x) u_k): a learned linear map of the tensor product of two values, for each head.

    One tensor ``(h, v, v, v)`` (out, left, right), without bias and without symmetry: (j, k) and
    (k, j) differ. It starts uniform on +-sqrt(3) / v, as Keras would draw it.

    Args:
        heads: number of heads ``h``.
        width: of the values, ``v``.
        device, dtype: of the parameters.

    Returns:
        ``forward(left, right)``: ``(b, h, m, v), (b, h, m, v) -> (b, h, m, m, v)``, the left
        index first.

    Raises:
        ValueError: for sizes below one.

    Source: Logic and the 2-Simplicial Transformer, eq. 10.

    Example:
        >>> values = PairValues(heads=1, width=48)
        >>> values.weight.numel()
        110592
    """

    def __init__(self, heads: int, width: int, *, device: Device = None, dtype: DType = None):
        super().__init__()
        check_sizes(heads=heads, width=width)
        self.heads, self.width = heads, width
        shape = (heads, width, width, width)
        self.weight = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        limit = 3**0.5 / self.width  # Glorot: sqrt(6 / (fan_in + fan_out)), both width^2
        nn.init.uniform_(self.weight, -limit, limit)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        # Letters: q out, r left, s right. One factor after the other, m v^3 + m^2 v^2 products; the
        # right one first, since s is B's last index and need not be moved.
        half = torch.einsum("...hks,hqrs->...hkqr", right, self.weight)  # (b, h, m, v, v)
        return torch.einsum("...hjr,...hkqr->...hjkq", left, half)  # (b, h, m, m, v)

    def extra_repr(self) -> str:
        return shown(self, "heads", "width")


def check_logit_width(name: str, width: int, logits: Logits) -> None:
    """Raise ValueError unless the logits are defined for vectors of this width.

    Example:
        >>> check_logit_width("key_dim", 2, "unsigned")
        Traceback (most recent call last):
            ...
        ValueError: key_dim is 2; expected at least 3 with unsigned logits
    """
    if logits == "unsigned" and width < 3:
        raise ValueError(f"{name} is {width}; expected at least 3 with unsigned logits")
    if logits == "determinant" and width % 3:
        raise ValueError(f"{name} is {width}; expected a multiple of 3 with determinant")


class TwoSimplicialAttention(nn.Module):
    """Attention of an entity to pairs of entities:
    v'_i = sum_jk softmax_jk(<p_i, l1_j, l2_k>) B(u_j (x) u_k), heads concatenated.

    The values of pairs do not depend on the query, so they are computed once. The work of logits
    and mixing is proportional to ``n m m``.

    Args:
        dim: features ``d``.
        heads: number of heads ``h``; each has a tensor B of its own.
        key_dim: width ``k`` of p, l1 and l2 in a head. With the unsigned triple product two
            coordinates hold norms alone, so it is at least 3.
        value_dim: width ``v`` of a head's values; None for ``key_dim``.
        logits: which; see `simplicial_logits`.
        scale: factor on the logits; None for 1 with the unsigned triple product, as in the paper,
            and ``key_dim ** -0.5`` with the others, as in theirs.
        block: how many queries to compute at a time; None for all. A block's logits are
            not kept for the gradient but computed again: ``block m m`` numbers are held, not
            ``n m m``.
        device, dtype: of the parameters.

    Returns:
        ``forward(query)``, over all pairs of the entities themselves, or ``forward(query, key)``,
        over pairs of other (virtual) entities: ``(b, n, d), (b, m, d) -> (b, n, h * v)``. With
        ``need_weights`` also the attention, ``(b, h, n, m, m)``. ``key_padding_mask`` is boolean
        ``(b, m)``, True for an entity that is in no pair. ``norm``: see `JointProjection`.
        Projections, logits and softmax are computed in float32 at least, under autocast too.

    Raises:
        ValueError: for sizes below one, a ``key_dim`` that the logits cannot have, unknown logits,
            or inputs of another width or dtype.

    Source: Logic and the 2-Simplicial Transformer, eq. 6, 10, and 13 for ``key``.

    Example:
        >>> attention = TwoSimplicialAttention(64, heads=1, key_dim=48)
        >>> sum(p.numel() for p in attention.parameters())
        122880
        >>> entities, virtual = torch.zeros(5, 40, 64), torch.zeros(5, 2, 64)
        >>> output, weights = attention(entities, virtual, need_weights=True)
        >>> tuple(output.shape), tuple(weights.shape), weights[0, 0, 0, 0, 0].item()
        ((5, 40, 48), (5, 1, 40, 2, 2), 0.25)
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        logits: Logits = "unsigned",
        scale: float | None = None,
        block: int | None = None,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        check_sizes(dim=dim, heads=heads, key_dim=key_dim, value_dim=value_dim)
        check_word("logits", logits, LOGITS)
        check_logit_width("key_dim", key_dim, logits)
        if block is not None:
            check_sizes(block=block)
        self.dim, self.heads, self.key_dim, self.value_dim = dim, heads, key_dim, value_dim
        self.logits, self.block = logits, block
        self.scale = scale
        if scale is None:
            self.scale = 1.0 if logits == "unsigned" else key_dim**-0.5
        where = {"device": device, "dtype": dtype}
        self.project = JointProjection(dim, heads, (key_dim, key_dim, key_dim, value_dim), **where)
        self.values = PairValues(heads, value_dim, **where)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        *,
        key_padding_mask: Tensor | None = None,
        norm: nn.Module | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if key is None:
            parts = self.vectors(finite_padding(query, key_padding_mask), norm=norm)
        else:
            parts = self.vectors(query, last=1, norm=norm)
            parts += self.vectors(finite_padding(key, key_padding_mask), first=1, norm=norm)
        return self.attend(*parts, key_padding_mask, need_weights)

    def vectors(
        self,
        x: Tensor,
        *,
        first: int = 0,
        last: int | None = None,
        norm: nn.Module | None = None,
    ) -> list[Tensor]:
        """p, l1, l2 and u of each entity, or those from ``first`` to before ``last`` alone; each
        ``(b, h, n, k)`` or, u, ``(b, h, n, v)``. Under autocast too in the weights' precision."""
        check_features("x", x, self.dim, self.project.weight)
        with without_autocast(x):
            x = x.to(self.project.weight.dtype)
            return self.project(x, first=first, last=last, norm=norm)

    def attend(
        self,
        queries: Tensor,
        left: Tensor,
        right: Tensor,
        values: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As ``forward``, of projected queries ``(b, h, n, k)``, keys ``(b, h, m, k)`` and values
        ``(b, h, m, v)``."""
        check_batches(query=queries.shape[:-3], key=left.shape[:-3])
        ignore = None
        if key_padding_mask is not None:
            check_mask("key_padding_mask", key_padding_mask, (*left.shape[:-3], left.shape[-2]))
            padded = key_padding_mask[..., None, None, :]  # (b, 1, 1, m)
            ignore = (padded.unsqueeze(-1) | padded.unsqueeze(-2)).flatten(-2)  # (b, 1, 1, m * m)
        pairs = self.values(values, values).flatten(-3, -2)  # (b, h, m * m, v)
        if ignore is not None:  # lest zero times NaN be NaN
            pairs = torch.where(ignore.transpose(-2, -1), 0.0, pairs)

        scale = None if self.scale == 1 else self.scale  # torch.compile reads it before any block
        others = (left, right, pairs, ignore, scale)
        if self.block is None:
            mixed, weights = self._mix(queries, *others)
        else:
            blocks = queries.split(self.block, dim=-2)
            found = [self._of_block(q, others, need_weights) for q in blocks]
            mixed = torch.cat([one for one, _ in found], dim=-2)
            weights = torch.cat([one for _, one in found], dim=-2) if need_weights else None
        output = concatenated(mixed)  # (b, n, h * v)
        if not need_weights:
            return output
        return output, weights.unflatten(-1, (left.shape[-2], right.shape[-2]))

    def _mix(
        self,
        queries: Tensor,
        left: Tensor,
        right: Tensor,
        pairs: Tensor,
        ignore: Tensor | None,
        scale: float | None,
    ) -> tuple[Tensor, Tensor]:
        weights = self._weights(queries, left, right, ignore, scale)
        # v'_i = sum_jk softmax_jk(<p_i, l1_j, l2_k>) B(u_j (x) u_k)   (eq. 10)
        return weights.to(pairs.dtype) @ pairs, weights

    def _of_block(
        self, queries: Tensor, others: tuple[Tensor | float | None, ...], need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Computed again for the gradient, except under `torch.func`, which cannot: there all
        logits are held."""
        apart = torch.is_grad_enabled() and not need_weights
        if not apart or torch._C._are_functorch_transforms_active():
            return self._mix(queries, *others)
        return checkpoint(self._mix, queries, *others, use_reentrant=False)[0], None

    def _weights(
        self,
        queries: Tensor,
        left: Tensor,
        right: Tensor,
        ignore: Tensor | None,
        scale: float | None,
    ) -> Tensor:
        """The softmax over all pairs together, ``(b, h, n, m * m)``, in float32 at least."""
        with without_autocast(queries):
            precise = torch.promote_types(queries.dtype, torch.float32)
            vectors = (part.to(precise) for part in (queries, left, right))
            logits = simplicial_logits(*vectors, self.logits)  # (b, h, n, m, m)
            scores = logits.flatten(-2) if scale is None else scale * logits.flatten(-2)
            return activate(scores, "softmax", ignore=ignore)

    def extra_repr(self) -> str:
        names = ("dim", "heads", "key_dim", "value_dim", "logits", "scale", "block")
        return shown(self, *names)


def without_autocast(x: Tensor) -> AbstractContextManager:
    """A context without autocast on the device of ``x``; nothing where it is off.

    Example:
        >>> x = torch.zeros(1, 1)
        >>> with torch.autocast("cpu", torch.bfloat16), without_autocast(x):
        ...     (x @ x).dtype
        torch.float32
    """
    kind = x.device.type
    on = kind != "meta" and torch.is_autocast_enabled(kind)
    return torch.autocast(kind, enabled=False) if on else nullcontext()

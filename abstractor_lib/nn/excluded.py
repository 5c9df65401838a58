"""What a mask excludes reaches nothing, NaN and infinity neither.

A weight of zero is not enough for that, nor a gradient of zero: zero times NaN is NaN.

Shapes: ``b`` batch, ``h`` heads, ``n`` queries, ``m`` keys or objects, ``d`` features of an object,
``k`` of a key or value.
"""

import torch
from torch import Tensor

from .arguments import check_attn_mask, check_mask


def excluded(
    scores: tuple[int, ...], key_padding_mask: Tensor | None, attn_mask: Tensor | None
) -> Tensor | None:
    """Which keys masks exclude for which queries, or None.

    Args:
        scores: shape of what is compared, ``(b, h, n, m)``.
        key_padding_mask: boolean ``(b, m)``, True for a key to ignore.
        attn_mask: boolean ``(n, m)`` or ``(b, h, n, m)`` (of which b and h may be 1).

    Returns:
        Boolean, broadcast to the scores, or None.

    Raises:
        ValueError: for a mask of another dtype or shape.

    Example:
        >>> excluded((1, 1, 1, 2), torch.tensor([[False, True]]), None).tolist()
        [[[[False, True]]]]
    """
    ignore = attn_mask
    if attn_mask is not None:
        check_attn_mask(attn_mask, scores)
    if key_padding_mask is not None:
        check_mask("key_padding_mask", key_padding_mask, (*scores[:-3], scores[-1]))
        padding = key_padding_mask[..., None, None, :]  # (b, 1, 1, m)
        ignore = padding if ignore is None else padding | ignore
    return ignore


def _fits(x: Tensor, mask: Tensor | None, features: int = 1) -> bool:
    """Whether a mask ``(b, m)`` is of objects ``(b, m, d)`` that can be NaN. If it is none at all,
    the module that uses it says so; objects without batch dimension are the same for all."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or not x.is_floating_point():
        return False
    return x.shape[: x.dim() - features] == mask.shape


def finite_padding(x: Tensor, key_padding_mask: Tensor | None, features: int = 1) -> Tensor:
    """Objects with zeros for what is not finite in padded ones; what is finite stays.

    A weight's gradient is a sum over objects, in which a padded NaN would still be, times zero.

    Args:
        x: ``(b, m, d)``; what the mask does not fit stays as it is.
        key_padding_mask: boolean ``(b, m)``, True for a padded object; None for none.
        features: dimensions of one object, if not 1.

    Returns:
        The same shape.

    Example:
        >>> x = torch.tensor([[[torch.nan], [torch.inf]]])
        >>> finite_padding(x, torch.tensor([[False, True]])).tolist()
        [[[nan], [0.0]]]
    """
    if not _fits(x, key_padding_mask, features):
        return x
    padding = key_padding_mask[(..., *[None] * features)]
    return torch.where(padding & (x - x != 0), 0.0, x)  # NaN - NaN and inf - inf are NaN


def finite_source(x: Tensor, key_padding_mask: Tensor | None) -> Tensor:
    """`finite_padding` of objects of any dimensions, ``(b, m, ...)``.

    Example:
        >>> pictures, none = torch.full((2, 3, 8, 8), torch.nan), torch.ones(2, 3).bool()
        >>> finite_source(pictures, none).isfinite().all().item()
        True
    """
    if not isinstance(key_padding_mask, Tensor):
        return x
    return finite_padding(x, key_padding_mask, max(0, x.dim() - key_padding_mask.dim()))


def without_padding(x: Tensor, key_padding_mask: Tensor | None) -> Tensor:
    """Keys or values ``(b, h, m, k)``, zero where ``key_padding_mask`` ``(b, m)`` is True.

    Those without batch dimension are the same for all examples, and stay.

    Example:
        >>> x = torch.tensor([2.0, torch.nan]).view(1, 1, 2, 1)
        >>> without_padding(x, torch.tensor([[False, True]])).flatten().tolist()
        [2.0, 0.0]
    """
    if key_padding_mask is None or x.dim() < key_padding_mask.dim() + 2:
        return x
    # torch.where takes less than half the time of masked_fill on a CPU.
    return torch.where(key_padding_mask[..., None, :, None], 0.0, x)


def inputs_without_padding(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """What is not projected yet, ``(b, m, d)``: padded keys and values are zeros. Padded queries,
    known where they are the keys, are `finite_padding`.

    Example:
        >>> x = torch.tensor([[[torch.nan], [2.0]]])
        >>> found = inputs_without_padding(x, x, x + 1, torch.tensor([[True, True]]))
        >>> [one.flatten().tolist() for one in found]
        [[0.0, 2.0], [0.0, 0.0], [0.0, 0.0]]
    """

    def zeroed(x: Tensor) -> Tensor:
        if not _fits(x, key_padding_mask):
            return x
        return torch.where(key_padding_mask.unsqueeze(-1), 0.0, x)

    queries = finite_padding(query, key_padding_mask) if query is key else query
    return queries, zeroed(key), zeroed(value)


def without_unread(ignore: Tensor, *parts: Tensor) -> tuple[Tensor, ...]:
    """Keys and values with zeros for those that are not finite, and who reads them.

    Args:
        ignore: boolean, broadcast to ``(b, h, n, m)``, True where a query does not read a key.
        parts: keys or values, ``(b, h, m, k)``, where h may be 1.

    Returns:
        First what is to be added to the result of each query, ``(b, h, n, 1)``: NaN for one that
        reads something that is not finite, else 0. Then the parts.

    Example:
        >>> values, second = torch.tensor([[[1.0], [torch.nan]]]), torch.tensor([[False, True]])
        >>> [one.flatten().tolist() for one in without_unread(second, values)]
        [[0.0], [1.0, 0.0]]
        >>> [one.flatten().tolist() for one in without_unread(~second, values)]
        [[nan], [1.0, 0.0]]
    """
    bad = [_not_finite(part) for part in parts]
    found = (torch.where(which, 0.0, part) for which, part in zip(bad, parts, strict=True))
    return _reading(ignore, bad), *found


def inputs_without_unread(
    attn_mask: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """`without_unread` of what is not projected to heads yet, ``(b, m, d)``; what is to be added
    has shape ``(b, n, 1)``, with NaN for a query that reads NaN in any head.

    Example:
        >>> x, later = torch.tensor([[[1.0], [torch.nan]]]), torch.ones(2, 2).bool().triu(1)
        >>> inputs_without_unread(later, x, x)[0].flatten().tolist()
        [0.0, nan]
    """
    bad = [_not_finite(key)]
    bad.append(bad[0] if value is key else _not_finite(value))
    wrong = _reading(attn_mask, [which.unsqueeze(-3) for which in bad]).sum(dim=-3)
    return wrong, torch.where(bad[0], 0.0, key), torch.where(bad[1], 0.0, value)


def _not_finite(part: Tensor) -> Tensor:
    """Which of ``(..., m, k)`` hold NaN or infinity, ``(..., m, 1)``."""
    part = part.detach()
    return (part - part).sum(dim=-1, keepdim=True) != 0


def _reading(ignore: Tensor, bad: list[Tensor]) -> Tensor:
    """NaN for queries that read any of some keys, else 0: ``(b, h, m, 1)`` to ``(b, h, n, 1)``."""
    read = (~ignore).float() @ sum(which.float() for which in bad)
    return torch.zeros_like(read).masked_fill(read > 0, torch.nan)


def marked(output: Tensor, wrong: Tensor | None) -> Tensor:
    """A result with NaN for queries that read NaN, as `without_unread` tells; None for none.

    Example:
        >>> marked(torch.ones(2, 1), torch.tensor([[0.0], [torch.nan]])).flatten().tolist()
        [1.0, nan]
    """
    return output if wrong is None else output + wrong.to(output.dtype)

"""What entities read: attention to pairs of objects, and how it compares.

An entity of the second block attends to pairs of virtual entities. What these hold is what they
read in the first block. So attention to a pair of *objects* is the sum, over pairs of virtual
entities, of the attention to the pair times what one read of the one object and the other of the
other.

Shapes: ``b`` states, ``h`` heads, ``t`` tokens, ``m`` virtual entities.
"""

from collections.abc import Sequence

import pandas as pd
import torch
from torch import Tensor

from ...nn.simplicial_block import SimplicialWeights
from .forks import KINDS, Forks


def to_objects(weights: Sequence[SimplicialWeights]) -> Tensor:
    """Attention of each token to unordered pairs of tokens, ``(b, t, t, t)``, symmetric: entry
    ``[i, j]`` and ``[j, i]`` both hold that to the pair. What virtual entities read of each other
    belongs to no object and is left out.

    Args:
        weights: of the two blocks; means of heads are taken.
    """
    first, second = weights
    if first.virtual is None or second.pairs is None:
        raise ValueError("weights have no pairs; expected those of 2-simplicial attention")
    count = second.pairs.shape[-3]
    read = first.virtual.mean(dim=1)[..., :count]  # (b, m, t)
    ordered = torch.einsum("bijk,bjx,bky->bixy", second.pairs.mean(dim=1), read, read)
    return ordered + ordered.transpose(-1, -2)


def of_uniform(weights: Sequence[SimplicialWeights]) -> float:
    """The attention to a pair of objects where everything that can be read is read alike."""
    virtual = weights[0].virtual
    if virtual is None:
        raise ValueError("weights have no virtual entities; expected those of 2-simplicial heads")
    return 2 / virtual.shape[-1] ** 2


def that_matter(weights: Sequence[SimplicialWeights], forks: Forks) -> Tensor:
    """Attention of the right box and of the bridge, their mean, to the three pairs of held key,
    right box and bridge, as a multiple of what uniform attention gives these, ``(b,)``."""
    seen = of_deciding(weights, forks)
    pairs = ((forks.held, forks.right), (forks.held, forks.bridge), (forks.right, forks.bridge))
    every = torch.arange(len(seen))
    total = torch.stack([seen[every, one, other] for one, other in pairs]).sum(dim=0)
    return total / (3 * of_uniform(weights))


def of_any_boxes(weights: Sequence[SimplicialWeights], forks: Forks) -> Tensor:
    """The same where any two closed boxes are in the place of the right box and the bridge: the
    mean over all choices of two, ``(b,)``. It tells apart whether it is these two that are read, or
    boxes."""
    seen = of_deciding(weights, forks)
    boxes = forks.boxes.to(seen.dtype)
    every, count = torch.arange(len(seen)), boxes.sum(dim=1)
    with_key = (seen[every, forks.held] * boxes).sum(dim=1) / count
    among = torch.einsum("bx,bxy,by->b", boxes, seen, boxes)
    among = among - torch.einsum("bx,bxx->b", boxes, seen)
    return (2 * with_key + among / (count * (count - 1))) / (3 * of_uniform(weights))


def of_deciding(weights: Sequence[SimplicialWeights], forks: Forks) -> Tensor:
    """Attention to pairs of objects of the two entities whose scores decide, the right box and the
    bridge: their mean, ``(b, t, t)``."""
    seen, every = to_objects(weights), torch.arange(len(forks.tokens))
    return (seen[every, forks.right] + seen[every, forks.bridge]) / 2


def unlike(weights: Sequence[SimplicialWeights], forks: Forks) -> tuple[Tensor, Tensor, Tensor]:
    """How far the attention of an entity to pairs, in the second block, is from the mean over all
    objects of its state, in total variation: the mean of the Gem's two locks and the held key, that
    of the other objects, and that of all, ``(b,)`` each."""
    pairs = weights[1].pairs
    if pairs is None:
        raise ValueError("weights have no pairs; expected those of 2-simplicial attention")
    attention, objects = pairs.mean(dim=1).flatten(2), forks.objects  # (b, t, m * m)
    share = objects.to(attention.dtype) / objects.sum(dim=1, keepdim=True)
    usual = torch.einsum("bt,btp->bp", share, attention)
    far = (attention - usual[:, None]).abs().sum(dim=2) / 2
    named = torch.zeros_like(objects)
    for which in (forks.upper, forks.lower, forks.held):
        named[torch.arange(len(named)), which] = True
    parts = named, objects & ~named, objects
    first, rest, every = ((far * some).sum(dim=1) / some.sum(dim=1) for some in parts)
    return first, rest, every


def largest(weights: Sequence[SimplicialWeights], forks: Forks) -> Tensor:
    """The weight of the pair of virtual entities that an object of the second block attends to
    most, the mean over objects, ``(b,)``."""
    pairs = weights[1].pairs
    if pairs is None:
        raise ValueError("weights have no pairs; expected those of 2-simplicial attention")
    most = pairs.mean(dim=1).flatten(2).amax(dim=2)  # (b, t)
    return (most * forks.objects).sum(dim=1) / forks.objects.sum(dim=1)


def by_kind(weights: Sequence[SimplicialWeights], forks: Forks) -> pd.DataFrame:
    """What is read of each kind of token, over all states: a row for each block, reader and kind.

    Returns:
        Columns ``block`` (1, 2), ``reader``, ``read`` (a kind), and ``times_uniform``: the mean
        attention to one token of that kind, as a multiple of what uniform attention gives it.
        Readers are kinds of tokens (1-simplicial attention, mean of heads), and ``virtual 1, head
        1`` and so on.
    """
    kinds = _one_hot(weights, forks)  # (b, t, c)
    count = kinds.sum(dim=(0, 1))
    rows = []
    for number, block in enumerate(weights, start=1):
        seen = block.standard.mean(dim=1)  # (b, t, t)
        total = torch.einsum("bta,btu,buc->ac", kinds, seen, kinds)
        pairs = torch.einsum("bta,buc->ac", kinds, kinds)
        readers = dict(zip(KINDS, total / pairs * seen.shape[-1], strict=True))
        if block.virtual is not None:
            virtual, tokens = block.virtual, seen.shape[-1]
            share = torch.einsum("bhmt,btc->mhc", virtual[..., :tokens], kinds) / count
            share = share * virtual.shape[-1]
            readers |= {
                f"virtual {m + 1}, head {h + 1}": share[m, h]
                for m in range(share.shape[0])
                for h in range(share.shape[1])
            }
        for reader, values in readers.items():
            row = {"block": number, "reader": reader}
            named = zip(KINDS, values.tolist(), strict=True)
            rows += [{**row, "read": kind, "times_uniform": round(one, 2)} for kind, one in named]
    return pd.DataFrame(rows)


def pairs_by_kind(weights: Sequence[SimplicialWeights], forks: Forks) -> pd.DataFrame:
    """The mean attention of each kind of token to pairs of virtual entities: columns ``block``,
    ``reader``, ``pair``, such as ``1, 2``, and ``weight``."""
    kinds = _one_hot(weights, forks)
    rows = []
    for number, block in enumerate(weights, start=1):
        if block.pairs is None:
            continue
        seen = block.pairs.mean(dim=1)  # (b, t, m, m)
        mean = torch.einsum("btjk,btc->cjk", seen, kinds) / kinds.sum(dim=(0, 1))[:, None, None]
        for kind, matrix in zip(KINDS, mean, strict=True):
            rows += [
                {"block": number, "reader": kind, "pair": f"{j + 1}, {k + 1}"}
                | {"weight": round(matrix[j, k].item(), 2)}
                for j in range(matrix.shape[0])
                for k in range(matrix.shape[1])
            ]
    return pd.DataFrame(rows)


def _one_hot(weights: Sequence[SimplicialWeights], forks: Forks) -> Tensor:
    """Kinds of tokens, ``(b, t, c)``, as precise as the weights."""
    kinds = torch.nn.functional.one_hot(forks.kinds, len(KINDS))
    return kinds.to(weights[0].standard.dtype)

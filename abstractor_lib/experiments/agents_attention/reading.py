"""What entities read: attention to pairs of objects, and how it compares.

An entity of the second block attends to pairs of virtual entities. What these hold is what they
read in the first block. So attention to a pair of *objects* is the sum, over pairs of virtual
entities, of the attention to the pair times what one read of the one object and the other of the
other.

Shapes: ``b`` states, ``h`` heads, ``t`` tokens, ``m`` virtual entities.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...nn.simplicial_block import SimplicialWeights
from .forks import Forks


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
    seen, boxes = of_deciding(weights, forks), forks.boxes.to(torch.float32)
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


def unlike(weights: Sequence[SimplicialWeights], forks: Forks) -> tuple[Tensor, Tensor]:
    """How far the attention of an entity to pairs, in the second block, is from the mean over all
    objects of its state, in total variation: the mean of the Gem's two locks and the held key, and
    that of the other objects, ``(b,)`` each."""
    pairs = weights[1].pairs
    if pairs is None:
        raise ValueError("weights have no pairs; expected those of 2-simplicial attention")
    attention, objects = pairs.mean(dim=1).flatten(2), forks.objects  # (b, t, m * m)
    share = objects / objects.sum(dim=1, keepdim=True)
    usual = torch.einsum("bt,btp->bp", share, attention)
    far = (attention - usual[:, None]).abs().sum(dim=2) / 2
    named = torch.zeros_like(objects)
    for which in (forks.upper, forks.lower, forks.held):
        named[torch.arange(len(named)), which] = True
    others = objects & ~named
    return tuple((far * some).sum(dim=1) / some.sum(dim=1) for some in (named, others))

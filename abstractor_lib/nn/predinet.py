"""PrediNet (Shanahan et al. 2020), a relational baseline of the Abstractor papers.

Shapes: ``b`` batch, ``m`` objects, ``d`` features, ``h`` heads, ``k`` key width, ``r`` relations.
"""

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_features, check_sizes, shown
from .linear import HeadLinear


class PrediNet(nn.Module):
    """Each head attends to two objects and compares their projections.

    ``E_1 = softmax(q_1 K^T) X``, ``E_2 = softmax(q_2 K^T) X``, ``D = W_s E_1 - W_s E_2``, with
    queries from the flattened input and keys, without heads of their own, from each object.

    Args:
        objects: number of objects ``m``, which the queries depend on.
        dim: features ``d`` of an object.
        heads, key_dim, relations: ``h``, ``k`` and ``r``.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, h * r)``.

    Raises:
        ValueError: for another number of objects, width or dtype.

    Source: Shanahan et al. 2020 without biases and position feature, as in v3's later baselines.

    Example:
        >>> network = PrediNet(objects=2, dim=32)
        >>> sum(p.numel() for p in network.parameters())
        2688
    """

    def __init__(
        self,
        objects: int,
        dim: int,
        *,
        heads: int = 4,
        key_dim: int = 4,
        relations: int = 16,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(objects=objects, dim=dim, heads=heads, key_dim=key_dim, relations=relations)
        self.objects, self.dim = objects, dim
        options = {"bias": False, "device": device, "dtype": dtype}
        self.key = nn.Linear(dim, key_dim, **options)
        self.query_1 = HeadLinear(objects * dim, heads, key_dim, **options)
        self.query_2 = HeadLinear(objects * dim, heads, key_dim, **options)
        for query in (self.query_1, self.query_2):  # one dense layer onto all heads
            query.fans = (objects * dim, heads * key_dim)
        self.compare = nn.Linear(dim, relations, **options)

    def forward(self, objects: Tensor) -> Tensor:
        check_features("objects", objects, self.dim, self.key.weight)
        if objects.shape[-2] != self.objects:
            raise ValueError(f"objects holds {objects.shape[-2]}; expected {self.objects}")
        keys = self.key(objects).unsqueeze(-3)  # (b, 1, m, k)
        flat = objects.flatten(-2).unsqueeze(-2)  # (b, 1, m * d)

        def attend(query: HeadLinear) -> Tensor:
            scores = query(flat) @ keys.transpose(-2, -1)  # (b, h, 1, m)
            return (torch.softmax(scores, dim=-1) @ objects.unsqueeze(-3)).squeeze(-2)  # (b, h, d)

        first, second = attend(self.query_1), attend(self.query_2)
        return (self.compare(first) - self.compare(second)).flatten(-2)  # (b, h * r)

    def extra_repr(self) -> str:
        return shown(self, "objects", "dim")

"""An external memory read by relations: kernel regression as relational cross-attention.

Shapes: ``b`` queries, ``n`` keys in memory, ``d`` features, ``p`` features of a relation, ``o``
values of a label.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_batches,
    check_dtype,
    check_features,
    check_sizes,
    check_word,
    shown,
)
from .message_passing import symbolic_message_passing
from .relations import activate, inner_product_relations


class RelationalMemory(nn.Module):
    """Labels y_j, bound to keys x_j, mixed by the relations of a query to the keys.

    ``inner``: R_j = softmax_j <W_Q x, W_K x_j>, the relation that v1 section 5 names.
    ``metric``: R_j = softmax_j -|W x - W x_j|^2 / 2, the Gaussian kernel of a learned metric.
    ``gaussian``: the same with W = 1 / bandwidth: Nadaraya-Watson regression.

    The last two are inner products as well: the square of the query cancels in the softmax, and
    that of the key is one more feature of it, <W x, W x_j> - |W x_j|^2 / 2.

    Keys may lie far from the origin: features are those of x_j - c, and of x - c but for ``inner``,
    where c is the mean of the keys. What is added to all scores of a query cancels in the softmax.

    Args:
        dim: features ``d``.
        key_dim: features ``p`` of a learned relation, None for ``dim``; of ``gaussian``, which has
            none to choose, only these two.
        relation: which.
        device, dtype: of the parameters.

    Returns:
        ``forward(x, keys, labels)``: ``(b, d), (n, d), (n, o) -> (b, o)``, what is retrieved. With
        ``leave_out`` x are the keys themselves and none retrieves its own label. Batch dimensions
        may stand before these; what has none is the same for all.

    Raises:
        ValueError: for another relation, inputs of another width or dtype than the weights, or
            numbers of keys, labels, queries or batches that do not fit.

    Source: v1 section 5.

    Example:
        >>> memory = RelationalMemory(2, relation="gaussian")
        >>> keys = torch.tensor([[0.0, 0.0], [9.0, 9.0]])
        >>> memory(torch.tensor([[0.1, 0.0]]), keys, torch.tensor([[5.0], [7.0]])).tolist()
        [[5.0]]
    """

    def __init__(
        self,
        dim: int,
        key_dim: int | None = None,
        relation: Literal["inner", "metric", "gaussian"] = "inner",
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        key_dim = dim if key_dim is None else key_dim
        check_sizes(dim=dim, key_dim=key_dim)
        check_word("relation", relation, ("inner", "metric", "gaussian"))
        if relation == "gaussian" and key_dim != dim:
            raise ValueError(
                f"key_dim is {key_dim}; the relation 'gaussian' has no features to choose: "
                f"allowed are None and dim, {dim}"
            )
        self.dim, self.relation = dim, relation
        where = {"device": device, "dtype": dtype}
        if relation == "gaussian":
            self.log_bandwidth = nn.Parameter(torch.zeros((), **where))
        else:
            self.query = nn.Linear(dim, key_dim, bias=False, **where)
            self.key = None
            if relation == "inner":
                self.key = nn.Linear(dim, key_dim, bias=False, **where)

    def reset_parameters(self) -> None:
        if self.relation == "gaussian":
            nn.init.zeros_(self.log_bandwidth)

    def features(self, x: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """What inner products are taken of: ``(b, f)`` and ``(n, f)``, with f = p for ``inner``,
        p + 1 for ``metric`` and d + 1 for ``gaussian``, whose last feature is the key's square.
        The mean of the keys is taken off first: far off centre, |W x_j|^2 would hold no digit of
        the distances."""
        centre = keys.mean(dim=-2, keepdim=True)
        if self.relation == "inner":  # <W_Q x, W_K c> is the same for all keys
            return self.query(x), self.key(keys - centre)
        x, keys = x - centre, keys - centre  # |W x - W x_j| stays
        if self.relation == "metric":
            left, right = self.query(x), self.query(keys)
        else:
            left, right = x * (-self.log_bandwidth).exp(), keys * (-self.log_bandwidth).exp()
        square = right.square().sum(dim=-1, keepdim=True)
        ones = torch.ones_like(left[..., :1])
        return torch.cat([left, ones], dim=-1), torch.cat([right, -square / 2], dim=-1)

    def forward(self, x: Tensor, keys: Tensor, labels: Tensor, leave_out: bool = False) -> Tensor:
        weight = self.log_bandwidth if self.relation == "gaussian" else self.query.weight
        check_features("x", x, self.dim, weight)
        check_features("keys", keys, self.dim, weight)
        count = keys.shape[-2]
        check_dtype("labels", labels, weight)
        if labels.dim() < 2 or labels.shape[-2] != count:
            raise ValueError(
                f"labels has shape {tuple(labels.shape)}; expected (..., {count}, values), a row "
                "for each of the keys"
            )
        check_batches(x=x.shape[:-2], keys=keys.shape[:-2], labels=labels.shape[:-2])
        if not count:
            raise ValueError("keys holds no rows; expected at least one")
        if leave_out and (x.shape != keys.shape or count < 2):
            raise ValueError(
                f"x has shape {tuple(x.shape)}; with leave_out expected the keys themselves, "
                f"{tuple(keys.shape)}, at least two"
            )
        left, right = (part.unsqueeze(-3) for part in self.features(x, keys))
        scores = inner_product_relations(left, right)  # (1, b, n)
        own = torch.eye(count, dtype=torch.bool, device=keys.device) if leave_out else None
        relations = activate(scores, "softmax", ignore=own)
        # A_i = sum_j R_ij y_j: labels in the place of symbols (v1 section 5)
        labels = labels.unsqueeze(-3) if labels.dim() > 2 else labels
        return symbolic_message_passing(relations, labels).squeeze(-3)  # (b, o)

    def extra_repr(self) -> str:
        return shown(self, "dim", "relation")

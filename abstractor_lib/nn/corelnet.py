"""CoRelNet (Kerg et al. 2022): nothing but the matrix of relations, flattened.

Shapes: ``b`` batch, ``m`` objects, ``d`` features, ``r`` relation dimensions.
"""

from torch import Tensor, nn

from .arguments import shown
from .excluded import finite_padding
from .relations import (
    Activation,
    Side,
    activate,
    check_activation,
    ignored,
    inner_product_relations,
)


class CoRelNet(nn.Module):
    """The relation tensor of the objects as a feature vector.

    Args:
        relation: objects to relations, ``(b, m, d) -> (b, r, m, m)``. With one relation dimension
            and softmax this is CoRelNet; ``symmetric=False`` gives v3's asymmetric variant, more
            dimensions a multi-head one.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, r * m * m)``.

    Source: v1 section 4.1, v3 B.1.1: R = softmax(A), A_ij = <W_1 x_i, W_2 x_j>. Neither text says
    which index the softmax normalises over. ``over="right"`` (each row of R sums to one), the
    default of the relations here, is our reading; the public code normalises over the left.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import MultiHeadRelation
        >>> network = CoRelNet(MultiHeadRelation(64, relations=1, key_dim=64, symmetric=True))
        >>> network(torch.randn(5, 2, 64)).shape
        torch.Size([5, 4])
    """

    def __init__(self, relation: nn.Module):
        super().__init__()
        self.relation = relation

    def forward(self, objects: Tensor) -> Tensor:
        return self.relation(objects).flatten(-3)  # (b, r * m * m)


class PlainRelation(nn.Module):
    """R = sigma_rel(X X^T), the relation of v1's CoRelNet: no projection, nothing to learn.

    Args:
        activation, over: see `activate`; the text names no side, see `CoRelNet`.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, 1, m, m)``; masks as in `ignored`.

    Raises:
        ValueError: for an unknown activation or side.

    Example:
        >>> import torch
        >>> PlainRelation("linear")(torch.eye(2))[0].tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, activation: Activation = "softmax", over: Side = "right"):
        super().__init__()
        check_activation(activation, over)
        self.activation, self.over = activation, over

    def forward(
        self,
        objects: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        heads = finite_padding(objects, key_padding_mask).unsqueeze(-3)  # (b, 1, m, d)
        scores = inner_product_relations(heads, heads)
        ignore = ignored(scores, key_padding_mask, attn_mask)
        return activate(scores, self.activation, self.over, ignore)  # (b, 1, m, m)

    def extra_repr(self) -> str:
        return shown(self, "activation", "over")

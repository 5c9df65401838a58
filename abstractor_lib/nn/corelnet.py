"""CoRelNet (Kerg et al. 2022): nothing but the matrix of relations, flattened.

Shapes: ``b`` batch, ``m`` objects, ``d`` features, ``r`` relation dimensions.
"""

from torch import Tensor, nn

from .relations import Activation, Side, activate, inner_product_relations


class CoRelNet(nn.Module):
    """The relation tensor of the objects as a feature vector.

    Args:
        relation: objects to relations, ``(b, m, d) -> (b, r, m, m)``. With one relation dimension
            and softmax this is CoRelNet; ``symmetric=False`` gives v3's asymmetric variant, more
            dimensions a multi-head one.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, r * m * m)``.

    Source: v1 section 4.1, v3 B.1.1: R = softmax(A), A_ij = <W_1 x_i, W_2 x_j>.

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

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, 1, m, m)``.

    Example:
        >>> import torch
        >>> PlainRelation("linear")(torch.eye(2))[0].tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, activation: Activation = "softmax", over: Side = "right"):
        super().__init__()
        self.activation, self.over = activation, over

    def forward(self, objects: Tensor) -> Tensor:
        heads = objects.unsqueeze(-3)  # (b, 1, m, d)
        return activate(inner_product_relations(heads, heads), self.activation, self.over)

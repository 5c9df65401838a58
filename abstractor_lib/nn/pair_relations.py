"""Relations by a network of the two objects' features together, as in relation networks.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``h`` hidden units, ``r`` relation
dimensions.
"""

from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import Device, DType, check_features, check_sizes, shown
from .excluded import finite_padding
from .relations import Activation, Side, activate, check_activation, ignored


class PairwiseMLPRelation(nn.Module):
    """Relations by a multilayer perceptron of the concatenated features of two objects.

    r(x, y) = W_o relu(W [x, y] + b) + b_o, with one hidden layer that all relation dimensions
    share. Nothing makes it compare its arguments: it can be a function of x alone, or of y alone.
    The draft 003 says so in favour of inner products. So leaving out the diagonal makes the
    bottleneck no stricter.

    W [x, y] = W_1 x + W_2 y is computed once an object, not once a pair.

    Args:
        dim: features ``d`` of an object.
        relations: relation dimensions ``r``.
        hidden: hidden units ``h``.
        activation, over: see `activate`; of the network's result.
        diagonal: keep the relations of objects to themselves.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, r, m, m)``; masks as in `ignored`.

    Raises:
        ValueError: for sizes below one, an unknown activation, or objects of another width.

    Source: Santoro et al. 2017 (relation networks), as 003 section 2.1 describes it.

    Example:
        >>> import torch
        >>> relation = PairwiseMLPRelation(8, relations=4, hidden=16)
        >>> relation(torch.randn(2, 5, 8)).shape
        torch.Size([2, 4, 5, 5])
    """

    def __init__(
        self,
        dim: int,
        relations: int,
        hidden: int,
        *,
        activation: Activation = "softmax",
        over: Side = "right",
        diagonal: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, relations=relations, hidden=hidden)
        check_activation(activation, over)
        self.dim, self.relations, self.hidden = dim, relations, hidden
        self.activation, self.over, self.diagonal = activation, over, diagonal
        self.pair = nn.Linear(2 * dim, hidden, device=device, dtype=dtype)
        self.output = nn.Linear(hidden, relations, device=device, dtype=dtype)

    def forward(
        self,
        objects: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        check_features("objects", objects, self.dim, self.pair.weight)
        objects = finite_padding(objects, key_padding_mask)
        first, second = self.pair.weight.split(self.dim, dim=1)  # (h, d)
        left = F.linear(objects, first, self.pair.bias)  # (b, m, h)
        right = F.linear(objects, second)  # (b, m, h)
        # g_theta(concat(x_i, x_j))   (003 section 2.1)
        hidden = (left.unsqueeze(-2) + right.unsqueeze(-3)).relu()  # (b, m, m, h)
        scores = self.output(hidden).movedim(-1, -3)  # (b, r, m, m)
        ignore = ignored(scores, key_padding_mask, attn_mask, self.diagonal)
        return activate(scores, self.activation, self.over, ignore)  # (b, r, m, m)

    def extra_repr(self) -> str:
        return shown(self, "dim", "relations", "hidden", "activation", "over", "diagonal")

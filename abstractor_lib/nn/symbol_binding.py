"""Emergent Symbol Binding Network (Webb, Sinha, Cohen 2021), a relative of the Abstractor.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``k`` of a key, ``u`` hidden units.
"""

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_features, check_sizes, shown


class SymbolBindingNetwork(nn.Module):
    """A recurrent controller that sees keys, never objects; a memory binds the two.

    Object after object: the controller, an LSTM that reads what was retrieved for the object
    before, writes a key, which is bound to the object; the object is compared with those in memory,
    and their keys are mixed accordingly, for the controller to read next. A last step of the
    controller reads what was retrieved for the last object.

    Args:
        dim: features ``d`` of an object.
        key_dim: features ``k`` of a key.
        hidden: units ``u`` of the controller.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, u)``, the controller's last state.

    Raises:
        ValueError: for sizes below one, or objects of another width or dtype.

    Source: Webb, Sinha, Cohen 2021, Emergent Symbols through Binding in External Memory, the
    section on its architecture (ESBN). The equations are written from the paper's description: the
    key of an object cannot depend on what the object is like, only on the objects before it.

    Example:
        >>> network = SymbolBindingNetwork(8, key_dim=4, hidden=16)
        >>> network(torch.zeros(2, 9, 8)).shape
        torch.Size([2, 16])
    """

    def __init__(
        self,
        dim: int,
        *,
        key_dim: int,
        hidden: int,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, key_dim=key_dim, hidden=hidden)
        where = {"device": device, "dtype": dtype}
        self.dim, self.key_dim, self.hidden = dim, key_dim, hidden
        self.read = nn.Linear(key_dim + 1, 4 * hidden, **where)
        self.recur = nn.Linear(hidden, 4 * hidden, **where)
        self.write = nn.Linear(hidden, key_dim, **where)
        self.gate = nn.Linear(hidden, 1, **where)
        self.slope = nn.Parameter(torch.empty(1, **where))
        self.offset = nn.Parameter(torch.empty(1, **where))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Of slope and offset of the confidence: 1 and 0."""
        nn.init.ones_(self.slope)
        nn.init.zeros_(self.offset)

    def forward(self, objects: Tensor) -> Tensor:
        check_features("objects", objects, self.dim, self.slope)
        if objects.dim() != 3:
            raise ValueError(
                f"objects has shape {tuple(objects.shape)}; expected a batch, (b, m, {self.dim})"
            )
        similar = objects @ objects.transpose(-2, -1)  # (b, m, m), its entry ti is <z_t, z_i>
        count = objects.shape[0]
        state = cell = objects.new_zeros(count, self.hidden)
        retrieved = objects.new_zeros(count, self.key_dim + 1)  # of an empty memory
        keys: list[Tensor] = []
        for t in range(objects.shape[1]):
            state, cell = self.control(retrieved, state, cell)
            if keys:
                scores = similar[:, t, :t]  # (b, t)
                # w_i = softmax_i <z_t, z_i>,  c_i = sigmoid(gamma <z_t, z_i> + beta)
                weights = torch.softmax(scores, dim=-1)
                confidence = torch.sigmoid(self.slope * scores + self.offset)
                memory = torch.cat([torch.stack(keys, dim=1), confidence.unsqueeze(-1)], dim=-1)
                # k_r = g sum_i w_i (k_i, c_i)
                gate = torch.sigmoid(self.gate(state))  # (b, 1)
                retrieved = gate * (weights.unsqueeze(1) @ memory).squeeze(1)  # (b, k + 1)
            keys.append(torch.relu(self.write(state)))  # (b, k), bound to object t
        return self.control(retrieved, state, cell)[0]

    def control(self, retrieved: Tensor, state: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """A step of the LSTM, whose order of gates is torch's: ``(b, k + 1), (b, u), (b, u)`` to
        its next state and cell, ``(b, u)`` each."""
        raw = self.read(retrieved) + self.recur(state)  # (b, 4 * u)
        enter, forget, new, leave = raw.chunk(4, dim=-1)
        # c = sigmoid(f) c + sigmoid(i) tanh(g),  h = sigmoid(o) tanh(c)   (torch's nn.LSTMCell)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
        return torch.sigmoid(leave) * torch.tanh(cell), cell

    def extra_repr(self) -> str:
        return shown(self, "dim", "key_dim", "hidden")

"""A decoder that points at states of its context: outputs for any number of objects.

Shapes: ``b`` batch, ``m`` objects, ``n`` steps, ``d`` features.
"""

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_features, check_sizes
from .decoder import Decoder, LayerCache


class PointerDecoder(nn.Module):
    """Steps that each point at one state that was not pointed at before.

    What is read at a step is the state pointed at in the step before, at first a learned vector. So
    nothing belongs to a fixed position, and steps have none: the decoder takes any number of
    objects.

    Args:
        decoder: a `Decoder` of one context.
        dim: features ``d`` of the states and of the decoder.
        device, dtype: of the parameters made here.

    Returns:
        ``forward(states, chosen)``: states ``(b, m, d)`` and the objects chosen before each step
        but the first, ``(b, n - 1)``, to logits ``(b, n, m)``. That of an object that was chosen
        before is minus infinity.

    Raises:
        ValueError: for sizes below one, states of another width, or what is chosen and no object.

    Source: Vinyals et al. (2015), eq. 3, with inner products in place of their network, and without
    repetition, as in Bello et al. (2017).

    Example:
        >>> from abstractor_lib.nn import DecoderLayer
        >>> pointer = PointerDecoder(Decoder([DecoderLayer(8, 2)]), 8).eval()
        >>> logits = pointer(torch.randn(3, 5, 8), torch.zeros(3, 1, dtype=int))
        >>> logits.shape, logits[:, 1, 0].tolist()
        (torch.Size([3, 2, 5]), [-inf, -inf, -inf])
        >>> pointer.greedy(torch.randn(3, 5, 8)).sort(dim=1).values[0].tolist()
        [0, 1, 2, 3, 4]
    """

    def __init__(self, decoder: Decoder, dim: int, *, device: Device = None, dtype: DType = None):
        super().__init__()
        check_sizes(dim=dim)
        where = {"device": device, "dtype": dtype}
        self.dim, self.scale = dim, dim**-0.5
        self.decoder = decoder
        self.start = nn.Parameter(torch.empty(dim, **where))
        self.query = nn.Linear(dim, dim, bias=False, **where)
        self.key = nn.Linear(dim, dim, bias=False, **where)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.start)

    def forward(self, states: Tensor, chosen: Tensor) -> Tensor:
        check_features("states", states, self.dim, self.start)
        if chosen.dtype != torch.int64:
            raise ValueError(f"chosen has dtype {chosen.dtype}; expected torch.int64")
        if chosen.shape[:-1] != states.shape[:-2]:
            wanted = ", ".join(map(str, (*states.shape[:-2], "steps")))
            raise ValueError(f"chosen has shape {tuple(chosen.shape)}; expected ({wanted})")
        try:
            picked = _picked(states, chosen)
        except RuntimeError as error:  # of values: asked before, they would end vmap
            if "out of bounds" not in str(error):
                raise
            raise ValueError(
                f"chosen holds a number of no object; expected 0 to {states.shape[-2] - 1}"
            ) from None
        read = torch.cat([self._start(states), picked], dim=-2)  # (b, n, d)
        hot = nn.functional.one_hot(chosen, states.shape[-2])  # (b, n - 1, m)
        taken = nn.functional.pad(hot.cumsum(dim=-2), (0, 0, 1, 0)).bool()  # (b, n, m)
        return self._logits(read, states, taken)

    @torch.no_grad()
    def greedy(self, states: Tensor) -> Tensor:
        """Every object once, each time the likeliest that is left: ``(b, m, d) -> (b, m)``."""
        check_features("states", states, self.dim, self.start)
        cache, read = self.decoder.new_cache(), self._start(states)
        taken = torch.zeros(len(states), 1, states.shape[-2], dtype=torch.bool).to(states.device)
        found = [torch.zeros(len(states), 0, dtype=torch.long, device=states.device)]
        for _ in range(states.shape[-2]):
            chosen = self._logits(read, states, taken, cache).argmax(dim=-1)  # (b, 1)
            taken = taken.scatter(-1, chosen[..., None], True)
            read = _picked(states, chosen)
            found.append(chosen)
        return torch.cat(found, dim=-1)

    def _start(self, states: Tensor) -> Tensor:
        return self.start.expand(*states.shape[:-2], 1, self.dim)  # (b, 1, d)

    def _logits(
        self, read: Tensor, states: Tensor, taken: Tensor, cache: list[LayerCache] | None = None
    ) -> Tensor:
        found = self.decoder(read, [states], cache=cache)  # (b, n, d)
        # u_ti = <W_q h_t, W_k a_i> / sqrt(d), without objects taken before   (Vinyals et al. eq. 3)
        logits = self.scale * self.query(found) @ self.key(states).transpose(-2, -1)
        return logits.masked_fill(taken, -torch.inf)  # (b, n, m)


def _picked(states: Tensor, chosen: Tensor) -> Tensor:
    """The states of some objects, ``(b, m, d), (b, n) -> (b, n, d)``."""
    return states.gather(-2, chosen[..., None].expand(*chosen.shape, states.shape[-1]))

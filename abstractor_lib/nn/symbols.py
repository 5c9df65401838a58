"""Symbols: vectors that refer to objects (v1 section 2.1, v3 section 2.2).

They do not depend on the objects they refer to, except for retrieved symbols, which are chosen
from a library by what the objects are. Symbols of positions take those of the objects, from first
to last, or ``positions`` that they are given: such as a random ordered subset of more positions
than there are objects (Ruoss et al. 2023).

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol.
"""

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_features, check_sizes, shown
from .linear import HeadLinear
from .positions import check_positions, real, sinusoids


def as_symbols(symbols: nn.Module | int, dim: int, **where) -> nn.Module:
    """Symbols of ``dim`` features from an argument that may be their number; ``where`` they are.

    Example:
        >>> as_symbols("learned", 4)
        Traceback (most recent call last):
            ...
        ValueError: symbols is 'learned'; expected an integer of at least 1, or a module that \
makes symbols, such as RelativeSymbols(4)
    """
    if isinstance(symbols, nn.Module):
        return symbols
    try:
        check_sizes(symbols=symbols)
    except ValueError as error:
        raise ValueError(
            f"{error}, or a module that makes symbols, such as RelativeSymbols({dim})"
        ) from None
    return LearnedSymbols(symbols, dim, **where)


class LearnedSymbols(nn.Module):
    """One trainable symbol per position, S = (s_1, ..., s_m).

    Args:
        count: symbols ``m``: the longest sequence of objects.
        dim: features ``s`` of a symbol.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (m, s)``; only the number of objects is read. With
        ``positions``, integers ``(m,)`` from 0 to below ``count``, the symbols of these.

    Raises:
        ValueError: if there are more objects than symbols, or for another number of positions,
            positions of another dtype, or such as have no symbol.

    Source: v1 Algorithm 1; initialised from N(0, 1).

    Example:
        >>> LearnedSymbols(10, 4)(torch.zeros(2, 3, 8)).shape
        torch.Size([3, 4])
    """

    def __init__(self, count: int, dim: int, *, device: Device = None, dtype: DType = None):
        super().__init__()
        check_sizes(count=count, dim=dim)
        self.vectors = nn.Parameter(torch.empty(count, dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.vectors)

    def forward(self, objects: Tensor, positions: Tensor | None = None) -> Tensor:
        count = objects.shape[-2]
        if count > self.vectors.shape[0]:
            raise ValueError(
                f"objects holds {count} objects; there are symbols for {self.vectors.shape[0]}"
            )
        if positions is None:
            return self.vectors[:count]
        check_positions(positions, count, whole=True)
        try:
            return self.vectors.index_select(0, positions)  # (m, s)
        except IndexError:  # of values: asked before, they would end vmap
            raise ValueError(
                "positions holds a number that has no symbol; expected 0 to "
                f"{self.vectors.shape[0] - 1}"
            ) from None

    def extra_repr(self) -> str:
        return "count={}, dim={}".format(*self.vectors.shape)


class SinusoidalSymbols(nn.Module):
    """Positional embeddings as symbols: nothing to learn, any number of objects.

    Args:
        dim: features ``s`` of a symbol, an even number.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (m, s)``; with ``positions`` ``(m,)`` those of these.

    Raises:
        ValueError: for another number of positions.

    Source: v3 sections 2.2 and 2.3.

    Example:
        >>> SinusoidalSymbols(4)(torch.zeros(2, 3, 8)).shape
        torch.Size([3, 4])
    """

    def __init__(self, dim: int):
        super().__init__()
        sinusoids(torch.zeros(1), dim)  # an odd dim is an error here, not at the first batch
        self.dim = dim

    def forward(self, objects: Tensor, positions: Tensor | None = None) -> Tensor:
        if positions is None:
            positions = torch.arange(objects.shape[-2], device=objects.device)
        check_positions(positions, objects.shape[-2])
        return sinusoids(positions, self.dim, real(objects))

    def extra_repr(self) -> str:
        return shown(self, "dim")


class RelativeSymbols(nn.Module):
    """One symbol for each offset j - i between two objects, S = (..., s_-1, s_0, s_1, ...).

    Message passing becomes A_i = sum_j R_ij s_{j-i} (v3 eq. 7), which defines one layer. In an
    `Abstractor` of several, a layer mixes the states of the one before plus the relative symbols,
    a_j + s_{j-i}, starting from zero states: the first layer is eq. 7, and the following ones
    keep telling where a state comes from.

    Args:
        dim: features ``s`` of a symbol.
        reach: the largest offset with a symbol of its own; larger ones share the last. None for
            sinusoids of the offset, with nothing to learn and any reach.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (2m - 1, s)``, for offsets ``-(m - 1) .. m - 1``; of no
        objects ``(0, s)``. With ``positions`` p, ``(m,)``, of two objects or more, a symbol for
        each pair, ``(m, m, s)``: that of the offset p_j - p_i stands at [i, j].

    Raises:
        ValueError: for another number of positions.

    Source: v3 eq. 7.

    Example:
        >>> RelativeSymbols(4, reach=2)(torch.zeros(2, 5, 8)).shape
        torch.Size([9, 4])
    """

    def __init__(
        self,
        dim: int,
        reach: int | None = None,
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        self.dim, self.reach = dim, reach
        if reach is None:
            sinusoids(torch.zeros(1), dim)
            self.register_parameter("vectors", None)
        else:
            check_sizes(dim=dim, reach=reach)
            shape = 2 * reach + 1, dim
            self.vectors = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
            self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.vectors is not None:
            nn.init.normal_(self.vectors)

    def forward(self, objects: Tensor, positions: Tensor | None = None) -> Tensor:
        count = objects.shape[-2]
        offsets = torch.arange(1 - count, max(count, 1), device=objects.device)
        if positions is not None:
            check_positions(positions, count, whole=self.vectors is not None)
            if count > 1:
                offsets = positions - positions[:, None]  # [i, j]: p_j - p_i
        if self.vectors is None:
            return sinusoids(offsets, self.dim, real(objects))
        return self.vectors[offsets.clamp(-self.reach, self.reach) + self.reach]

    def extra_repr(self) -> str:
        return shown(self, "dim", "reach")


class RetrievedSymbols(nn.Module):
    """Symbols retrieved from a library by symbolic attention.

    Head h compares a query of the object with a binding vector of each library entry and mixes
    the entries' symbols: s_i = concat_h softmax(W_h x_i . B_h^T / sqrt(k)) S_h.

    Args:
        dim: features ``d`` of an object.
        symbol_dim: features ``s`` of a symbol, a multiple of ``heads``.
        entries: symbols in the library.
        heads: number of heads.
        key_dim: width ``k`` of queries and bindings; None for ``symbol_dim / heads``.
        device, dtype: of the parameters.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, s)``.

    Raises:
        ValueError: for sizes below one, a ``symbol_dim`` that the heads do not divide, or objects
            of another width.

    Source: the later version of v3, which calls it symbolic attention; initialised from
    N(0, 0.05^2), queries without bias.

    Example:
        >>> symbols = RetrievedSymbols(128, 128, entries=256, heads=4)
        >>> symbols(torch.zeros(2, 3, 128)).shape
        torch.Size([2, 3, 128])
        >>> sum(p.numel() for p in symbols.parameters())
        81920
    """

    def __init__(
        self,
        dim: int,
        symbol_dim: int,
        entries: int,
        heads: int,
        key_dim: int | None = None,
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, symbol_dim=symbol_dim, entries=entries, heads=heads)
        if symbol_dim % heads:
            raise ValueError(f"symbol_dim is {symbol_dim}; expected a multiple of heads, {heads}")
        width = symbol_dim // heads
        key_dim = width if key_dim is None else key_dim
        check_sizes(key_dim=key_dim)
        self.dim, self.scale = dim, key_dim**-0.5
        where = {"device": device, "dtype": dtype}
        self.query = HeadLinear(dim, heads, key_dim, bias=False, **where)
        self.bindings = nn.Parameter(torch.empty(heads, entries, key_dim, **where))
        self.vectors = nn.Parameter(torch.empty(heads, entries, width, **where))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.bindings, std=0.05)
        nn.init.normal_(self.vectors, std=0.05)

    def forward(self, objects: Tensor) -> Tensor:
        check_features("objects", objects, self.dim, self.query.weight)
        scores = self.scale * self.query(objects) @ self.bindings.transpose(-2, -1)  # (b, h, m, e)
        retrieved = torch.softmax(scores, dim=-1) @ self.vectors  # (b, h, m, s / h)
        return retrieved.transpose(-3, -2).flatten(-2)  # (b, m, s)

    def extra_repr(self) -> str:
        return "heads={}, entries={}, width={}".format(*self.vectors.shape)

"""Relational cross-attention, and the two kinds of cross-attention that the papers set beside it.

Self-attention takes query, key and value from the same objects; relational cross-attention
(v1 eq. 2.5, v3 eq. 5) takes the values from symbols instead, so that what is mixed carries no
feature of the objects.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol or state.
"""

from typing import ClassVar, Literal

from torch import Tensor

from .arguments import Device, DType, check_features, check_sizes, passed
from .attention import MultiHeadAttention
from .heads import Heads, as_heads

Kind = Literal["relational", "ablation", "symbolic"]
Source = Literal["objects", "symbols"]


class _CrossAttention(MultiHeadAttention):
    """Attention whose query, key and value are each objects or symbols."""

    reads: ClassVar[tuple[Source, Source, Source]]  # query, key and value

    def __init__(
        self,
        dim: int,
        heads: Heads | int,
        *,
        symbol_dim: int | None = None,
        dropout: float = 0.0,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(dim=dim, **passed(symbol_dim=symbol_dim))
        features = {"objects": dim, "symbols": dim if symbol_dim is None else symbol_dim}
        query, key, value = (features[one] for one in self.reads)
        heads = as_heads(heads, dim)
        if heads.symmetric and query != key:
            raise ValueError(
                f"symbol_dim is {symbol_dim}; with symmetric heads expected dim, {dim}, since "
                "symbols query objects"
            )
        super().__init__(
            query,
            heads,
            key_features=key,
            value_features=value,
            out_features=features["symbols"],
            dropout=dropout,
            device=device,
            dtype=dtype,
        )
        self._features = features

    def forward(
        self,
        x: Tensor,
        symbols: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        relative: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        dim, width = self._features["objects"], self._features["symbols"]
        check_features("x", x, dim, self.query.weight)
        check_features("symbols", symbols, width, self.query.weight)
        if symbols.shape[-2] != x.shape[-2]:
            raise ValueError(
                f"symbols has shape {tuple(symbols.shape)}; expected one symbol for each of the "
                f"{x.shape[-2]} objects, (..., {x.shape[-2]}, {width})"
            )
        given = {"objects": x, "symbols": symbols}
        query, key, value = (given[one] for one in self.reads)
        return super().forward(
            query,
            key,
            value,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
        )


class RelationalCrossAttention(_CrossAttention):
    """Attention(Q <- X, K <- X, V <- S): symbols mixed by the relations between objects.

    A_i = sum_j R_ij W_v s_j with R_ij = sigma_rel(<W_q x_i, W_k x_j>) (v3 eq. 4). With objects as
    columns, v3 eq. 5 and 6 as printed, S sigma_rel(phi(X)^T psi(X)), are the transpose of this:
    their column i is sum_j R_ji s_j. We read them as eq. 4, as the public code does, and softmax
    runs over j. As in `MultiHeadAttention`, there is no ``dropout`` unless it is asked for.

    Args:
        dim: features ``d`` of an object.
        heads: their number, each ``dim / heads`` wide, or `Heads`, which hold all options. With
            ``Heads(strict=True)`` the bottleneck is strict (v3 footnote 2): no relation of an
            object to itself, and no biases in the query and key projections. Without the latter, a
            query bias b gives R_ij the term <b, W_k x_j>, a feature of object j alone. Positions
            added to the objects act as such a bias.
        symbol_dim: features ``s`` of a symbol and of the result; None for ``dim``.
        dropout, device, dtype: see `MultiHeadAttention`.

    Returns:
        ``forward(x, symbols)``: objects ``(b, m, d)`` and symbols ``(m, s)`` or ``(b, m, s)`` give
        abstract states ``(b, m, s)``; with ``need_weights=True`` also the relations
        ``(b, h, m, m)``. Masks and ``relative`` as in `MultiHeadAttention`.

    Raises:
        ValueError: as `MultiHeadAttention`; unless there is a symbol for each object.

    Source: v1 eq. 2.5; v3 eq. 4 to 7.

    Example:
        >>> import torch
        >>> attention = RelationalCrossAttention(16, Heads(2, key_dim=8, activation="sigmoid"))
        >>> x, symbols = torch.randn(3, 10, 16), torch.randn(10, 16)
        >>> states, relations = attention(x, symbols, need_weights=True)
        >>> states.shape, relations.shape
        (torch.Size([3, 10, 16]), torch.Size([3, 2, 10, 10]))
    """

    reads = ("objects", "objects", "symbols")


class AblationCrossAttention(_CrossAttention):
    """Attention(Q <- A, K <- X, V <- X): the papers' ablation, ordinary cross-attention.

    The same arguments and parameters as `RelationalCrossAttention`, without ``dropout`` likewise,
    but states (its symbols) query the objects, and what is mixed are the objects.

    Returns:
        ``forward(x, symbols)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``.

    Source: v3 B.2.1.

    Example:
        >>> import torch
        >>> AblationCrossAttention(16, 2)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    reads = ("symbols", "objects", "objects")


class SymbolicCrossAttention(_CrossAttention):
    """Attention(Q <- S, K <- X, V <- S): symbols that query the objects (a variant of the logs).

    No paper describes it. The same arguments and parameters as `RelationalCrossAttention`, without
    ``dropout`` likewise.

    Returns:
        ``forward(x, symbols)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``.

    Example:
        >>> import torch
        >>> SymbolicCrossAttention(16, 2)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    reads = ("symbols", "objects", "symbols")


KINDS: dict[Kind, type[MultiHeadAttention]] = {
    "relational": RelationalCrossAttention,
    "ablation": AblationCrossAttention,
    "symbolic": SymbolicCrossAttention,
}

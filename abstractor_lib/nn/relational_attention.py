"""Relational cross-attention, and the two kinds of cross-attention that the papers set beside it.

Self-attention takes query, key and value from the same objects; relational cross-attention
(v1 eq. 2.5, v3 eq. 5) takes the values from symbols instead, so that what is mixed carries no
feature of the objects.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol or state.
"""

from torch import Tensor

from .arguments import Device, DType, check_features, check_sizes, passed
from .attention import MultiHeadAttention
from .relations import Activation, Side


class RelationalCrossAttention(MultiHeadAttention):
    """Attention(Q <- X, K <- X, V <- S): symbols mixed by the relations between objects.

    A_i = sum_j R_ij W_v s_j with R_ij = sigma_rel(<W_q x_i, W_k x_j>) (v3 eq. 4). With objects as
    columns, v3 eq. 5 and 6 as printed, S sigma_rel(phi(X)^T psi(X)), are the transpose of this:
    their column i is sum_j R_ji s_j. We read them as eq. 4, as the public code does, and softmax
    runs over j.

    Args:
        dim: features ``d`` of an object.
        symbol_dim: features ``s`` of a symbol and of the result; None for ``dim``.
        strict: the strict relational bottleneck (v3 footnote 2): no relation of an object to
            itself, and no biases in the query and key projections. Without the latter, a query
            bias b gives R_ij the term <b, W_k x_j>, a feature of object j alone. Positions added
            to the objects act as such a bias. Of two objects each has one relation left, which
            softmax makes 1 whatever the objects are: with pairs take another activation.
        diagonal, relation_bias: see `MultiHeadAttention`; None for what ``strict`` says.
        heads, key_dim, value_dim, symmetric, bias, activation, over, scale: see
            `MultiHeadAttention`.
        dropout, fused, device, dtype: see `MultiHeadAttention`.

    Returns:
        ``forward(x, symbols)``: objects ``(b, m, d)`` and symbols ``(m, s)`` or ``(b, m, s)`` give
        abstract states ``(b, m, s)``; with ``need_weights=True`` also the relations
        ``(b, h, m, m)``. Masks and ``relative`` as in `MultiHeadAttention`.

    Raises:
        ValueError: as `MultiHeadAttention`; if ``strict`` and ``diagonal`` or ``relation_bias``
            contradict each other; unless there is a symbol for each object.

    Source: v1 eq. 2.5; v3 eq. 4 to 7.

    Example:
        >>> import torch
        >>> attention = RelationalCrossAttention(16, heads=2, key_dim=8, activation="sigmoid")
        >>> x, symbols = torch.randn(3, 10, 16), torch.randn(10, 16)
        >>> states, relations = attention(x, symbols, need_weights=True)
        >>> states.shape, relations.shape
        (torch.Size([3, 10, 16]), torch.Size([3, 2, 10, 10]))
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        symbol_dim: int | None = None,
        strict: bool = False,
        symmetric: bool = False,
        bias: bool = True,
        relation_bias: bool | None = None,
        diagonal: bool | None = None,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        dropout: float = 0.0,
        fused: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(dim=dim, **passed(symbol_dim=symbol_dim))
        if strict:
            for name, wanted in (("diagonal", diagonal), ("relation_bias", relation_bias)):
                if wanted:
                    raise ValueError(f"{name} is True; with strict expected False, or nothing")
            diagonal = relation_bias = False
        super().__init__(
            dim,
            heads,
            key_dim,
            value_dim,
            value_features=symbol_dim,
            out_features=symbol_dim,
            symmetric=symmetric,
            bias=bias,
            relation_bias=relation_bias,
            diagonal=diagonal is None or diagonal,
            activation=activation,
            over=over,
            scale=scale,
            dropout=dropout,
            fused=fused,
            device=device,
            dtype=dtype,
        )

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
        width = self.value.in_features
        check_features("x", x, self.dim, self.query.weight)
        check_features("symbols", symbols, width, self.value.weight)
        if symbols.shape[-2] != x.shape[-2]:
            raise ValueError(
                f"symbols has shape {tuple(symbols.shape)}; expected one symbol for each of the "
                f"{x.shape[-2]} objects, (..., {x.shape[-2]}, {width})"
            )
        return super().forward(
            x,
            x,
            symbols,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
        )


class _StatesAttend(MultiHeadAttention):
    """Attention(Q <- A, K <- X, V <- A or X): states that query the objects.

    Args:
        dim: features ``d`` of an object.
        symbol_dim: features ``s`` of a state and of the result; None for ``dim``.
        heads, key_dim, value_dim, symmetric, bias, relation_bias, diagonal, activation, over,
            scale, dropout, fused, device, dtype: see `MultiHeadAttention`.
    """

    mixes_states: bool

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        symbol_dim: int | None = None,
        symmetric: bool = False,
        bias: bool = True,
        relation_bias: bool | None = None,
        diagonal: bool = True,
        activation: Activation = "softmax",
        over: Side = "right",
        scale: float | None = None,
        dropout: float = 0.0,
        fused: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(dim=dim, **passed(symbol_dim=symbol_dim))
        symbol_dim = dim if symbol_dim is None else symbol_dim
        super().__init__(
            symbol_dim,
            heads,
            key_dim,
            value_dim,
            key_features=dim,
            value_features=symbol_dim if self.mixes_states else dim,
            symmetric=symmetric,
            bias=bias,
            relation_bias=relation_bias,
            diagonal=diagonal,
            activation=activation,
            over=over,
            scale=scale,
            dropout=dropout,
            fused=fused,
            device=device,
            dtype=dtype,
        )

    def forward(
        self,
        x: Tensor,
        states: Tensor,
        *,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        relative: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        check_features("states", states, self.dim, self.query.weight)
        return super().forward(
            states,
            x,
            states if self.mixes_states else x,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            relative=relative,
            need_weights=need_weights,
        )


class AblationCrossAttention(_StatesAttend):
    """Attention(Q <- A, K <- X, V <- X): the papers' ablation, ordinary cross-attention.

    The same arguments and parameters as `RelationalCrossAttention`, without ``strict``, but what is
    mixed are the objects.

    Returns:
        ``forward(x, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``.

    Source: v3 B.2.1.

    Example:
        >>> import torch
        >>> AblationCrossAttention(16, 2, 8)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    mixes_states = False


class SymbolicCrossAttention(_StatesAttend):
    """Attention(Q <- S, K <- X, V <- S): symbols that query the objects (a variant of the logs).

    No paper describes it. The same arguments and parameters as `RelationalCrossAttention`, without
    ``strict``.

    Returns:
        ``forward(x, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``.

    Example:
        >>> import torch
        >>> SymbolicCrossAttention(16, 2, 8)(torch.randn(3, 10, 16), torch.randn(10, 16)).shape
        torch.Size([3, 10, 16])
    """

    mixes_states = True

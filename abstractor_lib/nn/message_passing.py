"""Symbolic message-passing: symbols mixed by relations (v1 eq. 2.1, 2.2, Algorithm 1).

Shapes: ``b`` batch, ``m`` objects, ``r`` relation dimensions, ``d`` features of a symbol.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_attn_mask,
    check_batches,
    check_features,
    check_mask,
    check_sizes,
    check_word,
    passed,
    shown,
)
from .excluded import finite_padding, marked, without_unread
from .feedforward import MLP
from .linear import HeadLinear


def symbolic_message_passing(relations: Tensor, symbols: Tensor) -> Tensor:
    """Linear message-passing, s_i <- sum_j R[i, j] s_j, once for each relation dimension.

    Args:
        relations: ``(b, r, m, m)``.
        symbols: ``(m, d)``, shared by the relation dimensions, ``(r, m, d)``, or ``(b, r, m, d)``
            (``(b, 1, m, d)`` for states that differ by example but not by dimension).

    Returns:
        ``(b, r, m, d)``.

    Source: v1 eq. 2.2; for r > 1 the paper concatenates the dimensions.

    Example:
        >>> swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).view(1, 1, 2, 2)
        >>> symbolic_message_passing(swap, torch.tensor([[1.0], [2.0]]))[0, 0].tolist()
        [[2.0], [1.0]]
    """
    # s_i <- sum_j R[i, j] s_j   (v1 eq. 2.2)
    return relations @ symbols  # (b, r, m, d)


def relative_message_passing(relations: Tensor, symbols: Tensor) -> Tensor:
    """Message-passing with position-relative symbols, A_i = sum_j R_ij s_{j-i}.

    Args:
        relations: ``(b, r, m, m)``.
        symbols: of the offsets ``-(m - 1) .. m - 1``: ``(2m - 1, d)``, shared by the relation
            dimensions, or ``(r, 2m - 1, d)``. For two objects or more also by pair,
            ``(m, m, d)`` or ``(r, m, m, d)``: entry [i, j] is s_{j-i}.

    Returns:
        ``(b, r, m, d)``.

    Raises:
        ValueError: for relations that are not square or another number of symbols.

    Source: v3 eq. 7.

    Example:
        >>> swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).view(1, 1, 2, 2)
        >>> before, same, after = [-1.0], [0.0], [1.0]
        >>> relative_message_passing(swap, torch.tensor([before, same, after]))[0, 0].tolist()
        [[1.0], [-1.0]]
    """
    m = relations.shape[-1]
    if relations.shape[-2] != m:
        raise ValueError(f"relations has shape {tuple(relations.shape)}; expected (..., {m}, {m})")
    pairs = symbols if by_pair(symbols, m) else written_out(symbols, m)  # (r, m, m, d)
    # A_i = sum_j R_ij s_{j-i}   (v3 eq. 7)
    return (relations.unsqueeze(-2) @ pairs).squeeze(-2)  # (b, r, m, d)


def by_pair(symbols: Tensor, m: int) -> bool:
    """Whether relative symbols of m objects are given by pair, ``(m, m, d)``, not by offset.

    Example:
        >>> by_pair(torch.zeros(3, 3, 4), 3), by_pair(torch.zeros(3, 5, 4), 3)
        (True, False)
    """
    # the offsets are compared first, so that torch.export takes heads for no number of objects
    return m > 1 and symbols.dim() > 2 and symbols.shape[-2] == m and symbols.shape[-3] == m


def written_out(symbols: Tensor, m: int) -> Tensor:
    """Relative symbols ``(2m - 1, d)`` written out, ``(m, m, d)``: entry [i, j] is s_{j-i}."""
    offsets = max(2 * m - 1, 0)
    if symbols.shape[-2] != offsets:
        raise ValueError(
            f"symbols has shape {tuple(symbols.shape)}; expected one for each of the "
            f"{offsets} offsets between {m} objects"
        )
    here = torch.arange(m, device=symbols.device)
    return symbols[..., here - here[:, None] + m - 1, :]


def _check(relations: Tensor, symbols: Tensor, dimensions: int, dim: int, weight: Tensor) -> None:
    """Relations ``(b, r, m, m)`` of so many dimensions, and a symbol ``(m, d)`` for each object."""
    if relations.dim() < 3 or relations.shape[-3] != dimensions:
        raise ValueError(
            f"relations has shape {tuple(relations.shape)}; expected (..., {dimensions}, "
            "objects, objects)"
        )
    check_features("symbols", symbols, dim, weight)
    if symbols.shape[-2] != relations.shape[-1]:
        raise ValueError(
            f"symbols has shape {tuple(symbols.shape)}; expected one for each of the "
            f"{relations.shape[-1]} objects"
        )
    check_batches(relations=relations.shape[:-3], symbols=symbols.shape[:-2])


class SymbolicMessagePassing(nn.Module):
    """Message-passing followed by one linear map of the concatenated result.

    ``concatenate``: a_i = [W_k sum_j R[i, j, k] s_j]_k + b, with W_k from d_s to d_s / r: one
    block for each relation dimension (v3's Abstractor).
    ``mix``: a_i = W [sum_j R[i, j, k] s_j]_k + b, with W from r d_s to the output (v1).

    Both are linear, so W acts on the symbols first: it then costs nothing per input.

    Args:
        dim: features ``d_s`` of a symbol.
        relations: relation dimensions ``r``.
        combine: ``concatenate`` or ``mix``.
        out_dim: output features; ``concatenate`` needs a multiple of ``relations``. None for
            ``dim``.
        device, dtype: of the parameters.

    Returns:
        ``forward(relations, symbols)``: ``(b, r, m, m), (m, d_s) or (b, m, d_s) -> (b, m, out)``;
        ``relative``, symbols of the offsets ``(2m - 1, d_s)``, adds s_{j-i} to s_j (v3 eq. 7).
        ``key_padding_mask`` and ``attn_mask`` are accepted, as by `SetMessagePassing`. They change
        no relation: a relation that is zero sends nothing. What a mask excludes is zero already in
        the relations of `MultiHeadRelation` and the other relation modules; set it to zero in
        relations of your own. Symbols ``(b, m, d_s)`` of objects that a mask excludes may be NaN.

    Raises:
        ValueError: for sizes below one, an ``out_dim`` that the relations do not divide, or
            relations or symbols of another shape or dtype.

    Source: v1 Algorithm 1 and eq. 2.2; v3 section 2.2.

    Example:
        >>> layer = SymbolicMessagePassing(8, relations=4)
        >>> layer(torch.rand(2, 4, 5, 5), torch.rand(5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        dim: int,
        relations: int,
        *,
        combine: Literal["concatenate", "mix"] = "concatenate",
        out_dim: int | None = None,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        out_dim = dim if out_dim is None else out_dim
        check_sizes(dim=dim, relations=relations, out_dim=out_dim)
        check_word("combine", combine, ("concatenate", "mix"))
        if combine == "concatenate" and out_dim % relations:
            raise ValueError(f"out_dim is {out_dim}; expected a multiple of relations, {relations}")
        self.combine = combine
        width = out_dim // relations if combine == "concatenate" else out_dim
        where = {"device": device, "dtype": dtype}
        self.values = HeadLinear(dim, relations, width, bias=False, **where)
        if combine == "mix":  # one dense layer on r d_s features
            self.values.fans = (relations * dim, out_dim)
        self.bias = nn.Parameter(torch.zeros(out_dim, **where))

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.bias)

    def forward(
        self,
        relations: Tensor,
        symbols: Tensor,
        *,
        relative: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        weight = self.values.weight
        _check(relations, symbols, self.values.heads, self.values.in_features, weight)
        if key_padding_mask is not None:
            padding = (*relations.shape[:-3], relations.shape[-1])
            check_mask("key_padding_mask", key_padding_mask, padding)
        symbols, wrong = finite_padding(symbols, key_padding_mask), None
        if attn_mask is not None:
            check_attn_mask(attn_mask, relations.shape)
            wrong, symbols = without_unread(attn_mask, symbols.unsqueeze(-3))
            symbols = symbols.squeeze(-3)
        values = self.values(symbols)  # (r, m, k) or (b, r, m, k)
        messages = marked(symbolic_message_passing(relations, values), wrong)  # (b, r, m, k)
        if relative is not None:
            offsets = self.values(relative)  # (r, 2m - 1, k)
            if by_pair(relative, relations.shape[-1]):
                offsets = offsets.transpose(-4, -3)  # (m, r, m, k) -> (r, m, m, k)
            messages = messages + relative_message_passing(relations, offsets)
        if self.combine == "mix":
            return messages.sum(dim=-3) + self.bias  # (b, m, out)
        return messages.transpose(-3, -2).flatten(-2) + self.bias  # (b, m, out)

    def extra_repr(self) -> str:
        return shown(self, "combine")


class SetMessagePassing(nn.Module):
    """The general update of a symbol, s_i <- Update(s_i, {(R[i, j], s_j)}_j).

    The set enters through a sum of messages, update(s_i, sum_j message(R[i, j], s_j)), with two
    multilayer perceptrons: the form of Deep Sets (Zaheer et al. 2017). Unlike the linear case it
    can depend on relations and symbols jointly. Every object sends a message, also where the
    relation is zero; only padded ones do not, and none goes where ``attn_mask`` leaves out all
    relation dimensions.

    Args:
        dim: features ``d_s`` of a symbol.
        relations: relation dimensions ``r``.
        hidden: width of the messages and of the hidden layers.
        out_dim: output features; None for ``dim``.
        device, dtype: of the parameters.

    Returns:
        ``forward(relations, symbols)``: ``(b, r, m, m), (m, d_s) or (b, m, d_s) -> (b, m, out)``;
        ``relative`` as in `SymbolicMessagePassing`. Masks are boolean, True for what to leave out:
        ``key_padding_mask`` ``(b, m)``; ``attn_mask`` ``(m, m)`` or ``(b, r, m, m)`` (of which b
        and r may be 1).

    Raises:
        ValueError: for sizes below one, or relations, symbols or masks of another shape or dtype.

    Source: v1 eq. 2.1.

    Example:
        >>> layer = SetMessagePassing(8, relations=4, hidden=16)
        >>> layer(torch.rand(2, 4, 5, 5), torch.rand(5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        dim: int,
        relations: int,
        hidden: int,
        *,
        out_dim: int | None = None,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        out_dim = dim if out_dim is None else out_dim
        check_sizes(dim=dim, relations=relations, hidden=hidden, out_dim=out_dim)
        self.dim, self.relations = dim, relations
        where = {"device": device, "dtype": dtype}
        self.message = MLP([relations + dim, hidden, hidden], **where)
        self.update = MLP([dim + hidden, hidden, out_dim], **where)

    def forward(
        self,
        relations: Tensor,
        symbols: Tensor,
        *,
        relative: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        _check(relations, symbols, self.relations, self.dim, self.message[0].weight)
        edges = relations.movedim(-3, -1)  # (b, m, m, r)
        symbols = finite_padding(symbols, key_padding_mask)
        symbols = symbols.expand(*edges.shape[:-3], *symbols.shape[-2:])  # (b, m, d)
        senders = symbols.unsqueeze(-3).expand(*edges.shape[:-1], self.dim)  # (b, m, m, d)
        if relative is not None:
            m = relations.shape[-1]
            senders = senders + (relative if by_pair(relative, m) else written_out(relative, m))
        messages = self.message(torch.cat([edges, senders], dim=-1))  # (b, m, m, hidden)
        if key_padding_mask is not None:
            padding = (*relations.shape[:-3], relations.shape[-1])
            check_mask("key_padding_mask", key_padding_mask, padding)
            messages = messages.masked_fill(key_padding_mask[..., None, :, None], 0.0)
        if attn_mask is not None:
            check_attn_mask(attn_mask, relations.shape)
            closed = attn_mask if attn_mask.dim() == 2 else attn_mask.all(dim=-3)  # (b, m, m)
            messages = messages.masked_fill(closed.unsqueeze(-1), 0.0)
        # s_i <- Update(s_i, {(R[i, j], s_j)})   (v1 eq. 2.1)
        return self.update(torch.cat([symbols, messages.sum(dim=-2)], dim=-1))  # (b, m, out)


class RelationalMessagePassing(nn.Module):
    """Relations of the objects, then messages between the states: R <- r(X), A <- pass(R, A).

    Args:
        relation: objects to relations, ``(b, m, d) -> (b, r, m, m)``, as `MultiHeadRelation`;
            `GivenRelation` if relations come in place of the objects (v1 Algorithm 1).
        message_passing: ``(b, r, m, m), (m, s) or (b, m, s) -> (b, m, s)``, as
            `SymbolicMessagePassing` or `SetMessagePassing`.

    Returns:
        ``forward(objects, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``. Masks go to
        both modules.

    Source: v1 Algorithms 1 and 3.

    Example:
        >>> from abstractor_lib.nn import MultiHeadRelation
        >>> relation = MultiHeadRelation(8, relations=2, key_dim=4)
        >>> both = RelationalMessagePassing(relation, SymbolicMessagePassing(6, relations=2))
        >>> both(torch.randn(5, 3, 8), torch.randn(3, 6)).shape
        torch.Size([5, 3, 6])
    """

    def __init__(self, relation: nn.Module, message_passing: nn.Module):
        super().__init__()
        self.relation, self.message_passing = relation, message_passing

    def forward(
        self,
        objects: Tensor,
        states: Tensor,
        *,
        relative: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        masks = passed(key_padding_mask=key_padding_mask, attn_mask=attn_mask)
        relations = self.relation(objects, **masks)  # (b, r, m, m)
        messages = passed(relative=relative, **masks)
        return self.message_passing(relations, states, **messages)  # (b, m, s)

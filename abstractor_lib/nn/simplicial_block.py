"""The blocks of "Logic and the 2-Simplicial Transformer", and what iterates them.

Shapes: ``b`` any batch dimensions, ``n`` standard entities, ``m`` virtual entities, ``d`` features,
``h`` heads.
"""

from copy import deepcopy
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import (
    Device,
    DType,
    check_eps,
    check_features,
    check_mask,
    check_sizes,
    check_unused,
    check_word,
    passed,
    shown,
)
from .excluded import finite_padding
from .feedforward import MLP, TORCH_EPS
from .initialise import initialise
from .one_simplicial_attention import OneSimplicialAttention, concatenated
from .simplicial_attention import TwoSimplicialAttention, check_logit_width
from .simplicial_logits import Logits

NormPlacement = Literal["entities", "projections", "none"]
PLACEMENTS = get_args(NormPlacement)
Sharing = Literal["weights", "all", "none"]


class SimplicialWeights(NamedTuple):
    """Attention in one block.

    Attributes:
        standard: 1-simplicial, of standard entities to each other, ``(b, h, n, n)``.
        virtual: 1-simplicial, of virtual entities to all, ``(b, h, m, n + m)``; None without them.
        pairs: 2-simplicial, of standard entities to pairs, ``(b, h2, n, m, m)``, or
            ``(b, h2, n, n, n)`` where all entities make pairs; None in a standard block.
    """

    standard: Tensor
    virtual: Tensor | None
    pairs: Tensor | None


class BlockNorms(nn.Module):
    """The layer norms of one block, apart from its other weights: iterations of a block may share
    those and have norms of their own. ``layer_norm_eps`` is torch's, as in `SimplicialBlock`.

    Args:
        dim: features of an entity.
        projected: features of the concatenated q, k, v; and of p, l1, l2, u.
        pairs: features of the 2-simplicial output; None for a block without it.
        placement: where inputs are normalised; see `SimplicialBlock`.
        of_pairs: normalise the 2-simplicial output.
        layer_norm_eps: added to the variance.
        device, dtype: of the parameters.

    Raises:
        ValueError: for an unknown placement.

    Example:
        >>> norms = BlockNorms(64, (192, 192), 48)
        >>> sum(p.numel() for p in norms.parameters())  # 128 + 96 + 128
        352
    """

    def __init__(
        self,
        dim: int,
        projected: tuple[int, int],
        pairs: int | None = None,
        *,
        placement: NormPlacement = "entities",
        of_pairs: bool = True,
        layer_norm_eps: float = TORCH_EPS,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_word("placement", placement, PLACEMENTS)
        check_eps("layer_norm_eps", layer_norm_eps)

        def norm(features: int, wanted: bool = True) -> nn.LayerNorm | None:
            if not wanted:
                return None
            return nn.LayerNorm(features, eps=layer_norm_eps, device=device, dtype=dtype)

        inside, simplicial = placement == "projections", pairs is not None
        self.entities = norm(dim, placement == "entities")
        self.one = norm(projected[0], inside)
        self.two = norm(projected[1], inside and simplicial)
        self.pairs = norm(pairs, simplicial and of_pairs)
        self.output = norm(dim)


class SimplicialBlock(nn.Module):
    """A Transformer block with 1-simplicial and 2-simplicial attention, or with the first alone.

    e'_i = LayerNorm(g(v'_i) + e_i), where v'_i is the concatenation of 1-simplicial heads and
    the normalised 2-simplicial heads, and g has two layers with relu between them. The residual
    adds the block's input as it came. ``layer_norm_eps`` is torch's, not Keras' as in the modules
    of the Abstractor papers: so the public code has it.

    Args:
        dim: features ``d``.
        heads, key_dim: of the 1-simplicial attention.
        hidden: width of g's hidden layer; None for ``dim``.
        simplicial_heads: of the 2-simplicial attention; 0 for a standard Transformer block.
        simplicial_dim: width of a 2-simplicial head; None for ``key_dim``.
        logits, logit_scale, block: of the 2-simplicial attention, see `TwoSimplicialAttention`;
            None for its defaults.
        scale: of the 1-simplicial dot products, see `OneSimplicialAttention`.
        norm: what is normalised on the way in (Remark 4.1): the ``entities``, as the paper's agents
            have it; the concatenated ``projections`` q, k, v (and p, l1, l2, u), as in Zambaldi et
            al. 2019; ``none``, as eq. 3 is printed. The norm of the result stays.
        pair_norm: normalise the 2-simplicial output (eq. 11). The paper finds training unstable
            without it (Remark 2.3); None for True.
        layer_norm_eps: added to the variance in the norms.
        device, dtype: of the parameters.

    Returns:
        ``forward(x)``: ``(b, n, d) -> (b, n, d)``, pairs are those of all entities (eq. 11, 12).
        ``forward(x, virtual=m)``: ``(b, n + m, d) -> (b, n + m, d)``, the last ``m`` entities are
        virtual, and pairs are theirs (eq. 13, 14). ``key_padding_mask`` is boolean over all
        entities, True for one that sends no messages. With ``need_weights`` also
        `SimplicialWeights`. ``norms`` takes the place of the block's own.

    Raises:
        ValueError: for sizes below one, unknown words, options of 2-simplicial attention or virtual
            entities in a block without it, or as many virtual entities as there are entities.

    Source: Logic and the 2-Simplicial Transformer, eq. 3, 4 and 11 to 14, section 4.

    Example:
        >>> block = SimplicialBlock(64, heads=2, key_dim=32, simplicial_heads=1, simplicial_dim=48)
        >>> block(torch.zeros(5, 42, 64), virtual=2).shape
        torch.Size([5, 42, 64])
        >>> standard = SimplicialBlock(64, heads=2, key_dim=32)
        >>> sum(p.numel() for p in standard.parameters())
        20864
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int,
        hidden: int | None = None,
        *,
        simplicial_heads: int = 0,
        simplicial_dim: int | None = None,
        logits: Logits | None = None,
        logit_scale: float | None = None,
        block: int | None = None,
        scale: float | None = None,
        norm: NormPlacement = "entities",
        pair_norm: bool | None = None,
        layer_norm_eps: float = TORCH_EPS,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        hidden = dim if hidden is None else hidden
        check_sizes(dim=dim, hidden=hidden, key_dim=key_dim)
        check_sizes(0, simplicial_heads=simplicial_heads)
        check_word("norm", norm, PLACEMENTS)
        self.dim, self.norm, self.simplicial_heads = dim, norm, simplicial_heads
        self.one = OneSimplicialAttention(dim, heads, key_dim, scale=scale, **where)
        width, self.two, pairs = heads * key_dim, None, None
        projected = [self.one.project.out_features, 0]
        if not simplicial_heads:
            check_unused(
                "a block without 2-simplicial heads",
                simplicial_dim=simplicial_dim,
                logits=logits,
                logit_scale=logit_scale,
                block=block,
                pair_norm=pair_norm,
            )
        else:
            name, size = "simplicial_dim", simplicial_dim
            if simplicial_dim is None:
                name, size = "key_dim", key_dim
            check_sizes(**{name: size})
            check_logit_width(name, size, "unsigned" if logits is None else logits)
            options = passed(logits=logits, scale=logit_scale, block=block)
            self.two = TwoSimplicialAttention(dim, simplicial_heads, size, **options, **where)
            projected[1], pairs = self.two.project.out_features, simplicial_heads * size
            width += pairs
        self.network = MLP([width, hidden, dim], **where)
        if pair_norm not in (None, True, False):
            raise ValueError(f"pair_norm is {pair_norm!r}; expected True or False")
        of_pairs = pair_norm is None or bool(pair_norm)
        self._norms = {"placement": norm, "of_pairs": of_pairs, "layer_norm_eps": layer_norm_eps}
        self._norms |= where
        self._widths = dim, tuple(projected), pairs
        self.norms = self.new_norms()

    def new_norms(self) -> BlockNorms:
        """Layer norms like the block's own, for another iteration of it."""
        return BlockNorms(*self._widths, **self._norms)

    def forward(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None = None,
        *,
        virtual: int = 0,
        norms: BlockNorms | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, SimplicialWeights]:
        check_features("x", x, self.dim, self.one.project.weight)
        count = x.shape[-2]
        if not 0 <= virtual < max(count, 1) or (virtual and self.two is None):
            allowed = "0 without 2-simplicial attention"
            if self.two is not None:
                allowed = f"0 to {max(count - 1, 0)}, less than there are entities"
            raise ValueError(f"virtual is {virtual}; expected {allowed}")
        if key_padding_mask is not None:
            check_mask("key_padding_mask", key_padding_mask, x.shape[:-1])
        x = finite_padding(x, key_padding_mask)
        norms = self.norms if norms is None else norms
        entities = x if norms.entities is None else norms.entities(x)
        messages, standard, of_virtual = self._one(entities, key_padding_mask, virtual, norms.one)
        pairs = None
        if self.two is not None:
            some = (entities, key_padding_mask, virtual, norms.two, need_weights)
            simplices, pairs = self._two(*some)
            # v'_i = {1-simplicial} (+) LayerNorm{2-simplicial}   (eq. 11)
            simplices = simplices if norms.pairs is None else norms.pairs(simplices)
            messages = torch.cat([messages, simplices], dim=-1)
        # e'_i = LayerNorm(g(v'_i) + e_i)   (eq. 3, 12)
        output = norms.output(self.network(messages) + x)  # (b, n + m, d)
        return (output, SimplicialWeights(standard, of_virtual, pairs)) if need_weights else output

    def _one(
        self, x: Tensor, ignore: Tensor | None, virtual: int, norm: nn.Module | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """1-simplicial attention, ``(b, n + m, d) -> (b, n + m, h * k)``: standard entities see
        standard entities alone (eq. 13), virtual ones see all (eq. 14)."""
        queries, keys, values = self.one.project(x, norm=norm)
        if not virtual:
            return *self.one.attend(queries, keys, values, ignore, True), None
        count = x.shape[-2] - virtual
        standard = (part[..., :count, :] for part in (queries, keys, values))
        shorter = None if ignore is None else ignore[..., :count]
        first, seen = self.one.attend(*standard, shorter, True)
        last, of_virtual = self.one.attend(queries[..., count:, :], keys, values, ignore, True)
        return torch.cat([first, last], dim=-2), seen, of_virtual

    def _two(
        self,
        x: Tensor,
        ignore: Tensor | None,
        virtual: int,
        norm: nn.Module | None,
        need_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """2-simplicial attention, ``(b, n + m, d) -> (b, n + m, h2 * k2)``: over pairs of virtual
        entities for standard ones (eq. 13); virtual ones have their own value u_i (eq. 14)."""
        if not virtual:
            found = self.two(x, key_padding_mask=ignore, norm=norm, need_weights=need_weights)
            return found if need_weights else (found, None)
        count = x.shape[-2] - virtual
        (queries,) = self.two.vectors(x[..., :count, :], last=1, norm=norm)
        left, right, values = self.two.vectors(x[..., count:, :], first=1, norm=norm)
        ignore = None if ignore is None else ignore[..., count:]
        found = self.two.attend(queries, left, right, values, ignore, need_weights)
        mixed, weights = found if need_weights else (found, None)
        own = concatenated(values).to(mixed.dtype)
        return torch.cat([mixed, own], dim=-2), weights

    def extra_repr(self) -> str:
        return shown(self, "dim", "norm", "simplicial_heads")


class VirtualEntities(nn.Embedding):
    """Learned entities, uniform on +-0.05 at the start under every scheme, as in the public code.

    Example:
        >>> bool(VirtualEntities(2, 64).weight.abs().max() <= 0.05)
        True
    """

    own_start = True  # for `initialise`

    def reset_parameters(self) -> None:
        super().reset_parameters()  # drawn before, too, when shipped records were made
        nn.init.uniform_(self.weight, -0.05, 0.05)


class SimplicialTransformer(nn.Module):
    """Iterations of a block, with learned virtual entities that are dropped at the end.

    Args:
        block: a `SimplicialBlock`.
        iterations: how often it is applied.
        virtual: number of virtual entities ``m``; 0 for none. With a block that has no 2-simplicial
            attention, which alone would read them apart, they are entities that all see (registers,
            as a control).
        sharing: what iterations share. ``weights``: all but the layer norms, as the public code;
            ``all``: the layer norms too, as the text may be read; ``none``.

    Returns:
        ``forward(x)``: ``(b, n, d) -> (b, n, d)``; ``key_padding_mask`` is boolean ``(b, n)``. With
        ``need_weights`` also a list of `SimplicialWeights`, one for each iteration.

    Raises:
        ValueError: for a number of iterations below one, unknown sharing, or no entities beside the
            virtual ones.

    Source: Logic and the 2-Simplicial Transformer, sections 2 and 4.

    Example:
        >>> block = SimplicialBlock(64, heads=2, key_dim=32, simplicial_heads=1, simplicial_dim=48)
        >>> agent = SimplicialTransformer(block, iterations=2, virtual=2)
        >>> sum(p.numel() for p in agent.parameters())
        147392
        >>> agent(torch.zeros(5, 40, 64)).shape
        torch.Size([5, 40, 64])
    """

    def __init__(
        self,
        block: SimplicialBlock,
        iterations: int = 2,
        *,
        virtual: int = 0,
        sharing: Sharing = "weights",
    ):
        super().__init__()
        check_sizes(iterations=iterations)
        check_word("sharing", sharing, ("weights", "all", "none"))
        if virtual:
            check_sizes(virtual=virtual)
        self.iterations, self.virtual, self.sharing = iterations, virtual, sharing
        further = range(iterations - 1)
        own = nn.ModuleList(deepcopy(block) for _ in further) if sharing == "none" else ()
        for one in own:
            initialise(one, "torch")
        self.blocks = nn.ModuleList([block, *own])
        self.further_norms = nn.ModuleList(
            block.new_norms() for _ in further if sharing == "weights"
        )
        weight = next(block.parameters())
        where = {"device": weight.device, "dtype": weight.dtype}
        self.entities = VirtualEntities(virtual, block.dim, **where) if virtual else None

    def forward(
        self, x: Tensor, key_padding_mask: Tensor | None = None, *, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, list[SimplicialWeights]]:
        count = x.shape[-2]
        if self.virtual:
            if not count:
                raise ValueError(
                    f"x has shape {tuple(x.shape)}; expected at least one entity beside the "
                    f"{self.virtual} virtual ones"
                )
            check_features("x", x, self.blocks[0].dim, self.blocks[0].one.project.weight)
            learned = self.entities.weight.to(x.dtype)
            x = torch.cat([x, learned.expand(*x.shape[:-2], -1, -1)], dim=-2)  # (b, n + m, d)
            if key_padding_mask is not None:
                check_mask("key_padding_mask", key_padding_mask, (*x.shape[:-2], count))
                key_padding_mask = F.pad(key_padding_mask, (0, self.virtual))
        found = []
        apart = self.virtual if self.blocks[0].two is not None else 0
        for k in range(self.iterations):
            block = self.blocks[k if self.sharing == "none" else 0]
            norms = self.further_norms[k - 1] if k and self.sharing == "weights" else None
            options = {"virtual": apart, "norms": norms, "need_weights": need_weights}
            x = block(x, key_padding_mask, **options)
            if need_weights:
                x, weights = x
                found.append(weights)
        x = x[..., :count, :]  # virtual entities are dropped
        return (x, found) if need_weights else x

    def extra_repr(self) -> str:
        return shown(self, "iterations", "virtual", "sharing")

"""Encoder -> Abstractor -> f(A): models for classification and regression.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol, ``o`` outputs.
"""

from typing import Literal

from torch import Tensor, nn

from .abstractor import Abstractor
from .arguments import (
    Device,
    DType,
    brief,
    check_embeddable,
    check_sizes,
    check_word,
    passed,
    shown,
)
from .encoder import Encoder, EncoderLayer
from .excluded import finite_source
from .feedforward import KERAS_EPS
from .heads import Heads, as_heads
from .relational_attention import Kind

Pool = Literal["flatten", "mean"]


class PooledClassifier(nn.Module):
    """Encoder -> Abstractor -> f(A) of any modules; `AbstractorClassifier` makes one of sizes.

    Args:
        source: embeds the objects, ``(b, m, ...) -> (b, m, d)``.
        abstractor: an `Abstractor`, or any map ``(b, m, d) -> (b, m, s)``; where there are masks,
            it and the encoder have to take ``key_padding_mask``. What gives one vector for an
            example, as `CoRelNet` does, needs no pooling: ``nn.Sequential(network, head)``.
        head: pooled states to outputs.
        encoder: an `Encoder`, or None.
        pool: ``flatten`` the states, for a fixed number of objects, or take their ``mean``.

    Returns:
        ``forward(objects)``: ``(b, m, ...) -> (b, o)``. Objects that ``key_padding_mask``
        ``(b, m)`` excludes have no relations and do not enter the mean, which is zero where all
        are.

    Raises:
        ValueError: for an unknown pooling, a mask with ``flatten``, the ``mean`` of no objects, an
            ``abstractor`` without a state for each object, or objects of another width than a
            dense ``source`` takes.

    Source: v1 section 2.5, its default for classification and regression.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import (AbstractorLayer, AbstractorStack, FeedForward,
        ...     LearnedSymbols, MLP, RelationalCrossAttention)
        >>> layer = AbstractorLayer(RelationalCrossAttention(16, 2), FeedForward(16, 32))
        >>> body = AbstractorStack(LearnedSymbols(5, 16), [layer])
        >>> model = PooledClassifier(nn.Linear(4, 16), body, MLP([16, 16, 3]), pool="mean")
        >>> model(torch.randn(7, 5, 4)).shape
        torch.Size([7, 3])
    """

    def __init__(
        self,
        source: nn.Module,
        abstractor: nn.Module,
        head: nn.Module,
        *,
        encoder: nn.Module | None = None,
        pool: Pool = "flatten",
    ):
        super().__init__()
        check_word("pool", pool, ("flatten", "mean"))
        given = {"source": source, "abstractor": abstractor, "head": head}
        for name, part in passed(**given, encoder=encoder).items():
            if not callable(part) or isinstance(part, type):
                raise ValueError(f"{name} is {brief(part)}; expected a module, or a function")
        self.source, self.encoder, self.abstractor = source, encoder, abstractor
        self.head, self.pool = head, pool

    def forward(self, objects: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        check_embeddable("objects", objects, self.source)
        masks = passed(key_padding_mask=key_padding_mask)
        x = self.source(finite_source(objects, key_padding_mask))  # (b, m, d)
        if self.encoder is not None:
            x = self.encoder(x, **masks)
        states = self.abstractor(x, **masks)  # (b, m, s)
        if states.shape[:-1] != x.shape[:-1]:
            wanted = ", ".join(map(str, (*x.shape[:-1], "s")))
            raise ValueError(
                f"abstractor returns shape {tuple(states.shape)}; expected ({wanted}), a state for "
                "each object; for one vector an example write nn.Sequential(abstractor, head)"
            )
        if self.pool == "flatten":
            if masks:
                raise ValueError(
                    "key_padding_mask is given with pool='flatten'; allowed: pool='mean'"
                )
            return self.head(states.flatten(-2))  # (b, o)
        if not states.shape[-2]:
            raise ValueError(
                f"objects has shape {tuple(objects.shape)}; expected at least one object with "
                "pool='mean'"
            )
        if key_padding_mask is None:
            return self.head(states.mean(dim=-2))
        kept = (~key_padding_mask).to(states.dtype).unsqueeze(-1)  # (b, m, 1)
        states = states.masked_fill(key_padding_mask.unsqueeze(-1), 0.0)
        return self.head(states.sum(dim=-2) / kept.sum(dim=-2).clamp(min=1))

    def extra_repr(self) -> str:
        return shown(self, "pool")


class AbstractorClassifier(PooledClassifier):
    """A classifier, or a regression, of sizes: dense embedding, Encoder, Abstractor, dense output.

    The embedding has biases. Through them single objects can be seen even with
    ``Heads(strict=True)``, and so they can through an encoder. Where this matters, take a
    `PooledClassifier` of ``nn.Linear(features, dim, bias=False)``, an `Abstractor` with strict
    heads and ``nn.Linear(dim, outputs)``.

    The papers' classifiers of pairs and of SET are others: a `PairwiseAbstractor` with several
    dense layers after it, which the experiments order and set build.

    Args:
        features: of an object as it is given.
        outputs: scores per class, or predicted numbers.
        dim: features ``d`` that objects are embedded in.
        heads, layers: of the `Abstractor`. The encoder has as many heads, of softmax attention.
        symbols: see `Abstractor`.
        encoder_layers: layers of an `Encoder` before the Abstractor; 0 for none.
        pool: ``mean`` of the states, of any number of objects, or ``flatten`` for as many as there
            are ``symbols``, which then is their number.
        symbol_dim, kind, self_attention: see `Abstractor`.
        hidden, norm_first, layer_norm_eps, dropout, device, dtype: see `Abstractor`; they hold for
            the encoder too.

    Returns:
        ``forward(objects)``: ``(b, m, features) -> (b, outputs)``; ``key_padding_mask`` as in
        `PooledClassifier`.

    Raises:
        ValueError: as `Abstractor`; for ``flatten`` without a number of symbols, or with another
            number of objects.

    Source: v1 section 2.5.

    Example:
        >>> import torch
        >>> model = AbstractorClassifier(4, 3, dim=16, heads=2, layers=1, symbols=5)
        >>> model(torch.randn(7, 5, 4)).shape
        torch.Size([7, 3])
    """

    def __init__(
        self,
        features: int,
        outputs: int,
        *,
        dim: int,
        heads: Heads | int,
        layers: int,
        symbols: nn.Module | int,
        encoder_layers: int = 0,
        pool: Pool = "mean",
        symbol_dim: int | None = None,
        hidden: int | None = None,
        kind: Kind = "relational",
        self_attention: bool = False,
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(features=features, outputs=outputs)
        check_sizes(0, encoder_layers=encoder_layers)
        if pool == "flatten" and isinstance(symbols, nn.Module):
            raise ValueError(
                f"symbols is a {type(symbols).__name__}; with pool='flatten' expected their number"
            )
        heads = as_heads(heads, dim)
        where = {"device": device, "dtype": dtype}
        norms = {"norm_first": norm_first, "layer_norm_eps": layer_norm_eps}
        shared = {"hidden": hidden, "dropout": dropout, **norms, **where}
        states = {"symbols": symbols, "symbol_dim": symbol_dim, "self_attention": self_attention}
        abstractor = Abstractor(dim, heads, layers, kind=kind, **states, **shared)
        encoder = None
        if encoder_layers:
            last = nn.LayerNorm(dim, eps=layer_norm_eps, **where) if norm_first else None
            body = [EncoderLayer(dim, heads.plain, **shared) for _ in range(encoder_layers)]
            encoder = Encoder(body, dropout=dropout, norm=last)
        width = dim if symbol_dim is None else symbol_dim
        super().__init__(
            nn.Linear(features, dim, **where),
            abstractor,
            nn.Linear(width * (symbols if pool == "flatten" else 1), outputs, **where),
            encoder=encoder,
            pool=pool,
        )
        self._count = symbols if pool == "flatten" else None

    def forward(self, objects: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        check_embeddable("objects", objects, self.source)
        if self._count is not None and objects.shape[-2] != self._count:
            raise ValueError(
                f"objects has shape {tuple(objects.shape)}; expected {self._count} objects with "
                "pool='flatten', one for each symbol"
            )
        return super().forward(objects, key_padding_mask)

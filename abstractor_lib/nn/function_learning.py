"""Transformers that predict the next point of a curve (Segert & Cohen 2023).

A token is an observation with its place: of the 1d model (x_i, y_i), of the relational model
(x_i, x_j, S(y_i, y_j)), i < j. A query is a place whose value is asked for, with a 0 in its stead.
No token attends to a query. What is computed of the observed tokens is kept, so that queries alone
are computed anew for each further point.

Shapes: ``b`` curves, ``N`` observed points, ``m`` observed tokens, ``q`` queries, ``c`` coordinates
of a token, ``d`` features.
"""

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import Device, DType, check_flags, check_sizes, check_unused, check_word, shown
from .gated_attention import GatedLayer, Gating
from .learned_window import LearnedWindow
from .similarity import SIMILARITIES
from .simplicial_attention import without_autocast

START = (2.0, 5.0)  # a and b of a window
STRETCH = 48  # queries of the causal attention at a time
MASKS, QUERIES = ("strict", "itself", "none"), ("observed", "mask")


def at_least_single(y: Tensor) -> torch.dtype:
    """The dtype of places for curves y: theirs, but float32 in half precision, which has no number
    for each place above 256.

    Example:
        >>> at_least_single(torch.zeros(1, dtype=torch.bfloat16))
        torch.float32
    """
    return torch.promote_types(y.dtype, torch.float32)


class Kept(NamedTuple):
    """What a model keeps of its observed tokens.

    Attributes:
        places: coordinates, ``(m, c)``.
        layers: keys and values of each layer, ``(b, h, m, k)``.
    """

    places: Tensor
    layers: list[tuple[Tensor, Tensor]]


class Prediction(NamedTuple):
    """Of a point: the value, and its standard deviation where the model estimates it, ``(b,)``."""

    value: Tensor
    deviation: Tensor | None


class CurveModel(nn.Module, ABC):
    """What both models have in common.

    Where the paper is silent there is an argument, whose default is explained with it; `GatedLayer`
    says why ``layer_norm_eps`` and ``dropout`` are no arguments.

    Args:
        dim, heads, layers: of the Transformer.
        hidden: feed-forward width; None for ``4 * dim``.
        window: gate the attention weights by `LearnedWindow`.
        mask: which observed tokens an observed token attends to, with and without a window, so
            that the window alone differs. ``strict``: those before it in each coordinate, as the
            indicators are printed; ``itself``: those not after it in any; ``none``: all.
        queries: ``observed``: a query attends to all observed tokens; ``mask``: as observed tokens
            do. Under the printed indicators the relational query (1, N + 1) would attend to
            nothing, and its estimate could not depend on the curve.
        gating: see `gated_attention`. By default a softmax over the tokens that the mask leaves is
            multiplied by F, "a multiplicative gating on the corresponding attention self-attention
            weight"; without F the mask is left.
        shared: one window for all layers; otherwise one each. The ``state_dict`` then holds one
            tensor under several names: save it by ``safetensors.torch.save_model``.
        start: a and b of the window at the start; None for 2 and 5.
        norm_first: pre-norm instead of post-norm, which is torch's default.
        device, dtype: of the parameters.

    Raises:
        ValueError: for sizes below one, heads that do not divide ``dim``, an unknown word, or a
            ``start`` without a window.
    """

    coordinates: int

    def __init__(
        self,
        dim: int,
        heads: int,
        layers: int,
        hidden: int | None = None,
        *,
        window: bool = False,
        mask: Literal["strict", "itself", "none"] = "strict",
        queries: Literal["observed", "mask"] = "observed",
        gating: Gating = "weights",
        shared: bool = False,
        start: tuple[float, float] | None = None,
        norm_first: bool = False,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, heads=heads, layers=layers)
        check_word("mask", mask, MASKS)
        check_word("queries", queries, QUERIES)
        check_flags(window=window, shared=shared, norm_first=norm_first)
        if not window:
            check_unused("a model without a window", start=start)
        start = START if start is None else start
        where = {"device": device, "dtype": dtype}
        windows = [LearnedWindow(*start, **where) for _ in range(layers)]
        for one in windows[1:] if shared else ():  # parameters, not one module: so torch ties them
            one.log_a, one.log_b = windows[0].log_a, windows[0].log_b
        self.embed = nn.Linear(self.coordinates + 1, dim, **where)
        self.layers = nn.ModuleList(
            GatedLayer(
                dim,
                heads,
                hidden,
                window=one if window else None,
                gating=gating,
                norm_first=norm_first,
                **where,
            )
            for one in windows
        )
        self.norm = nn.LayerNorm(dim, **where) if norm_first else nn.Identity()
        self.read_out = nn.Linear(dim, 1, **where)
        self.mask, self.queries, self.gating, self.window = mask, queries, gating, window

    @property
    def causal(self) -> bool:
        """Whether observed tokens do not change when points are added, so that they can be kept."""
        return self.mask != "none" and self.gating != "all"

    @abstractmethod
    def tokens(self, x: Tensor, y: Tensor, first: int) -> tuple[Tensor, Tensor]:
        """Observed tokens that the points from number ``first`` (from 0) on add: places ``(m, c)``
        and values ``(b, m)``, in the order of the points."""

    @abstractmethod
    def asked(self, x: Tensor, at: Tensor) -> Tensor:
        """Places ``(q, c)`` of the queries for the point at ``at``, ``()``."""

    @abstractmethod
    def estimates(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Outputs ``(b, q)`` as what is compared with `target`, ``(b, q)``."""

    @abstractmethod
    def target(self, following: Tensor, observed: int) -> Tensor:
        """What `forward` should give if y_{N+1} is ``following``: ``(b,) -> (b, q)``."""

    @abstractmethod
    def predict(self, estimates: Tensor) -> Prediction:
        """The prediction of y_{N+1} that estimates ``(b, q)`` amount to."""

    def check_curves(self, y: Tensor) -> None:
        """Raise ValueError unless ``y`` is ``(b, N)``, with enough points to make a token of."""
        if y.dim() != 2 or y.shape[1] < self.coordinates:
            raise ValueError(
                f"y has shape {tuple(y.shape)}; expected (curves, points) with at least "
                f"{self.coordinates} points"
            )

    def observe(
        self, x: Tensor, y: Tensor, kept: Kept | None = None, first: int = 0, ordered: bool = True
    ) -> Kept:
        """Keys and values of the tokens of points ``(N,)``, ``(b, N)``; of those from number
        ``first`` on where those before are ``kept``. ``ordered``: x rises."""
        places, values = self.tokens(x, y, first)
        features = self._embedded(places, values)  # (b, m, d)
        every = places if kept is None else torch.cat([kept.places, places])
        ignore, distances = self._ignored(places, every), self._distances(places, every)
        stretch = STRETCH if ordered and self.causal else None
        found = []
        for number, layer in enumerate(self.layers):
            pair = layer.keys_values(features)
            if kept is not None:
                before = kept.layers[number]
                pair = tuple(torch.cat(two, dim=-2) for two in zip(before, pair, strict=True))
            found.append(pair)
            if layer is not self.layers[-1]:  # of the last one keys and values are all
                features = layer(features, *pair, ignore, distances, stretch)
        return Kept(every, found)

    def ask(self, x: Tensor, y: Tensor, at: Tensor, kept: Kept) -> Tensor:
        """Estimates of the queries for the point at ``at``, ``(b, q)``."""
        places = self.asked(x, at)
        features = self._embedded(places, y.new_zeros(y.shape[0], len(places)))  # (b, q, d)
        ignore = self._ignored(places, kept.places) if self.queries == "mask" else None
        distances = self._distances(places, kept.places)
        for layer, pair in zip(self.layers, kept.layers, strict=True):
            features = layer(features, *pair, ignore, distances)
        return self.estimates(self.read_out(self.norm(features)).squeeze(-1), y)

    def forward(self, y: Tensor, x: Tensor | None = None) -> Tensor:
        """Estimates for the point after the curve, ``(b, N) -> (b, q)``; see `target`.

        Args:
            y: observed values.
            x: ``(N + 1,)``, where they and the query are; None for 1, ..., N + 1. They need not
                rise, but pairs of a relational model are (i, j) with i before j in this order, so
                another order of the same points is another input to it.

        Raises:
            ValueError: for another shape, or too few points to make a token of.
        """
        self.check_curves(y)
        ordered, places = x is None, y.shape[1] + 1
        x = torch.arange(1, places + 1, device=y.device) if x is None else x
        if x.shape != (places,):
            raise ValueError(
                f"x has shape {tuple(x.shape)}; expected ({places},), a place for each of the "
                f"{places - 1} points of y and one for the query"
            )
        x = x.to(at_least_single(y))
        kept = self.observe(x[:-1], y, ordered=ordered)
        return self.ask(x[:-1], y, x[-1], kept)

    def _embedded(self, places: Tensor, values: Tensor) -> Tensor:
        places = places.expand(values.shape[0], *places.shape)  # (b, m, c)
        tokens = torch.cat([places, values.unsqueeze(-1).to(places.dtype)], dim=-1)
        weight, bias = self.embed.weight, self.embed.bias
        # In half precision 256 and 257 are one number; their embeddings need not be.
        exact = torch.promote_types(tokens.dtype, weight.dtype)
        with without_autocast(tokens):
            embedded = F.linear(tokens.to(exact), weight.to(exact), bias.to(exact))
        return embedded.to(weight.dtype)

    def _ignored(self, places: Tensor, others: Tensor) -> Tensor | None:
        """Which tokens at ``others`` those at ``places`` do not attend to, ``(n, m)``."""
        if self.mask == "none":
            return None
        places, others = places[:, None], others[None]
        # 1[i > i'] 1[j > j']
        seen = places > others if self.mask == "strict" else places >= others  # (n, m, c)
        return ~seen.all(dim=-1)

    def _distances(self, places: Tensor, others: Tensor) -> Tensor | None:
        """``(c, n, m)``."""
        return (places.T[:, :, None] - others.T[:, None]).abs() if self.window else None

    def extra_repr(self) -> str:
        return shown(self, "window", "mask", "queries", "gating")


class CurveTransformer(CurveModel):
    """The 1d Transformer: tokens (x_i, y_i), one query (x_{N+1}, 0), which gives y_{N+1}.

    Segert & Cohen 2023, Comparison model, after Garg et al. 2022.

    Args:
        dim, heads, layers, hidden, window, mask, queries, gating, shared, start, norm_first: see
            `CurveModel`.
        device, dtype: of the parameters.

    Returns:
        ``forward(y)``: ``(b, N) -> (b, 1)``.

    Example:
        >>> model = CurveTransformer(256, heads=8, layers=12)
        >>> sum(p.numel() for p in model.parameters())
        9478145
        >>> model(torch.zeros(2, 20)).shape
        torch.Size([2, 1])
    """

    coordinates = 1

    def tokens(self, x: Tensor, y: Tensor, first: int) -> tuple[Tensor, Tensor]:
        return x[first:, None], y[:, first:]

    def asked(self, x: Tensor, at: Tensor) -> Tensor:
        return at.reshape(1, 1)

    def estimates(self, outputs: Tensor, y: Tensor) -> Tensor:
        return outputs

    def target(self, following: Tensor, observed: int) -> Tensor:
        return following.unsqueeze(-1)

    def predict(self, estimates: Tensor) -> Prediction:
        return Prediction(estimates[:, 0], None)


class RelationalCurveTransformer(CurveModel):
    """The relational Transformer: tokens (x_i, x_j, S(y_i, y_j)), i < j <= N, and queries
    (x_i, x_{N+1}, 0), i <= N + 1, each of which gives S(y_i, y_{N+1}).

    Each query but the last gives an estimate of y_{N+1}, since S can be undone: with the signed
    difference y_i - S(y_i, y_{N+1}). The prediction is their median; its uncertainty is their
    sample standard deviation.

    Segert & Cohen 2023, Incorporating Similarity Matrix Bottleneck; Function Extrapolation.

    Args:
        similarity: ``difference`` or ``learned``; see `similarity`.
        dim, heads, layers, hidden, window, mask, queries, gating, shared, start, norm_first: see
            `CurveModel`.
        device, dtype: of the parameters.

    Returns:
        ``forward(y)``: ``(b, N) -> (b, N + 1)``: N estimates of y_{N+1}, then
        S(y_{N+1}, y_{N+1}), which is 0. With the signed difference the square errors of the
        estimates are those of the predicted row of similarities.

    Example:
        >>> model = RelationalCurveTransformer(64, heads=4, layers=2, window=True)
        >>> found = model(torch.randn(2, 20))
        >>> found.shape, model.predict(found).deviation.shape
        (torch.Size([2, 21]), torch.Size([2]))
    """

    coordinates = 2

    def __init__(
        self,
        dim: int,
        heads: int,
        layers: int,
        hidden: int | None = None,
        *,
        window: bool = False,
        similarity: Literal["difference", "learned"] = "difference",
        mask: Literal["strict", "itself", "none"] = "strict",
        queries: Literal["observed", "mask"] = "observed",
        gating: Gating = "weights",
        shared: bool = False,
        start: tuple[float, float] | None = None,
        norm_first: bool = False,
        device: Device = None,
        dtype: DType = None,
    ):
        check_word("similarity", similarity, SIMILARITIES)
        super().__init__(
            dim,
            heads,
            layers,
            hidden,
            window=window,
            mask=mask,
            queries=queries,
            gating=gating,
            shared=shared,
            start=start,
            norm_first=norm_first,
            device=device,
            dtype=dtype,
        )
        self.similarity = SIMILARITIES[similarity]().to(device=device, dtype=dtype)

    def tokens(self, x: Tensor, y: Tensor, first: int) -> tuple[Tensor, Tensor]:
        i, j = torch.triu_indices(len(x), len(x), 1, device=x.device)
        order = (j * len(x) + i).argsort()  # row by row of the lower triangle
        i, j = i[order], j[order]
        start = max(first * (first - 1) // 2, 0)
        i, j = i[start:], j[start:]
        return torch.stack([x[i], x[j]], dim=1), self.similarity(y[:, i], y[:, j])

    def asked(self, x: Tensor, at: Tensor) -> Tensor:
        rows = torch.cat([x, at.reshape(1)])
        return torch.stack([rows, at.expand(len(rows))], dim=1)

    def estimates(self, outputs: Tensor, y: Tensor) -> Tensor:
        found = self.similarity.invert(y, outputs[:, :-1])  # (b, N)
        return torch.cat([found, outputs[:, -1:]], dim=1)

    def target(self, following: Tensor, observed: int) -> Tensor:
        own = torch.zeros_like(following).unsqueeze(-1)
        return torch.cat([following.unsqueeze(-1).expand(-1, observed), own], dim=1)

    def predict(self, estimates: Tensor) -> Prediction:
        ensemble = estimates[:, :-1]
        if not len(ensemble):  # torch has no quantile of nothing
            return Prediction(ensemble.new_empty(0), ensemble.new_empty(0))
        median = ensemble.to(at_least_single(ensemble)).quantile(0.5, dim=1)
        return Prediction(median.to(ensemble.dtype), ensemble.std(dim=1))

"""The agents of "Logic and the 2-Simplicial Transformer": observations to actions and values.

An agent is made of three parts: what turns an observation into entities, a `SimplicialTransformer`,
and what reads actions and a value off the entities. `relational_transformer` and
`simplicial_transformer` have the paper's sizes, and so have the defaults of the other parts.

Shapes: ``b`` any batch dimensions, ``n`` entities, ``d`` features, ``a`` actions.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_features, check_sizes, check_some, shown
from .feedforward import MLP
from .simplicial_block import Sharing, SimplicialBlock, SimplicialTransformer, SimplicialWeights

KERNEL = 2  # rows and columns of each convolution's kernel


class PictureEntities(nn.Module):
    """A picture as entities: two convolutions of 2 x 2, a linear map without bias, and the place.

    An entity sees 3 x 3 tiles. The last two features are its row and its column, each evenly spaced
    from -1 to 1, and are not learned. Entities stand row by row.

    Args:
        rows, columns: of the picture, in tiles.
        dim: features ``d`` of an entity, the two of its place among them.
        filters: of the convolutions.
        codes: how many kinds of tiles there are, if pictures hold a whole number for each tile in
            place of its colour; the convolutions then see which kind it is, one-hot.
        device, dtype: of the parameters.

    Returns:
        ``forward(pictures)``: ``(b, rows, columns, 3) -> (b, (rows - 2) (columns - 2), d)``.
        Pictures are numbers from 0 to 255 of any dtype; with ``codes`` they are ``(b, rows,
        columns)``, below it.

    Raises:
        ValueError: for pictures of less than 4 x 4 tiles, sizes below one, or a ``dim`` below 3;
            when called, for pictures of another shape.

    Source: Logic and the 2-Simplicial Transformer, section 4.

    Example:
        >>> entities = PictureEntities(7, 10)
        >>> entities(torch.zeros(5, 7, 10, 3, dtype=torch.uint8)).shape
        torch.Size([5, 40, 64])
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        dim: int = 64,
        filters: tuple[int, int] = (12, 24),
        codes: int | None = None,
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        first, second = filters
        channels = 3 if codes is None else codes
        check_sizes(rows=rows, columns=columns, dim=dim, filters=min(filters), codes=channels)
        if min(rows, columns) < 4:
            raise ValueError(f"rows is {rows} and columns {columns}; expected at least 4 each")
        if dim < 3:
            raise ValueError(f"dim is {dim}; expected at least 3, since two features are the place")
        where = {"device": device, "dtype": dtype}
        self.rows, self.columns, self.dim, self.codes = rows, columns, dim, codes
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, first, KERNEL, **where),
            nn.ReLU(),
            nn.Conv2d(first, second, KERNEL, **where),
            nn.ReLU(),
        )
        self.project = nn.Linear(second, dim - 2, bias=False, **where)
        down, across = (torch.linspace(-1, 1, size - 2, **where) for size in (rows, columns))
        places = torch.cartesian_prod(down, across)  # (n, 2)
        self.register_buffer("places", places, persistent=False)

    def forward(self, pictures: Tensor) -> Tensor:
        wanted = (self.rows, self.columns) if self.codes else (self.rows, self.columns, 3)
        if pictures.shape[-len(wanted) :] != wanted:
            sizes = ", ".join(map(str, wanted))
            raise ValueError(f"pictures has shape {tuple(pictures.shape)}; expected (..., {sizes})")
        kind = self.project.weight.dtype
        if self.codes:
            tiles = nn.functional.one_hot(pictures.long(), self.codes).to(kind)
        else:
            tiles = pictures.to(kind) / 255
        channels = tiles.movedim(-1, -3)  # (b, 3 or codes, r, c)
        batch = channels.shape[:-3]
        tiles = self.convolutions(
            channels.reshape(-1, *channels.shape[-3:])
        )  # (B, f, r - 2, c - 2)
        seen = self.project(tiles.flatten(-2).transpose(-2, -1))
        seen = seen.reshape(*batch, *seen.shape[1:])
        places = self.places.expand(*batch, -1, -1).to(seen.dtype)
        return torch.cat([seen, places], dim=-1)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "rows", "columns", "dim", "codes")


class TokenEntities(nn.Module):
    """Tokens of several whole numbers as entities: the sum of an embedding for each number.

    Args:
        counts: how many values each number of a token may have.
        dim: features ``d`` of an entity.
        device, dtype: of the parameters.

    Returns:
        ``forward(tokens)``: whole numbers ``(b, n, len(counts)) -> (b, n, d)``.

    Raises:
        ValueError: for sizes below one; when called, for tokens of another width.

    Example:
        >>> TokenEntities((24, 24, 12), 32)(torch.zeros(5, 12, 3, dtype=torch.int64)).shape
        torch.Size([5, 12, 32])
    """

    def __init__(
        self, counts: Sequence[int], dim: int, *, device: Device = None, dtype: DType = None
    ):
        super().__init__()
        check_sizes(dim=dim, counts=min(counts, default=0))
        self.counts, self.dim = tuple(counts), dim
        where = {"device": device, "dtype": dtype}
        self.embeddings = nn.ModuleList(nn.Embedding(count, dim, **where) for count in counts)

    def forward(self, tokens: Tensor) -> Tensor:
        check_features("tokens", tokens, len(self.counts))
        parts = zip(self.embeddings, tokens.long().unbind(dim=-1), strict=True)
        return torch.stack([embed(number) for embed, number in parts]).sum(dim=0)  # (b, n, d)

    def extra_repr(self) -> str:
        return shown(self, "counts", "dim")


class Answer(NamedTuple):
    """What an agent says of an observation.

    Attributes:
        logits: of the actions, ``(b, a)``.
        value: the discounted reward that it expects, ``(b,)``.
    """

    logits: Tensor
    value: Tensor


class MaximumReadout(nn.Module):
    """Actions and value from the maximum of each feature over all entities, by dense layers.

    Args:
        dim: features ``d`` of an entity.
        actions: how many there are.
        hidden: widths of the dense layers, each with relu.
        device, dtype: of the parameters.

    Returns:
        ``forward(entities)``: ``(b, n, d) ->`` `Answer`.

    Raises:
        ValueError: for sizes below one.

    Source: Logic and the 2-Simplicial Transformer, section 4; biases of the last layer, of which
    the text does not speak, as in the public code.

    Example:
        >>> sum(one.numel() for one in MaximumReadout(64, 4).parameters())
        215301
    """

    def __init__(
        self,
        dim: int,
        actions: int,
        hidden: Sequence[int] = (256, 256, 256, 256),
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(dim=dim, actions=actions)
        where = {"device": device, "dtype": dtype}
        self.network = MLP([dim, *hidden], activate_last=True, **where)
        self.policy = nn.Linear(hidden[-1], actions, **where)
        self.value = nn.Linear(hidden[-1], 1, **where)

    def forward(self, entities: Tensor) -> Answer:
        _check(entities, self.network)
        state = self.network(entities.amax(dim=-2))  # (b, hidden)
        return Answer(self.policy(state), self.value(state).squeeze(-1))


class ScoringReadout(nn.Module):
    """Each action is scored by the entity that it is about; the value comes from the maximum.

    The paper reads actions off one maximum over all entities (`MaximumReadout`). An action that
    chooses an object can be scored by what its entity has become, which spares the network to
    say in one vector which of the objects is meant.

    Args:
        dim: features ``d`` of an entity.
        places: for each action the number of its entity.
        hidden: width of the hidden layer of the score and of the value.
        device, dtype: of the parameters.

    Returns:
        ``forward(entities)``: ``(b, n, d) ->`` `Answer`.

    Raises:
        ValueError: for sizes below one, no places, or places of which there are no entities.

    Example:
        >>> answer = ScoringReadout(64, [3, 0])(torch.zeros(5, 40, 64))
        >>> answer.logits.shape, answer.value.shape
        (torch.Size([5, 2]), torch.Size([5]))
    """

    def __init__(
        self,
        dim: int,
        places: Sequence[int],
        hidden: int = 64,
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        if not len(places) or min(places) < 0:
            raise ValueError(
                f"places is {list(places)}; expected the number of an entity, 0 or more, for each "
                "action"
            )
        self._count = 1 + int(max(places))
        where = {"device": device, "dtype": dtype}
        self.score = MLP([dim, hidden, 1], **where)
        self.value = MLP([dim, hidden, 1], **where)
        numbers = torch.tensor(places, device=device)
        self.register_buffer("places", numbers, persistent=False)

    def forward(self, entities: Tensor) -> Answer:
        _check(entities, self.score)
        if entities.shape[-2] < self._count:
            raise ValueError(
                f"entities has shape {tuple(entities.shape)}; expected at least {self._count} "
                "entities, as places name"
            )
        about = entities.index_select(-2, self.places)  # (b, a, d)
        value = self.value(entities.amax(dim=-2))
        return Answer(self.score(about).squeeze(-1), value.squeeze(-1))


def _check(entities: Tensor, network: MLP) -> None:
    """One entity or more, of as many features as the network takes."""
    check_features("entities", entities, network[0].in_features, network[0].weight)
    check_some("entities", entities)


class ActorCritic(nn.Module):
    """Observation to entities, to entities that know of each other, to actions and a value.

    Args:
        entities: `PictureEntities`, `TokenEntities`, or any module to ``(b, n, d)``.
        transformer: ``(b, n, d) -> (b, n, d)``, such as `SimplicialTransformer`.
        readout: `MaximumReadout`, `ScoringReadout`, or any module from ``(b, n, d)`` to `Answer`.

    Returns:
        ``forward(observations)``: `Answer`; with ``need_weights`` also a list of
        `SimplicialWeights`, one for each iteration of the transformer.

    Source: Logic and the 2-Simplicial Transformer, section 4.

    Example:
        >>> def agent(transformer):
        ...     return ActorCritic(PictureEntities(7, 10), transformer, MaximumReadout(64, 4))
        >>> sum(one.numel() for one in agent(relational_transformer()).parameters())
        239241
        >>> sum(one.numel() for one in agent(simplicial_transformer()).parameters())
        365513
    """

    def __init__(self, entities: nn.Module, transformer: nn.Module, readout: nn.Module):
        super().__init__()
        self.entities, self.transformer, self.readout = entities, transformer, readout

    def forward(
        self, observations: Tensor, *, need_weights: bool = False
    ) -> Answer | tuple[Answer, list[SimplicialWeights]]:
        entities = self.entities(observations)  # (b, n, d)
        if not need_weights:
            return self.readout(self.transformer(entities))
        entities, weights = self.transformer(entities, need_weights=True)
        return self.readout(entities), weights


def relational_transformer(
    dim: int = 64,
    *,
    heads: int = 2,
    key_dim: int = 32,
    iterations: int = 2,
    virtual: int = 0,
    sharing: Sharing = "weights",
    **options: Any,
) -> SimplicialTransformer:
    """The blocks of the paper's relational agent: two iterations of one standard block.

    Args:
        dim, heads, key_dim, options: of the `SimplicialBlock`.
        iterations, virtual, sharing: of the `SimplicialTransformer`. The paper's control has four
            iterations; with virtual entities all entities see them.

    Source: Logic and the 2-Simplicial Transformer, section 4.

    Example:
        >>> sum(one.numel() for one in relational_transformer(iterations=4).parameters())
        21632
    """
    block = SimplicialBlock(dim, heads, key_dim, **options)
    return SimplicialTransformer(block, iterations, virtual=virtual, sharing=sharing)


def simplicial_transformer(
    dim: int = 64,
    *,
    heads: int = 2,
    key_dim: int = 32,
    simplicial_dim: int = 48,
    iterations: int = 2,
    virtual: int = 2,
    sharing: Sharing = "weights",
    **options: Any,
) -> SimplicialTransformer:
    """The blocks of the paper's simplicial agent: two iterations of one block with one
    2-simplicial head, whose pairs are those of two virtual entities.

    Args:
        dim, heads, key_dim, simplicial_dim, options: of the `SimplicialBlock`.
        iterations, virtual, sharing: of the `SimplicialTransformer`.

    Source: Logic and the 2-Simplicial Transformer, section 4.

    Example:
        >>> sum(one.numel() for one in simplicial_transformer().parameters())
        147392
    """
    options = {"simplicial_heads": 1, "simplicial_dim": simplicial_dim, **options}
    block = SimplicialBlock(dim, heads, key_dim, **options)
    return SimplicialTransformer(block, iterations, virtual=virtual, sharing=sharing)

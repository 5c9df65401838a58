"""An Abstractor whose symbols and embedding are random and stay so: only relations and the head
can learn.

Shapes: ``b`` batch, ``m`` cards, ``d`` features of a card, ``r`` relations, ``s`` of a symbol.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from ... import nn as lib


class RandomSymbols(nn.Module):
    """Cards to answers: embedding, relations, symbols mixed by each relation, dense head.

    Args:
        dim: features ``d`` of a card.
        embed: features of the random embedding.
        cards: how many, ``m``.
        relations, key_dim, scale: of `MultiHeadRelation`, with sigmoid and biases; None for
            relations that are given in place of the cards.
        symbol_dim: features ``s`` of a symbol, shared by the relations.
        head: widths of the hidden dense layers.

    Returns:
        ``forward(cards)``: ``(b, m, d) -> (b, 1)``, or ``(b, r, m, m) -> (b, 1)`` if relations are
        given.

    Example:
        >>> import torch
        >>> model = RandomSymbols(32, 64, cards=3, relations=4, key_dim=64, scale=50 / 64,
        ...     symbol_dim=15, head=(128, 64))
        >>> model(torch.zeros(2, 3, 32)).shape
        torch.Size([2, 1])
    """

    def __init__(
        self,
        dim: int,
        embed: int,
        *,
        cards: int,
        relations: int,
        key_dim: int | None,
        scale: float,
        symbol_dim: int,
        head: Sequence[int],
    ):
        super().__init__()
        if key_dim is None:
            self.embed, self.relation = nn.Identity(), lib.GivenRelation()
        else:
            self.embed = nn.Linear(dim, embed)
            self.relation = lib.MultiHeadRelation(
                embed, relations, key_dim, bias=True, activation="sigmoid", scale=scale
            )
        self.symbols = lib.LearnedSymbols(cards, symbol_dim)
        self.head = lib.MLP([cards * relations * symbol_dim, *head, 1])
        self.embed.requires_grad_(False)
        self.symbols.requires_grad_(False)

    def forward(self, cards: Tensor) -> Tensor:
        relations = self.relation(self.embed(cards))  # (b, r, m, m)
        # A_i = sum_j R_ij s_j, for each relation
        messages = lib.symbolic_message_passing(relations, self.symbols(relations))  # (b, r, m, s)
        return self.head(messages.flatten(-3))

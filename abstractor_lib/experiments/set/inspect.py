"""Looking inside a trained model of SET classification, and playing with it.

Shapes: ``n`` triples, ``d`` features of a card's embedding, ``r`` relation dimensions.
"""

from collections.abc import Mapping
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.set_game import CARDS, deal, find_sets, is_set
from .build import build
from .data import broken_attributes, trial
from .inside import agreement

__all__ = ["Mistakes", "Player", "Round", "agreement", "deals", "mistakes", "play"]


class Player:
    """A trained classifier of triples, in double precision: pictures of it are the same on every
    processor.

    Args:
        spec: the run.
        state: the weights of one of its trials, with the ``embeddings`` of the cards ``(81, d)``.
    """

    def __init__(self, spec: Spec, state: Mapping[str, Tensor]):
        weights = {name: value.double() for name, value in state.items()}
        self.spec, self.embeddings = spec, weights.pop("embeddings")
        self.model = build(spec.model, self.embeddings.shape[1]).double().eval()
        self.model.load_state_dict(weights)

    @torch.no_grad()
    def chance(self, triples: np.ndarray) -> np.ndarray:
        """The probability that each triple is a SET, by the model, ``(n, 3) -> (n,)``."""
        outputs = self.model(self.embeddings[torch.from_numpy(np.ascontiguousarray(triples))])
        return outputs.softmax(dim=-1)[:, 1].numpy()

    def mean_chance(self, triples: np.ndarray) -> np.ndarray:
        """The same, as the mean over the six orders of three cards: a SET has no order."""
        triples = np.asarray(triples)
        return np.mean([self.chance(triples[:, list(p)]) for p in permutations(range(3))], axis=0)

    def find(self, cards: np.ndarray, level: float = 0.5) -> pd.DataFrame:
        """Every triple of some cards with the model's probability and the truth.

        Returns:
            Columns ``first, second, third, chance, called, right``, those called a SET first.
        """
        triples = np.array(list(combinations(sorted(np.asarray(cards).tolist()), 3)))
        table = pd.DataFrame(triples, columns=["first", "second", "third"])
        table["chance"] = self.mean_chance(triples).round(6)
        table["called"] = table["chance"] >= level
        table["right"] = is_set(triples)
        # Stable, so that equal chances come in one order on every processor.
        return table.sort_values("chance", ascending=False, kind="stable", ignore_index=True)

    @torch.no_grad()
    def relations(self) -> np.ndarray:
        """The relations of all pairs of cards, before any softmax, ``(r, 81, 81)``.

        Raises:
            ValueError: if the model has no multi-head relation.
        """
        found = [part for part in self.model.modules() if isinstance(part, lib.MultiHeadRelation)]
        if not found:
            name = self.spec.model.name
            raise ValueError(f"spec is a run of {name}, which has no multi-head relation")
        embed = self.model.get_submodule("0")
        assert isinstance(embed, nn.Linear)
        relation, embedded = found[0], embed(self.embeddings)  # (81, embed)
        left = relation.left(embedded)  # (r, 81, p)
        right = left if relation.right is None else relation.right(embedded)
        return (left @ right.transpose(-2, -1)).numpy()


class Mistakes(NamedTuple):
    """Test triples that a model answers wrongly, the most certain first.

    Attributes:
        cards: ``(n, 3)``.
        chance: of a SET, by the model, ``(n,)``.
        broken: in how many attributes the triple breaks the rule; 0 for a SET, ``(n,)``.
    """

    cards: np.ndarray
    chance: np.ndarray
    broken: np.ndarray


def mistakes(player: Player, number: int) -> Mistakes:
    """The errors of a model on the test triples of its trial ``number``."""
    test = trial(player.spec.task, number, player.spec.draw).test
    chance = player.chance(test.cards)
    wrong = np.flatnonzero((chance >= 0.5) != is_set(test.cards))
    wrong = wrong[np.argsort(-np.abs(chance[wrong] - 0.5).round(9), kind="stable")]
    cards = test.cards[wrong]
    return Mistakes(cards, chance[wrong], broken_attributes(cards))


class Round(NamedTuple):
    """What lies on the table, and what a model makes of it.

    Attributes:
        cards: ``(n,)``, in the order in which they were dealt.
        triples: see `Player.find`.
    """

    cards: np.ndarray
    triples: pd.DataFrame


def play(player: Player, generator: np.random.Generator, level: float = 0.5) -> list[Round]:
    """A model plays: twelve cards are dealt, and three more as long as there is no SET among them,
    as the rules say; all by the exact answer.

    Returns:
        A round for each number of cards on the table; the last one holds a SET.
    """
    shuffled = deal(generator, CARDS)
    count, rounds = 12, []
    while True:
        cards = shuffled[:count]
        rounds.append(Round(cards, player.find(cards, level)))
        if len(find_sets(cards)) or count == CARDS:
            return rounds
        count += 3


def deals(player: Player, levels: tuple[float, ...], count: int = 50) -> pd.DataFrame:
    """How a model plays, over many deals: SETs on the last tables that it finds and misses, and
    triples that it wrongly calls one.

    Args:
        levels: the probabilities above which it calls a triple a SET; a column each.
    """
    counted = {}
    for level in levels:
        generators = (np.random.default_rng(1000 + number) for number in range(count))
        every = pd.concat([play(player, one, level)[-1].triples for one in generators])
        called, right = every["called"], every["right"]
        found = {
            "SETs found": called & right,
            "SETs missed": ~called & right,
            "wrongly called a SET": called & ~right,
        }
        column = {name: int(some.sum()) for name, some in found.items()}
        counted[f"called from {level:.3f}"] = column
    return pd.DataFrame(counted).rename_axis(f"triples of {count} deals")

"""Self-attention beside relational cross-attention: what of the objects leaves each (v3 Figure 1).

Shapes: ``m`` objects, ``d`` features.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from ... import nn as lib
from ...tasks.randomness import generator
from ...theory.bottleneck import unseen_directions
from ..keywords import Keywords
from . import diagrams

LAST = "change\nof i by j"


class Example(NamedTuple):
    """Ten objects, and two layers that compute the same relations of them.

    Attributes:
        objects: ``(m, d)``.
        others: each object moved in directions that no relation sees, ``(m, d)``.
        symbols: ``(m, d)``.
        attention, relational: the layers.
    """

    objects: Tensor
    others: Tensor
    symbols: Tensor
    attention: lib.MultiHeadAttention
    relational: lib.RelationalCrossAttention


def example(m: int = 10, d: int = 16) -> Example:
    """Both layers get the same query and key maps; value and output maps are the identity. Their
    weights are drawn from torch's generator."""
    double: Keywords = {"dtype": torch.float64}
    objects = torch.from_numpy(generator(0, "objects").normal(size=(m, d)))
    symbols = lib.LearnedSymbols(m, d, **double)(objects).detach()
    heads = lib.Heads(1, key_dim=d // 4, value_dim=d, bias=False)
    attention = lib.MultiHeadAttention(d, heads, **double)
    lib.initialise(attention, "torch")
    relational = lib.RelationalCrossAttention(d, heads, **double)
    relational.query, relational.key = attention.query, attention.key
    for layer in (attention, relational):
        layer.value.weight.data = layer.output.weight.data = torch.eye(d, **double)

    seen = (attention.get_parameter(f"{name}.weight").detach() for name in ("query", "key"))
    unseen = unseen_directions(*(one.numpy() for one in seen))  # d / 2 orthonormal directions
    unseen = torch.from_numpy(unseen)
    moves = torch.from_numpy(generator(0, "moves").normal(size=(m, d))) @ unseen.T
    return Example(objects, objects + 2 * moves @ unseen, symbols, attention, relational)


@torch.no_grad()
def changes(example: Example) -> dict[str, np.ndarray]:
    """By how much output i changes when object j alone moves: layer -> norms ``(m, m)``."""
    objects, others, symbols, attention, relational = example
    mixed, states = attention(objects, objects, objects), relational(objects, symbols)
    found = {name: np.zeros((len(objects),) * 2) for name in ("self", "relational")}
    for j in range(len(objects)):
        moved = objects.clone()
        moved[j] = others[j]
        found["self"][:, j] = (attention(moved, moved, moved) - mixed).norm(dim=-1)
        found["relational"][:, j] = (relational(moved, symbols) - states).norm(dim=-1)
    return found


@torch.no_grad()
def both(example: Example) -> tuple[Figure, pd.DataFrame]:
    """The layers step by step, a row each, and the changes that reach their outputs."""
    objects, _, symbols, attention, relational = example
    mixed, relations = attention(objects, objects, objects, need_weights=True)
    states, changed = relational(objects, symbols), changes(example)
    steps = [
        ("objects\nX", objects.numpy(), "Reds"),
        ("relations\nR", relations[0].numpy(), "Blues"),
    ]
    rows = {
        "self-attention": [
            *steps,
            ("values\nX", objects.numpy(), "Reds"),
            ("output\nR X", mixed.numpy(), "Purples"),
            (LAST, changed["self"], "Oranges"),
        ],
        "relational\ncross-attention": [
            *steps,
            ("values\nS", symbols.numpy(), "Greys"),
            ("output\nR S", states.numpy(), "Blues"),
            (LAST, changed["relational"], "Oranges"),
        ],
    }
    points = pd.concat(
        pd.DataFrame(matrix.T).melt(ignore_index=False).assign(layer=layer)
        for layer, matrix in changed.items()
    )
    points = points.rename_axis("j").reset_index()
    points = points.rename(columns={"variable": "i", "value": "change"}).round(6)
    figure = diagrams.computation(rows, between=["→", "×", "="])
    return figure, points[["layer", "i", "j", "change"]]

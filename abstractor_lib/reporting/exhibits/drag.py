"""Objects of a plane to drag: relations, self-attention and relational cross-attention follow.

Shapes: ``p`` rows of a projection, ``d`` features of an object.
"""

import json
from collections.abc import Mapping

import numpy as np

from ...theory.bottleneck import unseen_directions
from .fragment import fragment, read

POINTS = [[-2.1, 0.9], [-0.7, -1.5], [0.5, 1.7], [1.4, -0.6], [2.2, 1.0]]
ANGLES = np.deg2rad([90, 18, -54, -126, 162])  # of the symbols
SYMBOLS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).round(3).tolist()
# The relation of the picture looks at one direction alone: W_q and W_k are multiples of it.
LOOKS = np.array([[0.9, 0.44]])
QUERY, KEY = 0.5 * LOOKS, LOOKS
BIAS = 0.4  # of the query, unless the bottleneck is strict
CAPTION = """Both kinds of attention use the same relations R. Self-attention mixes the objects, \
A<sub>i</sub> = Σ<sub>j</sub> R<sub>ij</sub> x<sub>j</sub>. Relational cross-attention mixes \
symbols instead, A<sub>i</sub> = Σ<sub>j</sub> R<sub>ij</sub> s<sub>j</sub>, so that nothing but \
relations gets through. The made relation does not change along the grey lines. An object that \
moves along them changes self-attention's outputs, and leaves those of relational cross-attention \
as they are. The <em>strict bottleneck</em> leaves out relations of objects to themselves, and the \
constant terms of queries and keys. Dark lines are as thick as the relations of the object chosen \
last; blue ones are the ways of the outputs in the last move."""


def drag_an_object() -> str:
    """The exhibit as HTML.

    Example:
        >>> page = drag_an_object()
        >>> page.count("<figure"), "Relational cross-attention" in page
        (1, True)
    """
    return fragment(
        "drag-an-object",
        "Drag an object.",
        CAPTION,
        "Five objects in a plane, the matrix of their relations, and five symbols",
        data(),
        "drag",
        ["drag_rules.js", "drag.js"],
    )


def data() -> dict:
    """The objects and symbols at first, and the relations: one made for the picture, and four that
    a trained Abstractor has learned (see `learned_forms`)."""
    (along,) = unseen_directions(QUERY, KEY)
    made = {
        "name": "made",
        "forms": [form(QUERY, KEY, bias=np.array([BIAS])).tolist()],
        "along": (along * np.sign(along[np.abs(along).argmax()])).round(4).tolist(),
        "button": "without changing any relation",
        "text": "One relation, made for this picture: it looks across the grey lines alone. Drag "
        "an object, or let the button move it along the lines.",
    }
    learned = {
        "forms": json.loads(read("drag.json"))["forms"],
        "name": "learned",
        "along": [0, 1],
        "button": "where all four change least",
        "text": "Four relations of an Abstractor that has learned an order of objects of 8 "
        "features, on a plane: across is the direction that all four together see most, up the "
        "one that they see least. No direction is unseen by all. So the button changes the four "
        "together as little as can be, and a single one perhaps much.",
    }
    return {"points": POINTS, "symbols": SYMBOLS, "presets": [made, learned]}


def form(left: np.ndarray, right: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The relation <W_1 x + b, W_2 y> as a bilinear form of (x, 1) and (y, 1).

    Args:
        left, right: projections W_1 and W_2, ``(p, 2)``.
        bias: b, ``(p,)``.

    Returns:
        ``(3, 3)``, to four digits.

    Example:
        >>> form(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]), np.array([1.0])).tolist()
        [[3.0, 0.0, 0.0], [6.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
    """
    found = np.zeros((3, 3))
    found[:2, :2] = left.T @ right
    found[2, :2] = bias @ right
    return found.round(4)


def learned_forms(state: Mapping[str, np.ndarray], relations: int) -> dict:
    """The relations of a trained Abstractor on a plane of its objects' space.

    Its relations are <L (E x + e), R (E y + e)>, with E and e the embedding. The plane goes through
    the origin. It is spanned by the directions of objects that L E and R E together stretch most
    and least.

    Args:
        state: weights of the order experiment's Abstractor, as arrays.
        relations: how many there are.

    Returns:
        ``forms``: a bilinear form for each relation, ``(relations, 3, 3)``, and ``plane``: the two
        directions ``(2, d)``; both to nine digits.
    """
    left, right, plane = projections(state, relations)
    forms = []
    for one, other in zip(left @ plane.T, right @ plane.T, strict=True):  # (p, 3) each
        forms.append((one.T @ other).round(9).tolist())
    return {"forms": forms, "plane": plane[:2, :-1].round(9).tolist()}


def projections(
    state: Mapping[str, np.ndarray], relations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """L and R of each relation after the embedding, ``(relations, p, d + 1)``: the last column is
    of the embedding's bias. And the plane: its two directions and the bias, ``(3, d + 1)``."""
    embed = np.concatenate([state["0.weight"], state["0.bias"][:, None]], axis=1)  # (e, d + 1)
    sides = [
        (state[f"1.0.layers.0.relational.relation.{side}.weight"] @ embed).reshape(
            relations, -1, embed.shape[1]
        )
        for side in ("left", "right")
    ]
    stacked = np.concatenate(sides, axis=1)[..., :-1].reshape(-1, embed.shape[1] - 1)
    directions = np.linalg.svd(stacked)[2][[0, -1]]  # most and least
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    plane = np.zeros((3, embed.shape[1]))
    plane[:2, :-1], plane[2, -1] = directions * np.sign(largest), 1
    return sides[0], sides[1], plane

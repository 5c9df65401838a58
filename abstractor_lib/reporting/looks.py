"""How each model looks in every figure: one colour and one marker, colour-blind safe.

The colours differ in lightness too, and the markers in shape, so that lines can be told apart in
grey. A label that stands here looks the same in all notebooks; add a line for a new one.
"""

from collections.abc import Iterable
from typing import NamedTuple

import seaborn as sns

COLORS = dict(
    zip(
        ["blue", "orange", "green", "red", "purple", "brown", "pink", "grey", "yellow", "cyan"],
        sns.color_palette("colorblind"),
        strict=True,
    )
)

STRONGER = {  # of labels whose colour would be pale on white
    "magenta": (0.70, 0.20, 0.52),
    "pink": (0.87, 0.45, 0.70),
    "yellow": (0.72, 0.64, 0.05),
}


class Look(NamedTuple):
    """A colour, and a marker of matplotlib."""

    color: tuple[float, float, float] | str
    marker: str


LOOKS = {
    label: Look((COLORS | STRONGER)[color], marker)
    for label, color, marker in (
        ("Abstractor", "blue", "o"),
        ("Abstractor (v1)", "blue", "o"),
        ("Transformer", "orange", "s"),
        ("Transformer 2+2", "orange", "p"),
        ("Ablation", "green", "^"),
        ("symmetric CoRelNet", "red", "D"),
        ("CoRelNet (v1)", "red", "D"),
        ("asymmetric CoRelNet", "purple", "v"),
        ("MLP", "brown", "P"),
        ("PrediNet", "yellow", "X"),
        ("CoRelNet", "red", "D"),
        ("CoRelNet, no softmax", "purple", "v"),
        ("CoRelNet, no softmax, 4 heads", "purple", "<"),
        ("CoRelNet, no softmax, hidden layer", "red", "D"),
        ("CoRelNet, no softmax, 4 heads, hidden layer", "red", "X"),
        ("Abstractor, 1 relation", "cyan", "v"),
        ("Abstractor, 1 wide relation", "cyan", "D"),
        ("Abstractor, 2 relations", "blue", "^"),
        ("Abstractor, 4 relations", "blue", "o"),
        ("Abstractor, 8 relations", "blue", "p"),
        ("wide MLP", "green", "^"),
        ("Simple Abstractor", "cyan", "<"),
        ("Symbolic", "pink", ">"),
        ("relations given", "grey", "h"),
        ("trained networks", "blue", "o"),
        ("networks of the proof", "orange", "s"),
        ("truncated series", "green", "^"),
        ("built by hand, 16 features", "red", "X"),
        ("built by hand, as many features as units", "magenta", ">"),
        ("16 features, trained from random weights", "cyan", "<"),
        ("same network, trained from the one built", "grey", "D"),
        ("tanh, two layers", "blue", "o"),
        ("random waves", "purple", "v"),
        ("radial basis", "brown", "P"),
        ("one encoder", "blue", "o"),
        ("two encoders", "red", "D"),
        ("one step, relation given", "blue", "o"),
        ("two layers, relation given", "orange", "s"),
        ("chain of two, relation given", "green", "^"),
        ("chain of three, relation given", "magenta", ">"),
        ("one step, relation learned", "red", "D"),
        ("parity", "purple", "v"),
        ("degree", "brown", "P"),
        ("strongest", "grey", ">"),
        ("median", "cyan", "<"),
        # what a second stage of training starts from
        ("no pre-training", "grey", "o"),
        ("permuted order", "blue", "s"),
        ("permuted order, 100 epochs", "cyan", "v"),
        ("same order", "orange", "^"),
        ("new objects", "green", "D"),
        # kinds of errors in states
        ("Gaussian errors", "blue", "o"),
        ("Cauchy errors", "cyan", "s"),
        ("one-sided errors", "green", "^"),
        ("dropout", "orange", "D"),
        ("sign flips", "brown", "x"),
        ("adversarial values", "red", "v"),
        ("adversarial positions", "purple", "P"),
        # corruptions of objects
        ("additive noise", "brown", "o"),
        ("random linear map", "grey", "D"),
        ("map near the identity", "purple", "s"),
        ("random factors", "red", "^"),
        # estimators of relations
        ("least absolute deviations", "blue", "o"),
        ("least squares", "orange", "s"),
        # models of curves
        ("1d", "orange", "s"),
        ("1d, learned window", "red", "D"),
        ("relational", "blue", "o"),
        ("relational, learned window", "cyan", "v"),
        ("linear autoregression", "brown", "P"),
        ("the last value", "grey", "X"),
        # models of mathematics problems
        ("Transformer+", "green", "D"),
        ("deeper Transformer", "brown", "P"),
        ("Abstractor, retrieved symbols", "cyan", "v"),
        ("Abstractor alone", "magenta", ">"),
        # kinds of test triples
        ("SETs seen in training", "grey", ">"),
        ("new SETs", "green", "^"),
        ("other triples", "orange", "s"),
        # relatives of the Abstractor
        ("symmetric Abstractor", "cyan", "<"),
        ("linear Abstractor", "purple", "p"),
        ("Dual attention", "magenta", ">"),
        ("ESBN", "green", "^"),
        ("Relation network", "grey", "*"),
        # an external memory
        ("learned inner product", "blue", "o"),
        ("learned metric", "green", "^"),
        ("Gaussian kernel", "red", "D"),
        ("nearest neighbours", "brown", "P"),
        ("linear model", "grey", "X"),
    )
}


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """How each label looks: as registered, or in what the registered ones of these labels leave.

    Example:
        >>> found = looks(["Abstractor", "one of its own"])
        >>> found["Abstractor"].marker, found["one of its own"].color == COLORS["blue"]
        ('o', False)
    """
    labels = list(dict.fromkeys(labels))
    known = {label: LOOKS[label] for label in labels if label in LOOKS}
    taken = {look.color for look in known.values()}
    left = [color for color in COLORS.values() if color not in taken] or list(COLORS.values())
    others = [label for label in labels if label not in LOOKS]
    return known | {
        label: Look(left[k % len(left)], "os^Dv<>PX*"[k % 10]) for k, label in enumerate(others)
    }

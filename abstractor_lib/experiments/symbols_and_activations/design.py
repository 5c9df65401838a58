"""The design: which depth a combination of symbols and activation has in which seed.

The full factorial has 4 x 4 x 3 = 48 cells. It is split into three fractions of 16 cells. Each
fraction has every combination of symbols and activation once, and each depth 5 or 6 times. A block
of seeds computes one fraction, and the fractions take turns. So a seed is a block in which symbols
and activation are crossed in full, and over three blocks so is depth.
"""

from typing import Literal, NamedTuple

SymbolKind = Literal["learned", "sinusoidal", "relative", "retrieved"]
Activation = Literal["softmax", "sigmoid", "tanh", "linear"]
SYMBOLS: tuple[SymbolKind, ...] = ("learned", "sinusoidal", "relative", "retrieved")
ACTIVATIONS: tuple[Activation, ...] = ("softmax", "sigmoid", "tanh", "linear")
DEPTHS = (1, 2, 4)
FACTORS: dict[str, tuple] = {"symbols": SYMBOLS, "activation": ACTIVATIONS, "depth": DEPTHS}


class Cell(NamedTuple):
    """A combination of levels."""

    symbols: SymbolKind
    activation: Activation
    depth: int


def fraction(number: int) -> list[Cell]:
    """The 16 cells of a fraction, of which there are three; further numbers begin anew.

    Depth is a Latin square of three letters, cut off after four rows and columns as it repeats:
    index (i + j + number) mod 3 for symbols i and activation j. So part of the interaction of all
    three is confounded with blocks of seeds, and no other effect (confounding with blocks: Box,
    Hunter & Hunter 2005, chapter 5).

    Example:
        >>> fraction(0)[0], fraction(4)[0]
        (Cell(symbols='learned', activation='softmax', depth=1), \
Cell(symbols='learned', activation='softmax', depth=2))
    """
    return [
        Cell(symbols, activation, DEPTHS[(i + j + number) % len(DEPTHS)])
        for i, symbols in enumerate(SYMBOLS)
        for j, activation in enumerate(ACTIVATIONS)
    ]

"""Box World and bridge Box World: the reinforcement learning tasks of *Logic and the 2-Simplicial
Transformer*, section 3.

`rules` and `puzzles` say what an episode holds, `game` plays one in plain Python, `environment`
offers it to Gymnasium, `batched` plays many at once with torch. `policies` are scripted players,
`motifs` what can be told from the graph of a puzzle. What needs torch is not imported here, so that
runs are planned without it.
"""

from .game import Game
from .puzzles import Kind, Puzzles, draw, kinds, probability
from .rules import BRIDGE, STANDARD, Rules

__all__ = [
    "BRIDGE",
    "STANDARD",
    "Game",
    "Kind",
    "Puzzles",
    "Rules",
    "draw",
    "kinds",
    "probability",
]

"""Box World and bridge Box World: the reinforcement learning tasks of *Logic and the 2-Simplicial
Transformer*, section 3.

`rules` and `puzzles` say what an episode holds, `game` plays one in plain Python, `worlds` plays
many at once; `batched` offers these to torch, `environment` and `vector` offer one and many to
Gymnasium. `policies` are scripted players, `motifs` what can be told from the graph of a puzzle.
What needs torch or Gymnasium is not imported here, so that runs are planned without it. Gymnasium
knows the names of `registration` once both are imported, in either order.
"""

from .game import Game
from .puzzles import Kind, Puzzles, draw, kinds, probability
from .registration import register_in_time
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

register_in_time()

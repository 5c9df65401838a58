"""Pictures of Box World: boards, puzzle graphs, motifs, and an episode to step through."""

from .board import board, strip
from .episode import Frame, episode, moments, parting
from .graph import graph
from .replay import replay

__all__ = ["Frame", "board", "episode", "graph", "moments", "parting", "replay", "strip"]

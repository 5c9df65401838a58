"""Pictures of Box World: boards, puzzle graphs, motifs, win rates, an episode to step through."""

from .board import board, strip
from .episode import Frame, derivation, episode, moments, parting
from .graph import graph
from .replay import replay
from .results import by_type, motif_examples, puzzle, rules, standard, win_rates

__all__ = [
    "Frame",
    "board",
    "by_type",
    "derivation",
    "episode",
    "graph",
    "moments",
    "motif_examples",
    "parting",
    "puzzle",
    "replay",
    "rules",
    "standard",
    "strip",
    "win_rates",
]

"""Mathematics problems of Saxton et al. (v3 section 4.3): characters, problems, right answers."""

from .alphabets import ALPHABETS, CODE, TEXT, Alphabet, alphabet
from .answers import Unreadable, equal
from .problems import TASKS, NotGenerated, Problems, load

__all__ = [
    "ALPHABETS",
    "CODE",
    "TASKS",
    "TEXT",
    "Alphabet",
    "NotGenerated",
    "Problems",
    "Unreadable",
    "alphabet",
    "equal",
    "load",
]

"""A puzzle as axioms of linear logic, and an episode as a proof (simplicial, appendix I).

``C1``, ``C2``, ... say that a key of this colour is obtainable, ``G`` that the Gem is. A sequent
``C1 ⊗ C4 ⊢ G`` uses up what stands on its left.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .puzzles import NOBODY, Box


class Sequent(NamedTuple):
    """Keys that are used up, and keys that are got, by number of their colour; 0 is the Gem.

    Example:
        >>> str(Sequent((4, 1), (0,))), str(Sequent((), (3,)))
        ('C1 ⊗ C4 ⊢ G', '⊢ C3')
    """

    left: tuple[int, ...]
    right: tuple[int, ...]

    def __str__(self) -> str:
        sides = (
            " ⊗ ".join(f"C{one}" if one else "G" for one in sorted(side))
            for side in (self.left, self.right)
        )
        return " ⊢ ".join(sides).strip()


def axioms(boxes: Iterable[Box]) -> list[Sequent]:
    """A sequent for each box and loose key. The Gem, whose halves the boxes hold, has one.

    Example:
        >>> from .puzzles import Kind, boxes_of
        >>> print(*axioms(boxes_of(Kind(1, 1, 2))), sep=", ")
        ⊢ C1, ⊢ C2, C1 ⊢ C2, C1 ⊗ C2 ⊢ G
    """
    boxes = list(boxes)
    gem = tuple(sorted(box.lock for box in boxes if box.key == 0))
    plain = [
        Sequent(() if box.lock == NOBODY else (box.lock,), (box.key,)) for box in boxes if box.key
    ]
    return [*sorted(plain), Sequent(gem, (0,))]


def cut(proved: Sequent, axiom: Sequent) -> Sequent:
    """What is proved of the inventory, ``⊢ A ⊗ X``, cut against the axiom ``X ⊢ Y`` beside the rest
    ``A`` of the inventory, ``A ⊗ X ⊢ A ⊗ Y``: ``⊢ A ⊗ Y``.

    Raises:
        ValueError: if not all of ``X`` is there.

    Example:
        >>> str(cut(Sequent((), (2, 5)), Sequent((2,), (1,))))
        '⊢ C1 ⊗ C5'
    """
    rest = Counter(proved.right)
    rest.subtract(axiom.left)
    if min(rest.values(), default=0) < 0:
        raise ValueError(f"axiom is {axiom}; expected one whose left side is part of {proved}")
    return Sequent(proved.left, tuple(sorted([*rest.elements(), *axiom.right])))


def proof(given: Sequence[Sequent], used: Iterable[Sequent]) -> list[Sequent]:
    """What is proved after each of the axioms that an episode used, cut one after the other.

    Args:
        given: the axioms of the puzzle; each can be used once.
        used: those of the objects that were taken or opened, in their order.

    Raises:
        ValueError: if an axiom is not given, or is used up, or its left side is not proved.

    Example:
        >>> from .puzzles import Kind, boxes_of
        >>> one, two, bridge, gem = axioms(boxes_of(Kind(1, 1, 2)))
        >>> print(*proof([one, two, bridge, gem], [one, two, gem]), sep=", ")
        ⊢ C1, ⊢ C1 ⊗ C2, ⊢ G
    """
    left, found = Counter(map(_sorted, given)), [Sequent((), ())]
    for axiom in map(_sorted, used):
        if not left[axiom]:
            raise ValueError(f"used has {axiom}; expected an axiom of the puzzle that is left")
        left[axiom] -= 1
        found.append(cut(found[-1], axiom))
    return found[1:]


def _sorted(sequent: Sequent) -> Sequent:
    """The same, whatever the order of keys."""
    return Sequent(tuple(sorted(sequent.left)), tuple(sorted(sequent.right)))

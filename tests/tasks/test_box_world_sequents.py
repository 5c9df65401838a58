"""Puzzles as axioms, episodes as proofs: appendix I."""

import pytest

from abstractor_lib.tasks.box_world.puzzles import Kind, boxes_of
from abstractor_lib.tasks.box_world.sequents import Sequent, axioms, cut, proof


def test_the_proof_of_the_papers_example():
    """Figure 4, a puzzle of type (3, 2, 5): the upper path, then the lower one."""
    given = axioms(boxes_of(Kind(3, 2, 5)))
    assert len(given) == 8 and Sequent((2,), (5,)) in given  # the last is the bridge
    order = [((), (3,)), ((3,), (2,)), ((2,), (1,)), ((), (6,)), ((6,), (5,)), ((5,), (4,))]
    found = proof(given, [Sequent(*one) for one in order] + [Sequent((4, 1), (0,))])
    assert [str(one) for one in found] == [
        "⊢ C3",
        "⊢ C2",
        "⊢ C1",
        "⊢ C1 ⊗ C6",
        "⊢ C1 ⊗ C5",
        "⊢ C1 ⊗ C4",
        "⊢ G",
    ]


def test_a_key_is_used_up():
    given = axioms(boxes_of(Kind(2, 2, 3)))
    first, bridge, box = Sequent((), (2,)), Sequent((2,), (3,)), Sequent((2,), (1,))
    with pytest.raises(ValueError, match="axiom is C2 ⊢ C1; expected one whose left side is part"):
        proof(given, [first, bridge, box])
    with pytest.raises(ValueError, match="used has ⊢ C2; expected an axiom of the puzzle that is"):
        proof(given, [first, first])


def test_the_gem_wants_both_keys_at_once():
    with pytest.raises(ValueError, match="axiom is C1 ⊗ C2 ⊢ G"):
        cut(Sequent((), (1, 1)), Sequent((1, 2), (0,)))

"""What needs no training: relation matrices and states of fixed random objects.

Shapes: ``E`` examples, ``m`` objects of ``d`` features, ``k`` features of a projection.
"""

import numpy as np
from scipy.linalg import null_space
from scipy.special import softmax

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure

EXAMPLES, OBJECTS, DIM = 100, 4, 8


def objects() -> np.ndarray:
    """Fixed random objects, ``(E, m, d)``, embedded or not."""
    return np.random.default_rng(0).standard_normal((EXAMPLES, OBJECTS, DIM))


@measure
def asymmetry(frames: Frames, protocol: str, *, rows: bool) -> Measured:
    """The largest |R_ij - R_ji| of CoRelNet's relation matrix, over random objects.

    Args:
        rows: R = Softmax(A), over each row, as v1 4.1 prints it; else A = [<phi(x_i), phi(x_j)>]
            itself, where the random objects stand for phi(x).
    """
    embedded = objects()
    found = embedded @ embedded.swapaxes(1, 2)  # A, (E, m, m)
    if rows:
        found = softmax(found, axis=-1)
    gap = np.abs(found - found.swapaxes(1, 2)).max()
    label = f"largest of {EXAMPLES} matrices of {OBJECTS} objects"
    return known({label: gap}, EXAMPLES)


@measure
def feature_reaches_states(frames: Frames, protocol: str, *, diagonal: bool) -> Measured:
    """How far states of relational cross-attention move when one object changes in such a way that
    all its relations to other objects stay as they are. Over sets of random objects, the least
    of their largest changes if the diagonal is kept, and the greatest if it is not: what speaks
    most against that it is seen, or is not. Relations are linear and symbols are unit vectors, so
    that the states are the relations.

    Args:
        diagonal: keep the relations of objects to themselves.
    """
    random = np.random.default_rng(1)
    x, k = objects(), 2 * DIM
    left, right = random.standard_normal((2, DIM, k)) / np.sqrt(DIM)  # W_1, W_2
    moved = x.copy()
    for one in moved:
        # what the first object's relations to the others, either way, see of it
        seen = np.concatenate([one[1:] @ right @ left.T, one[1:] @ left @ right.T])
        free = null_space(seen)
        one[0] += free @ (free.T @ random.standard_normal(DIM))
    gap = np.abs(_relations(x, left, right, diagonal) - _relations(moved, left, right, diagonal))
    each = gap.max(axis=(1, 2))  # (E,)
    end, worst = ("least", each.min()) if diagonal else ("greatest", each.max())
    return known({f"{end} of {EXAMPLES} sets of {OBJECTS} objects": worst}, EXAMPLES)


def _relations(x: np.ndarray, left: np.ndarray, right: np.ndarray, diagonal: bool) -> np.ndarray:
    """R_ij = <W_1 x_i, W_2 x_j>, ``(E, m, m)``."""
    found = (x @ left) @ (x @ right).swapaxes(1, 2)
    return found if diagonal else found * (1 - np.eye(x.shape[1]))

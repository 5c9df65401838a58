"""What needs no runs: whether states lie in the convex hull of the symbols.

Shapes: ``m`` symbols of ``d`` features.
"""

import numpy as np
from scipy.optimize import nnls
from scipy.special import softmax

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure

EXAMPLES, SYMBOLS, DIM = 50, 5, 8
HEAVY = 1e3  # weight of the row that asks for a sum of one


def from_hull(state: np.ndarray, symbols: np.ndarray) -> float:
    """Distance of a state ``(d,)`` from the convex hull of symbols ``(m, d)``: least squares over
    weights that are not negative and sum to one.

    Example:
        >>> corners = np.eye(2)
        >>> [round(from_hull(np.array(one), corners), 6) for one in ([0.5, 0.5], [1.0, 1.0])]
        [0.0, 0.707107]
    """
    asked = np.vstack([symbols.T, HEAVY * np.ones(len(symbols))])
    weights, _ = nnls(asked, np.append(state, HEAVY))
    return float(np.linalg.norm(weights / weights.sum() @ symbols - state))


@measure
def hull_distance(frames: Frames, protocol: str, *, normalised: bool) -> Measured:
    """The largest distance of a state a_i = sum_j R_ij s_j from the convex hull of the symbols, in
    units of the longest symbol, over random symbols and relations.

    Args:
        normalised: relations come from a softmax over j; else they are any numbers.
    """
    random = np.random.default_rng(0)
    found = []
    for _ in range(EXAMPLES):
        symbols = random.standard_normal((SYMBOLS, DIM))
        relations = random.standard_normal((SYMBOLS, SYMBOLS))
        if normalised:
            relations = softmax(relations, axis=1)
        longest = np.linalg.norm(symbols, axis=1).max()
        found += [from_hull(state, symbols) / longest for state in relations @ symbols]
    label = f"largest of {len(found)} states"
    return known({label: round(max(found), 6)}, len(found))

"""What needs no runs: how far the triple product falls short of its maximum, and products of other
numbers of vectors."""

import numpy as np

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure
from ...theory.simplices import random_triples, simplex_volume, triple_product
from .appendix_c import DIM, FACTORS, residuals

TRIPLES, DIMS = 1000, (3, 4, 5, 6)


@measure
def shortfall(frames: Frames, protocol: str) -> Measured:
    """The least of (1 - <a,b,c>) / (18 V^2) over independent unit vectors, one point a dimension. V
    is the volume of the simplex with vertices 0, a, b, c, by its edges; it is zero for dependent
    vectors alone.

    As <a,b,c>^2 = 1 - 36 V^2, the ratio is at least 1 by mathematics.
    """
    random = np.random.default_rng(0)
    points = {}
    for dim in DIMS:
        found = random_triples(random, TRIPLES, dim)
        unit = found / np.linalg.norm(found, axis=-1, keepdims=True)
        least = ((1 - triple_product(*unit)) / (18 * simplex_volume(*unit) ** 2)).min()
        points[f"least of {TRIPLES:,} triples, {dim} dimensions"] = round(float(least), 6)
    return known(points, TRIPLES)


@measure
def factors(frames: Frames, protocol: str) -> Measured:
    """The largest residual of the statements of appendix C for 2, 4 and 5 unit vectors, one point a
    number of vectors."""
    worst = {f"{k} vectors, {DIM} dimensions": max(residuals(k).values()) for k in FACTORS}
    return known(worst, len(worst))

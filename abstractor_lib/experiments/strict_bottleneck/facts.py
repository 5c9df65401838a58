"""What needs no training: what the diagonal of inner-product relations can tell."""

import numpy as np

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure
from ...theory.bottleneck import self_relations

RELATIONS, KEYS, DIM, OBJECTS = 4, 16, 8, 100


@measure
def sign_seen(frames: Frames, protocol: str) -> Measured:
    """The largest difference between the self-relations of an object and of its negative, over
    random objects and projections without biases."""
    random = np.random.default_rng(0)
    left, right = random.standard_normal((2, RELATIONS, KEYS, DIM))
    objects = random.standard_normal((OBJECTS, DIM))
    gap = np.abs(self_relations(left, right, objects) - self_relations(left, right, -objects))
    return known({f"largest of {OBJECTS} objects": gap.max()}, OBJECTS)

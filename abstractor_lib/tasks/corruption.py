"""Objects corrupted by noise or by a random map (v1 section 4.4, v3 section C.1).

The text names additive noise and a random linear map. Two further corruptions look like the second
one in words: a linear map near the identity, and a random factor for each feature.

Shapes: ``N`` objects, ``d`` features.
"""

import numpy as np

KINDS = ("additive", "linear", "near_identity", "elementwise")


def corrupt(
    objects: np.ndarray, kind: str, level: float, generator: np.random.Generator
) -> np.ndarray:
    """All objects corrupted once.

    With standard normal e, Phi and G, all entries independent, an object x becomes

    - ``additive``: x + sigma e, a draw of e for each object;
    - ``linear``: sigma Phi x, one Phi for all objects;
    - ``near_identity``: (I + sigma G) x, one G for all objects;
    - ``elementwise``: x * (1 + sigma e), a draw of e for each object.

    At level 0 ``linear`` maps every object to zero; the others change nothing.

    Args:
        objects: ``(N, d)``.
        kind: one of the four.
        level: sigma, at least 0.
        generator: where Phi, G or e come from; as many numbers at every level.

    Returns:
        ``(N, d)``, of the objects' type.

    Raises:
        ValueError: for an unknown kind, or a level that is negative or not finite.

    Source: v3 section C.1 for ``additive`` and ``linear``; the others are ours.

    Example:
        >>> objects = np.ones((3, 2))
        >>> corrupt(objects, "linear", 0.0, np.random.default_rng(0)).tolist()
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
        >>> moved = corrupt(objects, "near_identity", 0.1, np.random.default_rng(0))
        >>> bool((moved[0] == moved[1]).all())  # equal objects stay equal
        True
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; allowed: {', '.join(KINDS)}")
    if not 0 <= level < np.inf:
        raise ValueError(f"level is {level}; expected a finite number of at least 0")
    dim = objects.shape[1]
    if kind in ("linear", "near_identity"):
        noise = level * generator.standard_normal((dim, dim))
        # x~ = Phi x, or x~ = x + sigma G x
        moved = objects @ noise.T if kind == "linear" else objects + objects @ noise.T
    else:
        noise = level * generator.standard_normal(objects.shape)
        moved = objects + noise if kind == "additive" else objects * (1 + noise)
    return moved.astype(objects.dtype)

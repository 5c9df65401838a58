"""Randomised positions: an ordered subset of more positions than a sequence has objects."""

import numpy as np


def randomised_positions(generator: np.random.Generator, length: int, span: int) -> np.ndarray:
    """Distinct positions 0 .. span - 1 in ascending order, every subset equally likely.

    A model that is trained with them has seen every position and every offset of a sequence of
    ``span`` objects, however short its training sequences are.

    Args:
        length: how many.
        span: of how many; at least ``length``.

    Returns:
        ``(length,)``, int64.

    Raises:
        ValueError: for a length below one or above the span.

    Source: Ruoss et al. (2023), section 3.

    Example:
        >>> randomised_positions(np.random.default_rng(0), 3, 3)
        array([0, 1, 2])
    """
    if not 1 <= length <= span:
        raise ValueError(f"length is {length}; allowed: 1 to {span}, the span")
    return np.sort(generator.permutation(span)[:length]).astype(np.int64)

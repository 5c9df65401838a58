"""How far two groups of a few values lie apart: exact intervals by permutation.

For a handful of trained models of each of two kinds. Nothing is assumed about the shape of the
distribution; only that the two are the same but for a shift, which is what the interval is about.
"""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from .statistics import CONFIDENCE, Interval

MOST = 10  # values a group; for more, Student-t is good enough and much faster
MOST_PAIRS = 15


def shift_interval(
    first: Sequence[float],
    second: Sequence[float],
    comparisons: int = 1,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Exact interval of the shift between two independent groups, ``first - second``.

    It holds the shifts that are not rejected by either one-sided permutation test of the
    difference of means. A shift of zero is rejected exactly where the test that nothing
    distinguishes the groups is. Where two groups are so small that no split of their values is
    rare enough, the interval is all of ``within``: three values each can never decide, four each
    just can, and only if all of one group are above all of the other.

    Args:
        first, second: 1 to 10 values each; NaN values are left out. Where the groups are
            paired and agree more than chance would have it, the interval is wider than need be.
        comparisons: how many intervals are to hold at once (Bonferroni).
        within: what the shift can be.

    Raises:
        ValueError: if a group has no value or more than 10.

    Example:
        >>> [round(x, 2) for x in shift_interval([5, 6, 7, 8, 9], [1, 2, 3, 4, 5])]
        [4.0, 1.5, 6.5, 5]
        >>> shift_interval([5, 6, 7], [1, 2, 3])[1:]
        (-inf, inf, 3)
    """
    groups = [np.asarray(one, float) for one in (first, second)]
    groups = [one[~np.isnan(one)] for one in groups]
    for name, sample in zip(("first", "second"), groups, strict=True):
        if not 1 <= len(sample) <= MOST:
            raise ValueError(f"{name} holds {len(sample)} numbers; allowed: 1 to {MOST}")
    # An exchange of k values of one group for k of the other is at least as extreme as what was
    # found if the shift is at least the difference of their means.
    apart = np.sort(np.concatenate([_apart(*groups, k) for k in range(1, _fewer(groups) + 1)]))
    total = len(apart) + 1  # with what was found
    kept = math.floor((1 - CONFIDENCE) / comparisons / 2 * total + 1e-9)
    low, high = (apart[kept - 1], apart[-kept]) if kept else within
    low, high = max(float(low), within[0]), min(float(high), within[1])
    return Interval(float(groups[0].mean() - groups[1].mean()), low, high, _fewer(groups))


def paired_interval(
    differences: Sequence[float],
    comparisons: int = 1,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Exact interval of the centre of paired differences, by changing their signs.

    It holds the centres that are not rejected by either one-sided test of the mean, of all ways to
    turn differences around it. Nothing is assumed of their distribution but that it is symmetric.
    Five differences can never decide, six just can, and only if all have one sign.

    Args:
        differences: 1 to 15 values; NaN values are left out.
        comparisons: how many intervals are to hold at once (Bonferroni).
        within: what the centre can be.

    Raises:
        ValueError: if there is no value or more than 15.

    Source: Hartigan 1969, Using subsample values as typical values: means of all parts of the
    sample cut the line into stretches that hold the centre equally likely.

    Example:
        >>> [round(x, 2) for x in paired_interval([1, 2, 3, 4, 5, 6])]
        [3.5, 1.0, 6.0, 6]
        >>> paired_interval([1, 2, 3, 4, 5])[1:]
        (-inf, inf, 5)
    """
    values = np.asarray(differences, float)
    values = values[~np.isnan(values)]
    n = len(values)
    if not 1 <= n <= MOST_PAIRS:
        raise ValueError(f"differences holds {n} numbers; allowed: 1 to {MOST_PAIRS}")
    parts = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1  # (2^n - 1, n), none empty
    means = np.sort(parts @ values / parts.sum(axis=1))
    kept = math.floor((1 - CONFIDENCE) / comparisons / 2 * 2**n + 1e-9)
    low, high = (means[kept - 1], means[-kept]) if kept else within
    low, high = max(float(low), within[0]), min(float(high), within[1])
    return Interval(float(values.mean()), low, high, n)


def _apart(first: np.ndarray, second: np.ndarray, count: int) -> np.ndarray:
    """Differences of means of all parts of ``count`` values of either group."""
    means = [
        np.array([part.mean() for part in map(np.array, combinations(one, count))])
        for one in (first, second)
    ]
    return np.subtract.outer(*means).ravel()


def _fewer(groups: Sequence[np.ndarray]) -> int:
    return min(len(one) for one in groups)

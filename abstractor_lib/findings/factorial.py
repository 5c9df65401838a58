"""Main effects and interactions in a factorial whose blocks are seeds.

A row is one trained model: its block, a level of each factor, and a value. Effects are fitted by
least squares with an effect for each block, so a block may hold a fraction of the cells. The unit
of replication is the block. Intervals are delete-one-block jackknifes with Student-t quantiles,
which also count how effects differ from block to block (Bell & McCaffrey 2002; MacKinnon, Nielsen &
Webb 2023: the cluster jackknife). Tests permute residuals within blocks (Freedman & Lane 1983;
Anderson & ter Braak 2003 for several factors).

Shapes: ``n`` rows, ``g`` blocks, ``k`` levels of a factor, ``c`` columns of a model matrix.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from .statistics import Interval, t_quantile

PERMUTATIONS = 4999
ROUNDING = 1e-12  # share of a sum of squares that is none
Term = tuple[str, ...]


def contrasts(count: int) -> np.ndarray:
    """Levels coded so that their effects add up to zero, ``(k, k - 1)``.

    Example:
        >>> contrasts(3).tolist()
        [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    """
    return np.vstack([np.eye(count - 1), -np.ones((1, count - 1))])


class Factorial:
    """A factorial in blocks.

    Args:
        table: a row a model; rows of one block and the same levels are averaged (training sizes).
        factors: name of a column -> its levels; the interaction of the first two is fitted too.
        value: the column of values.
        block: the column of blocks.

    Raises:
        ValueError: for fewer than two blocks, a level that is not known, a value that is not
            finite, or too few rows to estimate the effects.

    Example:
        >>> rows = [(b, x, y, b + x + 2 * y) for b in range(4) for x in (0, 1) for y in (0, 1)]
        >>> some = Factorial(
        ...     pd.DataFrame(rows, columns=["seed", "x", "y", "z"]), {"x": (0, 1), "y": (0, 1)},
        ...     value="z", block="seed")
        >>> [round(one, 6) for one in some.difference("y", 1, 0)]
        [2.0, 2.0, 2.0, 4]
    """

    def __init__(
        self, table: pd.DataFrame, factors: Mapping[str, Sequence], value: str, block: str
    ):
        self.factors = {name: tuple(levels) for name, levels in factors.items()}
        rows = table.groupby([block, *self.factors], as_index=False)[value].mean()
        self.codes = {
            name: np.array([_code(name, one, levels) for one in rows[name]])
            for name, levels in self.factors.items()
        }
        self.values = rows[value].to_numpy(float)
        if not np.isfinite(self.values).all():
            raise ValueError(f"{value} holds a number that is not finite")
        names, self.blocks = np.unique(rows[block], return_inverse=True)
        self.count = len(names)
        if self.count < 2:
            raise ValueError(f"table holds {self.count} blocks; expected at least 2")
        first, second, *_ = self.factors
        self.both = (first, second)
        self.terms: list[Term] = [*((name,) for name in self.factors), self.both]
        matrix = self.matrix(self.terms)
        if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
            raise ValueError(f"table holds {len(rows)} rows; too few to estimate the effects")

    def columns(self, term: Term) -> np.ndarray:
        """The columns of a main effect or an interaction, ``(n, c)``."""
        found = np.ones((len(self.values), 1))
        for name in term:
            own = contrasts(len(self.factors[name]))[self.codes[name]]  # (n, k - 1)
            found = (found[:, :, None] * own[:, None, :]).reshape(len(found), -1)
        return found

    def matrix(self, terms: Sequence[Term]) -> np.ndarray:
        """The columns of blocks and of some terms, ``(n, c)``."""
        blocks = np.eye(self.count)[self.blocks]  # (n, g)
        return np.hstack([blocks, *map(self.columns, terms)])

    def effects(self, without: int | None = None) -> dict[Term, np.ndarray]:
        """The effect of each level, ``(k,)``, and of each pair of levels of the first two factors,
        ``(k, l)``; they add up to zero. ``()`` is the mean.

        Args:
            without: a block to leave out.
        """
        kept = self.blocks != without if without is not None else np.full(len(self.values), True)
        matrix = self.matrix(self.terms)[kept]
        used = np.abs(matrix).sum(axis=0) > 0  # a block left out has no column
        solution = np.linalg.lstsq(matrix[:, used], self.values[kept], rcond=None)[0]
        weights = np.zeros(len(used))
        weights[used] = solution
        blocks, at = weights[: self.count], self.count
        found: dict[Term, np.ndarray] = {(): blocks[used[: self.count]].mean()}
        for term in self.terms:
            own = [contrasts(len(self.factors[name])) for name in term]
            shape = [one.shape[1] for one in own]
            part = weights[at : at + math.prod(shape)].reshape(shape)
            at += math.prod(shape)
            found[term] = own[0] @ part if len(own) == 1 else own[0] @ part @ own[1].T
        return found

    @cached_property
    def _fits(self) -> list[dict[Term, np.ndarray]]:
        """Of all blocks, then without each."""
        return [self.effects(), *(self.effects(one) for one in range(self.count))]

    def _interval(self, numbers: Sequence[float], comparisons: int) -> Interval:
        """From the number of all blocks and those without each."""
        whole, parts = float(numbers[0]), np.asarray(numbers[1:], float)
        spread = ((parts - parts.mean()) ** 2).sum() * (self.count - 1) / self.count
        half = t_quantile(self.count, comparisons) * math.sqrt(spread)
        return Interval(whole, whole - half, whole + half, self.count)

    def _at(self, factor: str, level: object) -> int:
        return _code(factor, level, self.factors[factor])

    def level(self, factor: str, level: object) -> Interval:
        """The marginal mean of a level. Its interval is that of the difference from the mean of all
        levels: what blocks differ in does not widen it."""
        at = self._at(factor, level)
        found = self._interval([one[(factor,)][at] for one in self._fits], 1)
        mean = float(self._fits[0][()])
        return Interval(*(mean + one for one in found[:3]), found.n)

    def cell(self, first: object, second: object) -> float:
        """The mean of a pair of levels of the first two factors."""
        places = [self._at(name, one) for name, one in zip(self.both, (first, second), strict=True)]
        fit = self._fits[0]
        main = sum(fit[(name,)][at] for name, at in zip(self.both, places, strict=True))
        return float(fit[()] + main + fit[self.both][tuple(places)])

    def difference(
        self, factor: str, first: object, second: object, comparisons: int = 1
    ) -> Interval:
        """The marginal mean of one level less that of another.

        Args:
            comparisons: how many intervals are to hold at once (Bonferroni).
        """
        one, other = self._at(factor, first), self._at(factor, second)
        numbers = [fit[(factor,)][one] - fit[(factor,)][other] for fit in self._fits]
        return self._interval(numbers, comparisons)

    def double_difference(self, firsts: Sequence, seconds: Sequence) -> Interval:
        """By how much more the first of two levels of the second factor exceeds the other with the
        first of two levels of the first factor than with the other."""
        return self._interval(self._double_differences(firsts, seconds), 1)

    def double_differences(self, firsts: Sequence, seconds: Sequence) -> list[float]:
        """What each block contributes to `double_difference`, which is the mean of these: the
        jackknife's pseudo-values."""
        whole, *parts = self._double_differences(firsts, seconds)
        return [self.count * whole - (self.count - 1) * part for part in parts]

    def _double_differences(self, firsts: Sequence, seconds: Sequence) -> list[float]:
        """Of all blocks, then without each."""
        (a, b), (c, d) = (
            [self._at(name, one) for one in pair]
            for name, pair in zip(self.both, (firsts, seconds), strict=True)
        )
        parts = [fit[self.both] for fit in self._fits]
        return [float(one[a, c] - one[a, d] - one[b, c] + one[b, d]) for one in parts]

    def spread(self, factor: str, comparisons: int = 1) -> Interval:
        """The largest marginal mean less the smallest. The interval follows from simultaneous ones
        of all pairs of levels; so it is not misled by the largest of several being picked.

        Args:
            comparisons: how many such spreads are to hold at once.
        """
        pairs = list(combinations(self.factors[factor], 2))
        every = comparisons * len(pairs)
        found = [self.difference(factor, *pair, every) for pair in pairs]
        least = max(max(one.low, -one.high, 0.0) for one in found)
        most = max(max(one.high, -one.low) for one in found)
        return Interval(max(abs(one.estimate) for one in found), least, most, self.count)

    def tests(self, seed: int = 0, permutations: int = PERMUTATIONS) -> pd.DataFrame:
        """A test of each main effect and each interaction of two factors, given all others.

        Args:
            seed: of the permutations.

        Returns:
            A row an effect, ``term, F, p, holm``: the statistic, the share of permutations with one
            as large, and that share adjusted for all rows (Holm 1979). Without degrees of freedom
            for an error there are no tests: no rows.
        """
        every = [term for size in (1, 2) for term in combinations(self.factors, size)]
        whole = _space(self.matrix(every))
        free = len(self.values) - whole.shape[1]
        if free < 1:
            return pd.DataFrame(columns=["term", "F", "p", "holm"])
        random, rows = np.random.default_rng(seed), []
        for term in every:
            reduced = _space(self.matrix([one for one in every if one != term]))
            fitted = reduced @ (reduced.T @ self.values)
            residuals = np.tile(self.values - fitted, (permutations + 1, 1))  # first as it is
            for block in range(self.count):
                own = np.flatnonzero(self.blocks == block)
                residuals[1:, own] = random.permuted(residuals[1:, own], axis=1)
            ys = fitted + residuals
            squares = (ys**2).sum(axis=1)
            rest, left = (
                np.where(part > ROUNDING * squares, part, 0.0)
                for part in (
                    squares - ((ys @ space) ** 2).sum(axis=1) for space in (reduced, whole)
                )
            )
            more = rest - left
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = (more / (whole.shape[1] - reduced.shape[1])) / (left / free)
            ratios[more <= 0] = 0.0  # also where nothing is left to explain
            p = float((ratios >= ratios[0] - 1e-12).mean())
            rows.append({"term": " x ".join(term), "F": float(ratios[0]), "p": p})
        return pd.DataFrame(rows).assign(holm=lambda table: holm(table["p"]))


def holm(values: Sequence[float]) -> np.ndarray:
    """P-values adjusted for how many they are (Holm 1979).

    Example:
        >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
        [0.03, 0.06, 0.06]
    """
    given = np.asarray(values, float)
    order = np.argsort(given)
    steps = np.maximum.accumulate(given[order] * (len(given) - np.arange(len(given))))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _space(matrix: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns, ``(n, rank)``."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, sizes > 1e-9 * sizes[0]]


def _code(name: str, level: object, levels: tuple) -> int:
    if level not in levels:
        raise ValueError(f"{name} is {level!r}; allowed: {', '.join(map(str, levels))}")
    return levels.index(level)

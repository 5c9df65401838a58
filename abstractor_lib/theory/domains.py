"""Compact sets with a probability measure: what Mercer's theorem needs.

Shapes: ``N`` points, ``d`` coordinates.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np


class Quadrature(NamedTuple):
    """Nodes ``(N, d)`` and weights ``(N,)``, which sum to one: integrals become sums."""

    nodes: np.ndarray
    weights: np.ndarray


class Domain(ABC):
    """A compact subset of R^d with a probability measure.

    Attributes:
        dim: ``d``.
    """

    dim: int

    @abstractmethod
    def grid(self, count: int) -> np.ndarray:
        """About ``count`` points that cover the set evenly, its edges included, ``(N, d)``."""

    @abstractmethod
    def quadrature(self, count: int) -> Quadrature:
        """A rule of about ``count`` nodes that integrates smooth functions accurately."""

    @abstractmethod
    def sample(self, generator: np.random.Generator, count: int) -> np.ndarray:
        """Points drawn from the measure, ``(count, d)``."""


class Box(Domain):
    """The cube [low, high]^dim with the uniform measure.

    Args:
        low, high: ends of each coordinate, ``low < high``.
        dim: coordinates ``d``.

    Raises:
        ValueError: if ``low`` is not below ``high``, or for no coordinates.

    Example:
        >>> Box(0, 1).grid(3).tolist()
        [[0.0], [0.5], [1.0]]
        >>> rule = Box(-1, 1, dim=2).quadrature(64)
        >>> float((rule.weights * rule.nodes[:, 0] ** 2).sum().round(12))  # a third
        0.333333333333
    """

    def __init__(self, low: float, high: float, dim: int = 1):
        if not low < high:
            raise ValueError(f"low is {low} and high {high}; expected low < high")
        if dim < 1:
            raise ValueError(f"dim is {dim}; expected at least 1")
        self.low, self.high, self.dim = low, high, dim

    def _product(self, axis: np.ndarray) -> np.ndarray:
        return np.stack(np.meshgrid(*[axis] * self.dim, indexing="ij"), -1).reshape(-1, self.dim)

    def grid(self, count: int) -> np.ndarray:
        return self._product(np.linspace(self.low, self.high, round(count ** (1 / self.dim))))

    def quadrature(self, count: int) -> Quadrature:
        nodes, weights = np.polynomial.legendre.leggauss(round(count ** (1 / self.dim)))
        nodes = self.low + (self.high - self.low) * (nodes + 1) / 2
        return Quadrature(self._product(nodes), self._product(weights / 2).prod(axis=1))

    def sample(self, generator: np.random.Generator, count: int) -> np.ndarray:
        return generator.uniform(self.low, self.high, (count, self.dim))


class Circle(Domain):
    """The unit circle in the plane with the uniform measure.

    Example:
        >>> Circle().grid(4).round(9).tolist()
        [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [-0.0, -1.0]]
    """

    dim = 2

    @staticmethod
    def _points(angles: np.ndarray) -> np.ndarray:
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1)

    def grid(self, count: int) -> np.ndarray:
        return self._points(np.linspace(0, 2 * np.pi, count, endpoint=False))

    def quadrature(self, count: int) -> Quadrature:
        return Quadrature(self.grid(count), np.full(count, 1 / count))

    def sample(self, generator: np.random.Generator, count: int) -> np.ndarray:
        return self._points(generator.uniform(0, 2 * np.pi, count))


class Sphere(Domain):
    """The unit sphere in space with the uniform measure.

    Example:
        >>> rule = Sphere().quadrature(200)
        >>> float((rule.weights * rule.nodes[:, 2] ** 2).sum().round(12))  # a third
        0.333333333333
    """

    dim = 3

    def grid(self, count: int) -> np.ndarray:
        """A Fibonacci lattice (Swinbank & Purser 2006)."""
        index = np.arange(count) + 0.5
        height, angle = 1 - 2 * index / count, np.pi * (1 + 5**0.5) * index
        radius = np.sqrt(1 - height**2)
        return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1)

    def quadrature(self, count: int) -> Quadrature:
        rings = round((count / 2) ** 0.5)
        heights, weights = np.polynomial.legendre.leggauss(rings)
        angles = np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
        height, angle = (part.ravel() for part in np.meshgrid(heights, angles, indexing="ij"))
        radius = np.sqrt(1 - height**2)
        nodes = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1)
        return Quadrature(nodes, np.repeat(weights / 2, 2 * rings) / (2 * rings))

    def sample(self, generator: np.random.Generator, count: int) -> np.ndarray:
        points = generator.standard_normal((count, 3))
        return points / np.linalg.norm(points, axis=1, keepdims=True)

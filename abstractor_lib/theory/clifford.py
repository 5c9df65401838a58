"""The Clifford algebra of a Euclidean space, made executable: products of vectors that can be
multiplied on, graded, reversed and measured.

An element is held by its coordinates in the basis of all products ``e_i1 ... e_im`` with
``i1 < ... < im`` of an orthonormal basis: ``2^n`` of them for a space of dimension ``n``. The basis
product with number ``b`` has the factor ``e_i`` where bit ``i`` of ``b`` is set. So the algebra is
for small ``n``; it is here to check formulas, not to compute with.

Shapes: ``...`` any batch dimensions, ``n`` dimension of the space, ``2^n`` coordinates.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

LARGEST = 12  # dimensions; a product takes 4^n multiplications


@dataclass(frozen=True)
class Multivector:
    """Elements of the Clifford algebra Cl(R^n).

    Attributes:
        coordinates: ``(..., 2^n)``.

    Example:
        >>> a, b = vector(np.array([1.0, 2.0])), vector(np.array([3.0, 1.0]))
        >>> (a * b).coordinates.tolist()  # a.b + a^b, the last the coordinate of e1 e2
        [5.0, 0.0, 0.0, -5.0]
        >>> (a * b).grade(0).scalar().item(), (a * a).scalar().item()
        (5.0, 5.0)
    """

    coordinates: np.ndarray

    @property
    def dimension(self) -> int:
        """Of the space, ``n``."""
        return self.coordinates.shape[-1].bit_length() - 1

    def __add__(self, other: "Multivector") -> "Multivector":
        return Multivector(self.coordinates + other.coordinates)

    def __sub__(self, other: "Multivector") -> "Multivector":
        return Multivector(self.coordinates - other.coordinates)

    __array_ufunc__ = None  # an array times this asks `__rmul__`, and not each of its numbers

    def __rmul__(self, factor: float | np.ndarray) -> "Multivector":
        """Multiplied by a number, or by one for each element of the batch."""
        return Multivector(np.asarray(factor)[..., None] * self.coordinates)

    def __mul__(self, other: "Multivector") -> "Multivector":
        """The product of the algebra: associative, and v v = v.v for vectors.

        Raises:
            ValueError: for elements of different algebras.
        """
        if not isinstance(other, Multivector):
            return NotImplemented
        if self.dimension != other.dimension:
            raise ValueError(
                f"other is of dimension {other.dimension}; expected {self.dimension}, as the left "
                "factor"
            )
        signs, numbers = _signs(self.dimension), np.arange(2**self.dimension)
        left, right = np.broadcast_arrays(self.coordinates, other.coordinates)
        product = np.zeros(left.shape)
        for number in numbers:
            # e_A e_B = +- e_(A xor B): common factors square to one
            product[..., number ^ numbers] += left[..., number, None] * signs[number] * right
        return Multivector(product)

    def grade(self, degree: int) -> "Multivector":
        """The homogeneous component of a degree, [A]_k (Definition C.1)."""
        return Multivector(np.where(_degrees(self.dimension) == degree, self.coordinates, 0.0))

    def reverse(self) -> "Multivector":
        """All products written backwards: the anti-automorphism with v~ = v for vectors.

        Of degree k it is (-1)^(k (k - 1) / 2).
        """
        degrees = _degrees(self.dimension)
        return Multivector(np.where(degrees * (degrees - 1) // 2 % 2, -1, 1) * self.coordinates)

    def scalar(self) -> np.ndarray:
        """The number [A]_0, ``(...)``."""
        return self.coordinates[..., 0]

    def vector(self) -> np.ndarray:
        """The vector [A]_1, ``(..., n)``."""
        return self.coordinates[..., 2 ** np.arange(self.dimension)]

    def magnitude(self) -> np.ndarray:
        """|A| = sqrt([A~ A]_0) (Definition C.3), ``(...)``, by the product of the algebra."""
        return np.sqrt((self.reverse() * self).scalar())


def vector(coordinates: np.ndarray) -> Multivector:
    """A vector as an element of the algebra.

    Args:
        coordinates: ``(..., n)``.

    Raises:
        ValueError: for a dimension above 12.

    Example:
        >>> vector(np.array([3.0, 4.0])).magnitude().item()
        5.0
    """
    n = coordinates.shape[-1]
    if n > LARGEST:
        raise ValueError(f"coordinates have dimension {n}; expected at most {LARGEST}")
    found = np.zeros((*coordinates.shape[:-1], 2**n))
    found[..., 2 ** np.arange(n)] = coordinates
    return Multivector(found)


def product(*factors: np.ndarray) -> Multivector:
    """The product of vectors, ``(..., n)`` each, from left to right.

    Example:
        >>> a, b, c = np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]])
        >>> product(a, b, c).grade(1).vector().tolist()  # (a.b) c - (a.c) b + (b.c) a
        [76.0, 79.0, -50.0]
        >>> product(a, b, c).grade(3).coordinates[-1].item()  # their determinant
        1.0
    """
    found, *others = (vector(one) for one in factors)
    for other in others:
        found = found * other
    return found


def wedge(*factors: np.ndarray) -> Multivector:
    """The exterior product of vectors, v1 ^ ... ^ vk = [v1 ... vk]_k (Remark C.6).

    It is computed from determinants, not from the product of the algebra: the coordinate of
    e_i1 ... e_ik is the minor of the columns i1, ..., ik. (Eq. 22 of the remark is printed without
    the signs of the permutations; the text after it says "determinant".)

    Example:
        >>> wedge(np.array([1.0, 2.0]), np.array([3.0, 1.0])).coordinates.round(9).tolist()
        [0.0, 0.0, 0.0, -5.0]
    """
    rows = np.stack(np.broadcast_arrays(*factors), axis=-2)  # (..., k, n)
    k, n = rows.shape[-2:]
    found = np.zeros((*rows.shape[:-2], 2**n))
    for number in np.flatnonzero(_degrees(n) == k):
        columns = [i for i in range(n) if number >> i & 1]
        found[..., number] = np.linalg.det(rows[..., columns])
    return Multivector(found)


def unsigned_product(*factors: np.ndarray) -> np.ndarray:
    """The k-fold unsigned scalar product: the magnitude of v1 ... vk without its part of degree k.

    Args:
        factors: ``(..., n)`` each.

    Returns:
        ``(...)``.

    Source: Logic and the 2-Simplicial Transformer, Definition C.8, eq. 24.

    Example:
        >>> a, b = np.array([[1.0, 2.0], [3.0, -4.0]])
        >>> unsigned_product(a, b).item()  # of two vectors, |a.b|
        5.0
    """
    found = product(*factors)
    return (found - found.grade(len(factors))).magnitude()


@cache
def _degrees(n: int) -> np.ndarray:
    """How many factors each basis product has, ``(2^n,)``."""
    return np.array([number.bit_count() for number in range(2**n)])


@cache
def _signs(n: int) -> np.ndarray:
    """The sign of ``e_A e_B = +- e_(A xor B)``, ``(2^n, 2^n)``: minus for an odd number of swaps
    that bring the factors of both into order."""
    numbers = np.arange(2**n)
    swaps = np.zeros((2**n, 2**n), dtype=int)
    for shift in range(1, n):  # each factor of A passes the factors of B with smaller numbers
        swaps += _degrees(n)[(numbers[:, None] >> shift) & numbers]
    return np.where(swaps % 2, -1.0, 1.0)

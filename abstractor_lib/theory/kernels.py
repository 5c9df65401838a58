"""Mercer kernels with their eigenpairs in closed form, and other relations to set beside them.

A kernel is a symmetric positive semi-definite continuous relation. By Mercer's theorem
r(x, y) = sum_j lambda_j psi_j(x) psi_j(y), where psi_j are eigenfunctions of the integral operator
f -> int r(., y) f(y) dy, orthonormal for the measure of the domain.

Shapes: ``N`` and ``M`` points, ``d`` coordinates, ``n`` eigenpairs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy import optimize, special

from .domains import Box, Circle, Domain, Sphere

Eigenpairs = tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]
INTERVAL = Box(0, 1)


@dataclass(frozen=True)
class Relation:
    """A relation on a domain.

    Attributes:
        name: in the catalogue.
        formula: in words a figure can carry.
        domain: the set and its measure.
        function: ``(N, d), (M, d) -> (N, M)``. Called through the relation, it gets arrays of
            points of the domain's dimension; that they lie in it is not checked.
        eigenpairs: ``n -> (eigenvalues (n,), eigenfunctions (N, d) -> (N, n))`` in closed form,
            largest first; None where no closed form is known.
    """

    name: str
    formula: str
    domain: Domain
    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    eigenpairs: Callable[[int], Eigenpairs] | None = None

    def __call__(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self.function(self._points("x", x), self._points("y", y))

    def _points(self, name: str, given: np.ndarray) -> np.ndarray:
        points = np.asarray(given)
        if points.ndim != 2 or points.shape[1] != self.domain.dim:
            raise ValueError(
                f"{name} has shape {points.shape}; expected (points, {self.domain.dim}), the "
                f"coordinates of {self.name}'s domain"
            )
        return points


def check_count(name: str, count: int, least: int = 1) -> None:
    """Raise ValueError unless ``count`` is an integer of at least ``least``.

    Example:
        >>> check_count("count", 2.5)
        Traceback (most recent call last):
            ...
        ValueError: count is 2.5; expected an integer of at least 1
    """
    if not isinstance(count, Integral) or isinstance(count, bool) or count < least:
        raise ValueError(f"{name} is {count!r}; expected an integer of at least {least}")


def brownian_eigenpairs(count: int) -> Eigenpairs:
    """Of min(x, y) on [0, 1]: 1 / ((j - 1/2) pi)^2 and sqrt(2) sin((j - 1/2) pi x).

    Example:
        >>> values, functions = brownian_eigenpairs(2)
        >>> values.round(6).tolist(), functions(np.array([[1.0]])).round(6).tolist()
        ([0.405285, 0.045032], [[1.414214, -1.414214]])
    """
    check_count("count", count)
    frequencies = (np.arange(1, count + 1) - 0.5) * np.pi
    return frequencies**-2.0, lambda x: np.sqrt(2) * np.sin(frequencies * x)


def laplacian_eigenpairs(count: int, length: float = 0.5) -> Eigenpairs:
    """Of exp(-|x - y| / length) on [0, 1] (Van Trees 1968, section 3.4.1).

    On [-a, a], a = 1/2, c = 1 / length: eigenfunctions cos(w x) with c = w tan(w a) and sin(w x)
    with w = -c tan(w a), in turn; eigenvalues 2 c / (w^2 + c^2).
    """
    check_count("count", count)
    a, c, tiny = 0.5, 1 / length, 1e-12
    values, shapes = np.empty(count), []
    for index in range(count):
        k, odd = divmod(index, 2)
        if odd:
            low, high = (k + 0.5) * np.pi / a, (k + 1) * np.pi / a
            gap = lambda w: w * np.cos(w * a) + c * np.sin(w * a)  # noqa: E731
        else:
            low, high = k * np.pi / a, (k + 0.5) * np.pi / a
            gap = lambda w: c * np.cos(w * a) - w * np.sin(w * a)  # noqa: E731
        w = optimize.brentq(gap, low + tiny, high, xtol=1e-13)
        values[index] = 2 * c / (w**2 + c**2)
        square = a + (-1 if odd else 1) * np.sin(2 * w * a) / (2 * w)
        shapes.append((np.sin if odd else np.cos, w, square**-0.5))

    def functions(x: np.ndarray) -> np.ndarray:
        return np.concatenate([scale * wave(w * (x - a)) for wave, w, scale in shapes], axis=1)

    return values, functions


def polynomial_eigenpairs(count: int, degree: int = 3) -> Eigenpairs:
    """Of (1 + x y)^degree on [0, 1]: degree + 1 eigenvalues, those of D G D.

    With r(x, y) = sum_k D_k^2 x^k y^k and the moments G_kl = 1 / (k + l + 1), an eigenvector v of
    D G D gives the eigenfunction sum_k v_k D_k x^k / sqrt(lambda); the other eigenvalues are zero.
    """
    check_count("count", count)
    powers = np.arange(degree + 1)
    scales = np.sqrt(special.comb(degree, powers))
    moments = 1 / (powers[:, None] + powers + 1)
    values, vectors = np.linalg.eigh(scales[:, None] * moments * scales)
    order = np.argsort(values)[::-1][:count]
    weights = scales[:, None] * vectors[:, order] / np.sqrt(values[order])

    def functions(x: np.ndarray) -> np.ndarray:
        found = x**powers @ weights
        return np.pad(found, ((0, 0), (0, count - found.shape[1])))

    return np.pad(values[order], (0, count - len(order))), functions


def linear_eigenpairs(count: int) -> Eigenpairs:
    """Of <x, y> on [-1, 1]^2: 1/3 twice, with sqrt(3) x_1 and sqrt(3) x_2."""
    check_count("count", count)
    values = np.zeros(count)
    values[:2] = 1 / 3

    def functions(x: np.ndarray) -> np.ndarray:
        return np.pad(np.sqrt(3) * x[:, :count], ((0, 0), (0, max(count - 2, 0))))

    return values, functions


def circle_eigenpairs(count: int, concentration: float = 2.0) -> Eigenpairs:
    """Of exp(k (cos(s - t) - 1)) on the circle: e^-k I_m(k) (modified Bessel functions), once for
    m = 0 with 1 and twice for m >= 1 with sqrt(2) cos(m t) and sqrt(2) sin(m t)."""
    check_count("count", count)
    index = np.arange(count)
    orders = (index + 1) // 2
    values = special.ive(orders, concentration)  # scaled by e^-k already

    def functions(x: np.ndarray) -> np.ndarray:
        phase = np.arctan2(x[:, 1:], x[:, :1]) * orders
        waves = np.where(index % 2 == 1, np.cos(phase), np.sin(phase)) * np.sqrt(2)
        return np.where(orders == 0, 1.0, waves)

    return values, functions


def sphere_eigenpairs(count: int, concentration: float = 2.0) -> Eigenpairs:
    """Of exp(k (<x, y> - 1)) on the sphere, by the Funk-Hecke formula: e^-k i_l(k) (modified
    spherical Bessel functions), 2 l + 1 times, with the real spherical harmonics of degree l."""
    check_count("count", count)
    index = np.arange(count)
    degrees = np.floor(np.sqrt(index)).astype(int)
    orders = index - degrees**2 - degrees  # -l .. l
    values = special.spherical_in(degrees, concentration) * np.exp(-concentration)

    def functions(x: np.ndarray) -> np.ndarray:
        polar, azimuth = np.arccos(np.clip(x[:, 2:], -1, 1)), np.arctan2(x[:, 1:2], x[:, :1])
        harmonics = special.sph_harm_y(degrees, np.abs(orders), polar, azimuth)
        real = np.where(orders < 0, harmonics.imag, harmonics.real)
        # sqrt(4 pi): the measure of the whole sphere is one
        return real * np.where(orders == 0, 1, np.sqrt(2)) * np.sqrt(4 * np.pi)

    return values, functions


def _distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.abs(x[:, :1] - y[:, 0])


MERCER = {
    one.name: one
    for one in [
        Relation(
            "linear", "<x, y> on [-1, 1]²", Box(-1, 1, 2), lambda x, y: x @ y.T, linear_eigenpairs
        ),
        Relation(
            "polynomial",
            "(1 + xy)³ on [0, 1]",
            INTERVAL,
            lambda x, y: (1 + x @ y.T) ** 3,
            polynomial_eigenpairs,
        ),
        Relation(
            "gaussian",
            "exp(-(x - y)² / (2·0.2²)) on [0, 1]",
            INTERVAL,
            lambda x, y: np.exp(-((_distance(x, y) / 0.2) ** 2) / 2),
        ),
        Relation(
            "laplacian",
            "exp(-2|x - y|) on [0, 1]",
            INTERVAL,
            lambda x, y: np.exp(-_distance(x, y) / 0.5),
            laplacian_eigenpairs,
        ),
        Relation(
            "brownian",
            "min(x, y) on [0, 1]",
            INTERVAL,
            lambda x, y: np.minimum(x, y[:, 0]),
            brownian_eigenpairs,
        ),
        Relation(
            "circle",
            "exp(2(<x, y> - 1)) on the circle",
            Circle(),
            lambda x, y: np.exp(2 * (x @ y.T - 1)),
            circle_eigenpairs,
        ),
        Relation(
            "sphere",
            "exp(2(<x, y> - 1)) on the sphere",
            Sphere(),
            lambda x, y: np.exp(2 * (x @ y.T - 1)),
            sphere_eigenpairs,
        ),
    ]
}

VECTOR = ("brownian", "gaussian", "polynomial")  # one relation of three dimensions, on [0, 1]

OTHERS = {
    one.name: one
    for one in [
        Relation("distance", "|x - y| on [0, 1], indefinite", INTERVAL, _distance),
        Relation(
            "difference",
            "sin(t - s) on the circle, antisymmetric",
            Circle(),
            lambda x, y: x[:, :1] * y[:, 1] - x[:, 1:] * y[:, 0],
        ),
        Relation(
            "before",
            "tanh(5(y - x)), a soft order",
            INTERVAL,
            lambda x, y: np.tanh(5 * (y[:, 0] - x[:, :1])),
        ),
        Relation(
            "half",
            "exp(-(x/2 - y)² / (2·0.2²)), asymmetric",
            INTERVAL,
            lambda x, y: np.exp(-(((x[:, :1] / 2 - y[:, 0]) / 0.2) ** 2) / 2),
        ),
    ]
}


def relation(name: str) -> Relation:
    """A relation of the catalogue.

    Raises:
        ValueError: for an unknown name.

    Example:
        >>> relation("brownian")(np.array([[0.2]]), np.array([[0.5], [0.1]])).tolist()
        [[0.2, 0.1]]
    """
    every = {**MERCER, **OTHERS}
    if name not in every:
        raise ValueError(f"name is {name!r}; allowed: {', '.join(every)}")
    return every[name]


def components(name: str) -> tuple[Relation, ...]:
    """The dimensions of a relation: ``vector`` has three, the others one."""
    return tuple(relation(one) for one in (VECTOR if name == "vector" else (name,)))

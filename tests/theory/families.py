"""Families of problems that are hard for a solver of least absolute deviations, by name.

Each gives, for a seed, a design x ``(d, p)``, one right side y ``(d,)`` and a penalty. Sizes are
small, so that certificates in extended precision are cheap.
"""

import numpy as np


def _errors(random, size, share=0.2):
    return (random.random(size) < share) * 10 * random.standard_cauchy(size)


def _gaussian(random, d=60, p=8):
    return random.standard_normal((d, p))


def _observed(random, x, noise=0.1):
    y = x @ random.standard_normal(x.shape[1])
    return y + noise * random.standard_normal(len(y)) + _errors(random, len(y))


def collinear(condition, noise):
    """Columns with singular values down to 1 / condition."""

    def draw(random):
        left, _, right = np.linalg.svd(_gaussian(random), full_matrices=False)
        x = left * np.geomspace(1, 1 / condition, left.shape[1]) @ right
        return x, _observed(random, x, noise), 0.0

    return draw


def twin_columns(distance):
    """Two columns that are nearly the same."""

    def draw(random):
        x = _gaussian(random)
        x[:, 1] = x[:, 0] + distance * random.standard_normal(len(x))
        return x, _observed(random, x, 0.0), 0.0

    return draw


def wide(penalty, d=30, p=60, noise=0.1):
    """More columns than rows, and a small penalty."""

    def draw(random):
        x = _gaussian(random, d, p)
        return x, _observed(random, x, noise), penalty

    return draw


def penalised(penalty, d=60, p=20):
    def draw(random):
        x = _gaussian(random, d, p)
        return x, _observed(random, x), penalty

    return draw


def scaled(rows=0, columns=0, y=0, x=0, noise=0.1, share=0.2, d=60):
    """Rows, or columns, scaled by up to ten to these powers; y and x by exactly those."""

    def draw(random):
        design = _gaussian(random, d)
        sizes = 10.0 ** random.uniform(-columns, columns, design.shape[1])
        heights = 10.0 ** random.uniform(-rows, rows, (d, 1))
        clean = design @ random.standard_normal(design.shape[1])
        target = clean + noise * random.standard_normal(d) + _errors(random, d, share)
        with np.errstate(over="ignore"):
            return design * heights * sizes * 10.0**x, target * heights[:, 0] * 10.0**y, 0.0

    return draw


def ties(random):
    """Small integers: many answers meet more rows than they have coefficients."""
    x = random.integers(-2, 3, (60, 5)).astype(float)
    return x, random.integers(-3, 4, 60).astype(float), 0.0


def duplicates(random):
    """Every row several times, with other observations."""
    x = np.repeat(_gaussian(random, 12, 5), 5, axis=0)
    return x, np.round(_observed(random, x), 1), 0.0


def medians(random):
    """One constant column and an even number of rows: an interval of answers."""
    return np.ones((40, 1)), random.standard_normal(40), 0.0


def groups(random):
    """Indicators of groups of even size: every combination of medians."""
    x = np.kron(np.eye(6), np.ones((8, 1)))
    return x, random.standard_normal(48), 0.0


def dependent(random):
    """A design of rank 4 in 10 columns; the penalty makes it one problem."""
    x = _gaussian(random, 40, 4) @ random.standard_normal((4, 10))
    return x, _observed(random, x), 0.5


def met(random):
    """No errors: every row is met."""
    x = _gaussian(random)
    return x, x @ random.standard_normal(x.shape[1]), 0.0


def barely(random):
    """Deviations of a billionth of what is fitted."""
    x = _gaussian(random)
    y = x @ random.standard_normal(x.shape[1])
    return x, y + 1e-9 * random.standard_normal(len(y)), 0.0


def sparse_errors(random):
    """Most rows are met, the others grossly wrong."""
    x = _gaussian(random, 80, 10)
    return x, _observed(random, x, 0.0), 0.0


def square(random):
    """As many rows as columns, and one more."""
    x = _gaussian(random, 13, 12)
    return x, _observed(random, x), 0.0


def outlier(random):
    """One row a trillion times as far away as the others, in x too."""
    x = _gaussian(random)
    x[0] *= 1e6
    y = _observed(random, x)
    y[1] += 1e12
    return x, y, 0.0


def cauchy(random):
    """Heavy tails in everything."""
    x = random.standard_cauchy((60, 8))
    return x, random.standard_cauchy(60), 0.0


def polynomial(random):
    """Powers of one variable, up to the ninth."""
    t = np.sort(random.uniform(0, 1, 60))
    x = np.vander(t, 10)
    return x, np.sin(6 * t) + _errors(random, 60), 0.0


FAMILIES = {
    "collinear 1e6": collinear(1e6, 0.0),
    "collinear 1e8": collinear(1e8, 0.0),
    "collinear 1e10": collinear(9e9, 0.0),
    "collinear 1e6, noise": collinear(1e6, 0.1),
    "collinear 1e8, noise": collinear(1e8, 0.1),
    "twin columns 1e-6": twin_columns(1e-6),
    "twin columns 1e-9": twin_columns(1e-9),
    "polynomial": polynomial,
    "wide, penalty 1e-8": wide(1e-8),
    "wide, penalty 1e-6": wide(1e-6),
    "wide, penalty 1e-5": wide(1e-5, noise=0.0),
    "tall, penalty 1e-7": penalised(1e-7),
    "tall, penalty 1e3": penalised(1e3),
    "dependent columns, penalty": dependent,
    "rows 1e-4 to 1e4": scaled(rows=4),
    "rows 1e-8 to 1e8": scaled(rows=8),
    "columns 1e-8 to 1e8": scaled(columns=8),
    "rows and columns 1e-6 to 1e6": scaled(rows=6, columns=6),
    "x and y 1e306": scaled(x=305, y=305, d=30),
    "y 1e-300": scaled(y=-300),
    "ties": ties,
    "duplicates": duplicates,
    "an interval of medians": medians,
    "groups of even size": groups,
    "every row met": met,
    "deviations of a billionth": barely,
    "sparse errors": sparse_errors,
    "one row beyond all": outlier,
}


def problem(family, number):
    """The design, observations and penalty of a family's problem of this number."""
    return FAMILIES[family](np.random.default_rng([number, len(family), *family.encode()]))

"""Corrupted states a = S r + xi: what a fraction of the entries of a can be turned into (v1 3.4).

Shapes: symbols S are ``(d, m)``; ``R`` states, a row each, ``(R, d)``; their relations ``(R, m)``.
"""

import numpy as np

INDEPENDENT = ("gaussian", "heavy_tailed", "one_sided")  # of the symbols
DEPENDENT = ("dropout", "sign_flip", "adversarial_values")
ADVERSARIAL = ("adversarial_values", "adversarial_positions")  # are searched for
KINDS = (*INDEPENDENT, *DEPENDENT, "adversarial_positions")
GROSS = 10.0  # size of an error, in root mean squares of the state
ROUNDS = 4  # of the adversary's search


def corrupt(
    kind: str,
    symbols: np.ndarray,
    relations: np.ndarray,
    errors: float,
    random: np.random.Generator,
) -> np.ndarray:
    """States S r of which round(errors * d) entries each are wrong, ``(R, d)``.

    Positions are random, except for ``adversarial_positions``. The entries there become

    - ``gaussian``: themselves plus normal errors ten times the size of the state;
    - ``heavy_tailed``: themselves plus Cauchy errors of that scale;
    - ``one_sided``: themselves plus that size, always with the same sign;
    - ``dropout``: zero;
    - ``sign_flip``: their negative;
    - ``adversarial_values``: what other relations would have put there, those in the direction
      (`worst_direction`) that these entries can speak for most;
    - ``adversarial_positions``: the same, at entries that are chosen for it.

    Dropout and sign flips are adversarial too: they are what the relations 0 and -r would have put
    there.

    Raises:
        ValueError: for an unknown kind, a share outside [0, 1], or, with an adversary, dependent
            symbols (so more symbols than features).

    Source: v1 eq. 3.9, which lets an adversary choose the distribution of the errors.

    Example:
        >>> symbols, r = np.eye(4), np.array([[0.1, 0.2, 0.3, 0.4]])
        >>> states = corrupt("dropout", symbols, r, 0.5, np.random.default_rng(0))
        >>> int((states == 0).sum()), int((states == r).sum())
        (2, 2)
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; allowed: {', '.join(KINDS)}")
    if not 0 <= errors <= 1:
        raise ValueError(f"errors is {errors}; expected a share, from 0 to 1")
    if kind in ADVERSARIAL and np.linalg.matrix_rank(symbols) < symbols.shape[1]:
        raise ValueError(f"symbols has dependent columns, {symbols.shape}; {kind} expects none")
    states = relations @ symbols.T  # (R, d)
    count = round(errors * states.shape[1])
    if not count:
        return states
    if kind == "adversarial_positions":
        searched = [worst_positions(symbols, count, random) for _ in states]
        where, directions = (np.stack(part) for part in zip(*searched, strict=True))
    else:
        where = random.random(states.shape).argsort(axis=1) < count  # (R, d)
    size = GROSS * np.sqrt((states**2).mean(axis=1, keepdims=True))
    if kind == "adversarial_values":
        directions = np.stack([worst_direction(symbols, one) for one in where])
    if kind in ADVERSARIAL:
        pushed = directions @ symbols.T
        wrong = states + size * pushed / np.sqrt((pushed**2).mean(axis=1, keepdims=True))
    elif kind == "gaussian":
        wrong = states + size * random.standard_normal(states.shape)
    elif kind == "heavy_tailed":
        wrong = states + size * random.standard_cauchy(states.shape)
    elif kind == "one_sided":
        wrong = states + size
    else:
        wrong = 0 * states if kind == "dropout" else -states
    return np.where(where, wrong, states)


def resize(errors: np.ndarray, kind: str, random: np.random.Generator) -> np.ndarray:
    """Errors of other sizes, at the same positions and with the same signs, ``(R, d)``.

    Least absolute deviations gives back r if and only if, for all directions D, the sum of
    sign(xi_i) s_i' D over the wrong entries is below the sum of |s_i' D| over the others: sizes do
    not appear. (Where the two are equal for some D, other answers are as good.)

    Args:
        errors: zero where an entry is right.
        kind: the law of the new sizes, ``gaussian``, ``heavy_tailed`` or ``one_sided`` (constant);
            their scale is the root mean square of the errors of a row.

    Raises:
        ValueError: for another kind.

    Example:
        >>> errors = np.array([[0.0, -3.0, 1.0, 0.0]])
        >>> resize(errors, "one_sided", np.random.default_rng(0)).round(3).tolist()
        [[0.0, -2.236, 2.236, 0.0]]
    """
    if kind not in INDEPENDENT:
        raise ValueError(f"kind is {kind!r}; allowed: {', '.join(INDEPENDENT)}")
    wrong = errors != 0
    count = np.maximum(wrong.sum(axis=1, keepdims=True), 1)
    scale = np.sqrt((errors**2).sum(axis=1, keepdims=True) / count)
    if kind == "gaussian":
        sizes = np.abs(random.standard_normal(errors.shape))
    elif kind == "heavy_tailed":
        sizes = np.abs(random.standard_cauchy(errors.shape))
    else:
        sizes = np.ones(errors.shape)
    return np.where(wrong, np.sign(errors) * scale * sizes, 0.0)


def worst_direction(symbols: np.ndarray, where: np.ndarray) -> np.ndarray:
    """A direction D with a large share of sum_i |s_i' D| in the entries ``where``, ``(m,)``.

    If the share is above a half, errors S D there make r + D fit better than r. The largest share
    is a hard problem; this climbs to a local one: with |z| = z^2 / |z| the share is a ratio of
    quadratic forms, largest at a generalised eigenvector, and weights 1 / |z| are renewed.

    Example:
        >>> symbols = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        >>> worst_direction(symbols, np.array([True, True, False])).round(3).tolist()
        [1.0, 0.0]
    """
    best, most = np.zeros(symbols.shape[1]), -1.0
    weights = np.ones(len(symbols))
    for _ in range(ROUNDS):
        weighted = symbols * weights[:, None]
        inside, whole = weighted[where].T @ symbols[where], weighted.T @ symbols
        vector = _last_eigenvector(inside, whole)
        reach = np.abs(symbols @ vector)
        share = reach[where].sum() / reach.sum()
        if share > most:
            best, most = vector, share
        weights = 1 / np.maximum(reach, 1e-3 * reach.mean())
    best = best / np.abs(best).max()
    return best * np.sign(best[np.abs(best).argmax()])


def _last_eigenvector(inside: np.ndarray, whole: np.ndarray) -> np.ndarray:
    from scipy import linalg  # here, as grids name kinds of errors and compute nothing

    last = len(whole) - 1
    _, vectors = linalg.eigh(inside, whole, subset_by_index=(last, last))
    if not vectors.size:  # LAPACK's search for one eigenvalue missed it
        _, vectors = linalg.eigh(inside, whole)
    return vectors[:, -1]


def worst_positions(
    symbols: np.ndarray, count: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """``count`` entries chosen to speak for one direction, ``(d,)``, and the direction, ``(m,)``.

    From a random direction: the entries where it is largest, then the worst direction for these,
    and so on.
    """
    direction = random.standard_normal(symbols.shape[1])
    best, most = (np.zeros(len(symbols), bool), direction), -1.0
    for _ in range(ROUNDS):
        reach = np.abs(symbols @ direction)
        where = reach.argsort().argsort() >= len(symbols) - count
        direction = worst_direction(symbols, where)
        reach = np.abs(symbols @ direction)
        share = reach[where].sum() / reach.sum()
        if share > most:
            best, most = (where, direction), share
    return best

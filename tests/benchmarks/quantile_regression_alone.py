"""One quantile regression by itself: time beside HiGHS, scikit-learn and statsmodels.

    python tests/benchmarks/quantile_regression_alone.py

One process, one thread, processor time (``time.process_time``), medians of repeated runs, of which
each solves another problem of the size. Runs of all solvers are interleaved, so that what else the
machine does falls on all alike. A fifth of the targets is grossly wrong, as in least_absolute.py.
HiGHS solves the dual, by the simplex and by an interior point method. scikit-learn calls HiGHS, and
its estimator is compared with ours. statsmodels proves nothing. 'worst' is the largest share by
which an answer costs more than the least that a dual point of ours proves.

At 200 x 20 the aim was to be three times as fast as HiGHS, and against the simplex that was not
reached on a busy machine. A profile shows why: an answer takes eleven steps of about sixty calls of
numpy, and most of a call on 200 numbers is the call. The rest is checks and conversions of tensors.
A better start saves two steps and costs as much as it saves. What remains is compiled code.

    python tests/benchmarks/quantile_regression_alone.py --rows 2_900_000

solves one problem with sparse features of so many rows (indicators of four categories, age and its
square), which no dense copy would fit beside. At 10,000 rows or fewer HiGHS solves it too.
"""

import argparse
import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import resource
import statistics
import time
import warnings

import numpy as np
import pandas as pd
import torch
from scipy import sparse
from scipy.linalg import LinAlgWarning
from scipy.optimize import linprog
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from statsmodels.regression.quantile_regression import QuantReg
from statsmodels.tools.sm_exceptions import IterationLimitWarning

from abstractor_lib.theory.least_absolute import least_absolute_deviations
from abstractor_lib.theory.quantile_regression import BatchedQuantileRegressor

SIZES = ((200, 20), (500, 100), (1000, 128))
REPEATS = {200: 31, 500: 11, 1000: 7}
FEW_ROWS = 10_000  # that HiGHS solves in seconds
QUANTILE = 0.9  # of the sparse problem
CATEGORIES = (51, 16, 12, 2)


def draw(random: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    x = random.standard_normal((rows, columns))
    y = x @ random.standard_normal(columns) + 0.1 * random.standard_normal(rows)
    return x, y + (random.random(rows) < 0.2) * 10 * random.standard_cauchy(rows)


def ours(x, y):
    found = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y)[None], alone=True)
    return found.coefficients[0].numpy()


def together(x, y):
    found = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y)[None])
    return found.coefficients[0].numpy()


def highs(x, y, method="highs-ds"):
    found = linprog(
        -y, A_eq=x.T, b_eq=np.zeros(x.shape[1]), bounds=[(-1, 1)] * len(y), method=method
    )
    return found.eqlin.marginals * -1


def interior(x, y):
    return highs(x, y, "highs-ipm")


def estimator(x, y):
    return BatchedQuantileRegressor(alpha=0, fit_intercept=False).fit(x, y).coef_


def scikit_learn(x, y):
    return QuantileRegressor(alpha=0, fit_intercept=False, solver="highs").fit(x, y).coef_


def statsmodels(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IterationLimitWarning)
        return QuantReg(y, x).fit(q=0.5).params


SOLVERS = {
    "ours, alone=True": ours,
    "ours, alone=False": together,
    "HiGHS, dual": highs,
    "HiGHS, dual, interior point": interior,
    "ours, estimator": estimator,
    "scikit-learn": scikit_learn,
    "statsmodels": statsmodels,
}


def compare(rows: int, columns: int) -> dict[str, float]:
    """Milliseconds of each solver; how many times ours each takes; and worst answers."""
    random = np.random.default_rng(0)
    times: dict[str, list[float]] = {name: [] for name in SOLVERS}
    worst = dict.fromkeys(SOLVERS, 0.0)
    for solve in SOLVERS.values():  # warm
        solve(*draw(random, rows, columns))
    for _ in range(REPEATS[rows]):
        x, y = draw(random, rows, columns)
        proved = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y)[None])
        least = (proved.objective - proved.gap).item()
        for name, solve in SOLVERS.items():
            start = time.process_time()
            u = solve(x, y)
            times[name].append(time.process_time() - start)
            worst[name] = max(worst[name], np.abs(y - x @ u).sum() / least - 1)
    row = {f"{name}, ms": 1e3 * statistics.median(given) for name, given in times.items()}
    for name in SOLVERS:
        base = "ours, estimator" if name == "scikit-learn" else "ours, alone=True"
        if not name.startswith("ours"):
            row[f"{name}, times {base}"] = row[f"{name}, ms"] / row[f"{base}, ms"]
    return row | {f"{name}, worst": max(most, 0.0) for name, most in worst.items()}


def people(rows: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Sparse features, without the first category of each kind, and targets."""
    random = np.random.default_rng(0)
    parts = []
    for count in CATEGORIES:
        entries = np.ones(rows), random.integers(0, count, rows), np.arange(rows + 1)
        parts.append(sparse.csr_array(entries, shape=(rows, count))[:, 1:])
    age = random.uniform(-1, 1, rows)
    x = sparse.csr_array(sparse.hstack([*parts, np.stack([age, age**2], axis=1)]))
    noise = (1 + age**2) * random.standard_normal(rows)
    return x, x @ random.standard_normal(x.shape[1]) + noise


def one_sparse(rows: int) -> None:
    x, y = people(rows)
    start, wall = time.process_time(), time.perf_counter()
    found = BatchedQuantileRegressor(quantile=QUANTILE, alpha=0).fit(x, y)
    taken, wall = time.process_time() - start, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    dense = rows * (x.shape[1] + 1) * 8 / 2**30
    print(f"sparse, {rows:,} x {x.shape[1]} and a constant, {x.nnz / rows:.1f} entries a row:")
    print(
        f"ours: {taken:.2f} s of processor time ({wall:.2f} s), {found.n_iter_} steps, relative "
        f"gap {found.gap_:.1e}, exact {found.exact_}"
    )
    print(f"peak of the process: {peak:.2f} GiB; a dense copy of X alone: {dense:.2f} GiB")
    if rows <= FEW_ROWS:
        start = time.process_time()
        theirs = QuantileRegressor(quantile=QUANTILE, alpha=0).fit(x, y)
        them = time.process_time() - start
        costs = [mean_pinball_loss(y, one.predict(x), alpha=QUANTILE) for one in (theirs, found)]
        print(f"scikit-learn (HiGHS): {them:.2f} s, {them / taken:.1f} times ours", end="")
        print(f"; its answer costs {costs[0] / costs[1] - 1:.0e} more")


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, help="one sparse problem of so many, and no comparison")
    given = parser.parse_args()
    if given.rows:
        warnings.simplefilter("error", LinAlgWarning)  # nothing is left out
        one_sparse(given.rows)
        return
    rows = {"{} x {}".format(*size): compare(*size) for size in SIZES}
    print(pd.DataFrame(rows).to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    main()

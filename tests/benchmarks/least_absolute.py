"""Least absolute deviations and quantile regression: time for each problem, ours and others'.

    python tests/benchmarks/least_absolute.py

One process, one thread, processor time (``time.process_time``), medians. 256 problems with one
design, a fifth of the entries grossly wrong, solved together to a certified relative gap; and one
problem alone. HiGHS, on the dual, by the simplex and by an interior point method, and
scikit-learn's QuantileRegressor solve five of the same problems, one at a time. Measurements of all
are interleaved, so that what else the machine does falls on all alike.

    python tests/benchmarks/least_absolute.py --against FILE

also measures another version of this library's ``theory/least_absolute.py``, one that needs no
module beside it.

    python tests/benchmarks/least_absolute.py --bootstrap

compares a bootstrap of quantile regressions on scikit-learn's diabetes data.

    python tests/benchmarks/least_absolute.py --problems 10000

solves so many of size 200 x 20 and prints the time, and the worst gap that dual points prove.
"""

import argparse
import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import importlib.util
import statistics
import time

import numpy as np
import pandas as pd
import torch
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes
from sklearn.linear_model import QuantileRegressor
from statsmodels.regression.quantile_regression import QuantReg

from abstractor_lib.theory.least_absolute import least_absolute_deviations
from abstractor_lib.theory.quantile_regression import bootstrapped_quantiles

SIZES = ((200, 20), (500, 100), (1000, 128))
PROBLEMS, REPEATS = 256, 5


def problems(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, columns))
    y = random.standard_normal((PROBLEMS, columns)) @ x.T
    y += 0.1 * random.standard_normal(y.shape)
    return x, y + (random.random(y.shape) < 0.2) * 10 * random.standard_cauchy(y.shape)


def dual(x: np.ndarray, y: np.ndarray, method: str = "highs-ds") -> None:
    linprog(-y, A_eq=x.T, b_eq=np.zeros(x.shape[1]), bounds=[(-1, 1)] * len(x), method=method)


def interior(x: np.ndarray, y: np.ndarray) -> None:
    dual(x, y, "highs-ipm")


def regressor(x: np.ndarray, y: np.ndarray) -> None:
    QuantileRegressor(quantile=0.5, alpha=0, fit_intercept=False).fit(x, y)


OTHERS = {
    "HiGHS, dual": dual,
    "HiGHS, dual, interior point": interior,
    "scikit-learn": regressor,
}


def seconds(call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def load(path: str):
    """``least_absolute_deviations`` of another file."""
    spec = importlib.util.spec_from_file_location("another", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.least_absolute_deviations


def compare(rows: int, columns: int, solvers: dict) -> dict:
    """Milliseconds a problem, of many together and of one alone."""
    x, y = problems(rows, columns)
    tensors = torch.from_numpy(x), torch.from_numpy(y)
    times: dict[str, list[float]] = {}
    found = {name: solve(*tensors) for name, solve in solvers.items()}  # warm
    for k in range(REPEATS):
        for name, solve in solvers.items():
            taken = seconds(lambda s=solve: s(*tensors))
            times.setdefault(f"{name}, {PROBLEMS} together", []).append(taken / PROBLEMS)
            one = tensors[0], tensors[1][k : k + 1]
            times.setdefault(f"{name}, alone", []).append(seconds(lambda s=solve, o=one: s(*o)))
        for name, solve in OTHERS.items():
            times.setdefault(name, []).append(seconds(lambda s=solve, k=k: s(x, y[k])))
    row = {f"{name}, ms": 1e3 * statistics.median(given) for name, given in times.items()}
    ours = row[f"ours, {PROBLEMS} together, ms"]
    for name in ("another", *OTHERS):
        whole = f"{name}, {PROBLEMS} together, ms" if name in solvers else f"{name}, ms"
        if whole in row:
            row[f"{name}, times ours"] = row[whole] / ours
    row["HiGHS, dual, times ours alone"] = row["HiGHS, dual, ms"] / row["ours, alone, ms"]
    row["iterations"] = found["ours"].iterations.double().mean().item()
    row["worst relative gap"] = found["ours"].relative_gap.max().item()
    row["exact"] = found["ours"].exact.double().mean().item()
    return row


def bootstrap(samples: int = 200) -> None:
    """A bootstrap of three quantiles on 442 patients with ten features and a constant."""
    x, y = load_diabetes(return_X_y=True)
    quantiles = np.array([0.1, 0.5, 0.9])
    with_constant = np.hstack([x, np.ones((len(x), 1))])
    random = np.random.default_rng(0)
    rows = [random.integers(0, len(x), len(x)) for _ in range(5)]

    def theirs(some: np.ndarray) -> None:
        for quantile in quantiles:
            QuantileRegressor(quantile=quantile, alpha=0).fit(x[some], y[some])

    def approximate(some: np.ndarray) -> None:
        for quantile in quantiles:
            QuantReg(y[some], with_constant[some]).fit(q=quantile)

    times: dict[str, list[float]] = {"ours": [], "scikit-learn": [], "statsmodels": []}
    bootstrapped_quantiles(x, y, quantiles, samples=samples)  # warm
    for some in rows:
        taken = seconds(lambda: bootstrapped_quantiles(x, y, quantiles, samples=samples))
        times["ours"].append(taken / samples)
        times["scikit-learn"].append(seconds(lambda s=some: theirs(s)))
        times["statsmodels"].append(seconds(lambda s=some: approximate(s)))
    ours = statistics.median(times["ours"])
    print(f"bootstrap of diabetes, {samples} samples, {len(quantiles)} quantiles, a sample:")
    for name, given in times.items():
        median = statistics.median(given)
        print(f"{name:>14}: {1e3 * median:8.2f} ms, {median / ours:6.1f} times ours")


def certify(count: int) -> None:
    """Time and worst proved gap; of the solver's answer only u and v are believed."""
    x, _ = problems(200, 20)
    random = np.random.default_rng(1)
    y = random.standard_normal((count, 20)) @ x.T + 0.1 * random.standard_normal((count, 200))
    y += (random.random(y.shape) < 0.2) * 10 * random.standard_cauchy(y.shape)
    start = time.perf_counter()
    found = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y))
    taken = time.perf_counter() - start
    u, v = found.coefficients.numpy(), found.dual.numpy()
    objective = np.abs(y - u @ x.T).sum(axis=1)
    gap = ((objective - (v * y).sum(axis=1)) / objective).max()
    outside, balance = np.abs(v).max() - 1, np.abs(v @ x).max()
    print(f"{count} problems of 200 x 20: {taken:.1f} s, worst relative gap {gap:.1e}")
    print(f"dual points: |v| - 1 at most {outside:.0e}, |X'v| at most {balance:.0e}")


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, help="certify so many, and compare nothing")
    parser.add_argument("--bootstrap", action="store_true", help="compare a bootstrap alone")
    parser.add_argument("--against", help="another version of least_absolute.py")
    given = parser.parse_args()
    if given.problems:
        certify(given.problems)
        return
    if given.bootstrap:
        bootstrap()
        return
    solvers = {"ours": least_absolute_deviations}
    if given.against:
        solvers["another"] = load(given.against)
    rows = {}
    for size in SIZES:
        rows["{} x {}".format(*size)] = compare(*size, solvers)
        print(f"{size} done", flush=True)
    print(pd.DataFrame(rows).to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    main()

"""Least absolute deviations: ours, scikit-learn's QuantileRegressor, HiGHS on primal and dual.

    python tests/benchmarks/least_absolute.py

One thread, one run. 256 problems with one design, a fifth of the entries grossly wrong, solved to a
certified relative gap of 1e-9; the others solve a few of the same problems one at a time.

    python tests/benchmarks/least_absolute.py --problems 10000

solves so many of size 200 x 20 and prints the time, and the worst gap that dual points prove.
"""

import argparse
import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import time

import numpy as np
import pandas as pd
import torch
from scipy.optimize import linprog
from sklearn.linear_model import QuantileRegressor

from abstractor_lib.theory.least_absolute import least_absolute_deviations

SIZES = ((200, 20), (500, 100), (1000, 128))
PROBLEMS, OTHERS, REPEATS = 256, 4, 3


def problems(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, columns))
    y = random.standard_normal((PROBLEMS, columns)) @ x.T
    y += 0.1 * random.standard_normal(y.shape)
    return x, y + (random.random(y.shape) < 0.2) * 10 * random.standard_cauchy(y.shape)


def dual(x: np.ndarray, y: np.ndarray) -> None:
    linprog(-y, A_eq=x.T, b_eq=np.zeros(x.shape[1]), bounds=[(-1, 1)] * len(x), method="highs")


def primal(x: np.ndarray, y: np.ndarray) -> None:
    rows, columns = x.shape
    cost = np.r_[np.zeros(columns), np.ones(2 * rows)]
    equations = np.hstack([x, np.eye(rows), -np.eye(rows)])
    bounds = [(None, None)] * columns + [(0, None)] * (2 * rows)
    linprog(cost, A_eq=equations, b_eq=y, bounds=bounds, method="highs")


def regressor(x: np.ndarray, y: np.ndarray) -> None:
    QuantileRegressor(quantile=0.5, alpha=0, fit_intercept=False).fit(x, y)


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


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
    count = parser.parse_args().problems
    if count:
        certify(count)
        return
    rows = []
    for size in SIZES:
        x, y = problems(*size)
        tensors = torch.from_numpy(x), torch.from_numpy(y)
        found = least_absolute_deviations(*tensors)  # warm
        ours = [seconds(lambda t=tensors: least_absolute_deviations(*t)) for _ in range(REPEATS)]
        ours = statistics.median(ours) / PROBLEMS
        row = {
            "size": "{} x {}".format(*size),
            "ours, ms a problem": 1e3 * ours,
            "iterations": found.iterations.double().mean().item(),
            "worst gap": found.relative_gap.max().item(),
        }
        for name, solve in (("dual", dual), ("primal", primal), ("scikit-learn", regressor)):
            times = [seconds(lambda k=k, s=solve, x=x, y=y: s(x, y[k])) for k in range(OTHERS)]
            row[f"{name}, times ours"] = statistics.median(times) / ours
        rows.append(row)
        print(pd.DataFrame(rows).T.to_string(header=False, float_format="{:.3g}".format), "\n")


if __name__ == "__main__":
    main()

"""Curve models: updates and extrapolations a second, at the size of the laptop and of the paper.

    python tests/benchmarks/function_learning.py [--quick]

One thread, batches of 32 curves of 20 points, single precision. CPU time (other programs may run),
median over repetitions in turns (at the paper's size one). ``without stretches``: the causal
attention compares all tokens with all. Extrapolation: 32 curves by 10 points, tokens kept or
computed anew for each point.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import statistics
import time
from collections.abc import Callable

import pandas as pd
import torch

from abstractor_lib.nn import CurveTransformer, RelationalCurveTransformer, extrapolate
from abstractor_lib.nn import function_learning as models

SIZES = {"laptop": (64, 4, 4), "paper": (256, 8, 12)}  # width, heads, layers
REPEATS = {"laptop": 5, "paper": 1}
BATCH, POINTS, STEPS = 32, 20, 10


def updates(model: models.CurveModel, stretch: int | None) -> Callable[[], None]:
    """One update of a model by Adam."""
    optimiser = torch.optim.Adam(model.parameters(), 1e-4)
    y = torch.randn(BATCH, POINTS + 1)

    def update() -> None:
        models.STRETCH = stretch
        error = model(y[:, :-1]) - model.target(y[:, -1], POINTS)
        optimiser.zero_grad()
        error.square().mean().backward()
        optimiser.step()

    return update


def timed(forms: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    """Seconds of each, taking turns; the first turn warms up."""
    found = {name: [] for name in forms}
    for turn in range(repeats + 1):
        for name, form in forms.items():
            begun = time.process_time()
            form()
            if turn:
                found[name].append(time.process_time() - begun)
    return {name: statistics.median(spent) for name, spent in found.items()}


def main(quick: bool) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows = []
    for size in ("laptop",) if quick else SIZES:
        forms = {}
        for cls in (CurveTransformer, RelationalCurveTransformer):
            for window in (False, True):
                model = cls(*SIZES[size], window=window)
                name = "1d" if cls is CurveTransformer else "relational"
                name += ", window" if window else ""
                y = torch.randn(BATCH, POINTS)
                forms[name, "update"] = updates(model, 48)
                small = size == "laptop"
                if small and cls is RelationalCurveTransformer:
                    forms[name, "update, without stretches"] = updates(model, None)
                for keep, how in ((True, "kept"), (False, "computed anew"))[: 1 + small]:
                    forms[name, f"extrapolation, tokens {how}"] = (
                        lambda model=model, y=y, keep=keep: extrapolate(model, y, STEPS, keep=keep)
                    )
        for (name, what), seconds in timed(forms, REPEATS[size]).items():
            rows.append((size, name, what, f"{1e3 * seconds:.0f}", f"{1 / seconds:.2f}"))
    table = pd.DataFrame(rows, columns=["size", "model", "what", "CPU ms", "a second"])
    print(f"torch {torch.__version__}, one thread, CPU time, batches of {BATCH}\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)

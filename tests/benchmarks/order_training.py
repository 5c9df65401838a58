"""Trials per minute of the order experiment: trained together against one at a time.

    python tests/benchmarks/order_training.py

Both sides train v3's Abstractor on the same data and settings on one thread, in turns. The plain
loop is what one would write without this library's `fit`: an ordinary module and optimiser, one
trial after another.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import time
from dataclasses import replace

import torch
from torch.nn import functional as F

from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.order.run import build, compute, trial

REPEATS = 5
TRIALS = 10


def plain(spec) -> None:
    """One trial after another, eager torch."""
    rules = spec.training
    for number in spec.trials:
        data = trial(spec.task, number, spec.draw)
        (x, y), (vx, vy) = (
            (torch.from_numpy(inputs), torch.from_numpy(targets).float())
            for inputs, targets in (data.examples("train"), data.examples("validation"))
        )
        model = build(spec.model, spec.task.dim)
        optimiser = torch.optim.Adam(model.parameters(), lr=rules.learning_rate, fused=True)
        best, kept = float("inf"), None
        for _ in range(rules.epochs):
            model.train()
            for batch in torch.randperm(len(x)).split(rules.batch_size):
                optimiser.zero_grad()
                F.binary_cross_entropy_with_logits(model(x[batch])[:, 0], y[batch]).backward()
                optimiser.step()
            model.eval()
            with torch.no_grad():
                loss = F.binary_cross_entropy_with_logits(model(vx)[:, 0], vy).item()
            if loss < best:
                best = loss
                kept = {key: value.clone() for key, value in model.state_dict().items()}
        model.load_state_dict(kept)


def ours(spec) -> None:
    """All trials together."""
    compute(spec, Context())


def seconds(function, spec) -> float:
    start = time.perf_counter()
    function(spec)
    return time.perf_counter() - start


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"{'model':22}{'n':>5}{'together':>12}{'plain loop':>12}{'ratio':>8}  trials/min, median")
    for model in ("abstractor", "corelnet_symmetric", "transformer"):
        for size in (100, 495):
            (spec,) = [
                spec
                for spec in order.grid("laptop", "published")
                if order.columns(spec.canonical())
                == {"model": model, "size": size, "variant": "freely"}
            ]
            spec = replace(spec, training=replace(spec.training, epochs=30))
            compute(spec, Context(first_numbers=True))
            pairs = [(seconds(ours, spec), seconds(plain, spec)) for _ in range(REPEATS)]
            together, loop = (
                60 * TRIALS / statistics.median(some) for some in zip(*pairs, strict=True)
            )
            ratio = statistics.median(slow / fast for fast, slow in pairs)
            print(f"{model:22}{size:5}{together:12.0f}{loop:12.0f}{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()

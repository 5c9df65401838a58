"""Training speed of the sorting model: ours, a plain loop, and what the machine can do.

    python tests/benchmarks/sorting_training.py > tests/benchmarks/sorting_training.txt

One thread, batches of 512 sequences of ten objects, 386,954 parameters, in turns; medians. *ours*
is the model in a plain loop, *fit* what computes the records: the same model, batches, dropout and
optimiser through `abstractor_lib.training`. The plain loop is the same architecture written with
nothing but torch.nn modules and torch's own attention operator, as one would without this library.
The roofline is the time that 6 x parameters x tokens floating-point operations take at the rate of
single-precision matrix products of this size, measured in the same run. Below the table: where the
time of a step of *ours* goes, operator by operator.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import platform
import statistics
import time
from dataclasses import replace

import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from abstractor_lib.experiments.sorting import EXPERIMENT as sorting
from abstractor_lib.experiments.sorting.run import build, prefixes, trial
from abstractor_lib.experiments.sorting.settings import PROTOCOLS, arm, models
from abstractor_lib.training.fit import Examples, fit

REPEATS = 12
BATCH, OBJECTS, DIM, HEADS = 512, 10, 64, 2


class Attention(nn.Module):
    """Multi-head attention with heads of full width, residual connection and norm."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(DIM, HEADS * DIM) for _ in range(3))
        self.output, self.norm = nn.Linear(HEADS * DIM, DIM), nn.LayerNorm(DIM)

    def forward(self, query, key, value, residual, causal=False):
        q, k, v = (
            part(x).unflatten(-1, (HEADS, DIM)).transpose(1, 2)
            for part, x in ((self.query, query), (self.key, key), (self.value, value))
        )
        p = 0.1 if self.training else 0.0
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=causal)
        return self.norm(residual + self.output(mixed.transpose(1, 2).flatten(-2)))


class Forward(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(DIM, DIM), nn.ReLU(), nn.Linear(DIM, DIM))
        self.dropout, self.norm = nn.Dropout(0.1), nn.LayerNorm(DIM)

    def forward(self, x):
        return self.norm(x + self.dropout(self.network(x)))


class Plain(nn.Module):
    """Encoder, Abstractor and decoder of two layers each."""

    def __init__(self):
        super().__init__()
        self.source, self.target = nn.Linear(12, DIM), nn.Embedding(OBJECTS + 1, DIM)
        self.symbols = nn.Parameter(torch.randn(OBJECTS, DIM))
        self.attention = nn.ModuleList(Attention() for _ in range(10))
        self.forwards = nn.ModuleList(Forward() for _ in range(6))
        self.output, self.dropout = nn.Linear(DIM, OBJECTS), nn.Dropout(0.1)

    def forward(self, objects, tokens):
        attention, forwards = iter(self.attention), iter(self.forwards)
        x = self.dropout(self.source(objects))
        for _ in range(2):
            x = next(forwards)(next(attention)(x, x, x, x))
        s = self.dropout(self.symbols.expand(len(x), -1, -1))
        for _ in range(2):
            s = next(attention)(s, s, s, s)
            s = next(forwards)(next(attention)(x, x, s, s))
        y = self.dropout(self.target(tokens))
        for _ in range(2):
            y = next(attention)(y, y, y, y, causal=True)
            y = next(forwards)(next(attention)(y, s, s, y))
        return self.output(y)


def stepper(model, objects, tokens, targets, precision=torch.float32):
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)

    def step():
        optimiser.zero_grad()
        with torch.autocast("cpu", precision, enabled=precision != torch.float32):
            scores = model(objects, tokens)
        F.cross_entropy(scores.float().flatten(0, 1), targets.flatten()).backward()
        optimiser.step()

    return step


def fitter(model, task, objects, tokens, targets, updates: int = 4):
    """Some updates of `fit`, which also takes a moment to begin and to end."""
    _, settings = arm(PROTOCOLS["published"], "abstractor")  # nothing is validated on the way
    examples = Examples((objects[None], tokens[None]), targets[None])

    def step():
        fit(lambda: build(model, task), examples, None, settings, limit=updates)

    return step, updates


def operators(step, repeats: int = 3) -> pd.Series:
    """Share of a step's time that each operator takes itself."""
    with profile(activities=[ProfilerActivity.CPU]) as found:
        for _ in range(repeats):
            step()
    spent = pd.Series({one.key: one.self_cpu_time_total for one in found.key_averages()})
    return (spent / spent.sum()).sort_values(ascending=False)


def products(rows: int = BATCH * OBJECTS) -> float:
    """Operations a second of the products that dominate: (rows, 64) by (64, 128)."""
    left, right = torch.randn(rows, DIM), torch.randn(DIM, HEADS * DIM)
    begun = time.perf_counter()
    for _ in range(100):
        left @ right
    return 100 * 2 * rows * DIM * HEADS * DIM / (time.perf_counter() - begun)


def main() -> None:
    torch.set_num_threads(1)
    task = sorting.grid("laptop", "published")[0].task
    task = replace(task, train=BATCH, validation=1, test=1, pool=BATCH)
    objects, argsorts = (torch.from_numpy(one) for one in trial(task, 0, None).examples("train"))
    data = objects, prefixes(argsorts), argsorts
    model = models(PROTOCOLS["sound"])["abstractor"]
    ours, plain = build(model, task), Plain()
    count = sum(part.numel() for part in ours.parameters())
    assert count == sum(part.numel() for part in plain.parameters()) == 386_954
    half = torch.bfloat16
    steps = {
        "plain loop": (stepper(plain, *data), 1),
        "ours": (stepper(ours, *data), 1),
        "fit": fitter(model, task, *data),
        "ours, compiled": (stepper(torch.compile(build(model, task)), *data), 1),
        "ours, bfloat16": (stepper(build(model, task), *data, precision=half), 1),
        "ours, compiled, bfloat16": (
            stepper(torch.compile(build(model, task)), *data, precision=half),
            1,
        ),
    }
    times, rates = {name: [] for name in steps}, []
    for repeat in range(REPEATS + 2):
        for name, (step, updates) in steps.items():
            begun = time.perf_counter()
            step()
            if repeat > 1:  # the first two warm up
                times[name].append((time.perf_counter() - begun) / updates)
        rates.append(products())
    rate = statistics.median(rates)
    ideal = 6 * count * BATCH * OBJECTS / rate
    rows = []
    for name, spent in times.items():
        median = statistics.median(spent)
        base = statistics.median(times["plain loop"])
        rows.append((name, 1e3 * median, BATCH / median, base / median, ideal / median))
    columns = ["loop", "ms a step", "sequences/s", "plain / this", "of roofline"]
    print(f"torch {torch.__version__}, one thread, {platform.machine()}\n")
    print(pd.DataFrame(rows, columns=columns).round(2).to_string(index=False))
    print(f"\nproducts: {rate / 1e9:.0f} Gflop/s, so a step takes at least {1e3 * ideal:.0f} ms\n")
    print(operators(steps["ours"][0]).head(12).map("{:.1%}".format).to_string())


if __name__ == "__main__":
    main()

"""Relational cross-attention against self-attention through torch's fused operator.

    python tests/benchmarks/attention.py

Forward and backward on one thread, equal sizes, in turns; the median and its ratio to
`scaled_dot_product_attention` between the same projections. Rows: sizes; with dropout, torch's
operator takes its unfused path on a CPU.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import time

import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from abstractor_lib.nn import Heads, MultiHeadAttention, RelationalCrossAttention

REPEATS = 15
SIZES = [(512, 10, 64, 2, 64), (64, 128, 128, 4, 32), (16, 512, 128, 4, 32)]  # b, m, d, h, k


class Plain(nn.Module):
    """Self-attention as one would write it around torch's operator."""

    def __init__(self, dim, heads, key_dim, dropout):
        super().__init__()
        self.heads, self.p = heads, dropout
        self.project = nn.ModuleList(nn.Linear(dim, heads * key_dim) for _ in range(3))
        self.output = nn.Linear(heads * key_dim, dim)

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project)
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p)
        return self.output(mixed.transpose(1, 2).flatten(-2))


def seconds(step) -> float:
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    for b, m, d, h, k in SIZES:
        for dropout in (0.0, 0.1):
            x, symbols = (torch.randn(b, m, d, requires_grad=True) for _ in range(2))
            plain = Plain(d, h, k, dropout)
            own = MultiHeadAttention(d, Heads(h, k), dropout=dropout)
            steps = {
                "torch operator, self-attention": lambda x=x, f=plain: f(x).sum().backward(),
                "ours, self-attention": lambda x=x, f=own: f(x, x, x).sum().backward(),
            }
            for name in ("softmax", "softmax, explicit", "sigmoid", "tanh", "linear"):
                activation, _, explicit = name.partition(", ")
                heads = Heads(h, k, activation=activation, fused=not explicit)
                module = RelationalCrossAttention(d, heads, dropout=dropout)
                steps[f"relational, {name}"] = lambda x=x, s=symbols, f=module: (
                    f(x, s).sum().backward()
                )
            times = {name: [] for name in steps}
            for repeat in range(REPEATS + 1):
                for name, step in steps.items():
                    spent = seconds(step)
                    if repeat:  # the first warms up
                        times[name].append(spent)
            base = statistics.median(times["torch operator, self-attention"])
            for name, spent in times.items():
                median = statistics.median(spent)
                rows.append((b, m, dropout, name, 1e3 * median, median / base))
    columns = ["batch", "objects", "dropout", "attention", "ms", "ratio"]
    print(pd.DataFrame(rows, columns=columns).round(2).to_string(index=False))


if __name__ == "__main__":
    main()

"""2-simplicial attention against the formula as printed: time and memory over N and M.

    python tests/benchmarks/simplicial_attention.py [--quick]

One thread, one example, one head of width 48 (the paper's), single precision. CPU time (other
programs may run), median over repetitions in turns, and the ratio to ours. Memory: how much the
process grew at most during a step (Linux).

- ours: eq. 8, pairs' values once;
- ours, blocks: the same, eight queries at a time;
- as printed: the vectors of eq. 7 for all triples, then their norms; pairs' values once;
- as printed, one query at a time: the same in a loop, where all triples at once would not fit.

Left out: ``einsum("ijk,qrs,jr,ks->iq")`` over all indices at once, which multiplies the attention
with B first and needs N M^2 48^3 numbers.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import statistics
import time
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor

from abstractor_lib.nn import TwoSimplicialAttention

STATUS, PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")
WIDTH, REPEATS, ROOM = 48, 5, 2_000  # MiB that a form may take
ALL_PAIRS = [(n, n) for n in (32, 64, 128, 256)]
VIRTUAL = [(n, 2) for n in (40, 256, 1024)] + [(256, m) for m in (8, 32, 128)]


def as_printed(attention: TwoSimplicialAttention, x: Tensor, y: Tensor, at_once: int) -> Tensor:
    """Eq. 7 and 10 by einsum, so many queries at once."""
    (p,), (l1, l2, u) = attention.project(x, last=1), attention.project(y, first=1)
    p, l1, l2, u = p[0], l1[0], l2[0], u[0]
    values = torch.einsum("qrs,jr,ks->jkq", attention.values.weight[0], u, u)
    rows = []
    for some in p.split(at_once):
        vectors = torch.einsum("ij,kd->ijkd", some @ l1.T, l2)
        vectors = vectors - torch.einsum("ik,jd->ijkd", some @ l2.T, l1)
        vectors = vectors + torch.einsum("jk,id->ijkd", l1 @ l2.T, some)
        weights = vectors.norm(dim=-1).flatten(1).softmax(-1).view(len(some), len(y), len(y))
        rows.append(torch.einsum("ijk,jkq->iq", weights, values))
    return torch.cat(rows)


def forms(n: int, m: int) -> dict:
    """Name -> a function of entities; those that fit."""
    ours = TwoSimplicialAttention(64, 1, WIDTH)
    blocks = TwoSimplicialAttention(64, 1, WIDTH, block=8)
    blocks.load_state_dict(ours.state_dict())
    found = {"ours": ours, "ours, blocks": blocks}
    if 4 * 4 * n * m * m * WIDTH <= ROOM * 2**20:  # about four such tensors of four bytes each
        found["as printed"] = lambda x, y: as_printed(ours, x, y, n)
    found["as printed, one query at a time"] = lambda x, y: as_printed(ours, x, y, 1)
    return found


def step(form, n: int, m: int, backward: bool) -> None:
    x = torch.randn(n, 64, requires_grad=backward)
    y = x if m == n else torch.randn(m, 64, requires_grad=backward)
    with torch.set_grad_enabled(backward):
        output = form(x, y)
    if backward:
        output.sum().backward()


def memory(form, n: int, m: int, backward: bool) -> float:
    """MiB by which the process grows at most during a step."""

    def held(which: str) -> int:
        (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith(which)]
        return int(line.split()[1])

    PEAK.write_text("5")  # forgets the peak so far
    before = held("VmRSS")
    step(form, n, m, backward)
    return (held("VmHWM") - before) / 1024


def main(quick: bool) -> None:
    torch.set_num_threads(1)
    rows = []
    for n, m in [(32, 32), (40, 2)] if quick else [*VIRTUAL, *ALL_PAIRS]:
        for backward in (False, True):
            kinds = forms(n, m)
            times = {name: [] for name in kinds}
            for repeat in range(REPEATS + 1):
                for name, form in kinds.items():
                    begun = time.process_time()
                    step(form, n, m, backward)
                    if repeat:  # the first warms up
                        times[name].append(time.process_time() - begun)
            base = statistics.median(times["ours"])
            for name, spent in times.items():
                median = statistics.median(spent)
                mib = memory(kinds[name], n, m, backward)
                what = "forward + backward" if backward else "forward"
                rows.append((n, m, what, name, 1e3 * median, median / base, mib))
    columns = ["N", "M", "step", "form", "CPU ms", "times ours", "MiB"]
    table = pd.DataFrame(rows, columns=columns)
    table["CPU ms"] = table["CPU ms"].map("{:.2f}".format)
    print(f"torch {torch.__version__}, one thread\n")
    print(table.round({"times ours": 1, "MiB": 0}).astype({"MiB": int}).to_string(index=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)

"""2-simplicial attention against its formulas by einsum: time and memory over N and M.

    python tests/benchmarks/simplicial_attention.py [--quick]

One thread, one head of width 48 (the paper's), single precision, ``b`` examples. CPU time (other
programs may run), median over repetitions in turns, and the ratio to ours. Memory: how much the
process grows at most during a step (Linux).

- ours: eq. 8, pairs' values once;
- ours, blocks: the same, eight queries at a time, whose logits are computed again for the gradient;
- eq. 8, einsum: the same formula in plain einsum, without any care for memory; pairs' values once;
- as printed: by einsum, the vectors of eq. 7 for all triples, then their norms; pairs' values once;
- as printed, looped: the same for one query at a time, and its gradient at once.

Forms that would take more than 2 GB are left out, and so is ``einsum("ijk,qrs,jr,ks->iq")`` over
all indices at once: it multiplies the attention with B first and needs N M^2 48^3 numbers.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import ctypes
import statistics
import time
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor

from abstractor_lib.nn import TwoSimplicialAttention

STATUS, PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")
WIDTH, REPEATS, ROOM = 48, 3, 2 * 10**9
VIRTUAL = [(1, 40, 2), (64, 40, 2), (1, 256, 8), (1, 256, 32), (1, 1024, 32)]  # b, N, M
ALL_PAIRS = [(1, n, n) for n in (32, 64, 128, 256)]


def dots(x: Tensor, y: Tensor) -> Tensor:
    """All inner products, ``(b, i, d), (b, j, d) -> (b, i, j)``."""
    return torch.einsum("bid,bjd->bij", x, y)


def weighted(logits: Tensor, values: Tensor) -> Tensor:
    """Eq. 10 from logits ``(b, n, m, m)``."""
    weights = logits.flatten(2).softmax(-1).view_as(logits)
    return torch.einsum("bijk,bjkq->biq", weights, values)


def by_products(p: Tensor, l1: Tensor, l2: Tensor, values: Tensor) -> Tensor:
    """Eq. 8 and 10 by einsum; shapes as those of `mixed`."""
    x, y, z = dots(p, l1), dots(p, l2), dots(l1, l2)
    a, b, c = (part.square().sum(-1) for part in (p, l1, l2))
    square = torch.einsum("bij,bk->bijk", x.square(), c)
    square = square + torch.einsum("bjk,bi->bijk", z.square(), a)
    square = square + torch.einsum("bik,bj->bijk", y.square(), b)
    square = square - 2 * torch.einsum("bij,bik,bjk->bijk", x, y, z)
    return weighted(square.clamp(min=1e-12).sqrt(), values)


def mixed(p: Tensor, l1: Tensor, l2: Tensor, values: Tensor) -> Tensor:
    """Eq. 7 and 10 by einsum, ``(b, n, k), (b, m, k), (b, m, k), (b, m, m, v) -> (b, n, v)``."""

    vectors = torch.einsum("bij,bkd->bijkd", dots(p, l1), l2)
    vectors = vectors - torch.einsum("bik,bjd->bijkd", dots(p, l2), l1)
    vectors = vectors + torch.einsum("bjk,bid->bijkd", dots(l1, l2), p)
    return weighted(vectors.norm(dim=-1), values)


def parts_of(attention: TwoSimplicialAttention, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """Query, both keys and the values of pairs."""
    (p,) = attention.project(x, last=1)
    l1, l2, u = attention.project(y, first=1)
    p, l1, l2, u = (part[:, 0] for part in (p, l1, l2, u))  # the only head
    values = torch.einsum("qrs,bjr,bks->bjkq", attention.values.weight[0], u, u)
    return p, l1, l2, values


def looped(parts: tuple[Tensor, ...]) -> Tensor:
    """`mixed` for one query at a time, and its gradient at once."""
    p = parts[0]
    leaves = [part.detach().requires_grad_(part.requires_grad) for part in parts]
    rows = []
    for at in range(p.shape[1]):
        row = mixed(leaves[0][:, at : at + 1], *leaves[1:])
        if row.requires_grad:
            row.sum().backward()
        rows.append(row.detach())
    if p.requires_grad:
        torch.autograd.backward(parts, [leaf.grad for leaf in leaves])
    return torch.cat(rows, dim=1)


def forms(b: int, n: int, m: int) -> dict:
    """Name -> a function of entities; those that fit."""
    ours = TwoSimplicialAttention(64, 1, WIDTH)
    blocks = TwoSimplicialAttention(64, 1, WIDTH, block=8)
    blocks.load_state_dict(ours.state_dict())
    found = {"ours": ours, "ours, blocks": blocks}
    found["eq. 8, einsum"] = lambda x, y: by_products(*parts_of(ours, x, y))
    if 4 * 4 * b * n * m * m * WIDTH <= ROOM:  # about four such tensors of four bytes each
        found["as printed"] = lambda x, y: mixed(*parts_of(ours, x, y))
    found["as printed, looped"] = lambda x, y: looped(parts_of(ours, x, y))
    return found


def step(form, b: int, n: int, m: int, backward: bool) -> Tensor:
    torch.manual_seed(0)
    x = torch.randn(b, n, 64, requires_grad=backward)
    y = x if m == n else torch.randn(b, m, 64, requires_grad=backward)
    with torch.set_grad_enabled(backward):
        output = form(x, y)
        if output.requires_grad:
            output.sum().backward()
    return output.detach()


def memory(form, *sizes) -> float:
    """MiB by which the process grows at most during a step."""

    def held(which: str) -> int:
        (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith(which)]
        return int(line.split()[1])

    ctypes.CDLL("libc.so.6").malloc_trim(0)  # gives back what is free
    PEAK.write_text("5")  # forgets the peak so far
    before = held("VmRSS")
    step(form, *sizes)
    return (held("VmHWM") - before) / 1024


def main(quick: bool) -> None:
    torch.set_num_threads(1)
    rows = []
    for b, n, m in [(1, 32, 32), (4, 40, 2)] if quick else [*VIRTUAL, *ALL_PAIRS]:
        kinds = forms(b, n, m)
        results = [step(form, b, n, m, False) for form in kinds.values()]
        for found in results[1:]:
            torch.testing.assert_close(found, results[0], rtol=1e-3, atol=1e-4)
        for backward in (False, True):
            times = {name: [] for name in kinds}
            for repeat in range(REPEATS + 1):
                for name, form in kinds.items():
                    begun = time.process_time()
                    step(form, b, n, m, backward)
                    if repeat:  # the first warms up
                        times[name].append(time.process_time() - begun)
            base = statistics.median(times["ours"])
            for name, spent in times.items():
                median = statistics.median(spent)
                mib = memory(kinds[name], b, n, m, backward)
                what = "forward + backward" if backward else "forward"
                rows.append((b, n, m, what, name, 1e3 * median, median / base, mib))
    columns = ["b", "N", "M", "step", "form", "CPU ms", "times ours", "MiB"]
    table = pd.DataFrame(rows, columns=columns)
    table["CPU ms"] = table["CPU ms"].map("{:.2f}".format)
    print(f"torch {torch.__version__}, one thread, CPU time, median of {REPEATS}\n")
    print(table.round({"times ours": 1, "MiB": 0}).astype({"MiB": int}).to_string(index=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)

"""The mathematics of 2-simplicial attention: its runs measured again by other means."""

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import nn
from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.simplicial_attention import EXPERIMENT as simplicial
from abstractor_lib.experiments.simplicial_attention import measures
from abstractor_lib.experiments.simplicial_attention.grid import sizes
from abstractor_lib.experiments.simplicial_attention.operations import Operations
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.tasks.randomness import generator
from abstractor_lib.theory.simplices import triple_product


def wanted(name, **task):
    return next(
        one
        for one in simplicial.grid("smoke", "described")
        if one.model.name == name
        and all(getattr(one.task, key) == value for key, value in task.items())
    )


def test_only_described_has_a_grid():
    assert simplicial.grid("laptop", "published") == simplicial.grid("laptop", "sound") == []
    specs = simplicial.grid("laptop", "described")
    assert [simplicial.spec(one.canonical()).id for one in specs] == [one.id for one in specs]
    names = {"algebra", "triples", "start", "cost", "relatives", "permuted"}
    names |= {"permuted_1d", "permuted_relational"}
    assert {one.model.name for one in specs} == names


def test_residuals_are_rounding_and_a_wrong_formula_is_not(monkeypatch):
    spec = wanted("algebra")
    residuals = outcome(spec).metrics
    single = residuals.pop("single_precision")
    assert max(max(values) for values in residuals.values()) < 1e-12
    assert 1e-9 < max(single) < 1e-5
    right = nn.unsigned_triple_product

    def wrong(a, b, c):
        """Without the last term of eq. 8."""
        x, y, z = ((s * t).sum(-1) for s, t in ((a, b), (a, c), (b, c)))
        return (right(a, b, c) ** 2 + 2 * x * y * z).clamp(min=0).sqrt()

    monkeypatch.setattr(nn, "unsigned_triple_product", wrong)
    found = outcome(spec).metrics
    for name in ("closed_form", "example_c5", "dependent", "volume"):
        assert max(found[name]) > 1e-3, name


def test_random_triples_by_way_of_the_vector():
    spec = wanted("triples", dim=8)
    vectors = generator(0, "triples").standard_normal((3, spec.task.count, 8))
    shares = triple_product(*vectors) / np.linalg.norm(vectors, axis=-1).prod(axis=0)
    found = outcome(spec).metrics
    assert found["mean_square"][0] == pytest.approx((shares**2).mean())
    assert found["median"][0] == pytest.approx(np.median(shares))


def test_greatest_weights_by_hooks_on_the_attention():
    """Logits from the vectors, one pair at a time; the same weights from the same seed."""
    spec = wanted("start", virtual=2)
    seen = []

    def keep(module, inputs):
        p, l1, l2 = (part[:, 0].double() for part in inputs[:3])
        every = torch.broadcast_tensors(
            p[:, :, None, None], l1[:, None, :, None], l2[:, None, None]
        )
        scores = torch.from_numpy(triple_product(*(one.numpy() for one in every)))
        seen.append(scores.flatten(-2).softmax(-1).amax(-1).mean().item())

    attend = nn.TwoSimplicialAttention.attend

    def spied(self, *inputs):
        keep(self, inputs)
        return attend(self, *inputs)

    nn.TwoSimplicialAttention.attend = spied
    try:
        found = outcome(spec).metrics
    finally:
        nn.TwoSimplicialAttention.attend = attend
    tops = [top for pair in zip(found["top_1"], found["top_2"], strict=True) for top in pair]
    assert tops == pytest.approx(seen, rel=1e-4)
    assert set(found["uniform"]) == {0.25}


def test_operations_against_a_formula():
    """Of the paper's sizes: projections, dot products, logits, softmax, pairs' values, mixing."""
    spec = wanted("cost", entities=40, virtual=2)
    n, m, k, d = 40, 2, 48, 64
    products = d * k * (n + 3 * m) + 2 * n * m * k + m * m * k
    pairs = m * k**3 + m * m * k**2
    found = outcome(spec).metrics
    assert found["pair_values"] == [pairs] == [230_400]
    least = products + pairs + n * m * m * k  # and logits and softmax, a few for each triple
    assert least + 5 * n * m * m < found["operations"][0] < least + 20 * n * m * m + 2 * (n + m) * k


def test_counting_leaves_out_views_and_copies():
    x = torch.empty(4, 5, device="meta")
    with Operations() as operations:
        x.T.contiguous().view(2, 10).unsqueeze(0).expand(3, 2, 10)
    assert operations.count == 0
    with Operations() as operations:
        torch.softmax(x @ torch.empty(5, 7, device="meta"), dim=-1)
    assert operations.count == 4 * 5 * 7 + 4 * 7


@pytest.mark.parametrize("power", [1.0, 2.5])
def test_exponents_are_those_of_the_counts(power):
    rows = [
        {"model": "cost", "entities": n, "virtual": m, "operations": (n * m**2) ** power}
        for pairs in sizes(3).values()
        for n, m in pairs
    ]
    frames = {"described": pd.DataFrame(rows).drop_duplicates()}
    of = list(measures.TOWARDS)
    found = measures.exponents(frames, "described", of=of)
    slopes = [point.interval.estimate for point in found.points]
    assert slopes == pytest.approx([power * measures.TOWARDS[name] for name in of])
    assert [point.published for point in found.points] == [1.0, 2.0, 3.0, 2.0]
    with pytest.raises(NotRun, match="the described grid is incomplete"):
        measures.exponents({}, "described", of=of)


def test_an_audit_needs_only_the_first_trial():
    for name in ("algebra", "triples", "start", "relatives", "permuted", "permuted_1d"):
        spec = wanted(name)
        part, whole = outcome(spec, Context(first_numbers=True)), outcome(spec)
        assert part.fingerprint == whole.fingerprint
        assert {len(values) for values in part.metrics.values()} == {1}


@pytest.mark.parametrize("name", ["permuted", "permuted_1d", "permuted_relational"])
def test_a_transformer_is_a_function_of_sets_and_not_constant(name):
    found = outcome(wanted(name)).metrics
    assert max(found["equivariance"]) < 1e-12
    assert min(found["apart"]) > 0.1  # so the order of the outputs is seen

"""Models of curves against loops over tokens as the paper writes them, and their promises."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from abstractor_lib.nn import (
    CurveTransformer,
    GatedLayer,
    LearnedDifference,
    LearnedWindow,
    RelationalCurveTransformer,
    SignedDifference,
    extrapolate,
    gated_attention,
    window_length,
)

POSITIVE = st.floats(0.05, 20)
CLASSES = (CurveTransformer, RelationalCurveTransformer)
GATINGS = ("weights", "renormalised", "all")


def made(cls, seed=0, **options):
    """A small model in double precision, whose windows differ from layer to layer."""
    torch.manual_seed(seed)
    model = cls(8, 2, 3, **options).double()
    for number, layer in enumerate(model.layers):
        if layer.window is not None:
            layer.window.log_a.data.fill_(0.5 - 0.3 * number)
            layer.window.log_b.data.fill_(0.2 + 0.4 * number)
    return model


def sigma(x):
    return 1 / (1 + math.exp(-x))


@settings(deadline=None)
@given(POSITIVE, POSITIVE, st.floats(0, 30))
def test_the_window_is_the_papers_formula(a, b, x):
    window = LearnedWindow(a, b, dtype=torch.float64)
    found = window(torch.tensor(x, dtype=torch.float64)).item()
    if x / b - a < 30:  # beyond, 1 - sigma loses its digits
        assert found == pytest.approx((1 - sigma(x / b - a)) / (1 - sigma(-a)), rel=1e-6)
    assert window(torch.zeros((), dtype=torch.float64)).item() == pytest.approx(1)
    further = window(torch.tensor(x + b, dtype=torch.float64)).item()
    assert 0 <= further < found


@settings(deadline=None)
@given(POSITIVE, POSITIVE, st.sampled_from([0.1, 0.5, 0.9]))
def test_the_effective_length_is_where_the_window_falls_below_the_level(a, b, level):
    window = LearnedWindow(a, b, dtype=torch.float64)

    def above(x):
        return window(torch.tensor(x, dtype=torch.float64)).item() - level

    expected = brentq(above, 0, b * (a + 10))
    a, b = window.log_a.exp(), window.log_b.exp()
    assert window_length(a, b, level).item() == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert level != 0.5 or window.length().item() == pytest.approx(expected, rel=1e-6)


def test_parameters_of_a_window_stay_positive_under_any_step():
    window = LearnedWindow()
    torch.optim.SGD(window.parameters(), lr=10.0).step(
        lambda: window(torch.tensor([3.0, 9.0])).sum().backward()
    )
    assert window.log_a.exp() > 0 and window.log_b.exp() > 0
    assert window(torch.tensor([0.0, 40.0])).isfinite().all()
    with pytest.raises(ValueError, match=r"b is 0; expected a number above 0"):
        LearnedWindow(b=0)


def looped(queries, keys, values, ignore, gate, gating):
    """One weight at a time."""
    out = np.zeros_like(queries)
    for b, h, n in np.ndindex(*queries.shape[:3]):
        score = np.exp(keys[b, h] @ queries[b, h, n] / np.sqrt(queries.shape[-1]))  # (m,)
        among = [m for m in range(len(score)) if gating == "all" or not ignore[n, m]]
        gates = {m: 0.0 if ignore[n, m] else gate[n, m] for m in among}
        if gating == "renormalised":
            total = sum(score[m] * gates[m] for m in among)
        else:
            total = sum(score[m] for m in among)
        for m in among:
            out[b, h, n] += score[m] * gates[m] / total * values[b, h, m]
    return out


@pytest.mark.parametrize("gating", GATINGS)
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("gated", [True, False])
def test_gated_attention_against_loops(gating, masked, gated):
    torch.manual_seed(1)
    queries, keys, values = (torch.randn(2, 3, size, 4, dtype=torch.float64) for size in (5, 6, 6))
    ignore = torch.rand(5, 6) < 0.5
    ignore[0], ignore[1] = True, False  # one sees nothing, one all
    ignore = ignore if masked else torch.zeros_like(ignore)
    gate = torch.rand(5, 6, dtype=torch.float64) if gated else torch.ones(5, 6).double()
    found = gated_attention(
        queries,
        keys,
        values,
        ignore=ignore if masked else None,
        log_gate=gate.log() if gated else None,
        gating=gating,
    )
    parts = [part.numpy() for part in (queries, keys, values, ignore, gate)]
    np.testing.assert_allclose(found.numpy(), looped(*parts, gating), atol=1e-12)


@pytest.mark.parametrize("gating", GATINGS)
@pytest.mark.parametrize("gated", [True, False])
def test_a_token_with_nothing_to_attend_to_gets_zeros_and_no_nan(gating, gated):
    torch.manual_seed(2)
    parts = [torch.randn(2, 2, 4, 3, requires_grad=True) for _ in range(3)]
    log_gate = torch.zeros(4, 4, requires_grad=True) if gated else None
    ignore = torch.ones(4, 4, dtype=torch.bool).triu()  # strictly causal: the first sees nothing
    found = gated_attention(*parts, ignore=ignore, log_gate=log_gate, gating=gating)
    assert (found[:, :, 0] == 0).all() and found.isfinite().all()
    found.square().sum().backward()
    for part in [*parts, *([log_gate] if gated else [])]:
        assert part.grad.isfinite().all()
    assert (parts[0].grad[:, :, 0] == 0).all()


@pytest.mark.parametrize("stretch", [1, 2, 4, 100])
@pytest.mark.parametrize("window", [True, False])
def test_stretches_change_nothing(stretch, window):
    torch.manual_seed(3)
    layer = GatedLayer(8, 2, window=LearnedWindow() if window else None).double()
    earlier, x = torch.randn(2, 3, 8).double(), torch.randn(2, 7, 8).double()
    keys, values = layer.keys_values(torch.cat([earlier, x], dim=1))
    place = torch.arange(10.0, dtype=torch.float64)
    ignore = place[3:, None] <= place
    distances = (place[3:, None] - place).abs()[None]
    whole = layer(x, keys, values, ignore, distances)
    torch.testing.assert_close(layer(x, keys, values, ignore, distances, stretch), whole)


def as_printed(model, y):
    """Outputs of the queries: all tokens in one set, a weight at a time, as the paper writes it."""
    points = len(y)
    relational = isinstance(model, RelationalCurveTransformer)
    if relational:
        tokens = [(i, j, y[i - 1] - y[j - 1]) for j in range(1, points + 1) for i in range(1, j)]
        queries = [(i, points + 1, 0.0) for i in range(1, points + 2)]
    else:
        tokens = [(i, y[i - 1]) for i in range(1, points + 1)]
        queries = [(points + 1, 0.0)]
    every = tokens + queries

    def sees(one, other, query):
        if relational and query:
            return other[1] < one[1]  # an observed token
        if relational:
            return other[0] < one[0] and other[1] < one[1]
        return other[0] < one[0]

    x = model.embed(torch.tensor(every, dtype=torch.float64))  # (m, d)
    for layer in model.layers:
        attention, rows = layer.attention, []
        q, k, v = (part(x[None])[0] for part in (attention.query, attention.key, attention.value))
        for n, one in enumerate(every):
            seen = [m for m, other in enumerate(every) if sees(one, other, n >= len(tokens))]
            mixed = torch.zeros(2, 4, dtype=torch.float64)
            for head in range(2):
                scores = [torch.exp(q[head, n] @ k[head, m] / 2) for m in seen]  # sqrt(4)
                for m, score in zip(seen, scores, strict=True):
                    gate = 1.0
                    if layer.window is not None:
                        a, b = layer.window.log_a.exp().item(), layer.window.log_b.exp().item()
                        for at in range(2 if relational else 1):
                            apart = abs(one[at] - every[m][at])
                            gate *= (1 - sigma(apart / b - a)) / (1 - sigma(-a))
                    mixed[head] += score / sum(scores) * gate * v[head, m]
            rows.append(mixed.flatten())
        x = layer.norm(x + torch.nn.functional.linear(
            torch.stack(rows), attention.output.weight, attention.output.bias
        ))  # fmt: skip
        first, _, second = layer.feedforward.network
        x = layer.feedforward.norm(x + second(first(x).relu()))
    return model.read_out(x[len(tokens) :]).squeeze(-1)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("window", [True, False])
def test_models_against_the_set_of_tokens_as_printed(cls, window):
    model = made(cls, window=window)
    y = torch.randn(2, 5, dtype=torch.float64)
    for curve, found in zip(y, model(y), strict=True):
        outputs = as_printed(model, curve.tolist())
        if cls is RelationalCurveTransformer:  # the estimate is y_i - S(y_i, y)
            outputs = torch.cat([curve - outputs[:-1], outputs[-1:]])
        torch.testing.assert_close(found, outputs)


OPTIONS = [
    {},
    {"window": True},
    {"window": True, "mask": "itself", "shared": True},
    {"window": True, "gating": "renormalised", "queries": "mask"},
    {"window": True, "gating": "all"},
    {"mask": "none", "norm_first": True},
    {"window": True, "mask": "none"},
]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_no_setting_gives_nan_and_all_weights_learn(cls, options):
    model = made(cls, **options)
    y = torch.randn(3, 6, dtype=torch.float64)
    found = model(y)
    assert found.shape == model.target(y[:, 0], 6).shape and found.isfinite().all()
    (found - model.target(y[:, 0], 6)).square().mean().backward()
    for name, part in model.named_parameters():
        assert part.grad is not None and part.grad.isfinite().all(), name
    windows = {id(layer.window.log_a) for layer in model.layers if layer.window is not None}
    expected = 0 if "window" not in options else 1 if "shared" in options else 3
    assert len(windows) == expected


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_extrapolation_keeps_what_it_need_not_recompute(cls, options):
    """Beside the plain way, which is written out here."""
    model = made(cls, **options)
    y = torch.randn(4, 6, dtype=torch.float64)
    found = extrapolate(model, y, 5)
    plain = extrapolate(model, y, 5, keep=False)
    with torch.no_grad():
        for step in range(5):
            one = model.predict(model(y))
            for parts in (found, plain):
                torch.testing.assert_close(parts.value[:, step], one.value, atol=1e-10, rtol=0)
                if one.deviation is not None:
                    torch.testing.assert_close(parts.deviation[:, step], one.deviation)
            y = torch.cat([y, one.value[:, None]], dim=1)
    assert (found.deviation is None) == (cls is CurveTransformer)


def test_extrapolation_in_single_precision_to_1e_5():
    torch.manual_seed(0)
    for cls in CLASSES:
        model = cls(32, 4, 3, window=True)
        y = torch.randn(8, 20)
        kept, plain = (extrapolate(model, y, 10, keep=keep).value for keep in (True, False))
        assert (kept - plain).abs().max() < 1e-5
    with pytest.raises(ValueError, match="steps is 0; expected an integer of at least 1"):
        extrapolate(model, y, 0)


@pytest.mark.parametrize("cls", CLASSES)
def test_extrapolation_checks_the_curves(cls):
    """Without points the models gave numbers; of one point the relational model gave NaN."""
    least = cls.coordinates
    model = made(cls)
    for shape in ((20,), (3, least - 1), (3, 20, 1)):
        with pytest.raises(ValueError, match=rf"y has shape \({shape[0]},.* least {least} points"):
            extrapolate(model, torch.zeros(shape).double(), 3)
    found = extrapolate(model, torch.zeros(3, least).double(), 2)
    assert all(part is None or part.isfinite().all() for part in found)


def permuted(model, order, asked=None):
    """The model with its observed tokens, and its queries, in another order."""
    tokens, queries = model.tokens, model.asked

    def reordered(x, y, first):
        places, values = tokens(x, y, first)
        return places[order], values[:, order]

    model.tokens = reordered
    if asked is not None:
        model.asked = lambda x, at: queries(x, at)[asked]
        model.estimates = lambda outputs, y: outputs
    return model


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_tokens_are_a_set(options):
    """The order of observed tokens changes nothing; outputs follow the order of queries."""
    x, y = torch.arange(1.0, 8), torch.randn(2, 6, dtype=torch.float64)
    for cls, count in ((CurveTransformer, 6), (RelationalCurveTransformer, 15)):
        plain = made(cls, **options)(y)
        order = torch.randperm(count, generator=torch.Generator().manual_seed(5))
        torch.testing.assert_close(permuted(made(cls, **options), order)(y, x), plain)
    asked = torch.randperm(7, generator=torch.Generator().manual_seed(6))
    model, other = (made(cls, **options) for _ in range(2))
    model.estimates = lambda outputs, y: outputs
    found = permuted(other, order, asked)(y, x)
    torch.testing.assert_close(found, model(y)[:, asked])


def test_points_of_the_1d_model_may_come_in_any_order():
    model, y = made(CurveTransformer, window=True), torch.randn(3, 6, dtype=torch.float64)
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    x = torch.cat([order + 1.0, torch.tensor([7.0])])
    torch.testing.assert_close(model(y[:, order], x), model(y))


def test_only_the_relational_model_is_blind_to_the_level():
    y = torch.randn(3, 6, dtype=torch.float64)
    for cls, blind in zip(CLASSES, (False, True), strict=True):
        model = made(cls, window=True)
        first, second = (extrapolate(model, given, 4).value for given in (y, y + 7.5))
        assert torch.allclose(second, first + 7.5, atol=1e-9) == blind


def test_the_first_masked_query_sees_nothing():
    """Why queries attend to all observed tokens unless they are told otherwise."""
    y = torch.randn(2, 6, dtype=torch.float64)
    masked = made(RelationalCurveTransformer, queries="mask")
    similarity = y[:, 0] - masked(y)[:, 0]
    assert similarity[0].item() == pytest.approx(similarity[1].item(), abs=1e-12)
    plain = made(RelationalCurveTransformer)
    similarity = y[:, 0] - plain(y)[:, 0]
    assert abs(similarity[0] - similarity[1]).item() > 1e-4


@given(st.floats(-5, 5), st.floats(-5, 5), st.floats(-0.7, 0.7), st.floats(-1, 1))
@settings(deadline=None)
def test_similarities_are_undone_exactly(x, y, log_delta, epsilon):
    learned = LearnedDifference().double()
    torch.testing.assert_close(
        learned(torch.tensor(x).double(), torch.tensor(y).double()).item(), x - y
    )
    with torch.no_grad():
        learned.log_delta.fill_(log_delta)
        learned.epsilon.fill_(epsilon)
    x, y = (torch.tensor(one, dtype=torch.float64) for one in (x, y))
    for similarity in (SignedDifference(), learned):
        found = similarity.invert(x, similarity(x, y))
        torch.testing.assert_close(found, y, rtol=1e-7, atol=1e-7)
        torch.testing.assert_close(similarity(x, y), -similarity(y, x))
        assert x == y or (similarity(x, y) > 0) == (x > y)


def test_the_ensemble_is_read_out_by_median_and_sample_deviation():
    model = made(RelationalCurveTransformer)
    estimates = torch.randn(5, 7, dtype=torch.float64)
    found = model.predict(estimates)
    ensemble = estimates[:, :6].numpy()  # without the query of the point to itself
    np.testing.assert_allclose(found.value, np.median(ensemble, axis=1))
    np.testing.assert_allclose(found.deviation, ensemble.std(axis=1, ddof=1))


def test_errors_of_estimates_are_those_of_the_row_of_similarities():
    model, y = made(RelationalCurveTransformer, window=True), torch.randn(4, 7).double()
    observed, following = y[:, :6], y[:, 6]
    row = torch.cat([observed - following[:, None], torch.zeros(4, 1).double()], dim=1)
    found = model(observed)
    predicted = torch.cat([observed - found[:, :6], found[:, 6:]], dim=1)
    square = (found - model.target(following, 6)).square().mean()
    torch.testing.assert_close(square, (predicted - row).square().mean())


def test_models_check_what_they_are_given():
    with pytest.raises(ValueError, match=r"y has shape \(2, 1\); expected .* at least 2 points"):
        made(RelationalCurveTransformer)(torch.zeros(2, 1).double())
    y = torch.zeros(2, 20).double()
    for x in (torch.arange(5.0), torch.arange(20.0), torch.zeros(1, 21)):
        with pytest.raises(ValueError, match=r"x has shape \(.*\); expected \(21,\), a place for"):
            made(CurveTransformer)(y, x)
    with pytest.raises(ValueError, match="gating is 'before'; allowed: weights, renormalised, all"):
        gated_attention(*torch.zeros(3, 1, 1, 2, 4), gating="before")
    with pytest.raises(ValueError, match="mask is 'causal'; allowed: strict, itself, none"):
        CurveTransformer(8, 2, 1, mask="causal")
    with pytest.raises(ValueError, match="gating is 'before'; allowed: weights, renormalised, all"):
        CurveTransformer(8, 2, 1, gating="before")
    with pytest.raises(ValueError, match="similarity is 'cosine'; allowed: difference, learned"):
        RelationalCurveTransformer(8, 2, 1, similarity="cosine")


@pytest.mark.parametrize("a", [0.5, 5.0, 20.0, 80.0])
def test_a_window_is_one_at_no_distance(a):
    assert window_length(torch.tensor(a), torch.tensor(2.0), 1.0).item() == 0


def test_a_model_in_double_precision_embeds_in_it():
    model, y = CurveTransformer(8, 2, 1).double().eval(), torch.randn(2, 5)
    torch.testing.assert_close(model(y).double(), model(y.double()), rtol=1e-12, atol=1e-12)

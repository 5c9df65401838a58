"""What modules do with input at the edge: not-a-number, padding, odd dtypes, widths and batches,
nothing at all. Each is right, or an error of one sentence."""

import math
import re
import warnings
from itertools import pairwise

import numpy as np
import pytest
import torch
from safetensors.torch import load_model, save_model
from torch import nn
from torch.func import functional_call, grad, hessian, jacfwd, stack_module_state, vmap

from abstractor_lib import nn as lib
from abstractor_lib import paths
from abstractor_lib.nn import (
    Abstractor,
    AbstractorClassifier,
    AbstractorLayer,
    AbstractorStack,
    AddPositions,
    CurveTransformer,
    Decoder,
    DecoderLayer,
    DualAttention,
    Embedded,
    Encoder,
    EncoderLayer,
    Heads,
    InnerProductRelation,
    LearnedSymbols,
    LearnedWindow,
    MaximumReadout,
    MultiHeadAttention,
    MultiHeadRelation,
    OneSimplicialAttention,
    PointerDecoder,
    RelationalCrossAttention,
    RelationalCurveTransformer,
    RelationalMemory,
    RelationalMessagePassing,
    RelationNetwork,
    RelativeSymbols,
    RetrievedSymbols,
    RotaryAttention,
    ScoringReadout,
    SequenceToSequence,
    SetMessagePassing,
    SimplicialAttention,
    SimplicialBlock,
    SimplicialTransformer,
    SinusoidalSymbols,
    SymbolBindingNetwork,
    SymbolicMessagePassing,
    TorchAttention,
    TwoSimplicialAttention,
    extrapolate,
    greedy_decode,
    initialise,
    sequence_to_sequence,
    simplicial_transformer,
    sinusoids,
    unsigned_triple_product,
    window_length,
)
from tests.nn.test_constructors import WITH_PARAMETERS

D, M = 8, 5


# The unsigned scalar triple product


@pytest.mark.parametrize("exponents", [(7, 7, 7), (12, 12, 12), (30, -30, 5), (-12, -12, -12)])
def test_the_triple_product_of_large_and_small_vectors(exponents):
    """Linear in each vector: held against the product in double precision."""
    vectors = [10.0**exponent * torch.randn(50, 6) for exponent in exponents]
    expected = unsigned_triple_product(*(vector.double() for vector in vectors))
    found = unsigned_triple_product(*vectors)
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=0)


def test_the_triple_product_keeps_every_digit():
    """Of ordinary vectors it is bit for bit what eq. 8 gives with their squares as they are."""
    a, b, c = torch.randn(3, 1000, 16).unbind()
    x, y, z = (a * b).sum(-1), (a * c).sum(-1), (b * c).sum(-1)
    squares = ((vector * vector).sum(-1) for vector in (c, a, b))
    cc, aa, bb = squares
    expected = (x**2 * cc + z**2 * aa + y**2 * bb - 2 * x * y * z).sqrt()
    assert torch.equal(unsigned_triple_product(a, b, c), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_triple_product_in_half_precision(dtype):
    assert unsigned_triple_product(*torch.ones(3, 64, dtype=dtype)).item() == 8**3


def test_the_triple_product_of_no_numbers_is_none():
    ones = torch.ones(3)
    for bad in (torch.nan, torch.inf):
        for place in range(3):
            vectors = [ones, ones, ones]
            vectors[place] = torch.tensor([1.0, bad, 2.0])
            assert unsigned_triple_product(*vectors).isnan()
    assert unsigned_triple_product(torch.zeros(3), ones, ones) == 0
    assert unsigned_triple_product(*(1e30 * torch.eye(3))) == 0  # orthogonal stays so
    with pytest.raises(ValueError, match="widths 0, 0, 0; expected one width of at least 1"):
        unsigned_triple_product(*torch.ones(3, 2, 0))


def test_the_triple_product_under_transformations():
    a, b, c = torch.randn(3, 5, 4)
    expected = unsigned_triple_product(a, b, c)
    compiled = torch.compile(unsigned_triple_product, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b, c), expected)
    torch.testing.assert_close(vmap(unsigned_triple_product)(a, b, c), expected)
    doubles = [vector.double().requires_grad_() for vector in (a, b, c)]
    assert torch.autograd.gradcheck(unsigned_triple_product, doubles)
    assert torch.autograd.gradgradcheck(unsigned_triple_product, doubles)


def test_a_query_that_is_no_number_gets_none_from_pairs():
    """Before, its logits were 0, as of orthogonal vectors, and its result the mean of all pairs."""
    attention = TwoSimplicialAttention(D, 2, 3)
    x, others = torch.randn(4, D), torch.randn(3, D)
    x[1] = torch.nan
    found = attention(x, others)
    assert found[1].isnan().all() and found[[0, 2, 3]].isfinite().all()


# What stands in padding reaches nothing


def attending(**heads):
    class Attending(nn.Module):
        """With symbols as values, or the objects."""

        def __init__(self, of_symbols):
            super().__init__()
            kind = RelationalCrossAttention if of_symbols else MultiHeadAttention
            self.attention, self.of_symbols = kind(D, Heads(2, 3, **heads)), of_symbols

        def forward(self, x, key_padding_mask, **options):
            symbols = torch.ones(x.shape[-2], D)
            given = (x, symbols) if self.of_symbols else (x, x, x)
            return self.attention(*given, key_padding_mask=key_padding_mask, **options)

    return Attending


def relating(message_passing):
    relation = MultiHeadRelation(D, 2, 3)
    layer = AbstractorLayer(RelationalMessagePassing(relation, message_passing), residual=True)
    return AbstractorStack(RetrievedSymbols(D, D, 7, 2), [layer])


PADDED = {
    "attention": lambda: attending()(False),
    "attention, not fused": lambda: attending(fused=False)(False),
    "attention, relu": lambda: attending(activation="relu")(False),
    "attention to symbols": lambda: attending()(True),
    "attention, strict": lambda: attending(strict=True)(True),
    "encoder": lambda: Encoder([EncoderLayer(D, 2) for _ in range(2)]),
    "torch's attention": lambda: Encoder(
        [EncoderLayer(D, TorchAttention(nn.MultiheadAttention(D, 2, batch_first=True)))]
    ),
    "Abstractor": lambda: Abstractor(D, 2, 2, symbols=M, self_attention=True),
    "retrieved symbols": lambda: Abstractor(D, 2, 2, symbols=RetrievedSymbols(D, D, 7, 2)),
    "relations": lambda: relating(SymbolicMessagePassing(D, 2)),
    "relations, set": lambda: relating(SetMessagePassing(D, 2, 6)),
    "1-simplicial": lambda: OneSimplicialAttention(D, 2, 3),
    "2-simplicial": lambda: TwoSimplicialAttention(D, 2, 3),
    "2-simplicial, blocks": lambda: TwoSimplicialAttention(D, 2, 3, block=2),
    "2-simplicial, trilinear": lambda: TwoSimplicialAttention(D, 2, 3, logits="trilinear"),
    "simplicial block": lambda: SimplicialBlock(D, 2, 3, simplicial_heads=1),
    "simplicial transformer": lambda: simplicial_transformer(D, key_dim=3, simplicial_dim=3),
}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", PADDED)
def test_padding_may_hold_anything(name, training, bad):
    """The same as with zeros in the place of the padded object, for all others."""
    module = PADDED[name]().train(training)
    x = torch.randn(3, M, D)
    padding = torch.zeros(3, M, dtype=torch.bool)
    padding[:, -1] = padding[1, 2] = True
    clean, dirty = (x.masked_fill(padding.unsqueeze(-1), value) for value in (0.0, bad))

    def others(x):
        torch.manual_seed(0)
        return module(x, key_padding_mask=padding)[~padding]

    found = others(dirty)
    assert found.isfinite().all()
    torch.testing.assert_close(found, others(clean))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("of_symbols", [False, True])
def test_padding_is_kept_out_on_both_paths(of_symbols, bad):
    """Fused, and computed outright because relations are asked for."""
    module = attending()(of_symbols)
    x, padding = torch.randn(2, M, D), torch.zeros(2, M, dtype=torch.bool)
    padding[:, 1] = True
    x[:, 1] = bad
    plain, (weighed, _) = module(x, padding), module(x, padding, need_weights=True)
    torch.testing.assert_close(plain[~padding], weighed[~padding])
    assert plain[~padding].isfinite().all()


def test_padding_does_not_enter_the_mean():
    module = AbstractorClassifier(4, 3, dim=D, heads=2, layers=1, symbols=M).eval()
    x, padding = torch.randn(3, M, 4), torch.zeros(3, M, dtype=torch.bool)
    padding[:, -1] = True
    x[:, -1] = torch.nan
    torch.testing.assert_close(module(x, padding), module(x[:, :-1]))


# Decoding with a cache


class Places(nn.Module):
    """Embedded tokens with learned positions that begin at the first token given."""

    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(9, D), nn.Embedding(20, D)

    def forward(self, tokens):
        return self.embed(tokens) + self.places(torch.arange(tokens.shape[-1]))


class PlacesInPairs(nn.Module):
    """Tokens, and half their places: the first two look alike."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(9, D), nn.Embedding(9, D)

    def forward(self, tokens):
        return self.tokens(tokens) + self.places(torch.arange(tokens.shape[-1]) // 2)


class TokensBefore(nn.Module):
    """Tokens, each with half of the one before it."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(9, D)

    def forward(self, tokens):
        own = self.tokens(tokens)
        return own + nn.functional.pad(own[:, :-1], (0, 0, 1, 0)) / 2


def decoding_model(target):
    decoder, output = Decoder([DecoderLayer(D, 2)]), nn.Linear(D, 8)
    with torch.no_grad():
        output.weight.mul_(10)
    return SequenceToSequence(nn.Linear(3, D), target, decoder, output, attends=["input"]).eval()


@pytest.mark.parametrize(
    "target",
    [
        lambda: nn.Sequential(nn.Embedding(9, D), AddPositions(D)),
        Places,
        PlacesInPairs,
        TokensBefore,
        lambda: Embedded(nn.Embedding(9, D), AddPositions(D)),
        lambda: nn.Embedding(9, D),
    ],
)
def test_greedy_decoding_by_default_is_that_without_a_cache(target):
    model, source = decoding_model(target()), 5 * torch.randn(40, M, 3)
    found, expected = (
        greedy_decode(model, source, 6, start=8, **options) for options in ({}, {"cached": False})
    )
    assert torch.equal(found, expected)
    assert len(expected.unique(dim=0)) > 1  # the model does not say one thing to all


def test_own_positions_are_refused_in_a_step_of_ones_own():
    model = decoding_model(nn.Sequential(nn.Embedding(9, D), AddPositions(D)))
    cache, token = model.decoder.new_cache(), torch.zeros(2, 1, dtype=torch.long)
    contexts = [torch.randn(2, M, D)]
    model.decode(token, contexts, cache=cache)
    with pytest.raises(ValueError, match="start is 1; expected 0, since embed adds positions"):
        model.decode(token, contexts, cache=cache)


def test_a_cache_reads_other_contexts():
    """One layer, since what it keeps of the target does not depend on the context."""
    decoder, y = Decoder([DecoderLayer(D, 2)]).eval(), torch.randn(2, 4, D)
    first, second = torch.randn(2, 2, M, D)
    cache = decoder.new_cache()
    steps = ((slice(0, 2), first), (slice(2, 3), second), (slice(3, 4), first))
    for some, context in steps:
        found = decoder(y[:, some], [context], cache=cache)
        torch.testing.assert_close(found, decoder(y, [context])[:, some])
    assert not torch.allclose(decoder(y, [first]), decoder(y, [second]))


def torch_attention():
    return TorchAttention(nn.MultiheadAttention(D, 2, batch_first=True))


@pytest.mark.parametrize("make", [lambda: MultiHeadAttention(D, 2), torch_attention])
def test_a_cache_sees_what_was_changed_in_place(make):
    decoder = Decoder([DecoderLayer(D, 2, cross_attention=[make()])]).eval()
    y, context, cache = torch.randn(2, 4, D), torch.randn(2, M, D), decoder.new_cache()
    decoder(y[:, :2], [context], cache=cache)
    for step, change in ((2, context.mul_), (3, context[:, 1:].add_)):
        change(2.0)
        found = decoder(y[:, step : step + 1], [context], cache=cache)
        torch.testing.assert_close(found, decoder(y[:, : step + 1], [context])[:, step:])


def test_a_cache_projects_a_context_once():
    """While nothing changes it; also in inference mode, where torch counts no changes."""
    decoder, y = Decoder([DecoderLayer(D, 2)]).eval(), torch.randn(2, 4, D)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            context, cache = torch.randn(2, M, D), decoder.new_cache()
            decoder(y[:, :2], [context], cache=cache)
            kept = cache[0].contexts[0]
            found = decoder(y[:, 2:], [context], cache=cache)
            assert cache[0].contexts[0] is kept
            torch.testing.assert_close(found, decoder(y, [context])[:, 2:])


@pytest.mark.parametrize("make", [lambda: 2, lambda: RotaryAttention(D, 2), torch_attention])
def test_a_cache_keeps_to_its_batch(make):
    decoder = Decoder([DecoderLayer(D, make(), contexts=0)])
    for first, then in ((2, 1), (1, 2), (3, 2)):
        cache = decoder.new_cache()
        decoder(torch.randn(first, 2, D), cache=cache)
        with pytest.raises(
            ValueError, match=rf"y has batch dimensions \({then},\); expected \({first},\)"
        ):
            decoder(torch.randn(then, 1, D), cache=cache)
    with pytest.raises(ValueError, match="cache holds 2 layers; expected 1, as `new_cache` gives"):
        decoder(torch.randn(2, 1, D), cache=2 * decoder.new_cache())


@pytest.mark.parametrize("activation", ["softmax", "relu"])
@pytest.mark.parametrize("fused", [True, False])
def test_a_cache_without_the_diagonal(activation, fused):
    heads = Heads(2, diagonal=False, activation=activation, fused=fused)
    decoder = Decoder([DecoderLayer(D, heads, cross_attention=2)]).eval()
    y, contexts = torch.randn(2, 5, D), [torch.randn(2, M, D)]
    cache, parts = decoder.new_cache(), (slice(0, 2), slice(2, 3), slice(3, 5))
    found = torch.cat([decoder(y[:, some], contexts, cache=cache) for some in parts], dim=1)
    torch.testing.assert_close(found, decoder(y, contexts))


# Positions


def test_positions_of_whole_numbers_are_no_whole_numbers():
    x = torch.ones(1, 3, 4)
    assert torch.equal(AddPositions(4)(x.long()), AddPositions(4)(x))
    for symbols in (SinusoidalSymbols(4), RelativeSymbols(4)):
        assert torch.equal(symbols(x.long()), symbols(x))


def test_double_precision_gets_positions_in_it():
    place = 100_000
    found = AddPositions(2, scale=False)(torch.zeros(1, 1, 2, dtype=torch.float64), place)[0, 0]
    expected = torch.tensor([math.sin(place), math.cos(place)], dtype=torch.float64)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    offsets = RelativeSymbols(2)(torch.zeros(3, 1, dtype=torch.float64))[:, 0]
    assert torch.equal(offsets, torch.arange(-2.0, 3, dtype=torch.float64).sin())
    assert sinusoids(torch.arange(3), 2).dtype == torch.float32


# Initial weights


@pytest.mark.parametrize("name", [*WITH_PARAMETERS, "SimplicialTransformer"])
def test_torch_initialisation_is_that_of_the_constructor(name):
    """In distribution: the mean and the deviation of each parameter agree over several draws."""
    build = {"SimplicialTransformer": lambda: simplicial_transformer(D, virtual=3)}
    build = {**WITH_PARAMETERS, **build}[name]

    def moments(make):
        drawn = [make().state_dict() for _ in range(30)]
        stacked = {key: torch.stack([one[key] for one in drawn]).double() for key in drawn[0]}
        return {key: (value.mean(), value.std()) for key, value in stacked.items()}

    expected, found = moments(build), moments(lambda: initialise(build(), "torch"))
    for key, (mean, deviation) in expected.items():
        torch.testing.assert_close(found[key][0], mean, rtol=0, atol=float(deviation) + 1e-9)
        torch.testing.assert_close(found[key][1], deviation, rtol=0.5, atol=1e-9)


def test_virtual_entities_start_alike_under_every_scheme():
    for scheme in ("torch", "keras"):
        module = initialise(simplicial_transformer(virtual=20), scheme)
        assert 0.04 < module.entities.weight.abs().max() <= 0.05


# Curves


@pytest.mark.parametrize("kind", [CurveTransformer, RelationalCurveTransformer])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_models_of_curves_in_half_precision(kind, dtype):
    model = kind(16, 2, 2, window=True, mask="itself").eval()
    y = torch.randn(3, 8)
    halved = kind(16, 2, 2, window=True, mask="itself").eval()
    halved.load_state_dict(model.state_dict())
    found, expected = extrapolate(halved.to(dtype), y.to(dtype), 2), extrapolate(model, y, 2)
    assert found.value.dtype == dtype
    torch.testing.assert_close(found.value.float(), expected.value, rtol=0.1, atol=0.1)


def test_places_of_long_curves_do_not_collide_in_half_precision():
    """Which token attends to which: in bfloat16 the places 256 and 257 would be one."""
    model = CurveTransformer(16, 2, 2, window=True).eval()
    kept = {}
    for dtype in (torch.float32, torch.bfloat16):
        model = model.to(dtype)
        seen = []
        model.layers[0].register_forward_hook(
            lambda _, args, output, seen=seen: seen.append((args[3], args[4]))
        )
        model(torch.zeros(1, 300, dtype=dtype))
        kept[dtype] = seen[0]
    for found, expected in zip(kept[torch.bfloat16], kept[torch.float32], strict=True):
        assert torch.equal(found, expected)


def test_places_of_long_curves_do_not_collide_under_autocast():
    model, values = CurveTransformer(16, 2, 2).eval(), torch.zeros(1, 8)
    with torch.autocast("cpu", torch.bfloat16):
        embedded = model._embedded(torch.arange(256.0, 264.0)[:, None], values)[0]
    assert not any(torch.equal(one, other) for one, other in pairwise(embedded))


def test_adapted_attention_refuses_a_mask_of_numbers():
    x = torch.randn(2, 3, D)
    attention = TorchAttention(nn.MultiheadAttention(D, 2, batch_first=True))
    with pytest.raises(ValueError, match="key_padding_mask"):
        attention(x, x, x, key_padding_mask=torch.zeros(2, 3))


def test_torchs_attention_starts_as_its_constructor_has_it():
    attention = initialise(nn.MultiheadAttention(D, 2, batch_first=True), "torch")
    assert attention.in_proj_bias.abs().max() == attention.out_proj.bias.abs().max() == 0
    most = (6 / (D + 3 * D)) ** 0.5  # Glorot's, of the three maps at once
    assert 0.8 * most < attention.in_proj_weight.abs().max() <= most


@pytest.mark.parametrize("level", [0, -1, 1.5, math.nan])
def test_the_level_of_a_window_is_checked(level):
    with pytest.raises(ValueError, match=r"level is .*; expected a number above 0 and at most 1"):
        window_length(torch.tensor(1.0), torch.tensor(1.0), level)
    assert window_length(torch.tensor(1.0), torch.tensor(1.0), 1) == 0


def test_a_shared_window_is_stacked_and_saved(tmp_path):
    y = torch.randn(4, 9)
    models = [CurveTransformer(16, 2, 2, window=True, shared=True) for _ in range(2)]
    with torch.no_grad():
        models[1].layers[0].window.log_a.add_(1)
    parameters, buffers = stack_module_state(models)

    def run(parameters, buffers):
        return functional_call(models[0], (parameters, buffers), (y,))

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is a performance drop")
        found = vmap(run)(parameters, buffers)
    torch.testing.assert_close(found, torch.stack([model(y) for model in models]))
    save_model(models[1], tmp_path / "model.safetensors")
    load_model(models[0], tmp_path / "model.safetensors")
    assert torch.equal(models[0](y), models[1](y))


# Widths and batches that would broadcast


def relation_of_width_one(**options):
    passing = SymbolicMessagePassing(D, 2, combine="mix", out_dim=1)
    return AbstractorLayer(RelationalMessagePassing(MultiHeadRelation(D, 2, 3), passing), **options)


class First(nn.Module):
    """An attention that answers for the first of a batch alone."""

    def forward(self, query, key, value, **masks):
        return value[:1]


X, Y = torch.randn(1, M, D), torch.randn(3, M, D)
REFUSED = {
    "a width of one": (
        lambda: EncoderLayer(D, MultiHeadAttention(D, 2, out_features=1))(Y),
        r"attention returns shape \(3, 5, 1\); expected \(..., 5, 8\)",
    ),
    "messages of width one": (
        lambda: relation_of_width_one(residual=True)(Y, Y),
        r"relational returns shape \(3, 5, 1\); expected \(..., 5, 8\)",
    ),
    "a context of width one": (
        lambda: DecoderLayer(D, 2, cross_attention=[MultiHeadAttention(D, 2, out_features=1)])(
            Y, [Y]
        ),
        r"cross_attention\[0\] returns shape \(3, 5, 1\)",
    ),
    "a batch of one query": (
        lambda: MultiHeadAttention(D, 2)(X, Y, Y),
        r"key has batch dimensions \(3,\); expected \(1,\), those of query, or none",
    ),
    "a batch of one value": (
        lambda: MultiHeadAttention(D, 2)(Y, Y, X),
        r"value has batch dimensions \(1,\); expected \(3,\), those of query, or none",
    ),
    "one symbol for three": (
        lambda: RelationalCrossAttention(D, 2)(Y, X),
        r"value has batch dimensions \(1,\)",
    ),
    "a context of one": (
        lambda: DecoderLayer(D, 2)(Y, [X]),
        r"key has batch dimensions \(1,\); expected \(3,\)",
    ),
    "symbols of one": (
        lambda: SymbolicMessagePassing(D, 2)(torch.ones(3, 2, M, M), X),
        r"symbols has batch dimensions \(1,\); expected \(3,\), those of relations",
    ),
    "symbols of one, set": (
        lambda: SetMessagePassing(D, 2, 6)(torch.ones(3, 2, M, M), X),
        r"symbols has batch dimensions \(1,\)",
    ),
    "1-simplicial": (
        lambda: OneSimplicialAttention(D, 2, 3)(X, Y),
        r"key has batch dimensions \(3,\)",
    ),
    "2-simplicial": (
        lambda: TwoSimplicialAttention(D, 2, 3)(X, Y),
        r"key has batch dimensions \(3,\)",
    ),
    "contexts is no number": (
        lambda: DecoderLayer(D, 2, contexts=True),
        "contexts is True; expected an integer of at least 0, or a list",
    ),
    "contexts is no whole number": (
        lambda: DecoderLayer(D, 2, contexts=1.0),
        "contexts is 1.0; expected an integer of at least 0, or a list",
    ),
    "contexts is nothing": (
        lambda: DecoderLayer(D, 2, contexts=None),
        "contexts is None; expected an integer of at least 0, or a list",
    ),
    "messages narrower than the norm": (
        lambda: relation_of_width_one(norm=D)(Y, Y),
        r"relational returns shape \(3, 5, 1\); expected \(..., 5, 8\), the features of the norm",
    ),
    "states narrower than the norm before": (
        lambda: AbstractorLayer(RelationalCrossAttention(D, 2), norm=D, norm_first=True)(
            Y, torch.ones(M, 4)
        ),
        r"states has shape \(5, 4\); expected \(..., objects, 8\)",
    ),
    "objects wider than the norm before": (
        lambda: EncoderLayer(D, 2, norm_first=True)(torch.ones(3, M, 9)),
        r"x has shape \(3, 5, 9\); expected \(..., objects, 8\)",
    ),
    "double precision before the norm": (
        lambda: EncoderLayer(D, 2, norm_first=True)(Y.double()),
        "x has dtype torch.float64; expected torch.float32, as the weights",
    ),
    "no level": (
        lambda: window_length(torch.tensor(1.0), torch.tensor(1.0), None),
        "level is None; expected a number above 0 and at most 1",
    ),
    "a window without end": (
        lambda: LearnedWindow(a=math.inf),
        "a is inf; expected a number above 0 and below infinity",
    ),
    "a window of nothing": (lambda: LearnedWindow(b=None), "b is None; expected a number above 0"),
    "dropout is no number": (
        lambda: EncoderLayer(D, 2, dropout=None),
        r"dropout is None; expected a number in \[0, 1\)",
    ),
    "a mask that is no tensor": (
        lambda: MultiHeadAttention(D, 2)(Y, Y, Y, attn_mask=[[False] * M] * M),
        "attn_mask is a list; expected a tensor of torch.bool",
    ),
    "padding that is no tensor": (
        lambda: MultiHeadAttention(D, 2)(Y, Y, Y, key_padding_mask=np.zeros((3, M), dtype=bool)),
        "key_padding_mask is a ndarray; expected a tensor of torch.bool",
    ),
    "entities that are not there": (
        lambda: ScoringReadout(D, [0, 7])(Y),
        r"entities has shape \(3, 5, 8\); expected at least 8 entities, as places name",
    ),
    "binding without a batch": (
        lambda: SymbolBindingNetwork(D, key_dim=4, hidden=6)(Y[0]),
        r"objects has shape \(5, 8\); expected a batch, \(b, m, 8\)",
    ),
    "entities wider than virtual ones": (
        lambda: simplicial_transformer(D, virtual=2)(torch.ones(3, M, 9)),
        r"x has shape \(3, 5, 9\); expected \(..., objects, 8\)",
    ),
    "half a token": (
        lambda: greedy_decode(decoding_model(nn.Embedding(9, D)), torch.ones(3, M, 3), 4, 1.5),
        "start is 1.5; expected a token, an integer",
    ),
    "a token in words": (
        lambda: greedy_decode(
            decoding_model(nn.Embedding(9, D)), torch.ones(3, M, 3), 4, 8, stop="end"
        ),
        "stop is 'end'; expected a token, an integer",
    ),
    "a mean of nothing": (
        lambda: AbstractorClassifier(4, 3, dim=D, heads=2, layers=1, symbols=M)(
            torch.ones(2, 0, 4)
        ),
        r"objects has shape \(2, 0, 4\); expected at least one object with pool='mean'",
    ),
    "an additive mask": (
        lambda: MultiHeadAttention(D, 2)(Y, Y, Y, attn_mask=torch.zeros(M, M)),
        r"attn_mask has dtype torch.float32; expected torch.bool, True = ignore; write mask == "
        r"float\('-inf'\) for an additive mask of 0 and -inf; other biases, such as ALiBi's, are "
        "no mask: add them in a method `scores`, as RelativeBiasAttention does",
    ),
    "a mask of heads": (
        lambda: MultiHeadAttention(D, 2)(Y, Y, Y, attn_mask=torch.zeros(6, M, M).bool()),
        r"attn_mask has shape \(6, 5, 5\); expected \(3, 2, 5, 5\); write "
        r"mask.unflatten\(0, \(3, 2\)\)",
    ),
    "torch's attention as it is": (
        lambda: EncoderLayer(D, nn.MultiheadAttention(D, 2, batch_first=True))(Y),
        "attention returns a tuple; expected one tensor",
    ),
    "torch's attention, sequence first": (
        lambda: TorchAttention(nn.MultiheadAttention(D, 2)),
        "attention has batch_first=False; expected True",
    ),
    "pairs with a mask": (
        lambda: SimplicialAttention(TwoSimplicialAttention(D, 2, 4))(
            Y, Y, Y, attn_mask=torch.zeros(M, M).bool()
        ),
        r"attn_mask has shape \(5, 5\); expected None",
    ),
    "dual attention, one value": (
        lambda: DualAttention(D, 1, 1, symbols=LearnedSymbols(M, D), relations=2)(Y, Y, X),
        r"value has batch dimensions \(1,\); expected \(3,\), those of query, or none",
    ),
    "an attention of one batch": (
        lambda: EncoderLayer(D, First())(Y),
        r"attention has batch dimensions \(1,\); expected \(3,\), those of x, or none",
    ),
    "the mean of no pairs": (
        lambda: RelationNetwork(nn.Linear(2 * D, 2), "mean")(torch.ones(3, 0, D)),
        r"objects has shape \(3, 0, 8\); expected at least one object with reduction='mean'",
    ),
    "a memory of nothing": (
        lambda: RelationalMemory(D, 2)(Y[0], torch.ones(0, D), torch.ones(0, 1)),
        "keys holds no rows; expected at least one",
    ),
    "the maximum of nothing": (
        lambda: MaximumReadout(D, 4)(torch.ones(3, 0, D)),
        r"entities has shape \(3, 0, 8\); expected at least one object",
    ),
    "pairs with values": (
        lambda: SimplicialAttention(TwoSimplicialAttention(D, 2, 4))(Y, Y, Y.clone()),
        r"value, of shape \(3, 5, 8\), is not the key",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_sentence(name):
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_conversions_of_masks_are_right():
    """As the errors say, against torch's own attention with its masks."""
    own = MultiHeadAttention(D, Heads(2, 4))
    other = nn.MultiheadAttention(D, 2, batch_first=True)
    with torch.no_grad():
        parts = (own.query, own.key, own.value)
        other.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        other.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        other.out_proj.load_state_dict(own.output.state_dict())
    hidden = torch.rand(6, M, M) < 0.4
    hidden[..., 0] = False
    expected, _ = other(Y, Y, Y, attn_mask=hidden)
    torch.testing.assert_close(own(Y, Y, Y, attn_mask=hidden.unflatten(0, (3, 2))), expected)
    additive = torch.zeros(M, M).masked_fill(hidden[0], -torch.inf)
    expected, _ = other(Y, Y, Y, attn_mask=additive)
    torch.testing.assert_close(own(Y, Y, Y, attn_mask=additive == float("-inf")), expected)


class Alibi(MultiHeadAttention):
    """Biases that fall with distance, of Press et al. (2022), where the error puts them."""

    def scores(self, queries, keys, first=None):
        return super().scores(queries, keys, first) + biases(keys.shape[-2])


def biases(m):
    """(heads, m, m)"""
    slopes = torch.tensor([0.5, 0.25])
    return -slopes[:, None, None] * (torch.arange(m) - torch.arange(m)[:, None]).abs()


def test_biases_are_added_where_the_error_says():
    """Against torch's attention with the biases as its additive mask."""
    attention = Alibi(D, 2)
    parts = (part(Y) for part in (attention.query, attention.key, attention.value))
    mixed = nn.functional.scaled_dot_product_attention(*parts, attn_mask=biases(M))
    torch.testing.assert_close(attention(Y, Y, Y), attention.output(mixed))


def test_without_a_batch_something_is_the_same_for_all():
    attention, x = MultiHeadAttention(D, 2), torch.randn(M, D)
    torch.testing.assert_close(attention(x, Y, Y), attention(x.expand(3, M, D), Y, Y))
    torch.testing.assert_close(attention(Y, x, x), attention(Y, *[x.expand(3, M, D)] * 2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Encoder([EncoderLayer(D, 2)] * 2),
        lambda: Decoder([DecoderLayer(D, 2)] * 2),
        lambda: AbstractorStack(
            LearnedSymbols(M, D), [AbstractorLayer(RelationalCrossAttention(D, 2))] * 2
        ),
    ],
)
def test_a_layer_twice_in_a_list_is_told(make):
    with pytest.warns(UserWarning, match="layers holds the same .* more than once"):
        make()


def pair(layer, part):
    """Two layers with one part in common."""
    return [layer(part) for _ in range(2)]


OWN = MultiHeadAttention(D, 2)
SHARED = {
    "encoder": lambda: Encoder(pair(lambda one: EncoderLayer(D, one), MultiHeadAttention(D, 2))),
    "decoder": lambda: Decoder(
        pair(lambda one: DecoderLayer(D, one, contexts=0), MultiHeadAttention(D, 2))
    ),
    "decoder, contexts": lambda: Decoder(
        pair(lambda one: DecoderLayer(D, 2, cross_attention=[one]), MultiHeadAttention(D, 2))
    ),
    "Abstractor": lambda: AbstractorStack(
        LearnedSymbols(M, D), pair(AbstractorLayer, RelationalCrossAttention(D, 2))
    ),
    "relations": lambda: AbstractorStack(
        LearnedSymbols(M, D),
        pair(
            lambda one: AbstractorLayer(RelationalMessagePassing(one, SetMessagePassing(D, 2, 6))),
            MultiHeadRelation(D, 2, 3),
        ),
    ),
    "own and context": lambda: DecoderLayer(D, OWN, cross_attention=[OWN]),
}


@pytest.mark.parametrize("name", SHARED)
def test_an_attention_in_two_layers_is_told(name):
    with pytest.warns(UserWarning, match="holds the same .* more than once") as caught:
        SHARED[name]()
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (
            "cross_attention",
            lambda: DecoderLayer(D, 2, contexts=2, cross_attention=[MultiHeadAttention(D, 2)] * 2),
        ),
        ("left", lambda: InnerProductRelation([nn.Linear(D, 4)] * 3)),
        (
            "right",
            lambda: InnerProductRelation([nn.Linear(D, 4) for _ in "ab"], [nn.Linear(D, 4)] * 2),
        ),
    ],
)
def test_a_module_twice_in_other_lists_is_told(name, make):
    with pytest.warns(UserWarning, match=f"{name} holds the same .* more than once"):
        make()


def test_whole_numbers_are_no_less_exact():
    """Of integers: what the same numbers in floating point give."""
    vectors = torch.tensor([[1, 2, 3], [0, 1, 4], [5, 6, 0]])
    product = lib.unsigned_triple_product(*vectors)
    torch.testing.assert_close(product, lib.unsigned_triple_product(*vectors.float()))
    for logits in ("unsigned", "trilinear", "determinant", "pairs", "uniform"):
        found = lib.simplicial_logits(vectors, vectors, vectors, logits)
        float_ = lib.simplicial_logits(*[vectors.float()] * 3, logits)
        torch.testing.assert_close(found, float_)
    turned = lib.rotated(vectors[:, :2], torch.arange(3))
    torch.testing.assert_close(turned, lib.rotated(vectors[:, :2].float(), torch.arange(3)))


def test_double_precision_rotates_in_double_precision():
    """Far away, against complex numbers of numpy."""
    x = torch.randn(3, 64, dtype=torch.float64)
    places = torch.tensor([100_000, 7, 999_983])
    angles = places.numpy()[:, None] * 10000.0 ** (-np.arange(32) / 32)
    wanted = (x[:, :32].numpy() + 1j * x[:, 32:].numpy()) * np.exp(1j * angles)
    found = lib.rotated(x, places).numpy()
    np.testing.assert_allclose(found[:, :32] + 1j * found[:, 32:], wanted, atol=1e-9)


def test_layers_of_their_own_are_not_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Encoder([EncoderLayer(D, 2) for _ in range(2)])
        InnerProductRelation([nn.Identity()] * 3)  # which has no weights
        symbols = LearnedSymbols(M, D)  # which layers may share
        Encoder(
            pair(
                lambda one: EncoderLayer(D, DualAttention(D, 1, 1, symbols=one, relations=2)),
                symbols,
            )
        )


# Nothing


EMPTY = {
    "relative symbols": lambda: RelativeSymbols(D),
    "relative symbols, learned": lambda: RelativeSymbols(D, reach=2),
    "Abstractor": lambda: Abstractor(D, 2, 2, symbols=RelativeSymbols(D)),
    "Abstractor, not fused": lambda: Abstractor(D, Heads(2, fused=False), 1, symbols=M),
    "encoder": lambda: Encoder([EncoderLayer(D, 2)]),
    "simplicial": lambda: SimplicialBlock(D, 2, 3, simplicial_heads=1),
    "2-simplicial": lambda: SimplicialAttention(TwoSimplicialAttention(D, 2, 4)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_no_objects_give_none(name):
    x = torch.zeros(3, 0, D)
    given = (x, x, x) if name == "2-simplicial" else (x,)
    assert EMPTY[name]()(*given).shape == ((0, D) if name.startswith("relative") else (3, 0, D))


@pytest.mark.parametrize("cached", [True, False])
def test_an_empty_batch_is_decoded(cached):
    model = decoding_model(nn.Embedding(9, D))
    assert greedy_decode(model, torch.zeros(0, M, 3), 4, 8, cached=cached).shape == (0, 4)


def test_of_no_objects_none_is_pointed_at():
    pointer = PointerDecoder(Decoder([DecoderLayer(D, 2)]), D).eval()
    for batch, objects in ((2, 0), (0, 3)):
        found = pointer.greedy(torch.zeros(batch, objects, D))
        assert found.shape == (batch, objects) and found.dtype == torch.int64


def test_virtual_entities_alone_are_refused():
    with pytest.raises(ValueError, match="x has shape"):
        simplicial_transformer(D)(torch.zeros(3, 0, D))


@pytest.mark.parametrize("gating", ["weights", "renormalised", "all"])
@pytest.mark.parametrize("window", [False, True])
@pytest.mark.parametrize("kind", [CurveTransformer, RelationalCurveTransformer])
def test_no_curves_give_none(kind, window, gating):
    model = kind(16, 2, 2, window=window, gating=gating)
    assert len(model(torch.zeros(0, 5))) == 0
    assert extrapolate(model, torch.zeros(0, 5), 2).value.shape == (0, 2)


# Transformations


def of_blocks(logits):
    blocks, whole = (
        TwoSimplicialAttention(D, 2, 3, logits=logits, block=block) for block in (2, None)
    )
    whole.load_state_dict(blocks.state_dict())
    return blocks, whole


@pytest.mark.parametrize("logits", ["unsigned", "trilinear"])
def test_blocks_under_grad_of_functions(logits):
    blocks, whole = of_blocks(logits)
    x = torch.randn(3, M, D)

    def gradients(module):
        def loss(parameters):
            return functional_call(module, parameters, (x,)).square().sum()

        return grad(loss)(dict(module.named_parameters()))

    torch.testing.assert_close(gradients(blocks), gradients(whole))


@pytest.mark.slow
@pytest.mark.parametrize("logits", ["unsigned", "trilinear"])
def test_blocks_compiled_for_any_number(logits):
    torch.compiler.reset()
    blocks, whole = of_blocks(logits)
    compiled = torch.compile(blocks, dynamic=True, fullgraph=True, backend="aot_eager")
    for count in (5, 7):
        x = torch.randn(3, count, D)
        found, expected = (
            torch.autograd.grad(one(x).square().sum(), list(blocks.parameters()))
            if one is compiled
            else torch.autograd.grad(one(x).square().sum(), list(whole.parameters()))
            for one in (compiled, whole)
        )
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_further_derivatives_without_the_fused_path():
    """As `Heads.fused` says; held against double backward, and against finite differences."""
    attention = MultiHeadAttention(D, Heads(2, fused=False), dtype=torch.float64)
    x = torch.randn(3, D, dtype=torch.float64, requires_grad=True)

    def attend(x):
        return attention(x, x, x)

    expected = torch.autograd.functional.jacobian(attend, x)
    torch.testing.assert_close(jacfwd(attend)(x), expected)
    assert torch.autograd.gradgradcheck(attend, [x])
    assert hessian(lambda x: attend(x).sum())(x).shape == (3, D, 3, D)


# Other attentions in the layers


def test_against_torch_attention_in_a_layer():
    """The adapter with an attention of the same weights, in encoder and decoder, with masks."""
    own = MultiHeadAttention(D, Heads(2, 4))
    other = nn.MultiheadAttention(D, 2, batch_first=True)
    with torch.no_grad():
        parts = (own.query, own.key, own.value)
        other.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        other.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        other.out_proj.load_state_dict(own.output.state_dict())
    padding, hidden = torch.zeros(3, M).bool(), torch.rand(3, 1, M, M) < 0.3
    padding[:, -1] = True
    hidden[..., 0] = False
    masks = {"key_padding_mask": padding, "attn_mask": hidden}
    for build in (lambda one: EncoderLayer(D, one), lambda one: DecoderLayer(D, one, contexts=0)):
        ours, theirs = build(own).eval(), build(TorchAttention(other)).eval()
        for name, part in theirs.named_children():
            if name != "self_attention" and name != "attention":
                part.load_state_dict(getattr(ours, name).state_dict())
        torch.testing.assert_close(theirs(Y, **masks), ours(Y, **masks))
    cache, layer = lib.decoder.LayerCache(), build(TorchAttention(other)).eval()
    steps = torch.cat([layer(Y[:, i : i + 1], cache=cache) for i in range(M)], dim=1)
    torch.testing.assert_close(steps, layer(Y))


def test_attention_to_pairs_in_layers():
    pairs = TwoSimplicialAttention(D, heads=2, key_dim=4)
    adapted = SimplicialAttention(pairs)
    padding = torch.zeros(3, M).bool()
    padding[:, -1] = True
    torch.testing.assert_close(
        adapted(Y, Y, Y, key_padding_mask=padding), pairs(Y, key_padding_mask=padding)
    )
    context = torch.randn(3, 2, D)
    torch.testing.assert_close(adapted(Y, context, context), pairs(Y, context))
    assert EncoderLayer(D, adapted)(Y, padding).shape == Y.shape
    assert DecoderLayer(D, 2, cross_attention=[adapted])(Y, [context]).shape == Y.shape
    relational = RelationalCrossAttention(D, 2)
    layer = AbstractorLayer(relational, self_attention=adapted, residual=True)
    assert layer(Y, Y, key_padding_mask=padding).shape == Y.shape


def test_the_dropout_of_a_layer_does_not_reach_an_attention_of_yours():
    adapted = TorchAttention(nn.MultiheadAttention(D, 2, dropout=0.0, batch_first=True))
    encoder, decoder = EncoderLayer(D, adapted), DecoderLayer(D, adapted, contexts=0, dropout=0.5)
    assert encoder.attention.attention.dropout == decoder.self_attention.attention.dropout == 0
    model = sequence_to_sequence(
        "transformer",
        nn.Linear(D, D),
        nn.Embedding(6, D),
        5,
        dim=D,
        heads=2,
        layers=1,
        encoder_attention=lambda: MultiHeadAttention(D, 2, dropout=0.25),
        dropout=0.5,
    )
    assert model.encoder.layers[0].attention.dropout.p == 0.25
    assert isinstance(SimplicialTransformer(SimplicialBlock(D, 2, 3)), nn.Module)


def test_the_page_of_edges_names_tests_that_are_there():
    """In every row one or more, each a function of tests/nn."""
    tests = "".join(path.read_text() for path in (paths.root() / "tests" / "nn").glob("test_*.py"))
    page = (paths.root() / "docs" / "edges.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row.rpartition(" | ")[2])
        assert named and all(f"def {name}(" in tests for name in named), row

"""The modules under torch.compile, torch.export, autocast and vmap, and as safetensors files."""

import warnings

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

from abstractor_lib.nn import (
    ARCHITECTURES,
    Abstractor,
    AbstractorClassifier,
    AbstractorLayer,
    AbstractorStack,
    ActorCritic,
    CurveTransformer,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    FeedForward,
    Heads,
    LearnedSymbols,
    MaximumReadout,
    MultiHeadAttention,
    MultiHeadRelation,
    PictureEntities,
    PooledClassifier,
    PrediNet,
    RelationalCrossAttention,
    RelationalCurveTransformer,
    RelationalMessagePassing,
    RelativeBiasAttention,
    RelativeSymbols,
    RetrievedSymbols,
    RotaryAttention,
    SetMessagePassing,
    SimplicialBlock,
    SimplicialTransformer,
    SinusoidalSymbols,
    SymbolicMessagePassing,
    greedy_decode,
    relational_transformer,
    sequence_to_sequence,
    simplicial_transformer,
)

D, M = 8, 5


def with_relation(message_passing, **relation):
    layer = RelationalMessagePassing(MultiHeadRelation(D, 2, 3, **relation), message_passing)
    return AbstractorStack(LearnedSymbols(M, D), [AbstractorLayer(layer, FeedForward(D, 6))])


def with_attention(symbols, layers=2, **options):
    body = [
        AbstractorLayer(RelationalCrossAttention(D, Heads(2, 3, **options)), residual=True, norm=D)
        for _ in range(layers)
    ]
    return AbstractorStack(symbols, body)


def simplicial(virtual=0, **options):
    block = SimplicialBlock(D, 2, 3, 6, simplicial_heads=2, simplicial_dim=3, **options)
    return SimplicialTransformer(block, 2, virtual=virtual)


class Masked(nn.Module):
    """A module that is always called with a causal mask."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        later = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
        return self.body(x, attn_mask=later)


class FirstFeature(nn.Module):
    """A model of curves, each of which is the first feature of some objects."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return self.body(x[..., 0])


class Both(nn.Module):
    """An agent's logits and value in one tensor, with pictures made of some objects."""

    def __init__(self, transformer):
        super().__init__()
        self.agent = ActorCritic(PictureEntities(4, 5, D), transformer, MaximumReadout(D, 3, [6]))

    def forward(self, x):
        pictures = x.flatten(-2)[..., :1, None, None].expand(*x.shape[:-2], 4, 5, 3)
        ramp = torch.arange(60.0).unflatten(0, (4, 5, 3))
        logits, value = self.agent(100 * pictures + ramp)
        return torch.cat([logits, value.unsqueeze(-1)], dim=-1)


def own_attention():
    return MultiHeadAttention(D, Heads(2, 3, activation="relu", scale=0.5))


MODULES = {
    "attention, softmax": lambda: with_attention(LearnedSymbols(M, D)),
    "attention, sigmoid": lambda: with_attention(LearnedSymbols(M, D), activation="sigmoid"),
    "attention, strict": lambda: with_attention(SinusoidalSymbols(D), strict=True),
    "attention, symmetric": lambda: with_attention(LearnedSymbols(M, D), symmetric=True),
    "relative symbols": lambda: with_attention(RelativeSymbols(D, reach=3)),
    "retrieved symbols": lambda: with_attention(RetrievedSymbols(D, D, 7, 2)),
    "relation, linear": lambda: with_relation(SymbolicMessagePassing(D, 2)),
    "relation, symmetric": lambda: with_relation(SymbolicMessagePassing(D, 2), symmetric=True),
    "relation, set": lambda: with_relation(SetMessagePassing(D, 2, 6), diagonal=False),
    "predinet": lambda: PrediNet(M, D),
    "classifier": lambda: PooledClassifier(
        nn.Linear(D, D), with_attention(LearnedSymbols(M, D)), nn.Linear(D, 3), pool="mean"
    ),
    "of sizes": lambda: Abstractor(D, 2, 2, symbols=M, symbol_dim=6, self_attention=True),
    "of sizes, pre-norm": lambda: Abstractor(D, 2, 2, symbols=M, norm_first=True),
    "classifier of sizes": lambda: AbstractorClassifier(
        D, 3, dim=D, heads=2, layers=1, symbols=M, encoder_layers=1
    ),
    "causal Abstractor": lambda: Masked(Abstractor(D, 2, 1, symbols=M)),
    "causal relation": lambda: Masked(with_relation(SetMessagePassing(D, 2, 6))),
    "causal encoder, pre-norm": lambda: Masked(
        Encoder([EncoderLayer(D, 2, norm_first=True)], norm=nn.LayerNorm(D))
    ),
    "encoder, relative bias": lambda: Encoder([EncoderLayer(D, RelativeBiasAttention(D, 2))]),
    "encoder, rotary": lambda: Encoder([EncoderLayer(D, RotaryAttention(D, Heads(2, 4)))]),
    "encoder with an attention": lambda: Encoder([EncoderLayer(D, own_attention())]),
    "simplicial, all pairs": simplicial,
    "simplicial, virtual": lambda: simplicial(2, norm="projections"),
    "simplicial, determinant": lambda: simplicial(2, logits="determinant", norm="none"),
    "simplicial, trilinear": lambda: simplicial(2, logits="trilinear"),
    "agent, relational": lambda: Both(relational_transformer(D, key_dim=3, virtual=2)),
    "agent, simplicial": lambda: Both(simplicial_transformer(D, key_dim=3, simplicial_dim=3)),
    "curves": lambda: FirstFeature(CurveTransformer(D, 2, 2)),
    "curves, window": lambda: FirstFeature(CurveTransformer(D, 2, 2, window=True)),
    "curves, relational": lambda: FirstFeature(
        RelationalCurveTransformer(D, 2, 2, window=True, similarity="learned")
    ),
    "curves, masked queries": lambda: FirstFeature(
        RelationalCurveTransformer(D, 2, 2, queries="mask", norm_first=True)
    ),
    "decoder without a context": lambda: Decoder(
        [DecoderLayer(D, own_attention(), contexts=0, norm_first=True)]
    ),
}


QUICK = ("attention, softmax", "relation, linear", "simplicial, virtual")
TRACED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MODULES]


def sequence_model(architecture="d", **changes):
    sizes = {"dim": D, "heads": Heads(2, 3), "hidden": 6, "layers": 1, **changes}
    if architecture != "transformer":
        sizes["symbols"] = M
    return sequence_to_sequence(architecture, nn.Linear(D, D), nn.Embedding(6, D), 5, **sizes)


@pytest.fixture(autouse=True)
def nothing_compiled():
    """Each test compiles from nothing: variants of one class would count as recompilations."""
    torch.compiler.reset()


def eager_and_gradients(module, inputs, compiled=None):
    output = (module if compiled is None else compiled)(*inputs)
    gradients = torch.autograd.grad(output.square().sum(), list(module.parameters()))
    return [output, *gradients]


@pytest.mark.first(1)
@pytest.mark.parametrize("name", TRACED)
def test_compiled_equals_eager(name):
    """fullgraph: no break; aot_eager: forward and backward are traced, no compiler is needed."""
    module, x = MODULES[name]().eval(), torch.randn(3, M, D)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected = eager_and_gradients(module, [x])
    found = eager_and_gradients(module, [x], compiled)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"norm_first": True, "decoder_attention": own_attention}])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_compiled_sequence_model_equals_eager(architecture, changes):
    module = sequence_model(architecture, **changes).eval()
    inputs = [torch.randn(3, M, D), torch.randint(6, (3, 4)), torch.rand(3, M) < 0.3]
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected = eager_and_gradients(module, inputs)
    found = eager_and_gradients(module, inputs, compiled)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", TRACED)
def test_exported_equals_eager_at_another_batch_size(name):
    module, x = MODULES[name]().eval(), torch.randn(3, M, D)
    batch = torch.export.Dim("batch", min=2)
    exported = torch.export.export(module, (x,), dynamic_shapes=({0: batch},), strict=False)
    other = torch.randn(7, M, D)
    torch.testing.assert_close(exported.module()(other), module(other))


def test_exported_sequence_model():
    module = sequence_model().eval()
    inputs = torch.randn(3, M, D), torch.randint(6, (3, 4))
    exported = torch.export.export(module, inputs, strict=False)
    torch.testing.assert_close(exported.module()(*inputs), module(*inputs))


@pytest.mark.parametrize("name", [*MODULES, "sequence"])
def test_autocast_is_close_to_float32(name):
    inputs = [torch.randn(3, M, D)]
    if name == "sequence":
        module = sequence_model().eval()
        inputs.append(torch.randint(6, (3, 4)))
    else:
        module = MODULES[name]().eval()
    expected = module(*inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = module(*inputs)
        loss = found.float().square().mean()
    loss.backward()
    assert found.isfinite().all()
    torch.testing.assert_close(found.float(), expected, rtol=0.1, atol=0.1)
    assert not torch.equal(found.float(), expected)  # it did compute in bfloat16
    assert all(part.grad.dtype == torch.float32 for part in module.parameters())


@pytest.mark.parametrize("name", [*MODULES, "sequence"])
def test_vmap_over_models_equals_a_loop(name):
    """Stacked parameters, as in an ensemble, with gradients."""
    inputs = [torch.randn(3, M, D)]
    build = MODULES.get(name, lambda: sequence_model(heads=Heads(2, 3, fused=False)))
    if name == "sequence":
        inputs.append(torch.randint(6, (3, 4)))
    models = [build().eval() for _ in range(3)]
    parameters, buffers = stack_module_state(models)

    def loss(parameters, buffers):
        return functional_call(models[0], (parameters, buffers), tuple(inputs)).square().sum()

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is a performance drop")  # of the fused path
        gradients = vmap(grad(loss))(parameters, buffers)
    for index, model in enumerate(models):
        expected = torch.autograd.grad(
            model(*inputs).square().sum(), list(dict(model.named_parameters()).values())
        )
        for (key, _), one in zip(model.named_parameters(), expected, strict=True):
            torch.testing.assert_close(gradients[key][index], one, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [*MODULES, "sequence"])
def test_state_round_trips_through_safetensors(name, tmp_path):
    build = MODULES.get(name, sequence_model)
    inputs = [torch.randn(3, M, D)]
    if name == "sequence":
        inputs.append(torch.randint(6, (3, 4)))
    module, other = build().eval(), build().eval()
    save_file(module.state_dict(), tmp_path / "weights.safetensors")
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    assert torch.equal(other(*inputs), module(*inputs))


@pytest.mark.slow
def test_compiled_model_decodes():
    """Encoding and decoding steps compiled, with and without a cache."""
    compiled = []

    def backend(graph, inputs):
        compiled.append(graph)
        return graph.forward

    for cached in (True, False):
        module = sequence_model().eval()
        source = torch.randn(3, M, D)
        expected = greedy_decode(module, source, 4, start=5, cached=cached)
        module.encode = torch.compile(module.encode, backend=backend, fullgraph=True)
        module.decode = torch.compile(module.decode, backend=backend, fullgraph=True)
        found = greedy_decode(module, source, 4, start=5, cached=cached)
        assert torch.equal(found, expected)
        assert len(compiled) >= 2
        compiled.clear()

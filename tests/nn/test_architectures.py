"""Whole models: published sizes, wiring, decoding, and life outside this companion."""

from dataclasses import fields

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from abstractor_lib.nn import (
    ARCHITECTURES,
    MLP,
    SPOKEN_NAMES,
    AblationCrossAttention,
    Abstractor,
    AbstractorClassifier,
    AbstractorLayer,
    AbstractorStack,
    AddPositions,
    CoRelNet,
    Decoder,
    DecoderLayer,
    Embedded,
    Encoder,
    EncoderLayer,
    FeedForward,
    Heads,
    LearnedSymbols,
    MultiHeadAttention,
    MultiHeadRelation,
    PooledClassifier,
    PrediNet,
    RelationalCrossAttention,
    RelationalMessagePassing,
    RetrievedSymbols,
    SequenceToSequence,
    SinusoidalSymbols,
    SymbolicCrossAttention,
    SymbolicMessagePassing,
    greedy_decode,
    sequence_to_sequence,
    sinusoids,
)

SORTING = {"dim": 64, "heads": Heads(2, 64), "hidden": 64, "layers": 2, "symbols": 10}


def count(module):
    return sum(part.numel() for part in module.parameters())


def sorter(architecture="b", **changes):
    sizes = {**SORTING, **changes}
    return sequence_to_sequence(architecture, nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)


def sorting_abstractor(**changes):
    """Makes the Abstractor of the sorting networks, with changes."""
    options = {"self_attention": True, "hidden": 64, **changes}
    return lambda dim: Abstractor(
        dim,
        Heads(2, 64),
        2,
        symbols=nn.Sequential(LearnedSymbols(10, 64), AddPositions(64)),
        **options,
    )


def mathematician(architecture, dim, **changes):
    sizes = {"heads": Heads(4, dim), "hidden": 2 * dim, "layers": 1, **changes}
    embeddings = nn.Embedding(86, dim), nn.Embedding(86, dim)
    return sequence_to_sequence(architecture, *embeddings, 86, dim=dim, **sizes)


def simple_abstractor(heads, hidden, *, dim=64, symbols=10, **attention):
    """One layer without self-attention, symbols neither scaled nor with positions."""
    layer = AbstractorLayer(
        RelationalCrossAttention(dim, Heads(heads, dim), **attention),
        None if hidden is None else FeedForward(dim, hidden),
        residual=hidden is not None,
        norm=dim,
    )
    return AbstractorStack(LearnedSymbols(symbols, dim), [layer])


def simple_sorter(abstractor, layers, hidden, features=12, dim=64):
    return SequenceToSequence(
        Embedded(nn.Linear(features, dim)),
        Embedded(nn.Embedding(11, dim), AddPositions(dim)),
        Decoder(DecoderLayer(dim, Heads(4, dim), hidden) for _ in range(layers)),
        nn.Linear(dim, 10),
        abstractors=[abstractor],
        reads="input",
    )


def v3_abstractor(symbols, dim=64, hidden=64, **relation):
    relation = MultiHeadRelation(dim, 4, 16, activation="sigmoid", **relation)
    messages = RelationalMessagePassing(relation, SymbolicMessagePassing(64, 4))
    return AbstractorStack(
        LearnedSymbols(symbols, 64), [AbstractorLayer(messages, FeedForward(64, hidden))]
    )


def v1_abstractor():
    messages = RelationalMessagePassing(
        MultiHeadRelation(64, 4, 16, bias=True), SymbolicMessagePassing(64, 4, combine="mix")
    )
    return AbstractorStack(LearnedSymbols(2, 64), [AbstractorLayer(messages)])


PUBLISHED = {
    # object sorting: paper text (386,954 and 469,898) and public code
    "sorting Abstractor": (lambda: sorter(), 386_954),
    "sorting Ablation": (
        lambda: sorter(symbols=None, abstractor=sorting_abstractor(kind="ablation")),
        386_954,
    ),
    "sorting Symbolic": (
        lambda: sorter(symbols=None, abstractor=sorting_abstractor(kind="symbolic")),
        386_954,
    ),
    "sorting Abstractor, no self-attention": (
        lambda: sorter(symbols=None, abstractor=sorting_abstractor(self_attention=False)),
        320_266,
    ),
    "sorting Transformer": (lambda: sorter("transformer", layers=4, symbols=None), 469_898),
    "sorting Simple": (lambda: simple_sorter(simple_abstractor(4, 64), 1, 64), 219_210),
    "robustness Simple": (lambda: simple_sorter(simple_abstractor(8, None), 1, 64), 277_066),
    "attention": (lambda: MultiHeadAttention(64, Heads(2, 64)), 33_216),
    "encoder layer": (lambda: EncoderLayer(64, Heads(2, 64), 64), 41_792),
    "decoder layer": (lambda: DecoderLayer(64, Heads(2, 64), 64), 75_136),
    # mathematics
    "Transformer": (lambda: mathematician("transformer", 128), 957_654),
    "Transformer+": (lambda: mathematician("transformer", 200), 2_302_686),
    "mathematics Abstractor": (
        lambda: mathematician(
            "d", 128, symbols=lambda: SinusoidalSymbols(128), sensory="layers"
        ),
        2_146_262,
    ),
    "mathematics Abstractor, retrieved symbols": (
        lambda: mathematician(
            "d", 128, symbols=lambda: RetrievedSymbols(128, 128, 256, 4), sensory="layers"
        ),
        2_228_182,
    ),
    "mathematics attention": (lambda: MultiHeadAttention(128, Heads(4, 128)), 263_808),
    "mathematics attention at key_dim = d / heads": (
        lambda: MultiHeadAttention(128, Heads(4, 32)),
        66_048,
    ),
    # sums printed in the public notebooks
    "pairwise Abstractor v3": (lambda: v3_abstractor(2), 20_928),
    "pairwise Abstractor v1": (v1_abstractor, 24_896),
    "SET Abstractor": (
        lambda: v3_abstractor(3, hidden=128, symmetric=True, bias=True),
        25_216,
    ),
    "pairwise Transformer": (lambda: Encoder([EncoderLayer(64, Heads(1, 64), 64)]), 25_216),
    "SET Transformer": (lambda: Encoder(EncoderLayer(64, Heads(4, 64), 64) for _ in "ab"), 149_888),
    "pairwise PrediNet": (lambda: PrediNet(2, 32), 2_688),
    "SET PrediNet": (lambda: PrediNet(3, 64), 7_424),
    "SET PrediNet classifier": (
        lambda: nn.Sequential(PrediNet(3, 64), nn.Linear(64, 2)),
        7_554,
    ),
    "SET Abstractor classifier": (
        lambda: PooledClassifier(
            nn.Linear(64, 64),
            v3_abstractor(3, hidden=128, symmetric=True, bias=True),
            nn.Linear(192, 2),
        ),
        29_762,
    ),
    "SET CoRelNet classifier": (
        lambda: nn.Sequential(
            nn.Linear(64, 64), CoRelNet(MultiHeadRelation(64, 1, 64, symmetric=True)),
            nn.Linear(9, 2),
        ),
        8_276,
    ),
    "relation pre-learning, pairs": (lambda: simple_abstractor(3, 32, symbols=2), 54_368),
    "relation pre-learning, sequences": (lambda: simple_abstractor(3, 32), 54_880),
    "relation pre-learning, decoder": (
        lambda: Decoder(DecoderLayer(64, Heads(4, 64), 32) for _ in "ab"),
        274_624,
    ),
    "relation pre-learning, relation model": (
        lambda: nn.Sequential(
            nn.Linear(32, 64), simple_abstractor(3, 32, symbols=2), nn.Linear(64, 1)
        ),
        56_545,
    ),
    "relation pre-learning, sorting model": (
        lambda: simple_sorter(simple_abstractor(3, 32), 2, 32, features=32),
        332_970,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_against_published_parameter_counts(name):
    build, published = PUBLISHED[name]
    assert count(build()) == published


def own(heads=2, symbol_dim=8, **options):
    """Makes an Abstractor of two layers."""
    sizes = {"symbols": 7, "hidden": 6, "symbol_dim": symbol_dim, "self_attention": True}
    return lambda dim: Abstractor(dim, heads, 2, **sizes, **options)


def used(architecture, **options):
    """Those of some options that an architecture uses."""
    wiring = ARCHITECTURES[SPOKEN_NAMES.get(architecture, architecture)]
    without = [] if wiring.abstractors else ["symbols", "symbol_dim", "abstractor"]
    without += [] if wiring.encoder else ["encoder_attention"]
    without += [] if len(wiring.attends) > 1 else ["sensory"]
    return {name: value for name, value in options.items() if name not in without}


def tiny(architecture, **changes):
    sizes = {"dim": 8, "heads": 2, "hidden": 6, "layers": 2, **changes}
    if "abstractor" not in changes:
        sizes |= used(architecture, symbols=7)
    model = sequence_to_sequence(
        architecture, nn.Linear(5, 8), nn.Embedding(6, 8), 5, **sizes
    ).eval()
    for part in model.parameters():
        part.data = torch.randn_like(part) * 0.4
    return model


@pytest.mark.parametrize("sensory", ["alternate", "layers", "concatenate"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_against_modules_called_in_turn(architecture, sensory):
    """Each architecture of v3 Figure 2, with its arrows written out."""
    model = tiny(architecture, **used(architecture, sensory=sensory))
    source, target = torch.randn(3, 7, 5), torch.randint(6, (3, 4))
    x = model.source(source)
    e = None if architecture == "a" else model.encoder(x)
    wanted = {
        "transformer": lambda: [e],
        "a": lambda: [model.abstractors[0](x)],
        "b": lambda: [model.abstractors[0](e)],
        "c": lambda: [e, model.abstractors[0](x)],
        "d": lambda: [e, model.abstractors[0](e)],
        "e": lambda: [model.abstractors[1](model.abstractors[0](e))],
    }[architecture]()
    if sensory == "concatenate":
        wanted = [torch.cat(wanted, dim=1)]
    expected = model.output(model.decoder(model.target(target), wanted))
    torch.testing.assert_close(model(source, target), expected)


KINDS = {
    "relational": RelationalCrossAttention,
    "ablation": AblationCrossAttention,
    "symbolic": SymbolicCrossAttention,
}


@pytest.mark.parametrize("kind", KINDS)
def test_presets_hold_what_their_arguments_say(kind):
    """Kinds of attention, activations, positions of source, target and symbols."""
    heads = Heads(2, activation="tanh", symmetric=True, scale=0.5)
    maker = {} if kind == "relational" else {"abstractor": own(heads, kind=kind)}
    model = tiny("b", heads=2 if maker else heads, **maker)
    for layer in model.abstractors[0].layers:
        assert type(layer.relational) is KINDS[kind]
        assert layer.relational.activation == "tanh" and layer.relational.scale == 0.5
        assert layer.relational.key is None
        wanted = "softmax" if kind == "ablation" else "tanh"
        assert layer.self_attention.activation == wanted
    others = [layer.attention for layer in model.encoder.layers]
    others += [layer.self_attention for layer in model.decoder.layers]
    others += [one for layer in model.decoder.layers for one in layer.cross_attention]
    for attention in others:
        assert attention.activation == "softmax" and attention.key is not None
    objects, tokens = torch.randn(2, 7, 5), torch.randint(6, (2, 4))
    places = sinusoids(torch.arange(7), 8)
    found = model.source(objects)
    torch.testing.assert_close(found, 8**0.5 * model.source.embed(objects) + places)
    found = model.target(tokens)
    torch.testing.assert_close(found, 8**0.5 * model.target.embed(tokens) + places[:4])
    symbols = tiny("b").abstractors[0].symbols
    torch.testing.assert_close(symbols(objects), 8**0.5 * symbols[0].vectors + places)


def test_presets_take_the_strict_bottleneck():
    for layer in tiny("b", heads=Heads(2, strict=True)).abstractors[0].layers:
        assert not layer.relational.diagonal and layer.relational.query.bias is None
        assert layer.relational.value.bias is not None and layer.self_attention.diagonal


def test_whole_layers_read_the_contexts_in_turn():
    assert tiny("d", sensory="layers").decoder.reads == ((0,), (1,), (0,), (1,))
    assert tiny("d").decoder.reads is None
    assert len(tiny("d").decoder.layers[0].cross_attention) == 2


def test_a_target_mask_covers_the_cache():
    model = tiny("b")
    source, tokens = torch.randn(2, 7, 5), torch.randint(6, (2, 4))
    mask = torch.tensor([[True, False, False, False], [False] * 4])
    whole = model(source, tokens, target_key_padding_mask=mask)
    cache, contexts = model.decoder.new_cache(), model.encode(source)
    for t in range(4):
        step = model.decode(
            tokens[:, t : t + 1], contexts, target_key_padding_mask=mask[:, : t + 1], cache=cache
        )
        torch.testing.assert_close(step[:, 0], whole[:, t], rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match=r"key_padding_mask has shape \(2, 1\); expected \(2, 5\)"):
        model.decode(tokens[:, :1], contexts, target_key_padding_mask=mask[:, :1], cache=cache)


def test_plain_modules_can_embed_the_target():
    parts = nn.Linear(5, 8), nn.Embedding(6, 8), tiny("b").decoder, nn.Linear(8, 5)
    model = SequenceToSequence(*parts, encoder=tiny("b").encoder, attends=["encoder"]).eval()
    assert greedy_decode(model, torch.randn(2, 7, 5), 3, start=5).shape == (2, 3)


def two_sources(architecture):
    """Scores for two sources of a model whose last Abstractor sees nothing."""
    model = tiny(architecture)
    for layer in model.abstractors[-1].layers:
        nn.init.zeros_(layer.relational.query.weight)
        nn.init.zeros_(layer.relational.key.weight)
    target = torch.randint(6, (1, 4))
    return [model(torch.randn(1, 7, 5), target) for _ in range(2)]


@pytest.mark.parametrize("architecture", ["a", "b", "e"])
def test_purely_relational_models_cannot_see_features(architecture):
    """In (a), (b) and (e) every path from what the last Abstractor reads goes through relations:
    with its query and key projections at zero the scores do not depend on the source at all."""
    first, second = two_sources(architecture)
    torch.testing.assert_close(first, second)


@pytest.mark.parametrize("architecture", ["c", "d"])
def test_sensory_connected_models_see_features(architecture):
    first, second = two_sources(architecture)
    assert (first - second).abs().max() > 1e-3


@pytest.mark.parametrize("sensory", ["alternate", "layers", "concatenate"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_padding_changes_nothing(architecture, sensory):
    """A padded batch gives what each sequence gives by itself."""
    model = tiny(architecture, **used(architecture, sensory=sensory))
    source, target = torch.randn(2, 7, 5), torch.randint(6, (2, 4))
    lengths = [7, 4]
    mask = torch.arange(7) >= torch.tensor(lengths)[:, None]
    together = model(source, target, mask)
    for row, length in enumerate(lengths):
        alone = model(source[row : row + 1, :length], target[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone, rtol=1e-4, atol=1e-5)


@given(
    architecture=st.sampled_from(sorted(ARCHITECTURES)),
    sensory=st.sampled_from(["alternate", "layers", "concatenate"]),
    length=st.integers(1, 9),
    padded=st.booleans(),
    seed=st.integers(0, 999),
)
def test_cached_decoding_equals_uncached(architecture, sensory, length, padded, seed):
    torch.manual_seed(seed)
    model = tiny(architecture, **used(architecture, sensory=sensory))
    source = torch.randn(3, 6, 5)
    mask = torch.arange(6) >= torch.tensor([[6], [4], [3]]) if padded else None
    decoded = [
        greedy_decode(model, source, length, start=5, source_key_padding_mask=mask, cached=cached)
        for cached in (True, False)
    ]
    assert torch.equal(*decoded)
    prefix = torch.cat([torch.full((3, 1), 5), decoded[0][:, :-1]], dim=1)
    scores = model(source, prefix, mask)
    assert torch.equal(scores.argmax(dim=-1), decoded[0])  # each token the best after its prefix
    cache, contexts = model.decoder.new_cache(), model.encode(source, mask)
    steps = [
        model.decode(prefix[:, t : t + 1], contexts, source_key_padding_mask=mask, cache=cache)
        for t in range(length)
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1), scores, rtol=1e-4, atol=1e-5)


def test_decoding_stops():
    model = tiny("b")
    source = torch.randn(20, 6, 5)
    free = greedy_decode(model, source, 8, start=5)
    stop = int(free[:, :4].flatten().mode().values)
    found = greedy_decode(model, source, 8, start=5, stop=stop)
    for row, plain in zip(found.tolist(), free.tolist(), strict=True):
        end = plain.index(stop) if stop in plain else len(plain)
        assert row == (plain[: end + 1] + [stop] * 8)[: len(row)]


def test_decoding_leaves_no_gradient():
    model = tiny("b")
    assert not greedy_decode(model, torch.randn(2, 6, 5), 3, start=5).requires_grad


def test_classifier_ignores_padding():
    layer = AbstractorLayer(RelationalCrossAttention(8, Heads(2, 4)), FeedForward(8, 6))
    body = AbstractorStack(LearnedSymbols(7, 8), [layer])
    encoder = Encoder([EncoderLayer(8, Heads(2, 4), 6)])
    model = PooledClassifier(
        nn.Linear(5, 8), body, MLP([8, 8, 3]), encoder=encoder, pool="mean"
    ).eval()
    objects = torch.randn(2, 7, 5)
    mask = torch.arange(7) >= torch.tensor([[5], [5]])
    torch.testing.assert_close(model(objects, mask), model(objects[:, :5]))
    flat = PooledClassifier(nn.Linear(5, 8), body, MLP([56, 8, 3])).eval()
    states = body(flat.source(objects))
    torch.testing.assert_close(flat(objects), flat.head(states.flatten(1)))


@pytest.mark.parametrize("name", SPOKEN_NAMES)
def test_spoken_names(name):
    torch.manual_seed(1)
    spoken = tiny(name)
    torch.manual_seed(1)
    letter = tiny(SPOKEN_NAMES[name])
    source, target = torch.randn(3, 7, 5), torch.randint(6, (3, 4))
    assert torch.equal(spoken(source, target), letter(source, target))
    assert {*SPOKEN_NAMES.values(), "transformer"} == set(ARCHITECTURES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sensory", ["alternate", "layers"])
@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if len(name) == 1])
def test_symbols_of_another_width(architecture, sensory, kind):
    """Decoders read contexts of both widths; a second Abstractor reads the first one's states."""
    maker = {} if kind == "relational" else {"abstractor": own(symbol_dim=6, kind=kind)}
    model = tiny(architecture, symbol_dim=6, **maker, **used(architecture, sensory=sensory))
    source, target = torch.randn(3, 7, 5), torch.randint(6, (3, 4))
    widths = [context.shape[-1] for context in model.encode(source)]
    assert widths == [6 if one == "abstractor" else 8 for one in model.attends]
    assert model(source, target).shape == (3, 4, 5)
    greedy = [greedy_decode(model, source, 4, start=5, cached=cached) for cached in (True, False)]
    assert torch.equal(*greedy)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_norm_first_everywhere(architecture):
    """Each layer of each module, a norm after the last, and their epsilon."""
    model = tiny(architecture, norm_first=True, layer_norm_eps=1e-5)
    norms = [part for part in model.modules() if isinstance(part, nn.LayerNorm)]
    assert {part.eps for part in norms} == {1e-5}
    layered = [part for part in model.modules() if hasattr(part, "norm_first")]
    assert layered and all(part.norm_first for part in layered)
    stacks = [model.encoder, *model.abstractors, model.decoder]
    for stack in stacks[architecture == "a" :]:
        assert isinstance(stack.norm, nn.LayerNorm)
    plain = tiny(architecture)
    assert {part.eps for part in plain.modules() if isinstance(part, nn.LayerNorm)} == {1e-3}
    assert not any(getattr(part, "norm_first", False) for part in plain.modules())


def test_whole_models_take_an_attention():
    """In each encoder layer and as each decoder layer's self-attention; decoding with a cache."""

    class Previous(nn.Module):
        """Each position reads the one before it; the first itself."""

        def __init__(self):
            super().__init__()
            self.map = nn.Linear(8, 8)

        def forward(self, query, key, value, key_padding_mask=None, attn_mask=None):
            behind = torch.cat([value[:, :1], value[:, :-1]], dim=1)
            return self.map(behind[:, -query.shape[1] :])

    model = tiny("d", encoder_attention=Previous, decoder_attention=Previous)
    assert all(isinstance(layer.attention, Previous) for layer in model.encoder.layers)
    assert all(isinstance(layer.self_attention, Previous) for layer in model.decoder.layers)
    source = torch.randn(3, 7, 5)
    greedy = [greedy_decode(model, source, 6, start=5, cached=cached) for cached in (True, False)]
    assert torch.equal(*greedy)


def test_a_classifier_of_sizes_is_the_composed_one():
    sizes = {"dim": 8, "heads": Heads(2, 3), "layers": 2, "hidden": 6}
    model = AbstractorClassifier(5, 3, **sizes, symbols=7, encoder_layers=1).eval()
    composed = PooledClassifier(
        nn.Linear(5, 8),
        Abstractor(8, Heads(2, 3), 2, symbols=7, hidden=6),
        nn.Linear(8, 3),
        encoder=Encoder([EncoderLayer(8, Heads(2, 3), 6)]),
        pool="mean",
    ).eval()
    composed.load_state_dict(model.state_dict())
    objects = torch.randn(2, 7, 5)
    mask = torch.arange(7) >= torch.tensor([[7], [5]])
    assert torch.equal(model(objects, mask), composed(objects, mask))
    flat = AbstractorClassifier(5, 3, **sizes, symbols=7, symbol_dim=6, pool="flatten")
    assert flat(objects).shape == (2, 3) and flat.head.in_features == 7 * 6
    for many in (6, 8):
        with pytest.raises(
            ValueError, match=rf"objects has shape \(2, {many}, 5\); expected 7 obj"
        ):
            flat(torch.randn(2, many, 5))
    with pytest.raises(ValueError, match="symbols is a SinusoidalSymbols; with pool='flatten' exp"):
        AbstractorClassifier(5, 3, **sizes, symbols=SinusoidalSymbols(8), pool="flatten")
    with pytest.raises(ValueError, match="encoder_layers is -1; expected an integer of at least 0"):
        AbstractorClassifier(5, 3, **sizes, symbols=7, encoder_layers=-1)


def test_the_activation_of_a_classifier_is_that_of_its_relations():
    sizes = {"dim": 8, "layers": 1, "symbols": 7, "encoder_layers": 1}
    heads = Heads(2, 3, activation="tanh", strict=True, bias=False, fused=False)
    model = AbstractorClassifier(5, 3, heads=heads, **sizes)
    relational = model.abstractor.layers[0].relational
    assert relational.activation == "tanh" and not relational.diagonal
    attention = model.encoder.layers[0].attention
    assert attention.activation == "softmax" and attention.diagonal
    assert attention.key_dim == 3 and attention.query.bias is None and not attention.fused


OPTIONS = {
    "symbols": 7,
    "abstractor": own(),
    "symbol_dim": 8,
    "encoder_attention": lambda: MultiHeadAttention(8, 2),
    "sensory": "alternate",
    "layers": {"encoder": 1, "abstractor": 1, "decoder": 1},
    "heads": Heads(2, activation="tanh"),
}
UNUSED = {
    "transformer": ["symbols", "abstractor", "symbol_dim", "sensory", "layers", "heads"],
    "a": ["encoder_attention", "sensory", "layers"],
    "b": ["sensory"],
    "c": [],
    "d": [],
    "e": ["sensory"],
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_architecture_refuses_what_it_does_not_use(architecture, option):
    """It says which option, and every option that it takes makes a difference or is the default."""
    given = {option: OPTIONS[option]}
    if option not in UNUSED[architecture]:
        tiny(architecture, **given)
        return
    name = {"layers": r"layers\['\w+'\]", "heads": "activation"}.get(option, option)
    message = rf"^{name} is .+; expected nothing, since architecture '{architecture}' does not use"
    with pytest.raises(ValueError, match=message):
        tiny(architecture, **given)


@pytest.mark.parametrize("field", [one for one in fields(Heads) if one.name not in ("count",)])
def test_a_transformer_takes_no_options_of_relations(field):
    """What `Heads` say of relations is refused where there is none; sizes are for every head."""
    values = {"activation": "tanh", "over": "left", "key_dim": 3, "value_dim": 3, "scale": 0.5}
    value = values.get(field.name, not field.default)
    heads = Heads(2, **{field.name: value})
    if field.name in ("key_dim", "value_dim", "bias", "fused"):
        attention = tiny("transformer", heads=heads).encoder.layers[0].attention
        widths = attention.query.width, attention.value.width
        found = {"bias": attention.query.bias is not None, "fused": attention.fused}
        found |= dict(zip(("key_dim", "value_dim"), widths, strict=True))
        assert found[field.name] == value
        return
    for maker in ({}, {"abstractor": own()}):
        with pytest.raises(ValueError, match=f"^{field.name} is {value!r}; expected nothing, "):
            tiny("d" if maker else "transformer", heads=heads, **maker)


def test_an_abstractor_leaves_nothing_of_its_sizes_to_say():
    with pytest.raises(ValueError, match=r"^symbols is 7; .* 'b' with an abstractor does not"):
        tiny("b", abstractor=own(), symbols=7)
    with pytest.raises(ValueError, match=r"^layers\['abstractor'\] is 2; .* with an abstractor"):
        tiny("b", abstractor=own(), layers={"encoder": 1, "abstractor": 2, "decoder": 1})


def test_layers_by_name():
    model = tiny("e", layers={"encoder": 1, "abstractor": 2, "decoder": 3})
    assert [len(part.layers) for part in (model.encoder, *model.abstractors, model.decoder)] == [
        *(1, 2, 2, 3)
    ]


def test_embedded_sources_bring_their_positions():
    sizes = {"dim": 8, "heads": 2, "layers": 1}
    bare, parts = Embedded(nn.Linear(5, 8)), (nn.Embedding(6, 8), 5)
    assert sequence_to_sequence("transformer", bare, *parts, **sizes).source is bare
    added = sequence_to_sequence("transformer", nn.Linear(5, 8), *parts, **sizes)
    assert isinstance(added.source.positions, AddPositions)


def test_bad_arguments():
    with pytest.raises(ValueError, match="architecture is 'f'; allowed: transformer, a, b"):
        sorter("f")
    with pytest.raises(ValueError, match="kind is 'none'; allowed: relational, ablation, symbolic"):
        Abstractor(8, 2, 1, symbols=7, kind="none")
    with pytest.raises(ValueError, match="sensory is 'both'; allowed: alternate, layers"):
        sorter("c", sensory="both")
    with pytest.raises(ValueError, match="symbols is None; expected the number of learned symbols"):
        sorter(symbols=None)
    for layers, name in ((-2, "layers"), ({"encoder": 1, "abstractor": 1}, r"layers\['decoder'\]")):
        with pytest.raises(ValueError, match=rf"^{name} is .*; expected an integer of at least 1"):
            sorter(layers=layers)
    with pytest.raises(ValueError, match="hidden is -1; expected an integer of at least 1"):
        sorter(hidden=-1)
    with pytest.raises(ValueError, match="attends names 'abstractor'; this model has: input"):
        decoder = Decoder([DecoderLayer(8, Heads(2, 3), 10)])
        SequenceToSequence(nn.Identity(), nn.Identity(), decoder, nn.Identity())
    with pytest.raises(ValueError, match="outputs is 0; expected an integer of at least 1"):
        sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 0, **SORTING)
    with pytest.raises(ValueError, match="symbols is a SinusoidalSymbols; expected the number of"):
        sorter(symbols=SinusoidalSymbols(64))
    for name in ("symbols", "symbol_dim", "dim"):
        with pytest.raises(ValueError, match=f"^{name} is 0; expected an integer of at least 1"):
            sorter(**{name: 0})
    with pytest.raises(ValueError, match=r"source has shape \(6, 5\); expected a batch"):
        greedy_decode(tiny("b"), torch.zeros(6, 5), 3, start=5)
    with pytest.raises(ValueError, match=r"key_padding_mask has shape \(2, 6\); expected \(2, 7\)"):
        mask = torch.zeros(2, 6, dtype=torch.bool)
        tiny("b")(torch.zeros(2, 7, 5), torch.zeros(2, 3, dtype=torch.long), mask)
    with pytest.raises(ValueError, match="length is 0; expected an integer of at least 1"):
        greedy_decode(tiny("b"), torch.zeros(1, 3, 5), 0, start=5)
    with pytest.raises(ValueError, match="key_padding_mask is given with pool='flatten'"):
        body = nn.Identity()
        padding = torch.zeros(1, 3, dtype=torch.bool)
        model = PooledClassifier(body, lambda x, key_padding_mask: x, body)
        model(torch.zeros(1, 3, 5), padding)
    with pytest.raises(ValueError, match="symbol_dim is 6; with sensory='concatenate' exp"):
        tiny("d", symbol_dim=6, sensory="concatenate")

"""Arguments and inputs of the wrong kind, width or number: an error of one sentence, which names
the argument as the caller wrote it."""

import math
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.func import vmap

import abstractor_lib
from abstractor_lib.nn import (
    MLP,
    AblationCrossAttention,
    Abstractor,
    AbstractorClassifier,
    AbstractorLayer,
    AbstractorStack,
    CoRelNet,
    CurveTransformer,
    Decoder,
    DecoderLayer,
    DualAttention,
    Encoder,
    EncoderLayer,
    FeedForward,
    Heads,
    ImageEmbedder,
    LearnedSymbols,
    MaximumReadout,
    MultiHeadRelation,
    PaddedTokens,
    PairwiseAbstractor,
    PointerDecoder,
    PooledClassifier,
    PrediNet,
    RelationalCrossAttention,
    RelationalCurveTransformer,
    RelationalMessagePassing,
    RelationNetwork,
    RelativeSymbols,
    RetrievedSymbols,
    ScoringReadout,
    SequenceToSequence,
    SimplicialBlock,
    SinusoidalSymbols,
    SymbolBindingNetwork,
    SymbolicMessagePassing,
    TemporalContextNorm,
    greedy_decode,
    relations_of,
    sequence_to_sequence,
)
from abstractor_lib.nn.function_learning import START

D, M = 8, 5
X = torch.randn(3, M, D)
TOKENS = torch.zeros(3, 4, dtype=torch.int64)
SIZES = {"dim": D, "heads": 2, "hidden": 6, "layers": 1}


def sorter(name="b", **options):
    options = {"symbols": M, **SIZES, **options}
    return sequence_to_sequence(name, nn.Linear(3, D), nn.Embedding(9, D), 8, **options).eval()


def classifier(**options):
    options = {"dim": D, "heads": 2, "layers": 1, "symbols": M, **options}
    return AbstractorClassifier(4, 3, **options).eval()


def dual(symbols):
    return DualAttention(D, 1, 1, symbols=symbols, relations=2)


def pointer():
    return PointerDecoder(Decoder([DecoderLayer(D, 2)]), D).eval()


def pairwise(relation, symbols=M):
    sizes = {"relations": 2, "symbol_dim": D, "hidden": None}
    return PairwiseAbstractor(relation, symbols=symbols, **sizes)


def stack(*layers):
    return AbstractorStack(LearnedSymbols(M, D), layers)


def padding(*shape):
    return torch.zeros(*shape, dtype=torch.bool)


def chosen(*numbers):
    return torch.tensor([numbers] * 3)


REFUSED = {
    # what is pooled
    "PrediNet in a classifier": (
        lambda: PooledClassifier(nn.Linear(4, D), PrediNet(M, D), MLP([64, 3]))(X[..., :4]),
        r"abstractor returns shape \(3, 64\); expected \(3, 5, s\), a state for each object; for "
        r"one vector an example write nn.Sequential\(abstractor, head\)",
    ),
    "its mean": (
        lambda: PooledClassifier(
            nn.Linear(4, D), CoRelNet(MultiHeadRelation(D, 1, 4)), MLP([25, 3]), pool="mean"
        )(X[..., :4]),
        r"abstractor returns shape \(3, 25\); expected \(3, 5, s\)",
    ),
    "as many pairs as examples": (
        lambda: PooledClassifier(nn.Identity(), RelationNetwork(MLP([2 * D, D])), MLP([D, 3]))(
            torch.randn(M, M, D)
        ),
        r"abstractor returns shape \(5, 8\); expected \(5, 5, s\)",
    ),
    "symbols bound in a classifier": (
        lambda: PooledClassifier(
            nn.Identity(), SymbolBindingNetwork(D, key_dim=4, hidden=D), MLP([D, 3]), pool="mean"
        )(X),
        r"abstractor returns shape .*; expected \(3, 5, s\)",
    ),
    # positions
    "a negative position": (
        lambda: LearnedSymbols(M, D)(X[:, :2], torch.tensor([0, -1])),
        "positions holds a number that has no symbol; expected 0 to 4",
    ),
    "a position too far": (
        lambda: LearnedSymbols(M, D)(X[:, :2], torch.tensor([0, M])),
        "positions holds a number that has no symbol; expected 0 to 4",
    ),
    "positions are marks": (
        lambda: LearnedSymbols(M, D)(X[:, :2], padding(2)),
        r"positions has dtype torch\.bool; expected torch\.int64",
    ),
    "half a position": (
        lambda: LearnedSymbols(M, D)(X[:, :2], torch.tensor([0.0, 1.5])),
        r"positions has dtype torch\.float32; expected torch\.int64",
    ),
    "positions of a byte": (
        lambda: LearnedSymbols(M, D)(X[:, :2], torch.tensor([0, 1], dtype=torch.uint8)),
        r"positions has dtype torch\.uint8; expected torch\.int64",
    ),
    "half an offset": (
        lambda: RelativeSymbols(D, reach=2)(X[:, :2], torch.tensor([0.0, 1.5])),
        r"positions has dtype torch\.float32; expected torch\.int64",
    ),
    "sinusoids of marks": (
        lambda: SinusoidalSymbols(D)(X[:, :2], padding(2)),
        r"positions has dtype torch\.bool; expected whole or real numbers",
    ),
    "positions of retrieved symbols": (
        lambda: Abstractor(D, 2, 1, symbols=RetrievedSymbols(D, D, 7, 2))(
            X, positions=torch.arange(M)
        ),
        "positions is given; expected None, since RetrievedSymbols are chosen by objects",
    ),
    # curves and images
    "the size of a window": (
        lambda: CurveTransformer(D, 2, 1, window=5),
        "window is 5; expected True or False",
    ),
    "a start without a window": (
        lambda: RelationalCurveTransformer(D, 2, 1, start=(3.0, 1.0)),
        r"start is \(3\.0, 1\.0\); expected nothing, since a model without a window does not",
    ),
    "an image of fewer rows": (
        lambda: ImageEmbedder(3, 50, 70, dim=D)(torch.zeros(2, 3, 40, 70)),
        r"images has shape \(2, 3, 40, 70\); expected \(..., 3, 50, 70\)",
    ),
    "an image of bytes": (
        lambda: ImageEmbedder(3, 36, 36, dim=D)(torch.zeros(2, 3, 36, 36, dtype=torch.uint8)),
        r"images has dtype torch\.uint8; expected torch\.float32, as the weights",
    ),
    # widths and dtypes
    "features of a classifier": (
        lambda: classifier()(X),
        r"objects has shape \(3, 5, 8\); expected \(..., objects, 4\)",
    ),
    "whole numbers for a classifier": (
        lambda: classifier()(torch.zeros(3, M, 4, dtype=torch.int64)),
        r"objects has dtype torch\.int64; expected torch\.float32, as the weights",
    ),
    "one vector for a classifier": (
        lambda: classifier(pool="flatten")(torch.zeros(4)),
        r"objects has shape \(4,\); expected \(..., objects, 4\)",
    ),
    "features of a network": (
        lambda: FeedForward(D, 6)(X[..., :5]),
        r"x has shape \(3, 5, 5\); expected \(..., 8\)",
    ),
    "features of a pair": (
        lambda: RelationNetwork(MLP([9, 2]))(X),
        r"x has shape \(3, 5, 5, 16\); expected \(..., 9\)",
    ),
    "features of a maximum": (
        lambda: MaximumReadout(D, 4)(X[..., :5]),
        r"entities has shape \(3, 5, 5\); expected \(..., objects, 8\)",
    ),
    "features of what is scored": (
        lambda: ScoringReadout(D, [0])(X[..., :5]),
        r"entities has shape \(3, 5, 5\); expected \(..., objects, 8\)",
    ),
    "features of a source": (
        lambda: sorter()(X, TOKENS),
        r"source has shape \(3, 5, 8\); expected \(..., objects, 3\)",
    ),
    "half a target": (
        lambda: sorter()(X[..., :3], TOKENS / 2),
        r"target has dtype torch\.float32; expected torch\.int64, tokens",
    ),
    # symbols
    "symbols of another width": (
        lambda: dual(LearnedSymbols(M, 4))(X, X, X),
        r"symbols returns shape \(5, 4\); expected \(..., 5, 8\), a symbol of dim features for",
    ),
    "symbols of offsets": (
        lambda: dual(RelativeSymbols(D)),
        "symbols is a RelativeSymbols; expected a symbol for each object",
    ),
    "symbols in number": (lambda: dual(6), "symbols is 6; expected a module"),
    "values of dual attention": (
        lambda: dual(LearnedSymbols(M, D))(X, X, X[:, 1:]),
        "value holds 4 objects; expected one for each of the 5 keys",
    ),
    "symbols in words": (
        lambda: Abstractor(D, 2, 1, symbols="learned"),
        "symbols is 'learned'; expected an integer of at least 1, or a module that makes symbols, "
        r"such as RelativeSymbols\(8\)",
    ),
    "symbols in a tensor": (
        lambda: pairwise(lambda: MultiHeadRelation(D, 2, 3), symbols=torch.zeros(M, D)),
        r"symbols is a tensor of shape \(5, 8\); expected an integer of at least 1, or a module",
    ),
    "symmetric ablation": (
        lambda: Abstractor(
            6, Heads(2, symmetric=True), 1, symbols=4, symbol_dim=D, kind="ablation"
        ),
        "symbol_dim is 8; with symmetric heads expected dim, 6, since symbols query objects",
    ),
    # modules
    "a module for its maker": (
        lambda: pairwise(MultiHeadRelation(D, 2, 3)),
        "relation is a MultiHeadRelation; expected a function that makes one, such as lambda: "
        r"MultiHeadRelation\(...\)",
    ),
    "no maker": (
        lambda: pairwise(7),
        "relation is 7; expected a function that makes a module",
    ),
    "an Abstractor for its maker": (
        lambda: sorter(abstractor=Abstractor(D, 2, 1, symbols=M), symbols=None),
        "abstractor is an Abstractor; expected a function that makes one",
    ),
    "an attention for its maker": (
        lambda: sorter(encoder_attention=RelationalCrossAttention(D, 2)),
        "encoder_attention is a RelationalCrossAttention; expected a function that makes one",
    ),
    "an attention for a layer": (
        lambda: stack(RelationalCrossAttention(D, 2)),
        r"layers\[0\] is a RelationalCrossAttention; expected a layer, AbstractorLayer\("
        r"RelationalCrossAttention\(...\)\)",
    ),
    "messages for a layer": (
        lambda: stack(
            AbstractorLayer(RelationalCrossAttention(D, 2)),
            RelationalMessagePassing(MultiHeadRelation(D, 2, 3), SymbolicMessagePassing(D, 2)),
        ),
        r"layers\[1\] is a RelationalMessagePassing; expected a layer",
    ),
    "a layer for a list": (
        lambda: AbstractorStack(
            LearnedSymbols(M, D), AbstractorLayer(RelationalCrossAttention(D, 2))
        ),
        "layers is an AbstractorLayer; expected a list of modules",
    ),
    "an encoder of classes": (
        lambda: Encoder([EncoderLayer]),
        r"layers\[0\] is the class EncoderLayer; expected a module",
    ),
    "a number for a layer's part": (
        lambda: AbstractorLayer(2),
        "relational is 2; expected a module",
    ),
    "a class for a part of a classifier": (
        lambda: PooledClassifier(nn.Linear(4, D), nn.Identity, MLP([D, 3])),
        "abstractor is the class Identity; expected a module, or a function",
    ),
    "no symbols": (
        lambda: AbstractorStack(M, [AbstractorLayer(RelationalCrossAttention(D, 2))]),
        "symbols is 5; expected a module",
    ),
    # names
    "simplicial heads below none": (
        lambda: SimplicialBlock(D, 2, 3, simplicial_heads=-1),
        "simplicial_heads is -1; expected an integer of at least 0",
    ),
    "simplicial heads of None": (
        lambda: SimplicialBlock(D, 2, 3, simplicial_heads=None),
        "simplicial_heads is None; expected an integer of at least 0",
    ),
    "simplicial heads too narrow": (
        lambda: SimplicialBlock(D, 2, 3, simplicial_heads=1, simplicial_dim=2),
        "simplicial_dim is 2; expected at least 3 with unsigned logits",
    ),
    "no norm": (
        lambda: SimplicialBlock(D, 2, 3, norm=False),
        "norm is False; allowed: entities, projections, none",
    ),
    "padding of the target": (
        lambda: sorter()(X[..., :3], TOKENS, None, padding(2, 4)),
        r"target_key_padding_mask has shape \(2, 4\); expected \(3, 4\)",
    ),
    "padding of the source": (
        lambda: sorter()(X[..., :3], TOKENS, padding(2, M)),
        r"source_key_padding_mask has shape \(2, 5\); expected \(3, 5\)",
    ),
    "targets of other examples": (
        lambda: sorter()(X[..., :3], TOKENS[:2]),
        r"target has batch dimensions \(2,\); expected \(3,\), those of source, or none",
    ),
    # numbers
    "a negative eps": (
        lambda: FeedForward(D, 6, layer_norm_eps=-1.0),
        r"layer_norm_eps is -1\.0; expected a number of at least 0",
    ),
    "an eps in words": (
        lambda: EncoderLayer(D, 2, layer_norm_eps="a"),
        "layer_norm_eps is 'a'; expected a number of at least 0",
    ),
    "an eps that is none": (
        lambda: AbstractorLayer(RelationalCrossAttention(D, 2), norm=D, layer_norm_eps=math.nan),
        "layer_norm_eps is nan; expected a number of at least 0",
    ),
    "an eps of a block": (
        lambda: SimplicialBlock(D, 2, 3, layer_norm_eps=-1),
        "layer_norm_eps is -1; expected a number of at least 0",
    ),
    "an eps over a sequence": (
        lambda: TemporalContextNorm(D, eps=-1),
        "eps is -1; expected a number of at least 0",
    ),
    "a scale in words": (lambda: Heads(2, scale="a"), "scale is 'a'; expected a number, or None"),
    "symmetric in words": (
        lambda: Heads(2, symmetric="no"),
        "symmetric is 'no'; expected True or False",
    ),
    "strict in words": (lambda: Heads(2, strict="yes"), "strict is 'yes'; expected True or False"),
    # tokens
    "a start that has no embedding": (
        lambda: greedy_decode(sorter(), X[..., :3], 6, start=9),
        "start is 9; expected a token, 0 to 8",
    ),
    "half a token": (
        lambda: PaddedTokens(tokens())(TOKENS + 0.5, TOKENS),
        r"source has dtype torch\.float32; expected whole numbers, tokens",
    ),
    "half an answer": (
        lambda: PaddedTokens(tokens()).answer(TOKENS + 0.5, 3, 1),
        r"source has dtype torch\.float32; expected whole numbers, tokens",
    ),
    "padding in words": (
        lambda: PaddedTokens(tokens(), padding="0"),
        "padding is '0'; expected a token, an integer",
    ),
    "half an object": (
        lambda: pointer()(X, chosen(0.5)),
        r"chosen has dtype torch\.float32; expected torch\.int64",
    ),
    "an object that is not there": (
        lambda: pointer()(X, chosen(0, M)),
        "chosen holds a number of no object; expected 0 to 4",
    ),
    "objects of others": (
        lambda: pointer()(X, chosen(0, 1)[:2]),
        r"chosen has shape \(2, 2\); expected \(3, steps\)",
    ),
    "objects of all": (
        lambda: pointer()(X, chosen(0, 1)[0]),
        r"chosen has shape \(2,\); expected \(3, steps\)",
    ),
}


def tokens():
    return sequence_to_sequence("transformer", nn.Embedding(9, D), nn.Embedding(9, D), 9, **SIZES)


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_refused_in_one_sentence(name):
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_baseline_of_one_vector_needs_no_pooling():
    """As the error says."""
    model = nn.Sequential(nn.Linear(4, D), PrediNet(M, D), MLP([64, 3]))
    assert model(X[..., :4]).shape == (3, 3)


def alone(model, attention, source):
    """How much outputs change with a feature of single objects that no two have in common."""
    with torch.no_grad():
        for part in (source.weight, attention.query.weight):
            part.copy_(torch.eye(D))
        objects = torch.eye(D)[:M].expand(1, M, D)  # <x_i, x_j> = 0 for i != j
        return (model(3 * objects) - model(objects)).abs().max().item()


def test_the_recipe_of_a_strict_classifier_lets_no_single_object_through():
    """Relations are those of the objects as they are. The biases of `AbstractorClassifier`, and
    the positions of `sequence_to_sequence`, let single objects through."""
    heads = Heads(1, D, activation="linear", symmetric=True, strict=True)
    abstractor = Abstractor(D, heads, 1, symbols=M)
    source = nn.Linear(D, D, bias=False)
    model = PooledClassifier(source, abstractor, nn.Linear(D, 3), pool="mean").eval()
    assert alone(model, abstractor.layers[0].relational, source) == 0.0
    usual = AbstractorClassifier(D, 3, dim=D, heads=heads, layers=1, symbols=M).eval()
    assert alone(usual, usual.abstractor.layers[0].relational, usual.source) > 1e-4
    whole = sequence_to_sequence(
        "a",
        nn.Linear(D, D, bias=False),
        nn.Embedding(9, D),
        8,
        symbols=M,
        **SIZES | {"heads": heads},
    ).eval()
    attention = whole.abstractors[0].layers[0].relational
    leaks = alone(lambda x: whole.encode(x)[0], attention, whole.source.embed)
    assert leaks > 1e-4


@pytest.mark.parametrize("kind", ["ablation", "symbolic"])
def test_a_classifier_takes_the_kind_of_its_abstractor(kind):
    torch.manual_seed(1)
    found = classifier(kind=kind)
    torch.manual_seed(1)
    assert (
        found.abstractor.layers[0].relational.reads
        != classifier().abstractor.layers[0].relational.reads
    )
    assert isinstance(found.abstractor.layers[0].relational, AblationCrossAttention) == (
        kind == "ablation"
    )


def test_the_relations_of_a_model():
    """Those that its layers give when asked, by name; afterwards the model is as it was."""
    model = classifier(layers=2, encoder_layers=1)
    x, padded = torch.randn(3, M, 4), padding(3, M)
    padded[:, -1] = True
    found = relations_of(model, x, key_padding_mask=padded)
    assert list(found) == [f"abstractor.layers.{k}.relational" for k in range(2)]
    objects = model.encoder(model.source(x), padded)
    symbols = model.abstractor.symbols(objects)
    first = model.abstractor.layers[0].relational
    _, expected = first(objects, symbols, key_padding_mask=padded, need_weights=True)
    torch.testing.assert_close(found["abstractor.layers.0.relational"], expected)
    assert not any(one.requires_grad for one in found.values())
    assert not any(part._forward_hooks for part in model.modules())
    relation = MultiHeadRelation(D, 2, 3)
    messages = pairwise(lambda: relation).eval()
    (own,) = relations_of(messages, X).values()
    torch.testing.assert_close(own, relation(X))
    whole = sorter("d")
    names = list(relations_of(whole, X[..., :3], TOKENS))
    assert names == ["abstractors.0.layers.0.relational"]
    with pytest.raises(ValueError, match="objects has shape"):
        relations_of(model, X)
    assert not any(part._forward_hooks for part in model.modules())


def test_the_library_is_there_without_an_import_of_its_own():
    """At its first use: what needs no torch starts without it."""
    code = (
        "import sys, abstractor_lib; assert 'torch' not in sys.modules; abstractor_lib.nn.Heads(2)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'abstractor_lib' has no attribute 'nm'"):
        abstractor_lib.nm  # noqa: B018


def test_images_with_any_batch_dimensions():
    """As one by one; also under vmap, with no image, and with no batch."""
    embed, images = ImageEmbedder(3, 36, 40, dim=D), torch.randn(2, 4, 3, 36, 40)
    found = embed(images)
    torch.testing.assert_close(found, torch.stack([embed(some) for some in images]))
    torch.testing.assert_close(embed(images[0, 0]), found[0, 0])
    torch.testing.assert_close(vmap(embed)(images), found)
    assert embed(images[:, :0]).shape == (2, 0, D)
    assert list(embed.state_dict())[:2] == ["0.weight", "0.bias"]


def test_chosen_positions_are_those_of_indexing():
    """Bit for bit, and so are the gradients where no position stands twice."""
    symbols, places = LearnedSymbols(40, D), torch.randperm(40)[:M]
    found, expected = symbols(X, places), symbols.vectors[places]
    assert torch.equal(found, expected)
    grads = (torch.autograd.grad((one**3).sum(), symbols.vectors)[0] for one in (found, expected))
    assert torch.equal(*grads)
    several = torch.stack([places, places.flip(0)])
    assert torch.equal(vmap(symbols, (None, 0))(X, several), symbols.vectors[several])
    compiled = torch.compile(symbols, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(X, places.int()), expected)


def test_a_window_starts_where_it_did():
    first = CurveTransformer(D, 2, 1, window=True).layers[0].window
    assert first.start == START == (2.0, 5.0)


def test_a_target_without_a_batch_is_the_same_for_all():
    model, target = sorter(), torch.tensor([8, 1, 2, 3])
    found = model(X[..., :3], target)
    torch.testing.assert_close(found, model(X[..., :3], target.expand(3, 4)))


def test_a_model_of_ones_own_modules_is_checked_too():
    decoder = Decoder([DecoderLayer(D, 2)])
    model = SequenceToSequence(
        nn.Linear(3, D), nn.Embedding(9, D), decoder, nn.Linear(D, 8), attends=["input"]
    )
    with pytest.raises(ValueError, match=r"source has shape \(3, 5, 8\); expected"):
        model(X, TOKENS)

"""What masks exclude reaches nothing, NaN and infinity neither: results, relations, gradients.

Against the same modules with zeros in its place, and on the objects that are left alone."""

import math

import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    Abstractor,
    AbstractorClassifier,
    AbstractorLayer,
    AbstractorStack,
    Decoder,
    DecoderLayer,
    DualAttention,
    Encoder,
    EncoderLayer,
    Heads,
    InnerProductRelation,
    LearnedSymbols,
    MultiHeadAttention,
    MultiHeadRelation,
    PairwiseMLPRelation,
    PlainRelation,
    RelationalMessagePassing,
    RelativeBiasAttention,
    RetrievedSymbols,
    RotaryAttention,
    SetMessagePassing,
    SymbolicMessagePassing,
    sequence_to_sequence,
)
from abstractor_lib.nn.relational_attention import KINDS
from tests.nn.test_edges import PADDED, torch_attention

D, M = 8, 5
BAD = [math.nan, math.inf]


def dual():
    return DualAttention(D, 1, 1, symbols=LearnedSymbols(M, D), relations=2)


class Related(nn.Module):
    """Relations, and messages between the objects along them."""

    def __init__(self, relation, passing=None):
        super().__init__()
        self.relation = relation
        self.passing = SymbolicMessagePassing(D, 2) if passing is None else passing

    def forward(self, x, **masks):
        return self.passing(self.relation(x, **masks), x, **masks)


class Twice(nn.Module):
    """One relation as two."""

    def forward(self, x, **masks):
        return PlainRelation()(x, **masks).expand(-1, 2, -1, -1)


class FromSource(nn.Module):
    """What the decoder of a sequence-to-sequence model says to a few tokens."""

    def __init__(self):
        super().__init__()
        sizes = {"dim": D, "heads": 2, "layers": 1, "symbols": M}
        self.model = sequence_to_sequence("d", nn.Linear(D, D), nn.Embedding(6, D), D, **sizes)

    def forward(self, x, key_padding_mask=None):
        masks = () if key_padding_mask is None else (key_padding_mask,)
        return self.model(x, torch.arange(M).expand(len(x), M) % 4, *masks)


def decoder(self_attention):
    return Decoder([DecoderLayer(D, self_attention, contexts=0) for _ in range(2)])


RELATIONS = {
    "dual attention": lambda: Encoder([EncoderLayer(D, dual())]),
    "decoder": lambda: decoder(2),
    "decoder, pre-norm": lambda: Decoder([DecoderLayer(D, 2, contexts=0, norm_first=True)]),
    "messages": lambda: Related(MultiHeadRelation(D, 2, 3)),
    "messages, set": lambda: Related(MultiHeadRelation(D, 2, 3), SetMessagePassing(D, 2, 6)),
    "messages, of a network": lambda: Related(PairwiseMLPRelation(D, 2, 6)),
    "messages, encoders": lambda: Related(
        InnerProductRelation([nn.Linear(D, 4) for _ in range(2)], activation="tanh")
    ),
    "messages, plain": lambda: Related(Twice()),
}
WHOLE = {
    "classifier": lambda: AbstractorClassifier(
        D, 3, dim=D, heads=2, layers=1, symbols=M, encoder_layers=1
    ),
    "sequence to sequence": FromSource,
}
OF_EACH = {**PADDED, **RELATIONS}  # give something for each object


def gradients(module, x, of_loss, **masks):
    """Of a fixed loss on what ``of_loss`` picks: of all parameters, and of the objects."""
    x = x.clone().requires_grad_()
    torch.manual_seed(0)
    output = of_loss(module(x, **masks))
    weights = torch.linspace(1, 2, output.numel()).view_as(output)
    (weights * output).sum().backward()
    found = {name: part.grad for name, part in module.named_parameters() if part.grad is not None}
    module.zero_grad()
    return found | {"objects": x.grad}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", [*OF_EACH, *WHOLE])
def test_padding_reaches_no_gradient(name, training, bad):
    module = {**OF_EACH, **WHOLE}[name]().train(training)
    x, padding = torch.randn(3, M, D), torch.zeros(3, M, dtype=torch.bool)
    padding[:, -1] = padding[1, 2] = True

    def others(output):
        return output[~padding] if name in OF_EACH else output

    clean, dirty = (
        gradients(
            module, x.masked_fill(padding.unsqueeze(-1), value), others, key_padding_mask=padding
        )
        for value in (0.0, bad)
    )
    assert all(part.isfinite().all() for part in dirty.values())
    torch.testing.assert_close(dirty, clean)
    assert not dirty["objects"][padding].any()


@pytest.mark.parametrize("name", [*OF_EACH, "classifier"])
def test_gradients_with_padding_are_those_without_it(name):
    """Of objects that end a sequence, against shorter sequences."""
    module = {**OF_EACH, **WHOLE}[name]().eval()
    x, padding = torch.randn(3, M, D), torch.zeros(3, M, dtype=torch.bool)
    padding[:, -2:] = True
    x[:, -2:] = math.nan

    def first(output):
        return output[:, : M - 2] if name in OF_EACH else output

    found = gradients(module, x, first, key_padding_mask=padding)
    shorter = {"key_padding_mask": padding[:, : M - 2]}  # of which none is padding
    expected = gradients(module, x[:, : M - 2], first, **shorter)
    expected["objects"] = nn.functional.pad(expected["objects"], (0, 0, 0, 2))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


# Masks that are not of padding


CAUSAL = torch.ones(M, M, dtype=torch.bool).triu(1)
ATTENTIONS = {
    "relative bias": lambda: RelativeBiasAttention(D, 2),
    "rotary": lambda: RotaryAttention(D, 2),
    "torch's": torch_attention,
    "dual": dual,
    "relu": lambda: MultiHeadAttention(D, Heads(2, activation="relu")),
    "not fused": lambda: MultiHeadAttention(D, Heads(2, fused=False)),
    "fused": lambda: MultiHeadAttention(D, 2),
    "fused, dropout": lambda: MultiHeadAttention(D, 2, dropout=0.5),
}
MASKED = {
    **{
        name: lambda make=make: Encoder([EncoderLayer(D, make())])
        for name, make in ATTENTIONS.items()
    },
    "Abstractor": lambda: Abstractor(D, 2, 2, symbols=M, self_attention=True),
    "Abstractor, ablation": lambda: Abstractor(D, 2, 2, symbols=M, kind="ablation"),
    "Abstractor, symbolic": lambda: Abstractor(D, 2, 2, symbols=M, kind="symbolic"),
    "retrieved symbols": lambda: Abstractor(D, 2, 2, symbols=RetrievedSymbols(D, D, 7, 2)),
    "messages, stacked": lambda: AbstractorStack(
        RetrievedSymbols(D, D, 7, 2),
        [
            AbstractorLayer(
                RelationalMessagePassing(MultiHeadRelation(D, 2, 3), SymbolicMessagePassing(D, 2))
            )
            for _ in range(2)
        ],
    ),
    **{name: make for name, make in RELATIONS.items() if "messages" in name},
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", MASKED)
def test_a_hidden_object_may_hold_anything(name, training, bad):
    """A causal mask: the objects before one that is not finite see nothing of it, those from it on
    do."""
    module, x = MASKED[name]().train(training), torch.randn(3, M, D)
    dirty = x.clone()
    dirty[:, 3, 1:3] = bad

    def run(x):
        torch.manual_seed(0)
        return module(x, attn_mask=CAUSAL)

    found = run(dirty)
    torch.testing.assert_close(found[:, :3], run(x)[:, :3])
    assert found[:, 3].isnan().any(dim=-1).all()


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"strict": True}, {"activation": "relu"}])
def test_both_paths_agree_on_what_is_not_finite(kind, bad, options):
    """Who gets a finite result: fused, computed outright, and because relations are asked for."""
    fused = KINDS[kind](D, Heads(2, **options))
    outright = KINDS[kind](D, Heads(2, fused=False, **options))
    outright.load_state_dict(fused.state_dict())
    x, symbols, mask = torch.randn(2, M, D), torch.randn(M, D), torch.rand(2, 1, M, M) < 0.5
    x[:, 2] = bad
    mask[..., 0] = False
    for hidden in (None, mask, mask[0, 0], mask.expand(2, 2, M, M)):
        masks = {} if hidden is None else {"attn_mask": hidden}
        results = [one(x, symbols, **masks) for one in (fused, outright)]
        weighed, relations = fused(x, symbols, need_weights=True, **masks)
        for found in results:
            torch.testing.assert_close(found, weighed, equal_nan=True)
        reads = torch.ones(2, M, M).bool() if hidden is None else ~hidden.expand(2, 2, M, M)[:, 0]
        if options.get("strict"):
            reads = reads & ~torch.eye(M).bool()
        touched = reads[..., 2] | (torch.arange(M).eq(2) & (kind == "relational"))  # as a query
        assert torch.equal(weighed.isnan().any(dim=-1), touched)
        assert torch.equal(relations.isnan().any(dim=-1).any(dim=1), touched)


def test_heads_hide_apart():
    """A query reads what one of its heads reads."""
    attention, x = MultiHeadAttention(D, 2), torch.randn(2, M, D)
    x[:, 4] = math.nan
    mask = torch.zeros(1, 2, M, M, dtype=torch.bool)
    mask[:, :, :4, 4] = True
    mask[:, 1, 1, 4] = False
    for found in (
        attention(x, x, x, attn_mask=mask),
        attention(x, x, x, attn_mask=mask, need_weights=True)[0],
    ):
        assert found.isnan().all(dim=-1)[0].tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("name", ["fused", "rotary", "not fused", "torch's"])
def test_a_cache_hides_what_is_not_finite(name):
    body = Decoder([DecoderLayer(D, ATTENTIONS[name](), contexts=0)]).eval()
    y, hidden = torch.randn(2, M, D), CAUSAL.clone()
    y[:, 1] = math.nan
    hidden[3:, 1] = True
    expected, cache = body(y, attn_mask=hidden), body.new_cache()
    assert expected.isnan().all(dim=-1)[0].tolist() == [False, True, True, False, False]
    parts = (slice(0, 2), slice(2, 4), slice(4, 5))
    found = [body(y[:, one], attn_mask=hidden[one, : one.stop], cache=cache) for one in parts]
    torch.testing.assert_close(torch.cat(found, dim=1), expected, equal_nan=True)


def test_a_cache_hides_padding():
    body = Decoder([DecoderLayer(D, 2, contexts=0)]).eval()
    y, padding = torch.randn(2, M, D), torch.zeros(2, M, dtype=torch.bool)
    padding[:, 0] = True
    y[:, 0] = math.nan
    cache = body.new_cache()
    found = [
        body(y[:, i : i + 1], key_padding_mask=padding[:, : i + 1], cache=cache) for i in range(M)
    ]
    expected = body(y[:, 1:])
    torch.testing.assert_close(torch.cat(found, dim=1)[:, 1:], expected)


def test_masks_of_dual_attention():
    """Against the objects that are left, one query after the other."""
    attention, x = dual(), torch.randn(3, M, D)
    attention.symbols = RetrievedSymbols(D, D, 7, 2)  # go with the objects
    padding, hidden = torch.zeros(3, M).bool(), torch.rand(M, M) < 0.5
    padding[:, 1], hidden[:, 0] = True, False
    found = attention(x, x, x, key_padding_mask=padding, attn_mask=hidden)
    for i in range(M):
        kept = x[:, ~(hidden[i] | padding[0])]
        torch.testing.assert_close(found[:, i : i + 1], attention(x[:, i : i + 1], kept, kept))


# Any sizes, dtypes and masks


def written_out(attention, query, key, value, ignore):
    """In double precision; with softmax a query that may read nothing gets nothing."""
    state = {name: part.double() for name, part in attention.state_dict().items()}

    def project(name, x):
        y = x.double() @ state[f"{name}.weight"].T + state[f"{name}.bias"]
        return y.unflatten(-1, (attention.heads, -1)).transpose(-3, -2)

    scores = attention.scale * project("query", query) @ project("key", key).mT
    if attention.activation == "softmax":
        relations = scores.masked_fill(ignore, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    else:
        relations = getattr(torch, attention.activation)(scores).masked_fill(ignore, 0.0)
    mixed = (relations @ project("value", value)).transpose(-3, -2).flatten(-2)
    return mixed @ state["output.weight"].T + state["output.bias"], relations


TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4, torch.bfloat16: 0.08, torch.float16: 0.02}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("activation", ["softmax", "relu", "tanh"])
def test_any_attention_against_one_written_out(activation, dtype):
    """No examples, no queries, one key, queries that may read nothing, among the usual."""
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for b in (0, 1, 3):
        for n, m in ((0, 4), (1, 1), (4, 17), (20, 1), (17, 40)):
            heads = Heads(2, activation=activation, fused=bool(torch.rand(()) < 0.7))
            attention = MultiHeadAttention(D, heads, dtype=dtype).train(b == 3)
            query, key, value = (torch.randn(b, size, D, dtype=dtype) for size in (n, m, m))
            padding = torch.rand(b, m) < 0.4
            for shape in ((n, m), (b, 1, n, m), (1, 2, n, m), (b, 2, n, m)):
                hidden = torch.rand(shape) < 0.5
                masks = {"key_padding_mask": padding, "attn_mask": hidden}
                ignore = (padding[:, None, None] | hidden).expand(b, 2, n, m)
                expected, relations = written_out(attention, query, key, value, ignore)
                found = attention(query, key, value, **masks)
                weighed, weights = attention(query, key, value, need_weights=True, **masks)
                for one, other in (
                    (found, expected),
                    (weighed, expected),
                    (weights, relations),
                ):
                    assert one.dtype == dtype
                    torch.testing.assert_close(one.double(), other, **close)

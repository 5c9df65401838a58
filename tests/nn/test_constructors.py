"""What all modules have in common: visible arguments, device and dtype, a telling repr."""

import inspect

import pytest
import torch
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib.nn.feedforward import KERAS_EPS, TORCH_EPS
from abstractor_lib.nn.relations import Activation

SIZES = {"dim": 8, "heads": lib.Heads(2, 3), "hidden": 6, "layers": 1, "symbols": 5}


def whole_model(device=None, dtype=None, **changes):
    where = {"device": device, "dtype": dtype}
    source, target = nn.Linear(4, 8, **where), nn.Embedding(6, 8, **where)
    return lib.sequence_to_sequence("d", source, target, 5, **SIZES, **changes, **where)


def classifier(**where):
    sizes = {"dim": 8, "heads": 2, "layers": 1, "symbols": 5, "encoder_layers": 1}
    return lib.AbstractorClassifier(4, 3, **sizes, norm_first=True, **where)


WITH_PARAMETERS = {
    "AblationCrossAttention": lambda **where: lib.AblationCrossAttention(
        8, lib.Heads(2, 3), **where
    ),
    "Abstractor": lambda **where: lib.Abstractor(
        8, 2, 2, symbols=5, self_attention=True, norm_first=True, **where
    ),
    "AbstractorClassifier": classifier,
    "AbstractorLayer": lambda **where: lib.AbstractorLayer(nn.Identity(), norm=8, **where),
    "BlockNorms": lambda **where: lib.BlockNorms(8, (18, 12), 3, **where),
    "CurveTransformer": lambda **where: lib.CurveTransformer(8, 2, 1, window=True, **where),
    "DecoderLayer": lambda **where: lib.DecoderLayer(8, 2, contexts=[8, 4], **where),
    "DualAttention": lambda **where: lib.DualAttention(
        8, 1, 1, symbols=lib.LearnedSymbols(5, 8, **where), relations=2, **where
    ),
    "EncoderLayer": lambda **where: lib.EncoderLayer(8, 2, **where),
    "FeedForward": lambda **where: lib.FeedForward(8, 6, **where),
    "GatedLayer": lambda **where: lib.GatedLayer(8, 2, window=lib.LearnedWindow(**where), **where),
    "HeadLinear": lambda **where: lib.HeadLinear(8, 2, 3, **where),
    "HeadsToOutput": lambda **where: lib.HeadsToOutput(2, 3, 8, **where),
    "ImageEmbedder": lambda **where: lib.ImageEmbedder(3, 36, 36, dim=8, **where),
    "JointProjection": lambda **where: lib.JointProjection(8, 2, (3, 4), **where),
    "LearnedDifference": lambda **where: lib.LearnedDifference(**where),
    "LearnedSymbols": lambda **where: lib.LearnedSymbols(5, 8, **where),
    "LearnedWindow": lambda **where: lib.LearnedWindow(**where),
    "MaximumReadout": lambda **where: lib.MaximumReadout(8, 4, **where),
    "MLP": lambda **where: lib.MLP([8, 6, 2], **where),
    "MultiHeadAttention": lambda **where: lib.MultiHeadAttention(8, 2, **where),
    "MultiHeadRelation": lambda **where: lib.MultiHeadRelation(8, 2, 3, bias=True, **where),
    "OneSimplicialAttention": lambda **where: lib.OneSimplicialAttention(8, 2, 3, **where),
    "PairValues": lambda **where: lib.PairValues(2, 3, **where),
    "PairwiseAbstractor": lambda **where: lib.PairwiseAbstractor(
        lambda: lib.MultiHeadRelation(8, 2, 3, **where),
        **{"relations": 2, "symbols": 5, "symbol_dim": 8, "hidden": 6},
        **where,
    ),
    "PairwiseMLPRelation": lambda **where: lib.PairwiseMLPRelation(8, 2, 3, **where),
    "PictureEntities": lambda **where: lib.PictureEntities(7, 10, 8, **where),
    "PointerDecoder": lambda **where: lib.PointerDecoder(
        lib.Decoder([lib.DecoderLayer(8, 2, **where)]), 8, **where
    ),
    "PrediNet": lambda **where: lib.PrediNet(5, 8, **where),
    "RelationalCrossAttention": lambda **where: lib.RelationalCrossAttention(
        8, lib.Heads(2, 3), **where
    ),
    "RelationalCurveTransformer": lambda **where: lib.RelationalCurveTransformer(
        8, 2, 1, window=True, similarity="learned", **where
    ),
    "RelationalMemory": lambda **where: lib.RelationalMemory(8, **where),
    "RelationalMemory, Gaussian": lambda **where: lib.RelationalMemory(
        8, None, "gaussian", **where
    ),
    "RelativeBiasAttention": lambda **where: lib.RelativeBiasAttention(8, 2, **where),
    "RelativeSymbols": lambda **where: lib.RelativeSymbols(8, reach=3, **where),
    "RetrievedSymbols": lambda **where: lib.RetrievedSymbols(8, 8, 7, 2, **where),
    "RotaryAttention": lambda **where: lib.RotaryAttention(8, 2, **where),
    "ScoringReadout": lambda **where: lib.ScoringReadout(8, [0, 2], **where),
    "SetMessagePassing": lambda **where: lib.SetMessagePassing(8, 2, 6, **where),
    "SimplicialBlock": lambda **where: lib.SimplicialBlock(8, 2, 3, simplicial_heads=1, **where),
    "SymbolBindingNetwork": lambda **where: lib.SymbolBindingNetwork(
        8, key_dim=4, hidden=6, **where
    ),
    "SymbolicCrossAttention": lambda **where: lib.SymbolicCrossAttention(
        8, lib.Heads(2, 3), **where
    ),
    "SymbolicMessagePassing": lambda **where: lib.SymbolicMessagePassing(8, 2, **where),
    "TemporalContextNorm": lambda **where: lib.TemporalContextNorm(8, **where),
    "TokenEntities": lambda **where: lib.TokenEntities((5, 4), 8, **where),
    "TwoSimplicialAttention": lambda **where: lib.TwoSimplicialAttention(8, 2, 3, **where),
    "sequence_to_sequence": lambda **where: whole_model(norm_first=True, **where),
}
CLASSES = {
    name: value
    for name, value in vars(lib).items()
    if inspect.isclass(value) and issubclass(value, nn.Module)
}


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_device_and_dtype_reach_every_parameter(name):
    """As in torch: made there and so; ``meta`` stands for a device that is not the default."""
    module = WITH_PARAMETERS[name](device="meta", dtype=torch.bfloat16)
    found = {(part.device.type, part.dtype) for part in module.parameters()}
    assert found == {("meta", torch.bfloat16)}
    plain = WITH_PARAMETERS[name]()
    assert {(part.device.type, part.dtype) for part in plain.parameters()} == {
        ("cpu", torch.float32)
    }
    assert {key: value.shape for key, value in module.state_dict().items()} == {
        key: value.shape for key, value in plain.state_dict().items()
    }


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_models_compute_in_their_dtype(dtype):
    """Symbols and positions come in it too, also those that are no parameters."""
    x, tokens = torch.randn(3, 5, 8, dtype=dtype), torch.zeros(3, 4, dtype=torch.long)
    for symbols in (
        5,
        lib.SinusoidalSymbols(8),
        lib.RelativeSymbols(8),
        lib.RetrievedSymbols(8, 8, 7, 2, dtype=dtype),
    ):
        module = lib.Abstractor(8, 2, 2, symbols=symbols, self_attention=True, dtype=dtype)
        assert module(x).dtype == dtype
    assert lib.DecoderLayer(8, 2, contexts=0, dtype=dtype)(x).dtype == dtype
    block = lib.SimplicialBlock(8, 2, 3, simplicial_heads=2, dtype=dtype)
    assert lib.SimplicialTransformer(block, virtual=2)(x).dtype == dtype
    assert whole_model(dtype=dtype)(x[..., :4], tokens).dtype == dtype


def test_modules_that_make_parameters_are_all_covered():
    """A module that takes ``device`` stands in the table above."""
    taking = {
        name for name, one in CLASSES.items() if "device" in inspect.signature(one).parameters
    }
    assert taking == {name.split(",")[0] for name in WITH_PARAMETERS} - {"sequence_to_sequence"}


@pytest.mark.parametrize("name", [*sorted(CLASSES), "sequence_to_sequence"])
def test_every_option_is_in_the_signature(name):
    if getattr(lib, name).__init__ is nn.Module.__init__:
        return  # no options: that of torch takes any
    parameters = inspect.signature(getattr(lib, name)).parameters.values()
    assert all(one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in parameters)
    names = {one.name for one in parameters}
    assert ("device" in names) == ("dtype" in names)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_mask_has_one_name(name):
    """``key_padding_mask`` and ``attn_mask``, with a prefix where there are several sequences."""
    for one in inspect.signature(CLASSES[name].forward).parameters:
        if "mask" in one:
            assert one.endswith(("key_padding_mask", "attn_mask", "key_padding_masks"))


@pytest.mark.parametrize(
    ("module", "shown"),
    [
        (
            lib.RelationalCrossAttention(8, lib.Heads(2, 3, activation="tanh", strict=True)),
            "dim=8, heads=2, key_dim=3, symmetric=False, activation='tanh', over='right', "
            "diagonal=False, scale=0.577",
        ),
        (lib.MultiHeadRelation(8, 2, 3), "activation='softmax', over='right', scale=None"),
        (lib.PlainRelation("linear"), "PlainRelation(activation='linear', over='right')"),
        (lib.HeadLinear(8, 2, 3), "in_features=8, heads=2, width=3, bias=True"),
        (lib.LearnedSymbols(5, 8), "LearnedSymbols(count=5, dim=8)"),
        (lib.RelativeSymbols(8), "RelativeSymbols(dim=8, reach=None)"),
        (lib.SymbolicMessagePassing(8, 2, combine="mix"), "combine='mix'"),
        (lib.EncoderLayer(8, 2, norm_first=True), "norm_first=True"),
        (lib.FeedForward(8, 6, residual=False), "residual=False, norm_first=False"),
        (lib.Abstractor(8, 2, 1, symbols=5), "values='states'"),
        (classifier(), "pool='mean'"),
        (
            lib.TwoSimplicialAttention(8, 2, 3),
            "key_dim=3, value_dim=3, logits='unsigned', scale=1.0, block=None",
        ),
        (lib.JointProjection(8, 2, (3, 4)), "in_features=8, heads=2, widths=(3, 4)"),
        (lib.SimplicialBlock(8, 2, 3), "dim=8, norm='entities', simplicial_heads=0"),
        (
            lib.SimplicialTransformer(lib.SimplicialBlock(8, 2, 3)),
            "iterations=2, virtual=0, sharing='weights'",
        ),
        (whole_model(), "reads='encoder', attends=('encoder', 'abstractor')"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_repr_shows_the_options(module, shown):
    assert shown in repr(module)


def opening(module):
    """The first lines of a docstring, before its arguments."""
    return inspect.getdoc(module).partition("Args:")[0].partition("Returns:")[0]


def defaults(parameter):
    """Of an argument that is not left to others by None, by the module that has it."""
    found = {}
    for name in lib.__all__:
        made = getattr(lib, name)
        known = inspect.signature(made).parameters.get(parameter) if callable(made) else None
        if known is None or known.default in (None, known.empty):
            continue
        if parameter != "activation" or known.annotation == Activation:  # of relations
            found[name] = known.default
    return found


@pytest.mark.parametrize(
    ("parameter", "usual"),
    [
        ("activation", "softmax"),
        ("bias", True),
        ("dropout", 0.1),
        ("layer_norm_eps", KERAS_EPS),
        ("norm_first", False),
        ("over", "right"),
        ("residual", True),
        ("self_attention", False),
        ("symmetric", False),
    ],
)
def test_defaults_agree_or_the_first_lines_say_why_not(parameter, usual):
    """There is one default, which most modules have; a docstring that names the argument before
    its arguments are listed says why its module has another."""
    found = defaults(parameter)
    others = {name for name, value in found.items() if value != usual}
    assert len(others) < len(found)
    for name in others:
        assert f"``{parameter}``" in opening(getattr(lib, name)), (name, parameter)


@pytest.mark.parametrize("name", sorted(CLASSES.keys() & WITH_PARAMETERS.keys()))
def test_norms_and_dropout_that_no_argument_sets_say_why(name):
    kind, parts = CLASSES[name], list(WITH_PARAMETERS[name]().modules())
    held = {
        "layer_norm_eps": {one.eps for one in parts if isinstance(one, nn.LayerNorm)} - {KERAS_EPS},
        "dropout": {one.p for one in parts if isinstance(one, nn.Dropout)} - {0.1},
    }
    first = " ".join(
        opening(one) for one in kind.__mro__ if one.__module__.startswith(lib.__name__)
    )
    for parameter, others in held.items():
        if others and parameter not in inspect.signature(kind).parameters:
            assert f"``{parameter}``" in first, parameter


def test_defaults_of_layer_norms_are_those_of_the_frameworks():
    assert KERAS_EPS == 1e-3 and nn.LayerNorm(1).eps == TORCH_EPS
    assert lib.FeedForward(8, 6).norm.eps == KERAS_EPS
    assert lib.SimplicialBlock(8, 2, 3).norms.output.eps == TORCH_EPS
    assert lib.GatedLayer(8, 2).feedforward.norm.eps == TORCH_EPS


def test_words_are_checked():
    with pytest.raises(ValueError, match="fans is 'keras'; allowed: head, einsum"):
        lib.HeadLinear(8, 2, 3, fans="keras")
    with pytest.raises(ValueError, match="combine is 'sum'; allowed: concatenate, mix"):
        lib.SymbolicMessagePassing(8, 2, combine="sum")
    with pytest.raises(ValueError, match="norm_first is True and norm False; expected a norm"):
        lib.FeedForward(8, 6, norm=False, norm_first=True)
    with pytest.raises(ValueError, match="norm_first is True and norm None; expected the features"):
        lib.AbstractorLayer(nn.Identity(), norm_first=True)

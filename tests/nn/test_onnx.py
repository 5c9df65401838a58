"""Models exported to ONNX with a dynamic batch, run there, against torch at another batch size.

Skipped without the packages of the extra ``onnx``, which the CI has by docs/requirements.lock.
"""

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    Abstractor,
    AbstractorClassifier,
    DecoderLayer,
    Heads,
    MultiHeadAttention,
    RelationalCrossAttention,
)

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


class Crossing(nn.Module):
    """Attention to a context, padded at its end."""

    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(8, Heads(2, 3), key_features=6, value_features=6)

    def forward(self, query, context, padding):
        return self.attention(query, context, context, key_padding_mask=padding)


class Continued(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = DecoderLayer(8, 2)

    def forward(self, y, context):
        return self.layer(y, [context])


class OfSymbols(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = RelationalCrossAttention(8, Heads(2, activation="sigmoid", strict=True))

    def forward(self, x, symbols):
        return self.attention(x, symbols)


def padding(batch):
    return torch.arange(5).expand(batch, 5) >= 3 + torch.arange(batch)[:, None] % 3


MODELS = {
    "Abstractor": (lambda: Abstractor(8, 2, 2, symbols=5), lambda b: [torch.randn(b, 5, 8)]),
    "Abstractor with self-attention": (  # of symbols without a batch, which ONNX has fused of none
        lambda: Abstractor(8, Heads(2, fused=False), 1, symbols=5, self_attention=True),
        lambda b: [torch.randn(b, 5, 8)],
    ),
    "classifier": (
        lambda: AbstractorClassifier(4, 3, dim=8, heads=2, layers=1, symbols=5, encoder_layers=1),
        lambda b: [torch.randn(b, 5, 4), padding(b)],
    ),
    "cross-attention": (
        Crossing,
        lambda b: [torch.randn(b, 4, 8), torch.randn(b, 5, 6), padding(b)],
    ),
    "relational cross-attention": (
        OfSymbols,
        lambda b: [torch.randn(b, 4, 8), torch.randn(b, 4, 8)],
    ),
    "decoder layer": (
        Continued,
        lambda b: [torch.randn(b, 4, 8), torch.randn(b, 5, 8)],
    ),
}


QUICK = "cross-attention"


@pytest.mark.parametrize(
    "name", [one if one == QUICK else pytest.param(one, marks=pytest.mark.slow) for one in MODELS]
)
def test_exported_with_a_dynamic_batch(name, tmp_path):
    build, inputs = MODELS[name]
    module, path = build().eval(), tmp_path / "model.onnx"
    given = inputs(3)
    batch = torch.export.Dim("batch", min=2)
    exported = torch.onnx.export(
        module,
        tuple(given),
        dynamo=True,
        dynamic_shapes=tuple({0: batch} for _ in given),
        verbose=False,
    )
    exported.save(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for size in (3, 7):
        others = inputs(size)
        names = [one.name for one in session.get_inputs()]
        (found,) = session.run(
            None, {key: value.numpy() for key, value in zip(names, others, strict=True)}
        )
        expected = module(*others).detach().numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

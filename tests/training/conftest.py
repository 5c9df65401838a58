"""Settings, data and a model that tests of training share."""

import pytest
import torch
from torch import nn

from abstractor_lib import nn as lib
from abstractor_lib.training.examples import Examples
from abstractor_lib.training.settings import Training


@pytest.fixture
def rules():
    """Three epochs of batches of eight."""
    return Training(
        loss="binary_cross_entropy",
        learning_rate=1e-2,
        batch_size=8,
        epochs=3,
        updates=None,
        validate_every=None,
        patience=None,
        min_delta=0.0,
        baseline=None,
        restore="best",
    )


@pytest.fixture
def examples():
    """Pairs of objects with five features, and classes."""

    def make(trials, count, outputs=2):
        return Examples(torch.randn(trials, count, 2, 5), torch.randint(outputs, (trials, count)))

    return make


@pytest.fixture
def build():
    """An Abstractor without dropout: a plain loop then has no mask to draw."""

    def make(outputs=1, dropout=0.0):
        layer = lib.AbstractorLayer(
            lib.RelationalMessagePassing(
                lib.MultiHeadRelation(5, 2, 3, activation="sigmoid"),
                lib.SymbolicMessagePassing(4, 2),
            ),
            lib.FeedForward(4, 4, dropout=dropout),
        )
        abstractor = lib.AbstractorStack(lib.LearnedSymbols(2, 4), [layer])
        return lib.initialise(nn.Sequential(abstractor, nn.Flatten(-2), lib.MLP([8, 4, outputs])))

    return make

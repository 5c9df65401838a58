"""The models of SET classification, from card embeddings to two scores.

Shapes: ``b`` batch, ``d`` features of a card's embedding.
"""

from torch import nn

from ... import nn as lib
from .settings import Model

CARDS, CLASSES = 3, 2  # of a triple; SET or not


def build(model: Model, dim: int) -> nn.Module:
    """A classifier of triples, ``(b, 3, dim) -> (b, 2)``, freshly initialised.

    Source: v3 B.1.2; sizes by the parameter counts of the public notebooks.

    Example:
        >>> from abstractor_lib.experiments.set import EXPERIMENT
        >>> from abstractor_lib.experiments.set.settings import models
        >>> *_, settings = EXPERIMENT.protocols.values()
        >>> network = build(models(settings)["abstractor"], 64)
        >>> sum(p.numel() for p in network.parameters())
        29762
    """
    body, width = _BODIES[model.core](model, dim)
    head = lib.MLP([width, *model.head, CLASSES])
    return lib.initialise(nn.Sequential(*body, head), model.initialisation)


def _relation(model: Model) -> nn.Module:
    return lib.MultiHeadRelation(
        model.embed,
        model.relations,
        model.key_dim,
        symmetric=model.symmetric,
        bias=model.bias,
        activation=model.activation,
        over=model.over,
    )


def _abstractor(model: Model, dim: int) -> tuple[list[nn.Module], int]:
    abstractor = lib.PairwiseAbstractor(
        lambda: _relation(model),
        relations=model.relations,
        symbols=CARDS,
        symbol_dim=model.symbol_dim,
        hidden=model.hidden,
        layers=model.layers,
        norm=model.norm,
        dropout=model.dropout,
    )
    return [nn.Linear(dim, model.embed), abstractor, nn.Flatten(-2)], CARDS * model.symbol_dim


def _corelnet(model: Model, dim: int) -> tuple[list[nn.Module], int]:
    body = [nn.Linear(dim, model.embed), lib.CoRelNet(_relation(model))]
    return body, CARDS * CARDS * model.relations


def _predinet(model: Model, dim: int) -> tuple[list[nn.Module], int]:
    heads, relations = model.heads, model.relations
    network = lib.PrediNet(CARDS, dim, heads=heads, key_dim=model.key_dim, relations=relations)
    return [network], heads * relations


def _mlp(model: Model, dim: int) -> tuple[list[nn.Module], int]:
    return [nn.Flatten(-2)], CARDS * dim


def _transformer(model: Model, dim: int) -> tuple[list[nn.Module], int]:
    heads = lib.Heads(model.relations, model.key_dim, fused=False)  # trials are vmapped
    layers = [
        lib.EncoderLayer(model.embed, heads, model.hidden, dropout=model.dropout)
        for _ in range(model.layers)
    ]
    encoder = lib.Encoder(layers, dropout=model.dropout)
    body = [nn.Linear(dim, model.embed), lib.AddPositions(model.embed), encoder, nn.Flatten(-2)]
    return body, CARDS * model.embed


_BODIES = {
    "abstractor": _abstractor,
    "corelnet": _corelnet,
    "predinet": _predinet,
    "mlp": _mlp,
    "transformer": _transformer,
}

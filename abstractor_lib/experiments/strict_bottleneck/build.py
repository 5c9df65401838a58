"""The Abstractors of order, set and sorting with other relations.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of an abstract state.
"""

from typing import Any

from torch import Tensor, nn

from ... import nn as lib
from ..order import run as order
from ..set import build as triples
from ..sorting import run as sorting
from .settings import Model, Task


def build(model: Model, task: Task, dim: int, fused: bool = False) -> nn.Module:
    """A freshly initialised network of a task, built by its experiment, with other relations.

    Args:
        dim: features ``d`` of an object that the network is given.
        fused: see `Heads`; not for trials that are trained together.
    """
    size: Any = model.network
    data: Any = task.data
    network: Any
    if task.name == "order":
        network = order.build(size, dim)
    elif task.name == "set":
        network = triples.build(size, dim)
    else:
        network = sorting.build(size, data, fused=fused)
    layers: Any = stack(network).layers
    for layer in layers:
        if task.name == "sorting":
            layer.relational = _attention(model, fused)
        else:
            layer.relational.relation = _relation(model)
    if not model.bias:
        network._modules["0"] = nn.Linear(dim, size.embed, bias=False)
    return lib.initialise(network, size.initialisation)


def _relation(model: Model) -> nn.Module:
    """Objects to relations, ``(b, m, d) -> (b, r, m, m)``."""
    size: Any = model.network
    options: dict[str, Any] = {"activation": size.activation, "over": size.over}
    options["diagonal"] = model.diagonal
    if model.relation == "mlp":
        return lib.PairwiseMLPRelation(size.embed, size.relations, model.hidden, **options)
    return lib.MultiHeadRelation(
        size.embed,
        size.relations,
        size.key_dim,
        symmetric=size.symmetric,
        bias=size.bias and model.bias,
        **options,
    )


def _attention(model: Model, fused: bool) -> nn.Module:
    """Objects and states to states, ``(b, m, d), (b, m, s) -> (b, m, s)``."""
    size: Any = model.network
    if model.relation == "mlp":
        relation = lib.PairwiseMLPRelation(
            size.dim, size.heads, model.hidden, diagonal=model.diagonal
        )
        passing = lib.SymbolicMessagePassing(size.dim, size.heads, combine="mix")
        return lib.RelationalMessagePassing(relation, passing)
    heads = lib.Heads(size.heads, size.key_dim, diagonal=model.diagonal, fused=fused)
    return lib.RelationalCrossAttention(size.dim, heads, dropout=size.dropout)


def stack(network: nn.Module) -> lib.AbstractorStack:
    """The Abstractor of a network."""
    return next(part for part in network.modules() if isinstance(part, lib.AbstractorStack))


def states(network: nn.Module, objects: Tensor) -> Tensor:
    """The abstract states of objects, ``(b, m, d) -> (b, m, s)``."""
    if isinstance(network, lib.SequenceToSequence):
        (found,) = network.encode(objects)
        return found
    assert isinstance(network, nn.Sequential)
    return stack(network)(network[0](objects))

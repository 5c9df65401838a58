"""What the first layer of a trained Abstractor measures of the relations of an object.

The message to object i is linear in its relations u = (R_ij of all heads h and objects j). Then
come the residual connection, a layer norm, and the hidden units of the feed-forward network:

    message   a = M u + c
    state     x = LayerNorm(s + a), with s the state before
    hidden    y = relu(W x + w)

The layer norm divides by a standard deviation that depends on u. With t for one over it,
W x + w is linear in (t, t u): 1 + p unknowns give t and u again. s, M, c, W and w are weights, or
follow from weights alone: they are the same for every sequence.

Shapes: ``n`` sequences, ``m`` objects, ``h`` heads, ``p = h m`` relations of an object, ``d``
features, ``q`` hidden units.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ..sorting.run import build, prefixes, trial


class Measured(NamedTuple):
    """Relations, and what they become.

    Attributes:
        relations: u, ``(n, m, p)``.
        mix: M, ``(d, p)``.
        constant: c, ``(d,)``.
        message: M u + c, ``(n, m, d)``.
        hidden_mix: of each object, the matrix B with W x + w = B (t, t u) + b, ``(m, q, 1 + p)``.
        hidden_constant: b, ``(q,)``.
        hidden: y, ``(n, m, q)``.
        heads: h.
    """

    relations: np.ndarray
    mix: np.ndarray
    constant: np.ndarray
    message: np.ndarray
    hidden_mix: np.ndarray
    hidden_constant: np.ndarray
    hidden: np.ndarray
    heads: int


@torch.no_grad()
def measured(spec: Spec, number: int, state: Mapping[str, Tensor], count: int) -> Measured:
    """The first Abstractor layer of a trained sorting model, in double precision, on the first
    ``count`` test sequences.

    Raises:
        ValueError: for a model without relational cross-attention, or too many sequences.
    """
    if spec.model.kind != "relational" or not spec.model.abstractor_layers:
        raise ValueError(f"spec is a run of {spec.model.name}; allowed: abstractor")
    source, answer = trial(spec.task, number, spec.draw).examples("test")
    if not 0 < count <= len(source):
        raise ValueError(f"count is {count}; allowed: 1 to {len(source)}")
    model = build(spec.model, spec.task).double().eval()
    model.load_state_dict({name: value.double() for name, value in state.items()})
    layer = model.get_submodule("abstractors.0.layers.0")
    module, norm, block = layer.relational, layer.norm, layer.feedforward
    assert isinstance(module, lib.RelationalCrossAttention) and isinstance(norm, nn.LayerNorm)
    assert isinstance(block, lib.FeedForward) and isinstance(block.network, nn.Sequential)
    first, relu = block.network[0], block.network[1]  # W and w
    assert isinstance(first, nn.Linear) and isinstance(relu, nn.ReLU)
    seen: dict[str, Any] = {}
    hooks = [
        module.register_forward_pre_hook(lambda _, given: seen.update(given=given)),
        module.register_forward_hook(lambda _, __, out: seen.update(message=out)),
        relu.register_forward_hook(lambda _, __, out: seen.update(hidden=out)),
    ]
    try:
        shown = prefixes(torch.from_numpy(answer[:count]))
        model(torch.from_numpy(source[:count]).double(), shown)
    finally:
        for hook in hooks:
            hook.remove()
    objects, states = seen["given"]  # (n, m, d), (m, d) or (n, m, d), the same for each n
    states = states if states.ndim == 2 else states[0]
    _, relations = module(objects, states, need_weights=True)  # (n, h, m, m)
    values = module.value(states)  # (h, m, k)
    by_head = module.output.weight.unflatten(1, (len(values), -1)).transpose(0, 1)  # (h, d, k)
    mix = (values @ by_head.transpose(1, 2)).flatten(0, 1).T  # (d, h m)
    constant = module.output.bias
    constant = mix.new_zeros(len(mix)) if constant is None else constant
    # LayerNorm(z) = gamma (z - mean(z)) t + beta, with z = s + c + M u
    centre = torch.eye(len(mix), dtype=mix.dtype) - 1 / len(mix)
    weights = first.weight * norm.weight @ centre  # (q, d)
    own = (states + constant) @ weights.T  # (m, q)
    spread = (weights @ mix).expand(len(own), -1, -1)  # (m, q, p)
    parts = (
        relations.transpose(1, 2).flatten(2),  # (n, m, h m)
        mix,
        constant,
        seen["message"],
        torch.cat([own[..., None], spread], dim=-1),
        first.weight @ norm.bias + first.bias,
        seen["hidden"],
    )
    return Measured(*(np.ascontiguousarray(part.numpy()) for part in parts), len(values))

"""Watching a trained model of the sorting experiment sort one sequence.

Shapes: ``m`` objects of the sequence, ``h`` heads, ``o`` outputs (positions to choose from).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ... import nn as lib
from ...records.spec import Spec
from .run import build, prefixes, trial


class Watched(NamedTuple):
    """What a model computes while it sorts one test sequence.

    Attributes:
        vectors: the objects as shown, ``(m, d)``.
        ranks: rank of each object within the sequence, ``(m,)``.
        answer: positions in ascending order of rank, ``(m,)``.
        chosen: what the model answers, decoding greedily, ``(m,)``.
        probability: of each position at each step, ``(m, o)``.
        relations: of each Abstractor layer, R_ij between object i and object j, ``(h, m, m)``.
        attention: of each decoder layer, weight of state j at step t, ``(h, m, m)``.
    """

    vectors: np.ndarray
    ranks: np.ndarray
    answer: np.ndarray
    chosen: np.ndarray
    probability: Tensor
    relations: list[Tensor]
    attention: list[Tensor]


@torch.no_grad()
def watch(spec: Spec, number: int, state: Mapping[str, Tensor], sequence: int = 0) -> Watched:
    """A trained model sorting one test sequence.

    Args:
        spec: the run, of a model that reads objects.
        number: the trial.
        state: its weights.
        sequence: which test sequence.

    Raises:
        ValueError: for a model that reads relations, or a sequence that is not there.
    """
    if spec.model.core == "relations":
        raise ValueError("spec is a run of relations, which sees no objects; allowed: other models")
    if not 0 <= sequence < spec.task.test:
        raise ValueError(f"sequence is {sequence}; allowed: 0 to {spec.task.test - 1}")
    source, answer = trial(spec.task, number, spec.draw).examples("test")
    source, answer = torch.from_numpy(source[[sequence]]).double(), answer[sequence]
    model = build(spec.model, spec.task).double().eval()  # for the same pictures on every processor
    model.load_state_dict({name: value.double() for name, value in state.items()})
    chosen = lib.greedy_decode(model, source, spec.task.length, start=spec.task.length)
    parts = list(model.modules())
    relational = [part.relational for part in parts if isinstance(part, lib.AbstractorLayer)]
    layers = [part for part in parts if isinstance(part, lib.DecoderLayer)]
    crossing = [layer.get_submodule("cross_attention.0") for layer in layers]
    projected = _projections(model, relational + crossing, source, prefixes(chosen))
    weights = [
        lib.activate(lib.inner_product_relations(*pair, module.scale)[0], "softmax")
        for module, pair in zip(relational + crossing, projected, strict=True)
        if isinstance(module, lib.MultiHeadAttention)
    ]
    scores = model(source, prefixes(chosen))[0]  # (m, o)
    return Watched(
        source[0].numpy(),
        answer.argsort(),
        answer,
        chosen[0].numpy(),
        scores.softmax(dim=-1),
        weights[: len(relational)],
        weights[len(relational) :],
    )


def _projections(model, attentions, source: Tensor, shown: Tensor) -> list[list[Tensor]]:
    """Queries and keys of attention modules in one forward pass, ``(1, h, m, k)`` each."""
    found: list[list[Tensor]] = [[] for _ in attentions]
    hooks = [
        projection.register_forward_hook(lambda _, args, output, kept=kept: kept.append(output))
        for module, kept in zip(attentions, found, strict=True)
        for projection in (module.query, module.key)
    ]
    try:
        model(source, shown)
    finally:
        for hook in hooks:
            hook.remove()
    return found


class Messages(NamedTuple):
    """What the relations of a trained Abstractor layer mix.

    Attributes:
        values: of each relation dimension, what the positions say, ``(h, m, k)``.
        outputs: the same after the output projection, in which all dimensions add up,
            ``(h, m, d)``.
        relations: R_ij of some test sequences, ``(n, h, m, m)``.
    """

    values: np.ndarray
    outputs: np.ndarray
    relations: np.ndarray


@torch.no_grad()
def messages(spec: Spec, number: int, state: Mapping[str, Tensor], count: int) -> Messages:
    """The first Abstractor layer of a trained model on ``count`` test sequences.

    There the values are the same for every sequence: they come from the symbols alone.

    Raises:
        ValueError: for a model without relational cross-attention, or too many sequences.
    """
    if spec.model.kind != "relational" or not spec.model.abstractor_layers:
        raise ValueError(f"spec is a run of {spec.model.name}; allowed: abstractor")
    source, answer = trial(spec.task, number, spec.draw).examples("test")
    if not 0 < count <= len(source):
        raise ValueError(f"count is {count}; allowed: 1 to {len(source)}")
    model = build(spec.model, spec.task).eval()
    model.load_state_dict(dict(state))
    module = model.get_submodule("abstractors.0.layers.0.relational")
    assert isinstance(module, lib.RelationalCrossAttention)
    seen: list[tuple] = []
    hook = module.register_forward_pre_hook(lambda _, inputs: seen.append(inputs))
    try:
        model(torch.from_numpy(source[:count]), prefixes(torch.from_numpy(answer[:count])))
    finally:
        hook.remove()
    objects, states = seen[0]
    _, relations = module(objects, states, need_weights=True)  # (n, h, m, m)
    values = module.value(states)  # (h, m, k)
    by_head = module.output.weight.unflatten(1, (len(values), -1)).transpose(0, 1)  # (h, d, k)
    outputs = values @ by_head.transpose(1, 2)  # (h, m, d)
    return Messages(*(part.double().numpy() for part in (values, outputs, relations)))

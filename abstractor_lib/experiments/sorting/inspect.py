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
    source, answer = torch.from_numpy(source[[sequence]]), answer[sequence]
    model = build(spec.model, spec.task).eval()
    model.load_state_dict(dict(state))
    chosen = lib.greedy_decode(model, source, spec.task.length, start=spec.task.length)
    relational = [
        layer.relational for abstractor in model.abstractors for layer in abstractor.layers
    ]
    crossing = [layer.cross_attention[0] for layer in model.decoder.layers]
    projected = _projections(model, relational + crossing, source, prefixes(chosen))
    weights = [
        lib.activate(lib.inner_product_relations(*pair, module.scale)[0], "softmax")
        for module, pair in zip(relational + crossing, projected, strict=True)
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

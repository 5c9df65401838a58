"""Looking inside a trained model of the order experiment.

Shapes: ``N`` objects, ``r`` relation dimensions.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from ...nn import AbstractorStack, MultiHeadRelation, RelationalMessagePassing
from ...records.spec import Spec
from .results import LABELS
from .run import build, trial
from .settings import PROTOCOLS, models


class Learned(NamedTuple):
    """A trained model over all objects of its trial, in the order's order.

    Attributes:
        relations: ``(r, N, N)``, R[k, i, j] of the model's relation module (before any softmax).
        probability: ``(N, N)``, the model's probability that o_i is before o_j.
        shown: ``(N, N)``, whether the pair was in the training set.
    """

    relations: Tensor
    probability: Tensor
    shown: Tensor


def _loaded(spec: Spec, state: Mapping[str, Tensor]) -> nn.Module:
    """The trained model in double precision, so that pictures of it are the same on every
    processor."""
    model = build(spec.model, spec.task.dim).double().eval()
    model.load_state_dict({name: value.double() for name, value in state.items()})
    return model


@torch.no_grad()
def learned(spec: Spec, number: int, state: Mapping[str, Tensor]) -> Learned:
    """Relations and predictions of a trained model.

    Args:
        spec: the run; its model must have a `MultiHeadRelation`.
        number: the trial.
        state: its weights.

    Raises:
        ValueError: if the model has no such relation.
    """
    data = trial(spec.task, number, spec.draw)
    model = _loaded(spec, state)
    found = [part for part in model.modules() if isinstance(part, MultiHeadRelation)]
    if not found:
        raise ValueError(f"spec is a run of {spec.model.name}, which has no multi-head relation")
    objects = torch.from_numpy(data.objects).double()  # (N, d)
    embedded = model.get_submodule("0")(objects)
    relation = found[0]
    left = relation.left(embedded)  # (r, N, p)
    right = left if relation.right is None else relation.right(embedded)
    relations = left @ right.transpose(-2, -1)  # (r, N, N)
    if relation.activation != "softmax":
        relations = relation(embedded)
    count = len(objects)
    left, right = objects.repeat_interleave(count, 0), objects.repeat(count, 1)
    outputs = model(torch.stack([left, right], dim=1))  # (N * N, o)
    chance = (
        torch.softmax(outputs, -1)[:, 1] if spec.model.outputs == 2 else outputs[:, 0].sigmoid()
    )
    shown = torch.zeros(count, count, dtype=torch.bool)
    shown[tuple(torch.from_numpy(data.pairs[data.split.train]).T)] = True
    return Learned(relations, chance.view(count, count), shown)


class Messages(NamedTuple):
    """What the relations of a trained Abstractor mix.

    Attributes:
        values: of each relation dimension, what the two positions say, ``(r, 2, k)``.
        relations: R_ij of pairs of distinct objects, ``(n, r, 2, 2)``.
    """

    values: np.ndarray
    relations: np.ndarray


@torch.no_grad()
def messages(spec: Spec, number: int, state: Mapping[str, Tensor], count: int) -> Messages:
    """The Abstractor layer of a trained model on the first ``count`` pairs of its trial, whether
    shown in training or not.

    Raises:
        ValueError: for a model without multi-head relations and symbols.
    """
    data = trial(spec.task, number, spec.draw)
    model = build(spec.model, spec.task.dim).eval()
    model.load_state_dict(dict(state))
    found = [part for part in model.modules() if isinstance(part, AbstractorStack)]
    if not found or not isinstance(found[0].layers[0].relational, RelationalMessagePassing):
        raise ValueError(f"spec is a run of {spec.model.name}; allowed: an Abstractor")
    module = found[0].layers[0].relational
    embed, pairs = model.get_submodule("0"), data.pairs[:count]  # (n, 2)
    relations = module.relation(embed(torch.from_numpy(data.objects[pairs])))  # (n, r, 2, 2)
    project = module.get_submodule("message_passing.values")
    values = project(found[0].symbols.vectors)  # (r, 2, k)
    return Messages(values.double().numpy(), relations.double().numpy())


def parameters(known: pd.DataFrame) -> pd.DataFrame:
    """How many parameters each model has under each protocol.

    Args:
        known: published numbers of parameters, those that the public code prints.
    """
    counts = pd.DataFrame(
        {
            protocol: {
                name: sum(weights.numel() for weights in build(model, dim=8).parameters())
                for name, model in models(settings).items()
            }
            for protocol, settings in PROTOCOLS.items()
        }
    )
    printed = known.query("x == 8").set_index("series")["mean"]
    printed = printed.astype(int).astype(str).reindex(counts.index).fillna("")
    counts["printed by the public code"] = printed
    return counts.loc[list(LABELS)].rename(LABELS).rename_axis("model").reset_index()

"""Looking at what a network of the kernel experiment has learned.

Shapes: ``N`` points.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from ...records.spec import Spec
from ...theory import mercer
from ...theory.kernels import components
from .run import TRAINED, Pair


class Learned(NamedTuple):
    """A relation and what stands for it, on a grid.

    Attributes:
        points: ``(N, d)``.
        truth, learned: first dimension of the relation, ``(N, N)``.
    """

    points: np.ndarray
    truth: np.ndarray
    learned: np.ndarray


@torch.no_grad()
def learned(spec: Spec, state: Mapping[str, Tensor], count: int = 60) -> Learned:
    """The relation that a trained network computes, on about ``count`` points.

    Raises:
        ValueError: for a run without a network.
    """
    if spec.model.approximator not in TRAINED:
        raise ValueError(
            f"spec is a run of {spec.model.name}; allowed: mlp, separate, proof, relu, relu_built"
        )
    relations = components(spec.task.relation)
    pair = Pair(relations[0].domain.dim, len(relations), spec.model)
    pair.load_state_dict(dict(state))
    points = relations[0].domain.grid(count)
    at = torch.from_numpy(points)
    return Learned(points, relations[0](points, points), pair(at, at)[0].numpy())


def by_true_value(network: Learned) -> dict[str, pd.DataFrame]:
    """Distances and cosines that a learned relation gives, by their true values in steps of 0.05:
    ``mean``, ``min`` and ``max`` of the learned ones."""
    learned, true = mercer.geometry(network.learned), mercer.geometry(network.truth)
    pairs = {}
    for name in ("distances", "cosines"):
        values = pd.DataFrame({"true": getattr(true, name).ravel()})
        values["learned"] = getattr(learned, name).ravel()
        values = values.dropna().assign(true=lambda some: (some["true"] * 20).round() / 20)
        found = values.groupby("true")["learned"]
        ends = {"mean": found.mean(), "min": found.min(), "max": found.max()}
        pairs[name] = pd.DataFrame(ends).round(4)
    return pairs

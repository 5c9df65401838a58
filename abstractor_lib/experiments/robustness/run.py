"""Computing one run of the robustness experiment.

Shapes: ``N`` objects, ``d`` features, ``n`` sequences, ``m`` objects of a sequence, ``h`` heads.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import sorting
from ...tasks.corruption import corrupt
from ...tasks.randomness import generator
from ...theory.random_maps import inner_product_moments
from ...training.outcome import Outcome, by_name
from ..context import Context
from ..sorting.run import build, prefixes, trial
from .grid import at_level

SHOWN = 10  # numbers of a fingerprint


def compute(spec: Spec, context: Context) -> Outcome:
    """Corrupt the objects of a trained model's test sequences, and look at what it makes of them;
    without a model, at the objects' inner products alone."""
    if not spec.parents:
        found = [inner_products(spec, number) for number in spec.trials]
        first = [values["spread"] for values in found]
        return Outcome(by_name(found), first, fingerprint={"spread": first})
    return disturb(spec, context)


class Answers(NamedTuple):
    """What a model answers to sequences, and by which relations.

    Attributes:
        right: whether the most probable position is the right one, after the true ones before it,
            ``(n, m)``.
        relations: see `relations`, ``(n, *)``.
        loss: mean cross-entropy.
    """

    right: Tensor
    relations: Tensor
    loss: float


def disturb(spec: Spec, context: Context) -> Outcome:
    """The metrics of one trained model under one corruption, all levels.

    Metrics at the levels, called as `at_level` says: ``full_sequence_accuracy`` and its standard
    deviation over draws (``accuracy_sd``), ``teacher_forcing_accuracy``, and two drifts each of
    the learned relations and of the objects' own inner products: ``angle`` and
    ``distance``, see `drift`. The same draws disturb all models of a trial.
    """
    parent, state = context.parent(spec, "sorter")
    data = trial(parent.spec.task, parent.trial, parent.spec.draw)
    count, task = spec.training.sequences, spec.task
    if count * spec.training.draws > len(data.split.test):
        raise ValueError(
            f"draws is {spec.training.draws} of {count} sequences; the trained model's task has "
            f"{len(data.split.test)} test sequences"
        )
    model = build(parent.spec.model, parent.spec.task).to(context.device).eval()
    model.load_state_dict(dict(state))
    random = generator(parent.trial, f"corruption {task.corruption}")
    clean: list[Answers] = []
    seen: list[list[dict[str, float | None]]] = [[] for _ in task.levels]
    moved = data.objects.vectors
    for draw in range(spec.training.draws):
        sequences = data.split.test[draw * count : (draw + 1) * count]  # (n, m)
        clean.append(answers(model, data.objects.vectors, sequences))
        for level, rows in zip(task.levels, seen, strict=True):
            moved = corrupt(data.objects.vectors, task.corruption, level, random)
            if context.first_numbers:
                continue
            found = answers(model, moved, sequences)
            learned = drift(clean[-1].relations, found.relations)
            own = drift(pairs(data.objects.vectors, sequences), pairs(moved, sequences))
            rows.append(
                {
                    "full_sequence_accuracy": found.right.all(dim=-1).double().mean().item(),
                    "teacher_forcing_accuracy": found.right.double().mean().item(),
                    **{f"relations_{name}": value for name, value in learned.items()},
                    **{f"objects_{name}": value for name, value in own.items()},
                }
            )
    known = {
        "corrupted objects": moved.flatten()[:SHOWN].tolist(),
        "loss on clean sequences": [one.loss for one in clean],
    }
    losses = [one.loss for one in clean]
    if context.first_numbers:
        return Outcome({}, losses, fingerprint=known)
    right = torch.cat([one.right for one in clean])
    metrics = {
        "clean_accuracy": right.all(dim=-1).double().mean().item(),
        "clean_teacher_forcing_accuracy": right.double().mean().item(),
    }
    for index, rows in enumerate(seen):
        metrics |= {at_level(name, index): mean([row[name] for row in rows]) for name in rows[0]}
        whole = np.array([row["full_sequence_accuracy"] for row in rows], float)
        metrics[at_level("accuracy_sd", index)] = float(np.std(whole, ddof=1))
    return Outcome(by_name([metrics]), losses, fingerprint=known)


def mean(values: list[float | None]) -> float | None:
    """None if any of the values is."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


@torch.no_grad()
def answers(model: lib.SequenceToSequence, vectors: np.ndarray, sequences: np.ndarray) -> Answers:
    """A model's answers to sequences of objects that look like ``vectors``.

    One pass is enough for full-sequence accuracy too: greedy decoding is right if and only if each
    position is right after the true ones before it, since up to its first error the decoder has
    been reading the true ones.

    Args:
        model: in evaluation mode.
        vectors: the objects as shown, ``(N, d)``.
        sequences: object numbers, ``(n, m)``; they say what is right.
    """
    device = next(model.parameters()).device
    source = torch.from_numpy(vectors[sequences]).to(device)  # (n, m, d)
    truth = torch.from_numpy(sorting.argsort(sequences)).to(device)  # (n, m)
    modules = relating(model)
    kept: list[Tensor] = []
    hooks = [
        part.register_forward_hook(lambda _, args, output: kept.append(output))
        for module in modules
        for part in (module.get_submodule("query"), module.get_submodule("key"))
    ]
    try:
        scores = model(source, prefixes(truth))  # (n, m, m)
    finally:
        for hook in hooks:
            hook.remove()
    found = [
        lib.inner_product_relations(queries, keys, module.scale)
        for module, queries, keys in zip(modules, kept[::2], kept[1::2], strict=True)
    ]
    loss = F.cross_entropy(scores.flatten(0, 1), truth.flatten()).item()
    return Answers(scores.argmax(dim=-1) == truth, relations(found), loss)


def relating(model: lib.SequenceToSequence) -> list[lib.MultiHeadAttention]:
    """The attention modules that relate the objects: those of the Abstractor's layers that attend
    to objects, whatever their kind, or else those of the encoder."""
    parts = list(model.modules())
    found = [part.relational for part in parts if isinstance(part, lib.AbstractorLayer)]
    found = found or [part.attention for part in parts if isinstance(part, lib.EncoderLayer)]
    return [part for part in found if isinstance(part, lib.MultiHeadAttention)]


def relations(scores: list[Tensor]) -> Tensor:
    """Inner products q_i . k_j before softmax, of all heads and layers, ``(n, *)``.

    The mean over j is taken out: softmax does not see it, and it holds what a bias of the keys
    adds.

    Args:
        scores: of each layer, ``(n, h, m, m)``.
    """
    centred = [one - one.mean(dim=-1, keepdim=True) for one in scores]
    return torch.cat([one.flatten(1) for one in centred], dim=1)


def pairs(vectors: np.ndarray, sequences: np.ndarray) -> Tensor:
    """Inner products <x_i, x_j> of the distinct objects of each sequence, ``(n, m (m - 1))``."""
    products = torch.from_numpy(vectors @ vectors.T)  # (N, N)
    one, other = np.nonzero(~np.eye(sequences.shape[1], dtype=bool))
    return products[sequences[:, one], sequences[:, other]]


def drift(clean: Tensor, moved: Tensor) -> dict[str, float | None]:
    """How far relations have moved, mean over sequences.

    ``angle``: 1 - cosine, which a common factor does not change (None where one of them vanishes);
    ``distance``: |moved - clean| / |clean|.

    Args:
        clean, moved: ``(n, *)``.

    Example:
        >>> drift(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 2.0]]))["angle"]
        1.0
    """
    clean, moved = clean.double(), moved.double()
    sizes = clean.norm(dim=1) * moved.norm(dim=1)
    angle = None
    if sizes.min() > 0:
        angle = (1 - (clean * moved).sum(dim=1) / sizes).mean().item()
    distance = (moved - clean).norm(dim=1) / clean.norm(dim=1)
    return {"angle": angle, "distance": distance.mean().item()}


def inner_products(spec: Spec, number: int) -> dict:
    """Inner products of distinct standard normal objects under one level of a corruption.

    ``scale``: slope of their means over draws on the clean ones; ``spread``: root mean square
    deviation from their means as a share of scale |x| |y|; ``angle``: see `drift`. What theory
    says of the first two is ``scale_expected`` and ``spread_expected``.
    """
    task = spec.task
    (level,) = task.levels
    objects = generator(number, "objects").standard_normal((task.objects, task.features))
    random = generator(number, f"corruption {task.corruption}")
    one, other = np.triu_indices(task.objects, k=1)
    clean = (objects @ objects.T)[one, other]  # (p,)
    drawn = []
    for _ in range(spec.training.draws):
        moved = corrupt(objects, task.corruption, level, random)
        drawn.append((moved @ moved.T)[one, other])
    drawn = np.stack(drawn)  # (draws, p)
    sizes = np.linalg.norm(objects[one], axis=1) * np.linalg.norm(objects[other], axis=1)
    theory = inner_product_moments(task.corruption, objects[one], objects[other], level)
    slope = float(theory.mean @ clean / (clean @ clean))
    whole = np.broadcast_to(clean, drawn.shape)
    return {
        "scale": float(drawn.mean(axis=0) @ clean / (clean @ clean)),
        "scale_expected": slope,
        "spread": float(np.sqrt((((drawn - theory.mean) / (slope * sizes)) ** 2).mean())),
        "spread_expected": float(np.sqrt((theory.variance / (slope * sizes) ** 2).mean())),
        "angle": drift(torch.from_numpy(whole.copy()), torch.from_numpy(drawn))["angle"],
    }

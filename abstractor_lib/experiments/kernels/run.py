"""Computing one run of the kernel experiment.

Shapes: ``N`` points, ``d`` coordinates, ``r`` relation dimensions, ``p`` features.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...theory import construction, mercer
from ...theory.kernels import MERCER, Eigenpairs, Relation, components
from ...training.minimise import minimise
from ...training.outcome import FIRST_LOSSES, Outcome, curve
from ..context import HERE, Context
from .settings import Fit, Model

ONE_LAYER = ("built", "relu", "relu_built")  # networks with one hidden layer of ReLU units
TRAINED = ("mlp", "proof", "relu", "relu_built")


class Pair(nn.Module):
    """Relations between two lists of points, <phi_k(x), psi_k(y)> (v1 eq. 2.3, 3.1).

    Returns:
        ``forward(x, y)``: ``(N, d), (M, d) -> (r, N, M)``.
    """

    def __init__(self, dim: int, relations: int, model: Model):
        super().__init__()

        def encoder() -> lib.MLP:
            if model.approximator in ONE_LAYER:
                return lib.MLP([dim, model.width, model.rank]).double()
            sizes = [dim, model.width, model.width, model.rank]
            return lib.MLP(sizes, activation=nn.Tanh).double()

        shared = model.encoders == "shared"
        self.relation = lib.InnerProductRelation(
            [encoder() for _ in range(relations)],
            None if shared else [encoder() for _ in range(relations)],
        )

    def features(self, x: Tensor) -> list[tuple[Tensor, Tensor]]:
        """phi_k(x) and psi_k(x) of each dimension, ``(N, p)``."""
        left, right = self.relation.left, self.relation.right
        return [
            (phi(x), psi(x))
            for phi, psi in zip(left, left if right is None else right, strict=True)
        ]

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        pairs = zip(self.features(x), self.features(y), strict=True)
        return torch.stack([phi @ psi.T for (phi, _), (_, psi) in pairs])


def compute(spec: Spec, context: Context) -> Outcome:
    """Fit and measure one approximation; torch's default generator is the caller's to seed."""
    relations = components(spec.task.relation)
    if spec.model.approximator in TRAINED:
        return compute_network(relations, spec, context)
    if spec.model.approximator == "built":
        return compute_built(relations[0], spec)
    features = [closed_form(one, spec) for one in relations]

    def matrices(x: np.ndarray) -> np.ndarray:
        return np.stack([phi(x) @ phi(x).T for phi in features])

    metrics = {"evaluations": [0]} | measured(relations, spec, matrices)
    first = [max(metrics[name][0], 1e-9) for name in ("sup_error", "l2_error")]
    # eigenfunctions of equal eigenvalues may be mixed, so that the error at a point, unlike that
    # over all points, is another on another machine
    known = ("l2_error", "floor", "sup_floor")
    numbers = [size(relations, spec), *(metrics[name][0] for name in known)]
    return Outcome(metrics, first, fingerprint={"norm and errors": numbers})


def compute_network(relations: tuple[Relation, ...], spec: Spec, context: Context) -> Outcome:
    """Train a network and measure what it computes."""
    points = torch.from_numpy(relations[0].domain.grid(4)).to(context.device)
    pair = Pair(relations[0].domain.dim, len(relations), spec.model).to(context.device)
    if spec.model.approximator == "relu_built":
        write_down(pair, relations[0], spec)
    with torch.no_grad():
        start = pair(points, points).flatten()[:FIRST_LOSSES].tolist()
    losses = fitted(pair, relations, spec, context)
    fingerprint = {"relations at the start": start}
    if spec.model.approximator != "proof":  # the goals of the proof have a sign and a basis
        fingerprint["first losses"] = losses[:FIRST_LOSSES]
    if context.first_numbers:
        return Outcome({}, losses[:FIRST_LOSSES], fingerprint=fingerprint)

    def matrices(x: np.ndarray) -> np.ndarray:
        points = torch.from_numpy(x).to(context.device)
        with torch.no_grad():
            return pair(points, points).cpu().numpy()

    history = [{"update": k, "loss": torch.tensor([x])} for k, x in enumerate(losses, start=1)]
    metrics = {"evaluations": [len(losses)]} | measured(relations, spec, matrices)
    if spec.model.approximator in ONE_LAYER:
        built = measured(relations, spec, built_matrices(relations[0], spec))
        metrics["over_built"] = [metrics["sup_error"][0] / built["sup_error"][0]]
    parameters = {name: part.detach()[None] for name, part in pair.state_dict().items()}
    return Outcome(metrics, losses[:FIRST_LOSSES], curve(history), parameters, fingerprint)


def compute_built(relation: Relation, spec: Spec) -> Outcome:
    """Measure a network whose weights are written down, and hold it against what is proved of it:
    ``bound`` (share of the largest relation), ``over_bound`` (its error as a share of that)."""
    metrics = {"evaluations": [0]} | measured((relation,), spec, built_matrices(relation, spec))
    series, added = construction.proved_bound(
        relation, eigenpairs(relation, spec), spec.model.width
    )
    largest = metrics["sup_error"][0] / metrics["relative_error"][0]
    metrics["bound"] = [(series + added) / largest]
    metrics["over_bound"] = [metrics["sup_error"][0] / (series + added)]
    numbers = [size((relation,), spec), series, added]
    numbers += [metrics[name][0] for name in ("sup_error", "l2_error")]
    first = [metrics[name][0] for name in ("sup_error", "l2_error")]
    return Outcome(metrics, first, fingerprint={"norm, bound and errors": numbers})


def built_matrices(relation: Relation, spec: Spec) -> Callable[[np.ndarray], np.ndarray]:
    """What the network that is built by hand computes, ``(N, d) -> (1, N, N)``."""
    pair = Pair(relation.domain.dim, 1, spec.model)
    write_down(pair, relation, spec)

    def matrices(x: np.ndarray) -> np.ndarray:
        points = torch.from_numpy(x)
        with torch.no_grad():
            return pair(points, points).numpy()

    return matrices


@torch.no_grad()
def write_down(pair: Pair, relation: Relation, spec: Spec) -> None:
    """Give the network the weights of `construction.interpolating`."""
    values, functions = eigenpairs(relation, spec)
    network = construction.interpolating(
        lambda x: functions(x) * np.sqrt(values), relation.domain, spec.model.width
    )
    slopes, knots, changes, start = pair.relation.left[0].parameters()  # of two layers
    slopes.fill_(1.0)
    knots.copy_(torch.from_numpy(-network.knots))
    changes.copy_(torch.from_numpy(network.changes.T))
    start.copy_(torch.from_numpy(network.start))


def eigenpairs(relation: Relation, spec: Spec) -> Eigenpairs:
    """In closed form where that is known, by quadrature elsewhere."""
    rule = relation.domain.quadrature(spec.training.finer * spec.training.nodes)
    count = min(spec.model.rank, len(rule.weights))
    values, functions = (relation.eigenpairs or partial(mercer.nystrom, relation, rule=rule))(count)
    missing = spec.model.rank - count
    return np.pad(values, (0, missing)), lambda x: np.pad(functions(x), ((0, 0), (0, missing)))


def size(relations: tuple[Relation, ...], spec: Spec) -> float:
    """L2 norm of the relations, over all dimensions together."""
    rule = relations[0].domain.quadrature(spec.task.finer * spec.training.nodes)
    weights = rule.weights[:, None] * rule.weights
    truth = np.stack([one(rule.nodes, rule.nodes) for one in relations])
    return float(np.sqrt((weights * truth**2).sum()))


def errors(
    pair: Pair, relations: tuple[Relation, ...], spec: Spec, context: Context = HERE
) -> Callable[[int], Tensor]:
    """What a network is trained to make small: power -> the mean of this power of its error, over
    all pairs of quadrature nodes, or over the nodes where it is to be the scaled eigenfunctions."""
    device = context.device
    rule = relations[0].domain.quadrature(spec.training.nodes)
    nodes, weights = (torch.from_numpy(part).to(device) for part in rule)
    if spec.model.approximator == "proof":
        # MLP_j -> sqrt(lambda_j) psi_j   (v1 eq. 3.5)
        wanted = []
        for one in relations:
            values, functions = mercer.nystrom(one, min(spec.model.rank, len(nodes)), rule)
            wanted.append(torch.from_numpy(functions(rule.nodes) * np.sqrt(values)).to(device))

        def error(power: int) -> Tensor:
            each = [phi - goal for (phi, _), goal in zip(pair.features(nodes), wanted, strict=True)]
            return (weights[:, None] * torch.stack(each).abs() ** power).sum()

    else:
        goal = np.stack([one(rule.nodes, rule.nodes) for one in relations])
        wanted = torch.from_numpy(goal).to(device)  # (r, N, N)

        def error(power: int) -> Tensor:
            each = (pair(nodes, nodes) - wanted).abs() ** power
            return (weights[:, None] * weights * each).sum()

    return error


def fitted(
    pair: Pair, relations: tuple[Relation, ...], spec: Spec, context: Context
) -> list[float]:
    """Train a network until its inner products are near the relations; the losses on the way."""
    fit: Fit = spec.training
    error, limit = errors(pair, relations, spec, context), context.limit
    losses: list[float] = []
    stages = [lambda: error(2), lambda: error(fit.power) ** (1 / fit.power)]
    for loss in stages:
        if limit is not None and len(losses) >= limit:
            break
        updates = fit.updates if limit is None else min(limit, fit.updates)
        losses += minimise(pair.parameters(), loss, updates)
    return losses


def closed_form(relation: Relation, spec: Spec) -> mercer.Features:
    """Features that need no training, ``(N, d) -> (N, p)``."""
    model = spec.model
    rule = relation.domain.quadrature(spec.training.finer * spec.training.nodes)
    if model.approximator in ("series", "nystrom"):
        known = relation.eigenpairs if model.approximator == "series" else None
        make = known or partial(mercer.nystrom, relation, rule=rule)
        values, functions = make(model.rank)
        return lambda x: functions(x) * np.sqrt(values)
    if model.approximator == "radial":
        basis = mercer.radial_basis(relation.domain.grid(model.width))
    else:
        source, scale = (
            generator(spec.trials.first, "waves"),
            spec.model.waves / relation.domain.dim,
        )
        basis = mercer.random_waves(source, relation.domain.dim, model.width, scale)
    return mercer.in_span(relation, basis, model.rank, rule)


def measured(relations: tuple[Relation, ...], spec: Spec, matrices) -> dict[str, list]:
    """Errors and geometry of an approximation ``matrices``: ``(N, d) -> (r, N, N)``.

    ``sup_error`` is over a dense grid and all dimensions, ``relative_error`` a share of the
    largest relation; ``l2_error`` by quadrature, over all dimensions together; ``sup_floor`` and
    ``floor`` are the least that sup and L2 error can be at this rank.
    ``smallest_eigenvalue``, ``triangle`` and ``distance_error`` (in units of the largest distance,
    for Mercer kernels) are of the learned geometry, for shared encoders.
    """
    domain, shared = relations[0].domain, spec.model.encoders == "shared"
    points = domain.grid(spec.task.points)
    truth = np.stack([one(points, points) for one in relations])
    error = np.abs(matrices(points) - truth).max(axis=(1, 2))
    rule = domain.quadrature(spec.task.finer * spec.training.nodes)
    weights = rule.weights[:, None] * rule.weights
    gaps = matrices(rule.nodes) - np.stack([one(rule.nodes, rule.nodes) for one in relations])
    spectra = [mercer.spectrum(one.function, rule) for one in relations]
    least = mercer.floor_shared if shared else mercer.floor_separate
    floors = [least(found, spec.model.rank) for found in spectra]
    metrics = {
        "sup_error": error.max(),
        "relative_error": (error / np.abs(truth).max(axis=(1, 2))).max(),
        "l2_error": np.sqrt((weights * gaps**2).sum(axis=(1, 2)).sum()),
        "floor": np.linalg.norm(floors),
        "sup_floor": max(floors),
    }
    if shared:
        some = domain.grid(spec.task.metric_points)
        found = [mercer.geometry(one) for one in matrices(some)]
        off = []
        for one, relation in zip(found, relations, strict=True):
            if relation.name in MERCER:  # the others have no distances
                true = mercer.geometry(relation(some, some)).distances
                off.append(np.abs(one.distances - true).max() / true.max())
        metrics["smallest_eigenvalue"] = min(one.smallest_eigenvalue for one in found)
        metrics["triangle"] = max(one.triangle for one in found)
        metrics["distance_error"] = max(off, default=None)
    else:
        metrics |= dict.fromkeys(("smallest_eigenvalue", "triangle", "distance_error"))
    return {name: [None if value is None else float(value)] for name, value in metrics.items()}

"""The kernel experiment: its runs measured again by other means."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib import nn
from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.kernels import EXPERIMENT as kernels
from abstractor_lib.experiments.kernels.inspect import Learned, by_true_value, learned
from abstractor_lib.experiments.kernels.run import Pair
from abstractor_lib.experiments.kernels.settings import Model
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.theory.kernels import relation


def wanted(name, of, **sizes):
    """A run of the smoke grid, or one like it with other sizes of the model."""
    one = next(
        one
        for one in kernels.grid("smoke", "described")
        if one.model.name == name and one.task.relation == of
    )
    return replace(one, model=replace(one.model, **sizes))


def test_only_described_has_a_grid():
    assert kernels.grid("laptop", "published") == kernels.grid("laptop", "sound") == []
    with pytest.raises(ValueError, match="profile is 'big'"):
        kernels.grid("big", "described")
    specs = kernels.grid("laptop", "described")
    assert len({one.id for one in specs}) == len(specs)
    assert {kernels.spec(one.canonical()).id for one in specs[::50]} == {
        one.id for one in specs[::50]
    }


@pytest.mark.parametrize("encoders", ["shared", "separate"])
def test_relations_against_the_librarys_module(encoders):
    """On one list of points the pair is `InnerProductRelation`, a pair of encoders a dimension."""
    torch.manual_seed(0)
    pair = Pair(1, 3, Model("mlp", "mlp", rank=2, width=5, encoders=encoders))
    x = torch.rand(6, 1, dtype=torch.float64)
    assert isinstance(pair.relation, nn.InnerProductRelation)
    torch.testing.assert_close(pair(x, x), pair.relation(x))


@pytest.mark.parametrize("name", ["mlp", "separate"])
def test_errors_against_the_weights_that_were_kept(name):
    spec = wanted(name, "half", rank=2)
    spec = replace(spec, training=replace(spec.training, updates=40))
    found = outcome(spec)
    pair = Pair(1, 1, spec.model)
    pair.load_state_dict({key: value[0] for key, value in found.parameters.items()})
    x = np.linspace(0, 1, spec.task.points)[:, None]
    truth = np.exp(-((x / 2 - x.T) ** 2) / (2 * 0.2**2))
    with torch.no_grad():
        learned = pair(torch.from_numpy(x), torch.from_numpy(x))[0].numpy()
    assert found.metrics["sup_error"][0] == pytest.approx(np.abs(learned - truth).max())
    assert found.metrics["l2_error"][0] >= found.metrics["floor"][0] - 1e-9
    assert (found.metrics["triangle"][0] is None) == (name == "separate")


def test_symmetric_features_cannot_undercut_their_floor_and_separate_ones_do():
    both = {}
    for name in ("mlp", "separate"):
        spec = wanted(name, "difference", rank=2)
        spec = replace(spec, training=replace(spec.training, updates=150, nodes=32))
        both[name] = outcome(spec).metrics
    assert both["mlp"]["floor"][0] == pytest.approx(0.5**0.5)  # the whole norm of sin(t - s)
    assert both["mlp"]["l2_error"][0] >= both["mlp"]["floor"][0] - 1e-9
    assert both["separate"]["l2_error"][0] < 0.02


def test_the_proofs_network_fits_the_scaled_eigenfunctions():
    spec = wanted("proof", "brownian", width=8)
    spec = replace(spec, training=replace(spec.training, updates=300, nodes=48, power=2))
    found = outcome(spec)
    pair = Pair(1, 1, spec.model)
    pair.load_state_dict({key: value[0] for key, value in found.parameters.items()})
    x = np.linspace(0, 1, 50)[:, None]
    values, functions = relation("brownian").eigenpairs(spec.model.rank)
    target = functions(x) * np.sqrt(values)
    with torch.no_grad():
        ((phi, _),) = pair.features(torch.from_numpy(x))
    for one, other in zip(phi.numpy().T, target.T, strict=True):
        assert min(np.abs(one - other).max(), np.abs(one + other).max()) < 0.05  # up to sign


def test_a_built_network_against_interpolated_eigenfunctions():
    spec = wanted("built", "brownian", rank=2, width=4)
    found = outcome(spec).metrics
    x, knots = np.linspace(0, 1, spec.task.points), np.linspace(0, 1, 5)
    waves = [np.pi / 2, 3 * np.pi / 2]  # sqrt(lambda_j) psi_j = sqrt(2) sin(w_j x) / w_j
    phi = np.stack([np.interp(x, knots, 2**0.5 * np.sin(w * knots) / w) for w in waves], axis=1)
    known = np.abs(phi @ phi.T - np.minimum(x[:, None], x)).max()
    assert found["sup_error"][0] == pytest.approx(known)
    assert found["over_bound"][0] == pytest.approx(known / found["bound"][0]) and known < 1
    # 1 - 2 (lambda_1 + lambda_2) + n h^2 / 2
    bound = 1 - 2 * sum(w**-2 for w in waves) + 2 / 32
    assert found["bound"][0] == pytest.approx(bound, rel=1e-3)


def test_training_may_start_from_the_built_network():
    fit = replace(wanted("built", "brownian").training, nodes=64, power=2)

    def metrics(name, updates):
        spec = wanted(name, "brownian", width=8, rank=2)
        return outcome(replace(spec, training=replace(fit, updates=updates))).metrics

    built = metrics("built", 1)
    still = metrics("relu_built", 0)
    assert still["sup_error"] == built["sup_error"] and still["over_built"] == [1.0]
    assert metrics("relu_built", 60)["l2_error"][0] < built["l2_error"][0]
    random = metrics("relu", 2)
    ratio = random["sup_error"][0] / built["sup_error"][0]
    assert random["over_built"][0] == pytest.approx(ratio)


def test_shipped_weights_err_as_their_records_say():
    workspace = Workspace()
    shipped = [one for one in workspace.records("kernels").values() if "artifacts" in one]
    assert shipped
    for record in shipped:
        spec = kernels.spec(record["spec"])
        (name,) = record["artifacts"].values()
        found = learned(spec, workspace.artifacts.load(name), count=spec.task.points)
        worst = np.abs(found.learned - found.truth).max()
        assert worst == pytest.approx(record["metrics"]["sup_error"][0], rel=1e-6)


def test_only_networks_can_be_looked_at():
    with pytest.raises(ValueError, match="spec is a run of waves; allowed: mlp, separate, proof"):
        learned(wanted("waves", "brownian"), {})


def test_an_audit_needs_only_the_first_updates():
    spec = wanted("mlp", "brownian")
    part, whole = outcome(spec, Context(first_numbers=True)), outcome(spec)
    assert part.first_losses[:3] == whole.first_losses[:3]
    assert part.fingerprint["relations at the start"] == whole.fingerprint["relations at the start"]
    assert not part.metrics and whole.metrics


def test_distances_and_cosines_by_true_value():
    """Of min(x, y), whose distance is the root of |x - y|; learned are twice the true relations."""
    x = np.linspace(0, 1, 30)[:, None]
    truth = np.minimum(x, x.T)
    found = by_true_value(Learned(x, truth, 2 * truth))
    distances, cosines = found["distances"], found["cosines"]
    assert np.abs(distances["mean"] - 2**0.5 * distances.index).max() < 0.05
    assert np.abs(cosines["mean"] - cosines.index).max() < 0.026
    assert distances.loc[1.0, "max"] == pytest.approx(2**0.5, abs=1e-4)
    assert np.allclose(distances.index * 20, np.round(distances.index * 20))

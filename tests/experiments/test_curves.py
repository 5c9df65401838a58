"""The function learning experiment: what is trained, what is tested, and what runs record."""

import dataclasses
import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
import torch

from abstractor_lib import nn as lib
from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.curves import EXPERIMENT
from abstractor_lib.experiments.curves import run as computing
from abstractor_lib.experiments.curves.grid import LARGE, LONG
from abstractor_lib.experiments.curves.settings import MODELS, OPEN
from abstractor_lib.records.spec import Trials
from abstractor_lib.tasks import curves


def trained(profile, part=None):
    """The specs of a grid, or of a part of it, that train a model."""
    specs = [one for one in EXPERIMENT.grid(profile, "described") if one.model.name in MODELS]
    return [one for one in specs if part in (None, one.part)]


SPECS = {
    (spec.model.name, EXPERIMENT.columns(spec.canonical())["variant"]): spec
    for spec in reversed(trained("smoke"))
}
FOUND = {}


def ran(model, variant="as set"):
    if (model, variant) not in FOUND:
        FOUND[model, variant] = outcome(SPECS[model, variant])
    return FOUND[model, variant]


def test_the_laptop_grid_has_all_models_at_each_seed_and_one_seed_of_each_open_setting():
    specs = trained("laptop", part="")
    columns = [EXPERIMENT.columns(spec.canonical()) for spec in specs]
    whole = [one["model"] for one in columns if one["variant"] == "as set"]
    assert whole == list(MODELS) * EXPERIMENT.profiles["laptop"].seeds
    others = [spec for spec in specs[len(whole) :] if not spec.part]
    assert [spec.trials.first for spec in others] == [0] * len(OPEN)
    main = [spec for spec in specs if not spec.part]
    assert [spec.trials.first for spec in main if spec.keep] == [0] * (len(MODELS) + len(OPEN))
    assert EXPERIMENT.grid("smoke", "sound") == []


def test_parts_with_all_of_the_papers_updates():
    """Small models, and those of the paper's size that are cheap; each model of a part once for
    each seed, the same seeds for all."""
    long, large = trained("laptop", LONG), trained("laptop", LARGE)
    expected = {LONG: Counter(), LARGE: Counter()}
    for part in EXPERIMENT.profiles["laptop"].parts:
        assert set(part.together) in (set(), set(part.models))
        numbers = [Trials(seed, 1) for seed in range(part.seeds)]
        numbers = [Trials(0, part.seeds)] if part.together else numbers
        expected[part.name].update(product(part.models, numbers))
    for name, runs in expected.items():
        found = Counter((spec.model.name, spec.trials) for spec in trained("laptop", name))
        assert found == runs
    assert {spec.model.name for spec in large} <= {spec.model.name for spec in long} == set(MODELS)
    assert {spec.training.updates for spec in long + large} == {10_000}
    assert {spec.model.dim for spec in long} == {64} and {spec.model.dim for spec in large} == {256}
    columns = [EXPERIMENT.columns(spec.canonical()) for spec in long + large]
    assert {one["variant"] for one in columns} == {"watched"}
    assert {spec.id for spec in large} <= {spec.id for spec in trained("paper")}


@pytest.mark.parametrize("one", OPEN, ids=lambda one: f"{one.model}, {one.label}")
def test_one_setting_at_a_time(one):
    def flat(spec):
        return dataclasses.asdict(spec.model) | dataclasses.asdict(spec.task)

    usual, other = flat(SPECS[one.model, "as set"]), flat(SPECS[one.model, one.label])
    differing = {name: other[name] for name in usual if usual[name] != other[name]}
    assert differing == dict(one.change) and len(differing) == 1


def test_the_paper_profile_is_the_papers():
    specs = trained("paper")
    assert {spec.model.name for spec in specs} == set(MODELS)
    assert {spec.training.updates for spec in specs} == {10_000}
    assert {spec.training.learning_rate for spec in specs} == {1e-4}
    sizes = {(spec.model.dim, spec.model.heads, spec.model.layers) for spec in specs}
    assert sizes == {(256, 8, 12)}
    large, small = (EXPERIMENT.grid(name, "described")[2] for name in ("paper", "laptop"))
    assert EXPERIMENT.cost(large) > 50 * EXPERIMENT.cost(small)
    assert EXPERIMENT.needs(large).memory_mib > EXPERIMENT.needs(small).memory_mib


def test_parts_have_all_of_the_papers_updates_and_large_ones_are_runs_of_the_paper_profile():
    parts = {}
    for spec in trained("laptop"):
        parts.setdefault(spec.part, []).append(spec)
    assert parts[LONG] and parts[LARGE]
    usual = {spec.model for spec in parts[""]}
    for spec in parts[LONG] + parts[LARGE]:
        assert spec.training.updates == 10_000
        assert EXPERIMENT.columns(spec.canonical())["variant"] == "watched"
    assert {spec.model for spec in parts[LONG]} <= usual
    assert {spec.id for spec in parts[LARGE]} <= {spec.id for spec in trained("paper")}
    assert {spec.training.learning_rate for spec in parts[LARGE]} == {1e-4}


def test_watched_runs_test_the_last_the_best_and_averaged_weights():
    found, spec = ran("relational", "watched"), SPECS["relational", "watched"]
    metrics, validated = found.metrics, found.curve["validation_loss"]
    for name in ("mse_all", "mse_line_step_01", "sd_rbf", "coverage_95_sine"):
        assert name in metrics and f"averaged_{name}" in metrics
    assert metrics["averaged_mse_all"] != metrics["mse_all"]
    best_is_last = np.argmin(validated) == len(validated) - 1
    assert (metrics["best_loss_mse_all"] == metrics["mse_all"]) == best_is_last
    every = [found.curve[f"rolled_mse_{name}"][-1] for name in ("line", "rbf", "sine")]
    assert found.curve["rolled_mse_all"][-1] == pytest.approx(np.mean(every), rel=1e-6)
    (model,) = computing.models(spec, found.parameters)
    some = computing.validation_curves(spec.task)
    steps = [some.noisy[: spec.task.rolled, : spec.task.observed]]
    for _ in range(spec.task.steps):  # one point at a time, by the model itself
        given = torch.from_numpy(np.concatenate(steps, axis=1)).float()
        with torch.no_grad():
            value = model.predict(model(given)).value
        steps.append(value.double().numpy()[:, None])
    true = some.noisy[: spec.task.rolled, spec.task.observed :]
    error = np.square(np.concatenate(steps[1:], axis=1) - true).mean()
    assert found.curve["rolled_mse_all"][-1] == pytest.approx(error, rel=1e-4)


@pytest.mark.parametrize("key", SPECS, ids=str)
def test_every_run_records_numbers_and_repeats(key):
    found, spec = ran(*key), SPECS[key]
    assert EXPERIMENT.spec(spec.canonical()).id == spec.id
    for name, values in found.metrics.items():
        assert len(values) == 1 and math.isfinite(values[0]), name
    assert ("sd_rbf" in found.metrics) == spec.model.relational
    assert ("window_length_2" in found.metrics) == (spec.model.window and key[1] != "one window")
    assert ("similarity_delta" in found.metrics) == (key[1] == "learned similarity")
    updates = spec.training.updates
    assert found.metrics["updates"] == [updates] and len(found.first_losses) == updates
    assert ("averaged_mse_all" in found.metrics) == (key[1] == "watched")
    assert ("best_loss_mse_all" in found.metrics) == (key[1] == "watched")


def test_a_run_repeats_and_an_audit_sees_its_first_loss():
    spec = SPECS["relational_window", "as set"]
    assert outcome(spec).metrics == ran("relational_window").metrics
    short = outcome(spec, Context(first_numbers=True))
    assert short.first_losses == ran("relational_window").first_losses[:1] and not short.metrics


def test_models_of_a_seed_see_the_same_curves_and_other_seeds_others():
    def first(spec):
        return next(computing.batches(spec, "cpu"))

    of_seed = [
        next(spec for spec in EXPERIMENT.grid("laptop", "described") if accepted(spec))
        for accepted in (
            lambda spec: spec.model.name == "transformer",
            lambda spec: spec.model.name == "relational_window",
            lambda spec: spec.trials.first == 1,
        )
    ]
    one, same, other = map(first, of_seed)
    torch.testing.assert_close(one.inputs, same.inputs)
    assert one.inputs.shape == (1, 32, 20) and one.inputs.dtype == torch.float32
    assert (one.inputs != other.inputs).all()
    torch.testing.assert_close(same.targets[..., :20], one.targets.expand(-1, -1, 20))
    assert same.targets.shape == (1, 32, 21) and (same.targets[..., 20] == 0).all()


def test_targets_are_noisy_and_lengths_fixed_unless_told_otherwise():
    usual = next(computing.batches(SPECS["transformer", "as set"], "cpu"))
    clean = next(computing.batches(SPECS["transformer", "clean targets"], "cpu"))
    torch.testing.assert_close(usual.inputs, clean.inputs)
    apart = (usual.targets - clean.targets).abs()
    assert 0 < apart.max() <= 0.1 * 3**0.5 + 1e-6
    source = computing.batches(SPECS["transformer", "lengths vary"], "cpu")
    lengths = {next(source).inputs.shape[-1] for _ in range(60)}
    assert lengths == set(range(3, 9))  # half of 6, to 6 + 3 - 1


def by_hand(some, values, sd, observed):
    """A few metrics, curve by curve."""
    found = {}
    for number, name in enumerate(curves.CLASSES):
        errors, scores, inside = [], [], []
        for curve, value, deviation, kind in zip(some.noisy, values, sd, some.kinds, strict=True):
            if kind == number:
                truth = curve[observed : observed + values.shape[1]]
                errors.append((value - truth) ** 2)
                inside.append(abs(value - truth) <= 0.6744897501960817 * deviation)
                grid = np.linspace(-12, 12, 4801)
                for at in range(len(truth)):
                    below = [math.erf((x - value[at]) / deviation[at] / 2**0.5) for x in grid]
                    step = (0.5 + 0.5 * np.array(below) - (grid >= truth[at])) ** 2
                    scores.append(np.trapezoid(step, grid))
        found[f"mse_{name}"] = np.mean(errors)
        found[f"mse_{name}_step_02"] = np.mean([error[1] for error in errors])
        found[f"coverage_50_{name}"] = np.mean(inside)
        found[f"crps_{name}"] = np.mean(scores)
        found[f"sd_{name}"] = sd[some.kinds == number].mean()
    return found


def test_scores_against_a_loop_over_curves():
    random = np.random.default_rng(0)
    some = curves.draw(random, curves.even(7), 9)
    values, sd = random.standard_normal((7, 3)), random.uniform(0.5, 1.5, (7, 3))
    found = computing.scores(some, values, sd, 6)
    for name, value in by_hand(some, values, sd, 6).items():
        assert found[name] == pytest.approx(value, abs=2e-3 if "crps" in name else 1e-9), name
    assert found["mse_all"] == pytest.approx(np.mean((values - some.noisy[:, 6:]) ** 2))
    assert found["mse_clean_all"] == pytest.approx(np.mean((values - some.clean[:, 6:]) ** 2))
    without = computing.scores(some, values, None, 6)
    assert without["crps_all"] == pytest.approx(np.mean(abs(values - some.noisy[:, 6:])))
    assert not any(name.startswith(("sd", "coverage")) for name in without)


def test_long_scores_are_means_over_blocks_of_steps():
    random = np.random.default_rng(1)
    some = curves.draw(random, curves.even(6), 16)
    values = random.standard_normal((6, 10))
    found = computing.long_scores(some, values, None, 6)
    late = (values[[1, 4], 5:] - some.noisy[[1, 4], 11:]) ** 2
    assert found["mse_long_rbf_step_10"] == pytest.approx(late.mean())
    assert set(found) == {
        f"mse_long_{name}_step_{last}" for name in curves.CLASSES for last in ("05", "10")
    }


def test_windows_are_recorded_over_training_and_at_its_end():
    found = ran("relational_window")
    model = computing.build(SPECS["relational_window", "as set"].model)
    model.load_state_dict({name: value[0] for name, value in found.parameters.items()})
    for number, layer in enumerate(model.layers, start=1):
        assert found.metrics[f"window_length_{number}"] == pytest.approx(
            [layer.window.length().item()]
        )
        path = found.curve[f"window_a_{number}"]
        assert len(path) == len(found.curve["update"]) == 2 and path[0] != path[1]
        assert path[-1] == pytest.approx(found.metrics[f"window_a_{number}"][0])
    assert "window_a_1" not in ran("relational").curve


def test_the_gallery_holds_predictions_of_the_first_test_curves():
    found, spec = ran("relational"), SPECS["relational", "as set"]
    model = computing.build(spec.model)
    model.load_state_dict({name: value[0] for name, value in found.parameters.items()})
    gallery = found.artifacts["gallery"]
    assert gallery["noisy"].shape == (3, 6 + 4) and gallery["sd"].shape == (3, 4)
    expected = lib.extrapolate(model, gallery["noisy"][:, :6], 4)
    torch.testing.assert_close(gallery["median"], expected.value, atol=1e-5, rtol=0)
    torch.testing.assert_close(gallery["sd"], expected.deviation, atol=1e-5, rtol=0)
    bent = gallery["clean"].diff(n=2).abs().amax(dim=1) > 1e-5
    assert bent.tolist() == [False, True, True]  # a line, then the others
    other = ran("transformer_window").artifacts["gallery"]
    torch.testing.assert_close(other["noisy"], gallery["noisy"])
    assert "sd" not in other

"""The robustness experiment: trained models, answers, drifts, and inner products of random maps."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.robustness import EXPERIMENT as robustness
from abstractor_lib.experiments.robustness.grid import FURTHER, LAPTOP, trained
from abstractor_lib.experiments.robustness.run import answers, drift, pairs, relating
from abstractor_lib.experiments.robustness.settings import ARCHITECTURES, FIGURES, PROTOCOLS
from abstractor_lib.experiments.sorting import EXPERIMENT as sorting
from abstractor_lib.experiments.sorting.inspect import watch
from abstractor_lib.experiments.sorting.run import build, prefixes, trial
from abstractor_lib.experiments.sorting.settings import MAIN
from abstractor_lib.nn import greedy_decode
from abstractor_lib.tasks import sorting as sorting_task
from abstractor_lib.tasks.corruption import KINDS

CHILDREN = {
    (spec.model.name, spec.task.corruption): spec
    for spec in robustness.grid("smoke", "described")
    if spec.trials.first == 0
}
PARENTS = {name: CHILDREN[name, "additive"].parents["sorter"].spec for name in ARCHITECTURES}


def made(spec, seed=0, std=0.5):
    """A model of a sorting run, with large random weights."""
    torch.manual_seed(seed)
    model = build(spec.model, spec.task).eval()
    for part in model.parameters():
        if part.dim() > 1:
            torch.nn.init.normal_(part, std=std)
    return model


def given(model):
    """A context that hands out the weights of this model."""
    return Context(load=lambda parent: model.state_dict())


def test_models_are_those_of_the_sorting_section_where_settings_agree():
    own = {spec.id: spec for spec in sorting.grid("laptop", "described")}
    found = {parent.spec.id for parent in trained("described", LAPTOP, PROTOCOLS["described"])}
    shared = [own[run] for run in found & set(own)]
    assert {spec.model.name for spec in shared} == set(MAIN)
    main = [spec for spec in robustness.grid("laptop", "described") if not spec.part]
    grid = [spec for spec in main if spec.parents]
    corrupted = [(spec.parents["sorter"].spec.id, spec.task.corruption) for spec in grid]
    assert sorted(corrupted) == sorted(product(found, KINDS))  # each model by each kind, once


def test_one_trained_model_under_published_with_epochs_of_its_own():
    specs = [spec for spec in robustness.grid("laptop", "published") if not spec.part]
    parents = [spec.parents["sorter"].spec for spec in specs]
    assert {parent.model.name for parent in parents} == set(ARCHITECTURES)
    assert {(one.trials.first, one.draw, one.training.epochs) for one in parents} == {(0, 0, 400)}
    assert {one.training.patience for one in parents} == {10}
    assert {one.protocol for one in parents} == {"published"}
    assert {spec.training.sequences * spec.training.draws for spec in specs} == {2000}


def test_under_sound_all_models_train_until_they_sort():
    parents = list(trained("sound", LAPTOP, PROTOCOLS["sound"]))
    rules = {parent.spec.training for parent in parents}
    (rule,) = rules
    assert (rule.goal, rule.updates, rule.batch_size) == (0.995, 6000, 128)
    assert rule.loss == "sequence_cross_entropy" and rule.epochs is None
    assert {parent.spec.task.train for parent in parents} == {3000}
    runs = Counter(parent.spec.id for parent in parents)
    found = Counter(parent.spec.model.name for parent in parents)
    settings = PROTOCOLS["sound"]
    wanted = dict.fromkeys(ARCHITECTURES, settings.models.value)
    assert found == wanted | {"ablation": settings.ablations.value}
    assert set(runs.values()) == {1}


@pytest.mark.parametrize("profile", ["smoke", "laptop"])
def test_further_draws_complete_the_trials_of_the_figures_models(profile):
    """Every number has all three models, no model twice; and what is shared is drawn again."""
    assert not any(spec.part == FURTHER for spec in robustness.grid(profile, "described"))
    for protocol in ("published", "sound"):
        specs = [one for one in robustness.grid(profile, protocol) if one.part in ("", FURTHER)]
        noisy = [spec for spec in specs if spec.task.corruption == "additive"]
        numbers = {
            name: sorted(spec.trials.first for spec in noisy if spec.model.name == name)
            for name in ARCHITECTURES
        }
        last = max(spec.trials.first for spec in specs)
        for name in FIGURES:
            assert numbers[name] == list(range(last + 1))
        further = [spec for spec in specs if spec.part == FURTHER]
        assert {spec.task.corruption for spec in further} == {"additive"}
        for spec in further:
            parent = spec.parents["sorter"].spec
            assert parent.id in robustness.parents
            assert (
                parent.draw == spec.draw == (spec.trials.first if protocol == "published" else None)
            )
            twin = next(one for one in noisy if (one.model, one.trials.first) == (spec.model, 0))
            other = replace(twin.parents["sorter"].spec, trials=parent.trials, draw=parent.draw)
            assert other == parent and replace(spec, part="").task == twin.task


def test_levels_hold_the_published_ones_and_the_one_that_keeps_lengths():
    published = (0, 2, 4, 5, 7, 10, 12, 15, 20, 30, 49)
    for spec in robustness.grid("laptop", "published"):
        levels = spec.task.levels
        assert {step / 49 for step in published} <= set(levels) and list(levels) == sorted(levels)
        extra = [level for level in levels if abs(12 * level**2 - 1) < 1e-12]
        assert len(levels) - len(extra) == len(PROTOCOLS["published"].levels.value)
        assert len(extra) == (spec.task.corruption == "linear")


def test_one_pass_tells_what_greedy_decoding_gets_right():
    """While a model learns to sort, so that some sequences are right and some are not."""
    spec = replace(PARENTS["simple"], task=replace(PARENTS["simple"].task, length=3))
    vectors = trial(PARENTS["simple"].task, 0, None).objects.vectors
    sequences = sorting_task.sequences(np.random.default_rng(0), 60, 3, len(vectors))
    truth = torch.from_numpy(sorting_task.argsort(sequences))
    source, model = torch.from_numpy(vectors[sequences]), made(spec, std=0.1)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    shares = []
    for _ in range(24):
        loss = cross_entropy(model(source, prefixes(truth)).flatten(0, 1), truth.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        found = answers(model, vectors, sequences)
        with torch.no_grad():
            decoded = greedy_decode(model, source, 3, start=3)
        expected = (decoded == truth).all(dim=1)
        assert torch.equal(found.right.all(dim=-1), expected)
        shares.append(expected.double().mean().item())
    assert min(shares) < 0.2 < 0.4 < max(shares) < 1


def test_relations_against_those_that_are_watched_one_sequence_at_a_time():
    """Softmax of the recorded inner products, layer by layer and head by head."""
    spec = PARENTS["abstractor"]
    data, model = trial(spec.task, 0, None), made(PARENTS["abstractor"])
    seen = answers(model, data.objects.vectors, data.split.test[:3]).relations  # (n, 2 h m m)
    seen = seen.unflatten(1, (2, spec.model.heads, 4, 4)).softmax(dim=-1)
    for index in range(3):
        watched = watch(spec, 0, model.state_dict(), index)
        for layer in range(2):
            expected = watched.relations[layer].float()
            assert torch.allclose(seen[index, layer], expected, atol=1e-4)


def test_relations_do_not_see_a_bias_of_the_keys():
    for name in ARCHITECTURES:
        model, data = made(PARENTS[name]), trial(PARENTS[name].task, 0, None)
        before = answers(model, data.objects.vectors, data.split.test[:3])
        for module in relating(model):
            torch.nn.init.normal_(module.key.bias, std=3.0)
        after = answers(model, data.objects.vectors, data.split.test[:3])
        assert torch.allclose(before.relations, after.relations, atol=1e-3)
        assert after.loss == pytest.approx(before.loss, rel=1e-4)


def test_drift_against_naive_geometry():
    generator = np.random.default_rng(0)
    clean, moved = generator.standard_normal((2, 6, 5))
    angles, distances = [], []
    for one, other in zip(clean, moved, strict=True):
        cosine = one @ other / np.sqrt((one @ one) * (other @ other))
        angles.append(1 - cosine)
        distances.append(np.sqrt(sum((one - other) ** 2)) / np.sqrt(sum(one**2)))
    found = drift(torch.from_numpy(clean), torch.from_numpy(moved))
    assert found == {
        "angle": pytest.approx(np.mean(angles)),
        "distance": pytest.approx(np.mean(distances)),
    }
    scaled = drift(torch.from_numpy(clean), torch.from_numpy(3 * clean))
    assert scaled == {"angle": pytest.approx(0, abs=1e-12), "distance": pytest.approx(2)}
    nothing = drift(torch.from_numpy(clean), torch.zeros(6, 5))
    assert nothing == {"angle": None, "distance": pytest.approx(1)}


def test_pairs_are_inner_products_of_distinct_objects():
    vectors = np.random.default_rng(0).standard_normal((6, 3))
    sequences = np.array([[4, 0, 2], [1, 5, 3]])
    found = pairs(vectors, sequences)
    for sequence, row in zip(sequences, found, strict=True):
        expected = [vectors[i] @ vectors[j] for i in sequence for j in sequence if i != j]
        assert row.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_level_zero_changes_nothing_but_under_the_linear_map(kind):
    spec = CHILDREN["simple", kind]
    found = robustness.compute(spec, given(made(PARENTS["simple"]))).metrics
    zero = {name.removesuffix("_0"): values[0] for name, values in found.items() if "_0" in name}
    assert len([name for name in found if name.startswith("full_sequence")]) == len(
        spec.task.levels
    )
    if kind == "linear":
        assert zero["objects_angle"] is None and zero["objects_distance"] == 1
        return
    assert zero["full_sequence_accuracy"] == pytest.approx(found["clean_accuracy"][0])
    teacher_forced = found["clean_teacher_forcing_accuracy"][0]
    assert zero["teacher_forcing_accuracy"] == pytest.approx(teacher_forced)
    for name in ("relations_angle", "relations_distance", "objects_angle", "objects_distance"):
        assert zero[name] == pytest.approx(0, abs=1e-6)


def test_the_same_draws_disturb_all_models_of_a_trial():
    first, second = (
        robustness.compute(CHILDREN[name, "linear"], given(made(PARENTS[name]))).metrics
        for name in ("abstractor", "transformer")
    )
    for name in first:
        if name.startswith("objects_"):
            assert first[name] == second[name]
    assert first["relations_angle_1"] != second["relations_angle_1"]
    other = replace(
        CHILDREN["abstractor", "linear"],
        parents={"sorter": replace(CHILDREN["abstractor", "linear"].parents["sorter"], trial=1)},
    )
    third = robustness.compute(other, given(made(PARENTS["abstractor"]))).metrics
    assert third["objects_angle_1"] != first["objects_angle_1"]


def test_too_many_sequences_are_told():
    spec = CHILDREN["simple", "additive"]
    spec = replace(spec, training=replace(spec.training, sequences=16))
    with pytest.raises(ValueError, match=r"draws is 2 of 16 sequences; .* has 30 test sequences"):
        robustness.compute(spec, given(made(PARENTS["simple"])))


def test_inner_products_of_random_maps_are_as_theory_says():
    """Over many draws; and a fingerprint that needs nothing else."""
    for spec in robustness.grid("smoke", "described"):
        if spec.parents:
            continue
        spec = replace(spec, training=replace(spec.training, draws=400))
        found = robustness.compute(spec, Context()).metrics
        for one, expected in (("scale", 0.15), ("spread", 0.15)):
            wanted = pytest.approx(found[f"{one}_expected"], rel=expected)
            assert found[one] == wanted
        if spec.task.corruption == "linear":
            assert found["scale_expected"] == pytest.approx([1, 1])


def test_runs_repeat_and_specs_round_trip():
    spec, context = CHILDREN["simple", "elementwise"], alone()
    assert outcome(spec, context).metrics == outcome(spec, context).metrics
    assert robustness.spec(spec.canonical()).id == spec.id
    parent = spec.parents["sorter"].spec
    assert sorting.spec(parent.canonical()).id == parent.id
    first = outcome(spec, replace(context, first_numbers=True))
    assert first.metrics == {} and first.fingerprint == outcome(spec, context).fingerprint

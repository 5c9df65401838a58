"""The strict bottleneck: sizes, masks that hold, probes that do not know objects by heart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.set.build import build as build_triples
from abstractor_lib.experiments.strict_bottleneck import facts, measures, probe, run, sentences
from abstractor_lib.experiments.strict_bottleneck.build import build, stack, states
from abstractor_lib.experiments.strict_bottleneck.probe import Probing
from abstractor_lib.experiments.strict_bottleneck.settings import PROTOCOLS, TASKS, models
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.tasks import set_game, sorting

EXPERIMENT = experiments.get("strict_bottleneck")
SMOKE = EXPERIMENT.grid("smoke", "sound")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
DIMS = {"order": 8, "set": 64, "sorting": 12}
PROBING = Probing(200, 60, 100, 8, 4)


def parts(name, arm):
    spec = next(s for s in LAPTOP if s.task.name == name and s.model.name == arm)
    return spec.model, spec.task, DIMS[name]


def relation_parameters(network):
    """Of what makes the relations of the first layer."""
    relational = stack(network).layers[0].relational
    if hasattr(relational, "relation"):
        made = [relational.relation]
    else:
        made = [relational.query, relational.key]
    return sum(p.numel() for part in made for p in part.parameters())


@pytest.mark.parametrize("name", TASKS)
def test_relations_have_about_as_many_parameters(name):
    one, other = (relation_parameters(build(*parts(name, arm))) for arm in ("full", "pairs"))
    assert abs(one - other) < 0.01 * one
    sizes = {}
    for arm in models(name, PROTOCOLS["sound"]):
        network = build(*parts(name, arm))
        sizes[arm] = sum(p.numel() for p in network.parameters())
    assert sizes["full"] == sizes["masked"] and sizes["pairs"] == sizes["pairs_masked"]
    assert abs(sizes["full"] - sizes["pairs"]) < 0.05 * sizes["full"]


@pytest.mark.parametrize("name", ["order", "set"])
def test_full_and_masked_are_the_networks_of_their_experiments(name):
    model, task, dim = parts(name, "full")
    made = {"order": run.order.build, "set": build_triples}[name]
    plain, ours = made(model.network, dim), build(model, task, dim)
    ours.load_state_dict(plain.state_dict())
    x = torch.randn(4, 2 if name == "order" else 3, dim)
    torch.testing.assert_close(plain.eval()(x), ours.eval()(x))


def test_sorting_with_the_diagonal_is_the_network_of_sorting():
    model, task, dim = parts("sorting", "full")
    plain, ours = run.sorting.build(model.network, task.data), build(model, task, dim, fused=True)
    ours.load_state_dict(plain.state_dict())
    x, y = torch.randn(2, 10, dim), torch.zeros(2, 10, dtype=torch.int64)
    torch.testing.assert_close(plain.eval()(x, y), ours.eval()(x, y))


@pytest.mark.parametrize("arm", ["full", "masked", "strict", "pairs", "pairs_masked"])
@pytest.mark.parametrize("name", ["order", "set"])
def test_what_a_change_of_one_object_moves(name, arm):
    """An object moves so that all that its relations to others see stays as it is. Its state stays
    exactly where the bottleneck is strict; else, in general, it moves."""
    torch.manual_seed(0)
    model, task, dim = parts(name, arm)
    network = build(model, task, dim).double().eval()
    with torch.no_grad():  # biases start at zero
        for key, value in network.named_parameters():
            if key.endswith("bias"):
                value.normal_()
        x = torch.randn(1, 2 if name == "order" else 3, dim, dtype=torch.float64)
        embed = network[0]
        relation = stack(network).layers[0].relational.relation
        if model.relation == "inner":
            one = relation.left.weight
            other = one if relation.right is None else relation.right.weight
            heads = (one.unflatten(0, (relation.relations, -1)),)
            heads += (other.unflatten(0, (relation.relations, -1)),)
            rest = embed(x[0, 1:])  # what sees the first object, without biases
            seen = [b @ a.T @ a2 for b in rest for a, a2 in zip(heads[1], heads[0], strict=True)]
            seen += [b @ a.T @ a2 for b in rest for a, a2 in zip(heads[0], heads[1], strict=True)]
            seen = torch.stack(seen) @ embed.weight
        else:
            rest = embed(x[0, 1:])
            seen = rest @ embed.weight
        free = torch.linalg.svd(seen, full_matrices=True)[2][torch.linalg.matrix_rank(seen) :]
        moved = x.clone()
        if len(free):
            moved[0, 0] += torch.randn(len(free), dtype=torch.float64) @ free
        gap = (states(network, x) - states(network, moved))[0, 0].abs().max()
    if arm == "strict":
        assert gap < 1e-9
    elif arm in ("full", "pairs", "pairs_masked") and len(free):
        assert gap > 1e-6


def test_masked_models_have_no_relation_of_an_object_to_itself():
    for name in TASKS:
        for arm in ("masked", "pairs_masked"):
            relational = stack(build(*parts(name, arm))).layers[0].relational
            assert not getattr(relational, "relation", relational).diagonal


def test_arms_share_their_data():
    first, *others = [s for s in SMOKE if s.task.name == "sorting"]
    one = run.Data(first)
    for spec in others:
        other = run.Data(spec)
        for part in ("train", "validation", "test"):
            pair = one.examples(part), other.examples(part)
            assert torch.equal(pair[0].inputs[0], pair[1].inputs[0])
        for a, b in zip(one.questions(), other.questions(), strict=True):
            assert np.array_equal(a.objects, b.objects)


def split(questions):
    bounds = np.cumsum(questions.sizes)[:-1]
    return np.split(questions.objects, bounds)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_probes_of_set_are_asked_about_cards_they_were_not_fitted_on(number):
    found = probe.of_set(np.random.default_rng(number), number, PROBING)
    firsts = [set(part[:, 0]) for part in split(found)]
    assert not firsts[0] & firsts[1] and not firsts[0] & firsts[2] and not firsts[1] & firsts[2]
    assert (np.sort(found.objects, axis=1)[:, 1:] != np.sort(found.objects, axis=1)[:, :-1]).all()
    digits = [[int(d) for d in np.base_repr(card + 81, 3)[-4:]] for card in found.objects[:, 0]]
    assert found.labels.tolist() == digits
    asked = [c for c in range(81) if sum(int(d) for d in np.base_repr(c, 3)) % 3 == number % 3]
    assert len(asked) == 27 and firsts[2] <= set(asked)
    assert (np.apply_along_axis(np.bincount, 0, set_game.attributes(np.array(asked))) == 9).all()


def test_probes_of_sorting_are_asked_about_new_objects_and_places_are_right():
    attributes = sorting.objects(np.random.default_rng(0)).attributes
    found = probe.of_sorting(np.random.default_rng(1), 1, attributes, 10, PROBING)
    firsts = [set(part[:, 0]) for part in split(found)]
    assert not firsts[0] & firsts[2] and len(firsts[2]) <= 12
    for objects, label, place in zip(found.objects, found.labels, found.answer, strict=True):
        assert len(set(objects)) == 10
        assert label.tolist() == [objects[0] // 12, objects[0] % 12]
        assert sorted(objects).index(objects[0]) == place.argmax()
    assert probe.chance(found) == pytest.approx((1 / 4 + 1 / 12) / 2)


def test_probes_of_order_have_other_second_objects_and_the_answer_tells_what_it_can():
    found = probe.of_order(np.random.default_rng(0), 32, Probing(496, 124, 372, 8, 1))
    seconds = [set(part[:, 1]) for part in split(found)]
    assert not seconds[0] & seconds[2] and not seconds[0] & seconds[1]
    # with the first before the second, its rank is in the lowest quarter in 220 of 496 pairs
    best = (np.array([31 - rank for rank in range(8)]).sum()) / 496
    score = probe.linear(found.answer.astype(float), found)
    assert best == 220 / 496 and score == pytest.approx(best, abs=0.08)


def test_a_network_reads_what_no_linear_probe_does():
    """The parity of two signs."""
    random = np.random.default_rng(0)
    signs = random.choice([-1.0, 1.0], size=(1200, 2))
    labels = (signs.prod(axis=1, keepdims=True) > 0).astype(np.int64)
    asked = probe.Questions(signs, labels, signs, (800, 200, 200))
    torch.manual_seed(0)
    probing = Probing(800, 200, 200, 16, 300)
    (score,) = probe.network([signs + 0.1 * random.normal(size=signs.shape)], [asked], probing)
    assert score > 0.95
    assert probe.linear(signs, asked) < 0.85  # a line can have three of four cases right


def test_shuffled_labels_are_shuffled_where_probes_are_fitted_alone():
    found = probe.of_set(np.random.default_rng(0), 0, PROBING)
    mixed = run.shuffled(found, np.random.default_rng(1))
    assert np.array_equal(mixed.labels[200:], found.labels[200:])
    before, after = (np.sort(one.labels[:200], axis=0) for one in (found, mixed))
    assert np.array_equal(before, after)
    assert not np.array_equal(mixed.labels[:200], found.labels[:200])


@pytest.fixture(scope="module")
def context():
    return alone()


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "spec",
    [s for s in SMOKE if s.model.name in ("full", "pairs_masked")],
    ids=lambda s: f"{s.task.name} {s.model.name}",
)
def test_a_run_tests_and_probes_each_trial(spec, context):
    assert EXPERIMENT.spec(spec.canonical()) == replace(spec, part="")
    found = outcome(spec, context).metrics
    names = {"test_accuracy", "own_chance", "own_answer_linear", "own_shuffled_linear"}
    names |= {
        f"own_{source}_{kind}"
        for source in ("states", "untrained", "inputs")
        for kind in ("linear", "network")
    }
    assert names <= set(found)
    for name in names:
        assert len(found[name]) == spec.trials.count
        assert all(0 <= one <= 1 for one in found[name])


def frames(tasks=TASKS, answer=0.34, untrained=0.4):
    rows = []
    for task in tasks:
        for size in (10, 20):
            for trial in range(6):
                for arm, gain in (("full", 0.1), ("masked", 0.0), ("pairs", -0.1)):
                    accuracy = 0.7 + gain + 0.01 * trial + size / 1000
                    row = {"variant": task, "size": size, "trial": trial, "model": arm}
                    row |= {"test_accuracy": accuracy, "own_states_network": 0.5 + gain}
                    row |= {"own_untrained_network": untrained, "own_answer_linear": answer}
                    rows.append({**row, "own_chance": 1 / 3})
    return {"sound": pd.DataFrame(rows)}


def test_leads_are_paired():
    points = measures.accuracy_lead(
        frames(), "sound", arms=["full", "masked"], tasks=["set", "sorting"]
    ).points
    assert points[0].label == "full over masked, set, n = 10, 6 trials"
    assert len(points) == 4
    for one in points:
        assert one.interval == pytest.approx((0.1, 0.1, 0.1, 6), abs=1e-9)
    metrics = ["own_states_network", "own_chance"]
    (point,) = measures.probe_lead(
        frames(), "sound", task="set", arms=["masked", "full"], metrics=metrics
    ).points
    assert point.interval.estimate == pytest.approx(0.5 - 1 / 3)
    with pytest.raises(NotRun, match="no run of strict on set"):
        measures.probe_lead(frames(), "sound", task="set", arms=["strict", "full"], metrics=metrics)


def test_an_object_and_its_negative_have_the_same_self_relations():
    (point,) = facts.sign_seen({}, "sound").points
    assert point.interval.estimate == 0 and point.computed


def test_sentences_with_and_without_records():
    for name in ("cost", "leak", "practice", "came_true"):
        assert getattr(sentences, name)({}).text == "(not run)"
        assert all(getattr(sentences, name)(frames()).because)
    assert "on order, SET and sorting" in sentences.cost(frames()).text
    text = sentences.leak(frames()).text
    assert "than the answer itself" not in text and "before training" not in text
    text = sentences.leak(frames(untrained=0.6)).text
    assert "it reads more before training than after: on order without 0.60; on SET w" in text
    assert "with the diagonal 0.60" not in text  # where it reads more after training
    text = sentences.leak(frames(answer=0.7)).text
    assert "it reads, on order, SET and sorting, less than the answer itself tells." in text
    assert sentences.cost(frames(("set",))).text == "(not run)"
    assert sentences.leak(frames(("set",))).text == "(not run)"

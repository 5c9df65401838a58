"""Sorters on longer sequences: equal sizes, the same data for all arms, what a run measures."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.length_generalisation import measures, run, sentences
from abstractor_lib.experiments.length_generalisation.grid import ARMS
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.nn import relative_buckets

EXPERIMENT = experiments.get("length_generalisation")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")
TASK = SMOKE[0].task


def built(name, seed=0):
    torch.manual_seed(seed)
    spec = next(s for s in LAPTOP if s.model.name == name)
    return run.Sorter(spec.model, spec.task).eval()


def given(length, count=7):
    known = run.objects(TASK, 0)
    one = run.draw(np.random.default_rng(length), TASK, known, count, length)
    return [torch.from_numpy(part) for part in one]


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def test_arms_have_equal_sizes_but_for_their_symbols_and_biases():
    """An Abstractor layer has as many parameters as an encoder layer."""
    sizes = {name: parameters(built(name)) for name in ARMS}
    least = sizes["transformer_none"]
    more = {name: size - least for name, size in sizes.items() if size != least}
    learned = 20 * 64  # a symbol for each position
    assert more == {
        "learned": learned,
        "learned_randomised": learned,
        "transformer_bias": 2 * 2 * 16,  # layers, heads, buckets
    }
    assert learned / least < 0.01


def test_the_grid_has_every_arm_with_every_seed():
    found = {(spec.model.name, spec.trials.first) for spec in LAPTOP}
    assert len(LAPTOP) == len(found) == 55
    assert len({spec.training for spec in LAPTOP}) == len({spec.task for spec in LAPTOP}) == 1


def test_no_bucket_of_the_relative_bias_is_left_untrained():
    """All offsets of 20 objects fall into buckets that those of 10 objects use."""
    model = next(s.model for s in LAPTOP if s.model.name == "transformer_bias")
    used = [
        set(relative_buckets(torch.arange(1 - n, n), model.buckets, model.farthest).tolist())
        for n in (10, 20)
    ]
    assert used[1] == used[0]


def test_all_arms_of_a_seed_see_the_same_sequences():
    one, other = SMOKE[0], SMOKE[-1]
    batches = [run.examples(spec)("train") for spec in (one, other)]
    for _ in range(3):
        first, second = (next(source) for source in batches)
        for a, b in zip(first.inputs, second.inputs, strict=True):
            assert torch.equal(a, b)
        assert torch.equal(first.targets, second.targets)


def test_argsorts_put_objects_in_their_order_and_inputs_are_those_objects():
    """Against the order of the objects that the vectors are looked up in."""
    known = run.objects(TASK, 0)
    objects, argsorts, positions = (part.numpy() for part in given(9))
    for row, order, places in zip(objects, argsorts, positions, strict=True):
        numbers = [int(np.flatnonzero((known.vectors == one).all(axis=1))[0]) for one in row]
        assert [numbers[k] for k in order] == sorted(numbers)
        assert len(set(numbers)) == 9
        assert (places == positions[0]).all()


def test_training_and_test_draw_other_sequences():
    """Of the shortest length, of which there are fewest, no test sequence is in 20 batches."""
    spec = next(s for s in LAPTOP if s.trials.first == 0)
    source, seen = run.examples(spec)("train"), set()
    for _ in range(20):
        seen |= {one.numpy().tobytes() for one in next(source).inputs[0][0]}
    for length in spec.task.trained:
        for part in ("test", "validation", "probe"):
            for block in run.blocks(spec.task, 0, part, length):
                assert not seen & {one.tobytes() for one in block.objects}
    whole = [
        {one.tobytes() for block in run.blocks(spec.task, 0, part, 5) for one in block.objects}
        for part in ("test", "validation", "probe")
    ]
    assert all(not a & b for a, b in combinations(whole, 2))
    assert [len(one) for one in whole] == [500, 128, 200]


def test_batches_have_every_length_of_the_training_and_no_other():
    source = run.examples(SMOKE[0])("train")
    lengths = [next(source).targets.shape[-1] for _ in range(200)]
    assert set(lengths) == set(TASK.trained) == set(range(5, 11))


RANDOMISED = [name for name, (_, _, randomised) in ARMS.items() if randomised]


@pytest.mark.parametrize("name", ARMS)
def test_who_reads_positions(name):
    """Randomised arms read the given ones; for others they change nothing."""
    model = built(name)
    objects, _, positions = given(8)
    spread = torch.tensor([0, 1, 3, 6, 8, 12, 15, 19]).expand_as(positions)
    first, second = (model.states(objects, one) for one in (torch.arange(8).expand(7, 8), spread))
    assert torch.allclose(first, second) == (name not in RANDOMISED)


@pytest.mark.parametrize("name", RANDOMISED)
def test_randomised_positions_at_full_length_are_all_positions(name):
    """So at length 20 a randomised arm computes what the arm with positions 0, 1, ... would."""
    plain, model = built(name.removesuffix("_randomised")), built(name)
    plain.load_state_dict(model.state_dict())
    objects, _, positions = given(20)
    assert torch.equal(positions[0], torch.arange(20))
    found, expected = (one.states(objects, positions) for one in (model, plain))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["learned", "relative", "transformer", "transformer_rotary"])
def test_states_know_the_order_of_the_objects_in_the_sequence(name):
    model = built(name)
    objects, _, positions = given(8)
    turned = model.states(objects.flip(1), positions).flip(1)
    assert not torch.allclose(turned, model.states(objects, positions), atol=1e-3)


def test_without_positions_states_move_with_the_objects():
    model = built("transformer_none")
    objects, _, positions = given(8)
    turned = model.states(objects.flip(1), positions).flip(1)
    torch.testing.assert_close(turned, model.states(objects, positions), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [n for n, (core, *_) in ARMS.items() if core == "abstractor"])
def test_an_abstractor_passes_no_object_on(name):
    """With all objects equal, states are the same whatever the objects are: relations of equal
    objects are uniform. A Transformer's states tell the objects."""
    model, other = built(name), built("transformer_none")
    objects, _, positions = given(8, 2)
    equal = objects[:, :1].expand(-1, 8, -1)  # two sequences, of another object each
    first, second = model.states(equal, positions)
    torch.testing.assert_close(first, second, rtol=1e-4, atol=1e-5)
    one, two = other.states(equal, positions)
    assert not torch.allclose(one, two, atol=1e-3)


def test_how_right_an_order_is_against_counting():
    random = np.random.default_rng(0)
    orders, truth = (random.permuted(np.tile(np.arange(6), (40, 1)), axis=1) for _ in range(2))
    found = run.right(orders, truth)
    for k, (order, true) in enumerate(zip(orders.tolist(), truth.tolist(), strict=True)):
        pairs = [order.index(a) < order.index(b) for a, b in combinations(true, 2)]
        assert found["pairs"][k] == pytest.approx(np.mean(pairs))
        assert found["elementwise_accuracy"][k] == np.mean(np.equal(order, true))
    same = run.right(truth, truth)
    assert all((values == 1).all() for values in same.values())
    assert run.right(truth[:, ::-1], truth)["pairs"].max() == 0
    assert found["pairs"].mean() == pytest.approx(0.5, abs=0.1)  # chance
    assert found["elementwise_accuracy"].mean() == pytest.approx(1 / 6, abs=0.1)


def test_the_probe_reads_what_is_linear_in_the_states():
    """Of a model whose states hold the rank among all objects, every pair is ordered rightly."""
    known = run.objects(TASK, 0)

    class Ranks(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Parameter(torch.from_numpy(known.vectors))

        def states(self, objects, positions):
            same = (objects[..., None, :] == self.table).all(dim=-1)
            return same.double().argmax(dim=-1, keepdim=True).double()

    read = run.probe(Ranks(), TASK, 0)
    objects, argsorts, positions = given(20, 30)
    orders = read(Ranks().states(objects, positions)).argsort(axis=1)
    assert run.right(orders, argsorts.numpy())["pairs"].min() == 1


@pytest.mark.first(4)
@pytest.mark.parametrize("spec", SMOKE, ids=lambda s: s.model.name)
def test_a_run_measures_every_length(spec):
    found = outcome(spec, alone()).metrics
    for length in spec.task.lengths:
        for name in ("full_sequence_accuracy", "elementwise_accuracy", "output_pairs"):
            assert 0 <= found[f"{name}_{length}"][0] <= 1
        for name in ("probe_pairs", "untrained_pairs", "attribute_pairs", "linear_pairs"):
            assert 0 <= found[f"{name}_{length}"][0] <= 1
        assert found[f"linear_pairs_{length}"][0] > 0.9
        # pairs of other main attributes are right; ties of equal ones, 11 of 47, half of the time
        share = 36 / 47 + 11 / 47 / 2
        assert found[f"attribute_pairs_{length}"][0] == pytest.approx(share, abs=0.15)
    assert found["parameters"][0] == parameters(built(spec.model.name))


def frames(**accuracies):
    """Five seeds of each arm, with these accuracies at lengths 10, 14 and 20."""
    rows = []
    for name in ARMS:
        at = accuracies.get(name, (0.9, 0.5, 0.1))
        for trial in range(5):
            row = {"model": name, "variant": ARMS[name][0], "trial": trial, "updates": 2000}
            for length, value in zip((10, 14, 20), at, strict=True):
                for metric in ("full_sequence_accuracy", "output_pairs"):
                    row[f"{metric}_{length}"] = value + trial / 1000
                row[f"probe_pairs_{length}"] = 0.9 * value
                row[f"untrained_pairs_{length}"] = 0.5
                row[f"attribute_pairs_{length}"], row[f"linear_pairs_{length}"] = 0.88, 0.97
                row[f"linear_full_sequence_accuracy_{length}"] = 0.3
            rows.append(row)
    return {"sound": pd.DataFrame(rows)}


def test_measures():
    table = frames(relative=(0.9, 0.6, 0.4), learned=(0.9, 0.1, 0.0))
    (point,) = measures.lead(table, "sound", models=["relative", "learned"], length=14).points
    assert point.interval.estimate == pytest.approx(0.5) and point.interval.low > 0.4
    (point,) = measures.kept(table, "sound", model="relative", length=14, share=0.5).points
    assert point.interval.estimate == pytest.approx(0.6 - 0.45, abs=0.01)
    (point,) = measures.kept(table, "sound", model="learned", length=14, share=0.5).points
    assert point.interval.high < 0
    points = measures.level(table, "sound", models=list(ARMS), length=10).points
    assert len(points) == 11 and points[0].interval.estimate == pytest.approx(0.902)
    with pytest.raises(NotRun, match="no full_sequence_accuracy of relative at length 17"):
        measures.level(table, "sound", models=["relative"], length=17)
    with pytest.raises(NotRun):
        measures.level({}, "sound", models=["relative"], length=14)


NAMES = ("answer", "randomised", "transformers", "probes", "practice", "against")
CARRIED = dict.fromkeys(ARMS, (1.0, 1.0, 1.0))
LOST = dict.fromkeys(("learned", "sinusoidal", "transformer"), (1.0, 0.3, 0.0))
LOST["learned"] = (1.0, 0.1, 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_sentences_follow_the_table_and_say_when_nothing_was_run(name):
    say = getattr(sentences, name)
    assert say({}).text == "(not run)" and say({}).because == (False,)
    assert all(say(frames(**CARRIED | LOST)).because)


def test_a_read_out_that_finds_all_is_not_said_to_find_less():
    found = frames(**CARRIED | LOST)
    found["sound"]["probe_pairs_20"] = 1.0
    found["sound"]["output_pairs_20"] = 0.9
    assert not all(sentences.probes(found).because)
    found["sound"]["probe_pairs_20"] = 0.8
    assert all(sentences.probes(found).because[1:])
    found["sound"]["linear_pairs_20"] = 0.7  # a script of single objects finds less than that
    assert not all(sentences.probes(found).because[1:])


def test_what_no_longer_carries_is_not_said_to():
    table = frames(**CARRIED | LOST | {"sinusoidal_randomised": (1.0, 0.9, 0.7)})
    assert not all(sentences.answer(table).because)
    assert not all(sentences.practice(table).because)
    table = frames(**CARRIED | LOST | {"sinusoidal": (1.0, 0.1, 0.0)})  # not even in part
    assert not all(sentences.answer(table).because)
    table = frames(**CARRIED | LOST | {"transformer_none": (1.0, 0.9, 0.4)})
    assert not all(sentences.answer(table).because)
    assert not all(sentences.transformers(table).because)
    assert sentences.transformers(table).values["least"] == pytest.approx(0.4, abs=0.01)

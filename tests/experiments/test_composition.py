"""One Abstractor and chains on relations between relations: networks, data, scripts, measures."""

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib import nn as lib
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.composition import measures, run, settings
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.tasks import pairs
from abstractor_lib.training.examples import first

EXPERIMENT = experiments.get("composition")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")
TASKS = ("rises", "rank", "same", "alike")
ARMS = [name for name in settings.NAMES if name != "mlp"]


def spec_of(grid, model, task):
    return next(s for s in grid if (s.model.name, s.task.name) == (model, task))


def built(model, task="alike", grid=LAPTOP):
    spec = spec_of(grid, model, task)
    return run.build(spec.model, spec.task)


def size(module):
    return sum(one.numel() for one in module.parameters())


@pytest.mark.parametrize("task", TASKS)
def test_models_have_as_many_parameters_within_one_percent(task):
    sizes = {name: size(built(name, task)) for name in ARMS}
    assert max(sizes.values()) / min(sizes.values()) < 1.01
    assert size(built("mlp", task)) > max(sizes.values())
    networks = [size(built(f"{name}_network", task)) for name in ("two_layers", "chain")]
    assert max(networks) / min(networks) < 1.01


def test_all_but_one_have_two_layers_of_attention():
    def depth(name):
        return sum(isinstance(part, lib.MultiHeadAttention) for part in built(name).modules())

    assert {name: depth(name) for name in ARMS} == dict.fromkeys(ARMS, 2) | {"one_layer": 1}


def test_relations_are_between_objects_in_one_abstractor_and_between_states_in_a_chain():
    """What the query projection of each layer reads, in the same forward pass."""
    objects = torch.randn(2, 8, 18)
    seen = {}
    for name in ("two_layers", "chain"):
        model = built(name)
        found = seen.setdefault(name, [])
        for part in model.modules():
            if isinstance(part, lib.RelationalCrossAttention):
                part.query.register_forward_hook(lambda _, given, __, to=found: to.append(given[0]))
        model(objects)
    embedded, again = seen["two_layers"]
    assert torch.equal(embedded, again)
    embedded, states = seen["chain"]
    assert embedded.shape == states.shape and not torch.allclose(embedded, states)


def test_a_linear_read_out_sees_one_object_and_a_network_sees_all():
    """What the answers of the first object depend on, through the states alone."""
    for name, all_seen in (("two_layers", False), ("two_layers_network", True)):
        model = built(name)
        states = torch.randn(1, 8, 32, requires_grad=True)
        scores = model.readout(states).reshape(1, *model.shape)
        (slope,) = torch.autograd.grad(scores[0, 0].sum(), states)
        felt = (slope[0] != 0).any(dim=-1)
        assert felt[0] and bool(felt[1:].any()) == all_seen


def test_one_layer_and_an_unchanged_row_of_relations_give_the_same_answer():
    """Lemma 3.1: the state of an object is a function of its own relations. Other objects that are
    turned about it, so that their relations to each other change and those to it do not, leave it
    as it is in one layer, and not in a chain."""
    torch.manual_seed(0)
    model, chain = built("one_layer", "rank").double(), built("chain", "rank").double()
    for part in model.modules():
        if isinstance(part, lib.RelationalCrossAttention):  # relations <x, y> of the objects' parts
            for projection in (part.query, part.key):
                torch.nn.init.zeros_(projection.weight)
                torch.nn.init.zeros_(projection.bias)
                projection.weight.data[:4, :4] = torch.eye(4, dtype=torch.float64)
    for body in (model.body, chain.body):
        torch.nn.init.zeros_(body[0].weight)
        body[0].weight.data[:10, :10] = torch.eye(10, dtype=torch.float64)
    objects = torch.from_numpy(pairs.objects(np.random.default_rng(0), np.zeros((1, 4, 1)), 4))
    objects[0, 0, :4] = torch.tensor([2.0, 0, 0, 0])
    turned = objects.clone()
    turned[0, 3, 1:4] = -turned[0, 3, 1:4]  # its relation to object 0 is the same
    model.readout = chain.readout = torch.nn.Identity()
    model.shape = chain.shape = (8, 32)
    for network, same in ((model, True), (chain, False)):
        before, after = network(objects)[0, 0], network(turned)[0, 0]
        assert torch.allclose(before, after, atol=1e-12) == same


def test_every_model_of_a_seed_sees_the_same_and_no_part_shares_examples():
    seen = {}
    for name in ("chain", "mlp"):
        spec = spec_of(SMOKE, name, "same")
        for part in ("train", "validation", "test"):
            found = run.examples(spec)(part)
            batch = next(found) if part == "train" else found
            seen.setdefault(part, []).append(batch)
    for one, other in seen.values():
        assert torch.equal(first(one.inputs), first(other.inputs))
        assert torch.equal(first(one.targets), first(other.targets))
    rows = {
        part: {row.numpy().tobytes() for row in first(found[0].inputs)[0]}
        for part, found in seen.items()
    }
    assert len(set.union(*rows.values())) == sum(map(len, rows.values()))


@pytest.mark.parametrize("name", TASKS)
def test_labels_against_a_loop_over_the_objects(name):
    """Cosines are computed from the vectors, object by object."""
    spec = spec_of(SMOKE, "chain", name)
    found = run.fixed(spec, "validation")
    attributes, dim = spec.task.attributes, spec.task.dim
    for row, told in zip(first(found.inputs)[0].double(), first(found.targets)[0], strict=True):
        relations = []
        for place in range(0, 8, 2):
            parts = [row[place + side, : attributes * dim].split(dim) for side in (0, 1)]
            relations.append(
                [round(torch.cosine_similarity(a, b, dim=0).item(), 4) for a, b in zip(*parts)]  # noqa: B905
            )
        assert torch.equal(told[::2], told[1::2])
        for i, one in enumerate(relations):
            if name == "rises":
                wanted = [-100] if i == 0 else [int(one > relations[i - 1])]
            elif name == "rank":
                wanted = [sorted(relations).index(one)]
            elif name == "same":
                wanted = [int(one == other) for other in relations]
            else:
                wanted = [int(np.dot(one, other) > spec.task.threshold) for other in relations]
            if len(wanted) > 1:
                wanted[i] = -100
            assert told[2 * i].tolist() == wanted


@pytest.mark.parametrize("spec", SMOKE, ids=lambda s: f"{s.model.name} {s.task.name}")
def test_a_run_measures_what_it_says(spec):
    found = outcome(spec, alone()).metrics
    assert all(0 <= found[f"{one}_accuracy"][0] <= 1 for one in ("test", "own", "full_sequence"))
    assert found["script_accuracy"] == [1.0]
    assert found["parameters"][0] == size(run.build(spec.model, spec.task))
    assert ("number_accuracy" in found) == (spec.task.name == "same")


def test_accuracy_leaves_out_what_is_not_asked():
    """A model that is right wherever it is asked has accuracy 1, whatever it says elsewhere."""
    spec = spec_of(SMOKE, "chain", "rises")
    found = run.fixed(spec, "test")
    truth = first(found.targets)[0].numpy()
    assert run.share(np.where(truth == pairs.NO_ANSWER, 7, truth), truth) == 1.0
    assert run.share(1 - truth, truth) == 0.0


def frames(leads=(0.2, 0.0, 0.0, -0.2)):
    """Ten seeds of a chain, whose accuracy is ahead by so much on each task."""
    rows = []
    for task, lead in zip(TASKS, leads, strict=True):
        for k in range(10):
            row = {"variant": task, "trial": k, "own_accuracy": 0.5}
            rows.append({**row, "model": "chain", "test_accuracy": 0.7 + lead + k / 1000})
            rows.append({**row, "model": "two_layers", "test_accuracy": 0.7 + k / 1000})
    return {"sound": pd.DataFrame(rows)}


def test_leads_of_small_tables():
    models = {"models": ["chain", "two_layers"], "tasks": list(TASKS)}
    points = measures.leads(frames(), "sound", **models).points
    assert [point.interval.estimate for point in points] == pytest.approx([0.2, 0, 0, -0.2])
    (point,) = measures.largest_lead(frames(), "sound", **models).points
    assert point.interval.estimate == pytest.approx(0.2) and point.interval.low > 0.19
    assert "rises" in point.label and "largest of 4 tasks" in point.label
    (point,) = measures.largest_lead(frames((0, 0, 0, 0)), "sound", **models).points
    assert point.interval.low < 0 < point.interval.high < 0.1


def test_a_lead_over_a_model_below_the_best_guess_says_so():
    found = frames()["sound"]
    behind = {"sound": found.assign(own_accuracy=0.8)}  # two layers have 0.7045
    models = {"models": ["chain", "two_layers"], "tasks": ["rises"]}
    (point,) = measures.leads(behind, "sound", **models).points
    assert point.label.endswith("learned little: 0.70, the best guess from the own pair has 0.80")
    (point,) = measures.leads(frames(), "sound", **models).points
    assert point.label.endswith("10 seeds")


def test_the_largest_lead_may_be_that_of_a_task_with_few_certain_seeds():
    """The upper end is that of any task, not that of the task with the largest difference."""
    found = frames((0.1, 0.09, 0, 0))
    rows = found["sound"]
    wide = rows["variant"].eq("rank") & rows["model"].eq("chain")
    rows.loc[wide, "test_accuracy"] += np.where(rows.loc[wide, "trial"] % 2, 0.1, -0.1)
    models = {"models": ["chain", "two_layers"], "tasks": list(TASKS)}
    each = [point.interval for point in measures.leads(found, "sound", **models).points]
    (point,) = measures.largest_lead(found, "sound", **models).points
    assert point.interval.high == each[1].high > each[0].high
    assert point.interval.low == each[0].low > each[1].low


def test_levels_and_guesses_of_small_tables():
    (point,) = measures.level(frames(), "sound", model="chain", task="rises").points
    assert point.interval.estimate == pytest.approx(0.9045)
    chain = {"model": "chain", "tasks": list(TASKS)}
    points = measures.over_guess(frames(), "sound", **chain).points
    assert points[0].interval.estimate == pytest.approx(0.4045)
    (point,) = measures.largest_over_guess(frames(), "sound", **chain).points
    assert point.interval.estimate == pytest.approx(0.4045)
    with pytest.raises(NotRun, match="no run of"):
        measures.level(frames(), "sound", model="mlp", task="rises")
    with pytest.raises(NotRun, match="the sound grid is incomplete"):
        measures.leads({}, "sound", models=["chain", "two_layers"], tasks=list(TASKS))

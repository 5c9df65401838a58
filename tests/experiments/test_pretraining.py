"""The pre-training experiment: which data each stage sees, what is moved, what is scored."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.pretraining import EXPERIMENT as pretraining
from abstractor_lib.experiments.pretraining import measures
from abstractor_lib.experiments.pretraining.grid import BETWEEN, MOST
from abstractor_lib.experiments.pretraining.run import permuted, scores, transfer, trial
from abstractor_lib.experiments.pretraining.settings import (
    MOVED,
    NAMES,
    ONE_EACH,
    PARTS,
    PROTOCOLS,
    models,
)
from abstractor_lib.experiments.sorting import EXPERIMENT as sorting
from abstractor_lib.experiments.sorting.run import build, prefixes
from abstractor_lib.experiments.sorting.run import trial as sorting_trial
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.findings.published import published
from abstractor_lib.nn import greedy_decode
from abstractor_lib.training.fit import Examples

SPECS = {name: pretraining.grid("laptop", name) for name in PROTOCOLS}
COLUMNS = {
    name: [pretraining.columns(spec.canonical()) for spec in specs] for name, specs in SPECS.items()
}
AMOUNT = pretraining.profiles["laptop"]
SMOKE = pretraining.grid("smoke", "described")


def children(protocol, **columns):
    """Specs of a laptop grid with the given values of their columns."""
    found = zip(SPECS[protocol], COLUMNS[protocol], strict=True)
    return [spec for spec, known in found if columns.items() <= known.items()]


@pytest.fixture(scope="module")
def context():
    """Parents are computed by the code as it is, each once."""
    return alone()


def smoke(**columns):
    return next(
        spec for spec in SMOKE if columns.items() <= pretraining.columns(spec.canonical()).items()
    )


def randomised(spec, seed=0):
    """A model of a spec with weights large enough that its answers differ."""
    torch.manual_seed(seed)
    model = build(spec.model, spec.task).eval()
    for part in model.parameters():
        torch.nn.init.normal_(part, std=0.5)
    return model


def test_arms_start_from_the_models_that_they_name():
    for protocol in ("described", "sound"):
        for spec in SPECS[protocol]:
            known = pretraining.columns(spec.canonical())
            number = spec.trials.first
            if known["arm"] == "none":
                assert not spec.parents
                continue
            (parent,) = spec.parents.values()
            origin = pretraining.columns(parent.spec.canonical())
            assert origin["variant"] == "pretraining" and parent.spec.protocol == "described"
            assert parent.spec.model == spec.model and parent.spec.task.train == 3000
            assert known["order"] == "standard"
            assert origin["order"] == ("permuted" if known["arm"] == "permuted" else "standard")
            next_one = known["arm"] == "new_objects"
            assert parent.trial == ((number + 1) % MOST if next_one else number)
            assert parent.spec.trials.first == parent.trial


def test_both_protocols_of_ours_start_from_the_same_models():
    """They are runs of one grid, computed once: those that children name, and no others."""
    named = {
        protocol: {one.spec.id for spec in SPECS[protocol] for one in spec.parents.values()}
        for protocol in PROTOCOLS
    }
    assert named["sound"] <= named["described"]
    stage = {spec.id for spec in children("described", variant="pretraining")}
    stated = {spec.id for spec in children("described", variant="pretraining", budget="stated")}
    assert stage == named["described"] and stated <= stage and not stated & named["sound"]
    kinds = Counter(
        (one.model.name, one.task.order, one.task.budget, one.trials)
        for one in children("described", variant="pretraining")
    )
    assert len(kinds) == len(stage) and {one[0] for one in kinds} == set(NAMES)
    assert {number for *_, trials in kinds for number in trials} <= set(range(MOST))
    for name in NAMES:  # a child starts from the model of its own number
        own, parents = (
            {one.trials.first for one in children("described", network=name, **which)}
            for which in (
                {"variant": "curve", "budget": "stated"},
                {"variant": "pretraining", "budget": "stated"},
            )
        )
        assert own == parents == set(range(len(own))) != set()
    assert not children("sound", variant="pretraining")
    assert {spec.draw for spec in children("published", variant="pretraining")} == {0}
    assert len(named["published"]) == len(NAMES)  # one for all trials
    known = set(pretraining.parents)
    assert known >= named["described"] | named["published"]


def test_more_trials_can_be_added_where_a_claim_hangs_on_them():
    """Their parents are known beforehand, so that records of a grid that shrinks stay readable."""
    spec = children("sound", model="simple_new_objects", size=300)[0]
    (parent,) = spec.parents.values()
    for at in range(MOST):
        number = replace(parent.spec.trials, first=at)
        assert replace(parent.spec, trials=number, keep=()).id in pretraining.parents


def test_budgets_are_those_of_the_protocols():
    found = {
        protocol: {
            (name, spec.training.epochs, spec.training.updates, spec.training.batch_size)
            for name in NAMES
            for spec in children(protocol, network=name, variant="curve")
        }
        for protocol in PROTOCOLS
    }
    assert found["described"] == {(name, 100, None, 512) for name in NAMES}
    assert found["published"] == {("simple", 400, None, 512), ("transformer", 200, None, 512)}
    assert found["sound"] == {(name, None, 1500, 128) for name in NAMES}
    stage = children("described", variant="pretraining", budget="ample")
    assert {(one.training.updates, one.training.goal) for one in stage} == {(6000, 0.99)}
    for one in children("described", budget="stated"):  # both stages, as v3 B.2.1 has them
        rules = one.training
        assert (rules.epochs, rules.updates, rules.batch_size, rules.goal) == (100, None, 512, None)
        assert rules.restore == "best" and rules.monitor == "validation" and one.part
        assert one.task.train == 3000 or one.task.stage == "main"
    assert {one.training.goal for one in children("sound", variant="curve")} == {0.995}
    moved = {
        protocol: {
            spec.model.name: spec.task.moved
            for spec in children(protocol, variant="curve", arm="same")
        }
        for protocol in PROTOCOLS
    }
    every = {"simple": "everything", "transformer": "everything"}
    assert moved["described"] == moved["sound"] == every
    assert moved["published"] == every | {"transformer": "layers_of_decoder"}


def test_every_model_has_all_sizes_and_trials_in_every_arm():
    """Of the main part: sizes that were chosen later may have more trials, none has fewer."""
    for protocol in PROTOCOLS:
        for name in NAMES:
            for arm in PROTOCOLS[protocol].arms.value:
                trials = {}
                for one in children(protocol, network=name, arm=arm, variant="curve"):
                    if not one.part:
                        trials.setdefault(one.task.train, []).append(one.trials.first)
                assert set(trials) >= set(AMOUNT.sizes)
                for numbers in trials.values():
                    assert numbers == list(range(len(numbers))) and len(numbers) >= AMOUNT.trials


def test_further_sizes_complete_both_models_of_a_ratio():
    """The same trials of both, those of the main part included; no arm of others."""
    for protocol in ("described", "sound"):
        further = [one for one in SPECS[protocol] if one.part == BETWEEN]
        assert {one.model.name for one in further} == {"simple"}
        assert {one.task.arm for one in further} == {"none", "new_objects"}
        asked = PROTOCOLS[protocol].between.value
        assert {one.task.train for one in further} == {n for one in asked for n in one.sizes}
        for n in {one.task.train for one in further}:
            first, second = (
                sorted(one.trials.first for one in some)
                for some in (
                    children(protocol, network="simple", arm=arm, size=n, variant="curve")
                    for arm in ("none", "new_objects")
                )
            )
            assert first == second == list(range(max(one.trials for one in asked)))
    assert not any(one.part == BETWEEN for one in SPECS["published"])


def test_the_transformer_has_the_last_size_of_v3_with_and_without_pretraining_as_stated():
    figure = published("fig_v3_05a", "Transformer")
    last = children("described", size=figure["x"].max(), variant="curve")
    assert all(one.model.name == "transformer" and one.part for one in last)
    trials = {}
    for one in last:
        trials.setdefault((one.task.arm, one.task.budget), []).append(one.trials.first)
    (without, after) = (trials["none", "ample"], trials["permuted", "stated"])
    assert without == after == list(range(len(after))) and len(after) >= figure["n"].max()


def test_no_sequence_is_seen_in_both_stages():
    """Counted with sets of tuples, where nearly all sequences that there are have been drawn."""
    seen = []
    for spec in (smoke(arm="same"), smoke(model="simple_permuted", variant="pretraining")):
        found = trial(spec.task, 0, None)
        for part, count in zip(
            found.split, (spec.task.train, spec.task.validation, spec.task.test), strict=True
        ):
            assert len(part) == count
            seen += map(tuple, part.tolist())
    assert len(set(seen)) == len(seen) == 20 + 20 + 30 + 40 + 20 + 30


def test_the_main_stage_has_the_data_of_sorting():
    task = replace(children("described", size=300)[0].task, pool=400, validation=20, test=20)
    plain = sorting.grid("laptop", "described")[0].task
    plain = replace(plain, train=300, pool=400, validation=20, test=30)
    found, wanted = trial(task, 2, None), sorting_trial(plain, 2, None)
    assert np.array_equal(found.objects.vectors, wanted.objects.vectors)
    assert np.array_equal(found.split.train, wanted.split.train)
    assert np.array_equal(found.split.test, wanted.split.test[:20])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("counts", [(2, 3), (4, 12)])
def test_the_permuted_order_moves_the_first_attribute_alone(seed, counts):
    """Sorted objects, told apart by a plain comparison of their attributes."""
    first, second = counts
    ranks = permuted(np.random.default_rng(seed), counts)
    attributes = [divmod(number, second) for number in range(first * second)]
    assert sorted(ranks) == list(range(first * second))
    assert (ranks != np.arange(first * second)).any()
    in_order = [attributes[number] for number in np.argsort(ranks)]
    values = [a for a, _ in in_order[::second]]
    assert sorted(values) == list(range(first))
    assert in_order == [(a, b) for a in values for b in range(second)]


def test_every_permutation_but_the_identity_is_drawn_alike():
    random = np.random.default_rng(0)
    drawn = [tuple(permuted(random, (3, 1))) for _ in range(1000)]
    found = {one: drawn.count(one) for one in set(drawn)}
    assert len(found) == 5 and (0, 1, 2) not in found
    assert max(found.values()) - min(found.values()) < 80  # 200 each, give or take 3 x 13


def test_permuted_sequences_are_sorted_by_the_permuted_ranks(context):
    """The same object vectors as the standard order's; answers by Python's own sort."""
    one = smoke(model="simple_standard", variant="pretraining")
    other = replace(one, task=replace(one.task, order="permuted"))
    standard, moved = (trial(spec.task, 1, None) for spec in (one, other))
    assert np.array_equal(standard.objects.vectors, moved.objects.vectors)
    assert np.array_equal(standard.split.train, moved.split.train)
    examples = moved.examples("train", other, context)
    for sequence, answer in zip(moved.split.train, examples.targets[0].tolist(), strict=True):
        wanted = sorted(range(len(sequence)), key=lambda place: moved.ranks[sequence[place]])
        assert answer == wanted
    plain = standard.examples("train", one, context)
    assert torch.equal(plain.inputs[0], examples.inputs[0])
    assert not torch.equal(plain.targets, examples.targets)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("moved", [name for name in MOVED if name != "nothing"])
def test_exactly_the_named_parts_are_moved(name, moved):
    """Tensor by tensor, against the modules themselves."""
    spec = replace(SMOKE[0], model=models()[name])
    child, parent = randomised(spec, 1), randomised(spec, 2)
    before = {key: value.clone() for key, value in child.state_dict().items()}
    modules = {part: getattr(parent, part) for part in PARTS}
    has = {part: one for part, one in modules.items() if one is not None and list(one.parameters())}
    if not set(MOVED[moved]) & set(has):
        with pytest.raises(ValueError, match=r"parts is \('.*',\); the model has source"):
            transfer(child, parent.state_dict(), MOVED[moved])
        return
    names = transfer(child, parent.state_dict(), MOVED[moved])
    wanted = {
        f"{part}.{key}"
        for part, module in has.items()
        if part in MOVED[moved]
        for key in module.state_dict()
    }
    assert set(names) == wanted
    for key, value in child.state_dict().items():
        source = parent.state_dict() if key in wanted else before
        assert torch.equal(value, source[key]), key
    assert moved == "everything" or len(names) < len(before)


def test_single_parts_are_moved_where_a_model_has_them():
    found = {
        (spec.model.name, spec.task.moved, spec.task.train)
        for spec in children("described", variant="part")
    }
    assert found == {
        (name, moved, AMOUNT.part_sizes[name])
        for name, lacks in (("simple", "encoder"), ("transformer", "abstractor"))
        for moved in ONE_EACH
        if moved != lacks
    }
    assert not children("sound", variant="part") and not children("published", variant="part")


@pytest.mark.parametrize("name", NAMES)
def test_one_pass_scores_what_greedy_decoding_does(name, context):
    spec = replace(smoke(arm="none", size=20, variant="curve"), model=models()[name])
    model = randomised(spec)
    data = trial(spec.task, 0, None)
    right = data.examples("test", spec, context)
    sources = right.inputs[0]
    decoded = greedy_decode(model, sources[0], spec.task.length, start=spec.task.length)
    answers = right.targets.clone()
    answers[0, ::2] = decoded[::2]  # so that some are right
    examples = Examples((sources, prefixes(answers)), answers)
    found = scores(model.state_dict(), examples, spec)
    whole = (decoded == answers[0]).all(dim=-1).double().mean().item()
    assert found["full_sequence_accuracy"] == pytest.approx(whole) and 0 < whole < 1
    forced = model(sources[0], prefixes(answers)[0]).argmax(dim=-1) == answers[0]
    assert found["teacher_forcing_accuracy"] == pytest.approx(forced.double().mean().item())


def test_a_child_says_what_its_parent_has_learned(context):
    child = smoke(model="simple_new_objects", variant="curve")
    (parent,) = child.parents.values()
    one, other = outcome(child, context), outcome(parent.spec, context)
    assert one.metrics["parent_accuracy"] == other.metrics["own_accuracy"]
    assert one.metrics["parent_learned"] == other.metrics["learned"] == [0.0]


def test_first_numbers_of_a_child_do_not_depend_on_its_parent(context):
    """They are asked for where the parent's weights, which do not ship, are not."""
    child = smoke(model="transformer_permuted", variant="curve")
    whole = outcome(child, context)
    first = outcome(child, replace(context, first_numbers=True, load=None))
    assert first.fingerprint == whole.fingerprint and len(first.fingerprint) == 1
    assert whole.first_losses[0] != next(iter(whole.fingerprint.values()))[0]


def test_a_child_that_takes_everything_begins_where_its_parent_ended(context):
    """Its first loss, without dropout, is that of the parent on the child's first batch."""
    child = smoke(model="simple_same", variant="curve", size=20)
    still = replace(child.model, dropout=0.0)
    (parent,) = child.parents.values()
    parent = replace(parent, spec=replace(parent.spec, model=still))
    child = replace(child, model=still, parents={"pretrained": parent})
    found = outcome(child, context)
    state = context.load(parent)
    model = build(still, child.task).eval()
    model.load_state_dict(state)
    examples = trial(child.task, child.trials.first, None).examples("train", child, context)
    outputs = model(*(given[0] for given in examples.inputs))
    loss = torch.nn.functional.cross_entropy(outputs.flatten(0, 1), examples.targets.flatten())
    assert found.first_losses[0] == pytest.approx(loss.item(), rel=1e-5)


def trials(model, accuracies, learned=None):
    """Rows of trials, ``size -> an accuracy each``, and whether their parents have learned."""
    return pd.DataFrame(
        {"model": model, "variant": "curve", "draw": None, "trial": at, "size": size}
        | {"full_sequence_accuracy": accuracy, "converged": 1}
        | {"parent_learned": None if learned is None else learned[at]}
        for size, values in accuracies.items()
        for at, accuracy in enumerate(values)
    )


def test_what_is_saved_counts_trials_whose_parents_have_learned():
    """Of eight trials two have parents that have not learned, and these alone save nothing."""
    measure = pretraining.measure("saved")
    learned = [1.0] * 6 + [0.0] * 2
    without = trials("simple", {100: [0.0] * 8, 300: [0.0] * 8, 1000: [1.0] * 8})
    after = {100: [1.0] * 6 + [0.0] * 2, 300: [1.0] * 6 + [0.0] * 2, 1000: [1.0] * 8}
    frames = {"sound": pd.concat([without, trials("simple_same", after, learned)])}
    (point,) = measure(frames, "sound", models=["simple_same", "simple"], level=0.5).points
    assert point.interval.n == 6
    assert point.interval.low == pytest.approx(300 / 100)  # above 300, against at most 100
    every = {"sound": frames["sound"].assign(parent_learned=1.0)}
    (point,) = measure(every, "sound", models=["simple_same", "simple"], level=0.5).points
    assert point.interval.n == 8 and point.interval.low < 1
    none = {"sound": pd.concat([without, trials("simple_same", after, [0.0] * 8)])}
    with pytest.raises(NotRun, match="no run of simple_same under sound"):
        measure(none, "sound", models=["simple_same", "simple"], level=0.5)


def test_sequences_saved_are_differences_within_trials():
    """Of three trials one saves 200 to 1,000 sequences, one more than 700; one costs up to 300."""
    columns = {"variant": "curve", "draw": None, "size": [100, 300, 1000]}
    curves = {
        ("simple_same", 0): [1, 1, 1],  # at most 100
        ("simple", 0): [0, 0, 1],  # 300 to 1,000
        ("simple_same", 1): [0, 1, 1],  # 100 to 300
        ("simple", 1): [0, 0, 0],  # more than 1,000
        ("simple_same", 2): [0, 1, 1],
        ("simple", 2): [1, 1, 1],
    }
    rows = [
        pd.DataFrame(columns | {"model": model, "trial": trial, "full_sequence_accuracy": values})
        for (model, trial), values in curves.items()
    ]
    wanted = {"models": ["simple_same", "simple"], "level": 0.5}
    frames = {"p": pd.concat(rows)}
    assert measures.sequences(frames, "p", **wanted, trials=1) == (200, 1000)
    assert measures.sequences(frames, "p", **wanted) == (200, 1000)
    assert measures.in_words(*measures.sequences({"p": pd.concat(rows[2:4])}, "p", **wanted)) == (
        "more than 700"
    )
    assert measures.sequences({"p": pd.concat(rows[4:])}, "p", **wanted) == (-300, 0)
    with pytest.raises(NotRun):
        measures.sequences(frames, "p", models=["simple_permuted", "simple"], level=0.5)

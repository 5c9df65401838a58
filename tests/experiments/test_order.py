"""The order experiment: counts, data, metrics, and what its shipped weights do."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib import paths
from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.order import inspect
from abstractor_lib.experiments.order.run import Trial, build, by_inference, compute, trial
from abstractor_lib.experiments.order.settings import PROTOCOLS, models
from abstractor_lib.experiments.protocol import settings_table, shared_settings
from abstractor_lib.findings import claims, statistics
from abstractor_lib.findings.published import published
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting.study import Study, measure_of
from abstractor_lib.tasks.order import Split, closure, pairs, precedes

PRINTED = [  # totals printed in the public notebooks: model, d, count
    (row.series, row.x, row.mean) for row in published("order_parameters").itertuples()
]
# The text's Abstractor has no layer norm (128 parameters fewer in its core: 20,800 instead of
# 20,928), and cross-entropy takes a second output (32 weights and a bias more).
DESCRIBED = {
    "abstractor": 25_665 - 128 + 33,
    "corelnet_symmetric": 4_865 + 33,
    "corelnet_asymmetric": 8_961 + 33,
    "abstractor_v1": 29_633 + 33,
    "corelnet_v1": 769 + 33,
    "transformer": 29_953 + 33,
}


def count(protocol, model, dim):
    module = build(models(PROTOCOLS[protocol])[model], dim)
    return sum(part.numel() for part in module.parameters())


@pytest.mark.parametrize("protocol", ["published", "sound"])
@pytest.mark.parametrize(("model", "dim", "printed"), PRINTED)
def test_parameter_counts_are_those_printed(protocol, model, dim, printed):
    assert count(protocol, model, dim) == printed


@pytest.mark.parametrize("model", DESCRIBED)
def test_parameter_counts_as_described(model):
    assert count("described", model, 8) == DESCRIBED[model]


def core(protocol, model):
    """Parameters between the embedding and the head."""
    return sum(p.numel() for p in build(models(PROTOCOLS[protocol])[model], 8)[1].parameters())


@pytest.mark.parametrize(
    ("protocol", "model", "printed"),
    [
        ("published", "abstractor", 20_928),
        ("described", "abstractor", 20_800),
        ("published", "abstractor_v1", 24_896),
        ("published", "transformer", 25_216),
    ],
)
def test_core_counts_of_the_pairwise_rows(protocol, model, printed):
    assert core(protocol, model) == printed


def test_four_heads_have_the_projections_of_one():
    """The multi-head CoRelNet differs from the asymmetric one in its head's inputs alone: 16
    numbers instead of 4, times 32 units."""
    heads, one = (count("published", f"corelnet_{name}", 8) for name in ("multihead", "asymmetric"))
    assert heads - one == (16 - 4) * 32


def test_trials_share_what_their_protocol_says():
    """Under a shared draw trials differ in their training pairs only; otherwise in everything."""
    task = order.grid("laptop", "published")[3].task
    first, second = trial(task, 0, 0), trial(task, 1, 0)
    assert (first.objects == second.objects).all()
    assert (first.split.test == second.split.test).all()
    assert set(first.split.train.tolist()) != set(second.split.train.tolist())
    fresh = trial(task, 1, None)
    assert (fresh.objects != first.objects).any()
    with pytest.raises(ValueError, match="train is 496; allowed: 1 to 495 pairs"):
        trial(replace(task, train=496), 0, 0)


def test_later_sizes_run_from_the_same_code():
    """N = 64, d = 32, the later notebook's task."""
    (spec,) = [
        spec
        for spec in order.grid("laptop", "published")
        if order.columns(spec.canonical()) == {"model": "mlp", "size": 400, "variant": "curve"}
    ]
    spec = replace(
        spec,
        task=replace(spec.task, objects=64, dim=32, train=2015),
        training=replace(spec.training, epochs=1),
        trials=replace(spec.trials, count=2),
    )
    found = outcome(spec)
    assert len(found.metrics["test_accuracy"]) == 2
    assert found.metrics["updates"] == [32, 32]


def test_accuracies_by_inference_against_naive_sets():
    everything = pairs(6)
    labels = precedes(everything)
    rank = {tuple(pair): k for k, pair in enumerate(everything.tolist())}
    shown = [rank[p] for p in [(0, 1), (1, 2), (4, 3)]]
    test = [rank[p] for p in [(1, 0), (3, 4), (0, 2), (2, 0), (5, 0), (2, 4)]]
    data = Trial(np.zeros((6, 2)), everything, labels, Split(np.array(shown), None, np.array(test)))
    right = np.array([True, False, True, True, False, True])
    found = by_inference(data, right)
    assert found["reversed_accuracy"] == 0.5  # (1, 0) right, (3, 4) wrong
    assert found["transitive_accuracy"] == 1.0  # 0 < 1 < 2 decides (0, 2) and (2, 0)
    assert found["other_accuracy"] == 0.5  # (5, 0) wrong, (2, 4) right
    assert found["closure_oracle_accuracy"] == pytest.approx(4 / 6 + 2 / 6 / 2)
    assert found["transitive_advantage"] == 0.0  # distance 2: both transitive and (2, 4) right


def test_closure_oracle_by_simulation():
    """A predictor that reads pairs off the closure and tosses a coin for the rest scores, over 400
    repetitions, the oracle's expectation to four standard errors."""
    (spec,) = [
        spec
        for spec in order.grid("laptop", "sound")
        if order.columns(spec.canonical()) == {"model": "mlp", "size": 100, "variant": "curve"}
        and spec.trials.first == 0
    ]
    one = trial(spec.task, 0, None)
    train, test = one.pairs[one.split.train], one.pairs[one.split.test]
    before = closure(train, one.labels[one.split.train], 32)
    coins = np.random.default_rng(0).integers(2, size=(400, len(test)))
    i, j = test.T
    predicted = np.where(before[i, j], 1, np.where(before[j, i], 0, coins))
    scores = (predicted == one.labels[one.split.test]).mean(axis=1)
    found = by_inference(one, np.ones(len(test), dtype=bool))["closure_oracle_accuracy"]
    assert abs(scores.mean() - found) < 4 * scores.std() / 20


@pytest.mark.parametrize("protocol", ["described", "published"])
def test_distinct_accuracy_leaves_out_pairs_of_an_object_with_itself(protocol):
    spec = order.grid("smoke", protocol)[1]
    one = trial(spec.task, 0, spec.draw)
    right = np.random.default_rng(0).random(len(one.split.test)) < 0.7
    distinct = np.diff(one.pairs[one.split.test])[:, 0] != 0
    found = order.derived(by_inference(one, right))["distinct_accuracy"]
    assert found == pytest.approx(right[distinct].mean())
    assert distinct.all() == (protocol == "published")


def test_recomputing_a_run_gives_the_same_bits_and_leaves_torch_alone():
    spec = order.grid("smoke", "sound")[5]
    state = torch.random.get_rng_state()
    first, second = outcome(spec), outcome(spec)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert first.metrics == second.metrics
    assert first.first_losses == second.first_losses
    for name, value in first.parameters.items():
        assert torch.equal(value, second.parameters[name])


def test_models_as_coded_differ_from_those_of_the_text_in_what_the_reasons_name():
    """Each in that alone, and there as the runs of the public code."""
    runs = {
        (spec.protocol, spec.part, spec.model.name): spec
        for protocol in ("described", "published")
        for spec in order.grid("laptop", protocol)
        if spec.task.train == 495
        and not spec.draw
        and spec.trials.first == 0
        and order.columns(spec.canonical())["variant"] in ("curve", "as coded")
    }
    named = {
        "abstractor": ({"norm"}, {"learning_rate"}),
        "corelnet_asymmetric": (set(), {"learning_rate"}),
        "corelnet_symmetric": (set(), {"patience", "baseline", "min_delta", "restore"}),
    }
    for name, parts in named.items():
        ours, theirs = runs["described", "reasons", name], runs["published", "", name]
        plain = runs["described", "", name]
        for where, fields in zip(("model", "training"), parts, strict=True):
            coded, text, code = (vars(getattr(one, where)) for one in (ours, plain, theirs))
            assert {key for key in coded if coded[key] != text[key]} == fields
            assert all(coded[key] == code[key] for key in fields)


def test_tables_name_variants():
    found = {
        (protocol, order.columns(spec.canonical())["variant"])
        for protocol in PROTOCOLS
        for spec in order.grid("laptop", protocol)
    }
    assert found == {
        ("described", "curve"),
        ("described", "as coded"),
        ("published", "curve"),
        ("published", "freely"),
        ("published", "draw"),
        ("sound", "curve"),
        ("sound", "tournament"),
    }


def test_every_setting_names_its_source():
    rows = settings_table(PROTOCOLS)
    assert {"item", *PROTOCOLS} == set(rows[0])
    words = ("(text", "(public code", "(ours", "(parameter count")
    for row in rows:
        for protocol in PROTOCOLS:
            assert any(word in row[protocol] for word in words), row
    assert rows and shared_settings(PROTOCOLS)
    for item, _, source in shared_settings(PROTOCOLS):
        assert any(source.startswith(word[1:]) for word in words), item


def test_shipped_weights_score_what_their_record_says():
    """Nothing recomputed: the weights that ship, on their trial's test pairs."""
    workspace = Workspace()
    shipped = [
        (record, int(name.removeprefix("weights/")), file)
        for record in workspace.records("order").values()
        for name, file in record.get("artifacts", {}).items()
    ]
    assert shipped
    for record, number, file in shipped:
        spec = order.spec(record["spec"])
        one = trial(spec.task, number, spec.draw)
        model = build(spec.model, spec.task.dim).eval()
        model.load_state_dict(workspace.artifacts.load(file))
        inputs, targets = (torch.from_numpy(part) for part in one.examples("test"))
        with torch.no_grad():
            right = (model(inputs)[:, 0] > 0).long() == targets
        recorded = record["metrics"]["test_accuracy"][number - spec.trials.first]
        assert right.double().mean().item() == pytest.approx(recorded, abs=1.5 / len(targets))


def test_learned_relations_are_the_models_own():
    (spec,) = [
        spec
        for spec in order.grid("smoke", "sound")
        if order.columns(spec.canonical())
        == {"model": "abstractor", "size": 40, "variant": "curve"}
    ]
    state = {name: value[0] for name, value in compute(spec, Context()).parameters.items()}
    found = inspect.learned(spec, 0, state)
    model = build(spec.model, spec.task.dim).eval()
    model.load_state_dict(state)
    model.double()
    one = trial(spec.task, 0, None)
    objects = torch.from_numpy(one.objects).double()
    with torch.no_grad():
        outputs = model(objects[torch.tensor([[3, 7]])])[0, 0].sigmoid()
    torch.testing.assert_close(found.probability[3, 7], outputs)
    assert found.relations.shape == (4, 12, 12)
    assert int(found.shown.sum()) == 40
    with pytest.raises(ValueError, match="spec is a run of mlp, which has no multi-head relation"):
        mlp = replace(spec, model=models(PROTOCOLS["sound"])["mlp"])
        inspect.learned(mlp, 0, build(mlp.model, 4).state_dict())


@pytest.mark.slow
def test_the_page_names_the_verdicts_that_a_second_look_would_change(monkeypatch):
    """With the Bonferroni factor of two that other experiments have whose trials grew."""
    study = Study("order")

    def held() -> set[tuple[str, str]]:
        own = [claim for claim in claims.read() if claim.experiment == "order"]
        judged = [
            claims.judge(claim, protocol, study.frames, measure_of(claim))
            for claim in own
            for protocol in claim.protocols
        ]
        return {(one.id, one.protocol) for one in judged if one.verdict in ("holds", "fails")}

    once = held()
    monkeypatch.setattr(statistics, "CONFIDENCE", 0.975)
    lost = once - held()
    page = (paths.root() / "docs" / "limits.md").read_text(encoding="utf-8")
    told = page.partition("were doubled after the first verdicts")[2].partition("\n- ")[0]
    assert set(re.findall(r"`(order_\w+)`", told)) == {name for name, _ in lost}
    assert {protocol for _, protocol in lost} == {"described", "published"}

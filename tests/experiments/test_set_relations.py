"""SET from relations: parameter counts, data, what models read, and the grid."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.same_different import EXPERIMENT as same_different
from abstractor_lib.experiments.same_different.grid import FURTHER
from abstractor_lib.experiments.set_relations import EXPERIMENT as set_relations
from abstractor_lib.experiments.set_relations import measures
from abstractor_lib.experiments.set_relations.run import (
    accuracies,
    build,
    inputs,
    start,
    triples,
)
from abstractor_lib.experiments.set_relations.settings import PROTOCOLS, models
from abstractor_lib.findings import beside_paper, within_trials
from abstractor_lib.findings.claims import read
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.findings.published import published
from abstractor_lib.findings.statistics import mean_interval
from abstractor_lib.tasks import set_game
from abstractor_lib.tasks.set_triples import Parts, Rows

EVERY = models(PROTOCOLS["published"])
BITS = torch.from_numpy(np.eye(3)[set_game.attributes(np.arange(81))].reshape(81, 12)).float()


def counts(name):
    parts = list(build(EVERY[name], 32).parameters())
    trained = sum(part.numel() for part in parts if part.requires_grad)
    return trained, sum(part.numel() for part in parts) - trained


def test_parameter_counts_are_those_printed():
    """Trained and frozen, as the public notebook prints them; the matched model has as many."""
    assert counts("abstractor_frozen") == (31_489, 35_437)
    assert counts("symbolic_mlp") == (497, 0)
    assert counts("symbolic_abstractor") == (31_489, 3 * 15)
    assert 0.99 < counts("symbolic_wide")[0] / 31_489 < 1.01
    trained, frozen = counts("abstractor_tuned")
    assert (trained - 31_489, frozen) == (4 * 2 * (64 * 64 + 64), 32 * 64 + 64 + 3 * 15)


def spec(protocol, model, size, variant="curve", profile="laptop"):
    wanted = {"model": model, "size": size, "variant": variant}
    return next(
        one
        for one in set_relations.grid(profile, protocol)
        if set_relations.columns(one.canonical()) == wanted
    )


def test_symbolic_relations_are_the_rule():
    """R_ij is 1 where cards agree; the twelve bits are its upper triangle."""
    cards = set_game.every_triple()[::997]
    given = inputs(EVERY["symbolic_abstractor"], cards, None)
    bits = inputs(EVERY["symbolic_mlp"], cards, None)
    assert given.shape == (len(cards), 4, 3, 3) and bits.shape == (len(cards), 4, 3)
    upper = torch.stack([given[..., 0, 1], given[..., 0, 2], given[..., 1, 2]], dim=-1)
    assert torch.equal(upper, bits)
    assert torch.equal(given, given.transpose(-1, -2))
    total = bits.sum(dim=-1)
    sets = ((total == 0) | (total == 3)).all(dim=-1).numpy()
    assert np.array_equal(sets, set_game.is_set(cards))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rows_of_a_trial(protocol):
    one = spec(protocol, "symbolic_mlp", 100)
    first, second = triples(one.task, 0, one.draw), triples(one.task, 1, one.draw)
    held_out = 500 if protocol == "sound" else 25
    assert len(first.train.labels) == 100 and len(first.validation.labels) == held_out
    true, called = set_game.is_set(first.test.cards), first.test.labels == 1
    assert (true | ~called).all()  # what is called a SET is one
    if protocol != "published":
        assert np.array_equal(true, called)
    names = [set(map(tuple, np.sort(part.cards, axis=1).tolist())) for part in (first[0], first[2])]
    if protocol == "sound":
        assert not names[0] & names[1]
    assert not np.array_equal(first.train.cards, second.train.cards)


def test_published_trials_draw_from_the_same_rows():
    """5,000 rows for all, of which a trial takes its own."""
    one = spec("published", "symbolic_mlp", 1000)
    rows = [
        {tuple(row) for part in triples(one.task, number, 0) for row in part.cards.tolist()}
        for number in range(12)
    ]
    assert max(map(len, rows)) <= 1750
    assert len(set.union(*rows)) <= 5000


def test_too_many_rows_are_refused():
    one = spec("published", "symbolic_mlp", 1000)
    with pytest.raises(ValueError, match="train is 4600; allowed: 5000 rows in all three parts"):
        triples(replace(one.task, train=4600), 0, 0)


def test_models_start_from_the_relations_they_are_given():
    learned = []
    for value in (0.5, 2.0):
        state = build(EVERY["abstractor_frozen"], 12).state_dict()
        learned.append(
            {
                name: torch.full_like(part, value)
                for name, part in state.items()
                if name.startswith(("embed", "relation"))
            }
        )
    make = start(EVERY["abstractor_frozen"], 12, learned)
    made = [make(), make(), make()]
    assert [float(one.relation.left.weight[0, 0]) for one in made] == [0.5, 2.0, 0.5]
    assert not made[0].relation.left.weight.requires_grad
    assert not torch.equal(made[0].head[0].weight, made[2].head[0].weight)
    with pytest.raises(ValueError, match="do not fit"):
        start(EVERY["abstractor_frozen"], 12, [{"embed.weight": torch.zeros(64, 12)}])()


def test_a_frozen_relation_stays_and_a_tuned_one_does_not():
    one = spec("published", "abstractor_frozen", 16, profile="smoke")
    state = {
        name: part.clone()
        for name, part in build(one.model, 12).state_dict().items()
        if name.startswith(("embed", "relation"))
    }

    def load(parent):
        return {"embeddings": BITS} if parent.spec.experiment == "cards" else state

    frozen = outcome(one, Context(load=load)).parameters
    tuned = outcome(spec("published", "abstractor_tuned", 16, profile="smoke"), Context(load=load))
    for trial in range(2):
        assert torch.equal(frozen["relation.left.weight"][trial], state["relation.left.weight"])
        assert torch.equal(tuned.parameters["embed.weight"][trial], state["embed.weight"])
    apart = tuned.parameters["relation.left.weight"][0] - state["relation.left.weight"]
    assert apart.abs().max() > 0


def test_accuracies_against_counting():
    train = Rows(np.array([[0, 1, 2], [3, 4, 8]]), np.array([1, 0]))
    test = Rows(
        np.array([[2, 0, 1], [3, 4, 5], [6, 7, 8], [0, 1, 5]]),  # seen, new, called none, none
        np.array([1, 1, 0, 0]),
    )
    found = accuracies(Parts(train, train, test), np.array([1, 0, 1, 0]))
    assert found == {
        "test_accuracy": 0.5,
        "true_accuracy": 0.75,
        "seen_share": 0.5,
        "seen_accuracy": 1.0,
        "new_accuracy": 0.0,
    }


def test_the_symbolic_abstractor_solves_set():
    """From true relations, 300 updates on 700 triples."""
    one = spec("sound", "symbolic_abstractor", 700)
    training = replace(one.training, updates=300, validate_every=100)
    one = replace(one, training=training, trials=replace(one.trials, count=2))
    assert min(outcome(one).metrics["test_accuracy"]) > 0.9


def test_sizes_of_the_figure():
    series = {"abstractor_frozen": "Abstractor", "symbolic_mlp": "symbolic MLP"}
    for model, label in series.items():
        drawn = [
            one.task.train
            for one in set_relations.grid("laptop", "published")
            if set_relations.columns(one.canonical())["model"] == model
            and set_relations.columns(one.canonical())["variant"] == "curve"
        ]
        assert set(published("fig_v3_04c", label)["x"]) <= set(drawn)
        assert len(set(drawn)) == len(drawn)


def test_gaps_between_metrics_and_between_variants():
    table = pd.DataFrame(
        {
            "model": "m",
            "size": 8,
            "variant": ["curve"] * 6 + ["other"] * 6,
            "trial": [*range(6)] * 2,
            "draw": None,
            "seen": [0.9] * 12,
            "test_accuracy": [0.8] * 6 + [0.7] * 6,
        }
    )
    (point,) = within_trials.gap(
        {"p": table}, "p", model="m", metrics=["seen", "test_accuracy"], size=8
    ).points
    assert point.interval.estimate == pytest.approx(0.1) and point.interval.n == 6
    found = within_trials.between_variants({"p": table}, "p", model="m", variants=["other"], size=8)
    assert found.points[0].interval.estimate == pytest.approx(-0.1)
    with pytest.raises(NotRun):
        within_trials.gap({"p": table}, "p", model="m", metrics=["seen", "test_accuracy"], size=9)


def test_trials_that_were_added_are_twins_of_those_before():
    """The same but for their numbers, and for relations that they alone start from."""
    specs = set_relations.grid("laptop", "sound")
    later = [one for one in specs if one.part == FURTHER]
    usual = {
        (one.model, one.task): one
        for one in specs
        if set_relations.columns(one.canonical())["variant"] == "curve"
    }
    for one in later:
        before = usual[one.model, one.task]
        assert replace(one, trials=before.trials, parents=before.parents) == before
        assert one.trials.first == before.trials.first + before.trials.count
        assert one.parents.get("embedder") == before.parents.get("embedder")
        learned = {role: two for role, two in one.parents.items() if role != "embedder"}
        if one.model.reads == "cards":
            assert [two.trial for two in learned.values()] == list(one.trials)
        assert not {two.spec.id for two in learned.values()} & {
            two.spec.id for role, two in before.parents.items() if role != "embedder"
        }
        assert set_relations.spec(one.canonical()) == one
    asked = {claim.arguments["models"][0]: claim for claim in read() if claim.measure == "bound"}
    assert {one.model.name for one in later} == set(asked)
    assert all("sound" in claim.post_hoc for claim in asked.values())
    points = Counter((one.model.name, one.task.train) for one in later)
    assert points == Counter(product(asked, PROTOCOLS["sound"].sizes.value))
    part = {one.id for one in same_different.grid("laptop", "sound") if one.part == FURTHER}
    parents = [two.spec for one in later for two in one.parents.values()]
    assert {one.id for one in parents if one.part} == part


def test_a_bound_is_asked_over_all_trials():
    rows = [
        {"model": model, "size": size, "variant": "further" if trial >= 5 else "curve"}
        | {"trial": trial, "draw": None, "test_accuracy": level + trial % 3 / 100}
        for model, level in (("a", 0.8), ("b", 0.7))
        for size in (16, 32)
        for trial in range(10)
    ]
    every = pd.DataFrame(rows)
    for table, n in ((every, 10), (every[every["variant"] == "curve"], 5)):
        found = measures.bound({"p": table}, "p", models=["a", "b"]).points
        assert [point.label for point in found] == [
            f"a over b, n = {size}, {n} trials" for size in (16, 32)
        ]
        assert [point.interval.n for point in found] == [n, n]
        assert found[0].interval.estimate == pytest.approx(0.1)
    with pytest.raises(NotRun):
        measures.bound({}, "p", models=["a", "b"])


def test_trials_that_are_needed_against_values_of_that_mean_and_spread():
    """At that number the interval leaves the limit out, with one fewer it does not."""
    ten = mean_interval(np.linspace(0.1, 0.3, 10), 14)
    spread = np.linspace(0.1, 0.3, 10).std(ddof=1)
    found = measures.needed(ten, 0.15, 14)
    for n, decides in ((found, True), (found - 1, False)):
        shape = np.random.default_rng(0).normal(size=n)
        values = (shape - shape.mean()) / shape.std(ddof=1) * spread + 0.2
        assert (mean_interval(values, 14).low > 0.15) == decides
    assert measures.needed(ten, ten.estimate, 14) == np.inf
    assert measures.needed(ten, 0.25, 14) == found


def test_a_published_curve_is_compared_at_its_own_sizes():
    sizes = [16, 20, 40]
    table = pd.DataFrame(
        {
            "model": "m",
            "size": np.repeat(sizes, 5),
            "variant": "curve",
            "trial": [*range(5)] * 3,
            "test_accuracy": np.linspace(0.4, 0.6, 15),
        }
    )
    paper = ["fig_v3_04c", "Abstractor"]
    found = beside_paper.at_published_sizes({"p": table}, "p", model="m", paper=paper).points
    assert [point.label for point in found] == ["n = 20, 5 trials", "n = 40, 5 trials"]
    assert [point.published for point in found] == [0.54, 0.5652]
    with pytest.raises(NotRun, match="published sizes of Abstractor"):
        few = {"p": table[table["size"] == 16]}
        beside_paper.at_published_sizes(few, "p", model="m", paper=paper)

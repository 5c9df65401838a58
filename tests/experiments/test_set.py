"""SET classification: counts, data, metrics, what is looked at, and the same from pixels."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.set import EXPERIMENT as triples
from abstractor_lib.experiments.set import inspect
from abstractor_lib.experiments.set.build import build
from abstractor_lib.experiments.set.data import accuracies, broken_attributes, trial
from abstractor_lib.experiments.set.grid import DECIDED, DECIDING, OWN
from abstractor_lib.experiments.set.inside import inside
from abstractor_lib.experiments.set.run import compute
from abstractor_lib.experiments.set.settings import FIGURE, PROTOCOLS, models
from abstractor_lib.experiments.set_pixels import EXPERIMENT as pixels
from abstractor_lib.experiments.set_pixels.run import FromImages
from abstractor_lib.findings.claims import judge, read
from abstractor_lib.findings.measures import NotRun, units
from abstractor_lib.findings.published import published
from abstractor_lib.findings.within_trials import gap
from abstractor_lib.records.frame import frame
from abstractor_lib.records.spec import Trials
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.tasks.set_game import (
    ATTRIBUTES,
    attributes,
    deal,
    every_triple,
    find_sets,
    is_set,
)
from abstractor_lib.tasks.set_triples import Parts, Rows, leakage

PRINTED = {  # totals of the public notebooks; the MLP has two outputs for its broken one
    "abstractor": 29_762,
    "corelnet": 8_276,
    "corelnet_no_softmax": 8_276,
    "predinet": 7_554,
    "mlp": 7_265 + 33,
    "transformer": 154_434,
}
TASK = next(spec.task for spec in triples.grid("laptop", "published"))


def count(protocol, name):
    network = build(models(PROTOCOLS[protocol])[name], 64)
    return sum(part.numel() for part in network.parameters())


@pytest.mark.parametrize("name", PRINTED)
def test_parameter_counts_are_those_printed(name):
    assert count("published", name) == count("sound", name) == PRINTED[name]
    no_norm = 128 if name == "abstractor" else 0  # 25,088 instead of 25,216 in its core
    assert count("described", name) == PRINTED[name] - no_norm


def test_compared_models_have_the_projections_of_each_other():
    assert count("sound", "abstractor_one_wide") == count("sound", "abstractor")
    assert count("sound", "corelnet_multihead") - count("sound", "corelnet") == (36 - 9) * 2
    assert count("sound", "abstractor_asymmetric") - count("sound", "abstractor") == 4 * 17 * 64 - (
        4 * 64 - 4 * 16
    )
    assert 0.9 < count("sound", "mlp_wide") / count("sound", "abstractor") < 1.1


def test_each_layer_of_the_abstractor_has_weights_of_its_own():
    two = build(replace(models(PROTOCOLS["sound"])["abstractor"], layers=2), 64)
    one, other = ({id(part) for part in layer.parameters()} for layer in two[1].layers)
    assert one and len(one) == len(other) and not one & other


@pytest.mark.parametrize("name", models(PROTOCOLS["sound"]))
def test_every_model_scores_triples_and_trains(name):
    network = build(models(PROTOCOLS["sound"])[name], 6)
    outputs = network(torch.randn(5, 3, 6))
    assert outputs.shape == (5, 2)
    outputs.square().sum().backward()
    for part in network.parameters():
        assert part.grad is not None


def test_grids_hold_the_figure_at_all_sizes_and_further_models_at_some():
    """Each once, with the same trials: at least as many as the paper has."""
    figure = published("fig_v3_04b")
    sizes = PROTOCOLS["published"].sizes.value
    every = set(models(PROTOCOLS["sound"]))
    for protocol in PROTOCOLS:
        specs = triples.grid("laptop", protocol)
        found = {}
        for spec in specs:
            column = triples.columns(spec.canonical())
            if column["variant"] == "curve" and not spec.part:
                found.setdefault(column["model"], []).append(column["size"])
                assert spec.trials == Trials(0, PROTOCOLS[protocol].trials.value)
                assert spec.trials.count >= figure["n"].max()
        assert all(sorted(found[name]) == sorted(sizes) for name in FIGURE)
        further = {name: some for name, some in found.items() if name not in FIGURE}
        if protocol == "described":
            assert not further
        else:
            assert set(further) == every - set(FIGURE)
            at = sorted(PROTOCOLS[protocol].further_sizes.value)
            assert all(sorted(some) == at for some in further.values())
        assert len({spec.id for spec in specs}) == len(specs)
        assert all(triples.spec(spec.canonical()).id == spec.id for spec in specs[:3])


def test_trials_of_a_part_have_an_embedder_each():
    """Networks and triples that no run of the main part has read; enough trials at each point."""
    specs = triples.grid("laptop", "sound")
    own, main = ([spec for spec in specs if spec.part == part] for part in (OWN, ""))
    found, trials = {}, {}
    for spec in own:
        assert [parent.trial for parent in spec.parents.values()] == list(spec.trials)
        for parent in spec.parents.values():
            assert list(parent.spec.trials) == [parent.trial] and parent.spec.part
            found.setdefault(parent.trial, set()).add(parent.spec.id)
        trials.setdefault((spec.model.name, spec.task.train), []).extend(spec.trials)
    runs = [run for one in found.values() for run in one]
    assert len(set(runs)) == len(runs) == len(found) >= 8
    assert all(sorted(some) == sorted(found) for some in trials.values())
    assert not set(runs) & {one.spec.id for spec in main for one in spec.parents.values()}
    assert not set(found) & {number for spec in main for number in spec.trials}
    asked = [claim for claim in read() if claim.arguments.get("variant") == "own"]
    wanted = {
        (model, size)
        for claim in asked
        for model in claim.arguments["models"]
        for size in claim.arguments["sizes"]
    }
    assert asked and wanted <= set(trials) and not any(claim.post_hoc for claim in asked)


def test_every_small_lead_of_the_abstractor_is_asked_for_again():
    """Small: below 0.03 in the trials that share an embedder."""
    asked = [claim for claim in read() if claim.measure == "ordering"]
    again = [set(one.arguments["models"]) for one in asked if "variant" in one.arguments]
    shared = [one for one in asked if "variant" not in one.arguments and "sound" in one.protocols]
    shared = [one for one in shared if one.experiment == "set"]
    rows = frame(Workspace().records("set").values(), triples.columns, triples.derived)
    frames = {"sound": rows[rows["protocol"] == "sound"]}
    small = [
        set(one.arguments["models"])
        for one in shared
        if abs(judge(one, "sound", frames, triples.measure(one.measure)).measured) < 0.03
    ]
    small = [models for models in small if "abstractor" in models]
    assert small and all(models in again for models in small)


def test_each_trial_reads_its_own_embedder():
    """With the same network for each it is the run in which all trials share one."""
    (spec,) = [
        one
        for one in triples.grid("smoke", "sound")
        if one.part == OWN and one.model.name == "mlp_wide"
    ]

    def read(parent):
        seed = torch.Generator().manual_seed(parent.trial)
        return {"embeddings": torch.randn(81, 6, generator=seed)}

    apart = outcome(spec, Context(load=read)).parameters["embeddings"]
    for index, parent in enumerate(spec.parents.values()):
        assert torch.equal(apart[index], read(parent)["embeddings"])
    first = next(iter(spec.parents.values()))
    shared = replace(spec, parents={"cards": first})
    found = []
    for one in (shared, spec):
        torch.manual_seed(0)
        found.append(compute(one, Context(load=lambda parent: read(first))))
    assert found[0].first_losses == found[1].first_losses
    assert found[0].metrics["test_accuracy"] == found[1].metrics["test_accuracy"]


def test_more_draws_of_one_model_are_counted_where_it_stands_alone():
    """Each a draw that no run before has; compared with others, the draws of both count."""
    specs = triples.grid("laptop", "published")
    drawn = {}
    for spec in specs:
        if triples.columns(spec.canonical())["variant"] == "draw":
            drawn.setdefault((spec.model.name, spec.part), set()).add(spec.draw)
    assert {key for key in drawn if key[1]} == {(DECIDED, DECIDING)}
    assert not drawn[DECIDED, DECIDING] & (drawn[DECIDED, ""] | {0})
    every = drawn[DECIDED, DECIDING] | drawn[DECIDED, ""] | {0}
    assert drawn[DECIDED, ""] == drawn["abstractor", ""]
    rows = [
        {"model": model, "size": 500, "variant": "draw" if draw else "curve"}
        | {"draw": draw, "trial": number, "test_accuracy": 0.5 + draw / 100}
        for model, draws in (("abstractor", drawn["abstractor", ""] | {0}), (DECIDED, every))
        for draw in draws
        for number in range(2)
    ]
    frames = {"published": pd.DataFrame(rows)}
    alone, first, second = (
        some.values[500]
        for models in ([DECIDED], ["abstractor", DECIDED])
        for some in units(frames, "published", models, "test_accuracy")
    )
    assert len(alone) == len(every)
    assert (first - second).dropna().tolist() == [0.0] * len(drawn["abstractor", ""] | {0})


def test_trials_share_what_their_protocol_says():
    first, second = trial(TASK, 0, 0), trial(TASK, 1, 0)
    assert (first.test.cards == second.test.cards).all()
    assert (first.train.cards != second.train.cards).any()
    other = trial(TASK, 1, None)
    assert (other.test.cards != first.test.cards).any()
    more = trial(replace(TASK, train=700), 0, 0)
    assert (more.train.cards[:500] == first.train.cards).all()
    with pytest.raises(ValueError, match="train is 7001; allowed: 1 to 7000 rows"):
        trial(replace(TASK, train=7001), 0, 0)


def test_leakage_is_what_is_expected_as_published_and_nothing_when_sound():
    shares = []
    for number in range(3):
        data = trial(replace(TASK, train=2000), number, None)
        found = accuracies(data, data.test.labels)
        shares.append(found["seen_share"])
        assert found["test_accuracy"] == 1 and 0 < found["mislabelled_share"] < 0.03
    assert np.mean(shares) == pytest.approx(leakage(2000), abs=0.03)
    for spec in triples.grid("laptop", "sound")[:40:13]:
        data = trial(spec.task, 0, None)
        found = accuracies(data, data.test.labels)
        assert found["seen_share"] == found["mislabelled_share"] == 0
        assert found["seen_accuracy"] is None
    unseen = [s.task for s in triples.grid("laptop", "sound") if s.task.split == "cards"]
    data = trial(unseen[0], 0, None)
    assert not set(data.test.cards.ravel()) & set(data.train.cards.ravel())


def test_accuracies_against_counting_one_row_at_a_time():
    train = Rows(np.array([[0, 1, 2]]), np.array([1]))
    #         seen SET,  new SET,   another,   breaks 1,  breaks 2,  a SET that is called none
    cards = [[2, 0, 1], [0, 3, 6], [0, 9, 18], [0, 1, 5], [0, 4, 3], [1, 4, 7]]
    labels = [1, 1, 1, 0, 0, 0]
    data = Parts(train, train, Rows(np.array(cards), np.array(labels)))
    found = accuracies(data, np.array([1, 0, 1, 0, 1, 1]))
    assert found["test_accuracy"] == 3 / 6 and found["true_accuracy"] == 4 / 6
    assert found["seen_accuracy"] == 1 and found["new_accuracy"] == 1 / 2
    assert found["other_accuracy"] == 1 / 2
    assert found["other_1_accuracy"] == 1 and found["other_2_accuracy"] == 0
    assert found["other_3_accuracy"] is found["other_4_accuracy"] is None
    assert found["seen_share"] == found["mislabelled_share"] == 1 / 3
    assert triples.derived(found)["unseen_accuracy"] == 1 / 2
    assert triples.derived({**found, "new_accuracy": None})["unseen_accuracy"] is None


def test_broken_attributes_against_the_rule_in_words():
    some = every_triple()[::977]
    for cards, broken in zip(some, broken_attributes(some), strict=True):
        values = attributes(cards)
        assert broken == sum(len(set(column)) == 2 for column in values.T)
    assert ((broken_attributes(every_triple()) == 0) == is_set(every_triple())).all()


def test_gaps_are_paired_within_trials():
    rows = [
        {"model": "m", "size": n, "variant": "curve", "trial": k, "a": 0.5 + k / 10, "b": k / 10}
        for n in (10, 20)
        for k in range(6)
    ]
    table = pd.DataFrame(rows).assign(converged=1.0)
    table.loc[table["size"] == 20, "b"] = np.nan
    found = gap({"published": table}, "published", model="m", metrics=["a", "b"])
    ((label, interval, *_),) = found.points
    assert label == "n = 10, 6 trials" and interval.n == 6
    assert interval.estimate == pytest.approx(0.5) and interval.low == pytest.approx(0.5)
    with pytest.raises(NotRun, match="no training size with a and b of m"):
        gap({"published": table}, "published", model="m", metrics=["a", "b"], least=15)


def player(name="abstractor"):
    (spec, *_) = [s for s in triples.grid("smoke", "sound") if s.model.name == name]
    torch.manual_seed(0)
    network = build(spec.model, 12)
    values = torch.nn.functional.one_hot(torch.from_numpy(attributes(np.arange(81))), 3)
    state = {**network.state_dict(), "embeddings": values.flatten(1).float()}
    return inspect.Player(spec, state), network


def test_players_answer_as_their_network_and_in_no_order():
    one, network = player()
    cards = np.array([[3, 50, 7], [0, 1, 2]])
    wanted = network.eval()(one.embeddings[torch.from_numpy(cards)].float()).softmax(dim=-1)[:, 1]
    assert one.chance(cards) == pytest.approx(wanted.detach().numpy(), abs=1e-5)
    for order in permutations(range(3)):
        assert one.mean_chance(cards[:, order]) == pytest.approx(one.mean_chance(cards))
    table = one.find(np.array([5, 2, 0, 1, 80]), level=0.4)
    assert len(table) == 10 and table["right"].sum() == 1
    assert (table["called"] == (table["chance"] >= 0.4)).all()
    assert table["chance"].is_monotonic_decreasing


def test_rounds_go_on_until_there_is_a_set():
    """About 3 % of deals of twelve cards hold no SET."""
    lack = [k for k in range(200) if not len(find_sets(deal(np.random.default_rng(k))))]
    assert 1 <= len(lack) <= 15
    for seed, count in ((lack[0], 2), (next(k for k in range(200) if k not in lack), 1)):
        rounds = inspect.play(player()[0], np.random.default_rng(seed))
        assert [len(one.cards) for one in rounds] == [12, 15][:count]
        assert [bool(one.triples["right"].any()) for one in rounds] == [False, True][-count:]
        assert len(find_sets(rounds[-1].cards)) == rounds[-1].triples["right"].sum()


def test_relations_and_what_attributes_explain_of_them():
    one, network = player()
    relations = one.relations()
    embedded = network[0](one.embeddings.float())
    layer = network[1].layers[0].relational.relation
    assert relations == pytest.approx(layer(embedded).detach().numpy(), abs=1e-4)
    assert relations == pytest.approx(relations.transpose(0, 2, 1), abs=1e-9)
    with pytest.raises(ValueError, match="spec is a run of mlp, which has no multi-head relation"):
        player("mlp")[0].relations()
    values = attributes(np.arange(81))
    same = (values[:, None] == values[None]).astype(float)  # (81, 81, 4)
    noise = np.random.default_rng(0).standard_normal((81, 81))
    table = inspect.agreement(np.stack([same[..., 2] * 3 - 1, same @ [1, 1, 0, 0], noise]))
    assert table.loc[1, "filling"] == pytest.approx(1) == table.loc[1, "all"]
    assert table.loc[2, "number"] == pytest.approx(0.5, abs=0.02)
    assert table.loc[2, "all"] == pytest.approx(1)
    assert table.loc[3, "all"] < 0.01


def test_what_relations_hold_against_relations_made_by_hand():
    """One relation for each attribute tells agreement and no value; an embedding's product with a
    card's values tells both."""
    values = attributes(np.arange(81))
    same = (values[:, None] == values[None]).transpose(2, 0, 1).astype(float)  # (4, 81, 81)
    found = inside(same, 0)
    assert [found[f"{name}_share"] for name in ATTRIBUTES] == pytest.approx([1] * 4)
    assert found["head_share"] == pytest.approx(1) == found["explained_share"]
    assert found["relations_same_accuracy"] == 1
    assert found["relations_value_accuracy"] < 0.45  # chance level 1/3
    both = inside(same[:1] + 9 * values.T[:1, :, None], 0)
    assert both["relations_value_accuracy"] > found["relations_value_accuracy"]
    assert both["colour_share"] < 0.01


def test_runs_with_relations_are_looked_into():
    every = {s.model.name: s for s in triples.grid("smoke", "sound")}

    def load(parent):
        values = torch.from_numpy(attributes(np.arange(81)))
        return {"embeddings": torch.nn.functional.one_hot(values, 3).flatten(1).float()}

    for name, looked in (("corelnet", True), ("mlp", False)):
        found = outcome(every[name], Context(load=load)).metrics
        assert ("head_share" in found) == looked
    cheap, dear = (triples.cost(every[name]) for name in ("mlp", "transformer"))
    assert 0 < cheap < dear


def test_mistakes_are_those_of_the_test_rows():
    one, _ = player()
    found = inspect.mistakes(one, 0)
    test = trial(one.spec.task, 0, None).test
    right = (one.chance(test.cards) >= 0.5) == is_set(test.cards)
    assert len(found.cards) == (~right).sum()
    assert (np.diff(np.abs(found.chance - 0.5)) <= 1e-9).all()
    assert ((found.broken == 0) == is_set(found.cards)).all()


def test_embedding_each_card_once_gives_the_same_outputs_and_gradients():
    """Against three images a row."""
    torch.manual_seed(0)
    images = torch.randn(81, 2, 5, 4, dtype=torch.float64)
    embed = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Tanh(), nn.Flatten()).double()
    classify = nn.Sequential(nn.Flatten(-2), nn.Linear(54, 2)).double()
    rows = torch.randint(81, (7, 3))
    network = FromImages(images, embed, classify)
    assert set(network.state_dict()) == {name for name, _ in network.named_parameters()}
    outputs = network(rows)
    outputs.square().sum().backward()
    found = [part.grad.clone() for part in network.parameters()]
    network.zero_grad()
    naive = classify(torch.stack([embed(images[row]) for row in rows]))
    torch.testing.assert_close(outputs, naive)
    naive.square().sum().backward()
    for gradient, part in zip(found, network.parameters(), strict=True):
        torch.testing.assert_close(gradient, part.grad)


def test_runs_from_pixels_have_no_parents_and_keep_no_images():
    for spec in pixels.grid("laptop", "sound"):
        assert not spec.parents and spec.trials.count == 1 and spec.model.classifier.embed == 64
    (spec, *_) = pixels.grid("smoke", "sound")
    found = outcome(spec, alone())
    assert not [name for name in found.parameters if "images" in name]
    assert 0 <= found.metrics["test_accuracy"][0] <= 1 and len(found.first_losses) == 4


def test_the_paper_grid_from_pixels_has_the_papers_trials():
    paper, trials = published("fig_v3_04b")["n"].max(), {}
    for spec in pixels.grid("paper", "sound"):
        trials.setdefault((spec.model, spec.task), []).append(spec.trials.first)
    for numbers in trials.values():
        assert numbers == list(range(len(numbers))) and len(numbers) >= paper
    assert len(trials) > 1
    assert pixels.grid("laptop", "published") == []


def test_published_points_are_those_of_the_figure():
    table = published("fig_v3_04b")
    curves = table[table["n"] == table["n"].max()]  # without single runs
    drawn = curves.groupby("series")["x"].apply(list).tolist()
    assert len(drawn) == len(FIGURE) and all(sizes == drawn[0] for sizes in drawn)
    assert len(set(drawn[0])) == len(drawn[0])
    assert set(drawn[0]) <= set(PROTOCOLS["published"].sizes.value)


def test_claims_name_models_of_the_grid():
    every = set(models(PROTOCOLS["sound"]))
    for claim in read():
        if claim.experiment == "set":
            given = claim.arguments
            assert set(given.get("models", [given.get("model")])) <= every
            if "described" in claim.protocols:
                assert set(given.get("models", [given.get("model")])) <= set(FIGURE)
            triples.measure(claim.measure)

"""The sorting experiment: sizes, data, scores."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from abstractor_lib.experiments.protocol import settings_table
from abstractor_lib.experiments.sorting import EXPERIMENT as sorting
from abstractor_lib.experiments.sorting.facts import PARAMETERS
from abstractor_lib.experiments.sorting.grid import BETWEEN, FURTHER
from abstractor_lib.experiments.sorting.inspect import watch
from abstractor_lib.experiments.sorting.run import build, prefixes, scores, trial
from abstractor_lib.experiments.sorting.settings import MAIN, PROTOCOLS, models
from abstractor_lib.findings.published import published
from abstractor_lib.nn import greedy_decode
from abstractor_lib.training.fit import Examples

COUNTS = {
    "abstractor": 386_954,
    "ablation": 386_954,
    "symbolic": 386_954,
    "transformer": 469_898,
    "simple": 219_210,
}

TASK = sorting.grid("laptop", "sound")[0].task


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_against_published_parameter_counts(protocol):
    for name, wanted in COUNTS.items():
        model = build(models(PROTOCOLS[protocol])[name], TASK)
        assert sum(part.numel() for part in model.parameters()) == wanted
        assert PARAMETERS.get(name, wanted) == wanted


def test_budgets_are_those_of_the_protocols():
    budget = {
        name: {
            spec.model.name: (spec.training.epochs, spec.training.updates, spec.training.patience)
            for spec in sorting.grid("laptop", name)
        }
        for name in PROTOCOLS
    }
    assert set(budget["described"].values()) == {(100, None, None)}
    assert {budget["sound"][name] for name in MAIN} == {(None, 1500, None)}
    long = [one for one in sorting.grid("laptop", "sound") if one.model.name.endswith("_long")]
    assert {spec.model.name for spec in long} == {f"{name}_long" for name in MAIN[1:]}
    assert {spec.training.updates for spec in long} == {10_000}
    assert {spec.training.batch_size for spec in long} == {128}
    assert {spec.training.also for spec in long} == {("final", "best_accuracy")}
    for name in PROTOCOLS:
        for spec in sorting.grid("laptop", name):
            row = sorting.columns(spec.canonical())
            ends = {"main": "", "smaller batches": "_128", "long": "_long"}
            assert row["model"] == row["network"] + ends[row["budget"]]
    epochs = {"abstractor": 200, "transformer": 200, "ablation": 400}
    epochs |= {f"{name}_128": allowed for name, allowed in epochs.items()}
    assert budget["published"] == {name: (n, None, 10) for name, n in epochs.items()}
    for name in PROTOCOLS:
        for spec in sorting.grid("laptop", name):
            long = spec.model.name.endswith("_long")
            smaller = long or spec.model.name.endswith("_128")
            assert spec.training.batch_size == (128 if smaller else 512)
            assert bool(spec.training.also) == long


def test_further_draws_only_where_trials_share_one():
    for name, shared in (("described", False), ("published", True), ("sound", False)):
        specs = sorting.grid("laptop", name)
        kinds = [(sorting.columns(one.canonical())["variant"], one.draw) for one in specs]
        assert {draw for kind, draw in kinds if kind == "curve"} == {0 if shared else None}
        others = {draw for kind, draw in kinds if kind != "curve"}
        assert others == set(range(1, len(others) + 1)) and bool(others) == shared
        assert len({spec.id for spec in specs}) == len(specs)


def test_more_trials_and_sizes_between_where_claims_hang_on_them():
    """The least that a median needs, six trials, of both models of a ratio."""
    found = {}
    for spec in sorting.grid("laptop", "described"):
        key = (spec.model.name, spec.task.train)
        found[key] = found.get(key, 0) + spec.trials.count
    between = {("abstractor", 1250), ("transformer", 2500), ("ablation", 3000)}
    assert min(found[key] for key in between | {(name, 1000) for name in MAIN}) >= 6
    assert found["abstractor", 200] == sorting.profiles["laptop"].trials


def test_further_sizes_lie_between_those_that_bracket_a_ratio():
    """Six trials at least; a size is twice another, so that a bracket can end on the bound, two."""
    specs = sorting.grid("laptop", "published")
    further = [spec for spec in specs if spec.part == BETWEEN]
    assert further
    found = {(spec.model.name, spec.task.train) for spec in further}
    for key in found:
        some = [spec for spec in further if (spec.model.name, spec.task.train) == key]
        assert [spec.trials.first for spec in some] == list(range(len(some))) and len(some) >= 6
        assert {(spec.draw, spec.trials.count) for spec in some} == {(0, 1)}
    known = {n for name, n in _sizes(specs) if name == "abstractor"}
    assert all(n in known or n / 2 in known for name, n in found)
    assert not found & _sizes([spec for spec in specs if not spec.part])
    for name in ("described", "sound"):
        assert not any(spec.part == BETWEEN for spec in sorting.grid("laptop", name))


def _sizes(specs):
    return {(spec.model.name, spec.task.train) for spec in specs}


def test_settings_tables_say_in_words_where_there_are_more_trials():
    rows = {row["item"]: row for row in settings_table(PROTOCOLS)}
    (told,) = [row for item, row in rows.items() if item.startswith("trials where more")]
    for name, protocol in PROTOCOLS.items():
        words, source = told[name].removesuffix(")").split(" (", 1)
        read = []
        for one in words.split("; "):
            point, trials = one.split(": ")
            model, *sizes = point.split(", ")
            read.append((model, tuple(map(int, sizes)), int(trials)))
        assert read == list(protocol.deciding.value) and source == protocol.deciding.source


def test_paper_grid_has_the_papers_points_and_trials():
    """Each model at each size once, all trials in one run."""
    figure = published("fig_v3_05a")
    specs = [one for one in sorting.grid("paper", "described") if one.model.name in MAIN]
    points = Counter((spec.model.name, spec.task.train) for spec in specs)
    sizes = {n for _, n in points}
    assert points == Counter(product(MAIN, sizes)) and sizes >= set(figure["x"])
    (trials,) = {spec.trials for spec in specs}
    assert trials.first == 0 and trials.count >= figure["n"].max()


def test_further_models_smaller_batches_and_long_runs_under_one_protocol_each():
    amount = sorting.profiles["laptop"]
    first, *baselines = MAIN
    wanted = {
        "described": {*product(FURTHER, amount.further_sizes)},
        "published": {
            *product([f"{name}_128" for name in baselines], amount.batch_sizes),
            *product([f"{first}_128"], amount.sizes),
        },
        "sound": {*product([f"{name}_long" for name in baselines], amount.long_sizes)},
    }
    for name in PROTOCOLS:
        specs = [one for one in sorting.grid("laptop", name) if not one.part]
        found = {(one.model.name, one.task.train) for one in specs if one.model.name not in MAIN}
        assert found == wanted[name]


def test_trials_share_or_draw_data():
    task = replace(TASK, train=50, validation=20, test=20, pool=100)
    one, other = (trial(task, number, None) for number in (0, 1))
    assert not np.array_equal(one.objects.vectors, other.objects.vectors)
    one, other = (trial(task, number, 0) for number in (0, 1))
    assert np.array_equal(one.objects.vectors, other.objects.vectors)
    assert np.array_equal(one.split.test, other.split.test)
    assert not np.array_equal(one.split.train, other.split.train)
    fewer = trial(replace(task, train=20), 0, 0)
    assert np.array_equal(fewer.split.train, one.split.train[:20])
    with pytest.raises(ValueError, match="train is 101; allowed: 1 to 100 sequences"):
        trial(replace(task, train=101), 0, None)


def test_decoder_reads_the_start_token_first():
    assert prefixes(torch.tensor([[2, 0, 1]])).tolist() == [[3, 2, 0]]


@pytest.mark.slow
def test_scores_against_counting_one_sequence_at_a_time():
    """Greedy tokens from whole forward passes over growing prefixes, counted in Python."""
    spec = sorting.grid("smoke", "sound")[0]
    task = replace(spec.task, test=12)
    spec = replace(spec, task=task)
    models = [build(spec.model, task).eval() for _ in range(2)]
    for part in (*models[0].parameters(), *models[1].parameters()):
        torch.nn.init.normal_(part, std=0.5)
    parameters = {
        name: torch.stack([dict(model.named_parameters())[name].detach() for model in models])
        for name, _ in models[0].named_parameters()
    }
    sources, argsorts = (torch.from_numpy(part) for part in trial(task, 0, None).examples("test"))
    answers = torch.stack([argsorts, argsorts.flip(0)])
    both = sources.expand(2, *sources.shape)
    spec = replace(spec, trials=replace(spec.trials, count=2))
    found = scores(parameters, Examples((both, prefixes(answers)), answers), spec)
    for index, model in enumerate(models):
        whole, places, forced = [], [], []
        for source, answer in zip(sources, answers[index].tolist(), strict=True):
            tokens = [task.length]
            for place in range(task.length):
                after = model(source[None], torch.tensor([tokens]))[0, -1].argmax().item()
                truth = torch.tensor([[task.length, *answer[:place]]])
                forced.append(model(source[None], truth)[0, -1].argmax().item() == answer[place])
                tokens.append(after)
            places += [one == other for one, other in zip(tokens[1:], answer, strict=True)]
            whole.append(tokens[1:] == answer)
        assert found["full_sequence_accuracy"][index] == pytest.approx(np.mean(whole))
        assert found["elementwise_accuracy"][index] == pytest.approx(np.mean(places))
        assert found["teacher_forcing_accuracy"][index] == pytest.approx(np.mean(forced))
        assert 0 < np.mean(forced) < 1


@pytest.mark.parametrize("name", ["abstractor", "ablation", "transformer", "simple"])
def test_watching_against_the_modules_own_weights(name):
    spec = next(
        one for p in PROTOCOLS for one in sorting.grid("smoke", p) if one.model.name == name
    )
    model = build(spec.model, spec.task).eval()
    for part in model.parameters():
        torch.nn.init.normal_(part, std=0.3)
    seen = watch(spec, 0, model.state_dict(), sequence=3)
    sources, argsorts = trial(spec.task, 0, spec.draw).examples("test")
    model, sources = model.double(), sources.astype(float)
    assert np.array_equal(seen.answer, argsorts[3])
    assert seen.ranks[seen.answer].tolist() == list(range(spec.task.length))
    decoded = greedy_decode(
        model, torch.from_numpy(sources[3:4]), spec.task.length, start=spec.task.length
    )
    assert seen.chosen.tolist() == decoded[0].tolist() == seen.probability.argmax(-1).tolist()
    assert len(seen.attention) == spec.model.decoder_layers
    assert len(seen.relations) == (0 if name == "transformer" else spec.model.abstractor_layers)
    if name in ("abstractor", "simple"):  # whose relations depend on the objects alone
        objects = model.source(torch.from_numpy(sources[3:4]))
        objects = objects if model.encoder is None else model.encoder(objects)
        (abstractor,) = model.abstractors
        layer, symbols = abstractor.layers[0], abstractor.symbols(objects)
        _, wanted = layer.relational(objects, symbols, need_weights=True)
        torch.testing.assert_close(seen.relations[0], wanted[0])


def test_watching_what_cannot_be_watched():
    (spec, *_) = [
        one for one in sorting.grid("smoke", "described") if one.model.name == "relations"
    ]
    with pytest.raises(ValueError, match="spec is a run of relations, which sees no objects"):
        watch(spec, 0, {})
    with pytest.raises(ValueError, match="sequence is 30; allowed: 0 to 29"):
        watch(sorting.grid("smoke", "sound")[0], 0, {}, sequence=30)

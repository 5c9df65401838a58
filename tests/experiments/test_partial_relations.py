"""Architectures on coloured objects: networks, data of a seed, scripts, what a run measures."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from scipy.stats import binomtest

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.partial_relations import measures, run, settings
from abstractor_lib.experiments.sorting import run as sorting
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.tasks import coloured
from abstractor_lib.training.examples import first

EXPERIMENT = experiments.get("partial_relations")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")
PARTS = ("train", "validation", "test")


def spec_of(grid, model, task):
    return next(s for s in grid if (s.model.name, s.task.name) == (model, task))


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def test_networks_are_those_of_v3s_sorter_but_for_inputs_and_answers():
    """386,954 with 12 features and 10 answers (`test_sorting`); here are 16 features, 40 answers.
    Context of its own: a cross-attention (four maps of 64 by 128, biases) and a norm a layer."""
    sizes = {
        name: parameters(run.build(spec_of(LAPTOP, name, "report").model, LAPTOP[0].task))
        for name in settings.NAMES
    }
    more = (16 - 12) * 64 + (41 - 11) * 64 + (40 - 10) * (64 + 1)
    context = 2 * (4 * 64 * 128 + 3 * 128 + 64 + 2 * 64)
    assert sizes["b"] == sizes["d_joined"] == 386_954 + more
    assert sizes["c"] == sizes["d"] == sizes["b"] + context
    assert sizes["transformer"] == 469_898 + more
    assert 1 < sizes["transformer"] / sizes["d"] < 1.04
    assert sizes["a_strict"] < sizes["a"] < sizes["b"]  # without biases


def test_strict_relations_are_of_the_objects_alone():
    """Without positions: abstract states go with the objects' order of relations, and no entry of
    an object with itself. Objects that are exchanged exchange rows and columns of relations."""
    spec = spec_of(LAPTOP, "a_strict", "report")
    model = run.build(spec.model, spec.task).eval()
    assert model.source.positions is None and model.target.positions is not None
    assert (model.source(torch.zeros(1, 10, 16)) == 0).all()  # no bias of the embedder
    x = torch.randn(1, 10, 16)
    order = torch.tensor([1, 0, *range(2, 10)])
    layer = model.abstractors[0].layers[0].relational
    symbols = torch.randn(1, 10, 64)
    _, before = layer(model.source(x), symbols, need_weights=True)
    _, after = layer(model.source(x[:, order]), symbols, need_weights=True)
    torch.testing.assert_close(after, before[..., order, :][..., order])
    assert (before.diagonal(dim1=-2, dim2=-1) == 0).all()


def test_every_task_has_the_same_networks_and_settings():
    plain = [s for s in LAPTOP if not s.model.strict]
    models = {name: {s.model for s in plain if s.task.name == name} for name in coloured.TASKS}
    assert len(set(map(frozenset, models.values()))) == 1
    assert models.keys() == set(coloured.TASKS)
    strict = {s.task.name for s in LAPTOP if s.model.strict}
    assert strict == {name for name in coloured.TASKS if name != "sort"}
    assert len({s.training for s in LAPTOP}) == 1
    assert {run.tokens(s.task) for s in LAPTOP} == {40}


def test_models_and_tasks_of_a_seed_see_the_same_objects_and_colours():
    seen = {s.task.name: run.Part(s.task, 0, "train") for s in SMOKE}
    one, *others = seen.values()
    for other in others:
        np.testing.assert_array_equal(one.sources, other.sources)
        assert (one.answers() != other.answers()).any()
    assert (run.Part(SMOKE[0].task, 1, "train").sources != one.sources).any()


def test_small_training_sets_are_part_of_large_ones():
    few, many = (
        next(s for s in LAPTOP if s.task.sequences.train == size) for size in sorted(SIZES)[:2]
    )
    small, large = (run.Part(s.task, 0, "train") for s in (few, many))
    count = few.task.sequences.train
    np.testing.assert_array_equal(small.sources, large.sources[:count])


SIZES = {s.task.sequences.train for s in LAPTOP}


def test_no_sequence_is_in_two_parts():
    task = next(s for s in LAPTOP if s.task.sequences.train == max(SIZES)).task
    drawn = {part: run.Part(task, 0, part).sequences for part in PARTS}
    rows = {part: set(map(tuple, some.tolist())) for part, some in drawn.items()}
    assert [len(rows[part]) for part in PARTS] == [max(SIZES), 500, 2000]
    assert len(set.union(*rows.values())) == max(SIZES) + 500 + 2000


def test_labels_are_right_by_vectors_alone():
    """The colour is read off the last features, and the order off the attributes' vectors."""
    spec = spec_of(LAPTOP, "d", "sort_and_report")
    part = run.Part(spec.task, 3, "validation")
    objects = sorting.trial(spec.task.sequences, 3, None).objects.vectors
    palette = np.unique(part.sources[..., 12:].reshape(-1, 4), axis=0)
    assert len(palette) == 4
    shades = {}
    for source, answer in zip(part.sources, part.answers(), strict=True):
        places, told = np.divmod(answer, 4)
        ranks = [int((objects == row).all(axis=1).argmax()) for row in source[places, :12]]
        assert ranks == sorted(ranks) and len(set(ranks)) == 10
        for place, shade in zip(places, told, strict=True):
            shades.setdefault(int(shade), set()).add(source[place, 12:].tobytes())
    assert all(len(some) == 1 for some in shades.values()) and len(shades) == 4


def test_the_decoder_reads_the_answers_before():
    spec = spec_of(SMOKE, "d", "sort_and_report")
    found = run.examples(spec)("train")
    sources, shown = found.inputs
    assert sources.shape == (1, 40, 4, 16)
    assert (shown[..., 0] == run.tokens(spec.task)).all()
    assert torch.equal(shown[..., 1:], first(found.targets)[..., :-1])


class Told:
    """In place of the test sequences: what is told of them."""

    def __init__(self, name):
        self.part = run.Part(spec_of(SMOKE, "d", name).task, 0, "test")

    def scores(self, **known):
        given = torch.from_numpy(self.part.answers(**known).copy())
        return run.scores(given, given, self.part)


@pytest.mark.parametrize("name", coloured.TASKS)
def test_scores_of_scripts_are_what_they_know(name):
    told = Told(name)
    right = told.scores()
    wanted = ("full_sequence", "elementwise", "teacher_forcing", "order")
    assert all(right[f"{one}_accuracy"] == 1 for one in wanted)
    ordered, shaded = told.scores(colour=False), told.scores(order=False)
    assert ordered["order_accuracy"] == 1
    assert ordered["elementwise_accuracy"] == right["order_alone_accuracy"]
    assert shaded["elementwise_accuracy"] == right["colours_alone_accuracy"]
    if name == "sort":
        assert "colour_accuracy" not in right
    else:
        assert right["colour_accuracy"] == shaded["colour_accuracy"] == 1
        assert 0.1 < ordered["colour_accuracy"] < 0.45
        assert ordered["colour_accuracy"] < right["counts_alone_accuracy"] < 0.9


@pytest.mark.parametrize("name", settings.NAMES)
def test_a_run_measures_what_it_says(name):
    spec = spec_of(SMOKE, name, "sort_and_report")
    found = outcome(spec, alone()).metrics
    for metric, values in found.items():
        if metric.endswith("_accuracy"):
            assert 0 <= values[0] <= 1, metric
    assert found["full_sequence_accuracy"][0] <= found["order_accuracy"][0]
    assert found["parameters"][0] == parameters(run.build(spec.model, spec.task))
    assert found["updates"] == [4]


SEEDS = 10


def turned(differences):
    """The p value of the test of a mean of zero by changing signs, by another library."""
    how = {"permutation_type": "samples", "n_resamples": np.inf, "alternative": "greater"}
    return stats.permutation_test((differences,), np.mean, **how).pvalue


def frames(apart=0.3):
    def row(model, task, trial, value):
        run = {"model": model, "variant": task, "size": 300, "trial": trial}
        found = {"full_sequence_accuracy": value, "order_accuracy": value + 0.05}
        return {**run, **found, "converged": trial % 2}

    rows = [row("d", "sort_and_report", k, 0.6 + k / 100) for k in range(SEEDS)]
    rows += [row("b", "sort_and_report", k, 0.6 - apart + k / 100) for k in range(SEEDS)]
    return {"sound": pd.DataFrame(rows)}


def test_five_seeds_never_decide():
    """A run may learn all or nothing: five that agree are not rare enough."""
    given = frames()
    given["sound"] = given["sound"].query("trial < 5")
    where = {"task": "sort_and_report", "size": 300}
    (point,) = measures.lead(given, "sound", models=["d", "b"], **where).points
    assert point.interval[1:] == (-1, 1, 5)


def test_measures_of_small_tables():
    where = {"task": "sort_and_report", "size": 300}
    (point,) = measures.lead(frames(), "sound", models=["d", "b"], **where).points
    assert point.interval.estimate == pytest.approx(0.3) and point.interval.low > 0.2
    assert point.label.endswith("10 seeds, 5 of 10 and 5 of 10 converged")
    given = frames(0.05)
    given["sound"].loc[::3, "full_sequence_accuracy"] += 0.1
    (point,) = measures.lead(given, "sound", models=["d", "b"], **where).points
    d, b = (given["sound"].query("model == @name")["full_sequence_accuracy"] for name in "db")
    apart, low = d.to_numpy() - b.to_numpy(), point.interval.low
    assert turned(apart - low - 1e-6) > 0.0125 > turned(apart - low + 1e-6)
    (point,) = measures.reached(frames(), "sound", model="d", above=0.625, **where).points
    assert point.interval[:2] == (0.7, binomtest(7, 10).proportion_ci(0.975).low)  # of two looks
    assert point.label.endswith("7 of 10 seeds, 5 of 10 converged")
    pair = ["order_accuracy", "full_sequence_accuracy"]
    (point,) = measures.beyond(frames(), "sound", model="d", metrics=pair, **where).points
    assert point.interval.estimate == pytest.approx(0.05)
    both = frames()
    alone = both["sound"].query("model == 'd'").assign(variant="sort")
    alone["order_accuracy"] -= np.arange(SEEDS) / 10
    both["sound"] = pd.concat([both["sound"], alone])
    tasks = {"tasks": ["sort_and_report", "sort"], "metric": "order_accuracy"}
    (point,) = measures.of_tasks(both, "sound", model="d", size=300, **tasks).points
    assert point.interval.estimate == pytest.approx(0.45)
    assert point.interval.low > 0.1
    with pytest.raises(NotRun, match="no run of"):
        measures.reached(frames(), "sound", model="c", above=0.5, **where)
    with pytest.raises(NotRun, match="no colour_accuracy of d on sort_and_report at 300"):
        how = {"above": 0.5, "metric": "colour_accuracy"}
        measures.reached(frames(), "sound", model="d", **how, **where)
    apart = frames()
    apart["sound"].loc[apart["sound"]["model"] == "b", "trial"] += SEEDS  # no seed of both
    with pytest.raises(NotRun, match="fewer than two seeds"):
        measures.lead(apart, "sound", models=["d", "b"], **where)
    with pytest.raises(NotRun, match="the sound grid is incomplete"):
        measures.lead({}, "sound", models=["d", "b"], **where)

"""The Abstractor beside its relatives: sizes, data without leakage, what a run measures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.protocol import ours
from abstractor_lib.experiments.relatives import data, grid, measures, results, run, sentences
from abstractor_lib.experiments.relatives.settings import MODELS, TASKS, Task, chosen
from abstractor_lib.findings import rules
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.findings.permutation import paired_interval
from abstractor_lib.records.frame import frame
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.tasks.abstract_rules import GAMES, equalities

EXPERIMENT = experiments.get("relatives")
GRID = EXPERIMENT.grid("laptop", "sound")
LAPTOP = [spec for spec in GRID if spec.part != grid.RATES]
RATES = [spec for spec in GRID if spec.part == grid.RATES]
SMOKE = EXPERIMENT.grid("smoke", "sound")


def label(spec):
    return f"{spec.model.name} {spec.task.name}"


def test_the_grid_has_every_cell_once():
    cells = [(s.task.name, s.task.withheld, s.model.name) for s in LAPTOP]
    assert len(set(cells)) == len(cells) == (4 * 4 + 1) * 10
    for s in LAPTOP:
        claimed = s.task.name != "same_different" and s.task.withheld in (50, 95)
        assert (s.trials.first, s.trials.count) == (0, 10 if claimed else 5)
    assert {s.model.name for s in LAPTOP} == set(MODELS) == set(results.NAMES)
    assert {s.task.name for s in LAPTOP} == set(TASKS) == set(GAMES) == set(results.TITLES)
    for name in TASKS:  # as many updates for all models
        fits = [replace(s.training, learning_rate=0.0) for s in LAPTOP if s.task.name == name]
        assert len(set(map(repr, fits))) == 1


def test_learning_rates_are_tried_with_other_seeds():
    assert len(GRID) == len(LAPTOP) + len(RATES)
    cells = {(s.model.name, s.task.name, s.training.learning_rate) for s in RATES}
    assert len(cells) == len(RATES) == 10 * 3 * 4
    seeds = {seed for spec in RATES for seed in spec.trials}
    assert seeds == {100, 101, 102, 103} and not any(seeds & set(s.trials) for s in LAPTOP)
    for spec in RATES:
        usual = next(s for s in LAPTOP if (s.model, s.task) == (spec.model, spec.task))
        rate = spec.training.learning_rate
        assert replace(usual.training, learning_rate=rate) == spec.training


def test_each_model_has_the_best_rate_that_was_tried():
    """As soon as all of them have been; until then each has the usual one."""
    settings = EXPERIMENT.protocols["sound"]
    records = Workspace().records("relatives")
    tried = [records[spec.id] for spec in RATES if spec.id in records]
    rows = frame(tried, EXPERIMENT.columns, EXPERIMENT.derived)
    usual = 5e-4
    expected = dict.fromkeys(MODELS, usual)
    if len(tried) == len(RATES):
        means = results.rates(rows)
        expected = results.best_rates(means, usual).to_dict()
        of_three = results.best_rates(means.drop(columns=8e-3), usual)  # added after a look
        changed = [name for name in MODELS if of_three[name] != expected[name]]
        assert changed == ["relation_network"]
    assert {name: chosen(settings, name) for name in MODELS} == expected


def test_rates_are_in_the_order_of_the_models():
    settings = replace(EXPERIMENT.protocols["sound"], learning_rates=ours(tuple(range(10))))
    assert [chosen(settings, name) for name in MODELS] == list(range(10))


def test_a_table_tells_the_runs_that_choose_rates_from_the_others():
    tried, compared = RATES[0].canonical(), LAPTOP[0].canonical()
    assert EXPERIMENT.columns(tried)["variant"] == "match_to_sample, learning rates"
    assert EXPERIMENT.columns(compared)["variant"] == "match_to_sample"
    table = frames()["sound"]
    more = table.assign(variant="identity_rules, learning rates", trial=100, test_accuracy=0.0)
    for say in (results.hardest, results.sizes, results.baselines):
        both = say(pd.concat([table, more]))
        assert both.equals(say(table))
    assert results.accuracies(pd.concat([table, more]), 95).equals(results.accuracies(table, 95))


@pytest.mark.parametrize("spec", [s for s in LAPTOP if s.task.withheld == 95], ids=label)
def test_parameters_are_matched_within_two_percent(spec):
    model = run.build(spec.model, spec.task, 0)
    assert run.count(model.answer) == pytest.approx(spec.model.parameters, rel=0.02)
    assert run.count(model.embed) == run.count(run.build(LAPTOP[0].model, LAPTOP[0].task, 0).embed)


@pytest.mark.parametrize(
    ("name", "withheld"),
    [*((name, m) for name in TASKS for m in (0, 50, 85, 95)), ("same_different", 98)],
)
def test_test_sequences_share_nothing_with_training(name, withheld):
    spec = next(s for s in LAPTOP if (s.task.name, s.task.withheld) == (name, withheld))
    parts = {one: data.sequences(spec.task, 3, one) for one in ("train", "validation", "test")}
    for part, (drawn, answers) in parts.items():
        few = (name, withheld, part) == ("distribution_of_three", 95, "train")
        assert len(drawn) == len(answers) == (360 if few else getattr(spec.task, part))
        if not few:
            assert np.ptp(np.bincount(answers, minlength=GAMES[name].answers)) <= 1
    seen = np.concatenate([parts["train"][0], parts["validation"][0]])
    tested = parts["test"][0]
    assert not {row.tobytes() for row in tested} & {row.tobytes() for row in seen}
    if withheld:
        assert seen.max() < 100 - withheld <= tested.min() and tested.max() < 100
    else:
        assert not {row.tobytes() for row in tested[:, :2]} & {row.tobytes() for row in seen[:, :2]}
        assert set(seen.ravel()) == set(range(100))


def test_few_problems_are_trained_on_once():
    """All 360 of five objects, in random order; answers are not balanced to the last one."""
    spec = next(s for s in LAPTOP if s.task.name == TASKS[2] and s.task.withheld == 95)
    drawn, answers = data.sequences(spec.task, 0, "train")
    assert len(drawn) == len({row[:5].tobytes() for row in drawn}) == 5 * 4 * 3 * 6
    assert np.bincount(answers).min() > 60 and np.ptp(drawn[:20, 0]) > 0


@pytest.mark.parametrize("withheld", [50, 85, 95])
@pytest.mark.parametrize("name", TASKS)
def test_test_and_training_have_the_same_patterns(name, withheld):
    """Only objects are new, and not which of them are equal; 360 problems miss a few patterns."""
    spec = next(s for s in LAPTOP if (s.task.name, s.task.withheld) == (name, withheld))
    parts = [data.sequences(spec.task, 0, part)[0] for part in ("train", "test")]
    train, test = ({row.tobytes() for row in equalities(drawn)} for drawn in parts)
    few = (name, withheld) == ("distribution_of_three", 95)
    assert len(test - train) <= (0.12 if few else 0.02) * len(test)


def test_withheld_objects_are_the_same_for_every_model_and_task_and_others_for_each_seed():
    assert sorted(data.order(0)) == list(range(100))
    assert not (data.order(0) == data.order(1)).all()
    one, other = [s for s in LAPTOP if s.task.name == TASKS[1] and s.task.withheld == 85][:2]
    for part in ("train", "validation", "test"):
        first, second = run.examples(one, part), run.examples(other, part)
        assert torch.equal(first.inputs, second.inputs)
        assert torch.equal(first.targets, second.targets)


def test_each_trial_is_trained_on_its_own_images():
    """Trained together, trials do as each would alone, but for its order of batches."""
    spec = next(s for s in SMOKE if s.task.name == "match_to_sample" and s.model.name == "mlp")
    both = replace(spec, trials=replace(spec.trials, first=2, count=2))
    found = outcome(both, alone())
    assert len(found.metrics["test_accuracy"]) == 2
    near = [run.neighbours(spec.task, trial) for trial in (2, 3)]
    assert found.metrics["neighbour_accuracy"] == near
    assert not torch.equal(run.pictures(2), run.pictures(3))
    first, second = run.examples(both, "test").inputs
    assert not torch.equal(first, second)


def test_embedding_each_object_once_gives_what_each_image_gives(double):
    spec = next(s for s in SMOKE if s.task.name == "identity_rules" and s.model.name == "mlp")
    model = run.build(spec.model, spec.task, 0).to(torch.float64)
    numbers = run.examples(spec, "train").inputs[0][:5]
    each = model.embed(model.images[numbers.flatten()]).unflatten(0, numbers.shape)
    expected = model.answer(model.norm(each))
    torch.testing.assert_close(model.train()(numbers), expected)
    torch.testing.assert_close(model.eval()(numbers), expected)


def test_training_never_reads_a_withheld_image():
    spec = next(s for s in SMOKE if s.task.name == "identity_rules" and s.model.name == "mlp")
    model = run.build(spec.model, spec.task, 0)
    numbers = run.examples(spec, "train").inputs[0][:5]
    before = model(numbers)
    model.images = model.images.clone()
    model.images[5:] = float("nan")
    assert torch.equal(model(numbers), before)


def test_as_many_equal_pairs_are_held_out_as_others():
    """Where nothing is withheld, tests are as training but for what they hold out."""
    first, second = np.divmod(np.arange(100 * 100), 100)
    pairs = np.stack([first, second], axis=1)
    chosen = data.held_out(pairs)
    assert chosen[first == second].mean() == chosen[first != second].mean() == 0.1


@pytest.mark.parametrize(
    "name", ["abstractor", "symmetric_abstractor", "linear_abstractor", "corelnet", "esbn"]
)
def test_relational_models_read_inner_products_alone(name, double):
    """With an orthogonal map of normalised objects, undone in the projections if there are any,
    nothing changes."""
    spec = next(s for s in LAPTOP if s.task.name == "match_to_sample" and s.model.name == name)
    body = run.body(spec.model, 6)[0].to(torch.float64)
    x = torch.randn(3, 6, spec.model.dim)
    turn = torch.linalg.qr(torch.randn(spec.model.dim, spec.model.dim))[0]
    before = body(x)
    with torch.no_grad():
        for layer in body.modules():
            for part in ("query", "key", "left", "right"):
                project = getattr(layer, part, None)
                if project is not None:
                    project.weight.copy_(project.weight @ turn.T)
    torch.testing.assert_close(body(x @ turn.T), before)


def test_a_symmetric_abstractor_shares_query_and_key():
    spec = next(s for s in LAPTOP if s.model.name == "symmetric_abstractor")
    attention = run.body(spec.model, 2)[0][0].layers[0].relational
    x = torch.randn(1, 2, spec.model.dim)
    scores = attention.query(x) @ attention.query(x).transpose(-2, -1)
    assert attention.key is None
    torch.testing.assert_close(scores, scores.transpose(-2, -1))


def test_equal_objects_are_a_constant_after_the_norm():
    """So same or different is easy before a model reads it."""
    spec = next(s for s in LAPTOP if s.task.name == "same_different")
    model = run.build(spec.model, spec.task, 0)
    table = model.embed(model.images)
    pairs = torch.tensor([[3, 3], [70, 70], [3, 70]])
    same, other, different = model.norm(table[pairs])
    torch.testing.assert_close(same, other)
    assert (different - same).abs().max() > 0.5


def test_pairs_of_match_to_sample_are_normalised_by_themselves():
    spec = next(s for s in LAPTOP if s.task.name == "match_to_sample")
    model = run.build(spec.model, spec.task, 0)
    table = model.embed(model.images)
    six = torch.tensor([[3, 3, 8, 9, 5, 5]])
    normed = model.norm(table[six])
    torch.testing.assert_close(normed[:, 2:4], model.norm(table[six.roll(2, 1)])[:, 4:])
    torch.testing.assert_close(normed[0, 0], normed[0, 5])  # of equal objects nothing is left


def test_the_nearest_training_sequence_is_about_as_good_as_not_looking():
    for name, game in GAMES.items():
        spec = next(s for s in LAPTOP if s.task.name == name and s.task.withheld == 95)
        small = replace(spec.task, train=500, test=200, compared=100)
        found = run.neighbours(small, 0)
        assert 1 / game.answers - 0.2 < found < 0.9


def test_a_table_of_equal_objects_answers_withheld_ones():
    """Which objects are equal is enough: looked up from training sequences, it is right on nearly
    all sequences of withheld objects."""
    for name in TASKS:
        spec = next(s for s in LAPTOP if s.task.name == name and s.task.withheld == 85)
        drawn, answers = data.sequences(spec.task, 0, "train")
        known = {one.tobytes(): k for one, k in zip(equalities(drawn), answers, strict=True)}
        drawn, answers = data.sequences(spec.task, 0, "test")
        said = [known.get(one.tobytes(), -1) for one in equalities(drawn)]
        assert np.mean(said == answers) > 0.95


@pytest.mark.first(13)
@pytest.mark.parametrize("spec", SMOKE, ids=label)
def test_a_run_measures_the_model_and_what_needs_none(spec):
    found = outcome(spec, alone()).metrics
    for name in ("test_accuracy", "known_accuracy", "neighbour_accuracy", "validation_accuracy"):
        assert 0 <= found[name][0] <= 1
    model = run.build(spec.model, spec.task, 0)
    assert found["parameters"][0] == run.count(model)
    assert found["parameters"][0] - found["encoder_parameters"][
        0
    ] - 2 * spec.model.dim == run.count(model.answer)


def frames(seeds=5, missing=()):
    random = np.random.default_rng(0)
    rows = []
    for k, model in enumerate(MODELS):
        for task in TASKS:
            for withheld in (0, 50, 95):
                for trial in range(seeds):
                    if (model, task) in missing:
                        continue
                    value = 0.95 - 0.05 * k + 0.01 * random.standard_normal()
                    run_ = {"model": model, "variant": task, "size": withheld, "trial": trial}
                    numbers = {"test_accuracy": value, "known_accuracy": 0.99, "updates": 10}
                    sizes = {"parameters": 70_000 + k, "encoder_parameters": 10_000}
                    rows.append(
                        run_ | numbers | sizes | {"neighbour_accuracy": 0.5, "converged": 1}
                    )
    return {"sound": pd.DataFrame(rows)}


def values(table, model, task):
    rows = table[table["model"].eq(model) & table["variant"].eq(task) & table["size"].eq(95)]
    return rows.set_index("trial")["test_accuracy"]


def test_leads_are_paired_by_seed():
    given = frames(seeds=10)
    pair, tasks = ["abstractor", "transformer"], list(results.HARD)
    (point,) = measures.lead(given, "sound", models=pair, tasks=tasks, withheld=95).points
    table = given["sound"]
    means = [sum(values(table, name, task) for task in tasks) / 3 for name in pair]
    expected = paired_interval((means[0] - means[1]).tolist())
    assert tuple(point.interval) == pytest.approx(expected)
    near = stats.ttest_rel(*means).confidence_interval()
    assert point.interval.low == pytest.approx(near.low, abs=0.005)
    assert point.interval.high == pytest.approx(near.high, abs=0.005)
    each = measures.lead(given, "sound", models=pair, tasks=tasks, withheld=95, each=True).points
    assert [one.label.split(", ")[1] for one in each] == tasks
    apart = values(table, pair[0], tasks[0]) - values(table, pair[1], tasks[0])
    assert each[0].interval.estimate == pytest.approx(apart.mean())


def test_who_has_not_learned_settles_nothing():
    given = frames()
    given["sound"].loc[given["sound"]["model"].eq("transformer"), "known_accuracy"] = 0.5
    measured = measures.lead(
        given, "sound", models=["abstractor", "transformer"], tasks=list(TASKS), withheld=95
    )
    point = measured.points[0]
    assert (rules.settled(point.rising), rules.settled(point.falling)) == (1.0, 0.0)
    assert "20 of 20 and 0 of 20 learned" in measured.points[0].label


def test_what_is_known_by_heart_is_not_learned():
    """With 95 withheld it is asked whether the same seed learned the task with 50."""
    given = frames()
    table = given["sound"]
    here = table["model"].eq("transformer") & table["size"].eq(50) & table["trial"].eq(3)
    table.loc[here, "known_accuracy"] = 0.5
    how = {"models": ["abstractor", "transformer"], "tasks": list(results.HARD)}
    for withheld, learned in ((50, 12), (95, 12), (0, 15)):
        (point,) = measures.lead(given, "sound", withheld=withheld, **how).points
        assert f"15 of 15 and {learned} of 15 learned" in point.label
    without = {"sound": table[table["size"].ne(50)]}
    (point,) = measures.lead(without, "sound", withheld=95, **how).points
    assert "0 of 15 and 0 of 15 learned" in point.label


def test_what_is_lost_is_paired_by_seed():
    given, tasks = frames(seeds=10), list(results.HARD)
    how = {"models": ["mlp"], "tasks": tasks, "withheld": [50, 95]}
    (point,) = measures.drop(given, "sound", **how).points
    table = given["sound"].query("model == 'mlp' and variant in @tasks")
    few, many = (
        table[table["size"] == size].groupby("trial")["test_accuracy"].mean() for size in (50, 95)
    )
    assert tuple(point.interval) == pytest.approx(paired_interval((few - many).tolist()))


def test_seeds_that_reach_a_level_are_counted():
    how = {"models": ["mlp", "esbn"], "tasks": list(TASKS), "withheld": 0}
    given = frames(seeds=10)
    rows = given["sound"].query("model == 'mlp' and variant == 'same_different' and size == 0")
    given["sound"].loc[rows.index, "test_accuracy"] = [0.5, *[0.99] * (len(rows) - 1)]
    found = measures.reached(given, "sound", above=0.9, **how)
    assert len(found.points) == 8 and found.points[0].label.startswith("mlp, same_different, 9 of")
    exact = stats.binomtest(9, 10).proportion_ci(1 - 0.05 / 8, "exact")
    assert tuple(found.points[0].interval) == pytest.approx((0.9, exact.low, exact.high, 10))


def test_what_is_missing_is_not_run():
    given = frames(missing=[("esbn", "identity_rules")])
    how = {"tasks": list(results.HARD), "withheld": 95}
    with pytest.raises(NotRun, match="no run of esbn on identity_rules with 95 withheld"):
        measures.lead(given, "sound", models=["abstractor", "esbn"], **how)
    with pytest.raises(NotRun, match="the sound grid is incomplete"):
        measures.lead({}, "sound", models=["abstractor", "esbn"], **how)
    with pytest.raises(NotRun, match="fewer than two seeds"):
        measures.reached(frames(seeds=1), "sound", models=["mlp"], above=0.9, **how)


def test_tables_are_of_runs():
    table = frames()["sound"]
    assert results.baselines(table).loc["identity rules"].tolist() == [0.25, 2 / 3, 5 / 9, 0.5]
    shown = results.accuracies(table, 95)
    assert list(shown.index) == list(results.NAMES.values())
    assert shown.loc["Abstractor", "match to sample"].endswith("(5 of 5)")
    assert results.sizes(table).loc["Abstractor"].tolist() == [60_000, 60_000]
    assert list(results.hardest(table).index) == list(MODELS)


@pytest.mark.parametrize(
    "name",
    [
        "beside_the_transformer",
        "strongest",
        "as_published",
        "carried_over",
        "learned_or_not",
        "settled_by_the_norm",
        "practitioner",
    ],
)
def test_sentences_stand_without_records_and_with_them(name):
    say = EXPERIMENT.sentence(name)
    assert say({}).text == "(not run)" and say({}).because == (False,)
    said = say(frames())
    assert all(said.because) and said.text.startswith("**")


@pytest.mark.parametrize(
    "name", ["beside_the_transformer", "strongest", "learned_or_not", "settled_by_the_norm"]
)
def test_sentences_stand_with_the_main_part_alone(name):
    table = frames()["sound"]
    main = table["size"].isin(grid.CLAIMED) & table["variant"].ne("same_different")
    said = EXPERIMENT.sentence(name)({"sound": table[main]})
    assert "nan" not in said.text
    assert ("not run" in said.text) == (name == "settled_by_the_norm")
    assert all(said.because)


def test_a_model_without_runs_at_50_has_no_row():
    """As in the tiny grid."""
    given = frames()
    table = given["sound"]
    given["sound"] = table[~(table["model"].eq("linear_abstractor") & table["size"].eq(50))]
    text = sentences.carried_over(given).text
    assert "| symmetric Abstractor |" in text and "| linear Abstractor |" not in text


def test_the_sentence_on_failures_counts_them():
    given = frames()
    table = given["sound"]
    table.loc[
        table["model"].eq("mlp") & table["variant"].eq("identity_rules"), "known_accuracy"
    ] = 0
    said = sentences.learned_or_not(given)
    assert said.values["failed"] == 15 and "MLP on identity rules (15)" in said.text


def test_norms_alone_settle_comparisons_of_two():
    for name, least in (("same_different", 0.99), ("match_to_sample", 0.99)):
        assert run.by_norms(Task(name, 50, 2000, 10, 500, 10), trial=0) > least

"""The robust recovery experiment: data, known transition, trained symbols, levels."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from statsmodels.stats.proportion import proportion_confint

from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.order.inspect import messages as order_messages
from abstractor_lib.experiments.order.run import build as build_order
from abstractor_lib.experiments.order.run import trial as order_trial
from abstractor_lib.experiments.pins import read_pins
from abstractor_lib.experiments.robust_recovery import EXPERIMENT as robust_recovery
from abstractor_lib.experiments.robust_recovery import grid, measures
from abstractor_lib.experiments.robust_recovery.run import problems
from abstractor_lib.experiments.robust_recovery.settings import Task
from abstractor_lib.experiments.sorting import EXPERIMENT as sorting
from abstractor_lib.experiments.sorting.inspect import messages as sorting_messages
from abstractor_lib.experiments.sorting.run import build, prefixes, trial
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.records.frame import frame
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.theory.conditions import gaussian_threshold

SPECS = robust_recovery.grid("laptop", "described")
SMOKE = robust_recovery.grid("smoke", "described")


@pytest.fixture(scope="module")
def parents():
    """The smoke profile's trained models and their weights, trained once."""
    chosen = {one.task.symbols: one for one in SMOKE if one.parents}
    context = alone()
    return {which: context.parent(spec, "symbols") for which, spec in chosen.items()}


def given(spec, parents):
    """A context that has the weights of a spec's parent."""
    model, state = parents[spec.task.symbols]
    assert spec.parents["symbols"] == model
    return Context(load=lambda parent: state)


def test_against_the_known_transition():
    """Relations come back 0.1 below the share of errors that theory names, not 0.1 above."""
    known = gaussian_threshold(0.2)
    (spec,) = [
        one
        for one in SPECS
        if (one.task.symbols, one.task.rows, one.task.columns) == ("gaussian", 200, 40)
        and (one.task.corruption, one.task.errors) == ("gaussian", 0.3)
        and (one.model.name, one.trials.first) == ("recovery", 0)
    ]
    few = replace(spec.trials, count=3)
    shares = {}
    for errors in (known - 0.1, known + 0.1):
        task = replace(spec.task, errors=errors)
        found = outcome(replace(spec, task=task, trials=few)).metrics
        shares[errors > known] = np.mean(found["recovered"])
        assert max(found["squares_recovered"]) == 0
    assert shares[False] > 0.9 and shares[True] < 0.1


def test_grid():
    assert robust_recovery.grid("laptop", "sound") == []
    assert len({one.id for one in SPECS}) == len(SPECS)
    one = next(one for one in SPECS if one.parents)
    again = robust_recovery.spec(one.canonical())
    assert again == one and again.parents["symbols"].spec == one.parents["symbols"].spec
    unknown = {"symbols": {"run": "0" * 64, "trial": 0}}
    with pytest.raises(ValueError, match="symbols is the run '000000000000'; expected one of thos"):
        robust_recovery.spec({**one.canonical(), "parents": unknown})


def test_further_trials_of_the_sizes_that_are_compared():
    """Beside the first ones: with Gaussian errors at every m / d and share of errors; with the
    other independent errors where eq. 3.15 is small, which holds every cell that claims judge."""
    amount = robust_recovery.profiles["laptop"]
    trials = {}
    for one in SPECS:
        if one.model.name == "recovery" and one.task.symbols == "gaussian":
            key = one.task.corruption, one.task.rows, one.task.columns, one.task.errors
            trials.setdefault(key, set()).update(one.trials)
    for (kind, rows, columns, errors), numbers in trials.items():
        expected = amount.trials
        if kind == "gaussian" and rows in amount.compared:
            expected += amount.further
        elif kind in ("heavy_tailed", "one_sided") and rows == amount.rows:
            small = measures.short_form(columns / rows, errors) <= amount.small
            expected += amount.more * bool(small)
        assert numbers == set(range(expected)), (kind, rows, columns)
    records = Workspace().records("robust_recovery").values()
    table = frame(records, robust_recovery.columns, robust_recovery.derived)
    judged = measures.cells_inside(table, ["heavy_tailed", "one_sided"], rows=amount.rows)
    assert len(judged) and (measures.short_form(judged.ratio, judged.errors) <= amount.small).all()


def test_parents_are_pinned_and_ship():
    """Each is named with its whole spec; those of the laptop profile left their weights."""
    workspace = Workspace()
    assert {one.id for one in robust_recovery.starts_from()} == set(robust_recovery.parents)
    for profile, specs in (("smoke", SMOKE), ("laptop", SPECS)):
        wanted = {one.parents["symbols"].spec.id for one in specs if one.parents}
        assert wanted == {one.spec.id for one in grid.pins()[profile].values()}
        for parent in grid.pins()[profile].values():
            assert robust_recovery.parents[parent.spec.id] == parent.spec
            assert parent.spec.keep == (parent.artifact,)
    for parent in grid.pins()["laptop"].values():
        record = workspace.records(parent.spec.experiment)[parent.spec.id]
        assert workspace.artifacts.load(record["artifacts"][parent.artifact])


def test_a_parent_keeps_its_id_when_its_grid_grows():
    """No grid is asked for it."""
    parent = grid.pins()["laptop"]["order"]
    sizes = (*order.protocols["sound"].sizes.value, 10_000)
    larger = replace(order, profiles={"laptop": replace(order.profiles["laptop"], sizes=sizes)})
    kept = [one for one in larger.grid("laptop", "sound") if one.keep]
    assert kept and parent.spec.id not in {one.id for one in kept}  # another one is shown now
    assert read_pins(Path(grid.__file__).parent, larger, sorting)["laptop"]["order"] == parent


def test_a_parent_of_another_experiment_is_refused(tmp_path):
    shutil.copy(Path(grid.__file__).parent / "parents.json", tmp_path)
    with pytest.raises(ValueError, match="is a run of 'order'; allowed: sorting"):
        read_pins(tmp_path, sorting)


def test_relations_are_on_the_simplex_and_trials_differ():
    task = Task("gaussian", 12, 5, relations=7)
    ((symbols, relations),) = problems(task, 0, None)
    ((others, _),) = problems(task, 1, None)
    assert symbols.shape == (12, 5) and not np.array_equal(symbols, others)
    np.testing.assert_allclose(relations.sum(axis=1), 1)
    assert relations.shape == (7, 5) and (relations > 0).all()


def test_messages_of_a_sorting_model_add_up_to_what_its_layer_does(parents):
    parent, state = parents["sorting"]
    spec = parent.spec
    found = sorting_messages(spec, parent.trial, state, 2)
    model = build(spec.model, spec.task).eval()
    model.load_state_dict(dict(state))
    module = model.abstractors[0].layers[0].relational
    seen = []
    module.register_forward_hook(lambda _, inputs, output: seen.append(output))
    source, answer = (
        torch.from_numpy(part[:2]) for part in trial(spec.task, 0, None).examples("test")
    )
    with torch.no_grad():
        model(source, prefixes(answer))
        bias = module.output.bias
    states = np.einsum("nhij,hjd->nid", found.relations, found.outputs) + bias.detach().numpy()
    np.testing.assert_allclose(states, seen[0].numpy(), atol=1e-5)
    with pytest.raises(ValueError, match="count is 0; allowed: 1 to"):
        sorting_messages(spec, 0, state, 0)
    ablation = next(
        one for one in sorting.grid("smoke", "described") if one.model.name == "ablation"
    )
    with pytest.raises(ValueError, match="allowed: abstractor"):
        sorting_messages(ablation, 0, {}, 1)


def test_messages_of_an_order_model_add_up_to_what_its_layer_does(parents):
    parent, state = parents["order"]
    spec = parent.spec
    found = order_messages(spec, parent.trial, state, 3)
    model = order_model(spec, state)
    module = model[1][0].layers[0].relational
    seen = []
    module.register_forward_hook(lambda _, inputs, output: seen.append(output))
    data = order_trial(spec.task, parent.trial, spec.draw)
    with torch.no_grad():
        model(torch.from_numpy(data.objects[data.pairs[:3]]))
    states = np.einsum("nrij,rjk->nirk", found.relations, found.values).reshape(3, 2, -1)
    bias = module.message_passing.bias.detach().numpy()
    np.testing.assert_allclose(states + bias, seen[0].numpy(), atol=1e-5)


def order_model(spec, state):
    model = build_order(spec.model, spec.task.dim).eval()
    model.load_state_dict(dict(state))
    return model


@pytest.mark.parametrize("which", ["order", "sorting", "sorting_heads"])
def test_trained_symbols_of_the_smoke_profile(which, parents):
    spec = next(one for one in SMOKE if one.task.symbols == which and one.task.errors == 0.1)
    found = outcome(spec, given(spec, parents)).metrics
    assert all(0 <= share <= 1 for share in found["recovered"])
    wrong = replace(spec, task=replace(spec.task, rows=3))
    with pytest.raises(ValueError, match=f"{which} has symbols of shape"):
        outcome(wrong, given(spec, parents))
    with pytest.raises(ValueError, match=r"the weights of run \w{12} were not given"):
        outcome(spec)


def test_certificates_prove_what_they_say():
    spec = next(one for one in SMOKE if one.model.name == "certificates")
    found = outcome(replace(spec, trials=replace(spec.trials, count=1))).metrics
    assert -1e-12 < found["worst_gap"][0] < 1e-8
    assert found["worst_dual"][0] <= 1e-12 and found["worst_balance"][0] < 1e-9


def test_sizes_of_errors_do_not_change_what_comes_back():
    specs = [one for one in SMOKE if one.model.name == "invariance"]
    found = [outcome(one).metrics for one in specs]
    assert {value for one in found for value in one["changed"]} == {0.0}
    assert {0.0, 1.0} <= {value for one in found for value in one["recovered"]}


def test_levels_of_made_up_recoveries():
    """Recovery that ends where eq. 3.15 is 0.8, with every relation at once."""
    rows = [
        {"rows": 100, "size": m, "ratio": m / 100, "variant": "gaussian", "errors": e, "trial": t}
        for m in (4, 9, 16, 25, 36)
        for e in np.arange(0.05, 0.9, 0.05)
        for t in range(3)
    ]
    table = pd.DataFrame(rows)
    table["short"] = measures.short_form(table.ratio, table.errors)
    below = table.short < 0.8 - 1e-6  # one cell has this level, but for its last digit
    table["recovered"] = below.astype(float)
    assert (table.short[~below].min(), table.short[~below].min() < 0.8) == (
        pytest.approx(0.8),
        True,
    )
    assert measures.fitted_level(table, "short") == pytest.approx(0.8, rel=0.05)
    assert measures.safe_level(table, "short") == table.short[below].max()
    table.loc[table.short.eq(0.8), "recovered"] = 1.0  # an equal level, and unsafe in another cell
    assert measures.safe_level(table, "short") == table.short[below].max()
    ends = measures.thresholds(table).groupby("ratio").threshold.mean()
    some = table[(table.errors > 0.5) & (table.trial == 0)].assign(trial=9)  # no threshold of it
    again = measures.thresholds(pd.concat([table, some]))
    pd.testing.assert_frame_equal(again, measures.thresholds(table))
    for ratio, end in ends.items():
        known = measures.errors_at(0.8, lambda e, r=ratio: measures.short_form(r, e))
        assert end == pytest.approx(known, abs=0.03)


def recovery_rows(recovered, **fields):
    """Made-up runs of ten relations a trial, Gaussian symbols of 200 rows."""
    base = {"model": "recovery", "symbols": "gaussian", "rows": 200, "relations": 10}
    return [{**base, **fields, "trial": t, "recovered": recovered} for t in range(5)]


def made_up(threshold):
    """Every relation comes back up to a share of errors that is a function of m / d."""
    rows = []
    for d in (100, 200):
        for ratio in (0.1, 0.2, 0.4):
            for errors in np.arange(0.05, 0.9, 0.05).round(2):
                for kind in ("gaussian", "dropout"):
                    limit = threshold(ratio) - 0.2 * (kind == "dropout")
                    cell = {"rows": d, "size": round(ratio * d), "ratio": ratio, "errors": errors}
                    rows += recovery_rows(float(errors < limit), variant=kind, **cell)
    return {"described": pd.DataFrame(rows)}


def test_where_recovery_ends_of_made_up_runs():
    """One level of eq. 3.15 is safe for the errors it is fitted on, and not for those that end
    recovery earlier; the number of rows makes no difference."""
    frames = made_up(lambda ratio: 1 - np.sqrt(ratio) / 0.8)
    found = measures.inside(frames, "described", kinds=["gaussian", "dropout"], side="short")
    by_kind = {kind: [] for kind in ("gaussian", "dropout")}
    for point in found.points:  # a cell each
        by_kind[point.label.split(",")[0]].append(point.interval)
    gaussian, dropout = by_kind.values()
    assert len(gaussian) == len(dropout) > 10
    assert {one.estimate for one in gaussian} == {1.0} and min(dropout).estimate == 0
    assert 0.8 < gaussian[0].low < 0.95  # of fifty problems none failed: not that none ever will
    found = measures.same_ratio(frames, "described", rows=[100, 200])
    assert [point.interval.estimate for point in found.points] == [0.0] * 3
    frames["described"].loc[frames["described"].rows == 100, "recovered"] = 0.0
    found = measures.same_ratio(frames, "described", rows=[200, 100])
    assert all(point.interval.low > 0.1 for point in found.points)


def test_shares_of_trained_symbols_of_made_up_runs():
    cell = {"variant": "gaussian", "errors": 0.1, "size": 2}
    rows = [{**one, "symbols": "order"} for one in recovery_rows(0.9, **cell)]
    frames = {"described": pd.DataFrame(rows)}
    (point,) = measures.read_back(
        frames, "described", symbols=["order"], kind="gaussian", errors=0.1
    ).points
    assert point.interval.estimate == pytest.approx(0.9)
    assert point.interval.low == pytest.approx(proportion_confint(45, 50, method="beta")[0])
    with pytest.raises(NotRun, match="no run with the symbols of sorting"):
        measures.read_back(frames, "described", symbols=["sorting"], kind="gaussian", errors=0.1)


@pytest.mark.parametrize("which", ["gaussian", "order", "sorting", "sorting_heads"])
def test_columns_count_the_relations_of_a_trial(which, parents):
    spec = next(one for one in SMOKE if one.task.symbols == which and one.model.name == "recovery")
    read = sum(len(relations) for _, relations in problems(spec.task, 0, parents.get(which)))
    assert robust_recovery.columns(spec.canonical())["relations"] == read

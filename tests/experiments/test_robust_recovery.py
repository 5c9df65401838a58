"""The robust recovery experiment: data, known transition, trained symbols, levels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from statsmodels.stats.proportion import proportion_confint

from abstractor_lib import experiments
from abstractor_lib.execution.compute import outcome, weights
from abstractor_lib.experiments import order, robust_recovery, sorting
from abstractor_lib.experiments.order.inspect import messages as order_messages
from abstractor_lib.experiments.robust_recovery import levels
from abstractor_lib.experiments.robust_recovery.run import problems
from abstractor_lib.experiments.robust_recovery.settings import Task
from abstractor_lib.experiments.sorting.inspect import messages as sorting_messages
from abstractor_lib.experiments.sorting.run import build, prefixes, trial
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.theory.conditions import gaussian_threshold
from abstractor_lib.records.spec import Parent

SPECS = robust_recovery.grid("laptop", "described")
SMOKE = robust_recovery.grid("smoke", "described")


def smoke_sorter():
    (parent,) = {one.parents["symbols"]["run"] for one in SMOKE if one.task.symbols == "sorting"}
    spec = experiments.find(parent)
    return spec, weights(spec, 0)


def test_against_the_known_transition():
    """Relations come back 0.1 below the share of errors that theory names, not 0.1 above."""
    known = gaussian_threshold(0.2)
    (spec,) = [
        one
        for one in SPECS
        if (one.task.symbols, one.task.rows, one.task.columns) == ("gaussian", 200, 40)
        and (one.task.corruption, one.task.errors) == ("gaussian", 0.3)
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
    assert robust_recovery.spec(one.canonical()).id == one.id
    assert experiments.find(one.parents["symbols"]["run"]).id == one.parents["symbols"]["run"]
    with pytest.raises(ValueError, match="in some grid"):
        experiments.find("0" * 64)


def test_relations_are_on_the_simplex_and_trials_differ():
    task = Task("gaussian", 12, 5, relations=7)
    ((symbols, relations),) = problems(task, 0, None)
    ((others, _),) = problems(task, 1, None)
    assert symbols.shape == (12, 5) and not np.array_equal(symbols, others)
    np.testing.assert_allclose(relations.sum(axis=1), 1)
    assert relations.shape == (7, 5) and (relations > 0).all()


def test_messages_of_a_sorting_model_add_up_to_what_its_layer_does():
    spec, state = smoke_sorter()
    found = sorting_messages(spec, 0, state, 2)
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


def test_messages_of_an_order_model_add_up_to_what_its_layer_does():
    spec = next(one for one in order.grid("smoke", "sound") if one.model.name == "abstractor")
    state = weights(spec, spec.trials.first)
    found = order_messages(spec, spec.trials.first, state, 3)
    model = order_model(spec, state)
    module = model[1][0].layers[0].relational
    seen = []
    module.register_forward_hook(lambda _, inputs, output: seen.append(output))
    from abstractor_lib.experiments.order.run import trial as order_trial

    data = order_trial(spec.task, spec.trials.first, spec.draw)
    with torch.no_grad():
        model(torch.from_numpy(data.objects[data.pairs[:3]]))
    states = np.einsum("nrij,rjk->nirk", found.relations, found.values).reshape(3, 2, -1)
    bias = module.message_passing.bias.detach().numpy()
    np.testing.assert_allclose(states + bias, seen[0].numpy(), atol=1e-5)


def order_model(spec, state):
    from abstractor_lib.experiments.order.run import build as build_order

    model = build_order(spec.model, spec.task.dim).eval()
    model.load_state_dict(dict(state))
    return model


@pytest.mark.parametrize("which", ["order", "sorting", "sorting_heads"])
def test_trained_symbols_of_the_smoke_profile(which):
    spec = next(one for one in SMOKE if one.task.symbols == which and one.task.errors == 0.1)
    found = outcome(spec).metrics
    assert all(0 <= share <= 1 for share in found["recovered"])
    wrong = replace(spec, task=replace(spec.task, rows=3))
    with pytest.raises(ValueError, match=f"{which} has symbols of shape"):
        outcome(wrong)


def test_certificates_prove_what_they_say():
    spec = next(one for one in SMOKE if one.model.name == "certificates")
    found = outcome(replace(spec, trials=replace(spec.trials, count=1))).metrics
    assert -1e-12 < found["worst_gap"][0] < 1e-8
    assert found["worst_dual"][0] <= 1e-12 and found["worst_balance"][0] < 1e-9


def test_levels_of_made_up_recoveries():
    """Recovery that ends where eq. 3.15 is 0.8, with every relation at once."""
    rows = [
        {"rows": 100, "size": m, "ratio": m / 100, "variant": "gaussian", "errors": e, "trial": t}
        for m in (4, 9, 16, 25, 36)
        for e in np.arange(0.05, 0.9, 0.05)
        for t in range(3)
    ]
    table = pd.DataFrame(rows)
    table["short"] = levels.short_form(table.ratio, table.errors)
    table["recovered"] = (table.short < 0.8).astype(float)
    assert levels.fitted_level(table, "short") == pytest.approx(0.8, rel=0.05)
    assert levels.safe_level(table, "short") == table.short[table.short < 0.8].max()
    ends = levels.thresholds(table).groupby("ratio").threshold.mean()
    for ratio, end in ends.items():
        known = levels.errors_at(0.8, lambda e, r=ratio: levels.short_form(r, e))
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
    found = levels.inside(frames, "described", kinds=["gaussian", "dropout"], side="short")
    gaussian, dropout = (point.interval for point in found.points)
    assert gaussian.estimate == 1 and dropout.estimate < 0.8
    assert 0.95 < gaussian.low < 1  # of some hundred problems none failed: not that none ever will
    found = levels.same_ratio(frames, "described", rows=[100, 200])
    assert [point.interval.estimate for point in found.points] == [0.0] * 3
    frames["described"].loc[frames["described"].rows == 100, "recovered"] = 0.0
    found = levels.same_ratio(frames, "described", rows=[200, 100])
    assert all(point.interval.low > 0.1 for point in found.points)


def test_shares_of_trained_symbols_of_made_up_runs():
    cell = {"variant": "gaussian", "errors": 0.1, "size": 2}
    rows = [{**one, "symbols": "order"} for one in recovery_rows(0.9, **cell)]
    frames = {"described": pd.DataFrame(rows)}
    (point,) = levels.read_back(
        frames, "described", symbols=["order"], kind="gaussian", errors=0.1
    ).points
    assert point.interval.estimate == pytest.approx(0.9)
    assert point.interval.low == pytest.approx(proportion_confint(45, 50, method="wilson")[0])
    with pytest.raises(NotRun, match="no run with the symbols of sorting"):
        levels.read_back(frames, "described", symbols=["sorting"], kind="gaussian", errors=0.1)


@pytest.mark.parametrize("which", ["gaussian", "order", "sorting", "sorting_heads"])
def test_columns_count_the_relations_of_a_trial(which):
    spec = next(one for one in SMOKE if one.task.symbols == which and one.model.name == "recovery")
    parent = None
    if spec.parents:
        role = spec.parents["symbols"]
        run = experiments.find(role["run"])
        parent = Parent(run, role["trial"], weights(run, role["trial"]))
    read = sum(len(relations) for _, relations in problems(spec.task, 0, parent))
    assert robust_recovery.columns(spec.canonical())["relations"] == read

"""Tables of trials, and names of metrics that carry data, against plain loops."""

import re

import numpy as np
import pandas as pd
import pytest

from abstractor_lib import experiments
from abstractor_lib.experiments.box_world.names import CHANCES, GROUPS
from abstractor_lib.experiments.curves.names import PATTERN, metric_name, of_weights, tidy
from abstractor_lib.experiments.robustness.grid import AT_LEVEL
from abstractor_lib.experiments.same_different.run import TELLS
from abstractor_lib.experiments.set.data import OTHERS
from abstractor_lib.records.frame import frame, unfold
from abstractor_lib.records.workspace import Workspace

MEASURE = r"(?P<measure>\w+?)_(?P<class>line|sine)(?:_step_(?P<step>\d+))?"


NUMBERS = ("step", "layer", "index", "broken")


def one_by_one(table, pattern):
    """What `unfold` is to give: a dictionary for each trial and metric."""
    found = []
    for _, row in table.iterrows():
        others = {name: row[name] for name in table if not re.fullmatch(pattern, name)}
        for name in table:
            match = re.fullmatch(pattern, name)
            if match and pd.notna(row[name]):
                said = {key: value or None for key, value in match.groupdict().items()}
                found.append({**others, **said, "value": row[name]})
    return found


def assert_same(long, rows):
    """That a table has these rows, in any order."""
    wanted = pd.DataFrame(rows)[list(long)]
    numbers = [name for name in NUMBERS if name in wanted]
    wanted[numbers] = wanted[numbers].apply(pd.to_numeric)
    ours, others = (
        one.astype(object).where(one.notna(), None).sort_values(list(long), ignore_index=True)
        for one in (long, wanted)
    )
    pd.testing.assert_frame_equal(ours, others, check_dtype=False)


def test_names_become_columns_as_in_a_loop():
    random = np.random.default_rng(0)
    names = [f"{measure}_{kind}" for measure in ("mse", "sd_long") for kind in ("line", "sine")]
    names += [f"{name}_step_{step:02d}" for name in names for step in (1, 2, 10)]
    table = pd.DataFrame(random.normal(size=(4, len(names))), columns=names)
    table = table.mask(random.random(table.shape) < 0.3)
    table = table.assign(model=["a", "a", "b", "b"], trial=[0, 1, 0, 1], line_step_1=5.0)
    rows = one_by_one(table, MEASURE)
    assert_same(unfold(table, MEASURE), rows)
    assert len(rows) < 4 * len(names)


def test_only_whole_names_are_read():
    table = pd.DataFrame({"mse_line": [1.0], "mse_line_error": [2.0], "best_mse_lines": [3.0]})
    long = unfold(table, MEASURE)
    assert long["value"].tolist() == [1.0]
    assert long[["mse_line_error", "best_mse_lines"]].to_numpy().tolist() == [[2.0, 3.0]]


def test_rows_keep_the_index_of_their_trial():
    table = pd.DataFrame({"mse_line": [1.0, 2.0], "mse_sine": [3.0, None]}, index=[7, 9])
    assert unfold(table, MEASURE)["value"].groupby(level=0).sum().to_dict() == {7: 4.0, 9: 2.0}


@pytest.mark.parametrize("table", [pd.DataFrame(), pd.DataFrame({"model": ["a"]})])
def test_without_such_metrics_there_are_columns_and_no_rows(table):
    long = unfold(table, MEASURE)
    assert long.empty and {"measure", "class", "step", "value"} <= set(long)


def test_names_of_metrics_of_curves_are_read_as_they_were_made():
    for measure in ("mse", "mse_long", "coverage_95", "sd_outside"):
        for weights in ("last", "averaged", "best_loss"):
            for step in (None, 1, 10):
                name = of_weights(metric_name(measure, "rbf", step=step), weights)
                (row,) = tidy(pd.DataFrame({name: [1.0]})).to_dict("records")
                assert (row["measure"], row["class"], row["weights"]) == (measure, "rbf", weights)
                assert row["step"] == step if step else pd.isna(row["step"])
    (row,) = tidy(pd.DataFrame({metric_name("window_a", layer=11): [1.0]})).to_dict("records")
    assert (row["measure"], row["layer"], row["weights"]) == ("window_a", 11, "last")


PATTERNS = {
    "box_world": (GROUPS, CHANCES),
    "curves": (PATTERN,),
    "robustness": (AT_LEVEL,),
    "same_different": (TELLS,),
    "set": (OTHERS,),
}


@pytest.mark.parametrize(("name", "pattern"), [(n, p) for n in PATTERNS for p in PATTERNS[n]])
def test_records_are_unfolded_as_in_a_loop(name, pattern):
    """Each pattern that an experiment declares, on records of each kind of run."""
    experiment = experiments.get(name)
    table = frame(Workspace().records(name).values(), experiment.columns, experiment.derived)
    table = table[table["protocol"] == "described"].drop(columns="draw")
    some = table.groupby(["model", "variant"]).head(1)
    rows = one_by_one(some, pattern)
    assert rows
    assert_same(unfold(some, pattern), rows)

"""Tallies of trials, as sentences print them."""

import math

import pandas as pd

from abstractor_lib.findings.tally import Tally, tallies, tally


def test_values_at_the_level_count_and_missing_ones_do_not():
    found = tally([0.5, 0.499, math.nan, 1.0], 0.5)
    assert found == Tally(2, 3, 0.499, 0.5, 1.0)
    assert (found.all, found.none) == (False, False)
    assert f"{found} {found:n} {found:range} {found:median} {found:greatest}" == (
        "2 of 3 3 0.50 to 1.00 0.50 1.00"
    )
    assert tally([0.9], 0.5).all and tally([0.1], 0.5).none


def test_what_was_not_run_has_no_numbers():
    nothing = tally([math.nan], 0.5)
    assert not nothing.all and not nothing.none
    assert {f"{nothing:{spec}}" for spec in ("", "n", "range", "median", "greatest")} == {
        "(not run)"
    }


def test_tallies_are_of_learning_curves_and_of_tables_with_the_metric():
    rows = {"model": "m", "size": 10, "variant": ["curve", "curve", "draw"]}
    table = pd.DataFrame({**rows, "accuracy": [0.0, 0.9, 0.8]})
    frames = {"sound": table, "published": table.drop(columns="accuracy")}
    assert dict(tallies(frames, 0.5, "accuracy")) == {("sound", "m", 10): tally([0.0, 0.9], 0.5)}
    assert tallies(frames, 0.5, "accuracy")["published", "m", 10] == Tally()

"""Differences of models, seed by seed."""

import pandas as pd
import pytest

from abstractor_lib.findings import by_seed


def test_comparisons_of_one_sign_are_counted():
    values = {"a": ([0.5, 0.7], [0.3, 0.4]), "b": ([0.4, 0.6], [0.5, 0.6]), "c": ([0.1, 0.2], None)}
    rows = [
        {"model": model, "variant": task, "accuracy": value}
        for model, each in values.items()
        for task, seeds in zip(("expand", "add"), each, strict=True)
        for value in seeds or ()
    ]
    others, tasks = {"b": "B", "c": "C"}, ["add", "expand"]
    pairs = by_seed.pairs(pd.DataFrame(rows), "a", others, tasks, "accuracy")
    assert len(pairs) == 12  # "c" has no runs on "add"
    mine = pairs.query("task == 'add' and other == 'B'")["difference"]
    assert sorted(mine) == pytest.approx([-0.3, -0.2, -0.2, -0.1])
    assert by_seed.one_sided(pairs) == (1, 1, 3)  # expand, ahead of C; add, behind B

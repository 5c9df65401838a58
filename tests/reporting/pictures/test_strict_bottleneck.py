"""The picture of the strict bottleneck: what is drawn is what was recorded."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.reporting.pictures import strict_bottleneck as pictures


def table(tasks=("order", "set", "sorting"), arms=("full", "masked", "strict", "pairs")):
    random, rows = np.random.default_rng(0), []
    for task in tasks:
        for arm in arms:
            if task == "sorting" and arm == "strict":
                continue
            for trial in range(5):
                accuracy = 0.8 - 0.1 * (arm == "masked") + 0.01 * trial
                row = {"variant": task, "model": arm, "size": 100, "trial": trial}
                row |= {"test_accuracy": accuracy, "own_chance": 0.3, "own_answer_linear": 0.35}
                row |= {"own_states_network": 0.5 + 0.1 * random.random()}
                rows.append({**row, "own_untrained_network": 0.45})
    return pd.DataFrame(rows)


def test_differences_are_paired_and_probes_have_intervals():
    given = table()
    figure, points = pictures.bottleneck(given)
    assert len(figure.axes) == 4
    accuracy = points[points["what"].eq("accuracy")]
    np.testing.assert_allclose(accuracy[["estimate", "low", "high"]], 0.1, atol=1e-12)
    read = points[points["what"].eq("own_states_network") & points["task"].eq("set")]
    assert read["model"].tolist() == ["full", "masked", "strict", "pairs"]
    some = given[given["variant"].eq("set") & given["model"].eq("masked")]["own_states_network"]
    found = read.set_index("model").loc["masked"]
    assert found["estimate"] == pytest.approx(some.mean()) and found["n"] == 5


def test_what_is_absent_is_left_out():
    figure, points = pictures.bottleneck(table(tasks=("set",), arms=("full",)))
    assert len(figure.axes) == 2
    assert points["what"].unique().tolist() == ["own_states_network", "own_untrained_network"]

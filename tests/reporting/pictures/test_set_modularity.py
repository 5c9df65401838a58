"""Pictures and tables of notebook 11: what is drawn is what a table of trials says."""

import numpy as np
import pandas as pd

from abstractor_lib.reporting.pictures import set_modularity
from abstractor_lib.tasks import set_game


def table(accuracy, variants=("curve",)):
    """Three trials of each variant at two sizes, by model."""
    rows = [
        {"model": model, "variant": variant, "size": size, "trial": 3 * k + trial}
        | {"test_accuracy": value + 0.01 * trial, "converged": trial > 0}
        for model, value in accuracy.items()
        for k, variant in enumerate(variants)
        for size in (20, 40)
        for trial in range(3)
    ]
    return pd.DataFrame(rows)


def test_bounds_are_differences_by_trial_with_those_that_were_added():
    accuracy = {"symbolic_mlp": 0.6, "abstractor_frozen": 0.75, "symbolic_wide": 0.5}
    frames = {"sound": table(accuracy, ("curve", "further")), "described": table(accuracy)}
    figure, points = set_modularity.bounds(frames)
    assert points[points["protocol"] == "sound"]["n"].eq(6).all()
    assert points[points["protocol"] == "described"]["n"].eq(3).all()
    means = points.groupby("model")["mean"].agg(["min", "max"])
    assert np.allclose(means.loc["abstractor_frozen"], 0.15)
    assert np.allclose(means.loc["symbolic_wide"], -0.1)
    lines = {line.get_label(): line for line in figure.axes[2].lines}
    assert np.allclose(lines["Abstractor, frozen"].get_ydata(), 0.15)
    assert "not run" in [text.get_text() for text in figure.axes[1].texts]


def test_the_share_of_trials_that_converged():
    shares = set_modularity.converged(table(dict.fromkeys(set_modularity.LABELS, 0.5)))
    assert shares["model"].tolist() == list(set_modularity.LABELS.values())
    assert np.allclose(shares[["converged", "at the worst size"]], 2 / 3)


def test_pictures_of_cards_name_what_they_show():
    _, points = set_modularity.without_set()
    assert len(set_game.find_sets(points["card"].to_numpy())) == 0 and len(points) == 20
    _, points = set_modularity.game()
    named = {title: some["card"].to_numpy() for title, some in points.groupby("panel")}
    assert sorted(named.pop("the deck")) == list(range(81))
    for title, three in named.items():
        assert set_game.is_set(three) == title.startswith("a SET")


def test_matrices_of_relations():
    values = np.random.default_rng(0).random((4, 81, 81))
    figure, points = set_modularity.relation_matrices(values)
    drawn = [axis.images[0].get_array() for axis in figure.axes[:4]]
    assert np.array_equal(np.stack(drawn), values)
    assert points["relation for shape"].iloc[3] == values[3, 1, 0]

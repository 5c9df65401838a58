"""Pictures of corrupted sorters: whose lines are solid, and what an incomplete grid shows."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.robustness import measures
from abstractor_lib.findings.published import published
from abstractor_lib.reporting.pictures import robustness as pictures


def rows(clean):
    """Two levels of additive noise; the clean accuracy of each trained Ablation."""
    some = [
        {"model": "ablation", "variant": "additive", "trial": trial, "clean_accuracy": accuracy}
        | {"level": level, measures.METRIC: accuracy * (1 - level)}
        for trial, accuracy in enumerate(clean)
        for level in (0.0, 0.5)
    ]
    return pd.DataFrame(some).reindex(columns=[*measures.by_level(None).columns])


def test_the_mean_is_of_models_that_sort_clean_objects():
    _, points = pictures.beside_paper(rows([1.0, 0.96, 0.1]))
    ours = points[points["panel"] == "ours: additive noise"]
    mean = ours[ours["trial"].isna()].set_index("level")[measures.METRIC]
    assert mean.to_dict() == {0.0: pytest.approx(0.98), 0.5: pytest.approx(0.49)}
    assert set(ours["trial"].dropna()) == {0, 1, 2}  # each is drawn all the same
    figure, points = pictures.by_protocol({"sound": rows([1.0, 0.1])})
    assert points["trial"].dropna().unique().tolist() == [1]  # alone, as it does not sort
    styles = {line.get_linestyle() for line in figure.axes[0].lines}
    assert styles == {"-", ":"}


def test_the_papers_panels_hold_the_published_points():
    _, points = pictures.beside_paper(rows([1.0]))
    for panel in (
        "the paper, Figure 8a: additive noise",
        "the paper, Figure 8b: random linear map",
    ):
        drawn = points[(points["panel"] == panel) & (points["model"] == "transformer")]
        name = "fig_v3_08a" if "8a" in panel else "fig_v3_08b"
        expected = published(name, "Transformer")
        assert np.array_equal(drawn[measures.METRIC], expected["mean"])


@pytest.mark.parametrize(
    "draw",
    [
        pictures.beside_paper,
        lambda none: pictures.by_protocol({"sound": none}),
        lambda none: pictures.clean({"sound": none}),
        pictures.areas,
        pictures.distances,
        lambda none: pictures.dimensions(None),
        pictures.drift,
    ],
)
def test_an_incomplete_grid_is_not_run(draw):
    figure, _ = draw(measures.by_level(None))
    assert figure.axes

"""Pictures of SET classification: the proof is one, and titles say what panels show."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.reporting.pictures import set_classification as pictures
from abstractor_lib.tasks.set_game import ATTRIBUTES, attributes, every_triple, find_sets, is_set


def test_a_linear_head_gives_both_kinds_one_mean_and_a_hidden_layer_parts_them():
    _, points = pictures.linear_head()
    linear, hidden = (points[points["panel"] == title] for title in points["panel"].unique())
    for kind in (pictures.SET, pictures.OTHER):
        assert points.groupby("panel")[kind].sum().tolist() == pytest.approx([1, 1])
    means = [linear["score"] @ linear[kind] for kind in (pictures.SET, pictures.OTHER)]
    assert means[0] == pytest.approx(means[1])
    assert hidden.loc[hidden[pictures.SET] > 0, "score"].tolist() == [0]
    assert (hidden.loc[hidden[pictures.OTHER] > 0, "score"] > 0).all()


def test_any_score_of_pairs_has_one_mean():
    """The proof itself, with other scores of one and two cards than the notebook's."""
    pairs = np.random.default_rng(5).exponential(size=(81, 81))
    triples, sets = every_triple(), is_set(every_triple())
    score = sum(pairs[triples[:, i], triples[:, j]] for i in range(3) for j in range(i, 3))
    assert score[sets].mean() == pytest.approx(score[~sets].mean())
    assert len(find_sets(np.arange(81))) == sets.sum()


def test_panels_are_those_of_sizes_and_of_embedders():
    rows = [("abstractor_one_wide", size, v) for size in (1000, 5000) for v in ("curve", "own")]
    table = pd.DataFrame(rows, columns=["model", "size", "variant"])
    shown = pictures.by_size({"published": None, "sound": table})
    assert list(shown) == ["published", "sound, 1,000 triples", "sound, 5,000 triples"]
    assert shown["published"] is None
    assert shown["sound, 5,000 triples"]["size"].tolist() == [5000]
    apart = pictures.by_embedder(table[table["variant"] == "curve"], [1000])
    assert apart["an embedder each, 1,000 triples"] is None
    assert len(apart["one embedder, 1,000 triples"]) == 1
    assert set(pictures.by_embedder(None, [40]).values()) == {None}


def test_a_relation_that_is_agreement_in_one_attribute_shows_in_its_matrix_alone():
    fillings = attributes(np.arange(81))[:, 2]
    agree = (fillings[:, None] == fillings).astype(float)
    figure, points = pictures.relations(agree[None])
    assert len(figure.axes) == 9  # four attributes, for comparison too, and the colour bar
    below = figure.axes[4:8]
    assert [label.get_text() for label in below[1].get_xticklabels()] == ["red", "green", "purple"]
    assert [axis.get_title() for axis in figure.axes[:4]] == list(ATTRIBUTES)
    number = points[(points["relation"] == 0) & (points["attribute"] == "number")]
    assert (number["mean"] > 0).tolist() == (number["first"] == number["second"]).tolist()
    points = points[points["relation"] == 1]
    own = points[points["attribute"] == "filling"]
    even = own["first"] == own["second"]
    share = 26 / 80  # of the other cards agree; the values are 0 and 1
    spread = (share * (1 - share)) ** 0.5
    assert own.loc[even, "mean"].tolist() == pytest.approx([(1 - share) / spread] * 3, abs=0.005)
    assert own.loc[~even, "mean"].tolist() == pytest.approx([-share / spread] * 6, abs=0.005)
    assert points.loc[points["attribute"] != "filling", "mean"].abs().max() < 0.1

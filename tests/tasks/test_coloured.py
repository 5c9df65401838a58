"""Coloured objects: answers against naive loops, colours that tell nothing of order, scripts."""

import numpy as np
import pytest

from abstractor_lib.tasks import coloured, sorting

KINDS = 4


def drawn(count=3000, length=10):
    sequences = sorting.sequences(np.random.default_rng(0), count, length, 48)
    return sequences, coloured.colours(np.random.default_rng(1), count, length, KINDS)


def test_answers_against_a_naive_loop():
    sequences, colours = drawn(50)
    for numbers, shades, *found in zip(
        sequences,
        colours,
        *(coloured.answers(task, sequences, colours, KINDS) for task in coloured.TASKS),
        strict=True,
    ):
        ranked = sorted(range(10), key=lambda place, row=numbers: row[place])
        assert found[0].tolist() == [place * KINDS for place in ranked]
        assert found[1].tolist() == [place * KINDS + shades[place] for place in ranked]
        assert found[2].tolist() == [place * KINDS + shades[place] for place in range(10)]


def test_colours_are_uniform_at_every_rank_and_for_every_object():
    """So that neither says anything about them; 5 standard errors."""
    sequences, colours = drawn()
    told = coloured.answers("sort_and_report", sequences, colours, KINDS) % KINDS
    for rank in range(10):
        shares = np.bincount(told[:, rank], minlength=KINDS) / len(told)
        np.testing.assert_allclose(shares, 1 / KINDS, atol=5 * (0.1875 / 3000) ** 0.5)
    for number in range(48):
        shades = colours[sequences == number]
        shares = np.bincount(shades, minlength=KINDS) / len(shades)
        np.testing.assert_allclose(shares, 1 / KINDS, atol=5 * (0.1875 / len(shades)) ** 0.5)


def test_order_does_not_depend_on_colours():
    """Correlation of rank and colour, 5 standard errors."""
    sequences, colours = drawn()
    ranks = sequences.argsort(axis=1).argsort(axis=1)
    found = np.corrcoef(ranks.ravel(), (colours == 0).ravel())[0, 1]
    assert abs(found) < 5 / colours.size**0.5


@pytest.mark.parametrize(
    ("task", "order_alone", "colours_alone"),
    [("sort", 1.0, 0.1), ("sort_and_report", 0.25, 0.1), ("report", 0.25, 1.0)],
)
def test_scripts_reach_chance_where_they_lack_something(task, order_alone, colours_alone):
    """Elementwise; of whole sequences nothing where they lack something."""
    sequences, colours = drawn()
    truth = coloured.answers(task, sequences, colours, KINDS)
    given = (task, sequences, colours, KINDS)
    for found, wanted in (
        (coloured.scripted(*given, order=True, colour=False), order_alone),
        (coloured.scripted(*given, order=False, colour=True), colours_alone),
    ):
        assert (found == truth).mean() == pytest.approx(wanted, abs=0.02)
        assert (found == truth).all(axis=1).mean() == pytest.approx(float(wanted == 1), abs=0.002)


def test_no_constant_order_is_better_than_another():
    """Each of 200 orders is right at about a tenth of all places; 5 standard errors."""
    sequences, colours = drawn()
    truth = coloured.answers("sort_and_report", sequences, colours, KINDS) // KINDS
    random = np.random.default_rng(2)
    found = [(truth == random.permutation(10)).mean() for _ in range(200)]
    np.testing.assert_allclose(found, 0.1, atol=5 * (0.09 / truth.size) ** 0.5)


def test_who_counts_colours_against_a_naive_loop():
    """And the chance level of it: more than a quarter, less than one half."""
    _, colours = drawn(400)
    found = coloured.counting(colours, KINDS)
    for row, said in zip(colours.tolist(), found.tolist(), strict=True):
        left = [row.count(kind) for kind in range(KINDS)]
        for shade, guess in zip(row, said, strict=True):
            assert left[guess] == max(left)
            left[shade] -= 1
    assert 0.4 < (found == colours).mean() < 0.6


def test_more_sequences_leave_the_colours_of_the_first():
    few, many = (coloured.colours(np.random.default_rng(3), n, 10, 4) for n in (300, 3000))
    np.testing.assert_array_equal(few, many[:300])


def test_painted_appends_the_colours_vector():
    vectors, palette = np.random.default_rng(0).normal(size=(2, 3, 5)), np.eye(4)
    colours = np.array([[0, 1, 2], [3, 3, 0]])
    found = coloured.painted(vectors, colours, palette)
    np.testing.assert_array_equal(found[..., :5], vectors)
    np.testing.assert_array_equal(found[..., 5:].argmax(axis=-1), colours)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="kinds is 1; expected at least 2 colours"):
        coloured.colours(np.random.default_rng(0), 2, 3, 1)
    with pytest.raises(ValueError, match="task is 'sum'; allowed: sort, sort_and_report, report"):
        coloured.answers("sum", *drawn(3), KINDS)
    with pytest.raises(ValueError, match=r"colours has shape \(2, 4\); expected \(2, 3\)"):
        coloured.painted(np.zeros((2, 3, 5)), np.zeros((2, 4), dtype=int), np.eye(4))


@pytest.mark.parametrize("colour", [-1, 2])
def test_a_colour_that_is_none_of_the_kinds_is_refused(colour):
    with pytest.raises(ValueError, match=r"colours holds .*; expected 0 to 1"):
        coloured.answers("report", np.array([[1, 0]]), np.array([[0, colour]]), kinds=2)

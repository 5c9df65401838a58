"""Relations between relations: objects and answers against loops, what one object or pair tells."""

import numpy as np
import pytest

from abstractor_lib.tasks import pairs

COUNT, PAIRS, DIM = 4000, 4, 4
TASKS = {  # cosines, answers, best guesses from the own pair
    "rises": (
        lambda random: pairs.levels(random, COUNT, PAIRS, 12),
        pairs.rises,
        pairs.guess_rises,
    ),
    "rank": (
        lambda random: pairs.levels(random, COUNT, PAIRS, 12),
        pairs.rank,
        lambda found: pairs.guess_rank(found, 12),
    ),
    "same": (
        lambda random: pairs.shared(random, COUNT, PAIRS, 2, 0.7),
        pairs.same,
        lambda found: pairs.guess_same(found, 0.7),
    ),
    "alike": (
        lambda random: pairs.uniform(random, COUNT, PAIRS, 3, -0.4),
        lambda found: pairs.alike(found, 0.23),
        lambda found: pairs.guess_alike(found, 0.23, -0.4),
    ),
}


def drawn(name):
    draw, answer, guess = TASKS[name]
    cosines = draw(np.random.default_rng(0))
    return cosines, answer(cosines), guess(cosines)


def test_answers_against_naive_loops():
    for name in TASKS:
        cosines, answers, _ = drawn(name)
        for values, found in zip(cosines[:200], answers[:200], strict=True):
            for i, one in enumerate(values):
                if name == "rises":
                    wanted = [pairs.NO_ANSWER if i == 0 else int(one[0] > values[i - 1][0])]
                elif name == "rank":
                    wanted = [sum(other[0] < one[0] for other in values)]
                elif name == "same":
                    wanted = [int(tuple(other) == tuple(one)) for other in values]
                else:
                    products = [sum(a * b for a, b in zip(one, two)) for two in values]  # noqa: B905
                    wanted = [int(product > 0.23) for product in products]
                if len(wanted) > 1:
                    wanted[i] = pairs.NO_ANSWER
                assert found[i].tolist() == wanted


@pytest.mark.parametrize("name", TASKS)
def test_objects_have_the_cosines(name):
    cosines, _, _ = drawn(name)
    found = pairs.objects(np.random.default_rng(1), cosines[:300], DIM)
    parts = cosines.shape[2]
    assert found.shape == (300, 2 * PAIRS, parts * DIM + PAIRS + 2)
    np.testing.assert_allclose(pairs.relations(found, parts, DIM), cosines[:300], atol=1e-9)
    for part in range(parts):
        vectors = found[..., part * DIM : (part + 1) * DIM]
        np.testing.assert_allclose((vectors**2).sum(axis=-1), DIM, atol=1e-9)
    named = found[..., parts * DIM :]
    assert (named[..., :PAIRS].argmax(axis=-1) == np.arange(2 * PAIRS) // 2).all()
    assert (named[..., PAIRS:].argmax(axis=-1) == np.arange(2 * PAIRS) % 2).all()


def test_a_single_object_tells_nothing():
    """Features of either object of a pair do not depend on its cosine: means and squares for small
    and large cosines, 5 standard errors; and no object occurs in two pairs."""
    cosines, _, _ = drawn("rank")
    found = pairs.objects(np.random.default_rng(1), cosines, DIM)[..., :DIM]
    large = np.repeat(cosines[..., 0] > 0, 2, axis=1)
    assert len(np.unique(found[:, ::2].reshape(-1, DIM), axis=0)) == COUNT * PAIRS
    for side in (0, 1):
        one, other = found[:, side::2][large[:, ::2]], found[:, side::2][~large[:, ::2]]
        for power in (1, 2):
            apart = (one**power).mean(axis=0) - (other**power).mean(axis=0)
            noise = (
                (one**power).var(axis=0) / len(one) + (other**power).var(axis=0) / len(other)
            ) ** 0.5
            assert (np.abs(apart) < 5 * noise).all()


def test_relations_across_pairs_tell_nothing():
    """The cosine of objects of two pairs is centred and has the variance 1 / d, whatever the
    relations of the pairs are."""
    cosines, _, _ = drawn("rank")
    found = pairs.objects(np.random.default_rng(1), cosines, DIM)[..., :DIM]
    across = (found[:, 0] * found[:, 3]).sum(axis=1) / DIM
    for some in (cosines[:, 1, 0] > 0.4, cosines[:, 1, 0] < -0.4):
        assert abs(across[some].mean()) < 5 * (0.25 / some.sum()) ** 0.5
        assert across[some].var() == pytest.approx(1 / DIM, rel=0.15)


@pytest.mark.parametrize("name", TASKS)
def test_no_answer_from_the_own_pair_is_better(name):
    """Binned by the own relation, the answer most often right in one half of the examples is no
    better than the guess in the other half."""
    cosines, answers, guesses = drawn(name)
    keys = np.round(cosines, 1 if name == "alike" else 6).reshape(COUNT, PAIRS, -1)
    half = COUNT // 2
    table = {}
    for values, row in zip(keys[:half], answers[:half], strict=True):
        for place, (one, told) in enumerate(zip(values, row, strict=True)):
            for number, answer in enumerate(told):
                if answer != pairs.NO_ANSWER:
                    counts = table.setdefault((place, number, tuple(one)), {})
                    counts[answer] = counts.get(answer, 0) + 1
    learned = np.zeros_like(answers)
    for example in range(half, COUNT):
        for place in range(PAIRS):
            for number in range(answers.shape[2]):
                counts = table.get((place, number, tuple(keys[example, place])), {0: 1})
                learned[example, place, number] = max(counts, key=lambda one, c=counts: c[one])
    asked = answers[half:] != pairs.NO_ANSWER
    best = (learned[half:] == answers[half:])[asked].mean()
    ours = (guesses[half:] == answers[half:])[asked].mean()
    assert best < ours + 0.02
    assert ours < 0.8


def test_levels_are_different_and_uniform():
    cosines, _, _ = drawn("rank")
    assert all(len(set(row)) == PAIRS for row in cosines[:, :, 0].tolist())
    _, counts = np.unique(cosines, return_counts=True)
    assert len(counts) == 12
    np.testing.assert_allclose(
        counts / cosines.size, 1 / 12, atol=5 * (1 / 12 / cosines.size) ** 0.5
    )


def test_about_half_of_all_pairs_are_alike():
    _, answers, _ = drawn("alike")
    assert 0.4 < (answers == 1).sum() / (answers != pairs.NO_ANSWER).sum() < 0.6


def test_who_counts_shared_attributes_errs_where_one_of_two_is_shared():
    cosines, answers, _ = drawn("same")
    found = pairs.same_number(cosines)
    wrong = (found != answers) & (answers != pairs.NO_ANSWER)
    one_each = cosines.sum(axis=-1) == 1
    assert (wrong.any(axis=2) <= one_each).all()
    expected = 2 * (0.7 * 0.3) ** 2  # one pair shares the first alone, the other the second alone
    assert wrong.sum() / (answers != pairs.NO_ANSWER).sum() == pytest.approx(expected, abs=0.01)


def test_bad_input_is_named():
    random = np.random.default_rng(0)
    with pytest.raises(ValueError, match="pairs is 1; expected at least 2"):
        pairs.levels(random, 3, 1, 12)
    with pytest.raises(ValueError, match="steps is 3; expected at least 4"):
        pairs.levels(random, 3, 4, 3)
    with pytest.raises(ValueError, match="probability is 1; expected a number between 0 and 1"):
        pairs.shared(random, 3, 4, 2, 1)
    with pytest.raises(ValueError, match="least is 1; expected a cosine below 1"):
        pairs.uniform(random, 3, 4, 2, 1)
    with pytest.raises(ValueError, match="attributes is 0; expected at least 1"):
        pairs.uniform(random, 3, 4, 0, 0)
    with pytest.raises(ValueError, match=r"cosines holds 1.5 or its opposite; allowed: -1 to 1"):
        pairs.objects(random, np.full((1, 2, 1), 1.5), 4)
    with pytest.raises(ValueError, match="dim is 1; expected at least 2"):
        pairs.objects(random, np.zeros((1, 2, 1)), 1)

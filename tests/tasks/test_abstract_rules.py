"""Abstract rules: answers by an independent reading, balance, and what a script can know."""

from collections import Counter

import numpy as np
import pytest

from abstractor_lib.tasks import characters
from abstractor_lib.tasks.abstract_rules import GAMES, equalities, nearest


def pattern(row):
    """Objects by when they first came up, (7, 3, 7) -> (0, 1, 0)."""
    seen = list(dict.fromkeys(row))
    return tuple(seen.index(one) for one in row)


def consistent(name, sequence):
    """Every answer that the rule allows, read off a sequence in another way than it is drawn."""
    s = list(map(int, sequence))
    if name == "same_different":
        return [2 - len(set(s))]
    if name == "match_to_sample":
        source = pattern(s[:2])
        return [k for k in (0, 1) if pattern(s[2 + 2 * k : 4 + 2 * k]) == source]
    if name == "distribution_of_three":
        return [k for k in range(4) if Counter([*s[3:5], s[5 + k]]) == Counter(s[:3])]
    return [k for k in range(4) if pattern([*s[3:5], s[5 + k]]) == pattern(s[:3])]


@pytest.mark.parametrize("objects", [np.arange(5), np.arange(40, 90)], ids=["few", "many"])
@pytest.mark.parametrize("name", GAMES)
def test_one_answer_is_right_and_answers_are_balanced(name, objects):
    game = GAMES[name]
    drawn, answers = game.draw(np.random.default_rng(1), 600, objects)
    assert drawn.shape == (600, game.length) and np.isin(drawn, objects).all()
    assert [consistent(name, one) for one in drawn] == [[k] for k in answers.tolist()]
    assert np.ptp(np.bincount(answers, minlength=game.answers)) == 0


@pytest.mark.parametrize("name", ["distribution_of_three", "identity_rules"])
def test_choices_are_four_different_objects(name):
    drawn, _ = GAMES[name].draw(np.random.default_rng(1), 300, np.arange(5))
    assert all(len(set(row)) == 4 for row in drawn[:, 5:].tolist())


def test_relations_of_source_and_places_of_targets_are_balanced_together():
    drawn, answers = GAMES["match_to_sample"].draw(np.random.default_rng(1), 400, np.arange(9))
    same = drawn[:, 0] == drawn[:, 1]
    assert np.bincount(2 * answers + same).tolist() == [100] * 4
    assert all(len(set(row)) == 5 for row in drawn[~same].tolist())


def test_identity_rules_come_up_alike_and_rows_share_no_object():
    drawn, _ = GAMES["identity_rules"].draw(np.random.default_rng(1), 300, np.arange(5))
    rules = Counter(pattern(row) for row in drawn[:, :3].tolist())
    assert rules == {(0, 1, 0): 100, (0, 1, 1): 100, (0, 0, 0): 100}
    assert not any(set(row[:3]) & set(row[3:5]) for row in drawn.tolist())


def test_what_is_known_without_source_or_first_row():
    """The most frequent answer for each pattern of equal objects after the context's first part."""
    for name, game in GAMES.items():
        first = {"same_different": 1, "match_to_sample": 2}.get(name, 3)
        drawn, answers = game.draw(np.random.default_rng(0), 40_000, np.arange(30))
        votes: dict = {}
        for row, answer in zip(drawn[:, first:].tolist(), answers.tolist(), strict=True):
            votes.setdefault(pattern(row), Counter())[answer] += 1
        found = sum(max(one.values()) for one in votes.values()) / 40_000
        assert found == pytest.approx(game.blind, abs=0.02)


def test_what_is_known_of_how_often_objects_occur():
    """The most frequent answer for each pattern of counts, on other examples. Counts settle all
    tasks but identity rules, where they do not tell ABA from ABB in the second row."""
    for game in GAMES.values():
        votes: dict = {}
        for seed in (0, 1):
            drawn, answers = game.draw(np.random.default_rng(seed), 20_000, np.arange(30))
            counts = [tuple(row.count(one) for one in row) for row in drawn.tolist()]
            if seed == 0:
                for row, answer in zip(counts, answers.tolist(), strict=True):
                    votes.setdefault(row, Counter())[answer] += 1
        said = [votes[row].most_common(1)[0][0] if row in votes else -1 for row in counts]
        assert np.mean(said == answers) == pytest.approx(game.counted, abs=0.02)


def test_equalities_against_a_loop():
    drawn, _ = GAMES["identity_rules"].draw(np.random.default_rng(0), 20, np.arange(6))
    for row, found in zip(drawn, equalities(drawn), strict=True):
        assert found.tolist() == [row[i] == row[j] for i in range(9) for j in range(i + 1, 9)]


def test_equal_objects_settle_every_answer():
    """So a model that sees nothing else can be right everywhere."""
    for game in GAMES.values():
        drawn, answers = game.draw(np.random.default_rng(0), 5000, np.arange(20))
        said: dict = {}
        for seen, answer in zip(equalities(drawn), answers, strict=True):
            said.setdefault(seen.tobytes(), set()).add(int(answer))
        assert all(len(one) == 1 for one in said.values())


def test_against_the_nearest_neighbour_of_scikit_learn():
    from sklearn.neighbors import KNeighborsClassifier

    random = np.random.default_rng(0)
    points = random.standard_normal((12, 3))
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    train, test = random.integers(12, size=(50, 4)), random.integers(12, size=(30, 4))
    answers = random.integers(3, size=50)
    other = KNeighborsClassifier(1).fit(points[train].reshape(50, -1), answers)
    expected = other.predict(points[test].reshape(30, -1))
    assert (nearest(train, answers, test, distances) == expected).all()


def test_few_objects_are_refused():
    for name, game in GAMES.items():
        few = np.arange(game.least - 1)
        with pytest.raises(ValueError, match=f"objects holds {len(few)}; expected at least"):
            game.draw(np.random.default_rng(0), 4, few)
        assert len(game.draw(np.random.default_rng(0), 4, np.arange(game.least))[0]) == 4, name


def test_images_are_a_hundred_different_ones():
    images = characters.characters()
    assert images.shape == (100, 32, 32) and images.dtype == np.uint8
    assert len({one.tobytes() for one in images}) == 100
    assert len(set(characters.CHARACTERS)) == 100
    ink = images.reshape(100, -1).astype(float)
    apart = np.abs(ink[:, None] - ink[None]).mean(axis=-1) + 255 * np.eye(100)
    assert apart.min() > 2  # the closest two differ by more than 2 of 255 in the mean over pixels
    assert ink.mean(axis=1).min() > 5


def test_images_are_those_that_matplotlib_draws():
    """Up to how it smooths edges, which may change with its version."""
    apart = np.abs(characters.characters().astype(float) - characters.drawn())
    assert apart.mean(axis=(1, 2)).max() < 6


def test_images_are_written_and_read(tmp_path):
    characters.write(tmp_path / "some.npz")
    assert (characters.characters(tmp_path / "some.npz") == characters.drawn()).all()


def test_the_file_of_images_is_small():
    from abstractor_lib.paths import data

    assert (data() / "characters.npz").stat().st_size < 60_000

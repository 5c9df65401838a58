"""Worlds of SET for heads: who is drawn, how often, and what the heads show."""

from itertools import combinations

import numpy as np
import pytest

from abstractor_lib.tasks import set_heads
from abstractor_lib.tasks.set_game import attributes
from abstractor_lib.tasks.set_heads import World

CUED = World("near_misses", 0.9)


def broken(cards):
    """By the rule as players say it: in each attribute one or three values."""
    sizes = [[len(set(column)) for column in attributes(triple).T] for triple in cards]
    return np.array(sizes) == 2


def drawn(world, count=4000):
    return set_heads.draw(np.random.default_rng(0), set_heads.whole(), world, count)


@pytest.mark.parametrize("world", [World(), CUED])
def test_labels_follow_the_rule_as_players_say_it(world):
    found = drawn(world, 400)
    assert np.array_equal(found.labels == 1, ~broken(found.cards).any(axis=1))
    assert found.labels.mean() == 0.5


def test_heads_without_noise_show_which_pairs_agree():
    found = drawn(World(), 50)
    for cards, bits in zip(found.cards, found.bits, strict=True):
        values = attributes(cards)
        for place, (i, j) in enumerate(combinations(range(3), 2)):
            assert np.array_equal(bits[:, place] == 1, values[i] == values[j])


def test_bits_are_flipped_as_often_as_they_should():
    flips = (0.0, 0.05, 0.1, 0.2)
    clean, noisy = drawn(World(), 20_000), drawn(World(flips=flips), 20_000)
    assert np.array_equal(clean.cards, noisy.cards)
    apart = (clean.bits != noisy.bits).mean(axis=(0, 2))
    assert apart == pytest.approx(flips, abs=0.01)


def test_near_misses_break_one_attribute_and_the_number_tells_which():
    found = drawn(CUED, 20_000)
    wrong = broken(found.cards[found.labels == 0])
    assert (wrong.sum(axis=1) == 1).all()
    assert wrong[:, 0].mean() == pytest.approx(0.5, abs=0.02)
    agree = (attributes(found.cards)[:, :, 0].std(axis=1) == 0)[found.labels == 0]
    for equal, told in ((True, 1), (False, 2)):
        some = wrong[(agree == equal) & ~wrong[:, 0]]
        assert some[:, told].mean() == pytest.approx(0.9, abs=0.02)
    sets = attributes(found.cards[found.labels == 1])[:, :, 0]
    assert (sets.std(axis=1) == 0).mean() == pytest.approx(0.5, abs=0.02)


def test_parts_share_no_three_cards():
    parts = set_heads.divided(np.random.default_rng(0), (7, 1, 2))
    for one, other in combinations(parts, 2):
        for first, second in zip(one, other, strict=True):
            assert not set(map(tuple, first)) & set(map(tuple, second))
    assert sum(len(part.sets) for part in parts) == 1080
    assert sum(len(part.others) for part in parts) == 84_240


@pytest.mark.parametrize("world", [World(flips=(0.0, 0.05, 0.1, 0.2)), CUED])
def test_the_joint_distribution_against_draws(world):
    exact, found = set_heads.joint(world), drawn(world, 40_000)
    codes = found.bits @ set_heads.BITS
    counted = np.zeros_like(exact)
    np.add.at(counted, (found.labels, *codes.T), 1 / len(codes))
    assert exact.sum() == pytest.approx(1.0)
    for head in range(4):
        others = tuple(k + 1 for k in range(4) if k != head)
        assert np.allclose(exact.sum(axis=others), counted.sum(axis=others), atol=0.012)
    assert np.abs(exact - counted).sum() < 0.25


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (World("all"), "others is 'all'"),
        (World("near_misses", 1.5), "cue is 1.5"),
        (World(flips=(0.1,)), r"flips is \[0.1\]"),
    ],
)
def test_bad_worlds_are_refused_in_one_sentence(world, words):
    with pytest.raises(ValueError, match=words):
        drawn(world, 2)
    if "flips" in words:
        with pytest.raises(ValueError, match=words):
            set_heads.joint(world)


def test_shares_have_to_be_above_zero():
    with pytest.raises(ValueError, match="shares is"):
        set_heads.divided(np.random.default_rng(0), (1, 0))

"""The game of SET: counts, drawing of cards, and what examples hold."""

import hashlib
import re
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path as Outline
from scipy.stats import chisquare, hypergeom

from abstractor_lib.tasks import set_cards, set_game, set_triples
from abstractor_lib.tasks.randomness import generator

PUBLISHED = {"order": "fixed", "positives": "alternate", "negatives": "unverified"}
SOUND = {"order": "shuffled", "positives": "alternate", "negatives": "verified"}


def naive_set(cards):
    """The rule as the box of the game has it."""
    values = [[number // 3**k % 3 for k in range(4)] for number in cards]
    return all(len(set(column)) in (1, 3) for column in zip(*values, strict=True))


def test_counts_of_cards_sets_and_triples():
    triples = set_game.every_triple()
    assert len(triples) == comb(81, 3) == 85_320
    assert len(set_game.every_set()) == 1_080 == 81 * 80 // 6
    assert set_game.is_set(triples).mean() == pytest.approx(1 / 79)  # of each two cards one third


@given(st.lists(st.integers(0, 80), min_size=3, max_size=3, unique=True))
def test_a_set_is_what_the_rule_says(cards):
    assert bool(set_game.is_set(np.array(cards))) == naive_set(cards)


@given(st.integers(0, 80), st.integers(0, 80))
def test_two_cards_are_completed_by_exactly_one(first, second):
    third = int(set_game.completing(np.array(first), np.array(second)))
    others = [n for n in range(81) if n not in (first, second)]
    wanted = [first] if first == second else [n for n in others if naive_set((first, second, n))]
    assert [third] == wanted


@given(st.lists(st.integers(0, 80), min_size=3, max_size=15, unique=True))
def test_found_sets_are_all_there_are(cards):
    wanted = [list(three) for three in combinations(sorted(cards), 3) if naive_set(three)]
    assert set_game.find_sets(np.array(cards)).tolist() == wanted


def test_twenty_cards_without_a_set_and_no_card_can_join_them():
    cards = set_game.without_set()
    assert len(set(cards.tolist())) == 20
    assert not any(naive_set(three) for three in combinations(cards.tolist(), 3))
    for card in set(range(81)) - set(cards.tolist()):
        assert len(set_game.find_sets(np.append(cards, card)))


def test_symbolic_bits_decide_a_set():
    """In each attribute none or all three pairs agree."""
    triples = set_game.every_triple()
    agree = set_game.same(triples).reshape(-1, 4, 3).sum(axis=2)
    assert np.array_equal(((agree == 0) | (agree == 3)).all(axis=1), set_game.is_set(triples))


def test_twelve_dealt_cards_hold_as_many_sets_as_expected():
    expected = comb(12, 3) / 79
    found = [len(set_game.find_sets(set_game.deal(generator(k, "deal")))) for k in range(600)]
    assert np.mean(found) == pytest.approx(expected, abs=4 * np.std(found) / 600**0.5)


def test_deals_that_notebook_10_names_have_no_set_among_twelve_cards():
    for number in (1, 13, 23):
        twelve = set_game.deal(np.random.default_rng(number), 81)[:12]
        assert len(set_game.find_sets(twelve)) == 0


@pytest.mark.parametrize("cards", [[0, 81], [-1], [0.5]])
def test_unknown_cards_are_refused(cards):
    with pytest.raises(ValueError, match="expected whole numbers from 0 to 80"):
        set_game.attributes(np.array(cards))


# --- pictures


def test_the_deck_is_drawn_the_same_everywhere():
    """A hash of its 81 x 50 x 70 x 4 values, rounded to bytes."""
    pixels = (set_cards.deck(alpha=True) * 255).round().astype(np.uint8)
    found = hashlib.sha256(pixels.tobytes()).hexdigest()
    assert found == "bc6a5a57030fb92a776b98d9ced91d35ac939026ac505e0a43db396ea208316b"


@pytest.mark.parametrize("palette", set_cards.PALETTES)
def test_no_two_cards_look_alike(palette):
    deck = set_cards.deck(palette=palette).reshape(81, -1)
    apart = np.abs(deck[:, None] - deck[None]).sum(axis=2)
    assert apart[~np.eye(81, dtype=bool)].min() > 20  # of 10,500


def test_inks_of_the_safe_palette_differ_for_every_eye():
    """By luminance alone (sRGB, Rec. 709), which no kind of colour blindness takes away."""

    def luminance(palette):
        values = np.array(set_cards.PALETTES[palette]) / 255
        linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        return np.sort(linear @ [0.2126, 0.7152, 0.0722])

    def contrast(palette):
        light = luminance(palette) + 0.05
        return (light[1:] / light[:-1]).min()

    assert contrast("colour_blind") > 2 > contrast("classic")


@pytest.mark.parametrize("shape", set_game.VALUES["shape"])
def test_a_solid_symbol_covers_what_matplotlib_says(shape):
    """Of the outline as a polygon, grown by half a line's width."""
    card = int(set_game.card(np.array([0, 0, 0, set_game.VALUES["shape"].index(shape)])))
    high = set_cards.image(card, height=200, width=280)
    x = (np.arange(280) + 0.5) / 280 * 7000 - 3500
    y = 2500 - (np.arange(200) + 0.5) / 200 * 5000
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    corners = set_cards.outline(shape)
    inside = Outline(np.vstack([corners, corners[:1]]), closed=True).contains_points(points)
    ends = np.roll(corners, -1, axis=0)
    edge = ends - corners
    offset = points[:, None] - corners
    along = ((offset * edge).sum(-1) / (edge**2).sum(-1)).clip(0, 1)
    near = np.linalg.norm(offset - along[..., None] * edge, axis=-1).min(axis=1)
    inked = high[..., 2].ravel() < 0.6  # red ink has little blue
    clear = inside | (np.abs(near - set_cards.STROKE) > 40)  # away from the border of the ink
    clear &= ((np.abs(x)[None] < 2900) | (np.abs(y)[:, None] < 1900)).ravel()  # and black corners
    wanted = inside | (near <= set_cards.STROKE)
    assert np.array_equal(inked[clear], wanted[clear])


def test_a_card_of_another_size_is_the_same_card():
    small, large = set_cards.image(40), set_cards.image(40, height=200, width=280)
    shrunk = large.reshape(50, 4, 70, 4, 3).mean(axis=(1, 3))
    assert np.abs(shrunk - small).max() < 0.2
    assert np.abs(shrunk - small).mean() < 0.01


def test_more_symbols_have_more_ink_and_open_ones_less():
    ink = (1 - set_cards.deck()).sum(axis=(1, 2, 3)).reshape(3, 3, 3, 3)  # number, colour, ...
    bare = (1 - set_cards.image(0, alpha=True)[..., 3]).sum() * 3
    ink = ink - bare
    assert np.allclose(ink[1], 2 * ink[0], rtol=1e-3)
    assert np.allclose(ink[2], 3 * ink[0], rtol=1e-3)
    assert (ink[:, :, 0] > ink[:, :, 1]).all() and (ink[:, :, 1] > ink[:, :, 2]).all()


def test_unknown_palettes_and_sizes_are_refused():
    with pytest.raises(ValueError, match="palette is 'grey'; allowed: classic, colour_blind"):
        set_cards.image(0, palette="grey")
    with pytest.raises(ValueError, match="height is 0"):
        set_cards.image(0, height=0)


# --- examples


def test_rows_as_published():
    """Exactly balanced; a SET always in one order; a negative holds no card of the SET before."""
    rows = set_triples.triples(generator(0, "rows"), 10_000, **PUBLISHED)
    assert rows.labels.mean() == 0.5
    right = rows.cards[rows.labels == 1]
    assert set_game.is_set(right).all()
    orders = {tuple(sorted(three)): set() for three in right.tolist()}
    for three in right.tolist():
        orders[tuple(sorted(three))].add(tuple(three))
    assert {len(found) for found in orders.values()} == {1}
    assert not np.array_equal(np.sort(right, axis=1), right)  # though not in ascending order
    wrong = rows.cards[rows.labels == 0]
    assert not (wrong[:, :, None] == right[:, None, :]).any()
    assert all(len(set(three)) == 3 for three in wrong.tolist())


def test_wrong_negatives_as_published():
    """Of the triples of the 78 cards beside a SET, counted one by one, 1.26 % are SETs."""
    beside = ~np.isin(set_game.every_set(), set_game.every_set()[0]).any(axis=1)
    share = beside.sum() / comb(78, 3)
    assert beside.sum() == 962
    assert 100 * share == pytest.approx(1.264, abs=0.001)
    rows = set_triples.triples(generator(1, "rows"), 100_000, **PUBLISHED)
    found = set_game.is_set(rows.cards[rows.labels == 0]).mean()
    assert found == pytest.approx(share, abs=4 * (share / 50_000) ** 0.5)


def test_rows_as_described():
    """By the toss of a coin, in any order, labels right."""
    rows = set_triples.triples(
        generator(0, "rows"), 4_000, order="shuffled", positives="coin", negatives="verified"
    )
    assert np.array_equal(set_game.is_set(rows.cards), rows.labels == 1)
    assert rows.labels.mean() == pytest.approx(0.5, abs=0.04)
    lowest = np.bincount(rows.cards.argmin(axis=1))  # where the first card of the deck stands
    assert chisquare(lowest).pvalue > 1e-4


@pytest.mark.parametrize(
    ("train", "stated"), [(500, 21), (1000, 37), (2000, 60), (3000, 75), (4000, 85), (5000, 90)]
)
def test_leakage_as_published(train, stated):
    """The share of test SETs seen in training: closed form, the stated number, a simulation."""
    assert 100 * set_triples.leakage(train) == pytest.approx(stated, abs=1)
    found = []
    for k in range(12):
        data = set_triples.parts(
            generator(k, "split"), (train, 10, 1000), split="rows", **PUBLISHED
        )
        right = data.test.take(data.test.labels == 1)
        found.append(set_triples.seen(right, data.train.take(data.train.labels == 1)).mean())
    assert np.mean(found) == pytest.approx(set_triples.leakage(train), abs=0.02)


@pytest.mark.parametrize(("train", "stated"), [(100, 4), (200, 9), (500, 21), (1000, 38)])
def test_leakage_where_relations_are_learned_beforehand(train, stated):
    """As published there: ``train`` rows to train on of 5,000, and 500 to test on."""
    assert 100 * set_triples.leakage(train) == pytest.approx(stated, abs=1.1)


def test_leakage_against_enumeration():
    """The closed form for k draws is the chance that a given SET is among them."""
    draws = 40
    missed = np.prod([1 - 1 / 1080] * draws)
    assert set_triples.leakage(2 * draws) == pytest.approx(1 - missed)
    without = hypergeom(1080, 1, draws).pmf(0)  # without replacement it would be more
    assert set_triples.leakage(2 * draws) < 1 - without


@pytest.mark.parametrize("split", ["sets", "cards"])
def test_sound_splits_share_no_triple(split):
    data = set_triples.parts(generator(3, "split"), (700, 100, 200), split=split, **SOUND)
    assert [len(part.labels) for part in data] == [700, 100, 200]
    for first, second in combinations(data, 2):
        assert not set_triples.seen(first, second).any()
    for part in data:
        assert np.array_equal(set_game.is_set(part.cards), part.labels == 1)
        assert part.labels.mean() == 0.5


def test_a_split_by_cards_shares_no_card_with_the_test():
    data = set_triples.parts(generator(3, "split"), (700, 100, 200), split="cards", **SOUND)
    tested = set(data.test.cards.ravel().tolist())
    assert len(tested) <= 27
    assert not tested & set(np.concatenate([data.train.cards, data.validation.cards]).ravel())
    assert len(set(data.train.cards.ravel().tolist())) == 54


def test_unverified_negatives_cannot_be_kept_apart():
    with pytest.raises(ValueError, match="allowed: verified"):
        set_triples.parts(generator(0, "split"), (7, 1, 2), split="sets", **PUBLISHED)
    with pytest.raises(ValueError, match="order is 'any'; allowed: fixed, shuffled"):
        set_triples.triples(generator(0, "rows"), 2, **{**SOUND, "order": "any"})


def test_pairs_agree_in_a_third_of_each_attribute():
    cards, labels = set_triples.pairs(generator(0, "pairs"), 30_000)
    digits = np.stack([cards // 3**k % 3 for k in (3, 2, 1, 0)], axis=-1)
    assert np.array_equal(labels, digits[:, 0] == digits[:, 1])
    assert labels.mean(axis=0) == pytest.approx([1 / 3] * 4, abs=0.012)


def test_sums_over_single_cards_and_pairs_do_not_know_sets_on_average():
    """Any two cards lie in one SET and in 78 other triples; so means are equal (notebook 10)."""
    triples, sets = set_game.every_triple(), set_game.every_set()
    pairs = np.zeros((81, 81), dtype=int)
    for one, other in combinations(range(3), 2):
        np.add.at(pairs, (sets[:, one], sets[:, other]), 1)
    assert (np.triu(pairs + pairs.T, 1)[np.triu_indices(81, 1)] == 1).all()
    relation = np.random.default_rng(3).normal(size=(81, 81))
    scores = relation[triples[:, :, None], triples[:, None, :]].sum((1, 2))
    among = relation[sets[:, :, None], sets[:, None, :]].sum((1, 2))
    rest = (scores.sum() - among.sum()) / (len(triples) - len(sets))
    np.testing.assert_allclose(among.mean(), rest, rtol=1e-10)


@pytest.mark.parametrize("counts", [(5000, 1, 1), (0, 0, 0), (-1, 5, 5)])
def test_parts_that_are_too_small_are_refused(counts):
    words = {"order": "shuffled", "positives": "alternate", "negatives": "verified"}
    with pytest.raises(ValueError, match=re.escape(f"counts is {counts}; ")):
        set_triples.parts(np.random.default_rng(0), counts, split="sets", **words)

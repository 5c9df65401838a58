"""Cards in figures: the same cards as models see, drawn as shapes."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from abstractor_lib.reporting import figures
from abstractor_lib.reporting.pictures import cards
from abstractor_lib.tasks import set_cards, set_game

PIXELS = 3  # of a figure, for one of the pictures that models see


def rendered(shown, palette):
    """A figure of ``(rows, columns)`` cards and nothing else, ``(h, w, 3)`` in [0, 1]."""
    rows, columns = shown.shape
    margin = cards.GAP / set_cards.UNITS
    size = np.array([columns, rows]) * (set_cards.WIDTH + margin, set_cards.HEIGHT + margin)
    figure = plt.Figure(figsize=(size + margin) * PIXELS / 100, dpi=100)
    cards.lay(figure.add_axes((0, 0, 1, 1)), shown, palette=palette)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255


@pytest.mark.parametrize("palette", set_cards.PALETTES)
def test_drawn_cards_are_the_cards_that_models_see(palette):
    """Each card of the deck, and the table around it."""
    table = rendered(np.arange(81).reshape(9, 9), palette)
    margin = cards.GAP // set_cards.UNITS * PIXELS
    high, wide = set_cards.HEIGHT * PIXELS, set_cards.WIDTH * PIXELS
    for number in range(81):
        top = margin + number // 9 * (high + margin)
        left = margin + number % 9 * (wide + margin)
        found = table[top : top + high, left : left + wide]
        seen = set_cards.image(number, palette=palette, alpha=True, height=high, width=wide)
        wanted = seen[..., :3] + (1 - seen[..., 3:]) * cards.TABLE
        apart = np.abs(found - wanted)
        assert apart.mean() < 0.0065 and apart.max() < 0.25, cards.words(number)
    assert table[0, 0] == pytest.approx(cards.TABLE, abs=1 / 255)


def test_another_card_would_be_noticed():
    """Any two cards differ by more than what the test of drawn cards lets pass."""
    deck = set_cards.deck().reshape(81, -1)
    apart = [np.abs(deck[k] - deck[:k]) for k in range(1, 81)]
    assert min(one.mean(axis=1).min() for one in apart) > 0.007
    assert min(one.max(axis=1).min() for one in apart) > 0.3


def test_files_of_cards_hold_shapes_and_are_small(tmp_path):
    figures.style()
    figure, axis = plt.subplots()
    cards.lay(axis, np.arange(81).reshape(9, 9), "the deck")
    figures.save(figure, pd.DataFrame({"card": range(81)}), tmp_path, "deck", "none")
    content = (tmp_path / "deck.svg").read_text()
    assert "<image" not in content and len(content) < 50_000
    symbols = sum(int(set_game.attributes(np.array(card))[0]) + 1 for card in range(81))
    used = len(re.findall("<use ", content))
    assert used == 81 + symbols + symbols // 3  # cards, outlines, stripes


def test_a_place_without_a_card_shows_the_table():
    table = rendered(np.array([[-1, 0]]), "classic")
    assert np.ptp(table[:, : table.shape[1] // 2 - 10], axis=(0, 1)).max() == 0
    assert np.ptp(table, axis=(0, 1)).max() > 0.5


def test_a_game_shows_numbered_cards_and_every_answer():
    dealt = set_game.deal(np.random.default_rng(0), 15)
    answers = [(dealt[:3], what, 0.25) for what in cards.FRAMES]
    answers.append((dealt[[14, 0, 7]], "a SET, found", 0.9998))
    figure = cards.game(dealt, answers)
    table, *others = figure.axes
    assert [text.get_text() for text in table.texts] == [str(k) for k in range(1, 16)]
    titles = [axis.get_title() for axis in others if axis.get_visible()]
    assert titles[:3] == [f"1, 2, 3: {what} (0.2500)" for what in cards.FRAMES]
    assert titles[3:] == ["1, 8, 15: a SET, found (0.9998)"]
    assert len(table.patches) == 2  # the table, and a frame around the cards dealt later
    assert len(cards.game(dealt[:12], answers[:3]).axes[0].patches) == 1
    assert [axis.get_title() for axis in cards.game(dealt[:12], []).axes] == ["12 cards"]

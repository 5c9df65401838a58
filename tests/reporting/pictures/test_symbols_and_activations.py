"""Pictures of a factorial: a row a level, a colour a factor, and panels without records."""

import pandas as pd
import pytest

from abstractor_lib.experiments.symbols_and_activations.design import FACTORS
from abstractor_lib.reporting.pictures import symbols_and_activations as pictures


def test_a_row_a_level_and_a_panel_a_task():
    rows = [
        ("set", factor, str(level), 0.8 + place / 100, 0.7, 0.9, 6)
        for factor, levels in FACTORS.items()
        for place, level in enumerate(levels)
    ]
    names = ["task", "factor", "level", "mean", "low", "high", "n"]
    figure, points = pictures.marginal_means(pd.DataFrame(rows, columns=names), FACTORS)
    first, second, third = figure.axes
    assert len(second.lines) == 2 + 2 * 11 and len(points) == 11
    ticks = [text.get_text() for text in first.get_yticklabels()]
    assert ticks[:1] + ticks[-1:] == ["learned", "layers: 4"] and len(ticks) == 11
    dots = [line for line in second.lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in dots[:4]] == pytest.approx([0.8, 0.81, 0.82, 0.83])
    assert len({line.get_color() for line in dots}) == 3
    assert len({line.get_ydata()[0] for line in dots}) == 11
    assert first.texts[0].get_text() == third.texts[0].get_text() == "not run"


def test_a_number_in_each_square():
    rows = [
        ("order", symbols, activation, 0.5 + i / 10 + j / 100)
        for i, symbols in enumerate(FACTORS["symbols"])
        for j, activation in enumerate(FACTORS["activation"])
    ]
    table = pd.DataFrame(rows, columns=["task", "symbols", "activation", "mean"])
    figure, _ = pictures.combinations(table.sample(frac=1, random_state=0), FACTORS)
    texts = {text.get_position(): text.get_text() for text in figure.axes[0].texts}
    assert len(texts) == 16 and texts[2, 1] == "0.62"  # sinusoidal, tanh
    assert figure.axes[1].texts[0].get_text() == "not run"


def test_no_records_no_dots():
    for draw in (pictures.marginal_means, pictures.combinations):
        figure, points = draw(None, FACTORS)
        assert points.empty
        assert [axis.texts[0].get_text() for axis in figure.axes] == ["not run"] * 3

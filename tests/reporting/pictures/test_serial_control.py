"""Pictures of serial control, drawn from made-up records."""

import pandas as pd

from abstractor_lib.experiments.serial_control.results import ARMS
from abstractor_lib.reporting.pictures import serial_control as pictures


def made_up(best=True):
    rows = []
    for trial in range(3):
        row = {"model": "given", "variant": "exact", "trial": trial}
        for arm in [*ARMS, *(["best_adaptive"] if best else [])]:
            for number in range(4):
                row[f"{arm}_heads_{number}"] = 4.0 - number
                row[f"{arm}_accuracy_{number}"] = 1 - 0.05 * number + trial / 100
        rows.append(row)
    return pd.DataFrame(rows)


def test_a_line_for_each_arm_and_the_bound():
    figure, points = pictures.curves(made_up())
    (axis,) = figure.axes
    assert len(axis.lines) == len(pictures.INKS) + 1
    assert axis.get_title() == "equal heads"
    mean = points.query("arm == 'controller' and number == 1")["accuracy"].item()
    assert abs(mean - 0.96) < 1e-9
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["best rule", *(ARMS[name] for name in pictures.INKS)]


def test_without_a_bound_and_without_records():
    figure, _ = pictures.curves(made_up(best=False))
    assert len(figure.axes[0].lines) == len(pictures.INKS)
    figure, points = pictures.curves(made_up().iloc[:0])
    assert points.empty and figure.axes[0].get_title() == "not run"

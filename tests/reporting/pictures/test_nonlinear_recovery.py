"""Pictures of nonlinear recovery, from made-up tables."""

import numpy as np
import pandas as pd

from abstractor_lib.experiments.nonlinear_recovery import names, results
from abstractor_lib.reporting.pictures import nonlinear_recovery as pictures

RUNS = [("lasso", "linear", 32), ("lasso", "sign", 64), ("one_bit", "sign", 32)]


def table() -> pd.DataFrame:
    rows = []
    for model, activation, start in RUNS:
        for trial in range(6):
            line: dict = {"model": model, "activation": activation, "size": 4, "trial": trial}
            line |= {"source": "gaussian", "dense": 0.0, "errors": 0.0, "columns": 64}
            rows.append(line | {names.name(d): 1.0 if d >= start else 0.0 for d in (16, 32, 64)})
    for model, value in (("censored", 0.5), ("absolute", 0.1)):
        for trial in range(6):
            for share in (0.0, 0.1):
                line = {"model": model, "activation": "relu", "size": 20, "trial": trial}
                line |= {"source": "sorting", "dense": 0.0, "errors": share, "columns": 20}
                scores = {"error": value - share, "uniform_error": 0.5, "cosine": value}
                rows.append(line | scores | {"correlation": 1 - value})
    return pd.DataFrame(rows)


def test_shares_are_lines_a_panel_each_phi():
    figure, points = pictures.shares(table())
    linear, sign, sigmoid, _ = figure.axes
    assert linear.get_title() == "linear" and not sigmoid.containers
    (lasso,) = linear.containers
    assert list(lasso.lines[0].get_ydata()) == [0, 1, 1]
    assert [one.get_label() for one in sign.containers] == ["lasso", "one-bit linear program"]
    assert [one.lines[0].get_linestyle() for one in sign.containers] == ["-", "--"]
    assert len(points) == 9 and set(points["n"]) == {6}


def test_phases_and_tables():
    figure, points = pictures.phase(table())
    assert [axis.get_title() for axis in figure.axes[:2]] == ["linear", "sign"]
    assert points["cosine"].tolist() == [0, 1, 1, 0, 0, 1]
    found = results.needed(table(), 4, {})
    assert found.loc["lasso"].to_list() == ["16 to 32", "32 to 64", "", ""]
    assert found.loc["one-bit linear program", "sign"] == "16 to 32"


def test_trained():
    figure, points = pictures.trained(table())
    message, hidden = figure.axes
    assert not message.get_lines()
    lines = {one.get_label(): one.get_ydata() for one in hidden.get_lines()}
    np.testing.assert_allclose(lines["one-sided rows"], [0.5, 0.4])
    np.testing.assert_allclose(lines["paper's program (eq. 3.10)"], [0.1, pictures.LEAST])
    assert list(lines["equal relations"]) == [0.5, 0.5]
    assert len(points) == 4


def test_without_records():
    nothing = pd.DataFrame()
    for draw in (pictures.shares, pictures.phase, pictures.trained):
        _, points = draw(nothing)
        assert points.empty

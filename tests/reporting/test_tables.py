"""Tables as a notebook shows them."""

import pandas as pd

from abstractor_lib.reporting.tables import Plain


def test_rows_have_no_numbers_and_missing_values_are_blank():
    table = pd.DataFrame({"model": ["a", None], "value": [0.25, float("nan")]})
    html = Plain(table)._repr_html_()
    assert "<th>0</th>" not in html and "NaN" not in html and "None" not in html
    assert html.count("<td></td>") == 2
    assert repr(Plain(table)).split() == ["model", "value", "a", "0.25"]


def test_names_are_told_in_words_wherever_they_stand():
    table = pd.DataFrame({"mlp": ["mlp_wide", "mlp"]}, index=pd.Index(["mlp", "x"], name="model"))
    words = {"mlp": "MLP", "mlp_wide": "wide MLP"}
    html = Plain(table, words)._repr_html_()
    assert "mlp" not in html and html.count("<th>MLP</th>") == 2
    assert "<td>wide MLP</td>" in html and "<td>MLP</td>" in html
    levels = pd.MultiIndex.from_tuples([(0.5, "mlp"), (0.5, "mlp_wide")], names=["level", "model"])
    html = Plain(pd.DataFrame({"n": [1, 2]}, index=levels), words)._repr_html_()
    assert "wide MLP" in html and "mlp" not in html

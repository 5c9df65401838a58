"""What a notebook shows of claims, read as a browser reads it."""

import re
import tomllib
from dataclasses import replace
from xml.etree import ElementTree

import pandas as pd

from abstractor_lib import paths
from abstractor_lib.findings.statements import Judged
from abstractor_lib.reporting.claims_table import ClaimsTable
from abstractor_lib.reporting.common_words import shortened

CLAIMS = paths.data() / "claims.toml"
ONE = Judged(
    *("a", "fig_v3_04a", "v3", "Statement a.", "sound", 0.7, 0.5, 0.4, 0.6, 10, "holds"),
    *("n = 5, 11 draws", "4.1", "stated", "Figure 4a"),
)


def read(table: ClaimsTable) -> pd.DataFrame:
    """Its table as pandas reads HTML, lines of a cell apart; by the id that ends a row."""
    html = table._repr_html_().replace("<br>", " | ").split("</table>")[0] + "</table>"
    rows = [
        ["".join(cell.itertext()) for cell in row]
        for row in ElementTree.fromstring(html).iter("tr")
    ]
    found = pd.DataFrame(rows[1:], columns=rows[0])
    return found.set_index(found["claim"].str.split().str[-1])


def test_a_row_has_verdicts_and_numbers_under_each_protocol_and_words_that_fit_whose_it_is():
    reason = {"reason": "the weather", "tested": "no"}
    note = "n = 5, 11 draws; likely reason (not tested): the weather"
    fails = replace(ONE, verdict="fails", note=note, **reason)
    given = [
        fails,
        replace(ONE, protocol="described", post_hoc=True, note="n = 7; post hoc"),
        replace(ONE, id="b", origin="suggested", verdict="fails"),
        replace(ONE, id="c", origin="control", published=None, statement="Is `x` < y?"),
    ]
    found = read(ClaimsTable(given))
    assert list(found.columns) == ["described", "sound", "claim"]
    assert list(found.index) == ["a", "b", "c"]
    measured = "0.500 | [0.400, 0.600]"
    assert found.loc["a", "sound"] == f"✗ fails | {measured} | paper: 0.700"
    assert found.loc["a", "described"] == f"✓ holds† | {measured} | paper: 0.700"
    assert found.loc["b", "sound"].startswith("✗ not supported | ")
    assert found.loc["b", "described"] == ""
    assert found.loc["c", "sound"] == f"✓ yes | {measured}"
    assert found.loc["a", "claim"] == (
        "Statement a. | described: n = 7; sound: n = 5, 11 draws; likely reason: the weather "
        "(not tested) | stated: Figure 4a; a"
    )
    assert found.loc["c", "claim"].startswith("Is x < y? | n = 5, 11 draws | control: ")
    words = "<i>suggested</i>: supported or not supported; <i>control</i>: yes or no."
    assert words in ClaimsTable(given)._repr_html_()


def test_what_was_not_run_is_listed_apart_and_counted():
    waiting = {"verdict": "not run", "note": "no run", "measured": None, "low": None, "high": None}
    given = [ONE, replace(ONE, id="b", statement="Statement b.", **waiting)]
    table = ClaimsTable(given)
    assert list(read(table).index) == ["a"]
    html = table._repr_html_()
    assert "<summary>Not run: 1</summary>" in html and html.count("Statement b.") == 1
    assert "<table" not in ClaimsTable(given[1:])._repr_html_()  # nothing to tell of
    assert "Words for verdicts" not in html  # there is one kind
    assert repr(table).splitlines() == ["sound", "✓ a", "· b"]


def test_what_several_claims_say_is_said_once_and_can_be_put_together_again():
    """In each experiment: letters put back give every statement, word by word."""
    claims = pd.DataFrame(tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["claim"])
    assert claims["experiment"].nunique() > 20
    for _, given in claims.groupby("experiment")["statement"].apply(list).items():
        letters, short = shortened(given)
        assert len("".join(short)) <= len("".join(given))
        for text, statement in zip(short, given, strict=True):
            for letter, words in letters.items():
                text = re.sub(rf"^{letter} … ", words.removesuffix("…"), text)
                text = re.sub(rf" … {letter}$", words.removeprefix("…"), text)
            assert text == statement
        assert all(sum(letter in text for text in short) >= 3 for letter in letters)


def test_letters_stand_above_the_table_and_in_its_rows():
    start = "After training on five hundred examples of each of the four tasks, in every seed, "
    ends = "Of seven models that were tried, this is the one that was asked about before the runs."
    given = [replace(ONE, id=name, statement=f"{start}{name} wins. {ends}") for name in "xyz"]
    given.append(replace(ONE, id="w", statement="Statement w."))
    html = ClaimsTable(given)._repr_html_()
    assert html.count(start.strip()) == html.count(ends) == 1
    assert f"<b>A</b> stands for: {start}…</p>" in html
    assert f"<b>B</b> stands for: … {ends}</p>" in html
    assert all(f"<b>A</b> … {name} wins. … <b>B</b>" in html for name in "xyz")
    assert "Statement w.<br>" in html
    assert start in ClaimsTable(given[:2])._repr_html_()  # two are few


def test_two_tables_become_one():
    both = ClaimsTable([ONE]) + ClaimsTable([replace(ONE, id="b", protocol="described")])
    assert len(both) == 2
    assert list(read(both).columns) == ["described", "sound", "claim"]


def test_all_claims_of_the_project_are_in_some_row(shipped):
    table = ClaimsTable(shipped.verdicts)
    assert len(table) == len({one.id for one in shipped.verdicts})
    html = table._repr_html_()
    assert all(f"<code>{one.id}</code>" in html for one in shipped.verdicts)
    assert "{'" not in html  # no code in place of words

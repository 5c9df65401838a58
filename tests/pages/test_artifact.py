"""ARTIFACT.md, the page of deviations and the checklist, against records, settings and files."""

import csv
import gzip
import json
import re
from dataclasses import replace

import pytest

from abstractor_lib import experiments, paths
from abstractor_lib.experiments.protocol import code, note, ours, setting, text
from abstractor_lib.findings import statements
from abstractor_lib.pages import artifact, deviations, front_page, headlines
from abstractor_lib.pages.reproduce import judged, studies

ROOT = paths.root()
ARTIFACT = (ROOT / "ARTIFACT.md").read_text()
SAYS = {"stated": "state", "suggested": "suggest"}
DEVIATIONS = (ROOT / "docs" / "deviations.md").read_text()


def rows(page, first):
    """The cells of a table's rows whose first cell fits."""
    lines = (line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("| "))
    return [
        [cell.strip() for cell in cells] for cells in lines if re.match(first, cells[0].strip())
    ]


def test_every_claim_has_its_verdict_and_experiment():
    """The marks are those of the table in the README; a mark leads to the claim."""
    found = rows(ARTIFACT, r"C\d+$")
    assert [cells[0] for cells in found] == [f"C{k + 1}" for k in range(len(found))]
    glance = [
        cells for cells in rows((ROOT / "README.md").read_text(), "") if "CLAIMS.md#" in str(cells)
    ]
    claims = {claim.id: claim for claim in statements.read()}
    testing = {
        number: cells[0] for cells in rows(ARTIFACT, r"\[E") for number in cells[2].split(", ")
    }
    for (number, statement, whose, *cells, experiment, _), (_, *marks) in zip(
        found, glance, strict=True
    ):
        name, *_ = (re.search(r"#(\w+)\)", mark)[1] for mark in marks if mark)
        claim = claims[name]
        assert (statement, whose.split()[-2][:-1]) == (claim.statement, SAYS[claim.origin])
        for cell, mark in zip(cells, marks, strict=True):
            if mark and f"#{name})" not in mark:  # of another claim, where this one has no runs
                assert cell == ""
                continue
            assert cell.startswith(mark) and bool(cell) == bool(mark), number
        assert re.match(rf"\[{experiment}\]" if experiment else "none", testing.get(number, "none"))


def test_hours_are_those_of_the_records():
    """Summed here from the lines of the record files."""
    for name, cell in (("memory", "E9"), ("kernels", "E5")):
        seconds = {}
        for path in (ROOT / "data" / "records").glob(f"{name}.jsonl*"):
            raw = path.read_bytes()
            lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()
            for record in map(json.loads, lines):
                seconds[record["run"]] = record["provenance"]["seconds"]
        wanted = {
            spec.id for one in ("described",) for spec in experiments.get(name).grid("laptop", one)
        }
        total = sum(seconds[run] for run in wanted) / 3600
        (row,) = rows(ARTIFACT, rf"\[{cell}\]")
        assert (row[4], row[6]) == (f"{total:.2f}", str(len(wanted))), name


def test_half_an_hour_is_enough():
    steps = rows(ARTIFACT, r"\d$")
    minutes = [float(cells[-1].removesuffix(" min")) for cells in steps]
    assert len(steps) == 2
    assert 0 < sum(minutes) < 20  # the rest is for the download, and to look at what came out
    timings = json.loads((ROOT / "data" / "timings.json").read_text()).values()
    measured = {f"`{one['command']}`": one["seconds"] / 60 for one in timings}
    for (_, command, *_), shown in zip(steps, minutes, strict=True):
        assert shown == pytest.approx(measured[command], abs=0.06)


def test_an_experiment_has_the_number_of_its_notebook():
    assert artifact.numbered()["C1"].experiment == "order"
    assert artifact.experiment_of(artifact.numbered()["C1"]) == "E1"
    assert (
        artifact.experiment_of(replace(artifact.numbered()["C1"], experiment="", measure="")) == ""
    )


@pytest.fixture
def small():
    """An experiment with four settings and a note."""
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Protocol:
        rate: object = setting("rate")
        stop: object = setting("stop")
        trials: object = setting("trials")
        same: object = setting("same")
        noise: object = note("noise", ours("normal", "the text has uniform"))

    same = text(1, "2")
    protocols = {
        "described": Protocol(text(0.1, "1"), ours(None, "the text is silent"), ours(5), same),
        "published": Protocol(code(0.2, "a.py"), code(10), ours(6), same),
        "sound": Protocol(ours(0.3, "why"), ours(None), ours(7), same),
    }
    return replace(experiments.get("order"), protocols=protocols)


def test_rows_are_settings_in_which_text_and_code_differ(small):
    """Not the one where the code's value is ours, nor the one that is the same."""
    assert deviations.differences(small) == [
        {"item": "rate", "text": "0.1 (1)", "public code": "0.2 (a.py)", "ours": "0.3 (why)"},
        {"item": "stop", "text": "not said; we take none", "public code": "10", "ours": "none"},
    ]
    assert deviations.departures(small) == [
        {"item": "noise", "ours": "normal", "what the paper has, or why": "the text has uniform"}
    ]


def test_rows_in_which_ours_alone_differs(small):
    """From a value of the text, or where the text leaves open; not a control of ours."""
    sound = {"same": ours(2, "faster"), "rate": ours(0.3), "stop": ours(5), "trials": ours(7)}
    protocols = {**small.protocols, "sound": replace(small.protocols["sound"], **sound)}
    shown = deviations.departures(replace(small, protocols=protocols))[1:]
    assert [list(row.values()) for row in shown] == [["same", "2 (faster)", "1 (text, 2)"]]
    for none, expected in ((ours(None), []), (ours(None, "too few"), [["same", "none (too few)"]])):
        protocols["sound"] = replace(protocols["sound"], same=none)
        shown = deviations.departures(replace(small, protocols=protocols))[1:]
        assert [list(row.values())[:2] for row in shown] == expected
    protocols["published"] = replace(
        protocols["published"], stop=ours(None)
    )  # no difference of two
    shown = deviations.departures(replace(small, protocols=protocols))[1:]
    assert ["stop", "5", "the text is silent"] in [list(row.values()) for row in shown]


def test_a_batch_size_that_is_ours_alone_is_a_row():
    section = DEVIATIONS.split("\n## Sorting with pre-training")[1].split("\n## ")[0]
    (row,) = (cells for cells in rows(section, "") if cells[0] == "batch size")
    settings = experiments.get("pretraining").protocols
    assert row[1].startswith(f"{settings['sound'].batch_size.value} ")
    assert row[2].startswith(f"{settings['described'].batch_size.value} (text")


def test_the_page_of_deviations_has_the_rows_of_the_shipped_tables_of_settings():
    """Rows of `described` and `published` with text against code, read from figures/."""
    with (ROOT / "figures" / "fig_v3_04a_settings.csv").open(newline="") as file:
        shipped = list(csv.DictReader(file))
    for row in shipped:
        (one, source), (other, its) = (
            row[name].split(" (", 1) for name in ("described", "published")
        )
        differ = one != other and source.startswith("text") and its.startswith("public code")
        shown = any(cells[0] == row["item"] for cells in rows(DEVIATIONS.split("\n## ")[1], ""))
        assert shown or not differ, row["item"]


def test_an_effect_does_not_outlive_its_verdicts(monkeypatch):
    known = front_page.by_protocol(judged(studies(of=["order"])))
    every = deviations.read()
    effect = every["effect"][0]
    name = effect["because"][0].split(" ")[0]
    changed = [
        replace(one, verdict="holds") if f"{one.id}.{one.protocol}" == name else one
        for one in known.values()
    ]
    with pytest.raises(headlines.Outdated, match=r"deviations\.toml, effect 1: "):
        deviations.page(changed)
    wrong = {**every, "effect": [{**effect, "items": ["colour"]}]}
    monkeypatch.setattr(deviations, "read", lambda: wrong)
    with pytest.raises(ValueError, match="items has 'colour'; allowed: the settings of order"):
        deviations.page(known.values())


def test_what_is_left_out_are_settings():
    for name, fields in deviations.read()["left_out"].items():
        for protocol in experiments.get(name).protocols.values():
            assert all(hasattr(protocol, one) for one in fields), name


def test_the_files_and_tests_of_the_checklist_are_there():
    checklist = (ROOT / "docs" / "checklist.md").read_text()
    table, _, owner = checklist.partition("## What the owner fills in")
    found = rows(table, r"(?!standard|---)")
    assert len(found) > 20
    for _, asked, file, test in found:
        assert file, asked
        if not test:
            assert "owner" in file, asked
            continue
        path, name = test.strip("`").split("::")
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.M), test
    assert len(rows(owner, r"(?!what|---)")) == 6


def test_the_page_of_faults_names_tests_of_every_module():
    found = rows((ROOT / "docs" / "faults.md").read_text(), r"(?!fault$|---)")
    named = [one[3].strip("`").split("::") for one in found]
    folder = ROOT / "tests" / "faults"
    assert {module for module, _ in named} == {path.name for path in folder.glob("test_*.py")}
    for module, name in named:
        assert re.search(rf"^def {name}\(", (folder / module).read_text(), re.M), name

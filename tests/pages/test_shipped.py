"""The index, and what ships."""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import stats

from abstractor_lib import experiments, paths
from abstractor_lib.execution.driver import kept_by_grid
from abstractor_lib.experiments.order.grid import V3_MODELS
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.findings import claims
from abstractor_lib.findings.published import published
from abstractor_lib.pages import index
from abstractor_lib.pages.site import items
from abstractor_lib.records.files import contents
from abstractor_lib.records.workspace import Workspace, named
from abstractor_lib.reporting.study import Page, measure_of


def test_the_index_covers_the_inventory(shipped):
    entries = shipped.items
    assert list(entries) == [item["id"] for item in index.inventory()]
    for entry in entries.values():
        assert entry.status in ("done", "open")
        assert (entry.status == "open") == bool(entry.reason)
        if entry.status == "done":
            assert entry.files
            for file in [
                *entry.files,
                *(f"notebooks/{stem}.ipynb" for stem in (entry.notebook, *entry.further)),
                entry.test.split("::")[0],
            ]:
                assert (paths.root() / file).is_file()
    assert set(index.catalogue()["item"]) <= set(entries)


@pytest.mark.parametrize("item", ["fig_v1_02f", "fig_v3_08b"])
def test_an_item_lists_the_other_items_figure_that_holds_a_panel_of_it(shipped, item):
    entry = shipped.items[item]
    assert "figures/fig_v3_08a_robustness.png" in entry.files
    assert "figures/fig_v3_08b_protocols.png" in entry.files
    assert "figures/fig_v3_08a_areas.png" not in entry.files


def test_an_item_that_two_experiments_measure_names_the_figures_and_notebooks_of_both(shipped):
    found = shipped.items
    entry = found["txt_v3_4_1"]
    asked = [claim for claim in claims.read() if claim.item == entry.id]
    named = {claim.figure for claim in asked if claim.figure}
    assert len({claim.experiment for claim in asked}) > 1
    assert {f"figures/{name}.svg" for name in named} <= set(entry.files)
    page = items.page([*found.values()])
    (row,) = [line for line in page.splitlines() if f"`{entry.id}`" in line]
    assert "[10_set_classification](notebooks/10_set_classification.ipynb)" in row
    assert "[01_order_relations](notebooks/01_order_relations.ipynb)" in row
    assert 'see <a href="#fig_v3_04b">' in row


def test_the_tests_that_the_index_names_exist(shipped):
    for entry in shipped.items.values():
        if entry.test:
            file, _, name = entry.test.partition("::")
            assert f"def {name}(" in (paths.root() / file).read_text(), entry.id


ORDER = ["fig_v1_02a", "fig_v3_04a", "txt_v1_4_1"]
MODEL_CORE = ["fig_v1_01", "fig_v3_01", "fig_v3_02", "eq_v1_2_1", "eq_v1_2_4", "eq_v3_5", "eq_v3_7"]
ALGORITHMS = ["alg_v1_1", "alg_v1_2", "alg_v1_3", "alg_v1_4", "alg_v3_1", "alg_v3_2", "fn_v3_2"]


@pytest.mark.parametrize("item", ORDER + MODEL_CORE + ALGORITHMS)
def test_sections_are_done(shipped, item):
    entry = shipped.items[item]
    assert entry.status == "done", entry.reason
    assert {file.rsplit(".", 1)[1] for file in entry.files} >= {"svg", "png", "csv"}


def test_shipped_grids_are_complete_and_every_claim_has_a_verdict(shipped):
    found = shipped.studies
    assert list(found) == list(experiments.by_name())
    complete = {
        (name, protocol): plan.complete and bool(plan.specs) and plan.bare == []
        for name, study in found.items()
        for protocol, plan in study.plans.items()
    }
    assert all(complete["order", protocol] for protocol in PROTOCOLS)
    known = {claim.id: claim for claim in claims.read()}
    for one in shipped.verdicts:
        name = known[one.id].experiment
        if not name:
            assert (one.verdict, one.note) == ("not run", "no experiment yet")
        elif known[one.id].profile == "paper" or not complete[name, one.protocol]:
            alone = claims.judge(known[one.id], one.protocol, {}, measure_of(known[one.id]))
            assert one.verdict == alone.verdict, one  # of what needs runs, not run
        elif all(plan.complete for plan in found[name].plans.values()):
            parts = any(plan.unfinished for plan in found[name].plans.values())  # still to come
            later = parts and one.note.startswith("no run of")
            later = later or one.note == "one trained model alone"
            assert one.verdict != "not run" or later, one


def test_shipped_figures_are_those_of_the_shipped_records(shipped):
    """Each figure's metadata names the records that ship."""
    for name, item in index.catalogue()["item"].items():
        for file in index.figure_files(name):
            if not file.endswith(".png"):
                continue
            experiment = item.get("others", {}).get(Path(file).stem, item.get("experiment"))
            page = shipped.study(experiment) if experiment else Page()
            wanted = f"records sha256:{page.records_hash}"
            assert Image.open(paths.root() / file).info["Description"] == wanted, file


def test_shipped_csv_files_are_the_means_of_the_records(shipped):
    """The plotted points, recomputed with pandas alone."""
    table = pd.read_csv(paths.root() / "figures" / "fig_v3_04a_order_relation.csv")
    frames = shipped.study("order").frames
    for row in table.itertuples():
        trials = frames[row.panel]
        chosen = trials[(trials["model"] == row.model) & (trials["size"] == row.x)]
        if row.variant == "over draws":
            chosen = chosen[chosen["variant"].isin(["curve", "draw"])]
            values = [some["test_accuracy"].mean() for _, some in chosen.groupby("draw")]
        else:
            values = chosen.loc[chosen["variant"] == row.variant, "test_accuracy"]
        assert row.mean == pytest.approx(np.mean(values), abs=1e-5)
        half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        assert (row.high - row.low) / 2 == pytest.approx(half, abs=1e-5)
        assert row.n == len(values)
    assert set(zip(table["panel"], table["variant"], strict=True)) == {
        *(("described", "curve"), ("published", "over draws"), ("sound", "curve"))
    }
    figure = published("fig_v3_04a")
    for _, panel in table.groupby("panel"):  # each model at each size once, with the same trials
        points, sizes = Counter(zip(panel["model"], panel["x"], strict=True)), set(panel["x"])
        assert points == Counter(product(V3_MODELS, sizes)) and sizes >= set(figure["x"])
        (n,) = set(panel["n"])
        assert n >= figure["n"].max()


def test_records_are_well_formed_and_small():
    records = Workspace().records("order")
    lines = b"".join(contents(Workspace().file("order")).values()).splitlines()
    assert len(lines) == len(records)
    assert max(map(len, lines)) < 6000


def test_artifacts_that_ship_are_those_that_records_name():
    """Whole, and no others: of the weights that records name, those that the experiment's own grid
    keeps. Weights that other runs have started from stay where they were computed."""
    workspace = Workspace()
    wanted = set()
    for name, experiment in experiments.by_name().items():
        records, kept = workspace.records(name), kept_by_grid(name, workspace.profile)
        some = {run: one for run, one in records.items() if run in kept and experiment.ships}
        wanted |= named(some)
    assert {path.stem for path in workspace.artifacts.folder.glob("*.safetensors")} == wanted
    assert all(workspace.artifacts.load(name) for name in wanted)

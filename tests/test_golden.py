"""Golden losses: a change of the library that changes results cannot pass unseen."""

import json
from pathlib import Path

import pytest

from abstractor_lib import experiments
from abstractor_lib.execution.compute import outcome

FILES = sorted((Path(__file__).parent / "golden").glob("*.json"))
ENTRIES = [(path.stem, entry) for path in FILES for entry in json.loads(path.read_text())]


def label(value):
    return value["spec"]["model"]["name"] if isinstance(value, dict) else value


@pytest.fixture(scope="module")
def parents(tmp_path_factory):
    """Where models that other runs start from are trained, by the code as it is."""
    return tmp_path_factory.mktemp("weights")


@pytest.mark.parametrize(("experiment", "entry"), ENTRIES, ids=label)
def test_golden_losses(experiment, entry, parents):
    """To 1e-4 relative. If this fails, mend the code, or bump the experiment's version, run
    ``python tests/golden/update.py`` and recompute its records."""
    spec = experiments.get(experiment).spec(entry["spec"])
    found = outcome(spec, folder=parents)
    assert found.first_losses == pytest.approx(entry["first_losses"], rel=1e-4)
    for watched in {"loss", "validation_loss"} & set(entry):
        assert found.curve[watched] == pytest.approx(entry[watched], rel=1e-4)
    if entry.get("updates"):
        assert found.metrics["updates"] == entry["updates"]
    for name, expected in entry.get("metrics", {}).items():
        assert found.metrics[name] == pytest.approx(expected, rel=1e-4, abs=1e-9), name


def test_a_golden_run_stops_early_at_different_updates():
    budgets = [set(entry.get("updates", [])) for _, entry in ENTRIES]
    assert any(len(budget) > 1 for budget in budgets)


def test_golden_covers_every_experiment_protocol_and_model():
    for name in experiments.EXPERIMENTS:
        module = experiments.get(name)
        specs = [entry["spec"] for key, entry in ENTRIES if key == name]
        assert {spec["protocol"] for spec in specs} == set(module.PROTOCOLS)
        assert all(spec["version"] == module.VERSION for spec in specs)
        wanted = {
            spec.model.name
            for protocol in module.PROTOCOLS
            for spec in module.grid("smoke", protocol)
        }
        assert {spec["model"]["name"] for spec in specs} == wanted

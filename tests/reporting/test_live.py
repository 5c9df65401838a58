"""One run, done in a notebook: what its settings say, and what goes on."""

from dataclasses import replace

import torch

from abstractor_lib import experiments
from abstractor_lib.reporting import live


def test_settings_name_the_runs_that_a_run_starts_from():
    grid = experiments.get("set_relations").grid("smoke", "sound")
    spec = next(one for one in grid if one.model.name == "abstractor_frozen")
    found = live.settings(spec)["value"]
    assert found["starts from", "same_different"] == "relations, trial 0, 1"
    assert "starts from" not in live.settings(replace(spec, parents={})).index


def test_minimising_goes_on_from_where_parameters_are():
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    still = live.minimise_on([x], lambda: (x - 1).square().sum(), 0)
    assert x.item() == 3 and "updates" in still.data
    told = live.minimise_on([x], lambda: (x - 1).square().sum() + 2, 5).data
    assert abs(x.item() - 1) < 1e-6
    assert "it is 2;" in told and "it was 6 before" in told

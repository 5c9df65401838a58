"""One run begun by hand: its settings, its source, its updates."""

import dataclasses
import re

import torch
from torch import nn

from abstractor_lib import experiments
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.reporting import live
from abstractor_lib.reporting.study import Study
from abstractor_lib.training.examples import Examples
from abstractor_lib.training.settings import Training
from abstractor_lib.training.trainer import Trainer

SPEC = order.grid("smoke", "sound")[0]


def test_settings_are_those_of_the_run_but_for_what_is_switched_off():
    shown = live.settings(SPEC)["settings"]
    assert shown["run"].startswith(f"id {SPEC.id[:12]}; protocol sound; trials 0")
    for part in ("model", "task", "training"):
        said = shown[part].split("; ")
        for name, value in dataclasses.asdict(getattr(SPEC, part)).items():
            name = name.replace("_", " ")
            if value is None or value is False or value in ((), ""):
                assert not any(one.startswith(f"{name} ") for one in said)
            else:
                assert f"{name} {value}" in said


def test_the_seed_is_that_of_the_run():
    live.seed(SPEC)
    found = torch.rand(3)
    torch.manual_seed(int(SPEC.id[:15], 16))
    assert torch.equal(found, torch.rand(3))


def test_source_is_folded_and_named():
    shown = live.source(live.seed).data
    assert shown.startswith("<details><summary>Source: <code>reporting.live.seed</code></summary>")
    assert "```python\ndef seed(spec: Spec) -> None:" in shown


def test_updates_lower_the_loss_of_a_line_and_are_told():
    x = torch.randn(2, 64, 1)
    rules = Training("mse", 0.05, 64, 200, None, None, None, 0.0, None, "best")
    trainer = Trainer(lambda: nn.Linear(1, 1), Examples(x, 2 * x), Examples(x, 2 * x), rules)
    assert live.parameters(nn.Linear(3, 2)) == 8
    assert "`updates`" in live.go_on(trainer, 0).data and trainer.update == 0
    told = live.go_on(trainer, 100).data
    assert told.startswith("After 100 updates the training loss is ") and trainer.update == 100
    after, before = map(float, re.findall(r"(?:is|was) ([\d.e-]+\d)", told))
    assert after < before / 10
    assert trainer.update == 100 and "After 200" in live.go_on(trainer, 1000).data


def test_a_run_without_a_record_has_nothing_beside_it(workspace):
    told = live.beside_record(Study("order", workspace), SPEC, {live.FIRST_LOSS: [0.7]}).data
    assert f"| {live.FIRST_LOSS} | 0.7 | (not run) |" in told
    assert f"The run `{SPEC.id[:12]}` has no record" in told


def test_settings_name_the_runs_that_a_run_starts_from():
    grid = experiments.get("set_relations").grid("smoke", "sound")
    spec = next(one for one in grid if one.model.name == "abstractor_frozen")
    found = live.settings(spec)["settings"]
    assert "same_different (relations, trial 0, 1)" in found["starts from"]
    assert "starts from" not in live.settings(dataclasses.replace(spec, parents={})).index


def test_minimising_goes_on_from_where_parameters_are():
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    still = live.minimise_on([x], lambda: (x - 1).square().sum(), 0)
    assert x.item() == 3 and "updates" in still.data
    told = live.minimise_on([x], lambda: (x - 1).square().sum() + 2, 5).data
    assert abs(x.item() - 1) < 1e-6
    assert "it is 2;" in told and "it was 6 before" in told


def test_a_number_is_shown_as_the_recorded_one_up_to_half_of_its_last_digit():
    recorded = [0.00011375001, None, 2.0, 1.0, 5.0]
    assert live._shown(recorded) == "0.0001138, none, 2, 1, ..."
    other_processor = [0.00011374999, None, 2.0, 1.0, 5.0]
    assert live._shown(other_processor) == "0.0001137, none, 2, 1, ..."
    assert live._shown(other_processor, recorded) == live._shown(recorded)
    assert live._shown([0.00011366, 1.0, 2.001, None], recorded) == "0.0001137, 1, 2.001, none"

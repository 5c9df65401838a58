"""Optimisers, schedules and clipping of stacked trials against torch, one trial at a time."""

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from abstractor_lib.training.examples import Examples
from abstractor_lib.training.optimiser import clip, rate_factor
from abstractor_lib.training.sources import Resident
from abstractor_lib.training.trainer import Trainer

UPDATES = 9


def plain(parameters, name):
    """torch's optimisers, their arguments written out."""
    if name == "adam":
        return torch.optim.Adam(parameters, lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)
    if name == "rmsprop":
        return torch.optim.RMSprop(
            parameters, lr=0.05, alpha=0.95, eps=1e-6, weight_decay=0.1, momentum=0.5
        )
    return torch.optim.SGD(parameters, lr=0.05, weight_decay=0.1, momentum=0.5)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
@pytest.mark.parametrize("name", ["adam", "adamw", "rmsprop", "sgd"])
def test_against_one_trial_at_a_time(double, rules, name, schedule, together):
    """Nine updates of three trials whose gradients differ in scale, with warm-up and with norms
    bounded per trial: losses and weights to 1e-9 in float64."""
    scale = torch.tensor([0.1, 1.0, 10.0]).view(3, 1, 1)
    data = Examples(scale * torch.randn(3, 20, 5), scale * torch.randn(3, 20, 2))
    changed = replace(
        rules, loss="mse", learning_rate=0.05, epochs=None, updates=UPDATES, validate_every=UPDATES,
        optimiser=name, beta_1=0.8, beta_2=0.95, epsilon=1e-6, weight_decay=0.1, clip=0.5, warmup=3,
        momentum=0.5 if name in ("rmsprop", "sgd") else 0.0, schedule=schedule, together=together,
    )  # fmt: skip

    def build():
        return nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))

    torch.manual_seed(1)
    trainer = Trainer(build, data, data, changed)
    losses = torch.stack([trainer.step() for _ in range(UPDATES)])  # (updates, t)
    torch.manual_seed(1)
    models = [build() for _ in range(3)]
    source = Resident(data, rules.batch_size)
    batches = [next(source) for _ in range(UPDATES)]
    clipped = 0
    for t, model in enumerate(models):
        optimiser = plain(model.parameters(), name)
        for update, batch in enumerate(batches, start=1):
            for group in optimiser.param_groups:
                group["lr"] = 0.05 * rate_factor(update, UPDATES, changed)
            loss = F.mse_loss(model(batch.inputs[t]), batch.targets[t])
            torch.testing.assert_close(losses[update - 1, t], loss, rtol=1e-9, atol=1e-12)
            optimiser.zero_grad()
            loss.backward()
            clipped += bool(clip_grad_norm_(model.parameters(), 0.5) > 0.5)
            optimiser.step()
        for key, value in model.state_dict().items():
            found = trainer.ensemble.trained[key][t]
            torch.testing.assert_close(found, value, rtol=1e-9, atol=1e-9)
    assert 0 < clipped < 3 * UPDATES  # some are clipped, some are not


def test_schedules_against_torch(rules):
    """Without warm-up the factors are those of torch's schedules, to 1e-12."""
    for schedule, made in (
        ("linear", lambda o: torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.0, UPDATES)),
        ("cosine", lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, UPDATES)),
        ("constant", lambda o: torch.optim.lr_scheduler.ConstantLR(o, 1.0)),
    ):
        optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        scheduler = made(optimiser)
        for update in range(1, UPDATES + 1):
            found = rate_factor(update, UPDATES, replace(rules, schedule=schedule))
            assert found == pytest.approx(optimiser.param_groups[0]["lr"], abs=1e-12)
            optimiser.step()
            scheduler.step()


def test_a_warm_up_longer_than_the_budget_only_rises(rules):
    slow = replace(rules, schedule="cosine", warmup=20)
    assert [rate_factor(update, 4, slow) for update in (1, 4)] == [0.05, 0.2]


def test_an_audit_sees_the_schedule_of_the_whole_run(rules, examples, build):
    """Four updates of many are the first four of the whole run, bit for bit."""
    changed = replace(rules, schedule="cosine", warmup=1, clip=1.0)
    data = examples(2, 20)

    def losses(limit):
        torch.manual_seed(2)
        trainer = Trainer(build, data, data, changed, limit=limit)
        return [trainer.step() for _ in range(4)]

    for one, other in zip(losses(4), losses(None), strict=True):
        assert torch.equal(one, other)


def test_clipping_leaves_out_what_has_no_gradient(double):
    with_gradient, without = (torch.zeros(2, 3, requires_grad=True) for _ in range(2))
    with_gradient.grad = torch.tensor([[3.0, 0.0, 4.0], [0.0, 0.1, 0.0]])
    norms = clip([with_gradient, without], 1.0)
    torch.testing.assert_close(norms, torch.tensor([5.0, 0.1]), rtol=1e-12, atol=0.0)
    torch.testing.assert_close(
        with_gradient.grad.norm(dim=1), torch.tensor([1.0, 0.1]), rtol=1e-6, atol=0.0
    )
    assert without.grad is None

"""Batched training against a plain loop of torch.nn modules and torch.optim."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from abstractor_lib import nn as lib
from abstractor_lib.training import drive as driving
from abstractor_lib.training import fit as fitting
from abstractor_lib.training.examples import Examples
from abstractor_lib.training.fit import fit, summary
from abstractor_lib.training.objectives import binary_cross_entropy
from abstractor_lib.training.sources import Resident


@pytest.mark.parametrize("loss", ["binary_cross_entropy", "cross_entropy"])
def test_against_plain_loop(double, rules, examples, build, loss):
    """Three trials trained together follow three trials trained one at a time, to 1e-9 in float64
    after 9 updates; Adam written by torch, weights, losses and chosen parameters compared."""
    outputs = 2 if loss == "cross_entropy" else 1
    train, validation = examples(3, 20), examples(3, 10)
    training = replace(rules, loss=loss)
    made = []

    def build_and_keep():
        made.append(build(outputs))
        return made[-1]

    torch.manual_seed(1)
    found = fit(build_and_keep, train, validation, training)
    torch.manual_seed(1)
    starts = [build(outputs) for _ in range(3)]  # the same draws
    stream = Resident(train, training.batch_size)
    shown = [next(stream) for _ in range(9)]
    criterion = nn.CrossEntropyLoss() if outputs == 2 else nn.BCEWithLogitsLoss()

    def one_loss(model, inputs, targets):
        output = model(inputs)
        return (
            criterion(output, targets)
            if outputs == 2
            else criterion(output[:, 0], targets.double())
        )

    first_losses = torch.zeros(9)
    for t, model in enumerate(starts):
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-2, eps=1e-7)
        best = math.inf
        for step, batch in enumerate(shown):
            value = one_loss(model, batch.inputs[t], batch.targets[t])
            first_losses[step] += value.item() / 3
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            if step % 3 == 2:  # 20 examples make 3 batches
                with torch.no_grad():
                    score = one_loss(model, validation.inputs[t], validation.targets[t]).item()
                if score < best:
                    best, kept = score, {k: v.clone() for k, v in model.state_dict().items()}
        for name, value in kept.items():
            torch.testing.assert_close(found.parameters[name][t], value, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(torch.tensor(found.first_losses), first_losses, rtol=1e-9, atol=1e-9)


def test_stopped_trials_do_not_move(double, rules, examples, build):
    """A trial that stopped keeps its best weights while the others train on: they score the best
    validation loss it had, and later losses of it are not recorded."""
    train, validation = examples(4, 20), examples(4, 10)
    rules = replace(rules, epochs=30, patience=2, learning_rate=0.1, restore="best_if_stopped")
    found = fit(build, train, validation, rules)
    assert found.stopped.any()
    assert len(set(found.updates.tolist())) > 1
    outputs = found.predict(validation.inputs)
    final = binary_cross_entropy(outputs, validation.targets)
    history = torch.stack([entry["validation_loss"] for entry in found.history])
    best = history.nan_to_num(nan=math.inf).amin(dim=0)
    torch.testing.assert_close(final[found.stopped], best[found.stopped])
    first = found.updates.argmin()
    after = [
        e["validation_loss"][first] for e in found.history if e["update"] > found.updates[first]
    ]
    assert len(after) > 0
    assert torch.stack(after).isnan().all()


def test_a_run_repeats_bit_for_bit_and_restores_nothing_outside(rules, examples, build):
    train, validation = examples(3, 20), examples(3, 10)

    def once():
        torch.manual_seed(5)
        return fit(lambda: lib.initialise(build()), train, validation, rules)

    first, second = once(), once()
    assert first.first_losses == second.first_losses
    for name, value in first.parameters.items():
        assert torch.equal(value, second.parameters[name])


def test_budgets_and_limit(rules, examples, build):
    train, validation = examples(2, 20), examples(2, 10)
    by_updates = replace(rules, epochs=None, updates=7, validate_every=2)
    found = fit(build, train, validation, by_updates)
    assert [entry["update"] for entry in found.history] == [2, 4, 6, 7]
    limited = fit(build, train, validation, rules, limit=4)
    assert len(limited.first_losses) == 4
    torch.manual_seed(2)
    whole = fit(build, train, validation, rules)
    torch.manual_seed(2)
    start = fit(build, train, validation, rules, limit=4)
    assert whole.first_losses[:4] == start.first_losses


def test_converged_means_a_flat_end_or_a_solved_task(rules):
    def fitted(losses, accuracy):
        history = [
            {
                "update": k,
                "loss": torch.zeros(1),
                "validation_loss": torch.tensor([loss]),
                "validation_accuracy": torch.tensor([accuracy]),
            }
            for k, loss in enumerate(losses)
        ]
        return fitting.Fitted(None, {}, [], history, torch.tensor([1]), torch.tensor([False]))

    flat = [1.0] * 8 + [0.995, 0.995]
    falling = [1.0 - 0.05 * k for k in range(10)]
    assert fitting.summary(fitted(flat, 0.5), rules)["converged"] == [1]
    assert fitting.summary(fitted(falling, 0.5), rules)["converged"] == [0]
    assert fitting.summary(fitted(falling, 0.995), rules)["converged"] == [1]
    below = [[value - 2.0 for value in losses] for losses in (flat, falling)]  # log-densities, say
    assert fitting.summary(fitted(below[0], 0.5), rules)["converged"] == [1]
    assert fitting.summary(fitted(below[1], 0.5), rules)["converged"] == [0]


def test_a_diverging_run_says_so(rules, examples, build):
    train, validation = examples(1, 20), examples(1, 10)
    train.inputs[0, 0] = torch.nan
    with pytest.raises(FloatingPointError, match="the training loss is not finite at update 3"):
        fit(build, train, validation, rules)
    train, validation = examples(1, 20), examples(1, 10)
    validation.inputs[0, 0] = torch.nan
    with pytest.raises(FloatingPointError, match="the validation loss is not finite at update"):
        fit(build, train, validation, rules)


def test_several_inputs_and_targets_and_a_single_trial(double, rules):
    """A single trial is a plain call; inputs may be a tuple, targets one a position."""

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = nn.Linear(3, 8), nn.Embedding(4, 8)

        def forward(self, x, tokens):
            return self.left(x).unsqueeze(-2) + self.right(tokens)

    x, tokens = torch.randn(1, 20, 3), torch.randint(4, (1, 20, 5))
    targets = torch.randint(8, (1, 20, 5))
    data = Examples((x, tokens), targets)
    rules = replace(rules, loss="cross_entropy", batch_size=8, epochs=2)
    torch.manual_seed(3)
    alone = fit(Two, data, data, rules)
    torch.manual_seed(3)
    module = Two()
    optimiser = torch.optim.Adam(module.parameters(), lr=rules.learning_rate, eps=rules.epsilon)
    expected = []
    for _ in range(2):
        order = torch.rand(1, 20).argsort(dim=1)[0]
        for rows in order.split(8):
            logits = module(x[0, rows], tokens[0, rows])
            loss = F.cross_entropy(logits.flatten(0, 1), targets[0, rows].flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            expected.append(loss.item())
    assert alone.first_losses == pytest.approx(expected, rel=1e-9)


def test_training_loss_can_be_watched(double, rules):
    """Keras' mean over the epoch's examples; nothing is validated; patience as ever."""
    torch.manual_seed(0)
    data = Examples(torch.randn(2, 10, 4), torch.randint(2, (2, 10)))
    rules = replace(
        rules, loss="cross_entropy", batch_size=8, epochs=200, patience=3, learning_rate=0.5,
        monitor="training", restore="best_if_stopped",
    )  # fmt: skip
    fitted = fit(lambda: nn.Linear(4, 2), data, None, rules)
    losses = fitted.first_losses  # two batches an epoch, of 8 and of 2
    for epoch in range(5):
        wanted = (8 * losses[2 * epoch] + 2 * losses[2 * epoch + 1]) / 10
        assert fitted.history[epoch]["loss"].mean().item() == pytest.approx(wanted, rel=1e-9)
    assert "validation_loss" not in fitted.history[0]
    assert fitted.stopped.all() and set(summary(fitted, rules)) == {"updates", "stopped_early"}


def test_regression_has_no_accuracy(double, rules):
    """A run with squared errors has losses, ends and convergence, but nothing that is right."""
    data = Examples(torch.randn(2, 16, 3), torch.randn(2, 16, 1))
    found = fit(lambda: nn.Linear(3, 1), data, data, replace(rules, loss="mse"))
    known = summary(found, rules)
    assert set(known) == {"validation_loss", "updates", "stopped_early", "converged"}
    wanted = (found.predict(data.inputs) - data.targets).square().mean(dim=(1, 2))
    assert known["validation_loss"] == pytest.approx(wanted.tolist(), rel=1e-12)


def test_an_objective_of_ones_own(double, rules):
    """Squared errors written by hand train as those with a name; a function suffices."""
    data = Examples(torch.randn(2, 16, 3), torch.randn(2, 16, 1))

    def squares(outputs, targets):
        return (outputs - targets).square().mean(dim=(1, 2))

    torch.manual_seed(4)
    named = fit(lambda: nn.Linear(3, 1), data, data, replace(rules, loss="mse"))
    torch.manual_seed(4)
    custom = replace(rules, loss="custom")
    own = fit(lambda: nn.Linear(3, 1), data, data, custom, objective=squares)
    assert own.first_losses == pytest.approx(named.first_losses, rel=1e-12)


def test_unknown_objectives_and_missing_validation_are_errors(rules, examples, build):
    data = examples(2, 8)
    with pytest.raises(ValueError, match="loss is 'mean'; allowed: cross_entropy"):
        fit(build, data, data, replace(rules, loss="mean"))
    with pytest.raises(ValueError, match="objective is None with loss 'custom'"):
        fit(build, data, data, replace(rules, loss="custom"))
    with pytest.raises(ValueError, match="validation is None with monitor 'validation'"):
        fit(build, data, None, rules)


def test_predicting_in_chunks_changes_nothing_but_rounding(double, rules, examples, build):
    data = examples(3, 20)
    found = fit(build, data, data, rules)
    whole, parts = found.predict(data.inputs), found.predict(data.inputs, chunk=7)
    torch.testing.assert_close(parts, whole, rtol=1e-12, atol=1e-12)


def test_progress_ends_with_all_updates_done(rules, examples, build, monkeypatch):
    monkeypatch.setattr(driving, "PROGRESS_SECONDS", 0.0)
    told = []
    data = examples(2, 20)
    fit(build, data, data, rules, progress=lambda done, total, note: told.append((done, total)))
    assert told == [(done, 9) for done in [*range(1, 10), 9]]


def test_further_weights_are_those_of_the_last_and_of_the_most_accurate_look(
    double, rules, examples, build
):
    """Against fits that end at each look in turn: same seed, fewer updates."""
    train, validation = examples(3, 20), examples(3, 30)
    rules = replace(rules, learning_rate=0.05, epochs=4, also=("final", "best_accuracy"))

    def found(limit=None):
        torch.manual_seed(4)
        return fit(build, train, validation, rules, limit)

    whole = found()
    looks = [found(limit=entry["update"]) for entry in whole.history]
    accuracy = torch.stack([entry["validation_accuracy"] for entry in whole.history])  # (looks, t)
    assert (accuracy.argmax(dim=0) != len(looks) - 1).any()  # of equals the first
    for name, value in whole.further("final").items():
        assert torch.equal(value, looks[-1].further("final")[name])
        assert not torch.equal(value, whole.parameters[name])
    for trial, best in enumerate(accuracy.argmax(dim=0).tolist()):
        for name, value in whole.further("best_accuracy").items():
            assert torch.equal(value[trial], looks[best].further("final")[name][trial])


def test_averaged_weights_against_a_loop_over_fits_that_end_earlier(double, rules, examples, build):
    """m_0 = w_0, m_k = a m_(k-1) + (1 - a) w_k, with w_k from a fit that ends after k updates."""
    train, validation = examples(3, 20), examples(3, 30)
    rules = replace(rules, epochs=2, also=("final", "averaged", "best_loss"), average=0.7)
    made = []

    def found(limit=None):
        torch.manual_seed(4)
        return fit(lambda: made.append(build()) or made[-1], train, validation, rules, limit)

    whole = found()
    starts = [{k: v.clone() for k, v in one.state_dict().items()} for one in made[:3]]
    mean = {name: torch.stack([one[name] for one in starts]) for name in starts[0]}
    for update in range(1, 7):
        last = found(limit=update).further("final")
        mean = {name: 0.7 * value + 0.3 * last[name] for name, value in mean.items()}
    for name, value in whole.further("averaged").items():
        torch.testing.assert_close(value, mean[name], rtol=0, atol=1e-12)
        assert not torch.equal(value, whole.further("final")[name])
    for name, value in whole.further("best_loss").items():  # the same that `restore` chooses
        assert torch.equal(value, whole.parameters[name])


def test_watching_accuracy_keeps_what_the_best_accuracy_is_and_stops_by_it(
    double, rules, examples, build
):
    """Against a fit that watches the loss and hands out both; patience counts looks without a
    higher accuracy."""
    train, validation = examples(3, 20), examples(3, 30)
    rules = replace(rules, learning_rate=0.05, epochs=12, also=("best_accuracy",))
    torch.manual_seed(4)
    whole = fit(build, train, validation, rules)
    rules = replace(rules, monitor="accuracy", also=())
    torch.manual_seed(4)
    found = fit(build, train, validation, rules)
    assert any(
        not torch.equal(value, whole.parameters[name]) for name, value in found.parameters.items()
    )
    for name, value in whole.further("best_accuracy").items():
        assert torch.equal(found.parameters[name], value)
    torch.manual_seed(4)
    stopped = fit(build, train, validation, replace(rules, patience=3, ignored=2))
    accuracy = torch.stack([entry["validation_accuracy"] for entry in whole.history])[2:]
    for trial, curve in enumerate(accuracy.T.tolist()):
        best = [k for k, value in enumerate(curve) if value > max(curve[:k], default=-1)]
        ends = [k + 3 for k, after in zip(best, [*best[1:], 99], strict=True) if after > k + 3]
        ended = ends[0] < len(curve)
        assert bool(stopped.stopped[trial]) == ended
        assert int(stopped.updates[trial]) == 3 * (3 + ends[0] if ended else 12)


def test_weights_of_the_best_accuracy_need_one(double, rules):
    some = Examples(torch.randn(2, 8, 3), torch.randn(2, 8, 1))
    rules = replace(rules, loss="mse", also=("best_accuracy",))
    with pytest.raises(ValueError, match="also names best_accuracy, but no accuracy is validated"):
        fit(lambda: nn.Linear(3, 1), some, some, rules)
    rules = replace(rules, also=(), monitor="accuracy")
    with pytest.raises(ValueError, match="monitor is 'accuracy', but no accuracy is validated"):
        fit(lambda: nn.Linear(3, 1), some, some, rules)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "3"])
def test_a_limit_that_is_no_number_of_updates_is_refused(rules, examples, build, limit):
    train, validation = examples(2, 20), examples(2, 10)
    with pytest.raises(ValueError, match=f"limit is {limit!r}; expected a number of updates"):
        fit(build, train, validation, rules, limit)

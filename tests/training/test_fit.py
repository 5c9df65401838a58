"""Batched training against a plain loop of torch.nn modules and torch.optim."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from abstractor_lib import nn as lib
from abstractor_lib.training import fit as fitting
from abstractor_lib.training.fit import Examples, Stopping, batches, fit, losses, summary
from abstractor_lib.training.settings import Training

TRAINING = Training(
    loss="binary_cross_entropy",
    learning_rate=1e-2,
    batch_size=8,
    epochs=3,
    updates=None,
    validate_every=None,
    patience=None,
    min_delta=0.0,
    baseline=None,
    restore="best",
)


def examples(trials, count, outputs=2):
    return Examples(torch.randn(trials, count, 2, 5), torch.randint(outputs, (trials, count)))


def build(outputs=1):
    """An Abstractor without dropout: the plain loop then has no mask to draw."""
    layer = lib.AbstractorLayer(
        lib.RelationalMessagePassing(
            lib.MultiHeadRelation(5, 2, 3, activation="sigmoid"),
            lib.SymbolicMessagePassing(4, 2),
        ),
        lib.FeedForward(4, 4, dropout=0.0),
    )
    abstractor = lib.AbstractorStack(lib.LearnedSymbols(2, 4), [layer])
    return lib.initialise(nn.Sequential(abstractor, nn.Flatten(-2), lib.MLP([8, 4, outputs])))


@pytest.mark.parametrize("loss", ["binary_cross_entropy", "cross_entropy"])
def test_against_plain_loop(double, loss):
    """Three trials trained together follow three trials trained one at a time, to 1e-9 in float64
    after 9 updates; Adam written by torch, weights, losses and chosen parameters compared."""
    outputs = 2 if loss == "cross_entropy" else 1
    train, validation = examples(3, 20), examples(3, 10)
    training = replace(TRAINING, loss=loss)
    made = []

    def build_and_keep():
        made.append(build(outputs))
        return made[-1]

    torch.manual_seed(1)
    found = fit(build_and_keep, train, validation, training)
    torch.manual_seed(1)
    starts = [build(outputs) for _ in range(3)]  # the same draws
    stream = batches(train, training.batch_size)
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


def test_each_epoch_shows_each_example_once():
    data = examples(2, 10)
    stream = batches(data, 4)
    epoch = [next(stream) for _ in range(3)]
    assert [batch.targets.shape[1] for batch in epoch] == [4, 4, 2]
    for t in range(2):
        seen = torch.cat([batch.inputs[t] for batch in epoch]).flatten(1)
        assert sorted(seen.tolist()) == sorted(data.inputs[t].flatten(1).tolist())


def keras_early_stopping(losses, patience, min_delta, baseline):
    """Keras 2's EarlyStopping(restore_best_weights=True) as its documentation describes it.

    Returns the epoch it stopped at (None if it did not) and the epoch whose weights remain.
    """
    best, best_epoch, wait = math.inf, None, 0
    for epoch, loss in enumerate(losses):
        wait += 1
        if loss + min_delta < best:
            best, best_epoch = loss, epoch
            if baseline is None or loss + min_delta < baseline:
                wait = 0
        if wait >= patience:
            return epoch, best_epoch
    return None, len(losses) - 1


@pytest.mark.parametrize("baseline", [None, 0.6])
@pytest.mark.parametrize("min_delta", [0.0, 0.01])
def test_against_keras_early_stopping(baseline, min_delta):
    """Forty trials with random validation losses, at once and one by one."""
    generator = torch.Generator().manual_seed(0)
    steps = torch.randn(40, 30, generator=generator) * 0.05 - 0.03
    curves = 0.69 + steps.cumsum(dim=1)  # (t, epochs)
    rules = replace(
        TRAINING, patience=5, min_delta=min_delta, baseline=baseline, restore="best_if_stopped"
    )
    weight = torch.zeros(40, 1)
    stopping = Stopping(rules, {"w": weight})
    ended = torch.full((40,), -1)
    for epoch in range(30):
        weight = torch.full((40, 1), float(epoch))
        ended[stopping.validated(curves[:, epoch], {"w": weight})] = epoch
    kept = stopping.chosen({"w": weight})["w"][:, 0]
    expected = [keras_early_stopping(curve, 5, min_delta, baseline) for curve in curves.tolist()]
    assert ended.tolist() == [-1 if stop is None else stop for stop, _ in expected]
    assert kept.tolist() == [float(epoch) for _, epoch in expected]
    assert 0 < sum(stop is None for stop, _ in expected) < 40  # both endings occur


def test_stopped_trials_do_not_move(double):
    """A trial that stopped keeps its best weights while the others train on: they score the best
    validation loss it had, and later losses of it are not recorded."""
    train, validation = examples(4, 20), examples(4, 10)
    rules = replace(TRAINING, epochs=30, patience=2, learning_rate=0.1, restore="best_if_stopped")
    found = fit(build, train, validation, rules)
    assert found.stopped.any()
    assert len(set(found.updates.tolist())) > 1
    outputs = found.predict(validation.inputs)
    final = losses(outputs, validation.targets, rules.loss)
    history = torch.stack([entry["validation_loss"] for entry in found.history])
    best = history.nan_to_num(nan=math.inf).amin(dim=0)
    torch.testing.assert_close(final[found.stopped], best[found.stopped])
    first = found.updates.argmin()
    after = [
        e["validation_loss"][first] for e in found.history if e["update"] > found.updates[first]
    ]
    assert len(after) > 0
    assert torch.stack(after).isnan().all()


def test_a_run_repeats_bit_for_bit_and_restores_nothing_outside():
    train, validation = examples(3, 20), examples(3, 10)

    def once():
        torch.manual_seed(5)
        return fit(lambda: lib.initialise(build()), train, validation, TRAINING)

    first, second = once(), once()
    assert first.first_losses == second.first_losses
    for name, value in first.parameters.items():
        assert torch.equal(value, second.parameters[name])


def test_budgets_and_limit():
    train, validation = examples(2, 20), examples(2, 10)
    by_updates = replace(TRAINING, epochs=None, updates=7, validate_every=2)
    found = fit(build, train, validation, by_updates)
    assert [entry["update"] for entry in found.history] == [2, 4, 6, 7]
    limited = fit(build, train, validation, TRAINING, limit=4)
    assert len(limited.first_losses) == 4
    torch.manual_seed(2)
    whole = fit(build, train, validation, TRAINING)
    torch.manual_seed(2)
    start = fit(build, train, validation, TRAINING, limit=4)
    assert whole.first_losses[:4] == start.first_losses


def test_converged_means_a_flat_end_or_a_solved_task():
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
    assert fitting.summary(fitted(flat, 0.5), TRAINING)["converged"] == [1]
    assert fitting.summary(fitted(falling, 0.5), TRAINING)["converged"] == [0]
    assert fitting.summary(fitted(falling, 0.995), TRAINING)["converged"] == [1]


def test_a_diverging_run_says_so():
    train, validation = examples(1, 20), examples(1, 10)
    train.inputs[0, 0] = torch.nan
    with pytest.raises(FloatingPointError, match="the training loss is not finite at update 3"):
        fit(build, train, validation, TRAINING)
    train, validation = examples(1, 20), examples(1, 10)
    validation.inputs[0, 0] = torch.nan
    with pytest.raises(FloatingPointError, match="the validation loss is not finite at update"):
        fit(build, train, validation, TRAINING)


def test_several_inputs_and_targets_and_a_single_trial(double):
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
    rules = replace(TRAINING, loss="cross_entropy", batch_size=8, epochs=2)
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


def test_training_loss_can_be_watched(double):
    """Keras' mean over the epoch's examples; nothing is validated; patience as ever."""
    torch.manual_seed(0)
    data = Examples(torch.randn(2, 10, 4), torch.randint(2, (2, 10)))
    rules = replace(
        TRAINING, loss="cross_entropy", batch_size=8, epochs=200, patience=3, learning_rate=0.5,
        monitor="training", restore="best_if_stopped",
    )  # fmt: skip
    fitted = fit(lambda: nn.Linear(4, 2), data, None, rules)
    losses = fitted.first_losses  # two batches an epoch, of 8 and of 2
    for epoch in range(5):
        wanted = (8 * losses[2 * epoch] + 2 * losses[2 * epoch + 1]) / 10
        assert fitted.history[epoch]["loss"].mean().item() == pytest.approx(wanted, rel=1e-9)
    assert "validation_loss" not in fitted.history[0]
    assert fitted.stopped.all() and set(summary(fitted, rules)) == {"updates", "stopped_early"}

"""Stacked models against the same models called one at a time."""

import copy
from itertools import product

import pytest
import torch
from torch import nn

from abstractor_lib.training.ensemble import Ensemble


class Averaging(nn.Module):
    """Keeps a running mean, bound anew at each call, and a fixed scale that is not saved."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)
        self.register_buffer("mean", torch.zeros(5))
        self.register_buffer("scale", torch.arange(1.0, 6.0), persistent=False)

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.mean(dim=0).detach()
        return self.scale * self.linear(x) + self.mean


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(5, 5), nn.Linear(5, 5)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x).tanh())


def normed():
    return nn.Sequential(nn.Linear(5, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))


class Recurrent(nn.Module):
    """torch has no rule to call this one for many trials together."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 3, batch_first=True)

    def forward(self, x):
        return self.lstm(x.unsqueeze(1))[0][:, 0]


KINDS = (Averaging, Tied, normed, Recurrent)
WAYS = list(product(KINDS, (1, 3), (True, False)))  # kind, trials, together
WAYS.remove((Recurrent, 3, True))  # see test_what_cannot_be_called_together_says_so


@pytest.mark.parametrize(("kind", "trials", "together"), WAYS)
def test_against_models_one_at_a_time(double, kind, trials, together):
    """Outputs, gradients, buffers over three calls, and predictions, to 1e-10 in float64."""
    models = [kind() for _ in range(trials)]
    remaining = iter(copy.deepcopy(models))
    ensemble = Ensemble(lambda: next(remaining), trials, together=together)
    near = {"rtol": 1e-10, "atol": 1e-10}
    for _ in range(3):
        inputs = torch.randn(trials, 8, 5)
        outputs = ensemble(inputs)
        expected = torch.stack([model(x) for model, x in zip(models, inputs, strict=True)])
        torch.testing.assert_close(outputs, expected, **near)
    grads = torch.autograd.grad(outputs.square().sum(), list(ensemble.trained.values()))
    expected.square().sum().backward()
    for (name, _), grad in zip(ensemble.trained.items(), grads, strict=True):
        wanted = torch.stack([model.get_parameter(name).grad for model in models])
        torch.testing.assert_close(grad, wanted, **near)
    before = {name: value.clone() for name, value in ensemble.buffers.items()}
    predicted = ensemble.predict(inputs)
    assert not predicted.requires_grad
    expected = [model.eval()(x) for model, x in zip(models, inputs, strict=True)]
    torch.testing.assert_close(predicted, torch.stack(expected).detach(), **near)
    for name, value in ensemble.buffers.items():
        wanted = torch.stack([model.get_buffer(name) for model in models])
        torch.testing.assert_close(value, wanted, **near)
        assert torch.equal(value, before[name])  # predicting changes none


@pytest.mark.parametrize("kind", KINDS)
def test_saved_states_are_the_models_state_dictionaries(kind):
    ensemble = Ensemble(kind, 2)
    saved = ensemble.saved(ensemble.state())
    model = kind()
    model.load_state_dict({name: value[1] for name, value in saved.items()})
    inputs = torch.randn(2, 4, 5)
    alone = Ensemble(lambda: model, 1).predict(inputs[1:])
    both = Ensemble(kind, 2, together=False).predict(inputs, ensemble.state())
    torch.testing.assert_close(alone[0], both[1], rtol=1e-5, atol=1e-6)


def test_frozen_parameters_are_kept_apart():
    def build():
        model = nn.Sequential(nn.Linear(5, 5), nn.Linear(5, 2))
        model[0].requires_grad_(False)
        return model

    ensemble = Ensemble(build, 2)
    assert set(ensemble.frozen) == {"0.weight", "0.bias"}
    assert set(ensemble.trained) == {"1.weight", "1.bias"}
    assert all(value.requires_grad for value in ensemble.trained.values())
    with pytest.raises(ValueError, match="the model has no parameter that requires a gradient"):
        Ensemble(lambda: build().requires_grad_(False), 2)


@pytest.mark.parametrize("trials", [1, 2])
def test_parts_in_evaluation_mode_stay_in_it(trials):
    """A batch norm that build() put into evaluation mode keeps its statistics, before and after a
    prediction; dropout beside it goes on drawing masks."""

    def build():
        model = nn.Sequential(nn.BatchNorm1d(5), nn.Dropout(0.5), nn.Linear(5, 2))
        model[0].eval()
        return model

    ensemble = Ensemble(build, trials)
    inputs = 3 + torch.randn(trials, 8, 5)
    for _ in range(2):
        assert not torch.equal(ensemble(inputs), ensemble(inputs))
        assert torch.equal(ensemble.predict(inputs), ensemble.predict(inputs))
    assert ensemble.buffers["0.running_mean"].count_nonzero() == 0


def test_what_cannot_be_called_together_says_so():
    with pytest.raises(ValueError, match="together is True, but the model cannot be vectorised"):
        Ensemble(Recurrent, 2)(torch.randn(2, 4, 5))

    class Branching(nn.Linear):
        def forward(self, x):
            return super().forward(x) if x.sum() > 0 else x

    with pytest.raises(ValueError, match="together is True, but the model cannot be vectorised"):
        Ensemble(lambda: Branching(5, 5), 2)(torch.randn(2, 4, 5))


def test_errors_of_the_model_itself_stay_what_they_are():
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        Ensemble(lambda: nn.Linear(5, 2), 1)(torch.randn(1, 4, 3))


def test_an_ensemble_of_no_models_is_an_error():
    with pytest.raises(ValueError, match="count is 0; expected at least 1"):
        Ensemble(lambda: nn.Linear(5, 2), 0)


def test_trials_of_different_models_are_an_error():
    widths = iter([5, 6])
    with pytest.raises(ValueError, match="the models of the trials differ"):
        Ensemble(lambda: nn.Linear(5, next(widths)), 2)
    frozen = iter([True, False])
    with pytest.raises(ValueError, match="the models of the trials differ"):
        Ensemble(lambda: nn.Linear(5, 2).requires_grad_(next(frozen)), 2)

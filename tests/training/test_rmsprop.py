"""RMSProp as TensorFlow has it: against a loop in numpy, and beside torch's."""

import numpy as np
import pytest
import torch

from abstractor_lib.training.rmsprop import TensorFlowRMSprop


def in_numpy(weight, gradients, rate, decay, epsilon):
    square = np.ones_like(weight)
    for gradient in gradients:
        square = decay * square + (1 - decay) * gradient**2
        weight = weight - rate * gradient / np.sqrt(square + epsilon)
    return weight


@pytest.mark.parametrize("epsilon", [1e-8, 0.1])
def test_against_a_loop_in_numpy(epsilon):
    random = np.random.default_rng(0)
    start, gradients = random.standard_normal((3, 4)), random.standard_normal((20, 3, 4)) / 10
    weight = torch.tensor(start, requires_grad=True)
    optimiser = TensorFlowRMSprop([weight], lr=0.02, decay=0.9, epsilon=epsilon)
    for gradient in gradients:
        weight.grad = torch.tensor(gradient)
        optimiser.step()
    expected = in_numpy(start, gradients, 0.02, 0.9, epsilon)
    np.testing.assert_allclose(weight.detach().numpy(), expected, rtol=1e-12)


def test_its_first_step_along_a_small_gradient_is_shorter_than_torchs():
    """With the epsilon of the paper: g / sqrt(1.09) to g / (sqrt(0.01 g^2) + 0.1)."""
    steps = []
    for kind in (TensorFlowRMSprop, torch.optim.RMSprop):
        weight = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        name = "epsilon" if kind is TensorFlowRMSprop else "eps"
        optimiser = kind([weight], lr=1.0, **{name: 0.1})
        weight.grad = torch.full_like(weight, 1e-6)
        optimiser.step()
        steps.append(-weight.item() / 1e-6)
    np.testing.assert_allclose(steps, [1 / np.sqrt(0.99 + 0.1), 10], rtol=1e-5)


def test_a_closure_and_a_saved_state(tmp_path):
    weight = torch.ones(2, requires_grad=True)
    optimiser = TensorFlowRMSprop([weight], lr=0.1)

    def closure():
        optimiser.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    assert optimiser.step(closure).item() == 2
    again = TensorFlowRMSprop([weight], lr=0.1)
    again.load_state_dict(optimiser.state_dict())
    torch.testing.assert_close(
        again.state[weight]["square"], optimiser.state[weight]["square"], rtol=0, atol=0
    )


@pytest.mark.parametrize("wrong", [{"lr": 0.0}, {"lr": 1.0, "decay": 1.0}, {"lr": 1, "epsilon": 0}])
def test_settings_that_make_no_sense_are_an_error(wrong):
    with pytest.raises(ValueError, match="expected positive numbers"):
        TensorFlowRMSprop([torch.ones(1)], **wrong)

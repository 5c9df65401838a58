"""L-BFGS against scipy's, and what it refuses."""

import numpy as np
import pytest
import torch
from scipy import optimize

from abstractor_lib.training.minimise import minimise


def test_against_scipy_on_the_rosenbrock_function():
    x = torch.tensor([-1.2, 1.0, -0.5], dtype=torch.float64, requires_grad=True)
    start = x.detach().numpy().copy()

    def loss():
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    seen = minimise([x], loss, updates=100)
    found = optimize.minimize(optimize.rosen, start, jac=optimize.rosen_der, method="L-BFGS-B")
    assert seen[0] == pytest.approx(optimize.rosen(start))
    np.testing.assert_allclose(x.detach().numpy(), found.x, atol=1e-4)
    assert seen[-1] < 1e-8


def test_a_loss_that_is_not_finite_is_an_error():
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    losses = iter([1.0, torch.nan, 1.0, 1.0])
    with pytest.raises(FloatingPointError, match=r"the loss is not finite at evaluation 2$"):
        minimise([x], lambda: (x * next(losses)).sum(), updates=3)

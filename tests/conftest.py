"""What all tests share: one thread, double precision helpers, a scratch store."""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pytest
import torch
from hypothesis import settings

settings.register_profile("suite", max_examples=30, deadline=None, derandomize=True)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def seeded():
    """Each test starts from the same torch state and one thread."""
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def double():
    """Modules built in this test have float64 parameters."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)

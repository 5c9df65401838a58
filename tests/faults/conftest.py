"""What tests of faults share: the command in a process of its own, with limits of its own."""

import os
import subprocess
import sys

import pytest

from abstractor_lib.experiments.order import EXPERIMENT as order

SMOKE = ("run", "order", "--profile", "smoke", "--protocol", "described", "--fresh")


@pytest.fixture(scope="session")
def smoke():
    """What is asked for: some tiny runs."""
    return SMOKE


@pytest.fixture(scope="session")
def smoke_runs():
    """How many runs `smoke` asks for."""
    return len(order.grid("smoke", "described"))


@pytest.fixture(scope="session")
def abstractor():
    """Calls ``abstractor``; what it said, and its exit status."""

    def call(*arguments, env=None, code="", **options):
        program = ["-c", code] if code else ["-m", "abstractor_lib.cli"]
        return subprocess.run(
            [sys.executable, *program, *map(str, arguments)],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )

    return call

"""Figures are closed after each test: matplotlib warns when more than twenty are open."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def figures_are_closed():
    yield
    plt.close("all")

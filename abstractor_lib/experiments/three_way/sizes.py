"""How large the models are, and what one example costs them."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from ...records.spec import Spec
from ..context import HERE
from .run import build, fixed


def parameters(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(one.numel() for one in model.parameters())


def operations(spec: Spec) -> int:
    """Multiplications with their additions in the matrix products of one example, forward; what is
    done to each number by itself is not counted."""
    inputs, _ = fixed(replace(spec, task=replace(spec.task, test=1)), "test", HERE)
    with FlopCounterMode(display=False) as counter:
        build(spec.model, spec.task)(inputs[0])
    return counter.get_total_flops() // 2  # which counts both


def sizes(specs: Iterable[Spec]) -> pd.DataFrame:
    """A row for each model on each task: ``model``, ``variant`` (the task), ``parameters`` and
    ``operations``."""
    one_seed = {(spec.model.name, spec.task.name): spec for spec in specs}
    rows = [
        (*key, parameters(build(spec.model, spec.task)), operations(spec))
        for key, spec in one_seed.items()
    ]
    return pd.DataFrame(rows, columns=["model", "variant", "parameters", "operations"])

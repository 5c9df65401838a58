"""A run that fits models to examples: what most sections compute, once.

A section says what its examples are, how a model is built and what is measured of the trained ones.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from ..records.spec import Spec
from ..training.examples import Examples
from ..training.fit import fit, summary
from ..training.outcome import Outcome, curve
from ..training.trainer import Fitted
from .context import Context


def stacked(
    trials: Iterable[tuple[np.ndarray, np.ndarray]], context: Context, precision: str | None = None
) -> Examples:
    """Inputs and targets of each trial, ``(n, ...)``, as examples of all, ``(t, n, ...)``.

    Args:
        trials: what each trial's part holds.
        context: whose device they go to.
        precision: torch's name of the inputs' type; None leaves theirs.
    """
    inputs, targets = (torch.from_numpy(np.stack(part)) for part in zip(*trials, strict=True))
    kind = inputs.dtype if precision is None else getattr(torch, precision)
    return Examples(inputs.to(context.device, kind), targets.to(context.device))


def supervised(
    spec: Spec,
    context: Context,
    examples: Callable[[str], Any],
    build: Callable[[], nn.Module],
    scores: Callable[[Fitted], Mapping[str, list]],
    leaves: Callable[[Fitted], Mapping[str, Any]] = lambda fitted: {
        "parameters": fitted.parameters
    },
    **fitting: Any,
) -> Outcome:
    """Fit the models of a spec, and measure them.

    Args:
        spec, context: of the run; torch's default generator is the caller's to seed.
        examples: of ``train`` and ``validation``, as `training.fit.fit` takes them; None of the
            latter if nothing is validated.
        build: makes a freshly initialised model.
        scores: metrics of the fitted models, name -> a number for each trial, beside those of the
            fit itself (`training.fit.summary`).
        leaves: what else the run leaves, by the names of `Outcome`; asked for after the scores.
            A ``curve`` of its own stands in place of that of the fit.
        fitting: further arguments of `training.fit.fit`, such as an ``objective``.

    Returns:
        The outcome; the first losses alone where `Context.first_numbers` asks for no more.
    """
    fitted = fit(
        build,
        examples("train"),
        examples("validation"),
        spec.training,
        **fitting,
        **context.fitting(spec),
    )
    if context.first_numbers:
        return Outcome({}, fitted.first_losses)
    metrics = {**summary(fitted, spec.training), **scores(fitted)}
    left: dict[str, Any] = {**leaves(fitted)}
    if "curve" not in left:
        left["curve"] = curve(fitted.history)
    return Outcome(metrics, fitted.first_losses, **left)

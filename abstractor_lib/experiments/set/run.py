"""Computing one run of SET classification.

Shapes: ``t`` trials, ``n`` rows of three cards, ``d`` features of a card's embedding.
"""

import numpy as np
import torch

from ...records.spec import Spec
from ...training import fit as fitting
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name, curve
from ..context import Context, State
from .build import build
from .data import accuracies, taken, trial
from .inside import inside
from .inspect import Player

RELATIONAL = ("abstractor", "corelnet")  # cores with relations to look into


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed.

    The weights of a trial also hold the ``embeddings`` of the cards ``(81, d)`` that it reads.
    """
    data = [trial(spec.task, number, spec.draw) for number in spec.trials]
    _, state = context.parent(spec, "cards")
    embeddings = state["embeddings"].cpu()  # (81, d)
    cards = embeddings.numpy()

    def stacked(part: str) -> Examples:
        inputs, targets = zip(*(taken(getattr(one, part), cards) for one in data), strict=True)
        return Examples(
            torch.from_numpy(np.stack(inputs)).to(context.device, getattr(torch, spec.precision)),
            torch.from_numpy(np.stack(targets)).to(context.device),
        )

    fitted = fitting.fit(
        lambda: build(spec.model, cards.shape[1]),
        stacked("train"),
        stacked("validation"),
        spec.training,
        **context.fitting(spec),
    )
    if context.first_numbers:
        return Outcome({}, fitted.first_losses)
    answers = fitted.predict(stacked("test").inputs).argmax(dim=-1).cpu().numpy()  # (t, n)
    metrics = {
        **by_name([accuracies(one, row) for one, row in zip(data, answers, strict=True)]),
        **fitting.summary(fitted, spec.training),
    }
    read = {"embeddings": embeddings.expand(len(data), *embeddings.shape)}
    weights = fitted.parameters | read
    if spec.model.core in RELATIONAL:
        metrics |= looked_into(spec, weights)
    return Outcome(metrics, fitted.first_losses, curve(fitted.history), weights)


def looked_into(spec: Spec, weights: State) -> dict[str, list]:
    """What the relations of each trial hold; see `inside`."""
    found = []
    for index, number in enumerate(spec.trials):
        state = {name: value[index].cpu() for name, value in weights.items()}
        found.append(inside(Player(spec, state).relations(), number))
    return by_name(found)

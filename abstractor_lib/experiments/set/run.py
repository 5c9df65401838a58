"""Computing one run of SET classification.

Shapes: ``t`` trials, ``n`` rows of three cards, ``d`` features of a card's embedding.
"""

import numpy as np
import torch
from torch import Tensor

from ...records.spec import Spec
from ...training import fit as fitting
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name, curve
from ..context import Context, State
from .build import build
from .data import accuracies, taken, trial
from .grid import own_role
from .inside import inside
from .inspect import Player

RELATIONAL = ("abstractor", "corelnet")  # cores with relations to look into


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed.

    The weights of a trial also hold the ``embeddings`` of the cards ``(81, d)`` that it reads.
    """
    data = [trial(spec.task, number, spec.draw) for number in spec.trials]
    embeddings = embedded(spec, context)

    def stacked(part: str) -> Examples:
        rows = [getattr(one, part) for one in data]
        read = zip(rows, embeddings.numpy(), strict=True)
        inputs, targets = zip(*(taken(some, cards) for some, cards in read), strict=True)
        return Examples(
            torch.from_numpy(np.stack(inputs)).to(context.device, getattr(torch, spec.precision)),
            torch.from_numpy(np.stack(targets)).to(context.device),
        )

    fitted = fitting.fit(
        lambda: build(spec.model, embeddings.shape[-1]),
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
    weights = fitted.parameters | {"embeddings": embeddings}
    if spec.model.core in RELATIONAL:
        metrics |= looked_into(spec, weights)
    return Outcome(metrics, fitted.first_losses, curve(fitted.history), weights)


def embedded(spec: Spec, context: Context) -> Tensor:
    """The embeddings of the cards that each trial reads, ``(t, 81, d)``: those of one network for
    all trials, or those of a network of its own."""
    shared = "cards" in spec.parents
    roles = ["cards"] if shared else [own_role(number) for number in spec.trials]
    found = torch.stack([context.parent(spec, role)[1]["embeddings"].cpu() for role in roles])
    return found.expand(spec.trials.count, -1, -1)


def looked_into(spec: Spec, weights: State) -> dict[str, list]:
    """What the relations of each trial hold; see `inside`."""
    found = []
    for index, number in enumerate(spec.trials):
        state = {name: value[index].cpu() for name, value in weights.items()}
        found.append(inside(Player(spec, state).relations(), number))
    return by_name(found)

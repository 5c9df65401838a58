"""Computing one run of SET classification.

Shapes: ``t`` trials, ``n`` rows of three cards, ``d`` features of a card's embedding.
"""

import torch
from torch import Tensor

from ...records.spec import Spec
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import Context, State
from ..supervised import stacked, supervised
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

    def examples(part: str) -> Examples:
        read = zip(data, embeddings.numpy(), strict=True)
        rows = (taken(getattr(one, part), cards) for one, cards in read)
        return stacked(rows, context, spec.precision)

    def weights(fitted: Fitted) -> dict[str, Tensor]:
        return fitted.parameters | {"embeddings": embeddings}

    def scores(fitted: Fitted) -> dict[str, list]:
        answers = fitted.predict(examples("test").inputs).argmax(dim=-1).cpu().numpy()  # (t, n)
        found = by_name([accuracies(one, row) for one, row in zip(data, answers, strict=True)])
        inside = looked_into(spec, weights(fitted)) if spec.model.core in RELATIONAL else {}
        return found | inside

    return supervised(
        spec,
        context,
        examples,
        lambda: build(spec.model, embeddings.shape[-1]),
        scores,
        lambda fitted: {"parameters": weights(fitted)},
    )


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

"""Computing one run of SET from relations.

Shapes: ``t`` trials, ``n`` triples, ``d`` features of a card, 4 relations.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import set_game, set_triples
from ...tasks.randomness import generator
from ...tasks.set_triples import Parts
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..context import HERE, Context, State
from ..same_different.build import RandomSymbols
from ..supervised import supervised
from .settings import Model, Task

MANY = len(set_game.ATTRIBUTES)
BITS = 3 * MANY


def build(model: Model, dim: int) -> nn.Module:
    """A classifier of triples, freshly initialised; it reads what `inputs` gives.

    Args:
        model: its settings.
        dim: features of an embedded card.
    """
    if model.reads in ("bits", "features"):
        width = BITS if model.reads == "bits" else 3 * dim
        made: nn.Module = nn.Sequential(nn.Flatten(-2), lib.MLP([width, *model.head, 1]))
    else:
        made = RandomSymbols(
            dim,
            model.embed,
            cards=3,
            relations=MANY,
            key_dim=model.key_dim if model.reads == "cards" else None,
            scale=model.scale,
            symbol_dim=model.symbol_dim,
            head=model.head,
        )
        made.relation.requires_grad_(model.trained)
    return lib.initialise(made, model.initialisation)


def start(model: Model, dim: int, learned: list[State]) -> Callable[[], nn.Module]:
    """Makes models for `fit`, one after the other, with the relations that each starts from.

    Args:
        model: their settings.
        dim: features of an embedded card.
        learned: relations of each trial; one for all of them; or none.
    """
    made = 0

    def one() -> nn.Module:
        nonlocal made
        found = build(model, dim)
        if learned:
            state = learned[made % len(learned)]
            lacking, unknown = found.load_state_dict(state, strict=False)
            if unknown or any(name.startswith(("embed", "relation")) for name in lacking):
                raise ValueError(f"the learned relations do not fit: {unknown or lacking}")
        made += 1
        return found

    return one


def triples(task: Task, number: int, draw: int | None) -> Parts:
    """The triples of a trial; ``draw`` sets those it draws its own from, if trials share them.

    Raises:
        ValueError: if there are too few to train, validate and test on.
    """
    random, own = generator(number if draw is None else draw, "triples"), generator(number, "rows")
    order, positives, negatives = task.order, task.positives, task.negatives
    if task.split != "rows":
        counts = task.pool, task.validation, task.test
        found = set_triples.parts(
            random,
            counts,
            split=task.split,
            order=order,
            positives=positives,
            negatives=negatives,
        )
        if not 1 <= task.train <= task.pool:
            raise ValueError(f"train is {task.train}; allowed: 1 to {task.pool} rows")
        return found._replace(train=found.train.take(own.permutation(task.pool)[: task.train]))
    ends = np.cumsum([task.train, task.validation, task.test])
    if ends[-1] > task.pool:
        raise ValueError(f"train is {task.train}; allowed: {task.pool} rows in all three parts")
    rows = set_triples.triples(
        random, task.pool, order=order, positives=positives, negatives=negatives
    )
    return Parts(*map(rows.take, np.split(own.permutation(task.pool)[: ends[-1]], ends[:-1])))


def inputs(model: Model, cards: np.ndarray, embeddings: Tensor | None) -> Tensor:
    """What a model reads of triples ``(n, 3)``: embedded cards ``(n, 3, d)``, true relations
    ``(n, 4, 3, 3)``, or bits ``(n, 4, 3)``."""
    if embeddings is not None:
        return embeddings[torch.from_numpy(cards)]
    if model.reads == "bits":
        return torch.from_numpy(set_game.same(cards)).float().unflatten(-1, (MANY, 3))
    values = torch.from_numpy(set_game.attributes(cards)).transpose(-1, -2)  # (n, 4, 3)
    return (values[..., :, None] == values[..., None, :]).float()


def data_of(spec: Spec) -> list[Parts]:
    """The triples of the trials of a spec."""
    return [triples(spec.task, number, spec.draw) for number in spec.trials]


def embedded(spec: Spec, context: Context) -> Tensor | None:
    """The embeddings of the cards that the trials of a spec read ``(81, d)``; None if they read
    true relations."""
    if "embedder" not in spec.parents:
        return None
    return context.parent(spec, "embedder")[1]["embeddings"]


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are what `inputs` gives, ``(t, n, ...)``; targets are labels ``(t, n)``, 1 of what is
    called a SET.
    """
    data, embeddings = data_of(spec), embedded(spec, context)

    def of(part: str) -> Examples:
        rows = [getattr(one, part) for one in data]
        read = torch.stack([inputs(spec.model, some.cards, embeddings) for some in rows])
        labels = torch.from_numpy(np.stack([some.labels for some in rows]))
        return Examples(read, labels).map(lambda given: given.to(context.device))

    return of


def starts(spec: Spec, context: Context = HERE) -> Callable[[], nn.Module]:
    """Makes the models of the trials of a spec, one after the other; see `start`."""
    embeddings = embedded(spec, context)
    learned = [context.parent(spec, role)[1] for role in spec.parents if role != "embedder"]
    return start(spec.model, 0 if embeddings is None else embeddings.shape[1], learned)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        answers = (fitted.predict(read("test").inputs).squeeze(-1) > 0).cpu().numpy()  # (t, n)
        each = zip(data_of(spec), answers, strict=True)
        return by_name([accuracies(one, row) for one, row in each])

    return supervised(spec, context, read, starts(spec, context), scores)


def accuracies(data: Parts, answers: np.ndarray) -> dict[str, float | None]:
    """What answers on the test rows are worth, ``(n,)``.

    ``test_accuracy`` goes by the labels, ``true_accuracy`` by the rule of the game. Of the test
    SETs, ``seen_share`` are training rows too; ``seen_accuracy`` is on those and ``new_accuracy``
    on the others. None where there is no such row.
    """
    test = data.test
    right, called = answers == test.labels, test.labels == 1
    seen = set_triples.seen(test, data.train.take(data.train.labels == 1))
    return {
        "test_accuracy": float(right.mean()),
        "true_accuracy": float((answers == set_game.is_set(test.cards)).mean()),
        "seen_share": _mean(seen[called]),
        "seen_accuracy": _mean(right[called & seen]),
        "new_accuracy": _mean(right[called & ~seen]),
    }


def _mean(hits: np.ndarray) -> float | None:
    return float(hits.mean()) if hits.size else None

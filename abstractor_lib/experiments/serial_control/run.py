"""Computing one run: a reader of heads, controllers of heads, and what they are compared with.

Metrics: ``all_accuracy`` with all heads. Of each arm (``controller``; ``static`` and ``random``
order with stopping by confidence; ``static_learned`` and ``random_learned``, whose stopping is
learned as the controller's; ``subset``, always the same heads): ``ARM_heads``, ``ARM_lost`` and
``ARM_area``, see `arms.summary`; and by the number of a price ``ARM_heads_0`` and
``ARM_accuracy_0``, and so on (by the number of heads for ``subset``). For given heads, of the best
rules that can be (``best_adaptive``, ``best_static``, ``best_random``, ``best_subset``) the same,
computed without data. ``ranking``: the static ranking of ``static_learned``, heads counted from 1.
Half of all triples are SETs, so accuracy is balanced accuracy.

Shapes: ``n`` triples, ``K`` heads, ``f`` entries of a head, ``S`` = 2^K sets of heads.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...nn.serial import AnytimeReader, HeadController, decide, expected_cost, subsets, with_order
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...tasks.set_game import attributes
from ...tasks.set_heads import HEADS, Drawn, divided, draw
from ...training.examples import Examples
from ...training.fit import fit, summary
from ...training.objectives import Objective
from ...training.outcome import Outcome, curve
from ...training.settings import Training
from ...training.trainer import Fitted
from ..context import HERE, Context
from . import arms, bounds
from .settings import PRICES, Model

PARTS = ("train", "control", "validation", "test")  # controllers learn on ``control``
SIZES = {"control": "train"}  # as many triples
CHOSEN = ("validation", "test")
CARDS, VALUES, CLASSES = 3, 3, 2
CHUNK = 4000  # triples at a time
Order = tuple[int, ...] | Literal["learned", "random"]  # of heads


def data(spec: Spec) -> dict[str, Drawn]:
    """What the one trial of a spec draws, by part; worlds of one trial divide the SETs alike."""
    trial, task = spec.trials.first, spec.task
    pools = divided(generator(trial, "serial control, split"), task.shares)
    return {
        part: draw(
            generator(trial, f"serial control, {part}"),
            pool,
            task.drawn,
            getattr(task, SIZES.get(part, part)),
        )
        for part, pool in zip(PARTS, pools, strict=True)
    }


def bits(drawn: Drawn) -> Tensor:
    """What given heads show, -1 or 1, ``(n, 4, 3)``."""
    return torch.from_numpy(2.0 * drawn.bits - 1).float()


def seen(drawn: Drawn) -> Tensor:
    """Cards as an Abstractor sees them: their attributes, one bit a value, ``(n, 3, 12)``."""
    values = np.eye(VALUES, dtype=np.float32)[attributes(drawn.cards)]  # (n, 3, 4, 3)
    return torch.from_numpy(values).flatten(-2)


def abstractor(model: Model) -> nn.Module:
    """An Abstractor that answers from all of its heads, ``(b, 3, 12) -> (b, 2)``: v3's of SET."""
    body = lib.PairwiseAbstractor(
        lambda: lib.MultiHeadRelation(
            model.embed, HEADS, model.key_dim, symmetric=True, activation="linear", bias=True
        ),
        relations=HEADS,
        symbols=CARDS,
        symbol_dim=model.symbol_dim,
        hidden=model.feedforward,
        dropout=0.0,
    )
    parts = [nn.Linear(HEADS * VALUES, model.embed), body, nn.Flatten(-2)]
    return lib.initialise(nn.Sequential(*parts, lib.MLP([CARDS * model.symbol_dim, CLASSES])))


def head_training(spec: Spec) -> Training:
    """Of the Abstractor whose heads are evaluated afterwards."""
    model = spec.model
    more = {"updates": model.head_updates, "batch_size": model.head_batch}
    return replace(spec.training, loss="cross_entropy", learning_rate=model.head_rate, **more)


def reading_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean cross-entropy of answers from all sets of heads, in which each number of heads has
    the same weight: ``(t, n, S, 1)`` and ``(t, n)`` -> ``(t,)``.

    Example:
        >>> reading_loss(torch.zeros(1, 5, 4, 1), torch.ones(1, 5))  # log 2
        tensor([0.6931])
    """
    targets = labels[..., None].to(logits).expand(logits.shape[:-1])
    each = nn.functional.binary_cross_entropy_with_logits(
        logits.squeeze(-1), targets, reduction="none"
    )
    return over_sets(each).mean(dim=-1)


def over_sets(values: Tensor) -> Tensor:
    """The mean over sets of heads, in which each number of heads has the same weight:
    ``(..., S) -> (...)``.

    Example:
        >>> over_sets(torch.tensor([3.0, 1.0, 2.0, 0.0]))  # of 3, 1.5 and 0
        tensor(1.5000)
    """
    heads = values.shape[-1].bit_length() - 1
    counts = subsets(heads).sum(dim=1).tolist()
    weights = [1 / ((heads + 1) * comb(heads, count)) for count in counts]
    return (values * torch.tensor(weights).to(values)).sum(dim=-1)


class _Priced(nn.Module):
    """A controller of which the price is the last entry of what it reads, ``(b, K f + 1)``."""

    def __init__(self, entries: int, hidden: Sequence[int], order: Order):
        super().__init__()
        self.controller = lib.initialise(HeadController(HEADS, entries, hidden))
        self.order = order

    def forward(self, read: Tensor) -> Tensor:
        relations = read[..., :-1].unflatten(-1, (HEADS, -1))
        policy = self.controller(relations, read[..., -1])
        if self.order == "learned":
            return policy
        return with_order(policy, None if self.order == "random" else self.order)


def control_loss(policy: Tensor, targets: tuple[Tensor, Tensor]) -> Tensor:
    """The mean of error over price plus heads, ``(t, n, S, K + 1) -> (t,)``, over whoever starts
    with each set of heads evaluated.

    Without such exploring starts (Sutton and Barto), what to do after several heads is not learned
    once the policy stops before. Without the division by the price, the highest prices decide what
    is learned.

    Args:
        targets: errors of answers ``(t, n, S)``, and prices ``(t, n)``.
    """
    errors, prices = targets
    error, used = expected_cost(policy, errors)
    # E[error / price + heads]
    return over_sets(error / prices[..., None] + used).mean(dim=-1)


def compute(spec: Spec, context: Context = HERE) -> Outcome:
    """Train and test the one trial of a spec; torch's default generator is the caller's to seed."""
    drawn = data(spec)
    labels = {part: torch.from_numpy(drawn[part].labels).to(context.device) for part in PARTS}
    how: dict[str, Any] = {"limit": context.fitting(spec)["limit"], "progress": context.progress}
    first: Fitted | None = None
    more: dict[str, list] = {}
    relations = {part: bits(drawn[part]).to(context.device) for part in PARTS}
    if spec.model.name == "trained":
        inputs = {part: seen(drawn[part]).to(context.device) for part in PARTS}
        train, held = (
            Examples(inputs[one][None], labels[one][None]) for one in ("train", "validation")
        )
        first = fit(lambda: abstractor(spec.model), train, held, head_training(spec), **how)
        if context.first_numbers:
            return Outcome({}, first.first_losses)
        right = first.predict(inputs["test"][None], CHUNK)[0].argmax(dim=-1) == labels["test"]
        more["abstractor_accuracy"] = [right.double().mean().item()]
        relations = _standardised(heads_of(first, spec.model, inputs))

    def examples(part: str) -> Examples:
        return Examples(relations[part][None], labels[part][None])

    entries, hidden = relations["train"].shape[-1], [spec.model.hidden] * 2
    reader = fit(
        lambda: lib.initialise(AnytimeReader(HEADS, entries, hidden)),
        examples("train"),
        examples("validation"),
        spec.training,
        objective=Objective(reading_loss),
        **how,
    )
    first = first or reader
    if context.first_numbers:
        return Outcome({}, first.first_losses)
    answered = {
        part: arms.answers(
            reader.predict(relations[part][None], CHUNK)[0].squeeze(-1).cpu(), labels[part].cpu()
        )
        for part in PARTS
    }
    found = {**summary(reader, spec.training), **more}
    found |= {
        name: [round(value, 6)] for name, value in compared(spec, how, relations, answered).items()
    }
    return Outcome(found, first.first_losses, curve(reader.history), reader.parameters)


def heads_of(fitted: Fitted, model: Model, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What the heads of a trained Abstractor show, ``(n, K, 9)``, by part."""
    trained = abstractor(model)
    trained.load_state_dict({name: one[0] for name, one in fitted.parameters.items()})
    trained = trained.to(inputs["train"].device).eval()
    embed = trained.get_submodule("0")
    (relation,) = (one for one in trained.modules() if isinstance(one, lib.MultiHeadRelation))
    with torch.no_grad():
        return {part: relation(embed(one)).flatten(-2) for part, one in inputs.items()}


def _standardised(relations: dict[str, Tensor]) -> dict[str, Tensor]:
    """Each head's entries with mean 0 and deviation 1 over the training triples."""
    train = relations["train"]
    mean, deviation = train.mean(dim=(0, 2), keepdim=True), train.std(dim=(0, 2), keepdim=True)
    return {part: (one - mean) / deviation.clamp(min=1e-6) for part, one in relations.items()}


def compared(
    spec: Spec, how: dict[str, Any], relations: dict[str, Tensor], answered: dict[str, arms.Answers]
) -> dict[str, float]:
    """The metrics of all arms."""
    trial = spec.trials.first
    parts = answered["validation"], answered["test"]

    def by_price(order: Order) -> list[arms.Point]:
        policy = controller(spec, how, relations, answered, order)
        return arms.learned(parts, lambda price: [policy(one, price) for one in CHOSEN], PRICES)

    every = arms.rankings(HEADS)
    static = arms.confident(parts, [[arms.in_order(one)[None]] * 2 for one in every], PRICES)
    ranking = every[static["ranking"]]
    drawn = [
        arms.random_orders(generator(trial, f"serial control, {part} order"), len(one.wrong), HEADS)
        for part, one in zip(CHOSEN, parts, strict=True)
    ]
    fixed = arms.fixed(parts)
    points = {
        "controller": by_price("learned"),
        "static": static["points"],
        "static_learned": by_price(ranking),
        "random": arms.confident(parts, [drawn], PRICES)["points"],
        "random_learned": by_price("random"),
        "subset": fixed,
    }
    none, *_, full = fixed
    found = {"all_accuracy": 1 - full.test_error}
    found["ranking"] = float("".join(str(head + 1) for head in ranking))
    for name, some in points.items():
        for key, value in arms.summary(some, (none, full), full).items():
            found[f"{name}_{key}"] = value
        for number, one in enumerate(some):
            found[f"{name}_heads_{number}"] = one.test_heads
            found[f"{name}_accuracy_{number}"] = 1 - one.test_error
    return found | (bounds.best(spec.task.drawn) if spec.model.name == "given" else {})


def controller(
    spec: Spec,
    how: dict[str, Any],
    relations: dict[str, Tensor],
    answered: dict[str, arms.Answers],
    order: Order,
) -> Callable[[str, float], Tensor]:
    """Train a controller on answers of the reader to triples that the reader has not seen: on those
    that it was trained on it errs less, so a controller would stop too early.

    Args:
        order: ``learned``, ``random``, or a ranking.

    Returns:
        From a part and a price to the set of heads from which each triple is answered, ``(n,)``.
    """
    device = relations["train"].device

    def examples(part: str) -> Examples:
        random = generator(spec.trials.first, f"serial control, {part} prices")
        low, high = np.log(PRICES[0]), np.log(PRICES[-1])
        drawn = np.exp(random.uniform(low, high, len(relations[part])))
        prices = torch.from_numpy(drawn).float().to(device)
        read = torch.cat([relations[part].flatten(1), prices[:, None]], dim=1)
        return Examples(read[None], (answered[part].wrong.to(device)[None], prices[None]))

    entries, hidden = relations["train"].shape[-1], [spec.model.hidden] * 2
    fitted = fit(
        lambda: _Priced(entries, hidden, order),
        examples("control"),
        examples("validation"),
        spec.training,
        objective=Objective(control_loss),
        **how,
    )

    def choose(part: str, price: float) -> Tensor:
        prices = torch.full((len(relations[part]), 1), price, device=device)
        read = torch.cat([relations[part].flatten(1), prices], dim=1)
        policy = fitted.predict(read[None], CHUNK)[0].cpu()  # (n, S, K + 1)
        if order == "random":
            random = generator(spec.trials.first, f"serial control, {part} order")
            following = arms.random_orders(random, len(policy), HEADS)
            return arms.walk(following, policy[..., -1] >= 0.5)
        return decide(policy)

    return choose

"""Computing one run of the pre-training experiment: a model that is pre-trained, or one that may
start from such a model.

Shapes: ``n`` sequences, ``m`` objects of a sequence, ``d`` features of an object.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from ...records.spec import Spec
from ...tasks import sorting
from ...tasks.randomness import generator
from ...training.examples import Examples, first
from ...training.objectives import all_correct, correct, cross_entropy
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..context import Context, State
from ..sorting import run as base
from ..supervised import supervised
from .settings import LEARNED, MOVED, Task

CHUNK = 1000  # sequences that are scored at once


@dataclass
class Trial:
    """The data of one stage of a trial.

    Attributes:
        objects: in the standard order.
        ranks: of the objects, in the order that is to be learned, ``(N,)``.
        split: sequences of object numbers.
    """

    objects: sorting.Objects
    ranks: np.ndarray
    split: sorting.Split

    def examples(self, part: str, spec: Spec, context: Context) -> Examples:
        """Objects ``(1, n, m, d)`` with what the decoder reads, and argsorts ``(1, n, m)``."""
        sequences = getattr(self.split, part)
        argsorts = torch.from_numpy(sorting.argsort(self.ranks[sequences])).to(context.device)
        sources = torch.from_numpy(self.objects.vectors[sequences]).to(context.device)
        sources = sources.to(getattr(torch, spec.precision))
        return Examples((sources[None], base.prefixes(argsorts[None])), argsorts[None])


def trial(task: Task, number: int, draw: int | None) -> Trial:
    """The data of a stage of trial ``number``; ``draw`` sets objects and split if trials share
    them.

    The main stage has the data of the sorting experiment's trial of that number. Pre-training has
    the distinct sequences that come next where those were drawn, so none is seen in both stages.
    """
    if task.stage == "main":
        found = base.trial(task, number, draw)
        return Trial(found.objects, np.arange(len(found.objects.vectors)), found.split)
    source = number if draw is None else draw
    objects = sorting.objects(generator(source, "objects"), task.counts, task.dims)
    ends = np.cumsum([task.pool + task.validation + task.test, task.train, task.validation])
    random, count = generator(source, "split"), ends[-1] + task.test
    drawn = sorting.sequences(random, count, task.length, len(objects.vectors))
    split = sorting.Split(*np.split(drawn, ends)[1:])
    ranks = np.arange(len(objects.vectors))
    if task.order == "permuted":
        ranks = permuted(generator(source, "order"), task.counts)
    return Trial(objects, ranks, split)


def permuted(random: np.random.Generator, counts: tuple[int, ...]) -> np.ndarray:
    """Ranks of objects after the values of their first attribute are put in another order.

    The order within each value, by the second attribute, stays.

    Args:
        random: draws among the permutations that move at least one value, all equally likely.
        counts: of values of the two attributes.

    Returns:
        ``(N,)``, of the objects in their standard order.

    Raises:
        ValueError: if there is one value alone.

    Example:
        >>> permuted(np.random.default_rng(0), (2, 3)).tolist()
        [3, 4, 5, 0, 1, 2]
    """
    first, second = counts
    if first < 2:
        raise ValueError(f"counts is {counts}; expected two values of the first attribute or more")
    places = np.arange(first)
    while np.array_equal(places, np.arange(first)):
        places = random.permutation(first)
    return (places[:, None] * second + np.arange(second)).ravel()


def transfer(child: nn.Module, state: State, parts: Iterable[str]) -> list[str]:
    """Give a model the weights that another one has in some parts.

    Args:
        child: changed in place.
        state: the other's.
        parts: attributes of the model, such as ``decoder``; those that it lacks count for nothing.

    Returns:
        The names of the tensors that were moved.

    Raises:
        ValueError: if none was.

    Example:
        >>> one, other = (nn.ModuleDict({"decoder": nn.Linear(1, 1)}) for _ in range(2))
        >>> transfer(one, other.state_dict(), ["decoder", "encoder"])
        ['decoder.weight', 'decoder.bias']
    """
    own, parts = child.state_dict(), tuple(parts)
    names = [name for name in own if name.partition(".")[0] in parts]
    if not names:
        has = dict.fromkeys(name.partition(".")[0] for name in own)
        raise ValueError(f"parts is {parts}; the model has {', '.join(has)}")
    child.load_state_dict(own | {name: state[name] for name in names})
    return names


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test one trial; torch's default generator is the caller's to seed."""
    (number,) = spec.trials
    data = trial(spec.task, number, spec.draw)
    read = partial(data.examples, spec=spec, context=context)  # of a part
    model = base.build(spec.model, spec.task)
    known: dict[str, list[float]] = {}
    if spec.parents:  # what it starts from depends on the machine; what it is before does not
        known["first loss, without a parent"] = [first_loss(model, read("train"), spec)]
        if context.first_numbers:
            return Outcome({}, [], fingerprint=known)
    started = start(model, spec, context)

    def measured(fitted: Fitted) -> dict[str, list[float]]:
        state = {name: value[0] for name, value in fitted.parameters.items()}
        found = scores(state, read("test"), spec)
        if spec.task.stage == "pretraining":
            found |= learned(state, data, spec, context)
        return {name: [value] for name, value in (found | started).items()}

    return supervised(
        spec,
        context,
        read,
        lambda: model,
        measured,
        lambda fitted: {"parameters": fitted.parameters, "fingerprint": known},
    )


@torch.no_grad()
def first_loss(model: nn.Module, train: Examples, spec: Spec) -> float:
    """The loss of a model, without dropout, on as many training sequences as a batch has."""
    batch = train.rows(0, spec.training.batch_size)
    outputs = model.to(train.device).eval()(*(given[0] for given in batch.inputs))
    model.train()
    return cross_entropy(outputs[None], first(batch.targets)).item()


def start(model: nn.Module, spec: Spec, context: Context) -> dict[str, float]:
    """Give a model what its arm moves, and say how well that was learned: ``parent_accuracy``, the
    parent's share of whole sequences right on its own validation data, and ``parent_learned``."""
    if not spec.parents:
        return {}
    parent, state = context.parent(spec, "pretrained")
    transfer(model, state, MOVED[spec.task.moved])
    own = trial(parent.spec.task, parent.trial, parent.spec.draw)
    found = learned(state, own, parent.spec, context)
    return {"parent_accuracy": found["own_accuracy"], "parent_learned": found["learned"]}


def learned(state: State, data: Trial, spec: Spec, context: Context) -> dict[str, float]:
    """``own_accuracy``, of a pre-trained model on its validation data, whole sequences; ``learned``
    if it is at least 0.99."""
    validation = data.examples("validation", spec, context)
    accuracy = scores(state, validation, spec)["full_sequence_accuracy"]
    return {"own_accuracy": accuracy, "learned": float(accuracy >= LEARNED)}


@torch.no_grad()
def scores(state: Mapping[str, Tensor], examples: Examples, spec: Spec) -> dict[str, float]:
    """Accuracies of one model, each from the one pass in which it is shown the true positions.

    ``full_sequence_accuracy``: share of sequences of which every position is right, decoding
    greedily; ``teacher_forcing_accuracy``: share of positions right after the true ones before
    them.

    A greedy sequence is right if and only if all predictions after true positions are. Position t
    is predicted from the source and the positions before t alone (causal mask). If the greedy
    positions before t are the true ones, the greedy choice at t is that after the true ones; so by
    induction over t both are right up to the same t, and wrong first at the same.
    """
    model = base.build(spec.model, spec.task).to(examples.device).eval()
    model.load_state_dict({name: value.to(examples.device) for name, value in state.items()})
    whole, forced = [], []
    for part in examples.chunks(CHUNK):
        outputs = model(*(given[0] for given in part.inputs))[None]  # (1, n, m, m)
        whole.append(all_correct(outputs, first(part.targets)).double())
        forced.append(correct(outputs, first(part.targets)).double())
    return {
        "full_sequence_accuracy": torch.cat(whole, dim=1).mean().item(),
        "teacher_forcing_accuracy": torch.cat(forced, dim=1).mean().item(),
    }

"""Settings of the strict bottleneck: which relations an Abstractor has, and what probes read.

Footnote 2 of v3 names no experiment; so there is one protocol, ours. Networks, data and training
are those of the experiments order, set and sorting under it, but for what is said here.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ...training.settings import Training
from ..order import settings as order
from ..protocol import Sourced, code, note, ours, setting
from ..set import settings as triples
from ..sorting import settings as sorting

Name = Literal["order", "set", "sorting"]
Arm = Literal["full", "masked", "strict", "pairs", "pairs_masked"]
TASKS: tuple[Name, ...] = ("order", "set", "sorting")
ARMS: tuple[Arm, ...] = ("full", "masked", "strict", "pairs", "pairs_masked")
NETWORK = "abstractor"  # the model of the three experiments


@dataclass(frozen=True)
class Probing:
    """Examples to fit a probe on, to choose its weights by, and to ask it about; hidden units and
    updates of the probe that is a network."""

    fitted: int
    chosen: int
    asked: int
    hidden: int
    updates: int


@dataclass(frozen=True)
class Task:
    """One of three tasks, its data, and what probes are fitted on."""

    name: Name
    data: order.Task | triples.Task | sorting.Task
    probing: Probing


@dataclass(frozen=True)
class Model:
    """The ``network`` of a task with other relations.

    ``relation``: inner products, or an MLP of two objects' features together with ``hidden``
    units. ``diagonal``: whether there are relations of an object to itself. ``bias``: whether what
    the network has of biases before the relations is left.
    """

    name: Arm
    relation: Literal["inner", "mlp"]
    diagonal: bool
    bias: bool
    hidden: int
    network: order.Model | triples.Model | sorting.Model


@dataclass(frozen=True)
class BottleneckProtocol:
    """What we chose."""

    of: Sourced[str] = setting("networks, data and training are those of order, set, sorting under")
    order_sizes: Sourced[tuple[int, ...]] = setting("order: training pairs")
    set_sizes: Sourced[tuple[int, ...]] = setting("SET: training triples")
    sorting_sizes: Sourced[tuple[int, ...]] = setting("sorting: training sequences")
    trials: Sourced[int] = setting("trials a size, order and SET")
    sorting_trials: Sourced[int] = setting("trials a size, sorting")
    set_updates: Sourced[int] = setting("SET: updates")
    sorting_batch: Sourced[int] = setting("sorting: batch size")
    sorting_every: Sourced[int] = setting("sorting: updates between validations")
    sorting_pairs: Sourced[tuple[int, ...]] = setting("sorting: training sequences, MLP relation")
    order_hidden: Sourced[int] = setting("MLP relation: hidden units, order")
    set_hidden: Sourced[int] = setting("MLP relation: hidden units, SET")
    sorting_hidden: Sourced[int] = setting("MLP relation: hidden units, sorting")
    order_probe: Sourced[tuple[int, int, int]] = setting("order: probes, pairs to fit, choose, ask")
    probe: Sourced[tuple[int, int, int]] = setting("probes, examples to fit, choose, ask")
    probe_hidden: Sourced[int] = setting("probe that is a network: hidden units")
    probe_updates: Sourced[int] = setting("probe that is a network: updates")
    masked: Sourced[str] = note("masked")
    strict: Sourced[str] = note("strict")
    values: Sourced[str] = note("MLP relation, sorting: values and output map")
    encoder: Sourced[str] = note("sorting: what the Abstractor reads")
    state: Sourced[str] = note("probes read")
    own: Sourced[str] = note("probes are asked for")
    unseen: Sourced[str] = note("probes are asked about")
    linear: Sourced[str] = note("linear probe")
    network: Sourced[str] = note("probe that is a network: learning rate, batches, weights kept")


PROTOCOLS = {
    "sound": BottleneckProtocol(
        of=ours("sound"),
        order_sizes=ours((200, 350, 495), "where order's curve rises; 495 are all there are"),
        set_sizes=ours((500, 1000, 5000), "from below the rise of set's curve to its largest size"),
        sorting_sizes=ours((150, 300), "where sorting's curve rises"),
        trials=ours(10, "as in order and set"),
        sorting_trials=ours(5, "as in sorting"),
        set_updates=ours(5000, "set has 20,000; to 5,000 its accuracy gains all but 0.02"),
        sorting_batch=ours(64, "an eighth of the time that batches of 512 take"),
        sorting_every=ours(50, "a validation takes as long as eight updates"),
        sorting_pairs=ours((300,), "computing time allows no more"),
        order_hidden=ours(61, "as many parameters as the projections: 8,117 for 8,192"),
        set_hidden=ours(31, "as many parameters as the projections: 4,127 for 4,160"),
        sorting_hidden=ours(126, "as many parameters as the projections: 16,508 for 16,512"),
        order_probe=ours((496, 124, 372), "all pairs; second objects of each part differ"),
        probe=ours((2000, 500, 2000)),
        probe_hidden=ours(64, "the width of a state"),
        probe_updates=ours(500, "the weights of the best validation are kept"),
        masked=ours("the diagonal of R is left out", "v3 footnote 2"),
        strict=ours(
            "no diagonal, no biases in projections nor in the embedding before them",
            "a bias b gives R_ij the term <b, W x_j>, a feature of one object; order and SET alone",
        ),
        values=ours(
            "one map W for both", "the same functions, with 8,320 parameters fewer a layer"
        ),
        encoder=code(
            "states of an encoder, with positions", "they hold other objects' features too"
        ),
        state=ours("the abstract state of the first object, without dropout"),
        own=ours(
            "its rank's quarter (order); four attributes (SET); two attributes (sorting)",
            "the mean over attributes",
        ),
        unseen=ours(
            "other first objects (SET: 27 of 81; sorting: 12 of 48); other second objects (order)",
            "ranks of other objects than those trained on mean nothing",
        ),
        linear=ours("logistic regression, l2 with C = 1", "features standardised"),
        network=ours("3e-3; 128; the best by validation loss"),
    )
}


def training(name: Name, protocol: BottleneckProtocol) -> Training:
    """The training settings of a task."""
    of = protocol.of.value
    if name == "order":
        return order.training(order.PROTOCOLS[of])
    if name == "set":
        fit = triples.training(triples.PROTOCOLS[of])
        return replace(fit, updates=protocol.set_updates.value)
    _, fit = sorting.arm(sorting.PROTOCOLS[of], NETWORK)
    every = protocol.sorting_every.value
    return replace(fit, batch_size=protocol.sorting_batch.value, validate_every=every)


def models(name: Name, protocol: BottleneckProtocol) -> dict[Arm, Model]:
    """The Abstractors of a task, by name."""
    of = protocol.of.value
    network = {
        "order": lambda: order.models(order.PROTOCOLS[of]),
        "set": lambda: triples.models(triples.PROTOCOLS[of]),
        "sorting": lambda: sorting.models(sorting.PROTOCOLS[of]),
    }[name]()[NETWORK]
    full = Model("full", "inner", diagonal=True, bias=True, hidden=0, network=network)
    hidden = getattr(protocol, f"{name}_hidden").value
    pairs = replace(full, name="pairs", relation="mlp", hidden=hidden)
    every = [
        full,
        replace(full, name="masked", diagonal=False),
        replace(full, name="strict", diagonal=False, bias=False),
        pairs,
        replace(pairs, name="pairs_masked", diagonal=False),
    ]
    # behind an encoder that adds positions, no relation is strict
    return {one.name: one for one in every if one.name != "strict" or name != "sorting"}

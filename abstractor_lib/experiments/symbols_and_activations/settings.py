"""Settings of the factorial of symbols, activation and depth.

The paper compares no kinds of symbols; so there is one protocol, ours. Data, widths and optimisers
are those of the experiments order, set and sorting under `of`.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from ...training.settings import Training
from ..order.settings import PROTOCOLS as ORDER
from ..order.settings import Task as Pairs
from ..order.settings import models as order_models
from ..order.settings import training as order_training
from ..protocol import Sourced, note, ours, setting, text
from ..set.settings import PROTOCOLS as SET
from ..set.settings import Task as Triples
from ..set.settings import models as set_models
from ..set.settings import training as set_training
from ..sorting.settings import PROTOCOLS as SORTING
from ..sorting.settings import Task as Sequences
from ..sorting.settings import arm
from .design import Activation, SymbolKind

TaskName = Literal["order", "set", "sorting"]
TASKS: tuple[TaskName, ...] = ("order", "set", "sorting")


@dataclass(frozen=True)
class Task:
    """A task by name, and its data: pairs of objects, triples of cards, or sequences to sort."""

    name: TaskName
    data: Pairs | Triples | Sequences


@dataclass(frozen=True)
class Model:
    """An Abstractor of the three factors in the network of a task.

    In order and set its states are flattened and read by a head of hidden widths ``head``. In
    sorting it stands between an encoder and a decoder of ``around`` layers each; there ``outputs``
    is the number of positions.
    """

    name: str
    symbols: SymbolKind
    activation: Activation
    depth: int
    entries: int  # of the library of retrieved symbols
    relations: int
    key_dim: int
    symmetric: bool
    bias: bool
    dropout: float
    width: int  # of embedded objects, symbols and states
    hidden: int
    head: tuple[int, ...]
    outputs: int
    around: int
    initialisation: Literal["keras", "torch"]


@dataclass(frozen=True)
class FactorialProtocol:
    """What we chose."""

    of: Sourced[str] = setting("networks, data and optimisers: of order, set and sorting under")
    fractions: Sourced[int] = setting("fractions of 16 of the 48 cells")
    blocks: Sourced[int] = setting("blocks of seeds, which take the fractions in turn")
    order_seeds: Sourced[int] = setting("order: seeds a block, trained together")
    set_seeds: Sourced[int] = setting("SET: seeds a block, trained together")
    sorting_seeds: Sourced[int] = setting("sorting: seeds a block, a run each")
    entries: Sourced[int] = setting("retrieved symbols: entries of the library")
    order_sizes: Sourced[tuple[int, ...]] = setting("order: training pairs")
    set_sizes: Sourced[tuple[int, ...]] = setting("SET: training triples")
    sorting_sizes: Sourced[tuple[int, ...]] = setting("sorting: training sequences")
    order_updates: Sourced[int] = setting("order: updates")
    set_updates: Sourced[int] = setting("SET: updates")
    sorting_updates: Sourced[int] = setting("sorting: most updates")
    sorting_batch: Sourced[int] = setting("sorting: batch size")
    goal: Sourced[float] = setting("sorting: validation accuracy that ends a run")
    symbols: Sourced[str] = note("kinds of symbols")
    activations: Sourced[str] = note("relation activations")
    depths: Sourced[str] = note("layers of the Abstractor")
    retrieved: Sourced[str] = note("retrieved symbols: heads, queries")
    relative: Sourced[str] = note("relative symbols")
    positions: Sourced[str] = note("positions added to symbols")
    attention: Sourced[str] = note("sorting: self-attention of states")
    embedder: Sourced[str] = note("SET: embedding of the cards")


PROTOCOLS = {
    "sound": FactorialProtocol(
        of=ours("sound"),
        fractions=ours(3, "each has every pair of symbols and activation once"),
        blocks=ours(3, "each cell in one of them"),
        order_seeds=ours(4, "twelve in all; together they take little longer than one"),
        set_seeds=ours(2, "six in all"),
        sorting_seeds=ours(2, "six in all"),
        entries=ours(64, "as many as features of a symbol"),
        order_sizes=ours((150, 400), "in `order` the Abstractor has 0.73 and 0.90"),
        set_sizes=ours((500, 2000), "in `set` the Abstractor has 0.81 and 0.94"),
        sorting_sizes=ours((1000,), "in `sorting` 300 are enough; a second size costs too much"),
        order_updates=ours(2000, "as in `order`"),
        set_updates=ours(2500, "`set` has 20,000; a pilot reached 0.90 and 0.95 from 2,000"),
        sorting_updates=ours(400, "a pilot of one layer placed 0.91 of the positions"),
        sorting_batch=ours(64, "the text has 512, which takes eight times as long"),
        goal=ours(0.995, "a run that sorts saves the rest of its updates"),
        symbols=text("learned; sinusoidal; relative; retrieved", "v3 2.3, 5; a later version"),
        activations=text("softmax; sigmoid; tanh; linear", "v3 2.2"),
        depths=ours("1; 2; 4"),
        retrieved=ours("as many heads as relations; queries of what relations read"),
        relative=ours("learned, one for each offset", "so they differ from learned ones in this"),
        positions=ours("none", "`sorting` adds sinusoids to learned ones"),
        attention=ours("with the activation of the relations", "as in `sorting`"),
        embedder=ours("one, shared by all seeds"),
    )
}


def model(protocol: FactorialProtocol, task: TaskName, outputs: int) -> Model:
    """The Abstractor of a task, with the first levels; the grid replaces them.

    Args:
        outputs: positions of a sequence, in sorting; the others have outputs of their own.
    """
    of = protocol.of.value
    shared: dict[str, Any] = {"entries": protocol.entries.value}
    names = ("relations", "key_dim", "symmetric", "bias", "dropout", "hidden", "initialisation")
    first: tuple[str, SymbolKind, Activation, int] = ("", "learned", "softmax", 1)
    if task == "sorting":
        found, _ = arm(SORTING[of], "abstractor")
        shared |= {name: getattr(found, name) for name in names if hasattr(found, name)}
        shared |= {"relations": found.heads, "symmetric": False, "bias": True}
        return Model(
            *first, width=found.dim, head=(), outputs=outputs, around=found.encoder_layers, **shared
        )
    if task == "order":
        network = order_models(ORDER[of])["abstractor"]
        head, outputs = (network.head,), network.outputs
    else:
        network = set_models(SET[of])["abstractor"]
        head, outputs = network.head, 2
    shared |= {name: getattr(network, name) for name in names}
    return Model(*first, width=network.embed, head=head, outputs=outputs, around=0, **shared)


def data(protocol: FactorialProtocol, task: TaskName, train: int) -> Pairs | Triples | Sequences:
    """The data of a task, with so many examples to train on."""
    of = protocol.of.value
    kinds = {"order": (Pairs, ORDER), "set": (Triples, SET), "sorting": (Sequences, SORTING)}
    kind, protocols = kinds[task]
    names = set(kind.__dataclass_fields__) - {"train", "relation"}
    return kind(train, **{name: getattr(protocols[of], name).value for name in names})


def training(protocol: FactorialProtocol, task: TaskName) -> Training:
    """The training settings of a task."""
    of = protocol.of.value
    if task == "order":
        return replace(order_training(ORDER[of]), updates=protocol.order_updates.value)
    if task == "set":
        return replace(set_training(SET[of]), updates=protocol.set_updates.value)
    _, fit = arm(SORTING[of], "abstractor")
    own = {"updates": protocol.sorting_updates.value, "goal": protocol.goal.value}
    return replace(fit, batch_size=protocol.sorting_batch.value, **own)


def cards(protocol: FactorialProtocol) -> str:
    """The protocol of the experiment cards whose embeddings SET reads."""
    return SET[protocol.of.value].cards.value

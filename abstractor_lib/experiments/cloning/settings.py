"""Settings of cloning: agents copy an oracle's choices, from tokens or from pictures.

The paper trains by reward alone and has no such experiment; so there is one protocol, ours. Sizes
of blocks, and of the whole agents that see pictures, are the paper's.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ...tasks.box_world.rules import Rules
from ...training.settings import Training
from ..agents import settings as agents
from ..protocol import Sourced, code, note, ours, setting, text, training_of

Name = Literal["relational", "simplicial", "unnormalised", "projections"]
Norm = Literal["entities", "projections"]


@dataclass(frozen=True)
class Task:
    """A bridge Box World with a bridge in every puzzle. Puzzles to train and to validate on give a
    state each; those to test on are late ones."""

    rows: int
    columns: int
    shortest: int
    longest: int
    train: int
    validation: int
    test: int

    @property
    def rules(self) -> Rules:
        """As the world takes them."""
        sizes = {"rows": self.rows, "columns": self.columns}
        return Rules(**sizes, shortest=self.shortest, longest=self.longest, bridges=1.0)


@dataclass(frozen=True)
class Model(agents.Model):
    """An agent, as in `agents.settings`. ``norm`` is what its block normalises on the way in
    (Remark 4.1); ``pair_norm``: whether it normalises the 2-simplicial output (Remark 2.3)."""

    name: Name
    norm: Norm
    pair_norm: bool


@dataclass(frozen=True)
class CloningProtocol:
    """What the text says of the agents, and what we chose."""

    board: Sourced[tuple[int, int]] = setting("rows and columns")
    lengths: Sourced[tuple[int, int]] = setting("shortest and longest solution")
    train: Sourced[tuple[int, ...]] = setting("puzzles to train on")
    controls: Sourced[int] = setting("puzzles to train on, controls")
    seen: Sourced[int] = setting("puzzles to train on, pictures")
    validation: Sourced[int] = setting("puzzles to validate on")
    test: Sourced[int] = setting("late puzzles to test on")
    seeds: Sourced[int] = setting("seeds")
    few_seeds: Sourced[int] = setting("seeds, read-out by the maximum")
    dim: Sourced[int] = setting("features of an entity")
    heads: Sourced[tuple[int, int]] = setting("standard heads, features of each")
    hidden: Sourced[int] = setting("hidden units of the block's network")
    iterations: Sourced[int] = setting("iterations of the block")
    virtual: Sourced[int] = setting("virtual entities")
    simplicial_dim: Sourced[int] = setting("features of the 2-simplicial head")
    learning_rate: Sourced[float] = setting("learning rate (Adam)")
    seeing_rate: Sourced[float] = setting("learning rate, pictures")
    batch_size: Sourced[int] = setting("batch size")
    updates: Sourced[int] = setting("most updates")
    seeing_updates: Sourced[int] = setting("updates, pictures")
    validate_every: Sourced[int] = setting("updates between validations")
    patience: Sourced[int] = setting("validations without progress before a run stops")
    restore: Sourced[Literal["best", "best_if_stopped"]] = setting("weights tested")
    bridges: Sourced[str] = note("puzzles with a bridge")
    states: Sourced[str] = note("states")
    labels: Sourced[str] = note("what is copied")
    masked: Sourced[str] = note("choices that change nothing")
    observations: Sourced[str] = note("observations")
    readouts: Sourced[str] = note("read-outs")
    stopped: Sourced[str] = note("early stopping")
    initial: Sourced[str] = note("initial weights")
    blocks: Sourced[str] = note("logits and norms of the blocks")
    placed: Sourced[str] = note("controls: what is normalised")
    epsilon: Sourced[str] = note("epsilon of Adam")


PROTOCOLS = {
    "sound": CloningProtocol(
        board=text((7, 9), "section 5"),
        lengths=ours((2, 3), "the text has 1 to 3; with 1 no bridge is late"),
        train=ours((500, 2000, 8000, 32_000), "a pilot of one seed learned most of it from 40,000"),
        controls=ours(8000, "where a difference can show: below the best win rate"),
        seen=ours(100_000, "more than the updates use"),
        validation=ours(2000),
        test=ours(4000, "as for agents that learn by reward"),
        seeds=ours(5),
        few_seeds=ours(2, "they show points and decide nothing"),
        dim=text(64, "section 4"),
        heads=text((2, 32), "section 4"),
        hidden=text(64, "section 4"),
        iterations=text(2, "section 4"),
        virtual=text(2, "section 4"),
        simplicial_dim=text(48, "section 4"),
        learning_rate=ours(1e-3, "not searched, the same for both agents"),
        seeing_rate=ours(3e-4, "not searched; a pilot with 1e-3 was no better"),
        batch_size=ours(64),
        updates=ours(3000, "192,000 states"),
        seeing_updates=ours(5000, "320,000 states; computing time allows no more"),
        validate_every=ours(100),
        patience=ours(10, "small training sets are learned by heart in a few hundred updates"),
        restore=ours("best", "the lowest validation loss"),
        bridges=ours("all", "the text has one half; every puzzle here can be lost"),
        states=ours("one of each puzzle, in which the bridge can be opened"),
        labels=ours("all choices of the parity oracle alike", "all that is allowed but the bridge"),
        masked=ours("not allowed", "the text allows them"),
        observations=ours("tokens; pictures", "the text has pictures"),
        readouts=ours("a score of each object; the maximum", "the text has the maximum"),
        stopped=ours("with tokens alone", "with pictures no state is seen four times"),
        initial=code("those of Glorot, biases of zero"),
        blocks=code("logits over 32^1/2; layer norms of each iteration's own"),
        placed=ours("not the 2-simplicial output; projections, not entities", "Remarks 2.3, 4.1"),
        epsilon=ours("1e-7", "as elsewhere here"),
    )
}


def training(settings: CloningProtocol) -> Training:
    """Of every agent that sees tokens."""
    # a run is one seed, which one plain pass computes faster than a vectorised one
    return training_of(settings, loss="custom", together=False)


def seeing(settings: CloningProtocol) -> Training:
    """Of every agent that sees pictures."""
    more = {"learning_rate": settings.seeing_rate.value, "updates": settings.seeing_updates.value}
    return replace(training(settings), **more, patience=None)

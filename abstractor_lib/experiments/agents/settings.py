"""Settings of the agents: what they see, how they answer, how they learn.

The paper's own runs had up to 5.5 billion steps each. What is reduced here, and why, stands beside
each value; blocks, sizes and rewards are the paper's.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ...records.spec import added
from ...tasks.box_world.rules import Rules
from ...training.reinforcement import Engine, Reinforcement
from ..protocol import Sourced, code, note, ours, setting, text

Observation = Literal["tokens", "tiles", "picture"]
Readout = Literal["scoring", "maximum"]
Attention = Literal["relational", "wide", "deep", "simplicial", "uniform"]


@dataclass(frozen=True)
class Task:
    """A Box World, and how many late puzzles agents are looked at and tested with. Actions
    are choices of what to walk to, useless ones not allowed; or, without ``macro``, single steps,
    all allowed, as in the paper, and then win rates are those while learning. They are so too where
    no late puzzle is to ``test`` on. With one of ``locks`` it is the standard world, with up to
    ``branches`` decoys, and has no bridge."""

    rows: int
    columns: int
    shortest: int
    longest: int
    bridges: float
    validation: int
    test: int
    macro: bool = added(True)
    locks: int = added(2)
    branches: int = added(0)

    @property
    def rules(self) -> Rules:
        """As the world takes them."""
        names = ("rows", "columns", "shortest", "longest", "bridges", "locks", "branches")
        return Rules(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class Model:
    """An agent: what it sees, its blocks, and how it answers. ``logits`` is that of 2-simplicial
    attention over pairs of virtual entities; None for standard attention alone."""

    name: str
    observation: Observation
    readout: Readout
    dim: int
    heads: int
    hidden: int
    iterations: int
    virtual: int
    logits: Literal["unsigned", "uniform"] | None
    simplicial_dim: int


@dataclass(frozen=True)
class AgentProtocol:
    """What the text says, and what we reduced."""

    board: Sourced[tuple[int, int]] = setting("rows and columns")
    lengths: Sourced[tuple[int, int]] = setting("shortest and longest solution")
    bridges: Sourced[float] = setting("share of puzzles with a bridge")
    validation: Sourced[int] = setting("late puzzles at each look")
    test: Sourced[int] = setting("late puzzles to test on")
    dim: Sourced[int] = setting("features of an entity")
    heads: Sourced[tuple[int, int]] = setting("standard heads, features of each")
    hidden: Sourced[int] = setting("hidden units of the block's network")
    iterations: Sourced[int] = setting("iterations of the block")
    virtual: Sourced[int] = setting("virtual entities")
    simplicial_dim: Sourced[int] = setting("features of the 2-simplicial head")
    wide: Sourced[int] = setting("hidden units, as many parameters")
    deep: Sourced[int] = setting("iterations of the block, the deeper control")
    seeds: Sourced[int] = setting("seeds, tokens and controls")
    few_seeds: Sourced[int] = setting("seeds, longer runs, other observations and read-outs")
    decisions: Sourced[int] = setting("decisions, tokens")
    long: Sourced[int] = setting("decisions, tokens, to the end")
    tiles: Sourced[int] = setting("decisions, tiles")
    picture: Sourced[int] = setting("decisions, pictures")
    maximum: Sourced[int] = setting("decisions, read-out by the maximum")
    worlds: Sourced[int] = setting("worlds played at once")
    unroll: Sourced[int] = setting("decisions between two updates")
    passes: Sourced[int] = setting("passes over each play")
    parts: Sourced[int] = setting("updates of a pass")
    discount: Sourced[float] = setting("discount")
    entropy: Sourced[float] = setting("weight of the entropy")
    value: Sourced[float] = setting("weight of the value loss")
    clip_ratio: Sourced[float] = setting("clipped ratio of probabilities")
    optimiser: Sourced[Literal["adam", "rmsprop"]] = setting("optimiser")
    learning_rate: Sourced[float] = setting("learning rate")
    epsilon: Sourced[float] = setting("epsilon")
    largest_norm: Sourced[float] = setting("largest norm of the gradient")
    looks: Sourced[int] = setting("looks at the win rate in half a million decisions")
    standard_board: Sourced[tuple[int, int]] = setting("standard world: rows and columns")
    standard_lengths: Sourced[tuple[int, int]] = setting("standard world: lengths of solutions")
    standard_branches: Sourced[int] = setting("standard world: most decoys")
    standard_seeds: Sourced[int] = setting("standard world: seeds")
    steps: Sourced[int] = setting("single steps: how many")
    steps_lengths: Sourced[tuple[int, int]] = setting("single steps: shortest and longest solution")
    steps_bridges: Sourced[float] = setting("single steps: share of puzzles with a bridge")
    steps_worlds: Sourced[int] = setting("single steps: worlds played at once")
    steps_unroll: Sourced[int] = setting("single steps: steps between two updates")
    steps_entropy: Sourced[float] = setting("single steps: weight of the entropy")
    steps_value: Sourced[float] = setting("single steps: weight of half the squared error")
    steps_rate: Sourced[float] = setting("single steps: learning rate (RMSProp)")
    steps_epsilon: Sourced[float] = setting("single steps: epsilon, inside the root")
    steps_norm: Sourced[float] = setting("single steps: largest norm of the summed gradient")
    cluster_seeds: Sourced[int] = setting("single steps on RLlib: seeds")
    cluster_actors: Sourced[int] = setting("single steps on RLlib: actors")
    small_lengths: Sourced[tuple[int, int]] = setting("two engines: shortest and longest solution")
    small_seeds: Sourced[int] = setting("two engines: seeds of each")
    small_decisions: Sourced[int] = setting("two engines: decisions")
    small_unroll: Sourced[int] = setting("two engines: decisions between two updates")
    small_rate: Sourced[float] = setting("two engines: learning rate (RMSProp)")
    cluster_bootstrap: Sourced[Literal["next", "last"]] = setting("RLlib, two engines: bootstrap")
    small_actors: Sourced[int] = setting("two engines: actors of RLlib")
    actions: Sourced[str] = note("actions")
    masked: Sourced[str] = note("useless choices")
    readouts: Sourced[str] = note("read-outs")
    observations: Sourced[str] = note("observations")
    rewards: Sourced[str] = note("rewards")
    initial: Sourced[str] = note("initial weights")
    advantages: Sourced[str] = note("advantages")
    blocks: Sourced[str] = note("logits and norms of the blocks")
    trained: Sourced[str] = note("single steps: what is trained of an unroll")
    actors: Sourced[str] = note("single steps: actors")
    rmsprop: Sourced[str] = note("single steps: RMSProp")


# shares of the weights whose mean squares of gradients are recorded, of single steps
QUANTILES = (0.5, 0.9, 0.99, 0.999)
PROTOCOLS = {
    "sound": AgentProtocol(
        board=text((7, 9), "section 5"),
        lengths=ours((2, 3), "the text has 1 to 3; with 1 no bridge is late"),
        bridges=ours(1.0, "the text has 1/2; every puzzle here can be lost"),
        validation=ours(1000),
        test=ours(4000),
        dim=text(64, "section 4"),
        heads=text((2, 32), "section 4"),
        hidden=text(64, "section 4"),
        iterations=text(2, "section 4"),
        virtual=text(2, "section 4"),
        simplicial_dim=text(48, "section 4"),
        wide=ours(1043, "within 1 % of the simplicial agent"),
        deep=text(4, "section 5, two trials"),
        seeds=ours(8, "the text has four trials of each agent"),
        few_seeds=ours(5, "the text has four trials of each agent"),
        decisions=ours(500_000, "the text has 5.5e9 steps"),
        long=ours(3_000_000),
        tiles=ours(1_000_000, "a pilot of the relational agent needed two thirds of it"),
        picture=ours(1_500_000, "a pilot of the relational agent needed 1.1 million"),
        maximum=ours(2_000_000),
        worlds=ours(512),
        unroll=ours(8, "an episode has at most 7; the text has 40, in batches of 1,280 steps"),
        passes=ours(4, "the text's algorithm has one"),
        parts=ours(4),
        discount=text(0.99, "appendix E, table 1"),
        entropy=ours(0.01, "the text has 0.005"),
        value=ours(
            0.005,
            "so that squared errors of returns near 10 do not outweigh the policy's loss; "
            "the public code has RLlib's 0.5",
        ),
        clip_ratio=ours(
            0.2,
            "as in PPO, the text has none; a pilot of the relational agent without it stayed at "
            "1/2",
        ),
        optimiser=ours("adam", "the text has RMSProp"),
        learning_rate=ours(1e-3, "not searched; the text has 2e-4"),
        epsilon=ours(1e-5, "of Adam; the text has RMSProp with 0.1"),
        largest_norm=ours(0.5, "the public code has RLlib's 40, of summed losses"),
        looks=ours(30),
        standard_board=text((9, 9), "section 5"),
        standard_lengths=text((1, 5), "section 5"),
        standard_branches=text(4, "section 5; one box each is our choice"),
        standard_seeds=ours(5),
        steps=ours(3_000_000, "an hour of one core; the text has 5.5e9"),
        steps_lengths=text((1, 3), "section 5"),
        steps_bridges=text(0.5, "section 5"),
        steps_worlds=ours(32, "batches of 1,280 steps, appendix E, table 1; there of many actors"),
        steps_unroll=text(40, "appendix E, table 1"),
        steps_entropy=text(0.005, "appendix E, table 1"),
        steps_value=code(0.5, "the default of RLlib"),
        steps_rate=text(2e-4, "appendix E, table 1"),
        steps_epsilon=text(0.1, "appendix E, table 1"),
        steps_norm=code(40.0, "the default of RLlib"),
        cluster_seeds=text(4, "section 5, of each agent"),
        cluster_actors=ours(32, "one unroll each in a batch; the text had about 200 cores"),
        small_lengths=ours((1, 1), "learned within a minute"),
        small_seeds=ours(3),
        small_decisions=ours(60_000),
        small_unroll=ours(8, "an episode has 3; the text has 40"),
        small_rate=ours(1e-3, "the text has 2e-4, for more steps"),
        cluster_bootstrap=code("last", "the last step of a play, of which nothing else is learned"),
        small_actors=ours(2, "the text's runs had about 200 cores"),
        actions=ours("what to walk to", "the text has single steps"),
        masked=ours("not allowed", "the text allows them"),
        readouts=ours("a score of each object", "the text has one maximum over all entities"),
        observations=ours("tokens, one-hot tiles, or pictures", "the text has pictures"),
        rewards=text("Gem +10, bridge -1, other boxes and loose keys +1", "section 3"),
        initial=ours(
            "torch's defaults; single steps: Glorot", "the public code's are those of Glorot"
        ),
        advantages=ours(
            "mean 0 and deviation 1 in each update; single steps: as they are",
            "the text does not change them",
        ),
        blocks=code("logits over 32^1/2; layer norms of each iteration's own"),
        trained=ours("all of it", "the public code leaves the last step out"),
        actors=ours("one, synchronous", "the text has IMPALA with many, whose policies lag behind"),
        rmsprop=text("decay 0.99", "appendix E, table 1; the form is TensorFlow's"),
    )
}


def learning(settings: AgentProtocol, decisions: int) -> Reinforcement:
    """How every agent learns, with so many decisions."""
    names = ("worlds", "unroll", "passes", "parts", "discount", "entropy", "value", "clip_ratio")
    more = ("optimiser", "learning_rate", "epsilon", "largest_norm")
    values = {name: getattr(settings, name).value for name in (*names, *more)}
    # looks are as far apart in longer runs, so that means over a part of the way compare
    updates = min(decisions, settings.decisions.value) // (values["worlds"] * values["unroll"])
    every = max(updates // settings.looks.value, 1)
    return Reinforcement(decisions, **values, reduction="mean", look_every=every)


def papers(
    settings: AgentProtocol, steps: int | None, engine: Engine = "actor_learner"
) -> Reinforcement:
    """How agents learn with the paper's settings, for so many steps."""
    rllib = engine == "rllib"
    steps = steps or settings.steps.value
    worlds, unroll = settings.steps_worlds.value, settings.steps_unroll.value
    return Reinforcement(
        decisions=steps,
        worlds=worlds,
        unroll=unroll,
        passes=1,
        parts=1,
        discount=settings.discount.value,
        entropy=settings.steps_entropy.value,
        value=settings.steps_value.value,
        clip_ratio=None,
        reduction="sum",
        optimiser="rmsprop",
        learning_rate=settings.steps_rate.value,
        epsilon=settings.steps_epsilon.value,
        largest_norm=settings.steps_norm.value,
        look_every=max(steps // (worlds * unroll) // settings.looks.value, 1),
        bootstrap=settings.cluster_bootstrap.value if rllib else "next",
        engine=engine,
        actors=settings.cluster_actors.value if rllib else 1,
    )


def small(settings: AgentProtocol, engine: Engine, decisions: int | None) -> Reinforcement:
    """How an agent learns the small world on an engine: as with the paper's settings, but for fewer
    decisions, shorter plays and a larger rate."""
    rules = replace(
        papers(settings, decisions or settings.small_decisions.value),
        unroll=settings.small_unroll.value,
        learning_rate=settings.small_rate.value,
        bootstrap=settings.cluster_bootstrap.value,
        engine=engine,
        actors=settings.small_actors.value if engine == "rllib" else 1,
    )
    return replace(rules, look_every=max(rules.updates // settings.looks.value, 1))

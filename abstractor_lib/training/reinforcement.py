"""Settings of learning by reward, without torch."""

from dataclasses import dataclass
from typing import Literal

from ..records.spec import added

Engine = Literal["actor_learner", "rllib"]


@dataclass(frozen=True)
class Reinforcement:
    """How a policy learns by reward.

    Attributes:
        decisions: steps of all worlds together after which learning ends.
        worlds, unroll: how many are played at once, and steps between two times of learning.
        passes, parts: how often a play is learned from, and updates of each pass, which share the
            worlds among them. The paper's algorithm has one pass.
        discount: of a later reward.
        entropy, value: weights of the entropy, and of half the squared error of the values.
        clip_ratio: how far the probability of an action may move away from that of the play, as a
            share, before its gradient stops (as in PPO); None for V-trace's plain policy gradient.
        reduction: ``mean`` over the steps of a play, or ``sum``.
        optimiser: ``adam``, or ``rmsprop`` as TensorFlow has it.
        learning_rate, epsilon: of the optimiser.
        largest_norm: of the gradient.
        look_every: updates between two looks.
        bootstrap: whose value stands for what follows a play: that of the ``next`` state, or of the
            play's ``last``, whose action nothing is then learned from.
        engine: what drives it, `actor_learner`, or `rllib`, where actors do not wait for the
            learner.
        actors: of RLlib, which share the worlds.
    """

    decisions: int
    worlds: int
    unroll: int
    passes: int
    parts: int
    discount: float
    entropy: float
    value: float
    clip_ratio: float | None
    reduction: Literal["mean", "sum"]
    optimiser: Literal["adam", "rmsprop"]
    learning_rate: float
    epsilon: float
    largest_norm: float
    look_every: int
    bootstrap: Literal["next", "last"] = added("next")
    engine: Engine = added("actor_learner")
    actors: int = added(1)

    @property
    def updates(self) -> int:
        """Plays that are learned from."""
        return max(self.decisions // (self.worlds * self.unroll), 1)

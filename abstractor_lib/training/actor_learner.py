"""An actor and a learner in one process: a policy plays many worlds at once, and learns from it.

In turn all worlds are played a few steps with the policy as it is, and the policy learns from what
was played: V-trace corrects for what it has learned from the same play before.

Shapes: ``t`` steps of a play, ``w`` worlds, ``a`` actions, ``o`` an observation's shape.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from .drive import Pace
from .outcome import FIRST_LOSSES
from .reinforcement import Reinforcement
from .rmsprop import TensorFlowRMSprop
from .settings import within
from .state import copied, random_state, set_random_state
from .vtrace import vtrace

IMPOSSIBLE = -1e9  # logit of an action that is not allowed


class Seen(NamedTuple):
    """What a player sees: observations ``(w, *o)``, and which actions are allowed ``(w, a)``."""

    observation: Tensor
    allowed: Tensor


class Turn(NamedTuple):
    """What an action led to, ``(w,)`` each: the reward, whether the episode ended with it, and
    whether it ended well."""

    reward: Tensor
    ended: Tensor
    won: Tensor


class Game(Protocol):
    """Worlds that are played together; one whose episode has ended begins another at once."""

    device: torch.device

    def look(self) -> Seen:
        """What the player sees now."""

    def step(self, actions: Tensor) -> Turn:
        """Play one action ``(w,)`` in each world."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that later turns depend on, but for the actions."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where a state was taken."""


class Play(NamedTuple):
    """Some steps of many worlds: observations and allowed actions also of the last state, ``(t + 1,
    w, ...)``; what was done and what it led to, ``(t, w)`` each."""

    observations: Tensor
    allowed: Tensor
    actions: Tensor
    log_played: Tensor
    rewards: Tensor
    discounts: Tensor

    def of(self, worlds: Tensor) -> "Play":
        """The play of some worlds."""
        return Play(*(part[:, worlds] for part in self))

    def without_last(self) -> "Play":
        """The play as if it had stopped a step earlier."""
        return Play(*(part[:-1] for part in self))


class Losses(NamedTuple):
    """Of a play: that which is minimised, and its parts."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor


def log_policy(logits: Tensor, allowed: Tensor) -> Tensor:
    """Log-probabilities of actions, those that are not allowed left out, ``(..., a)``.

    Example:
        >>> log_policy(torch.zeros(3), torch.tensor([True, False, True])).exp()
        tensor([0.5000, 0.0000, 0.5000])
    """
    return torch.where(allowed, logits, IMPOSSIBLE).log_softmax(dim=-1)


def losses(agent: nn.Module, play: Play, settings: Reinforcement) -> Losses:
    """The losses of an agent on a play, V-trace's, or with ``clip_ratio`` the clipped ones.

    Args:
        agent: observations ``(b, *o)`` to an answer with ``logits`` ``(b, a)`` and a ``value``
            ``(b,)``.
        play: from which it learns.
        settings: how.

    Source: Espeholt et al., IMPALA (2018), section 4.2; Schulman et al., Proximal policy
    optimization (2017), equation 7.
    """
    if settings.bootstrap == "last":
        play = play.without_last()
    steps, worlds = play.rewards.shape
    answer = agent(play.observations.flatten(0, 1))
    values = answer.value.view(steps + 1, worlds)
    log_all = log_policy(answer.logits.view(steps + 1, worlds, -1), play.allowed)[:-1]
    log_now = log_all.gather(-1, play.actions[..., None]).squeeze(-1)  # (t, w)
    ratios = (log_now - play.log_played).exp()
    found = vtrace(ratios.detach(), play.discounts, play.rewards, values.detach())
    if settings.clip_ratio is None:
        gains = log_now * found.advantages
    else:
        # of V-trace's advantage, which has the ratio in it, the part that does not
        least = torch.finfo(ratios.dtype).tiny  # of a ratio that is too small for a number
        advantages = found.advantages / ratios.detach().clamp(min=least, max=1.0)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        near = ratios.clamp(1 - settings.clip_ratio, 1 + settings.clip_ratio)
        gains = torch.minimum(ratios * advantages, near * advantages)
    entropies = -(log_all.exp() * log_all).sum(dim=-1)
    reduce = torch.sum if settings.reduction == "sum" else torch.mean
    policy, entropy = -reduce(gains), reduce(entropies)
    value = reduce((found.values - values[:-1]).square()) / 2
    total = policy + settings.value * value - settings.entropy * entropy
    return Losses(total, policy, value, entropy)


class ActorLearner:
    """Lets an agent play and learn, a play at a time; see `drive.drive`.

    Randomness (actions, and which worlds are learned from together) comes from torch's default
    generator, which the caller seeds.

    Args:
        agent: as for `losses`; it is trained in place.
        game: what it plays.
        settings: how it learns.
        look: further numbers for the history, from the agent, at each look.
        limit: end after this many updates.

    Attributes:
        update, budget: plays so far, and those after which it ends.
        finished: whether it has ended.
        decisions: steps of all worlds so far.
        first_losses: of the first updates.
        history: one entry a look: ``update``, ``decisions``, shares and means since the last one
            (``win_rate`` of the episodes that ended, ``loss``, ``value_loss``, ``entropy``), and
            what ``look`` gives.

    Raises:
        ValueError: for worlds that cannot be shared among the parts; for an ``unroll`` of one with
            a ``bootstrap`` of the last decision.
    """

    def __init__(
        self,
        agent: nn.Module,
        game: Game,
        settings: Reinforcement,
        *,
        look: Callable[[nn.Module], Mapping[str, float]] | None = None,
        limit: int | None = None,
    ):
        if settings.worlds % settings.parts:
            raise ValueError(
                f"worlds is {settings.worlds} and parts {settings.parts}; expected a multiple of it"
            )
        if settings.bootstrap == "last" and settings.unroll < 2:
            raise ValueError(
                f"unroll is {settings.unroll} with bootstrap 'last', which learns nothing from the "
                "last decision; expected at least 2"
            )
        self.agent, self.game, self.settings, self.look = agent, game, settings, look
        self.budget = within(settings.updates, limit)
        self.optimiser = _optimiser(agent, settings)
        self.update, self.finished = 0, self.budget == 0
        self.first_losses: list[float] = []
        self.history: list[dict[str, float]] = []
        self._since, self._pace = _nothing(), Pace()

    @property
    def decisions(self) -> int:
        return self.update * self.settings.worlds * self.settings.unroll

    def step(self) -> float:
        """Play, and learn from it.

        Returns:
            The share won of the episodes that ended; NaN if none did.

        Raises:
            FloatingPointError: if a loss is not finite.
            RuntimeError: if it has ended.
        """
        if self.finished:
            raise RuntimeError(f"learning ended at update {self.update}")
        before = dict(self._since)
        self._pace(self.decisions)
        play = self.play()
        ended, won = (self._since[name] - before[name] for name in ("episodes", "wins"))
        for _ in range(self.settings.passes):
            for worlds in torch.randperm(self.settings.worlds).chunk(self.settings.parts):
                self.learn(play.of(worlds.to(self.game.device)))
        self.update += 1
        self.finished = self.update == self.budget
        if self.finished or self.update % self.settings.look_every == 0:
            self._look()
        return won / ended if ended else math.nan

    @torch.no_grad()
    def play(self) -> Play:
        """All worlds, a few steps."""
        rows = []
        seen = self.game.look()
        for _ in range(self.settings.unroll):
            log_all = log_policy(self.agent(seen.observation).logits, seen.allowed)
            actions = sampled(log_all)
            turn = self.game.step(actions)
            log_played = log_all.gather(-1, actions[:, None]).squeeze(-1)
            going_on = self.settings.discount * (~turn.ended).float()
            rows.append((*seen, actions, log_played, turn.reward, going_on))
            self._since["episodes"] += int(turn.ended.sum())
            self._since["wins"] += int(turn.won.sum())
            seen = self.game.look()
        observations, allowed, *rest = (torch.stack(part) for part in zip(*rows, strict=True))
        last = (part[None] for part in seen)
        both = (torch.cat(pair) for pair in zip((observations, allowed), last, strict=True))
        return Play(*both, *rest)

    def learn(self, play: Play) -> Losses:
        """One update."""
        found = losses(self.agent, play, self.settings)
        total = found.total.item()
        if not math.isfinite(total):
            raise FloatingPointError(f"the loss is {total} at update {self.update + 1}")
        self.optimiser.zero_grad()
        found.total.backward()
        nn.utils.clip_grad_norm_(self.agent.parameters(), self.settings.largest_norm)
        self.optimiser.step()
        if len(self.first_losses) < FIRST_LOSSES:
            self.first_losses.append(total)
        self._since["updates"] += 1
        for name, part in zip(("loss", "value_loss", "entropy"), (0, 2, 3), strict=True):
            self._since[name] += found[part].item()
        return found

    def _look(self) -> None:
        since, found = self._since, {"update": self.update, "decisions": self.decisions}
        found["win_rate"] = since["wins"] / since["episodes"] if since["episodes"] else math.nan
        for name in ("loss", "value_loss", "entropy"):
            found[name] = since[name] / since["updates"]
        if self.look is not None:
            found |= self.look(self.agent)
        self.history.append(found)
        self._since = _nothing()

    def told(self) -> str:
        """Decisions so far, how many a second, and how many of the last episodes were won."""
        won = f", won {self.history[-1]['win_rate']:.0%}" if self.history else ""
        return f"{self.decisions:,} decisions, {self._pace(self.decisions):,.0f}/s{won}"

    def state_dict(self) -> dict[str, Any]:
        """A copy of everything that the rest depends on."""
        moments = self.optimiser.state_dict()["state"]
        return copied(
            {
                "update": self.update,
                "budget": self.budget,
                "finished": self.finished,
                "agent": self.agent.state_dict(),
                "optimiser": {str(index): value for index, value in moments.items()},
                "game": self.game.state_dict(),
                "random": random_state(self.game.device),
                "first_losses": self.first_losses,
                "history": self.history,
                "since": self._since,
            }
        )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a state was taken, by one of the same arguments.

        Raises:
            ValueError: if the state is of another budget; nothing is changed then.
        """
        if state["budget"] != self.budget:
            raise ValueError(f"the state's budget is {state['budget']}; expected {self.budget}")
        state = copied(state)
        self.agent.load_state_dict(state["agent"])
        moments = {int(index): value for index, value in state["optimiser"].items()}
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": moments, "param_groups": groups})
        self.game.load_state_dict(state["game"])
        self.update, self.finished = state["update"], state["finished"]
        self.first_losses, self.history = state["first_losses"], state["history"]
        self._since = state["since"]
        set_random_state(state["random"], self.game.device)  # last: nothing may draw after it


def sampled(log_all: Tensor) -> Tensor:
    """Actions drawn from log-probabilities ``(w, a)``, by adding noise of the Gumbel distribution
    and taking the largest, ``(w,)``."""
    noise = -torch.empty_like(log_all).exponential_().log()
    return (log_all + noise).argmax(dim=-1)


def _nothing() -> dict[str, float]:
    """Sums since a look at which nothing has happened."""
    names = ("episodes", "wins", "updates", "loss", "value_loss", "entropy")
    return dict.fromkeys(names, 0)


def _optimiser(agent: nn.Module, settings: Reinforcement) -> torch.optim.Optimizer:
    rate, epsilon = settings.learning_rate, settings.epsilon
    if settings.optimiser == "rmsprop":
        return TensorFlowRMSprop(agent.parameters(), rate, epsilon=epsilon)
    return torch.optim.Adam(agent.parameters(), lr=rate, eps=epsilon, fused=True)

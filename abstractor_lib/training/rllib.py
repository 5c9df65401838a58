"""IMPALA on Ray RLlib, the engine of the 2-simplicial paper's runs; `actor_learner` is our own.

Actors, one process each on any node of a Ray cluster, play with weights that lag behind; the
learner, in this process, takes their plays as they come. What RLlib 0.7 did and RLlib of today does
not is put back: sums in place of means, RMSProp in place of Adam, and the last step of a play as
its bootstrap.

RLlib is an optional dependency, ``pip install "abstractor-companion[rl]"``. Without it this module
can be imported, and `Impala` says what is missing when it is made.

Shapes: ``n`` steps of a batch, its plays one after another; ``t`` steps of the longest, ``p``
plays; ``o`` an observation's shape; ``a`` actions.
"""

import logging
import math
import shutil
from abc import ABC
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .. import Unavailable
from .actor_learner import log_policy
from .drive import Pace
from .outcome import FIRST_LOSSES
from .reinforcement import Reinforcement
from .rmsprop import TensorFlowRMSprop
from .settings import within
from .state import copied

try:
    import ray
    from ray.rllib.algorithms.impala import IMPALAConfig
    from ray.rllib.algorithms.impala.torch.impala_torch_learner import IMPALATorchLearner
    from ray.rllib.algorithms.impala.torch.vtrace_torch_v2 import vtrace_torch
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
except ImportError:  # an extra
    IMPALAConfig = None
    IMPALATorchLearner = RLlibCallback = object
    TorchRLModule, ValueFunctionAPI = nn.Module, ABC

MISSING = (
    "RLlib is not installed: pip install 'abstractor-companion[rl]', into an environment of its own"
)
WAIT = 0.05  # seconds for plays to arrive before the driver looks again


POLICY = "default_policy"  # RLlib's name for the only one
LEARNED = ("updates", "decisions", "loss", "value_loss", "entropy")  # counted by the learner
PLAYED = ("episodes", "wins")  # counted by the actors
EMPTY = {"sums": dict.fromkeys(LEARNED, 0), "moments": {}, "first_losses": [], "budget": math.inf}
IMPALAS = {  # settings that are the algorithm's
    **{"passes": 1, "parts": 1, "clip_ratio": None},
    **{"reduction": "sum", "optimiser": "rmsprop"},
}


class World(NamedTuple):
    """What actors play.

    Attributes:
        kind: a `gymnasium.vector.VectorEnv`, made of ``options`` and ``num_envs`` in one mapping.
            It observes flat numbers, which actions are allowed being the last; ``info`` says in
            ``solved`` whether an episode ended well.
        options: for it.
        shape: of an observation without the allowed actions, ``o``.
        actions: how many there are.
    """

    kind: type
    options: Mapping[str, Any]
    shape: tuple[int, ...]
    actions: int


class Policy(TorchRLModule, ValueFunctionAPI):
    """An agent as RLlib's module. ``model_config`` holds the ``agent``, the ``shape`` of what it
    sees, and how many ``actions`` there are."""

    def setup(self):
        self.agent = self.model_config["agent"]

    def _forward(self, batch, **_):
        log_all, values = self._answer(batch[Columns.OBS])
        return {Columns.ACTION_DIST_INPUTS: log_all, Columns.EMBEDDINGS: values}

    def compute_values(self, batch, embeddings=None):
        return self._answer(batch[Columns.OBS])[1] if embeddings is None else embeddings

    def _answer(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities ``(n, a)`` and values ``(n,)``."""
        actions = self.model_config["actions"]
        observations = seen[:, :-actions].view(len(seen), *self.model_config["shape"])
        answer = self.agent(observations)
        return log_policy(answer.logits, seen[:, -actions:].bool()), answer.value


class Learner(IMPALATorchLearner):
    """IMPALA's learner with the losses and the optimiser of the paper's runs.

    ``learner_config_dict`` of its configuration holds the ``settings``, a `Reinforcement`; the
    ``moments`` of the optimiser, ``sums`` and ``first_losses`` to go on with; and the ``budget``,
    updates after which further plays are left unused.

    Attributes:
        sums: over all updates: ``updates``, ``decisions``, ``loss``, ``value_loss``, ``entropy``.
        first_losses: of the first updates.
    """

    def build(self) -> None:
        given = self.config.learner_config_dict
        self.sums, self.first_losses = dict(given["sums"]), list(given["first_losses"])
        super().build()

    def update(self, training_data, **options):
        left = self.sums["updates"] < self.config.learner_config_dict["budget"]
        return super().update(training_data, **options) if left else {}

    def configure_optimizers_for_module(self, module_id, config=None) -> None:
        given = self.config.learner_config_dict
        rate, epsilon = given["settings"].learning_rate, given["settings"].epsilon
        parameters = list(self.module[module_id].agent.parameters())
        optimiser = TensorFlowRMSprop(parameters, rate, epsilon=epsilon)
        if given["moments"]:
            moments = {int(index): value for index, value in given["moments"].items()}
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": moments, "param_groups": groups})
        self.register_optimizer(
            module_id=module_id, optimizer=optimiser, params=parameters, lr_or_lr_schedule=rate
        )

    def compute_loss_for_module(self, *, module_id, config, batch, fwd_out) -> Tensor:
        settings: Reinforcement = self.config.learner_config_dict["settings"]
        logits, values = fwd_out[Columns.ACTION_DIST_INPUTS], fwd_out[Columns.EMBEDDINGS]
        log_all = logits.log_softmax(dim=-1)  # (n, a)
        log_now = log_all.gather(-1, batch[Columns.ACTIONS].long()[:, None]).squeeze(-1)  # (n,)
        ended = batch[Columns.TERMINATEDS].bool()
        # RLlib adds to each play the state in which it stopped
        added = ~batch[Columns.LOSS_MASK].bool()
        bootstrap = added
        if settings.bootstrap == "last":
            bootstrap = added | (added.roll(-1) & ~ended)
        lengths = added.nonzero().flatten().diff(prepend=-added.new_ones(1, dtype=torch.int64))
        targets, advantages = v_trace(
            log_now.detach(),
            batch[Columns.ACTION_LOGP],
            torch.where(ended, 0.0, settings.discount),
            batch[Columns.REWARDS],
            values.detach(),
            bootstrap,
            lengths.tolist(),
        )
        learned = (~bootstrap).float()
        policy = -(learned * log_now * advantages).sum()
        value = (learned * (targets - values).square()).sum() / 2
        entropy = -(learned[:, None] * log_all.exp() * log_all).sum()
        total = policy + settings.value * value - settings.entropy * entropy
        if len(self.first_losses) < FIRST_LOSSES:
            self.first_losses.append(total.item())
        found = {"updates": 1, "decisions": int((~added).sum()), "loss": total.item()}
        found |= {"value_loss": value.item(), "entropy": entropy.item()}
        self.sums = {name: self.sums[name] + found[name] for name in found}
        return total


def v_trace(
    log_now: Tensor,
    log_played: Tensor,
    discounts: Tensor,
    rewards: Tensor,
    values: Tensor,
    bootstrap: Tensor,
    lengths: list[int],
) -> tuple[Tensor, Tensor]:
    """RLlib's V-trace over plays of any lengths that follow one another: targets of the values, and
    advantages, ``(n,)`` each.

    RLlib itself cuts the batch into rows of one length, whatever play a step is of, and counts the
    state that a play stopped in as one more step, without a reward.

    Args:
        log_now, log_played: log-probabilities of the actions, as the policy is and as it was.
        discounts: of what follows; 0 where an episode ended.
        rewards, values: of each step, and of its state.
        bootstrap: which steps stand for all that follows; nothing is learned from them.
        lengths: of the plays.
    """
    # a state with its value for reward, and nothing after it, has its value for target
    rewards = torch.where(bootstrap, values, rewards)
    discounts = torch.where(bootstrap, 0.0, discounts)
    flat = (log_now, log_played, discounts, rewards, values)
    rows = [nn.utils.rnn.pad_sequence(part.split(lengths)) for part in flat]  # (t, p) each
    names = ("target_action_log_probs", "behaviour_action_log_probs", "discounts", "rewards")
    arguments = dict(zip((*names, "values"), rows, strict=True))
    found = vtrace_torch(**arguments, bootstrap_values=torch.zeros_like(rows[0][0]))
    inside = nn.utils.rnn.pad_sequence(torch.ones_like(bootstrap).split(lengths))
    return tuple(part.T[inside.T] for part in found)


class Wins(RLlibCallback):
    """Counts episodes and those that ended well."""

    def on_episode_end(self, *, episode, metrics_logger, **_) -> None:
        metrics_logger.log_value("episodes", 1, reduce="sum")
        metrics_logger.log_value("wins", int(episode.get_infos(-1)["solved"]), reduce="sum")


class Impala:
    """Lets an agent play and learn on RLlib; see `drive.drive`. Its attributes are those of
    `ActorLearner`; ``decisions`` are counted, since RLlib's plays vary a little in length.

    Actors and learner do not wait for each other, so a run repeats in distribution only. A state
    holds weights, optimiser and history; who goes on from it begins new episodes.

    Actors are processes of the Ray that this process is connected to. If there is none, one starts
    on this machine.

    Args:
        agent: as for `actor_learner.losses`; it is trained in place.
        world: what it plays.
        settings: how it learns.
        seed: of the actors.
        look, limit: as for `ActorLearner`.

    Raises:
        Unavailable: if RLlib is not installed.
        ValueError: for worlds that cannot be shared among the actors, or settings that are not
            IMPALA's.
    """

    def __init__(
        self,
        agent: nn.Module,
        world: World,
        settings: Reinforcement,
        seed: int,
        *,
        look: Callable[[nn.Module], Mapping[str, float]] | None = None,
        limit: int | None = None,
    ):
        need_rllib()
        if settings.worlds % settings.actors:
            raise ValueError(
                f"worlds is {settings.worlds} and actors {settings.actors}; expected a multiple "
                "of it"
            )
        for name, value in IMPALAS.items():
            if getattr(settings, name) != value:
                given = getattr(settings, name)
                raise ValueError(f"{name} is {given!r}; with the engine rllib it is {value!r}")
        self.agent, self.world, self.settings = agent, world, settings
        self.seed, self.look = seed, look
        self.budget = within(settings.updates, limit)
        self.finished = self.budget == 0
        self.first_losses: list[float] = []
        self.history: list[dict[str, float]] = []
        self._sums = dict.fromkeys((*LEARNED, *PLAYED), 0)
        self._looked = dict(self._sums)  # the sums at the last look
        self._moments: dict[str, Any] = {}
        self._algorithm: Any = None
        self._pace = Pace()

    @property
    def update(self) -> int:
        return self._sums["updates"]

    @property
    def decisions(self) -> int:
        return self._sums["decisions"]

    def step(self) -> None:
        """Wait for the next updates, one for each play that has arrived.

        Raises:
            FloatingPointError: if a loss is not finite.
            RuntimeError: if it has ended.
        """
        if self.finished:
            raise RuntimeError(f"learning ended at update {self.update}")
        if self._algorithm is None:
            self._algorithm = self._start()
        self._pace(self.decisions)
        before = self.update
        while self.update == before:
            played = self._algorithm.train()["env_runners"]
            for name in PLAYED:  # NaN for none
                value = played.get(name, math.nan)
                self._sums[name] += 0 if math.isnan(value) else int(value)
            self._sums |= self._learner.sums
        self.first_losses = list(self._learner.first_losses)
        if not math.isfinite(self._sums["loss"]):
            raise FloatingPointError(f"the loss is not finite at update {self.update}")
        self.finished = self.update >= self.budget
        every = self.settings.look_every
        if self.finished or self.update // every > before // every:
            self._look()
        if self.finished:
            self.close()

    def close(self) -> None:
        """End the actors; the agent keeps what it has learned."""
        if self._algorithm is not None:
            self._fetch()
            self._algorithm.stop()
            shutil.rmtree(self._algorithm.logdir, ignore_errors=True)
            self._algorithm = None

    def told(self) -> str:
        """Decisions so far, how many a second, and how many of the last episodes were won."""
        won = f", won {self.history[-1]['win_rate']:.0%}" if self.history else ""
        return f"{self.decisions:,} decisions, {self._pace(self.decisions):,.0f}/s{won}"

    def state_dict(self) -> dict[str, Any]:
        """A copy of what is learned; see the class."""
        self._fetch()
        return copied(
            {
                "budget": self.budget,
                "finished": self.finished,
                "agent": self.agent.state_dict(),
                "optimiser": self._moments,
                "first_losses": self.first_losses,
                "history": self.history,
                "sums": self._sums,
                "looked": self._looked,
            }
        )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a state was taken, by one of the same arguments.

        Raises:
            ValueError: if the state is of another budget; nothing is changed then.
        """
        if state["budget"] != self.budget:
            raise ValueError(f"the state's budget is {state['budget']}; expected {self.budget}")
        self.close()
        state = copied(state)
        self.agent.load_state_dict(state["agent"])
        self.finished, self._moments = state["finished"], state["optimiser"]
        self.first_losses, self.history = state["first_losses"], state["history"]
        self._sums, self._looked = state["sums"], state["looked"]

    def _start(self) -> Any:
        """RLlib's algorithm, with actors that wait for its first step."""
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it tells of its new interface
        given = {"sums": {name: self._sums[name] for name in LEARNED}, "moments": self._moments}
        given |= {"first_losses": self.first_losses, "budget": self.budget}
        config = configuration(self.agent, self.world, self.settings, self.seed, given)
        cores = ray.cluster_resources().get("CPU", 1)  # where there are few, actors share them
        share = min(1.0, math.floor(1000 * cores / self.settings.actors) / 1000)
        return config.env_runners(num_cpus_per_env_runner=share).build_algo()

    @property
    def _learner(self) -> Learner:
        return (
            self._algorithm.learner_group.foreach_learner(lambda it: it).result_or_errors[0].get()
        )

    def _fetch(self) -> None:
        """Take over the learner's weights and moments."""
        if self._algorithm is None:
            return
        policy = self._learner.module[POLICY].unwrapped()
        self.agent.load_state_dict(policy.agent.state_dict())
        moments = self._learner.get_optimizer(POLICY).state_dict()["state"]
        self._moments = {str(index): value for index, value in moments.items()}

    def _look(self) -> None:
        self._fetch()
        since = {name: value - self._looked[name] for name, value in self._sums.items()}
        found = {"update": self.update, "decisions": self.decisions}
        found["win_rate"] = since["wins"] / since["episodes"] if since["episodes"] else math.nan
        for name in ("loss", "value_loss", "entropy"):
            found[name] = since[name] / since["updates"]
        if self.look is not None:
            found |= self.look(self.agent)
        self.history.append(found)
        self._looked = dict(self._sums)


def need_rllib() -> None:
    """Raise `Unavailable`, saying how to install RLlib, if it is absent."""
    if IMPALAConfig is None:
        raise Unavailable(MISSING)


def configuration(
    agent: nn.Module,
    world: World,
    settings: Reinforcement,
    seed: int,
    given: Mapping[str, Any] = EMPTY,
) -> "IMPALAConfig":
    """RLlib's configuration for an `Impala`; ``given`` is where its `Learner` begins."""
    policy = {"agent": agent, "shape": world.shape, "actions": world.actions}
    config = IMPALAConfig().framework("torch").debugging(seed=seed, log_level="ERROR")
    config = config.environment(world.kind, env_config=dict(world.options))
    config = config.env_runners(
        num_env_runners=settings.actors,
        num_envs_per_env_runner=settings.worlds // settings.actors,
        rollout_fragment_length=settings.unroll,
        gym_env_vectorize_mode="vector_entry_point",
    )
    config = config.callbacks(Wins).learners(
        num_learners=0,
        learner_class=Learner,
        learner_config_dict={"settings": settings, **EMPTY, **given},
    )
    config = config.training(
        train_batch_size_per_learner=settings.worlds * settings.unroll,
        lr=settings.learning_rate,
        gamma=settings.discount,
        grad_clip=settings.largest_norm,
        grad_clip_by="global_norm",
        timeout_s_sampler_manager=WAIT,
    )
    config = config.reporting(min_time_s_per_iteration=0)
    return config.rl_module(rl_module_spec=RLModuleSpec(module_class=Policy, model_config=policy))

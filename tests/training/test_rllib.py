"""IMPALA on RLlib: V-trace and updates against our own engine's, a real cluster, a kill."""

import copy
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib import Unavailable, experiments
from abstractor_lib.execution import job
from abstractor_lib.execution.backends import executor
from abstractor_lib.experiments.agents import play
from abstractor_lib.experiments.agents.flat import FlatWorlds
from abstractor_lib.experiments.agents.run import on_rllib
from abstractor_lib.experiments.context import HERE
from abstractor_lib.training.actor_learner import ActorLearner
from abstractor_lib.training.vtrace import vtrace

SMOKE = next(
    spec
    for spec in experiments.get("agents").grid("smoke", "sound")
    if spec.training.engine == "rllib"
)
RULES = SMOKE.task.rules
MISSING = "RLlib is not installed: pip install '.[rl]', into an environment of its own"


@pytest.fixture(scope="module")
def rllib(ray_environment):
    """The module, where RLlib is installed. It is imported now: it imports Ray."""
    from abstractor_lib.training import rllib

    return rllib if rllib.IMPALAConfig else pytest.skip(MISSING)


def test_without_rllib_the_error_names_the_extra(ray_environment, monkeypatch):
    from abstractor_lib.training import rllib

    monkeypatch.setattr(rllib, "IMPALAConfig", None)
    with pytest.raises(Unavailable, match=r"pip install 'abstractor-companion\[rl\]'"):
        executor(engine="rllib")
    with pytest.raises(Unavailable, match=r"RLlib is not installed"):
        on_rllib(SMOKE, play.build(SMOKE.model, RULES), HERE)


# --------------------------------------------------------------------------- V-trace


@pytest.mark.parametrize("seed", range(5))
def test_v_trace_against_ours_with_the_last_step_as_bootstrap(seed, rllib):
    """RLlib's function, on plays of one length and on the pieces of episodes that they hold."""
    draw = np.random.default_rng(seed)
    steps, worlds = 9, 4
    log_now, log_played = (torch.from_numpy(draw.normal(size=(steps, worlds))) for _ in range(2))
    rewards = torch.from_numpy(draw.normal(size=(steps, worlds)))
    ended = torch.from_numpy(draw.random((steps, worlds)) < 0.3)
    discounts = 0.9 * (~ended).double()
    values = torch.from_numpy(draw.normal(size=(steps + 1, worlds)))
    expected = vtrace((log_now - log_played).exp(), discounts, rewards, values)

    flat, lengths = [], []
    for world in range(worlds):
        length = 0
        for step in range(steps):
            numbers = (log_now, log_played, discounts, rewards, values)
            flat.append((*(part[step, world].item() for part in numbers), False))
            length += 1
            if ended[step, world] or step == steps - 1:  # RLlib adds a state, here with junk
                value = values[steps, world].item() if step == steps - 1 else draw.normal()
                flat.append((*draw.normal(size=4), value, True))
                lengths.append(length + 1)
                length = 0
    *numbers, bootstrap = (torch.from_numpy(np.array(one)) for one in zip(*flat, strict=True))
    targets, advantages = rllib.v_trace(*numbers, bootstrap, lengths)
    for found, wanted in ((targets, expected.values), (advantages, expected.advantages)):
        kept = found[~bootstrap].view(worlds, steps).T
        torch.testing.assert_close(kept, wanted, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(targets[bootstrap], numbers[4][bootstrap])


# --------------------------------------------------------------------------- the learner


def learner_of(rllib, agent, settings, **given):
    """RLlib's learner of an agent, without actors."""
    sees = {"rules": RULES, "observation": "tokens", "macro": True}
    world = rllib.World(FlatWorlds, sees, (12, 3), 9)
    config = rllib.configuration(agent, world, settings, 0, given)
    worlds = FlatWorlds({"num_envs": 1, **sees})
    spaces = (worlds.single_observation_space, worlds.single_action_space)
    return config.build_learner(spaces={rllib.POLICY: spaces})


def episodes(found):
    """A play as RLlib's actors would hand it over: a piece for each episode of each world."""
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode

    seen = torch.cat([found.observations.flatten(2), found.allowed.long()], dim=-1)
    seen = seen.numpy().astype(np.uint8)
    steps, worlds = found.rewards.shape
    for world in range(worlds):
        first = 0
        for step in range(steps):
            ended = found.discounts[step, world] == 0
            if ended or step == steps - 1:
                inside = slice(first, step + 1)
                yield SingleAgentEpisode(
                    observations=list(seen[first : step + 2, world]),
                    actions=found.actions[inside, world].tolist(),
                    rewards=found.rewards[inside, world].tolist(),
                    extra_model_outputs={
                        Columns.ACTION_LOGP: found.log_played[inside, world].tolist()
                    },
                    terminated=bool(ended),
                    len_lookback_buffer=0,
                ).to_numpy()
                first = step + 1


def learn(learner, found):
    """One update of RLlib's learner, as its thread makes it."""
    from ray.rllib.core.learner.learner import Learner
    from ray.rllib.core.learner.training_data import TrainingData

    given = TrainingData(episodes=list(episodes(found)))
    Learner.update(learner, training_data=given, timesteps={}, num_epochs=1)


@pytest.mark.parametrize("bootstrap", ["next", "last"])
@pytest.mark.parametrize("largest_norm", [1.0, 1e6])
def test_updates_against_our_own_engine(bootstrap, largest_norm, rllib):
    """Two updates from the same play, so that the second corrects for another policy and finds
    moments: weights agree to 1e-5, which is a thousandth of what they have moved."""
    settings = replace(
        SMOKE.training, bootstrap=bootstrap, largest_norm=largest_norm, learning_rate=0.01
    )
    agent = play.build(SMOKE.model, RULES)
    before = copy.deepcopy(agent.state_dict())
    theirs = learner_of(rllib, copy.deepcopy(agent), settings)
    worlds = play.Worlds(RULES, settings.worlds, np.random.default_rng(0), "tokens")
    ours = ActorLearner(agent, worlds, settings)
    found = ours.play()
    if bootstrap == "last":  # RLlib does not know that an episode ended with its play
        found = found.of((found.discounts[-1] > 0).nonzero().flatten())
    for update in range(2):
        mine = ours.learn(found)
        norm = torch.stack([one.grad.norm() for one in agent.parameters()]).norm()
        assert norm == pytest.approx(1.0, rel=1e-4) if largest_norm == 1.0 else norm > 2
        learn(theirs, found)
        assert theirs.first_losses[update] == pytest.approx(mine.total.item(), rel=1e-5)
    assert theirs.sums["updates"] == 2
    assert theirs.sums["decisions"] == 2 * found.rewards.numel()
    assert theirs.sums["entropy"] == pytest.approx(ours._since["entropy"], rel=1e-5)
    their_agent = theirs.module[rllib.POLICY].unwrapped().agent
    moved = max(
        (value - before[name]).abs().max().item() for name, value in agent.state_dict().items()
    )
    assert moved > 1e-2 / 4
    for name, value in agent.state_dict().items():
        torch.testing.assert_close(their_agent.state_dict()[name], value, rtol=0, atol=1e-5)
    squares = theirs.get_optimizer(rllib.POLICY).state_dict()["state"]
    for index, state in ours.optimiser.state_dict()["state"].items():
        torch.testing.assert_close(squares[index]["square"], state["square"], rtol=1e-4, atol=1e-5)


def test_what_rllib_learns_without_us(rllib):
    """The state that a play stopped in counts as a step without reward there, whose action is the
    last one again; and losses are means."""
    from ray.rllib.algorithms.impala.torch.impala_torch_learner import IMPALATorchLearner

    settings = replace(SMOKE.training, bootstrap="next")
    agent = play.build(SMOKE.model, RULES)
    theirs = learner_of(rllib, agent, settings)
    worlds = play.Worlds(RULES, 16, np.random.default_rng(0), "tokens")
    found = ActorLearner(agent, worlds, replace(settings, worlds=16, unroll=2)).play()
    found = found.of((found.discounts[-1] > 0).nonzero().flatten()[:2])  # that go on
    found = found._replace(allowed=torch.ones_like(found.allowed))  # the last action again, too
    answer = agent(found.observations.flatten(0, 1))
    values = answer.value.view(3, 2).detach()
    seen = {}

    def compute(**given):
        theirs.config.rollout_fragment_length = 3  # two steps and the state after them
        stock = IMPALATorchLearner.compute_loss_for_module
        seen["loss"] = stock(theirs, **given).item()
        return type(theirs).compute_loss_for_module(theirs, **given)

    theirs.compute_loss_for_module = compute
    learn(theirs, found)
    log_all = play.log_policy(answer.logits.view(3, 2, -1), found.allowed).detach()
    log_now = log_all[:-1].gather(-1, found.actions[..., None]).squeeze(-1)
    again = log_all[-1].gather(-1, found.actions[-1][:, None]).squeeze(-1)
    entropy = -(log_all.exp() * log_all).sum(dim=-1)[:-1].mean()

    def mean(wanted):
        value = (wanted.values[:2] - values[:-1]).square().mean() / 2
        policy = -(log_now * wanted.advantages[:2]).mean()
        return (policy + settings.value * value - theirs.config.entropy_coeff * entropy).item()

    first = (log_now - found.log_played).exp()
    ratios = torch.cat([first, (again - found.log_played[-1]).exp()[None]])
    none = torch.zeros(1, 2)
    discounts, rewards, further = (
        torch.cat([part, none]) for part in (found.discounts, found.rewards, values)
    )
    counted = mean(vtrace(ratios, discounts, rewards, further))
    assert seen["loss"] == pytest.approx(counted, rel=1e-4)
    right = mean(vtrace(first, found.discounts, found.rewards, values))
    assert abs(counted / right - 1) > 1e-3


# --------------------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def cluster(rllib):
    """Two nodes of one core."""
    from ray.cluster_utils import Cluster

    two = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    two.add_node(num_cpus=1)
    yield two
    two.shutdown()


@pytest.fixture(scope="module")
def workers(cluster):
    """This process, connected to the cluster."""
    with executor(address=cluster.address, engine="rllib") as connected:
        yield connected


def test_a_run_on_two_nodes(rllib, workers, monkeypatch):
    """The actors play on both nodes; what they played is learned from, to the last update."""
    nodes, close = [], rllib.Impala.close

    def look_and_close(self):
        if self._algorithm is not None:
            group = self._algorithm.env_runner_group
            nodes.extend(group.foreach_env_runner(node_of_actor, local_env_runner=False))
        close(self)

    monkeypatch.setattr(rllib.Impala, "close", look_and_close)
    told = []
    spec = replace(SMOKE, training=replace(SMOKE.training, decisions=2048, look_every=2))
    learning = on_rllib(spec, play.build(spec.model, RULES), HERE)
    before = copy.deepcopy(learning.agent.state_dict())
    while not learning.finished:
        learning.step()
        told.append(learning.told())
    assert len(set(nodes)) == len(nodes) == 2
    assert learning.update == 8 and learning.decisions >= 2048
    assert [look["update"] for look in learning.history][-1] == 8
    assert all(0 <= look["win_rate"] <= 1 for look in learning.history)
    assert told[-1].startswith(f"{learning.decisions:,} decisions, ")
    name = "readout.score.0.weight" if "readout.score.0.weight" in before else next(iter(before))
    assert (learning.agent.state_dict()[name] != before[name]).any()


def node_of_actor(actor):
    import ray

    return ray.get_runtime_context().get_node_id()


KILLED = """
import json, os, signal
from pathlib import Path
from abstractor_lib import experiments
from abstractor_lib.execution import job
from abstractor_lib.execution.backends import executor
from abstractor_lib.experiments import context
from abstractor_lib.training.checkpoint import Checkpoint

context.CHECKPOINT_SECONDS = 0.0  # after every update
save = Checkpoint.save

def killed(self, state):
    save(self, state)
    os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.save = killed
spec = experiments.get("agents").spec(json.loads({plain!r}))
with executor(address={address!r}, engine="rllib") as workers:
    list(workers.map(job.perform, [job.Job(spec, scratch=Path({scratch!r}))]))
"""


def test_a_killed_run_goes_on(workers, cluster, tmp_path):
    spec = replace(SMOKE, training=replace(SMOKE.training, decisions=1024))
    plain, scratch = json.dumps(spec.canonical()), str(tmp_path)
    script = KILLED.format(plain=plain, address=cluster.address, scratch=scratch)
    ended = subprocess.run([sys.executable, "-c", script], timeout=300, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    (done,) = workers.map(job.perform, [job.Job(spec, scratch=tmp_path)])
    updates, decisions = done.record["curve"]["update"], done.record["curve"]["decisions"]
    assert updates[-1] == 4 and updates == sorted(set(updates))
    assert decisions[-1] >= 1024 and decisions == sorted(set(decisions))
    assert len(done.record["first_losses"]) == 4


def test_a_state_holds_weights_moments_and_history(workers):
    spec = replace(SMOKE, training=replace(SMOKE.training, decisions=1024))
    one = on_rllib(spec, play.build(spec.model, RULES), HERE)
    one.step()
    state = one.state_dict()
    one.close()
    other = on_rllib(spec, play.build(spec.model, RULES), HERE)
    other.load_state_dict(state)
    assert other.update == one.update >= 1 and other.history == one.history
    other.step()  # the learner began where the other one was
    assert other.first_losses[: one.update] == one.first_losses
    squares = other.state_dict()["optimiser"]
    # 0.99 of each mean square is left, and a square is added
    for index, moment in state["optimiser"].items():
        passed = 0.99 ** (other.update - one.update)
        assert (squares[index]["square"] >= passed * moment["square"] - 1e-6).all()
        assert (moment["square"] < 1).any() or (moment["square"] > 1).any()
    other.close()
    smaller = replace(spec, training=replace(spec.training, decisions=512))
    with pytest.raises(ValueError, match="the state's budget is 4; expected 2"):
        on_rllib(smaller, play.build(spec.model, RULES), HERE).load_state_dict(state)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actors": 3}, "worlds is 32 and actors 3; expected a multiple of it"),
        ({"passes": 4}, "passes is 4; with the engine rllib it is 1"),
        ({"optimiser": "adam"}, "optimiser is 'adam'; with the engine rllib it is 'rmsprop'"),
    ],
)
def test_settings_that_are_not_impalas(change, message, rllib):
    spec = replace(SMOKE, training=replace(SMOKE.training, **change))
    with pytest.raises(ValueError, match=message):
        on_rllib(spec, play.build(spec.model, RULES), HERE)

# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Agents: does 2-simplicial attention help to learn bridge Box World?
#
# **Question.** The authors of the 2-simplicial Transformer let agents learn bridge Box World by
# reward. Agents with 2-simplicial attention learned it better than agents with standard attention.
# Is it the same on a task that a laptop can learn? And if there is a difference, does it come from
# the attention, from the number of parameters, or from something else?
#
# *Square brackets: 95 % intervals. †: we chose something about the test after seeing results. Other
# words: [glossary](../docs/glossary.md).*

# %% tags=["parameters"]
# A tiny version: papermill 16_simplicial_agents.ipynb out.ipynb -p profile smoke -p compute True
profile: str = "laptop"  # smoke, laptop or paper
fresh: bool = False  # read the records of build/PROFILE instead of those that ship
compute: bool = False  # compute first what those records lack
updates: int = 0  # more plays for the one run; 100 take about two minutes

# %% jupyter={"source_hidden": true} tags=["hide-input"]
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from IPython.display import HTML

from abstractor_lib.experiments.agents import decisions, play, results
from abstractor_lib.experiments.agents.run import learner
from abstractor_lib.experiments.agents_attention import messages, reading
from abstractor_lib.experiments.agents_attention import run as attention
from abstractor_lib.experiments.agents_attention.forks import forks
from abstractor_lib.experiments.box_world.results import NAMES as PLAYERS
from abstractor_lib.experiments.cloning import results as copied
from abstractor_lib.experiments.context import HERE
from abstractor_lib.findings.published import published
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting import exercises, figures, live, tables
from abstractor_lib.reporting.pictures import agents as pictures
from abstractor_lib.reporting.pictures import agents_inside as inside
from abstractor_lib.reporting.pictures import box_world
from abstractor_lib.reporting.pictures.box_world.colours import signs
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.policies import POLICIES
from abstractor_lib.training.actor_learner import losses

# %% jupyter={"source_hidden": true} tags=["hide-input"]
figures.style()
pd.set_option("display.max_colwidth", None, "display.precision", 3)
study = Study("agents", Workspace(profile, fresh), compute)
table = study.table("sound")
looks = results.learning(study.records.values())
budget = study.experiment.grid(profile, "sound")[0].training.decisions
tokens = looks[looks["variant"].eq("tokens, scoring") & looks["size"].eq(budget)]

# %% [markdown]
# ## The game
#
# The player wants the *Gem* (◆), which has two locks and needs two keys at once. A box is a key
# beside a lock (with a keyhole). To open it takes a key of the lock's colour, which is then gone;
# the key in the box is the player's. So two paths of boxes lead to the Gem, an upper and a lower
# one. One more box, the *bridge*, leads from the upper path to the lower one. Who opens it has
# spent a key that the upper path needs, and loses.

# %%
spec = study.spec("sound", "simplicial", budget, "tokens, scoring")
shown = play.late(spec.task.rules, 1, np.random.default_rng(16))
figure, boxes = box_world.puzzle(shown)
study.save_figure(figure, boxes, "fig_simplicial_06_puzzle")

# %% [markdown]
# *Left: what the player (dark dot) sees; beside the board an inventory for keys. The player sees
# colours, not the numbers that we give them. Right: what a key opens, and which key that gives; a
# double ring marks a key that lies loose. Dashed: the bridge. Here both a box of the upper path and
# the bridge need key 3. The title has the length of the paths, and the numbers of the bridge's lock
# and key, as the paper writes them.*
#
# A puzzle is *late* if, as here, the bridge's lock has another colour than the Gem's upper lock.
# Then it competes with a box that leads on, and who never asks which of the two is the bridge wins
# half of the puzzles.
#
# ## The answer
#
# Three agents learn this game by reward. *Relational* and *2-simplicial* are the paper's kinds of
# attention, in two blocks; *four blocks* is a deeper relational agent. Each gives a score to every
# object that it could walk to. The paper's agents read the answer off one maximum over all objects.

# %%
three = tokens[tokens["model"].isin(["relational", "simplicial", "deep"])]
timed = three["model"].ne("deep")  # its runs come from a slower machine
three = three.assign(minutes=three["minutes"].where(timed))
study.save_figure(pictures.learning(three), three, "fig_simplicial_06_learning")

# %% [markdown]
# *To see: the three thick lines rise together. Win rates on late puzzles while agents learn,
# against decisions (left) and against computing time (right, of two of them and of runs on a CPU
# alone). Vertical axis: the share of 1,000 late puzzles that the agent solves when it takes the
# likeliest action. Dotted: what is won without asking for the bridge. A thin line is one run, a
# thick line the mean of eight seeds of each agent; on the right of five of the relational and of
# the 2-simplicial agent. An agent is given each object as a token, three whole numbers.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("not_told_apart")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("computing_time", looks=tokens)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("what_is_hard")

# %% [markdown]
# Square brackets hold 95 % intervals over seeds.
#
# **What speaks against it.** The task is much easier than the paper's, on purpose. A few seeds
# cannot show a small difference. The learning rate was not searched for either agent. The
# 2-simplicial agent has almost five times the parameters; a relational agent with as many is not
# told apart from it (*All runs*). The clipped ratio was chosen in a pilot of the relational agent.
# Useless choices are not allowed, so the agent is told which boxes a held key opens. Scripts that
# look, of each box, at the colour of its key alone win most late puzzles, one of them all (*What
# scripts win*). Within each of the five 2-simplicial agents that were looked at, all objects attend
# to nearly one and the same pair, and the agents win as much without this choice (*Looking
# inside*). So these runs may say little about attention to pairs.
#
# ## The paper
#
# *Logic and the 2-Simplicial Transformer* (Clift, Doryn, Murfet and Wallbridge, ICLR
# 2020), here *simplicial*: sections 4 and 5, Figure 6. Section 1: "Our experiments show that the
# simplicial agent confers an advantage over the relational agent as an inductive bias in our
# reasoning task." The paper's runs had up to 5.5 billion steps, which took about four days each on
# a cluster, by the throughput that it reports. What is shown here is *reduced*. It does not repeat
# Figure 6: that stays *not run*.
#
# **State.** *What is computed* counts all runs. A part that is not complete is *not run* below, and
# what it tests is open.
#
# Notebook [15](15_box_world.ipynb) explains the world.
#
# To compute a tiny version in seconds or minutes, with papermill alone:
# `papermill 16_simplicial_agents.ipynb out.ipynb -p profile smoke -p compute True`.
#
# ## The task
#
# In our reading, at least four difficulties lie on top of each other in the paper's task. Steps
# have to add up to walks. Colours have to be found in a picture. The answer is read off one maximum
# over all entities (max-pooling: of each feature its largest value). And the bridge has to be told
# from the other boxes. A run that stops before the
# first three are overcome looks like one that fails at the last. So they are taken apart here.
#
# | | the paper | here |
# | --- | --- | --- |
# | an action is | one step of the player | a choice of what to walk to |
# | what can be done | anything | what changes something: the rest is not allowed |
# | an episode has | more than 500 steps with random play (our simulation) | at most seven decisions |
# | puzzles with a bridge | half | all |
# | solution lengths | 1, 2, 3 | 2, 3 |
# | the agent sees | a picture in colours | *tokens*, *one-hot tiles*, or the picture |
# | it answers by | dense layers on one maximum over entities | that, or a *score* of each object |
# | it learns by | IMPALA, RMSProp | V-trace, PPO's clipped ratio, normalised advantages, Adam |
# | the discount is taken | each step | each decision |
# | budget | up to 5.5 billion steps | half a million to two million decisions |
#
# A *token* is an object as three whole numbers: the colour of its key, that of its lock, and its
# place. Sizes and rewards are the paper's, and blocks those of its public code.
#
# One more part of the grid keeps single steps and the hyperparameters that the paper states. It has
# one seed of each agent, one actor, and three million steps. It shows a start, and compares
# nothing: see *Beside the paper's curves* below.

# %%
worlds = BoxWorlds(spec.task.rules, 1, np.random.default_rng(0), macro=True)
worlds.reset(puzzles=shown)
seen = play.observe(worlds, "tokens")[0]
objects = pd.DataFrame(seen.tolist(), columns=["key", "lock", "place"])
can = [*play.allowed(worlds)[0].tolist(), *[False] * (len(objects) - 9)]
objects.assign(**{"can be taken": can})

# %% [markdown]
# *Code 0 is nothing, 1 the Gem, 3 an empty place of the inventory. Codes from 4 on are colours.
# Places 0 to 8 are slots of the board; 9 is the Gem's lower lock; 10 and 11 are the inventory.*

# %% [markdown] tags=["detail"]
# ### What scripts win
#
# Before agents are compared: what is won without learning? Scripts play late puzzles of this world.
# Notebook [15](15_box_world.ipynb) says what each one looks at.

# %%
scripts = results.scripts(spec.task.rules)
study.save_table(scripts.reset_index(), "fig_simplicial_06_scripts")
scripts.rename(index=PLAYERS).round(2)

# %% [markdown]
# *A row is a script, a number the share of puzzles that it wins, of about 4,000 late ones and of
# all those drawn. To win all late puzzles, one colour of each box is enough: "even key colour"
# opens a box whose key colour lies on an odd number of tiles only if no other can be opened. So a
# high win rate on late puzzles does not show that an agent relates three objects.*
#
# ## The agents
#
# An observation becomes *entities*: a token is one by an embedding; a picture gives one for each
# 3 x 3 tiles, by two convolutions. Two passes through one block let entities read each other.
#
# - **relational**: standard attention, two heads.
# - **2-simplicial**: in addition, one head in which an entity reads *pairs*. Pairs are those of two
#   *virtual entities*, which read all others. Logits are unsigned triple products (equation 7).
# - **relational, wide**: as many parameters as the 2-simplicial agent, in the block's network.
# - **uniform over pairs**: as 2-simplicial, but all pairs weigh the same.
# - **relational, four blocks**: four passes through the block, as in a control of the paper.

# %%
grid = study.experiment.grid(profile, "sound")
agents = {
    one.model.name: one
    for one in grid
    if one.model.readout == "scoring" and one.model.observation == "tokens"
}
sizes = {
    name: live.parameters(play.build(one.model, one.task.rules)) for name, one in agents.items()
}
pd.DataFrame({"parameters": sizes}).rename(index=pictures.NAMES)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
live.source(play.build)

# %% [markdown]
# ## One run
#
# The agent plays 512 worlds, eight decisions in each. Then it learns from what was played, and
# plays again. *V-trace* says what each state was worth; the source of the losses follows the run.

# %%
run = study.spec("sound", "relational", budget, "tokens, scoring")
live.seed(run)
learning = learner(run, HERE)
answer = learning.agent(learning.game.look().observation)
first = {"logits": answer.logits.flatten()[:10].tolist(), "values": answer.value[:10].tolist()}
live.beside_record(study, run, first)

# %%
live.play_on(learning, updates)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
live.source(losses)

# %% [markdown]
# ## All runs

# %% jupyter={"source_hidden": true} tags=["hide-input"]
summary = results.summary(table, study.records.values())
study.save_table(summary.reset_index(), "fig_simplicial_08_summary")
tables.Plain(summary.round(3), pictures.NAMES)

# %% [markdown]
# *A row is a kind of agent. `late, greedy` is the share of 4,000 late puzzles that it wins at the
# end with the likeliest action; `late, sampled` draws actions, as the paper's agents do. A level is
# reached at the first of two looks in a row at or above it. Numbers to a level are medians over
# seeds, core minutes of those that ran on a CPU (four blocks on another processor). Where half of
# the runs or more do not reach a level, it is not reached.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("controls")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("deeper")

# %% [markdown] tags=["detail"]
# ### What is computed
#
# A row is a part of the grid: its runs, those that are computed, and the hours that these took on
# one core (estimated where a GPU computed them). Planned were at most 48 hours for all but the
# single steps. *Main*: relational and 2-simplicial agents that score each object of tokens.
# *Controls*: a wide one, and uniform attention to pairs. *Deep*: four blocks. *Long*: three million
# decisions. *Tiles*, *picture*: what agents see. *Maximum*: the paper's read-out. *Standard*: the
# world without bridges. *Steps*: single steps. *Engines*: RLlib beside ours, in a small world.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.parts("sound")

# %% [markdown] tags=["detail"]
# ### Every run
#
# The paper shows its runs one by one (Figures 9 and 10).

# %%
figure = pictures.each_run(tokens, "relational")
ours = tokens[tokens["model"].eq("relational")]
study.save_figure(figure, ours, "fig_simplicial_09_runs", shown=False)

# %%
figure = pictures.each_run(tokens, "simplicial")
study.save_figure(figure, tokens[tokens["model"].eq("simplicial")], "fig_simplicial_10_runs")

# %% [markdown]
# *2-simplicial agents. To see: most runs end near one, and some stay below. Left: greedy, on late
# puzzles. Right: over all puzzles that ended while the agent learned, with actions that it drew. A
# line is one seed. Relational agents, likewise:
# [figure](../figures/fig_simplicial_09_runs.svg).*
#
# ### One maximum as read-out
#
# The paper reads actions off one maximum over all entities. Here this is compared with a score of
# each object.

# %%
first = tokens[tokens["model"].eq("relational")]
tiles = looks[looks["variant"].eq("tiles, scoring") & looks["model"].eq("relational")]
answers = pd.concat([first, tiles, looks[looks["variant"].str.endswith(", maximum")]])
study.save_figure(pictures.readouts(answers), answers, "fig_simplicial_06_maximum")

# %% [markdown]
# *To see: all agents that answer by one maximum (grey) stay near the dotted line, where a guess is,
# and those with scores rise from it; slower where they see tiles, in some runs hardly within a
# million decisions. Grey are relational agents that see tokens, tiles or pictures, and 2-simplicial
# ones that see pictures; agents with scores are relational. Horizontal: decisions. Vertical: the
# share of 1,000 late puzzles won with the likeliest action. A thin line is one run, a thick line
# the mean of the seeds.* The same read-out fails when agents copy an oracle in place of learning by
# reward (*Can the agents represent it?*, below).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
blind = scripts.loc["boxes_last", "all puzzles won"]
study.say("one_maximum_fails", looks=looks, blind=blind)

# %% [markdown] tags=["detail"]
# ### Standard Box World
#
# "First we verified that our implementation of the relational agent solves the Box World
# environment" (section 5). In this world the Gem has one lock. There is one path of up to five
# boxes, and up to four decoys; no box is a bridge. Here is the same check of the agent that chooses
# what to walk to, beside what scripts solve.

# %%
decoys = next(one.task.rules for one in grid if one.part == "standard")
floors = results.scripts(decoys)["late puzzles won"].rename("puzzles solved")
floors.rename(index=PLAYERS).to_frame().round(3)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
shares = {"blind": floors["anything_once"], "floor": floors[["even_lock", "even_key"]].max()}
study.say("standard_world", **shares, ahead=floors["no_leaf"])

# %% [markdown] tags=["detail"]
# ### Beside the paper's curves
#
# The figures above are of choices of what to walk to. In the paper agents take single steps, and
# half of the puzzles have no bridge. With these, and with the paper's hyperparameters, we trained
# one agent of each kind for the first of the paper's steps.

# %%
names = {"relational": "relational", "simplicial": "2-simplicial"}
steps = results.single_steps(study.records.values())
figure, points = pictures.papers(names, steps)
study.save_figure(figure, points, "fig_simplicial_06_published")

# %% [markdown]
# *To see: our agents (left) solve about as many puzzles as the published curves (right) have at the
# first point that we read off. Left: one run of each agent; win rates of puzzles that ended between
# two looks. Right: read off Figure 6, means of four runs each, without the standard deviations that
# it shades. The horizontal axes differ by a factor of about two thousand. Actions are drawn from
# the policy.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("the_start", steps=steps)

# %% [markdown]
# Notebook [15](15_box_world.ipynb) compares published levels with scripts that never ask which box
# is the bridge.

# %% [markdown] tags=["detail"]
# ## Can the agents represent it?
#
# An agent that learns by reward may fail because it cannot represent the solution, or because
# reward does not lead it there. So here agents copy the *parity oracle*, which wins every puzzle,
# by supervised learning, and then play late puzzles. A tie was expected, and written down before
# the runs.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
copies = Study("cloning", Workspace(profile, fresh), compute)
cloned = copies.table("sound")
main = cloned[cloned["variant"].eq("tokens, scoring")]
main = main[main["model"].isin(["relational", "simplicial"])]
copies.say("both_can")

# %%
figure = pictures.cloning(main)
copies.save_figure(figure, main, "fig_simplicial_06_cloning")

# %% [markdown]
# *To see: the two lines lie on each other. Horizontal: puzzles that the oracle showed, one state of
# each, on a logarithmic axis. Vertical: the share of 4,000 late puzzles that the agent wins with
# its likeliest choice. A dot is one seed, a line the mean of five. Dotted: a guess. Objects are
# given as tokens, and the agent scores each object.* The table has what is won without copying.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
copied.baselines(main).round(3)

# %% [markdown]
# *`accuracy`: how often the choice is one of the oracle's.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
copies.say("one_maximum")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
copies.say("norms")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
parts = copied.summary(cloned).reset_index().round(3)
copies.save_table(parts, "rem_simplicial_2_3_norms")
tables.Plain(parts, pictures.NAMES)

# %% [markdown]
# *All parts; means over seeds, and the least and the most. "Pairs not normalised" lacks the layer
# normalisation of the 2-simplicial output; "projections normalised" normalises queries, keys and
# values.*
#
# The claims on copying:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
copies.claims()

# %% [markdown]
# ## Looking inside
#
# The paper's Figure 7 shows what one agent attends to in one state; its appendix F has two more
# states, and of the other three agents says that "the roles of the virtual entities and heads vary
# [...] but we observe similar patterns in the other trials". Section 6 adds: "In general we
# observe that the top and bottom locks on the Gem, the player, and the entities 7, 15 associated to
# the inventory often have a non-generic 2-simplicial attention, which strongly suggests that the
# simplicial agent has learned to use 2-simplices in a meaningful way." Here is the same for five
# agents over thousands of states, and for those of the first seed, whose weights ship, in one
# state. Every late puzzle is stopped at its *fork*: the key in the inventory opens two boxes, the
# right one and the bridge. The pairs that matter there are those of held key, right box and bridge.
#
# An entity of the second block attends to pairs of *virtual* entities. These hold what they read
# in the first block. So attention to a pair of objects is a sum over pairs of virtual entities: the
# attention to the pair, times what one of them read of the one object and the other of the other.
# What a virtual entity read is the mean of its two heads; the paper looks at one head of each.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
reads = Study("agents_attention", Workspace(profile, fresh), compute)
read = reads.table("sound")
reads.say("stand_out")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
reads.say("alike")

# %% jupyter={"source_hidden": true} tags=["hide-input"]
reads.say("needed")

# %%
figure, points = inside.beside_untrained(read)
reads.save_figure(figure, points, "fig_simplicial_07_number")

# %% [markdown]
# *To see: on the right all trained agents lie at zero or near it, below every untrained agent. A
# hollow dot is one untrained agent, the mean over 1,000 late puzzles at their fork. A filled dot is
# one trained agent, the mean over ten times as many. Dotted: uniform attention (left), any two
# boxes (middle).*
#
# **What holds by construction.** In the first block virtual entities are learned constants. Each
# reads every object by itself: what else lies on the board only changes by how much all is divided
# (a test holds it). Colours and places are drawn at random, so by itself a bridge looks like any
# other box. Hence no training can make a virtual entity of the first block single out the bridge.
# It can prefer a kind of object, such as boxes or the held key. The ratio to other boxes can differ
# from one all the same: held key, right box and bridge share a colour. The second block can do no
# more than choose among four pairs of such readings. The paper says so of its first block, which
# "is not interesting as initially the virtual entities are learned embedding vectors, containing no
# information about the current episode" (appendix F). Its entities are not tokens, though: many see
# tiles of two boxes at once, so its virtual entities may tell more of a board.
#
# **What speaks against it.** The paper's agents may differ: ours learn with another optimiser, a
# larger learning rate, and fewer decisions. The logits of 2-simplicial attention have no scale, as
# in the paper. So they can grow until one pair has all the weight, and then no gradient is left
# that would change it. Tokens have no player, so no entity of ours is what the paper calls one.
# Claims whose intervals are over puzzles speak of the first seed alone; they were written first.
# The other four seeds were computed later, as planned. One claim was changed after looking: it was
# a ratio, which is not defined where all objects attend alike, and is a difference now.
#
# ### One state, as in Figure 7
#
# The puzzle was chosen by a rule that was fixed before: the first of the stored late puzzles with
# solution length 3.

# %%
kept = {one.model.name: one for one in grid if one.part == "" and one.keep}
trained = {
    name: play.with_weights(one.model, one.task, study.weights(one, 0)).double()
    for name, one in kept.items()
}
stored = attention.puzzles(kept["simplicial"].task, 1000, 0)
puzzle = stored[np.flatnonzero(stored.kinds[:, 0] == 3)[:1]]
at = forks(puzzle)
with torch.no_grad():
    _, weights = trained["simplicial"](at.tokens, need_weights=True)
figure, points = inside.one_state(weights, at, puzzle)
study.save_figure(figure, points, "fig_simplicial_07_attention")

# %% [markdown]
# *Attention of the 2-simplicial agent at the fork of one puzzle. Columns are objects: numbers are
# those of the colours of this puzzle. Top: what each virtual entity reads of
# each object in the first block; a row sums to one together with empty places and virtual
# entities. Middle and bottom: 2-simplicial attention. A column is an object that reads, a row a
# pair of virtual entities; each column sums to one.*

# %% [markdown] tags=["detail"]
# ### Without its messages
#
# What if the 2-simplicial messages of the same agent are changed, and all else stays? An object's
# message is its sum over pairs of virtual entities. Objects get another one in both blocks.

# %%
won = messages.won(deepcopy(trained["simplicial"]).float(), stored)
reads.save_table(won.reset_index(), "fig_simplicial_07_messages")
won.to_frame().round(3)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
reads.say("messages", won=won)

# %% [markdown] tags=["detail"]
# ### All states

# %%
every = forks(stored)
with torch.no_grad():
    weighed = {name: agent(every.tokens, need_weights=True)[1] for name, agent in trained.items()}
kinds = {name: reading.by_kind(one, every) for name, one in weighed.items()}
points = pd.concat([table.assign(agent=name) for name, table in kinds.items()])
study.save_figure(inside.by_kind(kinds), points, "fig_simplicial_07_kinds")

# %% [markdown]
# *Means over 1,000 late puzzles at their fork. A row is who reads, a column what is read: the mean
# 1-simplicial attention to one object of that kind, as a multiple of uniform attention (1). Rows
# of objects are means of two heads. To see: in the first block a virtual entity reads right box and
# bridge alike, up to chance, as it must. Standard attention of objects does tell
# colours: the held key reads the two boxes that it opens more than others. What virtual entities
# read in the second block reaches no answer, since they are dropped after it.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
pairs = reading.pairs_by_kind(weighed["simplicial"], every)
study.save_table(pairs, "fig_simplicial_07_pairs")
chosen = pairs.loc[pairs.groupby(["block", "reader"])["weight"].idxmax()]
chosen.groupby(["block", "pair"])["weight"].agg(["size", "min"])

# %% [markdown]
# *2-simplicial attention, means over the same puzzles: of each block the pair of virtual entities
# that is read most, by how many of the eight kinds of objects, and the least weight that one of
# these gives it.*

# %% [markdown] tags=["detail"]
# ### One episode, decision by decision

# %%
players = {name: decisions.Greedy(trained[name]) for name in ("simplicial", "relational")}
open_ones = [one for one in decisions.decisions(players, puzzle) if len(one.objects) > 1]
figure, points = inside.strip(open_ones, puzzle)
study.save_figure(figure, points, "fig_simplicial_07_decisions")

# %% [markdown]
# *The same puzzle from its start, as the 2-simplicial agent plays it: the decisions in which it has
# a choice. Above: what it sees before each decision. Below: how likely it takes each object that it
# could take, and how likely the relational agent does in the same state. Numbers are those of
# colours, `3 → 2` is a box with the lock 3 and the key 2. To see: where the bridge can be taken, no
# agent takes it. The parity oracle leaves it alone, too, and may take anything else.*
#
# Step through the same puzzle here, as agents and scripts play it. In notebook
# [15](15_box_world.ipynb) both agents play more puzzles.

# %%
who = {"2-simplicial agent": players["simplicial"], "relational agent": players["relational"]}
who |= {"parity oracle": POLICIES["no_bridge_nearest"], "boxes last": POLICIES["boxes_last"]}
episodes = {
    name: box_world.episode(puzzle, player, np.random.default_rng(0))
    for name, player in who.items()
}
HTML(box_world.replay(episodes, signs(puzzle), "agents-replay"))

# %% [markdown]
# The claims on attention. But for those marked †, they were written before the attention of a
# trained agent was seen:

# %% jupyter={"source_hidden": true} tags=["hide-input"]
reads.claims()

# %% [markdown] tags=["detail"]
# ## Two engines
#
# The paper trained its agents with IMPALA on RLlib. Ours is a compact engine for one machine. Both
# are here: `abstractor run agents --engine rllib` trains on RLlib, with actors on two cores or on a
# cluster. One update of either, from the same play and weights, gives the same weights (a test
# holds it). Do they learn alike? The relational agent learned a small world with each, in which
# solutions have length 1.

# %%
engines = results.engines(table)
study.save_table(engines.reset_index(), "tab_simplicial_1_engines")
engines.round(3)

# %% [markdown]
# *A row is an engine, with three seeds. The share of episodes that the agent won: over all its
# training, and between the last looks. Rates are means, least and most over seeds. Both learn, at
# about the same pace; three seeds would not show a small difference.*
#
# ## Claims
#
# Each row is one claim, with the estimate and its 95 % interval over seeds; differences of two
# agents by permutation. Statements, margins and measures were written before the runs, after pilots
# of one seed, except those marked †: of these, seeds were added or the rule changed when results
# had been seen. [Statistics](../docs/statistics.md) has the rules of
# verdicts. Claims of parts of the grid that are not computed are *not run*. So are those of the
# paper at its own budget, in [CLAIMS](../CLAIMS.md).

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.claims()

# %% [markdown]
# ## Exercises
#
# Run the cells above the first figure, then start with any exercise. Each takes less than a minute.
#
# ### 1. A puzzle that cannot be lost: change one object
#
# The puzzle drawn above has a bridge. Take it away: which two tiles have to become blank (code 0)?
# `row` and `column` are those of the bridge's key; its lock lies to the right. The check counts
# tiles: without a bridge every colour lies on an even number of them.

# %% tags=["exercise"]
row, column = 3, 4

# %% tags=["check"]
rules = study.experiment.grid("laptop", "sound")[0].task.rules
board = play.late(rules, 1, np.random.default_rng(16)).board[0].copy()
before = int((board > 3).sum())
board[row, column : column + 2] = 0
counts = np.bincount(board[board > 3])
exercises.check(
    {
        "every colour lies on an even number of tiles": bool((counts % 2 == 0).all()),
        "two coloured tiles are gone": before - int((board > 3).sum()) == 2,
    }
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# row, column = 1, 1
# ```
#
# The bridge adds one tile to each of two colours, one of either path. No other box has two colours
# that lie on an odd number of tiles.
#
# </details>
#
# ### 2. A fair control: change the width
#
# The 2-simplicial agent has almost five times as many parameters as the relational one. How wide
# must the hidden layer of the relational agent's block be so that both have as many? Change
# `hidden`.

# %% tags=["exercise"]
hidden = 64

# %% tags=["check"]
specs = [one for one in study.experiment.grid("laptop", "sound") if one.part == ""]
model = {one.model.name: one.model for one in specs}
wide = play.build(replace(model["relational"], hidden=hidden), specs[0].task.rules)
theirs = live.parameters(play.build(model["simplicial"], specs[0].task.rules))
exercises.check(
    {"as many parameters, to 1 in 1,000": abs(live.parameters(wide) / theirs - 1) < 1e-3}
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# hidden = 1043
# ```
#
# A hidden unit has 64 weights from the attention, 64 to the entity, and one bias.
#
# </details>
#
# ### 3. More pairs: do they help? No known answer
#
# The paper's agent has two virtual entities, so an entity reads four pairs. Does it learn from
# fewer decisions with more of them? The cell below begins such a run, with a few worlds. An answer
# takes several numbers of virtual entities, half a million decisions each, and as many seeds as
# tell them apart.

# %% tags=["exercise"]
smoke = study.experiment.grid("smoke", "sound")
spec = next(one for one in smoke if one.model.name == "simplicial")
spec = replace(spec, model=replace(spec.model, virtual=4))
plays = 0  # 100 take about a minute
live.seed(spec)
live.play_on(learner(spec, HERE), plays)

# %% [markdown]
# ## Appendices
#
# ### Hyperparameters of the paper
#
# The paper's Table 1 has these.

# %%
settings = published("tab_simplicial_1").sort_index()
study.save_table(settings, "tab_simplicial_1_hyperparameters")
told = settings.set_index("series")["mean"].map("{:g}".format)
told.rename_axis("hyperparameter").to_frame("the paper")

# %% [markdown]
# ### What a large epsilon does
#
# RMSProp divides a gradient $g$ by $\sqrt{s + \epsilon}$, where $s$ is its mean square. The paper
# sets $\epsilon = 0.1$, and its appendix G calls this *smoothed gradient clipping*. For a gradient
# that stays the same, $s = g^2$ and the step is $r\, g/\sqrt{g^2 + \epsilon}$, with the learning
# rate $r$: proportional to $g$ if $g^2$ is far below $\epsilon$, and $r$ at most.

# %%
figure, points = pictures.clipping(steps)
study.save_figure(figure, points, "txt_simplicial_G_clipping")

# %% [markdown]
# *To see, left: the step (solid) follows the cut one (dashed), without its corner. Dotted: without
# epsilon every step is as long. Right: mean squares of gradients while our two agents take single
# steps, as shares of epsilon: the median weight (solid), and what one weight in a thousand is above
# (dotted). Black line: as large as epsilon. RMSProp begins with mean squares of 1, which fade.*

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.say("clipping", steps=steps)

# %% [markdown]
# ### Settings
#
# What the text says, and what we reduced.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
study.save_table(study.settings(), "fig_simplicial_06_settings")
tables.Plain(study.settings())

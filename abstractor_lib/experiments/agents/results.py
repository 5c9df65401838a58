"""Tables of the runs of agents."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from ...records.store import on_gpu
from ...tasks.box_world.play import play
from ...tasks.box_world.policies import POLICIES
from ...tasks.box_world.rules import MOVES, Rules
from ...tasks.randomness import generator
from .grid import SMALL, columns
from .settings import QUANTILES

SCRIPTS = ("anything_once", "boxes_last", "only_key", "even_lock", "even_key", "no_bridge")
AHEAD = "no_leaf"  # where there are no bridges, decoys end in leaves
LEVELS = {"75": 0.75, "90": 0.90}  # metrics ``decisions_to_75`` and ``decisions_to_90``


def learning(records: Iterable[Mapping]) -> pd.DataFrame:
    """A row for each look of each run.

    Returns:
        Columns ``model``, ``variant``, ``size``, ``trial``, ``decisions``, ``minutes`` (of one
        core, up to the look; NaN for runs on a GPU), ``late`` (greedy win rate on late puzzles)
        and ``win_rate`` (of the episodes that ended while it learned).
    """
    rows = []
    for record in records:
        spec, seen = record["spec"], record["curve"]
        if "late" not in seen:
            continue  # single steps and the small world are not tested on late puzzles
        run = {**columns(spec), "trial": spec["trials"]["first"]}
        minutes = _core_seconds(record) / 60 / seen["decisions"][-1]
        for at, late, won in zip(seen["decisions"], seen["late"], seen["win_rate"], strict=True):
            look = {"decisions": at, "minutes": at * minutes, "late": late, "win_rate": won}
            rows.append({**run, **look})
    return pd.DataFrame(rows)


def single_steps(records: Iterable[Mapping]) -> pd.DataFrame:
    """A row for each look of each run in which an agent takes single steps on the actor-learner.

    Returns:
        Columns ``model``, ``trial``, ``steps``, ``win_rate`` (of the episodes that ended since the
        look before), ``entropy`` of the policy as a share of that of a policy that chooses blindly,
        ``epsilon`` of RMSProp, and for each of `QUANTILES` ``square_QUANTILE``: the
        mean square of the gradient that so large a share of the weights stays below, as a share of
        epsilon.
    """
    names = [f"square_{quantile}" for quantile in QUANTILES]
    columns_ = ["model", "trial", "steps", "win_rate", "entropy", "epsilon", *names]
    parts = [pd.DataFrame(columns=columns_)]
    for record in records:
        spec, seen = record["spec"], record["curve"]
        if names[0] not in seen:
            continue
        run = {"model": spec["model"]["name"], "trial": spec["trials"]["first"]}
        run |= {"epsilon": spec["training"]["epsilon"], "steps": seen["decisions"]}
        looks = pd.DataFrame(run | {name: seen[name] for name in ("win_rate", *names)})
        batch = seen["decisions"][0] / seen["update"][0]  # whose losses are summed
        looks["entropy"] = np.divide(seen["entropy"], batch * math.log(len(MOVES)))
        whole = looks["steps"] % looks["steps"].iloc[0] == 0  # the last may come early
        parts.append(looks[whole])
    return pd.concat(parts[1:] or parts, ignore_index=True)[columns_]


def summary(table: pd.DataFrame, records: Iterable[Mapping]) -> pd.DataFrame:
    """A row for each kind of agent: win rates at the end, and what it took to reach a level, the
    median over seeds; said to be not reached where half of them do not."""
    table = table[table["late_greedy"].notna()]
    seconds = {record["run"]: _core_seconds(record) for record in records}
    table = table.assign(seconds=table["run"].map(seconds))
    rows = {}
    for agent, some in table.groupby(["variant", "size", "model"], sort=False):
        row = {"seeds": len(some), "parameters": f"{int(some['parameters'].iloc[0]):,}"}
        row["late, greedy"] = some["late_greedy"].mean()
        row["late, sampled"] = some["late_sampled"].mean()
        for name, level in LEVELS.items():
            taken = some[f"decisions_to_{name}"].astype(float).fillna(np.inf)
            minutes = (taken / some["size"] * some["seconds"] / 60).median()
            told = [f"{taken.median():,.0f}", f"{minutes:.1f}"]
            if np.isnan(minutes):
                told[1] = "on a GPU"
            if np.isinf(taken.median()):
                told = ["not reached", ""]
            row[f"decisions to {level:g}"], row[f"core minutes to {level:g}"] = told
        rows[agent] = row
    found = pd.DataFrame.from_dict(rows, orient="index")
    return found.rename_axis(["sees, answers by", "decisions", "attention"])


def _core_seconds(record: Mapping) -> float:
    """Of one core; NaN for a run on a GPU."""
    return math.nan if on_gpu(record) else record["provenance"]["seconds"]


def engines(table: pd.DataFrame) -> pd.DataFrame:
    """Of the small world, a row an engine: the share of episodes won while it learned, over all of
    them and at the end; the mean, the least and the most of the seeds.

    Example:
        >>> won = {"mean_win_rate": [0.5, 1.0], "last_win_rate": [0.75, 0.75]}
        >>> runs = pd.DataFrame({"variant": "small world, RLlib", **won})
        >>> float(engines(runs).loc["RLlib", "while learning, most"])
        1.0
    """
    metrics = {"while learning": "mean_win_rate", "at the end": "last_win_rate"}
    small = table[table["variant"].str.startswith(SMALL)]
    small = small.reindex(columns=["variant", *metrics.values()])  # a grid may lack these runs
    groups = small.groupby(small["variant"].str.removeprefix(SMALL).rename("engine"))
    shown = {"mean": "mean", "least": "min", "most": "max"}
    return groups.agg(
        **{
            f"{when}, {word}": (metric, name)
            for when, metric in metrics.items()
            for word, name in shown.items()
        }
    )


def scripts(rules: Rules, count: int = 4000) -> pd.DataFrame:
    """What scripts win of late puzzles of a world, and of all its puzzles; in a world without
    bridges these are the same."""
    rows = {}
    for name in SCRIPTS if rules.bridges else (*SCRIPTS[:-1], AHEAD):
        random = generator(0, "agents, scripts")
        found = play(POLICIES[name], rules, 2 * count, random)
        asked = found.kinds[:, 1] > 1 if rules.bridges else np.full(len(found.solved), True)
        rows[name] = found.solved[asked][:count].mean(), found.solved.mean()
    columns = ["late puzzles won", "all puzzles won"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("script")

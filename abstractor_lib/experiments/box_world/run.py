"""Computing one run of the Box World experiment.

Metrics of play: ``win_rate_GROUP`` and ``puzzles_GROUP`` for groups of puzzles: ``all``, ``none``
(without a bridge), ``bridge``, ``first`` and ``late`` (with one whose lock is colour 1, or a later
one), and each type, such as ``112``.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ...records.spec import Spec
from ...tasks.box_world import motifs
from ...tasks.box_world.exact import win_probability
from ...tasks.box_world.play import Played, play
from ...tasks.box_world.policies import POLICIES
from ...tasks.box_world.puzzles import Box, Kind, boxes_of, draw, kinds, probability
from ...tasks.randomness import generator
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..context import Context
from .names import chance, of_group
from .settings import Task, type_name

PART = 50_000  # puzzles drawn at a time, for the sake of memory


def compute(spec: Spec, context: Context) -> Outcome:
    """Play the trials of a spec, or go through the types of puzzles."""
    if spec.model.name == "exact":
        every = kinds(spec.task.rules)
        trials = [exact(kind, spec.task) | wins(kind, spec.model.players) for kind in every]
        shown = chance(spec.model.players[0])
    elif spec.model.name == "wins":
        every = kinds(spec.task.rules)
        trials = [named(kind, spec.task) | wins(kind, spec.model.players) for kind in every]
        shown = chance(spec.model.players[0])
    elif spec.model.name == "types":
        trials = [types(spec, trial) for trial in spec.trials]
        shown = of_group("share", "112")
    else:
        trials = [played(spec, trial, context.device) for trial in spec.trials]
        shown = of_group("win_rate", "all")
    metrics = by_name(trials)
    first = [float(value) for value in metrics[shown][:FIRST_LOSSES]]
    fingerprint = {shown: [1.0, *first]}
    if "steps" in metrics:  # some players always win, each in its own time
        fingerprint["steps"] = metrics["steps"][:FIRST_LOSSES]
    return Outcome(metrics, first, fingerprint=fingerprint)


def played(spec: Spec, trial: int, device: str) -> dict:
    """Win rates of a trial's puzzles, by group; mean reward and primitive steps."""
    task = spec.task
    found = play(
        POLICIES[spec.model.name],
        task.rules,
        spec.training.puzzles,
        generator(trial, "box world"),  # so that players of one trial play the same puzzles
        ties=generator(trial, spec.model.name),
        horizon=task.horizon,
        most=spec.training.most,
        device=device,
    )
    metrics: dict[str, float | None] = {}
    for name, some in groups(found, task):
        count = int(some.sum())
        metrics[of_group("puzzles", name)] = count
        metrics[of_group("win_rate", name)] = float(found.solved[some].mean()) if count else None
    return {
        **metrics,
        "unfinished": int((~found.over).sum()),
        "steps": float(found.steps.mean()),
        "median_steps": float(np.median(found.steps)),
        "reward": float(found.reward.mean()),
    }


def groups(played: Played, task: Task) -> Iterator[tuple[str, np.ndarray]]:
    """Groups of puzzles: name, and which are in it."""
    lock = played.kinds[:, 1]
    yield "all", lock >= 0
    yield "none", lock == 0
    if task.locks == 2:
        yield "bridge", lock > 0
        yield "first", lock == 1
        yield "late", lock >= 2
    every = kinds(task.rules) if task.locks == 2 else map(Kind, range(1, task.longest + 1))
    for kind in every:
        yield type_name(kind), (played.kinds == kind).all(axis=1)


def types(spec: Spec, trial: int) -> dict:
    """How often a trial's puzzles are of each type."""
    rules, count = spec.task.rules, spec.training.puzzles
    random = generator(trial, "types")
    parts = [min(PART, count - done) for done in range(0, count, PART)]
    found = np.concatenate([draw(random, rules, part).kinds for part in parts])
    shares = {
        of_group("share", type_name(kind)): float((found == kind).all(axis=1).mean())
        for kind in kinds(rules)
    }
    return {of_group("puzzles", "all"): count, **shares}


def exact(kind: Kind, task: Task) -> dict:
    """What is true of a type of puzzle, in all states that play can reach.

    ``parity`` and ``thrice``: share of states in which the rule names the bridge and nothing else
    (nothing at all, if there is none); both count keys that are held. ``sources``, ``sinks``: pairs
    at the start; ``_gem``: with the halves of the Gem as boxes. ``pairs_right``: share of pairs
    that hold the bridge, over all states. ``both``: whether a source and a sink are seen at the
    start; ``located``: share of the states with both in which their common box is the bridge;
    ``motifs``: share of all states in which that names the bridge.
    """
    bridge = Box(kind.key, kind.lock)
    wanted = [bridge] if kind.lock else []
    states = list(motifs.states(kind))
    metrics: dict[str, float | None] = {
        **named(kind, task),
        "states": len(states),
        "parity": float(np.mean([motifs.odd_boxes(one) == wanted for one in states])),
        "thrice": float(
            np.mean([motifs.thrice_boxes(one, inventory=True) == wanted for one in states])
        ),
    }
    start, both = motifs.State(tuple(boxes_of(kind)), ()), {}
    for gem in (False, True):
        end = "_gem" if gem else ""
        closed = motifs.boxes(start, gem)
        sources, sinks = len(motifs.sources(closed)), len(motifs.sinks(closed))
        metrics |= {f"sources{end}": sources, f"sinks{end}": sinks}
        both[f"both{end}"] = int(sources > 0 and sinks > 0)
        every = [motifs.boxes(one, gem) for one in states]
        pairs = [pair for some in every for pair in motifs.sources(some) + motifs.sinks(some)]
        right = [bridge in pair for pair in pairs]
        metrics[f"pairs_right{end}"] = float(np.mean(right)) if pairs else None
    common = [
        {*source} & {*sink} == {bridge}
        for one in states
        for source in motifs.sources(motifs.boxes(one, gem=False))
        for sink in motifs.sinks(motifs.boxes(one, gem=False))
    ]
    metrics |= both
    metrics["located"] = float(np.mean(common)) if common else None
    metrics["motifs"] = sum(common) / len(states) if kind.lock else None
    return metrics


def named(kind: Kind, task: Task) -> dict:
    """A type of puzzle, and its probability."""
    return {
        "length": kind.length,
        "lock": kind.lock,
        "key": kind.key,
        "probability": float(probability(kind, task.rules)),
    }


def wins(kind: Kind, players: Iterable[str]) -> dict[str, float]:
    """``win_PLAYER``: how likely players win a puzzle of a type."""
    return {chance(player): float(win_probability(kind, player)) for player in players}

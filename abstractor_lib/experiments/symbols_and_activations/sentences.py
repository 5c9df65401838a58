"""What notebook 18 says of symbols, activations and depth. Words that depend on how runs come out
are chosen from the records."""

import numpy as np

from ...findings.interval import Interval
from ...findings.measures import Frames, NotRun
from ...findings.permutation import paired_interval
from ...findings.sentences import Sentence, listed
from .design import FACTORS
from .measures import factorial
from .results import by_size, cells, effects
from .settings import TASKS, TaskName

NOT_RUN = Sentence("(not run)", False)
MATTERS = 0.05  # of test accuracy, fixed before the runs
AT_CHANCE = 0.02  # above chance level, of a mean accuracy
FACTOR = {"symbols": "kind of symbols", "activation": "relation activation", "depth": "depth"}
TASK: dict[TaskName, str] = {"order": "the order relation", "set": "SET", "sorting": "sorting"}


def answer(frames: Frames) -> Sentence:
    """Which factor matters most on each task, and the spread of every factor."""
    try:
        table = effects(frames)
    except NotRun:
        return NOT_RUN
    main = table[table["term"].isin(FACTORS)].set_index(["task", "term"])
    tops = {task: str(main.loc[task]["spread"].idxmax()) for task in TASKS}
    sure = {
        name: [TASK[task] for task in TASKS if main.loc[(task, name), "low"] > MATTERS]
        for name in FACTORS
    }
    open_ones = {
        name: [
            TASK[task]
            for task in TASKS
            if main.loc[(task, name), "low"] <= MATTERS < main.loc[(task, name), "high"]
        ]
        for name in FACTORS
    }
    parts = [f"the {FACTOR[name]} on {listed(tasks)}" for name, tasks in sure.items() if tasks]
    rest = [f"the {FACTOR[name]} on {listed(tasks)}" for name, tasks in open_ones.items() if tasks]
    undecided = f" Undecided: {'; '.join(rest)}." if rest else ""
    lines = []
    for task in TASKS:
        row = [_spread(main, task, name) for name in FACTORS]
        lines.append(f"| {TASK[task]} | {' | '.join(row)} | {FACTOR[tops[task]]} |")
    return Sentence(
        "**More than {margin:.2f} of test accuracy depends on "
        + ("; on ".join(parts) or "nothing that we can tell")
        + (".** These intervals lie above {margin:.2f} as a whole." if parts else ".**")
        + f"{undecided} The table has the "
        "marginal mean of the best level less that of the worst:\n\n"
        "| task | kind of symbols | relation activation | depth | largest estimate |\n"
        "| --- | --- | --- | --- | --- |\n" + "\n".join(lines) + "\n\n"
        "*Brackets: 95 % intervals over seeds, at once for all pairs of levels of all factors and "
        "tasks (those by training size, further down, have others). In parentheses: best and worst "
        "level. How activations fare on SET was known before "
        "the runs (†).*",
        "symbols_and_activations_activation_on_set.sound holds",
        margin=MATTERS,
    )


def _spread(main, task: str, name: str) -> str:
    row = main.loc[(task, name)]
    found = Interval(row["spread"], row["low"], row["high"], 0)
    return f"{found} ({row['best']}, {row['worst']})"


def interactions(frames: Frames) -> Sentence:
    """Which effects the permutation tests find, and in particular which interactions."""
    try:
        table = effects(frames)
    except NotRun:
        return NOT_RUN
    both = table[~table["term"].isin(FACTORS)]
    found = both[both["holm"] < 0.05]
    named = [f"{row.term} on {TASK[row.task]} (p ≤ {row.holm:.3f})" for row in found.itertuples()]
    said = listed(named)
    known = cells(frames)
    tasks = [task for task in TASKS if task in set(found["task"])]
    tops = {task: _best_by_symbols(known[known["task"].eq(task)]) for task in tasks}
    alike = [f"{one[0]} on {TASK[task]}" for task, one in tops.items() if len(one) == 1]
    closest = min((_least_lead(known[known["task"].eq(task)]) for task in tasks), default=0.0)
    best = (
        f" Which activation has the highest mean did not change with the symbols: {listed(alike)}, "
        "somewhere by no more than {closest:.4f}."
        if len(alike) == len(tops) > 0
        else ""
    )
    pairs = (("learned", "retrieved"), ("linear", "softmax"))
    by_signs = paired_interval(factorial(frames, "sound", "set").double_differences(*pairs))
    chance = frames["sound"].groupby("variant")["chance_accuracy"].mean()
    dead = known[known["mean"] < known["task"].map(chance) + AT_CHANCE]
    where = listed([TASK[task] for task in TASKS if task in set(dead["task"])], "no task")
    return Sentence(
        "**Does it depend on the symbols how much the activation matters?** Of the {count} "
        f"interactions of two factors (three on each task), permutation tests find {said}.{best} "
        "They permute residuals "
        "within seeds ({least} seeds or more), and p is adjusted for all effects of all tasks "
        "(Holm). An interaction that is not found may still be there. The lead of linear "
        "activation over softmax on SET is larger with learned than with retrieved symbols by "
        "{symbols_and_activations_retrieved_and_softmax.sound:.3f}; the claim asks for more than "
        "{margin:.2f}, and its answer hangs on the interval: by changing the signs of the "
        "differences of the {count_seeds} seeds, two of each depth, it is {by_signs:.3f}. **What "
        "speaks against:** of "
        "the {squares} means in the figure below (pairs of symbols and activation, on each task), "
        "{dead} "
        f"are within {AT_CHANCE} of chance level, on {where}. Effects there say above all which "
        "combinations begin to learn within this budget of updates. All runs on SET share one "
        "embedding of the cards.",
        "symbols_and_activations_retrieved_and_softmax.sound holds",
        margin=MATTERS,
        closest=closest,
        by_signs=by_signs,
        count_seeds=by_signs.n,
        count=len(both),
        squares=len(known),
        dead=len(dead),
        least=min(factorial(frames, "sound", task).count for task in TASKS),
    )


def _best_by_symbols(known) -> list[str]:
    """The activations with the highest mean, each once, over kinds of symbols."""
    best = known.loc[known.groupby("symbols")["mean"].idxmax(), "activation"]
    return sorted(set(best))


def _least_lead(known) -> float:
    """The least lead of the best activation over the next one, over kinds of symbols."""
    means = known.pivot(index="symbols", columns="activation", values="mean")
    ranked = np.sort(means.to_numpy(), axis=1)
    return float((ranked[:, -1] - ranked[:, -2]).min())


def sizes(frames: Frames) -> Sentence:
    """Whether the largest effect is the same at each training size."""
    try:
        table = by_size(frames)
    except NotRun:
        return NOT_RUN
    tops = table.loc[table.groupby(["task", "size"])["spread"].idxmax()]
    lines = [
        f"| {TASK[row.task]} | {row.size_:,} | {FACTOR[row.factor]} | "
        f"{Interval(row.spread, row.low, row.high, 0)} |"
        for row in tops.rename(columns={"size": "size_"}).itertuples()
    ]
    same = tops.groupby("task")["factor"].nunique().eq(1).all()
    word = "is the same at both training sizes" if same else "depends on the training size"
    several = listed(
        [TASK[task] for task, some in tops.groupby("task") if len(some) > 1], "no task"
    )
    return Sentence(
        f"**The factor with the largest spread {word} on {several}. Factors whose intervals "
        "overlap may change places:**\n\n"
        "| task | training size | largest | spread |\n| --- | --- | --- | --- |\n"
        + "\n".join(lines),
        "symbols_and_activations_activation_on_set.sound holds",
    )


def practice(frames: Frames) -> Sentence:
    """What a practitioner would do."""
    try:
        table = effects(frames)
    except NotRun:
        return NOT_RUN
    main = table[table["term"].isin(FACTORS)].set_index(["task", "term"])
    wide = cells(frames).pivot(index=["symbols", "activation"], columns="task", values="mean")
    worst = wide.min(axis=1).rename("least").reset_index()
    top = worst.iloc[int(worst["least"].to_numpy().argmax())]
    found = [factorial(frames, "sound", task) for task in TASKS]
    layers = {
        depth: sum(one.level("depth", depth).estimate for one in found) / len(found)
        for depth in FACTORS["depth"]
    }
    depth = max(layers, key=layers.__getitem__)
    chance = float(frames["sound"].groupby("variant")["chance_accuracy"].mean().max())
    first = {task: str(main.loc[task]["spread"].idxmax()) for task in TASKS}
    tunes = listed([f"the {FACTOR[first[task]]} on {TASK[task]}" for task in TASKS])
    return Sentence(
        f"**What would a practitioner do?** Try first what moved most here: {tunes}; where "
        "intervals overlap, another factor may move as much. The factors interact, so choose "
        f"symbols and activation together. With nothing known of a task, take {top['symbols']} "
        f"symbols with the {top['activation']} activation: on its worst task this pair has "
        "{least:.2f}, the highest of all pairs. (It was picked from the same runs, which "
        "flatters it.) "
        f"{str(depth).replace('1', 'One')} layer{'s have' if depth > 1 else ' has'} the highest "
        "marginal mean over the three tasks, {layers:.2f}. Next-best choices may be as good.",
        "symbols_and_activations_retrieved_and_softmax.sound holds",
        "symbols_and_activations_depth.sound holds",
        bool(top["least"] > chance),
        least=top["least"],
        layers=layers[depth],
    )


def came_true(frames: Frames) -> Sentence:
    """What came of what was expected before the runs."""
    try:
        for task in TASKS:
            factorial(frames, "sound", task)
    except NotRun:
        return NOT_RUN
    return Sentence(
        "**What came of it.** That the activation matters most on each task: "
        "{symbols_and_activations_activation_largest.sound:word}. That symbols matter by less than "
        "{margin:.2f} on the order relation: "
        "{symbols_and_activations_symbols_on_order.sound:word}. That relative symbols harm "
        "sorting: {symbols_and_activations_relative_on_sorting.sound:word}. That four layers are "
        "not ahead of one by {margin:.2f} on the order relation and on SET: "
        "{symbols_and_activations_depth.sound:word}.",
        "symbols_and_activations_relative_on_sorting.sound holds",
        margin=MATTERS,
    )

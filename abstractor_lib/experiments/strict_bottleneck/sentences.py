"""What notebook 18 says of the strict bottleneck."""

from collections.abc import Sequence

import pandas as pd

from ...findings.measures import Frames, NotRun
from ...findings.sentences import Sentence, listed
from ...findings.statistics import Interval, mean_interval
from . import measures

NOT_RUN = Sentence("(not run)", False)
STATES = "own_states_network"
CHANGE = 0.02  # of accuracy, the margin of the claims
READ = 0.05  # of a probe's accuracy, likewise
TITLES = {"order": "order", "set": "SET", "sorting": "sorting"}


def cost(frames: Frames) -> Sentence:
    """What masking the diagonal costs in test accuracy."""
    try:
        found = {task: _leads(frames, ["full", "masked"], task) for task in TITLES}
    except NotRun:
        return NOT_RUN
    same = [task for task, points in found.items() if all(_near(one) for _, one in points)]
    costs = [task for task, points in found.items() if any(one.low > CHANGE for _, one in points)]
    gains = [task for task, points in found.items() if any(one.high < -CHANGE for _, one in points)]
    rows = [
        f"| {TITLES[task]} | {label} | {one:.3f} |"
        for task, points in found.items()
        for label, one in points
    ]
    words = [
        f"It costs more than {CHANGE} at some training set size on {_names(costs)}.",
        f"It helps by more than {CHANGE} at some size on {_names(gains)}.",
        f"On {_names(same)} the change is shown to stay below {CHANGE} at every size.",
    ]
    return Sentence(
        "**What masking the diagonal does to test accuracy depends on the task.** "
        + " ".join(words)
        + "\n\n| task | training examples | accuracy with the diagonal less that without |\n"
        "| --- | --- | --- |\n" + "\n".join(rows) + "\n\n"
        "*Paired differences with 95 % intervals, simultaneous over the sizes of a task. "
        "[Notebook 01](01_order_relations.ipynb) asks the same of order in other runs. What "
        "speaks against: one budget of updates for each task, not searched.*",
        len(costs) + len(gains) > 0 or len(same) == len(TITLES),
    )


def leak(frames: Frames) -> Sentence:
    """What a small network reads of an object's own attributes from its abstract state."""
    if "sound" not in frames:
        return NOT_RUN
    table = frames["sound"]
    lines, left, weak, before = [], {}, [], []
    for task, title in TITLES.items():
        rows = table[table["variant"].eq(task)]
        if rows.empty:
            return NOT_RUN
        cells = [_mean(rows, arm, STATES) for arm in ("full", "masked", "strict")]
        cells += [_mean(rows, arm, STATES) for arm in ("pairs", "pairs_masked")]
        cells += [_mean(rows, "full", one) for one in ("own_answer_linear", "own_chance")]
        shown = " | ".join("" if one is None else f"{one.estimate:.2f}" for one in cells)
        lines.append(f"| {title} | {shown} |")
        needs, level = cells[5], rows["own_chance"].mean()
        if cells[1] is not None and needs is not None and cells[1].high < needs.estimate:
            weak.append(task)
        arms = {"full": "with the diagonal", "masked": "without", "strict": "without biases too"}
        untrained = {arm: _mean(rows, arm, "own_untrained_network") for arm in arms}
        more_before = [
            f"{arms[arm]} {one.estimate:.2f}"
            for (arm, one), now in zip(untrained.items(), cells, strict=False)
            if one is not None and now is not None and one.low > now.high
        ]
        if more_before:
            before.append(f"on {title} {listed(more_before)}")
        level = level if needs is None else max(level, needs.estimate)
        left[task] = cells[1] is not None and bool(cells[1].low > level + READ)
    more, no_more = ([task for task in left if left[task] is one] for one in (True, False))
    rest = f"; on {_names(no_more)} no more than that" if no_more else ""
    return Sentence(
        f"**Without the diagonal, an object's abstract state tells more of its own attributes than "
        f"the task's answer does on {_names(more)}{rest}.** More means that the accuracy of a "
        "small network that reads them is more than {read:.2f} above that of the answer, and above "
        "chance level. The mean accuracies over trials and sizes:\n\n"
        "| | inner products | no diagonal | no diagonal, no biases | MLP of pairs | MLP, no "
        "diagonal | the task's answer | chance |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n" + "\n".join(lines) + "\n\n"
        "*MLP of pairs: relations are a network of two objects' features together. The task's "
        "answer: the order of the pair; the agreement of the cards; the place in the sorted "
        "sequence.* **What speaks against:** a probe that fails "
        "does not show that nothing is there, and what a probe reads the model need not use."
        + f" From inner products without the diagonal it reads, on {_names(weak)}, less than the "
        "answer itself tells."
        * bool(weak)
        + f" Here it reads more before training than after: {'; '.join(before)}." * bool(before),
        "strict_bottleneck_set_leak.sound holds",
        "strict_bottleneck_set_strict_leaks.sound holds",
        bool(more),
        read=READ,
    )


def practice(frames: Frames) -> Sentence:
    """What a practitioner would do."""
    try:
        found = {task: _leads(frames, ["full", "masked"], task) for task in TITLES}
    except NotRun:
        return NOT_RUN
    needs = [task for task, points in found.items() if any(one.low > CHANGE for _, one in points)]
    gains = [task for task, points in found.items() if any(one.high < 0 for _, one in points)]
    better = (
        f" It was more accurate without on {_names(gains)} with some training set sizes: try both."
    )
    advice = (
        f"**Keep the diagonal unless a bottleneck is the purpose.** Without it the Abstractor was "
        f"less accurate on {_names(needs)} with some training set size."
        if needs
        else "**The diagonal may go: on none of the three tasks it was shown to be needed.**"
    )
    return Sentence(
        advice
        + better * bool(gains)
        + " Who needs a strict bottleneck has to leave out the biases before the relations "
        "and the mean of the objects too: the relations of an object to many others hold its inner "
        "product with their mean, which is a feature of it alone. A mask alone makes neither "
        "inner products with biases strict nor an MLP of pairs. This is needed and may not be "
        "enough. On SET a network reads attributes with an accuracy of {masked:.2f} from states "
        "without the diagonal and {strict:.2f} without biases too; objects less their mean were "
        "not tried. What passes through a strict bottleneck on another task is told below.",
        bool(needs) or all(one.low <= CHANGE for points in found.values() for _, one in points),
        **{arm: _on_set(frames, arm) for arm in ("masked", "strict")},
    )


def came_true(frames: Frames) -> Sentence:
    """What came of what was expected before the runs."""
    if "sound" not in frames:
        return NOT_RUN
    return Sentence(
        "**What came of it.** That masking costs more than 0.05 on the order relation at every "
        "size: {strict_bottleneck_order_cost.sound:word}. That it changes the accuracy on SET and "
        "sorting by less than {change} at every size: {strict_bottleneck_no_cost.sound:word}.",
        "strict_bottleneck_no_cost.sound fails",
        change=CHANGE,
    )


def _on_set(frames: Frames, arm: str) -> float:
    rows = frames["sound"]
    return float(rows.loc[rows["variant"].eq("set") & rows["model"].eq(arm), STATES].mean())


def _leads(frames: Frames, arms: list[str], task: str) -> list[tuple[str, Interval]]:
    """Paired differences of test accuracy, by training examples."""
    found = measures.accuracy_lead(frames, "sound", arms=arms, tasks=[task]).points
    return [(one.label.split("n = ")[1].split(",")[0], one.interval) for one in found]


def _near(one: Interval) -> bool:
    return max(-one.low, one.high) < CHANGE


def _names(tasks: Sequence[str]) -> str:
    return listed([TITLES[one] for one in tasks], "no task")


def _mean(rows: pd.DataFrame, arm: str, metric: str) -> Interval | None:
    """Over trials, each the mean over its sizes; None without two trials."""
    values = rows[rows["model"].eq(arm)].groupby("trial")[metric].mean().dropna()
    return mean_interval(values, within=(0.0, 1.0)) if len(values) > 1 else None

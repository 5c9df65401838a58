"""Tables of the notebook on mathematics problems."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from ....experiments.mathematics import measures
from ....experiments.mathematics.measures import METRIC
from ....experiments.mathematics.settings import AFTER_EPOCH, BLIND, FAIR, NAMES, PAPER, TASKS
from ....findings.statistics import Interval
from ....records.frame import unfold
from ....tasks import mathematics
from .answers import MARKS, verdict, written
from .runs import Runs

QUESTIONS, EPOCHS = 2_000_000, 50  # of the paper: questions of a task, passes over them


def examples(tasks: Mapping[str, str], count: int = 2) -> pd.DataFrame:
    """The first validation questions of tasks, with their answers."""
    rows = []
    for name, title in tasks.items():
        some = mathematics.load(name, "validation", count)
        for question, answer in zip(some.question_texts(), some.answer_texts(), strict=True):
            rows.append({"task": title, "question": question, "answer": answer})
    return pd.DataFrame(rows)


def budgets(runs: Runs) -> pd.DataFrame:
    """How long each task is trained, and which share that is of the paper's training."""
    rows = [(name, spec.task.train, runs.budget[name]) for name, spec in runs.wanted.items()]
    table = pd.DataFrame(rows, columns=["task", "training questions", "updates"])
    seen = table["updates"] * next(iter(runs.wanted.values())).training.batch_size
    table["times each question is seen"] = (seen / table["training questions"]).round(1)
    table["share of the paper's updates"] = (seen / (EPOCHS * QUESTIONS)).map("{:.2%}".format)
    return table


def accuracies(runs: Runs) -> pd.DataFrame:
    """What the last weights of each run reach, seed by seed."""
    if runs.table is None:
        found = pd.DataFrame({"task": runs.tasks, "model": "not run"})
    else:
        names = {METRIC: "teacher-forced accuracy", "exact_match_accuracy": "exact match"}
        names |= {"equal_accuracy": "equal"}
        found = runs.table.rename(columns=names).replace({"model": NAMES})
        found = found.pivot_table(list(names.values()), ["variant", "model"], "trial", sort=False)
        found.columns = [f"{metric}, seed {trial}" for metric, trial in found.columns]
        found = found.reset_index().rename(columns={"variant": "task"})
    return found.assign(updates=found["task"].map(runs.budget))


def of_paper(paper: pd.DataFrame, tasks: Iterable[str]) -> pd.DataFrame:
    """The paper's accuracy after its first, fifth and last epoch."""
    told = paper[paper["x"].isin([1, 5, EPOCHS])].copy()
    told[["task", "model"]] = told["series"].str.split(", ", expand=True)
    told = told.pivot(index=["task", "model"], columns="x", values="mean").add_prefix("epoch ")
    return told.loc[list(tasks)].reset_index()


def left_out(
    frames: Mapping[str, pd.DataFrame], others: Mapping[str, str]
) -> dict[str, dict[str, Interval]]:
    """Mean difference over tasks between the Abstractor and each other model: of all tasks in which
    something was learned, without each of these, and of all five."""
    found = {}
    for name, title in others.items():
        models = ["abstractor", name]
        most = measures.over_tasks(frames, "described", models=models).points[0].interval
        rest = measures.without_each_task(frames, "described", models=models)
        row = {f"{len(rest)} tasks": most} | {f"without {task}": rest[task] for task in rest}
        first, second = (measures.by_task(frames, "described", model) for model in models)
        found[title] = row | {"all five": measures.between(first, second)}
    return found


def left_out_table(
    differences: Mapping[str, Mapping[str, Interval]], others: Mapping[str, str]
) -> pd.DataFrame:
    """The differences of `left_out` as text, or "not run"."""
    if not differences:
        return pd.DataFrame({"Abstractor minus": list(others.values()), "all": "not run"})
    told = {
        title: {name: f"{one:.3f}" for name, one in row.items()}
        for title, row in differences.items()
    }
    return pd.DataFrame(told).T.rename_axis("Abstractor minus").reset_index()


def time(records: Iterable[dict], columns: Callable[[dict], dict], runs: Runs) -> pd.DataFrame:
    """Milliseconds of one core an update, of the slower of two seeds.

    Args:
        records: of the runs.
        columns: what tables call a run, from its spec.
    """
    each = [columns(one["spec"]) | one["provenance"] for one in records]
    found = pd.DataFrame(each, columns=["model", "variant", "seconds"])
    found = found[found["model"].isin(NAMES)].pivot_table("seconds", "model", "variant", "max")
    found = (found / pd.Series(runs.budget) * 1000).reindex(index=list(NAMES), columns=runs.tasks)
    return found.rename(NAMES).rename_axis("milliseconds an update").round(0).reset_index()


def epochs(runs: Runs) -> pd.DataFrame:
    """Accuracy after each whole epoch, seed by seed, or "not run"."""
    models, names = [*FAIR, BLIND], NAMES | {BLIND: "Transformer, blank questions"}
    if runs.ends is None or runs.seen is None:
        table = pd.DataFrame({"model": [names[one] for one in models]})
        return table.assign(**{f"epoch {n}": "not run" for n in (1, 2, 3)})
    by = ["model", "trial"]
    last = runs.seen[runs.seen["update"] > runs.seen["update"].max() * 2 / 3]
    last = last.groupby(by)["validation_accuracy"].mean().rename("mean of the looks of epoch 3")
    right = runs.ends.set_index(by)["exact_match_accuracy"].rename("exact match")
    after = unfold(runs.ends, AFTER_EPOCH).pivot(index=by, columns="epoch", values="value")
    after = after.add_prefix("epoch ").join([right, last])
    after = after.unstack("trial").loc[models].rename(names)
    after.columns = [f"{title}, seed {trial}" for title, trial in after.columns]
    return after.reset_index()


def learning(
    texts: Mapping[str, pd.DataFrame], questions: Sequence[str], right: Sequence[str]
) -> pd.DataFrame:
    """What some models write at each look, below the right answers.

    Args:
        texts: model -> its answers, of `written`.
    """
    rows = [pd.DataFrame({"right answer": list(right)}, index=list(questions)).T]
    for name, one in texts.items():
        rows.append(one.set_axis([f"{NAMES[name]}, {n:,} updates" for n in one.index]))
    return pd.concat(rows).rename_axis("who")


def checked(pairs: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """Answers beside right ones, and what the checker says."""
    table = pd.DataFrame(pairs, columns=["answer", "right answer"])
    return table.assign(**{"is": [verdict(*pair) for pair in table.itertuples(index=False)]})


def worked(runs: Runs, tokens: Callable[[str, str], np.ndarray]) -> pd.DataFrame:
    """What the paper's models write at the end to the questions shown, each with its verdict.

    Args:
        tokens: of the answers at each look, by model and task.
    """
    rows, names = [], {title: name for name, title in TASKS.items()}
    for task, spec in runs.wanted.items() if runs.table is not None else ():
        asked = mathematics.load(names[task], "validation", spec.task.shown)
        for model in PAPER:
            found = written(tokens(model, task)[-1:], [0], asked.question_texts()).iloc[0]
            for (question, given), right in zip(found.items(), asked.answer_texts(), strict=True):
                row = {"task": task, "model": NAMES[model], "question": question}
                row |= {"right answer": right, "written": given}
                rows.append(row | {"verdict": verdict(given, right)})
    columns = ["task", "model", "question", "right answer", "written", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def solved_and_not(worked: pd.DataFrame, tasks: Sequence[str]) -> pd.DataFrame:
    """Of each task the first question that some model answers rightly or equally, and the first
    that none does, with the mark of each answer."""
    names = [NAMES[name] for name in PAPER]
    marked = worked.assign(written=worked["verdict"].map(MARKS) + " " + worked["written"])
    index = ["task", "question", "right answer"]
    wide = marked.pivot(index=index, columns="model", values="written")
    wide = wide.reindex(columns=names).reset_index()
    wrong = wide[names].apply(lambda one: one.str.startswith("✗")).all(axis=1)
    wide = wide.assign(solved=~wrong.astype(bool), at=wide["task"].map(list(tasks).index))
    wide = wide.sort_values(["at", "solved"], ascending=[True, False], kind="stable")
    first = wide.groupby(["at", "solved"], sort=False).head(1)
    return first.drop(columns=["at", "solved"])


def contexts(runs: Runs) -> pd.DataFrame:
    """Accuracy of trained Abstractors with both contexts and with one, and of models that were
    trained without one; means over seeds."""
    parts = {METRIC: "both contexts", "without_encoder_accuracy": "nothing from the encoder"}
    parts |= {"without_abstractor_accuracy": "nothing from the Abstractor"}
    trained = {"abstractor_only": "trained without the encoder"}
    trained |= {"transformer": "trained without the Abstractor"}
    if runs.table is None:
        return pd.DataFrame({"task": runs.tasks}).reindex(columns=["task", *parts.values()])
    both = runs.table[runs.table["model"].eq("abstractor")].rename(columns=parts)
    both = both.groupby("variant", sort=False)[list(parts.values())].mean()
    missing = runs.table.pivot_table(METRIC, "variant", "model").rename(columns=trained)
    both = both.join(missing[list(trained.values())]).loc[runs.tasks]
    return both.reset_index().rename(columns={"variant": "task"})

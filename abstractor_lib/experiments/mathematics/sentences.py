"""What notebook 12 says of its records."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import pairwise
from statistics import mean

import pandas as pd

from ...findings import by_seed
from ...findings.measures import Frames, NotRun
from ...findings.published import published
from ...findings.sentences import Sentence
from ...findings.statistics import Interval
from ...tasks.mathematics import Problems, equal
from .measures import METRIC, learned
from .settings import BLIND, FAIR, NAMES, PAPER, TASKS

DEEP, NEXT, LINEAR, *_ = TASKS.values()
CLAIM = "mathematics_{}.described {}"


def _of_records(sentence: Callable[..., Sentence]) -> Callable[..., Sentence]:
    """A sentence that says so where there are no records."""

    @wraps(sentence)
    def said(frames: Frames, **computed) -> Sentence:
        if "described" not in frames:
            return Sentence("*Not run.*", False)
        return sentence(frames, **computed)

    return said


@_of_records
def averages(frames: Frames) -> Sentence:
    """The Abstractor minus three other models, on average over tasks."""
    present, tasks = _tasks(frames), _learned(frames)
    others = ("abstractor_over_transformer", "abstractor_over_transformer_plus")
    rows = zip(
        ("Transformer", "Transformer+", "deeper Transformer"),
        (*others, "over_the_deeper_transformer"),
        (_gap("Abstractor", "Transformer"), _gap("Abstractor", "Transformer+"), "not run"),
        strict=True,
    )
    table = "\n".join(
        f"| {title} | {{mathematics_{claim}.described:.3f}} | "
        f"{{mathematics_{claim}.described:word}} | {gap} |"
        for title, claim, gap in rows
    )
    return Sentence(
        "**These short runs do not show that the Abstractor helps.** Its teacher-forced accuracy "
        "is the share of right characters when the model reads the true answer so far. The table "
        "shows by how much it differs from that of three Transformers, on average over {count} "
        "tasks (left out, as nothing was learned: {left_out}):\n\n"
        "| compared with | the Abstractor minus that model | is the Abstractor ahead? | "
        "in the paper: five tasks, larger models, more data |\n| --- | --- | --- | --- |\n" + table,
        *(CLAIM.format(one, "undecided") for one in (*others, "over_the_deeper_transformer")),
        count=len(tasks),
        left_out=", ".join(one for one in present if one not in tasks) or "none",
    )


@_of_records
def encoder_is_needed(frames: Frames) -> Sentence:
    """The Abstractor minus the Abstractor alone."""
    means = _means(frames, METRIC).reindex(columns=["abstractor", "abstractor_only"])
    gaps = (means["abstractor"] - means["abstractor_only"]).reindex(_learned(frames))
    counts = _parameters(frames)
    return Sentence(
        "**A decoder that attends to the encoder too is more accurate early in training, by "
        "{mathematics_encoder_is_needed.described:.3f}.** It is compared with a decoder that "
        "attends to the Abstractor alone. So that model has relations of characters and no "
        "characters to copy, one cross-attention less, and {fewer:.0%} fewer parameters. The "
        "difference is a mean over tasks, of "
        "{mathematics_encoder_is_needed.described:trials} trained models of each kind, two a task; "
        "{share:.0%} of it comes from differentiation and next terms.",
        CLAIM.format("encoder_is_needed", "holds"),
        gaps.reindex([DEEP, NEXT]).sum() > gaps.sum() / 2,
        fewer=1 - counts["abstractor_only"] / counts["abstractor"],
        share=gaps.reindex([DEEP, NEXT]).sum() / gaps.sum(),
    )


@_of_records
def in_depth(frames: Frames) -> Sentence:
    """Both seeds of each model on the two tasks that are trained longest."""
    table = _short(frames)
    ahead = [
        (DEEP, "abstractor", "transformer"),
        (DEEP, "transformer_plus", "abstractor"),
        (NEXT, "transformer_deep", "abstractor"),
    ]
    cells = {task: _both_seeds(table, task) for task in (DEEP, NEXT)}
    rows = "\n".join(
        f"| {title} | {cells[DEEP].get(name, 'not run')} | {cells[NEXT].get(name, 'not run')} |"
        for name, title in NAMES.items()
    )
    updates = {task: _updates(frames).get(task, 0) for task in (DEEP, NEXT)}
    return Sentence(
        "**On the two tasks with the longest training no model is clearly best.** On "
        "differentiation both seeds of the Abstractor are ahead of both seeds of the Transformer. "
        "They are behind both of Transformer+. On next terms they are behind both of the deeper "
        "Transformer.\n\n"
        "| accuracy of two seeds | differentiate, {deep:,} updates | next term, {next:,} updates "
        "|\n| --- | --- | --- |\n" + rows,
        *(by_seed.all_ahead(table, METRIC, *one) for one in ahead),
        deep=updates[DEEP],
        next=updates[NEXT],
    )


@_of_records
def whole_answers(frames: Frames) -> Sentence:
    """Exact match by task, and what is learned of linear equations."""
    table = _short(frames)
    alone, deep = table["model"].eq("abstractor_only"), table["variant"].eq(DEEP)
    exact = table["exact_match_accuracy"]
    ahead = table.loc[table["variant"].eq(LINEAR), METRIC].max() - _floor(frames).get(LINEAR, 0)
    low, high, rest = exact[deep & ~alone].min(), exact[deep & ~alone].max(), exact[~deep].max()
    return Sentence(
        "**On differentiation {low:.0%} to {high:.0%} of whole answers are right, by model and "
        "seed.** The Abstractor alone gets none right. On the other tasks no run gets more than "
        "{rest:.1%} right. On linear equations nothing is learned: no run ends more than "
        "{ahead:.3f} above a Transformer that sees no question.",
        bool(exact[deep & alone].max() == 0),
        bool(rest < low),
        bool(ahead < 0.02),
        low=low,
        high=high,
        rest=rest,
        ahead=ahead,
    )


@_of_records
def blank_questions(frames: Frames) -> Sentence:
    """What a Transformer reaches that sees no question."""
    floor, own = _floor(frames), _means(frames, METRIC)["abstractor"]
    tasks = [task for task in _tasks(frames) if task in floor]
    shares = [floor[task] / own[task] for task in tasks]
    blank = frames["described"].query("model == @BLIND and variant in @tasks")["updates"].max()
    most = max(_updates(frames)[task] for task in tasks)
    least = min(_updates(frames)[task] for task in tasks)
    head, rule = " | ".join(tasks), "| --- " * (1 + len(tasks)) + "|"
    rows = {"Transformer, blank questions": floor, "Abstractor": own}
    body = "\n".join(
        f"| {title} | " + " | ".join(f"{some[task]:.2f}" for task in tasks) + " |"
        for title, some in rows.items()
    )
    return Sentence(
        "**Much of teacher-forced accuracy needs no question.** A Transformer whose questions are "
        "blank reaches {low:.0%} to {high:.0%} of the Abstractor's accuracy, by task:\n\n"
        f"| mean of two seeds | {head} |\n{rule}\n{body}\n\n"
        "The blank model makes {blank:,} updates on each task; the Abstractor makes {least:,} to "
        "{most:,}.",
        min(shares) > 0.4,
        low=min(shares),
        high=max(shares),
        blank=int(blank),
        least=least,
        most=most,
    )


def sizes(frames: Frames) -> Sentence:
    """How many parameters Transformer+ and the deeper Transformer have."""
    from .run import parameter_counts  # takes torch

    text, code = (parameter_counts(name) for name in ("described", "published"))
    ratios = [one["transformer_plus"] / one["abstractor"] for one in (text, code)]
    return Sentence(
        "**Transformer+ is larger than the Abstractor: it has {by_text:.2f} times the parameters "
        "with the sizes of the text, and {by_code:.2f} times with those of the public code.** The "
        "text sets the key width of a head to 32, in Transformer+ too. In the code it is the model "
        "width.\n\n**The deeper Transformer is exactly as large as the Abstractor, with {deep:,} "
        "parameters.** It is a Transformer with a second decoder layer, with the sizes of the "
        "text. Both have three blocks on the longest path: encoder, Abstractor and decoder, or "
        "encoder and two decoder layers.",
        CLAIM.format("parameter_counts", "holds"),
        text["abstractor"] == text["transformer_deep"],
        by_text=ratios[0],
        by_code=ratios[1],
        deep=text["abstractor"],
    )


def figure_6(frames: Frames, linear: Problems) -> Sentence:
    """The examples of the paper's Figure 6, and linear equations of the data set."""
    asked, answered = linear.question_texts(), linear.answer_texts()
    return Sentence(
        "**Both answers in the paper's Figure 6 are right, by the checker of this notebook:** "
        "`Expand (2*x + 3)*(x - 1)` gives `2*x**2 + x - 3`, and `Solve for z: 5*z + 2 = 9` gives "
        "`7/5`. None of the first {count} linear equations of the data set is like it: none begins "
        'with "Solve for", and none has a fraction for an answer.',
        equal("(2*x + 3)*(x - 1)", "2*x**2 + x - 3") and equal("5*(7/5) + 2", "9"),
        not any(one.startswith("Solve for") for one in asked),
        not any("/" in one for one in answered),
        count=len(linear),
    )


def transformers_of_paper(frames: Frames, paper: pd.DataFrame) -> Sentence:
    """Where the paper's larger Transformer ends below its smaller one."""
    last = paper[paper["x"].eq(paper["x"].max())].copy()
    last[["task", "model"]] = last["series"].str.split(", ", expand=True)
    wide = last.pivot(index="task", columns="model", values="mean")
    below = wide[wide["Transformer+"] < wide["Transformer"]]
    worst = (wide["Transformer+"] - wide["Transformer"]).idxmin()
    return Sentence(
        "**In the paper's values Transformer+ ends below the Transformer in one of five tasks** "
        "({task}: {larger:.3f} against {smaller:.3f}). v3 says that the larger Transformer *tends* "
        "to be better.",
        len(below) == 1,
        task=worst,
        larger=wide.loc[worst, "Transformer+"],
        smaller=wide.loc[worst, "Transformer"],
    )


@_of_records
def ahead_by_seed(frames: Frames) -> Sentence:
    """In how many comparisons both seeds of one model are ahead."""
    others = {name: NAMES[name] for name in NAMES if name not in ("abstractor", "abstractor_only")}
    apart = by_seed.pairs(_short(frames), "abstractor", others, _tasks(frames), METRIC)
    rows = []
    for title in others.values():
        ahead, behind, count = by_seed.one_sided(apart[apart["other"].eq(title)])
        rows.append(f"| {title} | {ahead} | {behind} | {count - ahead - behind} |")
    ahead, behind, count = by_seed.one_sided(apart)
    return Sentence(
        "In how many tasks are both seeds of the Abstractor ahead of both seeds of another "
        "model?\n\n| other model | both ahead | both behind | mixed |\n| --- | --- | --- | --- |\n"
        + "\n".join(rows)
        + "\n\nIf two models were equally good, we would expect a sixth, a sixth and two thirds. "
        "(Comparisons share the Abstractor's seeds, so this is no test.)",
        0 < ahead + behind < count,
    )


def without_one_task(
    frames: Frames,
    differences: Mapping[str, Mapping[str, Interval]],
    history: pd.DataFrame | None,
) -> Sentence:
    """Whether one task decides the averages; and a drop at the end of a run.

    Args:
        differences: other model -> what is left out -> the Abstractor minus that model.
        history: what was seen during runs, a row a look.
    """
    if not differences or history is None:
        return Sentence("*Not run on all five tasks.*", False)
    found = [(title, name, one) for title, row in differences.items() for name, one in row.items()]
    apart = [one for one in found if one[2].low * one[2].high > 0]
    run = history[history["variant"].eq(LINEAR) & history["model"].eq("transformer")]
    run = run.pivot(index="update", columns="trial", values="validation_accuracy")
    before, low = run[run.iloc[-1].idxmin()].iloc[-2:]
    row = differences["Transformer"]
    return Sentence(
        "**Leaving out one task does not decide who is ahead: {count} of these {of} intervals hold "
        "zero.** The exception: {which}.\n\nOne Transformer run on linear equations dropped "
        "at its end, from {before:.3f} to {low:.3f}. With that task the mean lead of the "
        "Abstractor over the Transformer is {five:.3f}; without it, {most:.3f}.",
        len(apart) == 1,
        bool(before - low > 0.05),
        count=len(found) - len(apart),
        of=len(found),
        which="; ".join(f"minus {title}, {name}: {one:.3f}" for title, name, one in apart),
        low=low,
        before=before,
        five=row["all five"],
        most=next(iter(row.values())),
    )


def time(frames: Frames, minutes: pd.DataFrame) -> Sentence:
    """How many updates other models make while the Abstractor makes one.

    Args:
        minutes: time an update, a row a model, a column a task.
    """
    cost = minutes.set_index(minutes.columns[0])
    small, deep = (
        cost.loc["Abstractor"] / cost.loc[name] for name in ("Transformer", "deeper Transformer")
    )
    return Sentence(
        "**While the Abstractor makes one update, the Transformer makes {low:.1f} to {high:.1f}, "
        "depending on the task.** The deeper Transformer makes {deep_low:.1f} to {deep_high:.1f}. "
        "All comparisons here are at equal updates. Accuracy at equal time was not compared.",
        bool(small.min() > 1),
        bool(deep.min() > 1),
        low=small.min(),
        high=small.max(),
        deep_low=deep.min(),
        deep_high=deep.max(),
    )


def logged_lead(frames: Frames, paper: pd.DataFrame) -> Sentence:
    """From which epoch the logged Abstractor leads both Transformers on linear equations."""
    logs = paper[paper["series"].str.startswith(f"{LINEAR}, ")]
    logs = logs.pivot(index="x", columns="series", values="mean")
    logs = logs[[f"{LINEAR}, {NAMES[name]}" for name in PAPER]].set_axis(list("abc"), axis=1)
    lead = logs["a"] - logs[["b", "c"]].max(axis=1)
    return Sentence(
        "**In the authors' logs the Abstractor leads both Transformers by more than 0.01 from the "
        "third epoch on.** Accuracy on linear equations is then {a:.3f}, that of the Transformer "
        "{b:.3f}, that of Transformer+ {c:.3f}. (Their models are larger and also read padding.)",
        bool(lead[2] < 0.01),
        bool((lead[3:] > 0.01).all()),
        **logs.loc[3],
    )


def epochs(frames: Frames) -> Sentence:
    """What two seeds show after three epochs of linear equations."""
    variant = f"{LINEAR}, 3 epochs"
    rows = frames.get("described", pd.DataFrame({"variant": []}))
    there = (
        set(rows.loc[rows["variant"].eq(variant), "model"]) >= {*FAIR, BLIND} if len(rows) else 0
    )
    others = ("transformer", "transformer_plus", "the_deeper_transformer")
    claims = [f"epochs_over_{one}" for one in others]
    claims += ["epochs_larger_transformer"]
    verdict = "undecided" if there else "not run"
    because = [CLAIM.format(one, verdict) for one in (*claims, "epochs_something_is_learned")]
    if not there:
        return Sentence("*Not run: some runs of three epochs are not there yet.*", *because)
    titles = ("the Abstractor minus the Transformer", "minus Transformer+")
    titles += ("minus the deeper Transformer", "Transformer+ minus the Transformer")
    body = "\n".join(
        f"| {title} | {{mathematics_{claim}.described:.3f}} |"
        for title, claim in zip(titles, claims, strict=True)
    )
    last = "epoch_3_accuracy"
    expected = [("abstractor", "transformer"), ("abstractor", "transformer_plus")]
    expected += [("transformer_deep", "abstractor")]
    return Sentence(
        "**After three epochs the Abstractor is ahead of both Transformers of the paper, and "
        "behind the one with as many parameters.** So it is for each of two seeds against each. "
        "Two seeds of one task decide nothing: each claim is undecided.\n\n"
        "| accuracy after epoch 3 | difference, Welch's 95 % interval |\n| --- | --- |\n" + body,
        *because,
        *(by_seed.all_ahead(rows, last, variant, *one) for one in expected),
    )


def after_three_epochs(frames: Frames) -> Sentence:
    """The outcome of `epochs`, beside the answer."""
    told = epochs(frames)
    if told.text.startswith("*Not run"):
        return told
    return Sentence(
        "**After three epochs of linear equations both seeds of the Abstractor are ahead of both "
        "seeds of each Transformer of the paper, and behind both of the deeper one.** Two seeds "
        "of one task decide nothing; *Linear equations for three epochs* has the numbers.",
        *told.because,
    )


def names_are_copied(frames: Frames, known: Mapping[str, pd.DataFrame]) -> Sentence:
    """Whether answers name variables of their questions alone.

    Args:
        known: model -> a row a look, a column a question: 1 or 0, NaN where nothing is named.
    """
    halves = {}
    for model in ("abstractor", "abstractor_only") if known else ():
        rows = known[model]
        for half, part in enumerate((rows[: len(rows) // 2], rows[len(rows) // 2 :])):
            halves[model, half] = int(part.sum().sum()), int(part.count().sum())
    told = {pair: f"{right} of {count}" for pair, (right, count) in halves.items()}
    body = "\n".join(
        f"| {NAMES[model]} | {told.get((model, 0), '')} | {told.get((model, 1), '')} |"
        for model in ("abstractor", "abstractor_only")
    )
    (right, count), (both, of) = (
        halves.get((model, 0), (0, 0)) for model in ("abstractor_only", "abstractor")
    )
    return Sentence(
        "**Without the encoder's states the decoder does not copy names at first.** The table "
        "counts answers that name variables of their question alone, among those that name any:"
        "\n\n| | first half of training | second half |\n| --- | --- | --- |\n" + body + "\n\n"
        "This fits a module that passes on relations between characters, and not the characters: a "
        "name has to be copied. It would also fit a model that has learned less in all. (Five "
        "questions at each look, one seed: these answers are not independent. An illustration.)",
        right * of < both * count,
    )


def few_answers(frames: Frames, worked: pd.DataFrame) -> Sentence:
    """How many different answers to linear equations models write.

    Args:
        worked: answers, a row each, with ``task``, ``model`` and ``written``.
    """
    each = worked[worked["task"].eq(LINEAR)].groupby("model")["written"].nunique()
    most = each.max() if len(each) else 0
    return Sentence(
        "**On linear equations answers hardly depend on the question yet.** No model of the table "
        "writes more than {most} different answers to the five questions.",
        bool(0 < most < 3),
        most=most,
    )


def reads_on(
    frames: Frames,
    places: Sequence[int],
    looked: pd.DataFrame,
    right: str,
) -> Sentence:
    """Where the decoder looks while it writes.

    Args:
        places: of the largest weight on the encoder's states, for each character of the answer.
        looked: a row a character: what is written, and the largest weight by context.
        right: answer.
    """
    steps = [later >= now for now, later in pairwise(places)]
    names = [f"weight, {one}" for one in ("encoder", "abstractor")]
    narrow, wide = (mean(looked[one]) if one in looked else 0.0 for one in names)
    return Sentence(
        "**In the encoder's states the decoder goes through the question from left to right.** "
        "From one character of the answer to the next, the place of its largest weight moves on, "
        "or stays, in {forward} of {steps} steps. In the Abstractor's states the weights are "
        "spread more widely: the mean of the largest weights is {wide:.2f}, and {narrow:.2f} in "
        "the encoder's. The answer is `{written}`; right is `{right}`.",
        sum(steps) > 0.7 * len(steps),
        bool(wide < narrow),
        forward=sum(steps),
        steps=len(steps),
        wide=wide,
        narrow=narrow,
        written="".join(looked["writes"]).rstrip(";"),
        right=right,
    )


@_of_records
def two_branches(frames: Frames) -> Sentence:
    """What trained models lose without one of two contexts."""
    names = [METRIC, "without_encoder_accuracy", "without_abstractor_accuracy"]
    own = _short(frames)
    own = own[own["model"].eq("abstractor")].groupby("variant")[names].mean()
    own = own.reindex(_learned(frames)).mean()
    counts = _parameters(frames)
    lost = "{mathematics_both_contexts_are_used.described:.3f}"
    return Sentence(
        "**Of the two branches that the conjecture names, only the encoder is shown to be "
        "needed.** That speaks for a Transformer as well.\n\n"
        "| accuracy that is lost, mean over tasks | without the encoder | without the Abstractor |"
        "\n| --- | --- | --- |\n"
        "| zeros in a trained model | {encoder:.3f} | {abstractor:.3f} |\n"
        "| trained without | {mathematics_encoder_is_needed.described:.3f} | "
        "{mathematics_abstractor_over_transformer.described:.3f} |\n\n"
        "That zeros cost accuracy in both cases is "
        "{mathematics_both_contexts_are_used.described:word}. The smaller fall is "
        + lost
        + ", too near 0.01 to decide; and zeros alone may cause it. What training without the "
        "Abstractor costs is not resolved, and that model has {fewer:.0%} fewer parameters.",
        CLAIM.format("encoder_is_needed", "holds"),
        CLAIM.format("both_contexts_are_used", "undecided"),
        CLAIM.format("abstractor_over_transformer", "undecided"),
        encoder=own.iloc[0] - own.iloc[1],
        abstractor=own.iloc[0] - own.iloc[2],
        fewer=1 - counts["transformer"] / counts["abstractor"],
    )


def _short(frames: Frames) -> pd.DataFrame:
    """The short runs but those of blank questions."""
    table = frames["described"]
    return table[table["variant"].isin(TASKS.values()) & table["model"].ne(BLIND)]


def _tasks(frames: Frames) -> list[str]:
    """The tasks that were run, the longest training first."""
    present = {*_short(frames)["variant"]}
    updates = _updates(frames)
    return sorted((one for one in TASKS.values() if one in present), key=lambda t: -updates[t])


def _learned(frames: Frames) -> list[str]:
    """The tasks in which something was learned; all of them where that is not known."""
    try:
        return learned(frames, "described")
    except NotRun:
        return _tasks(frames)


def _updates(frames: Frames) -> dict[str, int]:
    return _short(frames).groupby("variant")["updates"].max().astype(int).to_dict()


def _floor(frames: Frames) -> dict[str, float]:
    """Task -> accuracy of a Transformer whose questions are blank."""
    table = frames["described"]
    return table[table["model"].eq(BLIND)].groupby("variant")[METRIC].mean().to_dict()


def _means(frames: Frames, metric: str) -> pd.DataFrame:
    """Means over seeds: a row a task, a column a model."""
    return _short(frames).pivot_table(metric, "variant", "model")


def _parameters(frames: Frames) -> dict[str, int]:
    return frames["described"].groupby("model")["parameters"].first().to_dict()


def _both_seeds(table: pd.DataFrame, task: str) -> dict[str, str]:
    """Model -> its accuracies on a task, smallest first."""
    seeds = table[table["variant"].eq(task)].groupby("model")[METRIC]
    return {name: " and ".join(f"{value:.3f}" for value in sorted(some)) for name, some in seeds}


def _gap(better: str, worse: str) -> str:
    """How far one curve of v3's Figure 7 is above another after the first and the last epoch, the
    mean over the tasks.

    Example:
        >>> _gap("Abstractor", "Transformer")
        '0.012 after epoch 1, 0.038 after epoch 50'
    """
    table = published("fig_v3_07")
    table[["task", "model"]] = table["series"].str.split(", ", expand=True)
    means = table.pivot_table("mean", "x", "model", aggfunc="mean")
    gap = means[better] - means[worse]
    return ", ".join(f"{gap[epoch]:.3f} after epoch {epoch}" for epoch in (1, 50))

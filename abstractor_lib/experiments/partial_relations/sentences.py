"""What notebook 18 says of architectures on a partially relational task. Words that depend on how
runs come out are chosen from the records."""

import math
from collections.abc import Sequence

import pandas as pd

from ...findings.counts import rate_difference_interval
from ...findings.measures import Frames
from ...findings.permutation import paired_interval
from ...findings.rules import MARGIN
from ...findings.sentences import Sentence, listed
from ...findings.statistics import CONFIDENCE
from .measures import LOOKS
from .settings import NAMES, SHORT

PROTOCOL, BOTH = "sound", "sort_and_report"
LEARNED = 0.9  # full-sequence accuracy, the mean over seeds
NOT_RUN = Sentence("(not run)", False)
LATER = Sentence(
    "*(Reports of colours alone are a part of the grid that is not run yet.)*",
    "partial_relations_path_reports.sound not run",
)
FULL, FORCED = "full_sequence_accuracy", "teacher_forcing_accuracy"
ORDER = "order_accuracy"
SPOKEN = SHORT | {"transformer": "the Transformer"}
TABLE = {"sort": "sort", BOTH: "sort and report", "report": "report"}


def _mean(table: pd.DataFrame, model: str, task: str, size: int, metric: str = FULL) -> float:
    rows = table[table["model"].eq(model) & table["variant"].eq(task) & table["size"].eq(size)]
    return float(rows[metric].mean())


def _cell(mean: float) -> str:
    """A mean in a table.

    Example:
        >>> _cell(0.5), _cell(float("nan"))
        ('0.50', '–')
    """
    return f"{mean:.2f}" if mean == mean else "–"


def _sizes(table: pd.DataFrame, task: str) -> list[int]:
    return sorted(table.loc[table["variant"].eq(task), "size"].unique())


def _names(models: Sequence[str]) -> str:
    return listed([SPOKEN[name] for name in models], "no model")


def headline(frames: Frames) -> Sentence:
    """What a path for the features is worth, beside no path and beside a Transformer."""
    if PROTOCOL not in frames:
        return NOT_RUN
    more = _with_more(frames[PROTOCOL])
    after = "; after 3,000 it does not, and a Transformer does as well" if more else ""
    return Sentence(
        f"**Whether a path for the features pays after 1,000 sequences is undecided{after}.** "
        "Asked to "
        "sort and to report colours, after 1,000 sequences and at most 3,000 updates, the "
        "full-sequence accuracy of (d), whose decoder reads features beside abstract states, minus "
        "that of (b), whose decoder does not, is {partial_relations_path_pays.sound:.2f}, and "
        "minus that of a Transformer {partial_relations_over_transformer.sound:.2f}. Not all runs "
        "of (b) and (d) had converged (a loss can stop falling at any accuracy). More "
        "runs of (d) reached the goal at which training ends, nearly all validation answers right, "
        "{d_done} of {d_n} against {b_done} of {b_n}: the difference of these shares is "
        "{done:.2f}†." + more,
        "partial_relations_path_pays.sound undecided",
        "partial_relations_over_transformer.sound fails",
        *["partial_relations_path_pays_3000.sound fails"] * bool(more),
        *["partial_relations_over_transformer_3000.sound fails"] * bool(more),
        **_goals(frames[PROTOCOL]),
    )


def _with_more(table: pd.DataFrame) -> str:
    """How the same models compare after more training sequences; empty without such runs."""
    few, more = (pick(_sizes(table, BOTH), default=0) for pick in (min, max))
    means = [_mean(table, model, BOTH, more) for model in ("d", "b", "transformer")]
    if few == more or any(math.isnan(one) for one in means):
        return ""
    seeds = table[table["variant"].eq(BOTH) & table["size"].eq(more)]["trial"].nunique()
    d, b, transformer = (f"{one:.2f}" for one in means)
    return (
        f" After {more:,} sequences ({seeds} seeds) the means are {d}, {b} and, of the "
        f"Transformer, {transformer}; the differences are "
        "{partial_relations_path_pays_3000.sound:.3f} and "
        "{partial_relations_over_transformer_3000.sound:.3f}."
    )


def _done(table: pd.DataFrame, model: str, task: str) -> tuple[int, int]:
    """How many runs reached the goal before their updates were spent, and how many there are."""
    rows = table[table["model"].eq(model) & table["variant"].eq(task)]
    rows = rows[rows["size"].eq(rows["size"].min())]
    return int((rows["updates"] < table["updates"].max()).sum()), len(rows)


def _goals(table: pd.DataFrame) -> dict[str, object]:
    """`_done` of (d) and of (b) where both answers are asked for, and the difference of shares."""
    d, b = (_done(table, model, BOTH) for model in ("d", "b"))
    apart = rate_difference_interval(d, b) if d[1] and b[1] else math.nan
    return {"d_done": d[0], "d_n": d[1], "b_done": b[0], "b_n": b[1], "done": apart}


def answer(frames: Frames) -> Sentence:
    """Which models learn the task that needs both, at each training size, and all means."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table = frames[PROTOCOL]
    names, said = [name for name in NAMES if table["model"].eq(name).any()], []
    for size in _sizes(table, BOTH):
        able = [name for name in names if _mean(table, name, BOTH, size) >= LEARNED]
        said.append(f"after training on {size:,} sequences by {_names(able)}")
    cells = [(task, size) for task in TABLE for size in _sizes(table, task)]
    head = " | ".join(f"{TABLE[task]}, {size:,}" for task, size in cells)
    lines = [
        f"| {NAMES[name]} | "
        + " | ".join(_cell(_mean(table, name, *cell)) for cell in cells)
        + " |"
        for name in names
    ]
    return Sentence(
        "**Sorting and reporting is learned " + ", and ".join(said) + "** (mean full-sequence "
        "accuracy over seeds at least {learned}; at most {updates:,} updates).\n\n"
        f"| model | {head} |\n| --- |{' --- |' * len(cells)}\n" + "\n".join(lines),
        "partial_relations_over_transformer.sound fails",
        learned=LEARNED,
        updates=int(table["updates"].max()),
    )


def pays(frames: Frames) -> Sentence:
    """Where the decoder's path to the encoder pays, and where it costs: (d) less (b)."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table, said = frames[PROTOCOL], []
    cells = [(task, size) for task in TABLE for size in _sizes(table, task)]
    for task, size in cells:
        rows = table[table["variant"].eq(task) & table["size"].eq(size)]
        wide = rows.pivot(index="trial", columns="model", values=FULL)
        apart = (wide["d"] - wide["b"]).dropna().tolist()
        found = paired_interval(apart, LOOKS * len(cells), (-1.0, 1.0))
        word = "is not told apart"
        if found.low > MARGIN or found.high < -MARGIN:
            word = "pays" if found.low > 0 else "costs"
        shown = f"{found:.2f}"
        if found.n < _least(len(cells)):
            shown, word = f"{found.estimate:.2f}", "has too few seeds here"
        said.append(f"| {TABLE[task]} | {size:,} | {shown} | {found.n} | {word} |")
    return Sentence(
        "**Where does the decoder's path to the features pay?** (d) has it, "
        "and with it a sixth more parameters; (b) has not. The full-sequence accuracy of (d) in "
        "turn minus that of (b):\n\n"
        "| task | training sequences | (d) minus (b) | seeds | the path |\n"
        "| --- | --- | --- | --- | --- |\n"
        + "\n".join(said)
        + "\n\nThe claim that it pays where both are needed: "
        "{partial_relations_path_pays.sound:word}. "
        "The claim, ours and not the paper's, that it costs where relations are enough: "
        "{partial_relations_path_costs.sound:word}. *Brackets: 95 % intervals over seeds, "
        "by changing the signs of differences, for all rows and two looks at once, so wider than "
        "those of single claims. Fewer than {least} seeds tell nothing apart.* A run ends "
        "when nearly all validation answers are right, each after the true ones, so two models "
        "that get there have nearly the same "
        f"accuracy by construction. {_by_construction(table)}",
        "partial_relations_path_pays.sound undecided",
        "partial_relations_path_costs.sound fails",
        least=_least(len(cells)),
    )


def _by_construction(table: pd.DataFrame) -> str:
    """Of tasks on which all runs of (b) and (d) reach the goal, how many updates they take."""
    said = []
    for task in TABLE:
        found = [_done(table, model, task) for model in ("d", "b")]
        if all(count == runs > 0 for count, runs in found):
            rows = table[table["variant"].eq(task)]
            d, b = (rows.loc[rows["model"].eq(one), "updates"].mean() for one in ("d", "b"))
            said.append(f"*{TABLE[task]}* ({d:.0f} updates of (d), {b:.0f} of (b), means)")
    return f"All runs of both got there on {listed(said)}." if said else ""


def _least(cells: int) -> int:
    """The least seeds of which all have to agree for an interval to leave zero out.

    Example:
        >>> _least(1)
        7
    """
    return math.ceil(math.log2(2 * LOOKS * cells / (1 - CONFIDENCE)))


def telling(frames: Frames) -> Sentence:
    """Whether models learn to order more if they also tell colours."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table = frames[PROTOCOL]
    size = _sizes(table, "sort")[0]
    lines = []
    for name in NAMES:
        means = [_mean(table, name, task, size, ORDER) for task in ("sort", BOTH)]
        if not any(mean != mean for mean in means):
            lines.append(f"| {NAMES[name]} | {_cell(means[0])} | {_cell(means[1])} |")
    return Sentence(
        "**If colours are to be reported too, the share of test sequences that the Transformer "
        "puts in the right order is larger by {partial_relations_telling_teaches.sound:.2f}.** "
        "That share after training on {size:,} sequences (means over seeds):\n\n"
        "| model | asked for positions | asked for positions and colours |\n| --- | --- | --- |\n"
        + "\n".join(lines)
        + "\n\nObjects, colours and sequences of a seed are the same in both tasks; no answer of "
        "the second tells more of the order. The claim that the Transformer gains more than 0.5: "
        "{partial_relations_telling_teaches.sound:word}. Why it should, these runs do not tell. A "
        "colour names something of the object that is due, so the decoder may learn from it where "
        "to look.",
        "partial_relations_telling_teaches.sound holds",
        size=size,
    )


def bottleneck(frames: Frames) -> Sentence:
    """How much of the colours passes through relations."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table, models = frames[PROTOCOL], ("a", "a_strict", "b", "d")
    if not set(models) <= set(table.loc[table["variant"].eq("report"), "model"]):
        return LATER
    size = _sizes(table, "report")[0]
    colour = {name: _mean(table, name, "report", size, FORCED) for name in models}
    script = _mean(table, "a", "report", size, "counts_alone_accuracy")
    passes = [name for name in ("a", "b") if colour[name] > script]
    most = f"More than that passes through the relations of {_names(passes)}."
    none = "No more than that passes through the relations of (a) and (b)."
    head = "Colours pass" if passes else "Colours are not seen to pass"
    return Sentence(
        f"**{head} through relations.** To report them from left to right, no order is needed. "
        "After training on {size:,} sequences, (a) tells {a:.2f} of the colours right, (b) "
        "{b:.2f} and (d) {d:.2f}, each told the true ones before. A script that knows how many "
        "objects have each colour, but not which, and is told as much, has {script:.2f}. "
        f"{most if passes else none} Relations are inner products of projections with biases, of "
        "objects with positions. So nothing forbids that they tell of a colour. Without biases, "
        "positions of objects and relations of an object to itself, (a) tells {a_strict:.2f}. "
        "Even that forbids nothing: four colours of four features have a vector whose inner "
        "product with each of them is one. A projection can turn it into the same query for every "
        "object, and the relation to an object is then a function of its colour. The claim that "
        "the strict (a) tells no more than the script, within 0.05: "
        "{partial_relations_strict_hides.sound:word}.",
        bool(0.25 < script < 0.75),
        size=size,
        script=script,
        **colour,
    )


def practice(frames: Frames) -> Sentence:
    """What a practitioner would do."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table = frames[PROTOCOL]
    few = _sizes(table, BOTH)[0]
    tasks = [task for task in TABLE if few in _sizes(table, task)]
    there = table[table["size"].eq(few)].groupby("model")["variant"].nunique()
    # a strict one is a control
    models = [name for name in NAMES if name != "a_strict" and there.get(name, 0) == len(TABLE)]
    if not models:
        return LATER
    best = {
        task: max(models, key=lambda name, at=task: _mean(table, name, at, few)) for task in tasks
    }
    worst = {name: min(_mean(table, name, task, few) for task in tasks) for name in models}
    safe = max(worst, key=lambda name: worst[name])
    named = "; ".join(f"{TABLE[task]}: {SPOKEN[name]}" for task, name in best.items())
    return Sentence(
        "**What would a practitioner do with {few:,} sequences?** Where answers name features "
        "beside the order, a Transformer is the simpler start. If the order alone may be asked for "
        f"as well, take {SPOKEN[safe]}: of the models that were run on every task "
        f"({_names(models)}) its worst task has the highest mean full-sequence accuracy, "
        f"{{least:.2f}}. It was picked from the same runs, which flatters it. The best of these "
        f"on each task ({named}) may differ from the next by chance; the figure shows by how much "
        "seeds differ.",
        "partial_relations_path_costs.sound fails",
        "partial_relations_path_reports.sound fails",
        "partial_relations_over_transformer.sound fails",
        few=few,
        least=worst[safe],
    )


def came_true(frames: Frames) -> Sentence:
    """What came of what was expected before the runs."""
    if PROTOCOL not in frames:
        return NOT_RUN
    return Sentence(
        "**What came of it.** That the path pays where both are asked for, by more than 0.1: "
        "{partial_relations_path_pays.sound:word}. That it costs more than 0.05 where the order is "
        "enough: {partial_relations_path_costs.sound:word}. That (d) is ahead of a Transformer by "
        "more than 0.2 where both are asked for: "
        "{partial_relations_over_transformer.sound:word}. That colours pass through the relations "
        "of (b), after 3,000 sequences: {partial_relations_colours_pass.sound:word}; through those "
        "of (a), which has no encoder: "
        "{partial_relations_colours_pass_without_encoder.sound:word}.",
        "partial_relations_path_pays.sound undecided",
        "partial_relations_path_costs.sound fails",
    )

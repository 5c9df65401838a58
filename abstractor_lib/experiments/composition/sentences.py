"""What notebook 18 says of chains of Abstractors. Words that depend on how runs come out are chosen
from the records."""

from collections.abc import Callable
from functools import wraps

import pandas as pd

from ...findings.measures import Frames
from ...findings.permutation import shift_interval
from ...findings.sentences import Sentence, listed
from ...findings.statistics import Interval
from .settings import NAMES

PROTOCOL = "sound"
LOST = 0.2  # in accuracy: far worse
TASKS = ("rises", "rank", "same", "alike")
MARGIN = 0.1  # of the main claim


def _if_run(say: Callable[[pd.DataFrame], Sentence]) -> Callable[[Frames], Sentence]:
    """A sentence of the table of runs; without it, that they are not run."""

    @wraps(say)
    def said(frames: Frames) -> Sentence:
        if PROTOCOL not in frames:
            return Sentence("(not run)", False)
        return say(frames[PROTOCOL])

    return said


def _of(table: pd.DataFrame, model: str, task: str, metric: str = "test_accuracy") -> pd.Series:
    return table.loc[table["model"].eq(model) & table["variant"].eq(task), metric]


def _lead(table: pd.DataFrame, first: str, second: str, task: str) -> Interval:
    """Of the means over seeds, with the interval that holds for all tasks at once."""
    values = (_of(table, name, task).tolist() for name in (first, second))
    return shift_interval(*values, len(TASKS), (-1.0, 1.0))


def _listed(tasks: list[str]) -> str:
    return listed([f"*{task}*" for task in tasks], "none of the four tasks")


def _among(table: pd.DataFrame, first: str, second: str) -> tuple[list[str], list[str]]:
    """Tasks on which the first is ahead by more than the margin, and those on which it is not, each
    by its whole interval."""
    leads = {task: _lead(table, first, second, task) for task in TASKS}
    ahead = [task for task, lead in leads.items() if lead.low > MARGIN]
    return ahead, [task for task, lead in leads.items() if lead.high < MARGIN]


def _open(table: pd.DataFrame, first: str, second: str, task: str) -> bool:
    """Whether the interval of the lead reaches across the margin, in either direction."""
    lead = _lead(table, first, second, task)
    return lead.low <= MARGIN < lead.high or lead.low < -MARGIN <= lead.high


@_if_run
def answer(table: pd.DataFrame) -> Sentence:
    """On which tasks a chain is ahead of one Abstractor of equal depth."""
    ahead, not_ahead = _among(table, "chain", "two_layers")
    found = (
        f"needed for {_listed(ahead)}"
        if ahead
        else "needed for none of the four tasks tried"
        if len(not_ahead) == len(TASKS)
        else "shown to be needed for none of the four tasks tried"
    )
    leads = {f"lead_{task}": _lead(table, "chain", "two_layers", task) for task in TASKS}
    return Sentence(
        f"**A chain of two Abstractors is {found}**, if needed means an accuracy more than "
        "{margin} above that of one Abstractor of two layers with as many parameters. The chain "
        "minus one Abstractor: *rises* {lead_rises:.3f}, *rank* {lead_rank:.3f}, *same* "
        "{lead_same:.3f}, *alike* {lead_alike:.3f}. The claim that it is ahead by that much in at "
        "least one task: {composition_chain_over_two_layers.sound:word}. *Brackets: 95 % "
        "intervals of the difference of means over {seeds} seeds, by permutation, for the four "
        "tasks at once.*",
        "composition_chain_over_two_layers.sound fails",
        margin=MARGIN,
        seeds=len(_of(table, "chain", "rank")),
        **leads,
    )


@_if_run
def table_of_means(table: pd.DataFrame) -> Sentence:
    """The mean accuracy of every model on every task, and of the guesses."""
    lines = []
    for model, name in NAMES.items():
        cells = " | ".join(f"{_of(table, model, task).mean():.2f}" for task in TASKS)
        lines.append(f"| {name} | {cells} |")
    guesses = {task: _of(table, "chain", task, "own_accuracy").mean() for task in TASKS}
    cells = " | ".join(f"{guesses[task]:.2f}" for task in TASKS)
    lines.append(f"| best guess from the own pair | {cells} |")
    return Sentence(
        f"| mean accuracy | {' | '.join(TASKS)} |\n| --- |{' --- |' * len(TASKS)}\n"
        + "\n".join(lines),
        bool(table["test_accuracy"].between(0, 1).all()),
    )


@_if_run
def one_step(table: pd.DataFrame) -> Sentence:
    """What one layer misses, and what a second one of either kind adds."""
    above = {
        task: _of(table, "one_layer", task).mean()
        - _of(table, "one_layer", task, "own_accuracy").mean()
        for task in TASKS
    }
    most = max(above, key=lambda task: above[task])
    ahead, _ = _among(table, "chain", "one_layer")
    return Sentence(
        "**One layer is another matter.** One Abstractor of one layer, with as many parameters, is "
        "{composition_one_layer_guesses.sound:.2f} above the best guess from the relation of the "
        f"own pair where it is furthest above it (on *{most}*). The chain is ahead of it by more "
        f"than {{margin}} on {_listed(ahead)}; Lemma 3.2 of v1 says what a chain can compute, not "
        "that training finds it. The claim that the chain is ahead by more than 0.05 on each "
        "task: {composition_chain_over_one_layer.sound:word}. The claim that one layer stays "
        "within 0.05 of the guess: {composition_one_layer_guesses.sound:word}.",
        "composition_one_layer_guesses.sound fails",
        margin=MARGIN,
    )


@_if_run
def others(table: pd.DataFrame) -> Sentence:
    """Whether a chain is ahead of other modules of two layers of attention."""
    names = {
        "self_attention": "an Abstractor and self-attention of its states",
        "encoder": "an encoder and an Abstractor that reads it",
        "transformer": "a Transformer encoder",
    }
    said = []
    for model, name in names.items():
        ahead, _ = _among(table, "chain", model)
        behind, _ = _among(table, model, "chain")
        open_ones = [task for task in TASKS if _open(table, "chain", model, task)]
        said.append(f"| {name} | {_listed(ahead)} | {_listed(behind)} | {_listed(open_ones)} |")
    lost = [
        f"{name} on *{task}*"
        for model, name in names.items()
        for task in TASKS
        if _of(table, model, task).mean() < _of(table, model, task, "own_accuracy").mean() - 0.01
    ]
    below = (
        f"\n\nBelow the best guess from the own pair stays {' and '.join(lost)}: it has not "
        "learned the task at this learning rate, so a lead over it says little."
        if lost
        else ""
    )
    return Sentence(
        "Two layers of attention with as many parameters, of other kinds:\n\n"
        "| beside the chain | chain ahead by more than {margin} | chain behind by more than "
        "{margin} | undecided |\n| --- | --- | --- | --- |\n" + "\n".join(said) + below,
        "composition_chain_over_self_attention.sound fails",
        "composition_chain_over_transformer.sound holds",
        margin=MARGIN,
    )


@_if_run
def against(table: pd.DataFrame) -> Sentence:
    """What speaks against the answer."""
    number = _of(table, "chain", "same", "number_accuracy").mean()
    means = {name: _of(table, name, "same").mean() for name in ("chain", "two_layers")}
    below = [name for name, mean in means.items() if mean < number + 0.01]
    words = {
        0: "Chain and one Abstractor are both above it: they know which.",
        1: "One of the two is not above it.",
        2: "Neither is above it, so neither shows that it knows which, the first-order relation.",
    }[len(below)]
    easy = [
        task
        for task in TASKS
        if min(_of(table, name, task).mean() for name in ("chain", "two_layers")) > 0.95
    ]
    level = (
        f"On {_listed(easy)} both have a mean above 0.95, so little is left to lead by. "
        if easy
        else ""
    )
    return Sentence(
        "**What speaks against it.** On *same*, the best guess from how many attributes each pair "
        "shares, but not which, is right about {number:.2f} of the answers; the chain "
        f"{{chain:.2f}}, one Abstractor of two layers {{two_layers:.2f}}. {words} {level}"
        "Sequences are short: the states of four pairs fit into one state of 32 features, and a "
        "feed-forward network can compare them there. With more pairs, or richer relations, they "
        "may not. Tasks in which the own pair tells nothing were given up: in pilots, models of "
        "both kinds stayed at chance level.",
        bool(0.5 < number < 1),
        number=number,
        **means,
    )


@_if_run
def read_out(table: pd.DataFrame) -> Sentence:
    """What a read-out by a network of all states changes."""
    kinds = {"chain": "chain", "two_layers": "one Abstractor of two layers"}
    means = {
        (name, task): (
            _of(table, name, task).mean(),
            _of(table, f"{name}_network", task).mean(),
        )
        for name in kinds
        for task in TASKS
    }
    lines = [
        f"| {words} | "
        + " | ".join(
            f"{each:.2f} → {network:.2f}" for each, network in (means[name, task] for task in TASKS)
        )
        + " |"
        for name, words in kinds.items()
    ]
    far = {
        task: [name for name in kinds if means[name, task][1] < means[name, task][0] - LOST]
        for task in TASKS
    }
    both, some = ([task for task in TASKS if len(far[task]) in of] for of in ({2}, {1, 2}))
    on = " and ".join(f"*{task}*" for task in both or some)
    if both:
        said = f"with it both models are far worse on {on}"
    else:
        said = f"with it one of two models is far worse on {on}" if some else "little changes"
    apart = {
        task: _lead(table, "two_layers_network", "chain_network", task)
        for task in TASKS
        if task not in both
    }
    largest = max(apart, key=lambda task: abs(apart[task].estimate))
    return Sentence(
        f"**A network that reads the states of all objects at once: {said}.** It could compare "
        "relations itself. Accuracy with a linear map of each state → with such a network (means "
        "over seeds):\n\n"
        f"| | {' | '.join(f'*{task}*' for task in TASKS)} |\n| --- |{' --- |' * len(TASKS)}\n"
        + "\n".join(lines)
        + "\n\nThe claim that both models then have the same accuracy, within 0.05: "
        "{composition_read_by_network.sound:word}."
        + (" Where both are far worse it compares models that have lost the task." if both else "")
        + f" Elsewhere they differ most on *{largest}*: one Abstractor of two layers minus the "
        "chain is {apart}.",
        "composition_read_by_network.sound undecided",
        apart=apart[largest],
    )


@_if_run
def practice(table: pd.DataFrame) -> Sentence:
    """What a practitioner would do."""
    ahead, _ = _among(table, "chain", "two_layers")
    behind, _ = _among(table, "two_layers", "chain")
    leads = {task: _lead(table, "chain", "two_layers", task) for task in TASKS}
    slight = [task for task, one in leads.items() if one.low > 0 and task not in ahead]
    choice = (
        f"Try both. A chain is ahead on {_listed(ahead)}"
        if ahead
        else "A second layer of one Abstractor and a chain of two cost the same, and nothing here "
        "makes either the better one"
    )
    rest = (
        f"; one Abstractor of two layers is ahead by more than {{margin}} on {_listed(behind)}"
        if behind
        else ", since neither is ahead by more than {margin} on any of the four tasks"
        if not ahead
        else ""
    )
    if slight:
        rest += f". By less than that the chain is ahead on {_listed(slight)}"
    worst = {name: min(_of(table, name, task).mean() for task in TASKS) for name in NAMES}
    best = max(worst.values())
    level = [f"*{NAMES[name]}*" for name in NAMES if worst[name] > best - MARGIN]
    return Sentence(
        f"**What would a practitioner do?** {choice}{rest}. If the task is not known, the mean "
        "accuracy on a model's worst task may guide. These have the highest, {worst:.2f}, or come "
        f"within {{margin}} of it: {'; '.join(level)}.",
        "composition_chain_over_two_layers.sound fails",
        margin=MARGIN,
        worst=best,
    )


@_if_run
def came_true(table: pd.DataFrame) -> Sentence:
    """What came of what was expected before the runs."""
    return Sentence(
        "**What came of it.** That a chain is needed somewhere: "
        "{composition_chain_over_two_layers.sound:word}. That one Abstractor of two layers is more "
        "than 0.1 above the best guess on every task: {composition_two_layers_suffice.sound:word}.",
        "composition_chain_over_two_layers.sound fails",
    )

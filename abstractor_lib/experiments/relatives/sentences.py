"""What notebooks say of the Abstractor and its relatives."""

import pandas as pd

from ...findings.measures import Frames
from ...findings.published import published
from ...findings.sentences import Sentence, listed
from .grid import FIRST, MOST
from .measures import GATE, LEARNED, gated
from .results import AVERAGED, BETTER, HARD, NAMES, TITLES, compared, hardest, lost_by_seed, rates

PROTOCOL = "sound"
NOT_RUN = "(not run)"
CLOSE = 0.05
PUBLISHED, TRANSFORMER = "abstract_rules", "Transformer"


def beside_the_transformer(frames: Frames) -> Sentence:
    """The Abstractor against the Transformer with most objects withheld."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    means = hardest(frames[PROTOCOL], MOST)
    pairs = hardest(frames[PROTOCOL], MOST, HARD[:1])
    table = gated(compared(frames[PROTOCOL]))
    theirs = table[table["model"].eq("transformer") & table["size"].eq(MOST)]
    theirs = theirs[theirs["variant"].isin(AVERAGED)]
    return Sentence(
        "**With {most} of 100 objects withheld, the Abstractor's test accuracy minus the "
        "Transformer's is {relatives_abstractor_over_transformer.sound:.3f}** in the mean over "
        "distribution of three and identity rules. The Abstractor has "
        "{ours:.2f}, the Transformer {theirs:.2f}; in match-to-sample, which lengths of the "
        "normalised objects settle, {ours_pairs:.2f} and {theirs_pairs:.2f}. The claim that the "
        "difference is above 0.05: {relatives_abstractor_over_transformer.sound:word}. Of {runs} "
        "Transformers {learned} learned their task even for the images shown; the others say "
        "nothing of whether a rule carries over.",
        bool(means.between(0, 1).all()),
        most=MOST,
        ours=means["abstractor"],
        theirs=means["transformer"],
        runs=len(theirs),
        learned=int((theirs["known_accuracy"] >= LEARNED).sum()),
        ours_pairs=pairs["abstractor"],
        theirs_pairs=pairs["transformer"],
    )


def strongest(frames: Frames) -> Sentence:
    """Who is most accurate with most objects withheld, and how far the Abstractor is behind."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    means = hardest(frames[PROTOCOL], MOST)
    order = "; ".join(f"{NAMES[str(name)]} {value:.2f}" for name, value in means.items())
    return Sentence(
        "**{first} has the highest mean accuracy on withheld objects; means that are close may "
        "change places with other seeds.** With {most} of 100 objects withheld, the means over the "
        "same two tasks are: " + order + ". The accuracy of CoRelNet minus that of the "
        "Abstractor is {relatives_corelnet_over_abstractor.sound:.3f}.",
        bool(means.between(0, 1).all()),
        most=MOST,
        first=NAMES[str(means.index[0])],
    )


def kinds_of_relations(frames: Frames) -> Sentence:
    """What symmetric relations, and linear ones without residual and norm, change."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    names = ("abstractor", "symmetric_abstractor", "linear_abstractor")
    means = hardest(frames[PROTOCOL], MOST, HARD[:1])[list(names)]
    told = listed([f"{NAMES[name]} {value:.2f}" for name, value in means.items()])
    return Sentence(
        "**Which relations?** Equality is symmetric. Symmetric relations minus those of Algorithm "
        "1: {relatives_symmetric_over_abstractor.sound:.3f} in accuracy on the same two tasks; the "
        "linear Abstractor, symmetric too, minus that of Algorithm 1: "
        "{relatives_linear_over_abstractor.sound:.3f}. Match-to-sample asks whether two relations "
        f"are alike. There the means are: {told}.",
        bool(means.between(0, 1).all()),
    )


def as_published(frames: Frames) -> Sentence:
    """Whether this smaller version says of ESBN and Transformer what the benchmark's paper says."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    table = frames[PROTOCOL]
    rows = table[table["variant"].isin(HARD) & table["size"].eq(MOST)]
    means = rows.groupby(["model", "variant"])["test_accuracy"].mean()
    told = []
    for task in HARD:
        ours = [means["esbn", task], means["transformer", task]]
        theirs = [published(PUBLISHED, f"{name}, {TITLES[task]}") for name in ("ESBN", TRANSFORMER)]
        there = [float(one.set_index("x")["mean"][MOST]) for one in theirs]
        told.append(f"| {TITLES[task]} | " + " | ".join(f"{x:.2f}" for x in ours + there) + " |")
    return Sentence(
        "**ESBN against the Transformer, in each task ahead by more than 0.05: "
        "{relatives_esbn_over_transformer.sound:word}.** Mean accuracies with {most} withheld, "
        "beside those of Webb et al. 2021, whose encoder and models are larger:\n\n"
        "| task | ESBN | Transformer | ESBN, Webb et al. | Transformer, Webb et al. |\n"
        "| --- | --- | --- | --- | --- |\n" + "\n".join(told),
        bool(means.between(0, 1).all()),
        most=MOST,
    )


def carried_over(frames: Frames) -> Sentence:
    """How much each model loses between 50 and 95 objects withheld."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    table = compared(frames[PROTOCOL])
    sizes = sorted(table.loc[table["variant"].isin(AVERAGED), "size"].unique())
    means = pd.DataFrame({size: hardest(table, size) for size in sizes})
    seeds = table[table["variant"].isin(AVERAGED)].groupby("size")["trial"].nunique()
    means = means.loc[hardest(table, MOST).index].dropna()  # a tiny grid has not all of them
    lines = [
        f"| {NAMES[str(name)]} | " + " | ".join(f"{one:.2f}" for one in row) + " |"
        for name, row in zip(means.index, means.to_numpy(), strict=True)
    ]
    between = [size for size in sizes if GATE < size < MOST]
    falls = [(means[GATE] - means[size]).max() for size in between]
    early = (
        f"From {{gate}} to {between[-1]} no mean falls by more than {max(falls[-1], 0):.3f}: most "
        "of it is lost beyond. "
        if between and falls[-1] < (means[GATE] - means[MOST]).max() / 2
        else ""
    )
    lost, known = lost_by_seed(frames[PROTOCOL], "abstractor")
    few_seeds = int((~known).sum())
    missed = (
        "Of the Abstractor's {seeds} seeds {missed} did not learn one of the tasks with {gate} "
        "withheld, and had nothing to lose there; the others lose {others:.3f}, their mean. "
    )
    return Sentence(
        "**From {gate} to {most} objects withheld the Abstractor loses "
        "{relatives_abstractor_carries_over.sound:.3f} in test accuracy, ESBN "
        "{relatives_esbn_carries_over.sound:.3f}, the Transformer "
        "{relatives_transformer_drops.sound:.3f}.** "
        + (missed if few_seeds else "")
        + early
        + "A small loss says little where there is little to lose. Means over the two tasks and "
        "seeds:\n\n"
        f"| model | {' | '.join(f'{size} withheld, {seeds[size]} seeds' for size in sizes)} |\n"
        f"| --- |{' --- |' * len(sizes)}\n" + "\n".join(lines),
        bool(means.stack().between(0, 1).all()),
        gate=GATE,
        most=MOST,
        seeds=len(lost),
        missed=few_seeds,
        others=lost[known].mean(),
    )


def learned_or_not(frames: Frames) -> Sentence:
    """Which cells say nothing of generalisation, since the task was not learned at all."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    table = gated(compared(frames[PROTOCOL]))
    failed = table[table["known_accuracy"] < LEARNED]
    share = len(failed) / len(table)
    counts = failed.groupby(["model", "variant"]).size().sort_values(ascending=False, kind="stable")
    worst = [
        f"{NAMES[str(model)]} on {TITLES[str(task)]} ({count})"
        for (model, task), count in counts.head(4).items()
    ]
    named = f" Most often: {', '.join(worst)}." if worst else ""
    return Sentence(
        "**{failed} of {runs} trials did not learn their task.** Their "
        "accuracy on new sequences of training objects is below {level}. With more than {gate} "
        "objects withheld, all such sequences can be known by heart; so there the model of the "
        "same seed with {gate} withheld has to have that accuracy as well. The test accuracy of "
        "a trial that did not learn its task does not say whether a rule carries over." + named,
        "relatives_transformer_learned.sound undecided",
        0 <= share <= 1,
        gate=GATE,
        failed=len(failed),
        runs=len(table),
        level=LEARNED,
    )


def rates_matter(frames: Frames) -> Sentence:
    """How much the learning rate decides, of runs that chose it."""
    if PROTOCOL not in frames or rates(frames[PROTOCOL]).empty:
        return Sentence(NOT_RUN, False)
    means = rates(frames[PROTOCOL])
    usual = sorted(means.columns)
    head = " | ".join(f"{rate:g}" for rate in usual)
    lines = [
        f"| {NAMES[str(name)]} | " + " | ".join(f"{row[rate]:.2f}" for rate in usual) + " |"
        for name, row in means.iterrows()
    ]
    spread = means.max(axis=1) - means.min(axis=1)
    most = NAMES[str(spread.idxmax())]
    return Sentence(
        "**The learning rate moves a model by up to {spread:.2f} ({most}).** Each model has the "
        "best of four by the means below, or that of Webb et al. 2021 where no other is better by "
        "{better}. They are accuracies on withheld objects, with {withheld} withheld, over "
        "all tasks but same or different, and {seeds} seeds that the comparison does not "
        "have. Where the best "
        "is the lowest or highest rate, one further out may be better still.\n\n"
        f"| model | {head} |\n| --- |{' --- |' * len(usual)}\n" + "\n".join(lines),
        bool(means.stack().between(0, 1).all()),
        spread=spread.max(),
        most=most,
        withheld=MOST,
        better=BETTER,
        seeds=frames[PROTOCOL].loc[frames[PROTOCOL]["trial"] >= FIRST, "trial"].nunique(),
    )


def settled_by_the_norm(frames: Frames) -> Sentence:
    """How far same or different tells models apart, which the normalisation makes easy."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    table = frames[PROTOCOL]
    table = table[table["variant"] == "same_different"]
    if table.empty:
        return Sentence(
            "*(Same or different is a part of the grid that is not run yet.)*",
            "relatives_same_different_is_solved.sound not run",
        )
    last = int(table["size"].max())
    by_count = table.groupby(["size", "model"])["test_accuracy"].mean()
    many, all_but_two = by_count[MOST], by_count[last]
    return Sentence(
        "**Same or different: with {most} of 100 objects withheld, mean accuracies go from "
        f"{{least:.2f}} ({NAMES[str(many.idxmin())]}) to {{highest:.2f}}; with {{last}} withheld "
        f"from {{lowest:.2f}} ({NAMES[str(all_but_two.idxmin())]}) to {{top:.2f}}.** "
        "Temporal context normalisation maps two equal objects to the same constant vectors, "
        "whatever they are. So a model need not compare them. Not all find that out from two or "
        "five images: the claim that Abstractor, Transformer and MLP are each more than 0.95 "
        "accurate with {most} withheld, in more than half of the seeds: "
        "{relatives_same_different_is_solved.sound:word}. We leave this task out of the "
        "means over tasks. In match-to-sample the normalisation does the same for each pair, and "
        "we leave that out, too. Of the other tasks it tells something as well: how often an "
        "object occurs.",
        bool(many.between(0, 1).all() and all_but_two.between(0, 1).all()),
        most=MOST,
        least=many.min(),
        highest=many.max(),
        last=last,
        lowest=all_but_two.min(),
        top=all_but_two.max(),
    )


def practitioner(frames: Frames) -> Sentence:
    """What to take for a task of rules over new objects."""
    if PROTOCOL not in frames:
        return Sentence(NOT_RUN, False)
    table = frames[PROTOCOL]
    means = hardest(table, MOST)
    close = [NAMES[str(name)] for name, value in means.items() if value >= means.max() - CLOSE]
    rows = table[table["variant"].isin(AVERAGED) & table["size"].eq(MOST)]
    seeds = rows["trial"].nunique()
    alike = ("is " if len(close) == 1 else "are ") + listed(close)
    return Sentence(
        "**What a practitioner would do.** If rules have to hold for objects that training never "
        f"showed: in these runs the best mean and those within {{close}} of it {alike}. The MLP, "
        "which has no relations, has {mlp:.2f}. That is {seeds} seeds, and learning rates that "
        "were chosen from four: try two of these models on your own task. All have embeddings "
        "normalised over the sequence, which Webb et al. 2021 found to help every model.",
        bool(means.between(0, 1).all()),
        mlp=means["mlp"],
        close=CLOSE,
        seeds=seeds,
    )

"""What notebook 14 says of relations of three objects."""

from collections.abc import Mapping

import pandas as pd

from ...findings.measures import Frames
from ...findings.sentences import Sentence

PROTOCOL = "sound"
NOT_RUN = Sentence("(not run)", False)
TASKS = {"match3": "Match3", "coplanar": "coplanarity"}


def _means(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The mean over seeds: a row a model, a column a task."""
    return table.pivot_table(metric, "model", "variant")


def _leads(head: str, rows: Mapping[str, str]) -> str:
    """A table of claims: by how much the paper's layer leads each model on each task.

    Args:
        rows: models, and what they are called.
    """
    lines = [f"| {head} | {' | '.join(TASKS.values())} |", "| --- | --- | --- |"]
    for name, what in rows.items():
        leads = (f"{{three_way_{task}_over_{name}.sound}}" for task in TASKS)
        lines.append(f"| {what} | {' | '.join(leads)} |")
    return "\n".join(lines)


def answer(frames: Frames) -> Sentence:
    """Attention to pairs beside standard layers: of equal depth, of equal size, of equal cost."""
    if PROTOCOL not in frames:
        return NOT_RUN
    area = _means(frames[PROTOCOL], "test_auc")
    rows = {
        "standard": "one standard layer of equal width",
        "wide": "one standard layer with as many parameters",
        "two_matched": "two standard layers with as many parameters",
        "deep": "five standard layers, as many operations, a seventh more parameters",
    }
    return Sentence(
        "**One layer that attends to pairs learns these relations better than one standard layer "
        "of as many parameters. Five standard layers, which take as many operations, learn them "
        "better still.** It leads two standard layers of as many parameters on coplanarity, not on "
        "Match3. After {examples:,} examples the layer with the paper's product has an area under "
        "the ROC curve of {match3:.2f} on Match3 and {coplanar:.2f} on coplanarity. Two standard "
        "layers of its width, with half its parameters, "
        "have {two_match3:.2f} and {two_coplanar:.2f}. By how much it leads:\n\n"
        + _leads("lead over", rows)
        + "\n\n"
        "*Differences of means of {seeds} seeds, with intervals by permutation, each for one "
        "comparison. They are widened, so that a later look with further seeds stays valid.*",
        *(f"three_way_{task}_over_wide.sound holds" for task in TASKS),
        *(f"three_way_{task}_over_deep.sound fails" for task in TASKS),
        "three_way_match3_over_two_matched.sound fails",
        "three_way_coplanar_over_two_matched.sound holds",
        examples=int(frames[PROTOCOL]["size"].max()),
        seeds=frames[PROTOCOL]["trial"].nunique(),
        **{task: float(area.loc["unsigned", task]) for task in TASKS},
        **{f"two_{task}": float(area.loc["two", task]) for task in TASKS},
    )


def in_short(frames: Frames) -> Sentence:
    """What one layer learns, in a few words."""
    if PROTOCOL not in frames:
        return NOT_RUN
    return Sentence(
        "**Trained on relations of three objects, one layer that attends to pairs learns more than "
        "one standard layer of as many parameters. Five standard layers learn more.** Its area "
        "under the ROC curve is larger than that of the standard layer by "
        "{three_way_match3_over_wide.sound} on a sum of three numbers and by "
        "{three_way_coplanar_over_wide.sound} on vectors in a plane. Two standard layers with as "
        "many parameters are ahead of it on the numbers, five with as many operations on both. On "
        "the numbers a layer that weighs all pairs alike is ahead of it, too (*What does one "
        "layer learn?*).",
        "three_way_match3_over_uniform.sound fails",
        *(f"three_way_{task}_over_wide.sound holds" for task in TASKS),
        *(f"three_way_{task}_over_deep.sound fails" for task in TASKS),
        "three_way_match3_over_two_matched.sound fails",
        "three_way_coplanar_over_two_matched.sound holds",
    )


def which_product(frames: Frames) -> Sentence:
    """The logits beside each other."""
    if PROTOCOL not in frames:
        return NOT_RUN
    right = _means(frames[PROTOCOL], "test_accuracy")
    rows = {
        "trilinear": "trilinear",
        "pairs": "sum of the three dot products",
        "uniform": "none: all pairs weigh the same",
    }
    return Sentence(
        "**Which product helps depends on the task.** By how much the paper's unsigned product "
        "leads layers of equal size with another logit:\n\n" + _leads("logit", rows) + "\n\n"
        "On coplanarity, which is what the unsigned product measures, it is ahead of all of them. "
        "On Match3 it is behind all of them, also behind the layer that attends to no pair in "
        "particular. The trilinear layer is right about {trilinear:.2f} of all numbers there, the "
        "unsigned one about {unsigned:.2f}. Each kind has the scale of logits of its own paper, "
        "and all have one learning rate: form, scale and rate are not told apart.",
        *(f"three_way_coplanar_over_{name}.sound holds" for name in rows),
        *(f"three_way_match3_over_{name}.sound fails" for name in rows),
        trilinear=float(right.loc["trilinear", "match3"]),
        unsigned=float(right.loc["unsigned", "match3"]),
    )


def floor(frames: Frames) -> Sentence:
    """What little is needed, and how many runs had converged."""
    if PROTOCOL not in frames:
        return NOT_RUN
    table = frames[PROTOCOL]
    area = _means(table, "test_auc")
    script = table.groupby("variant")["script_auc"].mean()
    one = table["model"].isin(["standard", "wide"])
    below = [name for name in area.index if area.loc[name, "coplanar"] < script["coplanar"]]
    return Sentence(
        "**In coplanarity one standard layer gets hardly further than a script that looks at two "
        "vectors alone.** The script scores a vector by its largest absolute cosine with another, "
        "and reaches {coplanar:.2f}; the means of {below} of {models} models are below it, and "
        "the best of all seeds of one standard layer has {best:.2f}. The paper's layer "
        "leads it by {three_way_coplanar_over_script.sound}. On Match3 two numbers tell "
        "little; a script that counts different numbers has {match3:.2f}. {converged} of {runs} "
        "runs had converged, so these are comparisons after so many examples, and not of what a "
        "layer can learn at all.",
        bool({"standard", "wide"} <= set(below)),
        bool((area["match3"] > script["match3"]).all()),
        below=len(below),
        best=float(table[one & table["variant"].eq("coplanar")]["test_auc"].max()),
        models=len(area),
        match3=float(script["match3"]),
        coplanar=float(script["coplanar"]),
        converged=int(table["converged"].sum()),
        runs=len(table),
    )

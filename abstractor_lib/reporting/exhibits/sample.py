"""Sample efficiency: Figure 5a of v3 trial by trial, at a training size of one's choice."""

import pandas as pd

from ...findings.published import published
from ..study import Study
from .fragment import fragment

MODELS = {"Abstractor": "abstractor", "Transformer": "transformer", "Ablation": "ablation"}
METRIC = "full_sequence_accuracy"
DIGITS = 4  # of an accuracy: shares of 5,000 test sequences
ABOUT = {
    "described": "described: settings as the paper's text and its parameter counts say.",
    "published": "published: settings as the public code had them.",
    "sound": "sound: settings that we would choose today, with the same large number of updates "
    "for every model and size.",
}
CAPTION = """Object sorting, Figure 5a of the paper. Choose a training set size with the first \
slider or on the chart, and an accuracy with the second one. Horizontal: training sequences. \
Vertical: full-sequence accuracy, the share of test sequences of which every position is right. A \
filled dot is one trial, a solid line the mean of trials; a hollow dot is a trial on a further \
draw of objects, which the line leaves out. Marks of the three models stand side by side, though \
they belong to the same size. Dashed: the paper's means of 10 trials. The last two rows of the \
table name the training sizes between which half of the trials that were run from the smallest to \
the largest size, and the paper's mean, come to that accuracy. The <em>Ablation</em> is the \
Abstractor with a cross-attention that reads values from the objects, not from symbols."""


def sample_efficiency(study: Study | None = None) -> str:
    """The exhibit as HTML.

    Args:
        study: of the experiment `sorting`; None for the records that ship.

    Raises:
        ValueError: if no protocol's grid is complete.
    """
    return fragment(
        "sample-efficiency",
        "Sample efficiency.",
        CAPTION,
        "Accuracy of the Abstractor, the Transformer and the Ablation by training set size",
        data(study or Study("sorting")),
        "sample",
        ["sample_rules.js", "sample.js"],
    )


def data(study: Study) -> dict:
    """The trials of each protocol whose grid is complete, and the paper's means.

    Raises:
        ValueError: if there is none.
    """
    tables = {name: table for name, table in study.panels().items() if table is not None}
    if not tables:
        raise ValueError("study has no complete grid; expected one, whose trials are shown")
    paper = [published("fig_v3_05a", label)[["x", "mean"]].round(DIGITS) for label in MODELS]
    return {
        "models": list(MODELS),
        "paper": [points.values.tolist() for points in paper],
        "protocols": [_protocol(name, table) for name, table in tables.items()],
    }


def _protocol(name: str, table: pd.DataFrame) -> dict:
    rows = table[table["model"].isin(MODELS.values())]
    curve, draws = (rows[rows["variant"] == variant] for variant in ("curve", "draw"))
    sizes = sorted(int(size) for size in curve["size"].unique())
    models = []
    for model in MODELS.values():
        wide = trials(curve, model).reindex(columns=sizes)
        known = wide.round(DIGITS).astype(object).where(wide.notna(), None)
        by_size = draws[draws["model"] == model].groupby("size")[METRIC]
        further = {str(size): some.round(DIGITS).tolist() for size, some in by_size}
        models.append({"trials": known.values.tolist(), "further": further})
    return {"name": name, "about": ABOUT[name], "sizes": sizes, "models": models}


def trials(curve: pd.DataFrame, model: str) -> pd.DataFrame:
    """Accuracies of a model, trials by training sizes."""
    some = curve[curve["model"] == model]
    return some.pivot(index="trial", columns="size", values=METRIC)

"""What notebook 10 says of SET classification from pixels."""

from ...findings.measures import Frames
from ...findings.sentences import Sentence

NAMES = {"abstractor": "Abstractor", "mlp_wide": "wide MLP"}


def from_pixels(frames: Frames, *, embedded: Frames) -> Sentence:
    """No Abstractor learns from few triples of pixels.

    Args:
        embedded: the tables of trials of the same models on embeddings.
    """
    if "sound" not in frames or "sound" not in embedded:
        return Sentence("(not run)", False)
    table, other = frames["sound"], embedded["sound"]
    other = other[other["variant"] == "curve"].groupby(["model", "size"])["test_accuracy"].mean()
    first, last = table["size"].min(), table["size"].max()
    rows = {key: some["test_accuracy"] for key, some in table.groupby(["model", "size"])}
    cells = {
        key: f"{', '.join(f'{one:.2f}' for one in found)} (on embeddings: {other[key]:.2f})"
        for key, found in rows.items()
    }
    few = table[(table["model"] == "abstractor") & (table["size"] == first)]
    lines = [
        f"| {label} | {cells[name, first]} | {cells[name, last]} |" for name, label in NAMES.items()
    ]
    return Sentence(
        "**From pixels, no Abstractor learns from {first:,} triples within {updates:,} updates.** "
        "The test accuracies of three trials each:\n\n"
        "| | {first:,} triples | {last:,} triples |\n| --- | --- | --- |\n"
        + "\n".join(lines)
        + "\n\n*In parentheses: the mean on embeddings, after {long:,} updates.*\n\n"
        "Three trials at two sizes decide no claim. Of the three Abstractors at {first:,} triples, "
        "{converged} count as converged, since their validation loss no longer falls. A model that "
        "has not begun to learn looks the same. So these trials do not show that an Abstractor "
        "cannot learn SET from pixels and {first:,} triples: more updates or another learning rate "
        "may be enough. On embeddings the Abstractor's mean is above the wide MLP's; in these "
        "trials it is not. Embeddings are learned beforehand, from labels of all 81 cards.",
        bool(few["test_accuracy"].max() < 0.55),
        all(other["abstractor", size] > other["mlp_wide", size] for size in (first, last)),
        bool(rows["abstractor", first].mean() < rows["mlp_wide", first].mean()),
        bool(rows["abstractor", last].mean() < rows["mlp_wide", last].mean()),
        first=first,
        last=last,
        updates=int(table["updates"].max()),
        long=int(embedded["sound"]["updates"].max()),
        converged=int(few["converged"].sum()),
    )

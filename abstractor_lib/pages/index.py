"""The index: each figure, table, algorithm and theorem of the papers, and where it is done.

``data/inventory.csv`` lists them; ``data/index.toml`` says which notebook, files and test answer
each. An item without an entry is open. An algorithm or equation names the ``figure``, another
item's, that shows it; ``also`` names further figures that hold a panel of it,
``further`` notebooks beside its own that show it, ``others`` those of its figures that show the
records of another experiment, and of which.
"""

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import experiments, paths


@dataclass
class Entry:
    """An item of the inventory, as `abstractor index` shows it.

    ``runs`` and ``seconds`` are those of the records of its experiment, ``further`` other notebooks
    that show it.
    """

    id: str
    paper: str
    title: str
    status: str
    reason: str
    notebook: str
    files: list[str]
    test: str
    aliases: list[str]
    experiment: str
    runs: int
    seconds: float
    further: list[str]

    def row(self) -> dict:
        """As plain values."""
        return asdict(self)


def inventory() -> list[dict[str, str]]:
    """Rows ``id, paper, kind, title, section`` of ``data/inventory.csv``."""
    with (paths.data() / "inventory.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def catalogue() -> dict:
    """``data/index.toml``: ``item`` tables by name."""
    with (paths.data() / "index.toml").open("rb") as file:
        return tomllib.load(file)


def notebook_experiments(stem: str) -> list[str]:
    """The experiments whose records a notebook shows; they name it."""
    return [one.name for one in experiments.by_name().values() if stem in one.notebooks]


def figure_files(item: str, also: Sequence[str] = ()) -> list[str]:
    """Files of ``figures/`` that belong to an item, relative to the repository.

    Args:
        also: ``ID_topic`` of figures of other items that show this one too.
    """
    folder = paths.root() / "figures"
    wanted = [f"{item}_*", *(f"{name}.*" for name in also)]
    found = {path.name for pattern in wanted for path in folder.glob(pattern)}
    return [f"figures/{name}" for name in sorted(found)]


def entries(totals: Mapping[str, tuple[int, float]]) -> list[Entry]:
    """All items, done and open.

    Args:
        totals: experiment -> (runs, seconds) of its complete grids; an experiment that is absent
            has an incomplete one, and its items are open.
    """
    known = catalogue()["item"]
    result = []
    for item in inventory():
        entry = known.get(item["id"], {})
        experiment = entry.get("experiment", "")
        names = entry.get("figure", item["id"]), entry.get("also", ())
        files = figure_files(*names) if entry else []
        reason = entry.get("reason", "")
        if not entry:
            reason = f"no notebook of this release covers the section {item['section']!r}"
        elif experiment and experiment not in totals:
            reason = f"the records of {experiment} are incomplete"
        elif not reason:
            reason = _missing(entry, files)
        runs, seconds = totals.get(experiment, (0, 0.0))
        result.append(
            Entry(
                id=item["id"],
                paper=item["paper"],
                title=item["title"],
                status="open" if reason else "done",
                reason=reason,
                notebook=entry.get("notebook", ""),
                files=files,
                test=entry.get("test", ""),
                aliases=entry.get("aliases", []),
                experiment=experiment,
                runs=runs,
                seconds=round(seconds, 1),
                further=entry.get("further", []),
            )
        )
    return result


def _missing(entry: Mapping, files: list[str]) -> str:
    """What keeps an item that has an entry from being done."""
    root: Path = paths.root()
    if not files:
        return "its figure has not been drawn"
    if not (root / "notebooks" / f"{entry['notebook']}.ipynb").is_file():
        return f"the notebook {entry['notebook']} has not been executed"
    if not (root / entry["test"].split("::")[0]).is_file():
        return f"its test {entry['test']} is missing"
    return ""

"""What commands tell of the records, computed once and remembered; this imports no pandas.

`reproduce` computes the same and takes seconds. Pages and notebooks are made from it alone.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from .. import experiments, paths
from ..findings import statements
from ..findings.statements import Judged
from ..records import remembered
from ..records.workspace import Workspace
from . import index


def _asked(workspace: Workspace, **answers: Callable[[], Any]) -> list:
    """Answers by name, each remembered until the code, the data that ship or the workspace's own
    records or artifacts change."""
    root, own = paths.root(), workspace.file("any").parent
    artifacts = root / "build" / "artifacts", workspace.folder / "artifacts"
    made_from = remembered.state([root / "abstractor_lib", paths.data(), own, *artifacts])
    whose = workspace.profile + "_fresh" * workspace.fresh
    return [
        remembered.remembered(f"{name}_{whose}", made_from, make) for name, make in answers.items()
    ]


def judged(workspace: Workspace, names: Collection[str]) -> list[Judged]:
    """The verdicts on the claims of some experiments, failing ones first, with the claims that have
    no experiment yet; `reproduce.judged` computes them."""

    def make(name: str) -> list[dict]:
        from ..reporting.study import Study

        return [verdict.row() for verdict in Study(name, workspace).judged()]

    each = _asked(workspace, **{f"verdicts_{name}": partial(make, name) for name in names})
    planned = [claim for claim in statements.read() if not claim.experiment]
    verdicts = [Judged(**row) for rows in each for row in rows]
    verdicts += [verdict for claim in planned for verdict in statements.not_yet(claim)]
    return sorted(verdicts, key=lambda verdict: statements.ORDER[verdict.verdict])


def totals() -> dict[str, tuple[int, float]]:
    """Runs and seconds of the experiments whose grids are complete; `reproduce.totals` computes
    them."""

    def make() -> dict:
        from .reproduce import totals

        return totals()

    (found,) = _asked(Workspace(), totals=make)
    return {name: (runs, seconds) for name, (runs, seconds) in found.items()}


def entries() -> list[index.Entry]:
    """The index, as `reproduce.index_entries` computes it."""
    return index.entries(totals())


def grids(workspace: Workspace) -> list[dict]:
    """What each grid has and lacks, a row a protocol of an experiment that has it."""

    def make() -> list[dict]:
        from ..execution.plan import plan
        from ..experiments.protocol import PROTOCOLS

        rows = []
        for name in experiments.by_name():
            records = workspace.records(name)
            for protocol in PROTOCOLS:
                grid = plan(name, protocol, workspace, records)
                if not grid.specs:  # a section of mathematics has one protocol
                    continue
                rows.append(
                    {
                        "experiment": name,
                        "profile": workspace.profile,
                        "protocol": protocol,
                        "runs": len(grid.specs),
                        "found": len(grid.records),
                        "stale": len(grid.stale),
                        "missing": len(grid.missing) - len(grid.stale),
                        "why": grid.why,
                    }
                )
        return rows

    return _asked(workspace, grids=make)[0]


def table(experiment: str) -> str:
    """The trials of an experiment's shipped records, as CSV."""

    def make() -> str:
        from ..records.frame import frame

        known, records = experiments.get(experiment), Workspace().records(experiment)
        return frame(records.values(), known.columns, known.derived).to_csv(index=False)

    return _asked(Workspace(), **{f"table_{experiment}": make})[0]

"""From records to everything people look at: notebooks, figures, verdicts, index, README."""

from collections.abc import Callable, Collection
from pathlib import Path

from .. import experiments, paths
from ..execution.estimate import core_seconds
from ..findings import claims
from ..records.workspace import Workspace
from ..reporting.files import write
from ..reporting.study import Study, measure_of
from . import (
    artifact,
    claims_page,
    deviations,
    failures,
    headlines,
    index,
    metadata,
    notebooks,
    open_questions,
    readme,
)
from .paper import typeset, values

Report = Callable[[str], None]


def studies(workspace: Workspace | None = None, of: Collection[str] = ()) -> dict[str, Study]:
    """The studies of some experiments; without names, of all."""
    return {name: Study(name, workspace) for name in experiments.by_name() if not of or name in of}


def judged(shown: dict[str, Study]) -> list[claims.Judged]:
    """All verdicts, failing claims first, with the claims that have no experiment yet."""
    verdicts = [verdict for study in shown.values() for verdict in study.judged()]
    planned = [claim for claim in claims.read() if not claim.experiment]
    verdicts += [verdict for claim in planned for verdict in claims.not_yet(claim)]
    return sorted(verdicts, key=lambda verdict: claims.ORDER[verdict.verdict])


def totals() -> dict[str, tuple[int, float]]:
    """Runs and seconds of the shipped records of each experiment whose grids are complete."""
    return {
        name: (len(study.records), core_seconds(study.records.values()))
        for name, study in studies().items()
        if all(one.complete for one in study.plans.values())
    }


def index_entries() -> list[index.Entry]:
    """The index with the totals of the shipped records."""
    return index.entries(totals())


def computing_time(shown: dict[str, Study]) -> tuple[float, int]:
    """Core seconds of the records, those included that others start from, and how many runs have
    none yet."""
    plans = [grid for study in shown.values() for grid in study.plans.values()]
    planned = {spec.id for grid in plans for spec in grid.specs}
    lacking = sum(len(grid.missing) - len(grid.bare) for grid in plans)
    records = {run: record for grid in plans for run, record in grid.records.items()}
    for study in shown.values():
        for run, record in study.ancestors().items():
            if record is not None:
                records[run] = record
            elif run not in planned:
                planned.add(run)
                lacking += 1
    return core_seconds(records.values()), lacking


def update_pages() -> dict[str, bool]:
    """Rewrite what is told of all records together: the generated parts of README.md, CLAIMS.md,
    ARTIFACT.md, the pages of findings, of what fails and of deviations, and what the paper cites;
    and codemeta.json. Returns for each file whether it changed."""
    shown = studies()
    verdicts = judged(shown)
    pages = {
        "CLAIMS.md": claims_page.page(verdicts),
        "docs/findings.md": headlines.page(verdicts),
        "docs/open_questions.md": open_questions.page(verdicts),
        "docs/what_fails.md": failures.page(verdicts),
        "docs/deviations.md": deviations.page(verdicts),
        "ARTIFACT.md": artifact.page(verdicts, shown),
        metadata.CODEMETA: metadata.codemeta(metadata.citation(), metadata.project()),
        typeset.VALUES: values.page(paths.root() / typeset.SOURCE, verdicts, shown),
    }
    written = {name: write(paths.root() / name, page) for name, page in pages.items()}
    return written | {"README.md": readme.update(verdicts, *computing_time(shown))}


def reproduce(
    sources: list[Path], workspace: Workspace, rewrite: bool, report: Report, jobs: int = 1
) -> None:
    """Execute notebooks on the records that are there and rewrite what is made from them: the
    pages of `update_pages` too, if these are all notebooks, on the records that ship.

    Args:
        sources: the notebooks.
        workspace: whose records.
        rewrite: also notebooks whose stamp has not changed.
        report: told what became of each.
        jobs: notebooks executed side by side.

    Raises:
        NotebookFailed: for the first that did not run to its end, when all others have.
        ValueError: for a claim that is malformed, before anything is written.
    """
    for claim in claims.read():
        if claim.experiment:
            measure_of(claim)
    longest_first = sorted(sources, key=lambda source: source.stat().st_size, reverse=True)
    work = (
        notebooks.Task(source, hash_of(source.stem, workspace), workspace, rewrite)
        for source in longest_first
    )
    failed = []
    for result in notebooks.side_by_side(work, len(sources), jobs):
        if isinstance(result, notebooks.NotebookFailed):
            failed.append(result)
        else:
            report(result)
    if failed:
        raise failed[0]
    if workspace.ships and set(sources) == set(notebooks.sources()):
        for name, changed in update_pages().items():
            report(told(name, changed))


def told(name: str, changed: bool) -> str:
    """What became of a file, in a line."""
    return f"{name}: {'rewritten' if changed else 'unchanged'}"


def hash_of(notebook: str, workspace: Workspace) -> str:
    """The hash of the records that a notebook shows."""
    names = index.notebook_experiments(notebook)
    return "-".join(Study(name, workspace).records_hash for name in names)

"""From records to everything people look at: notebooks, figures, verdicts, index, README."""

from collections.abc import Callable
from pathlib import Path

from .. import experiments, paths
from ..records import claims
from . import index, notebooks, readme
from .study import Study

Report = Callable[[str], None]


def studies(profile: str = "laptop", fresh: bool = False) -> dict[str, Study]:
    """Every experiment's study."""
    return {name: Study(name, profile, fresh) for name in experiments.EXPERIMENTS}


def judged(profile: str = "laptop", fresh: bool = False) -> list[claims.Judged]:
    """All verdicts, failing claims first."""
    found = [one for study in studies(profile, fresh).values() for one in study.judged()]
    return sorted(found, key=lambda one: claims.ORDER[one.verdict])


def index_entries() -> list[index.Entry]:
    """The index with the totals of the shipped records."""
    totals = {}
    for name, study in studies().items():
        if all(one.complete for one in study.plans.values()):
            seconds = [record["provenance"]["seconds"] for record in study.records.values()]
            totals[name] = (len(seconds), sum(seconds))
    return index.entries(totals)


def computing_time() -> tuple[float, int]:
    """Core seconds of the shipped records, and how many runs have none yet."""
    plans = [one for study in studies().values() for one in study.plans.values()]
    every = [record for one in plans for record in one.found.values()]
    return sum(r["provenance"]["seconds"] for r in every), sum(len(one.missing) for one in plans)


def update_readme() -> bool:
    """Rewrite the generated parts of README.md; returns whether it changed."""
    return readme.update(judged(), *computing_time())


def reproduce(
    sources: list[Path], profile: str, fresh: bool, rewrite: bool, report: Report
) -> None:
    """Execute notebooks on the records that are there and rewrite what is made from them."""
    found = studies(profile, fresh)
    for source in sources:
        shown = [found[name] for name in index.notebook_experiments(source.stem)]
        records = "-".join(study.records_hash for study in shown)
        result = notebooks.reproduce(source, records, profile, fresh, rewrite)
        report(f"{source.stem}: executed, {result}")
    if paths.output(profile, fresh) == paths.root():
        report(f"README.md: {'rewritten' if update_readme() else 'unchanged'}")

"""What `--dry-run` says: how long runs take, from the records of runs like them."""

from ..records.workspace import Workspace


def foretold(missing, workspace, records, jobs) -> list[str]:
    """What computing runs takes, with the runs that they start from and that are not there.

    Args:
        missing: the runs.
        workspace: where they are computed.
        records: of their experiment, in that workspace or another file.
        jobs: workers.
    """
    from ..execution.estimate import estimate
    from ..execution.plan import ancestors

    before = ancestors(missing, workspace)
    runs = {**{spec.id: spec for spec in missing}, **before}
    known = dict(records)
    for name in {spec.experiment for spec in runs.values()}:
        known |= {**Workspace().records(name), **workspace.records(name)}
    guess = estimate(runs.values(), known)
    models = f", {len(before)} of them models that others start from" if before else ""
    wall = max(guess.seconds / jobs, guess.longest)  # one run is of one worker
    return [
        f"{len(runs)} runs to compute{models}:",
        f"about {guess.seconds / 3600:.2f} core hours, {wall / 60:.0f} min on "
        f"{jobs} workers of {guess.memory_mib} MiB,",
        f"estimated from {guess.measured} records",
    ]

"""The command ``abstractor``. It starts fast: torch is imported only by commands that compute."""

import os

for _threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # before numpy or torch is imported

import json
import math
import sys
from pathlib import Path

import click

from . import Failure, __version__, experiments
from .experiments.experiment import PROFILES
from .experiments.protocol import PROTOCOLS
from .interrupts import Interrupted, orderly_end
from .records import store
from .records.workspace import Workspace

PROFILE = click.Choice(PROFILES)
BAD_INPUT = (ValueError, store.Busy)


class Commands(click.Group):
    """Reports bad input in one sentence, with exit status 2, and an end by signal likewise."""

    def invoke(self, ctx: click.Context):
        try:
            with orderly_end():
                return super().invoke(ctx)
        except Interrupted as error:
            click.echo(f"abstractor: {error}", err=True)
            ctx.exit(error.status)
        except OSError as error:
            click.echo(f"abstractor: {error.filename or ''}: {error.strerror or error}", err=True)
            ctx.exit(2)
        except BAD_INPUT as error:
            click.echo(f"abstractor: {error}", err=True)
            ctx.exit(2)
        except Failure as error:
            click.echo(f"abstractor: {error}", err=True)
            ctx.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="abstractor")
def main() -> None:
    """Compute, check and redraw the experiments of the Abstractor papers."""


@main.command()
@click.argument("experiment")
@click.option("--profile", type=PROFILE, default="laptop", show_default=True)
@click.option("--protocol", "protocols", multiple=True, type=click.Choice(PROTOCOLS))
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), show_default="cores")
@click.option("--backend", type=click.Choice(["loky", "ray"]), default="loky", show_default=True)
@click.option("--address", metavar="HOST:PORT", help="Of a Ray cluster; else one starts here.")
@click.option("--shard", "part", metavar="I/K", help="Compute the I-th of K shares.")
@click.option("--fresh", is_flag=True, help="Ignore shipped records; write to build/PROFILE.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record file to complete instead; merge files by concatenation.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be computed, and how long it takes.")
def run(
    experiment, profile, protocols, device, jobs, backend, address, part, fresh, out, dry_run
) -> None:
    """Compute the missing runs of EXPERIMENT, all protocols unless --protocol says which."""
    from .execution.plan import estimate, plan, shard

    experiments.get(experiment)
    workspace = Workspace(profile, fresh)
    records = store.load(out) if out else workspace.records(experiment)
    plans = [plan(experiment, name, workspace, records) for name in protocols or PROTOCOLS]
    missing = [spec for one in plans for spec in one.missing]
    if part is not None:
        mine = shard([spec.id for one in plans for spec in one.specs], part)
        missing = [spec for spec in missing if spec.id in set(mine)]
    for one in plans:
        click.echo(f"{one.protocol:10} {len(one.found):5} found {len(one.missing):5} missing")
    if dry_run:
        guess = estimate(missing, records or Workspace().records(experiment))
        click.echo(
            f"{len(missing)} runs to compute: about {guess.seconds / 3600:.2f} core hours, "
            f"{guess.seconds / 60 / jobs:.0f} min on {jobs} workers of {guess.memory_mib} MiB "
            f"(from {guess.measured} records)"
        )
        return
    from .execution.driver import check_device, compute_missing
    from .execution.executors import executor

    if backend == "loky":  # a cluster knows its devices
        check_device(device)
    with executor(backend, jobs, address) as workers:
        done = compute_missing(
            missing, workspace, path=out, executor=workers, device=device, label=experiment
        )
    click.echo(f"{done} runs computed")


@main.command()
@click.option("--profile", type=PROFILE, default="laptop", show_default=True)
@click.option("--fresh", is_flag=True, help="Train everything anew, in build/PROFILE.")
@click.option("--only", metavar="NN", help="One notebook, by number or name.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), show_default="cores")
@click.option("--audit", "budget", default=30.0, show_default=True, help="Seconds of audit.")
@click.option("--rewrite", is_flag=True, help="Rewrite notebooks whose stamp has not changed.")
def reproduce(profile, fresh, only, jobs, budget, rewrite) -> None:
    """Audit, execute the notebooks, redraw every figure, table and verdict.

    Anything but the shipped laptop records is computed first and goes to build/PROFILE.
    """
    from .reporting import index, notebooks
    from .reporting.reproduce import reproduce as redo

    if not 0 <= budget < float("inf"):
        raise ValueError(f"--audit is {budget}; expected seconds, 0 for none")
    workspace = Workspace(profile, fresh)
    sources = [notebooks.find(only)] if only else notebooks.sources()
    shown = {name for source in sources for name in index.notebook_experiments(source.stem)}
    needed = [name for name in experiments.every() if name in shown]
    found = None
    if not workspace.ships:
        _compute(needed, workspace, jobs)
    elif budget > 0:
        found = _audit(needed, budget, None)
    redo(sources, workspace, rewrite, click.echo, jobs)
    if found is not None:
        _tell(found)


def _compute(names: list[str], workspace: Workspace, jobs: int) -> None:
    """Compute what the grids of experiments lack, all of it if the workspace is fresh."""
    from .execution.driver import compute_missing
    from .execution.executors import executor
    from .execution.plan import plan

    for name in names if workspace.fresh else ():
        workspace.forget(name)
    with executor(jobs=jobs) as workers:
        for name in names:
            records = workspace.records(name)
            plans = [plan(name, protocol, workspace, records) for protocol in PROTOCOLS]
            missing = [spec for one in plans for spec in one.missing]
            compute_missing(missing, workspace, executor=workers, label=name)


@main.command()
@click.option("--profile", type=PROFILE, default="laptop", show_default=True)
@click.option("--json", "as_json", is_flag=True)
def status(profile, as_json) -> None:
    """What each grid has and lacks."""
    from .execution.plan import plan

    rows, workspace = [], Workspace(profile)
    for name in experiments.every():
        records = workspace.records(name)
        for protocol in PROTOCOLS:
            one = plan(name, protocol, workspace, records)
            if not one.specs:  # a section of mathematics has one protocol
                continue
            rows.append(
                {
                    "experiment": name,
                    "profile": profile,
                    "protocol": protocol,
                    "runs": len(one.specs),
                    "fresh": len(one.found),
                    "stale": len(one.stale),
                    "missing": len(one.missing) - len(one.stale),
                    "why": one.why,
                }
            )
    _show(rows, as_json, ["experiment", "protocol", "runs", "fresh", "stale", "missing", "why"])


@main.command()
@click.option("--profile", type=PROFILE, default="laptop", show_default=True)
@click.option("--json", "as_json", is_flag=True)
def claims(profile, as_json) -> None:
    """Which statements of the papers hold, failing ones first."""
    from .reporting.reproduce import judged, studies

    rows = [one.row() for one in judged(studies(Workspace(profile)))]
    for row in [] if as_json else rows:
        row["measured"] = _interval(row)
    _show(rows, as_json, ["id", "protocol", "verdict", "measured"])


def _interval(row: dict) -> str:
    from .findings.statistics import number

    if row["measured"] is None:
        return ""
    measured, low, high = (number(row[name]) for name in ("measured", "low", "high"))
    return f"{measured} [{low}, {high}]"


@main.command()
@click.option("--json", "as_json", is_flag=True)
def index(as_json) -> None:
    """Where each figure, table and theorem of the papers is done."""
    from .reporting.reproduce import index_entries

    _show([entry.row() for entry in index_entries()], as_json, ["id", "status", "notebook"])


@main.command()
@click.option("--budget", type=float, default=30.0, show_default=True, help="Seconds.")
@click.option("--experiment", help="Only records of this experiment.")
@click.option("--seed", type=int, help="Repeat a draw; by default each audit draws anew.")
def audit(budget, experiment, seed) -> None:
    """Recompute shipped records drawn at random; exit 1 if one does not come out again."""
    if not 0 < budget < float("inf"):
        raise ValueError(f"--budget is {budget}; expected seconds above zero")
    if experiment is not None:
        experiments.get(experiment)
    names = [experiment] if experiment else list(experiments.every())
    _tell(_audit(names, budget, seed))


def _tell(found) -> None:
    """Say what an audit found; a disagreement ends the command with exit status 1."""
    for line in found.lines:
        click.echo(line)
    click.echo(found.total)
    if found.verdict:
        raise Failure(found.verdict)


def _audit(names: list[str], budget: float, seed: int | None):
    """Audit the records that ship."""
    from .execution.audit import audit as look
    from .execution.audit import summary
    from .execution.driver import weights_of_parents

    workspace = Workspace()
    records = {}
    for name in names:
        records |= workspace.records(name)
    checks = look(records, budget, weights_of_parents(workspace), seed)
    return summary(checks, len(records))


@main.command()
@click.argument("run")
def show(run) -> None:
    """Print the record of RUN, a run id or its beginning."""
    click.echo(json.dumps(_record(run), indent=1, sort_keys=True))


def _record(run: str) -> dict:
    """The one shipped record whose id begins with ``run``."""
    found = {}
    for name in experiments.every():
        records = Workspace().records(name)
        found |= {key: record for key, record in records.items() if key.startswith(run)}
    if len(found) != 1:
        problem = "no record has it" if not found else f"{len(found)} records begin so"
        raise ValueError(f"RUN is {run!r}; {problem}")
    return next(iter(found.values()))


@main.command()
@click.argument("experiment")
@click.option("--format", "kind", type=click.Choice(["csv"]), default="csv", show_default=True)
def export(experiment, kind) -> None:
    """Print the trials of EXPERIMENT as a table, one row a trial."""
    from .records.frame import frame

    found = experiments.get(experiment)
    records = Workspace().records(experiment)
    click.echo(frame(records.values(), found.columns, found.derived).to_csv(index=False), nl=False)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def timing(name, command) -> None:
    """Run COMMAND and note its wall time as NAME in the README."""
    from .reporting import readme
    from .reporting.reproduce import update_readme

    status = readme.time_command(name, command)
    if status == 0:
        update_readme()
    sys.exit(status)


def _show(rows: list[dict], as_json: bool, columns: list[str]) -> None:
    """Print rows as JSON, ends without a bound as null, or the named columns as a table that fits
    a terminal."""
    if as_json:
        rows = [{k: None if v == math.inf else v for k, v in row.items()} for row in rows]
        click.echo(json.dumps(rows, indent=1, allow_nan=False))
        return
    cells = [columns, *([str(row[name]) for name in columns] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


if __name__ == "__main__":
    main()

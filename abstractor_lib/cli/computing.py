"""The commands that compute: runs, the audit of records, the notebooks."""

import sys

import click

from .. import Failure, experiments
from ..experiments.protocol import PROTOCOLS, check
from ..records import store
from ..records.workspace import Workspace
from . import own
from .completing import EXPERIMENTS
from .foretelling import foretold
from .options import JOBS, PROFILE, record_file

ENGINES = ("rllib",)  # what drives some runs, and this package does not bring along
MAIN = "main"  # what the command calls the part of a grid that has no name


@click.command()
@click.argument("experiment", shell_complete=EXPERIMENTS)
@own.options
@PROFILE
@click.option("--protocol", "protocols", multiple=True, type=click.Choice(PROTOCOLS))
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@JOBS
@click.option("--backend", type=click.Choice(["loky", "ray"]), default="loky", show_default=True)
@click.option("--address", metavar="HOST:PORT", help="Of a Ray cluster; else one starts here.")
@click.option("--engine", type=click.Choice(ENGINES), help="The runs that it drives, on Ray.")
@click.option("--part", metavar="NAME", help="One part of the grid; 'main' for the main one.")
@click.option("--shard", "share", metavar="I/K", help="Compute the I-th of K shares.")
@click.option("--fresh", is_flag=True, help="Ignore shipped records; write to build/PROFILE.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    callback=record_file,
    metavar="FILE",
    help="Record file to complete instead, packed or not; merge files by concatenation.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be computed, and how long it takes.")
def run(
    experiment,
    profile,
    protocols,
    device,
    jobs,
    backend,
    address,
    engine,
    part,
    share,
    fresh,
    out,
    dry_run,
    **chosen,
) -> None:
    """Compute the missing runs of EXPERIMENT.

    All protocols, unless --protocol says which. Runs that another engine drives, with --engine.

    With --model, --size, --updates or --set one run of your own instead: that of the grid with
    these settings. Its record lies in build/own, apart from those that ship.
    """
    if own.asked(**chosen):
        own.refuse(part=part, shard=share, fresh=fresh, out=out, engine=engine)
        own.run(experiment, profile, protocols, device, backend, address, dry_run, **chosen)
        return
    from ..execution.plan import plan, shard, with_engine

    experiments.get(experiment)
    workspace = Workspace(profile, fresh)
    records = store.load(out) if out else workspace.records(experiment)
    plans = [plan(experiment, name, workspace, records) for name in protocols or PROTOCOLS]
    missing = [spec for one in plans for spec in one.missing]
    others = len(missing) - len(missing := with_engine(missing, engine))
    if part is not None:
        names = dict.fromkeys(spec.part or MAIN for one in plans for spec in one.specs)
        check("part", part, names)
        missing = [spec for spec in missing if (spec.part or MAIN) == part]
    if share is not None:
        mine = shard([spec.id for one in plans for spec in one.specs], share)
        missing = [spec for spec in missing if spec.id in set(mine)]
    for one in plans:
        click.echo(f"{one.protocol:10} {len(one.records):5} found {len(one.missing):5} missing")
    if others and engine is None:
        click.echo(f"{others} of them are left to --engine {', '.join(ENGINES)}")
    if dry_run:
        if not missing:
            click.echo("Nothing is missing.")
            return
        for line in foretold(missing, workspace, records, jobs):
            click.echo(line)
        return
    from ..execution.backends import executor
    from ..execution.driver import check_device, compute_missing

    if backend == "loky":  # a cluster knows its devices
        check_device(device)
    with executor(backend, jobs, address, engine) as workers:
        done = compute_missing(
            missing, workspace, path=out, executor=workers, device=device, label=experiment
        )
    click.echo(f"{done} runs computed")


@click.command()
@PROFILE
@click.option(
    "--fresh",
    is_flag=True,
    help="Train everything anew, in build/PROFILE; goes on where a call did not come to its end.",
)
@click.option("--only", metavar="NN", help="One notebook, by number or name.")
@JOBS
@click.option("--audit", "budget", default=30.0, show_default=True, help="Seconds of audit.")
@click.option("--rewrite", is_flag=True, help="Rewrite notebooks whose stamp has not changed.")
def reproduce(profile, fresh, only, jobs, budget, rewrite) -> None:
    """Audit, execute notebooks, redraw figures and verdicts.

    With --only, one notebook and what it shows. Anything but the shipped laptop records is computed
    first and goes to build/PROFILE.
    """
    from ..pages import index, notebooks
    from ..pages.reproduce import reproduce as redo

    if not 0 <= budget < float("inf"):
        raise ValueError(f"--audit is {budget}; expected seconds, 0 for none")
    workspace = Workspace(profile, fresh)
    sources = [notebooks.find(only)] if only else notebooks.sources()
    shown = {name for source in sources for name in index.notebook_experiments(source.stem)}
    needed = [name for name in experiments.by_name() if name in shown]
    audited = None
    if not workspace.ships:
        from ..execution.driver import complete
        from .data import check_there

        with workspace.one_at_a_time():  # of a call that still runs nothing is known
            going_on = workspace.begun(needed) if fresh else []
        for name in going_on:
            count = len(workspace.records(name))
            click.echo(f"{name}: goes on after {count} runs of a call that did not come to its end")
        if "mathematics" in needed:
            anew = fresh and "mathematics" not in going_on
            check_there(profile, {} if anew else workspace.records("mathematics"))
        complete(needed, workspace, jobs, anew=fresh)
    elif budget > 0:
        from ..execution.audit import audit_shipped

        audited = audit_shipped(needed, budget)
    redo(sources, workspace, rewrite, click.echo, jobs)
    if fresh:
        with workspace.one_at_a_time():
            workspace.end(needed)
    if audited is not None:
        _tell(audited)


@click.command()
@click.option("--budget", type=float, default=30.0, show_default=True, help="Seconds.")
@click.option("--experiment", help="Only records of this experiment.")
@click.option("--seed", type=int, help="Repeat a draw; by default each audit draws anew.")
def audit(budget, experiment, seed) -> None:
    """Compute shipped records drawn at random again.

    The exit status is 1 if one does not come out again.
    """
    if not 0 < budget < float("inf"):
        raise ValueError(f"--budget is {budget}; expected seconds above zero")
    if experiment is not None:
        experiments.get(experiment)
    from ..execution.audit import audit_shipped

    names = [experiment] if experiment else list(experiments.by_name())
    _tell(audit_shipped(names, budget, seed))


def _tell(audited) -> None:
    """Say what an audit found; a disagreement ends the command with exit status 1."""
    for line in audited.lines:
        click.echo(line)
    click.echo(audited.total)
    if audited.verdict:
        raise Failure(audited.verdict)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("name")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def timing(name, command) -> None:
    """Run COMMAND; note its wall time in the README.

    NAME orders the lines of the README's table.
    """
    from ..pages import readme
    from ..pages.reproduce import update_pages

    status = readme.time_command(name, command)
    if status == 0:
        update_pages()
    else:
        click.echo(f"abstractor: {command[0]} ended with status {status}; not noted", err=True)
    sys.exit(status)


@click.command()
def site() -> None:
    """Build the site from the executed notebooks.

    It lies in build/site. `make site` installs Sphinx first.
    """
    from ..pages.site.build import build

    click.echo(build())


@click.command()
@click.option("--reviewer", default="", help="Who computes a run of each section again.")
def paper(reviewer) -> None:
    """Typeset the paper.

    It lies in build/paper.pdf. Its numbers are those that `abstractor readme` wrote. With
    `--reviewer`, short runs are computed again first, in some minutes, and stand in a table beside
    the papers' numbers and ours.
    """
    from ..pages.paper.typeset import build

    click.echo(build(reviewer))


@click.command()
def release() -> None:
    """Make an archive of the last commit, with checksums.

    They lie in build/release, with what has changed. Versions must be equal in all files.
    """
    from ..pages.release import build

    for path in build():
        click.echo(path)


@click.command()
def readme() -> None:
    """Rewrite CLAIMS.md, ARTIFACT.md and parts of README.md.

    Also the pages of findings, of what fails and of deviations, codemeta.json, and the numbers of
    the paper. Everything comes from the records.
    """
    from ..pages.reproduce import told, update_pages

    for name, changed in update_pages().items():
        click.echo(told(name, changed))

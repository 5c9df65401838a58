"""Runs of one's own: one model at one size, with settings that the command names."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import click

from .. import InOneSentence, experiments
from ..experiments.protocol import PROTOCOLS
from ..records import store
from ..records.spec import Spec
from ..records.workspace import Workspace
from . import printing
from .completing import models
from .foretelling import foretold
from .record import mean, plain

OPTIONS = (
    click.option(
        "--model", metavar="NAME", shell_complete=models, help="A run of your own, of that model."
    ),
    click.option("--size", type=int, metavar="N", help="Its training set size, one of the grid's."),
    click.option("--updates", type=click.IntRange(1), metavar="N", help="Its budget."),
    click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        help="A setting of it, such as learning_rate=3e-4; repeatable. "
        "A name that it does not have is answered with those it has.",
    ),
)


def options(command: Callable) -> Callable:
    """Gives a command the options of a run of one's own."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def asked(model, size, updates, settings) -> bool:
    """Whether a run of one's own is asked for."""
    return bool(model is not None or size is not None or updates is not None or settings)


def refuse(**others) -> None:
    """Raise ValueError for an option, by name, that a run of one's own does not take."""
    for name, given in others.items():
        if given:
            raise ValueError(
                f"--{name} is given with a run of your own (--model, --size, --updates, --set); "
                "expected it with runs of a grid only"
            )


def run(
    experiment: str,
    profile: str,
    protocols: Sequence[str],
    device: str,
    backend: str,
    address: str | None,
    dry_run: bool,
    *,
    model: str | None,
    size: int | None,
    updates: int | None,
    settings: Sequence[str],
) -> None:
    """Compute one run and print its metrics beside those of the nearest run that ships."""
    from ..experiments import own

    known = experiments.get(experiment)
    base = own.chosen(known, profile, protocols or PROTOCOLS, model, size)
    point = known.columns(base.canonical())
    budget = [f"updates={updates}"] if updates is not None else []
    spec = own.changed(base, [*settings, *budget])
    workspace, shipped = Workspace(profile, own=True), Workspace().records(experiment)
    path = workspace.file(experiment)
    told = ", ".join([f"{point['model']}", f"size {point['size']}", *settings, *budget])
    for line in printing.field("", [f"{experiment}, {spec.protocol}: {told}"], 0):
        click.echo(line)
    if dry_run:
        for line in foretold([spec], workspace, shipped, 1):
            click.echo(line)
        return
    if spec.id not in store.load(path):
        _compute(spec, workspace, device, backend, address)
    record = store.load(path)[spec.id]
    for line in beside(record, own.nearest(known, spec, point, shipped.values())):
        click.echo(line)
    click.echo(f"Your run: {printing.relative(path)}, which no figure or verdict reads.")
    click.echo(f"abstractor show {spec.id[:12]} prints it.")


def _compute(spec: Spec, workspace: Workspace, device: str, backend: str, address) -> None:
    """Compute a run and the models that it starts from and that are not there."""
    from ..execution.backends import executor
    from ..execution.driver import check_device, compute_missing
    from ..execution.plan import ancestors

    if backend == "loky":
        check_device(device)
    if before := ancestors([spec], workspace):
        click.echo(f"{len(before)} models that it starts from are computed first.")
    try:
        with executor(backend, 1, address) as workers:
            compute_missing(
                [spec], workspace, executor=workers, device=device, label=spec.experiment
            )
    except InOneSentence:
        raise
    except (RuntimeError, TypeError, IndexError, ZeroDivisionError) as error:
        (first, *_) = str(error).splitlines() or [type(error).__name__]
        raise ValueError(f"--set gives settings that do not fit together: {first}") from error


def beside(record: Mapping, nearest) -> Iterator[str]:
    """Lines: each metric of a run, mean over trials, beside that of the nearest shipped one.

    Args:
        nearest: an `own.Nearest`; None if there is none.
    """
    shipped = nearest.record if nearest else {"metrics": {}}
    wide = max(map(len, record["metrics"]), default=0)
    heads = ["yours", f"{shipped['run'][:12]}, which ships" if nearest else ""]
    yield f"{'':{wide}}  {heads[0]:>10}  {heads[1]}".rstrip()
    for name, values in record["metrics"].items():
        theirs = shipped["metrics"].get(name)
        cell = "" if theirs is None else plain(mean(theirs))
        yield f"{name:{wide}}  {plain(mean(values)):>10}  {cell}".rstrip()
    count = record["spec"]["trials"]["count"]
    if not nearest:
        yield f"Mean of {count} trials. No run of this model ships."
        return
    theirs = shipped["spec"]["trials"]["count"]
    means = f"means of {count} trials" + f", and of {theirs}" * (theirs != count)
    differs = ", ".join(f"{name} {plain(value)}" for name, value in nearest.differs.items())
    told = f"the run that ships has {differs}" if differs else "both have the same settings"
    yield from printing.field("", [f"{means[0].upper()}{means[1:]}; {told}."], 0)

"""The command ``abstractor``. It starts fast: torch is imported only by commands that compute."""

import os

for _threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # before numpy or torch is imported

from pathlib import Path

import click

from . import __version__, experiments, paths
from .records import store

PROFILE = click.Choice(["smoke", "laptop", "paper"])
PROTOCOLS = ("described", "published", "sound")
BAD_INPUT = (ValueError, store.Busy, paths.NoCheckout)


class Commands(click.Group):
    """Reports bad input in one sentence, with exit status 2."""

    def invoke(self, ctx: click.Context):
        try:
            return super().invoke(ctx)
        except BAD_INPUT as error:
            click.echo(f"abstractor: {error}", err=True)
            ctx.exit(2)


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
@click.option("--shard", "part", metavar="I/K", help="Compute the I-th of K shares.")
@click.option("--fresh", is_flag=True, help="Ignore shipped records; write to build/PROFILE.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Record file.")
@click.option("--dry-run", is_flag=True, help="Say what would be computed, and how long it takes.")
def run(experiment, profile, protocols, device, jobs, part, fresh, out, dry_run) -> None:
    """Compute the missing runs of EXPERIMENT, all protocols unless --protocol says which."""
    from .execution.plan import estimate, plan

    experiments.get(experiment)
    path = out or paths.records(experiment, profile, fresh)
    records = store.load(path)
    plans = [plan(experiment, profile, name, records) for name in protocols or PROTOCOLS]
    missing = [spec for one in plans for spec in one.missing]
    if part is not None:
        from .execution.driver import shard

        missing = shard(missing, part)
    for one in plans:
        click.echo(f"{one.protocol:10} {len(one.found):5} found {len(one.missing):5} missing")
    if dry_run:
        guess = estimate(missing, records or store.load(paths.records(experiment)))
        click.echo(
            f"{len(missing)} runs to compute: about {guess.seconds / 3600:.2f} core hours, "
            f"{guess.seconds / 60 / jobs:.0f} min on {jobs} workers of {guess.memory_mib} MiB "
            f"(from {guess.measured} records)"
        )
        return
    from .execution.driver import compute_missing

    done = compute_missing(missing, path, jobs=jobs, device=device, label=experiment)
    click.echo(f"{done} runs computed")


if __name__ == "__main__":
    main()

"""The commands that make data which do not ship."""

import click

from .options import JOBS

MOST = ("algebra__linear_1d", "algebra__sequence_next_term")  # their questions take least time
QUESTIONS, OTHERS = 2_000_000, 200_000


@click.group()
def data() -> None:
    """Make data that are too large to ship."""


@data.command()
@click.option("--task", "tasks", metavar="TASK", multiple=True, help="By default all five.")
@click.option(
    "--questions",
    type=click.IntRange(1),
    metavar="N",
    help=f"Training questions of each task, at least; by default {QUESTIONS:,} of "
    f"{' and '.join(MOST)}, {OTHERS:,} of the others.",
)
@JOBS
def mathematics(tasks, questions, jobs) -> None:
    """Generate mathematics problems.

    Training questions, and 10,000 validation questions of each task, in build/mathematics. Can be
    stopped and resumed. The first call installs the generator.
    """
    from ..execution.mathematics import environment
    from ..execution.mathematics.make import Source, make
    from ..tasks.mathematics import TASKS, files

    for task in tasks:
        if task not in TASKS:
            raise ValueError(f"--task is {task!r}; allowed: {', '.join(TASKS)}")
    where = files.folder()
    source = Source(environment.prepare(where / "environment", click.echo))
    for task in tasks or TASKS:
        wanted = questions or (QUESTIONS if task in MOST else OTHERS)
        made = make(source, where, task, wanted, jobs)
        click.echo(
            f"{task}: {made['train']:,} training, {made['validation']:,} validation questions"
        )

"""The commands that make data which do not ship."""

from collections.abc import Collection

import click

from ..records.workspace import PROFILES
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
@click.option(
    "--profile", type=click.Choice(PROFILES), help="As many as the runs of a profile need."
)
@JOBS
def mathematics(tasks, questions, profile, jobs) -> None:
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
    if questions and profile:
        raise ValueError(
            f"--questions is {questions} and --profile {profile}; expected one of them"
        )
    needed = needs(profile) if profile else {}
    for task in tasks:
        if profile and task not in needed:
            raise ValueError(
                f"--task is {task!r}, of which --profile {profile} needs no more than what ships; "
                f"allowed with it: {', '.join(needed) or 'none'}"
            )
    if profile and not needed:
        click.echo(f"the profile {profile} needs no more questions than those that ship")
        return
    where = files.folder()
    source = Source(environment.prepare(where / "environment", click.echo))
    for task in tasks or needed or TASKS:
        wanted = questions or needed.get(task) or (QUESTIONS if task in MOST else OTHERS)
        made = make(source, where, task, wanted, jobs)
        click.echo(
            f"{task}: {made['train']:,} training, {made['validation']:,} validation questions"
        )


def check_there(profile: str, recorded: Collection[str] = ()) -> None:
    """Say before anything is computed that questions are not there.

    Args:
        recorded: ids of runs that are not computed again.

    Raises:
        NotGenerated: if this machine has fewer than the other runs of a profile need.
    """
    from ..tasks.mathematics import NotGenerated, files

    for task, wanted in needs(profile, recorded).items():
        have = sum(part.kept for part in files.parts(files.folder(), task, "train"))
        if have < wanted:
            raise NotGenerated(
                f"{wanted:,} training questions of {task} are wanted, of which this machine has "
                f"{have:,}; abstractor data mathematics --profile {profile} makes them"
            )


def needs(profile: str, recorded: Collection[str] = ()) -> dict[str, int]:
    """How many training questions of each task the runs of a profile need, without those that are
    recorded; none of a task whose sample is enough."""
    from ..experiments.mathematics import EXPERIMENT
    from ..tasks.mathematics.problems import SAMPLE

    questions: dict[str, int] = {}
    for protocol in EXPERIMENT.protocols:
        for spec in EXPERIMENT.grid(profile, protocol):
            if spec.id in recorded:
                continue
            task = spec.task
            if task.train > SAMPLE["train"] or task.validation > SAMPLE["validation"]:
                questions[task.name] = max(questions.get(task.name, 0), task.train)
    return questions

"""Options that several commands have."""

import os
import tomllib
from pathlib import Path

import click

from .. import paths
from ..records.workspace import PROFILES

AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON and nothing else.")


def cores() -> int:
    """How many this process may use: a scheduler or a container may have given it fewer than the
    machine has."""
    from joblib import cpu_count  # slow to import

    return cpu_count()


JOBS = click.option("--jobs", type=click.IntRange(1), default=cores, show_default="cores")
PROFILE = click.option(
    "--profile", type=click.Choice(PROFILES), default="laptop", show_default=True
)
WORDS = ("holds", "fails", "undecided", "not run", "supported", "not supported", "yes", "no")
VERDICT = click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    metavar="WORD",
    callback=lambda ctx, param, given: {check_word(word) for word in given},
    shell_complete=lambda ctx, param, begun: [word for word in WORDS if word.startswith(begun)],
    help="Only verdicts of that word; 'fails' are 'not supported' and 'no' too.",
)
PAPER = click.option(
    "--paper",
    "papers",
    multiple=True,
    metavar="NAME",
    callback=lambda ctx, param, given: {check_paper(name) for name in given},
    help="Only claims of that paper: v1, v3, 003 (the draft), simplicial or curves.",
)


def check_word(word: str) -> str:
    """A word for a verdict.

    Raises:
        ValueError: if it is none.
    """
    if word not in WORDS:
        raise ValueError(f"--verdict is {word!r}; allowed: {', '.join(WORDS)}")
    return word


def check_paper(name: str) -> str:
    """The name of a paper.

    Raises:
        ValueError: if there is none of that name.
    """
    papers = list(tomllib.loads((paths.data() / "papers.toml").read_text(encoding="utf-8")))
    if name not in papers:
        raise ValueError(f"--paper is {name!r}; allowed: {', '.join(papers)}")
    return name


def record_file(ctx: click.Context, option: click.Parameter, value: str | None) -> Path | None:
    """A file to write records to, in a folder that is there: a name that was mistyped shows before
    anything is computed.

    Raises:
        BadParameter: if it is none.
    """
    if value is None:
        return None
    if not value:
        raise click.BadParameter("It is empty; expected the name of a file.", ctx, option)
    path = Path(value)
    if value.endswith(("/", os.sep)):
        raise click.BadParameter(f"File {value!r} is a directory.", ctx, option)
    if not path.parent.is_dir():
        problem = f"File {value!r} is in a directory that does not exist."
        raise click.BadParameter(problem, ctx, option)
    return path

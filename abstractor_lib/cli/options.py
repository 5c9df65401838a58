"""Options that several commands have."""

import os
from pathlib import Path

import click

from ..records.workspace import PROFILES

AS_JSON = click.option("--json", "as_json", is_flag=True)
JOBS = click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), show_default="cores")
PROFILE = click.option(
    "--profile", type=click.Choice(PROFILES), default="laptop", show_default=True
)


def record_file(ctx: click.Context, option: click.Parameter, value: str | None) -> Path | None:
    """A file to write records to, in a folder that is there: a name that was mistyped shows before
    anything is computed.

    Raises:
        BadParameter: if it is none.
    """
    if value is None:
        return None
    path = Path(value)
    if value.endswith(("/", os.sep)):
        raise click.BadParameter(f"File {value!r} is a directory.", ctx, option)
    if not path.parent.is_dir():
        problem = f"File {value!r} is in a directory that does not exist."
        raise click.BadParameter(problem, ctx, option)
    return path

"""Options that several commands have."""

import os

import click

from ..records.workspace import PROFILES

AS_JSON = click.option("--json", "as_json", is_flag=True)
JOBS = click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), show_default="cores")
PROFILE = click.option(
    "--profile", type=click.Choice(PROFILES), default="laptop", show_default=True
)

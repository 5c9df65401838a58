"""The command that makes record files small."""

import click

from .. import experiments
from ..records import files, packing
from ..records.workspace import Workspace


@click.command()
@click.argument("names", metavar="EXPERIMENT...", nargs=-1, required=True)
def pack(names) -> None:
    """Compress the shipped records of EXPERIMENT with gzip.

    Lines of data/records/EXPERIMENT.jsonl move into EXPERIMENT.jsonl.gz beside it. Every command
    reads both.
    """
    paths = {name: Workspace().file(experiments.get(name).name) for name in names}
    before = {name: files.size(path) for name, path in paths.items()}
    for name, size in before.items():
        if not size:
            raise ValueError(f"EXPERIMENT is {name!r}; it has no records to pack")
    for name, path in paths.items():
        packing.pack(path)
        click.echo(f"{name}: {before[name]:,} bytes before, {files.size(path):,} bytes after")

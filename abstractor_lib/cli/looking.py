"""The commands that show what is there: records, verdicts, the index."""

import json

import click

from .. import Failure, experiments
from ..experiments.protocol import PROTOCOLS
from ..records.workspace import Workspace
from . import printing
from .options import AS_JSON, PROFILE


@click.command()
@PROFILE
@AS_JSON
def status(profile, as_json) -> None:
    """What each grid has and lacks."""
    from ..execution.plan import plan

    rows, workspace = [], Workspace(profile)
    for name in experiments.by_name():
        records = workspace.records(name)
        for protocol in PROTOCOLS:
            grid = plan(name, protocol, workspace, records)
            if not grid.specs:  # a section of mathematics has one protocol
                continue
            rows.append(
                {
                    "experiment": name,
                    "profile": profile,
                    "protocol": protocol,
                    "runs": len(grid.specs),
                    "found": len(grid.records),
                    "stale": len(grid.stale),
                    "missing": len(grid.missing) - len(grid.stale),
                    "why": grid.why,
                }
            )
    columns = ["experiment", "protocol", "runs", "found", "stale", "missing", "why"]
    printing.rows(rows, as_json, columns)


@click.command()
@click.argument("name", default="")
@PROFILE
@click.option("--fresh", is_flag=True, help="Of runs trained with --fresh, in build/PROFILE.")
@AS_JSON
def claims(name, profile, fresh, as_json) -> None:
    """Which statements hold, by paper and section.

    With NAME, a claim or the beginning of several, their statements and numbers in full.
    """
    from ..findings.claims import read
    from ..pages import claims_page
    from ..pages.reproduce import judged, studies
    from ..reporting import verdicts

    wanted = {claim.id: claim.experiment for claim in read() if claim.id.startswith(name)}
    if not wanted:
        raise ValueError(f"NAME is {name!r}; no claim begins so (`abstractor claims` lists them)")
    names = set(filter(None, wanted.values()))
    shown = studies(Workspace(profile, fresh), of=names) if names else {}
    matching = [verdict for verdict in judged(shown) if verdict.id in wanted]
    if as_json:
        printing.rows([verdict.row() for verdict in matching], as_json, [])
        return
    signs = printing.signs(verdicts.SIGNS, verdicts.PLAIN_SIGNS)
    told = claims_page.in_full(matching, signs) if name else claims_page.listing(matching, signs)
    click.echo("\n".join(told))


@click.command()
@AS_JSON
def index(as_json) -> None:
    """Where each figure and theorem is done, or why it is open."""
    from ..pages.reproduce import index_entries

    rows = [entry.row() for entry in index_entries()]
    if as_json:
        printing.rows(rows, as_json, [])
        return
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        click.echo(printing.line(f"{row['id']:{width}}  {row['status']:4}  {row['title']}"))
        where = row["reason"] or ", ".join([row["notebook"], *row["further"]])
        click.echo(printing.line(f"    {where}"))


@click.command()
def check() -> None:
    """Whether executed notebooks fit their sources."""
    from ..pages import notebooks

    sources = notebooks.sources()
    found = [fault for source in sources for fault in notebooks.faults(source)]
    if found:
        raise Failure("\n".join(["notebooks have faults:", *found]))
    click.echo(f"{len(sources)} notebooks: in order")


@click.command()
@click.argument("run")
def show(run) -> None:
    """Print the record of RUN, a run id or its beginning."""
    click.echo(json.dumps(_record(run), indent=1, sort_keys=True))


def _record(run: str) -> dict:
    """The one shipped record whose id begins with ``run``."""
    matching = {}
    for name in experiments.by_name():
        records = Workspace().records(name)
        matching |= {key: record for key, record in records.items() if key.startswith(run)}
    if len(matching) != 1:
        problem = "no record has it" if not matching else f"{len(matching)} records begin so"
        raise ValueError(f"RUN is {run!r}; {problem}")
    return next(iter(matching.values()))


@click.command()
@click.argument("experiment")
@click.option("--format", "kind", type=click.Choice(["csv"]), default="csv", show_default=True)
def export(experiment, kind) -> None:
    """Print the trials of EXPERIMENT as a table."""
    from ..records.frame import frame

    known = experiments.get(experiment)
    records = Workspace().records(experiment)
    click.echo(frame(records.values(), known.columns, known.derived).to_csv(index=False), nl=False)

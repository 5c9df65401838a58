"""The commands that show what is there: records, verdicts, the index."""

import json

import click

from .. import Failure, experiments
from ..records import store
from ..records.workspace import PROFILES, Workspace
from . import printing
from .completing import CLAIMS, EXPERIMENTS, ITEMS
from .options import AS_JSON, PAPER, PROFILE, VERDICT


@click.command()
@PROFILE
@AS_JSON
def status(profile, as_json) -> None:
    """What each grid has and lacks."""
    from ..pages import answers

    columns = ["experiment", "protocol", "runs", "found", "stale", "missing", "why"]
    printing.rows(answers.grids(Workspace(profile)), as_json, columns)


@click.command()
@click.argument("name", default="", shell_complete=CLAIMS)
@VERDICT
@PAPER
@PROFILE
@click.option("--fresh", is_flag=True, help="Of runs trained with --fresh, in build/PROFILE.")
@click.option("--full", is_flag=True, help="Statements, numbers and reasons, as with NAME.")
@AS_JSON
def claims(name, verdicts, papers, profile, fresh, full, as_json) -> None:
    """Which statements hold, by paper and section.

    With NAME, statements, numbers and likely reasons in full: of a claim, of claims whose names
    begin so, of those of an experiment, or of those about a figure, table or theorem, such as
    'Figure 5b' or fig_v3_05b. Of several papers' figures of one number, 'v3 Figure 5b' names one.
    """
    from ..findings import statements
    from ..pages import answers, claims_page, names
    from ..reporting import verdicts as told

    wanted = {one.id: one.experiment for one in names.claims_called(name, statements.read())}
    found = [
        one
        for one in answers.judged(Workspace(profile, fresh), experiments_of(wanted))
        if one.id in wanted
        and (not papers or one.paper in papers)
        and (not verdicts or verdicts & {one.verdict, statements.word(one.origin, one.verdict)})
    ]
    if as_json:
        words = [statements.word(one.origin, one.verdict) for one in found]
        rows = [{**one.row(), "word": word} for one, word in zip(found, words, strict=True)]
        printing.rows(rows, as_json, [])
        return
    if not found:
        click.echo("No claim is so.")
        return
    signs = printing.signs(told.SIGNS, told.PLAIN_SIGNS)
    shown = claims_page.in_full if name or full else claims_page.listing
    printing.lines(shown(found, signs))
    if not name and any(one.verdict == "fails" for one in found):
        printing.lines(["", "docs/what_fails.md says why what the papers state fails."])


def experiments_of(wanted: dict[str, str]) -> list[str]:
    """The experiments of claims, each once; by claim, its own or none."""
    return [one for one in dict.fromkeys(wanted.values()) if one]


@click.command()
@click.argument("name", default="", shell_complete=ITEMS)
@AS_JSON
def index(name, as_json) -> None:
    """Where each figure and theorem is done, or why it is open.

    With NAME, such as fig_v3_05b or 'Figure 5b': its notebook and cell, the code, records,
    verdicts and files.
    """
    from ..pages import answers

    entries = answers.entries()
    if name:
        printing.details(_items(name, entries), as_json)
        return
    rows = [entry.row() for entry in entries]
    if as_json:
        printing.rows(rows, as_json, [])
        return
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        click.echo(printing.line(f"{row['id']:{width}}  {row['status']:4}  {row['title']}"))
        where = row["reason"] or ", ".join([row["notebook"], *row["further"]])
        click.echo(printing.line(f"    {where}"))


def _items(name: str, entries) -> list[dict]:
    """All about the items that are called so."""
    from ..pages import answers, names, places

    ids = names.called(name)
    if not ids:
        near = names.near(name, [entry.id for entry in entries])
        raise ValueError(
            f"NAME is {name!r}; no figure, table or theorem is called so{near} "
            "(`abstractor index` lists them)"
        )
    asked = [entry for entry in entries if entry.id in ids]
    wanted = {one.id: one.experiment for entry in asked for one in places.claims_of(entry)}
    judged = answers.judged(Workspace(), experiments_of(wanted))
    return [places.row(entry, judged) for entry in asked]


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
@AS_JSON
def show(run, as_json) -> None:
    """Print the record of RUN, a run id or its beginning.

    Runs of your own and those in build/PROFILE are found too, if none that ships begins so.
    """
    from .record import told

    record, file = _record(run)
    if as_json:
        click.echo(json.dumps(record, indent=1, sort_keys=True))
    else:
        printing.lines(told(record, file))


def _record(run: str) -> tuple[dict, str]:
    """The one record whose id begins with ``run``, and its file: one that ships, or of runs of
    one's own, or of a profile."""
    others = [Workspace(own=True), *(Workspace(profile, fresh=True) for profile in PROFILES)]
    for workspaces in ([Workspace()], others):
        matching = {}
        for workspace in workspaces:
            for name in experiments.names():
                path = workspace.file(name)
                for key, record in store.load(path, begins=run).items():
                    matching.setdefault(key, (record, printing.relative(path)))
        if len(matching) > 1:
            raise ValueError(f"RUN is {run!r}; {len(matching)} records begin so")
        if matching:
            return next(iter(matching.values()))
    raise ValueError(f"RUN is {run!r}; no record has it")


@click.command()
@click.argument("experiment", shell_complete=EXPERIMENTS)
@click.option("--format", "kind", type=click.Choice(["csv"]), default="csv", show_default=True)
def export(experiment, kind) -> None:
    """Print the trials of EXPERIMENT as a table."""
    from ..pages import answers

    click.echo(answers.table(experiments.get(experiment).name), nl=False)

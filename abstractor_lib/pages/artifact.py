"""ARTIFACT.md: for a reviewer. What to do in half an hour; claims C1, C2, ...; experiments E1, ...

Its claims are the rows of the table of verdicts in README.md, and the experiment E1 is notebook 01.
Verdicts, computing times and memory come from the records.
"""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from .. import experiments
from ..execution.estimate import core_seconds
from ..findings import statements
from ..findings.claims import Judged
from ..findings.statements import Claim
from ..records.store import on_gpu
from ..reporting import verdicts
from ..reporting.study import Study
from ..reporting.tables import markdown
from . import front_page, index, notebooks, readme
from .claims_page import link

PYTHONS = "3.11.5 to 3.14"  # for which there are wheels of all that requirements.lock names
COMMANDS = 3  # of a person, for each experiment
SAYS = {"stated": "states", "suggested": "suggests", "control": "does not say"}
TOP = """# Artifact appendix

For reviewers of the artifact. `abstractor reproduce` and `abstractor readme` write this page from
the records.

The artifact is this repository: the models as a library, the papers' experiments as notebooks, and
a *record* of every training run. A *claim* is a statement of a paper, or of ours, that a program
compares with the records. It gives the verdict; nobody types one. Each experiment is run under up
to three *protocols*: `described` is what the paper's text says, `published` what the authors'
public code and logs show, `sound` what we would choose today.

## What it needs

- Linux with Python {pythons} with `venv`, and `make`. The results were made on x86-64.
- Two cores, and {memory} of memory for each process that trains; {largest} for the largest runs,
  which were computed on a GPU.
- 5 to 6 GB from pip's index where that brings torch with CUDA, else about 2 GB. After that no
  network.
- No GPU, no account, no data of others.
"""
KICK = """## Thirty minutes: kick the tires

| step | command | is done when | time |
| --- | --- | --- | --- |
{rows}

Times are wall times on {machine}, without the download. Together they are {total} minutes. The
`Makefile` says what `make` calls. `make test` and `make reproduce` install into `.venv` if they
have to. [A container](Containerfile) is to do the same; it was not built.
Who has more time trains a tiny version of everything by
`.venv/bin/abstractor reproduce --profile smoke --fresh`; its figures lie in `build/smoke/figures`.
[README](README.md#two-commands) has its time.
"""
STEPS = (  # command, what has to come out
    ("make test", "all tests pass"),
    (
        "make reproduce",
        "its last line counts the records that agree, and in a clone `git status` shows no change",
    ),
)
CLAIMS = """## Claims

These are the claims of the table in the README. [CLAIMS.md](CLAIMS.md) has the others. ✓ holds
(*supported*, if the paper only suggests it), ✗ does not, ○ undecided, · not run. † (*post hoc*): we
chose something about the test after we had seen results. The number is what was measured, with its
95 % interval. A mark leads to the claim, which says what the number is. An empty cell: the claim
is not tested under that protocol.

{table}
"""
EXPERIMENTS = """## Experiments

E1 is notebook 01, and so on. *Core hours* are the times of the shipped records, on one core,
estimated where a GPU computed them; a run that others start from counts once. *Runs* have a
record. *Memory* is the most
that one process took. *Person* is our estimate, in minutes, which nobody timed: one for each of
{commands} commands, and one for each claim to compare.

{table}

To repeat E1 from nothing:

```console
source .venv/bin/activate
abstractor reproduce --fresh --only 01
abstractor claims order_v3_abstractor_learns
abstractor claims order_v3_abstractor_learns --fresh
```

`reproduce` trains all runs, and draws figures and tables in `build/laptop`. The first `claims`
prints the shipped verdict on C1, the second the verdict on your runs. The verdicts should agree. On
the same class of processor the numbers are the same, on another one they differ a little
([why](docs/how_numbers_are_made.md#what-repeats-and-how-exactly)).

- E12 needs `abstractor data mathematics --profile laptop` first, which makes the questions and
  needs a network.
- Runs *without a record* are planned and not computed, or others start from them; training from
  nothing computes them too.
  What rests on them is *not run*. `abstractor run NAME --dry-run` says how long they take.
- To check records without training everything: `abstractor audit --experiment order --budget 600`
  computes records drawn at random again.

## What else a reviewer may ask

| question | answer |
| --- | --- |
| What do you do differently from the papers? | [Deviations](docs/deviations.md) |
| What is not covered? | [Limits](docs/limits.md) |
| Which badges and checklists does this meet? | [Checklist](docs/checklist.md) |
| What may I do with it? | [MIT licence](LICENSE) |
| How do I use the library? | [The library](docs/library.md) |
| How do I add a task of my own? | [Notebook 90](notebooks/90_your_own_task.ipynb) |
"""


def page(judged: Sequence[Judged], shown: Mapping[str, Study]) -> str:
    """The whole page.

    Args:
        judged: all verdicts.
        shown: the studies of all experiments, by name.
    """
    plans = [plan for study in shown.values() for plan in study.plans.values()]
    records = [record for plan in plans for record in plan.records.values()]
    top = TOP.format(pythons=PYTHONS, memory=_gib(records), largest=_gib(records, gpus=True))
    claims = CLAIMS.format(table=claims_table(front_page.by_protocol(judged)))
    rows = EXPERIMENTS.format(commands=COMMANDS, table=experiments_table(shown))
    return "\n".join((top, kick_the_tires(), claims, rows))


def numbered() -> dict[str, Claim]:
    """The claims C1, C2, ... by number.

    Example:
        >>> numbered()["C1"].id
        'order_v3_abstractor_learns'
    """
    known = {claim.id: claim for claim in statements.read()}
    return {f"C{k}": known[row["claim"]] for k, row in enumerate(front_page.read()["row"], 1)}


def kick_the_tires() -> str:
    """What to do in half an hour, with times that were measured (`readme.timings`)."""
    measured = {found["command"]: found for found in readme.timings().values()}
    rows = [
        f"| {step} | `{command}` | {outcome} | {readme.minutes(measured[command]['seconds'])} |"
        for step, (command, outcome) in enumerate(STEPS, start=1)
    ]
    total = sum(measured[command]["seconds"] for command, _ in STEPS)
    machine = " and on ".join({measured[command]["machine"]: 0 for command, _ in STEPS})
    return KICK.format(rows="\n".join(rows), machine=machine, total=f"{total / 60:.0f}")


def claims_table(known: front_page.Known) -> str:
    """The claims with their verdicts, experiment and figure."""
    rows = []
    for number, claim in numbered().items():
        expected = {
            protocol: f"{mark} {_measured(known[claim.id, protocol])}".strip() if mark else ""
            for protocol, mark in front_page.marks(claim.id, known).items()
        }
        rows.append(
            {
                "": number,
                "statement": claim.statement,
                "paper": _whose(claim),
                **expected,
                "tested by": experiment_of(claim),
                "shown in": f"[figure]({link(claim.figure)})" if claim.figure else "",
            }
        )
    return markdown(pd.DataFrame(rows))


def _whose(claim: Claim) -> str:
    """The paper and section, and whether it states or suggests the claim."""
    return f"{verdicts.papers()[claim.paper]['name']} {claim.section} {SAYS[claim.origin]} it"


def _measured(one: Judged) -> str:
    return "" if one.interval is None else verdicts.measured(one.interval)


def experiment_of(claim: Claim) -> str:
    """E1, E2, ...: the notebook that shows the runs which test a claim; empty if none does."""
    if not claim.experiment:
        return ""
    return _label(experiments.get(claim.experiment).notebooks[0])


def _label(notebook: str) -> str:
    return f"E{int(notebook[:2])}"


def experiments_table(shown: Mapping[str, Study]) -> str:
    """The experiments: what they test, and what they take. A run that others start from counts in
    the experiment that has it in its grid; if none has, in the first that starts from it."""
    rows = []
    grids = [plan for study in shown.values() for plan in study.plans.values()]
    counted = {run for plan in grids for run in plan.records}
    planned = {spec.id for plan in grids for spec in plan.specs}
    for source in notebooks.sources():
        names = index.notebook_experiments(source.stem)
        if not names:
            continue
        label = _label(source.stem)
        tests = [number for number, claim in numbered().items() if experiment_of(claim) == label]
        plans = [plan for name in names for plan in shown[name].plans.values()]
        records = [record for plan in plans for record in plan.records.values()]
        lacking = sum(len(plan.missing) - len(plan.bare) for plan in plans)
        for ancestors in (shown[name].ancestors() for name in names):
            records += [one for run, one in ancestors.items() if one and run not in counted]
            new = {run for run, one in ancestors.items() if one is None} - counted - planned
            lacking += len(new)
            counted |= set(ancestors)
        rows.append(
            {
                "": f"[{label}](notebooks/{source.stem}.ipynb)",
                "name": ", ".join(f"`{name}`" for name in names),
                "tests": ", ".join(tests),
                "person": COMMANDS + len(tests),
                "core hours": f"{core_seconds(records) / 3600:.2f}",
                "memory": _gib(records),
                "runs": len(records),
                "without a record": lacking,
            }
        )
    return markdown(pd.DataFrame(rows))


def _gib(records: Iterable[Mapping], gpus: bool = False) -> str:
    """The most memory that one process took on a CPU; with ``gpus``, beside a GPU too."""
    known = (one["provenance"]["peak_memory_mib"] for one in records if gpus or not on_gpu(one))
    return f"{max(known) / 1024:.1f} GiB"

"""The grid of the sparse recovery experiment.

Ten trials left the exponent of d undecided: mean -0.518, standard deviation 0.031, interval up to
-0.487, bound -1/2. If these are the true mean and spread, fifty trials bring the interval below
the bound with a probability of 0.95. So the rates have forty more where eq. 3.17 is small.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from .settings import GIVEN, Model, Solver, SparseProtocol, Task

GOOD = 0.4  # of the pivotal penalty: inside the window where recovery is exact
PIVOTAL = 1.0
CROSS_VALIDATED = 0.0
INSIDE = 0.5  # eq. 3.17 is at most that, without its constants, where claims call it small
FURTHER = "further trials"  # a part of the grid


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    rows: int  # of the phase diagram and of the penalty's
    columns: int
    nonzeros: tuple[int, ...]
    errors: tuple[float, ...]
    rate_columns: int
    rate_rows: tuple[int, ...]
    rate_nonzeros: tuple[int, ...]
    more_columns: tuple[tuple[int, int], ...]  # (m, k) of further rates
    more_rows: tuple[int, ...]  # further rates, where m is at most rate_columns
    rate_errors: tuple[float, ...]
    small: float  # where eq. 3.17 is at most this, rates with the pivotal penalty too
    multiples: tuple[float, ...]
    penalty_nonzeros: tuple[int, ...]
    cross_validated: tuple[int, ...]  # nonzeros
    dense: tuple[int, int]  # d and m of the predictions
    sparse: tuple[int, int, int]  # d, m and k
    predicted: tuple[float, ...]  # shares of errors
    examples: int
    more_examples: int  # from corrupted states, with the middle share of errors
    trials: int
    more_trials: int  # of the phase diagram where eq. 3.17 is at most INSIDE, which claims speak of
    rate_trials: int  # of the rates there, further ones in a part of their own
    relations: int


LAPTOP = Profile(
    rows=64,
    columns=128,
    nonzeros=(1, 2, 3, 4, 6, 8, 12, 16),
    errors=tuple(round(0.05 * k, 2) for k in range(11)),
    rate_columns=200,
    rate_rows=(60, 80, 100, 130, 160, 190),
    rate_nonzeros=(1, 2, 4, 8),
    more_columns=(
        *((50, 1), (50, 2), (50, 4)),
        *((100, 1), (100, 2), (100, 4)),
        *((400, 2), (400, 4)),
    ),
    more_rows=(270, 380),
    rate_errors=(0.0, 0.1, 0.2),
    small=0.3,
    multiples=(0.03, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0),
    penalty_nonzeros=(2, 4, 8),
    cross_validated=(4,),
    dense=(64, 16),
    sparse=(64, 100, 3),
    predicted=(0.1, 0.2, 0.3),
    examples=1500,
    more_examples=6000,
    trials=10,
    more_trials=40,
    rate_trials=40,
    relations=8,
)
PROFILES = {
    "smoke": Profile(
        rows=24,
        columns=40,
        nonzeros=(1, 3),
        errors=(0.0, 0.3),
        rate_columns=40,
        rate_rows=(20, 50),
        rate_nonzeros=(1, 2),
        more_columns=((20, 1),),
        more_rows=(),
        rate_errors=(0.0, 0.1),
        small=0.48,
        multiples=(0.2, 1.0),
        penalty_nonzeros=(1,),
        cross_validated=(1,),
        dense=(16, 4),
        sparse=(16, 20, 2),
        predicted=(0.1,),
        examples=60,
        more_examples=90,
        trials=2,
        more_trials=0,
        rate_trials=2,
        relations=3,
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def scale(nonzeros, rows, columns, errors=0.0):
    """sqrt(k log(2 m) / d) / (1 - epsilon), to which v1 eq. 3.17 and 3.18 are proportional.

    Example:
        >>> round(float(scale(1, 100, 50)), 3)
        0.215
    """
    return np.sqrt(nonzeros * np.log(2 * columns) / rows) / (1 - errors)


def runs(new: NewSpec, amount: Profile, settings: SparseProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`. Its parts overlap."""

    first, noise = Trials(0, amount.trials), settings.dense.value

    def run(model: Model, task: Task, trials: Trials = first) -> Spec:
        return new(model, task, Solver(), trials, None, "float64")

    def read_back(rows, columns, nonzeros, errors, noise, multiple, trials=first) -> Spec:
        task = Task(rows, columns, nonzeros, "gaussian", errors, noise, amount.relations)
        return run(Model("recovery", multiple), task, trials)

    for nonzeros in amount.nonzeros:  # phase diagram
        for errors in amount.errors:
            for multiple in (GOOD, PIVOTAL):
                yield read_back(amount.rows, amount.columns, nonzeros, errors, 0.0, multiple)
            inside = scale(nonzeros, amount.rows, amount.columns, errors) <= INSIDE
            if amount.more_trials and inside:
                more = Trials(amount.trials, amount.more_trials)
                yield read_back(amount.rows, amount.columns, nonzeros, errors, 0.0, GOOD, more)
    sizes = [(amount.rate_columns, nonzeros) for nonzeros in amount.rate_nonzeros]
    for columns, nonzeros in [*sizes, *amount.more_columns]:  # rates, under dense noise
        larger = amount.more_rows if columns <= amount.rate_columns else ()
        for rows in (*amount.rate_rows, *larger):
            for errors in amount.rate_errors:
                yield read_back(rows, columns, nonzeros, errors, noise, GOOD)
                if scale(nonzeros, rows, columns, errors) <= INSIDE:
                    more = Trials(amount.trials, amount.rate_trials)
                    one = read_back(rows, columns, nonzeros, errors, noise, GOOD, more)
                    yield replace(one, part=FURTHER)
                if scale(nonzeros, rows, columns, errors) <= amount.small:
                    yield read_back(rows, columns, nonzeros, errors, noise, PIVOTAL)
    for nonzeros in amount.penalty_nonzeros:
        cross_validated = (CROSS_VALIDATED,) if nonzeros in amount.cross_validated else ()
        for errors in amount.rate_errors:
            for level in (0.0, noise):
                for multiple in (*amount.multiples, *cross_validated):
                    yield read_back(amount.rows, amount.columns, nonzeros, errors, level, multiple)
    dense = (*amount.dense, amount.dense[1])  # every relation may be nonzero
    for rows, columns, nonzeros in (dense, amount.sparse):  # predictions
        for kind in ("gaussian", "dropout"):
            for errors in amount.predicted:
                task = Task(rows, columns, nonzeros, kind, errors, 0.0, amount.examples)
                yield from (run(Model(name, GOOD), task) for name in GIVEN)
            middle = amount.predicted[len(amount.predicted) // 2]
            more = replace(task, errors=middle, relations=amount.more_examples)
            yield run(Model("predicting_corrupted", GOOD), more)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, what a predictor is ``given`` (None: it is no predictor),
    nonzero entries k as ``size``, and ``variant`` (the corruption), ``rows`` (d), ``columns`` (m),
    ``errors``, ``noise``, ``multiple`` of the pivotal penalty, ``regime`` (``dense`` for m <= d,
    else ``sparse``), ``examples``."""
    task = plain["task"]
    return {
        "model": plain["model"]["name"],
        "given": GIVEN.get(plain["model"]["name"]),
        "size": task["nonzeros"],
        "variant": task["corruption"],
        "rows": task["rows"],
        "columns": task["columns"],
        "errors": task["errors"],
        "noise": task["noise"],
        "multiple": plain["model"]["multiple"],
        "examples": task["relations"],
        "regime": "dense" if task["columns"] <= task["rows"] else "sparse",
    }

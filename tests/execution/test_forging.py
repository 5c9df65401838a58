"""Records with one metric changed and a new seal, and whether an audit is fooled by them.

``python tests/execution/test_forging.py --draws 40 --seconds 60`` forges a metric of as many of the
records that ship as it is told, in memory, each experiment in turn, and audits them. It prints a
line for each, and ends with exit status 1 if one was neither caught nor counted as not checked.
"""

import argparse
import copy
import math
import random
import sys
from dataclasses import dataclass

import pytest

from abstractor_lib import experiments
from abstractor_lib.execution import audit
from abstractor_lib.execution.again import Check, check
from abstractor_lib.execution.driver import weights_of_parents
from abstractor_lib.records.fingerprint import scale
from abstractor_lib.records.seal import sealed
from abstractor_lib.records.workspace import Workspace

CHANGE = 1e-3  # of the metric's largest number, as audits compare


@dataclass(frozen=True)
class Forged:
    """A record, and which of its metrics was changed."""

    record: dict
    metric: str


def forged(record: dict, drawn: random.Random) -> Forged:
    """A record, not all of whose metrics are zero, with one number of one metric changed by a
    thousandth of the metric's largest, and a new seal."""
    metrics = record["metrics"]
    numbers = [(name, k) for name, some in metrics.items() for k, one in enumerate(some) if one]
    name, index = drawn.choice(sorted(numbers))
    record = copy.deepcopy(record)
    record["metrics"][name][index] += CHANGE * scale(metrics[name])
    return Forged(sealed(record), name)


def fooled(found: Check, metric: str) -> bool:
    """Whether a changed metric was taken for the run's own: it agrees, and nothing says that it was
    not compared, or loosely."""
    words = found.unchecked.replace(",", " ").replace(";", " ").split()
    return found.agrees is True and metric not in words and found.unchecked != "all"


def draws(count: int, seed: int, quick: float = math.inf):
    """Forged records that ship, one of each experiment in turn. Those whose run took at most
    ``quick`` seconds come before others."""
    drawn = random.Random(seed)
    every = []
    for name in experiments.by_name():
        some = sorted(Workspace().records(name).values(), key=lambda one: one["run"])
        drawn.shuffle(some)
        some.sort(key=lambda one: one["provenance"]["seconds"] > quick)
        every.append(iter([one for one in some if any(map(any, one["metrics"].values()))]))
    for place in range(count):
        record = next(every[place % len(every)], None)
        if record is not None:
            yield forged(record, drawn)


QUICK = 2  # seconds
FORGED = list(draws(len(experiments.by_name()), seed=0, quick=QUICK))


@pytest.mark.first(4)
@pytest.mark.parametrize("one", FORGED, ids=[one.record["spec"]["experiment"] for one in FORGED])
def test_a_forged_metric_of_a_record_that_ships_is_caught_or_told(one):
    """One of each experiment, each in the time of a moment; called by itself, this file does so
    for as many and in as much time as it is told."""
    found = check(one.record, weights_of_parents(Workspace()), left=2 * QUICK)
    assert not fooled(found, one.metric), found
    if found.agrees:
        told = audit.summary(audit.Audit(1, [found]))
        words = told.lines[0].partition(" metrics ")[2]
        assert words.startswith(("not checked: ", "checked to a bound only: "))
        assert "1 of those drawn" in told.total


def test_what_fools_an_audit_is_known_as_such():
    """The check above can fail: a change that is neither caught nor told, and one that is told of
    another metric."""
    fair = Check("a", "order", "whole", True, "")
    assert fooled(fair, "accuracy")
    told = "not checked: loss; checked to a bound only: accuracy 0.3"
    one = Check("a", "order", "whole", True, "", unchecked=told)
    assert [fooled(one, name) for name in ("loss", "accuracy", "share")] == [False, False, True]


def main() -> int:
    """Audit forged records; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60.0, help="at most, of a run")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    load, counts = weights_of_parents(Workspace()), {"caught": 0, "not checked": 0, "fooled": 0}
    for one in draws(given.draws, given.seed):
        found = check(one.record, load, given.seconds)
        end = "fooled" if fooled(found, one.metric) else "not checked"
        end = "caught" if found.agrees is False else end
        counts[end] += 1
        print(f"{end}: {found.experiment} {one.metric}: {found.detail or found.how}", flush=True)
    print(counts)
    return int(counts["fooled"] > 0)


if __name__ == "__main__":
    sys.exit(main())

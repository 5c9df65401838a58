"""Progress bars on standard error."""

import contextlib
import sys
from collections.abc import Iterator

from tqdm import tqdm

from ..records.spec import Spec
from ..training.drive import Progress


def runs_bar(total: int, label: str) -> tqdm:
    """A bar of runs that are computed."""
    return tqdm(total=total, desc=label, unit="run", file=sys.stderr, mininterval=1, ncols=79)


@contextlib.contextmanager
def updates_bar(spec: Spec) -> Iterator[Progress]:
    """A bar of the updates of one run, for those that take longer than a moment."""
    words = {"desc": spec.id[:12], "unit": "update", "ncols": 79, "delay": 2.0}
    with tqdm(file=sys.stderr, leave=False, position=1, **words) as bar:

        def progress(done: int, total: int, note: str) -> None:
            bar.total = total
            bar.set_postfix_str(note, refresh=False)
            bar.update(done - bar.n)

        yield progress

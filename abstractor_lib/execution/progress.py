"""Progress bars of runs, and of the updates of one."""

import contextlib
from collections.abc import Iterator

from tqdm import tqdm

from ..records.spec import Spec
from ..training.drive import Progress
from .bars import bar


def runs_bar(total: int, label: str) -> tqdm:
    """A bar of runs that are computed."""
    return bar(total=total, desc=label, unit="run", mininterval=1)


@contextlib.contextmanager
def updates_bar(spec: Spec) -> Iterator[Progress]:
    """A bar of the updates of one run, for those that take longer than a moment."""
    words = {"desc": spec.id[:12], "unit": "update", "delay": 2.0}
    with bar(leave=False, position=1, **words) as drawn:

        def progress(done: int, total: int, note: str) -> None:
            drawn.total = total
            drawn.set_postfix_str(note, refresh=False)
            drawn.update(done - drawn.n)

        yield progress

"""Answers that take seconds to compute, kept until a file that they are made from changes.

As `make` and `git` do, a file counts as changed by its size and the time it was written, so that
nothing is read to find out.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .. import paths
from ..replacing import replace_file


def state(folders: Iterable[Path]) -> str:
    """A hash of the names, sizes and times of all files in folders, but for compiled code.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     empty = state([Path(folder)])
        ...     _ = (Path(folder) / "a").write_text("text")
        ...     state([Path(folder)]) == empty
        False
    """
    found = []
    for folder in folders:
        for top, below, names in os.walk(folder):
            below[:] = [name for name in below if name != "__pycache__"]
            for name in names:
                path = os.path.join(top, name)
                for follow in (False, True):  # a link, and what it leads to
                    with contextlib.suppress(OSError):  # a draft that is gone, a link to nowhere
                        status = os.stat(path, follow_symlinks=follow)
                        found.append((path, status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


def remembered(name: str, made_from: str, make: Callable[[], Any]) -> Any:
    """What ``make`` returns, from ``build/answers/NAME.json`` if it was made from the same files.

    Args:
        name: of the answer.
        made_from: `state` of the files that it is made from.
        make: makes it: what JSON can hold. Where it cannot be written it is made each time.

    Example:
        >>> remembered("example", "these files", lambda: [1, None])
        [1, None]
    """
    path = paths.root() / "build" / "answers" / f"{name}.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["made_from"] == made_from:
            return kept["answer"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is none, or it is damaged
    answer = make()
    with contextlib.suppress(OSError):
        replace_file(path, json.dumps({"made_from": made_from, "answer": answer}).encode())
    return answer

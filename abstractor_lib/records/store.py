"""The record store: JSON Lines, appended to by one writer, merged by concatenation.

A record file is a plain one, a packed one or both; see `files`.
"""

import contextlib
import hashlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType

from filelock import FileLock, Timeout

from .. import InOneSentence, brief
from ..replacing import named
from .artifacts import NAME
from .files import BadRecord, contents, plain
from .seal import merged
from .spec import dumps, run_id

PROVENANCE = {"device": str, "seconds": int | float, "peak_memory_mib": int | float}
REQUIRED = ("run", "spec", "metrics", "first_losses", "curve", "provenance")
FIELDS = {*REQUIRED, "fingerprint", "artifacts", "seal"}


class Busy(InOneSentence, RuntimeError):
    """Another process is writing to the record file."""


def parse(line: str) -> dict:
    """One record from its line.

    Raises:
        BadRecord: if it is not JSON, lacks a field, or its id is not that of its spec.
    """
    try:
        record = json.loads(line, parse_constant=_no_constant, parse_float=_finite)
        if not isinstance(record, dict):
            raise BadRecord("is not a JSON object")
        for name in REQUIRED:
            if name not in record:
                raise BadRecord(f"lacks the field {name!r}")
        if not isinstance(record["spec"], dict) or run_id(record["spec"]) != record["run"]:
            raise BadRecord(f"has an id, {str(record['run'])[:12]}, that is not its spec's")
    except RecursionError:
        raise BadRecord("is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadRecord(f"is not a JSON object ({error})") from None
    _check_fields(record)
    return record


def _check_fields(record: Mapping) -> None:
    """Raise BadRecord unless metrics, losses, curve and provenance have the form that is read."""

    def numbers(values, count=None) -> bool:
        if not isinstance(values, list) or count not in (None, len(values)):
            return False
        if not set(map(type, values)) <= {int, float, NoneType}:
            return False
        return all(value is None or abs(value) <= sys.float_info.max for value in values)

    if unknown := set(record) - FIELDS:
        raise BadRecord(f"has the field {min(unknown)!r}; allowed: {', '.join(sorted(FIELDS))}")
    for name in ("trials", "model", "task", "training"):
        if not isinstance(record["spec"].get(name), dict):
            raise BadRecord(f"lacks {name} in its spec")
    for name in ("experiment", "protocol"):
        if not isinstance(record["spec"].get(name), str):
            raise BadRecord(f"lacks {name} in its spec")
    trials = record["spec"]["trials"]
    for name, least in (("count", 1), ("first", 0)):
        if type(trials.get(name)) is not int or trials[name] < least:
            raise BadRecord(f"lacks {name} of its trials, {least} or more, in its spec")
    count = trials["count"]
    for name in ("draw", "parents"):
        if name not in record["spec"]:
            raise BadRecord(f"lacks {name} in its spec")
    for name, kind in (("metrics", dict), ("curve", dict), ("provenance", dict)):
        if not isinstance(record[name], kind):
            raise BadRecord(f"has {name} that are not a JSON object")
    if not numbers(record["first_losses"]):
        raise BadRecord("has first_losses that are not a list of numbers")
    for name, values in record["metrics"].items():
        if not numbers(values, count):
            raise BadRecord(f"has {name} that is not a list of one number for each trial")
    for name, values in record["curve"].items():
        if not numbers(values):
            raise BadRecord(f"has a curve {name} that is not a list of numbers")
    found = record.get("fingerprint", {})
    if not isinstance(found, dict) or not all(map(numbers, found.values())):
        raise BadRecord("has a fingerprint that is not lists of numbers by name")
    named = record.get("artifacts", {})
    if not isinstance(named, dict) or not all(map(_is_name, named.values())):
        raise BadRecord("has artifacts that are not hashes of 64 hexadecimal digits by name")
    for name, kind in PROVENANCE.items():
        if not isinstance(record["provenance"].get(name), kind):
            raise BadRecord(f"lacks {name} in its provenance")
    for name, value in record["provenance"].items():
        parts = value.values() if isinstance(value, dict) else [value]
        if not all(isinstance(part, str | int | float) for part in parts):
            raise BadRecord(f"has {name} in its provenance that is neither text nor a number")


def _is_name(value) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _finite(text: str) -> float:
    """A number as text; one that is too large for a computer is none."""
    if not math.isfinite(value := float(text)):
        raise BadRecord(f"holds {text[:20]}, which is too large a number")
    return value


def _no_constant(name: str):
    raise BadRecord(f"is not a JSON object ({name} is not allowed)")


def load(path: Path, begins: str = "") -> dict[str, dict]:
    """All records of a file by run id, packed ones first; an absent file holds none.

    Args:
        begins: only records whose ids begin so; lines that do not hold this are not looked at.

    A truncated last line (the writer was killed) is dropped with a message on standard error. Of
    two records with one id the first that was computed on a CPU counts, with the artifacts of both
    (`seal.merged`).

    Raises:
        BadRecord: naming file and line, if any other line is malformed, or the packed file broken.
    """
    records: dict[str, dict] = {}
    sought = f'"{begins}'.encode()
    for file, content in contents(path).items():
        lines = content.split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip() or (begins and sought not in line):
                continue
            try:
                record = parse(line.decode())
            except (BadRecord, UnicodeDecodeError) as error:
                if file == plain(path) and number == len(lines):  # it lacks its end
                    print(f"{file.name}: dropped a truncated last line", file=sys.stderr)
                    continue
                problem = error if isinstance(error, BadRecord) else "is not UTF-8 text"
                raise BadRecord(f"{file}, line {number}, {brief(str(problem))}") from None
            if not record["run"].startswith(begins):  # its parent's does
                continue
            known = records.get(record["run"])
            records[record["run"]] = record if known is None else _merged(known, record)
    return records


def _merged(known: dict, record: dict) -> dict:
    """What counts of two records with one id."""
    first = record if on_gpu(known) and not on_gpu(record) else known
    return merged(first, known, record)


def on_gpu(record: Mapping) -> bool:
    """Whether a record was computed on another device than a CPU."""
    return record["provenance"].get("device", "cpu") != "cpu"


def records_hash(records: Mapping[str, Mapping]) -> str:
    """SHA-256 of the set of (run id, metrics): what a figure or notebook was made from.

    Example:
        >>> records_hash({"b": {"metrics": {}}, "a": {"metrics": {}}})[:12]
        'fb0cae2fab8f'
    """
    pairs = [[run, records[run]["metrics"]] for run in sorted(records)]
    return hashlib.sha256(dumps(pairs).encode()).hexdigest()


@contextlib.contextmanager
def writer(path: Path) -> Iterator["Writer"]:
    """Hold the lock of a record file and append to it, always to the plain one.

    Raises:
        Busy: naming the process that holds the lock.
    """
    path = plain(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    holder = path.with_name(f".{path.name}.pid")
    try:
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=0):
            with named(holder):
                holder.write_text(str(os.getpid()))
            try:
                yield Writer(path)
            finally:
                holder.unlink(missing_ok=True)
    except Timeout:
        pid = holder.read_text(encoding="utf-8") if holder.exists() else "unknown"
        raise Busy(f"{path.name} is being written by process {pid}; wait for it to end") from None


class Writer:
    """Appends records, one whole line at a time, each on disk before the next."""

    def __init__(self, path: Path):
        self.path = path
        if path.exists():
            _mend_end(path)

    def append(self, record: Mapping) -> None:
        """Write one record, or nothing.

        Raises:
            ValueError: if it is malformed.
            OSError: naming the file, if it cannot be written.
        """
        line = dumps(record) + "\n"
        parse(line)
        # without a buffer, whose rest would be written when the file is closed
        with named(self.path), self.path.open("ab", buffering=0) as file:
            end, rest = file.tell(), line.encode()
            try:
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:  # a full disk takes a part of a line
                file.truncate(end)
                raise


def _mend_end(path: Path) -> None:
    """Make the file end at a line's end: complete the last line, or cut a truncated one off."""
    content = path.read_bytes()
    if not content or content.endswith(b"\n"):
        return
    start = content.rfind(b"\n") + 1
    try:
        parse(content[start:].decode())
    except (BadRecord, UnicodeDecodeError):
        os.truncate(path, start)
        return
    with path.open("ab") as file:
        file.write(b"\n")

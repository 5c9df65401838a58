"""The environment of the problems' generator: a Python of its own with packages of 2019.

`mathematics-dataset` (Saxton et al., 2019; Apache-2.0) fails with today's numpy and sympy. So it
gets a virtual environment in the ignored cache, with the versions named here.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from ... import Failure

PACKAGES = (
    "absl-py==2.5.1",
    "mathematics-dataset==1.0.1",
    "mpmath==1.4.1",
    "numpy==1.23.5",
    "six==1.17.0",
    "sympy==1.4",
)
PYTHONS = ("3.11", "3.10", "3.9")
STAMP = "packages.txt"  # written when everything is installed


def interpreter(environment: Path) -> Path:
    """The environment's Python."""
    return environment / "bin" / "python"


def is_ready(environment: Path) -> bool:
    """Whether the environment holds these packages."""
    stamp = environment / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8").split() == list(PACKAGES)


def prepare(environment: Path, say=print) -> Path:
    """Make the environment unless it is there; its Python.

    Args:
        environment: its folder. What an interrupted call left there is deleted first.
        say: told what takes long.

    Raises:
        ValueError: if this machine has no Python 3.9, 3.10 or 3.11.
        Failure: if pip could not install the packages.
    """
    python = interpreter(environment)
    if is_ready(environment):
        return python
    base = suitable()
    environment.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(environment.with_name(f".{environment.name}.lock")):
        if is_ready(environment):  # another process has made it meanwhile
            return python
        say(f"installing {PACKAGES[1]} and packages of its time in an environment of their own")
        shutil.rmtree(environment, ignore_errors=True)
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", *PACKAGES]
        for command in ([base, "-m", "venv", environment], install):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                last = (done.stderr.strip() or "no message").splitlines()[-1]
                raise Failure(f"the generator's environment could not be made: {last}")
        (environment / STAMP).write_text("\n".join(PACKAGES) + "\n", encoding="utf-8")
    return python


def suitable() -> str:
    """A Python in which the generator's packages can be installed.

    Raises:
        ValueError: if there is none.
    """
    if "{}.{}".format(*sys.version_info) in PYTHONS:
        return sys.executable
    for version in PYTHONS:
        python = shutil.which(f"python{version}")
        if python and not subprocess.run([python, "-c", ""], capture_output=True).returncode:
            return python
    raise ValueError(
        f"this Python is {'{}.{}'.format(*sys.version_info)}; the generator of problems needs "
        f"one of {', '.join(PYTHONS)} on the path"
    )


def variables() -> dict[str, str]:
    """The environment variables of the generator: hashes that repeat, and one thread.

    Those of sympy are left out: a cache of another size gives other problems for the same seed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SYMPY"))}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore"}

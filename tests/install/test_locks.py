"""Both locks, resolved by uv for systems other than this one: nothing is installed.

Needs what pip installs from, and is skipped without; `make test-install`.
"""

import os
import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement

from abstractor_lib import paths

ROOT = paths.root()
LOCKS = ("requirements.lock", "docs/requirements.lock")
TORCH = re.search(r"^TORCH \?= (\S+)$", (ROOT / "Makefile").read_text(), re.M)[1]
ENTRY = re.compile(r"^(\S+==[^\\\n]*?) \\\n((?: +--hash=\S+(?: \\)?\n)+)", re.M)
SYSTEMS = {
    "x86_64-unknown-linux-gnu": {"sys_platform": "linux", "os_name": "posix"},
    "aarch64-unknown-linux-gnu": {"sys_platform": "linux", "os_name": "posix"},
    "aarch64-apple-darwin": {"sys_platform": "darwin", "os_name": "posix"},
    "x86_64-pc-windows-msvc": {"sys_platform": "win32", "os_name": "nt"},
}
PYTHONS = ("3.11.5", "3.12", "3.13", "3.14")


def locked():
    """What both locks pin, each with its hashes."""
    text = "".join((ROOT / name).read_text() for name in LOCKS)
    return {
        Requirement(one): set(re.findall(r"sha256:\w+", them)) for one, them in ENTRY.findall(text)
    }


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    """What uv makes of requirements, with the options of ``uv pip compile``."""
    folder = tmp_path_factory.mktemp("uv")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"]
    installed = subprocess.run(pip, capture_output=True, text=True, timeout=600)
    if installed.returncode:
        pytest.skip(f"uv cannot be installed: {installed.stderr.splitlines()[-1]}")

    def call(requirements, *options):
        return subprocess.run(
            [
                folder / "bin" / "uv",
                "pip",
                "compile",
                "-",
                "--no-annotate",
                "--no-header",
                *options,
            ],
            input="\n".join(map(str, requirements)),
            env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},  # the oldest that torch is for
            capture_output=True,
            text=True,
            timeout=300,
        )

    return call


def wheels(resolve, requirements, system, python):
    options = ("--only-binary", ":all:", "--python-platform", system, "--python-version", python)
    return resolve(requirements, *options)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_wheels(resolve, system, python):
    """Of torch too; and nothing is needed that is not locked but the libraries of its CUDA."""
    found = wheels(resolve, [*locked(), TORCH], system, python)
    assert found.returncode == 0, found.stderr
    full = python if python.count(".") == 2 else f"{python}.0"
    here = {"python_full_version": full, "python_version": full.rpartition(".")[0]}
    marked = {**here, "implementation_name": "cpython", **SYSTEMS[system]}
    wanted = {
        f"{one.name}{one.specifier}"
        for one in locked()
        if one.marker is None or one.marker.evaluate(marked)
    }
    cuda = {line for line in found.stdout.split() if re.match("nvidia|cuda|triton", line)}
    assert set(found.stdout.split()) - cuda == wanted | {TORCH}


def test_a_package_without_a_wheel_is_told(resolve):
    """So the test above can fail."""
    (pin,) = [f"{one.name}{one.specifier}" for one in locked() if one.name == "pywinpty"]
    assert wheels(resolve, [pin], "x86_64-pc-windows-msvc", "3.12").returncode == 0
    assert "no usable wheels" in wheels(resolve, [pin], "x86_64-unknown-linux-gnu", "3.12").stderr


def test_hashes_are_those_of_the_files_that_are_offered(resolve):
    """A package may have got files since; none has lost one."""
    found = resolve(locked(), "--universal", "--python-version", "3.11.5", "--generate-hashes")
    assert found.returncode == 0, found.stderr
    offered = {
        Requirement(one).name: set(re.findall(r"sha256:\w+", them))
        for one, them in ENTRY.findall(found.stdout)
    }
    for one, hashes in locked().items():
        assert hashes <= offered[one.name], one

"""JupyterLab as ``make lab`` starts it, on a copy of the repository."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from abstractor_lib import paths

FOLDERS = ("abstractor_lib", "notebooks", "docs", "figures")  # what notebooks read and write
SECONDS = 60  # for JupyterLab to answer


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A copy of what notebooks read, so that running them writes nothing here."""
    top = tmp_path_factory.mktemp("checkout")
    for name in FOLDERS:
        shutil.copytree(
            paths.root() / name, top / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("Makefile", "README.md", "pyproject.toml", "requirements.lock", "CLAIMS.md"):
        shutil.copy(paths.root() / name, top / name)
    (top / "data").symlink_to(paths.data())
    return top


@pytest.fixture(scope="session")
def lab(checkout):
    """The address of JupyterLab as ``make lab`` starts it, without a reader's own settings."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port = some.getsockname()[1]
    own = checkout / "settings"
    variables = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        "JUPYTER_CONFIG_DIR": str(own),
        "JUPYTERLAB_SETTINGS_DIR": str(own / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
    }
    options = f"--no-browser --port={port} --ServerApp.port_retries=0 --IdentityProvider.token="
    options += " --expose-app-in-browser --allow-root"
    bin = Path(sys.executable).parent
    make = ["make", f"BIN={bin}", "--old-file=.venv/installed", "lab", f"OPTIONS={options}"]
    log = checkout / "lab.log"
    with log.open("w") as file:
        server = subprocess.Popen(
            make,
            cwd=checkout,
            env=variables,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and server.poll() is None:
            with suppress(URLError, ConnectionError), urlopen(f"{address}/api"):
                break
            time.sleep(0.5)
        else:
            pytest.fail(f"JupyterLab does not answer: {log.read_text()[-2000:]}")
        yield address
    finally:
        os.killpg(server.pid, 15)
        server.wait()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()

"""What all tests share: one thread, double precision helpers, a scratch store."""

import fnmatch
import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import secrets
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from abstractor_lib import experiments, paths
from abstractor_lib.records.workspace import Workspace

settings.register_profile("suite", max_examples=30, deadline=None, derandomize=True)
settings.load_profile("suite")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# A browser that asks nobody for news; without a sandbox, since tests may run as root.
OPTIONS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(items):
    """Cases beyond the number that `pytest.mark.first` gives are slow."""
    seen = Counter()
    for item in items:
        if first := item.get_closest_marker("first"):
            seen[item.path, item.originalname] += 1
            if seen[item.path, item.originalname] > first.args[0]:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def repository_files():
    """The files of the repository, those included that are new, without what git ignores. Also in
    an archive, which has no git."""
    root = paths.root()
    if paths.in_git(root):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
        found = [root / name for name in listed.split("\0") if name]
        return [path for path in found if path.is_file()]
    ignored = (root / ".gitignore").read_text().split()
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if not _matches(f"{one}/", ignored)]
        found += [Path(folder) / one for one in files if not _matches(one, ignored)]
    return found


def _matches(name, patterns):
    return any(fnmatch.fnmatch(name, one) or fnmatch.fnmatch(name, f"{one}/") for one in patterns)


class Shipped:
    """What is made of the records that ship, each part once for a process. Who changes records
    takes a study of their own."""

    def __init__(self):
        self._studies = {}

    def study(self, name):
        from abstractor_lib.reporting.study import Study

        if name not in self._studies:
            self._studies[name] = Study(name)
        return self._studies[name]

    @property
    def studies(self):
        return {name: self.study(name) for name in experiments.by_name()}

    @cached_property
    def verdicts(self):
        """Computed once for all processes; `tests/cli/test_finding.py` holds them against those of
        studies."""
        from abstractor_lib.pages.answers import judged

        return judged(Workspace(), list(experiments.by_name()))

    @cached_property
    def items(self):
        """The entries of the index, by id."""
        from abstractor_lib.pages.reproduce import index_entries

        return {entry.id: entry for entry in index_entries()}


@pytest.fixture(scope="session")
def shipped():
    return Shipped()


@pytest.fixture(autouse=True)
def seeded():
    """Each test starts from the same torch state and one thread."""
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def ray_environment():
    """What Ray finds in the environment when it is first imported, once for a process: a token that
    lets nobody else send work to the clusters of tests."""
    given = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, driven by playwright; without one of them the test is skipped."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium on this machine; on Debian `apt-get install chromium` installs it")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; `make .venv/site` installs it"
    )
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=OPTIONS)
        yield opened
        opened.close()


# Text that is hard to read on what lies behind it: WCAG asks for a contrast of 4.5.
PALE = """(() => {
    const parts = color => color.match(/[\\d.]+/g).map(Number);
    const over = ([red, green, blue, share = 1], below) =>
        [red, green, blue].map((part, k) => share * part + (1 - share) * below[k]);
    const behind = element => {
        if (!element) return [255, 255, 255];
        const color = parts(getComputedStyle(element).backgroundColor);
        if (color.length === 3) return color;
        return over(color, behind(element.parentElement ?? element.getRootNode().host));
    };
    const light = color => color.map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, k) => sum + [0.2126, 0.7152, 0.0722][k] * part, 0);
    const found = [];
    for (const element of ROOT.querySelectorAll(":not(svg *, script, style, title)")) {
        const text = [...element.childNodes].some(one => one.nodeType === 3 && one.data.trim());
        if (!text || element.disabled || !element.checkVisibility()) continue;
        const below = behind(element);
        const two = [over(parts(getComputedStyle(element).color), below), below].map(light);
        const contrast = (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
        if (contrast < 4.5) found.push(`${element.textContent.slice(0, 30)}: ${contrast}`);
    }
    return found;
})()"""


@pytest.fixture(scope="session")
def pale_text():
    """Finds text of too little contrast in a browser's page, or in what an expression names."""
    return lambda page, root="document.body": page.evaluate(PALE.replace("ROOT", root))


@pytest.fixture
def double():
    """Modules built in this test have float64 parameters."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def assert_same():
    """Two computations of one function: equal values and equal gradients."""

    def check(found, expected, inputs, rtol=1e-10, atol=1e-11):
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol)
        weight = torch.randn_like(found)
        inputs = list(inputs)
        grads = [
            torch.autograd.grad(
                (output * weight).sum(), inputs, allow_unused=True, retain_graph=True
            )
            for output in (found, expected)
        ]
        assert any(grad is not None for grad in grads[0])
        for one, other in zip(*grads, strict=True):
            if one is not None or other is not None:
                torch.testing.assert_close(one, other, rtol=10 * rtol, atol=10 * atol)

    return check


@dataclass(frozen=True)
class Elsewhere(Workspace):
    """The files of a profile in a folder of a test's own."""

    top: Path = field(kw_only=True)

    @property
    def folder(self) -> Path:
        return self.top

    @property
    def scratch(self) -> Path:
        return self.top / "scratch"


@pytest.fixture(scope="session")
def workspace_in():
    """Makes a workspace in a folder, of the smoke profile and without what ships unless told."""
    return lambda folder, profile="smoke", fresh=True: Elsewhere(profile, fresh, top=folder)


@pytest.fixture
def workspace(workspace_in, tmp_path):
    """An empty workspace of a test's own."""
    return workspace_in(tmp_path)

"""A release in ``build/release``: an archive of the repository, checksums, and what changed."""

import hashlib
import subprocess
import sys
from pathlib import Path

from .. import Failure, paths
from ..reporting.files import write
from . import metadata
from .reproduce import index_entries

SUMS = "SHA256SUMS"


def build() -> list[Path]:
    """Write the release of the last commit.

    In the archive lie all tracked files, ``ro-crate-metadata.json``, and the checksums of both. If
    there are changes that no release has, its name ends with the commit. Git makes it, so that the
    same commit gives the same bytes.

    Returns:
        The archive, the changes, and the checksums of these two.

    Raises:
        Failure: if versions differ, or files are not committed.
        ValueError: in a copy without git.
    """
    root = paths.root()
    if not paths.in_git(root):
        raise ValueError("a release is made of a commit, and this copy is no git repository")
    if changed := _git("status", "--porcelain"):
        raise Failure(f"a release is made of a commit; not committed: {changed.splitlines()[0]}")
    known = metadata.versions()
    if len(set(known.values())) > 1:
        said = ", ".join(f"{name} has {version}" for name, version in known.items())
        raise Failure(f"the versions differ: {said}")
    version = known["pyproject.toml"]
    name = f"{metadata.project()['name']}-{version}"
    if unreleased(root):
        name += f"+{_git('rev-parse', '--short=8', 'HEAD')}"
    folder = root / "build" / "release"
    described = metadata.crate(metadata.citation(), metadata.project(), index_entries())
    crate = folder / "inside" / metadata.CRATE
    inside = folder / "inside" / SUMS
    write(crate, described)
    tracked = [root / one for one in _git("ls-files", "-z").split("\0") if one]
    write(inside, _sums([*tracked, crate], {crate: metadata.CRATE}))
    archive = folder / f"{name}.tar.gz"
    added = [f"--add-file={path}" for path in (crate, inside)]
    _git("archive", f"--prefix={name}/", *added, f"--output={archive}", "HEAD")
    notes = folder / f"{name}.md"
    write(notes, changes(root))
    sums = folder / SUMS
    write(sums, _sums([archive, notes], {archive: archive.name, notes: notes.name}))
    return [archive, notes, sums]


def unreleased(root: Path) -> list[Path]:
    """The files of ``docs/changes`` that say what has changed since the last release."""
    return sorted((root / "docs" / "changes").glob("+*.md"))


def changes(root: Path) -> str:
    """What has changed since the last release, as towncrier drafts it; without any change, what the
    changelog says of the last release."""
    if unreleased(root):
        return draft(root)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return f"## {changelog.split(chr(10) + '## ')[1]}\n"


def draft(root: Path) -> str:
    """The next section of the changelog, which changes nothing.

    Raises:
        Failure: if towncrier cannot read ``docs/changes``.
    """
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "Unreleased"]
    done = subprocess.run([*command, "--date", "next"], cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"towncrier cannot read docs/changes: {done.stderr.strip()}")
    return done.stdout


def _sums(files: list[Path], names: dict[Path, str]) -> str:
    """Lines for ``sha256sum --check``; files are called by ``names``, else from the repository."""
    root = paths.root()
    called = {names.get(path) or path.relative_to(root).as_posix(): path for path in files}
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n"
        for name, path in sorted(called.items())
    ]
    return "".join(lines)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=paths.root(), capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()

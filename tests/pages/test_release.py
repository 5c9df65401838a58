"""A release, made in a small repository of its own."""

import hashlib
import json
import subprocess
import tarfile

import pytest

from abstractor_lib import Failure, paths
from abstractor_lib.pages import metadata, release

ROOT = paths.root()
KEPT = ("pyproject.toml", "CITATION.cff", "codemeta.json", "CHANGELOG.md", "docs/changes/README.md")
WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with the files that have a version, and one more."""
    top = tmp_path / "ein Ordner äöü"
    for name in KEPT:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes((ROOT / name).read_bytes())
    (top / ".gitignore").write_text("build/\n")
    (top / "größe.txt").write_text("1\n")
    git(tmp_path, "init", "--quiet", top)
    git(top, "add", "--all")
    git(top, *WHO, "commit", "-qm", "first")
    monkeypatch.setattr(paths, "root", lambda: top)
    monkeypatch.setattr(metadata, "crate", lambda *_: '{"@graph": []}\n')
    monkeypatch.setattr(release, "index_entries", list)
    return top


def sums(text):
    return {line[66:]: line[:64] for line in text.splitlines()}


def test_an_unpacked_archive_is_what_its_checksums_say(repository, tmp_path):
    archive, notes, listed = release.build()
    version = metadata.versions()["pyproject.toml"]
    assert archive.name == f"abstractor-companion-{version}.tar.gz"
    assert notes.read_text().startswith(f"## {version} (")
    for name, expected in sums(listed.read_text()).items():
        assert hashlib.sha256((archive.parent / name).read_bytes()).hexdigest() == expected
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "out", filter="data")
    (top,) = (tmp_path / "out").iterdir()
    files = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
    inside = sums((top / "SHA256SUMS").read_text())
    assert files == {*KEPT, ".gitignore", "größe.txt", "ro-crate-metadata.json", "SHA256SUMS"}
    assert inside.keys() == files - {"SHA256SUMS"}
    for name, expected in inside.items():
        assert hashlib.sha256((top / name).read_bytes()).hexdigest() == expected, name


def test_the_same_commit_gives_the_same_bytes(repository):
    first = [path.read_bytes() for path in release.build()]
    assert [path.read_bytes() for path in release.build()] == first


def test_changes_that_no_release_has_are_named(repository):
    """The archive carries the commit, and the notes are those of towncrier, which keeps the
    files."""
    change = repository / "docs" / "changes" / "+sorting.library.md"
    change.write_text("Sorting sorts.\n")
    git(repository, "add", "--all")
    git(repository, *WHO, "commit", "-qm", "second")
    archive, notes, _ = release.build()
    assert "+" in archive.name
    assert notes.read_text().startswith("## Unreleased (next)")
    assert "Sorting sorts." in notes.read_text()
    assert change.is_file()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pyproject.toml", 'version = "0', 'version = "9', "pyproject.toml has 9"),
        ("CITATION.cff", "\nversion: 0", "\nversion: 8", "CITATION.cff has 8"),
        ("CHANGELOG.md", "\n## 0", "\n## 7", "CHANGELOG.md has 7"),
    ],
)
def test_versions_that_differ_are_named(repository, name, old, new, said):
    path = repository / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    git(repository, *WHO, "commit", "-qam", "second")
    with pytest.raises(Failure, match=f"the versions differ: .*{said}"):
        release.build()
    assert not (repository / "build").exists()


def test_only_what_is_committed_is_released(repository):
    (repository / "größe.txt").write_text("2\n")
    with pytest.raises(Failure, match="not committed: "):
        release.build()


def test_a_copy_without_git_is_no_source_of_a_release(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    with pytest.raises(ValueError, match="this copy is no git repository"):
        release.build()


def test_codemeta_must_have_the_version_too(repository):
    path = repository / "codemeta.json"
    known = json.loads(path.read_text())
    path.write_text(json.dumps({**known, "version": "6"}))
    git(repository, *WHO, "commit", "-qam", "second")
    with pytest.raises(Failure, match=r"codemeta\.json has 6"):
        release.build()

"""Where things lie. All paths are absolute; nothing depends on the working directory."""

from pathlib import Path


class NoCheckout(ValueError):
    """The package was installed without the repository's data."""


def root() -> Path:
    """The repository's top folder, the one that holds ``data/inventory.csv``.

    Raises:
        NoCheckout: if the package was installed elsewhere, without the data.
    """
    top = Path(__file__).resolve().parent.parent
    if not (top / "data" / "inventory.csv").is_file():
        raise NoCheckout(
            "records, figures and claims need a clone of the repository, installed in place "
            "(pip install -e .); this installation holds the library alone"
        )
    return top


def data() -> Path:
    """The folder of records, claims, published values and weights."""
    return root() / "data"


def in_git(folder: Path) -> bool:
    """Whether a folder is the top of a git working tree. An archive that was unpacked inside of
    another repository is none."""
    return (folder / ".git").exists()

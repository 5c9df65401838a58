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


def output(profile: str, fresh: bool = False) -> Path:
    """Where a profile's records, figures and notebooks go: the tree itself only for the records
    that ship, ``build/PROFILE`` for everything else."""
    return root() if profile == "laptop" and not fresh else root() / "build" / profile


def weights(profile: str, fresh: bool = False) -> Path | None:
    """Where the weights that a profile's runs start from go; None for ``data/weights``, which
    ship, and then ``build/weights``."""
    folder = output(profile, fresh)
    return None if folder == root() else folder / "weights"


def records(experiment: str, profile: str = "laptop", fresh: bool = False) -> Path:
    """The record file that a profile's runs are written to; that of ``laptop`` ships."""
    folder = output(profile, fresh)
    return (data() if folder == root() else folder) / "records" / f"{experiment}.jsonl"

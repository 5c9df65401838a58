"""What the command says where a package that it needs is not installed."""

import sys
from collections.abc import Callable


def lacking(error: ModuleNotFoundError) -> str:
    """The sentence that says what is missing and how to install it.

    Raises:
        ModuleNotFoundError: if the missing module is one of this package.
    """
    name = (error.name or "abstractor_lib").partition(".")[0]
    if name == "abstractor_lib":
        raise error
    return (
        f"the package {name} is not installed; pip install 'abstractor-companion[compute]' "
        "installs what computes runs, 'abstractor-companion[compute,notebooks]' also what draws "
        "figures and executes notebooks, 'abstractor-companion[compute,notebooks,paper]' what "
        "typesets the paper, and make site what builds the site"
    )


def without(error: ModuleNotFoundError) -> Callable[[], None]:
    """A command that can only say what is missing, with exit status 2."""
    sentence = lacking(error)

    def main() -> None:
        print(f"abstractor: {sentence}", file=sys.stderr)
        sys.exit(2)

    return main

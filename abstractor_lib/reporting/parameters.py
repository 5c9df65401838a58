"""The parameters of a notebook: what its cell declares, and what it was given.

Papermill only warns of a parameter that a notebook does not declare, and runs it with the defaults.
Here that is an error, also where papermill is called without this package.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from IPython import get_ipython

from .. import InOneSentence

INJECTED = "# Parameters\n"  # how the cell begins that papermill adds behind the declaring one


class BadParameter(InOneSentence, ValueError):
    """A parameter is unknown, or of another type than declared."""


@dataclass(frozen=True)
class Parameter:
    """A line of the ``parameters`` cell: ``name: type = literal  # help``."""

    name: str
    type: str
    default: object
    help: str


def declared(cell: str) -> list[Parameter]:
    """What a cell declares, a parameter a line; lines that are comments alone are for its reader.

    Raises:
        ValueError: if another line of it is not a typed literal with a help comment.

    Example:
        >>> declared("fresh: bool = False  # no shipped records")
        [Parameter(name='fresh', type='bool', default=False, help='no shipped records')]
    """
    found = []
    for line in cell.splitlines():
        if line.startswith("#"):
            continue
        code, _, comment = line.partition("#")
        try:
            (statement,) = ast.parse(code).body
            if not isinstance(statement, ast.AnnAssign) or not statement.value:
                raise ValueError("the line declares nothing")
            if not isinstance(statement.target, ast.Name):
                raise ValueError("what the line declares is no name")
            name, kind = statement.target.id, ast.unparse(statement.annotation)
            value = ast.literal_eval(statement.value)
        except (ValueError, SyntaxError):
            raise ValueError(f"{line!r} is not `name: type = literal  # help`") from None
        if not comment.strip() or "=" in str(value) or type(value).__name__ != kind:
            raise ValueError(f"{line!r} is not `name: type = literal  # help`")
        found.append(Parameter(name, kind, value, comment.strip()))
    return found


def check(values: Mapping, parameters: Sequence[Parameter]) -> None:
    """Refuse what is not declared.

    Raises:
        BadParameter: if a parameter is unknown or has another type than declared.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in values.items():
        if name not in known:
            raise BadParameter(f"parameter {name!r} is unknown; allowed: {', '.join(known)}")
        if type(value).__name__ != known[name].type or json.loads(json.dumps(value)) != value:
            raise BadParameter(f"parameter {name} is {value!r}; expected {known[name].type}")


def check_injected() -> None:
    """Hold what papermill gave the running notebook against what the notebook declares; nothing
    where no notebook runs, or it was given nothing.

    Raises:
        BadParameter: as `check`.
    """
    shell = get_ipython()
    cells = [] if shell is None else list(shell.user_ns.get("In", []))
    for before, cell in pairwise(cells):
        if cell.startswith(INJECTED):
            check(_assigned(cell), declared(before))


def _assigned(cell: str) -> dict:
    """The values that a cell of assignments gives to names."""
    return {
        ast.unparse(statement.targets[0]): ast.literal_eval(statement.value)
        for statement in ast.parse(cell).body
        if isinstance(statement, ast.Assign)
    }

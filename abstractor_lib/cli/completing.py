"""What a shell completes beside commands and options: names of experiments, claims and items.

A shell asks by calling the command, so nothing is imported before it does.
"""

from collections.abc import Callable, Iterable

import click


def _begin(names: Callable[[], Iterable[str]]) -> Callable:
    """Completes what begins as one of the names."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _experiments() -> list[str]:
    from .. import experiments

    return experiments.names()


def _items() -> list[str]:
    from ..pages import index

    return [row["id"] for row in index.inventory()]


def _claims() -> list[str]:
    from ..findings import statements

    return [claim.id for claim in statements.read()] + _items()


EXPERIMENTS, ITEMS, CLAIMS = _begin(_experiments), _begin(_items), _begin(_claims)


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Completes a model of the experiment that was named before."""
    from .. import experiments

    name = next(iter(ctx.args), "")  # an option without its value keeps click from reading it
    if name not in experiments.names():
        return []
    one = experiments.get(name)
    specs = (spec for protocol in one.protocols for spec in one.grid("laptop", protocol))
    known = dict.fromkeys(one.columns(spec.canonical())["model"] for spec in specs)
    return [model for model in known if model.startswith(incomplete)]

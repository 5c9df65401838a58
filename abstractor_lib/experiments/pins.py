"""Pinned parents: runs of other experiments that an experiment's own runs start from.

An experiment names them in its ``parents.json``, each with its spec written out, as ``abstractor
show RUN`` prints it. So a parent stays the same run when the grid that it came from grows.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..records.spec import Parent
from .experiment import Experiment

Pins = Mapping[str, Mapping[str, Parent]]


def read_pins(folder: Path, *others: Experiment) -> Pins:
    """Profile -> name -> parent, from the ``parents.json`` of an experiment's package.

    Args:
        folder: the package's.
        others: the experiments whose runs they are.

    Raises:
        ValueError: if the spec of a parent is malformed, or of another experiment.
    """
    known = {one.name: one for one in others}
    found: dict[str, dict[str, Parent]] = {}
    for profile, pins in json.loads((folder / "parents.json").read_text(encoding="utf-8")).items():
        for name, pin in pins.items():
            whose = pin["spec"]["experiment"]
            if whose not in known:
                raise ValueError(
                    f"{name} in parents.json is a run of {whose!r}; allowed: {', '.join(known)}"
                )
            parent = Parent(known[whose].spec(pin["spec"]), pin["trial"])
            kept = replace(parent.spec, keep=(parent.artifact,))
            found.setdefault(profile, {})[name] = replace(parent, spec=kept)
    return found

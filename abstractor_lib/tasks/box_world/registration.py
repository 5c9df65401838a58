"""The names by which Gymnasium knows Box World, and when it learns them.

Gymnasium 1 finds environments by importing the module before the colon of
``abstractor_lib.tasks.box_world:abstractor/BoxWorld-v0``. So an import of `box_world` registers the
names. It imports Gymnasium for that neither early nor in vain: commands that only plan runs import
`box_world` too, and Gymnasium may be absent. Where it is not imported yet, an import hook waits
for it.
"""

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

HOME = __name__.rpartition(".")[0]
IDS: dict[str, dict[str, Any]] = {  # and what each hands to `BoxWorldEnv`; JSON
    "abstractor/BridgeBoxWorld-v0": {"rules": "bridge"},
    "abstractor/BridgeBoxWorldMacro-v0": {"rules": "bridge", "macro": True},
    "abstractor/BoxWorld-v0": {"rules": "standard"},
    "abstractor/BoxWorldMacro-v0": {"rules": "standard", "macro": True},
}


def register(gymnasium: ModuleType) -> None:
    """Make `IDS` known to Gymnasium, those that are not.

    Args:
        gymnasium: the module.
    """
    for name, given in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                f"{HOME}.environment:BoxWorldEnv",
                vector_entry_point=f"{HOME}.vector:BoxWorldVectorEnv",
                kwargs=dict(given),
            )


def register_in_time() -> None:
    """Register now if Gymnasium is imported, else as soon as anybody imports it."""
    gymnasium = sys.modules.get("gymnasium")
    if gymnasium is not None:
        register(gymnasium)
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """Sees that Gymnasium is imported, and registers afterwards; finds nothing by itself."""

    asking = False

    def find_spec(self, name, path=None, target=None):
        if name != "gymnasium" or self.asking:
            return None
        self.asking = True
        try:
            spec = importlib.util.find_spec(name)  # by all the others
        finally:
            self.asking = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            register(module)

        spec.loader.exec_module = exec_module
        return spec

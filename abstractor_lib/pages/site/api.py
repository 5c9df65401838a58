"""Pages of the public library, one for each module and each class, for ``sphinx.ext.autodoc``.

Modules are read, not imported. What `abstractor_lib.nn` exports is documented under that name.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = {
    "nn": "Models",
    "theory": "Theory, and estimators for scikit-learn",
    "training": "Training",
    "tasks": "Tasks",
}
TOP = "abstractor_lib"
BASES = "Module, BaseEstimator, RegressorMixin, MultiOutputMixin, Sequential"
MEMBERS = ("   :members:", f"   :inherited-members: {BASES}")  # but not those of these classes


@dataclass(frozen=True)
class Module:
    """A module's page.

    Attributes:
        package: its package in ``abstractor_lib``.
        name: the module in it.
        home: where its objects are imported from.
        objects: name -> ``class`` or ``function``.
    """

    package: str
    name: str
    home: str
    objects: dict[str, str]

    @property
    def page(self) -> str:
        """The page, relative to the sources of the site."""
        return f"api/{self.package}/{self.name}.rst"

    @property
    def classes(self) -> dict[str, str]:
        """The page of each class, in a folder of the module: where a file system does not tell
        ``Abstractor`` from ``abstractor``, they stay apart."""
        folder = self.page.removesuffix(".rst")
        named = (name for name, kind in self.objects.items() if kind == "class")
        return {name: f"{folder}/{name}.rst" for name in named}


def modules(root: Path) -> Iterator[Module]:
    """The modules with something public in them.

    Args:
        root: the repository.
    """
    for package in PACKAGES:
        folder = root / TOP / package
        exported = _exported(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
        for path in sorted(folder.glob("[!_]*.py")):
            objects = _defined(ast.parse(path.read_text(encoding="utf-8")))
            if exported is not None:
                objects = {name: kind for name, kind in objects.items() if name in exported}
            home = f"{TOP}.{package}" + ("" if exported is not None else f".{path.stem}")
            if objects:
                yield Module(package, path.stem, home, objects)


def _exported(tree: ast.Module) -> list[str] | None:
    """``__all__``, or None without one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return None


def _defined(tree: ast.Module) -> dict[str, str]:
    """Public classes and functions of a module, in their order."""
    exported, kinds = _exported(tree), {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            kinds[node.name] = "class"
        elif isinstance(node, ast.FunctionDef):
            kinds[node.name] = "function"
    if exported is not None:
        return {name: kind for name, kind in kinds.items() if name in exported}
    return {name: kind for name, kind in kinds.items() if not name.startswith("_")}


def pages(root: Path) -> dict[str, str]:
    """Page -> its text: one for each class, module and package, and the front of the reference."""
    written: dict[str, str] = {}
    by_package: dict[str, list[Module]] = {package: [] for package in PACKAGES}
    for module in modules(root):
        written[module.page] = _module_page(module)
        written |= {page: _class_page(module, name) for name, page in module.classes.items()}
        by_package[module.package].append(module)
    about = {}
    for package, members in by_package.items():
        tree = ast.parse((root / TOP / package / "__init__.py").read_text(encoding="utf-8"))
        about[package] = ast.get_docstring(tree) or ""
        written[f"api/{package}/index.rst"] = _package_page(package, about[package], members)
    written["api/index.rst"] = _front(about)
    return written


def _heading(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _module_page(module: Module) -> str:
    """What the module says, a table of its classes, and its functions."""
    whole = f"{TOP}.{module.package}.{module.name}"
    lines = [f".. automodule:: {whole}", *(["   :no-index:"] if module.home != whole else [])]
    lines += ["", ".. currentmodule:: None", "", *_table(module, module.classes)]
    lines += [f".. currentmodule:: {module.home}", ""]
    for name in [one for one in module.objects if one not in module.classes]:
        lines += [f".. autofunction:: {name}", ""]
    return _heading(f"{module.package}.{module.name}") + "\n".join(lines)


def _class_page(module: Module, name: str) -> str:
    """A class. No list of pages names it, which would make the lists beside all pages twice as
    long; its module's page does."""
    lines = [f"Defined in :doc:`{module.package}.{module.name} <../{module.name}>`.", ""]
    lines += [f".. currentmodule:: {module.home}", "", f".. autoclass:: {name}", *MEMBERS, ""]
    return ":orphan:\n\n" + _heading(name) + "\n".join(lines)


def _table(module: Module, names: Iterable[str]) -> list[str]:
    """Names with the first sentences of what they are; nothing without names."""
    rows = [f"   ~{module.home}.{name}" for name in names]
    return [".. autosummary::", "   :nosignatures:", "", *rows, ""] if rows else []


def _package_page(package: str, about: str, members: list[Module]) -> str:
    lines = [about, ""]
    for module in members:
        lines += [f":doc:`{module.name}`", "", *_table(module, module.objects)]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {module.name}" for module in members), ""]
    return _heading(PACKAGES[package]) + "\n".join(lines)


def _front(about: dict[str, str]) -> str:
    lines = ["What can be used outside this companion; ``pip install .`` installs it.", ""]
    for package, text in about.items():
        first = text.partition("\n\n")[0].replace("\n", " ")
        lines += [f"* :doc:`{PACKAGES[package]} <{package}/index>`, ``{TOP}.{package}``. {first}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {package}/index" for package in about]
    return _heading("Library") + "\n".join(lines) + "\n"

"""From the source of the paper and its values to a PDF, without a network and without records."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from ... import Failure, paths
from ...reporting.files import write

SOURCE = "docs/paper/paper.typ"
VALUES = "docs/paper/values.json"
PRESETS = "docs/paper/presets.toml"
REVIEWED = "build/reviewed.json"


def fonts() -> Path:
    """The folder of the fonts that figures are drawn with; matplotlib brings them.

    Raises:
        ModuleNotFoundError: without matplotlib.
    """
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("no module named 'matplotlib'", name="matplotlib")
    return Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"


def pdf(root: Path, reviewed: str = "") -> bytes:
    """The paper: the same bytes for the same source, values and figures.

    It is a PDF/A-2a, for archives, and a PDF/UA-1, for readers of any ability.

    Args:
        root: the repository's folder, whose files the source names.
        reviewed: a file of it, what a reviewer computed again (`reviewer.review`); empty for none.

    Raises:
        Failure: if the text rests on a verdict that is another by now, or Typst finds a fault: a
            field without a value, a reference to nothing, a figure without a text in its place.
        ModuleNotFoundError: without typst or matplotlib.
    """
    import typst

    outdated = json.loads((root / VALUES).read_text(encoding="utf-8"))["outdated"]
    if outdated:
        raise Failure(f"{SOURCE} says what the records no longer say: {'; '.join(outdated)}")
    compiler = typst.Compiler(
        root / SOURCE,
        root=root,
        font_paths=typst.Fonts(include_system_fonts=False, font_paths=[fonts()]),
        sys_inputs={"reviewed": f"/{reviewed}"} if reviewed else {},
    )
    try:
        content, warnings = compiler.compile_with_warnings(
            format="pdf", pdf_standards=["a-2a", "ua-1"]
        )
    except typst.TypstError as error:
        raise Failure(f"{SOURCE}: {error.message} (`abstractor readme` rewrites values)") from None
    if warnings:
        raise Failure(f"{SOURCE}: {'; '.join(warning.message for warning in warnings)}")
    return cast(bytes, content)


def build(reviewer: str = "") -> Path:
    """Write the paper to ``build/paper.pdf``; returns where it lies.

    Args:
        reviewer: who computes a run of each section again, whose table the paper then has. This
            needs torch, and some minutes.

    Raises:
        ValueError: see `reviewer.review`.
    """
    root = paths.root()
    target = root / "build" / "paper.pdf"
    target.parent.mkdir(exist_ok=True)
    if reviewer:
        from .reviewer import review

        write(root / REVIEWED, review(reviewer, root / PRESETS))
    write(target, pdf(root, REVIEWED if reviewer else ""))
    return target

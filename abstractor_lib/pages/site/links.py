"""Links of a page, pointed at what the site has.

A page names other pages and files relative to itself. In the site README.md is the front page, a
folder is no page, and a page that raw HTML names ends in ``.html``. A place that a page marks with
``<a id="...">`` is known to raw HTML alone, so a link to it becomes that.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

FRONT = "README.md"  # the front page is made of it
DETAIL = "detail"  # the tag of a cell whose section the site folds

# What stands for itself (code, mathematics, comments) comes first, so that no link is seen in it.
_MARKDOWN = re.compile(
    r"""
    (?P<asis> ^(?P<fence>```+|~~~+).*?^(?P=fence)[ ]*$ | (?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)
        | \$\$.*?\$\$ | (?<![\\\w])\$(?=\S)[^$]*?(?<=\S)\$(?!\d) | <!--.*?--> )
    | (?P<image>!?) \[ (?P<text>(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*) \]
        \( (?P<target>[^()\s]+) (?P<title>\s+"[^"]*")? \)
    | ^ (?P<label>[ ]{0,3}\[[^\]]+\]:[ ]+) (?P<reference>\S+)
    | (?P<attribute>\s(?:src|srcset|href)=) (?P<quote>["']) (?P<value>[^"']*) (?P=quote)
    """,
    re.X | re.S | re.M,
)
_HTML = re.compile(
    r"(?P<attribute>\s(?:src|srcset|href)=)(?P<quote>[\"'])(?P<value>[^\"']*)(?P=quote)"
)


class BrokenLink(ValueError):
    """A page names a file that is not there."""


@dataclass
class Links:
    """Rewrites the links of pages, and notes the files that they name.

    Args:
        root: the repository.
        pages: the pages of the site, relative to it.

    Attributes:
        drawn: of figures, by the names of their files, the page whose cell draws each; a link to
            such a figure leads to the cell.
        files: files that Markdown names; they lie beside the pages, under their own names.
        raw: files that raw HTML names; they are copied into the site as they are.
    """

    root: Path
    pages: Collection[str]
    drawn: Mapping[str, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    raw: set[str] = field(default_factory=set)

    def markdown(self, text: str, page: str) -> str:
        """The text of a page, or of a cell of it, with links that hold in the site.

        Args:
            text: Markdown, which may contain HTML.
            page: the page that holds it, relative to the repository.

        Raises:
            BrokenLink: naming the page and the file that is not there.
        """

        def rewrite(match: re.Match) -> str:
            if match["asis"] is not None:
                return match[0]
            if match["attribute"] is not None:
                return self._attribute(match, page)
            if match["reference"] is not None:
                return match["label"] + (self._target(match["reference"], page) or page)
            text = self.markdown(match["text"], page)
            if match["image"]:  # MyST would leave the break of a line out, not make it a space
                text = " ".join(text.split())
            if not match["image"] and (cell := self._cell(match["target"], page)):
                return f'<a href="{cell}">{text}</a>'
            if self._marked(match["target"], page):
                return f'<a href="{self._target(match["target"], page, raw=True)}">{text}</a>'
            target = self._target(match["target"], page, vector=bool(match["image"]))
            if target is None:  # a folder
                return text
            return f"{match['image']}[{text}]({target}{match['title'] or ''})"

        return _MARKDOWN.sub(rewrite, text)

    def html(self, text: str, page: str) -> str:
        """The same for HTML, such as a table that a notebook shows."""
        return _HTML.sub(lambda match: self._attribute(match, page), text)

    def _cell(self, target: str, page: str) -> str:
        """Where in the site a figure is drawn that a page links to; empty if no cell draws it, or
        if the page is that notebook itself."""
        path = Path(target)
        there = self.drawn.get(path.stem, "") if path.suffix in (".png", ".md") else ""
        if path.parent.name != "figures" or there in ("", page):
            return ""
        folder = posixpath.dirname(page) or "."
        return f"{posixpath.relpath(there, folder).removesuffix('.ipynb')}.html#{path.stem}"

    def _marked(self, target: str, page: str) -> bool:
        """Whether a link leads to a place that another page marks with raw HTML."""
        path, _, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if not path or not anchor or name not in self.pages or not (self.root / name).is_file():
            return False
        return f'<a id="{anchor}">' in (self.root / name).read_text(encoding="utf-8")

    def _attribute(self, match: re.Match, page: str) -> str:
        target = self._target(match["value"], page, raw=True) or ""
        return f"{match['attribute']}{match['quote']}{target}{match['quote']}"

    def _target(self, target: str, page: str, vector: bool = False, raw: bool = False):
        """Where a link of a page leads in the site; None for a folder, which has no page."""
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z][a-z0-9+.-]*:", target):
            return target
        folder = posixpath.dirname(page)
        name = posixpath.normpath(posixpath.join(folder, unquote(path)))
        if (self.root / name).is_dir():
            return None
        if name in self.pages:
            there = "index.md" if name == FRONT else name
            there = re.sub(r"\.\w+$", ".html", there) if raw else there
            return posixpath.relpath(there, folder or ".") + mark + anchor
        if name.startswith("..") or not (self.root / name).is_file():
            raise BrokenLink(f"{page} links to {target}, which does not exist")
        if vector and name.endswith(".png") and (self.root / name).with_suffix(".svg").is_file():
            name = name.removesuffix(".png") + ".svg"  # sharp at any size
        (self.raw if raw else self.files).add(name)
        return quote(posixpath.relpath(name, folder or ".")) + mark + anchor


def notebook(content: dict, page: str, links: Links) -> dict:
    """An executed notebook with the links of its text and of its outputs rewritten, and with a mark
    below each heading of a section that the site folds.

    Args:
        content: the notebook as JSON; it is changed.
        page: its file, relative to the repository.
        links: what rewrites them.
    """
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            text = links.markdown(_joined(cell["source"]), page)
            if DETAIL in cell.get("metadata", {}).get("tags", []):
                heading, _, rest = text.partition("\n")
                text = f'{heading}\n\n<div class="detail"></div>\n{rest}'
            cell["source"] = text
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            ways: dict[str, Callable] = {"text/markdown": links.markdown, "text/html": links.html}
            for kind in ways.keys() & data.keys():
                data[kind] = ways[kind](_joined(data[kind]), page)
    return content


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)

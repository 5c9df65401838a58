"""One exhibit as HTML: a still picture, and the script that takes its place."""

import base64
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

LARGEST = 40_000  # bytes of a fragment

# Where no script runs only `class`, `style`, and images of `data:` are sure to be left.
_FRAME = """<figure class="exhibit" id="{link}" style="margin:1em 0;scroll-margin-top:64px">
<img src="data:image/svg+xml;base64,{still}" alt="{alt}" \
width="{width}" height="{height}" style="max-width:100%;height:auto;background:#fff;\
border-radius:8px">
<figcaption style="margin-top:8px"><strong>{title}</strong> {caption} \
<span class="still">The picture stands still where no script runs. In a notebook, run its cell to \
play; on a web page, allow scripts.</span></figcaption>
</figure>
<script>
(() => {{
"use strict";
const figure = document.currentScript.previousElementSibling;
const NAME = "{link}";
const DATA = {data};
const STYLE = {style};
{scripts}}})();
</script>
"""


def read(name: str) -> str:
    """The text of a file beside this one."""
    return (files(__name__.rpartition(".")[0]) / name).read_text(encoding="utf-8")


def fragment(
    link: str, title: str, caption: str, alt: str, data: object, name: str, scripts: Sequence[str]
) -> str:
    """An exhibit as HTML.

    Args:
        link: what addresses call it; its states begin with it.
        title: its name for readers.
        caption: what can be done and seen; HTML.
        alt: what the still picture shows.
        data: what the script shows, as JSON knows it.
        name: of its style and its still picture, beside this file.
        scripts: names of its scripts, in their order.

    Returns:
        HTML without an empty line, so that Markdown may hold it too.

    Raises:
        ValueError: if it is larger than `LARGEST`.
    """
    still = read(f"{name}.svg")
    (size,) = re.findall(r'^<svg [^>]*viewBox="0 0 (\S+) (\S+)"', still)
    style = read("common.css") + read(f"{name}.css")
    found = _FRAME.format(
        still=base64.b64encode(still.encode()).decode(),
        alt=escape(alt),
        width=size[0],
        height=size[1],
        link=link,
        title=escape(title),
        caption=caption,
        data=_json(data),
        style=_json(style),
        scripts="".join(read(script) for script in ("common.js", *scripts)),
    )
    lines = (line.strip() for line in found.splitlines())  # indentation is for those who edit it
    found = "\n".join(line for line in lines if line) + "\n"
    size = len(found.encode())
    if size > LARGEST:
        raise ValueError(f"the exhibit {name} has {size} bytes; allowed: {LARGEST}")
    return found


def _json(data: object) -> str:
    """JSON that may stand in a script of a page.

    Example:
        >>> _json({"a": "</script>"})
        '{"a":"<\\\\/script>"}'
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")

"""How Sphinx makes the site from build/site-source, which `abstractor site` writes.

Formulas are drawn while the site is built, so that they need no script, no font and no network, and
look the same in every browser.
"""

import re
from pathlib import Path
from urllib.parse import quote, unquote
from xml.etree.ElementTree import ParseError, fromstring, tostring

import ziamath
from bs4 import BeautifulSoup
from docutils import nodes
from latex2mathml.converter import convert
from PIL import Image
from sphinx.addnodes import download_reference
from sphinx.util import logging

import abstractor_lib

project = html_title = "The Abstractor companion"
version = release = abstractor_lib.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_files", ".doctrees"]
html_extra_path = ["../build/site-source/_files"]
suppress_warnings = ["myst.header"]  # of a notebook whose headings skip a level

nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

autodoc_default_options = {
    "exclude-members": "get_metadata_routing, set_fit_request, set_score_request",
}
python_maximum_signature_line_length = 72
default_role = "py:obj"
napoleon_use_ivar = True

html_theme = "furo"
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "drawn"
html_copy_source = False
html_favicon = "favicon.svg"
html_show_sphinx = html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}

SIZE = 17  # of formulas, beside text of 16 pixels
ziamath.config.svg2, ziamath.config.precision = False, 2
ziamath.config.math.color = "currentColor"
# What latex2mathml leaves as it is after \Big, and letters that ziamath would not slant.
BETTER = {r"\|": "‖", r"\{": "{", r"\}": "}", "ϕ": "𝜙", "ϵ": "𝜖", "ϑ": "𝜗", "ϱ": "𝜚", "ϖ": "𝜛"}

BLACKBOARD = str.maketrans("CNPQRZ", "ℂℕℙℚℝℤ")  # else plain in an index


def drawn(text: str, block: bool) -> str:
    """A formula as a drawing that grows with the text around it.

    Raises:
        ValueError: for a command that is not known.
    """
    mathml = fromstring(convert(text, display="block" if block else "inline"))
    for part in mathml.iter():
        part.text = BETTER.get(part.text, part.text)
        if part.get("mathvariant") == "double-struck":
            part.text = part.text.translate(BLACKBOARD)
        if part.text and part.text.startswith("\\"):
            raise ValueError(f"{part.text} is unknown")
    svg = ziamath.Math(mathml, size=SIZE, margin=0).svgxml()
    _, top, width, height = map(float, svg.get("viewBox").split())
    svg.attrib |= {
        "class": "formula",
        "role": "img",
        "aria-label": text,
        "style": f"vertical-align: {-(top + height) / 16:.3f}em",
        "width": f"{width / 16:.3f}em",
        "height": f"{height / 16:.3f}em",
    }
    return tostring(svg, encoding="unicode")


def formula(writer, node, block: bool) -> None:
    """Write a formula, one with a number on a line of its own. One that cannot be read is a
    warning, and shown as it was typed."""
    text, *number = re.split(r"\s*\\tag\{(.*?)\}", node.astext())
    try:
        written = drawn(text, block)
    except (ParseError, ValueError) as error:
        logging.getLogger(__name__).warning("%s: %s", text, error, location=node)
        written = f"<code>{writer.encode(text)}</code>"
    if number:
        written += f"<span>({number[0]})</span>"
    writer.body.append(f'<div class="formula">{written}</div>' if block else written)
    raise nodes.SkipNode


def open_file(writer, node) -> None:
    """A link to a file shows it where Sphinx would have it saved."""
    address = f"{writer.builder.dlpath}/{quote(node['filename'])}"
    writer.body.append(writer.starttag(node, "a", "", href=address))


def plain_words(app, what, name, obj, options, lines: list[str]) -> None:
    """Docstrings write |x|, a * b and s_ as themselves, which reStructuredText would interpret."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`+[^`]+`+)", line)
            parts[::2] = [re.sub(r"[|*]|_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "".join(parts)


FOLDED = "section#appendices > section, section#exercises > section, section#claims"
LISTS = {
    "CLAIMS": "h1 ~ section",
    "CHANGELOG": "h2 ~ section",
}  # pages of which all parts are folded
WIDE = 510  # pixels: at 0.7 of its size, a wider figure is scrolled sideways on a phone
DRAWS = re.compile(r"^\s*\w+\.save_(figure|table)\(", re.M)


def article(app, page: str, template, context: dict, doctree) -> None:
    """A notebook reads as an article: its claims, exercises and appendices are folded, each under
    its heading, and so are parameters, imports, and code that draws. Sections that are details show
    what they find, and open. Pictures have their sizes, so that no text moves."""
    body = context.get("body", "")
    if not (page.startswith("notebooks/") or page in LISTS or "<img" in body):
        return
    soup = BeautifulSoup(body, "html.parser")
    if page.startswith("notebooks/"):
        for section in soup.select(FOLDED):
            if heading := section.find(["h2", "h3", "h4"], recursive=False):
                fold(soup, list(section.contents), heading, "appendix")
        for mark in soup.select("div.detail"):
            fold_detail(soup, mark)
        for cell in soup.select("div.cell.tag_parameters"):
            fold(soup, [cell, *without_output(cell)], "Parameters", "appendix code")
        for code in soup.select("div.cell > div.cell_input"):
            if DRAWS.search(code.get_text()):
                fold(soup, [code], "Code", "appendix code")
    for section in soup.select(LISTS.get(page, "none")):
        heading = section.find(["h2", "h3"], recursive=False)
        fold(soup, list(section.contents), heading, "appendix")
    files = {Path(name).name: app.srcdir / path for path, name in app.builder.images.items()}
    for image in soup.find_all("img"):
        path = files.get(unquote(image["src"].rpartition("/")[2]))
        if path is not None and not image.get("width"):
            width, height = pixels(path)
            image["width"], image["height"] = str(width), str(height)
            if page.startswith("notebooks/") and width > WIDE:
                image["class"] = [*image.get("class", []), "wide"]
                image["style"] = f"--width: {width}px"
    context["body"] = str(soup)


def pixels(path: Path) -> tuple[int, int]:
    """The width and height of a picture; those of an SVG are in points, of which a pixel has 3/4.

    Raises:
        ValueError: for an SVG whose root does not say so.
    """
    if path.suffix != ".svg":
        return Image.open(path).size
    root = fromstring(path.read_text(encoding="utf-8"))
    sizes = [re.fullmatch(r"([\d.]+)pt", root.get(name, "")) for name in ("width", "height")]
    if not all(sizes):
        raise ValueError(f"{path.name} does not give its width and height in points (pt)")
    return tuple(round(float(size[1]) * 4 / 3) for size in sizes)


def fold_detail(soup, mark) -> None:
    """Fold the section of a mark under its heading; the sentence that it has in bold stays."""
    section = mark.find_parent("section")
    mark.extract()
    heading = section.find(["h2", "h3", "h4"], recursive=False)
    finding = next((one for one in section.find_all("strong") if len(one.get_text()) > 30), None)
    fold(soup, list(section.contents), heading, "appendix detail")
    if finding is not None:
        shown = soup.new_tag("p")
        shown.string = finding.get_text()
        section.find("summary").append(shown)


def without_output(cell) -> list:
    """The cells that follow one, up to the first that shows something."""
    found = []
    for other in cell.find_next_siblings():
        if "cell" not in other.get("class", []) or other.select_one(".cell_output"):
            break
        found.append(other)
    return found


def fold(soup, parts: list, heading, kind: str) -> None:
    """Put neighbouring parts of a page under a heading that opens them."""
    made, summary = soup.new_tag("details"), soup.new_tag("summary")
    made["class"] = kind
    parts[0].insert_before(made)
    for part in parts:
        made.append(part.extract())
    summary.append(heading)
    made.insert(0, summary)


def unsearched(app, tree, page: str) -> None:
    """Code of notebooks and what it prints is not searched: it has most words most often, and
    answers least. Code on other pages is an answer."""
    if page.startswith("notebooks/"):
        for block in tree.findall(nodes.literal_block):
            block["classes"].append("no-search")


def setup(app) -> None:
    """Sphinx calls this."""
    app.connect("doctree-resolved", unsearched)
    app.connect("html-page-context", article)
    app.connect("autodoc-process-docstring", plain_words, priority=400)  # before napoleon
    app.add_node(
        download_reference,
        override=True,
        html=(open_file, lambda writer, _: writer.body.append("</a>")),
    )
    app.add_html_math_renderer(
        "drawn",
        (lambda writer, node: formula(writer, node, False), None),
        (lambda writer, node: formula(writer, node, True), None),
    )

"""The sources of the site: every link leads to a file that is there. Sphinx is not needed."""

import json
import posixpath
import re

import pytest

from abstractor_lib import nn, paths
from abstractor_lib.pages import notebooks, places
from abstractor_lib.pages.site import api, build, items
from abstractor_lib.pages.site.links import BrokenLink, Links, notebook


@pytest.fixture
def repository(tmp_path):
    """A small repository, and what rewrites the links of its pages."""
    for name in ("README.md", "docs/limits.md", "notebooks/01_a.ipynb", "figures/a.png", "a b.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "figures" / "a.svg").touch()
    return Links(tmp_path, {"README.md", "docs/limits.md", "notebooks/01_a.ipynb"})


@pytest.mark.parametrize(
    ("page", "given", "expected"),
    [
        ("README.md", "[n](notebooks/01_a.ipynb)", "[n](notebooks/01_a.ipynb)"),
        ("docs/limits.md", "[up](../README.md#cite)", "[up](../index.md#cite)"),
        ("docs/limits.md", "![x](../figures/a.png)", "![x](../figures/a.svg)"),
        ("docs/limits.md", "![x\ny](../figures/a.png)", "![x y](../figures/a.svg)"),
        ("docs/limits.md", "[x](../figures/a.png)", "[x](../figures/a.png)"),
        ("docs/limits.md", "see [the `docs`](../docs) here", "see the `docs` here"),
        (
            "README.md",
            "[![x](figures/a.png)](docs/limits.md)",
            "[![x](figures/a.svg)](docs/limits.md)",
        ),
        ("README.md", '<a href="docs/limits.md#x">', '<a href="docs/limits.html#x">'),
        ("docs/limits.md", '<a href="../README.md">', '<a href="../index.html">'),
        ("README.md", '<img src="figures/a.png" width=3>', '<img src="figures/a.png" width=3>'),
        ("README.md", "[a](https://example.org/x.md) [b](#here)", None),
        ("README.md", "`[a](missing)` and `` [`a`](missing) ``", None),
        ("README.md", "```md\n[a](missing)\n```\n", None),
        ("README.md", "$R[i, j](x)$, $$\nf[0](x)\n$$ costs $5", None),
        ("README.md", "[limits]: docs/limits.md\n", None),
        ("README.md", "[a](a%20b.txt)", None),
    ],
)
def test_links_of_markdown(repository, page, given, expected):
    assert repository.markdown(given, page) == (given if expected is None else expected)


def test_a_link_to_a_figure_leads_to_the_cell_that_draws_it(repository):
    repository.drawn = {"a": "notebooks/01_a.ipynb"}
    expected = '<a href="../notebooks/01_a.html#a">x</a>'
    assert repository.markdown("[x](../figures/a.png)", "docs/limits.md") == expected
    pictures = "![x](../figures/a.png)"  # a picture stays one
    assert repository.markdown(pictures, "docs/limits.md") == "![x](../figures/a.svg)"
    own = "[x](../figures/a.png)"  # in the notebook itself
    assert repository.markdown(own, "notebooks/01_a.ipynb") == own


def test_every_figure_that_pages_link_is_drawn_by_a_notebook():
    drawn = places.drawing_cells()
    for name in ("README.md", "docs/findings.md", "docs/what_fails.md", "docs/open_questions.md"):
        text = (paths.root() / name).read_text(encoding="utf-8")
        linked = set(re.findall(r"\[Figure\]\((?:\.\./)?figures/(\w+)\.\w+\)", text))
        assert linked <= drawn.keys()
    loop = {name for name, place in drawn.items() if place == drawn["fig_v3_05b_transformer"]}
    assert loop == {"fig_v3_05b_transformer", "fig_v3_05b_curves"}


def test_headings_that_answer_are_there():
    for page, heading in items.ASKED.values():
        text = (paths.root() / page).read_text(encoding="utf-8")
        assert re.search(rf"(?m)^\W*#+ {re.escape(heading)}(\\n)?\W*$", text), (page, heading)


def test_a_place_that_raw_html_marks_is_reached_by_raw_html(repository):
    """MyST knows headings and targets of its own alone."""
    marked = repository.root / "docs" / "limits.md"
    marked.write_text('<a id="one_two"></a>\n\n## Three\n')
    given = "[**1**](docs/limits.md#one_two) [3](docs/limits.md#three)"
    expected = '<a href="docs/limits.html#one_two">**1**</a> [3](docs/limits.md#three)'
    assert repository.markdown(given, "README.md") == expected


def test_files_that_pages_name_are_noted(repository):
    text = '![x](figures/a.png) <img src="figures/a.png"> [n](notebooks/01_a.ipynb)'
    repository.markdown(text, "README.md")
    assert repository.files == {"figures/a.svg"}
    assert repository.raw == {"figures/a.png"}


@pytest.mark.parametrize(
    "text", ["[a](none.md)", "![a](figures/b.png)", '<img src="b.png">', "[a](../x)", "[a]: none\n"]
)
def test_a_link_to_nothing_is_an_error(repository, text):
    with pytest.raises(BrokenLink, match=r"^README\.md links to .* does not exist$"):
        repository.markdown(text, "README.md")


def test_cells_and_their_outputs_are_rewritten(repository):
    found = {"text/html": ['<a href="../README.md">'], "text/markdown": "[a](../README.md)"}
    cells = [
        {"cell_type": "markdown", "source": ["[a]", "(../README.md)"]},
        {"cell_type": "code", "source": "[a](none)", "outputs": [{"data": found}]},
    ]
    notebook({"cells": cells}, "notebooks/01_a.ipynb", repository)
    assert cells[0]["source"] == "[a](../index.md)"
    assert cells[1]["source"] == "[a](none)"
    assert found == {"text/html": '<a href="../index.html">', "text/markdown": "[a](../index.md)"}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    return folder, build.assemble(folder)


def test_every_page_is_there(source):
    folder, pages = source
    expected = {"index.md", "INDEX.md", "CHANGELOG.md", "api/index.rst"}
    expected |= {f"notebooks/{path.stem}.ipynb" for path in notebooks.sources()}
    expected |= {path.name for path in paths.root().glob("CLAIMS.md")}
    expected |= {f"docs/{path.name}" for path in (paths.root() / "docs").glob("*.md")}
    assert expected - {"docs/index.md"} <= set(pages)
    assert all((folder / page).is_file() for page in pages)


@pytest.mark.parametrize(
    ("name", "stem", "item"),
    [
        ("Figure 5b", "03_pretraining", "fig_v3_05b"),
        ("v1 Theorem 3.2", "07_robust_recovery", "thm_v1_3_2"),
        ("fig_v3_08b", "04_robustness", "fig_v3_08b"),
    ],
)
def test_the_cell_that_draws_a_figure_has_its_names_before_it(source, name, stem, item):
    folder, _ = source
    before = json.loads((paths.root() / "notebooks" / f"{stem}.ipynb").read_text())["cells"]
    cells = json.loads((folder / "notebooks" / f"{stem}.ipynb").read_text())["cells"]
    directive = f"```{{index}} ! single: {name}\n```"
    (place,) = [k for k, cell in enumerate(cells) if directive in cell["source"]]
    drawing = cells[place + 1]
    assert drawing["cell_type"] == "code" and f'"{item}_' in "".join(drawing["source"])
    left = [cell for cell in cells if not cell["id"].startswith("named-")]
    assert [cell["id"] for cell in left] == [cell["id"] for cell in before]


def test_changes_since_the_last_release_are_in_the_changelog(source):
    folder, _ = source
    page = " ".join((folder / "CHANGELOG.md").read_text().split())
    for path in (paths.root() / "docs" / "changes").glob("+*.md"):
        assert path.read_text().split(maxsplit=1)[0] in page
    assert "Unreleased" in page or not list((paths.root() / "docs" / "changes").glob("+*.md"))


def test_every_link_of_the_sources_leads_to_a_file(source):
    """Found by another pattern than the one that rewrites them: whatever follows ``](``."""
    folder, pages = source
    seen = 0
    for page in pages:
        text = (folder / page).read_text()
        if page.endswith(".ipynb"):
            cells = json.loads(text)["cells"]
            text = "\n\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
        elif not page.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
                assert (folder / path).is_file(), f"{page}: {target}"
                seen += 1
    assert seen > 40


def test_pages_name_what_is_in_the_list_of_pages():
    """The front page's lists hold every page: by name, by pattern, or as a page of a package."""
    text = (paths.root() / "docs" / "index.md").read_text()
    assert {"notebooks/*", "docs/*", "CLAIMS*", "INDEX", "api/index", "CHANGELOG"} <= set(
        text.split()
    )


def test_the_reference_has_what_is_public():
    """All that `abstractor_lib.nn` exports but its constants, and the estimators."""
    named = {f"{one.home}.{name}" for one in api.modules(paths.root()) for name in one.objects}
    exported = {f"abstractor_lib.nn.{name}" for name in nn.__all__ if not name.isupper()}
    assert exported | {"abstractor_lib.nn.MLP"} <= named
    assert "abstractor_lib.theory.recovery.RobustRelationRecovery" in named
    assert not [name for name in named if "._" in name]


def test_each_class_has_a_page_of_its_own(source):
    folder, pages = source
    for module in api.modules(paths.root()):
        whole = (folder / module.page).read_text()
        for name, kind in module.objects.items():
            own = module.page.replace(".rst", f"/{name}.rst")
            assert (own in pages) == (kind == "class")
            assert f".. autofunction:: {name}\n" in whole or f"~{module.home}.{name}\n" in whole
            if kind == "class":
                text = (folder / own).read_text()
                assert f"\n{name}\n{'=' * len(name)}\n" in text
                assert text.count(".. auto") == 1

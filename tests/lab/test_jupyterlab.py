"""Every notebook in JupyterLab as ``make lab`` opens it, in headless Chromium: looked at, and some
of them run. `abstractor reproduce` runs all; here is asked whether JupyterLab does the same.

``make test-lab`` runs this. Without a browser or playwright the tests are skipped, saying how to
get them.
"""

from pathlib import Path

import pytest

from abstractor_lib import paths

NOTEBOOKS = sorted(path.name for path in (paths.root() / "notebooks").glob("*.ipynb"))
# The first that a reader runs, one with a live run and exhibits, one with pictures that move, and
# the one that a reader changes.
RUN_HERE = ("00_start_here", "02_object_sorting", "16_simplicial_agents", "90_your_own_task")
SECONDS = 60  # for a page to be there

SAID = ".jp-Dialog, .Toastify__toast, .jp-toast"  # dialogs and notices
CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.map(cell => ({
    type: cell.model.type,
    hidden: Boolean(cell.inputHidden),
    source: cell.model.sharedModel.getSource(),
    told: Boolean((cell.model.getMetadata("jupyter") || {}).source_hidden),
    count: cell.model.executionCount ?? null,
    outputs: cell.model.outputs ? cell.model.outputs.toJSON() : [],
}))"""
RUN = """async () => {
    await jupyterapp.shell.currentWidget.sessionContext.ready;
    await jupyterapp.commands.execute("notebook:run-all-cells");
}"""
CLOSE = """async () => {
    await jupyterapp.shell.currentWidget.sessionContext.shutdown();
}"""
LISTED = "() => [...document.querySelectorAll('.jp-DirListing-itemText')].map(e => e.textContent)"
BROKEN = "() => [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_opens_in_silence_and_hides_what_it_hides(page, lab, checkout, name):
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{lab}/lab/tree/notebooks/{name}?reset", timeout=1000 * SECONDS)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * SECONDS)
    page.wait_for_function("() => jupyterapp.shell.currentWidget.sessionContext.isReady")

    # The list of files has every notebook once.
    listed = page.evaluate(LISTED)
    assert [one for one in listed if not one.endswith(".ipynb")] == []
    assert sorted(listed) == NOTEBOOKS

    # What is to be hidden is, and nothing else.
    cells = page.evaluate(CELLS)
    assert [cell["source"] for cell in cells if cell["hidden"] != cell["told"]] == []
    assert any(cell["hidden"] for cell in cells)

    if Path(name).stem in RUN_HERE:
        run_all(page, cells)

    # Nobody was told of anything: no dialog about pairing, no notice, no error of the page.
    assert said(page) == []
    assert wrong == []
    assert page.evaluate(BROKEN) == []

    # It saves, and the .py file beside it stays as it was.
    page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")
    assert said(page) == []
    source = Path("notebooks", name).with_suffix(".py")
    assert code(checkout / source) == code(paths.root() / source)
    page.evaluate(CLOSE)


def run_all(page, cells):
    """Run all: it comes to the end without an error, with the outputs that are shipped."""
    page.evaluate(RUN)
    ran = [cell for cell in page.evaluate(CELLS) if cell["type"] == "code" and cell["source"]]
    assert [cell["count"] for cell in ran] == list(range(1, len(ran) + 1))
    assert [out for cell in ran for out in cell["outputs"] if out["output_type"] == "error"] == []
    before = [cell for cell in cells if cell["type"] == "code" and cell["source"]]
    for was, now in zip(before, ran, strict=True):
        assert texts(now) == texts(was), now["source"]
        assert {kind for out in now["outputs"] for kind in out.get("data", ())} == {
            kind for out in was["outputs"] for kind in out.get("data", ())
        }


def said(page):
    """Dialogs and notices, but for the question that JupyterLab asks everybody once."""
    told = page.locator(SAID).all_inner_texts()
    return [one for one in told if "official Jupyter news" not in one]


def texts(cell):
    """What a cell shows as words, but for those that are no result, on standard error."""
    return [
        out.get("text") or out["data"].get("text/markdown") or out["data"].get("text/html")
        for out in cell["outputs"]
        if out.get("name") != "stderr"
    ]


def code(path):
    """A source without its header, which names versions."""
    return path.read_text().split("# ---\n", 2)[-1]

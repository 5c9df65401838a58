"""Exhibits in JupyterLab: played with after their cell was run, a still picture before."""

import nbformat
import pytest

from abstractor_lib.reporting import exhibits

SECONDS = 60
RUN = """async () => {
    await jupyterapp.shell.currentWidget.sessionContext.ready;
    await jupyterapp.commands.execute("notebook:run-all-cells");
}"""
CELLS = "() => jupyterapp.shell.currentWidget.content.widgets.length"
CLOSE = "async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }"


@pytest.fixture(scope="module")
def notebook(checkout):
    """A notebook with all exhibits, whose outputs another machine has written."""
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    for name in exhibits.__all__:
        source = "from abstractor_lib.reporting import exhibits\nfrom IPython.display import HTML\n"
        cell = nbformat.v4.new_code_cell(f"{source}\nHTML(exhibits.{name}())")
        html = {"text/html": getattr(exhibits, name)(), "text/plain": "an exhibit"}
        cell.outputs = [nbformat.v4.new_output("execute_result", html, execution_count=1)]
        book.cells.append(cell)
    nbformat.write(book, checkout / "exhibits.ipynb")
    return "exhibits.ipynb"


def test_a_still_picture_before_and_an_exhibit_after_the_cell_was_run(page, lab, notebook):
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{lab}/lab/tree/{notebook}?reset", timeout=1000 * SECONDS)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * SECONDS)
    page.wait_for_function("() => jupyterapp.shell.currentWidget.sessionContext.isReady")
    stills = page.locator("figure.exhibit > img")
    stills.first.wait_for()
    assert stills.count() == len(exhibits.__all__) and page.locator(".exhibit-live").count() == 0
    seen = "all => all.every(one => one.complete && one.naturalWidth > 300)"
    assert stills.evaluate_all(seen)
    assert "stands still" in page.locator("figure.exhibit").first.inner_text()

    page.evaluate(RUN)
    live = page.locator(".exhibit-live")
    live.first.wait_for()
    assert live.count() == len(exhibits.__all__) and stills.count() == 0
    # Keys are the exhibit's: JupyterLab would insert a cell at "b", and select another at arrows.
    cells = page.evaluate(CELLS)
    board = live.first.locator("svg.scene")
    board.click(position={"x": 5, "y": 5})
    board.focus()
    for key in ("ArrowRight", "ArrowDown", "b", "a", "x"):
        page.keyboard.press(key)
    assert "column 2" in board.get_attribute("aria-label")
    assert page.evaluate(CELLS) == cells
    assert wrong == []
    page.evaluate(CLOSE)

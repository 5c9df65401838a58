"""The contrast of text on each kind of page, light and dark."""

import pytest

PAGES = [  # one of each kind
    *("index", "CLAIMS", "INDEX", "EXHIBITS", "CHANGELOG", "search", "genindex", "py-modindex"),
    *("docs/findings", "docs/commands", "docs/library", "notebooks/02_object_sorting"),
    *("notebooks/05_mercer_kernels", "notebooks/16_simplicial_agents", "api/index", "api/nn/index"),
    *("api/theory/kernels", "api/nn/relational_attention/RelationalCrossAttention"),
    "_modules/abstractor_lib/nn/relational_attention",
]


@pytest.mark.parametrize("name", PAGES)
def test_text_can_be_read_on_its_background(window, site, pale_text, name):
    page, _ = window
    page.goto((site / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert pale_text(page) == [], scheme
    page.emulate_media(color_scheme=None)


@pytest.mark.parametrize("style", ["color: #777", "color: #0008", "background: #000a"])
def test_pale_text_is_found(browser, pale_text, style):
    """By hand: #777 on white has 4.48, half-transparent black as well; black on #555 has 2.8."""
    page = browser.new_page()
    page.set_content(f'<p style="{style}">pale</p><p>dark</p>')
    assert [found.partition(":")[0] for found in pale_text(page)] == ["pale"]
    page.close()

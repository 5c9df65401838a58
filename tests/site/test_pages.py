"""Every page of the built site, in headless Chromium, as wide as a desktop and as a phone.

``make test-site`` builds the site and runs this; pages are opened as files, without a network.
Without a browser or a site the tests are skipped, saying how to get it.
"""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from abstractor_lib import paths
from abstractor_lib.reporting import exhibits

SITE = paths.root() / "build" / "site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))

BROKEN_IMAGES = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)"
# What reaches beyond the right edge of the page, unless a box within the text around it scrolls.
OVERFLOWING = """() => {
    const scrolls = e => e && e.tagName !== "ARTICLE" &&
        (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    const edge = document.documentElement.clientWidth + 1;
    return [...document.querySelectorAll("article *")]
        .filter(e => e.getBoundingClientRect().right > edge && !scrolls(e))
        .map(e => e.outerHTML.slice(0, 80));
}"""


# A box of another shape would change when the picture arrives.
WITHOUT_SIZE = """[...document.images].filter(i => i.getClientRects().length).filter(i => {
    const ratio = i.getAttribute("width") / i.getAttribute("height");
    return !(Math.abs(ratio * i.naturalHeight / i.naturalWidth - 1) < 0.01);
}).map(i => i.outerHTML.slice(0, 80))"""
WITHOUT_WORDS = "[...document.images].filter(i => !i.alt.trim()).map(i => i.src)"
TALL = 12_000  # pixels of a page as wide as a desktop, with its folds closed

NAMES = ("_modules/", "api/", "genindex")  # reference, as long as there are names


class Anchors(HTMLParser):
    """What a page links to and which places of it can be linked to."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.places = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def test_there_are_pages(site):
    notebooks = {path.stem for path in (SITE.parent.parent / "notebooks").glob("*.ipynb")}
    assert {f"notebooks/{name}.html" for name in notebooks} <= set(PAGES)
    others = ("index", "INDEX", "EXHIBITS", "CHANGELOG", "search", "api/index")
    assert {f"{name}.html" for name in others} <= set(PAGES)
    assert sum(name.startswith("api/") for name in PAGES) > 20
    for name in ("nn/relational_attention/RelationalCrossAttention", "theory/kernels"):
        assert "&gt;&gt;&gt; " in (site / "api" / f"{name}.html").read_text()  # an example


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_all_of_itself(window, site, name):
    page, wrong = window
    wrong.clear()
    page.goto((site / name).as_uri())
    assert page.locator("article h1").count() == 1 or name in ("search.html", "genindex.html")
    page.evaluate("document.querySelectorAll('img').forEach(i => i.loading = 'eager')")
    page.wait_for_function("[...document.images].every(i => i.complete)")
    assert page.evaluate(BROKEN_IMAGES) == []
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(WITHOUT_SIZE) == []
    assert page.evaluate(WITHOUT_WORDS) == []
    assert page.evaluate("window.moved") < 0.1  # what Lighthouse calls good
    for box in ("html", ".content"):
        width = page.locator(box).evaluate("e => e.scrollWidth - e.clientWidth")
        assert width <= 1, f"{box} is {width} pixels wider than it shows"
    assert wrong == []


def test_appendices_are_folded_until_a_link_leads_there(window, site):
    page, wrong = window
    wrong.clear()
    address = (site / "notebooks" / "02_object_sorting.html").as_uri()
    page.goto("about:blank")
    page.goto(address)
    folds = page.locator("section#appendices > section > details")
    assert folds.count() > 1
    for others in ("section#claims > details", "section#exercises > section > details"):
        assert not page.locator(others).first.evaluate("e => e.open")
    assert not any(folds.nth(k).evaluate("e => e.open") for k in range(folds.count()))
    name = page.locator("section#appendices > section").last.get_attribute("id")
    for before in (address, "about:blank"):
        page.goto(before)
        page.goto(f"{address}#{name}")
        assert folds.last.evaluate("e => e.open")
        seen = "document.getElementById(location.hash.slice(1)).getBoundingClientRect().top < 800"
        page.wait_for_function(seen)
    assert wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_not_endless(window, site, name):
    page, _ = window
    if page.viewport_size["width"] > 1000 and not name.startswith(NAMES):
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollHeight") < TALL


def test_a_detail_shows_what_it_finds_and_opens(window, site):
    page, wrong = window
    wrong.clear()
    page.goto((site / "notebooks" / "02_object_sorting.html").as_uri())
    fold = page.locator("details.detail").first
    finding = fold.locator("> summary > p")
    assert finding.is_visible() and finding.inner_text().endswith(".")
    fold.locator("> summary").click(position={"x": 5, "y": 10})
    assert not finding.is_visible()
    assert fold.locator("strong", has_text=finding.text_content()).first.is_visible()
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("notebooks/")])
def test_a_notebook_reads_as_an_article(window, site, name):
    """Code that draws is folded."""
    page, _ = window
    page.goto((site / name).as_uri())
    shown = page.locator("div.cell > div.cell_input").all_inner_texts()
    assert not [code for code in shown if ".save_figure(" in code]


@pytest.mark.parametrize("name", ["02_object_sorting", "14_simplicial_attention"])
def test_figures_and_formulas_keep_a_size_at_which_they_can_be_read(window, site, name):
    """Figures are drawn at 110 dots an inch: at 0.6 of that, 9 points are 8 pixels."""
    page, _ = window
    page.goto((site / "notebooks" / f"{name}.html").as_uri())
    scale = "all => all.map(i => i.getBoundingClientRect().width / i.getAttribute('width'))"
    scales = page.locator(".cell_output img:visible").evaluate_all(scale)
    assert scales and min(scales) > 0.6
    shrunk = """all => all.filter(one => {
        const [em, width] = [getComputedStyle(one).fontSize, one.getAttribute("width")];
        return one.getBoundingClientRect().width < 0.99 * parseFloat(em) * parseFloat(width);
    }).length"""
    assert page.locator("div.formula svg:visible").evaluate_all(shrunk) == 0


def test_the_claims_of_a_notebook_have_room_for_words(window, site):
    page, _ = window
    page.goto((site / "notebooks" / "10_set_classification.html").as_uri() + "#claims")
    for cells, least in (("td:last-child", 250), ("td:first-child", 80)):  # the claim, a verdict
        found = page.locator(f"section#claims {cells}")
        widths = found.evaluate_all("all => all.map(e => e.getBoundingClientRect().width)")
        assert widths and min(widths) > least


def test_every_link_leads_to_a_page_and_a_place_in_it(site):
    found = {(site / name).as_uri(): Anchors((site / name).read_text()) for name in PAGES}
    broken = []
    for address, anchors in found.items():
        for link in anchors.links:
            target, place = urldefrag(urljoin(address, link))
            parts = urlsplit(target)
            if parts.scheme != "file":
                continue
            place = place.partition(":")[0]  # of an exhibit, whose state follows
            there = (site / unquote(parts.path)).is_file()
            if not there or (target in found and unquote(place) not in found[target].places):
                broken.append(f"{address.rpartition('/')[2]}: {link}")
    assert broken == []


def test_pages_bring_all_they_need(site):
    """No address of another host but in links that a person follows."""
    for name in PAGES:
        text = (site / name).read_text()
        for tag in ("<script", "<link", "<img", "<source", "<iframe"):
            for part in text.split(tag)[1:]:
                attributes = part.partition(">")[0]
                assert "//" not in attributes.replace("://www.w3.org", ""), f"{name}: {attributes}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("relational cross-attention", "notebooks/00_start_here.html"),
        ("fig_v3_05a", "INDEX.html"),
        ("RobustRelationRecovery", "api/theory/recovery/RobustRelationRecovery.html"),
        ("least absolute deviations", "notebooks/07_robust_recovery.html"),
    ],
)
def test_the_search_finds(window, address, words, expected):
    page, wrong = window
    wrong.clear()
    targets = found(page, address, words)
    assert any(expected in target for target in targets), targets
    assert wrong == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("seed", "docs/how_numbers_are_made.html"),
        ("bibtex", "docs/citing.html"),
        ("cite", "index.html"),
        ("learning rate", "docs/deviations.html"),
        ("length generalisation", "notebooks/17_open_questions.html"),
        ("install", "index.html"),
    ],
)
def test_the_search_finds_first_the_section_that_answers(window, address, words, expected):
    page, wrong = window
    wrong.clear()
    first, place = urldefrag(found(page, address, words)[0])
    assert first.endswith(f"/{expected}") or first == expected
    assert place
    assert wrong == []


def test_a_figure_is_linked_where_it_is_drawn(window, address):
    """Not as a bare picture: its notebook says what it shows."""
    page, wrong = window
    wrong.clear()
    page.goto(f"{address}/index.html")
    links = page.get_by_role("link", name="Figure", exact=True)
    assert links.count() > 10
    for target in {links.nth(k).get_attribute("href") for k in range(links.count())}:
        there, name = urldefrag(target)
        assert there.startswith("notebooks/")
        page.goto(f"{address}/{target}")
        shown = f"""() => {{
            const place = document.getElementById({name!r});
            const after = e => place.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING;
            return [...document.querySelectorAll("div.cell")].find(after).textContent;
        }}"""
        assert f'"{name.rpartition("_")[0]}_' in page.evaluate(shown)  # a loop may fill in the rest
    assert wrong == []


@pytest.mark.parametrize(
    ("words", "notebook", "item"),
    [
        ("Figure 5b", "03_pretraining", "fig_v3_05b"),
        ("v3 figure 5a", "02_object_sorting", "fig_v3_05a"),
        ("Theorem 3.2", "07_robust_recovery", "thm_v1_3_2"),
        ("fig_v3_08b", "04_robustness", "fig_v3_08b"),
    ],
)
def test_the_search_for_a_figure_finds_first_the_cell_that_draws_it(
    window, address, words, notebook, item
):
    page, wrong = window
    wrong.clear()
    first = found(page, address, words)[0]
    target, place = urldefrag(first)
    assert target.endswith(f"notebooks/{notebook}.html") and place
    page.goto(f"{address}/notebooks/{notebook}.html#{place}")
    after = f"""() => {{
        const place = document.getElementById({place!r});
        const after = e => place.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING;
        const cells = [...document.querySelectorAll("div.cell")];
        return (place.closest("div.cell") ?? cells.find(after)).textContent;
    }}"""
    assert f'"{item}_' in page.evaluate(after)
    assert wrong == []


def found(page, address: str, words: str) -> list[str]:
    """The pages that the search lists, in its order."""
    page.goto(f"{address}/index.html")
    if page.viewport_size["width"] < 1000:
        page.locator("label[for=__navigation]:visible").first.click()
    page.locator(".sidebar-search").fill(words)
    page.locator(".sidebar-search").press("Enter")
    page.wait_for_selector("#search-results ul li a")
    page.wait_for_function("!Search._queued_query && Search.status.innerText.includes('found')")
    links = page.locator("#search-results ul li > a")
    return [links.nth(k).get_attribute("href") for k in range(links.count())]


def test_figures_can_be_read_on_a_dark_page(browser, site):
    page = browser.new_page(color_scheme="dark")
    page.goto((site / "notebooks" / "00_start_here.html").as_uri())
    colours = [
        page.locator(part).first.evaluate("e => getComputedStyle(e).backgroundColor")
        for part in ("body", "article img")
    ]
    page.close()
    assert colours[0] != "rgb(255, 255, 255)"
    assert colours[1] == "rgb(255, 255, 255)"


def test_the_front_page_has_an_exhibit_and_leads_to_the_others(window, address):
    """Below the path of a server too: nothing outside it is asked for."""
    page, wrong = window
    wrong.clear()
    asked = []

    def note(one):
        if one.url.startswith("http"):
            asked.append((one.url.startswith(f"{address}/"), one.status))

    if address.startswith("http"):  # else a late answer to the page before may come
        page.on("response", note)
    page.goto(f"{address}/index.html")
    exhibit = page.locator("figure#drag-an-object .exhibit-live")
    before = exhibit.locator("svg.scene").first.inner_html()
    exhibit.get_by_role("slider", name="object 1").press("ArrowUp")
    assert exhibit.locator("svg.scene").first.inner_html() != before
    assert "#drag-an-object:" in page.url
    cards = page.locator("div.exhibits a")
    assert cards.count() == len(exhibits.__all__) - 1
    for k in range(cards.count()):
        page.goto(f"{address}/index.html")
        cards.nth(k).click()
        name = page.url.partition("EXHIBITS.html#")[2]
        page.locator(f"figure#{name} .exhibit-live svg.scene").first.wait_for()
    page.get_by_role("link", name=re.compile("notebook [0-9]+")).first.click()
    page.wait_for_url(f"{address}/notebooks/*.html")
    if address.startswith("http"):
        page.remove_listener("response", note)
        assert asked and all(below and status in (200, 304) for below, status in asked)
    assert wrong == []


def test_the_front_page_can_be_read_without_scripts(browser, site):
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / "index.html").as_uri())
    still = page.locator("figure#drag-an-object > img")
    assert still.is_visible() and page.get_by_text("Drag an object.").is_visible()
    assert page.locator("div.exhibits a").last.is_visible()
    page.close()


def test_a_link_to_a_class_on_the_page_of_its_module_leads_to_its_own(window, site):
    page, wrong = window
    wrong.clear()
    name = "abstractor_lib.nn.Abstractor.forward"
    page.goto(f"{(site / 'api' / 'nn' / 'abstractor.html').as_uri()}#{name}")
    page.wait_for_url(f"**/api/nn/abstractor/Abstractor.html#{name}")
    assert page.locator(f"[id='{name}']").is_visible()
    assert wrong == []

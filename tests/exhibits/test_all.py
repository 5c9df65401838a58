"""What every exhibit has to be: readable, reachable, independent of its copy, and unimpressed by
addresses that say nothing."""

import re

import pytest

from abstractor_lib.reporting import exhibits

OVERFLOWING = """() => {
    const root = document.querySelector(".exhibit-live").shadowRoot;
    const edge = root.querySelector(".exhibit").getBoundingClientRect().right + 1;
    const wide = [...root.querySelectorAll(":not(svg *)")].filter(
        one => one.getBoundingClientRect().right > edge);
    const page = document.documentElement;
    return [...wide.map(one => one.outerHTML.slice(0, 80)),
            ...(page.scrollWidth > page.clientWidth ? ["the page"] : [])];
}"""
SMALL = """() => [...document.querySelector(".exhibit-live").shadowRoot
    .querySelectorAll("button, select, input[type=range], .choice span, summary")]
    .map(one => [one.getBoundingClientRect(), one])
    .filter(([box]) => box.height && (box.height < 24 || box.width < 24))
    .map(([, one]) => one.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module", params=exhibits.__all__)
def page(request):
    return getattr(exhibits, request.param)()


@pytest.mark.parametrize("width", [1000, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_and_can_be_read(opened, pale_text, page, width, dark):
    color = "color:#ddd;background:#111" if dark else "color:#222"
    one = opened(f'<div style="{color}">{page}</div>', width=width)
    one.page.wait_for_timeout(100)  # it may draw once more, as wide as there is room
    assert one.page.evaluate(OVERFLOWING) == []
    live = 'document.querySelector(".exhibit-live").shadowRoot'
    assert pale_text(one.page, live) == []
    assert one.page.evaluate(SMALL) == []
    assert one.exhibit.locator(".exhibit.dark").count() == dark


def test_all_that_takes_the_focus_has_a_name(opened, page):
    one = opened(page)
    for role in ("button", "radio", "slider", "checkbox", "combobox", "application"):
        found = one.exhibit.get_by_role(role)
        named = one.exhibit.get_by_role(role, name=re.compile(r"\w|[←↑→↓]"))
        assert found.count() == named.count(), role


def test_two_copies_are_independent(opened, page):
    one = opened(page + page)
    copies = one.exhibit
    assert copies.count() == 2
    before = [copies.nth(k).locator("svg.scene").first.inner_html() for k in range(2)]
    assert before[0] == before[1]
    for key in ("Tab",) * 7 + ("ArrowRight", "Enter", "ArrowDown"):
        one.page.keyboard.press(key)
    assert copies.nth(1).locator("svg.scene").first.inner_html() == before[1]


def test_without_scripts_there_is_a_picture(opened, page):
    one = opened(page, java_script_enabled=False)
    image = one.page.locator("figure.exhibit > img")
    assert image.count() == 1 and image.bounding_box()["width"] > 300
    assert one.page.get_by_text("The picture stands still").is_visible()


@pytest.mark.parametrize(
    "rest", ["", ":", ":=&&x", ":puzzle=x&at=1,2&size=&level=9&deal=-3&chosen=99"]
)
def test_an_address_that_says_nothing_is_the_first_state(opened, page, rest):
    name = page.split('id="')[1].split('"')[0]
    first = opened(page).exhibit.locator("svg.scene").first.inner_html()
    for state in (f"{name}{rest}", f"another{rest}"):
        one = opened(page, state=state)
        if "chosen" not in rest:
            assert one.exhibit.locator("svg.scene").first.inner_html() == first


def test_a_link_leads_to_the_top_of_the_exhibit(opened, page):
    """Opened anew, and then from below, in a page that scrolls smoothly and grows late."""
    name = page.split('id="')[1].split('"')[0]
    style = "<style>html { scroll-behavior: smooth }</style>"
    text = "<p style='height: 2500px'>text</p>"
    late = "<script>setTimeout(() => document.querySelector('p').style.height = '3000px')</script>"
    one = opened(f"{style}{text}{late}{page}{text}", state=f"{name}:deal=1")

    def top():
        return one.page.locator("figure").bounding_box()["y"]

    one.page.wait_for_timeout(700)
    assert 0 <= top() < 80
    one.page.evaluate("scrollTo({ top: 99999, behavior: 'instant' })")
    one.page.evaluate(f"location.hash = '{name}:deal=2'")
    one.page.wait_for_timeout(200)
    assert 0 <= top() < 80

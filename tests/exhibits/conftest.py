"""Exhibits in headless Chromium: a page with one of them, its still picture, its mutants."""

import re
import time
from dataclasses import dataclass

import numpy as np
import pytest

from abstractor_lib.reporting.exhibits.fragment import read
from abstractor_lib.reporting.study import Study

# Colours and sizes come from the style of a page; a picture of its own needs them as attributes.
STILL = """scenes => {
    const namespace = "http://www.w3.org/2000/svg";
    const usual = { fill: "#000000", "fill-opacity": "1", stroke: "none", "stroke-width": "1",
        "stroke-dasharray": "none", "stroke-opacity": "1", "text-anchor": "middle",
        "font-size": "12", "font-weight": "400" };
    const short = text => text
        .replace(/rgba?\\(([^)]*)\\)/g, (_, parts) => "#" + parts.split(",").map((part, k) =>
            Math.round(k < 3 ? part : 255 * part).toString(16).padStart(2, "0")).join(""))
        .replace(/\\d+\\.\\d+/g, part => String(Math.round(100 * part) / 100))
        .replace(/(\\d)px/g, "$1");
    const copy = node => {
        if (node.nodeType !== 1) return node.cloneNode();
        const style = getComputedStyle(node);
        if (style.display === "none") return "";
        const found = document.createElementNS(namespace, node.localName);
        const own = ["class", "tabindex", "role", "style", "visibility"];
        for (const { name, value } of node.attributes)
            if (!own.includes(name) && !name.startsWith("aria-"))
                found.setAttribute(name, short(value));
        if (node.localName !== "g")
            for (const [name, value] of Object.entries(usual)) {
                const said = short(style.getPropertyValue(name));
                const none = name.startsWith("stroke-") && style.stroke === "none";
                const text = name.startsWith("font") || name === "text-anchor";
                const needed = said !== value && !none && (!text || node.localName === "text");
                if (needed) found.setAttribute(name, said);
                else found.removeAttribute(name);
            }
        const [fill, line] = ["fill", "stroke"].map(name => style.getPropertyValue(name));
        if (node.localName !== "g" && fill === "none" && line === "none") return "";
        found.append(...parts(node));
        return found;
    };
    const parts = node => { // each once: trials may have the same accuracy
        const copies = [...node.childNodes].map(copy).filter(one => one !== "");
        const texts = copies.map(one => new XMLSerializer().serializeToString(one));
        return copies.filter((_, k) => texts.indexOf(texts[k]) === k);
    };
    // One beside the other.
    const whole = document.createElementNS(namespace, "svg");
    let [width, height] = [0, 0];
    for (const scene of scenes) {
        const { width: wide, height: high } = scene.viewBox.baseVal;
        const part = document.createElementNS(namespace, "svg");
        for (const [name, value] of Object.entries({ x: width, width: wide, height: high }))
            part.setAttribute(name, value);
        part.append(...parts(scene));
        whole.append(part);
        [width, height] = [width + wide + 16, Math.max(height, high)];
    }
    const more = { viewBox: `0 0 ${width - 16} ${height}`, width: width - 16,
        "text-anchor": "middle", "font-size": 12, "font-family": "sans-serif" };
    for (const [name, value] of Object.entries(more)) whole.setAttribute(name, value);
    return new XMLSerializer().serializeToString(whole).replaceAll("><", ">\\n<");
}"""

# Runs each script in a thread of its own. One that does not come to an end is stopped.
RUN = """async ([scripts, given, seconds]) => {
    const answers = [];
    for (const script of scripts) {
        const code = `onmessage = ({ data: given }) => {
            let answer;
            try { answer = JSON.stringify((() => { ${script} })()); } catch (e) { answer = `+
            `String(e); }
            postMessage(answer ?? "nothing");
        };`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        answers.push(await new Promise(done => {
            const clock = setTimeout(() => done("too slow"), 1000 * seconds);
            worker.onmessage = ({ data }) => { clearTimeout(clock); done(data); };
            worker.onerror = (event) => { clearTimeout(clock); done(String(event.message)); };
            worker.postMessage(given);
        }));
        worker.terminate();
    }
    return answers;
}"""

# What a slip of the hand makes of a piece of code.
SLIPS = {
    " + ": (" - ",),
    " - ": (" + ",),
    " * ": (" / ", " + "),
    " / ": (" * ",),
    " < ": (" <= ", " > "),
    " > ": (" >= ", " < "),
    " >= ": (" > ",),
    " <= ": (" < ",),
    " === ": (" !== ",),
    " !== ": (" === ",),
    " && ": (" || ",),
    " || ": (" && ",),
    " % ": (" / ",),
    "true": ("false",),
    "false": ("true",),
    "Math.max": ("Math.min",),
    "Math.min": ("Math.max",),
    ".every(": (".some(",),
    ".some(": (".every(",),
}


def mutants(source: str, count: int, seed: int) -> dict[str, str]:
    """Scripts that differ from one in a single place, by what was done: operators exchanged, and
    whole numbers one larger."""
    found = {}
    masked = re.sub(r"//.*", lambda comment: " " * len(comment[0]), source)
    for old, news in SLIPS.items():
        for match in re.finditer(re.escape(old), masked):
            for new in news:
                found[_said(source, match.start(), old, new)] = (*match.span(), new)
    for match in re.finditer(r"(?<![\w.\"#])\d+(?![\w.\"])", masked):
        new = str(int(match[0]) + 1)
        found[_said(source, match.start(), match[0], new)] = (*match.span(), new)
    names = sorted(found)
    chosen = np.random.default_rng(seed).permutation(len(names))[:count]
    assert len(chosen) == count, f"the script has {len(names)} places to change"
    spans = {names[k]: found[names[k]] for k in chosen}
    return {name: source[:a] + new + source[b:] for name, (a, b, new) in spans.items()}


def _said(source: str, at: int, old: str, new: str) -> str:
    line = source.count("\n", 0, at)
    column = at - source.rfind("\n", 0, at)
    return f"line {line + 1}, column {column}: {old.strip()} -> {new.strip()}"


@dataclass(frozen=True)
class Page:
    """An exhibit in a page."""

    page: object
    wrong: list

    @property
    def exhibit(self):
        """What can be clicked, within the exhibit."""
        return self.page.locator(".exhibit-live")

    @property
    def state(self) -> str:
        """The state that the address holds."""
        return self.page.evaluate("decodeURIComponent(location.hash.slice(1))")


@pytest.fixture(scope="session")
def order_weights():
    """The shipped weights of a trained Abstractor of the order experiment, as arrays."""
    study = Study("order")
    spec = study.spec("sound", "abstractor", max(study.sizes("sound")))
    return {name: one.double().numpy() for name, one in study.weights(spec, 0).items()}


@pytest.fixture(scope="module")
def scripts(browser):
    """Runs scripts on one input, and returns their answers as JSON texts."""
    page = browser.new_page()
    page.set_content("<p>a page</p>")
    yield lambda sources, given, seconds=20: page.evaluate(RUN, [sources, given, seconds])
    page.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page with an exhibit. What its scripts complain of, and every address that they ask
    for, fails the test."""
    pages = []

    def open_page(html: str, state: str = "", width: int = 1000, **context) -> Page:
        file = tmp_path / f"page{len(pages)}.html"
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>an exhibit</title>'
        head += '<meta name="viewport" content="width=device-width">'
        file.write_text(f"{head}<body>{html}", encoding="utf-8")
        size = {"width": width, "height": 844}
        window = browser.new_context(viewport=size, **context)
        page, wrong = window.new_page(), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text))
        page.on(
            "request",
            lambda asked: asked.url.startswith(("file:", "data:")) or wrong.append(asked.url),
        )
        page.goto(f"{file.as_uri()}{'#' * bool(state)}{state}")
        pages.append(Page(page, wrong))
        return pages[-1]

    yield open_page
    for one in pages:
        one.page.context.close()
        assert one.wrong == []


@pytest.fixture
def still(opened):
    """The drawing of an exhibit as it stands at first, as an SVG file."""

    def draw(html: str) -> str:
        return opened(html).page.locator("svg.scene").evaluate_all(STILL) + "\n"

    return draw


@pytest.fixture
def check_rules(scripts):
    """Holds a script's answers against Python's, and expects that none of 20 mutants gives them.

    Args:
        name: of the script.
        ask: JavaScript that returns the answers to ``given``.
        given: what is asked.
        agree: whether an answer is right.
    """

    def check(name, ask, given, agree, seed=0, count=20):
        source = read(name)
        begun = time.monotonic()
        (answer,) = scripts([source + ask], given)
        patience = 2 + 10 * (time.monotonic() - begun)
        assert agree(answer), answer[:500]
        changed = mutants(source, count, seed)
        answers = scripts([one + ask for one in changed.values()], given, patience)
        missed = [how for how, found in zip(changed, answers, strict=True) if agree(found)]
        assert missed == []

    return check

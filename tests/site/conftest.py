"""The built site, a browser's window, and a server that has the site below a path."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

from abstractor_lib import paths

SITE = paths.root() / "build" / "site"
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
BELOW = "some/path"  # as on GitHub Pages, where a repository's site is not at the top

# How far text moved that nobody moved, as Lighthouse counts it.
MOVED = """window.moved = 0; new PerformanceObserver(list => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.moved += one.value;
}).observe({ type: "layout-shift", buffered: true });"""


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").is_file():
        pytest.skip("there is no build/site; `make site` builds it")
    return SITE


@pytest.fixture(scope="session", params=WIDTHS)
def window(request, browser):
    """A browser's window, and what goes wrong in it."""
    width, height = WIDTHS[request.param]
    context = browser.new_context(viewport={"width": width, "height": height})
    context.add_init_script(MOVED)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("requestfailed", lambda asked: gave_up(asked) or wrong.append(f"failed: {asked.url}"))
    page.on("console", lambda said: said.type == "error" and wrong.append(f"console: {said.text}"))
    page.on("request", lambda asked: local(asked.url) or wrong.append(f"asks for {asked.url}"))
    yield page, wrong
    context.close()


def gave_up(asked) -> bool:
    """The browser went on to another page before the answer was there."""
    return asked.failure == "net::ERR_ABORTED"


def local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("file", "data", "blob") or parts.hostname in ("localhost", "127.0.0.1")


@pytest.fixture(scope="session")
def served(site, tmp_path_factory):
    """The address of the site on a server of this machine, which has nothing outside a path."""
    top = tmp_path_factory.mktemp("served")
    (top / BELOW).parent.mkdir()
    (top / BELOW).symlink_to(site)
    handler = partial(SimpleHTTPRequestHandler, directory=top)
    handler.func.log_message = lambda *_: None
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{BELOW}"
    server.shutdown()


@pytest.fixture(params=["opened as files", "served"])
def address(request, site):
    """Where the site is: its folder, or a server."""
    if request.param == "served":
        return request.getfixturevalue("served")
    return site.as_uri()

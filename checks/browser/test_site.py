"""The documentation site in a browser, as built by `cargo xtask docs`, from a server that is the only host it may contact."""

import functools
import http.server
import os
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "site"
PAGES = sorted(str(path.parent.relative_to(SITE)) for path in SITE.rglob("index.html"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    handler = functools.partial(Quiet, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_it_is_built():
    assert {".", "command", "options", "python/reference", "ARCHITECTURE"} <= set(PAGES), "run cargo xtask docs"


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_ask_no_other_host_and_fit_the_window(visit, address, width):
    watched = visit(address, width=width)
    for page in PAGES:
        watched.page.goto(f"{address}{page}/")
        assert watched.page.locator("article h1").count() >= 1, page
        across = watched.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert across[0] <= across[1], page
        broken = "[...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)"
        assert watched.page.evaluate(broken) == [], page
    assert watched.messages == []
    assert [request for request in watched.requests if not request.startswith((address, "data:"))] == []


def test_the_search_finds_an_option(visit, address):
    page = visit(address).page
    # Text typed before the index is loaded is not searched for.
    page.locator("input.md-search__input").first.focus()
    page.wait_for_function("() => !/initializ/i.test(document.querySelector('.md-search-result__meta').textContent)")
    page.locator("input.md-search__input").first.press_sequentially("time-budget")
    page.locator(".md-search-result__link[href*='options/']").first.wait_for()

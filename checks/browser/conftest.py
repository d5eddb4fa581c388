"""Pages made by the command, and a browser to view them."""

import csv
import os
import random
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent.parent
COMMAND = os.environ.get("PSD_IMPUTE_COMMAND", str(ROOT / "target/debug/psd-impute"))
BROWSER = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    "javascript:alert(4)//\u2028",
]


def make_page(folder, table):
    """Fit a model to a table and make its page."""
    run = lambda *words: subprocess.run([COMMAND, *words], cwd=folder, check=True, stderr=subprocess.PIPE)
    run("fit", table, "-o", "model.psd", "--time-budget", "1", "--quiet")
    run("report", table, "--model", "model.psd", "-o", "report.html", "--quiet")
    return folder / "report.html"


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """The page of the table in `examples/`: numbers, labels, booleans, dates."""
    folder = tmp_path_factory.mktemp("people")
    (folder / "people.csv").write_bytes((ROOT / "examples/people.csv").read_bytes())
    return make_page(folder, "people.csv")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """The page of a table whose headers and labels are markup."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = random.Random(1)
    with open(folder / "hostile.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HOSTILE)
        for _ in range(120):
            x = rng.gauss(0, 1)
            row = [round(x, 2), rng.choice(HOSTILE), round(x + rng.gauss(0, 1), 2), rng.choice(HOSTILE)]
            writer.writerow(["" if rng.random() < 0.15 else cell for cell in row])
    return make_page(folder, "hostile.csv")


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    """The page of a table with many columns, all with missing cells."""
    folder = tmp_path_factory.mktemp("wide")
    rng = random.Random(2)
    with open(folder / "wide.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"a_rather_long_name_{k}" for k in range(40)])
        for _ in range(80):
            writer.writerow(["" if rng.random() < 0.1 else round(rng.gauss(0, 1), 3) for _ in range(40)])
    return make_page(folder, "wide.csv")


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page with its console messages, requests and refused requests."""

    def __init__(self, context, address):
        self.messages, self.requests, self.dialogs = [], [], []
        self.page = context.new_page()
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.goto(address)


@pytest.fixture
def visit(browser):
    """Open a page, given as a file or an address: `visit(path, width=375, color_scheme="dark")`."""
    contexts = []

    def open_page(page, width=1280, **settings):
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        contexts.append(context)
        return Watched(context, page.as_uri() if isinstance(page, Path) else page)

    yield open_page
    for context in contexts:
        context.close()

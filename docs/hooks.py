"""Adds documents of the repository's root to the site, and makes links to them and from them work there."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
#: Every document at the root but the README, for which the site has pages of its own.
DOCUMENTS = sorted(path.name for path in ROOT.glob("*.md") if path.name != "README.md")
#: A link from a page to a document at the root: on the site that document is a step nearer.
LINK = re.compile(r"\]\(\.\./((?:\.\./)*(?:" + "|".join(map(re.escape, DOCUMENTS)) + r"))(?=[)#])")


def on_files(files, config):
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown, page, config, files):
    return LINK.sub(r"](\1", markdown)

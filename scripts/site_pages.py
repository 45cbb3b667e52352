"""The pages of the documentation site, as mkdocs.yml lists them, and links between them: no import of MkDocs here.

The files in docs/ also read well in the repository: their links are relative paths to files. A link to a file that has
a page leads to that page on the site. A link to any other file of the repository becomes text there, or leads to the
repository if `repo_url` is set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PROJECT_PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "SECURITY.md": "project/security.md",
    "README.md": "index.md",
}
"""Files at the top of the repository, and their pages. The README's is the home page, which has a text of its own."""
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s]+)\)")
FENCED = re.MULTILINE | re.DOTALL
CODE = re.compile(r"^```.*?^```$", FENCED)


def expand_patterns(entries: list[Any], docs: Path) -> list[Any]:
    """Return a navigation with the pages of each pattern in its place."""
    expanded: list[Any] = []
    for entry in entries:
        if not isinstance(entry, dict):
            expanded.append(entry)
            continue
        ((title, value),) = entry.items()
        if isinstance(value, list):
            value = expand_patterns(value, docs)
        elif "*" in value:
            value = _list_pages(docs, value)
        expanded.append({title: value})
    return expanded


def _list_pages(docs: Path, pattern: str) -> str | list[str]:
    """Return the page that a pattern matches, or the pages of the folder that it matches, its index first."""
    (found,) = [path for path in sorted(docs.glob(pattern)) if path.is_dir() or path.suffix == ".md"]
    if found.is_file():
        return found.relative_to(docs).as_posix()
    pages = sorted(found.glob("*.md"), key=lambda path: (path.name != "index.md", path.name))
    return [path.relative_to(docs).as_posix() for path in pages]


def list_navigation(entries: list[Any], sections: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each page of an expanded navigation with the titles of the sections that it is in."""
    for entry in entries:
        if isinstance(entry, str):
            yield sections, entry
            continue
        ((title, value),) = entry.items()
        if isinstance(value, str):
            yield sections, value
        else:
            yield from list_navigation(value, (*sections, title))


def read_source(page: str) -> str:
    """Return the Markdown of a page, from docs/ or from the top of the repository."""
    sources = {target: source for source, target in PROJECT_PAGES.items() if target != "index.md"}
    return (ROOT / sources[page] if page in sources else DOCS / page).read_text("utf-8")


def rewrite_links(markdown: str, page: str, repository: str | None = None) -> str:
    """Return a page's Markdown with the links that leave docs/ rewritten; code stays as it is."""
    sources = {target: source for source, target in PROJECT_PAGES.items() if target != "index.md"}
    source = sources.get(page, f"docs/{page}")

    def rewrite(match: re.Match[str]) -> str:
        path, mark, anchor = match["target"].partition("#")
        if not path or ":" in path:
            return match[0]
        file = os.path.normpath(os.path.join(os.path.dirname(source), path)).replace(os.sep, "/")
        target = PROJECT_PAGES.get(file, file.removeprefix("docs/") if file.startswith("docs/") else None)
        if target is not None:
            relative = os.path.relpath(target, os.path.dirname(page) or ".").replace(os.sep, "/")
            return f"{match['image']}[{match['text']}]({relative}{mark}{anchor})"
        if repository:
            return f"[{match['text']}]({repository.rstrip('/')}/blob/main/{file}{mark}{anchor})"
        return match["text"]

    parts: list[str] = []
    end = 0
    for code in CODE.finditer(markdown):
        parts += [LINK.sub(rewrite, markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(rewrite, markdown[end:])])

"""Hooks of mkdocs.yml: pages from the top of the repository, links between them and docs/, patterns in the navigation.

The files in docs/ also read well in the repository: their links are relative paths to files. A link to a file that has
a page leads to that page; a link to any other file of the repository is text on the site, or leads to the repository if
`repo_url` is set.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority

ROOT = Path(__file__).resolve().parent.parent
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


API_SETTINGS = """\
sdk = "mcp"
testing = true
stubs = true
"""
API_SOURCES = (
    ("guides/servers.md", "schemas/get_weather.json"),
    ("guides/resources.md", "schemas/config.yaml"),
    ("guides/resources.md", "schemas/guide.yaml"),
)
"""Pages, and the definitions on them that the package on the API pages is built from."""
_package = tempfile.TemporaryDirectory(prefix="mcpgen-site-")


@event_priority(100)  # before mkdocstrings reads its own settings
def on_config(config: Any) -> Any:
    """Put the pages of each pattern in the navigation into its place, and build the package that the API pages show."""
    docs = Path(config.docs_dir)
    config.nav = _expand_patterns(config.nav, docs)
    build_package(docs, Path(_package.name))
    config.plugins["mkdocstrings"].config.handlers["python"]["paths"] = [_package.name]
    return config


def build_package(docs: Path, folder: Path) -> None:
    """Build the definitions that some pages show into a package, whose docstrings the API pages have."""
    (folder / "mcpgen.toml").write_text(API_SETTINGS, "utf-8")
    for page, name in API_SOURCES:
        match = re.search(rf'^```\w+ title="{re.escape(name)}"\n(.*?)^```$', (docs / page).read_text("utf-8"), FENCED)
        if match is None:
            raise ValueError(f"{page} has no block with the title {name}")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(match[1], "utf-8")
    subprocess.run([sys.executable, "-m", "mcpgen", "build", "--quiet"], cwd=folder, check=True)


def _expand_patterns(entries: list[Any], docs: Path) -> list[Any]:
    expanded: list[Any] = []
    for entry in entries:
        if not isinstance(entry, dict):
            expanded.append(entry)
            continue
        ((title, value),) = entry.items()
        if isinstance(value, list):
            value = _expand_patterns(value, docs)
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


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that come from the top of the repository."""
    from mkdocs.structure.files import File

    for name, page in PROJECT_PAGES.items():
        if page != "index.md":
            files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Make the links that leave docs/ lead to pages of the site."""
    return rewrite_links(markdown, page.file.src_uri, config.repo_url)


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

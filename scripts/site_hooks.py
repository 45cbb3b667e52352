"""Hooks of mkdocs.yml: patterns in the navigation, the package on the API pages, pages from the top of the checkout."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from scripts.api_pages import build_package
from scripts.site_pages import PROJECT_PAGES, ROOT, expand_patterns, rewrite_links

WORKER = "https://unpkg.com/iframe-worker/shim"
"""What Material's plugin `offline` loads from the network."""
SHORT_CODE = re.compile(r"<code>([^<\n]{1,28})</code>")
_markdown: dict[str, str] = {}
_package = tempfile.TemporaryDirectory(prefix="mcpgen-site-")


@event_priority(100)  # before mkdocstrings reads its own settings
def on_config(config: Any) -> Any:
    """Put the pages of each pattern in the navigation into its place, and build the package that the API pages show."""
    docs = Path(config.docs_dir)
    config.nav = expand_patterns(config.nav, docs)
    build_package(docs, Path(_package.name))
    config.plugins["mkdocstrings"].config.handlers["python"]["paths"] = [_package.name, str(ROOT / "runtime" / "src")]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that come from the top of the repository."""
    from mkdocs.structure.files import File

    for name, page in PROJECT_PAGES.items():
        if page != "index.md":
            files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Make the links that leave docs/ lead to pages of the site."""
    text = rewrite_links(markdown, page.file.src_uri, config.repo_url)
    _markdown[page.file.src_uri] = text
    return text


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Mark short code in the text, which is not to be broken at a hyphen."""
    return SHORT_CODE.sub(r'<code class="short">\1</code>', html)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Load the stand-in for workers, which search needs on pages that are opened as files, from the site itself."""
    depth = page.file.dest_uri.count("/")
    return output.replace(WORKER, f"{'../' * depth}assets/frame-worker.js")


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Do the same for pages without Markdown, such as 404.html."""
    return output_content.replace(WORKER, "assets/frame-worker.js")


def on_post_build(config: Any) -> None:
    """Put the Markdown of each page beside its HTML, for language models: llms.txt links to it."""
    for page in _markdown:
        target = Path(config.site_dir, page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_markdown[page], "utf-8")

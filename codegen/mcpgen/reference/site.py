"""Files of the reference: Markdown pages with an index, and all of them as one HTML page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mcpgen import paths
from mcpgen.reference import markdown_text
from mcpgen.reference.links import find_safe_link
from mcpgen.reference.model import KIND_HEADINGS, IndexEntry, Page, PageKind, SiteHead, make_index_entry
from mcpgen.render.header import add_page_header

HTML_FILE = "reference.html"
INDEX_FILE = "index.md"
_BAR_CELLS = 20


@dataclass(frozen=True)
class RenderedPage:
    """A page in both forms, and its line of the index."""

    entry: IndexEntry
    markdown: str
    html: str


@dataclass(frozen=True)
class _IndexGroup:
    """Pages of one kind."""

    kind: PageKind
    heading: str
    entries: tuple[IndexEntry, ...]


@cache
def _make_environment(escapes: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(paths.find_shipped_folder("templates") / "docs"),
        undefined=StrictUndefined,
        autoescape=escapes,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., str | None]] = {
        "text": markdown_text.escape_text,
        "words": markdown_text.escape_words,
        "cell": markdown_text.escape_cell,
        "block": markdown_text.escape_block,
        "code": markdown_text.quote_code,
        "cell_code": markdown_text.quote_cell_code,
        "html": markdown_text.escape_html,
        "fence": markdown_text.fence_code,
        "link": find_safe_link,
        "number": _format_number,
        "bar": _draw_bar,
    }
    cast(Any, environment).filters.update(filters)
    return environment


def _format_number(value: int) -> str:
    return f"{value:,}"


def _draw_bar(share: float) -> str:
    """Return a bar of text for a share in percent."""
    return "█" * max(1, round(share * _BAR_CELLS / 100))


def render_page(page: Page, head: SiteHead) -> RenderedPage:
    """Render a page in both forms; the HTML is a part of the page that has all."""
    markdown = _make_environment(False).get_template("page.md.j2").render(page=page, head=head)
    html = _make_environment(True).get_template("page.html.j2").render(page=page, head=head)
    return RenderedPage(make_index_entry(page), add_page_header(markdown.rstrip("\n") + "\n"), html)


def assemble_site(head: SiteHead, pages: Sequence[RenderedPage]) -> dict[str, str]:
    """Return the text of each file of the site, by path. Pages of one kind follow each other."""
    groups = [
        _IndexGroup(kind, KIND_HEADINGS[kind], tuple(page.entry for page in group))
        for kind, group in groupby(pages, key=_get_kind)
    ]
    texts = {page.entry.path: page.markdown for page in pages}
    index = _make_environment(False).get_template("index.md.j2").render(head=head, groups=groups)
    texts[INDEX_FILE] = add_page_header(index.rstrip("\n") + "\n")
    texts[HTML_FILE] = add_page_header(_render_html(head, groups, pages))
    return texts


def _get_kind(page: RenderedPage) -> PageKind:
    return page.entry.kind


def _render_html(head: SiteHead, groups: Sequence[_IndexGroup], pages: Sequence[RenderedPage]) -> str:
    folder = paths.find_shipped_folder("templates") / "docs"
    style, script = ((folder / name).read_text("utf-8") for name in ("style.css", "script.js"))
    values: Mapping[str, object] = {
        "head": head,
        "groups": groups,
        "style": Markup(style),
        "script": Markup(script),
        "policy": f"default-src 'none'; style-src {_hash_source(style)}; script-src {_hash_source(script)}; "
        "base-uri 'none'; form-action 'none'",
        "pages": [Markup(page.html) for page in pages],
    }
    return _make_environment(True).get_template("site.html.j2").render(values)


def _hash_source(text: str) -> str:
    """Return what a Content-Security-Policy calls a style or a script with this text."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"

"""Files of the reference: Markdown pages with an index, and all of them as one HTML page."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any, cast
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mcpgen import paths
from mcpgen.reference.model import Page, SiteHead
from mcpgen.render.header import add_page_header

SAFE_SCHEMES = frozenset({"http", "https"})


def find_safe_link(uri: str) -> str:
    """Return a URI that a page may link to, empty for another one: `javascript:`, a template, or no URI."""
    if not uri.isascii() or not uri.isprintable() or any(char in uri for char in ' <>"{}|\\^`'):
        return ""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return uri if parts.scheme.lower() in SAFE_SCHEMES and parts.netloc and "@" not in parts.netloc else ""


_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&#$!^@]")
_LINE_START = re.compile(r"([-+=:]|\d{1,9}(?=[.)]))")
_LINK_START = re.compile(r":(?=//)|(?<=\bwww)\.|(?<=\bmailto):|(?<=\bxmpp):", re.IGNORECASE)
"""Where renderers that make links of bare addresses are kept from it."""


def escape_text(text: str) -> str:
    """Return Markdown of a text on one line, such as in a heading."""
    return _escape_line(" ".join(text.split()))


def escape_words(text: str) -> str:
    """Return Markdown of words between others; the spaces at their ends are kept."""
    return _escape_line(" ".join(_split_lines(text)))


def escape_cell(text: str) -> str:
    """Return Markdown of a text inside a cell of a table; its lines are kept."""
    return "<br>".join(_escape_line(line.strip()) for line in _split_lines(text.strip()))


def escape_block(text: str) -> str:
    """Return Markdown of a text: its lines as lines, its paragraphs as paragraphs."""
    lines = [_escape_line(" ".join(line.split())) for line in _split_lines(text.strip())]
    paragraphs = re.split(r"\n{2,}", "\n".join(lines))
    return "\n\n".join(paragraph.strip("\n").replace("\n", "\\\n") for paragraph in paragraphs)


def quote_code(text: str) -> str:
    """Return a code span of a text."""
    line = " ".join(_split_lines(text)) or " "
    fence = "`" * (_find_longest_run(line) + 1)
    needs_space = line[0] in " `" or line[-1] in " `"
    padding = " " if needs_space and line.strip(" ") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def quote_cell_code(text: str) -> str:
    """Return a code span of a text inside a cell of a table."""
    return quote_code(text).replace("|", "\\|")


def fence_code(text: str, language: str = "") -> str:
    """Return a block of code, ended by a fence that the text does not have."""
    fence = "`" * max(3, _find_longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def escape_html(text: str) -> str:
    """Return HTML of a text, for the few elements that Markdown has no form for."""
    return html.escape(" ".join(text.split()))


def _split_lines(text: str) -> list[str]:
    return re.split(r"\r\n|[\n\r\v\f\x85\u2028\u2029]", text)


def _find_longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _escape_line(line: str) -> str:
    escaped = _LINK_START.sub(lambda match: "\\" + match[0], _SPECIAL.sub(lambda match: "\\" + match[0], line))
    return _LINE_START.sub(_escape_start, escaped, count=1) if _LINE_START.match(escaped) else escaped


def _escape_start(match: re.Match[str]) -> str:
    return match[0] + "\\" if match[0].isdigit() else "\\" + match[0]


HTML_FILE = "reference.html"
INDEX_FILE = "index.md"
_BAR_CELLS = 20


@dataclass(frozen=True)
class RenderedPage:
    """A page in both forms."""

    entry: Page
    """The page for the index, without its sections and listings."""
    markdown: str
    html: str


_HEADINGS = {
    "tool": "Tools",
    "resource": "Resources",
    "template": "Resource templates",
    "prompt": "Prompts",
    "form": "Forms",
}


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
        "text": escape_text,
        "words": escape_words,
        "cell": escape_cell,
        "block": escape_block,
        "code": quote_code,
        "cell_code": quote_cell_code,
        "html": escape_html,
        "fence": fence_code,
        "link": find_safe_link,
        "number": "{:,}".format,
        "bar": _draw_bar,
    }
    cast(Any, environment).filters.update(filters)
    return environment


def _draw_bar(share: float) -> str:
    return "█" * max(1, round(share * _BAR_CELLS / 100))


def render_page(page: Page, head: SiteHead) -> RenderedPage:
    """Render a page in both forms; the HTML is a part of the page that has all."""
    markdown = _make_environment(False).get_template("page.md.j2").render(page=page, head=head)
    html = _make_environment(True).get_template("page.html.j2").render(page=page, head=head)
    return RenderedPage(replace(page, sections=(), listings=()), add_page_header(markdown.rstrip("\n") + "\n"), html)


def assemble_site(head: SiteHead, pages: Sequence[RenderedPage]) -> dict[str, str]:
    """Return the text of each file of the site, by path. Pages of one kind follow each other."""
    groups = [
        {"kind": kind, "heading": _HEADINGS[kind], "entries": [page.entry for page in group]}
        for kind, group in groupby(pages, key=lambda page: page.entry.kind)
    ]
    texts = {page.entry.path: page.markdown for page in pages}
    index = _make_environment(False).get_template("index.md.j2").render(head=head, groups=groups)
    texts[INDEX_FILE] = add_page_header(index.rstrip("\n") + "\n")
    texts[HTML_FILE] = add_page_header(_render_html(head, groups, pages))
    return texts


def _render_html(head: SiteHead, groups: Sequence[Mapping[str, object]], pages: Sequence[RenderedPage]) -> str:
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

"""Text and links of the pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mcpgen.reference.model import AnchorSet, make_slugs
from mcpgen.reference.site import (
    escape_block,
    escape_cell,
    escape_html,
    escape_text,
    fence_code,
    find_safe_link,
    quote_cell_code,
    quote_code,
)
from support.injection.payloads import PAYLOADS

# --- text as Markdown, read by a Markdown parser: what it renders is the text, and nothing else -----------------------
HOSTILE = [
    *PAYLOADS,
    "<script>alert(1)</script>",
    "<!-- -->",
    "[a](javascript:x)",
    "![a](http://x)",
    "<http://x>",
    "# a",
    "- a\n- b",
    "1. a",
    "12) b",
    "> a",
    "a\n===",
    "a\n---",
    "***",
    "```\na\n```",
    "~~~",
    "    code",
    "\tcode",
    "| a | b |\n|---|---|",
    "a|b\\|c\\",
    "`a`` b```",
    "&lt; &amp; &#35;",
    "_a_ *b* ~~c~~",
    "[a]: http://x",
    "a  \nb",
    "a\\\nb",
    "+ a",
    "{{ x }} {% y %}",
    "`",
    "``",
    " ` ",
    "",
    " ",
]
TEXTS = st.text(alphabet=st.sampled_from("ab `*_[]()<>#|\\~-+=!&;:1.)\n\t{}\"'/"), max_size=40)
PLAIN = {"paragraph_open", "paragraph_close", "inline"}
INLINE = {"text", "hardbreak", "softbreak", "text_special"}
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read_inline(tokens: list[Token]) -> str:
    """Return the text of inline tokens, with line feeds for breaks."""
    breaks = {"hardbreak": "\n", "softbreak": "\n", "html_inline": "\n"}
    return "".join(breaks.get(token.type, token.content) for token in tokens)


def fold(text: str) -> str:
    """Return a text with one space for each run of white space, which no renderer shows differently."""
    return " ".join(re.split(r"[\s\x00\ufffd]+", text)).strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_block_is_paragraphs_of_the_text(text: str) -> None:
    check_block(text)


@given(TEXTS)
def test_a_block_is_paragraphs_of_any_text(text: str) -> None:
    check_block(text)


def check_block(text: str) -> None:
    tokens = MARKDOWN.parse(escape_block(text))
    assert {token.type for token in tokens} <= PLAIN
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= INLINE
    shown = " ".join(read_inline(token.children or []) for token in tokens if token.type == "inline")
    assert fold(shown) == fold(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_heading_is_the_text(text: str) -> None:
    tokens = MARKDOWN.parse(f"# {escape_text(text)}\n")
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert {child.type for child in tokens[1].children or ()} <= INLINE
    assert fold(read_inline(tokens[1].children or [])) == fold(text)


def read_cells(cells: str) -> list[Token]:
    """Return the cells of a row of a table."""
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n{cells}\n")
    start = next(index for index, token in enumerate(tokens) if token.type == "tbody_open")
    inline = [token for token in tokens[start:] if token.type == "inline"]
    assert len([token for token in tokens[start:] if token.type == "tr_open"]) == 1
    assert tokens[-1].type == "table_close"
    return inline


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_is_the_text(text: str) -> None:
    check_cell(text)


@given(TEXTS)
def test_a_cell_is_any_text(text: str) -> None:
    check_cell(text)


def check_cell(text: str) -> None:
    first, second = read_cells(f"| {escape_cell(text)} | end |")
    assert {child.type for child in first.children or ()} <= INLINE | {"html_inline"}
    html = [child.content for child in first.children or () if child.type == "html_inline"]
    assert html == ["<br>"] * len(html)
    assert fold(read_inline(first.children or [])) == fold(text)
    assert second.content == "end"


@given(TEXTS)
def test_code_is_any_text(text: str) -> None:
    for tokens in (
        MARKDOWN.parse(f"x {quote_code(text)} x")[1].children,
        read_cells(f"| {quote_cell_code(text)} | |")[0].children,
    ):
        code = [token for token in tokens or () if token.type == "code_inline"]
        assert len(code) == 1
        assert fold(code[0].content) == fold(text)


@given(TEXTS)
def test_a_fence_holds_any_text(text: str) -> None:
    (token,) = MARKDOWN.parse(fence_code(text, "json"))
    assert (token.type, token.info) == ("fence", "json")
    assert token.content == text + "\n"


@pytest.mark.parametrize("address", ["https://example.org", "www.example.org", "mailto:a@example.org", "a@example.org"])
def test_no_bare_address_becomes_a_link(address: str) -> None:
    assert escape_text(address) != address
    assert fold(read_inline(MARKDOWN.parseInline(escape_text(address))[0].children or [])) == address


def test_html_is_escaped() -> None:
    assert escape_html('<b>"a"\n&') == "&lt;b&gt;&quot;a&quot; &amp;"


# --- names of files and anchors ---------------------------------------------------------------------------------------
def test_usual_names_are_their_slugs() -> None:
    assert make_slugs(["get_weather", "list-rows"]) == {"get_weather": "get_weather", "list-rows": "list-rows"}


@pytest.mark.parametrize("names", [("Get", "get"), ("a b", "a/b", "a-b"), ("", "…", "你好"), ("x" * 200, "x" * 201)])
def test_names_that_look_alike_have_different_slugs(names: tuple[str, ...]) -> None:
    slugs = make_slugs(names)
    assert len({slug.casefold() for slug in slugs.values()}) == len(names)
    assert all(re.fullmatch("[a-z0-9_-]{1,99}", slug) for slug in slugs.values())


def test_a_name_that_ends_like_a_hash_is_another_one() -> None:
    taken = make_slugs(["a", "A"])["a"]
    assert taken not in make_slugs([taken]).values()


@pytest.mark.parametrize("name", ["index", "README", "con", "NUL", "com1", "../../etc/passwd", "..", "a\\b", "a\0b"])
def test_no_name_leads_elsewhere(name: str) -> None:
    slug = make_slugs([name])[name]
    assert slug not in ("index", "readme", "con", "nul", "com1")
    assert not set(slug) & set("./\\\0")


def test_the_slug_of_a_name_does_not_depend_on_the_order() -> None:
    assert make_slugs(["a.b", "a-b", "c"]) == make_slugs(["c", "a-b", "a.b"])


def test_anchors_are_given_once() -> None:
    anchors = AnchorSet()
    assert [anchors.add("a"), anchors.add("a"), anchors.add("b"), anchors.add("a")] == ["a", "a-2", "b", "a-3"]


# --- links that pages may have ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("uri", ["https://example.org/a?b=c#d", "http://example.org", "HTTPS://example.org/"])
def test_addresses_of_the_web_are_links(uri: str) -> None:
    assert find_safe_link(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "https:",
        "https://user:secret@example.org/",
        "https://example.org/{name}",
        "https://example.org/\u202eabc",
        'https://example.org/"onmouseover=x',
        "https://[broken",
        "harbour://docs/rules",
        "",
    ],
)
def test_others_are_text(uri: str) -> None:
    assert find_safe_link(uri) == ""

"""The files of a reference, read by parsers of HTML and Markdown; what a definition says never becomes markup."""

from __future__ import annotations

import base64
import hashlib
import importlib
import re
from collections.abc import Iterator
from typing import Any, cast
from xml.etree.ElementTree import Element

import pytest
from markdown_it import MarkdownIt
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.ir.definitions import PromptArgument
from mcpgen.reference.model import Bar, Note, SiteHead, make_slugs
from mcpgen.reference.pages import (
    MeasuredResult,
    Remarks,
    ToolSource,
    make_prompt_page,
    make_resource_page,
    make_tool_page,
)
from mcpgen.reference.site import HTML_FILE, assemble_site, render_page
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.injection.payloads import PAYLOADS

html5lib: Any = importlib.import_module("html5lib")  # it has no types
MARKUP = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "<!-- --><iframe src=//example.org>",
    "--></title><svg onload=alert(1)>",
    "[a](javascript:alert(1)) ![b](http://example.org/x.png)",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;",
    "</code></pre></details></table>",
    "```\n# a\n~~~",
)
TEXTS = [*MARKUP, *(text for text in PAYLOADS if text != "\ud800")]
"""Lone surrogates are no text, and reading refuses them."""
ELEMENTS = set(
    "html head meta title style body a header button nav div label kbd input p h1 h2 h3 ul li main section code "
    "span table caption thead tbody tr th td details summary pre svg rect script".split()
)
ATTRIBUTES = set(
    "lang class charset content http-equiv name href type id aria-expanded aria-controls aria-pressed hidden "
    "aria-label for autocomplete spellcheck aria-describedby role tabindex aria-labelledby dir scope viewBox "
    "preserveAspectRatio aria-hidden focusable width height rel".split()
)


def make_site(text: str) -> dict[str, str]:
    """Return a reference with a text in each place that takes text."""
    schema: Any = {
        "type": "object",
        "description": text,
        "properties": {
            text: {"type": "string", "description": text, "default": text, "enum": [text], "pattern": text, text: text},
            "inner": {"type": "object", "properties": {text: {"$ref": "#/$defs/T"}}},
            "odd": {"type": text, "format": text},
        },
        "$defs": {"T": {"title": text, "description": text, "examples": [text]}},
    }
    tool: dict[str, Any] = {"name": text, "title": text, "description": text, "annotations": {"title": text}}
    slug = make_slugs([text])[text]
    remarks = Remarks((Note("MG901", "warning", text, text),), (Note("MG801", "error", text, text),))
    made = Schema(schema, DRAFT_2020_12)
    head = SiteHead(text, (text,), text, cast("Any", text), (Note("MG803", "error", text),))
    source = ToolSource(slug, tool, made, made, remarks)
    pages = [
        make_tool_page(source, MeasuredResult((text,), None, (text,)), [Bar("definition", 1, 1)]),
        make_resource_page({"name": text, "uri": text, "mimeType": text, "title": text}, slug, {}, made, remarks),
        make_resource_page({"name": text, "uriTemplate": text}, slug, {text: True}, None, remarks),
        make_prompt_page({"name": text, "description": text}, slug, [PromptArgument(text, True, (text,))], remarks),
    ]
    return assemble_site(head, [render_page(page, head) for page in pages])


def parse(html: str) -> Element:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    root: Element = parser.parse(html)
    errors = [name for _, name, _ in parser.errors if "invalid-codepoint" not in name]
    assert errors == []
    return root


def iterate_elements(root: Element) -> Iterator[tuple[str, Element]]:
    for element in root.iter():
        if isinstance(element.tag, str):
            yield element.tag.rpartition("}")[2], element


@pytest.mark.parametrize("text", TEXTS)
def test_text_never_becomes_html(text: str) -> None:
    root = parse(make_site(text)[HTML_FILE])
    seen: set[str] = set()
    for name, element in iterate_elements(root):
        assert name in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES, element.attrib
        seen.add(name)
        assert element.get("href", "#").startswith("#"), "nothing leads out of the page"
    assert {"script", "style", "details", "table", "svg"} <= seen
    assert len(root.findall(".//script")) == len(root.findall(".//style")) == 1
    heading = root.find(".//section/h2/a/code")
    assert heading is not None
    shown = re.sub(r"⟨U\+([0-9A-F]+)⟩", lambda match: chr(int(match[1], 16)), heading.text or "")
    assert re.sub(r"\r\n?", "\n", shown) == re.sub(r"\r\n?", "\n", text)


@pytest.mark.parametrize("text", TEXTS)
def test_text_never_becomes_markdown(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    allowed = re.compile(
        r'<a id="[a-z0-9_.-]*">|</a>|<br>|</?details>|<summary><code>[^<>]*</code></summary>|<!-- [^<>]* -->'
    )
    for path, page in make_site(text).items():
        if path == HTML_FILE:
            continue
        tokens = parser.parse(page)
        children = [child for token in tokens for child in token.children or ()]
        for token in (*tokens, *children):
            if token.type in ("html_inline", "html_block"):
                assert allowed.sub("", token.content).strip() == "", token.content
            elif token.type == "link_open":
                href = str(token.attrGet("href"))
                assert href.startswith("#") or re.fullmatch(r"[a-z-]+/[a-z0-9_-]+\.md", href)
            assert token.type not in ("image", "code_block", "hr", "em_open", "blockquote_open", "ordered_list_open")
        headings = [tokens[index + 1] for index, token in enumerate(tokens) if token.type == "heading_open"]
        assert len([token for token in tokens if token.type == "heading_open" and token.tag == "h1"]) == 1
        assert headings


def test_the_policy_allows_the_page_s_own_style_and_script_alone() -> None:
    root = parse(make_site("x")[HTML_FILE])
    policy = root.find(".//meta[@http-equiv]")
    assert policy is not None
    directives = dict(part.strip().split(" ", 1) for part in str(policy.get("content")).split(";"))
    for directive, name in (("style-src", "style"), ("script-src", "script")):
        text = str(root.findtext(f".//{name}"))
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert directives.pop(directive) == f"'sha256-{digest}'"
    assert directives == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}


def test_every_link_inside_the_page_has_a_target_and_every_id_is_one_element_s() -> None:
    root = parse(make_site("a name")[HTML_FILE])
    ids = [str(element.get("id")) for _, element in iterate_elements(root) if element.get("id")]
    assert len(ids) == len(set(ids))
    for _, element in iterate_elements(root):
        for attribute in ("href", "aria-labelledby", "aria-controls", "aria-describedby", "for"):
            if element.get(attribute):
                assert str(element.get(attribute)).removeprefix("#") in ids


def test_links_of_markdown_pages_lead_to_pages_and_anchors() -> None:
    site = make_site("a name")
    for path, page in site.items():
        for target in re.findall(r"\]\(([^)]+)\)", page) if path != HTML_FILE else ():
            if target.startswith("#"):
                assert f'<a id="{target[1:]}">' in page
            else:
                assert target in site


def test_patterns_are_shown_as_they_are() -> None:
    schema = Schema(
        {"type": "object", "properties": {"a": {"type": "array", "items": {"pattern": "a|b"}}}}, DRAFT_2020_12
    )
    head, source = SiteHead("x"), ToolSource("a", {"name": "a"}, schema, None)
    page = render_page(make_tool_page(source, None, []), head).markdown
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    code = [child.content for token in tokens for child in token.children or () if child.type == "code_inline"]
    assert "a|b" in code


def test_only_safe_addresses_of_resources_are_links() -> None:
    head = SiteHead("x")
    for uri, is_link in (("https://example.org/a", True), ("javascript:alert(1)", False), ("harbour://a", False)):
        page = make_resource_page({"name": "a", "uri": uri}, "a", {}, None, Remarks())
        site = assemble_site(head, [render_page(page, head)])
        hrefs = {str(element.get("href")) for _, element in iterate_elements(parse(site[HTML_FILE]))}
        assert (uri in hrefs) == is_link
        assert (f"(<{uri}>)" in site["resources/a.md"]) == is_link


def test_files_are_mcpgen_s_until_they_are_edited() -> None:
    for path, text in make_site("x").items():
        assert detect_owner(path, text, "docs") is Owner.MCPGEN
        assert detect_owner(path, text + " ", "docs") is Owner.EDITED
        assert detect_owner(path, text) is Owner.FOREIGN

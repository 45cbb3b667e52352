"""Pages of the reference: pure functions of the definitions, and of what was measured and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.definitions import PromptArgument
from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.reference.model import (
    AnchorSet,
    Bar,
    Fact,
    LabelPart,
    Listing,
    Member,
    Note,
    Page,
    PageKind,
    Section,
    TypeTable,
    ValueTables,
    slugify,
)
from mcpgen.reference.tables import format_value, get_text, make_tables
from mcpgen.samples.generator import find_example_text
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json, as_array, as_object

_MOST_LISTED = 8_192
_HINTS = {
    "readOnlyHint": ("changes nothing", "may change something"),
    "destructiveHint": ("may overwrite or remove something", "only adds something"),
    "idempotentHint": ("again with the same arguments has no further effect", ""),
    "openWorldHint": ("reaches the outside world", "stays inside its own world"),
}


@dataclass(frozen=True)
class MeasuredResult:
    """Example result of a tool, and what it costs; tokens are None if they are not counted."""

    blocks: tuple[str, ...]
    """The text blocks, which the model reads."""
    structured: str | None
    """The value as JSON text, None without an outputSchema."""
    other_blocks: tuple[str, ...] = ()
    """Types of the content blocks that are not text."""


@dataclass(frozen=True)
class Remarks:
    """What was found about a definition."""

    findings: tuple[Note, ...] = ()
    changes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class ToolSource:
    """What the page of a tool is made of: picklable, without the document that it was read from."""

    slug: str
    tool: dict[str, Json]
    input: Schema
    output: Schema | None
    remarks: Remarks = Remarks()


def make_tool_page(source: ToolSource, result: MeasuredResult | None, sizes: Sequence[Bar]) -> Page:
    """Return the page of a tool, with its example result if there is one, and a chart of sizes."""
    tool, anchor = source.tool, f"tool-{source.slug}"
    anchors = AnchorSet()
    tables = _drop_empty_label(make_tables(source.input, f"{anchor}--in", anchors))
    sections = [Section(f"{anchor}--arguments", "Arguments", tables)]
    if source.output is not None:
        tables = make_tables(source.output, f"{anchor}--out", anchors)
        sections.append(Section(f"{anchor}--result", "Result", tables))
    return _make_page(
        "tool",
        source.slug,
        tool,
        source.remarks,
        hints=_list_hints(as_object(tool.get("annotations"))),
        sections=tuple(sections),
        listings=tuple(_list_examples(source, anchor, result)),
        bars=make_bars(sizes),
    )


def _make_page(kind: PageKind, slug: str, definition: Mapping[str, Json], remarks: Remarks, **more: Any) -> Page:
    title = get_text(definition, "title") or get_text(as_object(definition.get("annotations")), "title")
    return Page(
        kind=kind,
        slug=slug,
        name=mark_invisible(str(definition["name"])),
        title=title,
        description=get_text(definition, "description"),
        findings=remarks.findings,
        changes=remarks.changes,
        **more,
    )


def _drop_empty_label(tables: ValueTables) -> ValueTables:
    root = tables.root
    is_empty = root.label == (LabelPart("object"),) and not root.facts
    return replace(tables, root=replace(root, label=())) if is_empty else tables


def _list_examples(source: ToolSource, anchor: str, result: MeasuredResult | None) -> list[Listing]:
    arguments = find_example_text(source.input)
    listings: list[Listing] = []
    if arguments is not None:
        call: Json = {"name": source.tool["name"], "arguments": json.loads(arguments)}
        listings.append(_make_listing(f"{anchor}--call", "Example call", call))
    if result is not None:
        text = mark_invisible(_cut("\n\n".join(result.blocks)))
        listings.append(Listing(f"{anchor}--text", "What the model reads", text, "", _describe_blocks(result)))
        if result.structured is not None:
            structured = json.loads(result.structured)
            listings.append(_make_listing(f"{anchor}--structured", "Structured result", structured))
    elif source.output is not None and (value := find_example_text(source.output)) is not None:
        listings.append(_make_listing(f"{anchor}--structured", "Structured result", json.loads(value)))
    return listings


def _describe_blocks(result: MeasuredResult) -> str:
    parts = [f"{len(result.blocks) or 'no'} text blocks"] if len(result.blocks) != 1 else []
    parts += result.other_blocks
    return f"Content: {', '.join(parts)}." if parts else ""


def _make_listing(anchor: str, heading: str, value: Json) -> Listing:
    text = mark_invisible(json.dumps(value, indent=2, ensure_ascii=False))
    return Listing(anchor, heading, _cut(text), "json")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LISTED else text[:_MOST_LISTED] + "\n…"


def make_bars(sizes: Sequence[Bar]) -> tuple[Bar, ...]:
    """Return the bars, each long in proportion to the largest one: of tokens, if they are counted."""
    lengths = [size.bytes if size.tokens is None else size.tokens for size in sizes]
    largest = max(lengths, default=0) or 1
    shares = [max(1, round(100 * length / largest)) for length in lengths]
    return tuple(replace(size, share=share) for size, share in zip(sizes, shares, strict=True))


def _list_hints(annotations: Mapping[str, Json]) -> tuple[str, ...]:
    chosen = [_HINTS[key][0 if value else 1] for key, value in annotations.items() if key in _HINTS]
    return tuple(text for text in chosen if text)


def make_resource_page(
    resource: Mapping[str, Json], slug: str, variables: Mapping[str, bool], payload: Schema | None, remarks: Remarks
) -> Page:
    """Return the page of a resource or a resource template; `variables` are True for those that are optional."""
    kind: PageKind = "template" if "uriTemplate" in resource else "resource"
    anchor, anchors = f"{kind}-{slug}", AnchorSet()
    sections: list[Section] = []
    if variables:
        rows = [(name, not is_optional, "", ()) for name, is_optional in variables.items()]
        sections.append(_make_plain_section(f"{anchor}--variables", "Variables of the URI", rows, anchors))
    listings: list[Listing] = []
    if payload is not None:
        tables = make_tables(payload, f"{anchor}--out", anchors)
        sections.append(Section(f"{anchor}--content", "Content", tables))
        if (value := find_example_text(payload)) is not None:
            listings.append(_make_listing(f"{anchor}--example", "Example", json.loads(value)))
    return _make_page(
        kind,
        slug,
        resource,
        remarks,
        uri=get_text(resource, "uriTemplate") or get_text(resource, "uri"),
        mime_type=get_text(resource, "mimeType"),
        sections=tuple(sections),
        listings=tuple(listings),
    )


def make_prompt_page(
    prompt: Mapping[str, Json], slug: str, arguments: Sequence[PromptArgument], remarks: Remarks
) -> Page:
    """Return the page of a prompt."""
    anchor = f"prompt-{slug}"
    declared = {str(as_object(item).get("name")): as_object(item) for item in as_array(prompt.get("arguments"))}
    rows = [
        (
            argument.wire,
            argument.required,
            get_text(declared.get(argument.wire, {}), "description"),
            (Fact("one of", tuple(format_value(value) for value in argument.values)),) if argument.values else (),
        )
        for argument in arguments
    ]
    sections = (_make_plain_section(f"{anchor}--arguments", "Arguments", rows, AnchorSet()),)
    return _make_page("prompt", slug, prompt, remarks, sections=sections)


def _make_plain_section(
    anchor: str, heading: str, rows: Sequence[tuple[str, bool, str, tuple[Fact, ...]]], anchors: AnchorSet
) -> Section:
    label = (LabelPart("string"),)
    members = [
        Member(anchors.add(f"{anchor}.{slugify(name)}"), mark_invisible(name), label, is_required, description, facts)
        for name, is_required, description, facts in rows
    ]
    return Section(anchor, heading, ValueTables(TypeTable(f"{anchor}-table", "", (), members=tuple(members))))

"""Pages of the reference: pure functions of the definitions, and of what was measured and compared.

A schema has a table for the members of its root, and one for each type inside.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.definitions import PromptArgument
from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.read.definitions import find_view, is_for_models
from mcpgen.read.forms import list_options
from mcpgen.reference.model import (
    AnchorSet,
    Bar,
    Fact,
    HostRow,
    LabelPart,
    Listing,
    Member,
    Note,
    Page,
    PageKind,
    Section,
    TypeTable,
    slugify,
)
from mcpgen.samples.generator import find_example_text
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import list_types
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, format_pointer, get_json_type, parse_pointer

_MOST_VALUES = 60
_MOST_CHARACTERS = 240
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "pattern": "matches",
    "format": "format",
    "contentMediaType": "media type",
    "contentEncoding": "encoding",
}
_COUNTS = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
    "minProperties": ("at least", "member"),
    "maxProperties": ("at most", "member"),
}
_FLAGS = {
    "uniqueItems": "no item twice",
    "deprecated": "deprecated",
    "readOnly": "read only",
    "writeOnly": "write only",
}
SHOWN_ELSEWHERE = frozenset(
    "type title description properties required $ref $dynamicRef $defs definitions $schema $id $anchor $dynamicAnchor "
    "$comment $vocabulary prefixItems items additionalProperties anyOf oneOf allOf".split()
)
"""Keywords that the label of a type, its description and its table show."""


def format_value(value: Json) -> str:
    """Return a value as compact JSON, cut if it is long."""
    text = mark_invisible(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def list_facts(schema: Json) -> Iterator[Fact]:
    """Yield what a schema says about a value besides its type and its description."""
    if not isinstance(schema, dict):
        return
    unlabelled = _list_unlabelled(schema)
    for keyword, value in schema.items():
        if keyword in unlabelled or keyword not in SHOWN_ELSEWHERE:
            yield from _describe_keyword(keyword, value)
    if schema.get("additionalProperties") is False:
        yield Fact("no other members")


def _describe_keyword(keyword: str, value: Json) -> Iterator[Fact]:
    if keyword == "enum":
        yield _make_values_fact("one of", as_array(value))
    elif keyword == "examples":
        yield _make_values_fact("for example", as_array(value)[:3])
    elif keyword in ("const", "default"):
        yield Fact("always" if keyword == "const" else "default", (format_value(value),))
    elif keyword in _LIMITS:
        text = value if isinstance(value, str) else format_value(value)
        yield Fact(_LIMITS[keyword], (mark_invisible(text)[:_MOST_CHARACTERS],))
    elif keyword in _COUNTS:
        words, noun = _COUNTS[keyword]
        yield Fact(f"{words} {format_value(value)} {noun}{'' if value == 1 else 's'}")
    elif keyword in _FLAGS:
        if value is True:
            yield Fact(_FLAGS[keyword])
    else:
        yield Fact(mark_invisible(keyword), (format_value(value),))


def _make_values_fact(words: str, values: list[Json]) -> Fact:
    shown = tuple(format_value(value) for value in values[:_MOST_VALUES])
    more = (f"… {len(values) - _MOST_VALUES} more",) if len(values) > _MOST_VALUES else ()
    return Fact(words, shown + more)


Label = tuple[LabelPart, ...]
_MOST_OPTIONS = 24
_DEEPEST_LABEL = 6
_COMBINATIONS = {"anyOf": " or ", "oneOf": " or ", "allOf": " and "}


@dataclass(frozen=True)
class _Place:
    pointer: str
    schema: Json
    path: str

    def enter(self, path: str, *tokens: str | int) -> _Place:
        schema = follow_pointer(self.schema, [str(token) for token in tokens])
        return _Place(self.pointer + format_pointer(*tokens), schema, path)


def make_tables(schema: Schema, anchor: str, anchors: AnchorSet) -> list[TypeTable]:
    """Return the tables of a self-contained schema, its root first; each type inside has one, wherever it is used."""
    return [*_TableMaker(schema, anchor, anchors).make_tables()]


class _TableMaker:
    """Maker of the tables of one schema. A type that a label names gets its table later, in the order of the names."""

    def __init__(self, schema: Schema, anchor: str, anchors: AnchorSet) -> None:
        self._index = SchemaIndex(schema.value, schema.dialect)
        self._prefix, self._anchors = anchor, anchors
        self._root = _Place("", schema.value, "")
        self._targets = {"": anchors.add(anchor)}
        self._waiting: deque[_Place] = deque([self._root])

    def make_tables(self) -> Iterator[TypeTable]:
        while self._waiting:
            yield self._make_table(self._waiting.popleft())

    def _make_table(self, place: _Place) -> TypeTable:
        schema = as_object(place.schema)
        anchor = self._targets[place.pointer]
        return TypeTable(
            anchor,
            mark_invisible(place.path),
            () if "properties" in schema else self._label(place, 0, is_inside=True),
            get_text(schema, "description"),
            tuple(list_facts(place.schema)),
            tuple(self._list_members(place, schema, anchor)),
        )

    def _list_members(self, place: _Place, schema: dict[str, Json], anchor: str) -> Iterator[Member]:
        required = set(map(str, as_array(schema.get("required"))))
        for name in as_object(schema.get("properties")):
            path = f"{place.path}.{name}" if place.path else name
            member = place.enter(path, "properties", name)
            yield Member(
                self._anchors.add(f"{anchor}.{slugify(name)}"),
                mark_invisible(name),
                self._label(member, 0),
                name in required,
                get_text(as_object(member.schema), "description"),
                tuple(list_facts(member.schema)),
            )

    def _label(self, place: _Place, depth: int, is_inside: bool = False) -> Label:
        schema = place.schema
        if not isinstance(schema, dict):
            return (LabelPart("nothing" if schema is False else "any value"),)
        if depth > _DEEPEST_LABEL:
            return (LabelPart("…", self._add_table(place)),)
        if "const" in schema and depth and not schema.get("description"):
            return (LabelPart(format_value(schema["const"])),)
        label = self._label_schema(place, schema, depth, is_inside)
        if depth and not any(part.target for part in label) and _says_more(schema):
            return (LabelPart("".join(part.text for part in label), self._add_table(place)),)
        return label

    def _label_schema(self, place: _Place, schema: dict[str, Json], depth: int, is_inside: bool) -> Label:
        for reference in (schema.get("$ref"), schema.get("$dynamicRef")):
            if isinstance(reference, str):
                return self._label_reference(place, reference)
        if "properties" in schema and not is_inside:
            return (LabelPart("object", self._add_table(place)),)
        if "type" not in schema and (keyword := _find_combination(schema)):
            return self._label_combination(place, keyword, depth)
        types = list_types(schema)
        if not types:
            return self._label_untyped(place, schema, depth)
        return _join_labels([self._label_type(place, schema, name, depth) for name in types], " or ")

    def _label_untyped(self, place: _Place, schema: dict[str, Json], depth: int) -> Label:
        if "items" in schema or "prefixItems" in schema:
            return self._label_type(place, schema, "array", depth)
        values = as_array(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
        kinds = dict.fromkeys(get_json_type(value).replace("integer", "number") for value in values)
        return (LabelPart(" or ".join(kinds) or "any value"),)

    def _label_type(self, place: _Place, schema: dict[str, Json], type: str, depth: int) -> Label:
        if type == "array":
            if "prefixItems" in schema:
                items = range(len(as_array(schema["prefixItems"])))
                path = f"{place.path}[{{}}]"
                labels = [self._label(place.enter(path.format(i), "prefixItems", i), depth + 1) for i in items]
                return (LabelPart("array: "), *_join_labels(labels, ", "))
            if isinstance(schema.get("items"), dict):
                return (LabelPart("array of "), *self._label(place.enter(f"{place.path}[]", "items"), depth + 1))
        if type == "object" and isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema:
            value = place.enter(f"{place.path}.*" if place.path else "*", "additionalProperties")
            return (LabelPart("object, each member "), *self._label(value, depth + 1))
        return (LabelPart(mark_invisible(type)),)

    def _label_combination(self, place: _Place, keyword: str, depth: int) -> Label:
        branches = as_array(as_object(place.schema)[keyword])
        labels: list[Label] = []
        for number in range(min(len(branches), _MOST_OPTIONS)):
            path = f"{place.path} ({number + 1})" if len(branches) > 1 else place.path
            labels.append(self._label(place.enter(path, keyword, number), depth + 1))
        if len(branches) > _MOST_OPTIONS:
            labels.append((LabelPart(f"{len(branches) - _MOST_OPTIONS} more"),))
        return _join_labels(list(dict.fromkeys(labels)), _COMBINATIONS[keyword])

    def _label_reference(self, place: _Place, reference: str) -> Label:
        pointer = self._index.find_target(place.pointer, reference)
        if pointer is None:
            return (LabelPart(mark_invisible(reference)),)
        tokens = parse_pointer(pointer)
        name = tokens[-1] if tokens else "the whole value"
        target = _Place(pointer, follow_pointer(self._root.schema, tokens), name)
        return (LabelPart(mark_invisible(name), self._add_table(target)),)

    def _add_table(self, place: _Place) -> str:
        if place.pointer not in self._targets:
            path = slugify(place.path) or "type"
            self._targets[place.pointer] = self._anchors.add(f"{self._prefix}--{path}")
            self._waiting.append(place)
        return self._targets[place.pointer]


def _says_more(schema: dict[str, Json]) -> bool:
    return bool(schema.get("description")) or any(True for _ in list_facts(schema))


def _find_combination(schema: dict[str, Json]) -> str | None:
    return next((keyword for keyword in _COMBINATIONS if as_array(schema.get(keyword))), None)


def _list_unlabelled(schema: dict[str, Json]) -> tuple[str, ...]:
    shown = None if {"type", "properties", "$ref", "$dynamicRef"} & schema.keys() else _find_combination(schema)
    unlabelled = [keyword for keyword in _COMBINATIONS if keyword in schema and keyword != shown]
    items = schema.get("items")
    if isinstance(items, bool) or (isinstance(items, dict) and "prefixItems" in schema):
        unlabelled.append("items")
    if isinstance(schema.get("additionalProperties"), dict) and "properties" in schema:
        unlabelled.append("additionalProperties")
    return tuple(unlabelled)


def _join_labels(labels: list[Label], separator: str) -> Label:
    parts: list[LabelPart] = []
    for label in labels:
        parts += [LabelPart(separator), *label] if parts else label
    return tuple(parts)


def get_text(definition: Mapping[str, Json], member: str) -> str:
    """Return the text of a member of a definition or a schema; empty without one."""
    value = definition.get(member)
    return mark_invisible(value) if isinstance(value, str) else ""


# --- pages -----------------------------------------------------------------------------------------------------------
_MOST_LISTED = 8_192
_HINTS = {
    "readOnlyHint": ("changes nothing", "may change something"),
    "destructiveHint": ("may overwrite or remove something", "only adds something"),
    "idempotentHint": ("again with the same arguments has no further effect", ""),
    "openWorldHint": ("reaches the outside world", "stays inside its own world"),
}
_TASK_HINTS = {"optional": "can run in the background", "required": "only runs in the background"}


@dataclass(frozen=True)
class MeasuredResult:
    """Example result of a tool, and what it costs; tokens are None if they are not counted."""

    blocks: tuple[str, ...]
    """The text blocks, which the model reads."""
    structured: str | None
    """The value as JSON text, None without an outputSchema."""
    other_blocks: tuple[str, ...] = ()
    """Types of the content blocks that are not text."""
    hosts: tuple[HostRow, ...] = ()
    """What the models of hosts read of it."""


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
    error: Schema | None = None


def make_tool_page(source: ToolSource, result: MeasuredResult | None, sizes: Sequence[Bar]) -> Page:
    """Return the page of a tool, with its example result if there is one, and a chart of sizes."""
    tool, anchor = source.tool, f"tool-{source.slug}"
    anchors = AnchorSet()
    root, *nested = make_tables(source.input, f"{anchor}--in", anchors)
    if root.label == (LabelPart("object"),) and not root.facts:
        root = replace(root, label=())
    sections = [Section(f"{anchor}--arguments", "Arguments", root, nested)]
    for schema, part, name, heading in (
        (source.output, "out", "result", "Result"),
        (source.error, "error-data", "error", "Data of an error"),
    ):
        if schema is not None:
            root, *nested = make_tables(schema, f"{anchor}--{part}", anchors)
            sections.append(Section(f"{anchor}--{name}", heading, root, nested))
    return _make_page(
        "tool",
        source.slug,
        tool,
        source.remarks,
        hints=_list_hints(tool),
        sections=tuple(sections),
        listings=tuple(_list_examples(source, anchor, result)),
        bars=make_bars(sizes),
        hosts=result.hosts if result is not None else (),
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


def _list_examples(source: ToolSource, anchor: str, result: MeasuredResult | None) -> list[Listing]:
    arguments = find_example_text(source.input)
    listings: list[Listing] = []
    if arguments is not None:
        call: Json = {"name": source.tool["name"], "arguments": json.loads(arguments)}
        listings.append(_make_listing(f"{anchor}--call", "Example call", call))
    if result is not None:
        text = mark_invisible(_cut("\n\n".join(result.blocks)))
        listings.append(Listing(f"{anchor}--text", "Text of the result", text, "", _describe_blocks(result)))
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


def _list_hints(tool: Mapping[str, Json]) -> tuple[str, ...]:
    annotations = as_object(tool.get("annotations"))
    chosen = [_HINTS[key][0 if value else 1] for key, value in annotations.items() if key in _HINTS]
    task_support = get_text(as_object(tool.get("execution")), "taskSupport")
    chosen += [_TASK_HINTS[task_support]] if task_support in _TASK_HINTS else []
    chosen += [] if is_for_models(tool) else ["for apps only"]
    chosen += [f"shown by {mark_invisible(view)}"] if (view := find_view(tool)) else []
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
        root, *nested = make_tables(payload, f"{anchor}--out", anchors)
        sections.append(Section(f"{anchor}--content", "Content", root, nested))
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


def make_form_page(form: Mapping[str, Json], slug: str, schema: Schema, remarks: Remarks) -> Page:
    """Return the page of a form: what it asks for, and an example of an answer."""
    anchor, anchors = f"form-{slug}", AnchorSet()
    root, *nested = make_tables(schema, f"{anchor}--out", anchors)
    section = Section(f"{anchor}--content", f"Asks: {mark_invisible(get_text(form, 'message'))}", root, nested)
    listings = [Listing(f"{anchor}--drawn", "As a client may show it", mark_invisible(_draw_form(form)), "text")]
    if (value := find_example_text(schema)) is not None:
        listings.append(_make_listing(f"{anchor}--example", "Example of an answer", json.loads(value)))
    return _make_page("form", slug, form, remarks, sections=(section,), listings=tuple(listings))


def _draw_form(form: Mapping[str, Json]) -> str:
    """Return a form as lines of text: its message, then a line for each property, with a star if it is required."""
    schema = as_object(form.get("requestedSchema"))
    fields = [(name, as_object(part)) for name, part in as_object(schema.get("properties")).items()]
    labels = [
        f"{get_text(part, 'title') or name}{' *' * (name in as_array(schema.get('required')))}" for name, part in fields
    ]
    width = max(map(len, labels), default=0)
    lines = [get_text(form, "message"), ""]
    for label, (_, part) in zip(labels, fields, strict=True):
        lines.append(f"{label:<{width}}  {_draw_field(part)}  {get_text(part, 'description')}".rstrip())
    return "\n".join(" ".join(line.split("\n")) for line in lines)


def _draw_field(schema: Mapping[str, Json]) -> str:
    """Return the input field of a property, with its default: boxes to check, circles to choose from, or brackets."""
    options, chosen = list_options(schema), schema.get("default")
    if schema.get("type") == "boolean":
        return "[x]" if chosen is True else "[ ]"
    if options is None:
        bounds = [f"{word} {schema[key]}" for word, key in _BOUNDS if key in schema]
        return f"[{'' if chosen is None else chosen!s:<16}] {', '.join(bounds)}".rstrip()
    opened, closed = "[]" if "items" in schema else "()"
    marks = ["x" if value == chosen or value in as_array(chosen) else " " for value, _ in options]
    return "  ".join(f"{opened}{mark}{closed} {title}" for mark, (_, title) in zip(marks, options, strict=True))


_BOUNDS = (("from", "minimum"), ("to", "maximum"), ("at least", "minLength"), ("at most", "maxLength"))


def _make_plain_section(
    anchor: str, heading: str, rows: Sequence[tuple[str, bool, str, tuple[Fact, ...]]], anchors: AnchorSet
) -> Section:
    label = (LabelPart("string"),)
    members = [
        Member(anchors.add(f"{anchor}.{slugify(name)}"), mark_invisible(name), label, is_required, description, facts)
        for name, is_required, description, facts in rows
    ]
    return Section(anchor, heading, TypeTable(f"{anchor}-table", "", (), members=tuple(members)))

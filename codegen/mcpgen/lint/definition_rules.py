"""Rules for the members of definitions: what models and people are told, and what clients act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from mcpgen.lint.invisible_text import describe_invisible, find_invisible, remove_invisible
from mcpgen.lint.rule import LintedDefinition, LintedSchema, Place, Problem, ReplaceMember, ReplaceValue
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, iterate_children, parse_pointer

# --- texts -----------------------------------------------------------------------------------------------------------
_NOT_READ = ("_meta", "pattern", "patternProperties", "icons")
"""Members that no model reads, or that name invisible characters for a purpose."""
_VALUE_MEMBERS = ("default", "const", "enum", "examples")
_PROSE_MEMBERS = ("title", "description")
MOST_NAMES = 3
"""Tools that are named when many have the same problem."""


def check_invisible_text(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find invisible characters in what a model or a person reads."""
    stack: list[tuple[tuple[str | int, ...], Json]] = [((), definition.value)]
    while stack:
        path, value = stack.pop()
        pointer = format_pointer(*path)
        if isinstance(value, str) and (chars := find_invisible(value)):
            is_prose = path[-1] in _PROSE_MEMBERS and not any(token in _VALUE_MEMBERS for token in path)
            fix = ReplaceValue(pointer, remove_invisible(value)) if is_prose else None
            message = _describe_invisible(definition, str(path[-1]) if is_prose else "a text", chars)
            yield Problem(pointer, message, "a model reads what no reviewer sees: take them out", fix)
        for name in value if isinstance(value, dict) else ():
            if chars := find_invisible(name):
                message = _describe_invisible(definition, "a member's name", chars)
                help = "take them out of the name, and out of the server"
                yield Problem(pointer + format_pointer(name), message, help)
        stack.extend(((*path, key), member) for key, member in iterate_children(value) if key not in _NOT_READ)


def _describe_invisible(definition: LintedDefinition, subject: str, chars: list[str]) -> str:
    count = f"{len(chars)} invisible character{'s' if len(chars) > 1 else ''}"
    return f"{definition.label}: {subject} holds {count}: {describe_invisible(chars)}"


def check_missing_description(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find definitions without a description, or with a blank one; forms have a message."""
    description = definition.value.get("description")
    if definition.kind != "form" and (not isinstance(description, str) or not description.strip()):
        pointer = "/description" if "description" in definition.value else "/name"
        message = f"{definition.label} has no description"
        yield Problem(pointer, message, "say what it does, when to use it, and what it returns")


def check_equal_descriptions(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find definitions of a kind that are described in the same words."""
    first_names: dict[tuple[str, str], str] = {}
    for number, definition in enumerate(definitions):
        description = definition.value.get("description")
        if isinstance(description, str) and description.strip():
            key = (definition.kind, " ".join(description.split()))
            first = first_names.setdefault(key, definition.name)
            if first != definition.name:
                message = f'{definition.label} has the same description as "{first}"'
                yield number, Problem("/description", message, "say in what they differ: a model chooses by it")


def check_parameter_descriptions(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find parameters of tools and arguments of prompts without a description, properties of forms without a title."""
    for name, part in as_object(as_object(definition.value.get("requestedSchema")).get("properties")).items():
        if not _has_description(part) and not as_object(part).get("title"):
            message = f'{definition.label}: the property "{name}" has no title'
            pointer = format_pointer("requestedSchema", "properties", name)
            yield Problem(pointer, message, "people see its name instead: say in words what they enter")
    for index, argument in enumerate(as_array(definition.value.get("arguments"))):
        if definition.kind == "prompt" and not _has_description(argument):
            yield _make_parameter_problem(
                definition, str(as_object(argument).get("name")), format_pointer("arguments", index)
            )
    if (schema := definition.schemas.get("inputSchema")) is not None:
        for name, parameter in as_object(as_object(schema.value).get("properties")).items():
            pointer = format_pointer("properties", name)
            if parameter is not False and not _is_described(pointer, schema.index):
                yield _make_parameter_problem(definition, name, f"/inputSchema{pointer}")


def _make_parameter_problem(definition: LintedDefinition, name: str, pointer: str) -> Problem:
    message = f'{definition.label}: the parameter "{name}" has no description'
    return Problem(pointer, message, "say what it means, in what unit or form, and what happens without it")


def _is_described(pointer: str, index: SchemaIndex) -> bool:
    schema, target = index.get(pointer), index.find_referred(pointer)
    parts = [schema] if target is None else [schema, index.get(target)]
    for keyword in ("anyOf", "oneOf", "allOf"):
        parts += as_array(as_object(schema).get(keyword))
    return any(map(_has_description, parts))


def _has_description(value: Json) -> bool:
    description = as_object(value).get("description")
    return isinstance(description, str) and bool(description.strip())


def check_titles(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tools with two titles that differ."""
    title, annotated_title = definition.value.get("title"), as_object(definition.value.get("annotations")).get("title")
    if isinstance(title, str) and isinstance(annotated_title, str) and title != annotated_title:
        message = f'{definition.label} is called "{title}" by its title and "{annotated_title}" by annotations.title'
        help = "clients of 2025-06-18 and later show the title, older ones the other: leave out annotations.title"
        yield Problem("/annotations/title", message, help)


def check_chosen_content(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find the tools for whose results nobody has chosen a text; they are reported together, at the first of them."""
    numbers = [number for number, definition in enumerate(definitions) if definition.has_default_content]
    if numbers:
        names = [f'"{definitions[number].name}"' for number in numbers]
        listed = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        subject = f"tool {listed} has" if len(names) == 1 else f"{len(names)} tools ({listed}) have"
        message = f"{subject} no chosen content, so the model reads the JSON"
        help = 'a template, "table", "csv" or another `content` may say it shorter; "json" says that JSON is meant'
        yield numbers[0], Problem("/name", message, help)


# --- what clients act on ----------------------------------------------------------------------------------------------
_SCHEME = re.compile(r"[\x00-\x20]*([a-zA-Z][a-zA-Z0-9+.-]*):")
_SAFE_SCHEMES = ("https", "data")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER = "x-mcp-header"
_HEADER_TYPES = ("string", "integer", "boolean")


def check_icon_schemes(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find icons that clients have to refuse for the scheme of their URI."""
    for index, icon in enumerate(as_array(definition.value.get("icons"))):
        source = as_object(icon).get("src")
        if isinstance(source, str):
            match = _SCHEME.match(source)
            scheme = match[1].lower() if match else None
            if scheme not in _SAFE_SCHEMES:
                fault = "has no scheme" if scheme is None else f"has the scheme {scheme}:"
                message = f"{definition.label}: the URI of an icon {fault}; clients accept https: and data: only"
                yield Problem(
                    format_pointer("icons", index, "src"), message, "serve it by https, or put it into a data: URI"
                )


def check_parameter_headers(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find `x-mcp-header` annotations for which clients have to leave the tool out."""
    seen = set[str]()
    for place in schema.objects:
        name = place.schema.get(_HEADER)
        fault = _find_header_fault(place, seen) if _HEADER in place.schema else ""
        if isinstance(name, str):
            seen.add(name.lower())
        if fault:
            message = f"{_HEADER} of {place.name} {fault}; clients leave the tool out"
            help = "name it once, with letters, digits and hyphens, on a string, integer or boolean parameter"
            yield Problem(f"{place.pointer}/{_HEADER}", message, help)


def _find_header_fault(place: Place, seen: set[str]) -> str:
    name, kind = place.schema[_HEADER], place.schema.get("type")
    path = parse_pointer(place.pointer)
    if not path or {*path[::2]} != {"properties"}:
        return "is not on a parameter that `properties` alone lead to"
    if not isinstance(name, str) or not name:
        return "is not text, or an empty one"
    if not _TOKEN.fullmatch(name):
        return "is not the name of an HTTP header"
    if kind not in _HEADER_TYPES:
        return "is on a parameter whose type is not string, integer or boolean"
    if name.lower() in seen:
        return f'says "{name}", as another one does'
    return ""


def check_contradicting_hints(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tools that say that they change nothing, and that they destroy something."""
    annotations = as_object(definition.value.get("annotations"))
    hints = (annotations.get("readOnlyHint"), annotations.get("destructiveHint"))
    if definition.kind == "tool" and hints == (True, True):
        message = f"{definition.label} says that it is read-only and that it is destructive"
        help = "clients run read-only tools without asking: say the one that is true"
        yield Problem("/annotations/destructiveHint", message, help)


_APP_TYPE = "text/html;profile=mcp-app"
_APP_READERS = ("model", "app")


def check_views(definitions: Sequence[LintedDefinition], clients: frozenset[str]) -> Iterator[tuple[int, Problem]]:
    """Find user interfaces that tools name and that no resource declares, or one of another MIME type."""
    resources = [definition.value for definition in definitions if definition.kind == "resource"]
    for number, definition in enumerate(definitions):
        for path, uri in _list_views(definition):
            types = [_normalize_type(resource.get("mimeType")) for resource in resources if _serves(resource, uri)]
            subject = f"{definition.label} shows its results by {uri[:100]}"
            if not types:
                help = "declare the resource, or correct the URI: clients read it from the same server"
                yield number, Problem(format_pointer(*path), f"{subject}, which no resource declares", help)
            elif _APP_TYPE not in types:
                message = f"{subject}, whose MIME type is not {_APP_TYPE}"
                help = f'clients show no other as an app: "mimeType": "{_APP_TYPE}" in the resource'
                yield number, Problem(format_pointer(*path), message, help)
        if definition.kind == "tool":
            ui = as_object(as_object(definition.value.get("_meta")).get("ui"))
            for index, reader in enumerate(as_array(ui.get("visibility"))):
                if reader not in _APP_READERS:
                    message = f"{definition.label}: MCP Apps know no visibility {json.dumps(reader)[:40]}"
                    place = format_pointer("_meta", "ui", "visibility", index)
                    yield number, Problem(place, message, 'it has "model" and "app"')


def _serves(resource: Mapping[str, Json], uri: str) -> bool:
    """Return whether a resource has a URI, or a template may have it."""
    template = resource.get("uriTemplate")
    return resource.get("uri") == uri or (template is not None and uri.startswith(str(template).partition("{")[0]))


def _normalize_type(mime_type: Json) -> str:
    return "".join(str(mime_type).lower().split())


def _list_views(definition: LintedDefinition) -> Iterator[tuple[tuple[str | int, ...], str]]:
    seen = set[str]()
    stack: list[tuple[tuple[str | int, ...], Json]] = [(("_meta",), definition.value.get("_meta"))]
    while stack and definition.kind == "tool":
        path, value = stack.pop()
        if isinstance(value, str) and value.startswith("ui://") and value not in seen:
            seen.add(value)
            yield path, value
        stack.extend(((*path, key), member) for key, member in iterate_children(value))


def check_common_clients(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tools that need tasks, and results that validators of draft-07 refuse."""
    execution = as_object(definition.value.get("execution"))
    if definition.kind == "tool" and execution.get("taskSupport") == "required":
        yield Problem(
            "/execution/taskSupport",
            f"{definition.label} can only be called as a task, which few clients do",
            '"taskSupport": "optional" lets all others call it, too',
        )
    output = definition.schemas.get("outputSchema")
    if output is None or output.dialect != DRAFT_2020_12:
        return
    closed = [
        place for place in output.objects if place.schema.get("prefixItems") and place.schema.get("items") is False
    ]
    if closed:
        place = min(closed)
        length = len(as_array(place.schema["prefixItems"]))
        items = f"/outputSchema{place.pointer}/items"
        yield Problem(
            items,
            f"{definition.label}: clients on the TypeScript SDK 1.x, and the Inspector, refuse each result with items "
            "here: their validator does not know prefixItems, and items is false",
            "say the length in another way, which they accept: maxItems instead of items",
            None if "maxItems" in place.schema else ReplaceMember(items, "maxItems", length),
        )

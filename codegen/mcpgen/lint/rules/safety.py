"""Rules of the specification and for safety, which are asked by default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcpgen.lint.invisible_text import describe_invisible, find_invisible, remove_invisible
from mcpgen.lint.rule import LintedDefinition, Problem, ReplaceMember, ReplaceValue
from mcpgen.lint.schema_walk import describe_place, walk_places
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json, as_array, as_object, format_pointer

_NOT_READ = ("_meta", "pattern", "patternProperties", "icons")
"""Members that no model reads, or that name invisible characters for a purpose."""
_VALUE_MEMBERS = ("default", "const", "enum", "examples")
_PROSE_MEMBERS = ("title", "description")
_SCHEME = re.compile(r"[\x00-\x20]*([a-zA-Z][a-zA-Z0-9+.-]*):")
_SAFE_SCHEMES = ("https", "data")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER = "x-mcp-header"
_HEADER_TYPES = ("string", "integer", "boolean")


def check_invisible_text(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find invisible characters in what a model or a person reads."""
    stack: list[tuple[tuple[str | int, ...], Json]] = [((), definition.value)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, str):
            if chars := find_invisible(value):
                yield _make_invisible_problem(definition, path, value, chars)
        elif isinstance(value, dict):
            for name, member in value.items():
                if chars := find_invisible(name):
                    message = f"{definition.label}: a member's name holds {_count(chars)}: {describe_invisible(chars)}"
                    yield Problem(
                        format_pointer(*path, name), message, "take them out of the name, and out of the server"
                    )
                if name not in _NOT_READ:
                    stack.append(((*path, name), member))
        elif isinstance(value, list):
            stack.extend(((*path, index), element) for index, element in enumerate(value))


def _make_invisible_problem(
    definition: LintedDefinition, path: tuple[str | int, ...], text: str, chars: list[str]
) -> Problem:
    pointer = format_pointer(*path)
    is_prose = path[-1] in _PROSE_MEMBERS and not any(token in _VALUE_MEMBERS for token in path)
    fix = ReplaceValue(pointer, remove_invisible(text)) if is_prose else None
    subject = path[-1] if is_prose else "a text"
    message = f"{definition.label}: {subject} holds {_count(chars)}: {describe_invisible(chars)}"
    return Problem(pointer, message, "a model reads what no reviewer sees: take them out", fix)


def _count(chars: list[str]) -> str:
    return f"{len(chars)} invisible character{'s' if len(chars) > 1 else ''}"


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


def check_parameter_headers(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find `x-mcp-header` annotations for which clients have to leave the tool out."""
    if definition.input is None:
        return
    reachable = {pointer for pointer, _ in _walk_properties(definition.input.value)}
    owners_by_header: dict[str, str] = {}
    for place in walk_places(definition.input):
        if not isinstance(place.schema, dict) or _HEADER not in place.schema:
            continue
        pointer = f"/inputSchema{place.pointer}"
        name = place.schema[_HEADER]
        fault = _find_header_fault(place.schema, place.pointer in reachable and place.pointer != "", owners_by_header)
        if isinstance(name, str):
            owners_by_header.setdefault(name.lower(), name)
        if fault:
            message = f"{definition.label}: {_HEADER} of {describe_place(pointer)} {fault}; clients leave the tool out"
            help = "name it once, with letters, digits and hyphens, on a string, integer or boolean parameter"
            yield Problem(f"{pointer}/{_HEADER}", message, help)


def _walk_properties(schema: Json) -> Iterator[tuple[str, Json]]:
    """Yield the schemas that are reached by `properties` alone, with their pointers."""
    stack = [("", schema)]
    while stack:
        pointer, subschema = stack.pop()
        yield pointer, subschema
        properties = as_object(as_object(subschema).get("properties"))
        stack.extend((pointer + format_pointer("properties", name), child) for name, child in properties.items())


def _find_header_fault(schema: dict[str, Json], is_reachable: bool, owners_by_header: dict[str, str]) -> str:
    """Return what is wrong with an annotation, "" if nothing is."""
    name, kind = schema[_HEADER], schema.get("type")
    if not is_reachable:
        return "is not on a parameter that `properties` alone lead to"
    if not isinstance(name, str) or not name:
        return "is not text, or an empty one"
    if not _TOKEN.fullmatch(name):
        return "is not the name of an HTTP header"
    if kind not in _HEADER_TYPES:
        return "is on a parameter whose type is not string, integer or boolean"
    if name.lower() in owners_by_header:
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


def check_views(definitions: Sequence[LintedDefinition], clients: frozenset[str]) -> Iterator[tuple[int, Problem]]:
    """Find user interfaces that tools name and that no resource declares."""
    resources = [definition.value for definition in definitions if definition.kind == "resource"]
    uris = [resource.get("uri") for resource in resources]
    starts = [str(resource["uriTemplate"]).partition("{")[0] for resource in resources if "uriTemplate" in resource]
    for number, definition in enumerate(definitions):
        for path, uri in _list_views(definition):
            if uri not in uris and not uri.startswith((*starts,)):
                message = f"{definition.label} shows its results by {uri[:100]}, which no resource declares"
                help = "declare the resource, or correct the URI: clients read it from the same server"
                yield number, Problem(format_pointer(*path), message, help)


def _list_views(definition: LintedDefinition) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the path and the text of each `ui://` in a tool's `_meta`; those that are said twice only once."""
    seen = set[str]()
    stack: list[tuple[tuple[str | int, ...], Json]] = [(("_meta",), definition.value.get("_meta"))]
    while stack and definition.kind == "tool":
        path, value = stack.pop()
        if isinstance(value, str) and value.startswith("ui://") and value not in seen:
            seen.add(value)
            yield path, value
        members = value.items() if isinstance(value, dict) else enumerate(as_array(value))
        stack.extend(((*path, key), member) for key, member in members)


def check_common_clients(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tools that need tasks, and results that validators of draft-07 refuse."""
    execution = as_object(definition.value.get("execution"))
    if definition.kind == "tool" and execution.get("taskSupport") == "required":
        yield Problem(
            "/execution/taskSupport",
            f"{definition.label} can only be called as a task, which few clients do, and not the typed client",
            '"taskSupport": "optional" lets all others call it, too',
        )
    if definition.output is None or definition.output.dialect != DRAFT_2020_12:
        return
    closed = [
        (place.pointer, place.schema)
        for place in walk_places(definition.output)
        if isinstance(place.schema, dict) and place.schema.get("prefixItems") and place.schema.get("items") is False
    ]
    if closed:
        pointer, schema = min(closed, key=lambda entry: entry[0])
        length = len(as_array(schema["prefixItems"]))
        items = f"/outputSchema{pointer}/items"
        yield Problem(
            items,
            f"{definition.label}: clients on the TypeScript SDK 1.x, and the Inspector, refuse each result with items "
            "here: their validator does not know prefixItems, and items is false",
            "say the length in another way, which they accept: maxItems instead of items",
            None if "maxItems" in schema else ReplaceMember(items, "maxItems", length),
        )

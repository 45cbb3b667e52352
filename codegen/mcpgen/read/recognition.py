"""Recognise the definitions in a document by their members, and what people take for one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from mcpgen.diagnostics import Findings
from mcpgen.lint.misspelt_names import match_misspelt
from mcpgen.read.document import SourceDocument
from mcpgen.read.schema_mistakes import ARTICLES
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, KEYWORDS
from mcpgen.schema.values import JSON_TYPES, Json, as_array, as_object, format_pointer, get_json_type
from mcpgen.words import NameGuesser


class DefinitionKind(Enum):
    """Kind of a definition; the value is its name in messages."""

    TOOL = "Tool"
    RESOURCE = "Resource"
    RESOURCE_TEMPLATE = "ResourceTemplate"
    PROMPT = "Prompt"
    FORM = "form"
    SCHEMA = "JSON Schema"


@dataclass(frozen=True)
class RawDefinition:
    """Definition inside a document: its kind, its JSON pointer, its value."""

    kind: DefinitionKind
    pointer: str
    value: dict[str, Json]


DEFINITION_LISTS = {
    "tools": DefinitionKind.TOOL,
    "resources": DefinitionKind.RESOURCE,
    "resourceTemplates": DefinitionKind.RESOURCE_TEMPLATE,
    "prompts": DefinitionKind.PROMPT,
    "forms": DefinitionKind.FORM,
}
_MARKS = {
    "inputSchema": DefinitionKind.TOOL,
    "requestedSchema": DefinitionKind.FORM,
    "uriTemplate": DefinitionKind.RESOURCE_TEMPLATE,
    "uri": DefinitionKind.RESOURCE,
    "arguments": DefinitionKind.PROMPT,
}
"""Member → the kind of a definition that has a name and this member."""
_DEFINITION_MEMBERS = frozenset(
    {"name", "inputSchema", "outputSchema", "requestedSchema", "uri", "uriTemplate", *DEFINITION_LISTS}
)
_TOOL_MEMBERS = ("name", "inputSchema", "outputSchema", "title", "description", "annotations", "icons", "_meta")
_JSONRPC_MEMBERS = ("jsonrpc", "id", "result")
_MEMBERS_BESIDE_DEFINITIONS = frozenset({"$schema", "$id", "$comment", "title", "description"})


def is_shared_definitions(document: SourceDocument) -> bool:
    """Return whether a file only contains definitions for others: by its name (`*.defs.json`), or by its members."""
    if document.path.name.removesuffix(document.path.suffix).endswith(".defs"):
        return True
    value = document.value
    if not isinstance(value, dict):
        return False
    others = value.keys() - DEFINITION_KEYWORDS
    return len(others) < len(value) and others <= _MEMBERS_BESIDE_DEFINITIONS


_KNOWN_MEMBERS = frozenset(
    "name inputSchema outputSchema requestedSchema uri uriTemplate $schema $defs definitions properties items "
    "prefixItems enum required additionalProperties patternProperties anyOf oneOf allOf".split()
)


def _is_recognisable(document: SourceDocument, items: list[RawDefinition]) -> bool:
    """Return whether a file is surely a definition, perhaps a wrong one, and not some other JSON value."""
    return document.is_quotable or any(
        item.kind is not DefinitionKind.SCHEMA
        or len(_KNOWN_MEMBERS & item.value.keys()) > 0
        or NameGuesser().guess(str(item.value.get("type"))[:20], JSON_TYPES, 0.6) != ""
        for item in items
    )


def recognise_definitions(document: SourceDocument, findings: Findings) -> list[RawDefinition]:
    """Return the definitions in a document; if there are none, report what it looks like."""
    items = _recognise_root(document, findings)
    document.is_quotable = _is_recognisable(document, items)
    return items


def _recognise_root(document: SourceDocument, findings: Findings) -> list[RawDefinition]:
    value = document.value
    if isinstance(value, list):
        return list(_recognise_list(document, "", value, DefinitionKind.TOOL, findings))
    if not isinstance(value, dict):
        _report_unknown(document, f"it holds {_describe_value(value)}", findings)
        return []
    if isinstance(result := value.get("result"), dict) and set(value) <= set(_JSONRPC_MEMBERS):
        return _recognise_object(document, "/result", result, findings)
    return _recognise_object(document, "", value, findings)


def _recognise_object(
    document: SourceDocument, place: str, value: dict[str, Json], findings: Findings
) -> list[RawDefinition]:
    lists = [key for key in DEFINITION_LISTS if isinstance(value.get(key), list)]
    if lists and "name" not in value:
        return [
            item
            for key in lists
            for item in _recognise_list(
                document, f"{place}/{key}", as_array(value[key]), DEFINITION_LISTS[key], findings
            )
        ]
    for mark, kind in _MARKS.items():
        if "name" in value and mark in value and (mark != "arguments" or isinstance(value[mark], list)):
            return [RawDefinition(kind, place, value)]
    if not place and (foreign := explain_foreign_document(value)) is not None:
        findings.error("MG003", f"this looks like {foreign[0]}", document.make_span(place), foreign[1])
        return []
    schema_words = [key for key in value if key in KEYWORDS]
    if schema_words and not _DEFINITION_MEMBERS & value.keys() and not place:
        return [RawDefinition(DefinitionKind.SCHEMA, place, value)]
    _report_near_miss(document, place, value, findings)
    return []


MAX_REPORTED_ELEMENTS = 100
"""Elements of one list that are reported because they are not definitions."""


def _recognise_list(
    document: SourceDocument, place: str, values: list[Json], kind: DefinitionKind, findings: Findings
) -> Iterator[RawDefinition]:
    wrong_count = 0
    for index, value in enumerate(values):
        pointer = place + format_pointer(index)
        if not isinstance(value, dict):
            wrong_count += 1
            if wrong_count > MAX_REPORTED_ELEMENTS:
                message = f"more than {MAX_REPORTED_ELEMENTS} of these are not objects, the rest is not looked at"
                findings.error("MG003", message, document.make_span(pointer))
                return
            message = f"a {kind.value} must be an object, not {_describe_value(value)}"
            help = f"write the {kind.value} itself here, or remove it" if isinstance(value, str) else ""
            findings.error("MG003", message, document.make_span(pointer), help)
        elif kind is DefinitionKind.TOOL and "requestedSchema" in value and "name" in value:
            yield RawDefinition(DefinitionKind.FORM, pointer, value)
        elif kind is DefinitionKind.TOOL and "inputSchema" not in value:
            _report_near_miss(document, pointer, value, findings, True)
        elif kind is DefinitionKind.FORM and not {"name", "requestedSchema"} <= value.keys():
            message = "looks like a form without a name or a requestedSchema"
            help = "every form has a name, a message and a requestedSchema"
            findings.error("MG003", message, document.make_span(pointer), help)
        else:
            yield RawDefinition(kind, pointer, value)


def _report_near_miss(
    document: SourceDocument, pointer: str, value: dict[str, Json], findings: Findings, listed: bool = False
) -> None:
    for key in value if explain_foreign_tool(value) is None else ():
        if (meant := match_misspelt(key, _TOOL_MEMBERS)) and ("name" in value or "Schema" in meant):
            message = f'looks like a Tool, but "{key}" is not a member of one'
            help = f'write "{meant}"' if meant not in value else ""
            findings.error("MG003", message, document.make_span(pointer, key), help)
            return
    message, help = _explain_near_miss(value, listed, bool(pointer)) or ("", "")
    if message:
        findings.error("MG003", message, document.make_span(pointer), help)
        return
    common = _DEFINITION_MEMBERS | KEYWORDS | {*_JSONRPC_MEMBERS, "error"}
    quotable = [key for key in value if document.is_quotable or key in common][:6]
    rest = "other members" if quotable else "members that no definition has"
    keys = [f'"{key}"' for key in quotable] + [rest] * (len(value) > len(quotable) and not document.is_quotable)
    _report_unknown(document, f"it is an object with {', '.join(keys) or 'nothing'}", findings, pointer)


def _explain_near_miss(value: dict[str, Json], is_listed: bool, is_inside: bool) -> tuple[str, str] | None:
    if (foreign := explain_foreign_tool(value)) is not None:
        return f"this looks like {foreign[0]}", foreign[1]
    for kind, mark in ((DefinitionKind.RESOURCE, "uri"), (DefinitionKind.RESOURCE_TEMPLATE, "uriTemplate")):
        if mark in value and "name" not in value:
            return f"looks like a {kind.value} without a name", f'every {kind.value} has one: "name": "…"'
    if "name" not in value and "requestedSchema" in value:
        return "looks like a form without a name", 'every form has one: "name": "confirm_stay"'
    if "name" not in value and "inputSchema" in value:
        return "looks like a Tool without a name", 'every Tool has one: "name": "get_weather"'
    if "name" in value and (is_listed or {"outputSchema", "description"} & value.keys()):
        help = 'every Tool has one; a tool without arguments says "inputSchema": {"type": "object"}'
        return "looks like a Tool without inputSchema", help
    if is_listed and "properties" in value:
        return "looks like a JSON Schema, where a Tool belongs", _SCHEMA_IN_LIST_HELP
    is_message = value.keys() <= {*_JSONRPC_MEMBERS, "error"}
    shape = None if is_listed or is_inside or is_message else explain_shape(value)
    return None if shape is None else (f"this looks like {shape[0]}", shape[1])


_SCHEMA_IN_LIST_HELP = (
    'write {"name": "get_weather", "inputSchema": {"type": "object"}, "outputSchema": …} with the schema as its '
    "outputSchema, or give the schema a file of its own, named after its tool"
)
_KNOWN_SHAPES = (
    "a file holds a Tool, a tools/list answer, a Resource, a ResourceTemplate, a Prompt, a form or a JSON Schema; "
    "definitions for others to refer to go into a file named *.defs.json"
)


def _report_unknown(document: SourceDocument, description: str, findings: Findings, pointer: str = "") -> None:
    message = f"not recognised as a definition: {description}"
    findings.error("MG003", message, document.make_span(pointer), _KNOWN_SHAPES)


def _describe_value(value: Json) -> str:
    kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else get_json_type(value)
    return ARTICLES.get(kind, "a ") + kind


# --- what is no definition -------------------------------------------------------------------------------------------
_SCHEMA_MARKS = frozenset(
    "type properties items enum const anyOf oneOf allOf $ref format required additionalProperties".split()
)
"""Keywords of which a schema of a property has at least one."""
_LISTS = {
    "tools": '{"name": …, "inputSchema": …}',
    "resources": '{"uri": …, "name": …}',
    "resourceTemplates": '{"uriTemplate": …, "name": …}',
    "prompts": '{"name": …}',
    "forms": '{"name": …, "message": …, "requestedSchema": …}',
}
"""Members of answers to `tools/list` and the like, and what they hold."""


def explain_foreign_document(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what a whole document is that defines nothing here, and what to do; None if it is nothing known."""
    if isinstance(value.get("openapi"), str) or isinstance(value.get("swagger"), str):
        return (
            "an OpenAPI document",
            "copy each result's schema out of it into a file named after its tool, such as schemas/get_weather.json; "
            'write `"nullable": true` as "type": ["string", "null"]',
        )
    servers = value.get("mcpServers") or (value.get("servers") if {"inputs", "servers"} >= value.keys() else None)
    if isinstance(servers, dict):
        return (
            "a client's configuration, which names servers and defines no tools",
            "fetch the tools of its servers: `mcpgen pull --from FILE`; move the file out of this folder",
        )
    if isinstance(value.get("version"), str) and {"dependencies", "devDependencies", "scripts"} & value.keys():
        return "a package.json", "move it out of the folder of definitions"
    return explain_foreign_tool(value)


def explain_foreign_tool(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what an object is that stands where a Tool belongs, and what to do; None if it is nothing known."""
    function = value.get("function") if value.get("type") == "function" else None
    if isinstance(function, dict) or ("name" in value and isinstance(value.get("parameters"), dict)):
        return (
            "a function of a model's API, not an MCP Tool",
            'write {"name": …, "description": …, "inputSchema": …}, with its "parameters" as the inputSchema',
        )
    return None


def explain_shape(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what an object that is no definition looks like by its members, and what to do; None if like nothing."""
    for name, example in _LISTS.items():
        if name in value and not isinstance(value[name], list):
            return f'a listing whose "{name}" is not a list', f'write {{"{name}": [{example}]}}'
    members = [member for name, member in value.items() if not name.startswith(("$", "x-"))]
    objects = [member for member in members if isinstance(member, dict)]
    if not members or len(objects) < len(members):
        if members and not KEYWORDS & value.keys() and not any(_is_schema(member) for member in objects):
            return (
                "a value, such as a tool's result, and not a schema",
                'describe it: {"type": "object", "properties": {…}}; '
                "`mcpgen learn` proposes a schema from recorded results",
            )
        return None
    if all("inputSchema" in member for member in objects):
        return "Tools by name", 'write them as a list: {"tools": [{"name": …, "inputSchema": …}]}'
    if all(_is_schema(member) for member in objects):
        return (
            'the "properties" of a schema, without the schema around them',
            'put them into one: {"type": "object", "properties": {…}}',
        )
    return None


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict) and bool(_SCHEMA_MARKS & value.keys())


def find_instructions(document: SourceDocument) -> list[str]:
    """Return the `instructions` of a document with lists of definitions, none if it has none."""
    value = as_object(document.value)
    has_lists = any(isinstance(value.get(member), list) for member in DEFINITION_LISTS)
    instructions = value.get("instructions") if has_lists else None
    return [instructions] if isinstance(instructions, str) and instructions.strip() else []

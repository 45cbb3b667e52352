"""Definitions that somebody else wrote: what is wrong in them is left out, and the rest is used.

The user cannot correct what a server says, so one mistake must not make everything else on that server unusable. A
schema is only ever widened: what it no longer says is left to the server, and no valid value is refused.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterable

from mcpgen.schema.keywords import (
    DEFINITION_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORD_TABLE,
    REFERENCE_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    SINGLE_SCHEMA_KEYWORDS,
    Role,
    detect_dialect,
    map_subschemas,
    walk_subschemas,
)
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, parse_pointer

SCHEMA_MEMBERS = ("inputSchema", "outputSchema")
UNTYPED_INPUT: dict[str, Json] = {"type": "object"}
"""The inputSchema in place of one that cannot be used, and of a tool that is defined by its outputSchema only."""
_ESSENTIAL_MEMBERS = frozenset(("name", "uri", "uriTemplate", "arguments"))
"""Members of a definition without which nobody can use it."""
_INNER_OBJECTS = frozenset(("annotations", "icons", "arguments", "execution"))
"""Members that hold objects of MCP, whose optional members may be null as well."""
_NULLABLE_KEYWORDS = frozenset(("const", "default", "example"))
_DROPPABLE_ROLES = frozenset((Role.ASSERTION, Role.ANNOTATION, Role.CONTENT, Role.IDENTIFIER, Role.REFERENCE))
_HARMLESS_ROLES = frozenset((Role.ANNOTATION, Role.CONTENT))
"""Roles of keywords that refuse no value, so that they can be left out everywhere."""
_UNEVALUATED = frozenset(("unevaluatedItems", "unevaluatedProperties"))
_REVERSING_KEYWORDS = _UNEVALUATED | {"not", "if", "oneOf", "contains"}
"""Keywords that can refuse a value because a subschema accepts more."""


def find_server_name(definition: dict[str, Json]) -> str:
    """Return what identifies a definition on its server: its URI, URI template or name; empty if there is none."""
    names = (definition.get(member) for member in ("uri", "uriTemplate", "name"))
    return next((name for name in names if isinstance(name, str)), "")


# --- what is meant ---------------------------------------------------------------------------------------------------
def normalize_definition(definition: dict[str, Json]) -> dict[str, Json]:
    """Return a definition as its server means it: members that are null are absent, and arguments are an object."""
    kept: dict[str, Json] = {}
    for key, value in definition.items():
        if value is None:
            continue
        if key in _INNER_OBJECTS:
            value = _drop_nulls_inside(value)
        elif key in SCHEMA_MEMBERS:
            value = _drop_null_keywords(value, detect_dialect(value) or DRAFT_2020_12)
        if key == "inputSchema" and isinstance(value, dict) and "type" not in value:
            value = {**value, **UNTYPED_INPUT}
        kept[key] = value
    return kept


def _drop_nulls_inside(value: Json) -> Json:
    if isinstance(value, list):
        return [_drop_nulls_inside(element) for element in value]
    return {key: member for key, member in value.items() if member is not None} if isinstance(value, dict) else value


def _drop_null_keywords(schema: Json, dialect: str) -> Json:
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: value
        for key, value in schema.items()
        if value is not None or key in _NULLABLE_KEYWORDS or key not in KEYWORD_TABLE
    }
    return map_subschemas(kept, dialect, lambda _, inner: _drop_null_keywords(inner, dialect))


# --- mistakes --------------------------------------------------------------------------------------------------------
def leave_out_mistakes(definition: dict[str, Json], pointers: Iterable[str]) -> dict[str, Json] | None:
    """Return a definition without what is wrong at some JSON pointers; None if nobody can use the rest."""
    kept, wrong = dict(definition), dict[str, list[str]]()
    is_tool = "uri" not in kept and "uriTemplate" not in kept
    for pointer in pointers:
        tokens = parse_pointer(pointer)
        if tokens and tokens[0] in SCHEMA_MEMBERS:
            wrong.setdefault(tokens[0], []).append(format_pointer(*tokens[1:]))
        elif tokens and tokens[0] not in _ESSENTIAL_MEMBERS:
            kept.pop(tokens[0], None)
        elif not tokens and is_tool and "inputSchema" not in kept and isinstance(kept.get("name"), str):
            wrong["inputSchema"] = [""]
        else:
            return None
    for member, places in wrong.items():
        schema = _widen_schema(kept.get(member), places)
        if member == "inputSchema":
            kept[member] = {**schema, **UNTYPED_INPUT} if isinstance(schema, dict) else UNTYPED_INPUT
        elif schema is None:
            kept.pop(member, None)
        else:
            kept[member] = schema
    return kept


def untype_tool(definition: dict[str, Json]) -> dict[str, Json]:
    """Return a Tool without a schema of its own."""
    return {**{key: value for key, value in definition.items() if key != "outputSchema"}, "inputSchema": UNTYPED_INPUT}


def _widen_schema(schema: Json, pointers: Iterable[str]) -> Json:
    if not isinstance(schema, dict):
        return None
    dialect = detect_dialect(schema)
    if dialect is None:  # what the nearest dialect does not know is found when the schema is read again
        is_old = "/draft-0" in str(schema["$schema"])
        kept = {key: value for key, value in schema.items() if key != "$schema"}
        return {"$schema": DRAFT_07, **kept} if is_old else kept
    subschemas = dict(walk_subschemas(schema, dialect))
    keywords = {key for subschema in subschemas.values() for key in as_object(subschema)}
    widened = copy.deepcopy(schema)
    for pointer in sorted(pointers):
        at, keyword = _find_part(pointer, subschemas, dialect)
        is_harmless = keyword in KEYWORD_TABLE and KEYWORD_TABLE[keyword].role in _HARMLESS_ROLES
        is_possible = bool(at or keyword) and (is_harmless or _is_widening_safe(at, subschemas, keywords, dialect))
        if not is_possible:
            return None
        with contextlib.suppress(KeyError):  # what is around it was replaced before
            _change_part(widened, parse_pointer(at), keyword)
    return widened


def _find_part(pointer: str, subschemas: dict[str, Json], dialect: str) -> tuple[str, str]:
    """Return the pointer of the schema that must say less, and its keyword to leave out; "": the whole schema goes."""
    at = pointer
    while at not in subschemas:
        at = at.rpartition("/")[0]
    schema, tokens = as_object(subschemas[at]), parse_pointer(pointer.removeprefix(at))
    if not tokens:
        outer = parse_pointer(at)[:-2]
        is_pattern = parse_pointer(at)[-2:-1] == ["patternProperties"]  # the name may be what is wrong
        return (format_pointer(*outer), "") if is_pattern else (at, "")
    keyword = tokens[0]
    role = KEYWORD_TABLE[keyword].role if keyword in KEYWORD_TABLE else None
    if role in _DROPPABLE_ROLES and not (dialect == DRAFT_07 and role is Role.REFERENCE):
        return at, keyword
    if keyword in SCHEMA_MAP_KEYWORDS and isinstance(schema.get(keyword), dict) and len(tokens) > 1:
        return at + format_pointer(*tokens[:2]), ""
    if keyword in SINGLE_SCHEMA_KEYWORDS - _REVERSING_KEYWORDS:
        return at + format_pointer(keyword), ""
    return at, ""


def _change_part(schema: Json, path: list[str], keyword: str) -> None:
    if keyword:
        as_object(follow_pointer(schema, path)).pop(keyword, None)
        return
    holder, last = follow_pointer(schema, path[:-1]), path[-1]
    description = as_object(follow_pointer(schema, path)).get("description")
    untyped: Json = {"description": description} if isinstance(description, str) else {}
    if isinstance(holder, list):
        holder[int(last)] = untyped
    elif isinstance(holder, dict):
        holder[last] = untyped


def _is_widening_safe(at: str, subschemas: dict[str, Json], keywords: set[str], dialect: str) -> bool:
    if not keywords & _REVERSING_KEYWORDS:
        return True
    path = set(parse_pointer(at))
    if keywords & _UNEVALUATED or path & (_REVERSING_KEYWORDS | DEFINITION_KEYWORDS):
        return False
    references = [
        reference
        for subschema in subschemas.values()
        for keyword in REFERENCE_KEYWORDS[dialect]
        if (reference := as_object(subschema).get(keyword)) is not None
    ]
    return all(str(reference).startswith(("#/$defs/", "#/definitions/")) for reference in references)


def describe_loss(before: dict[str, Json], after: dict[str, Json] | None, pointer: str) -> str:
    """Return what becomes of the part at a pointer of a definition, for a message."""
    if after is None:
        return "it is left out"
    member = next(iter(parse_pointer(pointer)), "inputSchema")
    if member not in SCHEMA_MEMBERS:
        return f'its "{member}" is left out'
    if after.get(member) in (None, UNTYPED_INPUT) and before.get(member) != UNTYPED_INPUT:
        return f"its {'results' if member == 'outputSchema' else 'arguments'} are not typed"
    return "this part of its schema is ignored"

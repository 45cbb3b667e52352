"""Warn about schemas that are valid but surely not what was meant."""

from __future__ import annotations

import json
from collections.abc import Callable

from mcpgen.diagnostics import Findings
from mcpgen.read.combined_schemas import find_combined_places
from mcpgen.read.document import SourceDocument
from mcpgen.read.idle_keywords import warn_about_idle_keywords
from mcpgen.read.misspelt_names import warn_about_format
from mcpgen.read.old_dialects import report_dialect, resolve_dialect
from mcpgen.read.recognition import match_misspelt
from mcpgen.read.required_names import warn_about_required_names
from mcpgen.schema.keywords import KEYWORD_TABLE, KEYWORDS, list_types, walk_subschemas
from mcpgen.schema.values import Json, format_pointer, get_json_type

MAX_NAMED_VALUES = 5
"""Values of one enum that a message names."""
_SORTED_KEYWORDS = tuple(sorted(KEYWORDS))
_CORE_KEYWORDS = tuple(keyword for keyword in _SORTED_KEYWORDS if keyword[0] == "$")
_OTHER_KEYWORDS = frozenset({"example", "$recursiveRef", "$recursiveAnchor"})
"""Keywords of OpenAPI and of other dialects that are like one of JSON Schema's."""
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_BOUND_PAIRS = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)


def warn_about_schema(
    schema: Json, document: SourceDocument, pointer: str, dialect: str, findings: Findings, *, is_part: bool = False
) -> None:
    """Warn about the mistakes in a valid schema, and report schemas inside it whose dialect is not supported.

    Args:
        schema: The schema.
        document: The document that contains it.
        pointer: Its JSON pointer there.
        dialect: Its dialect.
        findings: Receives the warnings.
        is_part: Whether schemas of another file refer to it.
    """
    combined = find_combined_places(schema, dialect, is_part=is_part)
    places = [(place, inner) for place, inner in walk_subschemas(schema, dialect) if isinstance(inner, dict)]
    has_unevaluated = is_part or any(not _UNEVALUATED.isdisjoint(inner) for _, inner in places)
    for place, inner in places:
        at = pointer + place
        if place and "$schema" in inner and resolve_dialect(inner, dialect, is_part=True) is None:
            report_dialect(inner, document, at, findings)
        _warn_about_keywords(inner, document, at, findings)
        warn_about_required_names(inner, document, at, place not in combined, findings)
        _warn_about_values(inner, document, at, findings)
        _warn_about_bounds(inner, document, at, findings)
        warn_about_format(inner, document, at, findings)
        warn_about_idle_keywords(inner, dialect, document, at, findings, has_unevaluated=has_unevaluated)
        _warn_about_foreign_keywords(inner, document, at, findings)


def _warn_about_keywords(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about each unknown keyword whose name is like that of a known one."""
    for key in schema:
        if key in KEYWORDS or key in _OTHER_KEYWORDS:
            continue
        candidates = ("x-mcpgen",) if key.startswith("x-") else _CORE_KEYWORDS if key[:1] == "$" else _SORTED_KEYWORDS
        meant = match_misspelt(key, candidates)
        if meant is None or (meant in schema and meant[0] == "$"):
            continue
        message, help = f'"{key}" is not a JSON Schema keyword', f'did you mean "{meant}"?'
        if meant in schema:
            message += f', and "{meant}" is next to it'
            help += f' Then move what it says into "{meant}"'
        findings.warn("MG105", message, document.make_span(pointer, key), help)


def _warn_about_values(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about the values of an `enum` or `const` that the `type` beside it excludes."""
    types = list_types(schema)
    if not types:
        return
    written = " or ".join(f'"{name}"' for name in types)
    values = schema.get("enum")
    if isinstance(values, list):
        wrong = [index for index, value in enumerate(values) if not _is_of_type(value, types)]
        if wrong:
            named = ", ".join(_format_value(values[index]) for index in wrong[:MAX_NAMED_VALUES])
            named += f" and {len(wrong) - MAX_NAMED_VALUES} more" * (len(wrong) > MAX_NAMED_VALUES)
            message = f'"enum" lists {named}, but "type" allows {written} only'
            message += ": no value is valid" * (len(wrong) == len(values))
            span = document.make_span(pointer + format_pointer("enum", wrong[0]))
            findings.warn("MG114", message, span, _suggest_values([values[index] for index in wrong], types))
    if "const" in schema and not _is_of_type(schema["const"], types):
        message = f'"const" is {_format_value(schema["const"])}, but "type" allows {written} only: no value is valid'
        span = document.make_span(pointer + format_pointer("const"))
        findings.warn("MG114", message, span, _suggest_values([schema["const"]], types))


def _warn_about_bounds(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about each pair of bounds between which there is nothing."""
    for lower, upper in _BOUND_PAIRS:
        least, most = schema.get(lower), schema.get(upper)
        if not isinstance(least, int | float) or not isinstance(most, int | float):
            continue
        excludes_bound = "exclusive" in lower or "exclusive" in upper
        if least > most or (least == most and excludes_bound):
            kind = KEYWORD_TABLE[lower].type
            message = f'"{lower}" is {_format_value(least)} and "{upper}" is {_format_value(most)}: no {kind} is valid'
            findings.warn("MG119", message, document.make_span(pointer, lower), "exchange or correct the two bounds")


def _is_of_type(value: Json, types: list[str]) -> bool:
    kind = get_json_type(value)
    if kind == "number" and isinstance(value, float) and value.is_integer():
        kind = "integer"
    return kind in types or (kind == "integer" and "number" in types)


def _suggest_values(values: list[Json], types: list[str]) -> str:
    """Return what to write in place of values that a type excludes."""
    kinds = sorted({get_json_type(value) for value in values})
    if "string" in types and kinds in (["integer"], ["boolean"], ["number"]):
        return f'write it in quotes: "{json.dumps(values[0])}"; or let "type" allow {kinds[0]} values'
    if kinds == ["string"] and all(_is_of_type(_read_literal(str(value)), types) for value in values):
        return f"write it without quotes: {values[0]}"
    added = ", ".join(f'"{name}"' for name in [*types, *(kind for kind in kinds if kind not in types)])
    return f'let "type" allow it: "type": [{added}]; or remove the value'


def _read_literal(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


def _format_value(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def _warn_about_foreign_keywords(
    schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings
) -> None:
    """Report keywords of OpenAPI and of other languages, which JSON Schema ignores."""
    for keyword, explain in _FOREIGN_KEYWORDS.items():
        if keyword in schema and (explained := explain(schema)) is not None:
            message, help = explained
            report = findings.note if keyword in _FOREIGN_ANNOTATIONS else findings.warn
            report("MG115", message, document.make_span(pointer, keyword), help)


def _explain_nullable(schema: dict[str, Json]) -> tuple[str, str] | None:
    if schema["nullable"] is not True or "null" in list_types(schema):
        return None
    message = '"nullable" is a keyword of OpenAPI 3.0, which JSON Schema ignores: null is not allowed here'
    if "$ref" in schema:
        return message, 'write "anyOf": [{"$ref": …}, {"type": "null"}]'
    types = list_types(schema)
    if not types:
        return message, 'write "anyOf": [{…}, {"type": "null"}]'
    written = ", ".join(f'"{name}"' for name in [*types, "null"])
    help = f'write "type": [{written}]'
    return message, help + ', and add null to "enum"' * isinstance(schema.get("enum"), list)


def _explain_example(schema: dict[str, Json]) -> tuple[str, str] | None:
    example, examples = schema["example"], schema.get("examples")
    if isinstance(examples, list) and example in examples:
        return None
    message = '"example" is a keyword of OpenAPI, which JSON Schema ignores: tools find no example here'
    value = _format_value(example)
    return message, f'add {value} to "examples"' if "examples" in schema else f'write "examples": [{value}]'


def _explain_optional(schema: dict[str, Json]) -> tuple[str, str] | None:
    if not isinstance(schema["optional"], bool):
        return None
    message = '"optional" is not a keyword of JSON Schema, which ignores it'
    return message, 'a property is optional unless its object\'s "required" lists it: remove "optional"'


def _explain_old(keyword: str, help: str) -> Callable[[dict[str, Json]], tuple[str, str] | None]:
    def explain(schema: dict[str, Json]) -> tuple[str, str] | None:
        return f'"{keyword}" is a keyword of draft-03, which newer JSON Schema ignores', help

    return explain


_FOREIGN_KEYWORDS: dict[str, Callable[[dict[str, Json]], tuple[str, str] | None]] = {
    "nullable": _explain_nullable,
    "optional": _explain_optional,
    "example": _explain_example,
    "divisibleBy": _explain_old("divisibleBy", 'write "multipleOf"'),
    "disallow": _explain_old("disallow", 'write "not": {"type": …}'),
    "extends": _explain_old("extends", 'write "allOf": [{"$ref": …}, …]'),
}
"""Keyword → function that explains it in a schema, or returns None where it changes nothing.

Other keywords of OpenAPI lose nothing: `discriminator`, which pydantic writes, `xml` and `externalDocs`.
"""
_FOREIGN_ANNOTATIONS = frozenset({"example"})
"""Those that say nothing about which values are valid: reported as notes."""

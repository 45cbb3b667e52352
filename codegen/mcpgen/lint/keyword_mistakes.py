"""Rules for keywords of valid schemas that surely do not say what was meant, which are asked when schemas are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from mcpgen.lint.misspelt_names import MAX_COMPARED_LENGTH, find_meant, match_misspelt
from mcpgen.lint.rule import LintedSchema, Problem
from mcpgen.schema.formats import STANDARD_FORMATS
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, DRAFT_07, KEYWORD_TABLE, KEYWORDS, expand_types, list_types
from mcpgen.schema.values import Json, format_pointer, get_json_type

# --- misspelt names --------------------------------------------------------------------------------------------------
_SORTED_KEYWORDS = tuple(sorted(KEYWORDS))
_CORE_KEYWORDS = tuple(keyword for keyword in _SORTED_KEYWORDS if keyword[0] == "$")
_OTHER_KEYWORDS = frozenset({"example", "$recursiveRef", "$recursiveAnchor"})
"""Keywords of OpenAPI and of other dialects that are like one of JSON Schema's."""
_FORMATS_ELSEWHERE = frozenset({"timestamp"})
"""Formats in use elsewhere that are like one of JSON Schema's, and mean something else."""
_FORMAT_ALIASES = {"url": "uri", "guid": "uuid", "mail": "email", "ip": "ipv4", "ip-address": "ipv4", "regexp": "regex"}
"""Format → what JSON Schema calls it."""


def check_keywords(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find unknown keywords whose names are like those of known ones."""
    for place in schema.objects:
        for key in place.schema:
            if key in KEYWORDS or key in _OTHER_KEYWORDS:
                continue
            candidates = _CORE_KEYWORDS if key[:1] == "$" else _SORTED_KEYWORDS
            meant = match_misspelt(key, ("x-mcpgen",) if key.startswith("x-") else candidates)
            if meant is None or (meant in place.schema and meant[0] == "$"):
                continue
            message, help = f'"{key}" is not a JSON Schema keyword', f'did you mean "{meant}"?'
            if meant in place.schema:
                message += f', and "{meant}" is next to it'
                help += f' Then move what it says into "{meant}"'
            yield Problem(place.pointer, message, help, key=key)


def check_format_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find formats whose names are like those of JSON Schema's."""
    for place in schema.objects:
        name = place.schema.get("format")
        if isinstance(name, str) and name not in STANDARD_FORMATS and name not in _FORMATS_ELSEWHERE:
            lowered = name[:MAX_COMPARED_LENGTH].lower()
            reordered = (standard for standard in STANDARD_FORMATS if sorted(standard) == sorted(lowered))
            meant = _FORMAT_ALIASES.get(lowered) or next(reordered, None) or find_meant(lowered, STANDARD_FORMATS)
            if meant is not None:
                message = f'"{name}" is not a format of JSON Schema, and means nothing to most readers'
                yield Problem(place.pointer, message, f'did you mean "{meant}"?', key="format")


# --- values and bounds -----------------------------------------------------------------------------------------------
MAX_NAMED_VALUES = 5
"""Values of one enum that a message names."""
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


def check_values(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find values of an `enum` or `const` that the `type` beside it excludes."""
    for place in schema.objects:
        types, values = list_types(place.schema), place.schema.get("enum")
        written = " or ".join(f'"{name}"' for name in types)
        if types and isinstance(values, list):
            wrong = [index for index, value in enumerate(values) if not _is_of_type(value, types)]
            if wrong:
                named = ", ".join(_format_value(values[index]) for index in wrong[:MAX_NAMED_VALUES])
                named += f" and {len(wrong) - MAX_NAMED_VALUES} more" * (len(wrong) > MAX_NAMED_VALUES)
                message = f'"enum" lists {named}, but "type" allows {written} only'
                message += ": no value is valid" * (len(wrong) == len(values))
                help = _suggest_values([values[index] for index in wrong], types)
                yield Problem(place.pointer + format_pointer("enum", wrong[0]), message, help)
        if types and "const" in place.schema and not _is_of_type(value := place.schema["const"], types):
            message = f'"const" is {_format_value(value)}, but "type" allows {written} only: no value is valid'
            yield Problem(f"{place.pointer}/const", message, _suggest_values([value], types))


def check_bounds(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find pairs of bounds between which there is nothing."""
    for place in schema.objects:
        for lower, upper in _BOUND_PAIRS:
            least, most = place.schema.get(lower), place.schema.get(upper)
            if not isinstance(least, int | float) or not isinstance(most, int | float):
                continue
            excludes_bound = "exclusive" in lower or "exclusive" in upper
            if least > most or (least == most and excludes_bound):
                bounds = f'"{lower}" is {_format_value(least)} and "{upper}" is {_format_value(most)}'
                message = f"{bounds}: no {KEYWORD_TABLE[lower].type} is valid"
                yield Problem(place.pointer, message, "exchange or correct the two bounds", key=lower)


def _is_of_type(value: Json, types: list[str]) -> bool:
    return get_json_type(value) in expand_types(types)


def _suggest_values(values: list[Json], types: list[str]) -> str:
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


# --- keywords without effect -----------------------------------------------------------------------------------------
_PARTNERS = {
    "then": ("if",),
    "else": ("if",),
    "if": ("then", "else"),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "additionalItems": ("items",),
}
"""Keyword → those of which it needs one beside it."""
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_KINDS = {"object": "objects", "array": "arrays", "string": "strings", "number": "numbers"}
_SIZES = {
    "string": ("Length", ("imum", "Items")),
    "number": ("imum", ("Length",)),
    "array": ("Items", ("Length", "imum", "Properties")),
    "object": ("Properties", ("Items", "Length")),
}
"""Type → how its keywords for the least and the greatest size end, and those of others that people take for them."""
_SIMILAR = {("array", "properties"): "items", ("object", "items"): "properties"} | {
    (kind, bound + other): bound + end
    for kind, (end, others) in _SIZES.items()
    for other in others
    for bound in ("min", "max")
}
"""Declared type and a keyword of another type → the keyword of the declared type that is like it."""
_DRAFTS = ("draft-07", "2020-12")
_REF_HELP = 'write "allOf": [{"$ref": …}, {…}], with the other keywords in the second schema'
_DIALECT_HELP = {"additionalItems": 'rename "items" to "prefixItems", and "additionalItems" to "items"'}


def check_idle_keywords(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find keywords that have no effect because of the type, the dialect or the other keywords.

    An `if` alone may say what has been evaluated.
    """
    has_unevaluated = schema.is_part or any(not _UNEVALUATED.isdisjoint(place.schema) for place in schema.objects)
    for place in schema.objects:
        for keyword, reason, help in _find_idle(place.schema, schema.dialect):
            if keyword != "if" or not has_unevaluated or schema.dialect == DRAFT_07:
                yield Problem(place.pointer, f'"{keyword}" has no effect: {reason}', help, key=keyword)


def _find_idle(schema: dict[str, Json], dialect: str) -> Iterator[tuple[str, str, str]]:
    types = [*dict.fromkeys("number" if name == "integer" else name for name in list_types(schema))]  # as in the table
    has_only_ref = dialect == DRAFT_07 and "$ref" in schema
    for keyword in schema:
        entry = KEYWORD_TABLE.get(keyword)
        if entry is None:
            continue
        partners = _PARTNERS.get(keyword, ())
        if has_only_ref:
            if keyword in CONSTRAINING_KEYWORDS and keyword not in ("$ref", "type"):  # the type is often said twice
                yield keyword, "draft-07 ignores what is next to $ref", _REF_HELP
        elif entry.only_in not in ("", dialect):
            if keyword in CONSTRAINING_KEYWORDS:
                yield keyword, f"only {_DRAFTS[dialect == DRAFT_07]} has it", _DIALECT_HELP.get(keyword, "remove it")
        elif types and entry.type and entry.type not in types and _is_about_type(keyword, schema[keyword]):
            written = " or ".join(f'"{name}"' for name in types)
            reason = f'it is about {_KINDS[entry.type]}, but "type" allows {written} only'
            yield keyword, reason, _suggest_keyword(keyword, entry.type, types)
        elif partners and not any(partner in schema for partner in partners):
            needed = " or ".join(f'"{partner}"' for partner in partners)
            yield keyword, f"it needs {needed} next to it", f"add {needed}, or remove it"


def _is_about_type(keyword: str, value: Json) -> bool:
    """Return whether a keyword can only be meant for values of its type: numbers have formats of other standards."""
    return keyword != "format" or value in STANDARD_FORMATS


def _suggest_keyword(keyword: str, kind: str, types: list[str]) -> str:
    similar = next((_SIMILAR[name, keyword] for name in types if (name, keyword) in _SIMILAR), None)
    added = ", ".join(f'"{name}"' for name in [*types, kind])
    question = "" if similar is None else f'did you mean "{similar}"? If not, '
    return f'{question}remove it, or let "type" allow {_KINDS[kind]}: "type": [{added}]'


# --- keywords of others ----------------------------------------------------------------------------------------------
def check_foreign_keywords(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find keywords of OpenAPI and of other languages, which JSON Schema ignores."""
    return _find_foreign(schema, _FOREIGN_KEYWORDS)


def check_foreign_annotations(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find those that say nothing about which values are valid."""
    return _find_foreign(schema, {"example": _explain_example})


_Explain = Callable[[dict[str, Json]], tuple[str, str] | None]


def _find_foreign(schema: LintedSchema, keywords: dict[str, _Explain]) -> Iterator[Problem]:
    for place in schema.objects:
        for keyword, explain in keywords.items():
            if keyword in place.schema and (explained := explain(place.schema)) is not None:
                yield Problem(place.pointer, *explained, key=keyword)


def _explain_nullable(schema: dict[str, Json]) -> tuple[str, str] | None:
    types = list_types(schema)
    if schema["nullable"] is not True or "null" in types:
        return None
    message = '"nullable" is a keyword of OpenAPI 3.0, which JSON Schema ignores: null is not allowed here'
    if "$ref" in schema or not types:
        alternative = '{"$ref": …}' if "$ref" in schema else "{…}"
        return message, f'write "anyOf": [{alternative}, {{"type": "null"}}]'
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


def _explain_old(keyword: str, help: str) -> _Explain:
    return lambda _: (f'"{keyword}" is a keyword of draft-03, which newer JSON Schema ignores', help)


_FOREIGN_KEYWORDS: dict[str, _Explain] = {
    "nullable": _explain_nullable,
    "optional": _explain_optional,
    "divisibleBy": _explain_old("divisibleBy", 'write "multipleOf"'),
    "disallow": _explain_old("disallow", 'write "not": {"type": …}'),
    "extends": _explain_old("extends", 'write "allOf": [{"$ref": …}, …]'),
}
"""Keyword → function that explains it in a schema, or returns None where it changes nothing.

Other keywords of OpenAPI lose nothing: `discriminator`, which pydantic writes, `xml` and `externalDocs`.
"""

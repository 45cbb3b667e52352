"""Warn about keywords of JSON Schema that have no effect where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.diagnostics import Findings
from mcpgen.read.document import SourceDocument
from mcpgen.schema.formats import STANDARD_FORMATS
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, DRAFT_07, KEYWORD_TABLE, list_types
from mcpgen.schema.values import Json

_PARTNERS = {
    "then": ("if",),
    "else": ("if",),
    "if": ("then", "else"),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "additionalItems": ("items",),
}
"""Keyword → those of which it needs one beside it."""
_KINDS = {"object": "objects", "array": "arrays", "string": "strings", "number": "numbers"}
_SIMILAR = {
    ("string", "minimum"): "minLength",
    ("string", "maximum"): "maxLength",
    ("string", "minItems"): "minLength",
    ("string", "maxItems"): "maxLength",
    ("number", "minLength"): "minimum",
    ("number", "maxLength"): "maximum",
    ("array", "minLength"): "minItems",
    ("array", "maxLength"): "maxItems",
    ("array", "minimum"): "minItems",
    ("array", "maximum"): "maxItems",
    ("array", "minProperties"): "minItems",
    ("array", "maxProperties"): "maxItems",
    ("array", "properties"): "items",
    ("object", "minItems"): "minProperties",
    ("object", "maxItems"): "maxProperties",
    ("object", "minLength"): "minProperties",
    ("object", "maxLength"): "maxProperties",
    ("object", "items"): "properties",
}
"""Declared type and a keyword of another type → the keyword of the declared type that is like it."""


def warn_about_idle_keywords(
    schema: dict[str, Json],
    dialect: str,
    document: SourceDocument,
    pointer: str,
    findings: Findings,
    *,
    has_unevaluated: bool = False,
) -> None:
    """Warn about each keyword that has no effect because of the type, the dialect or the other keywords.

    Args:
        schema: A schema object.
        dialect: Its dialect.
        document: The document that contains it.
        pointer: Its JSON pointer there.
        findings: Receives the warnings.
        has_unevaluated: Whether `unevaluatedProperties` or the like may ask what an `if` describes.
    """
    for keyword, reason, help in _find_idle(schema, dialect):
        if keyword == "if" and has_unevaluated and dialect != DRAFT_07:
            continue
        message = f'"{keyword}" has no effect: {reason}'
        findings.warn("MG118", message, document.make_span(pointer, keyword), help)


def _find_idle(schema: dict[str, Json], dialect: str) -> Iterator[tuple[str, str, str]]:
    """Yield each keyword without effect, why it has none, and what to do about it."""
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


_DRAFTS = ("draft-07", "2020-12")
_REF_HELP = 'write "allOf": [{"$ref": …}, {…}], with the other keywords in the second schema'
_DIALECT_HELP = {"additionalItems": 'rename "items" to "prefixItems", and "additionalItems" to "items"'}


def _is_about_type(keyword: str, value: Json) -> bool:
    """Return whether a keyword can only be meant for values of its type: numbers have formats of other standards."""
    return keyword != "format" or value in STANDARD_FORMATS


def _suggest_keyword(keyword: str, kind: str, types: list[str]) -> str:
    similar = next((_SIMILAR[name, keyword] for name in types if (name, keyword) in _SIMILAR), None)
    added = ", ".join(f'"{name}"' for name in [*types, kind])
    if similar is not None:
        return f'did you mean "{similar}"? If not, remove it, or let "type" allow {_KINDS[kind]}: "type": [{added}]'
    return f'remove it, or let "type" allow {_KINDS[kind]}: "type": [{added}]'

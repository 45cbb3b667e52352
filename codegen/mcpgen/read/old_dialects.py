"""Say what to change in a schema of draft-04, draft-06 or 2019-09 so that it means the same in a dialect of today."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcpgen.diagnostics import Findings
from mcpgen.read.document import SourceDocument
from mcpgen.schema.keywords import (
    CONSTRAINING_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORDS_OF,
    detect_dialect,
    map_subschemas,
    walk_subschemas,
)
from mcpgen.schema.values import Json

DRAFT_04 = "http://json-schema.org/draft-04/schema"
DRAFT_06 = "http://json-schema.org/draft-06/schema"
DRAFT_2019_09 = "https://json-schema.org/draft/2019-09/schema"
SUCCESSORS = {DRAFT_04: DRAFT_07, DRAFT_06: DRAFT_07, DRAFT_2019_09: DRAFT_2020_12, DRAFT_07: DRAFT_2020_12}
"""Dialect → the newer dialect that is nearest to it."""
NAMES = {DRAFT_04: "draft-04", DRAFT_06: "draft-06", DRAFT_2019_09: "2019-09"}
MAX_CHANGES = 50
"""Changes of one schema that are reported."""


@dataclass(frozen=True)
class DialectChange:
    """Change of one schema object."""

    pointer: str
    """JSON pointer of the schema object."""
    keyword: str
    message: str
    help: str
    removed: tuple[str, ...] = ()
    """Keywords that go. If none goes or comes, only the author can tell what to write."""
    added: dict[str, Json] = field(default_factory=dict[str, Json])
    """Keywords that come, or get another value."""


def report_dialect(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Report the `$schema` of a schema whose dialect is not supported, and what has to change besides it."""
    uri = schema.get("$schema")
    span = document.make_span(pointer + "/$schema")
    dialect = _find_old_dialect(schema)
    if dialect is None:
        written = uri if isinstance(uri, str) else json.dumps(uri)
        meant = _write_uri(DRAFT_07 if re.search(r"draft[-/]?0?7", written) else DRAFT_2020_12)
        help = f'write "{meant}", or leave "$schema" out, which means 2020-12'
        findings.error("MG102", f"the dialect {written[:200]} is not supported", span, help)
        return
    changes = list_dialect_changes(schema, dialect)
    successor = _write_uri(SUCCESSORS[dialect])
    help = f'write "{successor}" here'
    if not changes:
        help += "; nothing else has to change"
    else:
        help += ", and change what the errors below name" if len(changes) > 1 else ", and see the error below"
    message = f"{NAMES[dialect]} is not supported: mcpgen reads JSON Schema 2020-12 and draft-07"
    findings.error("MG102", message, span, help)
    for change in changes[:MAX_CHANGES]:
        span = document.make_span(pointer + change.pointer, change.keyword)
        findings.error("MG102", change.message, span, change.help)
    if len(changes) > MAX_CHANGES:
        message = f"{len(changes) - MAX_CHANGES} more places have to change"
        findings.error("MG102", message, document.make_span(pointer + changes[MAX_CHANGES].pointer))


def resolve_dialect(schema: Json, default: str, *, is_part: bool = False) -> str | None:
    """Return the dialect in which a schema is read: its own, or a newer one in which it means the same.

    That is None if its dialect is not supported, `default` if it has no `$schema`. With `is_part`, a schema of that
    dialect refers to it, or contains it.
    """
    dialect = detect_dialect(schema, default)
    if not isinstance(schema, dict):
        return dialect
    old = _find_old_dialect(schema) if dialect is None else None
    if old is not None and old != DRAFT_04 and not list_dialect_changes(schema, old):
        dialect = SUCCESSORS[old]
    is_older = is_part and dialect == DRAFT_07 and default == DRAFT_2020_12
    return default if is_older and not list_dialect_changes(schema, DRAFT_07) else dialect


def spell_dialect(schema: Json, dialect: str) -> Json:
    """Return a schema whose `$schema`, and those inside, name the dialect in which it is read."""
    if not isinstance(schema, dict) or not any(
        _is_misspelt(inner, dialect) for _, inner in walk_subschemas(schema, dialect)
    ):
        return schema
    spelled = map_subschemas(schema, dialect, lambda _, inner: spell_dialect(inner, dialect))
    return {**spelled, "$schema": _write_uri(dialect)} if _is_misspelt(schema, dialect) else spelled


def _is_misspelt(schema: Json, dialect: str) -> bool:
    if not isinstance(schema, dict) or str(schema.get("$schema", dialect)).rstrip("#") == dialect:
        return False
    return resolve_dialect(schema, dialect, is_part=True) == dialect


def _find_old_dialect(schema: dict[str, Json]) -> str | None:
    uri = str(schema.get("$schema")).rstrip("#").partition("://")[2]
    return next((dialect for dialect in NAMES if dialect.partition("://")[2] == uri), None)


def _write_uri(dialect: str) -> str:
    return f"{dialect}#" if dialect == DRAFT_07 else dialect


def list_dialect_changes(schema: dict[str, Json], dialect: str) -> list[DialectChange]:
    """Return the changes after which a schema of an old dialect means the same in its successor."""
    places = [*walk_subschemas(schema, SUCCESSORS[dialect])]
    is_single = not any(place and isinstance(inner, dict) and "$id" in inner for place, inner in places)
    changes: list[DialectChange] = []
    for pointer, inner in places:
        if isinstance(inner, dict):
            for rule in _RULES[dialect]:
                changes.extend(rule(pointer, inner, is_single))
    return sorted(changes, key=lambda change: change.pointer)


def _change_bounds(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag, bound = schema.get(exclusive), schema.get(inclusive)
        if not isinstance(flag, bool):
            continue
        message = f'"{exclusive}": {json.dumps(flag)} is a form of draft-04'
        if flag and isinstance(bound, int | float):
            written = f'"{exclusive}": {json.dumps(bound)}'
            help = f'write {written}, and remove "{inclusive}": {json.dumps(bound)}'
            yield DialectChange(pointer, exclusive, message, help, (inclusive,), {exclusive: bound})
        else:
            yield DialectChange(pointer, exclusive, message, f'remove "{exclusive}"', (exclusive,))


def _change_id(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    uri = schema.get("id")
    if isinstance(uri, str):
        message = '"id" is the name of draft-04 for "$id"'
        yield DialectChange(pointer, "id", message, 'rename it to "$id"', ("id",), {"$id": uri})


def _drop_newer(
    *keywords: str, dialect: str, newer: str
) -> Callable[[str, dict[str, Json], bool], Iterator[DialectChange]]:
    def change(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
        for keyword in keywords:
            if keyword in schema:
                message = f'"{keyword}" has no effect in {dialect}, and would have one in {newer}'
                help = "remove it to keep what the schema means, or keep it for its effect"
                yield DialectChange(pointer, keyword, message, help, (keyword,))

    return change


def _change_items(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    items, additional = schema.get("items"), schema.get("additionalItems")
    if isinstance(items, list):
        message = 'a list in "items" is a form of 2019-09'
        help = 'rename it to "prefixItems"' if items else "remove it"
        added: dict[str, Json] = {"prefixItems": items} if items else {}
        if "additionalItems" in schema:
            help += ', and "additionalItems" to "items"'
            added["items"] = additional
        yield DialectChange(pointer, "items", message, help, ("items", "additionalItems"), added)
    elif "additionalItems" in schema:
        message = '"additionalItems" has no effect without a list in "items"'
        yield DialectChange(pointer, "additionalItems", message, "remove it", ("additionalItems",))


def _change_siblings(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    if "$ref" in schema and not CONSTRAINING_KEYWORDS.isdisjoint(schema.keys() - {"$ref"}):
        message, help = 'draft-07 ignores what is next to "$ref"', "remove it"
        yield DialectChange(pointer, "$ref", message, help)
    if str(schema.get("$id")).startswith("#"):
        message, help = 'a fragment in "$id" is a form of draft-07', 'write "$anchor"'
        yield DialectChange(pointer, "$id", message, help)


def _change_recursion(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    if "$recursiveRef" in schema:
        message = '"$recursiveRef" is a keyword of 2019-09'
        if is_single and "$ref" not in schema:
            yield DialectChange(
                pointer, "$recursiveRef", message, 'write "$ref": "#"', ("$recursiveRef",), {"$ref": "#"}
            )
        else:
            help = 'write "$dynamicRef": "#node", and "$dynamicAnchor": "node" in each schema with "$recursiveAnchor"'
            yield DialectChange(pointer, "$recursiveRef", message, help)
    if "$recursiveAnchor" in schema:
        message = '"$recursiveAnchor" is a keyword of 2019-09'
        help = "remove it" if is_single else 'write "$dynamicAnchor": "node" for true, remove it for false'
        removed = ("$recursiveAnchor",) if is_single else ()
        yield DialectChange(pointer, "$recursiveAnchor", message, help, removed)


def _change_contains(pointer: str, schema: dict[str, Json], is_single: bool) -> Iterator[DialectChange]:
    if "unevaluatedItems" in schema:
        message = 'since 2020-12 "unevaluatedItems" leaves out what a "contains" next to it has matched'
        help = 'nothing has to change if there is no "contains"; otherwise check the new meaning'
        yield DialectChange(pointer, "unevaluatedItems", message, help)


_Rule = Callable[[str, dict[str, Json], bool], Iterator[DialectChange]]
_RULES: dict[str, tuple[_Rule, ...]] = {
    DRAFT_04: (
        _change_bounds,
        _change_id,
        _drop_newer("const", "contains", "propertyNames", "if", dialect="draft-04", newer="draft-07"),
    ),
    DRAFT_07: (
        _drop_newer(*sorted(KEYWORDS_OF[DRAFT_2020_12] - KEYWORDS_OF[DRAFT_07]), dialect="draft-07", newer="2020-12"),
        _change_items,
        _change_siblings,
    ),
    DRAFT_06: (_drop_newer("if", dialect="draft-06", newer="draft-07"),),
    DRAFT_2019_09: (
        _drop_newer("prefixItems", "$dynamicRef", "$dynamicAnchor", dialect="2019-09", newer="2020-12"),
        _change_items,
        _change_recursion,
        _change_contains,
    ),
}

"""Rules for schemas whose values the validators of clients refuse, which are asked by default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal

from mcpgen.diagnostics import join_words
from mcpgen.lint.patterns import PatternPart, Reader, find_unportable
from mcpgen.lint.rule import LintedDefinition, LintedSchema, Problem
from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    DRAFT_2020_12,
    expand_types,
    iterate_patterns,
    list_types,
    list_values,
)
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, get_json_type

MOST_NAMED_PARTS = 3
"""Parts of one pattern that a message names."""
MOST_MULTIPLES = 1_000
"""Multiples of a number that are tried."""
LARGEST_BOUND = 10**6
_READERS = {
    ("outputSchema", Reader.ECMA_262): "clients on the TypeScript SDK",
    ("outputSchema", Reader.PYTHON): "clients on the Python SDK",
    ("inputSchema", Reader.ECMA_262): "clients that check arguments as ECMA-262 says",
    ("inputSchema", Reader.PYTHON): "clients that check arguments with Python's re",
}


# --- patterns --------------------------------------------------------------------------------------------------------
def check_patterns(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find patterns that ECMA-262, with its flag u, and Python's re do not read alike."""
    for member, schema in definition.schemas.items():
        seen = set[str]()
        for place in schema.objects:
            for path, pattern in iterate_patterns(place.schema):
                parts = [] if pattern in seen else find_unportable(pattern)
                seen.add(pattern)
                if parts:
                    message = f"{definition.label}: {place.name} has a pattern, {_describe_parts(member, parts)}"
                    yield Problem(f"/{member}{place.pointer}{format_pointer(*path)}", message, _advise(parts))


def _describe_parts(member: str, parts: list[PatternPart]) -> str:
    named = join_words([f'"{part.text}"' for part in parts[:MOST_NAMED_PARTS]])
    more = len(parts) - MOST_NAMED_PARTS
    if more > 0:
        named += f" and {more} more"
    readers = [reader for reader in Reader if any(reader in part.refusing for part in parts)]
    titles = join_words([_READERS[member, reader] for reader in readers])
    verb = "read differently" if all(part.differs for part in parts) else "refuse"
    return f"of which {titles} {verb} {named}"


def _advise(parts: list[PatternPart]) -> str:
    if len(parts) == 1:
        return parts[0].help
    return "; ".join(f'for "{part.text}": {part.help}' for part in parts[:MOST_NAMED_PARTS])


# --- multiples -------------------------------------------------------------------------------------------------------
def check_multiples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find numbers of results whose multiples clients refuse, since they divide floats."""
    for place in schema.objects:
        step = place.schema.get("multipleOf")
        if isinstance(step, float) and place.schema.keys().isdisjoint(("enum", "const")):
            missed = _find_missed_multiple(place.schema, step)
            if missed is not None:
                message = f"{place.name} may be {missed}, a multiple of {step}, but clients on the official SDKs "
                help = "leave multipleOf out and say the step in the description, or send whole units, such as cents"
                yield Problem(f"{place.pointer}/multipleOf", f"{message}refuse it: they divide floats", help)


def _find_missed_multiple(schema: dict[str, Json], step: float) -> int | float | None:
    """Return a valid multiple whose quotient is no whole number if floats are divided, None if there is none."""
    exact = Decimal(repr(step))
    if exact <= 0 or (exact == exact.to_integral_value()):
        return None
    least, most = (_read_bound(schema.get(keyword)) for keyword in ("minimum", "maximum"))
    first = 1 if least is None or (least <= 0 and (most is None or most > 0)) else int(least / exact)
    is_whole = "integer" in list_types(schema) and "number" not in list_types(schema)
    for factor in itertools.islice(itertools.count(first), MOST_MULTIPLES):
        multiple = exact * factor
        if most is not None and multiple > most:
            break
        if is_whole and multiple != multiple.to_integral_value():
            continue
        value = int(multiple) if is_whole else float(multiple)
        if (value / step) % 1 != 0:
            return value
    return None


def _read_bound(bound: Json) -> Decimal | None:
    is_small = isinstance(bound, int | float) and not isinstance(bound, bool) and abs(bound) < LARGEST_BOUND
    return Decimal(repr(bound)) if is_small else None


# --- tuples ----------------------------------------------------------------------------------------------------------
def check_tuples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples of results with a rest, which validators of draft-07 take for the schema of every element."""
    for place in schema.objects if schema.dialect == DRAFT_2020_12 else ():
        rest, first = place.schema.get("items"), as_array(place.schema.get("prefixItems"))
        if isinstance(rest, dict) and not all(_accepts(rest, element) for element in first):
            message = f"{place.name} begins with a tuple, whose elements clients on the TypeScript SDK 1.x check by "
            message += "items: their validator does not know prefixItems"
            help = "write an object with a property for each, and one for the rest; or let items accept them all"
            yield Problem(f"{place.pointer}/items", message, help)


def _accepts(rest: dict[str, Json], element: Json) -> bool:
    if rest == element or element is False:
        return True
    if rest.keys() - ANNOTATION_KEYWORDS - {"type"}:
        return False
    allowed, schema = list_types(rest), as_object(element)
    types = [get_json_type(value) for value in list_values(schema)] or list_types(schema)
    return not allowed or (bool(types) and expand_types(allowed).issuperset(types))

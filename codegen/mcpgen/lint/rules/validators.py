"""Rules for schemas whose values the validators of clients refuse, which are asked by default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal

from mcpgen.diagnostics import join_words
from mcpgen.lint.patterns import PatternPart, Reader, find_unportable
from mcpgen.lint.rule import LintedDefinition, Problem
from mcpgen.lint.schema_walk import describe_place, get_types, walk_places
from mcpgen.schema.keywords import ANNOTATION_KEYWORDS, DRAFT_2020_12
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
    for member, schema in (("inputSchema", definition.input), ("outputSchema", definition.output)):
        seen = set[str]()
        for place in walk_places(schema) if schema is not None else ():
            for keyword, pattern in _list_patterns(as_object(place.schema)):
                parts = [] if pattern in seen else find_unportable(pattern)
                seen.add(pattern)
                if parts:
                    pointer = f"/{member}{place.pointer}"
                    message = f"{definition.label}: {describe_place(pointer)} has a pattern, "
                    message += _describe_parts(member, parts)
                    tokens = (keyword,) if keyword == "pattern" else (keyword, pattern)
                    yield Problem(pointer + format_pointer(*tokens), message, _advise(parts))


def _list_patterns(schema: dict[str, Json]) -> Iterator[tuple[str, str]]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield "pattern", pattern
    for name in as_object(schema.get("patternProperties")):
        yield "patternProperties", name


def _describe_parts(member: str, parts: list[PatternPart]) -> str:
    """Return which parts of a pattern which clients refuse, or read differently."""
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
def check_multiples(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find numbers of results whose multiples clients refuse, since they divide floats."""
    for place in walk_places(definition.output) if definition.output is not None else ():
        schema = as_object(place.schema)
        step = schema.get("multipleOf")
        if isinstance(step, float) and "enum" not in schema and "const" not in schema:
            missed = _find_missed_multiple(schema, step)
            if missed is not None:
                pointer = f"/outputSchema{place.pointer}"
                message = f"{definition.label}: {describe_place(pointer)} may be {missed}, a multiple of {step}, but "
                message += "clients on the official SDKs refuse it: they divide floats"
                help = "leave multipleOf out and say the step in the description, or send whole units, such as cents"
                yield Problem(f"{pointer}/multipleOf", message, help)


def _find_missed_multiple(schema: dict[str, Json], step: float) -> int | float | None:
    """Return a valid multiple whose quotient is no whole number if floats are divided, None if there is none."""
    exact = Decimal(repr(step))
    if exact <= 0 or (exact == exact.to_integral_value()):
        return None
    least, most = (_read_bound(schema.get(keyword)) for keyword in ("minimum", "maximum"))
    first = 1 if least is None or (least <= 0 and (most is None or most > 0)) else int(least / exact)
    is_whole = "integer" in get_types(schema) and "number" not in get_types(schema)
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
def check_tuples(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples of results with a rest, which validators of draft-07 take for the schema of every element."""
    if definition.output is None or definition.output.dialect != DRAFT_2020_12:
        return
    for place in walk_places(definition.output):
        schema = as_object(place.schema)
        rest, first = schema.get("items"), as_array(schema.get("prefixItems"))
        if isinstance(rest, dict) and not all(_accepts(rest, element) for element in first):
            pointer = f"/outputSchema{place.pointer}"
            message = f"{definition.label}: {describe_place(pointer)} begins with a tuple, whose elements clients on "
            message += "the TypeScript SDK 1.x check by items: their validator does not know prefixItems"
            help = "write an object with a property for each, and one for the rest; or let items accept them all"
            yield Problem(f"{pointer}/items", message, help)


def _accepts(rest: dict[str, Json], element: Json) -> bool:
    """Report whether it is plain that one schema accepts every value of another."""
    if rest == element or element is False:
        return True
    if rest.keys() - ANNOTATION_KEYWORDS - {"type"}:
        return False
    allowed, types = get_types(rest), _list_value_types(as_object(element))
    return not allowed or (bool(types) and all(_is_among(name, allowed) for name in types))


def _list_value_types(schema: dict[str, Json]) -> list[Json]:
    values = [schema["const"]] if "const" in schema else as_array(schema.get("enum"))
    return [get_json_type(value) for value in values] or get_types(schema)


def _is_among(name: Json, allowed: list[Json]) -> bool:
    return name in allowed or (name == "integer" and "number" in allowed)

"""One entry for each JSON Schema keyword of 2020-12 and draft-07, and walks over direct subschemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from enum import StrEnum

from mcpgen.schema.values import JSON_TYPES, Json, are_equal, as_array, as_object, format_pointer

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema"


class Role(StrEnum):
    """Kinds of keywords (2020-12 core, sections 7 to 10)."""

    ASSERTION = "assertion"
    IN_PLACE = "in-place applicator"
    """Applies its subschemas to the same value."""
    CHILD = "child applicator"
    """Applies its subschemas to items or properties of the value."""
    REFERENCE = "reference"
    IDENTIFIER = "identifier"
    DEFINITIONS = "definitions"
    ANNOTATION = "annotation"
    CONTENT = "content"
    """Describes what a string stands for. Like an annotation, it refuses no value."""


class Contents(StrEnum):
    """Kinds of contents of a keyword's value."""

    SCHEMA = "a schema"
    SCHEMA_LIST = "a list of schemas"
    SCHEMA_MAP = "schemas by name"
    VALUES = "JSON values"


class Lowering(StrEnum):
    """Ways in which lowering treats a keyword."""

    TYPE = "type"
    """Types can express it. Where they cannot express all of it, `lower.normalize` requires the exact check."""
    BOUND = "bound"
    """Types express it with the constraint `Keyword.bound`."""
    CHECK = "check"
    """No type expresses it: the exact check is needed, unless the value is one of `Keyword.vacuous`."""
    NOTHING = "nothing"
    """It refuses no value."""


@dataclass(frozen=True)
class Keyword:
    """Everything that the generator knows about one keyword, except the code of its lowering."""

    name: str
    role: Role
    lowering: Lowering = Lowering.NOTHING
    type: str = ""
    """The JSON type whose values it concerns (`number` includes integers); empty: values of all types."""
    holds: tuple[Contents, ...] = ()
    bound: str = ""
    """Name of the constraint, see `ir.types.Bound`."""
    vacuous: tuple[Json, ...] = ()
    """Values with which it accepts everything."""
    only_in: str = ""
    """The one dialect that has it; empty: both."""
    differs: bool = False
    """Whether both dialects have it with different meanings."""


_SCHEMA, _LIST, _MAP, _VALUES = (Contents.SCHEMA,), (Contents.SCHEMA_LIST,), (Contents.SCHEMA_MAP,), (Contents.VALUES,)
_TYPE, _BOUND, _CHECK = Lowering.TYPE, Lowering.BOUND, Lowering.CHECK
_ENTRIES = (
    # --- any value ----------------------------------------------------------------------------------------------
    Keyword("type", Role.ASSERTION, _TYPE),
    Keyword("enum", Role.ASSERTION, _TYPE, holds=_VALUES),
    Keyword("const", Role.ASSERTION, _TYPE, holds=_VALUES),
    Keyword("allOf", Role.IN_PLACE, _TYPE, holds=_LIST),
    Keyword("anyOf", Role.IN_PLACE, _TYPE, holds=_LIST),
    Keyword("oneOf", Role.IN_PLACE, _TYPE, holds=_LIST),
    Keyword("not", Role.IN_PLACE, _CHECK, holds=_SCHEMA, vacuous=(False,)),
    Keyword("if", Role.IN_PLACE, _CHECK, holds=_SCHEMA),
    Keyword("then", Role.IN_PLACE, _TYPE, holds=_SCHEMA),  # without `if` it has no effect, so `if` requires the check
    Keyword("else", Role.IN_PLACE, _TYPE, holds=_SCHEMA),
    Keyword("$ref", Role.REFERENCE, _TYPE, differs=True),
    Keyword("$dynamicRef", Role.REFERENCE, _CHECK, only_in=DRAFT_2020_12),
    # --- objects ------------------------------------------------------------------------------------------------
    Keyword("properties", Role.CHILD, _TYPE, "object", _MAP, vacuous=({},)),
    Keyword("required", Role.ASSERTION, _TYPE, "object", vacuous=([],)),
    Keyword("additionalProperties", Role.CHILD, _TYPE, "object", _SCHEMA, vacuous=(True, {})),
    Keyword("patternProperties", Role.CHILD, _TYPE, "object", _MAP, vacuous=({},)),
    Keyword("propertyNames", Role.CHILD, _CHECK, "object", _SCHEMA, vacuous=(True, {})),
    Keyword("minProperties", Role.ASSERTION, _CHECK, "object", vacuous=(0,)),
    Keyword("maxProperties", Role.ASSERTION, _CHECK, "object"),
    Keyword("dependencies", Role.IN_PLACE, _CHECK, "object", _MAP, vacuous=({},)),  # 2020-12 validators apply it
    Keyword("dependentRequired", Role.ASSERTION, _CHECK, "object", vacuous=({},), only_in=DRAFT_2020_12),
    Keyword("dependentSchemas", Role.IN_PLACE, _CHECK, "object", _MAP, vacuous=({},), only_in=DRAFT_2020_12),
    Keyword("unevaluatedProperties", Role.CHILD, _CHECK, "object", _SCHEMA, vacuous=(True, {}), only_in=DRAFT_2020_12),
    # --- arrays -------------------------------------------------------------------------------------------------
    Keyword("items", Role.CHILD, _TYPE, "array", _SCHEMA + _LIST, vacuous=(True, {}), differs=True),
    Keyword("prefixItems", Role.CHILD, _TYPE, "array", _LIST, only_in=DRAFT_2020_12),
    Keyword("additionalItems", Role.CHILD, _TYPE, "array", _SCHEMA, vacuous=(True, {}), only_in=DRAFT_07),
    Keyword("contains", Role.CHILD, _CHECK, "array", _SCHEMA, differs=True),
    Keyword("minContains", Role.ASSERTION, _CHECK, "array", only_in=DRAFT_2020_12),
    Keyword("maxContains", Role.ASSERTION, _CHECK, "array", only_in=DRAFT_2020_12),
    Keyword("minItems", Role.ASSERTION, _BOUND, "array", bound="min_length", vacuous=(0,)),
    Keyword("maxItems", Role.ASSERTION, _BOUND, "array", bound="max_length"),
    Keyword("uniqueItems", Role.ASSERTION, _CHECK, "array", vacuous=(False,)),
    Keyword("unevaluatedItems", Role.CHILD, _CHECK, "array", _SCHEMA, vacuous=(True, {}), only_in=DRAFT_2020_12),
    # --- strings ------------------------------------------------------------------------------------------------
    Keyword("minLength", Role.ASSERTION, _BOUND, "string", bound="min_length", vacuous=(0,)),
    Keyword("maxLength", Role.ASSERTION, _BOUND, "string", bound="max_length"),
    Keyword("pattern", Role.ASSERTION, _CHECK, "string", vacuous=("",)),
    Keyword("format", Role.CONTENT, type="string"),
    Keyword("contentEncoding", Role.CONTENT, type="string"),
    Keyword("contentMediaType", Role.CONTENT, type="string"),
    Keyword("contentSchema", Role.CONTENT, type="string", holds=_SCHEMA),
    # --- numbers ------------------------------------------------------------------------------------------------
    Keyword("minimum", Role.ASSERTION, _BOUND, "number", bound="ge"),
    Keyword("exclusiveMinimum", Role.ASSERTION, _BOUND, "number", bound="gt"),
    Keyword("maximum", Role.ASSERTION, _BOUND, "number", bound="le"),
    Keyword("exclusiveMaximum", Role.ASSERTION, _BOUND, "number", bound="lt"),
    Keyword("multipleOf", Role.ASSERTION, _CHECK, "number"),
    # --- identifiers and definitions ----------------------------------------------------------------------------
    Keyword("$id", Role.IDENTIFIER),
    Keyword("$schema", Role.IDENTIFIER),
    Keyword("$vocabulary", Role.IDENTIFIER, only_in=DRAFT_2020_12),
    Keyword("$anchor", Role.IDENTIFIER, only_in=DRAFT_2020_12),
    Keyword("$dynamicAnchor", Role.IDENTIFIER, only_in=DRAFT_2020_12),
    Keyword("$comment", Role.IDENTIFIER),
    Keyword("$defs", Role.DEFINITIONS, holds=_MAP),
    Keyword("definitions", Role.DEFINITIONS, holds=_MAP),
    # --- annotations --------------------------------------------------------------------------------------------
    Keyword("title", Role.ANNOTATION),
    Keyword("description", Role.ANNOTATION),
    Keyword("default", Role.ANNOTATION, holds=_VALUES),
    Keyword("examples", Role.ANNOTATION, holds=_VALUES),
    Keyword("deprecated", Role.ANNOTATION),
    Keyword("readOnly", Role.ANNOTATION),
    Keyword("writeOnly", Role.ANNOTATION),
)
KEYWORD_TABLE = {keyword.name: keyword for keyword in _ENTRIES}
"""The entry of each keyword, by name. Add a keyword here first; the sets below follow from the table."""


def _select(condition: Callable[[Keyword], bool]) -> frozenset[str]:
    return frozenset(keyword.name for keyword in _ENTRIES if condition(keyword))


KEYWORDS = frozenset(KEYWORD_TABLE)
"""Every keyword of 2020-12 and draft-07 together."""
SINGLE_SCHEMA_KEYWORDS = _select(lambda keyword: Contents.SCHEMA in keyword.holds)
"""Keywords whose value is a schema."""
SCHEMA_LIST_KEYWORDS = _select(lambda keyword: Contents.SCHEMA_LIST in keyword.holds)
"""Keywords whose value is a list of schemas (`items` in draft-07 only)."""
SCHEMA_MAP_KEYWORDS = _select(lambda keyword: Contents.SCHEMA_MAP in keyword.holds)
"""Keywords whose value maps names to schemas (`dependencies` in draft-07: or to lists of names)."""
_APPLYING_KEYWORDS = SINGLE_SCHEMA_KEYWORDS | SCHEMA_LIST_KEYWORDS | SCHEMA_MAP_KEYWORDS
VALUE_KEYWORDS = _select(lambda keyword: Contents.VALUES in keyword.holds)
"""Keywords whose value holds JSON values, in which a `$ref` is a property like any other."""
ANNOTATION_KEYWORDS = _select(lambda keyword: keyword.role is Role.ANNOTATION)
DEFINITION_KEYWORDS = _select(lambda keyword: keyword.role is Role.DEFINITIONS)
IN_PLACE_KEYWORDS = _select(lambda keyword: keyword.role is Role.IN_PLACE)
"""Keywords whose subschemas apply to the same value."""
CONDITIONAL_KEYWORDS = IN_PLACE_KEYWORDS - {"allOf"}
"""Keywords of which a valid value may violate some subschemas."""
CONSTRAINING_KEYWORDS = _select(lambda keyword: keyword.lowering is not Lowering.NOTHING)
"""Keywords that can refuse a value; all others, unknown ones included, cannot."""
CHECKED_KEYWORDS = _select(lambda keyword: keyword.lowering is Lowering.CHECK)
"""Keywords that no type expresses, so that the exact check is needed (see `is_vacuous` for the exceptions)."""
KEYWORDS_BY_TYPE: dict[str, frozenset[str]] = {
    kind: frozenset(keyword.name for keyword in _ENTRIES if keyword.type == kind) & CONSTRAINING_KEYWORDS
    for kind in ("object", "array", "string", "number")
}
"""The keywords that refuse values of one JSON type only; `number` includes integers."""
TYPED_KEYWORDS: frozenset[str] = frozenset[str]().union(*KEYWORDS_BY_TYPE.values())
"""The keywords that concern values of one JSON type."""
REFUSING_KEYWORDS: dict[str, frozenset[str]] = {
    kind: CONSTRAINING_KEYWORDS - TYPED_KEYWORDS
    | KEYWORDS_BY_TYPE.get("number" if kind == "integer" else kind, frozenset())
    for kind in JSON_TYPES
}
"""JSON type → the keywords that can refuse its values."""
BOUND_NAMES: dict[str, str] = {keyword.name: keyword.bound for keyword in _ENTRIES if keyword.bound}
"""The keywords that bound a number, a length or a count → name of the constraint, see `ir.types.Bound`."""
LOWER_BOUNDS = _select(lambda keyword: keyword.bound in ("ge", "gt", "min_length"))
LOWER_NUMBER_BOUNDS = {keyword.name: keyword.bound == "gt" for keyword in _ENTRIES if keyword.bound in ("ge", "gt")}
"""Keywords of the lower bounds of numbers → whether they exclude the bound itself."""
UPPER_NUMBER_BOUNDS = {keyword.name: keyword.bound == "lt" for keyword in _ENTRIES if keyword.bound in ("le", "lt")}
NUMBER_BOUNDS = tuple(keyword.name for keyword in _ENTRIES if keyword.type == "number" and keyword.bound)
KEYWORDS_OF: dict[str, frozenset[str]] = {
    dialect: frozenset(keyword.name for keyword in _ENTRIES if keyword.only_in in ("", dialect))
    for dialect in (DRAFT_2020_12, DRAFT_07)
}
"""Dialect → its keywords."""
REFERENCE_KEYWORDS: dict[str, tuple[str, ...]] = {
    dialect: tuple(keyword.name for keyword in _ENTRIES if keyword.role is Role.REFERENCE and keyword.name in names)
    for dialect, names in KEYWORDS_OF.items()
}
"""Dialect → its keywords that refer to a schema."""
DIALECT_KEYWORDS = _select(lambda keyword: bool(keyword.only_in) or keyword.differs)
"""Keywords that mean something else, or nothing, in the other dialect."""


def is_vacuous(keyword: str, value: Json) -> bool:
    """Report whether a keyword accepts everything because of its value, as `minProperties: 0` does."""
    entry = KEYWORD_TABLE.get(keyword)
    return entry is not None and any(are_equal(value, vacuous) for vacuous in entry.vacuous)


def detect_dialect(schema: Json, default: str = DRAFT_2020_12) -> str | None:
    """Return the dialect that a schema's root names, `default` when it names none, None when it is not supported."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if uri is None:
        return default
    if not isinstance(uri, str):
        return None
    return _DIALECTS.get(uri.rstrip("#").partition("://")[2]) if uri.startswith(("http://", "https://")) else None


_DIALECTS = {dialect.partition("://")[2]: dialect for dialect in (DRAFT_2020_12, DRAFT_07)}
"""Dialects by their URIs without the scheme: `http` and `https` are both written, with and without `#`."""


def iterate_subschemas(schema: dict[str, Json], dialect: str) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield the schemas directly inside a schema object, each with the tokens that lead to it."""
    if dialect == DRAFT_07 and "$ref" in schema:
        for keyword in ("definitions", "$defs"):
            yield from _iterate_keyword(keyword, schema.get(keyword))
        return
    for keyword, value in schema.items():
        if keyword in _APPLYING_KEYWORDS:
            yield from _iterate_keyword(keyword, value)


def list_types(schema: dict[str, Json]) -> list[str]:
    """Return the types that a schema declares."""
    declared = schema.get("type")
    return [name for name in (declared if isinstance(declared, list) else [declared]) if isinstance(name, str)]


def expand_types(types: Iterable[str]) -> frozenset[str]:
    """Return the kinds of values that JSON Schema types stand for: `number` includes integers."""
    kinds = frozenset(types)
    return kinds | {"integer"} if "number" in kinds else kinds


def list_values(schema: dict[str, Json]) -> list[Json]:
    """Return the values that `const`, or else `enum`, of a schema lists."""
    return [schema["const"]] if "const" in schema else as_array(schema.get("enum"))


def iterate_patterns(schema: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each regular expression of a schema itself, after the tokens that lead to it."""
    pattern, properties = as_object(schema).get("pattern"), as_object(as_object(schema).get("patternProperties"))
    if isinstance(pattern, str):
        yield ("pattern",), pattern
    yield from ((("patternProperties", name), name) for name in properties)


def iterate_references(schema: Json, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield the keyword and the text of each reference of a schema itself."""
    for keyword in REFERENCE_KEYWORDS[dialect]:
        if isinstance(ref := as_object(schema).get(keyword), str):
            yield keyword, ref


def walk_subschemas(schema: Json, dialect: str) -> Iterator[tuple[str, Json]]:
    """Yield a schema and all schemas inside it, each with its JSON pointer, in the order of the document."""
    for pointer, _, inner in walk_places(schema, dialect):
        yield pointer, inner


def walk_places(schema: Json, dialect: str) -> Iterator[tuple[str, str, Json]]:
    """Yield what `walk_subschemas` does, with the keyword that holds each schema; for the root, that is empty."""
    stack = [("", "", schema)]
    while stack:
        pointer, keyword, inner = stack.pop()
        yield pointer, keyword, inner
        if isinstance(inner, dict):
            children = iterate_subschemas(inner, dialect)
            stack.extend(reversed([(pointer + format_pointer(*path), path[0], child) for path, child in children]))


def map_subschemas(
    schema: dict[str, Json], dialect: str, change: Callable[[tuple[str, ...], Json], Json]
) -> dict[str, Json]:
    """Return a copy of a schema object with each direct subschema replaced by `change(tokens, subschema)`."""
    changed = dict(schema)
    for path, subschema in iterate_subschemas(schema, dialect):
        keyword, token = path[0], path[-1]
        value, is_inside = changed[keyword], len(path) > 1
        if is_inside and value is schema[keyword]:
            value = changed[keyword] = copy(value)
        if not is_inside:
            changed[keyword] = change(path, subschema)
        elif isinstance(value, dict):
            value[token] = change(path, subschema)
        elif isinstance(value, list):
            value[int(token)] = change(path, subschema)
    return changed


def _iterate_keyword(keyword: str, value: Json) -> Iterator[tuple[tuple[str, ...], Json]]:
    if keyword in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
        for name, subschema in value.items():
            if isinstance(subschema, dict | bool):
                yield (keyword, name), subschema
    elif keyword in SCHEMA_LIST_KEYWORDS and isinstance(value, list):
        for index, subschema in enumerate(value):
            yield (keyword, str(index)), subschema
    elif keyword in SINGLE_SCHEMA_KEYWORDS and isinstance(value, dict | bool):
        yield (keyword,), value

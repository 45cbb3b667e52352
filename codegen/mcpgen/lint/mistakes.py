"""Rules for valid schemas that surely do not say what was meant, which are asked when schemas are read.

They find keywords without effect, required properties that are forbidden or unknown, and defaults and examples that
break their schema. Those about parts of an object, and about examples, are asked about schemas with everything that
they refer to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.diagnostics import join_words
from mcpgen.lint.misspelt_names import (
    MAX_COMPARED_LENGTH,
    MAX_COMPARED_NAMES,
    find_extended,
    find_meant,
    match_misspelt,
)
from mcpgen.lint.rule import LintedSchema, Place, Problem
from mcpgen.schema.document import format_error, matches_pattern
from mcpgen.schema.formats import STANDARD_FORMATS
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    CONSTRAINING_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORD_TABLE,
    KEYWORDS,
    Role,
    expand_types,
    iterate_references,
    iterate_subschemas,
    list_types,
)
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, get_json_type

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


MAX_REPORTED = 20
"""Names of one object, and problems of one kind in one schema, that are reported."""


# --- required names --------------------------------------------------------------------------------------------------
_KEYWORDS_WITH_PROPERTIES = {"patternProperties"} | {
    entry.name for entry in KEYWORD_TABLE.values() if entry.role in (Role.IN_PLACE, Role.REFERENCE)
} - {"not"}
"""Keywords next to `properties` that may declare the required property in another place."""


def check_closed_objects(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that their object does not allow."""
    for place in filter(_is_closed, schema.objects):
        declared = as_object(place.schema.get("properties"))
        required = as_array(place.schema.get("required"))
        missing = [(at, name) for at, name in _list_undeclared(place.schema) if name in required]
        shown = join_words([f'"{name}"' for name in declared])
        allowed = f"allows {f'{shown} only' if shown else 'no property'}: no object is valid"
        for at, name in missing[:MAX_REPORTED]:
            message = f'"{name}" is required, but "additionalProperties": false {allowed}'
            optional = _list_optional(place.schema)
            help = _suggest_name(name, find_meant(name, optional), optional, is_only=len(missing) == 1)
            yield Problem(place.pointer + at, message, help)
        for at, name in missing[MAX_REPORTED : MAX_REPORTED + 1]:
            message = f'"{name}" and {len(missing) - MAX_REPORTED - 1} more are required, but "additionalProperties": '
            yield Problem(place.pointer + at, f"{message}false {allowed}", "declare them under properties")


def check_misspelt_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that no property has, but one that is like them."""
    for unknown in _find_unknown_names(schema):
        if unknown.meant is not None:
            name = unknown.name
            message = f'"{name}" is required, but "properties" declares "{unknown.meant}" and no "{name}"'
            yield Problem(unknown.pointer, message, unknown.suggest())


def check_undescribed_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that nothing describes, and that are like none."""
    found = [unknown for unknown in _find_unknown_names(schema) if not unknown.is_described and unknown.meant is None]
    combined = find_combined_places(schema) if found else frozenset[str]()
    for unknown in found:
        if unknown.place.pointer not in combined:
            yield Problem(unknown.pointer, f'"{unknown.name}" is required, but nothing describes it', unknown.suggest())


def _is_closed(place: Place) -> bool:
    return place.schema.get("additionalProperties") is False and "patternProperties" not in place.schema


@dataclass(frozen=True)
class _UnknownName:
    """Required name of an open object that no property has."""

    place: Place
    at: str
    """Where it is required: a JSON pointer in the object's schema."""
    name: str
    optional: tuple[str, ...]
    """The properties that are not required."""
    is_only: bool
    """Whether the object requires no other such name."""

    @property
    def pointer(self) -> str:
        return self.place.pointer + self.at

    @property
    def meant(self) -> str | None:
        """The property that it may stand for."""
        return find_meant(self.name, self.optional)

    @property
    def is_described(self) -> bool:
        """Whether its object has a schema for other properties; also if it is required only beside another one."""
        schema = self.place.schema
        rest = (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
        is_required = self.name in as_array(schema.get("required"))
        return not is_required or any(isinstance(part, dict) and part for part in rest)

    def suggest(self) -> str:
        return _suggest_name(self.name, self.meant, self.optional, is_only=self.is_only)


def _find_unknown_names(schema: LintedSchema) -> Iterator[_UnknownName]:
    """Yield the first required names of each open object that no property has."""
    for place in schema.objects:
        declares_all = "properties" in place.schema and _KEYWORDS_WITH_PROPERTIES.isdisjoint(place.schema)
        if declares_all and not _is_closed(place):
            missing, optional = _list_undeclared(place.schema), _list_optional(place.schema)
            for at, name in missing[:MAX_REPORTED]:
                yield _UnknownName(place, at, name, optional, is_only=len(missing) == 1)


def _list_undeclared(schema: dict[str, Json]) -> list[tuple[str, str]]:
    declared = as_object(schema.get("properties"))
    required = enumerate(as_array(schema.get("required")))
    names = [(format_pointer("required", at), str(name)) for at, name in required]
    for cause, dependent in as_object(schema.get("dependentRequired")).items():
        names.append((format_pointer("dependentRequired", cause), cause))
        places = enumerate(as_array(dependent))
        names += ((format_pointer("dependentRequired", cause, at), str(name)) for at, name in places)
    return [(at, name) for at, name in names if name not in declared]


def _list_optional(schema: dict[str, Json]) -> tuple[str, ...]:
    required = as_array(schema.get("required"))
    declared = islice(as_object(schema.get("properties")), MAX_COMPARED_NAMES)
    return tuple(name for name in declared if name not in required)


def _suggest_name(name: str, meant: str | None, optional: Sequence[str], *, is_only: bool) -> str:
    meant = meant or find_extended(name, optional)
    if meant is not None:
        return f'did you mean "{meant}"? If not, declare "{name}" under properties'
    if is_only and len(optional) == 1:
        renamed = optional[0]
        instead = f'if not, declare "{name}" under properties'
        return f'if "{renamed}" was called "{name}" before, write "{renamed}"; {instead}'
    return f'declare "{name}" under properties, or remove it from the required names'


# --- schemas that describe one value together ------------------------------------------------------------------------
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
MAX_PARTS = 50
"""Schemas that describe one object together and are compared."""


def find_combined_places(schema: LintedSchema) -> frozenset[str]:
    """Return the JSON pointers of the subschemas beside which others may describe the same value.

    Such are the members of `allOf`, `then` and the like, what is inside of them, and the definitions that they refer
    to. A member of `anyOf` or `oneOf` is none if these stand alone. If a reference leads to another file, which may
    refer back, all definitions are such.
    """
    index, dialect = schema.index, schema.dialect
    leads_out = any(
        target is None for place in schema.objects for target in _find_targets(index, place.pointer, place.schema)
    )
    combined: set[str] = set()
    visited: set[tuple[str, bool]] = set()
    stack: list[tuple[str, Json, bool]] = [("", schema.value, schema.is_part)]
    while stack:
        pointer, inner, is_combined = stack.pop()
        if (pointer, is_combined) in visited or not isinstance(inner, dict):
            continue
        visited.add((pointer, is_combined))
        is_combined = is_combined or "$dynamicAnchor" in inner  # which references lead to it depends on the value
        if is_combined:
            combined.add(pointer)
        has_several_parts = len(inner.keys() & CONSTRAINING_KEYWORDS - {"type"}) > 1
        is_shared = is_combined or has_several_parts
        for path, child in iterate_subschemas(inner, dialect):
            role = KEYWORD_TABLE[path[0]].role
            child_is_combined = is_shared if path[0] in _ALTERNATIVES else role is Role.IN_PLACE or is_combined
            if role is Role.DEFINITIONS:
                child_is_combined = leads_out  # otherwise, what refers to it decides
            stack.append((pointer + format_pointer(*path), child, child_is_combined))
        targets = _find_targets(index, pointer, inner)
        stack.extend((target, index.get(target), is_shared) for target in targets if target is not None)
    return frozenset(combined)


def _find_targets(index: SchemaIndex, pointer: str, schema: dict[str, Json]) -> Iterator[str | None]:
    """Yield the pointer to which each reference of a schema may lead; None if that is in another file."""
    for _, reference in iterate_references(schema, DRAFT_2020_12):
        yield index.find_target(pointer, reference)


def check_closed_parts(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find properties that a closed part of a schema forbids to its other parts."""
    forbidden: dict[str, tuple[str, Place, bool]] = {}
    for place in schema.objects:
        if "allOf" in place.schema or (schema.dialect != DRAFT_07 and "$ref" in place.schema):
            parts = [*islice(_list_parts(place, schema.index), MAX_PARTS)]
            required = [name for part in parts for name in as_array(part.schema.get("required"))]
            for closed in parts:
                if closed.schema.get("additionalProperties") is False:
                    for at, name in _list_forbidden(closed, parts):
                        forbidden.setdefault(at, (name, closed, name in required))
    for at, (name, closed, is_required) in islice(forbidden.items(), MAX_REPORTED):
        subject = schema.describe(closed.pointer)
        message = f'"{name}" is never allowed: {subject} has "additionalProperties": false without it'
        message += "; it is required, so no object is valid" * is_required
        help = f'declare "{name}" there too, or leave "additionalProperties" out there'
        if schema.dialect != DRAFT_07:
            help += ', and write "unevaluatedProperties": false next to the "allOf" or "$ref"'
        yield Problem(at, message, help)


def _list_parts(place: Place, index: SchemaIndex) -> Iterator[Place]:
    """Yield a schema, and those that apply to the same object by its `allOf` and `$ref`."""
    stack, seen = [place], set[str]()
    while stack:
        part = stack.pop()
        if part.pointer in seen:
            continue
        seen.add(part.pointer)
        target = index.find_referred(part.pointer)
        if target is not None:
            stack.append(Place(target, "$ref", as_object(index.get(target))))
        if index.dialect != DRAFT_07 or "$ref" not in part.schema:
            yield part
            for number, branch in enumerate(as_array(part.schema.get("allOf"))):
                stack.append(Place(part.pointer + format_pointer("allOf", number), "allOf", as_object(branch)))


def _list_forbidden(closed: Place, parts: list[Place]) -> Iterator[tuple[str, str]]:
    declared, patterns = as_object(closed.schema.get("properties")), as_object(closed.schema.get("patternProperties"))
    for part in parts:
        for name, schema in as_object(part.schema.get("properties")).items():
            if part is closed or name in declared or schema is False:
                continue
            if not any(matches_pattern(pattern, name) for pattern in patterns):
                yield part.pointer + format_pointer("properties", name), name


# --- defaults and examples -------------------------------------------------------------------------------------------
MAX_VALUES = 1_000
"""Defaults and examples of one schema that are checked."""


def check_examples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find defaults and examples that break the schema around them."""
    values = [*islice(_list_values(schema), MAX_VALUES)]
    try:
        validators = schema.validators if values else None
    except ValueError:  # which was reported
        return
    reported = set[tuple[str, str]]()
    for pointer, path, value in values:
        noun = "default" if path == ("default",) else "example"
        if validators is None or (pointer, noun) in reported or len(reported) == MAX_REPORTED:
            continue
        validator = validators.find_validator(pointer)
        try:
            with contained():
                error = None if validator is None else next(iter(validator.iter_errors(value)), None)
        except CheckFailed:
            continue
        if error is not None:
            reported.add((pointer, noun))
            message = f"this {noun} is not valid by the schema around it: {format_error(error)}"
            yield Problem(pointer + format_pointer(*path), message, _advise(noun, value))


def _list_values(schema: LintedSchema) -> Iterator[tuple[str, tuple[str | int, ...], Json]]:
    for place in schema.objects:
        if not CONSTRAINING_KEYWORDS.isdisjoint(place.schema):
            # a pulled default of null is an absent argument in Python, and whole servers have them
            if "default" in place.schema and (place.schema["default"] is not None or not schema.is_pulled):
                yield place.pointer, ("default",), place.schema["default"]
            for number, example in enumerate(as_array(place.schema.get("examples"))):
                yield place.pointer, ("examples", number), example


def _advise(noun: str, value: Json) -> str:
    if value is None:
        return 'leave it out, or let "type" allow "null"'
    text = json.dumps(value, ensure_ascii=False)
    return f"write a valid {noun}, or let the schema allow {text if len(text) <= 40 else 'it'}"

"""Infer a JSON Schema from recorded values: the narrowest one that is likely to accept those to come."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from mcpgen.schema.values import JSON_TYPES, Json, get_json_type

Schema = dict[str, Json]
MAX_LEVELS = 60
"""Levels of nesting that a schema describes; one nests four levels at most for each, and files may have 256."""
_TAG = re.compile(r"[A-Za-z][\w.-]{0,39}\Z", re.ASCII)
"""What a value of a discriminator looks like."""
_USUAL_NAMES = ("type", "kind", "tag", "event", "op", "status", "variant")
"""Names that discriminators usually have, the likeliest first."""
MAX_ALTERNATIVES = 12
MIN_OBJECTS_OF_ALTERNATIVE = 3
"""Recorded objects of each alternative: fewer may be alike by chance."""
Alternatives = dict[str, list[dict[str, Json]]]
_DATA_KEY = re.compile(r"\d|[0-9A-Fa-f]{16,}\Z|.*[\s/:@]")
"""Keys that no property has: those that begin with a digit, hashes, and text with spaces, slashes and the like."""
MIN_KEYS_OF_MAP = 8
"""Different keys that a map has at least if they look like names of properties."""
MIN_MEMBERS_OF_ENTRY = 2
"""Members that each value of a map has at least, if there is a single map and its keys look like names."""
_FORMATS = ("date-time", "date", "time", "duration", "uuid", "email", "ipv4", "ipv6", "uri")
"""Formats of JSON Schema that are told from other text, the narrowest first."""
_ABSOLUTE_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|mailto|data):")
"""How a URI begins that is not just some text with a colon."""


@dataclass(frozen=True)
class SchemaInference:
    """Inference of a schema, with what the user asks for.

    A property is required if all objects have it, which may have others, too. Numbers are integers if all are written
    as such. Strings get a format that all have. Objects whose keys are data become maps, and those that one property
    tells apart become a union. Nothing is said of what was never seen: items of empty lists, and members that were
    null each time. Neither is anything said of values that nest deeper than `MAX_LEVELS`.
    """

    enum_names: Collection[str] = ()
    """Properties whose strings become an `enum`: other strings are refused from then on."""

    def infer_schema(self, values: Sequence[Json], name: str = "", level: int = 0) -> Schema:
        """Return a schema that accepts all values at a place, perhaps of a property, and others like them."""
        by_type: dict[str, list[Json]] = {}
        for value in values:
            by_type.setdefault(_find_type(value), []).append(value)
        if "number" in by_type:
            by_type.pop("integer", None)
        types = [type_name for type_name in JSON_TYPES if type_name in by_type]
        if types in ([], ["null"]) or level > MAX_LEVELS:
            return {}
        objects = [value for value in values if isinstance(value, dict)]
        found = None if is_map(objects) else find_discriminator(objects)
        if found is not None:
            others = [value for value in values if not isinstance(value, dict)]
            return self._describe_union(*found, others, name, level)
        schema: Schema = {"type": types[0] if len(types) == 1 else [*types]}
        schema |= self._describe_strings([value for value in values if isinstance(value, str)], name, types)
        schema |= self._describe_arrays([value for value in values if isinstance(value, list)], level + 1)
        schema |= self._describe_objects(objects, level + 1)
        return schema

    def _describe_strings(self, texts: Sequence[str], name: str, types: Sequence[str]) -> Schema:
        """Return the keywords about strings; an `enum` is one about all values, so it needs strings alone, or null."""
        if not texts:
            return {}
        if name in self.enum_names and {"string", "null"}.issuperset(types):
            return {"enum": [*sorted(set(texts)), *([None] if "null" in types else [])]}
        found = find_common_format(texts)
        return {} if found is None else {"format": found}

    def _describe_arrays(self, arrays: Sequence[list[Json]], level: int) -> Schema:
        items = self.infer_schema([item for array in arrays for item in array], level=level)
        return {"items": items} if items else {}

    def _describe_objects(self, objects: Sequence[dict[str, Json]], level: int) -> Schema:
        if not any(objects):
            return {}
        if is_map(objects):
            members = [member for value in objects for member in value.values()]
            return {"additionalProperties": self.infer_schema(members, level=level)}
        return self._describe_properties(objects, level)

    def _describe_union(
        self, discriminator: str, alternatives: Alternatives, others: Sequence[Json], name: str, level: int
    ) -> Schema:
        schemas: list[Json] = []
        for tag, objects in alternatives.items():
            schema = self._describe_properties(objects, level + 1)
            properties = schema["properties"]
            assert isinstance(properties, dict)
            properties[discriminator] = {"const": tag}
            schemas.append({"type": "object", **schema})
        if others:
            schemas.append(self.infer_schema(others, name, level) or {"type": "null"})
        return {"oneOf": schemas} if others else {"type": "object", "oneOf": schemas}

    def _describe_properties(self, objects: Sequence[dict[str, Json]], level: int) -> Schema:
        members: dict[str, list[Json]] = {}
        for value in objects:
            for name, member in value.items():
                members.setdefault(name, []).append(member)
        required: list[Json] = [name for name, values in members.items() if len(values) == len(objects)]
        properties: Json = {name: self.infer_schema(values, name, level) for name, values in members.items()}
        schema: Schema = {"properties": properties}
        if required:
            schema["required"] = required
        return schema


def _find_type(value: Json) -> str:
    """Return the JSON type of a value; a number that is written with a decimal point is no integer."""
    return "number" if isinstance(value, float) else get_json_type(value)


def find_discriminator(objects: Sequence[dict[str, Json]]) -> tuple[str, Alternatives] | None:
    """Return the discriminator of the recorded objects at a place, and the objects of each alternative.

    It is a property that all objects have. Its values are few words, each met several times, and whether each of the
    other properties is there depends on them alone, at least of one that some alternatives have and others do not.
    """
    counts = Counter(key for value in objects for key in value)
    optional = {key: 1 << index for index, key in enumerate(key for key in counts if counts[key] < len(objects))}
    if not optional:
        return None
    masks = [sum(optional[key] for key in value if key in optional) for value in objects]
    shared = [key for key in counts if key not in optional]
    for key in sorted(shared, key=_rate_name):
        tags = _list_tags(objects, key)
        if tags is not None and _are_different(tags, masks):
            alternatives: Alternatives = {}
            for tag, value in zip(tags, objects, strict=True):
                alternatives.setdefault(tag, []).append(value)
            return key, alternatives
    return None


def _rate_name(name: str) -> int:
    return _USUAL_NAMES.index(name) if name in _USUAL_NAMES else len(_USUAL_NAMES)


def _list_tags(objects: Sequence[dict[str, Json]], key: str) -> list[str] | None:
    """Return the value of a property in each object; None if it cannot be a discriminator."""
    tags: list[str] = []
    counts = Counter[str]()
    for value in objects:
        tag = value[key]
        if not isinstance(tag, str):
            return None
        if tag not in counts and (len(counts) == MAX_ALTERNATIVES or _TAG.match(tag) is None):
            return None
        counts[tag] += 1
        tags.append(tag)
    return tags if len(counts) > 1 and min(counts.values()) >= MIN_OBJECTS_OF_ALTERNATIVE else None


def _are_different(tags: Sequence[str], masks: Sequence[int]) -> bool:
    """Return whether the alternatives differ in optional properties (one bit of a mask each), and not by chance."""
    present: dict[str, int] = {}
    required: dict[str, int] = {}
    for tag, mask in zip(tags, masks, strict=True):
        present[tag] = present.get(tag, 0) | mask
        required[tag] = required.get(tag, mask) & mask
    absent_in_some = required_in_some = uncertain_in_some = 0
    for tag, mask in present.items():
        absent_in_some |= ~mask
        required_in_some |= required[tag]
        uncertain_in_some |= mask & ~required[tag]
    return bool(required_in_some & absent_in_some) and not uncertain_in_some & absent_in_some


def is_map(objects: Sequence[dict[str, Json]]) -> bool:
    """Return whether the recorded objects at a place are maps.

    They are if all their keys look like data. Names as keys make a map only if there are many of them, and either the
    objects have hardly any in common and all values are of one type, or it is one object of alike objects.
    """
    counts = Counter(key for value in objects for key in value)
    if not counts:
        return False
    if all(_is_data(key) for key in counts):
        return True
    if len(counts) < MIN_KEYS_OF_MAP:
        return False
    values = [member for value in objects for member in value.values()]
    filled_count = sum(map(bool, objects))
    if filled_count == 1:
        return _are_alike_objects(values)
    return max(counts.values()) * 2 <= filled_count and len(set(map(get_json_type, values))) == 1


def _is_data(key: str) -> bool:
    return _DATA_KEY.match(key) is not None or has_some_format(key)


def _are_alike_objects(values: Sequence[Json]) -> bool:
    shapes = {frozenset(value) if isinstance(value, dict) else None for value in values}
    return len(shapes) == 1 and all(shape is not None and len(shape) >= MIN_MEMBERS_OF_ENTRY for shape in shapes)


def find_common_format(texts: Sequence[str]) -> str | None:
    """Return the format (JSON Schema, Validation, section 7.3) that all texts have; None if they have none."""
    return next((name for name in _FORMATS if all(_has_format(text, name) for text in texts)), None)


def has_some_format(text: str) -> bool:
    """Return whether a text has one of the formats."""
    return any(_has_format(text, name) for name in _FORMATS)


def _has_format(text: str, name: str) -> bool:
    return (name != "uri" or _ABSOLUTE_URI.match(text) is not None) and _make_validator(name).is_valid(text)


@cache
def _make_validator(name: str) -> Any:
    return jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)

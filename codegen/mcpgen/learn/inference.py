"""Infer a JSON Schema from recorded values: the narrowest one that is likely to accept those to come."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcpgen.learn.discriminators import Alternatives, find_discriminator
from mcpgen.learn.map_keys import is_map
from mcpgen.learn.string_formats import find_common_format
from mcpgen.schema.values import JSON_TYPES, Json, get_json_type

Schema = dict[str, Json]
MAX_LEVELS = 60
"""Levels of nesting that a schema describes; one nests four levels at most for each, and files may have 256."""


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
        """Return a schema that accepts all values, and others like them.

        Args:
            values: the values at one place of the recorded results.
            name: the property that they are the value of; empty for others.
            level: levels of nesting around them.
        """
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
        """Return a union: objects that each have their own value of a property, and values that are no objects."""
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

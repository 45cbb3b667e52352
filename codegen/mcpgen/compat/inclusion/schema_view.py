"""Schema document as the inclusion check reads it: keywords of each subschema, kinds of values, and validation."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import jsonschema_rs
from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.schema.document import SchemaDocument, SchemaLocation, SubschemaValidators, matches_pattern
from mcpgen.schema.keywords import DRAFT_07, KEYWORDS_OF, SCHEMA_MAP_KEYWORDS, expand_types
from mcpgen.schema.values import Json, get_json_type, iterate_children, make_identity_keys

LocationKey: TypeAlias = tuple[str, tuple[str, ...]]


def make_key(location: SchemaLocation) -> LocationKey:
    """Return what identifies a subschema within its document: its pointer and its dynamic scope."""
    return location.at, location.scope


class Dependent(NamedTuple):
    """Requirement of `dependentRequired`, `dependentSchemas` or `dependencies`."""

    trigger: str
    """The property whose presence requires the rest."""
    names: tuple[str, ...]
    schema: SchemaLocation | None
    keyword: str


VALUE_KINDS = ("null", "boolean", "object", "array", "string", "integer", "number")
"""Kinds of values; unlike the JSON Schema type, `number` excludes integers here, so that each value has one kind."""
DEEPEST_REFERENCE = 30
"""References and applicators followed one inside the other to find the kinds of a subschema's values."""


class SchemaView:
    """Schema document that says of each subschema which keywords it has and which values may be valid."""

    def __init__(self, schema: Json, dialect: str, asserts_formats: bool = False) -> None:
        self.schema, self.dialect, self._asserts_formats = schema, dialect, asserts_formats
        self.document = SchemaDocument(schema, dialect)
        self.draft_07 = dialect == DRAFT_07
        self._named_subschemas: dict[tuple[LocationKey, str], dict[str, SchemaLocation]] = {}
        self._subschemas: dict[tuple[LocationKey, str], list[SchemaLocation]] = {}
        self._allowed_keys: dict[tuple[LocationKey, str], set[Hashable]] = {}
        self._kinds: dict[LocationKey, frozenset[str]] = {}
        self.dynamic = not self.draft_07 and has_member(schema, frozenset(["$dynamicRef"]))
        """Whether the meaning of a subschema may depend on how it was reached."""

    @property
    def root(self) -> SchemaLocation:
        """The whole schema."""
        return self.document.root

    # --- keywords -----------------------------------------------------------------------------------------------
    def has_effective_keywords(self, location: SchemaLocation) -> bool:
        """Return whether a subschema's keywords apply; in draft-07, those next to a `$ref` do not."""
        return isinstance(location.schema, dict) and not (self.draft_07 and "$ref" in location.schema)

    def has(self, location: SchemaLocation, keyword: str) -> bool:
        """Return whether a subschema has a keyword that its dialect defines."""
        return keyword in KEYWORDS_OF[self.dialect] and self.has_effective_keywords(location) and location.has(keyword)

    def get(self, location: SchemaLocation, keyword: str) -> Json:
        """Return the value of such a keyword, None if it is absent."""
        return location.get(keyword) if self.has(location, keyword) else None

    def get_number(self, location: SchemaLocation, keyword: str) -> int | float | None:
        """Return the value of a keyword if it is a number."""
        return location.get_number(keyword) if self.has(location, keyword) else None

    def get_names(self, location: SchemaLocation, keyword: str) -> list[str]:
        """Return the names of a keyword whose value is a name or a list of names."""
        value = self.get(location, keyword)
        names = value if isinstance(value, list) else [value]
        return [name for name in names if isinstance(name, str)]

    def list_allowed_values(self, location: SchemaLocation, keyword: str) -> list[Json]:
        """Return the values that `enum` or `const` allows."""
        value = self.get(location, keyword)
        return [value] if keyword == "const" else value if isinstance(value, list) else []

    def list_allowed_keys(self, location: SchemaLocation, keyword: str) -> set[Hashable]:
        """Return the identity keys of the values that `enum` or `const` allows."""
        key = (make_key(location), keyword)
        if key not in self._allowed_keys:
            self._allowed_keys[key] = make_identity_keys(self.list_allowed_values(location, keyword))
        return self._allowed_keys[key]

    # --- subschemas ---------------------------------------------------------------------------------------------
    def get_subschema(self, location: SchemaLocation, keyword: str) -> SchemaLocation | None:
        """Return the subschema of a keyword whose value is a schema."""
        if not isinstance(self.get(location, keyword), dict | bool):
            return None
        return self._locate_subschemas(location, keyword)[0]

    def get_subschemas(self, location: SchemaLocation, keyword: str) -> list[SchemaLocation]:
        """Return the subschemas of a keyword whose value is a list of schemas."""
        return self._locate_subschemas(location, keyword) if isinstance(self.get(location, keyword), list) else []

    def _locate_subschemas(self, location: SchemaLocation, keyword: str) -> list[SchemaLocation]:
        key = (make_key(location), keyword)
        if key not in self._subschemas:
            value = location.get(keyword)
            indexes = [(index,) for index in range(len(value))] if isinstance(value, list) else [()]
            self._subschemas[key] = [self.document.get_subschema(location, keyword, *index) for index in indexes]
        return self._subschemas[key]

    def get_named_subschemas(self, location: SchemaLocation, keyword: str) -> dict[str, SchemaLocation]:
        """Return the subschemas, by name, of a keyword whose value maps names to schemas."""
        value = self.get(location, keyword)
        if not isinstance(value, dict):
            return {}
        key = (make_key(location), keyword)
        if key not in self._named_subschemas:
            names = [name for name, inner in value.items() if isinstance(inner, dict | bool)]
            self._named_subschemas[key] = {name: self.document.get_subschema(location, keyword, name) for name in names}
        return self._named_subschemas[key]

    def list_matching(self, location: SchemaLocation, name: str) -> list[SchemaLocation]:
        """Return the subschemas under `properties` and `patternProperties` that are about a property."""
        declared = self.get_named_subschemas(location, "properties")
        patterns = self.get_named_subschemas(location, "patternProperties")
        matching = [declared[name]] if name in declared else []
        return matching + [schema for pattern, schema in patterns.items() if matches_pattern(pattern, name)]

    def list_subschemas(self, location: SchemaLocation, keyword: str) -> list[SchemaLocation]:
        """Return all subschemas of a keyword, whatever form its value has."""
        if isinstance(self.get(location, keyword), list):
            return self.get_subschemas(location, keyword)
        if keyword in SCHEMA_MAP_KEYWORDS:
            return [*self.get_named_subschemas(location, keyword).values()]
        return [] if (subschema := self.get_subschema(location, keyword)) is None else [subschema]

    def get_prefix_items(self, location: SchemaLocation) -> list[SchemaLocation]:
        """Return the schemas of the first items, one for each."""
        return self.get_subschemas(location, "items" if self.draft_07 else "prefixItems")

    def get_later_items(self, location: SchemaLocation) -> SchemaLocation | None:
        """Return the schema of the items after the prefix."""
        if self.draft_07 and isinstance(self.get(location, "items"), list):
            return self.get_subschema(location, "additionalItems")
        return self.get_subschema(location, "items")

    def list_dependents(self, location: SchemaLocation) -> list[Dependent]:
        """Return what the presence of a property requires: other properties, or a schema for the object."""
        dependents: list[Dependent] = []
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            value = self.get(location, keyword)
            for trigger, requirement in value.items() if isinstance(value, dict) else ():
                if isinstance(requirement, list):
                    names = tuple(str(name) for name in requirement)
                    dependents.append(Dependent(trigger, names, None, keyword))
                else:
                    schema = self.document.get_subschema(location, keyword, trigger)
                    dependents.append(Dependent(trigger, (), schema, keyword))
        return dependents

    # --- references ---------------------------------------------------------------------------------------------
    def resolve_references(self, location: SchemaLocation) -> list[SchemaLocation]:
        """Return the targets of a subschema's references; for a built-in meta-schema, the place of the reference."""
        return list(self.document.follow_references(location)) if isinstance(location.schema, dict) else []

    def refers_outside(self, location: SchemaLocation) -> bool:
        """Return whether a reference leads to a built-in meta-schema, which the comparison does not read."""
        return any(target.at == location.at for target in self.resolve_references(location))

    # --- kinds and validation -------------------------------------------------------------------------------------
    def find_kinds(self, location: SchemaLocation, depth: int = 0) -> frozenset[str]:
        """Return the kinds of values that may be valid under a subschema: perhaps too many, never too few."""
        key = make_key(location)
        if key in self._kinds:
            return self._kinds[key]
        if location.schema is False:
            return frozenset()
        if not isinstance(location.schema, dict) or depth > DEEPEST_REFERENCE:
            return frozenset(VALUE_KINDS)
        kinds = frozenset(VALUE_KINDS)
        if not self.refers_outside(location):
            for target in self.resolve_references(location):
                kinds &= self.find_kinds(target, depth + 1)
        if self.has_effective_keywords(location):
            kinds &= self._find_keyword_kinds(location, depth)
        if depth == 0:
            self._kinds[key] = kinds
        return kinds

    def _find_keyword_kinds(self, location: SchemaLocation, depth: int) -> frozenset[str]:
        kinds = frozenset(VALUE_KINDS)
        if self.has(location, "type"):
            kinds &= expand_types(self.get_names(location, "type"))
        for keyword in ("enum", "const"):
            if self.has(location, keyword):
                kinds &= frozenset(get_json_type(value) for value in self.list_allowed_values(location, keyword))
        for conjunct in self.get_subschemas(location, "allOf"):
            kinds &= self.find_kinds(conjunct, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if branches := self.get_subschemas(location, keyword):
                kinds &= frozenset[str]().union(*(self.find_kinds(branch, depth + 1) for branch in branches))
        negated = self.get_subschema(location, "not")
        if negated is not None and isinstance(negated.schema, dict) and negated.schema.keys() == {"type"}:
            kinds -= expand_types(self.get_names(negated, "type"))
        return kinds

    @cached_property
    def _validators(self) -> SubschemaValidators | None:
        try:
            return SubschemaValidators(self.schema, self.dialect, self._asserts_formats)
        except (ValueError, jsonschema_rs.ReferencingError):
            return None

    def list_errors(self, value: Json) -> list[Any]:
        """Return the validator's errors in a value of the whole schema; none if it cannot be validated."""
        try:
            with contained():
                return [] if self._validators is None else [*self._validators.find_validator("").iter_errors(value)]
        except CheckFailed:
            return []

    def is_valid(self, location: SchemaLocation, value: Json) -> bool | None:
        """Return whether a value is valid under a subschema on its own, None if that cannot be decided."""
        if isinstance(location.schema, bool):
            return location.schema
        if (self.dynamic and location.at) or self._validators is None:
            return None
        validator = self._validators.find_validator(location.at)
        try:
            with contained():
                return None if validator is None else validator.is_valid(value)
        except CheckFailed:
            return None


def sort_kinds(kinds: frozenset[str]) -> tuple[str, ...]:
    """Return kinds of values in the order of messages."""
    return tuple(kind for kind in VALUE_KINDS if kind in kinds)


def has_member(value: Json, names: frozenset[str]) -> bool:
    """Return whether an object with one of some members is anywhere inside a JSON value."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict) and not names.isdisjoint(inner):
            return True
        stack.extend(child for _, child in iterate_children(inner))
    return False

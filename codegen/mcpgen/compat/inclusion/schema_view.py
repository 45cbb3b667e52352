"""One schema document as the relation reads it: what each place says in its dialect, and the validator's word on it."""

from __future__ import annotations

import json
from functools import cached_property

from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.panics import Panicked, contained
from mcpgen.schema.subschema_validators import SubschemaValidators
from mcpgen.schema.values import Json, get_json_type

VALUE_KINDS = ("null", "boolean", "object", "array", "string", "integer", "number")
"""What a value can be; here `number` is one that is not integral, so that no value is of two kinds."""
_KEYWORDS_OF_2020_12 = frozenset(
    (
        "prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains "
        "maxContains $dynamicRef"
    ).split()
)
DEEPEST_REFERENCE = 30


class SchemaView:
    """A schema document and its places."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self.schema, self.dialect = schema, dialect
        self.document = SchemaDocument(schema, dialect)
        self.draft_07 = dialect == DRAFT_07
        self.dynamic = not self.draft_07 and '"$dynamicRef"' in json.dumps(schema)
        """Whether what a part means may depend on how it was reached."""
        self._kinds: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
        self._named: dict[tuple[str, tuple[str, ...], str], dict[str, SchemaLocation]] = {}
        self._subs: dict[tuple[str, tuple[str, ...], str], list[SchemaLocation]] = {}

    @property
    def root(self) -> SchemaLocation:
        """The whole schema."""
        return self.document.root

    # --- what a place says --------------------------------------------------------------------------------------
    def applies_keywords(self, place: SchemaLocation) -> bool:
        """Whether the keywords of a place count: in draft-07, those beside a `$ref` do not."""
        return isinstance(place.schema, dict) and not (self.draft_07 and "$ref" in place.schema)

    def has(self, place: SchemaLocation, word: str) -> bool:
        """Whether a place has a keyword that its dialect knows."""
        if self.draft_07 and word in _KEYWORDS_OF_2020_12:
            return False
        if word == "additionalItems" and not self.draft_07:
            return False
        return self.applies_keywords(place) and place.has(word)

    def get(self, place: SchemaLocation, word: str) -> Json:
        """The value of such a keyword, None when it is not there."""
        return place.get(word) if self.has(place, word) else None

    def get_names(self, place: SchemaLocation, word: str) -> list[str]:
        """The value of a keyword that is a list of names, or a name."""
        value = self.get(place, word)
        held = value if isinstance(value, list) else [value]
        return [one for one in held if isinstance(one, str)]

    def get_subschema(self, place: SchemaLocation, word: str) -> SchemaLocation | None:
        """The schema that a keyword holds."""
        if not isinstance(self.get(place, word), dict | bool):
            return None
        return self._held(place, word)[0]

    def get_subschemas(self, place: SchemaLocation, word: str) -> list[SchemaLocation]:
        """The schemas of a keyword that holds a list of them."""
        return self._held(place, word) if isinstance(self.get(place, word), list) else []

    def _held(self, place: SchemaLocation, word: str) -> list[SchemaLocation]:
        key = (place.at, place.scope, word)
        if key not in self._subs:
            held = place.get(word)
            inside = self.document.get_subschema
            several = [inside(place, word, index) for index in range(len(held))] if isinstance(held, list) else None
            self._subs[key] = [inside(place, word)] if several is None else several
        return self._subs[key]

    def get_named_subschemas(self, place: SchemaLocation, word: str) -> dict[str, SchemaLocation]:
        """The schemas of a keyword that maps names to them."""
        held = self.get(place, word)
        if not isinstance(held, dict):
            return {}
        key = (place.at, place.scope, word)
        if key not in self._named:
            names = [name for name, inner in held.items() if isinstance(inner, dict | bool)]
            self._named[key] = {name: self.document.get_subschema(place, word, name) for name in names}
        return self._named[key]

    def resolve_references(self, place: SchemaLocation) -> list[SchemaLocation]:
        """Where the references of a place lead; a built-in meta-schema is a place without a pointer of its own."""
        return list(self.document.follow_references(place)) if isinstance(place.schema, dict) else []

    def refers_outside(self, place: SchemaLocation) -> bool:
        """Whether a reference leads to a built-in meta-schema, of which nothing is known here."""
        return any(one.at == place.at for one in self.resolve_references(place))

    def get_prefix(self, place: SchemaLocation) -> list[SchemaLocation]:
        """The schemas of the first items, one each."""
        if self.draft_07:
            return self.get_subschemas(place, "items")
        return self.get_subschemas(place, "prefixItems")

    def get_rest(self, place: SchemaLocation) -> SchemaLocation | None:
        """The schema of the items behind the prefix."""
        if self.draft_07 and isinstance(self.get(place, "items"), list):
            return self.get_subschema(place, "additionalItems")
        return self.get_subschema(place, "items")

    def get_dependents(self, place: SchemaLocation) -> list[tuple[str, tuple[str, ...], SchemaLocation | None]]:
        """What the presence of a property asks for: other properties, or a schema."""
        out: list[tuple[str, tuple[str, ...], SchemaLocation | None]] = []
        for word in ("dependentRequired", "dependentSchemas", "dependencies"):
            held = self.get(place, word)
            for name, asked in held.items() if isinstance(held, dict) else ():
                if isinstance(asked, list):
                    out.append((name, tuple(str(one) for one in asked), None))
                else:
                    out.append((name, (), self.document.get_subschema(place, word, name)))
        return out

    def get_number(self, place: SchemaLocation, word: str) -> int | float | None:
        """The value of a keyword that is a number."""
        value = self.get(place, word)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    # --- kinds --------------------------------------------------------------------------------------------------
    def kinds(self, place: SchemaLocation, depth: int = 0) -> frozenset[str]:
        """The kinds of values that may satisfy a place; never one too few."""
        key = (place.at, place.scope)
        if key in self._kinds:
            return self._kinds[key]
        if place.schema is False:
            return frozenset()
        if not isinstance(place.schema, dict) or depth > DEEPEST_REFERENCE:
            return frozenset(VALUE_KINDS)
        out = frozenset(VALUE_KINDS)
        if not self.refers_outside(place):
            for target in self.resolve_references(place):
                out &= self.kinds(target, depth + 1)
        if self.applies_keywords(place):
            out &= self._own_kinds(place, depth)
        if depth == 0:
            self._kinds[key] = out
        return out

    def _own_kinds(self, place: SchemaLocation, depth: int) -> frozenset[str]:
        out = frozenset(VALUE_KINDS)
        if self.has(place, "type"):
            out &= expand_types(self.get_names(place, "type"))
        for word in ("enum", "const"):
            if self.has(place, word):
                out &= frozenset(get_json_type(one) for one in self.values(place, word))
        for one in self.get_subschemas(place, "allOf"):
            out &= self.kinds(one, depth + 1)
        for word in ("anyOf", "oneOf"):
            if self.get_subschemas(place, word):
                out &= frozenset[str]().union(*(self.kinds(one, depth + 1) for one in self.get_subschemas(place, word)))
        ruled_out = self.get_subschema(place, "not")
        if ruled_out is not None and isinstance(ruled_out.schema, dict) and ruled_out.schema.keys() == {"type"}:
            out -= expand_types(self.get_names(ruled_out, "type"))
        return out

    def values(self, place: SchemaLocation, word: str) -> list[Json]:
        """The values of `enum` or `const`."""
        held = self.get(place, word)
        return [held] if word == "const" else held if isinstance(held, list) else []

    # --- the validator ------------------------------------------------------------------------------------------
    @cached_property
    def _validators(self) -> SubschemaValidators | None:
        try:
            return SubschemaValidators(self.schema, self.dialect)
        except ValueError:
            return None

    def is_valid(self, place: SchemaLocation, value: Json) -> bool | None:
        """Whether a value satisfies a place by itself, None when that cannot be told."""
        if isinstance(place.schema, bool):
            return place.schema
        if (self.dynamic and place.at) or self._validators is None:
            return None
        validator = self._validators.find_validator(place.at)
        try:
            with contained():
                return None if validator is None else validator.is_valid(value)
        except Panicked:
            return None

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern is found in a text."""
        return self.document.matches(pattern, text)


def expand_types(named: list[str]) -> frozenset[str]:
    """The kinds that names of JSON Schema types stand for."""
    kinds = frozenset(named)
    return kinds | {"integer"} if "number" in kinds else kinds

"""A schema rewritten into the small language whose Python types are exact, and what the rewriting had to widen.

The language (`Core`): `type`, `enum`, `anyOf`, `$ref` to a definition of its own, bounds, `items`, closed
`prefixItems`, `properties` that are all required, `additionalProperties`. A value that satisfies the schema always
satisfies the rewritten one; where the reverse may fail, the keyword is recorded as a check that is still needed.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from mcpgen.ir.types import Presence
from mcpgen.lower.normalize.bounds import (
    MAX_OPEN_PLACES,
    MAX_TYPE_DEPTH,
    MAX_TYPE_PARTS,
    Core,
    LoweringBudget,
    LoweringLimits,
    SchemaTooLarge,
    TypeSizes,
    make_identity_key,
    remove_duplicates,
)
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    MAX_SAFE_INTEGER,
    NATIVE_FORMATS,
    CoreProperty,
    NormalizedSchema,
    ObjectShape,
    SchemaPlace,
    list_direct_references,
    make_reference,
)
from mcpgen.lower.normalize.keywords import (
    KEYWORDS_OF_TYPES,
    KNOWN_KEYWORDS,
    NEVER_IN_TYPES,
    allows_everything,
    collect_keywords,
    list_names,
)
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import ANNOTATION_KEYWORDS, DRAFT_07
from mcpgen.schema.values import JSON_TYPES, Json, follow_pointer, format_pointer, get_json_type, parse_pointer

__all__ = [
    "Core",
    "CoreProperty",
    "NormalizedSchema",
    "ObjectShape",
    "SchemaPlace",
    "SchemaTooLarge",
    "normalize_schema",
]


def normalize_schema(
    schema: Json, dialect: str, prefix: str, native: bool = False, bounds: LoweringLimits | None = None
) -> NormalizedSchema:
    """Rewrite a self-contained schema.

    Args:
        schema: the schema.
        dialect: its dialect's URI.
        prefix: what keys of shapes and aliases start with.
        native: whether strings with a known `format` become datetime, date, time and UUID.
        bounds: how much it may unfold into.

    Raises:
        TooLarge: it unfolds into more than that.
    """
    return _Normalizer(schema, dialect, prefix, native, bounds or LoweringLimits()).run()


class _Normalizer:
    def __init__(self, schema: Json, dialect: str, prefix: str, native: bool, bounds: LoweringLimits) -> None:
        self._schema, self._dialect, self._prefix, self._native = schema, dialect, prefix, native
        self._limits = bounds
        self._index = SchemaIndex(schema, dialect)
        self._budget, self._measured = LoweringBudget(bounds, len(self._index.bases)), TypeSizes()
        self._got: dict[SchemaPlace, Json] = {}
        self._goals: dict[SchemaPlace, SchemaPlace] = {}
        self._flat: dict[tuple[SchemaPlace, ...], list[SchemaPlace] | None] = {}
        self._nullable: dict[tuple[tuple[SchemaPlace, ...], int], bool] = {}
        self._shapes: dict[str, ObjectShape] = {}
        self._shape_keys: dict[frozenset[SchemaPlace], str] = {}
        self._aliases: dict[str, tuple[tuple[SchemaPlace, ...], Core]] = {}
        self._done: dict[frozenset[SchemaPlace], Core] = {}
        self._active: dict[frozenset[SchemaPlace], str | None] = {}
        self._checks: dict[str, None] = {}
        self._notes: dict[str, str] = {}
        self._queue: deque[ObjectShape] = deque()

    def run(self) -> NormalizedSchema:
        root: tuple[SchemaPlace, ...] = (("", frozenset()),)
        parts = self._flatten(root)
        object_root = parts is not None and self._types(parts) == {"object"}
        says_object = isinstance(self._schema, dict) and self._schema.get("type") == "object"
        if not object_root and says_object and (parts is None or not self._types(parts)):
            self._any("", "type")
            object_root = True
        if object_root:
            key = frozenset(root)
            core = self._shape_ref(root, self._parts(root))
            self._done[key] = core
        else:
            core = self._lower(root)
        while self._queue:
            self._fill(self._queue.popleft())
        for _, alias in self._aliases.values():
            self._budget.count_types(self._measured.measure(alias)[1])
        for name in self._aliases:
            self._ground(name)
        return NormalizedSchema(
            core, self._shapes, self._aliases, sorted(self._checks), list(self._notes.items()), self._text(root)
        )

    # --- places -------------------------------------------------------------------------------------------------
    def _get(self, place: SchemaPlace) -> Json:
        if place not in self._got:
            at, without = place
            value = follow_pointer(self._schema, parse_pointer(at))
            if without and isinstance(value, dict):
                value = {key: inner for key, inner in value.items() if key not in without}
            self._got[place] = value
        return self._got[place]

    def _simplify(self, places: Iterable[SchemaPlace]) -> tuple[SchemaPlace, ...]:
        """Replace places that only refer to another by that other, so that equal schemas get one key."""
        return tuple(dict.fromkeys(self._goal(place) for place in places))

    def _goal(self, place: SchemaPlace) -> SchemaPlace:
        """Where a place leads that only refers to another one; of a circle, always the same place."""
        way: dict[SchemaPlace, None] = {}
        goal: SchemaPlace | None = None
        while goal is None:
            way[place] = None
            target = self._only_target(place)
            if target is None:
                goal = place
            elif target in way:
                goal = min((one for one in [*way][[*way].index(target) :]), key=lambda one: one[0])
            elif target in self._goals:
                goal = self._goals[target]
            else:
                place = target
        self._goals.update(dict.fromkeys(way, goal))
        return goal

    def _only_target(self, place: SchemaPlace) -> SchemaPlace | None:
        schema = self._get(place)
        if not isinstance(schema, dict):
            return None
        words = {k for k in schema if not self._silent(k)}
        ref = schema.get("$ref")
        if isinstance(ref, str) and (words == {"$ref"} or self._dialect == DRAFT_07):
            target = self._index.find_target(place[0], ref)
            return None if target is None else (target, frozenset())
        all_of = schema.get("allOf")
        if words == {"allOf"} and isinstance(all_of, list) and len(all_of) == 1:
            return (f"{place[0]}/allOf/0", frozenset())
        return None

    @staticmethod
    def _silent(keyword: str) -> bool:
        return (
            keyword in ANNOTATION_KEYWORDS
            or keyword.startswith("x-")
            or keyword in ("$defs", "definitions", "$id", "$anchor", "$schema", "$comment", "$dynamicAnchor")
            or keyword in ("format", "contentEncoding", "contentMediaType", "contentSchema")
            or keyword not in KNOWN_KEYWORDS
        )

    def _flatten(self, places: Iterable[SchemaPlace]) -> list[SchemaPlace] | None:
        """The places with `$ref` and `allOf` taken apart; None: one of them is `false`."""
        key = tuple(places)
        if key not in self._flat:
            self._flat[key] = self._taken_apart(key)
        return self._flat[key]

    def _taken_apart(self, places: tuple[SchemaPlace, ...]) -> list[SchemaPlace] | None:
        out: dict[SchemaPlace, None] = {}
        seen: set[SchemaPlace] = set()
        stack = list(places)[::-1]
        while stack:
            place = stack.pop()
            if place in seen:
                continue
            seen.add(place)
            self._budget.count_places()
            schema = self._get(place)
            if schema is False:
                return None
            if not isinstance(schema, dict):
                continue
            at, without = place
            ref = schema.get("$ref")
            further: list[SchemaPlace] = []
            if isinstance(ref, str):
                target = self._index.find_target(at, ref)
                if target is None:
                    self._check("$ref")
                else:
                    further.append((target, frozenset()))
                if self._dialect == DRAFT_07:
                    stack.extend(reversed(further))
                    continue
            all_of = schema.get("allOf")
            if isinstance(all_of, list):
                further += [(f"{at}/allOf/{index}", frozenset[str]()) for index in range(len(all_of))]
            if further:
                out[(at, without | {"$ref", "allOf"})] = None
                stack.extend(reversed(further))
            else:
                out[place] = None
        return list(out)

    def _parts(self, places: Iterable[SchemaPlace]) -> list[tuple[SchemaPlace, dict[str, Json]]]:
        flat = self._flatten(places) or []
        parts: list[tuple[SchemaPlace, dict[str, Json]]] = []
        for place in flat:
            schema = self._get(place)
            if isinstance(schema, dict):
                parts.append((place, schema))
        return parts

    def _types(self, flat: Iterable[SchemaPlace]) -> set[str]:
        types: set[str] = set(JSON_TYPES)
        for place in flat:
            schema = self._get(place)
            named = schema.get("type") if isinstance(schema, dict) else None
            if isinstance(named, str):
                named = [named]
            if isinstance(named, list):
                here = {str(name) for name in named}
                if "number" in here:
                    here.add("integer")
                types &= here
        if "number" in types:
            types.discard("integer")
        return types

    # --- types --------------------------------------------------------------------------------------------------
    def _lower(self, places: Iterable[SchemaPlace], tag: str = "") -> Core:
        """The type of the values that satisfy all these places."""
        simple = self._simplify(places)
        key = frozenset(simple)
        if key in self._done:
            return self._done[key]
        if key in self._active:
            alias = self._active[key] or f"{self._prefix}A{len(self._aliases)}"
            self._active[key] = alias
            self._aliases.setdefault(alias, (simple, ANY_CORE))
            return make_reference(alias)
        if len(self._active) >= MAX_OPEN_PLACES:
            return self._any(simple[0][0], "$ref", f"references lead {MAX_OPEN_PLACES} types deep into each other")
        self._active[key] = None
        core = self._fitting(self._compute(simple, tag), simple)
        alias_name = self._active.pop(key)
        if alias_name is not None:
            self._aliases[alias_name] = (simple, core)
            core = make_reference(alias_name)
        self._done[key] = core
        return core

    def _fitting(self, core: Core, places: tuple[SchemaPlace, ...]) -> Core:
        """The type itself, or any value where it is larger than Python or a reader can take."""
        levels, parts = self._measured.measure(core)
        if levels > MAX_TYPE_DEPTH:
            return self._any(places[0][0], "type", f"what it holds nests more than {MAX_TYPE_DEPTH} types")
        if parts > MAX_TYPE_PARTS:
            return self._any(places[0][0], "type", f"its type would have more than {MAX_TYPE_PARTS} parts")
        return core

    def _ground(self, name: str) -> None:
        """Cut an alias that means itself without an array or object between, which no type can say."""
        places, core = self._aliases[name]
        seen: set[str] = set()
        stack = list_direct_references(core)
        while stack:
            self._budget.count_places()
            key = stack.pop()
            if key == name:
                self._aliases[name] = (places, self._any(places[0][0], "$ref"))
                return
            if key in self._aliases and key not in seen:
                seen.add(key)
                stack += list_direct_references(self._aliases[key][1])

    def _compute(self, places: tuple[SchemaPlace, ...], tag: str) -> Core:
        flat = self._flatten(places)
        if flat is None:
            return self._any(places[0][0], "false")
        parts = self._parts(places)
        self._record(parts)
        types = self._types(flat)
        words = collect_keywords(parts)
        if not types:
            return self._any(places[0][0], "type")
        values = self._values(parts, types)
        if values is not None:
            return self._choice(values, words, places[0][0])
        unions = [(place, word) for place, schema in parts for word in ("anyOf", "oneOf") if word in schema]
        if unions:
            return self._union(places, parts, unions, types, tag)
        return self._of_types(places, parts, types, tag)

    def _of_types(
        self,
        places: tuple[SchemaPlace, ...],
        parts: list[tuple[SchemaPlace, dict[str, Json]]],
        types: set[str],
        tag: str,
    ) -> Core:
        words = collect_keywords(parts)
        if types == set(JSON_TYPES) - {"integer"}:
            for word in sorted(words & KEYWORDS_OF_TYPES):
                self._check(word)
            return ANY_CORE
        members = [self._of_type(name, places, parts, tag) for name in JSON_TYPES if name in types]
        return members[0] if len(members) == 1 else {"anyOf": list[Json](members)}

    def _of_type(
        self, name: str, places: tuple[SchemaPlace, ...], parts: list[tuple[SchemaPlace, dict[str, Json]]], tag: str
    ) -> Core:
        match name:
            case "object":
                return self._object(places, parts, tag)
            case "array":
                return self._array(parts)
            case "string":
                return self._string(parts)
            case "integer" | "number":
                return {"type": name, **self._bounds(parts, name == "integer")}
            case _:
                return {"type": name}

    def _record(self, parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> None:
        for _, schema in parts:
            for word in schema:
                if word in NEVER_IN_TYPES and not allows_everything(word, schema[word]):
                    self._check("dynamicRef" if word == "$dynamicRef" else word)
                if word == "uniqueItems" and schema[word] is True:
                    self._check(word)

    def _values(self, parts: list[tuple[SchemaPlace, dict[str, Json]]], types: set[str]) -> list[Json] | None:
        """The values that `enum` and `const` leave, None when neither is there."""
        found: list[Json] | None = None
        for _, schema in parts:
            for word in ("enum", "const"):
                if word not in schema:
                    continue
                here = schema[word] if word == "enum" else [schema[word]]
                assert isinstance(here, list)
                if found is None:
                    found = here
                else:
                    both = {make_identity_key(value) for value in here}
                    found = [value for value in found if make_identity_key(value) in both]
        if found is None:
            return None
        kinds = types | ({"integer"} if "number" in types else set[str]())
        return [
            value
            for value in found
            if get_json_type(value) in kinds or (get_json_type(value) == "number" and "number" in kinds)
        ]

    def _choice(self, values: list[Json], words: set[str], at: str) -> Core:
        for word in sorted((words & KEYWORDS_OF_TYPES) | (words & {"anyOf", "oneOf"})):
            self._check(word)
        plain: dict[object, Json] = {}
        others: list[Core] = []
        for value in values:
            kind = get_json_type(value)
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, str | bool | int | None) and (
                not isinstance(value, int) or abs(value) <= MAX_SAFE_INTEGER
            ):
                plain.setdefault(make_identity_key(value), value)
                continue
            self._check("enum")
            wide: Core = {"type": "number" if kind == "integer" else kind}
            if kind == "array":
                wide["items"] = {}
            if wide not in others:
                others.append(wide)
        if not values:
            return self._any(at, "enum")
        members: list[Core] = [{"enum": [*plain.values()]}] if plain else []
        if len(plain) > self._limits.members:
            self._leave(at, "enum", f"{len(plain)} values")
            members = [{"type": kind} for kind in dict.fromkeys(map(get_json_type, plain.values()))]
        members += (one for one in others if one not in members)
        return members[0] if len(members) == 1 else {"anyOf": list[Json](members)}

    def _union(
        self,
        places: tuple[SchemaPlace, ...],
        parts: list[tuple[SchemaPlace, dict[str, Json]]],
        unions: Sequence[tuple[SchemaPlace, str]],
        types: set[str],
        tag: str,
    ) -> Core:
        (at, _), word = unions[0]
        for _, other in unions[1:]:
            self._check(other)
        count = self._count(at, word)
        branches = [(f"{at}/{word}/{index}", frozenset[str]()) for index in range(count)]
        words = collect_keywords(parts)
        bare = types == set(JSON_TYPES) - {"integer"} and not words & KEYWORDS_OF_TYPES and len(unions) == 1
        if count > self._limits.members:
            self._leave(at, word, f"{count} members")
            branches = []
        if bare and branches:
            base: tuple[SchemaPlace, ...] = ()
        elif any(self._adds(branch) for branch in branches):
            gone = {place: frozenset(w for p, w in unions if p == place) for place, _ in unions}
            base = tuple((p[0], p[1] | gone.get(p, frozenset[str]())) for p, _ in parts)
        else:
            self._check(word)
            kept = tuple((p[0], p[1] | {"anyOf", "oneOf"}) for p, _ in parts)
            return self._of_types(kept, self._parts(kept), types, tag)
        found: list[Core] = []
        tags = self._tags(branches, base)
        for index, branch in enumerate(branches):
            if self._impossible((branch, *base)):
                continue
            own_tag = tags[1][index] if tags else ""
            found.append(self._lower((branch, *base) if base else (branch,), own_tag))
        members = remove_duplicates(found)
        if word == "oneOf" and not self._disjoint(branches, base, tags is not None):
            self._check("oneOf")
        if not members:
            return self._any(at, word)
        if ANY_CORE in members:
            if len(members) > 1:
                self._check(word)
            return ANY_CORE
        return members[0] if len(members) == 1 else {"anyOf": list[Json](members)}

    def _count(self, at: str, word: str) -> int:
        held = follow_pointer(self._schema, parse_pointer(at))
        assert isinstance(held, dict)
        branches = held[word]
        assert isinstance(branches, list)
        return len(branches)

    def _impossible(self, places: tuple[SchemaPlace, ...]) -> bool:
        flat = self._flatten(places)
        return flat is None or not self._types(flat)

    def _adds(self, branch: SchemaPlace) -> bool:
        """Whether a branch says more about the shape than which properties are required or excluded."""
        shaping = {
            "properties",
            "type",
            "items",
            "prefixItems",
            "enum",
            "const",
            "additionalProperties",
            "anyOf",
            "oneOf",
        }
        return any(shaping & schema.keys() for _, schema in self._parts((branch,)))

    def _tags(self, branches: list[SchemaPlace], base: tuple[SchemaPlace, ...]) -> tuple[str, list[str]] | None:
        """A property that is required in every branch and there a constant string unlike the others'."""
        found: list[dict[str, str]] = []
        for branch in branches:
            parts = self._parts((branch, *base))
            if self._types([place for place, _ in parts]) != {"object"}:
                return None
            required = {str(n) for _, s in parts for n in list_names(s.get("required"))}
            here: dict[str, str] = {}
            for (at, _), schema in parts:
                properties = schema.get("properties")
                for name in properties if isinstance(properties, dict) else ():
                    values = self._values(
                        self._parts(((at + format_pointer("properties", name), frozenset()),)), set(JSON_TYPES)
                    )
                    if values is not None and len(values) == 1 and isinstance(values[0], str) and name in required:
                        here[name] = values[0]
            found.append(here)
        for name in found[0] if found else ():
            constants = [here.get(name) for here in found]
            if None not in constants and len(set(constants)) == len(constants):
                return name, [str(constant) for constant in constants]
        return None

    def _disjoint(self, branches: list[SchemaPlace], base: tuple[SchemaPlace, ...], tagged: bool) -> bool:
        """Whether no value can satisfy two branches."""
        if tagged:
            return True
        seen: set[str] = set()
        for branch in branches:
            flat = self._flatten((branch, *base))
            if flat is None:
                continue
            types = self._types(flat)
            values = self._values(self._parts((branch, *base)), types)
            if values is not None:
                types = {get_json_type(value) for value in values}
            if "number" in types:
                types.add("integer")
            if "integer" in types:
                types.add("number")
            if types & seen:
                return False
            seen |= types
        return True

    def _string(self, parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> Core:
        sizes = self._sizes(parts, "minLength", "maxLength")
        encodings = {str(schema["contentEncoding"]) for _, schema in parts if "contentEncoding" in schema}
        formats = {str(schema["format"]) for _, schema in parts if "format" in schema}
        special = "byte" if encodings == {"base64"} else ""
        if not special and self._native and len(formats) == 1:
            special = next((name for name in NATIVE_FORMATS if name in formats), "")
        if not special:
            return {"type": "string", **sizes}
        for word in sizes:
            self._check(word)  # lengths are those of the text, not of what it stands for
        return {"type": "string", "format": special}

    # --- bounds -------------------------------------------------------------------------------------------------
    def _sizes(self, parts: list[tuple[SchemaPlace, dict[str, Json]]], least: str, most: str) -> Core:
        out: Core = {}
        for _, schema in parts:
            for word, tighter in ((least, max), (most, min)):
                value = schema.get(word)
                if not isinstance(value, int | float):
                    continue
                if value > MAX_SAFE_INTEGER:
                    self._check(word)
                    continue
                held = out.get(word)
                out[word] = int(value) if not isinstance(held, int) else tighter(held, int(value))
        if out.get(least) == 0:
            del out[least]
        return out

    def _bounds(self, parts: list[tuple[SchemaPlace, dict[str, Json]]], whole: bool) -> Core:
        out: Core = {}
        for _, schema in parts:
            for word in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
                value = schema.get(word)
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                if abs(value) > MAX_SAFE_INTEGER or (
                    isinstance(value, float) and not value.is_integer() and abs(value) < 1e-300
                ):
                    self._check(word)
                    continue
                if whole and not float(value).is_integer():
                    lower = "inimum" in word
                    word, value = ("minimum", math.ceil(value)) if lower else ("maximum", math.floor(value))
                held = out.get(word)
                tighter = max if "inimum" in word else min
                number = int(value) if float(value).is_integer() else value
                out[word] = tighter(held, number) if isinstance(held, int | float) else number
        return out

    # --- arrays -------------------------------------------------------------------------------------------------
    def _array(self, parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> Core:
        sizes = self._sizes(parts, "minItems", "maxItems")
        fixed: list[tuple[SchemaPlace, ...]] = []
        rest: tuple[SchemaPlace, ...] = ()
        closed = False
        tuples = 0
        for (at, _), schema in parts:
            prefix, tail = self._array_words(schema)
            here = schema.get(prefix)
            if isinstance(here, list) and len(here) > self._limits.members:
                self._leave(at, prefix, f"{len(here)} items")
                return {"type": "array", "items": {}, **sizes}
            if isinstance(here, list) and here:
                tuples += 1
                for index in range(len(here)):
                    place = (at + format_pointer(prefix, index), frozenset[str]())
                    if index < len(fixed):
                        fixed[index] = (*fixed[index], place)
                    else:
                        fixed.append((place,))
            if tail in schema and tail != prefix:
                closed = closed or schema[tail] is False
                rest = (*rest, (at + format_pointer(tail), frozenset()))
        if tuples:
            return self._tuple(fixed, rest, closed, tuples == 1 and len(parts) >= 1, sizes)
        if closed:
            self._check("items")
            return {"type": "array", "items": {}, **sizes}
        return {"type": "array", "items": self._lower(rest) if rest else ANY_CORE, **sizes}

    def _array_words(self, schema: dict[str, Json]) -> tuple[str, str]:
        if self._dialect == DRAFT_07:
            return ("items", "additionalItems") if isinstance(schema.get("items"), list) else ("prefixItems", "items")
        return "prefixItems", "items"

    def _tuple(
        self,
        fixed: list[tuple[SchemaPlace, ...]],
        rest: tuple[SchemaPlace, ...],
        closed: bool,
        single: bool,
        sizes: Core,
    ) -> Core:
        items = [self._lower(places) for places in fixed]
        least, most = sizes.get("minItems", 0), sizes.get("maxItems")
        ends = closed or (isinstance(most, int) and most <= len(items))
        if single and ends and least == len(items) and most in (None, len(items)):
            count = len(items)
            return {
                "type": "array",
                "prefixItems": list[Json](items),
                "items": False,
                "minItems": count,
                "maxItems": count,
            }
        self._check("prefixItems")
        if not single:
            return {"type": "array", "items": {}, **sizes}
        if not ends:
            items.append(self._lower(rest) if rest else ANY_CORE)
        if closed and most is None:
            sizes = {**sizes, "maxItems": len(fixed)}
        members = remove_duplicates(items)
        if ANY_CORE in members:
            return {"type": "array", "items": {}, **sizes}
        return {"type": "array", "items": members[0] if len(members) == 1 else {"anyOf": list[Json](members)}, **sizes}

    # --- objects ------------------------------------------------------------------------------------------------
    def _object(
        self, places: tuple[SchemaPlace, ...], parts: list[tuple[SchemaPlace, dict[str, Json]]], tag: str
    ) -> Core:
        declared = any(schema.get("properties") or schema.get("required") for _, schema in parts)
        if declared:
            return self._shape_ref(places, parts, tag)
        extra = self._extra(parts)
        if extra is None:
            return self._shape_ref(places, parts, tag)
        return {"type": "object", "additionalProperties": extra}

    def _shape_ref(
        self, places: tuple[SchemaPlace, ...], parts: list[tuple[SchemaPlace, dict[str, Json]]], tag: str = ""
    ) -> Core:
        key = frozenset(places)
        if key not in self._shape_keys:
            if len(self._shapes) >= self._limits.classes:
                raise SchemaTooLarge(f"it unfolds into more than {self._limits.classes} classes (`limits.classes`)")
            name = f"{self._prefix}C{len(self._shapes)}"
            self._shape_keys[key] = name
            at = next((p for p, _ in places if self._says_object(p)), places[0][0])
            shape = ObjectShape(name, at, places=places, tag=tag, description=self._text(places))
            self._shapes[name] = shape
            self._queue.append(shape)
        return make_reference(self._shape_keys[key])

    def _says_object(self, at: str) -> bool:
        schema = follow_pointer(self._schema, parse_pointer(at))
        return isinstance(schema, dict) and bool({"properties", "allOf", "$ref", "required"} & schema.keys())

    def _fill(self, shape: ObjectShape) -> None:
        """Lower the properties of a shape; put off until here, so that classes may refer to one another."""
        parts = self._parts(shape.places)
        if shape.pointer == "" or len(shape.places) == 1:
            self._record(parts)
            for _, schema in parts:
                for word in ("anyOf", "oneOf", "enum", "const"):
                    if word in schema:
                        self._check(word)
        required: dict[str, None] = {}
        names: dict[str, None] = {}
        for _, schema in parts:
            properties = schema.get("properties")
            names.update(dict.fromkeys(properties if isinstance(properties, dict) else ()))
            required.update(dict.fromkeys(str(n) for n in list_names(schema.get("required"))))
        names.update(required)
        if len(names) > self._limits.members:
            self._leave(shape.pointer, "properties", f"{len(names)} properties")
            self._check("required")
            self._check("additionalProperties")
            shape.extra = ANY_CORE
            return
        declared = self._declared(parts)
        for name in names:
            places = declared.find_places(name)
            core = self._lower(places) if places else ANY_CORE
            self._budget.count_types(self._measured.measure(core)[1])
            present = name in required
            null = self._admits_null(places)
            presence = Presence.REQUIRED if present else Presence.OPTIONAL_NULLABLE if null else Presence.OPTIONAL
            shape.properties.append(CoreProperty(name, core, presence, self._own_text(places)))
        shape.extra = self._extra(parts)

    def _declared(self, parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> _DeclaredProperties:
        """What speaks of the properties: a part that does not declare one may limit it as an additional one."""
        found = _DeclaredProperties(self._budget)
        for index, ((at, _), schema) in enumerate(parts):
            properties = schema.get("properties")
            names = properties if isinstance(properties, dict) else {}
            for name in names:
                found.named.setdefault(name, []).append((index, (at + format_pointer("properties", name), frozenset())))
            if "additionalProperties" in schema and not schema.get("patternProperties"):
                found.others.append((index, (at + format_pointer("additionalProperties"), frozenset()), names.keys()))
            if schema.get("patternProperties"):
                self._check("patternProperties")
        return found

    def _extra(self, parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> Core | None:
        """The type of undeclared properties, None when there are none."""
        places: list[SchemaPlace] = []
        patterns: list[SchemaPlace] = []
        closed = False
        for (at, _), schema in parts:
            held = schema.get("patternProperties")
            if isinstance(held, dict) and held:
                self._check("patternProperties")
                patterns += [(at + format_pointer("patternProperties", name), frozenset[str]()) for name in held]
            if "additionalProperties" in schema:
                closed = closed or schema["additionalProperties"] is False
                places.append((at + format_pointer("additionalProperties"), frozenset()))
        if patterns:
            if len(parts) > 1:
                return ANY_CORE
            if len(patterns) > self._limits.members:
                self._leave(patterns[0][0].rpartition("/")[0], "patternProperties", f"{len(patterns)} patterns")
                return ANY_CORE
            members = [self._lower((place,)) for place in patterns]
            if not closed:
                members.append(self._lower(places) if places else ANY_CORE)
            unique = remove_duplicates(members)
            return unique[0] if len(unique) == 1 else ANY_CORE if ANY_CORE in unique else {"anyOf": list[Json](unique)}
        if closed:
            return None
        return self._lower(places) if places else ANY_CORE

    def _admits_null(self, places: tuple[SchemaPlace, ...]) -> bool:
        """Whether null may satisfy these places; in doubt, yes."""
        return self._null(places, 0)

    def _null(self, places: tuple[SchemaPlace, ...], depth: int) -> bool:
        key = (places, depth)
        if key not in self._nullable:
            self._nullable[key] = self._looked_for_null(places, depth)
        return self._nullable[key]

    def _looked_for_null(self, places: tuple[SchemaPlace, ...], depth: int) -> bool:
        flat = self._flatten(places)
        if flat is None or depth > 40:
            return flat is not None
        parts = self._parts(places)
        if "null" not in self._types(flat):
            return False
        values = self._values(parts, set(JSON_TYPES))
        if values is not None and None not in values:
            return False
        for place, schema in parts:
            for word in ("anyOf", "oneOf"):
                if word in schema:
                    count = self._count(place[0], word)
                    if not any(self._null(((f"{place[0]}/{word}/{i}", frozenset()),), depth + 1) for i in range(count)):
                        return False
        return True

    # --- findings -----------------------------------------------------------------------------------------------
    def _check(self, keyword: str) -> None:
        self._checks[keyword] = None

    def _any(self, at: str, keyword: str, why: str = "") -> Core:
        """Any value, with a note that says why; by default that there is no value at all."""
        self._check(keyword if keyword != "false" else "false schema")
        why = why or f"{keyword} admits no value that a type could name"
        self._notes.setdefault(at, f"{why}, so this is a JSON value")
        return ANY_CORE

    def _leave(self, at: str, keyword: str, what: str) -> None:
        """Leave a keyword with too many members to the exact check."""
        self._check(keyword)
        self._notes.setdefault(
            at, f"{what} are more than {self._limits.members} (`limits.members`), so the type does not say them"
        )

    def _own_text(self, places: Iterable[SchemaPlace]) -> str:
        """The description that stands at one of the places themselves, not behind a reference."""
        texts = (schema.get("description") for place in places if isinstance(schema := self._get(place), dict))
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")

    def _text(self, places: Iterable[SchemaPlace]) -> str:
        for place in places:
            seen: set[SchemaPlace] = set()
            at: SchemaPlace | None = place
            while at is not None and at not in seen:
                seen.add(at)
                schema = self._get(at)
                text = schema.get("description") if isinstance(schema, dict) else None
                if isinstance(text, str) and text.strip():
                    return text
                at = self._only_target(at)
        return ""


@dataclass
class _DeclaredProperties:
    """Which places speak of a property, each with the number of its part."""

    budget: LoweringBudget
    named: dict[str, list[tuple[int, SchemaPlace]]] = field(default_factory=dict[str, list[tuple[int, SchemaPlace]]])
    others: list[tuple[int, SchemaPlace, Collection[str]]] = field(
        default_factory=list[tuple[int, SchemaPlace, Collection[str]]]
    )
    """`additionalProperties`, and the names that they do not limit."""

    def find_places(self, name: str) -> tuple[SchemaPlace, ...]:
        """The places that speak of a property, in the order of their parts."""
        found = self.named.get(name, [])
        if self.others:
            self.budget.count_places(len(self.others))
            found = sorted([*found, *((index, place) for index, place, names in self.others if name not in names)])
        return tuple(place for _, place in found)

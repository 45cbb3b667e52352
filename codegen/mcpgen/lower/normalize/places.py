"""Read the places of a schema: follow references, take `$ref` and `allOf` apart, find alternatives and conditions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from mcpgen.lower.normalize.constraints import intersect_types
from mcpgen.lower.normalize.core import Core, NormalizationFindings, Parts, Places, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringBudget, TypeSizes
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, DRAFT_07, is_vacuous
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, parse_pointer

_FLATTENED_KEYWORDS = frozenset(["$ref", "allOf"])


class LowerPlaces(Protocol):
    """Lowers a subschema; the passes for arrays, objects and unions call it for what is inside."""

    def __call__(self, places: Iterable[SchemaPlace], tag: str = "") -> Core:
        """Return the type of the values that satisfy all these places; `tag`: see `core.CoreClass`."""
        ...


class NormalizationContext:
    """One run over one schema: its options, what the passes record, and the places of the schema, each read once."""

    def __init__(self, request: LoweringRequest, prefix: str = "A") -> None:
        self.request, self.prefix = request, prefix
        self.dialect, self.limits = request.schema.dialect, request.limits
        self._index = SchemaIndex(request.schema.value, self.dialect)
        self.budget = LoweringBudget(self.limits, len(self._index.bases))
        self.sizes = TypeSizes()
        self.findings = NormalizationFindings(self.limits)
        self._schemas: dict[SchemaPlace, Json] = {}
        self._ends: dict[SchemaPlace, SchemaPlace] = {}
        self._parts: dict[Places, Parts | None] = {}

    def read_schema(self, place: SchemaPlace) -> Json:
        """Return the schema at a place, without the keywords that count as absent there."""
        if place not in self._schemas:
            schema = follow_pointer(self._index.root, parse_pointer(place.pointer))
            if place.without and isinstance(schema, dict):
                schema = {keyword: value for keyword, value in schema.items() if keyword not in place.without}
            self._schemas[place] = schema
        return self._schemas[place]

    # --- references ---------------------------------------------------------------------------------------------
    def follow_all(self, places: Iterable[SchemaPlace]) -> Places:
        """Replace each place that only refers to another by that other, so that equal schemas become equal keys."""
        return tuple(dict.fromkeys(self._follow(place) for place in places))

    def _follow(self, place: SchemaPlace) -> SchemaPlace:
        """Return the end of a chain of references; of a circle, always the same place."""
        chain: dict[SchemaPlace, None] = {}
        end: SchemaPlace | None = None
        while end is None:
            chain[place] = None
            target = self._find_only_target(place)
            if target is None:
                end = place
            elif target in chain:
                path = [*chain]
                end = min(path[path.index(target) :], key=lambda step: step.pointer)
            elif target in self._ends:
                end = self._ends[target]
            else:
                place = target
        self._ends.update(dict.fromkeys(chain, end))
        return end

    def _find_only_target(self, place: SchemaPlace) -> SchemaPlace | None:
        """Return the place that a schema refers to by `$ref` or `allOf`, None if it says more than that place does."""
        schema = self.read_schema(place)
        if not isinstance(schema, dict):
            return None
        ref = schema.get("$ref")
        target = self._index.find_target(place.pointer, ref) if isinstance(ref, str) else None
        if isinstance(ref, str) and (target is None or self.dialect == DRAFT_07):
            return None if target is None else SchemaPlace(target)
        targets = [] if target is None else [SchemaPlace(target)]
        for index, member in enumerate(as_array(schema.get("allOf"))):
            if _list_constraints(member):
                targets.append(SchemaPlace(f"{place.pointer}/allOf/{index}"))
        if len(targets) != 1 or not _list_constraints(schema) <= {"type", *_FLATTENED_KEYWORDS}:
            return None
        own_types = intersect_types([SchemaPart(place, schema)])
        repeats_type = "type" not in schema or intersect_types(self.list_parts(targets)) <= own_types
        return targets[0] if repeats_type else None

    # --- parts --------------------------------------------------------------------------------------------------
    def flatten(self, places: Iterable[SchemaPlace]) -> Parts | None:
        """Return the schema objects that a value of all the places satisfies, with `$ref` and `allOf` taken apart.

        That is None where one of them is `false`.
        """
        key = tuple(places)
        if key not in self._parts:
            self._parts[key] = self._compute_parts(key)
        return self._parts[key]

    def list_parts(self, places: Iterable[SchemaPlace]) -> Parts:
        """Return the parts of some places as `flatten` does, none where one of the places is `false`."""
        return self.flatten(places) or ()

    def _compute_parts(self, places: Places) -> Parts | None:
        flat: dict[SchemaPlace, None] = {}
        visited: set[SchemaPlace] = set()
        stack = list(places)[::-1]
        while stack:
            place = stack.pop()
            if place in visited:
                continue
            visited.add(place)
            self.budget.count_places()
            schema = self.read_schema(place)
            if schema is False:
                return None
            if not isinstance(schema, dict):
                continue
            combined = self._list_combined(place, schema)
            stack.extend(reversed(combined))
            if self.dialect == DRAFT_07 and isinstance(schema.get("$ref"), str):
                continue  # keywords beside a reference do not count
            flat[place._replace(without=place.without | _FLATTENED_KEYWORDS) if combined else place] = None
        parts: list[SchemaPart] = []
        for place in flat:
            schema = self.read_schema(place)
            assert isinstance(schema, dict)
            parts.append(SchemaPart(place, schema))
        return tuple(parts)

    def _list_combined(self, place: SchemaPlace, schema: dict[str, Json]) -> list[SchemaPlace]:
        combined: list[SchemaPlace] = []
        ref = schema.get("$ref")
        if isinstance(ref, str):
            target = self._index.find_target(place.pointer, ref)
            if target is None:
                self.findings.require_check("$ref")
            else:
                combined.append(SchemaPlace(target))
            if self.dialect == DRAFT_07:
                return combined
        all_of = schema.get("allOf")
        if isinstance(all_of, list):
            combined += [SchemaPlace(f"{place.pointer}/allOf/{index}") for index in range(len(all_of))]
        return combined

    # --- descriptions -------------------------------------------------------------------------------------------
    def find_own_description(self, places: Iterable[SchemaPlace]) -> str:
        """Return the description that stands at one of the places themselves, not behind a reference."""
        return next((text for place in places if (text := self._read_description(place))), "")

    def find_description(self, places: Iterable[SchemaPlace]) -> str:
        """Return the first description at one of the places or behind their references."""
        for place in places:
            visited: set[SchemaPlace] = set()
            step: SchemaPlace | None = place
            while step is not None and step not in visited:
                visited.add(step)
                if text := self._read_description(step):
                    return text
                step = self._find_only_target(step)
        return ""

    def _read_description(self, place: SchemaPlace) -> str:
        schema = as_object(self.read_schema(place))
        remarks = [member for member in as_array(schema.get("allOf")) if not _list_constraints(member)]
        texts = [as_object(part).get("description") for part in (schema, *remarks)]
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _list_constraints(schema: Json) -> set[str]:
    """Return the keywords of a schema that may refuse a value; `false` is one of its own."""
    if not isinstance(schema, dict):
        return set() if schema is True else {"false"}
    return {name for name in schema.keys() & CONSTRAINING_KEYWORDS if not is_vacuous(name, schema[name])}


# --- alternatives -----------------------------------------------------------------------------------------------------
class Alternatives(NamedTuple):
    """An `anyOf` or `oneOf` of a part."""

    part: SchemaPart
    keyword: str

    @property
    def branches(self) -> list[SchemaPlace]:
        """The places of its branches."""
        return self.part.list_branches(self.keyword)


def find_alternatives(parts: Sequence[SchemaPart]) -> list[Alternatives]:
    """Return every `anyOf` and `oneOf` of some parts, but for those whose branches are conditions."""
    return [
        Alternatives(part, keyword)
        for part in parts
        for keyword in ("anyOf", "oneOf")
        if keyword in part.schema and keyword not in part.place.merged
    ]


def remove_alternatives(
    parts: Sequence[SchemaPart], removed: Sequence[Alternatives], merged: Sequence[Alternatives] = ()
) -> Places:
    """Return the places of some parts without their alternatives, and with the branches of others as conditions."""
    without, conditions = _group_keywords(removed), _group_keywords(merged)
    return tuple(
        part.place._replace(
            without=part.place.without | without[part.place], merged=part.place.merged | conditions[part.place]
        )
        for part in parts
    )


def _group_keywords(alternatives: Sequence[Alternatives]) -> dict[SchemaPlace, frozenset[str]]:
    keywords: dict[SchemaPlace, frozenset[str]] = defaultdict(frozenset)
    for alternative in alternatives:
        keywords[alternative.part.place] |= {alternative.keyword}
    return keywords


# --- conditions -------------------------------------------------------------------------------------------------------
def find_conditional_properties(parts: Iterable[SchemaPart], context: NormalizationContext) -> dict[str, Places]:
    """Return the places of each property that some parts declare under a condition, in the order of the schema.

    Conditions are `if`, `dependentSchemas`, and branches that are not unfolded.
    """
    conditional: dict[str, dict[SchemaPlace, None]] = {}
    visited: set[SchemaPlace] = set()
    todo = [place for part in parts for place in _list_conditional_places(part)][::-1]
    while todo:
        place = todo.pop()
        if place in visited:
            continue
        visited.add(place)
        inner: list[SchemaPlace] = []
        for part in context.list_parts((place,)):
            for name, schema in part.properties.items():
                if schema is not False:
                    conditional.setdefault(name, {})[part.locate("properties", name)] = None
            inner += _list_conditional_places(part)
        todo += reversed(inner)
    return {name: tuple(property_places) for name, property_places in conditional.items()}


def _list_conditional_places(part: SchemaPart) -> list[SchemaPlace]:
    places = [*part.list_branches("anyOf"), *part.list_branches("oneOf")]
    if "if" in part.schema:
        places += [part.locate(keyword) for keyword in ("if", "then", "else") if keyword in part.schema]
    for keyword in ("dependentSchemas", "dependencies"):
        dependents = as_object(part.schema.get(keyword))
        places += [part.locate(keyword, name) for name in dependents if isinstance(dependents[name], dict)]
    return places

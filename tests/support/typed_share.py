"""Which declared properties are typed fields: a walk over schemas beside one over the generated classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args, get_origin

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import JSON_TYPES, Json, follow_pointer, format_pointer, get_json_type, parse_pointer
from mcpgen_runtime import conversion
from mcpgen_runtime.models import JsonObject

_ANY_TYPE = frozenset(JSON_TYPES) - {"integer"}


class Place(NamedTuple):
    """A subschema, and whether it concerns every value there (`sure`) or only those of a branch."""

    pointer: str
    sure: bool


@dataclass
class Share:
    """Declared properties, and those that are no typed field, each with its reason."""

    declared: int = 0
    untyped: dict[str, str] = field(default_factory=dict[str, str])
    """Where the property is declared: why it is not typed."""

    def add(self, other: Share, prefix: str) -> None:
        """Count another schema's properties, too."""
        self.declared += other.declared
        self.untyped.update({prefix + pointer: reason for pointer, reason in other.untyped.items()})

    @property
    def percentage(self) -> float:
        """Return the typed ones of a hundred."""
        return 100 * (1 - len(self.untyped) / self.declared) if self.declared else 100.0

    def count_reasons(self) -> Counter[str]:
        """Count the properties that are not typed by reason."""
        return Counter(self.untyped.values())


def measure_package(package: Any) -> Share:
    """Measure all input and output schemas of an imported package."""
    share = Share()
    for name, tool in package.TOOLS.items():
        for keyword, types in (("inputSchema", package.ARGUMENT_TYPES), ("outputSchema", package.RESULT_TYPES)):
            if keyword in tool:
                share.add(measure_schema(tool[keyword], types[name]), f"{name} {keyword} #")
    return share


def measure_schema(schema: Json, root_class: Any) -> Share:
    """Measure one schema and the class of its root."""
    return _Walk(schema, root_class).run()


class _SchemaReader:
    """A schema, and which of its subschemas concern the same value."""

    def __init__(self, schema: Json) -> None:
        self._index = SchemaIndex(schema, detect_dialect(schema) or DRAFT_2020_12)
        self.dialect = self._index.dialect

    def read(self, pointer: str) -> Json:
        """Return the subschema at a pointer."""
        return follow_pointer(self._index.root, parse_pointer(pointer))

    def collect_applied(self, places: Iterable[Place]) -> dict[str, bool]:
        """Return all subschemas that concern the same value, each with whether it always does."""
        applied: dict[str, bool] = {}
        todo = [place for place in places if place.sure]
        branches = [place for place in places if not place.sure]
        while todo or branches:
            place = todo.pop() if todo else branches.pop()
            if applied.get(place.pointer, False) or (place.pointer in applied and not place.sure):
                continue
            if not place.sure and self._contradicts(
                place.pointer, [pointer for pointer, sure in applied.items() if sure]
            ):
                continue
            applied[place.pointer] = place.sure
            for inner in self._list_applied(place):
                (todo if inner.sure else branches).append(inner)
        return applied

    def _contradicts(self, branch: str, pointers: Iterable[str]) -> bool:
        """Report whether a branch requires other values than those of a place which holds for every value."""
        schema = self.read(branch)
        required = _get_list(schema, "required") if isinstance(schema, dict) else []
        values = self._list_values(branch)
        return any(
            name in required and not any(value in allowed for value in values[name])
            for pointer in pointers
            for name, allowed in self._list_values(pointer).items()
            if name in values
        )

    def _list_values(self, pointer: str) -> dict[str, list[Json]]:
        """Return the values that `const` and `enum` allow for properties."""
        schema = self.read(pointer)
        properties = _get_map(schema, "properties") if isinstance(schema, dict) else {}
        inner_schemas = {name: inner for name, inner in properties.items() if isinstance(inner, dict)}
        constants = {name: [inner["const"]] for name, inner in inner_schemas.items() if "const" in inner}
        lists = {name: _get_list(inner, "enum") for name, inner in inner_schemas.items() if "enum" in inner}
        return {**lists, **constants}

    def _list_applied(self, place: Place) -> Iterator[Place]:
        schema = self.read(place.pointer)
        if not isinstance(schema, dict):
            return
        ref = schema.get("$ref")
        if isinstance(ref, str):
            target = self._index.find_target(place.pointer, ref)
            if target is not None:
                yield Place(target, place.sure)
            if self._index.dialect == DRAFT_07:
                return
        for keyword in ("allOf", "anyOf", "oneOf"):
            for index, _ in enumerate(_get_list(schema, keyword)):
                yield Place(f"{place.pointer}/{keyword}/{index}", place.sure and keyword == "allOf")
        for keyword in ("if", "then", "else"):
            if keyword in schema and "if" in schema:
                yield Place(f"{place.pointer}/{keyword}", False)
        for keyword in ("dependentSchemas", "dependencies"):
            for name in _get_map(schema, keyword):
                yield Place(place.pointer + format_pointer(keyword, name), False)

    def refuses(self, pointer: str, name: str) -> bool:
        """Report whether a subschema is closed and does not declare a property."""
        schema = self.read(pointer)
        return (
            isinstance(schema, dict)
            and schema.get("additionalProperties") is False
            and name not in _get_map(schema, "properties")
            and not _get_map(schema, "patternProperties")
        )

    def list_types(self, pointer: str, entered: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return the JSON types that a subschema accepts at most."""
        schema = self.read(pointer)
        if schema is False:
            return frozenset()
        if not isinstance(schema, dict) or pointer in entered:
            return _ANY_TYPE
        entered |= {pointer}
        types = _ANY_TYPE
        named = schema.get("type")
        if named is not None:
            names = [named] if isinstance(named, str) else _get_list(schema, "type")
            types &= {"number" if name == "integer" else str(name) for name in names}
        values = [schema["const"]] if "const" in schema else _get_list(schema, "enum")
        if values:
            types &= {"number" if (kind := get_json_type(value)) == "integer" else kind for value in values}
        ref = schema.get("$ref")
        target = self._index.find_target(pointer, ref) if isinstance(ref, str) else None
        if target is not None:
            types &= self.list_types(target, entered)
        for index, _ in enumerate(_get_list(schema, "allOf")):
            types &= self.list_types(f"{pointer}/allOf/{index}", entered)
        for keyword in ("anyOf", "oneOf"):
            branches = [
                self.list_types(f"{pointer}/{keyword}/{index}", entered)
                for index, _ in enumerate(_get_list(schema, keyword))
            ]
            if branches:
                types &= frozenset().union(*branches)
        return types


class _Walk:
    def __init__(self, schema: Json, root_class: Any) -> None:
        self._schema = _SchemaReader(schema)
        self._root = root_class
        self._declared: set[str] = set()
        self._untyped: dict[str, str] = {}

    def run(self) -> Share:
        is_object = isinstance(self._root, type) and issubclass(self._root, JsonObject)
        kinds = (self._root,) if is_object else conversion.kinds_of(self._root.model_fields["root"].annotation)
        visited: set[tuple[frozenset[Place], frozenset[Any]]] = set()
        todo: list[tuple[frozenset[Place], tuple[Any, ...]]] = [(frozenset([Place("", True)]), kinds)]
        while todo:
            places, kinds = todo.pop()
            key = (places, frozenset(kinds))
            if key not in visited:
                visited.add(key)
                todo.extend(self._visit(self._schema.collect_applied(places), kinds))
        return Share(len(self._declared), self._untyped)

    def _visit(
        self, applied: dict[str, bool], kinds: tuple[Any, ...]
    ) -> Iterator[tuple[frozenset[Place], tuple[Any, ...]]]:
        classes = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)]
        shapes = [conversion.shape_of(cls) for cls in classes]
        by_name: dict[str, list[Place]] = {}
        items: list[Place] = []
        values: list[Place] = []
        for pointer, sure in applied.items():
            schema = self._schema.read(pointer)
            if not isinstance(schema, dict) or (self._schema.dialect == DRAFT_07 and "$ref" in schema):
                continue
            for name, inner in _get_map(schema, "properties").items():
                place = Place(pointer + format_pointer("properties", name), sure)
                refusing = [closed for closed in applied if self._schema.refuses(closed, name)]
                if inner is not False and not any(applied[closed] for closed in refusing):
                    by_name.setdefault(name, []).append(place)
                    self._judge(name, Place(place.pointer, sure and not refusing), kinds, shapes)
            for keyword in ("items", "additionalItems", "additionalProperties", "unevaluatedProperties"):
                if isinstance(schema.get(keyword), dict):
                    group = items if keyword.endswith("tems") else values
                    group.append(Place(f"{pointer}/{keyword}", sure))
            for keyword in ("prefixItems", "items"):
                for index, _ in enumerate(_get_list(schema, keyword)):
                    items.append(Place(f"{pointer}/{keyword}/{index}", False))
            for name in _get_map(schema, "patternProperties"):
                values.append(Place(pointer + format_pointer("patternProperties", name), False))
        for name, places in by_name.items():
            yield frozenset(places), _join(shape.kinds.get(name, ()) for shape in shapes)
        if items:
            arrays = [kind for kind in kinds if get_origin(kind) in (list, tuple)]
            yield frozenset(items), _join(conversion.kinds_of(arg) for kind in arrays for arg in get_args(kind))
        if values:
            maps = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
            of_maps = _join(conversion.kinds_of(kind) for kind in maps)
            yield frozenset(values), _join([of_maps, *(shape.extra for shape in shapes)])

    def _judge(self, name: str, place: Place, kinds: tuple[Any, ...], shapes: list[Any]) -> None:
        """Note whether a declared property is a typed field where these kinds of values are."""
        self._declared.add(place.pointer)
        holders = [shape for shape in shapes if name in shape.kinds]
        reason = ""
        if not shapes:
            text = ", ".join(sorted({str(getattr(kind, "__name__", kind)) for kind in kinds})) or "nothing"
            reason = f"no class, but {text}"
        elif not holders:
            reason = "no class has it"
        elif place.sure and len(holders) < len(shapes):
            reason = "not every class has it"
        elif (
            all(shape.kinds[name] == (Any,) for shape in holders) and self._schema.list_types(place.pointer) < _ANY_TYPE
        ):
            reason = "a JSON value, although the schema says its type"
        if reason:
            self._untyped.setdefault(place.pointer, reason)


def _join(groups: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(kind for group in groups for kind in group))


def _get_list(schema: dict[str, Json], keyword: str) -> list[Json]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _get_map(schema: dict[str, Json], keyword: str) -> dict[str, Json]:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}

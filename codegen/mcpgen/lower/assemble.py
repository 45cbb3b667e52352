"""Lower the schemas of a tool or resource to their IR, with unions that pydantic reads and dumps without confusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import (
    ANY,
    NATIVE_KINDS,
    NULL,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Sharing,
    Type,
    Union,
)
from mcpgen.ir.visitors import (
    collect_refs,
    find_reachable,
    find_strong_components,
    map_edges,
    map_references,
    rebuild_node,
    rebuild_type,
    walk_type,
)
from mcpgen.lower.deadline import DeadlinePassed, compute_deadline
from mcpgen.lower.identity import ContentDigests, make_digest, make_node_id
from mcpgen.lower.normalize.core import Core, CoreAlias, CoreClass, CoreProperty, NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.limits import SchemaTooLarge
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.type_cache import Question, TypeCache, get_process_cache, make_questions
from mcpgen.lower.type_generator import TypeGeneratorFailed
from mcpgen.names.class_words import NameFinder
from mcpgen.read.definitions import find_media_type
from mcpgen.schema.formats import NO_FORMATS
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DEFINITION_KEYWORDS
from mcpgen.schema.object_roots import implies_object, is_sdk_wrapper
from mcpgen.schema.values import Json, allow_deep_recursion, as_object, follow_pointer, format_pointer, parse_pointer

MOST_PREPARATION_SECONDS = 10.0
"""Seconds that generating the types of several modules together may take; after that, each has its own time."""
SIDES_WITH_SUBCLASSES = ("input", "output", "error")
"""Sides whose root class may inherit from another. The class of a resource may not: it has more reserved attribute
names."""


@allow_deep_recursion()
def lower_modules(modules: Sequence[list[LoweringRequest]], types: TypeCache | None = None) -> list[list[SchemaRoot]]:
    """Return the IR of each schema of each module. The type generator is asked about all of them together.

    A schema for which no types can be generated becomes the JSON value, with the exact check and a note. `types` is
    the cache of this process by default.
    """
    types = types or get_process_cache()
    normalized = [
        [_normalize(request, chr(ord("A") + index)) for index, request in enumerate(requests)] for requests in modules
    ]
    if len(modules) > 1:
        seconds = max(request.seconds for requests in modules for request in requests)
        everything = [schema for schemas in normalized for schema in schemas]
        _prepare_types(everything, compute_deadline(min(seconds, MOST_PREPARATION_SECONDS)), types)
    return [_lower_module(requests, schemas, types) for requests, schemas in zip(modules, normalized, strict=True)]


def lower_schemas(requests: list[LoweringRequest], types: TypeCache | None = None) -> list[SchemaRoot]:
    """Return the IR of each schema of one module; see `lower_modules`."""
    return lower_modules([requests], types)[0]


_Normalized: TypeAlias = tuple[NormalizedSchema, list[Question]] | SchemaTooLarge
"""A schema with the questions for the types of its core schemas, or why there are none."""


def _normalize(request: LoweringRequest, prefix: str) -> _Normalized:
    try:
        schema = normalize_schema(request, prefix)
    except SchemaTooLarge as error:
        return error
    return schema, make_questions(schema.list_cores(), schema.definition_keys)


def _prepare_types(schemas: Iterable[_Normalized], until: float, types: TypeCache) -> None:
    asked = (schema[1] for schema in schemas if not isinstance(schema, SchemaTooLarge))
    types.prepare_types([question for questions in asked for question in questions], until)


def _lower_module(requests: list[LoweringRequest], schemas: list[_Normalized], types: TypeCache) -> list[SchemaRoot]:
    until = compute_deadline(max(request.seconds for request in requests))
    _prepare_types(schemas, until, types)
    return [_make_root(request, schema, until, types) for request, schema in zip(requests, schemas, strict=True)]


def _make_root(request: LoweringRequest, normalized: _Normalized, until: float, types: TypeCache) -> SchemaRoot:
    try:
        if isinstance(normalized, SchemaTooLarge):
            raise normalized
        schema, questions = normalized
        found = zip(map(id, schema.list_cores()), types.find_types(questions, until), strict=True)
        root = _RootAssembler(request, schema, dict(found)).assemble()
    except SchemaTooLarge as error:
        root = _make_untyped_root(request, f": {error}")
    except DeadlinePassed:
        reason = f": the type generator took longer than {request.seconds:g} s (`limits.seconds`)"
        root = _make_untyped_root(request, reason)
    except TypeGeneratorFailed:  # the user can do nothing about it
        root = _make_untyped_root(request, "")
    return replace(root, example=_find_example(request)) if request.draws_example else root


def _find_example(request: LoweringRequest) -> str:
    from mcpgen.samples.generator import find_example_text  # few packages have examples

    return find_example_text(request.schema, needs_formats=request.formats != NO_FORMATS) or ""


def _make_untyped_root(request: LoweringRequest, reason: str) -> SchemaRoot:
    schema = request.schema.value
    description = _get_description(schema)
    note = ("", f"no types could be generated for this schema, so its result is a JSON value{reason}")
    root = SchemaRoot(ANY, (), ("$schema",), (note,), description, untyped=True)
    if not implies_object(schema, request.schema.dialect):
        return root
    node = ObjectClass(f"{request.side}:", "", ((),), (), ANY, description)
    return replace(root, type=Ref(node.id), nodes=(node,))


def _get_description(schema: Json) -> str:
    text = as_object(schema).get("description")
    return text if isinstance(text, str) else ""


class _RootAssembler:
    """Joins a normalized schema (names, presence, descriptions) with the types of its core schemas, by their `id`."""

    def __init__(self, request: LoweringRequest, normalized: NormalizedSchema, types: Mapping[int, Type]) -> None:
        self._request, self._normalized, self._types = request, normalized, types
        self._schema = request.schema.value
        self._name_finder = NameFinder(self._schema, dict(request.class_names))
        self._notes: dict[str, str] = {}
        self._definitions = {
            key: alias
            for key, alias in normalized.definitions.items()
            if request.aliases and deserves_name(types[id(alias.core)])
        }
        nodes = [(key, ":", core_class.places) for key, core_class in normalized.classes.items()]
        nodes += [(key, "~", alias.places) for key, alias in (normalized.aliases | self._definitions).items()]
        self._ids = {key: request.side + make_node_id(places, kind) for key, kind, places in nodes}
        """Ids that don't depend on the order of properties: the side and the places."""
        self._digests = ContentDigests(SchemaIndex(self._schema, request.schema.dialect), request.formats)

    def assemble(self) -> SchemaRoot:
        all_nodes: list[Node] = [
            *map(self._make_class, self._normalized.classes.values()),
            *(self._make_alias(key, alias) for key, alias in self._normalized.aliases.items()),
            *(self._make_name(key, alias) for key, alias in self._definitions.items()),
        ]
        type, nodes = drop_needless_aliases(self._resolve_core(self._normalized.root), all_nodes)
        if (subclass := self._make_root_subclass(type, nodes)) is not None:
            nodes.append(subclass)
            type = Ref(subclass.id)
        nodes_by_id = {node.id: node for node in nodes}
        return SchemaRoot(
            type=add_tags(type, nodes_by_id),
            nodes=tuple(rebuild_node(node, lambda inner: add_tags(inner, nodes_by_id)) for node in nodes),
            checks=tuple(self._normalized.checks),
            notes=(*self._normalized.notes, *self._notes.items()),
            description=self._normalized.description,
            wrapper=is_sdk_wrapper(self._schema),
            media_type=find_media_type(self._schema),
        )

    def _make_root_subclass(self, root: Type, nodes: list[Node]) -> ObjectClass | None:
        """Return the class of a root that only refers to a definition: a subclass of the definition's."""
        side = self._request.side
        for node in nodes:
            if (
                isinstance(node, ObjectClass)
                and root == Ref(node.id)
                and node.id.removeprefix(f"{side}:") == node.pointer
                and not DEFINITION_KEYWORDS.isdisjoint(parse_pointer(node.pointer)[:1])
                and side in SIDES_WITH_SUBCLASSES
            ):
                own = replace(node, id=f"{side}:", name_candidates=((),), base=root, sharing=None)
                return replace(own, description=self._normalized.description)
        return None

    def _make_class(self, core_class: CoreClass) -> Node:
        pointer, extra = core_class.pointer, core_class.extra
        fields = tuple(
            Field(prop.wire, self._make_property_type(prop, pointer), prop.presence, prop.description)
            for prop in core_class.properties
        )
        extra_type = None if extra is None else self._resolve_core(extra)
        node = ObjectClass(self._ids[core_class.key], pointer, (), fields, extra_type, core_class.description)
        return self._add_names(node, core_class.places, core_class.tag)

    def _make_alias(self, key: str, alias: CoreAlias) -> Node:
        pointer = alias.places[0].pointer
        type = convert_to_strings(self._resolve_core(alias.core))
        self._note_strings(alias.core, type, pointer)
        return self._add_names(Alias(self._ids[key], pointer, (), type), alias.places)

    def _make_name(self, key: str, definition: CoreAlias) -> Node:
        pointer = definition.places[0].pointer
        type = self._resolve(self._types[id(definition.core)])
        description = _get_description(follow_pointer(self._schema, parse_pointer(pointer)))
        node = Alias(self._ids[key], pointer, (), type, description=description, recursive=False)
        return self._add_names(node, definition.places)

    def _add_names(self, node: Node, places: Sequence[SchemaPlace], tag: str = "") -> Node:
        names = self._name_finder.find(node.pointer, tag)
        digest = make_digest(self._digests.hash_places(places), node)
        sharing = Sharing(digest, names.given, names.tail) if digest else None
        return replace(node, name_candidates=names.candidates, name_origin=names.origin, sharing=sharing)

    def _make_property_type(self, prop: CoreProperty, pointer: str) -> Type:
        resolved = self._resolve_core(prop.core)
        self._note_strings(prop.core, resolved, f"{pointer}/properties{format_pointer(prop.wire)}")
        return remove_implied_null(resolved, prop.presence)

    def _note_strings(self, core: Core, resolved: Type, pointer: str) -> None:
        if has_kinds(self._types[id(core)], NATIVE_KINDS) and not has_kinds(resolved, NATIVE_KINDS):
            self._notes[pointer] = (
                "a value of a format is a string here: its union has members that cannot be told from it, or recurs"
            )

    def _resolve_core(self, core: Core) -> Type:
        """Return the type of a core schema as `_resolve` does; that of a definition has its alias."""
        node = self._types[id(core)]
        definition = self._normalized.definition_keys.get(id(core))
        return self._resolve(node if definition is None or isinstance(node, Ref) else replace(node, alias=definition))

    def _resolve(self, node: Type) -> Type:
        if isinstance(node, Ref):
            return Ref(self._ids[node.id])
        resolved = rebuild_type(node, self._resolve)
        if not isinstance(resolved, Ref) and resolved.alias is not None:
            resolved = replace(resolved, alias=self._ids.get(resolved.alias))
        return make_dumpable(separate_general(resolved)) if isinstance(resolved, Union) else resolved


def deserves_name(node: Type) -> bool:
    """Report whether a definition of this type becomes an alias: any but plain scalars, with or without null."""
    match node:
        case Choice(values=values):
            return any(value is not None and not isinstance(value, bool) for value in values)
        case Scalar(bounds=bounds):
            return bool(bounds)
        case Union(members=members):
            others = [member for member in members if member != NULL]
            return len(others) > 1 or any(map(deserves_name, others))
        case Array() | FixedArray() | Map():
            return True
        case Ref():
            return False


def drop_needless_aliases(root: Type, nodes: Iterable[Node]) -> tuple[Type, list[Node]]:
    """Return a root's type and nodes without the aliases that nothing uses, and without those in a circle.

    An alias is written before what uses it and after what it refers to, so it cannot be in a circle.
    """
    nodes_by_id = {node.id: node for node in nodes}
    edges = map_edges(nodes_by_id)
    components = find_strong_components(edges)
    sizes = Counter(components.values())
    starts = [*collect_refs(root), *(key for key, node in nodes_by_id.items() if not _is_name(node))]
    reached = find_reachable(edges, starts)
    dropped: dict[str, str | None] = {
        node_id: None
        for node_id, node in nodes_by_id.items()
        if _is_name(node) and (sizes[components[node_id]] > 1 or node_id not in reached)
    }
    if not dropped:
        return root, [*nodes_by_id.values()]
    needed = [node for node_id, node in nodes_by_id.items() if node_id not in dropped]
    remaining = [rebuild_node(node, lambda inner: map_references(inner, dropped)) for node in needed]
    return drop_needless_aliases(map_references(root, dropped), remaining)


def _is_name(node: Node) -> bool:
    return isinstance(node, Alias) and not node.recursive


# --- unions ----------------------------------------------------------------------------------------------------------
_CONVERTED_KINDS = frozenset({ScalarKind.BASE64, *NATIVE_KINDS})
"""Formats whose strings have another type in Python."""
_BOUNDLESS: frozenset[Type] = frozenset(
    {Map(ANY), Array(ANY), *map(Scalar, (ScalarKind.BOOLEAN, ScalarKind.NULL, ScalarKind.NUMBER, ScalarKind.STRING))}
)
"""The types that together accept any JSON value, as the core language writes it beside classes."""
GENERAL_TYPES = (Map(ANY), ANY)
"""The types that accept every object."""


def separate_general(union: Union) -> Union:
    """Return a union in which classes are a member of their own before what accepts their objects, too.

    "Any JSON value" becomes one member, the last.
    """
    members = union.members
    if _BOUNDLESS.issubset(members):
        members = (*(member for member in members if member not in _BOUNDLESS), ANY)
    general = [member for member in members if member in GENERAL_TYPES]
    classes = tuple(member for member in members if isinstance(member, Ref))
    if not general or not classes:
        return replace(union, members=members)
    others = (member for member in members if not isinstance(member, Ref) and member not in general)
    return replace(union, members=(classes[0] if len(classes) == 1 else Union(classes), *others, *general))


def make_dumpable(union: Union) -> Type:
    """Return a type for the same values that pydantic dumps right.

    Pydantic tries the members of a union in turn, and some take values of others. Bytes are therefore in a union with
    null, dates and the like only, and these never beside any string; anywhere else they are strings.
    """
    if all(
        member == NULL or (isinstance(member, Scalar) and member.kind in _CONVERTED_KINDS) for member in union.members
    ):
        return union
    if not has_kinds(union, (ScalarKind.BASE64,)) and has_kinds(union, NATIVE_KINDS) and _keeps_formats(union):
        return replace(union, members=tuple(sorted(union.members, key=_rank_serializer)))
    members = tuple(dict.fromkeys(convert_to_strings(member) for member in union.members))
    return members[0] if len(members) == 1 else replace(union, members=members)


def _keeps_formats(union: Union) -> bool:
    members = [member for member in union.members if member != NULL]
    if len(members) == 1:
        return True
    if any(isinstance(member, Scalar) and member.kind in (ScalarKind.STRING, ScalarKind.ANY) for member in members):
        return False
    for kinds in ((Array, FixedArray), (Map,), (Union,)):
        alike = [member for member in members if isinstance(member, kinds)]
        if len(alike) > 1 and any(has_kinds(member, NATIVE_KINDS) for member in alike):
            return False
    return True


def _rank_serializer(member: Type) -> int:
    """Return the rank of a member beside dates and the like: pydantic dumps a value by the first that takes it."""
    match member:
        case Scalar(kind=kind) if kind in NATIVE_KINDS:
            return 0  # takes no array and no object
        case Scalar(kind=ScalarKind.NUMBER) | Choice():
            return 2  # takes whatever it gets
        case _:
            return 1


def has_kinds(node: Type, kinds: Collection[ScalarKind]) -> bool:
    """Report whether a type has a scalar of some kinds in it, apart from the classes and aliases that it refers to."""
    return any(isinstance(part, Scalar) and part.kind in kinds for part in walk_type(node))


def convert_to_strings(node: Type) -> Type:
    """Return a type in which bytes, dates and the like are the strings that stand for them on the wire."""
    if isinstance(node, Scalar) and node.kind in _CONVERTED_KINDS:
        return Scalar(ScalarKind.STRING)
    converted = rebuild_type(node, convert_to_strings)
    return converted if converted == node or isinstance(converted, Ref) else replace(converted, alias=None)


def remove_implied_null(node: Type, presence: Presence) -> Type:
    """Return a field's type without the null that its presence implies."""
    if presence is not Presence.OPTIONAL_NULLABLE or not isinstance(node, Union) or NULL not in node.members:
        return node
    members = [member for member in node.members if member != NULL]
    if len(members) > 1:
        return replace(node, members=tuple(members))
    member = members[0]
    return member if isinstance(member, Ref) or node.alias is None else replace(member, alias=node.alias)


def add_tags(node: Type, nodes: Mapping[str, Node]) -> Type:
    """Return the type with the tag of each union in it; `nodes`: the classes and aliases of the module, by id."""
    tagged = rebuild_type(node, lambda child: add_tags(child, nodes))
    return replace(tagged, tag=_find_tag(tagged.members, nodes)) if isinstance(tagged, Union) else tagged


def _find_tag(members: tuple[Type, ...], nodes: Mapping[str, Node]) -> str | None:
    constants_of_members: list[dict[str, str]] = []
    for member in members:
        if member == NULL:
            continue
        node = nodes.get(member.id) if isinstance(member, Ref) else None
        if not isinstance(node, ObjectClass):
            return None
        constants_of_members.append(_find_constants(node))
    for wire in constants_of_members[0]:
        values = {constants[wire] for constants in constants_of_members if wire in constants}
        if len(values) == len(constants_of_members) > 1:
            return wire
    return None


def _find_constants(node: ObjectClass) -> dict[str, str]:
    required = [field for field in node.fields if field.presence is Presence.REQUIRED]
    values = {field.wire: field.type.values for field in required if isinstance(field.type, Choice)}
    return {wire: value for wire, (value, *others) in values.items() if isinstance(value, str) and not others}

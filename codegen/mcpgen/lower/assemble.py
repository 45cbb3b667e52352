"""Lower the schemas of a tool or resource to their IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, NATIVE_KINDS, Alias, Field, Node, ObjectClass, Ref, Sharing, Type, Union
from mcpgen.ir.visitors import rebuild_node, rebuild_type
from mcpgen.lower.content_digests import ContentDigests, make_digest
from mcpgen.lower.definition_aliases import AliasMarker, deserves_name, drop_needless_aliases
from mcpgen.lower.generated_types import (
    ClassTypes,
    GeneratedTypes,
    NoTypes,
    generate_schema_types,
    prepare_schema_types,
)
from mcpgen.lower.name_candidates import NameSources, find_name_sources
from mcpgen.lower.node_ids import make_node_id
from mcpgen.lower.normalize.core import Core, CoreAlias, CoreClass, CoreProperty, NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.limits import SchemaTooLarge
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.type_cache import TypeCache, get_process_cache
from mcpgen.lower.union_types import (
    add_tags,
    convert_to_strings,
    has_kinds,
    make_dumpable,
    remove_implied_null,
    separate_general,
)
from mcpgen.read.definitions import find_media_type
from mcpgen.schema.formats import NO_FORMATS
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.object_roots import implies_object, is_sdk_wrapper
from mcpgen.schema.values import allow_deep_recursion, follow_pointer, format_pointer, parse_pointer

MOST_PREPARATION_SECONDS = 10.0
"""Seconds that generating the types of several modules together may take; after that, each has its own time."""
SIDES_WITH_SUBCLASSES = ("input", "output")
"""Sides whose root class may inherit from another. The class of a resource may not: it has more reserved attribute
names."""


@allow_deep_recursion()
def lower_modules(modules: Sequence[list[LoweringRequest]], types: TypeCache | None = None) -> list[list[SchemaRoot]]:
    """Return the IR of each schema of each module. The type generator is asked about all of them together.

    A schema for which no types can be generated becomes the JSON value, with the exact check and a note.

    Args:
        modules: the schemas of each module.
        types: the cache of generated types; by default, that of this process.
    """
    types = types or get_process_cache()
    normalized = [
        [_normalize(request, chr(ord("A") + index)) for index, request in enumerate(requests)] for requests in modules
    ]
    if len(modules) > 1:
        schemas = [result for results in normalized for result in results if isinstance(result, NormalizedSchema)]
        seconds = max(request.seconds for requests in modules for request in requests)
        prepare_schema_types(schemas, min(seconds, MOST_PREPARATION_SECONDS), types)
    return [_lower_module(requests, results, types) for requests, results in zip(modules, normalized, strict=True)]


def _lower_module(
    requests: list[LoweringRequest], normalized: list[NormalizedSchema | NoTypes], types: TypeCache
) -> list[SchemaRoot]:
    schemas = [result for result in normalized if isinstance(result, NormalizedSchema)]
    seconds = max(request.seconds for request in requests)
    generated = iter(generate_schema_types(schemas, seconds, types))
    answers = [next(generated) if isinstance(result, NormalizedSchema) else result for result in normalized]
    return [_make_root(request, answer) for request, answer in zip(requests, answers, strict=True)]


def lower_schemas(requests: list[LoweringRequest], types: TypeCache | None = None) -> list[SchemaRoot]:
    """Return the IR of each schema of one module; see `lower_modules`."""
    return lower_modules([requests], types)[0]


def _normalize(request: LoweringRequest, prefix: str) -> NormalizedSchema | NoTypes:
    schema = request.schema
    try:
        return normalize_schema(schema.value, schema.dialect, prefix, request.formats, request.limits)
    except SchemaTooLarge as error:
        return NoTypes(str(error))


def _make_root(request: LoweringRequest, answer: GeneratedTypes | NoTypes) -> SchemaRoot:
    if isinstance(answer, NoTypes):
        root = _make_untyped_root(request, answer.reason)
    else:
        root = _RootAssembler(request, answer).assemble()
    return replace(root, example=_find_example(request)) if request.draws_example else root


def _find_example(request: LoweringRequest) -> str:
    """Return the JSON text of an example, which generated classes can read; an empty one if there is none."""
    from mcpgen.samples.examples import find_example_text  # few packages have examples

    return find_example_text(request.schema, needs_formats=request.formats != NO_FORMATS) or ""


def _make_untyped_root(request: LoweringRequest, reason: str) -> SchemaRoot:
    schema = request.schema.value
    value = schema.get("description") if isinstance(schema, dict) else None
    description = value if isinstance(value, str) else ""
    explanation = f": {reason}" if reason else ""
    note = ("", f"no types could be generated for this schema, so its result is a JSON value{explanation}")
    root = SchemaRoot(ANY, (), ("$schema",), (note,), description, untyped=True)
    if not implies_object(schema, request.schema.dialect):
        return root
    node = ObjectClass(f"{request.side}:", "", ((),), (), ANY, description)
    return replace(root, type=Ref(node.id), nodes=(node,))


class _RootAssembler:
    """Joins a normalized schema (names, presence, descriptions) with the types that were generated for it."""

    def __init__(self, request: LoweringRequest, types: GeneratedTypes) -> None:
        self._request, self._types, self._normalized = request, types, types.schema
        self._schema = request.schema.value
        self._class_names = dict(request.class_names)
        self._notes: dict[str, str] = {}
        named = {key for key, node in types.definitions.items() if request.aliases and deserves_name(node)}
        self._definitions = {key: alias for key, alias in types.schema.definitions.items() if key in named}
        self._ids = self._make_ids()
        self._digests = ContentDigests(SchemaIndex(self._schema, request.schema.dialect), request.formats)
        self._marker = AliasMarker(
            {self._ids[key]: (alias.core, types.definitions[key]) for key, alias in self._definitions.items()}
        )

    def assemble(self) -> SchemaRoot:
        """Return the root with all its classes and aliases."""
        all_nodes: list[Node] = [
            *(
                self._make_class(core_class, self._types.classes[key])
                for key, core_class in self._normalized.classes.items()
            ),
            *(self._make_alias(key, alias) for key, alias in self._normalized.aliases.items()),
            *(self._make_name(key, alias) for key, alias in self._definitions.items()),
        ]
        type, nodes = drop_needless_aliases(self._resolve_core(self._normalized.root, self._types.root), all_nodes)
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
                and node.pointer.split("/")[1:2] in (["$defs"], ["definitions"])
                and side in SIDES_WITH_SUBCLASSES
            ):
                description = self._normalized.description
                return replace(
                    node, id=f"{side}:", name_candidates=((),), description=description, base=root, sharing=None
                )
        return None

    def _make_class(self, core_class: CoreClass, types: ClassTypes) -> ObjectClass:
        fields = tuple(
            Field(
                prop.wire,
                remove_implied_null(self._resolve_property(prop, node, core_class.pointer), prop.presence),
                prop.presence,
                prop.description,
            )
            for prop, node in zip(core_class.properties, types.properties, strict=True)
        )
        extra = (
            None
            if types.extra is None or core_class.extra is None
            else self._resolve_core(core_class.extra, types.extra)
        )
        names = find_name_sources(self._schema, core_class.pointer, core_class.tag, self._class_names)
        node = ObjectClass(
            self._ids[core_class.key],
            core_class.pointer,
            names.candidates,
            fields,
            extra,
            core_class.description,
            name_origin=names.origin,
        )
        return replace(node, sharing=self._make_sharing(node, names, core_class.places))

    def _make_alias(self, key: str, alias: CoreAlias) -> Alias:
        pointer = alias.places[0].pointer
        names = find_name_sources(self._schema, pointer, "", self._class_names)
        type = convert_to_strings(self._resolve_core(alias.core, self._types.aliases[key]))
        self._note_strings(self._types.aliases[key], type, pointer)
        node = Alias(self._ids[key], pointer, names.candidates, type, names.origin)
        return replace(node, sharing=self._make_sharing(node, names, alias.places))

    def _make_name(self, key: str, definition: CoreAlias) -> Alias:
        """Return the alias that names a definition."""
        pointer = definition.places[0].pointer
        names = find_name_sources(self._schema, pointer, "", self._class_names)
        type = self._resolve(self._marker.mark_parts(definition.core, self._types.definitions[key]))
        schema = follow_pointer(self._schema, parse_pointer(pointer))
        text = schema.get("description") if isinstance(schema, dict) else None
        description = text if isinstance(text, str) else ""
        node = Alias(self._ids[key], pointer, names.candidates, type, names.origin, description, recursive=False)
        return replace(node, sharing=self._make_sharing(node, names, definition.places))

    def _make_sharing(self, node: Node, names: NameSources, places: Sequence[SchemaPlace]) -> Sharing | None:
        digest = make_digest(self._digests.hash_places(places), node)
        return Sharing(digest, names.given, names.tail) if digest else None

    def _make_ids(self) -> dict[str, str]:
        """Return ids that don't depend on the order of properties: the side and the places."""
        side = self._request.side
        ids = {key: side + make_node_id(core_class.places, ":") for key, core_class in self._normalized.classes.items()}
        aliases = self._normalized.aliases | self._definitions
        return ids | {key: side + make_node_id(alias.places, "~") for key, alias in aliases.items()}

    def _resolve_core(self, core: Core, node: Type) -> Type:
        """Return the type of a core schema as `_resolve` does, with an alias for each type of a definition."""
        return self._resolve(self._marker.mark(core, node))

    def _resolve_property(self, prop: CoreProperty, node: Type, pointer: str) -> Type:
        """Return the type of a property of the class at a pointer."""
        resolved = self._resolve_core(prop.core, node)
        self._note_strings(node, resolved, f"{pointer}/properties{format_pointer(prop.wire)}")
        return resolved

    def _note_strings(self, node: Type, resolved: Type, pointer: str) -> None:
        """Note that the values of a format are strings at a pointer, if they are."""
        if has_kinds(node, NATIVE_KINDS) and not has_kinds(resolved, NATIVE_KINDS):
            self._notes[pointer] = (
                "a value of a format is a string here: its union has members that cannot be told from it, or recurs"
            )

    def _resolve(self, node: Type) -> Type:
        """Return a type that refers to nodes by their ids, with unions that pydantic dumps right."""
        if isinstance(node, Ref):
            return Ref(self._ids[node.id])
        resolved = rebuild_type(node, self._resolve)
        return make_dumpable(separate_general(resolved)) if isinstance(resolved, Union) else resolved

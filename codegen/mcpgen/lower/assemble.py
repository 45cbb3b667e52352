"""Lower the schemas of a tool or resource to their IR."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, Alias, Field, Node, ObjectClass, Ref, Type, Union
from mcpgen.ir.visitors import rebuild_node, rebuild_type
from mcpgen.lower.generated_types import GeneratedTypes, NoTypes, ShapeTypes, generate_schema_types
from mcpgen.lower.name_candidates import list_word_candidates
from mcpgen.lower.node_ids import make_node_id
from mcpgen.lower.normalize.core import CoreAlias, NormalizedSchema, ObjectShape
from mcpgen.lower.normalize.limits import LoweringLimits, SchemaTooLarge
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.shareable_types import find_shareable
from mcpgen.lower.type_cache import TypeCache, get_process_cache
from mcpgen.lower.union_types import add_tags, convert_to_strings, make_dumpable, remove_implied_null, separate_general
from mcpgen.read.content_strategy import find_media_type
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.object_roots import implies_object
from mcpgen.schema.recursion import allow_deep_recursion
from mcpgen.schema.values import Json, are_equal
from mcpgen.targets import SDKS

SIDES_WITH_SUBCLASSES = ("input", "output")
"""Sides whose root class may inherit from another; that of a resource has further names that no property may have."""


@dataclass(frozen=True)
class LoweringRequest:
    """A schema to lower."""

    side: str
    """Start of its nodes' ids, different for each schema of a module: `output`, `input`."""
    schema: Schema
    class_names: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, class name) as chosen by the user."""
    native: bool = False
    """Whether strings with a known `format` become datetime, date, time and UUID."""
    limits: LoweringLimits = field(default_factory=LoweringLimits)
    seconds: float = 120
    """How long the type generator may take."""


@allow_deep_recursion()
def lower_schemas(requests: list[LoweringRequest], types: TypeCache | None = None) -> list[SchemaRoot]:
    """Return the IR of each schema.

    A schema for which no types can be generated becomes the JSON value, with the exact check and a note.

    Args:
        requests: the schemas of one module.
        types: the types that are known already; by default, those of this process.
    """
    normalized = [_normalize(request, chr(ord("A") + index)) for index, request in enumerate(requests)]
    schemas = [result for result in normalized if isinstance(result, NormalizedSchema)]
    seconds = max(request.seconds for request in requests)
    generated = iter(generate_schema_types(schemas, seconds, types or get_process_cache()))
    answers = [next(generated) if isinstance(result, NormalizedSchema) else result for result in normalized]
    return [_make_root(request, answer) for request, answer in zip(requests, answers, strict=True)]


def _normalize(request: LoweringRequest, prefix: str) -> NormalizedSchema | NoTypes:
    schema = request.schema
    try:
        return normalize_schema(schema.value, schema.dialect, prefix, request.native, request.limits)
    except SchemaTooLarge as error:
        return NoTypes(str(error))


def _make_root(request: LoweringRequest, answer: GeneratedTypes | NoTypes) -> SchemaRoot:
    if isinstance(answer, NoTypes):
        return _make_untyped_root(request, answer.reason)
    return _RootAssembler(request, answer).assemble()


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
    """Joins a normalized schema, which knows names, presence and text, with the types generated for it."""

    def __init__(self, request: LoweringRequest, types: GeneratedTypes) -> None:
        self._request, self._types, self._normalized = request, types, types.schema
        self._schema = request.schema.value
        self._class_names = dict(request.class_names)
        self._ids = self._make_ids()

    def assemble(self) -> SchemaRoot:
        """Return the root with all its classes and aliases."""
        nodes: list[Node] = [
            *(self._make_class(shape, self._types.shapes[key]) for key, shape in self._normalized.shapes.items()),
            *(self._make_alias(key, alias) for key, alias in self._normalized.aliases.items()),
        ]
        root = self._resolve(self._types.root)
        if (subclass := self._make_root_subclass(root, nodes)) is not None:
            nodes.append(subclass)
            root = Ref(subclass.id)
        nodes_by_id = {node.id: node for node in nodes}
        return SchemaRoot(
            type=add_tags(root, nodes_by_id),
            nodes=tuple(rebuild_node(node, lambda inner: add_tags(inner, nodes_by_id)) for node in nodes),
            checks=tuple(self._normalized.checks),
            notes=tuple(self._normalized.notes),
            description=self._normalized.description,
            shareable=tuple(find_shareable(SchemaIndex(self._schema, self._request.schema.dialect))),
            wrapper=_is_wrapper(self._schema),
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
                return replace(node, id=f"{side}:", name_candidates=((),), description=description, base=root)
        return None

    def _make_class(self, shape: ObjectShape, types: ShapeTypes) -> ObjectClass:
        fields = tuple(
            Field(prop.wire, remove_implied_null(self._resolve(node), prop.presence), prop.presence, prop.description)
            for prop, node in zip(shape.properties, types.properties, strict=True)
        )
        extra = None if types.extra is None else self._resolve(types.extra)
        words = list_word_candidates(self._schema, shape.pointer, shape.tag, self._class_names)
        return ObjectClass(self._ids[shape.key], shape.pointer, words, fields, extra, shape.description)

    def _make_alias(self, key: str, alias: CoreAlias) -> Alias:
        pointer = alias.places[0].pointer
        words = list_word_candidates(self._schema, pointer, "", self._class_names)
        node = convert_to_strings(self._resolve(self._types.aliases[key]))
        return Alias(self._ids[key], pointer, words, node)

    def _make_ids(self) -> dict[str, str]:
        """Return ids that don't depend on the order of properties: the side and the places."""
        side = self._request.side
        ids = {key: side + make_node_id(shape.places, ":") for key, shape in self._normalized.shapes.items()}
        return ids | {key: side + make_node_id(alias.places, "~") for key, alias in self._normalized.aliases.items()}

    def _resolve(self, node: Type) -> Type:
        """Return a type that refers to nodes by their ids, with unions that pydantic dumps right."""
        if isinstance(node, Ref):
            return Ref(self._ids[node.id])
        resolved = rebuild_type(node, self._resolve)
        return make_dumpable(separate_general(resolved)) if isinstance(resolved, Union) else resolved


def _is_wrapper(schema: Json) -> bool:
    """Check whether an SDK wrapped a bare value: some mark it, the official one adds a title `…Output`."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    properties, required, title = schema.get("properties"), schema.get("required"), schema.get("title")
    if not isinstance(properties, dict) or list(properties) != ["result"] or required != ["result"]:
        return False
    marks = [sdk.wrapper_mark for sdk in SDKS if sdk.wrapper_mark is not None]
    marked = any(keyword in schema and are_equal(schema[keyword], value) for keyword, value in marks)
    return marked or (isinstance(title, str) and title.endswith("Output"))

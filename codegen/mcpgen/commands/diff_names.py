"""Python names of definitions, for the rules of `diff` about programs that import the generated package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpgen.compat.compare import PackageSnapshot
from mcpgen.compat.rules.python_names import ROOT_PLACE, PythonNames, ValuePlace
from mcpgen.config.models import PackageSettings
from mcpgen.ir.package import get_root_class
from mcpgen.ir.types import (
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.names.identifiers import make_field_names
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import list_string_types
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import canonicalize

if TYPE_CHECKING:
    from mcpgen.cache.store import Store
    from mcpgen.lower.shared_types import ModuleKey
    from mcpgen.names.package_names import ResourceNames, ToolNames
    from mcpgen.pipeline.preview import Preview

_NAMED_KEYWORDS = DEFINITION_KEYWORDS | {"properties", "required", "$ref"}
"""Keywords of subschemas that become classes or aliases."""


def find_renamed_tools(old: Definitions, new: Definitions) -> frozenset[str]:
    """Return the tools whose Python names may differ: changed ones, and those that may share classes with them."""
    old_tools, new_tools = ({tool.name: tool for tool in side.tools} for side in (old, new))
    changed = {
        name
        for name in old_tools.keys() | new_tools.keys()
        if not _is_unchanged_tool(old_tools.get(name), new_tools.get(name))
    }
    if not changed:
        return frozenset()
    tools = [*old_tools.values(), *new_tools.values()]
    return frozenset(changed.union(tool.name for tool in tools if _has_parts(tool)))


def _is_unchanged_tool(old: ToolDefinition | None, new: ToolDefinition | None) -> bool:
    return (
        old is not None
        and new is not None
        and old.choices.name == new.choices.name
        and old.class_names == new.class_names
        and (old.formats, old.choices.formats) == (new.formats, new.choices.formats)
        and canonicalize(old.tool) == canonicalize(new.tool)
    )


def _has_parts(tool: ToolDefinition) -> bool:
    return any(schema is not None and _has_objects_inside(schema) for schema in (tool.input, tool.output))


def _has_objects_inside(schema: Schema) -> bool:
    stack, is_root = [schema.value], True
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if not (DEFINITION_KEYWORDS if is_root else _NAMED_KEYWORDS).isdisjoint(value):
                return True
            stack.extend(child for _, child in iterate_subschemas(value, schema.dialect))
        is_root = False
    return False


def make_snapshot(
    definitions: Definitions, settings: PackageSettings, jobs: int, renamed: frozenset[str], store: Store | None = None
) -> PackageSnapshot:
    """Return one side of a comparison with the Python names of the tools in `renamed`, lowered once with a store."""
    tools = [tool for tool in definitions.tools if tool.name in renamed]
    if not tools and all(resource.payload is None for resource in definitions.resources):
        return PackageSnapshot(definitions, {}, {}, frozenset())
    from mcpgen.pipeline.preview import lower_and_name

    preview = lower_and_name(replace(definitions, tools=tools), settings, jobs, store)
    tool_names = _collect_tool_names(preview)
    resource_names = _collect_resource_names(preview)
    _add_string_types(tool_names, tools)
    _add_string_types(resource_names, definitions.resources)
    modules = (*tool_names.values(), *resource_names.values())
    classes = frozenset(preview.names.shared.values()).union(*(names.classes for names in modules))
    return PackageSnapshot(definitions, tool_names, resource_names, classes)


def _collect_tool_names(preview: Preview) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for tool in preview.package.tools:
        names = preview.names.tools[tool.wire]
        main = (names.result, names.arguments)
        collected[tool.wire] = _make_names(preview, ("tool", tool.wire), names, main, tool.nodes, {})
    return collected


def _collect_resource_names(preview: Preview) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for resource in preview.package.resources:
        names, root = preview.names.resources[resource.id], resource.payload
        root_class = None if root is None else get_root_class(root)
        reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
        nodes = () if root is None else root.nodes
        key: ModuleKey = ("resource", resource.id)
        collected[resource.id] = _make_names(preview, key, names, (names.name,), nodes, reserved)
    return collected


def _make_names(
    preview: Preview,
    key: ModuleKey,
    module_names: ToolNames | ResourceNames,
    main: tuple[str, ...],
    nodes: Sequence[Node],
    reserved: Mapping[str, frozenset[str]],
) -> PythonNames:
    nested, places = module_names.nested, preview.places[key]
    attributes: dict[tuple[str, str], str] = {}
    for node in nodes:
        if isinstance(node, ObjectClass):
            field_names = make_field_names(node.fields, reserved.get(node.id, frozenset()))
            attributes |= {(nested[node.id], wire): python for wire, python in field_names.items()}
    fields: dict[str, Mapping[str, str]] = {}
    values: dict[ValuePlace, frozenset[str]] = {}
    class_names: dict[str, str] = {}
    bases: dict[str, str] = {}
    required: set[tuple[str, str]] = set()
    closed: set[str] = set()
    roots = preview.roots[key]
    main_of_roots = main[len(main) - len(roots) :]  # a tool without an outputSchema has no root for its result
    for root, main_class in zip(roots, main_of_roots, strict=True):
        classes = {node.id: node for node in root.nodes if isinstance(node, ObjectClass)}
        if main_class == main[0]:
            class_names[ROOT_PLACE] = main_class
            values |= _group_values(ROOT_PLACE, "", _list_values(root.type, classes))
        for node in classes.values():
            place = f"#{node.id}"
            class_names[place] = places[place][1] if place in places else main_class
            declaring = node
            if node.base is not None and node.base.id in classes:
                declaring = classes[node.base.id]
                bases[place] = f"#{node.base.id}"
            fields[place] = make_field_names(declaring.fields, reserved.get(node.id, frozenset()))
            if declaring.extra is None:
                closed.add(place)
            for declared in declaring.fields:
                if declared.presence is Presence.REQUIRED:
                    required.add((place, declared.wire))
                found = [*_list_values(declared.type, classes)]
                found += [(0, "null")] if declared.presence is Presence.OPTIONAL_NULLABLE else []
                values |= _group_values(place, declared.wire, found)
    return PythonNames(
        module_names.module,
        main,
        frozenset({*main, *nested.values()}),
        attributes,
        places,
        fields=fields,
        values=values,
        required=frozenset(required),
        closed=frozenset(closed),
        bases=bases,
        class_names=class_names,
    )


def _group_values(place: str, wire: str, found: Iterable[tuple[int, str]]) -> dict[ValuePlace, frozenset[str]]:
    grouped: dict[ValuePlace, frozenset[str]] = {}
    for depth, value in found:
        key = ValuePlace(place, wire, depth)
        grouped[key] = grouped.get(key, frozenset[str]()) | {value}
    return grouped


_JSON_KINDS = frozenset({ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL, ScalarKind.ANY})
"""Kinds of scalars that are not strings."""


def _list_values(declared: Type, classes: Mapping[str, ObjectClass], depth: int = 0) -> Iterator[tuple[int, str]]:
    """Yield what values of a type can be, each with its depth in arrays and maps; see `PythonNames.values`."""
    match declared:
        case Choice(values=values):
            yield from ((depth, json.dumps(value, ensure_ascii=False)) for value in values)
        case Array(item=item):
            yield depth, "array"
            yield from _list_values(item, classes, depth + 1)
        case Map(value=value):
            yield depth, "object"
            yield from _list_values(value, classes, depth + 1)
        case FixedArray(items=items):
            yield depth, "array"
            for item in items:
                yield from _list_values(item, classes, depth + 1)
        case Union(members=members):
            for member in members:
                yield from _list_values(member, classes, depth)
        case Scalar(kind=kind):
            yield depth, kind.value if kind in _JSON_KINDS else "string"
        case Ref(id=key):
            yield depth, "object" if key in classes else "any"


def _add_string_types(
    names: dict[str, PythonNames], definitions: Sequence[ToolDefinition | ResourceDefinition]
) -> None:
    from mcpgen.pipeline.lowering import select_formats

    for definition in definitions:
        match definition:
            case ToolDefinition(input=input, output=output):
                schemas = {"input": input, "output": output}
            case ResourceDefinition(payload=payload):
                schemas = {"resource": payload}
        string_types = {
            f"#{side}{pointer}": python
            for side, schema in schemas.items()
            if schema is not None
            for pointer, python in list_string_types(schema, select_formats(definition, side)).items()
        }
        names[definition.name] = replace(names[definition.name], string_types=string_types)

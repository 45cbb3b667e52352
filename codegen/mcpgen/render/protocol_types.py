"""Render the protocol's types for packages without an SDK: a module of the run-time library."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.lower.protocol_types import ROOT_TYPES, get_root_types, lower_protocol
from mcpgen.names.allocator import allocate_class_names
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.render.annotations import render_annotation
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.imports import render_imports
from mcpgen.render.jobs import make_environment
from mcpgen.render.scope import Scope
from mcpgen.schema.values import Json

_LIBRARY_MODULES = {
    "core_schemas": ("ABSENT",),
    "json_types": ("Base64", "JsonValue"),
    "models": (
        *("ClosedObject", "JsonObject", "OpenObject", "RenamedOpenObject", "SparseClosedObject", "SparseOpenObject"),
        "write_members",
    ),
}
"""Modules of the library that the types need, with the names that they have."""
_HEAD = '"""Types of the protocol, made from the MCP schemas of all versions by scripts/protocol_types.py."""\n\n'


@dataclass(frozen=True)
class ProtocolTypesView:
    """Variables of `library/protocol_types.py.j2`."""

    module: ModuleBody
    unions: Mapping[str, str]
    """Root types that are unions of classes, and so aliases, by name."""


def render_protocol_types(protocols: Mapping[str, Mapping[str, Json]]) -> str:
    """Return the module, which is not formatted yet; `protocols` are the definitions of the MCP schemas, by version."""
    root = lower_protocol([protocols[version] for version in sorted(protocols)])
    types = get_root_types(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = allocate_class_names(nodes, {}, (), RESERVED_NAMES - set(ROOT_TYPES))
    scope = Scope(names, {node.id: node for node in nodes})
    class_names = set(names.values())
    unions = {name: render_annotation(types[name], scope) for name in ROOT_TYPES if name not in class_names}
    bases = {node.id: ("ProtocolObject",) for node in nodes}
    view = ProtocolTypesView(make_module_body(nodes, scope, bases), unions)
    body = make_environment().get_template("library/protocol_types.py.j2").render(vars(view))
    modules = {name: f"...{module}" for module, names in _LIBRARY_MODULES.items() for name in names}
    imports = render_imports(ast.parse(body), "", modules)
    return f"{_HEAD}from __future__ import annotations\n\n{imports}\n\n{body}"

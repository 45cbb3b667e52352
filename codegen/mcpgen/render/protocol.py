"""Render `runtime/protocol.py`: the protocol's types, from the SDK or generated from the MCP schemas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.ir.package import Package
from mcpgen.literals import Literal, make_literal
from mcpgen.names.allocator import allocate_class_names
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.render.annotations import render_annotation
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.jobs import ImportScope, Job
from mcpgen.render.scope import Scope
from mcpgen.targets import NO_SDK_PROTOCOL_TEMPLATE, get_default_protocol, get_sdk

PROTOCOL_PATH = "runtime/protocol.py"


@dataclass(frozen=True)
class SdkProtocolView:
    """Variable of the templates that import the types of an SDK."""

    default: Literal
    """The protocol version when a call names none."""


@dataclass(frozen=True)
class UnionView:
    """A root type that is a union of classes, and so an alias."""

    name: str
    type: str


@dataclass(frozen=True)
class ProtocolTypes:
    """Types of the protocol as they are generated from the MCP schemas."""

    module: ModuleBody
    unions: Sequence[UnionView]


@dataclass(frozen=True)
class GeneratedProtocolView:
    """Variables of the template that defines the types itself."""

    default: Literal
    """The protocol version when a call names none."""
    module: ModuleBody
    unions: Sequence[UnionView]


def make_protocol_job(package: Package, make_types: Callable[[], ProtocolTypes]) -> Job:
    """Make the job that renders `runtime/protocol.py`; `make_types` is called if there is no SDK that has the types."""
    sdk = get_sdk(package.sdk)
    default = make_literal(package.protocol or get_default_protocol(sdk))
    if sdk is not None:
        return Job(PROTOCOL_PATH, sdk.generation.protocol_template, "", SdkProtocolView(default))
    types = make_types()
    view = GeneratedProtocolView(default, types.module, types.unions)
    return Job(PROTOCOL_PATH, NO_SDK_PROTOCOL_TEMPLATE, "the MCP schemas", view, ImportScope(""))


def make_protocol_types(protocols: Mapping[str, ProtocolSchema]) -> ProtocolTypes:
    """Generate the types of the protocol; `protocols` are the MCP schemas by version."""
    return _make_protocol_types(tuple(protocols[version] for version in sorted(protocols)))


@functools.lru_cache(maxsize=4)
def _make_protocol_types(protocols: tuple[ProtocolSchema, ...]) -> ProtocolTypes:
    from mcpgen.lower.protocol_types import ROOT_TYPES, get_root_types, lower_protocol

    root = lower_protocol(protocols)
    types = get_root_types(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = allocate_class_names(nodes, {}, (), RESERVED_NAMES - set(ROOT_TYPES))
    scope = Scope(names, {node.id: node for node in nodes})
    class_names = set(names.values())
    unions = [UnionView(name, render_annotation(types[name], scope)) for name in ROOT_TYPES if name not in class_names]
    return ProtocolTypes(make_module_body(nodes, scope, {}), unions)

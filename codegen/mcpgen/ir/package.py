"""The modules of a package and their roots."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.template import Template
from mcpgen.ir.types import ANY, Node, ObjectClass, Ref, Type
from mcpgen.ir.uri_template import UriTemplatePart
from mcpgen.ir.visitors import collect_refs, list_node_types


def get_root_class(root: SchemaRoot) -> ObjectClass | None:
    """The class that a schema's root is, None when the root is a root model."""
    if not isinstance(root.type, Ref):
        return None
    for node in root.nodes:
        if node.id == root.type.id and isinstance(node, ObjectClass):
            return node
    return None


@dataclass(frozen=True)
class ShareableDefinition:
    """A definition that speaks of nothing outside the definitions, so that other schemas may share its classes.

    `digest` is over its name, its content and all it reaches; `named` holds the pointers of the definitions that it
    refers to itself, and its own.
    """

    pointer: str
    digest: str
    named: frozenset[str]


@dataclass(frozen=True)
class SchemaRoot:
    """The shape of a whole schema: a class of its own id in `nodes`, or the type of a root model."""

    type: Type
    nodes: tuple[Node, ...]
    checks: tuple[str, ...]
    """Keywords that say more than the types do; empty: the types say it all."""
    notes: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, sentence) where a type had to be a JSON value although the schema says one."""
    description: str = ""
    shareable: tuple[ShareableDefinition, ...] = ()
    wrapper: bool = False
    """An object that a server's SDK made of a bare value: its one property is `result`."""
    media_type: str | None = None
    """The `contentMediaType` of a root that is base64."""
    untyped: bool = False
    """Whether no types could be generated, so that a JSON value stands for the schema; the next run may succeed."""


ANY_ROOT = SchemaRoot(ANY, (), ())
"""Stands for a root that is not looked at."""


@dataclass(frozen=True)
class ToolModule:
    """A tool: its result and its arguments, and what its class does about content and protocol versions."""

    wire: str
    origin: str
    description: str
    output: SchemaRoot | None
    input: SchemaRoot
    content: str
    audience: tuple[str, ...] = ()
    priority: float | None = None
    wrapped: str = "never"
    """When the value is wrapped in `{"result": …}`: `never`, on `legacy` versions, or `always`."""
    python: str | None = None
    """The Python name that the user chose."""
    template: Template | None = None
    """What the text does where `content` is `template`."""


@dataclass(frozen=True)
class ResourceModule:
    """A resource, or a resource template."""

    wire: str
    origin: str
    description: str
    uri: str | None
    uri_template: str | None
    template: tuple[UriTemplatePart, ...]
    """The parts of `uri_template`, none for a resource with a fixed URI."""
    mime_type: str | None
    payload: SchemaRoot | None = None
    """The JSON value that its text holds, where a schema is given for it."""
    ttl_ms: int | None = None
    cache_scope: str | None = None
    python: str | None = None
    """The Python name that the user chose."""


@dataclass(frozen=True)
class ValueLimits:
    """Bounds for the values that generated code reads."""

    value_depth: int
    """Levels of arrays and objects."""
    pattern_length: int
    """Characters of a string that is matched against a pattern which needs backtracking."""
    pattern_steps: int
    """Times that such a match may go back."""


@dataclass(frozen=True)
class Package:
    """All modules of a generated package, sorted by wire name, and the classes that they share."""

    tools: tuple[ToolModule, ...]
    resources: tuple[ResourceModule, ...]
    shared: tuple[Node, ...]
    sdk: str
    protocol: str | None
    extras: tuple[str, ...] = ()
    """Static modules that the settings ask for."""
    limits: ValueLimits = ValueLimits(400, 2_000, 20_000)


def collect_module_references(module: ToolModule | ResourceModule) -> frozenset[str]:
    """The ids that a module's classes and roots refer to."""
    given = (module.output, module.input) if isinstance(module, ToolModule) else (module.payload,)
    roots = [root for root in given if root is not None]
    return frozenset(
        key
        for root in roots
        for key in collect_refs(root.type, *(one for node in root.nodes for one in list_node_types(node)))
    )

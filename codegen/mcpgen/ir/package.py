"""Modules of a generated package, and the roots of their schemas."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mcpgen.ir.code_settings import (
    TABLE_STRATEGIES,
    ContentStrategy,
    PackageCodeSettings,
    ResourceCodeSettings,
    ToolCodeSettings,
)
from mcpgen.ir.definitions import MessageValue, PromptModule, UriTemplatePart
from mcpgen.ir.template import Template
from mcpgen.ir.types import ANY, Choice, Node, ObjectClass, Ref, Type
from mcpgen.ir.visitors import collect_refs, find_reachable, list_node_types, map_edges, reverse_edges, walk_type

_LINES_OF_CLASS, _LINES_OF_PROPERTY, _DESCRIPTION_WIDTH = 15, 7, 80


@dataclass(frozen=True)
class SchemaRoot:
    """Root of a schema: its type (a class in `nodes`, or the type of a root model), and all classes and aliases."""

    type: Type
    nodes: tuple[Node, ...]
    checks: tuple[str, ...]
    """Keywords that the types don't express, so that values need a validator; empty if the types are exact."""
    notes: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, sentence) for each type that is any JSON value although the schema constrains it."""
    description: str = ""
    wrapper: bool = False
    """Object in which a server's SDK wrapped a bare value: its only property is `result`."""
    media_type: str | None = None
    """Value of `contentMediaType` for a root that is base64."""
    untyped: bool = False
    """No types could be generated, so a JSON value stands for the schema; the next run may succeed."""
    example: str | None = None
    """JSON text of an example of its values; empty if none was found, None if none was looked for."""

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of everything else."""
        return hashlib.sha256(repr(self).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def references(self) -> tuple[str, ...]:
        """The ids that the root and its classes refer to, each once."""
        return tuple(collect_refs(self.type, *(part for node in self.nodes for part in list_node_types(node))))

    @cached_property
    def shareable(self) -> tuple[Node, ...]:
        """The nodes that do not depend on their place: they do not lead to the root's own class."""
        excluded = [node.id for node in self.nodes if node.sharing is None or self.type == Ref(node.id)]
        if not excluded or len(self.nodes) == 1:
            return () if excluded else self.nodes
        dependent = find_reachable(reverse_edges(map_edges({node.id: node for node in self.nodes})), excluded)
        return tuple(node for node in self.nodes if node.id not in dependent)

    @cached_property
    def estimated_lines(self) -> int:
        """Roughly how many lines of a module its classes and aliases take."""
        types = (part for node in self.nodes for type in list_node_types(node) for part in walk_type(type))
        fields = [field for node in self.nodes if isinstance(node, ObjectClass) for field in node.fields]
        texts = [part.description for part in (*self.nodes, *fields)]
        return (
            sum(_LINES_OF_CLASS for node in self.nodes if isinstance(node, ObjectClass))
            + len(fields) * _LINES_OF_PROPERTY
            + sum(len(part.values) for part in types if isinstance(part, Choice))
            + sum(len(text) // _DESCRIPTION_WIDTH for text in texts)
        )

    def complete(self) -> SchemaRoot:
        """Compute what is derived from it, so that a copy that is stored has it."""
        _ = self.digest, self.references, self.shareable, self.estimated_lines
        return self


ANY_ROOT = SchemaRoot(ANY, (), ())
"""Placeholder for a root that is not used."""


@dataclass(frozen=True)
class ToolModule(ToolCodeSettings):
    """Tool: the roots of its result and its arguments, and the settings of its content."""

    wire: str
    origin: str
    description: str
    output: SchemaRoot | None
    input: SchemaRoot
    content: ContentStrategy
    wrapped: str = "never"
    """Wrapping of the value in `{"result": …}`: `never`, on `legacy` protocol versions, or `always`."""
    python: str | None = None
    """Python name from the settings, None for a derived one."""
    is_for_models: bool = True
    """Whether models call it, and not apps alone."""
    error: SchemaRoot | None = None
    """Root of the data of its error results, an object."""
    template: Template | None = None
    """Checked template if `content` is `template`; the statements that write the table for `TABLE_STRATEGIES`."""

    @property
    def has_annotations(self) -> bool:
        """Return whether its content blocks get annotations."""
        return bool(self.audience) or self.priority is not None

    @property
    def is_table(self) -> bool:
        """Return whether its result is written as a table."""
        return self.content in TABLE_STRATEGIES and self.output is not None

    @property
    def uses_templates(self) -> bool:
        """Return whether its content is written by a content template, or as a table, which one writes."""
        return self.is_table or (self.content == "template" and self.output is not None)

    @property
    def roots(self) -> list[SchemaRoot]:
        """The roots of the result and of the data of errors, if the tool declares them, and of the arguments."""
        return [root for root in (self.output, self.input, self.error) if root is not None]

    @property
    def nodes(self) -> list[Node]:
        """The classes and aliases of the roots, in their order."""
        return [node for root in self.roots for node in root.nodes]


@dataclass(frozen=True)
class ResourceModule(ResourceCodeSettings):
    """Resource, or resource template."""

    wire: str
    origin: str
    description: str
    uri: str | None
    uri_template: str | None
    template: tuple[UriTemplatePart, ...]
    """Parts of `uri_template`, none for a resource with a fixed URI."""
    mime_type: str | None
    payload: SchemaRoot | None = None
    """Root of the schema for the JSON value in its text, None without a schema."""
    python: str | None = None
    """Python name from the settings, None for a derived one."""
    key: str = ""
    """What tells it apart from others of the same name, its URI or URI template; empty if the name does."""

    @property
    def id(self) -> str:
        """Return the key under which the package has it."""
        return self.key or self.wire


@dataclass(frozen=True)
class FormModule:
    """Form: what a user is asked for, and the root of what they enter, an object."""

    wire: str
    origin: str
    description: str
    """Its description, or its title; empty if it has none."""
    message: tuple[str | MessageValue, ...]
    root: SchemaRoot
    python: str | None = None
    """Python name from the settings, None for a derived one."""


@dataclass(frozen=True)
class Package(PackageCodeSettings):
    """Modules of a generated package, sorted by wire name, and the classes that they share."""

    tools: tuple[ToolModule, ...]
    resources: tuple[ResourceModule, ...]
    shared: tuple[Node, ...]
    sdk: str
    protocol: str | None
    limits: tuple[tuple[str, int], ...] = ()
    """The limits for the values that it reads, by name, if they are not those of the run-time library."""
    shared_uses: Mapping[str, tuple[tuple[str, str], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, str], ...]]
    )
    """Tools that declare each shared class, by its id: their wire names, and the id that the class has in them."""
    prompts: tuple[PromptModule, ...] = ()
    forms: tuple[FormModule, ...] = ()


def get_root_class(root: SchemaRoot) -> ObjectClass | None:
    """Return the class of a schema's root, None if the root is a root model."""
    key = root.type.id if isinstance(root.type, Ref) else None
    return next((node for node in root.nodes if node.id == key and isinstance(node, ObjectClass)), None)


def collect_module_references(module: ToolModule | ResourceModule) -> frozenset[str]:
    """Return the ids that a module's classes and roots refer to."""
    roots = module.roots if isinstance(module, ToolModule) else (module.payload,)
    return frozenset(key for root in roots if root is not None for key in root.references)

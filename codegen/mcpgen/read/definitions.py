"""The definitions that an input holds, as values: tools, resources and the protocol's own schemas."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.diagnostics import Span
from mcpgen.ir.uri_template import UriTemplatePart
from mcpgen.read.document import SourceDocument
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ToolOptions:
    """What a user chose for a tool: `x-mcpgen` in the definition, then the settings (DESIGN section 1)."""

    name: str | None = None
    content: str = "json"
    content_chosen: bool = False
    audience: tuple[str, ...] = ()
    priority: float | None = None
    wrap: str | None = None
    asked: TemplateReference | None = None
    template: TemplateFile | None = None


@dataclass(frozen=True)
class TemplateReference:
    """A template's path as the settings or the definition name it."""

    path: str
    in_settings: bool
    span: Span | None


@dataclass(frozen=True)
class TemplateFile:
    """The text of a content template, and its file as messages and as headers show it."""

    name: str
    origin: str
    text: str


@dataclass(frozen=True)
class ResourceOptions:
    """What a user chose for a resource, in its `x-mcpgen`."""

    name: str | None = None
    ttl_ms: int | None = None
    cache_scope: str | None = None


@dataclass(frozen=True)
class ToolDefinition:
    """A tool: the Tool object as advertised (choices stripped, files bundled), and what was chosen for it."""

    name: str
    origin: str
    span: Span
    tool: dict[str, Json]
    input: Schema
    output: Schema | None
    choices: ToolOptions = ToolOptions()
    class_names: dict[str, str] = field(default_factory=dict[str, str])
    """`#output` or `#input` plus a JSON pointer → the class name chosen by `x-mcpgen: {"type": …}` there."""
    document: SourceDocument | None = None
    at: str | None = None
    """Where the Tool stands in its document; None when the document is its bare outputSchema."""

    def locate(self, member: str, at: str) -> Span:
        """Where a pointer into its `inputSchema` or `outputSchema` was declared."""
        if self.document is None:
            return self.span
        return self.document.make_span(at if self.at is None else f"{self.at}/{member}{at}")


@dataclass(frozen=True)
class ResourceDefinition:
    """A Resource or ResourceTemplate as declared."""

    name: str
    origin: str
    span: Span
    resource: dict[str, Json]
    choices: ResourceOptions = ResourceOptions()
    template: tuple[UriTemplatePart, ...] = ()
    """The parts of its RFC 6570 template; empty for a resource with a fixed URI."""
    payload: Schema | None = None
    """The schema of the JSON value that its text holds, where one is given."""
    class_names: dict[str, str] = field(default_factory=dict[str, str])
    """`#resource` plus a JSON pointer into the payload's schema → the class name chosen there."""
    document: SourceDocument | None = None
    at: str = ""
    """Where the payload's schema stands in its document."""

    def locate(self, at: str) -> Span:
        """Where a pointer into the payload's schema was declared."""
        return self.span if self.document is None else self.document.make_span(self.at + at)


@dataclass(frozen=True)
class ProtocolSchema:
    """An official or compact MCP schema of one protocol version."""

    version: str
    origin: str
    definitions: dict[str, Json]
    dialect: str


@dataclass
class Definitions:
    """All that one package is generated from."""

    tools: list[ToolDefinition] = field(default_factory=list[ToolDefinition])
    resources: list[ResourceDefinition] = field(default_factory=list[ResourceDefinition])
    protocols: dict[str, ProtocolSchema] = field(default_factory=dict[str, ProtocolSchema])

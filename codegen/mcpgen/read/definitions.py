"""Definitions that were read: tools, resources, prompts and forms, and how a tool's result becomes content blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from mcpgen.diagnostics import Span
from mcpgen.ir.code_settings import TABLE_STRATEGIES, ContentStrategy, ResourceCodeSettings, ToolCodeSettings
from mcpgen.ir.definitions import MessageValue, PromptArgument, UriTemplatePart
from mcpgen.read.document import SourceDocument, WrittenPlace, WrittenSchema
from mcpgen.schema.document import Schema
from mcpgen.schema.object_roots import implies_object
from mcpgen.schema.values import Json, as_object
from mcpgen.targets import WrapMode

PAYLOAD_POINTER = "/x-mcpgen/schema"
"""JSON pointer, into a Resource, of the schema of the JSON value in its text."""
ERROR_POINTER = "/x-mcpgen/error"
"""JSON pointer, into a Tool, of the schema of the data of its error results."""
SIDE_POINTERS = {"input": "/inputSchema", "output": "/outputSchema", "error": ERROR_POINTER}
"""Sides of a tool, with which ids of its classes begin → JSON pointers, into a Tool, of their schemas."""


@dataclass(frozen=True)
class ToolOptions(ToolCodeSettings):
    """Options of a tool, from `x-mcpgen` in its definition and from the settings, which take precedence."""

    name: str | None = None
    content: ContentStrategy = "json"
    content_chosen: bool = False
    wrap: WrapMode = "legacy"
    wrap_chosen: bool = False
    """The user, or the server that the tool was pulled from, chose when its result is wrapped."""
    reference: TemplateReference | None = None
    template: TemplateFile | None = None
    formats: tuple[str, ...] = ()
    """Formats that become Python types unless a place in a schema says otherwise."""


@dataclass(frozen=True)
class TemplateReference:
    """Path of a template as written in the settings or in the definition."""

    path: str
    in_settings: bool
    span: Span | None


@dataclass(frozen=True)
class TemplateFile:
    """Text of a content template, and its file's name in messages (`name`) and in headers (`origin`)."""

    name: str
    origin: str
    text: str


@dataclass(frozen=True)
class ResourceOptions(ResourceCodeSettings):
    """Choices for a resource, from `x-mcpgen` in its definition."""

    name: str | None = None
    formats: tuple[str, ...] = ()
    """Formats that become Python types unless a place in a schema says otherwise."""


@dataclass(frozen=True)
class _TypedDefinition:
    """What definitions with schemas have in common."""

    name: str
    """What tells it apart: for a resource, its URI or URI template where several have the same name."""
    origin: str
    span: Span
    class_names: dict[str, str] = field(default_factory=dict[str, str], kw_only=True)
    """A side of it, such as `#output`, plus a JSON pointer → the class name chosen there by `x-mcpgen` or `types`."""
    type_settings: dict[str, str] = field(default_factory=dict[str, str], kw_only=True)
    """The keys of `class_names` that come from `types` in the settings → the key there."""
    formats: dict[str, bool] = field(default_factory=dict[str, bool], kw_only=True)
    """Place, as in `class_names` → whether the formatted string there becomes a Python type, by `x-mcpgen`."""
    document: SourceDocument | None = field(default=None, kw_only=True)

    def find(self, pointer: str) -> WrittenPlace | None:
        """Return where a pointer into the definition is written, such as `/uri`; None if it is in no file."""
        raise NotImplementedError

    def locate(self, pointer: str) -> Span:
        place = self.find(pointer)
        return self.span if place is None else place.make_span()


@dataclass(frozen=True)
class ToolDefinition(_TypedDefinition):
    """Tool: the Tool object as advertised, without `x-mcpgen` and with bundled schemas, and the choices for it."""

    tool: dict[str, Json]
    input: Schema
    output: Schema | None
    choices: ToolOptions = ToolOptions()
    at: str | None = None
    """JSON pointer of the Tool in its document; None when the document is its bare outputSchema."""
    is_output_from_settings: bool = False
    """Whether only the settings give it an outputSchema: then its server need not declare one."""
    written: dict[str, WrittenSchema] = field(default_factory=dict[str, WrittenSchema])
    """Where each schema is written, by its JSON pointer in the tool, if not in the document alone."""
    error: Schema | None = None
    """Schema of the data of its error results."""

    @property
    def schemas(self) -> dict[str, Schema]:
        """Its schemas by their sides."""
        schemas = {"input": self.input, "output": self.output, "error": self.error}
        return {side: schema for side, schema in schemas.items() if schema is not None}

    @property
    def wrapping(self) -> Literal["never", "legacy", "always"]:
        """When its result is wrapped in `{"result": …}`: `never`, on `legacy` protocol versions, or `always`."""
        return "never" if self.has_object_result else self.choices.wrap

    @cached_property
    def has_object_result(self) -> bool:
        """Whether its result can only be an object, or has no schema."""
        return self.output is None or implies_object(self.output.value, self.output.dialect)

    @property
    def is_for_models(self) -> bool:
        """Whether clients offer it to models, and not to apps alone (MCP Apps, `_meta.ui.visibility`)."""
        return is_for_models(self.tool)

    @property
    def is_for_apps(self) -> bool:
        """Whether an app shows its results, or may call it (MCP Apps, `_meta.ui`)."""
        has_ui = isinstance(as_object(self.tool.get("_meta")).get("ui"), dict)
        return find_view(self.tool) != "" or (has_ui and _is_visible(self.tool, "app"))

    def find(self, pointer: str) -> WrittenPlace | None:
        """Return where a pointer into the tool is written, such as `/outputSchema/type`; None if it is in no file."""
        for start, written in self.written.items():
            if f"{pointer}/".startswith(f"{start}/"):
                return written.find(pointer.removeprefix(start))
        is_bare = self.at is None
        if self.document is None or (is_bare and not f"{pointer}/".startswith("/outputSchema/")):
            return None
        inner = pointer.removeprefix("/outputSchema") if is_bare else f"{self.at}{pointer}"
        return WrittenPlace(self.document, inner)


@dataclass(frozen=True)
class ResourceDefinition(_TypedDefinition):
    """Resource or ResourceTemplate as declared, and the choices for it."""

    resource: dict[str, Json]
    choices: ResourceOptions = ResourceOptions()
    template: tuple[UriTemplatePart, ...] = ()
    """Parts of its RFC 6570 template; empty for a resource with a fixed URI."""
    payload: Schema | None = None
    """Schema of the JSON value in its text, if there is one."""
    at: str = ""
    """JSON pointer of the Resource in its document."""
    written: WrittenSchema | None = None
    """Where the payload's schema is written, if not in the document alone."""

    @property
    def wire_name(self) -> str:
        """Its name on the wire."""
        return str(self.resource["name"])

    @property
    def uri(self) -> str:
        """Its URI, or its URI template."""
        return str(self.resource["uriTemplate" if "uriTemplate" in self.resource else "uri"])

    def find(self, pointer: str) -> WrittenPlace | None:
        """Return where a pointer into the resource is written, such as `/uri`; None if it is in no file.

        The schema of the payload is at `PAYLOAD_POINTER`, wherever it was chosen.
        """
        if self.written is not None and f"{pointer}/".startswith(f"{PAYLOAD_POINTER}/"):
            return self.written.find(pointer.removeprefix(PAYLOAD_POINTER))
        return None if self.document is None else WrittenPlace(self.document, self.at + pointer)


@dataclass(frozen=True)
class PromptDefinition:
    """Prompt as declared, and the choices for it."""

    name: str
    origin: str
    span: Span
    prompt: dict[str, Json]
    arguments: tuple[PromptArgument, ...] = ()
    python: str | None = None
    """Python name that the user chose."""
    document: SourceDocument | None = None


@dataclass(frozen=True)
class FormDefinition(_TypedDefinition):
    """Form as declared, without `x-mcpgen`, and the choices for it."""

    form: dict[str, Json]
    schema: Schema
    """Schema of what a user enters: the declared one, closed."""
    message: tuple[str | MessageValue, ...]
    native_formats: tuple[str, ...] = ()
    """Formats that become Python types unless a place in the schema says otherwise."""
    python: str | None = None
    """Python name that the user chose."""
    at: str = ""
    """JSON pointer of the form in its document."""

    def find(self, pointer: str) -> WrittenPlace | None:
        """Return where a pointer into the form is written, such as `/message`; None if it is in no file."""
        return None if self.document is None else WrittenPlace(self.document, self.at + pointer)


Definition: TypeAlias = ToolDefinition | ResourceDefinition | PromptDefinition | FormDefinition


@dataclass
class Definitions:
    """Everything that one package is generated from."""

    tools: list[ToolDefinition] = field(default_factory=list[ToolDefinition])
    resources: list[ResourceDefinition] = field(default_factory=list[ResourceDefinition])
    prompts: list[PromptDefinition] = field(default_factory=list[PromptDefinition])
    forms: list[FormDefinition] = field(default_factory=list[FormDefinition])
    instructions: list[str] = field(default_factory=list[str])
    """What servers say of how to use them, in the order of the files."""

    def add(self, definition: Definition) -> None:
        """Add one definition."""
        match definition:
            case ToolDefinition():
                self.tools.append(definition)
            case ResourceDefinition():
                self.resources.append(definition)
            case PromptDefinition():
                self.prompts.append(definition)
            case FormDefinition():
                self.forms.append(definition)

    def extend(self, others: Definitions) -> None:
        """Add others."""
        self.tools += others.tools
        self.resources += others.resources
        self.prompts += others.prompts
        self.forms += others.forms
        self.instructions += others.instructions


def is_for_models(tool: Mapping[str, Json]) -> bool:
    """Return whether clients offer a Tool to models, and not to apps alone (MCP Apps, `_meta.ui.visibility`)."""
    return _is_visible(tool, "model")


def _is_visible(tool: Mapping[str, Json], audience: str) -> bool:
    visibility = as_object(as_object(tool.get("_meta")).get("ui")).get("visibility")
    return not isinstance(visibility, list) or audience in visibility


def find_view(tool: Mapping[str, Json]) -> str:
    """Return the URI of the resource that shows a Tool's results (MCP Apps), as now or before; empty without one."""
    meta = as_object(tool.get("_meta"))
    uri = as_object(meta.get("ui")).get("resourceUri", meta.get("ui/resourceUri"))
    return uri if isinstance(uri, str) else ""


# --- content ---------------------------------------------------------------------------------------------------------
def find_media_type(schema: Json) -> str | None:
    """Return the media type of a schema for base64 data; None if its root is not such a string.

    The keywords are those of JSON Schema validation (2020-12), section 8.
    """
    match schema:
        case {"type": "string", "contentEncoding": "base64", "contentMediaType": str() as media_type}:
            return media_type
        case _:
            return None


def find_content_strategy(tool: ToolDefinition) -> ContentStrategy:
    """Return the chosen content strategy; by default `binary` for an image or sound, and `json` for everything else."""
    media_type = None if tool.output is None else find_media_type(tool.output.value)
    if not tool.choices.content_chosen and media_type is not None and media_type.startswith(("image/", "audio/")):
        return "binary"
    return tool.choices.content


def has_default_content(tool: ToolDefinition) -> bool:
    """Tell whether a tool whose result is an object has JSON as its content because nobody has chosen a strategy.

    If a result is not an object, the protocol requires its JSON next to any other content.
    """
    return (
        tool.output is not None
        and tool.has_object_result
        and not tool.choices.content_chosen
        and find_content_strategy(tool) == "json"
    )


def has_chosen_text(tool: ToolDefinition) -> bool:
    """Tell whether models get a text that somebody has chosen, and that is not JSON, beside the value of a result."""
    choices = tool.choices
    is_text = choices.content in ("template", "items") or choices.content in TABLE_STRATEGIES
    return tool.output is not None and choices.content_chosen and is_text and tool.is_for_models

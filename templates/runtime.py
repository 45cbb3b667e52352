"""What every generated tool class shares: from its value to a CallToolResult of a protocol version, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

import jsonschema_rs
from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    RootModel,
    ValidationError,
)
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, to_json

from . import protocol as _protocol
from .json_schema import mark, render
from .protocol import CallToolResult, ContentBlock

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
Wrapped = Literal["never", "legacy", "always"]

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
_WITHOUT_STRUCTURED = PROTOCOLS[:2]
_NATURAL = PROTOCOLS[4:]
_MISSING: Any = object()
_CHECKED: Any = object()


class UnsupportedProtocol(ValueError):
    """The SDK's types cannot say what a protocol version asks for."""


class ToolCallError(Exception):
    """A tool answered with `isError`; `text` is what it told the model, `result` the whole answer."""

    def __init__(self, tool: str, text: str, result: object) -> None:
        super().__init__(f"{tool}: {text}" if text else f"{tool} failed without a message")
        self.tool, self.text, self.result = tool, text, result


def version_of(protocol: str | None) -> str:
    """A protocol version, or the one that holds when none is named.

    Raises:
        ValueError: there is no such version.
    """
    if protocol is None:
        return _protocol.DEFAULT
    if protocol not in PROTOCOLS:
        raise ValueError(
            f"unknown MCP protocol version {protocol!r}; known are {', '.join(PROTOCOLS)}"
        )
    return protocol


# --- the tools' definitions ------------------------------------------------------------------------------------------
@cache
def _file() -> dict[str, Any]:
    return cast(
        dict[str, Any], json.loads(Path(__file__).with_name("tools.json").read_text("utf-8"))
    )


@cache
def tools() -> dict[str, dict[str, Any]]:
    """The Tools as declared, by name."""
    return {tool["name"]: tool for tool in _file()["tools"]}


def list_tools(protocol: str | None = None) -> list[dict[str, Any]]:
    """The Tools to advertise under a protocol version: each outputSchema natural, wrapped or left out.

    Raises:
        ValueError: there is no such version.
    """
    version = version_of(protocol)
    return [_advertised(tool, version) for tool in tools().values()]


def _advertised(tool: dict[str, Any], version: str) -> dict[str, Any]:
    out = dict(tool)
    if "outputSchema" not in tool:
        return out
    if version in _WITHOUT_STRUCTURED:
        del out["outputSchema"]
        return out
    wrapped: dict[str, dict[str, Any]] = _file()["wrapped"]
    if tool["name"] in wrapped:
        entry = wrapped[tool["name"]]
        if version not in _NATURAL or entry["when"] == "always":
            out["outputSchema"] = entry["outputSchema"]
    return out


@cache
def _validator(tool: str) -> jsonschema_rs.Validator:
    schema: dict[str, Any] = tools()[tool]["outputSchema"]
    draft7 = str(schema.get("$schema", "")).startswith("http://json-schema.org/draft-07")
    maker = jsonschema_rs.Draft7Validator if draft7 else jsonschema_rs.Draft202012Validator
    return maker(schema, validate_formats=False, offline=True)


def check(tool: str, title: str, value: object) -> None:
    """Hold a JSON value against the tool's outputSchema, exactly.

    Raises:
        pydantic.ValidationError: it violates the schema; each violation with its place.
    """
    errors: list[InitErrorDetails] = []
    try:
        validator = _validator(tool)
        if validator.is_valid(value):
            return
        for found in validator.iter_errors(value):
            kind = PydanticCustomError("json_schema", "{message}", {"message": found.message})
            errors.append(
                {"type": kind, "loc": tuple(found.instance_path), "input": found.instance}
            )
    except (UnicodeEncodeError, ValueError, TypeError) as error:
        kind = PydanticCustomError(
            "json_value", "Input should be a JSON value: {why}", {"why": str(error)}
        )
        errors.append({"type": kind, "loc": (), "input": value})
    raise ValidationError.from_exception_data(title, errors)


# --- content blocks --------------------------------------------------------------------------------------------------
def text_block(
    text: str,
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> ContentBlock:
    """A text block, with annotations if any are given."""
    if audience is None and priority is None:
        return _protocol.TextContent(type="text", text=text)
    annotations = _protocol.block_annotations(audience, priority)
    return _protocol.TextContent(type="text", text=text, annotations=annotations)


def block_to_wire(block: BaseModel) -> dict[str, Any]:
    """A content block as on the wire, without what is absent."""
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def _for_version(block: dict[str, Any], version: str) -> dict[str, Any]:
    """A block in the form that a protocol version has for it: what it lacks becomes the nearest it knows."""
    if block.get("type") == "resource_link" and version in _WITHOUT_STRUCTURED:
        text: dict[str, Any] = {"type": "text", "text": block["uri"]}
        return text | {key: block[key] for key in ("annotations",) if key in block}
    if block.get("type") == "audio" and version == PROTOCOLS[0]:
        resource = {
            "uri": f"data:{block['mimeType']},",
            "mimeType": block["mimeType"],
            "blob": block["data"],
        }
        embedded: dict[str, Any] = {"type": "resource", "resource": resource}
        return embedded | {key: block[key] for key in ("annotations",) if key in block}
    return block


# --- results ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ToolInfo:
    """What a class knows of its tool."""

    name: str
    wrapped: Wrapped = "never"
    """When the structured value is wrapped as `{"result": value}`."""
    raw_text: bool = False
    """Whether the text for the model is the string itself, not its JSON."""
    beside: bool = False
    """Whether JSON text goes with the tool's own text where the structured value is no object."""


class ToolResult(BaseModel):
    """The base of all result classes."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())
    _tool: ClassVar[ToolInfo]

    def to_structured_content(self) -> Any:
        """The JSON value that `structuredContent` carries, before any wrapping."""
        raise NotImplementedError

    def to_content(self) -> list[ContentBlock]:
        """The content blocks for the model, in the newest protocol version's form."""
        raise NotImplementedError

    def to_call_tool_result(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> CallToolResult:
        """The result as the SDK's CallToolResult.

        Args:
            content: blocks in place of the tool's own.
            meta: the result's `_meta`.
            protocol: the session's protocol version; None: the package's default.
            verify: hold the value against the schema first, for instances that were changed after construction.

        Raises:
            ValueError: unknown protocol version.
            UnsupportedProtocol: the SDK's type cannot carry this version's result.
            pydantic.ValidationError: `verify` found a violation.
        """
        version = version_of(protocol)
        structured = self._structured(version, verify)
        if content is None and version in _NATURAL:
            return _protocol.call_tool_result(
                self._own_content(structured), structured, structured is not _MISSING, meta, version
            )
        blocks = [_protocol.block(one) for one in self._wire_content(content, version, structured)]
        return _protocol.call_tool_result(
            blocks, structured, structured is not _MISSING, meta, version
        )

    def to_wire(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> dict[str, Any]:
        """The result as a JSON-ready dict, keys as on the wire; parameters as `to_call_tool_result`."""
        version = version_of(protocol)
        structured = self._structured(version, verify)
        out: dict[str, Any] = {"content": self._wire_content(content, version, structured)}
        if structured is not _MISSING:
            out["structuredContent"] = structured
        if version in _NATURAL:
            out["resultType"] = "complete"
        if meta is not None:
            out["_meta"] = dict(meta)
        return out

    def to_wire_json(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """The result as UTF-8 JSON; parameters as `to_call_tool_result`."""
        return to_json(self.to_wire(content, meta, protocol, verify), inf_nan_mode="constants")

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read a natural (unwrapped) JSON value.

        Raises:
            pydantic.ValidationError: it violates the tool's outputSchema.
        """
        check(cls._tool.name, cls.__name__, value)
        return cls.model_validate(value, context=_CHECKED, by_alias=True, by_name=False)

    @classmethod
    def from_call_tool_result(
        cls, result: CallToolResult | Mapping[str, Any], protocol: str | None = None
    ) -> Self:
        """Read a result, an SDK's object or a wire dict.

        Where structured content is missing, a single text block that holds the JSON is read instead.

        Raises:
            ToolCallError: the result says `isError`.
            pydantic.ValidationError: the value violates the tool's outputSchema, or there is none.
            ValueError: unknown protocol version.
        """
        answer = _Answer.of(result)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        return cls.from_structured_content(cls._natural(answer, protocol))

    @classmethod
    def _natural(cls, answer: _Answer, protocol: str | None) -> Any:
        value = answer.structured
        if value is _MISSING:
            return cls._from_text(answer)
        tool = cls._tool
        if tool.wrapped == "never" or (tool.wrapped == "legacy" and answer.is_natural(protocol)):
            return value
        held = cast(dict[str, Any], value) if isinstance(value, dict) else {}
        if "result" not in held:
            raise _problem(
                cls.__name__,
                "structuredContent should be an object with a result",
                answer.structured,
            )
        return held["result"]

    @classmethod
    def _from_text(cls, answer: _Answer) -> Any:
        if len(answer.content) == 1 and answer.content[0].get("type") == "text":
            text = answer.content[0]["text"]
            if cls._tool.raw_text:
                return text
            try:
                return json.loads(text)
            except ValueError:
                pass
        raise _problem(cls.__name__, "the result has no structuredContent", answer.content)

    def _structured(self, version: str, verify: bool) -> Any:
        value = self.to_structured_content()
        tool = self._tool
        if verify:
            check(tool.name, type(self).__name__, value)
        if version in _WITHOUT_STRUCTURED:
            return _MISSING
        if tool.wrapped == "always" or (tool.wrapped == "legacy" and version not in _NATURAL):
            return {"result": value}
        return value

    def _wire_content(
        self, content: Iterable[ContentBlock] | None, version: str, structured: Any
    ) -> list[dict[str, Any]]:
        blocks = self._own_content(structured) if content is None else content
        out = [_for_version(block_to_wire(block), version) for block in blocks]
        if not out and structured is _MISSING and content is None:
            out.append({"type": "text", "text": self._json_text()})
        return out

    def _own_content(self, structured: Any) -> list[ContentBlock]:
        """The tool's blocks, and the JSON text that the protocol asks for where the structured value is no object."""
        blocks = self.to_content()
        if self._tool.beside and structured is not _MISSING and not isinstance(structured, dict):
            blocks += [block.model_copy(update={"text": self._json_text()}) for block in blocks[:1]]
        return blocks

    def _json_text(self) -> str:
        """The value as compact JSON text."""
        return self.model_dump_json(by_alias=True)

    # --- pydantic's view ---------------------------------------------------------------------------------------------
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return mark(cls, source, handler)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        declared = tools()[cls._tool.name].get("outputSchema") if "_tool" in cls.__dict__ else None
        return handler(schema) if declared is None else render(cls, declared, schema, handler)


class Checked(ToolResult):
    """A result whose schema says more than its types do: construction is held against the schema, too."""

    def model_post_init(self, context: Any, /) -> None:
        """Check the new instance, unless it was read from a value that was checked already."""
        if context is not _CHECKED:
            check(self._tool.name, type(self).__name__, self.to_structured_content())


class RootResult(ToolResult, RootModel[T], Generic[T]):
    """The base where the root of the outputSchema is no object: the value is `root`."""

    if not TYPE_CHECKING:

        def __init__(self, /, root: Any = _MISSING, **data: Any) -> None:
            super().__init__(**data) if root is _MISSING else super().__init__(root)

        __init__.__pydantic_base_init__ = True


class ContentResult(ToolResult):
    """The base for a tool without an outputSchema: content, and nothing structured."""

    content: list[ContentBlock]

    def to_structured_content(self) -> Any:
        """There is none.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"{self._tool.name} declares no outputSchema, so it has no structured content"
        )

    def to_content(self) -> list[ContentBlock]:
        """The blocks as given."""
        return [*self.content]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """There is nothing to read.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"{cls._tool.name} declares no outputSchema, so it has no structured content"
        )

    @classmethod
    def from_call_tool_result(
        cls, result: CallToolResult | Mapping[str, Any], protocol: str | None = None
    ) -> Self:
        """Read the content blocks of a result.

        Raises:
            ToolCallError: the result says `isError`.
            ValueError: unknown protocol version.
        """
        version_of(protocol)
        answer = _Answer.of(result)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        return cls(content=[_protocol.block(one) for one in answer.content])

    def _structured(self, version: str, verify: bool) -> Any:
        return _MISSING

    def _json_text(self) -> str:
        return ""

    def _wire_content(
        self, content: Iterable[ContentBlock] | None, version: str, structured: Any
    ) -> list[dict[str, Any]]:
        blocks = self.content if content is None else content
        return [_for_version(block_to_wire(block), version) for block in blocks]


@dataclass(frozen=True)
class _Answer:
    """A result as read: a wire dict or an SDK's object, present null and absent told apart."""

    content: list[dict[str, Any]]
    structured: Any
    is_error: bool
    has_result_type: bool

    @classmethod
    def of(cls, result: BaseModel | Mapping[str, Any]) -> _Answer:
        if isinstance(result, Mapping):
            blocks = [dict(block) for block in result.get("content", ())]
            structured = result.get("structuredContent", _MISSING)
            return cls(blocks, structured, result.get("isError") is True, "resultType" in result)
        values = {field.alias or name: name for name, field in type(result).model_fields.items()}
        given = {values.get(name, name) for name in result.model_fields_set}
        name = values.get("structuredContent", "structuredContent")
        held = getattr(result, name, None)
        structured = held if held is not None or name in given else _MISSING
        blocks = [
            block_to_wire(block) for block in getattr(result, values.get("content", "content"))
        ]
        is_error = getattr(result, values.get("isError", "isError"), None) is True
        return cls(blocks, structured, is_error, values.get("resultType", "resultType") in given)

    def is_natural(self, protocol: str | None) -> bool:
        """Whether the value is not wrapped, where that depends on the version."""
        return self.has_result_type if protocol is None else version_of(protocol) in _NATURAL

    def text(self) -> str:
        return "\n".join(
            str(block["text"]) for block in self.content if block.get("type") == "text"
        )


def _problem(title: str, message: str, value: object) -> ValidationError:
    kind = PydanticCustomError("missing_structured_content", "{message}", {"message": message})
    return ValidationError.from_exception_data(title, [{"type": kind, "loc": (), "input": value}])


def tool_error(text: str) -> CallToolResult:
    """A CallToolResult with `isError`, which tells the model what went wrong."""
    return _protocol.error_result([text_block(text)])


# --- resources -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ResourceInfo:
    """A declared resource: its exact name, its URI or RFC 6570 template, its MIME type."""

    name: str
    uri: str | None = None
    uri_template: str | None = None
    mime_type: str | None = None


class ResourceResult(BaseModel):
    """The base of resource classes: the contents that a read of the resource gives."""

    model_config = ConfigDict(frozen=True, protected_namespaces=())
    resource: ClassVar[ResourceInfo]
    contents: list[_protocol.TextResourceContents | _protocol.BlobResourceContents]


__all__ = [
    "PROTOCOLS",
    "Checked",
    "ContentBlock",
    "ContentResult",
    "ResourceInfo",
    "ResourceResult",
    "RootResult",
    "ToolCallError",
    "ToolInfo",
    "ToolResult",
    "UnsupportedProtocol",
    "list_tools",
    "text_block",
    "tool_error",
    "tools",
]

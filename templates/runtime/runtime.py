"""Base classes of tool results: from a value to a CallToolResult of a protocol version, and back."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    cast,
    overload,
)

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    RootModel,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticSerializationError, to_json

from . import protocol as _protocol
from .answer import MISSING, Answer, map_attributes, get_binary_data, make_read_error
from .blocks import block_to_wire, content_blocks, adapt_block, convert_block, text_block
from .copies import Copied
from .deep import (
    LimitExceeded,
    is_deeper,
    write_json_bytes,
    parse_json,
    read_value,
    make_depth_error,
)
from .errors import (
    LOG_BYTES,
    MODEL_BYTES,
    ResultError,
    ToolCallError,
    UnsupportedProtocol,
    list_problems,
    format_public,
)
from .exact import SchemaCheck, hold
from .handled import result_of, says_result, wire_form
from .json_schema import mark, render
from .jsonable import NoJsonForm, get_json_value, to_json_form, write_instance
from .lenient import build_leniently
from .plain import is_plain
from .protocol import CallToolResult, ContentBlock
from .readers import Reader, attribute_reader, json_reader
from .violations import cut_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from .base import JsonValue

T = TypeVar("T")
Wrapped = Literal["never", "legacy", "always"]

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
_WITHOUT_STRUCTURED = PROTOCOLS[:2]
_NATURAL = PROTOCOLS[4:]
_ALL_BLOCKS = PROTOCOLS[2:]
"""Versions with every kind of content block."""
_CHECKED: Any = object()
"""Validation context of a value that is checked already."""
_checks: ContextVar[bool] = ContextVar(f"{__name__}.checks", default=False)
"""Whether an instance under construction will be checked as a whole."""


def _is_natural(answer: Answer, protocol: str | None) -> bool:
    """Return whether the value is not wrapped, where that depends on the version."""
    return answer.has_result_type if protocol is None else version_of(protocol) in _NATURAL


def version_of(protocol: str | None) -> str:
    """Return a protocol version, or the default one for None.

    Raises:
        ValueError: unknown protocol version.
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
def _load_definitions() -> dict[str, Any]:
    return cast(
        dict[str, Any], json.loads(Path(__file__).with_name("tools.json").read_text("utf-8"))
    )


@cache
def tools() -> dict[str, dict[str, Any]]:
    """Return the Tools as declared, by name."""
    return {tool["name"]: tool for tool in _load_definitions()["tools"]}


def list_tools(protocol: str | None = None) -> list[dict[str, Any]]:
    """Return the Tools to advertise under a protocol version: each outputSchema natural, wrapped or left out.

    Raises:
        ValueError: unknown protocol version.
    """
    version = version_of(protocol)
    return [advertise_tool(tool, version) for tool in tools().values()]


def advertise_tool(tool: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a Tool as a protocol version advertises it."""
    out = dict(tool)
    if "outputSchema" not in tool:
        return out
    if version in _WITHOUT_STRUCTURED:
        del out["outputSchema"]
        return out
    wrapped: dict[str, dict[str, Any]] = _load_definitions()["wrapped"]
    if tool["name"] in wrapped:
        entry = wrapped[tool["name"]]
        if version not in _NATURAL or entry["when"] == "always":
            out["outputSchema"] = entry["outputSchema"]
    return out


@cache
def _output_check(tool: str) -> SchemaCheck:
    return SchemaCheck(tools()[tool]["outputSchema"])


def check(tool: str, title: str, value: object, is_own: bool = False) -> None:
    """Check a JSON value against the tool's outputSchema, exactly; `is_own` as in `hold`.

    Raises:
        pydantic.ValidationError: it violates the schema; each violation with its place.
    """
    hold(value, lambda: (_text_check if is_own else _output_check)(tool), title, is_own)


@cache
def _text_check(tool: str) -> SchemaCheck:
    """Return a check that also finds lone surrogates in all strings."""
    return SchemaCheck(_require_text_checks(tools()[tool]["outputSchema"]))


def _require_text_checks(schema: Any) -> Any:
    """Add a `pattern` that matches everything to all strings: without one the validator ignores their text."""
    if isinstance(schema, list):
        return [_require_text_checks(inner) for inner in cast(list[object], schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast(dict[str, Any], schema)
    out = {
        key: inner if key in _VALUE_KEYWORDS else _require_text_checks(inner)
        for key, inner in members.items()
    }
    kind = members.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        out.setdefault("pattern", "")
    return out


_VALUE_KEYWORDS = frozenset({"const", "default", "enum", "examples"})
"""Keywords that hold values, not schemas."""


@cache
def _list_declared_names(tool: str) -> frozenset[str]:
    """Return the names of all properties that a tool's outputSchema declares."""
    names: set[str] = set()
    stack: list[Any] = [tools()[tool].get("outputSchema")]
    while stack:
        node: Any = stack.pop()
        if isinstance(node, dict):
            members = cast(dict[str, Any], node)
            if isinstance(properties := members.get("properties"), dict):
                names.update(cast(dict[str, Any], properties))
            stack.extend(members.values())
        elif isinstance(node, list):
            stack.extend(cast(list[object], node))
    return frozenset(names)


# --- results ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ToolInfo:
    """Description of a tool for its result class."""

    name: str
    wrapped: Wrapped = "never"
    """When the structured value is wrapped as `{"result": value}`."""
    raw_text: bool = False
    """Whether the text for the model is the string itself, not its JSON."""
    binary: bool = False
    """Whether the value is the base64 data that its one content block carries."""
    pairs: bool = True
    """Whether a handler's 2-tuple is `(payload, structured)`, since the value cannot be an array."""
    bare: bool = False
    """Whether a handler may return the inner value of the declared `{"result": …}`."""
    beside: bool = False
    """Whether JSON text is added to the tool's own text if the structured value is not an object."""
    json_text: bool = True
    """Whether its content is one text block, without annotations, that holds the JSON (or the string)."""
    nulls: bool = False
    """Whether the value may contain null."""
    as_sdk: bool = False
    """Whether the SDK converts a handler's value, since the tool declares no outputSchema."""
    checks_input: bool = False
    """Whether the inputSchema says more than the types of the arguments."""


def _is_wrapped(tool: ToolInfo, version: str) -> bool:
    """Return whether the value is wrapped as `{"result": value}` under a version with structured content."""
    return tool.wrapped == "always" or (tool.wrapped == "legacy" and version not in _NATURAL)


def _format_text(tool: ToolInfo, value: Any) -> str:
    """Return the text for the model: the JSON of a value, or the string itself."""
    if tool.raw_text:
        return cast(str, value)
    try:
        return to_json(value).decode()
    except PydanticSerializationError:  # for example, nested too deeply for pydantic
        return write_json_bytes(value).decode()


def _make_text_result(tool: ToolInfo, value: Any, text: str, version: str) -> CallToolResult:
    """Make the result of a JSON value whose text is the only content."""
    if version in _WITHOUT_STRUCTURED:
        blocks: list[ContentBlock] = [text_block(text)]
        return _protocol.call_tool_result(blocks, None, False, None, version)
    if tool.wrapped != "never" and _is_wrapped(tool, version):
        value = {"result": value}
    return _protocol.text_result(text, value, version)


class ToolResult(Copied):
    """Base of all result classes."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())
    _tool: ClassVar[ToolInfo]

    def to_structured_content(self) -> Any:
        """Return the JSON value of `structuredContent`, before any wrapping."""
        raise NotImplementedError

    def to_content(self) -> list[ContentBlock]:
        """Return the content blocks for the model, in the newest protocol version's form."""
        raise NotImplementedError

    def to_call_tool_result(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> CallToolResult:
        """Return the result as the SDK's CallToolResult.

        Args:
            content: blocks in place of the tool's own.
            meta: the result's `_meta`.
            protocol: the session's protocol version; None: the package's default.
            verify: check the value against the schema first, for instances that were changed after construction.

        Raises:
            ValueError: unknown protocol version.
            UnsupportedProtocol: the SDK's type cannot carry this version's result.
            pydantic.ValidationError: `verify` found a violation.
            NoJsonForm: a ValueError; `verify` found that the instance cannot be written as it is now.
        """
        tool = self._tool
        version = _protocol.DEFAULT if protocol is None else version_of(protocol)
        if tool.json_text and content is None and meta is None and not verify:  # the usual case
            value = self.to_structured_content()
            return _make_text_result(tool, value, _format_text(tool, value), version)
        if content is None and not verify and not tool.beside and version in _ALL_BLOCKS:
            blocks = self.to_content()
            value = (
                get_binary_data(block_to_wire(blocks[0]))
                if tool.binary
                else self._compute_value(verify)
            )
        else:
            value = self._compute_value(verify)
            blocks = self._make_blocks(content, version, value)
        return self._build_result(blocks, value, meta, version)

    def _build_result(
        self,
        blocks: list[ContentBlock],
        value: Any,
        meta: Mapping[str, Any] | None,
        version: str,
    ) -> CallToolResult:
        if version in _WITHOUT_STRUCTURED or self._tool.wrapped != "never":
            value = self._wrap_value(value, version)
        return _protocol.call_tool_result(blocks, value, value is not MISSING, meta, version)

    def _answer(
        self, version: str, payload: object = MISSING, is_new: bool = False
    ) -> CallToolResult:
        """Convert an instance that a handler returned, after checking it as it is now.

        Args:
            version: the session's protocol version.
            payload: becomes the content blocks in place of the tool's own.
            is_new: whether this call created all of it, so that it is unchanged since validation.

        Raises:
            ResultError: it violates the schema, since it was changed or never validated.
        """
        tool = self._tool
        if payload is MISSING and not tool.binary:  # the usual case, which is usually valid
            try:
                value = self.to_structured_content()
                if tool.json_text:
                    text = _format_text(tool, value)
                    if is_new or _output_check(tool.name).is_valid(value):
                        return _make_text_result(tool, value, text, version)
                elif is_new or _text_check(tool.name).is_valid(value):
                    plain = version in _ALL_BLOCKS and not tool.beside
                    blocks = self.to_content() if plain else self._make_blocks(None, version, value)
                    return self._build_result(blocks, value, None, version)
            except UnsupportedProtocol:
                raise
            except Exception:  # reported below, if it happens again
                pass
        try:
            return self._answer_step_by_step(version, payload)
        except ValidationError as error:
            public = format_public(error, _list_declared_names(tool.name))
            raise ResultError(tool.name, list_problems(error), public) from error
        except NoJsonForm as error:
            raise ResultError.of(tool.name, error, _list_declared_names(tool.name)) from error

    def _answer_step_by_step(self, version: str, payload: object) -> CallToolResult:
        """Do the same step by step, to find out what is wrong.

        Raises:
            pydantic.ValidationError: the value violates the schema.
            NoJsonForm: it cannot be written, or holds something other than JSON.
        """
        blocks_in_place: list[ContentBlock] | None = None
        if payload is not MISSING:
            value, blocks_in_place = get_json_value(self), content_blocks(payload)
        elif self._tool.binary:
            blocks_in_place = write_instance(self, self.to_content)
            value = get_binary_data(block_to_wire(blocks_in_place[0]))  # encoded once
        else:
            value = get_json_value(self)
        check(self._tool.name, type(self).__name__, value, True)
        blocks = write_instance(self, partial(self._make_blocks, blocks_in_place, version, value))
        return self._build_result(blocks, value, None, version)

    def _make_blocks(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any
    ) -> list[ContentBlock]:
        if content is None and self._tool.json_text:  # of this value, even if the instance changes
            return [text_block(_format_text(self._tool, value))]
        structured = self._wrap_value(value, version)
        if version in _ALL_BLOCKS:
            return self._make_own_content(structured) if content is None else [*content]
        wires = self._write_content(content, version, value, structured)
        return [_protocol.block(wire) for wire in wires]

    def to_wire(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> dict[str, Any]:
        """Return the result as a JSON-ready dict with wire names; parameters as in `to_call_tool_result`."""
        version = version_of(protocol)
        value = self._compute_value(verify)
        structured = self._wrap_value(value, version)
        wires = self._write_content(content, version, value, structured)
        out: dict[str, Any] = {"content": wires}
        if structured is not MISSING:
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
        """Return the result as UTF-8 JSON; parameters as in `to_call_tool_result`."""
        version = _protocol.DEFAULT if protocol is None else version_of(protocol)
        if version in _WITHOUT_STRUCTURED or content is not None or meta is not None or verify:
            return write_json_bytes(self.to_wire(content, meta, protocol, verify))
        tool = self._tool
        wraps = tool.wrapped != "never" and _is_wrapped(tool, version)
        if tool.json_text:
            value = self._write_json()
            start, end = b'{"content":[{"type":"text","text":', b'}],"structuredContent":'
            blocks = value if tool.raw_text else to_json(value)
        else:
            start, end = b'{"content":', b',"structuredContent":'
            blocks, value = self._write_json_parts(wraps)
        if wraps:
            end, value = end + b'{"result":', value + b"}"
        last = b',"resultType":"complete"}' if version in _NATURAL else b"}"
        return b"".join((start, blocks, end, value, last))

    def _write_json_parts(self, wraps: bool) -> tuple[bytes, bytes]:
        """Return the tool's own content blocks and the value, as JSON."""
        if self._tool.binary:
            wires = [block_to_wire(block) for block in self.to_content()]
            return to_json(wires), to_json(get_binary_data(wires[0]))  # encoded once
        value = self._write_json()
        blocks = self._append_json_text(None if wraps or value.startswith(b"{") else value)
        return to_json([block_to_wire(block) for block in blocks]), value

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read a natural (unwrapped) JSON value.

        Raises:
            pydantic.ValidationError: it violates the tool's outputSchema.
        """
        check(cls._tool.name, cls.__name__, value)
        instance: Self = read_value(cls, value, _CHECKED)
        return instance

    @overload
    @classmethod
    def from_call_tool_result(
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn"] = "raise",
    ) -> Self: ...

    @overload
    @classmethod
    def from_call_tool_result(
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raw"],
    ) -> Self | JsonValue: ...

    @classmethod
    def from_call_tool_result(
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
    ) -> Any:
        """Read a result: any SDK's CallToolResult object, or a wire dict.

        If structured content is missing, a single text block with the JSON is read instead, or the data of a single
        binary block if that is the value.

        Args:
            result: the result.
            protocol: the session's protocol version; None: inferred from the result.
            on_invalid: what to do with a value that violates the tool's outputSchema: `raise`; `warn` and return an
                instance that holds the JSON value itself where it lacks the declared type; or return the `raw` JSON
                value.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: the value is missing or violates the tool's outputSchema, or the result is not a
                CallToolResult.
            ValueError: unknown protocol version.
        """
        version_of(protocol)
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        value = cls._unwrap_value(answer, protocol)
        try:
            return cls.from_structured_content(value)
        except ValidationError as error:
            if on_invalid == "raise" or (on_invalid == "warn" and not cls._accepts_kind(value)):
                raise
            if on_invalid == "raw":
                return value
            try:
                instance = build_leniently(cls, to_json_form(value))
            except Exception:  # it is not JSON; foreign objects may raise anything
                raise error from None
            text = "; ".join(
                f"{place}: {message}" if place else message
                for place, message in list_problems(error)
            )
            said = f"{cls._tool.name}: an invalid result was read: {text}"
            warnings.warn(cut_text(said, LOG_BYTES), stacklevel=2)
            return instance

    @classmethod
    def _accepts_kind(cls, value: object) -> bool:
        """Return whether a value is at least of the kind that the class's attributes need."""
        return issubclass(cls, RootModel) or isinstance(value, dict)

    # --- what a handler returned -------------------------------------------------------------------------------------
    normalize: ClassVar[Callable[..., CallToolResult]]
    """Converts a handler's value to a CallToolResult; each class declares the types."""

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """Convert whatever a handler returned to a CallToolResult.

        Besides the types of `normalize`: another SDK's CallToolResult; dataclasses, pydantic models and any object with
        the attributes, nested too; datetime, date, UUID, Decimal, Enum and bytes in their JSON forms; iterables as
        arrays.

        Raises:
            ResultError: the value does not fit the tool's outputSchema.
            ValueError: unknown protocol version.
        """
        if isinstance(value, BaseModel):
            if isinstance(value, cls | CallToolResult):
                return cls.normalize(value, protocol)
            if (result := cls._convert_foreign(value, version_of(protocol))) is not None:
                return result
        if cls._tool.pairs and (pair := _split_pair(value)) is not None:
            return cls.normalize((pair[0], cls._convert_value(pair[1])), protocol)
        bare = cls._tool.bare and issubclass(type(value), list)
        read = cls._read({"result": value} if bare else value, attribute_reader)
        if read is MISSING:
            return cls.normalize(cls._convert_value(value), protocol)
        if says_result(read):
            return cls.normalize(read, protocol)
        if cls._tool.json_text:
            return _make_text_result(
                cls._tool, read, _format_text(cls._tool, read), version_of(protocol)
            )
        return cls._of(read).to_call_tool_result(protocol=protocol)

    @classmethod
    def _convert_foreign(cls, value: object, version: str) -> CallToolResult | None:
        """Convert a result of another SDK; None for anything else.

        Raises:
            ResultError: it is not a valid CallToolResult.
        """
        try:
            answer = Answer.read_foreign(value)
            return None if answer is None else result_of(answer.to_wire_dict(), version)
        except ValidationError as error:
            public = "should be a CallToolResult"
            raise ResultError(cls._tool.name, list_problems(error), public) from error
        except NoJsonForm as error:
            raise ResultError.of(
                cls._tool.name, error, _list_declared_names(cls._tool.name)
            ) from error

    @classmethod
    def _result_of(
        cls, value: object, protocol: str | None, payload: object = MISSING
    ) -> CallToolResult:
        """Convert a handler's value, without an instance if its JSON text is the only content.

        Values that are read here are new and valid. Instances, and values that contain some, are checked again.
        """
        version = version_of(protocol)
        if payload is MISSING and cls._tool.json_text and not isinstance(value, cls):
            read = cls._read(value, json_reader)
            if read is not MISSING:
                return _make_text_result(cls._tool, read, _format_text(cls._tool, read), version)
        instance = cls._of(value)
        # validation would not copy an instance inside the value
        is_new = payload is MISSING and instance is not value and is_plain(value)
        return instance._answer(version, payload, is_new)

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        """Read a handler's value as JSON; `MISSING` if that takes an instance, or the value does not fit."""
        read = reader_of(cls)
        try:
            return MISSING if read is None else read(value)
        except (ValidationError, RecursionError):
            return MISSING

    @classmethod
    def _convert_value(cls, value: object) -> Any:
        try:
            return value if isinstance(value, cls) else wire_form(value, cls, cls._tool.bare)
        except NoJsonForm as error:
            if type(value) in (dict, list) and is_deeper(value, 100):
                return (
                    value  # JSON already, or refused later; attributes are not supported that deep
                )
            raise ResultError.of(
                cls._tool.name, error, _list_declared_names(cls._tool.name)
            ) from error

    @classmethod
    def _of(cls, value: object) -> Self:
        """Return a handler's value as an instance, which it already is or becomes by validation.

        Raises:
            ResultError: the value does not fit.
        """
        readable = value
        if type(value) is not dict:
            if isinstance(value, cls):
                return value
            if isinstance(value, Mapping):  # pydantic only accepts a dict for a model
                readable = dict(cast(Mapping[str, Any], value))
        try:
            instance: Self = read_value(cls, readable)
            return instance
        except ValidationError as error:
            exact = cls._find_exact_violations(readable) or error
            problems, public = list_problems(exact), format_public(
                exact, _list_declared_names(cls._tool.name)
            )
            raise ResultError(cls._tool.name, problems, public) from error

    @classmethod
    def _find_exact_violations(cls, value: object) -> ValidationError | None:
        """Return the violations that the schema finds, whose places are JSON pointers."""
        try:
            check(cls._tool.name, cls.__name__, wire_form(value, cls))
        except ValidationError as error:
            return error
        except NoJsonForm:
            pass
        return None

    @classmethod
    def _unwrap_value(cls, answer: Answer, protocol: str | None) -> Any:
        value = answer.structured
        if value is MISSING:
            return cls._read_text(answer)
        tool = cls._tool
        if tool.wrapped == "never" or (tool.wrapped == "legacy" and _is_natural(answer, protocol)):
            return value
        members = cast(dict[str, Any], value) if isinstance(value, dict) else {}
        if "result" not in members:
            raise make_read_error(
                cls.__name__,
                "structuredContent should be an object with a result",
                answer.structured,
            )
        return members["result"]

    @classmethod
    def _read_text(cls, answer: Answer) -> Any:
        if len(answer.content) == 1 and answer.content[0]["type"] == "text":
            text = answer.content[0]["text"]
            if cls._tool.raw_text:
                return text
            try:
                return parse_json(text)
            except LimitExceeded:
                raise make_depth_error(cls.__name__, text) from None
            except ValueError:
                pass
        if cls._tool.binary and (data := answer.data()) is not None:
            return data
        raise make_read_error(cls.__name__, "the result has no structuredContent", answer.content)

    def _compute_value(self, verify: bool) -> Any:
        value = get_json_value(self) if verify else self.to_structured_content()
        if verify:
            check(self._tool.name, type(self).__name__, value, True)
        return value

    def _wrap_value(self, value: Any, version: str) -> Any:
        """Return the value in the form of `structuredContent`."""
        if version in _WITHOUT_STRUCTURED:
            return MISSING
        return {"result": value} if _is_wrapped(self._tool, version) else value

    def _write_content(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        if content is None and self._tool.json_text:
            return [{"type": "text", "text": _format_text(self._tool, value)}]
        blocks = self._make_own_content(structured) if content is None else content
        out = [adapt_block(block_to_wire(block), version) for block in blocks]
        if not out and structured is MISSING and content is None:
            out.append({"type": "text", "text": write_json_bytes(value).decode()})
        return out

    def _make_own_content(self, structured: Any) -> list[ContentBlock]:
        """Return the tool's blocks, and the JSON text that the protocol requires if the value is not an object."""
        if not self._tool.beside or structured is MISSING or isinstance(structured, dict):
            return self.to_content()
        return self._append_json_text(write_json_bytes(structured))

    def _append_json_text(self, json_text: bytes | None) -> list[ContentBlock]:
        """Return the tool's blocks, and a JSON text if there is one."""
        blocks = self.to_content()
        if self._tool.beside and json_text is not None:
            text = json_text.decode()
            blocks += [block.model_copy(update={"text": text}) for block in blocks[:1]]
        return blocks

    def _json_text(self) -> str:
        """Return the value as compact JSON text."""
        return self._write_json().decode()

    def _write_json(self) -> bytes:
        """Return the value as compact JSON. Without nulls, None means absence, which pydantic omits by itself."""
        try:
            return self.__pydantic_serializer__.to_json(self, exclude_none=not self._tool.nulls)
        except PydanticSerializationError:  # for example, nested too deeply for pydantic
            return write_json_bytes(self.to_structured_content())

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
    """Base of results whose schema says more than their types do: construction checks the schema, too."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(
        cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Check a new instance, unless it is part of a value that was checked, or will be."""
        if info.context is _CHECKED or _checks.get():
            return handler(value)
        token = _checks.set(True)
        try:
            instance = handler(value)
        finally:
            _checks.reset(token)
        if instance is not value:
            check(cls._tool.name, cls.__name__, get_json_value(instance))
        return instance

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        read = super()._read(value, reader_of)
        try:
            if read is not MISSING:
                check(cls._tool.name, cls.__name__, read)
        except ValidationError:
            return MISSING
        return read


class RootResult(ToolResult, RootModel[T], Generic[T]):
    """Base for an outputSchema whose root is not an object: the value is `root`."""

    if not TYPE_CHECKING:

        def __init__(self, /, root: Any = MISSING, **data: Any) -> None:
            read_value(type(self), data if root is MISSING else root, instance=self)

        __init__.__pydantic_base_init__ = True


class ContentResult(ToolResult):
    """Base for a tool without an outputSchema: content, and nothing structured."""

    _holds_json: ClassVar[bool] = False
    content: list[ContentBlock]

    def to_structured_content(self) -> Any:
        """Refuse: there is no structured content.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"{self._tool.name} declares no outputSchema, so it has no structured content"
        )

    def to_content(self) -> list[ContentBlock]:
        """Return the blocks as given."""
        return [*self.content]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Refuse: there is nothing to read.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"{cls._tool.name} declares no outputSchema, so it has no structured content"
        )

    @classmethod
    def from_call_tool_result(
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
    ) -> Self:
        """Read the content blocks of a result.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: it is not a CallToolResult.
            ValueError: unknown protocol version.
        """
        version_of(protocol)
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        return cls(content=[_protocol.block(wire) for wire in answer.content])

    @classmethod
    def normalize(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """Convert whatever a handler returned to a CallToolResult.

        A CallToolResult, also in the form of a mapping, stays unchanged. `(payload, structured)`, where
        `structured` is an object, gives structured content; everything else gives only content, None gives none.

        Raises:
            ResultError: the value holds something that JSON cannot hold.
            ValueError: unknown protocol version.
        """
        if isinstance(value, CallToolResult):
            return value
        if isinstance(value, cls):
            return value._answer(version_of(protocol))
        if (result := cls._convert_foreign(value, version_of(protocol))) is not None:
            return result
        if says_result(value):
            return result_of(value, version_of(protocol))
        try:
            return cls._make_content_result(value, version_of(protocol))
        except ValidationError as error:
            problems = list_problems(error)
            raise ResultError(cls._tool.name, problems, format_public(error, ())) from error
        except NoJsonForm as error:
            raise ResultError.of(
                cls._tool.name, error, _list_declared_names(cls._tool.name)
            ) from error

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """Convert a value; `normalize` already takes everything."""
        return cls.normalize(value, protocol)

    def _answer(
        self, version: str, payload: object = MISSING, is_new: bool = False
    ) -> CallToolResult:
        try:
            return self.to_call_tool_result(protocol=version)
        except UnsupportedProtocol:
            raise
        except Exception as error:  # a changed list of blocks may cause any error
            problems = [("/content", "should hold content blocks")]
            raise ResultError(self._tool.name, problems) from error

    @classmethod
    def _make_content_result(cls, value: object, version: str) -> CallToolResult:
        payload, structured = value, None
        if (pair := _split_pair(value)) is not None and convert_block(pair[1]) is None:
            form = to_json_form(pair[1])
            if isinstance(form, dict):
                payload, structured = pair[0], form
        wires = [adapt_block(block_to_wire(block), version) for block in content_blocks(payload)]
        has_structured = structured is not None and version not in _WITHOUT_STRUCTURED
        content = [_protocol.block(block) for block in wires]
        return _protocol.call_tool_result(content, structured, has_structured, None, version)

    def to_wire_json(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """Return the result as UTF-8 JSON; parameters as in `to_call_tool_result`."""
        return write_json_bytes(self.to_wire(content, meta, protocol, verify))

    def _compute_value(self, verify: bool) -> Any:
        return MISSING

    def _wrap_value(self, value: Any, version: str) -> Any:
        return MISSING

    def _write_content(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        blocks = self.content if content is None else content
        return [adapt_block(block_to_wire(block), version) for block in blocks]


def _split_pair(value: object) -> tuple[object, object] | None:
    items = cast(tuple[object, ...], value) if isinstance(value, tuple) else ()
    return (items[0], items[1]) if len(items) == 2 else None


def tool_error(
    what: str | Exception | Iterable[ContentBlock], protocol: str | None = None
) -> CallToolResult:
    """Make a CallToolResult with `isError`, which tells the model what went wrong.

    Args:
        what: the text, the content blocks, or the error of an invalid result, of which the model sees the problems and
            their places, but not the value.
        protocol: the session's protocol version; None: the package's default.

    Raises:
        ValueError: unknown protocol version.
    """
    version = version_of(protocol)
    match what:
        case str():
            text = what
        case ResultError():
            text = cut_text(f"The tool's result is invalid: {what.public}", MODEL_BYTES)
        case ValidationError():
            text = cut_text(f"The tool's result is invalid: {_format_public(what)}", MODEL_BYTES)
        case Exception():
            text = "The tool failed."
        case _:
            return _protocol.call_tool_result([*what], None, False, None, version, True)
    return _protocol.call_tool_result([text_block(text)], None, False, None, version, True)


def _format_public(error: ValidationError) -> str:
    declared = {name for tool in tools() for name in _list_declared_names(tool)}
    return format_public(error, declared)


def model_content(result: BaseModel | Mapping[str, Any]) -> CallToolResult:
    """Return what a model's context needs: the content blocks, or the structured JSON where there are none.

    Args:
        result: a CallToolResult of any SDK, or a wire dict; `isError` and `_meta` are kept.

    Raises:
        pydantic.ValidationError: it is not a CallToolResult.
    """
    answer = Answer.of(result)
    blocks = [_protocol.block(wire) for wire in answer.content]
    if not blocks and answer.has_structured:
        try:
            text = write_json_bytes(to_json_form(answer.structured)).decode()
        except Exception as error:  # as in `Answer.of`
            reason = str(error) if isinstance(error, NoJsonForm) else type(error).__name__
            why = f"the structuredContent should be JSON ({reason})"
            raise make_read_error("CallToolResult", why, type(answer.structured).__name__) from None
        blocks = [text_block(text)]
    return _protocol.call_tool_result(
        blocks, None, False, answer.meta, _protocol.DEFAULT, answer.is_error
    )


__all__ = [
    "PROTOCOLS",
    "Answer",
    "Checked",
    "ContentBlock",
    "ContentResult",
    "ResultError",
    "RootResult",
    "ToolCallError",
    "ToolInfo",
    "ToolResult",
    "UnsupportedProtocol",
    "map_attributes",
    "list_tools",
    "model_content",
    "tool_error",
    "tools",
    "version_of",
]

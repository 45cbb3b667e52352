"""What every generated tool class shares: from its value to a CallToolResult of a protocol version, and back."""

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
from .answer import MISSING, Answer, attributes_of, carried, problem
from .blocks import block_to_wire, content_blocks, for_version, own_block, text_block
from .copies import Copied
from .deep import LimitExceeded, is_deeper, json_bytes, parsed, read_deeper, read_value, too_deep
from .errors import ResultError, ToolCallError, UnsupportedProtocol, problems_of, public_text
from .exact import SchemaCheck, hold
from .handled import result_of, says_result, wire_form
from .json_schema import mark, render
from .jsonable import NoJsonForm, own_form, to_json_form, written
from .lenient import lenient
from .plain import is_plain
from .protocol import CallToolResult, ContentBlock
from .readers import Reader, attribute_reader, json_reader

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
"""The versions that have every kind of content block."""
_CHECKED: Any = object()
"""The context of reading a value that was checked already."""
_checks: ContextVar[bool] = ContextVar(f"{__name__}.checks", default=False)
"""Whether an instance is being made that will be checked as a whole."""


def _is_natural(answer: Answer, protocol: str | None) -> bool:
    """Whether the value is not wrapped, where that depends on the version."""
    return answer.has_result_type if protocol is None else version_of(protocol) in _NATURAL


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
    return [advertised(tool, version) for tool in tools().values()]


def advertised(tool: dict[str, Any], version: str) -> dict[str, Any]:
    """A Tool as it is advertised under a protocol version."""
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
def _output_check(tool: str) -> SchemaCheck:
    return SchemaCheck(tools()[tool]["outputSchema"])


def check(tool: str, title: str, value: object, is_own: bool = False) -> None:
    """Hold a JSON value against the tool's outputSchema, exactly; `is_own` as in `hold`.

    Raises:
        pydantic.ValidationError: it violates the schema; each violation with its place.
    """
    hold(value, lambda: (_text_check if is_own else _output_check)(tool), title, is_own)


@cache
def _text_check(tool: str) -> SchemaCheck:
    """As `_output_check`, but it finds a lone surrogate wherever a string may be."""
    return SchemaCheck(_reading_texts(tools()[tool]["outputSchema"]))


def _reading_texts(schema: Any) -> Any:
    """A schema that says the same with a `pattern` for every string: without one the validator does not look into it."""
    if isinstance(schema, list):
        return [_reading_texts(one) for one in cast(list[object], schema)]
    if not isinstance(schema, dict):
        return schema
    held = cast(dict[str, Any], schema)
    out = {key: one if key in _VALUES else _reading_texts(one) for key, one in held.items()}
    kind = held.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        out.setdefault("pattern", "")
    return out


_VALUES = frozenset({"const", "default", "enum", "examples"})
"""Keywords that hold values, not schemas."""


@cache
def _declared(tool: str) -> frozenset[str]:
    """The names of all properties that a tool's outputSchema declares."""
    names: set[str] = set()
    stack: list[Any] = [tools()[tool].get("outputSchema")]
    while stack:
        here: Any = stack.pop()
        if isinstance(here, dict):
            held = cast(dict[str, Any], here)
            if isinstance(properties := held.get("properties"), dict):
                names.update(cast(dict[str, Any], properties))
            stack.extend(held.values())
        elif isinstance(here, list):
            stack.extend(cast(list[object], here))
    return frozenset(names)


# --- results ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ToolInfo:
    """What a class knows of its tool."""

    name: str
    wrapped: Wrapped = "never"
    """When the structured value is wrapped as `{"result": value}`."""
    raw_text: bool = False
    """Whether the text for the model is the string itself, not its JSON."""
    binary: bool = False
    """Whether the value is the base64 data that its one content block carries."""
    pairs: bool = True
    """Whether a handler's 2-tuple is `(payload, structured)`: the value cannot be an array."""
    bare: bool = False
    """Whether a handler may return the inner value of the declared `{"result": …}`."""
    beside: bool = False
    """Whether JSON text goes with the tool's own text where the structured value is no object."""
    json_text: bool = True
    """Whether its content is one text block, without annotations, that holds the JSON (or the string)."""
    nulls: bool = False
    """Whether null can be a part of the value."""
    as_sdk: bool = False
    """Whether a handler's value is for the SDK to convert, where the tool declares no outputSchema."""
    checks_input: bool = False
    """Whether the inputSchema says what the types of the arguments do not."""


def _wraps(tool: ToolInfo, version: str) -> bool:
    """Whether a version that has structured content has the tool's as `{"result": value}`."""
    return tool.wrapped == "always" or (tool.wrapped == "legacy" and version not in _NATURAL)


def _text_of(tool: ToolInfo, value: Any) -> str:
    """The text for the model: the JSON of a value, or the string that it is."""
    if tool.raw_text:
        return cast(str, value)
    try:
        return to_json(value).decode()
    except PydanticSerializationError:  # such as nesting that pydantic does not go through
        return json_bytes(value).decode()


def _by_text(tool: ToolInfo, value: Any, text: str, version: str) -> CallToolResult:
    """The result of a JSON value whose text is all the content there is."""
    if version in _WITHOUT_STRUCTURED:
        blocks: list[ContentBlock] = [text_block(text)]
        return _protocol.call_tool_result(blocks, None, False, None, version)
    if tool.wrapped != "never" and _wraps(tool, version):
        value = {"result": value}
    return _protocol.text_result(text, value, version)


class ToolResult(Copied):
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
            NoJsonForm: a ValueError; `verify` found that the instance cannot be written as it is now.
        """
        tool = self._tool
        version = _protocol.DEFAULT if protocol is None else version_of(protocol)
        if tool.json_text and content is None and meta is None and not verify:  # nearly always
            value = self.to_structured_content()
            return _by_text(tool, value, _text_of(tool, value), version)
        if content is None and not verify and not tool.beside and version in _ALL_BLOCKS:
            blocks = self.to_content()
            value = carried(block_to_wire(blocks[0])) if tool.binary else self._value(verify)
        else:
            value = self._value(verify)
            blocks = self._blocks_of(content, version, value)
        return self._around(blocks, value, meta, version)

    def _around(
        self,
        blocks: list[ContentBlock],
        value: Any,
        meta: Mapping[str, Any] | None,
        version: str,
    ) -> CallToolResult:
        if version in _WITHOUT_STRUCTURED or self._tool.wrapped != "never":
            value = self._structured(value, version)
        return _protocol.call_tool_result(blocks, value, value is not MISSING, meta, version)

    def _answered(
        self, version: str, payload: object = MISSING, is_new: bool = False
    ) -> CallToolResult:
        """The result of an instance that a handler returned, held against the schema as it is now.

        Args:
            version: the session's protocol version.
            payload: what becomes the content blocks in place of the tool's own.
            is_new: whether validation made all of it in this call, so that nobody can have changed it.

        Raises:
            ResultError: it was changed since it was made, or was never validated, and violates the schema.
        """
        tool = self._tool
        if payload is MISSING and not tool.binary:  # nearly always, and nearly always valid
            try:
                value = self.to_structured_content()
                if tool.json_text:
                    text = _text_of(tool, value)
                    if is_new or _output_check(tool.name).is_valid(value):
                        return _by_text(tool, value, text, version)
                elif is_new or _text_check(tool.name).is_valid(value):
                    plain = version in _ALL_BLOCKS and not tool.beside
                    blocks = self.to_content() if plain else self._blocks_of(None, version, value)
                    return self._around(blocks, value, None, version)
            except UnsupportedProtocol:
                raise
            except Exception:  # said below, if it happens again
                pass
        try:
            return self._explained(version, payload)
        except ValidationError as error:
            public = public_text(error, _declared(tool.name))
            raise ResultError(tool.name, problems_of(error), public) from error
        except NoJsonForm as error:
            raise ResultError.of(tool.name, error, _declared(tool.name)) from error

    def _explained(self, version: str, payload: object) -> CallToolResult:
        """The same, step by step, so that what is wrong can be said.

        Raises:
            pydantic.ValidationError: the value violates the schema.
            NoJsonForm: there is no such value, or something in it is no JSON.
        """
        own: list[ContentBlock] | None = None
        if payload is not MISSING:
            value, own = own_form(self), content_blocks(payload)
        elif self._tool.binary:
            own = written(self, self.to_content)
            value = carried(block_to_wire(own[0]))  # encoded once
        else:
            value = own_form(self)
        check(self._tool.name, type(self).__name__, value, True)
        blocks = written(self, partial(self._blocks_of, own, version, value))
        return self._around(blocks, value, None, version)

    def _blocks_of(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any
    ) -> list[ContentBlock]:
        if content is None and self._tool.json_text:  # of this value, whatever the instance says next
            return [text_block(_text_of(self._tool, value))]
        structured = self._structured(value, version)
        if version in _ALL_BLOCKS:
            return self._own_content(structured) if content is None else [*content]
        wires = self._wire_content(content, version, value, structured)
        return [_protocol.block(one) for one in wires]

    def to_wire(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> dict[str, Any]:
        """The result as a JSON-ready dict, keys as on the wire; parameters as `to_call_tool_result`."""
        version = version_of(protocol)
        value = self._value(verify)
        structured = self._structured(value, version)
        wires = self._wire_content(content, version, value, structured)
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
        """The result as UTF-8 JSON; parameters as `to_call_tool_result`."""
        version = _protocol.DEFAULT if protocol is None else version_of(protocol)
        if version in _WITHOUT_STRUCTURED or content is not None or meta is not None or verify:
            return json_bytes(self.to_wire(content, meta, protocol, verify))
        tool = self._tool
        wraps = tool.wrapped != "never" and _wraps(tool, version)
        if tool.json_text:
            value = self._json()
            start, end = b'{"content":[{"type":"text","text":', b'}],"structuredContent":'
            blocks = value if tool.raw_text else to_json(value)
        else:
            start, end = b'{"content":', b',"structuredContent":'
            blocks, value = self._json_parts(wraps)
        if wraps:
            end, value = end + b'{"result":', value + b"}"
        last = b',"resultType":"complete"}' if version in _NATURAL else b"}"
        return b"".join((start, blocks, end, value, last))

    def _json_parts(self, wraps: bool) -> tuple[bytes, bytes]:
        """The tool's own content blocks and the value, as JSON."""
        if self._tool.binary:
            wires = [block_to_wire(one) for one in self.to_content()]
            return to_json(wires), to_json(carried(wires[0]))  # encoded once
        value = self._json()
        blocks = self._with_text(None if wraps or value.startswith(b"{") else value)
        return to_json([block_to_wire(one) for one in blocks]), value

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read a natural (unwrapped) JSON value.

        Raises:
            pydantic.ValidationError: it violates the tool's outputSchema.
        """
        check(cls._tool.name, cls.__name__, value)
        made: Self = read_value(cls, value, _CHECKED)
        return made

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

        Where structured content is missing, a single text block that holds the JSON is read instead, or the data of a
        single binary block where that is the value.

        Args:
            result: the result.
            protocol: the session's protocol version; None: what the result itself shows.
            on_invalid: what to do with a value that violates the tool's outputSchema: `raise`; `warn` and give an
                instance that holds the JSON value itself wherever that has not the declared type; or give the `raw`
                JSON value.

        Raises:
            ToolCallError: the result says `isError`.
            pydantic.ValidationError: the value violates the tool's outputSchema, or there is none; or the result is no
                CallToolResult.
            ValueError: unknown protocol version.
        """
        version_of(protocol)
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        value = cls._natural(answer, protocol)
        try:
            return cls.from_structured_content(value)
        except ValidationError as error:
            if on_invalid == "raise" or (on_invalid == "warn" and not cls._holds(value)):
                raise
            if on_invalid == "raw":
                return value
            try:
                made = lenient(cls, to_json_form(value))
            except Exception:  # it is no JSON, and the code of a stranger's object may have run
                raise error from None
            said = "; ".join(f"{at}: {what}" if at else what for at, what in problems_of(error))
            warnings.warn(f"{cls._tool.name}: an invalid result was read: {said}", stacklevel=2)
            return made

    @classmethod
    def _holds(cls, value: object) -> bool:
        """Whether a value is at least of the kind that the class's attributes need."""
        return issubclass(cls, RootModel) or isinstance(value, dict)

    # --- what a handler returned -------------------------------------------------------------------------------------
    normalize: ClassVar[Callable[..., CallToolResult]]
    """The CallToolResult of a handler's value; each class says which types it takes."""

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """The CallToolResult of whatever a handler returned.

        Beside what `normalize` takes: another SDK's CallToolResult; dataclasses, pydantic models and any object with
        the attributes, nested too; datetime, date, UUID, Decimal, Enum and bytes in their JSON forms; iterables as
        arrays.

        Raises:
            ResultError: the value does not fit the tool's outputSchema.
            ValueError: unknown protocol version.
        """
        if isinstance(value, BaseModel):
            if isinstance(value, cls | CallToolResult):
                return cls.normalize(value, protocol)
            if (result := cls._foreign(value, version_of(protocol))) is not None:
                return result
        if cls._tool.pairs and (pair := _pair(value)) is not None:
            return cls.normalize((pair[0], cls._formed(pair[1])), protocol)
        bare = cls._tool.bare and issubclass(type(value), list)
        read = cls._read({"result": value} if bare else value, attribute_reader)
        if read is MISSING:
            return cls.normalize(cls._formed(value), protocol)
        if says_result(read):
            return cls.normalize(read, protocol)
        if cls._tool.json_text:
            return _by_text(cls._tool, read, _text_of(cls._tool, read), version_of(protocol))
        return cls._of(read).to_call_tool_result(protocol=protocol)

    @classmethod
    def _foreign(cls, value: object, version: str) -> CallToolResult | None:
        """The result that a handler has from another SDK; None for anything else.

        Raises:
            ResultError: it is none after all.
        """
        try:
            answer = Answer.given(value)
            return None if answer is None else result_of(answer.wire(), version)
        except ValidationError as error:
            public = "should be a CallToolResult"
            raise ResultError(cls._tool.name, problems_of(error), public) from error
        except NoJsonForm as error:
            raise ResultError.of(cls._tool.name, error, _declared(cls._tool.name)) from error

    @classmethod
    def _result_of(
        cls, value: object, protocol: str | None, payload: object = MISSING
    ) -> CallToolResult:
        """The result of a handler's value, without an instance where its JSON text is all the content.

        What is read here is new, so nobody can have changed it. An instance, and what holds some, is checked again.
        """
        version = version_of(protocol)
        if payload is MISSING and cls._tool.json_text and not isinstance(value, cls):
            read = cls._read(value, json_reader)
            if read is not MISSING:
                return _by_text(cls._tool, read, _text_of(cls._tool, read), version)
        made = cls._of(value)
        # an instance inside of the value would have stayed the one that it is
        is_new = payload is MISSING and made is not value and is_plain(value)
        return made._answered(version, payload, is_new)

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        """The JSON value of a handler's value; `MISSING` where that takes an instance, or does not fit."""
        read = reader_of(cls)
        try:
            return MISSING if read is None else read(value)
        except (ValidationError, RecursionError):
            return MISSING

    @classmethod
    def _formed(cls, value: object) -> Any:
        try:
            return value if isinstance(value, cls) else wire_form(value, cls, cls._tool.bare)
        except NoJsonForm as error:
            if type(value) in (dict, list) and is_deeper(value, 100):
                return value  # JSON already, or it will be refused; attributes are not looked for that deep
            raise ResultError.of(cls._tool.name, error, _declared(cls._tool.name)) from error

    @classmethod
    def _of(cls, value: object) -> Self:
        """An instance of a handler's value, which is one already or is validated here.

        Raises:
            ResultError: the value does not fit.
        """
        given = value
        if type(value) is not dict:
            if isinstance(value, cls):
                return value
            if isinstance(value, Mapping):  # pydantic takes nothing but a dict for a model
                given = dict(cast(Mapping[str, Any], value))
        try:
            made: Self = read_value(cls, given)
            return made
        except ValidationError as error:
            exact = cls._exactly(given) or error
            problems, public = problems_of(exact), public_text(exact, _declared(cls._tool.name))
            raise ResultError(cls._tool.name, problems, public) from error

    @classmethod
    def _exactly(cls, value: object) -> ValidationError | None:
        """The violations as the schema sees them, whose places are JSON pointers."""
        try:
            check(cls._tool.name, cls.__name__, wire_form(value, cls))
        except ValidationError as error:
            return error
        except NoJsonForm:
            pass
        return None

    @classmethod
    def _natural(cls, answer: Answer, protocol: str | None) -> Any:
        value = answer.structured
        if value is MISSING:
            return cls._from_text(answer)
        tool = cls._tool
        if tool.wrapped == "never" or (tool.wrapped == "legacy" and _is_natural(answer, protocol)):
            return value
        held = cast(dict[str, Any], value) if isinstance(value, dict) else {}
        if "result" not in held:
            raise problem(
                cls.__name__,
                "structuredContent should be an object with a result",
                answer.structured,
            )
        return held["result"]

    @classmethod
    def _from_text(cls, answer: Answer) -> Any:
        if len(answer.content) == 1 and answer.content[0]["type"] == "text":
            text = answer.content[0]["text"]
            if cls._tool.raw_text:
                return text
            try:
                return parsed(text)
            except LimitExceeded:
                raise too_deep(cls.__name__, text) from None
            except ValueError:
                pass
        if cls._tool.binary and (data := answer.data()) is not None:
            return data
        raise problem(cls.__name__, "the result has no structuredContent", answer.content)

    def _value(self, verify: bool) -> Any:
        value = own_form(self) if verify else self.to_structured_content()
        if verify:
            check(self._tool.name, type(self).__name__, value, True)
        return value

    def _structured(self, value: Any, version: str) -> Any:
        """The value as `structuredContent` has it."""
        if version in _WITHOUT_STRUCTURED:
            return MISSING
        return {"result": value} if _wraps(self._tool, version) else value

    def _wire_content(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        if content is None and self._tool.json_text:
            return [{"type": "text", "text": _text_of(self._tool, value)}]
        blocks = self._own_content(structured) if content is None else content
        out = [for_version(block_to_wire(block), version) for block in blocks]
        if not out and structured is MISSING and content is None:
            out.append({"type": "text", "text": json_bytes(value).decode()})
        return out

    def _own_content(self, structured: Any) -> list[ContentBlock]:
        """The tool's blocks, and the JSON text that the protocol asks for where the structured value is no object."""
        if not self._tool.beside or structured is MISSING or isinstance(structured, dict):
            return self.to_content()
        return self._with_text(json_bytes(structured))

    def _with_text(self, json_text: bytes | None) -> list[ContentBlock]:
        """The tool's blocks, and a JSON text beside its own if there is one."""
        blocks = self.to_content()
        if self._tool.beside and json_text is not None:
            text = json_text.decode()
            blocks += [block.model_copy(update={"text": text}) for block in blocks[:1]]
        return blocks

    def _json_text(self) -> str:
        """The value as compact JSON text."""
        return self._json().decode()

    def _json(self) -> bytes:
        """The value as compact JSON. Where no null is possible, None is absence, which pydantic leaves out by itself."""
        try:
            return self.__pydantic_serializer__.to_json(self, exclude_none=not self._tool.nulls)
        except PydanticSerializationError:  # such as nesting that pydantic does not go through
            return json_bytes(self.to_structured_content())

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
            made = handler(value)
        finally:
            _checks.reset(token)
        if made is not value:
            check(cls._tool.name, cls.__name__, own_form(made))
        return made

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
    """The base where the root of the outputSchema is no object: the value is `root`."""

    if not TYPE_CHECKING:

        def __init__(self, /, root: Any = MISSING, **data: Any) -> None:
            try:
                super().__init__(**data) if root is MISSING else super().__init__(root)
            except (ValidationError, RecursionError) as error:
                read_deeper(type(self), data if root is MISSING else root, error, made=self)

        __init__.__pydantic_base_init__ = True


class ContentResult(ToolResult):
    """The base for a tool without an outputSchema: content, and nothing structured."""

    _holds_json: ClassVar[bool] = False
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
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
    ) -> Self:
        """Read the content blocks of a result.

        Raises:
            ToolCallError: the result says `isError`.
            pydantic.ValidationError: it is no CallToolResult.
            ValueError: unknown protocol version.
        """
        version_of(protocol)
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        return cls(content=[_protocol.block(one) for one in answer.content])

    @classmethod
    def normalize(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """The CallToolResult of whatever a handler returned.

        A CallToolResult stays as it is, and so does a mapping that is one. `(payload, structured)`, where
        `structured` is an object, gives structured content; everything else is content only, None is none.

        Raises:
            ResultError: there is something in the value that JSON cannot hold.
            ValueError: unknown protocol version.
        """
        if isinstance(value, CallToolResult):
            return value
        if isinstance(value, cls):
            return value._answered(version_of(protocol))
        if (result := cls._foreign(value, version_of(protocol))) is not None:
            return result
        if says_result(value):
            return result_of(value, version_of(protocol))
        try:
            return cls._content_of(value, version_of(protocol))
        except ValidationError as error:
            problems = problems_of(error)
            raise ResultError(cls._tool.name, problems, public_text(error, ())) from error
        except NoJsonForm as error:
            raise ResultError.of(cls._tool.name, error, _declared(cls._tool.name)) from error

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """As `normalize`, which takes everything already."""
        return cls.normalize(value, protocol)

    def _answered(
        self, version: str, payload: object = MISSING, is_new: bool = False
    ) -> CallToolResult:
        try:
            return self.to_call_tool_result(protocol=version)
        except UnsupportedProtocol:
            raise
        except Exception as error:  # what a changed list of blocks meets can be anything
            problems = [("/content", "should hold content blocks")]
            raise ResultError(self._tool.name, problems) from error

    @classmethod
    def _content_of(cls, value: object, version: str) -> CallToolResult:
        payload, structured = value, None
        if (pair := _pair(value)) is not None and own_block(pair[1]) is None:
            form = to_json_form(pair[1])
            if isinstance(form, dict):
                payload, structured = pair[0], form
        blocks = [for_version(block_to_wire(one), version) for one in content_blocks(payload)]
        there = structured is not None and version not in _WITHOUT_STRUCTURED
        made = [_protocol.block(one) for one in blocks]
        return _protocol.call_tool_result(made, structured, there, None, version)

    def to_wire_json(
        self,
        content: Iterable[ContentBlock] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """The result as UTF-8 JSON; parameters as `to_call_tool_result`."""
        return json_bytes(self.to_wire(content, meta, protocol, verify))

    def _value(self, verify: bool) -> Any:
        return MISSING

    def _structured(self, value: Any, version: str) -> Any:
        return MISSING

    def _wire_content(
        self, content: Iterable[ContentBlock] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        blocks = self.content if content is None else content
        return [for_version(block_to_wire(block), version) for block in blocks]


def _pair(value: object) -> tuple[object, object] | None:
    held = cast(tuple[object, ...], value) if isinstance(value, tuple) else ()
    return (held[0], held[1]) if len(held) == 2 else None


def tool_error(
    what: str | Exception | Iterable[ContentBlock], protocol: str | None = None
) -> CallToolResult:
    """A CallToolResult with `isError`, which tells the model what went wrong.

    Args:
        what: the text, the content blocks, or the error of a result that could not be made, of which the model is
            told what is wrong and where, but nothing of the value.
        protocol: the session's protocol version; None: the package's default.

    Raises:
        ValueError: unknown protocol version.
    """
    version = version_of(protocol)
    match what:
        case str():
            text = what
        case ResultError():
            text = f"The tool's result is invalid: {what.public}"
        case ValidationError():
            text = f"The tool's result is invalid: {_public(what)}"
        case Exception():
            text = "The tool failed."
        case _:
            return _protocol.call_tool_result([*what], None, False, None, version, True)
    return _protocol.call_tool_result([text_block(text)], None, False, None, version, True)


def _public(error: ValidationError) -> str:
    declared = {name for tool in tools() for name in _declared(tool)}
    return public_text(error, declared)


def model_content(result: BaseModel | Mapping[str, Any]) -> CallToolResult:
    """What belongs into a model's context: the content blocks, or the structured JSON where there are none.

    Args:
        result: a CallToolResult of any SDK, or a wire dict; `isError` and `_meta` are kept.

    Raises:
        pydantic.ValidationError: it is no CallToolResult.
    """
    answer = Answer.of(result)
    blocks = [_protocol.block(one) for one in answer.content]
    if not blocks and answer.has_structured:
        try:
            text = json_bytes(to_json_form(answer.structured)).decode()
        except Exception as error:  # as in `Answer.of`
            said = str(error) if isinstance(error, NoJsonForm) else type(error).__name__
            why = f"the structuredContent should be JSON ({said})"
            raise problem("CallToolResult", why, type(answer.structured).__name__) from None
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
    "attributes_of",
    "list_tools",
    "model_content",
    "tool_error",
    "tools",
    "version_of",
]

"""Results on the wire: the classes of an SDK, and what a version of the protocol writes and reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast, overload

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError, SchemaValidator, core_schema, to_json

from .arguments import read_invalid
from .content import (
    ALL_BLOCKS,
    MISSING,
    NATURAL,
    RESULT_TYPE_SINCE,
    WITHOUT_STRUCTURED,
    Answer,
    BlockT,
    BlockTypes,
    adapt_block,
    block_to_wire,
    find_json_resource,
    find_text,
    get_binary_data,
    make_read_error,
    version_of,
)
from .conversion import to_json_form
from .core_schemas import LimitExceeded, make_depth_error, parse_json, read_value, write_json_bytes
from .errors import (
    MODEL_BYTES,
    NoJsonForm,
    ResultError,
    ToolCallError,
    UnsupportedProtocol,
    cut_text,
    format_public,
    get_json_value,
    move_error,
)
from .handler_values import may_be_result
from .json_types import CHECKED, reads_formats, says_all
from .json_values import check_written, write_fast, write_json_string
from .models import Copied, StaticGeneric, get_present_members
from .tool_definitions import ToolInfo, check, is_natural, is_wrapped, list_declared_names

if TYPE_CHECKING:
    from typing import Self

    from .json_types import JsonValue


ResultT = TypeVar("ResultT", bound=BaseModel)


class ProtocolTypes(BlockTypes[BlockT], Generic[ResultT, BlockT]):
    """The classes of one SDK for results and content blocks.

    Args:
        title: the SDK, for messages.
        result: its CallToolResult.
        block: the union of its classes for content blocks.
        text: its TextContent.
        newest: the newest protocol version that its CallToolResult can carry; the default of calls.
    """

    def __init__(self, title: str, result: type[ResultT], block: Any, text: type[BaseModel], newest: str) -> None:
        super().__init__(block, text)
        self.title, self.result, self.newest = title, result, newest
        self.default_protocol = newest
        """The protocol version for which results are made when a call names none."""
        self._validate_result = result.__pydantic_validator__.validate_python

    def text_result(self, text: str, structured: Any, version: str) -> ResultT:
        """Make a CallToolResult of structured content and one text block; see `call_tool_result`."""
        block = self._validate_text({"type": "text", "text": text}, by_alias=True, by_name=False)
        return self._make_result({"content": [block], "structuredContent": structured}, version)

    def call_tool_result(
        self,
        content: list[BlockT],
        structured: Any,
        has_structured: bool,
        meta: Mapping[str, Any] | None,
        version: str,
        is_error: bool = False,
    ) -> ResultT:
        """Make a CallToolResult that sets the fields of the protocol version.

        Raises:
            UnsupportedProtocol: the SDK's type cannot carry a result of this version.
        """
        fields: dict[str, Any] = {"content": content}
        if has_structured:
            fields["structuredContent"] = structured
        if is_error:
            fields["isError"] = True
        if meta is not None:
            fields["_meta"] = dict(meta)
        return self._make_result(fields, version)

    def _make_result(self, fields: dict[str, Any], version: str) -> ResultT:
        if version > self.newest:
            raise UnsupportedProtocol(f"the CallToolResult of {self.title} cannot carry protocol version {version}")
        if version >= RESULT_TYPE_SINCE:
            fields["resultType"] = "complete"
        result: ResultT = self._validate_result(fields, by_alias=True, by_name=False)
        return result

    def read_result(self, value: object, version: str) -> ResultT | None:
        """Convert a mapping in wire form to a CallToolResult, with the `resultType` that the version requires.

        Returns:
            None if it is not a CallToolResult. No iterator was read then.
        """
        if not may_be_result(value):
            return None
        wire: dict[str, Any] = {"content": []}
        if version >= RESULT_TYPE_SINCE:
            wire["resultType"] = "complete"
        try:
            for key, item in value.items():
                wire["_meta" if key == "meta" else key] = item
            content: object = wire["content"]
            if isinstance(content, list | tuple):
                wire["content"] = [self.convert_block(block) or block for block in cast(Sequence[object], content)]
            return self.result.model_validate(wire)
        except (ValueError, TypeError):
            return None

    # --- results without a result class ------------------------------------------------------------------------------
    def tool_error(self, what: str | Exception | Iterable[BlockT], protocol: str | None = None) -> ResultT:
        """Make a CallToolResult with `isError`, which tells the model what went wrong.

        Args:
            what: the text, the content blocks, or the error of an invalid result. The model sees the problems of such
                an error and their places, but not the value.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            ValueError: unknown protocol version.
        """
        version = version_of(protocol, self.default_protocol)
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
                return self.call_tool_result([*what], None, False, None, version, True)
        return self.call_tool_result([self.text_block(text)], None, False, None, version, True)

    def model_content(self, result: BaseModel | Mapping[str, Any]) -> ResultT:
        """Return the content for a model's context: the content blocks, or the structured JSON if there are none.

        Args:
            result: a CallToolResult of any SDK, or a wire dict; keeps its `isError` and `_meta`.

        Raises:
            pydantic.ValidationError: it is not a CallToolResult.
        """
        answer = Answer.of(result)
        blocks = [self.read_block(wire) for wire in answer.content]
        if not blocks and answer.has_structured:
            try:
                text = write_json_bytes(to_json_form(answer.structured)).decode()
            except Exception as error:  # as in `Answer.of`
                reason = str(error) if isinstance(error, NoJsonForm) else type(error).__name__
                why = f"the structuredContent should be JSON ({reason})"
                raise make_read_error("CallToolResult", why, type(answer.structured).__name__) from None
            blocks = [self.text_block(text)]
        return self.call_tool_result(blocks, None, False, answer.meta, self.default_protocol, answer.is_error)


def _format_public(error: ValidationError) -> str:

    files = {tool.file for tool in _list_imported_tools(ResultWriter)}
    return format_public(error, {name for file in files for name in list_declared_names(file)})


def _list_imported_tools(base: type[BaseModel]) -> Iterator[ToolInfo]:
    """Yield the tools whose result class has been imported."""
    for cls in base.__subclasses__():
        if isinstance(tool := vars(cls).get("_tool"), ToolInfo):
            yield tool
        yield from _list_imported_tools(cls)


def parse_result(cls: type[BaseModel], text: bytes | str) -> Any:
    """Parse the JSON of a CallToolResult.

    Args:
        cls: the result class, for errors.
        text: the JSON.

    Raises:
        pydantic.ValidationError: it is not JSON, or is nested too deeply.
    """
    try:
        return parse_json(text)
    except LimitExceeded:
        raise make_depth_error(cls, text) from None
    except ValueError as error:
        message = f"the result should be JSON: {type(error).__name__}"
        raise make_read_error(cls.__name__, message, text) from None


def read_plain_result(cls: type[BaseModel], text: bytes | str, context: object) -> Any:
    """Read an instance from the JSON of a successful CallToolResult that has only text blocks.

    Args:
        cls: a class whose types say everything (`plain_classes`).
        text: the JSON.
        context: the context of the validation.

    Returns:
        `MISSING` for any other result, also a wrong one.
    """
    try:
        result = _make_validator(cls).validate_json(text, context=context, by_alias=True, by_name=False)
    except ValidationError:
        return MISSING
    return MISSING if result.get("isError") else result["structuredContent"]


@cache
def _make_validator(cls: type[BaseModel]) -> SchemaValidator:
    """Return the validator of a CallToolResult whose structured content is an instance of a class."""
    text_block = {
        "type": core_schema.typed_dict_field(core_schema.literal_schema(["text"])),
        "text": core_schema.typed_dict_field(core_schema.str_schema(strict=True)),
    }
    members = {
        "content": core_schema.list_schema(core_schema.typed_dict_schema(text_block)),
        "structuredContent": cls.__pydantic_core_schema__,
        "isError": core_schema.bool_schema(strict=True),
        "_meta": core_schema.dict_schema(),
    }
    optional = {"isError", "_meta"}
    fields = {
        name: core_schema.typed_dict_field(schema, required=name not in optional) for name, schema in members.items()
    }
    return SchemaValidator(core_schema.typed_dict_schema(fields))


def format_text(tool: ToolInfo, value: Any) -> str:
    """Return the text for the model: the JSON of a value, or the string itself."""
    if tool.raw_text:
        return cast(str, value)
    return write_json_bytes(value).decode()


def make_text_result(
    types: ProtocolTypes[ResultT, BlockT], tool: ToolInfo, value: Any, text: str, version: str
) -> ResultT:
    """Make the result of a JSON value whose text is the only content."""
    if version in WITHOUT_STRUCTURED:
        return types.call_tool_result([types.text_block(text)], None, False, None, version)
    if tool.wrapped != "never" and is_wrapped(tool, version):
        value = {"result": value}
    return types.text_result(text, value, version)


def join_text_result(tool: ToolInfo, value: bytes, version: str) -> bytes:
    """Join the JSON of a result whose text is the only content; `value` is its value's JSON."""
    start, end = b'{"content":[{"type":"text","text":', b'}],"structuredContent":'
    text = value if tool.raw_text else write_json_string(value)
    if tool.wrapped != "never" and is_wrapped(tool, version):
        end, value = end + b'{"result":', value + b"}"
    last = b',"resultType":"complete"}' if version in NATURAL else b"}"
    return b"".join((start, text, end, value, last))


class ResultWriter(Copied, StaticGeneric[ResultT, BlockT]):
    """Base of all result classes: from an instance to the result that is sent."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())

    def __init_subclass__(cls, *, tool: str | None = None, **keywords: Any) -> None:
        """Make a result class.

        Args:
            tool: the exact name of the tool whose result it is; None: it is the base of such classes.
            keywords: members of `ToolInfo` that differ from the defaults there.
        """
        super().__init_subclass__(**({} if tool else keywords))
        if tool is not None:
            cls._tool = ToolInfo(cast(str, sys.modules[cls.__module__].__file__), tool, **keywords)

    _types: ClassVar[ProtocolTypes[Any, Any]]
    """The classes of the SDK."""
    _tool: ClassVar[ToolInfo]

    def to_structured_content(self) -> Any:
        """Return the JSON value of `structuredContent`, before any wrapping."""
        raise NotImplementedError

    def to_content(self) -> list[BlockT]:
        """Return the content blocks for the model, in the newest protocol version's form: by default, the JSON."""
        text = cast(Any, self).root if self._tool.raw_text else self._json_text()
        return self._annotate([self._types.text_block(text)])

    def to_call_tool_result(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> ResultT:
        """Return the result as the SDK's CallToolResult.

        Args:
            content: blocks instead of the tool's own.
            meta: the result's `_meta`.
            protocol: the session's protocol version; None: the package's default.
            verify: first check the value against the schema, for instances that were changed after construction.

        Raises:
            ValueError: unknown protocol version.
            UnsupportedProtocol: the SDK's type cannot carry this version's result.
            pydantic.ValidationError: `verify` found a violation.
            NoJsonForm: a ValueError; `verify` found that the instance cannot be written in its current state.
        """
        tool = self._tool
        version = tool.default_protocol if protocol is None else version_of(protocol, "")
        if tool.json_text and content is None and meta is None and not verify:  # the usual case
            value = self.to_structured_content()
            result: ResultT = make_text_result(self._types, tool, value, format_text(tool, value), version)
            return result
        if content is None and not verify and not tool.beside and version in ALL_BLOCKS:
            blocks = self.to_content()
            value = get_binary_data(block_to_wire(blocks[0])) if tool.binary else self._compute_value(verify)
        else:
            value = self._compute_value(verify)
            blocks = self._make_blocks(content, version, value)
        return self._build_result(blocks, value, meta, version)

    def _build_result(self, blocks: list[BlockT], value: Any, meta: Mapping[str, Any] | None, version: str) -> ResultT:
        if version in WITHOUT_STRUCTURED or self._tool.wrapped != "never":
            value = self._wrap_value(value, version)
        result: ResultT = self._types.call_tool_result(blocks, value, value is not MISSING, meta, version)
        return result

    def _make_blocks(self, content: Iterable[BlockT] | None, version: str, value: Any) -> list[BlockT]:
        if content is None and self._tool.json_text:  # of this value, even if the instance changes
            return [self._types.text_block(format_text(self._tool, value))]
        structured = self._wrap_value(value, version)
        if version in ALL_BLOCKS:
            return self._make_own_content(structured) if content is None else [*content]
        wires = self._write_content(content, version, value, structured)
        return [self._types.read_block(wire) for wire in wires]

    def to_wire(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> dict[str, Any]:
        """Return the result as a JSON-ready dict with wire names; parameters as in `to_call_tool_result`."""
        version = version_of(protocol, self._tool.default_protocol)
        value = self._compute_value(verify)
        structured = self._wrap_value(value, version)
        wires = self._write_content(content, version, value, structured)
        out: dict[str, Any] = {"content": wires}
        if structured is not MISSING:
            out["structuredContent"] = structured
        if version in NATURAL:
            out["resultType"] = "complete"
        if meta is not None:
            out["_meta"] = dict(meta)
        return out

    def to_wire_json(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """Return the result as UTF-8 JSON; parameters as in `to_call_tool_result`."""
        version = self._tool.default_protocol if protocol is None else version_of(protocol, "")
        if version in WITHOUT_STRUCTURED or content is not None or meta is not None or verify:
            return write_json_bytes(self.to_wire(content, meta, protocol, verify))
        tool = self._tool
        if tool.json_text:
            return join_text_result(tool, self._write_json(), version)
        wraps = tool.wrapped != "never" and is_wrapped(tool, version)
        blocks, value = self._write_json_parts(wraps)
        middle = b',"structuredContent":'
        if wraps:
            middle, value = middle + b'{"result":', value + b"}"
        last = b',"resultType":"complete"}' if version in NATURAL else b"}"
        return b"".join((b'{"content":', blocks, middle, value, last))

    def _write_json_parts(self, wraps: bool) -> tuple[bytes, bytes]:
        """Return the tool's own content blocks and the value, as JSON."""
        if self._tool.binary:
            wires = [block_to_wire(block) for block in self.to_content()]
            return to_json(wires), to_json(get_binary_data(wires[0]))  # encoded once
        value = self._write_json()
        blocks = self._append_json_text(None if wraps or value.startswith(b"{") else value)
        return write_json_bytes([block_to_wire(block) for block in blocks]), value

    def _compute_value(self, verify: bool) -> Any:
        value = get_json_value(self) if verify else self.to_structured_content()
        if verify:
            check(self._tool, type(self).__name__, value, True)
        return value

    def _wrap_value(self, value: Any, version: str) -> Any:
        """Return the value in the form of `structuredContent`."""
        if version in WITHOUT_STRUCTURED:
            return MISSING
        return {"result": value} if is_wrapped(self._tool, version) else value

    def _write_content(
        self, content: Iterable[BlockT] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        if content is None and self._tool.json_text:
            return [{"type": "text", "text": format_text(self._tool, value)}]
        blocks = self._make_own_content(structured) if content is None else content
        out = [adapt_block(block_to_wire(block), version) for block in blocks]
        if not out and structured is MISSING and content is None:
            out.append({"type": "text", "text": write_json_bytes(value).decode()})
        return out

    def _make_own_content(self, structured: Any) -> list[BlockT]:
        """Return the tool's blocks, and the JSON text that the protocol requires if the value is not an object."""
        if not self._tool.beside or structured is MISSING or isinstance(structured, dict):
            return self.to_content()
        return self._append_json_text(write_json_bytes(structured))

    @classmethod
    def _annotate(cls, blocks: list[BlockT]) -> list[BlockT]:
        """Add the tool's annotations to the blocks that have none."""
        hints = {"audience": [*cls._tool.audience] or None, "priority": cls._tool.priority}
        hints = {name: hint for name, hint in hints.items() if hint is not None}
        if not hints:
            return blocks
        return [
            (
                cls._types.read_block({**block_to_wire(block), "annotations": hints})
                if cast(Any, block).annotations is None
                else block
            )
            for block in blocks
        ]

    def _append_json_text(self, json_text: bytes | None) -> list[BlockT]:
        """Return the tool's blocks, and the JSON text if there is one."""
        blocks = self.to_content()
        if self._tool.beside and json_text is not None:
            text = json_text.decode()
            blocks += [block.model_copy(update={"text": text}) for block in blocks[:1]]
        return blocks

    def _json_text(self) -> str:
        """Return the value as compact JSON text."""
        return self._write_json().decode()

    def _write_json(self) -> bytes:
        """Return the value as compact JSON. Without nulls, None means absent, and pydantic omits it."""
        text = write_fast(self, get_present_members)
        if text is not None:
            return text
        try:
            text = self.__pydantic_serializer__.to_json(self, exclude_none=not self._tool.nulls)
            return check_written(text, self)
        except PydanticSerializationError:  # for example, nested too deeply for pydantic
            return write_json_bytes(self.to_structured_content())


class ResultReader(ResultWriter[ResultT, BlockT]):
    """The part of result classes that reads results."""

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read a natural (unwrapped) JSON value.

        Raises:
            pydantic.ValidationError: it violates the tool's outputSchema.
        """
        try:
            if not says_all(cls):
                check(cls._tool, cls.__name__, value)
            return cast("Self", read_value(cls, value, CHECKED))
        except Exception:  # foreign objects may raise anything
            if says_all(cls) or reads_formats(cls):
                check(cls._tool, cls.__name__, value, refused_by=cls)  # its errors say more
            raise

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
        cls, result: BaseModel | Mapping[str, Any], protocol: str | None = None, *, on_invalid: Literal["raw"]
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

        If structured content is missing, read the only embedded resource that is JSON by its MIME type instead. Without
        one, read a single text block with the JSON, or the data of a single binary block if the value is binary.

        Args:
            result: the result.
            protocol: the session's protocol version; None: inferred from the result.
            on_invalid: what to do with a value that violates the tool's outputSchema: `raise`; `warn` and return an
                instance with JSON values wherever the types do not fit; or return the `raw` JSON value. The raw
                value of a text that is not JSON is the text.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: the value is missing or violates the tool's outputSchema, or the result is not a
                CallToolResult. Places are those in the structured content, where a value may be wrapped.
            ValueError: unknown protocol version.
        """
        version_of(protocol, "")
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        value: Any = MISSING
        path: tuple[str, ...] = ()
        try:
            value, path = cls._unwrap_value(answer, protocol)
            return cls.from_structured_content(value)
        except ValidationError as refusal:
            if value is MISSING and (value := answer.find_value()) is MISSING:
                raise
            error = move_error(refusal, path) if path else refusal
            return read_invalid(cls, value, error, on_invalid, cls._tool.name)

    @overload
    @classmethod
    def from_wire_json(
        cls, text: bytes | str, protocol: str | None = None, *, on_invalid: Literal["raise", "warn"] = "raise"
    ) -> Self: ...

    @overload
    @classmethod
    def from_wire_json(
        cls, text: bytes | str, protocol: str | None = None, *, on_invalid: Literal["raw"]
    ) -> Self | JsonValue: ...

    @classmethod
    def from_wire_json(
        cls, text: bytes | str, protocol: str | None = None, *, on_invalid: Literal["raise", "warn", "raw"] = "raise"
    ) -> Any:
        """Read the JSON of a CallToolResult, such as `to_wire_json` writes it.

        The outcome is that of `from_call_tool_result`. Where the types of the class say everything, no Python objects
        are made in between, which is faster.

        Args:
            text: the JSON of the result, as text or in UTF-8.
            protocol: as in `from_call_tool_result`.
            on_invalid: as in `from_call_tool_result`.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: it is not JSON, or as in `from_call_tool_result`.
            ValueError: unknown protocol version.
        """
        version_of(protocol, "")
        if cls._holds_json and cls._tool.wrapped == "never" and says_all(cls):
            instance = read_plain_result(cls, text, CHECKED)
            if instance is not MISSING:
                return instance
        result = parse_result(cls, text)
        return cls.from_call_tool_result(result, protocol, on_invalid=on_invalid)

    @classmethod
    def _unwrap_value(cls, answer: Answer, protocol: str | None) -> tuple[Any, tuple[str, ...]]:
        """Return the natural value, and its place in the structured content."""
        value = answer.structured
        if value is MISSING:
            return cls._read_text(answer), ()
        tool = cls._tool
        if tool.wrapped == "never" or (tool.wrapped == "legacy" and is_natural(answer, protocol)):
            return value, ()
        members = cast(dict[str, Any], value) if isinstance(value, dict) else {}
        if "result" not in members:
            raise make_read_error(
                cls.__name__, "structuredContent should be an object with a result", answer.structured
            )
        return members["result"], ("result",)

    @classmethod
    def _read_text(cls, answer: Answer) -> Any:
        message = "the result has no structuredContent"
        text = find_json_resource(answer.content)
        if text is None and (text := find_text(answer.content)) is not None and cls._tool.raw_text:
            return text
        if text is not None:
            try:
                return parse_json(text)
            except LimitExceeded:
                raise make_depth_error(cls, text) from None
            except ValueError:
                shown = json.dumps(text, ensure_ascii=False)
                message = f"the text is not JSON: {cut_text(shown, MODEL_BYTES)}"
        if cls._tool.binary and (data := answer.data()) is not None:
            return data
        raise make_read_error(cls.__name__, message, answer.content)

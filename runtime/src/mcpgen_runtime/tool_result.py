"""Base classes of tools' results: a handler's value, an instance, the result that is sent, and back."""

from __future__ import annotations

import gc
import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, ParamSpec, TypeAlias, TypeVar, cast, overload

from pydantic import BaseModel, PrivateAttr, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema, to_json

from .arguments import read_invalid
from .content import (
    ANY_JSON_RESULT_SINCE,
    PROTOCOLS,
    RESOURCE_LINKS_SINCE,
    RESULT_TYPE_SINCE,
    STRUCTURED_CONTENT_SINCE,
    Answer,
    adapt_block,
    block_to_wire,
    find_block,
    find_json_resource,
    find_text,
    get_binary_data,
    is_result_object,
    make_read_error,
    map_attributes,
    version_of,
)
from .conversion import is_array, to_json_form
from .core_schemas import (
    ABSENT,
    CHECKED,
    LimitExceeded,
    is_deeper,
    make_depth_error,
    parse_json,
    read_value,
    says_all,
    write_json_bytes,
)
from .errors import (
    MODEL_BYTES,
    NoJsonForm,
    NoJsonType,
    Problem,
    ResultError,
    ToolCallError,
    UnsupportedProtocol,
    cut_text,
    format_public,
    get_json_value,
    join_problems,
    list_problems,
    make_write_error,
    move_error,
    write_instance,
)
from .handler_values import (
    Reader,
    attribute_reader,
    in_wrapper,
    json_reader,
    list_content,
    may_be_result,
    split_pair,
    wire_form,
)
from .json_types import JsonValue
from .json_values import IteratorFailed, is_plain, odd_part, write_json_string
from .models import Copied, to_json_value
from .package import limit_reader
from .tool_definitions import (
    ToolInfo,
    check,
    find_problems,
    get_output_check,
    get_text_check,
    is_natural,
    is_wrapped,
    list_declared_names,
)
from .wire_forms import BlockT, ProtocolTypes, ResultT, ToolErrorData, WireJson

if TYPE_CHECKING:
    from typing import Generic as StaticGeneric
    from typing import Self
else:
    from .models import StaticGeneric


logger = logging.getLogger(__name__)
T = TypeVar("T")
_Received: TypeAlias = BaseModel | Mapping[str, Any]
"""A CallToolResult of any SDK, or a wire dict."""


# --- large results ---------------------------------------------------------------------------------------------------
_LARGE = 20_000  # characters of the text, or bytes of the JSON
_MANY_OBJECTS = 100_000  # that start the garbage collector during the conversion of a large result
_P = ParamSpec("_P")


def collect_less(convert: Callable[_P, T], *args: _P.args, **options: _P.kwargs) -> T:
    """Convert a result that may be large while the garbage collector starts less often.

    The thousands of new dicts would start it several times, and none of them is garbage yet. It does not stop, since a
    handler's generator may make garbage.
    """
    thresholds = gc.get_threshold()
    if not 0 < thresholds[0] < _MANY_OBJECTS:
        return convert(*args, **options)
    gc.set_threshold(_MANY_OBJECTS, *thresholds[1:])
    try:
        return convert(*args, **options)
    finally:
        gc.set_threshold(*thresholds)


# --- from an instance to the wire ------------------------------------------------------------------------------------
class ResultWriter(WireJson, StaticGeneric[ResultT, BlockT]):
    """The part of result classes that writes results."""

    _types: ClassVar[ProtocolTypes[Any, Any]]
    """The classes of the SDK."""
    _tool: ClassVar[ToolInfo]

    def __init_subclass__(cls, *, tool: str | None = None, **keywords: Any) -> None:
        """Make the result class of the tool of this exact name; `keywords` are other members of its `ToolInfo`."""
        super().__init_subclass__(**({} if tool else keywords))
        if tool is not None:
            cls._tool = ToolInfo(cast(str, sys.modules[cls.__module__].__file__), tool, **keywords)
            if cls._holds_json:
                cls._schema = cls._tool.file, ("outputSchema",), None

    @classmethod
    def _check(cls, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None) -> None:
        check(cls._tool, cls.__name__, value, is_own, refused_by)

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
        result: ResultT
        if content is None and meta is None and not verify:
            if tool.is_simple and version >= STRUCTURED_CONTENT_SINCE:  # the usual case: calls would cost a fifth more
                value = self.to_structured_content()
                text = write_json_bytes(value).decode()
                if len(text) > _LARGE:
                    tool.mark_large()
                result = self._types.text_result(text, value, version)
                return result
            if tool.json_text:
                return collect_less(self._make_own, version)
        blocks, structured = collect_less(self._prepare, content, version, verify)
        result = self._types.call_tool_result(blocks, version, structured, meta)
        return result

    def to_wire(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> dict[str, Any]:
        """Return the result as a JSON-ready dict with wire names; parameters as in `to_call_tool_result`."""
        version = self._tool.default_protocol if protocol is None else version_of(protocol, "")
        blocks, structured = self._prepare(content, version, verify)
        out: dict[str, Any] = {"content": [{"type": "text", "text": blocks}]}
        if not isinstance(blocks, str):
            out["content"] = [block_to_wire(block) for block in blocks]
        if structured is not ABSENT:
            out["structuredContent"] = structured
        if version >= RESULT_TYPE_SINCE:
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
        tool = self._tool
        version = tool.default_protocol if protocol is None else version_of(protocol, "")
        if version < STRUCTURED_CONTENT_SINCE or content is not None or meta is not None or verify:
            return write_json_bytes(self.to_wire(content, meta, protocol, verify))
        if tool.is_simple:
            return join_result(tool, write_json_bytes(self.to_structured_content()), version)
        return collect_less(self._write_wire, version)

    def _write_wire(self, version: str) -> bytes:
        tool = self._tool
        if tool.json_text:
            return join_result(tool, self._write_json(), version)
        wires: Any = [block_to_wire(block) for block in self.to_content()]
        if tool.binary:  # encoded once, and freed at once; orjson takes much more memory for long strings
            value, wires = to_json(get_binary_data(wires[0])), to_json(wires)
            return join_result(tool, value, version, wires)
        value = self._write_json()
        if tool.beside and not value.startswith(b"{") and not is_wrapped(tool, version):
            wires += [{**wire, "text": value.decode()} for wire in wires[:1]]
        return join_result(tool, value, version, write_json_bytes(wires))

    def _prepare(self, content: Iterable[BlockT] | None, version: str, verify: bool) -> tuple[list[BlockT] | str, Any]:
        """Return the content, blocks or a text alone, and the structured content; both checked if `verify`."""
        blocks = None if content is None else [*content]
        if self._tool.binary and blocks is None:
            blocks = write_instance(self, self.to_content) if verify else self.to_content()
            value = get_binary_data(block_to_wire(blocks[0]))  # encoded once
        else:
            value = get_json_value(self) if verify else self.to_structured_content()
        if verify:
            self._check(value, True)
        structured = self._wrap_value(value, version)
        if blocks is not None:
            return self._adapt(blocks, version), structured
        if verify:
            return write_instance(self, partial(self._make_content, value, structured, version)), structured
        return self._make_content(value, structured, version), structured

    def _make_content(self, value: Any, structured: Any, version: str) -> list[BlockT] | str:
        """Return the tool's own content, and the JSON text that the protocol requires if the value is not an object."""
        if self._tool.json_text:  # of this value, even if the instance changes
            return format_text(self._tool, value)
        blocks = self.to_content()
        if structured is ABSENT and not blocks:
            return write_json_bytes(value).decode()
        if self._tool.beside and structured is not ABSENT and not isinstance(structured, dict):
            text = write_json_bytes(structured).decode()
            blocks += [block.model_copy(update={"text": text}) for block in blocks[:1]]
        return self._adapt(blocks, version)

    @classmethod
    def _wrap_value(cls, value: Any, version: str) -> Any:
        """Return the value in the form of `structuredContent`."""
        if version < STRUCTURED_CONTENT_SINCE:
            return ABSENT
        return {"result": value} if cls._tool.wrapped != "never" and is_wrapped(cls._tool, version) else value

    def _make_own(self, version: str) -> ResultT:
        """Make the result of a tool whose only content is the text of its value."""
        result: ResultT = make_text_result(self, self.to_structured_content(), version)
        return result

    @classmethod
    def _adapt(cls, blocks: list[BlockT], version: str) -> list[BlockT]:
        """Return content blocks in the form of a protocol version."""
        if version >= RESOURCE_LINKS_SINCE:
            return blocks
        return [cls._types.read_block(adapt_block(block_to_wire(block), version)) for block in blocks]

    @classmethod
    def _annotate(cls, blocks: list[BlockT]) -> list[BlockT]:
        """Add the tool's annotations to the blocks that have none."""
        hints = {"audience": [*cls._tool.audience] or None, "priority": cls._tool.priority}
        hints = {name: hint for name, hint in hints.items() if hint is not None}
        if not hints:
            return blocks
        return [
            block
            if cast(Any, block).annotations is not None
            else cls._types.read_block({**block_to_wire(block), "annotations": hints})
            for block in blocks
        ]

    def _json_text(self) -> str:
        """Return the value as compact JSON text."""
        return self._write_json().decode()

    def _write_json(self) -> bytes:
        """Return the value as compact JSON."""
        return write_json_bytes(self.to_structured_content())


def format_text(tool: ToolInfo, value: Any) -> str:
    """Return the text for the model: the JSON of a value, or the string itself."""
    text = cast(str, value) if tool.raw_text else write_json_bytes(value).decode()
    if len(text) > _LARGE:
        tool.mark_large()
    return text


def make_text_result(owner: Any, value: Any, version: str) -> Any:
    """Make the CallToolResult of a value whose text is the only content; `owner` is a result class or an instance."""
    tool, types = owner._tool, owner._types
    text = format_text(tool, value)
    if tool.wrapped == "never" and version >= STRUCTURED_CONTENT_SINCE:  # the usual case
        return types.text_result(text, value, version)
    return types.call_tool_result(text, version, owner._wrap_value(value, version))


_START, _MIDDLE = b'{"content":[{"type":"text","text":', b'}],"structuredContent":'
_ENDS = {version: b',"resultType":"complete"}' if version >= RESULT_TYPE_SINCE else b"}" for version in PROTOCOLS}


def join_result(tool: ToolInfo, value: bytes, version: str, content: bytes | None = None) -> bytes:
    """Join the JSON of a result from that of its value and its content; None: the value's text is the only content."""
    if len(value) > _LARGE:
        tool.mark_large()
    if tool.is_simple and content is None:
        return b"".join((_START, write_json_string(value), _MIDDLE, value, _ENDS[version]))
    if content is None:
        start, middle, content = _START, _MIDDLE, value if tool.raw_text else write_json_string(value)
    else:
        start, middle = b'{"content":', b',"structuredContent":'
    if tool.wrapped != "never" and is_wrapped(tool, version):
        middle, value = middle + b'{"result":', value + b"}"
    return b"".join((start, content, middle, value, _ENDS[version]))


# --- from the wire to an instance ------------------------------------------------------------------------------------
class ResultReader(ResultWriter[ResultT, BlockT]):
    """The part of result classes that reads results."""

    @overload
    @classmethod
    def from_call_tool_result(
        cls, result: _Received, protocol: str | None = None, *, on_invalid: Literal["raise", "warn"] = "raise"
    ) -> Self: ...

    @overload
    @classmethod
    def from_call_tool_result(
        cls, result: _Received, protocol: str | None = None, *, on_invalid: Literal["raw"]
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
            on_invalid: what to do with a value that violates the outputSchema. `warn` returns an instance with JSON
                values wherever the types do not fit; `raw` returns the JSON value, or text that is not JSON.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: it is not a CallToolResult, or its value is missing or violates the outputSchema.
                Places are those in the structured content, where a value may be wrapped.
            ValueError: unknown protocol version.
        """
        answer = cls._read_answer(result, protocol)
        value: Any = ABSENT
        path: tuple[str, ...] = ()
        try:
            value, path = cls._unwrap_value(answer, protocol)
            return cls.from_structured_content(value)
        except ValidationError as refusal:
            if value is ABSENT and (value := answer.find_value()) is ABSENT:
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
        """Read the JSON of a CallToolResult, as text or in UTF-8, such as `to_wire_json` writes it.

        Parameters, outcome and errors are those of `from_call_tool_result`; text that is not JSON is a
        `pydantic.ValidationError`. Where the types of the class say everything, no Python objects are made in between,
        which is faster.
        """
        version_of(protocol, "")
        if cls._holds_json and cls._tool.wrapped == "never" and says_all(cls):
            with suppress(ValidationError):  # it is another kind of result, or wrong
                validate = _make_validator(cls).validate_json
                return validate(text, context=CHECKED, by_alias=True, by_name=False)["structuredContent"]
        try:
            result = parse_json(text)
        except LimitExceeded:
            raise make_depth_error(cls, text) from None
        except ValueError as error:
            message = f"the result should be JSON: {type(error).__name__}"
            raise make_read_error(cls.__name__, message, text) from None
        return cls.from_call_tool_result(result, protocol, on_invalid=on_invalid)

    @classmethod
    def _read_answer(cls, result: _Received, protocol: str | None) -> Answer:
        version_of(protocol, "")
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result, cls._read_error(answer))
        return answer

    @classmethod
    def _read_error(cls, answer: Answer, level: int = logging.WARNING) -> ToolErrorData | None:
        """Return the data of an error; None if the tool declares none, or it does not fit, which is logged."""
        if (error_class := cls._tool.error_class) is None or not answer.has_structured:
            return None
        try:
            return error_class.from_structured_content(answer.structured)
        except Exception as error:  # foreign objects may raise anything
            problems = list_problems(error) if isinstance(error, ValidationError) else [("", type(error).__name__)]
            logger.log(level, "The data of an error of %r does not fit: %s", cls._tool.name, join_problems(problems))
            return None

    @classmethod
    def _unwrap_value(cls, answer: Answer, protocol: str | None) -> tuple[Any, tuple[str, ...]]:
        """Return the natural value, and its place in the structured content."""
        value = answer.structured
        if value is ABSENT:
            return cls._read_text(answer), ()
        tool = cls._tool
        if tool.wrapped == "never" or (tool.wrapped == "legacy" and is_natural(answer, protocol)):
            return value, ()
        members = cast(dict[str, Any], value) if isinstance(value, dict) else {}
        if "result" not in members:
            why = "structuredContent should be an object with a result"
            raise make_read_error(cls.__name__, why, answer.structured)
        return members["result"], ("result",)

    @classmethod
    def _read_text(cls, answer: Answer) -> Any:
        blocks, message = answer.content, "the result has no structuredContent"
        text = find_json_resource(blocks)
        if text is None and (text := find_text(blocks)) is not None and cls._tool.raw_text:
            return text
        if text is not None:
            try:
                return parse_json(text)
            except LimitExceeded:
                raise make_depth_error(cls, text) from None
            except ValueError:
                shown = json.dumps(text, ensure_ascii=False)
                message = f"the text is not JSON: {cut_text(shown, MODEL_BYTES)}"
        if cls._tool.binary and len(blocks) == 1 and (data := get_binary_data(blocks[0])) is not None:
            return data
        raise make_read_error(cls.__name__, message, blocks)


@cache
def _make_validator(cls: type[BaseModel]) -> SchemaValidator:
    """Return the validator of a successful CallToolResult that has only text blocks and an instance of a class."""
    field = core_schema.typed_dict_field
    kind, text = core_schema.literal_schema(["text"]), core_schema.str_schema(strict=True)
    boolean = core_schema.bool_schema(strict=True)  # a literal alone takes 0 for false
    text_block = core_schema.typed_dict_schema({"type": field(kind), "text": field(text)})
    fields = {
        "content": field(core_schema.list_schema(text_block)),
        "structuredContent": field(cls.__pydantic_core_schema__),
        "isError": field(core_schema.chain_schema([boolean, core_schema.literal_schema([False])]), required=False),
        "_meta": field(core_schema.dict_schema(), required=False),
    }
    return SchemaValidator(core_schema.typed_dict_schema(fields))


# --- from a handler's value to a result ------------------------------------------------------------------------------
Reason: TypeAlias = NoJsonForm | ValidationError | Sequence[Problem]
"""Why a handler's value is refused: JSON cannot hold it, its class or the schema refuses it."""


def make_error(tool: ToolInfo, reason: Reason) -> ResultError:
    """Return the error of a handler's value."""
    declared = list_declared_names(tool.file)
    if isinstance(reason, ValidationError):
        return ResultError(tool.name, list_problems(reason), format_public(reason, declared))
    if isinstance(reason, NoJsonForm):
        return ResultError.of(tool.name, reason, declared)
    return ResultError.of_problems(tool.name, reason, declared)


def convert_returned(convert: Callable[[object, str], T], value: object, protocol: str | None, tool: ToolInfo) -> T:
    """Convert what a handler returned, or raise ResultError; what its iterators raise is raised unchanged."""
    version = tool.default_protocol if protocol is None else version_of(protocol, "")
    try:
        return convert(value, version) if tool.is_simple else collect_less(convert, value, version)
    except NoJsonForm as error:
        raise make_error(tool, error) from error
    except IteratorFailed as failed:
        own_error = failed.error
    raise own_error  # here, so that it gets no other context


class ToolResultOf(ResultReader[ResultT, BlockT]):
    """Base of all result classes, for the CallToolResult and the content blocks of an SDK."""

    if TYPE_CHECKING:
        normalize: ClassVar[Any]
        """Converts a handler's value to a CallToolResult; each class declares the types."""

    else:

        @classmethod
        def normalize(cls, value: object, protocol: str | None = None) -> ResultT:
            """Convert a handler's value of the types that the class declares to a CallToolResult.

            Raises:
                ResultError: the value does not fit the tool's outputSchema.
                ValueError: unknown protocol version.
            """
            return convert_returned(cls._normalize, value, protocol, cls._tool)

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> ResultT:
        """Convert any value that a handler returned to a CallToolResult.

        In addition to the types of `normalize`, it accepts another SDK's CallToolResult, and dataclasses, pydantic
        models and any object with the attributes, also nested. It writes datetime, date, UUID, Decimal, Enum and bytes
        in their JSON forms, and iterables as arrays.

        Raises:
            ResultError: the value does not fit the tool's outputSchema.
            ValueError: unknown protocol version.
            Exception: what an iterator in the value raised.
        """
        return convert_returned(cls._normalize_any, value, protocol, cls._tool)

    @classmethod
    def normalize_to_json(cls, value: object, protocol: str | None = None) -> bytes:
        """Convert any value that a handler returned to a result, as UTF-8 JSON; errors as in `normalize_any`.

        This is several times faster than writing the result of `normalize_any`.
        """
        return convert_returned(cls._write_any, value, protocol, cls._tool)

    # The following raise an `IteratorFailed` for what an iterator in the value raised, and a `NoJsonForm`.
    @classmethod
    def _normalize(cls, value: Any, version: str) -> ResultT:
        tool, payload = cls._tool, ABSENT
        if isinstance(value, cls._types.result):
            return cls._pass_on(value, version)
        if tool.pairs and issubclass(type(value), tuple) and (pair := split_pair(value)) is not None:
            payload, value = pair
            tool.mark_large()
        elif tool.results and may_be_result(value):
            value = list_content(value)
            if (result := cls._types.read_result(value, version)) is not None:
                return cls._pass_on(result, version)
        value = in_wrapper(value, cls) if tool.bare else value
        if isinstance(value, cls):
            return value._answer(version, payload=payload)
        if payload is ABSENT and tool.json_text:  # without an instance
            read = cls._read(value, json_reader)
            if read is not ABSENT:
                made: ResultT = make_text_result(cls, read, version)
                return made
            cls._refuse_json(value)
        return cls._read_once(value)._answer(version, payload is ABSENT, payload)

    @classmethod
    def _normalize_any(cls, value: object, version: str) -> ResultT:
        read = cls._read_data(value)
        if read is ABSENT:
            return cls._convert_any(value, version)
        if not cls._tool.json_text:
            return cls._of(read)._answer(version, True)
        result: ResultT = make_text_result(cls, read, version)
        return result

    @classmethod
    def _write_any(cls, value: object, version: str) -> bytes:
        if version < STRUCTURED_CONTENT_SINCE:
            return write_json_bytes(Answer.of(cls._normalize_any(value, version)).to_wire_dict())
        read = cls._read_data(value)
        if read is not ABSENT:
            if cls._tool.json_text:
                return join_result(cls._tool, write_json_bytes(read), version)
            return cls._of(read).to_wire_json(protocol=version)
        result: ResultT = cls._convert_any(value, version)
        if isinstance(value, cls):
            return value.to_wire_json(protocol=version)
        wire = Answer.of(result).to_wire_dict()
        return write_json_bytes(wire | {"resultType": "complete"} if version >= RESULT_TYPE_SINCE else wire)

    @classmethod
    def _convert_any(cls, value: object, version: str) -> ResultT:
        """Convert a value of any class, step by step."""
        if isinstance(value, cls):
            return value._answer(version)
        if isinstance(value, BaseModel) and (result := cls._find_result(value, version)) is not None:
            return result
        if cls._tool.pairs and issubclass(type(value), tuple) and (pair := split_pair(value)) is not None:
            return cls._normalize((pair[0], cls._convert_value(pair[1])), version)
        if not may_be_result(value):
            cls._refuse_json(value)
        return cls._normalize(cls._convert_value(value), version)

    @classmethod
    def _find_result(cls, value: object, version: str) -> ResultT | None:
        """Return a CallToolResult of any SDK that a handler made itself, as `_pass_on` does; None for anything else."""
        types = cls._types
        if not isinstance(value, types.result):
            if not is_result_object(value):
                return None
            try:
                defaults = {"resultType": "complete"} if version >= RESULT_TYPE_SINCE else {}
                value = types.result.model_validate(defaults | Answer.of(value).to_wire_dict())
            except ValidationError as error:
                raise ResultError(cls._tool.name, list_problems(error), "should be a CallToolResult") from error
        return cls._pass_on(cast(ResultT, value), version)

    @classmethod
    def _pass_on(cls, result: ResultT, version: str) -> ResultT:
        """Return a result that a handler made itself, unchanged if it is an error or fits the outputSchema."""
        if cls._tool.unchecked:
            return result
        try:
            answer = Answer.of(result)
            structured = answer.structured
            if answer.is_error:
                is_untyped = cls._tool.error_class is None or not answer.has_structured
                if is_untyped or cls._read_error(answer, logging.ERROR) is not None:
                    return result
                blocks = [cls._types.read_block(wire) for wire in answer.content]
                untyped: ResultT = cls._types.call_tool_result(blocks, version, meta=answer.meta, is_error=True)
                return untyped
            if structured is ABSENT and version < STRUCTURED_CONTENT_SINCE:
                return result
            form: Any = ABSENT if structured is ABSENT else to_json_form(structured)
            if cls._holds_json:
                if form is ABSENT:
                    why = "the result should have structuredContent: the tool declares an outputSchema"
                    raise make_read_error(cls.__name__, why, answer.content)
                # servers wrap other values than objects for older sessions
                is_wire = version >= ANY_JSON_RESULT_SINCE or isinstance(cast(object, form), dict)
                cls._check(cls._unwrap_value(answer._replace(structured=form), version)[0] if is_wire else form)
            if form is ABSENT or odd_part(structured) is None:
                return result
            name = map_attributes(type(result))["structuredContent"]
            return result.model_copy(update={name: form})
        except (ValidationError, NoJsonForm) as error:
            raise make_error(cls._tool, error) from error

    def _answer(self, version: str, is_new: bool = False, payload: object = ABSENT) -> ResultT:
        """Convert an instance, after checking its current state unless `is_new`: nobody can have changed it.

        A `payload` becomes the content blocks, instead of the tool's own.
        """
        if payload is not ABSENT or self._tool.binary:
            try:
                blocks = None if payload is ABSENT else self._annotate(self._types.content_blocks(payload))
                return self.to_call_tool_result(blocks, protocol=version, verify=True)
            except (ValidationError, NoJsonForm) as error:
                raise make_error(self._tool, error) from error
        try:
            value = self.to_structured_content()
            if not is_new and not self._is_valid(value):
                self._check(value, is_own=True)
            result: ResultT
            if self._tool.json_text:
                result = make_text_result(self, value, version)
            else:
                structured = self._wrap_value(value, version)
                content = self._make_content(value, structured, version)
                result = self._types.call_tool_result(content, version, structured)
            return result
        except UnsupportedProtocol:
            raise
        except Exception as error:  # a changed instance may cause any error
            reason = error if isinstance(error, ValidationError) else make_write_error(self, error)
            raise make_error(self._tool, reason) from error

    @classmethod
    def _is_valid(cls, value: object) -> bool:
        try:  # writing text also finds lone surrogates
            return (get_output_check if cls._tool.json_text else get_text_check)(cls._tool.file).is_valid(value)
        except (ValueError, TypeError):  # `_check` says why
            return False

    # --- its value as JSON -------------------------------------------------------------------------------------------
    @classmethod
    def _read_data(cls, value: object) -> Any:
        """Read what is not a result, a pair or an instance as JSON, in one pass; `ABSENT` as from `_read`."""
        read, kind = ABSENT, type(value)
        if cls in kind.__mro__ or is_result_object(value):
            return ABSENT
        if cls._tool.pairs and issubclass(kind, tuple) and split_pair(value) is not None:
            return ABSENT
        if kind is dict and not cls._tool.bare:
            read = cls._read(value, json_reader)
            if read is ABSENT and is_plain(value):
                return ABSENT
        if read is ABSENT:
            read = cls._read_any(value)
        return ABSENT if cls._tool.results and may_be_result(read) else read

    @classmethod
    def _read_any(cls, value: object) -> Any:
        """Read a value of any class as JSON; `ABSENT` as from `_read`."""
        is_bare_list = cls._tool.bare and issubclass(type(value), list)
        return cls._read({"result": value} if is_bare_list else value, attribute_reader)

    @classmethod
    def _read_once(cls, value: object) -> Self:
        """Return a new instance of a handler's value. An iterator in it is read by its conversion to JSON alone."""
        refusal: ResultError | None = None
        if is_plain(value):  # no iterators, and no instances, which validation would not copy
            try:
                return cls._of(value)
            except ResultError as error:
                refusal = error
        read = cls._read_any(value) if refusal is None else ABSENT
        try:
            form = cls._convert_value(value) if read is ABSENT else read
        except ResultError as error:
            raise refusal or error from None
        if refusal is not None and form == value:
            raise refusal
        return cls._of(form)

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        """Read a handler's value as JSON; `ABSENT` if that needs an instance, or the value does not fit."""
        read = reader_of(cls)
        if read is None:
            return ABSENT
        try:
            form = read(value)
            if cls._checks_schema:
                cls._check(form)
            return form
        except (ValidationError, RecursionError):
            return ABSENT

    @classmethod
    def _convert_value(cls, value: object) -> Any:
        try:
            return value if isinstance(value, cls) else wire_form(value, cls, cls._tool.bare)
        except NoJsonForm as error:
            if type(value) in (dict, list) and is_deeper(value, 100) and is_plain(value):
                return value  # JSON already, or refused later
            if cls._tool.bare and in_wrapper(value, cls) is not value:
                error.inside("result")  # where the schema has the value
            raise make_error(cls._tool, error) from error

    @classmethod
    def _of(cls, value: object) -> Self:
        """Return a handler's value as an instance, validated unless it already is one."""
        readable = value
        if type(value) is not dict:
            if isinstance(value, cls):
                return value
            if isinstance(value, Copied) and issubclass(cls, type(value)):  # its definition's class
                readable = cast(Any, value).to_structured_content()
            elif isinstance(value, Mapping):  # pydantic only accepts a dict for a model
                readable = dict(cast(Mapping[str, Any], value))
        try:
            instance: Self = read_value(cls, readable)
            return instance
        except ValidationError as error:
            refusal = error
        reason: Reason = refusal
        with suppress(NoJsonForm):
            reason = find_problems(cls._tool, cls, wire_form(readable, cls)) or refusal  # in the terms of the schema
        raise make_error(cls._tool, reason) from refusal

    @classmethod
    def _refuse_json(cls, value: object) -> None:
        """Refuse a JSON value that the reader of JSON has refused; any other value may fit after its conversion."""
        tool = cls._tool
        if tool.bare or json_reader(cls) is None or odd_part(value) is not None:
            return
        problems = find_problems(tool, cls, value)
        if problems and problems[0].keyword != "json_value":
            raise make_error(tool, problems)


# --- without an outputSchema -----------------------------------------------------------------------------------------
_JSON: TypeAdapter[Any] = TypeAdapter(JsonValue)


class ContentResultOf(ToolResultOf[ResultT, BlockT]):
    """Base for a tool without an outputSchema: content, and untyped structured content if a server sent some."""

    _holds_json: ClassVar[bool] = False
    content: list[BlockT]
    _structured: tuple[()] | tuple[Any] = PrivateAttr(default=())
    """The structured content that a server sent, if it sent some."""

    def to_structured_content(self) -> Any:
        """Return the structured content that the server sent, as untyped JSON; a TypeError if it sent none."""
        if not self._structured:
            raise TypeError(f"{self._tool.name} declares no outputSchema, and this result has no structured content")
        return to_json_value(self._structured[0])

    def to_content(self) -> list[BlockT]:
        """Return the blocks as given."""
        return [*self.content]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Raise a TypeError: there is nothing to read."""
        raise TypeError(f"{cls._tool.name} declares no outputSchema, so it has no structured content")

    @classmethod
    def from_call_tool_result(
        cls,
        result: BaseModel | Mapping[str, Any],
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
    ) -> Self:
        """Read the content blocks of a result, and its structured content if it has some.

        Raises:
            ToolCallError: the result has `isError`.
            pydantic.ValidationError: it is not a CallToolResult, or its structured content is not JSON.
            ValueError: unknown protocol version.
        """
        answer = cls._read_answer(result, protocol)
        instance = cls(content=[cls._types.read_block(wire) for wire in answer.content])
        if answer.has_structured:
            instance._structured = (limit_reader(_JSON.validate_python, cls.__module__)(answer.structured),)
        return instance

    if not TYPE_CHECKING:

        @classmethod
        def normalize(cls, value: object, protocol: str | None = None) -> ResultT:
            """Convert whatever a handler returned to a CallToolResult.

            A CallToolResult, also in the form of a mapping, stays unchanged. `(payload, structured)`, where
            `structured` is an object, gives structured content. Everything else gives only content; None gives no
            content. If the tool's content is `sdk`, the SDK of a server converts what a bound handler returns instead.

            Raises:
                ResultError: the value contains something that JSON cannot represent.
                ValueError: unknown protocol version.
                Exception: what an iterator in the value raised.
            """
            return convert_returned(cls._normalize, value, protocol, cls._tool)

    @classmethod
    def _normalize(cls, value: object, version: str) -> ResultT:
        if isinstance(value, cls):
            return value._answer(version)
        if (found := cls._find_result(value, version)) is not None:
            return found
        try:
            value = list_content(value)
            if (result := cls._types.read_result(value, version)) is not None:
                return cls._pass_on(result, version)
            payload, structured = value, ABSENT
            pair = split_pair(value)
            if pair is not None and (form := _read_object(pair[1])) is not None:
                payload, structured = pair[0], cls._wrap_value(form, version)
            blocks = cls._adapt(cls._annotate(cls._types.content_blocks(payload)), version)
            made: ResultT = cls._types.call_tool_result(blocks, version, structured)
            return made
        except ValidationError as error:
            raise make_error(cls._tool, error) from error

    @classmethod
    def _convert_any(cls, value: object, version: str) -> ResultT:
        return cls._normalize(value, version)  # it accepts everything

    @classmethod
    def _read_data(cls, value: object) -> Any:
        return ABSENT

    def _answer(self, version: str, is_new: bool = False, payload: object = ABSENT) -> ResultT:
        try:
            return self.to_call_tool_result(protocol=version)
        except UnsupportedProtocol:
            raise
        except Exception as error:  # a changed list of blocks may cause any error
            raise ResultError(self._tool.name, [("/content", "should hold content blocks")]) from error

    def to_wire_json(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """Return the result as UTF-8 JSON; parameters as in `to_call_tool_result`."""
        return write_json_bytes(self.to_wire(content, meta, protocol, verify))

    def _prepare(self, content: Iterable[BlockT] | None, version: str, verify: bool) -> tuple[list[BlockT] | str, Any]:
        structured = self._wrap_value(self.to_structured_content(), version) if self._structured else ABSENT
        return self._adapt([*(self.content if content is None else content)], version), structured

    @classmethod
    def _wrap_value(cls, value: Any, version: str) -> Any:
        if version < STRUCTURED_CONTENT_SINCE:
            return ABSENT
        is_natural = version >= ANY_JSON_RESULT_SINCE or issubclass(type(value), dict)
        return value if is_natural else {"result": value}


def _read_object(value: object) -> dict[str, JsonValue] | None:
    """Return the second value of a pair as a JSON object; None for any other value, which is content."""
    if is_array(value) or find_block(value) is not None:
        return None
    try:
        form = to_json_form(value)
    except NoJsonType as error:
        if error.path:
            raise
        return None
    return form if isinstance(form, dict) else None

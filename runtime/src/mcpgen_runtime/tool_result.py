"""Base classes of tools' results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from pydantic import (
    BaseModel,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema

from .content import (
    ALL_BLOCKS,
    ANY_JSON_RESULT_SINCE,
    MISSING,
    NATURAL,
    RESULT_TYPE_SINCE,
    WITHOUT_STRUCTURED,
    Answer,
    BlockT,
    adapt_block,
    block_to_wire,
    find_block,
    get_binary_data,
    make_read_error,
    map_attributes,
    version_of,
)
from .conversion import is_array, to_json_form
from .core_schemas import is_deeper, read_value, write_json_bytes
from .errors import (
    NoJsonForm,
    NoJsonType,
    ResultError,
    ToolCallError,
    UnsupportedProtocol,
    format_public,
    get_json_value,
    list_problems,
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
from .json_types import CHECKED, JsonValue
from .json_values import IteratorFailed, is_plain, odd_part
from .models import Copied, render, to_json_value
from .package import limit_reader
from .tool_definitions import ToolInfo, check, find_problems, get_output_check, get_text_check, list_declared_names
from .wire_forms import ProtocolTypes, ResultReader, ResultT, format_text, join_text_result, make_text_result

if TYPE_CHECKING:
    from typing import Self


T = TypeVar("T")


def make_error(tool: ToolInfo, error: NoJsonForm) -> ResultError:
    """Return the error of a handler's value that JSON cannot hold."""
    return ResultError.of(tool.name, error, list_declared_names(tool.file))


def convert_returned(convert: Callable[[object, str], T], value: object, protocol: str | None, tool: ToolInfo) -> T:
    """Convert what a handler returned; what its iterators raise is raised unchanged.

    Raises:
        ResultError: JSON cannot hold the value, or what `convert` raises.
        ValueError: unknown protocol version.
    """
    version = tool.default_protocol if protocol is None else version_of(protocol, "")
    try:
        return convert(value, version)
    except NoJsonForm as error:
        raise make_error(tool, error) from error
    except IteratorFailed as failed:
        own_error = failed.error
    raise own_error  # here, so that it gets no other context


class ValueReader(ResultReader[ResultT, BlockT]):
    """The part of result classes that reads values of handlers."""

    @classmethod
    def _read_any(cls, value: object) -> Any:
        """Read a value of any class as JSON; `MISSING` as from `_read`."""
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
        read = cls._read_any(value) if refusal is None else MISSING
        try:
            form = cls._convert_value(value) if read is MISSING else read
        except ResultError as error:
            raise refusal or error from None
        if refusal is not None and form == value:
            raise refusal
        return cls._of(form)

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        """Read a handler's value as JSON; `MISSING` if that needs an instance, or the value does not fit."""
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
            if type(value) in (dict, list) and is_deeper(value, 100) and is_plain(value):
                return value  # JSON already, or refused later
            if cls._tool.bare and in_wrapper(value, cls) is not value:
                error.inside("result")  # where the schema has the value
            raise make_error(cls._tool, error) from error

    @classmethod
    def _of(cls, value: object) -> Self:
        """Return a handler's value as an instance, validated unless it already is one.

        Raises:
            ResultError: the value does not fit.
        """
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
            raise cls._explain(readable, error) from error

    @classmethod
    def _explain(cls, value: object, refusal: ValidationError) -> ResultError:
        """Return the error of a value that the class refused: in the terms of the schema, if its JSON violates that."""
        tool, declared = cls._tool, list_declared_names(cls._tool.file)
        try:
            problems = find_problems(tool, cls, wire_form(value, cls))
        except NoJsonForm:
            problems = ()
        if problems:
            return ResultError.of_problems(tool.name, problems, declared)
        return ResultError(tool.name, list_problems(refusal), format_public(refusal, declared))

    @classmethod
    def _refuse_json(cls, value: object) -> None:
        """Refuse a JSON value that the reader of JSON has refused; any other value may fit after its conversion.

        Raises:
            ResultError: it violates the schema.
        """
        tool = cls._tool
        if tool.bare or json_reader(cls) is None or odd_part(value) is not None:
            return
        problems = find_problems(tool, cls, value)
        if problems and problems[0].keyword != "json_value":
            raise ResultError.of_problems(tool.name, problems, list_declared_names(tool.file))


def convert_foreign(
    types: ProtocolTypes[ResultT, BlockT], tool: ToolInfo, value: object, version: str
) -> ResultT | None:
    """Convert a result of another SDK; None for anything else.

    Raises:
        ResultError: it is not a valid CallToolResult.
    """
    try:
        answer = Answer.read_foreign(value)
        if answer is None:
            return None
        defaults = {"resultType": "complete"} if version >= RESULT_TYPE_SINCE else {}
        return types.result.model_validate(defaults | answer.to_wire_dict())
    except ValidationError as error:
        public = "should be a CallToolResult"
        raise ResultError(tool.name, list_problems(error), public) from error
    except NoJsonForm as error:
        raise make_error(tool, error) from error


class ToolResultOf(ValueReader[ResultT, BlockT]):
    """Base of all result classes, for the CallToolResult and the content blocks of an SDK."""

    # --- what a handler returned -------------------------------------------------------------------------------------
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
    def _normalize(cls, value: Any, version: str) -> ResultT:
        """Do the same.

        Raises:
            IteratorFailed: an iterator in the value raised an exception.
            NoJsonForm: JSON cannot hold the value.
        """
        tool = cls._tool
        if isinstance(value, cls._types.result):
            return cls._pass_on(value, version)
        pair = split_pair(value) if tool.pairs and issubclass(type(value), tuple) else None
        if pair is not None:
            payload, structured = pair
            structured = in_wrapper(structured, cls) if tool.bare else structured
            return cls._result_of(structured, version, payload)
        if tool.results and may_be_result(value):
            value = list_content(value)
            if (result := cls._types.read_result(value, version)) is not None:
                return cls._pass_on(result, version)
        return cls._result_of(in_wrapper(value, cls) if tool.bare else value, version)

    @classmethod
    def _pass_on(cls, result: ResultT, version: str) -> ResultT:
        """Return a result that a handler made itself, unchanged if it is an error or fits the outputSchema.

        Raises:
            ResultError: its structured content is missing, is not JSON or does not fit.
        """
        tool = cls._tool
        if tool.unchecked:
            return result
        try:
            answer = Answer.of(result)
            structured = answer.structured
            if answer.is_error or (structured is MISSING and version in WITHOUT_STRUCTURED):
                return result
            form = MISSING if structured is MISSING else to_json_form(structured)
            if cls._holds_json:
                cls._check_own(answer._replace(structured=form), version)
            if form is MISSING or odd_part(structured) is None:
                return result
            name = map_attributes(type(result))["structuredContent"]
            return result.model_copy(update={name: form})
        except ValidationError as error:
            public = format_public(error, list_declared_names(tool.file))
            raise ResultError(tool.name, list_problems(error), public) from error
        except NoJsonForm as error:
            raise make_error(tool, error) from error

    @classmethod
    def _check_own(cls, answer: Answer, version: str) -> None:
        """Check what a handler made itself.

        Raises:
            pydantic.ValidationError: the structured content is missing or does not fit.
        """
        if not answer.has_structured:
            why = "the result should have structuredContent: the tool declares an outputSchema"
            raise make_read_error(cls.__name__, why, answer.content)
        value = answer.structured
        # servers wrap other values than objects for older sessions
        if version in NATURAL or isinstance(value, dict):
            value, _ = cls._unwrap_value(answer, version)
        check(cls._tool, cls.__name__, value)

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
    def _normalize_any(cls, value: object, version: str) -> ResultT:
        """Do the same.

        Raises:
            IteratorFailed: an iterator in the value raised an exception.
            NoJsonForm: JSON cannot hold the value.
        """
        if isinstance(value, BaseModel):
            if isinstance(value, cls | cls._types.result):
                return cls._normalize(value, version)
            if (result := convert_foreign(cls._types, cls._tool, value, version)) is not None:
                return cls._pass_on(result, version)
        if cls._tool.pairs and (pair := split_pair(value)) is not None:
            return cls._normalize((pair[0], cls._convert_value(pair[1])), version)
        read = cls._read_any(value)
        if read is MISSING:
            if not may_be_result(value):
                cls._refuse_json(value)
            return cls._normalize(cls._convert_value(value), version)
        if may_be_result(read):
            return cls._normalize(read, version)
        if cls._tool.json_text:
            return cls._make_text_result(read, version)
        return cls._of(read)._answer(version, is_new=True)

    @classmethod
    def normalize_to_json(cls, value: object, protocol: str | None = None) -> bytes:
        """Convert any value that a handler returned to a result, as UTF-8 JSON.

        This is several times faster than writing the result of `normalize_any`.

        Raises:
            ResultError: the value does not fit the tool's outputSchema.
            ValueError: unknown protocol version.
            Exception: what an iterator in the value raised.
        """
        return convert_returned(cls._write_any, value, protocol, cls._tool)

    @classmethod
    def _write_any(cls, value: object, version: str) -> bytes:
        tool = cls._tool
        if version not in WITHOUT_STRUCTURED and not cls._may_be_result(value):
            kind = type(value)
            is_object = kind is dict and not tool.bare
            read = cls._read(value, json_reader) if is_object else cls._read_any(value)
            if read is not MISSING and not may_be_result(read):
                if tool.json_text:
                    return join_text_result(tool, write_json_bytes(read), version)
                return cls._of(read).to_wire_json(protocol=version)
            if is_object and read is MISSING:
                cls._refuse_json(value)
        if isinstance(value, cls):
            value._answer(version)  # it may have been changed
            return value.to_wire_json(protocol=version)
        wire = Answer.of(cls._normalize_any(value, version)).to_wire_dict()
        return write_json_bytes(wire | {"resultType": "complete"} if version in NATURAL else wire)

    @classmethod
    def _may_be_result(cls, value: object) -> bool:
        """Return whether a value may be or contain its own content, or an instance that must be checked."""
        if isinstance(value, BaseModel):
            return isinstance(value, cls | cls._types.result) or "content" in type(value).model_fields
        return may_be_result(value) or (cls._tool.pairs and split_pair(value) is not None)

    @classmethod
    def _make_text_result(cls, value: Any, version: str) -> ResultT:
        result: ResultT = make_text_result(cls._types, cls._tool, value, format_text(cls._tool, value), version)
        return result

    @classmethod
    def _result_of(cls, value: object, version: str, payload: object = MISSING) -> ResultT:
        """Convert a handler's value, without an instance if its JSON text is the only content.

        Values that are read here are new and valid. Instances are checked again.
        """
        if isinstance(value, cls):
            return value._answer(version, payload)
        if payload is MISSING and cls._tool.json_text:
            read = cls._read(value, json_reader)
            if read is not MISSING:
                return cls._make_text_result(read, version)
            cls._refuse_json(value)
        return cls._read_once(value)._answer(version, payload, payload is MISSING)

    def _answer(self, version: str, payload: object = MISSING, is_new: bool = False) -> ResultT:
        """Convert an instance that a handler returned, after checking its current state.

        Args:
            version: the session's protocol version.
            payload: becomes the content blocks, instead of the tool's own.
            is_new: whether this call created all of it, so that it is unchanged since validation.

        Raises:
            ResultError: it violates the schema, since it was changed or never validated.
        """
        tool = self._tool
        if payload is MISSING and not tool.binary:  # the usual case, which is usually valid
            try:
                value = self.to_structured_content()
                if tool.json_text:
                    text = format_text(tool, value)
                    if is_new or get_output_check(tool.file).is_valid(value):
                        result: ResultT = make_text_result(self._types, tool, value, text, version)
                        return result
                elif is_new or get_text_check(tool.file).is_valid(value):
                    plain = version in ALL_BLOCKS and not tool.beside
                    blocks = self.to_content() if plain else self._make_blocks(None, version, value)
                    return self._build_result(blocks, value, None, version)
            except UnsupportedProtocol:
                raise
            except Exception:  # reported below, if it happens again
                pass
        try:
            return self._answer_step_by_step(version, payload)
        except ValidationError as error:
            public = format_public(error, list_declared_names(tool.file))
            raise ResultError(tool.name, list_problems(error), public) from error
        except NoJsonForm as error:
            raise make_error(tool, error) from error

    def _answer_step_by_step(self, version: str, payload: object) -> ResultT:
        """Do the same step by step, to find out what is wrong.

        Raises:
            pydantic.ValidationError: the value violates the schema.
            NoJsonForm: it cannot be written, or contains something other than JSON.
        """
        blocks_in_place: list[BlockT] | None = None
        if payload is not MISSING:
            value = get_json_value(self)
            blocks_in_place = self._annotate(self._types.content_blocks(payload))
        elif self._tool.binary:
            blocks_in_place = write_instance(self, self.to_content)
            value = get_binary_data(block_to_wire(blocks_in_place[0]))  # encoded once
        else:
            value = get_json_value(self)
        check(self._tool, type(self).__name__, value, True)
        blocks = write_instance(self, partial(self._make_blocks, blocks_in_place, version, value))
        return self._build_result(blocks, value, None, version)

    # --- pydantic's view ---------------------------------------------------------------------------------------------
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        declared = cls._tool.definition.get("outputSchema") if "_tool" in cls.__dict__ else None
        return handler(schema) if declared is None else render(cls, declared, schema, handler)


_checks: ContextVar[bool] = ContextVar(f"{__name__}.checks", default=False)
"""Whether an instance under construction will be checked as a whole."""


class CheckedValue(ValueReader[Any, Any]):
    """Base of results whose schema is stricter than their types: construction also checks the schema."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Check a new instance, unless it is part of a value that is checked as a whole."""
        if info.context is CHECKED or _checks.get():
            return handler(value)
        token = _checks.set(True)
        try:
            instance = handler(value)
        finally:
            _checks.reset(token)
        if instance is not value:
            check(cls._tool, cls.__name__, get_json_value(instance))
        return instance

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        read = super()._read(value, reader_of)
        try:
            if read is not MISSING:
                check(cls._tool, cls.__name__, read)
        except ValidationError:
            return MISSING
        return read


_JSON: TypeAdapter[Any] = TypeAdapter(JsonValue)


class ContentResultOf(ToolResultOf[ResultT, BlockT]):
    """Base for a tool without an outputSchema: content, and untyped structured content if a server sent some."""

    _holds_json: ClassVar[bool] = False
    content: list[BlockT]
    _structured: tuple[()] | tuple[Any] = PrivateAttr(default=())
    """The structured content that a server sent, if it sent some."""

    def to_structured_content(self) -> Any:
        """Return the structured content that the server sent, as untyped JSON.

        Raises:
            TypeError: it sent none.
        """
        if not self._structured:
            raise TypeError(f"{self._tool.name} declares no outputSchema, and this result has no structured content")
        return to_json_value(self._structured[0])

    def to_content(self) -> list[BlockT]:
        """Return the blocks as given."""
        return [*self.content]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Raise an error: there is nothing to read.

        Raises:
            TypeError: always.
        """
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
        version_of(protocol, "")
        answer = Answer.of(result, cls.__name__)
        if answer.is_error:
            raise ToolCallError(cls._tool.name, answer.text(), result)
        instance = cls(content=[cls._types.read_block(wire) for wire in answer.content])
        if answer.has_structured:
            instance._structured = (limit_reader(_JSON.validate_python, cls.__module__)(answer.structured),)
        return instance

    if TYPE_CHECKING:
        normalize: ClassVar[Any]
        """Converts any value that a handler returned to a CallToolResult."""

    else:

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
        if isinstance(value, cls._types.result):
            return cls._pass_on(cast(ResultT, value), version)
        if isinstance(value, cls):
            return value._answer(version)
        foreign: ResultT | None = convert_foreign(cls._types, cls._tool, value, version)
        if foreign is not None:
            return foreign
        try:
            value = list_content(value)
            if (result := cls._types.read_result(value, version)) is not None:
                return cls._pass_on(result, version)
            return cls._make_content_result(value, version)
        except ValidationError as error:
            problems = list_problems(error)
            raise ResultError(cls._tool.name, problems, format_public(error, ())) from error

    @classmethod
    def _normalize_any(cls, value: object, version: str) -> ResultT:
        return cls._normalize(value, version)  # it accepts everything

    def _answer(self, version: str, payload: object = MISSING, is_new: bool = False) -> ResultT:
        try:
            return self.to_call_tool_result(protocol=version)
        except UnsupportedProtocol:
            raise
        except Exception as error:  # a changed list of blocks may cause any error
            problems = [("/content", "should hold content blocks")]
            raise ResultError(self._tool.name, problems) from error

    @classmethod
    def _make_content_result(cls, value: object, version: str) -> ResultT:
        payload, structured = value, None
        pair = split_pair(value)
        if pair is not None and (form := _read_object(pair[1])) is not None:
            payload, structured = pair[0], form
        blocks = cls._annotate(cls._types.content_blocks(payload))
        wires = [adapt_block(block_to_wire(block), version) for block in blocks]
        has_structured = structured is not None and version not in WITHOUT_STRUCTURED
        content = [cls._types.read_block(block) for block in wires]
        result: ResultT = cls._types.call_tool_result(content, structured, has_structured, None, version)
        return result

    def to_wire_json(
        self,
        content: Iterable[BlockT] | None = None,
        meta: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        verify: bool = False,
    ) -> bytes:
        """Return the result as UTF-8 JSON; parameters as in `to_call_tool_result`."""
        return write_json_bytes(self.to_wire(content, meta, protocol, verify))

    def _compute_value(self, verify: bool) -> Any:
        return self.to_structured_content() if self._structured else MISSING

    def _wrap_value(self, value: Any, version: str) -> Any:
        if value is MISSING or version in WITHOUT_STRUCTURED:
            return MISSING
        if version >= ANY_JSON_RESULT_SINCE or issubclass(type(value), dict):
            return value
        return {"result": value}

    def _build_result(self, blocks: list[BlockT], value: Any, meta: Mapping[str, Any] | None, version: str) -> ResultT:
        return super()._build_result(blocks, self._wrap_value(value, version), meta, version)

    def _write_content(
        self, content: Iterable[BlockT] | None, version: str, value: Any, structured: Any
    ) -> list[dict[str, Any]]:
        blocks = self.content if content is None else content
        return [adapt_block(block_to_wire(block), version) for block in blocks]


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

"""Results of tools that declare no outputSchema: content, and whatever structured content a server sends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from pydantic import BaseModel, PrivateAttr, TypeAdapter, ValidationError

from .answers import MISSING, Answer
from .content_blocks import BlockT, adapt_block, block_to_wire, find_block
from .conversion import is_array, to_json_form
from .deep_values import write_json_bytes
from .errors import NoJsonType, ResultError, ToolCallError, UnsupportedProtocol, format_public, list_problems
from .handler_values import list_content, split_pair
from .json_types import JsonValue
from .models import to_json_value
from .package import limit_reader
from .protocol_types import ResultT
from .protocol_versions import ANY_JSON_RESULT_SINCE, WITHOUT_STRUCTURED, version_of
from .tool_result import ToolResultOf, convert_foreign, convert_returned

if TYPE_CHECKING:
    from typing import Self


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

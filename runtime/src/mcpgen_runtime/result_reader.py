"""Read tool results: from a CallToolResult, or the JSON value in it, to an instance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from pydantic import BaseModel, ValidationError

from .content_blocks import BlockT
from .content_json import find_json_resource, find_text
from .deep_values import LimitExceeded, make_depth_error, parse_json, read_value
from .errors import MODEL_BYTES, ToolCallError, move_error
from .lenient_parsing import read_invalid
from .plain_classes import CHECKED, reads_formats, says_all
from .protocol_types import ResultT
from .protocol_versions import version_of
from .result_writer import ResultWriter
from .tool_definitions import check, is_natural
from .violations import cut_text
from .wire_json import parse_result, read_plain_result
from .wire_results import MISSING, Answer, make_read_error

if TYPE_CHECKING:
    from typing import Self

    from .json_types import JsonValue


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
        cls,
        text: bytes | str,
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn"] = "raise",
    ) -> Self: ...

    @overload
    @classmethod
    def from_wire_json(
        cls, text: bytes | str, protocol: str | None = None, *, on_invalid: Literal["raw"]
    ) -> Self | JsonValue: ...

    @classmethod
    def from_wire_json(
        cls,
        text: bytes | str,
        protocol: str | None = None,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
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
                cls.__name__,
                "structuredContent should be an object with a result",
                answer.structured,
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


__all__ = ["ResultReader"]

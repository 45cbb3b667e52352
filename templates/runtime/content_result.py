"""Results of tools that declare no outputSchema: content only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
)

from pydantic import (
    BaseModel,
    ValidationError,
)

from . import protocol as _protocol
from .content_blocks import (
    adapt_block,
    block_to_wire,
    content_blocks,
    convert_block,
)
from .deep_values import write_json_bytes
from .errors import (
    ResultError,
    ToolCallError,
    UnsupportedProtocol,
    format_public,
    list_problems,
)
from .handler_values import result_of, says_result, split_pair
from .json_conversion import to_json_form
from .json_errors import NoJsonForm
from .protocol import CallToolResult, ContentBlock
from .protocol_versions import WITHOUT_STRUCTURED, version_of
from .returned_values import Normalize
from .tool_definitions import list_declared_names
from .tool_result import ToolResult, convert_foreign
from .wire_results import MISSING, Answer

if TYPE_CHECKING:
    from typing import Self


class ContentResult(ToolResult):
    """Base for a tool without an outputSchema: content without structured content."""

    _holds_json: ClassVar[bool] = False
    content: list[ContentBlock]

    def to_structured_content(self) -> Any:
        """Raise an error: there is no structured content.

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
        """Raise an error: there is nothing to read.

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

    if TYPE_CHECKING:
        normalize: ClassVar[Normalize[object]]
        """Converts any value that a handler returned to a CallToolResult."""

    else:

        @classmethod
        def normalize(cls, value: object, protocol: str | None = None) -> CallToolResult:
            """Convert whatever a handler returned to a CallToolResult.

            A CallToolResult, also in the form of a mapping, stays unchanged. `(payload, structured)`, where
            `structured` is an object, gives structured content. Everything else gives only content; None gives no
            content.

            Raises:
                ResultError: the value contains something that JSON cannot represent.
                ValueError: unknown protocol version.
            """
            if isinstance(value, CallToolResult):
                return value
            if isinstance(value, cls):
                return value._answer(version_of(protocol))
            if (result := convert_foreign(cls._tool, value, version_of(protocol))) is not None:
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
                    cls._tool.name, error, list_declared_names(cls._tool.file)
                ) from error

    @classmethod
    def normalize_any(cls, value: object, protocol: str | None = None) -> CallToolResult:
        """Convert a value; `normalize` already accepts everything."""
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
        if (pair := split_pair(value)) is not None and convert_block(pair[1]) is None:
            form = to_json_form(pair[1])
            if isinstance(form, dict):
                payload, structured = pair[0], form
        wires = [adapt_block(block_to_wire(block), version) for block in content_blocks(payload)]
        has_structured = structured is not None and version not in WITHOUT_STRUCTURED
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

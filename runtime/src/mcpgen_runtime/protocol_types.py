"""The protocol's types as one SDK has them, and how to make them: what differs between SDKs in results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError

from .answers import Answer, make_read_error
from .content_blocks import BlockT, BlockTypes
from .conversion import to_json_form
from .deep_values import write_json_bytes
from .errors import MODEL_BYTES, NoJsonForm, ResultError, UnsupportedProtocol, format_public
from .handler_values import get_mapping, may_be_result
from .protocol_versions import RESULT_TYPE_SINCE, version_of
from .tool_definitions import ToolInfo, list_declared_names
from .violations import cut_text

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
            for key, item in (get_mapping(value) or {}).items():
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
    from .wire_forms import ResultWriter

    files = {tool.file for tool in _list_imported_tools(ResultWriter)}
    return format_public(error, {name for file in files for name in list_declared_names(file)})


def _list_imported_tools(base: type[BaseModel]) -> Iterator[ToolInfo]:
    """Yield the tools whose result class has been imported."""
    for cls in base.__subclasses__():
        if isinstance(tool := vars(cls).get("_tool"), ToolInfo):
            yield tool
        yield from _list_imported_tools(cls)

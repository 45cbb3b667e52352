"""CallToolResults without a result class: errors, and the content for a model's context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from . import protocol as _protocol
from .content_blocks import text_block
from .deep_values import write_json_bytes
from .errors import MODEL_BYTES, ResultError, format_public
from .json_conversion import to_json_form
from .json_errors import NoJsonForm
from .protocol import CallToolResult, ContentBlock
from .protocol_versions import version_of
from .tool_definitions import ToolInfo, list_declared_names
from .tool_result import ToolResult
from .violations import cut_text
from .wire_results import Answer, make_read_error


def tool_error(
    what: str | Exception | Iterable[ContentBlock], protocol: str | None = None
) -> CallToolResult:
    """Make a CallToolResult with `isError`, which tells the model what went wrong.

    Args:
        what: the text, the content blocks, or the error of an invalid result. The model sees the problems of such an
            error and their places, but not the value.
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
    files = {tool.file for tool in _list_imported_tools(ToolResult)}
    return format_public(error, {name for file in files for name in list_declared_names(file)})


def _list_imported_tools(base: type[ToolResult]) -> Iterator[ToolInfo]:
    """Yield the tools whose result class has been imported."""
    for cls in base.__subclasses__():
        if isinstance(tool := vars(cls).get("_tool"), ToolInfo):
            yield tool
        yield from _list_imported_tools(cls)


def model_content(result: BaseModel | Mapping[str, Any]) -> CallToolResult:
    """Return the content for a model's context: the content blocks, or the structured JSON if there are none.

    Args:
        result: a CallToolResult of any SDK, or a wire dict; keeps its `isError` and `_meta`.

    Raises:
        pydantic.ValidationError: it is not a CallToolResult.
    """
    answer = Answer.of(result)
    blocks = [_protocol.block(wire) for wire in answer.content]
    if not blocks and answer.has_structured:
        try:
            text = write_json_bytes(to_json_form(answer.structured)).decode()
        except Exception as error:  # noqa: BLE001 # as in `Answer.of`
            reason = str(error) if isinstance(error, NoJsonForm) else type(error).__name__
            why = f"the structuredContent should be JSON ({reason})"
            raise make_read_error("CallToolResult", why, type(answer.structured).__name__) from None
        blocks = [text_block(text)]
    return _protocol.call_tool_result(
        blocks, None, False, answer.meta, _protocol.DEFAULT, answer.is_error
    )

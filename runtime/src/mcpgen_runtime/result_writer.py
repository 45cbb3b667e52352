"""Write an instance of a result class as a CallToolResult, a wire dict or JSON bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, cast

from pydantic import ConfigDict
from pydantic_core import PydanticSerializationError, to_json

from .checked_copies import Copied, StaticGeneric
from .content_blocks import BlockT, adapt_block, block_to_wire
from .deep_values import write_json_bytes
from .exact_numbers import check_written
from .fast_json import write_fast, write_json_string
from .json_errors import get_json_value
from .json_objects import get_present_members
from .protocol_types import ProtocolTypes, ResultT
from .protocol_versions import ALL_BLOCKS, NATURAL, WITHOUT_STRUCTURED, version_of
from .tool_definitions import ToolInfo, check, is_wrapped
from .wire_results import MISSING, get_binary_data


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
    _types: ClassVar[ProtocolTypes[Any, Any]]
    """The classes of the SDK."""
    _tool: ClassVar[ToolInfo]

    def to_structured_content(self) -> Any:
        """Return the JSON value of `structuredContent`, before any wrapping."""
        raise NotImplementedError

    def to_content(self) -> list[BlockT]:
        """Return the content blocks for the model, in the newest protocol version's form."""
        raise NotImplementedError

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
        version = self._tool.default_protocol if protocol is None else version_of(protocol, "")
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

    def _build_result(
        self,
        blocks: list[BlockT],
        value: Any,
        meta: Mapping[str, Any] | None,
        version: str,
    ) -> ResultT:
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

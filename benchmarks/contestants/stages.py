"""The stages of a result on mcp 2.x, one at a time: what mcpgen does in a call, and what the SDK then does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from mcpgen_runtime.json_values import write_json_string
from mcpgen_runtime.tool_definitions import get_output_check
from mcpgen_runtime.tool_result import format_text

from benchmarks import values
from benchmarks.cases import STAGE, Case
from benchmarks.values import ROWS, SMALL, Value

FIELDS, CHECKED, TEXT, RESULT = "fields to a dict", "its check", "its JSON text", "the SDK's two objects"
ANSWER, MESSAGE = "these four, as in a bound tool", "the SDK: the message as JSON"
ENCODED, ESCAPED, JOINED = "fields to JSON", "JSON as a JSON string", "both, and joined, as to_wire_json"


def make_cases(package: str) -> list[Case]:
    """Return the cases of the generated package for mcp 2.x."""
    module = importlib.import_module(package)
    return [case for value in values.make_values() if value.name in (SMALL, *ROWS) for case in _make(value, module)]


def _make(value: Value, package: Any) -> Iterator[Case]:
    response: Any = importlib.import_module("mcp_types").JSONRPCResponse
    instance = package.RESULT_TYPES[value.tool].from_structured_content(value.json)
    tool, version = instance._tool, instance._tool.default_protocol
    check = get_output_check(tool.file)
    text = format_text(tool, value.json)
    encoded = instance._write_json()
    message = response(jsonrpc="2.0", id=1, result=instance.to_wire())
    runs: dict[str, tuple[Callable[[], Any], Callable[[Any], bool]]] = {
        FIELDS: (instance.to_structured_content, lambda made: made == value.json),
        CHECKED: (lambda: check.is_valid(value.json), lambda valid: valid is True),
        TEXT: (lambda: format_text(tool, value.json), lambda made: made == text),
        RESULT: (
            lambda: instance._types.call_tool_result(text, version, value.json),
            lambda made: made.structured_content == value.json,
        ),
        ANSWER: (lambda: instance._answer(version), lambda made: made.structured_content == value.json),
        MESSAGE: (
            lambda: message.model_dump_json(by_alias=True, exclude_unset=True),
            lambda made: made.startswith('{"jsonrpc"'),
        ),
        ENCODED: (instance._write_json, lambda made: made == text.encode()),
        ESCAPED: (lambda: write_json_string(encoded), lambda made: made[:1] == made[-1:] == b'"'),
        JOINED: (instance.to_wire_json, lambda made: encoded in made),
    }
    for stage, (run, is_right) in runs.items():
        yield Case(STAGE, value.name, stage, run, _make_check(is_right))


def _make_check(is_right: Callable[[Any], bool]) -> Callable[[Any], None]:
    def check(made: Any) -> None:
        assert is_right(made), made

    return check

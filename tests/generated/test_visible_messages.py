"""What a value holds cannot move the cursor of whoever reads a log, start a line of it, or break its encoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcpgen_runtime.server_binding import BoundTool
from pydantic import ValidationError
from support.packages import get_tool, package, tool

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
ROW: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "rows": {"type": "object", "additionalProperties": ROW},
        "either": {"anyOf": [{"const": 1}, {"type": "object", "additionalProperties": {"const": 2}}]},
    },
    "additionalProperties": False,
}
TEXTS = {
    "escape": "\x1b]0;title\x07\x1b[2J",
    "line": "x\r\nERROR forged",
    "C1": "\x9b31m\x85",
    "direction": "a\u202eb\u2066c",
    "separators": "a\u2028b\u2029c",
    "surrogate": "a\ud800b",
}
VALUES: dict[str, Callable[[str], Any]] = {
    "value": lambda text: {"count": text},
    "key": lambda text: {"map": {text: "wrong"}},
    "key inside": lambda text: {"rows": {text: {"n": text}}},
    "undeclared": lambda text: {text: 1},
    "undeclared inside": lambda text: {"rows": {"a": {text: 1}}},
    "union": lambda text: {"either": {text: text}},
    "root": lambda text: text,
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("mcp_types", reason="handlers are bound with an SDK, and mcp 2.x is not installed here")
    tools = [{**tool("seen", SCHEMA), "inputSchema": SCHEMA}]
    return package(tmp_path_factory.mktemp("visible"), tools, "--sdk", "mcp")


def read(generated: Any, value: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield every way in, by name."""
    cls = generated.RESULT_TYPES["seen"]
    bound = BoundTool.of(get_tool(generated, "seen"), lambda **arguments: arguments, ())
    wire = {"content": [], "structuredContent": value, "resultType": "complete"}
    yield "read", lambda: cls.from_structured_content(value)
    yield "client", lambda: cls.from_call_tool_result(wire, "2026-07-28")
    yield "normalize", lambda: cls.normalize(value)
    yield "normalize_any", lambda: cls.normalize_any(value)
    if isinstance(value, dict):
        yield "arguments", lambda: bound.read(value)
        if value.keys() <= SCHEMA["properties"].keys():
            yield "constructor", lambda: cls(**value)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)
def test_errors_show_it_as_escapes(generated: Any, make: Callable[[str], Any], text: str) -> None:
    for way, call in read(generated, make(text)):
        try:
            call()
        except (ValidationError, generated.ResultError) as error:
            messages = [str(error), generated.tool_error(error).content[0].text]
        except Exception as error:
            assert type(error).__name__ == "ArgumentsError", error  # noqa: PT017 # it has no public module
            messages = [str(error), generated.tool_error(str(error)).content[0].text]
        else:
            pytest.fail(f"{way} took it")
        for item in messages:
            assert not UNSAFE.search(item), (way, item)
            assert not re.search("^ERROR", item, re.MULTILINE), (way, item)
            item.encode()


@pytest.mark.parametrize("text", [text for kind, text in TEXTS.items() if kind != "surrogate"])
def test_warnings_show_it_as_escapes(generated: Any, text: str) -> None:
    wire = {"content": [], "structuredContent": {"map": {text: "wrong"}}, "resultType": "complete"}
    with pytest.warns(UserWarning, match="seen") as caught:
        generated.RESULT_TYPES["seen"].from_call_tool_result(wire, "2026-07-28", on_invalid="warn")
    assert not UNSAFE.search(str(caught[0].message))
    assert "\nERROR" not in str(caught[0].message)


def test_an_error_of_a_tool_keeps_its_lines_and_nothing_else(generated: Any) -> None:
    text = "first\n\tsecond \x1b[2J \u202e \ud800"
    error = generated.ToolCallError("seen", text, {})
    assert str(error) == "seen: first\n\tsecond \\u001b[2J \\u202e \\ud800"
    assert error.text == text

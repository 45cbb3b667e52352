"""Texts about wrong values are short, in bytes of UTF-8: for the model, in exceptions and in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from mcpgen_runtime.errors import cut_text
from mcpgen_runtime.server_binding import BoundTool
from pydantic import ValidationError
from support.packages import get_tool, package, tool

MODEL_BYTES, LOG_BYTES = 1_024, 4_096
WIDE = "\N{GRINNING FACE}"
"""Four bytes of UTF-8."""
NAMES = [f"{letter}{WIDE * 200}" for letter in "abcdef"]


def make_object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def make_six(schema: dict[str, Any]) -> dict[str, Any]:
    return make_object(dict.fromkeys("abcdef", schema))


SCHEMAS: dict[str, Any] = {
    "names": make_object({name: make_object({inner: {"type": "integer"} for inner in NAMES}) for name in NAMES}),
    "one": make_object({"a": {"enum": [f"{WIDE * 300}{number}" for number in range(8)]}}),
    "values": make_six({"enum": [f"{WIDE * 300}{number}" for number in range(8)]}),
    "patterns": make_six({"type": "string", "pattern": f"^(?={WIDE * 100})x$"}),
    "required": make_object({}, required=NAMES),
    "closed": make_object({"a": {}}, additionalProperties=False),
    "t" * 128: make_six({"enum": ["ä" * 70, "ö" * 70, "ü" * 70]}),
}
WRONG: dict[str, Any] = {
    "names": {name: dict.fromkeys(NAMES, "x") for name in NAMES},
    "one": {"a": WIDE * 100},
    "values": dict.fromkeys("abcdef", WIDE * 100),
    "patterns": dict.fromkeys("abcdef", f"{WIDE * 100}y"),
    "required": {WIDE: 1},
    "closed": dict.fromkeys(NAMES, 1),
    "t" * 128: dict.fromkeys("abcdef", WIDE * 100),
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("mcp_types", reason="handlers are bound with an SDK, and mcp 2.x is not installed here")
    tools = [{**tool(name, schema), "inputSchema": schema} for name, schema in SCHEMAS.items()]
    return package(tmp_path_factory.mktemp("lengths"), tools, "--sdk", "mcp")


def count_bytes(text: str) -> int:
    return len(text.encode())


def find_error(read: Callable[[], object]) -> Exception:
    try:
        read()
    except ValueError as error:
        return error
    pytest.fail("it was not refused")


@pytest.mark.parametrize("name", SCHEMAS)
def test_errors_are_short_for_the_model_and_the_log(generated: Any, name: str) -> None:
    cls, value = generated.RESULT_TYPES[name], WRONG[name]
    fields = {wire: key for key, field in cls.model_fields.items() for wire in [field.alias or key]}
    ways: list[Callable[[], object]] = [
        lambda: cls.from_structured_content(value),
        lambda: cls.normalize(value),
        lambda: cls.normalize_any(value),
    ]
    if value.keys() <= cls.model_fields.keys() | fields.keys():
        ways.append(lambda: cls(**value))
    for read in ways:
        error = find_error(read)
        assert isinstance(error, ValidationError | generated.ResultError)
        assert count_bytes(str(error)) <= LOG_BYTES
        assert 0 < count_bytes(generated.tool_error(error).content[0].text) <= MODEL_BYTES


@pytest.mark.parametrize("name", SCHEMAS)
def test_wrong_arguments_are_told_in_short(generated: Any, name: str) -> None:
    """And each of the first violations is."""
    bound_tool = str(find_error(lambda: bind(generated, name, None).read(WRONG[name])))
    assert count_bytes(bound_tool) <= MODEL_BYTES
    assert bound_tool.startswith(f"Invalid arguments for {name}: ")
    if name == "values":
        assert all(f"/{letter}: should be one of" in bound_tool for letter in "abcde")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_wrong_result_takes_little_of_the_log(generated: Any, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """All of the record, a traceback included."""
    bind(generated, name, None).answer(WRONG[name], "2026-07-28")
    (record,) = caplog.records
    text = logging.Formatter().format(record)
    assert count_bytes(text) <= LOG_BYTES
    assert "should" in text or "is required" in text or "no such property" in text


def bind(generated: Any, name: str, answer: Any) -> Any:
    return BoundTool.of(get_tool(generated, name), lambda **_: answer, ())


def test_an_error_of_another_server_is_short_in_the_log(generated: Any) -> None:
    """Its text is there, too, as it is."""
    result = {"content": [{"type": "text", "text": WIDE * 5_000}], "isError": True}
    with pytest.raises(generated.ToolCallError) as failed:
        generated.OneResult.from_call_tool_result(result)
    assert count_bytes(str(failed.value)) <= LOG_BYTES
    assert failed.value.text == WIDE * 5_000


@pytest.mark.parametrize("most", range(3, 12))
@pytest.mark.parametrize("text", ["", "abcd", "äöüß", WIDE * 3, "a\ud800b" * 3, f"ab{WIDE}"])
def test_a_text_is_cut_between_characters(generated: Any, text: str, most: int) -> None:
    cut = cut_text(text, most)
    output = text.replace("\ud800", "\\ud800")
    if count_bytes(output) <= most:
        assert cut == output
    else:
        assert cut.endswith("…")
        assert count_bytes(cut) <= most
        assert output.startswith(cut[:-1])
        assert most - count_bytes(cut) < 4

"""The JSON of results is read as `from_call_tool_result` reads the parsed JSON."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen_runtime import tool_result
from pydantic import ValidationError
from support.packages import package, tool

CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": -5},
        "x": {"type": ["number", "null"]},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
        "pier": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}, "open": {"type": "boolean"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
    "required": ["n"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "closed": CLOSED,
    "rows": {"type": "array", "items": CLOSED},
    "open": {**CLOSED, "additionalProperties": True},
    "checked": {**CLOSED, "properties": {**CLOSED["properties"], "tags": {"type": "array", "uniqueItems": True}}},
    "words": {"type": "string"},
    "always": CLOSED,
}
TOOLS = [
    tool(name, schema, **({"x-mcpgen": {"wrap": "always"}} if name == "always" else {}))
    for name, schema in SCHEMAS.items()
]
VERSIONS = (None, "2024-11-05", "2025-11-25", "2026-07-28")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("json"), [*TOOLS, tool("plain")])


def _read(read: Any, *arguments: Any, **options: Any) -> tuple[str, object]:
    """Return what reading came to: an instance, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = read(*arguments, **options)
        except Exception as error:  # whatever it is, it has to be the same
            return type(error).__name__, str(error)
    return "read", (value, [str(warning.message) for warning in caught])


def _vary(value: object, random: Random) -> Iterator[dict[str, Any]]:
    """Yield results with a value, most of them as servers send them."""
    text = {"type": "text", "text": json.dumps(value)}
    yield {"content": [text], "structuredContent": value, "isError": False}
    yield {"content": [], "structuredContent": value, "resultType": "complete", "_meta": {"a": [1]}}
    yield {"content": [text], "structuredContent": {"result": value}, "more": {"deep": [[]]}}
    yield {"content": [text]}
    odd: dict[str, Any] = {"content": [text], "structuredContent": value}
    odd[random.choice(["content", "isError", "_meta", "structuredContent"])] = random.choice(
        [None, True, 0, 1, "x", [], {}, [None], [text, {"type": "image"}], [{"type": "text"}], [{"type": 1}], {"1": 2}]
    )
    yield odd


@pytest.mark.ci
@pytest.mark.parametrize("name", [*SCHEMAS, "plain"])
def test_the_outcome_is_that_of_the_parsed_json(generated: Any, name: str) -> None:
    random, outcomes = Random(name), set[str]()
    schema = SCHEMAS.get(name, CLOSED)
    cls = generated.RESULT_TYPES[name]
    generator = ValueGenerator(schema, DRAFT_2020_12)
    for number in range(150):
        value = generator.draw_value(random)
        if number % 2:
            value = generator.mutate_value(value, random)
        for result in _vary(value, random):
            text = json.dumps(result)
            protocol, choice = random.choice(VERSIONS), random.choice(["raise", "warn", "raw"])
            expected = _read(cls.from_call_tool_result, json.loads(text), protocol, on_invalid=choice)
            for form in (text, text.encode(), json.dumps(result, ensure_ascii=False).encode("utf-8", "surrogatepass")):
                read = _read(cls.from_wire_json, form, protocol, on_invalid=choice)
                is_no_utf8 = isinstance(form, bytes) and b"\xed" in form
                assert read == expected or (read[0] == "ValidationError" and is_no_utf8), (text, protocol)
            outcomes.add(expected[0])
    assert outcomes >= ({"read", "ToolCallError"} if name == "plain" else {"read", "ValidationError", "ToolCallError"})


VALUE = '{"n": 1}'
ODD_TEXTS = [
    "",
    "[]",
    "null",
    "{",
    '{"content": []} x',
    '{"content": [], "structuredContent": {"n": NaN}}',
    '{"content": [], "structuredContent": {"n": 1, "x": NaN}}',
    '{"content": [], "structuredContent": {"n": 1, "x": Infinity}}',
    '{"content": [], "structuredContent": {"n": 1, "x": 1e999}}',
    '{"content": [], "structuredContent": {"n": 1.0, "x": -0.0}}',
    '{"content": [], "structuredContent": {"n": 1e2}}',
    '{"content": [], "structuredContent": {"n": "1"}}',
    '{"content": [], "structuredContent": {"n": true}}',
    '{"content": [], "structuredContent": {"n": 123456789012345678901234567890}}',
    '{"content": [], "structuredContent": {"n": 1, "n": 2}}',
    '{"content": [], "structuredContent": {"n": "x", "n": 2}}',
    '{"content": [], "structuredContent": {"n": 2, "n": "x"}}',
    f'{{"content": [], "structuredContent": 1, "structuredContent": {VALUE}}}',
    f'{{"content": [], "structuredContent": {VALUE}, "structuredContent": 1}}',
    f'{{"content": [], "isError": true, "isError": false, "structuredContent": {VALUE}}}',
    f'{{"content": [], "isError": false, "isError": true, "structuredContent": {VALUE}}}',
    f'{{"content": [], "isError": null, "structuredContent": {VALUE}}}',
    '{"content": [], "structuredContent": {"n": 1, "pier": {"name": "\\ud800"}}}',
    '{"content": [], "structuredContent": {"n": 1, "pier": {"name": "\\u0000"}}}',
    '{"content": [], "structuredContent": {"n": 1, "pier": {"name": ""}}}',
    '{"content": [], "structuredContent": {"n": 1, "more": ' + "[" * 500 + "]" * 500 + "}}",
    '{"content": [], "_meta": ' + '{"a":' * 300 + "1" + "}" * 300 + f', "structuredContent": {VALUE}}}',
    '{"content": [], "structuredContent": {"n": 1}, "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=[text[:70] for text in ODD_TEXTS])
def test_odd_json_has_the_same_outcome(generated: Any, text: str) -> None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises(ValidationError):
            generated.ClosedResult.from_wire_json(text)
        return
    for protocol in VERSIONS:
        expected = _read(generated.ClosedResult.from_call_tool_result, parsed, protocol)
        assert _read(generated.ClosedResult.from_wire_json, text, protocol) == expected


@pytest.mark.parametrize("data", [b"\xff\xfe", b'{"content": [{"type": "text", "text": "\xff"}]}', b"\xef\xbb\xbf{}"])
def test_bytes_that_are_no_json_are_refused(generated: Any, data: bytes) -> None:
    with pytest.raises(ValidationError):
        generated.ClosedResult.from_wire_json(data)


def test_what_to_wire_json_writes_is_read(generated: Any) -> None:
    instance = generated.ClosedResult(n=3, x=None, tags=["a"])
    for protocol in VERSIONS[1:]:
        assert generated.ClosedResult.from_wire_json(instance.to_wire_json(protocol=protocol), protocol) == instance


def test_closed_classes_are_read_without_python_objects(generated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_result, "parse_json", lambda *arguments: pytest.fail("it was parsed"))
    text = f'{{"content": [{{"type": "text", "text": "1"}}], "structuredContent": {VALUE}, "isError": false}}'
    assert generated.ClosedResult.from_wire_json(text) == generated.ClosedResult(n=1)
    with pytest.raises(pytest.fail.Exception):
        generated.OpenResult.from_wire_json(text)


def test_an_unknown_version_is_refused(generated: Any) -> None:
    with pytest.raises(ValueError, match="2001"):
        generated.ClosedResult.from_wire_json("{}", "2001-01-01")

"""Values in results: structured content, or JSON in text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.diagnostics import Span
from mcpgen.learn.recordings import RecordedCall, collect_values

JSON_RESOURCE = {"type": "resource", "resource": {"uri": "a:b", "mimeType": "application/json", "text": "[3]"}}


def texts(*values: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)} for value in values]}


def collect(*results: Any, depth: int = 50) -> tuple[list[Any], dict[str, int]]:
    """Return the values in results of one tool, and the numbers of those that are left out."""
    recordings = collect_values([RecordedCall("a", Span("x", line), None, r) for line, r in enumerate(results)], depth)
    if not recordings:
        return [], {}
    return [recorded.value for recorded in recordings["a"].values], dict(recordings["a"].left_out)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"structuredContent": {"x": 1}}, {"x": 1}),
        ({"content": [], "structuredContent": [1]}, [1]),
        ({"content": [], "structuredContent": 0}, 0),
        ({**texts({"y": 2}), "structuredContent": {"x": 1}}, {"x": 1}),
        ({**texts({"y": 2}), "structuredContent": None}, {"y": 2}),
        ({**texts({"y": 2}), "isError": False, "resultType": "complete", "_meta": {}}, {"y": 2}),
        (texts([1, 2]), [1, 2]),
        ({"content": [{"type": "text", "text": "\n {} \n"}]}, {}),
        ({"content": [*texts("A list.")["content"], JSON_RESOURCE]}, [3]),
    ],
)
def test_values(result: Any, value: Any) -> None:
    assert collect(result) == ([value], {})


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (3, "no CallToolResult"),
        ([], "no CallToolResult"),
        ({"content": {}}, "no CallToolResult"),
        ({"content": None}, "no CallToolResult"),
        ({"isError": True, **texts({})}, "errors"),
        ({"resultType": "input_required", "inputRequests": {}}, "answers that ask for more"),
        ({}, "no text"),
        ({"content": [1, None, "x", {"type": "text"}, {"type": "text", "text": 3}]}, "no text"),
        (texts("plain"), "text that is not JSON"),
        (texts(5), "text that is not JSON"),
        (texts({"a": 1}, "plain"), "text that is not JSON"),
        ({"content": [JSON_RESOURCE, JSON_RESOURCE]}, "no text"),
        (
            {"content": [{"type": "image", "data": "", "mimeType": "a/b"}, *texts({})["content"]]},
            "several content blocks",
        ),
        ({"content": [{"type": "text", "text": '{"a": NaN}'}]}, "text that is not JSON"),
        ({"content": [{"type": "text", "text": '{"a": 1, "a": 2}'}]}, "text that is not JSON"),
        ({"content": [{"type": "text", "text": '{"a": "\\ud800"}'}]}, "text that is not JSON"),
        ({"content": [{"type": "text", "text": "[" * 100_000 + "]" * 100_000}]}, "text that is not JSON"),
        ({"content": [{"type": "text", "text": "[" * 60 + "]" * 60}]}, "nested too deeply"),
    ],
)
def test_results_that_say_nothing(result: Any, reason: str) -> None:
    assert collect(result) == ([], {reason: 1})


def test_nothing_is_learned_from_blocks_that_no_client_reads() -> None:
    """If a tool writes several items into several blocks, one item in one block says nothing of its results."""
    assert collect(texts({"x": 1}), texts({"x": 1}, {"x": 2})) == ([], {"several content blocks": 2})
    structured = {**texts({"x": 1}, {"x": 2}), "structuredContent": {"result": [{"x": 1}, {"x": 2}]}}
    assert collect(structured) == ([structured["structuredContent"]], {})
    assert collect(texts({"x": 1}), {"structuredContent": {"x": 2}}) == ([{"x": 2}, {"x": 1}], {})


def test_calls_without_a_result() -> None:
    assert collect(None) == ([], {})
    assert collect(None, texts({})) == ([{}], {"calls without a result": 1})


def test_tools_are_sorted_and_values_say_where_they_are_from() -> None:
    calls = [RecordedCall(name, Span("f", line), None, texts({})) for line, name in enumerate("bab", 1)]
    recordings = collect_values(calls, 50)
    assert {name: [value.span.line for value in item.values] for name, item in recordings.items()} == {
        "a": [2],
        "b": [1, 3],
    }
    assert [*recordings] == ["a", "b"]

"""Recorded calls in files of all formats."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.learn.recordings import MAX_FAULTY_LINES, RecordedCall, collect_values, read_recordings
from support.documents import list_messages

RESULT = {"content": [], "structuredContent": {"x": 1}}
CALL = {"tool": "a", "arguments": {"n": 1}, "result": RESULT}
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {"n": 1}}}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": RESULT}


def read(path: Path, content: bytes | str, **limits: int) -> tuple[list[RecordedCall], list[tuple[str, str]]]:
    """Return the calls of a file, and the findings."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    findings = Findings()
    calls = read_recordings([path], Limits.model_validate({**limits}), findings)
    return calls, list_messages(findings)


def read_results(path: Path, content: bytes | str) -> list[Any]:
    calls, messages = read(path, content)
    assert messages == []
    return [(call.tool, call.arguments, call.result) for call in calls]


ONE = [("a", {"n": 1}, RESULT)]


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.json", "x.log", "x"])
@pytest.mark.parametrize(
    "content",
    [
        json.dumps(CALL),
        json.dumps([CALL]),
        json.dumps(CALL, indent=2),
        json.dumps([CALL], indent=2) + "\n\n",
        "\ufeff\r\n  \r\n" + json.dumps(CALL) + "\r\n\r\n",
        json.dumps([REQUEST, ANSWER]),
        json.dumps(REQUEST) + "\n" + json.dumps(ANSWER) + "\n",
        json.dumps({"log": {"entries": [{"response": json.dumps(ANSWER), "request": json.dumps(REQUEST)}]}}),
    ],
)
def test_formats(tmp_path: Path, name: str, content: str) -> None:
    assert read_results(tmp_path / name, content) == ONE


def test_an_http_archive(tmp_path: Path) -> None:
    """HAR 1.2: the request's body is `postData.text`, the answer's `content.text`, here a stream of events."""
    entry = {
        "request": {"method": "POST", "postData": {"mimeType": "application/json", "text": json.dumps(REQUEST)}},
        "response": {
            "content": {"mimeType": "text/event-stream", "text": f"event: message\ndata: {json.dumps(ANSWER)}"}
        },
    }
    again = json.loads(json.dumps(entry))
    assert (
        read_results(tmp_path / "x.har", json.dumps({"log": {"version": "1.2", "entries": [entry, again]}})) == ONE * 2
    )


def test_lines_are_told(tmp_path: Path) -> None:
    calls, _ = read(tmp_path / "x.jsonl", json.dumps(CALL) + "\n\n" + json.dumps(CALL))
    assert [call.span.line for call in calls] == [1, 3]
    calls, _ = read(tmp_path / "x.json", json.dumps([CALL, CALL]))
    assert [call.span.line for call in calls] == [0, 0]


def test_calls_without_answers_are_kept_for_their_arguments(tmp_path: Path) -> None:
    calls, messages = read(tmp_path / "x.json", json.dumps([ANSWER, REQUEST]))
    assert [(call.arguments, call.result) for call in calls] == [({"n": 1}, None)]
    assert messages == [("MG718", "1 answer left out: no request with its id was open")]
    assert read_results(tmp_path / "y.json", json.dumps({"tool": "a", "arguments": {"n": 1}})) == [
        ("a", {"n": 1}, None)
    ]


def test_requests_with_an_id_at_once(tmp_path: Path) -> None:
    other = {**REQUEST, "params": {"name": "b"}}
    calls, messages = read(tmp_path / "x.json", json.dumps([REQUEST, other, ANSWER]))
    assert calls == []
    assert [code for code, _ in messages] == ["MG718"]
    assert "2 calls" in messages[0][1]
    assert list_severities(tmp_path / "x.json") == ["error"]


def list_severities(path: Path) -> list[str]:
    findings = Findings()
    read_recordings([path], Limits.model_validate({}), findings)
    return [item.severity.value for item in findings]


@pytest.mark.parametrize("value", [{"other": 1}, {**CALL, "tool": None}, [CALL], 3, json.dumps(CALL)])
def test_values_among_calls_that_are_none(tmp_path: Path, value: Any) -> None:
    """Saved traffic can have others beside its messages; a list of calls cannot."""
    for name, content in (("x.json", [CALL, value]), ("y.jsonl", [CALL, [3, value]])):
        text = json.dumps(content) if name == "x.json" else "\n".join(map(json.dumps, content))
        calls, messages = read(tmp_path / name, text)
        assert ([call.tool for call in calls], [code for code, _ in messages]) == (["a"], ["MG718"])
        assert "neither a call nor a message" in messages[0][1]
    assert list_severities(tmp_path / "x.json") == ["warning"]
    assert read_results(tmp_path / "x.json", json.dumps([value, REQUEST, ANSWER])) == ONE


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "MG003"),
        ("\n", "MG003"),
        ("{", "MG002"),
        ("x\ny\n", "MG002"),
        ('{"a": NaN}', "MG002"),
        ('{"a": 1, "a": 2}', "MG002"),
        ('"\\ud800"', "MG002"),
        (b"\xff\xfe{}", "MG002"),
        (bytes(range(256)), "MG002"),
        ("[" * 300 + "]" * 300, "MG009"),
        ("[" * 100_000 + "]" * 100_000, "MG002"),
        ("3", "MG003"),
        ("[]", "MG003"),
        ("{}", "MG003"),
        ('{"tool": 3}', "MG003"),
        (json.dumps({**CALL, "tool": 1}), "MG003"),
        (json.dumps(ANSWER), "MG718"),
        (json.dumps([REQUEST])[:-9], "MG002"),
        (json.dumps(json.dumps(REQUEST)[:-9]), "MG718"),
    ],
)
def test_files_without_calls(tmp_path: Path, content: bytes | str, code: str) -> None:
    calls, messages = read(tmp_path / "x.json", content)
    assert (calls, [found for found, _ in messages]) == ([], [code])


def test_limits(tmp_path: Path) -> None:
    text = json.dumps(CALL)
    assert [code for code, _ in read(tmp_path / "x.json", text, **{"file-size": 20})[1]] == ["MG009"]
    assert [code for code, _ in read(tmp_path / "x.json", text, values=3)[1]] == ["MG009"]
    assert [code for code, _ in read(tmp_path / "x.json", text, depth=2)[1]] == ["MG009"]
    assert [code for code, _ in read(tmp_path / "x.jsonl", text, depth=2)[1]] == ["MG009"]


def test_faulty_lines_are_reported_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([json.dumps(CALL), *["{"] * 1000, '{"a": NaN}', json.dumps(CALL)]))
    findings = Findings()
    assert len(read_recordings([path], Limits.model_validate({}), findings)) == 2
    lines = [item.span.line for item in findings if item.span is not None]
    assert lines == [*range(2, 2 + MAX_FAULTY_LINES), 0]
    assert [*findings][-1].message == "991 more lines are wrong"


def test_what_is_no_file(tmp_path: Path) -> None:
    findings = Findings()
    names = ["missing.json", "folder"]
    (tmp_path / "folder").mkdir()
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe")
        names.append("pipe")
    assert read_recordings([tmp_path / name for name in names], Limits.model_validate({}), findings) == []
    assert {item.code for item in findings} == {"MG001"}
    assert len(findings) == len(names)


def test_files_are_told_apart(tmp_path: Path) -> None:
    """A request in one file is not answered in another."""
    (tmp_path / "a.json").write_text(json.dumps(REQUEST))
    (tmp_path / "b.json").write_text(json.dumps(ANSWER))
    findings = Findings()
    calls = read_recordings([tmp_path / "a.json", tmp_path / "b.json"], Limits.model_validate({}), findings)
    assert [call.result for call in calls] == [None]
    assert [item.code for item in findings] == ["MG718"]


PARTS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.integers(0, 2),
    st.text(max_size=4),
    st.sampled_from([CALL, REQUEST, ANSWER, "a", "tools/call", "base64"]),
)
KEYS = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "name",
        "arguments",
        "result",
        "error",
        "tool",
        "content",
        "structuredContent",
        "text",
        "type",
        "encoding",
        "request",
        "response",
        "isError",
        "log",
    ]
)
VALUES = st.recursive(
    PARTS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=4),
        inner.map(json.dumps),
        inner.map(lambda value: f"data: {json.dumps(value)}\n\n"),
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(st.lists(VALUES, max_size=4).map(lambda values: "\n".join(map(json.dumps, values)).encode()), st.binary())
)
def test_no_file_is_too_strange(tmp_path: Path, content: bytes) -> None:
    """Whatever a file holds, it has calls, or that is reported."""
    for name in ("x.json", "x.jsonl"):
        calls, messages = read(tmp_path / name, content)
        assert calls or messages
        collect_values(calls, 50)

"""Recorded calls of tools, read from files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcpgen import paths
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.learn.messages import CallMatcher, OpenCall, Reason, iterate_messages
from mcpgen.read.document import SourceDocument
from mcpgen.read.parse import parse_json_document, read_text
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json

LINE_SUFFIXES = (".jsonl", ".ndjson")
"""Ends of the names of files with a JSON value in each line."""
MAX_FAULTY_LINES = 10
"""Faulty lines of a file that are reported one by one."""

NO_CALL = Reason("value", "neither a call nor a message", 'a call is {"tool": …, "result": …}')
_CALL_HELP = 'a call is {"tool": …, "result": …}, or a JSON-RPC request "tools/call" with its answer'


@dataclass(frozen=True)
class RecordedCall:
    """A call of a tool, as it was recorded."""

    tool: str
    span: Span
    """The file, and the line of the call if each line is a value."""
    arguments: Json = None
    """An object; None if they were not recorded."""
    result: Json = None
    """A CallToolResult; None if none was recorded."""


def read_recordings(files: Sequence[Path], limits: Limits, findings: Findings) -> list[RecordedCall]:
    """Return the calls that some files hold, in their order.

    A file is JSON, or has a JSON value in each line. A value is a call, `{"tool": …, "arguments": …, "result": …}`, a
    list of calls, or anything that holds JSON-RPC messages: saved traffic.

    Args:
        files: the files.
        limits: limits for the size, depth and number of values of a file.
        findings: receives what is wrong.
    """
    disk = FileTracker(most=limits.file_size)
    calls: list[RecordedCall] = []
    for path in files:
        name = paths.format_path(path)
        text = read_text(path, name, findings, disk)
        if text is None:
            continue
        if not text.strip():
            findings.error("MG003", "is empty", Span(name), _CALL_HELP)
            continue
        error_count = len(findings)
        recording = _Recording(name, limits.depth)
        found: list[RecordedCall] = []
        for line, value in _parse_values(path, name, text, limits, findings):
            found += recording.find_calls(value, Span(name, line, 1) if line else Span(name))
        found += recording.close(findings, found)
        if not found and len(findings) == error_count:
            findings.error("MG003", "holds no calls of tools", Span(name), _CALL_HELP)
        calls += found
    return calls


@dataclass
class _Recording:
    """Calls of one file."""

    name: str
    depth: int
    """Levels of nesting that a text in it may have."""
    _matcher: CallMatcher = field(default_factory=CallMatcher)
    _has_calls: bool = False
    """Whether it has calls that are no messages."""
    _other_count: int = 0
    """Values in which nothing was found."""

    def find_calls(self, value: Json, span: Span) -> Iterator[RecordedCall]:
        """Yield the calls in a value of the file."""
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and isinstance(item.get("tool"), str):
                self._has_calls = True
                yield RecordedCall(str(item["tool"]), span, item.get("arguments"), item.get("result"))
                continue
            is_empty = True
            for message, place in iterate_messages(item, self.depth, self._matcher.left_out):
                is_empty = False
                self._matcher.add_message(message, place)
            self._other_count += is_empty
            for call in self._matcher.take_answered():
                yield _make_call(call, span)

    def close(self, findings: Findings, found: Sequence[RecordedCall]) -> list[RecordedCall]:
        """Return the calls without an answer, whose arguments are known; report everything that is left out.

        Args:
            findings: receives warnings, or errors if the file has no other call.
            found: the calls that have an answer.
        """
        span = Span(self.name)
        calls = [_make_call(call, span) for call in self._matcher.list_open()]
        left_out = self._matcher.left_out
        if self._has_calls:  # in saved traffic, other values are usual
            left_out[NO_CALL] += self._other_count
        report = findings.warn if calls or found else findings.error
        for reason, count in sorted(left_out.items()):
            if count:
                report("MG718", f"{format_count(count, reason.noun)} left out: {reason.why}", span, reason.help)
        return calls


def _make_call(call: OpenCall, span: Span) -> RecordedCall:
    return RecordedCall(call.tool, span, call.arguments, call.result)


def _parse_values(path: Path, name: str, text: str, limits: Limits, findings: Findings) -> Iterator[tuple[int, Json]]:
    """Yield the JSON values of a file, each with its line; 0 if there is only one for the whole file."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    has_lines = path.suffix in LINE_SUFFIXES
    if not (has_lines and lines and _is_json(path, name, lines[0][1], limits)):
        document, whole_findings = SourceDocument(path, name, text, is_quotable=False), Findings()
        if parse_json_document(document, whole_findings, limits):
            yield 0, document.value
            return
        is_single = len(lines) < 2 or not (has_lines or _is_json(path, name, lines[0][1], limits))
        if is_single or any(finding.code != "MG002" for finding in whole_findings):
            findings.extend(whole_findings)
            return
    faulty_count = 0
    for number, line in lines:
        document, line_findings = SourceDocument(path, name, line, is_quotable=False), Findings()
        if parse_json_document(document, line_findings, limits):
            yield number, document.value
            continue
        faulty_count += 1
        if faulty_count <= MAX_FAULTY_LINES:
            findings.extend(
                replace(item, span=None if item.span is None else replace(item.span, line=number))
                for item in line_findings
            )
    if faulty_count > MAX_FAULTY_LINES:
        findings.error("MG002", f"{faulty_count - MAX_FAULTY_LINES} more lines are wrong", Span(name))


def _is_json(path: Path, name: str, text: str, limits: Limits) -> bool:
    return parse_json_document(SourceDocument(path, name, text, is_quotable=False), Findings(), limits)

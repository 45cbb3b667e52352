"""`mcpgen learn`: propose schemas for the results of tools, from recorded calls."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import write
from mcpgen.commands.learned_files import (
    LearnedTool,
    choose_folders,
    format_left_out,
    format_report,
    is_named,
    read_package_tools,
    write_files,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.calls import ToolCalls, call_tools
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.learn.inference import SchemaInference
from mcpgen.learn.recordings import RecordedCall, read_recordings
from mcpgen.learn.results import SEVERAL_BLOCKS, ToolRecording, collect_values, format_learned_schema, make_file_names
from mcpgen.paths import format_path
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json, allow_deep_recursion, canonicalize


@dataclass(frozen=True)
class LearnRequest:
    """What schemas are learned from, and where they are written."""

    files: tuple[Path, ...]
    out: Path | None
    """Folder of the files, None for the one that the settings imply."""
    enums: frozenset[str]
    """Properties whose strings become an `enum`."""
    query: ServerQuery | None = None
    allowed: frozenset[str] = frozenset()
    """Tools of it that may be called whatever their annotations say."""
    record: Path | None = None


def run_learn(loaded: LoadedPackages, request: LearnRequest, output: CommandOutput) -> int:
    """Write the proposed schemas and return the exit code."""
    learning = _Learning(loaded, request, output)
    exit_code = INVALID_INPUT
    if not loaded.findings.failed:
        with allow_deep_recursion():
            exit_code = learning.run()
    return output.finish(loaded.findings, exit_code, lambda: learning.data or None)


class _Learning:
    def __init__(self, loaded: LoadedPackages, request: LearnRequest, output: CommandOutput) -> None:
        self._packages, self._findings = loaded.packages, loaded.findings
        self._request, self._output = request, output
        self._limits = loaded.limits
        self._withheld: Sequence[str] = ()
        """Tools of the server that were not called."""
        self.data: dict[str, Json] = {}

    def run(self) -> int:
        request, findings = self._request, self._findings
        calls = read_recordings(request.files, self._limits, findings)
        _check_record(request.record, findings)
        if findings.failed:
            return INVALID_INPUT
        package_tools = read_package_tools(self._packages)
        spans: dict[str, Span | None] = {}
        for call in calls:
            spans.setdefault(call.tool, call.span)
        folders = choose_folders(package_tools, spans, request.out, findings)
        if findings.failed and (not folders or request.query is not None):
            return INVALID_INPUT
        exit_code = INVALID_INPUT if findings.failed else WRITE_REFUSED
        calls = [call for call in calls if call.tool in folders]
        if request.query is None:
            _report_missing_results(calls, findings)
        else:
            answers = self._make_calls(request.query, calls)
            if answers is None:
                return INVALID_INPUT
            calls = [*(call for call in calls if call.result is not None), *answers]
        recordings = collect_values(calls, self._limits.depth)
        named = frozenset(tool for tool in recordings if is_named(package_tools, tool, folders[tool]))
        tools = list(_propose_schemas(recordings, folders, named, request.enums, findings))
        states = write_files(tools, self._limits, findings)
        if states is None:
            return INVALID_INPUT
        self._output.print_remark(*format_report(package_tools, tools, states))
        self.data["tools"] = [tool.describe(states[tool.name]) for tool in tools]
        if findings.failed:
            return exit_code
        if not tools:
            message, help = _explain_nothing(calls, self._withheld, request.query is not None)
            findings.error("MG718", message, None, help)
            return INVALID_INPUT
        return SUCCESS

    def _make_calls(self, query: ServerQuery, recorded: Sequence[RecordedCall]) -> list[RecordedCall] | None:
        findings, record = self._findings, self._request.record
        calls: dict[str, RecordedCall] = {}
        for call in recorded:
            arguments: Json = {} if call.arguments is None else call.arguments
            if isinstance(arguments, dict):
                asked = replace(call, arguments=arguments, result=None)
                calls.setdefault(canonicalize([call.tool, arguments]), asked)
            else:
                message = f'a call of "{call.tool}" is not made: its arguments are not an object'
                findings.warn("MG718", message, call.span)
        made = call_tools(query, [*calls.values()], self._request.allowed, self._limits, findings)
        if made is None:
            return None
        answers = [call for call in made.answered if call.result is not None]
        if record is not None and answers:
            if not _write_record(record, answers, findings):
                return None
            if findings.failed:
                self._output.print_remark(f"{format_path(record)}: the answers before the error")
        if findings.failed:
            return None
        self._output.print_remark(*_format_calls(made))
        if record is not None and not answers:
            self._output.print_remark(f"{format_path(record)}: not written, since there are no answers")
        self._withheld = made.withheld
        return answers


def _explain_nothing(calls: Sequence[RecordedCall], withheld: Sequence[str], has_server: bool) -> tuple[str, str]:
    help = "record calls that succeed and return structured content, or one block of JSON text"
    if any(call.result is not None for call in calls):
        return "nothing was learned: no result shows a schema", help
    if withheld:
        help = f"allow the calls that do no harm, by the tool's name: --call {withheld[0]}"
        return "nothing was learned: no tool was called", help
    if calls and not has_server:
        help = "the files hold calls without results; run this with --server SERVER to make the calls"
        return "nothing was learned: no result is recorded", help
    return "nothing was learned: there are no results", help


def _report_missing_results(calls: Sequence[RecordedCall], findings: Findings) -> None:
    if all(call.result is None for call in calls):
        return
    spans = {call.tool: call.span for call in reversed(calls)}
    for tool in sorted(spans.keys() - {call.tool for call in calls if call.result is not None}):
        message = f'nothing can be learned about "{tool}": no result of it is recorded'
        help = "record the answer, too, after its request; or make the calls: --server SERVER"
        findings.warn("MG718", message, spans[tool], help)


def _check_record(path: Path | None, findings: Findings) -> None:
    if path is None:
        return
    if os.path.lexists(path):
        findings.error("MG404", "is there already", Span(format_path(path)), "name a new file: --record")
    elif not path.parent.is_dir():
        findings.error("MG404", "cannot be written: there is no such folder", Span(format_path(path)))


def _write_record(path: Path, calls: Sequence[RecordedCall], findings: Findings) -> bool:
    lines = [
        json.dumps({"tool": call.tool, "arguments": call.arguments, "result": call.result}) + "\n" for call in calls
    ]
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    except OSError as error:
        write.report_failure(error, path, findings)
        return False
    return True


def _format_calls(made: ToolCalls) -> Iterator[str]:
    yield f"{format_count(len(made.answered), 'call')} made"
    if made.withheld:
        yield (
            f"  not called, since they are not annotated as read-only and idempotent: {', '.join(made.withheld)} "
            "(--call NAME calls one all the same)"
        )
    if made.unknown:
        yield f"  not called, since the server has no such tools: {', '.join(made.unknown)}"


# --- schemas ---------------------------------------------------------------------------------------------------------
def _propose_schemas(
    recordings: Mapping[str, ToolRecording],
    folders: Mapping[str, Path],
    named: Collection[str],
    enums: frozenset[str],
    findings: Findings,
) -> Iterator[LearnedTool]:
    names = make_file_names(recordings)
    inference = SchemaInference(enums)
    for tool, recording in recordings.items():
        checked = LearnedTool(tool, folders[tool], names[tool], recording, "", tool in named)
        if not recording.values and recording.unreadable and checked.is_named and checked.path.is_file():
            yield checked
            continue
        if not recording.values:
            message = f'nothing can be learned from the results of "{tool}": {format_left_out(recording)}'
            help = "record a call that succeeds and returns JSON; if none does, it needs no schema: read its content"
            if recording.left_out[SEVERAL_BLOCKS]:
                help = "a typed client reads `structuredContent`, or the JSON of a single content block"
            findings.warn("MG718", message, None, help)
            continue
        schema = inference.infer_schema([recorded.value for recorded in recording.values])
        yield replace(checked, text=format_learned_schema(tool, schema, len(recording.values)))

"""`mcpgen learn`: propose schemas for the results of tools, from recorded calls."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mcpgen import write
from mcpgen.commands.learned_folders import PackageTools, choose_folders, read_package_tools
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import resolve_path
from mcpgen.introspect.calls import ToolCall, ToolCalls, call_tools
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.error_messages import shorten_text
from mcpgen.introspect.server_address import format_server_address
from mcpgen.learn.inference import SchemaInference
from mcpgen.learn.recordings import RecordedCall, read_recordings
from mcpgen.learn.results import SEVERAL_BLOCKS, ToolRecording, collect_values
from mcpgen.learn.schema_files import MOST_VIOLATIONS, find_refused_values, format_learned_schema, make_file_names
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.input_files import PULLED_FOLDER
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.recursion import allow_deep_recursion
from mcpgen.schema.values import Json, canonicalize


@dataclass(frozen=True)
class LearnRequest:
    """What schemas are learned from, and where they are written."""

    files: tuple[Path, ...]
    out: Path | None
    """Folder of the files, None for the one that the settings imply."""
    enums: frozenset[str]
    """Properties whose strings become an `enum`."""
    query: ServerQuery | None = None
    """A server to make the recorded calls anew."""
    allowed: frozenset[str] = frozenset()
    """Tools of it that may be called whatever their annotations say."""
    record: Path | None = None
    """File for the calls that were made, and their results."""


@dataclass(frozen=True)
class LearnedTool:
    """A tool with a proposed schema."""

    name: str
    folder: Path
    file: str
    """Name of the file in the folder."""
    recording: ToolRecording
    text: str

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.folder / self.file


def run_learn(loaded: LoadedPackages, request: LearnRequest, output: CommandOutput) -> int:
    """Write the proposed schemas and return the exit code."""
    findings = loaded.findings
    data: dict[str, Json] = {}
    exit_code = INVALID_INPUT
    if not findings.failed:
        with allow_deep_recursion():
            exit_code = _learn(loaded.packages, request, findings, output, data)
    return output.finish(findings, exit_code, lambda: data or None)


def _learn(
    packages: Sequence[ConfiguredPackage],
    request: LearnRequest,
    findings: Findings,
    output: CommandOutput,
    data: dict[str, Json],
) -> int:
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    calls = read_recordings(request.files, limits, findings)
    _check_record(request.record, findings)
    if findings.failed:
        return INVALID_INPUT
    package_tools = read_package_tools(packages)
    spans: dict[str, Span | None] = {}
    for call in calls:
        spans.setdefault(call.tool, call.span)
    folders = choose_folders(package_tools, spans, request.out, findings)
    if findings.failed and (not folders or request.query is not None):
        return INVALID_INPUT
    exit_code = INVALID_INPUT if findings.failed else WRITE_REFUSED
    calls = [call for call in calls if call.tool in folders]
    withheld: Sequence[str] = ()
    if request.query is None:
        _report_missing_results(calls, findings)
    else:
        made = _make_calls(request, request.query, calls, limits, findings, output)
        if made is None:
            return INVALID_INPUT
        answers, withheld = made
        calls += answers
    tools = list(_propose_schemas(collect_values(calls, limits.depth), folders, request.enums, findings))
    named = {tool.name for tool in tools if _is_named(packages, tool.name)}
    states = _write_files(tools, named, limits, findings)
    if states is None:
        return INVALID_INPUT
    output.print_remark(*_format_report(package_tools, tools, states))
    data["tools"] = [_build_tool_json(tool, states[tool.name]) for tool in tools]
    if findings.failed:
        return exit_code
    if not tools:
        message, help = _explain_nothing(calls, withheld, request.query is not None)
        findings.error("MG718", message, None, help)
        return INVALID_INPUT
    return SUCCESS


def _build_tool_json(tool: LearnedTool, state: str) -> Json:
    return {
        "name": tool.name,
        "file": format_path(tool.path),
        "results": len(tool.recording.values),
        "leftOut": dict(tool.recording.left_out),
        "state": state,
    }


def _explain_nothing(calls: Sequence[RecordedCall], withheld: Sequence[str], has_server: bool) -> tuple[str, str]:
    """Return why nothing was learned, and what helps."""
    if any(call.result is not None for call in calls):
        help = "record calls that succeed and return structured content, or one block of JSON text"
        return "nothing was learned: no result shows a schema", help
    if withheld:
        help = f"allow the calls that do no harm, by the tool's name: --call {withheld[0]}"
        return "nothing was learned: no tool was called", help
    if calls and not has_server:
        help = "the files hold calls without results; run this with --server SERVER to make the calls"
        return "nothing was learned: no result is recorded", help
    help = "record calls that succeed and return structured content, or one block of JSON text"
    return "nothing was learned: there are no results", help


def _report_missing_results(calls: Sequence[RecordedCall], findings: Findings) -> None:
    """Report the tools whose calls have no result."""
    spans = {call.tool: call.span for call in reversed(calls)}
    for tool in sorted(spans.keys() - {call.tool for call in calls if call.result is not None}):
        message = f'nothing can be learned about "{tool}": no result of it is recorded'
        findings.warn("MG718", message, spans[tool], "record the answer, too, after its request")


# --- calls of a running server ---------------------------------------------------------------------------------------
def _make_calls(
    request: LearnRequest,
    query: ServerQuery,
    recorded: Sequence[RecordedCall],
    limits: Limits,
    findings: Findings,
    output: CommandOutput,
) -> tuple[list[RecordedCall], Sequence[str]] | None:
    """Make each recorded call once, as far as that has no effect; return the answers, and the tools not called.

    None: there is an error.
    """
    calls: dict[str, ToolCall] = {}
    for call in recorded:
        arguments: Json = {} if call.arguments is None else call.arguments
        if isinstance(arguments, dict):
            calls.setdefault(canonicalize([call.tool, arguments]), ToolCall(call.tool, arguments))
        else:
            findings.warn("MG718", f'a call of "{call.tool}" is not made: its arguments are not an object', call.span)
    made = call_tools(query, [*calls.values()], request.allowed, limits, findings)
    if made is None:
        return None
    server = Span.of_server(format_server_address(query.source))
    answers = [
        RecordedCall(answer.call.tool, server, answer.call.arguments, answer.result)
        for answer in made.answered
        if answer.result is not None
    ]
    if request.record is not None and answers:
        if not _write_record(request.record, answers, findings):
            return None
        if findings.failed:
            output.print_remark(f"{format_path(request.record)}: the answers before the error")
    if findings.failed:
        return None
    output.print_remark(*_format_calls(made))
    if request.record is not None and not answers:
        output.print_remark(f"{format_path(request.record)}: not written, since there are no answers")
    return answers, made.withheld


def _check_record(path: Path | None, findings: Findings) -> None:
    """Report a file that cannot be made, before any tool is called."""
    if path is None:
        return
    if os.path.lexists(path):
        findings.error("MG404", "is there already", Span(format_path(path)), "name a new file: --record")
    elif not path.parent.is_dir():
        findings.error("MG404", "cannot be written: there is no such folder", Span(format_path(path)))


def _write_record(path: Path, calls: Sequence[RecordedCall], findings: Findings) -> bool:
    """Write calls as JSON Lines into a new file; return False, with an error, if that is not possible."""
    lines = [
        json.dumps({"tool": call.tool, "arguments": call.arguments, "result": call.result}) + "\n" for call in calls
    ]
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    except OSError as error:
        findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(path)))
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
    recordings: Mapping[str, ToolRecording], folders: Mapping[str, Path], enums: frozenset[str], findings: Findings
) -> Iterator[LearnedTool]:
    """Yield the tools with a schema; report the others."""
    names = make_file_names(recordings)
    inference = SchemaInference(enums)
    for tool, recording in recordings.items():
        if not recording.values:
            message = f'nothing can be learned from the results of "{tool}": {_format_left_out(recording)}'
            help = "record a call that succeeds and returns JSON; if none does, it needs no schema: read its content"
            if recording.left_out[SEVERAL_BLOCKS]:
                help = "a typed client reads `structuredContent`, or the JSON of a single content block"
            findings.warn("MG718", message, None, help)
            continue
        schema = inference.infer_schema([recorded.value for recorded in recording.values])
        text = format_learned_schema(tool, schema, len(recording.values))
        yield LearnedTool(tool, folders[tool], names[tool], recording, text)


def _format_left_out(recording: ToolRecording) -> str:
    return ", ".join(f"{reason} ({count})" for reason, count in sorted(recording.left_out.items()))


def _write_files(
    tools: Sequence[LearnedTool], named: Collection[str], limits: Limits, findings: Findings
) -> dict[str, str] | None:
    """Write the files that are not there yet; return what became of that of each tool, by the tool's name.

    A file that is there stays as it is. If it refuses a recorded value, that is an error.

    Args:
        tools: the tools with a proposed schema.
        named: the names of tools to which the settings give an outputSchema.
        limits: the limits of files.
        findings: receives the errors.

    Returns:
        None, with an error, if a folder cannot be written to.
    """
    written: dict[Path, str] = {}
    for folder in dict.fromkeys(tool.folder for tool in tools):
        files = {tool.file: tool.text for tool in tools if tool.folder == folder}
        try:
            plan = write.plan_and_apply(folder, partial(_plan_files, folder, files))
        except OSError as error:
            findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(folder)))
            return None
        for step in plan.steps:
            written[folder / step.path] = "written" if step.action is Action.CREATE else "unchanged"
    return {
        tool.name: written.get(tool.path) or _compare_with_file(tool, tool.name in named, limits, findings)
        for tool in tools
    }


def _plan_files(folder: Path, files: Mapping[str, str]) -> Plan:
    """Return the plan of writing files into a folder, without those that are there with another text."""
    steps = [step for file, text in files.items() for step in plan_file(folder, file, text).steps]
    return Plan(folder, tuple(step for step in steps if step.action in (Action.KEEP, Action.CREATE)))


def _compare_with_file(tool: LearnedTool, is_named: bool, limits: Limits, findings: Findings) -> str:
    """Return what a file that is there says of the recorded values; report those that it refuses."""
    values = tool.recording.values
    refused = find_refused_values(tool.path, values, limits, findings)
    if refused is None:
        return "kept, but it is not a schema"
    if not refused:
        return f"kept, since it accepts {'the result' if len(values) == 1 else f'all {len(values)}'}"
    first_places: dict[tuple[str, str], Span] = {}
    for value in refused:
        for violation in value.violations:
            first_places.setdefault(violation, value.recorded.span)
    named = [
        f"of {span.file}{f':{span.line}' if span.line else ''}, at {shorten_text(pointer) or 'the root'}: "
        f"{shorten_text(text)}"
        for (pointer, text), span in [*first_places.items()][:MOST_VIOLATIONS]
    ]
    message = f"refuses {len(refused)} of {format_count(len(values), 'recorded result')}; the first, {'; '.join(named)}"
    help = "correct it, or move it away and run this again: an existing file is never overwritten"
    if not is_named:
        help = "no setting names it: if it is from an earlier run, delete it and run this again; else correct it"
    findings.error("MG719", message, Span(format_path(tool.path)), help)
    return "kept, but it refuses recorded results"


# --- report ----------------------------------------------------------------------------------------------------------
def _format_report(
    package_tools: PackageTools, tools: Sequence[LearnedTool], states: Mapping[str, str]
) -> Iterator[str]:
    for tool in tools:
        results = format_count(len(tool.recording.values), "result")
        yield f"{format_path(tool.path)}: from {results}, {states[tool.name]}"
        if tool.recording.left_out:
            yield f"  left out: {_format_left_out(tool.recording)}"
    declared = _list_declared(package_tools)
    if names := [tool.name for tool in tools if tool.name in declared]:
        yield f"the definitions declare an outputSchema for {', '.join(names)}, so no setting can give another one"
        yield from _advise_replacement(package_tools, names)
    packages = [package for package, _ in package_tools]
    unnamed = [tool for tool in tools if not _is_named(packages, tool.name) and tool.name not in declared]
    if unnamed:
        yield from _format_settings(packages, unnamed)


def _advise_replacement(package_tools: PackageTools, names: Sequence[str]) -> Iterator[str]:
    """Yield how a learned schema replaces one that the definition of a tool declares."""
    documents = [tools[name].document for name in names for _, tools in package_tools if name in tools]
    files = [document.path for document in documents if document is not None]
    if any(file.parent.name == PULLED_FOLDER for file in files):
        yield "  to replace one that says too little, annotate the return type and pull again,"
        yield "  or move the definition out of pulled/ and put the learned schema into it"
    if own := [format_path(file) for file in dict.fromkeys(files) if file.parent.name != PULLED_FOLDER]:
        yield f"  to replace one that says too little, put the learned schema into {', '.join(own)}"


def _list_declared(package_tools: PackageTools) -> set[str]:
    """Return the tools whose definitions declare an outputSchema: `build` refuses the setting for these."""
    return {
        name
        for _, tools in package_tools
        for name, tool in tools.items()
        if tool.output is not None and not tool.is_output_from_settings
    }


def _is_named(packages: Sequence[ConfiguredPackage], tool: str) -> bool:
    """Return whether the settings give a tool an outputSchema."""
    choices = [package.settings.tools.get(tool) for package in packages]
    return any(choice is not None and choice.output_schema is not None for choice in choices)


def _format_settings(packages: Sequence[ConfiguredPackage], tools: Sequence[LearnedTool]) -> Iterator[str]:
    """Yield the settings that give tools their schemas."""
    base = packages[0].folder if packages else Path.cwd()
    project = base / "pyproject.toml"
    file = (packages[0].file if packages else None) or (project if project.is_file() else base / "mcpgen.toml")
    prefix = "tool.mcpgen.tools" if file.name == "pyproject.toml" else "tools"
    yield f"next: read what was proposed, then add to {format_path(file)}"
    for tool in tools:
        path = resolve_path(tool.folder) / tool.file
        relative = path.relative_to(resolve_path(base)) if path.is_relative_to(resolve_path(base)) else path
        yield f"  [{prefix}.{_quote_toml(tool.name)}]"
        yield f"  outputSchema = {_quote_toml(relative.as_posix())}"
        if any(item.is_structured and not isinstance(item.value, dict) for item in tool.recording.values):
            yield '  wrap = "legacy"'  # by default, results of pulled tools are read from `{"result": …}`


def _quote_toml(text: str) -> str:
    """Return a text as a TOML string in which everything is visible."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in quoted)

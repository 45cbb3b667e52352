"""`mcpgen learn`: propose schemas for the results of tools, from recorded calls, and say what each file needs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mcpgen import write
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pulled_files import check_folder
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.config.toml import format_header, get_settings_path, quote_text
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.files.definition_files import LEARNED_FOLDER, PULLED_FOLDER
from mcpgen.files.project_paths import resolve_path
from mcpgen.introspect.calls import ToolCalls, call_tools
from mcpgen.introspect.error_messages import shorten_text
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.learn.inference import SchemaInference
from mcpgen.learn.recordings import (
    MOST_VIOLATIONS,
    SEVERAL_BLOCKS,
    RecordedCall,
    ToolRecording,
    collect_values,
    find_refused_values,
    format_learned_schema,
    make_file_names,
    read_recordings,
)
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.definitions import ToolDefinition
from mcpgen.read.idle_settings import MAX_NAMED
from mcpgen.read.input_files import find_own_folder
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_next
from mcpgen.schema.values import Json, allow_deep_recursion, canonicalize
from mcpgen.words import NameGuesser


@dataclass(frozen=True)
class LearnRequest:
    """What schemas are learned from, and where they are written."""

    files: tuple[Path, ...]
    out: Path | None
    """Folder of the files, None for the one that the settings imply."""
    enums: frozenset[str]
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
        tools = [*self._propose_schemas(package_tools, recordings, folders)]
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

    def _propose_schemas(
        self, package_tools: PackageTools, recordings: Mapping[str, ToolRecording], folders: Mapping[str, Path]
    ) -> Iterator[LearnedTool]:
        names = make_file_names(recordings)
        inference = SchemaInference(self._request.enums)
        for tool, recording in recordings.items():
            checked = LearnedTool(
                tool, folders[tool], names[tool], recording, "", is_named(package_tools, tool, folders[tool])
            )
            if not recording.values and recording.unreadable and checked.is_named and checked.path.is_file():
                yield checked
                continue
            if not recording.values:
                message = f'nothing can be learned from the results of "{tool}": {format_left_out(recording)}'
                help = (
                    "record a call that succeeds and returns JSON; if none does, it needs no schema: read its content"
                )
                if recording.left_out[SEVERAL_BLOCKS]:
                    help = "a typed client reads `structuredContent`, or the JSON of a single content block"
                self._findings.warn("MG718", message, None, help)
                continue
            schema = inference.infer_schema([recorded.value for recorded in recording.values])
            yield replace(checked, text=format_learned_schema(tool, schema, len(recording.values)))


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


# --- files ------------------------------------------------------------------------------------------------------------
PackageTools = Sequence[tuple[ConfiguredPackage, Mapping[str, ToolDefinition]]]
"""Each package, and its tools by name."""
WRITTEN = "written"
UNCHANGED = "unchanged"


def read_package_tools(packages: Sequence[ConfiguredPackage]) -> PackageTools:
    """Return the tools that each package defines."""
    ignored = Findings()  # `build` reports mistakes in definitions
    return [(package, {tool.name: tool for tool in read_definitions(package, ignored).tools}) for package in packages]


def _list_owners(package_tools: PackageTools, name: str, folder: Path) -> list[ConfiguredPackage]:
    owners = [package for package, tools in package_tools if name in tools]
    place = resolve_path(folder)
    return [
        package for package in owners if resolve_path(find_own_folder([package], LEARNED_FOLDER)) == place
    ] or owners


def choose_folders(
    package_tools: PackageTools, names: Mapping[str, Span | None], out: Path | None, findings: Findings
) -> dict[str, Path]:
    """Return the folder for the schema of each tool; without one, and with an error, if it is open or outside."""
    if out is not None:
        return dict.fromkeys(names, out)
    packages = [package for package, _ in package_tools]
    if len(packages) <= 1:
        folder = check_folder(packages, find_own_folder(packages, LEARNED_FOLDER), findings)
        return {} if folder is None else dict.fromkeys(names, folder)
    chosen: dict[str, Path] = {}
    defined = [*dict.fromkeys(name for _, tools in package_tools for name in tools)]
    guesser = NameGuesser()
    for name, span in names.items():
        owners = [package for package, tools in package_tools if name in tools]
        folders = [*dict.fromkeys(find_own_folder([package], LEARNED_FOLDER) for package in owners)]
        if len(folders) == 1:
            if (folder := check_folder(packages, folders[0], findings)) is not None:
                chosen[name] = folder
            continue
        message = f'none of the {len(packages)} packages in the settings defines "{name}"'
        if folders:
            shown = [format_path(folder) for folder in folders]
            message = f'several packages define "{name}", so its schema could go to {join_words(shown, "or")}'
        help = f"choose one: --out {format_path(folders[0])}" if folders else _explain_undefined(name, defined, guesser)
        findings.error("MG302", message, span, help)
    return chosen


def _explain_undefined(name: str, defined: Sequence[str], guesser: NameGuesser) -> str:
    if close := guesser.guess(name, defined):
        return f'did you mean "{close}"? If not, pull it or write its definition first'
    more = ", …" if len(defined) > MAX_NAMED else ""
    known = f"they define {', '.join(defined[:MAX_NAMED])}{more}; " if defined else ""
    return f"{known}pull it or write its definition first; --out FOLDER writes the schemas of all tools there"


@dataclass(frozen=True)
class LearnedTool:
    """A tool with a proposed schema."""

    name: str
    folder: Path
    file: str
    recording: ToolRecording
    text: str
    """Empty if the results show no schema."""
    is_named: bool = False
    """Whether the settings give the tool an outputSchema, so that clients read its results with it."""

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.folder / self.file

    def describe(self, state: str) -> Json:
        """Return what the JSON document says of the tool; the state is what became of the file."""
        return {
            "name": self.name,
            "file": format_path(self.path),
            "results": len(self.recording.values),
            "leftOut": dict(self.recording.left_out),
            "state": state,
        }


def write_files(tools: Sequence[LearnedTool], limits: Limits, findings: Findings) -> dict[str, str] | None:
    """Write missing files and compare the others; return what became of each tool's, None if a folder is refused."""
    written: dict[Path, str] = {}
    for folder in dict.fromkeys(tool.folder for tool in tools):
        files = {tool.file: tool.text for tool in tools if tool.folder == folder and tool.text}
        try:
            plan = write.plan_and_apply(folder, partial(_plan_files, folder, files))
        except OSError as error:
            write.report_failure(error, folder, findings)
            return None
        for step in plan.steps:
            written[folder / step.path] = WRITTEN if step.action is Action.CREATE else UNCHANGED
    states: dict[str, str] = {}
    for tool in tools:
        state = written.get(tool.path)
        has_new_problem = state == UNCHANGED and tool.is_named and tool.recording.unreadable
        states[tool.name] = _compare_with_file(tool, limits, findings) if state is None or has_new_problem else state
    return states


def _plan_files(folder: Path, files: Mapping[str, str]) -> Plan:
    steps = [step for file, text in files.items() for step in plan_file(folder, file, text).steps]
    return Plan(folder, tuple(step for step in steps if step.action in (Action.KEEP, Action.CREATE)))


def _compare_with_file(tool: LearnedTool, limits: Limits, findings: Findings) -> str:
    """Compare a file that is there with the results: clients refuse what the settings' schema does not allow."""
    values = tool.recording.values
    refused = find_refused_values(tool.path, values, limits, findings)
    if refused is None:
        return "kept, but it is not a schema"
    unreadable = tool.recording.unreadable if tool.is_named else []
    if not refused and not unreadable:
        return f"kept, since it accepts {'the result' if len(values) == 1 else f'all {len(values)}'}"
    first_places: dict[tuple[str, str], Span] = {}
    for reason, span in unreadable:
        first_places.setdefault(("", reason), span)
    for value, violations in refused:
        for violation in violations:
            first_places.setdefault(violation, value.span)
    named = [
        f"{_format_source(span)}{f' at {shorten_text(pointer)}' if pointer else ''}: {shorten_text(text)}"
        for (pointer, text), span in [*first_places.items()][:MOST_VIOLATIONS]
    ]
    results = format_count(len(values) + len(unreadable), "recorded result")
    message = f"refuses {len(refused) + len(unreadable)} of {results}: {'; '.join(named)}"
    help = "correct it, or move it away and run this again: an existing file is never overwritten"
    if not tool.is_named:
        help = "no setting names it: if it is from an earlier run, delete it and run this again; else correct it"
    if unreadable:
        cause = "a typed client raises ResultError for an answer without structured content, unless it is one JSON text"
        help = cause if not refused else f"{help}; {cause}"
    findings.error("MG719", message, Span(format_path(tool.path)), help)
    return "kept, but it refuses recorded results"


def _format_source(span: Span) -> str:
    if not span.is_file:
        return f"an answer of {span.file}"
    return span.format_line()


def format_report(
    package_tools: PackageTools, tools: Sequence[LearnedTool], states: Mapping[str, str]
) -> Iterator[str]:
    """Yield what became of the file of each tool (`states`), and what to do next."""
    for tool in tools:
        results = format_count(len(tool.recording.values), "result")
        yield f"{format_path(tool.path)}: from {results}, {states[tool.name]}"
        if tool.recording.left_out:
            yield f"  left out: {format_left_out(tool.recording)}"
    declared = [tool for tool in tools if _is_declared(package_tools, tool)]
    if declared:
        names = ", ".join(tool.name for tool in declared)
        yield f"the definitions declare an outputSchema for {names}, so no setting can give another one"
        yield from _advise_replacement(package_tools, declared)
    packages = [package for package, _ in package_tools]
    unnamed = [tool for tool in tools if not tool.is_named and tool not in declared]
    if unnamed:
        yield from _format_settings(package_tools, unnamed)
    elif any(states[tool.name] == WRITTEN and _names_file(packages, tool) for tool in tools):
        yield from format_next("mcpgen", "build")


def _advise_replacement(package_tools: PackageTools, declared: Sequence[LearnedTool]) -> Iterator[str]:
    documents = [definition.document for tool in declared for definition in _list_definitions(package_tools, tool)]
    files = [document.path for document in documents if document is not None]
    if any(file.parent.name == PULLED_FOLDER for file in files):
        yield "  to replace one that says too little, annotate the return type and pull again,"
        yield "  or move the definition out of pulled/ and put the learned schema into it"
    if own := [format_path(file) for file in dict.fromkeys(files) if file.parent.name != PULLED_FOLDER]:
        yield f"  to replace one that says too little, put the learned schema into {', '.join(own)}"


def _is_declared(package_tools: PackageTools, tool: LearnedTool) -> bool:
    """Return whether the definition of a tool declares an outputSchema: `build` refuses the setting for it."""
    definitions = _list_definitions(package_tools, tool)
    return any(found.output is not None and not found.is_output_from_settings for found in definitions)


def _list_definitions(package_tools: PackageTools, tool: LearnedTool) -> list[ToolDefinition]:
    owners = _list_owners(package_tools, tool.name, tool.folder)
    return [tools[tool.name] for package, tools in package_tools if package in owners]


def is_named(package_tools: PackageTools, tool: str, folder: Path) -> bool:
    """Return whether the settings give a tool an outputSchema, in a package that a schema in a folder is for."""
    owners = _list_owners(package_tools, tool, folder) or [package for package, _ in package_tools]
    choices = [package.settings.tools.get(tool) for package in owners]
    return any(choice is not None and choice.output_schema is not None for choice in choices)


def _names_file(packages: Sequence[ConfiguredPackage], tool: LearnedTool) -> bool:
    choices = [(package.folder, package.settings.tools.get(tool.name)) for package in packages]
    named = [folder / choice.output_schema for folder, choice in choices if choice and choice.output_schema]
    return resolve_path(tool.path) in map(resolve_path, named)


def _format_settings(package_tools: PackageTools, tools: Sequence[LearnedTool]) -> Iterator[str]:
    packages = [package for package, _ in package_tools]
    base = packages[0].folder if packages else Path.cwd()
    project = base / "pyproject.toml"
    file = (packages[0].file if packages else None) or (project if project.is_file() else base / "mcpgen.toml")
    prefix = get_settings_path(file)
    yield f"next: read what was proposed, then add to {format_path(file)}"
    own_tables = {tool.name: _find_own_table(package_tools, tool) for tool in tools}
    for tool in tools:
        if own_tables[tool.name] is None:
            yield from _format_table((*prefix, "tools"), base, tool)
    for package, defined in package_tools:
        own = [tool for tool in tools if own_tables[tool.name] is package]
        if not own:
            continue
        header = format_header((*prefix, "package"), is_list=True)
        yield f"  below the {header} of {format_path(package.out)}, before the next one:"
        for tool in own:
            yield from _format_table((*prefix, "package", "tools"), base, tool)
        hidden = () if _has_own_tables(package) else [name for name in package.settings.tools if name in defined]
        if hidden:  # the package's first own table replaces them
            yield f"  and copy its other tables there, since it no longer has the shared ones: {', '.join(hidden)}"


def _find_own_table(package_tools: PackageTools, tool: LearnedTool) -> ConfiguredPackage | None:
    """Return the package whose table a setting belongs in: another has a tool of this name, or this has own tables."""
    if len(package_tools) <= 1:
        return None
    owners = _list_owners(package_tools, tool.name, tool.folder)
    is_shared_name = sum(tool.name in tools for _, tools in package_tools) > len(owners)
    own = [package for package in owners if is_shared_name or _has_own_tables(package)]
    return own[0] if own else None


def _has_own_tables(package: ConfiguredPackage) -> bool:
    return "tools" in package.settings.model_fields_set - package.shared


def _format_table(table: tuple[str, ...], base: Path, tool: LearnedTool) -> Iterator[str]:
    path = resolve_path(tool.folder) / tool.file
    relative = path.relative_to(resolve_path(base)) if path.is_relative_to(resolve_path(base)) else path
    yield f"  {format_header((*table, quote_text(tool.name)))}"
    yield f"  outputSchema = {quote_text(relative.as_posix())}"
    if any(item.is_structured and not isinstance(item.value, dict) for item in tool.recording.values):
        yield '  wrap = "legacy"'  # by default, results of pulled tools are read from `{"result": …}`


def format_left_out(recording: ToolRecording) -> str:
    """Return the reasons for which results were left out, each with their number."""
    return ", ".join(f"{reason} ({count})" for reason, count in sorted(recording.left_out.items()))

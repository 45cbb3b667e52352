"""Files of learned schemas: which are written, and what those say of recorded results that are there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mcpgen import write
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.error_messages import shorten_text
from mcpgen.learn.results import ToolRecording
from mcpgen.learn.schema_files import MOST_VIOLATIONS, find_refused_values
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.report.text import format_count

WRITTEN = "written"
UNCHANGED = "unchanged"


@dataclass(frozen=True)
class LearnedTool:
    """A tool with a proposed schema."""

    name: str
    folder: Path
    file: str
    """Name of the file in the folder."""
    recording: ToolRecording
    text: str
    """Empty if the results show no schema."""
    is_named: bool = False
    """Whether the settings give the tool an outputSchema, so that clients read its results with it."""

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.folder / self.file


def write_files(tools: Sequence[LearnedTool], limits: Limits, findings: Findings) -> dict[str, str] | None:
    """Write the files that are not there yet; return what became of that of each tool, by the tool's name.

    A file that is there stays as it is. If it refuses a recorded value, that is an error.

    Args:
        tools: the tools with a proposed schema.
        limits: the limits of files.
        findings: receives the errors.

    Returns:
        None, with an error, if a folder cannot be written to.
    """
    written: dict[Path, str] = {}
    for folder in dict.fromkeys(tool.folder for tool in tools):
        files = {tool.file: tool.text for tool in tools if tool.folder == folder and tool.text}
        try:
            plan = write.plan_and_apply(folder, partial(_plan_files, folder, files))
        except OSError as error:
            findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(folder)))
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
    """Return the plan of writing files into a folder, without those that are there with another text."""
    steps = [step for file, text in files.items() for step in plan_file(folder, file, text).steps]
    return Plan(folder, tuple(step for step in steps if step.action in (Action.KEEP, Action.CREATE)))


def _compare_with_file(tool: LearnedTool, limits: Limits, findings: Findings) -> str:
    """Return what a file that is there says of the recorded results; report those that it refuses.

    If the settings name a schema, clients refuse results that no schema can describe as well.
    """
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
    for value in refused:
        for violation in value.violations:
            first_places.setdefault(violation, value.recorded.span)
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
    """Return where a result is from: a line of a file, or a server."""
    if not span.is_file:
        return f"an answer of {span.file}"
    return f"{span.file}:{span.line}" if span.line else span.file

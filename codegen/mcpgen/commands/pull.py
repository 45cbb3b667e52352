"""A run of `mcpgen pull` as a person sees it: what was pulled, what its schemas leave open, what to do next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage, Limits, ToolChoice
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import journal, private_folders
from mcpgen.files.project_paths import find_project, is_within
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.drift import describe_counts
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.fetch import fetch_definitions
from mcpgen.introspect.lint import lint_output_schema
from mcpgen.introspect.pulled_file import find_pulled_folder, render_pulled_file, write_pulled_file
from mcpgen.introspect.server_address import format_server_address as shown_source
from mcpgen.introspect.server_address import make_server_name
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.names.identifiers import make_class_stem
from mcpgen.paths import format_path
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class PullRequest:
    """What to pull, and into which file; `name`: None for one made from the source."""

    question: ServerQuery
    name: str | None
    out: Path | None
    exclude: tuple[str, ...]
    force: bool


def pull_definitions(packages: LoadedPackages, wanted: PullRequest, output: CommandOutput) -> int:
    """Pull one server's definitions into its file, with a report for people; the exit code."""
    found, findings = packages
    data: dict[str, Json] = {}
    code = INVALID_INPUT if findings.failed else _pull_server(found, wanted, findings, output, data)
    return output.close(findings, code, lambda: data or None)


def _pull_server(
    packages: list[ConfiguredPackage],
    wanted: PullRequest,
    findings: Findings,
    output: CommandOutput,
    data: dict[str, Json],
) -> int:
    name = wanted.name or make_server_name(wanted.question.source)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name.endswith((".defs", ".json")):
        help = "letters, digits, dots, dashes and underscores; it becomes a file NAME.json"
        findings.error("MG701", "the name for the server's file is none", None, help)
        return INVALID_INPUT
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    advertised = fetch_definitions(wanted.question, wanted.exclude, limits, findings)
    if advertised is None:
        return INVALID_INPUT
    folder = wanted.out or find_pulled_folder(packages)
    roots = (packages[0].roots if packages else None) or (find_project(Path.cwd()),)
    if wanted.out is None and not is_within(folder, roots):
        help = "name it on the command line if that is meant: --out"
        findings.error("MG304", f"leads out of the project {format_path(roots[0])}", Span(format_path(folder)), help)
        return INVALID_INPUT
    server = shown_source(wanted.question.source)
    try:
        text_of_file = render_pulled_file(advertised, server, min(limits.file_size, 2 * limits.response_size))
    except IntrospectionError as error:
        findings.error(error.code, error.message, Span(server), error.help)
        return INVALID_INPUT
    private_folders.warn_unused_folders(findings, [journal.describe_state_problem()])
    plan = write_pulled_file(folder, name, text_of_file, wanted.force, findings)
    if plan is None:
        return INVALID_INPUT
    if plan.refused:
        return WRITE_REFUSED
    path = format_path(folder / f"{name}.json")
    choices = {name: choice for one in packages for name, choice in one.settings.tools.items()}
    tools = [_describe_tool(one, choices.get(str(one["name"]))) for one in advertised.tools]
    output.say(*_render_report(advertised, path, "written" if plan.changes else "unchanged", tools))
    data |= {"file": path, "protocol": advertised.protocol, "written": bool(plan.changes)}
    data |= {"tools": [{"name": one.name, "class": one.result, "remarks": [*one.remarks]} for one in tools]}
    return SUCCESS


@dataclass(frozen=True)
class _PulledTool:
    """A tool, the class that its handler is to return, and what there is to say of its schema."""

    name: str
    result: str | None
    without: str
    """Why it has no schema of its own; empty where it has one."""
    remarks: tuple[str, ...]


def _describe_tool(tool: dict[str, Json], choice: ToolChoice | None) -> _PulledTool:
    name = str(tool["name"])
    stem = make_class_stem(name, None if choice is None else choice.name)
    result = f"{stem}Result" if stem else None
    if "outputSchema" in tool:
        return _PulledTool(name, result, "", tuple(lint_output_schema(tool)))
    if choice is not None and choice.output_schema is not None:
        return _PulledTool(name, result, "no outputSchema, but the settings give it one", ())
    return _PulledTool(name, result, "no outputSchema; one can be given to it in the settings", ())


def _render_report(advertised: AdvertisedDefinitions, path: str, changed: str, tools: list[_PulledTool]) -> list[str]:
    lines = [f"{path}: {describe_counts(advertised)}, under {advertised.protocol}, {changed}"]
    for one in tools:
        line = f"  {one.name} -> {one.result}" if one.result else f"  {one.name}"
        lines += [f"{line}: {one.without}" if one.without else line, *(f"    {remark}" for remark in one.remarks)]
    if tools:
        lines.append(
            "next: `mcpgen build`; then, a tool at a time, its handler says that it returns the class named here"
        )
    return lines

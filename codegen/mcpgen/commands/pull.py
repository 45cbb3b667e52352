"""A run of `mcpgen pull` as a person sees it: what was pulled, what its schemas leave open, what to do next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mcpgen.config.models import Limits, Package, ToolChoice
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import journal, private_folders
from mcpgen.files.input_files import lies_in, project_of
from mcpgen.introspect.client import Question
from mcpgen.introspect.drift import words_of
from mcpgen.introspect.errors import CannotAsk
from mcpgen.introspect.fetch import asked
from mcpgen.introspect.lint import remarks
from mcpgen.introspect.pulled_file import file_text, folder_of, put
from mcpgen.introspect.server_address import name_of
from mcpgen.introspect.server_address import shown as shown_source
from mcpgen.introspect.validation import Advertised
from mcpgen.names.identifiers import class_stem
from mcpgen.paths import shown
from mcpgen.report.exit_codes import FINE, INPUT, REFUSED
from mcpgen.report.output import Output
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class Wanted:
    """What to pull, and into which file; `name`: None for one made from the source."""

    question: Question
    name: str | None
    out: Path | None
    exclude: tuple[str, ...]
    force: bool


def pull(packages: tuple[list[Package], Findings], wanted: Wanted, output: Output) -> int:
    """Pull one server's definitions into its file, with a report for people; the exit code."""
    found, findings = packages
    data: dict[str, Json] = {}
    code = INPUT if findings.failed else _pull(found, wanted, findings, output, data)
    return output.close(findings, code, lambda: data or None)


def _pull(packages: list[Package], wanted: Wanted, findings: Findings, output: Output, data: dict[str, Json]) -> int:
    name = wanted.name or name_of(wanted.question.source)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name.endswith((".defs", ".json")):
        help = "letters, digits, dots, dashes and underscores; it becomes a file NAME.json"
        findings.error("MG701", "the name for the server's file is none", None, help)
        return INPUT
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    advertised = asked(wanted.question, wanted.exclude, limits, findings)
    if advertised is None:
        return INPUT
    folder = wanted.out or folder_of(packages)
    roots = (packages[0].roots if packages else None) or (project_of(Path.cwd()),)
    if wanted.out is None and not lies_in(folder, roots):
        help = "name it on the command line if that is meant: --out"
        findings.error("MG304", f"leads out of the project {shown(roots[0])}", Span(shown(folder)), help)
        return INPUT
    server = shown_source(wanted.question.source)
    try:
        text_of_file = file_text(advertised, server, min(limits.file_size, 2 * limits.response_size))
    except CannotAsk as error:
        findings.error(error.code, error.message, Span(server), error.help)
        return INPUT
    private_folders.complain(findings, [journal.complaint()])
    plan = put(folder, name, text_of_file, wanted.force, findings)
    if plan is None:
        return INPUT
    if plan.refused:
        return REFUSED
    path = shown(folder / f"{name}.json")
    choices = {name: choice for one in packages for name, choice in one.settings.tools.items()}
    tools = [_tool(one, choices.get(str(one["name"]))) for one in advertised.tools]
    output.say(*_report(advertised, path, "written" if plan.changes else "unchanged", tools))
    data |= {"file": path, "protocol": advertised.protocol, "written": bool(plan.changes)}
    data |= {"tools": [{"name": one.name, "class": one.result, "remarks": [*one.remarks]} for one in tools]}
    return FINE


@dataclass(frozen=True)
class _Tool:
    """A tool, the class that its handler is to return, and what there is to say of its schema."""

    name: str
    result: str | None
    without: str
    """Why it has no schema of its own; empty where it has one."""
    remarks: tuple[str, ...]


def _tool(tool: dict[str, Json], choice: ToolChoice | None) -> _Tool:
    name = str(tool["name"])
    stem = class_stem(name, None if choice is None else choice.name)
    result = f"{stem}Result" if stem else None
    if "outputSchema" in tool:
        return _Tool(name, result, "", tuple(remarks(tool)))
    if choice is not None and choice.output_schema is not None:
        return _Tool(name, result, "no outputSchema, but the settings give it one", ())
    return _Tool(name, result, "no outputSchema; one can be given to it in the settings", ())


def _report(advertised: Advertised, path: str, changed: str, tools: list[_Tool]) -> list[str]:
    lines = [f"{path}: {words_of(advertised)}, under {advertised.protocol}, {changed}"]
    for one in tools:
        line = f"  {one.name} -> {one.result}" if one.result else f"  {one.name}"
        lines += [f"{line}: {one.without}" if one.without else line, *(f"    {remark}" for remark in one.remarks)]
    if tools:
        lines.append(
            "next: `mcpgen build`; then, a tool at a time, its handler says that it returns the class named here"
        )
    return lines

"""`mcpgen init`: write settings, a first schema and a first template, after questions on a terminal."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from mcpgen import write
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.project_requirements import declare_needs
from mcpgen.commands.scaffold import (
    CHOOSE_SDK,
    NEEDS_SDK,
    Project,
    ProjectChoices,
    StarterFiles,
    inspect_project,
    plan_starter_files,
    propose_choices,
    write_server_lines,
    write_starter_files,
)
from mcpgen.config.load import check_new_settings
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_next
from mcpgen.report.visible import escape_line
from mcpgen.targets import NO_SDK, SDK_NAMES


def run_init(
    folder: Path, options: dict[str, str | None], yes: bool, output: CommandOutput, handlers: bool = False
) -> int:
    """Begin a project in a folder and return the exit code; no file is overwritten.

    `options` are the choices of the command line by the names of `ProjectChoices`, None for those to propose. With
    `yes`, nothing is asked. With `handlers`, the handlers of the tools are written, too.
    """
    findings = Findings()
    try:
        project = inspect_project(folder)
        choices, reason = _make_choices(project, options, yes, handlers, findings, output)
        if findings.failed:
            return output.finish(findings, INVALID_INPUT)
        starter = plan_starter_files(project, choices, handlers)
        for path, (message, help) in starter.obstacles.items():
            findings.error("MG303", message, Span(format_path(folder / path)), f"nothing was written; {help}")
        if findings.failed:
            return output.finish(findings, WRITE_REFUSED)
        written_handlers = _write_files(project, starter, handlers, findings)
    except OSError as error:
        write.report_failure(error, Path(error.filename or folder), findings)
        return output.finish(findings, INVALID_INPUT)
    if findings.failed:
        output.finish(findings, INVALID_INPUT)
        output.print_summary("nothing was written", failed=True)
        return INVALID_INPUT
    declared = declare_needs(folder / choices.out, folder)
    written = [*starter.files, *(["pyproject.toml"] if starter.appended else []), *written_handlers]
    output.finish(findings, SUCCESS, lambda: {"written": [*written], **asdict(choices)})
    output.print_remark(
        *reason, *_describe_result(starter, choices), *declared, *(f"wrote {path}" for path in written_handlers)
    )
    if handlers:
        output.print_remark("after the build, this is a server that runs, such as server.py:")
        output.print_remark(*(f"  {line}" for line in write_server_lines(choices.sdk, folder / choices.out)))
    output.print_remark(*format_next("mcpgen", "build"))
    return SUCCESS


def _make_choices(
    project: Project,
    options: dict[str, str | None],
    yes: bool,
    handlers: bool,
    findings: Findings,
    output: CommandOutput,
) -> tuple[ProjectChoices, list[str]]:
    """Return the choices, and lines that say why the SDK was chosen, unless they are printed before a question."""
    choices = replace(propose_choices(project), **{name: value for name, value in options.items() if value})
    reason = [] if options["sdk"] else project.sdk.describe()
    asks = not yes and output.format == "text" and sys.stdin.isatty() and sys.stderr.isatty()
    _check_choices(project.folder, choices, handlers and not asks, findings)
    if not asks or findings.failed:
        return choices, reason
    output.print_remark(*reason)
    choices = _prompt_choices(choices, options)
    _check_choices(project.folder, choices, handlers, findings)
    return choices, []


def _write_files(project: Project, starter: StarterFiles, handlers: bool, findings: Findings) -> list[str]:
    with write_starter_files(project, starter) as created:
        written = _write_handlers(project.folder / starter.settings, findings) if handlers else []
        if not findings.failed:
            created.pop_all()
    return written


def _write_handlers(settings: Path, findings: Findings) -> list[str]:
    from mcpgen.commands.handlers import HandlersRequest, create_handlers, plan_handlers

    loaded = select_packages(settings, None)
    findings.extend(loaded.findings)
    planned = [plan_handlers(package, HandlersRequest(()), findings)[0] for package in loaded.packages]
    files = [file for file in planned if file is not None]
    return [format_path(path) for path, _ in files] if create_handlers(files, findings) else []


def _check_choices(folder: Path, choices: ProjectChoices, handlers: bool, findings: Findings) -> None:
    if handlers and choices.sdk == NO_SDK:
        findings.error("MG302", NEEDS_SDK, None, f"{CHOOSE_SDK}: --sdk")
        return
    settings = {"schemas": [choices.schemas], "out": choices.out, "sdk": choices.sdk}
    check_new_settings(folder, settings, findings)


def _prompt_choices(choices: ProjectChoices, options: dict[str, str | None]) -> ProjectChoices:
    from rich.console import Console
    from rich.prompt import Prompt
    from rich.text import Text

    class Question(Prompt):
        """Prompt that escapes its default, which may be the name of a folder."""

        def render_default(self, default: Any) -> Text:
            return Text(f"({escape_line(str(default))})", "prompt.default")

    questions = {
        "sdk": ("Whose CallToolResult the package returns", [*SDK_NAMES]),
        "out": ("Folder of the generated package", None),
        "schemas": ("Folder of the definitions", None),
    }
    console = Console(stderr=True)
    answers = {
        name: Question.ask(question, console=console, choices=allowed, default=getattr(choices, name))
        for name, (question, allowed) in questions.items()
        if not options[name]
    }
    return replace(choices, **answers)


def _describe_result(starter: StarterFiles, choices: ProjectChoices) -> list[str]:
    lines = [f"wrote {path}" for path in starter.files]
    lines += ["added [tool.mcpgen] to pyproject.toml"] * bool(starter.appended)
    if len(starter.files) < 2:
        lines.append(f"left {choices.schemas} as it is: it holds definitions already")
    lines.append(f"the package will be in {choices.out}; its settings are in {starter.settings}")
    return lines

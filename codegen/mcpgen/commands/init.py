"""`mcpgen init`: asks on a terminal, writes settings, a first schema and a first template, overwrites nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from mcpgen import write
from mcpgen.commands.scaffold import (
    Project,
    ProjectChoices,
    StarterFiles,
    inspect_project,
    plan_starter_files,
    propose_choices,
)
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.overrides import override_settings
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import escape_line
from mcpgen.schema.values import Json
from mcpgen.targets import SdkName


def init_project(folder: Path, given: dict[str, str | None], yes: bool, output: CommandOutput) -> int:
    """Begin a project: `given` are the choices of the command line; the exit code."""
    findings = Findings()
    try:
        found = inspect_project(folder)
        choices = replace(propose_choices(found), **{key: value for key, value in given.items() if value})
        if not _check_choices(choices, findings):
            return output.close(findings, INVALID_INPUT)
        if not yes and output.format == "text" and sys.stdin.isatty() and sys.stderr.isatty():
            choices = _prompt_choices(choices, given)
        made = plan_starter_files(found, choices)
        if made.in_the_way:
            for path, (message, help) in made.in_the_way.items():
                findings.error("MG303", message, Span(format_path(folder / path)), f"nothing was written; {help}")
            return output.close(findings, WRITE_REFUSED)
        _write_starter_files(found, made)
    except OSError as error:
        where = Span(format_path(Path(error.filename or folder)))
        findings.error("MG404", f"cannot be written: {error.strerror or error}", where)
        return output.close(findings, INVALID_INPUT)
    written = [*made.files, *(["pyproject.toml"] if made.appended else [])]
    output.close(findings, SUCCESS, lambda: _build_init_json(written, choices))
    output.say(*_describe_result(made, choices))
    return SUCCESS


def _check_choices(choices: ProjectChoices, findings: Findings) -> bool:
    defaults = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=Path.cwd())
    override_settings([defaults], [], {"sdk": choices.sdk}, findings)
    return not findings.failed


def _prompt_choices(choices: ProjectChoices, given: dict[str, str | None]) -> ProjectChoices:
    """The choices that the command line does not say, by the person at the terminal."""
    from rich.console import Console
    from rich.prompt import Prompt
    from rich.text import Text

    class Question(Prompt):
        """A question whose default, which may be a folder's name, is shown as all that comes from input."""

        def render_default(self, default: Any) -> Text:
            return Text(f"({escape_line(str(default))})", "prompt.default")

    questions = {
        "sdk": "Whose CallToolResult the package returns",
        "out": "Folder of the generated package",
        "schemas": "Folder of the definitions",
    }
    allowed = {"sdk": list(get_args(SdkName))}
    console = Console(stderr=True)
    answers = {
        name: Question.ask(question, console=console, choices=allowed.get(name), default=getattr(choices, name))
        for name, question in questions.items()
        if not given[name]
    }
    return replace(choices, **answers)


def _write_starter_files(found: Project, made: StarterFiles) -> None:
    write.create_files({found.folder / path: text for path, text in made.files.items()})
    if made.appended:
        write.append_text(found.folder / "pyproject.toml", made.appended)


def _build_init_json(written: list[str], choices: ProjectChoices) -> Json:
    files: list[Json] = [*written]
    return {"written": files, "sdk": choices.sdk, "out": choices.out, "schemas": choices.schemas}


def _describe_result(made: StarterFiles, choices: ProjectChoices) -> list[str]:
    lines = [f"wrote {path}" for path in made.files]
    lines += ["added [tool.mcpgen] to pyproject.toml"] * bool(made.appended)
    if len(made.files) < 2:
        lines.append(f"left {choices.schemas} as it is: it holds definitions already")
    lines.append(f"`mcpgen build` makes the package in {choices.out}; its settings are in {made.settings}")
    return lines

"""`mcpgen init`: asks on a terminal, writes settings, a first schema and a first template, overwrites nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from mcpgen import write
from mcpgen.commands.scaffold import Choices, Project, Start, project, proposal, start
from mcpgen.config.load import overridden
from mcpgen.config.models import Package, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import shown
from mcpgen.report.exit_codes import FINE, INPUT, REFUSED
from mcpgen.report.output import Output
from mcpgen.report.visible import visible
from mcpgen.schema.values import Json
from mcpgen.targets import Sdk


def init(folder: Path, given: dict[str, str | None], yes: bool, output: Output) -> int:
    """Begin a project: `given` are the choices of the command line; the exit code."""
    findings = Findings()
    try:
        found = project(folder)
        choices = replace(proposal(found), **{key: value for key, value in given.items() if value})
        if not _valid(choices, findings):
            return output.close(findings, INPUT)
        if not yes and output.format == "text" and sys.stdin.isatty() and sys.stderr.isatty():
            choices = _asked(choices, given)
        made = start(found, choices)
        if made.in_the_way:
            for path, (message, help) in made.in_the_way.items():
                findings.error("MG303", message, Span(shown(folder / path)), f"nothing was written; {help}")
            return output.close(findings, REFUSED)
        _write(found, made)
    except OSError as error:
        where = Span(shown(Path(error.filename or folder)))
        findings.error("MG404", f"cannot be written: {error.strerror or error}", where)
        return output.close(findings, INPUT)
    written = [*made.files, *(["pyproject.toml"] if made.appended else [])]
    output.close(findings, FINE, lambda: _data(written, choices))
    output.say(*_told(made, choices))
    return FINE


def _valid(choices: Choices, findings: Findings) -> bool:
    defaults = Package(settings=PackageSettings.model_validate({}), folder=Path.cwd())
    overridden([defaults], [], {"sdk": choices.sdk}, findings)
    return not findings.failed


def _asked(choices: Choices, given: dict[str, str | None]) -> Choices:
    """The choices that the command line does not say, by the person at the terminal."""
    from rich.console import Console
    from rich.prompt import Prompt
    from rich.text import Text

    class Question(Prompt):
        """A question whose default, which may be a folder's name, is shown as all that comes from input."""

        def render_default(self, default: Any) -> Text:
            return Text(f"({visible(str(default))})", "prompt.default")

    questions = {
        "sdk": "Whose CallToolResult the package returns",
        "out": "Folder of the generated package",
        "schemas": "Folder of the definitions",
    }
    allowed = {"sdk": list(get_args(Sdk))}
    console = Console(stderr=True)
    answers = {
        name: Question.ask(question, console=console, choices=allowed.get(name), default=getattr(choices, name))
        for name, question in questions.items()
        if not given[name]
    }
    return replace(choices, **answers)


def _write(found: Project, made: Start) -> None:
    write.create({found.folder / path: text for path, text in made.files.items()})
    if made.appended:
        write.append(found.folder / "pyproject.toml", made.appended)


def _data(written: list[str], choices: Choices) -> Json:
    files: list[Json] = [*written]
    return {"written": files, "sdk": choices.sdk, "out": choices.out, "schemas": choices.schemas}


def _told(made: Start, choices: Choices) -> list[str]:
    lines = [f"wrote {path}" for path in made.files]
    lines += ["added [tool.mcpgen] to pyproject.toml"] * bool(made.appended)
    if len(made.files) < 2:
        lines.append(f"left {choices.schemas} as it is: it holds definitions already")
    lines.append(f"`mcpgen build` makes the package in {choices.out}; its settings are in {made.settings}")
    return lines

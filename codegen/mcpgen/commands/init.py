"""`mcpgen init`: write settings that suit a project, a first schema and a first template, after questions."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mcpgen import write
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.project_requirements import declare_needs
from mcpgen.commands.sdk_choice import SdkChoice, choose_sdk
from mcpgen.config.load import check_new_settings, find_settings
from mcpgen.config.toml import MAX_SETTINGS_SIZE, parse_toml, quote_text
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.paths import format_path
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_next
from mcpgen.report.visible import escape_line
from mcpgen.schema.values import as_object
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
        from mcpgen.commands.handlers import write_server_lines

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
        from mcpgen.commands.handlers import CHOOSE_SDK, NEEDS_SDK

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


# --- files and settings -----------------------------------------------------------------------------------------------
EXAMPLE_TOOL = """\
{
  "name": "get_weather",
  "description": "The weather at a place right now.",
  "inputSchema": {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": false
  },
  "outputSchema": {
    "type": "object",
    "properties": {
      "temperature": {"type": "number", "description": "Degrees Celsius."},
      "conditions": {"type": "string"},
      "gusts": {"type": "number", "description": "Metres per second; only from stations that measure them."}
    },
    "required": ["temperature", "conditions"],
    "additionalProperties": false
  }
}
"""
EXAMPLE_TEMPLATE = """\
{{ conditions }}, {{ temperature }} °C
{%- if gusts is defined %}, gusts of {{ gusts }} m/s{% endif %}.
"""

DEFAULT_OUT = "generated"
"""Folder of the package that `mcpgen build` makes without settings."""
UNKNOWN_SDK = SdkChoice(NO_SDK, "nothing says which SDK the project uses")


@dataclass(frozen=True)
class Project:
    """Folder in which a project begins to use mcpgen."""

    folder: Path
    package: str = ""
    """Import name of the project's package; empty if unknown."""
    pyproject: str | None = None
    sdk: SdkChoice = UNKNOWN_SDK
    built: str = ""
    """Folder of a generated package that is there already; empty if there is none where packages are by default."""


@dataclass(frozen=True)
class ProjectChoices:
    """Settings to begin with."""

    sdk: str
    out: str
    schemas: str


@dataclass(frozen=True)
class PackageChoices:
    """Settings of one of several packages."""

    schemas: str
    out: str


@dataclass(frozen=True)
class StarterFiles:
    """Plan of `init`: what to write, and why it cannot be written."""

    files: dict[str, str]
    """Text of each new file, by path relative to the project."""
    appended: str
    """Text for the end of pyproject.toml; empty if that stays as it is."""
    settings: str
    obstacles: dict[str, tuple[str, str]]
    """Message and help for each path that prevents writing."""


def inspect_project(folder: Path) -> Project:
    """Read a folder's pyproject.toml, unless it is invalid, and find the SDK of its project; raise `OSError`."""
    file, built_for = folder / "pyproject.toml", read_package_sdk(folder / DEFAULT_OUT)  # built without settings
    sdk = choose_sdk(folder) if built_for is None else SdkChoice(built_for, f"{DEFAULT_OUT} was built for it")
    project = Project(folder, sdk=sdk, built="" if built_for is None else DEFAULT_OUT)
    if not file.is_file():
        return project
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8")
        table = as_object(parse_toml(text).get("project"))
    except ValueError:
        return project
    return replace(project, package=_guess_import_name(str(table.get("name", ""))), pyproject=text)


def propose_choices(project: Project) -> ProjectChoices:
    """Return the settings that suit a project."""
    return ProjectChoices(project.sdk.sdk, project.built or _guess_out_folder(project), "schemas")


def plan_starter_files(project: Project, choices: ProjectChoices, handlers: bool = False) -> StarterFiles:
    """Plan what to write. Existing settings are an obstacle; if there are definitions already, none are added."""
    files: dict[str, str] = {}
    if not _has_definitions(project.folder / choices.schemas):
        files[f"{choices.schemas}/get_weather.json"] = EXAMPLE_TOOL
        files[f"{choices.schemas}/get_weather.content.j2"] = EXAMPLE_TEMPLATE
    settings = plan_settings(project, choices)
    files |= settings.files
    obstacles = _find_obstacles(project, choices, files)
    if handlers:
        from mcpgen.commands.handlers import DEFAULT_FILE

        handlers_file = (Path(choices.out).parent / DEFAULT_FILE).as_posix()
        if os.path.lexists(project.folder / handlers_file):
            obstacles[handlers_file] = ("is there already", "move it away, or leave out --handlers")
    return replace(settings, files=files, obstacles=obstacles)


def plan_settings(project: Project, choices: ProjectChoices, packages: Sequence[PackageChoices] = ()) -> StarterFiles:
    """Plan the settings, in pyproject.toml if they can be appended; of several packages, `choices` has the SDK."""
    if appended := _make_settings_table(project.pyproject, _render_table(choices, packages, "tool.mcpgen.")):
        return StarterFiles({}, appended, "pyproject.toml", {})
    return StarterFiles({"mcpgen.toml": _render_table(choices, packages, "")}, "", "mcpgen.toml", {})


def _render_table(choices: ProjectChoices, packages: Sequence[PackageChoices], prefix: str) -> str:
    sdk = f"sdk = {quote_text(choices.sdk)}\n"
    if not packages:
        return f"schemas = [{_quote_path(choices.schemas)}]\nout = {_quote_path(choices.out)}\n{sdk}"
    return sdk + "".join("\n".join(["", *list_table_lines(package, prefix), ""]) for package in packages)


def list_table_lines(package: PackageChoices, prefix: str) -> list[str]:
    """Return the lines of the settings of one of several packages; `prefix` stands before the name of the table."""
    schemas, out = map(_quote_path, (package.schemas, package.out))
    return [f"[[{prefix}package]]", f"schemas = [{schemas}]", f"out = {out}"]


def write_starter_files(project: Project, starter: StarterFiles) -> ExitStack:
    """Write what was planned, or nothing and raise `OSError`; what is returned removes it again when it is closed."""
    addition = (project.folder / "pyproject.toml", starter.appended) if starter.appended else None
    return write.create_files({project.folder / path: text for path, text in starter.files.items()}, addition)


def _find_obstacles(project: Project, choices: ProjectChoices, new_files: Iterable[str]) -> dict[str, tuple[str, str]]:
    folder = project.folder
    taken = ("is there already", "move it away, or choose another folder")
    obstacles: dict[str, tuple[str, str]] = {path: taken for path in new_files if (folder / path).exists()}
    settings = find_settings(folder)
    if settings is not None and settings.parent == folder:
        obstacles[settings.name] = ("holds settings of mcpgen already", "go on with `mcpgen build`")
    schemas = folder / choices.schemas
    if schemas.is_file() and schemas.suffix not in DEFINITION_SUFFIXES:
        obstacles[choices.schemas] = (
            "is not a folder",
            "move it away, or choose a folder for the definitions: --schemas",
        )
    if resolve_path(folder / choices.out) == resolve_path(schemas):
        obstacles[choices.out] = ("would hold definitions and package", "choose a folder for each: --schemas, --out")
    init = f"{choices.out}/__init__.py"
    if _is_foreign(folder / init):
        obstacles[init] = ("is not mcpgen's", "choose a folder for the generated package alone: --out")
    return obstacles


def _guess_import_name(name: str) -> str:
    identifier = re.sub(r"\W+", "_", name.strip(), flags=re.ASCII).strip("_").lower()
    return f"_{identifier}" if identifier[:1].isdigit() else identifier


def _guess_out_folder(project: Project) -> str:
    if not project.package:
        return DEFAULT_OUT
    folder = project.folder
    for base in (f"src/{project.package}", project.package):
        if (folder / base / "__init__.py").is_file():
            return f"{base}/mcp_gen"
    is_flat = not (folder / "src").is_dir()
    packages = [path.parent for path in sorted(folder.glob("*/__init__.py" if is_flat else "src/*/__init__.py"))]
    packages = [path for path in packages if path.name not in ("tests", "test", "docs", "scripts", "examples")]
    if len(packages) == 1:
        return f"{packages[0].relative_to(folder).as_posix()}/mcp_gen"
    if not is_flat:
        return f"src/{project.package}/mcp_gen"
    if any(folder.glob("*.py")):
        return "mcp_gen"
    return f"{project.package}/mcp_gen" if (folder / project.package).is_dir() else DEFAULT_OUT


def _make_settings_table(pyproject: str | None, table: str) -> str:
    if pyproject is None:
        return ""
    gap = "" if not pyproject else "\n" if pyproject.endswith("\n") else "\n\n"
    appended = f"{gap}[tool.mcpgen]\n{table}"
    if "\r\n" in pyproject:
        appended = appended.replace("\n", "\r\n")
    try:
        parse_toml(pyproject + appended)
    except ValueError:  # `tool` is an inline table
        return ""
    return appended


def _is_foreign(file: Path) -> bool:
    if not os.path.lexists(file):
        return False
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8", "replace")
    except OSError:  # it is not a regular file, or larger than any that mcpgen writes under this name
        return True
    return detect_owner(file.name, text) is Owner.FOREIGN


def _has_definitions(folder: Path) -> bool:
    return folder.is_file() or any(path.suffix in DEFINITION_SUFFIXES for path in folder.rglob("*"))


def _quote_path(path: str) -> str:
    # settings are committed, so every system has to read them
    return quote_text(path.replace("\\", "/") if sys.platform == "win32" else path)

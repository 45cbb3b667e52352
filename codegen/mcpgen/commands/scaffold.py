"""Settings that suit a project, and the files that `mcpgen init` would write there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import write
from mcpgen.commands.sdk_choice import SdkChoice, choose_sdk
from mcpgen.config.load import find_settings
from mcpgen.config.toml import MAX_SETTINGS_SIZE, parse_toml, quote_text
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.files.project_paths import find_import_name, resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.schema.values import as_object
from mcpgen.targets import NO_SDK, SDK_NAMES, get_sdk

DEFAULT_FILE = "handlers.py"
NEEDS_SDK = "handlers are bound by packages for an SDK"
"""Message if a package is for no SDK."""
SDKS_OF_HANDLERS = tuple(name for name in SDK_NAMES if name != NO_SDK)
CHOOSE_SDK = f"choose one of {', '.join(SDKS_OF_HANDLERS)}"


def write_server_lines(sdk_name: str, out: Path) -> list[str]:
    """Return the lines of a server that binds the handlers beside a package."""
    sdk = get_sdk(sdk_name)
    assert sdk is not None
    coroutine = sdk.run_coroutine
    return [
        *(["import asyncio"] if coroutine is not None else []),
        f"from {sdk.server_module} import {sdk.server_class}",
        f"from {find_import_name(out)} import bind",
        f"from {find_import_name((out.parent / DEFAULT_FILE).with_suffix(''))} import bind_handlers",
        f'server = {sdk.server_class}("my-server")',
        "bind_handlers(bind(server))",
        "server.run()" if coroutine is None else f"asyncio.run(server.{coroutine}())",
    ]


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
    handlers_file = (Path(choices.out).parent / DEFAULT_FILE).as_posix()
    if handlers and os.path.lexists(project.folder / handlers_file):
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

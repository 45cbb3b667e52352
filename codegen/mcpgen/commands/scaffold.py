"""Settings that suit a project, and the files that `mcpgen init` would write there."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mcpgen.config.load import find_settings
from mcpgen.config.toml_parser import parse_toml
from mcpgen.config.toml_positions import MAX_SETTINGS_SIZE
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.targets import NO_SDK, SDK_DISTRIBUTION, SDKS

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


@dataclass(frozen=True)
class Project:
    """Folder in which a project begins to use mcpgen."""

    folder: Path
    package: str = ""
    """Import name of the project's package; empty if unknown."""
    dependencies: tuple[str, ...] = ()
    """Requirements, such as `mcp>=2`."""
    pyproject: str | None = None
    """Text of its pyproject.toml."""


@dataclass(frozen=True)
class ProjectChoices:
    """Settings to begin with."""

    sdk: str
    out: str
    schemas: str


@dataclass(frozen=True)
class StarterFiles:
    """Plan of `init`: what to write, and why it cannot be written."""

    files: dict[str, str]
    """Text of each new file, by path relative to the project."""
    appended: str
    """Text for the end of pyproject.toml; empty if that stays as it is."""
    settings: str
    """Name of the file with the settings."""
    obstacles: dict[str, tuple[str, str]]
    """Message and help for each path that prevents writing."""


def inspect_project(folder: Path) -> Project:
    """Read a folder's pyproject.toml; one that is invalid is ignored.

    Raises:
        OSError: it cannot be read.
    """
    file = folder / "pyproject.toml"
    if not file.is_file():
        return Project(folder)
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8")
        metadata: Any = parse_toml(text).get("project", {})
    except ValueError:
        return Project(folder)
    table = cast(dict[str, Any], metadata if isinstance(metadata, dict) else {})
    requirements: Any = table.get("dependencies", [])
    dependencies = tuple(map(str, requirements)) if isinstance(requirements, list) else ()  # pyright: ignore
    return Project(folder, _guess_import_name(str(table.get("name", ""))), dependencies, text)


def propose_choices(project: Project) -> ProjectChoices:
    """Return the settings that suit a project."""
    return ProjectChoices(_guess_sdk(project.dependencies), _guess_out_folder(project), "schemas")


def plan_starter_files(project: Project, choices: ProjectChoices) -> StarterFiles:
    """Plan what to write. Existing settings are an obstacle; if there are definitions already, none are added."""
    schemas, out, sdk = (_quote_toml(_use_slashes(value)) for value in (choices.schemas, choices.out, choices.sdk))
    table = f"schemas = [{schemas}]\nout = {out}\nsdk = {sdk}\n"
    files: dict[str, str] = {}
    if not _has_definitions(project.folder / choices.schemas):
        files[f"{choices.schemas}/get_weather.json"] = EXAMPLE_TOOL
        files[f"{choices.schemas}/get_weather.content.j2"] = EXAMPLE_TEMPLATE
    appended = _make_settings_table(project.pyproject, table)
    if not appended:
        files["mcpgen.toml"] = table
    obstacles = _find_obstacles(project, choices, files)
    return StarterFiles(files, appended, "pyproject.toml" if appended else "mcpgen.toml", obstacles)


def _find_obstacles(project: Project, choices: ProjectChoices, new_files: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the message and the help for each path that prevents writing."""
    folder = project.folder
    obstacles = {
        path: ("is there already", "move it away, or choose another folder")
        for path in new_files
        if (folder / path).exists()
    }
    settings = find_settings(folder)
    if settings is not None and settings.parent == folder:
        obstacles[settings.name] = ("holds settings of mcpgen already", "go on with `mcpgen build`")
    schemas = folder / choices.schemas
    if schemas.is_file() and schemas.suffix not in DEFINITION_SUFFIXES:
        help = "move it away, or choose a folder for the definitions: --schemas"
        obstacles[choices.schemas] = ("is not a folder", help)
    if resolve_path(folder / choices.out) == resolve_path(schemas):
        obstacles[choices.out] = ("would hold definitions and package", "choose a folder for each: --schemas, --out")
    init = f"{choices.out}/__init__.py"
    if _is_foreign(folder / init):
        obstacles[init] = ("is not mcpgen's", "choose a folder for the generated package alone: --out")
    return obstacles


def _guess_import_name(name: str) -> str:
    """Return the import name that a project of this name most likely has."""
    identifier = re.sub(r"\W+", "_", name.strip(), flags=re.ASCII).strip("_").lower()
    return f"_{identifier}" if identifier[:1].isdigit() else identifier


def _guess_sdk(dependencies: Iterable[str]) -> str:
    """Return the SDK that a project depends on; the official one, which others bring along, counts last."""
    parsed = [re.match(r"\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?([^;]*)", dependency) for dependency in dependencies]
    requirements = [(re.sub(r"[._-]+", "-", match[1]).lower(), match[2]) for match in parsed if match]
    for sdk in sorted(SDKS, key=lambda sdk: (SDK_DISTRIBUTION in sdk.distributions, not sdk.majors)):
        for name, versions in requirements:
            if name in (*sdk.distributions, *sdk.installed_as) and _is_pinned(versions, sdk.majors):
                return sdk.name
    return NO_SDK


def _is_pinned(versions: str, majors: Sequence[int]) -> bool:
    """Check whether a requirement allows no major version but these; any requirement will do if there are none."""
    if not majors:
        return True
    below = "|".join(str(major + 1) for major in majors)
    equal = "|".join(str(major) for major in majors)
    return re.search(rf"(<\s*({below})|(==|~=)\s*({equal}))(\.|\s|,|$)", versions) is not None


def _guess_out_folder(project: Project) -> str:
    """Return a folder next to the project's own modules."""
    if not project.package:
        return "generated"
    folder = project.folder
    for base in (f"src/{project.package}", project.package):
        if (folder / base / "__init__.py").is_file():
            return f"{base}/mcp_gen"
    is_flat = not (folder / "src").is_dir()
    packages = [path.parent for path in sorted(folder.glob("*/__init__.py" if is_flat else "src/*/__init__.py"))]
    packages = [path for path in packages if path.name not in ("tests", "test", "docs", "scripts", "examples")]
    if len(packages) == 1:
        return f"{packages[0].relative_to(folder).as_posix()}/mcp_gen"
    if is_flat and any(folder.glob("*.py")):
        return "mcp_gen"
    return f"src/{project.package}/mcp_gen"


def _make_settings_table(pyproject: str | None, table: str) -> str:
    """Return the text to append to a pyproject.toml; empty if there is none, or nothing can be appended to it."""
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


def _use_slashes(path: str) -> str:
    """Return a path as every system reads it, since settings are committed."""
    return path.replace("\\", "/") if sys.platform == "win32" else path


def _quote_toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

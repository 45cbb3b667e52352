"""What `mcpgen init` proposes for a project and the files that it would write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from mcpgen.config.load import find_settings
from mcpgen.config.toml_parser import parse_toml
from mcpgen.config.toml_positions import MAX_SETTINGS_SIZE
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.targets import SdkName

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
DEFINITION_FILE_SUFFIXES = (".json", ".yaml", ".yml")


@dataclass(frozen=True)
class Project:
    """A folder, the import name of what is in it (empty: not known), what it depends on, its pyproject.toml."""

    folder: Path
    package: str = ""
    dependencies: tuple[str, ...] = ()
    pyproject: str | None = None


@dataclass(frozen=True)
class ProjectChoices:
    """The settings to begin with."""

    sdk: str
    out: str
    schemas: str


@dataclass(frozen=True)
class StarterFiles:
    """The files to create, what to put at the end of pyproject.toml, and what stands in the way."""

    files: dict[str, str]
    appended: str
    settings: str
    in_the_way: dict[str, tuple[str, str]]
    """Why a file is, and what to do."""


def inspect_project(folder: Path) -> Project:
    """What a folder's pyproject.toml says of it; one that is not valid TOML is as good as none.

    Raises:
        OSError: it cannot be read.
    """
    file = folder / "pyproject.toml"
    if not file.is_file():
        return Project(folder)
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8")
        table: Any = parse_toml(text).get("project", {})
    except ValueError:
        return Project(folder)
    held = cast(dict[str, Any], table if isinstance(table, dict) else {})
    given: Any = held.get("dependencies", [])
    dependencies = tuple(str(one) for one in given) if isinstance(given, list) else ()  # pyright: ignore
    return Project(folder, _guess_import_name(str(held.get("name", ""))), dependencies, text)


def propose_choices(project: Project) -> ProjectChoices:
    """The settings that suit a project."""
    return ProjectChoices(_guess_sdk(project.dependencies), _guess_out_folder(project), "schemas")


def plan_starter_files(project: Project, choices: ProjectChoices) -> StarterFiles:
    """What to write. Settings that exist are in the way, definitions that exist are left as they are."""
    schemas, out, sdk = (_quote_toml(value) for value in (choices.schemas, choices.out, choices.sdk))
    table = f"schemas = [{schemas}]\nout = {out}\nsdk = {sdk}\n"
    files: dict[str, str] = {}
    if not _has_definitions(project.folder / choices.schemas):
        files[f"{choices.schemas}/get_weather.json"] = EXAMPLE_TOOL
        files[f"{choices.schemas}/get_weather.content.j2"] = EXAMPLE_TEMPLATE
    appended = _make_appendix(project.pyproject, table)
    if not appended:
        files["mcpgen.toml"] = table
    standing = {
        path: ("is there already", "move it away, or choose another folder")
        for path in files
        if (project.folder / path).exists()
    }
    held = find_settings(project.folder)
    if held is not None and held.parent == project.folder:
        standing[held.name] = ("holds settings of mcpgen already", "go on with `mcpgen build`")
    given = project.folder / choices.schemas
    if given.is_file() and given.suffix not in DEFINITION_FILE_SUFFIXES:
        standing[choices.schemas] = ("is no folder", "move it away, or choose a folder for the definitions: --schemas")
    if resolve_path(project.folder / choices.out) == resolve_path(given):
        standing[choices.out] = ("would hold definitions and package", "choose a folder for each: --schemas, --out")
    init = f"{choices.out}/__init__.py"
    if _is_foreign(project.folder / init):
        standing[init] = ("is not mcpgen's", "choose a folder for the generated package alone: --out")
    return StarterFiles(files, appended, "pyproject.toml" if appended else "mcpgen.toml", standing)


def _guess_import_name(name: str) -> str:
    """A project's name as the import name that it most likely has."""
    made = re.sub(r"\W+", "_", name.strip(), flags=re.ASCII).strip("_").lower()
    return f"_{made}" if made[:1].isdigit() else made


def _guess_sdk(dependencies: Iterable[str]) -> str:
    """The SDK that a project depends on: `fastmcp` for fastmcp, a name with a number for that major version only."""
    parsed = [re.match(r"\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?([^;]*)", one) for one in dependencies]
    wanted = [(re.sub(r"[._-]+", "-", one[1]).lower(), one[2]) for one in parsed if one]
    for sdk in sorted(get_args(SdkName), key=len, reverse=True):
        base, major = sdk.rstrip("0123456789"), sdk[len(sdk.rstrip("0123456789")) :]
        for name, versions in wanted:
            pinned = not major or re.search(rf"(<\s*{int(major) + 1}|(==|~=)\s*{major})(\.|\s|,|$)", versions)
            if name in (base, f"{base}-mcp") and pinned:
                return str(sdk)
    return "none"


def _guess_out_folder(project: Project) -> str:
    """Beside the project's own modules, wherever these are."""
    if not project.package:
        return "generated"
    folder = project.folder
    for base in (f"src/{project.package}", project.package):
        if (folder / base / "__init__.py").is_file():
            return f"{base}/mcp_gen"
    flat = not (folder / "src").is_dir()
    found = [path.parent for path in sorted(folder.glob("*/__init__.py" if flat else "src/*/__init__.py"))]
    found = [path for path in found if path.name not in ("tests", "test", "docs", "scripts", "examples")]
    if len(found) == 1:
        return f"{found[0].relative_to(folder).as_posix()}/mcp_gen"
    if flat and any(folder.glob("*.py")):
        return "mcp_gen"
    return f"src/{project.package}/mcp_gen"


def _make_appendix(pyproject: str | None, table: str) -> str:
    """What to put at the end of a pyproject.toml; empty where there is none, or none that can be added to."""
    if pyproject is None:
        return ""
    gap = "" if not pyproject else "\n" if pyproject.endswith("\n") else "\n\n"
    added = f"{gap}[tool.mcpgen]\n{table}"
    if "\r\n" in pyproject:
        added = added.replace("\n", "\r\n")
    try:
        parse_toml(pyproject + added)
    except ValueError:  # `tool` is an inline table
        return ""
    return added


def _is_foreign(file: Path) -> bool:
    if not os.path.lexists(file):
        return False
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8", "replace")
    except OSError:  # it is no regular file, or larger than any that mcpgen writes under this name
        return True
    return detect_owner(file.name, text) is Owner.FOREIGN


def _has_definitions(folder: Path) -> bool:
    """Whether there are definitions already."""
    return folder.is_file() or any(path.suffix in DEFINITION_FILE_SUFFIXES for path in folder.rglob("*"))


def _quote_toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

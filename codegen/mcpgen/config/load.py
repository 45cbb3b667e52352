"""Find the settings file, read it, and return the packages that it describes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from mcpgen import paths
from mcpgen.config.models import ConfiguredPackage, PackageSettings, Settings, StrictModel
from mcpgen.config.toml import (
    MAX_SETTINGS_SIZE,
    InvalidToml,
    KeyPositions,
    get_settings_path,
    parse_toml,
    read_settings_bytes,
)
from mcpgen.config.validation import validate_table
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.looks import exists, is_file, is_link
from mcpgen.files.project_paths import find_project, is_within, resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.files.text_problems import CONFLICT_HELP, explain_encoding, find_merge_conflict

SETTINGS_FILES = ("mcpgen.toml", "pyproject.toml")
"""Names of settings files; the first one wins."""


def find_settings(start: Path) -> Path | None:
    """Return the settings file of a folder: the nearest mcpgen.toml, or pyproject.toml with `[tool.mcpgen]`.

    The search ends at the top of a project: a folder with pyproject.toml or `.git`.
    """
    for folder in (start, *start.parents):
        if is_file(settings := folder / "mcpgen.toml"):
            return settings
        project = folder / "pyproject.toml"
        if is_file(project) and _mentions_mcpgen(read_settings_bytes(project)):
            return project
        if is_file(project) or exists(folder / ".git"):
            return None
    return None


def warn_about_unread_table(file: Path | None, start: Path, findings: Findings) -> None:
    """Warn about the first table in pyproject.toml that looks like settings and is not read, also beside mcpgen.toml.

    Without a settings file, the nearest pyproject.toml is searched, from `start` on.
    """
    folders = (start, *start.parents)
    project = file or next((path for folder in folders if is_file(path := folder / "pyproject.toml")), None)
    if project is not None and project.name == "mcpgen.toml":
        project = project.parent / "pyproject.toml"
    if project is None or project.name != "pyproject.toml" or not is_file(project):
        return
    text = read_settings_bytes(project).decode("utf-8", "replace")
    if file is not None and file.name != project.name:
        if (own := _OWN_TABLE.search(text)) is not None:
            span = Span(paths.format_path(project), text.count("\n", 0, own.start()) + 1, 1, "", own[0])
            message = f"[tool.mcpgen] is not read, since there is {file.name}"
            findings.warn("MG302", message, span, "move the settings into one file")
        return
    for number, line in enumerate(text.split("\n"), 1):
        if (header := _MISNAMED_TABLE.match(line)) is not None:
            default = ", so the defaults apply" if file is None else ""
            help = "write the settings in [tool.mcpgen]"
        elif (header := _MISPLACED_TABLE.match(line)) is not None:
            default, help = "", f"in pyproject.toml, it is {header[1]}tool.mcpgen.{header[2]}{header[3]}"
        else:
            continue
        span = Span(paths.format_path(project), number, header.start(2) + 1, "", line)
        findings.warn("MG302", f"the table {header[1]}{header[2]}{header[3]} is not read{default}", span, help)
        return


_OWN_TABLE = re.compile(r"^\[+[ \t]*tool\.mcpgen\b.*$", re.MULTILINE)
_MISNAMED_TABLE = re.compile(r"^\s*(\[)((?:mcpgen|mcp-gen|mcp_gen)|tool\.(?:mcp-gen|mcp_gen|MCPGen|Mcpgen))(\])")
_TABLES = ["package"] + [
    field.alias or key
    for key, field in PackageSettings.model_fields.items()
    if isinstance(field.get_default(), dict | StrictModel)
]
_MISPLACED_TABLE = re.compile(rf"^\s*(\[\[?)((?:{'|'.join(_TABLES)})(?:\.[^\[\]]+)?)(\]\]?)")
"""A table as in mcpgen.toml: at the top of pyproject.toml, there are no tables of these names."""


def load_packages(file: Path | None, start: Path, findings: Findings) -> list[ConfiguredPackage]:
    """Return the packages that a settings file describes; without a file, one in `start` with the defaults.

    A package with wrong settings is reported and left out.
    """
    if file is None:
        defaults = PackageSettings.model_validate({})
        return [ConfiguredPackage(settings=defaults, folder=start, roots=(find_project(start),))]
    name, roots = paths.format_path(file), (find_project(file.parent),)
    text = _read_text(file, name, roots, findings)
    table: Any = None if text is None else _parse_text(text, file, name, findings)
    if text is None or table is None:
        return []
    path = get_settings_path(file)
    positions = KeyPositions(name, text, path)
    for key in path:
        table = cast(dict[str, Any], table).get(key, {}) if isinstance(table, dict) else table
    if not isinstance(table, dict):
        help = "write [tool.mcpgen] with keys below it"
        findings.error("MG302", "the settings must be a table", positions.locate(()), help)
        return []
    make_package = partial(ConfiguredPackage, folder=file.parent, file=file, roots=roots)
    return _validate_packages(cast(dict[str, Any], table), positions, make_package, findings)


def locate_setting(package: ConfiguredPackage, path: tuple[str | int, ...]) -> Span | None:
    """Return the span of a key in the settings file of a package, None when there is no file.

    Of several packages, each has its own keys in its `[[package]]` table, and shares those before the first one.
    """
    if package.positions is None:
        return None
    is_shared = not package.shared.isdisjoint(path[:1])
    return package.positions.locate(path if is_shared else (*package.table, *path))


def _validate_packages(
    table: dict[str, Any], positions: KeyPositions, make_package: Callable[..., ConfiguredPackage], findings: Findings
) -> list[ConfiguredPackage]:
    settings = validate_table(Settings, table, positions, (), findings)
    if settings is None:
        return []
    if not settings.package:
        explicit = settings.model_dump(by_alias=True, exclude={"package"}, exclude_unset=True)
        return [make_package(settings=PackageSettings.model_validate(explicit))]
    defaults = {key: value for key, value in table.items() if key != "package"}
    packages: list[ConfiguredPackage] = []
    for index, own in enumerate(settings.package):
        path, shared = ("package", index), frozenset(defaults.keys() - own.keys())
        own_settings = validate_table(PackageSettings, {**defaults, **own}, positions, path, findings)
        if own_settings is not None:
            packages.append(make_package(settings=own_settings, table=path, shared=shared))
    return packages


def _read_text(file: Path, name: str, roots: tuple[Path, ...], findings: Findings) -> str | None:
    if is_link(file) and not is_within(file, roots):
        help = f"name the file itself: --config {resolve_path(file).as_posix()}"
        findings.error("MG304", "is a link out of the project", Span(name), help)
        return None
    try:
        return read_input(file, MAX_SETTINGS_SIZE).decode("utf-8-sig")  # some editors on Windows write a BOM
    except OSError as error:
        help = "" if exists(file) else "correct the path after --config, or leave it out; `mcpgen init` writes settings"
        findings.error("MG301", f"cannot be read: {error.strerror}", Span(name), help)
    except UnicodeDecodeError as error:
        message, help = explain_encoding(error.object)
        findings.error("MG301", message, Span(name), help)
    return None


def _parse_text(text: str, file: Path, name: str, findings: Findings) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except InvalidToml as error:
        may_quote = resolve_path(file).suffix == ".toml"  # a link can lead to any file, which no message may quote
        lines = text.split("\n") if may_quote else []
        if (conflict := find_merge_conflict(text)) is not None:
            span = Span(name, conflict.first_line, 1, "", "".join(lines[conflict.first_line - 1 : conflict.first_line]))
            findings.error("MG301", str(conflict), span, CONFLICT_HELP)
            return None
        line = "".join(lines[error.line - 1 : error.line])
        help = _suggest_toml_fix(line[error.column - 1 :])
        span = Span(name, error.line, error.column, "", line)
        findings.error("MG301", f"not valid TOML: {error.message}", span, help)
    return None


def _suggest_toml_fix(rest: str) -> str:
    if re.match(r"(True|False)\b", rest):
        return f"write {rest[:5].strip().lower()}"
    if re.match(r"(none|None|null)\b", rest):
        return "TOML has no null: leave the key out"
    if re.match(r"[A-Za-z_./]", rest):
        return 'put a text into quotes: out = "generated"'
    return ""


def _mentions_mcpgen(data: bytes) -> bool:
    """Return whether a pyproject.toml has a table for mcpgen, or looks like it if it cannot be parsed."""
    try:
        tool: Any = parse_toml(data.decode("utf-8-sig")).get("tool", {})
    except ValueError:
        return re.search(rb"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*mcpgen\b", data, re.MULTILINE) is not None
    return isinstance(tool, dict) and "mcpgen" in tool

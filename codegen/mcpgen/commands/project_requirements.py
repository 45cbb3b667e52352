"""Requirements that the files of a project declare, and versions that its lock files have."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from mcpgen.config.toml_parser import parse_toml
from mcpgen.files.regular_files import read_input
from mcpgen.schema.values import Json, as_array, as_object

MAX_PROJECT_FILE_SIZE = 2**20
MAX_LOCK_FILE_SIZE = 32 * 2**20
"""Bytes of a file that is read; a larger one is passed over."""
LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_LOCKED_PACKAGE = r'^name = "({names})"\r?\nversion = "([^"\n]+)"'

Part: TypeAlias = Literal["dependencies", "groups"]
"""What a project needs itself, or in extras and groups such as those for tests."""


@dataclass(frozen=True)
class DeclaredRequirement:
    """A requirement, and where it stands."""

    name: str
    """The distribution, normalized."""
    specifier: SpecifierSet
    text: str
    """As it is written."""
    file: str
    part: Part


@dataclass(frozen=True)
class LockedVersion:
    """A version in a lock file."""

    version: str
    file: str


def list_requirements(folder: Path) -> list[DeclaredRequirement]:
    """Return the requirements of a project's files, those of the project itself first. What is invalid is ignored."""
    found = [
        *_list_of_pyproject(_read_toml(folder / "pyproject.toml")),
        *_list_of_setup_cfg(folder / "setup.cfg"),
        *_list_of_pipfile(_read_toml(folder / "Pipfile")),
        *_list_of_requirements_files(folder),
    ]
    return sorted(found, key=lambda requirement: requirement.part)  # "dependencies" comes before "groups"


def find_locked_versions(folder: Path, names: frozenset[str]) -> dict[str, LockedVersion]:
    """Return the versions of some distributions in a folder's lock file; of several files the first one counts."""
    for file in LOCK_FILES:
        text = _read_text(folder / file, MAX_LOCK_FILE_SIZE)
        if text is None:
            continue
        locked = _list_of_pipfile_lock(text) if file == "Pipfile.lock" else _search_lock(text, names)
        return {name: LockedVersion(version, file) for name, version in locked.items() if name in names}
    return {}


def _search_lock(text: str, names: frozenset[str]) -> dict[str, str]:
    """Return the versions in a lock file in TOML; it is searched, not parsed, since it may be long."""
    pattern = _LOCKED_PACKAGE.format(names="|".join(map(re.escape, sorted(names))))
    return {match[1]: match[2] for match in re.finditer(pattern, text, re.MULTILINE)}


def _list_of_pipfile_lock(text: str) -> dict[str, str]:
    try:
        document: Json = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    packages = as_object(as_object(document).get("default"))
    return {
        canonicalize_name(name): str(as_object(entry).get("version", "")).removeprefix("==")
        for name, entry in packages.items()
    }


# --- files -----------------------------------------------------------------------------------------------------------
def _list_of_pyproject(document: Mapping[str, Any]) -> Iterator[DeclaredRequirement]:
    file, project, tool = "pyproject.toml", _get_table(document, "project"), _get_table(document, "tool")
    yield from _parse_all(as_array(project.get("dependencies")), file, "dependencies")
    poetry = _get_table(tool, "poetry")
    yield from _parse_poetry(_get_table(poetry, "dependencies"), file, "dependencies")
    groups = [_get_table(project, "optional-dependencies"), _get_table(document, "dependency-groups")]
    groups += [_get_table(_get_table(tool, "pdm"), "dev-dependencies")]
    for group in groups:
        for requirements in group.values():
            yield from _parse_all(as_array(requirements), file, "groups")
    yield from _parse_all(as_array(_get_table(tool, "uv").get("dev-dependencies")), file, "groups")
    yield from _parse_poetry(_get_table(poetry, "dev-dependencies"), file, "groups")
    for group in _get_table(poetry, "group").values():
        yield from _parse_poetry(_get_table({"group": group}, "group", "dependencies"), file, "groups")


def _list_of_setup_cfg(path: Path) -> Iterator[DeclaredRequirement]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(_read_text(path, MAX_PROJECT_FILE_SIZE) or "")
    except configparser.Error:
        return
    yield from _parse_lines(parser.get("options", "install_requires", fallback=""), path.name, "dependencies")
    if parser.has_section("options.extras_require"):
        for _, requirements in parser.items("options.extras_require"):
            yield from _parse_lines(requirements, path.name, "groups")


def _list_of_pipfile(document: Mapping[str, Any]) -> Iterator[DeclaredRequirement]:
    yield from _parse_poetry(_get_table(document, "packages"), "Pipfile", "dependencies")
    yield from _parse_poetry(_get_table(document, "dev-packages"), "Pipfile", "groups")


def _list_of_requirements_files(folder: Path) -> Iterator[DeclaredRequirement]:
    for pattern in ("requirements*.txt", "requirements*.in", "requirements/*.txt", "requirements/*.in"):
        for path in sorted(folder.glob(pattern)):
            part: Part = "dependencies" if path.stem in ("requirements", "base", "main", "prod") else "groups"
            text = _read_text(path, MAX_PROJECT_FILE_SIZE) or ""
            yield from _parse_lines(text, path.relative_to(folder).as_posix(), part)


# --- requirements ----------------------------------------------------------------------------------------------------
def _parse_lines(text: str, file: str, part: Part) -> Iterator[DeclaredRequirement]:
    lines = [re.split(r"\s#|\s--|\\$", line.strip())[0].strip() for line in text.splitlines()]
    yield from _parse_all([line for line in lines if line and line[0] not in "#-"], file, part)


def _parse_all(texts: list[Json], file: str, part: Part) -> Iterator[DeclaredRequirement]:
    for text in texts:
        if not isinstance(text, str):
            continue  # such as {include-group = "test"}
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        name = canonicalize_name(requirement.name)
        yield DeclaredRequirement(name, requirement.specifier, text.partition(";")[0].strip(), file, part)


def _parse_poetry(table: Mapping[str, Any], file: str, part: Part) -> Iterator[DeclaredRequirement]:
    """Yield the requirements of a table by name, whose values are constraints, or tables with a `version`."""
    for name, value in table.items():
        entry = _get_table({"entry": value}, "entry").get("version", "*") if isinstance(value, dict) else value
        constraint = entry if isinstance(entry, str) else "*"
        try:
            specifier = SpecifierSet(",".join(map(_convert_constraint, constraint.split(","))))
        except InvalidSpecifier:
            specifier = SpecifierSet()
        yield DeclaredRequirement(canonicalize_name(name), specifier, f"{name} {constraint}", file, part)


def _convert_constraint(constraint: str) -> str:
    """Return a part of a constraint of Poetry's as a specifier: `^1.2` allows what is below 2, `~1.2` below 1.3."""
    text = constraint.strip()
    match = re.fullmatch(r"([\^~])\s*(\d+)((?:\.\d+)*)", text)
    if match is not None:
        major, rest = int(match[2]), match[3].split(".")[1:]
        is_minor = match[1] == "~" and rest
        below = f"{major}.{int(rest[0]) + 1}" if is_minor else str(major + 1)
        return f">={match[2]}{match[3]},<{below}"
    if text in ("", "*"):
        return ""
    return f"=={text}" if text[0].isdigit() else text


# --- reading ---------------------------------------------------------------------------------------------------------
def _read_text(path: Path, limit: int) -> str | None:
    """Return the text of a file; None if there is none, or it cannot be read."""
    try:
        return read_input(path, limit).decode("utf-8", "replace")
    except OSError:
        return None


def _read_toml(path: Path) -> Mapping[str, Any]:
    """Return the table in a TOML file; an empty one if it cannot be read."""
    try:
        return parse_toml(_read_text(path, MAX_PROJECT_FILE_SIZE) or "")
    except ValueError:
        return {}


def _get_table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return a table inside of another one; an empty one if it is missing, or no table."""
    for key in keys:
        table = as_object(table.get(key))
    return table

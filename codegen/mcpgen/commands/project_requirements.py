"""Requirements that the files of a project declare, and versions that its lock files have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mcpgen.config.toml_parser import parse_toml
from mcpgen.config.toml_positions import KeyPositions
from mcpgen.diagnostics import Span
from mcpgen.files import looks
from mcpgen.files.regular_files import read_input
from mcpgen.paths import format_path
from mcpgen.schema.values import Json, as_array, as_object

if TYPE_CHECKING:
    from configparser import ConfigParser

    from packaging.specifiers import SpecifierSet

MAX_PROJECT_FILE_SIZE = 2**20
MAX_LOCK_FILE_SIZE = 32 * 2**20
"""Bytes of a file that is read; a larger one is passed over."""
LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_LOCKED_PACKAGE = r'^name = "({names})"\r?\nversion = "([^"\n]+)"'
_NAME = r"\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?=[\[(<>=!~;@]|$)"
"""How a requirement begins."""
_DEVELOPMENT_WORDS = frozenset(
    "bench benchmark benchmarks ci dev develop development doc docs lint linting test testing tests typing".split()
)
"""Words in the names of extras, groups and files whose requirements a project does not need at run time."""

Part: TypeAlias = Literal["dependencies", "optional", "development"]
"""What a project needs itself, in extras and groups, or in those that nobody needs who runs it."""


@dataclass(frozen=True)
class DeclaredRequirement:
    """A requirement, and where it stands."""

    name: str
    """The distribution, normalized."""
    text: str
    """As it is written."""
    file: str
    part: Part
    constraint: str | None = None
    """A constraint of Poetry's; None: `text` has the specifier."""

    @cached_property
    def specifier(self) -> SpecifierSet | None:
        """The versions that are allowed; None if the requirement is not valid. Only this imports `packaging`."""
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        if self.constraint is None:
            try:
                return Requirement(self.text).specifier
            except InvalidRequirement:
                return None
        try:
            return SpecifierSet(",".join(map(_convert_constraint, self.constraint.split(","))))
        except InvalidSpecifier:
            return SpecifierSet()


@dataclass(frozen=True)
class DependencyList:
    """The list of what a project needs itself."""

    span: Span
    """Where it is, or should be."""
    project: str = ""
    """The name of the project, normalized; empty if it has none."""
    is_readable: bool = True
    """Whether `list_requirements` can read it; code or a plugin of the project may make it instead."""


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
    return sorted(found, key=lambda requirement: requirement.part != "dependencies")


def find_dependency_list(folder: Path) -> DependencyList | None:
    """Return the list of what the project in a folder needs itself; None if the folder has no project."""
    pyproject, pipfile = folder / "pyproject.toml", folder / "Pipfile"
    text = _read_text(pyproject, MAX_PROJECT_FILE_SIZE) or ""
    document, positions = _read_toml(pyproject), KeyPositions(format_path(pyproject), text, ())
    project, poetry = _get_table(document, "project"), _get_table(document, "tool", "poetry")
    setup_cfg = _read_setup_cfg(folder / "setup.cfg")
    name = project.get("name") or poetry.get("name") or (setup_cfg and setup_cfg.get("metadata", "name", fallback=""))
    name = normalize_name(name) if isinstance(name, str) else ""
    is_dynamic = "dependencies" in as_array(project.get("dynamic"))
    if "dependencies" in project:
        return DependencyList(positions.locate(("project", "dependencies")), name)
    if "dependencies" in poetry:
        return DependencyList(positions.locate(("tool", "poetry", "dependencies")), name)
    if setup_cfg is not None and setup_cfg.has_option("options", "install_requires"):
        return DependencyList(_locate_line(folder / "setup.cfg", "install_requires"), name)
    if (table := _read_toml(pipfile)) and "packages" in table:
        text = _read_text(pipfile, MAX_PROJECT_FILE_SIZE) or ""
        return DependencyList(KeyPositions(format_path(pipfile), text, ()).locate(("packages",)), name)
    setup_py = folder / "setup.py"
    if looks.exists(setup_py) and not (project and not is_dynamic):
        return DependencyList(Span(format_path(setup_py)), name, is_readable=False)
    for path, part in _find_requirements_files(folder):
        if part == "dependencies":
            return DependencyList(_locate_line(path, ""), name)
    if project or poetry:
        key = ("project", "dependencies") if project else ("tool", "poetry", "dependencies")
        return DependencyList(positions.locate(key), name, is_readable=not is_dynamic)
    return None


def normalize_name(name: str) -> str:
    """Return the name of a distribution as PEP 503 normalizes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


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
        normalize_name(name): str(as_object(entry).get("version", "")).removeprefix("==")
        for name, entry in packages.items()
    }


# --- files -----------------------------------------------------------------------------------------------------------
def _list_of_pyproject(document: Mapping[str, Any]) -> Iterator[DeclaredRequirement]:
    file, project, tool = "pyproject.toml", _get_table(document, "project"), _get_table(document, "tool")
    yield from _parse_all(as_array(project.get("dependencies")), file, "dependencies")
    poetry = _get_table(tool, "poetry")
    yield from _parse_poetry(_get_table(poetry, "dependencies"), file, "dependencies")
    for groups in (_get_table(project, "optional-dependencies"), _get_table(document, "dependency-groups")):
        for name, requirements in groups.items():
            yield from _parse_all(as_array(requirements), file, _classify(name))
    for requirements in _get_table(tool, "pdm", "dev-dependencies").values():
        yield from _parse_all(as_array(requirements), file, "development")
    yield from _parse_all(as_array(_get_table(tool, "uv").get("dev-dependencies")), file, "development")
    yield from _parse_poetry(_get_table(poetry, "dev-dependencies"), file, "development")
    for name, group in _get_table(poetry, "group").items():
        yield from _parse_poetry(_get_table({"group": group}, "group", "dependencies"), file, _classify(name))


def _list_of_setup_cfg(path: Path) -> Iterator[DeclaredRequirement]:
    parser = _read_setup_cfg(path)
    if parser is None:
        return
    yield from _parse_lines(parser.get("options", "install_requires", fallback=""), path.name, "dependencies")
    if parser.has_section("options.extras_require"):
        for name, requirements in parser.items("options.extras_require"):
            yield from _parse_lines(requirements, path.name, _classify(name))


def _list_of_pipfile(document: Mapping[str, Any]) -> Iterator[DeclaredRequirement]:
    yield from _parse_poetry(_get_table(document, "packages"), "Pipfile", "dependencies")
    yield from _parse_poetry(_get_table(document, "dev-packages"), "Pipfile", "development")


def _list_of_requirements_files(folder: Path) -> Iterator[DeclaredRequirement]:
    for path, part in _find_requirements_files(folder):
        text = _read_text(path, MAX_PROJECT_FILE_SIZE) or ""
        yield from _parse_lines(text, path.relative_to(folder).as_posix(), part)


def _find_requirements_files(folder: Path) -> Iterator[tuple[Path, Part]]:
    for pattern in ("requirements*.txt", "requirements*.in", "requirements/*.txt", "requirements/*.in"):
        for path in _glob(folder, pattern):
            is_own = path.stem in ("requirements", "base", "main", "prod")
            yield path, "dependencies" if is_own else _classify(path.stem)


def _glob(folder: Path, pattern: str) -> list[Path]:
    """Return what `folder.glob` does for a pattern of at most two parts, in order."""
    inner, _, name = pattern.rpartition("/")
    try:
        entries = looks.list_folder(folder / inner)
    except OSError:
        return []
    return [folder / inner / entry.name for entry in entries if fnmatchcase(entry.name, name)]


def _classify(name: str) -> Part:
    """Return what the requirements of an extra, a group or a file are for, by its name."""
    return "optional" if _DEVELOPMENT_WORDS.isdisjoint(re.findall(r"[a-z]+", name.lower())) else "development"


# --- requirements ----------------------------------------------------------------------------------------------------
def _parse_lines(text: str, file: str, part: Part) -> Iterator[DeclaredRequirement]:
    lines = [re.split(r"\s#|\s--|\\$", line.strip())[0].strip() for line in text.splitlines()]
    yield from _parse_all([line for line in lines if line and line[0] not in "#-"], file, part)


def _parse_all(texts: list[Json], file: str, part: Part) -> Iterator[DeclaredRequirement]:
    for text in texts:
        if not isinstance(text, str):
            continue  # such as {include-group = "test"}
        if (match := re.match(_NAME, text)) is not None:
            yield DeclaredRequirement(normalize_name(match[1]), text.partition(";")[0].strip(), file, part)


def _parse_poetry(table: Mapping[str, Any], file: str, part: Part) -> Iterator[DeclaredRequirement]:
    """Yield the requirements of a table by name, whose values are constraints, or tables with a `version`."""
    for name, value in table.items():
        entry = _get_table({"entry": value}, "entry").get("version", "*") if isinstance(value, dict) else value
        constraint = entry if isinstance(entry, str) else "*"
        yield DeclaredRequirement(normalize_name(name), f"{name} {constraint}", file, part, constraint)


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


def _read_setup_cfg(path: Path) -> ConfigParser | None:
    """Return the sections of a file in the format of setup.cfg; None if there is none, or it cannot be read."""
    text = _read_text(path, MAX_PROJECT_FILE_SIZE)
    if text is None:
        return None
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except Error:
        return None
    return parser


def _locate_line(path: Path, key: str) -> Span:
    """Return the span of the first line of a file that begins with a key."""
    lines = (_read_text(path, MAX_PROJECT_FILE_SIZE) or "").splitlines()
    number = next((number for number, line in enumerate(lines) if line.startswith(key)), 0)
    return Span(format_path(path), number + 1, 1, text="".join(lines[number : number + 1]))


def _get_table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return a table inside of another one; an empty one if it is missing, or no table."""
    for key in keys:
        table = as_object(table.get(key))
    return table

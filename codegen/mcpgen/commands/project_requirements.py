"""Requirements of a project: what it declares and locks, and what its generated packages need at run time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mcpgen_runtime import __version__ as library_version

from mcpgen import write
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml import KeyPositions, add_requirement, parse_toml, read_settings_bytes
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.files import looks
from mcpgen.files.project_paths import find_project, resolve_path
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


def list_requirements(folder: Path) -> list[DeclaredRequirement]:
    """Return the requirements of a project's files, those of the project itself first. What is invalid is ignored."""
    pipfile = _read_toml(folder / "Pipfile")
    found = [
        *_list_of_pyproject(_read_toml(folder / "pyproject.toml")),
        *_list_of_setup_cfg(folder / "setup.cfg"),
        *_parse_poetry(_get_table(pipfile, "packages"), "Pipfile", "dependencies"),
        *_parse_poetry(_get_table(pipfile, "dev-packages"), "Pipfile", "development"),
    ]
    for path, part in _find_requirements_files(folder):
        found += _parse_lines(_read_text(path) or "", path.relative_to(folder).as_posix(), part)
    return sorted(found, key=lambda requirement: requirement.part != "dependencies")


def find_dependency_list(folder: Path) -> DependencyList | None:
    """Return the list of what the project in a folder needs itself; None if the folder has no project."""
    pyproject, pipfile, setup_py = folder / "pyproject.toml", folder / "Pipfile", folder / "setup.py"
    document, setup_cfg = _read_toml(pyproject), _read_setup_cfg(folder / "setup.cfg")
    project, poetry = _get_table(document, "project"), _get_table(document, "tool", "poetry")
    name = project.get("name") or poetry.get("name") or (setup_cfg and setup_cfg.get("metadata", "name", fallback=""))
    name = normalize_name(name) if isinstance(name, str) else ""
    own, of_poetry = ("project", "dependencies"), ("tool", "poetry", "dependencies")
    is_dynamic = "dependencies" in as_array(project.get("dynamic"))
    if "dependencies" in project:
        return DependencyList(_locate_key(pyproject, own), name)
    if "dependencies" in poetry:
        return DependencyList(_locate_key(pyproject, of_poetry), name)
    if setup_cfg is not None and setup_cfg.has_option("options", "install_requires"):
        return DependencyList(_locate_line(folder / "setup.cfg", "install_requires"), name)
    if "packages" in _read_toml(pipfile):
        return DependencyList(_locate_key(pipfile, ("packages",)), name)
    if looks.exists(setup_py) and not (project and not is_dynamic):
        return DependencyList(Span(format_path(setup_py)), name, is_readable=False)
    for path, part in _find_requirements_files(folder):
        if part == "dependencies":
            return DependencyList(_locate_line(path, ""), name)
    if project or poetry:
        place = _locate_key(pyproject, own if project else of_poetry)
        return DependencyList(place, name, is_readable=not is_dynamic)
    return None


def list_project_folders(folder: Path, out: Path | None = None) -> list[Path]:
    """Return a folder, or the one around a package, and those around it, up to the top of the folder's project."""
    resolved, top = resolve_path(folder), find_project(folder)
    start = resolved if out is None else resolve_path(out).parent
    start = start if start.is_relative_to(top) else resolved
    return [each for each in (start, *start.parents) if each.is_relative_to(top)]


def normalize_name(name: str) -> str:
    """Return the name of a distribution as PEP 503 normalizes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def find_locked_versions(folder: Path, names: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Return the versions of some distributions in a folder's first lock file, each with the name of that file."""
    pattern = _LOCKED_PACKAGE.format(names="|".join(map(re.escape, sorted(names))))
    for file in LOCK_FILES:
        text = _read_text(folder / file, MAX_LOCK_FILE_SIZE)
        if text is None:
            continue
        is_json = file == "Pipfile.lock"  # others are not parsed, since they may be long
        locked = _list_of_pipfile_lock(text) if is_json else dict(re.findall(pattern, text, re.MULTILINE))
        return {name: (version, file) for name, version in locked.items() if name in names}
    return {}


def _list_of_pipfile_lock(text: str) -> dict[str, str]:
    try:
        packages = as_object(as_object(json.loads(text)).get("default"))
    except (ValueError, RecursionError):
        return {}
    versions = {name: str(as_object(entry).get("version", "")) for name, entry in packages.items()}
    return {normalize_name(name): version.removeprefix("==") for name, version in versions.items()}


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
        yield from _parse_poetry(_get_table(as_object(group), "dependencies"), file, _classify(name))


def _list_of_setup_cfg(path: Path) -> Iterator[DeclaredRequirement]:
    parser = _read_setup_cfg(path)
    if parser is None:
        return
    yield from _parse_lines(parser.get("options", "install_requires", fallback=""), path.name, "dependencies")
    if parser.has_section("options.extras_require"):
        for name, requirements in parser.items("options.extras_require"):
            yield from _parse_lines(requirements, path.name, _classify(name))


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
        entry = _get_table(table, name).get("version") if isinstance(value, dict) else value
        constraint = entry if isinstance(entry, str) else "*"
        yield DeclaredRequirement(normalize_name(name), f"{name} {constraint}", file, part, constraint)


def _convert_constraint(constraint: str) -> str:
    """Return a part of a constraint of Poetry's as a specifier: `^1.2` allows what is below 2, `~1.2` below 1.3."""
    text = constraint.strip()
    if (match := re.fullmatch(r"([\^~])\s*(\d+)((?:\.\d+)*)", text)) is not None:
        major, rest = int(match[2]), match[3].split(".")[1:]
        below = f"{major}.{int(rest[0]) + 1}" if match[1] == "~" and rest else str(major + 1)
        return f">={match[2]}{match[3]},<{below}"
    if text in ("", "*"):
        return ""
    return f"=={text}" if text[0].isdigit() else text


# --- reading ---------------------------------------------------------------------------------------------------------
def _read_text(path: Path, limit: int = MAX_PROJECT_FILE_SIZE) -> str | None:
    try:
        return read_input(path, limit).decode("utf-8", "replace")
    except OSError:
        return None


def _read_toml(path: Path) -> Mapping[str, Any]:
    try:
        return parse_toml(_read_text(path) or "")
    except ValueError:
        return {}


def _read_setup_cfg(path: Path) -> ConfigParser | None:
    text = _read_text(path)
    if text is None:
        return None
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except Error:
        return None
    return parser


def _locate_key(path: Path, key: tuple[str, ...]) -> Span:
    return KeyPositions(format_path(path), _read_text(path) or "", ()).locate(key)


def _locate_line(path: Path, key: str) -> Span:
    lines = (_read_text(path) or "").splitlines()
    number = next((number for number, line in enumerate(lines) if line.startswith(key)), 0)
    return Span(format_path(path), number + 1, 1, text="".join(lines[number : number + 1]))


def _get_table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        table = as_object(table.get(key))
    return table


# --- needs of generated packages -------------------------------------------------------------------------------------
CODE = "MG309"
LIBRARY = "mcpgen-runtime"
VENDORED_NEEDS = ("jsonschema-rs>=0.60", "orjson>=3.10", "pydantic>=2.13")
"""Dependencies of the library, which a package with copies of it has itself."""
GENERATOR = "mcpgen"
"""Which depends on the library, so that whoever needs it at run time has the library, too."""


@dataclass(frozen=True)
class DeclaredNeeds:
    """What a package imports, compared with the dependencies of the project that holds it."""

    folder: Path
    place: Span
    """Where the project lists its dependencies."""
    listed: tuple[str, ...]
    """Distributions that it lists, by which the package gets what it imports."""
    missing: tuple[str, ...]
    requirements: Sequence[DeclaredRequirement]

    @property
    def missing_names(self) -> list[str]:
        """Names of the distributions that it should list."""
        return [_get_name(requirement) for requirement in self.missing]

    def describe(self) -> str:
        """Return what the project lists, and what it does not, in words."""
        lacks = f"does not list {join_words(self.missing_names, 'or')}" if self.missing else ""
        lists = f"lists {join_words(self.listed)}" if self.listed else ""
        return f"{self.place.format_line()} {', but '.join(filter(None, (lists, lacks)))}"

    def complain(self) -> str:
        """Return the message about what is missing."""
        names = self.missing_names
        files = {item.name: item.file for item in self.requirements if item.name in names}
        verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
        only = f"for development only, in {join_words(sorted({*files.values()}))}"
        state = f"{verb} listed {only}" if len(files) == len(names) else f"{verb} not among the dependencies"
        return f"{join_words(names)} {state}, and the generated package imports {them} at run time"

    def advise(self) -> str:
        """Return what to write, and which command writes it."""
        is_poetry, them = self.place.pointer.startswith("tool.poetry"), "it" if len(self.missing) == 1 else "them"
        quoted, names = join_words([f'"{item}"' for item in self.missing]), " ".join(self.missing_names)
        match Path(self.place.file).name:
            case "pyproject.toml":
                command = f"poetry add {names}" if is_poetry else f"uv add {names}"
                advice = f"add {quoted} to dependencies: `{command}`, or write {them} there"
            case "Pipfile":
                advice = f"run `pipenv install {names}`"
            case "setup.cfg":
                advice = f"add {quoted} to install_requires"
            case name:
                advice = f"add {quoted} to {name}"
        if self.missing_names == [LIBRARY] and any(item.name == GENERATOR for item in self.requirements):
            advice += "; mcpgen brings it along, but a server should not need the generator at run time"
        return advice


def inspect_needs(package: ConfiguredPackage) -> DeclaredNeeds | None:
    """Compare what a package imports with the dependencies of its project; None if nothing says what these are."""
    return _inspect(package.out, package.folder, package.settings.runtime == "vendored")


def report_missing_needs(packages: Iterable[ConfiguredPackage], findings: Findings) -> None:
    """Add a note for each project that does not list what its generated package imports."""
    for package in packages:
        needs = inspect_needs(package)
        if needs is not None and needs.missing:
            findings.note(CODE, needs.complain(), needs.place, needs.advise())


def declare_needs(out: Path, folder: Path, is_vendored: bool = False) -> list[str]:
    """Add what a package imports to the dependencies in the pyproject.toml in `folder`; return what to say about it."""
    needs = _inspect(out, folder, is_vendored)
    if needs is None or not needs.missing:
        return []
    file = needs.folder / "pyproject.toml"
    if Path(needs.place.file).name == file.name and needs.folder == resolve_path(folder):
        text: str | None = read_settings_bytes(file).decode("utf-8", "replace")
        table = ("tool", "poetry") if needs.place.pointer.startswith("tool.poetry") else ("project",)
        for requirement in needs.missing:
            text = None if text is None else add_requirement(text, table, requirement)
        if text is not None and "\ufffd" not in text:
            with suppress(OSError):
                write.replace_file(file, text)
                return [f'added "{requirement}" to dependencies in {file.name}' for requirement in needs.missing]
    return [needs.advise()]


def _inspect(out: Path, folder: Path, is_vendored: bool) -> DeclaredNeeds | None:
    for each in list_project_folders(folder, out):
        found = find_dependency_list(each)
        if found is not None:
            return _compare(each, found, is_vendored) if found.is_readable else None
    return None


def _compare(folder: Path, found: DependencyList, is_vendored: bool) -> DeclaredNeeds:
    requirements = list_requirements(folder)
    own = {item.name for item in requirements if item.part == "dependencies"} | {found.project}
    listed = {item.name for item in requirements if item.part != "development"} | {found.project}
    for sufficient, is_there in ((LIBRARY, LIBRARY in listed), (GENERATOR, GENERATOR in own)):
        if is_there:
            return DeclaredNeeds(folder, found.span, (sufficient,), (), requirements)
    oldest = ".".join(library_version.split(".")[:2])
    needed = VENDORED_NEEDS if is_vendored else (f"{LIBRARY}>={oldest}",)
    present = [name for name in map(_get_name, needed) if name in listed]
    missing = [requirement for requirement in needed if _get_name(requirement) not in listed]
    return DeclaredNeeds(folder, found.span, tuple(present), tuple(missing), requirements)


def _get_name(requirement: str) -> str:
    return normalize_name(requirement.partition(">")[0])

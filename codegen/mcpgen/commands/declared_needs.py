"""What generated packages import at run time, and whether the project that holds them lists it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen_runtime import __version__ as library_version

from mcpgen import write
from mcpgen.commands.project_requirements import (
    DeclaredRequirement,
    DependencyList,
    find_dependency_list,
    list_requirements,
    normalize_name,
)
from mcpgen.commands.settings_text import add_requirement
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml_positions import read_settings_bytes
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.files.project_paths import find_project, resolve_path

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
    """Folder of the project."""
    place: Span
    """Where the project lists its dependencies."""
    listed: tuple[str, ...]
    """Distributions that it lists, by which the package gets what it imports."""
    missing: tuple[str, ...]
    """Requirements that it should list."""
    requirements: Sequence[DeclaredRequirement]
    """All that it lists."""

    @property
    def missing_names(self) -> list[str]:
        """Names of the distributions that it should list."""
        return [_get_name(requirement) for requirement in self.missing]

    def describe(self) -> str:
        """Return what the project lists, and what it does not, in words."""
        place = f"{self.place.file}:{self.place.line}" if self.place.line else self.place.file
        lacks = f"does not list {join_words(self.missing_names, 'or')}" if self.missing else ""
        lists = f"lists {join_words(self.listed)}" if self.listed else ""
        return f"{place} {', but '.join(filter(None, (lists, lacks)))}"

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
    """Add what a package imports to the dependencies of its project; return what was done, or is to be done.

    Args:
        out: folder of the package.
        folder: folder of the settings, in whose pyproject.toml it may be added.
        is_vendored: whether the package has copies of the library.
    """
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
            try:
                write.replace_file(file, text)
            except OSError:
                return [needs.advise()]
            return [f'added "{requirement}" to dependencies in {file.name}' for requirement in needs.missing]
    return [needs.advise()]


def _inspect(out: Path, folder: Path, is_vendored: bool) -> DeclaredNeeds | None:
    for each in _list_folders(out, folder):
        found = find_dependency_list(each)
        if found is not None:
            return _compare(each, found, is_vendored) if found.is_readable else None
    return None


def _compare(folder: Path, found: DependencyList, is_vendored: bool) -> DeclaredNeeds:
    requirements = list_requirements(folder)
    own = {item.name for item in requirements if item.part == "dependencies"} | {found.project}
    listed = {item.name for item in requirements if item.part != "development"} | {found.project}
    for sufficient in (LIBRARY in listed and LIBRARY, GENERATOR in own and GENERATOR):
        if sufficient:
            return DeclaredNeeds(folder, found.span, (sufficient,), (), requirements)
    needed = VENDORED_NEEDS if is_vendored else (_require_library(),)
    present = [name for name in map(_get_name, needed) if name in listed]
    missing = [requirement for requirement in needed if _get_name(requirement) not in listed]
    return DeclaredNeeds(folder, found.span, tuple(present), tuple(missing), requirements)


def _require_library() -> str:
    """Return the requirement of the library: at least the release that packages are generated for."""
    return f"{LIBRARY}>={'.'.join(library_version.split('.')[:2])}"


def _get_name(requirement: str) -> str:
    return normalize_name(requirement.partition(">")[0])


def _list_folders(out: Path, folder: Path) -> list[Path]:
    """Return the folders around a package, the nearest first, up to the top of its project."""
    start, top = resolve_path(out).parent, find_project(folder)
    start = start if start.is_relative_to(top) else resolve_path(folder)
    return [each for each in (start, *start.parents) if each.is_relative_to(top)]

"""Input files of a run: find the definition files and the content templates below the inputs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen import paths
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import looks
from mcpgen.files.definition_files import (
    DEFINITION_SUFFIXES,
    LEARNED_FOLDER,
    PULLED_FOLDER,
    TEMPLATE_SUFFIX,
    find_candidates,
)
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import resolve_path
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.words import NameGuesser


@dataclass(frozen=True)
class InputFile:
    """A file to read. `root` is its input folder, `origin` its name in headers, which is the same on every machine."""

    path: Path
    root: Path
    origin: str


def is_pulled(file: InputFile) -> bool:
    """Return whether a file is in the folder that belongs to `mcpgen pull`."""
    return PULLED_FOLDER in (file.root.name, file.path.relative_to(file.root).parts[0])


def list_pulled_folders(package: ConfiguredPackage) -> list[Path]:
    """Return the folders, without links, of a package's input that belong to `mcpgen pull`."""
    roots = [path if looks.is_folder(path) else path.parent for path in package.inputs]
    return [resolve_path(root) / ("" if root.name == PULLED_FOLDER else PULLED_FOLDER) for root in roots]


def find_own_folder(packages: Sequence[ConfiguredPackage], name: str) -> Path:
    """Return the folder of this name in the first input folder of the settings, where a command writes its files."""
    for package in packages:
        for path in map(Path, package.settings.schemas):
            if name in path.parts:
                return package.folder / Path(*path.parts[: path.parts.index(name) + 1])
            if path.suffix not in DEFINITION_SUFFIXES:
                return package.folder / path / name
    return Path("schemas") / name


class InputFileFinder:
    """Finder of a package's input files. Content templates that it comes across are added to a catalog."""

    def __init__(
        self, package: ConfiguredPackage, findings: Findings, disk: FileTracker, templates: TemplateCatalog
    ) -> None:
        self._package, self._findings, self._disk, self._templates = package, findings, disk, templates
        self._out = package.out
        self._real_paths = looks.PathResolver()
        self._found: set[str] = set()

    def find_files(self) -> Iterator[InputFile]:
        """Yield the definition files among the package's inputs and below them, each file once; report wrong inputs."""
        for path in self._package.inputs:
            if looks.is_folder(path) and resolve_path(path) == resolve_path(self._out):
                span = locate_setting(self._package, ("out",))
                help = "give the package a folder of its own: `out`"
                self._findings.error("MG302", "the package would be among its definitions", span, help)
            elif looks.is_folder(path):
                yield from self._find_in_folder(path)
            elif not looks.exists(path):
                self._findings.error("MG001", "no such file or folder", *self._locate_missing(path))
            elif path.suffix not in DEFINITION_SUFFIXES:
                help = f"definitions are {', '.join(DEFINITION_SUFFIXES[:-1])} or {DEFINITION_SUFFIXES[-1]} files"
                if not path.suffix:
                    help += f": rename it to {path.name}.json, or put it into a folder of that name"
                self._findings.error("MG001", "not a JSON or YAML file", Span(paths.format_path(path)), help)
            elif self._is_new(path):
                yield InputFile(path, path.parent, path.name)

    def _find_in_folder(self, root: Path) -> Iterator[InputFile]:
        name = Path(os.path.abspath(root)).name
        start = 0 if root == Path() else len(os.path.join(root, ""))
        relative_paths = sorted((str(path)[start:].replace(os.sep, "/"), path) for path in self._walk(root))
        for relative_path, path in relative_paths:
            if not relative_path.startswith(f"{LEARNED_FOLDER}/") and self._is_new(path):
                yield InputFile(path, root, f"{name}/{relative_path}")

    def _locate_missing(self, path: Path) -> tuple[Span, str]:
        span = Span(paths.format_path(path))
        names = [entry.name for entry in looks.list_folder(path.parent)] if looks.is_folder(path.parent) else []
        close = NameGuesser().guess(path.name, [name for name in names if not name.startswith(".")], 0.7)
        if close:
            return span, f'did you mean "{paths.format_path(path.parent / close)}"?'
        if locate_setting(self._package, ("schemas",)) is None and path.name == "schemas":
            return span, "`mcpgen init` makes the folder and a first tool; or name yours: `mcpgen build FOLDER`"
        return span, "correct the path, or make it and put a definition into it; `mcpgen init` makes a first one"

    def _is_new(self, path: Path) -> bool:
        real_path = self._real_paths.resolve(path)
        if real_path in self._found:
            return False
        self._found.add(real_path)
        return True

    def _walk(self, root: Path) -> Iterator[Path]:
        def report_error(error: OSError) -> None:
            folder = Path(error.filename) if error.filename else root
            self._findings.error("MG001", f"cannot be read: {error.strerror}", Span(paths.format_path(folder)))

        most = self._package.settings.limits.files
        for count, entry in enumerate(find_candidates(root, self._out, report_error), 1):
            path = Path(entry.path)
            if count > most:
                help = suggest_raising("files")
                self._findings.error("MG009", f"more than {most} input files", Span(paths.format_path(root)), help)
                return
            if entry.kind == "link" and not resolve_path(path).is_relative_to(resolve_path(root)):
                help = "copy the file, or name its folder as an input"
                self._findings.error("MG001", "is a link out of the input folder", Span(paths.format_path(path)), help)
            elif path.name.endswith(TEMPLATE_SUFFIX):
                self._disk.is_file(path)
                self._templates.add_file(path)
            else:  # pipes and the like included: reading them reports an error
                yield path

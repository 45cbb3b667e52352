"""Pairs of packages that `diff` compares, from files, a git revision or a running server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.commands.package_selection import SEVERAL_PACKAGES_MESSAGE
from mcpgen.compat.git_revision import Revision, export_revision
from mcpgen.config.load import find_settings, load_packages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.overrides import override_settings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import resolve_path
from mcpgen.paths import format_path

if TYPE_CHECKING:
    from mcpgen.cache.memory import Memory
    from mcpgen.introspect.server_query import ServerQuery


@dataclass(frozen=True)
class DiffRequest:
    """Two versions to compare, and the rules to apply."""

    paths: tuple[Path, ...]
    """The old and the new definitions; with a revision or a server, those to compare with it, by default all."""
    against: str | None
    """A git revision with the old definitions."""
    off: tuple[str, ...]
    """Categories and rules that are not applied."""
    only: tuple[str, ...]
    """The only categories and rules that are applied; empty for all."""
    config: Path | None
    jobs: int
    """Worker processes."""
    server: ServerQuery | None = None
    """A running server with the old definitions."""
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of that server's definitions that are left out."""
    root: Path | None = None
    """A folder outside of the project that input may come from, too."""
    fail_on: tuple[str, ...] = ()
    """Categories and rules whose changes are errors, whatever the rule's own severity."""
    memory: Memory | None = None
    """Lowered schemas of earlier runs; None: everything is lowered."""


@dataclass(frozen=True)
class FileLabels:
    """What files of a revision or a server are called, which were written to a temporary folder."""

    source: str = ""
    """The revision or the server."""
    folder: Path | None = None
    """The temporary folder with its files."""
    top: Path = Path()
    """The folder of the working tree that the temporary folder stands for."""
    protocol: str = ""
    """Protocol version of the server's answer; empty for files and revisions."""

    def relabel(self, span: Span) -> Span:
        """Return the place that people know a span by: a file of the revision, or the server.

        A file outside of the temporary folder keeps its name.
        """
        if self.folder is None or not Path(span.file).is_absolute():
            return span
        path = resolve_path(span.file)
        if not path.is_relative_to(self.folder):
            return span
        if self.protocol:
            return replace(Span.of_server(self.source), pointer=span.pointer)
        return replace(span, file=format_path(self.top / path.relative_to(self.folder)), revision=self.source)


@dataclass(frozen=True)
class PackagePair:
    """Two versions of one package, and the labels of their files."""

    old: ConfiguredPackage
    new: ConfiguredPackage
    labels: FileLabels


def pair_packages(request: DiffRequest, folder: Path, findings: Findings) -> Iterator[PackagePair]:
    """Yield the versions of each package. Files of a revision or a server are written to `folder`.

    Raises:
        RevisionError: the git revision cannot be read.
    """
    if request.server is not None:
        yield from _pair_with_server(request, request.server, folder, findings)
    elif request.against is not None:
        yield from _pair_with_revision(request, request.against, folder, findings)
    else:
        packages = _load_packages(request, findings)
        old, new = ([*override_settings(packages, [path], {}, findings, request.root)] for path in request.paths)
        if not findings.failed:
            yield from (PackagePair(*versions, FileLabels()) for versions in zip(old, new, strict=True))


def _load_packages(request: DiffRequest, findings: Findings) -> list[ConfiguredPackage]:
    folder = Path.cwd()
    return load_packages(request.config or find_settings(folder), folder, findings)


def _pair_with_revision(
    request: DiffRequest, revision_name: str, folder: Path, findings: Findings
) -> Iterator[PackagePair]:
    packages = _load_packages(request, findings)
    revision = export_revision(revision_name, Path.cwd(), folder)
    labels = FileLabels(revision_name, revision.folder, revision.top)
    for index, new in enumerate(override_settings(packages, [*request.paths], {}, findings, request.root)):
        old = _find_old_package(new, index, revision, labels, bool(request.paths), findings)
        yield PackagePair(old, new, labels)


def _find_old_package(
    new: ConfiguredPackage, index: int, revision: Revision, labels: FileLabels, by_paths: bool, findings: Findings
) -> ConfiguredPackage:
    """Return a package as the revision has it, with its settings of then if there are any.

    These are the settings of the package with the same output folder, or else of the one at the same index.
    """
    folder = revision.locate(new.folder)
    settings = new.settings
    if new.file is not None and revision.locate(new.file).is_file():
        revision_findings = Findings()
        old_packages = load_packages(revision.locate(new.file), folder, revision_findings)
        for finding in revision_findings:
            findings.add(replace(finding, span=None if finding.span is None else labels.relabel(finding.span)))
        same_out = [package for package in old_packages if package.settings.out == settings.out]
        matching = same_out or old_packages[index : index + 1]
        settings = matching[0].settings if matching else settings
    schemas = new.settings.schemas if by_paths else settings.schemas
    paths = [revision.locate(new.folder / path) for path in schemas]
    existing = [str(path) for path in paths if path.exists()]
    settings = settings.model_copy(update={"schemas": existing})
    return ConfiguredPackage(settings=settings, folder=folder, roots=(revision.folder,))


def _pair_with_server(
    request: DiffRequest, query: ServerQuery, folder: Path, findings: Findings
) -> Iterator[PackagePair]:
    """Yield the server's package, with the definitions that a running server advertises as its old version."""
    from mcpgen.introspect.client import fetch_definitions
    from mcpgen.introspect.pulled_file import (
        find_files_pulled_from,
        find_pulled_folder,
        read_exclude,
        render_pulled_file,
    )
    from mcpgen.introspect.server_address import format_server_address, make_server_name

    configured = _choose_package_of_server(_load_packages(request, findings), request.paths, query, findings)
    packages = override_settings(configured, [*request.paths], {}, findings, request.root)
    if len(packages) != 1:
        return
    (new,) = packages
    server = format_server_address(query.source)
    pulled = find_files_pulled_from(server, find_pulled_folder(packages))
    exclude = (*request.exclude, *(pattern for file in pulled for pattern in read_exclude(file)))
    advertised = fetch_definitions(query, exclude, new.settings.limits, findings)
    if advertised is None:
        return
    file = folder / f"{make_server_name(query.source)}.json"
    file.write_text(render_pulled_file(advertised, server), "utf-8")
    settings = new.settings.model_copy(update={"schemas": [str(folder)], "tools": {}})
    roots = None if new.roots is None else (*new.roots, resolve_path(folder))
    old = ConfiguredPackage(settings=settings, folder=new.folder, roots=roots)
    yield PackagePair(old, new, FileLabels(server, resolve_path(folder), protocol=advertised.protocol))


def _choose_package_of_server(
    packages: list[ConfiguredPackage], paths: tuple[Path, ...], query: ServerQuery, findings: Findings
) -> list[ConfiguredPackage]:
    """Return the only package; or the one that reads the paths, or else the file that was pulled from the server.

    If that is open, return none, with a finding.
    """
    from mcpgen.introspect.pulled_file import find_pulled_files
    from mcpgen.introspect.server_address import make_server_name

    if len(packages) <= 1:
        return packages
    files = paths or (*find_pulled_files(packages, make_server_name(query.source), query),)
    chosen = [package for package in packages if any(package.reads(file) for file in files)]
    if len(chosen) == 1:
        return chosen
    known = ", ".join(format_path(path) for package in packages for path in package.inputs)
    findings.error("MG302", SEVERAL_PACKAGES_MESSAGE, None, f"name the definitions of one package: {known}")
    return []

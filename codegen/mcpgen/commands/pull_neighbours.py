"""Files of other servers beside the one that is pulled: names that clash, and what the user should know of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import PULLED_FOLDER
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.introspect.pulled_file import (
    find_files_pulled_from,
    find_pulled_folder,
    is_pulled_from,
    read_server,
)
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.paths import format_path
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.read.loader import find_own_tools
from mcpgen.schema.values import Json, as_array, as_object

_NAMED_LISTS = ("tools", "prompts")
_LABELLED_LISTS = (
    ("tools", "name", ""),
    ("prompts", "name", "prompt "),
    ("resources", "uri", "resource "),
    ("resourceTemplates", "uriTemplate", "resource "),
)
"""The members of a pulled file, what identifies their definitions, and the word before it in a report."""


def find_folder_of_file(packages: Sequence[ConfiguredPackage], name: str) -> Path | None:
    """Return the folder where a server's file is already; None if it is in none."""
    folders = (find_pulled_folder([package]) for package in packages)
    return next((folder for folder in folders if read_server(folder / f"{name}.json")), None)


def find_folder_of_name(packages: Sequence[ConfiguredPackage], name: str) -> Path | None:
    """Return the folder for pulled files of the package that has a server's name in its input; None without one."""
    for package in packages:
        if any(name in Path(path).parts for path in package.settings.schemas):
            return find_pulled_folder([package])
    return None


def choose_folder(packages: Sequence[ConfiguredPackage], name: str, help: str, findings: Findings) -> Path | None:
    """Return the folder for a server's file; None, with an error, if it could be that of several packages.

    Args:
        packages: the packages of the settings.
        name: the name of the file without its suffix.
        help: what to do if the package is open.
        findings: receives the error.
    """
    known = find_folder_of_file(packages, name)
    folders = {find_pulled_folder([package]): None for package in packages}
    if known is None and len(folders) > 1:
        known = find_folder_of_name(packages, name)
        if known is None:
            message = f"the settings have {len(folders)} packages, and none is that of {name}"
            findings.error("MG302", message, None, help)
            return None
    return known or find_pulled_folder(packages)


def report_clash(
    file: Path, server: str, advertised: AdvertisedDefinitions, ignored: frozenset[str], findings: Findings
) -> bool:
    """Report that a tool or prompt of a server is in another pulled file of the folder; return whether it is.

    Args:
        file: the file of the server.
        server: the server's address for people.
        advertised: its definitions.
        ignored: names of files that are pulled by the same command.
    """
    for other in _list_neighbours(file):
        if other.stem in ignored:
            continue
        document = _read_document(other)
        for member in _NAMED_LISTS:
            names = {str(item["name"]) for item in advertised.lists.get(member, ())}
            taken = [name for item in as_array(document.get(member)) if (name := as_object(item).get("name")) in names]
            if not taken:
                continue
            help = "give each server a package of its own: --from mcp.json --each, or --out and a [[package]] table"
            if other in find_files_pulled_from(server, file.parent):
                help = f"if it is the same server, remove that file, or pull it with --name {other.stem}"
            kind = member.removesuffix("s")
            message = f'{format_path(other)} has a {kind} "{taken[0]}", too, and one package cannot hold both'
            findings.error("MG711", message, Span(format_path(file)), help)
            return True
    return False


def report_moved_definitions(
    readers: Sequence[ConfiguredPackage], file: Path, advertised: AdvertisedDefinitions, findings: Findings
) -> bool:
    """Report that definitions outside of the folders of pulled files have a tool of a server; return whether they do.

    Args:
        readers: the packages that read the file.
        file: the file of the server.
        advertised: its definitions.
        findings: receives the diagnostic.
    """
    names = {str(tool["name"]) for tool in advertised.tools}
    folder = resolve_path(file.parent)
    for package in readers:
        for name, place in find_own_tools(package):
            is_pulled = folder in resolve_path(place).parents or place.parent.name == PULLED_FOLDER
            if name in names and not is_pulled:
                help = "delete that to pull again, leave the tool out with --exclude, or compare: mcpgen check --server"
                message = f'{format_path(place)} has a tool "{name}", too, and one package cannot hold both'
                findings.error("MG711", message, Span(format_path(file)), help)
                return True
    return False


def report_other_server(file: Path, server: str, identity: str, findings: Findings) -> bool:
    """Report that the file of a server is of another one, whose definitions would be lost; return whether it is.

    Args:
        file: the file, whose name was made from the server's address.
        server: the server's address for people.
        identity: the digest of the address.
    """
    owner = read_server(file)
    if not owner or is_pulled_from(file, server, identity):
        return False
    known = [other.stem for other in find_files_pulled_from(server, file.parent, identity)]
    message = f"was pulled from {owner}" if owner != server else f"was pulled from another server called {owner}"
    help = f"give this server a name of its own: --name NAME; if it is the same one, moved: --name {file.stem}"
    if known:
        help = f"this server's file is {known[0]}.json: --name {known[0]}"
    findings.error("MG701", message, Span(format_path(file)), help)
    return True


def report_replaced_server(
    file: Path, server: str, identity: str, advertised: AdvertisedDefinitions, findings: Findings
) -> bool:
    """Report that a file of a name that the user chose would get nothing but definitions of another server.

    A server that was moved, or is started in another way, still has some of the definitions.

    Args:
        file: the file.
        server: the server's address for people.
        identity: the digest of the address.
        advertised: its definitions.
        findings: receives the diagnostic.

    Returns:
        Whether that is so.
    """
    owner = read_server(file)
    if not owner or is_pulled_from(file, server, identity):
        return False
    old, removed = _list_labels(_read_document(file)), list_removed_names(file, advertised)
    if not old or len(removed) < len(old):
        return False
    message = (
        f"was pulled from {'another server called ' * (owner == server)}{owner}, and would keep none of its definitions"
    )
    help = "give this server a name of its own: --name; if it takes the place of the other one: --force"
    findings.error("MG701", message, Span(format_path(file)), help)
    return True


def list_removed_names(file: Path, advertised: AdvertisedDefinitions) -> tuple[str, ...]:
    """Return the names, or URIs, of definitions in a pulled file that the server no longer has."""
    if not read_server(file):
        return ()
    old, new = (
        _list_labels(_read_document(file)),
        _list_labels({member: [*items] for member, items in advertised.lists.items()}),
    )
    return tuple(label for label in old if label not in new)


def _list_labels(lists: Mapping[str, Json]) -> dict[str, None]:
    """Return what identifies each definition; the kind stands before all but tools."""
    return {
        f"{kind}{item[key]}": None
        for member, key, kind in _LABELLED_LISTS
        for item in map(as_object, as_array(lists.get(member)))
        if key in item
    }


def describe_new_file(file: Path) -> Iterator[str]:
    """Yield what the user should know of the place of a server's first file, if nobody chose that place."""
    if others := _list_neighbours(file):
        names = ", ".join(other.name for other in others)
        folder = format_path(file.parent)
        yield f"{folder} also has {names}: all these servers are one package (for one each: --from mcp.json --each)"


def describe_leftovers(
    packages: Sequence[ConfiguredPackage], pulled: Mapping[str, Path], known: frozenset[str]
) -> Iterator[str]:
    """Yield what earlier pulls and builds left behind, which no longer belongs to a configured server.

    Args:
        packages: the packages of the settings.
        pulled: the file of each server that was pulled, by the server's name.
        known: the servers of the configuration.
    """
    folders = [find_pulled_folder([package]) for package in packages]
    folders += sorted({file.parent for file in pulled.values()})
    folders += [package.folder / "schemas" / PULLED_FOLDER for package in packages[:1]]  # before there were settings
    files = {resolve_path(file) for file in pulled.values()}
    for folder in dict.fromkeys(map(resolve_path, folders)):
        for file in sorted(folder.glob("*.json")):
            server = "" if file in files else read_server(file)
            if successor := server and _find_successor(packages, pulled, file):
                yield f"{format_path(file)} is an older file of {successor}: remove it"
            elif server and server not in known and "address" in as_object(_read_document(file).get("generated")):
                yield f"{format_path(file)} is of {server}, which is no longer configured: remove it"
                yield from _describe_own_package(packages, file)


def _find_successor(packages: Sequence[ConfiguredPackage], pulled: Mapping[str, Path], file: Path) -> str:
    """Return the server that a pulled file is an older file of; empty if it is of none.

    A file that was pulled by the address of a server counts if no package of another server reads it.
    """
    server = read_server(file)
    if server in pulled or (len(packages) > 1 and any(package.reads(file) for package in packages)):
        return server if server in pulled else ""
    labels = _list_labels(_read_document(file)).keys()
    for name, other in pulled.items():
        newer = _list_labels(_read_document(other)).keys()
        if (labels and labels <= newer) or (labels & newer and is_pulled_from(other, server, "")):
            return name
    return ""


def _describe_own_package(packages: Sequence[ConfiguredPackage], file: Path) -> Iterator[str]:
    """Yield that the package of one server alone is obsolete, too, if the settings have one for a file."""
    for package in packages if len(packages) > 1 else ():
        table = locate_setting(package, ("schemas",))
        if (
            resolve_path(find_pulled_folder([package])) == file.parent
            and table is not None
            and not _list_neighbours(file)
        ):
            out = format_path(package.out)
            yield f"  and its [[package]] table, at {table.file}:{table.line}, and the folder {out}"


def describe_old_package(package: ConfiguredPackage) -> Iterator[str]:
    """Yield that the one package of all servers is obsolete when each gets one of its own, if it was built."""
    out = package.out
    if read_package_sdk(out) is not None:
        yield f"{format_path(out)} was built as one package: remove it before the next build"


def _list_neighbours(file: Path) -> list[Path]:
    """Return the other pulled files in the folder of one."""
    return [other for other in sorted(file.parent.glob("*.json")) if other.name != file.name and read_server(other)]


def _read_document(file: Path) -> dict[str, Json]:
    """Return the content of a pulled file; nothing if it cannot be read, which the next build reports."""
    try:
        return as_object(json.loads(read_input(file, 2**28)))
    except (OSError, ValueError, RecursionError):
        return {}

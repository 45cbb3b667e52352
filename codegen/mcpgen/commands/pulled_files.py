"""Files in `schemas/pulled/` with the definitions of servers: their text, folders, and what clashes with them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mcpgen_runtime.tool_contract import contract, list_contract_changes

from mcpgen import write
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import PULLED_FOLDER
from mcpgen.files.ownership import HASH_LABEL, MADE_BY_PULL, MAX_HEADER_LENGTH, read_json_header
from mcpgen.files.project_paths import find_project, is_within, resolve_path
from mcpgen.files.regular_files import read_input, read_regular
from mcpgen.introspect.definition_drift import make_advertised_output
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import format_server_address, identify_server
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import NAMED_LISTS, AdvertisedDefinitions
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.input_files import find_own_folder
from mcpgen.read.loader import find_own_tools, read_given_schemas
from mcpgen.schema.values import Json, as_array, as_object

_PIECES_AT_ONCE = 10_000
"""Pieces of JSON text that are encoded together."""


def find_pulled_folder(packages: Sequence[ConfiguredPackage]) -> Path:
    """Return the folder for pulled files: `pulled` in the first input folder of the settings."""
    return find_own_folder(packages, PULLED_FOLDER)


@dataclass(frozen=True)
class PulledHeader:
    """What `pull` has noted in a file; all of it is empty in a file that `pull` did not write."""

    server: str = ""
    """The name for people of the server that it was pulled from."""
    address: str = ""
    """Its address, if that is another text."""
    identity: str = ""
    """What `identify_server` says of it."""
    prefix: str = ""
    """The text before the names of tools and prompts."""
    exclude: tuple[str, ...] = ()
    """Patterns of the definitions that were left out."""

    def is_from(self, server: str, identity: str) -> bool:
        """Check whether the file is from a server, by its address or name, and by its identity if both have one."""
        is_same = not (identity and self.identity) or self.identity == identity
        return is_same and server in (self.server, self.address)


def read_pulled_header(path: Path) -> PulledHeader:
    """Return what `pull` has noted in a file."""
    try:
        start = read_regular(path, MAX_HEADER_LENGTH).decode("utf-8", "replace")
    except OSError:
        return PulledHeader()
    header = read_json_header(start, "pull") or {}
    texts = {name: header.get(name) for name in ("server", "address", "identity", "prefix")}
    known = {name: text for name, text in texts.items() if isinstance(text, str)}
    return PulledHeader(**known, exclude=tuple(map(str, as_array(header.get("exclude")))))


def find_files_pulled_from(server: str, folder: Path, identity: str = "") -> list[Path]:
    """Return the files of a folder that were pulled from a server, sorted by name."""
    return [path for path in sorted(folder.glob("*.json")) if read_pulled_header(path).is_from(server, identity)]


def render_pulled_file(advertised: AdvertisedDefinitions, header: PulledHeader, most: int = 2**32) -> str:
    """Render a file with sorted definitions, whose members keep the server's order; raise `IntrospectionError`.

    Fields and parameters of generated code will have this order. The file's `generated` member says that it belongs to
    `mcpgen pull`, and what is in the header.
    """
    lists = {member: values for member, values in advertised.lists.items() if values or member != "prompts"}
    content: dict[str, Json] = {"instructions": advertised.instructions} if advertised.instructions else {}
    content |= {member: list(values) for member, values in lists.items()}
    noted = {"address": header.address, "identity": header.identity, "prefix": header.prefix}
    generated: Json = {
        "by": MADE_BY_PULL,
        "server": header.server,
        "protocol": advertised.protocol,
        **{name: text for name, text in noted.items() if text},
        HASH_LABEL: _hash_content(advertised.instructions, lists),
        **({"exclude": [*header.exclude]} if header.exclude else {}),
    }
    document: Json = {"generated": generated, **content}
    data = _encode_json(document, False, most)
    try:
        return data.decode()
    except UnicodeDecodeError:  # UTF-8 cannot encode a lone surrogate, which has to be escaped
        return _encode_json(document, True, most).decode()


def _encode_json(value: Json, ensure_ascii: bool, most: int) -> bytes:
    """Encode indented JSON piece by piece: deep nesting makes a few bytes many, and the limit applies at once."""
    data, pieces, size = bytearray(), list[str](), 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=ensure_ascii, allow_nan=False).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            message = f"the file would have more than {most:,} characters"
            raise IntrospectionError("MG712", message, suggest_raising("response-size"))
        if len(pieces) > _PIECES_AT_ONCE:
            data += "".join(pieces).encode("utf-8", "surrogatepass")
            pieces.clear()
    return bytes(data + "".join(pieces).encode("utf-8", "surrogatepass") + b"\n")


def _hash_content(instructions: str, lists: dict[str, list[dict[str, Json]]]) -> str:
    """Return the SHA-256 of a file's members as canonical JSON, built one definition at a time to save memory."""
    digest = hashlib.sha256(b"{")
    members: list[str] = sorted([*lists, "instructions"] if instructions else lists)
    for number, member in enumerate(members):
        digest.update(f'{"," if number else ""}"{member}":'.encode())
        if member == "instructions":
            digest.update(json.dumps(instructions).encode())
            continue
        digest.update(b"[")
        for index, definition in enumerate(lists[member]):
            digest.update(b"," if index else b"")
            digest.update(json.dumps(definition, sort_keys=True, separators=(",", ":")).encode())
        digest.update(b"]")
    digest.update(b"}")
    return digest.hexdigest()


def write_pulled_file(folder: Path, name: str, text: str, force: bool, findings: Findings) -> Plan | None:
    """Write the file of a server, unless another one is in its place; return the plan, None if it is impossible."""
    path = f"{name}.json"
    span = Span(format_path(folder / path))
    try:
        plan = write.plan_and_apply(folder, lambda: plan_file(folder, path, text, force, "pull"))
    except OSError as error:
        write.report_failure(error, folder / path, findings)
        return None
    if not plan.refused:
        return plan
    if plan.refused[0].action is Action.EDITED:
        help = "undo the edit, or let --force overwrite it; to keep it, move the file out of the folder of pulled files"
        findings.error("MG401", "was edited by hand", span, help)
    else:
        is_regular = plan.refused[0].current is not None
        help = "choose another --name, or --force" if is_regular else "move it away, or choose another --name"
        findings.error("MG402", "is not mcpgen's and is in the way", span, help)
    return plan


def find_pulled_files(packages: Sequence[ConfiguredPackage], name: str, query: ServerQuery | None) -> list[Path]:
    """Return the files in the packages' folders that were pulled from the server, else those of a name."""
    folders = [*dict.fromkeys(find_pulled_folder([package]) for package in packages)] or [find_pulled_folder([])]
    named = [path for path in (folder / f"{name}.json" for folder in folders) if path.is_file()]
    if query is None:
        return named
    server, identity = format_server_address(query.source), identify_server(query.source)
    pulled = [path for folder in folders for path in find_files_pulled_from(server, folder, identity)]
    return [path for path in pulled if path in named] or pulled or named


_LABELLED_LISTS = (
    ("tools", "name", ""),
    ("prompts", "name", "prompt "),
    ("resources", "uri", "resource "),
    ("resourceTemplates", "uriTemplate", "resource "),
)
"""The members of a pulled file, what identifies their definitions, and the word before it in a report."""
Agreement = Literal["same", "partly", "different"]
"""What the schema that a server declares is, compared with that of the settings. It is "partly" the same if another
package that reads the file has no schema for the tool in its settings."""


# --- folders ---------------------------------------------------------------------------------------------------------
def _find_folder_of_name(packages: Sequence[ConfiguredPackage], name: str) -> Path | None:
    for package in packages:
        if any(name in Path(path).parts for path in package.settings.schemas):
            return find_pulled_folder([package])
    return None


def find_own_folder_of(packages: Sequence[ConfiguredPackage], name: str) -> Path | None:
    """Return the folder for a server's file if one of several packages is known to be that of the server."""
    if len(packages) <= 1:
        return None
    folders = (find_pulled_folder([package]) for package in packages)
    having_file = (folder for folder in folders if read_pulled_header(folder / f"{name}.json").server)
    return next(having_file, None) or _find_folder_of_name(packages, name)


def find_folder_of_server(packages: Sequence[ConfiguredPackage], name: str) -> Path:
    """Return the folder of a server's own package: that with its name or, of several, with its file."""
    known = _find_folder_of_name(packages, name) or find_own_folder_of(packages, name)
    base = packages[0].folder if packages else Path()
    return known or base / "schemas" / name / PULLED_FOLDER


def choose_folder(packages: Sequence[ConfiguredPackage], name: str, help: str, findings: Findings) -> Path | None:
    """Return the folder for a server's file; None, with an error, if it could be that of several packages."""
    folders, known = {find_pulled_folder([package]) for package in packages}, find_own_folder_of(packages, name)
    if known is None and len(folders) > 1:
        message = f"the settings have {len(folders)} packages, and none is that of {name}"
        findings.error("MG302", message, None, help)
        return None
    return known or find_pulled_folder(packages)


def check_folder(packages: Sequence[ConfiguredPackage], folder: Path, findings: Findings) -> Path | None:
    """Return a folder that the settings imply; None, with an error, if they lead out of the project."""
    roots = (packages[0].roots if packages else None) or (find_project(Path.cwd()),)
    if is_within(folder, roots):
        return folder
    help = "name it on the command line if that is intended: --out"
    findings.error("MG304", f"is outside the project {format_path(roots[0])}", Span(format_path(folder)), help)
    return None


# --- what keeps a file from being written ----------------------------------------------------------------------------
def report_clash(
    file: Path, server: str, advertised: AdvertisedDefinitions, ignored: frozenset[str], findings: Findings
) -> bool:
    """Report that another pulled file, not an `ignored` one, has a tool or prompt of this name, too."""
    for other in _list_neighbours(file):
        document = {} if other.stem in ignored else _read_document(other)
        for member in NAMED_LISTS:
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
    """Report that a tool of a server is also defined outside of the folders of pulled files; return whether it is."""
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


def report_other_server(
    file: Path, server: str, identity: str, advertised: AdvertisedDefinitions, is_named: bool, findings: Findings
) -> bool:
    """Report a file of another server, unless it is the same one, moved, by a name that the user chose (`is_named`)."""
    owner = read_pulled_header(file).server
    if not owner or read_pulled_header(file).is_from(server, identity):
        return False
    message = f"was pulled from {'another server called ' * (owner == server)}{owner}"
    if is_named:
        old = _list_labels(_read_document(file))
        if not old or len(list_removed_names(file, advertised)) < len(old):
            return False
        message += ", and would keep none of its definitions"
        help = "give this server a name of its own: --name; if it takes the place of the other one: --force"
    elif known := [other.stem for other in find_files_pulled_from(server, file.parent, identity)]:
        help = f"this server's file is {known[0]}.json: --name {known[0]}"
    else:
        help = f"give this server a name of its own: --name NAME; if it is the same one, moved: --name {file.stem}"
    findings.error("MG701", message, Span(format_path(file)), help)
    return True


# --- outputSchemas that the settings give, and the server has come to declare as well --------------------------------
def compare_given_schemas(
    packages: Sequence[ConfiguredPackage], advertised: AdvertisedDefinitions
) -> dict[str, Agreement]:
    """Return how declared outputSchemas agree with those of the settings; unreadable ones are left out."""
    declaring = {str(tool["name"]): tool["outputSchema"] for tool in advertised.tools if "outputSchema" in tool}
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for package in packages:
        for name, schema in read_given_schemas(package, declaring, Findings()).items():
            wrap = package.settings.tools[name].wrap or package.settings.wrap or "always"
            given = make_advertised_output(schema, wrap, advertised.protocol)
            contracts = [contract({"name": name, "outputSchema": schema}) for schema in (given, declaring[name])]
            verdicts[name].append(not list_contract_changes(*contracts))
    return {name: _sum_up(are_same, len(packages)) for name, are_same in verdicts.items()}


def _sum_up(are_same: Sequence[bool], package_count: int) -> Agreement:
    if not all(are_same):
        return "different"
    return "same" if len(are_same) == package_count else "partly"


def locate_given_schemas(packages: Sequence[ConfiguredPackage], names: Collection[str]) -> tuple[str, ...]:
    """Return where the settings give outputSchemas to some tools, in words."""
    places: dict[str, None] = {}
    for package in packages:
        for name in names:
            choice = package.settings.tools.get(name)
            if choice is not None and choice.output_schema is not None:
                span = locate_setting(package, ("tools", name, "outputSchema"))
                place = "" if span is None else f" ({span.file}:{span.line})"
                places[f"outputSchema of {name}{place}"] = None
    return tuple(places)


def leave_out_schemas(advertised: AdvertisedDefinitions, names: Collection[str]) -> AdvertisedDefinitions:
    """Return the definitions without the outputSchemas of some tools."""
    tools = [
        {key: value for key, value in tool.items() if key != "outputSchema" or tool["name"] not in names}
        for tool in advertised.tools
    ]
    return replace(advertised, lists={**advertised.lists, "tools": tools})


# --- what is no longer there, and what is left behind ----------------------------------------------------------------
def list_removed_names(file: Path, advertised: AdvertisedDefinitions) -> tuple[str, ...]:
    """Return the names, or URIs, of definitions in a pulled file that the server no longer has."""
    if not read_pulled_header(file).server:
        return ()
    new = _list_labels({member: [*items] for member, items in advertised.lists.items()})
    return tuple(label for label in _list_labels(_read_document(file)) if label not in new)


def _list_labels(lists: Mapping[str, Json]) -> dict[str, None]:
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
    packages: Sequence[ConfiguredPackage], pulled: Mapping[str, Path], known: Collection[str]
) -> Iterator[str]:
    """Yield what earlier pulls and builds left behind, which belongs to none of the `known`, configured servers."""
    folders = [find_pulled_folder([package]) for package in packages]
    folders += sorted({file.parent for file in pulled.values()})
    folders += [package.folder / "schemas" / PULLED_FOLDER for package in packages[:1]]  # before there were settings
    files = {resolve_path(file) for file in pulled.values()}
    for folder in dict.fromkeys(map(resolve_path, folders)):
        for file in sorted(folder.glob("*.json")):
            server = "" if file in files else read_pulled_header(file).server
            if successor := server and _find_successor(packages, pulled, file):
                yield f"{format_path(file)} is an older file of {successor}: remove it"
            elif server and server not in known and "address" in as_object(_read_document(file).get("generated")):
                yield f"{format_path(file)} is of {server}, which is no longer configured: remove it"
                yield from _describe_own_package(packages, file)


def _find_successor(packages: Sequence[ConfiguredPackage], pulled: Mapping[str, Path], file: Path) -> str:
    """Return the server that a pulled file is an older file of; one that another server's package reads is none."""
    server = read_pulled_header(file).server
    if server in pulled or (len(packages) > 1 and any(package.reads(file) for package in packages)):
        return server if server in pulled else ""
    labels = _list_labels(_read_document(file)).keys()
    for name, other in pulled.items():
        newer = _list_labels(_read_document(other)).keys()
        if (labels and labels <= newer) or (labels & newer and read_pulled_header(other).is_from(server, "")):
            return name
    return ""


def _describe_own_package(packages: Sequence[ConfiguredPackage], file: Path) -> Iterator[str]:
    if len(packages) <= 1 or _list_neighbours(file):
        return
    for package in packages:
        table = locate_setting(package, ("schemas",))
        if resolve_path(find_pulled_folder([package])) == file.parent and table is not None:
            out = format_path(package.out)
            yield f"  and its [[package]] table, at {table.file}:{table.line}, and the folder {out}"


def _list_neighbours(file: Path) -> list[Path]:
    return [
        other
        for other in sorted(file.parent.glob("*.json"))
        if other.name != file.name and read_pulled_header(other).server
    ]


def _read_document(file: Path) -> dict[str, Json]:
    try:
        return as_object(json.loads(read_input(file, 2**28)))
    except (OSError, ValueError, RecursionError):
        return {}

"""Files in `schemas/pulled/` with the definitions of a server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from mcpgen import write
from mcpgen.config.models import ConfiguredPackage, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import PULLED_FOLDER
from mcpgen.files.ownership import HASH_LABEL, MADE_BY_PULL, MAX_HEADER_LENGTH, read_json_header
from mcpgen.files.regular_files import read_regular
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import format_server_address, identify_server
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.input_files import find_own_folder
from mcpgen.schema.values import Json

_PIECES_AT_ONCE = 10_000
"""Pieces of JSON text that are encoded together."""


def find_pulled_folder(packages: Sequence[ConfiguredPackage]) -> Path:
    """Return the folder for pulled files: `pulled` in the first input folder of the settings."""
    return find_own_folder(packages, PULLED_FOLDER)


def find_files_pulled_from(server: str, folder: Path, identity: str = "") -> list[Path]:
    """Return the files of a folder that were pulled from a server, sorted by name; see `is_pulled_from`."""
    return [path for path in sorted(folder.glob("*.json")) if is_pulled_from(path, server, identity)]


def is_pulled_from(path: Path, server: str, identity: str) -> bool:
    """Check whether a file was pulled from a server, by its address or name, and by its identity if both have one."""
    header = _read_header(path)
    recorded = header.get("identity")
    is_same = not identity or recorded is None or recorded == identity
    return is_same and server in (header.get("server"), header.get("address"))


def read_prefix(path: Path) -> str:
    """Return the text that `pull` has put before the names in a file; empty if there is none."""
    prefix = _read_header(path).get("prefix")
    return prefix if isinstance(prefix, str) else ""


def read_exclude(path: Path) -> tuple[str, ...]:
    """Return the patterns of definitions that `pull` has left out of a file."""
    exclude = _read_header(path).get("exclude")
    return tuple(map(str, exclude)) if isinstance(exclude, list) else ()


def read_server(path: Path) -> str:
    """Return the name for people of the server that a file was pulled from; empty if `pull` did not write the file."""
    header = _read_header(path)
    return str(header["server"]) if isinstance(header.get("server"), str) else ""


def _read_header(path: Path) -> dict[str, Json]:
    try:
        start = read_regular(path, MAX_HEADER_LENGTH).decode("utf-8", "replace")
    except OSError:
        return {}
    return read_json_header(start, "pull") or {}


def render_pulled_file(
    advertised: AdvertisedDefinitions,
    server: str,
    most: int = 2**32,
    prefix: str = "",
    *,
    address: str = "",
    identity: str = "",
    exclude: Sequence[str] = (),
) -> str:
    """Render a file with sorted definitions, whose members keep the server's order; raise `IntrospectionError`.

    Fields and parameters of generated code will have this order. The file's `generated` member says that it belongs to
    `mcpgen pull`, and where it is from: the server's name for people, its `address` if that is another text, its
    `identity` (see `identify_server`), and the prefix and the patterns with which it was pulled.
    """
    lists = {member: values for member, values in advertised.lists.items() if values or member != "prompts"}
    content: dict[str, Json] = {"instructions": advertised.instructions} if advertised.instructions else {}
    content |= {member: list(values) for member, values in lists.items()}
    generated: Json = {
        "by": MADE_BY_PULL,
        "server": server,
        "protocol": advertised.protocol,
        **({"address": address} if address else {}),
        **({"identity": identity} if identity else {}),
        **({"prefix": prefix} if prefix else {}),
        HASH_LABEL: _hash_content(advertised.instructions, lists),
        **({"exclude": [*exclude]} if exclude else {}),
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

"""A server's definitions as a file of `schemas/pulled/`: where it is, what is in it, and putting it there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from mcpgen import write
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.input_files import PULLED_FOLDER
from mcpgen.schema.values import Json

RAISE_LIMIT_HELP = "raise `response-size` of `limits` in the settings if this is meant"


def find_pulled_folder(packages: Sequence[ConfiguredPackage]) -> Path:
    """The folder for pulled files: `pulled` in the first input folder of the settings."""
    for package in packages:
        for path in map(Path, package.settings.schemas):
            if PULLED_FOLDER in path.parts:
                return package.folder / Path(*path.parts[: path.parts.index(PULLED_FOLDER) + 1])
            if path.suffix not in DEFINITION_SUFFIXES:
                return package.folder / path / PULLED_FOLDER
    return Path("schemas") / PULLED_FOLDER


def render_pulled_file(advertised: AdvertisedDefinitions, server: str, most: int = 2**32) -> str:
    """The file's text: definitions sorted by name, the members of each in the order in which they were sent.

    That order is what fields and parameters will have, so it is worth more than a sorted one. Nothing of it is left
    out. The `generated` member says whose the file is, of which server, and under which protocol version it
    was pulled; `server` is a name for people, by which nothing is asked again.

    Raises:
        CannotAsk: the text would have more than `most` characters.
    """
    content: dict[str, Json] = {member: list(values) for member, values in advertised.lists.items()}
    generated: Json = {
        "by": "mcpgen pull",
        "server": server,
        "protocol": advertised.protocol,
        "mcpgen-sha256": _hash_lists(advertised.lists),
    }
    whole: Json = {"generated": generated, **content}
    data = _encode_json(whole, False, most)
    try:
        return data.decode()
    except UnicodeDecodeError:  # a lone surrogate, which UTF-8 cannot say, has to be escaped
        return _encode_json(whole, True, most).decode()


def _encode_json(value: Json, ensure_ascii: bool, most: int) -> bytes:
    """JSON for people, made piece by piece: deeply nested, a few bytes become many, by their indentation."""
    out, parts, size = bytearray(), list[str](), 0
    for part in json.JSONEncoder(indent=2, ensure_ascii=ensure_ascii, allow_nan=False).iterencode(value):
        parts.append(part)
        size += len(part)
        if size > most:
            raise IntrospectionError("MG712", f"the file would have more than {most:,} characters", RAISE_LIMIT_HELP)
        if len(parts) > 10_000:
            out += "".join(parts).encode("utf-8", "surrogatepass")
            parts.clear()
    return bytes(out + "".join(parts).encode("utf-8", "surrogatepass") + b"\n")


def _hash_lists(lists: dict[str, list[dict[str, Json]]]) -> str:
    """The SHA-256 of the lists as canonical JSON, made a definition at a time, since all of it may be large."""
    found = hashlib.sha256()
    for number, member in enumerate(sorted(lists)):
        found.update(f'{"," if number else "{"}"{member}":['.encode())
        for index, one in enumerate(lists[member]):
            found.update(b"," if index else b"")
            found.update(json.dumps(one, sort_keys=True, separators=(",", ":")).encode())
        found.update(b"]")
    found.update(b"}")
    return found.hexdigest()


def write_pulled_file(folder: Path, name: str, text: str, force: bool, findings: Findings) -> Plan | None:
    """Write a server's file, unless one that is not pull's own stands in the way; the plan, or None with a finding."""
    path = f"{name}.json"
    where = Span(format_path(folder / path))
    try:
        made = write.plan_and_apply(folder, lambda: plan_file(folder, path, text, force, "pull"))
    except OSError as error:
        findings.error("MG404", f"cannot be written: {error.strerror or error}", where)
        return None
    if not made.refused:
        return made
    if made.refused[0].action is Action.EDITED:
        help = "undo the edit, or let --force overwrite it; choices belong into the settings"
        findings.error("MG401", "was edited by hand", where, help)
    else:
        findings.error("MG402", "is not mcpgen's and stands in the way", where, "choose another --name, or --force")
    return made

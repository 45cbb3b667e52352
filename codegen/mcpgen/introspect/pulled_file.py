"""A server's definitions as a file of `schemas/pulled/`: where it is, what is in it, and putting it there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from mcpgen import write
from mcpgen.config.models import Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_access import SUFFIXES
from mcpgen.introspect.errors import CannotAsk
from mcpgen.introspect.validation import Advertised
from mcpgen.paths import shown
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.tool_options import PULLED
from mcpgen.schema.values import Json

RAISE = "raise `response-size` of `limits` in the settings if this is meant"


def folder_of(packages: Sequence[Package]) -> Path:
    """The folder for pulled files: `pulled` in the first input folder of the settings."""
    for package in packages:
        for path in map(Path, package.settings.schemas):
            if PULLED in path.parts:
                return package.folder / Path(*path.parts[: path.parts.index(PULLED) + 1])
            if path.suffix not in SUFFIXES:
                return package.folder / path / PULLED
    return Path("schemas") / PULLED


def file_text(advertised: Advertised, server: str, most: int = 2**32) -> str:
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
        "mcpgen-sha256": _digest(advertised.lists),
    }
    whole: Json = {"generated": generated, **content}
    data = _encoded(whole, False, most)
    try:
        return data.decode()
    except UnicodeDecodeError:  # a lone surrogate, which UTF-8 cannot say, has to be escaped
        return _encoded(whole, True, most).decode()


def _encoded(value: Json, ensure_ascii: bool, most: int) -> bytes:
    """JSON for people, made piece by piece: deeply nested, a few bytes become many, by their indentation."""
    out, parts, size = bytearray(), list[str](), 0
    for part in json.JSONEncoder(indent=2, ensure_ascii=ensure_ascii, allow_nan=False).iterencode(value):
        parts.append(part)
        size += len(part)
        if size > most:
            raise CannotAsk("MG712", f"the file would have more than {most:,} characters", RAISE)
        if len(parts) > 10_000:
            out += "".join(parts).encode("utf-8", "surrogatepass")
            parts.clear()
    return bytes(out + "".join(parts).encode("utf-8", "surrogatepass") + b"\n")


def _digest(lists: dict[str, list[dict[str, Json]]]) -> str:
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


def put(folder: Path, name: str, text: str, force: bool, findings: Findings) -> Plan | None:
    """Write a server's file, unless one that is not pull's own stands in the way; the plan, or None with a finding."""
    path = f"{name}.json"
    where = Span(shown(folder / path))
    try:
        made = write.bring(folder, lambda: plan_file(folder, path, text, force, "pull"))
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

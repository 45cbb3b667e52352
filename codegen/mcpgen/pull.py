"""A server's definitions as a file of `schemas/pulled/`: where it is, what is in it, and putting it there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from mcpgen import write
from mcpgen.config import Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.json_types import Json
from mcpgen.live.checked import Advertised
from mcpgen.paths import shown
from mcpgen.plan import Action, Plan, plan_file
from mcpgen.read.disk import SUFFIXES
from mcpgen.read.reader import PULLED


def folder_of(packages: Sequence[Package]) -> Path:
    """The folder for pulled files: `pulled` in the first input folder of the settings."""
    for package in packages:
        for path in map(Path, package.settings.schemas):
            if PULLED in path.parts:
                return package.folder / Path(*path.parts[: path.parts.index(PULLED) + 1])
            if path.suffix not in SUFFIXES:
                return package.folder / path / PULLED
    return Path("schemas") / PULLED


def file_text(advertised: Advertised, server: str) -> str:
    """The file's text: definitions sorted by name, the members of each in the order in which they were sent.

    That order is what fields and parameters will have, so it is worth more than a sorted one. Nothing of it is left
    out. The `generated` member says whose the file is, of which server, and under which protocol version it
    was pulled.
    """
    content: dict[str, Json] = {member: list(values) for member, values in advertised.lists.items()}
    body = json.dumps(content, sort_keys=True, separators=(",", ":"))
    generated: Json = {
        "by": "mcpgen pull",
        "server": server,
        "protocol": advertised.protocol,
        "mcpgen-sha256": hashlib.sha256(body.encode()).hexdigest(),
    }
    whole = {"generated": generated, **content}
    text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    return text if _is_unicode(text) else json.dumps(whole, indent=2) + "\n"


def _is_unicode(text: str) -> bool:
    """Whether UTF-8 can say it: a lone surrogate has to be escaped."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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

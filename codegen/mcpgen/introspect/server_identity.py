"""Digests that tell servers apart whose addresses read alike, since parts of an address are not shown."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from mcpgen.files.project_paths import find_project
from mcpgen.introspect.launchers import find_program
from mcpgen.introspect.public_address import HIDDEN, redact_url
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url

_DIGITS = 4
"""Hexadecimal digits of an identity: enough to tell a few servers apart, too few to confirm a guessed secret."""
_SCRIPT_SUFFIXES = frozenset((".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".jar"))


def identify_server(address: ServerAddress) -> str:
    """Return a short digest of what `format_server_address` leaves out; empty if it leaves out nothing of interest.

    User info, queries and arguments have no influence: they change without another server being meant.
    """
    match address:
        case Url(text):
            return _hash_text(urlsplit(text).path) if HIDDEN in redact_url(text) else ""
        case InProcess():
            return ""
        case Command(words, folder):
            return _hash_text(_normalize_program(find_program(words) or words[0], Path(folder or "")))


def _normalize_program(program: str, folder: Path) -> str:
    """Return a program without what differs between two machines: its version, and the folders around a project."""
    if os.path.splitext(program)[1].lower() in _SCRIPT_SUFFIXES:
        path, project = Path(os.path.abspath(folder / program)), find_project(Path.cwd())
        inside = path.relative_to(project).parts if path.is_relative_to(project) else path.parts[-2:]
        return "/".join(inside)
    if os.path.isabs(program) or program.startswith("."):
        return os.path.splitext(os.path.basename(program))[0]
    return re.sub(r"(?<=.)@[^@/]*$|[=<>!~]=.*$", "", program)


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]

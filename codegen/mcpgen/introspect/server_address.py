"""Addresses of servers: a command, a URL, or an object of a Python module; how they are written, and told apart."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias
from urllib.parse import urlsplit

from mcpgen.files.project_paths import find_project
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.launchers import find_program, strip_program_path
from mcpgen.introspect.public_address import HIDDEN, is_plain, redact_url

ADDRESS_FORMS = "a URL, `package.module:server`, or a command: `-- npx -y some-server`"
_GENERIC_NAMES = frozenset("__main__ app bin build cli dist index lib main out src".split())
"""Names of files and folders that do not describe the server in them."""
_DIGITS = 4
"""Hexadecimal digits of an identity: enough to tell a few servers apart, too few to confirm a guessed secret."""
SCRIPT_SUFFIXES = frozenset((".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".jar"))


@dataclass(frozen=True)
class Command:
    """Program that communicates through its standard streams; its arguments may be secret and are not shown."""

    words: tuple[str, ...]
    folder: str | None = None
    """Its working folder; None: that of this process."""
    end_event: ClassVar[str] = "the server's process ended"
    """What has happened when the other side is gone."""


@dataclass(frozen=True)
class Url:
    """Endpoint of a Streamable HTTP server; its user info and query may be secret and are not shown."""

    text: str
    end_event: ClassVar[str] = "the server closed the connection"


@dataclass(frozen=True)
class InProcess:
    """Server object, or function that makes one, in a module that can be imported."""

    module: str
    attribute: str
    end_event: ClassVar[str] = "the server ended"


ServerAddress: TypeAlias = Command | Url | InProcess


def parse_server_address(arguments: Sequence[str]) -> ServerAddress:
    """Parse the address on a command line, a word or those of a command; raise `IntrospectionError` if it is wrong."""
    if len(arguments) == 1:
        (argument,) = arguments
        if re.match(r"https?://", argument, re.IGNORECASE):
            return _parse_url(argument)
        if match := re.fullmatch(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)", argument):
            return InProcess(match[1], match[2])
        try:
            arguments = _split_command(argument)
        except ValueError:
            raise IntrospectionError("MG701", "the server's command has a quote that is never closed", "") from None
    if arguments and (re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", arguments[0]) or not arguments[0]):
        message = "mcpgen cannot ask a server with a URL of this kind"
        raise IntrospectionError("MG701", message, "write https:// or http://")
    if arguments and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", arguments[0]):
        help = "write --env NAME=value, or --env NAME to pass one on, before the command"
        raise IntrospectionError("MG701", "the server's command starts with a variable of a shell", help)
    if not arguments:
        raise IntrospectionError("MG701", "no server is named", f"name one: {ADDRESS_FORMS}")
    return Command(tuple(arguments))


def _split_command(text: str) -> list[str]:
    """Split a command as a POSIX shell does, but on Windows, where paths have them, without escaping backslashes."""
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


def _parse_url(text: str) -> Url:
    if HIDDEN in text:
        help = "files and messages hold no whole URL, as it may hold secrets; give it as you know it"
        message = f'the server\'s URL has "{HIDDEN}" in it, which stands for what is not shown'
        raise IntrospectionError("MG701", message, help)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise IntrospectionError("MG701", "the server's URL is not valid", "") from None
    if not parts.hostname or port == 0:
        raise IntrospectionError("MG701", "the server's URL names no host", "write https://host/path")
    return Url(text)


def format_server_address(address: ServerAddress) -> str:
    """Return an address for messages and files, without anything that may be secret."""
    match address:
        case Url(text):
            return redact_url(text)
        case InProcess(module, attribute):
            return f"{module}:{attribute}"
        case Command():
            return make_server_name(address)


def make_server_name(address: ServerAddress) -> str:
    """Return a name for the server's file from its host, module or program, without anything that may be secret."""
    match address:
        case Url():
            return _slugify(urlsplit(format_server_address(address)).hostname or "") or "server"
        case InProcess(module, _):
            return _slugify(module)
        case Command(words):
            return _extract_name(find_program(words)) or _extract_name(strip_program_path(words[0])) or "server"


def _extract_name(argument: str) -> str:
    argument = re.sub(r"(?<=.)@[^@/]*$|(?:\[|[=<>!~]=).*$", "", argument)
    segments = re.split(r"[/\\]", argument)
    names = [re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|exe|sh)$", "", segment) for segment in segments]
    specific = [name for name in names if name not in _GENERIC_NAMES and _slugify(name)]
    return _slugify(specific[-1]) if specific and is_plain(specific[-1]) else ""


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")


def identify_server(address: ServerAddress) -> str:
    """Return a short digest of what `format_server_address` leaves out, but for user info, queries and arguments."""
    match address:
        case Url(text):
            return _hash_text(urlsplit(text).path) if HIDDEN in redact_url(text) else ""
        case InProcess():
            return ""
        case Command(words, folder):
            return _hash_text(_normalize_program(find_program(words) or words[0], Path(folder or "")))


def _normalize_program(program: str, folder: Path) -> str:
    """Return a program without what differs between two machines: its version, and the folders around a project."""
    if os.path.splitext(program)[1].lower() in SCRIPT_SUFFIXES:
        path, project = Path(os.path.abspath(folder / program)), find_project(Path.cwd())
        inside = path.relative_to(project).parts if path.is_relative_to(project) else path.parts[-2:]
        return "/".join(inside)
    if os.path.isabs(program) or program.startswith("."):
        return os.path.splitext(os.path.basename(program))[0]
    return re.sub(r"(?<=.)@[^@/]*$|[=<>!~]=.*$", "", program)


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]

"""Which server to ask: a command that serves on its standard streams, a URL, or an object of a Python module."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import HIDDEN, find_program, is_plain, redact_url, strip_program_path

ADDRESS_FORMS = "a URL, `package.module:server`, or a command: `-- npx -y some-server`"
_GENERIC_NAMES = frozenset("__main__ app bin build cli dist index lib main out src".split())
"""Names of files and folders that say nothing of the server in them."""


@dataclass(frozen=True)
class Command:
    """A program and its arguments; arguments may hold secrets and are not shown."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Url:
    """The endpoint of a Streamable HTTP server; user info and query may hold secrets and are not shown."""

    text: str


@dataclass(frozen=True)
class InProcess:
    """A server object, or a function that makes one, in a module that can be imported."""

    module: str
    attribute: str


ServerAddress: TypeAlias = Command | Url | InProcess


def parse_server_address(words: Sequence[str]) -> ServerAddress:
    """The server that the words of a command line name.

    Raises:
        CannotAsk: they name none.
    """
    if len(words) == 1:
        (word,) = words
        if re.match(r"https?://", word, re.IGNORECASE):
            return _parse_url(word)
        if found := re.fullmatch(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)", word):
            return InProcess(found[1], found[2])
        try:
            words = shlex.split(word)
        except ValueError:
            raise IntrospectionError("MG701", "the server's command has a quote that is never closed", "") from None
    if words and (re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", words[0]) or not words[0]):
        raise IntrospectionError(
            "MG701", "the server's URL is of no scheme that can be asked", "write https:// or http://"
        )
    if words and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
        help = "write --env NAME=value, or --env NAME to pass one on, before the command"
        raise IntrospectionError("MG701", "the server's command starts with a variable of a shell", help)
    if not words:
        raise IntrospectionError("MG701", "no server is named", f"name one: {ADDRESS_FORMS}")
    return Command(tuple(words))


def _parse_url(text: str) -> Url:
    if HIDDEN in text:
        help = "files and messages hold no whole URL, as it may hold secrets; give it as you know it"
        raise IntrospectionError(
            "MG701", f'the server\'s URL has "{HIDDEN}" in it, which stands for what is not shown', help
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise IntrospectionError("MG701", "the server's URL is not valid", "") from None
    if not parts.hostname or port == 0:
        raise IntrospectionError("MG701", "the server's URL names no host", "write https://host/path")
    return Url(text)


def format_server_address(source: ServerAddress) -> str:
    """What messages and files call a server: enough to know it, nothing that may be secret."""
    match source:
        case Url(text):
            return redact_url(text)
        case InProcess(module, attribute):
            return f"{module}:{attribute}"
        case Command():
            return make_server_name(source)


def make_server_name(source: ServerAddress) -> str:
    """A name for the server's file: of its host, its module, or the word of its command that says which server it is.

    It holds nothing of an argument, nor what has no form of a name; "server" where nothing is left.
    """
    match source:
        case Url():
            return _slugify(urlsplit(format_server_address(source)).hostname or "") or "server"
        case InProcess(module, _):
            return _slugify(module)
        case Command(words):
            return _extract_name(find_program(words)) or _extract_name(strip_program_path(words[0])) or "server"


def _extract_name(word: str) -> str:
    """The name in a word that names a program, a package, an image, a module or a script."""
    word = re.sub(r"(?<=.)@[^@/]*$|(?:\[|[=<>!~]=).*$", "", word)
    names = [re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|exe|sh)$", "", part) for part in re.split(r"[/\\]", word)]
    telling = [name for name in names if name not in _GENERIC_NAMES and _slugify(name)]
    return _slugify(telling[-1]) if telling and is_plain(telling[-1]) else ""


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")

"""Which server to ask: a command that serves on its standard streams, a URL, or an object of a Python module."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from mcpgen.live.errors import CannotAsk

FORMS = "a URL, `package.module:server`, or a command: `-- npx -y some-server`"
_LAUNCHERS = frozenset(
    "bun bunx deno dlx docker env exec node npm npx pipx pnpm podman py python run sh tool tsx uv uvx yarn".split()
)
"""Words that start a server without saying which one."""
_ANYWHERE = frozenset("__main__ app bin build cli dist index lib main out src".split())
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


Source: TypeAlias = Command | Url | InProcess


def parse(words: Sequence[str]) -> Source:
    """The server that the words of a command line name.

    Raises:
        CannotAsk: they name none.
    """
    if len(words) == 1:
        (word,) = words
        if re.match(r"https?://", word, re.IGNORECASE):
            return _url(word)
        if found := re.fullmatch(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)", word):
            return InProcess(found[1], found[2])
        try:
            words = shlex.split(word)
        except ValueError:
            raise CannotAsk("MG701", "the server's command has a quote that is never closed", "") from None
    if not words:
        raise CannotAsk("MG701", "no server is named", f"name one: {FORMS}")
    return Command(tuple(words))


def _url(text: str) -> Url:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise CannotAsk("MG701", "the server's URL is not valid", "") from None
    if not parts.hostname or port == 0:
        raise CannotAsk("MG701", "the server's URL names no host", "write https://host/path")
    return Url(text)


def shown(source: Source) -> str:
    """What messages and files call a server: enough to know it, nothing that may be secret."""
    match source:
        case Url(text):
            parts = urlsplit(text)
            return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        case InProcess(module, attribute):
            return f"{module}:{attribute}"
        case Command():
            return name_of(source)


def name_of(source: Source) -> str:
    """A name for the server's file: of its host, its module, or the first word of its command that says which it is."""
    match source:
        case Url(text):
            return _slug(urlsplit(text).hostname or "")
        case InProcess(module, _):
            return _slug(module)
        case Command(words):
            return next((name for word in words if (name := _program(word))), "") or _slug(words[0]) or "server"


def _program(word: str) -> str:
    """The name in a word of a command, empty where it is an option, an assignment or a launcher."""
    if word.startswith("-") or "=" in word:
        return ""
    names = [re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|exe|sh)$", "", part) for part in re.split(r"[/\\]", word)]
    telling = [name for name in names if name not in _ANYWHERE and _slug(name)]
    last = telling[-1] if telling else ""
    return "" if re.sub(r"[\d.]+$", "", last) in _LAUNCHERS else _slug(last)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")

"""Headers and environment for a server, and keeping what they hold out of everything that is printed."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from mcpgen.live.errors import CannotAsk
from mcpgen.live.source import Command, Source, Url

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TELLING = re.compile("key|token|secret|pass|pwd|auth|cred|bearer", re.IGNORECASE)
"""What an argument's name holds when its value is secret."""
LONG = 6
"""Characters from which on a text is hidden inside of words, too."""


@dataclass(frozen=True)
class Access:
    """What a server is given along, by name. Nothing in it may be printed."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def access(
    headers: Sequence[str], headers_env: Sequence[str], env: Sequence[str], environ: Mapping[str, str]
) -> Access:
    """What `--header`, `--header-env` and `--env` say.

    Raises:
        CannotAsk: one of them is malformed, or asks for a variable that is not set.
    """
    given: dict[str, str] = {}
    for one in headers:
        name, colon, value = one.partition(":")
        if not colon:
            raise CannotAsk("MG701", "a --header has no colon", "write --header 'Name: value'")
        given[_header(name.strip(), value.strip())] = value.strip()
    for one in headers_env:
        name, sign, variable = one.partition("=")
        if not sign:
            raise CannotAsk("MG701", "a --header-env has no equals sign", "write --header-env Name=VARIABLE")
        if variable not in environ:  # it is not named: it may be the value, put there by mistake
            raise CannotAsk("MG701", f"the environment variable for the header {_word(name)} is not set", "")
        given[_header(name.strip(), environ[variable])] = environ[variable]
    variables: dict[str, str] = {}
    for one in env:
        name, sign, value = one.partition("=")
        if not _NAME.fullmatch(name):
            raise CannotAsk("MG701", "an --env has no name", "write --env NAME=value, or --env NAME to pass one on")
        if not sign and name not in environ:
            raise CannotAsk("MG701", f"the environment variable {_word(name)} is not set", "")
        variables[name] = value if sign else environ[name]
    return Access(given, variables)


def _header(name: str, value: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise CannotAsk("MG701", "a header's name is no token", "write --header 'Name: value'")
    if not value.isascii() or not value.isprintable():
        raise CannotAsk("MG701", f"the value of the header {_word(name)} has characters that no header can hold", "")
    return name


def _word(name: str) -> str:
    """A name as a message shows it; one that is no short name may be anything, so it is not shown."""
    return f'"{name}"' if _TOKEN.fullmatch(name) and len(name) <= 40 else "…"


class Redactor:
    """Puts *** in the place of everything secret, however it is written."""

    def __init__(self, held: Access, source: Source) -> None:
        found = {form for text in _secrets(held, source) for form in _forms(text)}
        ordered = sorted(found, key=len, reverse=True)
        self._patterns = [re.escape(one) if len(one) >= LONG else rf"(?<!\w){re.escape(one)}(?!\w)" for one in ordered]

    def __call__(self, text: str) -> str:
        """The text without what must not be seen."""
        return re.sub("|".join(self._patterns), "***", text) if self._patterns else text


def gives_away(held: Access, source: Source, value: Any) -> bool:
    """Whether JSON that is to be kept as it is holds a secret: a header, a variable or argument called like one."""
    telling = {name: value for name, value in held.env.items() if _TELLING.search(name)}
    secrets = _secrets(Access(held.headers, telling), source)
    forms = {form for secret in secrets if len(secret) >= LONG for form in (secret, *_forms(secret))}
    return bool(forms) and any(form in text for text in _texts(value) for form in forms)


def _texts(value: Any) -> Iterator[str]:
    """Every string, number and name in JSON, as text."""
    stack: list[Any] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            held = cast("dict[str, Any]", one)
            yield from held
            stack.extend(held.values())
        elif isinstance(one, list):
            stack.extend(cast("list[Any]", one))
        else:
            yield str(one)


def _secrets(held: Access, source: Source) -> Iterable[str]:
    for value in (*held.headers.values(), *held.env.values()):
        yield value
        yield from (part for part in value.split() if len(part) >= LONG)
    match source:
        case Url(text):
            parts = urlsplit(text)
            info, _, _ = parts.netloc.rpartition("@")
            yield from (info, parts.username or "", parts.password or "", parts.query, parts.fragment)
            yield from (value for pair in parts.query.split("&") if len(value := pair.partition("=")[2]) >= LONG)
        case Command(words):
            for last, word in zip(("", *words), words, strict=False):
                name, sign, value = word.partition("=")
                if sign and _TELLING.search(name):
                    yield value
                elif last.startswith("-") and not word.startswith("-") and _TELLING.search(last):
                    yield word
        case _:
            pass


def _forms(text: str) -> Iterable[str]:
    """A secret as it may turn up: plain, quoted for URLs or JSON, in base64, out of base64."""
    if not text.strip():
        return
    yield text
    yield quote(text, safe="")
    yield unquote(text)
    yield json.dumps(text)[1:-1]
    yield repr(text)[1:-1]
    if len(text) >= LONG:
        yield base64.b64encode(text.encode()).decode().rstrip("=")

"""Headers and environment for a server, and keeping what they hold out of everything that is printed."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import (
    PUBLIC_SEGMENTS,
    PUBLIC_VALUES,
    find_program,
    is_harmless,
    is_path,
    is_plain,
    redact_url,
    strip_program_path,
)
from mcpgen.introspect.server_address import Command, ServerAddress, Url

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_SECRET_NAME = re.compile(
    "key|token|secret|pass|pwd|auth|cred|bearer|session|cookie|sign|pat$|^-[ktpP]$", re.IGNORECASE
)
"""What an argument's name holds when its value is secret, although it may have the form of a name."""
SHORTEST_INNER_SECRET = 6
"""Characters from which on a text is hidden inside of words, too."""


@dataclass(frozen=True)
class Credentials:
    """What a server is given along, by name. Nothing in it may be printed."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def parse_credentials(
    headers: Sequence[str], headers_env: Sequence[str], env: Sequence[str], environ: Mapping[str, str]
) -> Credentials:
    """What `--header`, `--header-env` and `--env` say.

    Raises:
        CannotAsk: one of them is malformed, or asks for a variable that is not set.
    """
    given: dict[str, str] = {}
    for one in headers:
        name, colon, value = one.partition(":")
        if not colon:
            raise IntrospectionError("MG701", "a --header has no colon", "write --header 'Name: value'")
        given[_check_header(name.strip(), value.strip())] = value.strip()
    for one in headers_env:
        name, sign, variable = one.partition("=")
        if not sign:
            raise IntrospectionError("MG701", "a --header-env has no equals sign", "write --header-env Name=VARIABLE")
        if variable not in environ:  # it is not named: it may be the value, put there by mistake
            raise IntrospectionError(
                "MG701", f"the environment variable for the header {_quote_name(name)} is not set", ""
            )
        given[_check_header(name.strip(), environ[variable])] = environ[variable]
    variables: dict[str, str] = {}
    for one in env:
        name, sign, value = one.partition("=")
        if not _VARIABLE_NAME.fullmatch(name):
            raise IntrospectionError(
                "MG701", "an --env has no name", "write --env NAME=value, or --env NAME to pass one on"
            )
        if not sign and name not in environ:
            raise IntrospectionError("MG701", f"the environment variable {_quote_name(name)} is not set", "")
        variables[name] = value if sign else environ[name]
    return Credentials(given, variables)


def _check_header(name: str, value: str) -> str:
    if not _HEADER_NAME.fullmatch(name):
        raise IntrospectionError("MG701", "a header's name is no token", "write --header 'Name: value'")
    if not value.isascii() or not value.isprintable():
        raise IntrospectionError(
            "MG701", f"the value of the header {_quote_name(name)} has characters that no header can hold", ""
        )
    return name


def _quote_name(name: str) -> str:
    """A name as a message shows it; one that is no short name may be anything, so it is not shown."""
    return f'"{name}"' if _HEADER_NAME.fullmatch(name) and len(name) <= 40 else "…"


class Redactor:
    """Puts *** in the place of everything secret, however it is written."""

    def __init__(self, held: Credentials, source: ServerAddress) -> None:
        found = collect_secrets(held, source)
        self._source = source
        self._known, self._possible = (
            _build_pattern(found.known, SHORTEST_INNER_SECRET),
            _build_pattern(found.possible - found.known, sys.maxsize),
        )

    def __call__(self, text: str) -> str:
        """A message without the secrets that are known to be some, or look it."""
        return text if self._known is None else self._known.sub("***", text)

    def redact_foreign(self, text: str) -> str:
        """A text of the server's, or of a library's, without anything that the server was given and may be secret."""
        text = self(_ANY_URL.sub(self._url, text))
        return text if self._possible is None else self._possible.sub("***", text)

    def _url(self, found: re.Match[str]) -> str:
        """A URL in a text: as the source is shown if it is on its host, else without what often holds secrets."""
        try:
            parts = urlsplit(found[0])
            own = isinstance(self._source, Url) and parts.hostname == urlsplit(self._source.text).hostname
            netloc = parts.netloc.rpartition("@")[2]
            return redact_url(found[0]) if own else f"{parts.scheme}://{netloc}{parts.path}"
        except ValueError:
            return "***"


_ANY_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+")


def _build_pattern(texts: Iterable[str], inside: int) -> re.Pattern[str] | None:
    """What finds texts however they are written; those of `inside` characters and more, within words as well."""
    forms = sorted({form for text in texts for form in _list_spellings(text)}, key=len, reverse=True)
    ends = r"(?<![\w-])", r"(?![\w-])"
    patterns = [re.escape(one) if len(one) >= inside else f"{ends[0]}{re.escape(one)}{ends[1]}" for one in forms]
    flags = re.IGNORECASE if inside == SHORTEST_INNER_SECRET else 0  # hosts are told in lower case
    return re.compile("|".join(patterns), flags) if patterns else None


def contains_secret(held: Credentials, source: ServerAddress, value: Any) -> bool:
    """Whether JSON that is to be kept as it is holds a secret that the server was given."""
    long = [secret for secret in collect_secrets(held, source).known if len(secret) >= SHORTEST_INNER_SECRET]
    forms = {form for secret in long for form in (secret, *_list_spellings(secret))}
    return bool(forms) and any(form in text for text in _walk_texts(value) for form in forms)


def _walk_texts(value: Any) -> Iterator[str]:
    """Every string, number and name in JSON, as text."""
    stack: list[Any] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            held = cast("dict[str, Any]", one)
            yield from held
            stack.extend(held.values())
        elif isinstance(one, list):
            stack.extend(cast(Any, one))
        else:
            yield str(one)


# --- what is secret --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Secrets:
    """Texts that a server was given."""

    known: set[str] = field(default_factory=set[str], repr=False)
    """Those that stand where secrets stand, or have no form of a name."""
    possible: set[str] = field(default_factory=set[str], repr=False)
    """The rest of what is not known to be harmless."""

    def add_value(self, name: str, value: str) -> None:
        """Sort what stands in a value, and in the parts of it: a header, a URL, JSON, a list."""
        telling = _SECRET_NAME.search(name) is not None
        if not value.strip() or (is_harmless(value) and (value.lower() in PUBLIC_VALUES or not telling)):
            return
        if is_path(value) and not telling:
            return
        plain = "://" in value or all(map(is_plain, value.split()))
        (self.known if telling or not plain else self.possible).add(value)
        parts = [part for part in re.split(r"[\s\"'{}\[\](),;&=:/@?#|\\]+", value) if len(part) >= 3]
        for part in parts:
            if part != value and not is_harmless(part) and part.lower() not in _HARMLESS_WORDS:
                secret = len(part) >= SHORTEST_INNER_SECRET and (telling or not is_plain(part))
                (self.known if secret else self.possible).add(part)
        for found in _ANY_URL.findall(value):
            self.add_url(found)

    def add_url(self, text: str) -> None:
        """Sort what stands in a URL."""
        try:
            parts = urlsplit(text)
        except ValueError:
            self.known.add(text)
            return
        info = parts.netloc.rpartition("@")[0]
        self.known.update(part for part in (info, *info.split(":"), parts.query, parts.fragment) if part)
        for pair in re.split("[&;]", f"{parts.query}&{parts.fragment}"):
            name, sign, value = pair.partition("=")
            secret = value if sign else name
            if secret and not is_harmless(secret):
                (
                    self.known if len(secret) >= SHORTEST_INNER_SECRET or _SECRET_NAME.search(name) else self.possible
                ).add(secret)
        for part in (*(parts.hostname or "").split(".")[:-2], *parts.path.split("/")):
            if part and part.lower() not in PUBLIC_SEGMENTS and (len(part) >= SHORTEST_TOKEN or not is_plain(part)):
                self.known.add(part)


SHORTEST_TOKEN = 20
"""Characters from which on a part of a URL is taken for a token, though it has the form of a name."""
_HARMLESS_WORDS = frozenset(
    "authorization basic bearer content-type authentication application header http https username password".split()
)
"""Words beside secrets that are none."""


def collect_secrets(held: Credentials, source: ServerAddress) -> Secrets:
    """What a server is given that nobody else is to see."""
    out = Secrets()
    for value in held.headers.values():
        out.known.add(value)
        out.known.update(
            part for part in value.split() if len(part) >= SHORTEST_INNER_SECRET and part.lower() not in _HARMLESS_WORDS
        )
    for name, value in held.env.items():
        out.add_value(name, value)
    match source:
        case Url(text):
            out.add_url(text)
        case Command(words):
            program = find_program(words)
            if (words[0] != program and not is_path(words[0])) or not is_plain(strip_program_path(words[0])):
                out.add_value("", words[0])
            for last, word in pairwise(words):
                name, sign, value = word.partition("=")
                if sign and (word.startswith("-") or _VARIABLE_NAME.fullmatch(name)):
                    out.add_value(name, value)
                elif _OPTION.fullmatch(word) and is_plain(word):
                    continue
                elif re.fullmatch(r"-[A-Za-z]\S+", word):
                    out.add_value("", word[2:])  # `-kVALUE`
                elif not ((word == program and _has_plain_parts(word)) or os.path.exists(word)):
                    out.add_value(last if _OPTION.fullmatch(last) else "", word)
        case _:
            pass
    return out


def _has_plain_parts(program: str) -> bool:
    """Whether each part of what names a program has the form of a name."""
    return all(is_plain(part) for part in re.split(r"[/\\]", program) if part not in ("", ".", "..", "~"))


def _list_spellings(text: str) -> Iterable[str]:
    """A secret as it may turn up: plain, quoted for URLs or JSON, in base64, out of base64."""
    if not text.strip():
        return
    yield text
    yield quote(text, safe="")
    yield unquote(text)
    yield json.dumps(text)[1:-1]
    yield repr(text)[1:-1]
    if len(text) >= SHORTEST_INNER_SECRET:
        yield base64.b64encode(text.encode()).decode().rstrip("=")

"""Redaction of messages: nothing secret that a server was given is printed or written."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.public_address import redact_url
from mcpgen.introspect.secret_texts import SHORTEST_INNER_SECRET, URL_PATTERN, Secrets, collect_secrets
from mcpgen.introspect.server_address import Command, ServerAddress, Url
from mcpgen.schema.keywords import KEYWORD_TABLE, Role
from mcpgen.schema.values import Json

_REPLACEMENT = "***"
_DECISIVE_MEMBERS = {"name", "uri", "uriTemplate", "mimeType"} | {
    name
    for name, keyword in KEYWORD_TABLE.items()
    if keyword.role in (Role.ASSERTION, Role.REFERENCE, Role.IDENTIFIER) and name != "$comment"
}
"""Members whose texts programs rely on; another text there would be another definition."""


class Redactor:
    """Replacement of secrets by ***, in every common spelling."""

    def __init__(self, credentials: Credentials, address: ServerAddress) -> None:
        self._credentials, self._address = credentials, address

    def __call__(self, text: str) -> str:
        """Return one of mcpgen's own messages without known secrets."""
        # Known secrets match in any case: hosts are printed in lower case.
        pattern = _build_pattern(self._collect().known, SHORTEST_INNER_SECRET, re.IGNORECASE)
        return text if pattern is None else pattern.sub(_REPLACEMENT, text)

    @property
    def has_authorisation(self) -> bool:
        """Whether the server was given a header `Authorization`."""
        return any(name.lower() == "authorization" for name in self._credentials.headers)

    def redact_foreign(self, text: str) -> str:
        """Return a text from the server or a library without known or possible secrets, and with redacted URLs."""
        text = self(URL_PATTERN.sub(self._redact_url, text))
        secrets = self._collect()
        pattern = _build_pattern(secrets.possible - secrets.known, sys.maxsize)
        return text if pattern is None else pattern.sub(_REPLACEMENT, text)

    def explain(self, text: str) -> str:
        """Return why a redacted text has *** in it, if that can stand for a plain word of the server's command."""
        if _REPLACEMENT not in text or not isinstance(self._address, Command):
            return ""
        words = [
            word
            for previous, word in pairwise(self._address.words)
            if not word.startswith("-") and "=" not in word and not previous.startswith("-")
        ]
        if not any(_REPLACEMENT in self.redact_foreign(word) for word in words):
            return ""
        return f"{_REPLACEMENT} stands for a word of the server's command, or another text, that could be a secret"

    def _collect(self) -> Secrets:
        """Return the secrets so far; a server can give tokens at any time."""
        return collect_secrets(self._credentials, self._address)

    def _redact_url(self, match: re.Match[str]) -> str:
        """Redact a URL: strictly if it is on the server's host, else only user info, query and fragment."""
        try:
            parts = urlsplit(match[0])
            if isinstance(self._address, Url) and parts.hostname == urlsplit(self._address.text).hostname:
                return redact_url(match[0])
            netloc = parts.netloc.rpartition("@")[2]
            return f"{parts.scheme}://{netloc}{parts.path}"
        except ValueError:
            return _REPLACEMENT


def _build_pattern(texts: Iterable[str], inner_length: int, flags: int = 0) -> re.Pattern[str] | None:
    """Build a pattern that finds texts in every spelling; None if there are no texts.

    Spellings of at least `inner_length` characters are found inside words, too; shorter ones only as whole words.
    """
    spellings = sorted({spelling for text in texts for spelling in _list_spellings(text)}, key=len, reverse=True)
    patterns = [
        re.escape(spelling) if len(spelling) >= inner_length else rf"(?<![\w-]){re.escape(spelling)}(?![\w-])"
        for spelling in spellings
    ]
    return re.compile("|".join(patterns), flags) if patterns else None


class DefinitionRedactor:
    """Replacement of known secrets by *** in JSON that is to be written."""

    def __init__(self, credentials: Credentials, address: ServerAddress) -> None:
        self._spellings = _list_written_spellings(credentials, address)
        self.found = False
        """Whether the last value held a secret."""
        self.is_decisive = False
        """Whether a secret there was not only in a text for people or models, so that the rest is of no use."""

    def redact(self, value: Json) -> Json:
        """Return a value without secrets."""
        self.found = self.is_decisive = False
        return self._redact_part(value, "") if self._spellings else value

    def _redact_part(self, value: Json, member: str) -> Json:
        if isinstance(value, dict):
            if any(map(self._holds_secret, value)):
                self.found = self.is_decisive = True
            return {name: self._redact_part(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._redact_part(inner, member) for inner in value]
        text = str(value)
        if not self._holds_secret(text):
            return value
        self.found = True
        self.is_decisive |= not isinstance(value, str) or member in _DECISIVE_MEMBERS
        for spelling in self._spellings:
            text = text.replace(spelling, _REPLACEMENT)
        return text

    def _holds_secret(self, text: str) -> bool:
        return any(spelling in text for spelling in self._spellings)


def contains_secret(credentials: Credentials, address: ServerAddress, value: Any) -> bool:
    """Check whether JSON that is to be written unchanged contains a known secret."""
    spellings = _list_written_spellings(credentials, address)
    return bool(spellings) and any(spelling in text for text in _walk_texts(value) for spelling in spellings)


def _list_written_spellings(credentials: Credentials, address: ServerAddress) -> list[str]:
    """Return the spellings of the known secrets, except for very short ones, the longest first."""
    secrets = [text for text in collect_secrets(credentials, address).known if len(text) >= SHORTEST_INNER_SECRET]
    spellings = {spelling for secret in secrets for spelling in (secret, *_list_spellings(secret))}
    return sorted(spellings, key=len, reverse=True)


def _walk_texts(value: Any) -> Iterator[str]:
    """Yield every string, number and name in JSON as text."""
    stack: list[Any] = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            members = cast("dict[str, Any]", part)
            yield from members
            stack.extend(members.values())
        elif isinstance(part, list):
            stack.extend(cast(Any, part))
        else:
            yield str(part)


def _list_spellings(text: str) -> Iterable[str]:
    """Yield a secret as it may be printed: unchanged, quoted for URLs, JSON or Python, and in base64."""
    if not text.strip():
        return
    yield text
    yield quote(text, safe="")
    yield unquote(text)
    yield json.dumps(text)[1:-1]
    yield repr(text)[1:-1]
    if len(text) >= SHORTEST_INNER_SECRET:
        yield base64.b64encode(text.encode()).decode().rstrip("=")

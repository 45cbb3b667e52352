"""Redaction: nothing secret that a server was given is printed or written."""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import assert_never
from urllib.parse import quote, unquote, urlsplit

from mcpgen.introspect.server_address import (
    HIDDEN,
    LAUNCHER_OPTIONS,
    PUBLIC_HEADERS,
    PUBLIC_OPTIONS,
    PUBLIC_SEGMENTS,
    PUBLIC_SUBCOMMANDS,
    PUBLIC_VALUES,
    Command,
    InProcess,
    ServerAddress,
    Url,
    count_launcher_words,
    find_program,
    hide_in_path,
    is_harmless,
    is_path,
    is_plain,
    is_public_form,
    is_script,
    names_software,
    redact_url,
    strip_program_path,
)
from mcpgen.introspect.server_query import Credentials
from mcpgen.schema.keywords import KEYWORD_TABLE, Role
from mcpgen.schema.values import Json

_REPLACEMENT = "***"
_DECISIVE_MEMBERS = {"name", "uri", "uriTemplate", "mimeType"} | {
    name
    for name, keyword in KEYWORD_TABLE.items()
    if keyword.role in (Role.ASSERTION, Role.REFERENCE, Role.IDENTIFIER) and name != "$comment"
}
"""Members whose texts programs rely on; another text there would be another definition."""
SHORTEST_INNER_SECRET = 6
"""Characters from which on a text is hidden inside words, too."""
SHORTEST_TOKEN = 20
"""Characters from which on a part of a URL is treated as a token, even if it looks like a name."""
URL_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s'\"<>]+")
"""A URL in a text; the bound of its scheme makes the search linear."""
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAME = re.compile(
    "key|token|secret|pass|pwd|auth|cred|bearer|session|cookie|sign|pat$|^-[ktpP]$", re.IGNORECASE
)
"""Name of an argument whose value is secret even if it looks like a name."""
_HEADER_OPTION = re.compile("-H|--?headers?", re.IGNORECASE)
_SHELLS = frozenset("bash dash sh zsh".split())
_SHELL_OPTION = re.compile("-[a-z]*c")
"""Option of a shell whose value is a script."""
_SHELL_OPERATORS = frozenset(("&&", "||", ";", "|", "&"))
_SEPARATORS = re.compile(r"[\s\"'{}\[\](),;&=:/@?#|\\]+")
_HARMLESS_WORDS = frozenset(
    "authorization basic bearer content-type authentication application header http https username password".split()
)


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
    """Build a pattern for texts in every spelling, which finds those of at least `inner_length` inside words, too."""
    spellings = sorted({spelling for text in texts for spelling in _list_spellings(text)}, key=len, reverse=True)
    patterns = [
        re.escape(spelling) if len(spelling) >= inner_length else rf"(?<![\w-]){re.escape(spelling)}(?![\w-])"
        for spelling in spellings
    ]
    return re.compile("|".join(patterns), flags) if patterns else None


class DefinitionRedactor:
    """Replacement of known secrets by *** in JSON that is to be written."""

    def __init__(self, credentials: Credentials, address: ServerAddress) -> None:
        known = collect_secrets(credentials, address).known
        secrets = [text for text in known if len(text) >= SHORTEST_INNER_SECRET]
        spellings = {spelling for secret in secrets for spelling in (secret, *_list_spellings(secret))}
        self._spellings = sorted(spellings, key=len, reverse=True)
        self.found = False
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


def contains_secret(credentials: Credentials, address: ServerAddress, value: Json) -> bool:
    """Check whether JSON that is to be written unchanged contains a known secret."""
    hiding = DefinitionRedactor(credentials, address)
    hiding.redact(value)
    return hiding.found


def _list_spellings(text: str) -> Iterable[str]:
    if not text.strip():
        return
    yield text
    yield quote(text, safe="")
    yield unquote(text)
    yield json.dumps(text)[1:-1]
    yield repr(text)[1:-1]
    if len(text) >= SHORTEST_INNER_SECRET:
        yield base64.b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Secrets:
    """Texts that a server is given."""

    known: set[str] = field(default_factory=set[str], repr=False)
    """Texts that are in the place of a secret, or do not look like a name."""
    possible: set[str] = field(default_factory=set[str], repr=False)
    """Other texts that are not known to be harmless."""

    def add_value(self, name: str, value: str) -> None:
        """Classify a value, perhaps of a named argument or variable, and its parts, such as those of a URL."""
        has_secret_name = _SECRET_NAME.search(name) is not None
        if not value.strip() or (is_harmless(value) and (value.lower() in PUBLIC_VALUES or not has_secret_name)):
            return
        if (is_path(value) or is_public_form(value)) and not has_secret_name:
            return
        looks_secret = "://" not in value and not all(map(is_plain, value.split()))
        self._add(value, has_secret_name or looks_secret)
        for segment in _SEPARATORS.split(value):
            if len(segment) < 3 or segment == value or is_harmless(segment) or segment.lower() in _HARMLESS_WORDS:
                continue
            is_long = len(segment) >= SHORTEST_INNER_SECRET
            self._add(segment, is_long and (has_secret_name or not is_plain(segment)))
        for url in URL_PATTERN.findall(value):
            self.add_url(url)

    def add_header(self, name: str, value: str) -> None:
        """Add the value of an HTTP header, and its words."""
        if name.strip().lower() in PUBLIC_HEADERS:
            return
        words = [word for word in value.split() if word.lower() not in _HARMLESS_WORDS]
        self.known.update((value.strip(), *(word for word in words if len(word) >= SHORTEST_INNER_SECRET)))

    def add_url(self, url: str, is_launched: bool = False) -> None:
        """Classify the parts of a URL; the path and the fragment of what is launched are public if they are names."""
        try:
            parts = urlsplit(url)
        except ValueError:
            self.known.add(url)
            return
        user_info = parts.netloc.rpartition("@")[0]
        fragment = "" if is_launched and names_software(parts.fragment) else parts.fragment
        user_info = "" if user_info == "git" else user_info
        private_parts = (user_info, *user_info.split(":"), parts.query, fragment)
        self.known.update(part for part in private_parts if part)
        for pair in re.split("[&;]", f"{parts.query}&{fragment}"):
            name, sign, value = pair.partition("=")
            secret = value if sign else name
            if secret and not is_harmless(secret):
                is_long = len(secret) >= SHORTEST_INNER_SECRET
                self._add(secret, is_long or _SECRET_NAME.search(name) is not None)
        path = "" if is_launched and names_software(parts.path) else parts.path
        for label in (*(parts.hostname or "").split(".")[:-2], *path.split("/")):
            if label and label.lower() not in PUBLIC_SEGMENTS and (len(label) >= SHORTEST_TOKEN or not is_plain(label)):
                self.known.add(label)

    def _add(self, text: str, is_known: bool) -> None:
        (self.known if is_known else self.possible).add(text)


def collect_secrets(credentials: Credentials, address: ServerAddress) -> Secrets:
    """Return the texts that a server is given and that nobody else may see."""
    secrets = Secrets()
    for name, value in credentials.headers.items():
        secrets.add_header(name, value)
    for name, value in (*credentials.env.items(), *credentials.used.items()):
        secrets.add_value(name, value)
    match address:
        case Url(text):
            secrets.add_url(text)
        case Command(arguments):
            _add_arguments(secrets, arguments)
        case InProcess():
            pass
        case _:
            assert_never(address)
    return secrets


def list_public_words(address: ServerAddress) -> list[str]:
    """Return the words that name a server on a command line; none if one of them may be secret."""
    match address:
        case InProcess(module, attribute):
            return [f"{module}:{attribute}"]
        case Url(text):
            return [text] if text == redact_url(text) else []
        case Command(words, None):
            secrets, program = collect_secrets(Credentials(), address), find_program(words)
            is_public = HIDDEN not in hide_in_path(words[0]) and not (secrets.known or secrets.possible)
            return ["--", *words] if is_public and all(_is_public(*pair, program) for pair in pairwise(words)) else []
        case Command():  # the folder is not part of a command line
            return []


def _is_public(previous: str, word: str, program: str) -> bool:
    """Check whether a word of a command is of a kind that holds no secret: not every text that looks like a name."""
    if word.startswith("-"):
        name, sign, value = word.partition("=")
        has_value = re.fullmatch(r"-[A-Za-z]\S+", word) is not None  # `-kVALUE`
        return not has_value and (not sign or name in PUBLIC_OPTIONS or is_harmless(value))
    is_named = word == program or word in PUBLIC_SUBCOMMANDS or previous in PUBLIC_OPTIONS
    return is_named or is_harmless(word) or is_script(word) or os.path.exists(word)


def _add_arguments(secrets: Secrets, arguments: Sequence[str]) -> None:
    program, launched = find_program(arguments), count_launcher_words(arguments)
    for number, (previous, argument) in enumerate(pairwise(["", *arguments])):
        name, sign, value = argument.partition("=")
        is_launcher = 0 < number <= launched
        if is_launcher and (number == launched or previous in LAUNCHER_OPTIONS):
            _add_option(secrets, "", argument, is_launcher)
        elif argument == "--" or (is_launcher and previous in ("-e", "--env") and _VARIABLE_NAME.fullmatch(argument)):
            continue
        elif sign and (argument.startswith("-") or _VARIABLE_NAME.fullmatch(name)):
            _add_option(secrets, name, value, is_launcher)
        elif not number:
            if not names_software(strip_program_path(argument)):
                secrets.add_value("", argument)
        elif _SHELL_OPTION.fullmatch(previous) and strip_program_path(arguments[0]) in _SHELLS:
            _add_script(secrets, argument)
        elif _OPTION.fullmatch(argument) and is_plain(argument):
            continue
        elif re.fullmatch(r"-[A-Za-z]\S+", argument):
            secrets.add_value("", argument[2:])  # `-kVALUE`
        elif (previous in PUBLIC_OPTIONS and (is_plain(argument) or is_path(argument))) or (
            argument in PUBLIC_SUBCOMMANDS and not previous.startswith("-")
        ):
            continue
        elif not (
            (argument == program and _has_plain_segments(argument)) or is_script(argument) or os.path.exists(argument)
        ):
            _add_option(secrets, previous if _OPTION.fullmatch(previous) else "", argument, is_launcher)


def _add_option(secrets: Secrets, name: str, value: str, is_launcher: bool) -> None:
    if _HEADER_OPTION.fullmatch(name):
        header, sign, text = value.partition(":")
        secrets.add_header(header if sign else "", text if sign else value)
        return
    names_server = is_launcher and (not name or name in LAUNCHER_OPTIONS)
    urls = URL_PATTERN.findall(value)
    if names_server and urls:
        for url in urls:
            secrets.add_url(url, is_launched=True)
    elif not (names_server and names_software(value)):
        secrets.add_value(name, value)


def _add_script(secrets: Secrets, script: str) -> None:
    try:
        words = shlex.split(script)
    except ValueError:
        secrets.add_value("", script)
        return
    for is_operator, command in groupby(words, _SHELL_OPERATORS.__contains__):
        if not is_operator:
            _add_arguments(secrets, [*command])


def _has_plain_segments(program: str) -> bool:
    return all(is_plain(segment) for segment in re.split(r"[/\\]", program) if segment not in ("", ".", "..", "~"))

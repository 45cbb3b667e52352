"""Collection of the texts that are, or may be, secret in what a server is given."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import assert_never
from urllib.parse import urlsplit

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.launchers import find_program, strip_program_path
from mcpgen.introspect.public_address import (
    HIDDEN,
    PUBLIC_OPTIONS,
    PUBLIC_SEGMENTS,
    PUBLIC_SUBCOMMANDS,
    PUBLIC_VALUES,
    hide_in_path,
    is_harmless,
    is_path,
    is_plain,
    is_script,
    redact_url,
)
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url

SHORTEST_INNER_SECRET = 6
"""Characters from which on a text is hidden inside words, too."""
SHORTEST_TOKEN = 20
"""Characters from which on a part of a URL is treated as a token, even if it looks like a name."""
URL_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+")
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAME = re.compile(
    "key|token|secret|pass|pwd|auth|cred|bearer|session|cookie|sign|pat$|^-[ktpP]$", re.IGNORECASE
)
"""Name of an argument whose value is secret even if it looks like a name."""
_SEPARATORS = re.compile(r"[\s\"'{}\[\](),;&=:/@?#|\\]+")
_HARMLESS_WORDS = frozenset(
    "authorization basic bearer content-type authentication application header http https username password".split()
)
"""Words that accompany secrets."""


@dataclass(frozen=True)
class Secrets:
    """Texts that a server is given."""

    known: set[str] = field(default_factory=set[str], repr=False)
    """Texts that are in the place of a secret, or do not look like a name."""
    possible: set[str] = field(default_factory=set[str], repr=False)
    """Other texts that are not known to be harmless."""

    def add_value(self, name: str, value: str) -> None:
        """Classify a value, and the parts of it: of a header, a URL, JSON, a list.

        Args:
            name: the name of the argument or variable; empty if there is none.
            value: its value.
        """
        has_secret_name = _SECRET_NAME.search(name) is not None
        if not value.strip() or (is_harmless(value) and (value.lower() in PUBLIC_VALUES or not has_secret_name)):
            return
        if is_path(value) and not has_secret_name:
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

    def add_url(self, url: str) -> None:
        """Classify the parts of a URL."""
        try:
            parts = urlsplit(url)
        except ValueError:
            self.known.add(url)
            return
        user_info = parts.netloc.rpartition("@")[0]
        private_parts = (user_info, *user_info.split(":"), parts.query, parts.fragment)
        self.known.update(part for part in private_parts if part)
        for pair in re.split("[&;]", f"{parts.query}&{parts.fragment}"):
            name, sign, value = pair.partition("=")
            secret = value if sign else name
            if secret and not is_harmless(secret):
                is_long = len(secret) >= SHORTEST_INNER_SECRET
                self._add(secret, is_long or _SECRET_NAME.search(name) is not None)
        for label in (*(parts.hostname or "").split(".")[:-2], *parts.path.split("/")):
            if label and label.lower() not in PUBLIC_SEGMENTS and (len(label) >= SHORTEST_TOKEN or not is_plain(label)):
                self.known.add(label)

    def _add(self, text: str, is_known: bool) -> None:
        (self.known if is_known else self.possible).add(text)


def collect_secrets(credentials: Credentials, address: ServerAddress) -> Secrets:
    """Return the texts that a server is given and that nobody else may see."""
    secrets = Secrets()
    for value in credentials.headers.values():
        secrets.known.add(value)
        secrets.known.update(
            part for part in value.split() if len(part) >= SHORTEST_INNER_SECRET and part.lower() not in _HARMLESS_WORDS
        )
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
    """Classify the words of a command."""
    program = find_program(arguments)
    if not is_plain(strip_program_path(arguments[0])):
        secrets.add_value("", arguments[0])
    for previous, argument in pairwise(arguments):
        name, sign, value = argument.partition("=")
        if sign and (argument.startswith("-") or _VARIABLE_NAME.fullmatch(name)):
            secrets.add_value(name, value)
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
            secrets.add_value(previous if _OPTION.fullmatch(previous) else "", argument)


def _has_plain_segments(program: str) -> bool:
    """Check whether each segment of a program's path looks like a name."""
    return all(is_plain(segment) for segment in re.split(r"[/\\]", program) if segment not in ("", ".", "..", "~"))

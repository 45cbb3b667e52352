"""Headers and environment variables for a server, from the options of a command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import is_plain

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_SHOWN_NAME = 40


@dataclass(frozen=True)
class Credentials:
    """Headers and environment variables for one server, by name. Their values must not be printed."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    used: MutableMapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Other secrets: variables of this process that stand in the server's address, and tokens that it has given."""


def parse_credentials(
    headers: Sequence[str], headers_env: Sequence[str], env: Sequence[str], environ: Mapping[str, str]
) -> Credentials:
    """Parse the values of `--header`, `--header-env` and `--env`.

    Args:
        headers: headers as `Name: value`.
        headers_env: headers as `Name=VARIABLE`.
        env: variables as `NAME=value`, or `NAME` to pass one on.
        environ: the environment variables of this process.

    Raises:
        IntrospectionError: an option is malformed, or names a variable that is not set.
    """
    parsed_headers: dict[str, str] = {}
    for option in headers:
        name, value = _parse_header(option)
        parsed_headers[name] = value
    for option in headers_env:
        name, value = _parse_header_variable(option, environ)
        parsed_headers[name] = value
    variables: dict[str, str] = {}
    for option in env:
        name, sign, value = option.partition("=")
        if not _VARIABLE_NAME.fullmatch(name):
            help = "write --env NAME=value, or --env NAME to pass one on"
            raise IntrospectionError("MG701", "an --env has no name", help)
        if not sign and name not in environ:
            raise IntrospectionError("MG701", f"the environment variable {_quote_name(name)} is not set")
        variables[name] = value if sign else environ[name]
    return Credentials(parsed_headers, variables)


def _parse_header(option: str) -> tuple[str, str]:
    name, colon, value = option.partition(":")
    if not colon:
        raise IntrospectionError("MG701", "a --header has no colon", "write --header 'Name: value'")
    return check_header(name.strip(), value.strip())


def _parse_header_variable(option: str, environ: Mapping[str, str]) -> tuple[str, str]:
    name, sign, variable = option.partition("=")
    if not sign:
        raise IntrospectionError("MG701", "a --header-env has no equals sign", "write --header-env Name=VARIABLE")
    if variable not in environ:  # it may be the secret itself, put there by mistake
        is_name = re.fullmatch(r"[A-Z][A-Z0-9_]*", variable) is not None and is_plain(variable)
        shown = f'"{variable}"' if is_name else "…"
        message = f"the environment variable {shown} for the header {_quote_name(name)} is not set"
        help = "set it to the whole value of the header, such as `Bearer …`; --header-env takes the variable's name"
        raise IntrospectionError("MG701", message, help)
    return check_header(name.strip(), environ[variable])


def check_header(name: str, value: str) -> tuple[str, str]:
    """Return a header.

    Raises:
        IntrospectionError: its name or value is not valid.
    """
    if not _HEADER_NAME.fullmatch(name):
        raise IntrospectionError("MG701", "a header's name is not a token", "write --header 'Name: value'")
    if not value.isascii() or not value.isprintable():
        message = f"the value of the header {_quote_name(name)} has characters that no header can hold"
        raise IntrospectionError("MG701", message)
    return name, value


def _quote_name(name: str) -> str:
    """Return a name for a message; text that does not look like a short name may be a secret, and is hidden."""
    return f'"{name}"' if _HEADER_NAME.fullmatch(name) and len(name) <= _LONGEST_SHOWN_NAME else "…"

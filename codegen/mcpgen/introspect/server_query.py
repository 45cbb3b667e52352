"""What a server is asked with: its address, headers and environment variables, from the options of a command line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import ServerAddress, Url, is_plain, parse_server_address
from mcpgen.targets import PROTOCOLS

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


@dataclass(frozen=True)
class ServerQuery:
    """Query for everything that one server advertises."""

    source: ServerAddress
    credentials: Credentials
    timeout: float | None
    """Seconds for the whole query; None: as the settings say."""
    protocol: str | None = None
    """The version to negotiate; None: the newest one that both sides know."""
    oauth: bool = False
    """Whether somebody can log in, in the browser, if the server asks for authorisation."""


def parse_server_query(
    arguments: Sequence[str],
    headers: Sequence[str],
    headers_env: Sequence[str],
    env: Sequence[str],
    timeout: float | None,
    protocol: str | None,
    oauth: bool = False,
) -> ServerQuery:
    """Build a query from the options of a command line; raise `IntrospectionError` if one is malformed."""
    if protocol is not None and protocol not in PROTOCOLS:
        help = f"there are {', '.join(PROTOCOLS)}"
        raise IntrospectionError("MG701", "--protocol names no version of the protocol", help)
    address = parse_server_address(arguments)
    credentials = parse_credentials(headers, headers_env, env, os.environ)
    if credentials.headers and not isinstance(address, Url):
        raise IntrospectionError("MG701", "headers are for a server with a URL", "a command takes --env")
    if credentials.env and isinstance(address, Url):
        help = "a URL takes --header, --header-env"
        raise IntrospectionError("MG701", "--env is for a server that is started here", help)
    if oauth and not isinstance(address, Url):
        raise IntrospectionError("MG701", "--oauth is for a server with a URL")
    return ServerQuery(address, credentials, timeout, protocol, oauth)


def parse_credentials(
    headers: Sequence[str], headers_env: Sequence[str], env: Sequence[str], environ: Mapping[str, str]
) -> Credentials:
    """Parse `--header`, `--header-env` and `--env`; raise `IntrospectionError` if one is malformed, or not set."""
    from_environment = [_parse_header_variable(option, environ) for option in headers_env]
    variables: dict[str, str] = {}
    for option in env:
        name, sign, value = option.partition("=")
        if not _VARIABLE_NAME.fullmatch(name):
            help = "write --env NAME=value, or --env NAME to pass one on"
            raise IntrospectionError("MG701", "an --env has no name", help)
        if not sign and name not in environ:
            raise IntrospectionError("MG701", f"the environment variable {_quote_name(name)} is not set")
        variables[name] = value if sign else environ[name]
    return Credentials(dict([*map(_parse_header, headers), *from_environment]), variables)


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
    """Return a header; raise `IntrospectionError` if its name or value is not valid."""
    if not _HEADER_NAME.fullmatch(name):
        raise IntrospectionError("MG701", "a header's name is not a token", "write --header 'Name: value'")
    if not value.isascii() or not value.isprintable():
        message = f"the value of the header {_quote_name(name)} has characters that no header can hold"
        raise IntrospectionError("MG701", message)
    return name, value


def _quote_name(name: str) -> str:
    """Return a name for a message; text that does not look like a short name may be a secret, and is hidden."""
    return f'"{name}"' if _HEADER_NAME.fullmatch(name) and len(name) <= _LONGEST_SHOWN_NAME else "…"

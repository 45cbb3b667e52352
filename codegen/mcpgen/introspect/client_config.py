"""Servers in the configuration of MCP clients: `mcp.json`, in the forms that the common clients share.

It has an object `mcpServers`, or `servers`, whose members are servers by name: `command`, `args`, `env`, `envFile` and
`cwd` of a program, or `url` and `headers` of a Streamable HTTP server. Comments and trailing commas are allowed, and
variables such as `${API_KEY}` or `${workspaceFolder}`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.regular_files import read_input
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import (
    Command,
    ServerAddress,
    Url,
    format_server_address,
    make_server_name,
    parse_server_address,
)
from mcpgen.introspect.server_query import Credentials, ServerQuery, check_header
from mcpgen.names.reserved import DEVICE_NAMES
from mcpgen.paths import format_path
from mcpgen.read.document import SourceDocument
from mcpgen.read.parse import parse_json_document, read_text
from mcpgen.schema.values import Json, as_array, as_object

_CLIENT_FOLDERS = frozenset((".vscode", ".cursor", ".roo", ".gemini", ".kiro", ".amazonq", ".continue"))
"""Folders of clients in a workspace."""
_SERVER_MEMBERS = ("mcpServers", "servers")
_URL_MEMBERS = ("url", "serverUrl", "httpUrl")
_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
_COMMENT = re.compile(_STRING + r"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[}\]])")
TOKEN_PREFIX = "MCPGEN_TOKEN_"
"""How the environment variable with the bearer token of a server begins; its name follows, as for inputs."""
ItemT = TypeVar("ItemT")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHOWN = re.compile(r"[\w.:-]{1,60}", re.ASCII)
INPUT_PREFIX = "MCPGEN_INPUT_"
"""How the environment variable for an input begins; its id follows, in upper case, with `_` for other characters."""


@dataclass(frozen=True)
class ConfiguredServer:
    """Server of a configuration."""

    name: str
    slug: str
    """Its name as the name of a file, and of a folder."""
    query: ServerQuery | IntrospectionError
    """How to ask it, or why it cannot be asked."""
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of its definitions that are left out, as those of the command line are."""

    @property
    def prefix(self) -> str:
        """The name before those of its tools and prompts, in a package for several servers."""
        return re.sub(r"[^A-Za-z0-9_]+", "_", self.slug).strip("_") + "_"


@dataclass(frozen=True)
class ServerChoice:
    """Servers of a configuration, and how they are asked."""

    file: Path
    """The configuration."""
    names: tuple[str, ...] = ()
    """The chosen servers; none: all that are not disabled."""
    timeout: float | None = None
    """Seconds for each query; None: as the settings say."""
    protocol: str | None = None
    """The protocol version to ask under; None: the newest."""
    oauth: bool = False
    """Whether somebody can log in, in the browser, if a server asks for authorisation."""


def list_servers(source: ServerQuery | ServerChoice, limits: Limits, findings: Findings) -> list[ConfiguredServer]:
    """Return the one server of a query, by its address, or the chosen servers of a configuration."""
    if isinstance(source, ServerQuery):
        return [ConfiguredServer(format_server_address(source.source), make_server_name(source.source), source)]
    return read_client_config(source, limits, findings)


def read_client_config(choice: ServerChoice, limits: Limits, findings: Findings) -> list[ConfiguredServer]:
    """Return the chosen servers of a configuration, in its order; none, with an error, if it is wrong."""
    path, chosen = choice.file, choice.names
    name = format_path(path)
    text = read_text(path, name, findings, FileTracker(most=limits.file_size))
    if text is None:
        return []
    json_text = _TRAILING_COMMA.sub(_blank, _COMMENT.sub(_blank, text))
    document = SourceDocument(path, name, json_text, is_quotable=False)
    if not parse_json_document(document, findings, limits):
        return []
    servers = _find_servers(document.value)
    if servers is None:
        help = 'write {"mcpServers": {"name": {"command": …}}}'
        findings.error("MG003", "has no servers: neither `mcpServers` nor `servers` is an object", Span(name), help)
        return []
    if unknown := [repr(server) for server in chosen if server not in servers]:
        help = f"it has {', '.join(servers) or 'no servers'}"
        findings.error("MG701", f"has no server {', '.join(unknown)}", Span(name), help)
        return []
    workspace = path.absolute().parent
    reader = _ConfigReader(
        workspace.parent if workspace.name in _CLIENT_FOLDERS else workspace,
        _find_input_defaults(document.value),
        choice,
        limits,
    )
    wanted = {key: value for key, value in servers.items() if key in chosen or not (chosen or _is_disabled(value))}
    slugs = _make_slugs(wanted)
    return [ConfiguredServer(key, slugs[key], reader.read_query(key, value)) for key, value in wanted.items()]


def _blank(match: re.Match[str]) -> str:
    """Return a string as it is, other text as spaces, so that positions stay the same."""
    return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])


def _find_servers(value: Json) -> dict[str, Json] | None:
    root = as_object(value)
    parts = [root, as_object(root.get("mcp")), as_object(root.get("context_servers"))]
    found = (part.get(member) for part in parts for member in _SERVER_MEMBERS)
    return next((servers for servers in found if isinstance(servers, dict)), None)


def _find_input_defaults(value: Json) -> dict[str, str]:
    inputs = map(as_object, as_array(as_object(value).get("inputs")))
    return {
        str(item["id"]): default for item in inputs if "id" in item and isinstance(default := item.get("default"), str)
    }


def _is_disabled(server: Json) -> bool:
    return isinstance(server, dict) and (server.get("disabled") is True or server.get("enabled") is False)


def _make_slugs(names: Mapping[str, object]) -> dict[str, str]:
    slugs: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "server"
        taken = {slug.casefold() for slug in slugs.values()}
        first = f"{plain}-server" if plain.lower() in DEVICE_NAMES else plain  # no file on Windows may have this name
        candidates = (first, *(f"{plain}-{number}" for number in range(2, len(names) + 2)))
        slugs[name] = next(slug for slug in candidates if slug.casefold() not in taken)
    return slugs


@dataclass(frozen=True)
class _ConfigReader:
    workspace: Path
    inputs: Mapping[str, str]
    choice: ServerChoice
    limits: Limits

    def read_query(self, name: str, server: Json) -> ServerQuery | IntrospectionError:
        try:
            return self._read_query(name, server)
        except IntrospectionError as error:
            return error

    def _read_query(self, name: str, server: Json) -> ServerQuery:
        if not isinstance(server, dict):
            raise IntrospectionError("MG701", "it is not an object")
        variables = VariableExpander(os.environ, self.workspace, self.inputs)
        url = next((server[member] for member in _URL_MEMBERS if server.get(member)), None)
        if url is not None:
            if server.get("type") == "sse":
                help = "its Streamable HTTP endpoint is often /mcp"
                raise IntrospectionError("MG701", "it uses the older HTTP+SSE transport, which cannot be asked", help)
            address = parse_server_address([variables.expand(_expect(url, str, "url"))])
            headers = self._read_headers(name, server, variables)
            checked = dict(check_header(key, value) for key, value in headers.items())
            return self._make_query(address, Credentials(checked, {}, variables.used))
        if "command" not in server:
            raise IntrospectionError("MG701", "it has neither a command nor a URL")
        program = variables.expand(_expect(server["command"], str, "command"))
        _expect(server.get("args") or [], list, "args")
        arguments = [variables.expand(_expect(word, str, "args")) for word in as_array(server.get("args"))]
        folder = self.workspace / variables.expand(_expect(server.get("cwd") or "", str, "cwd"))
        env = self._read_env_file(server, variables) | _read_texts(server, "env", variables)
        command = Command((program, *arguments), str(folder))
        return self._make_query(command, Credentials({}, env, variables.used))

    def _read_headers(self, name: str, server: Mapping[str, Json], variables: VariableExpander) -> dict[str, str]:
        """Return the headers for a server; a token in the environment takes the place of its `Authorization`."""
        texts = server.get("headers")
        own = [key for key in texts if key.lower() == "authorization"] if isinstance(texts, dict) else []
        variable = TOKEN_PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())
        token = os.environ.get(variable)
        headers = _read_texts(server, "headers", variables, leave_out=own)
        if token is not None:
            return {**headers, "Authorization": f"Bearer {token}"}
        try:
            return _read_texts(server, "headers", variables)
        except IntrospectionError as error:
            help = error.help or f"set it, or set {variable} to the token, which takes the place of its Authorization"
            raise IntrospectionError(error.code, error.message, help) from None

    def _make_query(self, address: ServerAddress, credentials: Credentials) -> ServerQuery:
        oauth = self.choice.oauth and isinstance(address, Url) and "Authorization" not in credentials.headers
        return ServerQuery(address, credentials, self.choice.timeout, self.choice.protocol, oauth)

    def _read_env_file(self, server: Mapping[str, Json], variables: VariableExpander) -> dict[str, str]:
        """Return the variables in the file that `envFile` names: lines `NAME=value`, perhaps in quotes."""
        if not server.get("envFile"):
            return {}
        path = self.workspace / variables.expand(_expect(server["envFile"], str, "envFile"))
        try:
            text = read_input(path, self.limits.file_size).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            raise IntrospectionError("MG701", "its envFile cannot be read") from None
        lines = re.findall(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*?)[ \t]*$", text, re.MULTILINE)
        return {key: re.sub(r"""^(["'])(.*)\1$""", r"\2", value) for key, value in lines}


def _expect(value: Json, kind: type[ItemT], member: str) -> ItemT:
    if not isinstance(value, kind):
        raise IntrospectionError("MG701", f'its "{member}" is of the wrong type')
    return value


def _read_texts(
    server: Mapping[str, Json], member: str, variables: VariableExpander, leave_out: Collection[str] = ()
) -> dict[str, str]:
    """Return the texts of an object, with numbers as text and without nulls, and without some keys."""
    _expect(server.get(member) or {}, dict, member)
    texts = as_object(server.get(member))
    if any(isinstance(item, list | dict) for item in texts.values()):
        raise IntrospectionError("MG701", f'its "{member}" has a value that is not a string')
    return {
        key: variables.expand(item if isinstance(item, str) else str(item).lower())
        for key, item in texts.items()
        if item is not None and key not in leave_out
    }


@dataclass
class VariableExpander:
    """Values of the variables of one server, and those that were used."""

    environ: Mapping[str, str] = field(repr=False)
    workspace: Path
    """What `${workspaceFolder}` stands for."""
    inputs: Mapping[str, str]
    """Defaults of the inputs, for which a client would ask the user."""
    used: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """Values from the environment, which may be secret, by name."""

    def expand(self, text: str) -> str:
        """Return a text with the values of its variables; raise `IntrospectionError` if there is none for one."""
        return _VARIABLE.sub(lambda match: self._find_value(match[1]), text)

    def _find_value(self, variable: str) -> str:
        kind, colon, rest = variable.partition(":")
        match kind, rest:
            case ("workspaceFolder", ""):
                return str(self.workspace)
            case ("workspaceFolderBasename", ""):
                return self.workspace.name
            case ("userHome", ""):
                return str(Path.home())
            case ("pathSeparator" | "/", ""):
                return os.sep
            case ("env", name):
                return self._get_variable(name, None)
            case ("input", id):
                return self._get_variable(_name_input(id), self.inputs.get(id))
            case (name, default) if _NAME.fullmatch(name) and (not colon or default.startswith("-")):
                return self._get_variable(name, default[1:] if colon else None)
            case _:
                raise IntrospectionError("MG701", f"it has a variable that only its client knows: {_quote(variable)}")

    def _get_variable(self, name: str, default: str | None) -> str:
        if name in self.environ:
            self.used[name] = self.environ[name]
            return self.environ[name]
        if default is None:
            raise IntrospectionError("MG701", f"it needs the environment variable {_quote(name)}, which is not set")
        return default


def _name_input(id: str) -> str:
    return INPUT_PREFIX + re.sub(r"[^A-Z0-9]", "_", id.upper())


def _quote(name: str) -> str:
    """Return the name of a variable for a message; what does not look like a name is hidden."""
    return f'"{name}"' if _SHOWN.fullmatch(name) else "…"
